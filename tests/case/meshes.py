"""The stored AAA meshes have the nodes of the paper's wall formula to 1e-12, cells of positive area, triangles that are
symmetric about the axis; every stored mesh has the labels that the cases name."""
import math
import os
import sys

import msh
import numpy as np
from gate import Gate

SOURCE = os.environ["RHEOPLEX_SOURCE"]


def half_width(x):
    """Ayyad (2020) eq. 17, corrected: L1 = 2.5, L2 = 5, D1 = 2, D2 = 2.75, D = 1."""
    if x <= 2.5:
        return 0.25 * (2 - 1) * (1 + math.sin(2 * math.pi * x / 2.5 - math.pi / 2)) + 0.5
    if x <= 7.5:
        return 0.25 * (2.75 - 1) * (1 + math.sin(2 * math.pi * (x - 2.5) / 5 - math.pi / 2)) + 0.5
    return 0.5


def node_error(mesh, nx, ny):
    """Largest distance of an expected node from the nearest mesh node; inf if the numbers of nodes differ."""
    expected = [(11.25 * i / nx, half_width(11.25 * i / nx) * (2 * j / ny - 1)) for i in range(nx + 1) for j in range(ny + 1)]
    if len(mesh.points) != len(expected):
        return math.inf
    key = lambda p: (np.round(p[:, 0], 6), np.round(p[:, 1], 6))
    a, b = mesh.points[:, :2], np.array(expected)
    a, b = a[np.lexsort(key(a)[::-1])], b[np.lexsort(key(b)[::-1])]
    return np.abs(a - b).max()


def asymmetric_cells(mesh):
    """Number of cells whose mirror image about y = 0 is no cell."""
    place = {(round(x, 8), round(y, 8)): i for i, (x, y, _) in enumerate(mesh.points)}
    mirror = [place[round(x, 8), round(-y, 8)] for x, y, _ in mesh.points]
    cells = {frozenset(c) for c in mesh.cells("fluid")}
    return sum(frozenset(mirror[n] for n in c) not in cells for c in cells)


def main():
    gate = Gate("meshes")
    for name, nx, ny in (("aaa_100x20", 100, 20), ("aaa_200x40", 200, 40), ("aaa_200x40_tri", 200, 40)):
        mesh = msh.read(f"{SOURCE}/meshes/{name}.msh")
        gate.at_most(f"{name} node error", node_error(mesh, nx, ny), 1e-12)
        gate.at_most(f"{name} asymmetric cells", asymmetric_cells(mesh), 0)
        gate.at_most(f"{name} label sizes wrong", abs(len(mesh.cells("inlet")) - ny) + abs(len(mesh.cells("wall_top")) - nx)
                     + abs(len(mesh.cells("outlet")) - ny) + abs(len(mesh.cells("wall_bottom")) - nx), 0)
    for name in sorted(os.listdir(f"{SOURCE}/meshes")):
        if name.endswith(".msh"):
            gate.at_least(f"{name} smallest cell", msh.measures(msh.read(f"{SOURCE}/meshes/{name}")).min(), 1e-8)
            gate.at_most(f"{name} MiB", os.path.getsize(f"{SOURCE}/meshes/{name}") / 2**20, 1)
    return gate.finish()


sys.exit(main())
