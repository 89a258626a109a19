"""Labels without flow through them that are oblique to the axes, in `steady` and `monolithic`: flow in a mesh that is turned is the flow that is turned. oblique.py
  channel <scheme> <np>  Oldroyd-B with inertia between a wall and a frictionless, a slipping or a symmetry side, turned by 0.5 and by 45 degrees both ways
  room <np>              a block of hexahedra between frictionless sides, turned in space: two normals at an edge
  free <np>              a rigid motion along turned frictionless sides, in the plane and in space, is named; between sides that are not parallel there is none
  ring                   a frictionless ring about a rotating wall: the rigid rotation
  device <np>            the turned channels and the turned block, with modes too, on a device (the emulated one) are those of the host"""
import math
import re
import sys

import mshwrite
import numpy as np
import run
from driven import last_order
from gate import Gate
from steady import newton

H, LENGTH = 0.7, 1.6
NEWTONIAN = {"physics": "newtonian", "physics_newtonian_viscosity": 0.4}
POLYMER = {"physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.3, "physics_oldroydb_viscosity": 0.4, "physics_oldroydb_lambda": 0.25, "polymer_variable": "stress",
           "bc_left_polymer": "rest", "bc_right_polymer": "zero"}
BASE = {"case_name": "oblique", "device": "cpu", "form_density": 3, "stabiliser": "split_oss", "bc_left_type": "inlet", "bc_right_type": "outlet", "bc_bottom_type": "wall",
        "output_fields": "false"}
SCHEMES = {"steady": {"scheme": "steady", "ksp_rtol": 1e-8}, "monolithic": {"scheme": "monolithic", "scheme_monolithic_dt": 0.05, "stop_steps": 4, "snes_rtol": 1e-12, "ksp_rtol": 1e-10}}
TOPS = {"free_slip": {**POLYMER, "bc_top_type": "free_slip"}, "slip": {**NEWTONIAN, "bc_top_type": "slip", "bc_top_friction": 1.3, "stabiliser": "gls"}, "symmetry": {**NEWTONIAN, "bc_top_type": "symmetry"}}


def case(base, np_=1, expect=0, **changes):
    words = [w for key, value in {**BASE, **base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, out=run.folder("oblique"), np=np_, expect=expect, timeout=300)


def turned(turn, **changes):
    """Wavy bottom, straight top."""
    c, s = math.cos(turn), math.sin(turn)

    def place(i, j):
        x, y = LENGTH * i / 10, H * j / 6 + 0.1 * (1 - j / 6) * math.sin(2 * math.pi * i / 10)
        return c * x - s * y, s * x + c * y

    across = f"({c!r}*y-({s!r})*x)"
    inlet = f"({across}*(1.5-{across}))"
    return {"mesh_file": mshwrite.channel(f"{run.folder('oblique')}/turned.msh", 10, 6, place), "bc_left_velocity": f"{c!r}*{inlet},{s!r}*{inlet}", **changes}


def back(result, turn):
    """The state by position, turned back."""
    x, u = result.checkpoint("positions"), result.checkpoint().copy()
    c, s = math.cos(turn), math.sin(turn)
    T = np.array([[c, s], [-s, c]])
    u[:, :2] = u[:, :2] @ T.T
    if u.shape[1] > 3:
        tau = np.empty((len(u), 2, 2))
        tau[:, 0, 0], tau[:, 1, 1], tau[:, 0, 1], tau[:, 1, 0] = u[:, 3], u[:, 4], u[:, 5], u[:, 5]
        tau = T @ tau @ T.T
        u[:, 3], u[:, 4], u[:, 5] = tau[:, 0, 0], tau[:, 1, 1], tau[:, 0, 1]
    x = np.round(x @ T.T, 9) + 0.0
    return u[np.lexsort((x[:, 1], x[:, 0]))]


def channel(gate, scheme, ranks):
    for name, top in TOPS.items():
        flow = {**top, **SCHEMES[scheme]}
        straight = case(flow, **turned(0.0))
        expected = back(straight, 0.0)
        for turn in (0.5, math.pi / 4, -math.pi / 4) if ranks == "1" else (0.5,):
            found = case(flow, int(ranks), **turned(turn))
            gate.at_most(f"{name}, turned by {turn:.3g}: state", float(np.abs(back(found, turn) - expected).max() / np.abs(expected).max()), 1e-10)
            if scheme == "steady":
                newton(gate, f"{name}, turned by {turn:.3g}", found, 5)
                gate.at_least(f"{name}, turned by {turn:.3g}: order of Newton's method at its end", last_order(found), 1.8)


def block(path, n, T, inner=0.0):
    """Hexahedra of n^3 cells, turned by T; inner: by which inner nodes are moved."""
    number = lambda i, j, k: (i * (n + 1) + j) * (n + 1) + k
    r = range(n + 1)
    moved = lambda i, j, k: inner * math.sin(5 * i + 3 * j + k) * np.array([1, 1, -1]) if 0 < min(i, j, k) and max(i, j, k) < n else 0
    points = [T @ (np.array([1.2 * i, 0.8 * j + 0.1 * math.sin(2.0 * i) * (n - j) / n, 0.7 * k]) / n + moved(i, j, k)) for i in r for j in r for k in r]
    square = lambda of, at: [tuple(of(at, a + p, b + q) for p, q in ((0, 0), (1, 0), (1, 1), (0, 1))) for a in range(n) for b in range(n)]
    along = (number, lambda m, a, b: number(a, m, b), lambda m, a, b: number(a, b, m))
    sides = {"left": square(along[0], 0), "right": square(along[0], n), "bottom": square(along[1], 0), "top": square(along[1], n), "back": square(along[2], 0), "front": square(along[2], n)}
    corners = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))
    cells = [tuple(number(i + a, j + b, k + c) for a, b, c in corners) for i in range(n) for j in range(n) for k in range(n)]
    return mshwrite.solid(path, points, cells, sides)


def tilt(a=0.6, b=0.4):
    return np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]]) @ np.array([[math.cos(b), 0, math.sin(b)], [0, 1, 0], [-math.sin(b), 0, math.cos(b)]])


def room(gate, ranks):
    folder, T = run.folder("oblique"), tilt()

    def flow(turn, np_):
        y = "(" + "+".join(f"({float(turn[d, 1])!r})*{'xyz'[d]}" for d in range(3)) + ")"
        found = case({**NEWTONIAN, **SCHEMES["steady"]}, np_, mesh_file=block(f"{folder}/block.msh", 4, turn), bc_top_type="free_slip", bc_front_type="free_slip", bc_back_type="free_slip",
                     bc_left_velocity=",".join(f"({float(turn[d, 0])!r})*{y}*(2-{y})" for d in range(3)))
        x, u = found.checkpoint("positions") @ turn, found.checkpoint().copy()
        u[:, :3] = u[:, :3] @ turn
        return found, u[np.lexsort(np.round(x, 8).T + 0.0)]

    (_, expected), (found, state) = flow(np.eye(3), 1), flow(T, int(ranks))
    gate.at_most("turned block: state", float(np.abs(state - expected).max() / np.abs(expected).max()), 1e-10)
    gate.at_least("turned block: largest velocity along the edge of two sides", float(np.abs(expected[:, 0]).max()), 0.5)
    gate.at_least("turned block: order of Newton's method at its end", last_order(found), 1.8)


def ring(gate):
    """u = Omega x r at every node but for rounding: no strain."""
    place = lambda i, j: (0.2 + (0.5 + 0.05 * i) * math.cos(2 * math.pi * j / 40), 0.1 + (0.5 + 0.05 * i) * math.sin(2 * math.pi * j / 40))
    mesh = mshwrite.annulus(f"{run.folder('oblique')}/ring.msh", 8, 40, place)
    found = case({**NEWTONIAN, **SCHEMES["steady"], "mesh_file": mesh, "bc_inner_type": "rotating_wall", "bc_inner_angular_velocity": 0.9, "bc_inner_axis_point": "0.2,0.1",
                  "bc_outer_type": "free_slip", "form_convection": "false", **{f"bc_{label}_type": None for label in ("left", "right", "bottom")}})
    x, u = found.checkpoint("positions"), found.checkpoint()
    exact = 0.9 * np.stack([0.1 - x[:, 1], x[:, 0] - 0.2], axis=1)
    gate.at_most("rigid rotation: velocity", float(np.abs(u[:, :2] - exact).max()), 1e-9)


def free(gate, ranks):
    """Outlets at both ends, or frictionless sides all along one direction."""
    c, s, folder, ranks = math.cos(0.5), math.sin(0.5), run.folder("oblique"), int(ranks)
    sides = {**NEWTONIAN, "scheme": "steady", "bc_left_type": "outlet", "bc_bottom_type": "free_slip", "bc_top_type": "free_slip", "form_body_force": "1,2", "form_convection": "false"}
    T = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[0.8, 0, 0.6], [0, 1, 0], [-0.6, 0, 0.8]])
    room = {**sides, "mesh_file": block(f"{folder}/free.msh", 3, T), "bc_right_type": "free_slip", "bc_left_type": "free_slip", "bc_front_type": "outlet", "bc_back_type": "outlet", "form_body_force": "1,2,3"}

    def wedge(slope):
        place = lambda i, j: (c * i / 6 - s * j / 6 * (H + slope * i / 6), s * i / 6 + c * j / 6 * (H + slope * i / 6))
        return {**sides, "mesh_file": mshwrite.channel(f"{folder}/wedge.msh", 6, 6, place)}

    for name, words, along in ("plane", wedge(0.0), f"({c:.3g}, {s:.3g}, 0)"), ("space", room, f"({T[0, 2]:.3g}, {T[1, 2]:.3g}, {T[2, 2]:.3g})"):
        told = case(words, ranks, expect=None)
        print(told.stderr.strip())
        gate.true(f"{name}: the direction is named", told.rc != 0 and f"no condition gives the velocity along {along} at any node" in told.stderr)
    newton(gate, "sides that are not parallel", case(wedge(0.3), ranks, form_density=1e-3), 8)


def effort(result):
    """Iterations of Newton's method: of a steady state, or in each step."""
    told = re.search(r"Newton: (\d+) iterations", result.stdout)
    return [int(told[1])] if told else [int(n) for n in result.table("_history.csv")["newton_iterations"]]


def both(gate, name, flow, ranks, **changes):
    """Host on one rank, device on `ranks`; returns the run on the device."""
    host, there = case(flow, **changes), case({**flow, "device": "cuda"}, ranks, **changes)
    state, found = host.checkpoint(), there.checkpoint()
    dim = host.checkpoint("positions").shape[1]
    for field, columns in ("velocity", slice(0, dim)), ("pressure", slice(dim, dim + 1)), ("modes", slice(dim + 1, None)):
        if state[:, columns].size:
            gate.at_most(f"{name}: {field} of device and host", float(np.abs(found - state)[:, columns].max() / np.abs(state[:, columns]).max()), 1e-10)
    gate.true(f"{name}: it ran there, in {effort(there)} iterations, {effort(host)} on the host", "this machine's CPU" not in there.stdout and effort(there) == effort(host) and min(effort(there)) > 1)
    return there


def device(gate, ranks):
    planes = {**POLYMER, "bc_top_type": "symmetry", "physics_oldroydb_modes": 2, "physics_oldroydb_viscosity": "0.4,0.2", "physics_oldroydb_lambda": "0.25,0.1", "stabiliser": "devss,split_oss"}
    found = both(gate, "free slip", {**TOPS["free_slip"], **SCHEMES["steady"]}, int(ranks), **turned(0.5))
    gate.at_least("free slip: order of Newton's method at its end", last_order(found), 1.8)
    both(gate, "free slip, steps", {**TOPS["free_slip"], **SCHEMES["monolithic"]}, int(ranks), **turned(0.5))
    found = both(gate, "symmetry, two modes", {**planes, **SCHEMES["steady"]}, int(ranks), **turned(-math.pi / 5))
    gate.at_least("symmetry, two modes: order of Newton's method at its end", last_order(found), 1.8)
    T = tilt()
    y = "(" + "+".join(f"({float(T[d, 1])!r})*{'xyz'[d]}" for d in range(3)) + ")"
    sides = {"mesh_file": block(f"{run.folder('oblique')}/block.msh", 3, T), "bc_top_type": "free_slip", "bc_front_type": "symmetry", "bc_back_type": "free_slip",
             "bc_left_velocity": ",".join(f"({float(T[d, 0])!r})*{y}*(2-{y})" for d in range(3))}
    both(gate, "block", {**POLYMER, **SCHEMES["steady"]}, int(ranks), **sides)


def main(check, *more):
    gate = Gate("_".join(("scheme_oblique", check) + more))
    {"channel": channel, "room": room, "free": free, "ring": ring, "device": device}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
