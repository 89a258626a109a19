#!/usr/bin/env python3
"""Draws tables of a run over time: forces, fluxes, probes and other diagnostics, several runs together, with reference lines."""
import argparse
import os
import re

import matplotlib.pyplot as plt
import numpy as np
import results

NOT_TIME = ("_history.csv", "_points.csv")


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


def read(path):
    data = results.table(path)
    columns = {label_and_unit(name)[0]: (label_and_unit(name)[1], values) for name, values in data.items()}
    if "t" not in columns:
        results.fail(f"{path}: got columns {', '.join(columns)}; expected t")
    return columns


def panels_of(tables, wanted):
    """A panel for each column, in the order of the first table that has it."""
    names = [name for _, columns in tables for name in columns if name not in ("step", "t", "dt")]
    names = list(dict.fromkeys(names))
    for pattern in wanted or []:
        if not any(re.fullmatch(pattern, name) for name in names):
            results.fail(f"-c {pattern}: no such column, expected some of {', '.join(names)}")
    return [name for name in names if not wanted or any(re.fullmatch(pattern, name) for pattern in wanted)]


def parse_reference(text):
    """[column:]value[=label]"""
    where, _, label = text.partition("=")
    column, _, value = where.rpartition(":")
    try:
        return column, float(value), label or "reference"
    except ValueError:
        raise argparse.ArgumentTypeError(f"got {text}, expected [column:]value[=label]")


def draw_panel(axis, tables, name, references, window):
    unit = ""
    for path, columns in tables:
        if name not in columns:
            continue
        unit, values = columns[name]
        t = columns["t"][1]
        axis.plot(t, values, linewidth=1.3, marker="." if t.size < 30 else None, label=run_of(path, tables))
    for column, value, label in references:
        if column in ("", name):
            axis.axhline(value, color="black", linestyle="--", linewidth=1, label=f"{label}: {value:g}")
    axis.set_ylabel(f"{name.replace('_', ' ')}{', ' + unit if unit else ''}")
    axis.grid(alpha=0.3)
    axis.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4), useOffset=False)
    if window:
        axis.set_xlim(*window)
        axis.relim()
        inside = [v for line in axis.lines for x, v in zip(line.get_xdata(), line.get_ydata()) if np.isfinite(v) and (len(line.get_xdata()) == 2 or window[0] <= x <= window[1])]
        if inside and max(inside) > min(inside):
            axis.set_ylim(min(inside) - 0.05 * (max(inside) - min(inside)), max(inside) + 0.05 * (max(inside) - min(inside)))
    if axis.get_legend_handles_labels()[1] and (len(tables) > 1 or references):
        axis.legend(fontsize=8)


def run_of(path, tables):
    return os.path.basename(path)[: -len(".csv")] if len(tables) > 1 else None


def title_of(path):
    folder, file = os.path.split(os.path.abspath(path))
    case = next((f[: -len("_effective.yaml")] for f in os.listdir(folder) if f.endswith("_effective.yaml") and file.startswith(f[: -len("_effective.yaml")])), "")
    what = file[len(case):-len(".csv")].strip("_").replace("_", " ") if case else file[: -len(".csv")]
    return f"{what} over time" + (f", case {case}" if case else "")


def draw(tables, output, wanted, references, window):
    names = panels_of(tables, wanted)
    figure, axes = plt.subplots(len(names), 1, sharex=True, squeeze=False, layout="constrained", figsize=(8, 0.6 + 2.1 * len(names)))
    for axis, name in zip(axes[:, 0], names):
        draw_panel(axis, tables, name, references, window)
    axes[-1, 0].set_xlabel("t, s")
    axes[0, 0].set_title(title_of(tables[0][0]) if len(tables) == 1 else "tables over time", fontsize=10)
    figure.align_ylabels()
    results.save(figure, output)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", nargs="+", help="the output folder of a run (every table over time, one picture each), or tables, drawn together")
    parser.add_argument("-c", "--column", action="append", help="draw this column (a regular expression; may be given again; default: all)")
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
