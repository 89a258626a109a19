"""A small case with a polymer, and runs of it that are shown to scripts."""
import os

import numpy as np
import run

CASE = ["-case_name", "c", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.05", "-physics_oldroydb_viscosity", "0.03", "-physics_oldroydb_lambda", "0.3",
        "-stabiliser", "devss,split_oss", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-scheme_lumped_dt", "2e-3",
        "-stop_steps", "8"]
PLANE = [*CASE, "-mesh_box_faces", "9,7", "-bc_top_velocity", "16*x^2*(1-x)^2,0"]
SPACE = [*CASE, "-mesh_box_faces", "5,4,3", "-bc_front_type", "wall", "-bc_back_type", "wall", "-bc_top_velocity", "x*(1-x),0,0"]


def script(text, name="script.py"):
    path = f"{run.folder('insitu')}/{name}"
    with open(path, "w") as f:
        f.write(text)
    return path


def go(*words, np=1, device="cpu", **keywords):
    return run.rheoplex("run", *words, "-device", device, out=run.folder("insitu"), np=np, **keywords)


def sentences(done):
    """The lines of standard error that Rheoplex wrote."""
    return [line for line in done.stderr.splitlines() if line.startswith("rheoplex: ")]


def same(a, b):
    """Are the states of two runs equal, bit by bit?"""
    return bool(np.array_equal(a.checkpoint(), b.checkpoint(), equal_nan=True) and a.checkpoint().size)


def tells_and_goes_on(gate, what, done, plain, *words):
    found = sentences(done)
    good = len(found) == 1 and "the run goes on without" in found[0] and all(w in found[0] for w in words)
    gate.true(f"{what}: one sentence, the run goes on", done.rc == 0 and good)
    gate.true(f"{what}: the state is that of a run without, bit by bit", same(done, plain))
    if not good:
        print(done.stderr)
    return os.path.exists(f"{done.out}/c.pvd")
