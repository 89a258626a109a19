"""Files of an earlier, longer run of the case go once the first step of another one is finished, as far as its outputs would write them; behind a restart those
of later steps. What the program did not write, or this run's outputs do not, stays."""
import os
import shutil
import sys

import run
from gate import Gate

LINE = ["-diagnostic_l_kind", "line", "-diagnostic_l_from", "0,0.5", "-diagnostic_l_to", "1,0.5"]
MEANS = [w for name, words in {"a": ("average", "start", "0.009"), "w": ("wall_average", "start", "0.009", "label", "top"), "f": ("flux", "label", "top")}.items() for key, value in zip(("kind", *words[1::2]), (words[0], *words[2::2])) for w in (f"-diagnostic_{name}_{key}", value)]
CASE = ["run", "-case_name", "flow", "-device", "cpu", "-mesh_box_faces", "4,4", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "x*(1-x),0",
        "-physics", "newtonian", "-physics_newtonian_viscosity", "0.05", "-scheme_lumped_dt", "1e-3", "-output_every", "4"]
USERS = ["notes.txt", "flow_mine.csv", "flow_l_3.csv", "flow_l_0000012.csv", "flow_l_000012_edited.csv", "flow_l_000012.csv.old", "flow2_l_000012.csv", "flow_12.vtu", "flow_m_000012.csv", "flow.1_000012.vtu"]


def go(out, steps, *options, expect=0):
    return run.rheoplex(*CASE, *LINE, *MEANS, "-stop_steps", steps, *options, out=out, np=2, expect=expect)


def steps(out, ending, stem="flow"):
    """Of files that are no user's."""
    return sorted(int(f[len(stem) + 1:-len(ending)]) for f in os.listdir(out) if f not in USERS and f.startswith(f"{stem}_") and f.endswith(ending) and f[len(stem) + 1:-len(ending)].isdigit())


def main():
    gate = Gate("output_stale")
    out = run.folder("stale")
    go(out, 12, "-output_checkpoint_every", "8")
    gate.true("a long run", steps(out, ".vtu") == [0, 4, 8, 12] and steps(out, ".csv", "flow_l") == [0, 4, 8, 12] and all(os.path.exists(f"{out}/flow_{f}") for f in ("a.vtu", "w_top.csv", "f.csv")))
    for name in USERS:
        with open(f"{out}/{name}", "w") as f:
            f.write(name)
    go(out, 4)
    gate.true("a short one: its fields alone", steps(out, ".vtu") == [0, 4] and len(run.series(f"{out}/flow.pvd")[0]) == 2)
    gate.true("its lines alone", steps(out, ".csv", "flow_l") == [0, 4])
    gate.true("averages that it has not are gone", not os.path.exists(f"{out}/flow_a.vtu") and not os.path.exists(f"{out}/flow_w_top.csv"))
    gate.true("its table", list(run.table(f"{out}/flow_f.csv")["step"]) == [1, 2, 3, 4])
    shutil.copy(f"{out}/flow_checkpoint.h5", f"{out}/flow_checkpoint_4.h5")
    go(out, 16, "-case_restart", f"{out}/flow_checkpoint.h5")
    gate.true("a restart keeps what is from before it", steps(out, ".vtu") == [0, 4, 8, 12, 16] and steps(out, ".csv", "flow_l") == [0, 4, 8, 12, 16])
    gate.true("and has averages up to its end", os.path.exists(f"{out}/flow_a.vtu") and os.path.exists(f"{out}/flow_w_top.csv"))
    refused = go(out, 6, "-case_restart", f"{out}/flow_checkpoint_4.h5", "-diagnostic_f_label", "top,bottom", expect=1)
    gate.true("one whose table cannot go on leaves what there is", "cannot be continued" in refused.stderr and steps(out, ".vtu") == [0, 4, 8, 12, 16] and steps(out, ".csv", "flow_l") == [0, 4, 8, 12, 16])
    go(out, 6, "-case_restart", f"{out}/flow_checkpoint_4.h5")
    gate.true("one from an earlier checkpoint: no later fields", steps(out, ".vtu") == [0, 4, 6] and [int(f[-10:-4]) for f in run.series(f"{out}/flow.pvd")[1]] == [0, 4, 6])
    gate.true("nor averages of a later time, which it has not come to", not os.path.exists(f"{out}/flow_a.vtu") and not os.path.exists(f"{out}/flow_w_top.csv"))
    gate.true("nor lines", steps(out, ".csv", "flow_l") == [0, 4, 6] and list(run.table(f"{out}/flow_f.csv")["step"]) == [1, 2, 3, 4, 5, 6])
    go(out, 2, "-output_fields", "false")
    gate.true("fields stay where none are written", steps(out, ".vtu") == [0, 4, 6])
    gate.true("what is no output's stays, to the byte", all(os.path.exists(f"{out}/{f}") and open(f"{out}/{f}").read() == f for f in USERS) and os.path.exists(f"{out}/flow_checkpoint_4.h5"))
    return gate.finish()


sys.exit(main())
