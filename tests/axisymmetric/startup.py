"""Start-up of an Oldroyd-B fluid in a tube from rest by a force K per volume against the series of Waters and King (1971): with
rho u_t = K + (1/r)(r tau)_r and tau + lambda tau_t = eta_0 (g + lambda beta g_t), g = u_r, each term a_n(t) J0(z_n r/R) of u follows
the system of a_n and its part of the polymer's stress, whose exponential is taken here."""
import sys

import numpy as np
import run
from gate import Gate
from scipy.linalg import expm
from scipy.special import jn_zeros, jv

R, K, RHO, ETA_S, ETA_P, LAMBDA = 0.7, 5.0, 1.3, 0.1, 0.6, 0.5
CASE = ["-case_name", "startup", "-form_axisymmetric", "true", "-mesh_box_faces", "3,24", "-mesh_box_upper", f"0.1,{R}", "-mesh_box_periodic", "x", "-physics",
        "newtonian,oldroydb", "-physics_newtonian_viscosity", ETA_S, "-physics_oldroydb_viscosity", ETA_P, "-physics_oldroydb_lambda", LAMBDA, "-form_density", RHO,
        "-form_body_force", f"{K},0", "-stabiliser", "devss,split_oss", "-bc_bottom_type", "symmetry", "-bc_top_type", "wall", "-stop_time", 2, "-output_fields", "false",
        "-diagnostic_axis_kind", "probe", "-diagnostic_axis_points", "0.05,0"]
EVERY = ["-diagnostic_history_every", 1000, "-diagnostic_axis_every"]
EXPLICIT = ["-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", 4e-4, *EVERY, 250]
RUNS = [("stress", EXPLICIT), ("logconf", EXPLICIT), ("logconf", ["-scheme", "monolithic", "-scheme_monolithic_dt", 0.02, *EVERY, 5]),
        ("stress", ["-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2", "-scheme_fractional_step_dt", 1e-2, *EVERY, 10])]


def series(t, r):
    """u(r, t): rho a' = 2 K/(z J1(z)) - (z/R)(eta_s (z/R) a + b), lambda b' = eta_p (z/R) a - b."""
    u = 0
    for z in jn_zeros(0, 60):
        k = z / R
        A = np.array([[-k * k * ETA_S / RHO, -k / RHO], [ETA_P * k / LAMBDA, -1 / LAMBDA]])
        forced = np.linalg.solve(A, [2 * K / (z * jv(1, z)) / RHO, 0])
        u += ((expm(A * t) - np.eye(2)) @ forced)[0] * jv(0, k * r)
    return u


def main():
    gate = Gate("axisymmetric_startup")
    for variable, scheme in RUNS:
        name = f"{variable}, {scheme[1] if '-scheme' in scheme else 'explicit'}"
        result = run.rheoplex("run", *CASE, *scheme, "-polymer_variable", variable, out=run.folder("axisymmetric"), timeout=100)
        table = result.table("_axis.csv")
        u = table["velocity_x_0"]
        largest = max(abs(series(t, 0)) for t in table["t"])
        for t in (0.2, 0.5, 1.0, 2.0):
            at = int(np.argmin(np.abs(table["t"] - t)))
            gate.near(f"{name}: u on the axis at t = {t}", u[at] / largest, series(table["t"][at], 0) / largest, 0.005)
    return gate.finish()


sys.exit(main())
