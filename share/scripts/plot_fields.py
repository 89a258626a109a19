#!/usr/bin/env python3
"""Draws the fields of a run's last output: speed with streamlines, and the trace of the polymer stress."""
import argparse
import os

import matplotlib.pyplot as plt
import matplotlib.tri as tri
import numpy as np
import results
from matplotlib.ticker import MaxNLocator

VTK_TRIANGLES = {5: [(0, 1, 2)], 9: [(0, 1, 2), (0, 2, 3)]}
AXES = "xyz"


def read(path):
    """The grid of a .vtu (all its pieces)."""
    try:
        from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
    except ImportError:
        results.fail("the Python package vtk is needed: pip install vtk")
    if not os.path.exists(path):
        results.fail(f"{path}: no such file")
    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    if reader.GetErrorCode() or not reader.GetOutput().GetNumberOfPoints():
        results.fail(f"{path}: cannot be read, expected a .vtu with points")
    return reader.GetOutput()


def cut(grid, axis, where):
    """Plane section of a 3D grid."""
    from vtkmodules.vtkCommonDataModel import vtkPlane
    from vtkmodules.vtkFiltersCore import vtkCutter

    plane = vtkPlane()
    plane.SetNormal(*[float(axis == k) for k in range(3)])
    plane.SetOrigin(*[where if axis == k else 0 for k in range(3)])
    cutter = vtkCutter()
    cutter.SetCutFunction(plane)
    cutter.SetInputData(grid)
    cutter.Update()
    return cutter.GetOutput()


def triangles_of(grid):
    cells = []
    for k in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(k)
        for t in VTK_TRIANGLES.get(cell.GetCellType(), []):
            cells.append([cell.GetPointId(i) for i in t])
    if not cells:
        results.fail("got no triangle or quad to draw, expected a plane mesh or a section through a 3D one")
    return np.array(cells)


class Plane:
    """Fields on triangles in a plane; points that pieces share are one."""

    def __init__(self, grid, section):
        from vtkmodules.util.numpy_support import vtk_to_numpy

        bounds = np.array(grid.GetBounds()).reshape(3, 2)
        self.axes, self.section = (0, 1), None
        if bounds[2, 1] > bounds[2, 0]:
            axis, where = section or (2, bounds[2].mean())
            self.axes = tuple(k for k in range(3) if k != axis)
            self.section = f"{AXES[axis]} = {where:g} m"
            grid = cut(grid, axis, where)
            if not grid.GetNumberOfPoints():
                results.fail(f"the section {self.section} misses the mesh, which spans {bounds[axis][0]:g} to {bounds[axis][1]:g} m")
        points = vtk_to_numpy(grid.GetPoints().GetData())[:, self.axes].astype(float)
        size = np.ptp(points, axis=0).max()
        _, first, same = np.unique(np.round(points / size, 9), axis=0, return_index=True, return_inverse=True)
        cells = same.reshape(-1)[triangles_of(grid)]
        x, y = points[first].T
        self.mesh = tri.Triangulation(x, y, self.counter_clockwise(x, y, cells, size))
        data = grid.GetPointData()
        self.arrays = {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i))[first] for i in range(data.GetNumberOfArrays())}

    @staticmethod
    def counter_clockwise(x, y, cells, size):
        (a, b, c) = cells.T
        area = (x[b] - x[a]) * (y[c] - y[a]) - (x[c] - x[a]) * (y[b] - y[a])
        cells[area < 0] = cells[area < 0][:, ::-1]
        return cells[np.abs(area) > 1e-14 * size**2]

    def velocity(self):
        if "velocity" not in self.arrays:
            results.fail(f"got fields {', '.join(sorted(self.arrays))}; expected velocity")
        return self.arrays["velocity"][:, self.axes[0]], self.arrays["velocity"][:, self.axes[1]]

    def scalar(self, name):
        """An array, or of a tensor its trace (XX + YY + ZZ), of a vector its length."""
        if name not in self.arrays:
            results.fail(f"got fields {', '.join(sorted(self.arrays))}; expected {name}")
        values = self.arrays[name]
        if values.ndim == 1:
            return values, name.replace("_", " ")
        if values.shape[1] == 6:
            return values[:, :3].sum(axis=1), f"trace of {name.replace('_', ' ')}"
        return np.linalg.norm(values, axis=1), f"|{name}|"


def grid_size(plane, columns):
    x, y = plane.mesh.x, plane.mesh.y
    width, height = np.ptp(x), np.ptp(y)
    nx = max(40, int(columns * min(1, width / height)))
    ny = max(40, int(columns * min(1, height / width)))
    return np.linspace(x.min(), x.max(), nx), np.linspace(y.min(), y.max(), ny)


def draw_streamlines(axis, plane, density):
    """On a raster; places outside the mesh are masked, so no line crosses a wall."""
    x, y = grid_size(plane, 600)
    X, Y = np.meshgrid(x, y)
    u, v = plane.velocity()
    finder = plane.mesh.get_trifinder()
    U = tri.LinearTriInterpolator(plane.mesh, u, finder)(X, Y)
    V = tri.LinearTriInterpolator(plane.mesh, v, finder)(X, Y)
    if np.ma.hypot(U, V).max() > 0:
        axis.streamplot(x, y, U, V, density=density, color="white", linewidth=0.6, arrowsize=0.6)


UNITS = {"pressure": "Pa", "trace of stress": "Pa", "stress trace": "Pa"}


def draw_scalar(figure, axis, plane, values, label, clip):
    low, high = (np.percentile(values, (100 - clip, clip)) if clip < 100 else (values.min(), values.max()))
    if not high - low > 1e-12 * max(abs(low), abs(high)):
        low, high = low - max(abs(low), 1) * 1e-6, high + max(abs(low), 1) * 1e-6
    extend = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}[(values.min() < low, values.max() > high)]
    image = axis.tricontourf(plane.mesh, values, levels=np.linspace(low, high, 129), cmap="viridis", extend=extend)
    wide = np.ptp(plane.mesh.x) > np.ptp(plane.mesh.y)
    ticks = [t for t in MaxNLocator(6).tick_values(low, high) if low <= t <= high]
    bar = figure.colorbar(image, ax=axis, shrink=0.9 if wide else 0.8, pad=0.02, aspect=15, ticks=ticks)
    bar.set_label(label)


def draw(path, output, field, section, density, clip):
    path, time = (results.last_of_series(path) if path.endswith(".pvd") else (path, None))
    plane = Plane(read(path), section)
    u, v = plane.velocity()
    panels = [("speed", np.linalg.norm(plane.arrays["velocity"], axis=1), "|u|, m/s")]
    field = field or ("stress" if "stress" in plane.arrays else None)
    if field:
        values, label = plane.scalar(field)
        panels.append((label, values, f"{label}, {UNITS[label]}" if label in UNITS else label))
    width, height = np.ptp(plane.mesh.x), np.ptp(plane.mesh.y)
    shape = (len(panels), 1) if width > 1.2 * height else (1, len(panels))
    scale = min(10 / (width * shape[1]), 9 / (height * shape[0]))
    figure, axes = plt.subplots(*shape, squeeze=False, layout="constrained",
                                figsize=(max(5, width * scale * shape[1]) + 1.5, max(2.2 * shape[0], height * scale * shape[0] + 0.8)))
    for k, (axis, (title, values, label)) in enumerate(zip(axes.flat, panels)):
        draw_scalar(figure, axis, plane, values, label, 100 if k == 0 else clip)
        if k == 0:
            draw_streamlines(axis, plane, density)
        axis.set_aspect("equal")
        axis.set_xlim(plane.mesh.x.min(), plane.mesh.x.max())
        axis.set_ylim(plane.mesh.y.min(), plane.mesh.y.max())
        axis.set_xlabel(f"{AXES[plane.axes[0]]}, m")
        axis.set_ylabel(f"{AXES[plane.axes[1]]}, m")
    words = [os.path.basename(path)] + ([f"t = {time:g} s"] if time is not None else []) + ([plane.section] if plane.section else [])
    axes[0, 0].set_title(", ".join(words), fontsize=10)
    results.save(figure, output or (path[: -len(".vtu")] + ".png"))


def parse_section(text):
    axis, _, where = text.partition("=")
    try:
        return AXES.index(axis), float(where)
    except ValueError:
        raise argparse.ArgumentTypeError(f"got {text}, expected x=, y= or z= and a number")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fields", help=".pvd (its last output is drawn), .vtu, or the output folder of a run")
    parser.add_argument("-o", "--output", help="picture (default: beside the .vtu)")
    parser.add_argument("-f", "--field", help="second panel: any array of the file; of a tensor its trace (default: stress)")
    parser.add_argument("-s", "--section", type=parse_section, help="plane of a 3D mesh, such as z=0.5 (default: the middle in z)")
    parser.add_argument("-d", "--density", type=float, default=1.5, help="of the streamlines (default: 1.5)")
    parser.add_argument("-c", "--clip", type=float, default=99.5, help="percentile at which the colours of the second panel end (default: 99.5)")
    a = parser.parse_args()
    if not 50 < a.clip <= 100:
        results.fail(f"--clip: got {a.clip:g}, expected more than 50 and at most 100")
    for path in results.inputs(a.fields, ".pvd"):
        draw(path, a.output, a.field, a.section, a.density, a.clip)


if __name__ == "__main__":
    main()
