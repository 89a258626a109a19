"""Plugins from outside on the device, Rheoplex not recompiled: the laws, the scalar field and the stabiliser of tests/external_plugin, built against
an installed Rheoplex, ten steps on host and device, equal to 1e-10. external.py [folder of the built plugins]

Exit code 77: no device."""
import os
import subprocess
import sys

import numpy as np
import run
from gate import Gate

PROJECT = f"{run.SOURCE}/tests/external_plugin/project"
NAMES = ("outside_giesekus", "outside_thinning", "outside_viscosity", "outside_dye")


def build(folder, source):
    """Installs Rheoplex into the folder, builds the project against it; returns the folder of the plugins."""
    prefix = f"{folder}/prefix"
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(["cmake", "--install", os.environ["RHEOPLEX_BUILD_DIR"], "--prefix", prefix], **quiet)
    flags = ["-DCMAKE_C_FLAGS=-fsanitize=address,undefined"] if os.environ.get("RHEOPLEX_SANITIZE") else []
    subprocess.run(["cmake", "-G", "Ninja", "-S", source, "-B", f"{folder}/build", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release", *flags], **quiet)
    subprocess.run(["cmake", "--build", f"{folder}/build"], **quiet)
    return f"{folder}/build/lib/rheoplex/plugins"


BOXES = {
    "quadrilateral": ["-mesh_box_faces", "9,8"],
    "triangle": ["-mesh_box_faces", "9,8"],
    "tetrahedron": ["-mesh_box_faces", "4,4,3", "-bc_front_type", "wall", "-bc_back_type", "wall"],
    "hexahedron": ["-mesh_box_faces", "4,4,3", "-bc_front_type", "wall", "-bc_back_type", "wall"],
}


def state(plugins, cell, variable, device):
    zero = ",0" if cell in ("tetrahedron", "hexahedron") else ""
    result = run.rheoplex(
        "run", "-case_name", "outside", "-plugin", ",".join(f"{plugins}/{n}.so" for n in NAMES), "-mesh_box_cell", cell, *BOXES[cell],
        "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", f"x*(1-x),0{zero}",
        "-physics", "outside_thinning,outside_giesekus,outside_dye", "-physics_outside_dye_diffusivity", 0.03, "-physics_outside_dye_decay", 0.9,
        "-initial_dye", "1+x*y", "-physics_outside_giesekus_modes", "2", "-physics_outside_giesekus_viscosity", "0.8,0.5",
        "-physics_outside_giesekus_lambda", "0.5,0.2", "-stabiliser", "outside_viscosity,split_oss", "-polymer_variable", variable, "-scheme_lumped_dt", "2e-4",
        "-stop_steps", "10", "-pressure_ksp_rtol", "1e-13", "-device", device, out=run.folder("external"))
    return result.checkpoint()


def has_device():
    """Asks a run of one step."""
    result = run.rheoplex("run", "-case_name", "ask", "-mesh_box_faces", "2,2", "-physics", "newtonian", "-physics_newtonian_viscosity", "1", "-stabiliser", "split_oss", "-bc_left_type", "wall",
                          "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-stop_steps", "1", "-device", "cuda",
                          out=run.folder("ask"), expect=None)
    if result.rc and "No device to compute on" not in result.stderr:
        raise run.Failure(result.stdout + result.stderr)
    return result.rc == 0


def main(built):
    gate = Gate("device_external")
    if not has_device():
        print("no device")
        return 77
    plugins = built or build(run.folder("external"), PROJECT)
    for cell in BOXES:
        for variable in ("stress", "conformation"):
            there, here = state(plugins, cell, variable, "cuda"), state(plugins, cell, variable, "cpu")
            scale = np.maximum(np.abs(here).max(axis=0), 1e-6)
            gate.at_least(f"{cell}, {variable}: columns that are not zero", float((np.abs(here).max(axis=0) > 1e-6).sum()), here.shape[1] - 2)
            gate.at_most(f"{cell}, {variable}: largest difference, relative to its column", float((np.abs(there - here) / scale).max()), 1e-10)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else None))
