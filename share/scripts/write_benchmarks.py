"""Runs the speed cases and writes benchmarks.md: write_benchmarks.py <build folder> out.md"""
import csv
import json
import os
import subprocess
import sys
import tempfile

import provenance

ROOT = os.path.dirname(os.path.dirname(provenance.HERE))
OLDROYD = ["-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.009", "-physics_oldroydb_viscosity", "0.001", "-physics_oldroydb_lambda", "0.2835"]
AAA = [f"{ROOT}/options/aaa_re100.yaml", "-mesh_file", f"{ROOT}/meshes/aaa_200x40.msh", "-stop_steady_tol", "0"]
GLS = ["-stabiliser", "gls"]


def channel(build):
    return ["-case_name", "channel", "-mesh_file", f"{build}/channel3d_200k.msh", *OLDROYD, "-stabiliser", "devss,split_oss", "-scheme_lumped_dt", "0.001",
            "-bc_inlet_type", "inlet", "-bc_inlet_velocity", "2*(1-4*y^2)*(1-4*z^2),0,0", "-bc_wall_type", "wall",
            "-bc_outlet_type", "outlet", "-bc_outlet_polymer", "zero", "-output_fields", "false"]


def measure(build, words, steps, ranks):
    """Nodes, seconds of stepping, and (count, seconds of the slowest rank) by log event."""
    with tempfile.TemporaryDirectory() as out:
        command = [f"{build}/bin/rheoplex", "run", *words, "-stop_steps", str(steps), "-output_folder", out, "-diagnostic_history_every", str(steps),
                   "-log_view", f":{out}/log.csv:ascii_csv"]
        if ranks > 1:
            command = ["mpiexec", "-n", str(ranks), "--bind-to", "core"] + command
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        nodes = int(next(line for line in done.stdout.splitlines() if " nodes," in line).split(" nodes,")[0].split()[-1])
        seconds = float(next(line for line in done.stdout.splitlines() if "wall time:" in line).split("steps")[1].split("s")[0])
        events = {}
        with open(f"{out}/log.csv") as f:
            for row in csv.DictReader(f, skipinitialspace=True):
                name = row["Event Name"]
                count, time = events.get(name, (0, 0.0))
                events[name] = (max(count, int(float(row["Count"]))), max(time, float(row["Time"])))
    return nodes, seconds, events


def split(build, words, steps, ranks):
    """Microseconds a node and step: residual, projections, pressure, rest, whole."""
    nodes, seconds, events = measure(build, words, steps, ranks)
    scale = 1e6 / (nodes * steps)
    parts = [events[name][1] * scale for name in ("RhxResidual", "RhxProject", "RhxPressure")]
    return nodes, parts + [seconds * scale - sum(parts), seconds * scale]


def table(build):
    lines = ["| case | nodes | cores | residual | projections | pressure | rest | whole |", "|---|---|---|---|---|---|---|---|"]
    ratios = []
    for name, words, steps in (("AAA 200 x 40, devss,split_oss", AAA, 400), ("3D hex channel, devss,split_oss", channel(build), 20)):
        element = []
        for ranks in (1, 2):
            nodes, parts = split(build, words, steps, ranks)
            element.append(parts[0] + parts[1])
            lines.append(f"| {name} | {nodes} | {ranks} | " + " | ".join(f"{v:.3f}" for v in parts) + " |")
            print(lines[-1], flush=True)
        ratios.append(f"{name}: residual and projections {element[0] / element[1]:.2f} times as fast on two cores as on one.")
    return lines, ratios


def evaluations(build):
    """One evaluation of the whole residual with gls, Oldroyd-B in stress, one core."""
    lines = ["| cells | nodes | microseconds a node | aim |", "|---|---|---|---|"]
    for name, words, steps, aim in (("quads, AAA 200 x 40", AAA, 400, 0.15), ("hexes, 3D channel", channel(build), 20, 0.8)):
        nodes, _, events = measure(build, [*words, *GLS], steps, 1)
        count, seconds = events["RhxResidual"]
        lines.append(f"| {name} | {nodes} | {1e6 * seconds / (nodes * count):.3f} | {aim} |")
        print(lines[-1], flush=True)
    return lines


def law_time(build, dim, law, variable):
    """Microseconds a node of one residual; None where law and representation do not go together."""
    walls = ["bottom", "left", "right", "top"] + (["front", "back"] if dim == 3 else [])
    with tempfile.TemporaryDirectory() as out:
        command = [f"{build}/bin/rheoplex", "bench", "-case_name", "laws", "-mesh_box_faces", "96,96" if dim == 2 else "20,20,20",
                   "-physics", f"newtonian,{law}", "-polymer_variable", variable, "-stabiliser", "devss,split_oss", "-output_folder", out]
        for wall in walls:
            command += [f"-bc_{wall}_type", "wall"]
        done = subprocess.run(command, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if line.startswith("{") and json.loads(line)["kernel"] == "residual":
            return json.loads(line)["us_per_node"]
    if "no linear spring" in done.stderr + done.stdout:
        return None
    sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")


def laws(build):
    """Every polymeric law and representation, relative to Oldroyd-B in stress."""
    names = ["oldroydb", "johnson_segalman", "white_metzner", "ptt", "giesekus", "fene_p", "fene_cr"]
    lines = ["| law | " + " | ".join(f"{d}D {v}" for d in (2, 3) for v in ("stress", "conformation", "logconf")) + " |", "|---|" + "---|" * 6]
    base = {dim: law_time(build, dim, "oldroydb", "stress") for dim in (2, 3)}
    for law in names:
        cells = []
        for dim in (2, 3):
            for variable in ("stress", "conformation", "logconf"):
                t = law_time(build, dim, law, variable)
                cells.append("-" if t is None else f"{t:.3f} ({t / base[dim]:.2f})")
        lines.append(f"| {law} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return lines


def main(build, target):
    split_lines, ratios = table(build)
    text = ["# Speed on the CPU", "", "Written by `share/benchmark`; Oldroyd-B in stress with solvent, `-DRHX_ARCH=native`.", "", provenance.line(), "",
            "## A step, microseconds a node", "", *split_lines, "", *ratios, "",
            "## One evaluation of the residual: `gls`, one core", "", *evaluations(build), "",
            "## One evaluation of the residual by law and representation", "",
            "`devss,split_oss`, quads (2D) and hexes (3D), one core: microseconds a node (relative to Oldroyd-B in stress; aims for log c: 2.5 in",
            "2D, 4 in 3D).", "", *laws(build), ""]
    with open(target, "w") as f:
        f.write("\n".join(text))
    print(f"written: {target}")


main(*sys.argv[1:])
