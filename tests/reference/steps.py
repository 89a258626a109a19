"""Steps of rheoplex against the same steps in numpy (scheme.py), to rounding: every term of the form, the stabilisers, the
conditions and the scheme, with density, viscosities and relaxation times that are all different. steps.py <case> [ranks]
[cuda]: on the device."""
import os
import sys

import numpy as np
import run
from gate import Gate
from laws import Polymer
from scheme import Flow, indices

STEPS = 3
NEWTONIAN = ("newtonian", {"viscosity": 0.7})
OLDROYD = [Polymer("oldroydb", viscosity=0.4, **{"lambda": 0.3}), Polymer("oldroydb", viscosity=1.1, **{"lambda": 0.8})]
SLIP = [Polymer("ptt", viscosity=0.4, epsilon=0.2, xi=0.3, **{"lambda": 0.3}), Polymer("ptt", viscosity=1.1, epsilon=0.1, xi=0.15, **{"lambda": 0.8})]
OSS = {"devss": {"theta": 0.6}, "split_oss": {}}
PLANE = "0.3+0.2*x*y-0.1*y^2,0.15*x-0.1*y+0.05*x*y"
SPACE = "0.3+0.2*y*z-0.1*x,0.15*x-0.1*z+0.05*x*y,0.1*x*y-0.2*z+0.1"


def tensor(dim, ntens, variable, modes):
    """Formulas of a smooth unknown with a positive definite conformation, another one for every mode."""
    shift = 0.0 if variable == "conformation" else -1.0
    diagonal = ["1.2+0.3*x*y", "0.9+0.2*y+0.1*x", "1.1-0.1*x" + ("+0.2*z" if dim == 3 else "")]
    shear = {(0, 1): "0.2*x-0.1*y+0.15", (0, 2): "0.1-0.1*y", (1, 2): "0.15*x+0.05"}
    lists = []
    for k in range(modes):
        factor = 1 if k == 0 else 0.8
        lists.append(",".join(f"({diagonal[i]}+({shift}))*{factor}+{0.0 if shift else 0.2 * k}" if i == j else f"({shear[i, j]})*{factor}" for i, j in indices(dim, ntens)))
    return ";".join(lists)


def flow(cell, variable="stress", polymer=OLDROYD, **more):
    """A box with an inlet, an outlet, a wall and a plane of symmetry (in space two), forced in every equation."""
    dim = 3 if cell in ("hexahedron", "tetrahedron") else 2
    ntens = 6 if dim == 3 else 4 if any(m.name.startswith("fene") for m in polymer) else 3
    velocity = PLANE if dim == 2 else SPACE
    unknown = tensor(dim, ntens, variable, len(polymer))
    time = unknown.replace("1.2", "(1.2+t)").replace("0.15", "(0.15+2*t)")
    sides = {
        "left": {"type": "inlet", "velocity": velocity.replace("0.3", "(0.3+4*t)"), "stress": time},
        "right": {"type": "outlet", "pressure": "0.3+0.2*y+3*t"},
        "bottom": {"type": "moving_wall", "velocity": ("0.2+t,0.1*x", "0.2+t,0.1*x,0.1")[dim - 2]},
        "top": {"type": "symmetry"},
    }
    if dim == 3:
        sides |= {"back": {"type": "symmetry"}, "front": {"type": "wall"}}
    spec = {
        "cell": cell, "faces": (4, 3) if dim == 2 else (3, 2, 2), "lower": "0,0,0", "upper": "1.3,1,0.9", "jitter": 0.15,
        "density": 3.0, "solvent": NEWTONIAN, "polymer": polymer, "variable": variable, "stabiliser": OSS, "sides": sides,
        "velocity": velocity, "pressure": "0.4*x-0.3*y+0.5*x*y", "stress": unknown, "dt": 2e-3,
        "force": ",".join(["0.5+x*t", "0.3*y-0.2", "0.1+0.2*x"][:dim]), "source_velocity": ",".join(["y-t", "0.3*x", "0.4"][:dim]),
        "source_pressure": "0.2*x-0.1+t", "source_stress": ";".join(",".join(f"{0.2 * (k + 1)}*x+{0.1 * c}-t" for c in range(ntens)) for k in range(len(polymer))),
    }
    return spec | more


def with_side(spec, label, **options):
    return spec | {"sides": spec["sides"] | {label: {k: v for k, v in (spec["sides"][label] | options).items() if v is not None}}}


CARREAU = ("carreau_yasuda", {"viscosity": 0.9, "viscosity_inf": 0.2, "lambda": 1.4, "a": 1.6, "n": 0.4})
GLS = {"gls": {}}
FENE = {"viscosity": 0.5, "lambda": 0.6, "L2": 11.0}
BDF2 = {"stabiliser": {"split_oss": {}}, "scheme": "fractional_step", "integrator": "bdf2"}
TRANSPORT = BDF2 | {"stabiliser": OSS, "polymer_by": "transport"}
CASES = {
    "oss": lambda: flow("quadrilateral", "stress", SLIP, solvent=CARREAU),
    "tracked": lambda: flow("quadrilateral", "stress", SLIP, solvent=CARREAU, subscales="tracked"),
    "tracked_heun": lambda: with_side(with_side(flow("mixed", "conformation", stepper="heun", stabiliser=OSS, subscales="tracked", steps=[2e-3, 1.6e-3, 1.6e-3]), "right", pressure_at="traction"), "left", velocity=PLANE.replace("0.3", "(0.3+4*t+900*t^2)")),
    "gls": lambda: flow("quadrilateral", "stress", SLIP, stabiliser=GLS),
    "gls_heun": lambda: flow("triangle", "conformation", SLIP, stabiliser={"gls": {"tau": "transient"}}, stepper="heun", mass_corrections=2),
    "combined": lambda: flow("triangle", "stress", SLIP, stepper="heun", mass_corrections=2, stabiliser={"devss": {"theta": 0.6}, "gls": {"parts": "momentum,pressure,divergence"}, "split_oss": {"parts": "tensor", "projection_corrections": 3}}),
    "heun": lambda: with_side(flow("mixed", "conformation", stepper="heun", stabiliser=OSS | {"split_oss": {"projection_corrections": 1}}), "right", form="symmetric"),
    "upwind": lambda: flow("quadrilateral", "stress", stabiliser={"gls": {"weighting": "upwind", "parts": "momentum,tensor"}}, pressure_by="dissipation", eps=0.02, mass="diagonal"),
    "logconf": lambda: flow("quadrilateral", "logconf", SLIP, stabiliser=OSS | {"split_oss": {"tau": "transient"}}),
    "zero_rate": lambda: flow("triangle", "stress", stabiliser=GLS, rate="zero", convection=0.0),
    "tets": lambda: flow("tetrahedron", "stress", SLIP, stabiliser=GLS),
    "hexes": lambda: flow("hexahedron", "conformation", [Polymer("giesekus", viscosity=0.9, alpha=0.3, **{"lambda": 0.4})], stepper="heun"),
    "logconf_hexes": lambda: with_side(flow("hexahedron", "logconf", OLDROYD[:1]), "right", velocity="0.4*y+0.3*z*z+t,0,0"),
    "midpoint": lambda: flow("quadrilateral", "stress", SLIP, scheme="midpoint"),
    "midpoint_gls": lambda: flow("mixed", "conformation", SLIP, stabiliser={"gls": {"tau": "transient"}}, scheme="midpoint"),
    "midpoint_tets": lambda: flow("tetrahedron", "stress", OLDROYD[:1], scheme="midpoint"),
    "fractional_heun": lambda: flow("quadrilateral", "stress", SLIP, scheme="fractional_step", integrator="heun", mass_corrections=0, subscales="instant"),
    "fractional_ssp3": lambda: with_side(flow("mixed", "conformation", scheme="fractional_step", integrator="ssp3", steps=[2e-3, 1.6e-3, 1.6e-3]), "right", form="symmetric"),
    "fractional_rk4": lambda: flow("triangle", "logconf", OLDROYD[:1], stabiliser=OSS | {"split_oss": {"tau": "transient", "projection_corrections": 0}}, scheme="fractional_step", integrator="rk4"),
    "fractional_gls": lambda: flow("triangle", "conformation", SLIP, stabiliser={"gls": {"tau": "transient"}}, scheme="fractional_step", integrator="rk4"),
    "fractional_tets": lambda: flow("tetrahedron", "stress", SLIP, scheme="fractional_step", integrator="rk4"),
    "bdf2_quads": lambda: flow("quadrilateral", polymer=[], solvent=CARREAU, **BDF2),
    "bdf2_mixed": lambda: with_side(flow("mixed", polymer=[], solvent=CARREAU, **BDF2), "right", form="symmetric"),
    "bdf2_steps": lambda: flow("triangle", polymer=[], stabiliser={"split_oss": {"tau": "transient"}}, steps=[2e-3, 1.6e-3, 1.6e-3], **{k: v for k, v in BDF2.items() if k != "stabiliser"}),
    "bdf2_tets": lambda: flow("tetrahedron", polymer=[], subscales="instant", **BDF2),
    "bdf2_open": lambda: with_side(flow("triangle", polymer=[], steps=[2e-3, 1.6e-3, 1.6e-3], **BDF2), "right", pressure_at="traction", pressure="0.3+0.2*y"),
    "bdf2_rising": lambda: with_side(flow("triangle", polymer=[], steps=[2e-3, 1.6e-3, 1.6e-3], **BDF2), "right", pressure_at="traction"),
    "heun_rising": lambda: with_side(flow("mixed", polymer=[], stepper="heun", stabiliser={"split_oss": {}}), "right", pressure_at="traction"),
    "fractional_rising": lambda: with_side(flow("triangle", polymer=[], stabiliser={"split_oss": {}}, scheme="fractional_step", integrator="rk4", steps=[2e-3, 1.6e-3, 1.6e-3]), "right", pressure_at="traction"),
    "bdf2_modes": lambda: flow("quadrilateral", "stress", SLIP, solvent=CARREAU, **BDF2 | {"stabiliser": OSS}),
    "bdf2_logconf": lambda: flow("triangle", "logconf", OLDROYD, steps=[2e-3, 1.6e-3, 1.6e-3], **BDF2 | {"stabiliser": OSS}),
    "bdf2_transport": lambda: flow("quadrilateral", "stress", SLIP, solvent=CARREAU, **TRANSPORT),
    "bdf2_transport_undamped": lambda: flow("quadrilateral", "stress", [Polymer("oldroydb", viscosity=9.0, **{"lambda": 0.5}), Polymer("oldroydb", viscosity=4.0, **{"lambda": 3.0})], solvent=("newtonian", {"viscosity": 1e-4}), bend=0.3, dt=0.1, steps=[0.1, 0.1, 0.08, 0.08], **TRANSPORT),
    "bdf2_transport_logconf": lambda: flow("triangle", "logconf", OLDROYD, steps=[2e-3, 1.6e-3, 1.6e-3], **TRANSPORT),
    "bdf2_transport_mixed": lambda: with_side(flow("mixed", "conformation", [Polymer("giesekus", viscosity=0.9, alpha=0.3, **{"lambda": 0.4})], **TRANSPORT), "right", form="symmetric"),
    "bdf2_transport_out_of_plane": lambda: flow("triangle", "logconf", [Polymer("fene_p", **FENE), Polymer("fene_p", **FENE | {"viscosity": 0.8})], **TRANSPORT | {"stabiliser": OSS | {"split_oss": {"parts": "pressure,momentum"}}}),
    "bdf2_transport_tets": lambda: flow("tetrahedron", "stress", SLIP, **TRANSPORT),
    "bdf2_transport_hexes": lambda: flow("hexahedron", "logconf", OLDROYD[:1], **TRANSPORT),
    "bdf2_hexes": lambda: flow("hexahedron", polymer=[], solvent=CARREAU, **BDF2),
    "out_of_plane": lambda: with_side(flow("quadrilateral", "conformation", [Polymer("fene_cr", **FENE), Polymer("fene_p", **FENE | {"viscosity": 0.8})]), "left", velocity=PLANE),
    "out_of_plane_logconf": lambda: flow("triangle", "logconf", [Polymer("fene_p", **FENE)]),
    "ramp": lambda: with_side(with_side(flow("quadrilateral", "conformation"), "left", ramp=0.01), "right", velocity="0.6*y*(2-y)*(1+t),0", ramp=0.01),
    "newtonian": lambda: flow("quadrilateral", "stress", [], solvent=("power_law", {"consistency": 0.8, "n": 0.6, "viscosity_min": 1e-3, "viscosity_max": 30.0}), stabiliser={"split_oss": {"tau": 0.03}}),
    "casson": lambda: flow("triangle", "stress", OLDROYD[:1], solvent=("casson", {"viscosity": 0.4, "yield_stress": 0.3, "m": 20.0})),
    "thinning": lambda: flow("quadrilateral", "stress", [Polymer("white_metzner", viscosity=0.6, time=0.9, a=1.7, n=0.4, **{"lambda": 0.5}),
                                                        Polymer("johnson_segalman", viscosity=0.7, xi=0.25, **{"lambda": 0.35})], solvent=("cross", {"viscosity": 0.9, "viscosity_inf": 0.1, "lambda": 1.2, "m": 0.8})),
    "yield": lambda: flow("quadrilateral", "conformation", [Polymer("ptt", viscosity=0.6, epsilon=0.25, xi=0.1, form="exponential", **{"lambda": 0.5})],
                          solvent=("herschel_bulkley", {"consistency": 0.5, "n": 0.7, "yield_stress": 0.2, "m": 15.0, "viscosity_max": 50.0}), mass="diagonal"),
}


def law_options(name, parameters, modes=1):
    """-physics_<name>_<parameter>, a value for every mode where several laws share the name."""
    words = [] if modes == 1 else [f"-physics_{name}_modes", modes]
    return words + [w for key, value in parameters.items() for w in (f"-physics_{name}_{key}", value)]


def options(spec):
    dim = len(spec["faces"])
    names = list(dict.fromkeys(m.name for m in spec["polymer"]))
    words = ["-case_name", "steps", "-mesh_box_cell", spec["cell"], "-mesh_box_faces", ",".join(map(str, spec["faces"])), "-mesh_box_jitter", spec["jitter"]]
    words += [w for end in ("lower", "upper") for w in (f"-mesh_box_{end}", ",".join(spec[end].split(",")[:dim]))]
    words += ["-physics", ",".join([spec["solvent"][0], *names]), *law_options(*spec["solvent"]), "-form_density", spec["density"]]
    for name in names:
        modes = [m.p for m in spec["polymer"] if m.name == name]
        joined = {key: modes[0][key] if key == "form" else ",".join(repr(m[key]) for m in modes) for key in modes[0]}
        words += law_options(name, joined, len(modes))
    words += ["-form_convection", "true" if spec.get("convection", 1.0) else "false", "-stabiliser", ",".join(spec["stabiliser"])]
    words += [w for name, o in spec["stabiliser"].items() for key, value in o.items() for w in (f"-stabiliser_{name}_{key}", value)]
    if spec["polymer"]:
        words += ["-polymer_variable", spec["variable"], "-initial_stress", spec["stress"], "-form_source_stress", spec["source_stress"]]
    for label, c in spec["sides"].items():
        if c["type"] == "outlet":
            words += [f"-bc_{label}_pressure_at", "nodes"] if "pressure_at" not in c else [f"-bc_{label}_backflow", 0]
        words += [w for key, value in c.items() if key != "stress" or spec["polymer"] for w in (f"-bc_{label}_{key}", value)]
        if spec["polymer"] and c["type"] == "inlet":
            words += [f"-bc_{label}_polymer", "formula"]
        if c["type"] == "outlet" and "velocity" not in c and spec["polymer"]:
            words += [f"-bc_{label}_polymer", "zero"]
    words += ["-initial_velocity", spec["velocity"], "-initial_pressure", spec["pressure"], "-form_body_force", spec["force"]]
    words += ["-form_source_velocity", spec["source_velocity"], "-form_source_pressure", spec["source_pressure"]]
    words += ["-stop_time", sum(spec["steps"])] if "steps" in spec else ["-stop_steps", STEPS]
    words += ["-momentum_ksp_rtol", "1e-14"] if spec.get("integrator") == "bdf2" else []
    words += ["-scheme_fractional_step_polymer", "transport", "-transport_ksp_rtol", "1e-14"] if spec.get("polymer_by") == "transport" else []
    if spec.get("scheme") == "midpoint":
        return [*words, "-dll_append", os.environ["RHX_MIDPOINT"], "-scheme", "midpoint", "-scheme_midpoint_dt", spec["dt"]]
    if spec.get("scheme") == "fractional_step":
        prefix = "-scheme_fractional_step"
        return [*words, "-form_quadrature", "full", "-scheme", "fractional_step", f"{prefix}_dt", spec["dt"], f"{prefix}_integrator", spec["integrator"], f"{prefix}_subscales", spec.get("subscales", "tracked"),
                *([f"{prefix}_mass_corrections", spec["mass_corrections"]] if "mass_corrections" in spec else [])]
    words += ["-scheme_lumped_dt", spec["dt"], "-scheme_lumped_mass_corrections", spec.get("mass_corrections", 0)]
    words += ["-scheme_lumped_stepper", spec.get("stepper", "euler"), "-scheme_lumped_pressure", spec.get("pressure_by", "projection")]
    words += ["-scheme_lumped_mass", spec.get("mass", "row_sum"), "-scheme_lumped_rate", spec.get("rate", "lagged")]
    words += ["-scheme_lumped_subscales", spec.get("subscales", "instant")]
    return words + (["-scheme_lumped_dissipation_eps", spec["eps"]] if "eps" in spec else [])


def compare(gate, what, got, expected, tolerance):
    """Columns of nodal blocks, each against the largest value of its own, which is not zero."""
    scale = np.abs(expected).max(0)
    gate.at_least(f"{what}: largest value of the smallest column", float(scale.min()), 1e-3)
    for c, difference in enumerate(np.abs(got - expected).max(0) / scale):
        gate.at_most(f"{what}: largest difference in column {c}", float(difference), tolerance)


def main(case, ranks=1, device="cpu"):
    spec = CASES[case]()
    gate = Gate(f"reference_{case}_np{ranks}_{device}")
    solver = ["-pressure_ksp_rtol", "1e-13"] if device == "cuda" else []
    result = run.rheoplex("run", *options(spec), *solver, "-device", device, out=run.folder("reference"), np=ranks)
    flow_ = Flow(spec, result.checkpoint("positions"))
    state, rate, figures = flow_.run(STEPS)
    compare(gate, "state", result.checkpoint(), state, 1e-10)
    compare(gate, "rate", result.checkpoint("rate"), rate, 1e-8)
    history = result.table("_history.csv")
    for name, value in figures.items():
        if value or name != "dc_dt":
            gate.relative(f"history: {name}", history[name][-1], value, 1e-8)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *[int(a) for a in sys.argv[2:3]], *sys.argv[3:]))
