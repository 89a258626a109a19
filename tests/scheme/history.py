"""What a step of bdf2 knows of the steps before, with implicit transport of two modes, rho 3; history.py <check> [cuda]
  asked: diagnostics between steps change nothing
  halved: a step whose first attempt fails is the step of half of dt
  bare: a restart without the rate, or without that of modes, is of second order
  driven: a mean velocity is kept by steps that grow by half, of one that is cut too, and from the fourth step on where it starts at once
  rest: a run to rest goes on while a mean velocity or a ramp has just begun
  followed: a pressure that follows the flux is that of the step's own length"""
import shutil
import sys

import h5py
import numpy as np
import run
from gate import Gate, largest

LID = {"physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.02, "physics_oldroydb_modes": 2, "physics_oldroydb_viscosity": "2,1", "physics_oldroydb_lambda": "0.8,0.3", "form_density": 3,
       "mesh_box_faces": "8,8", "stabiliser": "devss,split_oss", "bc_left_type": "wall", "bc_right_type": "wall", "bc_bottom_type": "wall", "bc_top_type": "moving_wall",
       "bc_top_velocity": "16*x^2*(1-x)^2*sin(2*t),0", "scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_polymer": "transport",
       "scheme_fractional_step_dt": 0.04, "momentum_ksp_rtol": 1e-12, "transport_ksp_rtol": 1e-12, "pressure_ksp_rtol": 1e-12, "output_fields": "false", "case_report_every": 100}


def case(base, np_=1, **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", "-case_name", "history", *words, out=run.folder("history"), np=np_)


def apart(a, b, names=("state", "rate")):
    """Of the largest of each field."""
    return largest(largest(np.abs(a.checkpoint(k) - b.checkpoint(k)).max(axis=0) / np.maximum(np.abs(b.checkpoint(k)).max(axis=0), 1e-3)) for k in names)


def numbers(result):
    return result.checkpoint("handed/numbers")


def asked(gate):
    for ranks in (1, 2):
        plain = case(LID, ranks, stop_steps=8)
        seen = case(LID, ranks, stop_steps=8, diagnostic_f_kind="forces", diagnostic_f_label="top")
        gate.at_most(f"{ranks} ranks: forces at each step, of the largest of each field", apart(seen, plain), 1e-13)
        gate.near(f"{ranks} ranks: dt before the last in the checkpoint", numbers(seen).ravel()[1], 0.04, 1e-15)


def halved(gate):
    """The iterations that half of a step needs are too few for the whole one."""
    thick = {**LID, "mesh_box_faces": "16,16", "physics_newtonian_viscosity": 0.3, "momentum_ksp_rtol": 1e-8}
    first = case(thick, stop_steps=8)
    start = {"case_restart": first.file("_checkpoint.h5"), "stop_steps": 9}
    count = lambda dt: int(case(thick, scheme_fractional_step_dt=dt, momentum_ksp_converged_reason="ascii", **start).stdout.split("iterations ")[1].split()[0])
    most = count(0.03)
    gate.at_least("iterations that half of a step saves", count(0.06) - most, 1)
    half, twice = [case(thick, scheme_fractional_step_dt=dt, momentum_ksp_max_it=most, **start) for dt in (0.03, 0.06)]
    gate.true("the step is halved", "which is halved" in twice.stdout)
    gate.at_most("and is that of half of dt, of the largest of each field", apart(twice, half), 1e-9)


def without_rate(file):
    """A copy of a checkpoint such as <case>_last_good.h5."""
    other = f"{run.folder('history')}/bare.h5"
    shutil.copy(file, other)
    with h5py.File(other, "a") as f:
        del f["rate"], f["handed"]
        f.attrs.modify("has_rate", 0)
    return other


def bare(gate):
    """Errors against the run that goes on, of a lid that never rests, long after the restart: with a wrong rate they are of first order."""
    moving = {**LID, "physics_oldroydb_modes": 1, "physics_oldroydb_viscosity": 2, "physics_oldroydb_lambda": 0.8, "bc_top_velocity": "16*x^2*(1-x)^2*cos(2*t),0", "mesh_box_faces": "6,6", "stop_time": 0.4}
    found = {"rate": [], "modes": []}
    for dt in (0.02, 0.01):
        first, whole = [case(moving, scheme_fractional_step_dt=dt, **more) for more in ({"stop_time": 0.2}, {})]
        file = first.file("_checkpoint.h5")
        for name, changes in (("rate", {"case_restart": without_rate(file)}), ("modes", {"case_restart": file, "case_restart_fields": "conformation"})):
            found[name].append(apart(case(moving, scheme_fractional_step_dt=dt, **changes), whole, ("state",)))
    for name, error in found.items():
        gate.order(f"{name} missing", (1, 2), error, 1.7)


CHANNEL = {k: v for k, v in LID.items() if not k.startswith(("bc_", "physics", "transport", "scheme_fractional_step_polymer"))} | {
    "physics": "newtonian", "physics_newtonian_viscosity": 0.3, "stabiliser": "split_oss", "bc_bottom_type": "wall", "bc_top_type": "wall", "device": (sys.argv[2:] or ["cpu"])[0]}
UNEVEN = {f"diagnostic_{name}_{key}": value for name, every in (("e", 0.101), ("f", 0.1)) for key, value in (("kind", "drive"), ("every_dt", every))}


def driven(gate):
    base = {**CHANNEL, "mesh_box_faces": "4,8", "mesh_box_periodic": "x", "form_mean_velocity": "1+0.5*sin(3*t)", "scheme_fractional_step_dt": 0.05, "stop_time": 2, "diagnostic_d_kind": "drive"}
    for ranks in (1, 2) if CHANNEL["device"] == "cpu" else (1,):
        whole = case({**base, **UNEVEN}, ranks)
        table = whole.table("_d.csv")
        late = table["t"] > 1
        gate.at_least(f"{ranks} ranks: growth of a step", largest(np.diff(table["t"])[1:] / np.diff(table["t"])[:-1]), 1.49)
        gate.at_most(f"{ranks} ranks: error of the mean velocity, m/s", largest(np.abs(table["mean_velocity"] - 1 - 0.5 * np.sin(3 * table["t"]))[late]), 0.02)
    half = case({**base, **UNEVEN, "stop_time": None}, stop_steps=43)
    rest = case({**base, **UNEVEN}, case_restart=half.file("_checkpoint.h5"))
    gate.at_most("cut after 43 steps, of the largest of each field", apart(rest, whole), 1e-10)


    with h5py.File(half.file("_checkpoint.h5"), "a") as f:
        del f.attrs["driving_drag"]
    older = case({**base, "stop_time": None}, case_restart=half.file("_checkpoint.h5"), stop_steps=60).table("_d.csv")
    gate.at_most("from a checkpoint of before, without what took the force: error of the mean velocity, m/s", largest(np.abs(older["mean_velocity"] - 1 - 0.5 * np.sin(3 * older["t"]))), 0.03)
    for integrator, changes in {"bdf2": {}, "heun": {"momentum_ksp_rtol": None, "scheme_fractional_step_dt": 0.01}}.items():
        table = case({**base, **changes, "scheme_fractional_step_integrator": integrator, "diagnostic_d_every": 1, "diagnostic_d_every_dt": 0.5, "stop_time": 1.5 + 1e-5}).table("_d.csv")
        gate.relative(f"{integrator}: a last step, s", table["t"][-1] - table["t"][-2], 1e-5, 1e-3)
        gate.near(f"{integrator}: has the force of the one before, N/m^3, of a swing of 5", table["force"][-1], table["force"][-2], 0.2)
    slit = {**CHANNEL, "mesh_box_faces": "4,8", "mesh_box_periodic": "x", "form_mean_velocity": 0.5, "scheme_fractional_step_dt": 0.01, "stop_steps": 60, "diagnostic_d_kind": "drive"}
    for integrator in ("bdf2", "heun"):
        changes = {} if integrator == "bdf2" else {"momentum_ksp_rtol": None}
        table = case({**slit, "scheme_fractional_step_integrator": integrator, **changes}).table("_d.csv")
        beside = np.abs(table["mean_velocity"] / 0.5 - 1)
        gate.at_most(f"{integrator}, at once: the mean velocity beside the given one, from the first step on", beside[0], 0.1)
        gate.at_most(f"{integrator}, at once: from the fifth step on", largest(beside[4:]), 4e-3)


def rest(gate):
    """-stop_steady_tol with steps that begin at rest; the force between walls is 12 eta U/H^2, over 1 - 1/64 by the mean of 8 cells."""
    slit = {**CHANNEL, "mesh_box_faces": "3,8", "mesh_box_periodic": "x", "form_mean_velocity": 0.5, "stop_steady_tol": 1e-4, "diagnostic_d_kind": "drive", "scheme_fractional_step_dt": None, "scheme_fractional_step_integrator": None,
            "momentum_ksp_rtol": None, "stop_time": 50}
    for scheme, more in (("auto", {}), ("lumped", {"scheme_lumped_dt": 0.002}), ("fractional_step", {"scheme_fractional_step_integrator": "ssp3", "scheme_fractional_step_dt": 0.005})):
        result = case({**slit, "scheme": scheme, **more})
        gate.true(f"{scheme}: at rest", "steady: |du/dt|" in result.stdout)
        gate.near(f"{scheme}: force, N/m^3", result.table("_d.csv")["force"][-1], 12 * 0.3 * 0.5 / (1 - 1 / 64), 2e-4)
    light = case({**slit, "scheme": "fractional_step", "form_density": 1e-4, "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": 1, "stop_time": 5})
    gate.true("a fluid without inertia, whose steps bring the mean by small parts, is not at rest", "before -stop_min_time, the end of a ramp or a mean velocity that is given" in light.stdout)
    lid = {k: v for k, v in LID.items() if not k.startswith(("scheme_", "momentum", "transport", "physics"))} | {"physics": "newtonian", "physics_newtonian_viscosity": 0.3, "scheme": "lumped", "scheme_lumped_dt": 0.005, "stabiliser": "split_oss",
           "bc_top_velocity": "1,0", "bc_top_ramp": 5, "stop_steady_tol": 1e-3, "stop_time": 50}
    ended = float(case(lid).table("_history.csv")["t"][-1])
    gate.at_least("a lid that is raised over 5 s: the end, s", ended, 5.0)
    gate.at_most("a lid that is raised over 5 s: the end, s", ended, 12.0)


def followed(gate):
    """The inlet gives the flux: p = 2 q but for the change of its slope, while the last step is 3/4 of the one before, or half as long again."""
    base = {**CHANNEL, "mesh_box_faces": "6,6", "bc_left_type": "inlet", "bc_left_velocity": "6*y*(1-y)*(1+0.5*sin(3*t)),0", "bc_right_type": "resistance", "bc_right_pressure_by_flux": "2*q",
            "initial_velocity": "6*y*(1-y),0", "scheme_fractional_step_dt": 0.02}
    for name, changes in {"shorter": {"stop_time": 0.37, "stop_steps": 18}, "longer": {"stop_steps": 17, "diagnostic_e_kind": "pressure_difference", "diagnostic_e_label": "left,right", "diagnostic_e_every_dt": 0.31}}.items():
        result = case(base, **changes)
        steps = result.table("_history.csv")["dt"][-2:]
        gate.near(f"{name}: dt over that before", steps[1] / steps[0], 0.75 if name == "shorter" else 4 / 3, 1e-9)
        with h5py.File(result.file("_checkpoint.h5")) as f:
            pressure, flux = f.attrs["condition_right_resistance"][:2]
        gate.near(f"{name}: pressure less that of the flux, Pa", pressure - 2 * flux, 0, 3e-3)


def main():
    gate = Gate("_".join(["scheme_history", *sys.argv[1:]]))
    globals()[sys.argv[1]](gate)
    return gate.finish()


sys.exit(main())
