"""What a run writes, opened by ParaView as its window does: .pvd, .hdf.series and the surfaces of walls, with their times, cells and
values, and one picture of both formats of fields."""
import json
import os
import subprocess
import sys

import numpy as np
import run
from common import PLANE, SPACE, go, script
from gate import Gate

OPENS = """
import json, sys
from paraview import simple
from paraview.servermanager import Fetch
from vtkmodules.util.numpy_support import vtk_to_numpy
simple._DisableFirstRenderCameraReset()
said = {}
for path in sys.argv[2:]:
    reader = simple.OpenDataFile(path)
    steps = []
    for t in reader.TimestepValues:
        reader.UpdatePipeline(t)
        data = Fetch(reader)
        arrays = {data.GetPointData().GetArrayName(i): data.GetPointData().GetArray(i) for i in range(data.GetPointData().GetNumberOfArrays())}
        steps.append({"t": t, "cells": data.GetNumberOfCells(), "points": data.GetNumberOfPoints(),
                      "sums": {k: float((vtk_to_numpy(a).astype(float) ** 2).sum()) for k, a in arrays.items()},
                      "components": {k: [reader.PointData[k].GetComponentName(c) for c in range(6)] for k, a in arrays.items() if a.GetNumberOfComponents() == 6}})
    view = simple.CreateView("RenderView")
    view.ViewSize = [400, 300]
    shown = simple.Show(reader, view)
    simple.ColorBy(shown, ("POINTS", sorted(arrays)[-1]))
    simple.ResetCamera(view)
    simple.SaveScreenshot(path + ".png", view, ImageResolution=[400, 300])
    simple.Delete(view)
    said[path] = steps
json.dump(said, open(sys.argv[1], "w"))
"""


def opened(*paths):
    """What ParaView says of each: a list of its times."""
    answer = f"{run.folder('files')}/said.json"
    environment = {k: v for k, v in os.environ.items() if k != "DISPLAY"}
    command = ["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24 -noreset", "pvpython", script(OPENS, "opens.py"), answer, *paths]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise run.Failure(f"{' '.join(command)}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    with open(answer) as f:
        said = json.load(f)
    return [said[p] for p in paths]


def check(gate, name, case, ranks, *words):
    from matplotlib.image import imread

    done = go(*case, "-output_every", "4", "-output_formats", "vtu,vtkhdf", "-output_fields", "all", *words, np=ranks)
    pvd, hdf, *walls = opened(f"{done.out}/c.pvd", f"{done.out}/c.hdf.series", *([f"{done.out}/c_wall_top.pvd"] if words else []))
    times, files = run.series(f"{done.out}/c.pvd")
    for what, steps in ((".pvd", pvd), (".hdf.series", hdf)):
        gate.true(f"{name}, {what}: times", [s["t"] for s in steps] == times and len(times) == 3)
        for step, file in zip(steps, files):
            f = run.Fields(file)
            gate.true(f"{name}, {what}: cells and points at t = {step['t']:g}", step["cells"] == f.grid.GetNumberOfCells() and step["points"] == len(f.points))
            wrong = [k for k, a in f.arrays.items() if not abs(step["sums"].get(k, np.nan) - float((a.astype(float) ** 2).sum())) <= 1e-12 * max(1e-30, float((a.astype(float) ** 2).sum()))]
            gate.true(f"{name}, {what}: sums of squares of {len(f.arrays)} fields at t = {step['t']:g}: {wrong}", not wrong and len(f.arrays) > 10)
        gate.true(f"{name}, {what}: components of tensors", all(c == ["XX", "YY", "ZZ", "XY", "YZ", "XZ"] for c in steps[-1]["components"].values()) and "stress" in steps[-1]["components"])
    pictures = [imread(f"{done.out}/c{e}.png") for e in (".pvd", ".hdf.series")]
    gate.at_most(f"{name}: share of pixels that differ between the formats", float((np.abs(pictures[0] - pictures[1]).max(axis=2) > 2 / 255).mean()), 0.001)
    gate.at_least(f"{name}: colours", len(np.unique(pictures[0].reshape(-1, pictures[0].shape[2]), axis=0)), 50)
    for steps in walls:
        gate.true(f"{name}, surface of a wall: times, cells, stress", [s["t"] for s in steps] == times and all(s["cells"] == 15 for s in steps) and steps[-1]["sums"]["wall_shear_stress"] > 0)


def main():
    gate = Gate("insitu_files")
    check(gate, "2D, np 2", [*PLANE, "-mesh_box_cell", "mixed"], 2)
    check(gate, "3D, np 3", SPACE, 3, "-diagnostic_wall", "top")
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
