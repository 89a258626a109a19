"""Published benchmarks as a user runs them. benchmarks.py cylinder|step|couette: options/cylinder_re40.yaml, step_re800.yaml,
taylor_couette_oldroydb.yaml against the figures that their heads quote."""
import math
import re
import sys

import numpy as np
import run
from gate import Gate

NUMBER = r"([-+.e0-9]+[0-9])"


def case(name, mesh):
    return run.rheoplex("run", f"{run.OPTIONS}/{name}.yaml", "-mesh_file", f"{run.MESHES}/{mesh}.msh", "-device", "cpu", out=run.folder(name))


def cylinder(gate):
    result = case("cylinder_re40", "cylinder_free")
    gate.near("Re 40: c_D", float(re.search(rf"c_D = {NUMBER}", result.stdout)[1]), 1.54, 0.04)
    wake = result.table("_wake_000001.csv")
    back = np.flatnonzero((wake["velocity_x"][:-1] < 0) & (wake["velocity_x"][1:] >= 0))[-1]
    u, x = wake["velocity_x"][back:back + 2], wake["x"][back:back + 2]
    gate.near("Re 40: length of the wake, diameters", x[0] - u[0] * (x[1] - x[0]) / (u[1] - u[0]) - 0.5, 2.225, 0.125)


def step(gate):
    told = case("step_re800", "step").stdout
    below = re.search(rf"walls bottom: .*reattachment at x/D = {NUMBER}", told)
    above = re.search(rf"walls top: .*separation at x/D = {NUMBER}, reattachment at x/D = {NUMBER}", told)
    for what, got, published in (("reattachment below", below[1], 6.10), ("separation above", above[1], 4.85), ("reattachment above", above[2], 10.48)):
        gate.relative(f"Re 800: {what}", float(got), published, 0.03)


def couette(gate):
    result = case("taylor_couette_oldroydb", "annulus")
    torque = 4 * math.pi * 0.4 * 0.9 * 0.25 / 0.75
    table = result.table("_torque.csv")
    gate.relative("torque inside", -table["inner_torque"][-1], torque, 0.003)
    gate.relative("torque outside", table["outer_torque"][-1], torque, 0.003)
    x, state = result.checkpoint("positions"), result.checkpoint()
    r = np.hypot(x[:, 0], x[:, 1])
    around = (x[:, 0] * state[:, 1] - x[:, 1] * state[:, 0]) / r
    gate.at_most("velocity", float(np.abs(around - 0.9 * 0.25 / 0.75 * (1 / r - r)).max() / 0.45), 0.003)
    trace = state[:, 3] + state[:, 4]  # 2 eta lambda (r d(u/r)/dr)^2
    exact = 2 * 0.3 * 0.5 * (0.6 / r**2) ** 2
    middle = (r > 0.6) & (r < 0.9)
    gate.at_most("first normal stress difference inside", float(np.abs(trace / exact - 1)[middle].max()), 0.03)


def main(check):
    gate = Gate(f"benchmarks_{check}")
    {"cylinder": cylinder, "step": step, "couette": couette}[check](gate)
    return gate.finish()


sys.exit(main(sys.argv[1]))
