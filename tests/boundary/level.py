"""The level of the pressure behind outlets moves no incompressible flow: it is there from the first step on, and a level that changes with time is taken by the pressure alone.
level.py [cuda]   with a device: two cases, and the same state as on the host
level.py restart  outlets that give another pressure after a restart

A channel with inflow that speeds up, one outlet, and a pair of outlets above each other; pressure at nodes and in the traction, a constant level 300 times rho U^2, one that swings 10 times."""
import sys

import h5py
import numpy as np
import run
from gate import Gate, largest

CHANNEL = {"case_name": "level", "mesh_box_lower": "0,-0.5", "mesh_box_upper": "2,0.5", "mesh_box_faces": "20,10", "mesh_box_cell": "mixed", "physics": "newtonian", "physics_newtonian_viscosity": 0.05,
           "stabiliser": "split_oss", "form_density": 3, "bc_left_type": "inlet", "bc_left_velocity": "(1+0.5*sin(4*t))*1.5*(1-4*y^2),0", "bc_left_ramp": 0.2, "bc_right_type": "outlet",
           "bc_bottom_type": "wall", "bc_top_type": "wall", "stop_time": 0.4, "output_fields": "false", "pressure_ksp_rtol": 1e-12}
BDF2 = {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": 0.01, "momentum_ksp_rtol": 1e-11}
SCHEMES = {"bdf2": BDF2, "ssp3": {"scheme": "fractional_step", "scheme_fractional_step_integrator": "ssp3", "scheme_fractional_step_dt": 0.004},
           "lumped": {"scheme": "lumped", "scheme_lumped_dt": 0.004}, "heun": {"scheme": "lumped", "scheme_lumped_stepper": "heun", "scheme_lumped_dt": 0.004}}
SWING = "30*sin(9*t)"
TWO = {"bc_top_type": "outlet", "bc_left_velocity": "1.5*(1-4*y^2),0"}  # levels that differ drive a flow between them


def solve(scheme, device="cpu", np_=1, **more):
    words = [w for k, v in {**CHANNEL, **scheme, **more}.items() for w in (f"-{k}", v)]
    result = run.rheoplex("run", *words, "-device", device, out=run.folder("level"), np=np_)
    return result.checkpoint(), result.checkpoint("positions"), abs(result.table("_history.csv")["mass_error"][-1])


def restarts(gate, scheme, what, np_=1, **more):
    """A run of 10 steps and 10 more with another level: the velocity is that of one without a change."""
    half = {**CHANNEL, **more, **SCHEMES[scheme], "stop_time": 1e9, "stop_steps": 10}
    words = lambda d: [w for k, v in d.items() for w in (f"-{k}", v)]
    first = run.rheoplex("run", *words(half), out=run.folder("level"), np=np_)
    state = first.file("_checkpoint.h5")
    ends = []
    for level in 0, 900:
        again = run.rheoplex("run", *words({**half, "stop_steps": 20, "bc_right_pressure": f"{level}+{more.get('bc_right_pressure', 0)}"}), "-case_restart", state, out=run.folder("level"), np=np_)
        gate.true(f"{scheme}, {what}: says {level and 'what changes' or 'nothing'}", ("the pressure of the state changes" in again.stdout) == bool(level))
        ends.append(again.checkpoint())
    dim = len(half["mesh_box_upper"].split(","))
    gate.at_most(f"{scheme}, {what}: velocity by a restart with 900 Pa more", largest(np.abs(ends[1] - ends[0])[:, :dim].ravel()), 1e-10)
    gate.at_most(f"{scheme}, {what}: pressure less that level", largest(np.abs(ends[1] - ends[0] - 900)[:, dim]), 1e-9)
    return state


def restart():
    gate = Gate("boundary_level_restart")
    for scheme in SCHEMES:
        for at in "traction", "nodes":
            restarts(gate, scheme, at, bc_right_pressure_at=at)
    restarts(gate, "bdf2", "a level that swings", bc_right_pressure=SWING)
    solid = {"mesh_box_lower": "0,-0.5,-0.5", "mesh_box_upper": "2,0.5,0.5", "mesh_box_faces": "8,4,4", "mesh_box_cell": "tetrahedron", "bc_left_velocity": "1+0.5*sin(4*t),0,0", "bc_back_type": "symmetry", "bc_front_type": "symmetry"}
    polymer = {"physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.05, "physics_oldroydb_modes": 2, "physics_oldroydb_viscosity": "0.03,0.14", "physics_oldroydb_lambda": "0.3,0.7", "stabiliser": "devss,split_oss", "polymer_variable": "logconf"}
    tube = {"form_axisymmetric": "true", "mesh_box_lower": "0,0", "mesh_box_upper": "2,0.5", "bc_bottom_type": "symmetry", "bc_left_velocity": "(1+0.5*sin(4*t))*2*(1-4*y^2),0"}
    restarts(gate, "ssp3", "tetrahedra, two modes, np 2", 2, **solid, **polymer)
    restarts(gate, "bdf2", "tetrahedra, np 3", 3, **solid)
    words = lambda d: [w for k, v in d.items() for w in (f"-{k}", v)]
    told = lambda d, *more, np_=1: run.rheoplex("run", *words({**CHANNEL, **BDF2, "stop_time": 1e9, "stop_steps": 6, **d}), *more, out=run.folder("level"), np=np_)
    for varying in "900*y^2", "900*sin(40*y)":
        first = told({"bc_right_pressure": varying, "stop_steps": 5})
        for np_, *map_ in (1,), (3,), (1, "-case_restart_mesh", "map", "-mesh_box_faces", "26,13"):
            said = told({"bc_right_pressure": varying}, "-case_restart", first.file("_checkpoint.h5"), *map_, np_=np_).stdout
            gate.true(f"{varying}, the same after a restart, np {np_} {map_}: no change", "the pressure of the state changes" not in said and ("does not say what pressure" in said) == bool(map_))
    first = told({"bc_right_pressure": 900, "stop_steps": 5})
    again = told({"bc_right_pressure": 1200}, "-case_restart", first.file("_checkpoint.h5"), "-case_restart_mesh", "map", "-mesh_box_faces", "26,13")
    gate.true("mapped, 1200 Pa for 900: told", "gives 1200 Pa for 900 Pa now" in again.stdout)
    gate.at_most("mapped, 1200 Pa for 900: flow that is lost in the first step", abs(float(again.table("_history.csv")["mass_error"][-1])), 0.1)
    again = told({"bc_right_type": "windkessel", "bc_right_proximal": 0, "bc_right_distal": 1, "bc_right_compliance": 1, "bc_right_initial_pressure": 5}, "-case_restart", first.file("_checkpoint.h5"))
    gate.true("a Windkessel for an outlet: told", "gives 5 Pa for 900 Pa now" in again.stdout)
    gate.at_most("a Windkessel for an outlet: flow that is lost in the first step", abs(float(again.table("_history.csv")["mass_error"][-1])), 0.1)
    state = restarts(gate, "bdf2", "a tube", **tube)
    with h5py.File(state, "r+") as f:
        del f.attrs["outlet_pressure_right"]
    said = told({**tube, "stop_steps": 12, "bc_right_pressure": 900}, "-case_restart", state).stdout
    gate.true("a checkpoint that does not know it: told", "does not say what pressure the label 'right' gave" in said and "gives 900 Pa" in said)
    return gate.finish()


def main(device="cpu"):
    if device == "restart":
        return restart()
    gate = Gate("boundary_level" + ("" if device == "cpu" else "_cuda"))
    for name, scheme in SCHEMES.items() if device == "cpu" else [("bdf2", BDF2), ("lumped", SCHEMES["lumped"])]:
        for at in "traction", "nodes":
            plain, x, lost = solve(scheme, device, bc_right_pressure_at=at, bc_right_pressure=0)
            high, y, _ = solve(scheme, device, bc_right_pressure_at=at, bc_right_pressure=900)
            swung, z, also = solve(scheme, device, bc_right_pressure_at=at, bc_right_pressure=SWING)
            gate.at_most(f"{name}, {at}: velocity by a level of 900 Pa", largest(np.abs(high[:, :2] - plain[:, :2]).ravel()), 1e-10)
            gate.at_most(f"{name}, {at}: pressure less that level", np.abs(high[:, 2] - 900 - plain[:, 2]).max(), 1e-9)
            gate.at_most(f"{name}, {at}: velocity by a level that swings by 30 Pa", largest(np.abs(swung[:, :2] - plain[:, :2]).ravel()), 1e-10)
            gate.at_most(f"{name}, {at}: flow lost, more than without that", also - lost, 1e-8)
            gate.true(f"{name}, {at}: nodes", np.array_equal(x, y) and np.array_equal(x, z))
    develops = {"physics": "newtonian,oldroydb,giesekus", "physics_oldroydb_viscosity": 0.03, "physics_oldroydb_lambda": 0.3, "physics_giesekus_viscosity": 0.04, "physics_giesekus_lambda": 0.7, "physics_giesekus_alpha": 0.2,
                "stabiliser": "devss,split_oss", "polymer_variable": "logconf", "bc_right_polymer": "developed", "bc_left_velocity": "(1+0.5*sin(4*t))*0.15*(1-4*y^2),0"}
    for name, scheme in SCHEMES.items() if device == "cpu" else []:
        plain, swung = (solve(scheme, bc_right_pressure=p, **develops)[0] for p in (0, SWING))
        gate.at_most(f"{name}, the developed stress of what arrives: velocity by a level that swings by 30 Pa", largest(np.abs(swung[:, :2] - plain[:, :2]).ravel()), 1e-10)
    swing = dict(bc_right_pressure=SWING, bc_top_pressure=f"{SWING}+x", **TWO)
    here, x, _ = solve(BDF2, **swing)
    if device != "cpu":
        there, y, _ = solve(BDF2, device, **swing)
        gate.at_most("two outlets whose levels swing: device from host", np.abs(there - here).max() / np.abs(here).max(), 1e-10)
        return gate.finish()
    for ranks in 2, 3:
        there, y, _ = solve(BDF2, np_=ranks, **swing)
        at = {tuple(np.round(p, 9)): s for p, s in zip(y, there)}
        gate.at_most(f"two outlets whose levels swing, np {ranks}", np.abs(np.array([at[tuple(np.round(p, 9))] for p in x]) - here).max() / np.abs(here).max(), 1e-10)
    ends = {"bc_left_type": "outlet", "bc_left_pressure": 1.2, "bc_right_pressure": 1, "bc_bottom_type": "symmetry", "bc_top_type": "symmetry", "scheme_fractional_step_dt": 1e-3, "stop_steps": 1}
    words = [w for k, v in {**CHANNEL, **BDF2, **ends}.items() if k not in ("bc_left_velocity", "bc_left_ramp") for w in (f"-{k}", v)]
    found = run.rheoplex("run", *words, "-device", "cpu", out=run.folder("level"))
    state, x = found.checkpoint(), found.checkpoint("positions")
    gate.at_most("outlets of two levels, a step from rest: pressure falls evenly", np.abs(state[:, 2] - (1.2 - 0.1 * x[:, 0])).max(), 1e-7)
    first = found.file("_checkpoint.h5")
    words += ["-bc_left_pressure", 3, "-stop_steps", 2, "-case_restart", first]
    again = run.rheoplex("run", *words, "-device", "cpu", out=run.folder("level"))
    gate.at_most("then one of them other: pressure falls evenly", largest(np.abs(again.checkpoint()[:, 2] - (3 - x[:, 0])).ravel()), 1e-3)
    gate.at_most("the flow is what that drives", np.abs(state[:, :2] - [1e-3 * 0.1 / 3, 0]).max() / (1e-3 * 0.1 / 3), 1e-3)
    words = [w for k, v in {**CHANNEL, **BDF2, "stop_time": 0.01, "bc_right_pressure": 900}.items() for w in (f"-{k}", v)]
    for p, more in (900, ()), ("900+x-x", ()), (0, ()), ("0.6*(0.23-x)", ("-mesh_box_upper", "0.23,0.5", "-bc_right_pressure", 0)), ("y", ("-bc_right_pressure", 0)):
        warned = "-initial_pressure: got a mean" in run.rheoplex("run", *words, "-initial_pressure", p, *more, out=run.folder("level")).stderr
        gate.true(f"-initial_pressure {p} beside {(*more, 900)[-1]} Pa: {'' if warned else 'no '}warning", warned == (p == 0))
    plain, _, _ = solve(BDF2, bc_right_pressure_at="traction", bc_right_pressure=0)
    high, _, _ = solve(BDF2, bc_right_pressure_at="traction", bc_right_traction="-900,0")
    gate.at_most("velocity by a traction of -900 Pa", largest(np.abs(high[:, :2] - plain[:, :2]).ravel()), 1e-10)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
