#!/usr/bin/env python3
"""Draws profiles of fields along straight lines, at one time or several, with columns of a CSV of reference data."""
import argparse
import re

import matplotlib.pyplot as plt
import numpy as np
import results
from plot_fields import choose_times, quantity, read


def parse_line(text):
    """x,y[,z]:x,y[,z] -> two points."""
    try:
        ends = [[float(v) for v in end.split(",")] for end in text.split(":")]
    except ValueError:
        ends = []
    if len(ends) != 2 or any(len(end) not in (2, 3) for end in ends) or ends[0] == ends[1]:
        raise argparse.ArgumentTypeError(f"got {text}, expected x,y:x,y or x,y,z:x,y,z, two points")
    return [np.array(end + [0.0] * (3 - len(end))) for end in ends]


def sample(grid, line, n):
    """Arrays at n points of the line that lie in the mesh, and where these are."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkFiltersCore import vtkProbeFilter
    from vtkmodules.vtkFiltersSources import vtkLineSource

    source = vtkLineSource()
    source.SetPoint1(*line[0])
    source.SetPoint2(*line[1])
    source.SetResolution(n - 1)
    probe = vtkProbeFilter()
    probe.SetInputConnection(source.GetOutputPort())
    probe.SetSourceData(grid)
    probe.Update()
    data = probe.GetOutput().GetPointData()
    inside = vtk_to_numpy(data.GetArray("vtkValidPointMask")).astype(bool)
    if not inside.any():
        results.fail("the line misses the mesh, which spans " + ", ".join(f"{grid.GetBounds()[2 * k]:g} to {grid.GetBounds()[2 * k + 1]:g}" for k in range(3)) + " m")
    where = line[0] + np.linspace(0, 1, n)[:, None] * (line[1] - line[0])
    return where[inside], {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i))[inside] for i in range(data.GetNumberOfArrays())}


def abscissa(line, points):
    """The coordinate that the line follows, or the length along it."""
    moving = np.flatnonzero(np.abs(line[1] - line[0]) > 1e-12 * np.abs(line[1] - line[0]).max())
    if len(moving) == 1:
        return points[:, moving[0]], f"{'xyz'[moving[0]]}, m"
    return np.linalg.norm(points - line[0], axis=1), "length along the line, m"


def describe(line):
    fixed = [f"{'xyz'[k]} = {line[0][k]:g} m" for k in range(3) if line[0][k] == line[1][k] and not (k == 2 and line[0][2] == 0)]
    return ", ".join(fixed) or "from " + " to ".join("(" + ", ".join(f"{v:g}" for v in end) + ")" for end in line)


def symbol(title):
    """The part of a title that is a formula, else all of it: what an axis has room for."""
    found = re.search(r"\$.*\$", title)
    return found[0] if found else title


def reference(text):
    """file.csv:x:y[:column=value,...]"""
    path, _, rest = text.partition(".csv:")
    words = rest.split(":")
    if len(words) not in (2, 3):
        results.fail(f"-r {text}: expected file.csv:column:column, or file.csv:column:column:name=value,name=value")
    header, rows = results.text_rows(path + ".csv")
    for condition in words[2].split(",") if len(words) == 3 else []:
        name, _, value = condition.partition("=")
        if name not in header or not value:
            results.fail(f"-r {text}: {condition}: expected name=value with a column of {path}.csv: {', '.join(header)}")
        rows = [row for row in rows if row[header.index(name)] == value]
    missing = [name for name in words[:2] if name not in header]
    if missing or not rows:
        results.fail(f"-r {text}: got {', '.join(missing)}; expected columns of {', '.join(header)}" if missing else f"-r {text}: no row fits")
    x, y = (np.array([float(row[header.index(name)]) for row in rows]) for name in words[:2])
    return x, y, re.sub(r".*/", "", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fields", help="the output folder of a run, a .pvd or a .vtu")
    parser.add_argument("-l", "--line", action="append", type=parse_line, required=True, help="x,y:x,y or x,y,z:x,y,z; may be given again (write -l=-1,0:1,0)")
    parser.add_argument("-f", "--field", default="velocity", help="as of `rheoplex plot fields`, comma-separated, a panel each (default: velocity)")
    parser.add_argument("-t", "--times", default="last", help="last, all, or times in s, comma-separated (default: last)")
    parser.add_argument("-r", "--reference", action="append", default=[], help="file.csv:column:column[:name=value,...]: points, in the first panel")
    parser.add_argument("-n", "--points", type=int, default=400, help="of a line (default: 400)")
    parser.add_argument("--swap", action="store_true", help="the coordinate upwards")
    parser.add_argument("-o", "--output", help="picture (default: <case>_profile.png beside the .pvd)")
    a = parser.parse_args()
    path = results.inputs(a.fields, ".pvd")[0]
    series = choose_times(results.series(path), a.times) if path.endswith(".pvd") else [(path, None)]
    fields = a.field.split(",")
    figure, axes = plt.subplots(1, len(fields), squeeze=False, layout="constrained", figsize=(max(5.2, 4.4 * len(fields)), 3.8))
    figure.get_layout_engine().set(wspace=0.06)
    for file, time in series:
        grid = read(file)
        for line in a.line:
            points, arrays = sample(grid, line, a.points)
            where, label = abscissa(line, points)
            words = [describe(line)] * (len(a.line) > 1) + [results.when(path, time, file)] * (len(series) > 1)
            for axis, field in zip(axes[0], fields):
                values, (title, unit) = quantity(arrays, field)
                axis.plot(*((values, where) if a.swap else (where, values)), linewidth=1.4, label=", ".join(words) or "Rheoplex")
                (axis.set_xlabel if a.swap else axis.set_ylabel)(", ".join(word for word in (symbol(title), unit) if word))
                (axis.set_ylabel if a.swap else axis.set_xlabel)(label)
                axis.set_title(f"{title}, {describe(a.line[0])}" if len(a.line) == 1 else title, fontsize=10)
    for text in a.reference:
        x, y, name = reference(text)
        axes[0, 0].plot(*((y, x) if a.swap else (x, y)), "k.", label=name)
    for axis in axes[0]:
        axis.grid(alpha=0.3)
        axis.locator_params(nbins=6)
        axis.ticklabel_format(style="sci", scilimits=(-2, 4))
        axis.legend(fontsize=8)
    results.save(figure, a.output or f"{path.rsplit('.', 1)[0]}_profile.png")


if __name__ == "__main__":
    main()
