"""dfg.py steady|wake: the DFG benchmarks as a user runs them.
  steady  2D-1 (options/dfg_2d1.yaml): drag, lift and pressure difference that are printed
  wake    2D-2 (options/dfg_2d2.yaml): drag, lift and Strouhal number of the developed wake, CPU seconds a simulated second;
          a command of its own, 40 s of one core, of share/validate_long
"""
import os
import re
import sys

import numpy as np
import run
from gate import Gate

NUMBER = r"([-+.e0-9]+[0-9])"


def published(case):
    return {row["quantity"]: float(row["value"]) for row in run.reference("dfg_cylinder", case=case)}


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
    rows = result.table("_drag.csv")
    last = rows["t"] > end - 1
    t, drag, lift = rows["t"][last], rows["cylinder_c_D"][last], rows["cylinder_c_L"][last]
    when, high = peaks(t, lift)
    got = {"drag_max": peaks(t, drag)[1].mean(), "lift_max": high.mean(), "strouhal": 0.1 * (len(when) - 1) / (when[-1] - when[0])}
    gate.note(f"dt {dt:g}: CPU s a simulated second", (after.children_user + after.children_system - before.children_user - before.children_system) / end)
    told = re.search(rf"St = {NUMBER}", result.stdout)
    gate.relative(f"dt {dt:g}: the Strouhal number that is told", float(told[1]), got["strouhal"], 1e-3)
    return {name: 100 * (float(value) / published("2D-2")[name] - 1) for name, value in got.items()}


def steady(gate):
    result = run.rheoplex("run", f"{run.OPTIONS}/dfg_2d1.yaml", "-mesh_file", f"{run.MESHES}/dfg_cylinder_steady.msh", "-device", "cpu", out=run.folder("dfg"))
    told = re.search(rf"c_D = {NUMBER}, c_L = {NUMBER}.*pressure difference {NUMBER} Pa", result.stdout, re.S)
    for k, (name, tolerance) in enumerate((("drag", 1e-3), ("lift", 1.5e-2), ("pressure_difference", 4e-3))):
        gate.relative(f"2D-1: {name}", float(told[k + 1]), published("2D-1")[name], tolerance)


def wake(gate):
    errors = solve(gate, 0.002, 8)
    for name, tolerance in (("drag_max", 0.5), ("lift_max", 0.8), ("strouhal", 0.2)):
        gate.near(f"error of {name}, %", errors[name], 0, tolerance)


def main(check):
    gate = Gate(f"dfg_{check}")
    {"steady": steady, "wake": wake}[check](gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
