"""Modes of plane shear flows between walls at y = -1 and 1, an independent code: Chebyshev collocation of the linearised equations in a
stream function, perturbations exp(i k x + lambda t), u = psi', v = -i k psi.

  rho (lambda + i k U) (D^2 - k^2) psi - rho i k U'' psi = eta_s (D^2 - k^2)^2 psi + i k D (txx - tyy) + (D^2 + k^2) txy
  t + L (lambda t + i k U t + v T' - l T - T l^T - l0 t - t l0^T) = eta_p (l + l^T),  l_ij = d_j u_i,  l0 = U' e_x e_y

with T of the basic flow: Txy = eta_p U', Txx = 2 eta_p L U'^2. And axisymmetric modes between cylinders (taylor_couette)."""
import numpy as np
import scipy.linalg


def points(n):
    """Points from 1 to -1 and the matrix of the derivative (Trefethen, Spectral Methods in MATLAB, 2000, program cheb)."""
    y = np.cos(np.pi * np.arange(n + 1) / n)
    c = np.hstack([2, np.ones(n - 1), 2]) * (-1) ** np.arange(n + 1)
    d = np.outer(c, 1 / c) / (y[:, None] - y + np.eye(n + 1))
    return y, d - np.diag(d.sum(axis=1))


def clamp(a, b, d):
    """psi = psi' = 0 at the walls, in the rows of the ends and their neighbours."""
    n = len(d) - 1
    for row, of in ((0, np.eye(n + 1)[0]), (1, d[0]), (n - 1, d[n]), (n, np.eye(n + 1)[n])):
        a[row] = b[row] = 0
        a[row, :n + 1] = of


def newtonian(u, k, rho, eta, n):
    """lambda of all modes; u: velocity of the basic flow, a function of y."""
    y, d = points(n)
    i = np.eye(n + 1)
    lap = d @ d - k**2 * i
    a = eta * lap @ lap - 1j * k * rho * (np.diag(u(y)) @ lap - np.diag(d @ d @ u(y)))
    b = rho * lap.astype(complex)
    clamp(a, b, d)
    return modes(a, b)


def oldroydb(u, k, rho, eta_s, eta_p, relaxation, n):
    y, d = points(n)
    i, o = np.eye(n + 1), np.zeros((n + 1, n + 1))
    lap = d @ d - k**2 * i
    ik, shear = 1j * k, np.diag(d @ u(y))
    txy, txx = eta_p * np.diag(shear), 2 * eta_p * relaxation * np.diag(shear) ** 2
    move = -ik * np.diag(u(y)) - i / relaxation
    v, ux, uy, vx, vy = -ik * i, ik * d, d @ d, k**2 * i, -ik * d  # of psi
    g = eta_p / relaxation
    momentum = eta_s * lap @ lap - ik * rho * (np.diag(u(y)) @ lap - np.diag(d @ d @ u(y)))
    xx = 2 * (np.diag(txx) @ ux + np.diag(txy) @ uy) - np.diag(d @ txx) @ v + 2 * g * ux
    xy = np.diag(txy) @ (ux + vy) + np.diag(txx) @ vx - np.diag(d @ txy) @ v + g * (uy + vx)
    yy = 2 * np.diag(txy) @ vx + 2 * g * vy
    a = np.block([[momentum, ik * d, d @ d + k**2 * i, -ik * d], [xx, move, 2 * shear, o], [xy, o, move, shear], [yy, o, o, move]])
    b = scipy.linalg.block_diag(rho * lap, i, i, i).astype(complex)
    clamp(a, b, d)
    return modes(a, b)


def taylor_couette(inner, outer, rate, k, rho, eta_s, eta_p, relaxation, n):
    """Modes exp(i k z + lambda t) of an Oldroyd-B fluid between cylinders of which the inner one turns, in u, p, t of (r, theta, z):

      lambda t = m T + T m^T + m0 t + t m0^T - u T' - t/L + eta_p/L (l + l^T),  m = l - v/r (e_theta e_r - e_r e_theta),  m0 = r (V/r)' e_theta e_r"""
    x, d = points(n)
    r, d = (inner + outer) / 2 + (outer - inner) / 2 * x, d * 2 / (outer - inner)
    b = rate * inner**2 * outer**2 / (outer**2 - inner**2)
    rigid = -rate * inner**2 / (outer**2 - inner**2)  # V = rigid r + b/r
    shear, i, over = -2 * b / r**2, np.eye(n + 1), np.diag(1 / r)
    T = np.zeros((3, 3, n + 1))
    T[0, 1] = T[1, 0] = eta_p * shear
    T[1, 1] = 2 * eta_p * relaxation * shear**2
    m0 = np.zeros_like(T)
    m0[1, 0] = shear
    field = {pair: 4 + at for at, pair in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))}
    of = lambda p, q: field[min(p, q), max(p, q)]  # noqa: E731
    a, mass = np.zeros((10, n + 1, 10, n + 1), complex), np.zeros((10, n + 1, 10, n + 1), complex)
    along = 1j * k * i
    l = [[{0: d}, {1: -over}, {0: along}], [{1: d}, {0: over}, {1: along}], [{2: d}, {}, {2: along}]]
    m = [[{0: d}, {}, {0: along}], [{1: d - over}, {0: over}, {1: along}], [{2: d}, {}, {2: along}]]
    for (p, q), row in field.items():
        mass[row, :, row] = i
        a[row, :, row] -= i / relaxation
        a[row, :, 0] -= np.diag(d @ T[p, q])
        for s in range(3):
            for gradient, stress in ((m[p][s], T[s, q]), (m[q][s], T[p, s])):
                for f, part in gradient.items():
                    a[row, :, f] += np.diag(stress) @ part
            a[row, :, of(s, q)] += np.diag(m0[p, s])
            a[row, :, of(p, s)] += np.diag(m0[q, s])
        for gradient in (l[p][q], l[q][p]):
            for f, part in gradient.items():
                a[row, :, f] += eta_p / relaxation * part
    lap = d @ d + over @ d - k**2 * i
    for row, parts in enumerate(({0: eta_s * (lap - over @ over), 1: 2 * rho * np.diag(rigid + b / r**2), 3: -d, 4: d + over, 6: along, 7: -over},
                                 {0: -2 * rho * rigid * i, 1: eta_s * (lap - over @ over), 5: d + 2 * over, 8: along},
                                 {2: eta_s * lap, 3: -along, 6: d + over, 9: along}, {0: d + over, 2: along})):
        for f, part in parts.items():
            a[row, :, f] += part
    for f in range(3):
        mass[f, :, f] = rho * i
        for wall in (0, n):
            a[f, wall] = mass[f, wall] = 0
            a[f, wall, f, wall] = 1
    size = 10 * (n + 1)
    return modes(a.reshape(size, size), mass.reshape(size, size))


def modes(a, b):
    values = scipy.linalg.eig(a, b, right=False)
    values = values[np.isfinite(values) & (abs(values) < 1e6)]
    return values[np.argsort(-values.real)]


def converged(solve, n, tolerance=1e-6):
    """Modes that n and 3 n / 2 points agree on, those of the larger number: the discrete ones."""
    coarse, fine = solve(n), solve(3 * n // 2)
    return np.array([x for x in fine if abs(coarse - x).min() < tolerance * max(1, abs(x))])
