"""Reads Gmsh meshes (format 2.2, text) for tests."""
import numpy as np

DIMENSION = {1: 1, 2: 2, 3: 2, 4: 3, 5: 3}  # line, triangle, quad, tet, hex


class Mesh:
    def __init__(self, points, blocks, names):
        self.points = np.asarray(points, dtype=float)  # [n][3]
        self.blocks = blocks  # list of (gmsh type, physical number, nodes [n][k] from 0)
        self.names = names  # (dimension, physical number) -> name

    def cells(self, name):
        """Node lists of every element of the physical group."""
        return [row for kind, tag, rows in self.blocks if self.names[DIMENSION[kind], tag] == name for row in rows]


def read(path):
    with open(path) as f:
        lines = [line.strip() for line in f]
    at = {line: i for i, line in enumerate(lines) if line.startswith("$")}
    names = {}
    for line in lines[at["$PhysicalNames"] + 2:at["$EndPhysicalNames"]]:
        dimension, tag, name = line.split(maxsplit=2)
        names[int(dimension), int(tag)] = name.strip('"')
    rows = np.array([line.split() for line in lines[at["$Nodes"] + 2:at["$EndNodes"]]], dtype=float)
    order = {int(tag): i for i, tag in enumerate(rows[:, 0])}
    groups = {}
    for line in lines[at["$Elements"] + 2:at["$EndElements"]]:
        v = [int(s) for s in line.split()]
        groups.setdefault((v[1], v[3]), []).append([order[n] for n in v[3 + v[2]:]])
    blocks = [(kind, tag, np.array(rows)) for (kind, tag), rows in groups.items()]
    return Mesh(rows[:, 1:], blocks, names)


def measures(mesh):
    """Signed areas or volumes of the cells by their corner simplices (quads: the smallest corner triangle)."""
    out = []
    for kind, _, rows in mesh.blocks:
        x = mesh.points[rows]
        if kind == 2 and all(abs(mesh.points[:, 2]) < 1e-300):
            out.append(_cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]) / 2)
        elif kind == 3 and all(abs(mesh.points[:, 2]) < 1e-300):
            for a in range(4):
                out.append(_cross(x[:, (a + 1) % 4] - x[:, a], x[:, (a + 3) % 4] - x[:, a]))
        elif kind == 4:
            out.append(np.linalg.det(x[:, 1:] - x[:, :1]) / 6)
        elif kind == 5:
            out.append(np.linalg.det(x[:, [1, 3, 4]] - x[:, :1]))
    return np.concatenate(out)


def _cross(a, b):
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
