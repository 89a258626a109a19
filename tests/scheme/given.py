"""Steady states along what conditions give: continuation in t, the time of their formulas. given.py
  follow <np>  flow rate and velocity of an inlet: the states are those of single runs, by value and by arc length, on from a point; what is refused
  force <np>   a driving force by arc length through both folds of a flow curve that falls, a mean velocity by value past them: closed forms
  partners     options that do nothing without another one are refused, but for what the file of a run has of them
  slopes <np>  sensitivities with respect to t
  about <np>   modes about a state of a checkpoint
  time <np>    a run in time from a state of a continuation begins at the time of its conditions, and the continuation's results stay
  levels       a pressure that grows along a branch, and a restart from a point of it
  heat         scalar fields through labels whose film and flux are formulas in t: sensitivities, and rows along a branch
  falls        a parameter that falls: fields, checkpoints and rows at intervals of it
  critical     -eigen_critical of t
  pulse        a Womersley profile along t is refused"""
import os
import sys

import h5py
import mshwrite
import numpy as np
import run
import steady
from gate import Gate, largest

GROWS = ("-bc_left_velocity", "0.5*t*(1-y^4+0.2*sin(3*y)*(1-y^2)),0", "-bc_left_ramp", 0)
NAMES = ("-diagnostic_forces", "top", "-snes_rtol", 1e-11)


def by(text, *more):
    return ("-scheme_steady_continuation", text, *NAMES, *more)


def follow(gate, ranks):
    np_ = int(ranks)
    last = steady.mixed(*steady.STEADY, *GROWS, *NAMES, "-scheme_steady_time", 1.8, "-bc_left_velocity", "0.9*(1-y^4+0.2*sin(3*y)*(1-y^2)),0", np_=np_)
    between = steady.mixed(*steady.STEADY, *NAMES, "-bc_left_velocity", "0.55*(1-y^4+0.2*sin(3*y)*(1-y^2)),0", np_=np_)
    size = largest(abs(last.checkpoint()).ravel())
    for way in "value", "arclength":
        words = by("t=0.6:0.5:1.8", "-scheme_steady_continuation_type", way, "-output_every", 1, "-output_checkpoint_every", 1)
        result = steady.mixed(*steady.STEADY, *GROWS, *words, np_=np_)
        table = result.table("_continuation.csv")
        gate.near(f"{way}: the last value", float(table["conditions_t"][-1]), 1.8, 1e-9)
        gate.at_most(f"{way}: the state at the last value, of that of a single run", largest(abs(result.checkpoint() - last.checkpoint()).ravel()) / size, 1e-8)
        on = steady.mixed(*steady.STEADY, *GROWS, *words, "-case_restart", result.file("_point_000001.h5"), np_=np_)
        gate.true(f"{way}: on from the first", "goes on from t = 0.6" in on.stdout)
        gate.at_most(f"{way}: its last state", largest(abs(on.checkpoint() - result.checkpoint()).ravel()) / size, 1e-8)
        if way == "value":
            gate.true("times are the values", np.allclose(result.table("_history.csv")["t"], [0.6, 1.1, 1.6, 1.8], atol=1e-12))
            gate.relative("force at the value between", float(result.table("_forces.csv")["top_x"][1]), float(between.table("_forces.csv")["top_x"][-1]), 1e-8)
    if np_ == 1:
        refused(gate)


def refused(gate):
    for words, parts in ((by("t=0.5:0.5:1"), ("got t, of which no condition and no source depends", "-bc_inlet_flow_rate")),
                         ((*by("t=0.5:0.5:1"), *GROWS, "-scheme_steady_time", 0.7), ("-scheme_steady_time: got 0.7 beside -scheme_steady_continuation t=0.5:0.5:1",)),
                         ((*GROWS, "-scheme_steady_time", 1), ("change after t = 1 s", "-scheme_steady_continuation t=from:by:to")),
                         ((*by("bc_left_velocity=0.1:0.1:1"), *GROWS), ("got the option 'bc_left_velocity'", "or t, the time at which conditions and sources are taken"))):
        gate.refused(steady.mixed(*steady.STEADY, *words, expect=1), parts)


def time(gate, ranks):
    """Of a continuation in a relaxation time with conditions of t = 2, in the folder of its results: at rest a step changes nothing, at t = 0.2 the ramp would be at a fifth. Of one in t the time is its value."""
    np_, ramp = int(ranks), ("-bc_left_velocity", "0.5*(1-y^4+0.2*sin(3*y)*(1-y^2)),0", "-bc_left_ramp", 1)
    on = ("-scheme", "monolithic", "-scheme_monolithic_dt", 0.01, "-stop_time", 2.02, "-stop_steps", 50)
    for way in "value", "arclength":
        path = steady.mixed(*steady.STEADY, *ramp, *by("physics_giesekus_lambda=0.2:0.1:0.4", "-scheme_steady_continuation_type", way), "-scheme_steady_time", 2, "-output_checkpoint_every", 1, "-output_every", 1, np_=np_)
        state, table = path.checkpoint(), path.table("_continuation.csv")
        later = steady.mixed(*ramp, *NAMES, *on, "-physics_giesekus_lambda", 0.4, "-case_restart", path.file("_checkpoint.h5"), np_=np_, out=path.out)
        gate.true(f"{way}: said", "is of a continuation, whose parameter is" in later.stdout and "conditions, t = 2 s" in later.stdout)
        gate.true(f"{way}: times", np.allclose(later.table("_history.csv")["t"], [2.01, 2.02], atol=1e-12))
        gate.at_most(f"{way}: at rest", largest(abs(later.checkpoint() - state).ravel()) / largest(abs(state).ravel()), 1e-7)
        gate.true(f"{way}: the continuation's results are kept", "results of another case" in later.stdout and len(run.table(f"{path.out}/mixed.1/mixed_continuation.csv")["t"]) == len(table["t"]))
    path = steady.mixed(*steady.STEADY, *GROWS, *by("t=0.6:0.5:1.6"), "-output_checkpoint_every", 1, np_=np_)
    later = steady.mixed(*GROWS, *NAMES, *on, "-stop_time", 1.12, "-case_restart", path.file("_point_000002.h5"), np_=np_)
    gate.true("in t: times", np.allclose(later.table("_history.csv")["t"], [1.11, 1.12], atol=1e-12) and "is of a continuation" not in later.stdout)


def falls(gate):
    """Seven values, every second of which ends an interval, up and down."""
    for text, want in (("0.1:0.05:0.4", (0.1, 0.2, 0.3, 0.4)), ("0.4:-0.05:0.1", (0.4, 0.3, 0.2, 0.1))):
        done = steady.mixed(*steady.STEADY, "-mesh_box_faces", "8,4", "-scheme_steady_continuation", f"physics_giesekus_lambda={text}", "-scheme_steady_continuation_watch", "false", "-diagnostic_f_kind", "forces", "-diagnostic_f_label", "top",
                            "-diagnostic_f_every_dt", 0.1, "-output_dt", 0.1, "-output_checkpoint_dt", 0.1)
        values = done.table("_continuation.csv")["physics_giesekus_lambda"]
        gate.true(f"{text}: seven values", len(values) == 7)
        gate.true(f"{text}: rows", np.allclose(done.table("_f.csv")["t"], want, atol=1e-12))
        files = sorted(os.listdir(done.out))
        steps = [1 + int(np.argmin(abs(values - v))) for v in want]
        gate.true(f"{text}: checkpoints {[f for f in files if '_point_' in f]}", [f for f in files if "_point_" in f] == [f"mixed_point_{k:06d}.h5" for k in steps])
        gate.true(f"{text}: fields {[f for f in files if f.endswith('.vtu')]}", [f for f in files if f.endswith(".vtu")] == [f"mixed_{k:06d}.vtu" for k in (0, *steps)])


def levels(gate):
    """A pressure that grows along the branch: a restart from a point of it has that of the value, not of the arc length."""
    words = (*GROWS, "-bc_right_pressure", "30*t", "-bc_right_pressure_at", "traction", "-mesh_box_faces", "8,4", *by("t=0.6:0.5:1.6", "-scheme_steady_continuation_type", "arclength", "-output_checkpoint_every", 1))
    path = steady.mixed(*steady.STEADY, *words)
    on = steady.mixed(*steady.STEADY, *words, "-case_restart", path.file("_point_000002.h5"))
    gate.true("no level is taken for another one", "pressure of the state changes" not in on.stdout + on.stderr and "goes on from t" in on.stdout)
    gate.at_most("its last state", largest(abs(on.checkpoint() - path.checkpoint()).ravel()) / largest(abs(path.checkpoint()).ravel()), 1e-6)


def heat(gate):
    flow = ("-case_name", "heat", "-mesh_box_faces", "6,6", "-physics", "newtonian,thermal", "-physics_newtonian_viscosity", 0.5, "-physics_thermal_heat_capacity", 2, "-physics_thermal_reference", 300, "-initial_temperature", 300, "-form_density", 3,
            "-bc_left_type", "inlet", "-bc_left_velocity", "6*y*(1-y),0", "-bc_left_temperature", "value 300", "-bc_right_type", "outlet", "-bc_bottom_type", "wall", "-bc_bottom_temperature", "film t, 320", "-bc_top_type", "wall",
            "-bc_top_temperature", "flux 10*t", "-diagnostic_sd_kind", "scalar_diffusion", "-diagnostic_sd_label", "bottom,top", "-snes_rtol", 1e-12, *steady.STEADY)
    at = lambda end, k, *more: run.rheoplex("run", *flow, "-physics_thermal_conductivity", k, "-scheme_steady_continuation", f"t=1:0.5:{end!r}", *more, out=run.folder("given"))
    asked = at(2.0, 0.9, "-sensitivity", "sd:physics_thermal_conductivity,sd:t")
    last = lambda done: {k: float(v[-1]) for k, v in done.table("_sd.csv").items()}
    for parameter, low, high, step in (("physics_thermal_conductivity", at(2.0, 0.9 * (1 - 1e-4)), at(2.0, 0.9 * (1 + 1e-4)), 1.8e-4), ("t", at(2.0 * (1 - 1e-4), 0.9), at(2.0 * (1 + 1e-4), 0.9), 4e-4)):
        rows = [r for r in asked.texts("_sensitivity.csv") if r["parameter"] == parameter]
        a, b = last(low), last(high)
        gate.true(f"{parameter}: a row a column", len(rows) == 2)
        for r in rows:
            gate.near(f"{parameter}: {r['column']}", float(r["derivative"]), (b[r["column"]] - a[r["column"]]) / step, 2e-3)
    along = last(at(2.0, 0.9, "-scheme_steady_continuation_type", "arclength"))
    value = last(asked)
    for column in "bottom_temperature_diffusion", "top_temperature_diffusion":
        gate.near(f"along a branch: {column}", along[column], value[column], 1e-6)


def partners(gate):
    """An option that another one makes do something; what a run writes of defaults is taken."""
    alone = "-scheme_steady_continuation_type", "-scheme_steady_continuation_points", "-sensitivity_method"
    for words, parts in (((alone[0], "arclength"), (f"{alone[0]}: got arclength without -scheme_steady_continuation", "or value")),
                         ((alone[1], 50), (f"{alone[1]}: got 50 without -scheme_steady_continuation_type arclength", "or 200")),
                         ((*by("physics_giesekus_lambda=0.2:0.2:0.4"), alone[1], 50), (f"{alone[1]}: got 50 without -scheme_steady_continuation_type arclength", "or 200")),
                         ((alone[2], "adjoint"), (f"{alone[2]}: got adjoint without -sensitivity", "or auto")), ((alone[2], "forward"), (f"{alone[2]}: got forward without -sensitivity", "or auto"))):
        gate.refused(steady.mixed(*steady.STEADY, *words, expect=None), parts)
    first = steady.mixed(*steady.STEADY)
    with open(first.file("_effective.yaml")) as f:
        text = f.read()
    gate.true("the file of a run has them", all(name in text for name in ("continuation_type: 'value'", "continuation_points: '200'", "sensitivity_method: 'auto'")))
    again = run.rheoplex("run", first.file("_effective.yaml"), out=run.folder("given"))
    gate.at_most("and is run: its state", largest(abs(again.checkpoint() - first.checkpoint()).ravel()), 1e-12)


def pulse(gate):
    """A flow rate of a period has no steady states: the label whose profile is Womersley's is named, the first or a later one."""
    rate = {"developed": "0.3*t", "womersley": "0.3+0.1*sin(2*pi*t)"}
    node = lambda i, j: 4 * i + j
    sides = {"left": [(node(0, j), node(0, j + 1)) for j in range(3)], "right": [(node(4, j), node(4, j + 1)) for j in range(3)], "bottom": [(node(i, 0), node(i + 1, 0)) for i in range(4)],
             "roof": [(node(i, 3), node(i + 1, 3)) for i in (0, 3)], "top": [(node(i, 3), node(i + 1, 3)) for i in (1, 2)]}
    mesh = mshwrite.write(f"{run.folder('given')}/holed.msh", [(i / 4, j / 3) for i in range(5) for j in range(4)], [(node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)) for i in range(4) for j in range(3)], sides)
    for left, right in ("womersley", None), ("developed", "womersley"), ("womersley", "developed"), ("developed", None):
        label = "left" if left == "womersley" else "right"
        words = [w for side, profile in (("left", left), ("right", right)) if profile
                 for w in (f"-bc_{side}_type", "inlet", f"-bc_{side}_profile", profile, f"-bc_{side}_flow_rate", rate[profile], *((f"-bc_{side}_period", 1) if profile == "womersley" else ()))]
        ends = ("-bc_top_type", "outlet") if right else ("-bc_top_type", "wall", "-bc_right_type", "outlet")
        found = run.rheoplex("run", "-case_name", "pulse", "-mesh_file", mesh, "-physics", "newtonian", "-physics_newtonian_viscosity", 1, "-stabiliser", "split_oss", "-bc_bottom_type", "wall",
                             "-bc_roof_type", "wall", *words, *ends, "-scheme", "steady", "-device", "cpu", *by("t=0.5:0.5:1")[:2], out=run.folder("given"), expect=None)
        if "womersley" in (left, right):
            gate.refused(found, (f"-scheme_steady_continuation: got t and -bc_{label}_profile womersley", "expected developed or parabolic"))
        else:
            gate.true(f"{left} alone is done: {found.rc}", found.rc == 0 and "continuation: t = 1" in found.stdout)


def curve(g):
    return (0.04 + 1.06 / (1 + (1.2 * g) ** 2)) * g


def bands(*more, ranks=1, verb="run", expect=0):
    return run.rheoplex(verb, "-case_name", "bands", "-mesh_box_faces", "3,1", "-mesh_box_lower", "0,0", "-mesh_box_upper", "0.9,1.3", "-mesh_box_periodic", "x", "-physics", "cross",
                        "-physics_cross_viscosity", 1.1, "-physics_cross_viscosity_inf", 0.04, "-physics_cross_m", 2, "-physics_cross_lambda", 1.2, "-stabiliser", "gls", "-form_convection", "false",
                        "-bc_bottom_type", "wall", "-bc_top_type", "symmetry", "-scheme", "steady", "-device", "cpu", "-output_every", 1, *more, out=run.folder("given"), np=ranks, expect=expect)


def force(gate, ranks):
    """One cell from wall to symmetry: (eta_inf + (eta - eta_inf)/(1 + (lambda g)^2)) g = F H/2, g = u/H."""
    ranks, fine = int(ranks), np.linspace(0.1, 8, 4000001)
    stress = curve(fine)
    turns = stress[np.flatnonzero(np.diff(np.sign(np.diff(stress)))) + 1] / 0.65
    result = bands("-form_body_force", "0.5*t,0", "-scheme_steady_continuation", "t=0.4:0.2:2.4", "-scheme_steady_continuation_type", "arclength", ranks=ranks)
    found = [float(x.split()[-1]) for x in result.stdout.splitlines() if "fold at" in x]
    gate.true(f"folds told: {found}, of {2 * turns}", len(found) == 2 and len(turns) == 2)
    for got, want in zip(found, turns):
        gate.relative(f"fold at the force {want:.6g}", 0.5 * got, float(want), 1e-4)
    speed = result.fields()["velocity"][:, 0].max()
    gate.relative("at the end: stress of the cell", float(curve(speed / 1.3)), 0.65 * 1.2, 1e-8)
    kept = bands("-form_mean_velocity", "0.65*t", "-scheme_steady_continuation", "t=0.5:1:6.5", ranks=ranks)
    forces = [float(x.split()[2]) for x in kept.stdout.splitlines() if x.startswith("driving force:")]
    gate.true(f"a driving force a value: {len(forces)}", len(forces) == 7)
    for t, got in zip((0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5), forces):
        gate.relative(f"driving force of the mean velocity {0.65 * t:g}", got, float(curve(t)) / 0.65, 1e-8)


def slopes(gate, ranks):
    """Velocity, developed stress, pressure and force in t: derivatives forward, by adjoints and of differences of whole runs; rows of given values take part in all."""
    grows = ("-bc_left_velocity", "0.5*t*(1-y^4+0.2*sin(3*y)*(1-y^2)),0", "-bc_left_ramp", 0, "-bc_left_polymer", "developed", "-bc_right_pressure", "0.3*t^2", "-form_body_force", "0.2*sin(t),0.1*t", "-snes_rtol", 1e-13,
             "-diagnostic_drag_kind", "forces", "-diagnostic_drag_label", "top,left", "-diagnostic_drop_kind", "pressure_difference", "-diagnostic_drop_label", "left,top")
    at = lambda t, *more, **changes: steady.mixed(*steady.STEADY, *grows, "-scheme_steady_continuation", f"t={t!r}:1:{t!r}", *more, np_=int(ranks), **changes)
    asked = ("-sensitivity", "drag:t,drop:t,drop:physics_giesekus_lambda")
    forward, adjoint = (at(1.1, *asked, "-sensitivity_method", m) for m in ("forward", "adjoint"))
    steady.compare(gate, f"{ranks} ranks", forward, adjoint)
    low, high = (at(1.1 + d) for d in (-1e-3, 1e-3))
    rows = [r for r in forward.texts("_sensitivity.csv") if r["parameter"] == "t"]
    gate.true("a row a column, at its value", len(rows) == 5 and {float(r["value"]) for r in rows} == {1.1})
    for name in "drag", "drop":
        pairs = [(float(r["derivative"]), float(high.table(f"_{name}.csv")[r["column"]][-1] - low.table(f"_{name}.csv")[r["column"]][-1]) / 2e-3) for r in rows if r["diagnostic"] == name]
        gate.at_most(f"{name}: less differences of runs", largest(abs(a - b) for a, b in pairs) / largest(abs(b) for a, b in pairs), 1e-5)
    if ranks == "1":
        resistance = ("-bc_right_type", "resistance", "-bc_right_pressure_by_flux", "0.1+0.2*t*q+0.1*q^2", "-sensitivity", "drag:t,drop:t", "-snes_rtol", 1e-13)
        flow = [w for pair in zip(grows[::2], grows[1::2]) if pair[0] != "-bc_right_pressure" for w in pair]
        there = lambda t, *more: steady.mixed(*steady.STEADY, *flow, *resistance, "-scheme_steady_continuation", f"t={t!r}:1:{t!r}", *more)
        way = [there(1.1, "-sensitivity_method", m) for m in ("forward", "adjoint")]
        steady.compare(gate, "resistance", *way)
        ends = [float(there(1.1 + d).table("_drop.csv")["pressure_difference"][-1]) for d in (-1e-3, 1e-3)]
        gate.relative("resistance: of differences of runs", float(way[0].texts("_sensitivity.csv")[-1]["derivative"]), (ends[1] - ends[0]) / 2e-3, 1e-5)
        along = steady.mixed(*steady.STEADY, *grows, *asked, "-scheme_steady_continuation", "t=0.6:0.5:1.1")
        same = [float(r["derivative"]) for r in along.texts("_sensitivity.csv")], [float(r["derivative"]) for r in forward.texts("_sensitivity.csv")]
        gate.at_most("of a continuation's last state", largest(abs(a - b) for a, b in zip(*same)) / largest(abs(b) for b in same[1]), 1e-7)
        gate.refused(steady.mixed(*steady.STEADY, "-diagnostic_drag_kind", "forces", "-diagnostic_drag_label", "top", "-sensitivity", "drag:t", expect=None), ("-sensitivity: got t", "without -scheme_steady_continuation t=from:by:to"))


def begins(gate, found, words, value, t):
    """What -eigen_perturbed has written behind -eigen_critical is of the value that was found: a run in time begins at the time of its conditions, and says so where that is another."""
    with h5py.File(found.file("_perturbed_000000.h5")) as f:
        parameter, conditions = float(f.attrs["t"]), float(f.attrs["conditions_t"])
    gate.relative("perturbed: the value of the continuation", parameter, value, 1e-7)
    gate.relative("perturbed: the time of its conditions", conditions, t, 1e-7)
    later = bands(*words, "-scheme", "monolithic", "-scheme_monolithic_dt", 0.01, "-stop_time", t + 0.02, "-stop_steps", 50, "-case_restart", found.file("_perturbed_000000.h5"), "-case_name", "later")
    gate.near("perturbed: two steps behind it", float(later.table("_history.csv")["t"][-1]), t + 0.02, 1e-7)
    gate.true("perturbed: said", (f"whose parameter is {value:.3g}" in later.stdout) == (value != t) and ("is of a continuation" in later.stdout) == (value != t))


def critical(gate):
    """Shear between walls of a fluid whose flow curve falls: disturbances across grow by -dtau/dg k^2/rho, no longer where the curve turns."""
    fine = np.linspace(0.1, 3, 2000001)
    turn = float(fine[np.argmax(curve(fine))])
    shear = ("-mesh_box_faces", "3,2", "-bc_top_type", "moving_wall", "-bc_top_velocity", "0.65*t,0", "-bc_top_ramp", 0, "-form_density", 3, "-eigen_shifts", 0.1, "-eigen_number", 2)
    found = bands(*shear, "-scheme_steady_continuation", "t=1:0.2:1.6", "-eigen_critical", f"t={1.92 * turn!r}:{2.06 * turn!r}", "-eigen_adjoint", "-eigen_perturbed", 0.01, verb="eigen")
    told = [float(x.split()[-1]) for x in found.stdout.splitlines() if x.startswith("critical value: t = ")]
    gate.true("told", len(told) == 1)
    gate.relative("time at which the shear rate is that of the turn", told[0], 2 * turn, 1e-6)
    far = bands(*shear, "-scheme_steady_continuation", "t=1:0.2:1.6", "-eigen_critical", f"t={1.8 * turn!r}:{1.82 * turn!r}", verb="eigen")
    gate.relative("the same from two values far below it", float([x for x in far.stdout.splitlines() if x.startswith("critical value: t = ")][0].split()[-1]), 2 * turn, 1e-6)
    gate.refused(bands(*shear, "-scheme_steady_continuation", "t=1:0.2:1.6", "-eigen_critical", f"t={1.82 * turn!r}:{1.8 * turn!r}", verb="eigen", expect=None), ("-eigen_critical: got growth rates", "expected two values about it"))
    begins(gate, found, shear[:-4], told[0], told[0])
    over = (*shear[:-4], "-bc_top_velocity", "1.43,0", "-bc_top_ramp", 1)
    law = bands(*over, "-eigen_shifts", 0.1, "-eigen_number", 2, "-scheme_steady_time", 2.2, "-scheme_steady_continuation", "physics_cross_lambda=0.8:0.1:1.1", "-eigen_critical", f"physics_cross_lambda={1.2 * 1.92 * turn / 2.2!r}:{1.2 * 2.06 * turn / 2.2!r}",
                "-eigen_perturbed", 0.01, verb="eigen")
    value = [float(x.split()[-1]) for x in law.stdout.splitlines() if x.startswith("critical value: physics_cross_lambda = ")][0]
    gate.relative("relaxation time at which that rate is the turn", value, 1.2 * 2 * turn / 2.2, 1e-6)
    begins(gate, law, over, value, 2.2)
    modes = found.table("_spectrum.csv")
    gate.at_most("the growth rate there is zero", abs(modes["growth_rate"]).min(), 1e-9)
    gate.at_most("its adjoint mode is found: residuals", largest(modes["adjoint_residual"]), 1e-8)
    gate.refused(bands("-form_body_force", "1,0", "-eigen_critical", "t=1:2", verb="eigen", expect=None), ("-eigen_critical: got t", "without -scheme_steady_continuation t=from:by:to"))


def about(gate, ranks):
    """Modes about a state of a checkpoint are those with what its value gives, in t and in a parameter: single runs have them; what is taken is said."""
    ask = ("-eigen_shifts", -0.5, "-eigen_number", 2, "-snes_rtol", 1e-12)
    quick = ("-mesh_box_faces", "8,4")
    grow = lambda result: np.sort(np.array(result.table("_spectrum.csv")["growth_rate"], float))
    eigen = lambda *words, **more: steady.mixed(*steady.STEADY, *quick, *words, *ask, np_=int(ranks), verb="eigen", **more)
    lambdas = ("-scheme_steady_continuation", "physics_giesekus_lambda=0.2:0.2:0.4")
    for name, words, option, way, value in (("t", (*GROWS, *by("t=0.6:0.5:1.6")), "t", "value", 1.1), ("t, along the branch", (*GROWS, *by("t=0.6:0.5:1.6"), "-scheme_steady_continuation_type", "arclength"), "t", "arclength", None),
                                            ("relaxation time", lambdas, "physics_giesekus_lambda", "value", 0.2)):
        point = "_point_000002.h5" if option == "t" else "_point_000001.h5"
        path = steady.mixed(*steady.STEADY, *quick, *words, "-snes_rtol", 1e-12, "-output_checkpoint_every", 1, "-output_every", 1, np_=int(ranks))
        found = eigen(*words, "-case_restart", path.file(point))
        at = float(path.table("_continuation.csv")["conditions_t" if option == "t" else option][1 if option == "t" else 0])
        gate.true(f"{name}: the value is {at:g}, and said", (value is None or abs(at - value) < 1e-12) and f"the state is taken for that of {option} = {at:.8g}, the checkpoint's value" in found.stdout)
        single = eigen(*GROWS, "-scheme_steady_continuation", f"t={at!r}:1:{at!r}") if option == "t" else eigen("-physics_giesekus_lambda", at)
        gate.at_most(f"{name}: growth rates, of those of a single run", float(abs(grow(found) - grow(single)).max() / abs(grow(single)).max()), 1e-6)
    if ranks == "1":
        gate.true("of a run nothing is said", "the state is taken" not in single.stdout)
        gate.refused(eigen(*GROWS, "-scheme_steady_continuation", "t=2:1:3", "-case_restart", path.file("_point_000001.h5"), expect=None), ("the state is not steady",))


def main(check, *more):
    gate = Gate("_".join(("scheme_given", check) + more))
    {"follow": follow, "force": force, "time": time, "falls": falls, "heat": heat, "levels": levels, "partners": partners, "pulse": pulse, "slopes": slopes, "critical": critical, "about": about}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
