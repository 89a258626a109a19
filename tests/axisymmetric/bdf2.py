"""Implicit momentum of axisymmetric flow, whose matrix has the hoop beside it in the rows of u_r: order 2 in time of an inflow that pulsates
and has a radial part, the flow that rk4 finds, ranks; and far beyond the explicit limit of the hoop the flow of Hagen and Poiseuille."""
import math
import sys

import numpy as np
import run
from gate import Gate

R, LENGTH, ETA = 0.7, 1.2, 0.3
TUBE = ["-case_name", "tube", "-form_axisymmetric", "true", "-mesh_box_upper", f"{LENGTH},{R}", "-physics", "newtonian", "-stabiliser", "split_oss", "-form_density", 1.3,
        "-bc_left_type", "inlet", "-bc_right_type", "outlet", "-bc_bottom_type", "symmetry", "-bc_top_type", "wall", "-output_fields", "false", "-scheme", "fractional_step"]
RADIAL = "y*(0.49-y^2)"  # of u_r
PULSE = [*TUBE, "-mesh_box_faces", "8,8", "-mesh_box_cell", "mixed", "-physics_newtonian_viscosity", ETA, "-stop_time", 0.2,
         "-bc_left_velocity", f"1.5*(1-y^2/0.49)*(1+0.5*sin(4*t)),2*{RADIAL}", "-initial_velocity", f"1.5*(1-y^2/0.49),2*{RADIAL}"]


def end(integrator, dt, np_=1):
    words = ["-scheme_fractional_step_integrator", integrator, "-scheme_fractional_step_dt", dt, "-pressure_ksp_rtol", 1e-12]
    words += ["-momentum_ksp_rtol", 1e-10] if integrator == "bdf2" else []
    return run.rheoplex("run", *PULSE, *words, out=run.folder("axisymmetric"), np=np_, timeout=100).checkpoint()[:, :2]


def pulse(gate):
    steps = (0.01, 0.005, 0.0025)
    states = [end("bdf2", dt) for dt in steps]
    change = [float(np.abs(b - a).max()) for a, b in zip(states, states[1:])]
    gate.at_least("pulse: order of the velocity in time", math.log2(change[0] / change[1]), 1.7)
    scale = float(np.abs(states[-1]).max())
    gate.at_most("pulse: against rk4, over the largest velocity", float(np.abs(states[-1] - end("rk4", 5e-4)).max()) / scale, 5e-3)
    for ranks in (2, 3):
        gate.at_most(f"pulse: np {ranks}, largest difference", float(np.abs(end("bdf2", steps[0], ranks) - states[0]).max()), 1e-10)


def viscous(gate):
    """eta dt/(rho h^2) = 1400."""
    result = run.rheoplex("run", *TUBE, "-mesh_box_faces", "8,24", "-physics_newtonian_viscosity", 10 * ETA, "-bc_left_velocity", f"1.5*(1-y^2/0.49),{RADIAL}",
                          "-initial_velocity", f"0.3*(1-y^2/0.49),2*{RADIAL}", "-scheme_fractional_step_integrator", "bdf2", "-scheme_fractional_step_dt", 0.5, "-stop_steps", 100,
                          out=run.folder("axisymmetric"), timeout=100)
    x, state = result.checkpoint("positions"), result.checkpoint()
    outlet = x[:, 0] > LENGTH - 1e-9
    gate.at_most("viscous: error at the outlet, over the largest velocity", float(np.abs(state[outlet, 0] - 1.5 * (1 - x[outlet, 1] ** 2 / R**2)).max()) / 1.5, 0.02)


def main():
    gate = Gate("axisymmetric_bdf2")
    pulse(gate)
    viscous(gate)
    return gate.finish()


sys.exit(main())
