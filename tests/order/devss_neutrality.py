"""DEVSS is neutral: the pressure drop of plane Poiseuille flow (Oldroyd-B, developed inlet) with theta 1 and without it
differs by an amount that is not zero and falls at least 3.5 times per halving of h."""
import sys

import numpy as np
import run
from gate import Gate

ETA_S, ETA_P, LAMBDA = 0.5, 0.5, 0.1
CASE = [
    "-mesh_box_lower", "0,-0.5", "-mesh_box_upper", "3,0.5",
    "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", ETA_S, "-physics_oldroydb_viscosity", ETA_P, "-physics_oldroydb_lambda", LAMBDA,
    "-form_convection", "0", "-bc_bottom_type", "wall", "-bc_top_type", "wall",
    "-bc_left_type", "inlet", "-bc_left_profile", "parabolic", "-bc_left_mean_velocity", "1",
    "-bc_right_type", "outlet", "-bc_right_profile", "parabolic", "-bc_right_mean_velocity", "1",
    "-stop_steady_tol", "1e-8", "-stop_time", "20", "-diagnostic_history_every", "1000", "-case_name", "channel",
]


def pressure_drop(n, stabiliser):
    """Mean pressure at x = 1 minus that at x = 2."""
    h = 1 / n
    result = run.rheoplex("run", *CASE, *stabiliser, "-mesh_box_faces", f"{3 * n},{n}", "-scheme_lumped_dt", 0.2 * h * h / (ETA_S + ETA_P),
                          out=run.folder("devss"))
    fields = result.fields()
    keep = fields.unique()
    x, p = fields.points[keep], fields["pressure"][keep]
    mean = lambda at: run.trapezoid(x[abs(x[:, 0] - at) < 1e-9, 1], p[abs(x[:, 0] - at) < 1e-9])
    return mean(1.0) - mean(2.0)


def main():
    gate = Gate("order_devss_neutrality")
    meshes, differences = (6, 12, 24), []
    for n in meshes:
        without = pressure_drop(n, ("-stabiliser", "split_oss"))
        with_devss = pressure_drop(n, ("-stabiliser", "devss,split_oss", "-stabiliser_devss_theta", "1"))
        differences.append(abs(with_devss - without))
        gate.note(f"pressure drop over one height, {n} elements, without (12 exact)", without)
        gate.note(f"pressure drop over one height, {n} elements, theta 1", with_devss)
    for k in range(len(meshes)):
        gate.at_least(f"difference, {meshes[k]} elements", differences[k], 1e-8)
    for k in range(len(meshes) - 1):
        gate.at_least(f"fall of the difference, {meshes[k]} to {meshes[k + 1]}", differences[k] / differences[k + 1], 3.5)
    return gate.finish()


sys.exit(main())
