"""Steps with scalar fields on a device are those on the host: values, a flux, sources that hold t, a passive polymer beside. device.py <cell> <ranks> [gls | crosswind | implicit]

crosswind: discontinuities are captured, where diffusion is small; implicit: steps of `monolithic`"""
import sys

import numpy as np
import run
from gate import Gate, largest

SIDES = {2: ("left", "right", "bottom", "top"), 3: ("left", "right", "bottom", "top", "front", "back")}


def main(cell, ranks="1", stabiliser="split_oss"):
    dim = 3 if cell in ("tetrahedron", "hexahedron") else 2
    gate = Gate(f"scalars_device_{cell}_np{ranks}" + (f"_{stabiliser}" if stabiliser != "split_oss" else ""))
    gls = ["-stabiliser", "split_oss,gls", "-stabiliser_split_oss_parts", "momentum,pressure,tensor", "-stabiliser_gls_parts", "scalar"]
    crosswind = ["-stabiliser", "crosswind,split_oss", "-physics_passive_diffusivity", 1e-3]
    scheme = ["-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", 5e-3, "-pressure_ksp_rtol", 1e-13]
    if stabiliser == "implicit":
        scheme = ["-scheme", "monolithic", "-scheme_monolithic_dt", 5e-3, "-snes_rtol", 1e-12, "-ksp_rtol", 1e-10]
    words = ["-case_name", "device", "-mesh_box_cell", cell, "-mesh_box_faces", "5,4" if dim == 2 else "3,3,2", "-physics", "newtonian,oldroydb,passive",
             "-physics_newtonian_viscosity", 0.05, "-physics_oldroydb_viscosity", 0.05, "-physics_oldroydb_lambda", 0.3, "-form_density", 3,
             "-physics_passive_diffusivity", 0.03, "-physics_passive_supply", 0.2, "-physics_passive_decay", 0.4, *{"gls": gls, "crosswind": crosswind}.get(stabiliser, ["-stabiliser", "split_oss"]),
             "-initial_concentration", "1+x*y", "-initial_perturbation", 0.05, "-form_source_concentration", "sin(5*t)*x", *scheme, "-stop_steps", 6, "-output_fields", 0]
    for side in SIDES[dim]:
        words += [f"-bc_{side}_type", "moving_wall" if side == "top" else "wall"]
    words += ["-bc_top_velocity", "16*x^2*(1-x)^2,0" + (",0" if dim == 3 else ""), "-bc_top_concentration", "value 2+cos(4*t)", "-bc_left_concentration", "flux 0.3*(1+y+t)"]
    state = {}
    for where in ("cpu", "cuda"):
        done = run.rheoplex("run", *words, "-device", where, out=run.folder("device"), np=int(ranks), expect=None)
        if where == "cuda" and "No device to compute on" in done.stderr:
            return 77
        gate.true(f"{where}: the run ends{': ' + done.stderr[:600] if done.rc else ''}", done.rc == 0)
        state[where] = done.checkpoint()
        rate = done.table("_history.csv")
        gate.true(f"{where}: rates are numbers", all(np.isfinite(rate[c]).all() for c in rate if "dt" in c))
        state[where + "_rate"] = [rate[c] for c in rate if c.startswith("|d") or "dt" in c]
    gate.at_least("largest concentration", float(state["cpu"][:, -1].max()), 2.5)
    gate.at_most("largest difference of the device", float(np.abs(state["cuda"] - state["cpu"]).max()), 1e-10)
    gate.at_most("and of its rates of change", float(largest(np.abs(a - b).max() for a, b in zip(state["cpu_rate"], state["cuda_rate"]))), 1e-8)
    return gate.finish()


sys.exit(main(*sys.argv[1:]))
