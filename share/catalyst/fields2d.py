# script-version: 2.0
# fields: velocity, stress
"""Plane flow in a run: speed with streamlines and, where there is a polymer, the trace of its stress: insitu/speed_<step>.png and
stress_<step>.png. After a run the same from its files: xvfb-run pvbatch fields2d.py out/case/case.pvd"""
import os
import sys

from paraview import catalyst
from paraview.simple import *

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from view import Picture, bounds

EVERY = 1     # steps of those that -insitu_every and -insitu_every_dt let through
WIDTH = 1200  # pixels

flow = PVDReader(registrationName="flow", FileName=sys.argv[1] if len(sys.argv) > 1 else "case.pvd")
low, high = bounds(flow)
size = [b - a for a, b in zip(low, high)]
middle = [(a + b) / 2 for a, b in zip(low, high)]
wide = size[0] > 1.5 * size[1]
pixels = [WIDTH, int(WIDTH * size[1] / size[0]) + 200] if wide else [int(0.8 * WIDTH * size[0] / size[1]) + 250, int(0.8 * WIDTH)]


def picture(name):
    p = Picture(name, pixels)
    p.view.InteractionMode = "2D"
    p.look([*middle[:2], middle[2] + 10 * max(size)], middle, [0, 1, 0], 0.52 * size[0] * pixels[1] / pixels[0] if wide else 0.56 * size[1])
    return p


speed = picture("speed")
speed.colour(flow, "velocity", True, "speed, m/s", vertical=not wide)
ghosts = GhostCellsGenerator(registrationName="ghosts", Input=flow)
seeds = Plane(registrationName="seeds", Origin=[low[0], low[1], low[2]], Point1=[high[0], low[1], low[2]], Point2=[low[0], high[1], low[2]])
seeds.XResolution, seeds.YResolution = (5, 13) if wide else (11, 11)
lines = StreamTracerWithCustomSource(registrationName="streamlines", Input=ghosts, SeedSource=seeds)
lines.Vectors = ["POINTS", "velocity"]
lines.MaximumStreamlineLength = 2 * max(size)
lines.InitialStepLength = lines.MaximumStepLength = 0.02  # of cells: so small that they do not depend on the ranks
lines.MaximumSteps = 100000
drawn = Show(lines, speed.view)
drawn.ColorArrayName = ["POINTS", ""]
drawn.AmbientColor = drawn.DiffuseColor = [1, 1, 1]
drawn.LineWidth = 1
pictures = [speed]

if "stress" in flow.PointData.keys():
    trace = Calculator(registrationName="trace", Input=flow)
    trace.Function = "stress_XX+stress_YY+stress_ZZ"
    trace.ResultArrayName = "trace of the stress"
    pictures.append(picture("stress"))
    pictures[-1].colour(trace, "trace of the stress", False, "trace of the polymer stress, Pa", vertical=not wide)


def catalyst_execute(info):
    for p in pictures:
        p.draw(info.time, info.timestep)


options = catalyst.Options()
options.GlobalTrigger = "TimeStep"
options.GlobalTrigger.Frequency = EVERY

if __name__ == "__main__":
    for number, time in enumerate(flow.TimestepValues):
        for p in pictures:
            p.draw(time, number)
