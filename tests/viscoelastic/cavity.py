"""The viscoelastic cavity (creeping, Oldroyd-B, beta 0.5, regularised lid) at We 0.1 and 0.5 from rest to rest: kinetic energy,
vortex centre and largest components of log c are printed; the vortex leans upstream the more the larger We is."""
import sys

import numpy as np
import run
from gate import Gate, largest


def extremum(x, f, k):
    """Place and value of the extremum of the parabola through f[k-1], f[k], f[k+1], equal steps of x."""
    a, b = (f[k + 1] - 2 * f[k] + f[k - 1]) / 2, (f[k + 1] - f[k - 1]) / 2
    return x[k] - b / (2 * a) * (x[1] - x[0]), f[k] - b * b / (4 * a)


def flow(gate, name):
    """Kinetic energy and vortex centre."""
    result = run.rheoplex("run", f"{run.OPTIONS}/cavity_oldroydb_{name}.yaml", out=run.folder("cavity"))
    history, fields = result.table("_history.csv"), result.fields()
    keep = fields.unique()
    order = keep[np.lexsort((fields.points[keep, 1], fields.points[keep, 0]))]
    n = round(len(order) ** 0.5)
    x = fields.points[order, 1].reshape(n, n)[0]
    u, v = (fields["velocity"][order, k].reshape(n, n) for k in (0, 1))
    weight = np.full(n, 1 / (n - 1))
    weight[[0, -1]] /= 2
    energy = float(0.5 * weight @ (u**2 + v**2) @ weight)
    psi = np.concatenate([np.zeros((n, 1)), np.cumsum((u[:, 1:] + u[:, :-1]) / 2 * np.diff(x), axis=1)], axis=1)
    i, j = np.unravel_index(np.argmin(psi), psi.shape)
    centre = extremum(x, psi[:, j], i)[0], extremum(x, psi[i], j)[0]
    gate.at_most(f"{name}: steady residual", largest(history["du_dt"][-1], history["dc_dt"][-1]), 1e-4)
    gate.note(f"{name}: kinetic energy, rho U^2 L^2", energy)
    gate.note(f"{name}: x of the vortex centre, L", centre[0])
    gate.note(f"{name}: y of the vortex centre, L", centre[1])
    gate.note(f"{name}: stream function there, U L", float(psi[i, j]))
    for k, component in enumerate(("xx", "yy", "xy")):
        gate.note(f"{name}: largest (log c)_{component}", float(result.checkpoint()[:, 3 + k].max()))
    gate.note(f"{name}: time at rest, L/U", history["t"][-1])
    gate.note(f"{name}: run time, s", result.seconds)
    return energy, centre


def main():
    gate = Gate("viscoelastic_cavity")
    (first, (x1, y1)), (second, (x5, y5)) = flow(gate, "we01"), flow(gate, "we05")
    gate.at_least("fall of the kinetic energy from We 0.1 to 0.5", first - second, 1e-4)
    gate.at_least("shift of the vortex centre upstream, L", x1 - x5, 0.005)
    gate.at_least("rise of the vortex centre, L", y5 - y1, 0.0)
    return gate.finish()


sys.exit(main())
