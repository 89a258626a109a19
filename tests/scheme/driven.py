"""A mean velocity that is kept by a force (-form_mean_velocity) in `steady` and `monolithic`, where the force is an unknown of Newton's method. driven.py
  exact        plane channel, pipe, channel in 3D: force of a Newtonian fluid; linear PTT: the analytic one
  adrift <np>  Kolmogorov flow of an Oldroyd-B fluid between planes of symmetry: nothing but the mean gives the velocity along x
  wavy <np>    PTT with inertia between wavy walls: Newton is quadratic, the force is what the walls hold; on np ranks; from a checkpoint, by continuation
  retried      Carreau-Yasuda by continuation in n, whose steps fail and are halved: each begins at the force of the last good state
  melt         PTT and Giesekus without a solvent, with DEVSS, in SI units: the force is that of units in which all is of order one
  steps <np>   a mean that changes with time, by monolithic: it is met in every step, force and flow are of second order; restart; the explicit scheme's force
  thin         steps whose friction is 1e-7 of what inertia takes, at once and from rest: the force is found, in few iterations
  device <np>  all by a device (the emulated one): flow, force and iterations are the host's; a body force beside, the mean along no axis in space, the explicit scheme"""
import math
import re
import sys

import mshwrite
import numpy as np
import run
from gate import Gate, largest
from scipy.integrate import quad
from scipy.optimize import brentq
from steady import newton

H, U, RHO, ETA, N = 0.7, 0.9, 3, 0.4, 14
BASE = {"case_name": "driven", "bc_bottom_type": "wall", "bc_top_type": "wall", "form_density": RHO, "form_mean_velocity": U, "output_fields": "false", "diagnostic_f_kind": "drive",
        "device": "cpu", "scheme": "steady", "ksp_rtol": 1e-8, "stabiliser": "split_oss"}
NEWTONIAN = {"physics": "newtonian", "physics_newtonian_viscosity": ETA}
PTT = {"physics": "newtonian,ptt", "physics_newtonian_viscosity": 0.1, "physics_ptt_viscosity": 0.6, "physics_ptt_lambda": 0.3, "physics_ptt_epsilon": 0.25,
       "physics_ptt_form": "linear", "stabiliser": "devss,split_oss", "polymer_variable": "stress"}
BOX = {"mesh_box_faces": f"4,{N}", "mesh_box_upper": f"0.6,{H}", "mesh_box_periodic": "x"}
WAVY = {**PTT, "mesh_periodic": "left,right", "diagnostic_w_kind": "forces", "diagnostic_w_label": "top,bottom", "diagnostic_v_kind": "integral"}


def case(base, np_=1, expect=0, **changes):
    words = [w for key, value in {**BASE, **base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, out=run.folder("driven"), np=np_, expect=expect, timeout=300)


def force(result):
    table = result.table("_f.csv")
    return float(table["force"][-1]), float(table["mean_velocity"][-1])


def last_order(result):
    """The larger of the last two, of residuals that are not rounding."""
    norms = [float(x) for x in re.findall(r"(?<!order) (\d\.\d+e[-+]\d+)", next(x for x in result.stdout.splitlines() if x.startswith("Newton:")))]
    norms = [x for x in norms if x > 1e-14 * max(norms)]
    return max(math.log(c / b) / math.log(b / a) for a, b, c in list(zip(norms, norms[1:], norms[2:]))[-2:])


def ptt_force():
    """Linear PTT in a slit: gamma = tau/eta (1 + 2 eps (lambda tau/eta)^2), force y = 0.1 gamma + tau."""
    rate = lambda tau: tau / 0.6 * (1 + 2 * 0.25 * (0.3 * tau / 0.6) ** 2)

    def mean(force):
        stress = lambda y: brentq(lambda tau: 0.1 * rate(tau) + tau - force * y, 0, force * y + 1e-30)
        return quad(lambda y: y * rate(stress(y)), 0, H / 2)[0] / (H / 2)

    return brentq(lambda force: mean(force) - U, 1, 100)


def adrift(gate, np_):
    """Force sin y on half a period: u = sin y/eta + U, within the error of linear elements."""
    n, mean, eta = 16, 0.9, 0.4 + 0.8
    h = math.pi / n
    result = case({"mesh_box_faces": f"12,{n}", "mesh_box_lower": f"0,{-math.pi / 2!r}", "mesh_box_upper": f"{4 * math.pi!r},{math.pi / 2!r}", "mesh_box_periodic": "x", "form_body_force": "sin(y),0",
                   "form_mean_velocity": mean, "bc_bottom_type": "symmetry", "bc_top_type": "symmetry", "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": 0.4, "physics_oldroydb_viscosity": 0.8,
                   "physics_oldroydb_lambda": 2, "polymer_variable": "stress", "stabiliser": "devss,split_oss", "diagnostic_p_kind": "probe", "diagnostic_p_points": f"1,{math.pi / 4!r}"}, int(np_), ksp_rtol=None)
    found, kept = force(result)
    gate.at_most("force, which nothing answers", abs(found), 1e-8)
    gate.near("mean velocity", kept, mean, 1e-8)
    gate.near("velocity at pi/4", float(result.table("_p.csv")["velocity_x_0"][-1]), mean + math.sin(math.pi / 4) / eta, math.sin(math.pi / 4) / eta * h**2 / 12)
    both = case({"mesh_box_faces": "6,6", "mesh_box_periodic": "xy", "bc_bottom_type": None, "bc_top_type": None, **NEWTONIAN}, int(np_), expect=None)
    gate.refused(both, ("no condition gives the velocity along (0, 1, 0)", "-form_mean_velocity, in one direction"))


def exact(gate):
    slit = 12 * ETA * U / H**2 / (1 - 1 / N**2)  # of linear elements
    three = {"mesh_box_faces": f"3,3,{N}", "mesh_box_upper": f"0.4,0.6,{H}", "mesh_box_periodic": "x,y", "form_mean_direction": "3,4,0", "bc_bottom_type": None, "bc_top_type": None,
             "bc_front_type": "wall", "bc_back_type": "wall"}
    pipe = {**BOX, "form_axisymmetric": "true", "bc_bottom_type": "symmetry"}
    for name, changes, expected, bound in ("plane", BOX, slit, 1e-9), ("oblique to the axes in 3D", three, slit, 1e-9), ("pipe", pipe, 8 * ETA * U / H**2, 0.012):
        found = case(NEWTONIAN, **changes)
        gate.relative(f"{name}: force of a Newtonian fluid", force(found)[0], expected, bound)
        gate.relative(f"{name}: mean velocity", force(found)[1], U, 1e-10)
        gate.at_most(f"{name}: iterations of a flow whose equations are linear along it", newton(gate, name, found, 2), 4)
    coarse, fine = (abs(force(case(PTT, **{**BOX, "mesh_box_faces": f"4,{n}"}))[0] - ptt_force()) for n in (N, 2 * N))
    gate.at_most("linear PTT: error of the force over it", fine / ptt_force(), 0.003)
    gate.at_least("linear PTT: order of it", math.log2(coarse / fine), 1.8)


def wavy(gate, ranks):
    ranks = int(ranks)
    wave = lambda i, j: (1.2 * i / 8, H * j / 8 * (1 + 0.2 * math.sin(2 * math.pi * i / 8)))
    mesh = {"mesh_file": mshwrite.channel(f"{run.folder('driven')}/wavy.msh", 8, 8, wave)}
    found = case(WAVY, np_=ranks, **mesh)
    newton(gate, "wavy", found, 9)
    gate.at_least("order of Newton's method at its end", last_order(found), 1.8)
    gate.relative("mean velocity", force(found)[1], U, 1e-10)
    gate.relative("force that is printed", float(found.stdout.split("driving force:")[1].split()[0]), force(found)[0], 1e-9)
    if ranks > 1:
        one = case(WAVY, **mesh)
        gate.relative("force of one rank", force(found)[0], force(one)[0], 1e-9)
        difference = found.checkpoint() - one.checkpoint()
        difference[:, 2] -= difference[:, 2].mean()  # the level of the pressure
        gate.at_most("flow of one rank", float(np.abs(difference).max() / np.abs(one.checkpoint()).max()), 1e-8)
        return
    creeping = case(WAVY, **mesh, form_convection="false")
    walls, volume = creeping.table("_w.csv"), float(creeping.table("_v.csv")["volume"][-1])
    gate.relative("without inertia: forces on the walls over the volume", float(walls["top_x"][-1] + walls["bottom_x"][-1]) / volume, force(creeping)[0], 1e-9)
    again = case(WAVY, **mesh, case_restart=found.file("_checkpoint.h5"))
    newton(gate, "from its checkpoint", again, 0)
    gate.relative("from its checkpoint: force", force(again)[0], force(found)[0], 1e-12)
    by = case(WAVY, **mesh, scheme_steady_continuation="physics_ptt_lambda=0.1:0.1:0.3", scheme_steady_continuation_type="arclength")
    gate.relative("along a branch: force", force(by)[0], force(found)[0], 1e-7)


def steps(gate, ranks):
    ranks, aim = int(ranks), lambda t: 0.9 * math.sin(1.7 * t) ** 2
    short = {**PTT, **BOX, "mesh_box_faces": "3,8", "scheme": "monolithic", "form_mean_velocity": "0.9*sin(1.7*t)^2", "stop_time": 0.8, "snes_rtol": 1e-11, "ksp_rtol": 1e-8}
    of = lambda dt, **more: case(short, scheme_monolithic_dt=dt, **{"np_": ranks, **more})
    found = of(0.04)
    table = found.table("_f.csv")
    gate.at_most("mean velocity less its aim, of any step", float(np.abs(table["mean_velocity"] - [aim(t) for t in table["t"]]).max()), 1e-10)
    if ranks > 1:
        one = of(0.04, np_=1)
        gate.at_most("force of one rank", float(np.abs(table["force"] - one.table("_f.csv")["force"]).max()) / force(one)[0], 1e-8)
        return
    beside = of(0.04, form_body_force="0.4*cos(3*t),0").table("_f.csv")
    gate.at_most("a body force beside it, which the force makes up for", largest(np.abs(beside["force"] + 0.4 * np.cos(3 * table["t"]) - table["force"])) / force(found)[0], 1e-9)
    renewed = lambda **more: of(0.04, pc_renew="always", **more)
    whole, first = renewed(), renewed(stop_time=0.4, np_=2)
    for np_ in (1, 3):
        again = renewed(case_restart=first.file("_checkpoint.h5"), np_=np_)
        gate.relative(f"from a checkpoint of two ranks on {np_}: force", force(again)[0], force(whole)[0], 1e-9)
        places = [np.lexsort(np.round(x.checkpoint("positions"), 9).T) for x in (again, whole)]
        gate.at_most(f"on {np_}: velocity", largest(np.abs(again.checkpoint()[places[0]] - whole.checkpoint()[places[1]])[:, :2].ravel()), 1e-9)
    loose = {"snes_rtol": 1e-3, "stop_time": 0.52}  # the first guess is seen in what is found
    whole, first = renewed(**loose), renewed(**{**loose, "stop_time": 0.4})
    again = renewed(**loose, case_restart=first.file("_checkpoint.h5"))
    gate.at_most("from a checkpoint, but for the last bits", largest(np.abs(again.checkpoint() - whole.checkpoint()).ravel()), 1e-12)
    half, quarter = of(0.02), of(0.01)
    last = [force(x)[0] for x in (found, half, quarter)]
    gate.at_least("order of the force", math.log2(abs(last[0] - last[1]) / abs(last[1] - last[2])), 1.75)
    state = [x.checkpoint() for x in (found, half, quarter)]
    gate.at_least("order of the flow", math.log2(np.abs(state[0] - state[1]).max() / np.abs(state[1] - state[2]).max()), 1.75)
    explicit = case(short, scheme="lumped", scheme_lumped_stepper="heun", scheme_lumped_dt=1e-3, snes_rtol=None, ksp_rtol=None)
    best = last[2] + (last[2] - last[1]) / 3
    gate.relative("force of the explicit scheme", force(explicit)[0], best, 0.01)


def effort(result):
    """Iterations of Newton's method: of a steady state, or in each step."""
    told = re.search(r"Newton: (\d+) iterations", result.stdout)
    return [int(told[1])] if told else [int(n) for n in result.table("_history.csv")["newton_iterations"]]


def device(gate, ranks):
    folder, exact = run.folder("driven"), {"ksp_rtol": 1e-10, "snes_rtol": 1e-12}
    wave = lambda i, j: (1.2 * i / 8, H * j / 6 * (1 + 0.2 * math.sin(2 * math.pi * i / 8)))
    wavy = {**WAVY, **exact, "mesh_file": mshwrite.channel(f"{folder}/wavy.msh", 8, 6, wave)}
    aim = {"form_mean_velocity": "0.9+0.3*sin(2*t)", "form_body_force": "0.4*sin(5*x)*cos(3*t),0.2"}
    box = {**NEWTONIAN, **exact, "mesh_box_faces": "3,3,4", "mesh_box_upper": f"0.4,0.6,{H}", "mesh_box_periodic": "x,y", "form_mean_direction": "3,4,0", "form_body_force": "2*sin(9*y),sin(16*x),0",
           "bc_bottom_type": None, "bc_top_type": None, "bc_front_type": "wall", "bc_back_type": "wall", "stabiliser": "gls"}
    steps = {**wavy, **aim, "scheme": "monolithic", "scheme_monolithic_dt": 0.05, "stop_steps": 4}
    lumped = {**wavy, **aim, "scheme": "lumped", "scheme_lumped_dt": 1e-3, "stop_steps": 20, "pressure_ksp_rtol": 1e-13, "ksp_rtol": None, "snes_rtol": None}
    for name, flow in {"steady": wavy, "steps": steps, "steady, space": box, "lumped": lumped}.items():
        host, there = case(flow), case({**flow, "device": "cuda"}, np_=int(ranks))
        state, found = host.checkpoint(), there.checkpoint()
        dim = host.checkpoint("positions").shape[1]
        for what, columns in ("velocity", slice(0, dim)), ("pressure", slice(dim, dim + 1)), ("modes", slice(dim + 1, None)):
            if state[:, columns].size:
                gate.at_most(f"{name}: {what} of device and host", largest((np.abs(found - state)[:, columns] / np.abs(state[:, columns]).max()).ravel()), 1e-10)
        gate.relative(f"{name}: force", force(there)[0], force(host)[0], 1e-10)
        same = name == "lumped" or (effort(there) == effort(host) and max(effort(there)) > 1)
        gate.true(f"{name}: it ran there{'' if name == 'lumped' else f', in {effort(there)} iterations, {effort(host)} on the host'}", ("emulated" in there.stdout or "NVIDIA" in there.stdout) and same)


def melt(gate):
    """Linear solves of PETSc's own choice: their projections are inexact where DEVSS nearly cancels."""
    pure = {"mesh_box_faces": "8,16", "mesh_box_periodic": "x", "polymer_variable": "logconf", "stabiliser": "devss,split_oss", "stabiliser_devss_theta": 1, "form_convection": "false", "ksp_rtol": None}
    laws = (("ptt", 0.9, {"physics_ptt_epsilon": 0.25}), ("giesekus", 0.9, {"physics_giesekus_alpha": 0.3}))
    for law, weissenberg, more in laws:
        force = []
        for h, mean, eta in ((1, 1, 1), (1e-3, 3e-3, 3e4)):
            flow = {"physics": law, f"physics_{law}_viscosity": eta, f"physics_{law}_lambda": weissenberg * h / mean, **more, "mesh_box_lower": f"0,{-h}", "mesh_box_upper": f"{h},{h}",
                    "case_velocity": mean, "case_length": 2 * h, "form_mean_velocity": mean}
            force.append(float(case(pure, **flow).table("_f.csv")["force"][-1]) * h**2 / (eta * mean))
        gate.relative(f"{law}: force over eta U/H^2, SI units", force[1], force[0], 1e-6)


def retried(gate):
    """Full steps of Newton's method, which diverge: the force of what they ended at is nothing to begin with."""
    thinning = {"physics": "carreau_yasuda", "physics_carreau_yasuda_viscosity": 1, "physics_carreau_yasuda_lambda": 50, "physics_carreau_yasuda_n": 0.3, "physics_carreau_yasuda_viscosity_inf": 1e-4, "form_mean_velocity": 1,
                "mesh_box_faces": "3,24", "mesh_box_lower": "0,-1", "mesh_box_upper": "0.25,0", "mesh_box_periodic": "x", "bc_top_type": "symmetry", "stabiliser": None,
                "scheme_steady_continuation": "physics_carreau_yasuda_n=1:-0.7:0.3"}
    searched, full = case(thinning), case(thinning, snes_linesearch_type="basic")
    gate.at_least("values that were halved", len(full.table("_f.csv")["force"]), 3)
    gate.relative("force of a method whose steps are searched", force(full)[0], force(searched)[0], 1e-7)
    first = [float(line.split()[4]) for line in full.stdout.splitlines() if line.startswith("Newton:") and "iterations" in line]
    gate.at_most("largest first residual behind a failed attempt", max(first[1:]), 0.2)


def thin(gate):
    """Momentum of the whole fluid: F = rho dU/dt but for what walls take; Newton's method and GMRES at Re 5e4 as at Re 1."""
    slit = {"physics": "newtonian", "physics_newtonian_viscosity": 1e-5, "form_density": 1, "mesh_box_faces": "6,8", "mesh_box_periodic": "x", "scheme": "monolithic", "scheme_monolithic_dt": 0.01, "stop_steps": 10, "ksp_rtol": None}
    for name, mean, most in (("at once", "0.5", 400), ("from rest", "0.25*(1-cos(t))", 200)):
        result = case(slit, form_mean_velocity=mean)
        table, iterations = result.table("_f.csv"), int(re.search(r"linear solves, (\d+) iterations", result.stdout)[1])
        gate.at_most(f"{name}: iterations", iterations, most)
        aim = 0.5 if mean == "0.5" else 0.25 * (1 - np.cos(table["t"]))
        gate.at_most(f"{name}: mean velocity", largest(np.abs(table["mean_velocity"] - aim)), 1e-7)
    gate.relative("from rest: force over that of inertia, wall nodes are at rest", table["force"][-1] * 7 / 8, 0.25 * np.sin(0.1), 0.3)


def main(check, *more):
    gate = Gate("_".join(("scheme_driven", check) + more))
    {"exact": exact, "adrift": adrift, "wavy": wavy, "retried": retried, "melt": melt, "steps": steps, "thin": thin, "device": device}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
