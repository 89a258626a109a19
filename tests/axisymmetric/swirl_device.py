"""Steps of axisymmetric flow with swirl on a device are those on the host: a cylinder whose end turns, from the axis on, two modes of polymer.
swirl_device.py <variable> [monolithic]"""
import sys

import numpy as np
import run
from gate import Gate

WORDS = ["-case_name", "device", "-form_axisymmetric", "true", "-mesh_box_cell", "mixed", "-mesh_box_faces", "6,5", "-physics", "newtonian,oldroydb,swirling",
         "-physics_newtonian_viscosity", 0.05, "-physics_oldroydb_modes", 2, "-physics_oldroydb_viscosity", "0.05,0.03", "-physics_oldroydb_lambda", "0.3,0.1",
         "-form_density", 3, "-stabiliser", "devss,split_oss", "-initial_swirl", "0.3*y*x", "-initial_perturbation", 0.05, "-form_source_swirl", "sin(5*t)*y", "-bc_left_type", "wall",
         "-bc_right_type", "rotating_wall", "-bc_right_angular_velocity", "0.8*(1+t)", "-bc_top_type", "wall", "-bc_bottom_type", "symmetry", "-stop_steps", 6, "-output_fields", 0, "-diagnostic_force_kind", "forces", "-diagnostic_force_label",
         "right,top", "-diagnostic_force_torque", "true"]


SCHEMES = {"lumped": ["-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", 5e-3, "-pressure_ksp_rtol", 1e-13],
           "monolithic": ["-scheme", "monolithic", "-scheme_monolithic_dt", 0.02, "-snes_rtol", 1e-12, "-ksp_rtol", 1e-10]}


def main(variable, scheme="lumped"):
    gate = Gate(f"axisymmetric_swirl_device_{variable}" + ("_monolithic" if scheme == "monolithic" else ""))
    state, torque = {}, {}
    for where in ("cpu", "cuda"):
        done = run.rheoplex("run", *WORDS, *SCHEMES[scheme], "-polymer_variable", variable, "-device", where, out=run.folder("device"), expect=None)
        if where == "cuda" and "No device to compute on" in done.stderr:
            return 77
        gate.true(f"{where}: the run ends{': ' + done.stderr[:600] if done.rc else ''}", done.rc == 0)
        state[where] = done.checkpoint()
        torque[where] = np.array([done.table("_force.csv")[c] for c in ("right_torque", "top_torque")])
    gate.at_least("largest u_theta", float(np.abs(state["cpu"][:, -1]).max()), 0.5)
    gate.at_least("largest torque", float(np.abs(torque["cpu"]).max()), 1e-3)
    gate.at_most("largest difference of the device", float(np.abs(state["cuda"] - state["cpu"]).max()), 1e-10)
    gate.at_most("and of the torques", float(np.abs(torque["cuda"] - torque["cpu"]).max()), 1e-10)
    return gate.finish()


sys.exit(main(*sys.argv[1:]))
