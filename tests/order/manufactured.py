"""Manufactured solutions of the flow of an Oldroyd-B fluid with solvent: orders of the errors at t = 0.1 with dt ~ h^2.

u is a divergence-free trigonometric field, p and c smooth fields, all times g(t); the forcing formulas of momentum and of
the conformation transport are derived here by sympy and handed to rheoplex as formulas in x, y, z, t. Velocity and
conformation are imposed exactly on the whole boundary. manufactured.py <cell> [jitter] [stress|conformation|gls]; gls: full
gls and two different modes with slip"""
import sys

import l2
import numpy as np
import run
import sympy as sp
from gate import Gate

RHO, ETA_S, ETA_P, LAMBDA, T_END = 3.0, 0.4, 0.3, 0.5, 0.1
OLDROYD = [(ETA_P, LAMBDA, 0)]  # viscosity, relaxation time, slip of every mode
SLIP = [(0.2, 0.4, sp.Rational(3, 10)), (0.15, 0.7, sp.Rational(1, 10))]
X = sp.symbols("x y z")
T = sp.symbols("t")


def solution(dim):
    """Velocity, pressure, conformation (upper triangle by index pair)."""
    x, y, z = X
    g = 1 + sp.sin(3 * T) / 2
    if dim == 2:
        u = [g * sp.sin(x) * sp.cos(y), -g * sp.cos(x) * sp.sin(y)]
        p = g * sp.cos(x + 2 * y)
        c = {(0, 0): 1 + g * sp.sin(x + y) / 4, (1, 1): 1 + g * sp.cos(x - y) / 4, (0, 1): g * sp.sin(x - 2 * y) / 5}
    else:
        u = [g * sp.sin(x) * sp.cos(y) * sp.cos(z), g * sp.cos(x) * sp.sin(y) * sp.cos(z), -2 * g * sp.cos(x) * sp.cos(y) * sp.sin(z)]
        p = g * sp.cos(x + y + z)
        c = {(0, 0): 1 + g * sp.sin(x + y) / 4, (1, 1): 1 + g * sp.cos(y + z) / 4, (2, 2): 1 + g * sp.sin(z + x) / 4,
             (1, 2): g * sp.sin(x) / 5, (0, 2): g * sp.sin(y) / 5, (0, 1): g * sp.cos(z) / 5}
    return u, p, c


def modes(dim, fluid):
    """Conformation, modulus and source of the conformation equation (1/s) of every mode; all but the first deform by another
    amount."""
    u, _, first = solution(dim)
    x = X[:dim]
    for k, (eta, relaxation, xi) in enumerate(fluid):
        c = {(i, j): (v - int(i == j)) / (1 + k) + int(i == j) for (i, j), v in first.items()}
        full = lambda i, j: c[min(i, j), max(i, j)]
        L = sp.Matrix(dim, dim, lambda i, j: sp.diff(u[i], x[j]))
        L = L - xi * (L + L.T) / 2
        source = {(i, j): sp.diff(v, T) + sum(u[m] * sp.diff(v, x[m]) for m in range(dim))
                  - sum(L[i, m] * full(m, j) + full(i, m) * L[j, m] for m in range(dim)) + (v - int(i == j)) / relaxation
                  for (i, j), v in c.items()}
        yield c, eta / relaxation / (1 - xi), source


def forcing(dim, fluid=tuple(OLDROYD)):
    """Body force (N/m^3)."""
    u, p, _ = solution(dim)
    x = X[:dim]
    L = [[sp.diff(u[i], x[j]) for j in range(dim)] for i in range(dim)]
    assert sp.simplify(sum(L[i][i] for i in range(dim))) == 0
    return [RHO * (sp.diff(u[i], T) + sum(u[j] * L[i][j] for j in range(dim))) + sp.diff(p, x[i])
            - ETA_S * sum(sp.diff(u[i], x[j], 2) for j in range(dim))
            - sum(G * sp.diff(c[min(i, j), max(i, j)], x[j]) for c, G, _ in modes(dim, fluid) for j in range(dim)) for i in range(dim)]


def formula(expression):
    """A sympy expression in the formula language of rheoplex (muParser)."""
    return str(sp.N(expression, 17)).replace("**", "^").replace(" ", "")


def components(dim):
    return [(0, 0), (1, 1), (0, 1)] if dim == 2 else [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]


def exact(dim, expressions, t):
    """The expressions at time t as a function of points."""
    fs = [sp.lambdify(X, sp.sympify(e).subs(T, t), "numpy") for e in expressions]
    return lambda points: np.stack([np.broadcast_to(f(*points.T), len(points)) for f in fs], axis=1)


def case(dim, variable):
    """Options of the flow: fluid, sources, exact boundary values and initial state in the representation."""
    u, p, _ = solution(dim)
    gls, conformation = variable == "gls", variable == "conformation"
    fluid = SLIP if gls else OLDROYD
    law = "johnson_segalman" if gls else "oldroydb"
    scale = lambda G: 1 if conformation else G
    tensor = ";".join(",".join(formula(scale(G) * (c[ij] - (0 if conformation else int(ij[0] == ij[1])))) for ij in components(dim)) for c, G, _ in modes(dim, fluid))
    source = ";".join(",".join(formula(scale(G) * s[ij]) for ij in components(dim)) for _, G, s in modes(dim, fluid))
    velocity = ",".join(formula(v) for v in u)
    column = lambda k: ",".join(str(float(m[k])) for m in fluid)
    words = ["-case_name", "mms", "-polymer_variable", "conformation" if conformation else "stress", "-physics", f"newtonian,{law}", "-form_density", RHO,
             "-physics_newtonian_viscosity", ETA_S, f"-physics_{law}_modes", len(fluid), f"-physics_{law}_viscosity", column(0), f"-physics_{law}_lambda", column(1),
             *(["-physics_johnson_segalman_xi", column(2)] if gls else []), "-stabiliser", "gls" if gls else "devss,split_oss",
             *([] if gls else ["-stabiliser_split_oss_tau", "transient"]), "-scheme_lumped_stepper", "heun",
             "-form_source_velocity", ",".join(formula(v) for v in forcing(dim, fluid)), "-form_source_stress", source,
             "-initial_velocity", velocity, "-initial_pressure", formula(p), "-initial_stress", tensor, "-stop_time", T_END]
    for label in ("left", "right", "bottom", "top") + (("front", "back") if dim == 3 else ()):
        words += [f"-bc_{label}_type", "inlet", f"-bc_{label}_velocity", velocity, f"-bc_{label}_polymer", "formula", f"-bc_{label}_stress", tensor]
    return words


def errors(dim, cell, n, jitter, variable, *words):
    """L2 errors of velocity, pressure (without a constant) and conformation at the end."""
    h = 1 / n
    limit = {"quadrilateral": 0.3, "hexahedron": 0.3, "triangle": 0.15, "tetrahedron": 0.12}[cell]
    steps = int(np.ceil(T_END / ((limit / 3 if jitter else limit) * h * h / (ETA_S + ETA_P))))
    result = run.rheoplex("run", *case(dim, variable), "-mesh_box_lower", ",".join("0" * dim), "-mesh_box_upper", ",".join("1" * dim),
                          "-mesh_box_faces", ",".join([str(n)] * dim), "-mesh_box_cell", cell, "-mesh_box_jitter", jitter,
                          "-scheme_lumped_dt", T_END / steps, *words, out=run.folder("mms"))
    got = result.fields()
    u, p, c = solution(dim)
    first = "conformation_0" if "conformation_0" in got.arrays else "conformation"
    order = [0, 1, 3] if dim == 2 else [0, 1, 2, 4, 5, 3]  # ParaView's XX YY ZZ XY YZ XZ
    pressure = exact(dim, [p], T_END)
    shift = np.mean(got["pressure"] - pressure(got.points)[:, 0])  # the pressure is free
    return l2.error(got, [(got["velocity"][:, :dim], exact(dim, u, T_END)), ((got["pressure"] - shift)[:, None], pressure),
                          (got[first][:, order], exact(dim, [c[ij] for ij in components(dim)], T_END))])


def main(cell, jitter=0.0, variable="stress"):
    dim = 3 if cell in ("tetrahedron", "hexahedron") else 2
    simplex = cell in ("triangle", "tetrahedron")
    meshes = (5, 10, 20) if cell == "tetrahedron" else (6, 12, 24) if cell == "hexahedron" else (8, 16, 32)
    gate = Gate(f"order_manufactured_{cell}" + ("_jittered" if jitter else "") + ("" if variable == "stress" else f"_{variable}"))
    rows = [errors(dim, cell, n, jitter, variable) for n in meshes]
    best = 1.8 if variable == "gls" else 1.9  # gls leaves the solvent's second derivatives out of its residual
    for name, k, bound in (("velocity", 0, best), ("pressure", 1, 1.2), ("conformation", 2, 1.4 if simplex or jitter else best)):
        gate.order(name, meshes, [row[k] for row in rows], bound)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *[float(a) for a in sys.argv[2:3]], *sys.argv[3:]))
