"""Writes a report of the largest We that comes to rest in the double aneurysm, by representation and beta: write_largest_we.py
out.md. Re 100, 100 x 20 quads, Oldroyd-B, DEVSS theta 1, the case of options/aaa_re100_we05_logconf.yaml.

write_largest_we.py --newton [--only NAME] out.md: the largest Wi of steady states by Newton's method instead, by continuation in lambda, on the
confined cylinder, in the double aneurysm and in a channel, each on two meshes, and what ends it; that part of out.md is written anew, the rest
stays. Needs the environment of share/validate_long."""
import argparse
import os
import sys

import numpy as np
import provenance
import run

PART = "## Steady states by Newton's method"

STEPS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
END = 300.0  # D/U: a run that is not at rest by then counts as not at rest


def solve(variable, beta, weissenberg):
    """What became of a run: at rest or not, a line of the table."""
    result = run.rheoplex(
        "run", f"{run.OPTIONS}/aaa_re100_we05_logconf.yaml", "-mesh_file", f"{run.MESHES}/aaa_100x20.msh", "-polymer_variable", variable,
        "-physics_newtonian_viscosity", beta / 100, "-physics_oldroydb_viscosity", (1 - beta) / 100, "-physics_oldroydb_lambda", weissenberg,
        "-stop_time", END, "-diagnostic_history_every", "100", out=run.folder("largest_we"), expect=None, timeout=3000)
    history = result.table("_history.csv")
    t, residual, eigenvalue = (float(history[name][-1]) for name in ("t", "dc_dt", "min_eigenvalue"))
    rest = result.rc == 0 and max(residual, float(history["du_dt"][-1])) <= 1e-6
    if result.rc:
        return rest, f"blows up at t = {t:.1f}"
    c = result.fields()["conformation"]
    trace = float(np.max(c[:, 0] + c[:, 1]))
    state = f"at rest at t = {t:.0f}" if rest else f"residual {residual:.1e} at t = {t:.0f}"
    return rest, f"{state}; smallest eigenvalue {eigenvalue:.3g}, largest trace {trace:.4g}"


PROFILE = "1.5*(1-y^2/4),0"
CHANNEL = ("-case_name", "channel", "-mesh_box_lower", "0,0", "-mesh_box_upper", "8,2", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 0.59, "-physics_oldroydb_viscosity", 0.41,
           "-physics_oldroydb_lambda", 0.5, "-stabiliser", "devss,split_oss", "-form_convection", "false", "-bc_left_type", "inlet", "-bc_left_velocity", PROFILE, "-bc_left_polymer", "developed", "-bc_right_type", "outlet",
           "-bc_right_form", "gradient", "-bc_right_polymer", "developed", "-bc_right_velocity", PROFILE, "-bc_top_type", "wall", "-bc_bottom_type", "symmetry", "-scheme", "steady")
ANEURYSM = (f"{run.OPTIONS}/aaa_re100_we05_logconf.yaml", "-scheme", "steady", "-stop_steady_tol", 0, "-stop_min_time", 0, "-bc_inlet_ramp", 0, "-bc_outlet_ramp", 0)
CYLINDER = (f"{run.OPTIONS}/confined_cylinder_steady.yaml",)
# name, words, the two meshes (name, words), lambda from, by, to
FLOWS = (
    ("confined cylinder, beta 0.59", CYLINDER, (("1100 nodes", lambda: ("-mesh_file", run.gmsh("confined_cylinder.geo", "n10", ("n", 10)))), ("1900 nodes", lambda: ())), (0.1, 0.1, 1.5)),
    ("channel, beta 0.59", CHANNEL, (("28 x 7", lambda: ("-mesh_box_faces", "28,7")), ("56 x 14", lambda: ("-mesh_box_faces", "56,14"))), (0.5, 0.5, 5)),
    ("double aneurysm, Re 100, beta 0.9", ANEURYSM, (("50 x 10", lambda: ("-mesh_file", run.gmsh("aaa.geo", "aaa_50x10", ("nx", 50), ("ny", 10)))), ("100 x 20", lambda: ("-mesh_file", f"{run.MESHES}/aaa_100x20.msh"))), (0.25, 0.25, 5)),
)


def follow(words, variable, values, out, *more):
    first, by, last = values
    return run.rheoplex("run", *words, "-polymer_variable", variable, "-scheme_steady_continuation", f"physics_oldroydb_lambda={first}:{by}:{last}", "-device", "cpu", "-output_fields", "false",
                        "-output_checkpoint_every", 1, "-snes_max_it", 12, *more, out=out, expect=None, timeout=3000)


def fold_behind(words, variable, values, reached, result):
    """The value of lambda at which the branch turns, looked for by arc length from the last state, or None."""
    points = sorted(f for f in os.listdir(result.out) if "_point_" in f)
    if not points:
        return None
    along = follow(words, variable, (reached, values[1] / 8, values[2]), run.folder("largest_wi"), "-scheme_steady_continuation_type", "arclength", "-scheme_steady_continuation_points", 12,
                   "-case_restart", f"{result.out}/{points[-1]}")
    turns = [float(line.split()[-1]) for line in along.stdout.splitlines() if line.startswith("continuation:") and "fold at" in line]
    return turns[0] if turns else None


def branch(words, variable, values):
    """The largest lambda, the first at which c is not positive definite or None, and what ended it."""
    result = follow(words, variable, values, run.folder("largest_wi"))
    table = result.table("_history.csv") if any(f.endswith("_history.csv") for f in os.listdir(result.out)) else {"t": [], "min_eigenvalue": []}
    reached = float(table["t"][-1]) if len(table["t"]) else 0.0
    lost = next((float(t) for t, e in zip(table["t"], table["min_eigenvalue"]) if e <= 0), None)
    if result.rc == 0:
        return reached, lost, "the last value asked for"
    if not reached:
        raise run.Failure(f"{words}: no first state: {result.stderr.strip()}")
    turn = fold_behind(words, variable, values, reached, result)
    end = f"a fold at {turn:.4g}" if turn else "Newton's method (no fold within 12 steps of arc length)"
    return reached, lost, end


def newton(only):
    rows = []
    for name, words, meshes, values in FLOWS:
        if only not in name:
            continue
        for variable in ("stress", "logconf"):
            for mesh, more in meshes:
                reached, lost, end = branch((*words, *more()), variable, values)
                rows.append(f"| {name} | {variable} | {mesh} | {reached:g} | {'-' if lost is None else f'{lost:g}'} | {end} |")
                print(rows[-1], flush=True)
    return [PART, "", "Written by `write_largest_we.py --newton`: continuation in lambda (Wi or We; the mean velocity, or U, and the radius or D are 1) from rest at the first value, Oldroyd-B, steps halved up to six times where",
            "Newton's method does not converge. Where it ends, the branch is followed by arc length to see whether it turns. What two meshes do not share is no property of the flow: neither a fold",
            "nor a loss of definiteness that moves from one to the other. The conformation has the same discrete states as the stress, of which it is a linear function.", "", provenance.machine(), "",
            "| flow | representation | mesh | largest lambda | c indefinite from | ended by |", "|---|---|---|---|---|---|", *rows, ""]


def write(target, lines):
    with open(f"{target}.part", "w") as f:
        f.write("\n".join(lines))
    os.replace(f"{target}.part", target)
    return 0


def other_part(target, ours):
    """Lines of the file's other part."""
    if not os.path.exists(target):
        return []
    text = open(target).read().split("\n")
    cut = text.index(PART) if PART in text else len(text)
    return text[cut:] if ours == "rest" else text[:cut]


def main(target):
    rows, summary = [], {}
    for variable in ("stress", "conformation", "logconf"):
        for beta in (0.9, 0.5, 0.1):
            summary[variable, beta] = 0.0
            for weissenberg in STEPS:
                rest, what = solve(variable, beta, weissenberg)
                rows.append(f"| {variable} | {beta} | {weissenberg:g} | {what} |")
                print(rows[-1], flush=True)
                if not rest:
                    break
                summary[variable, beta] = weissenberg
    head = ["# Largest We that comes to rest", "", "Written by `share/validate_long`: double aneurysm, Re 100, 100 x 20 quads, Oldroyd-B, DEVSS theta 1, dt 0.01, from rest;",
            f"at rest: residuals below 1e-6 by t = {END:g} D/U. We is raised in steps until a run does not come to rest. A state at rest with a",
            "smallest eigenvalue below zero is no physical one.", "", provenance.line(), "",
            "| representation | beta 0.9 | beta 0.5 | beta 0.1 |", "|---|---|---|---|"]
    head += [f"| {v} | " + " | ".join(f"{summary[v, b]:g}" for b in (0.9, 0.5, 0.1)) + " |" for v in ("stress", "conformation", "logconf")]
    body = ["", "| representation | beta | We | |", "|---|---|---|---|", *rows, ""]
    return write(target, head + body + other_part(target, "rest"))


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--newton", action="store_true")
parser.add_argument("--only", default="", help="flows whose name holds this alone")
parser.add_argument("target")
given = parser.parse_args()
if given.newton:
    sys.exit(write(given.target, other_part(given.target, "newton") + newton(given.only)))
sys.exit(main(given.target))
