"""np = 1, 2, 4 (oversubscribed): 20 steps from a perturbed state with solves to 1e-13; fields equal to 1e-10.
equality.py <case>"""
import sys

import numpy as np
import run
from gate import Gate

FLUID = ["-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.05", "-physics_oldroydb_viscosity", "0.05", "-physics_oldroydb_lambda", "0.3",
         "-stabiliser", "devss,split_oss", "-stabiliser_devss_theta", "0.5"]
CHANNEL = ["-bc_inlet_type", "inlet", "-bc_inlet_profile", "parabolic", "-bc_inlet_mean_velocity", "1", "-bc_inlet_ramp", "0.1", "-bc_outlet_type", "outlet",
           "-bc_outlet_profile", "parabolic", "-bc_outlet_mean_velocity", "1"]
SQUARE = ["-bc_inlet_type", "inlet", "-bc_inlet_velocity", "2*(1-4*y^2)*(1-4*z^2),0,0", "-bc_inlet_ramp", "0.1", "-bc_outlet_type", "outlet", "-bc_outlet_polymer", "zero",
          "-bc_wall_type", "wall"]
AAA = CHANNEL + ["-bc_wall_bottom_type", "wall", "-bc_wall_top_type", "wall"]
BOX2 = ["-mesh_box_lower", "0,0", "-mesh_box_upper", "1,1", "-mesh_box_faces", "12,11"]
CAVITY = ["-bc_bottom_type", "wall", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "1,0"]

CASES = {
    "aaa_quads": ["-mesh_file", f"{run.MESHES}/aaa_100x20.msh", *AAA],
    "periodic_quads": [*BOX2, "-mesh_box_periodic", "x", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-form_body_force", "1,0"],
    "cylinder_triangles": ["-mesh_file", f"{run.MESHES}/cylinder.msh", *CHANNEL, "-bc_wall_type", "wall", "-bc_cylinder_type", "wall"],
    "mixed": [*BOX2, "-mesh_box_cell", "mixed", *CAVITY],
    "tets": ["-mesh_file", f"{run.MESHES}/channel3d_tet.msh", *SQUARE],
    "hexes": ["-mesh_file", f"{run.MESHES}/channel3d_hex.msh", *SQUARE],
}


def state(case, ranks):
    result = run.rheoplex("run", *CASES[case], *FLUID, "-case_name", case, "-initial_perturbation", "0.1", "-scheme_lumped_dt", "0.001",
                          "-stop_steps", "20", "-pressure_pc_type", "hypre" if run.has("hypre") else "gamg", "-pressure_ksp_rtol", "1e-13", out=run.folder("parallel"), np=ranks)
    return result.checkpoint()


def main(case):
    gate = Gate(f"parallel_{case}")
    reference = state(case, 1)
    gate.at_least("largest value of the state", float(np.abs(reference).max()), 0.1)
    for ranks in (2, 4):
        other = state(case, ranks)
        gate.at_most(f"largest difference of np = 1 and {ranks}", float(np.abs(other - reference).max()) if other.shape == reference.shape else float("nan"), 1e-10)
    return gate.finish()


sys.exit(main(sys.argv[1]))
