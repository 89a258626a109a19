"""The heat of friction at walls that slip, which warms the fluid beside them. rubbing.py
  plates <np>    a plate that moves over one that slips: lines and parabolas, which linear elements have exactly, in all cells and schemes, by a friction and by the stress;
                 natural, flux and film, and a value, which takes the heat away
  newton         Newton's method where the heat thins the fluid that rubs; steps in time come to its state
  slopes <np>    sensitivities at a label that gives the temperature beside a wall that slips, by differences of runs
  round          what a film takes is the work of the rotor, and of the force through a tube
  ranks          1, 2 and 3 ranks; runs that are taken up again
  device [np]    host and device"""
import math
import re
import sys

import mshwrite
import numpy as np
import run
import thermal
from gate import Gate, largest
from thermal import CP, ETA, EXACT, K, RHO, SCHEMES, T0, THERMAL

SPEED, FRICTION, HEIGHT = 8.0, 1.3, 0.7
TAU = SPEED / (HEIGHT / ETA + 1 / FRICTION)
BY_STRESS = "0.4*tau*(1+0.05*tau^2)"
FLUID = ("-physics", "newtonian,thermal", "-physics_newtonian_viscosity", ETA, *THERMAL, "-stabiliser", "split_oss", "-initial_temperature", T0)


def plates(*words, cell="quadrilateral", dim=2, np_=1, slip=("friction", FRICTION), steady=True, **more):
    faces, upper, periodic = ("3,8", f"0.2,{HEIGHT}", "x") if dim == 2 else ("3,3,6", f"0.2,0.2,{HEIGHT}", "x,y")
    low, high = ("bottom", "top") if dim == 2 else ("back", "front")
    words = [str(w).replace("LOW", low) for w in words]
    return thermal.rheoplex("rubbing", "-mesh_box_faces", faces, "-mesh_box_upper", upper, "-mesh_box_periodic", periodic, "-mesh_box_cell", cell, *FLUID, f"-bc_{low}_type", "slip", f"-bc_{low}_{slip[0]}", slip[1],
                            f"-bc_{high}_type", "moving_wall", f"-bc_{high}_velocity", f"{SPEED},0" + ",0" * (dim - 2), f"-bc_{high}_temperature", f"value {T0}",
                            *(("-scheme", "steady", *EXACT) if steady else ()), *words, np_=np_, **more)


RUNS = ("-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2", "-pressure_ksp_rtol", 1e-13, "-momentum_ksp_rtol", 1e-13)


def stress(slip):
    """tau h/eta + slip(tau) = SPEED."""
    low, high = 0.0, SPEED * ETA / HEIGHT
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if middle * HEIGHT / ETA + slip(middle) < SPEED else (low, middle)
    return low


def rise(y, tau, into):
    """k T'' = -tau^2/eta, -k T'(0) = into, T(h) = T0."""
    return into / K * (HEIGHT - y) + tau**2 / (2 * ETA * K) * (HEIGHT**2 - y**2)


def between_plates(gate, ranks):
    cubic = lambda tau: 0.4 * tau * (1 + 0.05 * tau**2)
    heat = TAU**2 / FRICTION
    gate.at_least("heat of the friction over that of the viscosity", heat / (TAU**2 / ETA * HEIGHT), 0.7)
    for cell, dim in ("quadrilateral", 2), ("triangle", 2), ("mixed", 2), ("hexahedron", 3), ("tetrahedron", 3):
        got = plates(cell=cell, dim=dim, np_=ranks).fields()
        want = rise(got.points[:, dim - 1], TAU, heat)
        gate.at_most(f"{cell}s: temperature", largest(np.abs(got["temperature"] - T0 - want) / want.max()), 1e-3 if cell in ("triangle", "mixed") else 1e-8)
    film, ambient = 0.11, 280.0
    # into: what the film lets in, h rho cp (ambient - T(0)), T(0) = T0 + h/k (heat + into) + tau^2 h^2/(2 eta k)
    through = film * RHO * CP * (ambient - T0 - rise(0.0, TAU, heat)) / (1 + film * RHO * CP * HEIGHT / K)
    for name, words, into in (("flux", ("-bc_LOW_temperature", "flux 3"), heat + 3 * RHO * CP), ("film", ("-bc_LOW_temperature", f"film {film}, {ambient}"), heat + through), ("no heating", ("-physics_thermal_heating", "false"), 0.0)):
        got = plates(*words, np_=ranks).fields()
        want = rise(got.points[:, 1], TAU, into) - (0 if name != "no heating" else rise(got.points[:, 1], TAU, 0.0))
        gate.at_most(f"{name}: temperature", largest(np.abs(got["temperature"] - T0 - want)), 1e-7)
    got = plates("-bc_LOW_temperature", f"value {T0}", np_=ranks).fields()
    y = got.points[:, 1]
    gate.at_most("value: temperature, of the viscosity's heat alone", largest(np.abs(got["temperature"] - T0 - TAU**2 / (2 * ETA * K) * y * (HEIGHT - y))), 1e-7)
    tau = stress(cubic)
    got = plates(np_=ranks, slip=("slip_by_stress", BY_STRESS)).fields()
    want = rise(got.points[:, 1], tau, tau * cubic(tau))
    gate.at_most("slip by the stress: temperature", largest(np.abs(got["temperature"] - T0 - want) / want.max()), 1e-7)
    row = plates("-diagnostic_heat_kind", "scalar_diffusion", "-diagnostic_heat_label", "top,bottom", np_=ranks).table("_heat.csv")
    gate.relative("diagnostic: what enters through the wall that slips", row["bottom_temperature_diffusion"][-1], -heat * 0.2 / (RHO * CP), 1e-9)
    gate.relative("diagnostic: what leaves through the other", row["top_temperature_diffusion"][-1], (heat + TAU**2 / ETA * HEIGHT) * 0.2 / (RHO * CP), 1e-9)
    start = ("-initial_velocity", f"{TAU / FRICTION!r}+{TAU / ETA!r}*y,0", "-initial_temperature", f"{T0}+{heat / K!r}*({HEIGHT}-y)+{TAU**2 / (2 * ETA * K)!r}*({HEIGHT}^2-y^2)")
    for name, scheme in (("lumped", ("-scheme", "lumped", "-scheme_lumped_dt", 2e-3)), ("ssp3", (*SCHEMES["ssp3"], "-scheme_fractional_step_dt", 2e-3)), ("bdf2", (*SCHEMES["bdf2"], "-scheme_fractional_step_dt", 2e-3)),
                         ("monolithic", ("-scheme", "monolithic", "-scheme_monolithic_dt", 0.01))):
        got = plates(*start, *scheme, "-stop_steps", 20, "-device", "cpu", steady=False, np_=ranks).fields()
        want = rise(got.points[:, 1], TAU, heat)
        gate.at_most(f"{name}: it rests in that state", largest(np.abs(got["temperature"] - T0 - want) / want.max()), 1e-6)


def newton(gate):
    thin = ("-physics_thermal_sensitivity", 0.03)
    result = plates(*thin, slip=("slip_by_stress", BY_STRESS))
    line = [x for x in result.stdout.splitlines() if x.startswith("Newton:")][-1]
    norms = [float(x) for x in re.findall(r"(?<!order) (\d\.\d+e[-+]\d+)", line)]
    orders = [float(x) for k, x in enumerate(re.findall(r"order ([-\d.]+)", line)) if k and norms[k + 2] > 1e-12 * max(norms)]
    gate.at_least(f"order of Newton's method at the end, of {orders}", orders[-1], 1.6)
    steady = result.checkpoint()
    gate.at_least("the friction's heat thins the fluid that rubs: temperature less that without, K", float(steady[:, -1].max() - plates(*thin, "-bc_LOW_temperature", f"value {T0}", slip=("slip_by_stress", BY_STRESS)).checkpoint()[:, -1].max()), 5)
    for name, scheme in ("bdf2", (*RUNS, "-scheme_fractional_step_cfl", 0.5)), ("monolithic", ("-scheme", "monolithic", "-scheme_monolithic_dt", 0.2)):
        state = plates(*thin, *scheme, "-stop_time", 60, "-device", "cpu", slip=("slip_by_stress", BY_STRESS), steady=False).checkpoint()
        gate.at_most(f"{name}: where it comes to rest", largest(np.abs(state - steady)[:, -1] / np.ptp(steady[:, -1])), 1e-4)


def slopes(gate, ranks):
    """The reaction of a corner has the heat of friction of its part of the wall, of the state that is asked about."""
    words = ("-mesh_box_upper", "0.03,0.007", "-mesh_box_faces", "8,8", *FLUID, "-bc_left_type", "inlet", "-bc_left_profile", "developed", "-bc_left_mean_velocity", 0.3, "-bc_left_temperature", f"value {T0}", "-bc_right_type", "outlet",
             "-bc_top_type", "slip", "-bc_top_friction", FRICTION, "-bc_bottom_type", "symmetry", "-scheme", "steady", *EXACT, "-diagnostic_heat_kind", "scalar_diffusion", "-diagnostic_heat_label", "left,top", "-diagnostic_e_kind", "energy")
    at = lambda eta: {k: float(v[-1]) for t in ("_heat.csv", "_e.csv") for k, v in thermal.rheoplex("slopes", *words, "-physics_newtonian_viscosity", eta).table(t).items()}
    got = thermal.rheoplex("slopes", *words, "-sensitivity", "heat:physics_newtonian_viscosity,e:physics_newtonian_viscosity", np_=ranks)
    found = {r["column"]: float(r["derivative"]) for r in got.texts("_sensitivity.csv")}
    step = 1e-3 * ETA
    more, less = at(ETA + step), at(ETA - step)
    for column in "left_temperature_diffusion", "top_temperature_diffusion", "wall_work":
        gate.relative(f"derivative of {column} by the viscosity", found[column], (more[column] - less[column]) / (2 * step), 1e-3)


def around(gate):
    """Power of a rotor, by its torque, through a film outside; work of a body force in a tube."""
    r1, r2, omega, nr, nt = 0.5, 1.0, 2.9, 10, 60
    place = lambda i, j: ((r1 + (r2 - r1) * i / nr) * math.cos(2 * math.pi * j / nt), (r1 + (r2 - r1) * i / nr) * math.sin(2 * math.pi * j / nt))
    mesh = mshwrite.annulus(f"{run.folder('rubbing')}/ring.msh", nr, nt, place)
    got = thermal.rheoplex("ring", "-mesh_file", mesh, *FLUID, "-bc_inner_type", "rotating_wall", "-bc_inner_angular_velocity", omega, "-bc_inner_temperature", "natural", "-bc_outer_type", "slip", "-bc_outer_friction", 0.7, "-bc_outer_temperature", "film 0.2, 290",
                           "-scheme", "steady", *EXACT, "-diagnostic_f_kind", "forces", "-diagnostic_f_label", "inner,outer", "-diagnostic_f_torque", "true", "-diagnostic_heat_kind", "scalar_diffusion", "-diagnostic_heat_label", "outer")
    power = -float(got.table("_f.csv")["inner_torque"][-1]) * omega
    # u = A r + B/r: A r1 + B/r1 = omega r1, 2 eta B/r2^2 = 0.7 u(r2)
    a, b = np.linalg.solve([[r1, 1 / r1], [0.7 * r2, 0.7 / r2 - 2 * ETA / r2**2]], [omega * r1, 0])
    gate.relative("ring: power of the rotor", power, 4 * math.pi * ETA * b * omega, 0.01)
    friction = 0.7 * (a * r2 + b / r2) ** 2 * 2 * math.pi * r2 / power
    gate.at_least("ring: part of the friction", friction, 0.2)
    gate.relative("ring: heat that the fluid gives up, with that of the friction, over the power", RHO * CP * float(got.table("_heat.csv")["outer_temperature_diffusion"][-1]) / power + friction, 1, 4e-3)
    T, r = got.fields(), np.hypot(*got.fields().points[:, :2].T)
    gate.relative("ring: mean temperature of the wall, above the film's", float(T["temperature"][r > r2 - 1e-9].mean()) - 290, power / (2 * math.pi * r2 * 0.2 * RHO * CP), 4e-3)
    lid = thermal.rheoplex("lid", "-mesh_box_faces", "16,16", *FLUID, "-physics_newtonian_viscosity", 1, "-physics_thermal_conductivity", 1, "-physics_thermal_heat_capacity", 1, "-form_density", 1, "-bc_top_type", "moving_wall", "-bc_top_velocity", "1,0", "-bc_top_temperature", "natural",
                           "-bc_bottom_type", "wall", "-bc_bottom_temperature", f"value {T0}", *[w for side in ("left", "right") for w in (f"-bc_{side}_type", "slip", f"-bc_{side}_friction", 100, f"-bc_{side}_temperature", "natural")], "-scheme", "steady", *EXACT,
                           "-diagnostic_heat_kind", "scalar_diffusion", "-diagnostic_heat_label", "left").table("_heat.csv")
    gate.near("lid: heat of a wall's friction, of what slips along it, not of the lid that meets it", -lid["left_temperature_diffusion"][-1], 0.14, 0.03)
    force, radius, length = 5.0, 0.8, 0.3
    got = thermal.rheoplex("tube", "-form_axisymmetric", "true", "-mesh_box_faces", "3,10", "-mesh_box_upper", f"{length},{radius}", "-mesh_box_periodic", "x", *FLUID, "-bc_bottom_type", "symmetry", "-bc_top_type", "slip",
                           "-bc_top_friction", FRICTION, "-bc_top_temperature", "film 0.2, 290", "-form_body_force", f"{force},0", "-scheme", "steady", *EXACT, "-diagnostic_heat_kind", "scalar_diffusion", "-diagnostic_heat_label", "top",
                           "-diagnostic_e_kind", "energy")
    work = float(got.table("_e.csv")["body_work"][-1])
    gate.relative("tube: work of the force", work, force**2 * length * math.pi * radius**2 * (radius**2 / (8 * ETA) + radius / (2 * FRICTION)), 0.01)
    friction = -float(got.table("_e.csv")["wall_work"][-1])
    gate.at_least("tube: part of the friction", friction / work, 0.5)
    gate.relative("tube: heat that the fluid gives up, with that of the friction, over the work", (RHO * CP * float(got.table("_heat.csv")["top_temperature_diffusion"][-1]) + friction) / work, 1, 1e-8)
    T = got.fields()
    gate.relative("tube: temperature of the wall, above the film's", float(T["temperature"][T.points[:, 1] > radius - 1e-9].mean()) - 290, work / (2 * math.pi * radius * length * 0.2 * RHO * CP), 1e-8)


def stirred(*words, np_=1, **more):
    """A lid over walls that slip, by formulas of place in their temperature."""
    return thermal.rheoplex("stirred", "-mesh_box_faces", "7,6", "-mesh_box_cell", "mixed", *FLUID, "-bc_top_type", "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2,0", "-bc_top_temperature", f"film 0.2*(1+x), {T0 - 5}+x",
                            "-bc_left_type", "slip", "-bc_left_slip_by_stress", BY_STRESS, "-bc_left_temperature", "natural", "-bc_bottom_type", "slip", "-bc_bottom_friction", FRICTION, "-bc_bottom_temperature", "flux 0.3*x",
                            "-bc_right_type", "wall", "-bc_right_temperature", f"value {T0}+y", "-physics_thermal_sensitivity", 0.1, *words, np_=np_, **more)


STEPS = {"lumped": ("-scheme", "lumped", "-scheme_lumped_dt", 1e-3, "-pressure_ksp_rtol", 1e-13), "bdf2": (*SCHEMES["bdf2"], "-scheme_fractional_step_dt", 0.01, "-pressure_ksp_rtol", 1e-13, "-momentum_ksp_rtol", 1e-13),
         "monolithic": ("-scheme", "monolithic", "-scheme_monolithic_dt", 0.02, "-snes_rtol", 1e-12)}


def ranks(gate):
    for name, words in STEPS.items():
        state = stirred(*words, "-stop_steps", 12).checkpoint()
        for n in 2, 3:
            gate.at_most(f"{name}: {n} ranks, temperature", largest(np.abs(stirred(*words, "-stop_steps", 12, np_=n).checkpoint() - state)[:, -1]), 1e-10 * T0)
        half = stirred(*words, "-stop_steps", 5)
        rest = stirred(*words, "-stop_steps", 12, "-case_restart", half.file("_checkpoint.h5"))
        gate.at_most(f"{name}: taken up again", float(np.abs(rest.checkpoint() - state).max()), 1e-10 * T0)
        cold = stirred(*words, "-stop_steps", 12, "-physics_thermal_heating", "false").checkpoint()
        gate.at_least(f"{name}: heat of it all, K", float(np.abs(cold - state)[:, -1].max()), 1e-3)


def device(gate, np_):
    for name, words in {**STEPS, "steady": ("-scheme", "steady", "-snes_rtol", 1e-12, "-ksp_rtol", 1e-10)}.items():
        how = words if name == "steady" else (*words, "-stop_steps", 6)
        host, there = (stirred(*how, "-device", where, np_=n) for where, n in (("cpu", 1), ("cuda", np_)))
        gate.at_most(f"{name}: host and device", largest(np.abs(host.checkpoint() - there.checkpoint())[:, -1]), 1e-9 * T0)
        if name in ("steady", "monolithic"):
            iterations = [re.findall(r"Newton: (\d+) iterations", r.stdout) or list(r.table("_history.csv")["newton_iterations"]) for r in (host, there)]
            gate.true(f"{name}: iterations of Newton's method, {iterations}", iterations[0] == iterations[1])


def main(part, *more):
    gate = Gate("_".join(("scalars_rubbing", part) + more))
    {"plates": lambda: between_plates(gate, int(more[0])), "newton": lambda: newton(gate), "slopes": lambda: slopes(gate, int(more[0])), "round": lambda: around(gate), "ranks": lambda: ranks(gate), "device": lambda: device(gate, int(more[0]) if more else 1)}[part]()
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
