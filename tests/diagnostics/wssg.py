"""The gradient of wall shear stress (WSSG) on curved walls against Stokes flows that are known. wssg.py plane|axisymmetric|space"""
import math
import sys

import mshwrite
import numpy as np
import run
from gate import Gate

A, B, ETA, AXIAL = 0.5, 1.0, 0.7, 1.3
FLOW = {"case_name": "wssg", "physics": "newtonian", "physics_newtonian_viscosity": ETA, "form_density": 1e-6, "form_convection": "false", "stabiliser": "split_oss", "scheme": "monolithic", "scheme_monolithic_dt": 1, "stop_time": 3, "output_fields": "false",
        "bc_inner_type": "wall", "bc_outer_type": "moving_wall", "diagnostic_w_kind": "wall_average", "diagnostic_w_label": "inner", "diagnostic_w_start": 1, "device": "cpu"}


def case(np_=1, **words):
    return run.rheoplex("run", *(w for key, value in {**FLOW, **words}.items() for w in (f"-{key}", value)), out=run.folder("wssg"), np=np_).table("_w_inner.csv")


def shear(t):
    """Of psi = f(r) cos 2t, f = c . (r^2, r^-2, r^4, 1), nothing at A and u_t = cos 2t at B: stress along t at A, and its derivative by t."""
    f = lambda r: [r**2, r**-2, r**4, 1]
    slope = lambda r: [2 * r, -2 * r**-3, 4 * r**3, 0]
    c = np.linalg.solve([f(A), slope(A), f(B), slope(B)], [0, 0, 0, -1])
    size = -ETA * (c @ [2, 6 * A**-4, 12 * A**2, 0])
    return size * np.cos(2 * t), -2 * size * np.sin(2 * t)


def errors(gate, what, found, exact, ns, least):
    """Largest errors over the largest value; their order."""
    size = [float(np.abs(f["wssg"] - e).max() / np.abs(e).max()) if np.isfinite(f["wssg"]).all() else math.inf for f, e in zip(found, exact)]
    for n, e in zip(ns, size):
        gate.note(f"{what}, {n}: error", e)
    gate.at_least(f"{what}: order", run.order([1 / n for n in ns], size)[-1], least)
    return size


def plane(gate):
    folder, ns = run.folder("wssg"), (24, 48, 96)
    place = lambda nr, nt: lambda i, j: ((A + (B - A) * i / nr) * math.cos(2 * math.pi * j / nt), (A + (B - A) * i / nr) * math.sin(2 * math.pi * j / nt))
    meshes = [mshwrite.annulus(f"{folder}/ring{n}.msh", n // 4, n, place(n // 4, n)) for n in ns]
    velocity = {"bc_outer_velocity": "0-y*(x^2-y^2),x*(x^2-y^2)"}
    found = [case(mesh_file=mesh, **velocity) for mesh in meshes]
    exact = [np.abs(shear(np.arctan2(w["y"], w["x"]))[1]) / A for w in found]
    size = errors(gate, "annulus", found, exact, ns, 1.8)
    gate.at_most("annulus: error", size[-1], 0.006)
    two = case(2, mesh_file=meshes[0], **velocity)
    gate.at_most("np 2", float(np.abs(two["wssg"] - found[0]["wssg"]).max()), 1e-6)
    turns = case(mesh_file=meshes[0], bc_outer_velocity="0-y,x")
    gate.at_most("a stress that turns with the wall has none", float((turns["wssg"] * A / turns["magnitude"]).max()), 2e-3)


def axisymmetric(gate):
    """A sphere in a stream: S sin t, S = 3 eta U/(2 a), of which both parts are S cos t/a; fluid that turns about the axis adds T sin t along theta,
    with which they stay the same: along the wall T cos t/a, round the axis as much the other way."""
    folder, ns = run.folder("wssg"), (12, 24, 48)
    place = lambda n: lambda i, j: ((A + (B - A) * 2 * j / n) * math.cos(math.pi * (1 - i / n)), (A + (B - A) * 2 * j / n) * math.sin(math.pi * (1 - i / n)) * (0 < i < n))
    R = "sqrt(x^2+y^2)"
    words = {"form_axisymmetric": "true", "bc_left_type": "symmetry", "bc_right_type": "symmetry", "bc_bottom_type": "wall", "bc_top_type": "moving_wall", "diagnostic_w_label": "bottom",
             "bc_top_velocity": f"1-0.75*{A}*(1/{R}+x^2/{R}^3)-0.25*{A}^3*(1/{R}^3-3*x^2/{R}^5),0-0.75*{A}*x*y/{R}^3+0.75*{A}^3*x*y/{R}^5"}
    flow = {key: value for key, value in FLOW.items() if not key.startswith("bc_")}
    found = [run.rheoplex("run", *(w for key, value in {**flow, **words, "mesh_file": mshwrite.channel(f"{folder}/half{n}.msh", n, n // 2, place(n))}.items() for w in (f"-{key}", value)), out=run.folder("wssg"), np=1 if n < 24 else 2).table("_w_bottom.csv") for n in ns]
    exact = [math.sqrt(2) * 1.5 * ETA / A**2 * np.abs(w["x"]) / A for w in found]
    size = errors(gate, "sphere", found, exact, ns, 1.5)
    gate.at_most("sphere: error", size[-1], 0.01)
    turns = {**flow, **words, "mesh_file": f"{folder}/half24.msh", "physics": "newtonian,swirling", "bc_top_velocity": words["bc_top_velocity"] + ",3*y"}
    swirl = run.rheoplex("run", *(w for key, value in turns.items() for w in (f"-{key}", value)), out=run.folder("wssg"), np=2).table("_w_bottom.csv")
    gate.at_least("sphere that fluid goes round: stress along theta over that of the stream", float(np.abs(swirl["mean_theta"]).max() / (1.5 * ETA / A)), 1.0)
    gate.at_most("sphere that fluid goes round: error", float(np.abs(swirl["wssg"] - exact[1]).max() / exact[1].max()), 2 * size[1])


def space(gate):
    """The annulus with an outer wall that slides along its axis too: parts along the stress and across it."""
    folder, ns = run.folder("wssg"), (16, 32)
    found = []
    for n in ns:
        nr = n // 4
        number = lambda i, j, k: (k * (nr + 1) + i) * n + j % n
        r = lambda i: A + (B - A) * i / nr
        points = [(r(i) * math.cos(2 * math.pi * j / n), r(i) * math.sin(2 * math.pi * j / n), 0.2 * k) for k in range(4) for i in range(nr + 1) for j in range(n)]
        around = lambda i: [(number(i, j, k), number(i, j + 1, k), number(i, j + 1, k + 1), number(i, j, k + 1)) for j in range(n) for k in range(3)]
        across = lambda k: [(number(i, j, k), number(i + 1, j, k), number(i + 1, j + 1, k), number(i, j + 1, k)) for j in range(n) for i in range(nr)]
        cells = [(*across(k)[m], *across(k + 1)[m]) for k in range(3) for m in range(nr * n)]
        mesh = mshwrite.solid(f"{folder}/tube{n}.msh", points, cells, {"inner": around(0), "outer": around(nr), "low": across(0), "high": across(3)})
        found.append(case(1 if n == 32 else 2, mesh_file=mesh, mesh_periodic="low,high", bc_outer_velocity=f"0-y*(x^2-y^2),x*(x^2-y^2),{AXIAL}*x"))
    exact = []
    for w in found:
        t = np.arctan2(w["y"], w["x"])
        (s, ds), z = shear(t), 2 * ETA * AXIAL / (B - A**2 / B)
        size = np.hypot(s, z * np.cos(t))
        m, n = np.array([s, z * np.cos(t)]) / size, np.array([-z * np.cos(t), s]) / size
        slope = np.array([ds, -z * np.sin(t)]) / A
        exact.append(np.hypot(m[0] * (m * slope).sum(0), n[0] * (n * slope).sum(0)))
    size = errors(gate, "tube", found, exact, ns, 1.8)
    gate.at_most("tube: error", size[-1], 0.06)


def main(what):
    gate = Gate(f"diagnostics_wssg_{what}")
    {"plane": plane, "axisymmetric": axisymmetric, "space": space}[what](gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
