"""A mesh of a fluid and the wall about it, of which -mesh_regions takes the fluid: the flow is that of a mesh of the fluid alone, in
every format of Gmsh, on any number of ranks; several regions without a choice are told. regions.py"""
import re
import subprocess
import sys

import numpy as np
import run
from gate import Gate

FOLDER = run.folder("regions")
# A channel with a notch that the wall fills: its rim joins two nodes of the fluid. Both have two surfaces, or volumes.
PLANE = """
h = 0.25;
Point(1) = {0, 0, 0, h}; Point(2) = {2, 0, 0, h}; Point(3) = {2, 1, 0, h}; Point(4) = {1.5, 1, 0, h}; Point(5) = {1, 0.7, 0, h}; Point(6) = {0.5, 1, 0, h}; Point(7) = {0, 1, 0, h}; Point(8) = {1, 1, 0, h};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 7}; Line(7) = {7, 1}; Line(8) = {4, 6};
Transfinite Curve {4, 5, 8} = 2;
Curve Loop(1) = {1 : 7}; Plane Surface(1) = {1};
Curve Loop(2) = {8, -5, -4}; Plane Surface(2) = {2};
Physical Curve("left") = {7}; Physical Curve("right") = {2}; Physical Curve("bottom") = {1}; Physical Curve("top") = {3, 6}; Physical Curve("rim") = {8};
"""
SPACE = PLANE + """
out[] = Extrude {0, 0, 0.5} {Surface{1, 2}; Layers{2};};
Delete Physicals;
Physical Surface("left") = {out[8]}; Physical Surface("right") = {out[3]}; Physical Surface("bottom") = {out[2]}; Physical Surface("top") = {out[4], out[7]}; Physical Surface("rim") = {out[11]};
Physical Surface("sides") = {1, out[0]}; Physical Surface("ends") = {2, out[9]};
"""
INNER = {2: 'Physical Curve("inner") = {4, 5};', 3: 'Physical Surface("inner") = {out[5], out[6]};'}
BODIES = {2: ("Surface", "1", "2"), 3: ("Volume", "out[1]", "out[10]")}


def mesh(name, dim, groups, inner=True, form="msh41", words=()):
    """groups: name and number of a physical group -> bodies, 0 the fluid and 1 the wall."""
    kind, *bodies = BODIES[dim]
    text = (PLANE if dim == 2 else SPACE) + (INNER[dim] if inner else "")
    if "wall" not in str(groups) and len(groups) == 1:
        text = re.sub(r'Physical \w+\("(rim|ends)"\) = .*?;', "", text)
    text += "".join(f'\nPhysical {kind}({group}) = {{{", ".join(bodies[k] for k in of)}}};' for group, of in groups.items())
    with open(f"{FOLDER}/{name}.geo", "w") as f:
        f.write(text + "\n")
    subprocess.run(["gmsh", "-v", "2", "-format", form, f"-{dim}", *words, f"{FOLDER}/{name}.geo", "-o", f"{FOLDER}/{name}.msh"], check=True)
    return f"{FOLDER}/{name}.msh"


def flow(file, dim, *words, np_=1, expect=0):
    labels = ["-bc_left_type", "inlet", "-bc_left_velocity", "y*(1-y),0" + ",0" * (dim - 2), "-bc_right_type", "outlet"]
    labels += [word for label in ("bottom", "top", "inner", *(("sides",) if dim == 3 else ())) for word in (f"-bc_{label}_type", "wall")]
    return run.rheoplex("run", "-case_name", "regions", "-mesh_file", file, *labels, "-physics", "newtonian", "-physics_newtonian_viscosity", 0.3, "-form_density", 3, "-stabiliser", "split_oss", "-device", "cpu", "-scheme", "steady",
                        "-scheme_steady_time", 1, "-output_fields", "false", *words, out=run.folder("regions"), np=np_, expect=expect)


def by_place(result):
    order = np.lexsort(np.round(result.checkpoint("positions"), 9).T)
    return result.checkpoint()[order]


def chosen(gate, dim):
    both = {'"blood", 11': [0], '"wall", 12': [1]}
    alone = by_place(flow(mesh(f"alone{dim}", dim, {'"blood", 11': [0]}), dim))
    ways = (("4.1 binary, by number", "msh41", ("-bin",), both, "11", 2), ("2.2, in two groups", "msh22", (), {**both, '"all", 13': [0, 1]}, " blood ", 3), ("4.1, without names", "msh41", (), {"1": [0], "2": [1]}, "1", 1),
            ("2.2 binary, in two groups", "msh22", ("-bin",), {**both, '"all", 13': [0, 1]}, "blood", 1))
    for name, form, words, groups, regions, np_ in ways[:2 if dim == 3 else 4]:
        result = flow(mesh(f"{name.replace(' ', '_')}{dim}", dim, groups, form=form, words=words), dim, "-mesh_regions", regions, np_=np_)
        found = by_place(result)
        gate.true(f"{dim}D, {name}: as many nodes", found.shape == alone.shape)
        gate.at_most(f"{dim}D, {name}, np {np_}: state", float(np.abs(found - alone).max()) if found.shape == alone.shape else np.inf, 1e-8 * float(np.abs(alone).max()))
        gate.true(f"{dim}D, {name}: nothing is told of regions", "regions" not in result.stderr)


def told(gate, form):
    """Both regions are the fluid, and a group of all beside them."""
    file = mesh(f"told_{form}", 2, {'"blood"': [0], '"wall"': [1], '"all"': [0, 1]}, inner=False, form=form)
    words = ["-bc_rim_type", "wall"]
    result = run.rheoplex("run", "-case_name", "told", "-mesh_file", file, "-bc_left_type", "inlet", "-bc_left_velocity", "y*(1-y),0", "-bc_right_type", "outlet", "-bc_bottom_type", "wall", "-bc_top_type", "wall", *words, "-physics", "newtonian",
                          "-physics_newtonian_viscosity", 0.3, "-stabiliser", "split_oss", "-scheme", "steady", "-scheme_steady_time", 1, "-output_fields", "false", out=run.folder("regions"))
    lines = [line for line in result.stderr.splitlines() if "regions" in line]
    found = re.search(r"has 3 regions, 'blood' \((\d+) cells\), 'all' \((\d+) cells\), 'wall' \(1 cell\), which are taken as one fluid; expected -mesh_regions", lines[0] if len(lines) == 1 else "")
    gate.true(f"{form}: told: {' '.join(lines)}", found and int(found[2]) == int(found[1]) + 1)


def refused(gate):
    both = {'"blood", 11': [0], '"wall", 12': [1]}
    file = mesh("refused", 2, both)
    gate.refused(flow(file, 2, "-mesh_regions", "blod", expect=None), ("-mesh_regions blod: got 'blod', which is no region", "did you mean 'blood'?", "'wall' (1 cell)"))
    gate.refused(flow(file, 2, "-mesh_regions", ",", expect=None), ("-mesh_regions ,: got ''", "'blood'"))
    gate.refused(flow(mesh("bare", 2, {"11": [0]}, words=("-save_all",)), 2, "-mesh_regions", "12", expect=None), ("got '12'", "'11' (", "1 cell of none"))
    mesh("unnamed", 2, both, inner=False)
    words = [word for label in ("left", "right", "bottom", "top") for word in (f"-bc_{label}_type", "wall")]
    case = ["-case_name", "regions", "-physics", "newtonian", "-physics_newtonian_viscosity", 0.3, "-scheme", "steady", *words]
    gate.refused(run.rheoplex("run", *case, "-mesh_file", f"{FOLDER}/unnamed.msh", "-mesh_regions", "blood", out=run.folder("regions"), expect=None), ("got 2 boundary faces without a label", "where -mesh_regions leaves some out"))
    gate.refused(run.rheoplex("run", *case, "-mesh_box_faces", "4,4", "-mesh_regions", "blood", out=run.folder("regions"), expect=None), ("-mesh_regions blood", "box mesh", "which has none"))


def main():
    gate = Gate("element_regions")
    for dim in (2, 3):
        chosen(gate, dim)
    for form in ("msh22", "msh41"):
        told(gate, form)
    refused(gate)
    return gate.finish()


sys.exit(main())
