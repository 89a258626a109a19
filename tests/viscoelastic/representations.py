"""The representations against each other: representations.py linear2d|linear3d|logconf.

linear2d, linear3d: stress and conformation give the same discrete solution for linear springs
logconf: log-conformation differs by the discretisation error, which falls with h: double aneurysm, Re 100, We 0.1, t = 6"""
import sys

import numpy as np
import run
from gate import Gate

FIELDS = ("velocity", "pressure", "stress")


def differences(a, b):
    """Largest nodal differences of velocity, pressure and polymer stress over the largest value."""
    return {name: float(abs(a[name] - b[name]).max() / abs(a[name]).max()) for name in FIELDS}


def solve(variable, *options):
    return run.rheoplex("run", *options, "-polymer_variable", variable, "-diagnostic_history_every", "100", out=run.folder("representations")).fields()


def same(gate, what, *options):
    for name, value in differences(solve("stress", *options), solve("conformation", *options)).items():
        gate.at_most(f"{what}: {name}, stress against conformation", value, 1e-8)


def linear_2d(gate):
    aneurysm = (f"{run.OPTIONS}/aaa_re100.yaml", "-mesh_file", f"{run.MESHES}/aaa_100x20.msh", "-stop_steps", "150", "-scheme_lumped_dt", "0.01")
    same(gate, "Oldroyd-B", *aneurysm)
    several = ["-physics", "newtonian,oldroydb,ptt,giesekus,johnson_segalman", "-stabiliser_devss_theta", "0.5", "-physics_newtonian_viscosity", "0.007"]
    for law, more in (("ptt", ["-physics_ptt_modes", "2", "-physics_ptt_lambda", "0.2,0.4", "-physics_ptt_epsilon", "0.25"]),
                      ("giesekus", ["-physics_giesekus_lambda", "0.3", "-physics_giesekus_alpha", "0.3"]),
                      ("johnson_segalman", ["-physics_johnson_segalman_lambda", "0.3", "-physics_johnson_segalman_xi", "0.2"])):
        several += [f"-physics_{law}_viscosity", "0.001", *more]
    same(gate, "Oldroyd-B, PTT in two modes, Giesekus, Johnson-Segalman", *aneurysm, *several)


def linear_3d(gate):
    for cell in ("hex", "tet"):
        same(gate, f"Oldroyd-B, {cell}", "-case_name", "channel", "-mesh_file", f"{run.MESHES}/channel3d_{cell}.msh", "-physics", "newtonian,oldroydb",
             "-physics_newtonian_viscosity", "0.5", "-physics_oldroydb_viscosity", "0.5", "-physics_oldroydb_lambda", "0.3", "-stabiliser", "devss,split_oss",
             "-form_convection", "0", "-bc_wall_type", "wall", "-bc_inlet_type", "inlet", "-bc_inlet_velocity", "(1-4*y^2)*(1-4*z^2),0,0",
             "-bc_outlet_type", "outlet", "-bc_outlet_polymer", "zero", "-scheme_lumped_dt", "0.002", "-stop_steps", "100")


def logconf(gate):
    values = []
    for mesh in ("100x20", "200x40"):
        options = (f"{run.OPTIONS}/aaa_re100.yaml", "-mesh_file", f"{run.MESHES}/aaa_{mesh}.msh", "-physics_oldroydb_lambda", "0.1",
                   "-scheme_lumped_dt", "0.01", "-stop_steady_tol", "0", "-stop_time", "6")
        a, b = solve("conformation", *options), solve("logconf", *options)
        values.append({name: float(np.sqrt(np.mean((a[name] - b[name]) ** 2) / np.mean(a[name] ** 2))) for name in FIELDS})
        for name, value in values[-1].items():
            gate.note(f"{name}, {mesh}: rms difference over rms", value)
    for name, bound in zip(FIELDS, (5e-5, 5e-5, 0.02)):
        gate.at_most(f"{name}, 200x40: rms difference over rms", values[1][name], bound)
        gate.at_least(f"{name}: fall of the difference, 100x20 to 200x40", values[0][name] / values[1][name], 2.5)


def main(which):
    gate = Gate(f"viscoelastic_representations_{which}")
    {"linear2d": linear_2d, "linear3d": linear_3d, "logconf": logconf}[which](gate)
    return gate.finish()


sys.exit(main(sys.argv[1]))
