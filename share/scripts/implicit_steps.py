"""An implicit step of an Oldroyd-B fluid, about a million unknowns, on a GPU and on the ranks of the same machine: implicit_steps.py [--program rheoplex] [--ways points,cudss,split,direct] [--case NAME]
[--most 1e6] [--steps 10] [--ranks 14] [--limit 600] [-o FILE]

Ways: points and cudss (`-device cuda -solver points`, `direct`; the latter needs nvidia-cudss-cu13), split, points-cpu and direct (on so many ranks, bound to cores). Linear solves to 1e-4, preconditioners renewed on demand. An
entry is milliseconds of one iteration of Newton's method, all that a step takes included, the iterations of its linear solve, seconds of a set-up of the preconditioner and of a linear solve, as the run says at its end. Each way on a
GPU is run twice and the second taken, since the first compiles kernels; the last column: the fastest of the ranks over the fastest on the GPU. Fails where a run does, or no mesh is of that size. Prints a table in Markdown. Standard library only."""
import os
import re
import subprocess
import sys
import tempfile

import provenance
from device_factors import arguments, write

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
CASES = [("channel, quads", plane, lambda n: 6 * (4 * n + 1) * (n + 1), (20, 50, 100, 200)),
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
    o, ways, chosen = arguments(__doc__, WAYS, ("points", "cudss", "split", "direct"), CASES, ("least", 9e5, "unknowns of the smallest mesh"), ("most", 1.1e6, "unknowns of the largest mesh"), ("steps", 10, "of a run"))
    text = [provenance.machine(), "", f"| case | unknowns | {' | '.join(ways)} | ranks over GPU |", "|---|---|" + "---|" * (len(ways) + 1)]
    failed = 0
    for name, words, unknowns, sizes in chosen:
        for n in (n for n in sizes if o.least <= unknowns(n) <= o.most):
            found = [run(o, way, words(n)) for way in ways]
            failed += sum(isinstance(f, str) for f in found)
            text.append(row(name, unknowns(n), ways, found))
            print(text[-1], file=sys.stderr, flush=True)
    write(o, text)
    return 0 if len(text) > 4 and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
