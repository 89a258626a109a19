"""Gmsh meshes (format 2.2, text) for tests: read, write, and structured boxes of any cell type, jittered or not."""
import numpy as np

NODES = {1: 2, 2: 3, 3: 4, 4: 4, 5: 8}  # line, triangle, quad, tet, hex
DIMENSION = {1: 1, 2: 2, 3: 2, 4: 3, 5: 3}


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


def write(path, mesh):
    total = sum(len(rows) for _, _, rows in mesh.blocks)
    with open(path, "w") as f:
        f.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n%d\n" % len(mesh.names))
        for (dimension, tag), name in sorted(mesh.names.items()):
            f.write('%d %d "%s"\n' % (dimension, tag, name))
        f.write("$EndPhysicalNames\n$Nodes\n%d\n" % len(mesh.points))
        for i, x in enumerate(mesh.points):
            f.write("%d %.17g %.17g %.17g\n" % (i + 1, *x))
        f.write("$EndNodes\n$Elements\n%d\n" % total)
        i = 0
        for kind, tag, rows in mesh.blocks:
            for row in rows:
                i += 1
                f.write("%d %d 2 %d %d %s\n" % (i, kind, tag, tag, " ".join(str(n + 1) for n in row)))
        f.write("$EndElements\n")


def _jitter(points, n, lengths, amount, seed):
    """Moves interior nodes by at most amount * h in each direction."""
    dim, h = len(n), np.array(lengths) / np.array(n)
    inside = np.all([(points[:, k] > 1e-12) & (points[:, k] < lengths[k] - 1e-12) for k in range(dim)], axis=0)
    move = np.random.default_rng(seed).uniform(-1, 1, (len(points), dim)) * h * amount
    points[inside, :dim] += move[inside]


def box(cell, n, lengths=None, jitter=0.0, shear=0.0, seed=1, label="boundary"):
    """Unit box (or of the given lengths) of n[0] x n[1] (x n[2]) blocks; cell: triangle, quad, tet, hex.
    shear: x += shear * y after meshing, so that quads and hexes stay affine but are no rectangles. label: a name for the
    whole boundary, or a function of the mean of a face's points that returns one."""
    dim = len(n)
    lengths = lengths or [1.0] * dim
    axes = [np.linspace(0, lengths[k], n[k] + 1) for k in range(dim)]
    grid = np.meshgrid(*axes, indexing="ij")
    points = np.zeros((grid[0].size, 3))
    for k in range(dim):
        points[:, k] = grid[k].ravel()
    if jitter:
        _jitter(points, n, lengths, jitter, seed)
    number = np.arange(len(points)).reshape([m + 1 for m in n])
    cells, faces = (_cells_2d if dim == 2 else _cells_3d)(cell, number)
    names, groups = {(dim, 1): "fluid"}, {}
    for face in faces:
        name = label if isinstance(label, str) else label(points[list(face)].mean(axis=0))
        groups.setdefault(name, []).append(face)
    kind = {"triangle": 2, "quad": 3, "tet": 4, "hex": 5}[cell]
    blocks = [(kind, 1, np.array(cells))]
    for tag, name in enumerate(sorted(groups), start=2):
        names[dim - 1, tag] = name
        for size in sorted({len(face) for face in groups[name]}):
            rows = np.array([face for face in groups[name] if len(face) == size])
            blocks.append(({2: 1, 3: 2, 4: 3}[size], tag, rows))
    points[:, 0] += shear * points[:, 1]
    return Mesh(points, blocks, names)


def _cells_2d(cell, number):
    cells = []
    nx, ny = number.shape[0] - 1, number.shape[1] - 1
    for i in range(nx):
        for j in range(ny):
            a, b, c, d = number[i, j], number[i + 1, j], number[i + 1, j + 1], number[i, j + 1]
            if cell == "quad":
                cells.append((a, b, c, d))
            elif (i + j) % 2:
                cells += [(a, b, c), (a, c, d)]
            else:
                cells += [(a, b, d), (b, c, d)]
    faces = [(number[i, j], number[i + 1, j]) for j in (0, ny) for i in range(nx)]
    faces += [(number[i, j], number[i, j + 1]) for i in (0, nx) for j in range(ny)]
    return cells, faces


# Kuhn's six tets of a cube: paths from corner 000 to 111.
_PATHS = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]


def _cells_3d(cell, number):
    cells, shape = [], [m - 1 for m in number.shape]
    for i, j, k in np.ndindex(*shape):
        corner = lambda a, b, c: number[i + a, j + b, k + c]
        if cell == "hex":
            cells.append(tuple(corner(a, b, c) for c in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))))
            continue
        for path in _PATHS:
            at, nodes = [0, 0, 0], [corner(0, 0, 0)]
            for axis in path:
                at[axis] = 1
                nodes.append(corner(*at))
            odd = path in ((0, 2, 1), (1, 0, 2), (2, 1, 0))
            cells.append((nodes[0], nodes[2], nodes[1], nodes[3]) if odd else tuple(nodes))
    faces = []
    for axis in range(3):
        for end in (0, shape[axis]):
            side = np.take(number, end, axis=axis)
            for i, j in np.ndindex(side.shape[0] - 1, side.shape[1] - 1):
                a, b, c, d = side[i, j], side[i + 1, j], side[i + 1, j + 1], side[i, j + 1]
                faces += [(a, b, c, d)] if cell == "hex" else [(a, b, c), (a, c, d)]
    return cells, faces


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
