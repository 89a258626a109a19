"""A restart onto another mesh: linear fields are exact, nodes outside take the nearest, the end is that of a fresh run. restart_mesh.py"""
import os
import re
import subprocess
import sys

import mshwrite
import numpy as np
import run
from gate import Gate

LAWS = ["-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 0.6, "-physics_oldroydb_viscosity", 0.4, "-physics_oldroydb_lambda", 0.2, "-stabiliser", "split_oss", "-device", "cpu", "-output_fields", "false"]
LINEAR = {2: (["1+2*x+3*y", "4*x-2*y"], "5-x+2*y", ["3+x", "4+y", "x-y"]), 3: (["1+x+3*y", "x+y-z", "y-2*z"], "5-x+2*y-z", ["3+x", "4+y", "5+z", "x-y", "y-z", "z-x"])}


def box(dim, cell, faces, upper):
    return ["-mesh_box_cell", cell, "-mesh_box_faces", ",".join(map(str, faces)), "-mesh_box_lower", ",".join(["0"] * dim), "-mesh_box_upper", ",".join(map(str, upper)), "-mesh_box_jitter", 0.2]


def linear(dim, mesh, steps, np_, *words, expect=0, out=None, timeout=1200):
    u, p, c = LINEAR[dim]
    labels = ("left", "right", "bottom", "top", "back", "front")[: 2 * dim]
    walls = [w for label in labels for w in (f"-bc_{label}_type", "moving_wall", f"-bc_{label}_velocity", ",".join(u))]
    return run.rheoplex("run", "-case_name", "r", *mesh, *LAWS, *walls, "-polymer_variable", "conformation", "-initial_velocity", ",".join(u), "-initial_pressure", p, "-initial_conformation", ",".join(c), "-scheme_lumped_dt", 1e-14, "-stop_steps", steps,
                        *words, out=out or run.folder("restart_mesh"), np=np_, expect=expect, timeout=timeout)


def values(result, dim):
    """State of a checkpoint and the linear fields at its nodes."""
    x = dict(zip("xyz", result.checkpoint("positions").T))
    u, p, c = LINEAR[dim]
    return result.checkpoint(), np.column_stack([eval(f, {"__builtins__": {}}, x) for f in (*u, p, *c)])


def map_to(result):
    return ["-case_restart", result.file("_checkpoint.h5"), "-case_restart_mesh", "map"]


def exact(gate):
    for dim, old, new in ((2, ("triangle", (3, 2), (1, 1)), ("quadrilateral", (11, 9), (1, 1))), (3, ("tetrahedron", (3, 2, 2), (1, 1, 1)), ("hexahedron", (4, 5, 3), (1, 0.9, 1)))):
        first = linear(dim, box(dim, *old), 1, 2, *(["-dm_refine_pre", 1] if dim == 2 else ["-dm_refine", 1]))
        second = linear(dim, box(dim, *new), 2, 3, *map_to(first), "-initial_velocity", ",".join("0" * dim), "-initial_pressure", 0)
        got, want = values(second, dim)
        gate.at_most(f"{dim}D, np 2 -> 3: linear fields", float(np.abs(got - want).max()), 1e-9)
        gate.true(f"{dim}D: told", f"interpolated from its mesh of {len(first.checkpoint())} nodes; 0 nodes lie outside it" in second.stdout)


def killed(gate):
    """In the folder of the earlier run, killed before a checkpoint is due: what lies there is of the new mesh."""
    out = run.folder("restart_mesh_killed")
    first = linear(2, box(2, "quadrilateral", (3, 2), (1, 1)), 1, 1, out=out)
    fine = box(2, "quadrilateral", (5, 4), (1, 1))
    try:
        linear(2, fine, 10**9, 1, *map_to(first), out=out, timeout=12)
    except subprocess.TimeoutExpired:
        pass
    gate.true("killed: the state is of the new mesh", len(first.checkpoint()) == 30)
    linear(2, fine, 10**9, 1, *map_to(first), "-stop_time", 1e-13, out=out)


def outside(gate):
    first = linear(2, box(2, "quadrilateral", (4, 4), (1, 1)), 1, 1)
    second = linear(2, box(2, "triangle", (6, 5), (1.2, 1)), 2, 2, *map_to(first))
    got, want = values(second, 2)
    x = second.checkpoint("positions")
    out = x[:, 0] > 1 + 1e-9
    gate.true("nodes outside are counted", f"; {out.sum()} nodes lie outside it" in second.stdout and out.sum() > 0)
    inner = out & (x[:, 0] < 1.2 - 1e-9) & (x[:, 1] > 1e-9) & (x[:, 1] < 1 - 1e-9)  # where nothing is given
    near, there = first.checkpoint("positions"), first.checkpoint()
    nearest = there[np.argmin(((x[:, None] - near[None])**2).sum(2), axis=1)]
    gate.at_most("nodes outside take the nearest node's conformation", float(np.abs(got[inner][:, 3:] - nearest[inner][:, 3:]).max()) if inner.any() else np.inf, 1e-9)
    gate.at_most("nodes inside are interpolated", float(np.abs(got - want)[~out][:, 3:].max()), 1e-9)


def settles(gate):
    """A steady channel from that on a coarser mesh takes fewer steps of Newton's method, and ends where a fresh one does."""
    words = [*LAWS, "-case_name", "s", "-scheme", "steady", "-mesh_box_lower", "0,0", "-mesh_box_upper", "3,1", "-bc_left_type", "inlet", "-bc_left_velocity", "4*y*(1-y),0", "-bc_right_type", "outlet", "-bc_bottom_type", "wall", "-bc_top_type", "wall"]
    coarse = run.rheoplex("run", *words, "-mesh_box_faces", "8,4", "-mesh_box_cell", "triangle", out=run.folder("restart_mesh"), np=2)
    fine = [*words, "-mesh_box_faces", "12,8"]
    fresh = run.rheoplex("run", *fine, out=run.folder("restart_mesh"))
    again = run.rheoplex("run", *fine, *map_to(coarse), "-stop_steps", "2", out=run.folder("restart_mesh"), np=3)
    gate.at_most("the steady state of a fresh run", float(np.abs(again.checkpoint() - fresh.checkpoint()).max()), 1e-6)
    count = [int(re.search(r"Newton: (\d+) iterations", r.stdout)[1]) for r in (fresh, again)]
    gate.true(f"with fewer iterations: {count[1]}, fresh {count[0]}", count[1] < count[0])
    effective = open(again.file("_effective.yaml")).read()
    gate.true("the options that are kept are those of the new mesh", "mesh_box_faces: '12,8'" in effective and "triangle" not in effective)
    third = run.rheoplex("run", *words, "-mesh_box_faces", "10,6", *map_to(again), "-stop_steps", "3", out=run.folder("restart_mesh"))
    gate.true("so that it can be mapped again", f"interpolated from its mesh of {13 * 9} nodes" in third.stdout)


def refused(gate):
    first = linear(2, box(2, "quadrilateral", (4, 4), (1, 1)), 1, 1)
    checkpoint = first.file("_checkpoint.h5")
    effective = first.file("_effective.yaml")
    without = linear(2, box(2, "quadrilateral", (5, 5), (1, 1)), 2, 1, "-case_restart", checkpoint, expect=None)
    gate.true("without map: refused", without.rc != 0 and "number of nodes" in without.stderr and "-case_restart_mesh map interpolates" in without.stderr)
    other = linear(3, box(3, "hexahedron", (2, 2, 2), (1, 1, 1)), 2, 1, *map_to(first), expect=None)
    gate.true("another dimension", other.rc != 0 and "got a checkpoint in 2D, expected one in 3D" in other.stderr)
    for side, told in ((1, 0), (1.5, 1)):
        larger = linear(2, box(2, "quadrilateral", (5, 5), (1, side)), 2, 1, *map_to(first))
        gate.true(f"a mesh of height {side}: told of nodes outside {told} times", larger.stderr.count("nodes outside the mesh of the checkpoint") == told)
    text = open(effective).read()
    with open(effective, "w") as f:
        f.write(text.replace("mesh_box_upper: '1,1'", "mesh_box_upper: '1,1.5'"))
    moved = linear(2, box(2, "quadrilateral", (5, 5), (1, 1)), 2, 1, *map_to(first), expect=None)
    gate.true("options of another mesh", moved.rc != 0 and "is of another mesh: got a node" in moved.stderr)
    with open(effective, "w") as f:
        f.write(text + f"dm_view: 'ascii:{first.out}/planted'\n")
    linear(2, box(2, "quadrilateral", (5, 5), (1, 1)), 2, 1, *map_to(first))
    gate.true("viewers named beside the checkpoint write nothing", not os.path.exists(f"{first.out}/planted"))
    os.remove(effective)
    gone = linear(2, box(2, "quadrilateral", (5, 5), (1, 1)), 2, 1, *map_to(first), expect=None)
    gate.true("without options beside it", gone.rc != 0 and "_effective.yaml" in gone.stderr)
    os.rename(checkpoint, f"{first.out}/state.h5")
    named = linear(2, box(2, "quadrilateral", (5, 5), (1, 1)), 2, 1, "-case_restart", f"{first.out}/state.h5", "-case_restart_mesh", "map", expect=None)
    gate.true("of another name", named.rc != 0 and "expected <case>_checkpoint.h5" in named.stderr)


def moved(gate):
    """Runs that are started in two folders, of meshes that lie beside each other: the first names its mesh without a folder."""
    folder, flow = run.folder("restart_mesh"), ["-physics", "newtonian", "-physics_newtonian_viscosity", 1, "-stabiliser", "split_oss", "-stop_time", 0.1, *[w for label in ("left", "right", "bottom", "top") for w in (f"-bc_{label}_type", "wall")]]
    for name, n in (("coarse", 4), ("fine", 7)):
        mshwrite.channel(f"{folder}/{name}.msh", n, n, lambda i, j: (i / n, j / n))
    start = lambda where, *words: subprocess.run([run.RHEOPLEX, "run", "-case_name", "r", *map(str, (*flow, *words))], cwd=where, capture_output=True, text=True)
    gate.true("the first", start(folder, "-mesh_file", "coarse.msh", "-output_folder", "out").returncode == 0)
    onto = ("-mesh_file", f"{folder}/fine.msh", "-case_restart", f"{folder}/out/r_checkpoint.h5", "-case_restart_mesh", "map", "-stop_time", 0.2)
    other = run.folder("restart_mesh")
    gate.true("from another folder", start(other, *onto, "-output_folder", "out").returncode == 0)
    os.remove(f"{folder}/coarse.msh")
    gone = start(other, *onto, "-output_folder", "out2")
    gate.true("without it", gone.returncode != 0 and "-case_restart_mesh map: the mesh of the checkpoint" in gone.stderr and "'coarse.msh', is not there" in gone.stderr)


def main():
    gate = Gate("case_restart_mesh")
    for check in (exact, killed, outside, settles, moved, refused):
        check(gate)
    return gate.finish()


sys.exit(main())
