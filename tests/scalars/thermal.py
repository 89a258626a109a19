"""The field temperature (physics thermal): what it does to the flow and the flow to it. thermal.py
  couette <np>        viscous heating between plates, viscosity exp(-b T): Gavis and Laurence, Ind. Eng. Chem. Fundam. 7 (1968) 232
  follow              continuation and sensitivities in parameters of the plugin
  work                heat of a polymer's stress in shear without a shift: the temperature is a parabola; what axisymmetric flow between cylinders gives
  shift <scheme> <np> a temperature that is the same everywhere and not T0: flow, stress and outputs are those of laws with a-fold times and viscosities
  heat <np>           diagnostic scalar_diffusion
  suspension <folder> a plugin from outside that makes the solvent thicker and drives the flow
  heated <scheme>     an inlet that is heated in time
  factors             arrhenius, wlf and exponential against their formulas
  cavity <np>         natural convection in a square: de Vahl Davis, Int. J. Numer. Meth. Fluids 3 (1983) 249, Ra 1e4
  time <scheme>       order in dt alone while a flow heats, cools and turns over
  negative            what is not done together"""
import math
import sys

import numpy as np
import run
from gate import Gate, largest

B, ETA, K, CP, RHO, T0 = 0.05, 0.7, 0.4, 2.0, 3.0, 300.0
THERMAL = ("-physics_thermal_conductivity", K, "-physics_thermal_heat_capacity", CP, "-form_density", RHO)
EXACT = ("-snes_rtol", 1e-10, "-device", "cpu")


def rheoplex(name, *words, np_=1, **more):
    return run.rheoplex("run", "-case_name", name, *words, out=run.folder("thermal"), np=int(np_), **more)


def plates(n, speed, *words, cell="quadrilateral", dim=2, np_=1):
    faces, upper, periodic = (f"3,{n}", "0.2,1", "x") if dim == 2 else (f"3,3,{n}", "0.2,0.2,1", "x,y")
    low, high = ("bottom", "top") if dim == 2 else ("front", "back")
    return rheoplex("plates", "-mesh_box_faces", faces, "-mesh_box_upper", upper, "-mesh_box_periodic", periodic, "-mesh_box_cell", cell, "-stabiliser", "split_oss", f"-bc_{low}_type", "wall",
                    f"-bc_{low}_temperature", f"value {T0}", f"-bc_{high}_type", "moving_wall", f"-bc_{high}_velocity", f"{speed},0" + ",0" * (dim - 2), f"-bc_{high}_temperature", f"value {T0}",
                    "-scheme", "steady", "-diagnostic_forces", high, *THERMAL, *EXACT, *words, np_=np_)


def couette(gate, ranks):
    speed = 8.0
    nahme = B * ETA * speed**2 / K
    s = math.sqrt(nahme / 8)
    stress = ETA * speed * math.asinh(s) / (s * math.sqrt(1 + nahme / 8))
    top, width = math.log(1 + nahme / 8) / B, math.acosh(math.sqrt(1 + nahme / 8))
    for cell, dim in ((("quadrilateral", 2), ("triangle", 2), ("hexahedron", 3)) if ranks == "1" else (("mixed", 2),)):
        errors, sizes = [], {"quadrilateral": (10, 20), "hexahedron": (6, 12)}.get(cell, (40, 80))
        for n in sizes:
            got = plates(n, speed, "-physics", "newtonian,thermal", "-physics_newtonian_viscosity", ETA, "-physics_thermal_sensitivity", B, cell=cell, dim=dim,
                         np_=ranks)
            force = -list(got.table("_forces.csv").values())[2][-1] / (0.2 if dim == 2 else 0.04)
            across = got.fields().points[:, dim - 1]
            exact = T0 + top - 2 / B * np.log(np.cosh(width * (2 * across - 1)))
            errors.append((abs(force / stress - 1), float(np.abs(got.fields()["temperature"] - exact).max()) / top))
        for what, k in ("stress", 0), ("temperature", 1):
            gate.at_most(f"{cell}s: {what}, relative error", errors[1][k], 4e-3 if dim == 2 else 1.2e-2)
            gate.at_least(f"{cell}s: its order", math.log2(errors[0][k] / errors[1][k]), 1.7)
    gate.true("Newton's method converges", "order" in got.stdout)


def follow(gate):
    """Continuation in a parameter of the plugin, and sensitivities to it and to the conductivity, against the closed form between plates."""
    speed = 8.0

    def force(b, k=K):
        s = math.sqrt(b * ETA * speed**2 / k / 8)
        return -0.2 * ETA * speed * math.asinh(s) / (s * math.sqrt(1 + s * s))

    got = plates(24, speed, "-physics", "newtonian,thermal", "-physics_newtonian_viscosity", ETA, "-physics_thermal_sensitivity", B, "-scheme_steady_continuation",
                 f"physics_thermal_sensitivity=0.01:0.02:{B}", "-sensitivity", "forces:physics_thermal_sensitivity,forces:physics_thermal_conductivity")
    for b, there in zip((0.01, 0.03, 0.05), list(got.table("_forces.csv").values())[2]):
        gate.relative(f"force at b = {b}", there, force(b), 2e-3)
    slopes = {row["parameter"]: float(row["derivative"]) for row in got.texts("_sensitivity.csv") if row["column"] == "top_x"}
    gate.relative("its derivative by b", slopes["physics_thermal_sensitivity"], (force(B + 1e-5) - force(B - 1e-5)) / 2e-5, 4e-3)
    gate.relative("by the conductivity", slopes["physics_thermal_conductivity"], (force(B, K + 1e-4) - force(B, K - 1e-4)) / 2e-4, 4e-3)


def work(gate):
    """Without a shift, T - T0 = eta g^2 y (1 - y)/(2 k), eta of solvent and polymer; Oldroyd-B in stress and log c."""
    speed, eta_p = 2.0, 0.5
    for variable in "stress", "logconf":
        got = plates(12, speed, "-physics", "newtonian,oldroydb,thermal", "-physics_newtonian_viscosity", ETA, "-physics_oldroydb_viscosity", eta_p, "-physics_oldroydb_lambda", 0.3,
                     "-polymer_variable", variable, "-stabiliser", "devss,split_oss").fields()
        y = got.points[:, 1]
        parabola = (ETA + eta_p) * speed**2 * y * (1 - y) / (2 * K)
        gate.at_most(f"{variable}: temperature less the parabola, of its top", float(np.abs(got["temperature"] - T0 - parabola).max() / parabola.max()), 1e-7)
    cooled = plates(12, speed, "-physics", "newtonian,thermal", "-physics_newtonian_viscosity", ETA, "-physics_thermal_heating", "false", "-physics_thermal_supply", 1.7).fields()
    y = cooled.points[:, 1]
    gate.at_most("supply alone: temperature less its parabola", float(np.abs(cooled["temperature"] - T0 - 1.7 * y * (1 - y) / (2 * K)).max()), 1e-7)
    # a cylinder that is drawn along the axis: u = U ln(r/b)/ln(a/b), heat eta (U/(r ln))^2, walls at T0
    a, b, U = 0.5, 1.5, 2.0
    got = rheoplex("drawn", "-form_axisymmetric", "true", "-mesh_box_faces", "3,40", "-mesh_box_lower", f"0,{a}", "-mesh_box_upper", f"0.2,{b}", "-mesh_box_periodic", "x", "-physics", "newtonian,thermal",
                   "-physics_newtonian_viscosity", ETA, *THERMAL, "-stabiliser", "split_oss", "-bc_bottom_type", "moving_wall", "-bc_bottom_velocity", f"{U},0", "-bc_top_type", "wall", "-bc_bottom_temperature",
                   f"value {T0}", "-bc_top_temperature", f"value {T0}", "-scheme", "steady", "-diagnostic_heat_kind", "scalar_diffusion", "-diagnostic_heat_label", "bottom,top", "-diagnostic_e_kind", "energy",
                   *EXACT)
    heat, energy = got.table("_heat.csv"), got.table("_e.csv")
    got = got.fields()
    r, log = got.points[:, 1], math.log(b / a)
    x = np.log(r / a)
    exact = ETA * U**2 / (2 * K * log**2) * x * (log - x)
    inner, outer = (RHO * CP * heat[f"{label}_temperature_diffusion"][-1] for label in ("bottom", "top"))
    gate.relative("heat through both walls, of the analytic work 2 pi eta U^2 length/ln", inner + outer, 2 * math.pi * ETA * U**2 * 0.2 / log, 2e-3)
    gate.relative("and of the dissipation", inner + outer, energy["viscous_dissipation"][-1], 1e-6)
    gate.relative("half of it inwards", inner / (inner + outer), 0.5, 1e-2)
    gate.at_most("drawn cylinder: temperature, of its top", float(np.abs(got["temperature"] - T0 - exact).max() / exact.max()), 2e-3)


PRESSURE = "-pressure_ksp_rtol", 1e-13
SCHEMES = {
    "heun": ("-scheme", "lumped", "-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", 0.004, "-stop_steps", 12, *PRESSURE),
    "ssp3": ("-scheme", "fractional_step", "-scheme_fractional_step_integrator", "ssp3", "-scheme_fractional_step_dt", 0.004, "-stop_steps", 12, *PRESSURE),
    "bdf2": ("-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2", "-scheme_fractional_step_dt", 0.004, "-stop_steps", 12, *PRESSURE, "-momentum_ksp_rtol", 1e-13),
    "steady": ("-scheme", "steady", "-snes_rtol", 1e-10, "-ksp_rtol", 1e-10),
}


def channel(scheme, physics, a, *words, variable="logconf", np_=1, **more):
    """A channel with an open outlet; Carreau-Yasuda solvent; a: factor of all times and viscosities by parameters."""
    laws = ["carreau_yasuda", "ptt", "white_metzner"]
    return rheoplex("shift", "-mesh_box_faces", "8,6", "-mesh_box_lower", "0,-1", "-mesh_box_upper", "3,1", "-mesh_box_cell", "mixed", "-physics", ",".join(laws + physics), "-polymer_variable", variable,
                    "-physics_carreau_yasuda_viscosity", 0.8 * a, "-physics_carreau_yasuda_viscosity_inf", 0.3 * a, "-physics_carreau_yasuda_lambda", 0.6 * a, "-physics_carreau_yasuda_n", 0.6,
                    "-physics_ptt_modes", 2, "-physics_ptt_viscosity", f"{0.4 * a},{0.25 * a}", "-physics_ptt_lambda", f"{0.5 * a},{0.2 * a}", "-physics_ptt_epsilon", "0.25,0.1",
                    "-physics_white_metzner_viscosity", 0.2 * a, "-physics_white_metzner_lambda", 0.3 * a, "-physics_white_metzner_n", 0.8, "-physics_white_metzner_time", 0.5 * a, "-stabiliser", "devss,split_oss",
                    "-form_density", RHO, "-bc_left_type", "inlet", "-bc_left_profile", "developed", "-bc_left_mean_velocity", 0.9, "-bc_right_type", "outlet", "-bc_top_type", "wall", "-bc_bottom_type", "wall",
                    "-initial_velocity", "0.5*(1-y^2),0.1*sin(x)*(1-y^2)", "-output_fields", "velocity,viscosity,wi", "-diagnostic_f_kind", "forces", "-diagnostic_f_label", "top", "-diagnostic_f_parts", "true", "-diagnostic_e_kind", "energy", "-device", "cpu",
                    *SCHEMES[scheme], *words, np_=np_, **more)


def shift(gate, scheme, ranks):
    kelvin = 317.0
    a = math.exp(-B * (kelvin - T0))
    same = ["thermal"], 1.0, *THERMAL, "-physics_thermal_heating", "false", "-physics_thermal_sensitivity", B, "-initial_temperature", kelvin
    walls = [word for label in ("left", "top", "bottom") for word in (f"-bc_{label}_temperature", f"value {kelvin}")]
    for variable in "logconf", "stress":
        there = channel(scheme, [], a, variable=variable, np_=ranks)
        here = channel(scheme, *same, *walls, variable=variable, np_=ranks)
        state, other = here.checkpoint(), there.checkpoint()
        gate.at_least(f"{variable}: largest unknown of modes", float(np.abs(other[:, 3:]).max()), 0.3)
        gate.at_most(f"{variable}: difference of the states", float(np.abs(state[:, :-1] - other).max()), 1e-8)
        gate.at_most(f"{variable}: the temperature stays", float(np.abs(state[:, -1] - kelvin).max()), 1e-8)
        for name in "viscosity", "wi":
            gate.at_most(f"{variable}: {name} of the fields", float(np.abs(here.fields()[name] - there.fields()[name]).max()), 1e-8)
        for file in "_f.csv", "_e.csv":
            one, two = here.table(file), there.table(file)
            gate.at_most(f"{variable}: {file}", largest(abs(one[c][-1] - two[c][-1]) for c in two), 1e-8)


def heated(gate, scheme):
    """An inlet that is heated within a step has the developed flow and stress of its new temperature from then on: those of a fluid that always had it, where the polymer there has no history."""
    hot, rows = 340.0, []
    for first, text in ((T0, f"{T0}+{hot - T0}*(1-exp(-t*4000))"), (hot, f"{hot}")):
        walls = [word for label in ("left", "top", "bottom") for word in (f"-bc_{label}_temperature", f"value {text}")]
        result = channel(scheme, ["thermal"], 1.0, *THERMAL, "-physics_thermal_heating", "false", "-physics_thermal_sensitivity", 0.03, "-initial_temperature", first, *walls, "-bc_left_polymer_at", "nodes", "-bc_left_polymer_memory", "off", "-diagnostic_p_kind", "probe",
                         "-diagnostic_p_points", "0,0;0,0.3333333333333333;0,-1", "-diagnostic_p_fields", "velocity,stress", variable="stress")
        table = result.table("_p.csv")
        rows.append([float(table[name][-1]) for name in table if name not in ("step", "t")])
    gate.at_least("stress at the inlet", max(map(abs, rows[1])), 0.1)
    gate.at_most("velocity and stress at the inlet: difference", largest(abs(a - b) for a, b in zip(*rows)), 1e-6)


def factors(gate):
    """Of one fluid at one temperature the wall's stress in Couette flow is a eta U. It starts at that of the laws' parameters, or another by name."""
    for words, starts in (((), 351.0), (("-initial_temperature", "reference"), 351.0), (("-initial_temperature", "340+y"), 340.5)):
        first = plates(4, 0.0, "-physics", "newtonian,thermal", "-physics_newtonian_viscosity", ETA, "-physics_thermal_reference", 351, "-bc_bottom_temperature", "natural", "-bc_top_temperature", "natural", "-scheme", "monolithic",
                       "-scheme_monolithic_dt", 1e-3, "-stop_steps", 1, *words)
        gate.relative(f"starts at its reference {words}", float(np.mean(first.checkpoint()[:, -1])), starts, 1e-4)
    kelvin, R = 340.0, 8.314462618
    for name, words, a in (("exponential", ("-physics_thermal_sensitivity", 0.02), math.exp(-0.02 * 40)),
                           ("arrhenius", ("-physics_thermal_activation", 41e3), math.exp(41e3 / R * (1 / kelvin - 1 / T0))),
                           ("wlf", ("-physics_thermal_wlf_1", 7.3, "-physics_thermal_wlf_2", 95), 10**(-7.3 * 40 / (95 + 40))), ("none", (), 1.0)):
        got = plates(4, 1.0, "-physics", "newtonian,thermal", "-physics_newtonian_viscosity", ETA, "-physics_thermal_heating", "false", *words, "-bc_bottom_temperature",
                     f"value {kelvin}", "-bc_top_temperature", f"value {kelvin}", "-initial_temperature", kelvin)
        gate.relative(f"{name}: stress of the wall", -list(got.table("_forces.csv").values())[2][-1] / 0.2, a * ETA, 1e-9)


def heat(gate, ranks):
    """What leaves through sides that share nodes, by value and by flux, is what comes by supply less what is kept: at rest and in steps; both quantities in time and space are linear."""
    words = ("-mesh_box_faces", "8,8", "-mesh_box_cell", "mixed", "-physics", "newtonian,thermal", "-physics_newtonian_viscosity", 1, *THERMAL, "-stabiliser", "split_oss", "-bc_left_type", "wall", "-bc_bottom_type",
             "wall", "-bc_right_type", "wall", "-bc_top_type", "wall", "-diagnostic_heat_kind", "scalar_diffusion", "-diagnostic_heat_label", "left,bottom,right,top", "-device", "cpu")
    D = K / (RHO * CP)
    sides = ("left", "bottom", "right", "top")
    # T = T0 + 2 x + 3 y + 4 t with a source of 4 K/s
    linear = [w for side in sides[:3] for w in (f"-bc_{side}_temperature", f"value {T0}+2*x+3*y+4*t")] + ["-bc_top_temperature", f"flux {3 * D}", "-initial_temperature", f"{T0}+2*x+3*y", "-form_source_temperature", 4]
    for name, scheme in (("lumped", ("-scheme", "lumped", "-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", 0.01)), ("monolithic", ("-scheme", "monolithic", "-scheme_monolithic_dt", 0.01, "-snes_rtol", 1e-11)),
                         ("ssp3", SCHEMES["ssp3"]), ("bdf2", SCHEMES["bdf2"])):
        row = rheoplex("heat", *words, *linear, *scheme, "-stop_steps", 5, np_=ranks).table("_heat.csv")
        for side, slope in zip(sides, (2, 3, -2, -3)):
            gate.relative(f"{name}: through {side}", row[f"{side}_temperature_diffusion"][-1], D * slope, 1e-6)


def suspension(gate, folder):
    """A plugin from outside: particles that make the solvent thicker, not the polymer, and are heavier than it."""
    c, most, eta = 0.21, 0.6, 0.4
    box = ("-mesh_box_faces", "6,5", "-mesh_box_cell", "mixed", "-physics_oldroydb_viscosity", 0.3, "-physics_oldroydb_lambda", 0.2, "-stabiliser", "devss,split_oss", "-form_density", RHO, "-bc_top_type",
           "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2,0", *[w for side in ("left", "right", "bottom") for w in (f"-bc_{side}_type", "wall")], "-device", "cpu", *SCHEMES["ssp3"])
    solid = ("-plugin", f"{folder}/outside_suspension.so", "-physics_outside_suspension_diffusivity", 0.1, "-physics_outside_suspension_maximum", most)
    thick = rheoplex("thick", *box, *solid, "-physics", "newtonian,oldroydb,outside_suspension", "-physics_newtonian_viscosity", eta, "-initial_solid", c).checkpoint()
    plain = rheoplex("thick", *box, "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", eta * (1 - c / most)**(-2.5 * most)).checkpoint()
    gate.at_least("largest stress", float(np.abs(plain[:, 3:]).max()), 0.1)
    gate.at_most("difference from the solvent that is as thick", float(np.abs(thick[:, :-1] - plain).max()), 1e-10)
    excess, g = 1.5, -9.0
    rest = rheoplex("rest", "-mesh_box_faces", "4,24", *solid, "-physics", "newtonian,outside_suspension", "-physics_newtonian_viscosity", eta, "-physics_outside_suspension_excess", excess,
                    "-physics_outside_suspension_gravity_y", g, "-form_density", RHO, "-stabiliser", "split_oss", *[w for side in ("left", "right", "bottom", "top") for w in (f"-bc_{side}_type", "wall")],
                    "-bc_bottom_solid", "value 0.3", "-bc_top_solid", "value 0.1", "-scheme", "steady", *EXACT).fields()
    y = rest.points[:, 1]
    weight = RHO * excess * g * (0.3 * y - 0.1 * y * y)
    off = rest["pressure"] - weight
    gate.at_most("layers at rest: pressure less their weight, of it", float(np.ptp(off) / np.ptp(weight)), 3e-3)
    gate.at_most("and the velocity", float(np.abs(rest["velocity"]).max()), 1e-3)
    inlet = ("-mesh_box_faces", "6,4", "-bc_left_type", "inlet", "-bc_left_profile", "developed", "-bc_left_flow_rate", 1, "-bc_left_solid", "value 0.2", "-bc_right_type", "outlet", "-bc_top_type", "wall", "-bc_bottom_type", "wall",
             "-physics_newtonian_viscosity", eta, "-initial_solid", 0.2, *solid)
    polymer = ("-physics", "newtonian,oldroydb,outside_suspension", "-physics_oldroydb_viscosity", 0.3, "-physics_oldroydb_lambda", 0.2, "-stabiliser", "devss,split_oss")
    gate.refused(rheoplex("inlet", *inlet, *polymer, "-stop_steps", 1, expect=None), ("-bc_left_profile developed: got fields that make the solvent's viscosity 1.83712-fold", "expected factors of time alone"))
    gate.true("of the solvent alone the profile is the same", rheoplex("inlet", *inlet, "-physics", "newtonian,outside_suspension", "-stabiliser", "split_oss", "-stop_steps", 1).rc == 0)


def cavity(gate, ranks):
    """Air, Pr 0.71: lengths of the side, speeds of the thermal diffusivity. The published mean Nusselt number 2.243, largest velocities 16.178 and 19.617."""
    ra, pr, n = 1e4, 0.71, 32
    grade = f"{n},{n}"
    got = rheoplex("cavity", "-mesh_box_faces", grade, "-physics", "newtonian,thermal", "-physics_newtonian_viscosity", pr, "-physics_thermal_conductivity", 1, "-physics_thermal_heat_capacity", 1,
                   "-physics_thermal_heating", "false", "-physics_thermal_reference", 1, "-physics_thermal_expansion", 1, "-physics_thermal_gravity_y", -ra * pr, "-initial_temperature", 1, "-stabiliser",
                   "split_oss", "-case_velocity", 10, *[w for side, v in (("left", "value 1.5"), ("right", "value 0.5"), ("bottom", "natural"), ("top", "natural")) for w in
                                 (f"-bc_{side}_type", "wall", f"-bc_{side}_temperature", v)], "-scheme", "steady", "-snes_rtol", 1e-10, "-diagnostic_heat_kind", "scalar_diffusion", "-diagnostic_heat_label",
                   "left,right,top", "-device", "cpu", np_=ranks)
    f = got.fields()
    keep = f.unique()
    x, y, T, u = f.points[keep, 0], f.points[keep, 1], f["temperature"][keep], f["velocity"][keep]
    columns = [np.nonzero(np.abs(x - c) < 1e-9)[0] for c in np.unique(np.round(x, 9))]
    flux = []  # over vertical lines: integral of u T - dT/dx, the same through all of them; of pairs of lines with conduction between
    for low, high in zip(columns, columns[1:]):
        low, high = low[np.argsort(y[low])], high[np.argsort(y[high])]
        middle = (u[low, 0] + u[high, 0]) / 2 * (T[low] + T[high] - 2) / 2 - (T[high] - T[low]) * n
        flux.append(run.trapezoid(y[low], middle))
    gate.relative("mean Nusselt number over the square", float(np.mean(flux)), 2.243, 5e-3)
    heat = got.table("_heat.csv")
    gate.relative("that of the hot wall, by its reactions", -heat["left_temperature_diffusion"][-1], 2.243, 5e-3)
    gate.at_most("sum of hot and cold wall", abs(heat["left_temperature_diffusion"][-1] + heat["right_temperature_diffusion"][-1]), 1e-8)
    gate.near("insulated wall", heat["top_temperature_diffusion"][-1], 0, 0)
    middle = np.abs(x - 0.5) < 1e-9
    gate.relative("largest velocity along x on the vertical line in the middle", float(u[middle, 0].max()), 16.178, 1e-2)
    gate.relative("along y on the horizontal one", float(u[np.abs(y - 0.5) < 1e-9, 1].max()), 19.617, 1e-2)


def time(gate, scheme):
    """A stirred square of a polymer that heats, thins and rises: differences between halved steps."""
    words = {"ssp3": ("-scheme", "fractional_step", "-scheme_fractional_step_integrator", "ssp3", *PRESSURE), "bdf2": ("-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2", *PRESSURE),
             "monolithic": ("-scheme", "monolithic", "-snes_rtol", 1e-11, "-ksp_rtol", 1e-9)}[scheme]
    name = "monolithic" if scheme == "monolithic" else "fractional_step"
    states = []
    for steps in (40, 80, 160):
        got = rheoplex("time", "-mesh_box_faces", "6,6", "-mesh_box_cell", "mixed", "-physics", "newtonian,oldroydb,thermal", "-physics_newtonian_viscosity", 0.4, "-physics_oldroydb_viscosity", 0.3,
                       "-physics_oldroydb_lambda", 0.2, "-polymer_variable", "stress", "-stabiliser", "devss,split_oss", "-physics_thermal_sensitivity", 0.3,
                       "-physics_thermal_expansion", 0.05, "-physics_thermal_gravity_y", -9, "-initial_temperature", "300+2*cos(3*x)*sin(3*y)", *THERMAL, *[
                           w for side in ("left", "right", "bottom", "top") for w in (f"-bc_{side}_type", "moving_wall" if side == "top" else "wall", f"-bc_{side}_temperature", "natural")],
                       "-bc_top_velocity", "sin(3*t)^2*16*x^2*(1-x)^2,0", *words, f"-scheme_{name}_dt", 0.4 / steps, "-stop_time", 0.4, "-device", "cpu", "-output_fields", "false")
        states.append(got.checkpoint())
    one, two = (np.abs(states[i] - states[i + 1]).max(axis=0) for i in (0, 1))
    gate.at_least("largest change of the temperature", float(np.ptp(states[-1][:, -1])), 1)
    for what, k in ("velocity along x", 0), ("velocity along y", 1), ("pressure", 2), ("shear stress", 5), ("temperature", 6):
        gate.at_least(f"order of the {what}", math.log2(one[k] / two[k]), 1.75)


def negative(gate):
    thermal = ["thermal"], 1.0, *THERMAL, "-physics_thermal_sensitivity", B
    walls = ("-bc_top_temperature", f"value {T0}", "-bc_bottom_temperature", f"value {T0}")
    there = (*walls, "-bc_left_temperature", f"value {T0}")

    def refused(expected, *words):
        gate.refused(channel("heun", *thermal, *words, expect=None), expected)

    refused(["'left'", "got no value of it", '-bc_left_temperature "value <formula>"'], *walls, "-bc_left_temperature", "natural")
    refused(["-bc_left_profile developed", "at the middle", "expected the same everywhere"], *walls, "-bc_left_temperature", "value 300+y")
    refused(["-bc_right_polymer or _polymer_inflow developed", "'temperature' shifts", "expected open"], *there, "-bc_right_polymer", "developed", "-bc_right_profile", "developed", "-bc_right_mean_velocity", "0.9")
    refused(["scalar field 'temperature' has to be given"], "-bc_left_temperature", "value 300")
    gate.refused(rheoplex("centroid", "-mesh_box_faces", "3,3", "-mesh_box_cell", "triangle", "-physics", "newtonian,thermal", *THERMAL, "-physics_newtonian_viscosity", 1, "-stabiliser", "split_oss",
                          "-form_quadrature", "centroid", "-bc_top_type", "wall", "-bc_top_temperature", "natural", "-scheme_lumped_dt", 0.1, "-stop_steps", 1, expect=None),
                 ["-form_quadrature centroid", "'temperature'", "feels no scalar field"])


def main(check, *more):
    gate = Gate("_".join(("thermal", check) + (more if check != "suspension" else ())))
    {"couette": couette, "follow": follow, "work": work, "shift": shift, "factors": factors, "heated": heated, "heat": heat, "suspension": suspension, "cavity": cavity, "time": time, "negative": negative}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
