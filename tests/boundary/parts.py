"""Parts of a mesh that no cell joins: the pressure of each has to be given, or the mesh is one; on several ranks and across a join of labels."""
import sys

import run
from gate import Gate

N = 4


def box(corner, first, left, right):
    """Nodes and elements of a unit square of quads; tags of its edges: 1 wall, left, right."""
    at = lambda i, j: first + i + j * (N + 1)
    nodes = [(corner + i / N, j / N) for j in range(N + 1) for i in range(N + 1)]
    edges = [(tag, pair) for k in range(N) for tag, pair in ((1, (at(k, 0), at(k + 1, 0))), (1, (at(k, N), at(k + 1, N))), (left, (at(0, k), at(0, k + 1))), (right, (at(N, k), at(N, k + 1))))]
    return nodes, edges, [(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)) for j in range(N) for i in range(N)]


def write(path, *boxes):
    """A Gmsh file of boxes (corner, tags of left and right): 1 wall, 2 inlet, 3 outlet, 4 side, 5 other."""
    nodes, edges, quads = [], [], []
    for corner, left, right in boxes:
        more = box(corner, len(nodes) + 1, left, right)
        nodes, edges, quads = nodes + more[0], edges + more[1], quads + more[2]
    names = ("wall", "inlet", "outlet", "side", "other")
    names = [(tag + 1, name) for tag, name in enumerate(names) if any(tag + 1 == t for t, _ in edges)]
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(names) + 1), '2 9 "fluid"'] + [f'1 {tag} "{name}"' for tag, name in names] + ["$EndPhysicalNames", "$Nodes", str(len(nodes))]
    lines += [f"{i + 1} {x} {y} 0" for i, (x, y) in enumerate(nodes)] + ["$EndNodes", "$Elements", str(len(edges) + len(quads))]
    elements = [(1, tag, pair) for tag, pair in edges] + [(3, 9, quad) for quad in quads]
    lines += [f"{i + 1} {kind} 2 {tag} {tag} " + " ".join(map(str, of)) for i, (kind, tag, of) in enumerate(elements)]
    with open(path, "w") as f:
        f.write("\n".join(lines + ["$EndElements", ""]))


CASE = ["-case_name", "parts", "-physics", "newtonian", "-physics_newtonian_viscosity", 1, "-bc_wall_type", "wall", "-stop_steps", 2, "-scheme_lumped_dt", 0.001]
INLET, OUTLET = ["-bc_inlet_type", "inlet", "-bc_inlet_velocity", "4*y*(1-y),0"], ["-bc_outlet_type", "outlet"]
PRESSURE = ["-bc_inlet_pressure", 1]
MESHES = {  # boxes, options, what is refused: parts, those without a pressure
    "closed": ([(0, 1, 1)], [], None),
    "two closed": ([(0, 1, 1), (3, 1, 1)], [], (2, 2)),
    "one of three open": ([(0, 2, 3), (3, 1, 1), (6, 1, 1)], [*INLET, *OUTLET], (3, 2)),
    "two open": ([(0, 2, 3), (3, 2, 3)], [*INLET, *OUTLET], None),
    "two with the pressure at an inlet": ([(0, 2, 1), (3, 2, 1)], ["-bc_inlet_type", "inlet", "-bc_inlet_velocity", "0,0", *PRESSURE], None),
    "two that are joined": ([(0, 1, 4), (2, 5, 1)], ["-mesh_periodic", "side,other"], None),
    "two that touch": ([(0, 1, 1), (1, 1, 1)], [], (2, 2)),
}


def main():
    gate = Gate("boundary_parts")
    out = run.folder("parts")
    for np in (1, 3):
        for what, (boxes, words, refused) in MESHES.items():
            if np > 1 and what not in ("one of three open", "two that are joined"):
                continue
            write(f"{out}/mesh.msh", *boxes)
            done = run.rheoplex("run", *CASE, *words, "-mesh_file", f"{out}/mesh.msh", out=f"{out}/run", np=np, expect=1 if refused else 0)
            said = refused and f"the mesh has {refused[0]} parts that no cell joins, and {refused[1]} of them no label that gives the pressure" in done.stderr
            gate.true(f"{what}, np {np}: {'refused' if refused else 'runs'}", bool(said) == bool(refused))
    return gate.finish()


sys.exit(main())
