"""patch.py <program> [device]: forces and reactions by passes over the elements about a label are those by passes over all (patch.c), on 1, 2 and 3
ranks, for the cell types, with projections that are lumped, corrected, and solved with the consistent mass."""
import os
import subprocess
import sys

import run
from gate import Gate, largest

FLUIDS = {
    "plain": ["-physics", "newtonian", "-stabiliser", "split_oss", "-scheme", "fractional_step", "-scheme_fractional_step_integrator", "ssp3", "-stabiliser_split_oss_projection_corrections", "0"],
    "corrected": ["-physics", "newtonian", "-stabiliser", "split_oss", "-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2", "-stabiliser_split_oss_projection_corrections", "2"],
    "polymer": ["-physics", "newtonian,oldroydb", "-physics_oldroydb_viscosity", "0.6", "-physics_oldroydb_lambda", "0.2", "-stabiliser", "devss,split_oss", "-scheme", "lumped"],
    "consistent": ["-physics", "newtonian", "-stabiliser", "split_oss", "-scheme", "steady"],
}
HOST = [("triangle", 1, "plain"), ("triangle", 3, "corrected"), ("quadrilateral", 2, "polymer"), ("mixed", 3, "plain"), ("quadrilateral", 1, "consistent"), ("tetrahedron", 2, "corrected"), ("tetrahedron", 3, "polymer"),
        ("hexahedron", 1, "corrected"), ("hexahedron", 3, "plain")]
THERE = [("triangle", 3, "plain"), ("quadrilateral", 2, "polymer"), ("hexahedron", 1, "corrected"), ("tetrahedron", 3, "plain")]


def case(cell, fluid, device):
    plane = cell in ("triangle", "quadrilateral", "mixed")
    profile = "4*y*(1-y)" if plane else "16*y*(1-y)*z*(1-z)"
    walls = ("bottom", "top") if plane else ("bottom", "top", "back", "front")
    words = ["-case_name", "patch", "-device", device, "-output_fields", "false", "-mesh_box_cell", cell, "-mesh_box_faces", "12,7" if plane else "9,6,7", "-form_density", "3", "-physics_newtonian_viscosity", "0.7",
             "-form_body_force", "2*y,1+x" + ("" if plane else ",x*y"), "-bc_left_type", "inlet", "-bc_left_velocity", profile + (",0" if plane else ",0,0"), "-bc_right_type", "outlet",
             "-initial_velocity", profile + (",0" if plane else ",0,0")]
    for wall in walls:
        words += [f"-bc_{wall}_type", "wall"]
    scheme = fluid[fluid.index("-scheme") + 1]
    return words + fluid + ([] if scheme == "steady" else [f"-scheme_{scheme}_dt", "1e-3", "-stop_steps", "3"])


def main():
    program, device = sys.argv[1], (*sys.argv[2:], "cpu")[0]
    gate = Gate(f"diagnostics_patch_{device}")
    for cell, ranks, fluid in HOST if device == "cpu" else THERE:
        words = ["bottom", "left", *case(cell, FLUIDS[fluid], device), "-output_folder", run.folder("patch"), "-malloc_dump"]
        r = subprocess.run([*([os.environ["RHEOPLEX_MPIEXEC"], "-n", str(ranks)] if ranks > 1 else []), program, *words], capture_output=True, text=True)
        found = [line.split() for line in r.stdout.splitlines() if ": force " in line]
        if r.returncode:
            print(r.stdout[-1500:] + r.stderr[-3000:])
        gate.true(f"{cell}, {ranks} ranks, {fluid}: both labels, twice, with fewer elements", r.returncode == 0 and len(found) == 4)
        gate.at_most(f"{cell}, {ranks} ranks, {fluid}: forces", largest(float(w[7].rstrip(";")) for w in found) if found else 1, 1e-10)
    return gate.finish()


sys.exit(main())
