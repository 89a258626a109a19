"""Is a checkpoint of this mesh? By the edges there, far from the origin too; a mesh in numbers of 32 bits is the same, which is told. same_mesh.py"""
import sys

import mshwrite
import numpy as np
import run
from gate import Gate

N, EDGE = 6, 1e-2
FLOW = ["-case_name", "r", "-physics", "newtonian", "-physics_newtonian_viscosity", 1, "-stabiliser", "split_oss", "-scheme_lumped_dt", 1e-9, "-device", "cpu", "-output_fields", "false", *[w for label in ("left", "right", "bottom", "top") for w in (f"-bc_{label}_type", "wall")]]


def mesh(folder, name, origin, moved=0.0, number=float):
    """Squares of EDGE with their corner at (origin, origin), the node in the middle moved along x, coordinates as a type of number."""
    return mshwrite.channel(f"{folder}/{name}.msh", N, N, lambda i, j: (float(number(origin + EDGE * i + moved * (i == j == N // 2))), float(number(origin + EDGE * j))))


def main():
    gate = Gate("case_same_mesh")
    for origin in (0.0, 1e3):
        folder = run.folder("same_mesh")
        of = mesh(folder, "of", origin)
        first = run.rheoplex("run", *FLOW, "-mesh_file", of, "-stop_steps", 1, out=f"{folder}/first", np=2)

        def again(file, np_=1, expect=0):
            return run.rheoplex("run", *FLOW, "-mesh_file", file, "-stop_steps", 2, "-case_restart", first.file("_checkpoint.h5"), out=f"{folder}/second", np=np_, expect=expect)

        told = lambda r: r.stderr.count("whose coordinates were rounded to 32 bits")
        gate.true(f"from {origin:g}: the same, silent", told(again(of, 2)) == 0)
        single = again(mesh(folder, "single", origin, number=np.float32), 2)
        gate.true(f"from {origin:g}: in 32 bits, told where that is more than rounding of 64", told(single) == (origin > 0.0))
        for part in (0.02, 1e-5) if origin == 0.0 else (0.02,):
            other = again(mesh(folder, "other", origin, part * EDGE), expect=None)
            gate.true(f"from {origin:g}: a node moved by {part:g} edges: refused", other.rc != 0 and "is of another mesh: got a node" in other.stderr and "of the shortest edge there, expected 0" in other.stderr)
        away = again(mesh(folder, "away", origin, 1e-3 * EDGE), expect=None)
        gate.true(f"from {origin:g}: a node moved by 1e-3 edges is not taken in silence", away.rc != 0 if origin == 0.0 else told(away) == 1)
    return gate.finish()


sys.exit(main())
