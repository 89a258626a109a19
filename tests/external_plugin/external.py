"""Plugins from outside: installs Rheoplex to a folder, builds the project (and the template) against it with
find_package(Rheoplex), checks the laws at a point, lists them, runs them in simple shear against Giesekus' closed form."""
import math
import os
import shutil
import subprocess
import sys

import numpy as np
import run
from gate import Gate

BUILD = os.environ["RHEOPLEX_BUILD_DIR"]
HERE = os.path.dirname(os.path.abspath(__file__))
WORK = f"{BUILD}/work/external_plugin"
PREFIX = f"{WORK}/prefix"
LIB = "lib/rheoplex/plugins"
NAMES = ("outside_giesekus", "outside_thinning", "outside_viscosity", "outside_dye", "outside_product")


def call(*command, **keywords):
    print("$", " ".join(map(str, command)), flush=True)
    return subprocess.run(list(map(str, command)), check=True, **keywords)


def build(source, name, *more):
    """Configures and builds an out-of-tree project; returns its build folder."""
    folder = f"{WORK}/{name}"
    flags = ["-DCMAKE_C_FLAGS=-fsanitize=address,undefined"] if os.environ.get("RHEOPLEX_SANITIZE") else []
    call("cmake", "-G", "Ninja", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={PREFIX}", "-DCMAKE_BUILD_TYPE=Release",
         "-DCMAKE_INSTALL_RPATH=/opt/libraries/of/the/plugins", *flags, *more)
    call("cmake", "--build", folder)
    return folder


def listed(plugins):
    for kind in ("physics", "stabiliser"):
        yield call(f"{PREFIX}/bin/rheoplex", "list", kind, "-plugin", plugins, stdout=subprocess.PIPE, text=True).stdout


RATE, SOLVENT = 2.0, {"zero": 1.0, "infinite": 0.1, "k": 0.5}
MODES = [{"viscosity": 0.8, "lambda": 0.5, "alpha": 0.2}, {"viscosity": 0.5, "lambda": 0.2, "alpha": 0.35}]


def case(plugins, *more):
    words = ["run", "-plugin", plugins, "-physics", "outside_thinning,outside_giesekus", "-stabiliser", "outside_viscosity,split_oss",
             "-physics_outside_giesekus_modes", len(MODES), "-mesh_box_faces", "3,4", "-mesh_box_periodic", "x", "-bc_bottom_type", "wall",
             "-bc_top_type", "moving_wall", "-bc_top_velocity", f"{RATE},0", "-initial_velocity", f"{RATE}*y,0", "-diagnostic_forces", "top",
             "-diagnostic_forces_every", "100", "-diagnostic_history_every", "100", "-scheme_lumped_dt", "0.002"]
    words += [w for name, value in SOLVENT.items() for w in (f"-physics_outside_thinning_{name}", value)]
    words += [w for name in MODES[0] for w in (f"-physics_outside_giesekus_{name}", ",".join(str(m[name]) for m in MODES))]
    return run.rheoplex(*words, *more, out=run.folder("external"))


def giesekus(viscosity, alpha, **rest):
    """Components xx, yy, zz, xy of the stress in steady shear."""
    relaxation = rest["lambda"]
    wi, modulus = relaxation * RATE, viscosity / relaxation
    b = 8 * alpha * (1 - alpha) * wi * wi
    root = math.sqrt((math.sqrt(1 + 2 * b) - 1) / b)
    f = (1 - root) / (1 + (1 - 2 * alpha) * root)
    n1 = 2 * modulus * f * (1 - alpha * f) / (alpha * (1 - f))
    return n1 - modulus * f, -modulus * f, 0.0, viscosity * RATE * (1 - f) ** 2 / (1 + (1 - 2 * alpha) * f)


def steady_shear(gate, plugins):
    result = case(plugins, "-case_name", "shear", "-stop_steady_tol", "1e-11", "-stop_time", "40")
    state = result.checkpoint()
    gate.near("velocity", float(np.abs(state[:, 1]).max()), 0.0, 1e-10)
    total = RATE * (SOLVENT["infinite"] + (SOLVENT["zero"] - SOLVENT["infinite"]) / math.hypot(1, SOLVENT["k"] * RATE))
    for m, mode in enumerate(MODES):
        exact = giesekus(**mode)
        total += exact[3]
        for k, name in enumerate(("xx", "yy", "zz", "xy")):
            values = state[:, 3 + 4 * m + k]
            gate.near(f"mode {m}: tau_{name}", float(values[np.argmax(np.abs(values - exact[k]))]), exact[k], 1e-8)
    gate.near("force on the moving wall", result.table("_forces.csv")["top_x"][-1], -total, 1e-8)


def relaxation(gate, plugins):
    e0, t = (2.0, 0.7), 0.4
    result = case(plugins, "-case_name", "relaxation", "-polymer_variable", "conformation", "-scheme_lumped_stepper", "heun",
                  "-initial_conformation", ";".join(f"1,1,{1 + e},0" for e in e0), "-stop_time", t)
    state = result.checkpoint()
    for m, mode in enumerate(MODES):
        decay = math.exp(-t / mode["lambda"])
        exact = 1 + e0[m] * decay / (1 + mode["alpha"] * e0[m] * (1 - decay))
        values = state[:, 3 + 4 * m + 2]
        gate.near(f"mode {m}: c_zz at t = {t}", float(values[np.argmax(np.abs(values - exact))]), exact, 2e-5)


def dyed(plugin, cells, dt, steps, *words):
    """Values of the dye at the nodes, [n], and their points; the fluid is at rest between walls."""
    sides = [w for label in ("left", "right", "bottom", "top") for w in (f"-bc_{label}_type", "wall")]
    result = run.rheoplex("run", "-case_name", "dye", "-plugin", plugin, "-physics", "newtonian,outside_dye", "-physics_newtonian_viscosity", "0.7", "-form_density", "3",
                          "-stabiliser", "split_oss", "-mesh_box_faces", cells, *sides, "-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", dt, "-stop_steps", steps,
                          *words, out=run.folder("external"))
    fields = result.fields()
    return fields["dye"], fields.points


def decay(gate, plugin):
    """c' = -k c^2 from c0: c0/(1 + k c0 t), by Heun's method to second order."""
    start, rate, end = 1.7, 0.9, 0.4
    exact, errors = start / (1 + rate * start * end), []
    for steps in (20, 40):
        c, dt = start, end / steps
        for _ in range(steps):
            guess = c - dt * rate * c * c
            c -= 0.5 * dt * rate * (c * c + guess * guess)
        got, _ = dyed(plugin, "3,2", dt, steps, "-physics_outside_dye_diffusivity", "0.2", "-physics_outside_dye_decay", rate, "-initial_dye", start)
        gate.at_most(f"uniform dye after {steps} steps less Heun's, relative", float(np.abs(got / c - 1).max()), 1e-12)
        errors.append(float(np.abs(got - exact).max()))
    gate.at_most("uniform dye less c0/(1 + k c0 t)", errors[1], 1e-4)
    gate.near("its order in dt", math.log2(errors[0] / errors[1]), 2.0, 0.05)


def diffusion(gate, plugin):
    """A wave between walls: lumped linear elements on a uniform mesh multiply it by 1 - z + z^2/2 a step, z = dt D (2 - 2 cos(pi h))/h^2."""
    D, n, dt, steps = 0.35, 8, 0.012, 25
    got, points = dyed(plugin, f"{n},3", dt, steps, "-physics_outside_dye_diffusivity", D, "-initial_dye", "2+0.6*cos(3.14159265358979324*x)")
    z = dt * D * (2 - 2 * math.cos(math.pi / n)) * n * n
    wave = 0.6 * (1 - z + z * z / 2) ** steps
    gate.at_least("how much of the wave has gone", 0.6 - wave, 0.3)
    gate.at_most("wave between walls", float(np.abs(got - 2 - wave * np.cos(math.pi * points[:, 0])).max()), 1e-12)


def product(gate, plugins):
    """What reads the dye by its name makes of it what that loses: c0 - c0/(1 + k c0 t)."""
    D, k, end = 0.2, 0.9, 0.4
    result = run.rheoplex("run", "-case_name", "product", "-plugin", ",".join(plugins), "-physics", "newtonian,outside_product,outside_dye", "-physics_newtonian_viscosity", 0.7, "-form_density", 3,
                          "-stabiliser", "split_oss", "-mesh_box_faces", "4,3", *[w for side in ("left", "right", "bottom", "top") for w in (f"-bc_{side}_type", "wall")],
                          "-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", 0.01, "-stop_time", end, "-physics_outside_dye_diffusivity", D, "-physics_outside_dye_decay", k,
                          "-physics_outside_product_diffusivity", D, "-physics_outside_product_rate", k, "-initial_dye", 1.7, out=run.folder("external"))
    fields = result.fields()
    gate.near("product of the dye", float(fields["product"].min()), 1.7 - 1.7 / (1 + k * 1.7 * end), 1e-4)
    gate.at_most("dye and product less what there was", float(np.abs(fields["product"] + fields["dye"] - 1.7).max()), 1e-13)


def template_flows(gate, template):
    """The template's case with its stabiliser, whose viscosity against compression explicit steps have to see."""
    words = ("-plugin", f"{template}/{LIB}/mystabiliser.so", "-physics_newtonian_viscosity", 0.9, "-physics_oldroydb_viscosity", 0.1, "-mesh_box_faces", "20,8", "-stop_time", 1, "-stop_steady_tol", 0, "-output_dt", 0)
    force = [float(run.rheoplex("run", f"{PREFIX}/share/rheoplex/template/case.yaml", *words, "-stabiliser", stabiliser, out=run.folder("external")).table("_forces.csv")["bottom_y"][-1]) for stabiliser in ("devss,split_oss", "devss,split_oss,mystabiliser")]
    gate.relative("template's stabiliser, explicit: force on the wall", force[1], force[0], 0.02)


def main():
    gate = Gate("external_plugin")
    shutil.rmtree(WORK, ignore_errors=True)
    call("cmake", "--install", BUILD, "--prefix", PREFIX, stdout=subprocess.DEVNULL)
    project = f"{WORK}/source"  # out of our tree, so that nothing of it can be found by accident
    shutil.copytree(f"{HERE}/project", project)
    mine = build(project, "build")
    template = build(f"{PREFIX}/share/rheoplex/template", "template")
    plugins = [f"{mine}/{LIB}/{n}.so" for n in NAMES]
    call(f"{mine}/point", plugins[0], plugins[1])
    for plugin in plugins:
        path = call("readelf", "-d", plugin, stdout=subprocess.PIPE, text=True).stdout
        gate.true(f"{os.path.basename(plugin)}: no empty element in its search path", "[/opt/libraries/of/the/plugins]" in path)
    text = "".join(listed(",".join([*plugins, f"{template}/{LIB}/mylaw.so", f"{template}/{LIB}/mystabiliser.so"])))
    for name in (*NAMES, "mylaw", "mystabiliser", "oldroydb", "split_oss"):
        gate.true(f"{name} is listed", name in text)
    for name in NAMES:
        gate.true(f"the source of {name} is beside its shared object", os.path.exists(f"{mine}/{LIB}/{name}.c"))
    run.RHEOPLEX = f"{PREFIX}/bin/rheoplex"
    for plugin in (*plugins[:2], f"{template}/{LIB}/mylaw.so"):
        name = os.path.basename(plugin)[:-3]
        done = run.rheoplex("check-law", name, "-plugin", plugin, out=WORK, expect=None)
        gate.true(f"check-law {name}: {done.stderr.strip()}", done.rc == 0 and "passed: " in done.stdout and "hint" not in done.stdout)
    steady_shear(gate, ",".join(plugins))
    relaxation(gate, ",".join(plugins))
    decay(gate, plugins[3])
    template_flows(gate, template)
    diffusion(gate, plugins[3])
    product(gate, plugins[3:])
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
