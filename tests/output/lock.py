"""Two runs of one name in one folder: the second is refused; locks of runs that are gone are taken over. lock.py <ranks>"""
import os
import signal
import socket
import subprocess
import sys

import run
from gate import Gate

RANKS = int(sys.argv[1])
STARTED = []
CASE = ["-device", "cpu", "-mesh_box_faces", "6,5", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "wall",
        "-physics", "newtonian", "-physics_newtonian_viscosity", "1", "-stabiliser", "split_oss", "-scheme_lumped_dt", "1e-4", "-case_report_every", "1000000",
        "-diagnostic_history_every", "1000000"]


def start(out, name="flow"):
    """A run that goes on until it is told to stop; returns when it has written its first files: the history is the last of them."""
    command = [run.RHEOPLEX, "run", *CASE, "-case_name", name, "-stop_steps", "100000000", "-output_folder", out]
    if RANKS > 1:
        command = [os.environ["RHEOPLEX_MPIEXEC"], "-n", str(RANKS)] + command
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    STARTED.append(process)
    run.wait(lambda: os.path.exists(f"{out}/{name}_history.csv") and os.path.getsize(f"{out}/{name}_history.csv"), "its first files", process)
    return process


def go(out, *options, expect=0, verb="run"):
    return run.rheoplex(verb, *CASE, "-case_name", "flow", "-stop_steps", "2", *options, out=out, np=RANKS, expect=expect)


def contents(out):
    return {f: open(f"{out}/{f}", "rb").read() for f in os.listdir(out) if os.path.isfile(f"{out}/{f}")}


def refused(gate, what, out, *words):
    before = contents(out)
    result = go(out, expect=1)
    errors = [line for line in result.stderr.splitlines() if line.startswith("rheoplex: error: ")]
    gate.true(f"{what}: {errors}", len(errors) == 1 and all(str(w) in errors[0] for w in ("is in use", "-output_folder", "flow.lock", *words)))
    gate.true(f"{what}: nothing is touched", contents(out) == before)


def owner(out):
    words = open(f"{out}/flow.lock").read().split()
    return dict(zip(words[::2], words[1::2]))


def write(out, pid, ticks, host):
    with open(f"{out}/flow.lock", "w") as f:
        f.write(f"pid {pid}\nstart {ticks}\nhost {host}\n")


def ticks_of(pid):
    return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[19]


def main():
    gate = Gate(f"output_lock_np{RANKS}")
    out, host = run.folder("lock"), socket.gethostname()
    first = start(out)
    lock = owner(out)
    gate.true(f"the lock names process and host: {lock}", lock["host"] == host and lock["start"] == ticks_of(lock["pid"]))
    refused(gate, "a second run", out, lock["pid"], host)
    run.rheoplex("check", *CASE, "-case_name", "flow", "-stop_steps", "2", "-output_folder", out, out=out)
    gate.true("check takes no lock and minds none", owner(out) == lock)
    go(out, "-case_name", "other")
    os.kill(int(lock["pid"]), signal.SIGTERM)
    first.communicate(timeout=run.PATIENCE)
    gate.true("a run of another name; the lock is gone with its run", sorted(f for f in os.listdir(out) if "lock" in f) == [])
    go(out, "-scheme_lumped_dt", "nan", expect=1)
    go(out, "-bc_top_type", "moving_wall", "-bc_top_velocity", "1e300,0", expect=1)
    gate.true("a run that fails releases it", not os.path.exists(f"{out}/flow.lock"))
    if RANKS > 1:
        return gate.finish()
    os.remove(f"{out}/flow_history.csv")
    killed = start(out)
    os.kill(killed.pid, signal.SIGKILL)
    run.wait(lambda: run.state(killed.pid) == "Z", "the end of a run that is killed")
    gate.true("a run that is killed leaves it", os.path.exists(f"{out}/flow.lock"))
    go(out)  # not yet waited for: a zombie is not alive
    killed.communicate()
    gate.true("and the next one takes it over", not os.path.exists(f"{out}/flow.lock"))
    me = os.getpid()
    write(out, me, int(ticks_of(me)) - 1, host)
    go(out)
    gate.true("the number of a process that is gone, given to another one", not os.path.exists(f"{out}/flow.lock"))
    write(out, me, ticks_of(me), host)
    refused(gate, "a process that is alive", out, me, host)
    write(out, me, 1, "elsewhere.example")
    refused(gate, "another host", out, me, "elsewhere.example")
    open(f"{out}/flow.lock", "w").close()
    go(out)
    gate.true("an empty lock is taken after a while", not os.path.exists(f"{out}/flow.lock"))
    race(gate, out, host)
    twice(gate)
    return gate.finish()


def race(gate, out, host):
    """Several runs find one dead owner at once: one takes over."""
    write(out, 2**22 + 1, 1, host)  # above the largest number of a process
    command = [run.RHEOPLEX, "run", *CASE, "-case_name", "flow", "-stop_steps", "100000000", "-output_folder", out]
    runs = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    STARTED.extend(runs)
    run.wait(lambda: sum(r.poll() is not None for r in runs) >= 3, "the end of three of four")
    alive = [r for r in runs if r.poll() is None]
    gate.near("of four runs at once one goes on", len(alive), 1, 0)
    gate.true("it is the one of the lock", len(alive) == 1 and owner(out)["pid"] == str(alive[0].pid))
    for r in runs:
        r.terminate()
        r.communicate(timeout=run.PATIENCE)


def pending(pid):
    """Has a signal been sent that the process has not yet taken?"""
    with open(f"/proc/{pid}/status") as f:
        return any(int(line.split()[1], 16) for line in f if line.startswith(("SigPnd", "ShdPnd")))


def twice(gate):
    """The second signal ends the program at once, and the lock with it: a step of this mesh takes long."""
    out = run.folder("lock")
    command = [run.RHEOPLEX, "run", *CASE, "-mesh_box_faces", "500,500", "-case_name", "flow", "-stop_steps", "100000000", "-output_folder", out]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    STARTED.append(process)
    run.wait(lambda: os.path.exists(f"{out}/flow_history.csv"), "the first step", process)
    process.send_signal(signal.SIGTERM)
    run.wait(lambda: not pending(process.pid), "the first signal's arrival", process)
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=run.PATIENCE)
    gate.true(f"a second signal: exit code {process.returncode}, no lock", process.returncode in (-15, 143) and not os.path.exists(f"{out}/flow.lock"))


try:
    sys.exit(main())
finally:
    for left in STARTED:
        if left.poll() is None:
            left.terminate()
