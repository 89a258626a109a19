"""The laws as their papers write them: polymeric ones in the stress, in space, in a homogeneous flow; viscous ones as
viscosity of the shear rate. Independent of the plugins: nothing here comes from the conformation tensor."""
import math

import numpy as np
from scipy.integrate import solve_ivp

I = np.eye(3)


def convected(L, tau, xi=0.0):
    """L tau + tau L^T of the Gordon-Schowalter derivative."""
    M = L - xi * (L + L.T) / 2
    return M @ tau + tau @ M.T


def shear_rate(L):
    D = (L + L.T) / 2
    return math.sqrt(2 * np.sum(D * D) + 1e-30)


class Maxwell:
    """tau + lambda tau_ = 2 eta D"""

    def __init__(self, viscosity=1.0, **par):
        self.eta, self.lam = viscosity, par.pop("lambda")
        self.__dict__.update(par)

    def rate(self, L, tau):
        return convected(L, tau) + (self.eta * (L + L.T) - tau) / self.lam


class PhanThienTanner(Maxwell):
    """Y(tr tau) tau + lambda tau_ = 2 eta D, Y = 1 + epsilon lambda/eta tr tau or exp of it"""

    def rate(self, L, tau):
        e = self.epsilon * self.lam / self.eta * np.trace(tau)
        Y = math.exp(e) if self.form == "exponential" else 1 + e
        return convected(L, tau, self.xi) + (self.eta * (L + L.T) - Y * tau) / self.lam


class JohnsonSegalman(Maxwell):
    def rate(self, L, tau):
        return convected(L, tau, self.xi) + (self.eta * (L + L.T) - tau) / self.lam


class Giesekus(Maxwell):
    """tau + lambda tau_ + alpha lambda/eta tau.tau = 2 eta D"""

    def rate(self, L, tau):
        return convected(L, tau) + (self.eta * (L + L.T) - tau) / self.lam - self.alpha / self.eta * tau @ tau


class WhiteMetzner(Maxwell):
    """tau + lambda(g) tau_ = 2 eta(g) D, lambda(g) = eta(g)/G"""

    def rate(self, L, tau):
        eta = carreau_yasuda(shear_rate(L), viscosity=self.eta, viscosity_inf=0.0, a=self.a, n=self.n, **{"lambda": self.time})
        lam = self.lam * eta / self.eta
        return convected(L, tau) + (eta * (L + L.T) - tau) / lam


class FeneP(Maxwell):
    """tau + (lambda/f) tau_ = 2 (a eta/f) D - D(1/f)/Dt (lambda tau + a eta I), f = (L2 + lambda/(a eta) tr tau)/(L2 - 3),
    a = 1/(1 - 3/L2): Oliveira, Acta Mech. 158 (2002) 157."""

    def rate(self, L, tau):
        a, lam, eta, L2 = 1 / (1 - 3 / self.L2), self.lam, self.eta, self.L2
        slope = lam / (a * eta) / (L2 - 3)  # d f/d tr tau
        f = L2 / (L2 - 3) + slope * np.trace(tau)
        known = f / lam * (2 * a * eta / f * (L + L.T) / 2 - tau) + convected(L, tau)
        vector = slope / (f * lam) * (lam * tau + a * eta * I)  # times the rate of tr tau
        return known + vector * np.trace(known) / (1 - np.trace(vector))


class FeneCR(Maxwell):
    """tau + lambda (tau/f)_ = 2 eta D, f = (L2 + lambda/eta tr tau)/(L2 - 3): Coates, Armstrong and Brown,
    J. Non-Newtonian Fluid Mech. 42 (1992) 141."""

    def rate(self, L, tau):
        lam, eta, L2 = self.lam, self.eta, self.L2
        slope = lam / eta / (L2 - 3)
        f = L2 / (L2 - 3) + slope * np.trace(tau)
        known = convected(L, tau) + f / lam * (eta * (L + L.T) - tau)
        vector = slope / f * tau
        return known + vector * np.trace(known) / (1 - np.trace(vector))


POLYMERIC = {"oldroydb": Maxwell, "ptt": PhanThienTanner, "giesekus": Giesekus, "fene_p": FeneP, "fene_cr": FeneCR,
             "white_metzner": WhiteMetzner, "johnson_segalman": JohnsonSegalman}


def carreau_yasuda(g, viscosity, viscosity_inf, a, n, **par):
    return viscosity_inf + (viscosity - viscosity_inf) * (1 + (par["lambda"] * g) ** a) ** ((n - 1) / a)


def cross(g, viscosity, viscosity_inf, m, **par):
    return viscosity_inf + (viscosity - viscosity_inf) / (1 + (par["lambda"] * g) ** m)


def power_law(g, consistency, n, viscosity_min, viscosity_max):
    return min(max(consistency * g ** (n - 1), viscosity_min), viscosity_max)


def casson(g, viscosity, yield_stress, m):
    return (math.sqrt(viscosity) - math.sqrt(yield_stress / g) * math.expm1(-math.sqrt(m * g))) ** 2


def herschel_bulkley(g, consistency, n, yield_stress, m, viscosity_max):
    return min(consistency * g ** (n - 1), viscosity_max) - yield_stress * math.expm1(-m * g) / g


VISCOUS = {"newtonian": lambda g, viscosity: viscosity, "power_law": power_law, "carreau_yasuda": carreau_yasuda,
           "cross": cross, "casson": casson, "herschel_bulkley": herschel_bulkley}


def gradient(flow, rate):
    """Velocity gradient of a flow of the rheometer; x is the direction of flow or of stretch, y that of the gradient or the
    free one."""
    L = np.zeros((3, 3))
    if flow == "shear":
        L[0, 1] = rate
    else:
        L[0, 0], L[1, 1], L[2, 2] = {"uniaxial": (1, -0.5, -0.5), "biaxial": (1, -2, 1), "planar": (1, -1, 0)}[flow]
        L *= rate
    return L


def integrate(law, L, times, tau=None, rtol=1e-12):
    """Stress at the times in a constant velocity gradient, from rest unless tau is given; [n][3][3]."""
    start = np.zeros(9) if tau is None else np.asarray(tau).reshape(9)
    scale = law.eta / law.lam
    result = solve_ivp(lambda t, y: law.rate(L, y.reshape(3, 3)).reshape(9), (0, times[-1]), start, "DOP853", times, rtol=rtol,
                       atol=rtol * scale)
    if not result.success:
        raise RuntimeError(result.message)
    return result.y.T.reshape(-1, 3, 3)

# Parameters that are not 1.
VISCOUS_SETS = {
    "newtonian": {"viscosity": 0.3},
    "power_law": {"consistency": 1.3, "n": 0.4, "viscosity_min": 0.2, "viscosity_max": 20.0},
    "carreau_yasuda": {"viscosity": 1.6, "viscosity_inf": 0.035, "lambda": 8.2, "a": 0.64, "n": 0.2128},
    "cross": {"viscosity": 1.6, "viscosity_inf": 0.035, "lambda": 8.2, "m": 1.028},
    "casson": {"viscosity": 0.4, "yield_stress": 1.1, "m": 60.0},
    "herschel_bulkley": {"consistency": 1.3, "n": 0.4, "yield_stress": 1.7, "m": 60.0, "viscosity_max": 9.0},
}
