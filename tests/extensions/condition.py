"""A condition with a state, from outside: a Windkessel outlet. condition.py [device]

Plug flow: the flux is known, so the pressure over the compliance is that of its equation. Sheared channel flow that grows: the
same on 1, 2, 3 ranks; a restart goes on bit by bit."""
import math
import sys

import common
import h5py
import numpy as np
import run
from gate import Gate

RP, RD, C, DT = 0.3, 2.0, 0.7, 0.01
WINDKESSEL = [*common.plugin("outside_windkessel"), "-bc_right_type", "outside_windkessel", "-bc_right_proximal", RP, "-bc_right_distal", RD,
              "-bc_right_compliance", C, "-physics", "newtonian", "-physics_newtonian_viscosity", "0.5", "-stabiliser", "split_oss",
              "-scheme_lumped_dt", DT, "-bc_left_type", "inlet"]
PLUG = ["-mesh_box_faces", "6,4", "-mesh_box_upper", "1.5,0.8", "-bc_left_velocity", "1.3,0", "-bc_bottom_type", "symmetry", "-bc_top_type", "symmetry",
        "-initial_velocity", "1.3,0"]
SHEARED = ["-mesh_box_cell", "mixed", "-mesh_box_faces", "7,6", "-bc_left_velocity", "6*y*(1-y)*(1+t),0", "-bc_bottom_type", "wall", "-bc_top_type", "wall",
           "-initial_velocity", "6*y*(1-y),0", "-pressure_ksp_rtol", "1e-13", "-scheme_lumped_dt", "0.002"]
NAME = "condition_right_outside_windkessel"


def case(device, *words, **keywords):
    return common.rheoplex("run", "-case_name", "w", *WINDKESSEL, *words, "-device", device, out=run.folder("windkessel"), **keywords)


def kept(result):
    with h5py.File(result.file("_checkpoint.h5")) as f:
        return f.attrs[NAME][...]


def plug(gate, device):
    steps, flux = 40, 1.3 * 0.8
    result = case(device, *PLUG, "-stop_steps", steps)
    exact = [RD * flux * (1 - math.exp(-n * DT / (RD * C))) for n in (steps - 1, steps)]
    state = result.checkpoint()
    gate.near("pressure over the compliance", kept(result)[0], exact[1], 1e-9)
    gate.near("pressure of the outlet", kept(result)[1], exact[1] + RP * flux, 1e-9)
    gate.near("pressure in the flow, of the step before", float(state[:, 2].max()), exact[0] + RP * flux, 1e-8)
    gate.near("the same at its least", float(state[:, 2].min()), exact[0] + RP * flux, 1e-8)


def ranks(gate, device):
    one = case(device, *SHEARED, "-stop_steps", "20")
    for np_ in (2, 3):
        more = case(device, *SHEARED, "-stop_steps", "20", np=np_)
        gate.at_most(f"np {np_}: state of the flow", float(np.abs(more.checkpoint() - one.checkpoint()).max()), 1e-10)
        gate.at_most(f"np {np_}: state of the condition", float(np.abs(kept(more) - kept(one)).max()), 1e-10)
    gate.at_least("pressure of the outlet", kept(one)[1], 0.3)
    return one


def restart(gate, device, whole):
    first = case(device, *SHEARED, "-stop_steps", "10")
    second = case(device, *SHEARED, "-stop_steps", "20", "-case_restart", first.file("_checkpoint.h5"))
    tolerance = 0 if device == "cpu" else 1e-13
    gate.at_most("restart: state of the flow", float(np.abs(second.checkpoint() - whole.checkpoint()).max()), tolerance)
    gate.at_most("restart: state of the condition", float(np.abs(kept(second) - kept(whole)).max()), tolerance)
    plain = case(device, *SHEARED, "-stop_steps", "1", "-bc_right_type", "outlet", "-bc_right_velocity", "6*y*(1-y),0",
                 *[w for name in ("proximal", "distal", "compliance") for w in (f"-bc_right_{name}", "1")], expect=None)
    gate.true("options of another type are refused", plain.rc != 0 and "-bc_right_proximal: got an option that the type outlet does not take" in plain.stderr)


def main(device):
    gate = Gate(f"extensions_condition_{device}")
    plug(gate, device)
    whole = ranks(gate, device)
    restart(gate, device, whole)
    if device != "cpu":
        here = case("cpu", *SHEARED, "-stop_steps", "20")
        gate.at_most("host: state of the flow", float(np.abs(whole.checkpoint() - here.checkpoint()).max()), 1e-10)
        gate.at_most("host: state of the condition", float(np.abs(kept(whole) - kept(here)).max()), 1e-10)
    return gate.finish()


sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "cpu"))
