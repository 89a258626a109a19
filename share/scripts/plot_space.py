#!/usr/bin/env python3
"""Draws a flow in space: slices across it, its walls coloured by the shear rate there (with -v by the shear stress), streamtubes; or the
surface of a wall that a diagnostic has written, coloured by the whole shear stress."""
import argparse
import ctypes.util
import os

import matplotlib.pyplot as plt
import numpy as np
import results
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.ticker import MaxNLocator
from plot_fields import AXES, choose_times, parse_numbers, quantity, read

try:
    import pyvista
except ImportError:
    results.fail("the Python package pyvista is needed: pip install pyvista")

KINDS = ("walls", "slices", "tubes")
OF_WALLS = ("wall_shear_stress", "mean")  # of -diagnostic_<name>_kind wall, wall_average
PIXELS = (1100, 720)


class Space:
    """A grid whose pieces are one, and what its axes are: along the longest edge, and the other two."""

    def __init__(self, path, when):
        self.grid, self.when = pyvista.wrap(read(path)).clean(), when
        bounds = np.array(self.grid.bounds).reshape(3, 2)
        self.stress = next((name for name in OF_WALLS if name in self.grid.point_data), None)
        if not bounds[2, 1] > bounds[2, 0] and not self.stress:
            results.fail(f"{path}: got a plane mesh, expected one in space (rheoplex plot <folder> fields)")
        self.low, self.size = bounds[:, 0], np.ptp(bounds, axis=1)
        self.along = int(self.size.argmax())
        self.across = [k for k in range(3) if k != self.along]


def walls(space):
    """Faces whose nodes are at rest, with the shear rate there: grad u = w n, so its size."""
    surface = space.grid.compute_derivative("velocity", gradient="L").extract_surface(algorithm=None)
    speed = np.linalg.norm(surface["velocity"], axis=1)
    surface["shown"] = np.linalg.norm(surface["L"], axis=1)
    found = surface.extract_points(speed <= 1e-9 * speed.max(), adjacent_cells=False)
    if not found.n_cells:
        results.fail("got no face whose nodes are all at rest, expected walls")
    return [found.extract_surface(algorithm=None)]


def slices(space, places):
    axis = space.along
    places = places or space.low[axis] + space.size[axis] * np.linspace(0.1, 0.9, 5)
    found = [space.grid.slice(normal=AXES[axis], origin=where * np.eye(3)[axis]) for where in places]
    if not any(data.n_cells for data in found):
        results.fail(f"no slice meets the mesh, which spans {AXES[axis]} = {space.low[axis]:g} to {space.low[axis] + space.size[axis]:g} m")
    return found


def tubes(space, n):
    """Both ways from (n + 1) x (n + 1) seeds in the middle."""
    seeds = np.tile(space.low + 0.5 * space.size, ((n + 1) ** 2, 1))
    for k, part in zip(space.across, np.meshgrid(*[np.linspace(0, 1, n + 1)] * 2)):
        seeds[:, k] = space.low[k] + space.size[k] * part.ravel()
    lines = space.grid.streamlines_from_source(pyvista.PolyData(seeds), vectors="velocity", integration_direction="both", max_length=4 * space.size.max(),
                                              max_step_length=0.1, max_steps=20000)  # a line ends where a step leaves the mesh
    if not lines.n_cells:
        results.fail("no streamline was found, expected a flow that is not at rest")
    return [lines.tube(radius=0.012 * space.size[space.across].min(), n_sides=10)]


def parts(space, kind, options):
    """What is drawn, with the array `shown`; title with unit."""
    if space.stress:
        surface = space.grid.extract_surface(algorithm=None)
        surface["shown"], said = quantity(dict(surface.point_data), options.field or space.stress)
        return [surface], said
    if kind == "walls":
        data = walls(space)
        for one in data:
            one["shown"] *= options.viscosity or 1
        return data, ("shear stress of the solvent on the walls", "Pa") if options.viscosity else ("shear rate at the walls", "1/s")
    data = [one for one in (slices(space, options.slices) if kind == "slices" else tubes(space, options.tubes)) if one.n_points]
    for one in data:
        one["shown"], (title, unit) = quantity(dict(one.point_data), options.field or "velocity")
    return data, (f"{title}: {'slices' if kind == 'slices' else 'streamtubes'}", unit)


# ---- The picture ----


def render(space, data, options, colours, solid):
    """Pixels; what is not solid has the very colours of the bar."""
    pyvista.vtk_verbosity("off")  # it says of EGL that there is no X server
    plotter = pyvista.Plotter(off_screen=True, window_size=PIXELS)
    plotter.set_background("white")
    plotter.enable_anti_aliasing("msaa", multi_samples=8)
    light = {"ambient": 0.45, "diffuse": 0.6} if solid else {"lighting": False}
    for one in data:
        plotter.add_mesh(one, scalars="shown", cmap=options.colours, clim=colours, show_scalar_bar=False, **light)
    plotter.add_mesh(space.grid.outline(), color="#8c8c8c")
    plotter.add_axes(color="black", viewport=(0, 0, 0.18, 0.25))
    towards = np.zeros(3)
    u, v = space.across
    towards[[space.along, u, v]] = -0.5, -1.0 if v == 2 else 1.0, 0.45
    middle = space.low + 0.5 * space.size
    plotter.enable_parallel_projection()
    plotter.camera_position = [middle + 3 * space.size.max() * towards, middle, np.eye(3)[v]]
    plotter.reset_camera()
    plotter.camera.zoom(1.3)
    picture = plotter.screenshot(return_img=True)
    plotter.close()
    return picture


def trimmed(picture):
    """Without white margins."""
    ink = (picture != 255).any(axis=2)
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    return picture[max(0, rows[0] - 10):rows[-1] + 10, max(0, columns[0] - 10):columns[-1] + 10]


def can_render():
    """VTK draws through EGL, OSMesa or a display, and ends in a signal where there is none."""
    return bool(os.environ.get("DISPLAY")) or any(ctypes.util.find_library(name) for name in ("EGL", "OSMesa"))


def draw(spaces, kinds, options):
    figure, axes = plt.subplots(len(kinds), len(spaces), squeeze=False, layout="constrained", figsize=(6.5 * len(spaces) + 0.8, 4.1 * len(kinds)))
    for k, kind in enumerate(kinds):
        shown = [parts(space, kind, options) for space in spaces]
        title, unit = shown[0][1]
        values = np.concatenate([one["shown"] for data, _ in shown for one in data])
        low, high = options.range or (values.min(), values.max())
        high = high if high > low else low + 1e-6 * max(abs(low), 1)
        for axis, space, (data, _) in zip(axes[k], spaces, shown):
            axis.imshow(trimmed(render(space, data, options, (low, high), kind != "slices")))
            axis.set_title(", ".join(word for word in (title, space.when) if word), fontsize=10)
            axis.set_axis_off()
        bar = figure.colorbar(ScalarMappable(Normalize(low, high), options.colours), ax=list(axes[k]), shrink=0.7, aspect=18, pad=0.02, ticks=MaxNLocator(5))
        bar.ax.set_title(unit, fontsize=9)
    return figure


def numbers(text):
    try:
        return [float(v) for v in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"got {text}, expected numbers, comma-separated")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fields", help="the output folder of a run, a .pvd or a .vtu")
    parser.add_argument("-k", "--kind", default=",".join(KINDS), help=f"what is drawn of a flow, comma-separated: {', '.join(KINDS)} (default: all)")
    parser.add_argument("-f", "--field", help="what slices and streamtubes show, as of `rheoplex plot fields` (default: the speed), or the surface of a wall (default: the stress)")
    parser.add_argument("-t", "--times", default="last", help="last, all, or times in s, comma-separated, drawn side by side (default: last)")
    parser.add_argument("-v", "--viscosity", type=float, help="of the solvent, Pa s: walls show the shear stress instead of the rate")
    parser.add_argument("-s", "--slices", type=numbers, help="where they are along the longest axis, m, comma-separated (default: five)")
    parser.add_argument("-n", "--tubes", type=int, default=7, help="streamtubes from (n + 1) x (n + 1) seeds (default: 7)")
    parser.add_argument("-r", "--range", type=parse_numbers(2, "low:high with low < high"), help="colours span low:high")
    parser.add_argument("--colours", default="viridis", help="a map of colours of matplotlib (default: viridis)")
    parser.add_argument("-o", "--output", help="picture (default: <case>_space.png beside the .pvd)")
    options = parser.parse_args()
    kinds = options.kind.split(",")
    if not set(kinds) <= set(KINDS):
        results.fail(f"-k {options.kind}: expected some of {', '.join(KINDS)}")
    if not can_render():
        results.fail("got no EGL, OSMesa or display, expected one to draw with (Debian: apt-get install libegl1)")
    for path in results.inputs(options.fields, ".pvd"):
        series = choose_times(results.series(path), options.times) if path.endswith(".pvd") else [(path, None)]
        spaces = [Space(file, results.when(path, time, file)) for file, time in series]
        results.save(draw(spaces, kinds if not spaces[0].stress else ["walls"], options), options.output or f"{os.path.splitext(path)[0]}_space.png")


if __name__ == "__main__":
    main()
