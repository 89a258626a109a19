"""-scheme_lumped_variant dissipative is what ayyad was: the same steps under both names, others than those of the default."""
import sys

import numpy as np
import run
from gate import Gate

CASE = ["-case_name", "variant", "-mesh_box_faces", "5,4", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall",
        "-bc_top_velocity", "x*(1-x),0", "-physics", "newtonian", "-physics_newtonian_viscosity", "0.3", "-stabiliser", "gls", "-stabiliser_gls_parts", "momentum",
        "-scheme_lumped_dt", "0.001", "-stop_steps", "5"]


def state(*more):
    return run.rheoplex("run", *CASE, *more, out=run.folder("variant")).checkpoint()


def main():
    gate = Gate("scheme_variant")
    said = state("-scheme_lumped_variant", "dissipative")
    gate.true("ayyad is dissipative", np.array_equal(said, state("-scheme_lumped_variant", "ayyad")))
    gate.true("which says: pressure dissipation, mass diagonal", np.array_equal(said, state("-scheme_lumped_pressure", "dissipation", "-scheme_lumped_mass", "diagonal")))
    other = state("-scheme_lumped_variant", "dissipative", "-scheme_lumped_mass", "row_sum")
    gate.true("unless said otherwise", not np.array_equal(said, other))
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
