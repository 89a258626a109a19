#!/usr/bin/env python3
"""Draws a flow in space: slices across it, its walls coloured by the shear rate there (with -v by the shear stress), streamtubes."""
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

KINDS = ("walls", "slices", "tubes")
PIXELS = (1100, 720)


class Space:
    """A grid whose pieces are one, and what its axes are: along the longest edge, and the other two."""

    def __init__(self, path, when):
        from vtkmodules.vtkCommonCore import vtkObject
        from vtkmodules.vtkFiltersCore import vtkStaticCleanUnstructuredGrid

        vtkObject.GlobalWarningDisplayOff()
        clean = vtkStaticCleanUnstructuredGrid()
        clean.SetInputData(read(path))
        clean.Update()
        self.grid, self.when = clean.GetOutput(), when
        bounds = np.array(self.grid.GetBounds()).reshape(3, 2)
        if not bounds[2, 1] > bounds[2, 0]:
            results.fail(f"{path}: got a plane mesh, expected one in space (rheoplex plot <folder> fields)")
        self.low, self.size = bounds[:, 0], np.ptp(bounds, axis=1)
        self.along = int(self.size.argmax())
        self.across = [k for k in range(3) if k != self.along]

    def arrays(self, data=None):
        from vtkmodules.util.numpy_support import vtk_to_numpy

        points = (data or self.grid).GetPointData()
        return {points.GetArrayName(i): vtk_to_numpy(points.GetArray(i)) for i in range(points.GetNumberOfArrays())}


def updated(algorithm, source):
    algorithm.SetInputData(source)
    algorithm.Update()
    return algorithm.GetOutput()


def give(data, name, values):
    from vtkmodules.util.numpy_support import numpy_to_vtk

    array = numpy_to_vtk(np.ascontiguousarray(values), deep=True)
    array.SetName(name)
    data.GetPointData().AddArray(array)


def walls(space):
    """Faces whose nodes are at rest, with the shear rate there: grad u = w n, so its size."""
    from vtkmodules.vtkFiltersCore import vtkThreshold
    from vtkmodules.vtkFiltersGeneral import vtkGradientFilter
    from vtkmodules.vtkFiltersGeometry import vtkGeometryFilter

    gradient = vtkGradientFilter()
    gradient.SetInputArrayToProcess(0, 0, 0, 0, "velocity")
    gradient.SetResultArrayName("L")
    surface = updated(vtkGeometryFilter(), updated(gradient, space.grid))
    arrays = space.arrays(surface)
    speed = np.linalg.norm(arrays["velocity"], axis=1)
    give(surface, "shown", np.linalg.norm(arrays["L"], axis=1))
    give(surface, "moves", (speed > 1e-9 * speed.max()).astype(float))
    still = vtkThreshold()
    still.SetInputArrayToProcess(0, 0, 0, 0, "moves")
    still.SetThresholdFunction(vtkThreshold.THRESHOLD_LOWER)
    still.SetLowerThreshold(0.5)
    found = updated(still, surface)
    if not found.GetNumberOfCells():
        results.fail("got no face whose nodes are all at rest, expected walls")
    return [updated(vtkGeometryFilter(), found)]


def slices(space, places):
    from vtkmodules.vtkCommonDataModel import vtkPlane
    from vtkmodules.vtkFiltersCore import vtkCutter

    axis = space.along
    found = []
    for where in places or space.low[axis] + space.size[axis] * np.linspace(0.1, 0.9, 5):
        plane = vtkPlane()
        plane.SetNormal(*[float(k == axis) for k in range(3)])
        plane.SetOrigin(*[where if k == axis else 0 for k in range(3)])
        cutter = vtkCutter()
        cutter.SetCutFunction(plane)
        found.append(updated(cutter, space.grid))
    if not any(data.GetNumberOfCells() for data in found):
        results.fail(f"no slice meets the mesh, which spans {AXES[axis]} = {space.low[axis]:g} to {space.low[axis] + space.size[axis]:g} m")
    return found


def tubes(space, n):
    """Both ways from n x n seeds in the middle."""
    from vtkmodules.vtkFiltersCore import vtkTubeFilter
    from vtkmodules.vtkFiltersFlowPaths import vtkStreamTracer
    from vtkmodules.vtkFiltersSources import vtkPlaneSource

    seeds = vtkPlaneSource()
    corner = space.low + 0.5 * space.size * (np.arange(3) == space.along)
    seeds.SetOrigin(*corner)
    for k, put in zip(space.across, (seeds.SetPoint1, seeds.SetPoint2)):
        put(*(corner + space.size * (np.arange(3) == k)))
    seeds.SetResolution(n, n)
    tracer = vtkStreamTracer()
    tracer.SetInputArrayToProcess(0, 0, 0, 0, "velocity")
    tracer.SetSourceConnection(seeds.GetOutputPort())
    tracer.SetIntegrationDirectionToBoth()
    tracer.SetMaximumPropagation(4 * space.size.max())
    lines = updated(tracer, space.grid)
    if not lines.GetNumberOfCells():
        results.fail("no streamline was found, expected a flow that is not at rest")
    tube = vtkTubeFilter()
    tube.SetRadius(0.012 * space.size[space.across].min())
    tube.SetNumberOfSides(10)
    return [updated(tube, lines)]


def parts(space, kind, options):
    """What is drawn, with the array `shown`; title with unit."""
    if kind == "walls":
        data = walls(space)
        for one in data:
            give(one, "shown", space.arrays(one)["shown"] * (options.viscosity or 1))
        return data, ("shear stress of the solvent on the walls", "Pa") if options.viscosity else ("shear rate at the walls", "1/s")
    data = slices(space, options.slices) if kind == "slices" else tubes(space, options.tubes)
    name = options.field or "velocity"
    for one in data:
        if one.GetNumberOfPoints():
            values, (title, unit) = quantity(space.arrays(one), name)
            give(one, "shown", values)
    return data, (f"{title}: {'slices' if kind == 'slices' else 'streamtubes'}", unit)


# ---- The picture ----


def actor_of(data, colours, low, high):
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper
    from vtkmodules.util.numpy_support import vtk_to_numpy

    values = vtk_to_numpy(data.GetPointData().GetArray("shown"))
    rgb = (255 * plt.get_cmap(colours)(np.clip((values - low) / (high - low), 0, 1))[:, :3]).astype(np.uint8)
    array = numpy_to_vtk(rgb, deep=True)
    array.SetName("rgb")
    data.GetPointData().SetScalars(array)
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(data)
    mapper.SetColorModeToDirectScalars()
    actor = vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetAmbient(0.45)
    actor.GetProperty().SetDiffuse(0.6)
    return actor


def outline_of(space):
    from vtkmodules.vtkFiltersModeling import vtkOutlineFilter
    from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper

    mapper = vtkPolyDataMapper()
    mapper.SetInputData(updated(vtkOutlineFilter(), space.grid))
    actor = vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(0.55, 0.55, 0.55)
    return actor


def axes_of(space):
    """The frame's three directions at its corner, named."""
    from vtkmodules.vtkRenderingAnnotation import vtkAxesActor

    axes = vtkAxesActor()
    axes.SetTotalLength(*[0.25 * space.size.min()] * 3)
    for caption in (axes.GetXAxisCaptionActor2D(), axes.GetYAxisCaptionActor2D(), axes.GetZAxisCaptionActor2D()):
        text = caption.GetCaptionTextProperty()
        text.SetColor(0, 0, 0)
        text.ShadowOff()
        text.ItalicOff()
    return axes


def render(space, data, options, colours):
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkInteractionWidgets import vtkOrientationMarkerWidget
    from vtkmodules.vtkRenderingCore import vtkRenderer, vtkRenderWindow, vtkRenderWindowInteractor, vtkWindowToImageFilter
    import vtkmodules.vtkRenderingFreeType, vtkmodules.vtkRenderingOpenGL2  # noqa: F401, E401: they register themselves

    window, renderer = vtkRenderWindow(), vtkRenderer()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(8)
    window.SetSize(*PIXELS)
    window.AddRenderer(renderer)
    renderer.SetBackground(1, 1, 1)
    for one in data:
        if one.GetNumberOfPoints():
            renderer.AddActor(actor_of(one, options.colours, *colours))
    renderer.AddActor(outline_of(space))
    towards = np.zeros(3)
    u, v = space.across
    towards[[space.along, u, v]] = -0.5, -1.0 if v == 2 else 1.0, 0.45
    camera = renderer.GetActiveCamera()
    middle = space.low + 0.5 * space.size
    camera.ParallelProjectionOn()
    camera.SetFocalPoint(*middle)
    camera.SetPosition(*(middle + 3 * space.size.max() * towards))
    camera.SetViewUp(*[float(k == v) for k in range(3)])
    renderer.ResetCamera()
    camera.Zoom(1.3)
    interactor = vtkRenderWindowInteractor()
    interactor.SetRenderWindow(window)
    marker = vtkOrientationMarkerWidget()
    marker.SetOrientationMarker(axes_of(space))
    marker.SetInteractor(interactor)
    marker.SetViewport(0, 0, 0.18, 0.25)
    marker.EnabledOn()
    window.Render()
    grab = vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    grab.Update()
    image = grab.GetOutput()
    width, height, _ = image.GetDimensions()
    return vtk_to_numpy(image.GetPointData().GetScalars()).reshape(height, width, -1)[::-1]


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
        values = np.concatenate([space.arrays(one)["shown"] for space, (data, _) in zip(spaces, shown) for one in data if one.GetNumberOfPoints()])
        low, high = options.range or (values.min(), values.max())
        high = high if high > low else low + 1e-6 * max(abs(low), 1)
        for axis, space, (data, _) in zip(axes[k], spaces, shown):
            axis.imshow(trimmed(render(space, data, options, (low, high))))
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
    parser.add_argument("-k", "--kind", default=",".join(KINDS), help=f"what is drawn, comma-separated: {', '.join(KINDS)} (default: all)")
    parser.add_argument("-f", "--field", help="what slices and streamtubes show, as of `rheoplex plot fields` (default: the speed)")
    parser.add_argument("-t", "--times", default="last", help="last, all, or times in s, comma-separated, drawn side by side (default: last)")
    parser.add_argument("-v", "--viscosity", type=float, help="of the solvent, Pa s: walls show the shear stress instead of the rate")
    parser.add_argument("-s", "--slices", type=numbers, help="where they are along the longest axis, m, comma-separated (default: five)")
    parser.add_argument("-n", "--tubes", type=int, default=7, help="streamtubes from n x n seeds (default: 7)")
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
        spaces = [Space(file, results.when(path, time)) for file, time in series]
        results.save(draw(spaces, kinds, options), options.output or f"{os.path.splitext(path)[0]}_space.png")


if __name__ == "__main__":
    main()
