"""Preconditioners of implicit steps renewed on demand, always and every k-th solve: renewal.py [--program rheoplex] [--case NAME] [--steps 80,80] [--every 3,7,15] [--runs 2] [--worth X] [--dfg MESH] [-o share/doc/benchmarks/renewal.md]

Two flows by `monolithic` with bdf2: the pulsatile aneurysm (options/aaa_pulsatile.yaml, from rest, a cycle of 80 steps) and the wake DFG 2D-2 (options/dfg_2d2.yaml, from the developed wake that fractional_step makes first). For each rule steps, linear solves,
set-ups, iterations, solves that were done again, seconds as the run tells them, CPU seconds of the whole run, the smallest of so many runs that take turns, and the largest difference of a field of the last state from that of `always`, over the field's largest value.
With `--worth` a set-up is worth so many iterations in place of its measured time (-pc_renew_x): counts are the same on every machine then, and what is compared is X set-ups + iterations. Fails where demand saves less than 86 % of the set-ups of `always`, costs
over 5 % more than another rule, the noise of seconds, or a state differs by more than 1e-6. Prints a table in Markdown; needs h5py."""
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile

import h5py
import numpy as np
import provenance

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SAVED, SAME, NOISE = 0.86, 1e-6, 1.05
QUIET = ["-device", "cpu", "-output_fields", "false", "-case_report_every", "1000000"]
MONOLITHIC = ["-scheme", "monolithic", "-ts_type", "bdf"]
WAKE = 5.0  # s from rest: developed
SUMMARY = re.compile(r"monolithic: (\d+) steps, (\d+) rejected, \d+ Newton iterations; preconditioner \(\w+\): (\d+) set-ups \((\d+) redone\), (\S+) s; (\d+) linear solves, (\d+) iterations, (\S+) s")
BLOCKS = {"aneurysm": {"velocity": (0, 2), "pressure": (2, 3), "log c": (3, 6)}, "wake": {"velocity": (0, 2), "pressure": (2, 3)}}


def run(o, out, *words):
    """Output and CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([o.program, "run", *words, *QUIET, "-output_folder", out], cwd=ROOT, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"error: {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def aneurysm(o, scratch):
    return ["options/aaa_pulsatile.yaml", *MONOLITHIC, "-scheme_monolithic_dt", "0.05"]


def wake(o, scratch):
    case = ["options/dfg_2d2.yaml", *(["-mesh_file", os.path.abspath(o.dfg)] if o.dfg else [])]
    run(o, f"{scratch}/developed", *case, "-scheme_fractional_step_dt", "0.004", "-stop_time", str(WAKE))
    return [*case, *MONOLITHIC, "-scheme_monolithic_dt", "0.004", "-case_restart", f"{scratch}/developed/dfg_2d2_checkpoint.h5", "-stop_time", "100"]


CASES = {"aneurysm": aneurysm, "wake": wake}


def state(folder):
    name = next(f for f in os.listdir(folder) if f.endswith("_checkpoint.h5"))
    with h5py.File(f"{folder}/{name}") as f:
        return f["state"][...]


def difference(name, a, b):
    """The largest of a field, over its largest value."""
    return max(abs(a[:, i:k] - b[:, i:k]).max() / abs(b[:, i:k]).max() for i, k in BLOCKS[name].values())


def measure(o, name, steps, scratch):
    """By rule: numbers of the summary, CPU seconds, difference from the state of `always`."""
    words = CASES[name](o, scratch)
    before = 0
    if "-case_restart" in words:
        with h5py.File(words[words.index("-case_restart") + 1]) as f:
            before = int(f.attrs["step"])
    rules = {"demand": ["demand", *(["-pc_renew_x", f"{o.worth:g}"] if o.worth else [])], "always": ["always"], **{f"interval {k}": ["interval", "-pc_renew_interval", str(k)] for k in o.every}}
    found, states = {}, {}
    for _ in range(o.runs):
        for rule, more in rules.items():
            out = f"{scratch}/{name}_{rule.replace(' ', '_')}"
            text, seconds = run(o, out, *words, "-stop_steps", str(before + steps), "-pc_renew", *more)
            told = SUMMARY.search(text)
            steps_, rejected, setups, redone, setup_s, solves, iterations, solve_s = (float(x) for x in told.groups())
            got = {"steps": steps_, "rejected": rejected, "solves": solves, "setups": setups, "redone": redone, "iterations": iterations, "setup_s": setup_s, "solve_s": solve_s, "cpu": seconds}
            print(f"{name}, {rule}: {got}", file=sys.stderr, flush=True)
            if rule not in found or seconds < found[rule]["cpu"]:
                found[rule], states[rule] = got, state(out)
    for rule, got in found.items():
        got["off"] = difference(name, states[rule], states["always"])
        got["cost"] = o.worth * got["setups"] + got["iterations"] if o.worth else got["cpu"]
    return found


def judge(name, found):
    """What is not as it is to be."""
    wrong = []
    demand, always = found["demand"], found["always"]
    if not 1 - demand["setups"] / always["setups"] >= SAVED:
        wrong.append(f"{name}: demand saves {100 * (1 - demand['setups'] / always['setups']):.1f} % of the set-ups of always, expected {100 * SAVED:g}")
    for rule, got in found.items():
        if not got["off"] <= SAME:
            wrong.append(f"{name}, {rule}: the state differs from that of always by {got['off']:.2g}, expected at most {SAME:g}")
        if rule != "demand" and not demand["cost"] <= NOISE * got["cost"]:
            wrong.append(f"{name}: demand costs {demand['cost']:.4g}, {rule} {got['cost']:.4g}, expected no more than that")
    return wrong


def rows(name, found, worth):
    always = found["always"]["setups"]
    for rule, n in found.items():
        yield (f"| {name} | {rule} | {n['steps']:.0f} | {n['solves']:.0f} | {n['setups']:.0f} | {100 * (1 - n['setups'] / always):.1f} | {n['iterations']:.0f} | {n['redone']:.0f} | {n['setup_s']:.2f} + {n['solve_s']:.2f} | {n['cpu']:.1f} | {n['off']:.1e} |"
               + (f" {n['cost']:.0f} |" if worth else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("RHEOPLEX", "rheoplex"))
    parser.add_argument("--case", default="", help=f"one of {', '.join(CASES)} alone")
    parser.add_argument("--steps", default="80,80", help="of the aneurysm and of the wake")
    parser.add_argument("--every", default="3,7,15", help="solves between set-ups, of the rules that count them")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--worth", type=float, default=0.0, help="iterations that a set-up is worth; 0: by measured times")
    parser.add_argument("--dfg", default="", help="mesh of the wake, else that of the case")
    parser.add_argument("-o", "--output", default="")
    o = parser.parse_args()
    try:
        steps = dict(zip(CASES, (int(n) for n in o.steps.split(",")), strict=True))
        o.every = [int(n) for n in o.every.split(",")]
    except ValueError:
        parser.error(f"--steps {o.steps} --every {o.every}: got what are no {len(CASES)} and some whole numbers, expected such as {parser.get_default('steps')} and {parser.get_default('every')}")
    if min(*steps.values(), *o.every, o.runs) < 1 or not o.worth >= 0 or o.case not in ("", *CASES):
        parser.error(f"--steps {o.steps} --every {o.every} --runs {o.runs} --worth {o.worth} --case {o.case}: expected numbers of 1 or more, a worth of 0 or more, a case of {', '.join(CASES)}")
    o.program = os.path.abspath(o.program) if os.sep in o.program else o.program
    by = f"A set-up is worth {o.worth:g} iterations (`--worth`): cost is their sum." if o.worth else f"CPU seconds are those of whole runs, the smallest of {o.runs} that took turns with those of the other rules; seconds of set-ups + linear solves as the run tells them."
    text = ["# Preconditioners renewed on demand", "", f"By `share/scripts/renewal.py`: `monolithic` with bdf2, factors by the rules of `-pc_renew`; saved: of the set-ups of `always`, %. {by} State: the largest difference of a field of the last one from that of `always`, over its largest value; "
            + provenance.machine(), "", "| case | rule | steps | solves | set-ups | saved | iterations | redone | set-ups + solves, s | CPU s | state |" + (" cost |" if o.worth else ""), "|---|---|---|---|---|---|---|---|---|---|---|" + ("---|" if o.worth else "")]
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in [name for name in CASES if o.case in ("", name)]:
            found = measure(o, name, steps[name], scratch)
            text += rows(name, found, o.worth)
            wrong += judge(name, found)
    print("\n".join(text))
    for line in wrong:
        print(f"error: {line}", file=sys.stderr)
    if o.output:
        with open(o.output, "w") as f:
            f.write("\n".join([*text, ""]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
