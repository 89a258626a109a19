"""What diagnostics know besides their tables goes on after a restart: averages of fields and walls, Strouhal numbers, -stop_settled."""
import os
import re
import sys

import h5py
import numpy as np
import run
from gate import Gate, largest

BASE = ["run", "-case_name", "r", "-device", "cpu", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.3", "-physics_oldroydb_viscosity", "0.4", "-physics_oldroydb_lambda", "0.05",
        "-stabiliser", "split_oss", "-form_density", "1.3", "-scheme_lumped_dt", "1e-3", "-output_fields", "0", "-pressure_ksp_rtol", "1e-13", "-case_report_every", "1000"]
SIDES = [w for label in ("bottom", "top") for w in (f"-bc_{label}_type", "wall")] + ["-bc_left_type", "inlet", "-bc_right_type", "outlet", "-bc_right_polymer", "zero"]
PLANE = [*BASE, *SIDES, "-mesh_box_faces", "6,5", "-mesh_box_cell", "mixed"]
PULSES = ["-bc_left_velocity", "6*y*(1-y)*(1+0.5*sin(2*pi*t/0.008)),0"]
SPACE = [*BASE, *SIDES, "-mesh_box_faces", "3,2,2", "-bc_front_type", "wall", "-bc_back_type", "wall", "-bc_left_velocity", "y*(1-y)*z*(1-z)*(1+100*t),0,0"]
MEANS = {"of the last period": ["kind", "average", "fields", "velocity,stress", "every", "3", "start", "0.004", "period", "0.012"], "since a start": ["kind", "average", "fields", "pressure", "start", "0.0025"]}
WALLS = ["kind", "wall_average", "label", "top,bottom", "every", "2", "period", "0.01"]


def named(name, words):
    return [w for k, v in zip(words[::2], words[1::2]) for w in (f"-diagnostic_{name}_{k}", v)]


DIAGNOSTICS = [*named("a", MEANS["of the last period"]), *named("b", MEANS["since a start"]), *named("w", WALLS), *named("s", ["kind", "flux", "label", "left", "strouhal", "left_flux", "strouhal_periods", "3"])]


def parts(case, steps, ranks, *words):
    """Runs that go on one after another, each on its ranks; the last of them."""
    out, done = run.folder("restart"), None
    for end, np_ in zip(steps, ranks):
        again = ["-case_restart", done.file("_checkpoint.h5")] if done else []
        done = run.rheoplex(*case, *words, *again, "-stop_steps", end, out=out, np=np_)
        if again and "begins anew" in done.stdout:
            raise run.Failure(done.stdout)
    return done


def arrays(done, name):
    f = run.Fields(done.file(f"_{name}.vtu"))
    rows = f.unique()
    return f.points[rows], {k: v[rows] for k, v in f.arrays.items()}


def apart(a, b):
    """Largest difference by the largest value; a and b: tables or arrays by name."""
    if sorted(a) != sorted(b):
        return np.nan
    return largest(float(np.abs(a[k] - b[k]).max()) / max(float(np.abs(b[k]).max()), 1e-30) if a[k].shape == b[k].shape else np.nan for k in b)


def strouhal(done):
    return [float(v) for v in re.search(r"s left_flux: St = (\S+) \((\S+) 1/s\), mean (\S+), amplitude ([^,]+), by its last (\d+) periods", done.stdout).groups()]


def compare(gate, what, done, whole, tol):
    for name in ("a", "b"):
        x, values = arrays(done, name)
        y, wanted = arrays(whole, name)
        gate.true(f"{what}, average {name}: points", np.array_equal(x, y))
        gate.at_most(f"{what}, average {name}: {len(wanted)} fields", apart(values, wanted), tol)
    for label in ("top", "bottom"):
        gate.at_most(f"{what}, wall {label}", apart(done.table(f"_w_{label}.csv"), whole.table(f"_w_{label}.csv")), 10 * tol)  # a gradient among its columns has a digit less
    gate.at_most(f"{what}: Strouhal number, frequency, mean, amplitude, periods", float(np.abs(np.array(strouhal(done)) / np.array(strouhal(whole)) - 1).max()), tol)


def rows(gate):
    """Tables by steps, by time and the history are those of one run, also behind a stop between their rows; the stop itself has a row."""
    tables = ["-diagnostic_history_every", 4, *named("q", ["kind", "flux", "label", "left", "every_dt", "0.004"]), *named("r", ["kind", "flux", "label", "left", "every", "3", "every_dt", "0.004"]), *named("s", ["kind", "flux", "label", "left", "every", "4"])]
    for ranks, stops in ([1, 1], [13, 26]), ([2, 1], [12, 26]), ([1, 1, 2], [3, 16, 26]):
        whole, done = parts([*PLANE, *PULSES], [26], [1], *tables), parts([*PLANE, *PULSES], stops, ranks, *tables)
        for name in ("q", "r", "s", "history"):
            got, wanted = (run_.table(f"_{name}.csv")["step"] for run_ in (done, whole))
            gate.true(f"stops at {stops}: steps of {name}: {list(map(int, got))}", list(got) == list(wanted) and wanted[-1] == 26)
    gate.true("what is asked for", list(whole.table("_q.csv")["step"]) == [4, 8, 12, 16, 20, 24, 26] and list(whole.table("_r.csv")["step"]) == [3, 4, 6, 8, 9, 12, 15, 16, 18, 20, 21, 24, 26])
    first = run.rheoplex(*PLANE, *PULSES, *tables, "-stop_steps", 13, out=run.folder("restart"))
    gate.true("a run that ends between rows", [list(first.table(f"_{name}.csv")["step"])[-1] for name in ("q", "s", "history")] == [13, 13, 13])


def averages(gate):
    whole = parts([*PLANE, *PULSES], [40], [1], *DIAGNOSTICS, "-output_formats", "vtkhdf,vtu")
    a = arrays(whole, "a")[1]
    with h5py.File(whole.file("_a.hdf")) as file:
        data, wanted = file["VTKHDF/PointData"], run.Fields(whole.file("_a.vtu")).arrays
        gate.true("averages as VTKHDF: the same fields, bit by bit", len(wanted) == 4 and sorted(data) == sorted(wanted) and all(np.array_equal(data[k][...], wanted[k]) for k in data))
    alone = parts([*PLANE, *PULSES], [3], [1], *named("b", MEANS["since a start"]), "-output_formats", "vtkhdf")
    gate.true("and as that alone", [n for n in sorted(os.listdir(alone.out)) if n.startswith("r_b.")] == ["r_b.hdf"])
    gate.at_least("the fields move", float(a["velocity_rms"].max()), 0.05)
    # a checkpoint of step 25, at which the restart from step 24 has not seen the walls yet
    compare(gate, "3 parts, np 1", parts([*PLANE, *PULSES], [11, 24, 40], [1, 1, 1], *DIAGNOSTICS, "-output_checkpoint_every", "25"), whole, 0)
    compare(gate, "2 parts, np 2 and 3", parts([*PLANE, *PULSES], [19, 40], [2, 3], *DIAGNOSTICS), whole, 1e-12)
    space = parts(SPACE, [9], [1], *named("w", WALLS))
    split = parts(SPACE, [5, 9], [2, 3], *named("w", WALLS))
    for label in ("top", "bottom"):
        x, values = arrays(split, f"w_{label}")
        y, wanted = arrays(space, f"w_{label}")
        gate.true(f"walls in space, {label}: points", np.array_equal(x, y))
        gate.at_most(f"walls in space, {label}, np 2 and 3", apart({k: values[k] for k in ("mean", "magnitude", "osi")}, {k: wanted[k] for k in ("mean", "magnitude", "osi")}), 1e-12)


def anew(gate):
    first = parts([*PLANE, *PULSES], [9], [1], *DIAGNOSTICS)
    saved = first.file("_checkpoint.h5")
    again = run.rheoplex(*PLANE, *PULSES, *DIAGNOSTICS, "-diagnostic_a_start", "0.005", "-diagnostic_b_fields", "pressure,velocity", *named("n", MEANS["since a start"]), "-case_restart", saved, "-stop_steps", "30", out=run.folder("restart"))
    said = re.findall(r"nothing to go on with of the diagnostic '(\w+)': it begins anew", again.stdout)
    gate.true(f"another start, other fields, a new one: each begins anew, in a line: {said}", sorted(said) == ["a", "b", "n"])
    fresh = run.rheoplex(*PLANE, *PULSES, *named("b", MEANS["since a start"]), "-case_restart", saved, "-diagnostic_b_fields", "velocity", "-stop_steps", "30", out=run.folder("restart"))
    gate.at_most("begun anew: as if from the restart on", apart({"v": arrays(again, "b")[1]["velocity_mean"]}, {"v": arrays(fresh, "b")[1]["velocity_mean"]}), 0)
    for what, words in ("another start", ["-diagnostic_w_start", "0.005"]), ("other walls", ["-diagnostic_w_label", "bottom,top"]):
        walls = run.rheoplex(*PLANE, *PULSES, *DIAGNOSTICS, *words, *named("v", WALLS), *[word.replace("_w_", "_v_") for word in words], "-case_restart", saved, "-stop_steps", "30", out=run.folder("restart"))
        for label in ("top", "bottom"):
            gate.at_most(f"walls begun anew by {what}, {label}: as those that are new", apart(walls.table(f"_w_{label}.csv"), walls.table(f"_v_{label}.csv")), 0)
    part = [*named("w", [*WALLS[:3], "top", *WALLS[4:]]), *named("s", ["kind", "flux", "label", "left"])]
    begun = parts([*PLANE, *PULSES], [9], [1], *part).file("_checkpoint.h5")
    both = named("w", [*WALLS[:3], "top,bottom", *WALLS[4:]])
    more = run.rheoplex(*PLANE, *PULSES, *part, *both, *named("s", ["strouhal", "left_flux"]), "-case_restart", begun, "-stop_steps", "30", out=run.folder("restart"))
    goes, new = parts([*PLANE, *PULSES], [9, 30], [1, 1], *part), run.rheoplex(*PLANE, *PULSES, *named("v", WALLS), "-case_restart", begun, "-stop_steps", "30", out=run.folder("restart"))
    for what, line in ("a wall that is new", "lacks of the diagnostic 'w' the wall 'bottom': that begins anew, the rest goes on"), ("a column that is new", "lacks of the diagnostic 's' the rows of -diagnostic_s_strouhal: that begins anew"):
        gate.true(f"{what}: {line}", line in more.stdout and "nothing to go on with" not in more.stdout)
    gate.at_most("the wall that was there goes on", apart(more.table("_w_top.csv"), goes.table("_w_top.csv")), 0)
    gate.at_most("the new one begins anew", apart(more.table("_w_bottom.csv"), new.table("_v_bottom.csv")), 0)
    cycle = ["kind", "periodicity", "every_dt", "0.004"]
    settling = [*named("c", cycle), *named("s", ["kind", "flux", "label", "left"])]
    begun = parts([*PLANE, *PULSES], [6], [1], *settling).file("_checkpoint.h5")
    for words in [], named("c", ["strouhal", "period"]):
        again = run.rheoplex(*PLANE, *PULSES, *settling, *words, "-case_restart", begun, "-stop_steps", "17", out=run.folder("restart"))
        gate.true(f"periods go on, with {words}", list(again.table("_c.csv")["period"])[-2] == 4)
    at = lambda *points: [*named("p", ["kind", "probe", "points", ",".join(points), "fields", "velocity", "strouhal", "velocity_x_0"]), *named("h", ["kind", "harmonics", "of", "p", "column", "velocity_x_0", "frequency", "125"])]
    begun = parts([*PLANE, *PULSES], [20], [1], *at("0.5", "0.5")).file("_checkpoint.h5")
    for what, points, moved in ("the same points", ("0.5", "0.5"), False), ("with blanks", ("0.5", " 0.5"), False), ("others", ("0.5", "0.9"), True):
        again = run.rheoplex(*PLANE, *PULSES, *at(*points), "-case_restart", begun, "-stop_steps", "30", out=run.folder("restart"))
        gate.true(f"a probe at {what}: {moved}", all((text in again.stdout) == moved for text in ("the diagnostic 'p' is another measurement than that of", "lacks of the diagnostic 'p' the rows of -diagnostic_p_strouhal", "nothing to go on with of the diagnostic 'h'")))
    again = run.rheoplex("run", begun.replace("_checkpoint.h5", "_effective.yaml"), "-case_restart", begun, "-stop_steps", "30", out=run.folder("restart"))
    gate.true("by the run's own file of options: it goes on", not any(text in again.stdout for text in ("another measurement", "begins anew")))
    former = run.rheoplex(*PLANE, *PULSES, *DIAGNOSTICS, "-stop_steps", "9", out=run.folder("restart"))
    with h5py.File(former.file("_checkpoint.h5"), "a") as f:
        means = f["diagnostics/b/pressure"]
        for name in [n for n in means if n.startswith("variance_")]:
            means.move(name, name.replace("variance_", "square_"))
    again = run.rheoplex(*PLANE, *PULSES, *DIAGNOSTICS, "-case_restart", former.file("_checkpoint.h5"), "-stop_steps", "12", out=run.folder("restart"))
    gate.true("averages of a checkpoint that has squares for variances begin anew, the others go on", re.findall(r"diagnostic '(\w+)': it begins anew", again.stdout) == ["b"])
    finer = run.rheoplex(*PLANE, *PULSES, *DIAGNOSTICS, "-mesh_box_cell", "quadrilateral", "-case_restart", saved, "-case_restart_mesh", "map", "-stop_steps", "12", out=run.folder("restart"))
    gate.near("onto another mesh of as many nodes: all begin anew", finer.stdout.count("begins anew"), 4, 0)


def settled(gate):
    words = ["-bc_left_velocity", "6*y*(1-y),0", "-stop_settled", "d:0.02:0.02", *named("d", ["kind", "pressure_difference", "label", "left,right", "every", "2"])]
    whole = run.rheoplex(*PLANE, *words, "-stop_steps", "1000", out=run.folder("restart"))
    end = int(whole.table("_history.csv")["step"][-1])
    gate.true(f"a run that settles at step {end}", "settled: -stop_settled d" in whole.stdout and 30 < end < 999)
    first = run.rheoplex(*PLANE, *words, "-stop_steps", end - 7, out=run.folder("restart"))
    rest = run.rheoplex(*PLANE, *words, "-stop_steps", "1000", "-case_restart", first.file("_checkpoint.h5"), out=run.folder("restart"))
    gate.near("stopped within its window and restarted it settles at the same step", rest.table("_history.csv")["step"][-1], end, 0)


def main():
    gate = Gate("diagnostics_restart")
    rows(gate)
    averages(gate)
    anew(gate)
    settled(gate)
    return gate.finish()


sys.exit(main())
