"""Start-up of homogeneous shear in the element loop against the rheometer, which has no elements: laws with slip, two modes, in
every representation and in space; Heun's error falls fourfold when dt is halved. rheometer.py"""
import sys

import numpy as np
import run
from gate import Gate

RATE, END = 0.8, 0.5
LAWS = {
    "ptt": ["-physics_ptt_modes", "2", "-physics_ptt_viscosity", "0.4,1.1", "-physics_ptt_lambda", "0.3,0.8", "-physics_ptt_epsilon", "0.2,0.1", "-physics_ptt_xi", "0.3,0.15"],
    "johnson_segalman": ["-physics_johnson_segalman_viscosity", "0.9", "-physics_johnson_segalman_lambda", "0.5", "-physics_johnson_segalman_xi", "0.25"],
}


def differences(tau):
    """xy, xx - yy, yy - zz of ParaView's XX YY ZZ XY."""
    return np.array([tau[3], tau[0] - tau[1], tau[1] - tau[2]])


def elements(law, variable, dim, steps):
    """The stress at the end, the same at every node."""
    velocity = f"{RATE}*y,0" + ",0" * (dim - 2)
    words = ["-case_name", "shear", "-mesh_box_faces", ",".join("2" * dim), *(["-mesh_box_cell", "hexahedron"] if dim == 3 else []), "-form_density", "3"]
    for label in ["left", "right", "bottom", "top"] + ["back", "front"] * (dim == 3):
        words += [f"-bc_{label}_type", "inlet", f"-bc_{label}_velocity", velocity, f"-bc_{label}_polymer", "free"]
    words += ["-physics", f"newtonian,{law}", "-physics_newtonian_viscosity", "0.5", "-stabiliser", "devss,split_oss", "-polymer_variable", variable, "-initial_velocity", velocity,
              "-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", END / steps, "-stop_time", END, *LAWS[law]]
    tau = run.rheoplex("run", *words, out=run.folder("shear")).fields()["stress"]
    return differences(tau.mean(0)), float(np.ptp(tau, axis=0).max())


def rheometer(law):
    out = run.folder("shear")
    run.rheoplex("rheometer", law, *LAWS[law], "-rheometer_protocol", "startup", "-rheometer_rate", RATE, "-rheometer_time", END, "-rheometer_outputs", "2",
                 "-rheometer_tolerance", "1e-12", "-rheometer_output", f"{out}/table.csv", out=out)
    table = run.table(f"{out}/table.csv")
    return np.array([table[name][-1] for name in ("shear_stress", "first_normal_difference", "second_normal_difference")])


def main():
    gate = Gate("reference_rheometer")
    for law, variable, dim in (("ptt", "stress", 2), ("ptt", "logconf", 2), ("johnson_segalman", "conformation", 3)):
        wanted = rheometer(law)
        error = []
        for steps in (40, 80):
            got, spread = elements(law, variable, dim, steps)
            error.append(float(np.abs(got - wanted).max() / np.abs(wanted).max()))
            gate.at_most(f"{law}, {variable}, {dim}D: spread over the nodes", spread, 1e-9)
        gate.at_most(f"{law}, {variable}, {dim}D: error with 80 steps", error[1], 1e-4)
        gate.at_least(f"{law}, {variable}, {dim}D: order in dt", float(np.log2(error[0] / error[1])), 1.9)
    return gate.finish()


sys.exit(main())
