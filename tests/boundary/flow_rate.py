"""Inflow by its flow rate: a formula in t, or a waveform in a CSV file. The flux through the label's faces is the one asked for at every
time, in 2D, from a plane of symmetry on, and over the circle of a tube; a waveform is the periodic cubic spline of its rows, a pressure and what moves a wall
or the mean velocity too, in any units."""
import math
import os
import sys

import numpy as np
import run
from gate import Gate
from scipy.interpolate import CubicSpline

HERE = run.folder("flow_rate")
SLIT = {
    "case_name": "slit", "mesh_box_upper": "0.5,0.7", "mesh_box_faces": "3,9", "mesh_box_cell": "mixed", "physics": "newtonian", "physics_newtonian_viscosity": 0.3,
    "stabiliser": "split_oss", "form_density": 1.3, "bc_left_type": "inlet", "bc_left_profile": "parabolic", "bc_right_type": "outlet", "bc_bottom_type": "wall",
    "bc_top_type": "wall", "scheme_lumped_dt": 0.001, "stop_steps": 5, "output_fields": "false",
}
TUBE = {
    "case_name": "tube", "mesh_file": f"{run.MESHES}/tube_bulge.msh", "physics": "newtonian", "physics_newtonian_viscosity": 0.3, "stabiliser": "split_oss",
    "bc_inlet_type": "inlet", "bc_inlet_profile": "parabolic", "bc_inlet_flow_rate": "0.7+30*t", "bc_outlet_type": "outlet", "bc_wall_type": "wall",
    "scheme_lumped_dt": 0.001, "stop_steps": 2, "output_fields": "false", "diagnostic_rate_kind": "flux", "diagnostic_rate_label": "inlet",
}


def case(base, np_=1, expect=0, verb="run", **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex(verb, *words, out=run.folder("flow_rate"), np=np_, expect=expect, timeout=50)


def inflow(result):
    """Integral of u over x = 0: faces of a box are straight and of two nodes, so that the trapezoidal rule is exact."""
    x, state = result.checkpoint("positions"), result.checkpoint()
    left = np.abs(x[:, 0]) < 1e-9
    return run.trapezoid(x[left, 1], state[left, 0])


def waveform(name, rows, header="time,flow\n"):
    path = f"{HERE}/{name}.csv"
    with open(path, "w") as f:
        f.write("# pulse\n" + header + "".join(f"{t},{q}\n" for t, q in rows))
    return path


def slit(gate):
    for np_ in (1, 2, 3):
        gate.near(f"np {np_}: flux by formula", inflow(case(SLIT, np_, bc_left_flow_rate="0.4*(1+0.5*sin(90*t))")), 0.4 * (1 + 0.5 * math.sin(90 * 0.005)), 1e-13)
    gate.near("flux from a plane of symmetry on", inflow(case(SLIT, bc_top_type="symmetry", bc_left_flow_rate="0.6")), 0.6, 1e-13)
    gate.near("flux outward, ramped", inflow(case(SLIT, bc_left_flow_rate="-0.6", bc_left_ramp=0.02)), -0.6 * 0.5 * (1 - math.cos(math.pi * 0.25)), 1e-13)


def pulse(gate):
    """Rows at uneven times; five steps of 0.4 T end in the second period, and before the first row's time is one too."""
    times = 0.0007 + 0.0011 * np.array([0, 0.06, 0.1, 0.2, 0.27, 0.5, 0.66, 0.7, 0.9, 1])
    values = 0.3 + 0.2 * np.sin(2 * np.pi * (times - times[0]) / 0.0011) + 0.1 * np.cos(6 * np.pi * (times - times[0]) / 0.0011)
    values[-1] = values[0]
    path = waveform("pulse", list(zip(times.tolist(), values.tolist())))
    spline = CubicSpline(times, values, bc_type="periodic")
    for steps in (1, 2, 5):
        t = 0.00044 * steps
        expected = float(spline(times[0] + math.fmod(t - times[0] + 0.0011, 0.0011)))
        gate.near(f"flux by waveform at {t:g}", inflow(case(SLIT, bc_left_flow_rate=path, scheme_lumped_dt=0.00044, stop_steps=steps)), expected, 1e-12)


def files(gate):
    """The same rows after a byte order mark, after lines of any length, with the line ends of other systems, without a last one."""
    rows = "".join(f"{0.001 * i},{0.4 + 0.1 * (i % 7)}\n" for i in range(8))
    texts = {"plain": rows, "mark": "\ufeff" + rows, "long": "# " + "1,2 " * 300 + "\n" + rows.replace("\n", " " * 700 + "\n"), "returns": rows.replace("\n", "\r\n"),
             "last": rows.rstrip()}
    flux = {}
    for name, text in texts.items():
        with open(f"{HERE}/{name}.csv", "w", newline="") as f:
            f.write(text)
        flux[name] = inflow(case(SLIT, bc_left_flow_rate=f"{HERE}/{name}.csv"))
    gate.near("flux of the row at the end", flux["plain"], 0.9, 1e-12)
    for name in list(texts)[1:]:
        gate.near(f"flux by a file, {name}", flux[name], flux["plain"], 0)


def tube(gate):
    table = case(TUBE).table("_rate.csv")
    column = next(name for name in table if name not in ("step", "t"))
    gate.near("tube: flux by formula", abs(float(table[column][-1])), 0.7 + 30 * 0.002, 1e-12)


def scaled(gate):
    """Rows in other units: ml/s, mmHg, turns a minute and cm/s over ms, against SI by formula; what check says of them is in SI."""
    ms, wave = lambda i: 0.0007 * 1000 + 1.1 * i / 16, [math.sin(2 * math.pi * i / 16) for i in range(16)]
    rows = lambda name, mean, swing: waveform(name, [(ms(i), mean + swing * wave[i % 16]) for i in range(17)])
    at = lambda name, mean, swing, t: float(CubicSpline([0.001 * ms(i) for i in range(17)], [mean + swing * wave[i % 16] for i in range(17)], bc_type="periodic")(0.0007 + math.fmod(t - 0.0007 + 0.0011, 0.0011)))
    flow, pressure, turns = rows("ml", 4e5, 1e5), rows("mmhg", 80, 30), rows("turns", 60, 20)
    times = lambda option, factor: {f"{option}_scale": factor, f"{option}_time_scale": 1e-3}
    outlet = {"bc_left_flow_rate": flow, **times("bc_left_flow_rate", 1e-6), "bc_right_pressure": pressure, **times("bc_right_pressure", 133.322), "bc_right_pressure_at": "nodes"}
    for np_ in (1, 2):
        result = case(SLIT, np_, **outlet, scheme="lumped", scheme_lumped_dt=0.00044)
        gate.near(f"np {np_}: flux by ml/s and ms", inflow(result), at("ml", 0.4, 0.1, 0.0022), 1e-12)
        x, state = result.checkpoint("positions"), result.checkpoint()
        right = np.abs(x[:, 0] - 0.5) < 1e-9
        gate.near(f"np {np_}: pressure by mmHg and ms", float(np.abs(state[right, 2] - at("mmhg", 80, 30, 0.0022) * 133.322).max()), 0, 1e-7)
    wall = {"bc_top_type": "rotating_wall", "bc_top_angular_velocity": turns, **times("bc_top_angular_velocity", 2 * math.pi / 60), "bc_left_type": "wall", "bc_left_profile": None, "bc_right_type": "outlet"}
    state = case(SLIT, **wall, scheme_lumped_dt=0.00044)
    top = np.abs(state.checkpoint("positions")[:, 1] - 0.7) < 1e-9
    gate.near("a wall by turns a minute and ms", float(state.checkpoint()[top, 0].min()), -0.7 * at("turns", 60, 20, 0.0022) * 2 * math.pi / 60, 1e-12)
    aim = {"form_mean_velocity": rows("cm", 50, 20), **times("form_mean_velocity", 0.01), "mesh_box_periodic": "x", "bc_left_type": None, "bc_left_profile": None, "bc_right_type": None}
    si = waveform("si", [(0.001 * ms(i), 0.5 + 0.2 * wave[i % 16]) for i in range(17)])
    drives = [case(SLIT, **{**aim, **more}, scheme_lumped_dt=0.00044, diagnostic_d_kind="drive").table("_d.csv")["force"] for more in ({}, {"form_mean_velocity": si, "form_mean_velocity_scale": None, "form_mean_velocity_time_scale": None})]
    gate.near("a mean velocity by cm/s and ms: its force over the one by SI", drives[0][-1] / drives[1][-1], 1, 1e-10)
    for words, told in ((outlet, ("(period 0.0011 s, mean 0.4, rows from 0.3 to 0.5 m^2/s)", "(period 0.0011 s, mean 1.067e+04, rows from 6666 to 1.467e+04 Pa)")),
                        (wall, ("(period 0.0011 s, mean 6.283, rows from 4.189 to 8.378 rad/s)",)), (aim, ("(period 0.0011 s, mean 0.5, rows from 0.3 to 0.7 m/s)",))):
        checked = case(SLIT, verb="check", **words)
        gate.true(f"check: {told}", all(text in checked.stdout for text in told))
    for changes, expected in (({**outlet, "bc_left_flow_rate_scale": 0}, ("bc_left_flow_rate_scale", "got 0", "not 0")), ({**outlet, "bc_right_pressure_scale": "nan"}, ("bc_right_pressure_scale", 'got "nan"')),
                              ({**outlet, "bc_right_pressure_time_scale": 0}, ("bc_right_pressure_time_scale", 'got "0"', "> 0")), ({**outlet, "bc_right_pressure": "80"}, ("bc_right_pressure_scale", 'got 133.322 with "80"', ".csv")),
                              ({"bc_left_flow_rate": "0.4", "bc_left_flow_rate_time_scale": 1e-3}, ("bc_left_flow_rate_time_scale", "got 0.001", ".csv")), ({"bc_left_flow_rate": "0.4", "form_mean_velocity_scale": 2}, ("form_mean_velocity_scale", "got 2", ".csv"))):
        gate.refused(case(SLIT, expect=None, **changes), expected)


def refused(gate):
    sound = [(0.1 * i, 1 + math.sin(0.2 * math.pi * i)) for i in range(11)]
    sound[-1] = (1.0, 1.0)
    bad = {
        "nan": ([*sound[:3], (0.3, math.nan), *sound[4:]], ("line 6", "nan", "finite numbers")),
        "unsorted": ([*sound[:3], (0.15, 1.0), *sound[4:]], ("line 6", "0.15 after 0.2", "ascending")),
        "jump": ([*sound[:-1], (1.0, 1.5)], ("jump of -0.5", "expected a last row of the first one's value")),
        "short": (sound[:1] + sound[-1:], ("got 2 rows", "expected at least 4")),
        "columns": ([("0.0,1", 3), *sound], ("line 3", 'got "0.0,1,3"', "expected two numbers")),
        "comma": ([("0;1", 2), *sound], ("line 3", "expected two numbers")),
        "quoted": ([(f'"{t}"', f'"{v}"') for t, v in sound], ("line 3", 'got ""0.0","1.0""', 'expected two numbers "time,value"')),
        "named": ([(f"t={t}", f"q={v}") for t, v in sound], ("line 3", 'got "t=0.0,q=1.0"', 'expected two numbers "time,value"')),
        "words": ([*sound[:3], ("x", 1.0)], ("line 6", "expected two numbers")),
    }
    folder = f"{HERE}/folder.csv"
    os.makedirs(folder, exist_ok=True)
    cases = [({"bc_left_flow_rate": waveform(name, rows)}, (f"{name}.csv", *expected)) for name, (rows, expected) in bad.items()]
    cases += [({"bc_left_flow_rate": f"{HERE}/none.csv"}, ("none.csv", "cannot be opened")),
              ({"bc_left_flow_rate": folder}, ("folder.csv", "cannot be read")), ({"bc_left_flow_rate": "1/(t-t)"}, ("gives inf", "expected a finite number")),
              ({"bc_left_flow_rate": "1+y"}, ("expected an expression in t, pi",)), ({"bc_left_flow_rate": "1+"}, ("-bc_left_flow_rate", "error at column")), ({"bc_left_flow_rate": "1", "bc_left_mean_velocity": 2}, ("expected one of the two",)),
              ({"bc_left_flow_rate": "1", "bc_left_profile": None, "bc_left_velocity": "1,0"}, ("-bc_left_profile parabolic",))]
    for changes, expected in cases:
        gate.refused(case(SLIT, np_=2 if "nan" in str(changes) else 1, expect=None, **changes), ("-bc_left_", *expected))


def main():
    gate = Gate("boundary_flow_rate")
    for check in (slit, pulse, scaled, files, tube, refused):
        check(gate)
    return gate.finish()


sys.exit(main())
