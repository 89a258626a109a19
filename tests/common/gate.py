"""Gates: figures against bounds. Prints a line each, writes results/<name>.csv for share/validate, fails on NaN."""
import csv
import math
import os
import re
import sys


def portable(what):
    """Without the places of this machine, which a message may name."""
    build = re.escape(os.environ["RHEOPLEX_BUILD_DIR"])
    python = re.escape(os.environ.get("RHEOPLEX_PYTHON") or sys.executable)
    for place, word in ((rf"{build}/work/[^/\s:']+", "<folder>"), (python, "python3"), (build, "build"), (re.escape(os.environ["RHEOPLEX_SOURCE"]) + "/", "")):
        what = re.sub(place, word, what)
    return what


def largest(*values, default=None):
    """The largest of the arguments, or of the one iterable; NaN counts as infinite, so that none that is larger hides it (max(2, nan) is 2)."""
    found = [float(v) for v in (values[0] if len(values) == 1 else values)]
    if not found and default is not None:
        return default
    return math.inf if any(math.isnan(v) for v in found) else max(found)


class Gate:
    def __init__(self, name):
        self.name, self.rows, self.failed = name, [], 0

    def _row(self, what, value, bound, good):
        self.rows.append((what, value, bound, "ok" if good else "MISSED"))
        self.failed += not good
        print(f"{self.rows[-1][3]:7s}{what:58s} {value:<16.9g} {bound}", flush=True)

    def near(self, what, value, expected, tolerance):
        self._row(what, value, f"{expected:.9g} +- {tolerance:.3g}", abs(value - expected) <= tolerance)

    def relative(self, what, value, expected, tolerance):
        self._row(what, value, f"{expected:.9g} +- {100 * tolerance:.3g} %", abs(value - expected) <= tolerance * abs(expected))

    def at_most(self, what, value, bound):
        self._row(what, value, f"<= {bound:.6g}", value <= bound)

    def at_least(self, what, value, bound):
        self._row(what, value, f">= {bound:.6g}", value >= bound and math.isfinite(value))

    def true(self, what, good):
        self._row(what, float(bool(good)), "true", bool(good))

    def refused(self, result, expected):
        """A run that ended with exit code 1 and one sentence of error, which holds all that is expected; prints it."""
        lines = [line for line in result.stderr.splitlines() if line.startswith("rheoplex: error: ")]
        print("\n".join(lines))
        self.true(f"refused: {expected}", result.rc == 1 and len(lines) == 1 and all(word in lines[0] for word in expected))

    def note(self, what, value):
        """A figure without a bound: printed beside; it has to be finite."""
        self._row(what, value, "printed", math.isfinite(value))

    def order(self, what, cells, errors, bound):
        """L2 errors on meshes of so many cells a side, and the orders between them, of which the last is gated."""
        for n, error in zip(cells, errors):
            self.note(f"L2 error of the {what}, {n} cells a side", error)
        orders = [math.log(errors[i] / errors[i + 1]) / math.log(cells[i + 1] / cells[i]) for i in range(len(cells) - 1)]
        for i, order in enumerate(orders[:-1]):
            self.note(f"order of the {what}, {cells[i]} to {cells[i + 1]} cells", order)
        self.at_least(f"order of the {what}, {cells[-2]} to {cells[-1]} cells", orders[-1], bound)

    def finish(self):
        """Writes the figures; returns the exit code."""
        folder = os.environ["RHEOPLEX_RESULTS"]
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/{self.name}.csv.part", "w", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow(["what", "value", "bound", "verdict"])
            out.writerows([portable(what), f"{value:.9g}", bound, verdict] for what, value, bound, verdict in self.rows)
        os.replace(f"{folder}/{self.name}.csv.part", f"{folder}/{self.name}.csv")
        if not self.rows:
            print("no figure was compared", file=sys.stderr)
        return 0 if self.rows and not self.failed else 1
