#!/usr/bin/env python3
"""Draws what a run wrote along lines and walls: profiles of a diagnostic of kind line, averages of kind wall_average; several files together, with
columns of a CSV of reference data."""
import argparse
import os
import re

import matplotlib.pyplot as plt
import numpy as np
import results
from plot_fields import unit_of
from plot_profile import reference
from plot_tables import draw_panel, panels_of

PLACES = ("s", "x", "y", "z")
NUMBER = re.compile(r"_([0-9]{6,})$")


def is_along(header):
    """A line's profile, or averages along a wall of a plane flow: on a surface they have no order."""
    return header[:3] == ["s", "x", "y"] or ("osi" in header and header[:2] == ["x", "y"] and "z" not in header)


def read(path):
    """Columns with their units; the abscissa as the first: the coordinate that alone changes, else the length along the points."""
    data = results.table(path, ("x", "y"))
    points = np.stack([data[c] for c in "xyz" if c in data], axis=1)
    moving = np.flatnonzero(np.ptp(points, axis=0) > 1e-9 * np.ptp(points, axis=0).max())
    if len(moving) == 1:
        name, values = f"{'xyz'[moving[0]]}, m", points[:, moving[0]]
    else:
        name, values = "length along the points, m", data["s"] if "s" in data else np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    order = np.argsort(values, kind="stable")
    columns = {"abscissa": (name, values[order])}
    for column, held in data.items():
        if column not in PLACES:
            base = re.sub(r"_(x|y|z|xx|yy|zz|xy|yz|xz)$", "", column)
            columns[column] = (unit_of(column) or unit_of(base), held[order])
    return columns


def groups_of(folder):
    """Files of each diagnostic of a folder, those of a line at all its steps."""
    groups = {}
    for path in results.inputs(folder, ".csv"):
        if not path.endswith("_points.csv") and is_along(results.text_rows(path)[0]):
            groups.setdefault(NUMBER.sub("", path[: -len(".csv")]), []).append(path)
    if not groups:
        results.fail(f"{folder}: got a folder without a profile, expected one of a run with a diagnostic of kind line, or of a plane flow with wall_average (surfaces: rheoplex plot <file>.vtu space)")
    step = lambda path: int(found[1]) if (found := NUMBER.search(path[: -len(".csv")])) else -1
    return [sorted(paths, key=step) for paths in groups.values()]


def title_of(paths):
    case, name = results.case_and_name(paths[0])
    step = NUMBER.search(name) if len(paths) == 1 else None
    what = NUMBER.sub("", name).replace("_", " ")
    return f"along {what}" + (f", step {int(step[1])}" if step else "") + (f", case {case}" if case else "")


def draw(paths, output, wanted, references):
    tables = [(path, read(path)) for path in paths]
    panels = panels_of([(path, {k: v for k, v in columns.items() if k != "abscissa"}) for path, columns in tables], wanted)
    figure, axes = plt.subplots(len(panels), 1, sharex=True, squeeze=False, layout="constrained", figsize=(8, 0.6 + 2.1 * len(panels)))
    for text in references:
        x, y, name = reference(text)
        axes[0, 0].plot(x, y, "k.", label=name)
    for axis, panel in zip(axes[:, 0], panels):
        draw_panel(axis, tables, panel, [], None, "abscissa")
    axes[-1, 0].set_xlabel(tables[0][1]["abscissa"][0])
    axes[0, 0].set_title(title_of(paths), fontsize=10)
    figure.align_ylabels()
    results.save(figure, output or f"{NUMBER.sub('', os.path.splitext(paths[0])[0])}.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("profile", nargs="+", help="the output folder of a run (every line at its last step, every wall), or <case>_<name>_<step>.csv, <case>_<name>_<label>.csv, drawn together")
    parser.add_argument("-c", "--column", action="append", help="draw this column (a regular expression; may be given again; default: all, components in one panel)")
    parser.add_argument("-r", "--reference", action="append", default=[], help="file.csv:column:column[:name=value,...]: points, in the first panel")
    parser.add_argument("-o", "--output", help="picture (default: beside the first file)")
    a = parser.parse_args()
    groups = [[group[-1]] for group in groups_of(a.profile[0])] if os.path.isdir(a.profile[0]) else [[path for name in a.profile for path in results.inputs(name, ".csv")]]
    if a.output and len(groups) > 1:
        results.fail(f"-o {a.output}: {a.profile[0]} holds {len(groups)} of them; name one: {', '.join(os.path.basename(group[0]) for group in groups)}")
    for group in groups:
        draw(group, a.output, a.column, a.reference)


if __name__ == "__main__":
    main()
