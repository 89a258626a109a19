"""Bounds and choices that see all of the law: bounds.py <check>
thickening  a viscosity that rises with the rate: Couette flow is steady and exact at the bound, by Euler and ssp3
crosswind   bdf2 carries a scalar whose stabiliser diffuses by far more than it does itself: steps respect that
steep       bdf2 where a temperature makes the viscosity jump: as by Newton's method
usual       Re, Wi, unknown and scheme of laws that the first temperature shifts are those of the fluid that it makes; one temperature by a formula too
axes        gravity along an axis that the mesh has not
abrupt      steps by their error begin at an abrupt inflow, and are measured by the velocity of the case
yielding    fluids that yield take Newton's method where nothing is abrupt, and are told of bdf2
blocks      options of two schemes without one that is named
told        a flow that reverses into an open label, the heat of slip, a mesh in metres without a density
rheometer   the bound of steady flow is that of all modes; a run that fails leaves the table of before"""
import math
import re
import sys

import numpy as np
import run
from gate import Gate, largest

SIDES = ("left", "right", "bottom", "top")


def case(verb="run", expect=0, np_=1, **words):
    return run.rheoplex(verb, *(w for key, value in {"case_name": "b", "device": "cpu", "output_fields": "false", **words}.items() if value is not None for w in (f"-{key}", value)), out=run.folder("bounds"), np=np_, expect=expect)


def thickening(gate):
    flow = {"mesh_box_faces": "16,16", "mesh_box_periodic": "x", "physics": "power_law", "physics_power_law_consistency": 1, "physics_power_law_n": 2, "physics_power_law_viscosity_max": 1e6,
            "initial_velocity": "y+0.1*sin(2*pi*x)*sin(pi*y),0", "bc_bottom_type": "wall", "bc_top_type": "moving_wall", "bc_top_velocity": "1,0", "stop_time": 1}
    for scheme, more in (("lumped", {}), ("fractional_step", {"scheme_fractional_step_integrator": "ssp3"})):
        done = case(**flow, scheme=scheme, **more, **{f"scheme_{scheme}_cfl": 0.9, f"scheme_{scheme}_dt": 1})
        x, u = done.checkpoint("positions"), done.checkpoint()
        gate.at_most(f"{scheme}: velocity", largest(*abs(u[:, 0] - x[:, 1]), *abs(u[:, 1])), 1e-9)


def crosswind(gate):
    done = case(mesh_box_upper="1,0.1", mesh_box_faces="20,20", mesh_box_periodic="xy", physics="newtonian,passive", physics_newtonian_viscosity=0.1, physics_passive_diffusivity=1e-5, stabiliser="split_oss,crosswind",
                initial_velocity="1,1", initial_concentration="abs(x-0.5)<0.25 ? 1 : 0", scheme="fractional_step", scheme_fractional_step_integrator="bdf2", scheme_fractional_step_cfl=0.9, scheme_fractional_step_dt=0.1, stop_time=0.2)
    c = done.checkpoint()[:, 3]
    gate.at_most("largest value", float(largest(*c)), 1.3)
    gate.at_least("least value", float(c.min()), -0.3)


def steep(gate):
    flow = {"case_velocity": 0.01, "mesh_box_faces": "32,32", "physics": "newtonian,thermal", "physics_newtonian_viscosity": 1, "physics_thermal_conductivity": 1e-6, "physics_thermal_heat_capacity": 1, "physics_thermal_heating": "false",
            "physics_thermal_reference": 1, "physics_thermal_sensitivity": 5, "initial_temperature": "y<0.5 ? 1 : 2", **{f"bc_{s}_type": "wall" for s in SIDES}, **{f"bc_{s}_temperature": "natural" for s in SIDES}, "bc_bottom_type": "moving_wall",
            "bc_bottom_velocity": "0.01*16*x^2*(1-x)^2,0", "scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2", "scheme_fractional_step_dt": 0.025, "stop_time": 1}
    done = case(**flow)
    same = case(**{k: v for k, v in flow.items() if not k.startswith("scheme")}, scheme="monolithic", scheme_monolithic_dt=0.1)
    u, v = (d.checkpoint()[:, :2] for d in (done, same))
    gate.at_most("velocity, difference from Newton's method", float(abs(u - v).max()), 1e-3)


def said(text):
    """Re, Wi, scheme or unknown, as `check` says."""
    re_, wi = re.search(r"Re ([\d.e+-]+) ", text), re.search(r"Wi ([\d.e+-]+) ", text)
    return [float(re_[1]), float(wi[1]) if wi else 0.0] + re.findall(r"-polymer_variable auto|logconf|monolithic|bdf2|ssp3", text)


def usual(gate):
    base = {"mesh_box_faces": "8,8", "mesh_box_periodic": "x", "form_body_force": "60*sin(2*pi*t),0", "bc_bottom_type": "wall", "bc_top_type": "wall", "stop_time": 1}
    thermal = {"physics_thermal_conductivity": 1, "physics_thermal_heat_capacity": 1, "physics_thermal_heating": "false", "physics_thermal_reference": 473, "physics_thermal_activation": 60e3, "bc_bottom_temperature": "value 373", "bc_top_temperature": "value 373"}
    factor = float(np.exp(60e3 / 8.314462618 * (1 / 373 - 1 / 473)))
    newtonian = {"physics": "newtonian,thermal", "physics_newtonian_viscosity": 1}
    want = said(case("check", **base, physics="newtonian", physics_newtonian_viscosity=factor).stdout)
    for name, temperature in (("a number", 373), ("a formula", "373+0*y")):
        got = said(case("check", **base, **newtonian, **thermal, initial_temperature=temperature).stdout)
        gate.relative(f"{name}: Re", got[0], 1 / factor, 1e-2)
        if name == "a number":
            gate.true(f"{name}: {got} as {want}", got[2:] == want[2:])
    oldroyd = {"physics": "newtonian,oldroydb,thermal", "physics_newtonian_viscosity": 0.5, "physics_oldroydb_viscosity": 0.5, "physics_oldroydb_lambda": 0.05}
    got = said(case("check", **base, **oldroyd, **thermal, initial_temperature=373).stdout)
    want = said(case("check", **base, physics="newtonian,oldroydb", physics_newtonian_viscosity=0.5 * factor, physics_oldroydb_viscosity=0.5 * factor, physics_oldroydb_lambda=0.05 * factor).stdout)
    gate.relative("Oldroyd-B: Wi", got[1], want[1], 1e-2)
    gate.true(f"Oldroyd-B: {got} as {want}", got[2:] == want[2:])


def axes(gate):
    flow = {"mesh_box_faces": "4,4", "physics": "newtonian,thermal", "physics_newtonian_viscosity": 1, "physics_thermal_conductivity": 1, "physics_thermal_heat_capacity": 1, "physics_thermal_expansion": 1, "initial_temperature": 300,
            **{f"bc_{s}_type": "wall" for s in SIDES}, **{f"bc_{s}_temperature": "natural" for s in SIDES}, "scheme": "steady"}
    gate.refused(case(expect=None, **flow, physics_thermal_gravity_z=-9.81), ("-physics_thermal_gravity_z: got -9.81 m/s^2, expected 0", "plane of x and y"))
    radial = case("check", **{**flow, "bc_bottom_type": "symmetry", "bc_bottom_temperature": None}, form_axisymmetric="true", physics_thermal_gravity_y=-9.81)
    gate.true("along the radius it is told", "-physics_thermal_gravity_y: got -9.81 m/s^2 in axisymmetric flow, where y is the radius" in radial.stderr)
    gate.true("along x and y all is well", case("check", **flow, physics_thermal_gravity_x=-9.81, physics_thermal_gravity_y=1).rc == 0)


def abrupt(gate):
    flow = {"mesh_box_faces": "12,6", "mesh_box_upper": "3,1", "form_density": 3, "physics": "newtonian", "physics_newtonian_viscosity": 0.5, "stabiliser": "split_oss", "bc_left_type": "inlet", "bc_left_velocity": "6*y*(1-y),0",
            "bc_top_type": "wall", "bc_bottom_type": "wall", "bc_right_type": "outlet", "scheme": "monolithic", "stop_time": 0.4}
    want = case(**flow, scheme_monolithic_dt=0.002).checkpoint()
    for name, words in (("bdf", {}), ("sdirk2", {"ts_type": "arkimex", "ts_arkimex_type": "sdirk2"})):
        got = case(**flow, **words, ts_adapt_type="basic").checkpoint()
        gate.at_most(f"{name}: velocity, less that of fixed steps", float(abs(got[:, :2] - want[:, :2]).max()), 5e-3)
    speeds = {}
    for U in (1, 1e-3):
        gap = {"case_velocity": U, "case_length": 1e-3, "mesh_box_upper": "1e-3,1e-3", "mesh_box_faces": "3,8", "mesh_box_periodic": "x", "form_density": 1000, "physics": "newtonian", "physics_newtonian_viscosity": 1e-3, "stabiliser": "split_oss",
               "bc_bottom_type": "wall", "bc_top_type": "moving_wall", "bc_top_velocity": "1e-3*sin(6*t),0", "scheme": "monolithic", "stop_time": 2}
        speeds[U] = case(**gap, ts_adapt_type="basic").checkpoint()[:, 0]
    fixed = case(**gap, scheme_monolithic_dt=0.005).checkpoint()[:, 0]
    gate.at_most("steps by the velocity of the case: error over it", float(abs(speeds[1e-3] - fixed).max()) / 1e-3, 4e-3)
    gate.at_least("by another one", float(abs(speeds[1] - fixed).max()) / 1e-3, 0.02)


def told(gate):
    flow = {"mesh_box_faces": "6,4", "mesh_box_upper": "3,1", "form_density": 100, "physics": "newtonian", "physics_newtonian_viscosity": 0.5, "stabiliser": "split_oss", "bc_left_type": "inlet", "bc_left_flow_rate": "0.2+sin(2*pi*t)",
            "bc_top_type": "wall", "bc_bottom_type": "wall", "bc_right_type": "outlet", "stop_time": 2}
    warned = lambda **words: case("check", **{**flow, **words}).stderr
    reverses = "the flow that is given reverses, from -0.8 to 1.2 m^2/s by the inlets: fluid comes in through 'right'"
    gate.true("a reversal", reverses in warned() and "expected -bc_right_tangential zero, or -bc_right_backflow 0.5 where vortices pass" in warned())
    gate.true("not where it is held, forward or without inertia", not any("reverses" in warned(**words) for words in ({"bc_right_backflow": 0.5}, {"bc_right_tangential": "zero"}, {"bc_left_flow_rate": "1.2+sin(2*pi*t)"}, {"form_density": 1e-3}, {"bc_left_flow_rate": 1})))
    heat = {"physics": "newtonian,thermal", "physics_thermal_conductivity": 1, "physics_thermal_heat_capacity": 1, "initial_temperature": 300, "bc_left_temperature": "value 300", "bc_left_flow_rate": 1, "bc_left_profile": "parabolic", "bc_top_type": "slip", "bc_top_friction": 3, "bc_top_temperature": "natural",
            "bc_bottom_temperature": "natural"}
    gate.true("heat of slip", "temperature natural, warmed by the friction" in case("check", **{**flow, **heat}).stdout and "warmed by" not in case("check", **{**flow, **heat}, physics_thermal_heating="false").stdout)
    gate.true("conservative beside an open label", "-form_scalar_convection: got conservative beside labels that are open" in warned(**heat, form_scalar_convection="conservative") and "got conservative beside" not in warned(**heat))
    polymer = {**flow, "bc_left_flow_rate": 1, "form_density": 1, "physics_newtonian_viscosity": 0.1, "stop_time": 0.1, "scheme": "lumped", "scheme_lumped_dt": 1e-3, "stabiliser": "devss,split_oss"}
    law = lambda name, **more: {**polymer, "physics": f"newtonian,{name}", f"physics_{name}_viscosity": 0.9, f"physics_{name}_lambda": 1, **{f"physics_{name}_{k}": v for k, v in more.items()}}
    cross = lambda words: "'right' gives a pressure that is the same all over it, beside a fluid whose stress along the velocity's gradient is" in case("check", **words).stderr
    gate.true("a second normal stress difference beside a constant pressure", cross(law("giesekus", alpha=0.3)) and "is 0.19 of the shear stress at 1 1/s" in case("check", **law("giesekus", alpha=0.3)).stderr)
    gate.true("not of one that varies, nor of fluids without", not any(map(cross, ({**law("giesekus", alpha=0.3), "bc_right_pressure": "0.1*y"}, law("oldroydb"), law("ptt", epsilon=0.2)))))
    ramped = {**flow, "bc_left_flow_rate": 1, "stop_time": 1}
    gate.true("a ramp that ends behind the run", "-bc_left_ramp: got 20 s, and the run ends at 1 s, with 0.62 % of what is given" in warned(**ramped, bc_left_ramp=20) and "_ramp: got" not in warned(**ramped, bc_left_ramp=0.5))
    still = {"mesh_box_faces": "4,4", "mesh_box_periodic": "x", "physics": "newtonian", "physics_newtonian_viscosity": 0.5, "stabiliser": "split_oss", "bc_top_type": "wall", "bc_bottom_type": "wall", "scheme": "steady"}
    gate.true("nothing that moves the fluid", "nothing moves the fluid" in case(**still).stderr and "nothing moves" not in case(**still, form_body_force="1,0").stderr + case(**{**still, "bc_top_type": "moving_wall"}, bc_top_velocity="1,0").stderr)
    melt = {**flow, "bc_left_flow_rate": 1, "physics": "newtonian,thermal", "physics_thermal_conductivity": 1, "physics_thermal_heat_capacity": 1, "physics_thermal_activation": 4e4, "bc_left_temperature": "value 450", "bc_top_temperature": "value 450", "bc_bottom_temperature": "value 450"}
    folds = lambda **words: "-fold those of the reference" in warned(**{**melt, **words})
    gate.true("Celsius beside Kelvin", folds(initial_temperature=180) and "at temperature 180, which the run begins with, the laws' times are 4.4e+04-fold" in warned(**melt, initial_temperature=180) and "in one unit, K (-physics_thermal_reference)" in warned(**melt, initial_temperature=180))
    blood = {**melt, "physics_thermal_activation": 0, "physics_thermal_sensitivity": 0.02, "physics_thermal_reference": 310, **{f"bc_{side}_temperature": "value 310" for side in ("left", "top", "bottom")}}
    gate.true("Celsius where the shift is small", "-initial_temperature: got 37 beside a reference of 310 K (-physics_thermal_reference): is it in degrees Celsius? expected 310.15 K then" in warned(**blood, initial_temperature=37))
    gate.true("Celsius of a label", "-bc_left_temperature: got 37 beside" in warned(**{**blood, "bc_left_temperature": "value 37"}, initial_temperature=310) and "Celsius" not in warned(**blood, initial_temperature=310))
    measured = {**melt, "physics_thermal_reference": 473}
    gate.true("Celsius of a melt", "-bc_right_temperature: got 200 beside a reference of 473 K" in warned(**measured, bc_right_temperature="inflow 200") and "Celsius" not in warned(**{**measured, "bc_left_temperature": "value 320"}) + warned(**{**measured, "physics_thermal_reference": 300, "bc_left_temperature": "value 260"}))
    gate.true("ambient of a film", "-bc_top_temperature: got 230 beside a reference of 473 K" in warned(**{**measured, "bc_top_temperature": "film 1e-4, 230"}) and "Celsius" not in warned(**{**measured, "bc_top_temperature": "film 230, 473"}))
    fold = 1e3 * (1 / 450 - 1 / 300) * 40 / 8.314462618  # -5.345
    gate.true("a reference of nobody's", f"-bc_bottom_temperature: got 450 K, at which the laws' times are {math.exp(fold):.2g}-fold those at their reference (-physics_thermal_reference), 300 K, which is a default" in warned(**melt) and "which is a default" not in warned(**measured) + warned(**{**melt, "physics_thermal_activation": 0}))
    gate.true("a label far from its reference", "-bc_left_temperature: got 280 K, at which the laws' times are 1.1e+03-fold" in warned(**{**measured, "bc_left_temperature": "value 280"}) and "-fold" not in warned(**{**measured, "bc_left_temperature": "value 290"}))
    top = lambda what, **words: warned(**{**measured, "bc_top_temperature": what, **words})
    gate.true("a flux in W/m^2", "-bc_top_temperature: got a flux of -300 K m/s, which makes 6.5e+03 K over a layer of 0.22 m; is it in W/m^2? expected that over density and heat capacity, -3" in top("flux -300"))
    gate.true("a film in W/(m^2 K)", "-bc_top_temperature: got a film of 50 m/s, 1.1e+03 times what a layer of 0.22 m conducts; is it in W/(m^2 K)? expected that over density and heat capacity, 0.5" in top("film 50, 460"))
    gate.true("neither below that, nor of formulas, nor where it is no temperature in Kelvin", not any("is it in W" in told for told in (top("flux 200"), top("film 40, 460"), top("flux 300*x"), top("flux 300", physics_thermal_reference=1, physics_thermal_activation=0))))
    gate.true("not Kelvin, nor Celsius without a shift", not folds(initial_temperature=450, physics_thermal_reference=453) and not folds(initial_temperature=180, physics_thermal_activation=0))
    metres = {"mesh_scale": 0.001, "bc_left_flow_rate": 1e-3}
    gate.true("a mesh in metres", "-form_density is not given beside a -mesh_scale" in warned(**metres, form_density=None) and "-form_density is not given" not in warned(**metres))


def yielding(gate):
    """A Herschel-Bulkley fluid between two pressures: by bdf2 the flow swings about its rest; the rate is that of `steady`."""
    plug = {"mesh_box_faces": "6,12", "mesh_box_upper": "1,1", "form_density": 1, "physics": "herschel_bulkley", "physics_herschel_bulkley_consistency": 1, "physics_herschel_bulkley_n": 0.5, "physics_herschel_bulkley_yield_stress": 2,
            "physics_herschel_bulkley_m": 300, "physics_herschel_bulkley_viscosity_max": 1000, "stabiliser": "split_oss", "bc_left_type": "outlet", "bc_left_pressure": 3.5, "bc_left_tangential": "zero", "bc_right_type": "outlet", "bc_bottom_type": "symmetry", "bc_top_type": "wall",
            "diagnostic_q_kind": "flux", "diagnostic_q_label": "right"}
    rate = lambda **words: float(case(**plug, **words).table("_q.csv")["right_flux"][-1])
    chosen = case(**plug, stop_time=40, stop_steady_tol=1e-7)
    gate.true("by auto Newton's method", "for a fluid that yields" in chosen.stdout and "steady: |du/dt|" in chosen.stdout)
    gate.relative("flux of -scheme steady", float(chosen.table("_q.csv")["right_flux"][-1]), rate(scheme="steady"), 1e-6)
    inlet = {**plug, "bc_left_type": "inlet", "bc_left_pressure": None, "bc_left_tangential": None, "bc_left_flow_rate": 1, "stop_time": 1}
    gate.true("an abrupt inlet: by bdf2, and told", "bdf2 with a fluid that yields" in case("check", **inlet).stderr)
    gate.true("one with a ramp: by Newton's method", "for a fluid that yields" in case("check", **inlet, bc_left_ramp=0.1).stdout)
    thins = {**inlet, "physics": "power_law", **{k: None for k in plug if k.startswith("physics_h")}, "physics_power_law_consistency": 1, "physics_power_law_n": 0.3, "physics_power_law_viscosity_max": 1000}
    gate.true("not one that thins", "yields" not in case("check", **thins).stderr + case("check", **thins, bc_left_ramp=0.1).stdout)


def blocks(gate):
    """Options of two schemes without -scheme: the scheme is the physics', with what is given of it."""
    box = {"mesh_box_faces": "4,4", "mesh_box_periodic": "x", "bc_bottom_type": "wall", "bc_top_type": "moving_wall", "bc_top_velocity": "1,0", "form_density": 3, "physics": "newtonian", "physics_newtonian_viscosity": 0.3, "stabiliser": "split_oss", "stop_steps": 2}
    melt, rest = {**box, "physics_newtonian_viscosity": 1e4, "stop_steps": None, "stop_time": 0.2}, {**box, "physics": "newtonian,oldroydb", "physics_oldroydb_viscosity": 0.2, "physics_oldroydb_lambda": 0.5, "stabiliser": "devss,split_oss", "stop_steady_tol": 1e-9, "form_density": 30}
    rows = (("an explicit integrator", {**box, "scheme_lumped_dt": 0.001, "scheme_fractional_step_dt": 0.002, "scheme_fractional_step_integrator": "rk4"}, 0.002, "integrator as given"), ("a step", {**box, "scheme_lumped_dt": 0.001, "scheme_fractional_step_dt": 0.002}, 0.002, "bdf2"),
            ("a step of Newton's", {**melt, "scheme_lumped_dt": 0.001, "scheme_monolithic_dt": 0.002}, 0.002, "monolithic"), ("a polymer to rest", {**rest, "scheme_lumped_dt": 0.001, "scheme_fractional_step_dt": 0.003}, 0.001, "lumped"))
    for name, words, dt, said in rows:
        path = f"{run.folder('bounds')}/blocks.yaml"
        with open(path, "w") as f:
            f.writelines(f"{key}: {value!r}\n" for key, value in words.items() if value is not None)
        done = run.rheoplex("run", path, "-case_name", "b", "-device", "cpu", "-output_fields", "false", out=run.folder("bounds"))
        gate.near(f"{name}: the step that is given, s", float(done.table("_history.csv")["dt"][0]), dt, 1e-12)
        gate.true(f"{name}: told {said}", said in done.stdout)


def rheometer(gate):
    out = run.folder("bounds")
    words = ("-physics", "oldroydb", "-physics_oldroydb_modes", 2, "-physics_oldroydb_viscosity", "1,1", "-physics_oldroydb_lambda", "0.1,1", "-rheometer_flow", "uniaxial", "-rheometer_output", f"{out}/r.csv", "-rheometer_rate")
    run.rheoplex("rheometer", *words, "0.1,0.2", out=out)
    with open(f"{out}/r.csv") as f:
        kept = f.read()
    failed = run.rheoplex("rheometer", *words, "10,20", out=out, expect=None)
    bound = re.search(r"below about (\S+) 1/s", failed.stdout + failed.stderr)
    gate.true("it fails", failed.rc != 0 and bound is not None)
    gate.relative("bound of the longest relaxation time", float(bound[1]) if bound else 0.0, 0.5, 0.02)
    with open(f"{out}/r.csv") as f:
        gate.true("the table of before is there", f.read() == kept)


if __name__ == "__main__":
    gate = Gate("case_bounds_" + sys.argv[1])
    globals()[sys.argv[1]](gate)
    sys.exit(gate.finish())
