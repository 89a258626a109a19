"""ParaView's scripts in a run: paraview.py pictures|faults. Pictures against pvbatch's of the saved files; errors, a killed X server."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest.mock

import common
import numpy as np
import run
from common import PLANE, SPACE, go, script, tells_and_goes_on
from gate import Gate

SCRIPTS = f"{run.SOURCE}/share/catalyst"
STEPS = ["-output_every", "4", "-insitu_every", "4"]
# as ParaView's window writes it on the saved file, which it calls by its name
WINDOW = """# script-version: 2.0
from paraview.simple import *
from paraview import catalyst
paraview.simple._DisableFirstRenderCameraReset()
view = CreateView('RenderView', registrationName='RenderView1')
view.ViewSize = [400, 300]
view.UseColorPaletteForBackground = 0
view.Background = [1, 1, 1]
cpvd = PVDReader(registrationName='c.pvd', FileName='FILE')
cpvd.CellArrays = ['rank']
cpvd.PointArrays = ['velocity', 'pressure', 'stress', 'stress_trace', 'conformation', 'conformation_trace', 'conformation_min_eigenvalue']
display = Show(cpvd, view)
ColorBy(display, ('POINTS', 'velocity', 'Magnitude'))
GetColorTransferFunction('velocity').RescaleTransferFunction(0.0, 1.0)
view.CameraPosition, view.CameraFocalPoint, view.CameraParallelScale, view.CameraParallelProjection = [0.5, 0.5, 3.0], [0.5, 0.5, 0.5], 0.6, 1
png = CreateExtractor('PNG', view, registrationName='PNG1')
png.Trigger = 'TimeStep'
png.Writer.FileName = 'window_{timestep:06d}.png'
png.Writer.ImageResolution = [400, 300]
options = catalyst.Options()
options.GlobalTrigger = 'TimeStep'
options.ExtractsOutputDirectory = 'insitu'
if __name__ == '__main__':
    SaveExtractsUsingCatalystOptions(options)
"""


def image(path):
    from matplotlib.image import imread

    return imread(path)[:, :, :3]


def difference(gate, what, a, b):
    """Share of the pixels that differ, and that the picture shows something."""
    a, b = image(a), image(b)
    gate.at_most(f"{what}: share of pixels that differ", float((np.abs(a - b).max(axis=2) > 2 / 255).mean()) if a.shape == b.shape else np.nan, 0.01)
    gate.at_least(f"{what}: colours", len(np.unique(a.reshape(-1, 3), axis=0)), 40)


def pvbatch(path, *words):
    folder = run.folder("pvbatch")
    environment = {k: v for k, v in os.environ.items() if k != "DISPLAY"}
    command = ["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24 -noreset", "pvbatch", path, *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise run.Failure(f"{' '.join(command)}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return f"{folder}/insitu"


def cost(gate, what, done):
    found = re.search(r"in situ: begun in (\S+) s, first step shown in (\S+) s, (\d+) further in (\S+) s each", done.stdout)
    for name, k in (("to begin", 1), ("for the first step", 2), ("for each further step", 4)):
        gate.note(f"{what}: seconds {name}", float(found[k]))


def check_case(gate, name, case, file, pictures):
    for ranks in (1, 2):
        what = f"{name}, np {ranks}"
        plain = go(*case, "-output_every", "4", np=ranks)
        done = go(*case, *STEPS, "-insitu_script", f"{SCRIPTS}/{file},{SCRIPTS}/extracts.py", np=ranks)
        gate.true(f"{what}: no complaint", not common.sentences(done))
        gate.true(f"{what}: the state is that of a run without, bit by bit", common.same(done, plain))
        after = pvbatch(f"{SCRIPTS}/{file}", f"{done.out}/c.pvd")
        for picture in pictures:
            difference(gate, f"{what}, {picture} of the last step", f"{done.out}/insitu/{picture}_000008.png", f"{after}/{picture}_000002.png")
        gate.true(f"{what}: extracts", all(os.path.exists(f"{done.out}/insitu/{e}_000008.vtpd") for e in ("section", "turning")))
        cost(gate, what, done)
    egl = go(*case, *STEPS, "-insitu_script", f"{SCRIPTS}/{file}", "-insitu_display", "egl")
    gate.true(f"{name}, EGL: no complaint", not common.sentences(egl))
    x = go(*case, *STEPS, "-insitu_script", f"{SCRIPTS}/{file}")
    for picture in pictures:
        difference(gate, f"{name}, EGL, {picture}", f"{egl.out}/insitu/{picture}_000008.png", f"{x.out}/insitu/{picture}_000008.png")


def check_pictures(gate):
    check_case(gate, "2D", PLANE, "fields2d.py", ("speed", "stress"))
    check_case(gate, "3D", SPACE, "fields3d.py", ("walls", "slices"))
    for ranks in (1, 2):
        saved = go(*SPACE, *STEPS, "-insitu_script", script(WINDOW, "window.py"), np=ranks)
        gate.true(f"a script of ParaView's window, np {ranks}: no complaint", not common.sentences(saved))
        after = pvbatch(script(WINDOW.replace("FILE", f"{saved.out}/c.pvd"), "window.py"))
        difference(gate, f"a script of ParaView's window, np {ranks}", f"{saved.out}/insitu/window_000008.png", f"{after}/window_000002.png")


# may end the X server that it draws on, which has a mark of the run in its environment; all ranks wait until it has gone
KILLS = """# script-version: 2.0
import glob, os, signal, time
from paraview.simple import *
from paraview import catalyst
from vtkmodules.vtkParallelCore import vtkMultiProcessController
def is_marked(process):
    try:
        return open(process + '/comm').read() == 'Xvfb\\n' and 'RHX_TEST_MARK=VALUE' in open(process + '/environ').read()
    except OSError:
        return False
def is_gone(process):
    try:
        return open(process + '/stat').read().rsplit(')', 1)[1].split()[0] == 'Z'
    except OSError: # waited for
        return True
def kill_server():
    ranks = vtkMultiProcessController.GetGlobalController()
    if ranks.GetLocalProcessId() == 0:
        server, = filter(is_marked, glob.glob('/proc/[0-9]*'))
        os.kill(int(server.split('/')[-1]), signal.SIGKILL)
        while not is_gone(server): time.sleep(0.01)
    ranks.Barrier()
flow = TrivialProducer(registrationName='flow')
view = CreateView('RenderView')
view.ViewSize = [200, 150]
Show(flow, view)
options = catalyst.Options()
options.GlobalTrigger = 'TimeStep'
def catalyst_execute(info):
    flow.UpdatePipeline(info.time)
    SaveScreenshot('p_%d.png' % info.timestep, view)
    AFTER
"""
FAILS = {
    "an error of syntax": ("# script-version: 2.0\nthis is no Python\n", "failed at step 0"),
    "an exception in a step": (KILLS.replace("AFTER", "if info.timestep == 4: raise RuntimeError('no')"), "failed at step 4"),
    "an exception at the start": ("# script-version: 2.0\nraise RuntimeError('no')\n", "failed at step 0"),
}


def check_faults(gate):
    for ranks in (1, 2):
        plain = go(*PLANE, np=ranks)
        for what, (text, words) in FAILS.items():
            tells_and_goes_on(gate, f"np {ranks}, {what}", go(*PLANE, "-insitu_script", script(text, "a.py"), "-insitu_every", "4", np=ranks), plain, words)
        for when in ("between pictures", "in a picture"):
            tells_and_goes_on(gate, f"np {ranks}, a killed Xvfb, {when}", killed(ranks, when == "in a picture"), plain, "X server", "has gone")
        tells_and_goes_on(gate, f"np {ranks}, neither display nor Xvfb", without_xvfb(ranks), plain, "no display", "xvfb")
        trapped = go(*PLANE, *STEPS, "-insitu_script", f"{SCRIPTS}/fields2d.py", "-fp_trap", np=ranks)
        gate.true(f"np {ranks}: floating-point traps", trapped.rc == 0 and not common.sentences(trapped) and common.same(trapped, plain))
    for when, step, last in (("before its first picture", -1, 1), ("in a picture", 4, 5)):
        stopped = go(*PLANE, "-insitu_script", script(ENDS.replace("STEP", str(step)), "ends.py"), expect=143)
        gate.true(f"SIGTERM {when}: step finished, state saved", "signal 15 received" in stopped.stdout and f"step {last}" in stopped.stdout and stopped.checkpoint().size > 0)


def killed(ranks, within):
    """Its own X server is killed by the script after or before a picture."""
    mark = f"{os.getpid()}_{time.monotonic_ns()}"
    act, picture = "if info.timestep == 4: kill_server()", "    SaveScreenshot"
    text = KILLS.replace("AFTER", "pass" if within else act).replace(picture, f"    {act}\n{picture}" if within else picture)
    with unittest.mock.patch.dict(os.environ, {"RHX_TEST_MARK": mark}):
        os.environ.pop("DISPLAY", None)
        return go(*PLANE, "-insitu_script", script(text.replace("VALUE", mark), "kills.py"), "-insitu_every", "4", np=ranks)


def without_xvfb(ranks):
    """PATH without an Xvfb; started by a path Open MPI would put its own folder, which may have one, into PATH."""
    bare = run.folder("bare")
    os.symlink(shutil.which("mpiexec"), f"{bare}/mpiexec")
    os.symlink(shutil.which("true"), f"{bare}/ssh")  # Open MPI looks for one
    with unittest.mock.patch.dict(os.environ, {"PATH": bare, "RHEOPLEX_MPIEXEC": "mpiexec"}):
        os.environ.pop("DISPLAY", None)
        return go(*PLANE, "-insitu_script", f"{SCRIPTS}/fields2d.py", np=ranks)


ENDS = """# script-version: 2.0
import os, signal
from paraview.simple import *
from paraview import catalyst
flow = TrivialProducer(registrationName='flow')
options = catalyst.Options()
options.GlobalTrigger = 'TimeStep'
def end_at(step):
    if step == STEP: os.kill(os.getpid(), signal.SIGTERM)
def catalyst_execute(info):
    flow.UpdatePipeline(info.time)
    end_at(info.timestep)
end_at(-1)
"""


def main(what):
    gate = Gate(f"insitu_{what}")
    {"pictures": check_pictures, "faults": check_faults}[what](gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
