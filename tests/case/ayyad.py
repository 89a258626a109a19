"""The paper's scheme: variant ayyad, pressure by dissipation, streamline upwind, DEVSS theta 1; AAA Re 100 on 100 x 20.

flux   eps 0.01: outflow/inflow - 1 = -12 eps/Re within 10 % (the flux through a section of the relaxed continuity)
limit  eps 0.0021 is finite at t = 20; eps 0.0019 (dt 0.004 > 2 eps) blows up: one clear error, last good state saved"""
import os
import re
import sys

import numpy as np
import run
from gate import Gate

CASE = f"{run.OPTIONS}/aaa_re100_ayyad.yaml"
MESH = ("-mesh_file", f"{run.MESHES}/aaa_100x20.msh")


def flux(gate):
    result = run.rheoplex("run", CASE, *MESH, out=run.folder("ayyad"))
    history = result.table("_history.csv")
    gate.relative("outflow/inflow - 1 at eps 0.01", history["mass_error"][-1], -12 * 0.01 / 100, 0.10)
    gate.at_most("steady residual |du/dt|", history["du_dt"][-1], 1e-6)
    gate.note("time at rest, D/U", history["t"][-1])
    gate.note("run time, s", result.seconds)


def limit(gate):
    steady_off = ("-stop_steady_tol", "0", "-stop_time", "20")
    result = run.rheoplex("run", CASE, *MESH, "-scheme_lumped_dissipation_eps", "0.0021", *steady_off, out=run.folder("ayyad"))
    history = result.table("_history.csv")
    fields = result.fields()
    gate.near("eps 0.0021: time reached, D/U", history["t"][-1], 20, 1e-9)
    gate.at_most("eps 0.0021: largest velocity, U", float(abs(fields["velocity"]).max()), 4)
    result = run.rheoplex("run", CASE, *MESH, "-scheme_lumped_dissipation_eps", "0.0019", *steady_off, out=run.folder("ayyad"), expect=None)
    gate.true("eps 0.0019: exit code not zero", result.rc != 0)
    error = [line for line in result.stderr.splitlines() if line.strip()]
    gate.note("eps 0.0019: lines of error text", len(error))
    text = " ".join(error)
    gate.true("eps 0.0019: the error names field, place, time and dt",
              all(re.search(word, text) for word in (r"velocity|pressure|stress", r"\bt\b|time", r"dt", r"x|at")))
    gate.true("eps 0.0019: no stack of PETSc lines", "PETSC ERROR" not in result.stderr)
    checkpoints = [f for f in os.listdir(result.out) if f.endswith((".h5", ".hdf5"))]
    gate.true("eps 0.0019: a checkpoint is there", checkpoints)
    last = result.fields()
    gate.true("eps 0.0019: the state saved is finite", np.isfinite(last["velocity"]).all() and np.isfinite(last["pressure"]).all())


def main():
    gate = Gate(f"case_ayyad_{sys.argv[1]}")
    {"flux": flux, "limit": limit}[sys.argv[1]](gate)
    return gate.finish()


sys.exit(main())
