"""A full disk: nothing that is not whole is listed or renamed, the former state stays, the run stops or goes on as asked,
with one sentence. full.py <library of full_disk.c> <ranks>"""
import os
import resource
import shutil
import subprocess
import sys

import numpy as np
import run
from gate import Gate

LIBRARY, RANKS = sys.argv[1], int(sys.argv[2])
CASE = [run.RHEOPLEX, "run", "-case_name", "flow", "-device", "cpu", "-mesh_box_faces", "12,10", "-bc_left_type", "wall", "-bc_right_type", "wall",
        "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2,0", "-physics", "newtonian,oldroydb",
        "-physics_newtonian_viscosity", "0.05", "-physics_oldroydb_viscosity", "0.05", "-physics_oldroydb_lambda", "0.3", "-stabiliser", "split_oss",
        "-scheme_lumped_dt", "1e-3", "-stop_steps", "20", "-case_report_every", "100"]
MANY = 10**12


def start(out, *options, space=MANY, failures=None, ranks=RANKS, limit=None):
    """Exit code, what the run says, its errors; space: of the folder in bytes."""
    os.makedirs(out, exist_ok=True)
    full = {"LD_PRELOAD": LIBRARY, "FULL_FOLDER": os.path.realpath(out), "FULL_BYTES": str(space)}
    if failures is not None:
        full["FULL_FAILURES"] = str(failures)
    command = ["env", *(f"{k}={v}" for k, v in full.items()), *map(str, CASE), "-output_folder", out, *map(str, options)]
    if ranks > 1:
        command = [os.environ["RHEOPLEX_MPIEXEC"], "-n", str(ranks)] + command
    environment = os.environ | {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
    before = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, preexec_fn=before)
    return run.Run(out, done, 0)


def size(out, *endings):
    return sum(os.path.getsize(f"{out}/{f}") for f in os.listdir(out) if not endings or f.endswith(endings))


def sentences(result, word):
    return [line for line in result.stderr.splitlines() if line.startswith(f"rheoplex: {word}: ")]


def whole(gate, what, out, steps):
    """The .pvd lists these steps, every .vtu is whole, nothing else is left."""
    times, files = run.series(f"{out}/flow.pvd")
    gate.true(f"{what}: listed {times}", [round(t / 1e-3) for t in times] == steps)
    gate.true(f"{what}: what is listed is whole", all(len(run.Fields(f).points) >= 143 for f in files))
    names = os.listdir(out)
    gate.true(f"{what}: no other fields, no temporary file", len([f for f in names if f.endswith(".vtu")]) == len(steps) and not any("tmp" in f for f in names))


def stopped(gate, what, result, *words):
    errors = sentences(result, "error")
    gate.near(f"{what}: exit code", result.rc, 1, 0)
    gate.true(f"{what}: one sentence: {errors}", len(errors) == 1 and all(w in errors[0] for w in words))
    gate.true(f"{what}: no stack, no signal", not any(w in result.stderr for w in ("HDF5-DIAG", "PETSC ERROR", "ignal: ")))


def fields(gate, base, free):
    every = ["-output_every", "5"]
    one = os.path.getsize(f"{free}/flow_000005.vtu")
    for space, what in ((2.9, "third file cut near its end"), (2.02, "third file cut at its head")):
        out = f"{base}/fields_{space}"
        result = start(out, *every, space=int(space * one) + size(free, ".yaml", ".csv", ".pvd"))
        stopped(gate, f"fields, {what}", result, "field output", "flow_000010.vtu", "No space left", "-output_folder", "last good state", "is not saved")
        whole(gate, f"fields, {what}", out, [0, 5])
    out = f"{base}/fields_on"
    result = start(out, *every, "-output_on_error", "continue", space=int(2.9 * one), failures=1)
    gate.near("fields, go on: exit code", result.rc, 0, 0)
    gate.true(f"fields, go on: one warning: {sentences(result, 'warning')}", len(sentences(result, "warning")) == 1 and "flow_000010.vtu" in result.stderr)
    gate.true("fields, go on: the summary counts it", "not written, see the warnings: 1 outputs" in result.stdout)
    whole(gate, "fields, go on", out, [0, 5, 15, 20])


def hdf(gate, base):
    """The same of .hdf.series and .hdf, beside no .vtu."""
    import h5py

    words = ["-output_every", "5", "-output_formats", "vtkhdf", "-stop_steps", "15"]
    free = f"{base}/hdf_free"
    start(free, *words)
    one = os.path.getsize(f"{free}/flow_000005.hdf")
    out = f"{base}/hdf"
    result = start(out, *words, "-output_on_error", "continue", space=int(2.9 * one), failures=1)
    gate.near("hdf, go on: exit code", result.rc, 0, 0)
    gate.true(f"hdf, go on: one warning: {sentences(result, 'warning')}", len(sentences(result, "warning")) == 1 and "flow_000010.hdf" in result.stderr and "No space left" in result.stderr)
    gate.true("hdf, go on: what is whole is there, no temporary file", sorted(f for f in os.listdir(out) if "hdf" in f) == ["flow.hdf.series"] + [f"flow_{s:06d}.hdf" for s in (0, 5, 15)])
    text = open(f"{out}/flow.hdf.series").read()
    gate.true("hdf, go on: listed", [f"flow_{s:06d}.hdf" in text for s in (0, 5, 10, 15)] == [True, True, False, True] and "fields: " in result.stdout and f"{out}/flow.hdf.series" in result.stdout)
    with h5py.File(f"{out}/flow_000015.hdf") as a, h5py.File(f"{free}/flow_000015.hdf") as b:
        gate.true("hdf, go on: the values are those of a run without fault", np.array_equal(a["VTKHDF/PointData/stress"][...], b["VTKHDF/PointData/stress"][...]))


def checkpoints(gate, base, free, good):
    one, rest = size(free, "_checkpoint.h5"), size(free, ".yaml", ".csv")
    options = ["-output_fields", "0", "-output_checkpoint_every", "5"]
    for space in (1.05, 1.5, 1.95):  # the second is cut in its head, in the state, near its end
        out = f"{base}/checkpoint_{space}"
        saved = space == 1.95  # without the rate, the last good state finds room
        result = start(out, *options, space=int(space * one) + rest)
        stopped(gate, f"checkpoint, {space}", result, "flow_checkpoint.h5 cannot be written", "No space left", "last good state (step 10", "last_good.h5", " is in " if saved else "is not saved")
        gate.true(f"checkpoint, {space}: no fields are named, there are none", "in the fields of" not in result.stderr)
        gate.true(f"checkpoint, {space}: the first cause is told first", result.stderr.find("_checkpoint.h5") < result.stderr.find("_last_good.h5"))
        gate.true(f"checkpoint, {space}: no temporary file", not any("tmp" in f for f in os.listdir(out)) and os.path.exists(f"{out}/flow_last_good.h5") == saved)
    more = start(out, "-case_restart", f"{out}/flow_checkpoint.h5", "-stop_steps", "20")
    gate.near("checkpoint: the former one goes on: exit code", more.rc, 0, 0)
    gate.near("checkpoint: from its step", float(more.table("_history.csv")["step"][5]), 6, 0)
    gate.true("checkpoint: to the state of a run without fault", np.array_equal(more.checkpoint(), good.checkpoint()))
    out = f"{base}/checkpoint_on"
    result = start(out, *options, "-output_on_error", "continue", space=int(1.5 * one) + rest)
    stopped(gate, "checkpoint, go on", result, "its state is not saved", "flow_checkpoint.h5")
    gate.true("checkpoint, go on: to the end", len(result.table("_history.csv")["step"]) == 20 and len(sentences(result, "warning")) == 1)
    gate.true("checkpoint, go on: each is counted", "not written, see the warnings: 3 outputs" in result.stdout)
    gate.true("checkpoint, go on: no state is named that is not there", "state for restart" not in result.stdout)
    out = f"{base}/checkpoint_fields"
    result = start(out, space=int(0.5 * one) + rest + size(free, "000000.vtu", ".pvd"))
    stopped(gate, "checkpoint after fields", result, "is not saved: checkpoint", f"; it is in the fields of {out}")
    out = f"{base}/checkpoint_freed"
    result = start(out, *options, "-output_on_error", "continue", space=int(1.5 * one) + rest, failures=2)
    gate.true("checkpoint, space is freed: the last one is there", result.rc == 0 and len(sentences(result, "warning")) == 1 and "warnings: 2 outputs" in result.stdout)
    gate.near("checkpoint, space is freed: difference", float(np.abs(result.checkpoint() - good.checkpoint()).max()), 0, 0)


def tables(gate, base, free):
    options = ["-output_fields", "0"]
    yaml, history = size(free, ".yaml"), open(f"{free}/flow_history.csv").read().splitlines(keepends=True)
    space = yaml + sum(map(len, history[:8])) + 20
    out = f"{base}/table"
    result = start(out, *options, space=space)
    stopped(gate, "table", result, "flow_history.csv cannot be written", "No space left", "last good state (step 8", "is not saved")
    lines = open(f"{out}/flow_history.csv").read().splitlines(keepends=True)
    gate.true(f"table: {len(lines)} lines, the last is whole", lines[-1].endswith("\n") and len(lines) in (7, 8) and lines[-1].count(",") == lines[0].count(","))
    out = f"{base}/table_on"
    result = start(out, *options, "-output_on_error", "continue", space=space, failures=1)
    steps = list(run.table(f"{out}/flow_history.csv")["step"])
    gate.true(f"table, go on: a line less: {steps}", len(steps) == 19 and steps[-1] == 20 and result.rc == 0 and len(sentences(result, "warning")) == 1)
    out = f"{base}/table_never"
    result = start(out, *options, "-output_on_error", "continue", space=space)
    told = [line for line in sentences(result, "warning") if "flow_history.csv" in line]
    gate.true(f"table, go on without space: 12 rows are lost, the 1st and the 10th are told: {told}", len(told) == 2 and "(for the 10th time)" in told[1])
    out = f"{base}/effective"
    result = start(out, *options, space=yaml // 2)
    stopped(gate, "effective", result, "flow_effective.yaml cannot be written", "No space left")
    gate.true(f"effective: nothing is left: {os.listdir(out)}", not os.listdir(out))


def limits(gate, base):
    """A limit on the size of files (ulimit -f) is no signal; tables of walls."""
    out = f"{base}/limit"
    result = start(out, "-mesh_box_faces", "90,4", "-output_fields", "0", "-diagnostic_wall", "bottom", "-output_on_error", "continue", "-stop_steps", "2",
                   ranks=1, limit=9000)
    stopped(gate, "limit", result, "its state is not saved", "File too large")
    gate.true(f"limit: warnings: {sentences(result, 'warning')}", [w in result.stderr for w in ("wall table", "_checkpoint.h5")] == [True, True])
    gate.true(f"limit: what is left: {sorted(os.listdir(out))}", sorted(os.listdir(out)) == ["flow_effective.yaml", "flow_history.csv"])


def removed(gate, base):
    """The folder is removed in the run: the next thing that is written says so."""
    for what, words, begun, file in (("tables", ["-output_fields", "0", "-diagnostic_q_kind", "flux", "-diagnostic_q_label", "top"], "flow_history.csv", ".csv"), ("fields", ["-diagnostic_history_every", "1000000", "-output_every", "50"], "flow_000050.vtu", "/flow")):  # whichever file is the next
        out = f"{base}/removed_{what}"
        process = subprocess.Popen([*map(str, CASE), "-output_folder", out, *words, "-stop_steps", "1000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        run.wait(lambda: os.path.exists(f"{out}/{begun}"), begun, process)
        os.rename(out, f"{out}_gone")
        shutil.rmtree(f"{out}_gone")
        try:
            text, errors = process.communicate(timeout=run.PATIENCE)
        finally:
            process.kill()
        stopped(gate, f"folder removed, {what}", run.Run(out, subprocess.CompletedProcess([], process.returncode, text, errors), 0), file, "cannot be written", "No such file", "-output_folder")


def main():
    gate = Gate(f"output_full_np{RANKS}")
    base = run.folder("full")
    free = f"{base}/free"
    good = start(free, "-output_every", "5")
    gate.near("a disk with space: exit code", good.rc, 0, 0)
    whole(gate, "a disk with space", free, [0, 5, 10, 15, 20])
    fields(gate, base, free)
    hdf(gate, base)
    checkpoints(gate, base, free, good)
    tables(gate, base, free)
    if RANKS == 1:
        limits(gate, base)
        removed(gate, base)
    return gate.finish()


sys.exit(main())
