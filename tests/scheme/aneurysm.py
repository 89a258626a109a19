"""Double aneurysm by Newton's method from rest, against what holds for the explicit scheme at rest (tests/case/aaa.py, tests/viscoelastic/cases.py): Re 50 and
500 on 200 x 40 quads, Re 50 on two ranks too, Carreau-Yasuda and PTT on 100 x 20. CPU seconds are printed."""
import os
import sys

import aaa
import cases
import run
from gate import Gate


def solve(gate, name, mesh, np_=1):
    before = os.times()
    result = run.rheoplex("run", f"{run.OPTIONS}/aaa_{name}.yaml", "-mesh_file", f"{run.MESHES}/aaa_{mesh}.msh", "-scheme", "steady", "-device", "cpu", "-bc_inlet_ramp", 0, "-bc_outlet_ramp", 0,
                          "-stop_steady_tol", 0, "-stop_min_time", 0, out=run.folder("aneurysm"), np=np_)
    after = os.times()
    work = result.table("_history.csv")
    gate.at_most(f"{name}, {mesh}: iterations of Newton's method", work["newton_iterations"][-1], 20)
    gate.at_most(f"{name}: |outflow/inflow - 1|", abs(work["mass_error"][-1]), 1e-4)
    gate.note(f"{name}: linear iterations", work["linear_iterations"][-1])
    gate.note(f"{name}: CPU seconds", after.children_user - before.children_user)
    return result


def main():
    gate = Gate("scheme_aneurysm")
    for name in "re50", "re500":
        result = solve(gate, name, "200x40")
        aaa.against_bounds(gate, result, name)
        gate.at_most(f"{name}: top-bottom asymmetry", aaa.asymmetry(result.fields()), 1e-6)
        if name == "re50":
            (points, _, *alone), (shared_points, _, *shared) = aaa.figures(result), aaa.figures(solve(gate, name, "200x40", 2))
            for value, exact in zip(shared_points + shared, points + alone):
                gate.relative("Re 50, two ranks: a separation or reattachment point, the wall's shear rate or pressure", value, exact, 1e-6)
    for name, check in ("carreau_yasuda", cases.carreau_yasuda), ("ptt", cases.ptt):
        check(gate, solve(gate, f"re100_{name}", "100x20"))
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
