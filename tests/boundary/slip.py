"""Walls with slip, without friction, and rotating ones. slip.py [cuda | implicit | curved | newton <np>]

Plane Poiseuille flow with slip, by friction and by a formula of the shear stress, along the axes and oblique to them; half of it behind a
frictionless wall; Taylor-Couette flow with slip outside, and without friction there a rigid rotation; torques of a Newtonian, an Oldroyd-B
and a Carreau fluid against their equations. curved: Taylor-Couette flow with slip by a formula of the stress, outside or inside; a tube. Ranks, restart, host and device; what is refused. implicit: the
first two, and a polymer in three dimensions, by Newton's method. newton: states and iterations of it on a device are those of the host."""
import math
import re
import sys

import mshwrite
import numpy as np
import run
from gate import Gate, largest
from scipy.integrate import quad
from scipy.optimize import brentq

H, LENGTH, TURN, RHO, ETA, FORCE, FRICTION, N = 0.7, 0.6, 0.5, 1.3, 0.4, 5.0, 3.5, 14
BY_STRESS = "0.05*tau*(1+0.3*tau^2)"
STIFFENING = "0.15*log(1+tau)"
R1, R2, OMEGA = 0.5, 1.0, 0.9
NEWTONIAN = {"case_name": "slip", "physics": "newtonian", "physics_newtonian_viscosity": ETA, "form_density": RHO, "stabiliser": "split_oss", "output_fields": "false",
             "pressure_ksp_rtol": 1e-13}
CHANNEL = {**NEWTONIAN, "mesh_box_faces": f"4,{N}", "mesh_box_upper": f"{LENGTH},{H}", "mesh_periodic": "left,right", "form_body_force": f"{FORCE},0", "bc_bottom_type": "slip",
           "bc_bottom_friction": FRICTION, "bc_top_type": "slip", "bc_top_friction": FRICTION, "scheme": "lumped", "scheme_lumped_dt": 0.003, "stop_time": 4}
COUETTE = {**NEWTONIAN, "bc_inner_type": "rotating_wall", "bc_inner_angular_velocity": OMEGA, "bc_inner_axis_point": "0.2,0.1", "bc_outer_type": "wall", "scheme": "steady",
           "pressure_ksp_rtol": None, "diagnostic_f_kind": "forces", "diagnostic_f_label": "inner,outer", "diagnostic_f_centre": "0.2,0.1", "diagnostic_f_torque": "true"}
BDF2 = {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": 0.01, "stop_time": 3}


def case(base, device="cpu", np_=1, expect=0, **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, "-device", device, out=run.folder("slip"), np=np_, expect=expect, timeout=300)


def oblique(folder):
    c, s = math.cos(TURN), math.sin(TURN)
    path = mshwrite.channel(f"{folder}/oblique.msh", 4, N, lambda i, j: (c * LENGTH * i / 4 - s * H * j / N, s * LENGTH * i / 4 + c * H * j / N))
    return {"mesh_file": path, "mesh_box_faces": None, "mesh_box_upper": None, "form_body_force": f"{FORCE * c!r},{FORCE * s!r}"}


def ring(folder, nr=10, nt=56):
    place = lambda i, j: (0.2 + (R1 + (R2 - R1) * i / nr) * math.cos(2 * math.pi * j / nt), 0.1 + (R1 + (R2 - R1) * i / nr) * math.sin(2 * math.pi * j / nt))
    return {"mesh_file": mshwrite.annulus(f"{folder}/ring.msh", nr, nt, place)}


def profile(result, turn=0.0):
    """Distance from the lower wall, and velocity along and across."""
    x, u = result.checkpoint("positions"), result.checkpoint()
    c, s = math.cos(turn), math.sin(turn)
    return c * x[:, 1] - s * x[:, 0], c * u[:, 0] + s * u[:, 1], c * u[:, 1] - s * u[:, 0]


def compare(gate, what, result, slip, turn=0.0, bound=1e-5):
    y, along, across = profile(result, turn)
    exact = FORCE / (2 * ETA) * y * (H - y) + slip
    gate.at_most(f"{what}: velocity", float(np.abs(along - exact).max() / exact.max()), bound)
    gate.at_most(f"{what}: velocity across", float(np.abs(across).max()), 1e-9)


def channel(gate, folder):
    slip, tau = FORCE * H / 2 / FRICTION, FORCE * H / 2
    result = case(CHANNEL, diagnostic_f_kind="forces", diagnostic_f_label="bottom", diagnostic_w_kind="wall", diagnostic_w_label="bottom,top", diagnostic_e_kind="energy")
    compare(gate, "friction", result, slip)
    force = result.table("_f.csv")["bottom_x"][-1]
    gate.relative("friction: force on the wall", force, tau * LENGTH, 1e-5)
    for label in ("bottom", "top"):
        wall = result.table(f"_w_{label}.csv")
        gate.at_most(f"friction: shear stress of {label}", float(np.abs(np.array([wall["wss_x"] - tau, wall["wss_y"]])).max()) / tau, 1e-5)
    energy = {name: float(column[-1]) for name, column in result.table("_e.csv").items()}
    gate.relative("energy: work of the friction", energy["wall_work"], -2 * tau * slip * LENGTH, 1e-5)
    gate.at_most("energy: residual of the budget over the work of the force", abs(energy["residual"]) / energy["body_work"], 0.01)
    compare(gate, "friction, oblique", case(CHANNEL, **oblique(folder)), slip, TURN)
    formula = {"bc_bottom_friction": None, "bc_top_friction": None, "bc_bottom_slip_by_stress": BY_STRESS, "bc_top_slip_by_stress": BY_STRESS, "scheme_lumped_dt": 0.0015, "stop_time": 3}
    compare(gate, "slip by the stress", case(CHANNEL, **formula), 0.05 * tau * (1 + 0.3 * tau**2))
    half = {"bc_bottom_type": "wall", "bc_bottom_friction": None, "bc_top_type": "free_slip", "bc_top_friction": None, "stop_time": 6}
    for name, changes, turn in (("half, oblique", oblique(folder), TURN), ("half, steady", {"scheme": "steady", "scheme_lumped_dt": None, "stop_time": None, "pressure_ksp_rtol": None}, 0.0)):
        y, along, _ = profile(case(CHANNEL, **{**half, **changes}), turn)
        gate.at_most(f"{name}: velocity", float(np.abs(along / (FORCE / (2 * ETA) * (y * (2 * H - y)) + (y < 1e-9)) - (y > 1e-9)).max()), 2e-4)


def couette(gate, folder):
    mesh, flow = ring(folder), {**COUETTE, "scheme": None}
    torque = 4 * math.pi * ETA * OMEGA * R1**2 * R2**2 / (R2**2 - R1**2)
    last = lambda result, name: float(result.table("_f.csv")[name][-1])
    result = case(COUETTE, **mesh)
    gate.relative("torque, Newtonian", -last(result, "inner_torque"), torque, 0.01)
    gate.relative("torque, Newtonian, outside", last(result, "outer_torque"), torque, 0.01)
    polymer = {**COUETTE, **mesh, "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.1, "physics_oldroydb_viscosity": 0.3, "physics_oldroydb_lambda": 0.35, "stabiliser": "devss,split_oss",
               "polymer_variable": "stress"}
    result = case(polymer)
    gate.relative("torque, Oldroyd-B", -last(result, "inner_torque"), torque, 0.015)
    carreau = {"physics": "carreau_yasuda", "physics_newtonian_viscosity": None, "physics_carreau_yasuda_viscosity": 0.9, "physics_carreau_yasuda_viscosity_inf": 0.01,
               "physics_carreau_yasuda_lambda": 2.1, "physics_carreau_yasuda_n": 0.4}
    stress = lambda rate: rate * (0.01 + 0.89 * (1 + (2.1 * rate) ** 2) ** -0.3)
    rate = lambda tau: brentq(lambda g: stress(g) - tau, 0, 1e3)
    exact = brentq(lambda T: quad(lambda r: rate(T / (2 * math.pi * r * r)) / r, R1, R2)[0] - OMEGA, 1e-3, 10)
    gate.relative("torque, Carreau", -last(case(COUETTE, **mesh, **carreau), "inner_torque"), exact, 0.015)
    # u = A r + B/r: -2 eta B/R2^2 = -b u(R2)
    result = case(flow, **mesh, **BDF2, bc_outer_type="slip", bc_outer_friction=1.7)
    a, b = np.linalg.solve([[R1, 1 / R1], [1.7 * R2, 1.7 / R2 - 2 * ETA / R2**2]], [OMEGA * R1, 0])
    x, u = result.checkpoint("positions") - [0.2, 0.1], result.checkpoint()
    r = np.hypot(x[:, 0], x[:, 1])
    around = (x[:, 0] * u[:, 1] - x[:, 1] * u[:, 0]) / r
    gate.at_most("slip outside: velocity", float(np.abs(around - a * r - b / r).max() / (OMEGA * R1)), 0.005)
    gate.relative("slip outside: torque on it", last(result, "outer_torque"), 4 * math.pi * ETA * b, 0.01)
    gate.relative("slip outside: torque inside", -last(result, "inner_torque"), 4 * math.pi * ETA * b, 0.01)
    result = case(polymer, bc_outer_type="slip", bc_outer_friction=1.7)
    state = result.checkpoint()
    around = (x[:, 0] * state[:, 1] - x[:, 1] * state[:, 0]) / r
    gate.at_most("slip outside, Oldroyd-B: velocity", float(np.abs(around - a * r - b / r).max() / (OMEGA * R1)), 0.005)
    gate.relative("slip outside, Oldroyd-B: torque on it", last(result, "outer_torque"), 4 * math.pi * ETA * b, 0.01)
    trace, hoop = state[:, 3] + state[:, 4], 2 * 0.3 * 0.35 * (2 * b / r**2) ** 2  # eta_p lambda times twice the square of the shear rate
    gate.at_most("slip outside, Oldroyd-B: first normal stress difference, on the curved wall too", float(np.abs(trace - hoop)[r > 0.6].max() / hoop.max()), 0.03)
    state = case(polymer, bc_outer_type="free_slip").checkpoint()
    around = (x[:, 0] * state[:, 1] - x[:, 1] * state[:, 0]) / r
    gate.at_most("no friction outside, Oldroyd-B: rigid rotation", float(np.abs(around - OMEGA * r).max() / OMEGA), 0.005)
    gate.at_most("no friction outside, Oldroyd-B: stress over the modulus", float(np.abs(state[:, 3:]).max() / (0.3 / 0.35)), 0.02)
    result = case(flow, **mesh, **{**BDF2, "stop_time": 6.5, "scheme_fractional_step_dt": 0.02}, bc_outer_type="free_slip")
    u = result.checkpoint()
    around = (x[:, 0] * u[:, 1] - x[:, 1] * u[:, 0]) / r
    gate.at_most("no friction outside: rigid rotation", float(np.abs(around - OMEGA * r).max() / OMEGA), 0.005)


def curved(gate, folder):
    """u = A r + B/r; at a curved wall at rest A R + B/R = f(2 eta |B|/R^2), outside and inside, f a cubic. By bdf2 until nothing changes."""
    slip = lambda tau: 0.4 * tau * (1 + 1.5 * tau**2)
    polymer = {"physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.1, "physics_oldroydb_viscosity": 0.3, "physics_oldroydb_lambda": 0.35, "stabiliser": "devss,split_oss", "polymer_variable": "stress"}
    for where, turning, resting, radius, other, torques in ("outside", "inner", "outer", R2, R1, 1e-3), ("inside", "outer", "inner", R1, R2, 3e-3):
        at_wall = lambda b: (OMEGA - b / other**2) * radius + b / radius
        b = brentq(lambda b: at_wall(b) - slip(2 * ETA * abs(b) / radius**2), *((0, 1) if where == "outside" else (-1, 0)), xtol=1e-14)
        words = {"bc_inner_type": None, "bc_inner_angular_velocity": None, "bc_inner_axis_point": None, "bc_outer_type": None, f"bc_{turning}_type": "rotating_wall", f"bc_{turning}_angular_velocity": OMEGA,
                 f"bc_{turning}_axis_point": "0.2,0.1", f"bc_{resting}_type": "slip", f"bc_{resting}_slip_by_stress": "0.4*tau*(1+1.5*tau^2)", "snes_rtol": 1e-14}
        errors, states = {}, {}
        for name, cells, np_, more in (("coarse", 5, 1, {}), ("np 2", 5, 2, {}), ("np 3", 5, 3, {}), ("steady", 10, 1, {}), ("Oldroyd-B", 10, 1, polymer),
                                       ("bdf2", 10, 1, {**BDF2, "scheme_fractional_step_dt": 0.01, "stop_time": 7, "snes_rtol": None})):
            result = case(COUETTE, np_=np_, **ring(folder, cells, 6 * cells) | words | more)
            x, u, force = result.checkpoint("positions") - [0.2, 0.1], result.checkpoint(), result.table("_f.csv")
            r = np.hypot(x[:, 0], x[:, 1])
            exact = ((OMEGA - b / other**2) + b / r**2)[:, None] * np.stack([-x[:, 1], x[:, 0]], axis=1)
            errors[name], states[name] = float(np.abs(u[:, :2] - exact).max() / (OMEGA * other)), u
            if cells == 10:
                gate.at_most(f"slip by the stress {where}, {name}: velocity", errors[name], 4e-3 if name == "Oldroyd-B" else 8e-4)
                for label, sign in ("inner", -1), ("outer", 1):
                    gate.relative(f"slip by the stress {where}, {name}: torque, {label}", float(force[f"{label}_torque"][-1]), sign * 4 * math.pi * ETA * b, torques * (2 if name == "Oldroyd-B" else 1))
        gate.at_least(f"slip by the stress {where}: order", math.log2(errors["coarse"] / errors["steady"]), 1.9)
        gate.at_most(f"slip by the stress {where}, bdf2: |du/dt| at the end, m/s^2", float(result.table("_history.csv")["du_dt"][-1]), 1e-12)
        for name in "np 2", "np 3":
            gate.at_most(f"slip by the stress {where}, {name}: state", float(np.abs(states[name] - states["coarse"]).max()), 1e-10)


def tube(gate):
    """u = G (R^2 - r^2)/(4 eta) + f(G R/2), axisymmetric; the force is that of the balance."""
    tau, errors = FORCE * H / 2, []
    words = {"form_axisymmetric": "true", "bc_bottom_type": "symmetry", "bc_bottom_friction": None, "bc_top_friction": None, "bc_top_slip_by_stress": BY_STRESS, "diagnostic_f_kind": "forces", "diagnostic_f_label": "top"}
    for name, n, scheme in ("coarse", 7, STEADY), ("steady", 14, STEADY), ("lumped", 14, {"scheme_lumped_dt": 0.0015, "stop_time": 5}):
        result = case(CHANNEL, **words | scheme, mesh_box_faces=f"4,{n}")
        y, along, across = profile(result)
        exact = FORCE / (4 * ETA) * (H * H - y * y) + 0.05 * tau * (1 + 0.3 * tau**2)
        errors.append(float(np.hypot(along - exact, across).max() / exact.max()))
        gate.at_most(f"tube, {name}: velocity at the wall over that of its stress less 1", largest(np.abs(along[y > H - 1e-9] / exact[y > H - 1e-9] - 1)), 1e-5 if name == "lumped" else 1e-8)
        gate.relative(f"tube, {name}: force on the wall", float(result.table("_f.csv")["top_x"][-1]), tau * 2 * math.pi * H * LENGTH, 1e-6 if name == "lumped" else 1e-9)
    gate.at_least("tube: order of the velocity", math.log2(errors[0] / errors[1]), 1.7)
    gate.at_most("tube, 14 cells: velocity", largest(errors[1:]), 5e-3)


def several(gate, folder):
    """Two inlets and two outlets side by side are one of each."""
    flow = {**NEWTONIAN, "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.1, "physics_oldroydb_viscosity": 0.3, "physics_oldroydb_lambda": 0.35,
            "stabiliser": "devss,split_oss", "polymer_variable": "stress", "scheme": "steady", "pressure_ksp_rtol": None, "bc_bottom_type": "wall", "bc_top_type": "wall"}
    place = lambda i, j: (0.2 * i, 0.7 * j / 8 * (1 + 0.03 * i))
    states = []
    for ends in (("",), ("_low", "_high")):
        mesh = mshwrite.channel(f"{folder}/ends{len(ends)}.msh", 10, 8, place, halves=len(ends) > 1)
        ends = {key: value for end in ends for key, value in {f"bc_left{end}_type": "inlet", f"bc_left{end}_velocity": "y*(0.7-y),0", f"bc_right{end}_type": "outlet",
                                                              f"bc_right{end}_pressure": "0.3"}.items()}
        states.append(case(flow, mesh_file=mesh, **ends).checkpoint())
    gate.at_most("two inlets and two outlets against one of each", float(np.abs(states[1] - states[0]).max()), 1e-8)
    gate.at_least("flow in them", float(np.abs(states[0][:, 0]).max()), 0.1)


def same(gate, device, folder):
    polymer = {"physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.1, "physics_oldroydb_viscosity": 0.3, "physics_oldroydb_lambda": 0.35, "stabiliser": "devss,split_oss",
               "polymer_variable": "stress"}
    short = {**CHANNEL, **oblique(folder), **polymer, "bc_top_friction": None, "bc_top_slip_by_stress": BY_STRESS, "scheme_lumped_dt": 5e-4, "stop_time": None, "stop_steps": 12}
    whole = case(short, device).checkpoint()
    if device == "cpu":
        for np_ in (2, 3):
            gate.at_most(f"np {np_}: flow", float(np.abs(case(short, np_=np_).checkpoint() - whole).max()), 1e-10)
        half = case(short, stop_steps=6)
        gate.at_most("restart: flow", float(np.abs(case(short, case_restart=half.file("_checkpoint.h5")).checkpoint() - whole).max()), 1e-12)
        return
    gate.at_most("flow of host and device", float(np.abs(case(short).checkpoint() - whole).max()), 1e-10)


def refused(gate, folder):
    mesh = ring(folder, 3, 12)
    cases = [
        (CHANNEL, {"bc_top_friction": None}, ("label 'top'", "neither friction nor formula", "-bc_top_friction")),
        (CHANNEL, {"bc_top_slip_by_stress": BY_STRESS}, ("label 'top'", "a friction and a formula")),
        (CHANNEL, {"bc_top_friction": -1}, ("-bc_top_friction", "-1")),
        (CHANNEL, {"bc_top_friction": None, "bc_top_slip_by_stress": "1e-3+tau"}, ("-bc_top_slip_by_stress", "at tau = 0, expected 0")),
        (CHANNEL, {"bc_top_friction": None, "bc_top_slip_by_stress": "1e-3*q"}, ("-bc_top_slip_by_stress", "expected an expression in tau, t")),
        (CHANNEL, {"bc_top_friction": None, "bc_top_slip_by_stress": "0.1*tau/(1+tau*1e3)"}, ("-bc_top_slip_by_stress", "rises with tau without bound")),
        (CHANNEL, {"bc_top_friction": 100}, ("-bc_top_type slip", "a time step of 0.003 s, expected at most 0.000325 s")),
        (CHANNEL, {"bc_top_friction": None, "bc_top_slip_by_stress": "0.15*log(1+tau)", "stop_time": 1}, ("-bc_top_type slip", "a time step of 0.003 s", '"0.15*log(1+tau)" (-bc_top_slip_by_stress)')),
        (CHANNEL, {"bc_top_friction": None, "bc_top_slip_by_stress": "0.05*tau+tau^2"}, ("-bc_top_type slip", "a time step of 0.003 s, expected at most 0.00162")),
        (COUETTE, {**mesh, "bc_outer_type": "symmetry"}, ("-bc_outer_type symmetry", "expected a plane, or -bc_outer_type free_slip")),
        (COUETTE, {**mesh, "bc_inner_angular_velocity": None}, ("label 'inner'", "without its rate", "-bc_inner_angular_velocity")),
        (COUETTE, {**mesh, "bc_inner_angular_velocity": "1/0"}, ("-bc_inner_angular_velocity", '"1/0" gives inf at t = 0', "expected a finite number")),
        (COUETTE, {**mesh, "bc_inner_axis": "1,0,1"}, ("-bc_inner_axis", "along z in 2D")),
        (COUETTE, {**mesh, "bc_inner_axis_point": "1,b"}, ("-bc_inner_axis_point", "'1,b'")),
        (COUETTE, {**mesh, "bc_inner_friction": 1}, ("-bc_inner_friction", "does not take")),
    ]
    for base, changes, expected in cases:
        gate.refused(case(base, expect=None, **changes), expected)


def bounded(gate):
    """Steps that are chosen, or follow limits, stay below the bound rho h/(2 b) of a node of a wall of squares; others are told before a run."""
    most = RHO * (H / N) / (2 * FRICTION)
    square = {**CHANNEL, "mesh_box_faces": f"12,{N}", "scheme": None, "scheme_lumped_dt": None, "stop_steps": 2}
    for what, changes in (("auto", {}), ("a target", {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_cfl": 0.9, "scheme_fractional_step_dt": 0.02})):
        r = case(square, **changes)
        gate.near(f"{what}: the longest step", float(r.table("_history.csv")["dt"].max()), 0.9 * most, 0.02 * most)
        gate.true(f"{what}: it is told", "0.9 of what the friction of the wall 'bottom' allows" in r.stdout)
    stiff = {**square, "bc_bottom_friction": None, "bc_top_friction": None, "bc_bottom_slip_by_stress": STIFFENING, "bc_top_slip_by_stress": STIFFENING, "stop_steps": None, "stop_time": 4}
    tau, reach = FORCE * H / 2, 2 * N / H
    rest, flow = RHO / reach * 0.15, RHO / reach * 0.15 / (1 + tau)  # bounds of dt by d tau/du = (1 + tau)/0.15
    r = case(stiff)
    dt = r.table("_history.csv")["dt"]
    gate.near("a wall that stiffens: the first step", float(dt[0]), 0.9 * rest, 0.02 * rest)
    gate.near("a wall that stiffens: steps at the end", float(np.median(dt[-20:])), 0.9 * flow, 0.02 * flow)
    compare(gate, "a wall that stiffens", r, 0.15 * math.log(1 + tau))
    r = case(stiff, np_=2, scheme="lumped", scheme_lumped_cfl=0.7, scheme_lumped_dt=0.1, stop_time=None, stop_steps=150)
    x, u = r.checkpoint("positions"), r.checkpoint()
    slips = float(u[x[:, 1] < 1e-9, 0].max())
    gate.near(f"lumped, np 2, where it slips at {slips:.3g} m/s", float(r.table("_history.csv")["dt"][-1]), 0.7 * rest * math.exp(-slips / 0.15), 0.01 * rest)
    lid = {**stiff, "bc_top_type": "moving_wall", "bc_top_slip_by_stress": None, "bc_top_velocity": "0.3,0"}
    told = run.rheoplex("check", *[w for key, value in lid.items() if value is not None for w in (f"-{key}", value)], out="").stdout
    for where, bound in ("", rest), (" where the fastest velocity that is given slips along it", rest * math.exp(-0.3 / 0.15)):
        found = re.search(rf"by the friction of the wall with slip 'bottom'{where}: (\S+) s, which steps follow", told)
        gate.relative(f"check, a wall that stiffens{where}", float(found[1]) if found else math.nan, bound, 1e-4)
    least = case(stiff, expect=1, scheme="lumped", scheme_lumped_dt_min=0.03)
    gate.true(f"dt_min beyond the case's own step: {least.stderr.strip()[:200]}", "-scheme_lumped_dt_min: got 0.03 s, expected at most 0.02 s, the longest step that the case takes where -scheme_lumped_dt is not given: 1/200 of -stop_time" in least.stderr)
    beyond = case(stiff, expect=1, scheme="lumped", scheme_lumped_dt=0.02, scheme_lumped_cfl=0.9, scheme_lumped_dt_min=0.002)
    gate.true(f"dt_min beyond what slip allows: {beyond.stderr.strip()[:200]}", "the wall friction ('bottom') limit asks for a time step of 0.00" in beyond.stderr and "below 0.002 s (-scheme_lumped_dt_min)" in beyond.stderr)
    words = [w for key, value in square.items() if value is not None for w in (f"-{key}", value)]
    for dt, beyond in ((0.0092, False), (0.0093, True)):
        told = run.rheoplex("check", *words, "-scheme", "fractional_step", "-scheme_fractional_step_dt", dt, out="").stdout
        gate.true(f"check, dt {dt}", f"by the friction of the wall with slip 'bottom': {most:.9g} s" in told and ("the run is refused" in told) == beyond)


STEADY = {"scheme": "steady", "scheme_lumped_dt": None, "stop_time": None, "pressure_ksp_rtol": None}


def order(result):
    """The largest order of Newton's method above rounding."""
    line = [x for x in result.stdout.splitlines() if x.startswith("Newton:")][-1]
    norms = [float(x) for x in re.findall(r"(?<!order) (\d\.\d+e[-+]\d+)", line)]
    return max(float(x) for k, x in enumerate(re.findall(r"order ([-\d.]+)", line)) if k and norms[k + 2] > 1e-13 * max(norms))


def implicit(gate):
    """A friction is linear, so one iteration does; the stress of a step is that of its end, so no friction bounds dt."""
    slip, tau = FORCE * H / 2 / FRICTION, FORCE * H / 2
    by_stress = {"bc_bottom_friction": None, "bc_top_friction": None, "bc_bottom_slip_by_stress": BY_STRESS, "bc_top_slip_by_stress": BY_STRESS}
    for np_ in (1, 2):
        result = case(CHANNEL, **STEADY, np_=np_, diagnostic_f_kind="forces", diagnostic_f_label="bottom")
        compare(gate, f"friction, steady, np {np_}", result, slip, bound=1e-10)
        gate.true("in one iteration", "Newton: 1 iterations" in result.stdout)
        gate.relative("force on the wall", result.table("_f.csv")["bottom_x"][-1], tau * LENGTH, 1e-9)
    result = case(CHANNEL, **STEADY, **by_stress)
    compare(gate, "slip by the stress, steady", result, 0.05 * tau * (1 + 0.3 * tau**2), bound=1e-8)
    gate.at_least("slip by the stress: order of Newton's method", order(result), 1.9)
    one, two = (case(CHANNEL, **STEADY, bc_top_friction=None, bc_top_slip_by_stress=BY_STRESS, np_=n).checkpoint()[:, :2] for n in (1, 2))
    gate.at_most("slip by the stress on one of two ranks: velocity", float(np.abs(two - one).max() / np.abs(one).max()), 1e-10)
    steps = {"scheme": "monolithic", "scheme_lumped_dt": None, "pressure_ksp_rtol": None, "stop_time": 6, "scheme_monolithic_dt": 0.1}
    compare(gate, "friction, monolithic", case(CHANNEL, **steps), slip, bound=1e-5)
    uneven = {"physics": "newtonian,giesekus", "physics_newtonian_viscosity": 0.3, "physics_giesekus_viscosity": 0.3, "physics_giesekus_lambda": 0.3, "physics_giesekus_alpha": 0.2, "stabiliser": "devss,split_oss",
              "form_body_force": f"{FORCE}*(1+0.5*sin({2 * math.pi / LENGTH!r}*x)),0", **by_stress}
    found = case(CHANNEL, **STEADY, **uneven, scheme_steady_projection="lumped")
    gate.at_least("a polymer: order of Newton's method", order(found), 1.8)
    rest = case(CHANNEL, **uneven, scheme_lumped_cfl=0.8, stop_time=100, stop_steady_tol=1e-9, scheme_lumped_dt=0.001, case_restart=found.file("_checkpoint.h5"))
    gate.at_most("a polymer: change towards the rest of lumped", float(np.abs(rest.checkpoint() - found.checkpoint()).max()), 1e-6)
    box = {**CHANNEL, **STEADY, "mesh_box_faces": "3,3,5", "mesh_box_upper": f"{LENGTH},0.5,{H}", "form_body_force": f"{0.6 * FORCE},{0.8 * FORCE},0", "mesh_periodic": None, "mesh_box_periodic": "x,y",
           "bc_bottom_type": None, "bc_bottom_friction": None, "bc_top_type": None, "bc_top_friction": None}
    box.update({f"bc_{side}_{name}": value for side in ("back", "front") for name, value in (("type", "slip"), ("slip_by_stress", BY_STRESS))})
    result = case(box, np_=2)
    x, u = result.checkpoint("positions"), result.checkpoint()
    exact = FORCE / (2 * ETA) * x[:, 2] * (H - x[:, 2]) + 0.05 * tau * (1 + 0.3 * tau**2)
    gate.at_most("space: velocity", float(np.abs(u[:, :3] - exact[:, None] * [0.6, 0.8, 0]).max() / exact.max()), 1e-8)
    gate.at_least("space: order of Newton's method", order(result), 1.9)
    result = case({**box, "mesh_box_faces": "4,4,3"}, np_=3)  # faces with slip on both sides of the cuts
    gate.at_most("space, np 3: iterations of Newton's method", int(re.search(r"Newton: (\d+) iterations", result.stdout)[1]), 8)


def effort(result):
    """Iterations of Newton's method: of a steady state, or in each step."""
    told = re.search(r"Newton: (\d+) iterations", result.stdout)
    return [int(told[1])] if told else [int(n) for n in result.table("_history.csv")["newton_iterations"]]


def newton(gate, ranks, folder):
    by_stress = {"bc_top_friction": None, "bc_top_slip_by_stress": BY_STRESS}
    polymer = {"physics": "newtonian,giesekus", "physics_newtonian_viscosity": 0.3, "physics_giesekus_viscosity": 0.3, "physics_giesekus_lambda": 0.3, "physics_giesekus_alpha": 0.2, "stabiliser": "devss,split_oss"}
    waves = f"{FORCE}*(1+0.5*sin({2 * math.pi / LENGTH!r}*x))"
    solver = {"ksp_rtol": 1e-10, "snes_rtol": 1e-12}
    steps = {"scheme": "monolithic", "scheme_lumped_dt": None, "pressure_ksp_rtol": None, "stop_time": None, "stop_steps": 3, "scheme_monolithic_dt": 0.1, **solver}
    box = {"mesh_box_faces": "3,3,4", "mesh_box_upper": f"{LENGTH},0.5,{H}", "mesh_periodic": None, "mesh_box_periodic": "x,y", "form_body_force": f"{waves},{0.8 * FORCE},0", "bc_bottom_type": None, "bc_bottom_friction": None,
           "bc_top_type": None, "bc_top_friction": None, "bc_back_type": "slip", "bc_back_friction": FRICTION, "bc_front_type": "slip", "bc_front_slip_by_stress": BY_STRESS}
    cases = {"steady, a polymer": {**CHANNEL, **STEADY, **solver, **polymer, **by_stress, "form_body_force": f"{waves},0"}, "steps, oblique": {**CHANNEL, **steps, **polymer, **by_stress, **oblique(folder)},
             "steady, space": {**CHANNEL, **STEADY, **solver, **box}}
    for name, flow in cases.items():
        flow = {**flow, "diagnostic_f_kind": "forces", "diagnostic_f_label": "front,back" if "space" in name else "top,bottom"}
        host, there = case(flow), case(flow, "cuda", ranks)
        state, found = host.checkpoint(), there.checkpoint()
        dim = host.checkpoint("positions").shape[1]
        for field, columns in ("velocity", slice(0, dim)), ("pressure", slice(dim, dim + 1)), ("modes", slice(dim + 1, None)):
            if state[:, columns].size:
                gate.at_most(f"{name}: {field} of device and host", float(np.abs(found - state)[:, columns].max() / np.abs(state[:, columns]).max()), 1e-10)
        gate.true(f"{name}: it ran there, in {effort(there)} iterations, {effort(host)} on the host", ("emulated" in there.stdout or "NVIDIA" in there.stdout) and effort(there) == effort(host) and max(effort(there)) > 2)
        forces = [np.array([column for key, column in sorted(x.table("_f.csv").items()) if key.endswith("_x")])[:, -1] for x in (host, there)]
        gate.at_most(f"{name}: forces on the walls", float(np.abs(forces[1] - forces[0]).max() / np.abs(forces[0]).max()), 1e-9)


def main(device, *more):
    gate, folder = Gate("_".join(("boundary_slip", device) + more)), run.folder("slip")
    if device in ("implicit", "curved", "newton"):
        {"implicit": lambda: implicit(gate), "curved": lambda: (curved(gate, folder), tube(gate)), "newton": lambda: newton(gate, int(more[0]), folder)}[device]()
        return gate.finish()
    same(gate, device, folder)
    if device == "cpu":
        for check in (channel, couette, several):
            check(gate, folder)
        refused(gate, folder)
        bounded(gate)
    return gate.finish()


sys.exit(main(*(sys.argv[1:] or ["cpu"])))
