"""Scheme `monolithic`. monolithic.py
  order <integrator> [gls]  order in dt alone, of velocity, pressure and stress each, in a channel that pulsates
  rest       the state at rest is that of `steady`, whatever dt; one without any motion stays
  ranks      the state on two and three ranks is that on one
  restart    from a checkpoint: the run goes on as the one that wrote it
  adaptive   steps by their error: its parts fall with the tolerance, steps follow the flow; of alpha too, whose stage is a midpoint
  first      the first step by its error, of integrators that estimate it from the step before; what begins with a jump ends
  renew      set-ups and states by each rule
  finite [device]  a step to a state that is not finite is rejected
  exact      a flow whose residual is rounding from the beginning goes on
  failure    Newton's method that fails is named; half-hearted ones are tried with a shorter step
  abrupt     from rest in steps that are many times too long: warned of, attempts that creep are ended, the last one not, and told
  lost       a mode that grows without bound leaves the flow as exact as it was, and is told by the step that is too much
  swings     a pressure that an integrator does not damp is told, one that is none is not
  ends       walls that another velocity and temperature is given, in a restart or within a step, have it at every step's end
  refused    options that cannot act
  device     is refused (on the emulated one)
  explicit   agrees with SSP3 at small steps
  pulse      set-ups and seconds by each rule in a flow that pulsates past a cylinder (share/validate_long)"""
import re
import sys

import numpy as np
import run
from gate import Gate, largest
from steady import mixed

SCHEME = ("-scheme", "monolithic", "-device", "cpu")
PRESSURE = "-scheme_monolithic_pc_pressure"
SUMMARY = re.compile(r"monolithic: (\d+) steps, (\d+) rejected, (\d+) Newton iterations; preconditioner \((\w+)\): (\d+) set-ups \((\d+) redone\), (\S+) s; (\d+) linear solves, (\d+) iterations, (\S+) s")


DEVSS = ("-stabiliser", "devss,split_oss", "-stabiliser_devss_theta", 0.6)


def channel(end, *more, np_=1, expect=0, wave="sin(1.3*t)^2", stabiliser=DEVSS):
    """Oldroyd-B between walls, an inlet that swells from rest; not developed."""
    return run.rheoplex("run", "-case_name", "pulse", "-mesh_box_faces", "8,4", "-mesh_box_lower", "0,-1", "-mesh_box_upper", "3,1", "-mesh_box_jitter", "0.1",
                        "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 0.7, "-physics_oldroydb_viscosity", 0.6, "-physics_oldroydb_lambda", 0.4,
                        "-polymer_variable", "stress", *stabiliser, "-form_density", 1.7, "-bc_left_type", "inlet",
                        "-bc_left_velocity", f"(1-y^4+0.2*sin(3*y)*(1-y^2))*{wave},0", "-bc_left_polymer", "rest", "-bc_right_type", "outlet", "-bc_right_form", "gradient",
                        "-bc_right_polymer", "zero", "-bc_top_type", "wall", "-bc_bottom_type", "wall", "-stop_time", end, *SCHEME, *more, out=run.folder("monolithic"), np=np_, expect=expect)


def parts(state):
    """Velocity, pressure, stress."""
    block = np.asarray(state).reshape(-1, 6)
    return {"velocity": block[:, :2], "pressure": block[:, 2], "stress": block[:, 3:]}


def order(gate, integrator, stabiliser=None):
    """The pressure of `theta` and `alpha` is that of the stage, told at the end."""
    least = {"beuler": (0.9, 0.8)}.get(integrator, (1.9, 0.9 if integrator in ("theta", "alpha") else 1.9))
    go = lambda kind, n: channel(0.8, "-ts_type", kind, "-scheme_monolithic_dt", 0.8 / n, "-snes_rtol", 1e-11, "-diagnostic_forces", "top", stabiliser=("-stabiliser", stabiliser) if stabiliser else DEVSS)
    found, fine = [go(integrator, n) for n in (10, 20, 40)], go("bdf", 160)
    states, exact = [parts(x.checkpoint()) for x in found], parts(fine.checkpoint())
    force = [np.array([x.table("_forces.csv")[f"top_{c}"][-1] for c in "xy"]) for x in (*found, fine)]
    off = [abs(f - force[-1]).max() / abs(force[-1]).max() for f in force[:-1]]
    print(f"{integrator}: errors of the force {off}")
    gate.at_most(f"{integrator}, force: error of the finest", off[2], 0.01)
    most = {"velocity": 0.01, "pressure": 0.04, "stress": 0.06}
    for what in states[0]:
        d = [abs(a[what] - b[what]).max() for a, b in zip(states, states[1:])]
        gate.at_least(f"{integrator}, {what}: order in dt", float(np.log2(d[0] / d[1])), least[what == "pressure"])
        gate.at_most(f"{integrator}, {what}: error of the finest", abs(states[2][what] - exact[what]).max() / abs(exact[what]).max(), most[what])


def rest(gate):
    steady = mixed("-scheme", "steady", "-device", "cpu").checkpoint()
    for dt in (0.3, 0.7):
        found = mixed(*SCHEME, "-ts_type", "beuler", "-scheme_monolithic_dt", dt, "-stop_steady_tol", 1e-9, "-stop_time", 60)
        gate.at_most(f"dt {dt}: difference from the steady state", abs(found.checkpoint() - steady).max() / abs(steady).max(), 1e-7)
    for np_ in (1, 2):
        gate.true(f"nothing moves, np {np_}", not channel(0.3, "-scheme_monolithic_dt", 0.1, wave="0", np_=np_).checkpoint().any())


def exact(gate):
    """A uniform flow, whose residual is rounding from the beginning, goes on."""
    result = run.rheoplex("run", "-case_name", "exact", "-mesh_box_faces", "6,6", "-mesh_box_cell", "mixed", "-physics", "newtonian", "-physics_newtonian_viscosity", 0.01, "-form_density", 3, "-stabiliser", "split_oss",
                          "-bc_left_type", "inlet", "-bc_left_velocity", "1,0", "-initial_velocity", "1,0", "-bc_right_type", "outlet", "-bc_top_type", "symmetry", "-bc_bottom_type", "symmetry", "-scheme", "monolithic",
                          "-scheme_monolithic_dt", 0.02, "-stop_steps", 4, out=run.folder("exact"))
    gate.at_most("uniform flow: error", abs(result.checkpoint() - [1, 0, 0]).max(), 1e-12)


def ranks(gate):
    words = ("-scheme_monolithic_dt", 0.1, "-snes_rtol", 1e-11, "-scheme_monolithic_projection", "lumped")
    one = channel(0.2, *words).checkpoint()
    for n in (2, 3):
        more = channel(0.2, *words, np_=n).checkpoint()
        gate.at_most(f"{n} ranks: difference from one", abs(more - one).max() / abs(one).max(), 1e-9)


def restart(gate):
    for words in (), ("-ts_adapt_type", "basic", "-ts_rtol", 1e-2, "-ts_atol", 1e-2):
        words += ("-scheme_monolithic_dt", 0.05, "-pc_renew_x", 60, "-scheme_monolithic_pc_pressure", "fixed")  # auto looks at the first step of a run
        whole = channel(0.8, *words, "-output_checkpoint_every", 4, "-diagnostic_forces", "top")
        half = channel(0.8, *words, "-stop_steps", 4)
        again = channel(0.8, *words, "-output_checkpoint_every", 4, "-case_restart", half.file("_checkpoint.h5"), "-diagnostic_forces", "top")
        a, b = whole.checkpoint(), again.checkpoint()
        gate.at_most(f"{words[0]}: difference of a run that was restarted", abs(a - b).max() / abs(a).max(), 1e-12)
        gate.near(f"{words[0]}: force", float(again.table("_forces.csv")["top_x"][-1]), float(whole.table("_forces.csv")["top_x"][-1]), 1e-9)
    history(gate)


def history(gate):
    """A restart of bdf goes on at its order: it is the run that was never ended, on other ranks too, but for what Newton's tolerance leaves."""
    close = ("-scheme_monolithic_dt", 0.05, "-snes_rtol", 1e-12, "-ksp_rtol", 1e-8)
    for order, at in (2, 6), (3, 7):
        words = (*close, "-ts_bdf_order", order)
        whole = channel(0.8, *words).checkpoint()
        half = channel(0.8, *words, "-stop_steps", at)
        for ranks in 1, 2:
            again = channel(0.8, *words, "-case_restart", half.file("_checkpoint.h5"), np_=ranks).checkpoint()
            gate.at_most(f"order {order}, {ranks} ranks: difference from a run that was not ended", abs(whole - again).max() / abs(whole).max(), 1e-12)
    loose = (*close[:2], "-pc_renew_x", 60)  # states of another first guess differ
    for what, words in ("fixed", loose), ("adaptive", (*loose, "-ts_adapt_type", "basic", "-ts_rtol", 1e-2, "-ts_atol", 1e-2)):
        whole = channel(0.3, *words, "-output_checkpoint_every", 1).checkpoint()
        one = channel(0.3, *words, "-stop_steps", 1)
        again = channel(0.3, *words, "-output_checkpoint_every", 1, "-case_restart", one.file("_checkpoint.h5")).checkpoint()
        gate.at_most(f"{what}, behind the first step: difference from a run that was saved there", abs(whole - again).max() / abs(again).max(), 1e-12)
    whole = channel(0.3, *loose, "-output_checkpoint_every", 1).checkpoint()
    never = channel(0.3, *loose).checkpoint()
    gate.at_most("a run that is saved each step, from one that is not", abs(whole - never).max() / abs(never).max(), 1e-6)


def explicit(gate):
    """With the same projections, and a consistent mass against a corrected one."""
    forces = ("-diagnostic_forces", "top", "-stabiliser_split_oss_projection_corrections", 0)
    implicit = channel(0.6, "-scheme_monolithic_dt", 0.01, "-scheme_monolithic_projection", "lumped", *forces)
    ssp3 = channel(0.6, "-scheme", "fractional_step", "-scheme_fractional_step_dt", 0.0025, "-scheme_fractional_step_mass_corrections", 4, *forces)
    a, b = parts(implicit.checkpoint()), parts(ssp3.checkpoint())
    for what, most in ("velocity", 0.01), ("pressure", 0.01), ("stress", 0.05):
        gate.at_most(f"{what}: difference from ssp3", abs(a[what] - b[what]).max() / abs(b[what]).max(), most)
    gate.relative("force on a wall", float(implicit.table("_forces.csv")["top_x"][-1]), float(ssp3.table("_forces.csv")["top_x"][-1]), 0.005)


def adaptive(gate):
    exact = parts(channel(0.8, "-scheme_monolithic_dt", 0.005, "-snes_rtol", 1e-10).checkpoint())
    errors = []
    for tolerance in (3e-2, 3e-3):
        result = channel(0.8, "-scheme_monolithic_dt", 0.02, "-ts_adapt_type", "basic", "-ts_rtol", 0, "-ts_atol", tolerance)
        dt = result.table("_history.csv")["dt"]
        state = parts(result.checkpoint())
        errors.append(largest(abs(state[k] - exact[k]).max() / abs(exact[k]).max() for k in ("velocity", "stress")))
        gate.at_least(f"tolerance {tolerance}: longest over shortest step", float(max(dt) / min(dt)), 1.5)
        gate.near(f"tolerance {tolerance}: end of the run", float(result.table("_history.csv")["t"][-1]), 0.8, 1e-12)
    gate.at_most("error of the finer", errors[1], 3e-2)
    gate.at_least("errors of the two, ratio", errors[0] / errors[1], 2)
    state = parts(channel(0.8, "-scheme_monolithic_dt", 0.1, "-ts_type", "alpha", "-ts_adapt_type", "basic", "-ts_rtol", 0, "-ts_atol", 1e-3).checkpoint())
    for k in exact:
        gate.at_most(f"alpha: error of the {k}", abs(state[k] - exact[k]).max() / abs(exact[k]).max(), 2e-2)


def first(gate):
    exact = parts(channel(0.4, "-scheme_monolithic_dt", 0.0025, "-snes_rtol", 1e-10).checkpoint())
    size = {k: abs(exact[k]).max() for k in ("velocity", "stress")}
    for kind in ("cn", "beuler"):
        errors, steps = {}, []
        for tolerance, dt in (3e-2, 0.2), (1e-3, 0.2), (1e-3, 0.02):
            result = channel(0.4, "-ts_type", kind, "-scheme_monolithic_dt", dt, "-ts_adapt_type", "basic", "-ts_rtol", 0, "-ts_atol", tolerance, "-snes_rtol", 1e-10)
            state = parts(result.checkpoint())
            errors[tolerance, dt] = largest(abs(state[k] - exact[k]).max() / size[k] for k in size)
            steps.append(float(result.table("_history.csv")["t"][0 if result.table("_history.csv")["t"][0] > 0 else 1]))
        print(f"{kind}: errors {errors}, first steps {steps}")
        gate.at_most(f"{kind}: first step of the finer tolerance", steps[1], 0.1)
        gate.at_least(f"{kind}: errors of the two tolerances, ratio", errors[3e-2, 0.2] / errors[1e-3, 0.2], 3)
        gate.at_most(f"{kind}: error over that of a short first attempt", errors[1e-3, 0.2] / errors[1e-3, 0.02], 4)
    sudden = channel(0.1, "-ts_type", "beuler", "-scheme_monolithic_dt", 0.05, "-ts_adapt_type", "basic", "-ts_rtol", 0, "-ts_atol", 3e-2, wave="1")
    gate.near("beuler: end of a run that begins with a jump", float(sudden.table("_history.csv")["t"][-1]), 0.1, 1e-12)
    gate.at_most("its steps", counts(sudden)[0], 60)


def counts(result):
    """Steps, rejected, Newton's iterations, rule, set-ups, redone, seconds, solves, iterations, seconds."""
    return [x if x.isalpha() else float(x) for x in SUMMARY.search(result.stdout).groups()]


def renew(gate):
    rules = {"always": (), "never": (), "demand": ("-pc_renew_x", 30), "interval": ("-pc_renew_interval", 7), "iterations": ("-pc_renew_a", 5, "-pc_renew_b", 1.2), "cfl": ("-pc_renew_a", 16)}
    found = {rule: channel(0.8, "-scheme_monolithic_dt", 0.04, "-pc_renew", rule, *more, wave="6*sin(2.6*t)^2") for rule, more in rules.items()}
    n = {rule: counts(result) for rule, result in found.items()}
    always = found["always"].checkpoint()
    for rule, result in found.items():
        gate.at_most(f"{rule}: difference from always", abs(result.checkpoint() - always).max() / abs(always).max(), 1e-6)
        gate.true(f"{rule}: is what the summary says, of 20 steps", n[rule][3] == rule and n[rule][0] == 20)
    gate.true("always: a set-up each solve", n["always"][4] == n["always"][7])
    gate.true("never: one", n["never"][4] == 1)
    gate.true("interval: every seventh solve", n["interval"][4] == np.ceil(n["interval"][7] / 7))
    for rule in ("demand", "iterations", "cfl"):
        gate.true(f"{rule}: set-ups {n[rule][4]:g} between one and a quarter of {n['always'][4]:g}", 1 < n[rule][4] < 0.25 * n["always"][4])
    beyond = n["demand"][8] - n["demand"][7] * n["always"][8] / n["always"][7]
    gate.at_most("demand: iterations beyond those of always, a set-up", beyond / n["demand"][4], 2 * 30)
    abrupt = lambda *more: counts(channel(1.6, "-scheme_monolithic_dt", 0.05, PRESSURE, "fixed", *more, wave="1+0.5*sin(5*t)"))
    work = {rule[0]: 6 * n[4] + n[8] for rule in (("always",), ("interval", "-pc_renew_interval", 7), ("demand", "-pc_renew_x", 6)) for n in [abrupt("-pc_renew", *rule)]}
    print(f"abrupt start, a set-up worth 6 iterations: {work}")
    gate.at_most("abrupt start: work on demand, of the better of always and every seventh", work["demand"] / min(work["always"], work["interval"]), 1.03)
    auto = counts(channel(0.8, "-scheme_monolithic_dt", 0.04, wave="6*sin(2.6*t)^2"))
    gate.true("by measured times: fewer set-ups than always", auto[3] == "demand" and auto[4] < 0.5 * n["always"][4])


def failure(gate):
    steps = ("-scheme_monolithic_dt", 0.2, "-snes_max_it", 1)
    result = channel(0.8, *steps, "-ts_max_snes_failures", 1, expect=None)
    print(result.stderr.strip())
    for part in ("-scheme monolithic, after t = 0 s, the last good time", "Newton's method ended after 1 iterations", "the worst is that of ", " at (", "velocity", "pressure", "stress_0", "-ts_adapt_type basic", "logconf"):
        gate.true(f"failure: {part}", result.rc != 0 and part in result.stderr)
    late = channel(0.8, "-scheme_monolithic_dt", 0.1, "-snes_max_it", 4, "-ts_max_snes_failures", 1, wave="(t < 0.35 ? sin(1.3*t)^2 : 500)", expect=None)
    gate.refused(late, ("after t = 0.35 s, the last good time", "the last good state (step 20, t = 0.35) is in "))
    shorter = channel(0.3, "-scheme_monolithic_dt", 0.3, "-snes_max_it", 2, "-ts_type", "beuler")
    n = counts(shorter)
    gate.true(f"{n[1]:g} steps rejected by Newton's method, {n[0]:g} taken", n[1] >= 1 and n[0] > 1)
    loose = channel(0.3, "-scheme_monolithic_dt", 0.1, "-snes_atol", 1e30, "-ts_type", "beuler")
    gate.true("-snes_atol acts: an iteration a step", int(re.search(r"(\d+) Newton iterations", loose.stdout)[1]) == counts(loose)[0])


def finite(gate, side="cpu"):
    """A Newton's method that comes to a state that is not finite has failed: its step is tried again, shorter."""
    def stretch(*more, expect=0):
        return run.rheoplex("run", "-case_name", "stretch", "-mesh_box_faces", "10,6", "-mesh_box_lower", "0,-1", "-mesh_box_upper", "4,1", "-physics", "newtonian,fene_p", "-physics_newtonian_viscosity", 0.5,
                            "-physics_fene_p_viscosity", 0.6, "-physics_fene_p_lambda", 3, "-physics_fene_p_L2", 20, "-form_density", 2, "-bc_left_type", "inlet", "-bc_left_velocity", "1-y^4,0",
                            "-bc_left_polymer", "rest", "-bc_right_type", "outlet", "-bc_top_type", "wall", "-bc_bottom_type", "wall", "-polymer_variable", "logconf", "-scheme", "monolithic", "-stop_time", 1000,
                            *more, out=run.folder("monolithic"), expect=expect)

    result = stretch("-scheme_monolithic_dt", 4, "-stop_steps", 3, "-device", side)
    n = counts(result)
    gate.true(f"{n[1]:g} steps rejected, {n[0]:g} taken", n[1] >= 1 and n[0] == 3)
    gate.true("the state is finite", bool(np.isfinite(result.checkpoint()).all()))
    result = stretch("-scheme_monolithic_dt", 4, "-stop_steps", 3, "-ts_max_snes_failures", 1, "-device", side, expect=None)
    print(result.stderr.strip())
    for part in "the last good time", "Newton's method ended after", "a smaller -scheme_monolithic_dt", "-stabiliser_devss_theta 1;":
        gate.true(f"what ends it: {part}", result.rc != 0 and part in result.stderr)


def sudden(dt, lambda_, *more, expect=0):
    """An Oldroyd-B fluid that comes in developed at once, its mean velocity 1, between walls 2 apart."""
    return run.rheoplex("run", "-case_name", "sudden", "-mesh_box_faces", "12,8", "-mesh_box_lower", "0,-1", "-mesh_box_upper", "6,1", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 0.1,
                        "-physics_oldroydb_viscosity", 0.9, "-physics_oldroydb_lambda", lambda_, "-polymer_variable", "stress", "-stabiliser", "devss,split_oss", "-form_density", 3, "-bc_left_type", "inlet", "-bc_left_profile", "developed",
                        "-bc_left_mean_velocity", 1, "-bc_right_type", "outlet", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-scheme_monolithic_dt", dt, "-pc_renew", "always", "-output_fields", "false", *SCHEME, *more,
                        out=run.folder("monolithic"), expect=expect)


ATTEMPT = re.compile(r"iteration (\d+) of Newton's method, attempt (\d+) of the step from t = (\S+) s, with a time step of (\S+) s, after (\d+) s: \|R\| (\S+),")


def abrupt(gate):
    warned = lambda result: re.findall(r"warning: the first step, (\S+) s, is (\S+) times the flow's own time \(D/U (\S+) s with -bc_left_mean_velocity, the longest relaxation time (\S+) s\)(?s:.*)expected -scheme_monolithic_dt (\S+),", result.stderr)
    long = sudden(10, 0.5, "-stop_steps", 1)
    numbers = [float(x) for x in warned(long)[0]]
    gate.at_most("what is told: dt, over the longer of D/U with the fastest that is given and lambda, a tenth of the shorter", largest(np.abs(np.array(numbers) / (10, 10 / numbers[2], 1 / 1.5, 0.5, 0.05) - 1)), 0.06)
    state = long.file("_checkpoint.h5")
    for what, words in {"a shorter step": (3, 0.5), "relaxation at once": (10, 0.15), "a ramp": (10, 0.5, "-bc_left_ramp", 12), "steps by their error": (10, 0.5, "-ts_adapt_type", "basic"), "a state that flows": (10, 0.5, "-initial_velocity", "1,0"),
                        "a restart": (10, 0.5, "-case_restart", state, "-stop_steps", 2)}.items():
        gate.true(f"{what}: nothing is told", not warned(sudden(*words[:2], "-stop_steps", 1, *words[2:])))
    result = sudden(10, 2, "-stop_steps", 3, "-case_report_seconds", 1e-9, "-snes_converged_reason")
    n = counts(result)
    gate.true(f"{n[0]:g} steps, {n[1]:g} rejected", n[0] == 3 and n[1] == 2)
    gate.at_most("Newton iterations of these attempts (61 where none is ended early)", n[2], 45)
    ended = [int(k) for k in re.findall(r"DIVERGED_LOCAL_MIN iterations (\d+)", result.stdout)]
    gate.true(f"attempts that creep end after {ended} iterations, of 8 at least", len(ended) == 2 and min(ended) >= 8)
    failed = sudden(10, 2, "-stop_steps", 3, "-ts_max_snes_failures", 1, expect=1)
    reason = re.search(r"method ended after (\d+) iterations \((\w+)\)", failed.stderr)  # how many, and why, depends on rounding: the matrix is close to a singular one
    gate.true(f"the last attempt, of {reason[1]} iterations, is not: {reason[2]}", int(reason[1]) >= 8 and reason[2] != "DIVERGED_LOCAL_MIN")
    told = [(int(a), float(t), float(dt)) for _, a, t, dt, _, _ in ATTEMPT.findall(result.stdout)]
    gate.true("each attempt is told by its number and time step", all(abs(dt / (10 * 0.25 ** (a - 1)) - 1) < 1e-5 for a, _, dt in told) and {a for a, _, _ in told} == {1, 2} and len({t for _, t, _ in told}) == 3)
    gate.true("short runs tell nothing", not ATTEMPT.search(failed.stdout))
    slow = run.rheoplex("run", "-case_name", "lid", "-mesh_box_faces", "6,4", "-physics", "newtonian", "-physics_newtonian_viscosity", 0.1, "-form_density", 3, "-bc_top_type", "moving_wall", "-bc_top_velocity", "1,0",
                        "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-scheme_monolithic_dt", 0.05, "-stop_steps", 1, "-snes_type", "anderson", "-snes_max_it", 5000, *SCHEME, out=run.folder("anderson"))
    gate.true("a solver that is none of Newton's falls slowly and goes on", counts(slow)[1] == 0)
    often = ("-snes_max_it", 3, "-stop_steps", 1, "-ts_max_snes_failures", 12)  # many solves, each short
    seconds = sudden(30, 4, *often).table("_history.csv")["seconds"][-1]
    gate.true("the time without a word is that of all attempts", bool(ATTEMPT.search(sudden(30, 4, *often, "-case_report_seconds", seconds / 4).stdout)))


def stretching(*more, np_=1, expect=0):
    """Strands that are stretched at a stagnation point without an end and hardly act on the flow, which pulsates."""
    inlet = lambda sign: f"0,{sign}(1+0.5*sin(3*t))"
    return run.rheoplex("run", "-case_name", "stretching", "-mesh_box_faces", "6,6", "-mesh_box_lower", "-1,-1", "-mesh_box_upper", "1,1",
                        "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 1.4, "-physics_oldroydb_viscosity", 1e-14, "-physics_oldroydb_lambda", 10,
                        "-polymer_variable", "conformation", "-stabiliser", "split_oss", "-form_density", 3, "-form_convection", "false",
                        "-bc_left_type", "outlet", "-bc_right_type", "outlet", "-bc_bottom_type", "inlet", "-bc_bottom_velocity", inlet(""), "-bc_bottom_polymer", "rest",
                        "-bc_top_type", "inlet", "-bc_top_velocity", inlet("0-"), "-bc_top_polymer", "rest", "-scheme_monolithic_dt", 0.1, *SCHEME, *more, out=run.folder("stretching"), np=np_, expect=expect)


def lost(gate):
    for np_ in (1, 2):
        history = stretching("-stop_time", 11, "-stop_lost", 0, np_=np_).table("_history.csv")
        gate.at_most(f"np {np_}: mass that is lost, of what flows in, where the conformation is beyond 1e6", largest(np.abs(history["mass_error"][history["t"] > 9.5])), 1e-10)
    told = re.search(r"size of a mode of (\S+) at \(.+\) m, t = (\S+) s, expected at most (\S+), 1000 times", stretching("-stop_time", 11, "-stop_lost", 1000, expect=1).stderr)
    size, t, limit = (float(v) for v in told.groups())
    gate.at_most(f"at t = {t}: size of a mode over what is lost", size / limit, 1.5)
    gate.at_least("the same", size / limit, 1.0)


SWINGS = "the pressure swings from step to step, and forces with it"
SHORT = "the pressure of a step that is short beside the one before"


def swings(gate):
    """A wall that starts with an acceleration leaves the trapezoidal rule a pressure that swings undamped: told once; without one, and by bdf, nothing."""
    wall = ("-bc_top_type", "moving_wall", "-bc_top_velocity", "sin(2*t)*x*(3-x),0")
    for words, told in ((("-ts_type", "cn", *wall), 1), (("-ts_type", "cn"), 0), (("-ts_type", "bdf", *wall), 0), (("-ts_type", "theta", *wall), 0)):
        for np_ in (1, 2) if told else (1,):
            text = channel(0.8, "-scheme_monolithic_dt", 0.05, *words, np_=np_).stderr
            gate.true(f"{words[1]}{', a wall that starts' if wall[0] in words else ''}, np {np_}: told {told} times", text.count(SWINGS) == told)
    for box in ("-mesh_box_periodic", "x"), ("-bc_left_type", "outlet", "-bc_right_type", "outlet"):
        shear = run.rheoplex("run", "-mesh_box_faces", "4,4", "-physics", "newtonian", "-physics_newtonian_viscosity", 0.3, "-form_density", 3, "-stabiliser", "split_oss", "-ts_type", "cn", "-scheme_monolithic_dt", 0.05,
                             "-stop_steps", 12, "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "1-exp(-9*t),0", *box, *SCHEME, out=run.folder("monolithic"))
        gate.true(f"{box[0]}: simple shear, whose pressure is rounding, is told nothing", SWINGS not in shear.stderr)
    driven = run.rheoplex("run", "-mesh_box_faces", "3,4", "-mesh_box_periodic", "x", "-physics", "newtonian", "-physics_newtonian_viscosity", 0.3, "-form_density", 3, "-ts_type", "cn", "-scheme_monolithic_dt", 0.05,
                          "-stop_steps", 7, "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-form_mean_velocity", 1, *SCHEME, out=run.folder("monolithic"))
    moved = [w for side in ("left", "right", "bottom", "top") for w in (f"-bc_{side}_type", "moving_wall", f"-bc_{side}_velocity", "0,0.3*cos(3*t)")]
    for kind, end, told in ("theta", 0.5001, 1), ("alpha", 0.5001, 1), ("theta", 0.51, 0), ("cn", 0.5001, 0), ("bdf", 0.5001, 0):
        text = run.rheoplex("run", "-mesh_box_faces", "4,4", "-physics", "newtonian", "-physics_newtonian_viscosity", 0.3, "-form_density", 3, "-stabiliser", "split_oss", "-ts_type", kind, "-scheme_monolithic_dt", 0.02, *moved, "-initial_velocity", "0,0.3",
                            "-diagnostic_due_kind", "mean_pressure", "-diagnostic_due_label", "top", "-diagnostic_due_every_dt", 0.5, "-stop_time", end, *SCHEME, out=run.folder("monolithic")).stderr
        gate.true(f"{kind}, a last step up to {end} s: told {told} times", text.count(SHORT) == told)
    gate.true("a driving force that begins with an impulse is told", driven.stderr.count("the pressure or the driving force swings from step to step") == 1)


def ends(gate):
    """Couette flow; theta and alpha meet what is given inside a step, cn by both ends together. Density 3, np 2."""
    shear = ("-mesh_box_faces", "3,8", "-mesh_box_periodic", "x", "-physics", "newtonian,thermal", "-physics_newtonian_viscosity", 0.5, "-form_density", 3, "-physics_thermal_conductivity", 0.3, "-physics_thermal_heat_capacity", 1,
             "-stabiliser", "split_oss", "-bc_bottom_type", "wall", "-bc_bottom_temperature", "value 300", "-bc_top_type", "moving_wall", *SCHEME, "-scheme_monolithic_dt", 0.02, "-output_fields", "false")
    run_ = lambda u, T, *more, np_=1: run.rheoplex("run", "-case_name", "ends", *shear, "-bc_top_velocity", f"{u},0", "-bc_top_temperature", f"value {T}", *more, out=run.folder("monolithic"), np=np_)
    first = run_(1, 320, "-stop_steps", 5).file("_checkpoint.h5")
    for kind in ("cn", "theta", "alpha", "bdf"):
        for steps in (6, 7):
            state = run_(2, 340, "-ts_type", kind, "-stop_steps", steps, "-case_restart", first, np_=steps - 5).checkpoint().reshape(-1, 4)
            gate.near(f"{kind}, restart, step {steps}: largest velocity", state[:, 0].max(), 2, 1e-9)
            gate.near(f"{kind}, restart, step {steps}: largest temperature", state[:, 3].max(), 340, 1e-7)
        for steps in (24, 25):
            state = run_("1+(t>0.1)", "300+10*(1+(t>0.1))", "-ts_type", kind, "-stop_steps", steps).checkpoint().reshape(-1, 4)
            gate.near(f"{kind}, jump, step {steps}: largest velocity", state[:, 0].max(), 2, 1e-9)
            gate.near(f"{kind}, jump, step {steps}: largest temperature", state[:, 3].max(), 320, 1e-7)
    smooth = lambda kind, dt: run_("0.5*(1-cos(3*t))", "300+10*(1-cos(3*t))", "-ts_type", kind, "-stop_time", 1, "-scheme_monolithic_dt", dt, "-physics_newtonian_viscosity", 0.05).checkpoint().reshape(-1, 4)[:, [0, 3]]
    fine = smooth("cn", 0.0025)
    for kind in ("theta", "alpha"):
        error = [np.abs(smooth(kind, dt) - fine).max(axis=0) for dt in (0.05, 0.025)]
        for k, name in enumerate(("velocity", "temperature")):
            gate.at_least(f"{kind}, a wall that changes smoothly: order of the {name}", float(np.log2(error[0][k] / error[1][k])), 1.9)


def refused(gate):
    for words, parts_ in ((("-ts_type", "rk"), ("scheme_monolithic_integrator", "rk", "bdf")),
                          (("-ts_theta_theta", "0.6"), ("-ts_theta_theta",)),
                          (("-ts_nosuch", "1"), ("does nothing for scheme 'monolithic'",)),
                          (("-snes_nosuch", "1"), ("-snes_nosuch",)),
                          (("-ts_rtol", "x"), ('-ts_rtol: got "x"',)),
                          (("-ts_type", "theta", "-ts_theta_theta", "2"), ('-ts_theta_theta: got "2"', "from 0.5 to 1")),
                          (("-ts_type", "alpha", "-ts_alpha_radius", "nan"), ('-ts_alpha_radius: got "nan"',)),
                          (("-ts_bdf_order", "9"), ('-ts_bdf_order: got "9"', "from 1 to 6")),
                          (("-snes_stol", "nan"), ('-snes_stol: got "nan"',)),
                          (("-ksp_max_it", "-1"), ('-ksp_max_it: got "-1"',)),
                          (("-pressure_ksp_rtol", "0.1"), ("-pressure_ksp_rtol",)),
                          (("-ts_type", "beuler", "-scheme_monolithic_integrator", "cn"), ("are the same thing",)),
                          (("-pc_renew", "often"), ("often", "demand")),
                          (("-stabiliser_split_oss_projection_corrections", 2), ("got 2 corrections", "expected lumped projections"))):
        result = channel(0.1, *words, expect=None)
        print(result.stderr.strip())
        gate.true(f"{words[0]} {words[1]} is refused, with {parts_}", result.rc != 0 and all(part in result.stderr for part in parts_))


    told = lambda result: re.findall(r"warning: -pc_renew_(\w+) does nothing with -pc_renew (\w+), expected -pc_renew (.*)", result.stderr)
    for run_ in (lambda *w: channel(0.1, "-scheme_monolithic_dt", 0.05, *w)), (lambda *w: mixed("-scheme", "steady", "-device", "cpu", *w)):
        gate.true("a number of another rule of -pc_renew is told", told(run_("-pc_renew", "never", "-pc_renew_interval", 5)) == [("interval", "never", "interval")])
        gate.true("one of its own is not", not told(run_("-pc_renew", "iterations", "-pc_renew_a", 5, "-pc_renew_b", 2)))
    gate.true("-pc_renew_interval alone", told(channel(0.1, "-scheme_monolithic_dt", 0.05, "-pc_renew_interval", 5)) == [("interval", "demand", "interval")])


def pulse(gate):
    """Oldroyd-B past a confined cylinder, the flow rate between 0.2 and 1 of its largest; 40 steps over 1.3 periods."""
    found = {}
    for rule in (("always",), ("interval", "-pc_renew_interval", 7), ("demand",)):
        found[rule[0]] = run.rheoplex("run", "-case_name", "pulse", "-mesh_file", f"{run.MESHES}/confined_cylinder_half.msh", "-physics", "newtonian,oldroydb",
                                      "-physics_newtonian_viscosity", 0.59, "-physics_oldroydb_viscosity", 0.41, "-physics_oldroydb_lambda", 0.3, "-polymer_variable", "stress",
                                      "-stabiliser", "split_oss", "-bc_inlet_type", "inlet", "-bc_inlet_velocity", "1.5*(1-y^2/4)*(0.6-0.4*cos(2*t)),0", "-bc_inlet_polymer", "rest",
                                      "-bc_outlet_type", "outlet", "-bc_outlet_form", "gradient", "-bc_outlet_polymer", "zero", "-bc_wall_type", "wall", "-bc_cylinder_type", "wall",
                                      "-bc_axis_type", "symmetry", "-stop_steps", 40, "-scheme_monolithic_dt", 0.1, "-pc_renew", *rule, *SCHEME, out=run.folder("monolithic"))
    n = {rule: counts(result) for rule, result in found.items()}
    always = found["always"].checkpoint()
    for rule, result in found.items():
        gate.at_most(f"{rule}: difference from always", abs(result.checkpoint() - always).max() / abs(always).max(), 1e-6)
        gate.note(f"{rule}: set-ups", n[rule][4])
        gate.note(f"{rule}: iterations of linear solves", n[rule][8])
        gate.note(f"{rule}: seconds of set-ups", n[rule][6])
        gate.note(f"{rule}: seconds of linear solves", n[rule][9])
    gate.at_least("demand: share of set-ups saved", 1 - n["demand"][4] / n["always"][4], 0.86)


def main(check, *more):
    gate = Gate("_".join(("scheme_monolithic", check) + more))
    {"order": order, "rest": rest, "exact": exact, "ranks": ranks, "restart": restart, "explicit": explicit, "adaptive": adaptive, "first": first, "renew": renew, "failure": failure, "finite": finite, "abrupt": abrupt, "lost": lost, "ends": ends, "swings": swings, "refused": refused,
     "pulse": pulse}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
