"""DEVSS-G: laws see the projected velocity gradient. devss_g.py <check>

channel    plane Poiseuille flow of Oldroyd-B, Wi 0.3: neutral where projections are consistent, on quads and triangles, in stress and log c
cylinder   drag of the confined cylinder, iterations, and what lumped projections do to it that are not corrected
schemes    explicit runs come to rest at the steady state of the same projections, in the plane and in space, two modes, density 3; ranks
adjoint    derivatives by the transposed equations are those of the equations
device [np]   steps and states on a device are those of the host; 77 without one"""
import re
import sys

import numpy as np
import run
from gate import Gate, largest

PROFILE = "1.5*(1-y^2/4),0"
CHANNEL = ("-case_name", "channel", "-mesh_box_lower", "0,0", "-mesh_box_upper", "8,2", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 0.59, "-physics_oldroydb_viscosity", 0.41,
           "-physics_oldroydb_lambda", 0.3, "-form_convection", "false", "-bc_left_type", "inlet", "-bc_left_velocity", PROFILE, "-bc_left_polymer", "developed", "-bc_right_type", "outlet",
           "-bc_right_form", "gradient", "-bc_right_polymer", "developed", "-bc_right_velocity", PROFILE, "-bc_top_type", "wall", "-bc_bottom_type", "symmetry", "-scheme", "steady", "-snes_rtol", 1e-11)


def middle(n, *words):
    """dp/dx (exact: -0.75) and the largest error of the velocity half way between the ends of half a channel."""
    f = run.rheoplex("run", *CHANNEL, "-mesh_box_faces", f"{4 * n},{n}", *words, out=run.folder("devss_g")).fields()
    x, y = f.points[:, 0], f.points[:, 1]
    here = (x > 2.9) & (x < 5.1)
    return np.polyfit(x[here], f["pressure"][here], 1)[0], abs(f["velocity"][here, 0] - 1.5 * (1 - y[here] ** 2 / 4)).max()


def channel(gate):
    for variable in ("stress", "logconf"):
        words = ("-stabiliser", "devss_g,split_oss", "-polymer_variable", variable)
        slope, error = middle(14, *words)
        gate.near(f"{variable}: dp/dx", slope, -0.75, 5e-7)
        gate.at_most(f"{variable}: error of the velocity", error, 3e-6)
    slope, error = middle(14, *words, "-stabiliser_devss_g_divergence", 1)
    gate.near("with all of tau2: dp/dx", slope, -0.75, 5e-7)
    without, held = (middle(14, "-mesh_box_cell", "triangle", "-stabiliser", f"{name},split_oss") for name in ("devss", "devss_g"))
    gate.at_most("triangles: error of dp/dx, of that with theta 0 and grad u", abs(held[0] + 0.75) / abs(without[0] + 0.75), 0.5)
    slope, _ = middle(14, *words, "-scheme_steady_projection", "lumped")
    gate.near("lumped and corrected: dp/dx", slope, -0.75, 1e-4)
    gate.refused(run.rheoplex("run", *CHANNEL, "-mesh_box_faces", "8,2", "-stabiliser", "devss,devss_g,split_oss", out=run.folder("devss_g"), expect=1), ("devss", "devss_g", "coupling"))


def drag(*words):
    file = f"{run.folder('devss_g')}/case.yaml"
    lines = open(f"{run.OPTIONS}/confined_cylinder_steady.yaml").read().replace("meshes/", f"{run.MESHES}/").splitlines()
    with open(file, "w") as f:
        f.write("\n".join(line for line in lines if not line.startswith("stabiliser")))
    done = run.rheoplex("run", file, "-scheme_steady_continuation", "physics_oldroydb_lambda=0.1:0.2:0.7", "-output_fields", "false", *words, out=run.folder("devss_g"))
    total = re.search(r"steady: (\d+) Newton iterations.* (\d+) linear solves, (\d+) iterations", done.stdout)
    return done.table("_drag.csv")["cylinder_c_D"], int(total[1]), int(total[3])


def cylinder(gate):
    known = np.array([130.363, 123.193, 118.83, 117.32])
    plain, _, work = drag("-stabiliser", "devss,split_oss", "-stabiliser_devss_theta", 1)
    for words in ((), ("-polymer_variable", "logconf"), ("-stabiliser_devss_g_theta", 0)):
        got, newton, its = drag("-stabiliser", "devss_g,split_oss", *words)
        gate.at_most(f"{words[-2:]}: error of the drag, of that of devss", float(largest(abs(got - known) / abs(plain - known))), 1.05)
        gate.at_most("iterations of Newton's method a value", newton / 4, 7)
        gate.at_most("linear iterations, of those of devss", its / work, 1.4)
    lumped = ("-stabiliser", "devss_g,split_oss", "-scheme_steady_projection", "lumped")
    corrected, _, _ = drag(*lumped)
    smooth, _, _ = drag(*lumped, "-stabiliser_devss_g_projection_corrections", 0)
    gate.at_most("lumped and corrected: error of the drag", float(largest(abs(corrected / known - 1))), 4e-3)
    gate.at_least("not corrected: error of the drag", float(abs(smooth / known - 1).max()), 1e-2)


def driven(dim, *words, np_=1, expect=0):
    fluid = ("-physics", "newtonian,giesekus", "-physics_newtonian_viscosity", 0.3, "-physics_giesekus_modes", 2, "-physics_giesekus_viscosity", "0.5,0.4", "-physics_giesekus_lambda", "0.3,0.11",
             "-physics_giesekus_alpha", 0.2, "-form_density", 3, "-stabiliser", "devss_g,split_oss", "-stabiliser_devss_g_divergence", 0.3)
    sides = ("left", "right", "bottom", "top", *(("front", "back") if dim == 3 else ()))
    walls = [word for side in sides for word in (f"-bc_{side}_type", "moving_wall" if side == "top" else "wall")]
    return run.rheoplex("run", "-case_name", "driven", "-mesh_box_faces", "7,6" if dim == 2 else "4,4,3", "-mesh_box_cell", "mixed" if dim == 2 else "tetrahedron", *fluid, *walls,
                        "-bc_top_velocity", ("16*x^2*(1-x)^2,0", "80*x^2*(1-x)^2*z^2*(1-z)^2,0,0")[dim - 2], "-output_fields", "false", *words, out=run.folder("devss_g"), np=np_, expect=expect)


def state(done):
    """Velocity, pressure but for its level, the modes."""
    x, dim = done.checkpoint(), 2 if done.checkpoint().shape[1] == 9 else 3
    x[:, dim] -= x[:, dim].mean()
    return x


def schemes(gate):
    for dim in (2, 3):
        steady = driven(dim, "-scheme", "steady", "-scheme_steady_projection", "lumped", "-snes_rtol", 1e-11)
        rest = driven(dim, "-scheme", "lumped", "-stop_steady_tol", 1e-9, "-stop_time", 60)
        steady, rest = state(steady), state(rest)
        size = abs(steady).max()
        gate.at_most(f"{dim}D: lumped at rest, of its steady state", abs(rest - steady).max() / size, 1e-8)
        ranks = 5 - dim
        for words in (("-scheme", "steady", "-snes_rtol", 1e-11), ("-scheme", "fractional_step", "-scheme_fractional_step_integrator", "ssp3", "-scheme_fractional_step_dt", 2e-3, "-stop_steps", 5, "-pressure_ksp_rtol", 1e-12)):
            one, more = (state(driven(dim, *words, np_=n)) for n in (1, ranks))
            gate.at_most(f"{dim}D, {words[1]}: {ranks} ranks", abs(one - more).max() / size, 1e-8)


def adjoint(gate):
    words = ("-scheme", "steady", "-snes_rtol", 1e-12, "-diagnostic_drag_kind", "forces", "-diagnostic_drag_label", "top", "-sensitivity", "drag:form_density,drag:physics_giesekus_alpha", "-sensitivity_method")
    forward, transposed = (driven(2, *words, method).texts("_sensitivity.csv") for method in ("forward", "adjoint"))
    for a, b in zip(forward, transposed):
        gate.relative(f"d {a['column']} / d {a['parameter']}", float(b["derivative"]), float(a["derivative"]), 1e-6)
    gate.true("of two columns by two parameters", len(forward) == len(transposed) == 4)


def device(gate, ranks="1"):
    for dim, words in ((2, ("-scheme", "lumped", "-scheme_lumped_dt", 2e-3)), (3, ("-scheme", "fractional_step", "-scheme_fractional_step_integrator", "ssp3", "-scheme_fractional_step_dt", 2e-3)),
                       (2, ("-scheme", "steady", "-snes_rtol", 1e-11, "-ksp_rtol", 1e-8))):
        if words[1] != "steady":
            words += ("-stop_steps", 5, "-pressure_ksp_rtol", 1e-13)
        found = {}
        for where in ("cpu", "cuda"):
            done = driven(dim, *words, "-device", where, np_=int(ranks), expect=None)
            if where == "cuda" and "No device to compute on" in done.stderr:
                return 77
            gate.true(f"{words[1]}, {where}: the run ends{': ' + done.stderr[:600] if done.rc else ''}", done.rc == 0)
            found[where] = state(done)
        gate.at_most(f"{dim}D, {words[1]}: difference of the device", abs(found["cuda"] - found["cpu"]).max() / abs(found["cpu"]).max(), 1e-10 if words[1] != "steady" else 1e-8)
    return gate.finish()


if __name__ == "__main__":
    which, *more = sys.argv[1:]
    gate = Gate("_".join(("viscoelastic_devss_g", which, *more)))
    sys.exit(globals()[which](gate, *more) or gate.finish())
