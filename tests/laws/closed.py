"""Closed forms of the laws: steady shear, start-up, steady extension, small amplitude oscillations."""
import numpy as np
from papers import FeneCR, FeneP, I, WhiteMetzner, carreau_yasuda, shear_rate
from scipy.optimize import brentq


def at_rate(law, L):
    """Viscosity and relaxation time of a law that is Maxwell's at a constant gradient."""
    if isinstance(law, WhiteMetzner):
        s = carreau_yasuda(shear_rate(L), viscosity=1.0, viscosity_inf=0.0, a=law.a, n=law.n, **{"lambda": law.time})
        return law.eta * s, law.lam * s
    return law.eta, law.lam


def maxwell(law, L, t):
    """Stress at time t in a constant gradient, shear along x or extension along the axes."""
    eta, lam = at_rate(law, L)
    tau = np.zeros((3, 3))
    if L[0, 1]:
        g, decay = L[0, 1], np.exp(-t / lam)
        tau[0, 1] = tau[1, 0] = eta * g * (1 - decay)
        tau[0, 0] = 2 * eta * lam * g * g * (1 - (1 + t / lam) * decay) if np.isfinite(t) else 2 * eta * lam * g * g
        return tau
    for i in range(3):
        k = 1 - 2 * lam * L[i, i]
        tau[i, i] = 2 * eta * L[i, i] / k * -np.expm1(-k * t / lam)
    return tau


def shear_tensor(shear, n1, n2):
    tau = np.diag([n1 + n2, n2, 0.0])
    tau[0, 1] = tau[1, 0] = shear
    return tau


def johnson_segalman(law, g, t=np.inf):
    """Damped oscillation of frequency sqrt(xi (2 - xi)) g."""
    omega = np.sqrt(law.xi * (2 - law.xi)) * g
    w, decay = omega * law.lam, np.exp(-t / law.lam)
    c, s = (np.cos(omega * t), np.sin(omega * t)) if decay else (0.0, 0.0)
    shear = law.eta * g / (1 + w * w) * (1 - decay * (c - w * s))
    n1 = 2 * law.eta * law.lam * g * g / (1 + w * w) * (1 - decay * (c + (s / w if w else t / law.lam)))
    return shear_tensor(shear, n1, -law.xi / 2 * n1)


def giesekus(law, g):
    a, w = law.alpha, law.lam * g
    chi = np.sqrt((np.sqrt(1 + 16 * a * (1 - a) * w * w) - 1) / (8 * a * (1 - a) * w * w))
    f = (1 - chi) / (1 + (1 - 2 * a) * chi)
    eta = law.eta * (1 - f) ** 2 / (1 + (1 - 2 * a) * f)
    return shear_tensor(eta * g, 2 * law.eta / law.lam * f * (1 - a * f) / (a * (1 - f)), -law.eta / law.lam * f)


def phan_thien_tanner(law, g):
    """Without slip: Y^2 (Y - 1) = 2 epsilon (lambda g)^2, or Y^2 log Y."""
    right = 2 * law.epsilon * (law.lam * g) ** 2
    left = np.log if law.form == "exponential" else lambda Y: Y - 1
    Y = brentq(lambda Y: Y * Y * left(Y) - right, 1.0, 2.0 + right, xtol=1e-15, rtol=1e-15)
    return shear_tensor(law.eta * g / Y, 2 * law.eta * law.lam * g * g / Y**2, 0.0)


def fene_p(law, g):
    """s^3 - s^2 = 2 w^2/L2, w = lambda (1 - 3/L2) g; viscosity eta/s."""
    lam = law.lam * (1 - 3 / law.L2)
    right = 2 * (lam * g) ** 2 / law.L2
    s = brentq(lambda s: s**3 - s**2 - right, 1.0, 2.0 + right, xtol=1e-15, rtol=1e-15)
    return shear_tensor(law.eta * g / s, 2 * law.eta * lam * (g / s) ** 2, 0.0)


def fene_cr(law, g):
    L2, w = law.L2, law.lam * g
    f = (L2 + np.sqrt(L2**2 + 8 * w * w * (L2 - 3))) / (2 * (L2 - 3))
    return shear_tensor(law.eta * g, 2 * law.eta * law.lam * g * g / f, 0.0)


def linear_time(law):
    """Relaxation time of small motions."""
    return law.lam * (1 - 3 / law.L2) if isinstance(law, (FeneP, FeneCR)) else law.lam


def moduli(law, w):
    lam = linear_time(law)
    return law.eta / lam * (lam * w) ** 2 / (1 + (lam * w) ** 2), law.eta * w / (1 + (lam * w) ** 2)


def sudden(law, F):
    """Stress after the strain F, faster than any relaxation."""
    e = F @ F.T - I
    if isinstance(law, FeneP):
        f, a = law.L2 / (law.L2 - 3 - np.trace(e)), law.L2 / (law.L2 - 3)
        return law.eta / law.lam * (f * (e + I) - a * I)
    if isinstance(law, FeneCR):
        return law.eta / law.lam * law.L2 / (law.L2 - 3 - np.trace(e)) * e
    return law.eta / (law.lam * (1 - getattr(law, "xi", 0.0))) * e
