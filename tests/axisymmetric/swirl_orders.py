"""Manufactured axisymmetric flow with swirl of an Oldroyd-B fluid with solvent from the axis to r = 1: orders of the errors at t = 0.1 with
dt ~ h^2, in the norm of the volume, of u, u_theta and all six components of c. The fields are regular at the axis; the forcing is derived here
by sympy from tensor calculus in cylindrical coordinates: a gradient of components and the turning of the base with theta. The axis is a
label of symmetry, the rest of the boundary has the exact values. swirl_orders.py <cell> <variable> [monolithic, with dt ~ h]"""
import sys

import l2
import numpy as np
import run
import sympy as sp
from gate import Gate

RHO, ETA_S, ETA_P, LAMBDA, T_END = 3.0, 0.4, 0.3, 0.5, 0.1
Z, R, T = sp.symbols("x y t")
G = sp.exp(2 * T)
U = sp.Matrix([G * sp.sin(Z) * (1 - R**2), -G * sp.cos(Z) * (R / 2 - R**3 / 4), G * R * (1 + R**2 / 3) * sp.cos(Z + 1) * 1.3])
P = G * sp.cos(Z + 2 * R**2)
RR = 1 + G * sp.cos(Z) / 4
C = sp.Matrix([[1 + G * sp.sin(Z + R**2) / 4, G * R * sp.sin(Z - R**2) / 5, G * R * sp.cos(2 * Z + R**2) / 6],
               [0, RR, G * R**2 * sp.cos(Z) / 7], [0, 0, RR + G * R**2 * sp.sin(2 * Z) / 5]])
C = sp.Matrix(3, 3, lambda i, j: C[min(i, j), max(i, j)])
W = sp.Matrix([[0, 0, 0], [0, 0, -1], [0, 1, 0]])  # d (e_z, e_r, e_theta)/d theta, of components
PAIRS = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]  # xx,yy,zz,yz,xz,xy


def over_r(f):
    """f/r, of which sympy is to see that it is regular."""
    return sp.expand(sp.expand(f) / R)


def gradient(f, turned):
    """df/dz, df/dr and (1/r) df/dtheta, `turned` of which the components are those of the base's turning."""
    return [f.diff(Z), f.diff(R), turned.applyfunc(over_r)]


def forcing():
    """Force, N/m^3, that along theta over rho, m/s^2, and source of the conformation's equation, 1/s."""
    du = gradient(U, W * U)
    L = sp.Matrix(3, 3, lambda i, j: du[j][i])
    assert sp.simplify(L.trace()) == 0
    dc = gradient(C, W * C + C * W.T)
    along = lambda d: d[0] * U[0] + d[1] * U[1] + d[2] * U[2]
    stress = ETA_S * (L + L.T) + ETA_P / LAMBDA * (C - sp.eye(3))
    ds = gradient(stress, W * stress + stress * W.T)
    divergence = sp.Matrix([ds[0][i, 0] + ds[1][i, 1] + ds[2][i, 2] for i in range(3)])
    force = RHO * (U.diff(T) + along(du)) + sp.Matrix([P.diff(Z), P.diff(R), 0]) - divergence
    return force, C.diff(T) + along(dc) - L * C - C * L.T + (C - sp.eye(3)) / LAMBDA


def formula(expression):
    return str(sp.N(expression, 16)).replace("**", "^").replace(" ", "")


def case(cell, n, variable):
    force, source = forcing()
    scale = ETA_P / LAMBDA if variable == "stress" else 1
    tensor = ",".join(formula(scale * (C[p] - (int(p[0] == p[1]) if variable == "stress" else 0))) for p in PAIRS)
    velocity, swirl = ",".join(formula(u) for u in U[:2]), formula(U[2])
    steps = int(np.ceil(T_END * (ETA_S + ETA_P) * n * n / (0.25 if cell == "quadrilateral" else 0.12)))
    words = ["-case_name", "mms", "-form_axisymmetric", "true", "-physics", "newtonian,oldroydb,swirling", "-form_density", RHO, "-physics_newtonian_viscosity", ETA_S,
             "-physics_oldroydb_viscosity", ETA_P, "-physics_oldroydb_lambda", LAMBDA, "-polymer_variable", variable, "-stabiliser", "devss,split_oss",
             "-stabiliser_split_oss_tau", "transient", "-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", T_END / steps, "-stop_time", T_END,
             "-mesh_box_faces", f"{n},{n}", "-mesh_box_cell", cell, "-form_source_velocity", ",".join(formula(f) for f in force[:2]),
             "-form_source_swirl", formula(force[2] / RHO), "-form_source_stress", ",".join(formula(scale * source[p]) for p in PAIRS),
             "-initial_velocity", velocity, "-initial_swirl", swirl, "-initial_pressure", formula(P), "-initial_stress", tensor, "-bc_bottom_type", "symmetry",
             "-diagnostic_history_every", "1000"]
    for label in ("left", "right", "top"):
        words += [f"-bc_{label}_type", "inlet", f"-bc_{label}_velocity", velocity, f"-bc_{label}_swirl", f"value {swirl}", f"-bc_{label}_polymer", "formula",
                  f"-bc_{label}_stress", tensor]
    return words


def exact(expressions):
    fs = [sp.lambdify((Z, R), sp.sympify(e).subs(T, T_END), "numpy") for e in expressions]
    return lambda points: np.stack([np.broadcast_to(f(*points.T[:2]), len(points)) for f in fs], axis=1)


def implicit(words, n):
    """The same by `monolithic`."""
    left = [w for k in range(0, len(words), 2) if not words[k].startswith("-scheme_") for w in words[k:k + 2]]
    return [*left, "-scheme", "monolithic", "-scheme_monolithic_dt", T_END / (n // 2), "-snes_rtol", 1e-9, "-device", "cpu"]


def errors(cell, n, variable, scheme):
    words = case(cell, n, variable)
    got = run.rheoplex("run", *(implicit(words, n) if scheme == "monolithic" else words), out=run.folder("axisymmetric")).fields()
    tensors = exact([C[p] for p in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)]])  # ParaView's order
    return l2.error(got, [(got["velocity"][:, :2], exact(U[:2])), (got["velocity"][:, 2:], exact(U[2:])), (got["conformation"], tensors)], lambda x: x[:, 1])


def main(cell, variable, scheme="lumped"):
    gate, meshes = Gate(f"axisymmetric_swirl_orders_{cell}_{variable}" + ("_monolithic" if scheme == "monolithic" else "")), (8, 16, 32)
    rows = [errors(cell, n, variable, scheme) for n in meshes]
    for k, name in enumerate(("velocity", "azimuthal velocity", "conformation")):
        gate.order(name, meshes, [row[k] for row in rows], 1.9 if k < 2 else 1.85)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
