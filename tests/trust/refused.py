"""A command that is refused: exit code 1 and one line with what it has to say."""
import os
import subprocess

import run

SOUND = """
mesh: {box_faces: [4, 4]}
physics: newtonian
physics_newtonian: {viscosity: 0.1}
stabiliser: split_oss
bc: {left: {type: wall}, right: {type: wall}, bottom: {type: wall}, top: {type: moving_wall, velocity: '1,0'}}
stop: {steps: 1}
"""


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def call(*words, cwd, np=1, **environment):
    start = [os.environ["RHEOPLEX_MPIEXEC"], "-n", str(np)] if np > 1 else []
    return subprocess.run([*start, run.RHEOPLEX, *words], cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, timeout=50)


def refused(gate, what, expected, *words, cwd, np=1, **environment):
    done = call(*words, cwd=cwd, np=np, **environment)
    lines = [line for line in done.stderr.splitlines() if line.startswith("rheoplex: error: ")]
    good = done.returncode == 1 and len(lines) == 1 and all(e in lines[0] for e in expected) and (np > 1 or len(done.stderr.splitlines()) == 1)
    gate.true(f"{what} is refused{f' by {np} ranks' if np > 1 else ''}", good)
    print(*lines, sep="\n")
    if not good:
        print(f"exit code {done.returncode}, expected {expected}\n{done.stdout[-1000:]}\n{done.stderr[-3000:]}", flush=True)
    return done


def accepted(gate, what, *words, cwd, np=1, **environment):
    done = call(*words, cwd=cwd, np=np, **environment)
    gate.true(f"{what} is taken", done.returncode == 0 and not done.stderr)
    if done.returncode or done.stderr:
        print(f"exit code {done.returncode}\n{done.stderr[-3000:]}", flush=True)
    return done
