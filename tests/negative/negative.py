"""Bad input: one message that says got and expected, exit code 1, nothing already written lost."""
import math
import os
import re
import sys

import run

LABELS = ("left", "right", "bottom", "top")
SOUND = {
    "case_name": "bad", "mesh_box_faces": "4,4", "mesh_box_lower": "0,0", "mesh_box_upper": "1,1",
    "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": "0.01", "physics_oldroydb_viscosity": "0.01",
    "physics_oldroydb_lambda": "0.1", "stabiliser": "split_oss", "bc_left_type": "wall", "bc_right_type": "wall",
    "bc_bottom_type": "wall", "bc_top_type": "moving_wall", "bc_top_velocity": "16*x^2*(1-x)^2,0",
    "scheme_lumped_dt": "0.01", "stop_steps": "2",
}
HERE = run.folder("negative")


def case(**changes):
    """Words of a sound case with changes; None leaves an option out."""
    return [word for key, value in {**SOUND, **changes}.items() if value is not None for word in (f"-{key}", value)]


def refused(words, *expected, np=1, verb="run", out=None, extra_lines=False):
    """Runs, wants exit code 1 and one message with every expected word."""
    out = out or f"{HERE}/out"
    result = run.rheoplex(verb, *words, out=out, np=np, expect=None, timeout=50)
    text = result.stdout + result.stderr
    messages = [line for line in result.stderr.splitlines() if "error" in line.lower()]
    faults = []
    if result.rc != 1:
        faults.append(f"exit code {result.rc}, expected 1")
    if len([line for line in messages if line.startswith("rheoplex: error: ")]) != 1:
        faults.append("not one line that begins with 'rheoplex: error: '")
    if np == 1 and not extra_lines and len(result.stderr.splitlines()) != 1:
        faults.append("more than one line of errors")
    if "PETSC ERROR" in text or "HDF5-DIAG" in text:
        faults.append("stack of a library")
    message = next((line for line in messages if line.startswith("rheoplex: error: ")), "")
    faults += [f"'{word}' is not in the message" for word in expected if word not in message]
    print(message)
    if faults:
        raise run.Failure("; ".join(faults) + f"\n--- stdout\n{result.stdout[-2000:]}\n--- stderr\n{result.stderr[-4000:]}")
    return result


def write(name, text, mode="w"):
    path = f"{HERE}/{name}"
    with open(path, mode) as f:
        f.write(text)
    return path


def gmsh(nodes, quads, edges):
    """A Gmsh 2.2 file of quads with boundary edges under the physical name 'all'."""
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "2", '1 1 "all"', '2 2 "fluid"', "$EndPhysicalNames", "$Nodes", str(len(nodes))]
    lines += [f"{i + 1} {x} {y} 0" for i, (x, y) in enumerate(nodes)]
    lines += ["$EndNodes", "$Elements", str(len(quads) + len(edges))]
    elements = [(1, 1, e) for e in edges] + [(3, 2, q) for q in quads]
    lines += [f"{i + 1} {kind} 2 {tag} {tag} " + " ".join(map(str, rows)) for i, (kind, tag, rows) in enumerate(elements)]
    return "\n".join(lines + ["$EndElements", ""])


def unknown_option(_):
    refused(case(scheme_lumped_ddt="0.1"), "-scheme_lumped_ddt", "-scheme_lumped_dt?")


def solver_option_without_prefix(_):
    refused(case(ksp_rtol="0.1"), "-ksp_rtol", "-pressure_ksp_rtol")


def unknown_petsc_option(_):
    refused(case(ksp_rtoll="0.1"), "ksp_rtoll")


def unread_option(_):
    refused(case(physics_oldroydb_lambda=None, physics_oldroydb_viscosity=None, physics="newtonian", stabiliser_devss_theta="1"), "got -stabiliser_devss_theta beside -stabiliser split_oss, expected 'devss' among -stabiliser,",
            "or no options of it (a case file without its block stabiliser_devss)")
    refused(case(physics="newtonian,ptt", physics_ptt_viscosity="0.3", physics_ptt_lambda="0.7", physics_ptt_epsilon="0.2"), "beside -physics newtonian,ptt, expected 'oldroydb' among -physics, or no options of it (a case file without its block physics_oldroydb)")
    refused(case(stabiliser="devss_g, split_oss", stabiliser_devss_theta="0.5"), "got -stabiliser_devss_theta beside -stabiliser devss_g, split_oss, expected 'devss' among")
    refused(case(scheme="lumped", scheme_monolithic_dt="0.01"), "got -scheme_monolithic_dt beside -scheme lumped, expected 'monolithic' among -scheme")


def unknown_law(_):
    refused(case(physics="newtonia"), "newtonia", "newtonian", "oldroydb", "-physics")


def unknown_stabiliser(_):
    refused(case(stabiliser="split_os"), "split_os", "split_oss", "-stabiliser")


def unknown_scheme(_):
    refused(case(scheme="lumpy"), "lumpy", "lumped", "-scheme")
    refused(case(scheme="euler"), "euler", "lumped", "-scheme")


def label_without_faces(_):
    refused(case(bc_inlett_type="wall"), "inlett", *LABELS, "4 faces")


def diagnostic_label(_):
    refused(case(diagnostic_forces="cylinder"), "cylinder", *LABELS, "4 faces", "-diagnostic_forces")


def boundary_without_condition(_):
    refused(case(bc_left_type=None), *LABELS, "4 faces", "bc_")


def unknown_condition(_):
    refused(case(bc_left_type="wal"), "wal", "moving_wall", "-bc_left_type")


def negative_viscosity(_):
    refused(case(physics_newtonian_viscosity="-1"), "-physics_newtonian_viscosity", "-1", "> 0", "Pa s")


def missing_mesh(_):
    refused(case(mesh_file="nowhere/no.msh", mesh_box_faces=None, mesh_box_lower=None, mesh_box_upper=None), "nowhere/no.msh", "No such file")


def truncated_mesh(_):
    with open(f"{run.MESHES}/aaa_100x20.msh", "rb") as f:
        whole = f.read()
    path = write("half.msh", whole[:len(whole) // 2], "wb")
    refused(case(mesh_file=path, mesh_box_faces=None, mesh_box_lower=None, mesh_box_upper=None), "half.msh", "expected")
    with open(f"{run.SOURCE}/tests/fuzz/corpus/hdf5/good_storage_3.h5", "rb") as f:
        whole = bytearray(f.read())
    whole[6111] = 222  # HDF5 leaves objects open, of which it speaks when it is closed
    refused(case(mesh_file=write("byte.h5", whole, "wb"), mesh_box_faces=None, mesh_box_lower=None, mesh_box_upper=None), "byte.h5", "damaged")


def without_nodes(_):
    mesh = dict.fromkeys(("mesh_box_faces", "mesh_box_lower", "mesh_box_upper"))
    refused(case(**mesh, mesh_file=write("none.msh", gmsh([], [], []))), "none.msh", "has no nodes before $Elements", "one at least")
    square = gmsh([(0, 0), (1, 0), (1, 1), (0, 1)], [(1, 2, 3, 4)], [(1, 2), (2, 3), (3, 4), (4, 1)])
    refused(case(**mesh, mesh_file=write("name.msh", square.replace('"all"', f'"{300 * "a"}"'))), "name.msh", "expected a physical name of at most 255 characters in quotes")


def inverted_element(_):
    nodes = [(x, y) for y in (0, 1, 2) for x in (0, 1, 2)]
    nodes[4] = (2.5, 2.5)  # the middle node outside of the square
    quads = [(1, 2, 5, 4), (2, 3, 6, 5), (4, 5, 8, 7), (5, 6, 9, 8)]
    path = write("bow.msh", gmsh(nodes, quads, [(1, 2), (2, 3), (3, 6), (6, 9), (9, 8), (8, 7), (7, 4), (4, 1)]))
    refused(case(mesh_file=path, mesh_box_faces=None, mesh_box_lower=None, mesh_box_upper=None), "bow.msh", "Jacobian")


def other_abi(library):
    refused(case(plugin=library), "other_abi.so", "lanes is", "expected")


def missing_plugin(_):
    refused(case(plugin="nowhere/law.so"), "nowhere/law.so")


def two_pressure_stabilisers(_):
    refused(case(stabiliser="gls,split_oss"), "gls", "split_oss", "pressure", "-stabiliser")


def pressure_of_scheme_and_stabiliser(_):
    refused(case(scheme_lumped_pressure="dissipation"), "lumped", "both provide pressure stability", "-stabiliser_<name>_parts")


def no_pressure_stabiliser(_):
    refused(case(stabiliser="devss"), "pressure", "gls", "split_oss", "-stabiliser")


def formula(_):
    refused(case(bc_top_velocity="1+*x,0"), "bc_top_velocity", "1+*x")


def truncated_checkpoint(_):
    result = run.rheoplex("run", *case(), out=f"{HERE}/first")
    with open(result.file("_checkpoint.h5"), "rb") as f:
        whole = f.read()
    path = write("half.h5", whole[:len(whole) // 2], "wb")
    refused(case(case_restart=path, stop_steps="4"), "half.h5")


def foreign_checkpoint(_):
    result = run.rheoplex("run", *case(), out=f"{HERE}/first")
    refused(case(case_restart=result.file("_checkpoint.h5"), stop_steps="4", mesh_box_faces="5,5"), "_checkpoint.h5", "25", "36")
    newtonian = {**dict.fromkeys(("physics_oldroydb_viscosity", "physics_oldroydb_lambda")), "physics": "newtonian", "bc_bottom_type": "symmetry"}
    plane = run.rheoplex("run", *case(**newtonian), out=f"{HERE}/plane")
    turned = {**newtonian, "case_restart": plane.file("_checkpoint.h5"), "stop_steps": "4", "form_axisymmetric": "true"}
    refused(case(**turned), "_checkpoint.h5", "axisymmetric flow (-form_axisymmetric): got 0, expected 1", "-case_restart_fields")
    for words in (case(**turned, case_restart_fields="flow"), case(**{**turned, "form_axisymmetric": "false"})):
        run.rheoplex("run", *words, out=f"{HERE}/out")
    import h5py
    with h5py.File(plane.file("_checkpoint.h5"), "a") as f:
        del f.attrs["axisymmetric"]  # as earlier versions wrote it
    run.rheoplex("run", *case(**turned), out=f"{HERE}/out")
    refused(case(case_restart=HERE), 'cannot be read: got "Is a directory"')
    for option, value in (("case_restart_mesh", "map"), ("case_restart_fields", "flow"), ("restart_missing_fields", "initial")):
        refused(case(**{option: value}), f"-{option}: got it without a checkpoint")


def output_folder(_):
    refused(case(), "-output_folder", "plain/out", out=write("plain", "a file\n") + "/out")


def clearly_lost(_):
    words = case(scheme_lumped_dt="40", stop_steps="200", physics_newtonian_viscosity="1")
    refused(words, "the run is clearly lost", "got a velocity of", "expected at most", "-case_velocity", "-stop_lost", "last good state")
    # At rest under a force that grows, half of rho g t above the mean: beyond 10 rho U^2 in step 20, seen in 32.
    refused(case(bc_top_type="wall", bc_top_velocity=None, form_body_force="0,-100*t", stop_lost="10", stop_steps="100"), "got a pressure of 1", " m, t = 0.32 s",
            "expected at most 10 Pa, 10 times (-stop_lost) the largest of rho U^2, eta U/D")
    # A lid that is speeded up without end, fastest in its middle.
    for np_ in 1, 2:
        refused(case(mesh_box_faces="4,4", bc_top_velocity="1e9*t*x*(1-x),0", initial_velocity=None, stop_steps="1000"), "got a velocity of ", " m/s at (0.5, 1) m, t = ", np=np_, extra_lines=True)
    # u = (x, -y): c_xx grows as exp(1.8 t) from 1 to 20 (1 + (lambda U/D)^2) = 2020.
    stretch = {f"bc_{label}_{key}": value for label in LABELS for key, value in (("type", "inlet"), ("velocity", "x,-y"), ("polymer", "rest" if label in ("top", "bottom") else "free"))}
    stretched = case(**stretch, mesh_box_lower="-1,-1", initial_velocity="x,-y", physics_oldroydb_lambda="10", physics_oldroydb_viscosity="1e-6", physics_newtonian_viscosity="1",
                     polymer_variable="conformation", stop_lost="20", stop_steps="1000")
    refused(stretched, "got a size of a mode of 2", "expected at most 2020, 20 times (-stop_lost)", "1 + (lambda U/D)^2")
    if run.rheoplex("run", *case(scheme_lumped_dt="40", stop_steps="20", physics_newtonian_viscosity="1", stop_lost="0"), out=f"{HERE}/out", expect=None).stderr.count("clearly lost"):
        raise run.Failure("-stop_lost 0: a run is called lost")


def not_finite(_):
    words = case(scheme_lumped_dt="40", stop_steps="200", output_every="1", physics_newtonian_viscosity="1", stop_lost="0")
    result = refused(words, "not finite", "last good state", "_last_good.h5", " at (", "t = ", "dt = 40", "Wi")
    import h5py
    import numpy as np

    with h5py.File(result.file("_last_good.h5")) as f:
        state = f["state"][...]
    if not np.all(np.isfinite(state)):
        raise run.Failure("the last good state is not finite")
    history = result.table("_history.csv")
    times, files = run.series(result.file(".pvd"))
    if not len(history["step"]) or not all(math.isfinite(v) for v in history["t"]) or not files:
        raise run.Failure("what was written before is lost")
    if len(run.Fields(files[-1]).points) != 25:
        raise run.Failure("the last fields cannot be read")


def indefinite_end(_):
    words = case(mesh_box_faces="8,8", physics_newtonian_viscosity="0.5", physics_oldroydb_viscosity="0.5", physics_oldroydb_lambda="10", scheme_lumped_dt="0.005", stop_steps="200")
    for more, np in (([], 1), ([], 2), (["-polymer_variable", "logconf"], 1)):
        result = run.rheoplex("run", *words, *more, out=f"{HERE}/out", np=np)
        n = int(result.table("_history.csv")["indefinite_nodes"][-1])
        said = result.stderr.count("rheoplex: warning: the conformation is not positive definite at the end: got ")
        print(result.stderr)
        if (n > 0) != (not more) or said != (n > 0) or (said and f"got {n} of 81 (nodes and modes)" not in result.stderr):
            raise run.Failure(f"{n} nodes of {more}, np {np}, said {said} times")
        if "-stabiliser_devss_theta" in result.stderr:
            raise run.Failure("devss is advised beside a solvent")
    for length, np, lasting in ((0.5, 1, True), (0.5, 2, True), (2, 1, False)): # D/U; 1 s are run
        result = run.rheoplex("run", *words, "-case_length", length, out=f"{HERE}/out", np=np)
        told = re.findall(r"warning: the conformation has not been positive definite since t = (\S+) s: got (\d+) of 81", result.stdout)
        table = result.table("_history.csv")
        first = next(float(t) for t, n in zip(table["t"], table["indefinite_nodes"]) if n > 0)
        later = [int(n) for t, n in zip(table["t"], table["indefinite_nodes"]) if float(t) - first > length]
        if len(told) != lasting or (lasting and (abs(float(told[0][0]) - first) > 1e-9 or int(told[0][1]) != later[0])):
            raise run.Failure(f"D/U {length}, np {np}: told {told}, indefinite from {first}")
    melt = case(mesh_box_faces="8,8", physics="oldroydb", physics_newtonian_viscosity=None, physics_oldroydb_viscosity="1", physics_oldroydb_lambda="10", scheme_lumped_dt="0.005", stop_steps="200", stabiliser=None)
    for more, advised in ([], True), (["-stabiliser_devss_theta", "0.01"], False):
        text = run.rheoplex("run", *melt, *more, out=f"{HERE}/out").stderr
        print(text)
        if ("-polymer_variable logconf and, without a solvent, -stabiliser_devss_theta 1, or a finer mesh" in text) != advised:
            raise run.Failure(f"without a solvent, {more}: got '{text}'")
    # with the logarithm too, which steps of ten relaxation times make too large for its exponential
    told = lambda *more: "".join(line for line in run.rheoplex("run", *words, "-physics_newtonian_viscosity", 0.001, "-physics_oldroydb_lambda", 0.01, "-scheme_lumped_dt", 0.1, "-stop_steps", 10, "-stop_lost", 0, "-case_length", 0.001, "-case_report_every", 1, *more, out=f"{HERE}/out", expect=None).stdout.splitlines() if "positive definite since" in line)
    plain, logarithm = told(), told("-polymer_variable", "logconf")
    print(plain, logarithm)
    if "there: -polymer_variable logconf, or a finer mesh" not in plain or "there: a shorter time step (-scheme_lumped_cfl, -scheme_lumped_dt), or a finer mesh" not in logarithm:
        raise run.Failure(f"got '{plain}', with the logarithm '{logarithm}'")


def no_stop(_):
    refused(case(stop_steps=None), "-stop_time", "-stop_steps", "-stop_steady_tol")


def missing_case(_):
    refused(["nowhere/no.yaml"], "nowhere/no.yaml", "No such file")
    refused([os.path.dirname(write("empty.yaml", ""))], "cannot read the case", "Is a directory")
    refused([write("empty.yaml", "")], "empty.yaml is empty: expected a case")


def case_name_hidden(_):
    for name in (".", "..", ".hidden"):
        refused(case(case_name=name), f"-case_name: got '{name}'", "does not begin with '.'")


def yaml_syntax(_):
    refused([write("syntax.yaml", "physics: newtonian\nmesh: {box_faces: '4,4'}\nbc: {left: {type: wall}\nstop: {steps: 1}\n")], "syntax.yaml", "line 3")


def yaml_list(_):
    refused([write("list.yaml", "- physics\n- newtonian\n")], "list.yaml", "line 1", "mapping")


def yaml_twice(_):
    refused([write("twice.yaml", "bc_left: {type: wall}\nbc_left: {type: outlet}\n")], "twice.yaml", "bc_left_type", "twice")


def two_cases(_):
    refused([write("a.yaml", "physics: newtonian\n"), write("b.yaml", "physics: newtonian\n")], "b.yaml")


def two_ranks(_):
    refused(case(bc_left_type=None), *LABELS, "4 faces", np=2)


def one_rank_message(_):
    """What only one rank can see (a file) is said once, and both ranks end."""
    refused(case(mesh_file="nowhere/no.msh", mesh_box_faces=None, mesh_box_lower=None, mesh_box_upper=None), "nowhere/no.msh", np=2)


def main():
    try:
        globals()[sys.argv[1]](sys.argv[2])
    except run.Failure as failure:
        print(failure)
        return 1
    return 0


sys.exit(main())
