"""The scheme of midpoint.c, which is not part of the program: its order in time, and that the program knows it. midpoint.py
<order|list|device>"""
import os
import sys

import numpy as np
import run
from gate import Gate

MIDPOINT = ["-dll_append", os.environ["RHX_MIDPOINT"]]
# A wall that swings beside a polymer between two planes, periodic along them: the pressure takes no part.
CASE = ["-case_name", "swing", "-mesh_box_faces", "3,12", "-mesh_box_upper", "0.2,1", "-mesh_box_periodic", "x", "-bc_bottom_type", "wall",
        "-bc_top_type", "moving_wall", "-bc_top_velocity", "sin(3*t)^2,0", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.3",
        "-physics_oldroydb_viscosity", "0.7", "-physics_oldroydb_lambda", "0.4", "-form_density", "2", "-stabiliser", "devss,split_oss", "-stop_time", "0.4"]


def state(scheme, dt, *more):
    result = run.rheoplex("run", *CASE, *more, "-scheme", scheme, f"-scheme_{scheme}_dt", repr(dt), out=run.folder("scheme"))
    return result.checkpoint()


def order(gate):
    """Differences of runs whose steps are halved, velocity and stress: they fall by 4 with the midpoint rule, by 2 with Euler."""
    first = 0.004
    for scheme, expected in ("midpoint", 2.0), ("lumped", 1.0):
        x = [state(scheme, first / 2**k, *MIDPOINT) for k in range(4)]
        for what, columns in ("u", [0]), ("stress xx", [3]), ("stress xy", [5]):
            change = [float(np.abs(a[:, columns] - b[:, columns]).max()) for a, b in zip(x, x[1:])]
            gate.at_least(f"{scheme}: {what}: the coarsest change is seen", change[0], 1e-7)
            for a, b in zip(change, change[1:]):
                gate.near(f"{scheme}: order of {what}", float(np.log2(a / b)), expected, 0.1)


def listed(gate):
    text = run.rheoplex("list", "scheme", *MIDPOINT, out="").stdout
    gate.true("listed beside lumped, with its options", "Schemes (-scheme): midpoint, lumped" in text and "scheme_midpoint_dt" in text)
    mine = state("midpoint", 0.01, *MIDPOINT)
    theirs = run.rheoplex("run", *CASE, *MIDPOINT, "-scheme", "midpoint", "-ts_dt", "0.01", out=run.folder("scheme")).checkpoint()
    gate.true("-ts_dt is its -scheme_midpoint_dt", np.array_equal(mine, theirs))
    text = run.rheoplex("run", *CASE, *MIDPOINT, "-scheme", "midpoint", "-ts_rtol", "1e-3", out=run.folder("scheme"), expect=None).stderr
    gate.true("-ts_rtol is refused in its words", "does nothing for scheme 'midpoint': expected -scheme_midpoint_cfl" in text)
    text = run.rheoplex("run", *CASE, "-scheme", "midpoint", out=run.folder("scheme"), expect=None).stderr
    gate.true("without its library it is not known", "got 'midpoint', expected auto or a scheme of Rheoplex: lumped" in text)


def device(gate):
    """A steady lid: steps are recorded and replayed, without any that would be launched one by one."""
    case = [*MIDPOINT, "-scheme", "midpoint", "-scheme_midpoint_dt", "0.002", "-case_name", "lid", "-mesh_box_faces", "6,5", *[w for side in ("left", "right", "bottom") for w in (f"-bc_{side}_type", "wall")],
            "-bc_top_type", "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2,0", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.3", "-physics_oldroydb_viscosity", "0.7",
            "-physics_oldroydb_lambda", "0.4", "-form_density", "2", "-stabiliser", "devss,split_oss", "-stop_steps", "12", "-pressure_ksp_rtol", "1e-13"]
    x = {where: run.rheoplex("run", *case, "-device", where, out=run.folder("scheme")).checkpoint() for where in ("cpu", "cuda")}
    for c, (difference, scale) in enumerate(zip(np.abs(x["cuda"] - x["cpu"]).max(0), np.abs(x["cpu"]).max(0))):
        gate.at_most(f"12 steps on the device: difference in column {c}", float(difference / scale), 1e-10)


def main(check):
    gate = Gate(f"scheme_midpoint_{check}")
    {"order": order, "list": listed, "device": device}[check](gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
