#!/usr/bin/env python3
"""Draws tables of a run over time: forces, fluxes, probes and other diagnostics, several runs together, with reference lines."""
import argparse
import math
import os
import re
import sys

import matplotlib.pyplot as plt
import numpy as np
import results

NOT_TIME = ("_history.csv", "_points.csv")


MOST_PANELS, MOST_CURVES = 12, 10
COMPONENT = re.compile(r"(.+?)_(x|y|z|xx|yy|zz|xy|yz|xz|min|max|[0-9]+)")
PLACE = re.compile(r".*_at_[xyz]")


def label_and_unit(name):
    """"drag [N/m]" -> drag, N/m."""
    found = re.fullmatch(r"(.*?)\s*\[(.*)\]", name)
    return (found[1], found[2]) if found else (name, "")


def tables_of(path):
    """The named table, or every one of a folder that has a column t."""
    if not os.path.isdir(path):
        return results.inputs(path, ".csv")
    found = [p for p in results.inputs(path, ".csv") if not p.endswith(NOT_TIME) and "t" in [label_and_unit(n)[0] for n in results.text_rows(p)[0]]]
    if not found:
        results.fail(f"{path}: got a folder without a table over time, expected one of a run with diagnostics (-diagnostic_forces, ...)")
    return found


def units_beside(path):
    """Units of a table's columns by the run's <case>_units.csv."""
    case, name = results.case_and_name(path)
    file = f"{os.path.dirname(os.path.abspath(path))}/{case}_units.csv"
    if not case or not os.path.exists(file):
        return {}
    return {row[1]: row[2] for row in results.text_rows(file)[1] if row[0] == name and len(row) == 3}


def read(path):
    data, units = results.table(path), units_beside(path)
    columns = {}
    for text, values in data.items():
        name, unit = label_and_unit(text)
        columns[name] = (unit or units.get(name, ""), values)
    if "t" not in columns:
        results.fail(f"{path}: got columns {', '.join(columns)}; expected t")
    along = results.continuation(path)
    if along and "step" in columns:
        columns["t"] = ("", np.array([along[1].get(int(step), math.nan) for step in columns["step"][1]]))
    return columns


def over(tables):
    """What tables are drawn over: the parameter that their run went along, or time."""
    along = {(results.continuation(path) or ("t, s", None))[0] for path, _ in tables}
    return along.pop() if len(along) == 1 else "t, s or a parameter"


def unit_in(tables, name):
    unit = next(columns[name][0] for _, columns in tables if name in columns)
    return "" if unit == "1" else unit


def joined(tables, names):
    """Components, extremes and points of one thing share a panel, and so do single columns of one unit where there are many: title of each
    panel and its columns."""
    panels = {}
    for name in names:
        found = COMPONENT.fullmatch(name)
        panels.setdefault((found[1] if found else name, unit_in(tables, name)), []).append(name)
    if len(panels) > 6:
        for key in [key for key, held in panels.items() if len(held) == 1 and key[1]]:
            panels.setdefault(("", key[1]), []).extend(panels.pop(key))
    return [(title, held[k:k + MOST_CURVES]) for (title, _), held in panels.items() for k in range(0, len(held), MOST_CURVES)]


def panels_of(tables, wanted):
    """Title and columns of each panel: of the wanted columns one each, else what belongs together; places of extremes are left out."""
    names = [name for _, columns in tables for name in columns if name not in ("step", "t", "dt")]
    names = list(dict.fromkeys(names))
    for pattern in wanted or []:
        if not any(re.fullmatch(pattern, name) for name in names):
            results.fail(f"-c {pattern}: no such column, expected some of {', '.join(names)}")
    if wanted:
        return [(name, [name]) for name in names if any(re.fullmatch(pattern, name) for pattern in wanted)]
    panels = joined(tables, [name for name in names if not PLACE.fullmatch(name)])
    if len(panels) > MOST_PANELS:
        print(f"{tables[0][0]}: {MOST_PANELS} panels are drawn; -c draws others of {', '.join(name for _, held in panels[MOST_PANELS:] for name in held)}", file=sys.stderr)
    return panels[:MOST_PANELS]


def parse_reference(text):
    """[column:]value[=label]"""
    where, _, label = text.partition("=")
    column, _, value = where.rpartition(":")
    try:
        return column, float(value), label or "reference"
    except ValueError:
        raise argparse.ArgumentTypeError(f"got {text}, expected [column:]value[=label]")


def spaced(name):
    """bottom_c_D -> bottom c_D"""
    return re.sub(r"\bc ([DL])\b", r"c_\1", name.replace("_", " "))


def draw_panel(axis, tables, panel, references, window, over="t"):
    title, names = panel
    for path, columns in tables:
        for name in (name for name in names if name in columns):
            t = columns[over][1]
            label = " ".join(([run_of(path)] if len(tables) > 1 else []) + ([spaced(name)] if len(names) > 1 else []))
            axis.plot(t, columns[name][1], linewidth=1.3, marker="." if t.size < 30 else None, label=label or None)
    for column, value, label in references:
        if column in ("", *names):
            axis.axhline(value, color="black", linestyle="--", linewidth=1, label=f"{label}: {value:g}")
    unit = unit_in(tables, names[0])
    axis.set_ylabel(", ".join(text for text in (spaced(title), unit) if text))
    axis.grid(alpha=0.3)
    axis.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4), useOffset=False)
    if window:
        axis.set_xlim(*window)
        axis.relim()
        inside = [v for line in axis.lines for x, v in zip(line.get_xdata(), line.get_ydata()) if np.isfinite(v) and (len(line.get_xdata()) == 2 or window[0] <= x <= window[1])]
        if inside and max(inside) > min(inside):
            axis.set_ylim(min(inside) - 0.05 * (max(inside) - min(inside)), max(inside) + 0.05 * (max(inside) - min(inside)))
    if axis.get_legend_handles_labels()[1]:
        axis.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1.03), borderaxespad=0)


def run_of(path):
    return os.path.basename(path)[: -len(".csv")]


def title_of(path):
    case, name = results.case_and_name(path)
    return f"{name.replace('_', ' ')} over {'a parameter' if results.continuation(path) else 'time'}" + (f", case {case}" if case else "")


def draw(tables, output, wanted, references, window):
    panels = panels_of(tables, wanted)
    figure, axes = plt.subplots(len(panels), 1, sharex=True, squeeze=False, layout="constrained", figsize=(8, 0.6 + 2.1 * len(panels)))
    for axis, panel in zip(axes[:, 0], panels):
        draw_panel(axis, tables, panel, references, window)
    axes[-1, 0].set_xlabel(over(tables))
    axes[0, 0].set_title(title_of(tables[0][0]) if len(tables) == 1 else "tables over time", fontsize=10)
    figure.align_ylabels()
    results.save(figure, output)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", nargs="+", help="the output folder of a run (every table over time, one picture each), or tables, drawn together")
    parser.add_argument("-c", "--column", action="append", help="draw this column (a regular expression; may be given again; default: all, with components, extremes and points of one thing in one panel)")
    parser.add_argument("-r", "--reference", action="append", default=[], type=parse_reference, metavar="[COLUMN:]VALUE[=LABEL]", help="a line at this value")
    parser.add_argument("-w", "--window", type=lambda text: tuple(float(v) for v in text.split(":")), help="times t0:t1, s")
    parser.add_argument("-o", "--output", help="picture (default: beside the table)")
    a = parser.parse_args()
    if os.path.isdir(a.table[0]):
        paths = tables_of(a.table[0])
        if a.output and len(paths) > 1:
            results.fail(f"-o {a.output}: {a.table[0]} holds {len(paths)} tables; name one of them: {', '.join(map(os.path.basename, paths))}")
        for path in paths:
            draw([(path, read(path))], a.output or f"{os.path.splitext(path)[0]}.png", a.column, a.reference, a.window)
        return
    tables = [(path, read(path)) for name in a.table for path in tables_of(name)]
    draw(tables, a.output or f"{os.path.splitext(a.table[0])[0]}.png", a.column, a.reference, a.window)


if __name__ == "__main__":
    main()
