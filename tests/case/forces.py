"""Forces by consistent reactions: forces.py couette | poiseuille | rest | cylinder.

couette, poiseuille: steady flow of an Oldroyd-B fluid between plates against the analytic force, 1e-8.
rest: a heavy fluid at rest in a closed box; forces, torques and mean pressures of each wall are those of its pressure.
cylinder: creeping Newtonian flow past a cylinder; its force against the pressure at the inlet and the shear on the channel
walls, integrated from the fields (1 %)."""
import sys

import numpy as np
import run
from gate import Gate

FLUID = ["-stabiliser", "split_oss", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.6", "-physics_oldroydb_viscosity", "0.4", "-physics_oldroydb_lambda", "0.2"]
PLATES = ["-mesh_box_lower", "0,0", "-mesh_box_upper", "1,1", "-mesh_box_faces", "4,8", "-mesh_box_periodic", "x", "-bc_bottom_type", "wall",
          "-diagnostic_forces", "bottom,top", "-diagnostic_forces_every", "100", "-diagnostic_history_every", "100",
          "-scheme_lumped_dt", "0.002", "-stop_steady_tol", "1e-11", "-stop_time", "40"]


def plates(gate, name, options, bottom, top):
    result = run.rheoplex("run", "-case_name", name, *PLATES, *FLUID, *options, out=run.folder("forces"))
    forces = result.table("_forces.csv")
    gate.near("force on the bottom, x", forces["bottom_x"][-1], bottom, 1e-8)
    gate.near("force on the top, x", forces["top_x"][-1], top, 1e-8)


def rest(gate):
    rho, g, size, centre = 3.0, np.array([0.7, -0.4, -9.0]), np.array([1.5, 1.0, 2.0]), np.array([0.3, -0.2, 0.5])
    sides = {"left": (0, 0), "right": (0, 1), "bottom": (1, 0), "top": (1, 1), "back": (2, 0), "front": (2, 1)}
    force = ",".join(str(rho * v) for v in g)
    words = ["-case_name", "rest", "-mesh_box_faces", "3,2,4", "-mesh_box_upper", ",".join(map(str, size)), "-physics", "newtonian", "-physics_newtonian_viscosity", 0.7, "-form_density", rho, "-form_body_force", force,
             *(w for side in sides for w in (f"-bc_{side}_type", "wall")), "-initial_pressure", "+".join(f"({rho * v})*{x}" for v, x in zip(g, "xyz")), "-scheme", "fractional_step", "-scheme_fractional_step_dt", 0.01, "-stop_steps", 3,
             "-pressure_ksp_rtol", 1e-12, "-diagnostic_f_kind", "forces", "-diagnostic_f_label", ",".join(sides), "-diagnostic_f_torque", "true", "-diagnostic_f_centre", ",".join(map(str, centre)),
             "-diagnostic_p_kind", "probe", "-diagnostic_p_points", "0,0,0", "-diagnostic_p_fields", "pressure",
             "-diagnostic_m_kind", "mean_pressure", "-diagnostic_m_label", ",".join(sides), "-diagnostic_d_kind", "pressure_difference", "-diagnostic_d_label", "front,left"]
    points, weights = np.polynomial.legendre.leggauss(3)
    for cell, np_ in ("hexahedron", 1), ("tetrahedron", 2):
        result = run.rheoplex("run", *words, "-mesh_box_cell", cell, "-device", "cpu", out=run.folder("forces"), np=np_)
        table, level = result.table("_f.csv"), float(result.table("_p.csv")["pressure_0"][-1])
        means, middle = result.table("_m.csv"), {label: np.where(np.arange(3) == axis, end, 0.5) * size for label, (axis, end) in sides.items()}
        for label, x in middle.items():
            gate.relative(f"{cell}, np {np_}, {label}: mean pressure", means[f"{label}_pressure"][-1], level + rho * (g @ x), 1e-10)
        gate.relative(f"{cell}, np {np_}: front less left", result.table("_d.csv")["pressure_difference"][-1], rho * (g @ (middle["front"] - middle["left"])), 1e-10)
        for label, (axis, end) in sides.items():
            along = [k for k in range(3) if k != axis]
            push, torque = np.zeros(3), np.zeros(3)
            for (a, wa), (b, wb) in ((p, q) for p in zip(points, weights) for q in zip(points, weights)):
                x = np.zeros(3)
                x[along[0]], x[along[1]], x[axis] = (1 + a) / 2 * size[along[0]], (1 + b) / 2 * size[along[1]], end * size[axis]
                f = np.zeros(3)
                f[axis] = (2 * end - 1) * (level + rho * (g @ x)) * wa * wb / 4 * size[along[0]] * size[along[1]]
                push, torque = push + f, torque + np.cross(x - centre, f)
            for what, want in ("", push), ("torque_", torque):
                got = np.array([table[f"{label}_{what}{k}"][-1] for k in "xyz"])
                gate.at_most(f"{cell}, np {np_}, {label}: {what or 'force_'}off, over the box's weight", float(np.abs(got - want).max() / (rho * 9 * size.prod())), 1e-9)


def wall_shear(x, u, wall):
    """du/dy at wall nodes: least squares of a y' + b y'^2 + c x' y' over the nearest nodes, y' the distance from the wall."""
    shear = []
    for place in wall:
        d = x - place
        near = np.argsort((d**2).sum(axis=1))[:14]
        dx, dy = d[near].T
        matrix = np.stack([dy, dy**2, dx * dy], axis=1)
        shear.append(np.linalg.lstsq(matrix, u[near], rcond=None)[0][0])
    return np.array(shear)


def cylinder(gate):
    eta = 1.0
    result = run.rheoplex(
        "run", "-case_name", "cylinder", "-mesh_file", f"{run.MESHES}/cylinder.msh", "-physics", "newtonian", "-physics_newtonian_viscosity", eta,
        "-stabiliser", "split_oss", "-form_convection", "0", "-bc_inlet_type", "inlet", "-bc_inlet_profile", "parabolic", "-bc_inlet_mean_velocity", "1", "-bc_outlet_type", "outlet",
        "-bc_wall_type", "wall", "-bc_cylinder_type", "wall", "-diagnostic_forces", "cylinder,wall", "-diagnostic_forces_every", "100",
        "-scheme_lumped_dt", "0.0005", "-stop_steady_tol", "1e-5", "-stop_time", "20", out=run.folder("forces"))
    forces, fields = result.table("_forces.csv"), result.fields()
    keep = fields.unique()
    x, u, p = fields.points[keep, :2], fields["velocity"][keep, 0], fields["pressure"][keep]
    inlet = abs(x[:, 0] - x[:, 0].min()) < 1e-9
    push = run.trapezoid(x[inlet, 1], p[inlet])  # the outlet's p = 0 and developed ends add nothing
    walls = 0.0
    for side in (-2.0, 2.0):
        at = abs(x[:, 1] - side) < 1e-9
        walls += run.trapezoid(x[at, 0], -np.sign(side) * eta * wall_shear(x, u, x[at]))
    gate.relative("drag of the cylinder against pressure and wall shear on the other boundaries", forces["cylinder_x"][-1], push - walls, 0.01)
    gate.relative("force on the channel walls by reactions against shear from the field", forces["wall_x"][-1], walls, 0.01)
    gate.relative("drag against the published 132.358 (Hulsen 2005; longer channel)", forces["cylinder_x"][-1], 132.358, 0.01)
    gate.note("run time, s", result.seconds)


def main(which):
    gate = Gate(f"case_forces_{which}")
    if which == "couette":
        plates(gate, which, ["-bc_top_type", "moving_wall", "-bc_top_velocity", "1,0"], 1.0, -1.0)
    elif which == "poiseuille":
        plates(gate, which, ["-bc_top_type", "wall", "-form_body_force", "3,0"], 1.5, 1.5)
    else:
        {"rest": rest, "cylinder": cylinder}[which](gate)
    return gate.finish()


sys.exit(main(sys.argv[1]))
