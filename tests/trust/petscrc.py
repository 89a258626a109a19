"""PETSc's files of options: that of the user's home is read, those of the current folder are not unless asked for."""
import sys

import run
from gate import Gate
from refused import SOUND, call, write

def main():
    gate = Gate("trust_petscrc")
    work = run.folder("trust_petscrc")
    write(f"{work}/here/case.yaml", SOUND)
    for name in (".petscrc", "petscrc"):
        write(f"{work}/here/{name}", "-form_density 1000\n-of_the_current_folder\n")
    write(f"{work}/home/.petscrc", "-case_report_every 7\n")

    def effective(*more, home=f"{work}/home", np=1, expect=0):
        done = call("run", "case.yaml", *more, cwd=f"{work}/here", np=np, HOME=home)
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
