"""Keys of a case: none is lost, empty, set twice or one of too many, and each is told in a time that grows like the case."""
import os
import sys

import run
from gate import Gate
from refused import SOUND, accepted, refused, write

TWICE = "form_density: 3\nform_density: 4\n"
BAD = {
    "a key set twice": (TWICE, "-form_density twice"),
    "a key set twice after a comment with <<:": ("# <<: a merge\n" + TWICE, "-form_density twice"),
    "a key set twice beside a value with <<:": ("case_name: 'a <<: b'\n" + TWICE, "-form_density twice"),
    "a merge within what is merged, whose key it would take": ("$$slow: &slow {dt: 0.1}\n$$fast: &fast {dt: 0.2, <<: *slow}\nscheme_lumped:\n  <<: *fast\n", "-scheme_lumped_dt gets '0.2' and '0.1' by merges (<<)"),
    "a key set twice beside a merge": ("$$fast: &fast {steps: 2}\nscheme_lumped:\n  <<: *fast\n" + TWICE, "-form_density twice"),
    "a key set twice in other letters": ("form_density: 3\nForm_Density: 4\n", "twice"),
    "a key set twice, nested and not": ("form: {density: 3}\nform_density: 4\n", "-form_density twice"),
    "an empty key": (": 3\n", "line 8", "': 3'"),
    "an empty key in quotes": ('"": 3\n', "empty key"),
    "an empty key in a group": ('form: {"": 3}\n', "empty key", "form_"),
    "a key with a blank": ("form density: 3\n", "form density", "expected a letter"),
    "a key that is a number": ("3: 4\n", "no name of an option"),
    "options_file": ("options_file: more.yaml\n", "-options_file", "command line"),
    "options_file in a group": ("options: {file: more.yaml}\n", "-options_file", "command line"),
    "!include": ("$$more: !include more.yaml\n", "!include", "-options_file more.yaml"),
    "a misspelt key": ("mesch_file: a.msh\n", "-mesch_file", "did you mean -mesh_file?"),
}
MERGED = """
$$walls: &wall {type: wall}
$$heavy: &heavy {density: 7}
$$creeping: &creeping {convection: false}
form:
  density: 3
  <<: [*heavy]
"""


def cpu_seconds():
    """Of the programs that have ended: a busy machine does not make them more."""
    of = os.times()
    return of.children_user + of.children_system


def many(n):
    return SOUND + "".join(f"bc_label{i}_type: wall\n" for i in range(n))


def main():
    gate = Gate("trust_keys")
    work = run.folder("trust_keys")
    for what, (text, *expected) in BAD.items():
        refused(gate, what, expected, "check", write(f"{work}/bad.yaml", SOUND + text), cwd=work)
    refused(gate, "a key set twice", ("-form_density twice",), "check", write(f"{work}/bad.yaml", SOUND + TWICE), cwd=work, np=2)
    accepted(gate, "a merge", "run", write(f"{work}/merged.yaml", SOUND + MERGED), cwd=work)
    gate.true("the case's own key goes before a merge that follows it", "form_density: '3'\n" in open(f"{work}/out/merged/merged_effective.yaml").read())

    few, lots = write(f"{work}/600.yaml", many(600)), write(f"{work}/4000.yaml", many(4000))
    unlimited = "holds" not in refused(gate, "600 keys", (), "check", few, cwd=work).stderr
    seconds = []
    for name, keys in (("600 keys", few), ("4000 keys", lots), ("4000 keys and a line that is not YAML", write(f"{work}/broken.yaml", many(4000) + "a: [b\n"))):
        begin = cpu_seconds()
        expected = ("line 4008", "a: [b") if "line" in name else ("label",) if unlimited else ("too many options: got", "expected at most", "this PETSc holds")
        refused(gate, name, expected, "check", keys, cwd=work)
        seconds.append(cpu_seconds() - begin)
    gate.note("CPU seconds of 600 keys", seconds[0])
    gate.at_most("CPU seconds of 4000 keys", seconds[1], 5)
    gate.at_most("CPU seconds of 4000 keys and a line that is not YAML", seconds[2], 8)
    return gate.finish()


sys.exit(main())
