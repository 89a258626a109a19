"""Scalar fields in `steady` and `monolithic`, unknowns of the same Newton's method. implicit.py
  orders <cell> [gls]  manufactured concentration that changes with time: order 2 where dt and h are refined together
  time                 order in dt alone (bdf, cn); steps by their error see the concentration
  rest <np>            a channel with a step of the inlet's concentration: the steady state is that of the explicit scheme at rest and stays in steps of monolithic"""
import math
import sys

import common
import l2
import numpy as np
import orders
import run
import sympy as sp
from gate import Gate

MONOLITHIC = ("-scheme", "monolithic", "-snes_rtol", 1e-11, "-ksp_rtol", 1e-8)


def without(words, *names):
    """Pairs of a list of options but for these."""
    return [w for k in range(0, len(words), 2) if words[k][1:] not in names for w in words[k:k + 2]]


def manufactured(cell, n, steps, stabiliser="split_oss", *more, np_=1):
    words = without(orders.case(2, stabiliser), "scheme_lumped_stepper", "stop_time")
    return run.rheoplex("run", *words, "-mesh_box_faces", f"{n},{n}", "-mesh_box_cell", cell, "-stop_time", 0.4, "-scheme_monolithic_dt", 0.4 / steps, "-device", "cpu", *MONOLITHIC, *more,
                        out=run.folder("implicit"), np=np_)


def order_of(gate, cell, stabiliser="split_oss"):
    stabiliser = "split_oss,gls" if stabiliser == "gls" else stabiliser
    exact, meshes, errors = sp.lambdify(common.X, common.concentration(2).subs(common.T, 0.4), "numpy"), (6, 12, 24), []
    for n in meshes:
        got = manufactured(cell, n, 2 * n, stabiliser).fields()
        errors.append(l2.error(got, [(got["concentration"][:, None], lambda p: exact(*p.T)[:, None])])[0])
    gate.order("concentration", meshes, errors, 1.9)


def time(gate):
    for integrator in "bdf", "cn":
        a, b, c = (manufactured("mixed", 6, steps, "split_oss", "-ts_type", integrator).checkpoint()[:, -1] for steps in (16, 32, 64))
        gate.at_least(f"{integrator}: order of the concentration in time", math.log2(np.abs(a - b).max() / np.abs(b - c).max()), 1.85)
    here, there = (manufactured("mixed", 6, 16, np_=k).checkpoint() for k in (1, 3))
    gate.at_most("np 3: concentration", float(np.abs(here - there)[:, -1].max()), 1e-9)
    adapt = ("-ts_adapt_type", "basic", "-ts_rtol", 1e-30)
    few, many = (len(manufactured("mixed", 6, 16, "split_oss", *adapt, "-ts_atol", atol).table("_history.csv")["t"]) for atol in (1e-3, 1e-5))
    gate.at_least("a flow at rest in its frame: steps that the concentration asks for, over those of a tolerance 100 times larger", many / few, 2)


def channel(*more, np_=1):
    return run.rheoplex("run", "-case_name", "rest", "-mesh_box_faces", "14,6", "-mesh_box_lower", "0,-1", "-mesh_box_upper", "4,1", "-mesh_box_cell", "mixed", "-mesh_box_jitter", 0.1,
                        "-physics", "newtonian,giesekus,passive", "-physics_newtonian_viscosity", 0.7, "-physics_giesekus_viscosity", 0.6, "-physics_giesekus_lambda", 0.4,
                        "-physics_giesekus_alpha", 0.2, "-physics_passive_diffusivity", 0.3, "-physics_passive_decay", 0.7, "-physics_passive_supply", 0.4, "-polymer_variable", "stress", "-stabiliser",
                        "devss,split_oss", "-form_density", 2, "-bc_left_type", "inlet", "-bc_left_velocity", "1-y^4+0.2*sin(3*y)*(1-y^2),0", "-bc_left_polymer", "rest",
                        "-bc_left_concentration", "value 1+tanh(4*y)", "-bc_right_type", "outlet", "-bc_right_form", "gradient", "-bc_right_polymer", "zero", "-bc_top_type", "wall",
                        "-bc_bottom_type", "wall", "-bc_top_concentration", "value 2", "-device", "cpu", "-output_fields", "false", *more, out=run.folder("implicit"), np=np_)


def rest(gate, ranks):
    corrected = ("-stabiliser_split_oss_projection_corrections", 2)
    lumped = ("-scheme", "steady", "-scheme_steady_projection", "lumped", *corrected)
    found = channel(*lumped, np_=int(ranks))
    state = found.checkpoint()
    gate.at_least("largest difference of concentrations", float(np.ptp(state[:, -1])), 1)
    if ranks == "1":
        explicit = channel(*corrected, "-scheme", "lumped", "-scheme_lumped_cfl", 0.8, "-stop_steady_tol", 1e-10, "-stop_time", 400)
        gate.at_most("difference from the explicit scheme at rest", float(abs(state - explicit.checkpoint()).max() / abs(state).max()), 1e-8)
    else:
        gate.at_most("difference from one rank", float(abs(state - channel(*lumped).checkpoint()).max() / abs(state).max()), 1e-9)
    steps = channel("-scheme", "monolithic", "-scheme_monolithic_projection", "lumped", *corrected, "-scheme_monolithic_dt", 0.3, "-stop_steps", 3, "-case_restart", found.file("_checkpoint.h5"),
                    np_=int(ranks))
    gate.at_most("change in steps of monolithic", float(abs(steps.checkpoint() - state).max() / abs(state).max()), 1e-9)


def main(check, *more):
    gate = Gate("_".join(("scalars_implicit", check) + more))
    {"orders": order_of, "time": time, "rest": rest}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
