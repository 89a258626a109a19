"""Spectra and sensitivities of flows whose outlets answer the flux. outlets.py
  late               a channel that ends in a Windkessel or a resistance: modes against their equation, which is solved apart, of second order; they grow as a run does
  same               a resistance that does not rise, and a Windkessel without compliance: modes and derivatives are those of the outlet, and of the resistance, that it is
  tee <np>           a flow that divides between a Windkessel and a resistance whose pressure rises with the square of the flux and whose stress is developed of it, Oldroyd-B: adjoint modes, the stepper, derivatives
  nodes <np>         the same with the pressures at nodes and open to the polymer
  refused            a condition that does not say how late it is"""
import cmath
import math
import os
import sys

import numpy as np
import run
from gate import Gate, largest
from scipy.optimize import newton

RHO, ETA, LENGTH, HALF = 3.0, 0.4, 2.0, 0.5
RP, RD, C = 1.3, 7.0, 0.25
CHANNEL = {"case_name": "late", "device": "cpu", "physics": "newtonian", "physics_newtonian_viscosity": ETA, "form_density": RHO, "stabiliser": "split_oss", "mesh_box_lower": f"0,-{HALF}",
           "mesh_box_upper": f"{LENGTH},{HALF}", "bc_bottom_type": "wall", "bc_top_type": "wall", "bc_left_type": "outlet", "bc_left_pressure": 0.9, "bc_left_pressure_at": "traction"}
WINDKESSEL = {"bc_right_type": "windkessel", "bc_right_proximal": RP, "bc_right_distal": RD, "bc_right_compliance": C, "bc_right_distal_pressure": 0.1}
RESISTANCE = {"bc_right_type": "resistance", "bc_right_pressure_by_flux": f"0.1+{RD}*q+{RP}*q"}
STEADY = {"scheme": "steady", "snes_rtol": 1e-13, "ksp_rtol": 1e-10}
# In at the top, more of it on the left, out to both sides.
TEE = {"case_name": "tee", "device": "cpu", "mesh_box_upper": "2,1", "mesh_box_faces": "10,5", "mesh_box_cell": "mixed", "mesh_box_jitter": 0.1, "form_density": RHO, "physics": "newtonian,oldroydb",
       "physics_newtonian_viscosity": 0.3, "physics_oldroydb_viscosity": 0.4, "physics_oldroydb_lambda": 0.25, "polymer_variable": "logconf", "stabiliser": "devss,split_oss", "bc_top_type": "inlet",
       "bc_top_velocity": "0,-0.5*x*(2-x)*(1+0.2*x)", "bc_top_polymer": "rest", "bc_bottom_type": "wall", "bc_left_type": "windkessel", "bc_left_proximal": 0.6, "bc_left_distal": 3,
       "bc_left_compliance": 0.7, "bc_left_distal_pressure": 0.3, "bc_right_type": "resistance", "bc_right_pressure_by_flux": "0.2+2*q+3*q^2"}


def case(verb, *parts, np_=1, expect=0, **more):
    words = {key: value for part in (*parts, more) for key, value in part.items()}
    line = [str(w) for key, value in words.items() if value is not None for w in (f"-{key}", value) if verb == "eigen" or not key.startswith("eigen_")]
    return run.rheoplex(verb, *line, out=run.folder("outlets"), np=np_, expect=expect, timeout=300)


def modes(result):
    t = result.table("_spectrum.csv")
    return np.array(t["growth_rate"], float) + 1j * np.array(t["angular_frequency"], float)


def exact(near, response):
    """u(y) exp(l t) in the channel: rho l u = -Z q/L + eta u'', q the flux; over l, which is a root for any Z."""

    def equation(l):
        k = cmath.sqrt(-RHO * l / ETA)
        return RHO * LENGTH + response(l) * (2 * HALF - 2 * cmath.tan(k * HALF) / k) / l

    return newton(equation, near, x1=near * 1.001, tol=1e-13, maxiter=100)


def late(gate):
    for name, right, response, shift, near in (("Windkessel", WINDKESSEL, lambda l: RP + RD / (1 + l * RD * C), "-1+1i", -1.03 + 0.57j), ("Windkessel, real shift", WINDKESSEL, lambda l: RP + RD / (1 + l * RD * C), "0", -1.03 + 0.57j),
                                               ("slow Windkessel", {**WINDKESSEL, "bc_right_compliance": 3}, lambda l: RP + RD / (1 + l * RD * 3), "0", -0.08 + 0j),
                                               ("resistance", RESISTANCE, lambda l: RP + RD, "-2+0i", -2.6 + 0j)):
        want = exact(near, response)
        found = []
        for n in (6, 12):
            value = modes(case("eigen", CHANNEL, right, STEADY, mesh_box_faces=f"{2 * n},{2 * n}", eigen_number=4, eigen_shifts=shift))
            found.append(value[abs(value - want).argmin()])
        error = [abs(z - want) / abs(want) for z in found]
        gate.note(f"{name}: growth rate by its equation", want.real)
        gate.at_most(f"{name}: error of the mode over its modulus, 24 x 24", error[1], 3e-3)
        gate.at_least(f"{name}: order", math.log2(error[0] / error[1]), 1.9)
    grows(gate, modes(case("eigen", CHANNEL, WINDKESSEL, STEADY, bc_right_compliance=3, mesh_box_faces="8,8", eigen_number=1, eigen_shifts="0"))[0])


def grows(gate, value):
    """The flux of a run from another pressure over the compliance, at equal times: differences fall as the slowest mode does."""
    result = case("run", CHANNEL, WINDKESSEL, bc_right_compliance=3, bc_right_initial_pressure=0.1, mesh_box_faces="8,8", scheme="monolithic", scheme_monolithic_dt=0.2, stop_time=20, snes_rtol=1e-12,
                  diagnostic_through_kind="flux", diagnostic_through_label="right", output_fields="false")
    t, q = (np.array(result.table("_through.csv")[key], float) for key in ("t", "right_flux"))
    a, b, c = (q[abs(t - at).argmin()] for at in (12, 16, 20))
    gate.relative("growth rate of a run", math.log((c - b) / (b - a)) / 4, value.real, 1e-4)


NAMES = {"diagnostic_drag_kind": "forces", "diagnostic_drag_label": "bottom,right", "diagnostic_through_kind": "flux", "diagnostic_through_label": "right", "diagnostic_drop_kind": "pressure_difference",
         "diagnostic_drop_label": "left,right"}


POWER = {"diagnostic_power_kind": "energy"}


def asked(base):
    return {**NAMES, "sensitivity": ",".join(f"{d}:{p}" for d in ("drag", "through", "drop") for p in base if p.startswith("physics_"))}


def derivatives(result):
    return {(r["diagnostic"], r["column"], r["parameter"]): float(r["derivative"]) for r in result.texts("_sensitivity.csv")}


def apart(a, b):
    """Largest difference over the largest of its diagnostic and parameter."""
    size = {}
    for (d, _, p), v in b.items():
        size[d, p] = max(size.get((d, p), 0), abs(v))
    return largest(abs(a[at] - b[at]) / size[at[0], at[2]] for at in b) if a.keys() == b.keys() else math.inf


def same(gate):
    plain = {"bc_right_type": "outlet", "bc_right_pressure": 0.1, "bc_right_pressure_at": "traction"}
    flat = {"bc_right_type": "resistance", "bc_right_pressure_by_flux": "0.1+0*q"}
    for name, one, other in ("resistance that does not rise", flat, plain), ("Windkessel without compliance", {**WINDKESSEL, "bc_right_compliance": 0}, RESISTANCE):
        words = {"mesh_box_faces": "8,6", "mesh_box_jitter": 0.1, "eigen_number": 3, "eigen_shifts": "0,-2+1i", "eigen_adjoint": "true"}
        a, b = (modes(case("eigen", CHANNEL, x, STEADY, words)) for x in (one, other))
        gate.at_most(f"{name}: modes", largest(abs(a - b) / abs(b)), 1e-8)
        for method in "forward", "adjoint":
            a, b = (derivatives(case("run", CHANNEL, x, STEADY, words, asked(CHANNEL), sensitivity_method=method)) for x in (one, other))
            gate.at_most(f"{name}: derivatives, {method}", apart(a, b), 1e-7)


def tee(gate, ranks, **more):
    words = {**STEADY, **more, "eigen_number": 4, "eigen_shifts": "0,-1+1.5i", "eigen_adjoint": "true"}
    one, found = (case("eigen", TEE, words, np_=n) for n in (1, int(ranks)))
    gate.at_most("residuals of modes", largest(found.table("_spectrum.csv")["residual"]), 1e-8)
    gate.at_most("residuals of adjoint modes", largest(found.table("_spectrum.csv")["adjoint_residual"]), 1e-7)
    gate.at_most("modes of one rank", largest(abs(modes(found) - modes(one)) / abs(modes(one))), 1e-8)
    steps = modes(case("eigen", TEE, words, np_=int(ranks), eigen_method="stepper", eigen_adjoint="false", eigen_shifts=0.3, eigen_number=2))
    gate.at_most("stepper", largest(min(abs(modes(one) - z)) / abs(z) for z in steps), 1e-8)
    forward, adjoint = (derivatives(case("run", TEE, words, asked(TEE), np_=int(ranks), sensitivity_method=m)) for m in ("forward", "adjoint"))
    gate.at_most("adjoint less forward", apart(adjoint, forward), 1e-8)
    for p in (p for p in TEE if p.startswith("physics_")) if ranks == "1" else ():
        h = 1e-3 * TEE[p]
        low, high = (case("run", TEE, words, NAMES, POWER, **{p: TEE[p] + d}) for d in (-h, h))
        power = derivatives(case("run", TEE, words, POWER, sensitivity=f"power:{p}"))
        of = {at: v for at, v in [*adjoint.items(), *power.items()] if at[2] == p}
        slope = {at: float(high.table(f"_{at[0]}.csv")[at[1]][-1] - low.table(f"_{at[0]}.csv")[at[1]][-1]) / (2 * h) for at in of}
        gate.at_most(f"by {p}: less central differences", apart(of, slope), 1e-5)


def refused(gate):
    waiting = {"bc_right_type": "waiting", "plugin": os.environ["RHX_WAITING"], "mesh_box_faces": "4,4"}
    gate.refused(case("eigen", CHANNEL, waiting, STEADY, expect=None), ["-bc_right_type waiting", "does not say how late", "expected a type with `lag` (condition.h)"])
    gate.true("sensitivities need no more than the slope at rest", len(derivatives(case("run", CHANNEL, waiting, STEADY, asked(CHANNEL)))) > 3)


def main(check, *more):
    gate = Gate("_".join(("scheme_outlets", check) + more))
    {"late": late, "same": same, "tee": lambda gate, ranks: tee(gate, ranks, bc_right_polymer="developed"), "refused": refused, "nodes": lambda gate, ranks: tee(gate, ranks, bc_left_pressure_at="nodes", bc_right_pressure_at="nodes")}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
