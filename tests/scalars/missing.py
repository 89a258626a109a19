"""A restart from a checkpoint that lacks fields of the case: refused by name, or they begin with their initial values. missing.py <device> <ranks>"""
import sys

import numpy as np
import run
from gate import Gate

DT, STEPS = 0.004, 5
CAVITY = ["-mesh_box_faces", "7,6", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity",
          "16*x^2*(1-x)^2,0", "-physics_newtonian_viscosity", 0.2, "-form_density", 3, "-stabiliser", "split_oss", "-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", DT,
          "-pressure_ksp_rtol", 1e-13, "-output_every", 1]
DECAY, SUPPLY, START = 0.7, 0.4, 2.3
DYE = ["-form_scalar_convection", "convective", "-physics_passive_diffusivity", 0.03, "-physics_passive_decay", DECAY, "-physics_passive_supply", SUPPLY]
POLYMER = ["-physics_oldroydb_viscosity", 0.05, "-physics_oldroydb_lambda", 0.3]


def main(device, ranks):
    gate = Gate(f"scalars_missing_{device}_np{ranks}")

    def go(name, physics, *words, steps=STEPS, **more):
        return run.rheoplex("run", *CAVITY, "-device", device, "-case_name", name, "-physics", physics, *words, "-stop_steps", steps, out=run.folder("missing"), np=int(ranks), **more)

    flow = go("flow", "newtonian")
    old = flow.file("_checkpoint.h5")
    whole = go("whole", "newtonian", steps=2 * STEPS).checkpoint()
    bad = go("dye", "newtonian,passive", *DYE, "-case_restart", old, steps=2 * STEPS, expect=1)
    gate.true(f"a field that lacks is an error: {bad.stderr.strip()[:300]}",
              'got "velocity,pressure", expected "concentration" too, or -restart_missing_fields initial' in bad.stderr)
    new = go("dye", "newtonian,passive", *DYE, "-initial_concentration", START, "-case_restart", old, "-restart_missing_fields", "initial", steps=2 * STEPS)
    gate.true("initial values are told", "lacks the fields concentration: they begin with their initial values (-restart_missing_fields)" in new.stdout)
    z = DECAY * DT
    expected = SUPPLY / DECAY + (START - SUPPLY / DECAY) * (1 - z + z * z / 2) ** STEPS
    gate.at_most("uniform decay from the initial value, relative to Heun's", float(np.abs(new.checkpoint()[:, 3] / expected - 1).max()), 1e-11)
    gate.at_most("the flow goes on, largest difference", float(np.abs(new.checkpoint()[:, :3] - whole).max()), 1e-11)

    dyed = go("dyed", "newtonian,passive", *DYE, "-initial_concentration", "1+x*y")
    both = ["newtonian,oldroydb,passive", *DYE, *POLYMER, "-case_restart", dyed.file("_checkpoint.h5")]
    bad = go("both", *both, steps=2 * STEPS, expect=1)
    gate.true("a mode that lacks is an error", 'expected "stress_0" too' in bad.stderr)
    more = go("both", *both, "-restart_missing_fields", "initial", "-initial_stress", "0.02,0.01,0.03", steps=STEPS + 1)
    first, before = more.fields(0), dyed.fields(-1)
    gate.near("a field behind one that lacks is its own", float(np.abs(first["concentration"] - before["concentration"]).max()), 0, 1e-14)
    gate.near("and the pressure before it", float(np.abs(first["pressure"] - before["pressure"]).max()), 0, 1e-12)
    gate.at_least("largest pressure", float(np.abs(first["pressure"]).max()), 0.01)
    refused = go("fewer", "newtonian", "-case_restart", dyed.file("_checkpoint.h5"), "-restart_missing_fields", "initial", steps=2 * STEPS, expect=1)
    gate.true("a field that the case has not is refused", 'physics: got "newtonian,passive", expected "newtonian"' in refused.stderr)
    return gate.finish()


sys.exit(main(*sys.argv[1:]))
