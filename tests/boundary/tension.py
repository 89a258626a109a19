"""Inlets whose developed flow is so elastic that steps in time may end in a false flow: what is told before the run, and Newton's method,
which finds the flow. Oldroyd-B: N1 over shear stress is 2 (1 - beta) lambda times the rate of the wall, 6 U/H in a channel."""
import re
import sys

import numpy as np
import run
from gate import Gate, largest

HERE = run.folder("tension")
CHANNEL = {
    "case_name": "channel", "mesh_box_upper": "3,1", "mesh_box_faces": "36,12", "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.11,
    "physics_oldroydb_viscosity": 0.89, "physics_oldroydb_lambda": 0.75, "polymer_variable": "logconf", "stabiliser": "devss,split_oss", "form_density": 3,
    "bc_left_type": "inlet", "bc_left_velocity": "6*y*(1-y),0", "bc_left_ramp": 1, "bc_right_type": "outlet", "bc_bottom_type": "wall", "bc_top_type": "wall",
    "stop_steps": 1, "output_fields": "false",
}
SPACE = {"mesh_box_upper": "1,1,1", "mesh_box_faces": "2,8,2", "bc_left_velocity": "6*y*(1-y),0,0", "bc_front_type": "symmetry", "bc_back_type": "symmetry"}
MODES = {"physics_oldroydb_modes": 2, "physics_oldroydb_viscosity": "0.5,0.39", "physics_oldroydb_lambda": "0.4,1.3"}


def case(verb="check", np_=1, **changes):
    words = [w for key, value in {**CHANNEL, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex(verb, *words, out=HERE, np=np_)


def told(result):
    return [(label, float(ratio)) for label, ratio in re.findall(r"warning: the developed flow at the inlet '(\w+)' has a normal stress difference of (\S+) times", result.stderr)]


def main():
    gate = Gate("boundary_tension")
    for name, change, exact in (("beta 0.11, Wi 4.5", {}, 2 * 0.89 * 4.5), ("beta 0.5, Wi 9", {"physics_newtonian_viscosity": 0.5, "physics_oldroydb_viscosity": 0.5, "physics_oldroydb_lambda": 1.5}, 9),
                                ("two modes", MODES, 2 * 36 * (0.5 * 0.4 + 0.39 * 1.3) / 6), ("in space", SPACE, 2 * 0.89 * 4.5), ("stress", {"polymer_variable": "stress"}, 2 * 0.89 * 4.5)):
        for np_ in (1, 2) if name == "two modes" else (1,):
            found = told(case(np_=np_, **change))
            gate.true(f"{name}, np {np_}: told once, {found}", len(found) == 1 and found[0][0] == "left")
            gate.relative(f"{name}, np {np_}: ratio", found[0][1] if found else np.nan, exact, 6e-3)
    for name, change in (("beta 0.11, Wi 3", {"physics_oldroydb_lambda": 0.5}), ("from an inlet at rest", {"bc_left_polymer": "rest"}),
                         ("linear PTT", {"physics": "newtonian,ptt", "physics_oldroydb_viscosity": None, "physics_oldroydb_lambda": None, "physics_ptt_viscosity": 0.89, "physics_ptt_lambda": 0.75, "physics_ptt_epsilon": 0.25})):
        gate.true(f"{name}: nothing is told", not told(case(**change)))
    gate.true("a run tells it too", len(told(case("run"))) == 1)
    steady = case("run", scheme="steady", scheme_steady_time=2, stop_steps=None)
    gate.true("steady: nothing is told", not told(steady))
    gate.at_most("steady: velocity from 6 y (1 - y)", largest(abs(s[0] - 6 * x[1] * (1 - x[1])) for x, s in zip(steady.checkpoint("positions"), steady.checkpoint())), 0.02)
    return gate.finish()


sys.exit(main())
