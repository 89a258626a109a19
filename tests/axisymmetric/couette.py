"""Flow between a cylinder that rotates and one at rest, axisymmetric with swirl, rho 3: the velocity, N1, the pressure and the torque of
Newtonian, Oldroyd-B (every representation), linear PTT and Carreau-Yasuda fluids against the solution in r alone, so of the other laws, by steady shear of their papers (tests/laws/papers.py); ranks, restart, where the
torque of both cylinders is the same; rigid rotation without inertia, exactly."""
import math
import sys

import numpy as np
import run
from gate import Gate
from papers import POLYMERIC, gradient
from scipy.integrate import quad
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq, root

R1, R2, LENGTH, SPIN, RHO = 0.5, 1.1, 0.3, 0.9, 3.0
ETA_S, ETA_P, LAMBDA, EPSILON = 0.4, 0.6, 0.5, 0.25
CASE = {
    "case_name": "couette", "form_axisymmetric": "true", "mesh_box_lower": f"0,{R1}", "mesh_box_upper": f"{LENGTH},{R2}", "mesh_box_faces": "3,20",
    "mesh_box_periodic": "x", "physics": "newtonian,swirling", "physics_newtonian_viscosity": ETA_S, "form_density": RHO, "stabiliser": "split_oss",
    "bc_bottom_type": "rotating_wall", "bc_bottom_angular_velocity": SPIN, "bc_top_type": "wall", "scheme_lumped_stepper": "heun", "scheme_lumped_dt": 8e-4,
    "stop_time": 5, "stop_steady_tol": 1e-6, "output_fields": "default", "diagnostic_force_kind": "forces", "diagnostic_force_label": "bottom,top",
    "diagnostic_force_torque": "true", "diagnostic_force_every": 200, "diagnostic_history_every": 1000,
}
OLDROYD = {"physics": "newtonian,oldroydb,swirling", "physics_oldroydb_viscosity": ETA_P, "physics_oldroydb_lambda": LAMBDA, "stabiliser": "devss,split_oss"}
PTT = {"physics": "newtonian,ptt,swirling", "physics_ptt_viscosity": ETA_P, "physics_ptt_lambda": LAMBDA, "physics_ptt_epsilon": EPSILON, "stabiliser": "devss,split_oss",
       "polymer_variable": "logconf"}
CARREAU = {"physics": "carreau_yasuda,swirling", "physics_newtonian_viscosity": None, "physics_carreau_yasuda_viscosity": 1.0, "physics_carreau_yasuda_viscosity_inf": 0.1,
           "physics_carreau_yasuda_lambda": 2.0, "physics_carreau_yasuda_n": 0.5, "physics_carreau_yasuda_a": 2.0}

OTHERS = {"giesekus": {"alpha": 0.3}, "fene_p": {"L2": 12.0}, "fene_cr": {"L2": 12.0}, "johnson_segalman": {"xi": 0.35}, "white_metzner": {"time": 0.9, "a": 2.0, "n": 0.4}}


def case(np_=1, **changes):
    words = [w for key, value in {**CASE, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, out=run.folder("axisymmetric"), np=np_, timeout=200)


def linear(rate):
    return (ETA_S + ETA_P) * rate


def newton(rate):
    return ETA_S * rate


def ptt(rate):
    """tau (1 + 2 eps (lambda tau/eta)^2) = eta rate."""
    top = ETA_P * abs(rate)
    tau = brentq(lambda s: s * (1 + 2 * EPSILON * (LAMBDA * s / ETA_P) ** 2) - top, 0, top + 1e-12, xtol=1e-14)
    return ETA_S * rate + math.copysign(tau, rate)


def carreau(rate):
    return (0.1 + 0.9 * (1 + (2.0 * rate) ** 2) ** -0.25) * rate


def of_paper(name, par):
    """Stress XX YY ZZ XY of this polymer in steady shear, by Newton's method on its equation, a spline."""
    law = POLYMERIC[name](viscosity=ETA_P, **{"lambda": LAMBDA}, **par)

    def residual(t, g):
        y = law.rate(gradient("shear", g), np.array([[t[0], t[3], 0], [t[3], t[1], 0], [0, 0, t[2]]]))
        return [y[0, 0], y[1, 1], y[2, 2], y[0, 1]]

    def steady(g, start):
        found = root(residual, start, (g,), tol=1e-13)
        if not np.abs(residual(found.x, g)).max() < 1e-9:
            raise run.Failure(f"{name}: no steady shear at {g}")
        return found.x
    rates, states = 50 * np.linspace(0, 1, 1001) ** 2, [np.zeros(4)]
    for g in rates[1:]:
        states.append(steady(g, states[-1]))
    return CubicSpline(rates, states)


def others(gate):
    """N1 = tau_thetatheta - tau_rr at the nodes away from the cylinders."""
    for name, par in OTHERS.items():
        steady = of_paper(name, par)
        words = {f"physics_{name}_{key}": value for key, value in {"viscosity": ETA_P, "lambda": LAMBDA, **par}.items()}
        stress = lambda g, steady=steady: ETA_S * g + math.copysign(float(steady(abs(g))[3]), g)
        got, rate = compare(gate, name, stress, 2e-3, physics=f"newtonian,{name},swirling", stabiliser="devss,split_oss", polymer_variable="logconf", **words)
        inside = np.flatnonzero((got.points[:, 1] > R1 + 0.05) & (got.points[:, 1] < R2 - 0.05))
        exact = np.array([steady(abs(rate(r))) for r in got.points[inside, 1]])
        n1 = got["stress"][inside, 2] - got["stress"][inside, 1]  # XX YY ZZ XY YZ XZ
        gate.at_most(f"{name}: error of N1", float(np.abs(n1 - exact[:, 0] + exact[:, 1]).max() / np.abs(exact[:, 0]).max()), 0.02)


def solve(stress):
    """C of tau_rtheta = C/r^2, and u_theta(r): r d(u_theta/r)/dr = rate, the inverse of the flow curve at C/r^2."""
    rate = lambda c, r: brentq(lambda g: stress(g) - c / r**2, -50, 50, xtol=1e-13)
    spin = lambda c, r: -quad(lambda s: rate(c, s) / s, r, R2, epsabs=1e-12)[0]
    c = brentq(lambda c: spin(c, R1) - SPIN, -2, -1e-6, xtol=1e-12)
    return c, lambda r: r * spin(c, r), lambda r: rate(c, r)


def compare(gate, name, stress, tolerance, **changes):
    result = case(**changes)
    c, swirl, rate = solve(stress)
    got, force = result.fields(), result.table("_force.csv")
    exact = np.array([swirl(r) for r in got.points[:, 1]])
    gate.at_most(f"{name}: error of u_theta", float(np.abs(got["swirl"] - exact).max() / (SPIN * R1)), tolerance)
    gate.at_most(f"{name}: velocity has it as its third component", float(np.abs(got["velocity"][:, 2] - got["swirl"]).max()), 0)
    torque = 2 * math.pi * LENGTH * c
    gate.relative(f"{name}: torque on the inner cylinder", force["bottom_torque"][-1], torque, tolerance)
    gate.relative(f"{name}: torque on the outer cylinder", force["top_torque"][-1], -torque, tolerance)
    return got, rate


def viscoelastic(gate):
    for variable in ("stress", "conformation", "logconf"):
        got, rate = compare(gate, f"Oldroyd-B, {variable}", linear, 2e-3, polymer_variable=variable, **OLDROYD)
        inside = (got.points[:, 1] > R1 + 0.05) & (got.points[:, 1] < R2 - 0.05)
        n1 = 2 * ETA_P * LAMBDA * np.array([rate(r) for r in got.points[inside, 1]]) ** 2
        stress = got["stress"][inside]  # XX YY ZZ XY YZ XZ
        gate.at_most(f"Oldroyd-B, {variable}: error of N1", float(np.abs(stress[:, 2] - stress[:, 1] - n1).max() / n1.max()), 0.02)
        if variable == "stress":
            pressure(gate, got, rate)


def pressure(gate, got, rate):
    """dp/dr = (rho u_theta^2 - N1)/r."""
    _, swirl, _ = solve(linear)
    slope = lambda r: (RHO * swirl(r) ** 2 - 2 * ETA_P * LAMBDA * rate(r) ** 2) / r
    at = [int(np.argmin(np.hypot(got.points[:, 0], got.points[:, 1] - r))) for r in (0.65, 1.0)]
    ends = got.points[at, 1]
    drop = quad(slope, *ends)[0]
    gate.relative("Oldroyd-B: pressure across the gap", float(got["pressure"][at[1]] - got["pressure"][at[0]]), drop, 0.01)


def ranks(gate):
    small = {**OLDROYD, "mesh_box_cell": "mixed", "mesh_box_faces": "4,6", "stop_steps": 60, "stop_time": None, "stop_steady_tol": None, "pressure_ksp_rtol": 1e-13,
             "polymer_variable": "logconf"}
    one = case(**small).checkpoint()
    gate.at_least("largest u_theta", float(np.abs(one[:, -1]).max()), 0.4)
    for n in (2, 3):
        gate.at_most(f"np {n}: largest difference", float(np.abs(case(n, **small).checkpoint() - one).max()), 1e-10)
    half = case(**{**small, "stop_steps": 25})
    rest = case(**small, case_restart=half.file("_checkpoint.h5"))
    gate.at_most("restart: largest difference", float(np.abs(rest.checkpoint() - one).max()), 0)


def rigid(gate):
    """u_theta = w r, c = I: nothing changes; without inertia no pressure either."""
    for variable in ("stress", "conformation", "logconf"):
        for cell in ("quadrilateral", "triangle"):
            got = case(**OLDROYD, polymer_variable=variable, mesh_box_cell=cell, mesh_box_lower="0,0", mesh_box_faces="3,5", form_convection="false", initial_swirl="1.7*y",
                       bc_bottom_type="symmetry", bc_bottom_angular_velocity=None, bc_top_swirl=f"value {1.7 * R2}", stop_steps=50, stop_time=None, stop_steady_tol=None,
                       diagnostic_force_kind=None, diagnostic_force_label=None, diagnostic_force_torque=None, diagnostic_force_every=None).fields()
            gate.at_most(f"rigid, {variable}, {cell}: change of u_theta", float(np.abs(got["swirl"] - 1.7 * got.points[:, 1]).max()), 1e-13)
            gate.at_most(f"rigid, {variable}, {cell}: largest stress", float(np.abs(got["stress"]).max()), 1e-12)


def shipped(gate):
    """options/taylor_couette_swirl.yaml: what its head says."""
    force = run.rheoplex("run", f"{run.OPTIONS}/taylor_couette_swirl.yaml", "-output_fields", "false", out=run.folder("axisymmetric"), timeout=200).table("_torque.csv")
    gate.relative("options/taylor_couette_swirl.yaml: torque on the inner cylinder", force["bottom_torque"][-1], -0.2 * 4 * math.pi * 0.4 * 0.9 * 0.25 / 0.75, 3e-3)
    gate.relative("options/taylor_couette_swirl.yaml: torque on the outer cylinder", force["top_torque"][-1], 0.2 * 4 * math.pi * 0.4 * 0.9 * 0.25 / 0.75, 3e-3)


def main():
    gate = Gate("axisymmetric_couette")
    shipped(gate)
    compare(gate, "Newtonian", newton, 2e-3)
    viscoelastic(gate)
    compare(gate, "PTT", ptt, 2e-3, **PTT)
    compare(gate, "Carreau-Yasuda", carreau, 2e-3, **CARREAU)
    others(gate)
    ranks(gate)
    rigid(gate)
    return gate.finish()


sys.exit(main())
