"""A second plugin from outside: three modes, a non-linear spring, the out-of-plane component; built against the installed
package, without a C++ compiler. On a mesh in simple shear, in conformation and in log-conformation: start-up against the ordinary
differential equation solved here by SciPy, the steady state against its root, by Newton's method too, whose products are of complex
numbers then; stress is refused."""
import os
import shutil
import sys

import numpy as np
import run
from gate import Gate
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

sys.path.insert(0, f"{run.SOURCE}/tests/external_plugin")
import external  # noqa: E402

RATE, SOLVENT, T_START = 2.0, 0.3, 0.6
MODES = [{"viscosity": 0.8, "lambda": 1.0, "L2": 12.0}, {"viscosity": 0.5, "lambda": 0.4, "L2": 30.0}, {"viscosity": 0.2, "lambda": 0.15, "L2": 8.0}]
COMPONENTS = ("xx", "yy", "zz", "xy")


def spring(trace, limit):
    x = trace / limit
    return (1 - x / 3) / (1 - x)


def derivative(c, mode):
    """dc/dt of xx, yy, zz, xy in shear u = RATE y."""
    f, a = spring(c[0] + c[1] + c[2], mode["L2"]), spring(3, mode["L2"])
    convected = np.array([2 * RATE * c[3], 0, 0, RATE * c[1]])
    return convected - (f * c - a * np.array([1, 1, 1, 0])) / mode["lambda"]


def stress(c, mode):
    f, a = spring(c[0] + c[1] + c[2], mode["L2"]), spring(3, mode["L2"])
    return mode["viscosity"] / mode["lambda"] * (f * c - a * np.array([1, 1, 1, 0]))


def start_up(mode):
    solution = solve_ivp(lambda t, c: derivative(c, mode), (0, T_START), [1, 1, 1, 0], rtol=1e-11, atol=1e-13)
    return solution.y[:, -1]


def steady(mode):
    late = solve_ivp(lambda t, c: derivative(c, mode), (0, 30), [1, 1, 1, 0], rtol=1e-8).y[:, -1]
    return fsolve(lambda c: derivative(c, mode), late, xtol=1e-13)


def case(plugin, variable, *more, expect=0):
    words = ["run", "-case_name", "shear", "-plugin", plugin, "-physics", "newtonian,outside_cohen", "-physics_newtonian_viscosity", SOLVENT,
             "-stabiliser", "devss,split_oss", "-polymer_variable", variable, "-physics_outside_cohen_modes", len(MODES),
             "-mesh_box_faces", "3,4", "-mesh_box_periodic", "x", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall",
             "-bc_top_velocity", f"{RATE},0", "-initial_velocity", f"{RATE}*y,0", "-diagnostic_forces", "top", "-diagnostic_forces_every", "100",
             "-diagnostic_history_every", "100"]
    words += [w for name in MODES[0] for w in (f"-physics_outside_cohen_{name}", ",".join(str(m[name]) for m in MODES))]
    return run.rheoplex(*words, *more, out=run.folder("second"), expect=expect)


def conformation(state, mode_number, variable):
    """Nodal c of a mode from what is solved for."""
    s = state[:, 3 + 4 * mode_number:7 + 4 * mode_number]
    if variable == "conformation":
        return s
    value, vector = np.linalg.eigh(s[:, [[0, 3, 3], [3, 1, 3], [3, 3, 2]]] * np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]]))
    full = np.einsum("nik,nk,njk->nij", vector, np.exp(value), vector)
    return np.stack([full[:, 0, 0], full[:, 1, 1], full[:, 2, 2], full[:, 0, 1]], axis=1)


def compare(gate, what, state, variable, exact, tolerance):
    for m, mode in enumerate(MODES):
        c, wanted = conformation(state, m, variable), exact(mode)
        for k, name in enumerate(COMPONENTS):
            gate.near(f"{what}, mode {m}: c_{name}", float(c[np.argmax(abs(c[:, k] - wanted[k])), k]), wanted[k], tolerance)


def shear(gate, plugin, variable):
    begun = case(plugin, variable, "-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", "0.002", "-stop_time", T_START)
    compare(gate, f"{variable}, start-up", begun.checkpoint(), variable, start_up, 1e-5)
    rest = case(plugin, variable, "-scheme_lumped_dt", "0.004", "-stop_steady_tol", "1e-11", "-stop_time", "60")
    compare(gate, f"{variable}, steady", rest.checkpoint(), variable, steady, 1e-8)
    total = RATE * SOLVENT + sum(stress(steady(mode), mode)[3] for mode in MODES)
    gate.near(f"{variable}: force on the moving wall", rest.table("_forces.csv")["top_x"][-1], -total, 1e-8)


def newton(gate, plugin):
    names = external.call("nm", plugin, stdout=external.subprocess.PIPE, text=True).stdout
    gate.true("the plugin was built without C++", "rhx_ops_2_4_2" in names and "rhx_ops_2_4_5" not in names)
    found = case(plugin, "conformation", "-scheme", "steady", "-solver", "direct", "-ksp_rtol", "1e-8")
    compare(gate, "by Newton's method", found.checkpoint(), "conformation", steady, 1e-8)


def main():
    gate = Gate("external_plugin_second")
    external.WORK = f"{external.BUILD}/work/external_plugin_second"
    external.PREFIX = f"{external.WORK}/prefix"
    shutil.rmtree(external.WORK, ignore_errors=True)
    external.call("cmake", "--install", external.BUILD, "--prefix", external.PREFIX, stdout=external.subprocess.DEVNULL)
    project = f"{external.WORK}/source"
    shutil.copytree(f"{os.path.dirname(os.path.abspath(__file__))}/project", project)
    plugin = f"{external.build(project, 'build', '-DCMAKE_CXX_COMPILER=NOTFOUND')}/{external.LIB}/outside_cohen.so"
    run.RHEOPLEX = f"{external.PREFIX}/bin/rheoplex"
    for variable in ("conformation", "logconf"):
        shear(gate, plugin, variable)
    newton(gate, plugin)
    refused = case(plugin, "stress", expect=1).stderr
    gate.true("stress is refused and conformation named", "outside_cohen" in refused and "conformation" in refused)
    return gate.finish()


sys.exit(main())
