#!/usr/bin/env python3
"""Draws fields of a plane flow, or of a plane section of one in space: any component or magnitude, N1, vorticity, streamfunction, with
streamlines or contours of the streamfunction; several times side by side; an animation."""
import argparse
import os
import re

import matplotlib.pyplot as plt
import matplotlib.tri as tri
import numpy as np
import results
from matplotlib.ticker import FixedLocator, MaxNLocator

VTK_TRIANGLES = {5: [(0, 1, 2)], 9: [(0, 1, 2), (0, 2, 3)]}
AXES = "xyz"
COMPONENTS = {6: ("xx", "yy", "zz", "xy", "yz", "xz"), 3: ("x", "y", "z")}
UNITS = {"velocity": "m/s", "swirl": "m/s", "pressure": "Pa", "stress": "Pa", "stress_trace": "Pa", "vorticity": "1/s", "streamfunction": "m$^2$/s",
         "wall_shear_stress": "Pa", "mean": "Pa", "magnitude": "Pa", "rrt": "1/Pa", "wssg": "Pa/m", "shear_rate": "1/s", "n1": "Pa", "viscosity": "Pa s", "q_criterion": "1/s$^2$"}
NAMES = {"swirl": r"velocity $u_\theta$", "mean": "length of the time-averaged wall shear stress", "magnitude": "time average of the length of the wall shear stress",
         "osi": "oscillatory shear index", "rrt": "relative residence time", "wssg": "wall shear stress gradient"}
SYMBOLS = {"velocity": "u", "stress": r"\tau", "conformation": "c"}
OWN = re.compile(r"(pressure|swirl|rank|cfl|n1|vorticity|shear_rate|viscosity|q_criterion|wi)|(stress|conformation|log_conformation)(_.*)?")  # no scalar fields of plugins
OPEN = 0.5  # of what passes a line of the boundary: net flow of a source within it
LINES = ("streamlines", "contours", "none")
CLOSED = 0.05  # of the values seen: differences of the streamfunction along walls that nothing passes between, of which a coarse mesh has a few percent


# ---- The data ----


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

    def __init__(self, grid, section, when=None, swept=False):
        """swept: the half plane of an axisymmetric flow."""
        from vtkmodules.util.numpy_support import vtk_to_numpy

        bounds = np.array(grid.GetBounds()).reshape(3, 2)
        self.axes, self.section, self.when, self.swept = (0, 1), None, when, swept
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
        u = self.arrays.get("velocity", self.arrays.get("velocity_mean"))
        if u is None:
            results.fail(f"got fields {', '.join(sorted(self.arrays))}; expected velocity")
        return u[:, self.axes[0]], u[:, self.axes[1]]

    def slopes(self):
        """Of the hat functions of each triangle, [cells][3][2], and its area."""
        x, y = self.mesh.x[self.mesh.triangles], self.mesh.y[self.mesh.triangles]
        area = 0.5 * ((x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (x[:, 2] - x[:, 0]) * (y[:, 1] - y[:, 0]))
        g = np.stack([np.roll(y, -1, 1) - np.roll(y, -2, 1), np.roll(x, -2, 1) - np.roll(x, -1, 1)], axis=2)
        return g / (2 * area)[:, None, None], area

    def vorticity(self):
        """dv/dx - du/dy, averaged at the nodes; of a section across y, whose axes are x and z, du/dz - dw/dx."""
        g, area = self.slopes()
        u, v = (f[self.mesh.triangles] for f in self.velocity())
        turn = ((g[:, :, 0] * v).sum(axis=1) - (g[:, :, 1] * u).sum(axis=1)) * area
        total, weight = (np.bincount(self.mesh.triangles.ravel(), np.repeat(w, 3), self.mesh.x.size) for w in (turn, area))
        return (-total if self.axes == (0, 2) else total) / np.maximum(weight, 1e-300)

    def edges(self):
        """That one triangle has, [n][2]: from end to end it lies on the left."""
        ends = np.concatenate([self.mesh.triangles[:, k] for k in ([0, 1], [1, 2], [2, 0])])
        _, of, count = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True, return_counts=True)
        return ends[count[of.reshape(-1)] == 1]

    def boundary(self):
        return np.unique(self.edges())

    def flows(self, edges):
        """Out through each edge; of axisymmetric flow of r u."""
        x, y, (u, v) = self.mesh.x, self.mesh.y, self.velocity()
        a, b = edges.T

        def mean(f):
            return (y[a] * (2 * f[a] + f[b]) + y[b] * (f[a] + 2 * f[b])) / 6 if self.swept else (f[a] + f[b]) / 2

        return np.where(self.tight(edges), 0, mean(u) * (y[b] - y[a]) - mean(v) * (x[b] - x[a]))

    def tight(self, edges):
        """Edges from a still node to the corner of a lid that slides past it: what its node carries through this edge is none."""
        at, u = np.stack([self.mesh.x, self.mesh.y]), np.stack(self.velocity())
        cross, length = lambda p, q: p[0] * q[1] - p[1] * q[0], lambda p: np.hypot(*p)
        still = length(u) <= 1e-12 * length(u).max()
        along, found = at[:, edges[:, 1]] - at[:, edges[:, 0]], np.zeros(len(edges), bool)
        for end in (0, 1):
            other = np.full(at.shape[1], -1)  # the edge that comes to a node, or leaves it
            other[edges[:, 1 - end]] = np.arange(len(edges))
            node, beside = edges[:, end], other[edges[:, end]]
            lid = along[:, beside]
            found |= (still[edges[:, 1 - end]] & ~still[node] & (np.abs(cross(along, lid)) > 0.1 * length(along) * length(lid))
                      & (np.abs(cross(u[:, node], lid)) <= 1e-9 * length(u[:, node]) * length(lid)))
        return found

    def lines(self):
        """The closed lines of the boundary: of each node the line's number, -1 inside, and psi along it from 0 at one of its nodes by what
        flows out, as if as much flowed in. None, None where the net flow of a line is half of what passes it or more: there is no psi."""
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import breadth_first_order, connected_components

        n, edges = self.mesh.x.size, self.edges()
        a, b = edges.T
        flow, speed = self.flows(edges), np.hypot(*self.velocity()) * (self.mesh.y if self.swept else 1)
        moves = (speed[a] + speed[b]) * np.hypot(self.mesh.x[b] - self.mesh.x[a], self.mesh.y[b] - self.mesh.y[a])
        joined = coo_matrix((np.ones(len(edges)), (a, b)), shape=(n, n)).tocsr()
        line, psi = np.full(n, -1), np.zeros(n)
        component = connected_components(joined, directed=False)[1]
        nodes = np.unique(edges)
        line[nodes] = np.unique(component[nodes], return_inverse=True)[1].reshape(-1)
        net, passes, moving = (np.bincount(line[a], w) for w in (flow, np.abs(flow), moves))
        lack = np.where(passes <= 1e-12 * moving, 0, net / np.maximum(passes, 1e-300))
        if (np.abs(lack) >= OPEN).any():
            return None, None
        flow *= 1 - np.sign(flow) * lack[line[a]]
        step = {pair: f for p, q, f in zip(a, b, flow) for pair, f in (((p, q), f), ((q, p), -f))}
        for k in range(line.max() + 1):
            order, before = breadth_first_order(joined, nodes[line[nodes] == k][0], directed=False)
            for node in order[1:]:
                psi[node] = psi[before[node]] + step[before[node], node]
        return line, psi

    def streamfunction(self):
        """psi with u = (dpsi/dy, -dpsi/dx), as the diagnostic of that name: along the boundary by what flows out there, inside closest in the
        square: int grad psi . grad w = int (-v, u) . grad w; 0 at its least on the boundary. Stokes' of axisymmetric flow has r u for u, m^3/s."""
        from scipy.sparse import coo_matrix, diags
        from scipy.sparse.linalg import spsolve

        g, area = self.slopes()
        cells, n = self.mesh.triangles, self.mesh.x.size
        u, v = ((f * self.mesh.y if self.swept else f)[cells].mean(axis=1) for f in self.velocity())
        stiffness = np.einsum("eai,ebi,e->eab", g, g, area)
        load = (area * (-v * g[:, :, 0].T + u * g[:, :, 1].T)).T
        rows, columns = np.repeat(cells, 3, axis=1).ravel(), np.tile(cells, 3).ravel()
        matrix = coo_matrix((stiffness.ravel(), (rows, columns)), shape=(n, n)).tocsr()
        right = np.bincount(cells.ravel(), load.ravel(), n)
        line, along = self.lines()
        if line is None:
            line, along = np.where(np.arange(n) == cells[0, 0], 0, -1), np.zeros(n)
        column = np.cumsum(line < 0) - 1  # of the unknowns: psi inside, then one of each line but the first
        column = np.where(line < 0, column, column[-1] + line)
        known = line == 0
        P = coo_matrix((np.ones(n - known.sum()), (np.flatnonzero(~known), column[~known])), shape=(n, column.max() + 1)).tocsr()
        unused = np.ones(n)
        unused[cells.ravel()] = 0
        psi = along + P @ spsolve((P.T @ (matrix + diags(unused)) @ P).tocsc(), P.T @ (right - matrix @ along))
        return psi - psi[self.boundary()].min()

    def scalar(self, name):
        """Values, and title and unit, of what `quantity` knows, and of vorticity and streamfunction."""
        if name in ("vorticity", "streamfunction"):
            return getattr(self, name)(), (name, "m$^3$/s" if name == "streamfunction" and self.swept else unit_of(name))
        return quantity(self.arrays, name)


def quantity(arrays, name):
    """Values, and title and unit, of an array (of a vector its length, of a tensor its trace), a component, or N1, which results call n1."""
    if name == "N1" and "stress" not in arrays and "n1" in arrays:
        name = "n1"
    difference = None if name in arrays else re.fullmatch(r"[Nn]1(_\d+)?", name)
    base, _, component = name.rpartition("_")
    needed = "stress" + (difference[1] or "") if difference else name
    if name not in arrays and base in arrays and arrays[base].ndim == 2 and component in COMPONENTS.get(arrays[base].shape[1], ()):
        values = arrays[base][:, COMPONENTS[arrays[base].shape[1]].index(component)]
        symbol = SYMBOLS.get(re.sub(r"_\d+$", "", base))
        return values, (rf"{plain(base)} ${symbol}_{{{component}}}$" if symbol else plain(name), unit_of(base))
    if needed not in arrays:
        results.fail(f"got the field {needed}; expected one of {', '.join(sorted(arrays))} (or a component such as velocity_x, stress_xy; N1; in a plane vorticity, streamfunction)")
    values = arrays[needed]
    if difference:
        mode = f" of mode {difference[1][1:]}" if difference[1] else ""
        return values[:, 0] - values[:, 1], (rf"first normal stress difference{mode} $\tau_{{xx}} - \tau_{{yy}}$", "Pa")
    if values.ndim == 1:
        return values, (r"first normal stress difference $\tau_{xx} - \tau_{yy}$" if name == "n1" else plain(name), unit_of(name))
    if values.shape[1] == 6:
        return values[:, :3].sum(axis=1), (f"trace of {plain(name)}", unit_of(name))
    return np.linalg.norm(values, axis=1), ("speed |u|" if name == "velocity" else f"|{plain(name)}|", unit_of(name))


def first_of(arrays):
    """What is drawn unless it is said: velocity, stress and what the flow carries, or averages of the first two."""
    carried = [name for name in sorted(arrays) if arrays[name].ndim == 1 and not OWN.fullmatch(name)]
    return [name for name in ("velocity", "stress") if name in arrays] + carried * ("velocity" in arrays) or [name for name in ("velocity_mean", "stress_mean") if name in arrays] or sorted(arrays)[:1]


def plain(name):
    return NAMES[name] if name in NAMES else name.replace("_", " ").replace("stress", "polymer stress", 1) if name.startswith("stress") else name.replace("_", " ")


def unit_of(name):
    """"": not known here, or a number."""
    return UNITS.get(re.sub(r"(_\d+)?(_mean|_rms)?$", "", name), "")


# ---- Lines ----


def grid_size(x, y, window, columns):
    width, height = window[1] - window[0], window[3] - window[2]
    nx, ny = max(60, int(columns * min(1, width / height))), max(60, int(columns * min(1, height / width)))
    return np.linspace(window[0], window[1], nx), np.linspace(window[2], window[3], ny)


def draw_streamlines(axis, plane, density, window):
    """On a raster; places outside the mesh are masked, so no line crosses a wall."""
    x, y = grid_size(plane.mesh.x, plane.mesh.y, window, 600)
    X, Y = np.meshgrid(x, y)
    u, v = plane.velocity()
    finder = plane.mesh.get_trifinder()
    U = tri.LinearTriInterpolator(plane.mesh, u, finder)(X, Y)
    V = tri.LinearTriInterpolator(plane.mesh, v, finder)(X, Y)
    if np.ma.hypot(U, V).max() > 0:
        wide = (window[1] - window[0]) / (window[3] - window[2])
        axis.streamplot(x, y, U, V, density=(density * min(3, max(1, wide)), density * min(3, max(1, 1 / wide))), color="white", linewidth=0.5, arrowsize=0.5)


def vortices(mesh, psi, boundary):
    """psi of the extremes inside, each with that of the nearest node of the boundary, beyond which the flow goes round."""
    low, high = np.full(psi.size, np.inf), np.full(psi.size, -np.inf)
    for a in range(3):
        for b in ((a + 1) % 3, (a + 2) % 3):
            np.minimum.at(low, mesh.triangles[:, a], psi[mesh.triangles[:, b]])
            np.maximum.at(high, mesh.triangles[:, a], psi[mesh.triangles[:, b]])
    inside = np.setdiff1d(np.flatnonzero((psi < low) | (psi > high)), boundary)
    near = [boundary[np.argmin((mesh.x[boundary] - mesh.x[k]) ** 2 + (mesh.y[boundary] - mesh.y[k]) ** 2)] for k in inside]
    return inside, psi[inside], psi[near]


def contour_levels(mesh, psi, boundary, seen, n):
    """Of the values that are seen, even between the walls; in closed vortices closer where they are weak, fewer where they lie between."""
    least, greatest = psi[seen].min(), psi[seen].max()
    low, high = np.clip((psi[boundary].min(), psi[boundary].max()), least, greatest)
    levels = [np.linspace(low, high, n + 2)[1:-1]] if high - low > CLOSED * (greatest - least) else []
    for node, end, start in zip(*vortices(mesh, psi, boundary)):
        if seen[node] and abs(end - start) > 1e-4 * (greatest - least):
            m = 3 if low < end < high else n // 2
            levels.append(start + (end - start) * (np.arange(1, m + 1) / (m + 1)) ** 2)
    return np.unique(np.concatenate(levels)) if levels else np.array([])


def draw_contours(axis, plane, density, window):
    psi = plane.streamfunction()
    x, y = plane.mesh.x, plane.mesh.y
    seen = (x >= window[0]) & (x <= window[1]) & (y >= window[2]) & (y <= window[3])
    levels = contour_levels(plane.mesh, psi, plane.boundary(), seen, int(12 * density)) if seen.any() else np.array([])
    if levels.size:
        axis.tricontour(plane.mesh, psi, levels=levels, colors="white", linewidths=0.6, linestyles="solid")


# ---- Panels ----


def colour_range(planes, field, given, clip):
    """Of all times."""
    if given:
        return given
    values = np.concatenate([p.scalar(field)[0] for p in planes])
    low, high = np.percentile(values, (100 - clip, clip)) if clip < 100 else (values.min(), values.max())
    if not high - low > 1e-12 * max(abs(low), abs(high)):
        low, high = low - max(abs(low), 1) * 1e-6, high + max(abs(low), 1) * 1e-6
    return low, high


def draw_panel(axis, plane, field, colours, options, lines):
    values, (title, unit) = plane.scalar(field)
    low, high = colours
    extend = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}[(values.min() < low, values.max() > high)]
    image = axis.tricontourf(plane.mesh, values, levels=np.linspace(low, high, 129), cmap=options.colours, extend=extend)
    x, y = plane.mesh.x, plane.mesh.y
    window = options.zoom or (x.min(), x.max(), y.min(), y.max())
    kind = options.lines or ("streamlines" if plane.section else "contours")
    if lines and kind == "streamlines":
        draw_streamlines(axis, plane, options.density, window)
    if lines and kind == "contours":
        draw_contours(axis, plane, options.density, window)
    axis.set_aspect("equal")
    axis.set_xlim(*window[:2])
    axis.set_ylim(*window[2:])
    axis.set_title(", ".join(word for word in (title, plane.when, plane.section) if word), fontsize=9)
    return image, unit


def draw(planes, fields, options, figure=None):
    """Panels: fields by times, whichever way fills the page better."""
    window = options.zoom or (planes[0].mesh.x.min(), planes[0].mesh.x.max(), planes[0].mesh.y.min(), planes[0].mesh.y.max())
    width, height = window[1] - window[0], window[3] - window[2]
    shape = (len(fields), len(planes)) if len(planes) > 1 else (len(fields), 1) if width > 1.2 * height else (1, len(fields))
    if len(fields) == 1 and width > 1.5 * height:
        shape = (len(planes), 1)
    each = min(10 / shape[1], 8 / shape[0] * width / height, 5.5 if width < 1.2 * height else 10)
    figure = figure or plt.figure()
    figure.set_size_inches(max(4.2, shape[1] * (max(each, 2.4) + 1.1)), shape[0] * (max(each * height / width, 1.1) + 0.75))
    figure.set_layout_engine("constrained")
    axes = figure.subplots(*shape, squeeze=False)
    for f, field in enumerate(fields):
        colours = options.ranges[f]
        mine = []
        for p, plane in enumerate(planes):
            axis = axes[f, p] if shape == (len(fields), len(planes)) else axes.flat[f * len(planes) + p]
            image, unit = draw_panel(axis, plane, field, colours, options, f == 0 or options.lines_everywhere)
            mine.append(axis)
            axis.xaxis.set_major_locator(MaxNLocator(min(7, int(each / 0.7))) if each > 1 else FixedLocator([window[1]]))
            axis.yaxis.set_major_locator(MaxNLocator(min(7, max(2, int(each * height / width / 0.35)))))
            axis.ticklabel_format(style="sci", scilimits=(-2, 4))
            axis.set_xlabel(f"{AXES[plane.axes[0]]}, m")
            axis.set_ylabel(f"{AXES[plane.axes[1]]}, m")
        ticks = [t for t in MaxNLocator(5).tick_values(*colours) if colours[0] <= t <= colours[1]]
        bar = figure.colorbar(image, ax=mine, pad=0.02, aspect=15 if len(mine) == 1 else 25, ticks=ticks, shrink=0.9)
        bar.ax.set_title(unit, fontsize=9)
    return figure


def animate(planes, fields, options, output):
    from matplotlib.animation import FFMpegWriter, PillowWriter

    if output.endswith(".mp4") and not FFMpegWriter.isAvailable():
        results.fail(f"-a {output}: the program ffmpeg is not there, expected it for .mp4 (apt-get install ffmpeg), or a name that ends in .gif")
    writer = FFMpegWriter(fps=options.fps) if output.endswith(".mp4") else PillowWriter(fps=options.fps)
    figure = plt.figure()
    draw(planes[:1], fields, options, figure)
    try:
        with writer.saving(figure, output, dpi=100):
            for plane in planes:
                figure.clear()
                draw([plane], fields, options, figure)
                writer.grab_frame()
    except OSError as error:
        results.fail(f"{output}: the animation cannot be written: {error}")
    print(output)


# ---- Words ----


def parse_section(text):
    axis, _, where = text.partition("=")
    try:
        return AXES.index(axis), float(where)
    except ValueError:
        raise argparse.ArgumentTypeError(f"got {text}, expected x=, y= or z= and a number")


def parse_numbers(n, form):
    def parse(text):
        try:
            values = tuple(float(v) for v in re.split("[:,]", text))
        except ValueError:
            values = ()
        if len(values) != n or any(not a < b for a, b in zip(values[::2], values[1::2])):
            raise argparse.ArgumentTypeError(f"got {text}, expected {form}")
        return values

    return parse


def choose_times(series, text):
    """Entries of a series: last, all, or those nearest to given times."""
    if text in ("last", "all"):
        return series[-1:] if text == "last" else series
    try:
        wanted = [float(t) for t in text.split(",")]
    except ValueError:
        results.fail(f"-t {text}: expected last, all, or times in s, comma-separated")
    return [min(series, key=lambda entry: abs(entry[1] - t)) for t in wanted]


def load(path, options, times):
    series = choose_times(results.series(path), times) if path.endswith(".pvd") else [(path, None)]
    swept = results.is_true(results.options_of(path).get("form_axisymmetric", "false"))
    return [Plane(read(file), options.section, results.when(path, time, file), swept) for file, time in series]


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fields", help="the output folder of a run, a .pvd or a .vtu")
    parser.add_argument("-f", "--field", help="what is drawn, comma-separated: arrays (a tensor's trace, a vector's length), components such as velocity_x, "
                        "stress_xy, N1 (or n1), vorticity, streamfunction (default: velocity and, if there are, stress and scalar fields of plugins)")
    parser.add_argument("-t", "--times", default="last", help="last, all, or times in s, comma-separated, drawn side by side (default: last)")
    parser.add_argument("-l", "--lines", choices=LINES, help="over the first field: contours of the streamfunction (default of a plane flow), streamlines (of a section), none")
    parser.add_argument("--lines-everywhere", action="store_true", help="over every field")
    parser.add_argument("-d", "--density", type=float, default=1.5, help="of the lines (default: 1.5)")
    parser.add_argument("-r", "--range", action="append", type=parse_numbers(2, "low:high with low < high"), help="colours span low:high; once for each field, in order")
    parser.add_argument("-c", "--clip", type=float, default=99.5, help="without -r: percentile at which the colours end, but of the velocity (default: 99.5)")
    parser.add_argument("-z", "--zoom", type=parse_numbers(4, "x0:x1,y0:y1"), help="window x0:x1,y0:y1, m (write -z=-1:1,0:2 where the first is negative)")
    parser.add_argument("-s", "--section", type=parse_section, help="plane of a 3D mesh, such as z=0.5 (default: the middle in z)")
    parser.add_argument("-a", "--animation", help="of all times, a file .gif or .mp4")
    parser.add_argument("--fps", type=float, default=8, help="pictures a second of the animation (default: 8)")
    parser.add_argument("--colours", default="viridis", help="a map of colours of matplotlib (default: viridis)")
    parser.add_argument("-o", "--output", help="picture (default: <case>_fields.png beside the .pvd)")
    return parser.parse_args()


def main():
    options = parse()
    if not 50 < options.clip <= 100:
        results.fail(f"--clip: got {options.clip:g}, expected more than 50 and at most 100")
    if options.animation and not options.animation.endswith((".gif", ".mp4")):
        results.fail(f"-a {options.animation}: expected a name that ends in .gif or .mp4")
    for path in results.inputs(options.fields, ".pvd"):
        planes = load(path, options, "all" if options.animation else options.times)
        fields = options.field.split(",") if options.field else first_of(planes[0].arrays)
        given = (options.range or []) + [None] * len(fields)
        options.ranges = [colour_range(planes, f, given[k], 100 if f == "velocity" else options.clip) for k, f in enumerate(fields)]
        if options.animation:
            animate(planes, fields, options, options.animation)
        else:
            results.save(draw(planes, fields, options), options.output or f"{os.path.splitext(path)[0]}_fields.png")


if __name__ == "__main__":
    main()
