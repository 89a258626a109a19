"""An implicit step of an Oldroyd-B fluid, about a million unknowns, on a GPU and on the ranks of the same machine: implicit_steps.py [--program rheoplex] [--ways points,cudss,split,direct] [--case NAME]
[--most 1e6] [--steps 5] [--ranks 14] [--limit 600] [-o FILE]

Ways: points and cudss (`-device cuda -solver points`, `direct`; the latter needs nvidia-cudss-cu13), split, points-cpu and direct (on so many ranks, bound to cores). Linear solves to 1e-4, preconditioners renewed on demand. An
entry is milliseconds of one iteration of Newton's method, all that a step takes included, the iterations of its linear solve, seconds of a set-up of the preconditioner and of a linear solve, as the run says at its end. Each way on a
GPU is run twice and the second taken, since the first compiles kernels. Prints a table in Markdown. Standard library only."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import provenance

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
WAYS = {"points": ("cuda", "points"), "cudss": ("cuda", "direct"), "split": ("cpu", "split"), "points-cpu": ("cpu", "points"), "direct": ("cpu", "direct")}
FLUID = ["-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.5", "-physics_oldroydb_viscosity", "0.5", "-physics_oldroydb_lambda", "0.5", "-form_density", "10",
         "-polymer_variable", "stress", "-stabiliser", "devss,split_oss", "-bc_left_type", "inlet", "-bc_left_ramp", "1", "-bc_right_type", "outlet", "-bc_top_type", "wall", "-bc_bottom_type", "wall",
         "-scheme", "monolithic", "-scheme_monolithic_dt", "0.02", "-stop_time", "100", "-ksp_rtol", "1e-4"]


def plane(n):
    return [*FLUID, "-mesh_box_faces", f"{4 * n},{n}", "-mesh_box_lower", "0,-1", "-mesh_box_upper", "8,1", "-bc_left_profile", "parabolic", "-bc_left_mean_velocity", "1"]


def space(cell):
    def words(n):
        return [*FLUID, "-mesh_box_faces", f"{2 * n},{n},{n}", "-mesh_box_lower", "0,-1,-1", "-mesh_box_upper", "4,1,1", "-mesh_box_cell", cell, "-bc_left_velocity", "2.25*(1-y^2)*(1-z^2),0,0",
                "-bc_left_polymer", "rest", "-bc_front_type", "wall", "-bc_back_type", "wall"]
    return words


# name, words of a number of cells across, unknowns of it, cells across
CASES = [("channel, quads", plane, lambda n: 6 * (4 * n + 1) * (n + 1), (50, 100, 200)),
         *((f"duct, {cells}", space(cell), lambda n: 10 * (2 * n + 1) * (n + 1) ** 2, (12, 20, 36)) for cells, cell in (("hexes", "hexahedron"), ("tets", "tetrahedron")))]


def run(o, way, words):
    """(ms an iteration of Newton's method, iterations of a solve, s of a set-up, s of a solve), or the sentence of an error."""
    device, solver = WAYS[way]
    ranks = o.ranks if device == "cpu" else 1
    start = [*o.mpiexec.split(), "-n", str(ranks), "--bind-to", "core"] if ranks > 1 else []
    for _ in range(1 if device == "cpu" else 2):
        with tempfile.TemporaryDirectory() as out:
            command = [*start, o.program, "run", "-case_name", "steps", *words, "-stop_steps", str(o.steps), "-device", device, "-solver", solver, "-output_fields", "false", "-output_folder", out]
            try:
                done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=o.limit, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
            except subprocess.TimeoutExpired:
                return f"no end after {o.limit:.0f} s"
        counted = re.search(r"(\d+) Newton iterations; preconditioner \(demand\): (\d+) set-ups \(\d+ redone\), ([\d.e-]+) s; (\d+) linear solves, (\d+) iterations, ([\d.e-]+) s", done.stdout)
        wall = re.search(r"(\d+) steps ([\d.e+]+) s\n", done.stdout)
        if done.returncode or not counted or not wall:
            return next((line for line in done.stderr.splitlines() if line.startswith("rheoplex:")), f"exit code {done.returncode}")[:120]
        newton, setups, seconds, solves, iterations, solved = (float(x) for x in counted.groups())
    return 1e3 * float(wall.group(2)) / newton, iterations / solves, seconds / setups, solved / solves


def row(name, unknowns, ways, found):
    """A line of the table; the ratio is that of the fastest way on the ranks to the fastest on the GPU."""
    best = {device: min((f[0] for way, f in zip(ways, found) if WAYS[way][0] == device and not isinstance(f, str)), default=None) for device in ("cpu", "cuda")}
    ratio = f"{best['cpu'] / best['cuda']:.1f}" if best["cpu"] and best["cuda"] else "-"
    return f"| {name} | {unknowns} | {' | '.join(f if isinstance(f, str) else f'{f[0]:.0f} ({f[1]:.1f}); {f[2]:.2f} + {f[3]:.3f}' for f in found)} | {ratio} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("RHEOPLEX", "rheoplex"))
    parser.add_argument("--ways", default="points,cudss,split,direct", help=f"columns of the table, of {', '.join(WAYS)}")
    parser.add_argument("--case", default="", help=f"cases whose name holds this alone: {'; '.join(c[0] for c in CASES)}")
    parser.add_argument("--least", type=float, default=9e5, help="unknowns of the smallest mesh")
    parser.add_argument("--most", type=float, default=1.1e6, help="unknowns of the largest mesh")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=14, help="of the runs on the CPU")
    parser.add_argument("--mpiexec", default=os.environ.get("RHEOPLEX_MPIEXEC", "mpiexec"))
    parser.add_argument("--limit", type=float, default=600.0, help="seconds of a run")
    parser.add_argument("-o", "--output", default="")
    o = parser.parse_args()
    ways = o.ways.split(",")
    chosen = [c for c in CASES if o.case in c[0]]
    if not set(ways) <= set(WAYS):
        parser.error(f"--ways {o.ways}: expected some of {','.join(WAYS)}")
    if not chosen:
        parser.error(f"--case {o.case}: expected a part of one of: {'; '.join(c[0] for c in CASES)}")
    if not o.limit > 0 or not o.ranks > 0 or not o.steps > 0:
        parser.error(f"--limit {o.limit} --ranks {o.ranks} --steps {o.steps}: expected seconds > 0, at least one rank and one step")
    o.program = os.path.abspath(o.program) if os.sep in o.program else o.program
    text = [provenance.machine(), "", f"| case | unknowns | {' | '.join(ways)} | ranks over GPU |", "|---|---|" + "---|" * (len(ways) + 1)]
    failed = 0
    for name, words, unknowns, sizes in chosen:
        for n in (n for n in sizes if o.least <= unknowns(n) <= o.most):
            found = [run(o, way, words(n)) for way in ways]
            failed += sum(isinstance(f, str) for f in found)
            text.append(row(name, unknowns(n), ways, found))
            print(text[-1], file=sys.stderr, flush=True)
    print("\n".join(text))
    if o.output:
        with open(o.output, "w") as f:
            f.write("\n".join(text) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
