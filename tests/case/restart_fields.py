"""A restart with other laws, modes or another representation comes to the steady state of a fresh run. restart_fields.py"""
import sys

import numpy as np
import run
from gate import Gate

CHANNEL = ["-mesh_box_cell", "mixed", "-mesh_box_faces", "3,6", "-mesh_box_periodic", "x", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-form_body_force", "3,0", "-stabiliser", "split_oss", "-device", "cpu",
           "-physics_newtonian_viscosity", "0.6", "-scheme_lumped_dt", "0.006", "-output_fields", "false", "-pressure_ksp_rtol", "1e-12", "-diagnostic_history_every", "100"]
LAWS = {"oldroydb": ["-physics", "newtonian,oldroydb", "-physics_oldroydb_viscosity", "0.4", "-physics_oldroydb_lambda", "0.2"],
        "giesekus": ["-physics", "newtonian,giesekus", "-physics_giesekus_viscosity", "0.4", "-physics_giesekus_lambda", "0.2", "-physics_giesekus_alpha", "0.2"],
        "two": ["-physics", "newtonian,oldroydb", "-physics_oldroydb_modes", "2", "-physics_oldroydb_viscosity", "0.3,0.1", "-physics_oldroydb_lambda", "0.2,0.1"]}


def go(law, variable, *words, np_=1, expect=0, steady="1e-8"):
    return run.rheoplex("run", "-case_name", "r", *CHANNEL, *LAWS[law], "-polymer_variable", variable, "-stop_steady_tol", steady, "-stop_time", "60", *words, out=run.folder("restart"), np=np_, expect=expect)


def dye(gate):
    """A scalar field behind two modes, onto one mode in another representation."""
    words = ["-physics_passive_diffusivity", "0.01", "-initial_concentration", "2+x-y", "-stop_steady_tol", "0"]
    laws = lambda law: ["-physics", f"{LAWS[law][1]},passive"]
    first = go("two", "logconf", *words, *laws("two"), "-stop_steps", "3")
    for law, np_ in (("oldroydb", 1), ("two", 2)):
        begun = go(law, "stress", *words, *laws(law), "-initial_concentration", "7", "-case_restart", first.file("_checkpoint.h5"), "-case_restart_fields", "conformation", "-stop_steps", "4", np_=np_)
        gate.at_most(f"{law}: the dye goes on", float(np.abs(begun.checkpoint()[:, -1] - first.checkpoint()[:, -1]).max()), 0.05)
        gate.true(f"{law}: nothing is said to lack", "lacks the fields" not in begun.stdout)
    flow = go("two", "stress", *words, *laws("two"), "-initial_concentration", "7", "-case_restart", first.file("_checkpoint.h5"), "-case_restart_fields", "flow", "-stop_steps", "4")
    gate.true("the flow alone: it begins anew, and is told", "concentration, or they are not taken: they begin with their initial values (-case_restart_fields)" in flow.stdout and abs(flow.checkpoint()[:, -1].mean() - 7) < 0.1)


def main():
    gate = Gate("case_restart_fields")
    steps = lambda result: int(run.table(result.file("_history.csv"))["step"][-1])
    near = go("oldroydb", "stress", steady="1e-4")
    old = go("oldroydb", "stress", "-case_restart", near.file("_checkpoint.h5"), "-stop_steady_tol", "0", "-stop_steps", steps(near) + 20, np_=2)
    last = steps(old)
    start = ["-case_restart", old.file("_checkpoint.h5"), "-case_restart_fields"]
    for law, variable, np_ in (("oldroydb", "logconf", 3), ("giesekus", "conformation", 1), ("two", "stress", 2)):
        fresh = go(law, variable)
        begun = go(law, variable, *start, "conformation", "-stop_steady_tol", "0", "-stop_steps", last + 20, np_=np_)
        gate.true(f"{law}, {variable}, np 2 -> {np_}: told", "velocity and pressure are taken, 1 modes by their conformation" in begun.stdout)
        gate.true(f"{law}, {variable}: modes that lack are told", ("lacks the fields stress_1" in begun.stdout) == (law == "two"))
        again = go(law, variable, "-case_restart", begun.file("_checkpoint.h5"))
        gate.at_most(f"{law}, {variable}, np 2 -> {np_}: the steady state of a fresh run", float(np.abs(again.checkpoint() - fresh.checkpoint()).max()), 1e-6)
    same = go("oldroydb", "logconf", *start, "conformation", "-stop_steady_tol", "0", "-stop_steps", last + 1)
    gate.at_most("a state near rest goes on in the logarithm, as far as the mesh allows: |du/dt|", float(same.table("_history.csv")["du_dt"][-1]), 0.03)
    flow = go("giesekus", "logconf", *start, "flow", "-stop_steady_tol", "0", "-stop_steps", last + 1)
    gate.true("the flow alone", "0 modes by their conformation" in flow.stdout and "begin with their initial values" in flow.stdout)
    gate.near("its velocity", float(flow.checkpoint()[:, 0].max()), float(old.checkpoint()[:, 0].max()), 0.03)
    done = go("giesekus", "stress", "-case_restart", old.file("_checkpoint.h5"), expect=None)
    gate.true("other laws without being asked are refused", done.rc != 0 and 'physics: got "newtonian,oldroydb:0", expected "newtonian,giesekus:0"' in done.stderr)
    gate.true("and told what takes it", "-case_restart_fields conformation (or flow) takes what both have" in done.stderr)
    dye(gate)
    return gate.finish()


sys.exit(main())
