"""Outlets whose pressure follows their flux. windkessel.py explicit|implicit [cuda]

Pulsatile inflow into a channel that ends in a Windkessel: what it stores and its pressure are those of its equation, by each scheme; the
same on 1, 2, 3 ranks and after a restart (fractional_step loses flow of second order in dt; with instant subscales ssp3 is ten times as far from the equation).
Plug flow between two resistances: an implicit Euler step in the end, at a stiffness where an explicit coupling would grow a thousandfold a step.

implicit: `monolithic` solves for the pressures with the flow, of second order in dt and at any stiffness; `steady` has p = (R_p + R_d) Q + p_d.
A flow that divides between two of them is that of plain outlets with the pressures that were found."""
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
FRACTIONAL = {"scheme": "fractional_step", "scheme_fractional_step_integrator": "ssp3", "scheme_fractional_step_dt": DT, "scheme_lumped_dt": None}
MONOLITHIC = {"scheme": "monolithic", "scheme_lumped_dt": None, "scheme_monolithic_dt": 0.02, "pressure_ksp_rtol": None, "snes_rtol": 1e-12, "pc_renew": "always"}  # demand goes by the time that solves take
STEADY = {"scheme": "steady", "scheme_lumped_dt": None, "stop_time": None, "stop_steps": None, "pressure_ksp_rtol": None}
# In at the top, out to both sides.
TEE = {**{key: CHANNEL[key] for key in CHANNEL if not key.startswith("bc_")}, "case_name": "tee", "mesh_box_faces": "12,6", "form_density": 1e-3, "bc_top_type": "inlet", "bc_bottom_type": "wall",
       "bc_top_velocity": "0,-0.5*x*(2-x)", "bc_left_type": "windkessel", "bc_left_proximal": 1, "bc_left_distal": 3, "bc_left_compliance": 0.1,
       "bc_left_distal_pressure": DISTAL, "bc_right_type": "resistance", "bc_right_pressure_by_flux": f"{DISTAL}+2*q"}
WINDKESSEL, RESISTANCE = "condition_right_windkessel", "condition_right_resistance"


def case(base, device="cpu", np_=1, expect=0, **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, "-device", device, out=run.folder("windkessel"), np=np_, expect=expect, timeout=600)


def state(result, name):
    """Pressure of the last step, flux, and what the type keeps."""
    with h5py.File(result.file("_checkpoint.h5")) as f:
        return f.attrs[name][...]


def inflow(t):
    return 0.4 * (1 - math.cos(2 * math.pi * t))


def equation(gate):
    exact = solve_ivp(lambda t, p: [(inflow(t) - (p[0] - DISTAL) / RD) / C], [0, END], [FIRST], t_eval=[END], rtol=1e-10, atol=1e-12).y[0]
    for name, changes in {"lumped": {}, "fractional_step": FRACTIONAL, "bdf2": {**FRACTIONAL, "scheme_fractional_step_integrator": "bdf2"}}.items():
        kept = state(case(CHANNEL, **changes), WINDKESSEL)
        gate.relative(f"{name}: pressure over the compliance", kept[3], exact[0], 1e-4)
        gate.relative(f"{name}: pressure of the last step", kept[0], exact[0] + RP * inflow(END), 2e-4)
    for integrator in ("bdf2", "ssp3"):
        lost = []
        for dt in (0.008, 0.004):
            table = case(CHANNEL, **{**FRACTIONAL, "scheme_fractional_step_integrator": integrator, "scheme_fractional_step_dt": dt}).table("_history.csv")
            lost.append(float(np.abs(table["mass_error"][table["t"] > 0.1]).mean()))
        gate.at_most(f"{integrator}: flow lost, mean, dt 0.004", lost[1], 3.5e-4)
        gate.at_least(f"{integrator}: order of the flow that is lost", math.log2(lost[0] / lost[1]), 1.7)
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
    root = (-1000 + math.sqrt(1000**2 + 4 * 50 * 1.2)) / 100
    for name, scheme in (("lumped", {}), ("lumped, tracked", {"scheme_lumped_subscales": "tracked", "stop_steps": 600}), ("lumped, tracked, Heun", {"scheme_lumped_subscales": "tracked", "scheme_lumped_stepper": "heun"}), ("ssp3", {**FRACTIONAL, "scheme_fractional_step_dt": 0.01})):
        stiff = state(case(PLUG, **{"bc_right_pressure_by_flux": "0.3+1000*q+50*q*abs(q)", "bc_left_pressure_by_flux": "1.5", "stop_steps": 300, **scheme}), RESISTANCE)
        gate.relative(f"{name}, stiff and quadratic: flux", stiff[1], root, 1e-4)
    tiny = state(case(PLUG, bc_left_pressure_by_flux="1e-9", bc_right_pressure_by_flux="1e-3*sqrt(q)", initial_velocity=f"{0.8e-12 / 0.7},0", initial_pressure="0.9e-9", stop_steps=300), RESISTANCE)
    gate.relative("a root of a tiny flux: flux", tiny[1], 1e-12, 1e-5)


def in_time(gate):
    """The equation by each integrator; plug flow, rho L dQ/dt = H (1.2 - 1.1 Q); a stiff one, where the pressure is huge and the flux is given."""
    exact = solve_ivp(lambda t, p: [(inflow(t) - (p[0] - DISTAL) / RD) / C], [0, END], [FIRST], rtol=1e-10, atol=1e-12).y[0, -1]
    for integrator in ("bdf", "cn", "theta"):
        errors = []
        for dt in (0.02, 0.01):
            kept = state(case(CHANNEL, **{**MONOLITHIC, "scheme_monolithic_dt": dt, "scheme_monolithic_integrator": integrator}), WINDKESSEL)
            errors.append(abs(kept[3] / exact - 1))
            gate.near(f"{integrator}, dt {dt}: pressure at the end", kept[0], kept[3] + RP * kept[1], 1e-13)
        gate.at_most(f"{integrator}: pressure over the compliance", errors[1], 1e-4)
        gate.at_least(f"{integrator}: order in dt", math.log2(errors[0] / errors[1]), 1.9)
    bdf = {**CHANNEL, **MONOLITHIC, "stop_time": None}
    whole, first = case(bdf, stop_steps=20), case(bdf, stop_steps=10)
    again = case(bdf, stop_steps=20, case_restart=first.file("_checkpoint.h5"))
    gate.at_most("bdf from a checkpoint: flow", float(np.abs(again.checkpoint() - whole.checkpoint()).max()), 1e-12)
    flux = 1.2 / 1.1 * (1 - math.exp(-0.7 / 2.6 * 1.1))
    for where in ("traction", "nodes"):
        kept = state(case(PLUG, **{**MONOLITHIC, "bc_left_pressure_at": where, "bc_right_pressure_at": where, "stop_steps": 50}), RESISTANCE)
        gate.relative(f"pressure at {where}: flux between two resistances", kept[1], flux, 1e-4)
        gate.near(f"pressure at {where}: pressure of a resistance", kept[0], 0.3 + 0.7 * kept[1], 1e-12)
    result = case(CHANNEL, **{**MONOLITHIC, "bc_right_proximal": 1e4, "snes_rtol": None})
    gate.relative("stiff: mean pressure in the flow", float(result.checkpoint()[:, 2].mean()), 1e4 * inflow(END), 1e-3)


def at_rest(gate):
    """Between two resistances the parabola of 4 quads across, exact at nodes, with 1 - 1/16 of its flux."""
    own = 12 * 0.05 * 2 / 0.7**3 * 16 / 15
    walls = {**STEADY, "mesh_box_cell": "quadrilateral", "bc_bottom_type": "wall", "bc_top_type": "wall"}
    for where in ("traction", "nodes"):
        kept = state(case(PLUG, **{**walls, "bc_left_pressure_at": where, "bc_right_pressure_at": where}), RESISTANCE)
        gate.relative(f"at rest, pressure at {where}: flux between two resistances", kept[1], 1.2 / (1.1 + own), 1e-8)
    quadratic = state(case(PLUG, **{**walls, "bc_right_pressure_by_flux": "0.3+1000*q+50*q*abs(q)", "bc_left_pressure_by_flux": "1.5"}), RESISTANCE)
    gate.relative("at rest, stiff and quadratic: flux", quadratic[1], (-1000 - own + math.sqrt((1000 + own) ** 2 + 4 * 50 * 1.2)) / 100, 1e-8)
    result = case(CHANNEL, **{**STEADY, "bc_right_proximal": 1e4, "bc_left_flow_rate": 0.4})
    kept, pressure = state(result, WINDKESSEL), DISTAL + (1e4 + RD) * 0.4
    gate.relative("at rest: pressure of a windkessel", kept[0], pressure, 1e-8)
    gate.relative("at rest: pressure over the compliance", kept[3], DISTAL + RD * 0.4, 1e-8)
    end = np.abs(result.checkpoint("positions")[:, 0] - 2) < 1e-9
    gate.relative("at rest: pressure of the flow at the outlet", float(result.checkpoint()[end, 2].mean()), pressure, 1e-5)
    tube = state(case(CHANNEL, **{**STEADY, "form_axisymmetric": "true", "bc_bottom_type": "symmetry", "bc_left_flow_rate": 0.4}), WINDKESSEL)
    gate.near("at rest, axisymmetric: flux", tube[1], 0.4, 1e-9)
    gate.near("at rest, axisymmetric: pressure of a windkessel", tube[0], DISTAL + (RP + RD) * 0.4, 1e-8)
    later = state(case(CHANNEL, **{**MONOLITHIC, "bc_right_proximal": 1e4, "bc_left_flow_rate": 0.4, "case_restart": result.file("_checkpoint.h5"), "stop_time": None, "stop_steps": 3}), WINDKESSEL)
    gate.relative("monolithic from there: pressure over the compliance", later[3], kept[3], 1e-8)
    divided(gate)


def divided(gate):
    """R Q is the same on both sides where it is nearly all of the pressure; a Stokes flow moves no flux over the middle."""
    result = case(TEE, **STEADY)
    left, right = state(result, "condition_left_windkessel"), state(result, RESISTANCE)
    gate.relative("divided flow: what flows in and out, a parabola of 12 edges", left[1] + right[1], 2 / 3 * (1 - 1 / 144), 1e-8)
    plain = case(TEE, **{**STEADY, "bc_left_type": "outlet", "bc_left_pressure": repr(float(left[0])), "bc_right_type": "outlet", "bc_right_pressure": repr(float(right[0])),
                         **dict.fromkeys(("bc_left_proximal", "bc_left_distal", "bc_left_compliance", "bc_left_distal_pressure", "bc_right_pressure_by_flux"))})
    gate.at_most("divided flow: that of plain outlets", float(np.abs(plain.checkpoint() - result.checkpoint()).max()), 1e-8)
    strong = case(TEE, **{**STEADY, "bc_left_proximal": 3997, "bc_right_pressure_by_flux": f"{DISTAL}+2000*q"})
    left, right = state(strong, "condition_left_windkessel"), state(strong, RESISTANCE)
    gate.relative("divided flow: 1 to 2 by the resistances", left[1] / right[1], 0.5, 2e-4)
    for np_ in (2, 3):
        more = case(TEE, np_=np_, **STEADY)
        gate.at_most(f"divided flow: np {np_}", float(np.abs(more.checkpoint() - result.checkpoint()).max()), 1e-10)


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


def same_implicit(gate, device):
    """Ranks, a restart, and the other side."""
    short = {**CHANNEL, **MONOLITHIC, "stop_time": None, "stop_steps": 8, "output_checkpoint_every": 4, "bc_right_initial_pressure": 0.4}
    whole = case(short, device)
    reference = state(whole, WINDKESSEL)
    for np_ in (2, 3):
        more = case(short, device, np_)
        gate.at_most(f"np {np_}: flow", float(np.abs(more.checkpoint() - whole.checkpoint()).max()), 1e-10)
        gate.at_most(f"np {np_}: state", float(np.abs(state(more, WINDKESSEL) - reference).max()), 1e-10)
    first = case({**short, "stop_steps": 4}, device)
    second = case(short, device, case_restart=first.file("_checkpoint.h5"))
    gate.at_most("restart: flow", float(np.abs(second.checkpoint() - whole.checkpoint()).max()), 1e-12)
    gate.at_most("restart: state", float(np.abs(state(second, WINDKESSEL) - reference).max()), 1e-12)
    if device != "cpu":
        gate.at_most("monolithic: flow of host and device", float(np.abs(case(short).checkpoint() - whole.checkpoint()).max()), 1e-10)
        exact = {**STEADY, "snes_rtol": 1e-12}
        gate.at_most("steady: flow of host and device", float(np.abs(case(TEE, **exact).checkpoint() - case(TEE, device, **exact).checkpoint()).max()), 1e-10)


def begun(gate):
    """From a flow at rest out of two plain outlets, behind which come a Windkessel and a resistance that give their pressures at its fluxes: it
    stays, but for what bdf2 loses of a steady state. From a given velocity: the pressure is that of its flux and of what is stored."""
    flow = {**TEE, "form_density": 3, "diagnostic_out_kind": "flux", "diagnostic_out_label": "left,right"}
    plain = {**dict.fromkeys(key for key in TEE if key.startswith(("bc_left", "bc_right"))), "bc_left_type": "outlet", "bc_left_pressure": "2.5", "bc_right_type": "outlet", "bc_right_pressure": "2.6"}
    rest = case({**flow, **plain}, **{**STEADY, "snes_rtol": 1e-12})
    out = [float(rest.table("_out.csv")[f"{side}_flux"][-1]) for side in ("left", "right")]
    behind = {"bc_left_distal_pressure": 2.5 - 4 * out[0], "bc_left_initial_pressure": 2.5 - out[0], "bc_right_pressure_by_flux": f"2.6+20*(q-{out[1]!r})"}
    bdf2 = {**FRACTIONAL, "scheme_fractional_step_integrator": "bdf2", "stop_time": None, "stop_steps": 6, "case_restart": rest.file("_checkpoint.h5")}
    for np_ in (1, 2):
        after = case(flow, np_=np_, **{**behind, **bdf2})
        table = after.table("_out.csv")
        change = max(float(np.abs(table[f"{side}_flux"] / q - 1).max()) for side, q in zip(("left", "right"), out))
        gate.at_most(f"np {np_}: fluxes behind which labels follow, after plain outlets", change, 4e-3)
        gate.near(f"np {np_}: pressure of the resistance", state(after, RESISTANCE)[0], 2.6, 0.02)
    one = {"initial_velocity": "6*0.3*y*(1-y),0", "initial_pressure": None, "bc_left_flow_rate": "0.3", "stop_time": None, "stop_steps": 1, "scheme_lumped_dt": 1e-6}
    kept = state(case(CHANNEL, **one), WINDKESSEL)
    gate.relative("a given velocity: pressure of the first step", kept[0], FIRST + RP * 0.3 * (1 - 1 / 36), 1e-3)


def refused(gate):
    right = "-bc_right_"
    cases = [
        (CHANNEL, {"bc_right_distal": None}, ("without its distal resistance", f"{right}distal")),
        (CHANNEL, {"bc_right_compliance": None}, ("without its compliance", f"{right}compliance")),
        (CHANNEL, {"bc_right_compliance": -1}, (f"{right}compliance", "-1")),
        (CHANNEL, {"bc_right_proximal": -0.1}, (f"{right}proximal", "-0.1")),
        (CHANNEL, {"bc_right_pressure": "1"}, (f"{right}pressure", "does not take")),
        (CHANNEL, {"scheme_lumped_variant": "dissipative"}, (f"{right}type windkessel", "by dissipation")),
        (PLUG, STEADY, ("the matrix is singular", "(1, 0, 0)")),
        (PLUG, {**STEADY, "bc_right_pressure_by_flux": "0.3+q*(1+t)"}, ("-scheme steady", "change after t = 0")),
        (PLUG, {**STEADY, "bc_top_type": "wall", "bc_right_pressure_by_flux": "1-2*q"}, (f"{right}pressure_by_flux", "rises with the flux")),
        (PLUG, {"bc_right_pressure_by_flux": None}, ("without a formula", f"{right}pressure_by_flux")),
        (PLUG, {"bc_right_pressure_by_flux": "x"}, (f"{right}pressure_by_flux", "expected an expression in q, t")),
        (PLUG, {"bc_right_pressure_by_flux": "log(q)"}, (f"{right}pressure_by_flux", "expected a finite number")),
        (PLUG, {"bc_right_pressure_by_flux": "1-2*q"}, (f"{right}pressure_by_flux", "rises with the flux")),
    ]
    for base, changes, expected in cases:
        gate.refused(case(base, expect=None, **changes), expected)


def main(check, device="cpu"):
    gate = Gate(f"boundary_windkessel_{device}" if check == "explicit" else f"boundary_windkessel_{check}_{device}")
    on, on_host = {"explicit": (same, (equation, plug, begun, refused)), "implicit": (same_implicit, (in_time, at_rest))}[check]
    on(gate, device)
    if device == "cpu":
        for one in on_host:
            one(gate)
    return gate.finish()


sys.exit(main(*sys.argv[1:]))
