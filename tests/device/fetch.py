"""fetch.py [ranks]: device_fetch on a channel with a Windkessel outlet that is outside the library, and forces on a plate after every
step, which are those of the host. Exit code 77: no device."""
import os
import subprocess
import sys
import tempfile

import laws
import numpy as np
from gate import Gate

OPTIONS = ("-mesh_box_faces 9,7 -physics newtonian,oldroydb -stabiliser devss,split_oss -bc_left_type inlet -bc_left_velocity 6*y*(1-y),0 "
           "-bc_bottom_type wall -bc_top_type wall -bc_right_type outside_windkessel -bc_right_proximal 0.3 -bc_right_distal 2 "
           "-bc_right_compliance 0.7 -initial_velocity 6*y*(1-y),0 -form_density 1.7 -form_body_force 0.3+t,0 -diagnostic_forces bottom "
           "-pressure_ksp_rtol 1e-12 -malloc_dump")
PASSES = {"lumped": "-device_passes one", "fractional_step": "-device_passes modes -device_deterministic true"}
COPIES = ["right", "1", "bottom", "3"]  # of the nodes' values a step: the state; reactions, rate and state


def run(scheme, ranks, folder, copies):
    words = [*OPTIONS.split(), *PASSES[scheme].split(), *laws.words("newtonian,oldroydb"), "-scheme", scheme, f"-scheme_{scheme}_dt", "1e-3", "-output_folder", folder]
    command = ["mpirun", "--oversubscribe", "-n", ranks] if ranks != "1" else []
    code = subprocess.run([*command, os.environ["RHX_FETCH"], *copies, *words]).returncode
    return code, None if code else np.loadtxt(f"{folder}/case_forces.csv", delimiter=",", skiprows=1)


def main():
    gate = Gate("device_fetch")
    for scheme in "lumped", "fractional_step":
        with tempfile.TemporaryDirectory() as folder:
            code, device = run(scheme, sys.argv[1], folder, COPIES)
            if code == 77:
                return code
            gate.near(f"{scheme}: values and bytes", code, 0, 0)
            code, host = run(scheme, sys.argv[1], folder, [])
            gate.near(f"{scheme}: steps of the table", len(host), 8, 0)
            gate.at_least(f"{scheme}: force on the plate", float(np.abs(host[:, 2:]).max()), 0.1)
            gate.at_most(f"{scheme}: forces of the device", float(np.abs(device - host).max()), 1e-9)
    return gate.finish()


sys.exit(main())
