"""The polymer of fluid that comes in through open labels (-bc_<label>_polymer_inflow). brought.py
  jacobian <program boundary_inflow>  products and matrix against differences of the residual, where fluid comes in through an open label
  driven       a channel between two pressures: every scheme comes to the developed flow of the drop, and does not leave it
  growth       modes about it: they decay, and grow where nothing gives what comes in, which steps in time are lost by
  swings       a pressure that turns the flow: the complex viscosity's profile away from the ends
  plug         a plug that brings a stress, by formulas in time and at rest: what is left of it along its path
  ranks        1, 2 and 3 ranks; runs that are taken up again
  shapes       a duct, a tube and a plane of symmetry; formulas of what is developed; the first of inlets has nothing of it
  device [np]  host and device
  told         what is refused, and what is told"""
import cmath
import math
import os
import re
import subprocess
import sys

import numpy as np
import run
from gate import Gate, largest
from scipy.interpolate import CubicSpline
from scipy.optimize import fsolve

SOLVENT, OLDROYD, GIESEKUS, ALPHA, RHO, WIDTHS = 0.3, (0.4, 0.7), (0.3, 1.3), 0.2, 3.0, 2.0
LAWS = {"physics": "newtonian,oldroydb,giesekus", "physics_newtonian_viscosity": SOLVENT, "physics_oldroydb_viscosity": OLDROYD[0], "physics_oldroydb_lambda": OLDROYD[1], "physics_giesekus_viscosity": GIESEKUS[0],
        "physics_giesekus_lambda": GIESEKUS[1], "physics_giesekus_alpha": ALPHA}
ENDS = {f"bc_{side}_{key}": value for side in ("left", "right") for key, value in (("type", "outlet"), ("tangential", "zero"))}
FLOW = {"case_name": "brought", "mesh_box_upper": f"{WIDTHS},1", "mesh_box_faces": "16,12", **LAWS, "form_density": RHO, "stabiliser": "devss,split_oss", **ENDS, "bc_left_pressure": 16, "bc_bottom_type": "wall", "bc_top_type": "wall",
        "output_fields": "false", "device": "cpu"}
TIGHT = {"snes_rtol": 1e-11, "ksp_rtol": 1e-10}
SCHEMES = {"lumped": {"scheme": "lumped", "scheme_lumped_cfl": 0.8}, "bdf2": {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2"}, "ssp3": {"scheme": "fractional_step", "scheme_fractional_step_integrator": "ssp3"},
           "monolithic": {"scheme": "monolithic", "scheme_monolithic_dt": 0.2}}


def brings(what, *sides):
    return {f"bc_{side}_polymer_inflow": what for side in sides or ("left", "right")}


def words_of(*parts):
    words = {key: value for part in parts for key, value in part.items()}
    return [str(w) for key, value in words.items() if value is not None for w in (f"-{key}", value)]


def case(*parts, np_=1, expect=0, verb="run"):
    return run.rheoplex(verb, *words_of(FLOW, *parts), out=run.folder("brought"), np=np_, expect=expect, timeout=300)


def apart(a, b):
    """Largest difference of the states of two runs, over the largest value of b's."""
    a, b = a.checkpoint(), b.checkpoint()
    return float(np.abs(a - b).max() / np.abs(b).max())


def giesekus(g):
    """Shear stress of steady shear."""
    eta, lam = GIESEKUS

    def rate(c):
        A, L = np.array([[c[0], c[2]], [c[2], c[1]]]), np.array([[0, g], [0, 0]])
        B = A - np.eye(2)
        R = L @ A + A @ L.T - (B + ALPHA * B @ B) / lam
        return R[0, 0], R[1, 1], R[0, 1]

    return eta / lam * fsolve(rate, [1 + 2 * (lam * g) ** 2 / (1 + lam * g), 1, lam * g / (1 + lam * g)], xtol=1e-13)[2]


def profile(y, drop):
    """Velocity at y in the developed flow of the drop, from the flow curve."""
    rates = np.linspace(0, 12, 400)
    rate_of = CubicSpline([(SOLVENT + OLDROYD[0]) * g + giesekus(g) for g in rates], rates)
    from_wall = np.linspace(0, 0.5, 2001)
    return CubicSpline(from_wall, CubicSpline(from_wall, rate_of(drop / WIDTHS * (0.5 - from_wall))).antiderivative()(from_wall))(np.minimum(y, 1 - y))


def off(result, drop, within):
    """Largest difference of the velocity from the developed flow's, over its largest value; within: without a quarter at each end."""
    x, u = result.checkpoint("positions"), result.checkpoint()[:, :2]
    here = np.abs(x[:, 0] - WIDTHS / 2) < (WIDTHS / 4 + 1e-9 if within else WIDTHS)
    want = profile(x[:, 1], drop)
    return largest(np.abs(u[here] - want[here, None] * [1, 0]).ravel()) / largest(want)


def driven(gate):
    found = {name: case(SCHEMES[name], brings("developed"), {"stop_time": 40 if name == "bdf2" else 20}) for name in SCHEMES}
    found["steady"] = case({"scheme": "steady", "polymer_variable": "stress"}, TIGHT, brings("developed"))
    for name, result in found.items():
        gate.at_most(f"{name}: velocity in the middle, of the developed flow's largest", off(result, 16, True), 0.006)
        gate.at_most(f"{name}: velocity everywhere", off(result, 16, False), 0.012)
    for name in "monolithic", "bdf2":
        gate.at_most(f"{name}: it is at rest there", float(np.abs(found[name].checkpoint() - found["steady"].checkpoint())[:, :2].max()), 3e-4)
    plain = []
    for faces in "16,12", "32,24":  # without a second normal stress difference, which the pressure of a label would have to follow
        result = case({"scheme": "steady", "mesh_box_faces": faces, "bc_left_pressure": 6, "physics_giesekus_alpha": 0}, TIGHT, brings("developed"))
        x, u = result.checkpoint("positions"), result.checkpoint()[:, :2]
        want = 6 / WIDTHS / (2 * (SOLVENT + OLDROYD[0] + GIESEKUS[0])) * x[:, 1] * (1 - x[:, 1])
        plain.append(largest(np.abs(u - want[:, None] * [1, 0]).ravel()) / largest(want))
    gate.at_most("alpha 0: velocity, of the parabola", plain[1], 0.002)
    gate.at_least("its order, 12 to 24 cells", math.log2(plain[0] / plain[1]), 1.8)
    for name, words in {"log c": {"polymer_variable": "logconf"}, "conformation": {"polymer_variable": "conformation"}, "triangles": {"mesh_box_cell": "triangle"}}.items():
        result = case(SCHEMES["lumped"], brings("developed"), words, {"stop_time": 15})
        gate.at_most(f"lumped, {name}: velocity in the middle", off(result, 16, True), 0.02)
    along = {f"bc_{side}_tangential": "free" for side in ("left", "right")}
    gate.at_most("a free velocity, nothing given: velocity in the middle", off(case(SCHEMES["lumped"], along, {"stop_time": 15}), 16, True), 0.007)
    at_rest = case(SCHEMES["lumped"], along, brings("rest"), {"polymer_variable": "stress", "stop_time": 15})
    gate.at_least("a free velocity, at rest: velocity along the label", float(np.abs(at_rest.checkpoint()[:, 1]).max()) / 1.25, 0.1)
    lost = case(SCHEMES["lumped"], along, brings("developed"), {"stop_time": 40}, expect=None)
    gate.true("a free velocity, the developed flow's: lost", lost.rc != 0 and "clearly lost" in lost.stderr)
    traction = {f"bc_{side}_{key}": value for side in ("left", "right") for key, value in (("polymer", "developed"), ("tangential", "free"))}
    gate.at_most("polymer developed, which brings that too: velocity in the middle", off(case(SCHEMES["lumped"], traction, {"stop_time": 15}), 16, True), 0.006)
    lost = case(SCHEMES["lumped"], traction, brings("free"), {"stop_time": 40}, expect=None)
    gate.true("which without it is lost", lost.rc != 0 and "clearly lost" in lost.stderr)
    unloaded = {f"bc_{side}_{key}": value for side in ("left", "right") for key, value in (("polymer", "zero"), ("tangential", "free"))}
    rest, free, developed = (off(case(SCHEMES["lumped"], unloaded, what, {"polymer_variable": "logconf", "stop_time": 15}), 16, True) for what in ({}, brings("free"), brings("developed")))
    gate.at_most("polymer zero, at rest: velocity in the middle", rest, 0.07)
    gate.at_least("polymer zero, free over at rest", free / rest, 2)
    gate.at_least("polymer zero, developed over at rest", developed / rest, 2)


PTT = {"mesh_box_upper": "4,1", "mesh_box_faces": "64,20", "form_density": 0.1, "physics": "newtonian,ptt", "physics_newtonian_viscosity": 0.2, "physics_ptt_viscosity": 0.8, "physics_ptt_lambda": 0.6, "physics_ptt_epsilon": 0.1,
       **{key: None for key in LAWS if key not in ("physics", "physics_newtonian_viscosity")}}


def growth(gate):
    """At Re about .1 and Wi 6.5, lambda U/H about 1.3."""
    for what, shift in ("free", "10"), ("rest", "0.5"), ("developed", "0.5"):
        rates = case(PTT, brings(what), {"scheme": "steady", "bc_left_pressure": 48, "eigen_shifts": shift, "eigen_number": 2}, verb="eigen").table("_spectrum.csv")["growth_rate"]
        if what == "free":
            gate.at_least("nothing gives what comes in: growth rate, 1/s", largest(rates), 5)
        else:
            gate.at_most(f"{what} comes in: growth rate, 1/s", largest(rates), -1.5)
    for name in "lumped", "bdf2", "monolithic":
        lost = case(SCHEMES[name], brings("free"), {"stop_time": 40}, expect=None)
        gate.true(f"{name}: lost without it", lost.rc != 0 and (name == "monolithic" or "stable with -bc_left_polymer_inflow developed" in lost.stderr))


def swings(gate):
    """u = Re[P/(i w rho L) (1 - cosh(a (y - 1/2))/cosh(a/2)) exp(i w t)], a^2 = i w rho/eta*, eta* = eta_s + eta_p/(1 + i w lambda)."""
    P, L, w, eta_p, lam = 20.0, 3.0, 4.0, 0.7, 0.4
    end = 15 - 7 * 2 * math.pi / w  # ten times lambda and more than that of rho H^2/(pi^2 eta)
    law = {"physics": "newtonian,oldroydb", "physics_oldroydb_viscosity": eta_p, "physics_oldroydb_lambda": lam, **{key: None for key in LAWS if "giesekus" in key and key != "physics"}}
    a = cmath.sqrt(1j * w * RHO / (SOLVENT + eta_p / (1 + 1j * w * lam)))
    U = lambda y: P / L / (1j * w * RHO) * (1 - np.cosh(a * (y - 0.5)) / np.cosh(a / 2))
    size = float(np.abs(U(np.linspace(0, 1, 101))).max())
    channel = {"mesh_box_upper": f"{L},1", "mesh_box_faces": "24,16", "stop_time": end}

    def middle(scheme, part, what, words):
        result = case(SCHEMES[scheme], law, channel, {"bc_left_pressure": f"{part * P}*cos({w}*t)"}, brings(what), words)
        x, u = result.checkpoint("positions"), result.checkpoint()[:, :2]
        here = np.abs(x[:, 0] - L / 2) < L / 4
        want = part * (U(x[here, 1]) * np.exp(1j * w * end)).real
        return largest(np.abs(u[here] - want[:, None] * [1, 0]).ravel()) / (part * size)

    for name, words in {"bdf2": {"scheme_fractional_step_dt": 0.01}, "ssp3": {"scheme_fractional_step_dt": 0.01}, "lumped": {"scheme_lumped_cfl": None, "scheme_lumped_dt": 0.0025, "scheme_lumped_stepper": "heun"}, "monolithic": {"scheme_monolithic_dt": 0.03}}.items():
        gate.at_most(f"{name}: velocity in the middle, of the amplitude", middle(name, 1, "rest", words), 0.015)
    for part, what, bound in (1, "free", 0.01), (1, "developed", 0.05), (4, "rest", 0.08), (4, "developed", 0.4):
        gate.at_most(f"bdf2, {what} comes in, moved by {0.2 * part:.1f} widths: velocity in the middle", middle("bdf2", part, what, {"scheme_fractional_step_dt": 0.01}), bound)


PLUG = {"mesh_box_upper": "2,0.5", "mesh_box_faces": "80,2", "bc_bottom_type": "free_slip", "bc_top_type": "free_slip", "bc_left_pressure": 0, "bc_right_type": "inlet", "bc_right_velocity": "1.1,0", "bc_right_polymer": "free", "bc_right_tangential": None,
        "initial_velocity": "1.1,0", "physics_giesekus_alpha": 0}
STEP = {"lumped": {"scheme_lumped_cfl": None, "scheme_lumped_dt": 0.002, "scheme_lumped_stepper": "heun"}, "bdf2": {"scheme_fractional_step_dt": 0.005}, "ssp3": {"scheme_fractional_step_dt": 0.001}, "monolithic": {"scheme_monolithic_dt": 0.01}}


def plug(gate):
    """tau = s_in(t - x/U) exp(-x/(U lambda)) of each mode behind what was there, which decays."""
    U, end = 1.1, 2.5
    for name, words in STEP.items():
        formula = {**brings("formula", "left"), "bc_left_stress": "0.9+0.3*sin(2*t),0,0;0.4+0.3*cos(3*t),0,0", "initial_stress": "0.9,0,0;0.7,0,0", "polymer_variable": "stress", "stop_time": end}
        result = case(PLUG, SCHEMES[name], words, formula)
        x, state = result.checkpoint("positions")[:, 0], result.checkpoint()
        then = end - x / U
        for k, s, lam in (3, 0.9 + 0.3 * np.sin(2 * then), OLDROYD[1]), (6, 0.4 + 0.3 * np.cos(3 * then), GIESEKUS[1]):
            gate.at_most(f"{name}: mode {k // 3}, stress along the path", float(np.abs(state[:, k] - s * np.exp(-x / U / lam)).max()), 0.012)
    for name in "bdf2", "monolithic":
        rest = {**brings("rest", "left"), "initial_stress": "0.9*x,0,0;0.4*x,0,0", "polymer_variable": "stress", "stop_time": 0.8}
        result = case(PLUG, SCHEMES[name], STEP[name], rest)
        x, state = result.checkpoint("positions")[:, 0], result.checkpoint()
        for k, s, lam in (3, 0.9, OLDROYD[1]), (6, 0.4, GIESEKUS[1]):
            gate.at_most(f"{name}: mode {k // 3}, what was there while fluid at rest comes in", float(np.abs(state[:, k] - s * np.maximum(x - U * 0.8, 0) * math.exp(-0.8 / lam)).max()), 0.02)


STEPS = {"lumped": {"scheme": "lumped", "scheme_lumped_dt": 2e-3, "pressure_ksp_rtol": 1e-13}, "bdf2": {**SCHEMES["bdf2"], "scheme_fractional_step_dt": 0.005, "pressure_ksp_rtol": 1e-13, "momentum_ksp_rtol": 1e-13},
         "transport": {**SCHEMES["bdf2"], "scheme_fractional_step_polymer": "transport", "scheme_fractional_step_dt": 0.005, "pressure_ksp_rtol": 1e-13, "momentum_ksp_rtol": 1e-13},
         "monolithic": {"scheme": "monolithic", "scheme_monolithic_dt": 0.05, "snes_rtol": 1e-12, "ksp_rtol": 1e-10}}
TURNS = {"bc_left_pressure": "16*cos(9*t)", "mesh_box_faces": "8,6", "mesh_box_cell": "mixed", "polymer_variable": "logconf"}
MIXED = {**brings("developed", "left"), **brings("formula", "right"), "bc_right_stress": "0.1*t,0,0.1*y;0,0.2*t,0"}


def ranks(gate):
    for name, words in STEPS.items():
        one = case(TURNS, MIXED, words, {"stop_steps": 12})
        for np_ in (2,) if name == "monolithic" else (2, 3):  # steady has three
            gate.at_most(f"{name}: {np_} ranks", apart(case(TURNS, MIXED, words, {"stop_steps": 12}, np_=np_), one), 1e-10)
        half = case(TURNS, MIXED, words, {"stop_steps": 5})
        again = case(TURNS, MIXED, words, {"stop_steps": 12, "case_restart": half.file("_checkpoint.h5")})
        gate.at_most(f"{name}: taken up again", apart(again, one), 1e-12 if name == "monolithic" else 0)
    one = case({"scheme": "steady"}, TIGHT, brings("developed"))
    gate.at_most("steady: 3 ranks", apart(case({"scheme": "steady"}, TIGHT, brings("developed"), np_=3), one), 1e-10)


def shapes(gate):
    oldroyd = {"physics": "newtonian,oldroydb", **{key: None for key in LAWS if "giesekus" in key and key != "physics"}, "polymer_variable": "stress", "scheme": "steady", **TIGHT}
    eta, lam = OLDROYD
    slope = "(2.4*(1-2*y))"
    drop = 4.8 * (SOLVENT + eta) * WIDTHS
    given = {f"bc_{side}_stress": f"2*{eta}*{lam}*{slope}^2,0,{eta}*{slope}" for side in ("left", "right")}
    one = case(oldroyd, {"bc_left_pressure": drop}, brings("formula"), given)
    x, u = one.checkpoint("positions"), one.checkpoint()[:, :2]
    gate.at_most("the parabola's stress by formulas: velocity", float(np.abs(u - (2.4 * x[:, 1] * (1 - x[:, 1]))[:, None] * [1, 0]).max()) / 0.6, 0.012)
    gate.at_most("the flow's own developed stress: the same but for the flux on the mesh", apart(case(oldroyd, {"bc_left_pressure": drop}, brings("developed")), one), 0.02)
    half = case(brings("developed"), {"scheme": "steady", "mesh_box_upper": f"{WIDTHS},0.5", "mesh_box_faces": "16,6", "bc_top_type": "symmetry"}, TIGHT)
    gate.at_most("half a channel: velocity in the middle", off(half, 16, True), 0.006)
    tube = {"form_axisymmetric": "true", "bc_bottom_type": "symmetry", "mesh_box_upper": f"{WIDTHS},0.5", "mesh_box_faces": "16,8"}
    found = case(oldroyd, tube, brings("developed"), {"bc_left_pressure": 10})
    x, u = found.checkpoint("positions"), found.checkpoint()[:, :2]
    want = 10 / WIDTHS / (4 * (SOLVENT + eta)) * (0.25 - x[:, 1] ** 2)
    gate.at_most("a tube: velocity, of the parabola's largest", largest(np.abs(u - want[:, None] * [1, 0]).ravel()) / largest(want), 0.02)
    duct = {"mesh_box_upper": "1.5,1,1", "mesh_box_faces": "4,8,8", "mesh_box_cell": "hexahedron", "bc_front_type": "wall", "bc_back_type": "wall", "diagnostic_q_kind": "flux", "diagnostic_q_label": "left,right"}
    found = case(oldroyd, duct, brings("developed"), {"bc_left_pressure": 5})
    odd = np.arange(1, 200, 2)
    rate = 5 / 1.5 / (12 * (SOLVENT + eta)) * (1 - 192 / math.pi**5 * np.sum(np.tanh(odd * math.pi / 2) / odd**5))
    gate.relative("a duct: flow rate", float(found.table("_q.csv")["right_flux"][-1]), rate, 0.04)
    inlet = {"bc_left_type": "inlet", "bc_left_tangential": None, "bc_left_pressure": None, "bc_left_flow_rate": 0.8, "stop_steps": 40, "scheme_lumped_cfl": None, "scheme_lumped_dt": 5e-3, "polymer_variable": "stress",
             "initial_stress": "0.1,0.2,0;0.1,0,0", "initial_velocity": "4.8*y*(1-y),0"}
    same = [case(SCHEMES["lumped"], inlet, brings(what, "right")) for what in ("free", "rest")]
    gate.true("an outlet through which nothing comes in: the same to the bit", apart(*same) == 0)


def jacobian(gate, program):
    open_left = {**TURNS, "bc_left_pressure": 16, "scheme": "steady"}
    for name, changes, np_ in (("rest", brings("rest"), 1), ("formula, stress, np 2", {**brings("formula"), "polymer_variable": "stress", **{f"bc_{side}_stress": "0.3,0.1,0.2*y;0.4*y,0.2,0" for side in ("left", "right")}}, 2),
                               ("tube", {**brings("rest"), "form_axisymmetric": "true", "bc_bottom_type": "symmetry", "polymer_variable": "conformation", "mesh_box_upper": "2,0.5"}, 1)):
        command = [program, *words_of(FLOW, open_left, changes), "-output_folder", run.folder("brought"), "-malloc_dump"]
        done = subprocess.run(([os.environ["RHEOPLEX_MPIEXEC"], "-n", str(np_)] if np_ > 1 else []) + command, capture_output=True, text=True, timeout=300)
        print("\n".join(x for x in (done.stdout + done.stderr).splitlines() if re.match(r"the (Jacobian|matrix)", x) or done.returncode))
        gate.true(f"{name}: products and matrix", done.returncode == 0 and "[0]" not in done.stdout + done.stderr)


def device(gate, np_):
    there, quads = {"device": "cuda"}, {**TURNS, "mesh_box_cell": None}
    for name, words in {**STEPS, "steady": {"scheme": "steady", **TIGHT, "bc_left_pressure": 16}}.items():
        words = {**words, **({} if name == "steady" else {"stop_steps": 6})}
        what = {**MIXED, "bc_right_stress": "0.1,0,0.1*y;0,0.2,0"} if name == "steady" else MIXED
        gate.at_most(f"{name}: host and device", apart(case(quads, what, words, there, np_=np_), case(quads, what, words)), 1e-9 if name in ("lumped", "bdf2", "transport") else 1e-7)


LONGEST = max(OLDROYD[1], GIESEKUS[1])


def told(gate):
    warns = lambda *changes: case({"scheme": "lumped", "stop_time": 1, "mesh_box_faces": "4,4"}, *changes, verb="check").stderr
    free = {f"bc_{side}_tangential": "free" for side in ("left", "right")}
    gate.true("what comes in at rest, tacitly", "expected -bc_left_polymer_inflow developed where the channel goes on, or -bc_left_polymer_inflow rest" in warns())
    gate.true("not where that is said, or is another", not any("comes in through" in warns(brings(what)) for what in ("rest", "developed")) and "polymer at rest" not in warns(free))
    unloaded = {f"bc_{side}_polymer": "zero" for side in ("left", "right")}
    gate.true("beside no traction of the polymer", "its polymer at rest: expected -bc_left_polymer open in place of zero where the channel goes on, or -bc_left_polymer_inflow rest" in warns(free, unloaded))
    gate.true("free beside no velocity along the label", "expected -bc_left_polymer_inflow developed where the channel goes on, or rest: nothing gives the stress" in warns(brings("free")))
    gate.true("not free beside a free velocity, without inertia", "comes in through" not in warns(free, {"case_velocity": 0.01}))
    inlet = {"bc_left_type": "inlet", "bc_left_tangential": None, "bc_left_pressure": None, "bc_left_velocity": "y*(1-y),0", "bc_left_polymer": "free"}
    word = "-bc_left_polymer: got free for an inlet through which fluid comes in"
    gate.true("an inlet that gives no polymer", word in warns(inlet))
    gate.true("one that turns", word in warns(inlet, {"bc_left_velocity": "0-y*(1-y)*sin(7*t),0"}))
    gate.true("not one where fluid goes out, and not another", not any(word in warns(inlet, words) for words in ({"bc_left_velocity": "0-y*(1-y),0"}, {"bc_left_polymer": "rest"})))
    beats = lambda w: {**inlet, "bc_left_polymer": "developed", "bc_left_polymer_memory": "off", "bc_left_velocity": f"y*(1-y)*(0.2+sin({w}*t)),0", "stop_time": 30}
    word = "beside a relaxation time of "
    gate.true("a flow that changes within the memory of what comes in", "the flow at the inlet 'left' changes in " in warns(beats(1 / LONGEST)) and word in warns(beats(1 / LONGEST)))
    gate.true("not one that is slower, nor where the polymer is at rest, nor through an outlet", not any(word in warns(words) for words in (beats(0.3 / LONGEST), {**beats(1 / LONGEST), "bc_left_polymer": "rest"}, {**beats(1 / LONGEST), "bc_left_polymer_memory": "on"}, {"bc_left_pressure": f"16*sin({1 / LONGEST}*t)"})))
    seen = case({"scheme": "lumped", "stop_time": 1}, MIXED, verb="check").stdout
    gate.true("`check` tells what comes in", "of what comes in developed" in seen and "of what comes in formula 0.1*t,0,0.1*y;0,0.2*t,0" in seen)
    swirl = {"physics": LAWS["physics"] + ",swirling", "form_axisymmetric": "true", "bc_bottom_type": "symmetry", **brings("developed", "right"), "bc_right_velocity": "1,0"}
    for words, expected in ((swirl, "-bc_right_polymer_inflow developed: got axisymmetric flow with swirl"), (brings("formula", "left"), "-bc_left_polymer_inflow formula: got no formulas, expected -bc_left_stress"), ({"bc_left_stress": "0,0,0;0,0,0"}, "-bc_left_stress: got formulas, expected -bc_left_polymer_inflow formula with them"),
                            ({**brings("developed", "left"), "bc_left_pressure_at": "nodes"}, "-bc_left_polymer_inflow developed of the flux that arrives: got the pressure at nodes"),
                            ({**brings("formula", "left"), "bc_left_stress": "-2,0,0;0,0,0", "polymer_variable": "stress"}, "is not positive definite")):
        gate.refused(case({"scheme": "lumped", "stop_steps": 1}, words, expect=None), [expected])


def main(part, *more):
    gate = Gate("_".join(("boundary_brought", part) + (more if part == "device" else ())))
    {"device": lambda: device(gate, int(more[0]) if more else 1), "jacobian": lambda: jacobian(gate, *more)}.get(part, lambda: globals()[part](gate))()
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
