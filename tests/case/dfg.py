"""dfg.py steady|steady_fine|wake|fine|refined|finest|explicit|stability|cost: the DFG benchmarks as a user runs them.
  steady     2D-1 (options/dfg_2d1.yaml): drag, lift and pressure difference that are printed; those of two ranks
  steady_fine  the same on 30k nodes
  wake       2D-2 (options/dfg_2d2.yaml): errors of drag, lift and Strouhal number of the developed wake, CPU seconds a simulated second
  fine       the same with half of dt: what is left is the error of the mesh, which that of time hides in `wake`
  refined    on 19k nodes of the same geometry, placed otherwise, by two steps in time: what is left is small by itself
  finest     the same on 47k nodes
  explicit   rk4 from the developed wake: with a corrected mass its errors are those of the mesh, with the row-sum mass, in the projections too, c_L is too large
  stability  the largest steps from the developed wake, 0.3 s (share/doc/time-step.md)
  cost       operations of 0.1 s from rest, of bdf2 and of `lumped` by Heun's method, whose c_L is 3 % off
"""
import os
import re
import sys

import msh
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


MESH = f"{run.MESHES}/dfg_cylinder.msh"


def spent():
    """CPU seconds of the runs that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def solve(gate, dt, end, *words, mesh=MESH, bound=None, begin=0):
    """Errors of the last second, %: drag_max, lift_max, strouhal. bound: of CPU seconds on an idle core, which is printed."""
    before = spent()
    result = run.rheoplex("run", f"{run.OPTIONS}/dfg_2d2.yaml", "-mesh_file", mesh, "-scheme_fractional_step_dt", dt, "-stop_time", end, "-device", "cpu", *words, out=run.folder("dfg"))
    seconds = spent() - before
    rows = result.table("_drag.csv")
    last = rows["t"] > end - 1
    t, drag, lift = rows["t"][last], rows["cylinder_c_D"][last], rows["cylinder_c_L"][last]
    when, high = peaks(t, lift)
    got = {"drag_max": peaks(t, drag)[1].mean(), "lift_max": high.mean(), "strouhal": 0.1 * (len(when) - 1) / (when[-1] - when[0])}
    gate.note(f"dt {dt:g}: CPU s a simulated second{f', at most {bound} on an idle core' if bound else ''}", seconds / (end - begin))
    told = re.search(rf"St = {NUMBER}", result.stdout)
    gate.relative(f"dt {dt:g}: the Strouhal number that is told", float(told[1]), got["strouhal"], 1e-3)
    return {name: 100 * (float(value) / published("2D-2")[name] - 1) for name, value in got.items()}


def steady(gate, mesh=f"{run.MESHES}/dfg_cylinder_steady.msh", bounds=(1e-3, 1.5e-2, 4e-3), ranks=(1, 2)):
    results = [run.rheoplex("run", f"{run.OPTIONS}/dfg_2d1.yaml", "-mesh_file", mesh, "-device", "cpu", out=run.folder("dfg"), np=np_) for np_ in ranks]
    result = results[0]
    told = re.search(rf"c_D = {NUMBER}, c_L = {NUMBER}.*pressure difference {NUMBER} Pa", result.stdout, re.S)
    for k, (name, tolerance) in enumerate(zip(("drag", "lift", "pressure_difference"), bounds)):
        gate.relative(f"2D-1: {name}", float(told[k + 1]), published("2D-1")[name], tolerance)
    for shared in results[1:]:
        for table, column in ("_drag.csv", "cylinder_c_D"), ("_drag.csv", "cylinder_c_L"), ("_pressure.csv", "pressure_difference"):
            gate.relative(f"2D-1, two ranks: {column}", shared.table(table)[column][-1], result.table(table)[column][-1], 1e-6)


def steady_fine(gate):
    """Errors -0.01, +0.46 and +0.22 %; sizes are those of the shipped mesh times 0.62."""
    steady(gate, run.gmsh("dfg_cylinder.geo", "dfg_steady", ("hc", 0.000744), ("hw", 0.00682), ("hf", 0.01116), ("near", 0.00124)), (1e-3, 7e-3, 3e-3), ranks=(1,))


def expect(gate, errors, **expected):
    for name, (value, tolerance) in expected.items():
        gate.near(f"error of {name}, %", errors[name], value, tolerance)


def wake(gate):
    expect(gate, solve(gate, 0.002, 8, bound=5), drag_max=(0, 0.5), lift_max=(0, 0.6), strouhal=(0, 0.2))


def fine(gate):
    expect(gate, solve(gate, 0.001, 8), drag_max=(-0.43, 0.15), lift_max=(-1.4, 0.4), strouhal=(0, 0.2))


def refined(gate):
    mesh = run.gmsh("dfg_cylinder.geo", "dfg_19k", ("hc", 0.0019), ("hw", 0.0068), ("hf", 0.0123))
    gate.at_most("nodes", len(msh.read(mesh).points), 20000)
    for dt in 0.0015, 0.00075:
        expect(gate, solve(gate, dt, 8, mesh=mesh), drag_max=(0, 0.2), lift_max=(0, 0.7), strouhal=(0, 0.1))


def finest(gate):
    mesh = run.gmsh("dfg_cylinder.geo", "dfg_47k", ("hc", 0.0015), ("hw", 0.0043), ("hf", 0.0071))
    expect(gate, solve(gate, 0.001, 8, mesh=mesh), drag_max=(0, 0.15), lift_max=(0, 0.4), strouhal=(0, 0.15))


QUIET = ["-output_every", 0, "-case_report_every", 10000]


def by(integrator, corrections):
    return ["-scheme_fractional_step_integrator", integrator, "-scheme_fractional_step_mass_corrections", corrections]


def developed():
    """A checkpoint of the wake at t = 5, by bdf2."""
    return run.rheoplex("run", f"{run.OPTIONS}/dfg_2d2.yaml", "-mesh_file", MESH, "-device", "cpu", *QUIET, "-scheme_fractional_step_dt", 0.004, "-stop_time", 5, out=run.folder("dfg")).file("_checkpoint.h5")


def explicit(gate):
    restart = ["-case_restart", developed(), *QUIET]
    expect(gate, solve(gate, 0.001, 8, *by("rk4", 1), *restart, begin=5, bound=10), drag_max=(-0.43, 0.15), lift_max=(-1.3, 0.4), strouhal=(-0.1, 0.1))
    lumped = ["-stabiliser_split_oss_projection_corrections", 0]
    expect(gate, solve(gate, 0.0015, 9, *by("rk4", 0), *lumped, *restart, begin=5), drag_max=(0, 0.3), lift_max=(3.8, 0.6), strouhal=(-0.8, 0.2))


def cost(gate):
    """Operations of a tenth of a second from rest, as -log_view counts them: of Heun's method, at its largest stable step, over those of bdf2."""
    counted = []
    for words in ["-scheme_fractional_step_dt", 0.002], ["-scheme", "lumped", "-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", 0.0008]:
        done = run.rheoplex("run", f"{run.OPTIONS}/dfg_2d2.yaml", "-mesh_file", MESH, "-device", "cpu", *words, "-stop_time", 0.1, "-output_fields", "false", "-log_view", *QUIET, out=run.folder("dfg"))
        counted.append(float(re.search(r"^Flops: +(\S+)", done.stdout, re.M)[1]))
        gate.note(f"{' '.join(map(str, words))}: operations", counted[-1])
    gate.at_least("of Heun's method over those of bdf2", counted[1] / counted[0], 4)


def stability(gate):
    case = [f"{run.OPTIONS}/dfg_2d2.yaml", "-mesh_file", MESH, "-device", "cpu", *QUIET]
    wake = developed()
    for what, words, dt, runs in (("rk4, row-sum mass", by("rk4", 0), 0.0017, True), ("rk4, row-sum mass", by("rk4", 0), 0.0018, False),
                                  ("rk4, one correction", by("rk4", 1), 0.00105, True), ("rk4, one correction", by("rk4", 1), 0.00112, False),
                                  ("ssp3, one correction", by("ssp3", 1), 0.00095, True), ("bdf2", [], 0.008, True)):
        result = run.rheoplex("run", *case, *words, "-case_restart", wake, "-scheme_fractional_step_dt", dt, "-stop_time", 5.3, out=run.folder("dfg"), expect=None)
        rate = result.table("_history.csv")["du_dt"][-1]
        gate.true(f"{what}, dt {dt:g}: {'runs' if runs else 'is lost'}, |du/dt| {rate:.3g}", (result.rc == 0 and rate <= 8) == runs)


def main(check):
    gate = Gate(f"dfg_{check}")
    {"steady": steady, "steady_fine": steady_fine, "wake": wake, "fine": fine, "refined": refined, "finest": finest, "explicit": explicit, "stability": stability, "cost": cost}[check](gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
