"""Developed profiles that end on walls with slip. sliding.py

Velocities of the inlet's nodes against quadratures over the flow curve and the friction: a slit, half a slit, a tube, by a friction and by
formulas of the stress, one of them in time, of a fluid whose viscosity a temperature shifts. In space a slit with slip on both walls and on
one, a square duct with slip all around against its series. The flow then leaves a channel as it came in. What has no such profile is refused."""
import math
import sys

import mshwrite
import numpy as np
import run
from gate import Gate, largest
from scipy.integrate import quad
from scipy.optimize import brentq

H, RATE, FRICTION, ETA = 0.35, 0.63, 1.7, 0.9
BY_STRESS, IN_TIME = "0.3*tau*(1+1.2*tau^2)", "0.3*tau*(1+1.2*tau^2)*(1+40*t)"
CARREAU = {"physics": "carreau_yasuda", "physics_carreau_yasuda_viscosity": ETA, "physics_carreau_yasuda_viscosity_inf": 0.01, "physics_carreau_yasuda_lambda": 2.1, "physics_carreau_yasuda_n": 0.4}
SLIT = {"case_name": "slit", "mesh_box_upper": "0.5,0.7", "mesh_box_faces": "3,10", "stabiliser": "split_oss", "bc_left_type": "inlet", "bc_left_flow_rate": RATE, "bc_right_type": "outlet",
        "bc_bottom_type": "slip", "bc_bottom_friction": FRICTION, "bc_top_type": "slip", "bc_top_friction": FRICTION, "scheme": "lumped", "scheme_lumped_dt": 1e-5, "stop_steps": 1, "output_fields": "false", **CARREAU}
STRESSED = {"bc_bottom_friction": None, "bc_top_friction": None}
HALF = {"mesh_box_upper": "0.5,0.35", "bc_left_flow_rate": RATE / 2, "bc_bottom_type": "symmetry", "bc_bottom_friction": None}
NEWTONIAN = {**dict.fromkeys(CARREAU), "physics": "newtonian", "physics_newtonian_viscosity": ETA}
BOX = {**SLIT, **NEWTONIAN, "mesh_box_faces": "2,2,10", "mesh_box_upper": "0.5,0.4,0.7", "bc_left_flow_rate": RATE * 0.4, "bc_bottom_type": "symmetry", "bc_top_type": "symmetry", **STRESSED,
       "bc_back_type": "slip", "bc_back_friction": FRICTION, "bc_front_type": "slip", "bc_front_friction": FRICTION}


STEADY = {"scheme": "steady", "scheme_lumped_dt": None, "stop_steps": None}


def case(base, np_=1, expect=0, **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, out=run.folder("sliding"), expect=expect, np=np_, timeout=200)


def inlet(result):
    x, state = result.checkpoint("positions"), result.checkpoint()
    left = np.flatnonzero(np.abs(x[:, 0]) < 1e-9)
    return x[left, 1:], state[left]


def carreau(rate):
    return rate * (0.01 + 0.89 * (1 + (2.1 * rate) ** 2) ** (-0.3))


def profile(r, share, slip, aim, stress=carreau):
    """U(r) with the flux `aim` of nodes that have these shares: T = T_w r/H, U = int_r^H g dr + slip(T_w)."""
    rate = lambda T: brentq(lambda g: stress(g) - T, 0, 1e4, xtol=1e-14, rtol=1e-14)
    flow = lambda Tw: np.array([quad(lambda s: rate(Tw * s / H), at, H, epsabs=1e-12, epsrel=1e-12)[0] for at in r]) + slip(Tw)
    return flow(brentq(lambda Tw: float(share @ flow(Tw)) - aim, 1e-3, 5, xtol=1e-13))


def shares(y, tube=False):
    """Fluxes of unit velocities of nodes in line; of a tube 2 pi r over linear functions by two points of Gauss's rule."""
    order, share = np.argsort(y), np.zeros(len(y))
    for a, b in zip(order[:-1], order[1:]):
        for part in (0.5 - 0.5 / math.sqrt(3), 0.5 + 0.5 / math.sqrt(3)):
            area = 0.5 * (y[b] - y[a]) * (2 * math.pi * (y[a] + part * (y[b] - y[a])) if tube else 1)
            share[a] += area * (1 - part)
            share[b] += area * part
    return share


def plane(gate):
    linear, cubic = lambda T: T / FRICTION, lambda T: 0.3 * T * (1 + 1.2 * T**2)
    both = {**STRESSED, "bc_bottom_slip_by_stress": BY_STRESS, "bc_top_slip_by_stress": BY_STRESS}
    timed = {**STRESSED, "bc_bottom_slip_by_stress": IN_TIME, "bc_top_slip_by_stress": IN_TIME, "stop_steps": 3, "scheme_lumped_dt": 2e-3}
    cases = {"friction": (linear, {}, {}), "np 2": (linear, {}, {"np_": 2}), "by the stress": (cubic, both, {}), "half": (linear, HALF, {}), "by the stress, in time": (lambda T: cubic(T) * (1 + 40 * 6e-3), timed, {})}
    for name, (slip, changes, how) in cases.items():
        y, state = inlet(case(SLIT, **changes, **how))
        r = np.abs(y[:, 0] - (0 if name == "half" else H))
        exact = profile(r, shares(y[:, 0]), slip, RATE / 2 if name == "half" else RATE)
        gate.at_most(f"slit, {name}: velocity", largest(np.abs(state[:, 0] - exact) / exact.max()), 2e-8)
        gate.at_least(f"slit, {name}: slip over the largest velocity", float(exact.min() / exact.max()), 0.2)
    tube = {"form_axisymmetric": "true", **HALF, "bc_left_flow_rate": 0.21}
    y, state = inlet(case(SLIT, **tube))
    exact = profile(y[:, 0], shares(y[:, 0], True), linear, 0.21)
    gate.at_most("tube: velocity", largest(np.abs(state[:, 0] - exact) / exact.max()), 2e-8)
    # a = exp(-0.02 (330 - 300)): T(g) = carreau(a g)
    hot = {"physics": "carreau_yasuda,thermal", "physics_thermal_conductivity": 0.2, "physics_thermal_heat_capacity": 2000, "physics_thermal_sensitivity": 0.02, "bc_left_temperature": "value 330"}
    a = math.exp(-0.6)
    for name, changes in ("", {}), (", ramp", {"bc_left_ramp": 4e-5}):
        y, state = inlet(case(SLIT, **hot, **changes))
        part = 0.5 * (1 - math.cos(math.pi / 4)) if changes else 1
        exact = profile(np.abs(y[:, 0] - H), shares(y[:, 0]), linear, RATE * part, lambda g: carreau(a * g))
        gate.at_most(f"shifted{name}: velocity", largest(np.abs(state[:, 0] - exact) / exact.max()), 2e-8)


def space(gate):
    """Nodes of Q1 are exact in one dimension: u = (G/2 eta) z (h - z) + A + B z."""
    h = 2 * H
    z, state = inlet(case(BOX))
    z = z[:, 1]
    shape = lambda G: G / (2 * ETA) * z * (h - z) + G * h / 2 / FRICTION
    share = np.where((z < 1e-9) | (z > h - 1e-9), 0.035, 0.07)
    mean = lambda u: float((share * u).sum() / share.sum() * h)
    exact = shape(1) * RATE / mean(shape(1))
    gate.at_most("space, both walls slip: velocity", largest(np.abs(state[:, 0] - exact) / exact.max()), 1e-9)
    # the wall below at rest: u = (G/2 eta) z (h - z) + B z, eta B - G h/2 = -b B h
    one = {"bc_back_type": "wall", "bc_back_friction": None}
    for np_ in 1, 2:
        z, state = inlet(case(BOX, np_=np_, **one))
        z = z[:, 1]
        shape = 1 / (2 * ETA) * z * (h - z) + h / 2 / (ETA + FRICTION * h) * z
        share = np.where((z < 1e-9) | (z > h - 1e-9), 0.035, 0.07)
        exact = shape * RATE / mean(shape)
        gate.at_most(f"space, one wall slips, np {np_}: velocity", largest(np.abs(state[:, 0] - exact) / exact.max()), 1e-9)
    cubic = {"bc_back_friction": None, "bc_front_friction": None, "bc_back_slip_by_stress": BY_STRESS, "bc_front_slip_by_stress": BY_STRESS}
    z, state = inlet(case(BOX, **cubic))
    z = z[:, 1]
    share = np.where((z < 1e-9) | (z > h - 1e-9), 0.035, 0.07)
    flow = lambda G: G / (2 * ETA) * z * (h - z) + 0.3 * (G * h / 2) * (1 + 1.2 * (G * h / 2) ** 2)
    exact = flow(brentq(lambda G: mean(flow(G)) - RATE, 1e-3, 20))
    gate.at_most("space, slip by the stress: velocity", largest(np.abs(state[:, 0] - exact) / exact.max()), 1e-8)


def duct(gate):
    """A square of side 2: u = sum c_i c_j X_i Y_j/(k_i^2 + k_j^2), X = cos k x, eta k tan k = b, 1 = sum c_i X_i."""
    roots = [brentq(lambda k, n=n: ETA * k * math.sin(k) - FRICTION * math.cos(k), n * math.pi, (n + 0.5) * math.pi) for n in range(40)]
    coefficient = [(math.sin(k) / k) / (0.5 + math.sin(2 * k) / (4 * k)) for k in roots]

    def series(x, y):
        return sum(ci * cj * np.cos(ki * x) * np.cos(kj * y) / (ki * ki + kj * kj) for ki, ci in zip(roots, coefficient) for kj, cj in zip(roots, coefficient))

    mean = sum(ci * cj * math.sin(ki) / ki * math.sin(kj) / kj / (ki * ki + kj * kj) for ki, ci in zip(roots, coefficient) for kj, cj in zip(roots, coefficient))
    errors = []
    for n in 6, 12:
        square = {"mesh_box_faces": f"1,{n},{n}", "mesh_box_upper": "0.5,2,2", "bc_left_flow_rate": 4, **{f"bc_{side}_{key}": value for side in ("bottom", "top", "back", "front") for key, value in (("type", "slip"), ("friction", FRICTION))}}
        x, state = inlet(case(BOX, **square))
        exact = series(x[:, 0] - 1, x[:, 1] - 1) / mean
        errors.append(largest(np.abs(state[:, 0] - exact) / exact.max()))
    gate.at_most("square duct: velocity", errors[1], 6e-3)
    gate.at_least("square duct: order", math.log2(errors[0] / errors[1]), 1.8)


def channel(gate):
    """Oldroyd-B through 2 widths: as it came in, by order 2 (the flux of nodes is not that of the weak form)."""
    flow = {**NEWTONIAN, "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.3, "physics_oldroydb_viscosity": 0.6, "physics_oldroydb_lambda": 0.2, "stabiliser": "devss,split_oss", "scheme": "steady",
            "scheme_lumped_dt": None, "stop_steps": None, "mesh_box_upper": "1.4,0.7"}
    errors = []
    for n in 8, 16:
        x, state = (lambda r: (r.checkpoint("positions"), r.checkpoint()))(case(SLIT, **flow, mesh_box_faces=f"{n},{n}"))
        first, last = (np.flatnonzero(np.abs(x[:, 0] - at) < 1e-9) for at in (0, 1.4))
        first, last = first[np.argsort(x[first, 1])], last[np.argsort(x[last, 1])]
        errors.append(largest(np.abs(state[last, 0] - state[first, 0]) / state[:, 0].max()))
    gate.at_most("channel: velocity at the outlet against the inlet", errors[1], 3e-3)
    gate.at_least("channel: order", math.log2(errors[0] / errors[1]), 1.7)


def stops(gate):
    """A flow that stops, whose slip depends on time; powers of the stress; a slab that is one cell thick."""
    words = {**STRESSED, "bc_bottom_slip_by_stress": IN_TIME, "bc_top_slip_by_stress": IN_TIME, "bc_left_flow_rate": f"max(0,{RATE}*(1-t/0.0035))", "scheme_lumped_dt": 1e-3, "stop_steps": 6}
    gate.at_most("slit, a flow that has stopped", largest(np.abs(inlet(case(SLIT, **words))[1][:, 0])), 1e-12)
    space = {"bc_back_friction": None, "bc_front_friction": None, "bc_back_slip_by_stress": IN_TIME, "bc_front_slip_by_stress": IN_TIME}
    gate.at_most("space, a flow that has stopped", largest(np.abs(inlet(case(BOX, **{**words, **space, **dict.fromkeys(("bc_bottom_slip_by_stress", "bc_top_slip_by_stress"))}))[1][:, 0])), 1e-12)
    h = 2 * H
    for text, slip in (("0.01*tau+0.3*tau^3", lambda T: 0.01 * T + 0.3 * T**3), ("1e-6*tau+0.2*tau^6", lambda T: 1e-6 * T + 0.2 * T**6)):
        z, state = inlet(case(BOX, **{**space, **STEADY, "bc_back_slip_by_stress": text, "bc_front_slip_by_stress": text}))
        z = z[:, 1]
        share = np.where((z < 1e-9) | (z > h - 1e-9), 0.035, 0.07)
        flow = lambda G: G / (2 * ETA) * z * (h - z) + slip(G * h / 2)
        exact = flow(brentq(lambda G: float((share * flow(G)).sum() / share.sum() * h) - RATE, 1e-3, 20))
        gate.at_most(f"space, slip {text}: velocity", largest(np.abs(state[:, 0] - exact) / exact.max()), 1e-8)
    square = {"mesh_box_faces": "1,8,8", "mesh_box_upper": "0.5,2,2", "bc_left_flow_rate": 4, **{f"bc_{side}_{key}": value for side in ("bottom", "top", "back", "front") for key, value in (("type", "slip"), ("friction", None), ("slip_by_stress", "0.03*tau+0.3*tau^3"))}}
    gate.at_least("square duct, slip by a power", float(inlet(case(BOX, **square, **STEADY))[1][:, 0].max()), 1)
    thin, thick = (inlet(case(BOX, mesh_box_faces=f"2,{n},10")) for n in (1, 2))
    for name, (at, state) in ("one cell", thin), ("two cells", thick):
        gate.at_most(f"slab of {name} between planes of symmetry: slip", largest(np.abs(np.sort(np.unique(np.round(state[:, 0], 12))) - np.sort(np.unique(np.round(thick[1][:, 0], 12))))), 1e-9)


def oblique(gate, folder):
    """A die that narrows from its inlet on: nothing flows through walls that slip, at the inlet's corners neither."""
    place = lambda i, j: (0.1 * i, (j / 10 - 0.5) * (0.9 - 0.35 * 0.1 * i))
    for name, words in ("friction", {}), ("free_slip", {"bc_bottom_type": "free_slip", "bc_bottom_friction": None, "bc_top_type": "free_slip", "bc_top_friction": None, "bc_left_velocity": "0.7,0", "bc_left_flow_rate": None}), \
                       ("half", {"bc_bottom_type": "symmetry", "bc_bottom_friction": None}):
        half = name == "half"
        mesh = mshwrite.channel(f"{folder}/{name}.msh", 10, 10, (lambda i, j: (0.1 * i, j / 20 * (0.9 - 0.35 * 0.1 * i))) if half else place)
        result = case(SLIT, **{**NEWTONIAN, **STEADY, "mesh_box_faces": None, "mesh_box_upper": None, "mesh_file": mesh, "bc_left_flow_rate": 0.315 if half else RATE, **words, "diagnostic_q_kind": "flux", "diagnostic_q_label": "left,right,top,bottom"})
        flux = {key: float(column[-1]) for key, column in result.table("_q.csv").items()}
        gate.at_most(f"a die that narrows, {name}: flux through the walls over that of the inlet", largest([abs(flux[f"{side}_flux"] / flux["left_flux"]) for side in ("top", "bottom")]), 1e-9)
        gate.at_most(f"a die that narrows, {name}: inflow less outflow", abs(flux["right_flux"] / flux["left_flux"] + 1), 1e-8)
        if name != "free_slip":
            gate.relative(f"a die that narrows, {name}: the rate that is given", -flux["left_flux"], 0.315 if half else RATE, 1e-9)
    gate.refused(case(SLIT, expect=None, **{**STRESSED, "bc_bottom_slip_by_stress": "tau>1e-2 ? 0.3*(tau-1e-2) : 0", "bc_top_slip_by_stress": BY_STRESS}), ["-bc_bottom_slip_by_stress", "gives 0 at tau = 1e-6 Pa, expected a slope at 0"])


def told(gate):
    """What a profile has is not told, in space neither (rim.py); without friction there is none."""
    gate.refused(case(BOX, expect=None, bc_back_friction=0, bc_front_friction=0, mesh_box_faces="2,2,4"), ["-bc_left_profile developed", "0 nodes on walls without slip", "expected others, and a wall without slip or with friction"])
    gate.true("space, two frictions: nothing is told", "a label that ends on" not in case(BOX, bc_front_friction=2 * FRICTION).stderr)
    for name, changes in ("one friction", {}), ("two frictions", {"bc_top_friction": 2 * FRICTION}), ("one wall at rest", {"bc_top_type": "wall", "bc_top_friction": None}):
        gate.true(f"slit, {name}: nothing is told", "a label that ends on" not in case(SLIT, **changes).stderr)


def main():
    gate = Gate("boundary_sliding")
    for part in plane, space, duct, channel, stops, told:
        part(gate)
    oblique(gate, run.folder("sliding"))
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
