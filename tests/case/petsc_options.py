"""PETSc's options of a TS: each acts or is refused with one sentence; monitors see the present state, on a device too.
petsc_options.py <check> [cuda]"""
import re
import subprocess
import sys

import numpy as np
import run

CAVITY = {"case_name": "cavity", "mesh_box_faces": "6,6", "bc_left_type": "wall", "bc_right_type": "wall", "bc_bottom_type": "wall",
          "bc_top_type": "moving_wall", "bc_top_velocity": "16*x^2*(1-x)^2,0", "form_density": "3", "physics": "newtonian,oldroydb",
          "physics_newtonian_viscosity": "0.05", "physics_oldroydb_viscosity": "0.03", "physics_oldroydb_lambda": "0.1",
          "stabiliser": "split_oss", "scheme_lumped_dt": "0.01", "stop_steps": "4", "pressure_ksp_rtol": "1e-13"}
DEVICE = ["cpu"]


def go(expect=0, out=None, device=None, **changes):
    words = [w for k, v in {**CAVITY, "device": device or DEVICE[0], **changes}.items() if v is not None for w in ("-" + k, str(v)) if w != ""]
    return run.rheoplex("run", *words, out=out or run.folder("petsc_options"), expect=expect, timeout=120)


def true(what, good, text=""):
    print(f"{'ok  ' if good else 'FAIL'} {what}", flush=True)
    if not good:
        raise run.Failure(f"{what}\n{text}")


REFUSED = {
    "ts_type": [("euler", "-ts_type: got 'euler', expected lumped"), ("bdf", "-ts_type: got 'bdf', expected lumped")],
    "ts_exact_final_time": [("stepover", "expected matchstep"), ("interpolate", "expected matchstep")],
    "ts_dt": [("0.02", "-ts_dt and -scheme_lumped_dt are the same thing")],
    "ts_max_steps": [("9", "-ts_max_steps and -stop_steps are the same thing")],
    "ts_adapt_type": [("basic", "-scheme_lumped_cfl")], "ts_adapt_clip": [("0.1,2", "-scheme_lumped_cfl")],
    "ts_adapt_monitor": [("", "-scheme_lumped_cfl")], "ts_adapt_safety": [("0.5", "-scheme_lumped_cfl")],
    "ts_adapt_dt_min": [("1e-6", "-scheme_lumped_dt_min")], "ts_adapt_dt_max": [("1", "-scheme_lumped_dt,")],
    "ts_rtol": [("1e-3", "-scheme_lumped_cfl")], "ts_max_reject": [("3", "-scheme_lumped_cfl")],
    "ts_time_span": [("0,1", "-output_dt")], "ts_save_trajectory": [("", "-output_checkpoint_every")],
    "ts_monitor": [("draw", "got 'draw', expected a viewer of type ascii"), ("socket", "got 'socket'")], "ts_view": [("draw", "got 'draw'")],
    "ts_monitor_extreme": [("hdf5:a.h5", "got 'hdf5:a.h5'")], "ts_monitor_solution": [("draw", "type ascii|binary|hdf5|vtk"), ("nosuch:a", "got 'nosuch:a'")],
    "ts_view_solution": [("socket", "got 'socket'")], "ts_monitor_lg_solution": [("", "-ts_monitor_solution")],
    "ts_monitor_draw_solution": [("", "-ts_monitor_solution")], "ts_monitor_envelope": [("", "_history.csv")],
    "ts_monitor_frequency": [("2", "-ts_monitor")], "ts_max_snes_failures": [("2", "has no such part")], "ts_error_if_step_fails": [("0", "has no such part")], "ts_fd_color": [("", "has no such part")],
    "ts_rhs_jacobian_test_mult": [("", "has no such part")], "ts_adjoint_solve": [("", "has no such part")],
    "snes_type": [("newtonls", "a step of this scheme has none")], "snes_monitor": [("", "a step of this scheme has none")], "ksp_view": [("", "expected -pressure_ksp_view")],
    "pc_gamg_threshold": [("0.1", "expected -pressure_pc_gamg_threshold")], "ts_nosuch": [("1", "has no such part")]}


PETSC_HAS_CUDA = "no CUDA" not in subprocess.run([run.RHEOPLEX, "--version"], capture_output=True, text=True).stdout


def refused():
    for name, rows in REFUSED.items():
        for value, words in rows:
            result = go(expect=None, **{name: value})
            lines = result.stderr.splitlines()
            good = result.rc == 1 and len(lines) == 1 and lines[0].startswith("rheoplex: error: ") and words in lines[0] and "-" + name in lines[0]
            true(f"-{name} {value}: {lines[0][17:] if lines else result.rc}", good, result.stdout + result.stderr)
    for name in ("device_enable", "root_device_context_device_type"):
        result = go(expect=None, **{name: "lazy" if name == "device_enable" else "host"})
        true(f"-{name}: refused where PETSc has no devices", (f"-{name}: got it with a PETSc that has no devices" in result.stderr) != PETSC_HAS_CUDA and result.rc == (0 if PETSC_HAS_CUDA else 1), result.stderr)
    result = go(expect=None, ts_init_time="1", case_restart="nowhere.h5")
    true("-ts_init_time beside a restart", result.rc == 1 and "-ts_init_time: got it beside -case_restart" in result.stderr, result.stderr)


STEADY = {"scheme": "steady", "scheme_lumped_dt": None, "stop_steps": None, "physics": "newtonian", "physics_oldroydb_viscosity": None, "physics_oldroydb_lambda": None, "output_fields": "false", "pressure_ksp_rtol": None}
MONOLITHIC = {**STEADY, "scheme": "monolithic", "scheme_monolithic_dt": "0.01", "stop_steps": "2"}
BDF2 = {**STEADY, "scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": "0.01", "stop_steps": "2"}
LUMPED = {"stop_steps": "2", "output_fields": "false"}

# Viewers and levels that PETSc would do nothing with, write unreadable files by or end the program at: scheme, options, words of the sentence.
NOTHING = [
    *((scheme, options, words) for scheme in (STEADY, MONOLITHIC) for options, words in (
        ({"snes_monitor_fields": "draw"}, "type ascii"), ({"snes_monitor_lg_range": ""}, "expected -snes_monitor_range"),
        *(({name: f"{kind}:z"}, f"got '{kind}:z', expected a viewer of type ascii") for name in ("snes_monitor_solution", "snes_monitor_residual", "ksp_view_solution", "ksp_view_rhs", "ksp_view_mat")
          for kind in ("hdf5", "vtk")), ({"snes_view_solution": "draw"}, "type ascii|binary|hdf5|vtk"), ({"snes_monitor": "draw"}, "type ascii"), ({"snes_view": "draw"}, "got 'draw'"),
        ({"ksp_monitor": "binary:z"}, "type ascii"), ({"ksp_monitor_solution": "draw"}, "type ascii"), ({"ksp_view_mat": "binary:z"}, "type ascii"), ({"dm_view": "draw"}, "type ascii|hdf5|vtk"),
        ({"snes_grid_sequence": "1"}, "expected 0"), ({"pc_type": "mg", "pc_mg_levels": "2"}, "-pc_mg_levels: got 2 with -pc_type mg"))),
    *((scheme, {prefix + k: v for k, v in options.items()}, words) for scheme, prefix in ((LUMPED, "pressure_"), (BDF2, "momentum_"), (BDF2, "pressure_")) for options, words in (
        ({"ksp_monitor_solution": "hdf5:z"}, "got 'hdf5:z', expected a viewer of type ascii"), ({"ksp_view_solution": "vtk:z"}, "type ascii|binary|hdf5"), ({"ksp_view": "draw"}, "got 'draw'"),
        ({"ksp_view_mat": "hdf5:z"}, "type ascii|binary"), ({"ksp_monitor": "draw"}, "got 'draw'"), ({"pc_type": "mg", "pc_mg_levels": "3"}, "pc_mg_levels: got 3 with"))),
    *((BDF2, {prefix + k: v}, words) for prefix in ("pressure_", "momentum_") for k, v, words in (
        ("ksp_plot_eigenvalues", "", "ksp_view_eigenvalues, to ascii"), ("ksp_plot_eigencontours", "", "ksp_view_eigenvalues, to ascii"), ("ksp_view_eigenvalues_explicit", "draw", "type ascii"),
        ("ksp_view_preconditioned_operator_explicit", "draw", "type ascii|binary"), ("ksp_view_diagonal_scale", "", f"got it without -{prefix}ksp_diagonal_scale"))),
    (STEADY, {"pc_type": "fieldsplit", "fieldsplit_velocity_ksp_monitor": "draw"}, "got 'draw', expected a viewer of type ascii"), (LUMPED, {"log_view": "draw"}, "got 'draw', expected a viewer of type ascii"),
    *((scheme, {name: "2" if "lag" in name else "true"}, f"got it with -scheme {scheme['scheme']}, expected {words}") for scheme, name, words in (
        (STEADY, "snes_lag_preconditioner", "-pc_renew"), (MONOLITHIC, "snes_lag_jacobian", "-pc_renew"), (MONOLITHIC, "ksp_reuse_preconditioner", "-pc_renew"), (STEADY, "snes_mf_operator", "none of differences"))),
    (STEADY, {"pc_type": "graph_mg"}, "got graph_mg, which is for the matrix of a pressure alone"), (MONOLITHIC, {"pc_type": "graph_inverse"}, "got graph_inverse, which is for the matrix of a pressure alone"),
    (STEADY, {"solver": "split", "fieldsplit_flow_pc_type": "graph_mg"}, "got graph_mg, which is for the matrix of a pressure alone"),
    (MONOLITHIC, {"ksp_type": "graph_cg"}, "got graph_cg, which is for the matrix of a pressure alone"), (STEADY, {"solver": "points", "fieldsplit_flow_ksp_type": "graph_cg"}, "got graph_cg, which is"),
    *((MONOLITHIC, {name: value}, "expected it with -ts_adapt_type basic") for name, value in (("ts_rtol", "1e-3"), ("ts_adapt_dt_max", "0.005"))),
    *((MONOLITHIC, {"ts_adapt_type": kind}, f"got '{kind}', which these integrators cannot be used with") for kind in ("cfl", "history")),
    (MONOLITHIC, {"ts_adapt_type": "basic", "scheme_monolithic_cfl": "0.5"}, "beside -ts_adapt_type basic, and both choose the time step"),
    (MONOLITHIC, {"ts_adapt_type": "basic", "ts_type": "theta"}, "with which its pressure grows without bound"),
    (LUMPED, {"log_view": "nosuch"}, "got 'nosuch'"), (LUMPED, {"log_view_memory": ""}, "got it without -log_view"), (LUMPED, {"log_view_gpu_time": ""}, "got it without -log_view"),
    (LUMPED, {"mat_view": "hdf5:z"}, "type ascii|binary"), (LUMPED, {"dm_view": "binary:z"}, "type ascii|hdf5|vtk")]


def nothing():
    for scheme, options, words in NOTHING:
        result = go(expect=None, **scheme, **options)
        lines, name = result.stderr.splitlines(), list(options)[-1]
        good = result.rc == 1 and len(lines) == 1 and lines[0].startswith("rheoplex: error: ") and words in lines[0] and "-" + name in lines[0]
        true(f"{scheme.get('scheme', 'lumped')}, -{name} {options[name]}: {lines[0][17:] if lines else result.rc}", good, result.stdout + result.stderr)
    harmless = {"snes_lag_jacobian": "1", "snes_lag_preconditioner": "1", "snes_mf": "false", "ksp_reuse_preconditioner": "no"}
    result = go(expect=None, **MONOLITHIC, **harmless)
    true(f"values that change nothing are taken: {result.stderr.strip()}", result.rc == 0, result.stdout + result.stderr)


# Types that PETSc does not have: scheme, options, the last of them refused; a type that is there; what is meant.
TYPES = [
    (LUMPED, {"pressure_ksp_type": "cgs2"}, ("cg", "gmres"), "cgs"), (LUMPED, {"pressure_pc_type": "gmag"}, ("gamg", "jacobi"), "gamg"), (LUMPED, {"pressure_pc_type": "gamg", "pressure_mg_levels_ksp_type": "chebychev"}, ("chebyshev",), "chebyshev"),
    (LUMPED, {"pressure_pc_type": "gamg", "pressure_pc_gamg_type": "ag"}, ("agg", "classical"), None), (LUMPED, {"sf_type": "basik"}, ("basic",), "basic"), (LUMPED, {"petscpartitioner_type": "simpel"}, ("simple",), "simple"),
    (STEADY, {"pc_type": "lu", "pc_factor_mat_solver_type": "petsc", "pc_factor_mat_ordering_type": "nested"}, ("nd", "rcm", "natural"), None),
    (LUMPED, {"pressure_ksp_guess_type": "fisher"}, ("fischer", "pod"), "fischer"), (LUMPED, {"pressure_pc_type": ""}, ("gamg",), None), (LUMPED, {"vec_type": "plain"}, ("standard",), None),
    (BDF2, {"momentum_ksp_type": "bcsg"}, ("bcgs",), "bcgs"), (BDF2, {"momentum_pc_type": "jacobbi"}, ("jacobi",), "jacobi"),
    *((scheme, options, listed, meant) for scheme in (STEADY, MONOLITHIC) for options, listed, meant in (
        ({"ksp_type": "gmress"}, ("gmres", "fgmres"), "gmres"), ({"pc_type": "loo"}, ("lu", "fieldsplit", "renew"), None), ({"snes_type": "newtonlss"}, ("newtonls",), "newtonls"), ({"snes_linesearch_type": "backtrack"}, ("bt", "basic"), None),
        ({"pc_type": "lu", "pc_factor_mat_solver_type": "mumsp"}, ("petsc",), None), ({"pc_type": "fieldsplit", "fieldsplit_velocity_pc_type": "ilut"}, ("ilu",), "ilu"), ({"pc_type": "asm", "sub_pc_type": "ilut"}, ("ilu",), "ilu"))),
    (MONOLITHIC, {"ts_adapt_type": "basics"}, ("none", "basic"), "basic")]


def types():
    for scheme, options, listed, meant in TYPES:
        result = go(expect=None, **scheme, **options)
        lines, name = result.stderr.splitlines(), list(options)[-1]
        said = lines[0] if lines else ""
        words = re.split(r"[ ,:;]+", said)
        good = result.rc == 1 and len(lines) == 1 and said.startswith(f"rheoplex: error: -{name}: got '{options[name]}', expected ") and " that this PETSc has: " in said and all(word in words for word in listed) and not {"cholmod", "bas"} & set(words)
        true(f"{scheme.get('scheme', 'lumped')}, -{name} {options[name]}: {said[17:120]}", good and (not meant or f"did you mean '{meant}'?" in said), result.stdout + result.stderr)
    for scheme, option, type_ in (STEADY, "pc_type", "shell"), (STEADY, "pc_type", "vpbjacobi"), (MONOLITHIC, "sub_pc_type", "bddc"), (LUMPED, "pressure_pc_type", "galerkin"):
        result = go(expect=None, **scheme, **{"pc_type": "asm"} if option[:3] == "sub" else {}, **{option: type_})
        said = result.stderr.strip()
        true(f"{option} {type_}: {said[17:120]}", result.rc == 1 and said.count("\n") == 0 and f"-{option}: got '{type_}', which needs " in said and "bjacobi" in said, result.stdout + result.stderr)
    go(**STEADY, pc_type="lu", pc_factor_mat_solver_type="PETSc", snes_linesearch_type="basic", ksp_type="fgmres")


def written():
    """Files of viewers that are allowed hold the state; multigrid of one level and of the matrix solves."""
    import h5py

    def velocity(values):
        """Sorted: nodes of a rank have an order of their own; the pressure of a closed flow has a level that is set afterwards."""
        return np.sort(values.reshape(-1, 3)[:, :2].ravel())

    folder = run.folder("petsc_options")
    for scheme, name in ((STEADY, "steady"), (MONOLITHIC, "monolithic")):
        done = go(**scheme, snes_view_solution=f"hdf5:{folder}/{name}.h5", snes_monitor_solution=f"binary:{folder}/{name}.bin")
        state = done.checkpoint().ravel()
        with h5py.File(f"{folder}/{name}.h5") as f:
            last = f["fields/state"][...].ravel()[-len(state):]
        true(f"{name}: -snes_view_solution hdf5: is the state at the end", np.abs(velocity(last) - velocity(state)).max() <= 1e-12)
        blocks = np.frombuffer(open(f"{folder}/{name}.bin", "rb").read(), ">f8")[1:]
        true(f"{name}: -snes_monitor_solution binary: ends with it", np.abs(velocity(blocks[-len(state):]) - velocity(state)).max() <= 1e-12)
    done = go(**LUMPED, pressure_ksp_view_solution=f"hdf5:{folder}/p.h5", dm_view=f"hdf5:{folder}/dm.h5")
    with h5py.File(f"{folder}/p.h5") as f:
        true("-pressure_ksp_view_solution hdf5: holds a value a node", [len(f[k]) for k in f] == [49], str({k: f[k].shape for k in f}))
    with h5py.File(f"{folder}/dm.h5") as f:
        true("-dm_view hdf5: holds the nodes", f["geometry/vertices"].shape == (49, 2))
    for pc in {"pc_type": "gamg", "ksp_max_it": "2000"}, {"pc_type": "asm", "sub_pc_type": "ilu"}, {"pc_type": "mg", "pc_mg_levels": "1"}:
        true(f"a preconditioner of the matrix alone: {pc}", go(**STEADY, **pc).rc == 0)


def acts():
    """Step, end and start by TS's names do what ours do; views and monitors print."""
    ours = go(scheme_lumped_dt="0.02", stop_steps=None, stop_time="0.09")
    for name in ("ts_dt", "ts_time_step"):
        theirs = go(scheme="lumped", scheme_lumped_dt=None, **{name: "0.02"}, stop_steps=None, ts_max_time="0.09")
        true(f"-{name}, -ts_max_time: the same state", np.array_equal(ours.checkpoint(), theirs.checkpoint()))
        true("the last step ends there", theirs.table("_history.csv")["t"][-1] == 0.09)
    effective = open(theirs.file("_effective.yaml")).read()
    true("the options kept say it in our words", "ts_" not in effective and "0.09" in effective, effective)
    t = go(stop_steps=None, ts_max_steps="3", ts_init_time="5").table("_history.csv")
    true("-ts_max_steps, -ts_init_time", len(t["t"]) == 3 and abs(t["t"][-1] - 5.03) < 1e-12, str(t["t"]))
    bad = go(expect=None, scheme="lumped", scheme_lumped_dt=None, ts_dt="soon")
    true("-ts_dt soon", bad.rc == 1 and 'Option -scheme_lumped_dt: got "soon"' in bad.stderr, bad.stderr)
    text = go(ts_monitor="", ts_view="", ts_type="lumped", ts_exact_final_time="matchstep").stdout
    true("-ts_monitor: a line a step", len(re.findall(r"^\d+ TS dt 0.01 time ", text, re.M)) == 5, text)
    true("-ts_view", "type: lumped" in text and "forward Euler, pressure by projection" in text, text)
    true("-ts_monitor_cancel", "TS dt" not in go(ts_monitor="", ts_monitor_cancel="").stdout)
    true("-ts_monitor_extreme", len(re.findall(r"^\d+ TS dt .* max \S+ min \S+$", go(ts_monitor_extreme="").stdout, re.M)) == 5)


def solutions(text):
    """The Vecs that -ts_monitor_solution printed, in turn."""
    out, now = [], []
    for line in text.splitlines():
        if re.fullmatch(r"-?\d[\d.e+-]*", line.strip()):
            now.append(float(line))
        elif now and line.startswith("Vec Object"):
            out.append(now)
            now = []
    return np.array(out + [now])


def coherent():
    """What monitors see on a device is what they see on the host: of every step, and at the end."""
    text, last = {}, {}
    for device in ("cpu", DEVICE[0]):
        folder = run.folder("petsc_options")
        go(device=device, ts_monitor_solution=f"ascii:{folder}/solution.txt::append")
        text[device] = solutions(open(f"{folder}/solution.txt").read())
        result = go(device=device, ts_view_solution=f"ascii:{folder}/last.txt")
        last[device] = solutions(open(f"{folder}/last.txt").read())[0]
    host, there = text["cpu"], text[DEVICE[0]]
    true(f"five states of {7 * 7 * 6} values", host.shape == there.shape == (5, 294), f"{host.shape} {there.shape}")
    true("each step changes it", all(np.abs(b - a).max() > 1e-6 for a, b in zip(there, there[1:])))
    worst = float(np.abs(host - there).max() / np.abs(host).max())
    true(f"host and device differ by {worst:.1e}", worst <= 1e-10)
    true("the last is that of -ts_view_solution", np.abs(last[DEVICE[0]] - there[-1]).max() <= 1e-12 * np.abs(host).max())


def viewed():
    """PETSc's own devices: of a PETSc without CUDA its host, whatever Rheoplex's kernels compute on. One with CUDA begins all that it
    views, which a machine without a driver refuses: there it is told to leave its GPUs out."""
    quick = {**({"device_enable_cuda": "none"} if PETSC_HAS_CUDA and DEVICE[0] == "cpu" else {}), **LUMPED, "physics": "newtonian", "physics_oldroydb_viscosity": None, "physics_oldroydb_lambda": None}
    for value, objects in ("", 1), ("true", 1), ("false", 0):
        lines = go(device_view=value, **quick).stdout.splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("cavity: "))
        types = [line.split("type: ")[1] for line in lines[:first] if "type: " in line]
        true(f"-device_view {value}: {types}, before the run says anything", sum(line.startswith("PetscDevice Object: 1 MPI process") for line in lines[:first]) == len(types) and len(types) >= objects
             and (objects or not types) and "PetscDevice" not in "".join(lines[first:]) and (PETSC_HAS_CUDA or types == ["host"] * objects), "\n".join(lines))
        true(f"the run goes on, {lines[first]}", ("this machine's CPU" in lines[first]) == (DEVICE[0] == "cpu") and any(line.startswith("End at step 2") for line in lines[first:]), "\n".join(lines))
    text = open(go(device_view="", **quick).file("_effective.yaml")).read()
    true("in the options of a run it is one of the command line alone", "# on the command line alone: device_view" in text, text)
    result = go(expect=None, device_view="draw", **quick)
    true("what is no logical value is an error", result.rc == 1 and "Unknown logical value: draw" in result.stderr and len(result.stderr.splitlines()) == 1, result.stderr)


if __name__ == "__main__":
    DEVICE[0] = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    try:
        globals()[sys.argv[1]]()
    except run.Failure as failure:
        sys.exit(f"FAILED: {failure}")
