"""What share/doc/theory.md, section 7, says of single waves in a step of bdf2: elastic waves beside implicit transport of the modes, by the
part k of the third term of extrapolation, and the pressure's projection on a mesh of linear elements without viscosity. elastic_waves.py"""
import numpy as np


def elastic(w2, v, a, k):
    """Largest |z| of (P + a)(P + v) + w2 E = 0; w2 = (w dt)^2, v, a: dt times the rates at which the solvent and relaxation damp."""
    p, e = np.poly1d([0.5, -2, 1.5]), np.poly1d([k, -1 - 2 * k, 2 + k, 0])  # of 1/z
    return max(abs(1 / ((p + a) * (p + v) + w2 * e).roots))


def projection(angle):
    """Largest |z| of an irrotational wave of one dimension at rest: consistent mass in momentum, lumped in the increment of the pressure."""
    mass, grad, laplacian = (2 + np.cos(angle)) / 3, 1j * np.sin(angle), 2 - 2 * np.cos(angle)
    u, before, p = np.eye(3, dtype=complex)
    predicted = (4 * u - before) / 3 - 2 / 3 * grad * p / mass
    increment = -grad * predicted / (2 / 3 * laplacian)
    return max(abs(np.linalg.eigvals(np.array([predicted - 2 / 3 * grad * increment, u, p + increment]))))


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
    angle = np.linspace(0.02, np.pi - 0.001, 2000)
    growth = [projection(x) - 1 for x in angle]
    most = int(np.argmax(growth))
    print(f"projection without viscosity: grows by {100 * growth[most]:.2f} % a step at {2 * np.pi / angle[most]:.2f} cells a wave")


main()
