"""Scheme `steady` and the verb `eigen`: states that solve the equations to their rounding are found as they are; next to them, what a
weak force drives is not. Laws without viscosity at rest."""
import sys

import run
from gate import Gate
from steady import STEADY


def thickening(gate):
    """A law without viscosity at rest, from where Newton's method begins: what gives it one is named, before the run and in its error."""
    words = ("-case_name", "thick", "-mesh_box_faces", "3,4", "-physics", "power_law", "-physics_power_law_consistency", 0.2, "-physics_power_law_n", 1.5, "-physics_power_law_viscosity_max", 1e3,
             "-bc_left_type", "inlet", "-bc_left_flow_rate", 0.7, "-bc_right_type", "outlet", "-bc_top_type", "wall", "-bc_bottom_type", "wall", *STEADY)
    named = "-physics_power_law_viscosity_min above 0, or -initial_velocity, for the viscosity of power_law at rest is 0"
    for verb in "check", "run":
        result = run.rheoplex(verb, *words, "-scheme_steady_climb", "false", out=run.folder("steady"), expect=None)
        gate.true(f"{verb}: told", result.stderr.count("warning: -scheme steady begins at rest, where its equations are singular: expected " + named) == 1)
    gate.true("the error tells it", result.rc != 0 and "DIVERGED_LINEAR_SOLVE" in result.stderr and "; try " + named in result.stderr)
    found = run.rheoplex("run", *words, out=run.folder("steady"))
    gate.true("a climb in n finds it", "continuation: physics_power_law_n = 1.5\n" in found.stdout)
    for more in ("-physics_power_law_viscosity_min", 1e-3), ("-initial_velocity", "0.7*6*y*(1-y),0"):
        result = run.rheoplex("run", *words, *more, out=run.folder("steady"))
        gate.true(f"{more[0]}: not told, and found", "at rest" not in result.stderr)


def main():
    gate = Gate("scheme_steady_still")
    channel = ("-case_name", "still", "-mesh_box_faces", "3,8", "-mesh_box_periodic", "x", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 0.1, "-physics_oldroydb_viscosity", 2,
               "-physics_oldroydb_lambda", 2, "-form_density", 3, "-polymer_variable", "conformation", "-bc_bottom_type", "wall", "-bc_top_type", "wall", *STEADY)
    uniform = ("-case_name", "uniform", "-mesh_box_faces", "8,8", "-physics", "newtonian", "-physics_newtonian_viscosity", 0.01, "-form_density", 3, "-bc_left_type", "inlet", "-bc_left_velocity", "0.7,0", "-bc_right_type", "outlet",
               *(word for side in ("top", "bottom") for word in (f"-bc_{side}_type", "moving_wall", f"-bc_{side}_velocity", "0.7,0")), "-initial_velocity", "0.7,0", *STEADY)
    for what, words in ("a polymer at rest", channel), ("uniform flow", uniform):
        for ranks in 1, 2:
            found = run.rheoplex("run", *words, out=run.folder("steady"), np=ranks).table("_history.csv")
            gate.at_most(f"{what}, {ranks} ranks: iterations of Newton's method", float(found["newton_iterations"][0]), 1)
    if run.has("SLEPc"):
        table = run.rheoplex("eigen", *channel, "-eigen_number", 2, out=run.folder("steady")).table("_spectrum.csv")
        gate.near("growth rate about the polymer at rest, -1/lambda", float(table["growth_rate"][0]), -0.5, 1e-8)
    speed = {}
    for force in 1e-3, 1e-8:
        words = ("-form_body_force", f"{force},0", "-diagnostic_p_kind", "probe", "-diagnostic_p_points", "0.5,0.5", "-diagnostic_p_fields", "velocity")
        speed[force] = float(run.rheoplex("run", *channel, *words, out=run.folder("steady")).table("_p.csv")["velocity_x_0"][-1]) / force
    gate.relative("velocity for 1e-3 N/m^3, over it", speed[1e-3], 1 / (8 * 2.1), 6e-3)
    gate.relative("the same for 1e-8 N/m^3", speed[1e-8], speed[1e-3], 1e-5)
    thickening(gate)
    return gate.finish()


sys.exit(main())
