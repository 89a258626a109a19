"""Inflow by the points of a CSV file. points.py

In 2D and axisymmetric flow linear between points, in space by linear functions fitted to the nearest ones: fields of that kind are exact, of a parabola and a paraboloid
the error falls by four when points are twice as dense; stresses are those of the law in the velocity's gradient; with a flow rate the nodes
carry it; any number of ranks. Files that do not fit the label are refused."""
import math
import sys

import numpy as np
import run
from gate import Gate

HERE = run.folder("points")
ETA, LAMBDA = 0.5, 0.7
LAW = {"physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.3, "physics_oldroydb_viscosity": ETA, "physics_oldroydb_lambda": LAMBDA, "polymer_variable": "stress",
       "stabiliser": "devss,split_oss", "bc_left_polymer_at": "nodes"}
SLIT = {"case_name": "slit", "mesh_box_lower": "0,0.2", "mesh_box_upper": "0.5,0.9", "mesh_box_faces": "3,14", "bc_left_type": "inlet", "bc_right_type": "outlet", "bc_bottom_type": "wall",
        "bc_top_type": "wall", "scheme_lumped_dt": 1e-6, "stop_steps": 1, "output_fields": "false", "stabiliser": "split_oss", "physics": "newtonian", "physics_newtonian_viscosity": 0.3}
DUCT = {**SLIT, "case_name": "duct", "mesh_box_lower": "0,0.2,-0.3", "mesh_box_upper": "0.5,0.9,0.3", "mesh_box_faces": "2,10,9", "bc_front_type": "wall", "bc_back_type": "wall"}


def write(name, rows, header="x,y,u,v"):
    path = f"{HERE}/{name}.csv"
    with open(path, "w") as f:
        f.write(f"# measured\n{header}\n" + "".join(",".join(f"{v!r}" if not isinstance(v, str) else v for v in map(lambda w: w if isinstance(w, str) else float(w), row)) + "\n" for row in rows))
    return path


def case(base, path=None, expect=0, np_=1, **changes):
    words = [w for key, value in {**base, "bc_left_profile_file": path, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, out=run.folder("points"), expect=expect, np=np_, timeout=100)


def inlet(result):
    x, state = result.checkpoint("positions"), result.checkpoint()
    at = np.flatnonzero(np.abs(x[:, 0]) < 1e-9)
    at = at[np.lexsort(np.round(x[at].T, 9))]
    return x[at], state[at]


def parabola(y):
    return 1.3 * (y - 0.2) * (0.9 - y) / 0.35**2


def line(gate):
    rng = np.random.default_rng(5)
    y = rng.permutation(np.linspace(0.19, 0.91, 9))
    x, state = inlet(case(SLIT, write("linear", [(0.001, v, 2 * v - 0.1, 0.3 - v) for v in y])))
    inside = slice(1, -1)
    gate.at_most("2D: a linear field", float(np.abs(state[inside, :2] - np.array([2 * x[inside, 1] - 0.1, 0.3 - x[inside, 1]]).T).max()), 1e-13)
    gate.at_most("2D: walls are at rest", float(np.abs(state[[0, -1], :2]).max()), 0)
    miss = []
    for n in (11, 22):
        y = np.linspace(0.2, 0.9, n)
        x, state = inlet(case(SLIT, write("parabola", [(0, v, parabola(v), 0) for v in y])))
        miss.append(float(np.abs(state[:, 0] - parabola(x[:, 1])).max()))
    gate.at_most("2D: a parabola by 22 points", miss[1], 1.3 * 0.25 / 0.35**2 * (0.7 / 21) ** 2 + 1e-12)
    path = write("nodes", [(0, v, parabola(v), 0) for v in np.linspace(0.2, 0.9, 15)])
    x, state = inlet(case({**SLIT, **LAW}, path))
    g = 1.3 * (1.1 - 2 * x[:, 1]) / 0.35**2
    gate.at_most("2D: shear stress of the law", float(np.abs(state[:, 5] - ETA * g).max()), 1e-9)
    gate.at_most("2D: normal stress of the law", float(np.abs(state[:, 3] - 2 * LAMBDA * ETA * g**2).max()), 1e-7)
    for np_ in (1, 2, 3):
        x, state = inlet(case(SLIT, path, np_=np_, bc_left_flow_rate="0.6*(1+1e5*t)"))
        gate.near(f"2D: np {np_}: flow rate", run.trapezoid(x[:, 1], state[:, 0]), 0.66, 1e-12)


def tube(gate):
    """Axisymmetric: the flux of the nodes over 2 pi r; exact where the flow is linear between points and nodes."""
    base = {**SLIT, "mesh_box_lower": "0,0", "mesh_box_upper": "0.5,0.7", "form_axisymmetric": "true", "bc_bottom_type": "symmetry"}
    cone = write("cone", [(0, v, 0.7 - v, 0) for v in np.linspace(0, 0.7, 15)])
    x, state = inlet(case(base, cone))
    gate.at_most("axisymmetric: a linear field", float(np.abs(state[:, 0] - (0.7 - x[:, 1])).max()), 1e-13)
    law = inlet(case({**base, **LAW}, cone))[1][1:-1]
    gate.at_most("axisymmetric: normal stress of the law", float(np.abs(law[:, 3] - 2 * LAMBDA * ETA).max()), 1e-9)
    for np_ in (1, 3):
        result = case(base, cone, np_=np_, bc_left_flow_rate="0.6", diagnostic_rate_kind="flux", diagnostic_rate_label="left")
        gate.near(f"axisymmetric: np {np_}: flow rate", -float(result.table("_rate.csv")["left_flux"][-1]), 0.6, 1e-12)
        x, state = inlet(result)
        gate.at_most(f"axisymmetric: np {np_}: a cone of that volume", float(np.abs(state[:, 0] - 0.6 * 3 / (math.pi * 0.7**3) * (0.7 - x[:, 1])).max()), 1e-12)
    rounded = write("rounded", [(0, v, 0.7 - v, 1e-12 * (0.7 - v)) for v in np.linspace(0, 0.7, 15)])
    gate.at_most("axisymmetric: a radial velocity that is rounding", float(np.abs(inlet(case({**base, **LAW}, rounded))[1][1:-1, 3] - 2 * LAMBDA * ETA).max()), 1e-9)
    radial = write("radial", [(0, v, 0.7 - v, 0.1 * v) for v in np.linspace(0, 0.7, 15)])
    gate.refused(case({**base, **LAW}, radial, expect=None), ("-bc_left_polymer developed", "got a radial velocity"))


def plane(gate):
    rng = np.random.default_rng(7)
    y, z = rng.uniform(0.2, 0.9, 150), rng.uniform(-0.3, 0.3, 150)
    rows = [(0.002, a, b, 1 + a - 2 * b, a * 0.3, b + 0.1) for a, b in zip(y, z)]
    path = write("scattered", rows, "x,y,z,u,v,w")
    x, state = inlet(case(DUCT, path))
    inside = (x[:, 1] > 0.21) & (x[:, 1] < 0.89) & (np.abs(x[:, 2]) < 0.29)
    exact = np.array([1 + x[:, 1] - 2 * x[:, 2], 0.3 * x[:, 1], x[:, 2] + 0.1]).T
    gate.at_most("3D: a linear field by scattered points", float(np.abs(state[inside, :3] - exact[inside]).max()), 1e-12)
    again = inlet(case(DUCT, path, np_=3))[1]
    gate.at_most("3D: np 3 against 1", float(np.abs(again[:, :3] - state[:, :3]).max()), 1e-12)
    def bowl(a, b):
        return parabola(a) * (0.09 - b**2) / 0.09
    miss = []
    for n in (14, 27):
        a, b = np.meshgrid(np.linspace(0.2, 0.9, n), np.linspace(-0.3, 0.3, n))
        rows = [(0, c, d, bowl(c, d), 0, 0) for c, d in zip(a.ravel(), b.ravel())]
        x, state = inlet(case(DUCT, write("bowl", rows, "x,y,z,u,v,w"), bc_left_flow_rate=0.4 if n == 27 else None))
        if n == 27:
            flux = float(state[:, 0].sum() * 0.07 * 0.6 / 9)
            gate.near("3D: flow rate", flux, 0.4, 1e-12)
            state = state * (bowl(x[:, 1], x[:, 2]).sum() / state[:, 0].sum())
        miss.append(float(np.abs(state[:, 0] - bowl(x[:, 1], x[:, 2])).max()))
    gate.at_most("3D: a paraboloid by 729 points", miss[1], 0.012)
    gate.at_least("3D: gain by points twice as dense", miss[0] / miss[1], 3)


def refused(gate):
    y = np.linspace(0.2, 0.9, 9)
    sound = [(0, v, parabola(v), 0) for v in y]
    bad = [("nan", [*sound[:3], (0, 0.5, math.nan, 0)], ("line 6", "nan", "finite numbers")), ("three", [(0, 0.5, 1)], ("line 3", 'expected four numbers "x,y,u,v"')),
           ("five", [(0, 0.5, 1, 0, 2)], ("line 3", "expected four numbers")), ("words", [*sound[:3], ("a", "b", "c", "d")], ("line 6", "expected four numbers")),
           ("off", [(0.02, *row[1:]) for row in sound], ("line 3", "0.02 m off the plane of the label")), ("half", sound[:4], ("no point nearer than", "node at (0, ")),
           ("twice", [*sound, sound[2]], ("line 12", "the place of line 5 again")), ("few", sound[:2], ("got 2 points", "expected at least 3"))]
    for name, rows, expected in bad:
        gate.refused(case(SLIT, write(name, rows), expect=None, np_=2 if name in ("nan", "half") else 1), ("-bc_left_profile_file", f"{name}.csv", *expected))
    path = write("sound", sound)
    others = [({"bc_left_profile_file": None, "bc_left_profile": "file"}, ("-bc_left_profile file", "-bc_left_profile_file")), ({"bc_left_mean_velocity": 1}, ("-bc_left_profile_file", "alone or with")),
              ({"bc_left_profile_file": f"{HERE}/none.csv"}, ("none.csv", "cannot be opened")), ({"bc_right_profile": "file"}, ("-bc_right_profile file", "inlet")),
              ({"bc_left_profile_file": write("out", [(a, b, -u, v) for a, b, u, v in sound]), "bc_left_flow_rate": 1}, ("out.csv", "expected inflow"))]
    for changes, expected in others:
        gate.refused(case(SLIT, path, expect=None, **changes), expected)
    scaled = {"mesh_scale": 0.001, "bc_left_flow_rate": 1e-3, "mesh_box_lower": "0,0", "mesh_box_upper": "0.5,0.7"}
    told = [case(SLIT, write(f"unit{k}", [(0, v * k, parabola(v + 0.2), 0) for v in np.linspace(0, 0.7, 41)]), **scaled).stderr.count("are they in metres?") for k in (1, 0.001)]
    gate.true(f"points of the mesh's own unit are told, in metres not: {told}", told == [1, 0])


def main():
    gate = Gate("boundary_points")
    for check in (line, tube, plane, refused):
        check(gate)
    return gate.finish()


sys.exit(main())
