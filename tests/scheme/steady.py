"""Scheme `steady`. steady.py
  same <np>  a channel with an expansion of the inlet's profile: the state is that of `lumped` at rest, on any number of ranks; Newton is quadratic
  channel    Poiseuille flow of an Oldroyd-B fluid: pressure gradient and error of the velocity, by theta of DEVSS, on two meshes
  refused    what it is told that it cannot do, and a Newton's method that does not converge
  cylinder   drag of the confined cylinder, Newtonian and Wi 0.1 to 0.7, each from the one before"""
import re
import sys

import numpy as np
import run
from gate import Gate

DRAG = {0.0: 132.358, 0.1: 130.363, 0.2: 126.626, 0.3: 123.193, 0.4: 120.594, 0.5: 118.830, 0.6: 117.78, 0.7: 117.32}  # Hulsen et al. (2005), Claus and Phillips (2013)
STEADY = ("-scheme", "steady", "-device", "cpu")


def newton(gate, what, result, most):
    """Checks the iterations of the last solve; returns the largest order above rounding."""
    line = next(x for x in result.stdout.splitlines() if x.startswith("Newton:"))
    norms = [float(x) for x in re.findall(r"(?<!order) (\d\.\d+e[-+]\d+)", line)]
    orders = [float(x) for k, x in enumerate(re.findall(r"order ([-\d.]+)", line)) if norms[k + 2] > 1e-14 * max(norms)]
    gate.at_most(f"{what}: iterations of Newton's method", int(line.split()[1]), most)
    return max(orders, default=2.0)


def mixed(*more, np_=1, expect=0):
    """Giesekus in a channel whose inlet is not developed, inertia, DEVSS: no field is simple."""
    return run.rheoplex("run", "-case_name", "mixed", "-mesh_box_faces", "14,6", "-mesh_box_lower", "0,-1", "-mesh_box_upper", "4,1", "-mesh_box_cell", "mixed",
                        "-mesh_box_jitter", "0.1", "-physics", "newtonian,giesekus", "-physics_newtonian_viscosity", 0.7, "-physics_giesekus_viscosity", 0.6,
                        "-physics_giesekus_lambda", 0.4, "-physics_giesekus_alpha", 0.2, "-stabiliser", "devss,split_oss", "-stabiliser_devss_theta", 0.6,
                        "-form_density", 2, "-bc_left_type", "inlet", "-bc_left_velocity", "1-y^4+0.2*sin(3*y)*(1-y^2),0", "-bc_left_polymer", "rest",
                        "-bc_right_type", "outlet", "-bc_right_form", "gradient", "-bc_right_polymer", "zero", "-bc_top_type", "wall", "-bc_bottom_type", "wall", *more, out=run.folder("steady"), np=np_, expect=expect)


def same(gate, ranks):
    corrected = ("-stabiliser_split_oss_projection_corrections", 2)
    lumped = ("-scheme_steady_projection", "lumped", *corrected)
    found = mixed(*STEADY, *lumped, np_=int(ranks))
    state = found.checkpoint()
    gate.at_least("order of Newton's method", newton(gate, "channel", found, 8), 1.8)
    if ranks == "1":
        rest = mixed(*corrected, "-scheme", "lumped", "-scheme_lumped_cfl", 0.8, "-stop_steady_tol", 1e-10, "-stop_time", 400)
        gate.at_most("difference from the explicit scheme at rest", abs(state - rest.checkpoint()).max() / abs(state).max(), 1e-8)
    else:
        one = mixed(*STEADY, *lumped).checkpoint()
        gate.at_most("difference from one rank", abs(state - one).max() / abs(one).max(), 1e-9)
    better = mixed(*STEADY, np_=int(ranks))
    gate.at_least("difference that the consistent mass makes", abs(better.checkpoint() - state).max(), 1e-4)
    again = mixed(*STEADY, "-case_restart", better.file("_checkpoint.h5"), np_=int(ranks))
    newton(gate, "restart", again, 0)


def poiseuille(n, theta, *more):
    """Half of a channel of width 4, Wi 0.3 by the mean velocity and the half width over 2; exact: dp/dx = -0.75."""
    u = "1.5*(1-y^2/4),0"
    return run.rheoplex("run", "-case_name", "channel", "-mesh_box_faces", f"{4 * n},{n}", "-mesh_box_lower", "0,0", "-mesh_box_upper", "8,2", "-physics",
                        "newtonian,oldroydb", "-physics_newtonian_viscosity", 0.59, "-physics_oldroydb_viscosity", 0.41, "-physics_oldroydb_lambda", 0.3,
                        "-polymer_variable", "stress", "-stabiliser", "devss,split_oss", "-stabiliser_devss_theta", theta, "-form_convection", "false",
                        "-bc_left_type", "inlet", "-bc_left_velocity", u, "-bc_left_polymer", "developed", "-bc_right_type", "outlet", "-bc_right_form", "gradient",
                        "-bc_right_polymer", "developed", "-bc_right_velocity", u, "-bc_top_type", "wall", "-bc_bottom_type", "symmetry", *STEADY, *more, out=run.folder("steady"))


def middle(n, theta, *more):
    """dp/dx and the largest error of the velocity half way between the ends."""
    f = poiseuille(n, theta, *more).fields()
    x, y = f.points[:, 0], f.points[:, 1]
    here = (x > 2.9) & (x < 5.1)
    return np.polyfit(x[here], f["pressure"][here], 1)[0], abs(f["velocity"][here, 0] - 1.5 * (1 - y[here] ** 2 / 4)).max()


def channel(gate):
    """Without DEVSS the figure of an independent code; with it, consistent projections are neutral."""
    coarse, fine = middle(7, 0), middle(14, 0)
    gate.near("theta 0: dp/dx", fine[0], -0.749616, 2e-6)
    gate.at_least("theta 0: errors of the velocity, ratio", coarse[1] / fine[1], 3.2)
    slope, error = middle(14, 1)
    gate.near("theta 1: dp/dx", slope, -0.75, 5e-7)
    gate.at_most("theta 1: error of the velocity", error, 1e-6)
    slope, error = middle(14, 1, "-scheme_steady_projection", "lumped")
    gate.near("theta 1, lumped: dp/dx", slope, -0.750746, 2e-5)


def refused(gate):
    ramp = ("-bc_left_ramp", 2)
    for words, parts in ((ramp, ("-scheme_steady_time", "change after t = 0")),
                         (("-ts_adapt_type", "basic"), ("does nothing for scheme 'steady'", "-snes_")),
                         (("-pressure_ksp_rtol", "0.1"), ("-pressure_ksp_rtol",)),
                         (("-snes_nosuch", "1"), ("-snes_nosuch",)),
                         (("-stabiliser_split_oss_projection_corrections", 2), ("got 2 corrections", "expected lumped projections")),
                         (("-physics_giesekus_lambda", 30, "-snes_max_it", 4), ("Newton's method ended after 4 iterations", "the worst is that of ", " at (", "velocity", "pressure", "stress_0", "-scheme_steady_dt", "logconf"))):
        result = mixed(*STEADY, *words, expect=None)
        print(result.stderr.strip())
        gate.true(f"{words[0]} {words[1]} is refused, with {parts}", result.rc != 0 and all(part in result.stderr for part in parts))
    over = mixed(*STEADY, *ramp, "-scheme_steady_time", 2)
    gate.true("after the ramp there is a steady state", "the steady state is found" in over.stdout)
    start = mixed(*STEADY, "-scheme_steady_dt", 0.05)
    gate.true("a pseudo-transient start arrives", "pseudo-transient start:" in start.stdout)
    gate.at_most("and at the same state", abs(start.checkpoint() - over.checkpoint()).max(), 1e-7)


def drag(gate, weissenberg, mesh, tolerance, before):
    words = ["-physics", "newtonian", "-physics_newtonian_viscosity", 1]
    if weissenberg:
        words = ["-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 0.59, "-physics_oldroydb_viscosity", 0.41, "-physics_oldroydb_lambda", weissenberg, "-polymer_variable", "stress"]
    for side in ("inlet", "outlet"):
        words += [f"-bc_{side}_type", side, f"-bc_{side}_velocity", "1.5*(1-y^2/4),0"] + ([f"-bc_{side}_polymer", "developed"] if weissenberg else [])
    words += ["-bc_outlet_form", "gradient", "-bc_wall_type", "wall", "-bc_cylinder_type", "wall", "-bc_axis_type", "symmetry", "-form_convection", "false"]
    words += ["-case_restart", before.file("_checkpoint.h5")] if before else []
    result = run.rheoplex("run", "-case_name", "cylinder", "-mesh_file", mesh, "-stabiliser", "split_oss", "-diagnostic_forces", "cylinder", *words, *STEADY, out=run.folder("steady"))
    got = 2 * float(result.table("_forces.csv")["cylinder_x"][-1])
    gate.relative(f"Wi {weissenberg}: drag", got, DRAG[weissenberg], tolerance)
    order = newton(gate, f"Wi {weissenberg}", result, 8)
    if before:
        gate.at_least(f"Wi {weissenberg}: order of Newton's method", order, 1.8)
    gate.note(f"Wi {weissenberg}: seconds", result.seconds)
    return result


def cylinder(gate, mesh=f"{run.MESHES}/confined_cylinder_half.msh", tolerance=0.0025):
    drag(gate, 0.0, mesh, tolerance, None)
    before = None
    for weissenberg in list(DRAG)[1:]:
        before = drag(gate, weissenberg, mesh, tolerance, before)


def main(check, *more):
    gate = Gate("_".join(("scheme_steady", check) + more))
    {"same": same, "channel": channel, "refused": refused, "cylinder": cylinder}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
