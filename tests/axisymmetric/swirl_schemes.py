"""Newton's method and implicit steps of flow with swirl, rho 3: the steady state of a cylinder whose lid turns (Newtonian, Oldroyd-B with solvent) is
found with order 2 and is at rest under Heun, bdf2 and monolithic steps; the torque of circular Couette flow; order 2 in time of bdf2 and of
monolithic under a lid whose speed pulsates, against rk4; ranks."""
import math
import re
import sys

import numpy as np
import run
from gate import Gate

LID = {"case_name": "lid", "form_axisymmetric": "true", "mesh_box_upper": "1.5,1", "mesh_box_faces": "12,8", "physics": "newtonian,swirling", "physics_newtonian_viscosity": 0.05,
       "form_density": 3, "stabiliser": "split_oss", "bc_left_type": "wall", "bc_right_type": "rotating_wall", "bc_right_angular_velocity": 1, "bc_top_type": "wall",
       "bc_bottom_type": "symmetry", "output_fields": "false"}
OLDROYD = {"physics": "newtonian,oldroydb,swirling", "physics_newtonian_viscosity": 0.2, "physics_oldroydb_viscosity": 0.1, "physics_oldroydb_lambda": 0.3,
           "stabiliser": "devss,split_oss", "polymer_variable": "stress"}
STEADY = {"scheme": "steady", "ksp_rtol": 1e-8, "scheme_steady_projection": "lumped"}
LUMPED = {"scheme": "lumped", "scheme_lumped_stepper": "heun", "scheme_lumped_dt": 0.002, "stop_steps": 50, "pressure_ksp_rtol": 1e-11}
BDF2 = {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "momentum_ksp_rtol": 1e-11, "pressure_ksp_rtol": 1e-11}
MONOLITHIC = {"scheme": "monolithic", "snes_rtol": 1e-11, "ksp_rtol": 1e-8}
STAY = {**MONOLITHIC, "scheme_monolithic_projection": "lumped", "scheme_monolithic_dt": 0.3, "stop_steps": 4}
REST = {**BDF2, "scheme_fractional_step_dt": 0.02, "stop_steps": 50, "stabiliser_split_oss_projection_corrections": 0}


def case(np_=1, base=LID, **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, out=run.folder("axisymmetric"), np=np_, timeout=100)


def less_level(state):
    """The pressure has none: its mean is taken off."""
    return state - np.where(np.arange(state.shape[1]) == 2, state.mean(axis=0), 0)


def pulsate(dt, np_=1, **changes):
    """A disc turns with 2 (1 - r^2) (1 + sin(4 t)/2) rad/s from a flow that fits it."""
    words = {**BDF2, "bc_right_type": "moving_wall", "bc_right_angular_velocity": None, "bc_right_velocity": "0,0,2*y*(1-y^2)*(1+0.5*sin(4*t))", "physics_newtonian_viscosity": 0.3,
             "initial_swirl": "2*y*(1-y^2)*(x/1.5)^2", "stop_time": 0.4, "scheme_fractional_step_dt": dt}
    return case(np_, **{**words, **changes}).checkpoint()


def implicit(dt, np_=1, **changes):
    return pulsate(dt, np_, **{**dict.fromkeys((*BDF2, "scheme_fractional_step_dt")), **MONOLITHIC, "scheme_monolithic_dt": dt, **changes})


def residuals(stdout):
    return [float(r) for r in re.findall(r"(\d\.\d\de[+-]\d\d)(?= |$)", re.search(r"\|R\| (.*)", stdout)[1])]


def rest(gate, name, schemes, **law):
    """The steady state, from rest, and what steps make of it."""
    done = case(**STEADY, **law)
    state, r = done.checkpoint(), residuals(done.stdout)
    found = [(a, b, c) for a, b, c in zip(r, r[1:], r[2:]) if b < 0.1 * a and c > 1e-14 * r[0]]
    gate.at_least(f"{name}: order of Newton's last step but rounding", math.log(found[-1][2] / found[-1][1]) / math.log(found[-1][1] / found[-1][0]), 1.5)
    gate.at_most(f"{name}: residual, of the first", r[-1] / r[0], 1e-9)
    gate.at_least(f"{name}: largest u_theta of the inner nodes", float(np.sort(np.abs(state[:, -1]))[-20]), 0.1)
    gate.at_least(f"{name}: largest u_r or u_z, which the lid drives", float(np.abs(state[:, :2]).max()), 5e-3)
    for scheme, words in schemes.items():
        after = case(**words, **law, case_restart=done.file("_checkpoint.h5")).checkpoint()
        gate.at_most(f"{name}: change in steps of {scheme}", float(np.abs(after - state).max()), 1e-7)
    for ranks in (2, 3):
        gate.at_most(f"{name}: np {ranks}, largest difference", float(np.abs(less_level(case(ranks, **STEADY, **law).checkpoint()) - less_level(state)).max()), 1e-10)


def couette(gate):
    R1, R2, w, eta = 0.5, 1.1, 0.9, 0.3
    exact = 4 * math.pi * 0.3 * eta * w / (1 / R1**2 - 1 / R2**2)
    force = case(**{**OLDROYD, **STEADY, "mesh_box_lower": f"0,{R1}", "mesh_box_upper": f"0.3,{R2}", "mesh_box_faces": "3,20", "mesh_box_periodic": "x", "bc_left_type": None,
                    "bc_right_type": None, "bc_right_angular_velocity": None, "bc_bottom_type": "rotating_wall", "bc_bottom_angular_velocity": w, "diagnostic_force_kind": "forces",
                    "diagnostic_force_label": "bottom,top", "diagnostic_force_torque": "true"}).table("_force.csv")
    gate.relative("Couette, Oldroyd-B: torque on the inner cylinder", force["bottom_torque"][-1], -exact, 2e-3)
    gate.relative("Couette, Oldroyd-B: torque on the outer cylinder", force["top_torque"][-1], exact, 2e-3)


def pulse(gate):
    states = [pulsate(dt) for dt in (0.02, 0.01, 0.005)]
    exact = pulsate(1e-3, scheme_fractional_step_integrator="rk4", momentum_ksp_rtol=None, scheme_fractional_step_mass_corrections=0)
    for field, columns, tolerance in (("u", slice(0, 2), 0.05), ("u_theta", slice(-1, None), 2e-3)):
        change = [float(np.abs(b - a)[:, columns].max()) for a, b in zip(states, states[1:])]
        gate.at_least(f"pulse: order of {field} in time", math.log2(change[0] / change[1]), 1.7)
        gate.at_most(f"pulse: {field} against rk4 of lumped mass, of the largest", float(np.abs(states[-1] - exact)[:, columns].max() / np.abs(exact[:, columns]).max()), tolerance)
    gate.at_most("pulse: np 3, largest difference", float(np.abs(pulsate(0.02, 3) - states[0]).max()), 1e-10)
    states = [implicit(dt) for dt in (0.04, 0.02, 0.01)]
    exact = pulsate(1e-3, scheme_fractional_step_integrator="rk4", momentum_ksp_rtol=None, scheme_fractional_step_mass_corrections=4)
    for field, columns, tolerance in (("u", slice(0, 2), 0.01), ("u_theta", slice(-1, None), 3e-4)):
        change = [float(np.abs(b - a)[:, columns].max()) for a, b in zip(states, states[1:])]
        gate.at_least(f"pulse, monolithic: order of {field} in time", math.log2(change[0] / change[1]), 1.7)
        gate.at_most(f"pulse, monolithic: {field} against rk4 with corrected mass, of the largest", float(np.abs(states[-1] - exact)[:, columns].max() / np.abs(exact[:, columns]).max()), tolerance)
    gate.at_most("pulse, monolithic: np 2, largest difference", float(np.abs(less_level(implicit(0.04, 2)) - less_level(states[0])).max()), 1e-10)


def spin(gate):
    """A fluid that a source turns as a whole, faster and faster, with its walls: they feel no torque, whatever inertia their nodes have, but for what row sums of the mass lack of second order."""
    inertia = 3 * math.pi / 2 * 1.5
    for name, bound, words in (("bdf2", 1.2e-2, {**BDF2, "scheme_fractional_step_dt": 0.01, "stop_steps": 5}), ("bdf2, refined", 3e-3, {**BDF2, "scheme_fractional_step_dt": 0.01, "stop_steps": 5, "dm_refine": 1}), ("monolithic", 1e-6, {**MONOLITHIC, "scheme_monolithic_dt": 0.02, "stop_steps": 5})):
        force = case(**words, bc_left_type="moving_wall", bc_left_velocity="0,0,y*t", bc_right_type="moving_wall", bc_right_angular_velocity=None, bc_right_velocity="0,0,y*t", bc_top_type="moving_wall",
                     bc_top_velocity="0,0,y*t", form_source_swirl="y", diagnostic_force_kind="forces", diagnostic_force_label="top,right", diagnostic_force_torque="true").table("_force.csv")
        for label in "top", "right":
            gate.at_most(f"spin, {name}: torque on {label} over the fluid's inertia", abs(force[f"{label}_torque"][-1]) / inertia, bound)


def main():
    gate = Gate("axisymmetric_swirl_schemes")
    rest(gate, "Newtonian", {"Heun": LUMPED, "bdf2": REST, "monolithic": STAY})
    rest(gate, "Oldroyd-B", {"Heun": LUMPED, "monolithic": STAY}, **OLDROYD)
    couette(gate)
    spin(gate)
    pulse(gate)
    return gate.finish()


sys.exit(main())
