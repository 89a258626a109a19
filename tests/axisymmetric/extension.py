"""Every polymeric law in uniform uniaxial extension, u = (E z, -E r/2), from rest: the state stays uniform, and c_zz and c_rr = c_hoop are
those of the rheometer, which has the law in three dimensions."""
import sys

import laws as parameters
import numpy as np
import run
from gate import Gate

RATE, END = 1.3, 0.3


def rheometer(law, out):
    """Stress difference tau_zz - tau_rr, Pa, at the end."""
    run.rheoplex("rheometer", law, *parameters.words(law), "-rheometer_protocol", "startup", "-rheometer_flow", "uniaxial", "-rheometer_rate", RATE,
                 "-rheometer_time", END, "-rheometer_output", f"{out}/rheometer.csv", out=out)
    return run.table(f"{out}/rheometer.csv")["stress_difference"][-1]


def extend(physics, polymer, cell, out):
    velocity = f"{RATE}*x,-{RATE / 2}*y"
    words = ["-case_name", "extension", "-form_axisymmetric", "true", "-form_convection", "false", "-form_density", 20, *physics, "-stabiliser", "split_oss",
             "-mesh_box_faces", "2,3", "-mesh_box_cell", cell, "-initial_velocity", velocity, "-bc_bottom_type", "symmetry", "-scheme_lumped_stepper", "heun",
             "-scheme_lumped_dt", 1e-3, "-stop_time", END, "-diagnostic_history_every", 1000]
    for label in ("left", "right", "top"):
        words += [f"-bc_{label}_type", "inlet", f"-bc_{label}_velocity", velocity, *([f"-bc_{label}_polymer", "free"] if polymer else [])]
    return run.rheoplex("run", *words, out=out, timeout=60)


def power_law(gate, out):
    """The viscosity of a power law is that of the whole rate, sqrt(3) E, in the reaction and in the parts of the force on the end x = 1."""
    consistency, n = 1.4, 0.5
    table = extend(["-physics", "power_law", "-physics_power_law_consistency", consistency, "-physics_power_law_n", n, "-physics_power_law_viscosity_max", 1e3, "-diagnostic_f_kind", "forces",
                    "-diagnostic_f_label", "right,bottom", "-diagnostic_f_parts", "true"], False, "quadrilateral", out).table("_f.csv")
    eta = consistency * (np.sqrt(3) * RATE) ** (n - 1)
    gate.relative("force on the end less its pressure, by reactions", -(table["right_x"][-1] - table["right_pressure_x"][-1]), 2 * eta * RATE * np.pi, 1e-3)
    gate.relative("the solvent's part of it", -table["right_solvent_x"][-1], 2 * eta * RATE * np.pi, 1e-3)
    gate.true("figures of the axis are numbers", all(np.all(np.isfinite(table[name])) for name in table))


def main():
    gate = Gate("axisymmetric_extension")
    cells = ("quadrilateral", "triangle", "mixed")
    for k, law in enumerate(parameters.POLYMERIC):
        wanted = rheometer(law, run.folder("axisymmetric"))
        for variable in ("logconf",) if k % 2 else ("conformation",):
            physics = ["-physics", f"newtonian,{law}", "-physics_newtonian_viscosity", 0.7, *parameters.words(law), "-polymer_variable", variable]
            got = extend(physics, True, cells[k % 3], run.folder("axisymmetric")).fields()
            c, tau = got["conformation"], got["stress"]  # XX YY ZZ XY YZ XZ
            gate.at_most(f"{law}, {variable}: c not uniform by", float(np.ptp(c, axis=0).max()), 1e-4)
            gate.at_most(f"{law}, {variable}: c_rr and c_hoop differ by", float(np.abs(c[:, 1] - c[:, 2]).max()), 1e-4)
            gate.relative(f"{law}, {variable}: stress difference", float(np.mean(tau[:, 0] - tau[:, 1])), wanted, 1e-4)
    power_law(gate, run.folder("axisymmetric"))
    return gate.finish()


sys.exit(main())
