"""rows.py values|looks|refused: rows of a CSV file that are taken once, or joined by monotone cubics or straight lines, against scipy's interpolation of
them: at each step of a run, before the first row and behind the last one, on two ranks, after a restart; what looks at the rows in advance; bad input."""
import math
import sys

import numpy as np
import run
from gate import Gate
from scipy.interpolate import CubicSpline, PchipInterpolator

HERE = run.folder("rows")
SLIT = {
    "case_name": "slit", "mesh_box_upper": "0.5,0.7", "mesh_box_faces": "3,9", "mesh_box_cell": "mixed", "physics": "newtonian", "physics_newtonian_viscosity": 0.3,
    "stabiliser": "split_oss", "form_density": 3, "bc_left_type": "inlet", "bc_left_profile": "parabolic", "bc_right_type": "outlet", "bc_bottom_type": "wall",
    "bc_top_type": "wall", "scheme": "lumped", "scheme_lumped_dt": 0.0007, "stop_time": 0.028, "output_fields": "false", "diagnostic_rate_kind": "flux", "diagnostic_rate_label": "left",
}
PLATES = {
    "case_name": "plates", "mesh_box_upper": "0.5,0.8", "mesh_box_faces": "3,6", "mesh_box_periodic": "x", "physics": "newtonian", "physics_newtonian_viscosity": 0.5, "form_density": 3,
    "stabiliser": "split_oss", "bc_bottom_type": "wall", "bc_top_type": "moving_wall", "output_fields": "false", "scheme": "monolithic", "scheme_monolithic_dt": 0.01, "stop_time": 0.3,
}
# start-up, plateau, cessation: uneven rows, from 3 ms on
TIMES = 0.003 + 0.001 * np.array([0, 1, 1.7, 3, 4, 7.5, 9, 9.6, 11, 12.5, 14])
VALUES = np.array([0, 0, 0.11, 0.42, 0.5, 0.5, 0.5, 0.31, 0.06, 0, 0])
# one that ends elsewhere, and falls between
STEPS = np.array([0.1, 0.3, 0.7, 0.2, 0.2, 0.25, 0.4, 0.9, 0.85, 0.6, 0.62])
WAVE = np.append(STEPS[:-1], STEPS[0])


def write(name, *columns, header="time,value"):
    path = f"{HERE}/{name}.csv"
    with open(path, "w") as f:
        f.write(header + "\n" + "".join(",".join(repr(float(v)) for v in row) + "\n" for row in zip(*columns)))
    return path


def case(base, np_=1, expect=0, verb="run", **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex(verb, *words, out=run.folder("rows"), np=np_, expect=expect, timeout=100)


def words_of(option, path, how, rows):
    return {option: path, f"{option}_interpolation": how, f"{option}_rows": rows}


def once(how, times, values):
    """With constant values beyond; the slopes of the cubics and of scipy's PCHIP are 0 there."""
    beyond = lambda f: lambda t: f(np.clip(t, times[0], times[-1]))
    if how == "monotone":
        return PchipInterpolator([times[0] - 1, *times, times[-1] + 1], [values[0], *values, values[-1]])
    return beyond({"cubic": CubicSpline(times, values, bc_type="clamped"), "linear": lambda t: np.interp(t, times, values)}[how])


def periodic(how, times, values):
    period = times[-1] - times[0]
    wrap = lambda f: lambda t: f(times[0] + np.mod(t - times[0], period))
    three = [np.concatenate([times[:-1] - period, times[:-1], times + period]), np.concatenate([values[:-1], values[:-1], values])]
    return wrap({"cubic": CubicSpline(times, values, bc_type="periodic"), "monotone": PchipInterpolator(*three), "linear": lambda t: np.interp(t, times, values)}[how])


def values(gate):
    files = {"once": (write("startup", TIMES, VALUES), VALUES, once), "once elsewhere": (write("steps", TIMES, STEPS), STEPS, once), "periodic": (write("wave", TIMES, WAVE), WAVE, periodic)}
    for name, (path, v, reference) in files.items():
        for how in ("cubic", "monotone", "linear"):
            table = case(SLIT, 2 if how == "monotone" else 1, **words_of("bc_left_flow_rate", path, how, name.split()[0])).table("_rate.csv")
            flux, expected = -np.array(table["left_flux"][1:]), reference(how, TIMES, v)(np.array(table["t"][1:]))
            t = np.array(table["t"])
            gate.at_least(f"{name}, {how}: end of the run over the last row's time", float(t[-1] / TIMES[-1]), 1.3)
            gate.at_most(f"{name}, {how}: flux less scipy's, of every step", float(np.abs(flux - expected).max()), 1e-11)
            if name == "once" and how != "cubic":
                gate.at_most(f"{name}, {how}: flux beyond its rows", float(max(flux.max() - 0.5, -flux.min())), 1e-13)
            kinks = TIMES[[1, 2, 3, 4, 6, 7, 8, 9]] if name == "once" else np.append(TIMES[1:], TIMES[TIMES < 0.013] + 0.014 if name == "periodic" else 0.003)
            gate.true(f"{name}, {how}: steps end at kinks alone", (how == "linear") == all(np.abs(t - k).min() < 1e-12 for k in kinks))
    two = case(SLIT, **words_of("bc_left_flow_rate", write("two", [0.002, 0.013], [0.2, 0.5]), "linear", "once")).table("_rate.csv")
    gate.at_most("two rows once: flux less the ramp's", float(np.abs(-np.array(two["left_flux"][1:]) - np.interp(two["t"][1:], [0.002, 0.013], [0.2, 0.5])).max()), 1e-12)
    walls(gate)
    others(gate)
    restart(gate, files["once elsewhere"][0])


def walls(gate):
    """A wall that is moved by rows of its velocity, in mm/s over ms."""
    path = write("wall", 1e4 * TIMES, 1e3 * STEPS, 0 * STEPS, header="time,u,v")
    for how in ("cubic", "monotone", "linear"):
        done = case(PLATES, **words_of("bc_top_velocity", path, how, "once"), bc_top_velocity_scale=1e-3, bc_top_velocity_time_scale=1e-3, stop_time=0.123)
        top = np.abs(done.checkpoint("positions")[:, 1] - 0.8) < 1e-9
        gate.near(f"wall, {how}: velocity", float(done.checkpoint()[top, 0].max()), float(once(how, 10 * TIMES, STEPS)(0.123)), 1e-12)


def others(gate):
    """A pressure, a wall that turns and a mean velocity, by what check tells of them; the pressure also in a run."""
    path = write("bars", TIMES, 100 * STEPS)
    done = case(SLIT, **words_of("bc_right_pressure", path, "monotone", "once"), bc_right_pressure_at="nodes", bc_left_flow_rate="0.4", stop_time=13 * 0.0007)
    right = np.abs(done.checkpoint("positions")[:, 0] - 0.5) < 1e-9
    gate.near("pressure, monotone", float(done.checkpoint()[right, 2].max()), 100 * float(once("monotone", TIMES, STEPS)(13 * 0.0007)), 1e-7)
    turns = {"bc_top_type": "rotating_wall", "bc_left_type": "wall", "bc_left_profile": None}
    aim = {"mesh_box_periodic": "x", "bc_left_type": None, "bc_left_profile": None, "bc_right_type": None, "diagnostic_rate_kind": None, "diagnostic_rate_label": None}
    for words, option, how, rows, told in ((turns, "bc_top_angular_velocity", "linear", "once", "(once from 0.003 to 0.017 s, linear, then 62, rows from 10 to 90 rad/s)"),
                                           (aim, "form_mean_velocity", "monotone", "once", "(once from 0.003 to 0.017 s, monotone, then 62, rows from 10 to 90 m/s)"),
                                           ({"bc_left_flow_rate": "0.4", "bc_right_pressure_at": "nodes"}, "bc_right_pressure", "cubic", "once", "(once from 0.003 to 0.017 s, then 62, rows from 10 to 90 Pa)")):
        out = case(SLIT, verb="check", **words, **words_of(option, path, how, rows)).stdout
        gate.true(f"check: {told}", told in out)
    mean = {"cubic": CubicSpline(TIMES, WAVE, bc_type="periodic").integrate(TIMES[0], TIMES[-1]), "linear": np.trapezoid(WAVE, TIMES) if hasattr(np, "trapezoid") else np.trapz(WAVE, TIMES),
            "monotone": PchipInterpolator(np.concatenate([TIMES[:-1], TIMES + 0.014]), np.concatenate([WAVE[:-1], WAVE])).integrate(TIMES[3], TIMES[3] + 0.014)}
    for how, whole in mean.items():
        out = case(SLIT, verb="check", **words_of("bc_left_flow_rate", write("wave", TIMES, WAVE), how, "periodic")).stdout
        gate.true(f"check: mean of the period, {how}: {whole / 0.014:.4g}", f"(period 0.014 s{'' if how == 'cubic' else ', ' + how}, mean {whole / 0.014:.4g}, rows from 0.1 to 0.9 m^2/s)" in out)


def restart(gate, path):
    for how, np_ in (("monotone", 1), ("linear", 2)):
        words = words_of("bc_left_flow_rate", path, how, "once")
        whole, half = case(SLIT, np_, **words), case(SLIT, np_, **words, stop_steps=11, stop_time=None)
        rest = case(SLIT, np_, **words, case_restart=half.file("_checkpoint.h5"))
        gate.at_least(f"{how}, np {np_}: steps after the restart", len(rest.table("_rate.csv")["t"]), 20)
        gate.at_most(f"{how}, np {np_}: after a restart", float(np.abs(rest.checkpoint() - whole.checkpoint()).max()), 0 if np_ == 1 else 1e-12)


def looks(gate):
    """What is found before the run: a pulse of rows once that lasts 1/5000 of it is not overlooked, nor does the time in which it changes depend on the run's end."""
    wide = {**SLIT, "scheme": "auto", "scheme_lumped_dt": None}
    short = write("short", 0.04 + TIMES, VALUES)
    told = []
    for end in (1, 80):
        out = case(wide, verb="check", **words_of("bc_left_flow_rate", short, "monotone", "once"), stop_time=end).stdout.splitlines()
        fastest = next(line for line in out if line.startswith("Time step limits with the fastest"))
        scheme = next(line for line in out if line.startswith("Scheme: "))
        gate.relative(f"run of {end} s: fastest velocity, of the plateau", float(fastest.split("(")[1].split(",")[0]), 1.5 * 0.5 / 0.7, 0.03)
        gate.true(f"run of {end} s: {scheme}", "(-bc_left_flow_rate)" in scheme)
        told.append(float(scheme.split("at most ")[1].split(" s,")[0]))
    out = case(wide, verb="check", **words_of("bc_left_flow_rate", write("later", 0.04 + TIMES, STEPS), "linear", "once"), stop_time=80, case_velocity=1e-3)
    gate.true("rows that end elsewhere, before there is a mesh: no error", "(-bc_left_flow_rate)" in out.stdout)
    gate.true("units: the largest of rows, 1.93 m/s", "the fastest velocity that is given, 1.93 m/s by -bc_left_flow_rate" in out.stderr)
    gate.relative("largest time step, of the longer run", told[1], told[0], 1e-12)
    for rows, how, expected in (("once", "linear", "t = 0.004, 0.0047, 0.006 s and later (-bc_left_flow_rate)"), ("once", "monotone", ""), ("periodic", "linear", "t = 0.0015, 0.004, 0.0047 s and later (-bc_left_flow_rate)"), ("periodic", "cubic", "")):
        out = case(SLIT, verb="check", **words_of("bc_left_flow_rate", write("startup", TIMES, VALUES), how, rows), stop_time=0.05).stdout
        gate.true(f"check: steps of {rows}, {how}: {expected or 'no kinks'}", expected in out if expected else "steps end at jumps" not in out)
    for how, warned in (("cubic", True), ("monotone", False), ("linear", False)):
        err = case(SLIT, verb="check", **words_of("bc_left_flow_rate", write("step", [0, 1, 1.05, 2, 2.05, 3], [0, 0, 1, 1, 0, 0]), how, "once"), stop_time=3).stderr
        gate.true(f"{how}: overshoot warned: {warned}", ("or -bc_left_flow_rate_interpolation monotone" in err) == warned and ("cubic spline" in err) == warned)
    for scale, warned in ((1, True), (1e-3, False)):
        err = case(SLIT, verb="check", **words_of("bc_left_flow_rate", write("ms", 1e3 * TIMES, STEPS), "monotone", "once"), bc_left_flow_rate_time_scale=scale).stderr
        gate.true(f"rows over ms, scale {scale:g}: told: {warned}", ("the rows of -bc_left_flow_rate, taken once, last 14 s, 500 times the run's end" in err) == warned)


def refused(gate):
    startup = write("startup", TIMES, VALUES)
    steps = write("steps", TIMES, STEPS)
    womersley = {"bc_left_profile": "womersley", "scheme": "lumped"}
    for changes, expected in (({"bc_left_flow_rate": "0.4", "bc_left_flow_rate_interpolation": "linear"}, ("-bc_left_flow_rate_interpolation: got linear", "expected it with the path of a .csv file in -bc_left_flow_rate")),
                              ({"bc_left_flow_rate": "0.4", "bc_left_flow_rate_rows": "once"}, ("-bc_left_flow_rate_rows: got once", "expected it with the path of a .csv file in -bc_left_flow_rate")),
                              ({"bc_left_flow_rate": "0.4", "form_mean_velocity_rows": "once"}, ("-form_mean_velocity_rows: got once", ".csv")),
                              ({"bc_left_flow_rate": "0.4", "bc_top_flow_rate_rows": "once"}, ("-bc_top_flow_rate_rows", "does not take")),
                              (words_of("bc_left_flow_rate", startup, "akima", "once"), ("bc_left_flow_rate_interpolation", "akima", "cubic, monotone or linear")),
                              (words_of("bc_left_flow_rate", startup, "linear", "twice"), ("bc_left_flow_rate_rows", "twice", "periodic or once")),
                              (words_of("bc_left_flow_rate", write("one", [0.1], [0.4]), "linear", "once"), ("one.csv", "got 1 row, expected at least 2")),
                              (words_of("bc_left_flow_rate", write("pair", [0.1, 0.3], [0.4, 0.4]), "monotone", "periodic"), ("pair.csv", "got 2 rows, expected at least 3")),
                              (words_of("bc_left_flow_rate", steps, "monotone", "periodic"), ("steps.csv", "jump of -0.52", "expected a last row of the first one's value, or rows that are taken once (-bc_left_flow_rate_rows once)")),
                              ({**womersley, **words_of("bc_left_flow_rate", startup, "linear", "once")}, ("-bc_left_profile womersley", "got rows that are taken once (-bc_left_flow_rate_rows once)", "expected those of a period")),
                              ({**womersley, "bc_left_period": 0.02, **words_of("bc_left_flow_rate", startup, "linear", "once")}, ("-bc_left_profile womersley", "rows that are taken once"))):
        gate.refused(case(SLIT, 2 if "pair" in str(changes) else 1, expect=None, **changes), expected)
    headings(gate)


def headings(gate):
    """A first row that is mistyped is no heading; words and units are."""
    for first in ("O.1,2", "0.003;0", "time,-O.5", '"o",".5"', "t;3"):
        result = case(SLIT, expect=None, **words_of("bc_left_flow_rate", write("typed", TIMES, VALUES, header=first), "linear", "once"))
        gate.refused(result, ("typed.csv", f'line 1: got "{first}"', 'expected two numbers "time,value"', "a heading, in which no word begins like a number"))
    for first in ("time (s),Q1 (ml/s)\ns,-", "infusion,nanolitres", '"Zeit","Wert"', "t;Q"):
        result = case(SLIT, verb="check", **words_of("bc_left_flow_rate", write("typed", TIMES, VALUES, header=first), "linear", "once"))
        gate.true(f"a heading: {first!r}", "(once from 0.003 to 0.017 s" in result.stdout)


def main():
    name = sys.argv[1]
    gate = Gate(f"boundary_rows_{name}")
    {"values": values, "looks": looks, "refused": refused}[name](gate)
    return gate.finish()


sys.exit(main())
