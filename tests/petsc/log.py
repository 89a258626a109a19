"""PETSc's log of a run: flops of Rheoplex's events.  log.py <check> [cuda]"""
import csv
import sys

import run

CHANNEL = {"case_name": "channel", "mesh_box_faces": "8,6", "bc_left_type": "inlet", "bc_left_velocity": "y*(1-y),0", "bc_right_type": "outlet", "bc_right_polymer": "zero",
           "bc_bottom_type": "wall", "bc_top_type": "wall", "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": "0.05",
           "physics_oldroydb_viscosity": "0.03", "physics_oldroydb_lambda": "0.1", "stabiliser": "split_oss", "scheme_lumped_dt": "0.01",
           "stop_steps": "3", "pressure_ksp_rtol": "1e-13"}
DEVICE = "cpu"
FORM = ("RhxResidual", "RhxProject", "RhxDivergence", "RhxGradient")  # RhxFaces is inside the first


def true(what, good):
    print(f"{'ok  ' if good else 'FAIL'} {what}", flush=True)
    if not good:
        raise run.Failure(what)


def close(what, got, expected):
    true(f"{what}: {got:g}, expected {expected:g}", abs(got - expected) <= 1e-5 * expected and expected > 0)


def flops(np=1, device=None, **changes):
    """Of every event, in the sum of all ranks and stages."""
    out = run.folder("petsc_log")
    words = [w for k, v in {**CHANNEL, "device": device or DEVICE, **changes}.items() if v is not None for w in ("-" + k, str(v)) if w != ""]
    run.rheoplex("run", *words, "-log_view", f":{out}/log.csv:ascii_csv", out=out, np=np, timeout=300)
    total = {}
    for row in csv.DictReader(open(f"{out}/log.csv")):
        total[row["Event Name"]] = total.get(row["Event Name"], 0.0) + float(row["FLOP"])
    return total


def form(total):
    """Of the steps but for the pressure's solver."""
    return total["TSStep"] - total["RhxPressure"]


def counts():
    """A quadrilateral's divergence is 420 operations by hand: at each of 4 points 28 for J, 8 for its inverse, 24 for the gradients,
    15 for metric and size, 1 for the weight, 14 + 2 for div u and 12 for its 4 rows; and 4 to add these up."""
    one = flops()
    close("a divergence of 48 quadrilaterals, 3 steps", one["RhxDivergence"], 3 * 48 * 420)
    close("events add up to the step", sum(one[e] for e in FORM), form(one))
    heun = flops(scheme_lumped_stepper="heun")
    close("Heun's divergences", heun["RhxDivergence"], 2 * one["RhxDivergence"])
    fine = flops(mesh_box_faces="16,12")
    close("residuals of 4 times the elements", fine["RhxResidual"] - fine["RhxFaces"], 4 * (one["RhxResidual"] - one["RhxFaces"]))
    for event in ("RhxProject", "RhxGradient"):
        close(f"{event} of 4 times the elements", fine[event], 4 * one[event])
    close("RhxFaces of twice the faces", fine["RhxFaces"], 2 * one["RhxFaces"])
    two = flops(physics_oldroydb_modes="2")
    true("a second mode costs", one["RhxResidual"] * 1.2 < two["RhxResidual"] < 2 * one["RhxResidual"])
    law = flops(physics="newtonian,giesekus", physics_oldroydb_viscosity=None, physics_oldroydb_lambda=None, physics_giesekus_viscosity="0.03",
                physics_giesekus_lambda="0.1", physics_giesekus_alpha="0.2")
    true("a law's own operations count", law["RhxResidual"] > one["RhxResidual"])


def ranks():
    """But for the sums of halos, which PETSc counts."""
    for changes in ({}, {"mesh_box_cell": "mixed", "polymer_variable": "logconf"}):
        one = flops(**changes)
        for np in (2, 3):
            several = flops(np=np, **changes)
            close(f"{np} ranks, {changes}", sum(several[e] for e in FORM) - several["RhxHalo"], sum(one[e] for e in FORM))
            close("faces", several["RhxFaces"], one["RhxFaces"])


def device():
    """What the host logs, by graphs and launch by launch."""
    host = flops(device="cpu")
    for changes in ({}, {"scheme_lumped_graph": "false"}, {"scheme_lumped_stepper": "heun"}, {"scheme_lumped_rate": "zero"}):
        there, here = flops(**changes), flops(device="cpu", **changes) if changes else host
        close(f"the form's passes {changes}", form(there), form(here))
        true(f"the pressure's solver: {there['RhxPressure']:g}", there["RhxPressure"] > 0)


if __name__ == "__main__":
    DEVICE = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    try:
        globals()[sys.argv[1]]()
    except run.Failure as failure:
        sys.exit(f"FAILED: {failure}")
