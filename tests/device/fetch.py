"""fetch.py [ranks]: device_fetch on a channel with a Windkessel outlet that is outside the library. Exit code 77: no device."""
import os
import subprocess
import sys
import tempfile

import laws

OPTIONS = ("-mesh_box_faces 9,7 -physics newtonian,oldroydb -stabiliser devss,split_oss "
           "-bc_left_type inlet -bc_left_velocity 6*y*(1-y),0 -bc_bottom_type wall -bc_top_type wall -bc_right_type outside_windkessel "
           "-bc_right_proximal 0.3 -bc_right_distal 2 -bc_right_compliance 0.7 -initial_velocity 6*y*(1-y),0 "
           "-pressure_ksp_rtol 1e-10 -malloc_dump")
COPIES = {"lumped": "1", "fractional_step": "2"}  # of the label's nodes a step: the state; the pressure's slope too


def run(scheme, ranks, folder):
    words = [*OPTIONS.split(), *laws.words("newtonian,oldroydb"), "-scheme", scheme, f"-scheme_{scheme}_dt", "1e-3", "-output_folder", folder]
    command = ["mpirun", "--oversubscribe", "-n", ranks] if ranks != "1" else []
    return subprocess.run([*command, os.environ["RHX_FETCH"], COPIES[scheme], *words]).returncode


def main():
    with tempfile.TemporaryDirectory() as folder:
        return next((code for code in [run(scheme, sys.argv[1], folder) for scheme in COPIES] if code), 0)


sys.exit(main())
