"""Newtonian flow in a tube from a parabolic inlet of given flow rate: pressure and force on the wall of Hagen and Poiseuille, flux and
volume of the whole tube; ranks, restart; the same of an Oldroyd-B fluid (c_zz = 1 + 2 (lambda du/dr)^2, the hoop at rest) whose inlet is
its developed flow; a Womersley flow against Bessel functions."""
import math
import sys

import numpy as np
import run
from gate import Gate
from scipy.special import jv

R, LENGTH, ETA, RHO, Q = 0.7, 1.2, 0.3, 1.3, 0.4
TUBE = {
    "case_name": "tube", "form_axisymmetric": "true", "mesh_box_upper": f"{LENGTH},{R}", "mesh_box_faces": "8,20", "physics": "newtonian",
    "physics_newtonian_viscosity": ETA, "stabiliser": "split_oss", "form_density": RHO, "bc_left_type": "inlet", "bc_left_profile": "parabolic",
    "bc_left_flow_rate": Q, "bc_right_type": "outlet", "bc_bottom_type": "symmetry", "bc_top_type": "wall", "scheme_lumped_dt": 1e-3,
    "scheme_lumped_stepper": "heun", "stop_time": 3, "stop_steady_tol": 1e-7, "output_fields": "false", "diagnostic_flow_kind": "flux",
    "diagnostic_flow_label": "left,right", "diagnostic_force_kind": "forces", "diagnostic_force_label": "top", "diagnostic_sum_kind": "integral",
    "diagnostic_history_every": 50,
}
OLDROYD = {"physics": "newtonian,oldroydb", "physics_newtonian_viscosity": ETA / 3, "physics_oldroydb_viscosity": 2 * ETA / 3, "physics_oldroydb_lambda": 0.2,
           "stabiliser": "devss,split_oss", "bc_left_profile": "developed", "stop_steps": 100, "stop_time": None, "stop_steady_tol": None}


def case(np_=1, expect=0, **changes):
    words = [w for key, value in {**TUBE, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, out=run.folder("axisymmetric"), np=np_, expect=expect, timeout=100)


def poiseuille(gate, name, kept=1e-4, **changes):
    result = case(**changes)
    x, state = result.checkpoint("positions"), result.checkpoint()
    drop = 8 * ETA * Q / (math.pi * R**4)  # Pa/m
    gate.relative(f"{name}: flux out of the outlet", result.table("_flow.csv")["right_flux"][-1], Q, kept)
    gate.relative(f"{name}: flux out of the inlet", result.table("_flow.csv")["left_flux"][-1], -Q, 1e-9)
    gate.relative(f"{name}: force on the wall", result.table("_force.csv")["top_x"][-1], drop * LENGTH * math.pi * R**2, 5e-3)
    gate.relative(f"{name}: pressure at the inlet's middle", state[np.argmin(np.hypot(x[:, 0], x[:, 1] - R / 2)), 2], drop * LENGTH, 5e-3)
    gate.relative(f"{name}: volume", result.table("_sum.csv")["volume"][-1], math.pi * R**2 * LENGTH, 1e-9)
    return x, state


def steady(gate):
    """By Newton's method, whose matrix has the hoop's terms: the state of the explicit scheme, but for the tau_0 of its pressure."""
    small = {**OLDROYD, "mesh_box_faces": "6,7", "stop_steps": None}
    explicit = case(**{**small, "stop_time": 8, "stop_steady_tol": 1e-9}).checkpoint()
    words = {**small, "scheme": "steady", "scheme_steady_projection": "lumped", "scheme_lumped_dt": None, "scheme_lumped_stepper": None, "stop_time": None,
             "stop_steady_tol": None}
    newton = case(**words).checkpoint()
    gate.at_most("steady against the explicit scheme's end", float(np.abs(newton - explicit).max() / np.abs(explicit).max()), 2e-5)


def viscoelastic(gate):
    small = {**OLDROYD, "mesh_box_cell": "mixed", "mesh_box_faces": "6,7"}
    one = case(**small).checkpoint()
    for ranks in (2, 3):
        gate.at_most(f"np {ranks}: largest difference", float(np.abs(case(ranks, **small).checkpoint() - one).max()), 1e-10)
    half = case(**{**small, "stop_steps": 60})
    rest = case(**small, case_restart=half.file("_checkpoint.h5"))
    gate.at_most("restart: largest difference", float(np.abs(rest.checkpoint() - one).max()), 1e-12)
    x, state = poiseuille(gate, "Oldroyd-B", **{**OLDROYD, "stop_steps": None, "stop_time": 6, "stop_steady_tol": 1e-6})
    near = (np.abs(x[:, 0] - LENGTH / 2) < 1e-9) & (x[:, 1] > 0.1 * R) & (x[:, 1] < 0.9 * R)
    rate, modulus = 4 * Q / (math.pi * R**4) * x[near, 1], 2 * ETA / 3 / 0.2
    gate.at_most("Oldroyd-B: largest error of tau_zz over its largest", float(np.abs(state[near, 3] - 2 * modulus * (0.2 * rate) ** 2).max() / state[near, 3].max()), 0.02)
    gate.at_most("Oldroyd-B: largest tau_hoop over the largest tau_zz", float(np.abs(state[near, 5]).max() / state[near, 3].max()), 1e-3)


def womersley(gate):
    """u = Re (q/(pi R^2)) (1 - J0(k r)/J0(k R))/(1 - 2 J1(k R)/(k R J0(k R))) exp(i w t), k^2 = -i w rho/eta, at the inlet's nodes."""
    period = 0.02
    result = case(bc_left_profile="womersley", bc_left_flow_rate=f"{Q}*cos(2*pi*t/{period})", bc_left_period=period, stop_time=0.003, stop_steady_tol=None)
    x, state = result.checkpoint("positions"), result.checkpoint()
    inlet = x[:, 0] < 1e-9
    w, t = 2 * math.pi / period, 0.003
    k = np.sqrt(-1j * w * RHO / ETA)
    shape = lambda r: (1 - jv(0, k * r) / jv(0, k * R)) / (1 - 2 * jv(1, k * R) / (k * R * jv(0, k * R)))
    exact = np.real(Q / (math.pi * R**2) * shape(x[inlet, 1]) * np.exp(1j * w * t))
    gate.at_most("Womersley: largest error over the largest velocity", float(np.abs(state[inlet, 0] - exact).max() / np.abs(exact).max()), 0.01)


def main():
    gate = Gate("axisymmetric_tube")
    poiseuille(gate, "Newtonian")
    mean = case(bc_left_flow_rate=None, bc_left_mean_velocity=Q / (math.pi * R**2), stop_steps=2, stop_time=None, stop_steady_tol=None)
    gate.relative("flux of a mean velocity", mean.table("_flow.csv")["left_flux"][-1], -Q, 0.01)
    poiseuille(gate, "Newtonian, triangles, fractional_step", 1e-3, mesh_box_cell="triangle", scheme="fractional_step", scheme_fractional_step_integrator="ssp3", scheme_fractional_step_dt=1e-3,
               scheme_lumped_dt=None, scheme_lumped_stepper=None)
    viscoelastic(gate)
    steady(gate)
    womersley(gate)
    return gate.finish()


sys.exit(main())
