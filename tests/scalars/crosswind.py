"""Crosswind diffusion of scalar fields. crosswind.py
  step              a step at 30 and 45 degrees through a square: the undershoot with it and without, by every scheme, on quads and triangles
  orders <cell>     manufactured concentration of little diffusion: the order of the error is kept
  ranks             the same on 1, 2, 3 ranks, with monolithic too
  negative          without scalar fields, with swirl, a coefficient below 0; the order of names does not matter"""
import math
import sys

import common
import l2
import numpy as np
import orders
import run
import sympy as sp
from gate import Gate

T_END = 0.1
LEAST = {"fractional_step": ["-scheme_fractional_step_integrator", "bdf2", "-scheme_fractional_step_subscales", "instant", "-scheme_fractional_step_dt", 0.01],
         "lumped": ["-scheme_lumped_stepper", "heun", "-scheme_lumped_cfl", 0.8],
         "monolithic": ["-scheme_monolithic_dt", 0.05, "-ts_type", "bdf"]}


def carried_step(stabiliser, angle, cell, scheme, *more, np_=1):
    """u of length sqrt(2) at the angle carries a step from the left, diffusion 1e-6: the least and the greatest concentration."""
    u = ",".join(str(math.sqrt(2) * f(math.radians(angle))) for f in (math.cos, math.sin))
    words = [*common.fluid(stabiliser.replace("crosswind,", "")), "-stabiliser", stabiliser, "-physics_passive_diffusivity", 1e-6, "-physics_passive_decay", 0, "-physics_passive_supply", 0,
             "-mesh_box_faces", "20,20", "-mesh_box_cell", cell, "-initial_velocity", u, "-scheme", scheme, *LEAST[scheme], "-stop_time", 2, "-device", "cpu", "-case_name", "step"]
    for label in common.LABELS[2]:
        given = {"left": "value y>0.21 ? 1 : 0", "bottom": "value 0"}.get(label, "natural")
        words += [f"-bc_{label}_type", "moving_wall", f"-bc_{label}_velocity", u, f"-bc_{label}_concentration", given]
    return run.rheoplex("run", *words, *more, out=run.folder("crosswind"), np=np_)


def step(gate):
    for stabiliser, angle, cell, scheme, bound in (("split_oss", 45, "quadrilateral", "lumped", 0.05), ("split_oss,gls", 45, "quadrilateral", "lumped", 0.05),
                                                   ("split_oss", 30, "quadrilateral", "lumped", 0.06), ("split_oss,gls", 30, "quadrilateral", "lumped", 0.07), ("split_oss", 45, "triangle", "lumped", 0.05),
                                                   ("split_oss", 45, "quadrilateral", "fractional_step", 0.05), ("split_oss", 45, "quadrilateral", "monolithic", 0.05)):
        run_without, run_with = (carried_step(s, angle, cell, scheme) for s in (stabiliser, f"crosswind,{stabiliser}"))
        without, c = (r.checkpoint()[:, -1] for r in (run_without, run_with))
        name = f"{scheme}, {stabiliser}, {cell}, {angle} degrees"
        gate.at_most(f"{name}: undershoot", -float(c.min()), bound)
        gate.at_most(f"{name}: overshoot", float(c.max()) - 1, 0.01)
        gate.at_least(f"{name}: undershoot without it, over that", float(without.min() / c.min()), 1.5)
        gate.near(f"{name}: lines that advise it without it", run_without.stdout.count(f"m; it is less at layers that are carried, with -stabiliser {stabiliser},crosswind, which widens them, or on a finer mesh\n"), 1, 0)
        gate.near(f"{name}: and with it", run_with.stdout.count("it is less at layers"), 0, 0)


def order_of(gate, cell):
    dim = 3 if cell in ("tetrahedron", "hexahedron") else 2
    meshes, D, errors = (5, 10, 20) if dim == 3 else (10, 20, 40), 1e-3, []
    c, u = common.concentration(dim), common.velocity(dim)
    exact = sp.lambdify(common.X, c.subs(common.T, T_END), "numpy")
    for n in meshes:
        words = [*common.fluid("split_oss"), *common.carried(dim, lambda label: f"value {common.formula(c)}"), "-stabiliser", "split_oss,crosswind", "-physics_passive_diffusivity", D,
                 "-case_name", "order", "-initial_concentration", common.formula(c.subs(common.T, 0)), "-scheme_lumped_stepper", "heun", "-stop_time", T_END, "-form_source_concentration",
                 common.formula(common.source(dim, u, c, D)), "-mesh_box_lower", ",".join("0" * dim), "-mesh_box_upper", ",".join("1" * dim), "-mesh_box_faces", ",".join([str(n)] * dim),
                 "-mesh_box_cell", cell, "-scheme_lumped_dt", T_END / n, "-device", "cpu"]
        got = run.rheoplex("run", *words, out=run.folder("crosswind")).fields()
        errors.append(l2.error(got, [(got["concentration"][:, None], lambda p: exact(*p.T)[:, None])])[0])
        if n == meshes[-1]:
            got = run.rheoplex("run", *words, "-stabiliser_crosswind_coefficient", 0, out=run.folder("crosswind")).fields()
            alone = l2.error(got, [(got["concentration"][:, None], lambda p: exact(*p.T)[:, None])])[0]
            gate.at_least("its error over that of coefficient 0", errors[-1] / alone, 1.001)
    gate.order("concentration", meshes, errors, 1.9)


def ranks(gate):
    for scheme, more in ("lumped", ["-scheme_lumped_dt", 5e-3]), ("monolithic", ["-snes_rtol", 1e-12, "-ksp_rtol", 1e-10]):
        one, *others = (carried_step("crosswind,split_oss", 30, "mixed", scheme, "-stop_time", 0.1, "-mesh_box_faces", "9,8", *more, np_=n).checkpoint()[:, -1] for n in (1, 2, 3))
        gate.at_least(f"{scheme}: largest concentration", float(one.max()), 0.9)
        for n, other in zip((2, 3), others):
            gate.at_most(f"{scheme}: largest difference of np = 1 and {n}", float(np.abs(one - other).max()), 1e-10 if scheme == "lumped" else 1e-8)


def negative(gate):
    box = ["run", "-case_name", "bad", "-mesh_box_faces", "4,4", "-physics_newtonian_viscosity", 1, "-stop_steps", 1, "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_top_type", "wall",
           "-stabiliser", "split_oss,crosswind"]
    passive = ["-physics", "newtonian,passive", "-physics_passive_diffusivity", 1, "-bc_bottom_type", "wall"]
    a, b = (carried_step(names, 45, "quadrilateral", "lumped", "-stop_time", 0.1, "-mesh_box_faces", "9,8").checkpoint()[:, -1] for names in ("crosswind,split_oss", "split_oss,crosswind"))
    gate.true("named first or last it is the same", np.array_equal(a, b))
    for words, sentence in ((["-physics", "newtonian", "-bc_bottom_type", "wall"], "-stabiliser: got 'crosswind', which captures layers of scalar fields, in a case without any: expected a plugin of scalar"),
                            (["-physics", "newtonian,swirling", "-form_axisymmetric", "true", "-bc_bottom_type", "axis"], "-stabiliser: got 'crosswind', which captures layers of all scalar fields, with the field 'swirl'"),
                            ([*passive, "-stabiliser_crosswind_coefficient", -1], "stabiliser_crosswind_coefficient"),
                            ([*passive, "-stabiliser", "crosswind"], "No stabiliser provides")):
        bad = run.rheoplex(*box, *words, out=run.folder("crosswind"), expect=1)
        gate.true(f"{sentence}: {bad.stderr.strip()[:300]}", sentence in bad.stderr)


def main(check, *more):
    gate = Gate("_".join(("scalars_crosswind", check) + more))
    {"step": step, "orders": order_of, "ranks": ranks, "negative": negative}[check](gate, *more)
    return gate.finish()


sys.exit(main(*sys.argv[1:]))
