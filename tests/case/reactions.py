"""Reactions are those of the scheme: reactions.py upwind | acceleration, by balances that hold to rounding in its own terms.

upwind: a steady flow between a plate and one whose velocity varies along it, periodic; the scheme's dt is in its upwind term.
  The rows of the momentum sum up: forces on both plates = body force - rho integral of u.grad u.
acceleration: a box of distorted quads whose walls move at (a t, 0) with the fluid; the force on it is -rho a area with the
  scheme's lumped mass alone, scaled diagonal or row sum."""
import sys

import numpy as np
import run
from gate import Gate

RHO, DENSITY = 3.0, ["-form_density", "3"]


def convection(fields):
    """Integral of u.grad u over quads by 2 x 2 Gauss points, [2]."""
    grid, total = fields.grid, np.zeros(2)
    for e in range(grid.GetNumberOfCells()):
        ids = grid.GetCell(e).GetPointIds()
        nodes = [ids.GetId(k) for k in range(ids.GetNumberOfIds())]
        x, u = fields.points[nodes, :2], fields["velocity"][nodes, :2]
        for s in (-3**-0.5, 3**-0.5):
            for t in (-3**-0.5, 3**-0.5):
                shape = np.array([(1 - s) * (1 - t), (1 + s) * (1 - t), (1 + s) * (1 + t), (1 - s) * (1 + t)]) / 4
                slope = np.array([[t - 1, s - 1], [1 - t, -1 - s], [1 + t, 1 + s], [-1 - t, 1 - s]]) / 4
                jacobian = x.T @ slope
                gradient = u.T @ slope @ np.linalg.inv(jacobian)  # du_i/dx_j
                total += np.linalg.det(jacobian) * gradient @ (shape @ u)
    return total


def upwind(gate):
    result = run.rheoplex(
        "run", "-case_name", "upwind", *DENSITY, "-mesh_box_lower", "0,0", "-mesh_box_upper", "2,1", "-mesh_box_faces", "16,12", "-mesh_box_periodic", "x",
        "-physics", "newtonian", "-physics_newtonian_viscosity", "0.05", "-stabiliser", "gls", "-stabiliser_gls_weighting", "upwind", "-stabiliser_gls_parts", "momentum,tensor",
        "-scheme_lumped_variant", "ayyad", "-scheme_lumped_dt", "0.02", "-scheme_lumped_dissipation_eps", "0.02", "-form_body_force", "0.15,0",
        "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "1+0.5*sin(3.141592653589793*x),0",
        "-diagnostic_forces", "bottom,top", "-diagnostic_forces_every", "1000", "-diagnostic_history_every", "1000", "-stop_steady_tol", "1e-11", "-stop_time", "400",
        "-pressure_ksp_rtol", "1e-12", out=run.folder("reactions"))
    forces = result.table("_forces.csv")
    lost = RHO * convection(result.fields())
    gate.at_least("rho u.grad u, x, that the balance has to hold (not small)", abs(lost[0]), 1e-3)
    for i, (axis, body) in enumerate((("x", 0.15 * 2), ("y", 0.0))):
        gate.near(f"force on both plates, {axis}", forces[f"bottom_{axis}"][-1] + forces[f"top_{axis}"][-1], body - lost[i], 1e-7)


def distorted_box(path, n=6):
    """Quads of the unit square with moved inner nodes, one label around it, Gmsh 2.2."""
    place = lambda i, j: 1 + i + (n + 1) * j
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "2", '1 1 "around"', '2 2 "fluid"', "$EndPhysicalNames", "$Nodes", str((n + 1)**2)]
    for j in range(n + 1):
        for i in range(n + 1):
            inside = 0 < i < n and 0 < j < n
            x, y = i / n + inside * 0.05 * np.sin(7 * i + 3 * j), j / n + inside * 0.05 * np.cos(5 * i - 2 * j)
            lines.append(f"{place(i, j)} {x:.17g} {y:.17g} 0")
    cells = [(1, 1, place(i, j), place(i + di, j + dj)) for i, j, di, dj in
             [(k, 0, 1, 0) for k in range(n)] + [(n, k, 0, 1) for k in range(n)] + [(k + 1, n, -1, 0) for k in range(n)] + [(0, k + 1, 0, -1) for k in range(n)]]
    cells += [(3, 2, place(i, j), place(i + 1, j), place(i + 1, j + 1), place(i, j + 1)) for j in range(n) for i in range(n)]
    lines += ["$EndNodes", "$Elements", str(len(cells))]
    lines += [f"{k + 1} {kind} 2 {tag} {tag} " + " ".join(map(str, nodes)) for k, (kind, tag, *nodes) in enumerate(cells)]
    with open(path, "w") as f:
        f.write("\n".join(lines + ["$EndElements", ""]))


def acceleration(gate):
    out = run.folder("reactions")
    distorted_box(f"{out}/box.msh")
    for mass in ("diagonal", "row_sum"):
        result = run.rheoplex(
            "run", "-case_name", mass, *DENSITY, "-mesh_file", f"{out}/box.msh", "-physics", "newtonian", "-physics_newtonian_viscosity", "1", "-stabiliser", "split_oss",
            "-form_convection", "0", "-scheme_lumped_mass", mass, "-scheme_lumped_dt", "0.002", "-bc_around_type", "moving_wall", "-bc_around_velocity", "2*t,0", "-initial_velocity", "0,0",
            "-diagnostic_forces", "around", "-diagnostic_forces_every", "100", "-diagnostic_history_every", "100", "-stop_time", "4", "-pressure_ksp_rtol", "1e-12", out=f"{out}/{mass}")
        forces = result.table("_forces.csv")
        gate.near(f"{mass} mass: force, x", forces["around_x"][-1], -RHO * 2.0, 1e-7)
        gate.near(f"{mass} mass: force, y", forces["around_y"][-1], 0.0, 1e-7)


def main(which):
    gate = Gate(f"case_reactions_{which}")
    {"upwind": upwind, "acceleration": acceleration}[which](gate)
    return gate.finish()


sys.exit(main(sys.argv[1]))
