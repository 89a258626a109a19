"""Set-ups and linear solves of Newton's schemes by factors on a device beside their rivals: device_factors.py [--program rheoplex] [--ways cudss,points,direct,split] [--case NAME] [--most 200000]
[--ranks 14] [--limit 600] [-o FILE]

Ways: cudss (`-device cuda -solver direct`; it needs nvidia-cudss-cu13), points (`-device cuda`), direct and split (`-device cpu` on so many ranks, bound to cores). Each run is made twice and the smaller times are taken, since the
first run of a kind of matrix compiles kernels. An entry is seconds of set-ups + of linear solves, as the run's last line of statistics says. Prints a table in Markdown. Standard library only."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import provenance
from solver_iterations import NEWTONIAN, OLDROYD, channel

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
WAYS = {"cudss": ["-device", "cuda", "-solver", "direct"], "points": ["-device", "cuda", "-solver", "points"], "direct": ["-device", "cpu", "-solver", "direct"],
        "split": ["-device", "cpu", "-solver", "split"]}


def steps(n):
    """Start of an Oldroyd-B fluid in a channel, five steps, factors renewed on demand: the case of share/doc/benchmarks/solvers.md."""
    return ["-mesh_box_faces", f"{200 * n},{50 * n}", "-mesh_box_lower", "0,-1", "-mesh_box_upper", "8,1", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.5", "-physics_oldroydb_viscosity", "0.5",
            "-physics_oldroydb_lambda", "0.5", "-form_density", "10", "-polymer_variable", "stress", "-stabiliser", "devss,split_oss", "-bc_left_type", "inlet", "-bc_left_profile", "parabolic", "-bc_left_mean_velocity", "1",
            "-bc_left_ramp", "1", "-bc_right_type", "outlet", "-bc_top_type", "wall", "-bc_bottom_type", "wall", "-scheme", "monolithic", "-scheme_monolithic_dt", "0.02", "-stop_steps", "5", "-stop_time", "100"]


def refined(case, *words):
    return lambda level: [f"options/{case}.yaml", *words, "-dm_refine", str(level)]


# name, words of a size, sizes and their nodes
CASES = [
    ("cylinder, Oldroyd-B", refined("confined_cylinder_steady", "-scheme_steady_continuation", "", "-physics_oldroydb_lambda", "0.3"), {0: 1893, 1: 7313, 2: 28737, 3: 113921}),
    ("DFG 2D-1, Newtonian", refined("dfg_2d1", "-scheme", "steady"), {0: 12096, 1: 47796, 2: 190008}),
    ("channel, Oldroyd-B, 5 steps", steps, {1: 10251, 2: 40501, 4: 161001}),
    *((f"jet in space, {name}", channel("hexahedron", physics, None), {n: (2 * n + 1) * (n + 1) ** 2 for n in across})
      for name, physics, across in (("Newtonian", NEWTONIAN, (12, 18, 24)), ("Oldroyd-B", OLDROYD, (8, 12, 16)))),
]


def run(o, way, words):
    """(seconds of set-ups, of linear solves), or the sentence of an error."""
    best = (float("inf"), float("inf"))
    ranks = o.ranks if way in ("direct", "split") else 1
    start = [*o.mpiexec.split(), "-n", str(ranks), "--bind-to", "core"] if ranks > 1 else []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as out:
            command = [*start, o.program, "run", "-case_name", "factors", *words, *WAYS[way], "-output_fields", "false", "-output_folder", out]
            try:
                done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=o.limit, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
            except subprocess.TimeoutExpired:
                return f"no end after {o.limit:.0f} s"
        told = re.findall(r"set-ups \(\d+ redone\), ([\d.]+) s; \d+ linear solves, \d+ iterations, ([\d.]+) s", done.stdout)
        if done.returncode or not told:
            return next((line for line in done.stderr.splitlines() if line.startswith("rheoplex:")), f"exit code {done.returncode}")[:120]
        best = min(best, (float(told[-1][0]), float(told[-1][1])), key=sum)
    return best


def arguments(description, ways, columns, cases, *more):
    """What such a report takes: columns of ways, one of the cases, and more numbers (name, default, what it is)."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("RHEOPLEX", "rheoplex"))
    parser.add_argument("--ways", default=",".join(columns), help=f"columns of the table, of {', '.join(ways)}")
    parser.add_argument("--case", default="", help=f"cases whose name holds this alone: {'; '.join(c[0] for c in cases)}")
    for name, default, what in more:
        parser.add_argument(f"--{name}", type=type(default), default=default, help=what)
    parser.add_argument("--ranks", type=int, default=14, help="of the runs on the CPU")
    parser.add_argument("--mpiexec", default=os.environ.get("RHEOPLEX_MPIEXEC", "mpiexec"))
    parser.add_argument("--limit", type=float, default=600.0, help="seconds of a run")
    parser.add_argument("-o", "--output", default="")
    o = parser.parse_args()
    chosen = [c for c in cases if o.case in c[0]]
    if not set(o.ways.split(",")) <= set(ways):
        parser.error(f"--ways {o.ways}: expected some of {','.join(ways)}")
    if not chosen:
        parser.error(f"--case {o.case}: expected a part of one of: {'; '.join(c[0] for c in cases)}")
    if not o.limit > 0 or not o.ranks > 0:
        parser.error(f"--limit {o.limit} --ranks {o.ranks}: expected seconds > 0 and at least one rank")
    o.program = os.path.abspath(o.program) if os.sep in o.program else o.program
    return o, o.ways.split(","), chosen


def write(o, text):
    print("\n".join(text))
    if o.output:
        with open(o.output, "w") as f:
            f.write("\n".join(text) + "\n")


def main():
    o, ways, chosen = arguments(__doc__, WAYS, WAYS, CASES, ("most", 200000, "nodes of the largest mesh"))
    text = [provenance.machine(), "", f"| case | nodes | {' | '.join(ways)} |", "|---|---|" + "---|" * len(ways)]
    failed = 0
    for name, words, nodes in chosen:
        for size in (size for size in nodes if nodes[size] <= o.most):
            found = [run(o, way, words(size)) for way in ways]
            failed += sum(isinstance(f, str) for f in found)
            text.append(f"| {name} | {nodes[size]} | {' | '.join(f if isinstance(f, str) else f'{f[0]:.2f} + {f[1]:.2f}' for f in found)} |")
            print(text[-1], file=sys.stderr, flush=True)
    write(o, text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
