"""CPU seconds of steady states by Newton's method, with linear solves to 1e-8 and as by default: steady_times.py [--program rheoplex] [--case NAME] [--skip NAME] [--runs 2] [-o share/doc/benchmarks/steady.md]

Smallest user CPU seconds of whole runs on one core, which other work on the machine changes by a tenth or two; where a case of options/ comes to rest in
time too, that run's. Prints a table, which share/doc/benchmarks.md links to."""
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile

import provenance

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
INTO = ["-scheme", "steady", "-stop_steady_tol", "0", "-stop_min_time", "0"]
ANEURYSM = [*INTO, "-bc_inlet_ramp", "0", "-bc_outlet_ramp", "0"]
CYLINDER = ["options/confined_cylinder.yaml", *INTO, "-bc_inlet_ramp", "0", "-bc_outlet_ramp", "0", "-polymer_variable", "stress"]
MARKS = ("-ksp_rtol 1e-8", "default")
# name, words, words of the run in time; None: none
CASES = [
    ("DFG 2D-1, 12k nodes, direct", ["options/dfg_2d1.yaml", "-solver", "direct"], None),
    ("DFG 2D-1, 12k nodes, split", ["options/dfg_2d1.yaml"], None),
    ("cylinder, Oldroyd-B, Wi 0.1 to 0.7, 1.9k nodes", [*CYLINDER, "-scheme_steady_continuation", "physics_oldroydb_lambda=0.1:0.1:0.7"], None),
    *((f"aneurysm, Oldroyd-B, Re {re_}, {name}", [f"options/aaa_re{re_}.yaml", *ANEURYSM, "-mesh_file", f"meshes/aaa_{name}.msh"], [f"options/aaa_re{re_}.yaml", "-mesh_file", f"meshes/aaa_{name}.msh"])
      for re_ in (50, 500) for name in ("100x20", "200x40")),
    ("cubic cavity, Re 100, 8k nodes", ["options/cavity3d_re100.yaml", *INTO], None),
]


def run(program, words, out):
    """CPU seconds, iterations of Newton's method, output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, "run", *words, "-device", "cpu", "-output_folder", out], cwd=ROOT, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"error: {' '.join(words)}: {done.stderr.strip()}")
    its = [int(n) for n in re.findall(r"Newton: (\d+) iterations", done.stdout)]
    solver = re.search(r"^solver (\w+)", done.stdout, re.M)
    return after.ru_utime - before.ru_utime, its, solver[1] if solver else ""


def best(program, words, out, runs):
    found = [run(program, words, out) for _ in range(runs)]
    return min(f[0] for f in found), found[0][1], found[0][2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("RHEOPLEX", "rheoplex"))
    parser.add_argument("--case", default="", help="cases whose name holds this alone")
    parser.add_argument("--skip", default="", help="no cases whose name holds this")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("-o", "--output", default="")
    o = parser.parse_args()
    program = os.path.abspath(o.program) if os.sep in o.program else o.program
    text = ["# Steady states", "", f"By `share/scripts/steady_times.py`: user CPU seconds on one core of a machine with other work, the smallest of {o.runs}; iterations of Newton's method, over a continuation their sum.", "Linear solves to 1e-8 and as by default, each as exact as its iteration needs; " + provenance.machine(), "",
            f"| case | solver | {MARKS[0]} | {MARKS[1]} | in time, to rest | default/in time |", "|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as out:
        for name, words, explicit in CASES:
            if o.case not in name or o.skip and o.skip in name:
                continue
            exact, found = (best(program, [*words, *more], out, o.runs) for more in (["-ksp_rtol", "1e-8"], []))
            row = [f"{name}", found[2], f"{exact[0]:.2f} ({sum(exact[1])})", f"{found[0]:.2f} ({sum(found[1])})", "", ""]
            if explicit:
                seconds = run(program, explicit, out)[0]
                row[4:] = [f"{seconds:.1f}", f"{found[0] / seconds:.3f}"]
            text.append("| " + " | ".join(row) + " |")
            print(text[-1], flush=True)
    if o.output:
        with open(o.output, "w") as f:
            f.write("\n".join([*text, ""]))


if __name__ == "__main__":
    main()
