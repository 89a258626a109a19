"""Two creeping flows of a Newtonian fluid by methods of their own, which have no part in common with the program: what tests/case/benchmarks.py compares with."""
import math

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import splu
from scipy.special import eval_legendre, ive, kve


def sphere_in_tube(radius, terms):
    """K = drag/(6 pi eta a U) of a sphere, a = 1, that moves along the axis of a tube. Stokeslet and source doublet at its centre with their even derivatives along z, each with
    the flow in Fourier integrals over z that keeps the wall at rest; U = 1 on the sphere by least squares. Haberman and Sayre, DTMB Report 1143 (1958), do so with stream functions."""
    theta = (np.arange(4 * terms) + 0.5) * math.pi / (8 * terms)
    z, rho = np.cos(theta), np.sin(theta)
    x, weight = np.polynomial.legendre.leggauss(200)
    top = (12 * terms + 40) ** (1 / 3)
    k, dk = (top * (x + 1) / 2) ** 3, 3 * (top * (x + 1) / 2) ** 2 * top / 2 * weight  # log k at 0
    far, near = k * radius, k[:, None] * rho
    I = np.array([ive(0, far), ive(1, far)])  # times exp(far); K times exp(-far)
    K = np.array([kve(0, far), kve(1, far)])
    wall = np.array([[I[0], 2 * I[0] + far * I[1]], [I[1], far * I[0]]]).transpose(2, 0, 1)
    shift = np.exp(near - 2 * far[:, None])
    inside = np.array([[ive(0, near), 2 * ive(0, near) + near * ive(1, near)], [ive(1, near), near * ive(0, near)]]) * shift
    waves = np.array([np.cos(k[:, None] * z), np.sin(k[:, None] * z)]) * dk[:, None]

    def slope(n):
        """The n-th derivative of 1/r by z, on the sphere, over n!"""
        return (-1) ** n * eval_legendre(n, z)

    columns = []
    for n in range(0, 2 * terms, 2):
        power = (2 / math.pi) * np.exp(n * np.log(k) - math.lgamma(n + 1)) * (-1) ** (n // 2)
        f, g, h = slope(n), (n + 1) * slope(n + 1), (n + 1) * (n + 2) * slope(n + 2)  # 1/n! of derivatives n, n + 1, n + 2
        free = np.array([[(1 - n) * f - z * g, -rho * g], [h, -((n + 2) * g + z * h) / rho]])
        at_wall = np.array([[2 * K[0] - far * K[1], far * K[0]], [-(k**2) * K[0], k**2 * K[1]]]) * power
        for own, there in zip(free, at_wall):
            amplitude = np.linalg.solve(wall, -there.T[:, :, None])[:, :, 0]
            columns.append(np.concatenate([own[c] + np.einsum("ki,ikr,kr->r", amplitude, inside[c], waves[c]) for c in (0, 1)]))
    A = np.array(columns).T
    scale = np.linalg.norm(A, axis=0)
    found = np.linalg.lstsq(A / scale, np.repeat([1.0, 0.0], len(z)), rcond=None)[0] / scale
    return 4 / 3 * found[0]


def contraction_vortex(n, ahead=8, behind=3):
    """Length of the vortex in the salient corner of the planar 4:1 contraction, half height 1 behind it: biharmonic stream function by 13-point differences, n cells to the unit.
    psi is 0 and odd at the axis, 1 and even at walls (no slip), the parabola's at both ends."""
    nx, ny = (ahead + behind) * n, 4 * n
    corner = ahead * n
    i, j = np.meshgrid(np.arange(nx + 1), np.arange(ny + 1), indexing="ij")
    solid = ((j >= n) & (i >= corner)) | (j == ny)
    given = np.where(solid, 1.0, 0.0)
    for column, height in ((0, 4 * n), (nx, n)):
        s = np.arange(height + 1) / height
        given[column, : height + 1] = 1.5 * s - 0.5 * s**3
    free = ~solid & (i > 0) & (i < nx) & (j > 0)
    number = np.full(free.shape, -1)
    number[free] = np.arange(free.sum())
    at = np.argwhere(free)
    rows, columns, values, right = [], [], [], np.zeros(len(at))

    def add(place, factor):
        known = number[place[:, 0], place[:, 1]] < 0
        np.subtract.at(right, np.flatnonzero(known), (factor * given[place[:, 0], place[:, 1]])[known])
        rows.append(np.flatnonzero(~known))
        columns.append(number[place[:, 0], place[:, 1]][~known])
        values.append(np.broadcast_to(factor, len(at))[~known])

    add(at, 20.0)
    for step in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        step = np.array(step)
        add(at + step, -8.0)
        beside, beyond = at + step, at + 2 * step
        mirrored = (number[beside[:, 0], beside[:, 1]] < 0) & (beside != (corner, n)).any(axis=1)  # behind the re-entrant corner is a wall: psi is known
        add(np.where(mirrored[:, None], at, beyond), np.where(beyond[:, 1] < 0, -1.0, 1.0))
    for step in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        add(at + np.array(step), 2.0)
    matrix = coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))).tocsc()
    psi = given.copy()
    psi[free] = splu(matrix, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve(right)
    bend = 8 * psi[1:corner, ny - 1] - psi[1:corner, ny - 2] - 7  # 2 h^2 psi_yy at the wall
    first = np.flatnonzero(bend[:-1] * bend[1:] < 0)[0]  # the others are of the eddies that follow in the corner
    return (corner - 1 - first - bend[first] / (bend[first] - bend[first + 1])) / n


def extrapolated(cells, lengths):
    """From three meshes, of errors h^1.0890 and h^1.4530: sums of two exponents of the velocity at the re-entrant corner, 0.5445 and 0.9085 (Moffatt, J. Fluid Mech. 18 (1964) 1)."""
    h = 1 / np.array(cells)
    return float(np.linalg.solve(np.array([h**0, h ** (2 * 0.5445), h ** (0.5445 + 0.9085)]).T, np.array(lengths))[0])
