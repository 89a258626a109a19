"""Films of scalar fields at labels, D grad c.n = h (c_a - c), -bc_<label>_<field> "film <h>, <c_a>". film.py
  slab <np>       conduction at rest to a film, which linear elements have exactly, in all cells; the order where h, the ambient and the field vary along the wall
  cooling         a slab that cools: the eigenfunctions of beta tan beta = Bi, those of the mesh to rounding with a lumped mass; their order
  eigen           growth rate of the slowest mode of a slab with a film
  reactor         an inlet with h = U, Danckwerts: convection, diffusion and decay along a channel
  stiff           a film that asks for shorter steps than all else: dt, and that the field stays between the start and the ambient
  couette         Gavis and Laurence with a film at the plate that moves, a continuation and sensitivities
  radial          a pipe's wall, and a rod that is heated, in the half plane
  heat <np>       what leaves through a film, whose h and ambient change with time, in every scheme; the balance where labels share nodes
  ranks           1, 2 and 3 ranks; runs that are taken up again
  negative        what is refused"""
import math
import sys

import l2
import numpy as np
import thermal
from gate import Gate, largest
from thermal import B, CP, ETA, EXACT, K, RHO, SCHEMES, T0, THERMAL

D = K / (RHO * CP)
BOX = ("-physics", "newtonian,thermal", "-physics_newtonian_viscosity", ETA, *THERMAL, "-stabiliser", "split_oss", "-device", "cpu")
SIDES = {2: ("left", "right", "bottom", "top"), 3: ("left", "right", "bottom", "top", "back", "front")}


def walls(faces, *words):
    """Sides are insulated walls unless the words say otherwise."""
    rows = ((f"-bc_{side}_{row}", value) for side in SIDES[faces.count(",") + 1] for row, value in (("type", "wall"), ("temperature", "natural")))
    return [w for option, value in rows if option not in words for w in (option, value)]


def box(faces, *words, cell="quadrilateral", np_=1, **more):
    return thermal.rheoplex("film", "-mesh_box_faces", faces, "-mesh_box_cell", cell, *BOX, *walls(faces, *words), *words, np_=np_, **more)


def slab(gate, ranks):
    h, ambient = 0.11, 280.0
    slope = h * (ambient - T0) / (D + h)
    for cell, faces in (("quadrilateral", "5,3"), ("triangle", "5,3"), ("mixed", "6,4"), ("hexahedron", "4,2,3"), ("tetrahedron", "3,2,2")):
        got = box(faces, "-bc_left_temperature", f"value {T0}", "-bc_right_temperature", f"film {h}, {ambient}", "-mesh_box_jitter", 0.15, "-scheme", "steady", *EXACT, cell=cell, np_=ranks).fields()
        gate.at_most(f"{cell}s: difference from the line that cools", float(np.abs(got["temperature"] - T0 - slope * got.points[:, 0]).max() / abs(slope)), 1e-9)
    if ranks != "1":
        return
    # T = x^2 - y^2: D dT/dn = 2 D x, -2 D y
    film = ("-bc_right_temperature", f"film 0.1*(1+y), 1-y^2+2*{D}/(0.1*(1+y))", "-bc_top_temperature", f"film 0.05, x^2-1-2*{D}/0.05")
    for cell in "quadrilateral", "triangle":
        meshes, errors = (8, 16, 32), []
        for n in meshes:
            got = box(f"{n},{n}", "-bc_left_temperature", "value -y^2", "-bc_bottom_temperature", "value x^2", *film, "-initial_temperature", 0, "-scheme", "steady", *EXACT, cell=cell).fields()
            errors.append(l2.error(got, [(got["temperature"][:, None], lambda p: (p[:, 0]**2 - p[:, 1]**2)[:, None])])[0])
        gate.order(f"temperature, {cell}s, where h varies", meshes, errors, 1.95)


def beta(biot, factor=lambda b: b * math.tan(b)):
    """The least root of factor(b) = biot."""
    low, high = 0.0, math.pi / 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if factor(middle) < biot else (low, middle)
    return low


H, WARM, AMBIENT, LENGTH = 0.13, 7.0, 290.0, 0.8


def cools(n, b, *words, **more):
    return box(f"{n},1", "-mesh_box_upper", f"{LENGTH},0.1", "-bc_right_temperature", f"film {H}, {AMBIENT}", "-initial_temperature", f"{AMBIENT}+{WARM}*cos({b / LENGTH!r}*x)", *words, **more)


def cooling(gate):
    biot, n, steps, end = H * LENGTH / D, 10, 60, 1.2
    dt, dx = end / steps, LENGTH / n
    of_mesh = beta(biot, lambda b: n * math.sin(b / n) * math.tan(b))
    z = -dt * 2 * D / dx**2 * (1 - math.cos(of_mesh / n))
    for name, factor in ("lumped", 1 + z + z * z / 2), ("bdf2", 1 + z + z * z / 2), ("euler", 1 + z):
        scheme, stepper = ("fractional_step", ("-scheme_fractional_step_integrator", "bdf2")) if name == "bdf2" else ("lumped", ("-scheme_lumped_stepper", "heun" if name == "lumped" else name))
        got = cools(n, of_mesh, "-scheme", scheme, *stepper, f"-scheme_{scheme}_dt", dt, "-stop_steps", steps).fields()
        want = AMBIENT + WARM * factor**steps * np.cos(of_mesh / LENGTH * got.points[:, 0])
        gate.at_most(f"{name}: difference from the mesh's own eigenfunction, of {WARM} K", float(np.abs(got["temperature"] - want).max() / WARM), 1e-11)
    gate.at_most("of which this is left", factor**steps, 0.9)
    exact = beta(biot)
    for name, words in (("ssp3", ("-scheme", "fractional_step", "-scheme_fractional_step_integrator", "ssp3")), ("rk4", ("-scheme", "fractional_step", "-scheme_fractional_step_integrator", "rk4")),
                        ("bdf", ("-scheme", "monolithic", "-snes_rtol", 1e-11)), ("cn", ("-scheme", "monolithic", "-ts_type", "cn", "-snes_rtol", 1e-11))):
        errors, meshes = [], (8, 16)
        for m in meshes:
            got = cools(m, exact, *words, f"-scheme_{words[1]}_dt", (0.4 if name in ("bdf", "cn") else 0.05) / m, "-stop_time", 0.6).fields()
            want = AMBIENT + WARM * math.exp(-D * (exact / LENGTH)**2 * 0.6) * np.cos(exact / LENGTH * got.points[:, 0])
            errors.append(float(np.abs(got["temperature"] - want).max() / WARM))
        gate.at_most(f"{name}: difference from the eigenfunction", errors[1], 1e-3)
        gate.at_least(f"{name}: its order", math.log2(errors[0] / errors[1]), 1.8)


def eigen(gate):
    exact, meshes, errors = -D * (beta(H * LENGTH / D) / LENGTH)**2, (8, 16), []
    for n in meshes:
        words = "-mesh_box_faces", f"{n},1", "-mesh_box_upper", f"{LENGTH},0.1", "-bc_right_temperature", f"film {H}, {AMBIENT}"
        found = thermal.run.rheoplex("eigen", "-case_name", "film", *BOX, *walls("1,1", *words), *words, "-scheme", "steady", "-eigen_number", 1, out=thermal.run.folder("thermal"))
        errors.append(abs(float(found.table("_spectrum.csv")["growth_rate"][0]) / exact - 1))
    gate.at_most("growth rate, relative error", errors[1], 1e-3)
    gate.at_least("its order", math.log2(errors[0] / errors[1]), 1.9)


def reactor(gate):
    """D c'' - U c' - k c = 0, U c - D c' = U c_a at x = 0, c' = 0 at the end."""
    U, diffusivity, decay, feed, length = 0.7, 0.15, 0.9, 2.5, 1.2
    r = np.array([U + s * math.sqrt(U * U + 4 * diffusivity * decay) for s in (1, -1)]) / (2 * diffusivity)
    a, b = np.linalg.solve([U - diffusivity * r, r * np.exp(r * length)], [U * feed, 0])
    errors = []
    for n in 12, 24:
        got = thermal.rheoplex("reactor", "-mesh_box_faces", f"{n},2", "-mesh_box_upper", f"{length},0.2", "-physics", "newtonian,passive", "-physics_newtonian_viscosity", ETA, "-form_density", RHO,
                               "-physics_passive_diffusivity", diffusivity, "-physics_passive_decay", decay, "-stabiliser", "split_oss", "-bc_left_type", "inlet", "-bc_left_velocity", f"{U},0", "-bc_left_concentration",
                               f"film {U}, {feed}", "-bc_right_type", "outlet", "-bc_bottom_type", "free_slip", "-bc_top_type", "free_slip", "-scheme", "steady", *EXACT).fields()
        x = got.points[:, 0]
        errors.append(float(np.abs(got["concentration"] - a * np.exp(r[0] * x) - b * np.exp(r[1] * x)).max() / feed))
    gate.at_most("concentration, of the feed", errors[1], 2e-3)
    gate.at_least("its order", math.log2(errors[0] / errors[1]), 1.8)


def stiff(gate):
    """h dx/D = 40: without the film's rate a step of diffusion's limit is 40 times too long at the wall."""
    n = 20
    dx, h = 1 / n, 40 * D * n
    diffusion, wall = 2 * D / dx**2, 2 * h / dx
    for scheme, more, dt in (("lumped", ("-scheme_lumped_stepper", "heun"), 0.9 / (diffusion + wall)), ("fractional_step", ("-scheme_fractional_step_integrator", "bdf2"), 0.9 / (diffusion + wall)),
                             ("fractional_step", ("-scheme_fractional_step_integrator", "ssp3"), 0.9 * 1.256 / (diffusion + 17 / 9 * wall))):
        got = box(f"{n},1", "-mesh_box_upper", f"1,{1 / n}", "-bc_right_temperature", f"film {h}, {T0 - 9}", "-initial_temperature", T0, "-scheme", scheme, *more, f"-scheme_{scheme}_cfl", 0.9,
                  f"-scheme_{scheme}_dt", 1, "-stop_steps", 40)
        table, T = got.table("_history.csv"), got.fields()["temperature"]
        gate.relative(f"{more[1]}: dt", table["dt"][1], dt, 1e-3)
        gate.at_least(f"{more[1]}: least temperature, above the ambient", float(T.min() - T0 + 9), -1e-9)
        gate.at_most(f"{more[1]}: largest temperature, above the start", float(T.max() - T0), 0.1 if more[1] == "ssp3" else 1e-9)  # a consistent mass undershoots
    long = box(f"{n},1", "-mesh_box_upper", f"1,{1 / n}", "-bc_right_temperature", f"film {h}, {T0 - 9}", "-initial_temperature", T0, "-scheme", "lumped", "-scheme_lumped_dt", 2 / (diffusion + wall), "-stop_steps", 1)
    gate.true("a step that is too long is told", "times the relaxation limit of the state at the start" in long.stdout + long.stderr)


SPEED, FILM, COLD = 5.0, 0.17, 295.0


def plates_force(b=B, k=K, h=FILM):
    """Force of the fluid on the moving plate, per width, and the temperature: T0 + (m - 2 ln cosh(s (y - y0)))/b, T0 at the plate at rest, k T' = rho cp h (c_a - T) at the other."""
    def off(s, y0):
        m = 2 * math.log(math.cosh(s * y0))
        tau = math.sqrt(2 * s * s / math.cosh(s * y0)**2 * k * ETA / b)
        speed = tau / ETA * math.exp(m) / s * (math.tanh(s * (1 - y0)) + math.tanh(s * y0))
        wall = T0 + (m - 2 * math.log(math.cosh(s * (1 - y0)))) / b
        return np.array([speed - SPEED, -2 * k * s / b * math.tanh(s * (1 - y0)) - RHO * CP * h * (COLD - wall)]), m, tau

    v = np.array([0.9, 0.5])
    for _ in range(60):
        f = off(*v)[0]
        J = np.array([(off(*(v + d))[0] - off(*(v - d))[0]) / 2e-6 for d in np.eye(2) * 1e-6]).T
        v = v - np.linalg.solve(J, f)
    assert np.abs(off(*v)[0]).max() < 1e-8
    _, m, tau = off(*v)
    return -tau * 0.2, lambda y: T0 + (m - 2 * np.log(np.cosh(v[0] * (y - v[1])))) / b


def couette(gate):
    force, temperature = plates_force()
    film, errors = ("-bc_top_temperature", f"film {FILM}, {COLD}", "-initial_velocity", f"{SPEED}*y,0"), []
    newtonian = ("-physics", "newtonian,thermal", "-physics_newtonian_viscosity", ETA)
    for n in 12, 24:
        got = thermal.plates(n, SPEED, *newtonian, "-physics_thermal_sensitivity", B, *film)
        fields = got.fields()
        errors.append((abs(list(got.table("_forces.csv").values())[2][-1] / force - 1), float(np.abs(fields["temperature"] - temperature(fields.points[:, 1])).max() / np.ptp(temperature(fields.points[:, 1])))))
    for what, k in ("force", 0), ("temperature", 1):
        gate.at_most(f"{what}, relative error", errors[1][k], 4e-3)
        gate.at_least(f"its order: {what}", math.log2(errors[0][k] / errors[1][k]), 1.7)
    got = thermal.plates(24, SPEED, *newtonian, *film, "-physics_thermal_sensitivity", B, "-scheme_steady_continuation", f"physics_thermal_sensitivity=0.01:0.02:{B}", "-sensitivity",
                         "forces:physics_thermal_sensitivity,forces:physics_thermal_conductivity")
    for b, there in zip((0.01, 0.03, 0.05), list(got.table("_forces.csv").values())[2]):
        gate.relative(f"force at b = {b}", there, plates_force(b)[0], 3e-3)
    slopes = {row["parameter"]: float(row["derivative"]) for row in got.texts("_sensitivity.csv") if row["column"] == "top_x"}
    for name, want in (("sensitivity", (plates_force(B + 1e-4)[0] - plates_force(B - 1e-4)[0]) / 2e-4), ("conductivity", (plates_force(k=K + 1e-3)[0] - plates_force(k=K - 1e-3)[0]) / 2e-3)):
        gate.relative(f"its derivative by the {name}", slopes[f"physics_thermal_{name}"], want, 8e-3)


def radial(gate):
    h, ambient, inner, outer = 0.12, 280.0, 0.4, 1.3
    half = ("-form_axisymmetric", "true", "-mesh_box_periodic", "x", "-diagnostic_heat_kind", "scalar_diffusion", "-scheme", "steady", *EXACT)
    A = h * (ambient - T0) / (D / outer + h * math.log(outer / inner))
    errors = []
    for n in 12, 24:
        got = thermal.rheoplex("pipe", "-mesh_box_faces", f"3,{n}", "-mesh_box_lower", f"0,{inner}", "-mesh_box_upper", f"0.3,{outer}", *BOX, *half, "-bc_bottom_type", "wall", "-bc_top_type", "wall",
                               "-bc_bottom_temperature", f"value {T0}", "-bc_top_temperature", f"film {h}, {ambient}", "-diagnostic_heat_label", "bottom,top")
        f, heat = got.fields(), got.table("_heat.csv")
        errors.append(float(np.abs(f["temperature"] - T0 - A * np.log(f.points[:, 1] / inner)).max() / abs(A)))
        into, out = (heat[f"{label}_temperature_diffusion"][-1] for label in ("bottom", "top"))
        gate.relative(f"{n} cells: what enters by the inner wall leaves by the film", -into / out, 1, 1e-9)
        gate.relative(f"{n} cells: of the logarithm", out, -2 * math.pi * 0.3 * D * A, 2e-2 / n)
    gate.at_most("log profile, of its factor", errors[1], 1e-3)
    gate.at_least("its order", math.log2(errors[0] / errors[1]), 1.9)
    supply = 1.7
    got = thermal.rheoplex("rod", "-mesh_box_faces", "3,16", "-mesh_box_upper", f"0.3,{outer}", *BOX, *half, "-bc_bottom_type", "symmetry", "-bc_top_type", "wall", "-bc_top_temperature", f"film {h}, {ambient}",
                           "-physics_thermal_supply", supply, "-diagnostic_heat_label", "top")
    f = got.fields()
    exact = ambient + supply * outer / (2 * RHO * CP * h) + supply * (outer**2 - f.points[:, 1]**2) / (4 * K)
    gate.at_most("heated rod: temperature, of its rise", float(np.abs(f["temperature"] - exact).max() / (exact.max() - ambient)), 2e-3)
    gate.relative("heated rod: heat that leaves", RHO * CP * got.table("_heat.csv")["top_temperature_diffusion"][-1], supply * math.pi * outer**2 * 0.3, 1e-8)


def heat(gate, ranks):
    """T = T0 + 2 x + 4 t; what is linear in time and space is exact, with a film of h = 0.3 + t."""
    words = ("-bc_left_temperature", f"value {T0}+2*x+4*t", "-bc_right_temperature", f"film 0.3+t, {T0}+2*x+4*t+2*{D!r}/(0.3+t)", "-initial_temperature", f"{T0}+2*x", "-form_source_temperature", 4,
             "-diagnostic_heat_kind", "scalar_diffusion", "-diagnostic_heat_label", "left,right,top")
    for name, scheme in (("lumped", ("-scheme", "lumped", "-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", 0.01)), ("monolithic", ("-scheme", "monolithic", "-scheme_monolithic_dt", 0.01, "-snes_rtol", 1e-11)),
                         ("ssp3", SCHEMES["ssp3"]), ("bdf2", SCHEMES["bdf2"])):
        row = box("8,8", *words, *scheme, "-stop_steps", 5, cell="mixed", np_=ranks).table("_heat.csv")
        for side, through in ("left", 2 * D), ("right", -2 * D):
            gate.relative(f"{name}: through {side}", row[f"{side}_temperature_diffusion"][-1], through, 1e-6)
        gate.near(f"{name}: through the insulated wall", row["top_temperature_diffusion"][-1], 0, 1e-12)
    row = box("7,6", "-mesh_box_jitter", 0.2, "-physics_thermal_supply", 2.4, "-bc_left_temperature", f"value {T0}+y", "-bc_right_temperature", "film 0.3*(1+y), 280", "-bc_top_temperature", "film 0.2+x^2, 310+x",
              "-bc_bottom_temperature", "flux 0.1*x", "-diagnostic_heat_kind", "scalar_diffusion", "-diagnostic_heat_label", "left,right,top,bottom", "-scheme", "steady", *EXACT, cell="mixed", np_=ranks).table("_heat.csv")
    gate.near("value, flux and two films that share nodes: all that leaves, the supply over rho cp", sum(row[f"{side}_temperature_diffusion"][-1] for side in SIDES[2]), 2.4 / (RHO * CP), 1e-9)
    for name, given, words in (("jumps", ("1", "0.2", "0"), {}), ("radii", ("1", "y", "0"), {"axisymmetric": ("-form_axisymmetric", "true")})):
        row = box("6,5", "-mesh_box_jitter", 0.2, *(w for side, value in zip(("left", "right", "top"), given) for w in (f"-bc_{side}_temperature", f"value {T0}+10*({value})")), "-diagnostic_heat_kind", "scalar_diffusion",
                  "-diagnostic_heat_label", "left,right,top", "-scheme", "steady", *EXACT, *words.get("axisymmetric", ()), *(("-bc_bottom_type", "symmetry") if words else ()), cell="mixed", np_=ranks).table("_heat.csv")
        gate.at_most(f"values that meet with {name}: what leaves, over what comes", abs(sum(row[f"{side}_temperature_diffusion"][-1] for side in ("left", "right", "top")) / row["left_temperature_diffusion"][-1]), 1e-9)


def stirred(*words, np_=1):
    """A square whose lid moves, with films that vary along two sides and with time."""
    return box("7,6", "-bc_top_type", "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2,0", "-bc_top_temperature", f"film 0.2*(1+x)*(1+sin(3*t)^2), {T0 - 5}+x", "-bc_left_temperature", f"value {T0}+y",
               "-bc_bottom_temperature", "flux 0.3*x", "-bc_right_temperature", f"film 0.4, {T0 - 8}*(1+0.01*t)", "-initial_temperature", f"{T0}+2*x*y", "-physics_thermal_sensitivity", 0.1, *words, cell="mixed", np_=np_)


def ranks(gate):
    cfl = ("-pressure_ksp_rtol", 1e-13, "-momentum_ksp_rtol", 1e-13)
    for name, words in (("lumped", ("-scheme", "lumped", "-scheme_lumped_cfl", 0.5, *cfl[:2])), ("bdf2", ("-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2", "-scheme_fractional_step_cfl", 0.5, *cfl)),
                        ("monolithic", ("-scheme", "monolithic", "-scheme_monolithic_dt", 0.02, "-snes_rtol", 1e-12))):
        whole = stirred(*words, "-stop_steps", 12)
        state = whole.checkpoint()
        gate.at_least(f"{name}: temperatures differ by", float(np.ptp(state[:, -1])), 2)
        for n in 2, 3:
            gate.at_most(f"{name}: {n} ranks, largest difference of the temperature", float(np.abs(stirred(*words, "-stop_steps", 12, np_=n).checkpoint() - state)[:, -1].max()), 1e-10 * T0)
        half = stirred(*words, "-stop_steps", 5)
        rest = stirred(*words, "-stop_steps", 12, "-case_restart", half.file("_checkpoint.h5"))
        gate.at_most(f"{name}: taken up again", float(np.abs(rest.checkpoint() - state).max()), 1e-10 * T0)
        gate.at_most(f"{name}: dt of its steps", largest(abs(a - b) for a, b in zip(rest.table("_history.csv")["dt"][::-1], whole.table("_history.csv")["dt"][::-1])), 1e-12)


def negative(gate):
    def refused(expected, *words, np_=1, base=None):
        gate.refused((base or box)("3,3", "-scheme", "steady", *words, np_=np_, expect=None), expected)

    refused(["-bc_top_temperature: got 1 formula in \"0.3\", expected 2", "coefficient, ambient value"], "-bc_top_temperature", "film 0.3")
    refused(["got 3 formulas"], "-bc_top_temperature", "film 0.3,280,2")
    for np_ in 1, 2:
        refused(["-bc_top_temperature: the coefficient \"0.5-x\" of a film gives -", "m/s at (", "expected 0 or more"], "-bc_top_temperature", "film 0.5-x, 280", np_=np_)
    refused(["-bc_top_temperature: formula \"log(-x)\" gives", "expected a finite number"], "-bc_top_temperature", "film log(-x), 280")
    refused(["-bc_top_temperature", "expected a finite number"], "-bc_top_temperature", "film 0.3, 1/(t-t)")
    refused(["-bc_top_temperature: got \"value 300, film 2\"", "one of value, inflow, flux and film"], "-bc_top_temperature", "value 300, film 2")
    refused(["-bc_top_temperature: got \"film 2, flux 3\"", "not two on one label"], "-bc_top_temperature", "film 2, flux 3")
    refused(["-bc_top_concentration", "nothing in this case reads"], "-bc_left_temperature", "value 300", "-bc_top_concentration", "film 2, 3")
    refused(["-bc_top_temperature: got a film on a plane of symmetry", "free_slip"], "-bc_top_type", "symmetry", "-bc_top_temperature", "film 2, 3")
    swirl = thermal.rheoplex("swirl", "-mesh_box_faces", "3,3", "-form_axisymmetric", "true", "-physics", "newtonian,swirling", "-physics_newtonian_viscosity", ETA, "-stabiliser", "split_oss", "-bc_bottom_type", "symmetry",
                             "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_top_type", "wall", "-bc_top_swirl", "film 2, 3", "-scheme", "steady", expect=None)
    gate.refused(swirl, ["-bc_top_swirl: got a film for the azimuthal velocity", "value, flux or natural"])
    told = thermal.run.rheoplex("check", "-case_name", "film", "-mesh_box_faces", "3,3", *BOX, *walls("3,3", "-bc_top_temperature"), "-bc_top_temperature", "film 0.3*(1+x), 280+t", "-scheme_lumped_dt", 1e-3, "-stop_steps", 1, out=thermal.run.folder("thermal"))
    gate.true("`check` tells it", "temperature film 0.3*(1+x), 280+t" in told.stdout)


def main(check, *more):
    gate = Gate("_".join(("film", check) + more))
    {"slab": slab, "cooling": cooling, "eigen": eigen, "reactor": reactor, "stiff": stiff, "couette": couette, "radial": radial, "heat": heat, "ranks": ranks, "negative": negative}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
