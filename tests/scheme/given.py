"""Steady states along what conditions give: continuation in t, the time of their formulas. given.py
  follow <np>  flow rate and velocity of an inlet: the states are those of single runs, by value and by arc length, on from a point; what is refused
  force <np>   a driving force by arc length through both folds of a flow curve that falls, a mean velocity by value past them: closed forms"""
import sys

import numpy as np
import run
import steady
from gate import Gate, largest

GROWS = ("-bc_left_velocity", "0.5*t*(1-y^4+0.2*sin(3*y)*(1-y^2)),0", "-bc_left_ramp", 0)
NAMES = ("-diagnostic_forces", "top", "-snes_rtol", 1e-11)


def by(text, *more):
    return ("-scheme_steady_continuation", text, *NAMES, *more)


def follow(gate, ranks):
    np_ = int(ranks)
    last = steady.mixed(*steady.STEADY, *GROWS, *NAMES, "-scheme_steady_time", 1.8, "-bc_left_velocity", "0.9*(1-y^4+0.2*sin(3*y)*(1-y^2)),0", np_=np_)
    between = steady.mixed(*steady.STEADY, *NAMES, "-bc_left_velocity", "0.55*(1-y^4+0.2*sin(3*y)*(1-y^2)),0", np_=np_)
    size = largest(abs(last.checkpoint()).ravel())
    for way in "value", "arclength":
        words = by("t=0.6:0.5:1.8", "-scheme_steady_continuation_type", way, "-output_every", 1, "-output_checkpoint_every", 1)
        result = steady.mixed(*steady.STEADY, *GROWS, *words, np_=np_)
        table = result.table("_continuation.csv")
        gate.near(f"{way}: the last value", float(table["conditions_t"][-1]), 1.8, 1e-9)
        gate.at_most(f"{way}: the state at the last value, of that of a single run", largest(abs(result.checkpoint() - last.checkpoint()).ravel()) / size, 1e-8)
        on = steady.mixed(*steady.STEADY, *GROWS, *words, "-case_restart", result.file("_point_000001.h5"), np_=np_)
        gate.true(f"{way}: on from the first", "goes on from t = 0.6" in on.stdout)
        gate.at_most(f"{way}: its last state", largest(abs(on.checkpoint() - result.checkpoint()).ravel()) / size, 1e-8)
        if way == "value":
            gate.true("times are the values", np.allclose(result.table("_history.csv")["t"], [0.6, 1.1, 1.6, 1.8], atol=1e-12))
            gate.relative("force at the value between", float(result.table("_forces.csv")["top_x"][1]), float(between.table("_forces.csv")["top_x"][-1]), 1e-8)
    if np_ == 1:
        refused(gate)


def refused(gate):
    for words, parts in ((by("t=0.5:0.5:1"), ("got t, of which no condition and no source depends", "-bc_inlet_flow_rate")),
                         ((*by("t=0.5:0.5:1"), *GROWS, "-scheme_steady_time", 0.7), ("-scheme_steady_time: got 0.7 beside -scheme_steady_continuation t=0.5:0.5:1",)),
                         ((*GROWS, "-scheme_steady_time", 1), ("change after t = 1 s", "-scheme_steady_continuation t=from:by:to")),
                         ((*by("bc_left_velocity=0.1:0.1:1"), *GROWS), ("got the option 'bc_left_velocity'", "or t, the time at which conditions and sources are taken"))):
        gate.refused(steady.mixed(*steady.STEADY, *words, expect=1), parts)


def curve(g):
    return (0.04 + 1.06 / (1 + (1.2 * g) ** 2)) * g


def bands(*more, ranks=1):
    return run.rheoplex("run", "-case_name", "bands", "-mesh_box_faces", "3,1", "-mesh_box_lower", "0,0", "-mesh_box_upper", "0.9,1.3", "-mesh_box_periodic", "x", "-physics", "cross",
                        "-physics_cross_viscosity", 1.1, "-physics_cross_viscosity_inf", 0.04, "-physics_cross_m", 2, "-physics_cross_lambda", 1.2, "-stabiliser", "gls", "-form_convection", "false",
                        "-bc_bottom_type", "wall", "-bc_top_type", "symmetry", "-scheme", "steady", "-device", "cpu", "-output_every", 1, *more, out=run.folder("given"), np=ranks)


def force(gate, ranks):
    """One cell from wall to symmetry: (eta_inf + (eta - eta_inf)/(1 + (lambda g)^2)) g = F H/2, g = u/H."""
    ranks, fine = int(ranks), np.linspace(0.1, 8, 4000001)
    stress = curve(fine)
    turns = stress[np.flatnonzero(np.diff(np.sign(np.diff(stress)))) + 1] / 0.65
    result = bands("-form_body_force", "0.5*t,0", "-scheme_steady_continuation", "t=0.4:0.2:2.4", "-scheme_steady_continuation_type", "arclength", ranks=ranks)
    found = [float(x.split()[-1]) for x in result.stdout.splitlines() if "fold at" in x]
    gate.true(f"folds told: {found}, of {2 * turns}", len(found) == 2 and len(turns) == 2)
    for got, want in zip(found, turns):
        gate.relative(f"fold at the force {want:.6g}", 0.5 * got, float(want), 1e-4)
    speed = result.fields()["velocity"][:, 0].max()
    gate.relative("at the end: stress of the cell", float(curve(speed / 1.3)), 0.65 * 1.2, 1e-8)
    kept = bands("-form_mean_velocity", "0.65*t", "-scheme_steady_continuation", "t=0.5:1:6.5", ranks=ranks)
    forces = [float(x.split()[2]) for x in kept.stdout.splitlines() if x.startswith("driving force:")]
    gate.true(f"a driving force a value: {len(forces)}", len(forces) == 7)
    for t, got in zip((0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5), forces):
        gate.relative(f"driving force of the mean velocity {0.65 * t:g}", got, float(curve(t)) / 0.65, 1e-8)


def main(check, *more):
    gate = Gate("_".join(("scheme_given", check) + more))
    {"follow": follow, "force": force}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
