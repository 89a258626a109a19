"""Tractions and pressures by formula against flows that are known.

Plane Couette flow that a shear stress on an open top drives, along the axes, turned and in space, of a Newtonian and an Oldroyd-B fluid; the same between
cylinders, axisymmetric. A heavy fluid whose side and outlet have the pressure of their depth: at rest, and in a channel with the parabola of one without weight.
Loads along the normal of an outlet that change in time, as pressures or as tractions."""
import math
import re
import sys

import mshwrite
import numpy as np
import run
from gate import Gate, largest

H, LENGTH, TURN, RHO, ETA_S, ETA_P, LAMBDA, SHEAR, WEIGHT = 0.7, 0.6, 0.5, 3.0, 0.4, 0.9, 0.35, 1.3, 29.0
BASE = {"case_name": "traction", "form_density": RHO, "physics": "newtonian", "physics_newtonian_viscosity": ETA_S, "stabiliser": "split_oss", "output_fields": "false"}
OLDROYD = {"physics": "newtonian,oldroydb", "physics_oldroydb_viscosity": ETA_P, "physics_oldroydb_lambda": LAMBDA, "polymer_variable": "stress", "stabiliser": "devss,split_oss", "bc_top_polymer": "zero"}
STEADY = {"scheme": "steady", "ksp_rtol": 1e-10, "snes_rtol": 1e-13}
COUETTE = {**BASE, **STEADY, "mesh_box_faces": "3,6", "mesh_box_upper": f"{LENGTH},{H}", "mesh_periodic": "left,right", "bc_bottom_type": "wall", "bc_top_type": "outlet",
           "bc_top_traction": f"{SHEAR},0"}
HEAVY = {**BASE, **STEADY, "mesh_box_faces": "5,6", "mesh_box_cell": "mixed", "mesh_box_upper": f"{LENGTH},{H}", "form_body_force": f"0,-{WEIGHT}", "bc_bottom_type": "wall", "bc_right_type": "outlet",
         "bc_right_pressure": f"{WEIGHT}*({H}-y)"}


STEPS = {"scheme": "lumped", "scheme_lumped_dt": 0.004, "ksp_rtol": None, "snes_rtol": None, "pressure_ksp_rtol": 1e-13}
BDF2 = {**STEPS, "scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": 0.02, "scheme_lumped_dt": None, "momentum_ksp_rtol": 1e-12}


def case(base, np_=1, **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, "-device", "cpu", out=run.folder("traction"), np=np_, timeout=100)


def turned(folder, **changes):
    c, s = math.cos(TURN), math.sin(TURN)
    path = mshwrite.channel(f"{folder}/turned.msh", 5, 6, lambda i, j: (c * LENGTH * i / 5 - s * H * j / 6, s * LENGTH * i / 5 + c * H * j / 6))
    return {"mesh_file": path, "mesh_box_faces": None, "mesh_box_upper": None, "mesh_box_cell": None, **changes}


def couette(gate, folder):
    """u = T y/eta, tau_xx = 2 eta_p lambda (T/eta)^2, tau_xy = eta_p T/eta, p = 0."""
    c, s = math.cos(TURN), math.sin(TURN)
    lean = turned(folder, bc_top_traction=f"{SHEAR * c!r},{SHEAR * s!r}")
    space = {"mesh_box_faces": "3,3,4", "mesh_box_upper": f"{LENGTH},0.5,{H}", "mesh_periodic": "left,right;bottom,top", "bc_bottom_type": None, "bc_top_type": None, "bc_top_traction": None, "bc_top_polymer": None,
             "bc_back_type": "wall", "bc_front_type": "outlet", "bc_front_traction": f"{0.6 * SHEAR},{0.8 * SHEAR},0"}
    polymer = {"bc_front_polymer": "zero"}
    for name, changes, along, bound in (("Newtonian", {}, (1, 0), 1e-12), ("Newtonian, symmetric form, triangles", {"bc_top_form": "symmetric", "mesh_box_cell": "triangle"}, (1, 0), 1e-12),
                                        ("Newtonian, turned, pressure at nodes", {**lean, "bc_top_pressure_at": "nodes"}, (c, s), 1e-12), ("Newtonian, lumped", {**STEPS, "stop_time": 24}, (1, 0), 1e-6),
                                        ("Newtonian, bdf2", {**BDF2, "stop_time": 24}, (1, 0), 1e-6), ("Oldroyd-B, turned", {**OLDROYD, **lean}, (c, s), 1e-12),
                                        ("Oldroyd-B, lumped", {**OLDROYD, **STEPS, "stop_time": 10}, (1, 0), 1e-6), ("Newtonian, space, np 2", space, (0.6, 0.8, 0), 1e-12),
                                        ("Oldroyd-B, space, pressure in the traction", {**OLDROYD, **space, **polymer, "bc_front_pressure_at": "traction"}, (0.6, 0.8, 0), 1e-12)):
        result = case(COUETTE, 2 if "np 2" in name else 1, **changes)
        x, u, e = result.checkpoint("positions"), result.checkpoint(), np.array(along)
        dim, rate = len(e), SHEAR / (ETA_S + ETA_P * ("physics" in changes))
        height = x[:, 2] if dim == 3 else x @ [-e[1], e[0]]
        gate.at_most(f"{name}: velocity", float(np.abs(u[:, :dim] - rate * height[:, None] * e).max()) / (rate * H), bound)
        gate.at_most(f"{name}: pressure", float(np.abs(u[:, dim]).max()) / SHEAR, bound)
        if "physics" not in changes:
            continue
        n = np.array([-e[1], e[0]] if dim == 2 else [0, 0, 1])
        tau = ETA_P * rate * (2 * LAMBDA * rate * np.outer(e, e) + np.outer(e, n) + np.outer(n, e))
        exact = tau[[0, 1, 0], [0, 1, 1]] if dim == 2 else tau[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]]
        gate.at_most(f"{name}: stress", float(np.abs(u[:, dim + 1:] - exact).max()) / SHEAR, bound)
    gate.true("a traction beside polymer open is told", re.search('-bc_top_traction: got "[^"]+" with -bc_top_polymer open', case(COUETTE, **OLDROYD | {"bc_top_polymer": None}).stderr) is not None)


def between_cylinders(gate):
    """u = (T R/eta) log(r/r_0) along the axis, of second order."""
    errors, inner = [], 0.5
    for n in (6, 12):
        result = case(COUETTE, form_axisymmetric="true", mesh_box_faces=f"3,{n}", mesh_box_lower=f"0,{inner}", mesh_box_upper=f"{LENGTH},{inner + H}", mesh_periodic="left,right")
        x, u = result.checkpoint("positions"), result.checkpoint()
        exact = SHEAR * (inner + H) / ETA_S * np.log(x[:, 1] / inner)
        errors.append(float(np.abs(u[:, 0] - exact).max() / exact.max()))
    gate.at_most("between cylinders, 12 cells: velocity", errors[1], 2e-3)
    gate.at_least("between cylinders: order", math.log2(errors[0] / errors[1]), 1.9)


def heavy(gate, folder):
    """p = f (H - y) at rest, + 12 eta (L - x) beside the parabola 6 y (H - y)."""
    c, s = math.cos(TURN), math.sin(TURN)
    depth, across = f"({H}-({c!r}*y-{s!r}*x))", f"({c!r}*y-{s!r}*x)"
    lean = turned(folder, form_body_force=f"{WEIGHT * s!r},{-WEIGHT * c!r}", bc_right_pressure=f"{WEIGHT}*{depth}")
    rest, start = {"bc_left_type": "free_slip", "bc_top_type": "outlet"}, {"initial_pressure": f"{WEIGHT}*({H}-y)"}
    flow = {"bc_left_type": "inlet", "bc_top_type": "wall", "bc_left_velocity": f"6*y*({H}-y),0", "mesh_box_cell": "quadrilateral"}
    turned_flow = {**flow, **lean, "bc_left_velocity": f"{6 * c!r}*{across}*({H}-{across}),{6 * s!r}*{across}*({H}-{across})"}
    for name, changes, scale in (("at rest", rest, 0), ("at rest, lumped", {**rest, **start, **STEPS, "stop_steps": 20}, 0), ("at rest, bdf2", {**rest, **start, **BDF2, "stop_steps": 20}, 0),
                                 ("comes to rest, bdf2", {**rest, **BDF2, "stop_time": 9}, 0), ("channel", flow, 6), ("channel, turned", turned_flow, 6),
                                 ("channel, pressure at nodes", {**flow, "bc_right_pressure_at": "nodes"}, 6)):
        result = case(HEAVY, **changes)
        x, u = result.checkpoint("positions"), result.checkpoint()
        if "mesh_file" in changes:
            turn = np.array([[c, -s], [s, c]])
            x, u[:, :2] = x @ turn, u[:, :2] @ turn
        exact = np.stack([scale * x[:, 1] * (H - x[:, 1]), 0 * x[:, 1], WEIGHT * (H - x[:, 1]) + 2 * scale * ETA_S * (LENGTH - x[:, 0])], axis=1)
        gate.at_most(f"heavy, {name}: velocity and pressure", largest(*np.abs(u - exact).ravel()), 1e-7 if "comes" in name else 1e-11)


def loads(gate, folder):
    """A traction along an outlet's normal that changes is the pressure less its sign: mass stays balanced and states are the same, beside a shear stress that changes too."""
    c, s = math.cos(TURN), math.sin(TURN)
    across, p, shear = f"({c!r}*y-{s!r}*x)", f"2*sin(5*t)*(1+{c!r}*y-{s!r}*x)", "0.1*sin(3*t)"
    flow = {**BASE, **turned(folder), "bc_left_type": "inlet", "bc_left_velocity": f"{6 * c!r}*{across}*({H}-{across}),{6 * s!r}*{across}*({H}-{across})", "bc_top_type": "wall",
            "bc_bottom_type": "wall", "bc_right_type": "outlet", "stop_time": 0.4}
    beside = f"({-s!r})*{shear}", f"{c!r}*{shear}"
    ways = {"bc_right_pressure": p, "bc_right_traction": ",".join(beside)}, {"bc_right_traction": f"({-c!r})*({p})+{beside[0]},({-s!r})*({p})+{beside[1]}"}
    ssp3 = {**BDF2, "scheme_fractional_step_integrator": "ssp3", "scheme_fractional_step_dt": 0.004, "momentum_ksp_rtol": None}
    polymer = {**OLDROYD, "bc_top_polymer": None, "bc_left_polymer": "rest", "bc_right_polymer": "zero", "bc_right_pressure_at": "traction"}
    for name, changes, ranks in (("bdf2", BDF2, 1), ("bdf2, np 2", BDF2, 2), ("ssp3", ssp3, 1), ("lumped", STEPS, 2), ("monolithic", {"scheme": "monolithic", "scheme_monolithic_dt": 0.02, "snes_rtol": 1e-12}, 1),
                                 ("Oldroyd-B, lumped", {**STEPS, **polymer}, 1)):
        u, v = (case(flow, ranks, **{**changes, **way}).checkpoint() for way in ways)
        gate.at_most(f"loads, {name}: difference from a pressure", largest(*np.abs(u - v).ravel()) / largest(*np.abs(u).ravel()), 1e-8)


def main():
    gate, folder = Gate("boundary_traction"), run.folder("traction")
    couette(gate, folder)
    between_cylinders(gate)
    heavy(gate, folder)
    loads(gate, folder)
    return gate.finish()


sys.exit(main())
