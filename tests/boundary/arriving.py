"""Outlets of the developed stress of the flux that arrives in schemes that solve for it by Newton's method. arriving.py
  jacobian <program boundary_arriving>  products with the Jacobian against differences of the residual, in the plane and in space, ranks
  plane         a channel of each law: the state is that of an outlet which is given the rate, on any number of ranks; at rest in time
  branch        two such outlets and an uneven inlet: that of outlets which are given what flows through them
  space         the same in a duct, and in a tube
  time          monolithic: of second order in dt, the same after a restart, which knows the flux
  continuation  by value and by arc length: the states that are found one by one
  followers     behind them a Windkessel or a resistance: a straight channel, a branch at rest and in time, ranks, restarts
  linearised <np>  spectra and sensitivities: of a channel those of an outlet which is given the rate; of two outlets as a run decays, and by differences of runs
  cuda          states on the emulated device are those of the host"""
import math
import os
import re
import subprocess
import sys

import h5py
import mshwrite
import numpy as np
import run
from gate import Gate, largest

LAWS = {"physics": "newtonian,oldroydb,giesekus", "physics_newtonian_viscosity": 0.3, "physics_oldroydb_viscosity": 0.5, "physics_oldroydb_lambda": 0.4, "physics_giesekus_viscosity": 0.39,
        "physics_giesekus_lambda": 1.3, "physics_giesekus_alpha": 0.2}
OLDROYD = {"physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.3, "physics_oldroydb_modes": 2, "physics_oldroydb_viscosity": "0.5,0.3", "physics_oldroydb_lambda": "0.4,0.9"}
PTT = {"physics": "newtonian,ptt", "physics_newtonian_viscosity": 0.3, "physics_ptt_modes": 2, "physics_ptt_viscosity": "0.5,0.3", "physics_ptt_lambda": "0.4,0.9", "physics_ptt_epsilon": "0.25,0.1"}
GIESEKUS = {"physics": "newtonian,giesekus", "physics_newtonian_viscosity": 0.3, "physics_giesekus_modes": 2, "physics_giesekus_viscosity": "0.5,0.3", "physics_giesekus_lambda": "0.4,0.9",
            "physics_giesekus_alpha": "0.2,0.1"}
FLOW = {"case_name": "arriving", "mesh_box_upper": "3,1.4", "mesh_box_faces": "9,6", "mesh_box_cell": "mixed", "mesh_box_jitter": 0.1, "form_density": 3, "polymer_variable": "logconf",
        "stabiliser": "devss,split_oss", "bc_left_type": "inlet", "bc_left_profile": "developed", "bc_left_flow_rate": 0.8, "bc_right_type": "outlet", "bc_right_polymer": "developed",
        "bc_bottom_type": "wall", "bc_top_type": "wall", "output_fields": "false", "scheme": "steady"}
GIVEN = {"bc_right_flow_rate": 0.8, "bc_right_pressure_at": "traction"}
# In at the top, more of it on the left, out to both sides.
TEE = {"mesh_box_upper": "4,1.4", "mesh_box_faces": "12,5", "bc_top_type": "inlet", "bc_top_velocity": "0,-0.1*x*(4-x)*(1+0.2*x)", "bc_left_type": "outlet", "bc_left_polymer": "developed",
       "bc_left_profile": None, "bc_left_flow_rate": None}
FOLLOWERS = {"bc_left_type": "windkessel", "bc_left_proximal": 0.6, "bc_left_distal": 3, "bc_left_compliance": 0.7, "bc_left_distal_pressure": 0.3, "bc_right_type": "resistance",
             "bc_right_pressure_by_flux": "0.3+0.7*q+0.2*q*q"}
DUCT = {"mesh_box_upper": "2,1,1.4", "mesh_box_faces": "2,3,3", "mesh_box_cell": "hexahedron", "mesh_box_jitter": 0, "bc_front_type": "wall", "bc_back_type": "symmetry"}
TUBE = {"form_axisymmetric": "true", "bc_bottom_type": "symmetry", "mesh_box_upper": "3,0.7", "mesh_box_cell": "triangle"}
EXACT = {"snes_rtol": 1e-12, "ksp_rtol": 1e-8}
STEPS = {"scheme": "monolithic", "scheme_monolithic_dt": 0.1, "snes_rtol": 1e-11, "stop_time": None, "bc_left_ramp": 2}


def words_of(*parts):
    words = {key: value for part in parts for key, value in part.items()}
    return [str(w) for key, value in words.items() if value is not None for w in (f"-{key}", value)]


def case(*parts, device="cpu", np_=1, expect=0, verb="run"):
    return run.rheoplex(verb, *words_of(FLOW, {"device": device}, *parts), out=run.folder("arriving"), np=np_, expect=expect, timeout=300)


def apart(a, b):
    """Largest difference of the states of two runs, over the largest value of b's."""
    a, b = a.checkpoint(), b.checkpoint()
    return float(np.abs(a - b).max() / np.abs(b).max())


def flux(result, label="right", kind="outlet"):
    with h5py.File(result.file("_checkpoint.h5")) as f:
        return float(f.attrs[f"condition_{label}_{kind}"][0 if kind == "outlet" else 1])


def tilted():
    """A channel turned by 30 degrees, a plane of symmetry its top."""
    c, s = math.cos(math.pi / 6), 0.5
    mesh = mshwrite.channel(f"{run.folder('arriving')}/tilted.msh", 8, 5, lambda i, j: (c * 0.3 * i - s * 0.14 * j, s * 0.3 * i + c * 0.14 * j))
    return {**{key: None for key in FLOW if key.startswith("mesh_box")}, "mesh_file": mesh, "bc_top_type": "symmetry"}


def jacobian(gate, program):
    for name, changes, np_ in (("mixed, log c", LAWS, 1), ("PTT, np 2", PTT, 2), ("two outlets, stress", {**OLDROYD, **TEE, "polymer_variable": "stress", "bc_top_velocity": "0,-0.1*x*(4-x)"}, 1),
                               ("a Windkessel and a resistance, np 2", {**PTT, **TEE, **FOLLOWERS}, 2), ("tube, stress", {**LAWS, **TUBE, "polymer_variable": "stress"}, 1), ("duct, np 2", {**LAWS, **DUCT, "polymer_variable": "stress"}, 2),
                               ("plane of symmetry oblique to the axes", {**LAWS, **tilted()}, 1)):
        command = [program, *words_of(FLOW, {"device": "cpu"}, changes), "-output_folder", run.folder("arriving"), "-malloc_dump"]
        done = subprocess.run(([os.environ["RHEOPLEX_MPIEXEC"], "-n", str(np_)] if np_ > 1 else []) + command, capture_output=True, text=True, timeout=300)
        print("\n".join(x for x in (done.stdout + done.stderr).splitlines() if re.match(r"the Jacobian", x) or done.returncode))
        gate.true(f"{name}: products", done.returncode == 0 and "[0]" not in done.stdout + done.stderr)


def same_as_given(gate, name, *changes, rate=0.8, given=None, bound=1e-8):
    found = case(EXACT, *changes)
    other = case(EXACT, *changes, given or GIVEN)
    gate.at_most(f"{name}: state, from that of the rate given", apart(found, other), bound)
    gate.relative(f"{name}: flux", flux(found), rate, 1e-9)
    return found


def plane(gate):
    for name, law in (("Oldroyd-B", OLDROYD), ("PTT", PTT), ("Giesekus", GIESEKUS)):
        found = same_as_given(gate, name, law)
    for np_ in (2, 3):
        gate.at_most(f"np {np_}: state", apart(case(EXACT, GIESEKUS, np_=np_), found), 1e-10)
    step = case(GIESEKUS, STEPS, {"bc_left_ramp": None, "scheme_monolithic_dt": 0.5, "stop_steps": 2, "case_restart": found.file("_checkpoint.h5")})
    gate.at_most("monolithic: change in a step from there", apart(step, found), 1e-9)
    lumped = {**GIESEKUS, "stabiliser_split_oss_projection_corrections": 2, "mesh_box_faces": "6,4", "mesh_box_cell": "quadrilateral"}
    rest = case(lumped, {"scheme": "lumped", "scheme_lumped_cfl": 0.8, "pressure_ksp_rtol": 1e-13, "stop_steady_tol": 1e-10, "stop_time": 400})
    gate.at_most("lumped projections: state, from that of lumped at rest", apart(case(EXACT, lumped, {"scheme_steady_projection": "lumped"}), rest), 5e-9)


def branch(gate):
    for name, law in (("Oldroyd-B", OLDROYD), ("PTT", PTT), ("Giesekus", GIESEKUS)):
        found = case(EXACT, TEE, law)
        through = {f"bc_{label}_{key}": value for label in ("left", "right") for key, value in (("flow_rate", repr(flux(found, label))), ("pressure_at", "traction"))}
        gate.at_most(f"{name}: state, from that of the rates given", apart(found, case(EXACT, TEE, law, through)), 1e-8)
        gate.at_least(f"{name}: difference of the fluxes", abs(flux(found, "left") - flux(found, "right")), 0.01)
    for np_ in (2, 3):
        gate.at_most(f"np {np_}: state", apart(case(EXACT, TEE, GIESEKUS, np_=np_), found), 1e-10)


def space(gate):
    found = same_as_given(gate, "duct", LAWS, DUCT)
    same_as_given(gate, "duct, tetrahedra", PTT, DUCT, {"mesh_box_cell": "tetrahedron"})
    same_as_given(gate, "tube", LAWS, TUBE)
    gate.at_most("np 3: state", apart(case(EXACT, LAWS, DUCT, np_=3), found), 1e-10)


def time(gate):
    def end(steps, *more, np_=1):
        return case(LAWS, STEPS, {"stop_steps": steps, "scheme_monolithic_dt": repr(0.8 / steps)}, *more, np_=np_)
    states = [end(steps) for steps in (8, 16, 32)]
    gate.at_least("order in dt", math.log2(apart(states[0], states[1]) / apart(states[1], states[2])), 1.8)
    for np_ in (2, 3):
        gate.at_most(f"np {np_}: state", apart(end(8, np_=np_), states[0]), 1e-10)
    half = end(8, {"stop_steps": 4, "scheme_monolithic_dt": 0.1})
    gate.relative("the flux of the checkpoint", flux(half), 0.8 * 0.5 * (1 - math.cos(math.pi * 0.4 / 2)), 1e-9)
    gate.at_most("restart: state", apart(end(8, {"case_restart": half.file("_checkpoint.h5")}), states[0]), 1e-12)


def straight(gate):
    """Behind a channel the resistance of one that goes on: a parabola, and the pressure of both lengths. Oldroyd-B, two modes."""
    rise, q, height, missed = 12 * (0.3 + 0.8) / 1.4**3, 0.8, 1.4, []
    for n in (8, 16):
        result = case(EXACT, OLDROYD, {"mesh_box_faces": f"{2 * n},{n}", "mesh_box_cell": "quadrilateral", "mesh_box_jitter": 0, "polymer_variable": "stress", "bc_right_type": "resistance",
                                       "bc_right_pressure_by_flux": f"0.3+{2 * rise!r}*q"})
        x, state = result.checkpoint("positions"), result.checkpoint()
        u, p = 6 * q / height**3 * x[:, 1] * (height - x[:, 1]), 0.3 + rise * q * (5 - x[:, 0])
        missed.append([float(np.abs(state[:, 0] - u).max() / u.max()), float(np.abs(state[:, 2] - p).max() / p.max())])
        gate.relative(f"straight channel, {n} cells: pressure at the outlet, mean", float(state[x[:, 0] > 3 - 1e-9, 2].mean()), 0.3 + 2 * rise * q, (3e-3, 1e-3)[n > 8])
    for name, errors, bound in zip(("velocity", "pressure"), zip(*missed), (0.005, 0.004)):
        gate.at_most(f"straight channel, 16 cells: {name}, of the largest", errors[1], bound)
        gate.at_least(f"straight channel: order of the {name}", math.log2(errors[0] / errors[1]), 1.4)


def followers(gate):
    straight(gate)
    branch = {**TEE, **FOLLOWERS}
    rest = case(EXACT, branch, OLDROYD)
    through = {f"bc_{label}_flow_rate": repr(flux(rest, label, kind)) for label, kind in (("left", "windkessel"), ("right", "resistance"))}
    gate.at_most("at rest: state, from that of the rates given", apart(rest, case(EXACT, branch, OLDROYD, through)), 1e-8)
    gate.at_least("at rest: from that of no stress", apart(case(EXACT, branch, OLDROYD, {"bc_left_polymer": "zero", "bc_right_polymer": "zero", "bc_left_pressure_at": "traction", "bc_right_pressure_at": "traction"}), rest), 1e-2)
    lumped = {"stabiliser_split_oss_projection_corrections": 2, "mesh_box_faces": "8,4"}
    state = case(EXACT, branch, OLDROYD, lumped, {"scheme_steady_projection": "lumped"})
    for scheme, more in (("lumped", {}), ("fractional_step", {"scheme_fractional_step_integrator": "ssp3"})):
        explicit = case(branch, OLDROYD, lumped, more, {"scheme": scheme, f"scheme_{scheme}_cfl": 0.8, "pressure_ksp_rtol": 1e-13, "stop_steady_tol": 1e-8, "stop_time": 400})
        gate.at_most(f"{scheme} at rest: state, from that of steady", apart(explicit, state), 5e-8)
    ramped = {**branch, **OLDROYD, **STEPS, "bc_left_ramp": None, "bc_top_ramp": 2}
    end = lambda steps, *more, np_=1: case(ramped, {"stop_steps": steps, "scheme_monolithic_dt": repr(0.8 / steps)}, *more, np_=np_)
    states = [end(steps) for steps in (8, 16, 32)]
    gate.at_least("monolithic: order in dt", math.log2(apart(states[0], states[1]) / apart(states[1], states[2])), 1.8)
    half = end(8, {"stop_steps": 4, "scheme_monolithic_dt": 0.1}).file("_checkpoint.h5")
    gate.at_most("monolithic, restart: state", apart(end(8, {"case_restart": half}), states[0]), 1e-12)
    steps = {**branch, **OLDROYD, "scheme": "fractional_step", "scheme_fractional_step_integrator": "ssp3", "scheme_fractional_step_dt": 0.002, "pressure_ksp_rtol": 1e-13, "bc_top_ramp": 0.1}
    whole, half = (case(steps, {"stop_steps": n}) for n in (40, 20))
    gate.at_most("ssp3, restart: state", apart(case(steps, {"stop_steps": 40, "case_restart": half.file("_checkpoint.h5")}), whole), 1e-12)
    for np_ in (2, 3):
        gate.at_most(f"monolithic, np {np_}: state", apart(end(8, np_=np_), states[0]), 1e-10)
        gate.at_most(f"ssp3, np {np_}: state", apart(case(steps, {"stop_steps": 40}, np_=np_), whole), 1e-10)


def continuation(gate):
    last = case(EXACT, LAWS, {"physics_oldroydb_lambda": 0.7})
    for kind in ("value", "arclength"):
        found = case(EXACT, LAWS, {"scheme_steady_continuation": "physics_oldroydb_lambda=0.1:0.3:0.7", "scheme_steady_continuation_type": kind})
        gate.at_most(f"by {kind}: last state", apart(found, last), 1e-9)
    more = case(EXACT, LAWS, {"scheme_steady_continuation": "form_density=1:1:3", "bc_left_flow_rate": 2, "physics_oldroydb_lambda": 0.7, "case_restart": last.file("_checkpoint.h5")})
    gate.relative("another flow rate after a restart: flux", flux(more), 2, 1e-9)


NAMES = {"diagnostic_drag_kind": "forces", "diagnostic_drag_label": "bottom,right", "diagnostic_through_kind": "flux", "diagnostic_through_label": "right"}
ONE_MODE = {"physics": "newtonian,ptt", "physics_newtonian_viscosity": 0.3, "physics_ptt_viscosity": 0.8, "physics_ptt_lambda": 0.9, "physics_ptt_epsilon": 0.25, "polymer_variable": "stress"}


def modes(*parts, **more):
    t = case(EXACT, *parts, verb="eigen", **more).table("_spectrum.csv")
    return np.array(t["growth_rate"], float) + 1j * np.array(t["angular_frequency"], float), t


def derivatives(by, *parts, method, **more):
    asked = {**NAMES, "sensitivity": ",".join(f"{d}:{p}" for d in ("drag", "through") for p in by), "sensitivity_method": method}
    return {(r["diagnostic"], r["column"], r["parameter"]): float(r["derivative"]) for r in case(EXACT, asked, *parts, **more).texts("_sensitivity.csv")}


def differ(a, b):
    """Largest difference of derivatives over the largest by the same parameter."""
    size = {p: largest(abs(v) for (_, _, of), v in b.items() if of == p) for _, _, p in b}
    return largest(abs(a[at] - b[at]) / size[at[2]] for at in b) if a.keys() == b.keys() else math.inf


def decays(gate):
    """A run from the state of another inlet: late differences of the flux fall as the slowest mode, which of rates that are given is 3 % faster."""
    short = {**ONE_MODE, "physics_ptt_lambda": 0.1}
    value = modes(short, TEE, {"eigen_number": 1, "eigen_shifts": "0"})[0][0]
    start = case(EXACT, short, TEE, {"bc_top_velocity": "0,-0.1*x*(4-x)*(1+0.23*x)"}).file("_checkpoint.h5")
    t = case(short, TEE, STEPS, NAMES, {"bc_left_ramp": None, "case_restart": start, "stop_time": 2.6, "scheme_monolithic_dt": 0.02}).table("_through.csv")
    a, b, c = (t["right_flux"][abs(t["t"] - at).argmin()] for at in (1.8, 2.2, 2.6))
    gate.relative("growth rate of a run", math.log((c - b) / (b - a)) / 0.4, value.real, 0.003)


def linearised(gate, ranks):
    near, np_, by = {"eigen_number": 3, "eigen_shifts": "0,-1+1i", "eigen_adjoint": "true"}, int(ranks), [p for p in ONE_MODE if re.match("physics_[a-z]+_", p)]
    found, given = modes(ONE_MODE, near, np_=np_)[0], modes(ONE_MODE, near, GIVEN)[0]
    gate.at_most("channel: modes, from those of the rate given", largest(abs(found - given) / abs(given)), 1e-8)
    found, given = derivatives(by, ONE_MODE, method="adjoint", np_=np_), derivatives(by, ONE_MODE, GIVEN, method="forward")
    gate.at_most("channel: derivatives, from those of the rate given", differ(found, given), 1e-7)
    value, table = modes(ONE_MODE, TEE, near, np_=np_)
    gate.at_most("residuals of modes", largest(table["residual"]), 1e-8)
    gate.at_most("residuals of adjoint modes", largest(table["adjoint_residual"]), 1e-7)
    forward, adjoint = (derivatives(by, ONE_MODE, TEE, method=m, np_=np_) for m in ("forward", "adjoint"))
    gate.at_most("adjoint less forward", differ(adjoint, forward), 1e-8)
    if ranks == "1":
        decays(gate)
        for p in by:
            h = 1e-3 * ONE_MODE[p]
            low, high = (case(EXACT, ONE_MODE, TEE, NAMES, {p: ONE_MODE[p] + d}) for d in (-h, h))
            of = {at: v for at, v in adjoint.items() if at[2] == p}
            slope = {at: float(high.table(f"_{at[0]}.csv")[at[1]][-1] - low.table(f"_{at[0]}.csv")[at[1]][-1]) / (2 * h) for at in of}
            gate.at_most(f"by {p}: less central differences", differ(of, slope), 1e-5)


def cuda(gate):
    for name, changes in (("steady", EXACT), ("monolithic", {**STEPS, "bc_left_ramp": None, "bc_top_ramp": 2, "stop_steps": 4})):
        changes = {**OLDROYD, **TEE, **(FOLLOWERS if name == "monolithic" else {}), **changes}
        gate.at_most(f"{name}: states of host and device", apart(case(changes, device="cuda"), case(changes)), 1e-10)


def main():
    gate = Gate("boundary_arriving_" + sys.argv[1])
    globals()[sys.argv[1]](gate, *sys.argv[2:])
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
