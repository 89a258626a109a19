"""The wake of a cylinder at Re 44, which must decay, and at Re 50, which must not (critical Re 46.6: Sipp and Lebedev, J. Fluid Mech. 593 (2007) 333), from a small disturbance
by bdf2, options/cylinder_onset.yaml: wake_decay.py [device]. Forward Euler, which takes u^2 dt/2 from the viscosity, says so."""
import sys

import numpy as np
import run
from gate import Gate
from scipy.optimize import curve_fit

QUIET = ["-case_report_every", 1000, "-output_every", 0]


def mode(t, lift):
    """Growth rate and angular frequency of what swings about a cubic from 60 to 180 s."""
    here = (t >= 60) & (t <= 180)
    x = t[here] - 60
    swing = lift[here] - np.polyval(np.polyfit(x, lift[here], 3), x)
    wave = lambda x, a, b, rate, frequency: np.exp(rate * x) * (a * np.cos(frequency * x) + b * np.sin(frequency * x))
    return curve_fit(wave, x, swing, p0=[swing[0], swing[0], 0, 0.74], maxfev=20000)[0][2:]


def main(device="cpu"):
    gate, rates = Gate("case_wake_decay"), []
    for re in (44, 50):
        result = run.rheoplex("run", f"{run.OPTIONS}/cylinder_onset.yaml", *QUIET, "-physics_newtonian_viscosity", 1 / re, "-stop_time", 180, "-device", device, out=run.folder("wake_decay"))
        rows = result.table("_drag.csv")
        rate, frequency = mode(np.array(rows["t"]), np.array(rows["cylinder_c_L"]))
        rates.append(float(rate))
        gate.note(f"Re {re}: growth rate, U/D", rates[-1])
        gate.near(f"Re {re}: angular frequency, U/D", float(frequency), 0.735, 0.015)
    gate.near("critical Re, between the two", 44 + 6 * rates[0] / (rates[0] - rates[1]), 46.6, 0.8)
    gate.near("growth at Re 50, by the spectrum on this mesh 0.0119", rates[1], 0.0119, 0.004)
    said = run.rheoplex("run", f"{run.OPTIONS}/wake_cylinder_re50.yaml", *QUIET, "-initial_velocity", "1,0", "-scheme", "lumped", "-scheme_lumped_dt", 0.005, "-stop_steps", 3, "-device", device, out=run.folder("wake_decay")).stdout
    gate.true("forward Euler warns", "forward Euler takes u^2 dt/2" in said and "% of the viscosity" in said)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
