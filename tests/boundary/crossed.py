"""Flow that pressures alone drive through open labels, which is crossed along the normal (-bc_<label>_tangential zero). crossed.py plane | space | growth | told

plane: an oblique channel, triangles and quadrilaterals, by every scheme and on 1 to 3 ranks: the parabola, the given pressures and no velocity in the plane of the label; the swirl is 0 there too.
space: an oblique duct of hexahedra with a square section: its flow rate is the series'. growth: a channel at Re 100 has a mode that grows where the velocity is free, none else; a
pressure that swings, with fluid that comes in by turns at both ends, has the series' flow. told: what a run says of such an inflow, and of a label that is no plane."""
import math
import sys

import mshwrite
import numpy as np
import run
from gate import Gate, largest

RHO, ETA, DROP, LENGTH = 3.0, 0.3, 2.7, 1.5
OPEN = {"case_name": "crossed", "form_density": RHO, "physics": "newtonian", "physics_newtonian_viscosity": ETA, "bc_left_type": "outlet", "bc_left_pressure": DROP, "bc_left_tangential": "zero",
        "bc_right_type": "outlet", "bc_right_tangential": "zero", "bc_bottom_type": "wall", "bc_top_type": "wall", "output_fields": "false", "device": (sys.argv[2:] or ["cpu"])[0]}
STEADY = {"scheme": "steady", "ksp_rtol": 1e-10, "snes_rtol": 1e-12}
TIME = {"bdf2": {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": 0.02}, "ssp3": {"scheme": "fractional_step", "scheme_fractional_step_integrator": "ssp3", "scheme_fractional_step_dt": 0.005},
        "lumped": {"scheme": "lumped", "scheme_lumped_dt": 0.005}, "monolithic": {"scheme": "monolithic", "scheme_monolithic_dt": 0.1}}
TILT = np.array([[math.cos(0.5), -math.sin(0.5)], [math.sin(0.5), math.cos(0.5)]])


def case(*words, np_=1, verb="run", expect=0, **changes):
    words = [w for base in words for key, value in base.items() if key not in changes for w in (f"-{key}", value)]
    return run.rheoplex(verb, *words, *[w for key, value in changes.items() if value is not None for w in (f"-{key}", value)], out=run.folder("crossed"), np=np_, expect=expect)


def along(result):
    """Positions, velocity and pressure in the channel's own directions."""
    state = result.checkpoint()
    dim = result.checkpoint("positions").shape[1]
    T = TILT if dim == 2 else np.block([[TILT, np.zeros((2, 1))], [np.zeros((1, 2)), np.eye(1)]])
    return result.checkpoint("positions") @ T, state[:, :dim] @ T, state[:, dim]


def plane(gate):
    folder, states = run.folder("crossed"), []
    for triangles, np_ in (False, 1), (True, 1), (False, 2), (False, 3):
        mesh = mshwrite.channel(f"{folder}/tilted{triangles}.msh", 8, 12, lambda i, j: TILT @ [LENGTH * i / 8, j / 12], triangles=triangles)
        result = case(OPEN, STEADY, np_=np_, mesh_file=mesh)
        x, u, p = along(result)
        ends = np.abs(x[:, 0] - LENGTH / 2) > LENGTH / 2 - 1e-9
        name = f"{'triangles' if triangles else 'quads'}, np {np_}"
        gate.at_most(f"{name}: velocity in the plane", largest(np.abs(u[ends, 1])), 1e-13)
        gate.at_most(f"{name}: velocity, of the parabola's largest", largest(np.abs(u[:, 0] - DROP / LENGTH / (2 * ETA) * x[:, 1] * (1 - x[:, 1]))) / (DROP / LENGTH / (8 * ETA)), 0.01 if triangles else 1e-9)
        gate.at_most(f"{name}: pressure, of the drop", largest(np.abs(p - DROP * (1 - x[:, 0] / LENGTH))) / DROP, 0.012 if triangles else 1e-9)
        states.append(result.checkpoint())
        if not triangles:
            quads = mesh
    for name, scheme in TIME.items():
        x, u, _ = along(case(OPEN, scheme, mesh_file=quads, stop_time=6))
        want = DROP / LENGTH / (2 * ETA) * x[:, 1] * (1 - x[:, 1]) * (1 - math.exp(-math.pi**2 * ETA * 6 / RHO))
        gate.at_most(f"{name}: velocity at t = 6", largest(np.abs(u - want[:, None] * [1, 0]).ravel()) / largest(want), 0.01)
    turns = case({**OPEN, "bc_bottom_type": "symmetry"}, STEADY, mesh_box_faces="6,8", mesh_box_upper=f"{LENGTH},1", form_axisymmetric="true", physics="newtonian,swirling", stabiliser="split_oss", bc_top_type="rotating_wall", bc_top_angular_velocity=0.8)
    x, state = turns.checkpoint("positions"), turns.checkpoint()
    ends = (np.abs(x[:, 0] - LENGTH / 2) > LENGTH / 2 - 1e-9) & (x[:, 1] < 1 - 1e-9)
    gate.at_most("swirl: azimuthal velocity at the ends", largest(np.abs(state[ends, -1])), 1e-13)
    gate.at_least("swirl: azimuthal velocity within", largest(np.abs(state[~ends & (x[:, 1] < 0.9), -1])), 0.3)


def space(gate):
    n, m = 4, 10
    number = lambda i, j, k: (k * (m + 1) + j) * (n + 1) + i
    T = np.block([[TILT, np.zeros((2, 1))], [np.zeros((1, 2)), np.eye(1)]])
    points = [T @ [LENGTH * i / n, j / m, k / m] for k in range(m + 1) for j in range(m + 1) for i in range(n + 1)]
    square = lambda i, j, k, a, b: tuple(number(*np.add((i, j, k), s)) for s in ((0, 0, 0), a, np.add(a, b), b))
    x_, y_, z_ = (1, 0, 0), (0, 1, 0), (0, 0, 1)
    cells = [(*square(i, j, k, x_, y_), *square(i, j, k + 1, x_, y_)) for k in range(m) for j in range(m) for i in range(n)]
    sides = {"left": [square(0, j, k, y_, z_) for j in range(m) for k in range(m)], "right": [square(n, j, k, y_, z_) for j in range(m) for k in range(m)],
             "walls": [square(i, j, k, x_, z_) for j in (0, m) for i in range(n) for k in range(m)] + [square(i, j, k, x_, y_) for k in (0, m) for i in range(n) for j in range(m)]}
    mesh = mshwrite.solid(f"{run.folder('crossed')}/duct.msh", points, cells, sides)
    words = {k: v for k, v in OPEN.items() if not k.startswith(("bc_bottom", "bc_top"))} | {"bc_walls_type": "wall", "mesh_file": mesh, "diagnostic_q_kind": "flux", "diagnostic_q_label": "left,right"}
    odd = np.arange(1, 200, 2)
    rate = DROP / LENGTH / (12 * ETA) * (1 - 192 / math.pi**5 * np.sum(np.tanh(odd * math.pi / 2) / odd**5))
    for name, scheme, np_ in ("steady", STEADY, 1), ("steady, np 2", STEADY, 2), ("bdf2", {**TIME["bdf2"], "stop_time": 5}, 1):
        result = case(words, scheme, np_=np_)
        x, u, _ = along(result)
        ends = np.abs(x[:, 0] - LENGTH / 2) > LENGTH / 2 - 1e-9
        gate.at_most(f"{name}: velocity in the plane", largest(np.abs(u[ends, 1:]).ravel()), 1e-12)
        gate.relative(f"{name}: flow rate", float(result.table("_q.csv")["right_flux"][-1]), rate, 0.03)


    box = {**{k: v for k, v in OPEN.items() if "bottom" not in k and "top" not in k}, "mesh_box_upper": "1,1,1", "mesh_box_faces": "4,4,4", "bc_front_type": "outlet", "bc_front_tangential": "zero", "bc_back_type": "wall", "bc_bottom_type": "wall", "bc_top_type": "wall"}
    corner = case(box, STEADY)
    x, u = corner.checkpoint("positions"), corner.checkpoint()[:, :3]
    sides = [abs(x[:, 2] - end) < 1e-9 for end in (0, 1)]
    front = max(sides, key=lambda at: float(np.abs(u[at]).max())) & (abs(x[:, 0]) < 1e-9)
    gate.at_most("two such labels that meet: velocity on their edge", largest(np.abs(u[front]).ravel()), 1e-12)
    gate.at_least("and beside it", largest(np.abs(u).ravel()), 0.1)


def growth(gate):
    words = {**OPEN, "mesh_box_upper": "3,1", "mesh_box_faces": "24,16", "physics_newtonian_viscosity": 0.03, "bc_left_pressure": 1.08, "bc_right_tangential": "free"}
    rate = lambda tangential: float(case(words, {"scheme": "steady", "eigen_shifts": "0.5,0"}, verb="eigen", bc_left_tangential=tangential).table("_spectrum.csv")["growth_rate"].max())
    gate.relative("tangential zero: growth rate, eta pi^2/rho of the slowest shear wave", rate("zero"), -0.01 * math.pi**2, 0.01)
    gate.at_least("tangential free: growth rate", rate("free"), 0.3)
    omega, end = 4.0, 5.0
    swings = {"mesh_box_upper": f"{LENGTH},1", "mesh_box_faces": "6,24", "physics_newtonian_viscosity": 0.03, "bc_left_pressure": "9*cos(4*t)", "stop_time": end}
    result = case({**OPEN, **swings}, {**TIME["bdf2"], "scheme_fractional_step_dt": 0.005})
    x, u, want = result.checkpoint("positions"), result.checkpoint()[:, :2], 0.0
    for n in range(1, 80, 2):
        decay = 0.01 * (n * math.pi) ** 2
        answer = (decay * math.cos(omega * end) + omega * math.sin(omega * end) - decay * math.exp(-decay * end)) / (decay**2 + omega**2)
        want = want + 4 / (n * math.pi) * 9 / LENGTH / RHO * answer * np.sin(n * math.pi * x[:, 1])
    gate.at_most("a pressure that swings: velocity, of the largest", largest(np.abs(u - want[:, None] * [1, 0]).ravel()) / largest(np.abs(want)), 0.02)


def told(gate):
    warns = lambda **changes: case(OPEN, {"mesh_box_faces": "4,4", "stop_time": 1, "case_velocity": 20}, verb="check", **changes).stderr
    free, inflow = {"bc_left_tangential": "free", "bc_right_tangential": "free"}, "fluid comes in through 'left', which is open with a pressure 2.7 Pa above another one, and may be unstable there; expected -bc_left_tangential zero"
    gate.true("of pressures alone", inflow in warns(**free))
    gate.true("of pressures in time", "comes in through 'right'" in warns(**free, bc_left_pressure="0", bc_right_pressure="2*sin(3*t)"))
    quiet = ({"case_velocity": 0.01}, {"bc_left_pressure": "0"}, {"bc_left_tangential": "zero"}, {"bc_left_backflow": 0.5}, {"form_body_force": "1,0"})
    gate.true("not of creeping flow, equal pressures, what is held, and a force beside", not any("comes in through" in warns(**{**free, **words}) for words in quiet))
    at_rest, brings = "its polymer at rest", {f"bc_{side}_polymer_inflow": "free" for side in ("left", "right")}
    polymer = {"physics": "newtonian,ptt", "physics_ptt_viscosity": 4 * ETA, "physics_ptt_lambda": 5, "physics_ptt_epsilon": 0.1, "stabiliser": "devss,split_oss", "case_velocity": 0.01}
    gate.true("a polymer that comes in without a velocity along the label, however slowly", "comes in through 'left'" in (told := warns(**polymer, **brings)) and "expected -bc_left_polymer_inflow developed where the channel goes on, or rest: nothing gives the stress" in told)
    gate.true("which is given at rest else", at_rest in (told := warns(**polymer)) and "unstable" not in told)
    gate.true("a polymer, free", "comes in through" not in warns(**{**polymer, **free}) and "expected -bc_left_tangential zero, with -bc_left_polymer_inflow developed where the channel goes on, or -bc_left_backflow 0.5" in warns(**{**polymer, **free, "case_velocity": 2000}))
    gate.true("a polymer, equal pressures", "comes in through" not in warns(**{**polymer, "bc_left_pressure": "0"}))
    bent = mshwrite.channel(f"{run.folder('crossed')}/bent.msh", 4, 4, lambda i, j: (i / 4 + 0.1 * (4 - i) / 4 * math.sin(j), j / 4))
    error = case(OPEN, STEADY, mesh_file=bent, mesh_box_faces=None, expect=1).stderr
    gate.true("a label that is bent", "-bc_left_tangential zero: got a label whose normals differ by" in error and "expected a plane, or free" in error)


def main():
    gate = Gate("_".join(["boundary_crossed", *sys.argv[1:]]))
    globals()[sys.argv[1]](gate)
    return gate.finish()


sys.exit(main())
