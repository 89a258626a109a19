# script-version: 2.0
# fields: velocity, pressure
"""Data of a run instead of pictures, for later: a plane section of the flow and where the flow turns back along x, each a .vtpd a
step; needs no display. After a run the same from its files: pvbatch extracts.py out/case/case.pvd"""
import os
import sys

from paraview import catalyst
from paraview.simple import *

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from view import bounds

EVERY = 1  # steps of those that -insitu_every and -insitu_every_dt let through

flow = PVDReader(registrationName="flow_parts", FileName=sys.argv[1] if len(sys.argv) > 1 else "case.pvd")
low, high = bounds(flow)


def extract(source, name):
    data = CreateExtractor("VTPD", source, registrationName=name)
    data.Trigger = "TimeStep"
    data.Trigger.Frequency = EVERY
    data.Writer.FileName = name + "_{timestep:06d}.vtpd"


section = Slice(registrationName="section", Input=flow)
section.SliceType = "Plane"
section.SliceType.Origin = [(a + b) / 2 for a, b in zip(low, high)]
section.SliceType.Normal = [0, 0, 1] if high[2] > low[2] else [1, 0, 0]
extract(section, "section")

along = Calculator(registrationName="along", Input=flow)
along.Function, along.ResultArrayName = "velocity_X", "u_x"
turning = Contour(registrationName="turning", Input=along)
turning.ContourBy = ["POINTS", "u_x"]
turning.Isosurfaces = [0.0]
extract(turning, "turning")

options = catalyst.Options()
options.GlobalTrigger = "TimeStep"
options.ExtractsOutputDirectory = "insitu"

if __name__ == "__main__":
    SaveExtractsUsingCatalystOptions(options)
