"""Checkpoints by the clock: a run that is killed goes on from the last one; a run that writes one after each step is to the bit what it is without."""
import os
import signal
import subprocess
import sys

import numpy as np
import run
from gate import Gate

CASE = ["-case_name", "clock", "-mesh_box_faces", "8,6", "-form_density", 3, "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 0.4, "-physics_oldroydb_viscosity", 0.3, "-physics_oldroydb_lambda", 0.5,
        "-stabiliser", "devss,split_oss", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2*(1+0.3*sin(4*t)),0",
        "-device", "cpu", "-output_fields", "false"]
SCHEMES = {"bdf2": ["-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2", "-scheme_fractional_step_dt", 0.01, "-pressure_ksp_guess_type", "pod", "-pressure_ksp_rtol", 1e-4],
           "monolithic": ["-scheme", "monolithic", "-ts_type", "bdf", "-ts_bdf_order", 3, "-scheme_monolithic_dt", 0.05, "-pc_renew", "interval"], "lumped": ["-scheme", "lumped"]}


def killed(gate, ranks):
    """The process itself, which no one asks whether it is ready."""
    out = run.folder("clock")
    words = [str(w) for w in (*CASE, *SCHEMES["bdf2"], "-stop_time", 1e9, "-output_checkpoint_wall_time", 0.2, "-output_folder", out)]
    start = [os.environ["RHEOPLEX_MPIEXEC"], "-n", str(ranks)] if ranks > 1 else []
    file = f"{out}/clock_checkpoint.h5"
    with subprocess.Popen([*start, run.RHEOPLEX, "run", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        run.wait(lambda: os.path.exists(file), "the first checkpoint", process)
        first = os.stat(file).st_mtime_ns
        run.wait(lambda: os.stat(file).st_mtime_ns > first, "the next one", process)
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as children:
            pids = [int(p) for p in children.read().split()] if ranks > 1 else [process.pid]
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
    done = run.rheoplex("run", *CASE, *SCHEMES["bdf2"], "-case_restart", file, "-stop_steps", 1000000000, "-stop_time", 1e9, "-stop_wall_time", 0.1, out=out, np=ranks)
    times = done.table("_history.csv")["t"]
    gate.true(f"np {ranks}: it goes on, rows in order: {times[0]:g} to {times[-1]:g}", len(times) > 2 and bool((np.diff(times) > 0).all()))


def main():
    gate = Gate("output_clock")
    for ranks in (1, 2):
        killed(gate, ranks)
    for name, words in SCHEMES.items():
        each, none = (run.rheoplex("run", *CASE, *words, "-stop_time", 0.3, "-output_checkpoint_wall_time", seconds, out=run.folder("clock")) for seconds in (1e-9, 0))
        gate.true(f"{name}: the same to the bit", np.array_equal(each.checkpoint(), none.checkpoint()))
    by_steps = run.rheoplex("run", *CASE, *SCHEMES["bdf2"], "-stop_time", 0.3, "-output_checkpoint_every", 1, out=run.folder("clock"))
    gate.true("by steps the solver's guesses begin anew", not np.array_equal(by_steps.checkpoint(), run.rheoplex("run", *CASE, *SCHEMES["bdf2"], "-stop_time", 0.3, out=run.folder("clock")).checkpoint()))
    return gate.finish()


sys.exit(main())
