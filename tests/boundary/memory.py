"""The history of the polymer that an inlet brings in (-bc_<label>_polymer_memory), density 3 and two unlike modes throughout. memory.py
  nodes        at the inlet's nodes: Giesekus, PTT and Oldroyd-B against scipy, start-up and oscillation in closed form; representations, shapes, schemes, pieces of time
  channel      a long channel whose flow oscillates, De 1: behind the inlet it is that of a periodic channel, where off is not
  orders       in time, of each scheme, the step refined alone
  ranks        1, 2 and 3 ranks; runs that are taken up again, with less kept too
  told         what is refused, what is told
  device [np]  host and device"""
import math
import sys

import h5py
import numpy as np
import run
from gate import Gate, largest
from scipy.integrate import solve_ivp

ETA, LAM, SOLVENT, RHO = (0.5, 0.3), (0.4, 1.3), 0.4, 3.0
OLDROYD = {"physics": "newtonian,oldroydb", "physics_newtonian_viscosity": SOLVENT, "physics_oldroydb_modes": 2, "physics_oldroydb_viscosity": "0.5,0.3", "physics_oldroydb_lambda": "0.4,1.3"}
THINNING = {"physics": "newtonian,giesekus,ptt", "physics_newtonian_viscosity": SOLVENT, "physics_giesekus_viscosity": ETA[0], "physics_giesekus_lambda": LAM[0], "physics_giesekus_alpha": 0.2,
            "physics_ptt_viscosity": ETA[1], "physics_ptt_lambda": LAM[1], "physics_ptt_epsilon": 0.15, "physics_ptt_xi": 0.1, "physics_ptt_form": "exponential"}
W, MEAN, SWING = 2.3, 0.7, 1.9
FLOW = {"case_name": "memory", "mesh_box_upper": "1,1", "mesh_box_faces": "3,6", "form_density": RHO, "stabiliser": "devss,split_oss", "bc_left_type": "inlet", "bc_left_velocity": f"4*y*(1-y)*({MEAN}+{SWING}*sin({W}*t)),0",
        "bc_right_type": "outlet", "bc_bottom_type": "wall", "bc_top_type": "wall", "output_fields": "false", "device": "cpu"}
BDF2 = {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": 0.02}
SCHEMES = {"bdf2": BDF2, "ssp3": {**BDF2, "scheme_fractional_step_integrator": "ssp3"}, "transport": {**BDF2, "scheme_fractional_step_polymer": "transport"},
           "lumped": {"scheme": "lumped", "scheme_lumped_dt": 0.01}, "heun": {"scheme": "lumped", "scheme_lumped_dt": 0.01, "scheme_lumped_stepper": "heun"}, "monolithic": {"scheme": "monolithic", "scheme_monolithic_dt": 0.3}}


def words_of(*parts):
    words = {key: value for part in parts for key, value in part.items()}
    return [str(w) for key, value in words.items() if value is not None for w in (f"-{key}", value)]


def case(*parts, np_=1, expect=0, verb="run"):
    return run.rheoplex(verb, *words_of(FLOW, *parts), out=run.folder("memory"), np=np_, expect=expect, timeout=300)


def rate_of(law, lam, C, D):
    """dC/dt of a mode beside L C + C L^T: relaxation, and of PTT its slip."""
    B = C - np.eye(3)
    if law == "giesekus":
        return -(B + 0.2 * B @ B) / lam
    if law == "ptt":
        return -math.exp(0.15 / 0.9 * np.trace(B)) * B / lam - 0.1 * (D @ C + C @ D)
    return -B / lam


def follow(law, k, gradient, end, start=None, longer=lambda t: 1):
    """C at `end` in the gradient L(t), by scipy; times of the law are longer(t) times as long; start: how long L(0) has been there, None: from rest."""

    def rate(t, c):
        C, L = c.reshape(3, 3), gradient(t)
        return (L @ C + C @ L.T + rate_of(law, longer(t) * LAM[k], C, (L + L.T) / 2)).ravel()

    C = np.eye(3) if start is None else follow(law, k, lambda t: gradient(0), start, None, longer)
    return solve_ivp(rate, (0, end), C.ravel(), rtol=1e-11, atol=1e-12, method="DOP853").y[:, -1].reshape(3, 3)


def shear(g, e=(1, 0, 0), m=(0, 1, 0)):
    return lambda t: g(t) * np.outer(e, m)


PLACES = {3: ((0, 0), (1, 1), (0, 1)), 4: ((0, 0), (1, 1), (2, 2), (0, 1)), 6: ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))}


def conformation(variable, values, modulus):
    """C of a mode's unknown [ntens]."""
    S = np.zeros((3, 3))
    for v, (i, j) in zip(values, PLACES[len(values)]):
        S[i, j] = S[j, i] = v
    if variable == "logconf":
        w, R = np.linalg.eigh(S)
        return R @ np.diag(np.exp(w)) @ R.T
    if variable == "stress":
        return np.eye(3) + S / modulus
    if len(values) == 3:
        S[2, 2] = 1
    return S


def at_inlet(result, dim, variable, laws, gradient, end, rows=None, **how):
    """Largest difference of the conformations at the inlet's nodes from scipy's, over the largest value of the mode there; rows: of what it remembers."""
    if rows is None:
        x, state = result.checkpoint("positions"), result.checkpoint()
        rows = [(x[i], state[i, dim + 1 :]) for i in np.nonzero(np.abs(x[:, 0]) < 1e-9)[0]]
    worst, ntens = 0.0, len(rows[0][1]) // 2
    for k, law in enumerate(laws):
        scale = ETA[k] / LAM[k] / (0.9 if law == "ptt" else 1)
        got = [conformation(variable, values[k * ntens : (k + 1) * ntens], scale) for _, values in rows]
        want = [follow(law, k, gradient(x), end, **how) for x, _ in rows]
        size = largest(np.abs(want).ravel())
        worst = largest([worst, *(np.abs(g - w).max() / size for g, w in zip(got, want))])
    return worst


def swing(t):
    return MEAN + SWING * math.sin(W * t)


def remembered(result):
    """Of a checkpoint: places and conformations of the inlets' nodes, and when they were there."""
    kept, x = result.checkpoint("inlets/history"), result.checkpoint("positions")
    return [(x[int(row[0])], row[3:]) for row in kept], kept[0, 1]


def nodes(gate):
    plane = lambda x: shear(lambda t: 4 * (1 - 2 * x[1]) * swing(t))
    two = ("giesekus", "ptt")
    at_nodes, end = {"bc_left_polymer_at": "nodes"}, {"stop_time": 1.2}
    for variable in "stress", "conformation", "logconf":
        result = case(BDF2, THINNING, {"polymer_variable": variable}, end, at_nodes)
        gate.at_most(f"{variable}, at nodes: conformation, of scipy's", at_inlet(result, 2, variable, two, plane, 1.2), 1e-9)
    for name, words in SCHEMES.items():
        result = case(words, OLDROYD, {"polymer_variable": "stress"}, end)
        gate.at_most(f"{name}, in the flux: conformation, of scipy's", at_inlet(result, 2, "conformation", ("oldroydb",) * 2, plane, *remembered(result)[::-1]), 1e-9)
    tube = {"form_axisymmetric": "true", "bc_bottom_type": "symmetry", "bc_left_velocity": f"(1-y^2)*({MEAN}+{SWING}*sin({W}*t)),0", "polymer_variable": "logconf"}
    result = case(BDF2, THINNING, tube, end, at_nodes)
    gate.at_most("a tube, log c: conformation", at_inlet(result, 2, "logconf", two, lambda x: shear(lambda t: -2 * x[1] * swing(t)), 1.2), 1e-9)
    space = {"mesh_box_upper": "1,1,1.4", "mesh_box_faces": "2,3,3", "bc_front_type": "wall", "bc_back_type": "wall", "bc_left_velocity": f"y*(1-y)*z*(1.4-z)*8*({MEAN}+{SWING}*sin({W}*t)),0,0", "polymer_variable": "logconf"}
    slope = lambda x: np.array([[0, 8 * (1 - 2 * x[1]) * x[2] * (1.4 - x[2]), 8 * x[1] * (1 - x[1]) * (1.4 - 2 * x[2])], [0, 0, 0], [0, 0, 0]])
    result = case(SCHEMES["lumped"], THINNING, space, {"stop_time": 0.5}, at_nodes)
    gate.at_most("in space, log c: conformation", at_inlet(result, 3, "logconf", two, lambda x: lambda t: slope(x) * swing(t), 0.5), 1e-9)
    warm = {"physics": THINNING["physics"] + ",thermal", "physics_thermal_conductivity": 0.6, "physics_thermal_heat_capacity": 40, "physics_thermal_sensitivity": 0.02, "bc_left_temperature": "value 280+20*t", "bc_bottom_temperature": "value 300", "bc_top_temperature": "value 300",
            "initial_temperature": 300, "bc_left_polymer_at": "flux", "polymer_variable": "conformation"}
    result = case(BDF2, THINNING, warm, end)
    gate.at_most("times longer by a temperature: conformation", at_inlet(result, 2, "conformation", two, plane, *remembered(result)[::-1], longer=lambda t: math.exp(0.4 * (1 - t))), 1e-9)
    ramp = lambda t: 1 if t > 0.4 else (1 - math.cos(math.pi * t / 0.4)) / 2
    result = case(BDF2, THINNING, at_nodes, end, {"bc_left_velocity": "4*y*(1-y),0", "bc_left_ramp": 0.4, "polymer_variable": "stress"})
    gate.at_most("behind a ramp: conformation", at_inlet(result, 2, "stress", two, lambda x: shear(lambda t: 4 * (1 - 2 * x[1]) * ramp(t)), 1.2), 1e-9)
    result = case(BDF2, THINNING, at_nodes, end, {"polymer_variable": "stress", "initial_stress": "0.1,0,0;0,0,0"})
    gate.at_most("from a stress of its own: conformation", at_inlet(result, 2, "stress", two, plane, 1.2, start=40), 1e-9)
    jump = lambda t: 1 if t > 0.501 else 0.2
    result = case({"scheme": "monolithic", "scheme_monolithic_dt": 0.3}, THINNING, at_nodes, end, {"polymer_variable": "stress", "bc_left_velocity": "4*y*(1-y)*(t > 0.501 ? 1 : 0.2),0"})
    gate.at_most("over a jump: conformation", at_inlet(result, 2, "stress", two, lambda x: shear(lambda t: 4 * (1 - 2 * x[1]) * jump(t)), 1.2), 1e-9)
    pieces(gate)
    start_up(gate)


def pieces(gate):
    """What comes in is found for pieces of time, which do not follow the run's steps: shorter ones, and one that is tried again."""
    many = (THINNING, {"bc_left_polymer_at": "nodes", "polymer_variable": "stress", "bc_left_velocity": "3*y*(1-y)*sin(1.1*t)^2,0"})
    result = case(*many, {"scheme": "lumped", "scheme_lumped_dt": 1e-3, "stop_steps": 150})
    gate.at_least("steps of 1 ms in a piece", result.checkpoint("inlets/history")[0, 2] / 1e-3, 5)
    flow = lambda x: shear(lambda t: 3 * (1 - 2 * x[1]) * math.sin(1.1 * t) ** 2)
    gate.at_most("within a piece: conformation", at_inlet(result, 2, "stress", ("giesekus", "ptt"), flow, 0.15), 1e-9)
    adapts = {"scheme": "monolithic", "ts_type": "bdf", "scheme_monolithic_dt": 0.8, "ts_adapt_type": "basic", "ts_rtol": 3e-2, "ts_atol": 3e-2, "stop_steps": 1, "ts_adapt_monitor": ""}
    result = case(*many, adapts)
    gate.true("a step that is tried again", " rejected t=0 " in result.stdout)
    end = float(result.table("_history.csv")["t"][-1])
    gate.at_most("after it: conformation", at_inlet(result, 2, "stress", ("giesekus", "ptt"), flow, end), 1e-9)


def start_up(gate):
    """Oldroyd-B from rest: N1 and the shear stress of a rate that stays, and of one that oscillates, in closed form."""
    at_nodes, end = {"bc_left_polymer_at": "nodes", "polymer_variable": "stress", "stop_time": 0.9}, 0.9
    still = case(BDF2, OLDROYD, at_nodes, {"bc_left_velocity": "4*y*(1-y),0", "bc_left_polymer_memory": "on"})
    beats = case(BDF2, OLDROYD, at_nodes, {"bc_left_velocity": f"4*y*(1-y)*cos({W}*t),0"})
    went_on = case(BDF2, OLDROYD, at_nodes, {"bc_left_velocity": f"4*y*(1-y)*cos({W}*t),0", "bc_left_polymer_memory_before": 40})
    x, off = still.checkpoint("positions"), lambda got, want: float(np.abs(got - want).max() / np.abs(want).max())
    here = np.abs(x[:, 0]) < 1e-9
    g = 4 * (1 - 2 * x[here, 1])
    for k in 0, 1:
        s, e = ETA[k], math.exp(-end / LAM[k])
        got = still.checkpoint()[here, 3 + 3 * k : 6 + 3 * k]
        gate.at_most(f"start-up, mode {k + 1}: shear stress", off(got[:, 2], s * g * (1 - e)), 1e-9)
        gate.at_most(f"start-up, mode {k + 1}: N1", off(got[:, 0] - got[:, 1], 2 * s * LAM[k] * g**2 * (1 - e - end / LAM[k] * e)), 1e-9)
        a = LAM[k] * W
        want = s * g / (1 + a * a) * (math.cos(W * end) + a * math.sin(W * end) - np.array([[e], [0]]))
        gate.at_most(f"oscillation, mode {k + 1}: shear stress", off(beats.checkpoint()[here, 5 + 3 * k], want[0]), 1e-9)
        gate.at_most(f"that has gone on, mode {k + 1}: shear stress", off(went_on.checkpoint()[here, 5 + 3 * k], want[1]), 1e-9)


def channel(gate):
    """Creeping Oldroyd-B in u = 4 y (1 - y) U(t): uniform along the channel, of mode k at De 0.6 and 2.1, Wi up to 2.3; drop 8 (eta_s U + s(t)) a length, s of U in place of its gradient."""
    U, end, between = (lambda t: 0.25 + 0.2 * math.sin(1.6 * t)), 2.4, (0.25, 1.75)
    words = {"mesh_box_upper": "2,1", "mesh_box_faces": "16,12", "form_density": 0.02, "polymer_variable": "logconf", "stop_time": end, "bc_left_velocity": "4*y*(1-y)*(0.25+0.2*sin(1.6*t)),0", "scheme": "monolithic", "scheme_monolithic_dt": 0.05,
             "diagnostic_drop_kind": "pressure_difference", "diagnostic_drop_points": ";".join(f"{x},0.5" for x in between)}
    shears = [follow("oldroydb", k, shear(U), end)[0, 1] * ETA[k] / LAM[k] for k in (0, 1)]
    want = 8 * (SOLVENT * U(end) + sum(shears)) * (between[1] - between[0])
    off = {}
    for memory in "auto", "off":
        result = case(OLDROYD, words, {"bc_left_polymer_memory": memory})
        x, state = result.checkpoint("positions"), result.checkpoint()
        heights = np.unique(np.round(x[:, 1], 9))
        for k in 0, 1:
            exact = {y: follow("oldroydb", k, shear(lambda t, y=y: 4 * (1 - 2 * y) * U(t)), end) for y in heights}
            size = largest(np.abs(list(exact.values())).ravel())
            for name, low, high in ("at the inlet", -1, 0.01), ("behind it", 0.1, 0.6):
                here = np.nonzero((x[:, 0] > low) & (x[:, 0] < high))[0]
                off[memory, k, name] = largest(np.abs(conformation("logconf", state[i, 3 + 3 * k : 6 + 3 * k], 1) - exact[round(x[i, 1], 9)]).max() / size for i in here)
        off[memory, "drop"] = abs(float(result.table("_drop.csv")["pressure_difference"][-1]) / want - 1)
    for k, inlet, behind in (0, 0.002, 0.03), (1, 0.002, 0.08):
        gate.at_most(f"mode {k + 1} at the inlet: conformation", off["auto", k, "at the inlet"], inlet)
        gate.at_most(f"mode {k + 1} behind it: conformation", off["auto", k, "behind it"], behind)
        gate.at_least(f"mode {k + 1} at the inlet, off: conformation", off["off", k, "at the inlet"], 0.2)
    gate.at_least("mode 2 behind it, off: conformation", off["off", 1, "behind it"], 0.2)
    gate.at_most("drop of pressure", off["auto", "drop"], 0.01)
    gate.at_least("drop of pressure, off", off["off", "drop"], 0.03)


TIGHT = {"pressure_ksp_rtol": 1e-13, "momentum_ksp_rtol": 1e-13}
TURNS = {"mesh_box_cell": "mixed", "polymer_variable": "logconf", "bc_left_velocity": f"4*y*(1-y)*(0.4+sin({W}*t)),0"}
STEPS = {**{name: {**words, **(TIGHT if name in ("bdf2", "transport") else {"pressure_ksp_rtol": 1e-13})} for name, words in SCHEMES.items() if name != "monolithic"}, "monolithic": {**SCHEMES["monolithic"], "scheme_monolithic_dt": 0.05, "snes_rtol": 1e-12, "ksp_rtol": 1e-10}}


def apart(a, b, dataset="state"):
    """Largest difference of the states of two runs, over the largest value of b's."""
    a, b = a.checkpoint(dataset), b.checkpoint(dataset)
    return float(np.abs(a - b).max() / np.abs(b).max())


def ranks(gate):
    for name, words in STEPS.items():
        for at in "flux", "nodes":
            many = (THINNING, TURNS, words, {"bc_left_polymer_at": at})
            one = case(*many, {"stop_steps": 16})
            if at == "flux":
                for np_ in (2,) if name == "monolithic" else (2, 3): # taken up again on 3 below
                    other = case(*many, {"stop_steps": 16}, np_=np_)
                    gate.at_most(f"{name}: {np_} ranks", apart(other, one), 1e-10)
                    gate.at_most(f"{name}: {np_} ranks, what the inlet remembers", apart(other, one, "inlets/history"), 1e-12)
            half = case(*many, {"stop_steps": 7})
            again = case(*many, {"stop_steps": 16, "case_restart": half.file("_checkpoint.h5")})
            gate.at_most(f"{name}, {at}: taken up again", apart(again, one), 1e-12)
    again = case(*many, {"stop_steps": 16, "case_restart": half.file("_checkpoint.h5")}, np_=3)
    gate.at_most("on 3 ranks: taken up again", apart(again, one), 1e-10)
    forget(gate)


def forget(gate):
    """A checkpoint without what the inlet remembers: at its nodes the state is that, from which pieces of time begin that are others."""
    many = (THINNING, TURNS, STEPS["lumped"], {"bc_left_polymer_at": "nodes"})
    one, half = case(*many, {"stop_steps": 16}), case(*many, {"stop_steps": 7})
    with h5py.File(half.file("_checkpoint.h5"), "a") as f:
        del f["inlets"]
    again = case(*many, {"stop_steps": 16, "case_restart": half.file("_checkpoint.h5")})
    gate.at_most("without what it remembers, at nodes: taken up again", apart(again, one), 1e-9)
    gate.true("which is told", "has no history of the polymer at inlets" in again.stdout)


def orders(gate):
    """From rest, smoothly; differences of three steps. Pressure and velocity of the split schemes have a small part of first order, beside which that of heun shows in its modes."""
    steps = {"lumped": (0.95, "scheme_lumped_dt", 0.004), "heun": (1.4, "scheme_lumped_dt", 0.008), "bdf2": (1.85, "scheme_fractional_step_dt", 0.02), "ssp3": (1.85, "scheme_fractional_step_dt", 0.01),
             "transport": (1.85, "scheme_fractional_step_dt", 0.02), "monolithic": (1.9, "scheme_monolithic_dt", 0.1)}
    for name, (order, option, dt) in steps.items():
        words = {"bc_left_velocity": "3*y*(1-y)*sin(1.1*t)^2,0", "polymer_variable": "stress", "stop_time": 1.6}
        state = [case(THINNING, STEPS[name], words, {option: dt / 2**i}).checkpoint()[:, 3:] for i in range(3)]
        gate.at_least(f"{name}: order of the modes in time", math.log2(np.abs(state[0] - state[1]).max() / np.abs(state[1] - state[2]).max()), order)


def told(gate):
    warns = lambda *changes: case({"scheme": "lumped", "stop_time": 3, "mesh_box_faces": "4,4"}, *changes, verb="check")
    beats, word = {"bc_left_velocity": None, "bc_left_flow_rate": "0.2+0.1*sin(2*t)"}, "the flow at the inlet 'left' changes in "
    seen = warns(OLDROYD, beats)
    gate.true("a law that does not thin: nothing is told, `check` says what comes in", word not in seen.stderr and "polymer developed in the flux, with the history of the flow" in seen.stdout)
    gate.true("off is told", word in (off := warns(OLDROYD, beats, {"bc_left_polymer_memory": "off"})).stderr and "(-bc_left_polymer_memory off)" in off.stderr and "with the history" not in off.stdout)
    gate.true("the profile of a law that thins is told", "the profile of a law that thins is that of steady flow at the rate of the moment" in warns(THINNING, beats, {"physics_ptt_xi": 0}).stderr)
    gate.true("not where it is a formula", word not in warns(THINNING).stderr)
    still = {"bc_left_velocity": "y*(1-y),0"}
    gate.true("a flow that stays has none, one with a ramp has", "with the history" not in warns(OLDROYD, still).stdout and "with the history" in warns(OLDROYD, still, {"bc_left_ramp": 0.5}).stdout)
    limits = [next(x for x in warns(OLDROYD, still, {"bc_left_polymer_memory": memory}).stdout.splitlines() if "the modes of the inflow" in x) for memory in ("on", "off")]
    gate.true("limits of the time step by what is to come in are those of steady flow", limits[0] == limits[1])
    rest = [case(OLDROYD, still, {"scheme": "steady", "scheme_steady_time": 0.5, "bc_left_ramp": ramp}) for ramp in (0, 0.5)]
    gate.at_most("a steady state has none: behind a ramp, of that without", apart(rest[1], rest[0]), 1e-8)
    one = {"scheme": "lumped", "stop_steps": 1}
    for words, expected in (({**one, "bc_left_polymer": "rest", "bc_left_polymer_memory": "on"}, "-bc_left_polymer_memory on: got it with a stress that is given, expected it with -bc_left_polymer developed alone"),
                            ({**one, "bc_left_polymer_memory_before": 3, "bc_left_polymer_memory": "off"}, "-bc_left_polymer_memory_before: got it with -bc_left_polymer_memory off"),
                            ({"scheme": "steady", **still, "bc_left_polymer_memory": "on"}, "-bc_left_polymer_memory: got on with -scheme steady, whose state has no history"),
                            ({**one, "bc_left_polymer_memory": "yes"}, "expected auto, on or off")):
        gate.refused(case(OLDROYD, words, expect=None), [expected])
    beyond = case(THINNING, SCHEMES["lumped"], {"stop_steps": 1, "bc_left_polymer_memory": "on", "bc_left_velocity": "1e90*y*(1-y),0"}, expect=None)
    gate.refused(beyond, ["-bc_left_polymer_memory: the history of the polymer stopped at t = "])


def device(gate, np_):
    for name, words in ((name, STEPS[name]) for name in ("bdf2", "heun", "monolithic")[: 3 if np_ == 1 else 1]):
        many = (THINNING, TURNS, {"mesh_box_cell": None, "stop_steps": 5}, words)
        gate.at_most(f"{name}: host and device", apart(case(*many, {"device": "cuda"}, np_=np_), case(*many)), 1e-7 if name == "monolithic" else 1e-9)


def main(part, *more):
    gate = Gate("_".join(("boundary_memory", part) + more))
    {"device": lambda: device(gate, int(more[0]) if more else 1)}.get(part, lambda: globals()[part](gate))()
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
