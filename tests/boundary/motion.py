"""motion.py schemes|container|auto|refused|device: the measured velocity of a label, rows of a CSV file, against the same velocity as formulas in t."""
import math
import os
import sys

import numpy as np
import run
from gate import Gate
from scipy.interpolate import CubicSpline

HERE = run.folder("motion")
PERIOD, ROWS = 0.4, 370
W = 2 * math.pi / PERIOD
U = f"0.7*sin({W!r}*t)+0.2*cos(2*{W!r}*t)-0.2"
PLATES = {
    "case_name": "plates", "mesh_box_upper": "0.5,0.8", "mesh_box_faces": "3,8", "mesh_box_periodic": "x", "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.5, "physics_oldroydb_viscosity": 0.4,
    "physics_oldroydb_lambda": 0.15, "form_density": 3, "stabiliser": "split_oss", "bc_bottom_type": "wall", "bc_top_type": "moving_wall", "bc_top_velocity": f"{U},0", "stop_time": 0.3, "output_fields": "false",
    "diagnostic_f_kind": "forces", "diagnostic_f_label": "top",
}
PRESSURE = {"pressure_ksp_rtol": 1e-12}
SCHEMES = {
    "lumped, Euler": {"scheme": "lumped", "scheme_lumped_dt": 1e-3, **PRESSURE}, "lumped, Heun": {"scheme": "lumped", "scheme_lumped_stepper": "heun", "scheme_lumped_dt": 1e-3, **PRESSURE},
    "lumped, dissipation": {"scheme": "lumped", "scheme_lumped_pressure": "dissipation", "stabiliser_split_oss_parts": "momentum,tensor", "scheme_lumped_dt": 1e-3},
    "ssp3": {"scheme": "fractional_step", "scheme_fractional_step_integrator": "ssp3", "scheme_fractional_step_dt": 2e-3, **PRESSURE},
    "bdf2": {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": 5e-3, "momentum_ksp_rtol": 1e-11, **PRESSURE},
    "monolithic": {"scheme": "monolithic", "scheme_monolithic_dt": 1e-2, "snes_rtol": 1e-11, "ksp_rtol": 1e-11},
    "steady": {"scheme": "steady", "scheme_steady_continuation": "t=0.1:0.1:0.3", "snes_rtol": 1e-11, "stop_time": None},
}


def u(t):
    return 0.7 * np.sin(W * t) + 0.2 * np.cos(2 * W * t) - 0.2


def u_dot(t):
    return 0.7 * W * np.cos(W * t) - 0.4 * W * np.sin(2 * W * t)


def rows_of(name, *components, n=ROWS, begin=0.0, header="time,u,v\n", units=(1, 1)):
    """One period from `begin` on, the last row's values those of the first."""
    t = begin + PERIOD * np.arange(n + 1) / n
    values = [c(t) for c in components]
    for v in values:
        v[-1] = v[0]
    path = f"{HERE}/{name}.csv"
    with open(path, "w") as f:
        f.write("# measured\n" + header + "".join(",".join(repr(float(x)) for x in (t[i] / units[0], *(v[i] / units[1] for v in values))) + "\n" for i in range(n + 1)))
    return path


def still(t):
    return np.zeros_like(t)


def case(base, np_=1, expect=0, verb="run", out=None, **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex(verb, *words, out=out or run.folder("motion"), np=np_, expect=expect, timeout=100)


def force(done, column):
    return done.table("_f.csv")[column]


def schemes(gate):
    path = rows_of("plates", u, still)
    for name, scheme in SCHEMES.items():
        formula, file = (case(PLATES, **scheme, **more) for more in ({}, {"bc_top_velocity": path}))
        gate.at_least(f"{name}: largest velocity", float(np.abs(formula.checkpoint()[:, 0]).max()), 0.3)
        gate.at_most(f"{name}: state by rows less by formula", float(np.abs(file.checkpoint() - formula.checkpoint()).max()), 1e-6)
        gate.at_most(f"{name}: drag by rows less by formula, of the largest", float(np.abs(force(file, "top_x") / force(formula, "top_x") - 1)[-1]), 1e-6)
    orders(gate, path)
    restart(gate, path)
    units(gate)
    turning(gate)
    inlet(gate)


def orders(gate, path):
    """Of second order in time, as by the formula."""
    for name, scheme, dt in (("bdf2", "fractional_step", 0.02), ("monolithic", "monolithic", 0.02)):
        states = [case(PLATES, **{**SCHEMES[name], f"scheme_{scheme}_dt": dt / 2**k}, physics="newtonian", physics_oldroydb_viscosity=None, physics_oldroydb_lambda=None, bc_top_velocity=path, stop_time=0.4).checkpoint()[:, 0] for k in range(4)]
        differences = [float(np.abs(b - a).max()) for a, b in zip(states, states[1:])]
        gate.at_least(f"{name}: order in dt", run.order([4, 2, 1], differences)[-1], 1.8)


def restart(gate, path):
    for name, np_ in (("lumped, Heun", 1), ("bdf2", 2)):
        words = {**SCHEMES[name], "bc_top_velocity": path, "stop_time": None, "stop_steps": 40}
        whole, half = case(PLATES, np_, **words), case(PLATES, np_, **{**words, "stop_steps": 17})
        rest = case(PLATES, np_, **words, case_restart=half.file("_checkpoint.h5"))
        gate.at_most(f"{name}, np {np_}: after a restart", float(np.abs(rest.checkpoint() - whole.checkpoint()).max()), 0 if np_ == 1 else 1e-14)
    one, more = (case(PLATES, np_, **SCHEMES["bdf2"], bc_top_velocity=path).checkpoint() for np_ in (1, 3))
    gate.at_most("np 3 less np 1", float(np.abs(more - one).max()), 1e-10)


def units(gate):
    """Rows in mm/s over ms that begin elsewhere in the period, of which there is another before the first one's time; raised by a ramp."""
    begin = 0.13
    path = rows_of("mm", u, still, begin=begin, header="", units=(1e-3, 1e-3))
    scale = {"bc_top_velocity_scale": 1e-3, "bc_top_velocity_time_scale": 1e-3, "bc_top_ramp": 0.1}
    formula, file = (case(PLATES, **SCHEMES["monolithic"], **more) for more in ({"bc_top_ramp": 0.1}, {"bc_top_velocity": path, **scale}))
    gate.at_most("mm/s over ms: state by rows less by formula", float(np.abs(file.checkpoint() - formula.checkpoint()).max()), 1e-6)
    told = case(PLATES, verb="check", **SCHEMES["monolithic"], bc_top_velocity=path, **scale).stdout
    gate.true("check tells period, mean and range of each component", "(period 0.4 s, u: mean -0.2, rows from -1.1 to 0.306" in told and ", v: mean 0, rows from 0 to 0 m/s)" in told)


def turning(gate):
    """With swirl: a tube that slides and turns, by two columns without, by three with the velocity along theta."""
    tube = {"case_name": "tube", "form_axisymmetric": "true", "mesh_box_upper": "0.6,0.7", "mesh_box_faces": "3,6", "mesh_box_periodic": "x", "physics": "newtonian,swirling", "physics_newtonian_viscosity": 0.5, "form_density": 3,
            "stabiliser": "split_oss", "bc_bottom_type": "symmetry", "bc_top_type": "moving_wall", "stop_time": 0.1, "output_fields": "false", **SCHEMES["monolithic"]}
    three = rows_of("three", u, still, lambda t: 2 * u(t), header="time,u,v,w\n")
    two = rows_of("two", u, still)
    for path, velocity in ((two, f"{U},0"), (three, f"{U},0,2*({U})")):
        formula, file = (case(tube, bc_top_velocity=v).checkpoint() for v in (velocity, path))
        gate.at_most(f"tube, {os.path.basename(path)}: state by rows less by formula", float(np.abs(file - formula).max()), 1e-6)
    gate.at_least("tube: largest u_theta", float(np.abs(file[:, -1]).max()), 0.3)


def inlet(gate):
    """A plug that pulsates, the polymer at rest at it."""
    plug = {"case_name": "plug", "mesh_box_upper": "0.5,0.8", "mesh_box_faces": "4,4", "bc_left_type": "inlet", "bc_right_type": "outlet", "bc_bottom_type": "symmetry", "bc_top_type": "wall",
            **{k: v for k, v in PLATES.items() if not k.startswith(("case", "mesh", "bc_", "diagnostic"))}, **SCHEMES["monolithic"], "stop_time": 0.1}
    path = rows_of("plug", lambda t: 1.2 + u(t), still)
    formula, file = (case(plug, bc_left_velocity=v).checkpoint() for v in (f"1.2+{U},0", path))
    gate.at_most("inlet: state by rows less by formula", float(np.abs(file - formula).max()), 1e-6)


def container(gate):
    """A box that is carried about: the fluid goes with it, u = U(t), and pushes back by rho V dU/dt; in space as by formulas."""
    box = {"case_name": "box", "physics": "newtonian", "physics_newtonian_viscosity": 0.5, "form_density": 3, "stabiliser": "split_oss", "output_fields": "false", "diagnostic_f_kind": "forces", "stop_time": 0.05}
    v_text, w_text = f"0.5*sin(2*{W!r}*t)", f"0.3*cos({W!r}*t)"
    v, w = (lambda t: 0.5 * np.sin(2 * W * t)), (lambda t: 0.3 * np.cos(W * t))
    v_dot = lambda t: W * np.cos(2 * W * t)

    def carried(velocity, sides, np_=1, **words):
        return case(box, np_, diagnostic_f_label=",".join(sides), **{f"bc_{s}_type": "moving_wall" for s in sides}, **{f"bc_{s}_velocity": velocity for s in sides}, **words)

    plane = ("left", "right", "bottom", "top")
    path = rows_of("plane", u, v)
    for cell, np_ in (("quadrilateral", 1), ("triangle", 2)):
        done = carried(path, plane, np_, mesh_box_cell=cell, mesh_box_faces="4,3", mesh_box_upper="1,0.8", initial_velocity="0,0", **{**SCHEMES["monolithic"], "scheme_monolithic_dt": 2e-3, "snes_rtol": 1e-10, "ksp_rtol": 1e-9})
        for k, (motion, rate) in enumerate(((u, u_dot), (v, v_dot))):
            gate.at_most(f"container, {cell}: component {k} of the fluid less the container's", float(np.abs(done.checkpoint()[:, k] - motion(0.05)).max()), 1e-7)
            gate.near(f"container, {cell}: push of component {k}", sum(force(done, f"{s}_{'xy'[k]}")[-1] for s in plane) / (3 * 0.8), -rate(0.05), 0.02)
    path = rows_of("space", u, v, w, header="t,u,v,w\n")
    formula, file = (carried(velocity, (*plane, "back", "front"), 2, mesh_box_cell="hexahedron", mesh_box_faces="3,2,2", mesh_box_upper="1,0.8,0.5", initial_velocity="0,0,0.3", **SCHEMES["bdf2"]).checkpoint()
                     for velocity in (f"{U},{v_text},{w_text}", path))
    gate.at_most("container in space: state by rows less by formulas", float(np.abs(file - formula)[:, :3].max()), 1e-6)


def auto(gate):
    """The time step is chosen by the largest speed and the shortest time of the formula, at noise in another component too."""
    words = {**PLATES, "scheme": "auto", "stop_time": 40}
    told = {}
    for name, velocity in (("formula", f"{U},0"), ("rows", rows_of("auto", u, still)), ("noise", rows_of("noise", u, lambda t: 1e-7 * np.sin(1e3 * np.arange(len(t)))))):
        lines = case(words, verb="check", bc_top_velocity=velocity).stdout.splitlines()
        scheme, fastest = (next(line for line in lines if line.startswith(head)) for head in ("Scheme: ", "Time step limits with the fastest"))
        gate.true(f"{name}: {scheme}", "(-bc_top_velocity)" in scheme)
        told[name] = float(scheme.split("at most ")[1].split(" s,")[0]), float(fastest.split("(")[1].split(",")[0])
    for name in ("rows", "noise"):
        gate.relative(f"{name}: largest time step", told[name][0], told["formula"][0], 0.03)
        gate.near(f"{name}: fastest velocity, over a period", told[name][1], -1.1, 0.005)


def refused(gate):
    sound = [(0.1 * i, math.sin(0.2 * math.pi * i), 0.0) for i in range(11)]
    sound[-1] = (1.0, 0.0, 0.0)
    bad = {
        "nan": ([*sound[:3], (0.3, 0.1, math.nan), *sound[4:]], ("line 4", "nan", "finite numbers")),
        "unsorted": ([*sound[:3], (0.15, 1.0, 0.0), *sound[4:]], ("line 4", "0.15 after 0.2", "ascending")),
        "jump": ([*sound[:-1], (1.0, 0.0, 0.5)], ("jump of -0.5 at the period's end in v", "expected a last row of the first one's values")),
        "short": (sound[:1] + sound[-1:], ("got 2 rows", "expected at least 4")),
        "scalar": ([s[:2] for s in sound], ("line 1", 'got "0.0,0.0"', 'expected three numbers "time,u,v"')),
        "space": ([(*s, 0.0) for s in sound], ("line 1", 'expected three numbers "time,u,v"')),
        "ragged": ([*sound[:3], (0.3, 0.1), *sound[4:]], ("line 4", 'got "0.3,0.1"', "expected three numbers")),
    }
    files = {}
    for name, (rows, _) in bad.items():
        files[name] = f"{HERE}/{name}.csv"
        with open(files[name], "w") as f:
            f.writelines(",".join(map(str, row)) + "\n" for row in rows)
    good = rows_of("good", u, still)
    base = {**PLATES, **SCHEMES["monolithic"]}
    for name, (_, expected) in bad.items():
        gate.refused(case(base, np_=2 if name == "nan" else 1, expect=None, bc_top_velocity=files[name]), ("-bc_top_velocity", f"{name}.csv", *expected))
    outlet = {"mesh_box_periodic": None, "bc_left_type": "inlet", "bc_left_flow_rate": 1, "bc_right_type": "outlet", "bc_top_type": "wall", "bc_top_velocity": None}
    wall = {"bc_top_type": "wall"}
    for changes, expected in (({"bc_top_velocity": f"{HERE}/none.csv"}, ("none.csv", "cannot be opened", "time,u,v")), ({"bc_top_velocity_scale": 2}, ("-bc_top_velocity_scale: got 2", ".csv")),
                              ({"bc_top_velocity": good, "bc_top_velocity_time_scale": 0}, ("bc_top_velocity_time_scale", 'got "0"')), ({"bc_top_velocity": good, **wall}, ("-bc_top_velocity", "does not take")),
                              ({**outlet, "bc_right_velocity": good}, ("-bc_right_velocity", "good.csv", "at an outlet", "expected formulas")), ({**outlet, "bc_left_velocity": good}, ("-bc_left_flow_rate", "formulas of the velocity")),
                              ({"form_axisymmetric": "true", "bc_bottom_type": "symmetry", "physics": "newtonian,swirling", "physics_oldroydb_viscosity": None, "physics_oldroydb_lambda": None, "bc_top_velocity": files["scalar"]},
                               ("-bc_top_velocity", "scalar.csv", 'numbers "time,u,v[,w]"')),
                              ({**outlet, "bc_left_flow_rate": None, "bc_left_profile": "parabolic", "bc_left_mean_velocity": 1, "bc_left_velocity": good}, ("-bc_left_velocity", "-bc_left_profile parabolic"))):
        gate.refused(case(base, expect=None, **changes), expected)


def device(gate):
    path = rows_of("device", u, still)
    for name in ("lumped, Heun", "bdf2", "monolithic"):
        state = {}
        for where in ("cpu", "cuda"):
            done = case(PLATES, expect=None, **{**SCHEMES[name], "stop_time": None, "stop_steps": 4}, bc_top_velocity=path, device=where)
            if where == "cuda" and "No device to compute on" in done.stderr:
                return 77
            gate.true(f"{name}, {where}: the run ends{': ' + done.stderr[:600] if done.rc else ''}", done.rc == 0)
            state[where] = done.checkpoint()
        gate.at_least(f"{name}: largest velocity", float(np.abs(state["cpu"][:, 0]).max()), 0.02)
        gate.at_most(f"{name}: largest difference of the device", float(np.abs(state["cuda"] - state["cpu"]).max()), 1e-10)
    return 0


def main(name):
    gate = Gate(f"boundary_motion_{name}")
    skip = {"schemes": schemes, "container": container, "auto": auto, "refused": refused, "device": device}[name](gate)
    return skip or gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
