"""resolution_scalars.py cells|told|held: scalar fields by the mesh. cells: estimates against the errors of interpolated fields that are known, on every cell type, plane, axisymmetric and
in space, beside modes and an azimuthal velocity, on 1 and 2 ranks; told: what a run tells of them at its end; held: of fields beyond what start and conditions give, and where sources and
fluxes may take them there."""
import math
import sys

import l2
import numpy as np
import run
from gate import Gate

SIDES = {2: ("bottom", "left", "right", "top"), 3: ("bottom", "left", "right", "top", "back", "front")}
OFFSET = 300.0
# Second derivatives in two directions that are the same in the mean over the other add to the error and not to the estimate: here they do not.
FIELD = {"plane": "sin(5*x)+cos(5*y)", "swept": "sin(5*x)+cos(5*y)", "space": "sin(5*x)+cos(5*y)+sin(5*z+1)"}
MATHS = {"sin": np.sin, "cos": np.cos}


def varies(kind, p):
    return eval(FIELD[kind].replace("^", "**"), MATHS, dict(zip("xyz", p.T))) + 0 * p[:, 0]


def made(kind, cell, n, np_=1, offset=OFFSET):
    """A fluid at rest with a mode, and swept with an azimuthal velocity, beside the field; what is told of that and what is true."""
    dim = 3 if kind == "space" else 2
    given = [w for s in SIDES[dim] for w in (f"-bc_{s}_type", "wall")]
    swept = ["-form_axisymmetric", "true", "-bc_bottom_type", "symmetry"] if kind == "swept" else []
    laws = "newtonian,swirling,passive" if kind == "swept" else "newtonian,oldroydb,passive"
    mode = [] if kind == "swept" else ["-physics_oldroydb_viscosity", 0.5, "-physics_oldroydb_lambda", 0.3]
    r = run.rheoplex("run", "-case_name", "r", "-physics", laws, "-physics_newtonian_viscosity", 0.7, "-form_density", 3, "-form_convection", "false", *mode, "-physics_passive_diffusivity", 1e-9, *given, *swept,
                     "-mesh_box_cell", cell, "-mesh_box_faces", ",".join(str(m) for m in (n, n + 1, n - 1)[:dim]), "-initial_concentration", f"{offset}+{FIELD[kind]}", "-scheme", "lumped", "-scheme_lumped_dt", 1e-12,
                     "-stop_steps", 1, "-device", "cpu", "-diagnostic_m_kind", "resolution", "-output_fields", "concentration", "-output_vtu_precision", "double", out=run.folder("resolution_scalars"), np=np_)
    f, weight = run.Fields(r.file("_000001.vtu")), (lambda p: 2 * np.pi * p[:, 1]) if kind == "swept" else (lambda p: 1.0)
    c = f["concentration"][:, None] - offset
    one = np.ones_like(c)
    norm = lambda shift: l2.error(f, [(0 * one, lambda p: varies(kind, p)[:, None] + shift)], weight)[0]
    volume = l2.error(f, [(0 * one, lambda p: np.ones((len(p), 1)))], weight)[0] ** 2
    mean = (norm(1.0) ** 2 - norm(-1.0) ** 2) / 4 / volume
    true = l2.error(f, [(c, lambda p: varies(kind, p)[:, None])], weight)[0] / (norm(-mean) or 1.0)
    return float(r.table("_m.csv")["concentration_error"][-1]), true, r


# Kind, cell, elements a side, ranks.
CASES = (("plane", "quadrilateral", 24, 1), ("plane", "triangle", 24, 2), ("swept", "quadrilateral", 24, 2), ("space", "tetrahedron", 9, 1), ("space", "hexahedron", 9, 2))


def cells(gate):
    for kind, cell, n, np_ in CASES:
        estimate, true, r = made(kind, cell, n, np_)
        gate.near(f"{kind}, {cell}, np {np_}: estimate over the true error", estimate / true, 1.0, 0.08)
        gate.near(f"{kind}, {cell}: of elements, together", math.sqrt(float((run.Fields(r.file("_m.vtu")).cells("concentration_error") ** 2).sum())), estimate, 1e-9)
    meshes = (8, 16, 32)
    gate.order("plane, triangle: the estimate", meshes, [made("plane", "triangle", n)[0] for n in meshes], 1.9)
    one, two, none = made("plane", "mixed", 9)[0], made("plane", "mixed", 9, 2)[0], made("plane", "mixed", 9, offset=0.0)[0]
    gate.near("np 2 over np 1", two / one, 1.0, 1e-7)
    gate.near("without the 300 over with it", none / one, 1.0, 1e-7)
    FIELD["plane"] = "0*x"
    gate.near("of a uniform field", made("plane", "mixed", 9)[0], 0.0, 0)


PLATES = ["run", "-physics", "newtonian,passive", "-physics_newtonian_viscosity", 0.7, "-form_density", 3, "-form_convection", "false", "-stabiliser", "split_oss", "-case_name", "p", "-output_fields", "false", "-device", "cpu",
          "-scheme", "steady", "-mesh_box_upper", "4,0.5", "-bc_left_type", "inlet", "-bc_left_profile", "developed", "-bc_left_mean_velocity", 1, "-bc_right_type", "outlet", "-bc_bottom_type", "wall", "-bc_top_type", "symmetry",
          "-bc_left_concentration", "value 300", "-bc_bottom_concentration", "value 400", "-initial_concentration", 300]
COARSE, NOTE = "the mesh is too coarse for this flow: got estimated errors of", "rheoplex: note: by this mesh the estimated errors are"


def told(gate):
    """Of Graetz's layer at a wall: by its thickness and the mesh. Its flux errs by 19 % on 8 cells at the Peclet number 1e4, by 2 % on 32."""
    for across, peclet, words in ((4, 1e4, f"{COARSE} 21 % of what 'concentration' differs by from its mean, expected at most 10 %"), (12, 1e4, f"{NOTE} 6 % of what 'concentration' differs by from its mean, the most at (")):
        text = run.rheoplex(*PLATES, "-physics_passive_diffusivity", 2 / peclet, "-mesh_box_faces", f"{8 * across},{across}", out=run.folder("resolution_scalars"), np=2).stderr
        gate.true(f"{across} cells at {peclet:g}: {text[-400:]}", words in text)
    text = run.rheoplex(*PLATES, "-physics_passive_diffusivity", 0.02, "-mesh_box_faces", "96,12", out=run.folder("resolution_scalars")).stderr
    gate.true(f"12 cells at 100: nothing {text[-400:]}", not text)
    for start, says in ((300, True), (400, False)):
        text = run.rheoplex(*PLATES, "-physics_passive_diffusivity", 2e-4, "-mesh_box_faces", "32,4", "-bc_bottom_concentration", "value 300.5", "-initial_concentration", start, out=run.folder("resolution_scalars")).stderr
        gate.true(f"a wall of half a unit more than what comes in, from {start}: {says}", ("of what 'concentration' differs" in text) == says)


def shear(angle, rate):
    """u along the angle, of 1.5 m/s at the origin, that grows across by this rate."""
    c, s = (f(math.radians(angle)) for f in (math.cos, math.sin))
    return ",".join(f"{v!r}*(1.5+{rate!r}*({c!r}*y-{s!r}*x))" for v in (c, s))


def step(*more, field="concentration", low=0, high=1, np_=1, rate=0.0, physics=("newtonian,passive", "-physics_passive_diffusivity", 1e-9)):
    """A step across the flow, from low to high: what the run tells of its field."""
    u = shear(30, rate)
    words = ["-physics", *physics, "-physics_newtonian_viscosity", 0.2, "-form_density", 3, "-form_convection", "false", "-stabiliser", "split_oss", "-case_name", "s", "-output_fields", "false", "-device", "cpu",
             "-mesh_box_faces", "20,20", "-initial_velocity", u, "-scheme", "steady"]
    for label in SIDES[2]:
        given = {"left": f"value y>0.21 ? {high} : {low}", "bottom": f"value {low}"}.get(label, "natural")
        words += [f"-bc_{label}_type", "moving_wall", f"-bc_{label}_velocity", u, f"-bc_{label}_{field}", given]
    text = run.rheoplex("run", *words, *more, out=run.folder("resolution_scalars"), np=np_).stderr
    return [line for line in text.splitlines() if "is where no source or condition takes it" in line]


def least(lines, bound):
    return sum(f"expected at least {bound}:" in line for line in lines)


def most(lines, bound):
    return sum(f"expected at most {bound}:" in line for line in lines)


HEAT = ("newtonian,thermal", "-physics_thermal_conductivity", 3e-9, "-physics_thermal_heat_capacity", 1)
PULSE = ["-mesh_box_faces", "24,4", "-mesh_box_upper", "2,0.3", "-bc_left_type", "inlet", "-bc_left_velocity", "1,0", "-bc_right_type", "outlet", "-bc_bottom_type", "free_slip", "-bc_top_type", "free_slip",
         "-initial_velocity", "1,0", "-scheme", "lumped", "-scheme_lumped_dt", 0.01, "-stop_time", 1]


def channel(*more, diffusivity=0.01):
    text = run.rheoplex("run", "-case_name", "c", "-physics", "newtonian,passive", "-physics_passive_diffusivity", diffusivity, "-physics_newtonian_viscosity", 0.2, "-form_density", 3, "-stabiliser", "split_oss", "-device", "cpu",
                        "-output_fields", "false", *PULSE, *more, out=run.folder("resolution_scalars")).stderr
    return [line for line in text.splitlines() if "is where no source or condition takes it" in line]


def pulled(shear_stress):
    """A melt whose stress does not relax, and its work, which takes heat where it is against the flow."""
    u, c, s = shear(30, 0.8), math.cos(math.radians(30)), math.sin(math.radians(30))
    turn = np.array([[c, -s], [s, c]])
    tensor = turn @ np.array([[1, shear_stress], [shear_stress, 1]]) @ turn.T
    words = ["-physics_oldroydb_viscosity", 1e5, "-physics_oldroydb_lambda", 1e3, "-polymer_variable", "conformation", "-initial_conformation", f"{tensor[0, 0]},{tensor[1, 1]},{tensor[0, 1]}", "-scheme", "lumped",
             "-scheme_lumped_stepper", "heun", "-stop_time", 0.3, "-initial_temperature", 300]
    words += [w for label in SIDES[2] for w in (f"-bc_{label}_type", "inlet", f"-bc_{label}_velocity", u, f"-bc_{label}_polymer", "free")]
    return step(*words, field="temperature", low=300, high=400, rate=0.8, physics=("newtonian,oldroydb,thermal", *HEAT[1:]))


def rubbed():
    """Between plates, one at about 300 K, the other one slips: the friction on that warms the fluid, which hardly shears."""
    r = run.rheoplex("run", "-case_name", "r", "-physics", *HEAT, "-physics_thermal_conductivity", 0.3, "-physics_newtonian_viscosity", 1e6, "-form_density", 3, "-mesh_box_faces", "3,8", "-mesh_box_upper", "0.2,0.7",
                     "-mesh_box_periodic", "x", "-stabiliser", "split_oss", "-initial_temperature", 300, "-bc_bottom_type", "slip", "-bc_bottom_friction", 1.3, "-bc_top_type", "moving_wall", "-bc_top_velocity", "8,0",
                     "-bc_top_temperature", "value 300+10*cos(10*pi*x)", "-scheme", "steady", "-device", "cpu", out=run.folder("resolution_scalars"))
    return float(r.fields()["temperature"].max()), r.stderr


def held(gate):
    lines = step()
    gate.true(f"a step that is carried: {lines}", len(lines) == 2 and "'concentration'" in lines[0] and "got -0.09951 at (0.1, 0.2) m, expected at least 0: 10 % of its range beyond it" in lines[0]
              and "got 1.046 at (0.85, 0.85) m, expected at most 1: 5 % of its range" in lines[1] and "or -stabiliser split_oss,crosswind, which widens layers" in lines[1])
    gate.true("np 2: the same", step(np_=2) == lines)
    gate.true("with the capturing it is not advised", all("-stabiliser" not in line for line in step("-stabiliser", "split_oss,crosswind")))
    gate.true("the steady state knows no start", step("-initial_concentration", 5) == lines)
    lines = step("-physics_passive_decay", 0.5, low=1, high=2)
    gate.true(f"a decay takes it to 0, not below, and lifts nothing: {lines}", not least(lines, 1) and not lines)
    lines = step("-physics_passive_decay", 0.5, low=0.03, high=1)
    gate.true(f"a decay below 0: {lines}", (least(lines, 0), most(lines, 1)) == (1, 0) and len(lines) == 1)
    for words, expected in ((("-physics_passive_supply", 0.3), (1, 0)), (("-form_source_concentration", "0.3*x"), (1, 0)), (("-form_source_concentration", "0-0.3*x"), (0, 1)),
                            (("-form_source_concentration", "3*(x-0.5)"), (0, 0)), (("-physics_passive_supply", 1e-4), (1, 0)), (("-physics_passive_supply", 1e-7), (1, 1)), (("-bc_right_concentration", "flux 1e-9"), (1, 0)), (("-bc_right_concentration", "flux 0-1e-9"), (0, 1)),
                            (("-bc_right_concentration", "film 1e-9,9"), (0, 0))):
        lines = step(*words)
        gate.true(f"{words}: {lines}", (least(lines, 0), most(lines, 1)) == expected)
    for viscosity, expected in ((2e-4, (1, 1)), (0.2, (1, 0)), (200, (1, 0))):
        lines = step("-physics_newtonian_viscosity", viscosity, "-initial_temperature", 300, field="temperature", low=300, high=400, rate=0.8, physics=HEAT)
        gate.true(f"friction of {viscosity} Pa s: {lines}", (least(lines, "300 K"), most(lines, "400 K")) == expected)
    for stress, expected in ((-0.3, (0, 1)), (0.3, (1, 0))):
        lines = pulled(stress)
        gate.true(f"work of a polymer, {stress}: {lines}", (least(lines, "300 K"), most(lines, "400 K")) == expected)
    warmest, text = rubbed()
    gate.at_least("friction at a wall: warmest, K", warmest, 301)
    gate.true(f"of which nothing is told: {text}", "is where no source" not in text)
    some = ("-initial_concentration", "0.1-0.05*x")
    gate.true("what was given and is no more", not channel("-bc_left_concentration", "value 0.5-0.5*cos(2*pi*t)", *some))
    gate.true("what comes in", not channel("-bc_left_concentration", "inflow 3*(1-exp(0-3*t))", *some, diffusivity=0.05))
    gate.true("what the run begins with", not channel("-bc_left_concentration", "value 0", "-initial_concentration", "3*x"))
    lines = channel("-bc_left_concentration", "value 1", diffusivity=1e-9)
    gate.true(f"a front that is carried: {lines}", most(lines, 1) == 1)


if __name__ == "__main__":
    gate = Gate(f"resolution_scalars_{sys.argv[1]}")
    {"cells": cells, "told": told, "held": held}[sys.argv[1]](gate)
    sys.exit(gate.finish())
