"""The control file: control.py keys|ends|refused|periods|device|ranks [np]. Every key changed in a run acts, is printed and goes to the effective options; what is wrong
with a file is told in one sentence and the run goes on as it was."""
import contextlib
import os
import re
import signal
import subprocess
import sys

import run
from run import Failure, wait

CAVITY = {
    "case_name": "cavity", "mesh_box_faces": "4,4", "mesh_box_lower": "0,0", "mesh_box_upper": "1,1",
    "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": "0.01", "physics_oldroydb_viscosity": "0.01",
    "physics_oldroydb_lambda": "0.1", "stabiliser": "split_oss", "bc_left_type": "wall", "bc_right_type": "wall",
    "bc_bottom_type": "wall", "bc_top_type": "moving_wall", "bc_top_velocity": "16*x^2*(1-x)^2,0", "diagnostic_forces": "top",
    "diagnostic_kin_kind": "integral", "diagnostic_kin_fields": "velocity",
    "scheme_lumped_dt": "0.01", "stop_steps": "100000000", "case_report_every": "100000000", "case_report_seconds": "0", "control_every": "1",
    "diagnostic_history_every": "1", "output_dt": "0", "output_every": "0",
}


def want(condition, text):
    if not condition:
        raise Failure(text)


class Steered:
    """A run that goes on until it is told to end."""

    def __init__(self, np=1, before=(), **changes):
        self.out = run.folder("control")
        self.control, self.changes = f"{self.out}/control", 0
        for name, text in before:
            self.put(name, text)
        words = [word for key, value in {**CAVITY, **changes}.items() if value is not None for word in (f"-{key}", value)]
        start = [os.environ["RHEOPLEX_MPIEXEC"], "-n", str(np)] if np > 1 else []
        self.text = open(f"{self.out}/stdout", "w+")
        self.errors = open(f"{self.out}/stderr", "w+")
        self.process = subprocess.Popen([*start, run.RHEOPLEX, "run", *words, "-output_folder", self.out], stdout=self.text, stderr=self.errors)
        wait(lambda: self.size("cavity_history.csv") > 2000, "the first steps")

    def __enter__(self):
        return self

    @contextlib.contextmanager
    def held(self):
        """It stands still, so that it cannot pass what it is about to be told."""
        self.process.send_signal(signal.SIGSTOP)
        wait(lambda: run.state(self.process.pid) in ("T", "Z", ""), "the run to stand still")
        yield
        self.process.send_signal(signal.SIGCONT)

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def size(self, name):
        path = f"{self.out}/{name}"
        return os.path.getsize(path) if os.path.exists(path) else 0

    def said(self, which="stdout"):
        return open(f"{self.out}/{which}").read()

    def put(self, name, text):
        with open(f"{self.out}/{name}.part", "wb") as f:
            f.write(text.encode())
        os.rename(f"{self.out}/{name}.part", f"{self.out}/{name}")

    def taken(self):
        """done or refused, when the run has taken the file."""
        wait(lambda: self.process.poll() is not None or any(os.path.lexists(f"{self.control}.{how}") for how in ("done", "refused")), "the file to be read")
        for how in ("done", "refused"):
            if os.path.lexists(f"{self.control}.{how}"):
                if os.path.isdir(f"{self.control}.{how}"):
                    os.rmdir(f"{self.control}.{how}")
                    return how
                os.rename(f"{self.control}.{how}", f"{self.control}.seen")
                return how
        raise Failure(f"the run has ended: {self.said()}\n{self.said('stderr')}")

    def steer(self, text, *changes):
        """Step and time at which all of this was done and printed."""
        self.put("control", text)
        return self.steered(*changes)

    def steered(self, *changes):
        before = self.changes
        want(self.taken() == "done", self.said("stderr"))
        wait(lambda: len(re.findall(r"^control at .*\n", self.said(), re.M)) > before, "what was changed")  # mpiexec passes it on
        self.changes += 1
        line = [line for line in self.said().splitlines() if line.startswith("control at step ")][-1]
        found = re.fullmatch(r"control at step (\d+), t = (\S+): (.*)", line)
        want(found, line)
        for change in changes:
            want(change in found[3], f"'{change}' is not in '{found[3]}'")
        return int(found[1]), float(found[2])

    def effective(self, name):
        return re.search(rf"^{name}: '(.*)'$", open(f"{self.out}/cavity_effective.yaml").read(), re.M)[1]

    def rows(self, name, step, more):
        """Rows of a table after the step, once there are so many."""
        def after():
            whole = open(f"{self.out}/{name}").read().rpartition("\n")[0].splitlines()
            return [dict(zip(whole[0].split(","), map(float, line.split(",")))) for line in whole[1:] if float(line.split(",")[0]) > step]
        wait(lambda: len(after()) >= more, f"{more} rows of {name} after step {step}")
        return after()

    def last(self, column="step"):
        """Of the last whole line of the history."""
        lines = open(f"{self.out}/cavity_history.csv").read().rpartition("\n")[0].splitlines()
        return float(lines[-1].split(",")[lines[0].split(",").index(column)])

    def fields(self, after=-1.0):
        """Times and steps of the series."""
        text = open(f"{self.out}/cavity.pvd").read() if self.size("cavity.pvd") else ""
        return [(float(t), int(s)) for t, s in re.findall(r'timestep="(\S+)".*_(\d+)\.vtu', text) if float(t) > after]

    def end(self, why):
        """Exit code 0 and its reason."""
        self.process.wait(timeout=run.PATIENCE)
        want(self.process.returncode == 0 and why in self.said(), f"{self.process.returncode}\n{self.said()}\n{self.said('stderr')}")
        return float(re.search(r"End at step \d+, t = (\S+):", self.said())[1]), int(re.search(r"End at step (\d+)", self.said())[1])


def steps(r):
    at, t = r.steer("dt: 0.005\n", "scheme_lumped_dt 0.01 -> 0.005")
    want(all(row["dt"] == 0.005 for row in r.rows("cavity_history.csv", at, 20)), "dt has not changed")
    want(r.effective("scheme_lumped_dt") == "0.005", "dt is not in the effective options")
    at, t = r.steer("scheme_lumped: {dt: 0.2, cfl: 0.3}\n", "scheme_lumped_dt 0.005 -> 0.2", "scheme_lumped_cfl 0 -> 0.3")
    rows = r.rows("cavity_history.csv", at + 1, 20)
    most = max(row[c] for row in rows for c in row if c.startswith("cfl_"))
    want(0.1 <= most <= 0.3 + 1e-9 and all(0 < row["dt"] < 0.2 for row in rows), f"no CFL target: {most}, {rows[0]}")
    at, t = r.steer("cfl: 0\ndt: 0.01\n", "scheme_lumped_cfl 0.3 -> 0", "scheme_lumped_dt 0.2 -> 0.01")
    want(all(row["dt"] == 0.01 for row in r.rows("cavity_history.csv", at, 20)), "dt is not fixed again")


def outputs(r):
    at, t = r.steer("output_every: 40\n", "output_every 0 -> 40")
    wait(lambda: len(r.fields(t)) >= 3, "fields every 40 steps")
    r.steer("output: {every: 0}\n", "output_every 40 -> 0")
    written = [step for _, step in r.fields(t)]
    want(all(step % 40 == 0 for step in written), f"fields at steps {written}")
    for old, new in (("0", "0.5"), ("0.5", "0.2"), ("0.2", "3")):
        at, t = r.steer(f"output_dt: {new}\n", f"output_dt {old} -> {new}")
        wait(lambda: len(r.fields(t)) >= 2, f"fields every {new} s")
        times = [time for time, _ in r.fields(t)][:2]
        first = (int(t / float(new) + 1e-9) + 1) * float(new)
        want(abs(times[0] - first) < 1e-9 and abs(times[1] - times[0] - float(new)) < 1e-9, f"every {new} s after {t}: fields at {times}")
    r.steer("output_dt: 0\n")
    at, t = r.steer("output: now\n", "output now")
    want([step for _, step in r.fields(t - 1e-6)] == [at], f"fields of step {at}: {r.fields(t - 1e-6)}")
    want(not r.size("cavity_checkpoint.h5"), "a checkpoint that nobody asked for")
    at, t = r.steer("checkpoint: now\n", "checkpoint now")
    want(r.size("cavity_checkpoint.h5") > 1000 and checkpoint_step(r) == at, f"no checkpoint of step {at}: {checkpoint_step(r)}")
    at, t = r.steer("output_checkpoint_every: 70\n", "output_checkpoint_every 0 -> 70")
    wait(lambda: checkpoint_step(r) > at + 70, "a checkpoint every 70 steps")
    want(checkpoint_step(r) % 70 == 0, f"a checkpoint of step {checkpoint_step(r)}")
    at, t = r.steer("output_checkpoint_every: 0\noutput_checkpoint_dt: 0.703\n", "output_checkpoint_dt 0 -> 0.703")
    wait(lambda: checkpoint_step(r) > at, "a checkpoint every 0.703 s")
    time = checkpoint_time(r)
    want(abs(time / 0.703 - round(time / 0.703)) < 1e-7, f"a checkpoint of t = {time}")
    r.steer("output_checkpoint_dt: 0\n")


def checkpoint_step(r):
    return int(checkpoint_number(r, "step"))


def checkpoint_time(r):
    return float(checkpoint_number(r, "t"))


def checkpoint_number(r, name):
    import h5py

    with h5py.File(f"{r.out}/cavity_checkpoint.h5") as f:
        return f.attrs[name] if name in f.attrs else f[name][()]


def tables(r):
    at, t = r.steer("case: {report_every: 130}\n", "case_report_every 100000000 -> 130")
    wait(lambda: len(re.findall(r"^ *\d+ +\S+ +\S+ +\S+ \w ", r.said(), re.M)) >= 2, "lines of the table")
    r.steer("case_report_every: 100000000\n")
    lines = [int(n) for n in re.findall(r"^ *(\d+) +\S+ +\S+ +\S+ \w ", r.said(), re.M)]
    want(all(n % 130 == 0 for n in lines), f"lines of steps {lines}")
    for name, table in (("diagnostic_history_every", "cavity_history.csv"), ("diagnostic_forces_every", "cavity_forces.csv")):
        at, t = r.steer(f"{name}: 30\n", f"{name} 1 -> 30")
        written = [row["step"] for row in r.rows(table, at, 3)]
        want(all(step % 30 == 0 for step in written), f"{table}: steps {written}")
        want(r.effective(name) == "30", f"{name} is not in the effective options")
    r.steer("diagnostic: {history_every: 1, forces_every: 1}\n", "diagnostic_history_every 30 -> 1", "diagnostic_forces_every 30 -> 1")
    at, t = r.steer("diagnostics: {kin: {every: 30}}\n", "diagnostic_kin_every 1 -> 30")
    written = [row["step"] for row in r.rows("cavity_kin.csv", at, 3)]
    want(all(step % 30 == 0 for step in written), f"steps of a table with a name: {written}")
    at, t = r.steer("diagnostic_kin_every: 100000000\ndiagnostic_kin_every_dt: 0.703\n", "diagnostic_kin_every_dt 0 -> 0.703")
    times = [row["t"] for row in r.rows("cavity_kin.csv", at, 3)]
    want(all(abs(time / 0.703 - round(time / 0.703)) < 1e-7 for time in times), f"times of a table with a name: {times}")
    want(r.effective("diagnostic_kin_every_dt") == "0.703", "an interval of a table with a name is not in the effective options")
    r.steer("diagnostic_kin_every_dt: 0\n")
    at, t = r.steer("control_every: 77\n", "control_every 1 -> 77")
    at, t = r.steer("control_every: 1\n", "control_every 77 -> 1")
    want(at % 77 == 0, f"looked for at step {at}, expected every 77")


def keys():
    with Steered(before=[("control", "stop: now\n")]) as r:
        want("it is moved to control.old" in r.said() and os.path.exists(f"{r.control}.old"), f"a file of an earlier run\n{r.said()}")
        steps(r)
        outputs(r)
        tables(r)
        open(r.control, "w").close()  # an editor begins
        r.rows("cavity_history.csv", r.last(), 50)
        want(os.path.exists(r.control), "an empty file was taken")
        r.steer("stop: now\n", "stop now")
        t, step = r.end("the control file asks for it")
        want(r.fields()[-1][1] == step and checkpoint_step(r) == step, "the last state is not saved")
        want(not r.said("stderr"), r.said("stderr"))
        again = run.rheoplex("run", f"{r.out}/cavity_effective.yaml", "-stop_steps", "3", out=run.folder("control_again"))
        want(again.table("_history.csv")["step"][-1] == 3, "the effective options are no case")


def ends():
    with Steered() as r:
        r.steer("stop_time: 100000\n", "stop_time 0 -> 100000")
        want(r.effective("stop_time") == "100000", "stop_time is not in the effective options")
        r.steer("output_dt: 0\n")
        with r.held():
            goal = round(r.last("t") + 20, 3) + 0.0005
            r.put("control", f"stop: {{time: {goal}}}\n")
        r.steered(f"stop_time 100000 -> {goal}")
        want(abs(r.end("the final time is reached")[0] - goal) < 1e-4, "the run does not end at the new time")
        want(abs(run.table(f"{r.out}/cavity_history.csv")["t"][-1] - goal) < 1e-12, "the run does not end at the new time exactly")
    with Steered() as r:
        r.steer("output_dt: 0\n")
        with r.held():
            goal = int(r.last()) + 5000
            r.put("control", f"stop_steps: {goal}\n")
        r.steered(f"stop_steps 100000000 -> {goal}")
        want(r.end("the last step is reached")[1] == goal, "the run does not end at the new step")
    with Steered(stop_min_time="1e9") as r:
        r.steer("stop_steady_tol: 1e5\n", "stop_steady_tol 0 -> 1e5")
        at, t = r.steer("stop_steps: 0\n", "stop_steps 100000000 -> 0")
        r.rows("cavity_history.csv", at, 50)
        r.steer("stop_min_time: 0.05\n", "stop_min_time 1e9 -> 0.05")
        r.end("steady")
    with Steered(stop_steps="0", stop_settled="kin:1e-300:1e6") as r:
        r.steer("dt: 0.005\n", "scheme_lumped_dt 0.01 -> 0.005")
        r.steer("stop_wall_time: 0.01\n", "stop_wall_time 0 -> 0.01")
        r.end("the 0.01 s of -stop_wall_time are over")
    want(any(last_step_moves(end) for end in (3000, 30000, 300000)), "300000 steps are done before the run can be held")


def last_step_moves(end):
    """The end moves in what would be the last step, the only one in which the file is looked for; false where that was done before the run was held."""
    with Steered(stop_steps=str(end), control_every=str(end)) as r:
        with r.held():
            if not r.last() < end - 1:
                return False
            r.put("control", f"stop_steps: {end + 1000}\n")
        r.steered(f"stop_steps {end} -> {end + 1000}")
        want(r.end("the last step is reached")[1] == end + 1000, "the end does not move in the last step")
    return True


REFUSED = {
    "dt: [0.1\n": ("line 1", "not YAML"),
    "dt: 0.005\nddt: 1\n": ("line 2", "got ddt", "expected what may change in a run: dt, cfl", "stop_time"),
    "dt: 0.005\ncfl: fast\n": ("-scheme_lumped_cfl", '"fast"', "a number >= 0"),
    "dt: -1\n": ("-scheme_lumped_dt", '"-1"', "> 0"),
    "output_every: 1.5\n": ("-output_every", '"1.5"', "an integer"),
    "dt: 0.005\nstop_time: 1e-4\n": ("got stop_time 0.0001", "stop: now ends it"),
    "stop_steps: 3\n": ("got stop_steps 3", "stop: now ends it"),
    "stop_steps: 0\n": ("nothing would stop this run",),
    "dt: 0.005\noutput: later\n": ("line 2", "got output: 'later', expected output: now"),
    "dt: 0.005\nscheme_lumped_dt: 0.004\n": ("got -scheme_lumped_dt twice",),
    "dt: 0.005\ndt: 0.004\n": ("sets -dt twice", "in line 1 and in line 2"),
    "dt: 0.005\nphysics_oldroydb: {lambda: 0.2}\n": ("line 2", "got physics_oldroydb_lambda"),
    "plugin: /tmp/law.so\n": ("got plugin",),
    "output_folder: /tmp\n": ("got output_folder",),
    "dm_view: ascii:/tmp/x\n": ("got dm_view",),
    "a: !include /etc/passwd\n": ("!include",),
    "dt: 0.005\0\n": ("a byte that is zero",),
    "#" * 70000: ("70000 bytes, expected at most 65536",),
    "- dt\n": ("not YAML",),
}


def refuse(r, what, *expected, make=None):
    """One sentence, and nothing has changed. make: puts it there."""
    before = len(r.said("stderr").splitlines())
    effective, screen = open(f"{r.out}/cavity_effective.yaml").read(), r.said().count("control at step")
    make(r.control) if make else r.put("control", what)
    want(r.taken() == "refused", f"{what[:60]!r} is taken")
    wait(lambda: len(r.said("stderr").splitlines()) > before and r.said("stderr").endswith("\n"), "a sentence")
    lines = r.said("stderr").splitlines()[before:]
    want(len(lines) == 1 and lines[0].startswith("rheoplex: warning: ") and "the run goes on" in lines[0], f"{what[:60]!r}: {lines}")
    print(lines[0])
    for word in ("is not followed", f"{r.out}/control", *expected):
        want(word in lines[0], f"{what[:60]!r}: '{word}' is not in {lines[0]}")
    at = r.last()
    want(all(abs(row["dt"] - 0.01) < 1e-9 for row in r.rows("cavity_history.csv", at, 5)), f"{what[:60]!r} has changed dt")  # one that meets a time of a table is so by rounding
    want(open(f"{r.out}/cavity_effective.yaml").read() == effective and r.said().count("control at step") == screen, f"{what[:60]!r} has changed options")


def refused():
    with Steered() as r:
        for text, expected in REFUSED.items():
            refuse(r, text, *expected)
        with open(f"{r.out}/elsewhere", "w") as f:
            f.write("stop: now\n")
        refuse(r, "a link", "got a link", make=lambda path: os.symlink(f"{r.out}/elsewhere", path))
        refuse(r, "a folder", "expected a file", make=os.mkdir)
        refuse(r, "a pipe", "expected a file", make=os.mkfifo)
        r.steer("dt: 0.005\n", "scheme_lumped_dt 0.01 -> 0.005")
        r.steer("stop: now\n")
        r.end("the control file asks for it")
    with Steered(scheme_lumped_cfl="0.9", scheme_lumped_dt_min="1e-4", diagnostic_l_kind="line", diagnostic_l_from="0,0.5", diagnostic_l_to="1,0.5", diagnostic_l_every_dt="1e6") as r:
        refuse(r, "dt: 0.00001\n", "-scheme_lumped_dt: got 1e-05, expected at least 0.0001")
        r.steer("diagnostics: {l: {every_dt: 0}}\n")
        r.rows("cavity_history.csv", r.last(), 50)
        lines = [f for f in os.listdir(r.out) if f.startswith("cavity_l_")]
        want(len(lines) <= 1, f"a line without an interval of its own is written with the fields, not {len(lines)} times")
        r.steer("stop: now\n")
        r.end("the control file asks for it")
    for scheme, more in (("lumped", {}), ("fractional_step", {"scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": "0.01", "scheme_lumped_dt": None})):  # a step that no step could follow with
        with Steered(scheme=scheme, **{f"scheme_{scheme}_cfl": "0.9"}, **more) as r:
            refuse(r, "dt: 1e9\n", f"-scheme_{scheme}_cfl 0.9: the ", f"below 1000. s (-scheme_{scheme}_dt_min, by default a millionth of -scheme_{scheme}_dt 1e+09)")
            refuse(r, "cfl: 1e-9\n", f"-scheme_{scheme}_cfl 1e-09: the ", f"by default a millionth of -scheme_{scheme}_dt 0.01")
            at, t = r.steer("dt: 100\n", f"scheme_{scheme}_dt 0.01 -> 100")
            want(all(1e-4 < row["dt"] < 10 for row in r.rows("cavity_history.csv", at + 1, 20)), "no steps by the target")
            r.steer("stop: now\n")
            r.end("the control file asks for it")
    with Steered(output_fields="false") as r:
        refuse(r, "output: now\n", "-output_fields is false")
        r.steer("stop: now\n")
        r.end("the control file asks for it")
    with Steered(control_every="0") as r:
        r.put("control", "stop: now\n")
        r.rows("cavity_history.csv", r.last(), 50)
        want(os.path.exists(r.control) and r.process.poll() is None, "control_every 0 reads it")


def periods():
    """The interval of an average stays a whole part of its period, as at the start; a period that changes is compared from its own second one on."""
    with Steered(diagnostic_mean_kind="average", diagnostic_mean_period="0.12", diagnostic_mean_every_dt="0.03", diagnostic_turn_kind="periodicity", diagnostic_turn_every_dt="0.5") as r:
        refuse(r, "diagnostics: {mean: {every_dt: 0.05}}\n", "-diagnostic_mean_every_dt: got 0.05 s, expected a whole part of the 0.12 s of -diagnostic_mean_period")
        refuse(r, "output_every: 7\ndiagnostic_mean_every_dt: 0.24\n", "got 0.24 s, expected a whole part")
        refuse(r, "diagnostic_turn_every_dt: 0\n", "-diagnostic_turn_every_dt: got 0, expected the period of the flow")
        at, t = r.steer("diagnostics: {mean: {every_dt: 0.04}}\n", "diagnostic_mean_every_dt 0.03 -> 0.04")
        at, t = r.steer("diagnostic_turn_every_dt: 0.7\n", "diagnostic_turn_every_dt 0.5 -> 0.7")
        rows = r.rows("cavity_turn.csv", at, 3)
        want(all(abs(row["t"] / 0.7 - round(row["t"] / 0.7)) < 1e-7 for row in rows), f"times of another period: {[row['t'] for row in rows]}")
        want([row["period"] for row in rows[:3]] == [1, 2, 3], f"periods: {[row['period'] for row in rows]}")
        want(rows[0]["velocity"] != rows[0]["velocity"] and rows[1]["velocity"] >= 0, "what another period is compared with")
        at, t = r.steer("diagnostic_mean_every: 3\ndiagnostic_mean_every_dt: 0.05\n", "diagnostic_mean_every_dt 0.04 -> 0.05")  # by steps too: as at the start
        r.steer("stop: now\n")
        r.end("the control file asks for it")


def ranks(np):
    with Steered(np=np) as r:
        at, t = r.steer("dt: 0.005\noutput: now\ncheckpoint: now\n", "scheme_lumped_dt 0.01 -> 0.005", "output now", "checkpoint now")
        want(all(row["dt"] == 0.005 for row in r.rows("cavity_history.csv", at, 10)), "dt has not changed")
        want(r.fields()[-1][1] == at and checkpoint_step(r) == at, "no fields, no checkpoint")
        at, t = r.steer("dt: 0.01\n")
        for text in list(REFUSED)[:4]:
            refuse(r, text, *REFUSED[text])
        r.steer("stop: now\n")
        r.end("the control file asks for it")


def device():
    """The time step of a recorded step changes too."""
    with Steered(device="cuda") as r:
        want("on this machine's CPU" not in r.said(), r.said())
        at, t = r.steer("dt: 0.004\noutput: now\n", "scheme_lumped_dt 0.01 -> 0.004", "output now")
        want(all(row["dt"] == 0.004 for row in r.rows("cavity_history.csv", at, 5)), "dt has not changed")
        want(r.fields()[-1][1] == at, "no fields")
        at, t = r.steer("dt: 0.2\ncfl: 0.3\n", "scheme_lumped_cfl 0 -> 0.3")
        rows = r.rows("cavity_history.csv", at + 1, 5)
        want(all(0 < row["dt"] < 0.2 and 0.1 <= max(row[c] for c in row if c.startswith("cfl_")) <= 0.3 + 1e-9 for row in rows), f"no CFL target: {rows[0]}")
        r.steer("stop: now\n")
        r.end("the control file asks for it")


def main():
    try:
        ranks(int(sys.argv[2])) if sys.argv[1] == "ranks" else globals()[sys.argv[1]]()
    except Failure as failure:
        print(failure)
        return 1
    return 0


sys.exit(main())
