"""Manufactured steady axisymmetric flow with swirl from the axis to r = 1, rho 3, a solvent and two Oldroyd-B modes, by Newton's method: orders, in the norm
of the volume, of u, u_theta, the pressure and all six components of stress or log c of each mode; on two and three ranks the same errors. The unknowns are
polynomials that are regular at the axis. What they need for a force and sources is found here from tensor calculus in cylindrical coordinates,
log c by its eigenvectors, and given as polynomials that fit it to 2e-5. Linear elements promise 2 for u and u_theta; for the pressure
1, and 3/2 on regular meshes as these, which is asked for.
swirl_rest.py <cell> <variable> [sizes of the meshes]"""
import sys

import l2
import numpy as np
import run
from gate import Gate, largest
from numpy.polynomial import polynomial as poly

RHO, ETA_S, ETA_P, LAMBDA = 3.0, 0.4, (0.3, 0.5), (0.5, 0.2)
PAIRS = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]  # zz, rr, hoop, r-theta, z-theta, zr
ODD = (0, 0, 0, 0, 1, 1)  # in r
VTK = [0, 1, 2, 5, 3, 4]  # xx, yy, zz, xy, yz, xz
NAME = {"stress": "stress", "logconf": "log_conformation"}
TURN = np.array([[0, 0, 0], [0, 0, -1], [0, 1, 0]])  # d (e_z, e_r, e_theta)/d theta, of components
VELOCITY = "sin(x)*(1-y^2),-cos(x)*(y/2-y^3/4)"
SWIRL, PRESSURE = "1.3*(y+y^3/3)*cos(x+1)", "cos(x+2*y^2)"
SIDE = np.cos(np.pi * (np.arange(40) + 0.5) / 40) / 2 + 0.5
Z, R = (a.ravel() for a in np.meshgrid(SIDE, SIDE, indexing="ij"))


def flow(z, r):
    """u, du/dz, du/dr, each [points][3]."""
    s, c, f = np.sin(z), np.cos(z), 1.3 * (r + r**3 / 3)
    u = [s * (1 - r**2), -c * (r / 2 - r**3 / 4), f * np.cos(z + 1)]
    along = [c * (1 - r**2), s * (r / 2 - r**3 / 4), -f * np.sin(z + 1)]
    across = [-2 * s * r, -c * (0.5 - 0.75 * r**2), 1.3 * (1 + r**2) * np.cos(z + 1)]
    return (np.stack(v, axis=1) for v in (u, along, across))


def unknown(mode):
    """Coefficients [z][r] of the components, about 0.3, of log c or of the stress."""
    a = (1, -0.7)[mode]
    rows = ({(0, 0): 0.3, (1, 0): 0.2, (0, 2): -0.1}, {(0, 0): -0.2, (1, 0): 0.1 * a, (2, 0): 0.1}, {(0, 0): -0.2, (1, 0): 0.1 * a, (2, 0): 0.1, (0, 2): 0.2, (1, 2): 0.1},
            {(0, 2): 0.15 * a, (1, 2): -0.1}, {(0, 1): 0.25, (1, 1): -0.2 * a}, {(0, 1): -0.1, (1, 1): 0.2, (0, 3): 0.1 * a})
    out = np.zeros((6, 3, 4))
    for k, row in enumerate(rows):
        for at, value in row.items():
            out[k][at] = value
    return out


def full(components):
    """[6][points] as matrices [points][3][3]."""
    out = np.empty((components.shape[1], 3, 3))
    for k, (i, j) in enumerate(PAIRS):
        out[:, i, j] = out[:, j, i] = components[k]
    return out


def at(coefficients, z, r, dz=0, dr=0):
    return np.stack([poly.polyval2d(z, r, poly.polyder(poly.polyder(c, dz, axis=0), dr, axis=1)) for c in coefficients])


def fit(values, degree, odd):
    """Coefficients [z][r] of even or odd powers of r, and the largest miss."""
    powers = [(i, j) for i in range(degree + 1) for j in range(odd, degree + 1, 2) if i + j <= degree]
    matrix = np.stack([Z**i * R**j for i, j in powers], axis=1)
    found = np.linalg.lstsq(matrix, values, rcond=None)[0]
    out = np.zeros((degree + 1, degree + 1))
    for at_, value in zip(powers, found):
        out[at_] = value
    return out, largest(abs(matrix @ found - values))


def applied(matrix, function):
    value, vector = np.linalg.eigh(matrix)
    return np.einsum("pik,pk,pjk->pij", vector, function(value), vector)


def stretch(S, eps):
    """f(S) eps: eps_ij x coth x in the eigenbasis of S."""
    value, vector = np.linalg.eigh(S)
    x = (value[:, :, None] - value[:, None]) / 2
    factor = np.where(abs(x) < 1e-6, 1, x / np.tanh(np.where(x == 0, 1, x)))
    return vector @ (factor * (vector.transpose(0, 2, 1) @ eps @ vector)) @ vector.transpose(0, 2, 1)


def turned(S):
    return TURN @ S + S @ TURN.T


def sources(variable):
    """Polynomials of the body force over its components and of the source of each mode, and the largest miss of any of them."""
    u, along, across = flow(Z, R)
    L = np.stack([along, across, u @ TURN.T / R[:, None]], axis=2)
    carried = lambda dz, dr, x: u[:, 0, None, None] * full(dz) + u[:, 1, None, None] * full(dr) + (u[:, 2] / R)[:, None, None] * turned(x)
    stress, out, missed = 2 * ETA_S * (L + L.transpose(0, 2, 1)) / 2, [], []
    for mode, (eta, time) in enumerate(zip(ETA_P, LAMBDA)):
        c = unknown(mode)
        s, rate = full(at(c, Z, R)), carried(at(c, Z, R, 1), at(c, Z, R, 0, 1), full(at(c, Z, R)))
        if variable == "stress":
            source = rate - L @ s - s @ L.transpose(0, 2, 1) - eta / time * (L + L.transpose(0, 2, 1)) + s / time
        else:
            eps, om = (L + L.transpose(0, 2, 1)) / 2, (L - L.transpose(0, 2, 1)) / 2
            source = rate - (om @ s - s @ om) - 2 * stretch(s, eps) + (np.eye(3) - applied(-s, np.exp)) / time
        stress = stress + (s if variable == "stress" else eta / time * (applied(s, np.exp) - np.eye(3)))
        fits = [fit(source[:, i, j], 8, odd) for (i, j), odd in zip(PAIRS, ODD)]
        out.append([f[0] for f in fits])
        missed += [f[1] for f in fits]
    tau = [fit(stress[:, i, j], 15, odd)[0] for (i, j), odd in zip(PAIRS, ODD)]
    zz, rr, hoop, rt, zt, zr = range(6)
    t, tz, tr = at(tau, Z, R), at(tau, Z, R, 1), at(tau, Z, R, 0, 1)
    divergence = np.stack([tz[zz] + tr[zr] + t[zr] / R, tz[zr] + tr[rr] + (t[rr] - t[hoop]) / R, tz[zt] + tr[rt] + 2 * t[rt] / R], axis=1)
    convected = u[:, :1] * along + u[:, 1:2] * across + (u[:, 2] / R)[:, None] * (u @ TURN.T)
    pressure = -np.sin(Z + 2 * R**2)[:, None] * np.stack([1 + 0 * R, 4 * R, 0 * R], axis=1)
    fits = [fit((RHO * convected + pressure - divergence)[:, k], 14, odd) for k, odd in enumerate((0, 1, 1))]
    return [f[0] for f in fits], out, largest(missed + [f[1] for f in fits])


def formula(c, digits):
    """Coefficients [z][r] to `digits` decimals, by Horner's rule."""
    rows = []
    for j in range(c.shape[1]):
        text = ""
        for value in np.round(c[::-1, j], digits):
            number = f"{value:.{digits}f}".rstrip("0").rstrip(".").replace("-0.", "-.") if value else ""
            number = number[1:] if number.startswith("0.") else number
            text = number + f"+x*({text})" * bool(text) if number or not text else f"x*({text})"
        rows += [f"y^{j}*({text})" if j else text] if text else []
    return "+".join(rows).replace("+-", "-") or "0"


def case(cell, n, variable):
    force, source, _ = sources(variable)
    tensor = ";".join(",".join(formula(c, 12) for c in unknown(mode)) for mode in (0, 1))
    words = {"case_name": "rest", "form_axisymmetric": "true", "physics": "newtonian,oldroydb,swirling", "form_density": RHO, "physics_newtonian_viscosity": ETA_S, "physics_oldroydb_modes": 2,
             "physics_oldroydb_viscosity": ",".join(map(str, ETA_P)), "physics_oldroydb_lambda": ",".join(map(str, LAMBDA)), "polymer_variable": variable, "stabiliser": "devss,split_oss",
             "scheme": "steady", "snes_rtol": 1e-11, "mesh_box_faces": f"{n},{n}", "mesh_box_cell": cell, "form_source_velocity": ",".join(formula(f, 12) for f in force[:2]),
             "form_source_swirl": formula(force[2] / RHO, 12), "form_source_stress": ";".join(",".join(formula(c, 6) for c in mode) for mode in source),
             "initial_velocity": VELOCITY, "initial_swirl": SWIRL, "initial_pressure": PRESSURE, "initial_stress": tensor, "bc_bottom_type": "symmetry", "device": "cpu", "output_fields": "velocity,pressure," + ",".join(f"{NAME[variable]}_{mode}" for mode in (0, 1))}
    for label in ("left", "right", "top"):
        words |= {f"bc_{label}_type": "inlet", f"bc_{label}_velocity": VELOCITY, f"bc_{label}_swirl": f"value {SWIRL}", f"bc_{label}_polymer": "formula", f"bc_{label}_stress": tensor}
    return [w for key, value in words.items() if value is not None for w in (f"-{key}", value)]


def errors(cell, n, variable, np_=1):
    """L2 errors of velocity, u_theta, pressure less its level and the unknown of each mode."""
    got = run.rheoplex("run", *case(cell, n, variable), out=run.folder("axisymmetric"), np=np_).fields()
    pressure = lambda x: np.cos(x[:, :1] + 2 * x[:, 1:2] ** 2)
    level = np.mean((got["pressure"] - pressure(got.points)[:, 0])[got.unique()])
    velocity = lambda k: lambda x: next(flow(x[:, 0], x[:, 1]))[:, k]
    tensor = lambda mode: lambda x: at(unknown(mode), x[:, 0], x[:, 1])[VTK].T
    pairs = [(got["velocity"][:, :2], velocity([0, 1])), (got["velocity"][:, 2:], velocity([2])), ((got["pressure"] - level)[:, None], pressure)]
    return l2.error(got, pairs + [(got[f"{NAME[variable]}_{mode}"], tensor(mode)) for mode in (0, 1)], lambda x: x[:, 1])


def main(cell, variable, *sizes):
    gate, meshes = Gate("_".join(("axisymmetric_swirl_rest", cell, variable))), tuple(map(int, sizes)) or (6, 12, 24)
    gate.at_most("force and sources: largest miss of what fits them", sources(variable)[2], 3e-5)
    rows = [errors(cell, n, variable) for n in meshes]
    for k, (name, least) in enumerate((("velocity", 1.8), ("azimuthal velocity", 1.8), ("pressure", 1.5), ("unknown, mode 0", 1.8), ("unknown, mode 1", 1.8))):
        gate.order(name, meshes, [row[k] for row in rows], least)
    for np_ in (2, 3):
        gate.at_most(f"np {np_}: errors less those of one rank", largest(abs(a - b) for a, b in zip(errors(cell, meshes[0], variable, np_), rows[0])), 1e-10)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
