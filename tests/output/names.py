"""Names of cases that XML, YAML and shells give a meaning are the names of their files."""
import os
import sys

import run
from gate import Gate

NAME = "a & <b> \"c\" 'd' %s é_1"
CASE = ["run", "-mesh_box_faces", "3,3", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "wall",
        "-physics", "newtonian", "-physics_newtonian_viscosity", "1", "-stabiliser", "split_oss", "-scheme_lumped_dt", "1e-3", "-output_every", "2"]


def main():
    gate = Gate("output_names")
    out = run.folder("names")
    first = run.rheoplex(*CASE, "-case_name", NAME, "-stop_steps", "4", out=out)
    times, files = run.series(first.file(".pvd"))
    gate.true("the series can be read and names the files", len(times) == 3 and all(os.path.exists(f) for f in files) and f"{NAME}_000004.vtu" in files[-1])
    gate.true("its fields can be read", len(run.Fields(files[-1]).points) == 16)
    again = run.rheoplex(*CASE, "-case_name", NAME, "-stop_steps", "6", "-case_restart", first.file("_checkpoint.h5"), out=out)
    times, files = run.series(again.file(".pvd"))
    gate.true("a restart goes on with it", len(times) == 4 and all(os.path.exists(f) for f in files))
    effective = run.rheoplex("run", again.file("_effective.yaml"), "-case_restart", "", "-stop_steps", "2", out=run.folder("names"))
    gate.true("its effective options make the same names", os.path.basename(effective.file(".pvd")) == f"{NAME}.pvd")
    bad = run.rheoplex(*CASE, "-case_name", "a\tb", "-stop_steps", "1", out=out, expect=1)
    gate.true("a control character is refused", "-case_name" in bad.stderr and "control characters" in bad.stderr)
    return gate.finish()


sys.exit(main())
