"""Writes validation.md from the figures (results/*.csv) that the slow tests leave: write_validation.py results out.md"""
import csv
import datetime
import glob
import os
import subprocess
import sys


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=os.path.dirname(os.path.abspath(__file__))).stdout.strip()


def processor():
    with open("/proc/cpuinfo") as f:
        return next((line.split(":")[1].strip() for line in f if line.startswith("model name")), "unknown processor")


def main(results, target):
    files = sorted(glob.glob(f"{results}/*.csv"))
    if not files:
        sys.exit(f"no figures in {results}: the slow tests have not run")
    commit = output("git", "rev-parse", "HEAD") + (" with changes" if output("git", "status", "--porcelain", "-uno", "--", ":/src", ":/plugins", ":/tests", ":/options", ":/meshes") else "")
    lines = ["# Validation", "", "Written by `share/validate`; every figure comes from a gate of tests/, which starts from rest unless it says otherwise.", "",
             f"Commit {commit}, {datetime.date.today().isoformat()}, {processor()}, {os.cpu_count()} cores.", ""]
    missed = 0
    for path in files:
        lines += [f"## {os.path.basename(path)[:-4]}", "", "| figure | value | bound | |", "|---|---|---|---|"]
        with open(path) as f:
            for row in csv.DictReader(f):
                missed += row["verdict"] != "ok"
                lines.append("| {what} | {value} | {bound} | {verdict} |".format(**{k: v.replace("|", "\\|") for k, v in row.items()}))
        lines.append("")
    lines.insert(5, f"{len(files)} gates, {missed} figures missed.\n")
    os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
    with open(target, "w") as f:
        f.write("\n".join(lines))
    print(f"{target}: {len(files)} gates, {missed} figures missed")


main(*sys.argv[1:])
