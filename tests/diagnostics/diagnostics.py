"""diagnostics.py <driver> flow|wall|traction|channel|health: forces, fluxes, wall shear stress and conformation health on known
states."""
import math
import os
import subprocess
import sys

import numpy as np
import run
from gate import Gate, largest

ETA = 0.7
FLOW = ["-physics", "newtonian", "-physics_newtonian_viscosity", str(ETA), "-stabiliser", "split_oss", "-form_density", "1.3",
        "-scheme", "lumped", "-scheme_lumped_dt", "1e-3", "-stop_steps", "1"]


class Measures:
    """Figures of a state: force[label], flux[label], mass, health, finite, and wall(label)."""

    def __init__(self, *options, ranks=1, folder=None):
        self.folder = folder or run.folder("diagnostics")
        command = [sys.argv[1], self.folder, *FLOW, *options]
        if ranks > 1:
            command = [os.environ["RHEOPLEX_MPIEXEC"], "-n", str(ranks)] + command
        process = subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ | {"OMPI_MCA_ess_singleton_isolated": "1"})
        if process.returncode:
            raise run.Failure(f"{' '.join(command)}\nexit code {process.returncode}\n{process.stdout}\n{process.stderr}")
        self.force, self.flux = {}, {}
        for line in process.stdout.splitlines():
            word = line.split()
            if word[0] == "force":
                self.force[word[1]] = np.array(list(map(float, word[2:])))
            elif word[0] == "flux":
                self.flux[word[1]] = float(word[2])
            elif word[0] == "finite":
                self.finite, self.message = word[1] == "1", " ".join(word[2:])
            else:
                setattr(self, word[0], list(map(float, word[1:])))

    def wall(self, label):
        return run.table(f"{self.folder}/{label}.csv")

    def points(self, label):
        """Kind, x, y, arc length."""
        rows = [line.split(",") for line in open(f"{self.folder}/{label}_points.csv")][1:]
        return [(row[0], float(row[3]), float(row[4]), float(row[2])) for row in rows]


def conditions(velocity, *labels):
    """The state's own velocity on each label, so that the initial state stays as it is."""
    return ["-initial_velocity", velocity] + [w for label in labels for w in (f"-bc_{label}_type", "inlet", f"-bc_{label}_velocity", velocity, f"-bc_{label}_polymer", "free")]


def flow(gate):
    box = ["-mesh_box_faces", "6,8", "-mesh_box_upper", "3,1", "-mesh_box_periodic", "x"]
    for ranks in (1, 3):
        m = Measures(*box, *conditions("2*y*(1-y),0", "bottom", "top"), "-form_body_force", f"{4 * ETA},0", ranks=ranks)
        for label in ("bottom", "top"):
            gate.near(f"Poiseuille, np {ranks}: force on {label}", m.force[label][0], 2 * ETA * 3, 1e-12)
        gate.at_most(f"Poiseuille, np {ranks}: force across", largest(abs(f[1]) for f in m.force.values()), 1e-12)
        gate.at_most(f"Poiseuille, np {ranks}: mass error", abs(m.mass[0]), 0)
    m = Measures(*box, *conditions("5*y,0", "bottom", "top"))
    gate.near("Couette: force on the bottom", m.force["bottom"][0], 5 * ETA * 3, 1e-12)
    gate.near("Couette: force on the top", m.force["top"][0], -5 * ETA * 3, 1e-12)
    # Poiseuille between an inlet and an outlet: corner nodes hold the traction of two sides, each side takes its own.
    ends = {"bottom": (2 * ETA * 3, -42 * ETA, 0), "top": (2 * ETA * 3, 42 * ETA, 0), "left": (-20 * ETA, 0, 0), "right": (8 * ETA, 0, 0), "back": (0, 0, -42 * ETA), "front": (0, 0, 42 * ETA)}
    for cell, faces, upper, labels, ranks in (("quadrilateral", "6,8", "3,1", 4, 2), ("hexahedron", "4,5,3", "3,1,1", 6, 3)):
        labels = ("bottom", "left", "right", "top", "back", "front")[:labels]
        m = Measures("-mesh_box_faces", faces, "-mesh_box_upper", upper, "-mesh_box_cell", cell, *conditions("2*y*(1-y),0" + ",0" * (faces.count(",") - 1), *labels), "-initial_pressure", f"{4 * ETA}*(5-x)", ranks=ranks)
        for label in labels:
            gate.at_most(f"Poiseuille, {cell}: force on {label}", float(np.abs(m.force[label] - ends[label]).max()), 1e-12)
    # Hydrostatic pressure p = 1 - 2 y in a closed box at rest: the bottom feels 1, the top -1, downwards and upwards.
    m = Measures("-mesh_box_faces", "5,4", "-mesh_box_cell", "triangle", *conditions("0,0", "bottom", "left", "right", "top"), "-initial_pressure", "1-2*y", "-form_body_force", "0,-2", ranks=2)
    gate.at_most("hydrostatic: sum of the forces against the weight", float(np.abs(sum(m.force.values()) - np.array([0, -2, 0])).max()), 1e-12)
    # Swirl in a closed box: on triangles the shape function of the inner node leaves rounding on the walls, no flow.
    m = Measures("-mesh_box_faces", "6,5", "-mesh_box_cell", "triangle", *conditions("x*(1-x)*y*(1-y)*(y-0.3),x*(1-x)*y*(1-y)*(x-0.4)", "bottom", "left", "right", "top"))
    gate.at_most("mass error of a closed box", abs(m.mass[0]), 0)
    # u = (1 + x, -y): uniform stretching; fluxes are 1 into the left, 2 out of the right, 1 into the top.
    for cell, ranks in (("quadrilateral", 1), ("triangle", 2), ("mixed", 3)):
        m = Measures("-mesh_box_faces", "6,5", "-mesh_box_cell", cell, *conditions("1+x,-y", "bottom", "left", "right", "top"), ranks=ranks)
        worst = largest(abs(m.flux[k] - v) for k, v in (("left", -1), ("right", 2), ("top", -1), ("bottom", 0)))
        gate.at_most(f"fluxes, {cell}, np {ranks}", worst, 1e-13)
        gate.at_most(f"mass error, {cell}, np {ranks}", abs(m.mass[0]), 1e-13)
    m = Measures("-mesh_box_faces", "4,3", *conditions("1+x,0", "bottom", "left", "right", "top"))
    gate.near("mass error of a source", m.mass[0], 1, 1e-13)
    six = ("left", "right", "bottom", "top", "back", "front")
    for cell, ranks in (("hexahedron", 1), ("tetrahedron", 3)):
        m = Measures("-mesh_box_faces", "3,2,4", "-mesh_box_cell", cell, *conditions("1+x+z,-2*y,z+2", *six), ranks=ranks)
        worst = largest(abs(m.flux[k] - v) for k, v in zip(six, (-1.5, 2.5, 0, -2, -2, 3)))
        gate.at_most(f"fluxes, {cell}, np {ranks}", worst, 1e-13)


def write_mesh(path, nodes, names, faces, quads):
    """A Gmsh file: nodes [number, x, y], names of the labels, faces [label, node, node], quads."""
    with open(path, "w") as f:
        f.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n{len(names) + 1}\n")
        f.write("".join(f'1 {k + 1} "{name}"\n' for k, name in enumerate(names)) + f'2 {len(names) + 1} "fluid"\n$EndPhysicalNames\n')
        f.write(f"$Nodes\n{len(nodes)}\n" + "".join(f"{k} {x:.17g} {y:.17g} 0\n" for k, x, y in nodes) + "$EndNodes\n")
        f.write(f"$Elements\n{len(faces) + len(quads)}\n")
        for k, (name, a, b) in enumerate(faces):
            tag = names.index(name) + 1
            f.write(f"{k + 1} 1 2 {tag} {tag} {a} {b}\n")
        for k, c in enumerate(quads):
            f.write(f"{len(faces) + k + 1} 3 2 {len(names) + 1} 1 {' '.join(map(str, c))}\n")
        f.write("$EndElements\n")


def write_duct(path, n, cell):
    """Unit cube of n^3 hexes, or six tets each, mirrored from cube to cube, so that many or few tets meet at a node; labels
    wall (four sides) and ends (x = 0, 1)."""
    at = lambda i, j, k: (i * (n + 1) + j) * (n + 1) + k + 1
    span = range(n)
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    kuhn = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]
    cells, faces = [], []
    for i in span:
        for j in span:
            for k in span:
                hexa = [at(i + a, j + b, k + c) for a, b, c in corners]
                mirror = [at(i + (a ^ i & 1), j + (b ^ j & 1), k + (c ^ k & 1)) for a, b, c in corners]
                tets = [[mirror[q] for q in (tet if (i + j + k) % 2 == 0 else (tet[1], tet[0], *tet[2:]))] for tet in kuhn]
                cells += [hexa] if cell == "hexahedron" else tets
    square = lambda a, b, c, d: [(a, b, c, d)] if cell == "hexahedron" else [(a, b, c), (a, c, d)] if (i + j) % 2 == 0 else [(b, c, d), (b, d, a)]
    for i in span:
        for j in span:
            for e in (0, n):
                faces += [(1, f) for f in square(at(i, e, j), at(i + 1, e, j), at(i + 1, e, j + 1), at(i, e, j + 1))]
                faces += [(1, f) for f in square(at(i, j, e), at(i + 1, j, e), at(i + 1, j + 1, e), at(i, j + 1, e))]
                faces += [(2, f) for f in square(at(e, i, j), at(e, i + 1, j), at(e, i + 1, j + 1), at(e, i, j + 1))]
    with open(path, "w") as f:
        f.write('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 "wall"\n2 2 "ends"\n3 3 "fluid"\n$EndPhysicalNames\n')
        f.write(f"$Nodes\n{(n + 1)**3}\n" + "".join(f"{at(i, j, k)} {i / n:.17g} {j / n:.17g} {k / n:.17g}\n" for i in range(n + 1) for j in range(n + 1) for k in range(n + 1)) + "$EndNodes\n")
        f.write(f"$Elements\n{len(faces) + len(cells)}\n")
        for q, (tag, face) in enumerate(faces):
            f.write(f"{q + 1} {3 if len(face) == 4 else 2} 2 {tag} {tag} {' '.join(map(str, face))}\n")
        for q, c in enumerate(cells):
            f.write(f"{len(faces) + q + 1} {5 if len(c) == 8 else 4} 2 3 1 {' '.join(map(str, c))}\n")
        f.write("$EndElements\n")


def annulus(path, n, m):
    """Quads between circles of radius 1 and 2, n round (unevenly) and m across."""
    at = lambda i, j: (i % n) * (m + 1) + j + 1
    nodes, faces, quads = [], [], []
    for i in range(n):
        for j in range(m + 1):
            r, a = 1 + j / m, 2 * math.pi * (i + 0.3) / n
            a += 0.3 * math.sin(a)
            nodes.append((at(i, j), r * math.cos(a), r * math.sin(a)))
        faces += [("inner", at(i, 0), at(i + 1, 0)), ("outer", at(i, m), at(i + 1, m))]
        quads += [(at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)) for j in range(m)]
    write_mesh(path, nodes, ["inner", "outer"], faces, quads)


def square(path, n, label):
    """n x n quads on the unit square; label: name of the left, bottom, right and top side."""
    at = lambda i, j: i * (n + 1) + j + 1
    span = range(n)
    faces = [(label["left"], at(0, j), at(0, j + 1)) for j in span] + [(label["bottom"], at(i, 0), at(i + 1, 0)) for i in span]
    faces += [(label["right"], at(n, j), at(n, j + 1)) for j in span] + [(label["top"], at(i, n), at(i + 1, n)) for i in span]
    nodes = [(at(i, j), i / n, j / n) for i in range(n + 1) for j in range(n + 1)]
    write_mesh(path, nodes, sorted(set(label.values())), faces, [(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)) for i in span for j in span])


def corners(gate):
    """Couette flow u = 2 y: the traction on a corner's sides differs in direction and sense."""
    path = f"{run.folder('diagnostics')}/square.msh"
    state = ("2*y,0", "rest", "wall")
    square(path, 5, {"left": "wall", "bottom": "wall", "right": "rest", "top": "rest"})
    w = Measures("-mesh_file", path, *conditions(*state), "-initial_pressure", "5", ranks=2).wall("wall")
    gate.true("corner: down the left side, then along the bottom, the corner twice", len(w["s"]) == 12 and np.allclose(np.diff(w["s"]), [0.2] * 5 + [0] + [0.2] * 5) and (w["x"][:6] == 0).all() and (w["y"][6:] == 0).all())
    gate.at_most("corner: shear rate -2 on the left, 2 on the bottom", float(np.abs(w["shear_rate"] - np.repeat([-2, 2], 6)).max()), 1e-10)
    gate.at_most("corner: wall shear stress", float(np.abs(w["wss_y"][:6] - 2 * ETA).max() + np.abs(w["wss_x"][6:] - 2 * ETA).max()), 1e-10)
    square(path, 5, {"left": "rest", "bottom": "wall", "right": "rest", "top": "wall"})
    w = Measures("-mesh_file", path, *conditions(*state), ranks=2).wall("wall")
    gate.true("two walls of one label: parts with arc lengths of their own", list(w["part"]) == [0] * 6 + [1] * 6 and np.allclose(w["s"], np.tile(np.linspace(0, 1, 6), 2)))
    gate.at_most("two walls of one label: shear rate", float(np.abs(w["shear_rate"] - np.repeat([2, -2], 6)).max()), 1e-10)
    square(path, 5, {"left": "wall", "bottom": "wall", "right": "wall", "top": "wall"})
    m = Measures("-mesh_file", path, *conditions("2*y,0", "wall"))
    gate.at_most("a closed wall with four corners: |shear rate|", float(np.abs(np.abs(m.wall("wall")["shear_rate"]) - 2).max()), 1e-10)


def wall(gate):
    sides = ("bottom", "left", "right", "top")
    # States whose interpolant solves the discrete equations: exact on the walls, ends included (to the table's 12 digits).
    # Plates: u = 2 y under a pressure of 5; the upper wall pulls, so its fluid resists. Poiseuille: on quads only.
    states = {"Poiseuille": ("quadrilateral", "2*y*(1-y),0", f"{4 * ETA}*(5-x)", 2), "Couette": ("triangle", "2*y,0", "5", -2)}
    for ranks, (name, (cell, velocity, pressure, top)) in zip((1, 3), states.items()):
        m = Measures("-mesh_box_faces", "7,8", "-mesh_box_upper", "3,1", "-mesh_box_cell", cell, *conditions(velocity, *sides), "-initial_pressure", pressure, ranks=ranks)
        for label, shear in (("bottom", 2), ("top", top)):
            w = m.wall(label)
            gate.true(f"{name}, {label}: 8 nodes in order of x", np.allclose(w["x"], np.linspace(0, 3, 8), atol=1e-11) and np.allclose(w["s"], w["x"], atol=1e-11))
            gate.at_most(f"{name}, {label}: wall shear stress", float(np.hypot(w["wss_x"] - shear * ETA, w["wss_y"]).max()), 1e-10)
            gate.at_most(f"{name}, {label}: shear rate", float(np.abs(w["shear_rate"] - shear).max()), 1e-10)
            gate.at_most(f"{name}, {label}: pressure", float(np.abs(w["pressure"] - (4 * ETA * (5 - w["x"]) if name == "Poiseuille" else 5)).max()), 1e-10)
            gate.at_most(f"{name}, {label}: scaled", float(np.abs(w["shear_rate_scaled"] - w["shear_rate"] / 4).max() + np.abs(w["x_scaled"] - 2 * w["x"]).max()), 1e-10)
    # A periodic wall has no ends.
    m = Measures("-mesh_box_faces", "6,4", "-mesh_box_periodic", "x", *conditions("2*y*(1-y),0", "bottom", "top"), "-form_body_force", f"{4 * ETA},0", ranks=2)
    w = m.wall("top")
    gate.at_most("periodic Poiseuille: shear rate, 6 nodes from x = 0", float(np.abs(w["shear_rate"] - 2).max() + np.abs(w["x"] - np.arange(6) / 6).max()), 1e-12)
    # u = sin(y) cos(pi x) and the source that balances it: shear rate cos(pi x), separation at 0.5, reattachment at 1.5.
    source = f"{ETA}*(2*pi^2+1)*sin(y)*cos(pi*x),{ETA}*pi*cos(y)*sin(pi*x)"
    errors, points = [], []
    meshes = (16, 32, 64)
    for n in meshes:
        m = Measures("-mesh_box_faces", f"{2 * n},{n}", "-mesh_box_upper", "2,1", "-form_convection", "0", *conditions("sin(y)*cos(pi*x),0", *sides), "-form_source_velocity", source)
        w = m.wall("bottom")
        inner = (w["x"] > 0.25) & (w["x"] < 1.75)
        errors.append((float(np.abs(w["shear_rate"] - np.cos(math.pi * w["x"]))[inner].max()), float(np.abs(w["shear_rate"] - np.cos(math.pi * w["x"])).max())))
        found = m.points("bottom")
        gate.true(f"h = 1/{n}: one separation and one reattachment", [point[0] for point in found] == ["separation", "reattachment"])
        points.append(largest(abs(found[0][1] - 0.5), abs(found[1][1] - 1.5)))
        gate.at_most(f"h = 1/{n}: arc length of the points", largest(abs(point[3] - point[1]) for point in found), 1e-12)
    # The same flow upright: points are told by arc length.
    m = Measures("-mesh_box_faces", "16,32", "-mesh_box_upper", "1,2", "-form_convection", "0", *conditions("0,sin(x)*cos(pi*y)", *sides), "-form_source_velocity", ",".join(
        reversed(source.replace("x", "z").replace("y", "x").replace("z", "y").split(","))))
    found = m.points("left")
    gate.true("upright wall: one separation and one reattachment", sorted(point[0] for point in found) == ["reattachment", "separation"])
    gate.at_most("upright wall: arc length of the points", largest(abs(point[3] - place) for point, place in zip(sorted(found, key=lambda p: p[3]), (0.5, 1.5))), 1e-4)
    # Signs that change in the cell beside a corner are those of an extrapolation: not told. u = y (x - 0.02).
    m = Measures("-mesh_box_faces", "16,16", "-form_convection", "0", *conditions("y*(x-0.02),-y*y/2", *sides), "-form_source_velocity", f"0,{ETA}")
    gate.true("no point beside a corner", m.points("bottom") == [])
    h = [1 / n for n in meshes]
    gate.at_least("order of the wall shear rate away from the ends", min(run.order(h, [e[0] for e in errors])), 1.9)
    gate.at_least("order of the wall shear rate with the ends", min(run.order(h, [e[1] for e in errors])), 1.9)
    gate.at_most("error of the wall shear rate, h = 1/64", errors[-1][1], 2e-4)
    gate.at_most("error of separation and reattachment, h = 1/64", points[-1], 1e-6)
    # Between circles of radius 1 and 2, under a large pressure, u_theta = a r + b/r with u(1) = 0, u(2) = 1: shear rate 2 |b| / r^2 on a circle.
    b = -2 / 3
    turn = f"({-b}-{-b}/(x^2+y^2))"
    velocity = f"0-y*{turn},x*{turn}"
    errors = []
    for n in (24, 48):
        path = f"{run.folder('diagnostics')}/annulus.msh"
        annulus(path, n, n // 4)
        m = Measures("-mesh_file", path, "-form_convection", "0", *conditions(velocity, "inner", "outer"), "-initial_pressure", "100", ranks=1 if n == 24 else 2)
        w = m.wall("inner")
        first, second = np.array([w["x"][0], w["y"][0]]), np.array([w["x"][1], w["y"][1]])
        gate.true(f"circle, n = {n}: from the left, upwards", len(w["x"]) == n and first[0] == w["x"].min() and second[1] > first[1])
        gate.near(f"circle, n = {n}: arc length", w["s"][-1], float(np.hypot(np.diff(w["x"]), np.diff(w["y"])).sum()), 1e-10)
        # along decreasing angle the flow near the inner circle runs backwards; the fluid drags the inner circle along
        errors.append(largest(float(np.abs(w["shear_rate"] + 2 * abs(b)).max()), float(np.abs(m.wall("outer")["shear_rate"] - abs(b) / 2).max())))
        stress = float(np.abs(np.hypot(w["wss_x"], w["wss_y"]) / ETA - 2 * abs(b)).max())
        torque = w["x"] * w["wss_y"] - w["y"] * w["wss_x"]
        gate.true(f"circle, n = {n}: the fluid turns the inner circle with it", bool((torque > 0).all()))
    gate.at_least("circle: order", run.order([2, 1], errors)[0], 1.8)
    gate.at_most("circle: error of the shear rate", errors[-1], 2e-2)
    gate.at_most("circle: error of the wall shear stress over the viscosity", stress, 1e-2)
    corners(gate)
    # Walls of a 3D channel: plane Poiseuille, Couette.
    six = ("left", "right", "bottom", "top", "back", "front")
    for cell, velocity, pressure, sign, ranks in (("hexahedron", "2*y*(1-y),0,0", f"{4 * ETA}*(5-x)", 1, 3), ("tetrahedron", "2*y,0,0", "5", -1, 1)):
        m = Measures("-mesh_box_faces", "4,5,4", "-mesh_box_cell", cell, *conditions(velocity, *six), "-initial_pressure", pressure, ranks=ranks)
        w = m.wall("top")
        gate.true(f"3D, {cell}: 25 nodes", len(w["x"]) == 25)
        gate.at_most(f"3D, {cell}: wall shear stress", float(largest(np.abs(w["wss_x"] - sign * 2 * ETA).max(), np.abs(w["wss_y"]).max(), np.abs(w["wss_z"]).max())), 1e-10)
        gate.at_most(f"3D, {cell}: shear rate", float(np.abs(w["shear_rate"] - 2).max()), 1e-10)


SIDES = {2: ("bottom", "left", "right", "top"), 3: ("left", "right", "bottom", "top", "back", "front")}
POLYMER = ["-physics", "newtonian,oldroydb", "-physics_oldroydb_viscosity", "2", "-physics_oldroydb_lambda", "2", "-polymer_variable", "stress"]


def linear_stress(gate):
    """Fluid at rest, polymer stress linear in space: reactions are the integrals of N times the traction, which is met exactly."""
    for cell, ranks in (("triangle", 1), ("mixed", 3), ("quadrilateral", 2)):
        m = Measures(*POLYMER, "-mesh_box_faces", "7,6", "-mesh_box_cell", cell, *conditions("0,0", *SIDES[2]), "-initial_conformation", "2+y,1,0.3+0.5*x-0.2*y", "-form_source_velocity", "0.2,-0.5", ranks=ranks)
        w = m.wall("bottom")
        gate.at_most(f"linear stress, {cell}, np {ranks}: wall shear stress", float(np.hypot(w["wss_x"] - 0.3 - 0.5 * w["x"], w["wss_y"]).max()), 1e-10)
    for cell, ranks in (("tetrahedron", 3), ("hexahedron", 1)):
        m = Measures(*POLYMER, "-mesh_box_faces", "5,4,6", "-mesh_box_cell", cell, *conditions("0,0,0", *SIDES[3]), "-initial_conformation", "3,3,3,0.4-0.3*x+0.1*z,0,0.3+0.5*x-0.2*y+0.7*z", "-form_source_velocity", "0.2,-0.6,0", ranks=ranks)
        w = m.wall("bottom")
        error = np.abs(w["wss_x"] - 0.3 - 0.5 * w["x"] - 0.7 * w["z"]) + np.abs(w["wss_z"] - 0.4 + 0.3 * w["x"] - 0.1 * w["z"]) + np.abs(w["wss_y"])
        gate.at_most(f"linear stress, {cell}, np {ranks}: wall shear stress, edges included", float(error.max()), 1e-10)


def order_of_stress(gate):
    """States whose traction bends along the wall and whose velocity bends across it, with the sources that balance them: largest error on the bottom, ends included."""
    across, bend = "(sin(y)+y^2)", "(2-sin(y))"
    tau = "0.5*exp(y)*sin(2*x+0.5)"  # the polymer's shear stress; its normal stresses are equal, so that c is positive definite
    forces = {"newtonian": ("0", "0"), "oldroydb": ("0.5*exp(y)*sin(2*x+0.5)", "exp(y)*cos(2*x+0.5)")}
    plane = f"{across}*cos(pi*x+0.4)"
    plane_source = lambda law: f"{ETA}*(2*pi^2*{across}-{bend})*cos(pi*x+0.4)-{forces[law][0]},{ETA}*pi*(cos(y)+2*y)*sin(pi*x+0.4)-{forces[law][1]}"
    space = f"{across}*cos(pi*x+0.4)*cos(pi*z+0.3)"
    space_source = lambda law: (f"{ETA}*(3*pi^2*{across}-{bend})*cos(pi*x+0.4)*cos(pi*z+0.3)-{forces[law][0]},{ETA}*pi*(cos(y)+2*y)*sin(pi*x+0.4)*cos(pi*z+0.3)-{forces[law][1]},"
                                f"0-{ETA}*pi^2*{across}*sin(pi*x+0.4)*sin(pi*z+0.3)")
    for law, cell, meshes in (("newtonian", "triangle", (16, 32)), ("oldroydb", "triangle", (16, 32)), ("newtonian", "mixed", (16, 32)),
                              ("newtonian", "tetrahedron", (7, 14)), ("oldroydb", "tetrahedron", (7, 14)), ("oldroydb", "hexahedron", (7, 14))):
        dim, errors, rates = 3 if cell in ("tetrahedron", "hexahedron") else 2, [], []
        for n in meshes:
            polymer = [*POLYMER, "-initial_conformation", f"3,3,{tau}" if dim == 2 else f"3,3,3,0,0,{tau}"] if law == "oldroydb" else []
            m = Measures("-mesh_box_faces", f"{2 * n},{n}" if dim == 2 else f"{n},{n},{n}", "-mesh_box_upper", "2,1" if dim == 2 else "1,1,1", "-mesh_box_cell", cell, "-form_convection", "0",
                         *conditions(f"{plane},0" if dim == 2 else f"{space},0,0", *SIDES[dim]), "-form_source_velocity", plane_source(law) if dim == 2 else space_source(law), *polymer)
            w = m.wall("bottom")
            rate = np.cos(math.pi * w["x"] + 0.4) * (np.cos(math.pi * w["z"] + 0.3) if dim == 3 else 1)
            stress = ETA * rate + (0.5 * np.sin(2 * w["x"] + 0.5) if law == "oldroydb" else 0)
            errors.append(float(np.hypot(w["wss_x"] - stress, w["wss_z"] if dim == 3 else 0).max()))
            rates.append(float(np.abs(w["shear_rate"] - (rate if dim == 2 else np.abs(rate))).max()))
        gate.at_least(f"order of the wall shear stress, {law}, {cell}", run.order([2, 1], errors)[0], 1.8)
        gate.at_most(f"error of the wall shear stress, {law}, {cell}", errors[1], 0.15 if dim == 3 else 0.02)
        gate.at_least(f"order of the wall shear rate, {law}, {cell}", run.order([2, 1], rates)[0], 1.8)


def duct(gate):
    """One label on the four sides of a duct: each side for itself, up to its edges."""
    for cell in ("hexahedron", "tetrahedron"):
        errors = []
        for n in (8, 16):
            path = f"{run.folder('diagnostics')}/duct.msh"
            write_duct(path, n, cell)
            m = Measures("-mesh_file", path, "-form_convection", "0", *conditions("4*y*(1-y)*z*(1-z),0,0", "wall", "ends"), "-form_source_velocity", f"{8 * ETA}*(y*(1-y)+z*(1-z)),0,0")
            w = m.wall("wall")
            side = np.minimum(w["y"], 1 - w["y"]) > np.minimum(w["z"], 1 - w["z"])
            s = np.where(side, w["y"], w["z"])
            errors.append(float(np.abs(w["wss_x"] - 4 * ETA * s * (1 - s)).max()))
        gate.at_least(f"duct, {cell}: order of the wall shear stress", run.order([2, 1], errors)[0], 1.8)


def channel(gate):
    """Steady Poiseuille flow of an Oldroyd-B fluid, from rest: the body force's share at every node of the wall."""
    for cell, faces in (("triangle", "4,8"), ("mixed", "4,8"), ("tetrahedron", "4,6,4")):
        dim = faces.count(",") + 1
        result = run.rheoplex("run", "-case_name", "channel", "-mesh_box_lower", "0,0,0"[:2 * dim - 1], "-mesh_box_upper", "1,1,1"[:2 * dim - 1], "-mesh_box_faces", faces, "-mesh_box_cell", cell,
                              "-mesh_box_periodic", "x" if dim == 2 else "xz", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-form_body_force", "3,0,0"[:2 * dim - 1],
                              "-stabiliser", "split_oss", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.6", "-physics_oldroydb_viscosity", "0.4", "-physics_oldroydb_lambda", "0.2",
                              "-diagnostic_wall", "bottom", "-diagnostic_history_every", "100", "-scheme_lumped_dt", "0.002", "-stop_steady_tol", "1e-9", "-stop_time", "40", out=run.folder("diagnostics"))
        w = result.table("_wall_bottom.csv")
        gate.at_most(f"Poiseuille flow, {cell}: wall shear stress", float(np.abs(w["wss_x"] - 1.5).max()), 1e-6)


def traction(gate):
    linear_stress(gate)
    order_of_stress(gate)
    duct(gate)


def health(gate):
    polymer = ["-physics", "newtonian,oldroydb", "-physics_oldroydb_modes", "2", "-physics_oldroydb_viscosity", "1", "-physics_oldroydb_lambda", "1",
               "-polymer_variable", "conformation", "-mesh_box_faces", "6,5", "-mesh_box_periodic", "xy"]
    # mode 1: eigenvalues a +- 0.5 with a = 1 + x (x < 5/6), least at x = 0 (0.5); mode 0: at rest
    for ranks in (1, 3):
        m = Measures(*polymer, "-initial_conformation", "1,1,0;1+x+y,1+x+y,0.5", ranks=ranks)
        least, x, y, _, trace, mode, bad = m.health
        gate.near(f"np {ranks}: smallest eigenvalue", least, 0.5, 1e-14)
        gate.near(f"np {ranks}: of mode", mode, 1, 0)
        gate.at_most(f"np {ranks}: at the origin", abs(x) + abs(y), 1e-14)
        gate.near(f"np {ranks}: largest trace", trace, 2 * (1 + 5 / 6 + 4 / 5) + 1, 1e-12)
        gate.near(f"np {ranks}: nodes that are not positive definite", bad, 0, 0)
        gate.true(f"np {ranks}: finite", m.finite and not m.message)
        m = Measures(*polymer, ranks=ranks, folder="shear 1.5")  # c_xy of mode 1 where x > 0.4
        gate.near(f"np {ranks}: 3 of 6 columns are not positive definite", m.health[-1], 15, 0)
        m = Measures(*polymer, ranks=ranks, folder="shear 1")
        gate.near(f"np {ranks}: 3 of 6 columns are semi-definite", m.health[-1], 15, 0)
        m = Measures(*polymer, ranks=ranks, folder="poison")
        gate.true(f"np {ranks}: NaN is found: {m.message}", not m.finite and "velocity is nan" in m.message and "t = 2" in m.message and "dt = 0.5" in m.message and "Wi 3" in m.message)
    gate.near("np 3: of a NaN in the velocity the conformation is well", m.health[0], 1, 1e-14)


def main():
    what = sys.argv[2]
    gate = Gate(f"diagnostics_{what}")
    {"flow": flow, "wall": wall, "traction": traction, "channel": channel, "health": health}[what](gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
