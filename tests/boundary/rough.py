"""A velocity that alternates from node to node along an outlet, as discrete equations have it besides the flow, is told at the end. rough.py"""
import re
import sys

import numpy as np
import run
from gate import Gate

FACES = 6


def told(size, np_, where="right", dim=2, speed=1, **words):
    """Per cent that are told of u = speed (1 + size cos(6 pi y)) (in space times cos(6 pi z)), nothing on walls, after a step that changes nothing."""
    u = f"{speed}*(1+({size})*cos({FACES}*pi*y)" + (f"*cos({FACES}*pi*z)),0,0" if dim == 3 else "),0")
    walls = ("bottom", "top", "front", "back")[: 2 * (dim - 1)]
    other = "left" if where == "right" else "right"
    result = run.rheoplex("run", "-case_name", "rough", "-mesh_box_faces", f"3,{FACES}" + f",{FACES}" * (dim - 2), "-mesh_box_lower", "0,0,0"[: 2 * dim - 1], "-mesh_box_upper", "1,1,1"[: 2 * dim - 1],
                          "-physics", "newtonian", "-physics_newtonian_viscosity", 0.7, "-form_density", 3, "-scheme_lumped_dt", 1e-9, "-stop_steps", 1, "-initial_velocity", u,
                          f"-bc_{other}_type", "inlet", f"-bc_{other}_velocity", u, f"-bc_{where}_type", "outlet", *(w for wall in walls if f"bc_{wall}_type" not in words for w in (f"-bc_{wall}_type", "wall")), *(w for key, value in words.items() for w in (f"-{key}", value)),
                          "-output_fields", "false", out=run.folder("rough"), np=np_)
    found = re.findall(rf"warning: the velocity on the label '{where}' alternates .* by (\S+) % of its size", result.stderr)
    return float(found[0]) if found else 0


def expected(size):
    """Mean of the two faces about a node, each of its nodes but those on walls."""
    u = 1 + size * (-1.0) ** np.arange(1, FACES)
    beside = np.concatenate(([u[0]], u, [u[-1]]))
    around = (beside[:-2] + 2 * u + beside[2:]) / 4
    return 100 * np.sqrt(((u - around) ** 2).sum() / (u**2).sum())


def main():
    gate = Gate("boundary_rough")
    for size, np_, where in ((0.9, 1, "right"), (0.9, 3, "left"), (-0.7, 2, "right")):
        gate.near(f"size {size}, np {np_}", told(size, np_, where), expected(size), 0.051)
    gate.near("size 0.3 is a flow", told(0.3, 2), 0, 0)
    gate.at_least("space, np 2", told(0.9, 2, dim=3), 41)
    lid = {"bc_top_type": "moving_wall", "bc_top_velocity": "1,0"}
    for np_ in (1, 3):
        gate.near(f"beside a wall that moves 50 times as fast, np {np_}: not told", told(0, np_, speed=0.02, **lid), 0, 0)
    gate.near("beside such a wall: told", told(0.9, 2, speed=0.02, **lid), expected(0.9), 0.051)
    gate.near("a thousandth of -case_velocity, at least", told(0.9, 1, speed=3e-3), expected(0.9), 0.051)
    gate.near("1e-5 of it: what a step from rest leaves", told(0.9, 2, speed=1e-5), 0, 0)
    gate.near("1e-5, of a slow case", told(0.9, 2, speed=1e-5, case_velocity=1e-4), expected(0.9), 0.051)
    return gate.finish()


sys.exit(main())
