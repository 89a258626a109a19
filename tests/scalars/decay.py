"""Sources that take a concentration away: explicit steps whose dt is not given follow them, and thin layers where they balance diffusion are found.
decay.py
  steps <cpu|cuda>  a cavity with c_t = -k c, any k: c stays in [0, 1] but for 0.01, is gone at the end, and is exp(-k t) where steps are short
  pair <plugin>     two fields that destroy each other, whose plugin says nothing of a rate
  lost <cpu|cuda>   a fixed dt beyond the limit: it is told, and a concentration far beyond its bounds ends the run
  layer             u c_x = D c_xx - k c, steady: order 2 against its exact solution, and the solution of linear elements on a line with
                    tau_c = 1/(4 D/h^2 + 2 u/h + k)"""
import math
import re
import sys

import common
import l2
import numpy as np
import run
from gate import Gate

FIXED = ["-case_name", "decay", "-mesh_box_faces", "8,8", "-stabiliser", "split_oss", "-physics_newtonian_viscosity", 0.1, "-bc_left_type", "wall", "-bc_right_type", "wall",
         "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2,0"]
PASSIVE = [*FIXED, "-physics", "newtonian,passive", "-physics_passive_diffusivity", 0.01, "-initial_concentration", 1]

def concentration(result):
    return result.checkpoint()[:, -1]


def cavity(decay, end, *words, expect=0, device="cpu"):
    return run.rheoplex("run", *PASSIVE, "-physics_passive_decay", decay, "-stop_time", end, "-output_fields", "false", "-device", device, *words, out=run.folder("decay"), expect=expect)


def within(gate, what, done, most=1.0):
    """Of fields that are at most that at first; convection of what has become steep falls below 0 a little."""
    beyond = [(float(a), float(b)) for a, b in re.findall(r"beyond its bounds .* least (\S+) at .* greatest (\S+) at", done.stdout)]
    gate.at_least(f"{what}: least value beyond its bounds", min([a for a, _ in beyond], default=0.0), -0.01)
    gate.at_most(f"{what}: and the greatest", max([b for _, b in beyond], default=0.0), most)


def steps(gate, device):
    for scheme in ["lumped"], ["fractional_step"], ["lumped", "-scheme_lumped_stepper", "heun"], ["fractional_step", "-scheme_fractional_step_integrator", "rk4"], ["auto"]:
        if device == "cuda" and len(scheme) > 1:
            continue
        for decay in (3000,) if len(scheme) > 1 or device == "cuda" else (30, 3000):
            name = f"{' '.join(scheme)}, decay {decay}"
            done = cavity(decay, (300 if device == "cuda" else 900) / decay, "-scheme", *scheme, "-case_report_every", 7, device=device)
            c, rate = concentration(done), done.table("_history.csv")
            within(gate, f"{name}: in all {len(rate['t'])} steps", done)
            gate.at_most(f"{name}: what is left", float(c.max()), 1e-20)
            gate.near(f"{name}: dt over the limit", float(np.median(rate["cfl_relaxation"] + rate["cfl_convective"])), 0.9, 0.01)
            short = concentration(cavity(decay, 2 / decay, "-scheme", *scheme, device=device)) * math.exp(2)
            gate.at_most(f"{name}: error of 200 steps to 2/decay, of exp(-2)", float(np.abs(short - 1).max()), 0.03 if decay == 30 else 0.011 if scheme == ["lumped"] else 2e-3)


def pair(gate, plugin):
    """Invariant 4 a - b, a(t) of two that destroy each other, a = 3 and b = 2 at first: 4 a - b = 10, a_t = -k a (4 a - 10)."""
    k = 20
    words = [*FIXED, "-physics", "newtonian,pair", "-physics_pair_k", k, "-case_report_every", 7, "-output_fields", "false", "-device", "cpu"]
    for scheme in ["lumped"], ["fractional_step"], ["auto"]:
        done = run.rheoplex("run", *words, "-scheme", *scheme, "-plugin", plugin, "-stop_time", 20, out=run.folder("decay"))
        rate = done.table("_history.csv")
        slow, fast = done.checkpoint()[:, -2:].T
        if scheme == ["lumped"]:  # 0.01 is the diffusivity
            gate.relative("dt of the first step over the sum of |ds/dc| and D lambda/2", float(rate["cfl_relaxation"][0] / rate["dt"][0]), 4 * k * (3 + 2) + 2 * 0.01 * 8**2, 1e-9)
        within(gate, f"{scheme[0]}: in all {len(rate['t'])} steps", done, 3.0)
        gate.at_most(f"{scheme[0]}: what is left of one", float(np.abs(fast).max()), 1e-12)
        gate.relative(f"{scheme[0]}: and of the other", float(slow.mean()), 2.5, 1e-3)
        short = run.rheoplex("run", *words, "-scheme", *scheme, "-plugin", plugin, "-stop_time", 0.01, out=run.folder("decay")).checkpoint()[:, -2:].T
        ratio = 3 / 2 * math.exp(10 * k * 0.01)  # a/b grows as exp(10 k t)
        gate.relative(f"{scheme[0]}: a/b in 200 steps", float((short[0] / short[1]).mean()), ratio, 0.02 if scheme == ["lumped"] else 2e-3)


def lost(gate, device):
    for scheme in "lumped", "fractional_step":
        done = cavity(300, 0.5, "-scheme", scheme, f"-scheme_{scheme}_dt", 0.0125, expect=None, device=device)
        print(done.stderr)
        gate.true(f"{scheme}: a step of twice the limit is told", "times the relaxation limit" in done.stdout)
        gate.refused(done, ["the run is clearly lost: got concentration of", "-field_concentration_scale"])
    gate.true("a concentration of many of its usual values within its bounds is none", cavity(3, 0.1, "-scheme", "lumped", "-bc_left_concentration", "value 1e8", device=device).rc == 0)


def line(n, d, k, u, oss):
    """Values at n + 1 nodes of linear elements: SUPG with the residual without diffusion, or orthogonal subgrid scales with a lumped projection."""
    h = 1 / n
    mass, convection, diffusion, lumped = np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1)), np.zeros(n + 1)
    for e in range(n):
        at = np.ix_((e, e + 1), (e, e + 1))
        mass[at] += h / 6 * np.array([[2, 1], [1, 2]])
        convection[at] += u / 2 * np.array([[-1, 1], [-1, 1]])
        diffusion[at] += 1 / h * np.array([[1, -1], [-1, 1]])
        lumped[[e, e + 1]] += h / 2
    tau = 1 / (4 * d / h**2 + 2 * u / h + k)
    a = convection + d * diffusion + k * mass + tau * u * u * diffusion
    a += -tau * convection.T @ (convection / lumped[:, None]) if oss else tau * k * convection.T
    b = np.zeros(n + 1)
    a[[0, n]], b[0], b[n] = 0, 1, math.exp(exponent(d, k, u))
    a[0, 0] = a[n, n] = 1
    return np.linalg.solve(a, b)


def exponent(d, k, u):
    return (u - math.sqrt(u * u + 4 * d * k)) / (2 * d)


def strip(stabiliser, cell, n, d, k, u):
    """Fields on n cells along x, squares."""
    words = [*common.fluid(stabiliser), "-physics_passive_diffusivity", d, "-physics_passive_decay", k, "-physics_passive_supply", 0, "-mesh_box_faces", f"{n},{max(1, n // 8)}", "-mesh_box_cell",
             cell, "-mesh_box_upper", f"1,{max(1, n // 8) / n}", "-initial_velocity", f"{u},0", "-scheme", "steady", "-scheme_steady_projection", "lumped", "-device", "cpu"]
    for label in common.LABELS[2]:
        given = {"left": "value 1", "right": f"value {math.exp(exponent(d, k, u))!r}"}.get(label, "natural")
        words += [f"-bc_{label}_type", "moving_wall", f"-bc_{label}_velocity", f"{u},0", f"-bc_{label}_concentration", given]
    return run.rheoplex("run", "-case_name", "layer", *words, out=run.folder("decay")).fields()


def layer(gate):
    d, k, u = 0.05, 40.0, 2.0
    m = exponent(d, k, u)
    for stabiliser in "split_oss", "split_oss,gls":
        for cell in "quadrilateral", "triangle":
            meshes, errors = (16, 32, 64), []
            for n in meshes:
                got = strip(stabiliser, cell, n, d, k, u)
                errors.append(l2.error(got, [(got["concentration"][:, None], lambda p: np.exp(m * p[:, 0])[:, None])])[0])
            gate.order(f"{stabiliser}, {cell}: a layer of {-1 / m:.3g} m", meshes, errors, 1.85)
            gate.at_most(f"{stabiliser}, {cell}: its error on {meshes[-1]} cells", errors[-1], 4e-4)
        for n, d_, k_, u_ in ((16, d, k, u), (12, 0.01, 200.0, 5.0)):
            got = strip(stabiliser, "quadrilateral", n, d_, k_, u_)
            exact = line(n, d_, k_, u_, stabiliser == "split_oss")[np.rint(got.points[:, 0] * n).astype(int)]
            gate.at_most(f"{stabiliser}: difference from linear elements on a line, D {d_}, k {k_}, u {u_}", float(np.abs(got["concentration"] - exact).max()), 1e-8)


def main(check, *more):
    gate = Gate("_".join(("scalars_decay", check)) + ("_cuda" if "cuda" in more else ""))
    {"steps": steps, "pair": pair, "lost": lost, "layer": layer}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
