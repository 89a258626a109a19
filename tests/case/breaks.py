"""What is given in time jumps or has a kink: steps end there, and implicit ones begin short behind it. breaks.py <check>

found     times that `check` tells, of formulas that break off and of smooth ones; explicit and implicit steps end at them
cessation shear of an upper-convected Maxwell fluid of two modes stops between two steps: second order in dt alone, restarts at and behind the jump
unending  a run without an end: jumps far behind what is looked at first, and after a restart
strain    step strain within 1/2000 of a run, by -scheme auto and by steps of their error, and on to rest"""
import math
import re
import sys

import numpy as np
import run
from gate import Gate, largest

ETA, LAMBDA, HEIGHT = (300.0, 200.0), (0.7, 0.05), 1e-3


def shear(velocity, end, *words, rc=0, out=None, verb="run", U=1e-3):
    """A layer between plates, periodic, of which the upper one moves, in mm and Pa s."""
    return run.rheoplex(verb, "-case_name", "shear", "-case_velocity", U, "-case_length", HEIGHT, "-mesh_box_upper", "1e-3,1e-3", "-mesh_box_faces", "3,4", "-mesh_box_periodic", "x", "-physics", "oldroydb",
                        "-physics_oldroydb_modes", 2, "-physics_oldroydb_viscosity", ",".join(map(str, ETA)), "-physics_oldroydb_lambda", ",".join(map(str, LAMBDA)), "-form_density", 900,
                        "-polymer_variable", "stress", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", f"{velocity},0", *(("-stop_time", end) if end else ()), "-output_fields", "false",
                        *words, out=out or run.folder("breaks"), expect=rc)


def exact(rate, duration, t):
    """Shear stress and first normal stress difference after a shear of that duration from rest."""
    tau = n1 = 0.0
    for eta, lam in zip(ETA, LAMBDA):
        x = duration / lam
        tau += eta * rate * (1 - math.exp(-x)) * math.exp(-(t - duration) / lam)
        n1 += 2 * eta * lam * rate**2 * (1 - math.exp(-x) * (1 + x)) * math.exp(-(t - duration) / lam)
    return tau, n1


def errors(done, rate, duration, t):
    """Relative, of the sums of the modes in the middle of the layer at the end."""
    f = done.checkpoint()[7]
    tau, n1 = f[5] + f[8], f[3] - f[4] + f[6] - f[7]
    want = exact(rate, duration, t)
    return abs(tau / want[0] - 1), abs(n1 / want[1] - 1)


def told(velocity, end=10):
    line = re.search(r"jumps and kinks of what is given, t = ([\d., e+-]+) s", shear(velocity, end, "-scheme", "monolithic", "-scheme_monolithic_dt", 0.1, verb="check").stdout)
    return [float(t) for t in line[1].split(",")] if line else []


def found(gate):
    for formula, want in (("t<0.01 ? 1e-3 : 0", [0.01]), ("t<=5 ? 1e-3 : 0", [5]), ("1e-3*step(3*t-7)", [7 / 3]), ("1e-3*min(1,t/0.3)", [0.3]), ("1e-3*(mod(t,4)<2)", [2, 4, 6]), ("1e-3*abs(t-6)", [6]), ("t>5 ? 1e-3*sqrt(t-5) : 0", [5]), ("t>0 ? 1e-3 : 0", []), ("t<5 ? 1e-3 : 1.0005e-3", []),
                          ("t<0.0032 ? 1e-3 : (3*t<0.0135 ? 2e-3 : 0)", [0.0032, 0.0045]),
                          ("t<0.003 ? 1e-3 : (t<0.004 ? 2e-3 : 0)", [0.003, 0.004]), ("1e-3*sin(3*t)", []), ("1e-3*cos(20*(t-5))", []), ("1e-3*tanh((t-5)/1e-3)", []), ("1e-3*max(0,t-2)^2", []), ("1e-3*sin(1e5*t)", [])):
        got = told(formula)
        gate.true(f"{formula}: {want}, got {got}", len(got) == len(want) and np.allclose(got, want, rtol=1e-5, atol=0))
    implicit = "-scheme", "monolithic", "-scheme_monolithic_dt", 0.7e-6
    for words in (("-scheme", "lumped", "-scheme_lumped_dt", 0.7e-6), *((*implicit, "-scheme_monolithic_integrator", name) for name in ("bdf", "beuler", "theta", "cn", "alpha", "arkimex"))):
        t = shear("t<1e-5 ? 1e-3 : 0", 2e-5, *words).table("_history.csv")["t"]
        gate.at_most(f"{words[1]}, {words[-1]}: distance of a step's end from the jump", float(abs(t - 1e-5).min()), 1e-18)


def cessation(gate):
    dts, off = (0.02, 0.01, 0.005), []
    for dt in dts:
        off.append(errors(shear("t<0.5173 ? 2e-3 : 0", 1.5, "-scheme", "monolithic", "-scheme_monolithic_dt", dt), 2.0, 0.5173, 1.5))
    for name, e in zip(("shear stress", "first normal stress difference"), zip(*off)):
        for i in range(3):
            gate.note(f"{name}: error with dt {dts[i]}", e[i])
        for i in range(2):
            gate.at_least(f"{name}: order from dt {dts[i]} to {dts[i + 1]}", math.log2(e[i] / e[i + 1]), 1.8)
    close = ("-scheme", "monolithic", "-scheme_monolithic_dt", 0.02, "-snes_rtol", 1e-13, "-ksp_rtol", 1e-9)
    whole = shear("t<0.5173 ? 2e-3 : 0", 1.5, *close)
    for stop in ("0.5173", "0.53"):
        first = shear("t<0.5173 ? 2e-3 : 0", stop, *close)
        second = shear("t<0.5173 ? 2e-3 : 0", 1.5, *close, "-case_restart", first.file("_checkpoint.h5"))
        gate.at_most(f"difference that a restart at t = {stop} makes", float(abs(second.checkpoint() - whole.checkpoint()).max() / abs(whole.checkpoint()).max()), 1e-5 if stop == "0.53" else 1e-10)


def strain(gate):
    for words in ((), ("-scheme", "monolithic", "-ts_adapt_type", "basic")):
        off = errors(shear("t<0.01 ? 0.1 : 0", 1, *words), 100.0, 0.01, 1.0)
        gate.at_most(f"{words[2:] or 'auto'}: error of the stresses", float(largest(off)), 0.01)
    off = errors(shear("t<0.05 ? 0.02 : 0", 0.5, "-scheme", "monolithic", "-scheme_monolithic_dt", 0.1), 20.0, 0.05, 0.5)
    gate.at_most("half a step long: error of the stresses", float(largest(off)), 0.02)
    off = errors(shear("t<0.01 ? 0.1 : 0", 20), 100.0, 0.01, 20.0)
    gate.at_most("after 1/2000 of the run: error of the stresses, over the time that is left", float(largest(off)) / 20 * LAMBDA[0], 0.02)
    rest = shear("t<0.01 ? 0.1 : 0", 60)
    gate.true("a run goes on at rest", "the final time is reached" in rest.stdout)


def unending(gate):
    """Without an end jumps are met all the same beyond 1000 D/U, here 1 s, and after a restart."""
    words = ("-scheme", "monolithic", "-scheme_monolithic_dt", 0.03, "-stop_steps")
    lid = "1e-3*(mod(t,0.25)<0.1234)"
    jumps = np.sort(np.concatenate([np.arange(1, 16) * 0.25, np.arange(0, 15) * 0.25 + 0.1234]))
    whole = shear(lid, None, *words, 900, U=1)
    for name, done in (("in one", whole), ("restarted", shear(lid, None, *words, 900, "-case_restart", shear(lid, None, *words, 300, U=1).file("_checkpoint.h5"), U=1))):
        t = np.array(done.table("_history.csv")["t"])
        inside = [j for j in jumps if t[0] < j < t[-1]]
        gate.true(f"{name}: beyond 1.5 s, {t[-1]:.3g} s", t[-1] > 1.6)
        gate.at_most(f"{name}: the nearest step to a jump", largest(float(abs(t - j).min()) for j in inside), 1e-9)


if __name__ == "__main__":
    gate = Gate("case_breaks_" + sys.argv[1])
    globals()[sys.argv[1]](gate)
    sys.exit(gate.finish())
