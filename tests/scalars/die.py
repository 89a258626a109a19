"""Shipped cases with a temperature. die.py melt | cavity
  melt    options/die_heated.yaml against a march along the die of its own: at each section the momentum of the layer, the shear stress linear across, and
          the energy convected along, conducted across
  cavity  options/cavity_heated.yaml against de Vahl Davis (1983), Ra 1e5"""
import sys

import numpy as np
import run
from gate import Gate
from scipy.linalg import solve_banded
from scipy.optimize import brentq

ETA, LAMBDA, N, K, CP, RHO, T0, E, R = 20000.0, 1.0, 0.4, 0.25, 2300.0, 900.0, 473.0, 60e3, 8.314462618
HEIGHT, LENGTH, MEAN = 1e-3, 0.04, 0.3  # of the half


def rates(stress, a):
    """Shear rates at which the fluid that is shifted by a has these stresses, by bisection."""
    low, high = np.zeros_like(stress), np.full_like(stress, 1e6)
    for _ in range(60):
        rate = (low + high) / 2
        small = a * ETA * (1 + (LAMBDA * a * rate)**2)**((N - 1) / 2) * rate < stress
        low, high = np.where(small, rate, low), np.where(small, high, rate)
    return (low + high) / 2


def march(cells=150, steps=800):
    """Pressure drop, mean temperature over the flow at the end, the highest one."""
    d, dx, D = HEIGHT / cells, LENGTH / steps, K / (RHO * CP)
    y, T, drop = (np.arange(cells) + 0.5) * d, np.full(cells, T0), 0.0

    def flow(slope, a):
        rate = rates(slope * y, a)
        return rate, np.cumsum(rate[::-1])[::-1] * d - rate * d / 2

    for _ in range(steps):
        a = np.exp(E / R * (1 / T - 1 / T0))
        slope = brentq(lambda s: flow(s, a)[1].sum() * d - MEAN * HEIGHT, 1e6, 1e10, rtol=1e-9)
        rate, u = flow(slope, a)
        drop += slope * dx
        band, c = np.zeros((3, cells)), D / d**2
        band[0, 1:] = band[2, :-1] = -c
        band[1] = u / dx + 2 * c
        band[1, 0] -= c
        band[1, -1] += c
        right = u * T / dx + slope * y * rate / (RHO * CP)
        right[-1] += 2 * c * T0
        T = solve_banded((1, 1), band, right)
    return drop, float((u * T).sum() / u.sum()), float(T.max())


def melt(gate):
    drop, mean, hottest = march()
    got = run.rheoplex("run", f"{run.OPTIONS}/die_heated.yaml", "-mesh_box_faces", "60,24", "-device", "cpu", out=run.folder("die"))
    carried, wall = got.table("_carried.csv"), got.table("_heat.csv")
    gate.relative("pressure drop", got.table("_drop.csv")["pressure_difference"][-1], drop, 5e-3)
    gate.relative("rise of the mean temperature", carried["right_temperature_mean"][-1] - T0, mean - T0, 2e-2)
    gate.relative("highest rise", float(got.fields()["temperature"].max()) - T0, hottest - T0, 1e-2)
    work = got.table("_drop.csv")["pressure_difference"][-1] * MEAN * HEIGHT
    out = RHO * CP * (carried["right_temperature_flux"][-1] + carried["left_temperature_flux"][-1] + wall["top_temperature_diffusion"][-1] + wall["left_temperature_diffusion"][-1])
    gate.relative("heat that leaves, of the work of the pressure", out / work, 1, 1e-4)


def cavity(gate):
    got = run.rheoplex("run", f"{run.OPTIONS}/cavity_heated.yaml", "-device", "cpu", out=run.folder("cavity"))
    f, heat = got.fields(), got.table("_heat.csv")
    gate.relative("Nusselt number", -heat["left_temperature_diffusion"][-1], 4.519, 5e-3)
    gate.relative("largest velocity along x on x = 1/2", float(f["velocity"][np.abs(f.points[:, 0] - 0.5) < 1e-9, 0].max()), 34.73, 1e-2)
    gate.relative("along y on y = 1/2", float(f["velocity"][np.abs(f.points[:, 1] - 0.5) < 1e-9, 1].max()), 68.59, 1e-2)


def main(what):
    gate = Gate(f"case_heated_{what}")
    {"melt": melt, "cavity": cavity}[what](gate)
    return gate.finish()


sys.exit(main(*sys.argv[1:]))
