"""Order of the error of a concentration in advection and diffusion, u, D and rho not 1, with supply, decay and a source by formula: a manufactured solution
that changes with time, given on three sides (2D) or five, its flux on the last one. orders.py <cell> [gls|bdf2|centroid]: another stabiliser; beside implicit
momentum, where triangles have one point; one point"""
import sys

import common
import l2
import numpy as np
import run
import sympy as sp
from gate import Gate

T_END = 0.1


HEUN = ("-scheme_lumped_stepper", "heun")
SCHEMES = {"bdf2": ("-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2"), "centroid": (*HEUN, "-form_quadrature", "centroid")}


def case(dim, stabiliser, scheme=HEUN):
    c = common.concentration(dim)
    flux = common.formula(common.D * sp.diff(c, common.X[0]))  # on the right side n = e_x
    return [*common.fluid(stabiliser), *common.carried(dim, lambda label: f"flux {flux}" if label == "right" else f"value {common.formula(c)}"),
            "-case_name", "order", "-initial_concentration", common.formula(c.subs(common.T, 0)), *scheme, "-stop_time", T_END,
            "-form_source_concentration", common.formula(common.source(dim, common.velocity(dim), c))]


def error(dim, cell, n, stabiliser, device, how=""):
    limit = {"quadrilateral": 0.2, "hexahedron": 0.2, "triangle": 0.15, "tetrahedron": 0.08}[cell]
    steps = int(np.ceil(T_END * n * n / limit * common.D))
    dt = "-scheme_fractional_step_dt" if how == "bdf2" else "-scheme_lumped_dt"
    result = run.rheoplex("run", *case(dim, stabiliser, SCHEMES.get(how, HEUN)), "-mesh_box_lower", ",".join("0" * dim), "-mesh_box_upper", ",".join("1" * dim), "-mesh_box_faces",
                          ",".join([str(n)] * dim), "-mesh_box_cell", cell, dt, T_END / steps, "-device", device, out=run.folder("orders"))
    if ("quadrature centroid" in result.stdout) != (how == "bdf2"):
        raise run.Failure(f"{result.out}: quadrature {'is' if how == 'bdf2' else 'is not'} chosen")
    got = result.fields()
    exact = sp.lambdify(common.X, common.concentration(dim).subs(common.T, T_END), "numpy")
    u = np.stack([np.broadcast_to(sp.lambdify(common.X, v, "numpy")(*got.points.T), len(got.points)) for v in common.velocity(dim)], axis=1)
    (value,) = l2.error(got, [(got["concentration"][:, None], lambda p: exact(*p.T)[:, None])])
    return value, float(np.abs(got["velocity"][:, :dim] - u).max())


def main(cell, how="split_oss"):
    dim = 3 if cell in ("tetrahedron", "hexahedron") else 2
    stabiliser = "split_oss,gls" if how == "gls" else "split_oss"
    meshes = (5, 10, 20) if dim == 3 else (10, 20, 40)
    gate = Gate(f"scalars_orders_{cell}" + ("" if how == "split_oss" else f"_{how}"))
    errors = []
    for n in meshes:
        value, drift = error(dim, cell, n, stabiliser, "cpu", how)
        gate.at_most(f"velocity less that of the rotation, {n} cells a side", drift, 1e-8)
        errors.append(value)
    gate.order("concentration", meshes, errors, 1.9)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
