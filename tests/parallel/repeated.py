"""A run on three ranks has the same bits again, on one core and on all: matrix of the pressure and checkpoint of ten runs, two at a
time. repeated.py"""
import hashlib
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import run
from gate import Gate

CASE = ["run", "-case_name", "again", "-mesh_box_cell", "mixed", "-mesh_box_faces", "30,30", "-mesh_box_jitter", "0.2", "-physics", "newtonian", "-physics_newtonian_viscosity", "0.1",
        "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "1,0", "-device", "cpu", "-scheme", "lumped",
        "-scheme_lumped_dt", "0.001", "-scheme_lumped_stepper", "heun", "-pressure_ksp_type", "cg", "-pressure_pc_type", "jacobi", "-stop_steps", "5"]

CORES = os.sched_getaffinity(0)


def digests(number):
    cores = sorted(CORES)
    os.sched_setaffinity(0, cores[:1] if number % 2 else cores)  # of this thread and its processes
    out = run.folder("repeated")
    got = run.rheoplex(*CASE, "-mat_view", f"binary:{out}/matrix", out=out, np=3)
    with open(f"{out}/matrix", "rb") as f:
        return hashlib.sha256(f.read()).hexdigest(), hashlib.sha256(got.checkpoint().tobytes()).hexdigest()


def main():
    gate = Gate("parallel_repeated_np3")
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(digests, range(10)))
    gate.near("matrices of the pressure in ten runs", len({matrix for matrix, _ in found}), 1, 0)
    gate.near("checkpoints in ten runs", len({state for _, state in found}), 1, 0)
    return gate.finish()


sys.exit(main())
