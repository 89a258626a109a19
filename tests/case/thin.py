"""A few thin elements, of a corner of a tetrahedron that has a node beside it, make explicit steps of a polymer many: told with their place, and bdf2 with implicit transport, by which they do not matter. thin.py told|taken"""
import itertools
import re
import sys

import mshwrite
import numpy as np
import run
from gate import Gate, largest

SIZE = np.array([2.0, 1.0, 1.0])
FLOW = {"case_name": "thin", "device": "cpu", "form_density": 3, "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.06, "physics_oldroydb_modes": 2, "physics_oldroydb_viscosity": "0.04,0.02",
        "physics_oldroydb_lambda": "0.4,0.1", "bc_left_type": "inlet", "bc_left_velocity": "16*y*(1-y)*z*(1-z),0,0", "bc_left_polymer": "rest", "bc_left_ramp": 0.2, "bc_right_type": "outlet",
        **{f"bc_{side}_type": "wall" for side in ("bottom", "top", "front", "back")}, "stop_time": 2, "output_fields": "false"}


def mesh(edge, n=(6, 4, 4)):
    """Points and tetrahedra of a box; edge: of one more node, that far from a corner of the cell in the middle, towards its centre."""
    number = lambda i, j, k: (i * (n[1] + 1) + j) * (n[2] + 1) + k
    points = [SIZE * (i / n[0], j / n[1], k / n[2]) for i in range(n[0] + 1) for j in range(n[1] + 1) for k in range(n[2] + 1)]
    cells = []
    for corner in itertools.product(*map(range, n)):
        for order in itertools.permutations(range(3)):
            at = [np.array(corner) + [d in order[:k] for d in range(3)] for k in range(4)]
            cell = [number(*x) for x in at]
            cells.append(cell if np.linalg.det([points[v] - points[cell[0]] for v in cell[1:]]) > 0 else [cell[k] for k in (0, 1, 3, 2)])
    sides = {name: [] for name in ("left", "right", "bottom", "top", "back", "front")}
    for cell, face in ((cell, face) for cell in cells for face in itertools.combinations(cell, 3)):
        for k, name in enumerate(sides):
            if all(points[v][k // 2] == (SIZE[k // 2] if k % 2 else 0) for v in face):
                sides[name].append(face)
    if edge:
        middle = min(cells, key=lambda cell: np.linalg.norm(np.mean([points[v] for v in cell], axis=0) - SIZE / 2))
        centre = np.mean([points[v] for v in middle], axis=0)
        points.append(points[middle[0]] + edge * (centre - points[middle[0]]) / np.linalg.norm(centre - points[middle[0]]))
        cells.remove(middle)
        cells += [[len(points) - 1 if a == k else v for a, v in enumerate(middle)] for k in range(4)]
    return mshwrite.solid(f"{run.folder('mesh')}/thin.msh", points, cells, sides), np.array(points), np.array(cells)


def thickness(points, cells):
    """2 over the root of the largest row sum of g = 2 sum grad N (x) grad N."""
    x = points[cells]
    inner = np.linalg.inv(x[:, 1:] - x[:, :1]).transpose(0, 2, 1)
    grad = np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)
    return 2 / np.sqrt(abs(2 * np.einsum("cai,caj->cij", grad, grad)).sum(axis=2).max(axis=1))


def case(verb, path, *changes, np_=1, out=None):
    words = {key: value for part in (FLOW, {"mesh_file": path}, *changes) for key, value in part.items()}
    return run.rheoplex(verb, *(w for key, value in words.items() if value is not None for w in (f"-{key}", value)), out=out or run.folder("thin"), np=np_)


def warned(result):
    return [line for line in result.stderr.splitlines() if "because of" in line and line.startswith("rheoplex: warning: the run takes about")]


def told(gate):
    path, points, cells = mesh(1e-3)
    h = thickness(points, cells)
    where = points[cells[h.argmin()]].mean(axis=0)
    few = int((h <= 4 * h.min()).sum())
    for np_ in 1, 3:
        shown = case("check", path, np_=np_)
        line = (warned(shown) or [""])[0]
        got = re.search(r"about (\S+) steps of (\S+) s because of (\d+) of (\d+) elements, the thinnest of (\S+) m at \((\S+), (\S+), (\S+)\) m.* expected about (\S+) implicit steps", line)
        number = [float(v) for v in got.groups()] if got else [np.nan] * 9
        steps = float(re.search(r"Time step: .* about (\d+) steps", shown.stdout).group(1))
        gate.relative(f"np {np_}: steps", number[0], steps, 5e-3)
        gate.relative(f"np {np_}: times their length", number[0] * number[1], FLOW["stop_time"], 5e-3)
        gate.true(f"np {np_}: {few} of {len(cells)} elements", number[2:4] == [few, len(cells)])
        gate.relative(f"np {np_}: the thinnest one", number[4], h.min(), 5e-3)
        gate.at_most(f"np {np_}: its place", largest(*abs(np.array(number[5:8]) - where)), 1e-5)
        gate.at_most(f"np {np_}: implicit steps", number[8], 300)
    plain = mesh(None)[0]
    gate.true("not told: a mesh without them", not warned(case("check", plain)))
    path = mesh(1e-3)[0]
    newtonian = {**{key: None for key in FLOW if "oldroydb" in key or key.endswith("polymer")}, "physics": "newtonian"}
    for name, words in (("without a polymer", newtonian), ("to rest", {"stop_steady_tol": 1e-5}), ("few steps", {"stop_time": 1e-4}), ("of constant length", {"scheme": "fractional_step", "scheme_fractional_step_dt": 1e-7}),
                        ("implicit", {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": 0.01}), ("Newton's method", {"scheme": "monolithic", "scheme_monolithic_dt": 0.01})):
        gate.true(f"not told: {name}", not warned(case("check", path, words)))
    same = [case("run", path, {"stop_time": end, "stop_steps": 5}).checkpoint() for end in (2, None)]
    gate.at_most("what is told does not change the run", largest(*abs(same[0] - same[1]).ravel()), 0.0)


def taken(gate):
    """The options that are told, against the mesh without the node."""
    path, points, _ = mesh(1e-3)
    line = (warned(case("check", path)) or ["implicit steps: "])[0]
    words = re.findall(r"-(\w+) ([\w.]+)", line.split("implicit steps: ")[1])
    gate.true(f"options: {words}", ("scheme_fractional_step_polymer", "transport") in words)
    thin = case("run", path, dict(words), {"stop_time": 0.4})
    plain = case("run", mesh(None)[0], dict(words), {"stop_time": 0.4})
    states = []
    for result in thin, plain:
        place, state = result.checkpoint("positions"), result.checkpoint()
        keep = np.abs(place[:, None] - points[None, :-1]).sum(axis=2).min(axis=1) < 1e-9
        states.append(state[keep][np.lexsort(np.round(place[keep], 6).T)])
    for name, columns in ("velocity", slice(0, 3)), ("pressure", slice(3, 4)), ("modes", slice(4, None)):
        apart = states[0][:, columns] - states[1][:, columns]
        gate.at_most(f"{name} beside that without the node, over the largest", largest(*abs(apart).ravel()) / largest(*abs(states[1][:, columns]).ravel()), 0.01)


if __name__ == "__main__":
    gate = Gate(f"case_thin_{sys.argv[1]}")
    {"told": told, "taken": taken}[sys.argv[1]](gate)
    sys.exit(gate.finish())
