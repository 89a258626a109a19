"""The verb `eigen`: modes of flows linearised about a steady state. eigen.py
  stokes        a fluid at rest in a box of planes of symmetry, density 3: analytic decay, second order, real and complex shifts
  ranks         the same modes on two ranks
  lacking       modes without an adjoint one: the others have theirs, and a word says so
  stale         files of an earlier spectrum beside a newer one that has fewer: kept elsewhere, those that are not its own stay
  few           meshes that hold fewer modes than are asked for: these alone, and a word of the others
  asked         as many as are asked for, pairs once; what was found before the restarts end
  twice         a fluid at rest, periodic: waves, whose real values count twice though rounding may part them into a conjugate pair
  rough <np>    what of a mode is between nodes: in closed form of a fluid at rest; modes of a flow and those of the mesh beside it
  melt          one in SI units, whose stresses are 1e8 times its velocities: modes and what is written of them have a largest velocity of 1 m/s
  couette       plane Couette flow of an Oldroyd-B fluid: elastic modes against a Chebyshev code (chebyshev.py)
  poiseuille    plane Poiseuille flow, Re 10000, wave number 1: the unstable mode on two meshes, its order
  fine          the same on meshes graded towards the walls: a command of its own (share/validate_long); needs gmsh
  adjoint       adjoint modes on one or two ranks: of a fluid at rest their structural sensitivity, of plane Couette flow of an Oldroyd-B
                fluid their products with the modes by a mass of this file's own
  perturbed     a run from a steady state and 1e-4 of an eigenmode: after a period the mode times exp(growth rate x period), second order in dt
  swirl         axisymmetric flow with swirl: the mode of a fluid at rest that turns, with its structural sensitivity; Taylor-Couette flow of an
                Oldroyd-B fluid beyond its purely elastic instability against a Chebyshev code, products of its adjoint modes and modes
  critical      viscosity at which plane Poiseuille flow is neutral, found from two values
  others        growth rates that it finds for a density and for modes with values of their own
  wake          growing mode behind a cylinder at Re 50 on two meshes and extrapolated: likewise; needs gmsh
  stepper       the modes of -eigen_method stepper are those of factors, which are told where they do not fit into the memory
  waves         complex shifts of it: elastic waves of a polymer at rest against their equation and in a flow against factors, on two ranks too
  restart       about a checkpoint: the same modes; about one that is not steady, and other mistakes: refused
  none          a build without SLEPc says so"""
import math
import os
import re
import sys

import chebyshev
import numpy as np
import run
from gate import Gate, largest

CRITICAL = 5772.22, 1.02056  # Re of plane Poiseuille flow, wave number: Orszag (1971); that of meshes/channel_graded.msh
RHO = 1.3  # of the Couette flow
ORR_SOMMERFELD = 0.23752649 + 0.00373967j  # c of exp(i (x - c t)), Re 10000: Orszag (1971), J. Fluid Mech. 50, 689


def eigen(name, faces, lower, upper, *words, np_=1, expect=0, verb="eigen", scheme="steady", out=None):
    return run.rheoplex(verb, "-case_name", name, "-scheme", scheme, "-device", "cpu", "-mesh_box_faces", faces, "-mesh_box_lower", lower,
                        "-mesh_box_upper", upper, *words, out=out or run.folder("eigen"), np=np_, expect=expect)


def modes(result):
    t = result.table("_spectrum.csv")
    return np.array(t["growth_rate"], float) + 1j * np.array(t["angular_frequency"], float), np.array(t["residual"], float)


def sides(kind, *labels):
    return [x for label in labels for x in (f"-bc_{label}_type", kind)]


def rest(n, *words, **more):
    return eigen("box", f"{4 * n},{3 * n}", "0,0", f"{math.pi!r},2", "-physics", "newtonian", "-physics_newtonian_viscosity", 0.7, "-form_density", 3, "-stabiliser",
                 "split_oss", *sides("symmetry", "left", "right", "top", "bottom"), *words, **more)


def stokes(gate):
    exact = sorted((-0.7 / 3 * (k**2 + (m * math.pi / 2) ** 2) for k in range(1, 4) for m in range(1, 4)), reverse=True)[:3]
    found = [modes(rest(n, "-eigen_number", 3))[0].real for n in (3, 6)]
    for k in range(3):
        gate.relative(f"decay rate of mode {k}, 24 x 18", found[1][k], exact[k], 0.02)
        gate.at_least(f"order of mode {k}", math.log2((found[0][k] - exact[k]) / (found[1][k] - exact[k])), 1.9)
    for value in found[0][:2]:
        again, residual = modes(rest(3, "-eigen_number", 3, "-eigen_shifts", repr(float(value))))
        gate.at_most(f"a shift that is an eigenvalue, {value:.4g}: residuals", largest(residual), 1e-10)
        gate.at_most("and the values", largest([abs(found[0] - x.real).min() for x in again]), 1e-9)
    result = rest(3, "-eigen_number", 3, "-eigen_shifts", "-1+0.5i,-0.5i")
    shape(gate, result)
    value, residual = modes(result)
    gate.at_most("imaginary parts, by complex shifts", abs(value.imag).max(), 1e-10)
    gate.at_most("difference of complex shifts", abs(value.real - np.tile(found[0], 2)).max(), 1e-9)
    gate.at_most("residuals", residual.max(), 1e-9)


def shape(gate, result):
    """The slowest mode, whose stream function is sin x sin(pi y/2); the largest velocity component is 1 in the real part, 0 in the other."""
    part = [run.Fields(f"{result.out}/box_mode_{x}_000000.vtu") for x in ("real", "imaginary")]
    x, y = part[0].points[:, 0], part[0].points[:, 1] * math.pi / 2
    exact = np.stack([np.sin(x) * np.cos(y), -2 / math.pi * np.cos(x) * np.sin(y)], axis=1)
    real, imaginary = (f["velocity"][:, :2] for f in part)
    gate.at_most("shape of the slowest mode", min(abs(real - exact).max(), abs(real + exact).max()), 0.01)
    gate.at_most("its imaginary part", abs(imaginary).max(), 1e-6)


def melt(gate):
    """That of units in which all is of order one, with its stresses times their unit eta U/L; and the state with 1e-3 U of the mode."""
    peak = {}
    for length, mean, eta in ((1, 1, 1), (1e-2, 0.1, 1e4)):
        result = eigen("melt", "8,4", "0,0", f"{2 * length},{length}", "-case_velocity", mean, "-case_length", length, "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", eta,
                       "-physics_oldroydb_viscosity", eta, "-physics_oldroydb_lambda", 0.5 * length / mean, "-polymer_variable", "stress", "-stabiliser", "devss,split_oss", "-form_convection", "false",
                       "-form_density", 3 * eta * 1e-3 / (mean * length), "-bc_left_type", "inlet", "-bc_left_profile", "developed", "-bc_left_mean_velocity", mean, "-bc_right_type", "outlet",
                       *sides("wall", "top", "bottom"), "-eigen_number", 2, "-eigen_modes", 2, "-eigen_perturbed", 1e-3 * mean)
        parts = [run.Fields(f"{result.out}/melt_mode_real_00000{k}.vtu") for k in range(2)]
        for k, part in enumerate(parts):
            gate.relative(f"eta {eta:g}: largest velocity of mode {k}", largest(abs(part["velocity"]).ravel()), 1, 1e-7)
        peak[eta] = [largest(abs(part["stress"]).ravel()) * length / eta for part in parts]
        moved = [result.checkpoint(file=name) for name in ("_perturbed_000000.h5", "_checkpoint.h5")]
        gate.relative(f"eta {eta:g}: change of a perturbed state over U", largest(abs(moved[0] - moved[1])[:, :2].ravel()) / mean, 1e-3, 1e-6)
    gate.at_most("largest stresses over eta U/L, less those of units of order one, relative", largest(a / b - 1 for a, b in zip(*peak.values())), 1e-3)


def ranks(gate):
    one, two = (modes(rest(1, "-eigen_shifts", "-0.7+0.2i", "-eigen_number", 1, np_=n))[0] for n in (1, 2))
    gate.at_most("difference from one rank", abs(one - two).max(), 1e-10)


def few(gate):
    """A channel, given at its inlet: of the velocities inside and at the outlet as many as pressures at nodes leave."""
    def channel(nx, ny, shift, **more):
        return eigen("few", f"{nx},{ny}", "0,0", "1,1", "-physics", "newtonian", "-physics_newtonian_viscosity", 1, "-stabiliser", "split_oss", "-bc_left_type", "inlet", "-bc_left_velocity", "4*y*(1-y),0",
                     "-bc_right_type", "outlet", *sides("wall", "top", "bottom"), "-eigen_number", 6, "-eigen_shifts", shift, **more)

    real, complex_ = (channel(2, 3, shift) for shift in ("0", "0+3i"))
    for what, result in ("real", real), ("complex", complex_):
        value, residual = modes(result)
        gate.true(f"{what} shift: four of six", len(value) == 4 and "4 of the 6 that were asked for (-eigen_number)" in result.stdout)
        gate.at_most(f"{what} shift: residuals", largest(residual), 1e-9)
        gate.at_most(f"{what} shift: modes that decay", largest(value.real), -1)
    gate.at_most("by either shift", largest(np.abs(modes(real)[0] - modes(complex_)[0])), 1e-8)
    none_ = channel(1, 2, "0", expect=None)
    gate.true("none on two elements: an error", none_.rc != 0 and "rheoplex: error" in none_.stderr)


def channel_of(n, *words, **more):
    return eigen("asked", "6,5", "0,-0.5", "3,0.5", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 0.4, "-physics_oldroydb_viscosity", 0.6, "-physics_oldroydb_lambda", 0.7, "-polymer_variable", "stress",
                 "-stabiliser", "split_oss", "-form_density", 3, "-bc_left_type", "inlet", "-bc_left_flow_rate", 1, "-bc_right_type", "outlet", *sides("wall", "top", "bottom"), "-eigen_number", n, *words, **more)


def lacking(gate):
    """Two restarts find more modes than adjoint ones."""
    words = "-eigen_adjoint", "-eigen_modes", 12
    result, whole = channel_of(12, "-eigen_restarts", 2, *words), channel_of(12, *words)
    table = result.table("_spectrum.csv")
    value, other = modes(result)[0], modes(whole)[0]
    without = np.isnan(table["adjoint_residual"])
    gate.true(f"of {len(value)} modes {without.sum()} without an adjoint one, told", 0 < without.sum() < len(value) and f"  {without.sum()} of the {len(value)} modes without an adjoint one among the " in result.stdout)
    gate.at_most("residuals of the others", largest(table["adjoint_residual"][~without]), 1e-7)
    here = [os.path.exists(f"{result.out}/asked_adjoint_{k:06d}.vtu") for k in range(len(value))]
    gate.true("theirs are written, no others", here == list(~without))
    for k in np.flatnonzero(~without):
        a, b = (run.Fields(f"{r.out}/asked_adjoint_{n:06d}.vtu")["structural_sensitivity"] for r, n in ((result, k), (whole, abs(other - value[k]).argmin())))
        gate.at_most(f"mode {k}: structural sensitivity, of a whole search", largest(abs(a - b)) / largest(b), 1e-4)


def stale(gate):
    """About the checkpoint of the same state, with fewer modes of fewer kinds; in a case whose other options change, all move with its other results."""
    whole = channel_of(3, "-eigen_modes", 3, "-eigen_adjoint", "-eigen_perturbed", 0.1, "-eigen_critical", "form_density=3:4", "-eigen_critical_tol", 1)
    out, first = whole.out, set(os.listdir(whole.out))
    others = {"asked_mode_real_mine.vtu", "asked_adjoint_000001.vtu.png", "other_mode_real_000002.vtu"}
    for name in others:
        open(f"{out}/{name}", "w").close()
    again = channel_of(3, "-eigen_modes", 2, "-case_restart", f"{out}/asked_perturbed_000002.h5", "-eigen_steady_tol", 10, out=out)
    earlier = {f"asked_adjoint_{k:06d}.vtu" for k in range(3)} | {f"asked_perturbed_{k:06d}.h5" for k in range(2)} | {f"asked_mode_{part}_000002.vtu" for part in ("real", "imaginary")} | {"asked_critical.csv"}
    gate.true("moved, and told", set(os.listdir(f"{out}/asked.1")) == earlier and f"files of an earlier spectrum that were in {out} are kept in {out}/asked.1" in again.stdout)
    gate.true("what is not its own stays, and what it began from", set(os.listdir(out)) == (first - earlier) | others | {"asked.1"})
    third = channel_of(3, "-eigen_modes", 0, "-case_restart", f"{out}/asked_checkpoint.h5", out=out)
    gate.true("without modes no list of them", not any("_mode_" in name and name not in others for name in os.listdir(out)) and "asked.2" in third.stdout)
    channel_of(2, "-form_density", 2, out=out)
    gate.true("another case: its spectrum moves with it", "asked_spectrum.csv" in os.listdir(f"{out}/asked.3"))


def asked(gate):
    """Conjugate pairs count once; those that were found before the restarts end are told."""
    four, eight = (modes(channel_of(n))[0] for n in (4, 8))
    gate.true(f"four modes, one or more that oscillate: {four}", len(four) == 4 and len(eight) == 8 and (four.imag > 0).any())
    gate.at_most("the four nearest of eight: difference", largest(abs(four - eight[:4])), 1e-6)
    beside = modes(channel_of(6, "-eigen_shifts", "-1+0.03i"))[0]
    gate.true(f"by a complex shift: a real value has the frequency 0: {beside}", (beside.imag == 0).any() and (abs(beside.imag) > 1e-6).sum() + (beside.imag == 0).sum() == 6)
    early = channel_of(12, "-eigen_restarts", 2)
    found = len(modes(early)[0])
    gate.true(f"{found} of 12 after two restarts, told", 0 < found < 12 and f"{found} of the 12 that were asked for (-eigen_number): the search ended after 2 restarts" in early.stdout)


def twice(gate):
    """Waves sin and cos of a value; the mode uniform along x, whose value is known, has no other. Which flow rounding parts is chance: of four some."""
    for rho, faces in ((5, "12,6"), (3, "12,6"), (1.3, "10,8"), (1.3, "12,12")):
        result = eigen("twice", faces, "0,0", "3,2", "-mesh_box_periodic", "x", "-physics", "newtonian", "-physics_newtonian_viscosity", 0.7, "-form_density", rho, "-stabiliser", "split_oss",
                       *sides("wall", "top", "bottom"), "-eigen_shifts", -2.1, "-eigen_number", 6)
        value, residual = modes(result)
        gate.true(f"density {rho}, {faces}: six modes", len(value) == 6 and "that were asked for" not in result.stdout)
        gate.true("of real values", not value.imag.any())
        ny = int(faces.split(",")[1])
        cosine = np.cos(np.arange(1, ny) * math.pi / ny)
        uniform = -0.7 / rho * 6 * (1 - cosine) / (2 + cosine) * (ny / 2) ** 2  # of linear elements
        others = np.array([x for x in value.real if abs(uniform - x).min() > 1e-7])
        alone = sum(np.sum(abs(others - x) < 1e-8) != 2 for x in others)
        gate.at_most("waves without their twin: the last one, and what a Krylov space of one vector may miss", alone, 3)
        gate.at_most("residuals", largest(residual), 1e-8)
    cells = ("-physics", "newtonian,thermal", "-physics_newtonian_viscosity", 1, "-stabiliser", "split_oss", "-mesh_box_periodic", "x", "-physics_thermal_conductivity", 1, "-physics_thermal_heat_capacity", 1, "-physics_thermal_heating", "false",
             "-physics_thermal_reference", 1, "-physics_thermal_expansion", 1, "-physics_thermal_gravity_y", -1800, "-initial_temperature", "1.5-y", *sides("wall", "top", "bottom"), "-bc_bottom_temperature", "value 1.5", "-bc_top_temperature", "value 0.5", "-eigen_number", 3)
    found = {shift: modes(eigen("cells", "32,24", "0,0", "2.01578,1", *cells, "-eigen_shifts", shift))[0] for shift in (1, 0.5, 0.55)}
    for shift in (0.5, 0.55):
        gate.true(f"convection, the shift {shift} near a value that counts twice: {found[shift]}", len(found[shift]) == 3 and not found[shift].imag.any())
        gate.at_most("values less those by a shift further away", largest(np.abs(np.sort(found[shift].real) - np.sort(found[1].real))), 1e-6)


def sheared(faces, *words, **more):
    return eigen("couette", faces, "0,-1", f"{math.pi!r},1", "-mesh_box_periodic", "x", "-form_density", RHO, "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 0.1,
                 "-physics_oldroydb_viscosity", 0.9, "-physics_oldroydb_lambda", 2, "-polymer_variable", "stress", "-stabiliser", "split_oss",
                 *sides("moving_wall", "top", "bottom"), "-bc_top_velocity", "1,0", "-bc_bottom_velocity", " -1,0", *words, **more)


def rough(gate, ranks):
    """On rectangles modes of a fluid at rest are products of sines; of plane Couette flow the mode (-1.47 + 2.74i on finer meshes) has one of the mesh beside it."""
    table = rest(2, "-eigen_number", 2, np_=int(ranks)).table("_spectrum.csv")
    share = lambda k, h: math.cos(k * h / 2) ** 2
    for j, (k, m) in enumerate(((1, 1), (2, 1))):
        gate.relative(f"mode {j} of a fluid at rest, 8 x 6", float(table["roughness"][j]), 1 - share(k, math.pi / 8) * share(m * math.pi / 2, 1 / 3), 0.02)
    if ranks != "1":
        return
    result = sheared("10,14", "-eigen_shifts", "-1.47+2.74i", "-eigen_number", 4)
    found, roughness = modes(result)[0], result.table("_spectrum.csv")["roughness"]
    lines = [line for line in result.stdout.splitlines() if re.match(r" +[0-3] +-1\.", line)]
    flow = abs(found - (-1.4506 + 2.7945j)) < 0.01  # one or both of opposite waves
    beside = abs(found - (-1.4330 + 2.6998j)) < 0.01
    gate.true("the flow's mode and the one beside it", flow.any() and beside.any())
    gate.at_most("roughness of the flow's mode", roughness[flow].max(), 0.3)
    gate.at_least("roughness of the one beside it", roughness[beside].min(), 0.9)
    rough = roughness > 0.5
    gate.true(f"told of those alone: {lines}", ["roughness" in line for line in lines] == list(rough) and f"  {rough.sum()} of 4 modes with a roughness above 0.5, less than four elements a wave" in result.stdout)
    fastest = sheared("10,14", "-eigen_shifts", "-1.47+2.74i", "-eigen_number", 2, "-eigen_critical", "form_density=1.3:1.35", expect=1)
    said = [line for line in fastest.stdout.splitlines() if line.startswith("critical:")]
    gate.true(f"the fastest mode, whose growth rate -eigen_critical follows, is of the mesh: {said[:1]}", re.search(r", roughness 0\.9\d: of the mesh$", said[0]) is not None)


def couette(gate):
    rho, eta_s, eta_p, relaxation, k = RHO, 0.1, 0.9, 2, 2
    exact = chebyshev.converged(lambda n: chebyshev.oldroydb(lambda y: y, k, rho, eta_s, eta_p, relaxation, n), 40, 1e-5)
    want = [exact[abs(exact - near).argmin()] for near in (-1.47 + 2.74j, -1.81 + 4.43j)]
    result = sheared("20,26", "-eigen_shifts", ",".join(f"{x.real:.2f}{x.imag:+.2f}i" for x in want), "-eigen_number", 2)
    value, residual = modes(result)
    for j, x in enumerate(want):
        gate.at_most(f"mode at {x:.5g}: error over its modulus", abs(value[2 * j] - x) / abs(x), 0.01)
        gate.at_most(f"mode at {x:.5g}: difference of that of the opposite wave", abs(value[2 * j] - value[2 * j + 1]), 1e-7)
    gate.at_most("residuals", residual.max(), 1e-8)


def perturbed(gate):
    """The pressure is known to a constant."""
    start = sheared("10,14", "-eigen_shifts", "-1.4+2.7i", "-eigen_number", 1, "-eigen_perturbed", 1e-4)
    value, base = modes(start)[0][0], start.checkpoint()
    period, first = 2 * math.pi / value.imag, start.checkpoint(file="_perturbed_000000.h5") - base
    gate.at_most("largest velocity of the perturbation: difference from 1e-4", abs(abs(first[:, :2]).max() - 1e-4), 1e-10)
    error = []
    for n in (50, 100):
        last = sheared("10,14", "-case_restart", start.file("_perturbed_000000.h5"), "-scheme_monolithic_dt", period / n, "-stop_time", period, verb="run", scheme="monolithic").checkpoint() - base
        difference, want = last - math.exp(value.real * period) * first, math.exp(value.real * period) * first
        difference[:, 2] -= difference[:, 2].mean()
        error.append(largest(abs(difference).max(axis=0) / abs(want).max(axis=0)))
    gate.at_most("a period later: difference from the mode that decayed, dt 1/100 of it", error[1], 0.015)
    gate.at_least("order in dt", math.log2(error[0] / error[1]), 1.8)
    gate.refused(sheared("4,4", "-eigen_perturbed", 1e-4, "-eigen_modes", 0, expect=1), ("-eigen_perturbed", "-eigen_modes 0", "expected 1 or more"))
    late = eigen("late", "4,3", "0,0", "2,1", "-physics", "newtonian", "-physics_newtonian_viscosity", 1, "-stabiliser", "split_oss", "-bc_left_type", "inlet", "-bc_left_velocity", "y*(1-y),0", *sides("wall", "top", "bottom"),
                 "-bc_right_type", "windkessel", "-bc_right_proximal", 0.6, "-bc_right_distal", 3, "-bc_right_compliance", 0.2, "-eigen_perturbed", 0.01, expect=1)
    gate.refused(late, ("-eigen_perturbed", "windkessel", "a checkpoint of its state lacks"))


def adjoint(gate, ranks):
    if ranks == "1":
        structural(gate)
    n, faces, projection = (3, "10,14", "consistent") if ranks == "1" else (2, "6,10", "lumped")
    result = sheared(faces, "-scheme_steady_projection", projection, "-eigen_shifts", "-1.4+2.7i", "-eigen_number", n, "-eigen_modes", n, "-eigen_adjoint", np_=int(ranks))
    value, _ = modes(result)
    gate.at_most("two modes of one value: difference", abs(value[0] - value[1]), 1e-9)
    gate.at_most("residuals of adjoint modes, by products with J", largest(result.table("_spectrum.csv")["adjoint_residual"]), 1e-7)
    product = np.array([[weak_product(result, i, j) for j in range(n)] for i in range(n)])
    gate.at_most("products of adjoint modes and modes: difference from 0 and 1", abs(product - np.eye(n)).max(), 1e-6)


def structural(gate):
    """J of a fluid at rest is symmetric: u+ is u over rho times the integral of |u|^2, which of the slowest mode is pi/2 (1 + 4/pi^2)."""
    result = rest(4, "-eigen_number", 1, "-eigen_adjoint")
    f = run.Fields(result.file("_adjoint_000000.vtu"))
    x, y = f.points[:, 0], f.points[:, 1] * math.pi / 2
    square = (np.sin(x) * np.cos(y)) ** 2 + (2 / math.pi * np.cos(x) * np.sin(y)) ** 2
    gate.at_most("structural sensitivity of the slowest mode over its largest", abs(f["structural_sensitivity"] * math.pi / 2 * (1 + 4 / math.pi**2) - square).max(), 0.025)


def weak_product(result, i, j, name="couette", rho=RHO, swirl=False):
    """w_i^H M v_j: integral of rho u+* u + s+* s, with swirl over the body of revolution, by two points of Gauss a direction of rectangles."""
    from vtkmodules.util.numpy_support import vtk_to_numpy

    w = run.Fields(f"{result.out}/{name}_adjoint_{i:06d}.vtu")
    v = [run.Fields(f"{result.out}/{name}_mode_{part}_{j:06d}.vtu") for part in ("real", "imaginary")]
    cell = vtk_to_numpy(w.grid.GetCells().GetConnectivityArray()).reshape(-1, 4)
    corner = w.points[cell]
    area = np.ptp(corner[:, :, 0], axis=1) * np.ptp(corner[:, :, 1], axis=1)
    total = 0
    for x, y in np.array(((-1, -1), (1, -1), (1, 1), (-1, 1))) / math.sqrt(3):
        n = np.array(((1 - x) * (1 - y), (1 + x) * (1 - y), (1 + x) * (1 + y), (1 - x) * (1 + y))) / 4
        weight = area / 4 * (2 * math.pi * corner[:, :, 1] @ n if swirl else 1)
        for of, to, factor in (("velocity", "velocity", rho), ("stress_0", "stress", 1)):
            a = n @ (w[f"adjoint_{of}_real"] + 1j * w[f"adjoint_{of}_imaginary"])[cell]
            b = n @ (v[0][to] + 1j * v[1][to])[cell]
            total += factor * (weight[:, None] * a.conj() * b).sum()
    return total


def turning(gate):
    """A fluid at rest in a cylinder of radius 2 with ends that slip: u_theta = J1(j r/2), J1(j) = 0, of which the integral of r J1^2 is 2 J0(j)^2."""
    angle = (np.arange(200) + 0.5) * math.pi / 200
    bessel = lambda n, x: np.cos(n * angle - x * np.sin(angle)).mean()  # noqa: E731
    j = 3.8317059702
    result = eigen("turning", "3,24", "0,0", "1,2", "-physics", "newtonian,swirling", "-physics_newtonian_viscosity", 0.7, "-form_density", 3, "-form_axisymmetric", "-stabiliser", "split_oss",
                   *sides("symmetry", "left", "right", "bottom"), "-bc_top_type", "wall", "-eigen_shifts", -0.9, "-eigen_number", 1, "-eigen_adjoint")
    gate.relative("decay rate of a fluid that turns", modes(result)[0][0].real, -0.7 / 3 * (j / 2) ** 2, 0.005)
    f = run.Fields(result.file("_adjoint_000000.vtu"))
    exact = np.array([bessel(1, j * r / 2) ** 2 for r in f.points[:, 1]]) / (4 * math.pi * bessel(0, j) ** 2)
    gate.at_most("its structural sensitivity", largest(abs(f["structural_sensitivity"] - exact)) / exact.max(), 0.01)


def swirl(gate):
    turning(gate)
    rho, eta_s, eta_p, relaxation = 300, 0.4, 0.6, 3
    exact = chebyshev.converged(lambda n: chebyshev.taylor_couette(1, 1.1, 1, 2 * math.pi / 0.1, rho, eta_s, eta_p, relaxation, n), 20, 1e-5)[0]
    exact = complex(exact.real, abs(exact.imag))
    result = eigen("cylinders", "16,16", "0,1", "0.1,1.1", "-mesh_box_periodic", "x", "-form_density", rho, "-form_axisymmetric", "-physics", "newtonian,oldroydb,swirling", "-physics_newtonian_viscosity", eta_s,
                   "-physics_oldroydb_viscosity", eta_p, "-physics_oldroydb_lambda", relaxation, "-polymer_variable", "stress", "-scheme_steady_continuation", f"physics_oldroydb_lambda=0.2:0.4:{relaxation}", "-bc_bottom_type", "rotating_wall",
                   "-bc_bottom_angular_velocity", 1, "-bc_top_type", "wall", "-eigen_shifts", f"{exact.real:.2f}{exact.imag:+.2f}i", "-eigen_number", 2, "-eigen_modes", 2, "-eigen_adjoint")
    value, _ = modes(result)
    gate.note("growth rate by Chebyshev collocation", exact.real)
    gate.at_least("which is unstable", exact.real, 0.1)
    for x in value:
        gate.at_most("error over its modulus", abs(x - exact) / abs(exact), 0.01)
    product = np.array([[weak_product(result, i, j, "cylinders", rho, True) for j in range(2)] for i in range(2)])
    gate.at_most("products of adjoint modes and modes: difference from 0 and 1", largest(abs(product - np.eye(2)).ravel()), 1e-6)
    u, w = ((f[0] + 1j * f[1]) for f in ([run.Fields(f"{result.out}/cylinders_mode_{part}_000000.vtu")["velocity"] for part in ("real", "imaginary")],
                                        [run.Fields(result.file("_adjoint_000000.vtu"))[f"adjoint_velocity_{part}"] for part in ("real", "imaginary")]))
    gate.at_most("largest velocity, that of swirl among them: difference from 1", abs(abs(u).max() - 1), 1e-9)
    gate.at_most("largest of the others", abs(u[:, :2]).max(), 0.3)
    sensitivity = run.Fields(result.file("_adjoint_000000.vtu"))["structural_sensitivity"]
    product = rho * np.linalg.norm(u, axis=1) * np.linalg.norm(w, axis=1)
    gate.at_most("structural sensitivity: difference of rho |u| |u+|", largest(abs(sensitivity - product)) / product.max(), 1e-8)


def waves(*words):
    """Of plane Poiseuille flow, Re 10000 where no viscosity is given."""
    return run.rheoplex("eigen", "-case_name", "channel", "-scheme", "steady", "-device", "cpu", "-physics", "newtonian", "-physics_newtonian_viscosity", 1e-4, "-stabiliser", "split_oss",
                        "-form_body_force", "2e-4,0", *sides("wall", "top", "bottom"), "-eigen_shifts", "0.0037+0.2375i", "-eigen_number", 1, *words, out=run.folder("eigen"))


def box(nx, ny, k):
    return "-mesh_box_faces", f"{nx},{ny}", "-mesh_box_lower", "0,-1", "-mesh_box_upper", f"{2 * math.pi / k!r},1", "-mesh_box_periodic", "x"


def graded(nx, ny, k):
    return "-mesh_file", run.gmsh("channel_graded.geo", "channel", ("nx", nx), ("ny", ny), ("k", repr(k))), "-mesh_periodic", "left,right"


def channel(nx, ny):
    value, _ = modes(waves(*box(nx, ny, 1)))
    return 1j * value[0].conjugate()  # of exp(i (x - c t)): lambda = -i c, or its conjugate


def poiseuille(gate):
    independent = 1j * chebyshev.newtonian(lambda y: 1 - y**2, 1, 1, 1e-4, 64)[0]
    gate.at_most("error of the Chebyshev code", abs(independent - ORR_SOMMERFELD), 2e-8)
    error = [abs(channel(nx, ny) - ORR_SOMMERFELD) for nx, ny in ((12, 48), (24, 96))]
    gate.at_most("error of c, 24 x 96", error[1], 0.002)
    gate.at_least("order", math.log2(error[0] / error[1]), 1.9)


def critical(gate):
    """Force G, viscosity n: U = G/(2 n), Re = G/(2 n^2); 24 x 96 quads, graded."""
    result = waves("-mesh_file", f"{run.MESHES}/channel_graded.msh", "-mesh_periodic", "left,right", "-eigen_shifts", "0.205i", "-eigen_critical",
                   "physics_newtonian_viscosity=1.3e-4:1.33e-4", "-eigen_critical_tol", 1e-5)
    path = result.table("_critical.csv")
    gate.relative("critical Reynolds number", 1e-4 / path["value"][-1] ** 2, CRITICAL[0], 0.01)
    gate.at_most("growth rate there", abs(path["growth_rate"][-1]), 1e-8)
    gate.at_most("values that were tried", len(path["value"]), 4)
    gate.near("the mode that is told is at that state", modes(result)[0][0].imag, path["angular_frequency"][-1], 1e-9)


def others(gate):
    """-eigen_critical of a density, and of modes with values of their own: the growth rates that it finds are those of the case with these values."""
    def sheared_two(lambdas, density, *more, expect=0):
        return eigen("two", "8,8", "0,-1", f"{math.pi!r},1", "-mesh_box_periodic", "x", "-form_density", density, "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 0.1, "-physics_oldroydb_modes", 2,
                     "-physics_oldroydb_viscosity", "0.6,0.3", "-physics_oldroydb_lambda", lambdas, "-polymer_variable", "stress", "-stabiliser", "split_oss", *sides("moving_wall", "top", "bottom"), "-bc_top_velocity", "1,0",
                     "-bc_bottom_velocity", " -1,0", "-eigen_shifts", 0, "-eigen_number", 1, "-snes_rtol", 1e-13, *more, expect=expect)

    for what, lambdas, density in ("physics_oldroydb_lambda=2:2.5", "0.625,2.5", 3), ("form_density=3:4", "0.5,2", 4):
        tried = sheared_two("0.5,2", 3, "-eigen_critical", what, expect=None)
        table = tried.table("_critical.csv")
        gate.relative(f"{what}: growth rate of the case at the second value", float(table["growth_rate"][1]), float(modes(sheared_two(lambdas, density))[0][0].real), 1e-7)
        gate.at_least(f"{what}: that of the first is another", abs(table["growth_rate"][1] / table["growth_rate"][0] - 1), 1e-3)
        gate.true(f"{what}: modes' ratios are told", ("largest of 2 modes; the others keep their ratios" in tried.stdout) == ("lambda" in what))
    gate.refused(sheared_two("0.5,2", 3, "-eigen_critical", "physics_oldroydb_lambda=-1:2", expect=None), ("physics_oldroydb_lambda = -1", "with which mode 0 has -0.25", "expected a number > 0"))


def fine(gate):
    """The error is that of the layers at the walls: meshes graded towards them."""
    for k, bound in ((0, 4e-5), (1, 1e-5)):
        value, _ = modes(waves(*graded(48 * 2**k, 192 * 2**k, 1.0)))
        gate.at_most(f"error of c, {48 * 2**k} x {192 * 2**k}", abs(1j * value[0].conjugate() - ORR_SOMMERFELD), bound)


def wake(gate):
    """Against the value at Re 50 in the regression test of StabFem, Taylor-Hood elements on 2193 adapted nodes: Fabre et al. (2018),
    Appl. Mech. Rev. 70, 060802."""
    want = 0.0131 + 0.7377j
    value = []
    for hc, hn, hw, hf in ((0.04, 0.09, 0.2, 4), (0.02, 0.045, 0.12, 3)):
        mesh = run.gmsh("wake_cylinder.geo", "wake", *zip(("hc", "hn", "hw", "hf"), (hc, hn, hw, hf)))
        result = run.rheoplex("eigen", f"{run.OPTIONS}/wake_cylinder_re50.yaml", "-mesh_file", mesh, "-eigen_number", 1, "-eigen_adjoint", "false", "-device", "cpu", out=run.folder("eigen"))
        value.append(modes(result)[0][0])
        gate.note(f"growth rate, size {hn} beside the cylinder", value[-1].real)
        gate.relative(f"angular frequency, size {hn}", value[-1].imag, want.imag, 0.02)
    gate.relative("growth rate, finest mesh", value[1].real, want.real, 0.02)
    gate.relative("growth rate extrapolated by second order", value[1].real + (value[1].real - value[0].real) / 3, want.real, 0.04)


def stepper(gate):
    """Flows whose slowest modes are well apart: a forced one, on two ranks too, and one of a polymer; projections in both."""
    force = ("-form_body_force", "sin(2*y),cos(x)", "-eigen_number", 3, "-eigen_shifts", 0.3)
    state = rest(2, *force)
    want = modes(state)[0]
    restart = ("-case_restart", state.file("_checkpoint.h5"))
    for solver, ranks in ("split", 1), ("split", 2), ("direct", 1):
        found = rest(2, *force, *restart, "-eigen_method", "stepper", "-solver", solver, np_=ranks)
        value, residual = modes(found)
        gate.at_most(f"-solver {solver} on {ranks} ranks: difference of its modes", abs(value - want).max(), 1e-8)
        gate.at_most("their residuals", residual.max(), 1e-7)
    polymer = ("-physics", "newtonian,oldroydb", "-physics_oldroydb_viscosity", 0.3, "-physics_oldroydb_lambda", 0.2, "-polymer_variable", "stress", *force)
    a, b = (rest(2, *polymer, *words) for words in ((), ("-eigen_method", "stepper", "-solver", "split", "-eigen_progress", 0)))
    gate.at_most("with a polymer: difference of modes", abs(modes(a)[0] - modes(b)[0]).max(), 1e-8)
    told = re.findall(r"eigen: restart (\d+), \d+ s: (\d) of 3 eigenpairs, the next has a relative error of (\S+) \(1e-10 is wanted\)", b.stdout)
    print(*told)
    gate.true("each restart tells how far it is", [int(k) for k, *_ in told] == [*range(1, len(told) + 1)] and len(told) > 1 and all(0 <= int(n) < 3 for _, n, _ in told))
    gate.true("the error falls to what is wanted", all(1e-10 < float(b[2]) < float(a[2]) for a, b in zip(told, told[1:]) if a[1] == b[1]))
    gate.true("without it not before ten seconds", "eigen: restart" not in a.stdout)
    if run.has("MUMPS"):
        result = rest(4, "-form_body_force", "sin(2*y),cos(x)", "-case_restart", rest(4, "-form_body_force", "sin(2*y),cos(x)", verb="run").file("_checkpoint.h5"), "-mat_mumps_icntl_23", 1, expect=None)
        print(result.stderr.strip())
        gate.true("factors that do not fit into the memory", result.rc != 0 and "do not fit into the memory (about " in result.stderr and "-eigen_method stepper" in result.stderr)
    result = rest(2, *restart, "-form_body_force", "sin(2*y),cos(x)", "-eigen_method", "stepper", "-eigen_adjoint", expect=None)
    gate.refused(result, ("got stepper with -eigen_adjoint", "expected factors"))


def complex_shifts(gate):
    """Complex shifts of a stepper: elastic waves of a fluid at rest, rho s (1 + lambda s) + k^2 (eta_s (1 + lambda s) + eta_p) = 0, and what becomes of them in a flow."""
    fluid = ("-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 0.1, "-physics_oldroydb_viscosity", 0.6, "-physics_oldroydb_lambda", 2, "-polymer_variable", "stress", "-eigen_number", 1)
    k2 = 1 + (math.pi / 2) ** 2
    exact = max(np.roots([3 * 2, 3 + k2 * 0.1 * 2, k2 * (0.1 + 0.6)]), key=lambda s: s.imag)
    steps = ("-eigen_method", "stepper", "-solver", "split")
    for shift, want in ("0.1+0.6i", exact), ("0.1-0.6i", exact.conjugate()):
        result = rest(3, *fluid, "-eigen_shifts", shift, *steps)
        value, residual = modes(result)
        gate.at_most(f"at rest, shift {shift}: error", abs(value[0] - want) / abs(want), 0.02)
        gate.at_most("its residual", residual.max(), 1e-7)
        gate.at_most("iterations a solve", float(re.search(r"solves of the stepper at the shift .*, (\S+) iterations each", result.stdout)[1]), 85)
    flow = (*fluid, "-form_body_force", "1.2*sin(2*y),0.9*cos(x)", "-eigen_shifts", "0.1+0.6i")
    want, one, two = (modes(rest(2, *flow, *words, np_=ranks))[0][0] for words, ranks in (((), 1), (steps, 1), (steps, 2)))
    gate.at_least("in a flow: its part of the frequency", abs(want - exact), 0.01)
    gate.at_most("in a flow: difference of the modes of factors", abs(one - want), 1e-8)
    gate.at_most("on two ranks", abs(two - want), 1e-8)


def restart(gate):
    state = rest(2, "-eigen_number", 1, "-form_body_force", "sin(2*y),cos(x)")
    again = rest(2, "-eigen_number", 1, "-form_body_force", "sin(2*y),cos(x)", "-case_restart", state.file("_checkpoint.h5"))
    gate.true("Newton's method does not run about a checkpoint", "Newton:" in state.stdout and "Newton:" not in again.stdout)
    gate.at_most("difference of modes about a checkpoint", abs(modes(state)[0] - modes(again)[0]).max(), 1e-10)
    for words, parts in ((("-form_body_force", "1.1*sin(2*y),cos(x)", "-case_restart", state.file("_checkpoint.h5")), ("the state is not steady", "got a residual of 0.", "at most 1e-08")),
                         (("-form_body_force", "sin(2*y)*cos(t),cos(x)", "-case_restart", state.file("_checkpoint.h5")), ("change after t = 0", "-scheme_steady_time")),
                         (("-eigen_nosuch", 1), ("-eigen_nosuch", "eigen_")),
                         (("-eps_ncv", 4), ("-eps_ncv",)),
                         (("-eigen_critical", "physics_newtonian_lambda=1:2"), ("-eigen_critical", "'physics_newtonian_lambda'", "expected a parameter of a law or a stabiliser of this case")),
                         (("-eigen_critical", "physics_newtonian_viscosity=1"), ("-eigen_critical", "'physics_newtonian_viscosity=1'", "option=a:b")),
                         (("-eigen_critical", "physics_newtonian_viscosity=-1:0.5"), ("-eigen_critical: got physics_newtonian_viscosity = -1", "expected a number > 0")),
                         (("-eigen_critical", "physics_newtonian_viscosity=0.7:0.5", "-eigen_number", 1), ("-eigen_critical: got growth rates -", "physics_newtonian_viscosity = 0.7", "and no zero among")),
                         (("-eigen_critical", "physics_newtonian_viscosity=1:1.5", "-eigen_number", 1), ("-eigen_critical: got growth rates -", "physics_newtonian_viscosity = 1", "and no zero")),
                         (("-eigen_shifts", "1+2"), ("-eigen_shifts", "'1+2'", "-0.1+0.24i")),
                         (("-eigen_shifts", "1e200"), ("at the shift 1e+200", "is not finite", "-eigen_shifts")),
                         (("-eigen_number", 100000), ("-eigen_number: got 100000 eigenmodes, expected at most",)),
                         (("-snes_rtol", "nan"), ('-snes_rtol: got "nan"',)),
                         (("-eigen_shifts", "0,,1"), ("-eigen_shifts", "'0,,1'"))):
        result = rest(2, *words, expect=None)
        print(result.stderr.strip())
        gate.true(f"{words[0]} {words[1]} is refused, with {parts}", result.rc != 0 and all(part in result.stderr for part in parts))
    case = f"{run.OPTIONS}/wake_cylinder_re50.yaml"
    gate.true("a case may hold options of eigen", run.rheoplex("check", case, out="", expect=None).rc == 0)
    result = run.rheoplex("check", case, "-eigen_number", 0, out="", expect=None)
    gate.true("which are looked at", result.rc != 0 and "-eigen_number: got \"0\"" in result.stderr)
    result = rest(2, scheme="lumped", expect=None)
    gate.true("another scheme is refused", result.rc != 0 and "got 'lumped', expected steady" in result.stderr)


def none(gate):
    result = rest(2, expect=None)
    print(result.stderr.strip())
    gate.true("the sentence", result.rc != 0 and "this build has no SLEPc" in result.stderr and result.stderr.count("\n") == 1)


def main(check, *more):
    gate = Gate("_".join(("eigen", check) + more))
    {"stokes": stokes, "ranks": ranks, "lacking": lacking, "stale": stale, "melt": melt, "few": few, "asked": asked, "twice": twice, "rough": rough, "couette": couette, "perturbed": perturbed, "poiseuille": poiseuille, "fine": fine, "adjoint": adjoint, "swirl": swirl, "critical": critical, "others": others, "wake": wake, "stepper": stepper, "waves": complex_shifts, "restart": restart, "none": none}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
