"""What pictures know of the run whose files they draw: fields of a step and modes beside the .pvd, lines in the order of their steps."""
import os
import sys

import run
from gate import Gate

sys.path.insert(0, f"{os.environ['RHEOPLEX_SOURCE']}/share/scripts")
import plot_along
import results


def main():
    gate = Gate("output_origin")
    out = run.folder("origin")
    tube = ("-mesh_box_faces", "3,4", "-form_axisymmetric", "true", "-physics", "newtonian", "-physics_newtonian_viscosity", 1, "-stabiliser", "split_oss", "-bc_left_type", "inlet", "-bc_left_velocity", "2*(1-y^2),0", "-bc_right_type", "outlet",
            "-bc_top_type", "wall", "-bc_bottom_type", "symmetry", "-scheme", "steady", "-device", "cpu")
    run.rheoplex("run", "-case_name", "tube", *tube, "-output_every", 1, out=out)
    run.rheoplex("run", "-case_name", "tube_2", *(w if w != "true" else "false" for w in tube), out=out)
    for name, swept in (("tube.pvd", "true"), ("tube_000001.vtu", "true"), ("tube_mode_real.pvd", "true"), ("tube_2.pvd", "false"), ("tube_2_000001.vtu", "false")):
        gate.true(f"{name}: axisymmetric {swept}", results.options_of(f"{out}/{name}").get("form_axisymmetric") == swept)
    gate.true("of another folder nothing", results.options_of(f"{out}/other_000001.vtu") == {} and results.options_of("nowhere/a.vtu") == {})
    gate.true("a mode's number is no time", results.when(f"{out}/tube_mode_imaginary.pvd", 3.0) == "mode 3" and results.when(f"{out}/tube.pvd", 1.0) == "steady")
    for step in (999999, 1000000, 20):
        with open(f"{out}/tube_line_{step:06d}.csv", "w") as f:
            f.write("s,x,y,velocity_x\n0,0,0,1\n1,1,0,2\n")
    groups = plot_along.groups_of(out)
    gate.true(f"lines by their steps: {groups}", [os.path.basename(p) for p in groups[0]] == [f"tube_line_{k:06d}.csv" for k in (20, 999999, 1000000)])
    return gate.finish()


sys.exit(main())
