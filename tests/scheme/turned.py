"""Spectra and sensitivities of flows along sides without flow through them that are oblique to the axes: those of the flow on the mesh along the axes. turned.py
  spectrum <np>     modes, adjoint ones, and those of the stepper (on ranks of one case): of channels of `oblique.py`, by both masses of projections
  sensitivity <np>  forces, fluxes and pressures by parameters of laws, forward and by adjoints, and central differences of runs
  room <np>         a block in space between planes of symmetry: both"""
import math
import sys

import numpy as np
import oblique
import run
from gate import Gate, largest

TURN = 0.5
LOGCONF = {**oblique.POLYMER, "polymer_variable": "logconf", "stabiliser": "devss,split_oss"}
CASES = {"free_slip, stress": oblique.TOPS["free_slip"],
         "symmetry, log c": {**LOGCONF, "bc_top_type": "symmetry", "scheme_steady_projection": "lumped"},
         "symmetry, stress": {**oblique.POLYMER, "bc_top_type": "symmetry", "stabiliser": "devss,split_oss"},
         "symmetry, Newtonian": oblique.TOPS["symmetry"],
         "slip, Newtonian": oblique.TOPS["slip"],
         "symmetry, Windkessel": {**oblique.TOPS["symmetry"], "bc_left_type": "outlet", "bc_left_pressure": 2, "bc_left_pressure_at": "traction", "bc_right_type": "windkessel", "bc_right_proximal": 0.6,
                                  "bc_right_distal": 3, "bc_right_compliance": 0.7}}
SHIFTS = "0,-3+4i"


def case(verb, base, np_, turn, **changes):
    if "bc_left_type" in base:
        changes = {"bc_left_velocity": None, **changes}
    words = [w for key, value in {**oblique.BASE, "output_fields": "true", **base, "scheme": "steady", "snes_rtol": 1e-12, "eigen_steady_tol": 1e-7, **oblique.turned(turn), **changes}.items() if value is not None
             for w in (f"-{key}", value) if verb == "eigen" or not key.startswith("eigen_")]
    return run.rheoplex(verb, *words, out=run.folder("turned"), np=np_, timeout=300)


def modes(result):
    t = result.table("_spectrum.csv")
    return np.array(t["growth_rate"], float) + 1j * np.array(t["angular_frequency"], float)


def structural(result, n, turn):
    """Structural sensitivities of the first n modes by position, turned back."""
    c, s = math.cos(turn), math.sin(turn)
    found = []
    for k in range(n):
        f = run.Fields(result.file(f"_adjoint_{k:06d}.vtu"))
        x = np.round(f.points[:, :2] @ np.array([[c, -s], [s, c]]), 9) + 0.0
        _, first = np.unique(x, axis=0, return_index=True)
        found.append(f["structural_sensitivity"][first])
    return np.array(found)


def spectrum(gate, ranks):
    for name, base in list(CASES.items())[: None if ranks == "1" else 3]:
        words = {"eigen_number": 3, "eigen_modes": 1, "eigen_shifts": SHIFTS, "eigen_adjoint": "true"}
        straight, found = case("eigen", base, 1, 0.0, **words), case("eigen", base, int(ranks), TURN, **words)
        want, value = modes(straight), modes(found)
        gate.at_least(f"{name}: modes", len(want), 6)
        gate.at_most(f"{name}: difference of modes over their modulus", largest(abs(value - want) / abs(want)), 1e-8)
        gate.at_most(f"{name}: residuals of adjoint modes", largest(found.table("_spectrum.csv")["adjoint_residual"]), 1e-7)
        a, b = structural(straight, 1, 0.0), structural(found, 1, TURN)
        gate.at_most(f"{name}: structural sensitivity", largest(abs(a - b).max() / abs(a).max(), 0.0), 1e-6)
        if ranks != "1" and name != next(iter(CASES)):
            continue  # minutes each
        steps = case("eigen", base, int(ranks), TURN, **{**words, "eigen_shifts": 0.2, "eigen_adjoint": "false", "eigen_method": "stepper", "eigen_number": 1})
        gate.at_most(f"{name}: stepper", largest(abs(modes(steps)[0] - want[0]) / abs(want[0]), 0.0), 1e-8)


NAMES = {"diagnostic_drag_kind": "forces", "diagnostic_drag_label": "bottom,top", "diagnostic_through_kind": "flux", "diagnostic_through_label": "right",
         "diagnostic_drop_kind": "pressure_difference", "diagnostic_drop_label": "left,right"}


DIAGNOSTICS = ("drag", "through", "drop")


def turned_back(table, turn, key="derivative"):
    """(diagnostic, label of the column, parameter) to a number, or a vector turned back."""
    T = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    vectors, numbers = {}, {}
    for row in table:
        at, value = (row["diagnostic"], row["column"][:-2], row["parameter"]), float(row[key])
        if row["diagnostic"] == "drag":
            vectors.setdefault(at, np.zeros(2))["xy".index(row["column"][-1])] = value
        else:
            numbers[(row["diagnostic"], row["column"], row["parameter"])] = np.array([value])
    return {**numbers, **{at: T @ v for at, v in vectors.items()}}


def asked(by, diagnostics):
    return {**NAMES, "sensitivity": ",".join(f"{d}:{p}" for d in diagnostics for p in by)}


def parameters(base):
    return {k: v for k, v in base.items() if k.startswith("physics_")}


def sensitivity(gate, ranks):
    for name, base in CASES.items():
        by = parameters(base)
        straight = turned_back(case("run", base, 1, 0.0, **asked(by, DIAGNOSTICS), sensitivity_method="forward").texts("_sensitivity.csv"), 0.0)
        for method in ("forward", "adjoint"):
            some = DIAGNOSTICS[1:] if method == "adjoint" and base["bc_top_type"] == "slip" else DIAGNOSTICS  # forces beside friction have no gradient
            found = case("run", base, int(ranks), TURN, **asked(by, some), sensitivity_method=method).texts("_sensitivity.csv")
            back = turned_back(found, TURN)
            gate.true(f"{name}, {method}: the same rows", back.keys() == {at for at in straight if at[0] in some} and len(back) > 1)
            size = {d: largest(abs(v).max() for (of, _, _), v in straight.items() if of == d) for d in some}
            for d in size:
                gate.at_most(f"{name}, {method}: {d}: difference over the largest", largest(abs(v - straight[at]).max() / max(size[d], 1e-2) for at, v in back.items() if at[0] == d), 1e-7)
        for p, value in by.items() if ranks == "1" else ():
            h = 1e-3 * value
            low, high = (case("run", {**base, p: value + d}, 1, TURN, **NAMES) for d in (-h, h))
            rows = [r for r in found if r["parameter"] == p]
            slope = [float(high.table(f"_{r['diagnostic']}.csv")[r["column"]][-1] - low.table(f"_{r['diagnostic']}.csv")[r["column"]][-1]) / (2 * h) for r in rows]
            gate.at_most(f"{name}: by {p}: less central differences, over the largest", largest(abs(float(r["derivative"]) - s) for r, s in zip(rows, slope)) / largest(abs(s) for s in slope), 1e-5)


ROOM = {**oblique.POLYMER, "stabiliser": "devss,split_oss", "bc_left_polymer": "rest", **{f"bc_{side}_type": "symmetry" for side in ("top", "front", "back")}}


def room(gate, ranks):
    a, b = 0.6, 0.4
    T = np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]]) @ np.array([[math.cos(b), 0, math.sin(b)], [0, 1, 0], [-math.sin(b), 0, math.cos(b)]])

    def flow(verb, turn, np_, **words):
        y = "(" + "+".join(f"({float(turn[d, 1])!r})*{'xyz'[d]}" for d in range(3)) + ")"
        mesh = oblique.block(f"{run.folder('turned')}/block.msh", 2, turn)
        return case(verb, ROOM, np_, 0.0, mesh_file=mesh, bc_left_velocity=",".join(f"({float(turn[d, 0])!r})*{y}*(2-{y})" for d in range(3)), **words)

    words = {"eigen_number": 3, "eigen_shifts": SHIFTS, "eigen_adjoint": "true"}
    if run.has("SLEPc"):
        straight, found = flow("eigen", np.eye(3), 1, **words), flow("eigen", T, int(ranks), **words)
        want, value = modes(straight), modes(found)
        gate.at_most("difference of modes over their modulus", largest(abs(value - want) / abs(want)), 1e-8)
        gate.at_most("residuals of adjoint modes", largest(found.table("_spectrum.csv")["adjoint_residual"]), 1e-7)
    words = asked(parameters(ROOM), ("drag", "drop"))
    straight = flow("run", np.eye(3), 1, **words, sensitivity_method="forward").texts("_sensitivity.csv")
    found = flow("run", T, int(ranks), **words, sensitivity_method="adjoint").texts("_sensitivity.csv")
    for d in ("drag", "drop"):
        was, now = (np.array([float(r["derivative"]) for r in rows if r["diagnostic"] == d]) for rows in (straight, found))
        if d == "drag":
            was, now = was.reshape(-1, 3), now.reshape(-1, 3) @ T
        gate.at_most(f"{d}: adjoint less forward along the axes, over the largest", largest(abs(now - was).max() / abs(was).max(), 0.0), 1e-7)


def main(check, *more):
    gate = Gate("_".join(("scheme_turned", check) + more))
    {"spectrum": spectrum, "sensitivity": sensitivity, "room": room}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
