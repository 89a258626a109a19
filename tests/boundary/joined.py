"""Labels that meet smoothly are one wall: a circle in a stream that slips as one label and as three, in every order of their names; names of labels that
begin as others do. joined.py"""
import math
import sys

import mshwrite
import numpy as np
import run
from gate import Gate

NR, NT = 8, 24
WORDS = ["-case_name", "joined", "-physics", "newtonian", "-physics_newtonian_viscosity", 0.3, "-form_density", 3, "-stabiliser", "split_oss", "-device", "cpu", "-scheme", "steady", "-output_fields", "false"]


def circle(parts):
    """Quads between a circle of radius .5 and one of 4; parts: label of the inner circle -> first and last of its 24 sides."""
    number = lambda i, j: i * NT + j % NT
    points = [(0.5 * 8 ** (i / NR) * math.cos(2 * math.pi * j / NT), 0.5 * 8 ** (i / NR) * math.sin(2 * math.pi * j / NT)) for i in range(NR + 1) for j in range(NT)]
    cells = [(number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)) for i in range(NR) for j in range(NT)]
    sides = {name: [(number(0, j), number(0, j + 1)) for j in range(*part)] for name, part in parts.items()}
    sides["outer"] = [(number(NR, j), number(NR, j + 1)) for j in range(NT)]
    return mshwrite.write(f"{run.folder('joined_meshes')}/{'_'.join(parts)}.msh", points, cells, sides)


def stream(parts, slips, np_=1):
    """Velocities, and the force on all parts."""
    inner = [word for name in parts for word in ((f"-bc_{name}_type", "slip", f"-bc_{name}_friction", 0.5) if slips else (f"-bc_{name}_type", "free_slip"))]
    result = run.rheoplex("run", *WORDS, "-mesh_file", circle(parts), *inner, "-bc_outer_type", "inlet", "-bc_outer_velocity", "1,0.2", "-diagnostic_f_kind", "forces", "-diagnostic_f_label", ",".join(parts), "-diagnostic_f_parts", "true",
                          out=run.folder("joined"), np=np_)
    table = result.table("_f.csv")
    order = np.lexsort(np.round(result.checkpoint("positions"), 9).T)
    return result.checkpoint()[order, :2], sum(float(table[f"{name}_x"][-1]) for name in parts)


def smooth(gate):
    for slips in (False, True):
        one, force = stream({"round": (0, NT)}, slips)
        gate.at_least(f"slip {slips}: speed on the circle", float(np.abs(one).max()), 1)
        for parts in ({"a": (0, 9), "b": (9, 14), "c": (14, NT)}, {"z": (0, 9), "m": (9, 14), "b": (14, NT)}):
            for np_ in (1, 2):
                several, sum_ = stream(parts, slips, np_)
                gate.at_most(f"slip {slips}, labels {'_'.join(parts)}, np {np_}: velocity", float(np.abs(several - one).max()), 1e-6)
                gate.relative(f"slip {slips}, labels {'_'.join(parts)}, np {np_}: force", sum_, force, 1e-6)


def names(gate):
    """right_low and right_low_distal: distal_pressure of the one is pressure of the other; alone, the second has its pressure."""
    path = mshwrite.channel(f"{run.folder('joined_meshes')}/names.msh", 4, 4, lambda i, j: (i / 2, j / 4), halves=True)
    text = open(path).read().replace('"right_high"', '"right_low_distal"')
    both = f"{run.folder('joined_meshes')}/both.msh"
    with open(both, "w") as f:
        f.write(text)
    alone = f"{run.folder('joined_meshes')}/alone.msh"
    with open(alone, "w") as f:
        f.write(text.replace('"right_low"', '"right"'))
    base = [*WORDS, *(word for label in ("left_low", "left_high") for word in (f"-bc_{label}_type", "inlet", f"-bc_{label}_velocity", "4*y*(1-y),0")), "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-bc_right_low_distal_type", "outlet",
            "-bc_right_low_distal_pressure", 50]
    windkessel = ["-bc_right_low_type", "windkessel", "-bc_right_low_proximal", 1, "-bc_right_low_distal", 2, "-bc_right_low_compliance", 0.1]
    result = run.rheoplex("run", *base, *windkessel, "-mesh_file", both, out=run.folder("joined"), expect=None)
    gate.refused(result, ("-bc_right_low_distal_pressure: got an option that is distal_pressure of the label 'right_low' and pressure of the label 'right_low_distal'", "rename a label"))
    result = run.rheoplex("run", *base, "-bc_right_type", "outlet", "-bc_right_pressure", 50, "-mesh_file", alone, out=run.folder("joined"))
    gate.near("alone: pressure at the end", float(result.checkpoint()[:, 2].min()), 50, 2)


def main():
    gate = Gate("boundary_joined")
    smooth(gate)
    names(gate)
    return gate.finish()


sys.exit(main())
