"""A script of other folders where there is a device: on_device.py <script> [words]. Exit code 77: there is none."""
import os
import runpy
import sys

import run

BOX = ["-case_name", "box", "-mesh_box_faces", "3,3", "-mesh_box_periodic", "xy", "-physics", "newtonian", "-physics_newtonian_viscosity", 1, "-stabiliser", "split_oss", "-scheme_lumped_dt", 0.01,
       "-stop_steps", 1, "-output_fields", "false"]


def main(script, *words):
    found = run.rheoplex("run", *BOX, "-device", "cuda", out=run.folder("on_device"), expect=None)
    if "No device to compute on" in found.stderr:
        return 77
    if found.rc:
        print(found.stderr)
        return 1
    sys.argv = [script, *words]
    sys.path.insert(0, os.path.dirname(script))
    runpy.run_path(script, run_name="__main__")
    return 0


sys.exit(main(*sys.argv[1:]))
