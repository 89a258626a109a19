"""Scalar fields of what comes in, -bc_<label>_<field> "inflow <formula>". coming.py
  reactor        an inlet that brings a value is a film with h = U: the same state by Newton's method, in steps, on 2 ranks
  turning        plug flow that turns, in every scheme, against finite volumes in one dimension; what leaves, enters and stays
  newton         a warm fluid that a pressure drives in through an open label, and that the warmth thins: order of Newton's method, the same state on 3 ranks
  ranks          1, 2 and 3 ranks; runs that are taken up again
  device [np]    host and device
  negative       what is refused, and what is told"""
import math
import re
import sys

import numpy as np
import run
from gate import Gate, largest

OUT = run.folder("coming")
DYE = ("-physics", "newtonian,passive", "-physics_newtonian_viscosity", 0.7, "-form_density", 3, "-stabiliser", "split_oss", "-device", "cpu")
PLUG = ("-mesh_box_upper", "1,0.2", "-bc_bottom_type", "free_slip", "-bc_top_type", "free_slip", "-bc_left_type", "inlet", "-bc_right_type", "outlet", "-bc_right_tangential", "zero")
SCHEMES = {"lumped": ("-scheme", "lumped", "-scheme_lumped_stepper", "heun"), "ssp3": ("-scheme", "fractional_step", "-scheme_fractional_step_integrator", "ssp3"), "bdf2": ("-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2"),
           "monolithic": ("-scheme", "monolithic")}


def case(*words, np_=1, **more):
    return run.rheoplex("run", "-case_name", "coming", *words, out=run.folder("coming"), np=np_, timeout=300, **more)


def dt(name, value):
    return f"-scheme_{SCHEMES[name][1]}_dt", value


def reactor(gate):
    words = (*DYE, *PLUG, "-mesh_box_faces", "20,2", "-mesh_box_cell", "mixed", "-bc_left_velocity", "1.3,0", "-physics_passive_diffusivity", 0.2, "-physics_passive_decay", 2.0)
    steady = ("-scheme", "steady", "-snes_rtol", 1e-11)
    film = case(*words, *steady, "-bc_left_concentration", "film 1.3, 0.8").checkpoint()
    for np_ in 1, 2:
        found = case(*words, *steady, "-bc_left_concentration", "inflow 0.8", np_=np_).checkpoint()
        gate.at_most(f"steady, np {np_}: the state of the film", float(np.abs(found - film)[:, -1].max()), 1e-9)
    gate.at_least("of which the boundary is less than what comes in by", 0.8 - float(film[:, -1].max()), 0.05)
    for name, scheme in SCHEMES.items():
        done = case(*words, *scheme, *dt(name, 0.02 if name == "monolithic" else 0.002), "-stop_time", 6, "-bc_left_concentration", "inflow 0.8")
        gate.at_most(f"{name}: it comes to rest there", float(np.abs(done.checkpoint() - film)[:, -1].max()), 2e-4 if name != "monolithic" else 2e-6)


U, D, LEFT, RIGHT, END = 1.1, 0.03, 1.0, 0.4, 1.5


def exact():
    """Finite volumes, 400 cells and RK4: what comes in has its value, what leaves that of the last cell."""
    n = 400
    h, c, t, steps = 1 / n, np.zeros(n), 0.0, 24000
    speed = lambda t: U * math.cos(2 * math.pi * t / 1.5)

    def slope(c, t):
        u = speed(t)
        between = u * 0.5 * (c[1:] + c[:-1]) - D * (c[1:] - c[:-1]) / h
        left, right = u * (LEFT if u > 0 else c[0]), u * (c[-1] if u > 0 else RIGHT)
        flux = np.concatenate([[left], between, [right]])
        return -(flux[1:] - flux[:-1]) / h

    k = END / steps
    for _ in range(steps):
        a = slope(c, t)
        b = slope(c + 0.5 * k * a, t + 0.5 * k)
        d = slope(c + 0.5 * k * b, t + 0.5 * k)
        e = slope(c + k * d, t + k)
        c, t = c + k / 6 * (a + 2 * b + 2 * d + e), t + k
    return (np.arange(n) + 0.5) * h, c


def turning(gate):
    x, c = exact()
    words = (*DYE, "-physics_newtonian_viscosity", 0.02, *PLUG, "-mesh_box_faces", "80,2", "-bc_left_velocity", f"{U}*cos(2*pi*t/1.5),0", "-initial_velocity", f"{U},0", "-physics_passive_diffusivity", D, "-bc_left_concentration", f"inflow {LEFT}", "-bc_right_concentration", f"inflow {RIGHT}",
             "-initial_concentration", 0, "-stop_time", END, "-diagnostic_a_kind", "scalar_flux", "-diagnostic_a_label", "left,right", "-diagnostic_d_kind", "scalar_diffusion", "-diagnostic_d_label", "left,right", "-diagnostic_i_kind", "integral", "-diagnostic_i_fields", "concentration")
    for name, scheme in SCHEMES.items():
        done = case(*words, *scheme, *dt(name, 0.001))
        at, state = done.checkpoint("positions"), done.checkpoint()
        gate.at_most(f"{name}: largest difference", float(np.abs(state[:, -1] - np.interp(at[:, 0], x, c)).max()), 5e-3)
        if name != "bdf2":
            continue
        flux, through, stays = (done.table(f"_{k}.csv") for k in "adi")
        t = np.array(flux["t"])
        column = lambda table, words: next(np.array(v) for k, v in table.items() if all(w in k for w in words))
        out = sum(column(flux, (side, "concentration")) for side in ("left", "right")) + sum(column(through, (side, "concentration")) for side in ("left", "right"))
        lost = np.trapezoid(out, t) if hasattr(np, "trapezoid") else np.trapz(out, t)
        inside = column(stays, ("concentration",))
        gate.near("bdf2: what leaves, by convection and beside it, and what stays", float(inside[-1] - inside[0] + lost), 0, 2e-3)
    value = case(*words, *SCHEMES["bdf2"], *dt("bdf2", 0.001), "-bc_right_concentration", "natural")
    gate.true("natural is told", "fluid comes in through 'right'" in value.stderr and '-bc_right_concentration "inflow ..."' in value.stderr)


WARM = ("-mesh_box_faces", "16,8", "-mesh_box_upper", "2,1", "-mesh_box_cell", "triangle", "-physics", "newtonian,thermal", "-physics_newtonian_viscosity", 0.2, "-physics_thermal_conductivity", 0.3, "-physics_thermal_heat_capacity", 2,
        "-physics_thermal_sensitivity", 0.05, "-form_density", 1, "-stabiliser", "split_oss", "-bc_left_type", "outlet", "-bc_left_pressure", 2, "-bc_left_tangential", "zero", "-bc_right_type", "outlet", "-bc_bottom_type", "wall", "-bc_top_type", "wall",
        "-bc_bottom_temperature", "value 300", "-bc_top_temperature", "film 0.4, 310", "-bc_left_temperature", "inflow 320+4*y", "-bc_right_temperature", "inflow 290", "-initial_temperature", 300)


def newton(gate):
    found = case(*WARM, "-scheme", "steady", "-snes_rtol", 1e-11, "-device", "cpu")
    line = [x for x in found.stdout.splitlines() if x.startswith("Newton:")][-1]
    norms = [float(x) for x in re.findall(r"(?<!order) (\d\.\d+e[-+]\d+)", line)]
    orders = [float(x) for k, x in enumerate(re.findall(r"order ([-\d.]+)", line)) if k and norms[k + 2] > 1e-12 * max(norms)]
    gate.at_least(f"order of Newton's method at the end, of {orders}", orders[-1], 1.6)
    state = found.checkpoint()
    gate.at_least("the temperature that comes in", float(state[:, -1].max()), 318)
    gate.at_most("3 ranks", float(np.abs(case(*WARM, "-scheme", "steady", "-snes_rtol", 1e-11, "-device", "cpu", np_=3).checkpoint() - state).max()), 1e-7)
    rest = case(*WARM, *SCHEMES["bdf2"], "-scheme_fractional_step_cfl", 0.6, "-stop_time", 60, "-device", "cpu").checkpoint()
    gate.at_most("bdf2: it comes to rest there", float(np.abs(rest - state)[:, -1].max()), 0.02)


STEPS = {"lumped": ("-scheme", "lumped", "-scheme_lumped_dt", 2e-3, "-pressure_ksp_rtol", 1e-13), "bdf2": (*SCHEMES["bdf2"], "-scheme_fractional_step_dt", 0.01, "-pressure_ksp_rtol", 1e-13, "-momentum_ksp_rtol", 1e-13),
         "monolithic": ("-scheme", "monolithic", "-scheme_monolithic_dt", 0.05, "-snes_rtol", 1e-12)}
SWINGS = (*WARM, "-bc_left_pressure", "3*cos(9*t)", "-bc_left_temperature", "inflow 320+4*y+20*t")


def ranks(gate):
    for name, words in STEPS.items():
        state = case(*SWINGS, *words, "-stop_steps", 30, "-device", "cpu").checkpoint()
        for n in 2, 3:
            gate.at_most(f"{name}: {n} ranks, temperature", float(np.abs(case(*SWINGS, *words, "-stop_steps", 30, "-device", "cpu", np_=n).checkpoint() - state)[:, -1].max()), 3e-8)
        half = case(*SWINGS, *words, "-stop_steps", 13, "-device", "cpu")
        rest = case(*SWINGS, *words, "-stop_steps", 30, "-device", "cpu", "-case_restart", half.file("_checkpoint.h5"))
        gate.at_most(f"{name}: taken up again", float(np.abs(rest.checkpoint() - state).max()), 3e-8)


def device(gate, np_):
    for name, words in {**STEPS, "steady": ("-scheme", "steady", "-snes_rtol", 1e-12, "-ksp_rtol", 1e-10)}.items():
        base, how = (WARM, words) if name == "steady" else (SWINGS, (*words, "-stop_steps", 8))
        host, there = (case(*base, *how, "-device", where, np_=n) for where, n in (("cpu", 1), ("cuda", np_)))
        gate.at_most(f"{name}: host and device", float(np.abs(host.checkpoint() - there.checkpoint())[:, -1].max()), 3e-7)
        if name in ("steady", "monolithic"):
            iterations = [re.findall(r"Newton: (\d+) iterations", r.stdout) or list(r.table("_history.csv")["newton_iterations"]) for r in (host, there)]
            gate.true(f"{name}: iterations of Newton's method, {iterations}", iterations[0] == iterations[1])


def negative(gate):
    base = (*DYE, *PLUG, "-mesh_box_faces", "4,2", "-bc_left_velocity", "1,0", "-physics_passive_diffusivity", 0.1, "-scheme", "steady")
    for words, told in ((("-bc_left_concentration", "value 1", "-bc_top_concentration", "inflow 1"), ["-bc_top_concentration: got \"inflow 1\" for a label of type free_slip", "expected it of an inlet or an open label"]),
                        (("-bc_left_concentration", "inflow 1, value 2"), ["expected one of value, inflow, flux and film"]), (("-bc_left_concentration", "inflow 1/(t-t)"), ["expected a finite number"])):
        gate.refused(case(*base, *words, expect=None), told)
    told = run.rheoplex("check", "-case_name", "coming", *base, "-bc_left_concentration", "inflow 1+y", out=run.folder("coming"))
    gate.true("`check` tells it", "concentration inflow 1+y" in told.stdout)


def main(part, *more):
    gate = Gate("_".join(("scalars_coming", part) + more))
    {"reactor": lambda: reactor(gate), "turning": lambda: turning(gate), "newton": lambda: newton(gate), "ranks": lambda: ranks(gate), "device": lambda: device(gate, int(more[0]) if more else 1), "negative": lambda: negative(gate)}[part]()
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
