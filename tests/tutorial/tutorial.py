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
    return 0 if len(blocks) == 6 and os.path.exists(f"{out}/creeping/step_forces.csv") and len(pictures) >= 3 and not small else 1


sys.exit(main())
