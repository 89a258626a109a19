"""Every message about a key of a case names its line, however the case is written; what the user sets is no line of the case."""
import sys

import run

HERE = run.folder("lines")
HEAD = """# dt: a remark that looks like a key
mesh: {box_faces: "4,4"}
physics: newtonian
"""
TAIL = """physics_newtonian: {viscosity: 0.01}
stabiliser: split_oss
bc_left: {type: wall}
bc_right: {type: wall}
bc_bottom: {type: wall}
"""
TOP = 'bc_top: {type: moving_wall, velocity: "x,0"}\n'
STOP = "stop: {steps: 1}\n"
# case and words of the message; @ stands before the line that has to be told.
CASES = {
    "unknown option": (HEAD + TAIL + TOP + STOP + "@scheme_lumped: {ddt: 0.1}\n", "-scheme_lumped_ddt"),
    "unknown option of a group of many lines": (HEAD + TAIL + TOP + STOP + "scheme_lumped: {\n  cfl: 0.9, # ddt: 1\n@  ddt: 0.1,\n  stepper: euler}\n", "-scheme_lumped_ddt"),
    "bound in a block": (HEAD + TAIL + TOP + STOP + "scheme_lumped:\n  cfl: 0.9\n@  dt: -0.1\n  stepper: euler\n", "-scheme_lumped_dt", "> 0"),
    "no newline at the end": (HEAD + TAIL + TOP + STOP + "@scheme_lumped_dt: -1", "-scheme_lumped_dt"),
    "formula": (HEAD + TAIL + 'bc_top: {type: moving_wall,\n@  velocity: "x,"}\n' + STOP, "-bc_top_velocity", "formula"),
    "one of two groups in brackets": (HEAD + STOP + "stabiliser: split_oss\nphysics_newtonian: {viscosity: 1}\nbc: {left: {type: wall,\n }, right: {\n@   type: wal}, bottom:\n {type: wall},\n top: {type: wall}}\n",
                                      "-bc_right_type", "'wal'"),
    "label without faces": (HEAD + TAIL + TOP + STOP + "@bc_lid: {type: wall}\n", "bc_lid_type", "'lid'"),
    "label of a diagnostic": (HEAD + TAIL + TOP + "diagnostic:\n@  forces: lid\n" + STOP, "-diagnostic_forces", "'lid'"),
    "a diagnostic in the plural": (HEAD + TAIL + TOP + "diagnostics:\n  drag:\n    kind: forces\n@    label: lid\n" + STOP, "-diagnostic_drag_label", "'lid'"),
    "typo in the block of another scheme": (HEAD + TAIL + TOP + STOP + "scheme: fractional_step\nscheme_fractional_step: {dt: 0.1}\nscheme_lumped:\n  cfl: 0.9\n@  ddt: 0.1\n",
                                            "-scheme_lumped_ddt"),
    "value in the block of another scheme": (HEAD + TAIL + TOP + STOP + "scheme: fractional_step\nscheme_fractional_step: {dt: 0.1}\nscheme_lumped:\n@  dt: -0.1\n",
                                             "-scheme_lumped_dt", "> 0"),
    "law": (HEAD.replace("physics: newtonian", "@physics: newtonia") + TAIL + TOP + STOP, "newtonia", "newtonian?"),
    "by a merge": ("$$w: &w {type: wal}\n" + HEAD + TAIL.replace("bc_right: {type: wall}", "bc_right:\n@  <<: *w") + TOP + STOP, "-bc_right_type", "'wal'"),
    "after many lines": (HEAD + "# remark\n" * 300 + "bc: {left: {type: wall},\n" + "# remark\n" * 100 + "  right: {type: wall}, bottom: {type: wall}}\n" + TOP + STOP +
                         "stabiliser: split_oss\n" + "\n" * 100 + "@physics_newtonian_viscosity: -1\n" + "# remark\n" * 300, "-physics_newtonian_viscosity"),
    "twice": (HEAD + TAIL + TOP + STOP + "mesh_scale: 2\n@mesh: {scale: 3}\n", "-mesh_scale", "twice", "in line 11 and in line 12"),
    "not for a case": (HEAD + TAIL + "@malloc_dump: true\n" + TOP + STOP, "-malloc_dump", "may not"),
    "a viewer elsewhere": (HEAD + TAIL + TOP + "@dm_view: ascii:/tmp/x\n" + STOP, "-dm_view"),
    "empty key": (HEAD + TAIL + TOP + STOP + "@bc_top_: 1\n", "empty key"),
    "no name": (HEAD + TAIL + "@a b: 1\n" + TOP + STOP, "'a b'"),
    "another file": (HEAD + "@more: !include other.yaml\n" + TAIL, "!include"),
    "no YAML": (HEAD + "@mesh_scale: {1\n" + TAIL, "not YAML"),
    "no value in a group": (HEAD + TAIL + TOP + "stop:\n@  time:\n  steps: 1\n", "-stop_time", "without a value", "key: value"),
    "no value at the end": (HEAD + TAIL + TOP + STOP + "@output_dt:", "-output_dt", "without a value"),
    "no value, a remark": (HEAD + TAIL + TOP + STOP + "@output_folder: # none yet\n", "-output_folder", "without a value"),
    "no value, a remark with quotes": (HEAD + TAIL + TOP + STOP + "@output_folder: # see 'x#' or '' or [] | >\n", "-output_folder", "without a value"),
    "no value in braces": (HEAD + TAIL + "@bc_top: {type: moving_wall, velocity: }\n" + STOP, "-bc_top_velocity", "without a value"),
    "a decimal comma in braces": (HEAD + TAIL + TOP + "@stop: {time: 0,5}\n", "-stop_5", "without a value", "decimal point"),
    "a list without brackets in braces": (HEAD + TAIL.replace("physics_newtonian: {", "@physics_newtonian: {values: 1.5e3,2.5e3, ") + TOP + STOP, "-physics_newtonian_2.5e3", "without a value", "list without brackets"),
    "no value of a law": (HEAD + TAIL.replace("physics_newtonian: {v", "@physics_newtonian: {density: , v") + TOP + STOP, "-physics_newtonian_density", "without a value"),
    "no keys below": (HEAD + "@output:\n" + TAIL + TOP + STOP, "-output", "without a value", "keys below it, indented"),
    "no value before a brace": (HEAD + TAIL + TOP + "@stop: {time:}\n", "is not YAML", "got the key 'time' without a value, expected time: value"),
    "no value before a comma": (HEAD + TAIL + "@bc_top: {type:, velocity: 'x:y'}\n" + STOP, "got the key 'type' without a value"),
    "no blank": (HEAD + TAIL + TOP + "@stop_steps:1\n", "is not YAML", "got no blank behind 'stop_steps:', expected stop_steps: value"),
    "no blank in quotes is none": (HEAD + TAIL + TOP + STOP + "@case: {name: 'a:b', x: [}\n", "begins what is not YAML"),
    "no blank in an address is none": (HEAD + TAIL + TOP + STOP + "@case: {name: http://a, x: [}\n", "begins what is not YAML"),
    "no blank in braces": (HEAD + TAIL + TOP + "@stop: {steps:1}\n", "-stop_steps:1", "expected a blank behind the colon"),
    "a tab": (HEAD + TAIL + TOP + "stop:\n@\tsteps: 1\n", "got a tab before it, expected blanks"),
    "a value beside a list": (HEAD + TAIL + TOP + STOP + "diagnostics: {p: {kind: probe, points:\n@  [0.1, [0.2, 0.3]]}}\n", "got a value beside a list in a list"),
    "a list in a list of lists": (HEAD + TAIL + TOP + STOP + "diagnostics: {p: {kind: probe, points: [[0.1, 0.2],\n@  [0.3, [0.4]]]}}\n", "got a list in a list of lists"),
    "lists of different lengths": (HEAD + TAIL + TOP + STOP + "diagnostics: {p: {kind: probe, points: [[0.1, 0.2],\n@  [0.3]]}}\n", "got lists of 2 and of 1 entries in a list"),
    "nothing would stop it": (HEAD + TAIL + TOP + "@stop_time: 0\n", "nothing would stop this run"),
}


def message(text, *more, np=1):
    with open(f"{HERE}/case.yaml", "w") as f:
        f.write(text)
    done = run.rheoplex("check", f"{HERE}/case.yaml", *more, out=HERE, expect=1, np=np)
    found = [line for line in done.stderr.splitlines() if line.startswith("rheoplex: error: ")]
    if len(found) != 1:
        raise run.Failure(done.stderr)
    return found[0]


def faults():
    for name, (text, *words) in CASES.items():
        line = 1 + text[:text.index("@")].count("\n")
        for np in (1, 2) if name in ("twice", "formula", "value in the block of another scheme") else (1,):
            told = message(text.replace("@", "", 1), np=np)
            print(told, flush=True)
            yield from (f"{name}: '{word}' is missing in: {told}" for word in words if word not in told)
            if f"case.yaml, line {line}" not in told and not (name == "twice" and f"line {line}:" in told):
                yield f"{name}: line {line} is not told in: {told}"
    sound = HEAD + TAIL + TOP + STOP
    with open(f"{HERE}/empty.yaml", "w") as f:
        f.write(sound + "ts_monitor:\ninitial_velocity: ''\ninitial: {pressure: \"\"}\n")
    run.rheoplex("check", f"{HERE}/empty.yaml", out=HERE) # empty by will, or an option of PETSc that has none
    told = message(sound + "scheme_lumped_dt: 0.1\n", "-scheme_lumped_dt", "-1")
    if "line" in told:
        yield f"a line of the case is told, but the user has set the option: {told}"
    told = message(sound, "-stop_step", "3")
    if "did you mean -stop_steps?" not in told or "line" in told:
        yield f"the line of an option that is proposed is told: {told}"
    for word, expected in ("--stop_steps", "did you mean -stop_steps?"), ("-stop_steps=3", "expected a blank in place of '='"):
        told = message(sound, word, "3")
        if f"got {word}, {expected}" not in told or "line" in told:
            yield f"the line of what the user has not misspelt is told: {told}"
    told = message(sound + "mesh_scale: -2\nscheme_lumped_dt: -1\n", "-scheme_lumped_dt", "0.1")
    if "case.yaml, line 11)" not in told:
        yield f"line 11 is not told in: {told}"


def main():
    found = list(faults())
    print("\n".join(found) if found else "every line is told")
    return 1 if found else 0


sys.exit(main())
