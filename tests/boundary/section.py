"""Developed inflow over a plane label of any shape. section.py <program boundary_section>

The solve over the label's faces against Hagen and Poiseuille and linear PTT over a circle of triangles, the series of a square duct, an
annulus, and finite differences for PTT and Giesekus in a square duct, with its order; stresses at the nodes of a run; half a duct from a plane of symmetry
on; any number of ranks; pulsatile flow in a square duct. Labels over which there is no such flow are refused."""
import math
import os
import subprocess
import sys

import numpy as np
import run
from gate import Gate
from mshwrite import rings
from scipy.optimize import brentq
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve

PROGRAM = sys.argv[1]
HERE = run.folder("section")
ETA, LAMBDA, EPSILON = 0.8, 1.3, 0.25
ALPHA, SOLVENT = 0.3, 0.15
PTT = {"physics": "ptt", "physics_ptt_viscosity": ETA, "physics_ptt_lambda": LAMBDA, "physics_ptt_epsilon": EPSILON, "physics_ptt_form": "linear", "stabiliser": "devss,split_oss",
       "polymer_variable": "stress"}
GIESEKUS = {"physics": "newtonian,giesekus", "physics_newtonian_viscosity": SOLVENT, "physics_giesekus_viscosity": ETA, "physics_giesekus_lambda": LAMBDA, "physics_giesekus_alpha": ALPHA,
            "stabiliser": "devss,split_oss", "polymer_variable": "stress"}
NEWTONIAN = {"physics": "newtonian", "physics_newtonian_viscosity": 0.3, "stabiliser": "split_oss"}
LABELS = {"bc_inlet_type": "inlet", "bc_inlet_velocity": "1,0,0", "bc_outlet_type": "outlet", "bc_wall_type": "wall"}
DUCT = {
    "case_name": "duct", "mesh_box_lower": "0,-0.4,-0.4", "mesh_box_upper": "0.3,0.4,0.4", "mesh_box_faces": "2,8,8", "bc_left_type": "inlet", "bc_right_type": "outlet",
    "bc_bottom_type": "wall", "bc_top_type": "wall", "bc_front_type": "wall", "bc_back_type": "wall", "scheme_lumped_dt": 1e-6, "stop_steps": 1, "output_fields": "false",
}


def write_tets(path, x, triangles, length=0.2):
    """A prism of tets over the triangles of the plane; labels inlet, outlet, wall."""
    n = len(x)
    edges = {}
    for t in triangles:
        for a, b in ((t[0], t[1]), (t[1], t[2]), (t[0], t[2])):
            edges[min(a, b), max(a, b)] = edges.get((min(a, b), max(a, b)), 0) + 1
    rows = []
    for t in triangles:
        a, b, c = sorted(t)
        rows += [(2, 1, (a, b, c)), (2, 2, (a + n, b + n, c + n))]
        for tet in ((a, b, c, c + n), (a, b, b + n, c + n), (a, a + n, b + n, c + n)):
            points = np.array([(length * (k >= n), *x[k % n]) for k in tet])
            volume = np.linalg.det(points[1:] - points[0])
            rows.append((4, 4, tet if volume > 0 else (tet[1], tet[0], *tet[2:])))
    for (a, b), count in edges.items():
        if count == 1:
            rows += [(2, 3, (a, b, b + n)), (2, 3, (a, a + n, b + n))]
    with open(path, "w") as f:
        f.write('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n2 1 "inlet"\n2 2 "outlet"\n2 3 "wall"\n3 4 "fluid"\n$EndPhysicalNames\n')
        f.write(f"$Nodes\n{2 * n}\n" + "".join(f"{k + 1} {length * (k >= n):.16g} {x[k % n][0]:.16g} {x[k % n][1]:.16g}\n" for k in range(2 * n)) + "$EndNodes\n")
        f.write(f"$Elements\n{len(rows)}\n" + "".join(f"{i + 1} {kind} 2 {group} {group} " + " ".join(str(k + 1) for k in nodes) + "\n" for i, (kind, group, nodes) in enumerate(rows))
                + "$EndElements\n")
    return path


def disc(n, radius=0.5):
    return write_tets(f"{HERE}/disc_{n}.msh", *rings(n, 0, lambda k: radius * k / n))


def flow(options, aim, np_=1, label="inlet"):
    """Rows y, z, velocity, slopes along y and z of the label's nodes."""
    words = " ".join(f"-{key} {value}" for key, value in {**options, "options_left": "no"}.items())
    command = ([os.environ["RHEOPLEX_MPIEXEC"], "-n", str(np_)] if np_ > 1 else []) + [PROGRAM, words, label, repr(aim)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    if done.returncode:
        raise run.Failure(f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return np.array([line.split() for line in done.stdout.splitlines()], dtype=float)


def box(n, np_=1, laws=NEWTONIAN, aim=0.7, **changes):
    mesh = {k: v for k, v in DUCT.items() if k.startswith(("mesh", "bc_"))}
    return flow({**mesh, **laws, "bc_left_velocity": "1,0,0", "mesh_box_faces": f"1,{n},{n}", **changes}, aim, np_, "left")


def order(errors):
    return math.log2(errors[0] / errors[1])


def circle(gate):
    """Radius 0.5, mean velocity 0.9: 2 U (1 - r^2/R^2), and linear PTT, g = (T/eta)(1 + 2 epsilon (lambda T/eta)^2), T = T_w r/R."""
    radius, mean = 0.5, 0.9
    aim = mean * math.pi * radius**2

    def speed(tw, r, top=1):
        s = tw / ETA
        return radius * (s * (1 - (r / radius) ** 2) / 2 + top * 2 * EPSILON * LAMBDA**2 * s**3 * (1 - (r / radius) ** 4) / 4)
    def rate(tw):
        s = tw / ETA
        return math.pi * radius**3 * (s / 4 + 2 * EPSILON * LAMBDA**2 * s**3 / 6)
    tw = brentq(lambda v: rate(v) - aim, 0, 100, xtol=1e-14)
    for name, laws, exact, steep in (("Hagen and Poiseuille", NEWTONIAN, lambda r: 2 * mean * (1 - (r / radius) ** 2), lambda r: 4 * mean * r / radius**2),
                                     ("linear PTT", PTT, lambda r: speed(tw, r), lambda r: tw * r / radius / ETA * (1 + 2 * EPSILON * (LAMBDA * tw * r / radius / ETA) ** 2))):
        miss, slopes = [], []
        for n in (6, 12):
            y = flow({**laws, **LABELS, "mesh_file": disc(n)}, aim)
            r = np.hypot(y[:, 0], y[:, 1])
            miss.append(float(np.abs(y[:, 2] - exact(r)).max()) / exact(0))
            slopes.append(float(np.abs(np.hypot(y[:, 3], y[:, 4]) - steep(r)).max()) / steep(radius))
        gate.at_most(f"circle: {name}: velocity", miss[1], 0.012)
        gate.near(f"circle: {name}: order of the velocity", order(miss), 2, 0.25)
        gate.at_most(f"circle: {name}: shear rate, of the wall's", slopes[1], 0.05)
        gate.at_least(f"circle: {name}: order of the shear rate", order(slopes), 1.5)


def series(y, z, a):
    """Velocity of a square duct |y|, |z| < a over the pressure's fall per viscosity."""
    total = np.zeros_like(y)
    for k in range(1, 60, 2):
        b = k * math.pi / (2 * a)
        total += (-1) ** ((k - 1) // 2) / k**3 * (1 - np.cosh(b * z) / math.cosh(b * a)) * np.cos(b * y)
    return 16 * a**2 / math.pi**3 * total


def series_flux(a):
    return 4 * a**4 / 3 * (1 - 192 / math.pi**5 * sum(math.tanh(k * math.pi / 2) / k**5 for k in range(1, 200, 2)))


def square(gate):
    a, aim = 0.4, 0.7
    miss = []
    for n in (8, 16):
        y = box(n)
        exact = series(y[:, 0], y[:, 1], a) * aim / series_flux(a)
        miss.append(float(np.abs(y[:, 2] - exact).max() / exact.max()))
    gate.at_most("square duct: velocity against the series", miss[1], 0.01)
    gate.near("square duct: order", order(miss), 2, 0.2)
    for np_ in (2, 3):
        again = box(16, np_)
        first, second = (v[np.lexsort((np.round(v[:, 1], 9), np.round(v[:, 0], 9)))] for v in (y, again))
        gate.at_most(f"square duct: np {np_} against 1", float(np.abs(first[:, 2] - second[:, 2]).max()), 1e-11)
    tets = box(16, mesh_box_cell="tetrahedron")
    exact = series(tets[:, 0], tets[:, 1], a) * aim / series_flux(a)
    gate.at_most("square duct of triangles: velocity", float(np.abs(tets[:, 2] - exact).max() / exact.max()), 0.011)


def annulus(gate):
    inner, outer, n = 0.2, 0.5, 8
    mesh = write_tets(f"{HERE}/annulus.msh", *rings(n, 32, lambda k: inner + (outer - inner) * k / n))
    y = flow({**NEWTONIAN, **LABELS, "mesh_file": mesh}, 0.7)
    r = np.hypot(y[:, 0], y[:, 1])
    log = math.log(outer / inner)
    exact = (outer**2 - r**2 - (outer**2 - inner**2) * np.log(outer / r) / log) / 4
    rate = math.pi / 8 * (outer**4 - inner**4 - (outer**2 - inner**2) ** 2 / log)
    gate.at_most("annulus: velocity", float(np.abs(y[:, 2] - exact * 0.7 / rate).max() * rate / 0.7 / exact.max()), 0.018)


def ptt_viscosity(g):
    """T/g of linear PTT."""
    s = np.array(g, dtype=float)
    for _ in range(100):
        s -= (s + 2 * EPSILON * LAMBDA**2 * s**3 - g) / (1 + 6 * EPSILON * LAMBDA**2 * s**2)
    return np.where(g > 1e-12, ETA * s / np.maximum(g, 1e-300), ETA)


def giesekus_viscosity(g):
    """Bird, Armstrong and Hassager (1987), table 7.3-3, and the solvent."""
    w = ALPHA * (1 - ALPHA) * (LAMBDA * np.maximum(g, 1e-4)) ** 2
    chi = np.sqrt((np.sqrt(1 + 16 * w) - 1) / (8 * w))
    f = (1 - chi) / (1 + (1 - 2 * ALPHA) * chi)
    return SOLVENT + ETA * (1 - f) ** 2 / (1 + (1 - 2 * ALPHA) * f)


def differences(n, a, fall, viscosity):
    """Velocity on (n + 1)^2 nodes of a quarter of the square duct by second-order differences; its flux."""
    h = a / n
    w = np.zeros((n + 1, n + 1))
    number = -np.ones((n + 1, n + 1), dtype=int)
    number[:n, :n] = np.arange(n * n).reshape(n, n)
    for _ in range(400):
        wide = np.zeros((n + 3, n + 3))
        wide[1:-1, 1:-1] = w
        wide[0, 1:-1], wide[-1, 1:-1] = w[1], -w[n - 1]
        wide[:, 0], wide[:, -1] = wide[:, 2], -wide[:, n]
        def faces(v):
            """Viscosity between rows i and i + 1."""
            along = (v[2:, 1:-1] - v[1:-1, 1:-1]) / h
            across = (v[1:, 2:] - v[1:, :-2]) / (2 * h)
            return viscosity(np.hypot(along, 0.5 * (across[1:] + across[:-1])))
        ey, ez = faces(wide)[:n, :n], faces(wide.T)[:n, :n].T
        rows, columns, values = [], [], []
        load = np.full((n, n), fall * h**2)
        for d, e in ((0, ey), (1, ez)):
            here = number[:n, :n]
            there = number[1:, :n] if d == 0 else number[:n, 1:]
            scale = np.ones((n, n))
            mirror = np.zeros((n, n))
            (mirror[0, :] if d == 0 else mirror[:, 0])[...] = 1
            inside = there >= 0
            for i, j, v in ((here, here, e * (scale + mirror)), (here[inside], there[inside], -(e * (scale + mirror))[inside]), (there[inside], there[inside], e[inside]),
                            (there[inside], here[inside], -e[inside])):
                rows.append(i.ravel()), columns.append(j.ravel()), values.append(v.ravel())
        K = coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))).tocsr()
        new = np.zeros_like(w)
        new[:n, :n] = spsolve(K, load.ravel()).reshape(n, n)
        change = np.abs(new - w).max() / np.abs(new).max()
        w = new
        if change < 1e-11:
            break
    weight = np.ones(n + 1)
    weight[[0, -1]] = 0.5
    return w, 4 * h**2 * float(weight @ w @ weight)


def thinning_square(gate, name, laws, viscosity, fall, bound):
    """A law in the square duct: nodes of the finest differences are of every mesh; Richardson's extrapolation."""
    a = 0.4
    coarse, q1 = differences(16, a, fall, viscosity)
    fine, q2 = differences(32, a, fall, viscosity)
    aim, centre = (4 * q2 - q1) / 3, (4 * fine[0, 0] - coarse[0, 0]) / 3
    exact = (4 * fine[::8, ::8] - coarse[::4, ::4]) / 3
    gate.note(f"square duct: {name}: centre over mean velocity", centre / (aim / (2 * a) ** 2))
    miss = []
    for n in (8, 16):
        y = box(n, laws=laws, aim=aim)
        at = [np.argmin(np.hypot(y[:, 0] - a * i / 4, y[:, 1] - a * j / 4)) for i in range(5) for j in range(5)]
        miss.append(float(np.abs(y[at, 2] - exact.ravel()).max() / centre))
    gate.at_most(f"square duct: {name}: velocity against differences", miss[1], bound)
    gate.near(f"square duct: {name}: order", order(miss), 2, 0.2)
    wall = y[np.abs(y[:, 0] - a) < 1e-9]
    wall = wall[np.argsort(wall[:, 1])]
    rate = np.hypot(wall[:, 3], wall[:, 4])
    gate.relative(f"square duct: {name}: mean shear stress of the walls", run.trapezoid(wall[:, 1], viscosity(rate) * rate) / (2 * a), fall * a / 2, 0.04)
    return aim


def case(base, expect=0, np_=1, **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, out=run.folder("section"), expect=expect, np=np_, timeout=100)


def runs(gate, aim):
    """The inlet of a run at its second value: velocity and flux; T_xx = 2 lambda T^2/eta; half the duct from a plane of
    symmetry on."""
    alone = box(8, laws=PTT, aim=aim)
    alone = alone[np.argmin(np.hypot(alone[:, 0], alone[:, 1])), 2]
    for name, np_, changes in (("np 1", 1, {}), ("np 3", 3, {}), ("half", 2, {"mesh_box_lower": "0,0,-0.4", "mesh_box_faces": "2,4,8", "bc_bottom_type": "symmetry"})):
        q = (0.5 if name == "half" else 1) * aim
        result = case({**DUCT, **PTT}, np_=np_, bc_left_flow_rate=f"{q / 1.1!r}*(1+1e5*t)", **changes)
        x, state = result.checkpoint("positions"), result.checkpoint()
        at = np.flatnonzero(np.abs(x[:, 0]) < 1e-9)
        centre = at[np.argmin(np.hypot(x[at, 1], x[at, 2]))]
        gate.relative(f"run, {name}: middle velocity", float(state[centre, 0]), float(alone), 1e-7)
        if name != "np 1":
            continue
        gate.near("run: flux of the nodes", 0.01 * float(state[at, 0].sum()), q, 1e-11)
        wall = at[np.abs(x[at, 1] - 0.4) < 1e-9]
        wall = wall[np.argsort(x[wall, 2])]
        shear = np.abs(state[wall, 4 + 5])
        gate.at_most("run: normal stress at the wall", float(np.abs(state[wall, 4] - 2 * LAMBDA * (shear**2 + state[wall, 4 + 4] ** 2) / ETA).max()), 1e-8)
    result = case({**DUCT, **NEWTONIAN}, bc_left_profile="developed", bc_left_maximum_velocity=1.7, mesh_box_faces="2,6,9")
    x, state = result.checkpoint("positions"), result.checkpoint()
    gate.near("run: largest velocity", float(state[np.abs(x[:, 0]) < 1e-9, 0].max()), 1.7, 1e-10)


def wave_in_duct(y, z, a, nu, omega):
    """A square duct |y|, |z| < a: velocity that a unit gradient of pressure over viscosity exp(i omega t) drives, in cosines along y, and its flux."""
    total, flux = np.zeros(y.shape, dtype=complex), 0
    for k in range(1, 400, 2):
        b = k * math.pi / (2 * a)
        m = np.sqrt(b**2 + 1j * omega / nu)
        load = 4 * (-1) ** ((k - 1) // 2) / (math.pi * k) / m**2
        total += load * np.cos(b * y) * (1 - (np.exp(m * (z - a)) + np.exp(-m * (z + a))) / (1 + np.exp(-2 * m * a)))
        flux += load * 2 * math.sin(b * a) / b * (2 * a - 2 * np.tanh(m * a) / m)
    return total, flux


def pulsatile(gate):
    """Mean, harmonics 1 and 3 of the flow rate in a square duct against their series; ranks; half the duct."""
    a, nu, t = 0.4, 0.3 / 1.7, 0.13
    laws = {**NEWTONIAN, "form_density": 1.7, "bc_left_profile": "womersley", "bc_left_flow_rate": "0.5+0.4*sin(5*pi*t)+0.2*cos(15*pi*t)", "bc_left_period": 0.4,
            "scheme_lumped_dt": t}
    miss = []
    for n, np_, changes in ((8, 1, {}), (16, 1, {}), (16, 3, {}), (16, 2, {"mesh_box_lower": "0,0,-0.4", "mesh_box_faces": "2,8,16", "bc_bottom_type": "symmetry",
                                                                           "bc_left_flow_rate": "0.25+0.2*sin(5*pi*t)+0.1*cos(15*pi*t)"})):
        result = case({**DUCT, **laws, "mesh_box_faces": f"2,{n},{n}"}, np_=np_, **changes)
        x, state = result.checkpoint("positions"), result.checkpoint()
        at = np.abs(x[:, 0]) < 1e-9
        exact = 0.5 * series(x[at, 1], x[at, 2], a) / series_flux(a)
        for rate, k in ((-0.4j, 1), (0.2, 3)):
            shape, flux = wave_in_duct(x[at, 1], x[at, 2], a, nu, 5 * math.pi * k)
            exact = exact + (rate * np.exp(5j * math.pi * k * t) * shape / flux).real
        miss.append(float(np.abs(state[at, 0] - exact).max() / np.abs(exact).max()))
    gate.at_most("Womersley flow in a square duct against its series", miss[1], 0.012)
    gate.near("Womersley flow in a square duct: order", order(miss), 2, 0.4)
    gate.near("Womersley flow in a square duct: np 3", miss[2], miss[1], 1e-10)
    gate.near("Womersley flow in half a square duct", miss[3], miss[1], 1e-9)


def pulsatile_behind(gate):
    """Three periods of that flow in a quarter of a duct from rest: all nodes against the series."""
    a, nu, t = 0.35, 0.06 / 1.5, 1.3
    flow = case({**DUCT, **NEWTONIAN}, mesh_box_lower="0,0,0", mesh_box_upper="0.3,0.35,0.35", mesh_box_faces="3,16,16", physics_newtonian_viscosity=0.06, form_density=1.5,
                bc_left_profile="womersley", bc_left_flow_rate="0.125+0.1*sin(5*pi*t)+0.05*cos(15*pi*t)", bc_left_period=0.4, bc_bottom_type="symmetry", bc_back_type="symmetry",
                scheme_lumped_dt=None, stop_steps=None, scheme="fractional_step", scheme_fractional_step_integrator="bdf2", scheme_fractional_step_dt=0.004, stop_time=t)
    x, state = flow.checkpoint("positions"), flow.checkpoint()
    exact = 0.5 * series(x[:, 1], x[:, 2], a) / series_flux(a)
    for rate, k in ((-0.4j, 1), (0.2, 3)):
        shape, flux = wave_in_duct(x[:, 1], x[:, 2], a, nu, 5 * math.pi * k)
        exact = exact + (rate * np.exp(5j * math.pi * k * t) * shape / flux).real
    for place in (0.1, 0.2, 0.3):
        at = np.abs(x[:, 0] - place) < 1e-9
        gate.at_most(f"Womersley flow in a quarter of a duct, at {place}", float(np.abs(state[at, 0] - exact[at]).max() / np.abs(exact).max()), 0.01)


def refused(gate):
    bent = {**NEWTONIAN, **LABELS, "case_name": "bent", "bc_inlet_velocity": None, "bc_inlet_flow_rate": 0.7, "scheme_lumped_dt": 1e-6, "stop_steps": 1, "output_fields": "false"}
    x, triangles = rings(4, 0, lambda k: 0.125 * k)
    mesh = write_tets(f"{HERE}/flat.msh", x * [1, 1.3], triangles)
    lines = open(mesh).read().splitlines()
    lines[lines.index("1 0 0 0")] = "1 -0.05 0 0"
    open(f"{HERE}/bent.msh", "w").write("\n".join(lines) + "\n")
    swapped = {**bent, "mesh_file": f"{run.MESHES}/tube_bulge.msh", "bc_inlet_profile": "parabolic", "bc_wall_type": "outlet", "bc_outlet_type": "wall"}
    cases = [(bent, {"mesh_file": f"{HERE}/bent.msh"}, ("-bc_inlet_profile developed", "curved label", "expected a plane one")),
             ({**DUCT, **NEWTONIAN}, {"bc_left_flow_rate": 1, "bc_top_type": "outlet"}, ("-bc_left_profile developed", "an edge of its rim, at (0, 0.4,", "'top', type outlet")),
             (swapped, {}, ("-bc_inlet_profile parabolic", "got a label with no node on a wall without slip (beside it: 'wall', type outlet); expected a circle ended by walls")),
             (swapped, {"bc_inlet_profile": "developed"}, ("an edge of its rim", "(beside it: 'wall', type outlet)")),
             ({**DUCT, **NEWTONIAN}, {"bc_left_flow_rate": 1, "mesh_box_faces": "2,1,1"}, ("-bc_left_profile developed", "4 nodes on walls without slip and 0 others")),
             ({**DUCT, **NEWTONIAN}, {"bc_left_profile": "parabolic", "bc_left_flow_rate": 1}, ("-bc_left_profile parabolic", "expected a circle", "developed"))]
    for base, changes, expected in cases:
        gate.refused(case(base, expect=None, np_=2 if "bent" in str(changes) or base is swapped else 1, **changes), expected)


def main():
    gate = Gate("boundary_section")
    for check in (circle, square, annulus):
        check(gate)
    pulsatile(gate)
    pulsatile_behind(gate)
    thinning_square(gate, "Giesekus", GIESEKUS, giesekus_viscosity, 12.0, 0.0105)
    runs(gate, thinning_square(gate, "PTT", PTT, ptt_viscosity, 18.0, 0.0145))
    refused(gate)
    return gate.finish()


sys.exit(main())
