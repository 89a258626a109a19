"""Limits of the time step against the true ones: a noise of 1e-6 on a uniform state in a periodic box, density 3.

step_limits.py fast|slow [cell]: at -scheme_lumped_cfl 0.9 the noise decays, at FACTOR times the limit it grows. slow prints
the true limits over the predicted ones too, by bisection of dt. step_limits.py device: the ratios on a device as on the host."""
import math
import sys

import run
from gate import Gate

RHO = 3.0
FACTOR = 6.0  # the true limit is never further above
CELLS = {"quadrilateral": (2, 12), "triangle": (2, 12), "hexahedron": (3, 6), "tetrahedron": (3, 6)}
LIMITS = ("convective", "viscous", "elastic", "relaxation", "growth")


def box(cell):
    dim, n = CELLS[cell]
    return ["-case_name", "box", "-mesh_box_faces", ",".join([str(n)] * dim), "-mesh_box_cell", cell, "-mesh_box_periodic", "xyz"[:dim],
            "-mesh_box_lower", ",".join("0" * dim), "-mesh_box_upper", ",".join("1" * dim), "-initial_perturbation", 1e-6,
            "-form_density", RHO, "-case_report_every", 100000]


def newtonian(cell, nu, velocity=None, stabiliser="split_oss"):
    words = box(cell) + ["-physics", "newtonian", "-physics_newtonian_viscosity", RHO * nu, "-stabiliser", stabiliser]
    return words + (["-initial_velocity", ",".join(velocity[: CELLS[cell][0]])] if velocity else [])


def oldroydb(cell, nu_s, nu_p, relaxation, velocity=None, stretch=1, variable="conformation", theta=0.0):
    """c = diag(stretch, 1, ...) is kept at rest by a source."""
    dim = CELLS[cell][0]
    words = newtonian(cell, nu_s, velocity, "devss,split_oss") + ["-stabiliser_devss_theta", theta, "-polymer_variable", variable]
    words[words.index("-physics") + 1] = "newtonian,oldroydb"
    words += ["-physics_oldroydb_viscosity", RHO * nu_p, "-physics_oldroydb_lambda", relaxation]
    if stretch > 1:
        tensor = [stretch, 1, 0] if dim == 2 else [stretch, 1, 1, 0, 0, 0]
        words += ["-initial_conformation", ",".join(map(str, tensor)),
                  "-form_source_stress", ",".join([repr((stretch - 1) / relaxation)] + ["0"] * (len(tensor) - 1))]
    return words


def cases(cell):
    """Name, options; the limits that they are near are told by the ratios."""
    along, across = ("1", "0", "0"), ("1", "1", "1")
    yield "viscous", newtonian(cell, 0.2)
    yield "viscous with LSIC", newtonian(cell, 0.2, stabiliser="gls")
    yield "viscous with DEVSS, theta 1", oldroydb(cell, 0.05, 0.2, 0.5, theta=1.0)
    yield "DEVSS, theta 0: not the polymer's viscosity", oldroydb(cell, 0.2, 0.02, 5.0)
    yield "convective along x", newtonian(cell, 0.01, along)
    yield "convective across", newtonian(cell, 0.05, across)
    yield "relaxation in stress", oldroydb(cell, 1e-3, 1e-5, 1e-3, variable="stress")
    yield "relaxation in log-conformation", oldroydb(cell, 1e-3, 1e-5, 1e-3, variable="logconf")
    yield "elastic", oldroydb(cell, 0.01, 1.0, 10.0)
    yield "elastic, stretched by 100", oldroydb(cell, 0.01, 1.0, 10.0, stretch=100)
    yield "convected stress", oldroydb(cell, 0.02, 1e-6, 1.0, along)
    yield "convection, DEVSS and elasticity", oldroydb(cell, 0.05, 0.05, 0.2, across, theta=0.5)


FAST = {"quadrilateral": ("viscous with LSIC", "convective along x", "relaxation in stress", "elastic, stretched by 100"),
        "tetrahedron": ("viscous with LSIC",)}


def history(words, stepper, steps, *more, device="cpu"):
    r = run.rheoplex("run", *words, "-scheme_lumped_stepper", stepper, "-stop_steps", steps, *more, "-device", device,
                     out=run.folder("limits"), expect=None)
    try:
        return r.table("_history.csv")
    except run.Failure:
        raise run.Failure(r.stdout[-1000:] + r.stderr[-3000:])


def decays(table, steps):
    """Neither rate grows over the last half, that of c by more than its beats, nor beyond what the noise began with."""
    if len(table["t"]) < steps:
        return False
    for name, beats in (("du_dt", 1.05), ("dc_dt", 2.0)):
        v = table[name]
        early, middle, late = max(v[: steps // 10]), max(v[int(0.45 * steps): int(0.55 * steps)]), max(v[-steps // 10:])
        if not (late <= beats * middle + 1e-13 and late <= 3 * early + 1e-13):
            return False
    return True


def predicted(table):
    """The rate that -scheme_lumped_cfl divides by, from the first step's ratios."""
    c, v, e, r, g = (table[f"cfl_{k}"][0] / table["dt"][0] for k in LIMITS)
    return max(c + max(v, e, r), g), dict(zip(LIMITS, (c, v, e, r, g)))


def true_limit(words, stepper, steps, low, high):
    while not decays(history(words, stepper, steps, "-scheme_lumped_dt", low), steps):
        low /= 2
    for _ in range(5):
        middle = math.sqrt(low * high)
        if decays(history(words, stepper, steps, "-scheme_lumped_dt", middle), steps):
            low = middle
        else:
            high = middle
    return low


def check(gate, cell, stepper, name, words, slow):
    steps = 600 if slow else 200
    held = history(words, stepper, steps, "-scheme_lumped_cfl", 0.9, "-scheme_lumped_dt", 10)
    rate, rates = predicted(held)
    what = f"{cell} {stepper} {name}"
    gate.near(f"{what}: dt over the limit", held["dt"][5] * rate, 0.9, 0.05)
    gate.true(f"{what}: decays", decays(held, steps))
    gate.true(f"{what}: grows at {FACTOR:g}", not decays(history(words, stepper, steps, "-scheme_lumped_dt", FACTOR / rate), steps))
    if slow:
        true = true_limit(words, stepper, steps, 0.9 / rate, FACTOR / rate)
        gate.at_least(f"{what}: true limit over predicted", true * rate, 0.9)
        print("       true dt over: " + ", ".join(f"{k} {true * v:.2f}" for k, v in rates.items()))


def device(gate):
    """All five ratios of a flow that has them all, and the dt that follows."""
    words = dict(cases("triangle"))["convection, DEVSS and elasticity"] + ["-mesh_box_faces", "4,4"]
    host, there = (history(words, "heun", 3, "-scheme_lumped_cfl", 0.9, "-scheme_lumped_dt", 10, device=d) for d in ("cpu", "cuda"))
    for name in ("dt", *(f"cfl_{k}" for k in LIMITS)):
        gate.relative(f"{name} of the device", there[name][2], host[name][2], 1e-9)
        gate.at_least(f"{name} of the host", host[name][2], 1e-6)


def main(what, *only):
    gate = Gate("_".join(("case_step_limits", what) + only))
    if what == "device":
        device(gate)
        return gate.finish()
    for cell in only or FAST:
        for stepper in ("euler", "heun") if what == "slow" else ("euler",):
            for name, words in cases(cell):
                if what == "slow" or name in FAST[cell]:
                    check(gate, cell, stepper, name, words, what == "slow")
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
