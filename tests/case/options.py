"""A file of options/ runs as it stands from the root of the repository, shortened to three steps (one where each is a steady state). options.py <file>"""
import os
import sys

import run


def main(name):
    os.chdir(run.SOURCE)
    out = run.folder("options")
    steps = 1 if "scheme: steady" in open(f"options/{name}").read() else 3
    history = run.rheoplex("run", f"options/{name}", "-stop_steps", steps, out=out).table("_history.csv")
    print(f"{name}: last step {history['step'][-1]:.0f}, files {sorted(os.listdir(out))}")
    return 0 if history["step"][-1] == steps and os.path.exists(f"{out}/{name[:-5]}.pvd") else 1


sys.exit(main(sys.argv[1]))
