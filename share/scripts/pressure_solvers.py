"""Iterations and CPU seconds of solvers of the pressure on one core: pressure_solvers.py [--program rheoplex] [--cells 21] [--steps 16] [--guess]

A lid-driven cavity at Re 100, bdf2, on meshes of a kind each; the CPU time is that of the whole run, user and system, which a busy machine
hardly changes; iterations: of the first solve, and the mean of those after the eighth step. --guess: earlier solutions that guesses are
made of, by KSPGuess, in place of the solvers. Prints a table. Standard library only."""
import argparse
import csv
import os
import resource
import subprocess
import sys
import tempfile

CG = ["-pressure_ksp_type", "cg", "-pressure_ksp_norm_type", "unpreconditioned", "-pressure_ksp_initial_guess_nonzero", "true"]
SOLVERS = {"default": []} | {name: [*CG, "-pressure_pc_type", name] for name in ("gamg", "hypre", "icc", "graph_mg")}
GUESSES = {"none": []} | {
    f"{kind} {k}": ["-pressure_ksp_guess_type", kind, *(["-pressure_ksp_guess_fischer_model", f"1,{k}"] if kind == "fischer" else ["-pressure_ksp_guess_pod_size", k])]
    for kind in ("fischer", "pod") for k in (2, 4, 6, 10)}


def cavity(dim, n, cell, length=1, jitter=0):
    sides = ["left", "right", "bottom", "top", "back", "front"][: 2 * dim]
    words = ["-mesh_box_faces", ",".join([str(n)] * dim), "-mesh_box_upper", ",".join([str(length)] + ["1"] * (dim - 1)), "-mesh_box_cell", cell, "-mesh_box_jitter", jitter]
    return words + [w for s in sides for w in (f"-bc_{s}_type", "moving_wall" if s == "top" else "wall")] + ["-bc_top_velocity", "1" + ",0" * (dim - 1)]


def meshes(n):
    flat = 6 * n  # cells a side in two dimensions
    return {"triangles, distorted": cavity(2, flat, "triangle", jitter=0.25), "quads": cavity(2, flat, "quadrilateral"), "quads, stretched 20": cavity(2, flat, "quadrilateral", 20),
            "hexes": cavity(3, n, "hexahedron"), "hexes, stretched 10": cavity(3, n, "hexahedron", 10),
            "tets, distorted": cavity(3, n, "tetrahedron", jitter=0.2), "tets, stretched 10": cavity(3, n, "tetrahedron", 10, 0.2)}


def measure(program, words, steps):
    """CPU seconds and iterations of each step, or a sentence."""
    with tempfile.TemporaryDirectory() as out:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run([program, "run", *map(str, words), "-case_name", "cavity", "-physics", "newtonian", "-physics_newtonian_viscosity", "0.01", "-stabiliser", "split_oss", "-scheme",
                              "fractional_step", "-scheme_fractional_step_integrator", "bdf2", "-scheme_fractional_step_dt", "0.005", "-stop_steps", str(steps), "-diagnostic_history_every", "1",
                              "-device", "cpu", "-output_folder", out], capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if run.returncode:
            return None, (run.stderr or run.stdout).strip().splitlines()[0]
        with open(os.path.join(out, "cavity_history.csv"), newline="") as f:
            counts = [int(row["pressure_iterations"]) for row in csv.DictReader(f)]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("RHEOPLEX", "rheoplex"))
    parser.add_argument("--cells", type=int, default=21, help="a side in space; six times as many in the plane")
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--guess", action="store_true")
    parser.add_argument("--mesh", default="", help="meshes whose name holds this alone")
    o = parser.parse_args()
    if o.cells < 2 or o.steps < 10:
        parser.error(f"--cells {o.cells} --steps {o.steps}: expected at least 2 and 10")
    print("| mesh | " + ("guess" if o.guess else "solver") + " | iterations, first and later | CPU s | over the best |\n|---|---|---|---|---|")
    failed = 0
    for mesh, words in meshes(o.cells).items():
        if o.mesh not in mesh:
            continue
        found = {name: measure(o.program, [*words, *more], o.steps) for name, more in (GUESSES if o.guess else SOLVERS).items()}
        best = min((t for t, _ in found.values() if t is not None), default=None)
        for name, (t, counts) in found.items():
            failed += t is None
            print(f"| {mesh} | {name} | " + (f"{counts} | - | - |" if t is None else f"{counts[0]}, {sum(counts[8:]) / len(counts[8:]):.1f} | {t:.2f} | {t / best:.2f} |"), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
