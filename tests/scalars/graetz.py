"""Graetz problem between plates: developed flow whose walls have another concentration than what comes in. Local Nusselt (Sherwood) numbers on the hydraulic
diameter against the series, whose eigenvalues are computed here by collocation; far downstream 7.5407 (Shah and London, Laminar Flow Forced Convection, 1978). graetz.py [steady|bdf2]; bdf2: triangles, with one point"""
import sys

import numpy as np
import run
from gate import Gate

PECLET, HEIGHT, MEAN, VISCOSITY = 400.0, 1.0, 1.5, 0.01  # on the hydraulic diameter 2 HEIGHT
D = MEAN * 2 * HEIGHT / PECLET
SCHEMES = {
    "lumped": ("-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", 0.01, "-stop_time", 60),
    "steady": ("-scheme", "steady", "-device", "cpu"),
    "bdf2": ("-mesh_box_cell", "triangle", "-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2", "-scheme_fractional_step_dt", 0.008, "-stop_time", 60),
}


def series(n=80):
    """Eigenvalues and coefficients of phi'' + lambda^2 (1 - y^2) phi = 0, phi'(0) = 0, phi(1) = 0, without diffusion along the flow: a function of
    x* = x/(2 HEIGHT PECLET) that gives the local number."""
    x, w = np.polynomial.legendre.leggauss(2 * n)
    basis = np.arange(1, 2 * n, 2) * np.pi / 2  # cos of these fulfil both conditions
    y, w = (x + 1) / 2, w / 2
    phi, slope = np.cos(np.outer(y, basis)), -basis * np.sin(np.outer(y, basis))
    stiff, mass = slope.T @ (w[:, None] * slope), phi.T @ ((w * (1 - y * y))[:, None] * phi)
    lower = np.linalg.cholesky(mass)
    inverse = np.linalg.inv(lower)
    squares, vectors = np.linalg.eigh(inverse @ stiff @ inverse.T)
    vectors = inverse.T @ vectors
    ones = phi.T @ (w * (1 - y * y))
    weight = vectors.T @ ones  # of the start 1, as the mass norms the vectors
    at_wall = (-basis * np.sin(basis)) @ vectors

    def number(star):
        decay = np.exp(-squares * star * 32 / 3)  # x D/(1.5 MEAN (HEIGHT/2)^2) = x* 32/3
        return -4 * np.sum(weight * decay * at_wall) / np.sum(weight * decay * weight / (2 / 3))

    return squares, number


def local(got, star):
    """From the concentration at a section: slope at the wall by a parabola through three nodes, mean by the flux."""
    x = star * 2 * HEIGHT * PECLET
    columns = np.unique(np.round(got.points[:, 0], 9))
    at = columns[np.argmin(np.abs(columns - x))]
    rows = np.nonzero(np.abs(got.points[:, 0] - at) < 1e-7)[0]
    rows = rows[np.argsort(got.points[rows, 1])]
    y, c = got.points[rows, 1], got["concentration"][rows]
    d1, d2 = y[-1] - y[-2], y[-1] - y[-3]
    slope = ((c[-1] - c[-2]) * d2 / d1 - (c[-1] - c[-3]) * d1 / d2) / (d2 - d1)
    u = 1 - (2 * y / HEIGHT) ** 2
    fine = np.linspace(0, HEIGHT / 2, 4001)
    bulk = np.trapezoid((1 - (2 * fine / HEIGHT) ** 2) * np.interp(fine, y, c), fine) / np.trapezoid(1 - (2 * fine / HEIGHT) ** 2, fine)
    return at / (2 * HEIGHT * PECLET), slope * 2 * HEIGHT / (1 - bulk)


def main(scheme="lumped"):
    gate = Gate("scalars_graetz" + ("" if scheme == "lumped" else f"_{scheme}"))
    squares, number = series()
    gate.near("first eigenvalue (1.681595)", float(np.sqrt(squares[0])), 1.6815953, 1e-6)
    gate.near("number far downstream by the series (7.5407)", number(0.2), 7.5407, 1e-4)
    velocity, length = f"{1.5 * MEAN}*(1-4*y^2),0", 28.0
    words = ["-case_name", "graetz", "-mesh_box_upper", f"{length},{HEIGHT / 2}", "-mesh_box_faces", "112,32", "-physics", "newtonian,passive", "-physics_newtonian_viscosity", VISCOSITY,
             "-physics_passive_diffusivity", D, "-stabiliser", "split_oss", "-form_convection", "false", "-initial_velocity", velocity,
             "-initial_pressure", f"{8 * 1.5 * MEAN * VISCOSITY}*({length}-x)", "-bc_left_type", "inlet", "-bc_left_velocity", velocity, "-bc_left_concentration", "value 0",
             "-bc_right_type", "outlet", "-bc_bottom_type", "symmetry", "-bc_top_type", "wall", "-bc_top_concentration", "value 1",
             *SCHEMES[scheme]]
    result = run.rheoplex("run", *words, out=run.folder("graetz"))
    got = result.fields()
    gate.at_most("velocity less the parabola", float(np.abs(got["velocity"][:, 0] - 1.5 * MEAN * (1 - 4 * got.points[:, 1] ** 2)).max()), 2e-3)
    for star in (0.005, 0.01, 0.03):
        at, value = local(got, star)
        gate.near(f"local number at x* = {at:.4g} over that of the series {number(at):.4f}", value / number(at), 1.0, 5e-3)
    gate.near("far downstream over 7.5407", local(got, 0.032)[1] / 7.5407, 1.0, 5e-3)
    return gate.finish()


sys.exit(main(*sys.argv[1:]))
