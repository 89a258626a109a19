"""-ts_type arkimex in scheme `monolithic`: implicit stages, the last of which is the step's end. Density 3, two modes or none. sdirk.py
  order <type> <flow>  order in dt alone of velocity, pressure, stress and force against bdf of order 3: channel (two modes, the inlet pulsates), cavity (Newtonian, closed,
                       the lid moves), driven (two modes, a mean velocity that pulsates), windkessel (Newtonian, the outlet's pressure follows its flux), pressure (Newtonian, one that
                       pulsates drives the flow; type bdf2 too)
  embedded             local errors of both embedded formulas in dt; steps by their error
  same                 ranks and restarts
  failed               steps that are tried again
  jump                 order behind a jump, with inertia
  refused              types and options that do not go with it
  device               is the host (the emulated one)"""
import re
import sys

import numpy as np
import run
from gate import Gate, largest

TYPES = {"sdirk2": 2, "sdirk3": 3}
BASE = {"case_name": "sdirk", "form_density": 3, "scheme": "monolithic", "device": "cpu", "output_fields": "false", "mesh_box_jitter": 0.1, "snes_rtol": 1e-12, "ksp_rtol": 1e-8}
ADAPTIVE = {"ts_adapt_type": "basic", "ts_rtol": 1e-3, "ts_atol": 1e-3}
NEWTONIAN = {"physics": "newtonian", "physics_newtonian_viscosity": 0.4, "stabiliser": "split_oss"}
MODES = {"physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.5, "physics_oldroydb_modes": 2, "physics_oldroydb_viscosity": "0.4,0.3", "physics_oldroydb_lambda": "0.4,1.1",
         "polymer_variable": "stress", "stabiliser": "devss,split_oss", "stabiliser_devss_theta": 0.6}
WALLS = {"bc_top_type": "wall", "bc_bottom_type": "wall"}
CHANNEL = {"mesh_box_faces": "6,4", "mesh_box_lower": "0,-1", "mesh_box_upper": "2,1", **WALLS, "bc_left_type": "inlet", "bc_left_velocity": "(1-y^4+0.2*sin(3*y)*(1-y^2))*sin(1.3*t)^2,0", "bc_right_type": "outlet"}
POLYMER = {"bc_left_polymer": "rest", "bc_right_polymer": "zero"}
FLOWS = {"channel": {**CHANNEL, **MODES, **POLYMER, "bc_right_form": "gradient"},
         "cavity": {"mesh_box_faces": "6,6", **NEWTONIAN, **WALLS, "bc_left_type": "wall", "bc_right_type": "wall", "bc_top_type": "moving_wall", "bc_top_velocity": "16*x^2*(1-x)^2*sin(2*t)^2,0"},
         "driven": {"mesh_box_faces": "4,6", "mesh_box_periodic": "x", **MODES, **WALLS, "form_mean_velocity": "sin(1.3*t)^2", "diagnostic_d_kind": "drive"},
         "windkessel": {**CHANNEL, **NEWTONIAN, "bc_right_type": "windkessel", "bc_right_proximal": 0.6, "bc_right_distal": 3, "bc_right_compliance": 0.2},
         "pressure": {**CHANNEL, **NEWTONIAN, "bc_left_type": "outlet", "bc_left_velocity": None, "bc_left_pressure": "6*sin(2*t)^2"}}


def case(flow, kind, end=0.8, n=None, np_=1, expect=0, **changes):
    integrator = {"ts_type": "bdf", "ts_bdf_order": 2 if kind == "bdf2" else 3} if kind in ("bdf", "bdf2") else {"ts_type": kind} if kind not in TYPES else {"ts_type": "arkimex", "ts_arkimex_type": kind}
    words = {**BASE, **FLOWS.get(flow, {}), **integrator, "diagnostic_f_kind": "forces", "diagnostic_f_label": "top", "stop_time": end, "scheme_monolithic_dt": end / n if n else 0.05, **changes}
    return run.rheoplex("run", *(w for key, value in words.items() if value is not None for w in (f"-{key}", value)), out=run.folder("sdirk"), np=np_, expect=expect)


def measures(result):
    x = np.asarray(result.checkpoint())
    x = x.reshape(-1, x.shape[-1])
    force = result.table("_f.csv")
    found = {"velocity": x[:, :2], "pressure": x[:, 2], "stress": x[:, 3:], "force": np.array([force["top_x"][-1], force["top_y"][-1]])}
    try:
        found["drive"] = result.table("_d.csv")["force"][-1:]
    except run.Failure:
        pass
    return {what: a for what, a in found.items() if a.size}


def differences(a, b):
    return {what: float(abs(a[what] - b[what]).max() / abs(b[what]).max()) for what in a}


def order(gate, kind, flow):
    """Where laws follow a flux along a line between the ends of a step, the order is 2."""
    exact = measures(case(flow, "bdf", n=160))
    steps = (8, 16, 32)
    off = [differences(measures(case(flow, kind, n=n)), exact) for n in steps]
    for what in off[0]:
        for n, e in zip(steps, off):
            gate.note(f"{what}: error with {n} steps", e[what])
        gate.at_most(f"{what}: error of the finest", off[2][what], 1e-3)
        least = 1.7 if kind == "bdf2" else 1.5 if what == "pressure" and flow == "driven" else 1.85 if kind == "sdirk2" or flow == "windkessel" or what in ("pressure", "force", "drive") else 2.4
        gate.at_least(f"{what}: order in dt", float(np.log2(off[1][what] / off[2][what])), least)


def embedded(gate):
    """A local error of order p is held by steps that fall with the p-th root of the tolerance."""
    exact = measures(case("channel", "bdf", n=160))
    for kind, p in TYPES.items():
        steps, off = [], []
        for tolerance in (1e-4, 1e-4 / 3**p):
            result = case("channel", kind, n=8, ts_adapt_type="basic", ts_rtol=0, ts_atol=tolerance)
            history = result.table("_history.csv")
            steps.append(len(history["t"]))
            off.append(differences(measures(result), exact))
            gate.at_least(f"{kind}, tolerance {tolerance:.2g}: longest over shortest step", float(max(history["dt"]) / min(history["dt"])), 1.5)
        gate.at_least(f"{kind}: steps, of a tolerance 3^{p} times less", steps[1] / steps[0], 2.2)
        gate.at_most(f"{kind}: the same", steps[1] / steps[0], 3.6)
        for what in ("velocity", "stress"):
            gate.at_least(f"{kind}: error of the {what} over that of the finer one", off[0][what] / off[1][what], 4)


def same(gate):
    close = {"pc_renew_x": 60, "scheme_monolithic_pc_pressure": "fixed"}
    for kind in TYPES:
        one = measures(case("channel", kind, 0.2, scheme_monolithic_projection="lumped"))
        for n in (2, 3):
            gate.at_most(f"{kind}, {n} ranks: difference from one", largest(differences(measures(case("channel", kind, 0.2, np_=n, scheme_monolithic_projection="lumped")), one).values()), 1e-9)
        eliminated = measures(case("channel", kind, 0.2, scheme_monolithic_projection="lumped", scheme_monolithic_dirichlet="symmetric"))
        gate.at_most(f"{kind}: difference where columns of what is given are eliminated", largest(differences(eliminated, one).values()), 1e-9)
    for kind, flow, adapt in ("sdirk2", "channel", ADAPTIVE), ("sdirk2", "driven", {}), ("sdirk3", "windkessel", ADAPTIVE), ("sdirk3", "channel", {}):
        words = {**close, **adapt, "output_checkpoint_every": 2}
        whole, half = case(flow, kind, 0.4, **words), case(flow, kind, 0.4, **words, stop_steps=2)
        again = case(flow, kind, 0.4, **words, case_restart=half.file("_checkpoint.h5"))
        gate.at_most(f"{kind}, {flow}, {'steps by their error' if adapt else 'steps as given'}: difference of a run that was restarted", largest(differences(measures(again), measures(whole)).values()), 0)


def failed(gate):
    """Newton's method fails in a stage: the step is tried again, a quarter as long, with the values of its own stages."""
    exact = measures(case("channel", "bdf", n=160))
    for kind in TYPES:
        result = case("channel", kind, n=2, snes_max_it=2, snes_rtol=1e-9)
        steps, rejected = (int(x) for x in re.search(r"monolithic: (\d+) steps, (\d+) rejected", result.stdout).groups())
        gate.true(f"{kind}: {rejected} steps rejected, {steps} taken", rejected and steps > 2)
        gate.at_most(f"{kind}: error", largest(differences(measures(result), exact).values()), 0.05)


def jump(gate):
    """A lid whose velocity doubles between two steps, with inertia."""
    lid = {"bc_top_velocity": "16*x^2*(1-x)^2*(t<0.3123 ? 0.5 : 1)*(1-exp(-30*t^2)),0"}
    exact = measures(case("cavity", "sdirk3", n=256, **lid))
    off = {kind: [differences(measures(case("cavity", kind, n=n, **lid, **more)), exact) for n in (32, 64)] for kind, more in (("sdirk2", {}), ("sdirk3", {}), ("bdf", {"ts_bdf_order": 2}))}
    for what in exact:
        for kind, e in off.items():
            gate.note(f"{kind}, {what}: error with dt 0.8/64", e[1][what])
            gate.at_least(f"{kind}, {what}: order in dt", float(np.log2(e[0][what] / e[1][what])), 2.2 if kind == "sdirk3" else 1.5)
        for kind, least in ("sdirk2", 4), ("sdirk3", 40):
            gate.at_least(f"{kind}, {what}: error of bdf over it", off["bdf"][1][what] / off[kind][1][what], least)
    for kind in TYPES: # the embedded formula of a step over a jump is off by a part of it, however short the step
        free = measures(case("cavity", kind, n=16, **lid, **ADAPTIVE))
        gate.at_most(f"{kind}, steps by their error: largest error of {', '.join(exact)}", largest(differences(free, exact).values()), 2e-3)


def refused(gate):
    for words, parts in (({"ts_arkimex_type": "l2"}, ("-ts_arkimex_type: got 'l2', expected sdirk2 or sdirk3", "the last one the end of the step")),
                         ({"ts_arkimex_type": "prssp2"}, ("-ts_arkimex_type: got 'prssp2'", "values that are given")),
                         ({"ts_arkimex_fully_implicit": "false"}, ("-ts_arkimex_fully_implicit: got FALSE, expected TRUE",)),
                         ({"ts_arkimex_initial_guess_extrapolate": "true"}, ("-ts_arkimex_initial_guess_extrapolate: got TRUE, expected FALSE",)),
                         ({"ts_type": "bdf", "ts_arkimex_type": "sdirk2"}, ("-ts_arkimex_type",)),
                         ({"ts_bdf_order": 2}, ("-ts_bdf_order",))):
        gate.refused(case("cavity", "arkimex", 0.1, expect=None, **words), parts)
    gate.true("without a type it is sdirk2", not (case("cavity", "arkimex", 0.1).checkpoint() - case("cavity", "sdirk2", 0.1).checkpoint()).any())


def device(gate):
    for kind, flow, adapt in ("sdirk2", "channel", ADAPTIVE), ("sdirk3", "driven", {}):
        host, there = (measures(case(flow, kind, 0.15, device=name, **adapt)) for name in ("cpu", "cuda"))
        gate.at_most(f"{kind}, {flow}: difference of the device", largest(differences(there, host).values()), 1e-9)


if __name__ == "__main__":
    gate = Gate("_".join(["scheme_sdirk", *sys.argv[1:]]))
    globals()[sys.argv[1]](gate, *sys.argv[2:])
    sys.exit(gate.finish())
