"""Limits of devices. limits.py sizes: the tiles of the forms of steps.py, and of large ones, on every architecture (program
RHX_LIMITS). limits.py <another function below>: runs on an emulated device of some architecture."""
import os
import subprocess
import sys
import tempfile

import faults
import laws
import run
import steps

HEX = "-mesh_box_cell hexahedron -mesh_box_faces 8,7,7"
MODES = "-physics newtonian,giesekus -physics_giesekus_modes {0} -physics_newtonian_viscosity 0.9 -physics_giesekus_viscosity 0.7 -physics_giesekus_lambda 0.9 -physics_giesekus_alpha 0.3 -polymer_variable {1}"
OSS = " -stabiliser devss,split_oss"
GLS = " -stabiliser gls,split_oss -stabiliser_gls_parts tensor -stabiliser_split_oss_parts pressure,momentum"
ONE = " -device_passes one"  # nodes hold all modes at once
WALLS = "-bc_left_type wall -bc_right_type wall -bc_bottom_type wall -bc_front_type wall -bc_back_type wall -bc_top_type moving_wall -bc_top_velocity x*(1-x),0,0"
FLOW = ("-bc_left_type inlet -bc_left_velocity 0.2*y*(2-y),0{0} -bc_right_type outlet -bc_right_velocity 0.2*y*(2-y),0{0} -bc_bottom_type wall -bc_top_type symmetry "
        "-initial_velocity 0.1*y*(2-y)+0.03*x,0.05*x-0.02*y{0}")
SMALLER = [  # on sm_86 than on sm_90
    "-mesh_box_cell triangle -mesh_box_faces 20,18 -assembly_residual colour -physics casson,fene_p -physics_fene_p_modes 2 "
    + " ".join(laws.words("casson,fene_p", 2)) + " -polymer_variable conformation -stabiliser devss,split_oss " + FLOW.format(""),
    "-mesh_box_cell tetrahedron -mesh_box_faces 8,7,7 -assembly_residual colour -physics cross,ptt -physics_ptt_modes 2 -polymer_variable conformation "
    + " ".join(laws.words("cross,ptt", 2)) + GLS + ONE + " -bc_front_type symmetry -bc_back_type symmetry " + FLOW.format(",0"),
    f"{HEX} {WALLS} " + MODES.format(8, "stress") + GLS + ONE,
]
REFUSED = f"{HEX} {WALLS} " + MODES.format(16, "stress") + GLS + ONE


def sizes():
    """Of the forms of steps.py on larger meshes, and of large forms."""
    lines = [steps.options(row).replace("4,3,3", "8,7,7").replace("6,5", "20,18") for row in steps.cover()[0]]
    for modes in (3, 4, 32):
        lines += [f"{HEX} {WALLS} " + MODES.format(modes, "logconf") + OSS, f"{HEX} {WALLS} " + MODES.format(modes, "stress") + GLS]
    lines += [f"{line} |smaller" for line in SMALLER] + [f"{REFUSED} |refused"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "list")
        with open(path, "w") as f:
            f.writelines(f"-output_folder {folder}/out {line}\n" for line in lines)
        return subprocess.run([os.environ["RHX_LIMITS"], path]).returncode


def emulate(arch):
    os.environ["RHEOPLEX_EMULATED_DEVICE"] = arch


def too_old():
    """Refused before anything is compiled; auto takes the CPU and says why."""
    emulate("sm_75")
    os.environ["XDG_CACHE_HOME"] = run.folder("cache")
    refused = faults.device_run("-device", "cuda", "-stop_steps", "1", expect=None)
    faults.refused(refused, "No device to compute on", "NVIDIA device, emulated of compute capability 7.5", "8.0 or newer")
    text = faults.device_run("-device", "auto", "-stop_steps", "1").stdout
    faults.true("auto: on the CPU, because of the device", "on this machine's CPU (NVIDIA device, emulated of compute capability 7.5" in text, text)
    faults.true("nothing was compiled", not os.listdir(os.environ["XDG_CACHE_HOME"]))


def too_large():
    """A form of which not even the smallest tiles fit; the results of the run before stay."""
    emulate("sm_86")
    out = run.folder("device")
    faults.device_run("-device", "cpu", "-stop_steps", "3", out=out)
    before = faults.contents(out)
    result = run.rheoplex("run", *REFUSED.split(), "-case_name", "cavity", "-device", "cuda", "-stop_steps", "1", out=out, expect=None)
    faults.refused(result, "The form is too large for the device: hexahedron with 16 modes need", "NVIDIA device, emulated has 101376", "-device cpu")
    faults.true("the files of the run before are untouched", faults.contents(out) == before)


def smaller():
    """Whole steps with smaller tiles are the host's."""
    emulate("sm_86")
    code = steps.run(SMALLER[:2], "1", "-stop_steps 3 -scheme_lumped_dt 1e-3", 1e-13)
    faults.true("steps on sm_86", code == 0)


CHECKS = {c.__name__: c for c in (too_old, too_large, smaller)}

if __name__ == "__main__":
    if sys.argv[1] == "sizes":
        sys.exit(sizes())
    faults.CHECKS = CHECKS
    sys.exit(faults.main(sys.argv[1]))
