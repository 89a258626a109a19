"""DFG benchmark 2D-2 (options/dfg_2d2.yaml): drag, lift and Strouhal number of the developed wake, CPU seconds a simulated second.
A command of its own, 40 s of one core, of share/validate_long.
"""
import os
import subprocess
import sys

import numpy as np
import run
from gate import Gate

PUBLISHED = {row["quantity"]: float(row["value"]) for row in run.reference("dfg_cylinder", case="2D-2")}


def peaks(t, y):
    """Times and values of the maxima, by parabolas through three points."""
    i = np.flatnonzero((y[1:-1] >= y[:-2]) & (y[1:-1] > y[2:])) + 1
    bend, slope = (y[i + 1] - 2 * y[i] + y[i - 1]) / 2, (y[i + 1] - y[i - 1]) / 2
    return t[i] - slope / (2 * bend) * (t[i + 1] - t[i]), y[i] - slope**2 / (4 * bend)


def solve(gate, dt, end, *words):
    """Errors of the last second, %: drag_max, lift_max, strouhal."""
    before = os.times()
    result = run.rheoplex("run", f"{run.OPTIONS}/dfg_2d2.yaml", "-mesh_file", f"{run.MESHES}/dfg_cylinder.msh", "-scheme_fractional_step_dt", dt, "-stop_time", end, "-device", "cpu", *words, out=run.folder("dfg"))
    after = os.times()
    rows = result.table("_forces.csv")
    last = rows["t"] > end - 1
    t, drag, lift = rows["t"][last], 20 * rows["cylinder_x"][last], 20 * rows["cylinder_y"][last]
    when, high = peaks(t, lift)
    got = {"drag_max": peaks(t, drag)[1].mean(), "lift_max": high.mean(), "strouhal": 0.1 * (len(when) - 1) / (when[-1] - when[0])}
    gate.note(f"dt {dt:g}: CPU s a simulated second", (after.children_user + after.children_system - before.children_user - before.children_system) / end)
    return {name: 100 * (float(value) / PUBLISHED[name] - 1) for name, value in got.items()}


def main():
    gate = Gate("dfg_2d2_12k")
    errors = solve(gate, 0.002, 8)
    for name, tolerance in (("drag_max", 0.5), ("lift_max", 0.8), ("strouhal", 0.2)):
        gate.near(f"error of {name}, %", errors[name], 0, tolerance)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
