"""Iterations of the linear solves of Newton's schemes over meshes of 2k to 120k nodes in 2D and 15k to 680k in 3D: solver_iterations.py [--program rheoplex] [--solver split] [--case NAME]
[--device cpu] [--least 0] [--most 130000] [--renew always] [--steps 2] [--jobs 1] [--limit 3600] [--meshes FOLDER] [--append] [-o share/doc/benchmarks/iterations.md]

Meshes in 2D are one of about 2k nodes (meshes/*.geo by gmsh; `--meshes` names a folder for them, where they are made unless they are there) and its uniform refinements. Linear solves to 1e-4, each with a preconditioner of its own (`--renew always`); an entry is
the mean and the largest number of iterations of a solve, and how many did not converge in 300. Growth: of the means, from the second mesh to the last. Fails where that is beyond 2, or a solve fails, and it was not to be expected. Standard library only."""
import argparse
import concurrent.futures
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

import provenance

MESHES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "meshes")
BASES = {"confined_cylinder": {"n": 14}, "dfg_cylinder": {"hc": 0.0074, "hw": 0.0214, "hf": 0.0356}}  # about 1900 nodes
LEVELS = range(4)  # of -dm_refine
ACROSS = (19, 38, 69)  # cells across a channel in 3D: 15 600, 117 000, 681 100 nodes
GROWTH = 2
NEWTONIAN = ["-physics", "newtonian", "-stabiliser", "split_oss"]
OLDROYD = ["-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.59", "-physics_oldroydb_viscosity", "0.41", "-stabiliser", "split_oss"]
STEADY = ["-scheme", "steady"]
STEPS = ["-scheme", "monolithic", "-stop_steps", "2"]


def walls(*labels):
    return [x for label in labels for x in (f"-bc_{label}_type", "wall")]


def dfg(re_, cfl=None):
    """Flow past a cylinder in a channel at this Reynolds number (0: without convection), steady or two steps of this Courant number beside the cylinder, from the inlet's profile."""
    inlet = "1.2*y*(0.41-y)/0.41^2,0"

    def words(level):
        time = STEADY if cfl is None else [*STEPS, "-scheme_monolithic_dt", str(cfl * BASES["dfg_cylinder"]["hc"] / 2**level / 0.4), "-initial_velocity", inlet]  # the largest speed is about 0.4
        return [*NEWTONIAN, "-physics_newtonian_viscosity", str(0.02 / (re_ or 20)), "-form_convection", str(re_ > 0).lower(), "-bc_inlet_type", "inlet", "-bc_inlet_velocity", inlet,
                "-bc_outlet_type", "outlet", "-bc_outlet_form", "gradient", *walls("walls", "cylinder"), *time]
    return words


def cylinder(density, variable, lambdas):
    """Oldroyd-B past a confined cylinder, of radius and mean velocity 1: continuation in the relaxation time."""
    def words(level):
        inertia = ["-form_convection", "false"] if density == 0 else ["-form_density", str(density)]
        ends = [x for side in ("inlet", "outlet") for x in (f"-bc_{side}_type", side, f"-bc_{side}_velocity", "1.5*(1-y^2/4),0", f"-bc_{side}_polymer", "developed")]
        return [*OLDROYD, *inertia, *ends, "-bc_outlet_form", "gradient", "-bc_axis_type", "symmetry", *walls("wall", "cylinder"), "-polymer_variable", variable, "-physics_oldroydb_lambda",
                lambdas.split(":")[0], *STEADY, "-scheme_steady_continuation", f"physics_oldroydb_lambda={lambdas}"]
    return words


def channel(cell, physics, courant):
    """A jet into a square channel twice as long as wide, density 1; two steps from the inlet's profile, or the steady state."""
    inlet = "(1-y^4)*(1-z^4),0,0"

    def words(n):
        time = STEADY if courant is None else [*STEPS, "-scheme_monolithic_dt", str(courant * 2 / n), "-initial_velocity", inlet]
        polymer = [] if physics is NEWTONIAN else ["-physics_oldroydb_lambda", "0.3", "-polymer_variable", "stress", "-bc_left_polymer", "rest", "-bc_right_polymer", "zero"]
        return ["-mesh_box_faces", f"{2 * n},{n},{n}", "-mesh_box_lower", "0,-1,-1", "-mesh_box_upper", "4,1,1", "-mesh_box_cell", cell, *physics, *polymer, *(["-physics_newtonian_viscosity", "0.02"] if physics is NEWTONIAN else []),
                "-bc_left_type", "inlet", "-bc_left_velocity", inlet, "-bc_right_type", "outlet", "-bc_right_form", "gradient", *walls("top", "bottom", "front", "back"), *time]
    return words


# name, base mesh or None in 3D, words of a level or of cells across, is growth at most GROWTH expected
CASES = [
    *((f"DFG channel, Re {re_}, steady", "dfg_cylinder", dfg(re_), True) for re_ in (0, 20, 60)),
    *((f"DFG channel, Re {re_}, CFL {cfl}", "dfg_cylinder", dfg(re_, cfl), re_ < 1000) for re_ in (100, 1000) for cfl in (1, 10, 100)),
    ("cylinder, creeping, stress, Wi 0.1 to 0.5", "confined_cylinder", cylinder(0, "stress", "0.1:0.2:0.5"), True),
    ("cylinder, creeping, log c, Wi 0.3 to 0.9", "confined_cylinder", cylinder(0, "logconf", "0.3:0.3:0.9"), False),
    ("cylinder, density 1, stress, Wi 0.1 to 0.5", "confined_cylinder", cylinder(1, "stress", "0.1:0.2:0.5"), True),
    ("cylinder, density 1, log c, Wi 0.3 to 0.9", "confined_cylinder", cylinder(1, "logconf", "0.3:0.3:0.9"), True),
    *((f"3D channel, {cell}s, {name}, {'steady' if courant is None else f'CFL {courant}'}", None, channel(cell, physics, courant), True) for cell in ("hexahedron", "tetrahedron")
      for name, physics in (("Newtonian", NEWTONIAN), ("Oldroyd-B", OLDROYD)) for courant in (1, 10, None)),
]


def make_meshes(folder, bases):
    os.makedirs(folder, exist_ok=True)
    for name in bases:
        path = os.path.join(folder, f"{name}.msh")
        if not os.path.exists(path):
            if not shutil.which("gmsh"):
                sys.exit(f"error: {path} is not there and gmsh is not installed, which makes it from meshes/{name}.geo")
            numbers = [x for k, v in BASES[name].items() for x in ("-setnumber", k, str(v))]
            subprocess.run(["gmsh", "-v", "2", "-format", "msh22", "-2", os.path.join(MESHES, f"{name}.geo"), "-o", path, *numbers], check=True)


def solve(o, folder, base, words, size):
    """Nodes, iterations of the solves (infinite: it did not converge); or a sentence why there are none."""
    mesh = ["-mesh_file", os.path.join(folder, f"{base}.msh"), "-dm_refine", str(size)] if base else []
    with tempfile.TemporaryDirectory() as out:
        steps = [str(o.steps) if before == "-stop_steps" else word for before, word in zip(["", *words(size)], words(size))]
        command = [o.program, "run", "-case_name", "iterations", *mesh, *steps, "-device", o.device, "-solver", o.solver, "-ksp_rtol", "1e-4", "-pc_renew", o.renew, "-ksp_converged_reason", "-output_fields", "false",
                   "-output_folder", out]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=o.limit)
        except subprocess.TimeoutExpired:
            return 0, f"no end after {o.limit:.0f} s"
    nodes = re.search(r"iterations: (\d+) nodes", done.stdout)
    its = [float(n) if how == "converged" else math.inf for how, n in re.findall(r"Linear solve (converged|did not converge) due to \w+ iterations (\d+)", done.stdout)]
    if done.returncode or not its:
        said = [line for line in done.stderr.splitlines() if line.startswith("rheoplex:")]
        return int(nodes[1]) if nodes else 0, (said or [f"exit code {done.returncode}"])[0][:120]
    return int(nodes[1]), its


def sizes(o, base):
    if base:
        return [level for level in LEVELS if o.least <= 1950 * 4**level <= o.most]
    return [n for n in ACROSS if o.least <= (2 * n + 1) * (n + 1) ** 2 <= o.most]


def row(name, found, strict):
    """A row of the table, and whether all went well."""
    def entry(its):
        if isinstance(its, str):
            return its
        solved = [n for n in its if n < math.inf]
        return f"{sum(solved) / max(len(solved), 1):.1f} ({max(solved, default=0):.0f})" + (f", {len(its) - len(solved)} of {len(its)} without end" if len(solved) < len(its) else "")

    means = [sum(its) / len(its) if isinstance(its, list) else float("nan") for _, its in found]
    entries = [f"{nodes}: {entry(its)}" for nodes, its in found]
    growth = means[-1] / means[min(1, len(means) - 2)] if len(means) > 1 else math.nan
    good = growth <= GROWTH or not strict or (len(means) == 1 and means[0] < math.inf)
    return f"| {name} | {', '.join(entries)} | {f'{growth:.2f}' if growth < math.inf else '-'}{f' **beyond {GROWTH}**' if GROWTH < growth < math.inf else ''} |", good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("RHEOPLEX", "rheoplex"))
    parser.add_argument("--solver", default="split", help="split, points or direct")
    parser.add_argument("--case", default="", help=f"cases whose name holds this alone: {'; '.join(c[0] for c in CASES)}")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--least", type=int, default=0, help="nodes of the smallest mesh")
    parser.add_argument("--renew", default="always", help="when the preconditioner is renewed, -pc_renew")
    parser.add_argument("--steps", type=int, default=2, help="of the rows with a Courant number")
    parser.add_argument("--most", type=int, default=130000, help="nodes of the largest mesh")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--limit", type=float, default=3600.0, help="seconds of a run")
    parser.add_argument("--meshes", default="", help="folder for the meshes in 2D, kept there")
    parser.add_argument("--append", action="store_true", help="to the table in the file, of another solver")
    parser.add_argument("-o", "--output", default="")
    o = parser.parse_args()
    if not o.limit > 0 or not o.jobs > 0 or not o.most >= 1950 or not o.steps > 0:
        parser.error(f"--limit {o.limit} --jobs {o.jobs} --most {o.most} --steps {o.steps}: expected seconds > 0, at least one job, 1950 nodes and one step")
    o.program = os.path.abspath(o.program) if os.sep in o.program else o.program
    chosen = [c for c in CASES if o.case in c[0]]
    if not chosen:
        parser.error(f"--case {o.case}: expected a part of one of: {'; '.join(c[0] for c in CASES)}")
    head = ["# Iterations of Newton's linear solves", "", "By `share/scripts/solver_iterations.py`: nodes, mean and (largest) number of iterations of a linear solve to 1e-4, each with a preconditioner of its own; growth of the means from the second mesh to the last.", ""]
    text = [f"## -solver {o.solver}", "", provenance.machine(), "", "| case | nodes: iterations | growth |", "|---|---|---|"]
    good = True
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        folder = o.meshes or scratch
        make_meshes(folder, sorted({base for _, base, _, _ in chosen if base}))
        runs = {(name, size): pool.submit(solve, o, folder, base, words, size) for size_of in (max, None) for name, base, words, _ in chosen for size in sizes(o, base)
                if (size == max(sizes(o, base))) == (size_of is max)}  # the longest first
        for run in concurrent.futures.as_completed(runs.values()):
            name, size = next(key for key, value in runs.items() if value is run)
            print(f"{name}, {size}: {run.result()}", file=sys.stderr, flush=True)
        for name, base, _, strict in chosen:
            if sizes(o, base):
                line, fine = row(name, [runs[name, size].result() for size in sizes(o, base)], strict)
                good = good and fine
                text.append(line)
        print("\n".join(text), flush=True)
    if o.output:
        with open(o.output, "a" if o.append else "w") as f:
            f.write("\n".join([*([] if o.append else head), *text, "", ""]))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
