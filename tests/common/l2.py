"""L2 norms of errors of nodal fields by Gauss quadrature over the cells of a .vtu."""
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy

TRIANGLE, QUAD, TET, HEX = 5, 9, 10, 12  # VTK cell types


def _rule(cell):
    """Points [q][dim] and weights of a rule of degree 4 or more; simplices by collapsed coordinates."""
    x, w = np.polynomial.legendre.leggauss(4)
    x, w = (x + 1) / 2, w / 2
    dim = 2 if cell in (TRIANGLE, QUAD) else 3
    grid = np.stack(np.meshgrid(*[x] * dim, indexing="ij"), axis=-1).reshape(-1, dim)
    weight = np.prod(np.stack(np.meshgrid(*[w] * dim, indexing="ij"), axis=-1).reshape(-1, dim), axis=1)
    if cell == TRIANGLE:
        weight = weight * (1 - grid[:, 0])
        grid = np.stack([grid[:, 0], grid[:, 1] * (1 - grid[:, 0])], axis=1)
    if cell == TET:
        a, b, c = grid.T
        weight = weight * (1 - a) ** 2 * (1 - b)
        grid = np.stack([a, b * (1 - a), c * (1 - a) * (1 - b)], axis=1)
    return grid, weight


def _shapes(cell, x):
    """Shape functions [q][nodes] and their gradients [q][nodes][dim], nodes in the order of VTK."""
    dim = x.shape[1]
    if cell in (TRIANGLE, TET):
        n = np.concatenate([1 - x.sum(axis=1, keepdims=True), x], axis=1)
        g = np.broadcast_to(np.concatenate([-np.ones((1, dim)), np.eye(dim)]), (len(x), dim + 1, dim))
        return n, g
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    corners = np.array(corners if dim == 2 else [(a, b, c) for c in (0, 1) for a, b in corners])
    factor = np.where(corners[None], x[:, None], 1 - x[:, None])  # [q][node][dim]
    slope = np.where(corners, 1.0, -1.0)
    n = factor.prod(axis=2)
    g = np.stack([slope[:, d] * np.delete(factor, d, axis=2).prod(axis=2) for d in range(dim)], axis=2)
    return n, g


def _cells(fields, weight):
    """Of each type of cell: numbers of nodes [cells][nodes], shape functions [q][nodes], their gradients in space [cells][q][nodes][dim], quadrature points
    [cells q][3] and the measure [cells][q] times `weight` of points [m][3]."""
    kinds = vtk_to_numpy(fields.grid.GetCellTypesArray())
    starts = vtk_to_numpy(fields.grid.GetCells().GetOffsetsArray())
    nodes = vtk_to_numpy(fields.grid.GetCells().GetConnectivityArray())
    for cell in np.unique(kinds):
        x, w = _rule(cell)
        shape, slope = _shapes(cell, x)
        rows = nodes[starts[:-1][kinds == cell][:, None] + np.arange(shape.shape[1])]
        points = fields.points[rows]  # [cells][nodes][3]
        jacobian = np.einsum("qnd,cni->cqid", slope, points[:, :, :x.shape[1]])
        volume = np.abs(np.linalg.det(jacobian)) * w
        at = np.einsum("qn,cni->cqi", shape, points).reshape(-1, 3)
        yield rows, shape, np.einsum("qnd,cqdi->cqni", slope, np.linalg.inv(jacobian)), at, volume * np.reshape(np.broadcast_to(weight(at), len(at)), volume.shape)


def error(fields, pairs, weight=lambda points: 1.0):
    """pairs: (nodal values [n][k], exact function of points [m][3] -> [m][k]); one L2 norm for each pair, of a measure that is
    `weight` of points [m][3] times the mesh's."""
    squares = np.zeros(len(pairs))
    for rows, shape, _, at, volume in _cells(fields, weight):
        for k, (values, exact) in enumerate(pairs):
            got = np.einsum("qn,cnk->cqk", shape, values[rows])
            difference = got - exact(at).reshape(got.shape)
            squares[k] += float((volume * (difference**2).sum(axis=2)).sum())
    return [float(s) for s in np.sqrt(squares)]


def slope_error(fields, values, exact, weight=lambda points: 1.0):
    """The same of the gradients of nodal values [n][k]; exact: points [m][3] -> [m][k][dim]."""
    square = 0.0
    for rows, _, slope, at, volume in _cells(fields, weight):
        got = np.einsum("cqni,cnk->cqki", slope, values[rows])
        square += float((volume * ((got - exact(at).reshape(got.shape)) ** 2).sum(axis=(2, 3))).sum())
    return float(np.sqrt(square))
