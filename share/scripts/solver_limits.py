"""CPU seconds and memory of -solver direct and split over meshes: solver_limits.py [--program rheoplex] [--case NAME] [--most 130000] [--memory 6] [--factors mumps]

Steady states from rest, one core, user and system time of the whole run, which a busy machine hardly changes; direct ends where it would
take more than --memory GB. Prints a table and for each case the number of nodes from which split is cheaper, between meshes by a
straight line of the logarithms. The cylinder needs gmsh. Standard library only."""
import argparse
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

MESHES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "meshes")
NEWTONIAN = ["-physics", "newtonian", "-physics_newtonian_viscosity", "1", "-stabiliser", "gls"]
POLYMER = ["-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.59", "-physics_oldroydb_viscosity", "0.41", "-physics_oldroydb_lambda", "0.1", "-polymer_variable", "stress", "-stabiliser", "split_oss"]
PARABOLA = "1.5*(1-y^2/4),0"


def channel(dim, n, cell, physics):
    """A jet into a channel 4 times as long as wide; n cells across."""
    sides = ["top", "bottom", "front", "back"][: 2 * dim - 2]
    size = ["0", "4", *["-1", "1"] * (dim - 1)]
    words = ["-mesh_box_faces", ",".join([str(2 * n)] + [str(n)] * (dim - 1)), "-mesh_box_lower", ",".join(size[::2]), "-mesh_box_upper", ",".join(size[1::2]), "-mesh_box_cell", cell]
    words += ["-bc_left_type", "inlet", "-bc_left_velocity", ("(1-y^4)" if dim == 2 else "(1-y^4)*(1-z^4)") + ",0" * (dim - 1), "-bc_right_type", "outlet", "-bc_right_form", "gradient"]
    words += [x for s in sides for x in (f"-bc_{s}_type", "wall")]
    return words + (physics if physics is NEWTONIAN else [*physics, "-bc_left_polymer", "rest", "-bc_right_polymer", "zero"])


def cylinder(n, physics, out):
    mesh = os.path.join(out, "cylinder.msh")
    subprocess.run(["gmsh", "-v", "2", "-format", "msh22", "-2", os.path.join(MESHES, "confined_cylinder.geo"), "-o", mesh, "-setnumber", "n", str(n)], check=True)
    words = ["-mesh_file", mesh, "-bc_wall_type", "wall", "-bc_cylinder_type", "wall", "-bc_axis_type", "symmetry", "-bc_outlet_form", "gradient", "-form_convection", "false"]
    for side in "inlet", "outlet":
        words += [f"-bc_{side}_type", side, f"-bc_{side}_velocity", PARABOLA] + ([] if physics is NEWTONIAN else [f"-bc_{side}_polymer", "developed"])
    return words + physics


def cases():
    """Name, dimension, sizes, function of a size and a folder to words."""
    for physics, fluid in (NEWTONIAN, "Newtonian"), (POLYMER, "Oldroyd-B"):
        yield f"2D channel, quads, {fluid}", (32, 64, 128, 200, 250), lambda n, out, p=physics: channel(2, n, "quadrilateral", p)
        if shutil.which("gmsh"):
            yield f"2D cylinder, quads, {fluid}", (14, 27, 54, 84, 108), lambda n, out, p=physics: cylinder(n, p, out)
        yield f"3D channel, hexes, {fluid}", (9, 12, 15, 18, 24), lambda n, out, p=physics: channel(3, n, "hexahedron", p)
        yield f"3D channel, tets, {fluid}", (9, 12, 15, 18, 24), lambda n, out, p=physics: channel(3, n, "tetrahedron", p)


def measure(program, words, solver, out, memory, factors):
    """Nodes, CPU seconds, peak GB, Newton's iterations, those of all linear solves; or a sentence in place of the seconds."""
    command = [program, "run", *words, "-case_name", "limits", "-scheme", "steady", "-device", "cpu", "-solver", solver, "-ksp_converged_reason", "-output_folder", os.path.join(out, solver)]
    command += ["-pc_factor_mat_solver_type", factors] if factors and solver == "direct" else []
    log = os.path.join(out, f"{solver}.log")
    with open(log, "w") as f:
        child = subprocess.Popen(command, stdout=f, stderr=subprocess.STDOUT, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (int(memory * 2**30),) * 2))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    with open(log) as f:
        text = f.read()
    nodes = re.search(r"limits: (\d+) nodes", text)
    nodes = int(nodes[1]) if nodes else 0
    if child.returncode:
        said = [line for line in text.splitlines() if line.startswith("rheoplex:")]
        return nodes, (said or ["ended without a sentence, as for want of memory"])[0].split(": the worst")[0], usage.ru_maxrss / 2**20, 0, 0
    newton = re.search(r"Newton: (\d+) iterations", text)
    return nodes, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20, int(newton[1]), sum(map(int, re.findall(r"Linear solve converged due to \w+ iterations (\d+)", text)))


def crossing(rows):
    """Nodes from which split is cheaper on; None: not within the meshes. rows: nodes, ratio of direct over split."""
    for (a, low), (b, high) in zip(rows, rows[1:]):
        if low < 1 <= high:
            return math.exp(math.log(a) + (math.log(b) - math.log(a)) * math.log(1 / low) / math.log(high / low))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("RHEOPLEX", "rheoplex"))
    parser.add_argument("--case", default="", help="cases whose name holds this alone")
    parser.add_argument("--least", type=int, default=0, help="nodes of the smallest mesh")
    parser.add_argument("--most", type=int, default=130000, help="nodes of the largest mesh")
    parser.add_argument("--memory", type=float, default=6.0, help="GB that a run may take")
    parser.add_argument("--factors", default="", help="package of the factors, as PETSc calls it")
    o = parser.parse_args()
    if not o.memory > 0 or not o.most > o.least >= 0:
        parser.error(f"--memory {o.memory} --least {o.least} --most {o.most}: expected a positive memory, and more nodes at most than at least")
    print("| case | nodes | direct: CPU s | GB | Newton, linear | split: CPU s | GB | Newton, linear |\n|---|---|---|---|---|---|---|---|")
    failed = 0
    crossings = []
    for name, sizes, words in cases():
        rows = []
        for n in sizes if o.case in name else ():
            about = (2 * n + 1) * (n + 1) ** (2 if name.startswith("3D") else 1) if "channel" in name else 9.4 * n * n
            if not o.least <= about <= o.most:
                continue
            with tempfile.TemporaryDirectory() as out:
                w = words(n, out)
                found = [measure(o.program, w, solver, out, o.memory, o.factors) for solver in ("direct", "split")]
            cells = [f"{t if isinstance(t, str) else f'{t:.1f}'} | {gb:.2f} | {newton}, {linear}" for _, t, gb, newton, linear in found]
            print(f"| {name} | {found[1][0]} | {' | '.join(cells)} |", flush=True)
            failed += isinstance(found[1][1], str)
            if not any(isinstance(t, str) for _, t, *_ in found):
                rows.append((found[0][0], found[0][1] / found[1][1]))
        if rows:
            crossings.append((name, crossing(rows), rows))
    for name, at, rows in crossings:
        print(f"{name}: " + (f"split is cheaper from {at:.0f} nodes on" if at else f"{'direct' if rows[-1][1] < 1 else 'split'} is the cheaper one on all, {rows[0][1]:.2f} to {rows[-1][1]:.2f} times as long by direct"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
