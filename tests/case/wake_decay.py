"""The wake of a cylinder at Re 44, which must decay (critical Re 46.7): wake_decay.py [device]. The default scheme loses what a turned stream has left; forward Euler, which takes
u^2 dt/2 from the viscosity, says so."""
import sys

import numpy as np
import run
from gate import Gate

CASE = ["options/wake_cylinder_re50.yaml", "-physics_newtonian_viscosity", 1 / 44, "-initial_velocity", "1,0.5*exp(-(x-2)^2-y^2)", "-case_report_every", 1000, "-output_every", 0]


def swung(t, lift, start):
    """Largest distance from a smooth course in 20 s, more than two periods of the wake."""
    here = (t > start) & (t <= start + 20)
    return float(np.abs(lift[here] - np.polyval(np.polyfit(t[here] - start, lift[here], 3), t[here] - start)).max())


def main(device="cpu"):
    gate = Gate("case_wake_decay")
    result = run.rheoplex("run", *CASE, "-scheme", "auto", "-scheme_fractional_step_dt", 0.1, "-stop_time", 100, "-diagnostic_drag_kind", "forces", "-diagnostic_drag_label", "cylinder",
                          "-diagnostic_drag_coefficients", "-diagnostic_drag_every", 1, "-device", device, out=run.folder("wake_decay"))
    gate.true("the default is bdf2", "bdf2" in result.stdout)
    rows = result.table("_drag.csv")
    t, lift = np.array(rows["t"]), np.array(rows["cylinder_c_L"])
    swing = {start: swung(t, lift, start) for start in (40, 80)}
    gate.at_least("swing of c_L from 40 to 60 s", swing[40], 1e-6)
    gate.at_most("that from 80 to 100 s over it", swing[80] / swing[40], 0.5)
    gate.at_most("c_L at 100 s over that at 40 s, of a stream that was turned once", float(lift[-1] / np.interp(40, t, lift)), 0.75)
    said = run.rheoplex("run", *CASE, "-scheme", "lumped", "-scheme_lumped_dt", 0.005, "-stop_steps", 3, "-device", device, out=run.folder("wake_decay")).stdout
    gate.true("forward Euler warns", "forward Euler takes u^2 dt/2" in said and "% of the viscosity" in said)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
