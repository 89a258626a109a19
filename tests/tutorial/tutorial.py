"""Runs the blocks marked sh of share/doc/tutorial.md, in their order, in an empty folder; pictures have to come out."""
import os
import re
import subprocess
import sys

import run


def main():
    text = open(f"{run.SOURCE}/share/doc/tutorial.md").read()
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.S | re.M)
    out = run.folder("tutorial")
    path = ":".join((os.path.dirname(run.RHEOPLEX), os.path.dirname(os.environ["RHEOPLEX_PYTHON"]), os.environ["PATH"]))
    subprocess.run(["bash", "-euxo", "pipefail", "-c", "\n".join(blocks)], cwd=out, check=True,
                   env={**os.environ, "PATH": path, "RHEOPLEX": run.SOURCE})
    pictures = [f for f in os.listdir(f"{out}/result") if f.endswith(".png")]
    print(f"{len(blocks)} blocks, pictures: {pictures}")
    small = [f for f in pictures if os.path.getsize(f"{out}/result/{f}") < 5000]
    carried = run.table(f"{out}/mixed/mixer_carried.csv")
    entered, left, m, s = (float(carried[f"{label}_concentration_{end}"][-1]) for label, end in (("upper", "flux"), ("outlet", "flux"), ("outlet", "mean"), ("outlet", "deviation")))
    index = 1 - s / (m * (1 - m)) ** 0.5
    print(f"mixer: {entered:g} and {left:g} m^2/s, mixing index {index:.4f}")
    mixed = abs(left / entered + 1) <= 1e-3 and abs(index - 0.364) <= 0.005 and os.path.getsize(f"{out}/mixed/mixer_fields.png") > 5000
    return 0 if mixed and len(blocks) == 7 and os.path.exists(f"{out}/creeping/step_forces.csv") and len(pictures) >= 3 and not small else 1


sys.exit(main())
