"""harmonics.py linear|large|refused: harmonics of a force, a velocity and a stress between plates that oscillate: G' and G'' of two modes of Oldroyd-B
with the fluid's inertia, and the intensities of a large amplitude against the rheometer's."""
import cmath
import math
import sys

import numpy as np
import run
from gate import Gate, largest

ETA, ETAS, LAMBDAS, RHO, H, LENGTH = 0.3, (0.5, 0.2), (0.4, 0.05), 3, 0.8, 0.6
F = 0.5
W = 2 * math.pi * F
SPEED = 0.7
PLATES = {"case_name": "p", "mesh_box_upper": f"{LENGTH},{H}", "mesh_box_faces": "3,32", "mesh_box_periodic": "x", "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": ETA, "physics_oldroydb_modes": 2,
          "physics_oldroydb_viscosity": ",".join(map(str, ETAS)), "physics_oldroydb_lambda": ",".join(map(str, LAMBDAS)), "form_density": RHO, "stabiliser": "split_oss", "bc_bottom_type": "wall", "bc_top_type": "moving_wall",
          "bc_top_velocity": f"{SPEED}*cos({W!r}*t),0", "scheme": "monolithic", "scheme_monolithic_dt": 1 / (F * 128), "stop_time": 4 / F, "output_fields": "false", "diagnostic_f_kind": "forces", "diagnostic_f_label": "top",
          "diagnostic_v_kind": "probe", "diagnostic_v_points": f"0.2,{H / 2}", "diagnostic_v_fields": "velocity,stress_1"}


def words_of(changes):
    return [w for key, value in {**PLATES, **changes}.items() if value is not None for w in (f"-{key}", value)]


def case(np_=1, expect=0, **changes):
    return run.rheoplex("run", *words_of(changes), out=run.folder("harmonics"), np=np_, expect=expect, timeout=200)


def asked(name, of, column, **more):
    given = {"kind": "harmonics", "of": of, "column": column, "frequency": F, **more}
    return {f"diagnostic_{name}_{k}": v for k, v in given.items()}


def first(done, name, k=1):
    """Complex amplitude of a harmonic of the last row, that of exp(i k w t) of mean + Re(...)."""
    table = done.table(f"_{name}.csv")
    return table[f"amplitude_{k}"][-1] * cmath.exp(1j * (table[f"phase_{k}"][-1] - math.pi / 2))


def linear(gate):
    """u = Re(U exp(i w t) sinh(a y)/sinh(a H)), a^2 = i w rho/eta*: with the fluid's inertia."""
    viscosity = ETA + sum(e / (1 + 1j * W * l) for e, l in zip(ETAS, LAMBDAS))
    a = cmath.sqrt(1j * W * RHO / viscosity)
    exact = {"drag": -viscosity * a * cmath.cosh(a * H) / cmath.sinh(a * H) * SPEED * LENGTH, "speed": SPEED * cmath.sinh(a * H / 2) / cmath.sinh(a * H),
             "stress": ETAS[1] / (1 + 1j * W * LAMBDAS[1]) * SPEED * a * cmath.cosh(a * H / 2) / cmath.sinh(a * H)}
    places = {"drag": ("f", "top_x"), "speed": ("v", "velocity_x_0"), "stress": ("v", "stress_1_xy_0")}
    words = {k: v for name, place in places.items() for k, v in asked(name, *place).items()}
    done = case(**words)
    short = [case(np_, **words, mesh_box_faces="3,8", scheme_monolithic_dt=1 / (F * 32), stop_time=1.1 / F) for np_ in (1, 2)]
    for name, value in exact.items():
        gate.at_most(f"{name}: amplitude and phase, error over the amplitude", abs(first(done, name) - value) / abs(value), 3e-3)
        gate.at_most(f"{name}: second harmonic over the first", abs(first(done, name, 2)) / abs(value), 2e-3)
        gate.at_most(f"{name}: np 2", abs(first(short[1], name) - first(short[0], name)) / abs(value), 1e-6)
    table = done.table("_drag.csv")
    gate.true("nan before the first period has ended, numbers then", bool(np.isnan(table["mean"][table["t"] < 1 / F]).all() and np.isfinite(table["mean"][table["t"] > 1.02 / F]).all()))
    homogeneous(gate)
    restart(gate, words)
    windows(gate)
    began(gate)


def homogeneous(gate):
    """Without inertia the stress on the plate is G' and G''."""
    strain = SPEED / W / H
    done = case(form_density=1e-6, mesh_box_faces="3,2", **asked("drag", "f", "top_x", every_dt=1 / (F * 32)))
    modulus = -first(done, "drag") / LENGTH / (-1j * strain)  # tau/gamma, gamma = strain sin(w t): -i in exp(i w t)
    exact = 1j * W * (ETA + sum(e / (1 + 1j * W * l) for e, l in zip(ETAS, LAMBDAS)))
    gate.relative("G'", modulus.real, exact.real, 2e-3)
    gate.relative("G''", modulus.imag, exact.imag, 2e-3)


def restart(gate, words):
    """Periods go on where the checkpoint was written; a sample at the end by the end alone leaves nothing."""
    words = {**words, **asked("drag", "f", "top_x", every=3)}
    whole = case(**words, stop_steps=300, stop_time=None, mesh_box_faces="3,4")
    half = case(**words, stop_steps=211, stop_time=None, mesh_box_faces="3,4")
    rest = case(**words, stop_steps=300, stop_time=None, mesh_box_faces="3,4", case_restart=half.file("_checkpoint.h5"))
    for name in ("drag", "stress"):
        a, b = whole.table(f"_{name}.csv"), rest.table(f"_{name}.csv")
        gate.at_most(f"{name}: after a restart", largest(abs(a[c][-1] - b[c][-1]) for c in a), 1e-8)


def windows(gate):
    """Periods that end between rows: of the wall's own speed, known at all times, of second order in the distance of the rows."""
    errors = []
    for n in (37.3, 74.6):
        done = case(mesh_box_faces="3,2", scheme_monolithic_dt=1 / (F * n), stop_time=3.3 / F, diagnostic_u_kind="probe", diagnostic_u_points=f"0.2,{H}", diagnostic_u_fields="velocity", bc_top_velocity=f"0.2+{SPEED}*cos({W!r}*t)+0.3*sin(3*{W!r}*t),0",
                    **asked("s", "u", "velocity_x_0", start=0.31))
        errors.append(largest(abs(first(done, "s") - SPEED), abs(first(done, "s", 3) + 0.3j), abs(done.table("_s.csv")["mean"][-1] - 0.2)))
    gate.at_most("periods between rows: error", errors[1], 0.02)
    gate.at_least("periods between rows: order", run.order([2, 1], errors)[0], 1.5)


def began(gate):
    """The first period begins where the run does, or at `start`: one that has run for a period has its numbers, those of its rows; unknown ones go through a restart."""
    for periods, start in ((1, 0), (2, 0), (2, 0.31)):
        done = case(mesh_box_faces="3,4", **asked("drag", "f", "top_x", start=start), stop_time=periods / F + start)
        rows, last = done.table("_f.csv"), done.table("_drag.csv")
        from_ = (periods - 1) / F + start
        t, v = rows["t"], rows["top_x"]
        at = np.unique(np.concatenate([t[(t > from_) & (t < from_ + 1 / F)], [from_, from_ + 1 / F]]))
        value = np.interp(at, t, v)
        gate.at_most(f"{periods} periods from {start:g}: mean, less that of the rows", abs(float(last["mean"][-1]) - float(np.trapezoid(value, at)) * F), 2e-3)
        gate.at_most(f"{periods} periods from {start:g}: amplitude", abs(float(last["amplitude_1"][-1]) - 2 * F * abs(np.trapezoid(value * np.exp(-1j * W * at), at))), 5e-3)
    words = {**asked("drag", "f", "top_x"), "mesh_box_faces": "3,4", "stop_time": None, "stop_settled": "drag:1e-12:0.1"}
    half = case(**words, stop_steps=40)
    rest = case(**words, stop_steps=60, case_restart=half.file("_checkpoint.h5"))
    gate.true("nan of before goes through a restart", "begins anew" not in rest.stdout)


def large(gate):
    """Giesekus at a strain of 3: I3/I1 and the phases of the rheometer's last cycle, by its table."""
    strain, alpha = 3.0, 0.3
    law = {"physics": "giesekus", "physics_newtonian_viscosity": None, "physics_oldroydb_modes": None, "physics_oldroydb_viscosity": None, "physics_oldroydb_lambda": None, "physics_giesekus_viscosity": 0.6,
           "physics_giesekus_lambda": 0.4, "physics_giesekus_alpha": alpha}
    done = case(**law, form_density=1e-6, mesh_box_faces="3,2", stabiliser="devss,split_oss", bc_top_velocity=f"{strain * H * W}*cos({W!r}*t),0", diagnostic_v_fields="velocity,stress", **asked("s", "v", "stress_xy_0", n=5), scheme_monolithic_dt=1 / (F * 512), stop_time=3 / F)
    out = f"{run.folder('harmonics')}/laos.csv"
    run.rheoplex("rheometer", "giesekus", *[w for k, v in law.items() if v is not None and k != "physics" for w in (f"-{k}", v)], "-rheometer_protocol", "laos", "-rheometer_strain", strain, "-rheometer_frequency", W, "-rheometer_outputs", 513,
                 "-rheometer_output", out, out=None)
    table = run.table(out)
    t, tau = table["time"][:-1], table["shear_stress"][:-1]
    phase = W * t
    for k in (1, 3, 5):
        c, s = 2 * np.mean(tau * np.cos(k * phase)), 2 * np.mean(tau * np.sin(k * phase))
        gate.at_most(f"harmonic {k}: less the rheometer's, over the first", abs(first(done, "s", k) - (c - 1j * s)) / abs(first(done, "s")), 2e-3)
    gate.at_least("I3/I1", abs(first(done, "s", 3) / first(done, "s")), 0.02)


def refused(gate):
    for more, expected in ((asked("s", "f", "top_z"), ("-diagnostic_s_column: got 'top_z'", "did you mean 'top_x'?")), (asked("s", "g", "top_x"), ("-diagnostic_s_of: got 'g'", "a diagnostic with a table")),
                           (asked("s", "s", "mean"), ("-diagnostic_s_of: got 's'",)), (asked("s", "f", "top_x", frequency=0), ("-diagnostic_s_frequency: got none",)),
                           (asked("s", "f", "top_x", every_dt=0.3), ("-diagnostic_s_every_dt: got 0.3 s", "whole part of the 2 s of -diagnostic_s_frequency")),
                           (asked("s", "f", "top_x", every_dt=0.5), ("-diagnostic_s_every_dt: got 4 rows a period", "twice the 3 harmonics")), (asked("s", "f", "top_x", n=0), ("diagnostic_s_n",))):
        gate.refused(case(expect=None, **more), expected)
    told = case(mesh_box_faces="3,2", stop_steps=3, stop_time=None, **asked("s", "f", "top_x"))
    gate.true("a run shorter than a period is told", "-diagnostic_s_frequency: got a period of 2 s, of which none has ended" in told.stdout + told.stderr)


def main(name):
    gate = Gate(f"diagnostics_harmonics_{name}")
    {"linear": linear, "large": large, "refused": refused}[name](gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
