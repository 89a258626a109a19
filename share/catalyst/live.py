# script-version: 2.0
"""A run to look into: ParaView's window connects to it (Catalyst > Connect, port 22222) and takes `flow` and `turning` (where the flow
turns back along x) step by step; Catalyst > Pause holds the run. No connection, no cost but 5 ms a step."""
from paraview import catalyst
from paraview.simple import *

flow = TrivialProducer(registrationName="flow")
along = Calculator(registrationName="along", Input=flow)
along.Function, along.ResultArrayName = "velocity_X", "u_x"
turning = Contour(registrationName="turning", Input=along)
turning.ContourBy = ["POINTS", "u_x"]
turning.Isosurfaces = [0.0]

options = catalyst.Options()
options.GlobalTrigger = "TimeStep"
options.EnableCatalystLive = 1
options.CatalystLiveTrigger = "TimeStep"
options.CatalystLiveURL = "localhost:22222"


def catalyst_execute(info):
    turning.UpdatePipeline(info.time)
