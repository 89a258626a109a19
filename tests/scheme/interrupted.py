"""A signal within a step of Newton's method ends it, at once or after -stop_patience, in a linear solve too; a run goes on from what is saved."""
import os
import signal
import subprocess
import sys

import run
from gate import Gate, largest


def interrupted(gate):
    """A signal within the second value of a continuation: it is ended at once, or after what -stop_patience allows; a run goes on from what is saved."""
    by = lambda to: (os.path.join(os.environ["RHEOPLEX_SOURCE"], "options/confined_cylinder_steady.yaml"), "-scheme_steady_continuation", f"physics_oldroydb_lambda=0.1:0.25:{to}", "-output_fields", "false")
    want = run.rheoplex("run", *by(0.35), out=run.folder("steady")).checkpoint()
    for ranks, patience, code in (1, 0, 1), (1, 100, 143), (2, 0, 1):
        out, values, sent = run.folder("steady"), 0, False
        start = [os.environ["RHEOPLEX_MPIEXEC"], "-n", str(ranks)] if ranks > 1 else []
        process = subprocess.Popen([*start, run.RHEOPLEX, "run", *by(0.35), "-snes_monitor", "-stop_patience", str(patience), "-output_folder", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in process.stdout:
            values += line.startswith("continuation: physics")
            if values == 1 and not sent and line.strip().startswith("1 SNES"):
                process.send_signal(signal.SIGTERM if ranks == 1 else signal.SIGUSR1) # once, for a second one ends it; mpiexec hands the latter on and waits
                sent = True
        errors = process.stderr.read()
        gate.true(f"np {ranks}, {patience} s: exit code {process.wait()}", process.returncode == code)
        gate.true(f"np {ranks}, {patience} s: values that are solved", values == (1 if code == 1 else 2))
        if code != 1:
            continue
        print(errors.strip())
        gate.true(f"np {ranks}: why, and where the state is", "Ended within a step by a signal" in errors and "expected the step to end within 0 s (-stop_patience); the last good state (step 1, t = 0.1) is in" in errors)
        on = run.rheoplex("run", *by(0.35), "-case_restart", f"{out}/confined_cylinder_steady_last_good.h5", out=run.folder("steady"))
        gate.true(f"np {ranks}: on from there", "goes on from physics_oldroydb_lambda = 0.1" in on.stdout)
        gate.at_most(f"np {ranks}: its state over an unbroken run's", largest(abs(on.checkpoint() - want).ravel()) / largest(abs(want).ravel()), 1e-7)


def within_solve(gate):
    """A signal within one linear solve, which would take for ever."""
    for ranks in 1, 2:
        start = [os.environ["RHEOPLEX_MPIEXEC"], "-n", str(ranks)] if ranks > 1 else []
        process = subprocess.Popen([*start, run.RHEOPLEX, "run", os.path.join(os.environ["RHEOPLEX_SOURCE"], "options/confined_cylinder_steady.yaml"), "-scheme_steady_continuation", "physics_oldroydb_lambda=0.1:0.25:0.35", "-output_fields", "false",
                                    "-ksp_type", "gmres", "-pc_type", "none", "-ksp_rtol", "1e-30", "-ksp_max_it", "1000000000", "-ksp_monitor", "-stop_patience", "0", "-output_folder", run.folder("steady")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in process.stdout:
            if line.strip().startswith("40 KSP"):
                process.send_signal(signal.SIGTERM if ranks == 1 else signal.SIGUSR1)
                break
        try:
            _, errors = process.communicate(timeout=run.PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            errors = "it goes on"
        print(errors.strip())
        gate.true(f"np {ranks}: within a linear solve", process.returncode == 1 and "Ended within a step by a signal" in errors)


def main():
    gate = Gate("scheme_steady_interrupted")
    interrupted(gate)
    within_solve(gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
