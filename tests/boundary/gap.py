"""Inflow by the developed profile between two walls of any kind. gap.py [channel | told | shipped | helix]

Velocities and stresses of the inlet's nodes. Annuli of a Newtonian fluid against the logarithm of the radius, by np 1, 2 and 3; of Carreau, Herschel-Bulkley and
PTT fluids against Gauss's rule over flow curves in closed form, inverted by bisection, with the two constants of tau = C/r - G r/2 by Powell's method. Walls that move along
the flow (wire coating, Couette-Poiseuille flow, with it, against it and without a flow rate), that slip otherwise than the other one, or not at all, that are raised, in slits, annuli and tubes, at
inlets and outlets; a fluid that a temperature shifts. channel: what comes in developed leaves so, to the order of the mesh. helix: walls that turn beside a flow along the axis, whose shear along theta thins the fluid too, against the same quadratures with three constants; the inlet's own azimuthal velocity; behind
the inlet both stay. told: what has no such profile."""
import math
import sys

import mshwrite
import numpy as np
import run
from gate import Gate, largest
from scipy.optimize import root
from sliding import shares

LOW, HIGH, RATE, ETA = 0.3, 1.0, 0.83, 0.9
CARREAU = {"physics": "carreau_yasuda", "physics_carreau_yasuda_viscosity": ETA, "physics_carreau_yasuda_viscosity_inf": 0.01, "physics_carreau_yasuda_lambda": 2.1, "physics_carreau_yasuda_n": 0.4}
NEWTONIAN = {"physics": "newtonian", "physics_newtonian_viscosity": ETA}
MODES = ((0.5, 1.1, 0.25), (0.3, 0.2, 0.1))
PTT = {"physics": "newtonian,ptt", "physics_newtonian_viscosity": 0.2, "physics_ptt_modes": 2, "physics_ptt_form": "linear", "stabiliser": "devss,split_oss", "polymer_variable": "stress", "bc_left_polymer_at": "nodes",
       **{f"physics_ptt_{name}": ",".join(str(mode[k]) for mode in MODES) for k, name in enumerate(("viscosity", "lambda", "epsilon"))}}
YIELD = {"physics": "herschel_bulkley", "physics_herschel_bulkley_yield_stress": 0.8, "physics_herschel_bulkley_consistency": 0.7, "physics_herschel_bulkley_n": 0.6, "physics_herschel_bulkley_m": 40, "physics_herschel_bulkley_viscosity_max": 10}
SLIT = {"case_name": "gap", "mesh_box_upper": "0.5,0.7", "mesh_box_faces": "3,12", "stabiliser": "split_oss", "bc_left_type": "inlet", "bc_left_flow_rate": RATE, "bc_right_type": "outlet", "form_density": 3,
        "bc_bottom_type": "wall", "bc_top_type": "wall", "scheme": "lumped", "scheme_lumped_dt": 1e-5, "stop_steps": 1, "output_fields": "false"}
RING = {**SLIT, "form_axisymmetric": "true", "mesh_box_lower": f"0,{LOW}", "mesh_box_upper": f"0.5,{HIGH}"}


def case(base, np_=1, expect=0, **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, out=run.folder("gap"), expect=expect, np=np_, timeout=200)


def at_place(result, place=0.0):
    """Places across and states of the nodes at x = place, in order."""
    x, state = result.checkpoint("positions"), result.checkpoint()
    there = np.flatnonzero(np.abs(x[:, 0] - place) < 1e-9)
    there = there[np.argsort(x[there, 1])]
    return x[there, 1], state[there]


def moves(side, speed, **more):
    return {f"bc_{side}_type": "moving_wall", f"bc_{side}_velocity": f"{speed},0", **more}


def slips(side, friction):
    return {f"bc_{side}_type": "slip", f"bc_{side}_friction": friction}


# ---- flow curves and their inverses
def newtonian(g):
    return ETA * g


def carreau(g):
    return g * (0.01 + 0.89 * (1 + (2.1 * g) ** 2) ** -0.3)


def herschel_bulkley(g):
    return np.minimum(0.7 * g**0.6, 10 * g) - 0.8 * np.expm1(-40 * g)


def mode(g, eta, lam, epsilon):
    """Shear stress of linear PTT: tau (1 + 2 epsilon (lambda tau/eta)^2) = eta g, by Cardano's formula."""
    p = eta**2 / (2 * epsilon * lam**2)
    q = p * eta * g / 2
    root_ = np.sqrt(q**2 + (p / 3) ** 3)
    big = np.cbrt(q + root_)
    return big - p / 3 / big


def ptt(g):
    return 0.2 * g + sum(mode(g, *one) for one in MODES)


SATURATING = ((1.1, 0.9, 0.45), (0.1, 0.3, 0.35))
GIESEKUS = {"physics": "giesekus", "physics_giesekus_modes": 2, "stabiliser": "devss,split_oss", "polymer_variable": "logconf", "bc_left_polymer": "rest", **{f"physics_giesekus_{name}": ",".join(str(one[k]) for one in SATURATING) for k, name in enumerate(("viscosity", "lambda", "alpha"))}}


def giesekus(g):
    """Without solvent: in closed form, at most eta/lambda ((1 - alpha)/alpha)^(1/2) of each mode."""
    total = 0
    for eta, lam, alpha in SATURATING:
        x = np.sqrt(1 + 16 * alpha * (1 - alpha) * (lam * g) ** 2)
        chi = np.sqrt(2 / (1 + x))
        f = (x - 1) / (x + 1) / (1 + chi) / (1 + (1 - 2 * alpha) * chi)
        total = total + eta * g * (1 - f) ** 2 / (1 + (1 - 2 * alpha) * f)
    return total


def rate(curve, tau):
    """g of |tau|, with its sign."""
    size, low, high = np.abs(tau), np.zeros_like(tau), np.full_like(tau, 1e6)
    for _ in range(40):
        middle = np.where(low > 0, np.sqrt(low * high), 1e-9)
        below = curve(middle) < size
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    for _ in range(30):
        middle = 0.5 * (low + high)
        below = curve(middle) < size
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.copysign(0.5 * (low + high), tau)


NODE, WEIGHT = np.polynomial.legendre.leggauss(10)


def between(r, aim, curve, ring, first=lambda tau: 0.0, last=lambda tau: 0.0, share=None):
    """U at the nodes and g there; first, last: velocity at the ends by the shear stress there."""
    share = shares(r, ring) if share is None else share

    def stress(v, at):
        return v[1] / at - 0.5 * v[0] * at if ring else v[1] - v[0] * at

    def flow(v):
        ends = set(r) | set(r[:-1] + 0.5 * np.diff(r))
        with np.errstate(all="ignore"):
            zero = math.sqrt(2 * v[1] / v[0]) if ring and v[1] * v[0] > 0 else v[1] / v[0] if not ring and v[0] else -1
        if r[0] < zero < r[-1]:
            ends |= {zero, *(e for k in range(1, 16) for e in (zero - (zero - r[0]) * 2.0**-k, zero + (r[-1] - zero) * 2.0**-k))}
        ends = np.array(sorted(ends))
        half = 0.5 * np.diff(ends)
        at = 0.5 * (ends[1:] + ends[:-1])[:, None] + half[:, None] * NODE
        rise = np.concatenate([[0], np.cumsum(half * (rate(curve, stress(v, at)) @ WEIGHT))])
        return first(stress(v, r[0])) + rise[np.searchsorted(ends, r - 1e-13)]

    def miss(v):
        u = flow(v)
        return [(u[-1] - last(stress(v, r[-1]))) * share.sum(), share @ u - aim]

    for start in (2.0, 6.0, 0.5, 12.0):
        found = root(miss, (start, start * 0.4), method="hybr", tol=1e-15, options={"maxfev": 400})
        if largest(np.abs(miss(found.x))) < 1e-11:
            break
    else:
        raise run.Failure(f"the reference is not found: {miss(found.x)}")
    return flow(found.x), rate(curve, stress(found.x, r))


def compare(gate, name, result, aim, curve, ring, bound=5e-8, **ends):
    r, state = at_place(result)
    exact, g = between(r, aim, curve, ring, **ends)
    gate.at_most(f"{name}: velocity", largest(np.abs(state[:, 0] - exact) / np.abs(exact).max()), bound)
    gate.near(f"{name}: flux of the nodes", float(shares(r, ring) @ state[:, 0]), aim, 1e-10)
    return r, state, g


def logarithm(gate):
    """U = A (r^2 - R1^2 - (R2^2 - R1^2) ln(r/R1)/ln(R2/R1)) + W ln(R2/r)/ln(R2/R1)."""
    for low in 0.3, 0.9:
        for speed in 0.0, 1.7:
            for np_ in (1, 2, 3) if low == 0.3 else (1,):
                words = {**RING, **NEWTONIAN, "mesh_box_lower": f"0,{low}", **(moves("bottom", speed) if speed else {})}
                r, state = at_place(case(words, np_=np_))
                part = np.log(r / low) / math.log(HIGH / low)
                shape, drag, share = r**2 - low**2 - (HIGH**2 - low**2) * part, speed * (1 - part), shares(r, True)
                exact = drag + shape * (RATE - share @ drag) / (share @ shape)
                gate.at_most(f"Newtonian annulus {low:g}, inner wall {speed:g}, np {np_}: velocity", largest(np.abs(state[:, 0] - exact) / exact.max()), 1e-11)
                gate.near(f"Newtonian annulus {low:g}, inner wall {speed:g}, np {np_}: flux of the nodes", float(share @ state[:, 0]), RATE, 1e-11)


def laws(gate):
    for name, words, curve in ("Carreau", CARREAU, carreau), ("Herschel-Bulkley", YIELD, herschel_bulkley):
        compare(gate, f"annulus, {name}", case({**RING, **words}), RATE, curve, True)
        compare(gate, f"annulus, {name}, inner wall moves", case({**RING, **words}, **moves("bottom", 1.7)), RATE, curve, True, first=lambda tau: 1.7)
        compare(gate, f"slit, {name}, a wall moves", case({**SLIT, **words}, **moves("top", 1.7)), RATE, curve, False, last=lambda tau: 1.7)
    for name, base, ring, side in ("annulus", RING, True, "bottom"), ("slit", SLIT, False, "top"):
        end = "first" if side == "bottom" else "last"
        r, state, g = compare(gate, f"{name}, PTT of two modes, a wall moves", case({**base, **PTT}, **moves(side, 1.7)), RATE, ptt, ring, **{end: lambda tau: 1.7})
        inside, per = slice(1, -1), 4 if ring else 3
        for k, one in enumerate(MODES):
            exact = mode(np.abs(g), *one) * np.sign(g)
            got = state[inside, 3 + k * per : 3 + (k + 1) * per]
            gate.at_most(f"{name}, PTT: shear stress of mode {k}", largest(np.abs(got[:, -1] - exact[inside])), 1e-6)
            gate.at_most(f"{name}, PTT: normal stress of mode {k}", largest(np.abs(got[:, 0] - 2 * one[1] * exact[inside] ** 2 / one[0])), 1e-5)


def motions(gate):
    """Flow rates of any sign beside a wall that moves; two that move; drag alone (no pressure gradient) and a plug."""
    for aim in 0.0, -0.4, 0.0833:
        compare(gate, f"slit, a wall moves, flow rate {aim:g}", case({**SLIT, **CARREAU}, **moves("top", 0.9), bc_left_flow_rate=aim), aim, carreau, False, last=lambda tau: 0.9)
    compare(gate, "annulus, walls move against each other", case({**RING, **CARREAU}, np_=2, **moves("top", -0.7), **moves("bottom", 1.1), bc_left_flow_rate=0.2), 0.2, carreau, True, first=lambda tau: 1.1, last=lambda tau: -0.7)
    drag = case({**SLIT, **CARREAU}, **moves("top", 0.9), bc_left_flow_rate=0.45 * 0.7)
    y, state = at_place(drag)
    gate.at_most("slit, drag alone: velocity", largest(np.abs(state[:, 0] - 0.9 * y / 0.7)), 1e-11)
    plug = case({**SLIT, **CARREAU}, **moves("top", 0.9), **moves("bottom", 0.9), bc_left_flow_rate=0.9 * 0.7)
    gate.at_most("slit, plug: velocity", largest(np.abs(at_place(plug)[1][:, 0] - 0.9)), 1e-11)
    still = case({**SLIT, **CARREAU}, **moves("top", 0), bc_left_flow_rate=0)
    gate.at_most("slit, at rest: velocity", largest(np.abs(at_place(still)[1][:, 0])), 1e-15)
    tube = {**RING, **CARREAU, "mesh_box_lower": "0,0", "mesh_box_upper": "0.5,0.7", "bc_bottom_type": "symmetry"}
    half = {**SLIT, **CARREAU, "mesh_box_upper": "0.5,0.35", "bc_bottom_type": "symmetry"}
    for name, base, whole in ("tube", tube, None), ("half a slit", half, {**SLIT, **CARREAU, **moves("bottom", 0.6), "mesh_box_faces": "3,24", "bc_left_flow_rate": 2 * RATE}):
        r, state = at_place(case(base, **moves("top", 0.6)))
        if whole:
            exact = at_place(case(whole, **moves("top", 0.6)))[1][12:, 0]
        else:  # at rest with the rest of the flux
            share = shares(r, True)
            exact = 0.6 + at_place(case(base, bc_left_flow_rate=RATE - 0.6 * share.sum()))[1][:, 0]
        gate.at_most(f"{name}, its wall moves: velocity", largest(np.abs(state[:, 0] - exact) / exact.max()), 1e-8)


def frictions(gate):
    """A wall slips by w = tau/b, or by a formula; the traction on the fluid is -tau at the lower end, tau at the upper."""
    cubic, by_stress = "0.3*tau*(1+1.2*tau^2)", lambda tau: 0.3 * tau * (1 + 1.2 * tau**2)
    stressed = {"bc_top_type": "slip", "bc_top_slip_by_stress": cubic}
    for name, base, ring in ("slit", SLIT, False), ("annulus", RING, True):
        flow = {**base, **CARREAU}
        compare(gate, f"{name}, one wall slips", case(flow, **slips("bottom", 1.7)), RATE, carreau, ring, first=lambda tau: tau / 1.7)
        compare(gate, f"{name}, walls slip by two laws", case(flow, np_=2, **slips("bottom", 1.7), **stressed), RATE, carreau, ring, first=lambda tau: tau / 1.7, last=lambda tau: -by_stress(tau))
        compare(gate, f"{name}, one slips, one moves", case(flow, **moves("bottom", 1.2), **stressed), RATE, carreau, ring, first=lambda tau: 1.2, last=lambda tau: -by_stress(tau))
    compare(gate, "annulus, walls slip alike", case({**RING, **CARREAU}, **slips("bottom", 1.7), **slips("top", 1.7)), RATE, carreau, True, first=lambda tau: tau / 1.7, last=lambda tau: -tau / 1.7)
    base = {**SLIT, **CARREAU, "mesh_box_upper": "0.5,0.35"}
    smooth, plane = (at_place(case(base, **changes))[1] for changes in (slips("bottom", 0), {"bc_bottom_type": "symmetry"}))
    gate.at_most("slit, a wall without friction is a plane of symmetry", largest(np.abs(smooth[:, 0] - plane[:, 0])), 1e-8)
    # no shear at R1: Newtonian U = A (r^2 - R2^2 - 2 R1^2 ln(r/R2))
    r, state = at_place(case({**RING, **NEWTONIAN}, bc_bottom_type="free_slip"))
    shape = r**2 - HIGH**2 - 2 * LOW**2 * np.log(r / HIGH)
    exact = shape * RATE / (shares(r, True) @ shape)
    gate.at_most("annulus, no shear within: velocity", largest(np.abs(state[:, 0] - exact) / exact.max()), 1e-11)
    most = case({**RING, **NEWTONIAN}, bc_left_flow_rate=None, bc_left_profile="developed", bc_left_maximum_velocity=1.3)
    r, state = at_place(most)
    place = math.sqrt((HIGH**2 - LOW**2) / (2 * math.log(HIGH / LOW)))
    shape = lambda at: at**2 - LOW**2 - (HIGH**2 - LOW**2) * np.log(at / LOW) / math.log(HIGH / LOW)
    gate.at_most("annulus, by its maximum: velocity", largest(np.abs(state[:, 0] - 1.3 * shape(r) / shape(place))), 1e-11)
    mean = case({**RING, **NEWTONIAN}, bc_left_flow_rate=None, bc_left_profile="developed", bc_left_mean_velocity=1.3)
    gate.near("annulus, by its mean: flux of the nodes", float(shares(r, True) @ at_place(mean)[1][:, 0]), 1.3 * math.pi * (HIGH**2 - LOW**2), 1e-10)


def times(gate):
    """Walls and inflow raised apart, a wall's speed in time, slip in time; a temperature that shifts the fluid, a = exp(-0.6), T(g) = carreau(a g)."""
    ramp = lambda t, over: 0.5 * (1 - math.cos(math.pi * t / over))
    steps = {"stop_steps": 3, "scheme_lumped_dt": 2e-3}
    t = 6e-3
    rise = case({**RING, **CARREAU, **steps}, **moves("bottom", 1.7, bc_bottom_ramp=0.01), bc_left_ramp=0.02)
    compare(gate, "annulus, raised", rise, RATE * ramp(t, 0.02), carreau, True, first=lambda tau: 1.7 * ramp(t, 0.01))
    for scheme, name in (("fractional_step", "bdf2"), ("monolithic", None)):
        own = {"scheme": scheme, "scheme_lumped_dt": None, f"scheme_{scheme}_dt": 2e-3, "stop_steps": 3, **({"scheme_fractional_step_integrator": name} if name else {})}
        same = case({**RING, **CARREAU, **own}, np_=2, **moves("bottom", 1.7, bc_bottom_ramp=0.01), bc_left_ramp=0.02)
        compare(gate, f"annulus, raised, {name or scheme}", same, RATE * ramp(t, 0.02), carreau, True, first=lambda tau: 1.7 * ramp(t, 0.01))
    on = case({**RING, **CARREAU, **steps}, **moves("bottom", 1.7, bc_bottom_ramp=0.01), bc_left_ramp=0.02, stop_steps=6)
    again = case({**RING, **CARREAU, **steps}, np_=2, **moves("bottom", 1.7, bc_bottom_ramp=0.01), bc_left_ramp=0.02, stop_steps=6, case_restart=f"{rise.out}/gap_checkpoint.h5")
    gate.at_most("annulus, raised: velocity after a restart", largest(np.abs(at_place(on)[1][:, 0] - at_place(again)[1][:, 0])), 1e-11)
    timed = case({**SLIT, **CARREAU, **steps}, **moves("bottom", "1.7*(1+30*t)"), bc_top_type="slip", bc_top_slip_by_stress="0.3*tau*(1+40*t)")
    compare(gate, "slit, walls in time", timed, RATE, carreau, False, first=lambda tau: 1.7 * (1 + 30 * t), last=lambda tau: -0.3 * tau * (1 + 40 * t))
    fixed = case({**SLIT, **CARREAU, **steps}, **moves("bottom", "1.7*(1+30*t)"))
    compare(gate, "slit, one wall in time", fixed, RATE, carreau, False, first=lambda tau: 1.7 * (1 + 30 * t))
    alike = case({**SLIT, **CARREAU, **steps}, bc_bottom_type="slip", bc_bottom_slip_by_stress="0.3*tau*(1+40*t)", bc_top_type="slip", bc_top_slip_by_stress="0.3*tau")
    compare(gate, "slit, walls that slip alike at the start", alike, RATE, carreau, False, first=lambda tau: 0.3 * tau * (1 + 40 * t), last=lambda tau: -0.3 * tau)
    hot = {"physics": "carreau_yasuda,thermal", "physics_thermal_conductivity": 0.2, "physics_thermal_heat_capacity": 2000, "physics_thermal_sensitivity": 0.02, "bc_left_temperature": "value 330", "bc_bottom_temperature": "natural"}
    a = math.exp(-0.6)
    shifted = case({**RING, **CARREAU, **hot}, **moves("bottom", 1.7), **slips("top", 1.7))
    compare(gate, "annulus, shifted", shifted, RATE, lambda g: carreau(a * g), True, first=lambda tau: 1.7, last=lambda tau: -tau / 1.7)


def fluid(gate):
    for part in logarithm, laws, motions, frictions, times:
        part(gate)


# ---- helical flow
def helix_between(r, aim, curve, turning, first=lambda tau: 0.0, last=lambda tau: 0.0):
    """U and V at the nodes of tau_z = C/r - G r/2, tau_theta = M/r^2: U' = g tau_z/T, (V/r)' = g tau_theta/(T r); turning: of both walls, rad/s."""
    share = shares(r, True)
    ends = np.unique(np.concatenate([np.linspace(a, b, 25) for a, b in zip(r[:-1], r[1:])]))
    half = 0.5 * np.diff(ends)
    at = 0.5 * (ends[1:] + ends[:-1])[:, None] + half[:, None] * NODE

    def flow(v):
        along, round_ = v[1] / at - 0.5 * v[0] * at, v[2] / at**2
        T = np.hypot(along, round_)
        over = rate(curve, T) / T
        U, w = (np.concatenate([[0], np.cumsum(half * (part @ WEIGHT))])[np.searchsorted(ends, r - 1e-13)] for part in (over * along, over * round_ / at))
        return first(v[1] / r[0] - 0.5 * v[0] * r[0]) + U, r * (turning[0] + w)

    def miss(v):
        U, V = flow(v)
        return [(U[-1] - last(v[1] / r[-1] - 0.5 * v[0] * r[-1])) * share.sum(), share @ U - aim, V[-1] / r[-1] - turning[1]]

    for start in (2.0, 6.0, 0.5, 12.0):
        found = root(miss, (start, 0.4 * start, 0.3 * start * np.sign(turning[1] - turning[0])), method="hybr", tol=1e-15, options={"maxfev": 600})
        if largest(np.abs(miss(found.x))) < 1e-10:
            return flow(found.x)
    raise run.Failure(f"the reference is not found: {miss(found.x)}")


def turns(side, speed, **more):
    return {f"bc_{side}_type": "rotating_wall", f"bc_{side}_angular_velocity": speed, **more}


def swirled(words):
    return {**words, "physics": words["physics"] + ",swirling"}


def rigid(gate):
    """Walls that turn alike, whose rates rounding alone makes two, or that do so at one time: a rigid rotation, and the flow along the axis is that of walls at rest."""
    walls = {"rotating walls": {**turns("bottom", 7), **turns("top", 7)}, "values at walls": {"bc_bottom_swirl": "value 7*y", "bc_top_swirl": "value 7*y"}, **{f"walls that turn alike to {digits} digits": {**turns("bottom", f"7*(1+1e-{digits})"), **turns("top", 7)} for digits in (9, 13)}}
    for low in 0.3, 0.37:
        flow = {**RING, **CARREAU, "mesh_box_lower": f"0,{low}"}
        r, rest = at_place(case(flow))
        for name, words in walls.items():
            state = at_place(case(swirled(flow), np_=2, **words))[1]
            gate.at_most(f"helix, {name}, core of {low:g}: velocity along, of that at rest", largest(np.abs(state[:, 0] - rest[:, 0])), 1e-10)
            gate.at_most(f"helix, {name}, core of {low:g}: velocity round", largest(np.abs(state[:, -1] - 7 * r)), 1e-8)
    crossing = {**swirled({**RING, **CARREAU}), **turns("bottom", "3*(1+50*t)"), **turns("top", 3.9), "scheme_lumped_dt": 2e-3}
    for steps in 2, 3, 4:
        r, state = at_place(case(crossing, stop_steps=steps))
        turning = 3 * (1 + 0.1 * steps)
        V = 3.9 * r if steps == 3 else helix_between(r, RATE, carreau, (turning, 3.9))[1]
        gate.at_most(f"helix, walls whose rates cross, {turning:g} and 3.9 rad/s: velocity round", largest(np.abs(state[:, -1] - V)), 1e-8)


def plateau(gate):
    """A fluid whose shear stress has an upper bound: steps of Newton's method that ask for more are cut. Where every state asks for more, the law says so."""
    bound = sum(eta / lam * math.sqrt((1 - alpha) / alpha) for eta, lam, alpha in SATURATING)
    gate.near("Giesekus without solvent: upper bound of its shear stress", float(giesekus(np.array([1e9]))[0]), bound, 1e-3)
    flow = {**RING, **swirled(GIESEKUS)}
    for turning in 3.0, 12.0:
        r, state = at_place(case(flow, np_=2, **turns("bottom", turning)))
        U, V = helix_between(r, RATE, giesekus, (turning, 0.0))
        for name, got, want in ("along", state[:, 0], U), ("round", state[:, -1], V):
            gate.at_most(f"helix, stress with an upper bound, {turning:g} rad/s: velocity {name}", largest(np.abs(got - want) / np.abs(want).max()), 3e-8)
    falling = {"physics": "giesekus,swirling", "physics_giesekus_modes": None, "physics_giesekus_viscosity": 1.3, "physics_giesekus_lambda": 0.7, "physics_giesekus_alpha": 0.8}
    gate.refused(case(flow, expect=None, **{**falling, **turns("bottom", 3.0), "bc_left_flow_rate": 0.3}), ("bc_left", "not monotone", "beyond about"))


def helix(gate):
    """Newtonian fluids in closed form; the inlet has the azimuthal velocity of its profile where nothing is said of it; of a wall that slips along the flow, moves and turns; in time, by schemes, ranks and restarts."""
    for np_ in 1, 2, 3:
        r, state = at_place(case(swirled({**RING, **NEWTONIAN}), np_=np_, **turns("bottom", 3.0)))
        plain = at_place(case({**RING, **NEWTONIAN}, np_=np_))[1]
        gate.at_most(f"Newtonian annulus whose inner wall turns, np {np_}: velocity along, of that at rest", largest(np.abs(state[:, 0] - plain[:, 0])), 1e-11)
        couette = 3.0 * LOW**2 * (HIGH**2 / r - r) / (HIGH**2 - LOW**2)
        gate.at_most(f"Newtonian annulus whose inner wall turns, np {np_}: velocity round", largest(np.abs(state[:, -1] - couette)), 1e-11)
    stressed = {"bc_top_slip_by_stress": "0.3*tau*(1+1.2*tau^2)", "bc_top_type": "slip", "bc_top_swirl": "value -0.8*y"}
    cases = {"inner wall turns": (turns("bottom", 3.0), (3.0, 0.0), {}), "both turn against each other, np 2": ({**turns("bottom", 5.0), **turns("top", -2.0)}, (5.0, -2.0), {}),
             "inner wall turns fast": (turns("bottom", 60.0), (60.0, 0.0), {}), "inner wall moves and turns": ({"bc_bottom_type": "moving_wall", "bc_bottom_velocity": "1.2,0,2.5*y"}, (2.5, 0.0), {"first": lambda tau: 1.2}),
             "one moves and turns, one slips and turns": ({"bc_bottom_type": "moving_wall", "bc_bottom_velocity": "1.2,0,2.5*y", **stressed}, (2.5, -0.8), {"first": lambda tau: 1.2, "last": lambda tau: -0.3 * tau * (1 + 1.2 * tau**2)}),
             "a flow rate against it": ({"bc_bottom_type": "moving_wall", "bc_bottom_velocity": "1.2,0,2.5*y", "bc_left_flow_rate": -0.4}, (2.5, 0.0), {"first": lambda tau: 1.2, "aim": -0.4})}
    for law, words, curve in ("Carreau", CARREAU, carreau), ("Herschel-Bulkley", YIELD, herschel_bulkley):
        for name, (walls, turning, ends) in cases.items():
            aim = ends.get("aim", RATE)
            r, state = at_place(case(swirled({**RING, **words}), np_=2 if "np 2" in name else 1, **walls))
            U, V = helix_between(r, aim, curve, turning, **{key: value for key, value in ends.items() if key != "aim"})
            gate.at_most(f"helix, {law}, {name}: velocity along", largest(np.abs(state[:, 0] - U) / np.abs(U).max()), 1e-8)
            gate.at_most(f"helix, {law}, {name}: velocity round", largest(np.abs(state[:, -1] - V) / np.abs(V).max()), 1e-8)
            gate.near(f"helix, {law}, {name}: flux of the nodes", float(shares(r, True) @ state[:, 0]), aim, 1e-10)
    rest = at_place(case({**RING, **CARREAU}))[1]
    U = helix_between(at_place(case({**RING, **CARREAU}))[0], RATE, carreau, (60.0, 0.0))[0]
    gate.at_least("what the turning changes of the velocity along, of the largest", float(np.abs(U - rest[:, 0]).max() / rest[:, 0].max()), 0.05)
    ptt_ = {**swirled(PTT), "bc_left_polymer": "rest"}
    r, state = at_place(case({**RING, **ptt_}, **turns("bottom", 3.0)))
    U, V = helix_between(r, RATE, ptt, (3.0, 0.0))
    gate.at_most("helix, PTT of two modes: velocity along and round", largest((np.abs(state[:, [0, -1]] - np.stack([U, V], axis=1)) / np.abs(U).max()).ravel()), 1e-8)
    free = at_place(case(swirled({**RING, **CARREAU}), **turns("top", 1.5), bc_bottom_type="free_slip"))
    plain = at_place(case({**RING, **CARREAU}, bc_bottom_type="free_slip"))
    gate.at_most("a core that nothing holds turns with the wall: velocity round", largest(np.abs(free[1][:, -1] - 1.5 * free[0])), 1e-12)
    gate.at_most("a core that nothing holds: velocity along", largest(np.abs(free[1][:, 0] - plain[1][:, 0])), 1e-12)
    hot = {"physics": "carreau_yasuda,thermal,swirling", "physics_thermal_conductivity": 0.2, "physics_thermal_heat_capacity": 2000, "physics_thermal_sensitivity": 0.02, "bc_left_temperature": "value 330", "bc_bottom_temperature": "natural", "bc_top_temperature": "natural"}
    made = case({**RING, **CARREAU, **hot}, **turns("bottom", 3.0))
    r, state = at_place(made)
    U, V = helix_between(r, RATE, lambda g: carreau(math.exp(-0.6) * g), (3.0, 0.0))
    gate.at_most("helix, shifted: velocity along and round", largest((np.abs(state[:, [0, -1]] - np.stack([U, V], axis=1)) / np.abs(U).max()).ravel()), 1e-8)
    tube = {**RING, **CARREAU, "mesh_box_lower": "0,0", "mesh_box_upper": "0.5,0.7", "bc_bottom_type": "symmetry"}
    r, state = at_place(case(swirled(tube), np_=2, **turns("top", 1.5)))
    gate.at_most("tube that turns: velocity round", largest(np.abs(state[:, -1] - 1.5 * r)), 1e-12)
    gate.at_most("tube that turns: velocity along", largest(np.abs(state[:, 0] - at_place(case(tube))[1][:, 0])), 1e-8)
    steps = {"stop_steps": 3, "scheme_lumped_dt": 2e-3}
    speed, part, t = "3*(1+50*t)", 0.5 * (1 - math.cos(math.pi * 0.3)), 6e-3
    flow = {**swirled({**RING, **CARREAU}), **steps, **turns("bottom", speed), "bc_left_ramp": 0.02}
    r, state = at_place(case(flow))
    U, V = helix_between(r, RATE * part, carreau, (3 * (1 + 50 * t), 0.0))
    for scheme, words in {"lumped": {}, "bdf2": {"scheme": "fractional_step", "scheme_lumped_dt": None, "scheme_fractional_step_dt": 2e-3, "scheme_fractional_step_integrator": "bdf2"},
                          "monolithic": {"scheme": "monolithic", "scheme_lumped_dt": None, "scheme_monolithic_dt": 2e-3}}.items():
        made = case(flow, np_=2, **words)
        state = at_place(made)[1]
        gate.at_most(f"helix in time, {scheme}: velocity along and round", largest((np.abs(state[:, [0, -1]] - np.stack([U, V], axis=1)) / np.abs(V).max()).ravel()), 1e-8)
        on, again = (at_place(case(flow, **{**words, "stop_steps": 6, **more}))[1] for more in ({}, {"case_restart": f"{made.out}/gap_checkpoint.h5"}))
        gate.at_most(f"helix in time, {scheme}: velocity after a restart", largest(np.abs(on - again)[:, [0, -1]].ravel()), 1e-10)
    U, V = helix_between(r, RATE, carreau, (3 * (1 + 50 * t), 0.0))
    for name, walls in ("the wall's own condition", {"bc_bottom_swirl": f"value {speed}*y"}), ("a wall that turns", turns("bottom", speed)):
        state = at_place(case(swirled({**RING, **CARREAU, **steps}), **walls))[1]
        gate.at_most(f"helix in time, by {name} alone: velocity along and round", largest((np.abs(state[:, [0, -1]] - np.stack([U, V], axis=1)) / np.abs(V).max()).ravel()), 1e-8)
    rigid(gate)
    plateau(gate)
    errors = {0.7: [], 1.4: []}
    for n in 12, 24:
        words = {**swirled({**RING, **CARREAU}), **STEADY, **turns("bottom", 6.0), **slips("top", 3.1), "bc_top_swirl": "value 0", "form_convection": "false"}
        result = case(words, mesh_box_upper="1.4,1", mesh_box_faces=f"{n},{n}")
        first = at_place(result)[1]
        for place, found in errors.items():
            found.append(float(np.sqrt(np.mean((at_place(result, place)[1] - first)[:, [0, -1]] ** 2)) / np.abs(first).max()))
    for place, found in errors.items():
        gate.at_most(f"helix, {place:g} behind the inlet: velocity along and round against it", found[1], 2e-3)
        gate.at_least(f"helix, {place:g} behind the inlet: order", math.log2(found[0] / found[1]), 1.8)


STEADY = {"scheme": "steady", "scheme_lumped_dt": None, "stop_steps": None}


def channel(gate):
    """What comes in leaves: PTT of two modes, an inner wall that moves, an outer that slips; order 2."""
    wire = {**PTT, **moves("bottom", 1.7), **slips("top", 3.1), **STEADY, "bc_left_polymer_at": None}
    for name, base, outlet, rate_ in ("annulus", RING, {}, RATE), ("slit", SLIT, {}, RATE), ("slit, developed outlet", SLIT, {"bc_right_polymer": "developed"}, RATE), ("slit, what flows back", SLIT, {"bc_right_polymer": "developed"}, 0.3):
        errors = {0.7: [], 1.4: []}
        for n in 12, 24:
            result = case({**base, **wire, **outlet}, np_=2 if n == 12 else 1, bc_left_flow_rate=rate_, mesh_box_upper="1.4,1" if base is RING else "1.4,0.7", mesh_box_faces=f"{n},{n}")
            first = at_place(result)[1][:, 0]
            for place, found in errors.items():
                found.append(float(np.sqrt(np.mean((at_place(result, place)[1][:, 0] - first) ** 2)) / np.abs(first).max()))
        for place, found in errors.items():
            gate.at_most(f"{name}, {place:g} behind the inlet: velocity against it", found[1], 4e-4)
            gate.at_least(f"{name}, {place:g} behind the inlet: order", math.log2(found[0] / found[1]), 1.9)


def shipped(gate):
    """options/wire_coating.yaml against its head."""
    low, high, speed, aim, length = 5e-4, 1e-3, 0.1, 1.7593e-7, 5e-3
    curve = lambda g: 50 * g + mode(g, 1200, 0.02, 0.25) + mode(g, 400, 0.004, 0.25)
    ends = np.linspace(low, high, 401)
    half = 0.5 * np.diff(ends)
    r = 0.5 * (ends[1:] + ends[:-1])[:, None] + half[:, None] * NODE

    def miss(v):  # Q = pi [r^2 U] - int pi r^2 g dr; v = tau at the wire and the die over 1e5 Pa
        G, C = 2e5 * (v[0] * low - v[1] * high) / (high**2 - low**2), 1e5 * low * high * (v[0] * high - v[1] * low) / (high**2 - low**2)
        g = rate(curve, C / r - 0.5 * G * r)
        last = speed + float(half @ (g @ WEIGHT))
        return [last / speed, math.pi * (high**2 * last - low**2 * speed - float(half @ ((r**2 * g) @ WEIGHT))) / aim - 1]

    wire, die = 1e5 * root(miss, (1, -3), tol=1e-13).x
    forces = 2 * math.pi * length * np.array([low * wire, -high * die])
    result = run.rheoplex("run", f"{run.OPTIONS}/wire_coating.yaml", "-output_fields", "false", out=run.folder("gap"), timeout=200)
    pull = result.table("_pull.csv")
    gate.relative("wire coating: pressure drop", float(result.table("_drop.csv")["pressure_difference"][-1]), forces.sum() / (math.pi * (high**2 - low**2)), 5e-4)
    gate.relative("wire coating: drag on the wire", float(pull["bottom_x"][-1]), forces[0], 3e-3)
    gate.relative("wire coating: drag on the die", float(pull["top_x"][-1]), forces[1], 5e-4)
    for what, value, head in ("drag on the wire", forces[0], 1.7044), ("drag on the die", forces[1], 10.583):
        gate.relative(f"wire coating: {what} as its head says", head, value, 5e-5)


def baffle(path):
    """A channel of 4 x 4 cells with a wall along its middle from the inlet over two of them."""
    points = [(0.2 * i, 0.2 * j) for i in range(5) for j in range(5)] + [(0.0, 0.4), (0.2, 0.4)]
    at = lambda i, j, upper: 25 + i if upper and j == 2 and i < 2 else 5 * i + j
    cells = [(at(i, j, j == 2), at(i + 1, j, j == 2), at(i + 1, j + 1, False), at(i, j + 1, False)) for i in range(4) for j in range(4)]
    sides = {"left": [(at(0, j, j == 2), at(0, j + 1, False)) for j in range(4)], "right": [(20 + j, 21 + j) for j in range(4)], "bottom": [(5 * i, 5 * i + 5) for i in range(4)],
             "top": [(5 * i + 4, 5 * i + 9) for i in range(4)], "baffle": [(at(i, 2, upper), at(i + 1, 2, upper)) for i in range(2) for upper in (False, True)]}
    return mshwrite.write(path, points, cells, sides)


def told(gate):
    """What the profile has is not told; what it has not, is."""
    flow = {**SLIT, **CARREAU}
    quiet = [{}, moves("top", 1), slips("top", 2), {"form_axisymmetric": "true", "mesh_box_lower": "0,0.2"}]
    for changes in quiet:
        gate.true(f"nothing is told: {changes}", "a label that ends on" not in case(flow, np_=2, **changes).stderr)
    across = case(flow, np_=2, bc_top_type="moving_wall", bc_top_velocity="1,0.2").stderr
    gate.true("a wall that moves across: told once", across.count("'top', type moving_wall, which moves across the flow") == 1)
    flux = lambda value, **more: {"bc_bottom_swirl": f"flux {value}", **turns("top", 1.5), **more}
    for name, walls, lines in (("turns", turns("bottom", 2.0), 0), ("has a flux", flux(0.1), 1), ("has a flux later", flux("0.1*max(0,t-3)"), 1), ("has no flux", flux(0), 0), ("has none on this radius", flux(f"y-{LOW}"), 0),
                               ("has a flux round a tube", {"mesh_box_lower": "0,0", "bc_bottom_type": "symmetry", "bc_top_swirl": "flux 0.1", "bc_left_swirl": "value 0"}, 0)):
        said = case(swirled({**RING, **CARREAU}), **walls).stderr
        gate.true(f"a wall that {name}: told {lines} times", said.count("prescribes a flux of the azimuthal velocity") == lines and said.count("a label that ends on") == lines)
    gate.refused(case(swirled({**RING, **CARREAU}), expect=None, bc_bottom_swirl="natural", bc_top_swirl="natural"), ("-bc_left_profile developed", "no wall at its ends that holds the azimuthal velocity", "-bc_left_swirl"))
    gate.refused(case(flow, expect=None, mesh_box_faces=None, mesh_box_upper=None, mesh_file=baffle(f"{run.folder('gap')}/baffle.msh"), bc_baffle_type="wall"), ("-bc_left_profile developed", "nodes of 'baffle', type wall, between its ends"))
    refused = [({**slips("top", 0), **slips("bottom", 0)}, ("-bc_left_profile developed", "both ends", "without friction")),
               ({**moves("top", 1), "bc_left_flow_rate": None, "bc_left_profile": "developed", "bc_left_maximum_velocity": 2}, ("-bc_left_maximum_velocity", "'top', type moving_wall", "-bc_left_flow_rate")),
               ({"form_axisymmetric": "true", "mesh_box_lower": "0,0.2", "bc_left_profile": "parabolic"}, ("-bc_left_profile parabolic", "between radii 0.2 and 0.7", "-bc_left_profile developed"))]
    for changes, words in refused:
        gate.refused(case(flow, expect=None, **changes), words)
    fastest = {"bc_left_flow_rate": None, "bc_left_profile": "developed", "bc_left_maximum_velocity": 1}
    for speed in "40*t/0.004", "sin(t)", "exp(-((t-3.7)/0.01)^2)":
        gate.refused(case(flow, expect=None, **moves("top", speed), **fastest), ("-bc_left_maximum_velocity", "'top', type moving_wall, which moves along the flow or may", "-bc_left_flow_rate"))
    later = case(flow, bc_top_type="moving_wall", bc_top_velocity="1,0.2*sin(3*t)").stderr
    gate.true("a wall that moves across later: told once", later.count("'top', type moving_wall, which moves across the flow") == 1)
    for slope, lines in ("1e-8", 0), ("1e-5", 1):
        tilted = case(flow, bc_top_type="moving_wall", bc_top_velocity=f"1,{slope}").stderr
        gate.true(f"a wall that moves across by {slope}: told {lines} times", tilted.count("which moves across the flow") == lines)
    gate.true("not one that moves along alone, in time", "a label that ends on" not in case(flow, **moves("top", "sin(3*t)")).stderr)
    falling = {"physics": "newtonian,johnson_segalman", "physics_newtonian_viscosity": 0.001, "physics_johnson_segalman_viscosity": 0.9, "physics_johnson_segalman_lambda": 1, "physics_johnson_segalman_xi": 0.5,
               "stabiliser": "devss,split_oss"}
    gate.refused(case({**RING, **falling}, expect=None, bc_left_flow_rate=6), ("bc_left", "not monotone"))


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "fluid"
    gate = Gate("boundary_gap" + (f"_{name}" if name != "fluid" else ""))
    {"fluid": fluid, "channel": channel, "told": told, "shipped": shipped, "helix": helix}[name](gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
