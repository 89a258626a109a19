"""Gates of the double aneurysm: aaa.py <options file> <figures to reach>, from rest to the steady state.

aaa.py re50|re500|re10        the case as it stands on 200 x 40 quads, and 100 x 20 beside
aaa.py re50_devss|re500_devss DEVSS theta 1: the same bounds
aaa.py re50_tri|re500_tri     triangles against quads: S, R within 0.03, shear rate within 3 %
aaa.py re50_tau               transient tau against steady, both against the bounds of finer meshes: 100 x 20"""
import sys

import numpy as np
import run
from gate import Gate, largest


def expected(name):
    """Separation and reattachment points on the lower wall, and (value, bound) by quantity; none at Re 10."""
    if name == "re10":
        return [], {}
    rows = run.reference("aaa_wall", re=name[2:])
    return ([float(row["x"]) for row in run.reference("aaa_points", re=name[2:])],
            {row["quantity"]: (float(row["value"]), float(row["tolerance"])) for row in rows})


def figures(result):
    """S1, R1, S2, R2 ..., largest wall shear rate, wall pressure at the inlet, on the lower wall."""
    wall = result.table("_wall_wall_bottom.csv")
    order = np.argsort(wall["s"])
    x, g, p, wss = (wall[k][order] for k in ("x", "shear_rate", "pressure", "wss_x"))
    if x[0] > x[-1]:
        x, g, p, wss = x[::-1], -g[::-1], p[::-1], wss[::-1]
    separation, reattachment = run.crossings(x, wss)
    return sorted(separation + reattachment), len(separation), float(g.max()), float(p[0])


def asymmetry(fields):
    """Largest difference between the upper half and the mirrored lower half: velocity and pressure, stress."""
    keep = fields.unique()
    x, y = np.round(fields.points[keep, 0], 9), np.round(fields.points[keep, 1], 9)
    a = np.lexsort((y, x))
    b = np.lexsort((-y, x))
    u, p, s = fields["velocity"][keep], fields["pressure"][keep], fields["stress"][keep]
    flow = largest(abs(u[a, 0] - u[b, 0]).max(), abs(u[a, 1] + u[b, 1]).max(), abs(p[a] - p[b]).max())
    stress = largest(abs(s[a, 0] - s[b, 0]).max(), abs(s[a, 1] - s[b, 1]).max(), abs(s[a, 3] + s[b, 3]).max())
    return float(largest(flow, stress))


def solve(name, *options):
    out = run.folder("aaa")
    return run.rheoplex("run", f"{run.OPTIONS}/aaa_{name}.yaml", "-mesh_file", f"{run.MESHES}/aaa_200x40.msh",
                        *options, out=out)


def common(gate, result):
    """What holds in every steady case."""
    history = result.table("_history.csv")
    gate.at_most("steady residual |du/dt|", history["du_dt"][-1], 1e-6)
    gate.at_most("steady residual |dc/dt|", history["dc_dt"][-1], 1e-6)
    gate.note("time at rest, D/U", history["t"][-1])
    gate.note("run time, s", result.seconds)
    gate.at_most("|outflow/inflow - 1|", abs(history["mass_error"][-1]), 5e-5)
    gate.at_most("continuity residual of the free rows, U/D", history["continuity_residual"][-1], 1e-8)
    gate.at_most("top-bottom asymmetry", asymmetry(result.fields()), 1e-8)


def against_bounds(gate, result, name):
    wanted, bounds = expected(name)
    points, _, shear, pressure = figures(result)
    gate.near("number of separation and reattachment points", len(points), len(wanted), 0)
    for k, (got, place) in enumerate(zip(points, wanted)):
        gate.near(f"{'SR'[k % 2]}{k // 2 + 1}, D", got, place, 0.01)
    for what, value, key in (("largest wall shear rate, U/D", shear, "shear_rate_max"), ("wall pressure at the inlet, rho U^2", pressure, "inlet_pressure")):
        if key in bounds:
            gate.near(what, value, *bounds[key])
        else:
            gate.note(what, value)


def beside(gate, result, what):
    points, _, shear, pressure = figures(result)
    for k, got in enumerate(points):
        gate.note(f"{what}: {'SR'[k % 2]}{k // 2 + 1}, D", got)
    gate.note(f"{what}: largest wall shear rate, U/D", shear)
    gate.note(f"{what}: wall pressure at the inlet, rho U^2", pressure)


def quads(gate, name, *options):
    result = solve(name, *options)
    against_bounds(gate, result, name)
    common(gate, result)
    beside(gate, solve(name, "-mesh_file", f"{run.MESHES}/aaa_100x20.msh", *options), "100 x 20")


def triangles(gate, name):
    """Against the quads, run beside."""
    wanted, _, wanted_shear, _ = figures(solve(name))
    result = solve(name, "-mesh_file", f"{run.MESHES}/aaa_200x40_tri.msh")
    points, _, shear, pressure = figures(result)
    gate.near("number of separation and reattachment points", len(points), len(wanted), 0)
    for k, (got, place) in enumerate(zip(points, wanted)):
        gate.near(f"triangles: {'SR'[k % 2]}{k // 2 + 1}, D", got, place, 0.03)
    gate.relative("triangles: largest wall shear rate, U/D", shear, wanted_shear, 0.03)
    gate.note("triangles: wall pressure at the inlet, rho U^2", pressure)
    common(gate, result)


def tau(gate, name):
    """The steady state with transient tau differs from that with steady tau by the discretisation error, and differs."""
    wanted, bounds = expected(name)
    rows = []
    for kind in ("steady", "transient"):
        result = solve(name, "-mesh_file", f"{run.MESHES}/aaa_100x20.msh", "-stabiliser_split_oss_tau", kind)
        points, _, shear, pressure = figures(result)
        rows.append((points, shear, pressure))
        beside(gate, result, f"{kind} tau, 100 x 20")
        gate.near(f"{kind} tau: number of separation and reattachment points", len(points), len(wanted), 0)
        for k, (got, place) in enumerate(zip(points, wanted)):
            gate.near(f"{kind} tau: {'SR'[k % 2]}{k // 2 + 1}, D", got, place, 0.03)
        gate.relative(f"{kind} tau: largest wall shear rate, U/D", shear, bounds["shear_rate_max"][0], 0.04)
        common(gate, result)
    (points, shear, pressure), (other, other_shear, other_pressure) = rows
    gate.at_most("points of the two, largest difference, D", float(np.abs(np.subtract(points, other)).max()), 0.01)
    gate.at_least("points of the two, largest difference, D", float(np.abs(np.subtract(points, other)).max()), 1e-4)
    gate.relative("largest wall shear rate of the two", other_shear, shear, 0.02)
    gate.relative("wall pressure at the inlet of the two", other_pressure, pressure, 0.06)


def main(which):
    name, _, variant = which.partition("_")
    gate = Gate(f"case_aaa_{which}")
    if variant == "":
        quads(gate, name)
    elif variant == "devss":
        quads(gate, name, "-stabiliser_devss_theta", "1")
    elif variant == "tri":
        triangles(gate, name)
    elif variant == "tau":
        tau(gate, name)
    else:
        sys.exit(__doc__)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
