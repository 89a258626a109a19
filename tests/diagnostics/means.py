"""Averages over time are those of what is linear between their samples, over [start, end] or whole periods from start on, wherever samples fall: of a velocity
that grows as t in a periodic box, against integrals of a table of the same samples; of a wall's stress against its force."""
import math
import sys

import numpy as np
import run
from gate import Gate

LENGTH, RATE, END = 1.5, 2.0, 1.0
BOX = ["-case_name", "m", "-device", "cpu", "-mesh_box_faces", "3,3", "-mesh_box_upper", f"{LENGTH},1", "-mesh_box_periodic", "x", "-physics", "newtonian", "-physics_newtonian_viscosity", "0.4", "-form_density", "3",
       "-stop_time", END, "-output_fields", "false"]
GROWS = ["-form_body_force", f"{3 * RATE},5", "-bc_top_type", "free_slip", "-bc_bottom_type", "free_slip", "-initial_velocity", "0,0", "-initial_pressure", "7", "-scheme", "fractional_step", "-scheme_fractional_step_dt", "0.01"]
LEVEL, SWING, PERIOD = 1e5, 1e-3, 0.3  # of a pressure that is given at nodes at both ends of a fluid at rest, Pa, s
LOUD = [w for side in ("left", "right") for w in (f"-bc_{side}_type", "outlet", f"-bc_{side}_pressure", f"{LEVEL}+{SWING}*sin(2*pi*t/{PERIOD})", f"-bc_{side}_pressure_at", "nodes")]
LOUD += ["-bc_top_type", "free_slip", "-bc_bottom_type", "free_slip", "-scheme", "fractional_step", "-scheme_fractional_step_dt", "0.01"]
SWAYS = ["-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "sin(2*pi*t/0.3),0", "-scheme", "monolithic", "-scheme_monolithic_dt", "0.01"]
# every, start, period: rows, begin and end of what is averaged, s
WINDOWS = {"all": (["every_dt", 0.25], 0, 0, (0, 1)), "late": (["every_dt", 0.25], 0.3, 0, (0.3, 1)), "between": (["every", 7], 0.355, 0, (0.355, 1)), "periods": (["every", 7], 0, 0.3, (0.6, 0.9)),
           "shifted": (["every", 7], 0.15, 0.3, (0.45, 0.75)), "short": (["every", 7], 0.02, 0.03, (0.95, 0.98)), "met": (["every", 10], 0, 0.3, (0.6, 0.9))}


def options(name, kind, every, start, period, *rest):
    words = ["kind", kind, *every, "start", start, *(["period", period] if period else []), *rest]
    return [w for key, value in zip(words[::2], words[1::2]) for w in (f"-diagnostic_{name}_{key}", value)]


def integral(t, v, begin, end):
    """Mean over [begin, end] of the line through the samples, by its own corners; before the first of them as there."""
    at = np.unique(np.concatenate([[begin, end], t[(t > begin) & (t < end)]]))
    u = np.interp(at, t, v)
    return float((np.diff(at) * (u[1:] + u[:-1])).sum() / 2 / (end - begin))


def fields(gate, np_):
    words = [w for name, (every, start, period, _) in WINDOWS.items() for w in options(name, "average", every, start, period, "fields", "velocity,pressure,shear_rate")]
    words += [w for name, (every, *_) in WINDOWS.items() for w in options(f"{name}_p", "extrema", every, 0, 0, "fields", "velocity")[:4] + [f"-diagnostic_{name}_p_fields", "velocity"]]
    r = run.rheoplex("run", *BOX, *GROWS, *words, out=run.folder("means"), np=np_)
    for name, (_, _, _, (begin, end)) in WINDOWS.items():
        table, f = r.table(f"_{name}_p.csv"), run.Fields(r.file(f"_{name}.vtu"))
        t, u = (np.concatenate([[0], table[k]]) for k in ("t", "velocity_x_max"))
        mean, square = integral(t, u, begin, end), integral(t, u**2, begin, end)
        gate.near(f"np {np_}, {name}: the velocity grows as t", mean, RATE * (begin + end) / 2, 1e-9)
        gate.at_most(f"np {np_}, {name}: its mean", float(np.abs(f["velocity_mean"][:, 0] - mean).max()), 1e-9)
        gate.at_most(f"np {np_}, {name}: its root mean square", float(np.abs(f["velocity_rms"][:, 0] ** 2 - (square - mean**2)).max()), 1e-9)
        gate.at_most(f"np {np_}, {name}: the pressure, which the start does not tell", float(np.abs(f["pressure_rms"]).max()), 1e-2)


def walls(gate):
    words = [w for name, (every, start, period, _) in WINDOWS.items() for w in options(name, "wall_average", every, start, period, "label", "bottom")]
    words += [w for name, (every, *_) in WINDOWS.items() for w in [f"-diagnostic_{name}_f_kind", "forces", f"-diagnostic_{name}_f_label", "bottom", f"-diagnostic_{name}_f_{every[0]}", every[1]]]
    r = run.rheoplex("run", *BOX, *SWAYS, *words, out=run.folder("means"), np=2)
    for name, (_, _, _, (begin, end)) in WINDOWS.items():
        force, wall = r.table(f"_{name}_f.csv"), r.table(f"_{name}_bottom.csv")
        stress = force["bottom_x"] / LENGTH
        for column, v in (("mean_x", stress), ("magnitude", np.abs(stress))):
            want = integral(force["t"], v, begin, end)
            gate.at_least(f"wall, {name}: the {column} is none of 0", abs(want), 1e-4)
            gate.at_most(f"wall, {name}: {column}", float(np.abs(wall[column] - want).max()), 1e-9)


def seldom(gate):
    """Of a period of 1500 steps a wall's stress is taken 500 times, of a mean without an end as seldom as 1/2000 of its time; of every step where that is asked for. So it
    is behind a restart between two samples."""
    sways = [*SWAYS[:6], "-scheme", "lumped", "-scheme_lumped_dt", 2e-4]
    kinds = {"some": ([], PERIOD, (0.65, 0.95)), "fewer": ([], 0, (0.05, 1)), "each": (["every", 1], PERIOD, (0.65, 0.95)), "all": (["every", 1], 0, (0.05, 1))}
    words = [w for name, (every, period, _) in kinds.items() for w in options(name, "wall_average", every, 0.05, period, "label", "bottom")]
    case = lambda *more: run.rheoplex("run", *BOX, *sways, *words, "-diagnostic_f_kind", "forces", "-diagnostic_f_label", "bottom", *more, out=run.folder("means"))
    r = case()
    force = r.table("_f.csv")
    t, stress = force["t"], force["bottom_x"] / LENGTH
    rows = {"some": np.arange(248, t.size, 3), "fewer": [248], "each": np.arange(t.size), "all": np.arange(t.size)}
    for i in range(249, t.size):
        if t[i] - t[rows["fewer"][-1]] > (t[i] - 0.05) / 2000 * (1 - 1e-9) or i == t.size - 1:
            rows["fewer"].append(i)
    got, want = {}, {}
    for name, (_, _, (begin, end)) in kinds.items():
        got[name] = float(np.abs(r.table(f"_{name}_bottom.csv")["mean_x"]).max())
        want[name] = abs(integral(t[rows[name]], stress[rows[name]], begin, end))
        gate.relative(f"{name}, {len(rows[name])} rows: the mean", got[name], want[name], 5e-12)
    for few, many in ("some", "each"), ("fewer", "all"):
        gate.at_least(f"{few}: what is between samples", abs(want[few] / want[many] - 1), 1e-10)
        gate.at_most(f"{few}: which is little", abs(want[few] / want[many] - 1), 1e-3)
    left = case("-stop_steps", 4000)
    on = case("-case_restart", f"{left.out}/m_checkpoint.h5")
    for name in "some", "fewer":
        gate.at_most(f"{name}: behind a restart", float(np.abs(on.table(f"_{name}_bottom.csv")["mean_x"] - r.table(f"_{name}_bottom.csv")["mean_x"]).max()), 1e-16)


def swings(gate, np_):
    """Small swings on a large mean, of samples that are known: E[p^2] - E[p]^2 in 16 digits has 1e-6 Pa^2 of rounding, twice their square."""
    names = {"all": (0, 0, (0, 1)), "late": (0.355, 0, (0.355, 1)), "periods": (0, PERIOD, (0.6, 0.9))}
    words = [w for name, (start, period, _) in names.items() for w in options(name, "average", ["every", 1], start, period, "fields", "pressure")]
    box = [w for w in BOX if w not in ("-mesh_box_periodic", "x")]
    r = run.rheoplex("run", *box, *LOUD, *words, out=run.folder("means"), np=np_)
    t = np.arange(101) * 0.01
    v = SWING * np.sin(2 * np.pi * t / PERIOD)
    v[0] = v[1]  # the start does not tell its pressure
    for name, (_, _, (begin, end)) in names.items():
        f = run.Fields(r.file(f"_{name}.vtu"))
        at = (f.points[:, 0] == 0) | (f.points[:, 0] == LENGTH)
        mean, square = integral(t, v, begin, end), integral(t, v**2, begin, end)
        gate.at_most(f"np {np_}, {name}: the mean of a pressure of {LEVEL:g} Pa", float(np.abs(f["pressure_mean"][at] - LEVEL - mean).max()), 1e-9)
        gate.at_most(f"np {np_}, {name}: what it differs by, over it", float(np.abs(f["pressure_rms"][at] / math.sqrt(square - mean**2) - 1).max()), 1e-7)


if __name__ == "__main__":
    gate = Gate("means")
    fields(gate, 2)
    swings(gate, 1)
    swings(gate, 3)
    walls(gate)
    seldom(gate)
    sys.exit(gate.finish())
