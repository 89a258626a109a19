"""The pressure of developed flow over an outlet beside a second normal stress difference. across.py given <plugin swelling> | settles | steps | means | shifted

Flows that come in developed leave so: Giesekus and Oldroyd-B together in a slit and in a tube, PTT with xi round a core; with a profile at the outlet, of the flux that arrives, before a resistance.
The pressure at the outlet against that of steady states by Powell's method and of the radial balance by Simpson's rule on their stress; its mean is what is given. means: what a formula that differs over the outlet means. shifted: what is told of laws that a temperature shifts."""
import math
import sys

import mshwrite
import numpy as np
import run
from gate import Gate
from scipy.integrate import simpson
from scipy.interpolate import CubicSpline
from scipy.optimize import fsolve
from womersley import RADIUS, prism

GIESEKUS = {"physics": "newtonian,giesekus", "physics_newtonian_viscosity": 0.2, "physics_giesekus_viscosity": 0.8, "physics_giesekus_lambda": 2, "physics_giesekus_alpha": 0.3}
PTT = {"physics": "newtonian,ptt", "physics_newtonian_viscosity": 0.2, "physics_ptt_viscosity": 0.8, "physics_ptt_lambda": 0.7, "physics_ptt_epsilon": 0.25, "physics_ptt_xi": 0.2}
SWELLING = {"physics": "newtonian,swelling", "physics_newtonian_viscosity": 0.2, **{f"physics_swelling_{key}": value for key, value in (("viscosity", 0.8), ("lambda", 2), ("alpha", 0.3), ("kappa", 0.3))}}
LEVEL = 1.7
FLOW = {"case_name": "across", "mesh_box_upper": "2,1", "mesh_box_faces": "16,12", "form_density": 3, "polymer_variable": "logconf", "stabiliser": "devss,split_oss", "bc_left_type": "inlet", "bc_left_profile": "developed",
        "bc_left_flow_rate": 1, "bc_right_type": "outlet", "bc_right_polymer": "developed", "bc_right_pressure": LEVEL, "bc_bottom_type": "wall", "bc_top_type": "wall", "output_fields": "false", "scheme": "steady", "snes_rtol": 1e-10}
HALF = {"mesh_box_upper": "2,0.5", "mesh_box_faces": "16,6", "bc_bottom_type": "symmetry", "bc_left_flow_rate": 0.5}
TUBE = {"form_axisymmetric": "true", "mesh_box_upper": "2,0.7", "bc_bottom_type": "symmetry", "bc_left_flow_rate": 1.54 * 0.7}
STEP = {"scheme": "lumped", "scheme_lumped_dt": 1e-5, "stop_steps": 1, "snes_rtol": None, "bc_left_profile": None, "bc_left_flow_rate": None}
BOXLESS = {"mesh_box_upper": None, "mesh_box_faces": None}
RING = {"form_axisymmetric": "true", "mesh_box_lower": "0,0.3", "mesh_box_upper": "2,1.3", "bc_left_flow_rate": 5}


def case(*parts, np_=1, expect=0, verb="run"):
    words = [str(w) for key, value in {k: v for part in (FLOW, *parts) for k, v in part.items()}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex(verb, *words, "-device", "cpu", out=run.folder("across"), np=np_, expect=expect, timeout=400)


def at(result, place):
    x, state = result.checkpoint("positions"), result.checkpoint()
    there = np.flatnonzero(np.abs(x[:, 0] - place) < 1e-9)
    there = there[np.argsort(x[there, 1])]
    return x[there, 1], state[there]


def off(result):
    """Of the largest velocity: velocity across at the outlet, and velocity along it less that of the inlet."""
    (_, first), (_, last) = at(result, 0.0), at(result, 2.0)
    return np.abs(last[:, 1]).max() / first[:, 0].max(), np.abs(last[:, 0] - first[:, 0]).max() / first[:, 0].max()


# ---- The law's steady shear, and what balances it
def giesekus(c, L):
    A = c - np.eye(3)
    return L @ c + c @ L.T - (A + 0.3 * A @ A) / 2, 0.8 / 2 * A


def swelling(c, L):
    rate, tau = giesekus(c, L)
    return rate, tau + 0.8 / 2 * 0.3 * (np.trace(c) - 3) * np.eye(3)


def ptt(c, L):
    L = L - 0.2 * (L + L.T) / 2
    return L @ c + c @ L.T - (1 + 0.25 / 0.8 * (np.trace(c) - 3)) / 0.7 * (c - np.eye(3)), 0.8 / (0.7 * 0.8) * (c - np.eye(3))


def stress(law, g):
    """tau of the velocity along 0 with the gradient g along 1."""
    L = np.array([[0, g, 0], [0, 0, 0], [0, 0, 0]])
    of = lambda v: np.array([[v[0], v[3], 0], [v[3], v[1], 0], [0, 0, v[2]]])
    values = lambda v: law(of(v), L)[0][[0, 1, 2, 0], [0, 1, 2, 1]]
    v = np.array([1.0, 1, 1, 0])
    for part in np.linspace(0.25, 1, 4):
        L[0, 1] = part * g
        v = fsolve(values, v, xtol=1e-12)
    return law(of(v), L)[1]


def balance(law, rate, low, high, ring, places):
    """Pressure less its mean at the places of a flow with the gradient rate(r) of the velocity."""
    r = np.geomspace(low, high, 801) if low > 0 else np.linspace(low, high, 801)
    tau = np.array([stress(law, rate(at_)) for at_ in r])
    across, weight = tau[:, 1, 1], r if ring else np.ones_like(r)
    hoop = np.divide(across - tau[:, 2, 2], r, out=np.zeros_like(r), where=r > 0)
    p = across + (CubicSpline(r, hoop).antiderivative()(r) if ring else 0)
    return CubicSpline(r, p - simpson(p * weight, x=r) / simpson(weight, x=r))(places)


def tilted():
    """A channel of half width .7 along (.6, .8); distance: from its middle, at the outlet."""
    mesh = mshwrite.channel(f"{run.folder('across')}/tilted.msh", 6, 8, lambda i, j: (0.6 * 0.3 * i - 0.8 * (0.175 * j - 0.7) + 0.2, 0.8 * 0.3 * i + 0.6 * (0.175 * j - 0.7) + 0.1))
    across = "((y-0.1)*0.6-(x-0.2)*0.8)"
    velocity = ",".join(f"{part}*2*(1-({across}/0.7)^2)" for part in (0.6, 0.8))
    place = lambda x: np.where(np.abs((x - [0.2, 0.1]) @ [0.6, 0.8] - 1.8) < 1e-9, np.abs((x - [0.2, 0.1]) @ [-0.8, 0.6]), np.nan)
    return "a tilted slit", {**BOXLESS, "mesh_file": mesh, "bc_left_velocity": velocity, "bc_right_velocity": velocity}, place, 0.7


def tube():
    """Of tetrahedra, along x."""
    place = lambda x: np.where(np.abs(x[:, 0] - 0.6) < 1e-9, np.linalg.norm(x[:, 1:], axis=1), np.nan)
    flow = {f"bc_{side}_{key}": value for side in ("inlet", "outlet") for key, value in (("type", side), ("profile", "parabolic"), ("maximum_velocity", 2))}
    right, left = ({key: None for key in FLOW if key.startswith(f"bc_{side}")} for side in ("right", "left"))
    walls = {"bc_bottom_type": None, "bc_top_type": None, "bc_wall_type": "wall", "bc_outlet_polymer": "developed", "bc_outlet_pressure": LEVEL}
    return "a tube in space", {**BOXLESS, **left, **right, **flow, **walls, "mesh_file": prism("across", 6, 2, 0.6)}, place, RADIUS


def given(gate, plugin):
    """Profiles by formula, whose pressure is given at nodes: sections in the plane, also one that is tilted, round the axis, in space; swelling.c has a stress round the axis."""
    flows = {"slit": (GIESEKUS, giesekus, {}, "4*y*(1-y)+0.5*y", lambda r: 4.5 - 8 * r, 0, 1), "tube": (GIESEKUS, giesekus, TUBE, "2*(1-(y/0.7)^2)", lambda r: -4 * r / 0.49, 0, 0.7),
             "tube, swelling": ({**SWELLING, "plugin": plugin}, swelling, TUBE, "2*(1-(y/0.7)^2)", lambda r: -4 * r / 0.49, 0, 0.7),
             "annulus": (PTT, ptt, RING, "3*(y-0.3)*(1.3-y)", lambda r: 3 * (1.6 - 2 * r), 0.3, 1.3), "thin core": (PTT, ptt, {**RING, "mesh_box_lower": "0,0.02"}, "3*(y-0.02)*(1.3-y)", lambda r: 3 * (1.32 - 2 * r), 0.02, 1.3)}
    for name, (words, law, shape, velocity, rate, low, high) in flows.items():
        for np_ in (1, 2):
            y, state = at(case(words, shape, STEP, {"bc_right_velocity": f"{velocity},0", "bc_left_velocity": f"{velocity},0"}, np_=np_), 2.0)
            want = LEVEL + balance(law, rate, low, high, "form_axisymmetric" in shape, y)
            gate.at_least(f"{name}: what it varies by", float(np.ptp(want)), 0.1)
            gate.at_most(f"{name}, np {np_}: pressure at the nodes, over that", float(np.abs(state[:, 2] - want).max() / np.ptp(want)), 2e-6)
    for name, words, distance, half in tilted(), tube():
        result = case(GIESEKUS, STEP, words, np_=2)
        x, state = result.checkpoint("positions"), result.checkpoint()
        r = distance(x)
        there = np.isfinite(r)
        want = LEVEL + balance(giesekus, lambda r: -4 * r / half**2, 0, half, "tube" in name, r[there])
        gate.at_most(f"{name}: pressure at the nodes", float(np.abs(state[there, x.shape[1]] - want).max() / np.ptp(want)), 2e-6)
    _, plain = at(case({**GIESEKUS, "physics_giesekus_alpha": 0}, STEP, {"bc_right_velocity": "4*y*(1-y),0", "bc_left_velocity": "4*y*(1-y),0"}), 2.0)
    gate.true("no second normal stress difference: the pressure that is given, to the bit", bool(np.all(plain[:, 2] == LEVEL)))


# ---- Flows
def settles(gate):
    """With a profile at the outlet, of the flux that arrives, and before a resistance: what comes in developed leaves so, to the order of the mesh."""
    half = {"bc_right_type": "resistance", "bc_right_pressure": None, "bc_right_pressure_by_flux": f"{LEVEL}-0.9+0.9*q"}
    for name, words, shape in ("slit", GIESEKUS, {}), ("half a slit", GIESEKUS, HALF), ("tube", GIESEKUS, TUBE), ("annulus", PTT, RING):
        rate = shape.get("bc_left_flow_rate", 1)
        for way, more in {"arriving": {}, "given": {"bc_right_flow_rate": rate}, "given, by the traction": {"bc_right_flow_rate": rate, "bc_right_pressure_at": "traction"}}.items():
            found = np.array([off(case(words, shape, more, {"mesh_box_faces": faces})) for faces in ("16,12", "32,24")])
            for k, what in enumerate(("velocity across", "velocity, of the inlet's")):
                gate.at_most(f"{name}, {way}: {what}", float(found[1, k]), 0.004 if name == "annulus" else 0.001)
                gate.at_least(f"{name}, {way}: its order", math.log2(found[0, k] / found[1, k]), 1.5)
    arriving, behind = case(GIESEKUS), case(GIESEKUS, half)
    gate.at_most("a resistance: the state is that of its pressure", float(np.abs(arriving.checkpoint() - behind.checkpoint()).max()), 1e-6)
    moving = {"bc_top_type": "moving_wall", "bc_top_velocity": "0.6,0", "mesh_box_faces": "32,24"}
    gate.at_most("a wall that moves: velocity across", float(off(case(GIESEKUS, moving))[0]), 0.001)


def mean(gate):
    """What is given is the mean over the section, at nodes and of what comes out."""
    for name, words, shape in ("slit", GIESEKUS, {}), ("tube", GIESEKUS, TUBE), ("annulus", PTT, RING):
        rate = shape.get("bc_left_flow_rate", 1)
        for way, more in {"arriving": {}, "given": {"bc_right_flow_rate": rate}}.items():
            y, state = at(case(words, shape, more, {"mesh_box_faces": "16,24"}), 2.0)
            weight = y if shape else np.ones_like(y)
            got = simpson(state[:, 2] * weight, x=y) / simpson(weight, x=y)
            gate.near(f"{name}, {way}: mean pressure at the outlet", float(got), LEVEL, 0.012)


def steps(gate):
    """lumped and bdf2 come to the state of Newton's method, on any number of ranks; a run is told of the difference where nothing gives it."""
    want = case(GIESEKUS)
    run_ = {"snes_rtol": None, "stop_time": 60, "stop_steady_tol": 1e-6, "bc_left_ramp": 2}
    for name, words in {"lumped": {"scheme": "lumped", "scheme_lumped_cfl": 0.8}, "bdf2": {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2"}}.items():
        for way, more in {"arriving": {}, "given": {"bc_right_flow_rate": 1, "bc_right_ramp": 2}}.items():
            y, state = at(case(GIESEKUS, run_, words, more), 2.0)
            gate.at_most(f"{name}, {way}: velocity across at the outlet", float(np.abs(state[:, 1]).max() / 1.4), 0.003)
            gate.at_most(f"{name}, {way}: velocity along, of that of steady", float(np.abs(state[:, 0] - at(want, 2.0)[1][:, 0]).max() / 1.4), 0.006)
    x = want.checkpoint()
    for np_ in (2, 3):
        gate.at_most(f"np {np_}", float(np.abs(case(GIESEKUS, np_=np_).checkpoint() - x).max()), 1e-8)


def means(gate):
    """A weight beside the pressure of developed flow (mean), all of the pressure by a formula (local), at nodes and by the traction; double counting is told, also of a formula in time."""
    flow = {"bc_right_velocity": "4*y*(1-y)+0.5*y,0", "bc_left_velocity": "4*y*(1-y)+0.5*y,0"}
    extra = lambda y: balance(giesekus, lambda r: 4.5 - 8 * r, 0, 1, False, y)
    places = np.linspace(0, 1, 101)
    series = np.polynomial.Polynomial.fit(places, LEVEL + extra(places), 16, domain=[0, 1], window=[0, 1])
    text = "+".join(f"({c:.17g})*y^{k}" for k, c in enumerate(series.coef))
    for name, formula, meaning, want in (("a weight", f"{LEVEL}-3*9.81*y", "mean", lambda y: LEVEL - 3 * 9.81 * y + extra(y)), ("all of it", text, "local", series), ("a weight, local", f"{LEVEL}-3*9.81*y", "local", lambda y: LEVEL - 3 * 9.81 * y),
                                         ("all of it, told", text, None, lambda y: series(y) + extra(y))):
        result = case(GIESEKUS, STEP, flow, {"bc_right_pressure": formula, "bc_right_pressure_means": meaning}, np_=2)
        y, state = at(result, 2.0)
        gate.at_most(f"{name}: pressure at the nodes, over what it varies by", float(np.abs(state[:, 2] - want(y)).max() / np.ptp(extra(y))), 1e-5)
        gate.true(f"{name}: told {0 if meaning else 1} times", result.stderr.count("-bc_right_pressure_means local where the formula holds that") == (0 if meaning else 1))
    shape = {"mesh_box_faces": "16,12", "bc_left_flow_rate": 5 / 6}  # developed flow, whose own pressure a polynomial has
    alone = at(case(GIESEKUS, shape, {"bc_right_flow_rate": 5 / 6}), 2.0)
    series = np.polynomial.Polynomial.fit(alone[0], alone[1][:, 2], 12, domain=[0, 1], window=[0, 1])
    text = "+".join(f"({c:.17g})*y^{k}" for k, c in enumerate(series.coef))
    for way, more in {"arriving": {}, "given": {"bc_right_flow_rate": 5 / 6}}.items():
        (_, first), (_, last) = (at(case(GIESEKUS, shape, more, words), 2.0) for words in ({}, {"bc_right_pressure": text, "bc_right_pressure_means": "local"}))
        gate.at_most(f"{way}: velocity by a formula of all of the pressure, of that by its mean", float(np.abs(first[:, :2] - last[:, :2]).max() / first[:, 0].max()), 1e-3)
    says = lambda run_={"stop_steps": 1}, **words: "expected -bc_right_pressure_means local" in case(GIESEKUS, {"scheme": "lumped", "snes_rtol": None}, run_, {f"bc_right_{key}": value for key, value in words.items()}, verb="check").stderr
    gate.true("told: a formula that differs over the label, from some time on", says(pressure="y") and says(pressure="y*max(0,t-3)"))
    gate.true("told: until the run's end alone", says({"stop_time": 3.01}, pressure="y*max(0,t-3)") and not says({"stop_time": 2.99}, pressure="y*max(0,t-3)"))
    states = lambda first, last, pressure: says({"scheme": "steady", "snes_rtol": 1e-8, "scheme_steady_continuation": f"t={first}:0.5:{last}"}, pressure=pressure)
    gate.true("told: from the first of steady states on", states(2, 4, "y*max(0,t-3)") and states(2, 4, "y*max(0,3-t)") and not states(4, 5, "y*max(0,3-t)"))
    gate.true("not told: one that differs along the flow, or is said", not any(says(**words) for words in ({"pressure": "3*x"}, {"pressure": "max(1,t)"}, {"pressure": "y", "pressure_means": "mean"}, {"pressure": "y", "polymer": "open"})))
    constant = case(GIESEKUS, {"bc_right_pressure_means": "local"}, verb="check").stderr
    gate.true("told: local, and the same all over", "gives a pressure that is the same all over it" in constant and "pressure_means mean" in constant)
    for words, expected in (({"bc_right_polymer": "open"}, "with another polymer of the label"), ({**dict.fromkeys(GIESEKUS), "physics": "newtonian", "physics_newtonian_viscosity": 1, "bc_right_polymer": None, "stabiliser": "gls", "polymer_variable": None}, "without a polymer")):
        gate.refused(case(GIESEKUS, {"bc_right_pressure_means": "local"}, words, expect=None), ("-bc_right_pressure_means", expected, "-bc_right_polymer developed"))


def shifted(gate):
    """Told by laws at the temperature of the label, or, where it gives none, of the start: a = exp(-0.1 (T - 300)), the stress over the shear stress at U/D 0.1 1/s."""
    heat = {**GIESEKUS, "physics": "newtonian,giesekus,thermal", "case_velocity": 0.1, "physics_thermal_conductivity": 1, "physics_thermal_heat_capacity": 1, "physics_thermal_reference": 300, "physics_thermal_sensitivity": 0.1, "initial_temperature": 300, "bc_bottom_temperature": "natural", "bc_top_temperature": "natural",
            "bc_left_temperature": "value 300", "bc_left_profile": None, "bc_left_flow_rate": None, "bc_left_velocity": "y*(1-y),0", "bc_left_polymer": "rest", "bc_right_polymer": "open", "scheme": "lumped", "snes_rtol": None, "stop_steps": 1}
    for name, words, np_, T in (("the label", {"bc_right_temperature": "value 270"}, 2, 270), ("the coldest", {"bc_right_temperature": "value 280+20*y"}, 3, 280), ("the label, hot", {"bc_right_temperature": "value 330", "initial_temperature": 270}, 1, 330),
                                ("the start", {"initial_temperature": 275}, 1, 275), ("the reference", {}, 1, 300)):
        a = math.exp(-0.1 * (T - 300))
        tau = stress(giesekus, 0.1 * a)
        ratio = abs(tau[1, 1]) / (tau[0, 1] + 0.2 * 0.1 * a)
        said = [line for line in case(heat, words, np_=np_, verb="check").stderr.splitlines() if "second normal stress difference" in line]
        gate.true(f"{name}: {ratio:.3g}, told above 0.02 {said}", len(said) == (ratio > 0.02) and all(f" is {ratio:.2g} of the shear stress at 0.1 1/s" + (f" by laws shifted {a:.3g}-fold" if T != 300 else " (") in line and line.endswith("expected pressures taken further upstream") for line in said))


def told(gate, _):
    says = lambda *parts: "gives a pressure that is the same all over it" in case(*parts, verb="check").stderr
    zero = {"bc_right_polymer": "zero"}
    duct = {"mesh_box_upper": "2,1,1", "mesh_box_faces": "2,3,3", "mesh_box_cell": "hexahedron", "bc_front_type": "wall", "bc_back_type": "wall"}
    gate.true("told: polymer open, zero, in a duct", all(says(*parts) for parts in [(GIESEKUS, {"bc_right_polymer": "open"}), (GIESEKUS, zero), (GIESEKUS, duct)]))
    gate.true("its advice", "expected -bc_right_polymer developed" in case(GIESEKUS, zero, verb="check").stderr)
    square = lambda **words: case(GIESEKUS, duct, {"bc_left_flow_rate": 0.5, **{f"bc_right_{key}": value for key, value in words.items()}}, verb="check", np_=2).stderr
    formula = {"pressure": "y", "pressure_means": "mean"}
    gate.true("a square duct, developed: told where to take it, not what is set", "upstream, or a formula of it with -bc_right_pressure_means local: -bc_right_polymer developed gives none" in square())
    for name, words, lines in ("mean", {"pressure_means": "mean"}, 1), ("mean, a formula", formula, 1), ("a formula", {"pressure": "y"}, 0), ("local, a formula", {**formula, "pressure_means": "local"}, 0):
        said = square(**words)
        gate.true(f"a square duct, developed, {name}: told {lines} times that nothing is added", said.count("got mean over a section that is neither straight nor a circle") == lines and said.count("second normal stress difference") == lines)
    gate.true("told: local, and the same all over: what to set alone", "expected -bc_right_pressure_means mean, or" in case(GIESEKUS, {"bc_right_pressure_means": "local"}, verb="check").stderr)
    gate.true("no label is left open", "<label>" not in square(pressure_means="mean") + square() + case(GIESEKUS, {"bc_right_pressure_means": "local"}, verb="check").stderr)
    gate.true("not told: developed", not any("second normal stress difference" in case(*parts, verb="check").stderr for parts in [(GIESEKUS,), (GIESEKUS, TUBE), (PTT, RING), (GIESEKUS, {"bc_right_flow_rate": 1})]))


def main(which, *plugin):
    gate = Gate(f"across {which}")
    for part in {"given": (given, told), "settles": (settles, mean), "steps": (steps,), "means": (means,), "shifted": (shifted,)}[which]:
        part(gate, *plugin)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
