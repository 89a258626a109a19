"""The solver does not depend on the units of a case. units.py
  steady <variable>  a melt of two modes without solvent, in SI units (mm, 1e4 Pa s) and without dimensions: states and Newton's iterations
  split      the same with a solvent, by -solver split
  steps      the same by `monolithic`: no step is rejected
  pressure   a channel that a pressure drives, axisymmetric, and one that a mean velocity is given to
  duct       a duct of 24 micrometres in 3D that a mean velocity is given to, by both schemes
  room       MUMPS's work space is enlarged where it is too small; what is told where that does not help"""
import re
import sys

import numpy as np
import run
from gate import Gate

ONE, SI, MICRO = (1.0, 1.0, 1.0), (1 / 2500, 0.01, 1e4), (24e-6, 0.01, 1e-3)  # length, velocity, viscosity


def flow(units, *more, solvent=0.0, np_=1, expect=0, variable="stress"):
    """PTT of two modes in a channel whose inlet is not developed; in units of length L, velocity U, viscosity eta."""
    L, U, eta = units
    solvents = ("-physics", "newtonian,ptt", "-physics_newtonian_viscosity", solvent * eta) if solvent else ("-physics", "ptt")
    return run.rheoplex("run", "-case_name", "units", "-case_velocity", U, "-case_length", L, "-mesh_box_faces", "14,8", "-mesh_box_lower", f"0,{-L:.17g}", "-mesh_box_upper",
                        f"{4 * L:.17g},{L:.17g}", *solvents, "-physics_ptt_modes", 2, "-physics_ptt_viscosity", f"{0.7 * eta:.17g},{0.3 * eta:.17g}", "-physics_ptt_lambda",
                        f"{0.4 * L / U:.17g},{0.03 * L / U:.17g}", "-physics_ptt_epsilon", "0.25,0.1", "-polymer_variable", variable, "-form_density", f"{3e-3 * eta / (U * L):.17g}",
                        "-bc_left_type", "inlet", "-bc_left_velocity", f"{U:.17g}*(1-(y/{L:.17g})^4+0.2*sin(3*y/{L:.17g})*(1-(y/{L:.17g})^2)),0", "-bc_left_polymer", "rest",
                        "-bc_right_type", "outlet", "-bc_top_type", "wall", "-bc_bottom_type", "wall", "-device", "cpu", *more, out=run.folder("units"), np=np_, expect=expect)


def state(result, units, variable="stress", dim=2):
    """Without dimensions: velocity, pressure, modes."""
    L, U, eta = units
    x = result.checkpoint().copy()
    x[:, :dim] /= U
    x[:, dim] /= eta * U / L
    if variable == "stress":
        x[:, dim + 1:] /= eta * U / L
    return x


def newton(result):
    return int(re.search(r"(\d+) Newton iterations", result.stdout).group(1))


def compare(gate, what, si, one, variable="stress", units=SI, dim=2, bound=1e-8):
    a, b = state(si, units, variable, dim), state(one, ONE, variable, dim)
    gate.at_most(f"{what}: difference of the states, over the largest of each field", float(np.max(np.abs(a - b).max(axis=0) / np.maximum(np.abs(b).max(axis=0), 1e-3))), bound)
    gate.at_most(f"{what}: Newton's iterations in SI units beyond those without", newton(si) - newton(one), 3)
    gate.note(f"{what}: Newton's iterations", newton(si))


EXACT = ("-snes_rtol", 1e-12)


def steady(gate, variable):
    words = ("-scheme", "steady", *EXACT)
    solvent = 0.0 if run.has("MUMPS") else 0.5  # without one factors need pivots, which PETSc's own have not
    for ranks in 1, 2:
        compare(gate, f"{variable}, {ranks} ranks", flow(SI, *words, variable=variable, np_=ranks, solvent=solvent), flow(ONE, *words, variable=variable, solvent=solvent), variable)


def split(gate):
    words = ("-scheme", "steady", "-solver", "split", *EXACT)
    si, one = (flow(units, *words, solvent=0.5) for units in (SI, ONE))
    compare(gate, "split", si, one)
    count = [int(re.search(r"linear solves, (\d+) iterations", x.stdout).group(1)) for x in (si, one)]
    gate.at_most("split: linear iterations in SI units over those without", count[0] / count[1], 1.02)


def steps(gate):
    for solver, solvent in (("direct", 0.0), ("split", 0.5)):
        result = {}
        for units in SI, ONE:
            L, U, _ = units
            result[units] = flow(units, "-scheme", "monolithic", "-scheme_monolithic_dt", 0.05 * L / U, "-bc_left_ramp", 0.2 * L / U, "-stop_steps", 8, "-stop_time", L / U, "-solver", solver, "-pc_renew", "always",
                                 "-snes_rtol", 1e-11, solvent=solvent)
            rejected = int(re.search(r"(\d+) rejected", result[units].stdout).group(1))
            gate.at_most(f"{solver}, L {L:.3g}: steps rejected", rejected, 0)
        compare(gate, f"steps, {solver}", result[SI], result[ONE])


def pressure(gate):
    """Driven otherwise than by a velocity; about an axis."""
    for name, words in (("pressure", lambda L, U, eta: ("-bc_left_type", "outlet", "-bc_left_pressure", 12 * eta * U / L, "-bc_right_type", "outlet", "-mesh_box_faces", "6,6")),
                        ("mean velocity", lambda L, U, eta: ("-mesh_box_periodic", "x", "-form_mean_velocity", U, "-mesh_box_faces", "6,6"))):
        result = {}
        for units in SI, ONE:
            L, U, eta = units
            result[units] = run.rheoplex("run", "-case_name", "units", "-mesh_box_upper", f"{2 * L:.17g},{L:.17g}", "-form_axisymmetric", "true", "-physics", "newtonian,giesekus", "-physics_newtonian_viscosity",
                                         0.2 * eta, "-physics_giesekus_viscosity", 0.8 * eta, "-physics_giesekus_lambda", f"{0.5 * L / U:.17g}", "-physics_giesekus_alpha", 0.2, "-polymer_variable", "stress",
                                         "-form_density", f"{3 * eta / (U * L):.17g}", "-bc_bottom_type", "symmetry", "-bc_top_type", "wall", "-scheme", "steady", *EXACT, "-device", "cpu", *words(*units),
                                         out=run.folder("units"))
        compare(gate, name, result[SI], result[ONE])


def duct(gate):
    """A square duct, periodic: the force against the series of Boussinesq with a Newtonian fluid, the state with a polymer."""
    exact = 28.4541  # of the duct's whole side, eta and mean velocity: f Re / 2
    for scheme, np_, words in (("steady", 1, ()), ("steady", 2, ()), ("monolithic", 1, ("-scheme_monolithic_dt", 0.05, "-stop_steps", 5))):
        for physics in ("newtonian", "newtonian,giesekus") if np_ == 1 else ("newtonian",):
            result = {}
            for units in MICRO, ONE:
                L, U, eta = units
                time = [f"{w * L / U:.17g}" if isinstance(w, float) else w for w in words]
                polymer = ("-physics_giesekus_viscosity", 0.8 * eta, "-physics_giesekus_lambda", f"{0.3 * L / U:.17g}", "-physics_giesekus_alpha", 0.2) if "giesekus" in physics else ()
                result[units] = run.rheoplex("run", "-case_name", "duct", "-case_velocity", U, "-case_length", L, "-mesh_box_upper", f"{L:.17g}", "-mesh_box_faces", "3,8,8", "-mesh_box_cell", "tetrahedron",
                                             "-mesh_box_periodic", "x", "-form_mean_velocity", U, "-physics", physics, "-physics_newtonian_viscosity", eta, *polymer, "-form_density", f"{0.24 * eta / (U * L):.17g}",
                                             *(w for label in ("bottom", "top", "back", "front") for w in (f"-bc_{label}_type", "wall")), "-diagnostic_d_kind", "drive", "-scheme", scheme, *time, *EXACT, "-device", "cpu",
                                             out=run.folder("duct"), np=np_)
            what = f"duct, {scheme}, {physics}, {np_} ranks"
            compare(gate, what, result[MICRO], result[ONE], units=MICRO, dim=3, bound=1e-6)
            if scheme == "steady" and physics == "newtonian":
                L, U, eta = MICRO
                gate.relative(f"{what}: force over eta U/L^2", float(result[MICRO].table("_d.csv")["force"][-1]) / (eta * U / L**2), exact, 0.08)


def room(gate):
    if not run.has("MUMPS"):
        gate.note("no MUMPS: its work space not looked at", 0)
        return
    for ranks in 1, 2:
        whole = flow(SI, "-scheme", "steady", *EXACT, np_=ranks)
        tight = flow(SI, "-scheme", "steady", *EXACT, "-mat_mumps_icntl_14", -60, np_=ranks)
        lacking = flow(SI, "-scheme", "steady", "-mat_mumps_icntl_23", 1, "-mesh_box_faces", "60,40", np_=ranks, expect=None)
        gate.true(f"{ranks} ranks: without a solvent split is advised with a coupling", lacking.rc != 0 and "do not fit into the memory" in lacking.stderr and "-solver split with -stabiliser_devss_theta 1 needs less" in lacking.stderr)
        gate.at_most(f"{ranks} ranks: a work space that is enlarged", float(np.max(np.abs(state(tight, SI) - state(whole, SI)))), 1e-8)


def main(check, *more):
    gate = Gate("_".join(("scheme_units", check) + more))
    {"steady": steady, "split": split, "steps": steps, "pressure": pressure, "duct": duct, "room": room}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
