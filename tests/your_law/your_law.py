"""Runs the blocks marked sh of share/doc/your-law.md against an installed Rheoplex: a law out of the tree with three modes, a
non-linear spring and zz, in the rheometer and in a flow in every representation that it allows, and a viscous law, against their closed forms."""
import math
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import run
from gate import Gate, largest
from scipy.integrate import quad
from scipy.optimize import brentq

WORK = f"{os.environ['RHEOPLEX_BUILD_DIR']}/work/your_law"
PREFIX, OUT = f"{WORK}/prefix", f"{WORK}/law"
MODES, L2, SOLVENT = [(0.5, 1.0), (0.3, 0.1), (0.1, 0.01)], 50.0, 0.1


def environment():
    path = ":".join((f"{PREFIX}/bin", os.path.dirname(os.environ["RHEOPLEX_PYTHON"]), os.environ["PATH"]))
    flags = {"CFLAGS": "-fsanitize=address,undefined"} if os.environ.get("RHEOPLEX_SANITIZE") else {}
    return {**os.environ, **flags, "PATH": path, "RHEOPLEX": run.SOURCE, "PREFIX": PREFIX}


def spring(x):
    return (1 - x / 3) / (1 - x)


def steady_shear(viscosity, relaxation, rate):
    """Components xx, yy, zz, xy of c, and the shear stress and first normal stress difference."""
    a, w = spring(3 / L2), relaxation * rate

    def conformation(f):
        return np.array([a / f + 2 * w * w * a / f**3, a / f, a / f, w * a / f**2])

    f = brentq(lambda f: spring(min(conformation(f)[:3].sum() / L2, 1 - 1e-12)) - f, a, 10 * (a + w), xtol=1e-15, rtol=1e-15)
    c = conformation(f)
    return c, viscosity / relaxation * f * c[3], viscosity / relaxation * f * (c[0] - c[1])


def check_rheometer(gate):
    data = run.table(f"{OUT}/shear.csv")
    exact = np.array([np.sum([steady_shear(*mode, rate)[1:] for mode in MODES], axis=0) for rate in data["rate"]])
    gate.at_most("rheometer: shear stress, relative", np.abs(data["shear_stress"] / exact[:, 0] - 1).max(), 1e-10)
    gate.at_most("rheometer: first normal stress difference, relative", np.abs(data["first_normal_difference"] / exact[:, 1] - 1).max(), 1e-10)
    data, a = run.table(f"{OUT}/moduli.csv"), spring(3 / L2)
    w = data["frequency"]
    storage = sum(eta * a / lam * (w * lam / a)**2 / (1 + (w * lam / a)**2) for eta, lam in MODES)
    gate.at_most("rheometer: storage modulus, relative", np.abs(data["storage_modulus"] / storage - 1).max(), 1e-10)
    data = run.table(f"{OUT}/startup.csv")
    for rate in (1.0, 10.0):
        gate.relative(f"rheometer: start-up ends at the steady stress, rate {rate:g}", data["shear_stress"][data["rate"] == rate][-1],
                      sum(steady_shear(*mode, rate)[1] for mode in MODES), 1e-3)


def check_flow(gate):
    total = SOLVENT * 2 + sum(steady_shear(*mode, 2.0)[1] for mode in MODES)
    gate.relative("rheometer: shear stress with solvent", run.table(f"{OUT}/total.csv")["shear_stress"][0], total, 1e-10)
    for folder in ("conformation", "logconf"):
        gate.relative(f"{folder}: force on the moving plate", run.table(f"{OUT}/{folder}/plates_forces.csv")["top_x"][-1], -total, 1e-5)
        done = run.Run(f"{OUT}/{folder}", subprocess.CompletedProcess([], 0, "", ""), 0)
        state = done.checkpoint()
        for m, mode in enumerate(MODES):
            c = steady_shear(*mode, 2.0)[0]
            block = state[:, 3 + 4 * m:7 + 4 * m]
            if folder == "logconf":
                plane = np.array([[c[0], c[3]], [c[3], c[1]]])
                w, Q = np.linalg.eigh(plane)
                s = Q @ np.diag(np.log(w)) @ Q.T
                c = np.array([s[0, 0], s[1, 1], math.log(c[2]), s[0, 1]])
            gate.at_most(f"{folder}, mode {m}: unknown of every node", np.abs(block - c).max(), 1e-4)


def check_viscous(gate):
    """Powell and Eyring's law: shear stress, and the velocity in the middle of a channel, whose stress is the force times the distance from there."""
    stress = lambda g: 0.05 * g + 0.75 / 3 * math.asinh(3 * g)
    data = run.table(f"{OUT}/thinning.csv")
    gate.at_most("powell_eyring: shear stress, relative", largest(abs(tau / stress(g) - 1) for g, tau in zip(data["rate"], data["shear_stress"])), 1e-8)
    middle = quad(lambda y: brentq(lambda g: stress(g) - 0.6 * y, 0, 100, xtol=1e-14), 0, 1)[0]
    gate.relative("powell_eyring: velocity in the middle of a channel", float(run.table(f"{OUT}/half/half_fastest.csv")["velocity_x_max"][-1]), middle, 1e-3)


WRONG = """RhxReal wrong = sqrt(kin->shear_rate);
  if (kin->shear_rate > 1.0) wrong = fmax(wrong, c[0]);
  wrong = c[0] > 1.0 ? wrong : c[0];
  prop->eta_p = RHX_CONST(par->viscosity) + 0.0 * wrong;"""


def check_messages(gate):
    """A plain sqrt, fmax, if and ?: on a lane, and a default that is no text: the build says what to write."""
    folder = f"{WORK}/wrong"
    os.makedirs(folder)
    shutil.copy(f"{OUT}/CMakeLists.txt", folder)
    text = open(f"{OUT}/cohen.c").read()
    with open(f"{folder}/cohen.c", "w") as f:
        row = '"square of the largest extension")'
        text = text.replace(row, row + ' ROW(REAL, number, 0.5, RHX_GE, 0, 0, "1", "a number")')
        f.write(text.replace("prop->eta_p = RHX_CONST(par->viscosity);", WRONG))
    subprocess.run(["cmake", "-G", "Ninja", "-B", "build", f"-DCMAKE_PREFIX_PATH={PREFIX}"], cwd=folder, check=True, env=environment(), capture_output=True)
    done = subprocess.run(["cmake", "--build", "build", "--", "-k", "0"], cwd=folder, env=environment(), capture_output=True, text=True)
    said = [line for line in done.stdout.splitlines() if line.startswith("rheoplex: ")]
    print("\n".join(sorted(set(said))))
    gate.true("a plain sqrt is explained", any("sqrt() does not take a RhxReal: write RHX_SQRT" in line for line in said))
    gate.true("a plain fmax is explained", any("fmax() does not take a RhxReal: write RHX_MAX" in line for line in said))
    gate.true("if and ?: are explained", any("if, ?:" in line and "RHX_SELECT(RHX_LT(a, b), x, y)" in line for line in said))
    gate.true("a default that is a number is explained", any("the default of a parameter is text" in line for line in said))
    gate.true("the build fails, and shows the compiler's own lines", done.returncode != 0 and "cohen.c" in done.stdout and "error" in done.stdout)


def main():
    gate = Gate("your_law")
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(OUT)
    subprocess.run(["cmake", "--install", os.environ["RHEOPLEX_BUILD_DIR"], "--prefix", PREFIX], check=True, stdout=subprocess.DEVNULL)
    text = open(f"{run.SOURCE}/share/doc/your-law.md").read()
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.S | re.M)
    subprocess.run(["bash", "-euxo", "pipefail", "-c", "\n".join(blocks)], cwd=OUT, check=True, env=environment())
    gate.true("six blocks", len(blocks) == 6)
    for name in ("shear", "uniaxial", "moduli", "startup"):
        gate.at_least(f"{name}.png, bytes", os.path.getsize(f"{OUT}/{name}.png"), 5000)
    check_messages(gate)
    check_rheometer(gate)
    check_flow(gate)
    check_viscous(gate)
    plugin = {**environment(), "RHEOPLEX_PLUGIN_PATH": f"{OUT}/build/lib/rheoplex/plugins"}
    done = subprocess.run([f"{PREFIX}/bin/rheoplex", "check", "plates.yaml", "-polymer_variable", "stress"], cwd=OUT, env=plugin, capture_output=True, text=True)
    gate.true("stress is refused, conformation named", done.returncode == 1 and "cohen" in done.stderr and "conformation" in done.stderr)
    return gate.finish()


sys.exit(main())
