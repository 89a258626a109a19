"""A run that is cut anywhere goes on as one that was not, and a checkpoint on the way changes nothing, rho 3: by bdf2 with tracked subscales a lid that starts at once, a pulse into a Windkessel with two
modes, implicit transport of log c behind a pressure that swings with steps of two lengths, tetrahedra; by ssp3 and, tracked too, lumped Heun with steps that a CFL target chooses; on one, two and three ranks. With other
parameters nothing is handed on. unbroken.py [cuda]"""
import shutil
import sys

import h5py
import numpy as np
import run
from gate import Gate, largest

BDF2 = {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": 0.01, "momentum_ksp_rtol": 1e-12, "pressure_ksp_rtol": 1e-13, "form_density": 3,
        "physics_newtonian_viscosity": 0.3, "output_fields": "false", "case_report_every": 100}
MODES = {"physics_oldroydb_modes": 2, "physics_oldroydb_viscosity": "0.2,0.1", "physics_oldroydb_lambda": "0.2,0.05", "bc_left_polymer": "rest", "bc_right_polymer": "zero", "stabiliser": "devss,split_oss"}
CHANNEL = {**BDF2, "mesh_box_faces": "7,5", "mesh_box_cell": "mixed", "mesh_box_jitter": 0.2, "bc_left_type": "inlet", "bc_left_velocity": "6*y*(1-y)*(1+0.5*sin(25*t)),0", "bc_bottom_type": "wall",
           "bc_top_type": "wall", "initial_velocity": "6*y*(1-y),0"}
WALLS = {f"bc_{side}_type": "wall" for side in ("left", "right", "bottom", "front", "back")}
ADAPTIVE = {k: v for k, v in CHANNEL.items() if not k.startswith(("scheme", "momentum"))} | {"physics": "newtonian", "bc_right_type": "outlet", "initial_velocity": "y*(1-y),0"}
CASES = {
    "lid": {**BDF2, **{k: v for k, v in WALLS.items() if "front" not in k and "back" not in k}, "physics": "newtonian", "mesh_box_faces": "6,6", "bc_top_type": "moving_wall", "bc_top_velocity": "1,0"},
    "Windkessel": {**CHANNEL, **MODES, "physics": "newtonian,oldroydb", "polymer_variable": "conformation", "bc_right_type": "windkessel", "bc_right_proximal": 0.6, "bc_right_distal": 3,
                   "bc_right_compliance": 0.05},
    "transport": {**CHANNEL, **MODES, "physics": "newtonian,oldroydb", "polymer_variable": "logconf", "scheme_fractional_step_polymer": "transport", "transport_ksp_rtol": 1e-12, "bc_right_type": "outlet",
                  "bc_right_polymer": "open", "bc_right_pressure": "3*sin(20*t)", "scheme_fractional_step_dt": 0.04, "output_dt": 0.1, "physics_newtonian_viscosity": 0.02, "physics_oldroydb_viscosity": "2,1",
                  "physics_oldroydb_lambda": "0.8,0.3"},
    "tetrahedra": {**BDF2, **WALLS, "physics": "newtonian", "mesh_box_faces": "3,3,3", "mesh_box_cell": "tetrahedron", "bc_top_type": "moving_wall", "bc_top_velocity": "x*(1-x)*(1+sin(30*t)),0,0"},
    "ssp3 by CFL": {**ADAPTIVE, "scheme": "fractional_step", "scheme_fractional_step_integrator": "ssp3", "scheme_fractional_step_cfl": 0.9, "scheme_fractional_step_dt": 0.5, "physics_newtonian_viscosity": 0.01},
    "lumped by CFL": {**ADAPTIVE, **MODES, "physics": "newtonian,oldroydb", "scheme": "lumped", "scheme_lumped_stepper": "heun", "scheme_lumped_subscales": "tracked", "scheme_lumped_cfl": 0.9, "scheme_lumped_dt": 0.5,
                      "physics_newtonian_viscosity": 0.03},
}


def case(base, device, np_=1, **changes):
    words = [w for key, value in {**base, "device": device, **changes}.items() for w in (f"-{key}", value)]
    return run.rheoplex("run", "-case_name", "unbroken", *words, out=run.folder("unbroken"), np=np_, timeout=300)


def apart(a, b):
    return largest(largest(np.abs(a.checkpoint(k) - b.checkpoint(k)).max(axis=0) / np.maximum(np.abs(b.checkpoint(k)).max(axis=0), 1e-3)) for k in ("state", "rate"))


def without(file):
    """A copy of a checkpoint in which nothing is handed on."""
    other = f"{run.folder('unbroken')}/bare.h5"
    shutil.copy(file, other)
    with h5py.File(other, "a") as f:
        del f["handed"]
    return other


def main(device="cpu"):
    gate = Gate("_".join(["scheme_unbroken", *sys.argv[1:]]))
    for name, base in CASES.items() if device == "cpu" else list(CASES.items())[:3]:
        whole, half = case(base, device, stop_steps=9), case(base, device, stop_steps=4)
        if device == "cpu":
            marked = case(base, device, stop_steps=9, output_checkpoint_every=4)
            gate.at_most(f"{name}: a checkpoint on the way, of the largest of each field", apart(marked, whole), 1e-10)
        for ranks in (1, 2, 3) if device == "cpu" else (1, 2):
            rest = case(base, device, ranks, stop_steps=9, case_restart=half.file("_checkpoint.h5"))
            gate.at_most(f"{name}: cut after four steps, {ranks} ranks, of the largest of each field", apart(rest, whole), 1e-10)
        bare = without(half.file("_checkpoint.h5"))
        first = case(base, device, stop_steps=9, case_restart=bare)
        gate.at_least(f"{name}: with nothing handed on", apart(first, whole), 1e-4)
        if device == "cpu":
            other = [case(base, device, stop_steps=6, physics_newtonian_viscosity=0.1, case_restart=file) for file in (half.file("_checkpoint.h5"), bare)]
            gate.true(f"{name}: of another viscosity nothing is taken", np.array_equal(*(x.checkpoint() for x in other)))
            told = ["begins without what the last one knew" in x.stdout for x in (*other, rest)]
            gate.true(f"{name}: which the run says, and says nothing else", told == [True, False, False])
            again = case(base, device, stop_steps=9, case_restart=half.file("_checkpoint.h5"), info=":none")
            gate.true(f"{name}: options that change nothing are none of these", np.array_equal(again.checkpoint(), case(base, device, stop_steps=9, case_restart=half.file("_checkpoint.h5")).checkpoint()))
    return gate.finish()


sys.exit(main(*sys.argv[1:]))
