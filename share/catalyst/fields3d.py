# script-version: 2.0
# fields: velocity
"""Flow in space in a run: shear stress of the solvent on the walls, and slices of the speed with streamtubes: insitu/walls_<step>.png
and slices_<step>.png. After a run the same from its files: xvfb-run pvbatch fields3d.py out/case/case.pvd"""
import os
import sys

from paraview import catalyst
from paraview.simple import *

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from view import Picture, bounds

EVERY = 1        # steps of those that -insitu_every and -insitu_every_dt let through
VISCOSITY = 1.0  # of the solvent, Pa s; 1: the walls show the shear rate, 1/s
PIXELS = [1000, 640]

flow = PVDReader(registrationName="flow", FileName=sys.argv[1] if len(sys.argv) > 1 else "case.pvd")
low, high = bounds(flow)
size = [b - a for a, b in zip(low, high)]
middle = [(a + b) / 2 for a, b in zip(low, high)]
along = size.index(max(size))  # the axis of the longest edge
u, v = (k for k in range(3) if k != along)


def picture(name):
    p = Picture(name, PIXELS)
    p.view.OrientationAxesVisibility = 1
    p.view.OrientationAxesLabelColor = [0, 0, 0]
    towards = [0.0, 0.0, 0.0]
    towards[along], towards[u], towards[v] = -0.5, -1.0 if v == 2 else 1.0, 0.45
    p.look([m + 3 * max(size) * d for m, d in zip(middle, towards)], middle, [float(k == v) for k in range(3)], 0.36 * sum(s * s for s in size) ** 0.5)
    return p


ghosts = GhostCellsGenerator(registrationName="ghosts", Input=flow)
# On a wall without slip grad u = w n with w along it, |w| the shear rate: the size of grad u.
gradient = Gradient(registrationName="gradient", Input=ghosts)
gradient.ScalarArray = ["POINTS", "velocity"]
gradient.ResultArrayName = "L"
surface = ExtractSurface(registrationName="surface", Input=gradient)
wall = Calculator(registrationName="wall", Input=surface)
wall.ResultArrayName = "wall shear stress"
wall.Function = f"{VISCOSITY}*sqrt({'+'.join(f'L_{k}*L_{k}' for k in range(9))})"
walls = picture("walls")
walls.colour(wall, "wall shear stress", False, "shear rate at the wall, 1/s" if VISCOSITY == 1 else "wall shear stress of the solvent, Pa")

slices = picture("slices")
outline = Show(flow, slices.view)
outline.Representation = "Outline"
outline.AmbientColor = outline.DiffuseColor = [0.5, 0.5, 0.5]
for part in (0.1, 0.3, 0.5, 0.7, 0.9):
    cut = Slice(registrationName=f"slice at {part}", Input=flow)
    cut.SliceType = "Plane"
    cut.SliceType.Origin = [low[k] + part * size[k] if k == along else middle[k] for k in range(3)]
    cut.SliceType.Normal = [float(k == along) for k in range(3)]
    slices.colour(cut, "velocity", True, "speed, m/s")
corner = [low[k] + 0.02 * size[k] if k == along else low[k] for k in range(3)]
ends = [[high[k] if k == edge else corner[k] for k in range(3)] for edge in (u, v)]
seeds = Plane(registrationName="seeds", Origin=corner, Point1=ends[0], Point2=ends[1])
seeds.XResolution = seeds.YResolution = 7
lines = StreamTracerWithCustomSource(registrationName="streamlines", Input=ghosts, SeedSource=seeds)
lines.Vectors = ["POINTS", "velocity"]
lines.MaximumStreamlineLength = 3 * max(size)
lines.InitialStepLength = lines.MaximumStepLength = 0.02  # of cells: so small that they do not depend on the ranks
lines.MaximumSteps = 100000
tubes = Tube(registrationName="streamtubes", Input=lines)
tubes.Radius = 0.01 * min(size[u], size[v])
slices.colour(tubes, "velocity", True, "speed, m/s")


def catalyst_execute(info):
    for p in (walls, slices):
        p.draw(info.time, info.timestep)


options = catalyst.Options()
options.GlobalTrigger = "TimeStep"
options.GlobalTrigger.Frequency = EVERY

if __name__ == "__main__":
    for number, time in enumerate(flow.TimestepValues):
        for p in (walls, slices):
            p.draw(time, number)
