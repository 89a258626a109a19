"""What crosses between host and device: in the steps between two outputs no array, at an output what is written and no more;
between steps on two ranks neither, where halos go through memory that both sides reach.
Counted by the one wrapper of all copies and by its two events in -log_view; where PETSc has CUDA, also by the columns CpuToGpu
and GpuToCpu of all events, PETSc's own included. Exit code 77: no device. RHX_EMULATED: smaller meshes, fewer steps; quick: one mesh.

newton: the same of steps by Newton's method, solver points, on two meshes, by device_newton and the wrapper alone: PETSc's own copies are not
counted, and without CUDA its vectors and the preconditioner's matrix are on the host, so that a product takes one vector there and one back, a Newton
iteration five. Beside these clocks and sums cross, as many on any mesh."""
import json
import os
import re
import subprocess
import sys

import external
import numpy as np
import run
from gate import Gate, largest

EMULATED = bool(os.environ.get("RHX_EMULATED"))
FEW, MANY = (4, 24) if EMULATED else (10, 210)
CAVITY = ["-case_name", "cavity", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall"]
CASES = {
    "quads, Oldroyd-B": [*CAVITY, "-mesh_box_faces", "16,12" if EMULATED else "60,50", "-bc_top_velocity", "16*x^2*(1-x)^2,0", "-physics", "newtonian,oldroydb",
                         "-stabiliser", "devss,split_oss"],
    "tets, gls, Heun": [*CAVITY, "-mesh_box_cell", "tetrahedron", "-mesh_box_faces", "5,4,4" if EMULATED else "12,11,10", "-bc_front_type", "wall", "-bc_back_type", "wall", "-bc_top_velocity", "x*(1-x),0,0",
                        "-physics", "newtonian,oldroydb", "-stabiliser", "gls", "-scheme_lumped_stepper", "heun"],
}
LEVELS = ["-pressure_ksp_type", "graph_cg", "-pressure_pc_type", "graph_mg", "-pressure_pc_graph_mg_dense", "50"]
COMMON = ["-device", "cuda", "-physics_newtonian_viscosity", "0.05", "-physics_oldroydb_viscosity", "0.05", "-physics_oldroydb_lambda", "0.3", "-scheme_lumped_dt", "2e-4"]


def events(text):
    """Of every event of -log_view, all stages: calls, and with CUDA counts to the device and to the host."""
    rows = {}
    gpu = "CpuToGpu" in text
    for line in text[text.index("--- Event Stage"):].splitlines():
        words = line.split()
        if len(words) > 18 and re.fullmatch(r"\d+", words[1]) and re.fullmatch(r"[\d.]+", words[2]):
            found = (int(words[1]), *((int(words[-5]), int(words[-3])) if gpu else ()))
            rows[words[0]] = tuple(a + b for a, b in zip(rows.get(words[0], (0,) * len(found)), found))
    return rows


def logged(case, steps, *more):
    text = run.rheoplex("run", *CASES[case], *COMMON, "-stop_steps", steps, *more, "-log_view", out=run.folder("transfers")).stdout
    return events(text), "CpuToGpu" in text


def copies(rows):
    """Calls of the wrapper's events: to the device, to the host."""
    return tuple(rows.get(name, (0,))[0] for name in ("RhxCopyToDevice", "RhxCopyToHost"))


def crossings(rows):
    return {name: row[1:] for name, row in rows.items() if any(row[1:])}


def count_in_steps(gate, case, ranks):
    """No array in the steps of any rank."""
    solver = LEVELS if ranks > 1 else []
    timed = run.rheoplex("bench", *CASES[case], *COMMON, *solver, "-bench_what", "steps", "-bench_first", 5 * FEW, "-bench_last", 5 * FEW + MANY - FEW, "-output_folder", run.folder("transfers"), out="", np=ranks)
    line = json.loads(next(row for row in timed.stdout.splitlines() if row.startswith("{")))
    case = f"{case}, {ranks} rank" + "s" * (ranks > 1)
    gate.near(f"{case}: timed steps", line["steps"], MANY - FEW, 0)
    gate.near(f"{case}: arrays to the device in {MANY - FEW} steps", line["arrays_to_device"], 0, 0)
    gate.near(f"{case}: arrays to the host in {MANY - FEW} steps", line["arrays_to_host"], 0, 0)


def count_of_sources(gate):
    """A body force by a formula in t: the sources cross once a step, what conditions give does not."""
    case = "quads, a force that follows the time"
    timed = run.rheoplex("bench", *CASES["quads, Oldroyd-B"], *COMMON, "-form_body_force", "0.3*cos(6*t)*y,0", "-bench_what", "steps", "-bench_first", 5 * FEW, "-bench_last", 5 * FEW + MANY - FEW,
                         "-output_folder", run.folder("transfers"), out="")
    line = json.loads(next(row for row in timed.stdout.splitlines() if row.startswith("{")))
    gate.near(f"{case}: arrays to the device in {MANY - FEW} steps", line["arrays_to_device"], MANY - FEW, 0)
    gate.near(f"{case}: arrays to the host", line["arrays_to_host"], 0, 0)


def newton(gate):
    flow = {"physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.5, "physics_oldroydb_viscosity": 0.5, "physics_oldroydb_lambda": 0.3, "form_density": 3, "polymer_variable": "stress",
            "stabiliser": "devss,split_oss", "bc_left_type": "inlet", "bc_left_velocity": "4*y*(1-y),0", "bc_left_polymer": "rest", "bc_right_type": "outlet", "bc_top_type": "wall", "bc_bottom_type": "wall",
            "solver": "points", "device": "cuda", "output_fields": "false", "output_folder": run.folder("transfers")}
    schemes = {"steady": {"scheme_steady_continuation": "physics_oldroydb_lambda=0.2:0.1:0.5"}, "monolithic": {"scheme_monolithic_dt": 0.05, "stop_steps": 5}}
    for (scheme, words), (nx, ny) in [(s, n) for s in schemes.items() for n in ((8, 6), (16, 12))]:
        options = {**flow, "case_name": "newton", "mesh_box_faces": f"{nx},{ny}", "scheme": scheme, **words}
        done = subprocess.run([os.environ["RHX_NEWTON"], *(str(w) for key, value in options.items() for w in (f"-{key}", value))], capture_output=True, text=True, timeout=300)
        steps = [list(map(int, row.split())) for row in re.findall(r"^step \d+: ([\d ]+)$", done.stdout, re.M)][2:]
        gate.at_least(f"{scheme}, {nx} x {ny}: steps behind the first", len(steps), 3)
        vector = 48 * (nx + 1) * (ny + 1)
        for way, at in (("to the device", 3), ("to the host", 6)):
            name, found = f"{scheme}, {nx} x {ny}, {way}", [(step[1] + 5 * step[0] + 10, *step[1:3], *step[at : at + 3]) for step in steps]
            gate.at_most(f"{name}: vectors of PETSc over linear, 5 Newton iterations and 10", largest(arrays / most for most, _, _, arrays, _, _ in found), 1)
            gate.at_most(f"{name}: clocks and sums over these and 2 linear iterations", largest(scalars / (most + 2 * linear) for most, linear, _, _, scalars, _ in found), 1)
            beside = [(size - arrays * vector) / scalars for _, _, setups, arrays, scalars, size in found if at == 3 or not setups]  # a set-up brings the matrix to the host
            gate.at_most(f"{name}: bytes of each", largest(beside, default=0), 24)


def main():
    if sys.argv[1:] == ["newton"]:
        gate = Gate("device_transfers_newton")
        newton(gate)
        return gate.finish()
    gate = Gate("device_transfers")
    if not external.has_device():
        print("no device")
        return 77
    count_of_sources(gate)
    for case in list(CASES)[: 1 if sys.argv[1:] == ["quick"] else None]:
        for ranks in 1, 2:
            count_in_steps(gate, case, ranks)
        (few, gpu), (many, _) = logged(case, FEW), logged(case, MANY)
        gate.at_least(f"{case}: copies to the device, all of the set-up", copies(few)[0], 1)
        gate.near(f"{case}: copies to the host in {FEW} steps: the state for the output, the rate for the checkpoint, the limits of the first step", copies(few)[1], 3, 0)
        gate.true(f"{case}: {MANY} steps copy what {FEW} steps do: {copies(few)}, {copies(many)}", copies(few) == copies(many))
        outputs, _ = logged(case, MANY, "-output_every", (MANY - FEW) // 2)
        extra = np.subtract(copies(outputs), copies(many))
        gate.near(f"{case}: arrays to the host for two more outputs: the state each", extra[1], 2, 0)
        gate.near(f"{case}: arrays to the device for them", extra[0], 0, 0)
        if gpu:
            gate.true(f"{case}: the counts CpuToGpu and GpuToCpu of -log_view are those of {FEW} steps", crossings(few) == crossings(many))
            print(crossings(many))
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
