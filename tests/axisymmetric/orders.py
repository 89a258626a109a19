"""Manufactured axisymmetric flow of an Oldroyd-B fluid with solvent from the axis to r = 1: orders of the errors at t = 0.1 with
dt ~ h^2, in the norm of the volume. u = (u_z, u_r) is free of divergence, the conformation regular at the axis (c_rr - c_hoop ~ r^2, c_zr ~ r); the forcing
of momentum and conformation is derived here by sympy in cylindrical coordinates. The axis is a label of symmetry, the rest of the
boundary has the exact values. orders.py <cell> [gls]; gls: full gls, conformation."""
import sys

import l2
import numpy as np
import run
import sympy as sp
from gate import Gate

RHO, ETA_S, ETA_P, LAMBDA, T_END = 3.0, 0.4, 0.3, 0.5, 0.1
Z, R, T = sp.symbols("x y t")
G = 1 + sp.sin(3 * T) / 2
U = (G * sp.sin(Z) * (1 - R**2), -G * sp.cos(Z) * (R / 2 - R**3 / 4))
P = G * sp.cos(Z + 2 * R**2)
C = {"zz": 1 + G * sp.sin(Z + R**2) / 4, "rr": 1 + G * sp.cos(Z) / 4, "hoop": 1 + G * sp.cos(Z) / 4 + G * R**2 * sp.sin(2 * Z) / 5,
     "zr": G * R * sp.sin(Z - R**2) / 5}


def over_r(f):
    """f/r, of which sympy is to see that it is regular."""
    return sp.expand(sp.expand(f) / R)


def material(f):
    return sp.diff(f, T) + U[0] * sp.diff(f, Z) + U[1] * sp.diff(f, R)


def forcing():
    """Body force, N/m^3, and source of the conformation's equation, 1/s."""
    L = [[sp.diff(u, x) for x in (Z, R)] for u in U]
    hoop = over_r(U[1])
    assert sp.simplify(L[0][0] + L[1][1] + hoop) == 0
    tau = {k: ETA_P / LAMBDA * (c - int(k != "zr")) for k, c in C.items()}
    viscous = [sp.diff(U[0], Z, 2) + sp.diff(U[0], R, 2) + over_r(L[0][1]), sp.diff(U[1], Z, 2) + sp.diff(U[1], R, 2) + over_r(L[1][1] - hoop)]
    polymer = [sp.diff(tau["zz"], Z) + sp.diff(tau["zr"], R) + over_r(tau["zr"]),
               sp.diff(tau["zr"], Z) + sp.diff(tau["rr"], R) + over_r(tau["rr"] - tau["hoop"])]
    force = [RHO * material(u) + sp.diff(P, x) - ETA_S * v - s for u, x, v, s in zip(U, (Z, R), viscous, polymer)]
    stretch = {"zz": 2 * (L[0][0] * C["zz"] + L[0][1] * C["zr"]), "rr": 2 * (L[1][0] * C["zr"] + L[1][1] * C["rr"]), "hoop": 2 * hoop * C["hoop"],
               "zr": L[0][0] * C["zr"] + L[0][1] * C["rr"] + C["zz"] * L[1][0] + C["zr"] * L[1][1]}
    return force, {k: material(c) - stretch[k] + (c - int(k != "zr")) / LAMBDA for k, c in C.items()}


def formula(expression):
    return str(sp.N(expression, 17)).replace("**", "^").replace(" ", "")


def case(cell, n, gls):
    force, source = forcing()
    scale = 1 if gls else ETA_P / LAMBDA
    tensor = ",".join(formula(scale * (c - (0 if gls else int(k != "zr")))) for k, c in C.items())
    velocity = ",".join(formula(u) for u in U)
    steps = int(np.ceil(T_END * (ETA_S + ETA_P) * n * n / (0.25 if cell == "quadrilateral" else 0.12)))
    words = ["-case_name", "mms", "-form_axisymmetric", "true", "-physics", "newtonian,oldroydb", "-form_density", RHO, "-physics_newtonian_viscosity", ETA_S,
             "-physics_oldroydb_viscosity", ETA_P, "-physics_oldroydb_lambda", LAMBDA, "-polymer_variable", "conformation" if gls else "stress",
             "-stabiliser", "gls" if gls else "devss,split_oss", "-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", T_END / steps, "-stop_time", T_END,
             "-mesh_box_faces", f"{n},{n}", "-mesh_box_cell", cell, "-form_source_velocity", ",".join(formula(f) for f in force),
             "-form_source_stress", ",".join(formula(scale * s) for s in source.values()), "-initial_velocity", velocity, "-initial_pressure", formula(P),
             "-initial_stress", tensor, "-bc_bottom_type", "symmetry", "-diagnostic_history_every", "1000"]
    for label in ("left", "right", "top"):
        words += [f"-bc_{label}_type", "inlet", f"-bc_{label}_velocity", velocity, f"-bc_{label}_polymer", "formula", f"-bc_{label}_stress", tensor]
    return words + ([] if gls else ["-stabiliser_split_oss_tau", "transient"])


def exact(expressions):
    fs = [sp.lambdify((Z, R), sp.sympify(e).subs(T, T_END), "numpy") for e in expressions]
    return lambda points: np.stack([np.broadcast_to(f(*points.T[:2]), len(points)) for f in fs], axis=1)


def errors(cell, n, gls):
    got = run.rheoplex("run", *case(cell, n, gls), out=run.folder("axisymmetric")).fields()
    pressure = exact([P])
    shift = np.mean(got["pressure"] - pressure(got.points)[:, 0])  # the pressure is free
    return l2.error(got, [(got["velocity"][:, :2], exact(U)), ((got["pressure"] - shift)[:, None], pressure),
                          (got["conformation"][:, [0, 1, 2, 3]], exact(C.values()))], lambda x: x[:, 1])


def main(cell, variant=""):
    gate, meshes = Gate(f"axisymmetric_orders_{cell}" + ("_gls" if variant else "")), (8, 16, 32)
    rows = [errors(cell, n, variant == "gls") for n in meshes]
    best = 1.8 if variant else 1.9  # gls leaves the solvent's second derivatives out of its residual
    for name, k, bound in (("velocity", 0, best), ("pressure", 1, 1.2), ("conformation", 2, 1.5 if variant else best)):
        gate.order(name, meshes, [row[k] for row in rows], bound)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
