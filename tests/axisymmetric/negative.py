"""What axisymmetric flow refuses: exit code 1 and one sentence."""
import sys

import run
from gate import Gate

BASE = {"case_name": "no", "form_axisymmetric": "true", "mesh_box_faces": "4,4", "physics": "newtonian", "physics_newtonian_viscosity": 0.3, "stabiliser": "split_oss",
        "bc_left_type": "inlet", "bc_left_velocity": "1-y^2,0", "bc_right_type": "outlet", "bc_bottom_type": "symmetry", "bc_top_type": "wall",
        "scheme_lumped_dt": 1e-3, "stop_steps": 1, "output_fields": "false"}
TURN = {"physics": "newtonian,swirling", "bc_left_velocity": "1-y^2,0,y", "bc_top_type": "rotating_wall", "bc_top_angular_velocity": 1}
CASES = [
    ({"mesh_box_faces": "3,3,3", "mesh_box_cell": "hexahedron", "bc_front_type": "wall", "bc_back_type": "wall", "bc_left_velocity": "1,0,0"},
     ["-form_axisymmetric true", "3D", "half plane"]),
    ({"mesh_box_lower": "0,-1"}, ["-form_axisymmetric true", "y = -1", "y >= 0"]),
    ({"bc_bottom_type": "wall"}, ["-form_axisymmetric true", "y = 0", "symmetry"]),
    ({"bc_bottom_type": "free_slip"}, ["-form_axisymmetric true", "y = 0", "symmetry"]),
    ({"mesh_box_lower": "0,0.5", "bc_bottom_type": "wall", "bc_left_velocity": None, "bc_left_profile": "parabolic", "bc_left_mean_velocity": 1},
     ["-bc_left_profile parabolic", "axisymmetric", "from the axis to a wall"]),
    ({"mesh_box_lower": "0,0.3", "mesh_box_periodic": "y", "bc_bottom_type": None, "bc_top_type": None}, ["-form_axisymmetric true", "periodic across the radius"]),
    ({"physics": "newtonian,oldroydb", "physics_oldroydb_viscosity": 1, "physics_oldroydb_lambda": 0.2, "bc_left_velocity": "1.3*x,-0.65*y"},
     ["-bc_left_polymer developed", "radial velocity", "axisymmetric", "free"]),
    ({"diagnostic_a_kind": "mean_pressure", "diagnostic_a_label": "bottom"}, ["'bottom'", "without area", "axis"]),
    ({"diagnostic_a_kind": "forces", "diagnostic_a_label": "top", "diagnostic_a_torque": "true"}, ["-diagnostic_a_torque", "swirl"]),
    ({"physics": "newtonian,swirling", "form_axisymmetric": "false", "bc_left_swirl": "value 0"}, ["'swirl'", "azimuthal velocity", "-form_axisymmetric true"]),
    ({"physics": "newtonian,swirling"}, ["'left'", "'swirl'", "-bc_left_swirl", "third formula"]),
    ({"physics": "newtonian,swirling", "bc_left_swirl": "value y", "bc_bottom_swirl": "value 1"}, ["-bc_bottom_swirl", "axis", "no condition"]),
    ({"bc_top_type": "rotating_wall", "bc_top_angular_velocity": 1}, ["'top'", "rotating wall", "without swirl", "u_theta"]),
    ({**TURN, "bc_top_swirl": "value 1"}, ["-bc_top_swirl", '"value 1"', "-bc_top_type", "one of the two"]),
    ({**TURN, "bc_top_axis": "1,0,0"}, ["-bc_top_axis", "left out"]),
    ({**TURN, "bc_top_axis_point": "1,0"}, ["-bc_top_axis_point", "left out"]),
    ({"physics": "newtonian,swirling", "bc_left_velocity": "1-y^2"}, ["-bc_left_velocity", "got 1 formula", "expected 3 (u,v,w)"]),
    ({"physics": "newtonian,swirling", "bc_left_velocity": "1-y^2,0,y,t"}, ["-bc_left_velocity", "got 4 formulas", "expected 3 (u,v,w)"]),
    ({"physics": "newtonian,swirling", "bc_left_velocity": "1-y^2,0,y", "bc_left_swirl": "value y"}, ["-bc_left_swirl", "-bc_left_velocity", "one of the two"]),
    ({"bc_left_velocity": "1-y^2,0,y"}, ["-bc_left_velocity", "got 3 formulas", "expected 2 (u,v)"]),
    ({"physics": "newtonian,swirling", "bc_left_velocity": "1-y^2,0,y", "bc_top_type": "slip", "bc_top_friction": 2}, ["'top'", "slip", "-bc_top_swirl", "natural", "friction holds the other components alone"]),
    ({"output_fields": "velocity,wi"}, ["'wi'", "expected some of"]),
]


def main():
    gate = Gate("axisymmetric_negative")
    for changes, expected in CASES:
        words = [w for key, value in {**BASE, **changes}.items() if value is not None for w in (f"-{key}", value)]
        gate.refused(run.rheoplex("run", *words, out=run.folder("axisymmetric"), expect=None, timeout=60), expected)
    return gate.finish()


sys.exit(main())
