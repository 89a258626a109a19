"""Steady flow in the unit cube under the lid y = 1, which moves along x with speed 1, by finite differences on a staggered grid, of second order: a second way to
the profiles of options/cavity3d_re100.yaml. Half of the cube, z from the wall 0 to the plane of symmetry 1/2; Newton's law, density 1."""
import numpy as np
from scipy.fft import dctn, idctn
from scipy.interpolate import CubicSpline

STAGES = (1 / 3, 1 / 2, 1)
WALL, SYMMETRY, LID = (lambda a: -a), (lambda a: a), (lambda a: 2 - a)  # the value beyond a side by the one within


def between(f, axis):
    """Means of neighbours."""
    return (np.delete(f, 0, axis) + np.delete(f, -1, axis)) / 2


def beyond(f, axis, low, high):
    return np.concatenate([low(f.take([0], axis)), f, high(f.take([-1], axis))], axis)


def inside(f, *axes):
    for axis in axes:
        f = np.delete(np.delete(f, 0, axis), -1, axis)
    return f


def rates(velocity, nu, h):
    """-div(u u) + nu lap u at inner faces, 0 at those of the sides; velocity[i]: on the faces across axis i."""
    ends = {(0, 1): (WALL, LID), (0, 2): (WALL, SYMMETRY), (1, 0): (WALL, WALL), (1, 2): (WALL, SYMMETRY), (2, 0): (WALL, WALL), (2, 1): (WALL, WALL)}
    wide = {(i, j): beyond(velocity[i], j, *sides) for (i, j), sides in ends.items()}
    found = []
    for i, u in enumerate(velocity):
        rate = nu * np.diff(u, 2, i) / h**2 - np.diff(between(u, i) ** 2, axis=i) / h
        for j in {0, 1, 2} - {i}:
            rate += nu * inside(np.diff(wide[i, j], 2, j), i) / h**2
            rate -= inside(np.diff(between(wide[i, j], j) * between(wide[j, i], i), axis=j), i) / h
        found.append(np.pad(rate, [(1, 1) if axis == i else (0, 0) for axis in range(3)]))
    return found


def solenoidal(velocity, eigenvalues, h):
    q = dctn(sum(np.diff(u, axis=i) for i, u in enumerate(velocity)) / h) / eigenvalues
    q = idctn(q)
    return [u - np.pad(np.diff(q, axis=i), [(1, 1) if axis == i else (0, 0) for axis in range(3)]) / h for i, u in enumerate(velocity)]


def steady(n, re, tolerance=1e-7):
    """Velocities at rest, from rest, on n x n x n/2 cells."""
    cells, h, nu = (n, n, n // 2), 1 / n, 1 / re
    dt = min(0.5 * h, 0.2 * h**2 / nu)
    along = [(2 * np.cos(np.pi * np.arange(m) / m) - 2) / h**2 for m in cells]
    eigenvalues = along[0][:, None, None] + along[1][:, None] + along[2]
    eigenvalues[0, 0, 0] = np.inf  # the pressure has no level
    velocity = [np.zeros([m + (axis == i) for axis, m in enumerate(cells)]) for i in range(3)]
    while True:
        stage = velocity
        for part in STAGES:
            stage = solenoidal([u + part * dt * r for u, r in zip(velocity, rates(stage, nu, h))], eigenvalues, h)
        change = max(abs(a - b).max() for a, b in zip(stage, velocity)) / dt
        velocity = stage
        if not change > tolerance:
            return velocity


def profiles(n, re, at):
    """u on x = z = 1/2 and v on y = z = 1/2 at these y and x."""
    u, v, _ = steady(n, re)
    plane = lambda f: (9 * f[..., -1] - f[..., -2]) / 8  # even about it
    places = np.r_[0, (np.arange(n) + 0.5) / n, 1]
    return np.stack([CubicSpline(places, np.r_[0, values, end])(at) for values, end in ((plane(u)[n // 2], 1), (plane(v)[:, n // 2], 0))])


def extrapolated(coarse, fine, re, at):
    """Of two grids, by the squares of their cells."""
    a, b = (profiles(n, re, at) for n in (coarse, fine))
    return b + (b - a) / ((fine / coarse) ** 2 - 1)
