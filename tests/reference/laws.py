"""Constitutive laws from their papers, on arrays of tensors c[...][m][m], m = 2 in the plane and 3 where zz counts.

A polymeric law gives (viscosity, relaxation time, modulus), upper-convected c = -rate, stress, and the slip xi."""
import numpy as np


def _unit(c):
    return np.eye(c.shape[-1])


def _trace(c):
    return np.trace(c, axis1=-2, axis2=-1)[..., None, None]


class Polymer:
    def __init__(self, name, **p):
        self.name, self.p, self.xi = name, p, p.get("xi", 0.0)

    def thinning(self, rate):
        p = self.p
        return (1 + (p["time"] * rate) ** p["a"]) ** ((p["n"] - 1) / p["a"]) if self.name == "white_metzner" else 1 + 0 * rate

    def spring(self, c):
        return self.p["L2"] / (self.p["L2"] - _trace(c)) if self.name.startswith("fene") else 1 + 0 * _trace(c)

    def properties(self, c, rate):
        p, s, f = self.p, self.thinning(rate), self.spring(c)[..., 0, 0]
        modulus = p["viscosity"] / p["lambda"] / (1 - self.xi) * f
        return p["viscosity"] * s, p["lambda"] * s / f, modulus

    def rate(self, c, rate):
        p, e, f = self.p, c - _unit(c), self.spring(c)
        if self.name == "ptt":
            stretch = p["epsilon"] / (1 - self.xi) * _trace(e)
            e = e * (np.exp(stretch) if p.get("form") == "exponential" else 1 + stretch)
        elif self.name == "giesekus":
            e = e + p["alpha"] * e @ e
        elif self.name == "fene_cr":
            e = f * e
        elif self.name == "fene_p":
            e = f * c - p["L2"] / (p["L2"] - 3) * _unit(c)
        return e / (p["lambda"] * self.thinning(rate))[..., None, None]

    def stress(self, c, rate):
        p, f = self.p, self.spring(c)
        e = f * c - p["L2"] / (p["L2"] - 3) * _unit(c) if self.name == "fene_p" else f * (c - _unit(c))
        return p["viscosity"] / p["lambda"] / (1 - self.xi) * e


def viscosity(name, p, rate):
    if name == "newtonian":
        return p["viscosity"] + 0 * rate
    if name == "carreau_yasuda":
        return p["viscosity_inf"] + (p["viscosity"] - p["viscosity_inf"]) * (1 + (p["lambda"] * rate) ** p["a"]) ** ((p["n"] - 1) / p["a"])
    if name == "cross":
        return p["viscosity_inf"] + (p["viscosity"] - p["viscosity_inf"]) / (1 + (p["lambda"] * rate) ** p["m"])
    if name == "power_law":
        return np.clip(p["consistency"] * rate ** (p["n"] - 1), p["viscosity_min"], p["viscosity_max"])
    if name == "casson":
        return (np.sqrt(p["viscosity"]) + np.sqrt(p["yield_stress"] / rate) * -np.expm1(-np.sqrt(p["m"] * rate))) ** 2
    if name == "herschel_bulkley":
        return np.minimum(p["consistency"] * rate ** (p["n"] - 1), p["viscosity_max"]) - p["yield_stress"] * np.expm1(-p["m"] * rate) / rate
    raise ValueError(name)
