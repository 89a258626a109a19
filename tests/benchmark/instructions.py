"""Instructions of the host's element loops by valgrind, which no load of the machine disturbs, against those noted here: at most 2 % more, and
at most 5 % fewer, for then what is noted would let as much be lost again. Noted for gcc 12 and -DRHX_ARCH=x86-64-v3; other compilers need numbers of their own.
`print`: the numbers alone."""
import os
import re
import subprocess
import sys

import run

MOST, LEAST = 1.02, 0.95
NOTED = {  # instructions of one pass: residual with gls; projections, divergence, gradient with devss,split_oss; 14 x 14 and 5 x 5 x 5 cells, Oldroyd-B in stress
    "triangle": (330155, 235272, 15961, 16051),
    "quadrilateral": (255686, 187946, 26251, 24819),
    "tetrahedron": (1583005, 987433, 53085, 66581),
    "hexahedron": (843557, 706943, 111885, 106016)}
PASSES = (("gls", ("Residual",)), ("devss,split_oss", ("Project", "Divergence", "Gradient")))
ONE_POINT = {  # residual and projections with one point a simplex, Newtonian, split_oss
    "triangle": (98186, 74020),
    "tetrahedron": (286128, 282006)}


def case(cell, stabiliser, folder, one):
    plane = cell in ("triangle", "quadrilateral")
    walls = ("bottom", "left", "right") if plane else ("bottom", "left", "right", "back", "front")
    return ["bench", "-bench_repeat", "3", "-case_name", "cavity", "-mesh_box_cell", cell, "-mesh_box_faces", "14,14" if plane else "5,5,5",
            "-mesh_box_lower", "0,0" if plane else "0,0,0", "-mesh_box_upper", "1,1" if plane else "1,1,1",
            *(("-physics", "newtonian", "-physics_newtonian_viscosity", "0.5", "-form_quadrature", "centroid") if one else
              ("-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.5", "-physics_oldroydb_viscosity", "0.5",
               "-physics_oldroydb_lambda", "0.1", "-polymer_variable", "stress")), "-stabiliser", stabiliser, "-scheme", "lumped",
            "-scheme_lumped_dt", "1e-4", *(w for wall in walls for w in (f"-bc_{wall}_type", "wall")), "-bc_top_type", "moving_wall",
            "-bc_top_velocity", "1,0" if plane else "1,0,0", "-output_fields", "false", "-output_folder", folder]


def counts(cell, stabiliser, kernels, one=False):
    folder = run.folder(f"instructions_{cell}_{kernels[0]}{'_one' if one else ''}")
    profile = os.path.join(folder, "callgrind.out")
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", run.RHEOPLEX, *case(cell, stabiliser, folder, one)],
                   check=True, capture_output=True, text=True)
    text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--tree=caller", "--threshold=100", profile], check=True, capture_output=True,
                          text=True).stdout
    for kernel in kernels:
        found = re.findall(rf"([\d,]+) \([ \d.]+%\)  < \S*:RhxForm{kernel} \((\d+)x\)[^\n]*\n(?:[^\n]*  < [^\n]*\n)*[^\n]*  \*  \S*:kernel_", text)
        if len(found) != 1:
            sys.exit(f"{cell}: got {len(found)} callers RhxForm{kernel} of a loop in {profile}, expected 1")
        yield kernel, int(found[0][0].replace(",", "")) / int(found[0][1])


def main():
    wrong = 0
    measured = [(cell, noted, [pair for stabiliser, kernels in PASSES for pair in counts(cell, stabiliser, kernels)])
                for cell, noted in NOTED.items()]
    measured += [(f"{cell}, one point", noted, list(counts(cell, "split_oss", ("Residual", "Project"), True)))
                 for cell, noted in ONE_POINT.items()]
    for cell, noted, got in measured:
        for (kernel, n), expected in zip(got, noted):
            print(f"{cell:24s}{kernel:11s}{n:10.0f}, noted {expected}", flush=True)
            if not LEAST * expected <= n <= MOST * expected:
                print(f"FAILED {cell} {kernel}: got {n:.0f} instructions, expected {LEAST * expected:.0f} to {MOST * expected:.0f}" + ("; note the new number" if n < expected else ""))
                wrong += 1
    return 1 if wrong and sys.argv[1:] != ["print"] else 0


sys.exit(main())
