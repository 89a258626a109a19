"""resolution.py cells|meshes|ranks|end|large|numbers: the diagnostic `resolution`, whose estimates are held against the errors of interpolated fields that are known, by a
quadrature of its own, on every cell type, plane, axisymmetric and in space, on meshes that are thin, periodic or without inner nodes; the same on 1, 2 and 3 ranks; what a run tells at its end; numbers <program>: resolved.c."""
import math
import os
import subprocess
import sys

import l2
import mshwrite
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


MATHS = {"sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "pi": math.pi}


def exact(formulas, p):
    return np.stack([eval(t.replace("^", "**"), MATHS, dict(zip("xyz", p.T))) + 0 * p[:, 0] for t in formulas], axis=1)


def effectivity(formulas, sides, *words, np_=1, h=1e-5, swirl=""):
    """Of the gradient of a velocity that is given at nodes, axisymmetric with `swirl`, its azimuthal part: what is told over what is true, slopes by differences over h."""
    u = ",".join(formulas)
    given = [w for s in sides for w in (f"-bc_{s}_type", "inlet", f"-bc_{s}_velocity", u + (f",{swirl}" if swirl else ""))]
    r = run.rheoplex("run", "-case_name", "r", "-physics", "newtonian,swirling" if swirl else "newtonian", "-physics_newtonian_viscosity", "0.7", "-form_density", "3", "-form_convection", "false", *given, *words,
                     "-initial_velocity", u, *(("-initial_swirl", swirl) if swirl else ()), "-scheme", "lumped", "-scheme_lumped_dt", "1e-15", "-stop_steps", "1", "-device", "cpu", "-diagnostic_m_kind", "resolution", "-output_fields", "velocity" + (",swirl" if swirl else ""),
                     "-output_vtu_precision", "double", out=run.folder("resolution"), np=np_)
    f, all_ = run.Fields(r.file("_000001.vtu")), [*formulas, *([swirl] if swirl else [])]
    values = np.concatenate([f["velocity"][:, :2], f["swirl"].reshape(-1, 1)], axis=1) if swirl else f["velocity"][:, :2]
    weight, zero = (lambda p: 2 * np.pi * p[:, 1]) if swirl else (lambda p: 1.0), np.zeros_like(values)
    slope = lambda p: np.stack([(exact(all_, p + h * e) - exact(all_, p - h * e)) / (2 * h) for e in np.eye(3)[:2]], axis=2)
    size = l2.slope_error(f, zero, slope, weight)
    if swirl:  # u_r/r and u_theta/r
        size = math.hypot(size, l2.error(f, [(zero[:, 1:], lambda p: exact(all_[1:], p) / p[:, 1:2])], weight)[0])
    return float(r.table("_m.csv")["velocity_gradient_error"][-1]) / (l2.slope_error(f, values, slope, weight) / size)


def journal(i, j, nr=8, nt=1000, gap=1e-3, eccentricity=0.5):
    """Node of the gap between a shaft of radius 1 and a bearing."""
    x, y = math.cos(2 * math.pi * j / nt), math.sin(2 * math.pi * j / nt)
    return x + i / nr * gap * (x + eccentricity), y + i / nr * gap * y


def slit(angle):
    """Effectivity in a slit at that angle to the axis whose layers grow by 1.3."""
    c, s = math.cos(angle), math.sin(angle)
    layer = [0.01 * (1.3**j - 1) / (1.3**8 - 1) for j in range(9)]
    mesh = mshwrite.channel(f"{run.folder('resolution')}/slit.msh", 8, 8, lambda i, j: (c * i / 4 - s * layer[j], s * i / 4 + c * layer[j]))
    return effectivity([f"{v!r}*sin(200*({c!r}*y-{s!r}*x))" for v in (c, s)], SIDES[2], "-mesh_file", mesh, "-pressure_pc_type", "lu", h=1e-7)


def chamber(n=40):
    """A square of 4 x 4 cells with a channel of n cells behind it, one across, whose nodes are all at a wall."""
    points = [(0.25 * i, 0.25 * j) for i in range(5) for j in range(5)] + [(1 + 0.1 * (k + 1), 0.25 * j) for k in range(n) for j in (1, 2)]
    cells = [(5 * i + j, 5 * i + j + 5, 5 * i + j + 6, 5 * i + j + 1) for i in range(4) for j in range(4)]
    low, high = [21] + [25 + 2 * k for k in range(n)], [22] + [26 + 2 * k for k in range(n)]
    cells += [(low[k], low[k + 1], high[k + 1], high[k]) for k in range(n)]
    edges = [pair for c in cells for pair in zip(c, (*c[1:], c[0]))]
    return mshwrite.write(f"{run.folder('resolution')}/chamber.msh", points, cells, {"wall": [e for e in edges if e[::-1] not in edges]})


def meshes(gate):
    """Effectivities where patches are thin and turned, without inner nodes, periodic, or of flow with swirl."""
    wave, s = ("1.3", "sin(2*x)"), "sin(2*1000*(sqrt(x^2+y^2)-1))"
    mesh = mshwrite.annulus(f"{run.folder('resolution')}/journal.msh", 8, 1000, journal)
    gate.near("eccentric gap of 0.001, cells of aspect 33 to 100", effectivity((f"y*{s}", f"0-x*{s}"), ("inner", "outer"), "-mesh_file", mesh, "-pressure_pc_type", "lu", h=1e-8), 1.0, 0.06)  # 0.02 of 4000 facets
    level, diagonal = (slit(angle) for angle in (0.0, math.pi / 4))
    gate.near("slit, cells of aspect 95 to 596", level, 1.0, 0.02)
    gate.near("slit, along the diagonal", diagonal, level, 1e-5)
    gate.near("channel of one cell across", effectivity(wave, SIDES[2], "-mesh_box_faces", "40,1", "-mesh_box_upper", "4,0.2"), 1.0, 0.02)
    gate.near("channel of one cell across behind a square", effectivity(wave, ("wall",), "-mesh_file", chamber(), np_=2), 1.0, 0.05)
    period = [effectivity(("sin(4*y)", f"sin(2*pi*(x/1.5+{shift}/36))"), ("bottom", "top"), "-mesh_box_faces", "36,24", "-mesh_box_upper", "1.5,1", "-mesh_box_periodic", "x", np_=n) for shift, n in ((0, 1), (5, 3))]
    gate.near("periodic", period[0], 1.0, 0.02)
    gate.near("periodic, five cells on, np 3", period[1], period[0], 1e-6)
    gate.near("swirl", effectivity(("2*cos(2*x)*(1-2*y^2)", "2*y*sin(2*x)*(1-y^2)"), SIDES[2][1:], "-bc_bottom_type", "symmetry", "-form_axisymmetric", "true", "-mesh_box_faces", "24,25", swirl="5*y*cos(3*x)*(1-y^2)"), 1.0, 0.02)


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
MINOR = ["run", "-case_name", "s", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.7", "-physics_oldroydb_modes", "2", "-physics_oldroydb_viscosity", "0.5,0.001", "-physics_oldroydb_lambda", "0.3,0.8",
         "-form_density", "3", "-polymer_variable", "conformation", "-mesh_box_faces", "12,12", "-initial_conformation", "3+2*sin(20*x),3,0;3,3+2*cos(20*y),0", "-scheme", "lumped", "-scheme_lumped_dt", "1e-3", "-case_length", "1e-3",
         "-stop_steps", "1", "-device", "cpu", "-output_fields", "false", *(w for s in ("bottom", "left", "right", "top") for w in (f"-bc_{s}_type", "wall"))]
CHANNEL = ["run", "-case_name", "p", "-physics", "newtonian", "-physics_newtonian_viscosity", "0.7", "-form_density", "3", "-mesh_box_faces", "12,4", "-mesh_box_upper", "3,1", "-bc_left_type", "inlet", "-bc_left_velocity", "4*y*(1-y),0",
           "-bc_right_type", "outlet", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-scheme", "steady", "-device", "cpu"]
THROAT = ["run", f"{run.OPTIONS}/contraction_oldroydb.yaml", "-device", "cpu", "-output_fields", "false"]
COARSE, NOTE = "the mesh is too coarse for this flow", "rheoplex: note: by this mesh the estimated errors are"


def end(gate):
    """What a run tells of its mesh at its end."""
    for n, says in ((8, COARSE), (32, NOTE), (72, "")):
        text = run.rheoplex(*LID, "-mesh_box_faces", f"{n},{n}", out=run.folder("resolution"), np=2).stderr
        gate.true(f"lid-driven cavity of {n} x {n} at Re 100: {text}", [says == which for which in (COARSE, NOTE, "")] == [COARSE in text, NOTE in text, not text])
        gate.true("of what", (says != COARSE or "% of the velocity's gradient, expected at most 25 %, the most at (" in text) and (says != NOTE or "are 17 % of the velocity's gradient, the most at (" in text))
    text = run.rheoplex(*("0.04" if word == "0.03" else word for word in LID), "-mesh_box_faces", "18,18", out=run.folder("resolution")).stderr
    gate.true("beyond the limit by little: more than it", "got estimated errors of 25.1" in text and "expected at most 25 %" in text)
    text = run.rheoplex(*LID, "-mesh_box_faces", "8,8", "-bc_top_velocity", "1e-8,0", "-case_velocity", "1", out=run.folder("resolution")).stderr
    gate.true("8 x 8 with a lid next to still, in units of 1 m/s: nothing", COARSE not in text)
    text = run.rheoplex(*MINOR, out=run.folder("resolution"), np=2).stderr
    gate.true("two modes, of which the second has a 1000th of the stress: of the first alone", "of the stress of mode 0, expected at most 7 %" in text and "mode 1" not in text)
    r = run.rheoplex(*CHANNEL, out=run.folder("resolution"))
    f = run.Fields(r.file("_000001.vtu"))
    y = f.points[:, 1]
    gate.at_most("Poiseuille flow on 4 elements across: its velocity at nodes", float(np.abs(f["velocity"][:, 0] - 4 * y * (1 - y)).max()), 1e-8)
    gate.true("of which its gradients alone are told", "got estimated errors of 27 % of the velocity's gradient" in r.stderr and "do not trust its gradients and stresses;" in r.stderr)
    sizes = {"lu": 4, "ld": 4, "nu": 8, "nd": 8, "na": 2, "nb": 6, "ru": 1, "rd": 1, "ra": 1, "rb": 1}
    mesh = run.gmsh("contraction.geo", "throat", *sizes.items())
    text = run.rheoplex(*THROAT, "-mesh_file", mesh, "-scheme_steady_continuation", "physics_oldroydb_lambda=0.5:0.5:1.5", out=run.folder("resolution")).stderr
    carried = "; what a stress carries along from a corner errs by two to four times that: do not trust"
    gate.true("contraction with 2 elements over the throat at De 1.5", "of the stress, expected at most 7 %, the most at (" in text and carried in text)
    text = run.rheoplex(*THROAT, "-scheme_steady_continuation", "physics_oldroydb_lambda=0.04:0.04:0.04", out=run.folder("resolution")).stderr
    gate.true("on the mesh that comes with it: nothing", COARSE not in text)


def large(gate):
    """With more than a million nodes on a rank who asks is told alone."""
    words = ["-case_name", "c", "-physics", "newtonian", "-physics_newtonian_viscosity", "0.7", "-form_density", "3", "-mesh_box_faces", "1010,1000", "-initial_velocity", "sin(1500*x)*cos(1500*y),0-cos(1500*x)*sin(1500*y)",
             *(w for s in SIDES[2] for w in (f"-bc_{s}_type", "wall")), "-scheme", "lumped", "-scheme_lumped_dt", "1e-8", "-case_length", "1e-8", "-stop_steps", "1", "-device", "cpu", "-output_fields", "false"]
    for what, asked, ranks_ in (("one rank", (), 1), ("one rank that is asked", ("-diagnostic_m_kind", "resolution"), 1), ("two ranks", (), 2)):
        text = run.rheoplex("run", *words, *asked, out=run.folder("resolution"), np=ranks_).stderr
        gate.true(f"1.01 million nodes on {what}", (COARSE in text) == (what != "one rank"))


def numbers(gate):
    for ranks_ in (1, 3):
        words = ["-case_name", "n", "-physics", "newtonian,passive", "-physics_newtonian_viscosity", "0.7", "-physics_passive_diffusivity", "1", "-mesh_box_faces", "5,4", *(w for s in SIDES[2] for w in (f"-bc_{s}_type", "wall")), "-scheme", "lumped", "-device", "cpu"]
        done = subprocess.run([os.environ["RHEOPLEX_MPIEXEC"], "-n", str(ranks_), sys.argv[2], *words, "-output_folder", run.folder("resolution")], capture_output=True, text=True)
        gate.true(f"np {ranks_}: estimates of nothing are 0, of a state that is no number none {done.stdout[-300:] if done.returncode else ''}", done.returncode == 0)


if __name__ == "__main__":
    gate = Gate("resolution")
    {"cells": cells, "meshes": meshes, "ranks": ranks, "end": end, "large": large, "numbers": numbers}[sys.argv[1]](gate)
    sys.exit(gate.finish())
