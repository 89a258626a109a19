"""A plugin that reads the field of another one by its name: outside_product makes of the dye of outside_dye what that loses, so that with one diffusivity dye and
product together are a passive field that starts as the dye. needs.py <folder of the plugins>
  sum <cpu|cuda>  so it is by explicit and implicit schemes, in whatever order the plugins are named, on every cell type and 1, 2, 3 ranks
  negative        no such field in the case, and a stabiliser that would read one"""
import re
import sys

import numpy as np
import run
from gate import Gate

START, K, D = "1+0.6*cos(3*x)*y", 1.3, 0.04
SCHEMES = {"lumped": ["-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", 4e-3, "-pressure_ksp_rtol", 1e-13],
           "monolithic": ["-scheme_monolithic_dt", 0.04, "-snes_rtol", 1e-13, "-snes_atol", 1e-14, "-ksp_rtol", 1e-12]}


def stirred(folder, cell, scheme, *more, names="outside_dye,outside_product,passive", device="cpu", np_=1, expect=0, **keywords):
    space = cell in ("tetrahedron", "hexahedron")
    words = ["-case_name", "needs", "-plugin", f"{folder}/outside_dye.so,{folder}/outside_product.so", "-physics", "newtonian," + names, "-physics_newtonian_viscosity", 0.3, "-form_density", 3,
             "-stabiliser", "split_oss", "-mesh_box_cell", cell, "-mesh_box_faces", "4,3,3" if space else "7,6", "-initial_dye", START, "-physics_outside_dye_decay", K, "-scheme", scheme, "-device", device]
    words += [w for name in names.split(",") for w in (f"-physics_{name}_diffusivity", D)]
    words += ["-physics_outside_product_rate", K] if "outside_product" in names else []
    words += ["-initial_concentration", START] if "passive" in names else []
    for side in ("left", "right", "bottom", "top", *(("front", "back") if space else ())):
        words += [f"-bc_{side}_type", "moving_wall" if side == "top" else "wall"]
    words += ["-bc_top_velocity", "4*x*(1-x),0" + (",0" if space else "")]
    return run.rheoplex("run", *words, *SCHEMES[scheme], "-stop_time", 0.12, *more, out=run.folder("needs"), np=np_, expect=expect, **keywords)


def parts(done, names="outside_dye,outside_product,passive"):
    state, names = done.checkpoint(), names.split(",")
    return {name: state[:, len(state[0]) - len(names) + k] for k, name in enumerate(names)}


def whole(gate, what, of):
    made = of["outside_product"]
    gate.at_least(f"{what}: least product", float(made.min()), 0.01)
    gate.at_most(f"{what}: dye and product less the passive field", float(np.abs(of["outside_dye"] + made - of["passive"]).max()), 1e-11)
    return made


def total(gate, folder, device):
    if device == "cuda":
        for cell, scheme in ("tetrahedron", "lumped"), ("triangle", "monolithic"):
            more = ["-stop_time", 0.04]
            made = whole(gate, f"device, {cell}, {scheme}", parts(stirred(folder, cell, scheme, *more, device="cuda")))
            here = parts(stirred(folder, cell, scheme, *more))["outside_product"]
            gate.at_most(f"{cell}, {scheme}: difference of the device", float(np.abs(made - here).max()), 1e-10)
        return
    for scheme in SCHEMES:
        made = {}
        for names in "outside_dye,outside_product,passive", "outside_product,passive,outside_dye":
            made[names] = whole(gate, f"{scheme}, {names}", parts(stirred(folder, "mixed", scheme, names=names), names))
        gate.at_most(f"{scheme}: product by the order of names", float(np.abs(np.subtract(*made.values())).max()), 1e-12)
        for ranks in (3,) if scheme == "lumped" else (2,):
            got = parts(stirred(folder, "mixed", scheme, np_=ranks))["outside_product"]
            gate.at_most(f"{scheme}: difference on {ranks} ranks", float(np.abs(got - next(iter(made.values()))).max()), 1e-10)
    for cell in "tetrahedron", "hexahedron":
        whole(gate, cell, parts(stirred(folder, cell, "lumped")))
    other = parts(stirred(folder, "quadrilateral", "lumped", "-physics_outside_product_reactant", "concentration", "-physics_passive_decay", 0))
    gate.at_least("product of another field by its name, over that of the dye", float((other["outside_product"] / parts(stirred(folder, "quadrilateral", "lumped"))["outside_product"]).min()), 1.02)


def negative(gate, folder):
    for names, more, sentences in (("outside_product,passive", [], ('-physics_outside_product_reactant: got "dye", the scalar field that \'outside_product\' reads (what reacts, r)',
                                                                    "expected one of the case: product, concentration, or the plugin that has it in -physics")),
                                   ("outside_dye,outside_product", ["-physics_outside_product_reactant", "die"], ('got "die"', "expected one of the case: dye, product,"))):
        words = [w for w in more]
        words += ["-initial_dye", START] if "dye" in names else []
        for np_ in (1, 2):
            bad = run.rheoplex("run", "-case_name", "bad", "-plugin", f"{folder}/outside_dye.so,{folder}/outside_product.so", "-physics", "newtonian," + names, "-physics_newtonian_viscosity", 1,
                               "-stabiliser", "split_oss", "-mesh_box_faces", "3,3", *[w for name in names.split(",") for w in (f"-physics_{name}_diffusivity", D)], "-physics_outside_product_rate", K,
                               *words, out=run.folder("needs"), np=np_, expect=1)
            gate.true(f"{names} {more}, np {np_}: {bad.stderr.strip()[:300]}", all(s in bad.stderr for s in sentences))
    bad = run.rheoplex("list", "stabiliser", "-plugin", f"{folder}/refused/reader.so", out=run.folder("needs"), expect=1)
    gate.true(f"a stabiliser: {bad.stderr.strip()[:300]}", "its parameter 'heat' names a scalar field, expected that of plugins of scalar fields alone" in bad.stderr)
    text = run.rheoplex("list", "physics", "-plugin", f"{folder}/outside_product.so", out=run.folder("needs")).stdout
    gate.true("rheoplex list says what the option takes", bool(re.search(r"reactant.*the name of a scalar field of -physics", text)))


def main(folder, check, *more):
    gate = Gate("_".join(("scalars_needs", check) + more))
    {"sum": total, "negative": negative}[check](gate, folder, *more)
    return gate.finish()


sys.exit(main(*sys.argv[1:]))
