"""Planes of symmetry that are oblique to the axes, with polymer: a flow in a mesh that is turned is the flow that is turned. tilted.py
  plane    a channel with a plane for its top: stress and log c, `lumped` and every integrator of `fractional_step`; ranks and restart; a corner of two planes
  space    a block of hexahedra turned in space, with three planes that meet along edges
  newton   both by `steady` and `monolithic`, each projection; ranks; the corner
  device   the first two, on host and device"""
import math
import sys

import mshwrite
import numpy as np
import run
from gate import Gate
from oblique import block

TURN, MODES, FRACTIONAL = math.pi / 6, 2, "scheme_fractional_step_"
BASE = {"case_name": "tilted", "form_density": 3, "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.3, "physics_oldroydb_modes": MODES, "physics_oldroydb_viscosity": "0.4,0.2",
        "physics_oldroydb_lambda": "0.25,0.1", "stabiliser": "devss,split_oss", "bc_left_type": "inlet", "bc_left_polymer": "rest", "bc_right_type": "outlet", "bc_right_polymer": "open", "bc_bottom_type": "wall",
        "bc_top_type": "symmetry", "pressure_ksp_rtol": 1e-13, "output_fields": "false", "stop_steps": 8}
LUMPED = {"scheme": "lumped", "scheme_lumped_dt": 2e-3}
STEADY = {"scheme": "steady", "ksp_rtol": 1e-8, "snes_rtol": 1e-12, "stop_steps": None, "pressure_ksp_rtol": None}
STEPS = {"scheme": "monolithic", "scheme_monolithic_dt": 0.05, "ksp_rtol": 1e-8, "snes_rtol": 1e-12, "stop_steps": 3, "pressure_ksp_rtol": None}
SCHEMES = {"lumped": LUMPED, **{kind: {"scheme": "fractional_step", FRACTIONAL + "integrator": kind, FRACTIONAL + "dt": 2e-3, **({"momentum_ksp_rtol": 1e-12} if kind == "bdf2" else {})} for kind in ("heun", "ssp3", "rk4", "bdf2")},
           "transport": {"scheme": "fractional_step", FRACTIONAL + "integrator": "bdf2", FRACTIONAL + "polymer": "transport", FRACTIONAL + "dt": 2e-3, "momentum_ksp_rtol": 1e-12, "transport_ksp_rtol": 1e-12}}
INDEX = {2: ((0, 2), (2, 1)), 3: ((0, 5, 4), (5, 1, 3), (4, 3, 2))}


def case(device="cpu", np_=1, expect=0, **changes):
    words = [w for key, value in {**BASE, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, "-device", device, out=run.folder("tilted"), np=np_, expect=expect, timeout=300)


def plane(turn):
    """Wavy bottom, straight top."""
    c, s = math.cos(turn), math.sin(turn)

    def place(i, j):
        x, y = 0.2 * i, 0.14 * j + 0.1 * (1 - j / 5) * math.sin(math.pi * i / 4)
        return c * x - s * y, s * x + c * y

    y = f"({c!r}*y-({s!r})*x)"
    return {"mesh_file": mshwrite.channel(f"{run.folder('tilted')}/plane.msh", 8, 5, place), "bc_left_velocity": f"{c!r}*{y}*(1.4-{y}),{s!r}*{y}*(1.4-{y})"}


def space(T):
    y = "(" + "+".join(f"({float(T[d, 1])!r})*{'xyz'[d]}" for d in range(3)) + ")"
    return {"mesh_file": block(f"{run.folder('tilted')}/block.msh", 3, T), "bc_front_type": "symmetry", "bc_back_type": "symmetry",
            "bc_left_velocity": ",".join(f"({float(T[d, 0])!r})*{y}*(2-{y})" for d in range(3))}


def back(result, T):
    """The state by position, turned back by T^T."""
    dim = len(T)
    x, u = result.checkpoint("positions") @ T, result.checkpoint().copy()
    u[:, :dim] = u[:, :dim] @ T
    width, at = dim * (dim + 1) // 2, np.array(INDEX[dim])
    for mode in range(MODES):
        part = u[:, dim + 1 + mode * width : dim + 1 + (mode + 1) * width]
        turned = np.einsum("ia,nij,jb->nab", T, part[:, at], T)
        for a in range(dim):
            for b in range(a, dim):
                part[:, at[a, b]] = turned[:, a, b]
    return u[np.lexsort(np.round(x, 8).T + 0.0)]


def rotation(turn):
    return np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])


def spatial():
    a, b = TURN, 0.4
    return np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]]) @ np.array([[math.cos(b), 0, math.sin(b)], [0, 1, 0], [-math.sin(b), 0, math.cos(b)]])


def compare(gate, name, found, expected, bound=1e-10):
    gate.at_most(f"{name}: state", float(np.abs(found - expected).max() / np.abs(expected).max()), bound)


def in_plane(gate):
    for k, (name, scheme) in enumerate(SCHEMES.items()):
        flow, turn = {**scheme, "polymer_variable": ("stress", "logconf")[k % 2]}, rotation(TURN)
        expected = back(case(**flow, **plane(0.0)), np.eye(2))
        compare(gate, f"{name}, {flow['polymer_variable']}, turned by 30 degrees", back(case(**flow, **plane(TURN)), turn), expected)
        if name != "ssp3":
            continue
        gate.at_least("largest component of the modes", float(np.abs(expected[:, 3:]).max()), 0.01)
        half = case(**flow, **plane(TURN), stop_steps=4)
        compare(gate, f"{name}, restart", back(case(**flow, **plane(TURN), case_restart=half.file("_checkpoint.h5")), turn), expected, 1e-12)
        for np_ in (2, 3):
            compare(gate, f"{name}, turned, np {np_}", back(case(np_=np_, **flow, **plane(TURN)), turn), expected)


def corner(gate, scheme=LUMPED):
    """Between two planes at 50 degrees a tensor is isotropic."""
    wide = math.radians(50)
    mesh = mshwrite.channel(f"{run.folder('tilted')}/corner.msh", 6, 6, lambda i, j: (0.2 * i + 0.1 * j * math.cos(wide), 0.1 * j * math.sin(wide)))
    found = case(**{**scheme, "mesh_file": mesh, "polymer_variable": "stress"}, **{"bc_left_type": "symmetry", "bc_left_polymer": None, "bc_bottom_type": "symmetry", "bc_top_type": "moving_wall", "bc_top_velocity": "0.3,0"})
    x, u = found.checkpoint("positions"), found.checkpoint()
    at, tip = u[np.argmin(np.abs(x).sum(axis=1))], float(np.abs(u[:, 3:]).max())
    gate.at_most("corner: xx - yy and xy of both modes over the largest stress", float(np.abs([at[3] - at[4], at[5], at[6] - at[7], at[8]]).max()) / tip, 1e-13)
    left = u[(np.abs(x[:, 1] - math.tan(wide) * x[:, 0]) < 1e-9) & (x[:, 1] > 0) & (x[:, 1] < 0.59 * math.sin(wide))]
    n, t = np.array([-math.sin(wide), math.cos(wide)]), np.array([math.cos(wide), math.sin(wide)])
    shear = left[:, 3] * n[0] * t[0] + left[:, 4] * n[1] * t[1] + left[:, 5] * (n[0] * t[1] + n[1] * t[0])
    gate.at_most("left plane: shear", float(np.abs(shear).max()) / tip, 1e-13)


def in_space(gate):
    for variable, scheme in ("logconf", LUMPED), ("stress", SCHEMES["ssp3"]):
        flow, T = {**scheme, "polymer_variable": variable}, spatial()
        expected = back(case(**flow, **space(np.eye(3))), np.eye(3))
        for np_ in (1, 2, 3) if variable == "stress" else (1,):
            compare(gate, f"block, {variable}, turned, np {np_}", back(case(np_=np_, **flow, **space(T)), T), expected)
        gate.at_least(f"block, {variable}: largest component of the modes", float(np.abs(expected[:, 4:]).max()), 0.01)


def by_newton(gate):
    for name, change in ("steady, stress", {**STEADY, "polymer_variable": "stress"}), ("steady, log c", {**STEADY, "polymer_variable": "logconf", "scheme_steady_projection": "lumped"}), ("monolithic, conformation", {**STEPS, "polymer_variable": "conformation"}):
        expected = back(case(**change, **plane(0.0)), np.eye(2))
        for turn, np_ in ((TURN, 1), (math.pi / 4, 2)) if name == "steady, stress" else ((TURN, 1),):
            found = case(np_=np_, **change, **plane(turn))
            compare(gate, f"{name}, turned by {turn:.3g}, np {np_}", back(found, rotation(turn)), expected)
        gate.at_least(f"{name}: largest component of the modes", float(np.abs(expected[:, 3:]).max()), 0.01)
    corner(gate, STEADY)
    T = spatial()
    expected = back(case(**STEADY, polymer_variable="stress", **space(np.eye(3))), np.eye(3))
    for np_ in (1, 3):
        found = case(np_=np_, **STEADY, polymer_variable="stress", **space(T))
        compare(gate, f"block, turned, np {np_}", back(found, T), expected)


def on_device(gate):
    for name, flow in ("lumped", LUMPED), ("ssp3", SCHEMES["ssp3"]), ("transport", SCHEMES["transport"]):
        words = {**flow, "polymer_variable": "stress", **plane(TURN)}
        compare(gate, f"{name}: host and device", case("cuda", **words).checkpoint(), case(**words).checkpoint())
    words = {**LUMPED, "polymer_variable": "logconf", **space(spatial()), "stop_steps": 3}
    compare(gate, "block: host and device", case("cuda", **words).checkpoint(), case(**words).checkpoint())


def main(check):
    gate = Gate(f"boundary_tilted_{check}")
    for one in {"plane": (in_plane, corner), "space": (in_space,), "newton": (by_newton,), "device": (on_device,)}[check]:
        one(gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
