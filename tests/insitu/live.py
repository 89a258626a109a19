"""Live view: a client of ParaView, as its window does it by Catalyst > Connect, looks into a run, takes its fields and a filter's, holds
it for a while, and leaves before it ends."""
import json
import os
import socket
import subprocess
import sys

import numpy as np
import run
from common import PLANE, go, same, script, sentences
from gate import Gate, largest

CLIENT = """
import json, sys, time
from paraview import live
from paraview.simple import *
answer, port, leave = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
link = live.ConnectToCatalyst('localhost', port)
manager = link.GetInsituProxyManager()
begin, seen, held = time.time(), {}, None
extracts = None
open(answer + '.listens', 'w').close()
def wait(seconds):
    end = time.time() + seconds
    while time.time() < end:
        live.ProcessServerNotifications()
        time.sleep(0.01)
while time.time() - begin < 240 and len(seen) < leave:
    wait(0.01)
    if extracts is None:
        if manager.GetNumberOfProxies('sources'):
            extracts = [live.ExtractCatalystData(link, name) for name in ('flow', 'turning')]
        continue
    step = link.GetTimeStep()
    for e in extracts:
        e.UpdatePipeline()
    flow, turning = (e.GetDataInformation() for e in extracts)
    array = flow.DataInformation.GetPointDataInformation().GetArrayInformation('velocity')
    if not array or step == 0:
        continue
    seen[step] = [flow.GetNumberOfCells(), array.GetComponentRange(-1)[1], turning.GetNumberOfPoints()]
    if held is None and len(seen) == leave // 2:
        live.PauseCatalyst(link, True)
        wait(1)
        first = link.GetTimeStep()
        wait(2)
        held = [first, link.GetTimeStep()]
        live.PauseCatalyst(link, False)
json.dump({'seen': seen, 'held': held}, open(answer, 'w'))
"""


def free_port():
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return s.getsockname()[1]


def look(gate, ranks, steps, leave):
    port, answer = free_port(), f"{run.folder('live')}/answer.json"
    with open(f"{run.SOURCE}/share/catalyst/live.py") as f:
        shown = script(f.read().replace("localhost:22222", f"localhost:{port}"), "live.py")
    environment = {k: v for k, v in os.environ.items() if k != "DISPLAY"}
    client = subprocess.Popen(["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24 -noreset", "pvpython", script(CLIENT, "client.py"), answer, str(port), str(leave)], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        run.wait(lambda: os.path.exists(f"{answer}.listens"), "the client", client)
        case = [*PLANE, "-stop_steps", str(steps), "-output_every", "1"]
        done = go(*case, "-insitu_script", shown, np=ranks)
        text = client.communicate(timeout=60)[0]
    finally:
        client.kill()
    if not os.path.exists(answer):
        raise run.Failure(text[-3000:])
    with open(answer) as f:
        said = json.load(f)
    what = f"np {ranks}"
    gate.true(f"{what}: no complaint, the run goes on to its end when the client has left", not sentences(done) and len(done.table("_history.csv")["step"]) == steps)
    gate.true(f"{what}: the state is that of a run without, bit by bit", same(done, go(*case, np=ranks)))
    gate.at_least(f"{what}: steps seen", len(said["seen"]), leave)
    worst = 0
    for step, (cells, speed, points) in said["seen"].items():
        f = run.Fields(f"{done.out}/c_{int(step):06d}.vtu")
        size = float(np.linalg.norm(f["velocity"], axis=1).max())
        worst = largest(worst, abs(speed / size - 1)) if cells == f.grid.GetNumberOfCells() and points > 0 else np.nan
    gate.at_most(f"{what}: largest speed of each step as in its file, cells, points of the filter", worst, 1e-12)
    gate.true(f"{what}: held for two seconds: {said['held']}", said["held"] is not None and said["held"][0] == said["held"][1])


def main():
    gate = Gate("insitu_live")
    look(gate, 1, 60, 12)
    look(gate, 2, 60, 12)
    return gate.finish()


sys.exit(main())
