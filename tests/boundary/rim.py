"""Inflow by the developed profile over a section in space whose walls differ. rim.py [fluid | times | channel | told | device]

Rectangular ducts. Newtonian: a lid as fast as a sine and one of one speed (between corners at rest), with their series, walls that all move; a slit between planes of symmetry whose walls move and slip, in closed form. Carreau and linear PTT of two modes beside
walls that rest, move and slip by two laws against collocation in Chebyshev's points, the flow rate and the friction among the equations. times: ramps, speeds and slip in time, restarts, ranks and schemes. channel: what comes in leaves so.
told: what has no such profile. device: states on the emulated device."""
import math
import sys

import numpy as np
import run
from gap import CARREAU, PTT, STEADY, YIELD, carreau, ptt
from gate import Gate, largest
from scipy.linalg import solve
from womersley import RADIUS, prism

A, B, LID, RATE, ETA = 0.8, 0.6, 1.3, 0.41, 0.9
NEWTONIAN = {"physics": "newtonian", "physics_newtonian_viscosity": ETA}
SINE = f"{LID}*sin(pi*y/{A})"
DUCT = {"case_name": "rim", "mesh_box_upper": f"0.5,{A},{B}", "mesh_box_faces": "2,8,8", "stabiliser": "split_oss", "bc_left_type": "inlet", "bc_left_flow_rate": RATE, "bc_right_type": "outlet", "form_density": 3,
        "bc_bottom_type": "wall", "bc_top_type": "wall", "bc_back_type": "wall", "bc_front_type": "wall", "scheme": "lumped", "scheme_lumped_dt": 1e-6, "stop_steps": 1, "output_fields": "false"}
SLIT = {**DUCT, "mesh_box_upper": f"0.5,0.4,{B}", "mesh_box_faces": "2,2,8", "bc_bottom_type": "symmetry", "bc_top_type": "symmetry", "bc_left_flow_rate": 0.4 * RATE}
CUBIC = "0.3*tau*(1+1.2*tau^2)"


def case(base, np_=1, expect=0, **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, out=run.folder("rim"), expect=expect, np=np_, timeout=300)


def at_place(result, place=0.0):
    """Places along y and z and states of the nodes at x = place, in rows of y."""
    x, state = result.checkpoint("positions"), result.checkpoint()
    there = np.flatnonzero(np.abs(x[:, 0] - place) < 1e-9)
    there = there[np.lexsort((np.round(x[there, 2], 9), np.round(x[there, 1], 9)))]
    return x[there, 1:], state[there]


def carried(x, u):
    """Flux of the nodes, bilinear between them."""
    y, z = np.unique(np.round(x[:, 0], 9)), np.unique(np.round(x[:, 1], 9))
    return float(run.trapezoid(z, np.array([run.trapezoid(y, row) for row in u.reshape(len(y), len(z)).T])))


def moves(side, speed, **more):
    return {f"bc_{side}_type": "moving_wall", f"bc_{side}_velocity": f"{speed},0,0", **more}


def slips(side, law):
    return {f"bc_{side}_type": "slip", f"bc_{side}_{'slip_by_stress' if isinstance(law, str) else 'friction'}": law}


# ---- Newtonian: closed forms
def driven(y, z):
    """By a unit pressure gradient over the viscosity, and its flux."""
    total, flux = np.zeros_like(y), 0
    for k in range(1, 200, 2):
        b = k * math.pi / A
        far = np.exp(b * (z - B)) + np.exp(-b * z)
        part = 4 / (k * math.pi * b**2)
        total += part * np.sin(b * y) * (1 - far / (1 + math.exp(-b * B)))
        flux += part * 2 / b * (B - 2 / b * math.tanh(b * B / 2))
    return total, flux


def dragged(y, z, k):
    """By a lid at z = B with the velocity sin(k pi y/A), and its flux."""
    b = k * math.pi / A
    shape = (np.exp(b * (z - B)) - np.exp(-b * (z + B))) / (1 - math.exp(-2 * b * B)) * np.sin(b * y)
    return shape, (2 / b if k % 2 else 0) * math.tanh(b * B / 2) / b


def lids(gate):
    """A smooth lid to order 2; one of one speed, whose corners are cut by a cell, to order 1 at least; both with the nodes' flux."""
    for name, speed, parts, order, aim in (("sine", SINE, {1: LID}, 1.85, RATE), ("sine, backwards", f"-{SINE}", {1: -LID}, 1.85, RATE), ("sine, no flow rate", SINE, {1: LID}, 1.85, 0.0),
                                            ("one speed", LID, {k: 4 * LID / (k * math.pi) for k in range(1, 400, 2)}, 0.85, RATE)):
        errors = []
        for n in 8, 16:
            x, state = at_place(case({**DUCT, **NEWTONIAN}, **moves("front", speed), mesh_box_faces=f"1,{n},{n}", bc_left_flow_rate=aim))
            shape, flux = driven(*x.T)
            drags = [(part, *dragged(*x.T, k)) for k, part in parts.items()]
            exact = sum(part * u for part, u, _ in drags) + shape * (aim - sum(part * q for part, _, q in drags)) / flux
            inside = (x[:, 1] < 0.8 * B) | (np.abs(x[:, 0] - 0.5 * A) < 0.3 * A)
            errors.append(largest(np.abs(state[inside, 0] - exact[inside])) / LID)
            gate.near(f"lid, {name}: flux of the nodes", carried(x, state[:, 0]), aim, 1e-11)
        gate.at_most(f"lid, {name}: velocity", errors[1], 0.018)
        gate.at_least(f"lid, {name}: order", math.log2(errors[0] / errors[1]), order)
    corner = at_place(case({**DUCT, **NEWTONIAN}, **moves("front", LID)))
    at = np.flatnonzero((corner[0][:, 1] > B - 1e-9) & ((corner[0][:, 0] < 1e-9) | (corner[0][:, 0] > A - 1e-9)))
    gate.at_most("lid, one speed: its corners are at rest", largest(np.abs(corner[1][at, 0])), 1e-15)


def uniform(gate):
    """All walls of one speed: that and the flow beside walls at rest; a plug; on tetrahedra; a tube, also whose wall rests or turns about its axis."""
    sides = {k: v for side in ("bottom", "top", "back", "front") for k, v in moves(side, LID).items()}
    for name, words in ("bricks", {}), ("tetrahedra", {"mesh_box_cell": "tetrahedron"}):
        for np_ in 1, 2, 3:
            base = {**DUCT, **CARREAU, **words}
            rest = at_place(case(base, np_=np_))[1][:, 0]
            moving = at_place(case(base, np_=np_, **sides, bc_left_flow_rate=RATE + LID * A * B))[1][:, 0]
            gate.at_most(f"walls of one speed, {name}, np {np_}: velocity less that, of walls at rest", largest(np.abs(moving - LID - rest)), 1e-9)
    for law, words in ("Herschel-Bulkley", YIELD), ("a power of .1", {**CARREAU, "physics_carreau_yasuda_n": 0.1, "physics_carreau_yasuda_lambda": 100}):
        rest = at_place(case({**DUCT, **words}))[1][:, 0]
        moving = at_place(case({**DUCT, **words}, **sides, bc_left_flow_rate=RATE + LID * A * B))[1][:, 0]
        gate.at_most(f"walls of one speed, {law}: velocity less that, of walls at rest", largest(np.abs(moving - LID - rest)), 1e-8)
    plug = at_place(case({**DUCT, **CARREAU}, **sides, bc_left_flow_rate=LID * A * B))[1][:, 0]
    gate.at_most("walls of one speed, a plug", largest(np.abs(plug - LID)), 1e-12)
    still = at_place(case({**DUCT, **CARREAU}, **moves("front", 0), bc_left_flow_rate=0))[1][:, 0]
    gate.at_most("at rest", largest(np.abs(still)), 1e-15)


def across(aim, first, last, eta=ETA):
    """u = (G/2 eta) z (B - z) + c_0 + c_1 z between planes of symmetry, at all nodes, exact there. first, last: ("moves", W) or ("slips", b), b u = eta u' at z = 0, -eta u' at B."""
    z, h = np.linspace(0, B, 9), B / 8
    weight = np.full(9, h)
    weight[[0, -1]] = h / 2
    shape = z * (B - z) / (2 * eta)  # of G
    rows, load = [], []
    for (kind, value), at, sign in (first, 0, 1), (last, B, -1):
        rows.append([0, 1, at] if kind == "moves" else [-0.5 * B, value, value * at - sign * eta])
        load.append(value if kind == "moves" else 0)
    rows.append([weight @ shape, weight.sum(), weight @ z])
    load.append(aim)
    G, zero, one = solve(np.array(rows, dtype=float), np.array(load, dtype=float))
    return np.tile(G * shape + zero + one * z, 3)


def slits(gate):
    """Walls move, slip, by two frictions; flow rates of any sign."""
    ends = (("moves", 1.7), ("slips", 2.3)), (("slips", 1.1), ("slips", 2.3)), (("moves", -0.7), ("moves", 1.1)), (("slips", 0.9), ("moves", 0.0))
    for first, last in ends:
        for aim in (RATE, -0.2) if first == ("moves", 1.7) else (RATE,):
            words = {k: v for side, (kind, value) in (("back", first), ("front", last)) for k, v in (moves if kind == "moves" else slips)(side, value).items()}
            for np_ in (1, 2, 3) if first == ("moves", 1.7) else (1,):
                x, state = at_place(case({**SLIT, **NEWTONIAN}, np_=np_, **words, bc_left_flow_rate=0.4 * aim))
                gate.at_most(f"slit, {first} and {last}, flow rate {aim:g}, np {np_}: velocity", largest(np.abs(state[:, 0] - across(aim, first, last))), 1e-10)


# ---- any flow curve: collocation
def chebyshev(n, length):
    """Points from 0 to length, differences and Clenshaw and Curtis's weights."""
    k = np.arange(n + 1)
    x = np.cos(math.pi * k / n)
    c = np.where((k == 0) | (k == n), 2.0, 1.0) * (-1.0) ** k
    dx = x[:, None] - x
    D = np.outer(c, 1 / c) / (dx + np.eye(n + 1))
    D -= np.diag(D.sum(1))
    weight = np.array([sum((2 if 0 < j < n else 1) / n * math.cos(j * math.pi * i / n) * (1 + (-1) ** j) / (1 - j * j) for j in range(n + 1) if j != 1) for i in k])
    weight[[0, -1]] /= 2
    return (1 - x) * length / 2, -D * 2 / length, weight * length / 2


def slope_of(curve, g):
    return (curve(g * 1.0001 + 1e-9) - curve(g * 0.9999 + 1e-9)) / (0.0002 * g)


def collocated(curve, aim, sides, n=22):
    """div (T/g grad w) = -K on (0, A) x (0, B) by Newton's method. sides: of y = 0, y = A, z = 0, z = B ("moves", W(y, z)) or ("slips", tau(w), its slope)."""
    y, Dy, wy = chebyshev(n, A)
    z, Dz, wz = chebyshev(n, B)
    N, one = n + 1, np.eye(n + 1)
    DY, DZ, weight = np.kron(Dy, one), np.kron(one, Dz), np.kron(wy, wz)
    Y, Z = np.repeat(y, N), np.tile(z, N)
    edges = [(Y == y[0], -DY), (Y == y[-1], DY), (Z == z[0], -DZ), (Z == z[-1], DZ)]
    held, slipping = np.zeros(N * N, dtype=bool), np.zeros(N * N, dtype=bool)
    value = np.zeros(N * N)
    for (at, _), side in zip(edges, sides):
        if side[0] == "moves":
            value[at & ~held] = side[1](Y[at & ~held], Z[at & ~held])
            held |= at
    w, K = np.zeros(N * N), 1.0
    for it in range(60):
        gy, gz = DY @ w, DZ @ w
        g = np.hypot(gy, gz) + 1e-7
        eta = curve(g) / g if it else np.full(N * N, curve(0.5) / 0.5)
        bend = (slope_of(curve, g) - eta) / g**2 if it else np.zeros(N * N)
        qy = eta[:, None] * DY + (bend * gy)[:, None] * (gy[:, None] * DY + gz[:, None] * DZ)
        qz = eta[:, None] * DZ + (bend * gz)[:, None] * (gy[:, None] * DY + gz[:, None] * DZ)
        J, r = np.zeros((N * N + 1, N * N + 1)), np.zeros(N * N + 1)
        J[:-1, :-1], J[:-1, -1] = DY @ qy + DZ @ qz, 1
        r[:-1] = DY @ (eta * gy) + DZ @ (eta * gz) + K
        slipping[:] = False
        for (at, D), side in zip(edges, sides):
            if side[0] != "slips":
                continue
            here = np.flatnonzero(at & ~held & ~slipping)
            slipping |= at
            q = qy if D is DY or np.array_equal(D, -DY) else qz
            sign = 1 if D is DY or D is DZ else -1
            flux = eta * (gy if q is qy else gz)
            size = np.abs(w[here])
            J[here, :-1], J[here, -1] = sign * q[here], 0
            J[here, here] += side[2](size)
            r[here] = sign * flux[here] + np.sign(w[here]) * side[1](size)
        at = np.flatnonzero(held)
        J[at], r[at] = 0, w[at] - value[at]
        J[at, at] = 1
        J[-1, :-1], r[-1] = weight, weight @ w - aim
        step = np.linalg.solve(J, -r)
        w, K = w + step[:-1], K + step[-1]
        if np.abs(step[:-1]).max() < 1e-11 * np.abs(w).max():
            break
    else:
        raise run.Failure(f"the reference is not found: it still moves by {np.abs(step).max()}")
    end = np.where((np.arange(N) == 0) | (np.arange(N) == n), 0.5, 1.0) * (-1.0) ** np.arange(N)

    def basis(points, at):
        away = at - points
        return one[np.argmin(np.abs(away))] if np.abs(away).min() < 1e-12 else (end / away) / (end / away).sum()

    return lambda places: np.array([basis(y, a) @ w.reshape(N, N) @ basis(z, b) for a, b in places])


def by_cubic(w):
    """tau of w = 0.3 tau (1 + 1.2 tau^2)."""
    p, q = 1 / 1.2, w / 0.36
    big = np.cbrt(q / 2 + np.sqrt(q * q / 4 + (p / 3) ** 3))
    return big - p / 3 / big


REST = ("moves", lambda y, z: 0 * y)
LAWS = {"slips by a friction": ("slips", lambda w: 1.7 * w, lambda w: 1.7 + 0 * w), "slips by its stress": ("slips", by_cubic, lambda w: 1 / (0.3 * (1 + 3.6 * by_cubic(w) ** 2)))}
LIDS = ("moves", lambda y, z: LID * np.sin(math.pi * y / A))
SECTIONS = {"a lid": ((REST, REST, REST, LIDS), moves("front", SINE)),
            "a lid and a friction": ((REST, REST, LAWS["slips by a friction"], LIDS), {**moves("front", SINE), **slips("back", 1.7)}),
            "two laws of slip": ((REST, REST, LAWS["slips by a friction"], LAWS["slips by its stress"]), {**slips("back", 1.7), **slips("front", CUBIC)}),
            "a lid, a wall at rest and two laws of slip": ((REST, LAWS["slips by its stress"], LAWS["slips by a friction"], ("moves", lambda y, z: LID * np.sin(0.5 * math.pi * y / A))),
                                                           {**moves("front", f"{LID}*sin(0.5*pi*y/{A})"), **slips("back", 1.7), **slips("top", CUBIC)})}


def laws(gate):
    for law, words, curve in ("Carreau", CARREAU, carreau), ("PTT of two modes", PTT, ptt):
        for name, (sides, walls) in SECTIONS.items():
            if law != "Carreau" and name != "a lid and a friction":
                continue
            aim = 0.9
            exact = collocated(curve, aim, sides)
            errors = []
            for n in (8, 16):
                x, state = at_place(case({**DUCT, **words}, **walls, mesh_box_faces=f"1,{n},{n}", bc_left_flow_rate=aim))
                want = exact(x)
                errors.append(largest(np.abs(state[:, 0] - want)) / np.abs(want).max())
                gate.near(f"{law}, {name}: flux of the nodes", carried(x, state[:, 0]), aim, 1e-10)
            gate.at_most(f"{law}, {name}: velocity", errors[1], 0.012)
            gate.at_least(f"{law}, {name}: order", math.log2(errors[0] / errors[1]), 1.7)


def fluid(gate):
    for part in lids, uniform, slits, laws:
        part(gate)


def ramp(t, over):
    return 0.5 * (1 - math.cos(math.pi * t / over))


def exact_at(gate, name, result, *ends, aim=RATE, **more):
    gate.at_most(f"{name}: velocity", largest(np.abs(at_place(result)[1][:, 0] - across(aim, *ends, **more))), 1e-9)


BDF2 = {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_lumped_dt": None, "scheme_fractional_step_dt": 2e-3}


def times(gate):
    """Walls and inflow raised apart, a wall's speed by formula and by rows, slip in time, a temperature that shifts the fluid, by each scheme."""
    t, flow = 6e-3, {**SLIT, **NEWTONIAN, "stop_steps": 3, "scheme_lumped_dt": 2e-3}
    words = {**moves("back", 1.7, bc_back_ramp=0.01), **slips("front", 2.3), "bc_left_ramp": 0.02}
    ends = ("moves", 1.7 * ramp(t, 0.01)), ("slips", 2.3)
    raised = {}
    for name, how in ("lumped", {}), ("bdf2", BDF2), ("monolithic", {"scheme": "monolithic", "scheme_lumped_dt": None, "scheme_monolithic_dt": 2e-3}):
        raised[name] = case({**flow, **how}, np_=2 if name == "bdf2" else 1, **words)
        exact_at(gate, f"raised, {name}", raised[name], *ends, aim=RATE * ramp(t, 0.02))
    exact_at(gate, "steady", case({**flow, **STEADY}, np_=3, **moves("back", 1.7), **slips("front", 2.3)), ("moves", 1.7), ("slips", 2.3))
    for name, how in ("lumped", {}), ("bdf2", BDF2):
        on = at_place(case({**flow, **how}, **words, stop_steps=6))[1]
        again = at_place(case({**flow, **how}, np_=3, **words, stop_steps=6, case_restart=f"{raised[name].out}/rim_checkpoint.h5"))[1]
        gate.at_most(f"raised, {name}: velocity after a restart", largest(np.abs(on[:, 0] - again[:, 0])), 1e-10)
    rows = f"{run.folder('rim')}/rows.csv"
    with open(rows, "w", encoding="utf-8") as file:
        file.writelines(f"{k * 1e-3},{1.7 + 0.4 * math.sin(2 * math.pi * k / 20):.15g},0,0\n" for k in range(21))
    for name, speed, value in ("formula", "1.7*(1+30*t),0,0", 1.7 * (1 + 30 * t)), ("rows", rows, 1.7 + 0.4 * math.sin(2 * math.pi * 6 / 20)):
        timed = {"bc_back_type": "moving_wall", "bc_back_velocity": speed, "bc_front_type": "slip", "bc_front_slip_by_stress": "tau/2.3*(1+40*t)"}
        exact_at(gate, f"a wall by {name}, slip in time", case(flow, np_=2, **timed), ("moves", value), ("slips", 2.3 / (1 + 40 * t)))
    exact_at(gate, "slip in time beside a wall at rest", case(flow, bc_front_type="slip", bc_front_slip_by_stress="tau/2.3*(1+40*t)"), ("moves", 0.0), ("slips", 2.3 / (1 + 40 * t)))
    hot = {"physics": "newtonian,thermal", "physics_thermal_conductivity": 0.2, "physics_thermal_heat_capacity": 2000, "physics_thermal_sensitivity": 0.02, "bc_left_temperature": "value 330", "bc_back_temperature": "natural"}
    exact_at(gate, "shifted", case(flow, **hot, **moves("back", 1.7), **slips("front", 2.3)), ("moves", 1.7), ("slips", 2.3), eta=ETA * math.exp(-0.6))
    duct, walls = {**DUCT, **CARREAU, "stop_steps": 3, "scheme_lumped_dt": 2e-3}, {**moves("front", SINE), **slips("back", 1.7)}
    for name, changes, then in (("the flow rate", {"bc_left_flow_rate": "0.4*(1+30*t)"}, {"bc_left_flow_rate": 0.4 * 1.18}), ("the lid, slowly,", moves("front", f"{SINE}*(1+0.3*t)"), moves("front", f"{SINE}*1.0018")), ("the flow rate, from none", {"bc_left_flow_rate": "60*t"}, {"bc_left_flow_rate": 0.36}),
                                ("the lid", moves("front", f"{SINE}*(1+30*t)"), moves("front", f"{SINE}*1.18")), ("the lid, from rest", moves("front", f"{SINE}*200*t"), moves("front", f"{SINE}*1.2"))):
        one, other = (at_place(case(duct, **{**walls, **words}))[1][:, 0] for words in (changes, then))
        gate.at_most(f"duct, Carreau, {name} in time: velocity against that of the flow at once", largest(np.abs(one - other)), 1e-9)
    stops = case(flow, **moves("back", "max(0,1.7*(1-t/0.004))"), **slips("front", 2.3), bc_left_flow_rate=f"max(0,{0.4 * RATE}*(1-t/0.004))")
    gate.at_most("a flow that has stopped: velocity", largest(np.abs(at_place(stops)[1][:, 0])), 1e-15)


def channel(gate):
    """What comes in leaves: a Carreau fluid in a duct, PTT of two modes in a slit, whose outlet gives the developed stress of what arrives too."""
    slit = {**SLIT, **PTT, **moves("back", 1.1), **slips("front", 3.1), "bc_left_polymer_at": None, "physics_ptt_lambda": "0.3,0.06"}
    cases = {"duct, Carreau": ({**DUCT, **CARREAU, **moves("front", SINE), **slips("back", 1.7), "bc_left_flow_rate": 0.9}, "{0},{0},{0}", (6, 12)),
             "slit, PTT": (slit, "{0},1,{0}", (8, 16)), "slit, PTT, developed outlet": ({**slit, "bc_right_polymer": "developed"}, "{0},1,{0}", (8, 16))}
    for name, (words, faces, sizes) in cases.items():
        upper = words["mesh_box_upper"].replace("0.5", "1.2", 1)
        errors = {0.6: [], 1.2: []}
        for n in sizes:
            result = case({**words, **STEADY}, np_=2, mesh_box_upper=upper, mesh_box_faces=faces.format(n))
            first = at_place(result)[1][:, 0]
            for place, found in errors.items():
                found.append(float(np.sqrt(np.mean((at_place(result, place)[1][:, 0] - first) ** 2)) / np.abs(first).max()))
        for place, found in errors.items():
            gate.at_most(f"{name}, {place:g} behind the inlet: velocity against it", found[1], 1e-8 if "duct" in name else 2e-3 if "outlet" in name else 2e-4)
            if "duct" not in name:  # whose flow is that of the mesh's own functions
                gate.at_least(f"{name}, {place:g} behind the inlet: order", math.log2(found[0] / found[1]), 1.7)


def told(gate):
    """What the profile has is not told; what it has not, is, once."""
    flow = {**DUCT, **CARREAU, "mesh_box_faces": "1,3,3"}
    for changes in {}, moves("front", 1), slips("front", 2), {**moves("front", 1), **slips("back", 2), **slips("top", CUBIC)}, {"bc_left_flow_rate": "0.4*sin(t)", **moves("front", "sin(3*t)")}:
        gate.true(f"nothing is told: {changes}", "a label that ends on" not in case(flow, np_=2, **changes).stderr)
    for speed in "1,0.2,0", "1,0.2*sin(3*t),0":
        across_ = case(flow, np_=2, bc_front_type="moving_wall", bc_front_velocity=speed).stderr
        gate.true(f"a wall that moves across, {speed}: told once", across_.count("a label that ends on") == 1 and across_.count("'front', type moving_wall, which moves across the flow") == 1)
    fastest = {"bc_left_flow_rate": None, "bc_left_profile": "developed", "bc_left_maximum_velocity": 1}
    for speed in "40*t/0.004", "1":
        gate.refused(case(flow, expect=None, np_=2, **moves("front", speed), **fastest), ("-bc_left_maximum_velocity", "'front', type moving_wall, which moves along the flow or may", "-bc_left_flow_rate"))
    tube = {**{key: value for key, value in DUCT.items() if not key.startswith(("mesh", "bc_"))}, **NEWTONIAN, "mesh_file": prism("rim", 6, 2, 0.6), "bc_inlet_type": "inlet", "bc_inlet_flow_rate": 0.5, "bc_outlet_type": "outlet"}
    found = {}
    for name, wall in ("rests", {"bc_wall_type": "wall"}), ("turns", {"bc_wall_type": "rotating_wall", "bc_wall_angular_velocity": "3*(1+t)", "bc_wall_axis": "1,0,0"}), ("moves", {"bc_wall_type": "moving_wall", "bc_wall_velocity": "1.1,0,0"}):
        result = case(tube, np_=2, **wall)
        found[name] = at_place(result)[1][:, 0]
        lines = {"rests": 0, "turns": 1, "moves": 0}[name]
        gate.true(f"a tube whose wall {name}: told {lines} times", result.stderr.count("a label that ends on") == lines)
    gate.at_most("a tube whose wall turns: velocity of the inlet, of that at rest", largest(np.abs(found["turns"] - found["rests"])), 1e-12)
    for slope, across_too in ("1e-8", False), ("1e-5", True):
        turned = {**tube, "bc_wall_type": "rotating_wall", "bc_wall_angular_velocity": 3, "bc_wall_axis": f"1,{slope},0"}
        if across_too:
            gate.refused(case(turned, expect=None, bc_inlet_flow_rate=None, bc_inlet_profile="developed", bc_inlet_maximum_velocity=1), ("-bc_inlet_maximum_velocity", "'wall', type rotating_wall, which moves along the flow or may"))
            continue
        gate.at_most(f"a tube that turns about its axis to {slope}: velocity of the inlet, of that at rest", largest(np.abs(at_place(case(turned, np_=2))[1][:, 0] - found["rests"])), 2e-8)
        fastest_ = case(turned, bc_inlet_flow_rate=None, bc_inlet_profile="developed", bc_inlet_maximum_velocity=1)
        gate.near(f"a tube that turns about its axis to {slope}: fastest velocity", float(at_place(fastest_)[1][:, 0].max()), 1, 1e-12)
    for slope, lines in ("1e-8", 0), ("1e-5", 1):
        tilted = case(flow, bc_front_type="moving_wall", bc_front_velocity=f"1,{slope},0").stderr
        gate.true(f"a wall that moves across by {slope}: told {lines} times", tilted.count("which moves across the flow") == lines)
    rest, part = found["rests"], 1 - 1.1 * math.pi * RADIUS**2 / 0.5
    gate.at_most("a tube whose wall moves: velocity less its speed, in proportion to that at rest", largest(np.abs((found["moves"] - 1.1) / part - rest) / rest.max()), 0.05)
    slow = at_place(case(flow, **slips("front", 2), **slips("back", 0.7), **fastest))[1]
    gate.near("walls of two frictions, by the fastest velocity", float(slow[:, 0].max()), 1, 1e-10)
    falling = {"physics": "newtonian,johnson_segalman", "physics_newtonian_viscosity": 0.001, "physics_johnson_segalman_viscosity": 0.9, "physics_johnson_segalman_lambda": 1, "physics_johnson_segalman_xi": 0.5, "stabiliser": "devss,split_oss"}
    gate.refused(case({**DUCT, **falling, "mesh_box_faces": "1,3,3"}, expect=None, **moves("front", SINE), bc_left_flow_rate=6), ("bc_left", "not monotone"))


def device(gate):
    """lumped, steady and bdf2 beside walls that move and slip in time: as on the host."""
    words = {**DUCT, **PTT, "mesh_box_faces": "2,3,3", "bc_left_polymer_at": None, **moves("front", f"{SINE}*(1+30*t)", bc_front_ramp=0.01), **slips("back", 1.7), "stop_steps": 3, "scheme_lumped_dt": 2e-3}
    for name, how in ("lumped", {}), ("bdf2", BDF2), ("steady", {**STEADY, "bc_front_velocity": f"{SINE},0,0", "bc_front_ramp": None}):
        host, there = (case({**words, **how}, device=kind).checkpoint() for kind in ("cpu", "cuda"))
        gate.at_most(f"{name}: state, host and device", largest((np.abs(host - there) / np.abs(host).max(axis=0).clip(1e-9)).ravel()), 1e-6 if name == "steady" else 1e-8)


PARTS = {part.__name__: part for part in (fluid, times, channel, told, device)}


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "fluid"
    gate = Gate("boundary_rim" + (f"_{name}" if name != "fluid" else ""))
    PARTS[name](gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
