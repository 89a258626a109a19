"""Inflow by the developed profile of the case's laws. profile.py

Velocity and polymer stress of the inlet's nodes against the analytic slit flow of linear PTT, and against quadratures over flow curves in
closed form: Carreau with a power law's tail, Giesekus of two modes with solvent; half a slit; both in a tube. A flow that enters developed
leaves a channel as it came in. Pulsatile inflow of a Newtonian fluid against Womersley's series, at the inlet and behind it."""
import math
import sys

import msh
import numpy as np
import run
from gate import Gate
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import jv

H = 0.35
SLIT = {
    "case_name": "slit", "mesh_box_upper": "0.5,0.7", "mesh_box_faces": "3,10", "stabiliser": "devss,split_oss", "polymer_variable": "stress", "bc_left_type": "inlet",
    "bc_left_profile": "developed", "bc_right_type": "outlet", "bc_bottom_type": "wall", "bc_top_type": "wall", "scheme_lumped_dt": 1e-5, "stop_steps": 1,
    "output_fields": "false",
}
PTT = {"physics": "ptt", "physics_ptt_viscosity": 0.8, "physics_ptt_lambda": 1.3, "physics_ptt_epsilon": 0.25, "physics_ptt_form": "linear", "bc_left_polymer_at": "nodes"}
CARREAU = {"physics": "carreau_yasuda", "physics_carreau_yasuda_viscosity": 0.9, "physics_carreau_yasuda_viscosity_inf": 0.01, "physics_carreau_yasuda_lambda": 2.1,
           "physics_carreau_yasuda_n": 0.4, "polymer_variable": None, "stabiliser": "split_oss"}
GIESEKUS = {"physics": "newtonian,giesekus", "physics_newtonian_viscosity": 0.1, "physics_giesekus_modes": 2, "physics_giesekus_viscosity": "0.5,0.3",
            "physics_giesekus_lambda": "1.1,0.2", "physics_giesekus_alpha": "0.2,0.35"}
TUBE = {
    "case_name": "tube", "mesh_file": f"{run.MESHES}/tube_bulge.msh", **CARREAU, "bc_inlet_type": "inlet", "bc_inlet_flow_rate": "0.7", "bc_outlet_type": "outlet",
    "bc_wall_type": "wall", "scheme_lumped_dt": 1e-5, "stop_steps": 1, "output_fields": "false", "diagnostic_rate_kind": "flux", "diagnostic_rate_label": "inlet",
}
WAVE = {**SLIT, "physics": "newtonian", "physics_newtonian_viscosity": 0.06, "polymer_variable": None, "stabiliser": "split_oss", "form_density": 1.5,
        "bc_left_profile": "womersley", "bc_left_flow_rate": "0.5+0.4*sin(5*pi*t)+0.2*cos(15*pi*t)", "bc_left_period": 0.4}

# More than three periods by bdf2, from rest.
WHOLE = {"scheme_lumped_dt": None, "stop_steps": None, "scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": 0.002, "stop_time": 1.3}


def case(base, expect=0, np_=1, **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, out=run.folder("profile"), expect=expect, np=np_, timeout=120)


def inlet(result):
    """Positions across and states of the nodes at x = 0, in order."""
    x, state = result.checkpoint("positions"), result.checkpoint()
    left = np.flatnonzero(np.abs(x[:, 0]) < 1e-9)
    left = left[np.argsort(x[left, 1])]
    return x[left, 1], state[left]


def carreau(rate):
    return rate * (0.01 + 0.89 * (1 + (2.1 * rate) ** 2) ** (-0.3))


def giesekus(rate):
    """Bird, Armstrong and Hassager (1987), table 7.3-3."""
    total = 0.1
    for eta, time, alpha in ((0.5, 1.1, 0.2), (0.3, 0.2, 0.35)):
        w = alpha * (1 - alpha) * (time * rate) ** 2
        chi = math.sqrt((math.sqrt(1 + 16 * w) - 1) / (8 * w)) if w > 1e-9 else 1 - w
        f = (1 - chi) / (1 + (1 - 2 * alpha) * chi)
        total += eta * (1 - f) ** 2 / (1 + (1 - 2 * alpha) * f)
    return rate * total


def developed(curve, wall, radius, r):
    """U(r) where the wall's shear rate is `wall`: the rate by its stress, then a quadrature."""
    def rate(s):
        return brentq(lambda g: curve(g) - curve(wall) * s / radius, 0, 1.01 * wall, xtol=1e-14) if s > 0 else 0
    return quad(rate, r, radius, epsabs=1e-12, epsrel=1e-11, limit=200)[0]


def ptt(gate):
    """Oliveira and Pinho (1999): u' = (T/eta) (1 + 2 epsilon (lambda T/eta)^2), T_xx = 2 lambda T_xy^2/eta."""
    y, state = inlet(case({**SLIT, **PTT}, bc_left_maximum_velocity=1.7))
    def speed(tw, r):
        s = tw / 0.8
        return s * H * (0.5 * (1 - (r / H) ** 2) + 0.5 * 0.25 * (1.3 * s) ** 2 * (1 - (r / H) ** 4))
    tw = brentq(lambda t: speed(t, 0) - 1.7, 0, 100, xtol=1e-14)
    xy = tw * (H - y) / H
    gate.at_most("linear PTT: velocity", float(np.abs(state[:, 0] - speed(tw, np.abs(y - H))).max()), 1e-7)
    inside = slice(1, -1)
    gate.at_most("linear PTT: shear stress", float(np.abs(state[inside, 5] - xy[inside]).max()), 1e-6)
    gate.at_most("linear PTT: normal stress", float(np.abs(state[inside, 3] - 2 * 1.3 * xy[inside] ** 2 / 0.8).max()), 1e-5)


def curves(gate):
    for name, laws, curve in (("Carreau", CARREAU, carreau), ("Giesekus of two modes", GIESEKUS, giesekus)):
        y, state = inlet(case({**SLIT, **laws}, bc_left_maximum_velocity=1.7))
        wall = brentq(lambda g: developed(curve, g, H, 0) - 1.7, 1, 60, xtol=1e-12)
        exact = [developed(curve, wall, H, abs(v - H)) for v in y]
        gate.at_most(f"{name}: velocity", float(np.abs(state[:, 0] - exact).max()), 1e-6)
    y, half = inlet(case({**SLIT, **GIESEKUS}, mesh_box_upper="0.5,0.35", mesh_box_faces="3,5", bc_top_type="symmetry", bc_left_maximum_velocity=1.7, np_=2))
    gate.at_most("half a slit: velocity", float(np.abs(half[:, 0] - exact[: len(y)]).max()), 1e-6)
    side = {"mesh_box_upper": "0.5,0.35", "mesh_box_faces": "3,5", "bc_top_type": "free_slip", "bc_left_maximum_velocity": 1.7, "bc_left_polymer_at": "nodes"}
    result = case({**SLIT, **GIESEKUS, **side, "bc_right_profile": "developed", "bc_right_maximum_velocity": 1.7}, np_=2)
    gate.at_most("half a slit, free slip on its middle: velocity", float(np.abs(inlet(result)[1][:, 0] - exact[: len(y)]).max()), 1e-6)


def rates(gate):
    for np_ in (1, 3):
        y, state = inlet(case({**SLIT, **GIESEKUS}, np_=np_, bc_left_profile=None, bc_left_flow_rate="0.4*(1+50*t)", scheme_lumped_dt=1e-3))
        gate.near(f"np {np_}: flux of the nodes", run.trapezoid(y, state[:, 0]), 0.42, 1e-12)
    for name, laws, curve in (("tube", {}, carreau), ("tube, Giesekus of two modes", {**GIESEKUS, "stabiliser": "devss,split_oss", "polymer_variable": "stress"}, giesekus)):
        tube(gate, name, {**TUBE, **({key: None for key in CARREAU} if laws else {}), **laws}, curve)


def tube(gate, name, words, curve):
    result = case(words)
    table = result.table("_rate.csv")
    column = next(key for key in table if key not in ("step", "t"))
    gate.near(f"{name}: flux of the nodes", abs(float(table[column][-1])), 0.7, 1e-11)
    x, state = result.checkpoint("positions"), result.checkpoint()
    at = np.flatnonzero(np.abs(x[:, 0]) < 1e-9)
    speed, r = state[at, 0], np.linalg.norm(x[at, 1:], axis=1)
    first = int(np.argmin(r))
    wall = brentq(lambda g: developed(curve, g, 0.5, r[first]) - float(speed[first]), 0.1, 400, xtol=1e-12)
    inside = r < 0.49
    exact = np.array([developed(curve, wall, 0.5, v) for v in r[inside]])
    speed = speed[inside]
    gate.at_most(f"{name}: velocity over the maximum", float(np.abs(speed - exact).max() / speed.max()), 1e-6)


def unchanged(gate):
    words = {**SLIT, **PTT, "physics": "newtonian,ptt", "physics_newtonian_viscosity": 0.1, "polymer_variable": "logconf", "mesh_box_faces": "6,12", "bc_left_profile": None,
             "bc_left_flow_rate": "0.6", "scheme": "steady", "scheme_lumped_dt": None, "stop_steps": None}
    result = case(words)
    y, before = inlet(result)
    x, state = result.checkpoint("positions"), result.checkpoint()
    for place, bound in ((0.25, 0.01), (0.5, 0.01)):
        there = np.flatnonzero(np.abs(x[:, 0] - place) < 1e-9)
        there = there[np.argsort(x[there, 1])]
        gate.at_most(f"velocity at {place} from that of the inlet, over its maximum", float(np.abs(state[there, 0] - before[:, 0]).max() / before[:, 0].max()), bound)


def womersley(nu, radius, r, t, tube):
    """Complex velocities of the flow rate's parts in WAVE, mean, harmonics 1 and 3, for a mean velocity of 1, and the flow rate's."""
    s, area = r / radius, math.pi * radius**2 if tube else 2 * radius
    shapes, rates = [(2 if tube else 1.5) * (1 - s**2)], [0.5 / area]
    for amplitude, k in ((-0.4j, 1), (0.2, 3)):
        w = 5 * math.pi * k
        if tube:
            z = 1j**1.5 * radius * math.sqrt(w / nu)
            f, mean = 1 - jv(0, z * s) / jv(0, z), 1 - 2 * jv(1, z) / (z * jv(0, z))
        else:
            z = radius * np.sqrt(1j * w / nu)
            f, mean = 1 - np.cosh(z * s) / np.cosh(z), 1 - np.tanh(z) / z
        shapes.append(f / mean)
        rates.append(amplitude * np.exp(1j * w * t) / area)
    return np.array(shapes, dtype=complex), np.array(rates, dtype=complex)


def shapes_carried(path, radius, shapes):
    """Flux over the inlet's faces of each shape at the nodes over that of its mean of 1 over the circle."""
    mesh = msh.read(path)
    share = np.zeros(len(mesh.points))
    for face in mesh.cells("inlet"):
        x = mesh.points[face]
        for corners, part in [((0, 1, 2), 1 / 6)] if len(face) == 3 else [((0, 1, 2), 1 / 12), ((0, 2, 3), 1 / 12), ((0, 1, 3), 1 / 12), ((1, 2, 3), 1 / 12)]:
            share[face[list(corners)]] += part * np.linalg.norm(np.cross(x[corners[1]] - x[corners[0]], x[corners[2]] - x[corners[0]]))
    r = np.linalg.norm(mesh.points[:, 1:], axis=1)
    at = np.flatnonzero((share > 0) & (r < 0.999 * radius))
    return shapes(r[at]) @ share[at] / (math.pi * radius**2)


def slit_flow(y, t):
    shapes, rates = womersley(0.04, H, np.abs(y - H), t, False)
    return (rates @ shapes).real


def pulsatile(gate):
    end = {"scheme_lumped_dt": 0.1, "mesh_box_faces": "3,80"}
    for np_ in (1, 3):
        y, state = inlet(case({**WAVE, **end}, np_=np_))
        q = 0.5 + 0.4 * math.sin(0.5 * math.pi) + 0.2 * math.cos(1.5 * math.pi)
        gate.near(f"np {np_}: flux of the nodes", run.trapezoid(y, state[:, 0]), q, 1e-12)
        exact = slit_flow(y, 0.1)
        gate.at_most(f"np {np_}: slit: velocity over its maximum", float(np.abs(state[:, 0] - exact).max() / np.abs(exact).max()), 2e-3)
    tube = {**{k: v for k, v in TUBE.items() if "carreau" not in k}, **{k: v for k, v in WAVE.items() if k.startswith(("physics", "form"))}, "scheme_lumped_dt": 0.1,
            "bc_inlet_profile": "womersley", "bc_inlet_flow_rate": WAVE["bc_left_flow_rate"], "bc_inlet_period": 0.4, "stop_steps": 1}
    result = case(tube)
    x, state = result.checkpoint("positions"), result.checkpoint()
    at = np.flatnonzero((np.abs(x[:, 0]) < 1e-9) & (np.linalg.norm(x[:, 1:], axis=1) < 0.49))
    shapes, rates = womersley(0.04, 0.5, np.linalg.norm(x[at, 1:], axis=1), 0.1, True)
    parts = np.array([shapes[0].real, shapes[1].real, -shapes[1].imag, shapes[2].real, -shapes[2].imag]).T
    found = np.linalg.lstsq(parts, state[at, 0], rcond=None)[0]
    gate.at_most("tube: velocity from a sum of mean and harmonics", float(np.abs(state[at, 0] - parts @ found).max() / np.abs(state[at, 0]).max()), 1e-6)
    ratios = np.array([found[0], found[1] + 1j * found[2], found[3] + 1j * found[4]]) / rates
    carried = shapes_carried(tube["mesh_file"], 0.5, lambda r: womersley(0.04, 0.5, r, 0.1, True)[0])
    gate.at_least("tube: what a coarse circle's nodes carry of its flow, over the flow", float(np.abs(carried).min()), 0.8)
    gate.at_most("tube: amplitudes, by what the nodes carry of each part", float(np.abs(ratios * carried - 1).max()), 1e-6)
    flow = case({**WAVE, "mesh_box_upper": "0.35,0.7", "mesh_box_faces": "6,28", "scheme_lumped_dt": 0.001, "stop_steps": 1300})
    x, state = flow.checkpoint("positions"), flow.checkpoint()
    at = np.flatnonzero(np.abs(x[:, 0] - 0.175) < 1e-9)
    exact = slit_flow(x[at, 1], 1.3)
    gate.at_most("half a width behind the inlet: velocity over its maximum", float(np.abs(state[at, 0] - exact).max() / np.abs(exact).max()), 0.01)
    flow = case({**WAVE, **WHOLE}, form_axisymmetric="true", mesh_box_upper="0.35,0.35", mesh_box_faces="6,20", bc_bottom_type="symmetry")
    x, state = flow.checkpoint("positions"), flow.checkpoint()
    shapes, rates = womersley(0.04, 0.35, x[:, 1], 1.3, True)
    exact = (rates @ shapes).real
    gate.at_most("tube, at the inlet and behind it: velocity over its maximum", float(np.abs(state[:, 0] - exact).max() / np.abs(exact).max()), 0.005)


def refused(gate):
    falling = {**SLIT, "physics": "newtonian,johnson_segalman", "physics_newtonian_viscosity": 0.001, "physics_johnson_segalman_viscosity": 0.9,
               "physics_johnson_segalman_lambda": 1, "physics_johnson_segalman_xi": 0.5, "bc_left_mean_velocity": 2}
    cases = [({**SLIT, **PTT}, {}, ("-bc_left_profile developed", "neither mean nor maximum")),
             ({**SLIT, **PTT}, {"bc_left_mean_velocity": 1, "bc_left_velocity": "1,0"}, ("-bc_left_velocity", "expected one of the two")),
             (falling, {}, ("bc_left", "not monotone")),
             ({**SLIT, **PTT}, {"bc_left_mean_velocity": 1, "bc_top_type": "symmetry", "bc_bottom_type": "symmetry"}, ("-bc_left_profile developed", "both ends on planes of symmetry")),
             ({**SLIT, **PTT}, {"bc_left_profile": None, "bc_left_flow_rate": "1e300"}, ("-bc_left_type inlet", "no steady state in shear", "a finite number")),
             (WAVE, {"bc_left_period": None}, ("-bc_left_period", "expected the period")),
             (WAVE, {"bc_left_period": 0.3}, ("-bc_left_flow_rate", "not the same a period")),
             (WAVE, {"bc_left_flow_rate": None, "bc_left_period": None}, ("-bc_left_profile womersley", "-bc_left_flow_rate")),
             (WAVE, {"bc_right_profile": "womersley", "bc_right_flow_rate": WAVE["bc_left_flow_rate"]}, ("-bc_right_profile womersley", "-bc_right_type outlet", "inlet")),
             (WAVE, {"bc_left_profile": "developed"}, ("-bc_left_period", "-bc_left_profile womersley")),
             ({**WAVE, **CARREAU}, {"physics_newtonian_viscosity": None}, ("-bc_left_profile womersley", "'carreau_yasuda'", "not linear in the shear rate")),
             ({**WAVE, **PTT}, {"physics_newtonian_viscosity": None, "polymer_variable": "stress"}, ("-bc_left_profile womersley", "'ptt'", "not linear in the shear rate"))]
    ring = {"form_axisymmetric": "true", "mesh_box_lower": "0,0.2", "mesh_box_upper": "0.5,0.9"}
    cases.append(({**SLIT, **PTT}, {"bc_left_mean_velocity": 1, "bc_left_profile": "parabolic", **ring}, ("-bc_left_profile parabolic", "between radii 0.2 and 0.9", "-bc_left_profile developed", "-bc_left_profile file")))
    cases.append((WAVE, ring, ("-bc_left_profile womersley", "between radii 0.2 and 0.9", "-bc_left_profile file")))
    for base, changes, expected in cases:
        gate.refused(case(base, expect=None, **changes), expected)


def warned(gate):
    """A profile between walls at rest, where one moves or slips: told of Womersley's; not of a parabola, which is what it says, nor of a developed one, which has both (gap.py)."""
    moving, slipping = {"bc_top_type": "moving_wall", "bc_top_velocity": "0.3,0"}, {"bc_bottom_type": "slip", "bc_bottom_friction": 3}
    steady = {**SLIT, **CARREAU, "bc_left_mean_velocity": 1}
    for base, changes, told in ((WAVE, moving, "'top', type moving_wall"), (WAVE, slipping, "'bottom', type slip"), (steady, moving, None), (steady, slipping, None), ({**steady, "bc_left_profile": "parabolic"}, moving, None)):
        result = case(base, np_=2, **changes)
        lines = [line for line in result.stderr.splitlines() if "walls at rest" in line]
        gate.true(f"{base['bc_left_profile']}, {told}", len(lines) == 1 and told in lines[0] if told else not lines)
    for top, told in (("outlet", "(beside it: 'bottom', type wall; 'top', type outlet)"), ("wall", None)):
        lines = [line for line in case({**SLIT, **CARREAU}, np_=2, bc_left_mean_velocity=1, bc_top_type=top).stderr.splitlines() if "an end at another inlet or outlet" in line]
        gate.true(f"an end at {top}", len(lines) == 1 and told in lines[0] if told else not lines)


def main():
    gate = Gate("boundary_profile")
    for check in (ptt, curves, rates, unchanged, pulsatile, refused, warned):
        check(gate)
    return gate.finish()


sys.exit(main())
