"""Inlets that give the polymer in its flux, in schemes that solve for it by Newton's method. inflow.py
  jacobian <program boundary_inflow>  products and matrix against differences of the residual: cells, dimensions, variables, ranks
  same         the state of `steady` is that of `lumped` at rest, on any number of ranks, and that of `monolithic`; Newton's order
  channel      an elastic channel by continuation: the flow that is there, at rest in time, where one that is given at nodes is left
  sensitivity  derivatives of a force by both methods against differences of whole runs
  device       states on the emulated device are those of the host"""
import os
import re
import subprocess
import sys

import h5py
import numpy as np
import run
from gate import Gate, largest

HERE = run.folder("inflow")
LAWS = {"physics": "newtonian,oldroydb,giesekus", "physics_newtonian_viscosity": 0.3, "physics_oldroydb_viscosity": 0.5, "physics_oldroydb_lambda": 0.4, "physics_giesekus_viscosity": 0.39,
        "physics_giesekus_lambda": 1.3, "physics_giesekus_alpha": 0.2}
FLOW = {"case_name": "inflow", "mesh_box_upper": "3,1.4", "mesh_box_faces": "8,5", "mesh_box_cell": "mixed", "mesh_box_jitter": 0.1, **LAWS, "form_density": 3, "polymer_variable": "stress",
        "stabiliser": "devss,split_oss", "bc_left_type": "inlet", "bc_left_velocity": "y*(1.4-y)*(2+sin(3*y)),0.2*y*(1.4-y)", "bc_right_type": "outlet", "bc_bottom_type": "wall", "bc_top_type": "wall",
        "output_fields": "false"}
STEADY = {"scheme": "steady", "device": "cpu"}
PLANE = {"bc_left_velocity": "4*y*(1-y)*z*(1.4-z)*(1+0.3*sin(3*y)),0,0.2*z*(1.4-z)*y*(1-y)", "bc_front_type": "wall", "bc_back_type": "wall"}
SPACE = {**PLANE, "mesh_box_upper": "2,1,1.4", "mesh_box_faces": "3,3,3", "mesh_box_cell": "hexahedron", "mesh_box_jitter": 0}
AXIS = {"mesh_box_upper": "3,0.7", "form_axisymmetric": "true", "bc_bottom_type": "symmetry", "bc_left_velocity": "3*(0.49-y^2),0"}


def words_of(*parts):
    words = {key: value for part in parts for key, value in part.items()}
    return [str(w) for key, value in words.items() if value is not None for w in (f"-{key}", value)]


def case(*parts, np_=1, expect=0, verb="run"):
    return run.rheoplex(verb, *words_of(FLOW, *parts), out=run.folder("inflow"), np=np_, expect=expect, timeout=300)


def apart(a, b):
    """Largest difference of the states of two runs, over the largest value of b's."""
    a, b = a.checkpoint(), b.checkpoint()
    return float(np.abs(a - b).max() / np.abs(b).max())


def newton(result, k=-1):
    """Iterations of solve k, and the largest order above rounding."""
    line = [x for x in result.stdout.splitlines() if x.startswith("Newton:")][k]
    norms = [float(x) for x in re.findall(r"(?<!order) (\d\.\d+e[-+]\d+)", line)]
    orders = [float(x) for i, x in enumerate(re.findall(r"order ([-\d.]+)", line)) if norms[i + 2] > 1e-14 * max(norms)]
    return int(line.split()[1]), max(orders, default=2.0)


def jacobian(gate, program):
    for name, changes, np_ in (("mixed, stress", {}, 1), ("mixed, log c, np 2", {"polymer_variable": "logconf"}, 2), ("no projections", {"stabiliser": "gls"}, 1), ("axisymmetric, conformation", {**AXIS, "polymer_variable": "conformation"}, 1),
                               ("hexahedra, log c", {**SPACE, "polymer_variable": "logconf"}, 1),
                               ("tetrahedra, log c, np 2", {**SPACE, "mesh_box_cell": "tetrahedron", "polymer_variable": "logconf"}, 2), ("tetrahedra, no projections", {**SPACE, "mesh_box_cell": "tetrahedron", "stabiliser": "gls"}, 1)):
        command = [program, *words_of(FLOW, STEADY, {"bc_left_polymer_at": "flux"}, changes), "-output_folder", run.folder("inflow"), "-malloc_dump"]
        done = subprocess.run(([os.environ["RHEOPLEX_MPIEXEC"], "-n", str(np_)] if np_ > 1 else []) + command, capture_output=True, text=True, timeout=300)
        print("\n".join(x for x in (done.stdout + done.stderr).splitlines() if re.match(r"the (Jacobian|matrix)", x) or done.returncode))
        gate.true(f"{name}: products and matrix", done.returncode == 0 and "[0]" not in done.stdout + done.stderr)


def same(gate):
    """Lumped projections, of which both schemes have the same; then the consistent ones of Newton's."""
    corrected = {"stabiliser_split_oss_projection_corrections": 2, "bc_left_polymer_at": "flux"}
    lumped = {**STEADY, **corrected, "scheme_steady_projection": "lumped", "ksp_rtol": 1e-10, "snes_rtol": 1e-12}
    for variable in {"polymer_variable": "stress"}, {"polymer_variable": "logconf"}:
        name = variable["polymer_variable"]
        found = case(lumped, variable)
        rest = case(corrected, variable, {"scheme": "lumped", "scheme_lumped_cfl": 0.8, "stop_steady_tol": 1e-10, "stop_time": 400})
        gate.at_most(f"{name}: state, from that of lumped at rest", apart(found, rest), 1e-8)
        count, order = newton(case(lumped, variable, {"physics_oldroydb_lambda": 0.5, "case_restart": found.file("_checkpoint.h5")}))
        gate.at_most(f"{name}: iterations of Newton's method from a neighbour", count, 4)
        gate.at_least(f"{name}: its order", order, 1.9)
    flux = {"bc_left_polymer_at": "flux", "snes_rtol": 1e-12}
    one = case(STEADY, flux)
    for np_ in (2, 3):
        gate.at_most(f"np {np_}: state", apart(case(STEADY, flux, np_=np_), one), 1e-10)
    step = case(flux, {"scheme": "monolithic", "scheme_monolithic_dt": 0.5, "stop_steps": 2, "stop_time": 9, "case_restart": one.file("_checkpoint.h5")})
    gate.at_most("monolithic: change in a step from there", apart(step, one), 1e-9)
    gate.at_least("nodes give another state", apart(case(STEADY, flux, {"bc_left_polymer_at": "nodes"}), one), 1e-3)
    developed = [case(STEADY, {"bc_left_velocity": "y*(1.4-y),0", "bc_left_polymer_at": at}) for at in (None, "flux", "nodes")]
    gate.true("auto with the developed stress: in the flux", apart(developed[0], developed[1]) == 0 < apart(developed[2], developed[1]))


CHANNEL = {"case_name": "channel", "mesh_box_upper": "3,1", "mesh_box_faces": "24,8", "mesh_box_cell": None, "mesh_box_jitter": None, "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.11,
           "physics_oldroydb_viscosity": 0.89, "physics_oldroydb_lambda": 1, "physics_giesekus_viscosity": None, "physics_giesekus_lambda": None, "physics_giesekus_alpha": None,
           "polymer_variable": "logconf", "bc_left_velocity": "6*y*(1-y),0"}


def growth(start, at):
    """Of the modes nearest to rest and to the slow waves, 1/s."""
    result = case(CHANNEL, STEADY, {"bc_left_polymer_at": at, "case_restart": start, "eigen_shifts": "0,0.5+2.5i", "eigen_number": 3}, verb="eigen")
    return largest(float(x.split()[1]) for x in result.stdout.splitlines() if re.match(r" +\d+ +-?\d", x))


def channel(gate):
    """Exact: 6 y (1 - y), largest Wi 6 lambda. What steps in time do from the steady state, their modes say."""
    found = case(CHANNEL, STEADY, {"scheme_steady_continuation": "physics_oldroydb_lambda=0.25:0.25:2", "output_checkpoint_every": 1, "output_every": 1})
    history = found.table("_history.csv")
    wi = history[next(k for k in history if k.lower().startswith("wi"))]
    x = found.checkpoint("positions")
    for point, exact, bound in ((4, 6, 0.08), (8, 12, 0.16)):
        with h5py.File(found.file(f"_point_{point:06d}.h5")) as f:
            u = f["state"][:, 0]
        gate.relative(f"Wi {exact}: largest Wi", float(wi[point - 1]), exact, 0.12)
        gate.at_most(f"Wi {exact}: velocity", float(np.abs(u - 6 * x[:, 1] * (1 - x[:, 1])).max()), bound)
    gate.at_most("Wi 6, in the flux: largest growth rate, 1/s", growth(found.file("_point_000004.h5"), "flux"), -0.1)
    nodes = case(CHANNEL, STEADY, {"bc_left_polymer_at": "nodes"})
    gate.at_least("Wi 6, at nodes: largest growth rate, 1/s", growth(nodes.file("_checkpoint.h5"), "nodes"), 0.1)


def sensitivity(gate):
    parameter, value, h = "physics_oldroydb_lambda", 0.4, 4e-4
    names = {"bc_left_polymer": "formula", "bc_left_stress": "y,0.3-y,0.2*y;0.4,0.2*y,0", "diagnostic_drag_kind": "forces", "diagnostic_drag_label": "top", "bc_left_polymer_at": "flux"}
    inlets = {"formula": names, "developed": {**names, "bc_left_polymer": None, "bc_left_stress": None, "bc_left_velocity": "y*(1.4-y),0"}}
    for name, words in inlets.items():
        low, high = (case(STEADY, words, {"snes_rtol": 1e-12, parameter: repr(value + d)}).table("_drag.csv") for d in (-h, h))
        for method in "forward", "adjoint":
            rows = case(STEADY, words, {"sensitivity": f"drag:{parameter}", "sensitivity_method": method}).texts("_sensitivity.csv")
            for row in rows:
                slope = float(high[row["column"]][-1] - low[row["column"]][-1]) / (2 * h)
                gate.relative(f"{name}, {method}: d {row['column']} / d lambda", float(row["derivative"]), slope, 1e-5)


def main():
    gate = Gate("boundary_inflow_" + sys.argv[1])
    globals()[sys.argv[1]](gate, *sys.argv[2:])
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
