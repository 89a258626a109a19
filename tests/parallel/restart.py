"""A restart on the same ranks continues the run to 1e-12: 40 steps at once against 20 and 20; on one rank bit by bit where a run
wrote the checkpoint too, for after it the guesses of the pressure begin anew. restart.py <ranks>"""
import sys

import numpy as np
import run
from gate import Gate

CASE = ["run", f"{run.OPTIONS}/aaa_re50.yaml", "-mesh_file", f"{run.MESHES}/aaa_100x20.msh", "-stop_steady_tol", "0"]
LOOSE = ["-pressure_ksp_type", "cg", "-pressure_pc_type", "gamg", "-pressure_ksp_rtol", "1e-3", "-pressure_ksp_guess_type", "pod"]


def main(ranks):
    gate = Gate(f"parallel_restart_np{ranks}")
    whole = run.rheoplex(*CASE, "-stop_steps", "40", out=run.folder("restart"), np=ranks)
    half = run.rheoplex(*CASE, "-stop_steps", "20", out=run.folder("restart"), np=ranks)
    rest = run.rheoplex(*CASE, "-stop_steps", "40", "-case_restart", half.file("_checkpoint.h5"), out=run.folder("restart"), np=ranks)
    a, b = whole.checkpoint(), rest.checkpoint()
    gate.at_least("change between step 20 and 40", float(np.abs(a - half.checkpoint()).max()), 1e-3)
    gate.at_most("largest difference of the restarted run", float(np.abs(a - b).max()), 1e-12)
    gate.near("first step of the restarted history", rest.table("_history.csv")["step"][0], 21, 0)
    if ranks > 1:
        return gate.finish()
    whole = run.rheoplex(*CASE, *LOOSE, "-stop_steps", "30", "-output_checkpoint_every", "20", out=run.folder("restart"), np=ranks)
    half = run.rheoplex(*CASE, *LOOSE, "-stop_steps", "20", out=run.folder("restart"), np=ranks)
    rest = run.rheoplex(*CASE, *LOOSE, "-stop_steps", "30", "-case_restart", half.file("_checkpoint.h5"), out=run.folder("restart"), np=ranks)
    gate.near("largest difference with a loose tolerance", float(np.abs(whole.checkpoint() - rest.checkpoint()).max()), 0, 0)
    return gate.finish()


sys.exit(main(int(sys.argv[1])))
