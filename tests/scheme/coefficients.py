"""c_D and c_L of `forces` are over the density of their state: along a continuation in form_density, and its derivative by either method; over one that is given they are not."""
import sys

import run
from gate import Gate, largest
from steady import STEADY

U, L = 2, 0.5
COLUMNS = {"drag": "top_x", "lift": "top_y"}


def channel(rho, *more):
    return run.rheoplex("run", "-case_name", "channel", "-case_velocity", U, "-case_length", L, "-mesh_box_upper", "2,1", "-mesh_box_faces", "8,4", "-mesh_box_jitter", 0.1, "-physics", "newtonian",
                        "-physics_newtonian_viscosity", 0.3, "-form_density", rho, "-form_body_force", "1.5*y,0", "-bc_left_type", "inlet", "-bc_left_velocity", "4*y^2*(1-y),0", "-bc_right_type", "outlet",
                        "-bc_top_type", "wall", "-bc_bottom_type", "wall", "-diagnostic_f_kind", "forces", "-diagnostic_f_label", "top", "-diagnostic_f_coefficients", "true", "-snes_rtol", 1e-12,
                        *STEADY, *more, out=run.folder("coefficients"))


def main():
    gate, over = Gate("scheme_coefficients"), U**2 * L / 2
    table = channel(3, "-scheme_steady_continuation", "form_density=1:1:3").table("_f.csv")
    for name, force in COLUMNS.items():
        of = table[f"top_c_{name[0].upper()}"]
        gate.at_most(f"{name} of densities 1, 2, 3: less force over rho U^2 L/2, relative", largest(of / (table[force] / (over * table["t"])) - 1), 1e-9)
    low, high = (channel(repr(rho)).table("_f.csv") for rho in (2.997, 3.003))
    for method in ("forward", "adjoint"):
        asked = channel(3, "-sensitivity", "f:form_density", "-sensitivity_method", method)
        rows = {row["column"]: float(row["derivative"]) for row in asked.texts("_sensitivity.csv")}
        for column in ("top_c_D", "top_c_L"):
            gate.relative(f"{method}: d {column} / d rho", rows[column], float(high[column][-1] - low[column][-1]) / 0.006, 1e-5)
        told = float(asked.stdout.split("c_D = ")[1].split(",")[0])
        gate.relative(f"{method}: c_D that is told at the end", told, float(asked.table("_f.csv")["top_c_D"][-1]), 1e-5)
    fixed = channel(3, "-diagnostic_f_reference_density", 1.7, "-scheme_steady_continuation", "form_density=1:1:3").table("_f.csv")
    gate.at_most("over a density that is given: drag less force over it, relative", largest(fixed["top_c_D"] / (fixed["top_x"] / (over * 1.7)) - 1), 1e-9)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
