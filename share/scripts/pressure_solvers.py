"""Iterations and CPU seconds of solvers of the pressure: pressure_solvers.py [--program rheoplex] [--cells 21] [--steps 16] [--np 1] [--guess]

A lid-driven cavity at Re 100, and a channel with an outlet, bdf2, on meshes of a kind each; graded: cells at the walls are 1/100 as long as those in the middle. The CPU time is that
of the whole run, user and system, which a busy machine hardly changes, on several ranks their sum, waiting included; iterations: of the first solve, and the mean of those after the eighth step. --guess: earlier solutions that guesses are
made of, by KSPGuess, in place of the solvers. Prints a table. Standard library only."""
import argparse
import csv
import itertools
import math
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


SPLIT = {"quadrilateral": [(0, 1, 3, 2)], "triangle": [(0, 1, 3), (0, 3, 2)], "hexahedron": [(0, 1, 3, 2, 4, 5, 7, 6)],
         "tetrahedron": [(0, 1, 3, 7), (0, 1, 7, 5), (0, 5, 7, 4), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7)]}  # corners of a box, bit k: coordinate k
TYPES = {"line": 1, "triangle": 2, "quadrilateral": 3, "tetrahedron": 4, "hexahedron": 5}
SIDES = ["left", "right", "bottom", "top", "back", "front"]


def graded_mesh(path, dim, n, cell, steep=3.0):
    """A unit box in Gmsh's format 2.2, n cells a side, x = (1 + tanh(steep (2 s - 1))/tanh steep)/2 along each."""
    at = [(1 + math.tanh(steep * (2 * i / n - 1)) / math.tanh(steep)) / 2 for i in range(n + 1)]
    number = lambda index: 1 + sum(i * (n + 1) ** k for k, i in enumerate(index))  # noqa: E731
    elements, faces = [], {}
    for corner in itertools.product(range(n), repeat=dim):
        for nodes in SPLIT[cell]:
            element = [tuple(c + (node >> k & 1) for k, c in enumerate(corner)) for node in nodes]
            elements.append((TYPES[cell], 2 * dim + 1, element))
    face = {"quadrilateral": "line", "triangle": "line", "hexahedron": "quadrilateral", "tetrahedron": "triangle"}[cell]
    for _, _, element in elements:
        for k, end in itertools.product(range(dim), (0, n)):
            on = [node for node in element if node[k] == end]
            if len(on) >= dim and (cell != "hexahedron" or len(on) == 4):
                faces.setdefault((k, end), []).append(on[:2] + on[:1:-1] if len(on) == 4 and k < 2 else on)
    for (k, end), all_faces in sorted(faces.items()):
        elements += [(TYPES[face], 1 + 2 * k + (end > 0), f) for f in all_faces]
    with open(path, "w") as f:
        f.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n{2 * dim + 1}\n")
        f.writelines(f'{dim - 1} {k + 1} "{SIDES[k]}"\n' for k in range(2 * dim))
        f.write(f'{dim} {2 * dim + 1} "fluid"\n$EndPhysicalNames\n$Nodes\n{(n + 1) ** dim}\n')
        for index in itertools.product(range(n + 1), repeat=dim):
            index = index[::-1]
            f.write(f"{number(index)} " + " ".join(f"{at[i]:.17g}" for i in index) + " 0" * (3 - dim) + "\n")
        f.write(f"$EndNodes\n$Elements\n{len(elements)}\n")
        f.writelines(f"{i + 1} {kind} 2 {label} {label} " + " ".join(str(number(node)) for node in nodes) + "\n" for i, (kind, label, nodes) in enumerate(elements))
        f.write("$EndElements\n")


def channel(dim, n, cell, length=1, jitter=0):
    """From the left to the right, where the traction is given."""
    words = cavity(dim, n, cell, length, jitter)
    for name, value in (("left", "inlet"), ("right", "outlet"), ("top", "wall")):
        words[words.index(f"-bc_{name}_type") + 1] = value
    words[words.index("-bc_top_velocity")] = "-bc_left_velocity"
    return words


def graded(dim, n, cell, folder):
    path = os.path.join(folder, f"{cell}.msh")
    graded_mesh(path, dim, n, cell)
    words = cavity(dim, n, cell)
    return ["-mesh_file", path] + words[words.index("-bc_left_type"):]


def meshes(n, folder):
    flat = 6 * n  # cells a side in two dimensions
    return {"triangles, distorted": cavity(2, flat, "triangle", jitter=0.25), "quads": cavity(2, flat, "quadrilateral"), "quads, stretched 20": cavity(2, flat, "quadrilateral", 20),
            "hexes": cavity(3, n, "hexahedron"), "hexes, stretched 10": cavity(3, n, "hexahedron", 10),
            "tets, distorted": cavity(3, n, "tetrahedron", jitter=0.2), "tets, stretched 10": cavity(3, n, "tetrahedron", 10, 0.2),
            **{f"{name}, graded": graded(dim, flat if dim == 2 else n, cell, folder)
               for name, dim, cell in (("triangles", 2, "triangle"), ("quads", 2, "quadrilateral"), ("hexes", 3, "hexahedron"), ("tets", 3, "tetrahedron"))},
            "triangles, outlet": channel(2, flat, "triangle", 4, 0.2), "quads, stretched 20, outlet": channel(2, flat, "quadrilateral", 20), "hexes, outlet": channel(3, n, "hexahedron", 2),
            "tets, outlet": channel(3, n, "tetrahedron", 2, 0.2)}


def measure(program, words, steps, ranks):
    """CPU seconds and iterations of each step, or a sentence."""
    with tempfile.TemporaryDirectory() as out:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run([*([os.environ.get("RHEOPLEX_MPIEXEC", "mpiexec"), "-n", str(ranks)] if ranks > 1 else []), program, "run", *map(str, words), "-case_name", "cavity", "-physics", "newtonian", "-physics_newtonian_viscosity", "0.01", "-stabiliser", "split_oss", "-scheme",
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
    parser.add_argument("--np", type=int, default=1, help="ranks")
    parser.add_argument("--guess", action="store_true")
    parser.add_argument("--mesh", default="", help="meshes whose name holds this alone")
    o = parser.parse_args()
    if o.cells < 2 or o.steps < 10 or o.np < 1:
        parser.error(f"--cells {o.cells} --steps {o.steps} --np {o.np}: expected at least 2, 10 and 1")
    print("| mesh | " + ("guess" if o.guess else "solver") + " | iterations, first and later | CPU s | over the best |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        return print_table(o, folder)


def print_table(o, folder):
    failed = 0
    for mesh, words in meshes(o.cells, folder).items():
        if o.mesh not in mesh or (o.guess and "outlet" in mesh):  # a direct factor takes no guess
            continue
        found = {name: measure(o.program, [*words, *more], o.steps, o.np) for name, more in (GUESSES if o.guess else SOLVERS).items()
                 if o.np == 1 or name not in ("icc", "graph_mg")}  # these are of one rank
        best = min((t for t, _ in found.values() if t is not None), default=None)
        for name, (t, counts) in found.items():
            failed += t is None
            print(f"| {mesh} | {name} | " + (f"{counts} | - | - |" if t is None else f"{counts[0]}, {sum(counts[8:]) / len(counts[8:]):.1f} | {t:.2f} | {t / best:.2f} |"), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
