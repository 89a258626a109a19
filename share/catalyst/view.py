"""What the scripts beside it share: extents of the mesh and of values over all ranks, views, colours, pictures. In a run a script runs on
every rank, and all have to do the same: what a rank knows of its own piece alone is never used. In pvbatch on several ranks it runs on
the first, which is told of all pieces."""
import os

from paraview import simple
from paraview.modules.vtkRemotingCore import vtkProcessModule
from vtkmodules.vtkCommonCore import vtkDoubleArray
from vtkmodules.vtkParallelCore import vtkCommunicator, vtkMultiProcessController

simple._DisableFirstRenderCameraReset()
NONE = 1e299


def extremes(low, high):
    """The least and the largest of all ranks, entry by entry; a rank without any gives low > high."""
    if not vtkProcessModule.GetProcessModule().GetSymmetricMPIMode():
        return list(low), list(high)
    local, whole = vtkDoubleArray(), vtkDoubleArray()
    local.SetNumberOfTuples(2 * len(low))
    for k, (a, b) in enumerate(zip(low, high)):
        local.SetValue(2 * k, a if a <= b else NONE)
        local.SetValue(2 * k + 1, -b if a <= b else NONE)
    whole.SetNumberOfTuples(2 * len(low))
    vtkMultiProcessController.GetGlobalController().AllReduce(local, whole, vtkCommunicator.MIN_OP)
    return [whole.GetValue(2 * k) for k in range(len(low))], [-whole.GetValue(2 * k + 1) for k in range(len(low))]


def bounds(source):
    source.UpdatePipeline()
    own = source.GetDataInformation().GetBounds()
    return extremes(own[::2], own[1::2])


def value_range(source, array, magnitude):
    found = source.GetDataInformation().GetPointDataInformation().GetArrayInformation(array)
    own = found.GetComponentRange(-1 if magnitude else 0) if found else (1, -1)
    low, high = extremes([own[0]], [own[1]])
    return (low[0], high[0]) if low[0] < high[0] else (0.0, 1.0)


class Picture:
    """A view with its time, coloured things and one bar of colours."""

    def __init__(self, name, pixels):
        self.name, self.pixels, self.coloured = name, pixels, []
        self.view = simple.CreateView("RenderView", registrationName=name)
        self.view.ViewSize = pixels
        self.view.OrientationAxesVisibility = 0
        self.view.UseColorPaletteForBackground = 0
        self.view.Background = [1, 1, 1]
        self.view.CameraParallelProjection = 1
        clock = simple.AnnotateTime(registrationName=f"time of {name}")
        clock.Format = f"{name}, t = {{time:.4g}} s"
        label = simple.Show(clock, self.view)
        label.Color = [0, 0, 0]
        label.FontSize = 18
        label.WindowLocation = "Upper Left Corner"

    def look(self, position, focus, up, scale):
        self.view.CameraPosition, self.view.CameraFocalPoint, self.view.CameraViewUp, self.view.CameraParallelScale = position, focus, up, scale

    def colour(self, source, array, magnitude, title, vertical=False):
        shown = simple.Show(source, self.view)
        shown.Representation = "Surface"
        simple.ColorBy(shown, ("POINTS", array, "Magnitude") if magnitude else ("POINTS", array))
        shown.Ambient, shown.Diffuse, shown.Specular = 0.5, 0.5, 0.0
        table = simple.GetColorTransferFunction(array)
        table.AutomaticRescaleRangeMode = "Never"
        table.ApplyPreset("Viridis (matplotlib)", True)
        bar = simple.GetScalarBar(table, self.view)
        bar.Title, bar.ComponentTitle = title, ""
        bar.TitleColor = bar.LabelColor = [0, 0, 0]
        bar.TitleFontSize = bar.LabelFontSize = 14
        bar.AutomaticLabelFormat, bar.LabelFormat, bar.RangeLabelFormat = 0, "%.3g", "%.3g"
        bar.Orientation = "Vertical" if vertical else "Horizontal"
        bar.WindowLocation = "Lower Right Corner" if vertical else "Lower Center"
        bar.ScalarBarLength = 0.6 if vertical else 0.4
        shown.SetScalarBarVisibility(self.view, True)
        self.coloured.append((source, array, magnitude, table))

    def draw(self, time, step):
        """insitu/<name>_<step>.png; colours span the values of this step."""
        low, high = [], []
        for source, array, magnitude, _ in self.coloured:
            source.UpdatePipeline(time)
            a, b = value_range(source, array, magnitude)
            low.append(a)
            high.append(b)
        for *_, table in self.coloured:
            table.RescaleTransferFunction(min(low), max(high))
        os.makedirs("insitu", exist_ok=True)
        self.view.ViewTime = time
        simple.SaveScreenshot(f"insitu/{self.name}_{step:06d}.png", self.view, ImageResolution=self.pixels)
