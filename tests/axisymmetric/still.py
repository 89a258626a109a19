"""A swirl that nothing drives changes no bit of what the flow is without it but for rounding, whatever stabilises it, rho 3, two modes, on one, two and three ranks."""
import sys

import numpy as np
import run
from gate import Gate, largest

TUBE = {"case_name": "still", "device": "cpu", "form_axisymmetric": "true", "mesh_box_lower": "0,0.5", "mesh_box_upper": "1.6,1.3", "mesh_box_faces": "8,6", "mesh_box_cell": "mixed", "mesh_box_jitter": 0.2,
        "form_density": 3, "physics_newtonian_viscosity": 0.35, "physics_oldroydb_modes": 2, "physics_oldroydb_viscosity": "0.3,0.2", "physics_oldroydb_lambda": "0.25,0.05",
        "polymer_variable": "conformation", "bc_left_type": "outlet", "bc_left_pressure": "9*(1+0.3*sin(40*t))", "bc_right_type": "resistance", "bc_right_pressure_by_flux": "0.5+0.2*q",
        "bc_bottom_type": "wall", "bc_top_type": "slip", "bc_top_friction": 1.3, "initial_velocity": "0.3*(y-0.5)*(1.8-y),0.2*sin(2*x)", "output_fields": "false"}
EXPLICIT = {"scheme": "fractional_step", "scheme_fractional_step_integrator": "heun", "scheme_fractional_step_dt": 0.004, "stop_steps": 8, "pressure_ksp_rtol": 1e-12}
MONOLITHIC = {"scheme": "monolithic", "scheme_monolithic_dt": 0.02, "stop_steps": 3, "snes_rtol": 1e-11, "ksp_rtol": 1e-10}
STABILISERS = {"split_oss": {"stabiliser": "devss,split_oss", "stabiliser_devss_theta": 0.5}, "gls": {"stabiliser": "gls"}, "gls, upwind": {"stabiliser": "gls", "stabiliser_gls_weighting": "upwind"}}


def flow(physics, np_, **words):
    line = [w for key, value in {**TUBE, "physics": physics, **words}.items() for w in (f"-{key}", value)]
    return run.rheoplex("run", *line, out=run.folder("axisymmetric"), np=np_, timeout=200).checkpoint()


def main():
    gate = Gate("axisymmetric_still")
    for name, stabiliser in STABILISERS.items():
        for scheme, steps in (("heun", EXPLICIT), ("monolithic", MONOLITHIC)):
            without = flow("newtonian,oldroydb", 1, **stabiliser, **steps)
            gate.at_least(f"{name}, {scheme}: largest velocity across", float(np.abs(without[:, 1]).max()), 0.01)
            for ranks in (1, 2, 3) if scheme == "heun" else (1,):
                found = flow("newtonian,oldroydb,swirling", ranks, bc_top_swirl="natural", **stabiliser, **steps)
                # of four components of a mode rr, zz, theta theta, rz, of six with those of theta after them
                modes = [3 + 6 * m + k for m in range(2) for k in (0, 1, 2, 5)]
                turned = [3 + 6 * m + k for m in range(2) for k in (3, 4)] + [15]
                apart = np.abs(found[:, [0, 1, 2, *modes]] - without).max(axis=0) / np.abs(without).max(axis=0)
                gate.at_most(f"{name}, {scheme}, {ranks} ranks: state with swirl less that without, of the largest of each field", largest(apart), 1e-10)
                gate.at_most(f"{name}, {scheme}, {ranks} ranks: swirl and shear along theta", largest(np.abs(found[:, turned]).max(), 0.0), 1e-12)
    return gate.finish()


sys.exit(main())
