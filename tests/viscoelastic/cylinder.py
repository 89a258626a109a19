"""Creeping flow of an Oldroyd-B fluid past a confined cylinder (blockage 1/2, beta 0.59): drag by consistent reactions.

cylinder.py quads|triangles  half domain, about 1900 nodes, Wi 0.1 and 0.5 within 2 %; the full domain at Wi 0.5 within 0.1 % of it
cylinder.py fine             about 7000 nodes, within 0.8 %: a command of its own, a minute and a half; needs gmsh
"""
import subprocess
import sys

import run
from gate import Gate, largest

DRAG = {"0.1": 130.363, "0.5": 118.830}  # Hulsen et al. (2005); Claus & Phillips (2013): 130.364, 118.826
DT = {"quads": 0.006, "triangles": 0.005}


def solve(weissenberg, mesh, dt, case="confined_cylinder"):
    return run.rheoplex("run", f"{run.OPTIONS}/{case}.yaml", "-mesh_file", mesh, "-physics_oldroydb_lambda", weissenberg,
                        "-scheme_lumped_dt", dt, out=run.folder("cylinder"))


def drag(gate, weissenberg, mesh, dt, tolerance):
    """Twice the force on the half cylinder."""
    result = solve(weissenberg, mesh, dt)
    history = result.table("_history.csv")
    got = 2 * float(result.table("_forces.csv")["cylinder_x"][-1])
    gate.relative(f"drag at Wi {weissenberg}", got, DRAG[weissenberg], tolerance)
    gate.note(f"Wi {weissenberg}: error, %", 100 * (got / DRAG[weissenberg] - 1))
    gate.at_most(f"Wi {weissenberg}: steady residual", largest(history["du_dt"][-1], history["dc_dt"][-1]), 1e-4)
    for name in ("min_eigenvalue", "min_eigenvalue_x", "min_eigenvalue_y"):
        gate.note(f"Wi {weissenberg}: {name} of c", history[name][-1])
    gate.note(f"Wi {weissenberg}: run time, s", result.seconds)
    return got


def coarse(gate, cells):
    ending = "" if cells == "quads" else "_tri"
    half = {wi: drag(gate, wi, f"{run.MESHES}/confined_cylinder_half{ending}.msh", DT[cells], 0.02) for wi in DRAG}["0.5"]
    whole = solve("0.5", f"{run.MESHES}/confined_cylinder_full{ending}.msh", DT[cells], "confined_cylinder_full").table("_forces.csv")
    gate.relative("drag at Wi 0.5, full against half domain", float(whole["cylinder_x"][-1]), half, 0.001)
    gate.at_most("|lift| at Wi 0.5, full domain", abs(float(whole["cylinder_y"][-1])), 1e-4 * half)


def fine(gate):
    mesh = f"{run.folder('mesh')}/fine.msh"
    subprocess.run(["gmsh", "-v", "2", "-format", "msh22", "-2", f"{run.MESHES}/confined_cylinder.geo", "-o", mesh, "-setnumber", "n", "27"], check=True)
    for wi in DRAG:
        drag(gate, wi, mesh, 0.0016, 0.008)


def main(which):
    gate = Gate(f"viscoelastic_cylinder_{which}")
    if which == "fine":
        fine(gate)
    else:
        coarse(gate, which)
    return gate.finish()


sys.exit(main(sys.argv[1]))
