"""Ranks that lack what others have: apart.py. On a device: one without a node on an oblique plane of symmetry, one that has elements but owns no node, one whose part of a label's elements
alone needs more shared memory than there is; on the host: one without a cell of a periodic mesh. All as one rank has it; what is collective on some of them only does not end."""
import math
import os
import subprocess
import sys

import mshwrite
import run
from gate import Gate

PERIODIC = ["-case_name", "apart", "-mesh_box_faces", "3,2", "-mesh_box_periodic", "x", "-form_density", 3, "-physics", "newtonian", "-physics_newtonian_viscosity", 0.3, "-bc_bottom_type", "wall", "-bc_top_type",
            "moving_wall", "-bc_top_velocity", "1,0", "-scheme", "lumped", "-scheme_lumped_dt", 0.01, "-scheme_lumped_pressure", "projection", "-stop_steps", 5]


def last(words, np_, device, column):
    result = run.rheoplex("run", *words, "-device", device, out=run.folder("apart"), np=np_, timeout=120)
    return float(result.table("_history.csv")[column][-1])


def same(gate, what, words, ranks, column="du_dt"):
    one = last(words, 1, "cpu", column)
    for np_, device in ranks:
        gate.relative(f"{what}: {column} on {np_} ranks, {device}", last(words, np_, device, column), one, 1e-8)


def turned(angle):
    """A channel, turned by this angle, whose left side is a plane of symmetry."""
    c, s = math.cos(angle), math.sin(angle)
    path = mshwrite.channel(f"{run.folder('apart')}/turned.msh", 12, 3, lambda i, j: (c * i / 4 - s * j / 3, s * i / 4 + c * j / 3))
    return ["-case_name", "apart", "-mesh_file", path, "-form_density", 3, "-physics", "newtonian", "-physics_newtonian_viscosity", 0.3, "-stabiliser", "split_oss", "-bc_left_type", "symmetry", "-bc_right_type", "outlet",
            "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", f"{c},{s}", "-scheme", "lumped", "-scheme_lumped_dt", 0.002, "-stop_steps", 3]


def scattered(nx, ny):
    """Seven modes in a long channel, of whose lower side every fourth edge of the second half is a label of its own: its elements have no node in common."""
    at = lambda i, j: j * (nx + 1) + i
    spots = range(nx // 2 + 2, nx, 4)
    along, across = range(nx), range(ny)
    sides = {"left": [(at(0, j), at(0, j + 1)) for j in across], "right": [(at(nx, j), at(nx, j + 1)) for j in across], "spots": [(at(i, 0), at(i + 1, 0)) for i in spots],
             "wall": [(at(i, 0), at(i + 1, 0)) for i in along if i not in spots] + [(at(i, ny), at(i + 1, ny)) for i in along]}
    cells = [(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)) for j in across for i in along]
    path = mshwrite.write(f"{run.folder('apart')}/scattered.msh", [(i / ny, j / ny) for j in range(ny + 1) for i in range(nx + 1)], cells, sides)
    modes = ",".join(["0.1"] * 7)
    return ["-case_name", "apart", "-mesh_file", path, "-physics", "oldroydb", "-physics_oldroydb_modes", 7, "-physics_oldroydb_viscosity", modes, "-physics_oldroydb_lambda", modes, "-stabiliser", "split_oss", "-bc_left_type", "inlet",
            "-bc_left_velocity", "4*y*(1-y),0", "-bc_right_type", "outlet", "-bc_wall_type", "wall", "-bc_spots_type", "wall", "-scheme", "lumped", "-scheme_lumped_dt", 2e-4, "-stop_steps", 3, "-diagnostic_forces", "spots"]


def alone(gate):
    """Three ranks that see one device each, as schedulers bind them: three devices, of which none is shared; all that see the same share it."""
    for what, visible, shared in (("devices of their own", "$OMPI_COMM_WORLD_LOCAL_RANK", False), ("one device", "0", True)):
        words = ["run", *PERIODIC, "-device", "cuda", "-output_folder", run.folder("apart")]
        process = subprocess.run([os.environ["RHEOPLEX_MPIEXEC"], "-n", "3", "sh", "-c", f'CUDA_VISIBLE_DEVICES={visible} exec "$@"', "sh", run.RHEOPLEX, *map(str, words)], capture_output=True, text=True, timeout=120)
        gate.true(f"{what}: the run ends", process.returncode == 0)
        gate.true(f"{what}: told to be shared by 3 ranks is {shared}", ("shared by 3 ranks" in process.stdout) == shared)


def main():
    gate = Gate("device_apart")
    same(gate, "no node of its own", PERIODIC, [(6, "cuda")])
    alone(gate)
    same(gate, "no cell", PERIODIC, [(7, "cpu"), (7, "cuda")])
    same(gate, "no node on the plane", turned(0.6), [(2, "cuda"), (3, "cuda")])
    os.environ["RHEOPLEX_EMULATED_DEVICE"] = "sm_86"
    same(gate, "tiles of a label that fit on one rank alone", scattered(128, 4), [(2, "cuda")])
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
