"""A run under a body force begins with the pressure of the fluid at rest: hydrostatic for one force everywhere, in a closed box, below a free outlet, beside one whose
pressure is hydrostatic, along an axis; of a force that varies the part that is a gradient. The fluid stays at rest; np 1 and 2, 2D and 3D."""
import re
import sys

import numpy as np
import run
from gate import Gate

RHO = 3.0
BASE = {"case_name": "weight", "physics": "newtonian", "physics_newtonian_viscosity": 0.5, "form_density": RHO, "stabiliser": "split_oss", "output_every": 1, "stop_steps": 1, "pressure_ksp_rtol": 1e-12}
PLANE = {"mesh_box_lower": "0.3,-0.2", "mesh_box_upper": "2.3,0.5", "mesh_box_faces": "6,5", "mesh_box_cell": "mixed", **{f"bc_{label}_type": "wall" for label in ("left", "right", "bottom", "top")}}
SOLID = {**PLANE, "mesh_box_lower": "0.3,-0.2,0.1", "mesh_box_upper": "1.3,0.5,0.7", "mesh_box_faces": "4,3,4", "mesh_box_cell": "tetrahedron", "bc_back_type": "wall", "bc_front_type": "wall"}
STEEP = RHO * 9.81


def begin(np_, words):
    """Positions and pressures of the start, the largest velocity after a step."""
    result = run.rheoplex("run", *(w for key, value in {**BASE, **words}.items() for w in (f"-{key}", value)), "-device", "cpu", out=run.folder("weight"), np=np_)
    first, last = result.fields(0), result.fields()
    return first.points, first["pressure"], float(np.abs(last["velocity"]).max())


def volume_mean(words):
    lower, upper = (np.array([float(v) for v in words[f"mesh_box_{end}"].split(",")] + [0])[:3] for end in ("lower", "upper"))
    return (lower + upper) / 2


def main():
    gate = Gate("boundary_weight")
    bdf2 = {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": 0.01}
    lumped = {"scheme": "lumped", "scheme_lumped_dt": 1e-3}
    oblique, down = (4.2, -STEEP, 0), (2.1, -3.3, -STEEP)
    text = lambda f, dim: ",".join(map(repr, f[:dim]))
    top = {"bc_top_type": "outlet", "bc_top_pressure": "700"}
    side = {"bc_right_type": "outlet", "bc_right_pressure": f"9-{STEEP!r}*y"}
    tube = {"mesh_box_lower": "0,0", "form_axisymmetric": "true", "bc_bottom_type": "symmetry"}
    for what, words, f, place, level in (
            ("closed, 2D", {**PLANE, **bdf2}, oblique, volume_mean(PLANE), 0), ("closed, 2D, lumped", {**PLANE, **lumped}, oblique, volume_mean(PLANE), 0), ("closed, tetrahedra", {**SOLID, **bdf2}, down, volume_mean(SOLID), 0),
            ("closed, hexahedra, lumped", {**SOLID, **lumped, "mesh_box_cell": "hexahedron"}, down, volume_mean(SOLID), 0), ("below an outlet, 2D", {**PLANE, **top, **bdf2}, (0, -STEEP, 0), (0, 0.5, 0), 700),
            ("below an outlet, tetrahedra", {**SOLID, **top, **bdf2}, (0, -STEEP, 0), (0, 0.5, 0), 700), ("beside an outlet", {**PLANE, **side, **bdf2}, (0, -STEEP, 0), (0, 0, 0), 9),
            ("beside an outlet, at nodes", {**PLANE, **side, "bc_right_pressure_at": "nodes", **lumped}, (0, -STEEP, 0), (0, 0, 0), 9), ("along an axis, open", {**PLANE, **tube, **bdf2, "bc_right_type": "outlet", "bc_right_pressure": "5"}, (STEEP, 0, 0), (2.3, 0, 0), 5),
            ("periodic along another force", {**PLANE, **bdf2, "mesh_box_periodic": "x", "bc_left_type": None, "bc_right_type": None}, (7, -STEEP, 0), volume_mean(PLANE), 0)):
        for np_ in (1, 2) if what in ("closed, 2D", "closed, tetrahedra", "below an outlet, 2D", "below an outlet, tetrahedra") else (1,):
            given = {**{key: value for key, value in words.items() if value is not None}, "form_body_force": text(f, words["mesh_box_lower"].count(",") + 1)}
            x, p, speed = begin(np_, given)
            balanced = np.array(f) * ([0, 1, 1] if "periodic" in what else 1)
            size = float(np.abs(balanced).sum())
            gate.at_most(f"{what}, np {np_}: pressure of the start", float(np.abs(p - level - (x - place) @ balanced).max()) / size, 1e-10)
            if "periodic" not in what:
                gate.at_most(f"{what}, np {np_}: velocity after a step", speed, 1e-9)
    errors = []
    for cells in (8, 16):
        x, p, _ = begin(1, {**PLANE, **bdf2, **top, "bc_top_pressure": "x+1.25*x^2", "mesh_box_faces": f"{2 * cells},{cells}", "form_body_force": "6*x*y-0.5*x+1,3*x^2-2"})
        errors.append(float(np.sqrt(np.mean((p - (3 * x[:, 0] ** 2 * x[:, 1] - 0.25 * x[:, 0] ** 2 + x[:, 0] - 2 * x[:, 1] + 1)) ** 2))))
    gate.at_most("a force that varies: pressure of the start, 16 cells", errors[1], 0.01)
    gate.order("a force that varies", [8, 16], errors, 1.8)
    x, p, _ = begin(2, {**PLANE, **bdf2, "form_body_force": f"0,{-STEEP!r}", "initial_pressure": "3-x"})
    gate.at_most("-initial_pressure is taken as it is", float(np.abs(p - 3 + x[:, 0]).max()), 1e-14)
    x, p, _ = begin(2, {**PLANE, **bdf2, "form_body_force": f"0,{-STEEP!r}", "bc_top_type": "inlet", "bc_top_velocity": "0,0", "bc_top_pressure": "40"})
    gate.at_most("an inlet without flow that gives the pressure", float(np.abs(p - 40 + STEEP * (x[:, 1] - 0.5)).max()) / STEEP, 1e-10)
    slow_flow(gate)
    told(gate)
    return gate.finish()


def told(gate):
    """An outlet between walls whose pressure does not hold a force along it; not one whose pressure does, nor a free surface along which a film runs; what of a force is along a period is not held."""
    flow = {**PLANE, "case_velocity": 0.5, "case_length": 2, "form_density": 3, "bc_left_type": "inlet", "bc_left_profile": "parabolic", "bc_left_mean_velocity": 0.5, "bc_right_type": "outlet"}
    solid = {**SOLID, "form_density": 3, "case_velocity": 1, "bc_left_type": "inlet", "bc_left_velocity": "1,0,0", "bc_right_type": "outlet"}
    film = {**flow, "bc_top_type": "outlet", "form_body_force": "4,-20", "bc_right_pressure": "-20*(y-0.5)"}
    no_resistance = {**flow, "form_body_force": "0,-20", "bc_right_type": "resistance", "bc_right_pressure_by_flux": "5+q"}
    across = {**solid, "mesh_box_periodic": "z", "mesh_box_faces": "2,3,12", "bc_front_type": None, "bc_back_type": None, "form_body_force": "0,-20,5"}
    run_down = {**SOLID, "mesh_box_periodic": "x", "bc_left_type": None, "bc_right_type": None, "bc_top_type": "outlet", "form_body_force": "4,-20,0"}
    high = float(PLANE["mesh_box_upper"].split(",")[1]) - float(PLANE["mesh_box_lower"].split(",")[1])
    wide, deep = (float(SOLID["mesh_box_upper"].split(",")[d]) - float(SOLID["mesh_box_lower"].split(",")[d]) for d in (1, 2))
    for what, np_, words, left, formula in (
            ("down", 1, {**flow, "form_body_force": "0,-20"}, 20 * high, "-20*y"), ("down, np 3", 3, {**flow, "form_body_force": "0,-20"}, 20 * high, "-20*y"),
            ("half of it held", 1, {**flow, "form_body_force": "3,20", "bc_right_pressure": "10*y"}, 10 * high, "3*x+20*y"), ("behind a resistance", 2, no_resistance, 20 * high, "-20*y"),
            ("in space", 2, {**solid, "form_body_force": "0,-30,40"}, 30 * wide + 40 * deep, "-30*y+40*z"), ("held", 1, {**flow, "form_body_force": "0,-20", "bc_right_pressure": "7-20*y"}, None, ""),
            ("across", 1, {**flow, "form_body_force": "20,0"}, None, ""), ("little", 1, {**flow, "form_body_force": "0,-0.05"}, None, ""), ("one that turns", 1, {**flow, "form_body_force": "0,30*y"}, None, ""),
            ("along the outlet and a period", 3, across, 20 * high, "-20*y"), ("a film in space, periodic", 1, run_down, None, ""), ("a film in space, periodic, np 3", 3, run_down, None, ""),
            ("a pressure of its own beside a force across", 1, {**flow, "form_body_force": "20,0", "bc_right_pressure": "10*y"}, None, ""),
            ("a film", 1, film, None, ""), ("a film, periodic", 1, {**PLANE, "mesh_box_periodic": "x", "bc_left_type": None, "bc_right_type": None, "bc_top_type": "outlet", "form_body_force": "4,-20"}, None, "")):
        done = run.rheoplex("check", *(w for key, value in {**BASE, **words}.items() if value is not None and key != "pressure_ksp_rtol" for w in (f"-{key}", value)), out=run.folder("weight"), np=np_)
        found = re.search(r"-form_body_force: the pressure at the outlet 'right' does not hold it: (\S+) Pa .* such as \"(.*)\" \(-bc_right_pressure", done.stderr)
        gate.true(f"a force along an outlet, {what}: {'told' if left else 'not told'}", (found is not None) == (left is not None) and ("does not hold" in done.stderr) == (left is not None))
        if left and found:
            gate.near(f"a force along an outlet, {what}: Pa that are left", float(found[1]), left, 0.005 * left)
            gate.true(f"a force along an outlet, {what}: {formula}", found[2] == formula)


def slow_flow(gate):
    """A slow flow under a weight that the pressure balances, steady: the velocity is that without the weight, from the pressure at rest and from one that is given."""
    channel = {**PLANE, "bc_left_type": "inlet", "bc_left_profile": "parabolic", "bc_left_mean_velocity": "1e-6", "bc_right_type": "outlet", "scheme": "steady", "stop_steps": 10}
    heavy = {**channel, "form_body_force": f"0,{-STEEP!r}", "bc_right_pressure": f"9-{STEEP!r}*y"}
    velocity = [run.rheoplex("run", *(w for key, value in {**BASE, **words}.items() if key != "pressure_ksp_rtol" for w in (f"-{key}", value)), "-device", "cpu", out=run.folder("weight")).fields()["velocity"]
                for words in (channel, heavy, {**heavy, "initial_pressure": f"9-{STEEP!r}*y"})]
    for what, other in zip(("from rest", "from its pressure"), velocity[1:]):
        gate.at_most(f"slow flow under a weight, {what}: velocity", float(np.abs(other - velocity[0]).max()) / 1e-6, 1e-6)


sys.exit(main())
