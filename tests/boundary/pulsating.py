"""Pulsatile developed flow of Oldroyd-B with a solvent at an inlet (-bc_<label>_profile womersley), density 3 and two unlike modes throughout. pulsating.py
  inlet    velocity and polymer at the inlet's nodes in closed form: slit, tube, square duct, a tube of tetrahedra, waves of little damping
  behind   what comes in is the flow of a channel and of a tube that are long, where the flow of a viscosity alone is not
  ranks    1, 2 and 3 ranks; a run that is taken up again
  told     what is refused; steady profiles of pulsatile flow are told"""
import math
import sys

import numpy as np
import run
from gate import Gate, largest
from memory import ETA, LAM, OLDROYD, RHO, SOLVENT
from scipy.special import jv
from womersley import prism

H, PERIOD = 0.35, 0.4
W = 2 * math.pi / PERIOD
RATE = ((0, 0.5), (1, -0.4j), (3, 0.2))  # harmonic, flow rate: 0.5 + 0.4 sin + 0.2 cos
WAVE = {"form_density": RHO, "bc_left_profile": "womersley", "bc_left_flow_rate": f"0.5+0.4*sin({W}*t)+0.2*cos({3 * W}*t)", "bc_left_period": PERIOD, "output_fields": "false", "device": "cpu"}
SLIT = {"case_name": "pulsating", "mesh_box_upper": f"0.5,{2 * H}", "mesh_box_faces": "3,10", "stabiliser": "devss,split_oss", "bc_left_type": "inlet", "bc_right_type": "outlet", "bc_bottom_type": "wall",
        "bc_top_type": "wall", "polymer_variable": "conformation", "bc_left_polymer_at": "nodes", **WAVE}
TUBE = {"form_axisymmetric": "true", "mesh_box_upper": f"0.5,{H}", "bc_bottom_type": "symmetry"}
STEP = {"scheme": "lumped", "scheme_lumped_dt": 1e-4, "stop_steps": 1}
SHORT = (0.1, 0.25)  # relaxation times where many nodes wait for 25 of them
SHORTER = {"physics_oldroydb_lambda": "0.1,0.25"}
BDF2 = {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": 0.004}


def words_of(*parts):
    words = {key: value for part in parts for key, value in part.items()}
    return [str(w) for key, value in words.items() if value is not None for w in (f"-{key}", value)]


def case(*parts, np_=1, expect=0):
    return run.rheoplex("run", *words_of(SLIT, OLDROYD, *parts), out=run.folder("pulsating"), np=np_, expect=expect, timeout=300)


def nu(omega, modes=((ETA[0], LAM[0]), (ETA[1], LAM[1])), solvent=SOLVENT):
    return (solvent + sum(eta / (1 + 1j * omega * lam) for eta, lam in modes)) / RHO


def quick(omega):
    return nu(omega, tuple(zip(ETA, SHORT)))


def shapes(k, r, tube, viscosity=nu):
    """Of a harmonic at distances r from the middle: velocity and its slope, of any size."""
    s = r / H
    if k == 0:
        return 1 - s**2 + 0j, -2 * s / H + 0j
    z = H * np.sqrt(1j * k * W / viscosity(k * W))
    if tube:
        return 1 - jv(0, 1j * z * s) / jv(0, 1j * z), 1j * z / H * jv(1, 1j * z * s) / jv(0, 1j * z)
    return 1 - np.cosh(z * s) / np.cosh(z), -z / H * np.sinh(z * s) / np.cosh(z)


def carried(k, tube, viscosity=nu, nodes=None):
    """Flux of that velocity, or of what is linear between nodes."""
    if nodes is not None:
        f = shapes(k, np.abs(nodes), tube, viscosity)[0]
        f[np.abs(np.abs(nodes) - H) < 1e-12] = 0
        if not tube:
            return np.sum((f[1:] + f[:-1]) / 2 * np.diff(nodes))
        a, b, fa, fb = nodes[:-1], nodes[1:], f[:-1], f[1:]
        return 2 * math.pi * np.sum((b - a) / 6 * (fa * (2 * a + b) + fb * (a + 2 * b)))
    x, weight = np.polynomial.legendre.leggauss(80)
    r = H * (x + 1) / 2
    return np.sum(weight * H / 2 * shapes(k, r, tube, viscosity)[0] * (2 * math.pi * r if tube else 2))


def flow(t, r, tube, viscosity=nu, nodes=None):
    """Velocity and slope away from the middle, of the flow rate."""
    parts = [np.array(shapes(k, r, tube, viscosity)) * q * np.exp(1j * k * W * t) / carried(k, tube, viscosity, nodes) for k, q in RATE]
    return sum(parts).real


def inlet(gate):
    for name, parts, tube, t in ("slit", {}, False, 0.13), ("slit, at once", {}, False, 1e-3), ("tube", TUBE, True, 0.13):
        result = case(STEP, parts, {"scheme_lumped_dt": t})
        x, state = result.checkpoint("positions"), result.checkpoint()
        at = np.flatnonzero(np.abs(x[:, 0]) < 1e-9)
        at = at[np.argsort(x[at, 1])]
        nodes = x[at, 1] - (0 if tube else H)
        exact = flow(t, np.abs(nodes), tube, nodes=nodes)[0]
        inside = np.abs(np.abs(nodes) - H) > 1e-9
        gate.at_most(f"{name}: velocity at nodes, of the largest", float(np.abs(state[at, 0] - exact)[inside].max() / np.abs(exact).max()), 1e-10)
        got = state[at, 3:].reshape(len(at), 2, -1)
        for m, lam in enumerate(LAM):
            want = np.array([polymer(t, y, tube, lam, nodes) for y in nodes])
            miss = np.abs(got[:, m][:, [0, 1, -1]] - want)
            gate.at_most(f"{name}, mode {m + 1}: conformation at nodes, in closed form, over the largest", largest(miss.ravel()) / np.abs(want).max(), 1e-8)
    duct(gate)
    circle(gate)
    ringing(gate)


def polymer(t, y, tube, lam, nodes):
    """c_xx, c_yy, c_xy at y from the middle: lam c_xy' + c_xy = lam g, lam c_xx' + c_xx = 1 + 2 lam g c_xy, of the harmonics of each, g the slope."""
    n = 64
    times = np.arange(n) * PERIOD / n
    part = {k: shapes(k, abs(y), tube)[1] * math.copysign(1, y) * q / carried(k, tube, nodes=nodes) for k, q in RATE}
    total = lambda amplitudes, at: sum(a * np.exp(1j * k * W * at) for k, a in amplitudes.items()).real
    xy = {k: lam * a / (1 + 1j * k * W * lam) for k, a in part.items()}
    source = np.fft.rfft(1 + 2 * lam * total(part, times) * total(xy, times)) / n * np.where(np.arange(n // 2 + 1) == 0, 1, 2)
    return total({k: a / (1 + 1j * k * W * lam) for k, a in enumerate(source)}, t), 1.0, total(xy, t)


def duct(gate):
    """A square one, and a quarter of it, against the series."""
    a, t = 0.4, 0.13
    words = {"mesh_box_lower": f"0,{-a},{-a}", "mesh_box_upper": f"0.3,{a},{a}", "bc_front_type": "wall", "bc_back_type": "wall", "scheme_lumped_dt": t}
    miss = []
    for n in 8, 16:
        result = case(STEP, SHORTER, words, {"mesh_box_faces": f"2,{n},{n}"})
        x, state = result.checkpoint("positions"), result.checkpoint()
        at = np.abs(x[:, 0]) < 1e-9
        exact, slope = 0, 0
        for k, q in RATE:
            w, s, flux = series(x[at, 1], x[at, 2], a, 1j * k * W / quick(k * W))
            exact, slope = exact + (q * np.exp(1j * k * W * t) * w / flux).real, slope + (SHORT[1] * q * np.exp(1j * k * W * t) * s / flux / (1 + 1j * k * W * SHORT[1])).real
        shear = state[at, 4 + 6 + 5]  # c_xy of the second mode
        miss.append((largest(np.abs(state[at, 0] - exact)) / np.abs(exact).max(), largest(np.abs(shear - slope)) / np.abs(slope).max()))
    gate.at_most("square duct: velocity against its series", miss[1][0], 0.012)
    gate.at_most("square duct: c_xy against its series", miss[1][1], 0.13)
    gate.at_least("square duct: order of the velocity", math.log2(miss[0][0] / miss[1][0]), 1.6)
    gate.at_least("square duct: order of c_xy", math.log2(miss[0][1] / miss[1][1]), 0.8)


def series(y, z, a, m2):
    """|y|, |z| < a: w of -lap w + m2 w = 1, dw/dy, and its flux."""
    w, s, flux = np.zeros(y.shape, dtype=complex), np.zeros(y.shape, dtype=complex), 0
    for k in range(1, 600, 2):
        b = k * math.pi / (2 * a)
        m = np.sqrt(b**2 + m2)
        load = 4 * (-1) ** ((k - 1) // 2) / (math.pi * k) / m**2
        across = 1 - (np.exp(m * (z - a)) + np.exp(-m * (z + a))) / (1 + np.exp(-2 * m * a))
        w, s = w + load * np.cos(b * y) * across, s - load * b * np.sin(b * y) * across
        flux += load * 2 * math.sin(b * a) / b * (2 * a - 2 * np.tanh(m * a) / m)
    return w, s, flux


def circle(gate):
    """A tube of tetrahedra: its velocity is that of half its radius' scale, and the polymer that of its gradient."""
    scale = H / 0.5
    words = {"mesh_file": prism("pulsating", 8, 2, 0.3), "mesh_scale": scale, "mesh_box_upper": None, "mesh_box_faces": None, "bc_wall_type": "wall", "bc_bottom_type": None, "bc_top_type": None, "bc_left_type": None,
             "bc_right_type": None, "bc_outlet_type": "outlet", "bc_inlet_type": "inlet", "bc_inlet_polymer_at": "nodes", "bc_left_polymer_at": None, "scheme_lumped_dt": 0.13,
             **{key.replace("left", "inlet"): value for key, value in WAVE.items() if "left" in key}, **{key: None for key in WAVE if "left" in key}}
    result = case(STEP, SHORTER, words)
    x, state = result.checkpoint("positions"), result.checkpoint()
    at = np.flatnonzero((np.abs(x[:, 0]) < 1e-9) & (np.linalg.norm(x[:, 1:], axis=1) < 0.99 * H))
    r = np.linalg.norm(x[at, 1:], axis=1)
    parts = [(q * np.exp(1j * k * W * 0.13) * shapes(k, r, True, quick)[0] / carried(k, True, quick)) for k, q in RATE]
    exact = sum(parts).real
    gate.at_most("tube of tetrahedra: velocity over its maximum", largest(np.abs(state[at, 0] - exact)) / np.abs(exact).max(), 0.02)
    want = sum(SHORT[0] * q * np.exp(1j * k * W * 0.13) * shapes(k, r, True, quick)[1] / carried(k, True, quick) / (1 + 1j * k * W * SHORT[0]) for k, q in RATE).real
    got = (state[at, 4 + 5] * x[at, 1] + state[at, 4 + 4] * x[at, 2]) / np.maximum(r, 1e-12)
    gate.at_most("tube of tetrahedra: c_xr over its maximum", largest(np.abs(got - want)) / np.abs(want).max(), 0.02)


def ringing(gate):
    """Harmonics whose waves cross the tube with little damping, |z| 60 along the imaginary axis: against scipy, whose J_0 has no such limit."""
    modes = {"physics_newtonian_viscosity": 0.0005, "physics_oldroydb_viscosity": "0.05,0.03", "physics_oldroydb_lambda": "4,9"}
    ring = lambda omega: nu(omega, ((0.05, 4), (0.03, 9)), 0.0005)
    result = case(STEP, TUBE, modes, {"mesh_box_faces": "2,60", "scheme_lumped_dt": 0.13, "bc_left_polymer": "rest"})
    x, state = result.checkpoint("positions"), result.checkpoint()
    at = np.flatnonzero(np.abs(x[:, 0]) < 1e-9)
    at = at[np.argsort(x[at, 1])]
    exact = flow(0.13, x[at, 1], True, ring, x[at, 1])[0]
    gate.at_least("a ringing tube: |z| of the third harmonic over its real part", float(abs(H * np.sqrt(3j * W / ring(3 * W))) / np.sqrt(3j * W / ring(3 * W)).real / H), 2)
    gate.at_most("a ringing tube: velocity at nodes, of the largest", float(np.abs(state[at, 0] - exact)[:-1].max() / np.abs(exact).max()), 1e-9)


def behind(gate):
    """Seven periods from rest: the last middle of the channel, one and a half widths behind the inlet."""
    for name, parts, tube, cells in (("channel", {}, False, "12,28"), ("tube", TUBE, True, "12,14")):
        end = {"mesh_box_faces": cells, "stop_time": 7.3 * PERIOD, "bc_left_polymer_at": None, "polymer_variable": "logconf" if tube else "stress", "form_density": 10 * RHO, **SHORTER}
        box = {"mesh_box_upper": f"{3 * H},{H if tube else 2 * H}"}
        result = case(BDF2, parts, end, box)
        x, state = result.checkpoint("positions"), result.checkpoint()
        at = np.flatnonzero(np.abs(x[:, 0] - 1.5 * H) < 1e-9)
        r = np.abs(x[at, 1] - (0 if tube else H))
        exact, newtonian = (flow(7.3 * PERIOD, r, tube, viscosity)[0] for viscosity in (lambda omega: quick(omega) / 10, lambda omega: nu(0) / 10 + 0j))
        size = np.abs(exact).max()
        gate.at_most(f"{name}: velocity behind the inlet, of the largest", largest(np.abs(state[at, 0] - exact)) / size, 0.02)
        gate.at_least(f"{name}: that of a viscosity alone", largest(np.abs(state[at, 0] - newtonian)) / size, 0.04)
        first = np.flatnonzero(np.abs(x[:, 0]) < 1e-9)
        gate.at_most(f"{name}: unknowns behind the inlet from those at it, of each's largest", apart(state[first], state[at], x[first, 1], x[at, 1]), 0.05)


def apart(one, other, x, y):
    """Rows in the order of their places, without the two at each end; columns whose values are rounding are left out, and the pressure."""
    one, other = one[np.argsort(x)][2:-2], other[np.argsort(y)][2:-2]
    size = np.abs(other).max(axis=0)
    seen = [k for k in range(one.shape[1]) if k != 2 and size[k] > 1e-3 * size.max()]
    return float((np.abs(one - other)[:, seen] / size[seen]).max())


def ranks(gate):
    words = {"stop_steps": 20, "scheme_lumped_dt": 5e-4, "output_checkpoint_every": 10, "pressure_ksp_rtol": 1e-13}
    for name, parts in (("slit", {}), ("duct", {"mesh_box_lower": "0,-0.3,-0.3", "mesh_box_upper": "0.3,0.3,0.3", "mesh_box_faces": "2,5,5", "bc_front_type": "wall", "bc_back_type": "wall"})):
        whole = case(STEP, words, parts)
        want = whole.checkpoint()
        for np_ in 2, 3:
            got = case(STEP, words, parts, {"petscpartitioner_type": "simple"}, np_=np_).checkpoint()
            gate.at_most(f"{name}, np {np_}: state", largest((np.abs(got - want) / np.maximum(1, np.abs(want).max(axis=0))).ravel()), 1e-10)
        half = case(STEP, words, parts, {"stop_steps": 10})
        got = case(STEP, words, parts, {"case_restart": f"{half.out}/pulsating_checkpoint.h5"}).checkpoint()
        gate.at_most(f"{name}: taken up again", largest((np.abs(got - want) / np.maximum(1, np.abs(want).max(axis=0))).ravel()), 1e-12)


def told(gate):
    thinning = {key: None for key in OLDROYD} | {"physics": "newtonian,ptt", "physics_newtonian_viscosity": 0.1, "physics_ptt_viscosity": 0.8, "physics_ptt_lambda": 0.3, "physics_ptt_epsilon": 0.25}
    coil = {**thinning, "physics": "newtonian,fene_cr", "physics_ptt_viscosity": None, "physics_ptt_lambda": None, "physics_ptt_epsilon": None, "physics_fene_cr_viscosity": 0.8, "physics_fene_cr_lambda": 0.3, "physics_fene_cr_L2": 20}
    for law, words in ("ptt", thinning), ("fene_cr", coil):
        gate.refused(case(STEP, words, expect=None), ("-bc_left_profile womersley", f"'{law}'", "not linear in the shear rate", "profile developed"))


    notes(gate)


def notes(gate):
    """A flow rate in time with the profile of steady flow is told where viscosity does not cross the inlet in time."""
    water = {**{key: None for key in OLDROYD}, "physics": "newtonian", "physics_newtonian_viscosity": 0.04, "polymer_variable": None, "bc_left_polymer_at": None, "stabiliser": "split_oss", "stop_time": 1,
             "bc_left_profile": None, "bc_left_period": None}
    number = lambda result: [float(line.split("sqrt(2 pi rho/(T eta)), is ")[1].split(",")[0]) for line in result.stderr.splitlines() if "Womersley number" in line]
    changes = lambda result: float((result.stderr.split("changes in ") + ["nan s"])[1].split(" s")[0])
    for name, words, radius in (("slit", {}, H), ("tube", TUBE, H), ("a quarter of a duct", {"mesh_box_upper": "0.3,0.35,0.35", "mesh_box_faces": "2,3,3", "bc_bottom_type": "symmetry", "bc_back_type": "symmetry",
                                                                                         "bc_front_type": "wall"}, 0.35 / math.sqrt(math.pi))):
        told = case(STEP, water, words)
        gate.true(f"{name}: told, and what to do", "-bc_left_profile womersley" in told.stderr)
        gate.relative(f"{name}: its number", (number(told) or [math.nan])[0], radius * math.sqrt(2 * math.pi * RHO / (changes(told) * 0.04)), 0.01)
        gate.near(f"{name}: time of a sine that is as fast", changes(told), 0.63 * PERIOD, 0.01)
    for name, words in (("viscous", {"physics_newtonian_viscosity": 4}), ("of Womersley's profile", {key: WAVE[key] for key in ("bc_left_profile", "bc_left_period")}), ("creeping", {"form_convection": "false"}),
                        ("constant", {"bc_left_flow_rate": 0.5})):
        gate.true(f"not told: {name}", not number(case(STEP, water, words)))
    share = lambda result: float((result.stdout.split("what is given ") + ["nan %"])[1].split(" %")[0])
    still, moving = (share(case(STEP, water, {"stop_steps": 5, **words})) for words in ({"bc_left_flow_rate": 0.5}, {}))
    gate.at_most("what finds what is given, of a step: constant, over in time", still / moving, 0.5)
    thin = case(STEP, water, {"physics": "carreau_yasuda", "physics_newtonian_viscosity": None, "physics_carreau_yasuda_viscosity": 0.05, "physics_carreau_yasuda_viscosity_inf": 0.01, "physics_carreau_yasuda_lambda": 2.1,
                              "physics_carreau_yasuda_n": 0.4})
    gate.true("a fluid that thins: told, and no profile that there is not", bool(number(thin)) and "expected the inlet further upstream" in thin.stderr)


if __name__ == "__main__":
    gate = Gate(f"boundary_pulsating_{sys.argv[1]}")
    {"inlet": inlet, "behind": behind, "ranks": ranks, "told": told}[sys.argv[1]](gate)
    sys.exit(gate.finish())
