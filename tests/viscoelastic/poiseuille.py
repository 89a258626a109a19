"""Steady plane Poiseuille flow, half-height 1, eta_0 = 1, beta = 1/9, lambda = 1, from rest by a body force K, against a
one-dimensional solution written here from the papers' equations: poiseuille.py ptt_linear|ptt_exponential|giesekus|fene_p;
four_mode is options/channel_ptt_four_mode.yaml (SI, no solvent).

The balance K y = eta_s g + tau_xy(g) gives the shear rate g(y); its integral the velocity. Mean velocity (at the K of unit
mean), centre velocity and wall stresses within 0.5 %. The nodal stress at a wall is of first order: it is extrapolated
from two meshes. ptt_linear is compared with published numbers too (Cruz, Pinho & Oliveira 2005)."""
import math
import sys

import numpy as np
import run
from gate import Gate
from scipy.integrate import quad
from scipy.optimize import brentq

ETA_S, ETA_P, LAMBDA = 1 / 9, 8 / 9, 1.0
EPSILON, ALPHA, L2 = 0.25, 0.2, 20.0
RHO = 4.0  # the pseudo time of creeping flow


def ptt(y, eta=ETA_P, relaxation=LAMBDA, epsilon=EPSILON):
    """tau_yy = 0, tau_xx = 2 lambda tau_xy^2/eta_p, Y tau_xy = eta_p g with Y of the trace; here by shear rate."""
    def function(g):
        stretch = lambda t: epsilon * 2 * (relaxation * t / eta) ** 2
        t = brentq(lambda t: y(stretch(t)) * t - eta * g, 0, eta * g + 1e-300, xtol=1e-14)
        return t, 2 * relaxation * t * t / eta
    return function


def giesekus(g):
    """Giesekus (1982): shear stress and tau_xx from the positive root f."""
    if g < 1e-9:
        return ETA_P * g, 0.0
    b = 8 * ALPHA * (1 - ALPHA) * (LAMBDA * g) ** 2
    root = math.sqrt(2 / (1 + math.sqrt(1 + 2 * b)))
    f = (1 - root) / (1 + (1 - 2 * ALPHA) * root)
    n1 = 2 * ETA_P / LAMBDA * f * (1 - ALPHA * f) / (ALPHA * (1 - f))
    return ETA_P * g * (1 - f) ** 2 / (1 + (1 - 2 * ALPHA) * f), n1 - ETA_P / LAMBDA * f


def fene_p(g):
    """Bird, Dotson & Johnson (1980): f = L2/(L2 - tr c), tr c = 3 a/f + 2 a (lambda g)^2/f^3 in steady shear."""
    a = L2 / (L2 - 3)
    trace = lambda f: 3 * a / f + 2 * a * (LAMBDA * g) ** 2 / f**3
    f = brentq(lambda f: f * (L2 - trace(f)) - L2, a * (1 - 1e-12), a + LAMBDA * g + 1, xtol=1e-14)
    return ETA_P * g * a / f, 2 * ETA_P * LAMBDA * g * g * a / f**2


LAWS = {
    "ptt_linear": (ptt(lambda e: 1 + e), ["ptt", "epsilon", EPSILON]),
    "ptt_exponential": (ptt(math.exp), ["ptt", "epsilon", EPSILON]),
    "giesekus": (giesekus, ["giesekus", "alpha", ALPHA]),
    "fene_p": (fene_p, ["fene_p", "L2", L2]),
}


def shear_rate(law, stress, solvent, largest):
    return brentq(lambda g: solvent * g + law(g)[0] - stress, 0, largest, xtol=1e-14 * largest)


def exact(law, mean, half, solvent, largest, bracket):
    """The K of this mean velocity in a channel of this half-height; mean and centre velocity are integrals of g by parts."""
    rate = lambda k, y: shear_rate(law, k * half * y, solvent, largest)
    integral = lambda k, weight: quad(lambda y: half * weight(y) * rate(k, y), 0, 1, epsabs=1e-10, epsrel=1e-10)[0]
    k = brentq(lambda k: integral(k, lambda y: y) - mean, *bracket, rtol=1e-10)
    wall = rate(k, 1)
    return k, integral(k, lambda y: 1.0), wall, *law(wall)


def measure(result, half):
    """Mean and centre velocity, tau_xy and tau_xx of the polymer on the wall y = -half."""
    fields = result.fields()
    keep = fields.unique()
    y, u, stress = fields.points[keep, 1], fields["velocity"][keep, 0], fields["stress"][keep]
    column, wall, centre = abs(fields.points[keep, 0]) < 1e-9 * half, abs(y + half) < 1e-9 * half, abs(y) < 1e-9 * half
    return np.array([run.trapezoid(y[column], u[column]) / half, u[centre].mean(), abs(stress[wall, 3]).mean(), stress[wall, 0].mean()]), result


def solve(name, n, force):
    law, parameter, value = LAWS[name][1]
    h = 1 / n
    return measure(run.rheoplex(
        "run", "-case_name", name, "-mesh_box_lower", "0,-1", "-mesh_box_upper", f"{3 * h},0", "-mesh_box_faces", f"3,{n}",
        "-mesh_box_periodic", "x", "-bc_bottom_type", "wall", "-bc_top_type", "symmetry", "-form_density", RHO, "-form_convection", "0",
        "-form_body_force", f"{force},0", "-physics", f"newtonian,{law}", "-physics_newtonian_viscosity", ETA_S,
        f"-physics_{law}_viscosity", ETA_P, f"-physics_{law}_lambda", LAMBDA, f"-physics_{law}_{parameter}", value,
        "-polymer_variable", "conformation" if law == "fene_p" else "stress", "-stabiliser", "devss,split_oss",
        "-scheme_lumped_cfl", 0.9, "-scheme_lumped_dt", 0.02, "-stop_steady_tol", "1e-7", "-stop_time", "400", "-diagnostic_history_every", "500",
        *(["-physics_ptt_form", name[4:]] if law == "ptt" else []), out=run.folder("poiseuille")), 1)


def compare(gate, reference, mean, coarse, fine):
    """Figures of two meshes, the second twice as fine, against the one-dimensional solution."""
    _, centre, _, shear, normal = reference
    gate.relative("mean velocity at this K (its error bounds that of K)", fine[0], mean, 0.005)
    gate.relative("centre velocity", fine[1], centre, 0.005)
    for what, j, wanted in (("tau_xy", 2, shear), ("tau_xx", 3, normal)):
        gate.relative(f"wall {what}, extrapolated", 2 * fine[j] - coarse[j], wanted, 0.005)
        gate.note(f"wall {what}, nodal, 32 cells", fine[j])


def one_mode(gate, name):
    reference = exact(LAWS[name][0], 1.0, 1.0, ETA_S, 3 / ETA_S, (0.2, 3.0))
    gate.note("K of unit mean velocity, eta_0 U/H^2", reference[0])
    gate.note("wall shear rate, U/H", reference[2])
    if name == "ptt_linear":
        for what, got, published in zip(("K", "centre velocity", "wall shear rate", "wall tau_xy", "wall tau_xx"), reference,
                                        (1.8150929, 1.4104418, 3.6058345, 1.4144446, 4.5014707)):
            gate.relative(f"one-dimensional solution against the published {what}", got, published, 1e-6)
    (coarse, first), (fine, second) = solve(name, 16, reference[0]), solve(name, 32, reference[0])
    compare(gate, reference, 1.0, coarse, fine)
    gate.note("time at rest, H/U", second.table("_history.csv")["t"][-1])
    gate.note("run time, s", first.seconds + second.seconds)


def four_mode(gate):
    """Table of Baaijens et al. (1995): half-height 4 mm, mean velocity 0.1074 m/s."""
    modes = [ptt(lambda e: 1 + e, eta, relaxation, 0.39) for eta, relaxation in ((0.443, 0.0043), (0.440, 0.037), (0.0929, 0.203), (0.0017, 3.0))]
    total = lambda g: tuple(map(sum, zip(*(mode(g) for mode in modes))))
    reference = exact(total, 0.1074, 0.004, 0.0, 1e4, (100.0, 1e5))
    gate.note("K of this mean velocity, Pa/m", reference[0])
    gate.note("wall shear rate, 1/s", reference[2])
    (coarse, first), (fine, second) = (measure(run.rheoplex(
        "run", f"{run.OPTIONS}/channel_ptt_four_mode.yaml", "-mesh_box_faces", f"3,{n}", "-mesh_box_upper", f"{0.012 / n},0",
        "-diagnostic_history_every", "500", "-scheme_lumped_dt", 0.001 * (16 / n)**2, out=run.folder("poiseuille")), 0.004) for n in (16, 32))
    compare(gate, reference, 0.1074, coarse, fine)
    gate.note("time at rest, s", second.table("_history.csv")["t"][-1])
    gate.note("run time, s", first.seconds + second.seconds)


def main(name):
    gate = Gate(f"viscoelastic_poiseuille_{name}")
    if name == "four_mode":
        four_mode(gate)
    else:
        one_mode(gate, name)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
