"""Branch points that a continuation passes, by the sign of det J. branch.py
  pitchfork <np>  a jet from the middle of a channel's end, which leans to a wall from a density of 6.777 on: told by values and along the branch, on from a point before it; with projections and without
  quiet           a flow that has none, and runs that have no sign: nothing is told, or why
  modes           density and number of unstable modes by the verb `eigen`: they are what the sign says
  imperfect       a pitchfork whose branches do not meet: what -eigen_critical has found when it fails
  other           the branch that a perturbed state leads to
  vortices <np>   Taylor vortices between cylinders, told about the Reynolds number that is published, and not where two begin together
  taylor          that number by the verb `eigen`
  absent          a substance of 1e-12 of its scale counts nothing in the arc length
  exactness       linear solves of a continuation by arc length"""
import math
import re
import sys

import numpy as np
import run
import steady
from gate import Gate, largest

TAYLOR = 68.19, 3.163  # Re of Taylor vortices between cylinders of a ratio 0.5, wave number over the gap: DiPrima and Swinney (1981)
CRITICAL = {"split_oss": 6.7770, "gls": 6.5057}  # kg/m^3, by -eigen_critical (modes)


def jet(*words, stabiliser="split_oss", np_=1, verb="run", expect=0):
    return run.rheoplex(verb, "-case_name", "jet", "-mesh_box_faces", "24,12", "-mesh_box_lower", "0,-1", "-mesh_box_upper", "10,1", "-physics", "newtonian", "-physics_newtonian_viscosity", 0.05,
                        "-stabiliser", stabiliser, "-bc_left_type", "inlet", "-bc_left_velocity", "max(0,1-(3*y)^2),0", "-bc_right_type", "outlet", "-bc_top_type", "wall", "-bc_bottom_type", "wall",
                        "-scheme", "steady", "-device", "cpu", *words, out=run.folder("branch"), np=np_, expect=expect)


def along(text, way, *words, **more):
    return jet("-scheme_steady_continuation", f"form_density={text}", "-scheme_steady_continuation_type", way, *words, **more)


def told(result):
    """Ends of the ways on which an eigenvalue went through zero, and what it was."""
    lines = re.findall(r"continuation: a real eigenvalue went through zero between \S+ = (\S+) and (\S+): (\w+)", result.stdout)
    return [(float(a), float(b), what) for a, b, what in lines]


def pitchfork(gate, ranks):
    ranks = int(ranks)
    values = "6:0.5:7.5" if ranks == 1 else "6:1:8"
    for stabiliser in CRITICAL if ranks == 1 else ("split_oss",):
        for way in ("value", "arclength") if ranks == 1 else ("arclength",):
            result = along(values, way, "-output_checkpoint_every", 1, stabiliser=stabiliser, np_=ranks)
            table = result.table("_continuation.csv")
            value, sign, passed = (table[k] for k in ("form_density", "jacobian_sign", "bifurcation"))
            at = int(np.flatnonzero(value > CRITICAL[stabiliser])[0])
            gate.true(f"{stabiliser}, {way}: told once, {told(result)}", told(result) == [(float(f"{value[at - 1]:.8g}"), float(f"{value[at]:.8g}"), "branch")])
            gate.true("in its row", list(passed) == [2 if k == at else 0 for k in range(len(value))])
            gate.true(f"the sign of det J is that on either side: {sign}", list(sign) == [1 if k < at else -1 for k in range(len(value))])
            gate.true("by values a state of another branch may be the cause", ("or a state of another branch" in result.stdout) == (way == "value"))
    point = result.file(f"_point_{at:06d}.h5")
    again = along(values, way, "-case_restart", point, stabiliser=stabiliser, np_=ranks)
    gate.true("on from the point before it: told too", told(again) == told(result))


def quiet(gate):
    for way in "value", "arclength":
        result = along("1:1.5:5.5", way)
        table = result.table("_continuation.csv")
        gate.true(f"{way}: nothing is told", "eigenvalue" not in result.stdout and "not told" not in result.stdout and not table["bifurcation"].any() and (table["jacobian_sign"] == 1).all())
        of_time = {what: float(share) for what, share in re.findall(r"(branch points|rest) (\S+) %", result.stdout)}
        gate.true(f"{way}: what the watch takes of the time is told and is no rest, {of_time}", of_time.get("branch points", 0) > of_time["rest"])
    off = along("6:1:8", "value", "-scheme_steady_continuation_watch", "false")
    gate.true("not asked for", "eigenvalue" not in off.stdout and "branch points" not in off.stdout and "not told" not in off.stdout and not off.table("_continuation.csv")["jacobian_sign"].any())
    split = along("6:1:8", "value", "-solver", "split")
    gate.true("-solver split: said once", split.stdout.count("branch points are not told from here on, for there is no sign of det J without factors by MUMPS (-solver direct)") == 1 and not split.table("_continuation.csv")["jacobian_sign"].any())


def modes(gate):
    for stabiliser, value in CRITICAL.items():
        result = jet("-form_density", 6, "-eigen_critical", "form_density=6:7", "-eigen_critical_tol", 1e-4, stabiliser=stabiliser, verb="eigen")
        gate.relative(f"{stabiliser}: density at which the jet loses its symmetry", float(result.table("_critical.csv")["value"][-1]), value, 1e-4)
    table = along("5:4:17", "value").table("_continuation.csv")
    for density, sign in zip(table["form_density"], table["jacobian_sign"]):
        growth = jet("-form_density", density, "-eigen_number", 4, verb="eigen").table("_spectrum.csv")
        unstable = sum(2 if frequency else 1 for rate, frequency in zip(growth["growth_rate"], growth["angular_frequency"]) if rate > 0)
        gate.true(f"density {density:g}: {unstable} modes grow, the sign is {sign:g}", sign == (-1) ** unstable)


def imperfect(gate):
    """An inflow beside the axis: the branch that leans the other way begins at a fold, and the state at the second value is on it; what is known by then is said."""
    tried = jet("-bc_left_velocity", "max(0,1-(3*(y-0.03))^2),0", "-form_density", 6, "-eigen_critical", "form_density=6:9", "-eigen_number", 4, "-snes_max_it", 20, verb="eigen", expect=None)
    table = tried.table("_critical.csv")
    values, rates = table["value"], table["growth_rate"]
    low, high = values[rates < 0].max(), values[rates > 0].min()
    below, above = float(rates[values == low][0]), float(rates[values == high][0])
    zero = low - below * (high - low) / (above - below)
    said = re.search(r"growth rates are (\S+) and (\S+) \(1/s\) at form_density = (\S+) and (\S+), on a line between which 0 is at (\S+);", tried.stderr)
    gate.refused(tried, ("Newton's method ended after", "a pitchfork leaves branches that do not meet", "a mesh that is symmetric about the flow's axis", "-scheme_steady_continuation_type arclength"))
    for what, got, want in zip(("rate below", "rate above", "value below", "value above", "zero"), map(float, said.groups()) if said else [0] * 5, (below, above, low, high, zero)):
        gate.relative(f"{what} that is told, of the table's", got, float(want), 6e-4)
    gate.true("the zero is not at an end", low < zero < high and zero - low > 1e-3 < high - zero)
    early = jet("-form_density", 6, "-eigen_critical", "form_density=6:60", "-eigen_number", 1, "-snes_max_it", 6, verb="eigen", expect=None)
    gate.true("without a bracket none is told", early.rc != 0 and "a value nearer to that of the case" in early.stderr and "growth rates are" not in early.stderr)


def other(gate):
    """The branch that leans to a wall, from a perturbed state: no real eigenvalue grows there, as on the symmetric one before it loses that."""
    start = jet("-form_density", 12, "-eigen_perturbed", 0.3, verb="eigen")
    symmetric = start.fields()
    result = along("12:-1:9", "value", "-case_restart", start.file("_perturbed_000000.h5"), "-scheme_steady_dt", 5)
    leaning = result.fields()
    across = lambda f: abs(f["velocity"][abs(f.points[:, 1]) < 1e-9, 1]).max()
    gate.at_most("velocity across the axis, symmetric", across(symmetric), 1e-6)
    gate.at_least("on the other branch", across(leaning), 0.02)
    gate.true("the sign on the symmetric branch is -1", list(along("12:-1:11", "value").table("_continuation.csv")["jacobian_sign"]) == [-1] * 2)
    gate.true("the sign there is 1", list(result.table("_continuation.csv")["jacobian_sign"]) == [1] * 4)


def cylinders(length, faces, *words, np_=1, verb="run"):
    """A fluid between cylinders, radii 1 and 2, the inner one turns; Re = Omega R_1 d/nu is 50 times the density."""
    return run.rheoplex(verb, "-case_name", "taylor", "-mesh_box_lower", "0,1", "-mesh_box_upper", f"{length},2", "-mesh_box_faces", faces, "-form_axisymmetric", "-physics", "newtonian,swirling",
                        "-physics_newtonian_viscosity", 0.02, "-form_density", 1.3, "-stabiliser", "split_oss", "-bc_bottom_type", "rotating_wall", "-bc_bottom_angular_velocity", 1, "-bc_top_type", "wall",
                        "-scheme", "steady", "-device", "cpu", *words, out=run.folder("branch"), np=np_)


def vortices(gate, ranks):
    """Taylor vortices of half a wave between planes of symmetry; in a periodic flow two of them, a quarter of a wave apart, begin together."""
    half, planes = math.pi / TAYLOR[1], ("-bc_left_type", "symmetry", "-bc_right_type", "symmetry")
    by = "-scheme_steady_continuation", "form_density=1.3:0.05:1.45", "-scheme_steady_continuation_type"
    result = cylinders(half, "10,16", *planes, *by, "arclength", np_=int(ranks))
    lines = told(result)
    gate.true(f"Re {TAYLOR[0]} lies between the values that are told: {lines}", len(lines) == 1 and 50 * lines[0][0] < TAYLOR[0] < 50 * lines[0][1] and lines[0][2] == "branch")
    if ranks == "1":
        both = cylinders(2 * half, "20,16", "-mesh_box_periodic", "x", *by, "value")
        gate.true("two together leave the sign as it is", not told(both) and (both.table("_continuation.csv")["jacobian_sign"] == 1).all())


def taylor(gate):
    half = math.pi / TAYLOR[1]
    found = [50 * float(cylinders(half, faces, "-bc_left_type", "symmetry", "-bc_right_type", "symmetry", "-eigen_critical", "form_density=1.3:1.4", verb="eigen").table("_critical.csv")["value"][-1]) for faces in ("10,16", "20,32")]
    gate.relative("critical Re of Taylor vortices, extrapolated from two meshes", (4 * found[1] - found[0]) / 3, TAYLOR[0], 1e-3)


def exactness(gate):
    """Linear solves along a branch are as exact as their correction needs and begin at the last direction: as many corrections, the same states."""
    words = *steady.STEADY, *steady.LOGARITHM, "-scheme_steady_continuation", "physics_giesekus_lambda=0.3:0.3:1.5", "-scheme_steady_continuation_type", "arclength"
    found, exact = steady.mixed(*words), steady.mixed(*words, "-ksp_rtol", 1e-6)
    few, many = (r.table("_history.csv") for r in (found, exact))
    gate.true(f"corrections: {few['newton_iterations']}, with solves to 1e-6 {many['newton_iterations']}", list(few["newton_iterations"][1:-1]) == list(many["newton_iterations"][1:-1]))
    gate.at_most("iterations of linear solves of four steps", sum(few["linear_iterations"][1:-1]), 300)
    gate.at_most("difference of the states", largest(abs(found.checkpoint() - exact.checkpoint()).ravel()), 1e-7)


def absent(gate):
    """Along its own diffusivity nothing but a substance changes: without it the arc is the parameter."""
    def values(inflow):
        result = run.rheoplex("run", "-case_name", "absent", "-mesh_box_faces", "6,4", "-physics", "newtonian,passive", "-physics_newtonian_viscosity", 1, "-physics_passive_diffusivity", 0.1, "-bc_left_type", "inlet",
                              "-bc_left_velocity", "0.4*y*(1-y),0", "-bc_left_concentration", f"value {inflow}*y", "-bc_right_type", "outlet", "-bc_top_type", "wall", "-bc_bottom_type", "wall",
                              "-bc_top_concentration", "value 0", "-bc_bottom_concentration", "value 0", "-scheme", "steady", "-device", "cpu",
                              "-scheme_steady_continuation", "physics_passive_diffusivity=0.01:0.01:0.04", "-scheme_steady_continuation_type", "arclength", out=run.folder("branch"))
        return result.table("_continuation.csv")["physics_passive_diffusivity"]

    gate.at_most("absent but for rounding", float(abs(values("1e-12")[:3] - np.array([0.01, 0.02, 0.03])).max()), 1e-12)
    gate.at_least("there, the first step is shorter by", 0.02 - float(values("1")[1]), 0.004)


def main(check, *more):
    if check not in ("absent", "exactness") and not run.has("MUMPS"):
        print("skipped: PETSc has no MUMPS, whose factors tell the sign of det J")
        return 77
    gate = Gate("scheme_branch_" + "_".join((check, *more)))
    {"pitchfork": pitchfork, "quiet": quiet, "modes": modes, "imperfect": imperfect, "other": other, "vortices": vortices, "taylor": taylor, "absent": absent, "exactness": exactness}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
