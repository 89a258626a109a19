"""How far a flow that a force drives periodically is from periodic: its start decays by exp(-nu (pi/H)^2 T) a period between plates, of a fluid whose
pressure rises with a resistance by that of its tank; -stop_periodic ends the run with the first period that is near enough; on 2 and 3 ranks and after a
restart within a period the same."""
import math
import re
import sys

import numpy as np
import run
from gate import Gate, largest

RHO, ETA, H, T = 3.0, 0.6, 1.3, 1.5
PLATES = {
    "case_name": "plates", "mesh_box_upper": "0.5,1.3", "mesh_box_faces": "3,20", "mesh_box_periodic": "x", "bc_bottom_type": "wall", "bc_top_type": "wall", "physics": "newtonian",
    "physics_newtonian_viscosity": ETA, "form_density": RHO, "form_body_force": f"sin(2*pi*t/{T}),0", "stabiliser": "split_oss", "scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2",
    "scheme_fractional_step_dt": 0.01, "stop_time": 7 * T, "output_fields": "false", "diagnostic_cycle_kind": "periodicity", "diagnostic_cycle_every_dt": T, "case_velocity": 1, "case_length": H,
}
POLYMER = {"physics": "newtonian,oldroydb", "physics_oldroydb_viscosity": 0.4, "physics_oldroydb_lambda": 0.05, "physics_newtonian_viscosity": 1.2, "stabiliser": "devss,split_oss", "scheme_fractional_step_integrator": "ssp3", "scheme_fractional_step_dt": 0.01}


def case(base=PLATES, np_=1, expect=0, **changes):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, "-device", "cpu", out=run.folder("periodicity"), np=np_, expect=expect)


def rows(result):
    return result.table("_cycle.csv")


def apart(a, b):
    return largest(float(np.abs(a[k] - b[k])[2:].max()) for k in a)


def decay(gate):
    """The slowest mode of the start is the first of the plates: what is left of it falls by one factor a period."""
    result = case()
    table, factor = rows(result), math.exp(-ETA / RHO * (math.pi / H) ** 2 * T)
    gate.true("a row a period, the first without one before", np.allclose(table["t"], T * np.arange(1, 8)) and list(table["period"]) == list(range(1, 8)) and math.isnan(table["velocity"][0]))
    for k in (3, 4):
        gate.relative(f"velocity, period {k + 1} over {k}: decay between plates", table["velocity"][k] / table["velocity"][k - 1], factor, 0.01)
        gate.relative(f"what is left of it in period {k + 1}, by that factor", table["left"][k] / table["velocity"][k], factor / (1 - factor), 0.02)
    gate.at_most("pressure, of which there is none", float(table["pressure"][1:].max()), 1e-10)
    step = case(stop_time=None, stop_periodic="cycle:1e-3")
    ended = rows(step)
    first = 1 + int(np.argmax(table["velocity"] <= 1e-3))
    gate.true(f"stop: {ended['period'][-1]:.0f} periods of {first}", ended["period"][-1] == first and f"periodic in period {first}: -stop_periodic cycle:1e-3" in step.stdout)
    gate.near("stop: at its end", step.table("_history.csv")["t"][-1], first * T, 1e-9)
    early = case(stop_periodic="cycle:1e-3", stop_time=2.5 * T)
    gate.true("a run that ends before says so", "the final time is reached, not periodic: " in early.stdout and "-stop_periodic cycle:1e-3" in early.stdout)
    waits = case(stop_periodic="cycle:1e-2", stop_min_time=20 * T)
    gate.true("a run that ends before -stop_min_time says so", "before -stop_min_time, the end of a ramp or a mean velocity that is given: from period to period" in waits.stdout)
    later = case(stop_time=None, stop_periodic="cycle:1e-3", stop_min_time=(first + 0.5) * T)
    gate.near("stop: not before -stop_min_time", later.table("_history.csv")["t"][-1], (first + 1) * T, 1e-9)


def level(gate):
    """A tank empties through a resistance while flow pulsates: its pressure comes to its own period by exp(-T/(R_d C)), velocities do at once."""
    tank = {"mesh_box_periodic": None, "mesh_box_faces": "4,8", "form_body_force": None, "bc_left_type": "inlet", "bc_left_profile": "parabolic", "bc_left_flow_rate": f"0.4*(1-cos(2*pi*t/{T}))", "bc_right_type": "windkessel",
            "bc_right_proximal": 2, "bc_right_distal": 30, "bc_right_compliance": 0.07, "bc_right_distal_pressure": 0, "physics_newtonian_viscosity": 3, "stop_time": 6 * T}
    table = rows(case(**tank))
    for k in (4, 5):
        gate.relative(f"pressure, period {k + 1} over {k}: decay of the tank", table["pressure"][k] / table["pressure"][k - 1], math.exp(-T / (30 * 0.07)), 0.04)
    gate.at_most("velocity is periodic before", float(table["velocity"][3] / table["pressure"][3]), 0.02)


def same(gate):
    """Ranks and a restart, with a polymer and short periods."""
    short = {**PLATES, **POLYMER, "mesh_box_faces": "3,8", "form_body_force": "sin(2*pi*t/0.2),0", "diagnostic_cycle_every_dt": 0.2, "stop_time": None, "stop_periodic": "cycle:0.35"}
    whole = case(short)
    table = rows(whole)
    gate.true("a column of the polymer", set(table) == {"step", "t", "period", "velocity", "pressure", "polymer", "left"} and table["period"][-1] >= 3)
    for np_ in (2, 3):
        gate.at_most(f"np {np_}", apart(rows(case(short, np_)), table), 1e-10)
    half = case(short, stop_periodic=None, stop_steps=int(table["step"][-2]) + 7)
    gate.true("a run that ends within a period: nothing is said of it", math.isnan(rows(half)["velocity"][-1]))
    rest = case(short, np_=2, case_restart=half.file("_checkpoint.h5"))
    gate.near("restarted there it is periodic at the same step", rest.table("_history.csv")["step"][-1], table["step"][-1], 0)
    gate.at_most("and by as much", abs(rows(rest)["velocity"][-1] / table["velocity"][-1] - 1), 1e-10)
    other = case(short, case_restart=half.file("_checkpoint.h5"), diagnostic_cycle_every_dt=0.4, stop_time=1.3)
    gate.true("of another period it begins anew", "begins anew" in other.stdout and 2 in rows(other)["period"] and 3 not in rows(other)["period"])


def fields(gate):
    """A mode that hardly stresses and relaxes slowly is held against its own size, not that of the others."""
    two = {**PLATES, **POLYMER, "mesh_box_faces": "3,8", "form_body_force": "sin(2*pi*t/0.2),0", "diagnostic_cycle_every_dt": 0.2, "physics": "newtonian,oldroydb,giesekus", "physics_giesekus_lambda": 2,
           "physics_giesekus_alpha": 0.1, "polymer_variable": "stress", "physics_giesekus_viscosity": 1e-6, "stop_time": 3}
    much, less = (rows(case(two, physics_giesekus_viscosity=size))["polymer"][-1] for size in (1e-6, 1e-9))
    gate.relative("polymer, a slow mode of a thousandth of the viscosity", less, much, 1e-3)
    gate.at_least("polymer: as far from periodic as the slow mode", much, 0.01)


def swinging(gate):
    """Between cylinders of which one swings the flow along the axis and across is what the mesh makes of the centrifugal force: it is held against u_theta."""
    cylinders = {**{k: v for k, v in PLATES.items() if k not in ("form_body_force", "bc_top_type")}, "mesh_box_lower": "0,0.4", "mesh_box_upper": "0.3,0.8", "mesh_box_faces": "3,8", "form_axisymmetric": "true", "physics": "newtonian,swirling", "physics_newtonian_viscosity": 0.2,
                 "bc_top_type": "rotating_wall", "bc_top_angular_velocity": f"sin(2*pi*t/{T})", "stop_time": 3 * T}
    table = rows(case(cylinders))
    gate.at_most("velocity, beside the change of u_theta", float(table["velocity"][1] / table["scalars"][1]), 0.05)
    gate.at_least("u_theta is not periodic yet", float(table["scalars"][1]), 1e-5)


def refused(gate):
    for changes, words in (({"diagnostic_cycle_every_dt": None}, ("-diagnostic_cycle_kind periodicity", "no period", "-diagnostic_cycle_every_dt")),
                           ({"diagnostic_cycle_every": 3}, ("-diagnostic_cycle_kind periodicity", "rows by steps too")),
                           ({"stop_periodic": "cycle"}, ("-stop_periodic: got 'cycle'", "cycle:1e-3")),
                           ({"stop_periodic": "cycle:0"}, ("-stop_periodic: got 'cycle:0'",)),
                           ({"stop_periodic": "cycle:nan"}, ("-stop_periodic: got 'cycle:nan'",)),
                           ({"stop_periodic": "other:1e-3"}, ("-stop_periodic: got 'other'", "kind periodicity")),
                           ({"stop_periodic": "e:1e-3", "diagnostic_e_kind": "energy"}, ("-stop_periodic: got 'e'", "kind periodicity"))):
        gate.refused(case(expect=None, **changes), words)


def doubts(gate):
    """Rows whose spline swings, periods of diagnostics that are not theirs, parts of a period that do not divide it; the fastest flow of whole periods."""
    folder = run.folder("periodicity")
    smooth = [(0.05 * k, 3e-6 * (1.5 - math.cos(2 * math.pi * k / 20))) for k in range(21)]
    peak = [(0.02 * k, 1e-6 + 9e-6 * math.exp(-((0.02 * k - 0.5) ** 2) / 5e-4)) for k in range(51)]
    for name, rows_ in (("smooth", smooth), ("peak", peak), ("sharp", [(0, 3e-6), (0.1, 3e-6), (0.15, 1e-5), (0.2, 3e-6), (1, 3e-6)])):
        with open(f"{folder}/{name}.csv", "w") as f:
            f.write("".join(f"{t:.17g},{q:.17g}\n" for t, q in rows_))
    tube = {**{k: v for k, v in PLATES.items() if k not in ("form_body_force", "mesh_box_periodic")}, "mesh_box_faces": "4,8", "bc_left_type": "inlet", "bc_left_profile": "parabolic", "bc_right_type": "outlet",
            "bc_left_flow_rate": f"{folder}/smooth.csv", "diagnostic_cycle_every_dt": 2, "diagnostic_shear_kind": "wall_average", "diagnostic_shear_label": "bottom", "diagnostic_shear_period": 1, "stop_time": None,
            "stop_steps": 1}
    said = lambda **changes: case(tube, **changes).stderr
    gate.true("rows and periods that fit: no doubt", not re.search("whole (number|part)|spline", said() + said(diagnostic_shear_every_dt=0.25)))
    gate.true("rows whose spline swings", "got rows from 3e-06 to 1e-05, the cubic spline through which goes from -1.8" in said(bc_left_flow_rate=f"{folder}/sharp.csv"))
    for name, value in (("diagnostic_cycle_every_dt", 1.5), ("diagnostic_cycle_every_dt", 0.5), ("diagnostic_shear_period", 0.8)):
        gate.true(f"-{name} {value}", f"-{name}: got {value} s, expected a whole number of 1 s, the period of -bc_left_flow_rate" in said(**{name: value}))
    driven = case(PLATES, form_body_force=None, form_mean_velocity=f"{folder}/smooth.csv", stop_time=None, stop_steps=1, stop_periodic="cycle:1e-3")
    gate.true("a mean velocity's rows", f"-diagnostic_cycle_every_dt: got {T} s, expected a whole number of 1 s, the period of -form_mean_velocity" in driven.stderr)
    gate.true("fewer than three periods", "not periodic: fewer than three periods have ended (-stop_periodic cycle:1e-3)" in driven.stdout)
    gate.refused(case(tube, expect=None, diagnostic_shear_every_dt=0.3), ("-diagnostic_shear_every_dt: got 0.3 s, expected a whole part of the 1 s of -diagnostic_shear_period",))
    for flow, most in ((f"{folder}/smooth.csv", 7.5e-6), (f"{folder}/peak.csv", 1e-5), ("3e-6*(1.5-cos(2*pi*t))", 7.5e-6)):
        for end in (1, 3, 7, 8, 16):
            words = [w for key, value in {**tube, "bc_left_flow_rate": flow, "stop_steps": None, "stop_time": end}.items() if value is not None for w in (f"-{key}", value)]
            found = re.search(r"fastest velocity that is given, \(([0-9.e-]+), 0\) m/s", run.rheoplex("check", *words, out=folder).stdout)
            gate.relative(f"{flow.split('/')[-1]}, {end} s: fastest", float(found[1]), 1.5 * most / H, 0.03)


def main():
    gate = Gate("diagnostics_periodicity")
    decay(gate)
    level(gate)
    same(gate)
    fields(gate)
    swinging(gate)
    refused(gate)
    doubts(gate)
    return gate.finish()


sys.exit(main())
