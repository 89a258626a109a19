"""Published benchmarks as a user runs them. benchmarks.py cylinder|shedding|cavity|step|couette|contraction|planar|ptt|ptt_tube|branching|sphere|tube|
tube_full|cross|cross_full|nozzle|pulse|breakdown|ptt_cylinder|cavity_re1000:
options/cylinder_re40.yaml, cylinder_re100.yaml, cavity3d_re100.yaml, step_re800.yaml, taylor_couette_oldroydb.yaml, contraction_oldroydb.yaml, contraction_ptt.yaml, contraction_tube_ptt.yaml,
branching.yaml, sphere_tube.yaml, contraction_tube_oldroydb.yaml, cross_slot_oldroydb.yaml, fda_nozzle.yaml, aaa_pulsatile.yaml, vortex_breakdown.yaml, confined_cylinder_ptt.yaml, cavity3d_re1000.yaml against the figures that their heads quote."""
import math
import os
import re
import sys

import cubic
import numpy as np
import run
import stokes
from gate import Gate, largest

NUMBER = r"([-+.e0-9]+[0-9])"


def case(name, mesh=None, *more):
    words = [*(["-mesh_file", f"{run.MESHES}/{mesh}.msh"] if mesh else []), *more]
    return run.rheoplex("run", f"{run.OPTIONS}/{name}.yaml", *words, "-device", "cpu", out=run.folder(name))


def cylinder(gate):
    result = case("cylinder_re40", "cylinder_free")
    gate.near("Re 40: c_D", float(re.search(rf"c_D = {NUMBER}", result.stdout)[1]), 1.54, 0.04)
    wake = result.table("_wake_000001.csv")
    back = np.flatnonzero((wake["velocity_x"][:-1] < 0) & (wake["velocity_x"][1:] >= 0))[-1]
    u, x = wake["velocity_x"][back:back + 2], wake["x"][back:back + 2]
    gate.near("Re 40: length of the wake, diameters", x[0] - u[0] * (x[1] - x[0]) / (u[1] - u[0]) - 0.5, 2.225, 0.125)


def shedding(gate):
    result = case("cylinder_re100", "wake_cylinder")
    gate.near("Re 100: St", float(re.search(rf"St = {NUMBER}", result.stdout)[1]), 0.165, 0.001)
    table = result.table("_drag.csv")
    late = table["t"] > 35
    drag, lift = (next(table[name][late] for name in table if name.endswith(end)) for end in ("c_D", "c_L"))
    gate.near("Re 100: mean c_D", float(drag.mean()), 1.325, 0.015)
    gate.near("Re 100: root mean square of c_L", float(lift.std()), 0.225, 0.01)


def cavity(gate):
    """The cubic one, as it is shipped and on 48 x 48 x 24 hexes, beside finite differences. Bounds: profiles in the lid's speed; their extrema, relative."""
    wanted = cubic.extrapolated(24, 32, 100, np.linspace(0, 1, 201))
    fine = ["-mesh_box_faces", "48,48,24", "-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2", "-scheme_fractional_step_dt", 0.05]
    for what, words, far, high in ("shipped", [], 0.012, 0.008), ("48 cells a side", fine, 0.004, 0.003):
        result = case("cavity3d_re100", None, *words)
        for line, column, other in ("vertical", "velocity_x", wanted[0]), ("horizontal", "velocity_y", wanted[1]):
            got = result.table(sorted(name for name in os.listdir(result.out) if f"_{line}_" in name)[-1])[column]
            gate.at_most(f"cubic cavity, Re 100, {what}: {column} on its {line} line", float(abs(got - other).max()), far)
            gate.relative(f"cubic cavity, Re 100, {what}: least {column}", float(got.min()), float(other.min()), 0.003)
        gate.relative(f"cubic cavity, Re 100, {what}: largest velocity_y", float(got.max()), float(wanted[1].max()), high)


def cavity_re1000(gate):
    """The cubic one on 32 x 32 x 16 graded hexes."""
    result = case("cavity3d_re1000", None, "-mesh_file", run.gmsh("cavity3d.geo", "cavity3d", ("n", 32), dim=3), "-scheme_fractional_step_dt", 0.04)
    lines = [result.table(sorted(name for name in os.listdir(result.out) if f"_{line}_" in name)[-1]) for line in ("vertical", "horizontal")]
    (y, u), (x, v) = ((t[at], t[f"velocity_{component}"]) for t, at, component in zip(lines, "yx", "xy"))
    for component, at, got in ("u", y, u), ("v", x, v):
        rows = run.reference("cavity3d_re1000", component=component)
        gate.at_most(f"cubic cavity, Re 1000: {component} on its middle line", largest(abs(float(np.interp(float(row["at"]), at, got)) - float(row["value"])) for row in rows), 0.01)
    for name, got, bound in ("u_min", u.min(), 0.005), ("v_min", v.min(), 0.015), ("v_max", v.max(), 0.005):
        gate.relative(f"cubic cavity, Re 1000: {name}", float(got), float(run.reference("cavity3d_re1000", component=name)[0]["value"]), bound)


def cavity_re400(gate, n=24):
    """The cubic one on n x n x n/2 graded hexes. What is read off a figure: the distance of each reading from the profile, in units of the lid's speed and the edge."""
    result = case("cavity3d_re1000", None, "-mesh_file", run.gmsh("cavity3d.geo", "cavity3d", ("n", n), dim=3), "-physics_newtonian_viscosity", 0.0025, "-scheme_fractional_step_dt", 0.04 if n == 24 else 0.03)
    for line, at, component, name in ("vertical", "y", "x", "u"), ("horizontal", "x", "y", "v"):
        table = result.table(sorted(file for file in os.listdir(result.out) if f"_{line}_" in file)[-1])
        readings = [(float(row["at"]), float(row["value"])) for row in run.reference("cavity3d_re400", component=name)]
        far = [float(np.hypot(table[at] - place, table[f"velocity_{component}"] - value).min()) for place, value in readings]
        gate.true(f"cubic cavity, Re 400: {len(far)} readings of {name}", len(far) > 15)
        gate.at_most(f"cubic cavity, Re 400: {name} from the readings", largest(far), 0.01)


def contraction(gate):
    """At De 1; the length is extrapolated from meshes of 2603 and 5739 nodes, 1.3892 and 1.3808."""
    result = case("contraction_oldroydb", "contraction")
    length = -float(re.search(rf"walls top: .*separation at x/D = {NUMBER}", result.stdout)[1])
    gate.relative("contraction: length of the vortex", length, 1.3741, 0.015)
    rate = result.table("_rate.csv")
    gate.at_most("contraction: inflow and outflow", float(np.abs(rate["inlet_flux"] + rate["outlet_flux"]).max()), 1e-9)


def vortex(gate, name, what, expected, *words, balance=1e-9):
    """Length of the vortex, on the mesh that is shipped."""
    result = case(name, "contraction", *words)
    length = -float(re.search(rf"walls top: .*separation at x/D = {NUMBER}", result.stdout)[1])
    gate.relative(f"{what}: length of the vortex", length, expected, 0.003)
    rate = result.table("_rate.csv")
    gate.at_most(f"{what}: inflow and outflow", float(np.abs(rate["inlet_flux"] + rate["outlet_flux"]).max()), balance)


def planar(gate):
    """Newtonian, by De 0.001: 1.4981, 1.4983, 1.4984 on 2600, 5700, 10100 nodes, 1.4985 extrapolated; expected: differences of the stream function, extrapolated."""
    coarse, fine = (stokes.extrapolated(cells, [stokes.contraction_vortex(n) for n in cells]) for cells in ((8, 16, 32), (12, 24, 48)))
    gate.relative("contraction, Newtonian: length by differences, 8 to 32 cells and 12 to 48", coarse, fine, 3e-4)
    vortex(gate, "contraction_oldroydb", "contraction, Newtonian", fine, "-scheme_steady_continuation", "physics_oldroydb_lambda=0.001:0.001:0.001")


def ptt(gate):
    vortex(gate, "contraction_ptt", "contraction, PTT, De 1", 1.545, "-scheme_steady_continuation", "physics_ptt_lambda=0.04:0.48:1")
    vortex(gate, "contraction_ptt", "contraction, PTT, De 3", 1.744)


def ptt_tube(gate):
    vortex(gate, "contraction_tube_ptt", "contraction of a tube, PTT, De 1", 1.807, "-scheme_steady_continuation", "physics_ptt_lambda=0.04:0.48:1")
    vortex(gate, "contraction_tube_ptt", "contraction of a tube, PTT, De 3", 2.291)


def tube_full(gate):
    vortex(gate, "contraction_tube_oldroydb", "contraction of a tube, De 1", 1.810)


def branching(gate):
    """In time until the flow has divided, and by Newton's method."""
    for name, words, bound in (("explicit", ["-stop_time", 3], 0.003), ("steady", ["-scheme", "steady", "-bc_inlet_ramp", 0], 0.0005)):
        rate = case("branching", "branching", *words).table("_rate.csv")
        out = rate["outlet_flux"][-1], rate["branch_flux"][-1]
        gate.at_most(f"branching: {name}: inflow and outflow", abs(rate["inlet_flux"][-1] + sum(out)), 1e-5)
        gate.near(f"branching: {name}: part of the branch", out[1], 0.2974, bound)


def ptt_cylinder(gate):
    """Four modes of PTT past a confined cylinder: profiles at two meshes."""
    profiles = []
    for mesh, drag in ((f"{run.MESHES}/confined_cylinder_half.msh", 286.23), (run.gmsh("confined_cylinder.geo", "ptt_cylinder", ("n", 20)), 283.56)):
        result = case("confined_cylinder_ptt", None, "-mesh_file", mesh)
        gate.relative("PTT, four modes: c_D", float(re.search(rf"c_D = {NUMBER}", result.stdout)[1]), drag, 1e-4)
        profiles.append([result.table(next(name for name in os.listdir(result.out) if f"_{line}_" in name)) for line in ("across", "behind")])
    for line, (coarse, fine), bounds in zip(("across", "behind"), zip(*profiles), ((0.012, 0.035, 0.028), (0.005, 0.025, 1e-9))):
        found = [[t["velocity_x"], (t["stress_xx"] - t["stress_yy"]) / 3, t["stress_xy"] / 3] for t in (coarse, fine)]
        for what, a, b, bound in zip(("u/U", "N1/tau_0", "tau_xy/tau_0"), *found, bounds):
            gate.at_most(f"{line}: {what} at two meshes", float(np.abs(a - b).max()), bound)
        gate.near(f"{line}: largest u/U", float(found[1][0].max()), {"across": 1.4385, "behind": 1.4804}[line], 0.002)


def sphere(gate):
    """Newtonian K on n and 2 n cells to an eighth of the circle, with Richardson's extrapolation against a Stokes solution; Wi 0.3 and 0.6 against what is remembered."""
    result = case("sphere_tube", "sphere_tube")
    table = result.table("_forces.csv")
    exact = [stokes.sphere_in_tube(2.0, terms) for terms in (6, 10)]
    gate.relative("sphere in a tube, Stokes: K with 6 and 10 terms", exact[0], exact[1], 1e-6)
    gate.relative("sphere, Stokes: K in a tube of ten radii, Bohlin's series", stokes.sphere_in_tube(10.0, 10), 1 / (1 - 0.210443 + 2.08877e-3 - 9.4813e-6 - 1.372e-6 + 3.87e-8), 1e-5)
    drags = {wi: float(table["sphere_x"][np.argmin(np.abs(table["t"] - wi))]) / (6 * math.pi) for wi in (0.001, 0.3005, 0.6)}
    fine = case("sphere_tube", None, "-mesh_file", run.gmsh("confined_cylinder.geo", "sphere_tube", ("n", 28), ("sphere", 1)), "-scheme_steady_continuation", "physics_oldroydb_lambda=0.001:0.001:0.001")
    drag = float(fine.table("_forces.csv")["sphere_x"][-1]) / (6 * math.pi)
    gate.relative("sphere in a tube, Newtonian: K extrapolated", drag + (drag - drags[0.001]) / 3, exact[1], 2e-4)
    for wi, expected in ((0.001, exact[1]), (0.3005, 5.6937), (0.6, 5.4123)):
        gate.relative(f"sphere in a tube, Wi {wi}: K", drags[wi], expected, 0.0025)
    iterations = [int(n) for n in re.findall(r"Newton: (\d+) iterations", result.stdout)]
    gate.at_most("sphere in a tube: iterations of Newton's method", max(iterations), 7)


def tube(gate):
    """The contraction of a tube at De 0.001; the length is extrapolated from 5764 and 10165 nodes, Newtonian."""
    result = case("contraction_tube_oldroydb", "contraction", "-scheme_steady_continuation", "physics_oldroydb_lambda=0.001:0.001:0.001")
    length = -float(re.search(rf"walls top: .*separation at x/D = {NUMBER}", result.stdout)[1])
    gate.relative("contraction of a tube: length of the vortex", length, 1.3112, 0.012)
    rate = result.table("_rate.csv")
    gate.relative("contraction of a tube: flow rate", float(rate["outlet_flux"][-1]), math.pi, 1e-9)
    gate.at_most("contraction of a tube: inflow and outflow", float(np.abs(rate["inlet_flux"] + rate["outlet_flux"]).max()), 1e-9)


def turning(result, line):
    """Flux through a line of the table from the centre to a corner, m^2/s."""
    t = result.table(next(name for name in sorted(os.listdir(result.out), reverse=True) if f"_{line}_" in name))
    middle = (t["velocity_x"][1:] + t["velocity_x"][:-1]) / 2, (t["velocity_y"][1:] + t["velocity_y"][:-1]) / 2
    return abs(float((middle[0] * np.diff(t["y"]) - middle[1] * np.diff(t["x"])).sum()))


def crossing(gate, wi, expected, bound, *words):
    result = case("cross_slot_oldroydb", None, "-physics_oldroydb_lambda", wi, *words)
    up, down = (turning(result, line) for line in ("upper", "lower"))
    gate.near(f"cross-slot: Wi {wi}: asymmetry", (up - down) / (up + down), expected, bound)
    rate = result.table("_rate.csv")
    gate.at_most(f"cross-slot: Wi {wi}: inflow and outflow", abs(sum(rate[f"{name}_flux"][-1] for name in ("left", "right", "top", "bottom"))), 1e-9)


def cross(gate):
    """On 561 nodes and in longer steps."""
    words = "-mesh_file", run.gmsh("cross_slot.geo", "cross_slot", ("n", 11), ("m", 10), ("r", 1.3)), "-scheme_monolithic_dt", 0.2, "-stop_time", 8
    crossing(gate, 0.5, -0.8265, 0.005, *words)
    crossing(gate, 0.3, 0, 1e-3, *words)


def cross_full(gate):
    words = "-mesh_file", f"{run.MESHES}/cross_slot.msh"
    crossing(gate, 0.5, -0.8426, 0.002, *words)
    crossing(gate, 0.35, 0, 1e-3, *words)
    told = run.rheoplex("eigen", f"{run.OPTIONS}/cross_slot_oldroydb.yaml", *words, "-device", "cpu", "-scheme", "steady", "-form_body_force", "", "-bc_left_ramp", 0,
                        "-bc_right_ramp", 0, "-scheme_steady_continuation", "physics_oldroydb_lambda=0.05:0.15:0.38", "-eigen_shifts", 0.1, "-eigen_number", 1,
                        "-eigen_critical", "physics_oldroydb_lambda=0.38:0.4", out=run.folder("cross_slot")).stdout
    gate.near("cross-slot: Wi at which the symmetric state loses its stability", float(re.search(rf"critical value: physics_oldroydb_lambda = {NUMBER}", told)[1]), 0.3884, 0.0005)


def nozzle(gate):
    """Figures of 18409 nodes."""
    result = case("fda_nozzle", "fda_nozzle")
    axis = result.table(next(name for name in os.listdir(result.out) if "_axis_" in name))
    speed, pressure = (lambda at, name=name: float(np.interp(at, axis["x"], axis[name])) for name in ("velocity_x", "pressure"))
    gate.relative("nozzle: axis at the inlet, twice the mean velocity", speed(-0.092685), 2 * 0.046033, 1e-4)
    gate.relative("nozzle: axis at the throat's end", speed(0), 0.7490, 0.003)
    gate.relative("nozzle: fall of the pressure to the throat's end", (pressure(-0.092685) - pressure(0)) / (1056 * 0.4143**2), 1.7127, 0.006)
    gate.relative("nozzle: reattachment, D", float(re.search(rf"walls tube: .*reattachment at x/D = .*?{NUMBER}$", result.stdout, re.M)[1]), 52.40, 0.005)
    rate = result.table("_rate.csv")
    gate.relative("nozzle: outflow", float(rate["outlet_flux"][-1]), -float(rate["inlet_flux"][-1]), 1e-6)


def breakdown(gate):
    """Where the flow along the axis turns, from the wall at rest; expected: 192 x 96 cells."""
    result = case("vortex_breakdown")
    axis = result.table(next(name for name in os.listdir(result.out) if "_axis_" in name))
    x, u = axis["x"][1:-1], axis["velocity_x"][1:-1]
    turns = np.flatnonzero(u[:-1] * u[1:] < 0)
    gate.true("vortex breakdown: two turns on the axis", len(turns) == 2)
    at = x[turns] - u[turns] * (x[turns + 1] - x[turns]) / (u[turns + 1] - u[turns])
    for name, k, expected, bound in (("first", 0, 0.679, 0.045), ("second", -1, 0.833, 0.006)):
        gate.near(f"vortex breakdown: {name} stagnation point, z/R", float(at[k]), expected, bound)


FLUIDS = {  # of the pulsatile aneurysm: what is another than in the case, which has both
    "carreau": [("physics: carreau_yasuda,oldroydb", "physics: carreau_yasuda"), ("physics_oldroydb: {viscosity: 0.001, lambda: 0.2835}\n", ""),
                ("polymer: {variable: logconf}\n", ""), ("devss,split_oss", "split_oss"), (", polymer: developed", "")],
    "oldroydb": [("physics: carreau_yasuda,oldroydb", "physics: newtonian,oldroydb"),
                 ("physics_carreau_yasuda: {viscosity: 0.1461, viscosity_inf: 0.009, lambda: 8.28, a: 2, n: 0.3568}", "physics_newtonian: {viscosity: 0.027}"),
                 ("{viscosity: 0.001, lambda", "{viscosity: 0.003, lambda")],
    "both": [],
}


def pulsating(fluid, mesh, dt):
    """x, TAWSS and OSI along the wall below, by x; the change from the fourth cycle to the fifth over the largest velocity; what does not balance; the first periodic cycle."""
    out = run.folder(f"aaa_pulsatile_{fluid}")
    with open(f"{run.OPTIONS}/aaa_pulsatile.yaml") as f:
        text = f.read()
    for old, new in FLUIDS[fluid]:
        if old not in text:
            raise run.Failure(f"aaa_pulsatile.yaml: no '{old}'")
        text = text.replace(old, new)
    with open(f"{out}/case.yaml", "w") as f:
        f.write(text)
    result = run.rheoplex("run", f"{out}/case.yaml", "-mesh_file", f"{run.MESHES}/{mesh}.msh", "-scheme_lumped_dt", dt, "-device", "cpu", out=f"{out}/out")
    probe, rate = result.table("_probe.csv"), result.table("_rate.csv")
    before, after = (np.flatnonzero((probe["t"] > 4 * k - 1e-9) & (probe["t"] < 4 * k + 4 - 1e-9)) for k in (3, 4))
    names = [name for name in probe if name.startswith("velocity")]
    change = largest(float(np.abs(probe[name][after] - probe[name][before]).max()) for name in names) / max(float(np.abs(probe[name][after]).max()) for name in names)
    balance = float(np.abs(rate["inlet_flux"] + rate["outlet_flux"]).max() / np.abs(rate["inlet_flux"]).max())
    wall = [result.table(f"_shear_wall_{side}.csv") for side in ("bottom", "top")]
    other = float(np.abs(np.sort(wall[0]["magnitude"]) - np.sort(wall[1]["magnitude"])).max())
    order, cycle = np.argsort(wall[0]["x"]), result.table("_cycle.csv")
    periodic = cycle["period"][np.max([cycle[k] for k in cycle if k in ("velocity", "pressure", "polymer")], axis=0) <= 1e-3]
    return {"x": wall[0]["x"][order], "TAWSS": wall[0]["magnitude"][order], "OSI": wall[0]["osi"][order]}, change, balance, other, periodic[0]


def pulse(gate):
    """The fifth cycle: against the fourth, and its wall shear stress on two meshes, each fluid."""
    for fluid, mean, osi, first in (("both", 0.1248, 0.3094, 4), ("carreau", 0.1222, 0.3124, 4), ("oldroydb", 0.1526, 0.3056, 5)):
        walls = []
        for mesh, dt in (("aaa_100x20", 0.002), ("aaa_200x40", 0.001)):
            wall, change, balance, other, periodic = pulsating(fluid, mesh, dt)
            walls.append(wall)
            gate.near(f"{fluid}, {mesh}: first cycle that is periodic to 1e-3", periodic, first, 0)
            gate.at_most(f"{fluid}, {mesh}: velocity from cycle to cycle", change, 1e-3)
            gate.at_most(f"{fluid}, {mesh}: inflow and outflow", balance, 3e-3)
            gate.at_most(f"{fluid}, {mesh}: wall shear stress below and above", other, 1e-6)
        for name, expected in (("TAWSS", mean), ("OSI", osi)):
            coarse = np.interp(walls[1]["x"], walls[0]["x"], walls[0][name])
            gate.relative(f"{fluid}: mean of the {name}", float(np.trapezoid(walls[1][name], walls[1]["x"]) / np.ptp(walls[1]["x"])), expected, 0.01)
            gate.at_most(f"{fluid}: {name} on two meshes, root mean square", float(np.sqrt(np.mean((coarse - walls[1][name]) ** 2) / np.mean(walls[1][name] ** 2))), 0.05)


def step(gate):
    told = case("step_re800", "step").stdout
    below = re.search(rf"walls bottom: .*reattachment at x/D = {NUMBER}", told)
    above = re.search(rf"walls top: .*separation at x/D = {NUMBER}, reattachment at x/D = {NUMBER}", told)
    for what, got, published in (("reattachment below", below[1], 6.10), ("separation above", above[1], 4.85), ("reattachment above", above[2], 10.48)):
        gate.relative(f"Re 800: {what}", float(got), published, 0.03)


def couette(gate):
    result = case("taylor_couette_oldroydb", "annulus")
    torque = 4 * math.pi * 0.4 * 0.9 * 0.25 / 0.75
    table = result.table("_torque.csv")
    gate.relative("torque inside", -table["inner_torque"][-1], torque, 0.003)
    gate.relative("torque outside", table["outer_torque"][-1], torque, 0.003)
    x, state = result.checkpoint("positions"), result.checkpoint()
    r = np.hypot(x[:, 0], x[:, 1])
    around = (x[:, 0] * state[:, 1] - x[:, 1] * state[:, 0]) / r
    gate.at_most("velocity", float(np.abs(around - 0.9 * 0.25 / 0.75 * (1 / r - r)).max() / 0.45), 0.003)
    trace = state[:, 3] + state[:, 4]  # 2 eta lambda (r d(u/r)/dr)^2
    exact = 2 * 0.3 * 0.5 * (0.6 / r**2) ** 2
    middle = (r > 0.6) & (r < 0.9)
    gate.at_most("first normal stress difference inside", float(np.abs(trace / exact - 1)[middle].max()), 0.03)


def main(check):
    gate = Gate(f"benchmarks_{check}")
    {"cylinder": cylinder, "shedding": shedding, "cavity": cavity, "cavity_re1000": cavity_re1000, "cavity_re400": cavity_re400, "cavity_re400_fine": lambda gate: cavity_re400(gate, 48), "step": step, "couette": couette, "contraction": contraction, "branching": branching,
     "sphere": sphere, "tube": tube, "tube_full": tube_full, "planar": planar, "ptt": ptt, "ptt_tube": ptt_tube, "ptt_cylinder": ptt_cylinder, "cross": cross, "cross_full": cross_full, "nozzle": nozzle, "pulse": pulse, "breakdown": breakdown}[check](gate)
    return gate.finish()


sys.exit(main(sys.argv[1]))
