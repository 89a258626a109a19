"""Writes Gmsh meshes (format 2.2, text) for tests."""
import math

import numpy as np


def write(path, points, cells, sides):
    """points [n][2]; cells: node lists from 0; sides: name -> pairs of nodes. Returns path."""
    lines = [(tag + 1, a, b) for tag, pairs in enumerate(sides.values()) for a, b in pairs]
    fluid = len(sides) + 1
    with open(path, "w") as f:
        f.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n{fluid}\n")
        f.writelines(f'1 {k + 1} "{name}"\n' for k, name in enumerate(sides))
        f.write(f'2 {fluid} "fluid"\n$EndPhysicalNames\n$Nodes\n{len(points)}\n')
        f.writelines(f"{k + 1} {float(x)!r} {float(y)!r} 0\n" for k, (x, y) in enumerate(points))
        f.write(f"$EndNodes\n$Elements\n{len(lines) + len(cells)}\n")
        f.writelines(f"{k + 1} 1 2 {tag} {tag} {a + 1} {b + 1}\n" for k, (tag, a, b) in enumerate(lines))
        f.writelines(f"{k + 1 + len(lines)} {len(c) - 1} 2 {fluid} {fluid} {' '.join(str(v + 1) for v in c)}\n" for k, c in enumerate(cells))
        f.write("$EndElements\n")
    return path


def solid(path, points, cells, sides):
    """points [n][3]; cells, tetrahedra or hexahedra, and sides (name -> triangles or squares): node lists from 0. Returns path."""
    faces = [(tag + 1, face) for tag, side in enumerate(sides.values()) for face in side]
    fluid = len(sides) + 1
    words = lambda nodes: " ".join(str(k + 1) for k in nodes)
    with open(path, "w") as f:
        f.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n{fluid}\n" + "".join(f'2 {k + 1} "{name}"\n' for k, name in enumerate(sides)) + f'3 {fluid} "fluid"\n$EndPhysicalNames\n')
        f.write(f"$Nodes\n{len(points)}\n" + "".join(f"{k + 1} {' '.join(repr(float(v)) for v in x)}\n" for k, x in enumerate(points)) + f"$EndNodes\n$Elements\n{len(faces) + len(cells)}\n")
        f.writelines(f"{k + 1} {len(face) - 1} 2 {tag} {tag} {words(face)}\n" for k, (tag, face) in enumerate(faces))
        f.writelines(f"{k + 1 + len(faces)} {4 if len(cell) == 4 else 5} 2 {fluid} {fluid} {words(cell)}\n" for k, cell in enumerate(cells))
        f.write("$EndElements\n")
    return path


def channel(path, nx, ny, place, triangles=False, halves=False):
    """A block of nx x ny cells whose node (i, j) is at place(i, j); labels left, right, bottom, top; halves: left_low, left_high, ... in their place."""
    number = lambda i, j: i * (ny + 1) + j
    points = [place(i, j) for i in range(nx + 1) for j in range(ny + 1)]
    cells = []
    for i in range(nx):
        for j in range(ny):
            a, b, c, d = number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)
            cells += [(a, b, c, d)] if not triangles else [(a, b, c), (a, c, d)] if (i + j) % 2 else [(a, b, d), (b, c, d)]
    sides = {"left": [(number(0, j), number(0, j + 1)) for j in range(ny)], "right": [(number(nx, j), number(nx, j + 1)) for j in range(ny)],
             "bottom": [(number(i, 0), number(i + 1, 0)) for i in range(nx)], "top": [(number(i, ny), number(i + 1, ny)) for i in range(nx)]}
    for name in ("left", "right") if halves else ():
        pairs = sides.pop(name)
        sides |= {f"{name}_low": pairs[:ny // 2], f"{name}_high": pairs[ny // 2:]}
    return write(path, points, cells, sides)


def annulus(path, nr, nt, place):
    """Quads between label inner and label outer, node (i, j) at place(i, j), j around."""
    number = lambda i, j: i * nt + j % nt
    points = [place(i, j) for i in range(nr + 1) for j in range(nt)]
    cells = [(number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)) for i in range(nr) for j in range(nt)]
    return write(path, points, cells, {"inner": [(number(0, j), number(0, j + 1)) for j in range(nt)], "outer": [(number(nr, j), number(nr, j + 1)) for j in range(nt)]})


def rings(n, first, radius):
    """Nodes and triangles between rings of radius(0) ... radius(n) with first + 6 k nodes, a middle node where first is 0."""
    x, start = [], []
    for k in range(n + 1):
        start.append(len(x))
        count = first + 6 * k
        x += [(0.0, 0.0)] if count == 0 else [(radius(k) * math.cos(2 * math.pi * (j + 0.5 * (k % 2)) / count), radius(k) * math.sin(2 * math.pi * (j + 0.5 * (k % 2)) / count)) for j in range(count)]
    x = np.array(x)
    from scipy.spatial import Delaunay
    triangles = Delaunay(x).simplices
    middle = np.linalg.norm(x[triangles].mean(axis=1), axis=1)
    return x, [tuple(int(k) for k in t) for t, m in zip(triangles, middle) if m > (radius(0) if first else 0)]
