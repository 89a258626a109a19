"""What is measured on flows with swirl, against the flows themselves, rho 3, Oldroyd-B with solvent: wall shear stress, vorticity, q_criterion, parts of
torques and energy budget of circular Couette flow, of flow between discs (Newtonian, without inertia, exact in elements), of rigid rotation
(nothing is dissipated) and of a fluid that a force along theta spins up; 1 and 2 ranks."""
import math
import sys

import numpy as np
import run
from gate import Gate

R1, R2, LENGTH, SPIN, RHO = 0.5, 1.1, 0.3, 0.9, 3.0
ETA_S, ETA_P, LAMBDA = 0.4, 0.6, 0.5
B = SPIN / (1 / R1**2 - 1 / R2**2)  # u_theta = A r + B/r
A = -B / R2**2
FIELDS = "velocity,vorticity,q_criterion,shear_rate"
CASE = {
    "case_name": "measures", "form_axisymmetric": "true", "mesh_box_lower": f"0,{R1}", "mesh_box_upper": f"{LENGTH},{R2}", "mesh_box_faces": "3,24",
    "mesh_box_periodic": "x", "physics": "newtonian,swirling", "physics_newtonian_viscosity": ETA_S, "form_density": RHO, "stabiliser": "split_oss",
    "bc_bottom_type": "rotating_wall", "bc_bottom_angular_velocity": SPIN, "bc_top_type": "wall", "scheme": "lumped", "scheme_lumped_stepper": "heun",
    "scheme_lumped_dt": 6e-4, "pressure_ksp_rtol": 1e-12, "output_fields": FIELDS, "diagnostic_force_kind": "forces", "diagnostic_force_label": "bottom,top",
    "diagnostic_force_torque": "true", "diagnostic_force_parts": "true", "diagnostic_energy_kind": "energy", "diagnostic_wall": "bottom,top",
    "diagnostic_mean_kind": "wall_average", "diagnostic_mean_label": "bottom", "diagnostic_mean_every": 20, "diagnostic_history_every": 100,
}
OLDROYD = {"physics": "newtonian,oldroydb,swirling", "physics_oldroydb_viscosity": ETA_P, "physics_oldroydb_lambda": LAMBDA, "stabiliser": "devss,split_oss"}


def case(np_=1, **changes):
    words = [w for key, value in {**CASE, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, out=run.folder("axisymmetric"), np=np_, timeout=100)


def budget(gate, name, energy, expected, tolerance):
    for column, value in expected.items():
        gate.relative(f"{name}: {column}", energy[column][-1], value, tolerance)
    gate.at_most(f"{name}: residual of the budget", abs(energy["residual"][-1]) / max(abs(v) for k, v in expected.items() if k != "kinetic"), tolerance)


def peak(x):
    return float(np.abs(x).max())


def ranks(gate, start):
    one, two = (case(n, **OLDROYD, **{**start, "stop_time": None, "stop_steps": 10}) for n in (1, 2))
    for table in ("_energy.csv", "_force.csv", "_wall_top.csv"):
        a, b = one.table(table), two.table(table)
        gate.at_most(f"np 2: {table}", peak([a[k] - b[k] for k in a]), 1e-10)


def couette(gate):
    """From the exact flow, until the mesh's own is there."""
    rate = f"(-2*{B}/y^2)"
    start = {"initial_swirl": f"{A}*y+{B}/y", "initial_stress": f"0,0,{2 * ETA_P * LAMBDA}*{rate}^2,{ETA_P}*{rate},0,0", "polymer_variable": "stress",
             "initial_pressure": f"{RHO}*({A**2 / 2}*y^2+{2 * A * B}*log(y)-{B**2 / 2}/y^2)+{2 * ETA_P * LAMBDA * B**2}/y^4", "stop_time": 0.6}
    done = case(**OLDROYD, **start, diagnostic_force_every=1000, diagnostic_energy_every=1000)
    got, force, energy = done.fields(), done.table("_force.csv"), done.table("_energy.csv")
    r = got.points[:, 1]
    inside = (r > R1 + 0.06) & (r < R2 - 0.06)
    gate.at_most("Couette: vorticity along the axis", peak(got["vorticity"][inside, 0] - 2 * A) / abs(2 * A), 0.01)
    gate.at_most("Couette: its other components", peak(got["vorticity"][inside, 1:]), 1e-4)
    gate.at_most("Couette: q_criterion", peak((got["q_criterion"] - (A**2 - B**2 / r**4))[inside]) / (B**2 / R1**4), 0.005)
    gate.at_most("Couette: shear rate", peak((got["shear_rate"] - 2 * B / r**2)[inside]) / (2 * B / R1**2), 0.005)
    torque = -4 * math.pi * LENGTH * (ETA_S + ETA_P) * B  # of the fluid on the inner cylinder
    for label, sign, radius in (("bottom", 1, R1), ("top", -1, R2)):
        gate.relative(f"Couette, {label}: torque", force[f"{label}_torque"][-1], sign * torque, 2e-3)
        gate.relative(f"Couette, {label}: of the solvent", force[f"{label}_solvent_torque"][-1], sign * torque * ETA_S, 0.05)  # first order in h
        gate.relative(f"Couette, {label}: of the polymer", force[f"{label}_polymer_torque"][-1], sign * torque * ETA_P, 0.05)
        gate.at_most(f"Couette, {label}: sum of the two less surface_torque", abs(force[f"{label}_solvent_torque"][-1] + force[f"{label}_polymer_torque"][-1] -
                                                                                 force[f"{label}_surface_torque"][-1]), 1e-10)
        wall = done.table(f"_wall_{label}.csv")
        gate.at_most(f"Couette, {label}: wss_theta", peak(wall["wss_theta"] * 2 * math.pi * radius**2 * LENGTH - sign * torque) / abs(torque), 2e-3)
        gate.at_most(f"Couette, {label}: wss_x", peak(wall["wss_x"]) / abs(torque), 1e-3)
        gate.at_most(f"Couette, {label}: shear rate", peak(wall["shear_rate"] * radius**2 / (2 * B) - 1), 0.005)
    mean = done.table("_mean_bottom.csv")
    gate.at_most("Couette: mean_theta of the wall's average", peak(mean["mean_theta"] * 2 * math.pi * R1**2 * LENGTH / torque - 1), 5e-3)
    gate.at_most("Couette: magnitude", peak(mean["magnitude"] - np.abs(mean["mean_theta"])) / peak(mean["magnitude"]), 5e-3)
    power = abs(torque) * SPIN
    kinetic = RHO / 2 * 2 * math.pi * LENGTH * (A**2 * (R2**4 - R1**4) / 4 + A * B * (R2**2 - R1**2) + B**2 * math.log(R2 / R1))
    budget(gate, "Couette", energy, {"kinetic": kinetic, "wall_work": power, "viscous_dissipation": power * ETA_S, "polymer_work": power * ETA_P,
                                     "polymer_dissipation": power * ETA_P}, 5e-3)
    ranks(gate, start)


def discs(gate):
    """u_theta = w r z/H: T_ztheta = eta w r/H; the moment on the disc that turns is -pi eta w R^4/(2 H)."""
    H, R, w = 0.7, 1.1, 1.3
    for cell in ("quadrilateral", "triangle"):
        done = case(mesh_box_lower="0,0", mesh_box_upper=f"{H},{R}", mesh_box_faces="5,8", mesh_box_periodic=None, mesh_box_cell=cell, form_convection="false",
                    initial_swirl=f"{w / H}*x*y", bc_left_type="wall", bc_right_type="rotating_wall", bc_right_angular_velocity=w, bc_top_type="moving_wall",
                    bc_top_velocity=f"0,0,{w / H}*x*y", bc_bottom_type="symmetry", bc_bottom_angular_velocity=None, stop_steps=400 if cell == "triangle" else 5,
                    diagnostic_force_label="left,right", diagnostic_wall="left,right", diagnostic_mean_kind=None, diagnostic_mean_label=None, diagnostic_mean_every=None)
        got, force, energy = done.fields(), done.table("_force.csv"), done.table("_energy.csv")
        z, r = got.points[:, 0], got.points[:, 1]
        tolerance = 1e-11 if cell == "quadrilateral" else 0.02
        inside = (z > 0.2) & (z < H - 0.2) & (r < R - 0.2) & (r > 0.2)
        exact = np.stack([2 * w * z / H, -w * r / H, 0 * z], axis=1)
        gate.at_most(f"discs, {cell}: vorticity", peak((got["vorticity"] - exact)[inside]) / w, 0.03)
        moment = -math.pi * ETA_S * w * R**4 / (2 * H)
        for label, sign in (("right", 1), ("left", -1)):
            gate.relative(f"discs, {cell}, {label}: torque", force[f"{label}_torque"][-1], sign * moment, 0.035)  # of second order: the corner's traction is its neighbour's
            gate.relative(f"discs, {cell}, {label}: of the solvent", force[f"{label}_solvent_torque"][-1], sign * moment, 5 * tolerance)
            wall = done.table(f"_wall_{label}.csv")
            gate.at_most(f"discs, {cell}, {label}: wss_theta", peak(wall["wss_theta"] + sign * ETA_S * w * wall["y"] / H) / (ETA_S * w * R / H), 3 * tolerance)
            gate.at_most(f"discs, {cell}, {label}: shear rate", peak(wall["shear_rate"] - w * wall["y"] / H) / (w * R / H), 1e-3 if cell == "triangle" else 1e-8)
        gate.relative(f"discs, {cell}: viscous dissipation", energy["viscous_dissipation"][-1], math.pi * ETA_S * w**2 * R**4 / (2 * H), tolerance)
        gate.relative(f"discs, {cell}: work of walls", energy["wall_work"][-1], math.pi * ETA_S * w**2 * R**4 / (2 * H), tolerance)


def rigid(gate):
    w = 1.7
    done = case(**OLDROYD, polymer_variable="logconf", mesh_box_lower="0,0", mesh_box_faces="3,5", form_convection="false", initial_swirl=f"{w}*y", bc_bottom_type="symmetry",
                bc_bottom_angular_velocity=None, bc_top_type="rotating_wall", bc_top_angular_velocity=w, stop_steps=20, diagnostic_force_label="top", diagnostic_wall="top",
                diagnostic_mean_kind=None, diagnostic_mean_label=None, diagnostic_mean_every=None)
    got, force, energy, wall = done.fields(), done.table("_force.csv"), done.table("_energy.csv"), done.table("_wall_top.csv")
    gate.at_most("rigid: vorticity less 2 w", peak(got["vorticity"] - [2 * w, 0, 0]), 1e-11)
    gate.at_most("rigid: q_criterion less w^2", peak(got["q_criterion"] - w**2), 1e-11)
    gate.at_most("rigid: shear rate", peak(got["shear_rate"]), 1e-11)
    gate.at_most("rigid: dissipation and work", peak([energy[k][-1] for k in ("viscous_dissipation", "polymer_work", "polymer_dissipation", "wall_work", "residual")]), 1e-11)
    gate.relative("rigid: kinetic energy", energy["kinetic"][-1], RHO * math.pi * LENGTH * w**2 * R2**4 / 4, 1e-12)
    gate.at_most("rigid: torques", peak([force[f"top_{k}"][-1] for k in ("torque", "surface_torque", "solvent_torque", "polymer_torque")]), 1e-11)
    gate.at_most("rigid: wall shear stress and rate", peak([wall[k] for k in ("wss_theta", "shear_rate")]), 1e-9)
    shear = 0.6
    done = case(**OLDROYD, mesh_box_lower="0,0", mesh_box_faces="3,5", form_convection="false", initial_swirl=f"{w}*y", initial_velocity=f"{shear}*y,0", bc_bottom_type="symmetry", bc_bottom_angular_velocity=None,
                bc_top_type="moving_wall", bc_top_velocity=f"{shear * R2},0,{w * R2}", bc_top_angular_velocity=None, stop_steps=1, scheme_lumped_dt=1e-9, diagnostic_force_label="top", diagnostic_wall="top", diagnostic_mean_kind=None,
                diagnostic_mean_label=None, diagnostic_mean_every=None, diagnostic_p_kind="probe", diagnostic_p_points="0.1,0.5", diagnostic_p_fields="vorticity", diagnostic_i_kind="integral", diagnostic_i_fields="vorticity", diagnostic_m_kind="average", diagnostic_m_fields="velocity")
    probe, total = done.table("_p.csv"), done.table("_i.csv")
    for name, table, per in (("at a point", probe, 1), ("integral", total, math.pi * R2**2 * LENGTH)):
        found = sorted((k, float(v[-1]) / per) for k, v in table.items() if "vorticity" in k and not k.endswith("mean"))
        gate.true(f"sheared: three components of the vorticity, {name}: {found}", len(found) == 3)
        gate.at_most(f"sheared: vorticity, {name}", peak([v for _, v in found] - np.array([2 * w, 0, -shear])), 1e-6)
    mean = run.Fields(done.file("_m.vtu"))
    gate.at_most("sheared: mean velocity", peak(mean["velocity_mean"] - mean.points[:, 1:2] * [shear, 0, w]), 1e-6)


def spun(gate):
    """From rest by a force: its work goes into kinetic energy, and little of it is dissipated yet."""
    energy = case(**OLDROYD, polymer_variable="stress", mesh_box_faces="3,10", form_source_swirl="2*y*(1+t)", bc_bottom_type="wall", bc_bottom_angular_velocity=None,
                  bc_top_type="rotating_wall", bc_top_angular_velocity="0.3*t", stop_steps=100).table("_energy.csv")
    gate.at_least("spun up: work of the force", energy["body_work"][-1], 0.05)
    gate.at_least("spun up: rate of the kinetic energy", energy["kinetic_rate"][-1], 0.05)
    gate.at_most("spun up: residual of the budget", abs(energy["residual"][-1]) / energy["body_work"][-1], 1e-3)
    gain = np.diff(energy["kinetic"])[-20:] / np.diff(energy["t"])[-20:]
    gate.at_most("spun up: kinetic_rate less the difference of kinetic", peak(gain / ((energy["kinetic_rate"][1:] + energy["kinetic_rate"][:-1]) / 2)[-20:] - 1), 0.02)


def ends(gate):
    """Torques count walls: an outlet that answers to its flux is none, by whatever name."""
    torque = {}
    for kind, more in (("outlet", {}), ("resistance", {"bc_right_pressure_by_flux": "0*q"}), ("windkessel", {"bc_right_proximal": 0, "bc_right_distal": 1e-9, "bc_right_compliance": 0})):
        done = case(mesh_box_periodic=None, mesh_box_faces="4,8", bc_left_type="wall", bc_right_type=kind, stop_steps=4, diagnostic_force_every=4, diagnostic_wall=None, diagnostic_mean_kind=None,
                    diagnostic_mean_label=None, diagnostic_mean_every=None, diagnostic_energy_kind=None, **more)
        torque[kind] = done.table("_force.csv")["bottom_torque"][-1]
    for kind in ("resistance", "windkessel"):
        gate.relative(f"torque beside {kind}, beside an outlet", torque[kind], torque["outlet"], 1e-6)


def quiet(gate):
    """In the units of a small device, steady: along the wall nothing but rounding, of which no separation is told."""
    done = case(mesh_box_lower="0,0.5e-3", mesh_box_upper="0.4e-3,1e-3", mesh_box_faces="4,16", physics_newtonian_viscosity=3.5e-3, form_density=1000, bc_bottom_angular_velocity=20, scheme="steady", scheme_lumped_stepper=None, scheme_lumped_dt=None,
                pressure_ksp_rtol=None, diagnostic_mean_kind=None, diagnostic_mean_label=None, diagnostic_mean_every=None, diagnostic_history_every=None)
    for label, radius in (("bottom", 0.5e-3), ("top", 1e-3)):
        wall = done.table(f"_wall_{label}.csv")
        gate.relative(f"quiet, {label}: wss_theta", peak(wall["wss_theta"]), 2 * 3.5e-3 * 20 / (1 - 0.25) * (0.5e-3 / radius) ** 2, 2e-3)
        gate.at_most(f"quiet, {label}: wss_x", peak(wall["wss_x"]), 1e-12)
        gate.near(f"quiet, {label}: points of separation", len(done.texts(f"_wall_{label}_points.csv")), 0, 0)
    gate.true("none is told", "separation" not in done.stdout)


def main():
    gate = Gate("axisymmetric_measures")
    quiet(gate)
    ends(gate)
    couette(gate)
    discs(gate)
    rigid(gate)
    spun(gate)
    return gate.finish()


sys.exit(main())
