"""Fields stand exactly at the multiples of -output_dt, checkpoints at those of -output_checkpoint_dt; the steps around them are whole,
halved at most. times.py [device]"""
import os
import subprocess
import sys

import h5py
import numpy as np
import run
from gate import Gate

DT, EVERY, END = 0.0123, 0.07, 0.33
DEVICE = sys.argv[1] if len(sys.argv) > 1 else "cpu"
CASE = ["run", "-case_name", "flow", "-mesh_box_faces", "8,6", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall",
        "-bc_top_type", "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2,0", "-form_density", "3", "-physics", "newtonian,oldroydb",
        "-physics_newtonian_viscosity", "0.05", "-physics_oldroydb_viscosity", "0.05", "-physics_oldroydb_lambda", "0.3", "-stabiliser",
        "split_oss", "-scheme_lumped_dt", DT, "-device", DEVICE, "-output_dt", EVERY, "-stop_time", END]


def check(gate, what, result, dt=None):
    times = run.series(result.file(".pvd"))[0]
    wanted = [k * EVERY for k in range(int(END / EVERY) + 1)] + [END]
    gate.true(f"{what}: fields at the multiples and the end, exactly: {times}", times == wanted)
    rows = result.table("_history.csv")
    gate.at_most(f"{what}: largest gap of t and the sum of dt", float(np.abs(rows["t"] - np.cumsum(rows["dt"])).max()), 1e-10)
    if dt:
        short = rows["dt"] < dt * (1 - 1e-9)
        gate.at_least(f"{what}: shortest step in dt", float(rows["dt"].min() / dt), 0.5)
        gate.at_most(f"{what}: longest step in dt", float(rows["dt"].max() / dt), 1 + 2e-6)
        after = [i + 1 for i, t in enumerate(rows["t"][:-1]) if any(abs(t - w) < 1e-12 for w in wanted)]
        gate.true(f"{what}: the step after fields is whole", all(not short[i] for i in after) and len(after) >= 3)
        gate.at_most(f"{what}: shortened steps an interval", float(short.sum()), 2 * len(wanted))


def killed(out, *words):
    """Folder of a run that is killed once it has left a checkpoint, and the time of that."""
    path = f"{out}/flow_checkpoint.h5"
    process = subprocess.Popen([run.RHEOPLEX, *map(str, [*CASE, *words, "-stop_time", 1e9, "-output_folder", out])], stdout=subprocess.DEVNULL)
    try:
        run.wait(lambda: os.path.exists(path), path, process)
    finally:
        process.kill()
        process.wait()
    with h5py.File(path) as f:
        return path, float(f.attrs["t"])


def check_checkpoints(gate, out):
    """The steps' length varies; what is left by a run that is killed goes on as the whole one."""
    often = ["-scheme_lumped_dt", 1, "-scheme_lumped_cfl", 0.1, "-output_fields", "false", "-output_checkpoint_dt", EVERY]
    path, t = killed(f"{out}/killed", *often)
    k = round(t / EVERY)
    gate.true(f"a checkpoint at a multiple, exactly: t = {t}", k >= 1 and t == k * EVERY)
    to = ["-stop_time", t + 2.4 * EVERY]
    whole = run.rheoplex(*CASE, *often, *to, out=f"{out}/often")
    rest = run.rheoplex(*CASE, *often, *to, "-case_restart", path, out=f"{out}/killed_rest")
    rows = whole.table("_history.csv")
    gate.true(f"steps end at its multiples, and vary: {rows['dt']}", all(np.abs(rows["t"] - n * EVERY).min() < 1e-12 for n in range(1, k + 3)) and np.ptp(rows["dt"]) > 0.05 * rows["dt"].max())
    gate.true("goes on bit by bit", np.array_equal(rest.checkpoint(), whole.checkpoint()))


def main():
    gate = Gate(f"output_times_{DEVICE}")
    out = run.folder("times")
    whole = run.rheoplex(*CASE, out=f"{out}/whole")
    check(gate, "fixed dt", whole, DT)
    for steps in (4, 5, 6):  # before the halved steps, between them, after them
        half = run.rheoplex(*CASE, "-stop_steps", steps, out=f"{out}/half_{steps}")
        rest = run.rheoplex(*CASE, "-case_restart", half.file("_checkpoint.h5"), out=f"{out}/rest_{steps}")
        gate.true(f"restart after step {steps}, bit by bit", np.array_equal(rest.checkpoint(), whole.checkpoint()))
    check_checkpoints(gate, out)
    if DEVICE != "cpu":
        return gate.finish()
    check(gate, "np 2", run.rheoplex(*CASE, out=f"{out}/np2", np=2), DT)
    check(gate, "cfl", run.rheoplex(*CASE, "-scheme_lumped_cfl", "0.3", out=f"{out}/cfl"))
    divisor = run.rheoplex(*CASE, "-scheme_lumped_dt", EVERY / 7, "-stop_time", 3 * EVERY, out=f"{out}/divisor")
    gate.near("a dt that divides the interval: steps", len(divisor.table("_history.csv")["step"]), 21, 0)
    larger = run.rheoplex(*CASE, "-scheme_lumped_dt", "0.05", "-output_dt", "0.02", "-stop_time", "0.1", out=f"{out}/larger")
    early = run.rheoplex(*CASE, "-ts_init_time", -0.1, "-stop_time", 0.1, out=f"{out}/early")
    gate.true("from a negative time on", np.array_equal(run.series(early.file(".pvd"))[0], [-0.1, -EVERY, 0, EVERY, 0.1]))
    gate.true("an interval below dt", run.series(larger.file(".pvd"))[0] == [k * 0.02 for k in range(5)] + [0.1])
    return gate.finish()


sys.exit(main())
