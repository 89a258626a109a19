"""resolution.py cells|ranks|end: the diagnostic `resolution`, whose estimates are held against the errors of interpolated fields that are known, by a
quadrature of its own, on every cell type, plane, axisymmetric and in space; the same on 1, 2 and 3 ranks; what a run tells at its end."""
import math
import sys

import l2
import numpy as np
import run
from gate import Gate

MODULUS = (0.5 / 0.3, 1.1 / 0.8)
CELLS = {"triangle": 2, "quadrilateral": 2, "mixed": 2, "tetrahedron": 3, "hexahedron": 3}
SIDES = {2: ("bottom", "left", "right", "top"), 3: ("bottom", "left", "right", "top", "back", "front")}
LAWS = ["-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.7", "-physics_oldroydb_modes", "2", "-physics_oldroydb_viscosity", "0.5,1.1", "-physics_oldroydb_lambda", "0.3,0.8",
        "-form_density", "3", "-form_convection", "false", "-stabiliser", "split_oss", "-polymer_variable", "conformation"]
# Velocities without divergence; of axisymmetric flow u_z = 2 cos(2 z)(1 - 2 r^2), u_r = 2 r sin(2 z)(1 - r^2).
FLOW = {"plane": "sin(2*x)*cos(2*y),-cos(2*x)*sin(2*y)", "swept": "2*cos(2*x)*(1-2*y^2),2*y*sin(2*x)*(1-y^2)", "space": "sin(2*x)*cos(2*y),-cos(2*x)*sin(2*y)+z^2,x^2"}
# Conformations of both modes.
C = {"plane": (("2+sin(3*x)", "3+y^2", "0.3*cos(2*x*y)"), ("4+cos(5*x*y)", "3", "x*y^2")), "swept": (("2+sin(3*x)", "3+y^2", "2+cos(y)", "0.3*y*cos(2*x*y)"), ("4+cos(5*x*y)", "3", "3-y^2", "x*y^2")),
     "space": (("2+sin(3*x)", "3+y^2", "2+z^2", "0.2*z^2", "0.3*x^2", "0.3*cos(2*x*y)"), ("4+cos(5*x*y)", "3", "3", "0.1*x*z", "z^3", "x*y^2"))}
PARAVIEW = ("xx", "yy", "zz", "xy", "yz", "xz")
NAMES = {3: ("xx", "yy", "xy"), 4: ("xx", "yy", "zz", "xy"), 6: ("xx", "yy", "zz", "yz", "xz", "xy")}


def made(kind, cell, n, np_=1):
    dim = CELLS[cell]
    given = [w for s in SIDES[dim] for w in (f"-bc_{s}_type", "inlet", f"-bc_{s}_velocity", FLOW[kind], f"-bc_{s}_polymer", "free") if not (kind == "swept" and s == "bottom")]
    axis = ["-form_axisymmetric", "true", "-bc_bottom_type", "symmetry"] if kind == "swept" else []
    tensor = ";".join(",".join(c) for c in C[kind])
    return run.rheoplex("run", "-case_name", "r", *LAWS, *given, *axis, "-mesh_box_cell", cell, "-mesh_box_faces", ",".join(str(m) for m in (n, n + 1, n - 1)[:dim]), "-initial_velocity", FLOW[kind],
                        "-initial_conformation", tensor, "-scheme", "lumped", "-scheme_lumped_dt", "1e-12", "-stop_steps", "1", "-device", "cpu", "-diagnostic_m_kind", "resolution", "-output_fields", "velocity,stress_0,stress_1",
                        "-output_vtu_precision", "double", out=run.folder("resolution"), np=np_)


def velocity(kind, p):
    x, y, z = p.T
    if kind == "swept":
        return np.stack([2 * np.cos(2 * x) * (1 - 2 * y**2), 2 * y * np.sin(2 * x) * (1 - y**2)], axis=1)
    u = [np.sin(2 * x) * np.cos(2 * y), -np.cos(2 * x) * np.sin(2 * y)]
    return np.stack(u if kind == "plane" else [u[0], u[1] + z**2, x**2], axis=1)


def slopes(kind, p):
    """Central differences of the formulas: to 1e-9."""
    dim, h = 3 if kind == "space" else 2, 1e-5
    return np.stack([(velocity(kind, p + h * e) - velocity(kind, p - h * e)) / (2 * h) for e in np.eye(3)[:dim]], axis=2)


def stress(kind, mode, p):
    """Components in ParaView's order xx yy zz xy yz xz, those off the diagonal times the root of 2: a norm of the tensor."""
    names = NAMES[len(C[kind][mode])]
    c = {k: eval(t.replace("^", "**"), {"sin": np.sin, "cos": np.cos}, dict(zip("xyz", p.T))) + 0 * p[:, 0] for k, t in zip(names, C[kind][mode])}
    return np.stack([MODULUS[mode] * (c.get(k, float(k[0] == k[1]) + 0 * p[:, 0]) - (k[0] == k[1])) * (1 if k[0] == k[1] else math.sqrt(2)) for k in PARAVIEW], axis=1)


def errors(kind, r):
    """Of what the run's file holds against the formulas, over the sizes: gradient, stress of both modes; what it holds of the elements."""
    f, weight = run.Fields(r.file("_000001.vtu")), (lambda p: 2 * np.pi * p[:, 1]) if kind == "swept" else (lambda p: 1.0)
    dim, twice = 3 if kind == "space" else 2, np.array([1, 1, 1, math.sqrt(2), math.sqrt(2), math.sqrt(2)])
    u = f["velocity"][:, :dim]
    square, nothing = l2.slope_error(f, u, lambda p: slopes(kind, p), weight), np.zeros_like(u)
    size = l2.slope_error(f, nothing, lambda p: slopes(kind, p), weight)
    if kind == "swept":  # the hoop's part u_r/r
        size = math.hypot(size, l2.error(f, [(nothing[:, :1], lambda p: (velocity(kind, p)[:, 1] / p[:, 1])[:, None])], weight)[0])
    out = [square / size]
    for mode in range(2):
        pairs = [(v, lambda p: stress(kind, mode, p)) for v in (f[f"stress_{mode}"] * twice, np.zeros((len(u), 6)))]
        error, size = l2.error(f, pairs, weight)
        out.append(error / size)
    return np.array(out)


COLUMNS = ("velocity_gradient_error", "stress_0_error", "stress_1_error")


def told(r):
    table = r.table("_m.csv")
    return np.array([table[c][-1] for c in COLUMNS])


# Kind, cell, elements a side, ranks; effectivities of both stresses: of lengths that are right for each of their slopes, no more.
MEASURED = (("plane", "quadrilateral", 24, 1, 1.00, 0.84), ("plane", "triangle", 24, 3, 0.98, 1.01), ("plane", "mixed", 24, 2, 0.99, 0.93), ("swept", "quadrilateral", 24, 2, 1.00, 0.83),
            ("swept", "triangle", 24, 1, 0.98, 1.01), ("space", "tetrahedron", 9, 2, 1.00, 1.03), ("space", "hexahedron", 9, 3, 1.01, 0.90))


def cells(gate):
    """Effectivities: what is told over what is true."""
    for kind, cell, n, np_, *stresses in MEASURED:
        r = made(kind, cell, n, np_)
        ratio = told(r) / errors(kind, r)
        for column, value, expected in zip(COLUMNS, ratio, (1.0, *stresses)):
            gate.near(f"{kind}, {cell}, np {np_}: {column} over the true one", value, expected, 0.02)


def ranks(gate):
    """The same on any number of ranks; elements add up to the whole, the worst is where it is told; nothing of what is linear, to its walls."""
    for kind, cell, n in (("plane", "mixed", 7), ("swept", "triangle", 6), ("space", "tetrahedron", 4)):
        runs = [made(kind, cell, n, np_) for np_ in (1, 2, 3)]
        for c in list(runs[0].table("_m.csv"))[2:]:
            values = [float(r.table("_m.csv")[c][-1]) for r in runs]
            gate.at_most(f"{kind}, {cell}: {c} on 1, 2, 3 ranks", max(values) - min(values), 1e-7)
        for r in runs[::2]:
            f = run.Fields(r.file("_m.vtu"))
            for c in COLUMNS:
                share = f.cells(c)
                gate.near(f"{kind}, {cell}: {c} of elements, together", math.sqrt(float((share**2).sum())), r.table("_m.csv")[c][-1], 1e-9)
                at = [float(r.table("_m.csv")[f"{c[:-5]}worst_at_{i}"][-1]) for i in "xyz"[:CELLS[cell]]]
                gate.at_most(f"{kind}, {cell}: place of the worst of {c}", float(np.abs(f.centres()[share.argmax(), :CELLS[cell]] - at).max()), 1e-9)
    FLOW["plane"], C["plane"] = "1+2*x+3*y,4*x-2*y", (("2+x", "3-y", "0.1*x+0.2*y"), ("4-x", "3", "0.5*y"))
    for cell in ("quadrilateral", "triangle", "mixed"):
        gate.at_most(f"{cell}: estimates of linear fields", float(told(made("plane", cell, 5, 2)).max()), 1e-6)


LID = ["run", "-case_name", "c", "-physics", "newtonian", "-physics_newtonian_viscosity", "0.03", "-form_density", "3", "-bc_top_type", "moving_wall", "-bc_top_velocity", "1,0", "-scheme", "steady", "-device", "cpu", "-output_fields", "false"]
LID += [w for s in ("bottom", "left", "right") for w in (f"-bc_{s}_type", "wall")]
THROAT = ["run", f"{run.OPTIONS}/contraction_oldroydb.yaml", "-device", "cpu", "-output_fields", "false"]
COARSE = "the mesh is too coarse for this flow"


def end(gate):
    """What a run tells of its mesh at its end."""
    for n, says in ((8, True), (32, False)):
        text = run.rheoplex(*LID, "-mesh_box_faces", f"{n},{n}", out=run.folder("resolution"), np=2).stderr
        gate.true(f"lid-driven cavity of {n} x {n} at Re 100: {says}", (f"{COARSE}: got estimated errors of" in text and "of the velocity's gradient, expected at most 25 %" in text) == says and (COARSE in text) == says)
    sizes = {"lu": 4, "ld": 4, "nu": 8, "nd": 8, "na": 2, "nb": 6, "ru": 1, "rd": 1, "ra": 1, "rb": 1}
    mesh = run.gmsh("contraction.geo", "throat", *sizes.items())
    text = run.rheoplex(*THROAT, "-mesh_file", mesh, "-scheme_steady_continuation", "physics_oldroydb_lambda=0.5:0.5:1.5", out=run.folder("resolution")).stderr
    gate.true("contraction with 2 elements over the throat at De 1.5", "of the stress, expected at most 7 %, the most at (" in text)
    text = run.rheoplex(*THROAT, "-scheme_steady_continuation", "physics_oldroydb_lambda=0.04:0.04:0.04", out=run.folder("resolution")).stderr
    gate.true("on the mesh that comes with it: nothing", COARSE not in text)


if __name__ == "__main__":
    gate = Gate("resolution")
    {"cells": cells, "ranks": ranks, "end": end}[sys.argv[1]](gate)
    sys.exit(gate.finish())
