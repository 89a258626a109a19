"""Writes a report of the largest We that comes to rest in the double aneurysm, by representation and beta: write_largest_we.py
out.md. Re 100, 100 x 20 quads, Oldroyd-B, DEVSS theta 1, the case of options/aaa_re100_we05_logconf.yaml. Needs the
environment of share/validate_long."""
import os
import sys

import numpy as np
import provenance
import run

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
    with open(f"{target}.part", "w") as f:
        f.write("\n".join(head + body))
    os.replace(f"{target}.part", target)
    return 0


sys.exit(main(sys.argv[1]))
