"""What a written report was made from: commit, processor, date."""
import datetime
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE).stdout.strip()


def machine():
    with open("/proc/cpuinfo") as f:
        processor = next((text.split(":")[1].strip() for text in f if text.startswith("model name")), "unknown processor")
    return f"{datetime.date.today().isoformat()}, {processor}, {os.cpu_count()} cores."


def line():
    dirty = output("git", "status", "--porcelain", "-uno", "--", ":/src", ":/plugins", ":/tests", ":/options", ":/meshes")
    commit = output("git", "rev-parse", "HEAD") + (" with changes" if dirty else "")
    return f"Commit {commit}, {machine()}"
