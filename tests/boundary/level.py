"""The level of the pressure behind outlets moves no incompressible flow: it is there from the first step on, and a level that changes with time is taken by the pressure alone.
level.py [cuda]  with a device: two cases, and the same state as on the host

A channel with inflow that speeds up, one outlet, and a pair of outlets above each other; pressure at nodes and in the traction, a constant level 300 times rho U^2, one that swings 10 times."""
import sys

import numpy as np
import run
from gate import Gate

CHANNEL = {"case_name": "level", "mesh_box_lower": "0,-0.5", "mesh_box_upper": "2,0.5", "mesh_box_faces": "20,10", "mesh_box_cell": "mixed", "physics": "newtonian", "physics_newtonian_viscosity": 0.05,
           "stabiliser": "split_oss", "form_density": 3, "bc_left_type": "inlet", "bc_left_velocity": "(1+0.5*sin(4*t))*1.5*(1-4*y^2),0", "bc_left_ramp": 0.2, "bc_right_type": "outlet",
           "bc_bottom_type": "wall", "bc_top_type": "wall", "stop_time": 0.4, "output_fields": "false", "pressure_ksp_rtol": 1e-12}
BDF2 = {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": 0.01, "momentum_ksp_rtol": 1e-11}
SCHEMES = {"bdf2": BDF2, "ssp3": {"scheme": "fractional_step", "scheme_fractional_step_integrator": "ssp3", "scheme_fractional_step_dt": 0.004},
           "lumped": {"scheme": "lumped", "scheme_lumped_dt": 0.004}, "heun": {"scheme": "lumped", "scheme_lumped_stepper": "heun", "scheme_lumped_dt": 0.004}}
SWING = "30*sin(9*t)"
TWO = {"bc_top_type": "outlet", "bc_left_velocity": "1.5*(1-4*y^2),0"}  # levels that differ drive a flow between them


def solve(scheme, device="cpu", np_=1, **more):
    words = [w for k, v in {**CHANNEL, **scheme, **more}.items() for w in (f"-{k}", v)]
    result = run.rheoplex("run", *words, "-device", device, out=run.folder("level"), np=np_)
    return result.checkpoint(), result.checkpoint("positions"), abs(result.table("_history.csv")["mass_error"][-1])


def main(device="cpu"):
    gate = Gate("boundary_level" + ("" if device == "cpu" else "_cuda"))
    for name, scheme in SCHEMES.items() if device == "cpu" else [("bdf2", BDF2), ("lumped", SCHEMES["lumped"])]:
        for at in "traction", "nodes":
            plain, x, lost = solve(scheme, device, bc_right_pressure_at=at, bc_right_pressure=0)
            high, y, _ = solve(scheme, device, bc_right_pressure_at=at, bc_right_pressure=900)
            swung, z, also = solve(scheme, device, bc_right_pressure_at=at, bc_right_pressure=SWING)
            gate.at_most(f"{name}, {at}: velocity by a level of 900 Pa", np.abs(high[:, :2] - plain[:, :2]).max(), 1e-8)
            gate.at_most(f"{name}, {at}: pressure less that level", np.abs(high[:, 2] - 900 - plain[:, 2]).max(), 1e-5)
            gate.at_most(f"{name}, {at}: velocity by a level that swings by 30 Pa", np.abs(swung[:, :2] - plain[:, :2]).max(), 0.02)
            gate.at_most(f"{name}, {at}: flow lost, of it {lost:.1e} without", also, 0.02)
            gate.true(f"{name}, {at}: nodes", np.array_equal(x, y) and np.array_equal(x, z))
    swing = dict(bc_right_pressure=SWING, bc_top_pressure=f"{SWING}+x", **TWO)
    here, x, _ = solve(BDF2, **swing)
    if device != "cpu":
        there, y, _ = solve(BDF2, device, **swing)
        gate.at_most("two outlets whose levels swing: device from host", np.abs(there - here).max() / np.abs(here).max(), 1e-9)
        return gate.finish()
    for ranks in 2, 3:
        there, y, _ = solve(BDF2, np_=ranks, **swing)
        at = {tuple(np.round(p, 9)): s for p, s in zip(y, there)}
        gate.at_most(f"two outlets whose levels swing, np {ranks}", np.abs(np.array([at[tuple(np.round(p, 9))] for p in x]) - here).max() / np.abs(here).max(), 1e-9)
    ends = {"bc_left_type": "outlet", "bc_left_pressure": 1.2, "bc_right_pressure": 1, "bc_bottom_type": "symmetry", "bc_top_type": "symmetry", "scheme_fractional_step_dt": 1e-3, "stop_steps": 1}
    words = [w for k, v in {**CHANNEL, **BDF2, **ends}.items() if k not in ("bc_left_velocity", "bc_left_ramp") for w in (f"-{k}", v)]
    found = run.rheoplex("run", *words, "-device", "cpu", out=run.folder("level"))
    state, x = found.checkpoint(), found.checkpoint("positions")
    gate.at_most("outlets of two levels, a step from rest: pressure falls evenly", np.abs(state[:, 2] - (1.2 - 0.1 * x[:, 0])).max(), 1e-7)
    gate.at_most("the flow is what that drives", np.abs(state[:, :2] - [1e-3 * 0.1 / 3, 0]).max() / (1e-3 * 0.1 / 3), 1e-3)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
