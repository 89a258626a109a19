"""options/aaa_3d.yaml: the aneurysm as a body of revolution. aneurysm.py steady|windkessel|cycles

steady: the steady state of a constant flow rate against that of axisymmetric flow in the half plane that is turned, on two meshes.
windkessel: the pressure behind the outlet against its equation over a quarter of the second cycle, what flows in and out; with an Oldroyd-B mode.
cycles: the third cycle against the second, its wall shear stress on two meshes against axisymmetric flow."""
import math
import re
import subprocess
import sys

import h5py
import numpy as np
import run
from gate import Gate, largest
from scipy.integrate import solve_ivp

CASE = f"{run.OPTIONS}/aaa_3d.yaml"
PLANE = ["-form_axisymmetric", "-bc_axis_type", "symmetry", "-diagnostic_probe_points", "4,0; 5,0.9; 10,0"]
OLDROYDB = ["-physics", "carreau_yasuda,oldroydb", "-physics_carreau_yasuda_viscosity_inf", 0.009, "-physics_oldroydb_viscosity", 0.001, "-physics_oldroydb_lambda", 0.2835,
            "-polymer_variable", "logconf", "-stabiliser", "devss,split_oss", "-scheme_fractional_step_integrator", "ssp3"]
RP, RD, C, FIRST = 152, 6919, 5.976e-4, 2434


def mesh(s, plane=False):
    if plane:
        return run.gmsh("aaa_3d.geo", f"plane_{s}", ("s", s), ("plane", 1))
    path = f"{run.folder('mesh')}/space_{s}.msh"
    subprocess.run(["gmsh", "-v", "2", "-format", "msh22", "-3", f"{run.MESHES}/aaa_3d.geo", "-o", path, "-setnumber", "s", str(s)], check=True)
    return path


def case(*words, **keywords):
    return run.rheoplex("run", CASE, *words, "-device", "cpu", out=run.folder("aaa_3d"), **keywords)


def steady_case():
    """The file with a constant flow rate, an outlet of pressure 0 and Newton's method."""
    with open(CASE) as f:
        text = f.read()
    for old, new in ((r"  cycle: .*\n", ""), (r'flow_rate: "[^"]*", ramp: 1', "flow_rate: pi/4"), (r"bc_outlet: .*", "bc_outlet: {type: outlet}"), (r"scheme: .*\n.*\nstop: .*", "scheme: steady\nsolver: direct"),
                     (r"shear: .*", "shear: {kind: wall, label: wall}"), (r", every_dt: [0-9.]*", "")):
        text, found = re.subn(old, new, text)
        if not found:
            raise run.Failure(f"aaa_3d.yaml: no '{old}'")
    path = f"{run.folder('steady')}/case.yaml"
    with open(path, "w") as f:
        f.write(text)
    return path


def along(table, name):
    """x and values of a wall's table by x."""
    order = np.argsort(table["x"])
    return table["x"][order], table[name][order]


def far(table, name, line):
    """Root mean square of the difference to a line of axisymmetric flow, over that line's own; without an element beside the ends."""
    inside = (table["x"] > 0.2) & (table["x"] < 11.05)
    expected = np.interp(table["x"][inside], *line)
    return float(np.sqrt(np.mean((table[name][inside] - expected) ** 2) / np.mean(expected**2)))


def steady(gate):
    path = steady_case()

    def falls(mesh_file, *words):
        result = run.rheoplex("run", path, "-mesh_file", mesh_file, *words, "-device", "cpu", out=run.folder("aaa_3d"))
        rate = result.table("_rate.csv")
        gate.relative(f"outflow of {mesh_file.split('/')[-1]}", float(rate["outlet_flux"][-1]), math.pi / 4, 1e-6)
        pressure = result.table("_pressure.csv")
        return float(pressure["inlet_pressure"][-1] - pressure["outlet_pressure"][-1]), result.table("_shear_wall.csv")

    plane = {s: falls(mesh(s, True), *PLANE) for s in (0.08, 0.04)}
    exact = plane[0.04][0] + (plane[0.04][0] - plane[0.08][0]) / 3
    line = along(plane[0.04][1], "wss_x")
    gate.relative("axisymmetric flow: fall of the pressure on two meshes", plane[0.08][0], exact, 0.004)
    errors = []
    for name, s, drop, shear in (("coarse", None, 0.10, 0.27), ("fine", 0.11, 0.04, 0.14)):
        fall, wall = falls(f"{run.MESHES}/aaa_3d.msh" if s is None else mesh(s))
        gate.relative(f"{name}: fall of the pressure", fall, exact, drop)
        gate.at_most(f"{name}: wall shear stress, root mean square", far(wall, "wss_x", line), shear)
        errors.append((abs(fall / exact - 1), far(wall, "wss_x", line)))
    for k, what in enumerate(("pressure", "wall shear stress")):
        order = math.log(errors[0][k] / errors[1][k]) / math.log(0.16 / 0.11)
        gate.at_least(f"order of the {what}", order, 1.5)


def inflow(t):
    with open(CASE) as f:
        formula = re.search(r'flow_rate: "([^"]*)"', f.read())[1]
    return eval(formula, {"pi": math.pi, "cos": np.cos, "sin": np.sin, "t": t}) * np.where(t < 1, (1 - np.cos(math.pi * t)) / 2, 1)


def windkessel(gate):
    result = case("-stop_time", 1.2, "-diagnostic_shear_start", 0, "-diagnostic_shear_period", 0, "-diagnostic_rate_every_dt", 0, "-diagnostic_rate_every", 1,
                  "-diagnostic_pressure_every_dt", 0, "-diagnostic_pressure_every", 1)
    rate, pressure = result.table("_rate.csv"), result.table("_pressure.csv")
    t, flux = np.concatenate([[0], rate["t"]]), np.concatenate([[0], rate["outlet_flux"]])
    charge = solve_ivp(lambda now, p: [(np.interp(now, t, flux) - p[0] / RD) / C], [0, t[-1]], [FIRST], t_eval=t, max_step=0.005, rtol=1e-9).y[0]
    with h5py.File(result.file("_checkpoint.h5")) as f:
        kept = f.attrs["condition_outlet_windkessel"][...]
    gate.relative("pressure over the compliance, of its equation", float(kept[3]), float(charge[-1]), 1e-6)
    gate.at_most("pressure at the outlet", float(np.abs(pressure["outlet_pressure"] - charge[1:] - RP * flux[1:])[5:].max() / charge.max()), 3e-4)
    given = inflow(t)
    exact = solve_ivp(lambda now, p: [(inflow(now) - p[0] / RD) / C], [0, t[-1]], [FIRST], rtol=1e-9).y[0, -1]
    gate.relative("pressure over the compliance, of the inflow", float(kept[3]), exact, 2e-3)
    gate.at_most("inflow", float(np.abs(rate["inlet_flux"] + given[1:]).max()), 1e-9)
    gate.at_most("inflow and outflow", float(np.abs(flux - given).max() / given.max()), 6e-3)
    history = case(*OLDROYDB, "-stop_steps", 20).table("_history.csv")
    gate.near("with an Oldroyd-B mode: least eigenvalue of c", float(history["min_eigenvalue"][-1]), 1, 0.05)


def cycles(gate):
    runs = {"plane": case("-mesh_file", mesh(0.06, True), *PLANE), "coarse": case(timeout=900), "fine": case("-mesh_file", mesh(0.11), "-stop_time", 8, timeout=1500)}
    for name, result in runs.items():
        probe, pressure, rate = (result.table(f"_{table}.csv") for table in ("probe", "pressure", "rate"))
        balance = rate["inlet_flux"] + rate["outlet_flux"]
        gate.at_most(f"{name}: inflow and outflow", float(np.abs(balance).max() / np.abs(rate["inlet_flux"]).max()), 7e-3)
        if name == "fine":
            continue
        before, after = (np.flatnonzero((probe["t"] > 4 * k - 1e-9) & (probe["t"] < 4 * k + 4 - 1e-9)) for k in (1, 2))
        velocities = [n for n in probe if n.startswith("velocity")]
        change = largest(float(np.abs(probe[n][after] - probe[n][before]).max()) for n in velocities)
        gate.at_most(f"{name}: velocity from cycle to cycle", change / max(float(np.abs(probe[n][after]).max()) for n in velocities), 1e-3)
        p = pressure["outlet_pressure"]
        gate.at_most(f"{name}: pressure at the outlet from cycle to cycle", float(np.abs(p[after] - p[before]).max() / p.max()), 1e-3)
        gate.relative(f"{name}: largest pressure at the outlet", float(p[after].max()), 3047, 0.002)
        gate.relative(f"{name}: least pressure at the outlet", float(p[after].min()), 1720, 0.002)
    plane, coarse, fine = (result.table("_shear_wall.csv") for result in runs.values())
    for name, first, second in (("magnitude", 0.35, 0.17), ("osi", 0.17, 0.1)):
        line = along(plane, name)
        gate.at_most(f"coarse: {name} against axisymmetric flow, root mean square", far(coarse, name, line), first)
        gate.at_most(f"fine: {name} against axisymmetric flow, root mean square", far(fine, name, line), second)


def main(check):
    gate = Gate(f"aneurysm_{check}")
    {"steady": steady, "windkessel": windkessel, "cycles": cycles}[check](gate)
    return gate.finish()


sys.exit(main(sys.argv[1]))
