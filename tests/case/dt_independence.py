"""The steady answer of the default variant does not depend on dt: AAA Re 100 on 100 x 20, dt and dt/4, residual 1e-9."""
import sys

import numpy as np
import run
from gate import Gate


def steady(dt):
    result = run.rheoplex("run", f"{run.OPTIONS}/aaa_re100.yaml", "-mesh_file", f"{run.MESHES}/aaa_100x20.msh",
                          "-scheme_lumped_dt", dt, "-stop_steady_tol", "1e-9", "-diagnostic_history_every", "100", out=run.folder("dt"))
    fields = result.fields()
    return fields["velocity"], result


def main():
    gate = Gate("case_dt_independence")
    coarse, run_coarse = steady(0.01)
    fine, run_fine = steady(0.0025)
    gate.at_most("largest nodal velocity difference of dt and dt/4, U", float(np.abs(coarse - fine).max()), 1e-5)
    gate.note("time at rest with dt, D/U", run_coarse.table("_history.csv")["t"][-1])
    gate.note("run time, s", run_coarse.seconds + run_fine.seconds)
    return gate.finish()


sys.exit(main())
