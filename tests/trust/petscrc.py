"""PETSc's files of options: that of the user's home is read, those of the current folder are not unless asked for."""
import os
import subprocess
import sys

import run
from gate import Gate

CASE = """
mesh: {box_faces: [4, 4]}
physics: newtonian
stabiliser: split_oss
bc: {left: {type: wall}, right: {type: wall}, bottom: {type: wall}, top: {type: moving_wall, velocity: '1,0'}}
stop: {steps: 1}
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def main():
    gate = Gate("trust_petscrc")
    work = run.folder("trust_petscrc")
    write(f"{work}/here/case.yaml", CASE)
    for name in (".petscrc", "petscrc"):
        write(f"{work}/here/{name}", "-form_density 1000\n-of_the_current_folder\n")
    write(f"{work}/home/.petscrc", "-case_report_every 7\n")

    def effective(*more, home=f"{work}/home", np=1, expect=0):
        start = [os.environ["RHEOPLEX_MPIEXEC"], "-n", str(np)] if np > 1 else []
        done = subprocess.run([*start, run.RHEOPLEX, "run", "case.yaml", *more], cwd=f"{work}/here", env={**os.environ, "HOME": home},
                              capture_output=True, text=True, timeout=50)
        gate.near(f"exit code {' '.join(more)} with {np}", done.returncode, expect, 0)
        return done.stderr if expect else open(f"{work}/here/out/case/case_effective.yaml").read()

    for np in (1, 2):
        text = effective(np=np)
        gate.true(f"{np}: nothing of the current folder", "form_density: '1'\n" in text and "current_folder" not in text)
        gate.true(f"{np}: the user's own file", "case_report_every: '7'\n" in text)
        gate.true(f"{np}: nothing is added to the options", "petscrc" not in text)
    gate.true("a home without the file", "case_report_every: '100'\n" in effective(home=work))
    gate.true("-skip_petscrc", "case_report_every: '100'\n" in effective("-skip_petscrc"))
    gate.true("the current folder where it is asked for", "-of_the_current_folder" in effective("-skip_petscrc", "0", expect=1))
    return gate.finish()


sys.exit(main())
