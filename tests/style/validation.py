"""Figures of a gate, whatever their names hold, come back cell by cell in the table of write_validation.py; a broken file is refused."""
import os
import re
import shutil
import subprocess
import sys

from gate import Gate, largest

results = os.environ["RHEOPLEX_RESULTS"] = os.path.abspath("figures")
shutil.rmtree(results, ignore_errors=True)
nan = float("nan")
assert [largest(2, 3), largest([2, 3]), largest([], default=1), largest(2, nan), largest(v for v in (nan, 2)), largest(nan, 2)] == [3, 3, 1, *3 * [float("inf")]]
gate = Gate("awkward")
gate.near('the file "a", b | c', 3.5, 3.5, 1e-9)
gate.at_most("nothing", float("nan"), 2)
source, build = os.environ["RHEOPLEX_SOURCE"], os.environ["RHEOPLEX_BUILD_DIR"]
gate.at_least(f"got {build}/work/flow_x1y2z3/a.vtu, {build}/bin/rheoplex, '{build}/work/b_123', {source}/meshes/a.msh", 1, 1)
gate.finish()


def write(*left):
    return subprocess.run([sys.executable, os.environ["RHEOPLEX_SOURCE"] + "/share/scripts/write_validation.py", results, "validation.md", *left], capture_output=True, text=True)


done = write()
assert done.returncode == 0, done.stderr
rows = [re.split(r" (?<!\\)\| ", line[2:].rstrip(" |\n")) for line in open("validation.md") if line.startswith("| ")]
assert rows[1:] == [[r'the file "a", b \| c', "3.5", "3.5 +- 1e-09", "ok"], ["nothing", "nan", "<= 2", "MISSED"],
                    ["got <folder>/a.vtu, build/bin/rheoplex, '<folder>', meshes/a.msh", "1", ">= 1", "ok"]], rows
assert "all gates" in open("validation.md").read()
assert write("wake", "fine").returncode == 0
text = open("validation.md").read()
assert "all gates" not in text and "2 tests labelled long" in text and "`fine`, `wake`" in text, text
with open(f"{results}/broken.csv", "w") as f:
    f.write('what,value,bound,verdict\n"a "b", c",1,2,ok\n')
done = write()
assert done.returncode == 1 and "broken.csv: got" in done.stderr, done
