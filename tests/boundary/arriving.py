"""Outlets of the developed stress of the flux that arrives in schemes that solve for it by Newton's method. arriving.py
  jacobian <program boundary_arriving>  products with the Jacobian against differences of the residual, in the plane and in space, ranks
  plane         a channel of each law: the state is that of an outlet which is given the rate, on any number of ranks; at rest in time
  branch        two such outlets and an uneven inlet: that of outlets which are given what flows through them
  space         the same in a duct, and in a tube
  time          monolithic: of second order in dt, the same after a restart, which knows the flux
  continuation  by value and by arc length: the states that are found one by one
  refused       spectra and sensitivities
  cuda          states on the emulated device are those of the host"""
import math
import os
import re
import subprocess
import sys

import h5py
import mshwrite
import numpy as np
import run
from gate import Gate

LAWS = {"physics": "newtonian,oldroydb,giesekus", "physics_newtonian_viscosity": 0.3, "physics_oldroydb_viscosity": 0.5, "physics_oldroydb_lambda": 0.4, "physics_giesekus_viscosity": 0.39,
        "physics_giesekus_lambda": 1.3, "physics_giesekus_alpha": 0.2}
OLDROYD = {"physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.3, "physics_oldroydb_modes": 2, "physics_oldroydb_viscosity": "0.5,0.3", "physics_oldroydb_lambda": "0.4,0.9"}
PTT = {"physics": "newtonian,ptt", "physics_newtonian_viscosity": 0.3, "physics_ptt_modes": 2, "physics_ptt_viscosity": "0.5,0.3", "physics_ptt_lambda": "0.4,0.9", "physics_ptt_epsilon": "0.25,0.1"}
GIESEKUS = {"physics": "newtonian,giesekus", "physics_newtonian_viscosity": 0.3, "physics_giesekus_modes": 2, "physics_giesekus_viscosity": "0.5,0.3", "physics_giesekus_lambda": "0.4,0.9",
            "physics_giesekus_alpha": "0.2,0.1"}
FLOW = {"case_name": "arriving", "mesh_box_upper": "3,1.4", "mesh_box_faces": "9,6", "mesh_box_cell": "mixed", "mesh_box_jitter": 0.1, "form_density": 3, "polymer_variable": "logconf",
        "stabiliser": "devss,split_oss", "bc_left_type": "inlet", "bc_left_profile": "developed", "bc_left_flow_rate": 0.8, "bc_right_type": "outlet", "bc_right_polymer": "developed",
        "bc_bottom_type": "wall", "bc_top_type": "wall", "output_fields": "false", "scheme": "steady"}
GIVEN = {"bc_right_flow_rate": 0.8, "bc_right_pressure_at": "traction"}
# In at the top, more of it on the left, out to both sides.
TEE = {"mesh_box_upper": "4,1.4", "mesh_box_faces": "12,5", "bc_top_type": "inlet", "bc_top_velocity": "0,-0.1*x*(4-x)*(1+0.2*x)", "bc_left_type": "outlet", "bc_left_polymer": "developed",
       "bc_left_profile": None, "bc_left_flow_rate": None}
DUCT = {"mesh_box_upper": "2,1,1.4", "mesh_box_faces": "2,3,3", "mesh_box_cell": "hexahedron", "mesh_box_jitter": 0, "bc_front_type": "wall", "bc_back_type": "symmetry"}
TUBE = {"form_axisymmetric": "true", "bc_bottom_type": "symmetry", "mesh_box_upper": "3,0.7", "mesh_box_cell": "triangle"}
EXACT = {"snes_rtol": 1e-12, "ksp_rtol": 1e-8}
STEPS = {"scheme": "monolithic", "scheme_monolithic_dt": 0.1, "snes_rtol": 1e-11, "stop_time": None, "bc_left_ramp": 2}


def words_of(*parts):
    words = {key: value for part in parts for key, value in part.items()}
    return [str(w) for key, value in words.items() if value is not None for w in (f"-{key}", value)]


def case(*parts, device="cpu", np_=1, expect=0, verb="run"):
    return run.rheoplex(verb, *words_of(FLOW, {"device": device}, *parts), out=run.folder("arriving"), np=np_, expect=expect, timeout=300)


def apart(a, b):
    """Largest difference of the states of two runs, over the largest value of b's."""
    a, b = a.checkpoint(), b.checkpoint()
    return float(np.abs(a - b).max() / np.abs(b).max())


def flux(result, label="right"):
    with h5py.File(result.file("_checkpoint.h5")) as f:
        return float(f.attrs[f"condition_{label}_outlet"][0])


def tilted():
    """A channel turned by 30 degrees, a plane of symmetry its top."""
    c, s = math.cos(math.pi / 6), 0.5
    mesh = mshwrite.channel(f"{run.folder('arriving')}/tilted.msh", 8, 5, lambda i, j: (c * 0.3 * i - s * 0.14 * j, s * 0.3 * i + c * 0.14 * j))
    return {**{key: None for key in FLOW if key.startswith("mesh_box")}, "mesh_file": mesh, "bc_top_type": "symmetry"}


def jacobian(gate, program):
    for name, changes, np_ in (("mixed, log c", LAWS, 1), ("PTT, np 2", PTT, 2), ("two outlets, stress", {**OLDROYD, **TEE, "polymer_variable": "stress", "bc_top_velocity": "0,-0.1*x*(4-x)"}, 1),
                               ("tube, stress", {**LAWS, **TUBE, "polymer_variable": "stress"}, 1), ("duct, np 2", {**LAWS, **DUCT, "polymer_variable": "stress"}, 2),
                               ("plane of symmetry oblique to the axes", {**LAWS, **tilted()}, 1)):
        command = [program, *words_of(FLOW, {"device": "cpu"}, changes), "-output_folder", run.folder("arriving"), "-malloc_dump"]
        done = subprocess.run(([os.environ["RHEOPLEX_MPIEXEC"], "-n", str(np_)] if np_ > 1 else []) + command, capture_output=True, text=True, timeout=300)
        print("\n".join(x for x in (done.stdout + done.stderr).splitlines() if re.match(r"the Jacobian", x) or done.returncode))
        gate.true(f"{name}: products", done.returncode == 0 and "[0]" not in done.stdout + done.stderr)


def same_as_given(gate, name, *changes, rate=0.8, given=None, bound=1e-8):
    found = case(EXACT, *changes)
    other = case(EXACT, *changes, given or GIVEN)
    gate.at_most(f"{name}: state, from that of the rate given", apart(found, other), bound)
    gate.relative(f"{name}: flux", flux(found), rate, 1e-9)
    return found


def plane(gate):
    for name, law in (("Oldroyd-B", OLDROYD), ("PTT", PTT), ("Giesekus", GIESEKUS)):
        found = same_as_given(gate, name, law)
    for np_ in (2, 3):
        gate.at_most(f"np {np_}: state", apart(case(EXACT, GIESEKUS, np_=np_), found), 1e-10)
    step = case(GIESEKUS, STEPS, {"bc_left_ramp": None, "scheme_monolithic_dt": 0.5, "stop_steps": 2, "case_restart": found.file("_checkpoint.h5")})
    gate.at_most("monolithic: change in a step from there", apart(step, found), 1e-9)
    lumped = {**GIESEKUS, "stabiliser_split_oss_projection_corrections": 2, "mesh_box_faces": "6,4", "mesh_box_cell": "quadrilateral"}
    rest = case(lumped, {"scheme": "lumped", "scheme_lumped_cfl": 0.8, "pressure_ksp_rtol": 1e-13, "stop_steady_tol": 1e-10, "stop_time": 400})
    gate.at_most("lumped projections: state, from that of lumped at rest", apart(case(EXACT, lumped, {"scheme_steady_projection": "lumped"}), rest), 5e-9)


def branch(gate):
    for name, law in (("Oldroyd-B", OLDROYD), ("PTT", PTT), ("Giesekus", GIESEKUS)):
        found = case(EXACT, TEE, law)
        through = {f"bc_{label}_{key}": value for label in ("left", "right") for key, value in (("flow_rate", repr(flux(found, label))), ("pressure_at", "traction"))}
        gate.at_most(f"{name}: state, from that of the rates given", apart(found, case(EXACT, TEE, law, through)), 1e-8)
        gate.at_least(f"{name}: difference of the fluxes", abs(flux(found, "left") - flux(found, "right")), 0.01)
    for np_ in (2, 3):
        gate.at_most(f"np {np_}: state", apart(case(EXACT, TEE, GIESEKUS, np_=np_), found), 1e-10)


def space(gate):
    found = same_as_given(gate, "duct", LAWS, DUCT)
    same_as_given(gate, "duct, tetrahedra", PTT, DUCT, {"mesh_box_cell": "tetrahedron"})
    same_as_given(gate, "tube", LAWS, TUBE)
    gate.at_most("np 3: state", apart(case(EXACT, LAWS, DUCT, np_=3), found), 1e-10)


def time(gate):
    def end(steps, *more, np_=1):
        return case(LAWS, STEPS, {"stop_steps": steps, "scheme_monolithic_dt": repr(0.8 / steps)}, *more, np_=np_)
    states = [end(steps) for steps in (8, 16, 32)]
    gate.at_least("order in dt", math.log2(apart(states[0], states[1]) / apart(states[1], states[2])), 1.8)
    for np_ in (2, 3):
        gate.at_most(f"np {np_}: state", apart(end(8, np_=np_), states[0]), 1e-10)
    half = end(8, {"stop_steps": 4, "scheme_monolithic_dt": 0.1})
    gate.relative("the flux of the checkpoint", flux(half), 0.8 * 0.5 * (1 - math.cos(math.pi * 0.4 / 2)), 1e-9)
    gate.at_most("restart: state", apart(end(8, {"case_restart": half.file("_checkpoint.h5")}), states[0]), 1e-12)


def continuation(gate):
    last = case(EXACT, LAWS, {"physics_oldroydb_lambda": 0.7})
    for kind in ("value", "arclength"):
        found = case(EXACT, LAWS, {"scheme_steady_continuation": "physics_oldroydb_lambda=0.1:0.3:0.7", "scheme_steady_continuation_type": kind})
        gate.at_most(f"by {kind}: last state", apart(found, last), 1e-9)
    more = case(EXACT, LAWS, {"scheme_steady_continuation": "form_density=1:1:3", "bc_left_flow_rate": 2, "physics_oldroydb_lambda": 0.7, "case_restart": last.file("_checkpoint.h5")})
    gate.relative("another flow rate after a restart: flux", flux(more), 2, 1e-9)


def refused(gate):
    eigen = {"eigen_pairs": None}
    told = ("got -bc_right_polymer developed of the flux that arrives, which follows the flow", "such as -bc_right_flow_rate")
    gate.refused(case(LAWS, eigen, verb="eigen", expect=None), told)
    drag = {"diagnostic_drag_kind": "forces", "diagnostic_drag_label": "top", "sensitivity": "drag:physics_oldroydb_lambda"}
    gate.refused(case(LAWS, drag, expect=None), told)


def cuda(gate):
    for name, changes in (("steady", EXACT), ("monolithic", {**STEPS, "bc_left_ramp": None, "bc_top_ramp": 2, "stop_steps": 4})):
        changes = {**OLDROYD, **TEE, **changes}
        gate.at_most(f"{name}: states of host and device", apart(case(changes, device="cuda"), case(changes)), 1e-10)


def main():
    gate = Gate("boundary_arriving_" + sys.argv[1])
    globals()[sys.argv[1]](gate, *sys.argv[2:])
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
