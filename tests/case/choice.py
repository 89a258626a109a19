"""-scheme auto, and what a run is told of its time scheme: choice.py auto|creeping|mesh|begins|units|doubts|apart|levels|behind|period|rest|idle|stabiliser|quadrature|device|antidiffusion|limit|target|flow"""
import cmath
import itertools
import math
import os
import re
import sys

import mshwrite
import numpy as np
import run
from gate import Gate

RHO, NU, H = 3.0, 0.5, 0.25
BOX = ["-case_name", "box", "-mesh_box_faces", "4,4", "-mesh_box_periodic", "xy", "-form_density", RHO, "-physics_newtonian_viscosity", RHO * NU, "-stop_steps", 2]
NEWTONIAN = [*BOX, "-physics", "newtonian", "-stabiliser", "split_oss"]
POLYMER = [*BOX, "-physics", "newtonian,oldroydb", "-physics_oldroydb_viscosity", 0.3, "-physics_oldroydb_lambda", 0.7, "-stabiliser", "devss,split_oss"]
GAMMA = [w for w in BOX if w not in ("-physics_newtonian_viscosity", RHO * NU)] + ["-physics", "power_law", "-physics_power_law_consistency", 1.5, "-physics_power_law_n", 0.7, "-physics_power_law_viscosity_max", 1e3, "-stabiliser", "split_oss"]
STEADY = ["-stop_steady_tol", 1e-30]


def said(words):
    result = run.rheoplex("run", *words, out=run.folder("choice"))
    return " ".join((result.stdout + result.stderr).split())


FREE = "fractional_step: bdf2, implicit, for a flow without polymer"


def auto(gate):
    for what, words, text in (
        ("no polymer", NEWTONIAN, f"{FREE}; steps of 0.9 times their limits, at most 0.01 s, 1/100 of -case_length over -case_velocity (-scheme auto)"),
        ("no polymer, up to a time", [*NEWTONIAN, "-stop_time", 3], f"{FREE}; steps of 0.9 times their limits, at most 0.015 s, 1/200 of -stop_time (-scheme auto)"),
        ("units of the case", [*NEWTONIAN, *STEADY, "-case_length", 3, "-case_velocity", 2, "-stop_time", 7], "times their limits, at most 0.045 s, 1/400 of rho D^2/eta (-scheme auto)"),
        ("rounded down, from 0.0468", [*NEWTONIAN, *STEADY, "-case_length", 3.06, "-case_velocity", 2, "-stop_time", 7], "times their limits, at most 0.046 s, 1/400 of rho D^2/eta (-scheme auto)"),
        ("units of a fast flow", [*NEWTONIAN, *STEADY, "-case_length", 3, "-case_velocity", 50, "-stop_time", 7], "times their limits, at most 0.006 s, 1/10 of -case_length over -case_velocity (-scheme auto)"),
        ("no polymer, to rest", NEWTONIAN + STEADY, f"{FREE} (-scheme steady finds a state of rest at once); steps of 2 times their limits, at most 0.005 s, 1/400 of rho D^2/eta (-scheme auto)"),
        ("a power law, to rest", [*GAMMA, *STEADY, "-case_length", 2, "-case_velocity", 0.5], f"steps of 2 times their limits, at most {math.floor(3 * 4 / (1.5 * 0.25**-0.3) * 1000 / 400) / 1000:g} s, 1/400 of rho D^2/eta (-scheme auto)"),
        ("a term of div u", [*BOX, "-physics", "newtonian", "-stabiliser", "gls"], "fractional_step: ssp3, explicit, for a stabiliser that bdf2 does not take"),
        ("an axis", [*NEWTONIAN, "-mesh_box_periodic", "x", "-form_axisymmetric", "true", "-bc_bottom_type", "symmetry", "-bc_top_type", "wall"], "fractional_step: bdf2, implicit, for a flow without polymer"),
        ("a scalar field", [*BOX, "-physics", "newtonian,passive", "-physics_passive_diffusivity", 1, "-stabiliser", "split_oss"], f"{FREE}; steps of 0.9 times their limits, at most 0.01 s, 1/100 of -case_length over -case_velocity (-scheme auto)"),
        ("a scalar field, to rest", [*BOX, *STEADY, "-physics", "newtonian,passive", "-physics_passive_diffusivity", 1, "-stabiliser", "split_oss"],
         f"{FREE}; steps of 0.9 times their limits, at most 0.005 s, 1/400 of rho D^2/eta (-scheme auto)"),
        ("a polymer in time", POLYMER, "fractional_step: ssp3, explicit, for a polymer whose flow is followed in time; steps of 0.9 times their limits, at most 0.01 s, 1/100 of -case_length over -case_velocity (-scheme auto)"),
        ("a polymer to rest", POLYMER + STEADY, "lumped: forward Euler, for a polymer that comes to rest (-scheme steady finds that state at once, where Newton's method converges); steps of 0.9 times their limits, at most 0.1 s, 1/10 of -case_length over -case_velocity (-scheme auto)"),
        ("a substance that diffuses, to rest", [*POLYMER, *STEADY, "-physics", "newtonian,oldroydb,passive", "-physics_passive_diffusivity", 0.01], "lumped: forward Euler, for a polymer that comes to rest (-scheme"),
        ("one that hardly does", [*POLYMER, *STEADY, "-physics", "newtonian,oldroydb,passive", "-physics_passive_diffusivity", 0.004], "lumped: Heun's steps, for a polymer that comes to rest and a field that is carried and hardly diffuses (-scheme"),
        ("an option of lumped", [*NEWTONIAN, "-scheme", "auto", "-scheme_lumped_dt", 1e-3], "lumped: -scheme_lumped_dt is given (-scheme auto)"),
        ("an option of fractional_step", [*POLYMER, *STEADY, "-scheme_fractional_step_dt", 1e-3], "fractional_step: -scheme_fractional_step_dt is given; ssp3, explicit, for a polymer whose flow is followed in time (-scheme auto)"),
        ("its integrator", [*NEWTONIAN, "-scheme_fractional_step_integrator", "rk4"], "fractional_step: -scheme_fractional_step_integrator is given; steps of 0.9 times their limits, at most 0.01 s, 1/100 of -case_length over -case_velocity (-scheme auto)"),
        ("PETSc's dt", [*POLYMER, *STEADY, "-ts_dt", 1e-3], "lumped: forward Euler, for a polymer that comes to rest (-scheme steady finds that state at once, where Newton's method converges) (-scheme auto)"),
    ):
        out = said(words)
        gate.true(f"{what}: {text}", text in out and ("scheme lumped:" in out) == (", lumped on" in out))
    for text, share, words in (
        ("lumped;", 0.9, ["-scheme", "lumped"]), ("fractional_step;", 0.9, ["-scheme", "fractional_step", "-scheme_fractional_step_integrator", "ssp3"]),
        ("fractional_step;", 2, ["-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2", *STEADY]), (f"{FREE};", 0.9, ["-scheme", "fractional_step"]), (f"{FREE} (-scheme steady finds a state of rest at once);", 2, ["-scheme", "fractional_step", *STEADY])):
        fast = [*NEWTONIAN, *words, "-initial_velocity", "3,0", "-case_length", 100]
        out = said(fast)
        gate.true(f"{' '.join(map(str, words))} without a time step", f"scheme {text} steps of {share:g} times their limits, at most {10 if share > 1 else 1} s" in out and "-scheme auto" not in out)
        table = run.rheoplex("run", *fast, out=run.folder("choice")).table("_history.csv")
        gate.near(f"{text} share of its limits", table["cfl_convective"][0] + (0 if "bdf2" in text + str(words) else table["cfl_viscous"][0]), share, 1e-6)
    named = ["-scheme", "fractional_step", "-scheme_fractional_step_dt", 1e-3]
    gate.true("fractional_step with a time step says its integrator", f"scheme {FREE}" in said([*NEWTONIAN, *named]))
    gate.true("and that of a polymer", "scheme fractional_step: ssp3, explicit, for a polymer" in said([*POLYMER, *named]))
    for given in (["-scheme_lumped_dt", 0.01], ["-scheme_lumped_cfl", 0.5], ["-ts_dt", 0.01]):
        gate.true(f"{given[0]}: nothing is said", "scheme lumped" not in said([*NEWTONIAN, "-scheme", "lumped", *given]))
    gate.true("checked without a run", f"Scheme: {FREE}" in " ".join(run.rheoplex("check", *NEWTONIAN, out=run.folder("choice")).stdout.split()))
    for what, words, share in (("in time", [], 0.9), ("to rest", [*STEADY, "-case_length", 10], 2)):
        table = run.rheoplex("run", *NEWTONIAN, *words, "-initial_velocity", "30,10", "-stop_time", 20, out=run.folder("choice")).table("_history.csv")
        gate.near(f"share of the limits that auto takes, {what}", table["cfl_convective"][0], share, 1e-6)


def creeping(gate):
    """Melts and microfluidics in SI units: Newton's method, and the pressure of a slit 12 mu U L/H^2. A step of bdf2 that is too long is told."""
    melt = ["-case_name", "melt", "-case_velocity", 0.01, "-case_length", 4e-3, "-mesh_box_upper", "0.02,0.004", "-mesh_box_faces", "6,16", "-form_density", 900, "-bc_left_type", "inlet", "-bc_left_flow_rate", 4e-5,
            "-bc_left_ramp", 0.5, "-bc_right_type", "outlet", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-diagnostic_p_kind", "pressure_difference", "-diagnostic_p_label", "left,right", "-stop_time", 5]
    newtonian = ["-physics", "newtonian", "-physics_newtonian_viscosity", 1e4]
    oldroyd = ["-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 4e3, "-physics_oldroydb_viscosity", 6e3, "-physics_oldroydb_lambda", 0.1]
    implicit, bdf2, by = "scheme monolithic: implicit, by Newton's method, for a creeping flow (rho D^2/eta is 1.4e-06 s)", f"scheme {FREE}", "steps of 0.9 times their limits, at most"
    rest = ["-stop_steady_tol", 1e-5]
    for what, words, text, pressure in (
            ("a melt", newtonian, f"{implicit}; steps of 0.025 s, 1/200 of -stop_time (-scheme auto)", 1.5e6),
            ("to rest behind a ramp", [*newtonian, *rest], f"{implicit}; steps of 0.04 s, 1/10 of -case_length over -case_velocity (-scheme auto)", 1.5e6),
            ("a polymer", [*oldroyd, "-stop_time", 2], f"{implicit}; steps of 0.005 s, 1/20 of the longest relaxation time, the first ones 1/100 of that (-scheme auto)", 1.5e6),
            ("a polymer to rest", [*oldroyd, *rest], f"{implicit}; steps of 0.005 s, 1/20 of the longest relaxation time (-scheme auto)", 1.5e6),
            ("blood, 100 um, a sine", [*newtonian, "-physics_newtonian_viscosity", 3.5e-3, "-form_density", 1060, "-mesh_box_upper", "5e-4,1e-4", "-case_length", 1e-4, "-case_velocity", 1e-3, "-bc_left_flow_rate", "1e-7*(1+0.5*sin(2*pi*t/0.8))", "-bc_left_ramp", 0.1,
                                       "-stop_time", 1.6], "steps of 0.004 s, 1/200 of the shortest period that is given, 0.8 s (-bc_left_flow_rate) (-scheme auto)", 12 * 3.5e-3 * 1e-3 * 5e-4 / 1e-8),
            ("Re 1", [*newtonian, "-physics_newtonian_viscosity", 0.036, "-stop_time", 4], f"{bdf2}; {by} 0.01 s, 1/40 of rho D^2/eta (-scheme auto)", 12 * 0.036 * 0.01 * 0.02 / 0.004**2)):
        result = run.rheoplex("run", *melt, "-stabiliser", "devss,split_oss" if "oldroydb" in str(words) else "split_oss", *words, out=run.folder("choice"))
        gate.true(f"{what}: {text}", text in " ".join(result.stdout.split()) and "warning" not in result.stderr)
        table = result.table("_p.csv")
        gate.relative(f"{what}: pressure of a slit", float(list(table.values())[-1][-1]), pressure, 0.01)
    for what, words, text in (("no ramp, to rest", [*newtonian, *rest, "-bc_left_ramp", 0], "1/400 of rho D^2/eta (-scheme auto)"), ("options of bdf2's solves", [*newtonian, "-momentum_ksp_rtol", 1e-6], f"{bdf2}; {by} 3.6e-08 s, 1/40 of rho D^2/eta (-scheme auto)"),
                              ("a step of PETSc's", [*newtonian, "-ts_dt", 0.01], f"{bdf2} (-scheme auto)"), ("a polymer whose waves explicit steps follow", [*oldroyd, "-form_density", 1e9], "scheme fractional_step: ssp3")):
        gate.true(f"{what}: {text}", text in said([*melt, "-stabiliser", "split_oss", *words, "-stop_steps", 2]))
    blood = [*newtonian, "-physics_newtonian_viscosity", 3.5e-3, "-form_density", 1060, "-mesh_box_upper", "5e-4,1e-4", "-case_length", 1e-4, "-case_velocity", 1e-3, "-bc_left_flow_rate", 1e-7, "-stabiliser", "split_oss", "-stop_time", 1.6, "-stop_steps", 2]
    wave = lambda period: f"sin(2*pi*t/{period})"
    rows = f"{run.folder('choice')}/second.csv"
    with open(rows, "w") as f:
        f.write("".join(f"{1000 * k / 24!r},{math.sin(math.pi * (k % 24) / 12)!r}\n" for k in range(25)))
    for what, words in (("a flow rate", lambda period: ["-bc_left_flow_rate", f"1e-7*(1+0.5*{wave(period)})"]), ("a wall", lambda period: ["-bc_top_type", "moving_wall", "-bc_top_velocity", f"1e-4*{wave(period)},0"]),
                        ("a force", lambda period: ["-form_body_force", f"(1+y)*{wave(period)},0"]), ("a pressure", lambda period: ["-bc_right_pressure", wave(period)]),
                        ("rows of a pressure in ms", lambda period: ["-bc_right_pressure", rows, "-bc_right_pressure_time_scale", 1e-3 * period])):
        for period, scheme in ((0.8, "scheme monolithic"), (0.05, bdf2)): # 1/200 of it 1.3 and 0.08 of rho D^2/eta
            gate.true(f"{what} of period {period:g} s: {scheme}", scheme in said([*melt, *blood, *words(period)]))
    late = "of rho D^2/eta, 1.4e-06 s (-case_length): the pressure of bdf2 is late by"
    for dt, told in ((0.01, True), (5e-8, True), (3.6e-8, False)):
        gate.true(f"bdf2 with steps of {dt:g} s is told: {told}", (late in said([*melt, *newtonian, "-stabiliser", "split_oss", "-scheme_fractional_step_dt", dt, "-stop_steps", 2])) == told)


def mesh(gate):
    """A polymer between 1/20 of whose relaxation time and rho D^2/eta there is a factor of 24, to rest: explicit on coarse meshes, by Newton's method where (h/D)^2 of the shortest edge asks for a hundred explicit steps
    in one, in space for a thousand: h below .02236 and .00707 D."""
    D, U = 3e-3, 0.02
    ptt = lambda upper, faces, *more: ["-case_name", "slow", "-case_velocity", U, "-case_length", D, "-form_density", 1300, "-mesh_box_upper", upper, "-mesh_box_faces", faces, "-physics", "ptt", "-physics_ptt_viscosity", 1300 * D * D / 0.6, "-physics_ptt_lambda", 0.5, "-physics_ptt_epsilon", 0.25,
                                       "-stabiliser", "devss,split_oss", "-bc_left_type", "inlet", "-bc_left_flow_rate", U * D if upper.count(",") == 1 else U * D * D, "-bc_right_type", "outlet", *(w for side in ("bottom", "top", "front", "back")[: 2 if upper.count(",") == 1 else 4] for w in (f"-bc_{side}_type", "wall")), "-stop_steady_tol", 1e-5, *more]
    chosen = lambda words, **kw: " ".join(run.rheoplex("check", *words, out=run.folder("choice"), **kw).stdout.split())
    slow = "Scheme: monolithic: implicit, by Newton's method, for a flow that is slow for its mesh (rho D^2/eta is 0.6 s, the shortest edge {} m); steps of 0.015 s, 1/10 of -case_length over -case_velocity (-scheme auto)"
    explicit = "Scheme: lumped: forward Euler, for a polymer that comes to rest"
    for what, words, text in (
            ("a coarse mesh", ptt("3e-3,3e-3", "2,30"), explicit),
            ("a fine one", ptt("3e-3,3e-3", "2,48"), slow.format("6.2e-05")),
            ("refined", ptt("3e-3,3e-3", "2,24", "-dm_refine", 1), slow.format("6.2e-05")),
            ("in mm", ptt("3,3", "2,48", "-mesh_scale", 1e-3), slow.format("6.2e-05")),
            ("in space", ptt("3e-3,3e-3,3e-3", "2,80,2"), explicit),
            ("in space, finer", ptt("3e-3,3e-3,3e-3", "2,160,2"), slow.format("1.9e-05")),
            ("a time step is given", ptt("3e-3,3e-3", "2,48", "-ts_dt", 1e-3), explicit),
            ("an option of lumped", ptt("3e-3,3e-3", "2,48", "-scheme_lumped_dt", 1e-5), "Scheme: lumped: -scheme_lumped_dt is given")):
        gate.true(f"{what}: {text}", text in chosen(words))
    gate.true("on two ranks", slow.format("6.2e-05") in chosen(ptt("3e-3,3e-3", "4,48"), np=2))
    without = [w for w in ptt("3e-3,3e-3", "2,48")]
    without[without.index("-case_length"):without.index("-case_length") + 2] = []
    gate.true("lengths of mm without -case_length: nothing is made of them", "monolithic" not in chosen(without))
    result = run.rheoplex("check", *ptt("3e-3,3e-3", "2,48"), "-mesh_box_faces", "2,x", out=run.folder("choice"), expect=None)
    gate.true("a mesh that is none is one error", result.rc != 0 and result.stderr.count("rheoplex: error") == 1 and "-mesh_box_faces" in result.stderr)


def mesh_on_device(gate):
    """Where a device makes the explicit steps, in the plane too a thousand of them for one of Newton's method: as in mesh, h below .00707 D; 5000 where Newton's would be the host's, h below .00316 D."""
    D, U = 3e-3, 0.02
    words = lambda faces, where: ["-case_name", "slow", "-case_velocity", U, "-case_length", D, "-form_density", 1300, "-mesh_box_upper", "3e-3,3e-3", "-mesh_box_faces", f"2,{faces}", "-physics", "ptt", "-physics_ptt_viscosity", 1300 * D * D / 0.6, "-physics_ptt_lambda", 0.5,
                                  "-physics_ptt_epsilon", 0.25, "-stabiliser", "devss,split_oss", "-bc_left_type", "inlet", "-bc_left_flow_rate", U * D, "-bc_right_type", "outlet", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-stop_steady_tol", 1e-5, "-device", where]
    for faces, where, scheme in ((30, "cpu", "lumped"), (48, "cpu", "monolithic"), (48, "cuda", "lumped"), (48, "auto", "lumped"), (160, "cuda", "monolithic"), (160, "auto", "lumped"), (340, "auto", "monolithic")):
        seen = run.rheoplex("check", *words(faces, where), out=run.folder("choice")).stdout
        gate.true(f"D/{faces} on {where}: {scheme}", f"Scheme: {scheme}: " in seen)


def begins(gate):
    """A shear that starts at once, of modes whose relaxation times are 50 and 1 steps: sigma = eta_s g + sum eta (1 - exp(-t/lambda)) g from the first row on, restarted or not."""
    words = ["-case_name", "start", "-mesh_box_faces", "4,8", "-mesh_box_periodic", "x", "-form_density", 3e-3, "-initial_velocity", "2*y,0", "-bc_top_type", "moving_wall", "-bc_top_velocity", "2,0", "-bc_bottom_type", "wall", "-physics",
             "newtonian,oldroydb", "-physics_newtonian_viscosity", 0.1, "-physics_oldroydb_modes", 2, "-physics_oldroydb_viscosity", "0.9,0.5", "-physics_oldroydb_lambda", "1,0.02", "-stabiliser", "devss,split_oss", "-diagnostic_forces", "top", "-output_fields", "false"]
    stress = lambda t: 2 * (0.1 + 0.9 * (1 - np.exp(-t)) + 0.5 * (1 - np.exp(-t / 0.02)))
    whole = run.rheoplex("run", *words, "-stop_time", 4, "-stop_steps", 100, out=run.folder("choice"))
    part = run.rheoplex("run", *words, "-stop_time", 4, "-stop_steps", 30, out=run.folder("choice"))
    again = run.rheoplex("run", *words, "-stop_time", 4, "-stop_steps", 100, "-case_restart", part.file("_checkpoint.h5"), out=run.folder("choice"))
    gate.true("the choice", "steps of 0.02 s, 1/200 of -stop_time, the first ones 1/100 of that (-scheme auto)" in " ".join(whole.stdout.split()))
    table = whole.table("_forces.csv")
    gate.relative("the first step", table["t"][0], 2e-4, 1e-9)
    gate.at_most("stress, of that of its time", float(np.abs(np.abs(table["top_x"]) / stress(table["t"]) - 1).max()), 2e-3)
    rest = again.table("_forces.csv")
    gate.at_most("times of a restart", float(np.abs(rest["t"][-50:] / table["t"][-50:] - 1).max()), 1e-9)
    gate.true("of a restart no first steps are told", "the first ones" not in again.stdout)
    late = run.rheoplex("run", *words, "-ts_init_time", 7, "-stop_time", 11, "-stop_steps", 3, out=run.folder("choice"))
    gate.relative("the first step behind another start", late.table("_forces.csv")["t"][0], 7.0005, 1e-9)
    gate.at_most("its stress", float(np.abs(rest["top_x"][-50:] / table["top_x"][-50:] - 1).max()), 1e-6)


def springs(gate, out):
    """Of springs that stiffen the time at rest, lambda (1 - 3/L2), of the mode where it is the longest: 0.7 x 0.75 of 0.7 and 0.55, L2 12 and 300."""
    fene = [*CHANNEL, "-bc_left_velocity", "2*y*(1-y),0", "-physics", "newtonian,fene_p", "-physics_fene_p_modes", 2, "-physics_fene_p_viscosity", "0.2,0.1", "-case_velocity", 2, "-case_length", 5]
    for lambdas, extents, shown in (("0.7,0.4", "12,300", "Wi 0.21 (lambda U/D, lambda 0.525 s at rest)"), ("0.7,0.55", "12,300", "Wi 0.218 (lambda U/D, lambda 0.5445 s at rest)"), ("0.7,0.4", "1e9,300", "Wi 0.28 (lambda U/D)")):
        result = run.rheoplex("check", *fene, "-physics_fene_p_lambda", lambdas, "-physics_fene_p_L2", extents, out=out)
        gate.true(f"fene_p, {lambdas} s, L2 {extents}: {shown}", shown in result.stdout)
        gate.true("and no doubt", "a relaxation time in other units" not in result.stderr)
    slow = [*fene, "-physics_fene_p_L2", "12,300", "-physics_fene_p_lambda"]
    for verb, lambdas, shown in (("check", "333,1000", ""), ("check", "334,1000", "Wi 100 (lambda U/D) is of lambda 250.5 s, U 2 m/s, D 5 m: expected at most 100; is a relaxation time in other units (1 ms is 0.001 s)"), ("run", "700,400", "Wi 158 (lambda U/D) is of lambda 396 s")):
        told = [line for line in run.rheoplex(verb, *slow, lambdas, "-scheme", "lumped", "-scheme_lumped_dt", 1e-4, out=out).stderr.splitlines() if "relaxation time in other units" in line]
        gate.true(f"{verb}, {lambdas} s: {shown or 'nothing'}", len(told) == bool(shown) and shown in "".join(told))


def units(gate):
    """Re and Wi of the case's units are shown; a mesh or a velocity far from them is told, before the run and by check."""
    out = run.folder("choice")
    channel = [*CHANNEL, "-bc_left_velocity", "2*y*(1-y),0", "-physics", "newtonian,oldroydb", "-physics_oldroydb_viscosity", 0.3, "-physics_oldroydb_lambda", 0.7]
    shown = "units U = 2 m/s, D = 5 m: Re 16.7 (rho U D/eta), Wi 0.28 (lambda U/D)" # 3 x 2 x 5/(1.5 + 0.3)
    for verb in "run", "check":
        result = run.rheoplex(verb, *channel, "-case_velocity", 2, "-case_length", 5, out=out)
        gate.true(f"{verb}: {shown}", shown in result.stdout and "warning" not in result.stderr)
    verbs = itertools.cycle(("check", "run"))
    for what, words, told in (("in mm", ["-mesh_box_upper", "4000,1000", "-bc_left_velocity", "1,0"], "the mesh is 4e+03 m long, 4e+03 times -case_length, 1 m: expected 0.1 to 1000 times"),
                              ("no -case_length", ["-mesh_box_upper", "0.02,0.01", "-bc_left_velocity", "1,0"], "the mesh is 0.02 m long, 0.02 times -case_length, 1 m"),
                              ("fast", ["-bc_left_velocity", "101,0"], "the fastest velocity that is given, 101 m/s by -bc_left_velocity, is 101 times -case_velocity, 1 m/s"),
                              ("slow", ["-bc_left_velocity", "0.0099,0"], "the fastest velocity that is given, 0.0099 m/s by -bc_left_velocity, is 0.0099 times -case_velocity, 1 m/s"),
                              ("none given", ["-bc_left_type", "outlet", "-bc_left_velocity", None], ""), ("within", ["-mesh_box_upper", "900,1", "-bc_left_velocity", "99,0"], "")):
        line = {key: value for key, value in zip(channel[::2], channel[1::2])} | dict(zip(words[::2], words[1::2]))
        verb = next(verbs)
        result = run.rheoplex(verb, *(w for key, value in line.items() if value is not None for w in (key, value)), "-stop_steps", 1, "-scheme", "steady" if what == "fast" else "lumped", out=out, expect=None)
        warnings = [row for row in result.stderr.splitlines() if "times -case_" in row]
        gate.true(f"{verb}, {what}: {told or 'nothing told'}", len(warnings) == bool(told) and told in "".join(warnings) and (not warnings or warnings[0].startswith("rheoplex: warning: ")))
    carried = run.rheoplex("check", *CHANNEL, "-bc_left_velocity", "2*y*(1-y),0", "-physics", "newtonian,thermal,passive", "-physics_thermal_conductivity", 0.5, "-physics_thermal_heat_capacity", 2, "-physics_passive_diffusivity", 0.02,
                           *(w for side in ("left", "bottom", "top") for w in (f"-bc_{side}_temperature", "value 300", f"-bc_{side}_concentration", "value 1")), "-case_velocity", 2, "-case_length", 5, out=out).stdout
    gate.true("Peclet numbers: 2 x 5/(0.5/(3 x 2)), 2 x 5/0.02", "(rho U D/eta), Pe 120 (U D over the diffusivity of temperature), Pe 500 (U D over the diffusivity of concentration)\n" in carried)
    springs(gate, out)
    scales(gate)
    rates(gate)


def scales(gate):
    """A Reynolds number, or a mesh of a liquid, of no laboratory: wrong units, which are named; what flows in one is not told of."""
    water = dict(zip(CHANNEL[::2], CHANNEL[1::2])) | {"-form_density": 1000, "-physics_newtonian_viscosity": 1e-3, "-scheme": "lumped", "-stop_steps": 1}
    micro = "(-mesh_scale 1e-6 for micrometres, 0.001 for mm; -case_length in m)"
    for what, box, U, D, more, told in (("mm as m", "40,10", 0.2, 10, {}, ["Re 2e+06 (rho U D/eta) is of rho 1000 kg/m^3, U 0.2 m/s, D 10 m, eta 0.001 Pa s: expected 1e-12 to 1e+06", micro]),
                                        ("micrometres as m", "400,100", 1e-3, 100, {}, ["Re 1e+05", "a mesh of 400 m of a liquid: expected less than 100 m", micro]),
                                        ("micrometres", "400e-6,100e-6", 1e-3, 1e-4, {}, []), ("a river", "90,10", 0.01, 10, {}, []),
                                        ("without units", "400,100", 1, 100, {"-form_density": 3, "-physics_newtonian_viscosity": 0.3}, []),
                                        ("a viscosity too large", "4,1", 1e-6, 1, {"-form_density": 1e-3, "-scheme": "steady", "-physics_newtonian_viscosity": 1e4}, ["Re 1e-13 (rho U D/eta)", "expected 1e-12 to 1e+06"]),
                                        ("no inertia", "4,1", 1e-6, 1, {"-form_density": 1e-3, "-form_convection": "false", "-scheme": "steady", "-physics_newtonian_viscosity": 1e4}, [])):
        words = water | {"-mesh_box_upper": box, "-case_velocity": U, "-case_length": D, "-bc_left_velocity": f"{U},0"} | more
        result = run.rheoplex("check", *(w for pair in words.items() for w in pair), out=run.folder("choice"), np=2 if "as m" in what else 1, expect=None)
        rows = [row for row in result.stderr.splitlines() if row.startswith("rheoplex: warning: Re ")]
        gate.true(f"{what}: {told or 'nothing told'} {'' if not result.rc else result.stderr[-300:]}", result.rc == 0 and len(rows) == bool(told) and all(text in rows[0] for text in told))


CHANNEL = ["-case_name", "channel", "-mesh_box_faces", "2,6", "-form_density", RHO, "-physics", "newtonian", "-physics_newtonian_viscosity", RHO * NU, "-stabiliser", "split_oss", "-bc_right_type", "outlet",
           "-bc_left_type", "inlet", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-stop_steps", 2]
DUCT = [*CHANNEL, "-mesh_box_faces", "2,4,4", "-mesh_box_cell", "hexahedron", "-bc_front_type", "wall", "-bc_back_type", "wall"]


def rates(gate):
    """A flow rate in other units, by rows that begin with 0 and are 0 again whenever a run of 16 periods is looked at in equal times; what check says of rows."""
    out, beat = run.folder("choice"), 0.7
    with open(f"{out}/ml.csv", "w") as f:
        f.write("".join(f"{beat * k / 24!r},{400 * math.sin(math.pi * k / 24) ** 2!r}\n" for k in range(24)) + f"{beat},0\n")
    told = "by -bc_left_flow_rate, is"
    for what, words, unit in (("in the plane", CHANNEL, "or a flow rate in m^2/s, per m of depth"), ("in space", DUCT, "or a flow rate in m^3/s (1 ml/s is 1e-6, 1 ul/min 1.67e-11)"),
                              ("axisymmetric", [*CHANNEL, "-bc_bottom_type", "symmetry", "-form_axisymmetric", "true"], "or a flow rate in m^3/s (1 ml/s is 1e-6, 1 ul/min 1.67e-11)")):
        for stop in ([], ["-stop_time", 16 * beat], ["-stop_time", 8 * beat]):
            result = run.rheoplex("check", *words, "-bc_left_flow_rate", f"{out}/ml.csv", *stop, "-scheme", "lumped", out=out, np=2, expect=None)
            gate.true(f"{what}, {stop[1:] or 'no end'}: a flow rate in ml/s", told in result.stderr and unit in result.stderr)
            gate.true(f"{what}, {stop[1:] or 'no end'}: its rows", f"(period 0.7 s, mean 200, rows from 0 to 400 m^{2 if what == 'in the plane' else 3}/s)" in result.stdout)
    for rate, ratio in ("9e-5", "9e-05"), ("2e-3", ""), ("0", ""):
        two = run.rheoplex("check", *CHANNEL, "-bc_left_flow_rate", "1", "-bc_right_type", "inlet", "-bc_right_flow_rate", rate, "-bc_top_type", "outlet", "-scheme", "lumped", out=out, np=2)
        gate.true(f"two flow rates, 1 and {rate}: {two.stderr.strip()}", bool(ratio) == ("by -bc_right_flow_rate" in two.stderr) and (not ratio or f"is {ratio} times the fastest that is given, 1.54 m/s: expected 0 or more than 0.001 times, by a flow rate in m^2/s, per m of depth" in two.stderr))
    slow = run.rheoplex("check", *CHANNEL, "-bc_left_velocity", "101*y*(1-y),0", "-bc_top_type", "moving_wall", "-bc_top_velocity", "400,0", "-scheme", "lumped", out=out)
    gate.true("the fastest of two", "400 m/s by -bc_top_velocity" in slow.stderr and "flow rate" not in slow.stderr)


def pipe(inner, outer, length, nr=2, nt=24, nz=3):
    """Hexahedra between two cylinders along x, of which the ends are left and right, the inner one bottom and the outer one top."""
    number = lambda i, j, k: (k * nt + j % nt) * (nr + 1) + i
    radius = lambda i: inner + (outer - inner) * i / nr
    points = [(length * k / nz, radius(i) * math.cos(2 * math.pi * j / nt), radius(i) * math.sin(2 * math.pi * j / nt)) for k in range(nz + 1) for j in range(nt) for i in range(nr + 1)]
    square = lambda i, j, k: [number(i, j, k), number(i + 1, j, k), number(i + 1, j + 1, k), number(i, j + 1, k)]
    cells = [square(i, j, k) + square(i, j, k + 1) for k in range(nz) for j in range(nt) for i in range(nr)]
    sides = {name: [square(i, j, k) for j in range(nt) for i in range(nr)] for name, k in (("left", 0), ("right", nz))}
    sides |= {name: [[number(i, j, k), number(i, j + 1, k), number(i, j + 1, k + 1), number(i, j, k + 1)] for k in range(nz) for j in range(nt)] for name, i in (("bottom", 0), ("top", nr))}
    return mshwrite.solid(f"{run.folder('choice')}/pipe.msh", points, cells, sides)


def apart(gate):
    """Pressures of outlets that differ at the start by more than 50 times rho U^2 and 12 eta U L/H^2 are told before the run, H the least of D and the labels' widths; not of a run that goes on."""
    tube = ["-case_name", "p", "-mesh_box_faces", "16,4", "-mesh_box_upper", "4,1", "-physics", "newtonian", "-form_density", 3, "-bc_left_type", "outlet", "-bc_right_type", "outlet", "-bc_bottom_type", "wall", "-bc_top_type", "wall",
            "-bc_right_pressure", 7, "-case_velocity", 2, "-stop_steps", 2]
    slow, fast = 0.03, 0.3  # 12 eta U L/H^2: 2.88 and 28.8 Pa, rho U^2 12 Pa
    narrow = ["-mesh_box_upper", "4,0.1"]  # 12 eta U L/H^2 288 Pa
    ring = ["-mesh_box_lower", "0,0.9", "-mesh_box_upper", "4,1", "-form_axisymmetric", "true"]
    flat = ["-mesh_box_lower", "0,0,0", "-mesh_box_upper", "4,0.1,1", "-mesh_box_faces", "4,3,3", "-bc_front_type", "wall", "-bc_back_type", "wall"]
    half = [*flat, "-bc_top_type", "symmetry"]  # 2 A/P = 1/6
    gap = ["-mesh_file", pipe(0.9, 1, 4), "-mesh_box_faces", None, "-mesh_box_upper", None]  # of 24 sides: 0.1 cos(pi/24) wide
    thinning = ["-physics", "power_law", "-physics_newtonian_viscosity", None, "-physics_power_law_n", 0.5, "-physics_power_law_consistency", slow * math.sqrt(20), "-physics_power_law_viscosity_max", 1e3]
    aside = ["-bc_right_type", "wall", "-bc_right_pressure", None, "-bc_top_type", "outlet", "-bc_top_pressure", 7, "-case_length", 3]
    for eta, p, words, says in ((slow, 606, [], False), (slow, 608, [], True), (slow, -594, [], True), (fast, 1440, [], False), (fast, 1450, [], True), (slow, "7+900*min(1,t/5)", [], False), (slow, 608, ["-form_body_force", "9,0"], False),
                                *((slow, p, words, p > 14410) for words in (narrow, ring, narrow + thinning) for p in (14300, 14500)), *((slow, p, flat, p > 17431) for p in (17400, 17460)), *((slow, p, half, p > 5191) for p in (5180, 5200)), *((slow, p, gap, p > 14657) for p in (14600, 14710)), (fast, 5700, ["-case_length", 0.5], False), (fast, 5800, ["-case_length", 0.5], True),
                                (fast, 1440, aside, False), (fast, 1450, aside, True), (slow, 608, ["-form_convection", "false"], True), (slow, 608, ["-scheme", "steady", "-stop_steps", None], False)):
        line = dict(zip(tube[::2], tube[1::2])) | {"-physics_newtonian_viscosity": eta, "-bc_left_pressure": p} | dict(zip(words[::2], words[1::2]))
        for np_ in (1, 2) if p == 608 and not words or p == 14710 else (1,):
            result = run.rheoplex("check", *(w for k, v in line.items() if v is not None for w in (k, v)), out=run.folder("choice"), np=np_)
            told = [row for row in result.stderr.splitlines() if re.search("at the start the pressures that '(left|right)' and '(left|right|top)' give differ by .* may be many times -case_velocity", row)]
            gate.true(f"np {np_}, viscosity {eta}, pressures {p} and 7 {words}: {says}", len(told) == says and (not says or "min(1,t/...)" in told[0]))
    told = run.rheoplex("check", *tube, "-physics_newtonian_viscosity", slow, "-bc_left_pressure", 727, out=run.folder("choice")).stderr
    gate.true("by how much", "differ by 720 Pa, 60 times the larger of rho U^2, 12 Pa, and 12 eta U L/H^2, 2.88 Pa (H 1 m)" in told)
    begun = [*tube, "-physics_newtonian_viscosity", slow, "-bc_left_pressure", 727, "-scheme", "lumped", "-scheme_lumped_dt", 1e-4]
    first = run.rheoplex("run", *begun, out=run.folder("choice"))
    on = run.rheoplex("check", *begun, "-stop_steps", 4, "-case_restart", first.file("_checkpoint.h5"), out=run.folder("choice")).stderr
    gate.true("at the start alone", "at the start the pressures" in first.stderr and "at the start the pressures" not in on)


def levels(gate):
    """Newton's method in a closed domain, with scalar fields of which nothing gives a level."""
    lid = [w for side in ("left", "right", "bottom") for w in (f"-bc_{side}_type", "wall")] + ["-bc_top_type", "moving_wall", "-bc_top_velocity", "1,0"]
    box = ["-case_name", "s", "-mesh_box_faces", "4,4", "-physics", "newtonian,passive", "-physics_newtonian_viscosity", 0.7, "-form_density", 3, "-physics_passive_diffusivity", 0.2, *lid]
    for what, words, says in (("nothing", [], True), ("an initial value", ["-initial_concentration", "x"], True), ("a value", ["-bc_left_concentration", "value 2"], False), ("a flux", ["-bc_left_concentration", "flux 0"], True),
                              ("a film", ["-bc_left_concentration", "film 3, 2"], False), ("a decay", ["-physics_passive_decay", 0.3], False), ("a supply", ["-physics_passive_supply", 0.3], True)):
        for np_ in (1, 2) if what == "a decay" else (1,):
            told = run.rheoplex("check", *box, *words, "-scheme", "steady", out=run.folder("choice"), np=np_).stderr.count("nothing gives a level of 'concentration'")
            gate.true(f"np {np_}, {what}: {says}", told == says)
    told = run.rheoplex("check", *box, "-stop_steps", 2, out=run.folder("choice")).stderr
    gate.true("in time: nothing", "gives a level" not in told)
    open_ = [w.replace("wall", "outlet") if box[i - 1] == "-bc_right_type" else w for i, w in enumerate(map(str, box))]
    told = run.rheoplex("check", *open_, "-scheme", "steady", out=run.folder("choice")).stderr
    gate.true("in an open domain: nothing", "gives a level" not in told)


def doubts(gate):
    """Parameters that are legal and look like a slip are told in a line each, before the run and by check, by turns; what is right is not."""
    out = run.folder("choice")
    rows = [*CHANNEL, "-bc_left_flow_rate", "1+0.5*sin(2*pi*t/0.5)", "-stop_time", 2]
    windkessel = lambda proximal, distal, compliance: ["-bc_right_type", "windkessel", "-bc_right_proximal", proximal, "-bc_right_distal", distal, "-bc_right_compliance", compliance]
    with open(f"{out}/beat.csv", "w") as f:
        f.write("".join(f"{500 * k / 24!r},{0.4 + 0.3 * math.sin(math.pi * k / 12)!r}\n" for k in range(24)) + "500,0.4\n")
    beat = lambda scale, *words: ["-bc_left_flow_rate", f"{out}/beat.csv", "-bc_left_flow_rate_time_scale", scale, *words]
    other = "the period of the rows of -bc_left_flow_rate, "
    resistance = lambda text: ["-bc_right_type", "resistance", "-bc_right_pressure_by_flux", text]
    law = lambda name, *words: ["-physics", name, "-physics_newtonian_viscosity", None, *(w for key, value in zip(words[::2], words[1::2]) for w in (f"-physics_{name}_{key}", value))]
    polymer = ["-physics", "newtonian,oldroydb", "-physics_oldroydb_viscosity", 0.3, "-physics_oldroydb_lambda", 0.7, "-stop_steps", 2]
    carreau = lambda rest, fast: law("carreau_yasuda", "viscosity", rest, "viscosity_inf", fast, "lambda", 0.3, "n", 0.4)
    duct = ["-mesh_box_faces", "2,4,4", "-mesh_box_cell", "hexahedron", "-bc_front_type", "wall", "-bc_back_type", "wall", "-case_length", 0.5, "-case_velocity", 2]
    unfelt, place = "the resistance behind 'right', 0.0025 Pa s/m^2 (-bc_right_proximal + -bc_right_distal), makes 0.0025 Pa of the flow rate U D", "is -bc_right_distal in the place of -bc_right_"
    ways = itertools.cycle((("run", 1), ("check", 2), ("check", 1)))
    for what, words, told in (("right", windkessel(0.2, 7, 0.3), []), ("two resistances", windkessel(0.2, 7, 0), []), ("their sum alone", windkessel(7, 0.2, 0), []), ("shorter steps follow it", ["-scheme", "lumped", "-scheme_lumped_cfl", 0.9, "-scheme_lumped_dt", 0.0025, *windkessel(70, 70, 2e-5)], []), ("distal first", windkessel(7, 0.2, 0.1), ["-bc_right_proximal, 7 Pa s/m^2, is more than -bc_right_distal, 0.2:", place + "proximal?"]),
                              ("compliance and distal", windkessel(0.2, 0.01, 70), ["-bc_right_proximal, 0.2 Pa s/m^2, is more than -bc_right_distal, 0.01:", place + "compliance?"]),
                              ("unfelt", windkessel(0.0005, 0.002, 200), [unfelt, "0.00083 of the flow's own pressures", place + "compliance?"]), ("just felt", windkessel(0.001, 0.0021, 200), ["the resistances behind 'right' make 0.0031 Pa of the mean flow that is given, 1 m^2/s, 0.00103 times", "expected 0.05 to 1e5 times"]),
                              ("unfelt in space", [*duct, *windkessel(0.001, 0.01, 200)], ["0.011 Pa s/m^3", "makes 0.0055 Pa of the flow rate U D^2", "0.00046 of"]), # 12 Pa, 0.5 m^3/s
                              ("short", ["-scheme", "fractional_step", "-scheme_fractional_step_dt", 0.0025, *windkessel(0.2, 7, 1e-5)], ["the time R_d C behind 'right', 7e-05 s, is less than a time step, 0.0025 s"]), ("long", windkessel(0.2, 7, 100), ["the time R_d C behind 'right', 700 s, is 1.4e+03 times the shortest period that is given, 0.5 s"]),
                              ("long in a run", ["-bc_left_flow_rate", 1, *windkessel(0.2, 7, 400)], ["2.8e+03 s, is 1.4e+03 times the run, 2 s"]), ("steady", ["-bc_left_flow_rate", 1, "-scheme", "steady", "-stop_time", None, *windkessel(0.2, 7, 400)], []),
                              ("a period in ms", beat(1), [other + "500 s, is 250 times the run's end (-stop_time), 2 s", "-bc_left_flow_rate_time_scale 0.001 for ms"]), ("scaled", beat(1e-3), []),
                              ("just short of the end", beat(0.39, "-case_length", 2), []), ("many", beat(4.2e-6, "-case_length", 0.1), []), ("of microseconds", beat(3.8e-6, "-case_length", 0.1), [other + "0.0019 s, is 0.00095 times the run's end", "expected 0.001 to 100 times"]),
                              ("without an end", beat(1, "-stop_time", None, "-stop_steps", 1, "-case_length", 0.02), [other + "500 s, is 2.5e+04 times D/U of the case's units, 0.02 s"]), ("of an artery", beat(1.6e-3, "-case_length", 0.006), []),
                              ("without an end, of an artery", beat(1.6e-3, "-stop_time", None, "-stop_steps", 1, "-case_length", 0.006), []),
                              ("of a pressure", ["-bc_right_pressure", f"{out}/beat.csv"], ["the period of the rows of -bc_right_pressure, 500 s"]),
                              ("large", windkessel(1e5, 1.9e5, 0), []), ("too large", windkessel(1e5, 2.1e5, 0), ["the resistances behind 'right' make 3.1e+05 Pa of the mean flow that is given, 1 m^2/s, 1.03e+05 times", "other units than Pa s/m^2, or is -form_density, 3 kg/m^3?"]), # 3 Pa
                              ("too large in space", [*duct, *windkessel(1e6, 3e6, 0)], ["4e+06 Pa", "1 m^3/s, 3.33e+05 times", "1 dyn s/cm^5 is 1e5"]),
                              ("of little flow", ["-bc_left_flow_rate", 0.02, *windkessel(0.004, 0.006, 0)], ["make 0.0002 Pa of the mean flow that is given, 0.02 m^2/s, 6.67e-05 times"]), ("of more", ["-bc_left_flow_rate", 0.04, *windkessel(4, 6, 0)], []), ("of two sizes", ["-bc_top_type", "windkessel", "-bc_top_proximal", 10, "-bc_top_distal", 9000, "-bc_top_compliance", 0, *windkessel(2, 6.9, 0)], ["the Windkessels 'right' and 'top' resist by 8.9 and 9.01e+03 Pa s/m^2"]),
                              ("resistance", resistance("3+4*q+q*t"), []), ("unfelt resistance", resistance("3+0.001*q"), ["0.001 Pa s/m^2 (-bc_right_pressure_by_flux), makes 0.001 Pa"]),
                              ("a flow rate of an outlet", ["-bc_right_flow_rate", 0.7], ["-bc_right_flow_rate does not set what flows out", "there is no polymer here", "-bc_right_type inlet with a negative -bc_right_flow_rate"]),
                              ("of one with a polymer", [*polymer, "-bc_right_flow_rate", 0.7], []), ("of one that wants none", [*polymer, "-bc_right_flow_rate", 0.7, "-bc_right_polymer", "open"], ["-bc_right_flow_rate does not set", "-bc_right_polymer open wants none"]),
                              ("of one of two", [*polymer, "-bc_right_profile", "developed", "-bc_right_mean_velocity", 0.7, "-bc_top_type", "outlet"], ["-bc_right_mean_velocity does not set", "the flow divides between 2 outlets", "negative -bc_right_flow_rate, or -bc_right_polymer developed, where it is for the polymer's traction"]),
                              ("of one of two, for its traction", [*polymer, "-bc_right_profile", "developed", "-bc_right_mean_velocity", 0.7, "-bc_right_polymer", "developed", "-bc_top_type", "outlet"], []),
                              ("thinning", carreau(2, 0.5), []), ("thickening", carreau(0.5, 2), ["-physics_carreau_yasuda_viscosity, 0.5 Pa s at the shear rate 0, is less than -physics_carreau_yasuda_viscosity_inf, 2 Pa s"]),
                              ("no second plateau", carreau(0.5, 0), []), ("Cross", law("cross", "viscosity", 0.5, "viscosity_inf", 2, "lambda", 0.3, "m", 0.6), ["-physics_cross_viscosity, 0.5 Pa s"])):
        line = {key: value for key, value in zip(rows[::2], rows[1::2])} | dict(zip(words[::2], words[1::2]))
        verb, np_ = next(ways)
        result = run.rheoplex(verb, *(w for key, value in line.items() if value is not None for w in (key, value)), out=out, np=np_)
        warnings = [row for row in result.stderr.splitlines() if row.startswith("rheoplex: warning: ") and ("R_d C" in row or "resistance" in row or "proximal" in row or "_inf" in row or "flows out" in row or "the rows" in row)]
        gate.true(f"{verb}, np {np_}, {what}: {told or 'nothing told'}", len(warnings) == bool(told) and all(text in warnings[0] for text in told))


def behind(gate):
    """The pressure that check expects behind outlets that follow their flux: that at which what they let through is the mean flow given."""
    out = run.folder("choice")
    with open(f"{out}/beat.csv", "w") as f:
        f.write("".join(f"{0.5 * k / 24!r},{0.4 + 0.3 * math.sin(math.pi * k / 12)!r}\n" for k in range(24)) + "0.5,0.4\n")
    one = ["-bc_right_type", "windkessel", "-bc_right_proximal", 0.2, "-bc_right_distal", 7, "-bc_right_compliance", 0.3, "-bc_right_distal_pressure", 20]
    two = [*one, "-bc_top_type", "resistance", "-bc_top_pressure_by_flux", "3+4*q"]
    with open(f"{out}/turn.csv", "w") as f: # its period is not the flow's
        f.write("".join(f"{0.05 * k / 8!r},{math.sin(math.pi * k / 4)!r}\n" for k in range(8)) + "0.05,0\n")
    turning = ["-bc_top_type", "rotating_wall", "-bc_top_angular_velocity", f"{out}/turn.csv"]
    wave = "1+0.5*sin(2*pi*t/0.5)+0.3*cos(4*pi*t/0.5)"
    own = (20 / 7.2 + 3 / 4) / (1 / 7.2 + 1 / 4)
    for what, flow, words, expected, mean, bound in (("one", f"{out}/beat.csv", one, 20 + 7.2 * 0.4, 0.4, 1e-3), ("two", f"{out}/beat.csv", two, own + 0.4 / (1 / 7.2 + 1 / 4), 0.4, 1e-3), ("two, steady", 1, two, own + 1 / (1 / 7.2 + 1 / 4), 1, 1e-3),
                                                     ("by formula, over 3.4 periods", wave, [*one, "-stop_time", 1.7], 27.2, 1, 0.01), ("over 1.6", wave, [*one, "-stop_time", 0.8], 27.2, 1, 0.02), ("beside a wall that turns faster", "1+0.5*sin(2*pi*t)", [*one, *turning, "-stop_time", 2], 27.2, 1, 0.01), ("that only grows", "0.5+t", [*one, "-stop_time", 2], 20 + 7.2 * 1.5, 1.5, 1e-3)):
        for np_ in (1, 2):
            told = run.rheoplex("check", *CHANNEL, "-bc_left_flow_rate", flow, *words, out=out, np=np_).stdout
            found = re.search(r"behind 'right'(, 'top')?: about (\S+) Pa by the flow that is given, (\S+) m\^2/s", told)
            gate.relative(f"{what}, np {np_}: pressure behind", float(found[2]) if found else math.nan, expected, bound)
            gate.relative(f"{what}, np {np_}: mean flow", float(found[3]) if found else math.nan, mean, bound)
    gate.true("not where another outlet is open", "behind '" not in run.rheoplex("check", *CHANNEL, "-bc_left_flow_rate", 1, *one, "-bc_top_type", "outlet", out=out).stdout)


def womersley(y, t, period, mean, amplitude):
    """u in a slit of width 1 whose flux is mean + amplitude sin(2 pi t/period)."""
    z = 0.5 * cmath.sqrt(2j * math.pi / period / NU)
    wave = (1 - cmath.cosh(z * (2 * y - 1)) / cmath.cosh(z)) / (1 - cmath.tanh(z) / z)
    return 6 * mean * y * (1 - y) + (amplitude * cmath.exp(2j * math.pi * t / period) * wave).imag


def period(gate):
    """200 steps in the shortest period of what is given, whatever -stop_time."""
    out = run.folder("choice")
    beat = 0.7
    with open(f"{out}/beat.csv", "w") as f:
        f.write("time,value\n" + "".join(f"{beat * k / 24!r},{0.4 + 0.3 * math.sin(math.pi * k / 12)!r}\n" for k in range(24)) + f"{beat},0.4\n")
    with open(f"{out}/beats.csv", "w") as f: # ten of them in the file's period
        f.write("time,value\n" + "".join(f"{10 * beat * k / 240!r},{0.4 + 0.3 * math.sin(math.pi * k / 12)!r}\n" for k in range(240)) + f"{10 * beat},0.4\n")
    sine, wall = f"sin(2*pi*t/{beat})", ["-bc_left_type", "wall", "-bc_right_type", "wall"]
    for what, words, option, shortest in (
            ("rows of a period", [*CHANNEL, "-bc_left_flow_rate", f"{out}/beat.csv"], "bc_left_flow_rate", beat),
            ("rows of ten", [*CHANNEL, "-bc_left_flow_rate", f"{out}/beats.csv"], "bc_left_flow_rate", beat),
            ("Womersley", [*CHANNEL, "-bc_left_profile", "womersley", "-bc_left_flow_rate", sine, "-bc_left_period", beat, "-bc_right_backflow", 0.5], "bc_left_period", beat),
            ("a flow rate of t", [*CHANNEL, "-bc_left_flow_rate", f"2+{sine}"], "bc_left_flow_rate", beat),
            ("a ramp is no period", [*CHANNEL, "-bc_left_flow_rate", f"2+{sine}", "-bc_left_ramp", 0.01], "bc_left_flow_rate", beat),
            ("velocity", [*CHANNEL, "-bc_left_velocity", f"y*(1-y)*{sine},0", "-bc_right_backflow", 0.5], "bc_left_velocity", beat),
            ("velocity in space", [*DUCT, "-bc_left_velocity", f"y*(1-y)*z*(1-z)*(3+{sine}),0,0"], "bc_left_velocity", beat),
            ("pressure", [*CHANNEL, "-bc_left_type", "outlet", "-bc_left_pressure", f"y+{sine}"], "bc_left_pressure", beat),
            ("traction", [*CHANNEL, "-bc_left_velocity", "y*(1-y),0", "-bc_right_traction", f"0,{sine}"], "bc_right_traction", beat),
            ("a wall", [*CHANNEL, *wall, "-bc_top_type", "moving_wall", "-bc_top_velocity", f"{sine},0"], "bc_top_velocity", beat),
            ("a wall that turns", [*CHANNEL, *wall, "-bc_top_type", "rotating_wall", "-bc_top_axis_point", "0.5,0", "-bc_top_angular_velocity", sine], "bc_top_angular_velocity", beat),
            ("a force", [*CHANNEL, *wall, "-form_body_force", f"y*{sine},x"], "form_body_force", beat),
            ("a mean velocity", [*NEWTONIAN, "-form_mean_velocity", f"1+{sine}"], "form_mean_velocity", beat),
            ("a scalar", [*CHANNEL, "-bc_left_velocity", "y*(1-y),0", "-physics", "newtonian,passive", "-physics_passive_diffusivity", 1, "-bc_left_concentration", f"value 1+{sine}"], "bc_left_concentration", beat),
            ("a polymer", [*CHANNEL, "-bc_left_flow_rate", f"2+{sine}", "-physics", "newtonian,oldroydb", "-physics_oldroydb_viscosity", 0.3, "-physics_oldroydb_lambda", 0.05, "-stabiliser", "devss,split_oss"], "bc_left_flow_rate", beat),
            ("to rest", [*CHANNEL, *STEADY, "-bc_left_flow_rate", f"2+{sine}"], "bc_left_flow_rate", beat),
            ("the faster of two", [*CHANNEL, "-bc_left_flow_rate", f"2+sin(2*pi*t/5)+0.4*{sine}"], "bc_left_flow_rate", None),
            ("a scheme that is named", [*CHANNEL, "-scheme", "lumped", "-bc_left_flow_rate", f"2+{sine}"], "bc_left_flow_rate", beat)):
        result = run.rheoplex("run", *words, "-stop_time", 110, out=run.folder("choice"))
        text = " ".join(result.stdout.split())
        told = re.search(r"at most (\S+) s, 1/200 of the shortest period that is given, (\S+) s \(-(\S+)\)", text)
        gate.true(f"{what}: told, and no warning", bool(told) and told[3] == option and "warning" not in text + result.stderr)
        longest = float(told[1]) if told else math.inf
        if shortest:
            gate.relative(f"{what}: 1/200 of {shortest} s", longest, shortest / 200, 0.03)
            gate.at_most(f"{what}: 200 steps a period", longest, shortest / 200 * (1 + 5e-3))
            gate.true(f"{what}: {shortest} s", bool(told) and float(told[2]) == shortest)
        gate.true(f"{what}: at most 1/50 of the faster one", longest <= beat / 50)
        gate.true(f"{what}: the steps that are taken", max(result.table("_history.csv")["dt"]) <= longest * (1 + 1e-9))
    for what, words in (("nothing changes", ["-bc_left_flow_rate", "2"]), ("a steady rise", ["-bc_left_flow_rate", "t"]), ("slower than the run", ["-bc_left_flow_rate", "2+sin(2*pi*t/500)"]), ("what hardly changes", ["-bc_left_flow_rate", f"2+1e-4*{sine}"])):
        gate.true(f"{what}: 1/200 of the run", "at most 0.55 s, 1/200 of -stop_time (-scheme auto)" in said([*CHANNEL, "-physics_newtonian_viscosity", 0.1, *words, "-stop_time", 110]))
    for second, alike in ((0.0, False), (0.4, True)):
        with open(f"{run.folder('choice')}/beat.csv", "w") as f:
            f.write("".join(f"{0.8 * k / 40:.6f},{2 + math.sin(math.pi * k / 20) + second * math.sin(math.pi * k / 10):.12f}\n" for k in range(41)))
        rows = re.search(r"of the shortest period that is given, (\S+) s \(-bc_left_flow_rate\)(, of the sine that changes as fast as its rows)?", said([*CHANNEL, "-bc_left_flow_rate", f.name, "-stop_time", 3]))
        gate.true(f"rows of a sine{' and a second harmonic' if alike else ''}: {rows[0]}", (float(rows[1]) < 0.75) == alike == bool(rows[2]))
    for form in (sine, f"2+{sine}", f"2+{sine}+0.5*sin(4*pi*t/{beat})"):
        found = {re.search(r"at most (\S+) s, 1/200 of the shortest", said([*CHANNEL, "-bc_left_flow_rate", form, "-stop_time", stop]))[1] for stop in (0.9, 1.17, 1.45, 2, 3.1, 110)}
        gate.at_most(f"{form}: the same but for its last digit, {found}, whenever the run ends", max(map(float, found)) - min(map(float, found)), 1.001e-4)
    gate.true("rounded down, from 0.00106", "at most 0.001 s, 1/200 of the shortest period that is given, 0.21 s" in said([*CHANNEL, "-bc_left_flow_rate", "2+sin(2*pi*t/0.212)", "-stop_time", 110]))
    gate.true("without an end", "at most 0.0035 s, 1/200 of the shortest period" in said([*CHANNEL, "-bc_left_flow_rate", f"2+{sine}"]))
    several = [run.rheoplex("run", *DUCT, "-bc_left_velocity", f"y*(1-y)*z*(1-z)*(3+{sine}),0,0", "-stop_time", 110, out=run.folder("choice"), np=np).table("_history.csv")["dt"] for np in (1, 2, 3)]
    gate.true("the same on 1, 2 and 3 ranks", all((dt == several[0]).all() for dt in several))
    fixed = lambda dt, *more: said([*CHANNEL, "-bc_left_flow_rate", f"2+{sine}", "-stop_time", 110, "-scheme_fractional_step_dt", dt, *more])
    text = "is 1/14 of the shortest period that is given, 0.7 s (-bc_left_flow_rate): expected at most 1/20, for errors below 1 % 1/200, -scheme_fractional_step_dt 0.0035"
    gate.true("a fixed step of 1/14: told once, at the start", fixed(0.05).count(f"at t = 0 s the time step, 0.05 s, {text}") == 1)
    gate.true("of 1/23: not told", "shortest period" not in fixed(0.03))
    gate.true("a target that takes such steps", fixed(0.05, "-scheme_fractional_step_cfl", 90).count(text) == 1)
    gate.true("a target that does not", "shortest period" not in fixed(0.05, "-scheme_fractional_step_cfl", 0.01))
    gate.true("monolithic", "-scheme_monolithic_dt 0.0035" in said([*CHANNEL, "-bc_left_flow_rate", f"2+{sine}", "-scheme", "monolithic", "-scheme_monolithic_dt", 0.05]))
    checked = run.rheoplex("check", *CHANNEL, "-bc_left_flow_rate", f"2+{sine}", "-scheme_fractional_step_dt", 0.05, out=run.folder("choice"))
    gate.true("checked without a run", text in " ".join((checked.stdout + checked.stderr).split()))
    wave = [*CHANNEL, "-mesh_box_faces", "2,32", "-bc_left_profile", "womersley", "-bc_left_flow_rate", f"0.4+0.5*{sine}", "-bc_left_period", beat, "-stop_steps", 0, "-stop_time", 2 * beat,
            "-diagnostic_middle_kind", "probe", "-diagnostic_middle_points", "0.5,0.5", "-output_fields", "false"]
    table = run.rheoplex("run", *wave, out=run.folder("choice")).table("_middle.csv")
    late = table["t"] > 1.1 * beat
    exact = np.array([womersley(0.5, t, beat, 0.4, 0.5) for t in table["t"][late]])
    gate.true("a Womersley flow, over its range: within 1 %", abs(table["velocity_x_0"][late] - exact).max() < 0.01 * np.ptp(exact))


def stabiliser(gate):
    """Where -stabiliser names none: told, and the numbers are those of what is told; not told and nothing else where it names some."""
    taken, polymer = "stabiliser split_oss (in every flow): -stabiliser names none", "stabiliser devss (with a polymer), split_oss (in every flow): -stabiliser names none"
    flow, passive = ["-initial_velocity", "sin(6*y),x"], ["-physics", "newtonian,passive", "-physics_passive_diffusivity", 1, "-initial_concentration", "sin(6*x)"]
    without = lambda words: words[:-2]
    dissipation = ["-scheme_lumped_pressure", "dissipation", "-scheme_lumped_dt", 0.01]
    left = "; without its part pressure, which the scheme provides"

    def case(*words, verb="run"):
        result = run.rheoplex(verb, *words, *flow, out=run.folder("choice"))
        return result if verb == "check" else (" ".join(result.stdout.split()), result.checkpoint(), result)

    for what, words, named, text in (
            ("no polymer", without(NEWTONIAN), ["-stabiliser", "split_oss"], taken),
            ("asked for", [*without(NEWTONIAN), "-stabiliser", "auto"], ["-stabiliser", "split_oss"], taken),
            ("a scalar field", [*BOX, *passive], ["-stabiliser", "split_oss"], taken),
            ("a polymer", without(POLYMER), ["-stabiliser", "devss,split_oss"], polymer),
            ("its theta", [*without(POLYMER), "-stabiliser_devss_theta", 0.5], ["-stabiliser", "devss,split_oss"], polymer),
            ("of log c", [*without(POLYMER), "-polymer_variable", "logconf"], ["-stabiliser", "devss,split_oss"], polymer),
            ("pressure of the scheme", [*without(NEWTONIAN), *dissipation], ["-stabiliser", "split_oss", "-stabiliser_split_oss_parts", "momentum,tensor,scalar"], taken + left),
            ("parts that are named", [*without(NEWTONIAN), *dissipation, "-stabiliser_split_oss_parts", "momentum"], ["-stabiliser", "split_oss"], taken)):
        out, auto, result = case(*words)
        gate.true(f"{what}: told", f"{text} " in f"{out} " and (left in out) == (left in text))
        quiet, named, _ = case(*words, *named)
        gate.true(f"{what}: those that are told", (auto == named).all() and "stabiliser " not in quiet.split(" step ")[0])
        again = run.rheoplex("run", result.file("_effective.yaml"), out=run.folder("choice_again"))
        gate.true(f"{what}: the options of the run say them", (again.checkpoint() == auto).all() and "names none" not in again.stdout)
    none = case(*without(NEWTONIAN), *dissipation, "-stabiliser", "none")[1]
    gate.true("none is none", not (none == case(*without(NEWTONIAN), *dissipation)[1]).all())
    theta = [case(*without(POLYMER), "-stabiliser_devss_theta", value)[1] for value in (0, 0.5)]
    gate.true("theta does something", not (theta[0] == theta[1]).all())
    checked = " ".join(case(*without(POLYMER), verb="check").stdout.split())
    gate.true("checked without a run", "Stabiliser: " + polymer[len("stabiliser "):] in checked)
    refused = run.rheoplex("run", *without(NEWTONIAN), "-stabiliser_devss_theta", 0.5, out=run.folder("choice"), expect=1).stderr
    gate.true("without a polymer devss is not there", "-stabiliser_devss_theta" in refused and "nothing in this case reads" in refused)
    listed = run.rheoplex("list", "stabiliser", out=run.folder("choice")).stdout
    gate.true("listed", listed.count("taken where -stabiliser names none, with a polymer") == 1 and listed.count("taken where -stabiliser names none, in every flow") == 1)


def quadrature(gate):
    """-form_quadrature auto: one point a triangle for bdf2 without polymer, which is told; the numbers are those of centroid, or of full."""
    told, triangles = "quadrature centroid: one point a triangle", ["-mesh_box_cell", "triangle", "-mesh_box_jitter", 0.2, "-initial_velocity", "sin(6*y),x", "-scheme", "fractional_step", "-scheme_fractional_step_dt", 0.01]

    def case(*words):
        result = run.rheoplex("run", *words, out=run.folder("choice"))
        return told in result.stdout, result.checkpoint()

    for what, words, centroid in (("bdf2, triangles", [*NEWTONIAN, *triangles], True), ("a law of gamma", [*GAMMA, *triangles], True),
                                  ("ssp3", [*NEWTONIAN, *triangles, "-scheme_fractional_step_integrator", "ssp3"], False), ("triangles and quads", [*NEWTONIAN, *triangles, "-mesh_box_cell", "mixed"], False),
                                  ("a polymer", [*POLYMER, *triangles, "-scheme_fractional_step_integrator", "bdf2"], False)):
        said_so, auto = case(*words)
        (_, full), (_, one) = (case(*words, "-form_quadrature", how) for how in ("full", "centroid"))
        gate.true(f"{what}: {'told' if centroid else 'not told'}", said_so == centroid)
        gate.true(f"{what}: as {'centroid' if centroid else 'full'}, which differ", (auto == (one if centroid else full)).all() and not (one == full).all())


def rest(gate):
    """Steps of a channel to rest, whatever its Reynolds number; with longer ones the pressure settles slowly (share/doc/time-step.md)."""
    channel = ["-case_name", "rest", "-mesh_box_upper", "6,1", "-mesh_box_faces", "60,20", "-physics", "newtonian", "-form_density", RHO, "-bc_left_type", "inlet", "-bc_left_profile", "parabolic", "-bc_left_mean_velocity", 1,
               "-bc_right_type", "outlet", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-stop_steady_tol", 1e-5, "-stop_time", 40, "-output_fields", "false"]
    for reynolds, most in ((1, 160), (11, 110), (100, 110)):
        case = lambda *more: run.rheoplex("run", *channel, "-physics_newtonian_viscosity", RHO / reynolds, *more, out=run.folder("choice")).table("_history.csv")
        gate.at_most(f"Re {reynolds}: steps", case()["step"][-1], most)
        longer = case("-scheme_fractional_step_dt", 0.1, "-scheme_fractional_step_cfl", 5)
        gate.note(f"Re {reynolds}: with steps of 0.1 D/U", longer["step"][-1])
    stenosis(gate)


def narrowed(path):
    """A half plane that narrows to half of its width, quadrilaterals: labels inlet, outlet, axis, wall."""
    x = np.concatenate([np.linspace(-3.3, -1, 31)[:-1], np.linspace(-1, 1, 41)[:-1], np.linspace(1, 10, 121)])
    width = np.where(abs(x) < 1, 0.5 - 0.125 * (1 + np.cos(np.pi * x)), 0.5)
    n, m = len(x), 17
    node = lambda i, k: i * m + k + 1
    lines = [(1, node(0, k), node(0, k + 1)) for k in range(m - 1)] + [(2, node(n - 1, k), node(n - 1, k + 1)) for k in range(m - 1)]
    lines += [(label, node(i, k), node(i + 1, k)) for label, k in ((3, 0), (4, m - 1)) for i in range(n - 1)]
    cells = [["1", "2", str(label), str(label), str(a), str(b)] for label, a, b in lines]
    cells += [["3", "2", "5", "5", *map(str, (node(i, k), node(i + 1, k), node(i + 1, k + 1), node(i, k + 1)))] for i in range(n - 1) for k in range(m - 1)]
    with open(path, "w") as f:
        f.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n5\n" + "".join(f'{1 if k < 5 else 2} {k} "{name}"\n' for k, name in enumerate(("inlet", "outlet", "axis", "wall", "fluid"), 1)) + "$EndPhysicalNames\n")
        f.write(f"$Nodes\n{n * m}\n" + "".join(f"{node(i, k)} {x[i]:.15g} {width[i] * k / (m - 1):.15g} 0\n" for i in range(n) for k in range(m)) + "$EndNodes\n")
        f.write(f"$Elements\n{len(cells)}\n" + "".join(f"{i} {' '.join(c)}\n" for i, c in enumerate(cells, 1)) + "$EndElements\n")


def stenosis(gate):
    """A narrowed tube at Re 200, whose jet swings by itself with steps of 4 to 5 times the Courant number: to rest, and to the state of Newton's method. A run that ends before says so."""
    folder = run.folder("choice")
    narrowed(f"{folder}/narrowed.msh")
    case = ["-case_name", "narrowed", "-mesh_file", f"{folder}/narrowed.msh", "-form_axisymmetric", "true", "-physics", "newtonian", "-form_density", RHO, "-physics_newtonian_viscosity", RHO / 200, "-bc_inlet_type", "inlet", "-bc_inlet_profile", "parabolic",
            "-bc_inlet_mean_velocity", 1, "-bc_inlet_ramp", 2, "-bc_outlet_type", "outlet", "-bc_axis_type", "symmetry", "-bc_wall_type", "wall", "-output_fields", "false", "-diagnostic_drop_kind", "pressure_difference", "-diagnostic_drop_label", "inlet,outlet"]
    rest = [*case, "-stop_steady_tol", 1e-5, "-stop_time", 60, "-stop_min_time", 2]
    drop = lambda result: float(result.table("_drop.csv")["pressure_difference"][-1])
    ended = run.rheoplex("run", *rest, out=run.folder("choice"))
    gate.at_most("a stenosis: steps to rest", ended.table("_history.csv")["step"][-1], 700)
    gate.true("a stenosis: at rest", ": steady: " in ended.stdout)
    gate.relative("a stenosis: pressure difference, by Newton's method", drop(ended), drop(run.rheoplex("run", *case, "-scheme", "steady", "-scheme_steady_time", 3, out=run.folder("choice"))), 1e-3)
    early = run.rheoplex("run", *rest, "-stop_time", 1, out=run.folder("choice")).stdout
    gate.true("a run that ends before", "the final time is reached, not at rest: |du/dt| = " in early and "-stop_steady_tol 1e-05" in early)


def idle(gate):
    """Options of time do nothing for a steady state: refused on the command line, told and left where the case has them, for the scheme may be the command line's."""
    rest = [w for w in CHANNEL if w not in ("-stop_steps", 2)] + ["-bc_left_velocity", "y*(1-y),0", "-scheme", "steady"]
    refused = lambda name, value, *more: gate.refused(run.rheoplex("run", *rest, f"-{name}", value, *more, out=run.folder("choice"), expect=None), (f"-{name}: got {value} with -scheme steady", "expected it left out"))
    drag = ["-diagnostic_drag_kind", "forces", "-diagnostic_drag_label", "bottom"]
    for name, value, more in (("stop_time", "3", []), ("stop_steady_tol", "1e-3", []), ("stop_min_time", "0.5", []), ("stop_settled", "drag:1e-3:2", drag), ("stop_periodic", "c:1e-3", ["-diagnostic_c_kind", "periodicity", "-diagnostic_c_every_dt", 1]), ("output_dt", "0.1", []), ("output_checkpoint_dt", "0.1", []), ("insitu_every_dt", "0.1", []),
                              ("diagnostic_drag_every_dt", "0.1", drag)):
        refused(name, value, *more)
    gate.refused(run.rheoplex("run", *rest, "-ts_max_time", 3, out=run.folder("choice"), expect=None), ("-ts_max_time: got 3 with -scheme steady",))
    run.rheoplex("run", *rest, "-stop_time", 0, "-output_dt", 0, "-stop_steps", 1, out=run.folder("choice"))
    follow = [*rest, "-scheme_steady_continuation", "physics_newtonian_viscosity=1:1:3"]
    fields = lambda *more: sum(name.endswith(".vtu") for name in os.listdir(run.rheoplex("run", *follow, *more, out=run.folder("choice")).out))
    gate.true("the time of a continuation is its parameter", (fields(), fields("-output_dt", 1)) == (1, 4))
    gate.refused(run.rheoplex("run", *follow, "-stop_time", 2, out=run.folder("choice"), expect=None), ("-stop_time: got 2 with -scheme steady",))
    folder = run.folder("choice")
    for name, end in (("stop_time", "stop: {time: 3}"), ("ts_max_time", "ts_max_time: 3")):
        with open(f"{folder}/own.yaml", "w") as f:
            f.write("".join(f"{name[1:]}: '{value}'\n" for name, value in zip(CHANNEL[::2], CHANNEL[1::2]) if name not in ("-case_name", "-bc_left_type", "-stop_steps")) + f"bc_left: {{type: inlet, velocity: 'y*(1-y),0'}}\n{end}\noutput: {{dt: 0.5}}\n")
        own = lambda *more, rc=0: run.rheoplex("run", f"{folder}/own.yaml", *more, out=run.folder("choice"), expect=rc)
        told = f"the case's options -{name}, -output_dt are not used: a steady state has no time (-scheme steady)"
        gate.true(f"-{name} of the case: told, and left", told in " ".join(own("-scheme", "steady").stdout.split()))
        gate.true("another scheme uses them", "are not used" not in " ".join(own().stdout.split()))
        gate.refused(own("-scheme", "steady", f"-{name}", 4, rc=None), (f"-{name}: got 4 with -scheme steady",))


def device(gate):
    out = said([*NEWTONIAN, "-device", "cuda"])
    gate.true("on a device", "scheme fractional_step: bdf2, implicit, for a flow without polymer; steps of 0.9 times their limits, at most 0.01 s, 1/100 of -case_length over -case_velocity (-scheme auto)" in out)
    mesh_on_device(gate)


def antidiffusion(gate):
    """u^2 dt/2 over the viscosity of solvent and modes, 9 dt/(2 nu); what limits waves of the stress has no part in it."""
    case = lambda dt, *more: said([*NEWTONIAN, "-initial_velocity", "3,0", "-scheme", "lumped", "-scheme_lumped_dt", dt, *more])
    text = "forward Euler takes u^2 dt/2, 18 % of the viscosity"
    loud = case(0.02)
    gate.true("told, once", loud.count(text) == 1 and "-scheme_lumped_dt 0.0056" in loud)
    polymer = lambda dt, *more: said([*POLYMER, "-physics_newtonian_viscosity", RHO * NU - 0.3, "-initial_velocity", "3,0", "-scheme", "lumped", "-scheme_lumped_dt", dt, *more])
    loud = polymer(0.02)
    gate.true("of a polymer too, once", loud.count(text) == 1 and "-scheme_lumped_dt 0.0056" in loud)
    for what, out in (("a polymer, 4.5 %", polymer(0.005)), ("a polymer to rest", polymer(0.02, *STEADY)), ("4.5 %", case(0.005)), ("a run to rest", case(0.02, *STEADY)), ("heun", case(0.02, "-scheme_lumped_stepper", "heun"))):
        gate.true(f"{what}: not told", "forward Euler takes" not in out)


def limit(gate):
    """h^2/(2 nu) on squares."""
    case = lambda factor, *more: said([*NEWTONIAN, "-scheme", "lumped", "-scheme_lumped_dt", factor * H**2 / (2 * NU), *more])
    loud = case(1.5)
    gate.true("told, once", loud.count("is 1.5 times the viscous limit of the state at the start: expected at most 0.0625 s") == 1)
    implicit = said([*NEWTONIAN, "-initial_velocity", "30,10", "-scheme_fractional_step_dt", 0.1])
    check = lambda *more: run.rheoplex("check", *NEWTONIAN, "-initial_velocity", "3,0", "-scheme", "lumped", "-stop_steps", 0, *more, out=run.folder("choice")).stdout
    fixed, follows = check("-scheme_lumped_dt", 0.03, "-stop_time", 1), check("-scheme_lumped_dt", 1, "-scheme_lumped_cfl", 0.8, "-stop_time", 1)
    for out in (fixed, follows):
        gate.true("check: the limits, h/u and h^2/(2 nu)", "Time step limits of the state at the start (CFL 1): convective 0.0833 s, viscous 0.0625 s" in out)
    gate.true("check: 34 steps of 0.03 s", "Time step: 0.03 s; 34 steps\n" in fixed)
    gate.true("check: 0.8/(12/s + 16/s)", "Time step: 0.0286 s at the start, then as its limits go; about 35 steps\n" in follows)
    gate.true("check: -stop_steps comes first", "0.03 s; 7 steps at most\n" in check("-scheme_lumped_dt", 0.03, "-stop_time", 1, "-stop_steps", 7, *STEADY))
    newton = run.rheoplex("check", *NEWTONIAN, "-scheme", "steady", out=run.folder("choice")).stdout
    gate.true("check: Newton's method has no limits", "Time step" not in newton)
    for what, out in (("within a tenth", case(1.09)), ("a CFL target", case(1.5, "-scheme_lumped_cfl", 0.9)), ("bdf2", implicit)):
        gate.true(f"{what}: not told", "limit of the state" not in out)


def target(gate):
    """A target beyond the limits of stability is told of, once, before the first step and by check; not where nothing is explicit."""
    text = lambda scheme, cfl: f"rheoplex: warning: -scheme_{scheme}_cfl {cfl:g} asks for time steps of {cfl:g} times the limits of stability: expected at most 1, as -scheme_{scheme}_cfl 0.9"
    scheme = lambda name, cfl, *more: ["-scheme", name, f"-scheme_{name}_dt", 1e-3, f"-scheme_{name}_cfl", cfl, *more]
    ssp3, bdf2 = ["-scheme_fractional_step_integrator", "ssp3"], ["-scheme_fractional_step_integrator", "bdf2"]
    for what, words, told in (("forward Euler", [*NEWTONIAN, *scheme("lumped", 1.5)], text("lumped", 1.5)), ("within a tenth", [*NEWTONIAN, *scheme("lumped", 1.09)], ""), ("ssp3", [*POLYMER, *scheme("fractional_step", 5, *ssp3)], text("fractional_step", 5)),
                              ("bdf2", [*NEWTONIAN, *scheme("fractional_step", 5, *bdf2)], ""), ("bdf2 with polymer", [*POLYMER, *scheme("fractional_step", 2, *bdf2)], text("fractional_step", 2)), ("Newton's method", [*POLYMER, *scheme("monolithic", 5)], "")):
        for verb in "run", "check":
            result = run.rheoplex(verb, *words, out=run.folder("choice"))
            out = (result.stdout + result.stderr).splitlines()
            gate.true(f"{what}, {verb}: {told or 'nothing told'}", out.count(told) == 1 if told else "limits of stability" not in " ".join(out))


def flow(gate):
    """Limits of the flow to come: 3 m/s on squares, h/u and h^2/(2 nu); a fixed time step that it outgrows."""
    channel = [*BOX[:4], *BOX[6:], "-physics", "newtonian", "-stabiliser", "split_oss", "-bc_right_type", "outlet", "-bc_bottom_type", "symmetry", "-bc_top_type", "symmetry",
               "-scheme", "lumped", "-stop_time", 1, "-stop_steps", 0]
    inlet = [*channel, "-bc_left_type", "inlet", "-bc_left_velocity", "3,0", "-bc_left_ramp", 0.4]
    checked = lambda *words: run.rheoplex("check", *words, out=run.folder("choice")).stdout
    check = lambda *more: checked(*inlet, *more)
    at_rest, full = "Time step limits of the state at the start (CFL 1): viscous 0.0625 s\n", "everywhere: convective 0.0833 s, viscous 0.0625 s"
    follows = check("-scheme_lumped_dt", 1, "-scheme_lumped_cfl", 0.8)
    gate.true("check: at full ramp", at_rest in follows and f"velocity that is given, (3, 0) m/s, {full}" in follows)
    gate.true("check: 0.8/(16/s), 0.8/(12/s + 16/s)", "then as its limits go; about 20 steps by the first limits, 35 by the second\n" in follows)
    rows = ["-diagnostic_q_kind", "flux", "-diagnostic_q_label", "right", "-scheme_lumped_dt", 0.03, "-diagnostic_q_every_dt"]
    gate.true("check: two steps of 0.03 s a row of 0.05 s", "Time step: 0.03 s; 40 steps\n" in check(*rows, 0.05) and "End at step 40, t = 1:" in run.rheoplex("run", *inlet, *rows, 0.05, out=run.folder("choice")).stdout)
    short, shorter = (run.rheoplex("check", *inlet, *rows, every, out=run.folder("choice")) for every in (1e-3, 1e-4))
    gate.true("check: rows closer than steps", "Time step: 0.001 s by -diagnostic_q_every_dt; 1000 steps\n" in short.stdout and "shortened to meet" not in short.stderr)
    free = run.rheoplex("check", *channel, "-bc_left_type", "inlet", "-bc_left_velocity", "3,0", *rows[:4], "-diagnostic_q_every_dt", 1e-4, "-scheme", "monolithic", "-scheme_monolithic_dt", 0.05, out=run.folder("choice")).stderr
    gate.true("and where nothing limits them", "warning: -diagnostic_q_every_dt: got 0.0001 s, 1/5e+02 of the time step that the run begins with, 0.05 s" in free)
    gate.true("told of many more steps", "warning: -diagnostic_q_every_dt: got 0.0001 s, 1/3e+02 of the time step that the run begins with, 0.03 s" in shorter.stderr)
    gate.true("check: at full ramp, no final time", f"(3, 0) m/s, {full}" in check("-scheme_lumped_dt", 0.01, "-stop_time", 0, "-stop_steps", 9))
    swings = check("-scheme_lumped_dt", 0.01, "-bc_left_velocity", "3*sin(pi*t),0", "-bc_left_ramp", 0, "-stop_time", 2)
    gate.true("check: the fastest in time", f"3, 0) m/s, {full}" in swings)
    wall = checked(*channel, "-scheme_lumped_dt", 0.01, "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "-3,0")
    gate.true("check: a moving wall", f"(-3, 0) m/s, {full}" in wall)
    kept = run.rheoplex("check", *NEWTONIAN, "-form_mean_velocity", "3", "-scheme", "lumped", "-scheme_lumped_dt", 0.01, out=run.folder("choice")).stdout
    gate.true("check: a mean velocity", f"(3, 0) m/s, {full}" in kept)
    driven = checked(*channel, "-scheme_lumped_dt", 0.01, "-bc_left_type", "outlet", "-bc_left_pressure", 7)
    gate.true("check: no velocity is given", f"{at_rest}  no condition gives a velocity: a flow that becomes faster" in driven)
    polymer = checked(*channel, "-bc_left_type", "inlet", "-scheme_lumped_dt", 0.01, "-physics", "newtonian,oldroydb", "-physics_oldroydb_viscosity", 0.3, "-physics_oldroydb_lambda", 0.7, "-stabiliser", "devss,split_oss", "-bc_bottom_type", "wall",
                    "-bc_top_type", "wall", "-bc_left_profile", "parabolic", "-bc_left_mean_velocity", 3, "-bc_left_ramp", 0.4)
    found = [[float(part.split()[1]) for part in line.split(": ")[1].split(", ") if part.startswith("elastic")][0] for line in polymer.splitlines() if line.startswith("Time step limits")]
    wave = lambda wi: H / math.sqrt(0.3 / 0.7 / RHO * (2 + 2 * wi**2)) # h over the speed by tr c
    gate.true("check: the modes of a developed inflow", "and the modes of the inflow: " in polymer)
    gate.relative("check: elastic limit at rest", found[0], wave(0), 2e-3)
    gate.relative("check: elastic limit of the inflow at its walls, Wi 12.6", found[1], wave(0.7 * 18), 5e-3)
    first = run.rheoplex("run", *inlet, "-scheme_lumped_dt", 0.05, out=run.folder("choice"))
    out = " ".join((first.stdout + first.stderr).split())
    gate.true("a run, told once", out.count("the time step, 0.05 s, is") == 1 and out.count("limit of the flow, which grew past it: expected at most") == 1 and "at the start: expected" not in out)
    gate.true("a restart, checked", full.split(": ")[1] in check("-scheme_lumped_dt", 0.05, "-case_restart", first.file("_checkpoint.h5"), "-stop_time", 2).split("at the start (CFL 1): ")[1])
    twice = said([*inlet, "-scheme_lumped_dt", 0.08])
    gate.true("told at the start, not again for less than twice that", "is 1.28 times the viscous limit of the state at the start" in twice and "grew past" not in twice)
    small = said([*inlet, "-scheme_lumped_dt", 0.03])
    gate.true("within its limits: not told", "limit of the" not in small)


def main(check):
    gate = Gate(f"case_choice_{check}")
    {"auto": auto, "creeping": creeping, "mesh": mesh, "begins": begins, "units": units, "doubts": doubts, "apart": apart, "levels": levels, "behind": behind, "period": period, "rest": rest, "idle": idle, "stabiliser": stabiliser, "quadrature": quadrature, "device": device, "antidiffusion": antidiffusion, "limit": limit, "target": target, "flow": flow}[check](gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
