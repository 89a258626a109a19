"""PETSc's options of a TS: each acts or is refused with one sentence; monitors see the present state, on a device too.
petsc_options.py <check> [cuda]"""
import re
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
    "ts_monitor_frequency": [("2", "-ts_monitor")], "ts_max_snes_failures": [("2", "explicit")], "ts_error_if_step_fails": [("0", "explicit")], "ts_fd_color": [("", "explicit")],
    "ts_rhs_jacobian_test_mult": [("", "explicit")], "ts_adjoint_solve": [("", "explicit")],
    "snes_type": [("newtonls", "explicit")], "snes_monitor": [("", "explicit")], "ksp_view": [("", "expected -pressure_ksp_view")],
    "pc_gamg_threshold": [("0.1", "expected -pressure_pc_gamg_threshold")], "ts_nosuch": [("1", "explicit")]}


def refused():
    for name, rows in REFUSED.items():
        for value, words in rows:
            result = go(expect=None, **{name: value})
            lines = result.stderr.splitlines()
            good = result.rc == 1 and len(lines) == 1 and lines[0].startswith("rheoplex: error: ") and words in lines[0] and "-" + name in lines[0]
            true(f"-{name} {value}: {lines[0][17:] if lines else result.rc}", good, result.stdout + result.stderr)
    result = go(expect=None, ts_init_time="1", case_restart="nowhere.h5")
    true("-ts_init_time beside a restart", result.rc == 1 and "-ts_init_time: got it beside -case_restart" in result.stderr, result.stderr)


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


if __name__ == "__main__":
    DEVICE[0] = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    try:
        globals()[sys.argv[1]]()
    except run.Failure as failure:
        sys.exit(f"FAILED: {failure}")
