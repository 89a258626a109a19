"""What the author of a condition or of a diagnostic forgets is an error with got and expected, when it is registered or before the run."""
import os
import sys

import common
import numpy as np
import run
from gate import Gate

CASE = ["run", "-case_name", "f", *common.plugin("outside_faulty"), "-physics", "newtonian", "-physics_newtonian_viscosity", 0.5, "-form_density", 3, "-stabiliser", "split_oss", "-mesh_box_faces", "4,3",
        "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "outside_lid", "-diagnostic_d_kind", "outside_table", "-scheme_lumped_dt", 1e-3, "-stop_steps", 3]
REGISTERED = {
    "rows": ["The condition 'outside_lid': the slot of its row 'factor' ends at byte 8, expected at most 0 (size"],
    "no_rows": ["The condition 'outside_lid': got 2 rows and no table"],
    "row_twice": ["The condition 'outside_lid': got two rows 'factor', expected one"],
    "no_choices": ["The condition 'outside_lid': got no choices of its row 'other'"],
    "unsaid": ["Condition 'outside_push' has the function traction, which its flags do not say"],
    "unmade": ["Condition 'outside_push' has no function traction, which its flags say it gives"],
    "no_help": ["The condition 'outside_lid': got no help of its row 'other'"],
}
BEFORE = {
    "unchanging": ["-bc_top_type outside_lid: got a velocity that is another one at t = 0.0013 s than at 0 s from a type without the function changes", "RHX_CHANGES_"],
    "comma": ["-diagnostic_d_kind: got the column 'a,b', expected a name without comma"],
    "line": ["-diagnostic_d_kind: got the column 'b c', expected a name without comma"],
    "unit": ["-diagnostic_d_kind: got the unit 'm,s' of the column 'a'"],
    "twice": ["-diagnostic_d_kind: got two columns 'a'"],
    "step": ["-diagnostic_d_kind: got the column 'step', which every table begins with"],
}
AT_A_STEP = {
    "short": ["-diagnostic_d_kind: got at least 3 values from evaluate of the kind 'outside_table', expected as many as the columns that its setup has added, 2"],
    "no_setup": ["-diagnostic_d_kind: got at least 3 values from evaluate of the kind 'outside_table'", "it has no setup: RhxDiagnosticAddColumn is called there"],
    "late": ["-diagnostic_d_kind: the kind 'outside_table' adds the column 'late' once steps are made, expected it in its setup"],
}


def case(fault, *words, **keywords):
    os.environ["RHEOPLEX_TEST_FAULT"] = fault
    return common.rheoplex(*CASE, *words, out=run.folder("faults"), **keywords)


def refused(gate, fault, sentences, np_=1, *words):
    done = case(fault, *words, expect=None, np=np_)
    errors = [line for line in done.stderr.splitlines() if line.startswith("rheoplex: error: ")]
    missing = [s for s in sentences if len(errors) != 1 or s not in errors[0]]
    gate.true(f"{fault}, np {np_}" + (f": lacks {missing}: {done.stderr.strip()[:400]}" if missing else ""), done.rc != 0 and not missing)


def main():
    gate = Gate("extensions_faults")
    good = case("none")
    gate.true("without a fault: columns", list(good.table("_d.csv")) == ["step", "t", "a", "b", "c"] and list(good.table("_d.csv")["c"]) == [3 + 1e-3 * k for k in (1, 2, 3)])
    gate.near("a lid that says that it changes", float(good.checkpoint()[:, 0].max()), 0.3 * 1.003, 1e-14)
    gate.near("one that does not, and says nothing", float(case("still").checkpoint()[:, 0].max()), 0.3, 1e-14)
    for faults in (REGISTERED, BEFORE, AT_A_STEP):
        for fault, sentences in faults.items():
            for np_ in (1, 2) if fault in ("rows", "unchanging", "twice", "no_setup") else (1,):
                refused(gate, fault, sentences, np_)
    refused(gate, "push", ["-bc_right_type outside_push: got a traction that is another one"], 2, "-bc_right_type", "outside_push")
    gate.true("an opening that says that it changes", case("none", "-bc_right_type", "outside_push").rc == 0)
    return gate.finish()


sys.exit(main())
