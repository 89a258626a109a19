"""Scheme `fractional_step`. fractional.py
  dt <integrator> [tau]: refinement of dt alone on one mesh: velocity and pressure, each at its time, are of second order where tau is small, with bdf2 for any
  tau <integrator> [smallest dt]: the same of a manufactured flow with its own tau: velocity and pressure are those of larger steps
  vortices <integrator> [box]: Taylor's vortices carried by (1,1) with dt ~ h, periodic, or in a box of given velocities
  forces [device]: on the walls of a channel that a force sets in motion, against the sum of Fourier's series
  restart <integrator>: a restart gives the same bits; what is written on the way changes nothing
  modes [integrator]: bdf2, or an explicit integrator, with two modes, from rest: refinement of dt alone, and a restart that gives the same bits
  transport <variable>: the same with implicit transport of the modes, ranks, and a steady state that is that of Heun's
  scalars: bdf2 with a concentration, from rest, in both forms of its convection: refinement of dt alone, ranks, and a restart that gives the same bits
  diffusion: a concentration beside bdf2 decays at 0.9 of its limit, which no viscosity shortens, and grows far beyond it
  waves [polymer]: elastic waves decay at 0.9 of the limits of bdf2, and grow far beyond them
  convected: stress with implicit transport that is carried along does not grow
  start <integrator>: a start without continuity, a gradient between walls without friction, is at rest after two steps
  impulse <integrator> [device]: what flows in at once flows out at once, behind every outlet whose pressure is a traction
  ranks: rk4 and bdf2 on one, two and four ranks
  reversed: what flows in leaves, with error of second order in dt, where a thinning fluid comes to rest and turns on a graded mesh
  rate: gls, whose residual of momentum holds the rate, takes instant subscales; tracked ones are told, for they grow on distorted tetrahedra
  graded: bdf2 with small steps decays on a mesh whose cells grow from 0.05 to 4 diameters of a cylinder, tau steady and transient, and on quadrilaterals graded to 1/100 at Re 1e5
  exact <cell>: bdf2 keeps a shear flow that is speeded up, in space and time, with steps of several lengths
  stable <outlet> <law>: bdf2 with steps a thousand times those of an explicit scheme comes to rest
  halved: bdf2 halves a step whose solve fails, once, and says so
  recorded: steps on a device as one graph, of every integrator and of lengths that change, are those launch by launch, and those of bdf2 send nothing
  timed: the same where given values depend on time; what is launched one by one is told
  balance: forces on the walls of a channel that bdf2 speeds up, and the momentum of the fluid
  shortened: a last step that is short beside those before has their pressure
  refused: what is no option of the scheme; refused_there: nor of momentum on a device"""
import sys

import l2
import manufactured as order
import mshwrite
import numpy as np
import run
import sympy
from gate import Gate
from manufactured import T_END, case, exact as manufactured, solution

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


def vortices(n, dt, end, integrator, *more, box=False, tau=None, cell="triangle"):
    tau = tau or ("transient" if integrator == "bdf2" else "steady")
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


def refine(gate, integrator, tau="1e-4"):
    steps = (40, 80, 160, 1280)
    cells, least, most = (16, (3.6, 3.6), None) if tau == "1e-4" else (8, (3.6, 1.8), (6.3e-3, 3.1e-3, 1.65e-3))
    states = [nodal(vortices(cells, 0.2 / n, 0.2, integrator, tau=tau)) for n in steps]
    for k, name in enumerate(("velocity", "pressure")):
        error = [float(np.sqrt(np.mean((s[k] - states[-1][k]) ** 2))) for s in states[:-1]]
        for n, a in zip(steps, error):
            gate.note(f"{name}: {n} steps", a)
        for n, a, b in zip(steps, error, error[1:]):
            gate.at_least(f"{name}: {n} to {2 * n} steps", a / b, least[k])
        for n, a, bound in zip(steps, error, most or ()) if k else ():
            gate.at_most(f"{name}: {n} steps", a, bound)


def noise(gate):
    """Flow along the lines of a mesh, |u| h/nu 630 and 1250 or more, with noise, in periodic boxes, beside an outlet whose pressure is in the traction or
    at nodes, and fluid at rest behind one: what the pressure does with the cells' own waves decays, and with steps of one and two cells what the projections do."""
    quads, triangles, hexes, tets = (("quadrilateral", 16, 1e-4, 400), ("triangle", 16, 1e-4, 200), ("hexahedron", 8, 1e-4, 160), ("tetrahedron", 6, 1e-4, 100))
    flows = [(*each, 1, None) for each in (quads, triangles, hexes, tets)] + [(*each, 1, "traction") for each in (quads, hexes)] + [(*quads, 0, "traction"), (*triangles, 1, "nodes")]
    implicit = [(*flow, 0.1, "bdf2") for flow in flows] + [(*quads, 1, None, 1, "bdf2"), (*triangles, 1, None, 1, "bdf2"), (*triangles, 1, None, 2, "bdf2")]
    explicit = [(*quads, 1, "traction", 0.02, "ssp3"), (*tets, 0, "traction", 0.5, "rk4"), (*triangles, 1, "nodes", 0.02, "heun")]
    explicit += [(*quads, 1, "traction", 0.02, "lumped euler"), (*hexes, 1, "traction", 0.1, "lumped heun"), (*triangles, 0, "traction", 0.5, "lumped euler")]  # tracked
    for cell, n, viscosity, steps, speed, at, courant, integrator in implicit + explicit:
        space = cell in ("hexahedron", "tetrahedron")
        low, high = ("back", "front") if space else ("bottom", "top")
        sides = [f"-bc_{low}_type", "symmetry", f"-bc_{high}_type", "outlet", f"-bc_{high}_pressure_at", at] if at else []
        lumped, stepper = integrator.startswith("lumped"), integrator.split()[-1]
        scheme = {"lumped_stepper": stepper, "lumped_subscales": "tracked", "lumped_dt": courant / n} if lumped else {"fractional_step_integrator": stepper, "fractional_step_dt": courant / n}
        result = run.rheoplex(
            "run", "-case_name", "noise", "-mesh_box_cell", cell, "-mesh_box_faces", ",".join([str(n)] * (3 if space else 2)), "-mesh_box_periodic", ("xyz" if space else "xy")[: -1 if at else None], *sides,
            "-mesh_box_jitter", 0, "-initial_velocity", f"{speed},0,0" if space else f"{speed},0", "-initial_perturbation", 1e-5, "-physics", "newtonian", "-physics_newtonian_viscosity", RHO * viscosity,
            "-form_density", RHO, "-stabiliser", "split_oss", "-scheme", "lumped" if lumped else "fractional_step", *(w for key, value in scheme.items() for w in (f"-scheme_{key}", value)),
            "-stop_steps", steps, "-diagnostic_history_every", steps // 4, out=run.folder("fractional"))
        rate = result.table("_history.csv")["du_dt"]
        gate.at_most(f"{integrator}, {cell}{f', outlet, pressure at {at}, u = {speed} m/s' if at else ''}, Courant number {courant}: |du/dt| after {steps} steps over that after {steps // 4}", float(rate[-1] / rate[0]), 0.8)


def held(integrator, dt):
    """L2 errors of velocity and pressure of a manufactured flow with polymer; of Taylor's vortices in a box by bdf2."""
    u, p, _ = solution(2)
    if integrator == "bdf2":
        t, got = 0.05, vortices(16, float(dt), 0.05, integrator, "-diagnostic_history_every", 1000, box=True, tau="steady").fields()
        velocity, wanted = exact(VELOCITY, t), exact(PRESSURE, t)
    else:
        words = case(2, "stress")
        for name in "-scheme_lumped_stepper", "-stabiliser_split_oss_tau":
            at = words.index(name)
            del words[at : at + 2]
        words += ["-mesh_box_faces", "8,8", "-mesh_box_cell", "triangle", "-mesh_box_jitter", 0.2, "-scheme", "fractional_step", "-scheme_fractional_step_integrator", integrator]
        got = run.rheoplex("run", *words, "-scheme_fractional_step_dt", dt, "-diagnostic_history_every", 1000, out=run.folder("fractional")).fields()
        velocity, wanted = manufactured(2, u, T_END), manufactured(2, [p], T_END)
    shift = np.mean(got["pressure"] - wanted(got.points)[:, 0])
    return l2.error(got, [(got["velocity"][:, :2], velocity), ((got["pressure"] - shift)[:, None], wanted)])


def tracked(gate, integrator, smallest="1e-5"):
    """Subscales that are tracked lose no pressure as dt goes to 0, and follow a flow better than those that are not."""
    rows = [held(integrator, dt) for dt in ("1e-3", smallest)]
    for k, name in enumerate(("velocity", "pressure")):
        gate.relative(f"L2 error of the {name}, dt {smallest} against 1e-3", rows[1][k], rows[0][k], 0.01)
    gate.at_most("L2 error of the pressure", rows[1][1], 0.066 if integrator == "bdf2" else 0.012)
    states = {how: [nodal(vortices(16, 0.2 / n, 0.2, integrator, "-scheme_fractional_step_subscales", how, tau="steady")) for n in (40, 1280)] for how in ("tracked", "instant")}
    for k, (name, factor) in enumerate((("velocity", 5), ("pressure", 2))):
        error = {how: float(np.sqrt(np.mean((a[k] - b[k]) ** 2))) for how, (a, b) in states.items()}
        gate.note(f"{name}: error in time of tracked subscales", error["tracked"])
        gate.at_least(f"{name}: error in time of instant subscales over that of tracked ones", error["instant"] / error["tracked"], factor)


def rms(got, t):
    return float(np.sqrt(np.mean(np.sum((got["velocity"][:, :2] - exact(VELOCITY, t)(got.points)) ** 2, 1))))


def corrected(gate, integrator, n, end, got):
    """The consistent mass against the lumped one: the same steps."""
    lumped = vortices(n, 0.16 / n, end, integrator, "-scheme_fractional_step_mass_corrections", 0).fields()
    gate.at_most(f"nodal error of the velocity, {n} cells a side", rms(got, end), 1.2e-3)
    gate.at_most("over that of the lumped mass", rms(got, end) / rms(lumped, end), 0.2)


def carried(gate, integrator, *where):
    meshes, rows, end = (16, 32, 64), [], 0.4
    stable = ["-scheme_fractional_step_mass_corrections", 0] if integrator == "heun" else []  # its limit with a correction is below these steps
    for n in meshes:
        got = vortices(n, 0.16 / n, end, integrator, *stable, box=bool(where)).fields()
        pressure = exact(PRESSURE, end)
        shift = np.mean(got["pressure"] - pressure(got.points)[:, 0])
        rows.append(l2.error(got, [(got["velocity"][:, :2], exact(VELOCITY, end)), ((got["pressure"] - shift)[:, None], pressure)]))
        for name, value in zip(("velocity", "pressure"), rows[-1]):
            gate.note(f"L2 error of the {name}, {n} cells a side", value)
    for k, (name, bound) in enumerate((("velocity", 1.9), ("pressure", 1.7))):
        gate.at_least(f"order of the {name}", run.order([1 / n for n in meshes], [r[k] for r in rows])[-1], bound)
    if integrator == "rk4" and not where:
        corrected(gate, integrator, meshes[-1], end, got)


def forces(gate, device="cpu"):
    """rho u_t = F cos(w t) + eta u_yy from rest between walls: u = sum over odd k of a_k sin(k pi y); eight triangles across."""
    eta, F, w, t = 0.4, 9.0, 6.0, 0.1
    k = np.arange(1, 200001, 2)
    rate = eta / RHO * (k * np.pi) ** 2
    a = 4 / (k * np.pi) * F / RHO * (rate * np.cos(w * t) + w * np.sin(w * t) - rate * np.exp(-rate * t)) / (rate**2 + w**2)
    walls = float(np.sum(a * k) * eta * np.pi)  # on one of them
    words = ["-case_name", "channel", "-mesh_box_faces", "3,8", "-mesh_box_periodic", "x", "-mesh_box_cell", "triangle", "-physics", "newtonian", "-physics_newtonian_viscosity", eta,
             "-form_density", RHO, "-stabiliser", "split_oss", "-form_body_force", f"{F}*cos({w}*t),0", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-scheme", "fractional_step",
             "-scheme_fractional_step_dt", "1e-3", "-stop_time", t, "-diagnostic_forces", "bottom,top", "-device", device]
    for ranks, corrections, within in ((1, 2, 0.01), (2, 1, 0.005)):
        table = run.rheoplex("run", *words, "-scheme_fractional_step_mass_corrections", corrections, out=run.folder("fractional"), np=ranks).table("_forces.csv")
        for side in ("bottom", "top"):
            gate.relative(f"force on the {side}, {corrections} corrections, {ranks} ranks", table[f"{side}_x"][-1], walls, within)


def restart(gate, integrator):
    """Twelve steps at once and five and seven, whose fields are written on the way."""
    fluid = ["-stabiliser_split_oss_parts", "pressure,momentum,tensor", "-bc_right_type", "outlet", "-bc_right_pressure", "2*sin(9*t)*y", "-output_every", 1, "-output_checkpoint_every", 5, "-stop_steps"]
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
        f = vortices(6, 0.004, end, integrator, "-bc_right_type", "outlet", "-bc_right_pressure", "2*sin(9*t)*y", "-bc_right_pressure_at", "nodes", "-stop_steps", len(steps), box=True).fields()
        right = f.points[:, 0] > 1 - 1e-9
        before, last = (given(sum(steps[:k]) + steps[k] / 2, f.points[right, 1]) for k in (len(steps) - 2, len(steps) - 1))
        told = last + (last - before) / (steps[-2] + steps[-1]) * steps[-1]
        what = "a given pressure is that of the middles, told"
        if integrator == "bdf2":
            what, told = "a given pressure is that", given(sum(steps), f.points[right, 1])
        gate.at_most(f"{what} at {end:g} s", float(np.abs(f["pressure"][right] - told).max()), 1e-6)


def starting(dim):
    """As manufactured.solution, from rest."""
    (x, y, _), g = order.X, sympy.sin(8 * order.T) ** 2
    return ([g * sympy.sin(x) * sympy.cos(y), -g * sympy.cos(x) * sympy.sin(y)], g * sympy.cos(x + 2 * y),
            {(0, 0): 1 + g * sympy.sin(x + y) / 4, (1, 1): 1 + g * sympy.cos(x - y) / 4, (0, 1): g * sympy.sin(x - 2 * y) / 5})


def two_modes(n, *more, integrator="bdf2", **where):
    """A manufactured flow of two modes with slip, density 3, in n steps."""
    order.solution = starting
    words = [str(w) for w in case(2, "gls")]
    words[words.index("-stabiliser") + 1] = "devss,split_oss"
    at = words.index("-scheme_lumped_stepper")
    del words[at : at + 2]
    return run.rheoplex("run", *words, "-stabiliser_devss_theta", 0.6, "-stabiliser_split_oss_tau", "1e-4", "-mesh_box_faces", "8,8", "-mesh_box_cell", "triangle", "-mesh_box_jitter", 0.2, "-scheme", "fractional_step", "-scheme_fractional_step_integrator", integrator,
                        "-scheme_fractional_step_dt", repr(T_END / n), "-pressure_ksp_rtol", "1e-9", *(["-momentum_ksp_rtol", "1e-8"] if integrator == "bdf2" else []), *more, out=run.folder("fractional"), **where)


def refine_modes(gate, run_in, bounds, last=640, first=20):
    steps = (first, 2 * first, 4 * first, last)
    fields = [run_in(n).fields() for n in steps]
    for name, bound in bounds.items():
        states = [f[name] - (f[name].mean() if name == "pressure" else 0) for f in fields]
        error = [float(np.sqrt(np.mean((s - states[-1]) ** 2))) for s in states[:-1]]
        gate.note(f"{name}: error of {steps[0]} steps", error[0])
        gate.at_least(f"{name}: {steps[1]} to {steps[2]} steps", error[1] / error[2], bound)


def restart_modes(gate, run_in, steps=20):
    whole, part = (run_in(steps, "-output_checkpoint_every", 3, "-stop_steps", n) for n in (7, 3))
    rest = run_in(steps, "-output_checkpoint_every", 3, "-stop_steps", 7, "-case_restart", part.file("_checkpoint.h5"))
    for what in ("state", "rate"):
        gate.true(f"{what} after a restart", np.array_equal(whole.checkpoint(what), rest.checkpoint(what)))
    return whole


def modes(gate, integrator="bdf2"):
    run_in = lambda n, *more: two_modes(n, *more, integrator=integrator)
    least = {"velocity": 3.3, "pressure": 3.6, "conformation_0": 3.6, "conformation_1": 3.6}
    first, last = (20, 640) if integrator == "bdf2" else (60, 960)  # within the limit of explicit steps
    refine_modes(gate, run_in, least, last, first)
    restart_modes(gate, run_in, first)


TRANSPORT = ["-scheme_fractional_step_polymer", "transport", "-transport_ksp_rtol", "1e-8"]


def transport(gate, variable):
    """In log c the sources of the manufactured flow are those of another one, which is as smooth."""
    run_in = lambda n, *more, **where: two_modes(n, "-polymer_variable", variable, *TRANSPORT, *more, **where)
    refine_modes(gate, run_in, {"velocity": 3.3, "pressure": 3.3, "conformation_0": 3.6, "conformation_1": 3.6}, 320)
    restart_modes(gate, run_in)
    tight = ["-transport_ksp_rtol", "1e-13", "-momentum_ksp_rtol", "1e-13", "-pressure_ksp_rtol", "1e-13", "-stop_steps", 7]
    states = [run_in(20, *tight, np=ranks).checkpoint() for ranks in (1, 2, 3)]
    for ranks, state in zip((2, 3), states[1:]):
        gate.at_most(f"largest difference of np = 1 and {ranks}", float(np.abs(state - states[0]).max()), 1e-10)
    rest(gate, variable)


def rest(gate, variable):
    """A lid-driven cavity of two modes comes to rest, whatever dt, and Heun's steps, fifty of them, leave it there."""
    words = [*LID[:-2], "-mesh_box_faces", "6,6", *MODES, "-polymer_variable", variable, "-scheme", "fractional_step", *BDF2, "-stop_steps", 2000, "-momentum_ksp_rtol", "1e-6", "-diagnostic_history_every", 1000]
    found = [run.rheoplex("run", *words, "-scheme_fractional_step_dt", dt, *TRANSPORT, "-stop_steady_tol", "1e-11", out=run.folder("fractional")) for dt in (0.04, 0.08)]
    gate.at_most("rate at the end", float(found[1].table("_history.csv")["dc_dt"][-1]), 1e-11)
    after = run.rheoplex("run", *words, "-scheme_fractional_step_dt", 0.01, "-stop_steps", int(found[1].table("_history.csv")["step"][-1]) + 50, "-case_restart", found[1].file("_checkpoint.h5"), out=run.folder("fractional"))
    state = found[1].checkpoint()
    for what, other in (("half of dt", found[0]), ("Heun's steps", after)):
        gate.at_most(f"state of rest and that of {what}", float((np.abs(other.checkpoint() - state).max(0) / np.abs(state).max(0)).max()), 1e-8)


def concentration(n, *more, **where):
    """In a box whose lid is speeded up: a value that changes, a flux and a source; density 3, in n steps."""
    words = ["-case_name", "scalars", "-mesh_box_faces", "8,8", "-mesh_box_cell", "triangle", "-physics", "newtonian,passive", "-physics_newtonian_viscosity", 0.3, "-form_density", RHO,
             "-physics_passive_diffusivity", 0.05, "-physics_passive_decay", 0.7, "-physics_passive_supply", 0.4, "-stabiliser_split_oss_tau", "1e-4", "-initial_concentration", "1+x*y",
             "-form_source_concentration", "sin(5*t)*x", "-scheme_fractional_step_dt", repr(0.2 / n), "-stop_time", 0.2, "-pressure_ksp_rtol", "1e-9", "-momentum_ksp_rtol", "1e-8",
             "-bc_top_type", "moving_wall", "-bc_top_velocity", "16*sin(8*t)^2*x^2*(1-x)^2,0", "-bc_top_concentration", "value 1+x+t^2", "-bc_left_concentration", "flux 0.3*(1+y+t)"]
    return box("scalars", *words, *(w for side in ("left", "right", "bottom") for w in (f"-bc_{side}_type", "wall")), *more, **where)


def scalars(gate):
    steps = (40, 80, 160, 640)
    for form in ("conservative", "convective"):
        states = [concentration(n, "-form_scalar_convection", form).fields()["concentration"] for n in steps]
        error = [float(np.sqrt(np.mean((s - states[-1]) ** 2))) for s in states[:-1]]
        for n, a in zip(steps, error):
            gate.note(f"{form}: {n} steps", a)
        for n, a, b in zip(steps, error, error[1:]):
            gate.at_least(f"{form}: {n} to {2 * n} steps", a / b, 3.4)
    gate.at_most("largest concentration less that of the lid", abs(float(states[-1].max()) - 2.04), 0.05)
    tight = ["-momentum_ksp_rtol", "1e-13", "-pressure_ksp_rtol", "1e-13", "-output_checkpoint_every", 3, "-stop_steps", 7]
    whole = concentration(40, *tight)
    for ranks in (2, 3):
        gate.at_most(f"largest difference of np = 1 and {ranks}", float(np.abs(concentration(40, *tight, np=ranks).checkpoint() - whole.checkpoint()).max()), 1e-11)
    rest = concentration(40, *tight, "-case_restart", concentration(40, *tight, "-stop_steps", 3).file("_checkpoint.h5"))
    for what in ("state", "rate"):
        gate.true(f"{what} after a restart", np.array_equal(whole.checkpoint(what), rest.checkpoint(what)))


def diffusion(gate):
    """Noise of a concentration at rest in a viscous fluid: 2 D dt/h^2 = 1 is its limit, nu dt/h^2 is 20 times that."""
    history = lambda *words: box("diffusion", "-mesh_box_faces", "12,12", "-mesh_box_periodic", "xy", "-mesh_box_jitter", 0, "-physics", "newtonian,passive", "-physics_newtonian_viscosity", 3, "-form_density", RHO,
                                 "-physics_passive_diffusivity", 0.05, "-initial_concentration", "1+cos(12*pi*x+12*pi*y)+sin(5*y)", "-stop_steps", 60, "-diagnostic_history_every", 10, *words).table("_history.csv")
    held = history("-scheme_fractional_step_cfl", 0.9, "-scheme_fractional_step_dt", 1e4)
    gate.near("time step at 0.9 of the limit", float(held["dt"][0]), 0.9 / (2 * 0.05 * 144), 1e-6)
    gate.near("share of the limit", float(held["cfl_relaxation"][-1] + held["cfl_convective"][-1]), 0.9, 1e-6)
    gate.at_most("rate after 60 steps over that before", float(held["dc_dt"][-1] / held["dc_dt"][0]), 0.5)
    wild = history("-scheme_fractional_step_dt", 4 * float(held["dt"][0]), "-stop_steps", 4, "-diagnostic_history_every", 1)
    gate.at_least("the same with steps beyond it", float(wild["dc_dt"][-1] / wild["dc_dt"][1]), 3)


def start(gate, integrator):
    """2 rho tau_0, the time of tracked subscales, is 60 steps here."""
    words = ["-case_name", "start", "-mesh_box_faces", "12,12", "-mesh_box_cell", "triangle", "-physics", "newtonian", "-physics_newtonian_viscosity", 0.003, "-form_density", RHO, "-form_convection", 0,
             "-initial_velocity", "sin(pi*x)*cos(2*pi*y),2*cos(pi*x)*sin(2*pi*y)", "-scheme_fractional_step_integrator", integrator, "-scheme_fractional_step_dt", 0.02, "-stop_steps", 2,
             *(w for side in ("left", "right", "bottom", "top") for w in (f"-bc_{side}_type", "free_slip"))]
    speed = lambda f: float(np.sqrt(np.mean(np.sum(f["velocity"][:, :2] ** 2, 1))))
    results = [box("start", *words, "-pressure_ksp_rtol", "1e-12", np=ranks) for ranks in (1, 2, 3)]
    gate.at_most("speed after two steps, 1.12 before", speed(results[0].fields()), 0.1)
    for ranks, result in zip((2, 3), results[1:]):
        gate.at_most(f"largest difference of np = 1 and {ranks}", float(np.abs(result.checkpoint() - results[0].checkpoint()).max()), 1e-9)


OUTLETS = {"outlet": {}, "windkessel": {"proximal": 0.6, "distal": 3, "compliance": 0.2}, "resistance": {"pressure_by_flux": "0.3+0.7*q"}}


def impulse(gate, integrator, device="cpu"):
    """What an inlet drives at once into fluid at rest flows out, by each kind of outlet whose pressure is a traction."""
    for kind, words in OUTLETS.items():
        for dim in (2, 3) if device == "cpu" else (2,) if kind == "windkessel" else ():
            sides = [side for side in ("bottom", "top", "front", "back")[: 2 * dim - 2]]
            case = ["-case_name", "impulse", "-mesh_box_faces", "16,5" if dim == 2 else "8,3,3", "-mesh_box_upper", "3,1" if dim == 2 else "3,1,1", "-mesh_box_lower", "0,0" if dim == 2 else "0,0,0",
                    "-mesh_box_cell", "mixed" if dim == 2 else "hexahedron", "-physics", "newtonian", "-physics_newtonian_viscosity", 0.03, "-form_density", RHO, "-stabiliser", "split_oss", "-device", device,
                    "-bc_left_type", "inlet", "-bc_left_profile", "developed", "-bc_left_flow_rate", 0.7, "-bc_right_type", kind, *(w for k, v in words.items() for w in (f"-bc_right_{k}", v)),
                    *(w for side in sides for w in (f"-bc_{side}_type", "wall")), "-scheme", "fractional_step", "-scheme_fractional_step_integrator", integrator, "-scheme_fractional_step_dt", 0.002,
                    "-pressure_ksp_rtol", "1e-10", "-stop_steps", 10, "-output_fields", "false"]
            results = [run.rheoplex("run", *case, out=run.folder("fractional"), np=n) for n in ((1, 2, 3) if kind == "windkessel" and device == "cpu" else (1,))]
            lost = results[0].table("_history.csv")["mass_error"]
            gate.at_most(f"{kind}, {dim}D: what does not flow out, largest of ten steps", float(np.abs(lost).max()), 0.01)
            for n, result in zip((2, 3), results[1:]):
                gate.at_most(f"{kind}, {dim}D: largest difference of np = 1 and {n}", float(np.abs(result.checkpoint() - results[0].checkpoint()).max()), 1e-7)


def ranks(gate):
    """The state after ten steps on one, two and four ranks, by each integrator."""
    for integrator in ("rk4", "bdf2"):
        tight = ["-pressure_ksp_rtol", "1e-13", *(["-momentum_ksp_rtol", "1e-13"] if integrator == "bdf2" else [])]
        words = ["-case_name", "ranks", "-mesh_box_faces", "12,12", "-mesh_box_cell", "triangle", "-mesh_box_jitter", 0.2, "-physics", "newtonian", "-physics_newtonian_viscosity", 0.03, "-form_density", RHO,
                 "-stabiliser", "split_oss", "-bc_left_type", "inlet", "-bc_left_velocity", "4*y*(1-y),0", "-bc_right_type", "outlet", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-scheme", "fractional_step",
                 "-scheme_fractional_step_integrator", integrator, "-scheme_fractional_step_dt", 0.002, "-stop_steps", 10, *tight]
        states = [run.rheoplex("run", *words, out=run.folder("fractional"), np=n).checkpoint() for n in (1, 2, 4)]
        for n, state in zip((2, 4), states[1:]):
            gate.at_most(f"{integrator}: largest difference of np = 1 and {n}, over the largest value", float(np.abs(state - states[0]).max() / np.abs(states[0]).max()), 1e-9)


def turns_on_graded(dt):
    """Largest difference of outflow and inflow over the largest inflow, behind the ramp; cells from 0.02 to 0.25 D, viscosity from 0.02 to 0.32."""
    grow = lambda n: np.concatenate([[0], np.cumsum(30 ** (np.arange(n) / (n - 1)))]) / np.sum(30 ** (np.arange(n) / (n - 1)))
    x, y = np.concatenate([2 - 2 * grow(16)[::-1], 2 + 2 * grow(16)[1:]]), grow(12)
    mesh = mshwrite.channel(f"{run.folder('reversed')}/graded.msh", 32, 12, lambda i, j: (x[i], y[j]), triangles=True)
    rows = run.rheoplex("run", "-case_name", "reversed", "-mesh_file", mesh, "-physics", "carreau_yasuda", "-physics_carreau_yasuda_viscosity", 0.32, "-physics_carreau_yasuda_viscosity_inf", 0.02, "-physics_carreau_yasuda_lambda", 16,
                        "-physics_carreau_yasuda_n", 0.36, "-form_density", RHO, "-stabiliser", "split_oss", "-bc_left_type", "inlet", "-bc_left_flow_rate", "sin(2*pi*t/5)", "-bc_right_type", "outlet", "-bc_right_backflow", 1,
                        "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-scheme", "fractional_step", *BDF2, "-scheme_fractional_step_dt", dt, "-stop_time", 5, "-output_every", 0,
                        "-diagnostic_rate_kind", "flux", "-diagnostic_rate_label", "left,right", out=run.folder("reversed")).table("_rate.csv")
    late = rows["t"] > 1
    return float(np.abs(rows["left_flux"] + rows["right_flux"])[late].max() / np.abs(rows["left_flux"]).max())


def reversed_flow(gate):
    lost = [turns_on_graded(dt) for dt in (0.025, 0.0125, 0.00625)]
    print("lost", lost)
    gate.at_most("lost, dt 0.00625", lost[-1], 1e-3)
    gate.at_least("ratio of the last two", lost[-2] / lost[-1], 3.0)


def stokes(gate):
    """Without convection all is linear: a pulsating flow of 1e5 times the rate has 1e5 times the pressure, where with it Re would be 1e3."""
    for cell, faces in ("triangle", "20,10"), ("quadrilateral", "20,10"), ("tetrahedron", "8,4,4"):
        pressure = []
        for rate in 1e-6, 0.1:
            rows = run.rheoplex("run", "-case_name", "stokes", "-mesh_box_faces", faces, "-mesh_box_upper", "2.5,1" if faces.count(",") == 1 else "2.5,1,1", "-mesh_box_cell", cell, "-physics", "newtonian", "-physics_newtonian_viscosity", 1e-4, "-form_density", 1,
                                "-form_convection", "false", "-stabiliser", "split_oss", "-bc_left_type", "inlet", "-bc_left_flow_rate", f"{rate}*sin(2*pi*t/0.5)", "-bc_right_type", "outlet", *[w for label in ("bottom", "top", "front", "back")[:2 * faces.count(",")] for w in (f"-bc_{label}_type", "wall")],
                                "-scheme", "fractional_step", *BDF2, "-scheme_fractional_step_dt", 0.005, "-stop_time", 1, "-pressure_ksp_rtol", 1e-12, "-momentum_ksp_rtol", 1e-13, "-diagnostic_p_kind", "mean_pressure", "-diagnostic_p_label", "left",
                                "-output_every", 0, out=run.folder("stokes")).table("_p.csv")
            pressure.append(np.array(rows["left_pressure"]) / rate)
        gate.at_most(f"{cell}s: pressure over the rate, at rates of 1 and 1e5", float(np.abs(pressure[1] - pressure[0]).max() / np.abs(pressure[0]).max()), 1e-7)


def rate_held(gate):
    words = ("-case_name", "rate", "-mesh_box_upper", "2,1,1", "-mesh_box_faces", "8,6,6", "-mesh_box_cell", "tetrahedron", "-mesh_box_jitter", 0.2, "-physics", "newtonian", "-physics_newtonian_viscosity", 0.01, "-stabiliser", "gls",
             "-bc_left_type", "inlet", "-bc_left_flow_rate", 1, "-bc_right_type", "outlet", *[w for label in ("bottom", "top", "front", "back") for w in (f"-bc_{label}_type", "wall")],
             "-scheme", "fractional_step", "-scheme_fractional_step_integrator", "ssp3", "-scheme_fractional_step_cfl", 0.9, "-stop_time", 2, "-output_every", 0)
    told = "got tracked with a stabiliser whose residual of momentum holds the rate of the last step"
    found = run.rheoplex("run", *words, out=run.folder("fractional"))
    gate.at_most("as chosen: largest velocity", float(np.linalg.norm(found.checkpoint()[:, :3], axis=1).max()), 4)
    gate.true("as chosen: nothing is told", told not in found.stderr)
    grows = run.rheoplex("run", *words, "-scheme_fractional_step_subscales", "tracked", out=run.folder("fractional"), expect=None)
    gate.true("tracked: told", told in grows.stderr)
    rate = [float(result.table("_history.csv")["du_dt"][-1]) for result in (found, grows)]
    gate.at_least("largest |du/dt| at the end, times that as chosen", rate[1] / rate[0], 4)


def graded(gate):
    """Steps of 0.005 D/U at Re 44, where 2 rho tau_0 is 80000 of them."""
    for tau, steps in (("steady", 800), ("transient", 300)):
        rows = run.rheoplex("run", f"{run.OPTIONS}/wake_cylinder_re50.yaml", "-physics_newtonian_viscosity", 1 / 44, "-initial_velocity", "1,0", "-scheme", "fractional_step", *BDF2, "-scheme_fractional_step_dt", 0.005, "-stop_steps", steps,
                            "-stabiliser_split_oss_tau", tau, "-diagnostic_history_every", 100, "-output_every", 0, "-device", "cpu", out=run.folder("graded")).table("_history.csv")
        gate.near(f"tau {tau}: time", float(rows["t"][-1]), 0.005 * steps, 1e-9)
        gate.at_most(f"tau {tau}: largest |du/dt| at the end", float(rows["du_dt"][-1]), 2.1 / (0.005 * steps))
    grow = lambda n: np.concatenate([[0], np.cumsum(100 ** (np.arange(n) / (n - 1)))]) / np.sum(100 ** (np.arange(n) / (n - 1)))
    x, y = np.concatenate([2 - 2 * grow(24)[::-1], 2 + 2 * grow(24)[1:]]), grow(24)
    mesh = mshwrite.channel(f"{run.folder('graded')}/quads.msh", 48, 24, lambda i, j: (x[i], y[j]))
    rows = run.rheoplex("run", "-case_name", "quads", "-mesh_file", mesh, "-physics", "newtonian", "-physics_newtonian_viscosity", 1e-5, "-stabiliser", "split_oss", "-bc_left_type", "inlet", "-bc_left_velocity", "1,0", "-bc_right_type", "outlet",
                        "-bc_bottom_type", "wall", "-bc_top_type", "symmetry", "-initial_velocity", "1,0", "-scheme", "fractional_step", *BDF2, "-scheme_fractional_step_dt", 0.002, "-stop_steps", 400, "-diagnostic_history_every", 100, "-output_every", 0,
                        "-device", "cpu", out=run.folder("graded")).table("_history.csv")
    gate.at_most("quadrilaterals: largest |du/dt| at t = .8", float(rows["du_dt"][-1]), 0.5)


def waves(gate, polymer="heun"):
    """Noise on a fluid at rest: its frequency bounds dt where the solvent hardly damps it, else the rate of its slow decay. Transport with
    the extrapolated velocity alone lets undamped waves grow, from a tenth of that limit on."""
    stabiliser, light = ("devss,split_oss", 0.03) if polymer == "heun" else ("split_oss", 0.003)
    for what, solvent, relaxation in (("light damping", light, 10), ("heavy damping", 1, 100)):
        run_in = lambda *words: box("waves", "-mesh_box_faces", "12,12", "-mesh_box_periodic", "xy", "-mesh_box_jitter", 0, "-initial_perturbation", 1e-6, "-form_density", RHO, "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", solvent,
                                    "-physics_oldroydb_viscosity", 3, "-physics_oldroydb_lambda", relaxation, "-stabiliser", stabiliser, "-scheme_fractional_step_polymer", polymer, "-stop_steps", 200, "-diagnostic_history_every", 20, *words)
        history = lambda *words: run_in(*words).table("_history.csv")
        held = history("-scheme_fractional_step_cfl", 0.9, "-scheme_fractional_step_dt", 1e4)
        gate.near(f"{what}: share of the limit", float(held["cfl_elastic"][-1] + held["cfl_convective"][-1]), 0.9, 1e-3)
        gate.at_most(f"{what}: rate after 200 steps over that before", float(held["du_dt"][-1] / held["du_dt"][1]), 0.5)
        wild = history("-scheme_fractional_step_dt", (2.5 if what == "light damping" and polymer == "transport" else 6) / 0.9 * float(held["dt"][0]), "-stop_steps", 7, "-diagnostic_history_every", 1)
        gate.at_least(f"{what}: the same with steps beyond it", float(wild["du_dt"][-1] / wild["du_dt"][1]), 3)
        restart_modes(gate, lambda n, *words: run_in("-scheme_fractional_step_dt", repr(float(held["dt"][0])), *words))


def convected(gate):
    """Stress that is carried along, four cells a wave, on triangles at the Courant numbers 1 and 3: it does not grow."""
    for courant in (1, 3):
        history = box("convected", "-mesh_box_faces", "16,16", "-mesh_box_periodic", "xy", "-mesh_box_cell", "triangle", "-form_density", RHO, "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 1, "-physics_oldroydb_viscosity", 1e-3,
                      "-physics_oldroydb_lambda", 100, "-initial_velocity", "1,0.5", "-initial_stress", "1e-6*cos(8*pi*x+4*pi*y),1e-6*sin(6*pi*x),1e-6*cos(6*pi*y)", "-polymer_variable", "stress", *TRANSPORT, "-scheme_fractional_step_dt", courant / 16, "-stop_steps", 150, "-diagnostic_history_every", 10).table("_history.csv")
        gate.at_most(f"Courant number {courant}: rate after 150 steps over that after 10", float(history["dc_dt"][-1] / history["dc_dt"][1]), 1)


def box(out, *words, **more):
    return run.rheoplex("run", "-mesh_box_jitter", "0.2", "-stabiliser", "split_oss", "-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2", *words, out=run.folder(out), **more)


def exact_flow(gate, cell):
    """u = (0.4 y + 0.2 t, 0, 0.3 y): rho u_t is the force; steps 0.3, 0.3, then two of 0.22 up to 1.04, and from there three that would be of 0.9, each half as long again as the last."""
    dim = 3 if cell in ("tetrahedron", "hexahedron") else 2
    velocity, components = "0.4*y+0.2*t,0" + ",0.3*y" * (dim == 3), lambda x, t: np.stack([0.4 * x[:, 1] + 0.2 * t, 0 * x[:, 0], 0.3 * x[:, 1] * (dim == 3)], 1)
    sides = ["left", "right", "bottom", "top"] + ["back", "front"] * (dim == 3)
    words = [w for side in sides for w in (f"-bc_{side}_type", "inlet", f"-bc_{side}_velocity", velocity)]
    run_in = lambda *more: box("exact", "-stabiliser_split_oss_parts", "pressure", "-mesh_box_faces", ",".join("4" * dim), "-mesh_box_cell", cell, "-physics", "newtonian", "-physics_newtonian_viscosity", "0.7", "-form_density", RHO, "-form_body_force",
                               f"{0.2 * RHO},0" + ",0" * (dim == 3), "-initial_velocity", velocity.replace("t", "0"), "-initial_pressure", "0", *words, "-momentum_ksp_rtol", "1e-13", "-momentum_ksp_atol", "1e-15", "-pressure_ksp_atol", "1e-13", *more)
    result = run_in("-scheme_fractional_step_dt", 0.3, "-stop_time", 1.04)
    longer = run_in("-scheme_fractional_step_dt", 0.9, "-stop_steps", 7, "-case_restart", result.file("_checkpoint.h5"))
    steps = result.table("_history.csv")["dt"]
    gate.true(f"steps {steps}", np.allclose(steps[-1], 0.22) and len(set(np.round(steps, 12))) > 1)
    steps = longer.table("_history.csv")["dt"]
    gate.true(f"steps {steps} after that", np.allclose(steps[-3:], 0.22 * 1.5 ** np.arange(1, 4)))
    for got, t in (result, 1.04), (longer, 1.04 + float(np.sum(steps[-3:]))):
        f = got.fields()
        gate.at_most(f"error of the velocity at {t:.4g} s", float(np.abs(f["velocity"] - components(f.points, t)).max()), 1e-10)
        gate.at_most(f"pressure at {t:.4g} s", float(np.abs(f["pressure"]).max()), 1e-8)


def balance(gate):
    """Body force less forces on both walls is the rate of the momentum, which differs from wall to middle; area 2 x 1."""
    dt, force = 0.02, 1.7
    result = box("forces", "-mesh_box_upper", "2,1", "-mesh_box_faces", "3,6", "-mesh_box_jitter", 0, "-mesh_box_periodic", "x", "-physics", "newtonian", "-physics_newtonian_viscosity", "0.7", "-form_density", RHO, "-form_body_force", f"{force}*cos(3*t),0",
                 "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "t,0", "-scheme_fractional_step_dt", dt, "-stop_steps", 4, "-momentum_ksp_rtol", "1e-13", "-output_every", 1, "-diagnostic_forces", "bottom,top", "-diagnostic_forces_every", 1)
    rows, momentum = result.table("_forces.csv"), []
    for k in (-3, -2, -1):
        f = result.fields(k)
        column = np.abs(f.points[:, 0]) < 1e-9
        momentum.append(2 * RHO * run.trapezoid(f.points[column, 1], f["velocity"][column, 0]))
    rate = (3 * momentum[2] - 4 * momentum[1] + momentum[0]) / (2 * dt)
    gate.relative("rate of momentum", 2 * force * np.cos(3 * 4 * dt) - rows["bottom_x"][-1] - rows["top_x"][-1], float(rate), 1e-6)


def shortened(gate):
    """All walls of a box move with V cos(w t) y^: the force on them is rho V w sin(w t) times the area 2 x 1, also after a last step of a thousandth of
    those before, between a row that is due and the end."""
    v, w, dt, last = 0.3, 3.0, 0.01, 1e-5
    for integrator, words in {"bdf2": [], "ssp3": [], "lumped": ["-scheme", "lumped", "-scheme_lumped_stepper", "heun", "-scheme_lumped_subscales", "tracked", "-scheme_lumped_dt", dt]}.items():
        words = words or ["-scheme_fractional_step_integrator", integrator, "-scheme_fractional_step_dt", dt]
        sides = [word for side in ("left", "right", "bottom", "top") for word in (f"-bc_{side}_type", "moving_wall", f"-bc_{side}_velocity", f"0,{v}*cos({w}*t)")]
        result = box("shortened", "-mesh_box_upper", "2,1", "-mesh_box_faces", "8,6", "-mesh_box_jitter", 0, "-physics", "newtonian", "-physics_newtonian_viscosity", 0.3, "-form_density", RHO, *sides, "-initial_velocity", f"0,{v}", "-pressure_ksp_rtol", "1e-10",
                     *words, "-diagnostic_due_kind", "mean_pressure", "-diagnostic_due_label", "top", "-diagnostic_due_every_dt", 0.5, "-stop_time", 0.5 + last, "-output_fields", "false", "-diagnostic_forces", "left,right,bottom,top", "-diagnostic_forces_every", 1)
        rows, dts = result.table("_forces.csv"), result.table("_history.csv")["dt"]
        force = sum(rows[f"{side}_y"] for side in ("left", "right", "bottom", "top"))
        gate.relative(f"{integrator}: last step, s", float(dts[-1]), last, 1e-6)
        gate.relative(f"{integrator}: force on the walls before it", float(force[-2]), 2 * RHO * v * w * np.sin(w * 0.5), 0.005)
        gate.relative(f"{integrator}: after it", float(force[-1]), float(force[-2]), 0.02)


LAWS = {"newtonian": ["newtonian", "-physics_newtonian_viscosity", 1],
        "thickening": ["power_law", "-physics_power_law_consistency", 1, "-physics_power_law_n", 1.8, "-physics_power_law_viscosity_min", 1e-3, "-physics_power_law_viscosity_max", 100]}


def stable(gate, outlet, law):
    """Steps of 0.1 s, nu dt/h^2 = 26 and more: without what form/host/momentum.c says of its factor this grows by 1e10."""
    history = box("stable", "-mesh_box_faces", "16,16", "-mesh_box_cell", "triangle", "-physics", *LAWS[law], "-bc_left_type", "inlet", "-bc_left_velocity", "4*y*(1-y),0", "-bc_right_type", "outlet", "-bc_right_form", outlet,
                  "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-scheme_fractional_step_dt", 0.1, "-stop_steps", 100, "-diagnostic_history_every", 50).table("_history.csv")
    gate.at_most("largest rate of velocity after 100 steps", float(history["du_dt"][-1]), 0.02)


def halved(gate):
    """A first step that asks for more iterations than there may be; half of it does not."""
    case = lambda dt, most, **more: vortices(16, dt, 9.0, "bdf2", "-stop_steps", 1, "-momentum_ksp_max_it", most, "-momentum_ksp_rtol", "1e-8", "-momentum_ksp_converged_reason", box=True, **more)
    counts = [int(case(dt, 100).stdout.split("iterations ")[1].split()[0]) for dt in (0.2, 0.1)]
    gate.at_least("iterations that half of a step saves", counts[0] - counts[1], 1)
    shorter = case(0.2, counts[1])
    gate.near("length of the step taken", float(shorter.table("_history.csv")["dt"][-1]), 0.1, 1e-12)
    told = shorter.stdout.split("warning: the momentum solve did not converge")[1].splitlines()[0]
    gate.true("which is told", all(part in told for part in ("at t = 0 s with the time step 0.2 s, which is halved: got DIVERGED_ITS", f"after {counts[1]} iterations, expected convergence", "-momentum_ksp_max_it, -momentum_pc_type, ", "-scheme_fractional_step_dt")))
    gate.true("a step that is not halved says nothing", "did not converge" not in case(0.1, 100).stdout)
    often = vortices(16, 0.2, 99.0, "bdf2", "-stop_steps", 60, "-momentum_ksp_max_it", counts[1], "-momentum_ksp_rtol", "1e-8", box=True)
    gate.near("halved steps among 60, of which a line tells", len(often.stdout.split("which is halved")) - 1, 2, 0)
    gate.true("they are 10 to 99", 10 <= list(often.table("_history.csv")["dt"]).count(0.1) <= 99)
    gate.near("a line of the tenth", often.stdout.count("which is halved (the 10th): got"), 1, 0)
    result = run.rheoplex("run", *REFUSED, "-scheme_fractional_step_integrator", "bdf2", "-initial_velocity", "sin(9*y),0", "-momentum_ksp_max_it", 1, "-momentum_ksp_rtol", "1e-12", out=run.folder("fractional"), expect=None)
    gate.true("then the run stops, with the residual", result.rc != 0 and all(part in result.stderr for part in ("0.005 s", "residual norm", "-momentum_ksp_max_it", "-scheme_fractional_step_dt")))


LID = ["-case_name", "cavity", "-mesh_box_faces", "12,10", "-mesh_box_jitter", "0.1", "-form_density", RHO, "-stabiliser", "devss,split_oss", "-bc_left_type", "wall", "-bc_right_type", "wall",
       "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2,0", "-physics_newtonian_viscosity", "0.05", "-pressure_ksp_rtol", "1e-10", "-device", "cuda"]
CAVITY = [*LID, "-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2", "-scheme_fractional_step_dt", "0.01", "-momentum_ksp_rtol", "1e-10"]
MODES = ["-physics", "newtonian,oldroydb", "-physics_oldroydb_modes", "2", "-physics_oldroydb_viscosity", "0.05,0.02", "-physics_oldroydb_lambda", "0.3,0.1"]


def row(text, name):
    """Count of an event in -log_view, 0 if it never began."""
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith(name)), 0)


def copies_to_host(words, steps):
    return row(run.rheoplex("run", *words, "-stop_steps", steps, "-log_view", out=run.folder("recorded")).stdout, "RhxCopyToHost")


NEWTONIAN = ["-physics", "newtonian"]
SOLVED = ["-scheme_fractional_step_integrator", "bdf2", "-momentum_ksp_rtol", "1e-10", "-scheme_fractional_step_cfl", "0.1"]
RECORDED = {"tracked": ["fractional_step", *SOLVED, *NEWTONIAN, "-output_checkpoint_every", 7],
            "instant": ["fractional_step", *SOLVED, *NEWTONIAN, "-scheme_fractional_step_subscales", "instant"],
            "modes": ["fractional_step", *SOLVED, *MODES],
            "transport": ["fractional_step", *SOLVED, *MODES, *TRANSPORT],
            **{name: ["fractional_step", "-scheme_fractional_step_integrator", name, *MODES] for name in ("heun", "ssp3", "rk4")},
            **{f"lumped {name}": ["lumped", "-scheme_lumped_stepper", name, *MODES] for name in ("euler", "heun")}}


def compare_recorded(gate, name, scheme, words):
    """24 steps whose dt follows from a Courant number, with a time of output between them: as graphs, but for the first one, and launch by launch."""
    words = ["-scheme", scheme, f"-scheme_{scheme}_cfl", "0.4", *words, f"-scheme_{scheme}_dt", "0.05", "-stop_steps", 24, "-output_dt", "0.3", "-log_view"]
    there, apart = (run.rheoplex("run", *words, f"-scheme_{scheme}_graph", graph, out=run.folder("recorded")) for graph in ("true", "false"))
    a, b = there.checkpoint(), apart.checkpoint()
    gate.at_most(f"{name}: state", float(np.abs(a - b).max() / np.abs(b).max()), 1e-13)
    steps = [result.table("_history.csv")["dt"] for result in (there, apart)]
    gate.true(f"{name}: its steps, {len(steps[0])} of {len(set(steps[0]))} lengths", len(steps[0]) == 24 and len(set(steps[0])) >= 19 and np.array_equal(*steps))
    gate.near(f"{name}: steps that are launched as one graph", row(there.stdout, "RhxReplay"), 23, 0)
    gate.near(f"{name}: and of those launch by launch", row(apart.stdout, "RhxReplay"), 0, 0)
    gate.true(f"{name}: which is told", "\nsteps as one graph\n" in there.stdout and f"\nsteps launch by launch: -scheme_{scheme}_graph false\n" in apart.stdout)
    return there


def recorded(gate):
    """A graph is that of every dt: a lid from rest on, and checkpoints between."""
    for name, (scheme, *words) in RECORDED.items():
        compare_recorded(gate, name, scheme, [*LID, *words])
    for name, words in {"newtonian": [*CAVITY, *NEWTONIAN], "modes": [*CAVITY, *MODES], "transport": [*CAVITY, *MODES, *TRANSPORT]}.items():
        gate.near(f"{name}: copies to the host in 20 steps more", copies_to_host(words, 40) - copies_to_host(words, 20), 0, 0)
        gate.at_least(f"{name}: and launch by launch", copies_to_host([*words, "-scheme_fractional_step_graph", "false"], 40) - copies_to_host([*words, "-scheme_fractional_step_graph", "false"], 20), 20)
    lost = run.rheoplex("run", *CAVITY, *NEWTONIAN, "-momentum_ksp_max_it", 2, "-momentum_ksp_rtol", "1e-14", "-stop_steps", 9, out=run.folder("recorded"), expect=None)
    half = vortices(16, 0.2, 9.0, "bdf2", "-device", "cuda", "-stop_steps", 1, "-momentum_ksp_max_it", 19, "-momentum_ksp_rtol", "1e-8", box=True)
    gate.near("length of a step that is halved there", float(half.table("_history.csv")["dt"][-1]), 0.1, 1e-12)
    gate.true("which is told", "0.2 s, which is halved: got DIVERGED_ITS at residual norm" in half.stdout and "after 19 iterations, expected convergence: -momentum_ksp_max_it, -momentum_pc_type with -device cpu" in half.stdout)
    gate.true("a solve that does not converge is told", lost.rc != 0 and "The momentum solve did not converge" in lost.stderr and "after 2 iterations" in lost.stderr)


PLANES = [*LID[:LID.index("-bc_left_type")], "-physics_newtonian_viscosity", "0.05", "-pressure_ksp_rtol", "1e-10", "-device", "cuda", "-bc_bottom_type", "wall", "-bc_top_type", "wall"]
CHANNEL = [*PLANES, "-bc_left_type", "inlet", "-bc_right_type", "outlet"]
STEADY = [*CHANNEL, "-bc_left_velocity", "4*y*(1-y),0"]
PULSES = ["-bc_left_velocity", "4*y*(1-y)*(1+sin(9*t)/2),0", "-bc_right_traction", "0,0.2*sin(9*t)*y"]
TIMED = {"pulses": ["fractional_step", *CHANNEL, *PULSES, *SOLVED, "-physics", "newtonian,passive", "-physics_passive_diffusivity", "0.05", "-bc_left_concentration", "value 1+cos(7*t)", "-bc_top_concentration", "film 0.3*(1+x), 0.4", "-bc_bottom_concentration", "flux 0.2*x"],
         "pulses, two modes": ["fractional_step", *CHANNEL, *PULSES, *SOLVED, *MODES],
         "ssp3, a ramp that ends": ["fractional_step", *STEADY, "-scheme_fractional_step_integrator", "ssp3", *MODES, "-bc_left_ramp", "0.1"],
         "Heun, a lid that swings": ["lumped", *LID, "-scheme_lumped_stepper", "heun", *MODES, "-bc_top_velocity", "16*x^2*(1-x)^2*sin(5*t),0"]}
LAUNCHED = {"several ranks": STEADY, "the mean velocity is kept by a force (-form_mean_velocity)": [*PLANES, "-mesh_box_periodic", "x", "-form_mean_velocity", "0.1"],
            "sources depend on time": [*STEADY, "-form_body_force", "t,0"], "-bc_right_pressure depends on time": [*STEADY, "-bc_right_pressure", "2*sin(9*t)"], "-bc_right_type resistance answers the flow": [*STEADY, "-bc_right_type", "resistance", "-bc_right_pressure_by_flux", "2*q"],
            "fluxes or films of scalar fields depend on time": [*STEADY, "-physics", "newtonian,passive", "-physics_passive_diffusivity", "0.05", "-bc_left_concentration", "value 1", "-bc_top_concentration", "flux t"]}


def timed(gate):
    """Given values, tractions and ramps in a graph: those of each call in a step are written before it. What a graph cannot have is told."""
    for name, (scheme, *words) in TIMED.items():
        result = compare_recorded(gate, name, scheme, words)
        if "ramp" in name:
            gate.true(f"{name}: within its steps", 0.1 < result.table("_history.csv")["t"][-3])
    for why, words in LAUNCHED.items():
        result = run.rheoplex("run", "-scheme", "fractional_step", *SOLVED[:4], "-scheme_fractional_step_dt", "0.01", *NEWTONIAN, *words, "-stop_steps", 4, "-log_view",
                              out=run.folder("recorded"), np=2 if why == "several ranks" else 1)
        gate.true(f"launch by launch: {why}", f"\nsteps launch by launch: {why}\n" in result.stdout and row(result.stdout, "RhxReplay") == 0)


REFUSED = ["-mesh_box_faces", "4,4", "-mesh_box_periodic", "xy", "-stabiliser", "split_oss", "-physics", "newtonian", "-physics_newtonian_viscosity", "1", "-scheme", "fractional_step", "-scheme_fractional_step_dt", "0.01", "-stop_steps", 1]
BDF2 = ["-scheme_fractional_step_integrator", "bdf2"]


def refused(gate):
    for words, parts in ((["-scheme_fractional_step_integrator", "bdf3"], ("bdf3", "heun, ssp3, rk4 or bdf2")),
                         (["-scheme_lumped_dt", "0.1"], ("-scheme_lumped_dt",)),
                         (["-scheme_fractional_step_theta", "0.5"], ("-scheme_fractional_step_theta",)),
                         (["-ts_adapt_type", "basic"], ("-scheme_fractional_step_cfl", "fractional_step")),
                         (["-ts_dt", "0.1"], ("-ts_dt", "-scheme_fractional_step_dt")),
                         (["-ksp_rtol", "0.1"], ("'fractional_step'", "-pressure_ksp_rtol", "-momentum_ksp_rtol")),
                         (["-scheme_fractional_step_integrator", "ssp3", "-momentum_ksp_rtol", "0.1"], ("-momentum_ksp_rtol", "bdf2")),
                         ([*BDF2, "-momentum_ksp_rtol", "2"], ("-momentum_ksp_rtol", "2")),
                         (["-scheme_fractional_step_integrator", "ssp3", *TRANSPORT[:2]], ("-scheme_fractional_step_polymer", "transport for an explicit integrator", "expected -scheme_fractional_step_integrator bdf2")),
                         ([*BDF2, *TRANSPORT[:2]], ("-scheme_fractional_step_polymer", "a flow without polymer", "-physics")),
                         ([*BDF2, *TRANSPORT[2:]], ("-transport_ksp_rtol", "modes that are explicit", "-scheme_fractional_step_polymer transport")),
                         ([*BDF2, *TRANSPORT, "-transport_ksp_rtol", "2", "-physics", "newtonian,oldroydb", "-physics_oldroydb_viscosity", "1", "-physics_oldroydb_lambda", "1"], ("-transport_ksp_rtol", "2")),
                         ([*BDF2, "-physics", "newtonian,oldroydb", "-physics_oldroydb_viscosity", "1", "-physics_oldroydb_lambda", "1", "-stabiliser", "split_oss,gls", "-stabiliser_gls_parts", "tensor", "-stabiliser_split_oss_parts", "pressure"], ("bdf2", "tensor", "'gls'", "rate of stress")),
                         ([*BDF2, "-physics", "newtonian,passive", "-physics_passive_diffusivity", "1", "-stabiliser", "split_oss,gls", "-stabiliser_gls_parts", "scalar", "-stabiliser_split_oss_parts", "pressure"], ("bdf2", "scalar", "'gls'", "rate of a scalar")),
                         ([*BDF2, "-scheme_fractional_step_mass_corrections", "1"], ("-scheme_fractional_step_mass_corrections 1", "bdf2", "expected auto or 0")),
                         ([*BDF2, "-stabiliser", "gls"], ("bdf2", "momentum", "'gls'", "u_t")),
                         ([*BDF2, "-stabiliser", "gls", "-stabiliser_gls_parts", "pressure,divergence"], ("bdf2", "divergence", "'gls'"))):
        result = run.rheoplex("run", *REFUSED, *words, out=run.folder("fractional"), expect=None)
        gate.true(f"{' '.join(words)} is refused, with {parts}", result.rc != 0 and all(part in result.stderr for part in parts))


def refused_there(gate):
    """PETSc's options of implicit momentum that a device has not, before anything is compiled."""
    for words, parts in ((["-momentum_ksp_type", "gmres"], ("-momentum_ksp_type gmres", "bcgs with jacobi", "-device cpu")),
                         (["-momentum_pc_type", "ilu"], ("-momentum_pc_type ilu",)),
                         (["-momentum_ksp_rtol", "2"], ("-momentum_ksp_rtol", "2")),
                         (["-momentum_ksp_monitor"], ("-momentum_ksp_monitor", "_max_it", "-device cpu")),
                         ([*TRANSPORT, "-physics", "newtonian,oldroydb", "-physics_oldroydb_viscosity", "1", "-physics_oldroydb_lambda", "1", "-transport_pc_type", "ilu"], ("-transport_pc_type ilu", "bcgs with jacobi", "-device cpu"))):
        result = run.rheoplex("run", *REFUSED, *BDF2, *words, "-device", "cuda", out=run.folder("fractional"), expect=None)
        gate.true(f"{' '.join(words)} is refused on a device, with {parts}", result.rc != 0 and all(part in result.stderr for part in parts))
    for words, place in ((["-momentum_ksp_type", "gmres"], "this machine's CPU (-device auto: -momentum_ksp_type gmres)"), (["-momentum_ksp_type", "bcgs", "-momentum_pc_type", "jacobi"], None)):
        result = run.rheoplex("run", *REFUSED, *BDF2, *words, "-device", "auto", out=run.folder("fractional"), expect=None)
        gate.true(f"{' '.join(words)} with -device auto: {place or 'the device'}", result.rc == 0 and (place in result.stdout if place else "this machine's CPU" not in result.stdout))


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
    {"dt": refine, "tau": tracked, "vortices": carried, "forces": forces, "balance": balance, "shortened": shortened, "restart": restart, "modes": modes, "transport": transport, "scalars": scalars, "diffusion": diffusion, "waves": waves, "convected": convected, "noise": noise, "start": start, "impulse": impulse, "ranks": ranks, "reversed": reversed_flow, "rate": rate_held, "stokes": stokes, "graded": graded, "exact": exact_flow, "stable": stable, "halved": halved, "recorded": recorded, "timed": timed, "refused": refused, "refused_there": refused_there, "passed_over": passed_over}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
