"""Outlets whose pressure follows their flux. windkessel.py [cuda]

Pulsatile inflow into a channel that ends in a Windkessel: what it stores and its pressure are those of its equation, by each scheme; the
same on 1, 2, 3 ranks and after a restart (fractional_step with instant subscales: tracked ones let the outflow of a flow that speeds up
lag by 2 rho tau_0). Plug flow between two resistances: an implicit Euler step in the end, at a stiffness where
an explicit coupling would grow a thousandfold a step."""
import math
import sys

import h5py
import numpy as np
import run
from gate import Gate
from scipy.integrate import solve_ivp

RP, RD, C, DISTAL, FIRST, END, DT = 0.6, 3.0, 0.2, 0.3, 0.7, 0.8, 0.002
CHANNEL = {
    "case_name": "channel", "mesh_box_upper": "2,1", "mesh_box_faces": "10,6", "mesh_box_cell": "mixed", "physics": "newtonian", "physics_newtonian_viscosity": 0.05,
    "form_density": 1.3, "stabiliser": "split_oss", "bc_left_type": "inlet", "bc_left_profile": "parabolic", "bc_left_flow_rate": "0.4*(1-cos(2*pi*t))",
    "bc_bottom_type": "wall", "bc_top_type": "wall", "bc_right_type": "windkessel", "bc_right_proximal": RP, "bc_right_distal": RD, "bc_right_compliance": C,
    "bc_right_distal_pressure": DISTAL, "bc_right_initial_pressure": FIRST, "initial_pressure": FIRST, "stop_time": END, "output_fields": "false",
    "scheme_lumped_dt": DT, "pressure_ksp_rtol": 1e-13,
}
PLUG = {
    "case_name": "plug", "mesh_box_upper": "2,0.7", "mesh_box_faces": "8,4", "mesh_box_cell": "mixed", "physics": "newtonian", "physics_newtonian_viscosity": 0.05,
    "form_density": 1.3, "stabiliser": "split_oss", "bc_left_type": "resistance", "bc_left_pressure_by_flux": "1.5+0.4*q", "bc_right_type": "resistance",
    "bc_right_pressure_by_flux": "0.3+0.7*q", "bc_bottom_type": "symmetry", "bc_top_type": "symmetry", "scheme_lumped_dt": 0.01, "stop_steps": 100,
    "output_fields": "false", "pressure_ksp_rtol": 1e-13,
}
FRACTIONAL = {"scheme": "fractional_step", "scheme_fractional_step_subscales": "instant", "scheme_fractional_step_dt": DT, "scheme_lumped_dt": None}
WINDKESSEL, RESISTANCE = "condition_right_windkessel", "condition_right_resistance"


def case(base, device="cpu", np_=1, expect=0, **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, "-device", device, out=run.folder("windkessel"), np=np_, expect=expect, timeout=600)


def state(result, name):
    """Pressure of the next step, flux, and what the type keeps."""
    with h5py.File(result.file("_checkpoint.h5")) as f:
        return f.attrs[name][...]


def inflow(t):
    return 0.4 * (1 - math.cos(2 * math.pi * t))


def equation(gate):
    exact = solve_ivp(lambda t, p: [(inflow(t) - (p[0] - DISTAL) / RD) / C], [0, END + DT], [FIRST], t_eval=[END, END + DT], rtol=1e-10, atol=1e-12).y[0]
    for name, changes in {"lumped": {}, "fractional_step": FRACTIONAL, "bdf2": {**FRACTIONAL, "scheme_fractional_step_integrator": "bdf2"}}.items():
        kept = state(case(CHANNEL, **changes), WINDKESSEL)
        gate.relative(f"{name}: pressure over the compliance", kept[3], exact[0], 1e-4)
        gate.relative(f"{name}: pressure of the next step", kept[0], exact[1] + RP * inflow(END + DT), 2e-4)
    kept = state(case(CHANNEL, bc_right_distal=1e12), WINDKESSEL) # nothing flows off
    gate.relative("compliance alone: pressure over it", kept[3], FIRST + 0.4 * (END - math.sin(2 * math.pi * END) / (2 * math.pi)) / C, 1e-4)
    result = case(CHANNEL, stop_time=None, stop_steps=1, bc_right_initial_pressure=0.4)
    end = np.abs(result.checkpoint("positions")[:, 0] - 2) < 1e-9
    gate.relative("pressure at the outlet after a step from another one", float(result.checkpoint()[end, 2].mean()), 0.4, 1e-3)
    result = case(CHANNEL, bc_right_proximal=1e4)
    gate.near("stiff: flux", state(result, WINDKESSEL)[1], inflow(END), 2e-4)
    gate.relative("stiff: mean pressure in the flow", float(result.checkpoint()[:, 2].mean()), 1e4 * inflow(END), 2e-3)


def plug(gate):
    """rho L dQ/dt = H (1.2 - 1.1 Q); the first steps are not those of the equation, for the projection is stabilised."""
    flux, dt = 0.0, 0.01
    for _ in range(100):
        flux = (flux + dt * 0.7 / 2.6 * 1.2) / (1 + dt * 0.7 / 2.6 * 1.1)
    for np_ in (1, 3):
        kept = state(case(PLUG, np_=np_), RESISTANCE)
        gate.relative(f"np {np_}: flux between two resistances", kept[1], flux, 2e-3)
        gate.relative(f"np {np_}: pressure behind it", kept[0], 0.3 + 0.7 * kept[1], 5e-3)
    nodes = state(case(PLUG, bc_left_pressure_at="nodes", bc_right_pressure_at="nodes"), RESISTANCE)
    gate.relative("pressure at nodes: flux between two resistances", nodes[1], flux, 2e-3)
    stiff = state(case(PLUG, bc_right_pressure_by_flux="0.3+1000*q+50*q*abs(q)", bc_left_pressure_by_flux="1.5", stop_steps=300), RESISTANCE)
    root = (-1000 + math.sqrt(1000**2 + 4 * 50 * 1.2)) / 100
    gate.relative("stiff and quadratic: flux", stiff[1], root, 1e-4)
    tiny = state(case(PLUG, bc_left_pressure_by_flux="1e-9", bc_right_pressure_by_flux="1e-3*sqrt(q)", initial_velocity=f"{0.8e-12 / 0.7},0", initial_pressure="0.9e-9", stop_steps=300), RESISTANCE)
    gate.relative("a root of a tiny flux: flux", tiny[1], 1e-12, 1e-5)


def same(gate, device):
    """Ranks, a restart, and the other side."""
    short = {**CHANNEL, "stop_time": None, "stop_steps": 12, "bc_right_initial_pressure": 0.4}
    whole = case(short, device)
    reference = state(whole, WINDKESSEL)
    for np_ in (2, 3):
        more = case(short, device, np_)
        gate.at_most(f"np {np_}: flow", float(np.abs(more.checkpoint() - whole.checkpoint()).max()), 1e-10)
        gate.at_most(f"np {np_}: state", float(np.abs(state(more, WINDKESSEL) - reference).max()), 1e-10)
    first = case({**short, "stop_steps": 5}, device)
    second = case(short, device, case_restart=first.file("_checkpoint.h5"))
    gate.at_most("restart: flow", float(np.abs(second.checkpoint() - whole.checkpoint()).max()), 1e-12)
    gate.at_most("restart: state", float(np.abs(state(second, WINDKESSEL) - reference).max()), 1e-12)
    if device != "cpu":
        gate.at_most("lumped: flow of host and device", float(np.abs(case(short).checkpoint() - whole.checkpoint()).max()), 1e-10)
        for name, changes in {"heun": {"scheme_lumped_stepper": "heun"}, "fractional_step": FRACTIONAL, "nodes": {"bc_right_pressure_at": "nodes"}}.items():
            here, there = case(short, **changes), case(short, device, **changes)
            gate.at_most(f"{name}: flow of host and device", float(np.abs(here.checkpoint() - there.checkpoint()).max()), 1e-10)
            gate.at_most(f"{name}: state of host and device", float(np.abs(state(here, WINDKESSEL) - state(there, WINDKESSEL)).max()), 1e-10)


def refused(gate):
    right = "-bc_right_"
    cases = [
        (CHANNEL, {"bc_right_distal": None}, ("without its distal resistance", f"{right}distal")),
        (CHANNEL, {"bc_right_compliance": None}, ("without its compliance", f"{right}compliance")),
        (CHANNEL, {"bc_right_compliance": -1}, (f"{right}compliance", "-1")),
        (CHANNEL, {"bc_right_proximal": -0.1}, (f"{right}proximal", "-0.1")),
        (CHANNEL, {"bc_right_pressure": "1"}, (f"{right}pressure", "does not take")),
        (CHANNEL, {"scheme_lumped_variant": "dissipative"}, (f"{right}type windkessel", "by dissipation")),
        (CHANNEL, {"scheme": "steady", "scheme_lumped_dt": None, "stop_time": None, "pressure_ksp_rtol": None}, (f"{right}type windkessel", "follows the flow")),
        (CHANNEL, {"scheme": "monolithic", "scheme_lumped_dt": None, "scheme_monolithic_dt": DT, "pressure_ksp_rtol": None}, ("-scheme monolithic", f"{right}type windkessel", "follows the flow")),
        (PLUG, {"bc_right_pressure_by_flux": None}, ("without a formula", f"{right}pressure_by_flux")),
        (PLUG, {"bc_right_pressure_by_flux": "x"}, (f"{right}pressure_by_flux", "expected an expression in q, t")),
        (PLUG, {"bc_right_pressure_by_flux": "log(q)"}, (f"{right}pressure_by_flux", "expected a finite number")),
        (PLUG, {"bc_right_pressure_by_flux": "1-2*q"}, (f"{right}type resistance", "rises with the flux")),
    ]
    for base, changes, expected in cases:
        gate.refused(case(base, expect=None, **changes), expected)


def main(device):
    gate = Gate(f"boundary_windkessel_{device}")
    same(gate, device)
    if device == "cpu":
        for check in (equation, plug, refused):
            check(gate)
    return gate.finish()


sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "cpu"))
