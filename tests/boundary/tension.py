"""Inlets whose developed flow is so elastic that steps in time end in a false flow where the polymer is given at nodes: what is told before the
run, Newton's method, which by continuation finds the flow, and the flux of what flows in, with which steps in time find it (tension.py flux). Oldroyd-B: N1 over shear stress is 2 (1 - beta) lambda times the rate of the wall, 6 U/H in a channel."""
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
    "stop_steps": 1, "output_fields": "false", "bc_left_polymer_at": "nodes",
}
SPACE = {"mesh_box_upper": "1,1,1", "mesh_box_faces": "2,8,2", "bc_left_velocity": "6*y*(1-y),0,0", "bc_front_type": "symmetry", "bc_back_type": "symmetry"}
MODES = {"physics_oldroydb_modes": 2, "physics_oldroydb_viscosity": "0.5,0.39", "physics_oldroydb_lambda": "0.4,1.3"}


def case(verb="check", np_=1, out=HERE, **changes):
    words = [w for key, value in {**CHANNEL, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex(verb, *words, out=out, np=np_)


def told(result):
    return [(label, float(ratio)) for label, ratio in re.findall(r"warning: the developed flow at the inlet '(\w+)' has a normal stress difference of (\S+) times", result.stderr)]


def rows(result, at):
    """y and the states of the nodes at x."""
    x, state = result.checkpoint("positions"), result.checkpoint()
    there = np.flatnonzero(np.abs(x[:, 0] - at) < 1e-9)
    there = there[np.argsort(x[there, 1])]
    return x[there, 1], state[there]


def flux(gate):
    """A step with and one without the flux from one state: it adds 2 u/h (s_in - s) on quads of width h, u normal to the label; rows that it would change
    faster than 1/dt are slowed to it. At walls nodes have what is given."""
    stress = "1+y,2-y,0.3*y*y;y,0.5,0.2*y^3"
    words = {**MODES, "polymer_variable": "stress", "bc_left_velocity": "6*y*(1-y),0.2*y", "bc_left_ramp": None, "initial_velocity": "6*y*(1-y),0.2*y", "initial_stress": "0.1,0.2,0.3;0,0,0",
             "scheme": "lumped", "bc_left_polymer_at": None}
    free, given = {"bc_left_polymer": "free"}, {"bc_left_polymer": "formula", "bc_left_stress": stress, "bc_left_polymer_at": "flux"}
    for dt in (1e-3, 0.05):
        first = case("run", out=run.folder("tension"), scheme_lumped_dt=dt, **{**words, **free})
        y, start = rows(first, 0)
        begin = first.file("_checkpoint.h5")
        without = rows(case("run", scheme_lumped_dt=dt, case_restart=begin, stop_steps=2, **{**words, **free}), 0)[1]
        result = rows(case("run", scheme_lumped_dt=dt, case_restart=begin, stop_steps=2, **{**words, **given}), 0)[1]
        target = np.stack([1 + y, 2 - y, 0.3 * y * y, y, 0.5 + 0 * y, 0.2 * y**3], axis=1)
        share = dt * 2 * 12 * (6 * y * (1 - y))[:, None]
        exact = start[:, 3:] + (without[:, 3:] - start[:, 3:] + share * (target - start[:, 3:])) / np.maximum(1, share)
        inside = slice(1, -1)
        gate.at_least(f"dt {dt}: change by the flux", float(np.abs(result - without)[inside].max()), 0.01)
        gate.at_most(f"dt {dt}: flux, from 2 u/h (s_in - s)", float(np.abs(result[:, 3:] - exact)[inside].max()), 1e-12)
        gate.at_most(f"dt {dt}: at walls", float(np.abs(result[:, 3:] - target)[[0, -1]].max()), 1e-15)


def cure(gate):
    """From rest to the flow that is there, by its flux, or at nodes with its history over the ramp; at nodes with the stress of each moment to another one. Largest Wi, and u off 6 y (1 - y)."""
    words = {"physics_oldroydb_lambda": 1, "mesh_box_faces": "24,8", "scheme": "lumped", "stop_steps": None, "stop_time": 20, "stop_steady_tol": 1e-4, "bc_left_polymer_at": None}
    for name, change, exact in (("triangles", {"mesh_box_cell": "triangle"}, 6), ("stress, ssp3", {"polymer_variable": "stress", "scheme": "fractional_step"}, 6), ("Heun", {"scheme_lumped_stepper": "heun"}, 6),
                                ("Euler", {"physics_oldroydb_lambda": 2}, 12), ("at nodes, with its history", {"bc_left_polymer_at": "nodes"}, 6), ("nodes", {"bc_left_polymer_at": "nodes", "bc_left_polymer_memory": "off"}, 6)):
        result = case("run", **{**words, **change})
        error = largest(abs(s[0] - 6 * x[1] * (1 - x[1])) for x, s in zip(result.checkpoint("positions"), result.checkpoint()))
        history = result.table("_history.csv")
        wi = float(history[next(k for k in history if k.lower().startswith("wi"))][-1])
        if name == "nodes":
            gate.at_least("at nodes: another flow, velocity", error, 0.3)
            gate.at_least("at nodes: another flow, largest Wi over that of the wall", wi / exact, 1.5)
        else:
            gate.at_most(f"Wi {exact}, {name}: velocity", error, 0.2)
            gate.relative(f"Wi {exact}, {name}: largest Wi", wi, exact, 0.12)


def main():
    if sys.argv[1:] == ["flux"]:
        gate = Gate("boundary_tension_flux")
        flux(gate)
        cure(gate)
        return gate.finish()
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
    gate.true("in the flux: nothing is told", not told(case(bc_left_polymer_at=None)))
    steady = case("run", scheme="steady", scheme_steady_time=2, stop_steps=None, scheme_steady_continuation="physics_oldroydb_lambda=0.25:0.25:0.75")
    gate.true("steady, by continuation: nothing is told", not told(steady))
    gate.true("steady, at once: told", len(told(case(scheme="steady", scheme_steady_time=2, stop_steps=None))) == 1)
    gate.at_most("steady: velocity from 6 y (1 - y)", largest(abs(s[0] - 6 * x[1] * (1 - x[1])) for x, s in zip(steady.checkpoint("positions"), steady.checkpoint())), 0.02)
    return gate.finish()


sys.exit(main())
