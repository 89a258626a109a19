"""What the plots share: finding and reading the files of a run, errors, pictures."""
import argparse
import csv
import math
import os
import re
import sys
import xml.etree.ElementTree as tree

import matplotlib
import numpy as np

matplotlib.use("Agg")


def fail(text):
    print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr)
    sys.exit(1)


def inputs(path, ending):
    """The file itself, or the files of a folder whose names end so."""
    if os.path.isdir(path):
        found = sorted(f"{path}/{name}" for name in os.listdir(path) if name.endswith(ending))
        if not found:
            fail(f"{path}: got a folder without a file *{ending}, expected the output folder of a run")
        return found
    if not os.path.exists(path):
        fail(f"{path}: no such file or folder")
    return [path]


def text_rows(path):
    """Header and rows of a CSV; lines that begin with # are left out."""
    try:
        with open(path, newline="") as f:
            rows = [row for row in csv.reader(line for line in f if not line.startswith("#")) if row]
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{path}: {error}")
    if len(rows) < 2:
        fail(f"{path}: got no data row, expected a header and at least one row")
    return [name.strip() for name in rows[0]], rows[1:]


def table(path, needed=()):
    """Columns of a CSV of numbers, by name."""
    header, rows = text_rows(path)
    missing = [name for name in needed if name not in header]
    if missing:
        fail(f"{path}: got columns {', '.join(header)}; expected also {', '.join(missing)}")
    columns = {name: [] for name in header}
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            fail(f"{path}: data row {number} has {len(row)} values, expected {len(header)}")
        for name, value in zip(header, row):
            try:
                columns[name].append(float(value) if value else math.nan)
            except ValueError:
                fail(f"{path}: data row {number}, column {name}: got \"{value}\", expected a number")
    return {name: np.array(values) for name, values in columns.items()}


def series(path):
    """Files and times of a .pvd, in the order of time; along a parameter, which may fall or turn, in that of the run."""
    try:
        sets = list(tree.parse(path).getroot().iter("DataSet"))
    except (OSError, tree.ParseError) as error:
        fail(f"{path}: {error}")
    if not sets:
        fail(f"{path}: got a series without an entry, expected at least one output")
    found = [(os.path.join(os.path.dirname(path), entry.get("file")), float(entry.get("timestep"))) for entry in sets]
    return found if continuation(path) else sorted(found, key=lambda entry: entry[1])


def is_true(text):
    """Of an option that is true or false, as it may be written."""
    return text.lower() in ("true", "yes", "on", "1", "")


def continuation(path):
    """Of a run that went along a parameter: its name and {step: value} by the table of the continuation; None where there is none."""
    parameter = options_of(path).get("scheme_steady_continuation", "").split("=")[0]
    folder, file = os.path.split(os.path.abspath(path))
    case = max((f[: -len("_effective.yaml")] for f in os.listdir(folder) if f.endswith("_effective.yaml") and file.startswith(f[: -len("_effective.yaml")])), key=len, default=None) if os.path.isdir(folder) else None
    if not parameter or case is None or not os.path.isfile(f"{folder}/{case}_continuation.csv"):
        return None
    rows = table(f"{folder}/{case}_continuation.csv", ("step", parameter))
    return parameter, dict(zip((int(step) for step in rows["step"]), rows[parameter]))


def options_of(path):
    """The effective options beside a .pvd or .vtu of a run, strings by name; none where the folder has no run that the file may be of."""
    folder, file = os.path.split(os.path.abspath(path))
    ending = "_effective.yaml"
    cases = [name[: -len(ending)] for name in os.listdir(folder) if name.endswith(ending)] if os.path.isdir(folder) else []
    case = max((name for name in cases if os.path.splitext(file)[0] == name or file.startswith(f"{name}_")), key=len, default=None)
    try:
        with open(f"{folder}/{case}{ending}") as f:
            return {name: value.strip("'") for name, value in (line.rstrip().split(": ", 1) for line in f if ": '" in line)}
    except OSError:
        return {}


def when(path, time, file=""):
    """What a title says of an entry's time, None: nothing; of a steady solution, whose run has no time, that, or the parameter that the
    run went along, which is not the time of an arc length: by the step in the file's name."""
    if time is None:
        return None
    options = options_of(path)
    if os.path.splitext(path)[0].endswith(("_mode_real", "_mode_imaginary")):
        return f"mode {time:g}"
    if options.get("scheme") != "steady":
        return f"t = {time:.4g} s"
    along, step = continuation(path), re.search(r"_(\d+)\.\w+$", file)
    if along and step:
        value = along[1].get(int(step[1]))
        return "before the continuation" if value is None else f"{along[0]} = {value:.4g}"
    parameter = options.get("scheme_steady_continuation", "").split("=")[0]
    return f"{parameter} = {time:.4g}" if parameter else "steady"


def case_and_name(path):
    """Of a table of a run; no case where the folder has no run of that name."""
    folder, file = os.path.split(os.path.abspath(path))
    case = next((f[: -len("_effective.yaml")] for f in os.listdir(folder) if f.endswith("_effective.yaml") and file.startswith(f[: -len("effective.yaml")])), "")
    return case, file[len(case):-len(".csv")].strip("_") if case else file[: -len(".csv")]


def save(figure, path):
    try:
        figure.savefig(path, dpi=150, bbox_inches="tight")
    except (OSError, ValueError) as error:
        fail(f"{path}: the picture cannot be written: {error}")
    print(path)


def draw_each(text, kind, folder, draw):
    """A script's whole: draw(table, picture or None) for <case>_<kind>.csv, or for those of a folder."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument(kind, help=f"<case>_{kind}.csv, or {folder}")
    parser.add_argument("-o", "--output", help="picture (default: beside the table)")
    arguments = parser.parse_args()
    for path in inputs(getattr(arguments, kind), f"_{kind}.csv"):
        draw(path, arguments.output)
