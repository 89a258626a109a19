"""Names of cases that XML, YAML and shells give a meaning are the names of their files."""
import json
import os
import sys

import run
from gate import Gate

NAME = "a & <b> \"c\" 'd' %s é_1"
CASE = ["run", "-mesh_box_faces", "3,3", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "wall",
        "-physics", "newtonian", "-physics_newtonian_viscosity", "1", "-stabiliser", "split_oss", "-scheme_lumped_dt", "1e-3", "-output_every", "2",
        "-output_formats", "vtu,vtkhdf"]


def main():
    gate = Gate("output_names")
    out = run.folder("names")
    first = run.rheoplex(*CASE, "-case_name", NAME, "-stop_steps", "4", out=out)
    times, files = run.series(first.file(".pvd"))
    gate.true("the series can be read and names the files", len(times) == 3 and all(os.path.exists(f) for f in files) and f"{NAME}_000004.vtu" in files[-1])
    gate.true("its fields can be read", len(run.Fields(files[-1]).points) == 16)
    again = run.rheoplex(*CASE, "-case_name", NAME, "-stop_steps", "6", "-case_restart", first.file("_checkpoint.h5"), out=out)
    times, files = run.series(again.file(".pvd"))
    gate.true("a restart goes on with it", len(times) == 4 and all(os.path.exists(f) for f in files))
    with open(again.file(".hdf.series")) as f:
        listed = [e["name"] for e in json.load(f)["files"]]
    gate.true("the series of .hdf too", len(listed) == 4 and f"{NAME}_000006.hdf" in listed and all(os.path.exists(f"{out}/{name}") for name in listed))
    effective = run.rheoplex("run", again.file("_effective.yaml"), "-case_restart", "", "-stop_steps", "2", out=run.folder("names"))
    gate.true("its effective options make the same names", os.path.basename(effective.file(".pvd")) == f"{NAME}.pvd")
    bad = run.rheoplex(*CASE, "-case_name", "a\tb", "-stop_steps", "1", out=out, expect=1)
    gate.true("a control character is refused", "-case_name" in bad.stderr and "control characters" in bad.stderr)
    for words, sentence in ((["-case_name", "n" * 100], "of 100 characters, expected at most 99"), (["-output_folder", "d/" * 1900], "got a path of 3800 characters, expected less than"),
                            (["-output_folder", "~/d"], "-output_folder: got '~/d', of which no shell replaces ~, expected the path in full"), (["-output_folder", "$HOME/d"], "of which no shell replaces $HOME,"),
                            ([f"-diagnostic_{'d' * 100}_kind", "health"], "got a name of 100 characters, expected at most 99")):
        bad = run.rheoplex(CASE[0], *words, *CASE[1:], "-stop_steps", "1", out=out, expect=None) if words[0] != "-output_folder" else run.rheoplex(*CASE, "-stop_steps", "1", out=words[1], expect=None)
        gate.true(f"{words[0][:20]}: {bad.stderr.strip()[-160:]}", bad.rc == 1 and sentence in bad.stderr)
    longest = run.rheoplex(*CASE, "-case_name", "n" * 99, f"-diagnostic_{'d' * 99}_kind", "health", "-stop_steps", "2", out=run.folder("names"))
    gate.true("the longest names are whole", os.path.exists(f"{longest.out}/{'n' * 99}_{'d' * 99}.csv"))
    beside(gate)
    return gate.finish()


def beside(gate):
    """Cases whose names make files that look like walls and modes of another one, in one folder with it: they stay. What was its own is kept."""
    out = run.folder("names")
    rows = ["-diagnostic_drag_kind", "forces", "-diagnostic_drag_label", "top"]
    for name in ("pipe_wall", "pipe_adjoint"):
        run.rheoplex(*CASE, *rows, "-case_name", name, "-stop_steps", "2", out=out)
    there = set(os.listdir(out))
    run.rheoplex(*CASE, "-case_name", "pipe", *rows, "-diagnostic_wall", "top", "-stop_steps", "2", out=out)
    gate.true("results of pipe_wall and pipe_adjoint stay where they are", there <= set(os.listdir(out)) and "pipe.1" not in os.listdir(out))
    own = [name for name in os.listdir(out) if name not in there and not name.startswith("pipe_wall_")]
    again = run.rheoplex(*CASE, "-case_name", "pipe", *rows, "-physics_newtonian_viscosity", "2", "-stop_steps", "2", out=out)
    kept = os.listdir(f"{out}/pipe.1")
    gate.true(f"those of another pipe are kept: {sorted(kept)}", "are kept in" in again.stdout and own and set(own) <= set(kept) and not there & set(kept) and there <= set(os.listdir(out)))


sys.exit(main())
