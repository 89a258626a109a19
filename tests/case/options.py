"""A file of options/ runs as it stands from the root of the repository, shortened to three steps (one where each is a steady state). Where
that already is a state whose figure the file's head expects, it is that figure. options.py <file>"""
import math
import os
import sys

import run

# Table, column, what its last value is divided by, what is expected, part of it by which it may differ.
EXPECTED = {
    "confined_cylinder_steady.yaml": [("_drag.csv", "cylinder_c_D", 1, 130.68, 1e-4)],
    "cylinder_re40.yaml": [("_drag.csv", "cylinder_c_D", 1, 1.531, 1e-3)],
    "dfg_2d1.yaml": [("_drag.csv", "cylinder_c_D", 1, 5.57954, 1e-3), ("_pressure.csv", "pressure_difference", 1, 0.11752, 4e-3)],
    "sphere_tube.yaml": [("_forces.csv", "sphere_x", 6 * math.pi, 5.955, 1e-3)],
    "taylor_couette_oldroydb.yaml": [("_torque.csv", "inner_torque", 1, -1.50796, 3e-3)],
}


def main(name):
    os.chdir(run.SOURCE)
    out = run.folder("options")
    steps = 1 if "scheme: steady" in open(f"options/{name}").read() else 3
    result = run.rheoplex("run", f"options/{name}", "-stop_steps", steps, out=out)
    history = result.table("_history.csv")
    print(f"{name}: last step {history['step'][-1]:.0f}, files {sorted(os.listdir(out))}")
    missed = 0
    for ending, column, unit, expected, part in EXPECTED.get(name, []):
        value = float(result.table(ending)[column][-1]) / unit
        good = abs(value / expected - 1) <= part
        print(f"{'ok' if good else 'MISSED'} {column}: {value:.9g}, expected {expected} within {part}")
        missed += not good
    return 0 if history["step"][-1] == steps and os.path.exists(f"{out}/{name[:-5]}.pvd") and not missed else 1


sys.exit(main(sys.argv[1]))
