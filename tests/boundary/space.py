"""Conditions in space against flows that are known. space.py rotating | duct | secondary | inlet

rotating: a cylinder that turns within a tube, its axis oblique, joined at its ends: u = A r + B/r and the torques. duct: a force in a joined duct of
rectangular section, its flow and its flow rate the series'. secondary: a Giesekus fluid in a square duct, whose second normal stress difference drives eight
vortices: those of the viscometric stresses in a Stokes flow, by a Galerkin method, in a quarter and, behind an oblique plane of symmetry, in an eighth of it; an
Oldroyd-B fluid has none. inlet: developed flow into that duct keeps its rate and profile."""
import math
import sys

import mshwrite
import numpy as np
import run
from gate import Gate

RHO, ETA = 3.0, 0.4
BASE = {"case_name": "space", "form_density": RHO, "physics": "newtonian", "physics_newtonian_viscosity": ETA, "stabiliser": "split_oss", "scheme": "steady", "ksp_rtol": 1e-10, "snes_rtol": 1e-12,
        "output_fields": "false"}
R1, R2, LENGTH, SPIN, CENTRE = 0.5, 1.1, 0.6, 0.9, np.array([0.2, -0.3, 0.1])


def case(base, np_=1, **changes):
    words = [w for key, value in {**BASE, **base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, "-device", "cpu", out=run.folder("space"), np=np_, timeout=100)


def oblique(a=0.6, b=0.4):
    return np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]]) @ np.array([[math.cos(b), 0, math.sin(b)], [0, 1, 0], [-math.sin(b), 0, math.cos(b)]])


def tube(folder, nr, nt, T, nz=3):
    """Hexahedra between cylinders, labels inner, outer, low and high."""
    number = lambda i, j, k: (k * (nr + 1) + i) * nt + j % nt
    radius = lambda i: R1 + (R2 - R1) * i / nr
    points = [CENTRE + T @ [radius(i) * math.cos(2 * math.pi * j / nt), radius(i) * math.sin(2 * math.pi * j / nt), LENGTH * k / nz] for k in range(nz + 1) for i in range(nr + 1) for j in range(nt)]
    around = lambda i: [(number(i, j, k), number(i, j + 1, k), number(i, j + 1, k + 1), number(i, j, k + 1)) for j in range(nt) for k in range(nz)]
    across = lambda k: [(number(i, j, k), number(i + 1, j, k), number(i + 1, j + 1, k), number(i, j + 1, k)) for j in range(nt) for i in range(nr)]
    cells = [(*across(k)[n], *across(k + 1)[n]) for k in range(nz) for n in range(nr * nt)]
    return mshwrite.solid(f"{folder}/tube{nr}.msh", points, cells, {"inner": around(0), "outer": around(nr), "low": across(0), "high": across(nz)})


def inside(axis):
    """The wall that rotates, by a direction of length 2 and another point of its axis."""
    return {"bc_inner_type": "rotating_wall", "bc_inner_axis": ",".join(repr(float(2 * a)) for a in axis), "bc_inner_axis_point": ",".join(repr(float(v)) for v in CENTRE + 0.7 * axis)}


def rotating(gate, folder):
    T = oblique()
    axis = T[:, 2]
    b = SPIN / (1 / R1**2 - 1 / R2**2)
    words = {**inside(axis), "mesh_periodic": "low,high", "bc_outer_type": "wall", "bc_inner_angular_velocity": SPIN, "diagnostic_f_kind": "forces", "diagnostic_f_label": "inner,outer",
             "diagnostic_f_torque": "true", "diagnostic_f_centre": ",".join(repr(float(v)) for v in CENTRE)}
    polymer = {"physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.1, "physics_oldroydb_viscosity": ETA - 0.1, "physics_oldroydb_lambda": 0.35, "stabiliser": "devss,split_oss",
               "polymer_variable": "stress"}
    states, errors = {}, {}
    for name, nr, np_, more in ("coarse", 4, 1, {}), ("fine", 8, 1, {}), ("np 2", 4, 2, {}), ("np 3", 4, 3, {}), ("Oldroyd-B", 4, 1, polymer):
        result = case({**words, **more}, np_, mesh_file=tube(folder, nr, 6 * nr, T))
        x, u = (result.checkpoint("positions") - CENTRE) @ T, result.checkpoint()[:, :3] @ T
        r, table = np.hypot(x[:, 0], x[:, 1]), result.table("_f.csv")
        exact = b * (1 / r - r / R2**2)[:, None] * np.stack([-x[:, 1], x[:, 0], 0 * r], axis=1) / r[:, None]
        torque = np.array([[table[f"{label}_torque_{d}"][-1] for d in "xyz"] for label in ("inner", "outer")])
        whole = 4 * math.pi * ETA * b * LENGTH * np.array([-axis, axis])
        states[name], errors[name] = result.checkpoint(), (float(np.abs(u - exact).max()) / (SPIN * R1), float(np.abs(torque - whole).max() / np.abs(whole).max()))
    for k, (name, bound) in enumerate((("velocity", 7e-4), ("torques", 5e-4))):
        gate.at_most(f"rotating, 8 cells: {name}", errors["fine"][k], bound)
        gate.at_least(f"rotating: order of the {name}", math.log2(errors["coarse"][k] / errors["fine"][k]), 1.9)
        gate.at_most(f"rotating, Oldroyd-B, 4 cells: {name}", errors["Oldroyd-B"][k], 0.02)
    for name in "np 2", "np 3":
        gate.at_most(f"rotating, {name}: state", float(np.abs(states[name] - states["coarse"]).max()), 1e-10)


WIDTH, HEIGHT, FORCE = 0.5, 0.3, 7.0  # half of the duct's


def series(y, z):
    """u eta/force over |y| < HEIGHT, |z| < WIDTH (White, Viscous fluid flow, 3-3.3)."""
    u = (HEIGHT**2 - y * y) / 2
    for k in range(40):
        m = (k + 0.5) * math.pi / HEIGHT
        u = u - 2 * (-1) ** k / (HEIGHT * m**3) * np.cos(m * y) * (np.exp(m * (z - WIDTH)) + np.exp(-m * (z + WIDTH))) / (1 + math.exp(-2 * m * WIDTH))
    return u


def duct(gate, folder):
    """y from wall to wall, z from a plane of symmetry."""
    words = {"mesh_box_lower": f"0,{-HEIGHT},0", "mesh_box_upper": f"0.4,{HEIGHT},{WIDTH}", "mesh_periodic": "left,right", "form_body_force": f"{FORCE},0,0", "bc_bottom_type": "wall", "bc_top_type": "wall",
             "bc_back_type": "symmetry", "bc_front_type": "wall"}
    points, weights = np.polynomial.legendre.leggauss(40)
    flow = float(sum(v * w * series(np.array(HEIGHT * a), np.array(WIDTH * (1 + c) / 2)) for a, v in zip(points, weights) for c, w in zip(points, weights)) * HEIGHT * WIDTH / 2)
    mean = flow / (2 * HEIGHT * WIDTH) * FORCE / ETA
    for cell in "hexahedron", "tetrahedron":
        errors, states = [], []
        for n, np_, joined in (6, 1, {}), (12, 1, {}), (6, 2, {}), (6, 3, {}), (6, 2, {"mesh_periodic": None, "mesh_box_periodic": "x"}):
            result = case({**words, **joined}, np_, mesh_box_faces=f"3,{n},{n}", mesh_box_cell=cell)
            x, u = result.checkpoint("positions"), result.checkpoint()
            exact = FORCE / ETA * series(x[:, 1], x[:, 2])
            errors.append(float(np.abs(u[:, :3] - exact[:, None] * [1, 0, 0]).max() / exact.max()))
            states.append(u)
        gate.at_most(f"duct, {cell}, 12 cells: velocity", errors[1], 3e-3)
        gate.at_least(f"duct, {cell}: order", math.log2(errors[0] / errors[1]), 1.9)
        for k, np_ in (2, 2), (3, 3):
            gate.at_most(f"duct, {cell}, np {np_}: state", float(np.abs(states[k] - states[0]).max()), 1e-10)
        gate.at_most(f"duct, {cell}, a periodic box: error less that of the joined one", abs(errors[4] - errors[0]), 1e-10)
        drive = case({**words, "form_body_force": None, "form_mean_velocity": mean, "diagnostic_d_kind": "drive"}, 2, mesh_box_faces="3,12,12", mesh_box_cell=cell).table("_d.csv")
        gate.relative(f"duct, {cell}: force of a mean velocity", float(drive["force"][-1]), FORCE, 0.015)
        gate.relative(f"duct, {cell}: mean velocity", float(drive["mean_velocity"][-1]), mean, 1e-10)


MEAN, SOLVENT, POLYMER, LAMBDA, ALPHA = 0.7, 1.2, 0.02, 1.3, 0.3


def second_difference(rate):
    """N2 of a Giesekus fluid (Bird, Armstrong and Hassager (1987), table 7.3-3)."""
    w = 16 * ALPHA * (1 - ALPHA) * (LAMBDA * rate) ** 2 + 1e-300
    chi = np.sqrt((np.sqrt(1 + w) - 1) / (w / 2))
    return -POLYMER / LAMBDA * (1 - chi) / (1 + (1 - 2 * ALPHA) * chi)


def vortices(slope, at, order=9):
    """Secondary flow in |y|, |z| < 1 at points `at`: eta (lap psi, lap phi) = -(N2 n n, grad(phi_z, -phi_y)), n the direction of the primary flow's gradient slope(y, z),
    phi = (1 - y^2)^2 (1 - z^2)^2 y^i z^j, i and j odd."""
    line = np.polynomial.polynomial
    odd = [line.polymul([1, 0, -2, 0, 1], [0] * k + [1]) for k in range(1, order + 1, 2)]
    derivative = lambda c, x, m: line.polyval(x, line.polyder(c, m) if m else c)
    pairs = [(f, g) for f in odd for g in odd]
    basis = lambda y, z, a, b: np.array([derivative(f, y, a) * derivative(g, z, b) for f, g in pairs])
    x, w = np.polynomial.legendre.leggauss(60)
    x, w = (x + 1) / 2, w / 2
    y, z = (v.ravel() for v in np.meshgrid(x, x))
    w = np.outer(w, w).ravel()
    lap = basis(y, z, 2, 0) + basis(y, z, 0, 2)
    uy, uz = slope(y, z)
    over = second_difference(np.hypot(uy, uz)) / (uy**2 + uz**2)
    mixed = basis(y, z, 1, 1)
    power = over * (uy * uy * mixed + uy * uz * (basis(y, z, 0, 2) - basis(y, z, 2, 0)) - uz * uz * mixed)
    c = np.linalg.solve(SOLVENT * (lap * w) @ lap.T, -power @ w)
    return np.stack([c @ basis(*at, 0, 1), -c @ basis(*at, 1, 0)], axis=1)


def square(y, z):
    """u eta/force in |y|, |z| < 1, and its slopes."""
    u, uy, uz = (1 - y * y) / 2, -y, 0 * y
    for k in range(60):
        m, sign = (k + 0.5) * math.pi, (-1) ** k
        c = 2 * sign / m**3
        grow, fall = np.exp(m * (z - 1)), np.exp(-m * (z + 1))
        whole = 1 + math.exp(-2 * m)
        u, uy, uz = u - c * np.cos(m * y) * (grow + fall) / whole, uy + c * m * np.sin(m * y) * (grow + fall) / whole, uz - c * m * np.cos(m * y) * (grow - fall) / whole
    return u, uy, uz


def wedge(folder, n, layers=3, length=0.6):
    """Tetrahedra of 0 < z < y < 1, graded to the wall y = 1; labels left, right, flat (z = 0), oblique (y = z) and wall."""
    number = lambda k, i, j: k * (n + 1) * (n + 2) // 2 + i * (i + 1) // 2 + j
    at = lambda i: (i / n) * (1.3 - 0.3 * i / n)
    points = [(length * k / layers, at(i), at(i) * j / i if i else 0.0) for k in range(layers + 1) for i in range(n + 1) for j in range(i + 1)]
    triangles = [(i, j, i + 1, j, i + 1, j + 1) for i in range(n) for j in range(i + 1)] + [(i, j, i + 1, j + 1, i, j + 1) for i in range(n) for j in range(i)]
    end = lambda k: [tuple(number(k, *t[m:m + 2]) for m in (0, 2, 4)) for t in triangles]
    cells, along = [], lambda p: [(number(k, *p[0]), number(k, *p[1]), number(k + 1, *p[1]), number(k + 1, *p[0])) for k in range(layers)]
    for k in range(layers):
        for below, above in zip(end(k), end(k + 1)):
            (a, d), (b, e), (c, f) = sorted(zip(below, above))
            cells += [(a, b, c, f), (a, b, e, f), (a, d, e, f)]
    x = np.array(points)
    cells = [c if np.linalg.det(x[list(c[1:])] - x[c[0]]) > 0 else (c[1], c[0], *c[2:]) for c in cells]
    split = lambda squares: [t for a, b, c, d in squares for t in (((a, b, c), (a, c, d)) if a < b else ((b, a, d), (b, d, c)))]
    rims = {"flat": [((i, 0), (i + 1, 0)) for i in range(n)], "oblique": [((i, i), (i + 1, i + 1)) for i in range(n)], "wall": [((n, j), (n, j + 1)) for j in range(n)]}
    return mshwrite.solid(f"{folder}/wedge{n}.msh", points, cells, {"left": end(0), "right": end(layers), **{name: [t for p in pairs for t in split(along(p))] for name, pairs in rims.items()}})


SQUARE = {"mesh_box_upper": "0.6,1,1", "mesh_periodic": "left,right", "form_convection": "false", "form_mean_velocity": MEAN, "bc_bottom_type": "symmetry", "bc_top_type": "wall", "bc_back_type": "symmetry",
          "bc_front_type": "wall", "physics_newtonian_viscosity": SOLVENT, "stabiliser": "devss,split_oss", "polymer_variable": "stress"}
GIESEKUS = {"physics": "newtonian,giesekus", "physics_giesekus_viscosity": POLYMER, "physics_giesekus_lambda": LAMBDA, "physics_giesekus_alpha": ALPHA}
OLDROYD = {"physics": "newtonian,oldroydb", "physics_oldroydb_viscosity": POLYMER, "physics_oldroydb_lambda": LAMBDA}


def largest(v):
    return float(np.abs(v).max())


def secondary(gate, folder):
    x, w = np.polynomial.legendre.leggauss(40)
    y, z = np.meshgrid((x + 1) / 2, (x + 1) / 2)
    scale = MEAN / float((np.outer(w, w) / 4 * square(y, z)[0]).sum())
    found = {}

    def compare(name, x, state):
        exact, u = vortices(lambda y, z: [scale * v for v in square(y, z)[1:]], x[:, 1:].T), state[:, 1:3]
        at = int(np.argmin(np.hypot(x[:, 1] - 0.5, x[:, 2] - 0.5)))
        gate.relative(f"secondary, {name}: on the diagonal, towards the middle", float(u[at].sum()), float(exact[at].sum()), 0.05)
        gate.at_most(f"secondary, {name}: velocity", largest(u - exact) / largest(exact), 0.2)

    for name, law, n in ("Giesekus", GIESEKUS, 10), ("Oldroyd-B", OLDROYD, 4):
        result = case({**SQUARE, **law}, mesh_box_faces=f"3,{n},{n}")
        x, found[name] = result.checkpoint("positions"), result.checkpoint()
        if name == "Giesekus":
            compare("a quarter", x, found[name])
    eighth = {key: value for key, value in SQUARE.items() if not key.startswith("bc_") and key != "mesh_box_upper"} | {f"bc_{label}_type": "symmetry" for label in ("flat", "oblique")} | {"bc_wall_type": "wall"}
    few, many = wedge(folder, 4), wedge(folder, 10)
    for name, law, mesh, np_ in ("eighth", GIESEKUS, many, 1), ("a", GIESEKUS, few, 1), ("b", GIESEKUS, few, 3), ("c", OLDROYD, few, 1):
        result = case({**eighth, **law}, np_, mesh_file=mesh)
        x, found[name] = result.checkpoint("positions"), result.checkpoint()
        if name == "eighth":
            compare("an eighth", x, found[name])
    gate.at_most("secondary, an eighth, np 3: state", largest(found["b"] - found["a"]), 1e-10)
    gate.at_most("secondary, an eighth, Oldroyd-B: none", largest(found["c"][:, 1:3]), 1e-14)
    gate.at_most("secondary, Oldroyd-B: none", largest(found["Oldroyd-B"][:, 1:3]), 1e-14)


def inlet(gate, folder):
    given = {**SQUARE, "mesh_periodic": None, "form_mean_velocity": None, "bc_left_type": "inlet", "bc_left_flow_rate": MEAN, "bc_right_type": "outlet", "diagnostic_q_kind": "flux", "diagnostic_q_label": "left,right",
             "mesh_box_upper": "1.2,1,1", "mesh_box_faces": "4,6,6"}
    strong = {**GIESEKUS, "physics_newtonian_viscosity": 0.3, "physics_giesekus_viscosity": 0.9}
    for name, law, compare, bound in (("Giesekus", strong, gate.at_least, 0.01),
                                      ("Oldroyd-B", {**OLDROYD, "physics_newtonian_viscosity": 0.3, "physics_oldroydb_viscosity": 0.9}, gate.at_most, 0.002)):
        result = case({**given, **law})
        flux, x, u = result.table("_q.csv"), result.checkpoint("positions"), result.checkpoint()
        first, middle, late = (u[np.abs(x[:, 0] - at) < 1e-9] for at in (0, 0.6, 0.9))
        gate.relative(f"{name}, from an inlet: flow rate in", -float(flux["left_flux"][-1]), MEAN, 1e-12)
        gate.relative(f"{name}, from an inlet: flow rate out", float(flux["right_flux"][-1]), MEAN, 1e-10)
        gate.at_most(f"{name}, from an inlet: its profile halfway", largest(middle[:, 0] - first[:, 0]) / largest(first[:, 0]), 0.015)
        compare(f"{name}, from an inlet: flow across", largest(late[:, 1:3]), bound)


def main(which):
    gate, folder = Gate(f"boundary_space_{which}"), run.folder("space")
    globals()[which](gate, folder)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
