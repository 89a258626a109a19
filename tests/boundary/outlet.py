"""Outlets through which all that flows in flows out. outlet.py [cuda|shipped|arriving|loss|closed|backflow|held|interior]

Sheared outflow of an Oldroyd-B fluid: mass, the profile at the outlet, and the flow one width before it as in a channel of twice the
length; on 1, 2, 3 ranks and after a restart the same. Plug flow that comes back in: the pressure is that of the balance of forces."""
import math
import re
import sys

import mshwrite
import numpy as np
import run
from gate import Gate, largest

HERE = run.folder("outlet")
CHANNEL = {
    "case_name": "channel", "mesh_box_upper": "3,1", "mesh_box_faces": "36,12", "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.11,
    "physics_oldroydb_viscosity": 0.89, "physics_oldroydb_lambda": 0.5, "polymer_variable": "logconf", "stabiliser": "devss,split_oss",
    "bc_left_type": "inlet", "bc_left_velocity": "6*y*(1-y),0", "bc_left_ramp": 1, "bc_right_type": "outlet", "bc_bottom_type": "wall", "bc_top_type": "wall",
    "scheme_lumped_dt": 0.004, "scheme_lumped_cfl": 0.8, "stop_time": 6, "output_fields": "false", "pressure_ksp_rtol": 1e-13,
}
CLOSED = {"physics": "newtonian", "physics_oldroydb_viscosity": None, "physics_oldroydb_lambda": None, "polymer_variable": None, "stabiliser": "split_oss",
          "bc_left_ramp": None, "bc_right_type": "inlet"}
PLUG = {
    "case_name": "plug", "mesh_box_cell": "mixed", "mesh_box_upper": "1.2,0.7", "mesh_box_faces": "5,4", "physics": "newtonian", "physics_newtonian_viscosity": 0.3,
    "stabiliser": "split_oss", "form_density": 1.7, "initial_velocity": "-1.3,0", "bc_left_type": "inlet", "bc_left_velocity": "-1.3,0", "bc_right_type": "outlet",
    "bc_right_pressure_at": "traction", "bc_bottom_type": "symmetry", "bc_top_type": "symmetry", "scheme_lumped_dt": 0.005, "stop_steps": 400,
    "output_fields": "false", "pressure_ksp_rtol": 1e-13,
}


def case(base, device="cpu", np_=1, expect=0, verb="run", **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex(verb, *words, "-device", device, out=run.folder("outlet"), np=np_, expect=expect, timeout=600)


def mass_error(result):
    return abs(result.table("_history.csv")["mass_error"][-1])


def nodes(result):
    """State by position."""
    return {tuple(np.round(x, 9)): s for x, s in zip(result.checkpoint("positions"), result.checkpoint())}


def compare(gate, name, result, other, upto, bound):
    here, there = nodes(result), nodes(other)
    places = [x for x in here if x in there and x[0] <= upto + 1e-9]
    gate.at_most(name, largest(float(np.abs(here[x][:2] - there[x][:2]).max()) for x in places), bound)


ARRIVING = {"physics": "newtonian,oldroydb,giesekus", "physics_newtonian_viscosity": 0.3, "physics_oldroydb_viscosity": 0.5, "physics_oldroydb_lambda": 0.3, "physics_giesekus_viscosity": 0.39,
            "physics_giesekus_lambda": 0.6, "physics_giesekus_alpha": 0.2, "form_density": 3, "mesh_box_faces": "15,6", "mesh_box_upper": "3,1.4", "bc_left_velocity": None, "bc_left_flow_rate": 0.8,
            "bc_right_polymer": "developed", "scheme_lumped_dt": None, "scheme_lumped_cfl": None, "stop_time": 60, "stop_steady_tol": 1e-7}


def arriving(gate, device="cpu"):
    """The developed stress of the flux that arrives: at rest that of the flow rate which the inlet is given."""
    few = {"stop_time": None, "stop_steady_tol": None, "stop_steps": 40}
    if device != "cpu":
        host, there = (case(CHANNEL, side, **ARRIVING | few).checkpoint() for side in ("cpu", device))
        gate.at_most("arriving: host and device", float(np.abs(there - host).max()), 1e-10)
        return
    for name, change in (("plane", {}), ("axisymmetric, triangles", {"form_axisymmetric": "true", "bc_bottom_type": "symmetry", "mesh_box_upper": "3,0.7", "mesh_box_cell": "triangle"})):
        found = case(CHANNEL, **ARRIVING | change)
        given = case(CHANNEL, **ARRIVING | change | {"bc_right_flow_rate": 0.8, "bc_right_ramp": 1, "bc_right_pressure_at": "traction"})
        gate.at_most(f"{name}: outflow over inflow less 1", mass_error(found), 1e-6)
        gate.at_most(f"{name}: state at rest, from that of the flow rate given", float(np.abs(found.checkpoint() - given.checkpoint()).max()), 1e-5)
        free = case(CHANNEL, **ARRIVING | change | {"bc_right_polymer": "zero", "bc_right_pressure_at": "traction"})
        gate.at_least(f"{name}: from that of no stress", float(np.abs(found.checkpoint() - free.checkpoint()).max()), 0.1)
    whole = case(CHANNEL, **ARRIVING | few)
    for np_ in (2, 3):
        gate.at_most(f"np {np_}", float(np.abs(case(CHANNEL, np_=np_, **ARRIVING | few).checkpoint() - whole.checkpoint()).max()), 1e-10)
    half = case(CHANNEL, **ARRIVING | few | {"stop_steps": 20})
    gate.at_most("restart", float(np.abs(case(CHANNEL, **ARRIVING | few, case_restart=half.file("_checkpoint.h5")).checkpoint() - whole.checkpoint()).max()), 1e-12)
    for change, told in (({"bc_right_pressure_at": "nodes"}, ("-bc_right_polymer developed of the flux that arrives: got the pressure at nodes", "-bc_right_pressure_at traction")),
                         ({"bc_right_type": "resistance", "bc_right_pressure_by_flux": "q", "bc_right_pressure_at": "nodes"}, ("-bc_right_polymer developed of the flux that arrives: got the pressure at nodes",))):
        gate.refused(case(CHANNEL, expect=None, **ARRIVING | {"pressure_ksp_rtol": None} | change), told)


def sheared(gate):
    result = case(CHANNEL)
    gate.at_most("open: outflow over inflow less 1", mass_error(result), 1e-6)
    gate.true("open: no warning", "warning" not in result.stderr)
    at_end = {x: s for x, s in nodes(result).items() if x[0] > 3 - 1e-9}
    gate.at_most("open: velocity at the outlet from 6 y (1 - y)", largest(abs(s[0] - 6 * x[1] * (1 - x[1])) for x, s in at_end.items()), 0.015)
    compare(gate, "open: velocity one width before the outlet", result, case(CHANNEL, mesh_box_upper="6,1", mesh_box_faces="72,12"), 2, 2e-4)
    symmetric = case(CHANNEL, bc_right_form="symmetric", stop_time=0.1)
    gate.true("symmetric beside open is told", "-bc_right_form: got symmetric, expected gradient: with -bc_right_polymer open" in symmetric.stderr)
    gate.true("and does nothing", np.array_equal(symmetric.checkpoint(), case(CHANNEL, stop_time=0.1).checkpoint()))
    for name, change in {"fractional_step": {"scheme": "fractional_step", "scheme_fractional_step_integrator": "ssp3", "scheme_fractional_step_dt": 0.004,
                         "scheme_fractional_step_cfl": 0.8, "scheme_lumped_dt": None, "scheme_lumped_cfl": None}}.items():
        gate.at_most(f"{name}: outflow over inflow less 1", mass_error(case(CHANNEL, **change)), 1e-5)
    for name, change in {"triangles": {}, "triangles, row-sum mass": {"scheme_fractional_step_mass_corrections": 0}}.items(): # of its own accord, .9 of its limits
        result = case(CHANNEL, scheme_lumped_dt=None, scheme_lumped_cfl=None, mesh_box_cell="triangle", mesh_box_upper="2,1", mesh_box_faces="24,12", stop_time=8, **change)
        gate.at_most(f"{name}: |du/dt| at the end, m/s^2", float(result.table("_history.csv")["du_dt"][-1]), 2e-3)
    nodal = case(CHANNEL, bc_right_pressure_at="nodes")
    gate.at_most("open, pressure at nodes: outflow over inflow less 1", mass_error(nodal), 1e-4)
    zero = case(CHANNEL, bc_right_polymer="zero", bc_right_pressure_at="nodes")
    gate.at_least("zero polymer traction: outflow over inflow less 1", mass_error(zero), 0.05)
    lines = [line for line in zero.stderr.splitlines() if line.startswith("rheoplex: warning: ")]
    gate.true("zero polymer traction: one warning, label and remedy", len(lines) == 1 and "label 'right'" in lines[0] and "-bc_right_pressure_at traction" in lines[0])


def interior(gate):
    """Velocity, pressure less its level and every component of the unknown up to one width before an open outlet, from those in a channel of twice the length."""
    explicit, implicit = {"stop_time": 8}, {"scheme": "steady", "stop_time": None, "bc_left_ramp": None, "scheme_lumped_dt": None, "scheme_lumped_cfl": None, "pressure_ksp_rtol": None}
    for kind, scheme in (("explicit", explicit), ("implicit", implicit), ("implicit, a polymer that comes in at rest", {**implicit, "bc_left_polymer": "rest"})):
        for variable in ("stress", "logconf"):
            short, long = (nodes(case(CHANNEL, **{**scheme, "polymer_variable": variable, "mesh_box_upper": f"{length},1", "mesh_box_faces": f"{16 * length},16"})) for length in (4, 8))
            places = [x for x in short if x[0] <= 3 + 1e-9]
            here, there = (np.array([state[x] for x in places]) for state in (short, long))
            here[:, 2] -= here[places.index((3, 0.5)), 2] - there[places.index((3, 0.5)), 2]
            apart = np.abs(here - there).max(axis=0) / np.array([1.5, 1.5, np.ptp(there[:, 2]), *np.abs(there[:, 3:]).max(axis=0)])
            for name, values in (("velocity", apart[:2]), ("pressure", apart[2:3]), ("components of the unknown", apart[3:])):
                gate.at_most(f"{kind}, {variable}: {name}, one width before the outlet, of the largest of each", largest(float(v) for v in values), 2e-4)


def loss(gate):
    """A polymer traction of zero loses flow, and the flow never calms down: told at the end or when it has lasted for D/U, once, whatever is reported."""
    grows = {"bc_left_velocity": "12*t*y*(1-y),0", "bc_left_ramp": None, "bc_right_polymer": "zero", "bc_right_pressure_at": "nodes", "mesh_box_faces": "18,6", "case_report_every": 10}
    rare, none = {"case_report_every": 100000}, {"diagnostic_history_every": 100000}
    for name, change in {"at its end": {"stop_time": 0.6}, "when it has lasted": {"stop_time": 1.6}, "at its end, without reports": {"stop_time": 0.6, **rare}, "without reports": {"stop_time": 1.6, **rare},
                         "without reports and history": {"stop_time": 1.6, **rare, **none},
                         "with fields alone": {"stop_time": 0.38, **rare, "output_fields": "true", "output_dt": 0.05, "case_velocity": 0.12, "case_length": 0.006}}.items():
        result = case(CHANNEL, **{**grows, **change})
        told = [line for line in result.stderr.splitlines() if "differs from the inflow" in line]
        table = result.table("_history.csv")
        gate.at_least(f"inflow that grows, {name}: |du/dt| D/U^2", float(np.min(table["du_dt"])), 1)
        gate.true(f"inflow that grows, {name}: one warning, {told}", len(told) == 1 and (f"t = {change['stop_time']}," in told[0]) == name.startswith("at its end"))
        print(f"{name}: {table['step'][-1]:.0f} steps")
    start = {"mesh_box_faces": "18,6", "bc_left_ramp": 2, "scheme_lumped_cfl": None, "scheme_lumped_dt": 0.001, "scheme_lumped_stepper": "euler", "case_report_every": 1}
    for name, change in {"at the start": {"stop_time": 0.3}, "that is all": {"stop_steps": 3}, "polymer developed": {"stop_time": 0.1, "bc_right_profile": "parabolic", "bc_right_mean_velocity": 1, "bc_right_ramp": 2}}.items():
        result = case(CHANNEL, **{**start, **change})
        first = result.table("_history.csv")
        gate.at_least(f"a ramp from rest, {name}: flow lost by the first step", abs(first["mass_error"][0]), 0.1)
        gate.at_most(f"a ramp from rest, {name}: |du/dt| D/U^2", float(first["du_dt"][0]), 1)
        gate.true(f"a ramp from rest, {name}: no warning", "differs from the inflow" not in result.stderr)
    swing = {"mesh_box_faces": "10,6", "physics_newtonian_viscosity": 0.03, "physics_oldroydb_viscosity": 0.02, "physics_oldroydb_lambda": 0.3, "bc_left_velocity": "6*y*(1-y)*sin(2*pi*t),0", "bc_left_ramp": None, "scheme": "fractional_step", "scheme_lumped_dt": None, "scheme_lumped_cfl": None,
             "scheme_fractional_step_cfl": 0.9, "stop_time": 6}
    for name, change, warned in (("tracked", {}, 0), ("instant", {"scheme_fractional_step_subscales": "instant"}, 1)):
        result = case(CHANNEL, **{**swing, **change})
        told = re.findall(r"differs from the inflow by (\S+) % over about D/U before t = (\S+), expected less than 1 %: a shorter time step", result.stderr)
        table = result.table("_history.csv")
        gate.true(f"flow that swings, {name}: {told}", len(told) == warned and result.stderr.count("differs from the inflow") == warned)
        gate.true(f"flow that swings, {name}: it is in balance now and then", bool(np.any(np.diff(np.sign(table["mass_error"])) != 0)))
    lumped = {"scheme": "lumped", "scheme_lumped_subscales": "tracked"}
    for name, scheme, change, most in (("ssp3", "fractional_step", {"scheme_fractional_step_integrator": "ssp3"}, 1.2e-3), ("rk4", "fractional_step", {"scheme_fractional_step_integrator": "rk4"}, 1.2e-3),
                                       ("lumped, tracked", "lumped", lumped, 1.2e-3), ("lumped, tracked, Heun", "lumped", {**lumped, "scheme_lumped_stepper": "heun"}, 1.6e-3)):
        lost = []
        for dt in (0.01, 0.005):
            table = case(CHANNEL, **{**swing, **change, "scheme_fractional_step_cfl": None, f"scheme_{scheme}_dt": dt, "stop_time": 3, "diagnostic_history_every": 1}).table("_history.csv")
            lost.append(float(np.max(np.abs(table["mass_error"] * np.sin(2 * np.pi * table["t"]))[table["t"] > 1])))
        gate.at_most(f"flow that swings, {name}: loss over the largest flow, dt 0.005", lost[1], most)
        gate.at_least(f"flow that swings, {name}: order of the loss in dt", math.log2(lost[0] / lost[1]), 1.8)
    lid = {"case_name": "lid", "mesh_box_faces": "4,4", "physics": "newtonian", "physics_newtonian_viscosity": 1, "stabiliser": "split_oss", "output_fields": "false", "bc_top_type": "moving_wall",
           "bc_top_velocity": "16*x^2*(1-x)^2,0", "bc_left_type": "wall", "bc_right_type": "wall", "bc_bottom_type": "wall"}
    ends = {**lid, "mesh_box_upper": "2,1", "bc_left_type": "inlet", "bc_left_velocity": "6*y*(1-y)*exp(-(t/3)^20),0", "bc_right_type": "inlet", "bc_right_velocity": "0.998*6*y*(1-y)*exp(-(t/3)^20),0",
            "bc_top_type": "wall", "bc_top_velocity": None, "scheme": "monolithic", "scheme_monolithic_dt": 0.05, "stop_time": 9}
    for name, words in (("closed, steps of many D/U", {**lid, "scheme": "monolithic", "scheme_monolithic_dt": 50, "stop_steps": 16}),
                        ("closed, a continuation", {**lid, "scheme": "steady", "scheme_steady_continuation": "form_density=1:1000:1001"}), ("a flow that ends", ends)):
        gate.true(f"{name}: no warning", "differs from the inflow" not in case(words).stderr)
    rest = case(CHANNEL, bc_right_polymer="zero", bc_right_pressure_at="nodes", scheme="steady", bc_left_ramp=None, stop_time=None, scheme_lumped_dt=None, scheme_lumped_cfl=None, pressure_ksp_rtol=None, mesh_box_faces="18,6")
    gate.true("a state of rest that loses", rest.stderr.count("differs from the inflow") == 1)


def shipped(gate, device):
    """Explicit runs of the contraction and the cross-slot on the meshes that are shipped, Oldroyd-B, density 1; the channel by implicit steps, in time and at rest."""
    explicit = {"scheme": "lumped", "scheme_lumped_dt": 0.02, "scheme_lumped_cfl": 0.8, "solver": "auto", "form_density": 1, "output_fields": "false"}
    for name, mesh, labels, change in (("contraction_oldroydb", "contraction", ("inlet", "outlet"), {"physics_oldroydb_lambda": 0.5, "bc_inlet_ramp": 1, "stop_time": 6}),
                                       ("cross_slot_oldroydb", "cross_slot", ("left", "right", "top", "bottom"), {"physics_oldroydb_lambda": 0.3, "stop_time": 4})):
        words = [w for key, value in {**explicit, **change, "device": device}.items() for w in (f"-{key}", value)]
        result = run.rheoplex("run", f"{run.OPTIONS}/{name}.yaml", "-mesh_file", f"{run.MESHES}/{mesh}.msh", *words, out=run.folder("outlet"))
        rate = result.table("_rate.csv")
        gate.relative(f"{name}, explicit: flow in and out", sum(abs(rate[f"{label}_flux"][-1]) for label in labels), {"contraction": 2, "cross_slot": 4}[mesh], 1e-3)
        gate.at_most(f"{name}, explicit: inflow and outflow", abs(sum(rate[f"{label}_flux"][-1] for label in labels)), 1e-7)
        gate.true(f"{name}, explicit: no warning but of the mesh", not [line for line in result.stderr.splitlines() if "warning" in line and "the mesh is too coarse" not in line])
    implicit = {"scheme_lumped_dt": None, "scheme_lumped_cfl": None, "pressure_ksp_rtol": None, "mesh_box_faces": "18,8"}
    for name, change in {"monolithic": {"scheme": "monolithic", "scheme_monolithic_dt": 0.1, "stop_time": 3}, "steady": {"scheme": "steady", "stop_time": None, "bc_left_ramp": None}}.items():
        gate.at_most(f"{name}: outflow over inflow less 1", mass_error(case(CHANNEL, device, **implicit, **change)), 1e-7)


def newtonian(gate):
    """Sheared outflow without polymer: the traction by default; nodes lose flow."""
    rest = {"physics": "newtonian", "physics_oldroydb_viscosity": None, "physics_oldroydb_lambda": None, "polymer_variable": None, "form_density": 3}
    steady = {**rest, "mesh_box_faces": "24,8", "stabiliser": "gls", "scheme": "steady", "bc_left_ramp": None, "stop_time": None, "scheme_lumped_dt": None, "scheme_lumped_cfl": None, "pressure_ksp_rtol": None}
    short = {**rest, "mesh_box_upper": "0.5,1", "mesh_box_faces": "8,16", "stabiliser": "split_oss", "bc_left_velocity": "1,0", "scheme_lumped_dt": 0.008, "stop_time": 2}
    for name, change in {"steady, gls": steady, "a plug that becomes a parabola, split_oss": short}.items():
        gate.at_most(f"Newtonian, {name}: outflow over inflow less 1", mass_error(case(CHANNEL, **change)), 1e-6)
        gate.at_least(f"Newtonian, {name}, pressure at nodes", mass_error(case(CHANNEL, **change, bc_right_pressure_at="nodes")), 1e-4)


def ranks(gate, device):
    """Jittered mixed cells, two modes; a device runs the same."""
    short = {"mesh_box_cell": "mixed", "mesh_box_jitter": 0.2, "mesh_box_faces": "12,8", "scheme_lumped_dt": 0.002, "scheme_lumped_cfl": 0, "physics_oldroydb_modes": 2,
             "physics_oldroydb_viscosity": "0.5,0.3", "physics_oldroydb_lambda": "0.5,0.1", "bc_right_pressure": "0.3+y+t", "bc_right_backflow": 0.6,
             "bc_right_traction": "0.2*t,0.1*y", "bc_left_ramp": 0.05, "stop_time": None, "stop_steps": 40, "stabiliser_devss_theta": 0.3}
    if device != "cpu":
        short["stop_steps"] = 8
    one = case(CHANNEL, **short)
    for np_ in (2, 3) if device == "cpu" else (2,):
        gate.at_most(f"np {np_}: state", float(np.abs(case(CHANNEL, device, np_, **short).checkpoint() - one.checkpoint()).max()), 1e-10)
    if device != "cpu":
        gate.at_most("device: state", float(np.abs(case(CHANNEL, device, **short).checkpoint() - one.checkpoint()).max()), 1e-10)
    half = case(CHANNEL, device, **{**short, "stop_steps": short["stop_steps"] // 2})
    again = case(CHANNEL, device, **short, case_restart=half.file("_checkpoint.h5"))
    gate.at_most("restart: state", float(np.abs(again.checkpoint() - one.checkpoint()).max()), 1e-12 if device == "cpu" else 1e-10)


def plug(gate):
    result = case(PLUG, bc_right_pressure="0.4", bc_right_backflow=0.7, bc_right_traction="2.5,0")
    state = result.checkpoint()
    balance = 0.4 - 2.5 - 0.7 * 1.7 * 1.3**2
    gate.near("plug flow: largest pressure", float(state[:, 2].max()), balance, 1e-7)
    gate.near("plug flow: smallest pressure", float(state[:, 2].min()), balance, 1e-7)


JET = {"case_name": "jet", "mesh_box_upper": "2,1", "mesh_box_faces": "16,8", "physics": "newtonian", "physics_newtonian_viscosity": 2e-3, "stabiliser": "split_oss", "form_density": 3, "bc_left_type": "inlet",
       "bc_left_velocity": "-1,0", "bc_right_type": "outlet", "bc_bottom_type": "symmetry", "bc_top_type": "symmetry", "initial_velocity": "-1+0.5*sin(2*pi*y),0", "output_fields": "false", "stop_time": 8, "stop_lost": 300,
       "diagnostic_e_kind": "energy", "diagnostic_e_every": 10}
DRIVEN = {**PLUG, "initial_velocity": None, "bc_left_type": "outlet", "bc_left_velocity": None, "bc_left_pressure": 0.9, "scheme_lumped_dt": None, "stop_steps": None, "stop_time": 1.5}
LUMPED = {"scheme": "lumped", "scheme_lumped_dt": 0.005}
SSP3 = {"scheme": "fractional_step", "scheme_fractional_step_integrator": "ssp3", "scheme_fractional_step_dt": 0.005}
BDF2 = {**SSP3, "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": 0.02}
MONOLITHIC = {"scheme": "monolithic", "scheme_monolithic_dt": 0.02, "pressure_ksp_rtol": None}


def backflow(gate):
    """Plug flow that a pressure p drives in through an outlet with beta rho u^2: L rho du/dt = p - beta rho u^2. Waves on a plug that enters
    through an outlet, or leaves, are lost without it, and calm down with it."""
    drop, rho, length, beta, end = 0.9, 1.7, 1.2, 0.6, 1.5
    for name, scheme, bound in ("lumped", LUMPED, 4e-3), ("ssp3", SSP3, 4e-3), ("bdf2", BDF2, 4e-3), ("monolithic", MONOLITHIC, 1e-4):
        found = case(DRIVEN, **scheme, bc_left_backflow=beta).checkpoint()
        exact = math.sqrt(drop / (beta * rho)) * math.tanh(end * math.sqrt(drop * beta / rho) / length)
        gate.at_most(f"flow in through an outlet, {name}: velocity", float(np.abs(found[:, :2] / exact - [1, 0]).max()), bound)
        gate.relative(f"flow in through an outlet, {name}: pressure", float(found[:, 2].max()), drop - beta * rho * exact**2, 0.02)
    space = {"mesh_box_upper": "2,1,0.4", "mesh_box_faces": "12,6,3", "bc_left_velocity": "-1,0,0", "bc_front_type": "symmetry", "bc_back_type": "symmetry", "initial_velocity": "-1+0.5*sin(2*pi*y),0,0"}
    out = {"bc_left_velocity": "1,0", "initial_velocity": "1+3*sin(2*pi*y),0"}
    for name, change, np_, area, first in (("in, Heun", {**LUMPED, "scheme_lumped_stepper": "heun"}, 1, 2, 1.125), ("in, ssp3", SSP3, 1, 2, 1.125), ("in, bdf2", BDF2, 1, 2, 1.125),
                                           ("in, bdf2, space, np 2", {**BDF2, **space}, 2, 0.8, 1.125), ("out and in", {**BDF2, **out}, 1, 2, 5.5)):
        lost = case(JET, np_=np_, expect=None, **change)
        told = "the last good state (step" in lost.stderr and "flow comes in through 'right' there, which is open: stable with -bc_right_tangential zero, or -bc_right_backflow 0.5 where vortices pass" in lost.stderr
        gate.true(f"waves that flow {name}: lost without, and told", lost.rc == 1 and told)
        energy = case(JET, np_=np_, bc_right_backflow=0.5, **change).table("_e.csv")["kinetic"]
        gate.at_most(f"waves that flow {name}: largest energy with it over the first", float(energy.max() / (1.5 * area * first)), 1)
        gate.relative(f"waves that flow {name}: energy at the end, of the plug", float(energy[-1]), 1.5 * area, 1e-3)


def held(gate):
    """A steady flow that the backflow term alone holds, beta rho u^2 = p, by Newton's method from a flow that comes in, or a pseudo-transient start; from rest, or where it
    leaves, nothing holds it, which is told with what to do. The vortex of a lid that turns through the outlet has walls."""
    base = {**DRIVEN, "stop_time": None, "pressure_ksp_rtol": None, "scheme": "steady", "bc_left_backflow": 0.6, "ksp_rtol": 1e-10, "snes_rtol": 1e-12}
    space = {"mesh_box_upper": "1.2,0.7,0.4", "mesh_box_faces": "4,3,2", "mesh_box_cell": "hexahedron", "bc_front_type": "symmetry", "bc_back_type": "symmetry", "initial_velocity": "1,0,0"}
    for name, np_, changes in (("from 1", 1, {"initial_velocity": "1,0"}), ("from shear, np 2", 2, {"initial_velocity": "0.3+0.2*y,0"}), ("pseudo-transient", 1, {"scheme_steady_dt": 0.1}), ("space, np 2", 2, space)):
        state = case(base, np_=np_, **changes).checkpoint()
        dim = 3 if "space" in name else 2
        gate.at_most(f"held by backflow, {name}: velocity", float(np.abs(state[:, :dim] - [math.sqrt(0.9 / (0.6 * 1.7)), 0, 0][:dim]).max()), 1e-8)
        gate.at_most(f"held by backflow, {name}: pressure", float(np.abs(state[:, dim]).max()), 1e-8)
    told = "-bc_left_backflow holds it only where fluid comes in, which none does in this state: expected one to begin with that flows in there (-initial_velocity"
    singular = "the matrix is singular, for no condition gives the velocity along (1, 0, 0) at any node"
    for expected, changes in (((singular, told), {}), ((singular, told), {"initial_velocity": "-1,0", "np_": 2}), ((f"{singular}: expected a wall",), {"bc_left_backflow": None, "initial_velocity": "1,0"}),
                              ((f"{singular}: expected a wall",), {"form_convection": "false", "initial_velocity": "1,0"})):
        gate.refused(case(base, expect=None, **changes), expected)
    lid = {**base, "mesh_box_upper": "1.2,1", "mesh_box_faces": "9,8", "bc_left_type": "wall", "bc_left_pressure": None, "bc_left_backflow": None, "bc_right_backflow": 0.5, "bc_bottom_type": "wall", "bc_top_type": "moving_wall",
           "bc_top_velocity": "1,0", "physics_newtonian_viscosity": 0.03}
    result = case(lid)
    x, u = result.checkpoint("positions"), result.checkpoint()[:, 0]
    right = np.abs(x[:, 0] - 1.2) < 1e-9
    gate.true("a vortex through the outlet", u[right].min() < -0.01 and u[right].max() > 0.9)


def driven(gate):
    """Between two outlets of given pressure the momentum is the difference of the pressures times the time, whatever each step projects:
    the gradient of the pressure's increment has its part on the faces."""
    steps, drop = 30, 0.9
    state = case(PLUG, mesh_box_cell="quadrilateral", initial_velocity="0,0", bc_left_type="outlet", bc_left_velocity=None, bc_left_pressure_at="traction",
                 bc_left_pressure=f"{drop}", stop_steps=steps, form_convection="false")
    x, u = state.checkpoint("positions"), state.checkpoint()[:, 0]
    weight = np.where((x[:, 0] < 1e-9) | (x[:, 0] > 1.2 - 1e-9), 0.5, 1) * np.where((x[:, 1] < 1e-9) | (x[:, 1] > 0.7 - 1e-9), 0.5, 1)
    gate.near("momentum between two outlets over its length", float((weight * u).sum() / weight.sum()), drop * 0.005 * steps / (1.7 * 1.2), 1e-9)


def refused(gate):
    for expected, changes in ((("-bc_right_backflow", "-0.1", "from 0 to 1"), {"bc_right_backflow": -0.1}),
                              (("-bc_right_traction", "got 1 formula", "expected 2 (tx,ty)"), {"bc_right_traction": "1"}),
                              (("-bc_right_traction: formula \"1/0*x\"", "expected a finite number"), {"bc_right_traction": "1/0*x,0"}),
                              (("-bc_right_pressure_at", "faces", "nodes", "traction"), {"bc_right_pressure_at": "faces"}),
                              (("-bc_right_pressure_at traction", "dissipation", "expected nodes"),
                               {"bc_right_pressure_at": "traction", "stabiliser": "split_oss", "stabiliser_split_oss_parts": "momentum,tensor", "scheme_lumped_variant": "dissipative"}),
                              (("-bc_left_backflow", "does not take"), {"bc_left_backflow": 0.5}),
                              (("-bc_left_type inlet", "no outlet", "by -100 % at t = ", "-bc_<label>_flow_rate"), {**CLOSED, "bc_right_velocity": "-1,0"}),
                              (("-bc_left_type inlet", "by 50 %"), {**CLOSED, "bc_left_profile": "parabolic", "bc_left_flow_rate": 1, "bc_left_velocity": None,
                                                                    "bc_right_profile": "parabolic", "bc_right_flow_rate": -1.5})):
        for np_ in (1, 2) if "-1,0" in str(changes) else (1,):
            gate.refused(case(CHANNEL, expect=None, np_=np_, **{"stop_steps": 1, **changes}), expected)
    between = {"bc_left_profile": "parabolic", "bc_left_flow_rate": 1, "bc_left_velocity": None, "bc_right_profile": "parabolic", "bc_right_flow_rate": -1, "stop_steps": 2}
    gate.at_most("two inlets, one against the other", mass_error(case(CHANNEL, **{**CLOSED, **between})), 1e-12)
    warned = case(CHANNEL, **{**CLOSED, **between, "bc_right_flow_rate": -1.05, "stop_time": 0.3, "stop_steps": 0}).stderr
    gate.true("a difference of 5 %: a warning that tells of the missing outlet", "by 5 %" in warned and "there is no outlet" in warned)


WALLS = {"case_name": "walls", "mesh_box_upper": "2,1", "mesh_box_faces": "8,5", "mesh_box_cell": "triangle", "mesh_box_jitter": 0.2, "physics": "newtonian", "physics_newtonian_viscosity": 0.4,
         "form_density": 3, "stabiliser": "split_oss", "stop_steps": 1, "output_fields": "false", **{f"bc_{label}_type": "moving_wall" for label in ("left", "right", "bottom", "top")},
         **{f"bc_{label}_velocity": "0,0" for label in ("left", "right", "bottom", "top")}}
ROOM = {**WALLS, "mesh_box_upper": "2,1,1", "mesh_box_faces": "4,3,3", "mesh_box_cell": "tetrahedron", **{f"bc_{label}_type": "moving_wall" for label in ("front", "back")},
        **{f"bc_{label}_velocity": "0,0,0" for label in ("left", "right", "bottom", "top", "front", "back")}}
RIM = {**{key: value for key, value in WALLS.items() if not key.startswith(("bc_", "mesh_"))}, "bc_inner_type": "moving_wall", "bc_outer_type": "wall"}


def everywhere(velocity, base=WALLS):
    return {f"{key[:-5]}_velocity": velocity for key in base if key.endswith("_type")}


def closed(gate):
    """Without an outlet what conditions give is looked at before the first step, by check and run; what closes is not refused."""
    inlet = {**WALLS, "bc_left_type": "inlet", "bc_left_velocity": "6*y*(1-y),0", "bc_right_type": "wall", "bc_right_velocity": None}
    for name, base, more, expected in (("an inlet alone", inlet, {}, ("-bc_left_type inlet", "no outlet", "by -100 %")),
                                       ("a wall that lets out half of it", inlet, {"bc_right_type": "moving_wall", "bc_right_velocity": "3*y*(1-y),0"}, ("-bc_left_type inlet", "by -50 %")),
                                       ("an inlet by steady", inlet, {"scheme": "steady", "stop_steps": None}, ("-bc_left_type inlet", "by -100 %", "at t = 0")),
                                       ("an inlet by monolithic", inlet, {"scheme": "monolithic", "scheme_monolithic_dt": 0.1}, ("-bc_left_type inlet", "no outlet", "by -100 %"))):
        for np_, verb in (1, "check"), (2, "check"), (3, "run"):
            result = case(base, expect=None, np_=np_, verb=verb, **more)
            gate.refused(result, expected)
            gate.true(f"{name}, {verb}: before anything is solved", "walls: " not in result.stdout and "Boundary conditions" not in result.stdout)
    later = {"bc_right_type": "inlet", "bc_right_velocity": "6*t*y*(1-y),0", "scheme": "steady", "stop_steps": None, "scheme_steady_continuation": "t=1:0.5:1.5"}
    gate.refused(case(inlet, expect=None, **later), ("-bc_left_type inlet", "no outlet", "by 50 %", "t = 1.5"))
    place = lambda n: lambda i, j: ((1 + i / 4) * math.cos(2 * math.pi * (j + 0.2 * (j % 3)) / n), (1 + i / 4) * math.sin(2 * math.pi * (j + 0.2 * (j % 3)) / n))
    rotating = {**RIM, "mesh_file": mshwrite.annulus(f"{run.folder('outlet')}/rim.msh", 4, 15, place(15)), "bc_inner_velocity": "-3*y,3*x"}
    for name, base, more in (("walls that stretch", WALLS, everywhere("x-1,0.5-y")),
                             ("that stretch and shrink in time", WALLS, everywhere("sin(9*t)*(x-1)+y,-sin(9*t)*(y-0.5)")),
                             ("in space", ROOM, everywhere("2*x,-y,-z", ROOM)),
                             ("in axisymmetric flow", {**WALLS, "form_axisymmetric": "true", "bc_bottom_type": "symmetry", "bc_bottom_velocity": None}, {f"bc_{label}_velocity": "2*x,-y" for label in ("left", "right", "top")}),
                             ("a cylinder that turns", rotating, {}), ("both do", rotating, {"bc_outer_type": "moving_wall", "bc_outer_velocity": "2*y,-2*x"}),
                             ("suction and blowing", WALLS, {"bc_bottom_velocity": "0,-0.3", "bc_top_velocity": "0,-0.3"}),
                             ("in time", WALLS, {"bc_bottom_velocity": "0,-0.3*t*t", "bc_top_velocity": "0,-0.3*t*t"}),
                             ("a lid", WALLS, {"bc_top_velocity": "1,0"}), ("nothing", WALLS, {}), ("two lids", WALLS, {"bc_top_velocity": "1,0", "bc_left_velocity": "0,-1"}),
                             ("a lid between planes of symmetry", WALLS, {"bc_top_velocity": "x,0", "bc_left_type": "symmetry", "bc_left_velocity": None, "bc_right_type": "symmetry", "bc_right_velocity": None}),
                             ("what has no value after the end of the run", inlet, {"bc_left_velocity": "6*y*(1-y)*sqrt(1-(t/0.001)^2),0", "bc_right_type": "inlet", "bc_right_velocity": "6*y*(1-y)*sqrt(1-(t/0.001)^2),0", "scheme": "monolithic",
                                                                                            "scheme_lumped_dt": None, "scheme_lumped_cfl": None, "stop_steps": None, "stop_time": 0.001}),
                             ("an inlet and a wall that lets it out", inlet, {"bc_right_type": "moving_wall", "bc_right_velocity": "6*y*(1-y),0"}),
                             ("an inlet and an outlet", inlet, {"bc_right_type": "outlet"}), ("suction and an outlet", WALLS, {"bc_bottom_velocity": "0,-0.3", "bc_right_type": "outlet", "bc_right_velocity": None}),
                             ("a source of mass", inlet, {"form_source_pressure": "-0.5"})):
        for verb in "check", "run":
            result = case(base, expect=None, verb=verb, **more)
            gate.true(f"{name}: {verb} {result.stderr[-200:] if result.rc else ''}", result.rc == 0)


def main(which):
    """Where: cpu, cuda; or, on the host, shipped, arriving, loss, closed, backflow, held or interior."""
    device = which if which == "cuda" else "cpu"
    gate = Gate(f"boundary_outlet_{which}")
    if which in ("loss", "closed", "backflow", "held", "interior"):
        globals()[which](gate)
        return gate.finish()
    if which in ("shipped", "arriving"):
        globals()[which](gate, device)
        return gate.finish()
    if device == "cuda":
        arriving(gate, device)
    else:
        for check in (sheared, newtonian, plug, driven, refused):
            check(gate)
    ranks(gate, device)
    return gate.finish()


sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "cpu"))
