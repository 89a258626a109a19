"""Which way ranks exchange values, on the emulated device: NCCL where each has a device, else the host; what is said of it."""
import os
import sys

import run
from gate import Gate

FLOW = ["run", "-case_name", "flow", "-mesh_box_faces", "6,5", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall",
        "-bc_top_velocity", "1,0", "-physics", "newtonian", "-physics_newtonian_viscosity", "0.1", "-stabiliser", "split_oss", "-scheme_lumped_dt", "0.002", "-initial_pressure", "1+x", "-form_source_pressure", "0.2+x",
        "-stop_steps", "4", "-device", "cuda"]  # a free pressure, and a right-hand side whose mean over all ranks has to go


def flow(*options, expect=0, **environment):
    os.environ.update(environment)
    result = run.rheoplex(*FLOW, *options, out=run.folder("exchange"), np=2, expect=expect)
    for name in environment:
        del os.environ[name]
    return result


def main():
    import numpy as np

    gate = Gate("emulated_exchange_choice")
    shared = flow()
    gate.true("ranks that share a device: through the host, and why", "messages through host memory (NCCL: ranks share a device)" in shared.stdout)
    own = flow(RHX_EMULATED_DEVICES="2")
    gate.true("a device a rank: by NCCL", "messages by NCCL 2.27.0" in own.stdout)
    gate.at_most("largest difference of the two states", float(np.abs(own.checkpoint() - shared.checkpoint()).max()), 1e-11)
    cpu = flow("-device", "cpu", "-pressure_ksp_rtol", "1e-13")
    gate.at_most("largest difference from the state without a device", float(np.abs(own.checkpoint() - cpu.checkpoint()).max()), 1e-9)
    host = flow("-exchange_transport", "host", RHX_EMULATED_DEVICES="2")
    gate.true("the host where it is asked for", "messages through host memory (NCCL: -exchange_transport host)" in host.stdout)
    failed = flow(RHX_EMULATED_DEVICES="2", RHX_EMULATED_NCCL_FAILS="1")
    gate.true("the host where NCCL does not start", "it does not start: invalid usage" in failed.stdout)
    for what, options, environment, words in (
            ("NCCL on a shared device", ["-exchange_transport", "nccl"], {}, "-exchange_transport: got nccl, expected host or auto, because NCCL cannot be taken: ranks share a device"),
            ("NCCL that is not there", ["-exchange_transport", "nccl", "-exchange_nccl", "/nowhere/libnccl.so.2"], {"RHX_EMULATED_DEVICES": "2"}, "/nowhere/libnccl.so.2")):
        refused = flow(*options, expect=1, **environment)
        gate.true(f"{what}: one sentence", refused.stderr.count("rheoplex: error:") == 1 and words in refused.stderr)
    return gate.finish()


sys.exit(main())
