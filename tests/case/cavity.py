"""Lid-driven cavity with projection and OSS: cavity.py 100 | 1000 | bdf2 (Re 1000, whatever step and integrator). Extrema of the
discrete solution (its nodal ones) against Marchi (2009) and Botella & Peyret (1998)."""
import sys

import numpy as np
import run
from gate import Gate

N = {100: 64, 1000: 96}


def centre_lines(fields, n):
    """u on x = 1/2 and v on y = 1/2 at the nodes, and the stream function at every node."""
    keep = fields.unique()
    x = fields.points[keep]
    order = np.lexsort((x[:, 1], x[:, 0]))
    u = fields["velocity"][keep][order].reshape(n + 1, n + 1, 3)
    x = x[order].reshape(n + 1, n + 1, 3)
    assert abs(x[n // 2, :, 0] - 0.5).max() < 1e-12 and abs(x[:, n // 2, 1] - 0.5).max() < 1e-12
    # psi(x, y) = integral of u dy from the bottom: exact for the bilinear velocity along grid lines
    dy = np.diff(x[:, :, 1], axis=1)
    psi = np.concatenate([np.zeros((n + 1, 1)), np.cumsum((u[:, 1:, 0] + u[:, :-1, 0]) / 2 * dy, axis=1)], axis=1)
    return u[n // 2, :, 0], u[:, n // 2, 1], psi


def main(re):
    gate = Gate(f"case_cavity_re{re}")
    result = run.rheoplex("run", f"{run.OPTIONS}/cavity_re{re}.yaml", out=run.folder("cavity"))
    u, v, psi = centre_lines(result.fields(), N[re])
    u_min, v_max, psi_min = float(u.min()), float(v.max()), float(psi.min())
    published = {row["quantity"]: float(row["value"]) for row in run.reference("cavity_extrema", re=re)}
    if re == 100:
        gate.near("u_min on x = 1/2 (Marchi 2009)", u_min, published["u_min"], 0.001)
        gate.near("v_max on y = 1/2 (Marchi 2009)", v_max, published["v_max"], 0.001)
        gate.note("psi_min", psi_min)
    else:
        gate.relative("psi_min (Botella & Peyret 1998)", psi_min, published["psi_min"], 0.007)
        gate.relative("u_min on x = 1/2 (Botella & Peyret 1998)", u_min, published["u_min"], 0.008)
        gate.note(f"v_max on y = 1/2 ({published['v_max']})", v_max)
    gate.note("time at rest, L/U", result.table("_history.csv")["t"][-1])
    gate.note("run time, s", result.seconds)
    return gate.finish()


def steps():
    """bdf2 from rest to rest by steps of 0.2 and 0.05 L/U, and 2 L/U from there on by rk4 with 0.008 and 0.004."""
    gate = Gate("case_cavity_bdf2")
    case = [f"{run.OPTIONS}/cavity_re1000.yaml", "-device", "cpu", "-scheme", "fractional_step"]
    by = lambda integrator, dt, *more: run.rheoplex("run", *case, "-scheme_fractional_step_integrator", integrator, "-scheme_fractional_step_dt", dt, *more, out=run.folder("cavity"))
    results = [by("bdf2", dt) for dt in (0.2, 0.05)]
    rest = results[0].checkpoint()[:, :2]
    gate.at_most("largest difference of the velocity", float(np.abs(rest - results[1].checkpoint()[:, :2]).max()), 1e-4)
    on = ["-case_restart", results[0].file("_checkpoint.h5"), "-stop_time", results[0].table("_history.csv")["t"][-1] + 2, "-stop_steady_tol", 0, "-diagnostic_history_every", 50]
    for dt in 0.008, 0.004:
        after = by("rk4", dt, *on)
        gate.at_most(f"rk4, dt {dt:g}: largest difference of the velocity", float(np.abs(rest - after.checkpoint()[:, :2]).max()), 1e-4)
        gate.at_most(f"rk4, dt {dt:g}: its rate", float(after.table("_history.csv")["du_dt"][-1]), 1e-6)
    published = {row["quantity"]: float(row["value"]) for row in run.reference("cavity_extrema", re=1000)}
    u, v, _ = centre_lines(results[0].fields(), N[1000])
    gate.relative("u_min on x = 1/2", float(u.min()), published["u_min"], 0.01)
    gate.relative("v_max on y = 1/2", float(v.max()), published["v_max"], 0.01)
    return gate.finish()


sys.exit(steps() if sys.argv[1] == "bdf2" else main(int(sys.argv[1])))
