"""Manufactured solutions in log-conformation: orders of the errors at t = 0.1 with dt ~ h^2, as tests/order/manufactured.py.

log c = R diag(d) R^T with a constant rotation R and smooth d(x, t), so that exp, the rotation of the eigenvectors relative to
the flow and f(s) eps (components (R^T eps R)_ij x coth x, x = (d_i - d_j)/2) are exact formulas; velocity and log c are
imposed exactly on the whole boundary. manufactured.py <cell> [jitter]"""
import sys

import l2
import numpy as np
import run
import sympy as sp
from gate import Gate

sys.path.insert(0, f"{run.SOURCE}/tests/order")
from manufactured import ETA_P, ETA_S, LAMBDA, RHO, T_END, T, X, components, exact  # noqa: E402

MESHES = {"quadrilateral": (8, 16, 32), "triangle": (8, 16, 32), "hexahedron": (4, 8, 16), "tetrahedron": (4, 8, 16)}
LIMIT = {"quadrilateral": 0.2, "hexahedron": 0.15, "triangle": 0.12, "tetrahedron": 0.08}


def solution(dim):
    """Velocity, pressure, rotation, eigenvalues of log c; in space steady and short: an option holds 4095 characters."""
    x, y, z = X
    g = 1 + T
    half, quarter = sp.Rational(1, 2), sp.Rational(1, 4)
    if dim == 2:
        u = [g * sp.sin(x) * sp.cos(y), -g * sp.cos(x) * sp.sin(y)]
        return u, g * sp.cos(x + 2 * y), sp.Matrix([[4, -3], [3, 4]]) / 5, [half + g * sp.sin(x + y) / 4, g * sp.cos(x - y) / 4 - 1]
    u, d = [sp.sin(2 * y), sp.sin(2 * z), sp.sin(2 * x)], [half + x * y / 2, quarter * z * z - 1, 3 * half + y * z / 4]
    return u, x * y * z, sp.Matrix([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]) / 3, d


def forcing(dim):
    """Body force (N/m^3); source of the equation of log c (1/s) in its eigenbasis."""
    u, p, R, d = solution(dim)
    x = X[:dim]
    L = sp.Matrix(dim, dim, lambda i, j: sp.diff(u[i], x[j]))
    assert sp.simplify(L.trace()) == 0 and sp.simplify(R * R.T - sp.eye(dim)) == sp.zeros(dim)
    eps, om = R.T * (L + L.T) / 2 * R, R.T * (L - L.T) / 2 * R
    diagonal = lambda i: (sp.diff(d[i], T) + sum(u[k] * sp.diff(d[i], x[k]) for k in range(dim)) + (1 - sp.exp(-d[i])) / LAMBDA - 2 * eps[i, i])
    inside = sp.Matrix(dim, dim, lambda i, j: diagonal(i) if i == j else (d[i] - d[j]) * (om[i, j] - eps[i, j] / sp.tanh((d[i] - d[j]) / 2)))
    c = R * sp.diag(*map(sp.exp, d)) * R.T
    f = [RHO * (sp.diff(u[i], T) + sum(u[j] * L[i, j] for j in range(dim))) + sp.diff(p, x[i])
         - ETA_S * sum(sp.diff(u[i], x[j], 2) for j in range(dim))
         - ETA_P / LAMBDA * sum(sp.diff(c[i, j], x[j]) for j in range(dim)) for i in range(dim)]
    return f, inside


def text(expression):
    """As base's formula, but rational numbers stay what they are: shorter."""
    return str(sp.nsimplify(expression)).replace("**", "^").replace(" ", "")


def turned(R, inside):
    """Formulas of the components of R inside R^T, inside symmetric, each entry of it written once."""
    dim = R.shape[0]
    short = {(a, b): text(inside[a, b]) for a in range(dim) for b in range(a, dim)}
    factor = lambda i, j, a, b: R[i, a] * R[j, b] + (R[i, b] * R[j, a] if a != b else 0)
    return ",".join("+".join(f"({factor(i, j, a, b)})*({short[a, b]})" for a, b in short) for i, j in components(dim))


def case(dim):
    u, p, R, d = solution(dim)
    f, inside = forcing(dim)
    log_c = R * sp.diag(*d) * R.T
    velocity = ",".join(text(v) for v in u)
    tensor = lambda m: ",".join(text(m[ij]) for ij in components(dim))
    words = ["-case_name", "mms", "-polymer_variable", "logconf", "-physics", "newtonian,oldroydb", "-form_density", RHO,
             "-physics_newtonian_viscosity", ETA_S, "-physics_oldroydb_viscosity", ETA_P, "-physics_oldroydb_lambda", LAMBDA,
             "-stabiliser", "devss,split_oss", "-stabiliser_split_oss_tau", "transient", "-scheme_lumped_stepper", "heun",
             "-form_source_velocity", ",".join(text(v) for v in f), "-form_source_stress", turned(R, inside),
             "-initial_velocity", velocity, "-initial_pressure", text(p), "-initial_stress", tensor(log_c), "-stop_time", T_END]
    for label in ("left", "right", "bottom", "top") + (("front", "back") if dim == 3 else ()):
        words += [f"-bc_{label}_type", "inlet", f"-bc_{label}_velocity", velocity, f"-bc_{label}_polymer", "formula", f"-bc_{label}_stress", tensor(log_c)]
    return words


def logarithm(conformation, dim):
    """log c of nodal c, xx yy xy or xx yy zz xy yz xz as ParaView orders them, as a full tensor [n][dim dim]."""
    full = np.array([[0, 3], [3, 1]] if dim == 2 else [[0, 3, 5], [3, 1, 4], [5, 4, 2]])
    value, vector = np.linalg.eigh(conformation[:, full])
    return np.einsum("nik,nk,njk->nij", vector, np.log(value), vector).reshape(-1, dim * dim)


def errors(words, dim, cell, n, jitter):
    """L2 errors of velocity and log c at the end."""
    h = 1 / n
    steps = int(np.ceil(T_END / ((LIMIT[cell] / 2 if jitter else LIMIT[cell]) * h * h / (ETA_S + ETA_P))))
    result = run.rheoplex("run", *words, "-mesh_box_lower", ",".join("0" * dim), "-mesh_box_upper", ",".join("1" * dim),
                          "-mesh_box_faces", ",".join([str(n)] * dim), "-mesh_box_cell", cell, "-mesh_box_jitter", jitter,
                          "-scheme_lumped_dt", T_END / steps, "-diagnostic_history_every", "1000", out=run.folder("mms"))
    got = result.fields()
    u, _, R, d = solution(dim)
    log_c = list(R * sp.diag(*d) * R.T)
    return l2.error(got, [(got["velocity"][:, :dim], exact(dim, u, T_END)), (logarithm(got["conformation"], dim), exact(dim, log_c, T_END))])


def main(cell, jitter=0.0):
    dim = 3 if cell in ("tetrahedron", "hexahedron") else 2
    gate = Gate(f"viscoelastic_manufactured_{cell}" + ("_jittered" if jitter else ""))
    words, meshes = case(dim), MESHES[cell]
    rows = [errors(words, dim, cell, n, jitter) for n in meshes]
    for name, k, bound in (("velocity", 0, 1.9), ("log c", 1, 1.4 if cell in ("triangle", "tetrahedron") or jitter else 1.9)):
        gate.order(name, meshes, [row[k] for row in rows], bound)
    return gate.finish()


sys.exit(main(sys.argv[1], *[float(a) for a in sys.argv[2:]]))
