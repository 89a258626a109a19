"""Which states of a continuation are kept: the first, each n-th behind it and the last; what the run and `check` say of it beforehand. kept.py"""
import glob
import os
import sys

import run
from gate import Gate

VALUES = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
CHANNEL = ["-case_name", "kept", "-mesh_box_faces", "3,4", "-physics", "newtonian", "-physics_newtonian_viscosity", 1, "-stabiliser", "split_oss", "-scheme", "steady", "-bc_left_type", "inlet", "-bc_left_velocity", "y*(1-y),0",
           "-bc_right_type", "outlet", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-scheme_steady_continuation", "physics_newtonian_viscosity=0.4:0.1:0.9", "-device", "cpu"]


def points(out):
    return sorted(int(os.path.basename(name).split("_")[-1][:6]) for name in glob.glob(f"{out}/kept_point_*.h5"))


def main():
    gate = Gate("case_kept")
    for every, steps, said in ((1, [1, 2, 3, 4, 5, 6], "of every state"), (2, [1, 3, 5, 6], "of the first, then of one in 2, and of the last state"), (4, [1, 5, 6], "of the first, then of one in 4, and of the last state")):
        out = run.folder("kept")
        result = run.rheoplex("run", *CHANNEL, "-output_every", every, "-output_checkpoint_every", every, out=out, np=2 if every == 2 else 1)
        times = [t for t in run.series(f"{out}/kept.pvd")[0]][every == 1:]  # with 1 what it begins with too
        gate.true(f"every {every}: checkpoints of {points(out)}", points(out) == steps)
        gate.true(f"every {every}: fields of {times}", len(times) == len(steps) and all(abs(t - VALUES[k - 1]) < 1e-9 for t, k in zip(times, steps)))
        gate.true(f"every {every}: said", f"continuation in physics_newtonian_viscosity: fields {said}; checkpoints {said}\n" in result.stdout)
    on = run.rheoplex("run", *CHANNEL, "-output_every", 4, "-output_checkpoint_every", 4, "-case_restart", f"{out}/kept_point_000001.h5", out=out)
    gate.true("from the first one on", points(out) == [1, 5, 6] and "goes on from" in on.stdout)
    out = run.folder("kept")
    alone = "continuation in physics_newtonian_viscosity: fields of the last state alone (-output_every 1: of every one); checkpoints of the last state alone (-output_checkpoint_every 1: of every one)\n"
    gate.true("the last alone is told", alone in run.rheoplex("run", *CHANNEL, out=out).stdout and points(out) == [] and run.series(f"{out}/kept.pvd")[0] == [0.9])
    by = run.rheoplex("check", *CHANNEL, "-output_dt", 0.2, "-output_fields", "velocity", out=out).stdout
    gate.true("by the parameter, in check", "Kept of the continuation in physics_newtonian_viscosity: fields where the parameter passes a multiple of 0.2, and of the last state; checkpoints of the last state alone" in by)
    gate.true("without fields, and of no continuation", "fields of none (-output_fields false)" in run.rheoplex("check", *CHANNEL, "-output_fields", "false", out=out).stdout and "Kept of" not in run.rheoplex("check", *CHANNEL[:-4], out=out).stdout)
    return gate.finish()


sys.exit(main())
