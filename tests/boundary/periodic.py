"""Labels joined by a translation, and the force that keeps a mean velocity. periodic.py [cuda]

A channel of oblique ends, triangles from a Gmsh file without periodic nodes: the force of a Newtonian fluid is the exact one of linear
elements, that of linear PTT with solvent the analytic one. A box that is joined is the periodic box. The same on 1, 2, 3 ranks, after a
restart, on host and device."""
import math
import sys

import mshwrite
import numpy as np
import run
from gate import Gate
from scipy.integrate import quad
from scipy.optimize import brentq

H, LENGTH, LEAN, U, RHO, ETA, N = 0.7, 0.6, 0.25, 0.9, 1.3, 0.4, 14
PERIODIC = {"bc_bottom_type": "wall", "bc_top_type": "wall", "form_density": RHO, "form_mean_velocity": U, "output_fields": "false", "case_name": "channel",
            "diagnostic_f_kind": "drive", "diagnostic_f_every": 1000, "pressure_ksp_rtol": 1e-13}
NEWTONIAN = {"physics": "newtonian", "physics_newtonian_viscosity": ETA, "stabiliser": "split_oss", "stop_time": 0.4, "scheme": "lumped", "scheme_lumped_stepper": "heun",
             "scheme_lumped_dt": 0.003}
PTT = {"physics": "newtonian,ptt", "physics_newtonian_viscosity": 0.1, "physics_ptt_viscosity": 0.6, "physics_ptt_lambda": 0.3, "physics_ptt_epsilon": 0.25,
       "physics_ptt_form": "linear", "stabiliser": "devss,split_oss", "polymer_variable": "stress", "scheme": "lumped", "stop_time": 2,
       "scheme_lumped_dt": 1.5e-3}
BDF2 = {"scheme": "fractional_step", "scheme_lumped_stepper": None, "scheme_lumped_dt": None, "scheme_fractional_step_dt": 0.005, "scheme_fractional_step_integrator": "bdf2"}
BOX = {"mesh_box_faces": f"4,{N}", "mesh_box_upper": f"{LENGTH},{H}"}


def oblique(path, moved=0.0):
    """Triangles of a channel whose ends lean; moved: a node of the right end, across the direction by which nodes are sorted."""
    def place(i, j):
        y, by = H * j / N, moved if (i, j) == (4, 3) else 0.0
        return LENGTH * i / 4 + LEAN * y - 0.6893 / 0.5471 * by, y + by

    return mshwrite.channel(path, 4, N, place, triangles=True)


def other_faces(path, n=6):
    """A square whose left and right have the same nodes, but an edge each at another height belongs to the bottom."""
    number = lambda i, j: i * (n + 1) + j
    points, cells = [(i / n, j / n) for i in range(n + 1) for j in range(n + 1)], [(number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)) for i in range(n) for j in range(n)]
    side = lambda i, without: [(number(i, j), number(i, j + 1)) for j in range(n) if j != without]
    ends = [[(number(i, j), number(i + 1, j)) for i in range(n)] for j in (0, n)]
    return mshwrite.write(path, points, cells, {"left": side(0, 1), "right": side(n, 3), "bottom": ends[0] + [(number(0, 1), number(0, 2)), (number(n, 3), number(n, 4))], "top": ends[1]})


def case(base, device="cpu", np_=1, expect=0, **changes):
    words = [w for key, value in {**PERIODIC, **base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, "-device", device, out=run.folder("periodic"), np=np_, expect=expect, timeout=300)


def last(result):
    table = result.table("_f.csv")
    return float(table["force"][-1]), float(table["mean_velocity"][-1])


def ptt_force():
    """Linear PTT in a slit: gamma = tau/eta (1 + 2 eps (lambda tau/eta)^2), force y = 0.1 gamma + tau."""
    rate = lambda tau: tau / 0.6 * (1 + 2 * 0.25 * (0.3 * tau / 0.6) ** 2)

    def mean(force):
        stress = lambda y: brentq(lambda tau: 0.1 * rate(tau) + tau - force * y, 0, force * y + 1e-30)
        return quad(lambda y: y * rate(stress(y)), 0, H / 2)[0] / (H / 2)

    return brentq(lambda force: mean(force) - U, 1, 100)


def analytic(gate, mesh):
    exact = 12 * ETA * U / H**2 / (1 - 1 / N**2)
    for name, changes, bound in ("lumped", {}, 1e-7), ("fractional_step", BDF2, 5e-5):
        result = case(NEWTONIAN, **BOX, mesh_periodic="left,right", **changes)
        force, mean = last(result)
        told = [line.split() for line in result.stdout.splitlines() if "force of -form_mean_velocity:" in line]
        gate.true(f"{name}: the force is told at the end, once", len(told) == 1)
        gate.relative(f"{name}: force that is told", float(told[0][3]) if told else math.nan, exact, max(bound, 2e-6)) # of 6 digits
        gate.relative(f"{name}: mean velocity that is told", float(told[0][-2]) if told else math.nan, U, max(bound, 2e-6))
        gate.relative(f"{name}: force of a Newtonian fluid", force, exact, bound)
        gate.relative(f"{name}: mean velocity", mean, U, bound)
    force, mean = last(case(NEWTONIAN, **mesh))
    gate.relative("oblique ends: force of a Newtonian fluid", force, 12 * ETA * U / H**2, 0.012)
    gate.relative("oblique ends: mean velocity", mean, U, 1e-9)
    force, mean = last(case(PTT, **mesh))
    gate.relative("oblique ends: force of linear PTT", force, ptt_force(), 0.012)
    gate.relative("linear PTT: mean velocity", mean, U, 1e-6)
    steps = {"stop_time": None, "stop_steps": 20, "scheme_lumped_dt": 2e-3}
    joined, periodic = case(NEWTONIAN, **BOX, mesh_periodic="left,right", **steps), case(NEWTONIAN, **BOX, mesh_box_periodic="x", **steps)
    gate.relative("joined box: force of the periodic box", last(joined)[0], last(periodic)[0], 1e-9)
    waves = {"form_mean_velocity": "0.5+0.3*cos(4*t)", "scheme_lumped_dt": 2e-3}
    gate.near("mean velocity that pulsates", last(case(NEWTONIAN, **BOX, mesh_periodic="left,right", **waves))[1], 0.5 + 0.3 * math.cos(1.6), 2e-4)


def first_steps(gate, folder):
    """Without friction the first force brings the whole mean velocity; where wavy walls turn most of it into a pressure that comes late it
    holds the mean all the same."""
    free = {"bc_bottom_type": "free_slip", "bc_top_type": "free_slip", "physics_newtonian_viscosity": 1e-6, "form_mean_direction": "2,0", "stop_time": None,
            "stop_steps": 3, "diagnostic_f_every": 1, "mesh_periodic": "left,right"}
    gate.relative("first force: mean velocity", case(NEWTONIAN, **BOX, **free).table("_f.csv")["mean_velocity"][1], U, 1e-5)
    wave = lambda i, j: (LENGTH * i / 12, H * j / N * (1 + 0.6 * math.sin(2 * math.pi * i / 12)))
    wavy = {"mesh_file": mshwrite.channel(f"{folder}/wavy.msh", 12, N, wave), "mesh_periodic": "left,right", "physics_newtonian_viscosity": 0.01, "scheme_lumped_dt": 5e-4,
            "stop_time": None, "stop_steps": 40}
    gate.relative("wavy walls: mean velocity", last(case(NEWTONIAN, **wavy))[1], U, 0.01)


def same(gate, device, mesh):
    short = {**PTT, **mesh, "stop_time": None, "stop_steps": 12, "scheme_lumped_dt": 1e-3, "diagnostic_f_every": 1}
    whole = case(short, device)
    force = whole.table("_f.csv")["force"]
    if device == "cpu":
        for np_ in (2, 3):
            gate.at_most(f"np {np_}: force", float(np.abs(case(short, np_=np_).table("_f.csv")["force"] - force).max()) / abs(force[1]), 1e-10)
        half = case(short, stop_steps=6)
        rest = case(short, case_restart=half.file("_checkpoint.h5"))
        gate.at_most("restart: flow", float(np.abs(rest.checkpoint() - whole.checkpoint()).max()), 1e-12)
        gate.at_most("restart: force", abs(last(rest)[0] - last(whole)[0]) / abs(last(whole)[0]), 1e-12)
        return
    for name, changes in {"lumped": {}, "fractional_step": {"scheme": "fractional_step", "scheme_fractional_step_integrator": "ssp3", "scheme_lumped_dt": None, "scheme_fractional_step_dt": 1e-3}}.items():
        here, there = case(short, **changes), case(short, device, **changes)
        gate.at_most(f"{name}: flow of host and device", float(np.abs(here.checkpoint() - there.checkpoint()).max()), 1e-10)
        gate.at_most(f"{name}: force of host and device", abs(last(here)[0] - last(there)[0]) / abs(last(here)[0]), 1e-10)


def refused(gate, folder):
    moved, three = {"mesh_file": oblique(f"{folder}/moved.msh", 0.004)}, {"mesh_box_faces": "2,6", "mesh_box_upper": "1,1"}
    flow, implicit = {**NEWTONIAN, **BOX}, {"scheme_lumped_stepper": None, "scheme_lumped_dt": None, "stop_time": None, "pressure_ksp_rtol": None}
    cases = [
        ({**NEWTONIAN, **moved}, {"mesh_periodic": "left,right"}, ("-mesh_periodic left,right", "no node of the second label at the node (")),
        (NEWTONIAN, {"mesh_file": other_faces(f"{folder}/faces.msh"), "mesh_periodic": "left,right"}, ("labels of 5 and 5 faces", "expected the same faces")),
        (flow, {"mesh_periodic": "left,rihgt"}, ("-mesh_periodic left,rihgt", "did you mean 'right'?")),
        (flow, {"mesh_periodic": "left"}, ("-mesh_periodic left", "expected two labels")),
        (flow, {"mesh_periodic": "left,left"}, ("-mesh_periodic left,left", "expected two labels")),
        (flow, {"mesh_periodic": "left,top"}, ("-mesh_periodic left,top", "labels of 15 and 5 nodes")),
        ({**NEWTONIAN, **three}, {"mesh_periodic": "left,right"}, ("fewer than 3 cells",)),
        (flow, {"bc_left_type": "wall", "bc_right_type": "wall"}, ("-form_mean_velocity", "balanced by the pressure")),
        (flow, {"bc_left_type": "outlet", "bc_right_type": "outlet"}, ("-form_mean_velocity", "open boundary")),
        (flow, {"mesh_periodic": "left,right", "form_mean_direction": "0,1"}, ("-form_mean_velocity", "-form_mean_direction 0,1 is balanced")),
        (flow, {"mesh_periodic": "left,right", "form_mean_direction": "1,x"}, ("-form_mean_direction", "'1,x'")),
        (flow, {"mesh_periodic": "left,right", "form_mean_velocity": "w"}, ("-form_mean_velocity", "w")),
        (flow, {"mesh_periodic": "left,right", "form_mean_velocity": "log(0.01-t)"}, ("-form_mean_velocity", "gives -", "expected a finite number")),
        (flow, {"mesh_periodic": "left,right", "form_mean_velocity": None}, ("-diagnostic_f_kind drive", "without -form_mean_velocity")),
        (flow, {"mesh_periodic": "left,right", "scheme": "steady", **implicit, "form_mean_velocity": "0.3*t"}, ("-scheme steady", "change after t = 0")),
    ]
    for base, changes, expected in cases:
        gate.refused(case(base, expect=None, **changes), expected)


def main(device):
    gate, folder = Gate(f"boundary_periodic_{device}"), run.folder("periodic")
    mesh = {"mesh_file": oblique(f"{folder}/oblique.msh"), "mesh_periodic": "left,right"}
    same(gate, device, mesh)
    if device == "cpu":
        analytic(gate, mesh)
        first_steps(gate, folder)
        refused(gate, folder)
    return gate.finish()


sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "cpu"))
