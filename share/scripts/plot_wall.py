#!/usr/bin/env python3
"""Draws wall shear stress, shear rate and pressure along a wall, with separation and reattachment points and, if given, reference data."""
import argparse
import os

import matplotlib.pyplot as plt
import numpy as np
import results


def points_of(path):
    """Separation and reattachment points written beside the table: kind, x/D, s/D."""
    beside = path[: -len(".csv")] + "_points.csv"
    if not os.path.exists(beside) or sum(1 for _ in open(beside)) < 2:
        return []
    header, rows = results.text_rows(beside)
    if not {"kind", "x_scaled", "s_scaled"} <= set(header):
        results.fail(f"{beside}: got columns {', '.join(header)}; expected kind, x_scaled, s_scaled")
    return [(row[header.index("kind")], float(row[header.index("x_scaled")]), float(row[header.index("s_scaled")])) for row in rows]


def reference_rows(path, select):
    header, rows = results.text_rows(path)
    for condition in select:
        name, _, value = condition.partition("=")
        if name not in header or not value:
            results.fail(f"--select {condition}: expected column=value with a column of {path}: {', '.join(header)}")
        rows = [row for row in rows if row[header.index(name)] == value]
    if not rows:
        results.fail(f"{path}: no row fits --select {' '.join(select)}")
    return header, rows


def along(data, i):
    """Wall shear stress along increasing arc length, over the nodes i of a chain."""
    step = np.stack([np.gradient(data["x_scaled"][i]), np.gradient(data["y_scaled"][i])])
    return (data["wss_x"][i] * step[0] + data["wss_y"][i] * step[1]) / np.maximum(np.hypot(*step), 1e-300)


def draw_reference(stress, shear, path, select, against):
    """A table with columns kind and x holds points of the stress; otherwise a curve of shear_rate over x or s."""
    header, rows = reference_rows(path, select)
    name = os.path.basename(path)
    if "kind" in header and "x" in header:
        if against == "x":
            x = [float(row[header.index("x")]) for row in rows]
            stress.plot(x, np.zeros(len(x)), "kx", markersize=9, label=name)
    elif against in header and "shear_rate" in header:
        x, g = (np.array([float(row[header.index(k)]) for row in rows]) for k in (against, "shear_rate"))
        shear.plot(x, g, "k.", markersize=5, label=name)
        shear.legend(fontsize=8)
    else:
        results.fail(f"{path}: got columns {', '.join(header)}; expected kind and x (points) or {against} and shear_rate (a curve)")


def parts_of(data):
    """Indices of each chain of the wall; a chain starts where the part number changes."""
    part = data.get("part", np.zeros(len(data["s"])))
    return [np.flatnonzero(part == p) for p in np.unique(part)]


def number_points(axis, places):
    """Writes the abscissa above each point, in rows so that no two numbers overlap."""
    width = 0.06 * (axis.get_xlim()[1] - axis.get_xlim()[0])  # of a number
    rows = []  # abscissa of the last number of each row
    for where in sorted(places):
        row = next((k for k, last in enumerate(rows) if where - last > width), len(rows))
        rows[row:row + 1] = [where]
        axis.annotate(f"{where:.3f}", (where, 0), textcoords="offset points", xytext=(0, 9 + 10 * row), ha="center", fontsize=8)
    axis.margins(y=0.1 + 0.05 * len(rows))  # the numbers stay below the title


def draw(path, output, references, select, against):
    data = results.table(path, ("s", "s_scaled", "x_scaled", "y_scaled", "wss_x", "wss_y", "shear_rate_scaled", "pressure"))
    if "z" in data:
        results.fail(f"{path}: got a wall of a 3D mesh, expected one of a plane flow (surfaces: rheoplex plot <folder> space)")
    monotone = all((np.diff(data["x_scaled"][i]) > 1e-6 * np.abs(np.diff(data["y_scaled"][i]))).all() for i in parts_of(data))
    against = against or ("x" if monotone else "s")
    figure, (stress, shear, pressure) = plt.subplots(3, 1, sharex=True, figsize=(9, 8.5), height_ratios=(2, 1, 1))
    for k, i in enumerate(parts_of(data)):
        colour = f"C{k % 10}"
        stress.plot(data[against + "_scaled"][i], along(data, i), color=colour, linewidth=1.3, label="wall shear stress" if k == 0 else None)
        shear.plot(data[against + "_scaled"][i], data["shear_rate_scaled"][i], color=colour, linewidth=1.3)
        pressure.plot(data[against + "_scaled"][i], data["pressure"][i], color=colour, linewidth=1.3)
    for axis in (stress, shear):
        axis.axhline(0, color="grey", linewidth=0.8)
    for kind, marker in (("separation", "v"), ("reattachment", "^")):
        found = [x if against == "x" else s for name, x, s in points_of(path) if name == kind]
        stress.plot(found, [0] * len(found), marker, color="C3", markersize=8, label=kind if found else None)
    number_points(stress, [x if against == "x" else s for _, x, s in points_of(path)])
    for reference in references:
        draw_reference(stress, shear, reference, select, against)
    stress.set_ylabel("wall shear stress, Pa")
    shear.set_ylabel("shear rate, U/D")
    pressure.set_ylabel("pressure, Pa")
    pressure.set_xlabel("x/D" if against == "x" else "arc length, s/D")
    case, name = results.case_and_name(path)
    stress.set_title(f"along the wall {name.removeprefix('wall_').replace('_', ' ')}" + (f", case {case}" if case else "") + (f" (numbers at points: {against}/D)" if points_of(path) else ""), fontsize=10)
    for axis in (stress, shear, pressure):
        axis.grid(alpha=0.3)
    stress.legend(fontsize=8)
    results.save(figure, output or path[: -len(".csv")] + ".png")


def main():
    parser = argparse.ArgumentParser(description=__doc__ + " U and D are -case_velocity and -case_length of the run.")
    parser.add_argument("wall", help="<case>_<name>_<label>.csv, or the output folder of a run (every wall of it)")
    parser.add_argument("-o", "--output", help="picture (default: beside the table)")
    parser.add_argument("-r", "--reference", action="append", default=[], help="CSV of reference data, scaled: kind,x or x,shear_rate or s,shear_rate")
    parser.add_argument("-s", "--select", action="append", default=[], metavar="COLUMN=VALUE", help="take only these rows of the reference")
    parser.add_argument("-a", "--against", choices=("x", "s"), help="abscissa (default: x where it grows along the wall, else arc length)")
    a = parser.parse_args()
    paths = results.inputs(a.wall, ".csv")
    if os.path.isdir(a.wall):
        paths = [p for p in paths if not p.endswith("_points.csv") and {"wss_x", "x_scaled"} <= set(results.text_rows(p)[0])]
    if not paths:
        results.fail(f"{a.wall}: got a folder without a table of a wall, expected one of a run with a diagnostic of kind wall")
    if a.output and len(paths) > 1:
        results.fail(f"-o {a.output}: {a.wall} holds {len(paths)} walls; name one of them: {', '.join(map(os.path.basename, paths))}")
    for path in paths:
        draw(path, a.output, a.reference, a.select, a.against)


if __name__ == "__main__":
    main()
