"""Scheme `fractional_step`. fractional.py
  dt <integrator>: refinement of dt alone on one mesh: velocity and pressure, each at its time, are of second order
  vortices <integrator> [box]: Taylor's vortices carried by (1,1) with dt ~ h, periodic, or in a box of given velocities
  restart <integrator>: a restart gives the same bits; what is written on the way changes nothing
  refused: what is no option of the scheme"""
import sys

import l2
import numpy as np
import run
from gate import Gate

RHO, NU, WAVE = 3.0, 0.01, 2 * np.pi
VELOCITY = "1-cos(K*(x-t))*sin(K*(y-t))*exp(-2*N*K^2*t),1+sin(K*(x-t))*cos(K*(y-t))*exp(-2*N*K^2*t)"
PRESSURE = "-R/4*(cos(2*K*(x-t))+cos(2*K*(y-t)))*exp(-4*N*K^2*t)"


def formula(text, t=None):
    for name, value in ("K", WAVE), ("N", NU), ("R", RHO):
        text = text.replace(name, repr(value))
    return text if t is None else text.replace("-t)", f"-{t!r})").replace("*t)", f"*{t!r})")


def exact(text, t):
    words = [w.replace("^", "**").replace("cos(", "np.cos(").replace("sin(", "np.sin(").replace("exp(", "np.exp(") for w in formula(text, t).split(",")]
    return lambda points: np.stack([eval(w, {"np": np, "x": points[:, 0], "y": points[:, 1]}) for w in words], 1)


def vortices(n, dt, end, integrator, *more, box=False, tau="transient", cell="triangle"):
    words = ["-case_name", "vortices", "-mesh_box_faces", f"{n},{n}", "-mesh_box_cell", cell, "-mesh_box_jitter", "0.2", "-physics", "newtonian",
             "-physics_newtonian_viscosity", RHO * NU, "-form_density", RHO, "-stabiliser", "split_oss", "-stabiliser_split_oss_tau", tau,
             "-initial_velocity", formula(VELOCITY, 0.0), "-initial_pressure", formula(PRESSURE, 0.0), "-pressure_ksp_rtol", "1e-9",
             "-scheme", "fractional_step", "-scheme_fractional_step_integrator", integrator, "-scheme_fractional_step_dt", repr(dt), "-stop_time", repr(end)]
    for side in ("left", "right", "bottom", "top") if box else ():
        words += [f"-bc_{side}_type", "inlet", f"-bc_{side}_velocity", formula(VELOCITY)]
    return run.rheoplex("run", *words, *([] if box else ["-mesh_box_periodic", "xy"]), *more, out=run.folder("fractional"))


def nodal(result):
    """Velocity and pressure, as reported, without a mean; nodes in their order in the file."""
    f = result.fields()
    return f["velocity"][:, :2], f["pressure"] - f["pressure"].mean()


def refine(gate, integrator):
    steps = (40, 80, 160, 1280)
    states = [nodal(vortices(16, 0.2 / n, 0.2, integrator, tau="1e-4")) for n in steps]
    for k, name in enumerate(("velocity", "pressure")):
        error = [float(np.sqrt(np.mean((s[k] - states[-1][k]) ** 2))) for s in states[:-1]]
        for n, a in zip(steps, error):
            gate.note(f"{name}: {n} steps", a)
        for n, a, b in zip(steps, error, error[1:]):
            gate.at_least(f"{name}: {n} to {2 * n} steps", a / b, 3.6)


def carried(gate, integrator, *where):
    meshes, rows, end = (16, 32, 64), [], 0.4
    for n in meshes:
        got = vortices(n, 0.16 / n, end, integrator, box=bool(where)).fields()
        pressure = exact(PRESSURE, end)
        shift = np.mean(got["pressure"] - pressure(got.points)[:, 0])
        rows.append(l2.error(got, [(got["velocity"][:, :2], exact(VELOCITY, end)), ((got["pressure"] - shift)[:, None], pressure)]))
        for name, value in zip(("velocity", "pressure"), rows[-1]):
            gate.note(f"L2 error of the {name}, {n} cells a side", value)
    for k, (name, bound) in enumerate((("velocity", 1.9), ("pressure", 1.7))):
        gate.at_least(f"order of the {name}", run.order([1 / n for n in meshes], [r[k] for r in rows])[-1], bound)


def restart(gate, integrator):
    """Twelve steps at once and five and seven, whose fields are written on the way."""
    fluid = ["-stabiliser_split_oss_parts", "pressure,momentum,tensor", "-bc_right_type", "outlet", "-bc_right_pressure", "2*sin(9*t)*y", "-output_every", 1, "-stop_steps"]
    case = lambda *more: vortices(6, 0.004, 9.0, integrator, *fluid, *more, box=True)
    whole, part = case(12), case(5)
    rest = case(12, "-case_restart", part.file("_checkpoint.h5"))
    quiet = case(12, "-output_every", 0, "-ts_monitor")
    for what in ("state", "rate"):
        gate.true(f"{what} after a restart", np.array_equal(whole.checkpoint(what), rest.checkpoint(what)))
        gate.true(f"{what} where nothing is written on the way", np.array_equal(whole.checkpoint(what), quiet.checkpoint(what)))
    for name in ("velocity", "pressure"):
        gate.true(f"{name} as it is reported", np.array_equal(whole.fields()[name], rest.fields()[name]))
        gate.true(f"{name} as it is reported, one file", np.array_equal(whole.fields()[name], quiet.fields()[name]))
    given = lambda t, y: 2 * np.sin(9 * t) * y
    for end, steps in (0.048, [0.004] * 12), (0.0465, [0.004] * 10 + [0.00325]):
        f = vortices(6, 0.004, end, integrator, "-bc_right_type", "outlet", "-bc_right_pressure", "2*sin(9*t)*y", "-stop_steps", len(steps), box=True).fields()
        right = f.points[:, 0] > 1 - 1e-9
        before, last = (given(sum(steps[:k]) + steps[k] / 2, f.points[right, 1]) for k in (len(steps) - 2, len(steps) - 1))
        told = last + (last - before) / (steps[-2] + steps[-1]) * steps[-1]
        gate.at_most(f"a given pressure is that of the middles, told at {end:g} s", float(np.abs(f["pressure"][right] - told).max()), 1e-6)


def refused(gate):
    for words, parts in ((["-scheme_fractional_step_integrator", "bdf2"], ("bdf2", "heun, ssp3 or rk4")),
                         (["-scheme_lumped_dt", "0.1"], ("-scheme_lumped_dt",)),
                         (["-scheme_fractional_step_theta", "0.5"], ("-scheme_fractional_step_theta",)),
                         (["-ts_adapt_type", "basic"], ("-scheme_fractional_step_cfl", "fractional_step")),
                         (["-ts_dt", "0.1"], ("-ts_dt", "-scheme_fractional_step_dt")),
                         (["-ksp_rtol", "0.1"], ("'fractional_step'", "-pressure_ksp_rtol"))):
        result = run.rheoplex("run", "-mesh_box_faces", "4,4", "-mesh_box_periodic", "xy", "-stabiliser", "split_oss", "-physics", "newtonian", "-physics_newtonian_viscosity", "1", "-scheme", "fractional_step", "-scheme_fractional_step_dt", "0.01",
                              "-stop_steps", 1, *words, out=run.folder("fractional"), expect=None)
        gate.true(f"{words[0]} is refused, with {parts}", result.rc != 0 and all(part in result.stderr for part in parts))


def passed_over(gate):
    """A case with the blocks of two schemes: that of the other one is told, on the command line alone it is an error."""
    out = run.folder("fractional")
    with open(f"{out}/two.yaml", "w") as f:
        f.write("mesh: {box_faces: '4,4', box_periodic: xy}\nstabiliser: split_oss\nphysics: newtonian\nphysics_newtonian: {viscosity: 1}\nstop: {steps: 1}\n"
                "initial_velocity: 'sin(6.283185307179586*y),0'\ndiagnostics: {all: {kind: health}}\n"
                "scheme_lumped: {dt: 0.02, stepper: heun, pressure: dissipation}\nscheme_fractional_step: {dt: 0.01}\n")
    for scheme, other, dt in (("fractional_step", "lumped", 0.01), ("lumped", "fractional_step", 0.02)):
        for np_ in (1, 2):
            result = run.rheoplex("run", f"{out}/two.yaml", "-scheme", scheme, *(["-stabiliser_split_oss_parts", "momentum"] if scheme == "lumped" else []), out=run.folder("fractional"), np=np_)
            gate.true(f"{scheme}, np {np_}: {other} is told", f"the case's options scheme_{other}_... are not used: the scheme is {scheme} (-scheme)" in result.stdout)
            gate.near(f"{scheme}, np {np_}: its time step", float(result.table("_history.csv")["t"][-1]), dt, 1e-15)
            gate.true("diagnostics in the plural", len(result.table("_all.csv")["t"]) == 1)


def main(check, *more):
    gate = Gate("_".join(("scheme_fractional", check) + more))
    {"dt": refine, "vortices": carried, "restart": restart, "refused": refused, "passed_over": passed_over}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
