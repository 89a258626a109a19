"""What share/doc/theory.md, section 7, says of single waves in a step of bdf2: elastic waves beside implicit transport of the modes, by the
part k of the third term of extrapolation, and the pressure's projection on meshes without viscosity. elastic_waves.py"""
import itertools

import numpy as np


def elastic(w2, v, a, k):
    """Largest |z| of (P + a)(P + v) + w2 E = 0; w2 = (w dt)^2, v, a: dt times the rates at which the solvent and relaxation damp."""
    p, e = np.poly1d([0.5, -2, 1.5]), np.poly1d([k, -1 - 2 * k, 2 + k, 0])  # of 1/z
    return max(abs(1 / ((p + a) * (p + v) + w2 * e).roots))


def projection(angles, tau):
    """Largest |z| of an irrotational wave at rest, its phase over a cell in each direction: consistent mass in momentum, lumped in the increment
    of the pressure. tau: f tau_1 rho/dt, what is followed of the subscales of the pressure in a step; the balance of the last is handed on."""
    mass, grad, laplacian = (2 + np.cos(angles)) / 3, np.sin(angles), 2 - 2 * np.cos(angles)
    others = np.array([np.prod(np.delete(mass, k)) for k in range(len(angles))])
    m, g, k, b = np.prod(mass), np.sqrt(((grad * others) ** 2).sum()), (laplacian * others).sum(), 2 / 3
    u, before, p, last = np.eye(4)
    predicted = (4 * u - before + 2 * g * p / m) / 3
    increment = ((b - tau / 2) * (k - g * g) * last - tau * (k - g * g) * p - g * (predicted - u)) / (b * k)
    return max(abs(np.linalg.eigvals(np.array([predicted + b * g * increment, u, p + increment, increment]))))


def main():
    for w in (0.1, 0.2, 0.4):
        print(f"undamped, w dt {w}: growth a step over (w dt)^4/4 " + ", ".join(f"k {k}: {(elastic(w * w, 0, 0, k) - 1) / (w**4 / 4):+.3f}" for k in (0, 0.25, 0.3)))
    random = np.random.default_rng(1)
    for k in (0.25, 0.3):
        worst = 0.0
        for _ in range(30000):
            v, a = 10 ** random.uniform(-4, 3, 2)
            worst = max(worst, elastic(random.uniform() * 4 * (4 + v) / (3 + 4 * k), v, a, k))
        print(f"k {k}: largest |z| of 30000 damped waves up to (w dt)^2 = 4 (4 + v dt)/(3 + 4 k): {worst:.8f}")
    for dim, cells in (1, "lines"), (2, "quadrilaterals"), (3, "hexahedra"):
        waves = list(itertools.combinations_with_replacement(np.linspace(0.04, 0.98, 25) * np.pi, dim))
        growth = lambda tau: max((projection(np.array(x), tau) - 1, x) for x in waves)
        most, at = growth(0.0)
        held = [tau for tau in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 1.0, 1.2, 1.3, 1.4) if growth(tau)[0] < 1e-3]
        print(f"projection without viscosity, {cells}: grows by at most {100 * most:.1f} % a step, at {', '.join(f'{2 * np.pi / x:.1f}' for x in at)} cells a wave; "
              f"by less than 0.1 % with f tau_1 of {held[0]:g} to {held[-1]:g} dt/rho")


main()
