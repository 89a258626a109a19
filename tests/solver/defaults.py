"""The pressure solver that a run gets without options: defaults.py [ranks]. Exit code 77: a PETSc without hypre."""
import os
import re
import sys

import run

sys.path.append(f"{run.SOURCE}/share/scripts")
from pressure_solvers import graded_mesh  # noqa: E402

CELLS = {"quadrilateral": "64,60", "triangle": "64,60", "hexahedron": "14,13,12", "tetrahedron": "14,13,12"}
OWN = ["-pressure_pc_hypre_boomeramg_coarsen_type", "Falgout", "-pressure_pc_hypre_boomeramg_interp_type", "classical",
       "-pressure_pc_hypre_boomeramg_P_max", "0"]  # of hypre itself


def graded(cell, n):
    """As cavity, on a mesh whose cells at the walls are 1/100 as long as those in the middle."""
    mesh = os.path.join(run.folder("defaults_mesh"), "graded.msh")
    graded_mesh(mesh, 2 if cell == "quadrilateral" else 3, n, cell)
    return cavity(cell, 1, "-mesh_file", mesh, "-scheme_lumped_dt", "1e-9")


def cavity(cell, ranks, *words):
    """Closed: no direct factor. The view of the solver, iterations of three steps."""
    box = [] if "-mesh_file" in words else ["-mesh_box_cell", cell, "-mesh_box_faces", CELLS[cell]]
    walls = ["left", "right", "bottom"] + (["front", "back"] if "hedr" in cell else [])
    lid = "16*x^2*(1-x)^2" + ",0" * CELLS[cell].count(",")
    result = run.rheoplex("run", "-case_name", "cavity", *box, "-physics", "newtonian", "-physics_newtonian_viscosity", "1", "-stabiliser", "split_oss",
                          *(w for wall in walls for w in (f"-bc_{wall}_type", "wall")), "-bc_top_type", "moving_wall", "-bc_top_velocity", lid, "-device", "cpu",
                          "-scheme_lumped_dt", "1e-3", "-stop_steps", "3", "-pressure_ksp_view", *words, out=run.folder("defaults"), np=ranks)
    return result.stdout, sum(result.table("_history.csv")["pressure_iterations"])


def shows(view, **wanted):
    found = {"type": "hypre" if "type: hypre" in view else "gamg" if "type: gamg" in view else "icc" if "type: icc" in view else "graph_mg" if "type: graph_mg" in view else "other"}
    for name, pattern in (("coarsening", r"Coarsen type\s+(\S+)"), ("interpolation", r"Interpolation type\s+(\S+)"), ("entries", r"max elements per row (\d+)"),
                          ("aggressive", r"levels of aggressive coarsening (\d+)"), ("coarsest", r"Relax on coarse\s+(\S+)")):
        match = re.search(pattern, view)
        found[name] = match and match[1]
    for name, value in wanted.items():
        if found[name] != value:
            raise run.Failure(f"{name}: got {found[name]}, expected {value}")


def main(ranks):
    if not run.has("hypre"):
        return 77
    hypre = ("-pressure_pc_type", "hypre")
    few = {"coarsening": "HMIS", "interpolation": "ext+i", "entries": "4", "coarsest": "symmetric-SOR/Jacobi"}
    for cell in CELLS:
        two = "hedr" not in cell
        view, iterations = cavity(cell, ranks)
        shows(view, **({"type": "hypre", "aggressive": "0", **few} if two else {"type": "gamg"}))
        if not two:
            view, iterations = cavity(cell, ranks, *hypre)
            shows(view, type="hypre", aggressive="1", **few)
        own = cavity(cell, ranks, *hypre, *OWN, *([] if two else ["-pressure_pc_hypre_boomeramg_agg_nl", "0"]))[1]
        print(f"{cell}: {iterations:.0f} iterations in three steps, {own:.0f} with hypre's own defaults", flush=True)
        if not iterations <= (1.5 if two else 2.5) * own:
            raise run.Failure(f"{cell}: {iterations} iterations, with hypre's own defaults {own}")
    for cell, length, wanted in (("quadrilateral", "9,1", "icc" if ranks == 1 else "hypre"), ("tetrahedron", "10,1,1", "icc" if ranks == 1 else "hypre"), ("tetrahedron", "2,1,1", "gamg"), ("triangle", "9,1", "hypre")):
        view, _ = cavity(cell, ranks, "-mesh_box_upper", length)
        shows(view, type=wanted)
        told = f"\npressure {wanted}: 100 % of the cells" in view
        if told != (length in ("9,1", "10,1,1") and cell != "triangle"):
            raise run.Failure(f"{cell}, {length}: the line on the choice is {'there' if told else 'not there'}")
    for cell, n, wanted in (("quadrilateral", 40, "graph_mg"), ("hexahedron", 8, "icc")) if ranks == 1 else ():
        view, _ = graded(cell, n)
        shows(view, type=wanted)
        if f"\npressure {wanted}: " not in view or ("and their lengths differ" in view) != (wanted == "graph_mg"):
            raise run.Failure(f"{cell}, graded: no line on the choice of {wanted}, or not its reason")
    view, _ = cavity("quadrilateral", ranks, "-pressure_pc_hypre_boomeramg_coarsen_type", "PMIS")
    shows(view, **{**few, "coarsening": "PMIS"})
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
