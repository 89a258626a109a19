"""Refinement of dt alone, on one mesh: differences of successive results with dt, dt/2, dt/4 and dt/8 fall with the order of the
scheme. time.py channel heun|euler: an oscillating channel flow, whose pressure is nothing: order 2 and 1; the walls move in
time. time.py manufactured heun: the flow of manufactured.py, where the increments of the pressure leave order 1."""
import sys

import numpy as np
import run
from gate import Gate
from manufactured import T_END, case

CHANNEL = ["-case_name", "channel", "-mesh_box_faces", "3,8", "-mesh_box_periodic", "x", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.4",
           "-physics_oldroydb_modes", "2", "-physics_oldroydb_viscosity", "0.3,0.5", "-physics_oldroydb_lambda", "0.2,0.5", "-form_density", "3",
           "-stabiliser", "devss,split_oss", "-stabiliser_devss_theta", "0.5", "-form_body_force", "9*cos(6*t),0", "-bc_bottom_type", "wall",
           "-bc_top_type", "moving_wall", "-bc_top_velocity", "sin(5*t),0", "-stop_time", 0.4]
STEPS = (40, 80, 160, 320)


def main(flow, stepper):
    gate = Gate(f"order_time_{flow}_{stepper}")
    channel = flow == "channel"
    words = CHANNEL if channel else [*case(2, "stress"), "-mesh_box_faces", "8,8", "-stabiliser_split_oss_tau", "steady"]
    words, end = [*words, "-scheme_lumped_stepper", stepper, "-diagnostic_history_every", "1000"], 0.4 if channel else T_END
    states = [run.rheoplex("run", *words, "-scheme_lumped_dt", end / n, out=run.folder("time")).checkpoint() for n in STEPS]
    for state in states:
        state[:, 2] -= state[:, 2].mean()  # the pressure is free
    fields = [("velocity", slice(0, 2)), ("polymer", slice(3, None))] + ([] if channel else [("pressure", slice(2, 3))])
    for name, columns in fields:
        difference = [float(np.abs(a[:, columns] - b[:, columns]).max()) for a, b in zip(states, states[1:])]
        for n, value in zip(STEPS, difference):
            gate.note(f"{name}: {n} against {2 * n} steps", value)
        wanted = 2 if channel and stepper == "heun" else 1
        gate.near(f"{name}: order of the last two", float(np.log2(difference[-2] / difference[-1])), wanted, 0.15)
    return gate.finish()


sys.exit(main(*sys.argv[1:]))
