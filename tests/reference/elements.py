"""Linear elements on boxes, written a second time for the tests: cells, shape functions, quadrature, metrics, faces."""
import itertools

import numpy as np

SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
CORNERS = {
    "triangle": np.array([(0, 0), (1, 0), (0, 1)], float),
    "quadrilateral": 2.0 * np.array(SQUARE) - 1,
    "tetrahedron": np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], float),
    "hexahedron": 2.0 * np.array([(a, b, c) for c in (0, 1) for a, b in SQUARE]) - 1,
}
SIDES = {
    "triangle": [(0, 1), (1, 2), (2, 0)],
    "quadrilateral": [(0, 1), (1, 2), (2, 3), (3, 0)],
    "tetrahedron": [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)],
    "hexahedron": [(0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)],
}
KUHN = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]
HALVES = [[(0, 1, 2), (0, 2, 3)], [(0, 1, 3), (1, 2, 3)]]


def cells(kind, faces):
    """Node lists by kind of cell of a box of faces[d] cells a direction; nodes count along x first."""
    dim, lists = len(faces), {}
    strides = np.cumprod([1] + [n + 1 for n in faces[:-1]])
    for index in itertools.product(*[range(n) for n in reversed(faces)]):
        index = index[::-1]
        corner = [int(np.dot(np.add(index, step), strides)) for step in ((CORNERS["quadrilateral" if dim == 2 else "hexahedron"] + 1) / 2)]
        odd = (index[0] + index[1]) % 2
        split = odd if kind == "mixed" else kind in ("triangle", "tetrahedron")
        pieces = [range(2**dim)] if not split else HALVES[odd] if dim == 2 else KUHN
        name = {(2, 0): "quadrilateral", (2, 1): "triangle", (3, 0): "hexahedron", (3, 1): "tetrahedron"}[dim, int(bool(split))]
        lists.setdefault(name, []).extend([corner[a] for a in piece] for piece in pieces)
    return {name: np.array(rows) for name, rows in lists.items()}


def shapes(kind, xi):
    """N[q][a] and dN[q][a][d] at reference points."""
    corner = CORNERS[kind]
    n, dim = corner.shape
    if n == dim + 1:
        return np.concatenate([1 - xi.sum(1, keepdims=True), xi], 1), np.broadcast_to(np.concatenate([-np.ones((1, dim)), np.eye(dim)]), (len(xi), n, dim))
    factor = (1 + corner[None] * xi[:, None]) / 2
    slope = np.stack([corner[:, d] / 2 * np.delete(factor, d, 2).prod(2) for d in range(dim)], 2)
    return factor.prod(2), slope


def rule(simplex, dim):
    """Points and weights: degree 2 on simplices, two Gauss points a direction elsewhere."""
    if not simplex:
        grid = np.array(list(itertools.product(*[(-1, 1)] * dim)), float) / np.sqrt(3)
        return grid, np.ones(len(grid))
    b = 1 / 6 if dim == 2 else (5 - np.sqrt(5)) / 20
    points = np.full((dim + 1, dim), b)
    points[np.arange(1, dim + 1), np.arange(dim)] = 1 - dim * b
    return points, np.full(dim + 1, 1 / 6 if dim == 2 else 1 / 24)


class Points:
    """Quadrature points of cells of one kind: conn[e][a], N[q][a], G[e][q][a][i] = grad N, w[e][q], metric g, 1/h^2, x."""

    def __init__(self, kind, conn, x, xi, weight):
        dim = x.shape[1]
        self.conn, (self.N, slope) = conn, shapes(kind, xi)
        self.J = np.einsum("qad,eai->eqid", slope, x[conn])
        inverse = np.linalg.inv(self.J)
        self.G = np.einsum("qad,eqdi->eqai", slope, inverse)
        self.w = np.linalg.det(self.J) * weight
        self.g = 2 * np.einsum("eqai,eqaj->eqij", self.G, self.G) if len(CORNERS[kind]) == dim + 1 else np.einsum("eqdi,eqdj->eqij", inverse, inverse)
        self.ih2 = np.trace(self.g, axis1=2, axis2=3) / (4 * dim)
        self.x = self.value(x)

    def value(self, field):
        return np.einsum("qa,ea...->eq...", self.N, field[self.conn])

    def slope(self, field):
        """d field / d x_i, i last."""
        return np.moveaxis(np.einsum("eqai,ea...->eqi...", self.G, field[self.conn]), 2, -1)

    def add(self, out, f0=None, f1=None):
        """out[node] += integral of N f0 + grad N . f1, the index of the derivative last in f1."""
        sum_ = 0
        if f0 is not None:
            sum_ = sum_ + np.einsum("qa,eq,eq...->ea...", self.N, self.w, f0)
        if f1 is not None:
            sum_ = sum_ + np.einsum("eqai,eq,eqi...->ea...", self.G, self.w, np.moveaxis(f1, -1, 2))
        np.add.at(out, self.conn, sum_)


def interior(kind, conn, x):
    return Points(kind, conn, x, *rule(len(CORNERS[kind]) == x.shape[1] + 1, x.shape[1]))


def boundary(kind, conn, x, on):
    """Points on the cells' sides whose nodes are all `on`, with outward unit normals n[e][q][i]; one object a local side."""
    dim, found = x.shape[1], []
    for side in SIDES[kind]:
        rows = conn[on[conn[:, side]].all(1)]
        if not len(rows):
            continue
        simplex, origin = len(side) == 3, CORNERS[kind][side[0]]
        tangents = np.array([CORNERS[kind][side[k]] - origin for k in ([1] if dim == 2 else [1, len(side) - 1])]) * (1 if simplex else 0.5)
        eta, weight = rule(simplex, dim - 1)
        p = Points(kind, rows, x, origin + (eta if simplex else 1 + eta) @ tangents, weight)
        t = np.einsum("eqid,kd->eqki", p.J, tangents)
        n = np.stack([t[:, :, 0, 1], -t[:, :, 0, 0]], -1) if dim == 2 else np.cross(t[:, :, 0], t[:, :, 1])
        inward = x[rows].mean(1)[:, None] - p.x
        n = -n * np.sign(np.einsum("eqi,eqi->eq", n, inward))[..., None]
        area = np.linalg.norm(n, axis=-1)
        p.n, p.w = n / area[..., None], area * weight
        found.append(p)
    return found
