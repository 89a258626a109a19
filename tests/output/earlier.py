"""Results of earlier runs in the output folder: a run that is refused before its first step is finished leaves every byte;
those of another case are kept beside. earlier.py <ranks>"""
import os
import sys

import run
from gate import Gate

RANKS = int(sys.argv[1])
CASE = ["run", "-case_name", "flow", "-device", "cpu", "-mesh_box_faces", "6,5", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall",
        "-bc_top_type", "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2,0", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.05",
        "-physics_oldroydb_viscosity", "0.05", "-physics_oldroydb_lambda", "0.3", "-stabiliser", "split_oss", "-scheme_lumped_dt", "1e-3",
        "-stop_steps", "12", "-output_every", "4", "-output_formats", "vtu,vtkhdf", "-diagnostic_forces", "top", "-diagnostic_wall", "bottom"]
ENDINGS = [".pvd", "_000000.vtu", "_000012.vtu", ".hdf.series", "_000012.hdf", "_history.csv", "_forces.csv", "_wall_bottom.csv", "_wall_bottom_points.csv", "_checkpoint.h5", "_effective.yaml"]


def go(out, *options, expect=0):
    return run.rheoplex(*CASE, *options, out=out, np=RANKS, expect=expect)


def contents(out):
    return {f: open(f"{out}/{f}", "rb").read() for f in os.listdir(out) if os.path.isfile(f"{out}/{f}")}


def steps(out):
    return [int(s) for s in run.table(f"{out}/flow_history.csv")["step"]]


def main():
    gate = Gate(f"output_earlier_np{RANKS}")
    out = run.folder("earlier")
    go(out)
    before = contents(out)
    gate.true("an earlier run", all(f"flow{e}" in before for e in ENDINGS))
    for what, options in (("a solver that fails", ["-pressure_ksp_type", "preonly", "-pressure_pc_type", "none", "-stop_steps", "1"]),
                          ("a first step that is not finite", ["-scheme_lumped_dt", "1e200"]),
                          ("a checkpoint that is none", ["-case_restart", f"{out}/flow.pvd"]),
                          ("an end before the start", ["-case_restart", f"{out}/flow_checkpoint.h5"])):
        result = go(out, *options, expect=1)
        gate.true(f"{what}: every byte is left: {result.stderr.splitlines()[0][:100]}", contents(out) == before and sorted(os.listdir(out)) == sorted(before))

    again = go(out, "-stop_steps", "8", "-output_every", "2", "-case_report_every", "1")
    gate.true("the same case again replaces", steps(out) == list(range(1, 9)) and not os.path.exists(f"{out}/flow.1") and "another case" not in again.stdout)
    state = f"{out}/flow_checkpoint.h5.earlier"
    gate.true("its state is kept, which is told", again.stdout.count(f"the last state of an earlier run of this case is kept in {state}; its other results are replaced\n") == 1 and contents(out)[os.path.basename(state)] == before["flow_checkpoint.h5"])
    if RANKS == 1:
        on = go(out, "-case_restart", state, "-stop_steps", "14")
        gate.true("a run goes on from it", steps(out)[-1] == 14 and "is kept in" not in on.stdout and contents(out)[os.path.basename(state)] == before["flow_checkpoint.h5"])
        go(out, "-stop_steps", "8", "-output_every", "2")
    gate.true("its series is new", len(run.series(f"{out}/flow.pvd")[0]) == 5)
    first = contents(out)
    other = go(out, "-physics_newtonian_viscosity", "0.1")
    gate.true("another case: said in one line", other.stdout.count(f"kept in {out}/flow.1\n") == 1)
    gate.true("another case: every earlier byte is beside", contents(f"{out}/flow.1") == first)
    gate.true("another case: the series beside can be read", all(len(run.Fields(f).points) >= 42 for f in run.series(f"{out}/flow.1/flow.pvd")[1]))
    gate.true("another case: its own results are whole", steps(out) == list(range(1, 13)) and sorted(contents(out)) == sorted(before))
    if RANKS > 1:
        return gate.finish()
    second = contents(out)
    go(out, "-physics_newtonian_viscosity", "0.2", "-output_fields", "0")
    gate.true("a third case: the second is beside too", contents(f"{out}/flow.2") == second and contents(f"{out}/flow.1") == first)

    go(out, "-physics_newtonian_viscosity", "0.3", "-output_fields", "0", "-case_restart", f"{out}/flow_checkpoint.h5", "-stop_steps", "16")
    gate.true("a restart from this folder goes on, whatever is changed", steps(out) == list(range(1, 17)) and not os.path.exists(f"{out}/flow.3"))
    third = contents(out)
    gate.true("its options say that the state it began with is no more", b"# It began with the state that was in case_restart at step 12," in third["flow_effective.yaml"] and b"It began" not in second["flow_effective.yaml"])
    go(out, "-case_restart", f"{out}/flow.1/flow_checkpoint.h5", "-stop_steps", "10")
    gate.true("a restart from elsewhere among results of another case", contents(f"{out}/flow.3") == third and steps(out) == [9, 10])
    os.remove(f"{out}/flow_effective.yaml")
    unknown = contents(out)
    go(out)
    gate.true("results that do not say of what", contents(f"{out}/flow.4") == unknown)
    sweep = run.folder("earlier")
    go(sweep)
    for viscosity, number in ((0.1, 0), (0.2, 1)):
        run.rheoplex(*CASE, "-case_name", "next", "-physics_newtonian_viscosity", viscosity, "-case_restart", f"{sweep}/flow_checkpoint.h5", "-stop_steps", 20 - 4 * number, out=sweep)
    gate.true("one of another case in the folder: an earlier run that began there is kept beside", [int(s) for s in run.table(f"{sweep}/next.1/next_history.csv")["step"]][-1] == 20 and [int(s) for s in run.table(f"{sweep}/next_history.csv")["step"]][-1] == 16)
    run.rheoplex(*CASE, "-case_name", "fl", out=out, np=RANKS)
    gate.true("another name: another case's files are not its", not os.path.exists(f"{out}/fl.1") and steps(out) == list(range(1, 13)))
    return gate.finish()


sys.exit(main())
