"""A flow is bit for bit the same with a passive scalar beside it and without one: state, history and time steps, Newtonian and with two modes, on one rank and two. It
says that scalar fields left runs without them as they were: their texts are compiled into the flow's passes, their rows lie in its node block, their projections beside
its own, so what they changed of the flow they would change with a scalar there, and nothing of it does. With bdf2 and without polymer triangles have one
point, all else as many as nodes. alone.py <lumped|heun|bdf2> <ranks>"""
import sys

import numpy as np
import run
from gate import Gate

OF_ALL = ("cfl_relaxation", "cfl_growth", "dc_dt")  # largest of all fields, scalars too
SCALAR = {"diffusivity": 0.002, "decay": 0.3, "supply": 0.4}
SCHEMES = {
    "lumped": ["-scheme_lumped_dt", 2e-3],
    "heun": ["-scheme_lumped_stepper", "heun", "-scheme_lumped_cfl", 0.3],
    "bdf2": ["-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2", "-scheme_fractional_step_dt", 4e-3],
}
FLOW = ["-case_name", "alone", "-device", "cpu", "-stop_steps", 15, "-output_every", 15, "-case_report_every", 1, "-form_density", 2, "-stabiliser", "split_oss", "-bc_left_type", "wall",
        "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2*(1+0.3*sin(9*t)),0"]
SPACE = ["-mesh_box_faces", "4,3,3", "-mesh_box_lower", "0,0,0", "-mesh_box_upper", "1,1,1", "-bc_top_velocity", "16*x^2*(1-x)^2*(1+0.3*sin(9*t)),0,0.1", "-bc_front_type", "symmetry", "-bc_back_type", "wall"]
MODES = ["-physics_oldroydb_viscosity", 0.04, "-physics_oldroydb_lambda", 0.3, "-physics_giesekus_viscosity", 0.02, "-physics_giesekus_lambda", 0.1, "-physics_giesekus_alpha", 0.2]


def compare(gate, what, laws, words, ranks, dim):
    beside = ["-initial_concentration", "exp(-30*((x-0.4)^2+(y-0.6)^2))", "-bc_top_concentration", "value 1+sin(5*t)", "-bc_left_concentration", "flux 0.2*y"]
    beside += [w for name, value in SCALAR.items() for w in (f"-physics_passive_{name}", value)]
    words = [*FLOW, *words, "-physics_newtonian_viscosity", 0.05]
    flow = run.rheoplex("run", *words, "-physics", laws, out=run.folder("alone"), np=ranks)
    both = run.rheoplex("run", *words, "-physics", f"{laws},passive", *beside, out=run.folder("alone"), np=ranks)
    state, with_scalar = flow.checkpoint(), both.checkpoint()
    width = state.shape[1]
    gate.true(f"{what}: one column more", with_scalar.shape == (len(state), width + 1))
    gate.at_least(f"{what}: the flow moves", float(np.abs(state).max(axis=0).min()), 1e-6)
    gate.at_least(f"{what}: so does the scalar", float(with_scalar[:, -1].std()), 1e-3)
    gate.true(f"{what}: u, p and {width - dim - 1} components of modes bit for bit", state.tobytes() == np.ascontiguousarray(with_scalar[:, :width]).tobytes())
    history, beside = flow.texts("_history.csv"), both.texts("_history.csv")
    shared = [c for c in history[0] if c in beside[0] and c not in (*OF_ALL, "seconds")]
    different = sorted({c for a, b in zip(history, beside) for c in shared if a[c] != b[c]})
    gate.true(f"{what}: {len(history)} rows of the history in {len(shared)} columns, but for {different}", len(history) == len(beside) > 10 and len(shared) > 20 and not different)


def main(scheme, ranks):
    gate = Gate(f"scalars_alone_{scheme}_np{ranks}")
    for cell in ("quadrilateral", "triangle", "hexahedron", "tetrahedron")[:4 if ranks == 1 else 2]:
        dim = 3 if cell.endswith("hedron") else 2
        words = [*SCHEMES[scheme], *(SPACE if dim == 3 else ("-mesh_box_faces", "9,8")), "-mesh_box_cell", cell]
        compare(gate, f"{cell}, Newtonian", "newtonian", words, ranks, dim)
        compare(gate, f"{cell}, two modes", "newtonian,oldroydb,giesekus", [*words, *MODES], ranks, dim)
    return gate.finish()


sys.exit(main(sys.argv[1], int(sys.argv[2])))
