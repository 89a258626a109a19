"""A diagnostic from outside: the kinetic energy, and diagnostics named by the user. diagnostic.py cpu|cuda

Couette flow, whose energy rho U^2/6 a length is exact on every mesh; a flow that grows, the same on 1, 2, 3 ranks, whose table
goes on after a restart; what the user named against the short options' tables."""
import os
import shutil
import sys

import common
import numpy as np
import run
from gate import Gate, largest

RHO, U, UNIT = 1.3, 0.7, 2.5
FLOW = [*common.plugin("outside_energy"), "-physics", "newtonian", "-physics_newtonian_viscosity", "0.5", "-stabiliser", "split_oss", "-form_density", RHO,
        "-diagnostic_energy_kind", "outside_energy", "-diagnostic_energy_unit", UNIT]
COUETTE = ["-mesh_box_upper", "1.5,1", "-mesh_box_periodic", "x", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", f"{U},0",
           "-initial_velocity", f"{U}*y,0"]
CHANNEL = ["-mesh_box_cell", "mixed", "-mesh_box_faces", "7,6", "-bc_left_type", "inlet", "-bc_left_velocity", "6*y*(1-y)*(1+t),0", "-bc_bottom_type", "wall",
           "-bc_top_type", "wall", "-bc_right_type", "outlet", "-initial_velocity", "6*y*(1-y),0", "-pressure_ksp_rtol", "1e-13", "-scheme_lumped_dt", "0.002"]
NAMED = ["-diagnostic_energy_every", "3", "-diagnostic_drag_kind", "forces", "-diagnostic_drag_label", "top,bottom", "-diagnostic_forces", "top,bottom",
         "-diagnostic_through_kind", "flux", "-diagnostic_through_label", "left, right", "-diagnostic_state_kind", "health", "-diagnostic_shear_kind", "wall",
         "-diagnostic_shear_label", "top", "-diagnostic_wall", "top", "-diagnostic_p_kind", "probe", "-diagnostic_p_points", "0.31,0.47; 0.5,0.5", "-diagnostic_budget_kind", "energy",
         "-diagnostic_parts_kind", "forces", "-diagnostic_parts_label", "top", "-diagnostic_parts_parts", "true", "-diagnostic_parts_torque", "true"]

TABLES = ("_energy.csv", "_drag.csv", "_through.csv", "_p.csv", "_budget.csv", "_parts.csv")


def case(device, *words, **keywords):
    return common.rheoplex("run", "-case_name", "d", *FLOW, *words, "-device", device, out=run.folder("energy"), **keywords)


def analytic(gate, device):
    for np_, cell in ((1, "quadrilateral"), (2, "triangle"), (3, "mixed")):
        table = case(device, *COUETTE, "-mesh_box_cell", cell, "-mesh_box_faces", "5,4", "-stop_steady_tol", "1e-3", "-stop_steps", "4", np=np_).table("_energy.csv")
        gate.near(f"{cell}, np {np_}: kinetic energy", table["kinetic_energy"][-1], RHO * U * U / 6 * 1.5 / UNIT, 1e-12)
        gate.near(f"{cell}, np {np_}: volume", table["volume"][-1], 1.5, 1e-12)
        gate.true(f"{cell}, np {np_}: told of the rest", list(table["at_rest"]) == [1])


def named(gate, device):
    one = case(device, *CHANNEL, *NAMED, "-stop_steps", "10")
    energy, through = one.table("_energy.csv"), one.table("_through.csv")
    gate.true("rows every 3 steps and at the end", list(energy["step"]) == [3, 6, 9, 10])
    gate.at_least("the energy grows", float(np.diff(energy["kinetic_energy"]).min()), 1e-4)
    gate.true("a named table of forces is that of -diagnostic_forces", open(one.file("_drag.csv")).read() == open(one.file("_forces.csv")).read())
    gate.true("and of a wall", open(one.file("_shear_top.csv")).read() == open(one.file("_wall_top.csv")).read())
    gate.near("flux through the inlet", through["left_flux"][-1], -(1 + 10 * 0.002) * 35 / 36, 1e-10)  # of the parabola's trapezia
    gate.true("health has no mode without polymer", set(one.table("_state.csv")["mode"]) == {-1})
    for np_ in (2, 3):
        more = case(device, *CHANNEL, *NAMED, "-stop_steps", "10", np=np_)
        for name in TABLES:
            worst = largest(float(np.abs(more.table(name)[k] - one.table(name)[k]).max()) for k in one.table(name))
            gate.at_most(f"np {np_}: {name}", worst, 1e-10)
    return one


def restart(gate, device, whole):
    words = [*CHANNEL, *NAMED]
    out = case(device, *words, "-stop_steps", "7").out
    shutil.copy(f"{out}/d_checkpoint.h5", f"{out}/seven.h5")
    for last in (9, 10):  # the second time step 8 and 9 are repeated
        again = common.rheoplex("run", "-case_name", "d", *FLOW, *words, "-device", device, "-stop_steps", last, "-case_restart", f"{out}/seven.h5", out=out)
    energy = again.table("_energy.csv")
    gate.true("restart: rows of the whole run, each once", list(energy["step"]) == list(whole.table("_energy.csv")["step"]) == [3, 6, 9, 10])
    gate.at_most("restart: last row", abs(energy["kinetic_energy"][-1] - whole.table("_energy.csv")["kinetic_energy"][-1]), 1e-12)


def aside(gate, device):
    out = case(device, *CHANNEL, *NAMED, "-stop_steps", "3").out
    common.rheoplex("run", "-case_name", "d", *FLOW, *CHANNEL, *NAMED, "-device", device, "-stop_steps", "2", "-form_density", "2", out=out)
    names = {"d_energy.csv", "d_drag.csv", "d_shear_top.csv", "d_shear_top_points.csv"}
    gate.true("tables of another case are set aside", names <= set(os.listdir(f"{out}/d.1")) and names <= set(os.listdir(out)))


def refused(gate):
    for words, sentence in ((["-diagnostic_drag_kind", "force", "-diagnostic_drag_label", "top"], "did you mean 'forces'?"),
                            (["-diagnostic_drag_label", "top"], "-diagnostic_drag_label: got an option of a diagnostic that has no kind"),
                            (["-diagnostic_wall_kind", "wall", "-diagnostic_wall_label", "top"], "the name 'wall' is that of another table"),
                            (["-diagnostic_drag_kind", "forces", "-diagnostic_drag_label", "tops"], "-diagnostic_drag_label: no boundary face has the label 'tops'"),
                            (["-diagnostic_drag_kind", "forces"], "-diagnostic_drag_label: got no label"),
                            (["-diagnostic_drag_kind", "health", "-diagnostic_drag_unit", "2"], "diagnostic_drag_unit")):
        done = case("cpu", *CHANNEL, *words, "-stop_steps", "1", expect=None)
        gate.true(f"refused: {' '.join(words)}", done.rc != 0 and sentence in done.stderr)


def main(device):
    gate = Gate(f"extensions_diagnostic_{device}")
    analytic(gate, device)
    whole = named(gate, device)
    restart(gate, device, whole)
    if device == "cpu":
        aside(gate, device)
        refused(gate)
    else:
        here = case("cpu", *CHANNEL, *NAMED, "-stop_steps", "10")
        for name in TABLES:
            worst = largest(float(np.abs(here.table(name)[k] - whole.table(name)[k]).max()) for k in whole.table(name))
            gate.at_most(f"host: {name}", worst, 1e-10)
    return gate.finish()


sys.exit(main(sys.argv[1]))
