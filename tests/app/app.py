"""The command line and the run: verbs, YAML, stop, signals, files."""
import os
import pty
import re
import shutil
import signal
import subprocess
import sys

import run

HERE = run.folder("app")
CAVITY = {
    "case_name": "cavity", "mesh_box_faces": "4,4", "mesh_box_lower": "0,0", "mesh_box_upper": "1,1",
    "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": "0.01", "physics_oldroydb_viscosity": "0.01",
    "physics_oldroydb_lambda": "0.1", "stabiliser": "split_oss", "bc_left_type": "wall", "bc_right_type": "wall",
    "bc_bottom_type": "wall", "bc_top_type": "moving_wall", "bc_top_velocity": "16*x^2*(1-x)^2,0",
    "scheme_lumped_dt": "0.01", "stop_steps": "4",
}


def words(**changes):
    return [word for key, value in {**CAVITY, **changes}.items() if value is not None for word in (f"-{key}", value)]


def want(condition, text):
    if not condition:
        raise run.Failure(text)


def has(text, *expected):
    for word in expected:
        want(word in text, f"'{word}' is missing in\n{text}")


def same_state(a, b):
    want((a.checkpoint() == b.checkpoint()).all(), "the states differ")


def usage():
    has(run.rheoplex(out=HERE).stdout, "rheoplex run case.yaml", "rheoplex check", "rheoplex list", "--version", "--help")
    result = run.rheoplex("rum", "case.yaml", out=HERE, expect=1)
    has(result.stderr, "rheoplex: error: unknown verb 'rum'", "run, check", "bench")


def version():
    text = run.rheoplex("--version", out=HERE).stdout
    has(text, "Rheoplex", "PETSc", "MPI", "HDF5", "muParser", "hypre", "MUMPS", "lanes", "newtonian", "split_oss")
    want(re.search(r"PETSc +.*3\.\d+", text), "no version of PETSc")


def list_():
    text = run.rheoplex("list", out=HERE).stdout
    has(text, "newtonian", "-physics_newtonian_viscosity", "Pa s", "oldroydb", "split_oss", "-stabiliser_split_oss_tau", "lumped", "moving_wall",
        "-physics_ptt_modes", "linear or exponential", "-stabiliser_split_oss_parts", "aaa_re50 ")
    text = run.rheoplex("list", "physics", out=HERE).stdout
    want("split_oss" not in text and "newtonian" in text, "list physics lists something else")
    has(run.rheoplex("list", "fluids", out=HERE, expect=1).stderr, "fluids", "physics, stabiliser, scheme")
    has(run.rheoplex("list", "phisics", out=HERE, expect=1).stderr, "did you mean physics?")
    text = run.rheoplex("list", "physics", "ptt", out=HERE).stdout
    has(text, "  ptt ", "-physics_ptt_form", "linear or exponential", "-physics_ptt_modes", "number of modes", "one a mode")
    want("giesekus" not in text and "Stabilisers" not in text, f"list physics ptt lists more\n{text}")
    has(run.rheoplex("list", "physics", "pttt", out=HERE, expect=1).stderr, "pttt", "did you mean ptt?")
    has(run.rheoplex("list", "stabiliser", "gls", out=HERE).stdout, "-stabiliser_gls_weighting", "full or upwind", "part momentum")
    text = run.rheoplex("list", "boundary", "symmetry", out=HERE).stdout
    want("symmetry: plane of symmetry" in text and "moving_wall" not in text, text)
    has(run.rheoplex("list", "boundary", "inlet", out=HERE).stdout, "-bc_<label>_profile_file: text (m, m/s); default none; path of", "-bc_<label>_velocity: text (m/s); default none; formulas of")
    has(run.rheoplex("list", "boundary", "inlett", out=HERE, expect=1).stderr, "'inlett'", "inlet")
    text = run.rheoplex("list", "scheme", "lumped", out=HERE).stdout
    has(text, "-scheme_lumped_stepper: euler or heun; default euler", "-scheme_lumped_dt_min: a number >= 0 (s)")
    want("-scheme_steady" not in text, text)
    has(run.rheoplex("list", "scheme", "lumpd", out=HERE, expect=1).stderr, "list scheme: got 'lumpd'", "lumped, fractional_step")
    text = run.rheoplex("list", "diagnostic", "line", out=HERE).stdout
    has(text, "line: fields along a line", "-diagnostic_<name>_from: text", "-diagnostic_<name>_n: an integer from 2 to 100000", "as every kind", "-diagnostic_<name>_every_dt: a number >= 0 (s)")
    want("torque" not in text and "-diagnostic_<name>_kind" not in text, text)
    has(run.rheoplex("list", "diagnostic", "lines", out=HERE, expect=1).stderr, "'lines'", "did you mean 'line'?")
    text = run.rheoplex("list", "output", "vtkhdf", out=HERE).stdout
    want("-output_vtkhdf_precision: " in text and "double" in text and "pvd" not in text, text)
    has(run.rheoplex("list", "cases", "cavity", out=HERE, expect=1).stderr, "got 'cavity' after it", "rheoplex init cavity")
    has(run.rheoplex("list", "cases", out=HERE).stdout, "aaa_re50 ", "Double abdominal", "poiseuille_giesekus")


def help_():
    has(run.rheoplex("--help", out=HERE).stdout, "rheoplex run", "YAML", "mesh", "scheme", "boundary")
    has(run.rheoplex("--help", "mesh", out=HERE).stdout, "-mesh_file", "-mesh_box_faces")
    has(run.rheoplex("--help", "stop", out=HERE).stdout, "-stop_steady_tol", "-stop_time")
    has(run.rheoplex("--help", "mush", out=HERE, expect=1).stderr, "'mush'", "did you mean mesh?", "boundary")
    text = run.rheoplex("run", "-diagnostic_m_kind", "line", "-diagnostic_m_quantities", "pressure", out=HERE, expect=1).stderr
    has(text, "got -diagnostic_m_quantities, ")
    want("diagnostic_m_quantities_n" not in text, f"a label that no option has: {text}")
    for petscs in ("dm_refine", "-pressure_ksp_type"):
        has(run.rheoplex("--help", petscs, out=HERE).stdout, petscs, "of PETSc: share/doc/petsc-options.md")
    has(run.rheoplex("--help", "scheme_lumped_ddt", out=HERE, expect=1).stderr, "did you mean scheme_lumped_dt?")
    for way in (("scheme_lumped_dt",), ("-scheme_lumped_dt",), ("scheme_lumped:", "dt"), ("scheme_lumped.dt",), ("scheme: {lumped: {dt: ",)):
        text = run.rheoplex("--help", *way, out=HERE).stdout
        want(text.startswith("  -scheme_lumped_dt  (") and len(text.splitlines()) == 2, f"{way}: {text}")
    has(run.rheoplex("--help", "bc_inlet_ramp", out=HERE).stdout, "  -bc_*_ramp  (0)")
    text = run.rheoplex("--help", "bc_inlet_2", out=HERE).stdout
    has(text, "-bc_inlet_2_type inlet: given velocity", "  -bc_inlet_2_flow_rate_scale: ", "  -bc_inlet_2_ramp: ")
    want("backflow" not in text and "distal" not in text, f"of other conditions: {text}")
    has(run.rheoplex("--help", "bc_moving_wall", out=HERE).stdout, "-bc_moving_wall_type moving_wall: ")
    text = run.rheoplex("--help", "bc_left", out=HERE).stdout
    has(text, "-bc_left_type: one of wall, ", "\n  windkessel: proximal distal compliance ", "\n  moving_wall: velocity velocity_scale velocity_time_scale velocity_interpolation velocity_rows ramp\n")
    want(len(text.splitlines()) < 20, text)
    want(run.rheoplex("--help", "windkessel", out=HERE).stdout.splitlines()[1].startswith("  -bc_<label>_proximal: "), "own options are not first")
    has(run.rheoplex("--help", "cubic spline", out=HERE).stdout, "Options whose name or help has 'cubic_spline'\n", "  -bc_*_flow_rate  (empty)\n      text")
    has(run.rheoplex("--help", "waveform", out=HERE).stdout, "Options whose name or help has 'waveform'; what they are: rheoplex --help <option>\n", "  -bc_*_flow_rate\n", "  -form_mean_velocity_time_scale\n")
    text = run.rheoplex("--help", "MMHG", out=HERE).stdout
    want("\n  -bc_*_pressure_scale  (1)\n      a number (Pa); " in text and len(text.splitlines()) == 3, text)
    text = run.rheoplex("--help", "csv", out=HERE).stdout
    has(text, "rheoplex --help <option>\n", "\n  -bc_*_profile_file\n", "\n  -form_mean_velocity\n")
    has(run.rheoplex("--help", "one", "period", out=HERE).stdout, "  -bc_*_flow_rate  (empty)\n")
    has(run.rheoplex("--help", "wall time", out=HERE).stdout, "  -output_checkpoint_wall_time  (1800)\n", "  -stop_wall_time")
    text = run.rheoplex("--help", "finite extensibility", out=HERE).stdout
    has(text, "Plugins whose description has 'finite_extensibility'; more: rheoplex --help <name>\n  -physics    fene_")
    has(run.rheoplex("--help", "shear-thinning", out=HERE).stdout, "  -physics    carreau_yasuda")
    has(run.rheoplex("--help", "OSI", out=HERE).stdout, "\n  -diagnostic_<name>_kind wall_average: time-averaged wall shear stress (TAWSS)")
    has(run.rheoplex("--help", "three-element", out=HERE).stdout, "\n  -bc_<label>_type windkessel: outlet behind which lies a three-element Windkessel")
    has(run.rheoplex("--help", "paraview", out=HERE).stdout, "\n  -output_formats vtu: ", "Options whose name or help has 'paraview'")
    for word in ("eriod", "fl"):
        has(run.rheoplex("--help", word, out=HERE, expect=1).stderr, f"No help on '{word}'")
    text = run.rheoplex("--help", "physics_ptt", out=HERE).stdout
    has(text, "-physics_ptt_lambda", "-physics_ptt_form")
    want("giesekus" not in text, text)
    has(run.rheoplex("--help", "lambda", out=HERE).stdout, "-physics_ptt_lambda", "-physics_oldroydb_lambda")
    has(run.rheoplex("--help", "ptt", out=HERE).stdout, "source: Phan-Thien", "-physics_ptt_modes")
    text = run.rheoplex("--help", "streamfunction", out=HERE).stdout
    has(text, "diagnostic (-diagnostic_<name>_kind) streamfunction: ", "-diagnostic_<name>_vortices: ", "-diagnostic_<name>_every: ")
    has(run.rheoplex("--help", "wall", out=HERE).stdout, "condition (-bc_<label>_type) wall: ", "diagnostic (-diagnostic_<name>_kind) wall: ", "  -diagnostic_wall  (empty)")
    has(run.rheoplex("--help", "fractional_step", out=HERE).stdout, "scheme fractional_step", "-scheme_fractional_step_integrator: ")
    has(run.rheoplex("--help", "vtkhdf", out=HERE).stdout, "format (-output_formats) vtkhdf: ")
    done = run.rheoplex("run", *words(), "-diagnostic_q_kind", "flux", "-diagnostic_q_label", "left", "-diagnostic_q_points", "0,0", out=HERE, expect=1)
    has(done.stderr, "got -diagnostic_q_points", "kind of diagnostic it is for")
    has(run.rheoplex("--help", "physics", out=HERE).stdout, "-physics_ptt_lambda")
    has(run.rheoplex("--help", "rheometer", out=HERE).stdout, "rheometer law[,law]", "-rheometer_flow")
    for words_ in (("run", "--help"), ("run", "-h"), ("run", "-help"), ("--help", "run"), ("run", "case.yaml", "--help")):
        has(subprocess.run([run.RHEOPLEX, *words_], capture_output=True, text=True).stdout, "run case.yaml", "SIGINT", "SIGTERM", "SIGUSR1", "143", "kill -USR1 <process of mpiexec>")
    has(run.rheoplex("check", "--help", out=HERE).stdout, "check case.yaml")
    for verb in ("run", "check"):
        has(subprocess.run([run.RHEOPLEX, verb], capture_output=True, text=True).stderr, f"{verb}: no case is given", "rheoplex init")
    has(run.rheoplex("check", *words(physics=None), out=HERE, expect=1).stderr, "no law is given", "physics: a,b", "oldroydb", "list physics")
    has(run.rheoplex("check", *words(physics=""), out=HERE, expect=1).stderr, "no law is given")
    nested = f"{HERE}/nested.yaml"
    with open(nested, "w") as f:
        f.write("physics:\n  newtonian: {viscosity: 0.3}\n  oldroydb: {viscosity: 0.7, lambda: 0.4}\nmesh: {box_faces: '4,4'}\n")
    has(run.rheoplex("check", nested, out=HERE, expect=1).stderr, "no law is given, only parameters of newtonian,oldroydb: expected", "here `physics: newtonian,oldroydb`, names and no mapping", "`physics_newtonian: {...}`")
    with open(nested, "w") as f:
        f.write("mesh: {box_faces: '4,4'}\n")
    want("only parameters" not in run.rheoplex("check", nested, out=HERE, expect=1).stderr, "parameters that nobody gave")


def init():
    """A case to start from runs, and says where its schema lies; an own file is not touched; cases that come with it are copied."""
    folder = run.folder("app_init")

    def rheoplex(*arguments):
        return subprocess.run([run.RHEOPLEX, *arguments], cwd=folder, capture_output=True, text=True, timeout=50)

    want(rheoplex("init").returncode == 0, "init fails")
    text = open(f"{folder}/case.yaml").read()
    has(text, "physics:", "# Laws", "scheme_lumped", "bc_left")
    schema = text.splitlines()[0].partition("$schema=")[2]
    want(os.path.isabs(schema) and os.path.samefile(schema, f"{run.OPTIONS}/case.schema.json"), f"the schema is {schema}")
    want(text.count("$schema") == 1, "two schemas")
    result = rheoplex("run", "case.yaml", "-output_folder", "out", "-stop_time", "0.5")
    want(result.returncode == 0 and not result.stderr, result.stderr)
    has(rheoplex("init").stderr, "case.yaml is there already")
    want(open(f"{folder}/case.yaml").read() == text, "init has changed a case")
    want(rheoplex("init", "mine.yaml").returncode == 0 and os.path.exists(f"{folder}/mine.yaml"), "no mine.yaml")
    want(rheoplex("init", "aaa_re50").returncode == 0, "no copy of aaa_re50")
    has(rheoplex("check", "aaa_re50.yaml").stdout, "8000 quadrilateral")
    has(rheoplex("init", "aaa_re5").stderr, "'aaa_re5'", "did you mean aaa_re50?")
    has(rheoplex("init", "no/such.yaml").stderr, "no/such.yaml cannot be written", "No such file")
    has(rheoplex("init", "../options/aaa_re50").stderr, "rheoplex list cases")


def check():
    text = run.rheoplex("check", *words(), "-output_folder", f"{HERE}/never", out=HERE).stdout
    has(text, "16", "moving_wall", "4 faces", "25 nodes", "Unknowns: 150", "Memory", "split_oss", "oldroydb")
    want(not os.path.exists(f"{HERE}/never"), "check made the output folder")
    run.rheoplex("check", *words(bc_left_type=None), out=HERE, expect=1)
    for changes, many in ((dict(output_dt="1e-6", stop_steps=None, stop_time="3"), "about 3e+06 times, a file each (-output_dt"), (dict(output_every="2", stop_steps="20000"), "about 1e+04 times, a file each (-output_every"),
                          (dict(output_dt="1e-3", stop_steps=None, stop_time="3"), ""), (dict(output_dt="1e-6", stop_steps=None, stop_time="3", output_fields="off"), ""),
                          (dict(output_dt="1e-6", output_every="100000", stop_steps=None, stop_time="3"), "about 3e+06 times, a file each (-output_dt"), (dict(output_every="5", stop_steps="20000"), "")):
        text = run.rheoplex("check", *words(**changes), out=HERE).stdout
        want(many in text and bool(many) == ("a file each" in text), f"{changes}: {text}")


def descendants(pid):
    children = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as f:
                children.setdefault(int(f.read().rsplit(")", 1)[1].split()[1]), []).append(int(entry))
        except OSError:
            pass
    found = children.get(pid, [])
    return found + [d for c in found for d in descendants(c)]


def table():
    """The columns stand under their heads, in 2D and 3D, with and without polymer; `--help table` explains each."""
    text = run.rheoplex("--help", "table", out=HERE).stdout
    newtonian = dict(physics="newtonian", physics_oldroydb_viscosity=None, physics_oldroydb_lambda=None)
    box = dict(mesh_box_faces="2,2,2", mesh_box_lower="0,0,0", mesh_box_upper="1,1,1", bc_front_type="wall", bc_back_type="wall",
               bc_top_velocity="16*x^2*(1-x)^2,0,0")
    for changes in ({}, newtonian, box, {**box, **newtonian}, dict(bc_top_velocity="1e-7*x*(1-x),0")):
        result = run.rheoplex("run", *words(case_report_every="1", **changes), out=run.folder("app_table"))
        lines = result.stdout.splitlines()
        head = next(i for i, line in enumerate(lines) if line.startswith("    step"))
        ends = [m.end() for m in re.finditer(r"\S+", lines[head].replace("min c", "min_c"))]
        names = [m.group() for m in re.finditer(r"min c|\S+", lines[head])]
        want(len(names) == len(ends) == 13, f"heads {names}")
        for name in names:
            want(re.search(rf"^  {re.escape(name)}( \[.*\])? +\S", text, re.M), f"--help table does not explain '{name}'\n{text}")
        for line in lines[head + 1:head + 5]:
            for name, end in zip(names[:-1], ends):
                want(line[end - 1] != " " and line[end] == " ", f"'{name}' is not above its column\n{lines[head]}\n{line}")
            want(line[ends[-2] + 1] != " ", f"'at' is not above its column\n{line}")
        has(result.stdout, "on this machine's CPU, units" if "NVIDIA" not in result.stdout else "on ")
    for name in open(result.file("_history.csv")).readline().strip().split(","):
        want(re.search(rf"^  {name}( \[.*\])?( +\S|$)", text, re.M), f"--help table does not explain '{name}'\n{text}")


def signalled(number, *more, np=1, to_starter=False):
    """A run that gets the signal (one of its ranks does): exit code and output, with the last step saved."""
    import h5py

    out = run.folder("app_signal")
    start = [os.environ["RHEOPLEX_MPIEXEC"], "-n", str(np)] if np > 1 else []
    process = subprocess.Popen([*start, run.RHEOPLEX, "run", *words(stop_steps="100000000"), *more, "-output_folder", out],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    run.wait(lambda: os.path.exists(f"{out}/cavity_history.csv") and os.path.getsize(f"{out}/cavity_history.csv") > 1000, "its first steps", process)
    target = process.pid if np == 1 or to_starter else max(d for d in descendants(process.pid) if os.readlink(f"/proc/{d}/exe") == os.path.realpath(run.RHEOPLEX))
    os.kill(target, number)
    text, errors = process.communicate(timeout=run.PATIENCE)
    has(text, f"signal {int(number)}", "saved")
    step = run.table(f"{out}/cavity_history.csv")["step"][-1]
    with h5py.File(f"{out}/cavity_checkpoint.h5") as f:
        want(f["state"].shape[0] == 25, "no whole checkpoint")
    want(os.path.exists(f"{out}/cavity_{int(step):06d}.vtu"), "no fields of the last step")
    return process.returncode, errors


def signal_():
    for number, expected in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGUSR1, 0)):
        for more, code in (((), expected), (("-stop_signal_ok",), 0)):
            got, errors = signalled(number, *more)
            want(got == code, f"{number} {more}: exit code {got}, expected {code}\n{errors}")
            want(not errors, f"{number}: errors {errors}")
    for number, expected in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        got, errors = signalled(number, np=2)
        want(got == expected, f"{number} on two ranks: exit code {got}, expected {expected}\n{errors}")
    got, errors = signalled(signal.SIGUSR1, np=2, to_starter=True)
    want(got == 0, f"SIGUSR1 to mpiexec: exit code {got}, expected 0\n{errors}")


def wall_time():
    """The end by the clock, with the state saved; the restart goes on."""
    for np in (1, 3):
        ended = run.rheoplex("run", *words(stop_steps="100000", stop_wall_time="0.7"), out=run.folder("app_wall_time"), np=np)
        has(ended.stdout, "the 0.7 s of -stop_wall_time are over", "state for restart")
        setup, output, stepping = map(float, re.search(r"set-up ([0-9.]+) s, output ([0-9.]+) s, \d+ steps ([0-9.]+) s\n", ended.stdout).groups())
        want(setup + output + stepping > 0.69, f"{np} ranks: ended before 0.7 s\n{ended.stdout}")
        before = setup + sum(ended.table("_history.csv")["seconds"][:-1])  # whatever a step takes on a busy machine: the one before the last began in time
        want(before < 0.71 or len(ended.table("_history.csv")["seconds"]) == 1, f"{np} ranks: {before} s before the last step, of 0.7 s\n{ended.stdout}")
    step = int(ended.table("_history.csv")["step"][-1])
    more = run.rheoplex("run", *words(stop_steps=str(step + 3)), "-case_restart", ended.file("_checkpoint.h5"), out=run.folder("app_wall_time_more"))
    want(list(more.table("_history.csv")["step"]) == [step + 1, step + 2, step + 3], "the restart does not go on")
    lost = run.rheoplex("run", *words(stop_steps="3", stop_wall_time="1e-9"), out=run.folder("app_wall_time_first"))
    want(list(lost.table("_history.csv")["step"]) == [1], "one that is over at once does not end with the first step")
    for end, said in (dict(stop_steps="1"), "the last step is reached"), (dict(stop_steps="9", stop_steady_tol="1e9"), "steady: "):
        done = run.rheoplex("run", *words(stop_wall_time="1e-9", **end), out=run.folder("app_wall_time_done")).stdout
        want(said in done and "-stop_wall_time are over" not in done, f"a run that is done with its step is told to be over:\n{done}")


def effective():
    changes = dict(diagnostic_forces="top", pressure_ksp_rtol="1e-12", case_velocity="2")
    first = run.rheoplex("run", *words(**changes), out=run.folder("app_first"))
    again = run.rheoplex("run", first.file("_effective.yaml"), out=run.folder("app_again"))
    same_state(first, again)
    texts = [open(r.file("_effective.yaml")).read().replace(r.out, "") for r in (first, again)]
    want(texts[0] == texts[1], f"the effective options differ\n{texts[0]}\n{texts[1]}")
    has(texts[0], "scheme_lumped_dt: '0.01'", "case_length: '1'", "pressure_ksp_rtol: '1e-12'", "case_velocity: '2'")


def write(folder, name, text):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{name}", "w") as f:
        f.write(text)
    return f"{folder}/{name}"


YAML = """
# nested groups, lists, quoted and bare text, truth, a number with an exponent, an anchor
$$walls: &wall {type: wall}
mesh:
  box_faces: [4, 4]
  box_lower: "0,0"
  box_upper: 1,1
physics: [newtonian, oldroydb]
physics_newtonian: {viscosity: 1e-2}
physics_oldroydb:
  viscosity: 0.01
  lambda: .1
stabiliser: split_oss
bc:
  left: *wall
  right:
    <<: *wall
  bottom: {type: 'wall'}
  top: {type: moving_wall, velocity: ["16*x^2*(1-x)^2", -0]}
scheme: lumped
scheme_lumped: {dt: 0.01}
output: {fields: no}
stop: {steps: 4}
"""


def yaml_forms():
    plain = run.rheoplex("run", *words(), out=run.folder("app_plain"))
    yaml = run.rheoplex("run", write(HERE, "forms.yaml", YAML), out=run.folder("app_yaml"))
    same_state(plain, yaml)
    want(os.path.basename(yaml.file("_checkpoint.h5")) == "forms_checkpoint.h5", "the name of the case is not that of its file")
    want(not any(f.endswith(".vtu") for f in os.listdir(yaml.out)), "output_fields: no is not read as false")


def lists():
    """Names of a list with blanks around them are those without; a blank in place of a comma is none between two names."""
    more = {"physics_oldroydb_modes": 2, "physics_oldroydb_viscosity": "0.01,0.02", "physics_oldroydb_lambda": "0.1,0.2", "form_density": 3, "scheme": "steady", "scheme_lumped_dt": None, "stop_steps": None, "diagnostic_p_kind": "probe"}
    lists_ = {"physics": "newtonian,oldroydb", "stabiliser": "devss,split_oss", "output_fields": "velocity,stress", "output_formats": "vtkhdf,vtu", "diagnostic_forces": "top,left", "sensitivity": "forces:form_density,forces:physics_newtonian_viscosity",
              "diagnostic_p_points": "0.5,0.5", "diagnostic_p_fields": "velocity,pressure"}
    plain = run.rheoplex("run", *words(**more, **lists_), out=run.folder("app_lists"))
    blank = run.rheoplex("run", *words(**more, **{k: " " + v.replace(",", " ,  ") + " " for k, v in lists_.items()}), out=run.folder("app_lists"))
    want(sorted(os.listdir(plain.out)) == sorted(os.listdir(blank.out)), f"other files: {sorted(os.listdir(blank.out))}")
    for table in ("_forces.csv", "_sensitivity.csv", "_p.csv"):
        want(open(plain.file(table)).read() == open(blank.file(table)).read(), f"another {table}")
    for option in ("physics", "stabiliser", "output_fields", "output_formats", "diagnostic_forces", "diagnostic_p_fields"):
        result = run.rheoplex("run", *words(**more, **{**lists_, "sensitivity": None, option: lists_[option].replace(",", " ")}), out=run.folder("app_lists"), expect=1)
        has(result.stderr, lists_[option].replace(",", " "), f"-{option}")


def precedence():
    file = write(HERE, "precedence.yaml", YAML)
    result = run.rheoplex("run", file, "-stop_steps", "2", "-case_name", "other", out=run.folder("app_precedence"))
    want(result.table("other_history.csv")["step"][-1] == 2, "the command line does not win")
    result = run.rheoplex("run", "-stop_steps", "3", file, out=run.folder("app_precedence"))
    want(result.table("_history.csv")["step"][-1] == 3, "options before the case are lost")
    result = run.rheoplex("run", "-stop_steps", "1", "-options_file", file, out=run.folder("app_precedence"))
    want(result.table("precedence_history.csv")["step"][-1] == 1, "-options_file is not the case")
    more = write(HERE, "more.yaml", "stop: {steps: 2}\n")
    result = run.rheoplex("run", file, "-options_file", more, out=run.folder("app_precedence"))
    want(result.table("precedence_history.csv")["step"][-1] == 2, "a second file does not win over the case")


def beside_the_case():
    """A mesh and a waveform named relative to the case are found from any folder."""
    folder = f"{HERE}/cases"
    os.makedirs(f"{HERE}/grids", exist_ok=True)
    shutil.copy(f"{run.MESHES}/aaa_100x20.msh", f"{HERE}/grids/tube.msh")
    file = write(folder, "tube.yaml", "mesh: {file: ../grids/tube.msh}\nphysics: newtonian\nphysics_newtonian: {viscosity: 0.1}\nstabiliser: split_oss\nbc_inlet: {type: inlet, velocity: '1-4*y^2,0'}\n"
                 "bc_outlet: {type: outlet}\nbc_wall_bottom: {type: wall}\nbc_wall_top: {type: wall}\nscheme_lumped: {dt: 1e-4}\nstop: {steps: 1}\n")
    has(run.rheoplex("check", file, out=HERE).stdout, "2000", "wall_bottom")
    link = f"{HERE}/linked.yaml"
    os.symlink("cases/tube.yaml", link)
    has(run.rheoplex("check", link, out=HERE).stdout, "2000", "wall_bottom")
    write(folder, "wave.csv", "t,q\n0,1\n1,2\n2,2\n3,1\n")
    pulse = write(folder, "pulse.yaml", open(file).read().replace("velocity: '1-4*y^2,0'", "profile: developed, flow_rate: wave.csv"))
    has(run.rheoplex("check", pulse, out=HERE).stdout, "2000", "wall_bottom")


def stop_criteria():
    result = run.rheoplex("run", *words(stop_steps=None, stop_time="0.025"), out=run.folder("app_stop"))
    want(abs(result.table("_history.csv")["t"][-1] - 0.025) < 1e-15, "the final time is not met")
    has(result.stdout, "final time", "_checkpoint.h5", "cavity.pvd", "_effective.yaml")
    result = run.rheoplex("run", *words(stop_steps="5000", stop_steady_tol="1e-3", diagnostic_forces="top", diagnostic_wall="bottom"), out=run.folder("app_stop"))
    history = result.table("_history.csv")
    want(history["du_dt"][-1] <= 1e-3 and history["dc_dt"][-1] <= 1e-3 and max(history["du_dt"][-2], history["dc_dt"][-2]) > 1e-3, "not stopped at rest")
    has(result.stdout, "steady", "wall bottom:", "_forces.csv")
    want({"top_x", "top_y"} <= set(result.table("_forces.csv")), "no forces")
    result.file("_wall_bottom.csv")
    result = run.rheoplex("run", *words(stop_steps="30", stop_steady_tol="1e9", stop_min_time="0.195"), out=run.folder("app_stop"))
    want(result.table("_history.csv")["step"][-1] == 20, "-stop_min_time is not kept")


def restart():
    whole = run.rheoplex("run", *words(stop_steps="8"), out=run.folder("app_whole"))
    out = run.folder("app_parts")
    half = run.rheoplex("run", *words(output_every="2"), out=out)
    again = run.rheoplex("run", *words(output_every="2", stop_steps="8"), "-case_restart", half.file("_checkpoint.h5"), out=out)
    difference = abs(whole.checkpoint() - again.checkpoint()).max()
    want(difference <= 1e-12, f"the state after a restart differs by {difference}")
    want(again.table("_history.csv")["step"].tolist() == [1, 2, 3, 4, 5, 6, 7, 8], "the history is not continued")
    times, files = run.series(again.file(".pvd"))
    want(len(times) == 5 and times == sorted(times), f"the series is not continued: {times}")


def terminal():
    """A bar on a terminal, none elsewhere."""
    changes = dict(stop_steps="12000", case_report_every="6000")
    result = run.rheoplex("run", *words(**changes), out=run.folder("app_log"))
    want("\r" not in result.stdout and "[#" not in result.stdout, "a bar in a log")
    launched = subprocess.run([os.environ["RHEOPLEX_MPIEXEC"], "-n", "1", run.RHEOPLEX, "run", *words(**changes), "-output_folder", run.folder("app_log")],
                              capture_output=True, text=True, timeout=run.PATIENCE)
    want(launched.returncode == 0 and "\r" not in launched.stdout and "[#" not in launched.stdout, "a bar in a log under mpirun")
    main, side = pty.openpty()
    process = subprocess.Popen([run.RHEOPLEX, "run", *words(**changes), "-output_folder", run.folder("app_terminal")], stdout=side, stderr=side)
    os.close(side)
    text = b""
    while True:
        try:
            piece = os.read(main, 4096)
        except OSError:
            break
        if not piece:
            break
        text += piece
    want(process.wait() == 0, text.decode())
    want(b"\r[#" in text and b"left" in text, "no bar on a terminal")


def slow():
    """Steps that are slow have a line after -case_report_seconds, in a file too and whatever the ranks; the flow is the same, and a short run says what it said."""
    often = dict(mesh_box_faces="16,16", stop_steps="40", case_report_every="100000000", scheme_lumped_dt="0.001")
    lines = lambda result: [int(n) for n in re.findall(r"^ *(\d+) +\S+ +\S+ +\S+ \w ", result.stdout, re.M)]
    for np in 1, 2, 3:
        many, none, usual = (run.rheoplex("run", *words(**often, **more), out=run.folder("app_slow"), np=np) for more in (dict(case_report_seconds="0.0001"), dict(case_report_seconds="0"), {}))
        seconds = lambda result: sum(result.table("_history.csv")["seconds"])
        want(3 <= len(lines(many)) and lines(many)[-1] == 40, f"np {np}: lines of steps {lines(many)} in {seconds(many)} s")
        want(lines(none) == [40], f"np {np}: lines of steps {lines(none)}")
        want(lines(usual) == [40] or seconds(usual) > 25, f"np {np}: lines of steps {lines(usual)} in {seconds(usual)} s, expected one in less than the 30 s of -case_report_seconds")
        same_state(many, none)
    has(run.rheoplex("run", *words(case_report_seconds="-1"), out=HERE, expect=1).stderr, "-case_report_seconds", "-1", ">= 0")


def no_leak():
    result = run.rheoplex("run", *words(diagnostic_forces="top", diagnostic_wall="bottom"), "-malloc_debug", "-malloc_dump", "-malloc_view", out=run.folder("app_leak"))
    text = result.stdout + result.stderr
    has(text, "Maximum memory PetscMalloc()ed")
    want(not re.search(r"^ *\[ *\d+\] *\d+ bytes|Total space allocated", text, re.M), text)


def main():
    try:
        globals().get(sys.argv[1] + "_", globals().get(sys.argv[1]))()
    except run.Failure as failure:
        print(failure)
        return 1
    return 0


sys.exit(main())
