"""PETSc's log of a run: flops of Rheoplex's events.  log.py <check> [cuda]"""
import csv
import re
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
    """A quadrilateral's divergence is 336 operations by hand: at each of 4 points 28 for J, 3 for det J (its adjugate has none more), 28 + 12 for the
    gradients of both components times det J, 2 for their divergence, 2 for the weight and 8 for 4 rows; and 4 to add these up."""
    one = flops()
    close("a divergence of 48 quadrilaterals, 3 steps", one["RhxDivergence"], 3 * 48 * 336)
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


def go(*more, expect=0, np=1, out=None, **changes):
    words = [w for k, v in {**CHANNEL, "device": DEVICE, **changes}.items() if v is not None for w in ("-" + k, str(v)) if w != ""]
    return run.rheoplex("run", *words, *more, out=out or run.folder("petsc_log"), np=np, expect=expect, timeout=300)


def shares(text):
    """Per cent of the steps' time of residual, projections and pressure, by the summary."""
    return [float(share) for share in re.findall(r"(?:residual|projections|pressure) (\S+) %", text)]


def stages():
    """Set-up, steps and output are stages, with what belongs there, a residual that looks at the first time step too; the summary's shares are of all of them."""
    for np in (1, 2):
        out = run.folder("petsc_log")
        text = go("-log_view", f":{out}/log.csv:ascii_csv", "-output_every", "1", np=np, out=out).stdout
        rows = [(row["Stage Name"], row["Event Name"], float(row["Count"])) for row in csv.DictReader(open(f"{out}/log.csv"))]
        steps = {event: count for stage, event, count in rows if stage == "Steps"}
        true(f"{np} ranks: 3 steps and their residuals in their stage", steps.get("TSStep") == 3 and steps.get("RhxResidual") == 3 + 1)
        true("none elsewhere", not any(count for stage, event, count in rows if event in ("TSStep", *FORM) and stage != "Steps"))
        true("stages", {"Set-up", "Steps", "Output"} <= {stage for stage, _, _ in rows})
        parts = shares(text)
        true(f"shares of a step {parts}", len(parts) == 3 and min(parts) > 0 and sum(parts) < 100)


def options():
    """Options of PETSc's log, memory, views and solvers: each does what PETSc's manual says, or is refused."""
    text = go("-options_left").stdout
    true("-options_left: nothing unused", "There are no unused options" in text)
    result = go("-malloc_debug", "-malloc_dump", "-malloc_view")
    true("-malloc_debug, -malloc_dump: no leak", "[0]PetscMallocDump" not in result.stdout + result.stderr and not re.search(r"^\[ *0\] *[1-9]\d* bytes", result.stdout, re.M))
    true("-malloc_view", "Maximum memory PetscMalloc()ed" in result.stdout)
    true("-memory_view", "Summary of Memory Usage" in go("-memory_view").stdout)
    true("-options_view", "-mesh_box_faces 8,6" in go("-options_view").stdout)
    true("-log_trace", "Event begin: TSStep" in go("-log_trace").stdout)
    true("-dm_view", "DM Object: mesh" in go("-dm_view").stdout)
    true("-mat_view ::ascii_info", "Mat Object" in go("-mat_view", "::ascii_info").stdout)
    cg = ("-pressure_ksp_type", "cg", "-pressure_pc_type", "jacobi")
    for view in ("-pressure_ksp_view", "-pressure_ksp_view_pre"):
        true(view, "KSP Object: (pressure_)" in go(*cg, view).stdout)
    true("-pressure_ksp_converged_reason: a line a solve", len(re.findall(r"Linear pressure_ solve converged", go(*cg, "-pressure_ksp_converged_reason").stdout)) == 3)
    true("-pressure_ksp_monitor", len(re.findall(r"^ *0 KSP Residual norm", go(*cg, "-pressure_ksp_monitor").stdout, re.M)) == 3)
    true("-vec_type", go("-vec_type", "standard").rc == 0)
    true("-sf_type on two ranks: of PETSc's own messages", go("-sf_type", "neighbor", np=2).rc == 0)
    bad = go("-sf_type", "nosuch", np=2, expect=None)
    true("and no other name", bad.rc == 1 and "nosuch" in bad.stderr)
    for words in (("-vec_type", "nosuch"), ("-vec_view",), ("-nosuch_view",), ("-pressure_nosuch_view",), ("-pressure_ksp_view_nosuch",), ("-log_nosuch",),
                  ("-malloc_nosuch",), ("-objects_view",), ("-mat_type", "aij"), ("-dm_plex_box_faces", "2,2"), ("-dm_coarsen", "1"), ("-sf_type", "basic"),
                  ("-snes_view",), ("-ksp_view",), ("-pc_type", "jacobi")):
        bad = go(*words, expect=None)
        lines = bad.stderr.splitlines()
        true(f"{' '.join(words)}: {lines[:1]}", bad.rc == 1 and len(lines) == 1 and (words[0] in lines[0] or words[-1] in lines[0]))


def nested():
    """PETSc's nested logs are whole where they are asked for before PETSc begins, and refused in a case; the shares of the summary stay."""
    for np, form in ((1, "ascii_xml"), (2, "ascii_xml"), (1, "ascii_flamegraph")):
        out = run.folder("petsc_log")
        result = go("-log_view", f":{out}/log.txt:{form}", "-log_threshold", "0", np=np, out=out)  # every event, however short
        text = open(f"{out}/log.txt").read()
        true(f"{form}, np {np}: the run's events", all(event in text for event in FORM))
        parts = shares(result.stdout)
        true(f"shares of a step {parts}", len(parts) == 3 and min(parts) > 0)
        true("its end", form != "ascii_xml" or text.rstrip().endswith("</root>"))
    out = run.folder("petsc_log")
    with open(f"{out}/case.yaml", "w") as f:
        f.write("".join(f"{key}: '{value}'\n" for key, value in {**CHANNEL, "log_view": f":{out}/log.txt:ascii_xml"}.items()))
    bad = run.rheoplex("run", f"{out}/case.yaml", "-device", DEVICE, out=out, expect=None)
    lines = bad.stderr.splitlines()
    true(f"in a case: {lines[:1]}", bad.rc == 1 and len(lines) == 1 and "-log_view" in lines[0] and "command line" in lines[0])


def device():
    """What the host logs, by graphs and launch by launch."""
    host = flops(device="cpu")
    for changes in ({}, {"scheme_lumped_graph": "false"}, {"scheme_lumped_stepper": "heun"}, {"scheme_lumped_rate": "zero"}):
        there, here = flops(**changes), flops(device="cpu", **changes) if changes else host
        close(f"the form's passes {changes}", form(there), form(here))
        true(f"the pressure's solver: {there['RhxPressure']:g}", there["RhxPressure"] > 0)
    graph = ("-pressure_ksp_type", "graph_cg", "-pressure_pc_type", "graph_mg")
    result = go(*graph, "-pressure_ksp_view", "-pressure_ksp_converged_reason", "-malloc_debug", "-malloc_dump")
    true("a graph's -pressure_ksp_view", result.stdout.count("KSP Object: (pressure_)") == 3 and "type: graph_cg" in result.stdout)
    true("-pressure_ksp_converged_reason", result.stdout.count("Linear pressure_ solve converged") == 3)
    true("no leak", "PetscMallocDump" not in result.stdout + result.stderr)
    bad = go(*graph, "-pressure_ksp_view_solution", expect=None)
    true(f"-pressure_ksp_view_solution: {bad.stderr.strip()}", bad.rc == 1 and "-pressure_ksp_view_solution" in bad.stderr and len(bad.stderr.splitlines()) == 1)


if __name__ == "__main__":
    DEVICE = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    try:
        globals()[sys.argv[1]]()
    except run.Failure as failure:
        sys.exit(f"FAILED: {failure}")
