"""A channel along y is the channel along x turned: periodic boxes, body force, moving wall, two modes; the same states to rounding."""
import sys

import numpy as np
import run
from gate import Gate

FLUID = ["-case_name", "channel", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.4", "-physics_oldroydb_modes", "2", "-physics_oldroydb_viscosity", "0.3,0.5",
         "-physics_oldroydb_lambda", "0.2,0.5", "-form_density", "3", "-stabiliser", "devss,split_oss", "-stabiliser_devss_theta", "0.5", "-stop_steps", "5", "-scheme_lumped_dt", "1e-3"]
ALONG_X = ["-mesh_box_faces", "4,3", "-mesh_box_periodic", "x", "-form_body_force", "2,0.3*y", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "1,0",
           "-initial_velocity", "y*(1-y)+0.1*sin(2*pi*x),0.1*cos(2*pi*x)*y", "-initial_stress", "0.1*y,0.2,0.3*y;0.2*sin(2*pi*x),0.1,0.1"]
ALONG_Y = ["-mesh_box_faces", "3,4", "-mesh_box_periodic", "y", "-form_body_force", "0.3*x,2", "-bc_left_type", "wall", "-bc_right_type", "moving_wall", "-bc_right_velocity", "0,1",
           "-initial_velocity", "0.1*cos(2*pi*y)*x,x*(1-x)+0.1*sin(2*pi*y)", "-initial_stress", "0.2,0.1*x,0.3*x;0.1,0.2*sin(2*pi*y),0.1"]
TURNED = [1, 0, 2, 4, 3, 5, 7, 6, 8]  # components of the block, x and y exchanged


def state(*words):
    result = run.rheoplex("run", *FLUID, *[w.replace("pi", repr(float(np.pi))) for w in words], "-pressure_ksp_rtol", "1e-13", out=run.folder("turned"))
    return result.checkpoint("positions"), result.checkpoint()


def main():
    gate = Gate("reference_turned")
    (x, a), (y, b) = state(*ALONG_X), state(*ALONG_Y)
    a, b = a[np.lexsort(np.round(x, 9).T)], b[np.lexsort(np.round(y[:, ::-1], 9).T)][:, TURNED]
    for s in (a, b):
        s[:, 2] -= s[:, 2].mean()  # the pressure is free
    scale = np.abs(a).max(0)
    gate.at_least("largest value of the smallest column", float(scale.min()), 1e-3)
    gate.at_most("largest difference of the turned channel", float((np.abs(a - b) / scale).max()), 1e-9)
    return gate.finish()


sys.exit(main())
