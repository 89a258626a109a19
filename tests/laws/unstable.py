"""A law with two steady states in shear, y^2 (1 - y) = 2 (lambda g)^2/stretch with c = I + (2 W^2/y^2, 0, W/y), W = lambda g: the rheometer comes to the
one that flow does not leave, and a steady flow that is in the other is told, with its growth rate. Argument: the plugin."""
import re
import sys

import numpy as np
import run
from gate import Gate

ETA, LAM, RATE, LEFT = 0.7, 1.3, 2.0, 0.3  # LEFT: y of the one that flow leaves
W = LAM * RATE
STRETCH = 2 * W**2 / (LEFT**2 * (1 - LEFT))
LAW = ("-plugin", sys.argv[1], "-physics_softening_viscosity", ETA, "-physics_softening_lambda", LAM, "-physics_softening_stretch", repr(STRETCH))


def balance(c):
    """dc/dt of (xx, yy, xy)."""
    rate = (1 - (c[0] + c[1] - 2) / STRETCH) * (c - [1, 1, 0]) / LAM
    return np.array([2 * RATE * c[2], 0, RATE * c[1]]) - rate


def state(y):
    return np.array([1 + 2 * (W / y) ** 2, 1, W / y])


def growth(c):
    columns = [(balance(c + 1e-6 * e) - balance(c - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    return np.linalg.eigvals(np.array(columns).T).real.max()


def main():
    gate = Gate("laws_unstable")
    out = run.folder("unstable")
    stays = max(np.roots([-1, 1, 0, -(LEFT**2) * (1 - LEFT)]).real)
    for y in stays, LEFT:
        gate.at_most(f"y {y:.4g} is steady", abs(balance(state(y))).max(), 1e-12)
    gate.true(f"growth rates: {growth(state(stays)):.3g}, {growth(state(LEFT)):.3g}", growth(state(stays)) < 0 < growth(state(LEFT)))
    run.rheoplex("rheometer", "softening", *LAW, "-rheometer_rate", RATE, "-rheometer_output", f"{out}/table.csv", out=out)
    gate.relative("rheometer: shear stress", float(run.table(f"{out}/table.csv")["shear_stress"][0]), ETA / LAM * W / stays, 1e-8)
    for ranks in 1, 2:
        for what, y in ("leaves", LEFT), ("stays in", stays):
            c = state(y)
            result = run.rheoplex("run", "-case_name", "shear", "-mesh_box_faces", "3,4", "-mesh_box_periodic", "x", "-physics", "newtonian,softening", "-physics_newtonian_viscosity", 0.1, *LAW, "-form_density", 3,
                                  "-polymer_variable", "conformation", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", f"{RATE},0", "-initial_velocity", f"{RATE}*y,0",
                                  "-initial_conformation", ",".join(repr(float(v)) for v in c), "-scheme", "steady", "-device", "cpu", out=out, np=ranks)
            told = re.findall(r"flow in time leaves: got (\d+) of 15 \(nodes and modes\), growing by up to (\S+) 1/s at", result.stderr)
            if y == stays:
                gate.true(f"{ranks} ranks, what flow {what}: nothing told", not told)
            else:
                gate.true(f"{ranks} ranks, what flow {what}: told of all nodes, {told}", len(told) == 1 and told[0][0] == "15")
                gate.relative("growth rate", float(told[0][1]) if told else 0.0, growth(c), 5e-3)
    return gate.finish()


sys.exit(main())
