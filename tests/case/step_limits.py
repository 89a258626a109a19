"""Limits of the time step against the true ones: a noise of 1e-6 on a uniform state in a periodic box, density 3.

step_limits.py fast|slow [cell [distorted]]: at a CFL target of 0.9 the noise decays, at FACTOR times the limit it grows. slow prints
the true limits over the predicted ones too, by bisection of dt. step_limits.py rates: the ratios and dt against the formulas of
share/doc/time-step.md, on bricks of unequal sides with two modes. step_limits.py device: the ratios on a device as on the host."""
import math
import sys

import numpy as np
import run
from gate import Gate

RHO = 3.0
INTEGRATORS = ("ssp3", "rk4")  # of fractional_step; its heun is near that of lumped
FACTOR = 6.0  # the true limit is never further above,
UNEVEN_FACTOR = 30.0  # on distorted meshes, where the smallest elements bound dt but not all waves live there
CELLS = {"quadrilateral": (2, 12), "triangle": (2, 12), "hexahedron": (3, 6), "tetrahedron": (3, 6)}
DISTORTED = []
LIMITS = ("convective", "viscous", "elastic", "relaxation", "growth")


def box(cell):
    """Distorted: nodes are moved by up to 0.3 h."""
    dim, n = CELLS[cell]
    distorted = ["-mesh_box_jitter", 0.3] if DISTORTED else []
    return distorted + ["-case_name", "box", "-mesh_box_faces", ",".join([str(n)] * dim), "-mesh_box_cell", cell, "-mesh_box_periodic", "xyz"[:dim],
            "-mesh_box_lower", ",".join("0" * dim), "-mesh_box_upper", ",".join("1" * dim), "-initial_perturbation", 1e-6,
            "-form_density", RHO, "-case_report_every", 100000]


def newtonian(cell, nu, velocity=None, stabiliser="split_oss"):
    words = box(cell) + ["-physics", "newtonian", "-physics_newtonian_viscosity", RHO * nu, "-stabiliser", stabiliser]
    return words + (["-initial_velocity", ",".join(velocity[: CELLS[cell][0]])] if velocity else [])


def oldroydb(cell, nu_s, nu_p, relaxation, velocity=None, stretch=1, variable="conformation", theta=0.0):
    """c = diag(stretch, 1, ...) of every mode is kept at rest by a source. nu_p, relaxation: one, or one a mode."""
    dim = CELLS[cell][0]
    words = newtonian(cell, nu_s, velocity, "devss,split_oss") + ["-stabiliser_devss_theta", theta, "-polymer_variable", variable]
    words[words.index("-physics") + 1] = "newtonian,oldroydb"
    modes = list(zip(*(np.atleast_1d(v).tolist() for v in (nu_p, relaxation))))
    words += ["-physics_oldroydb_modes", len(modes), "-physics_oldroydb_viscosity", ",".join(repr(RHO * nu) for nu, _ in modes),
              "-physics_oldroydb_lambda", ",".join(repr(lam) for _, lam in modes)]
    if stretch > 1:
        tensor = [stretch, 1, 0] if dim == 2 else [stretch, 1, 1, 0, 0, 0]
        source = [[(stretch - 1) / lam] + [0] * (len(tensor) - 1) for _, lam in modes]
        words += ["-initial_conformation", ";".join([",".join(map(str, tensor))] * len(modes)),
                  "-form_source_stress", ";".join(",".join(map(repr, s)) for s in source)]
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
    yield "elastic, two modes, stretched by 20", oldroydb(cell, 0.02, (1.0, 0.3), (10.0, 0.5), stretch=20)
    yield "relaxation of the shorter of two modes", oldroydb(cell, 1e-3, (1e-3, 1e-5), (1.0, 1e-3))
    yield "convected stress", oldroydb(cell, 0.02, 1e-6, 1.0, along)
    yield "convection, DEVSS and elasticity", oldroydb(cell, 0.05, 0.05, 0.2, across, theta=0.5)


UNEVEN = ("viscous with LSIC", "convective across", "relaxation in log-conformation", "elastic, stretched by 100", "elastic, two modes, stretched by 20",
          "convection, DEVSS and elasticity")  # tried on distorted meshes
FAST = {"quadrilateral": ("viscous with LSIC", "convective along x", "relaxation in stress", "elastic, stretched by 100"),
        "tetrahedron": ("viscous with LSIC",)}


def history(words, stepper, steps, *more, device="cpu"):
    words = [*words, "-scheme_lumped_stepper", stepper, *more]
    if stepper in INTEGRATORS:
        words = [str(w).replace("-scheme_lumped_", "-scheme_fractional_step_").replace("_stepper", "_integrator") for w in words] + ["-scheme", "fractional_step"]
    r = run.rheoplex("run", *words, "-stop_steps", steps, "-device", device, out=run.folder("limits"), expect=None)
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
    steps, factor = 600 if slow else 200, UNEVEN_FACTOR if DISTORTED else FACTOR
    held = history(words, stepper, steps, "-scheme_lumped_cfl", 0.9, "-scheme_lumped_dt", 10)
    rate, rates = predicted(held)
    what = f"{cell} {stepper} {name}"
    gate.near(f"{what}: dt over the limit", held["dt"][5] * rate, 0.9, 0.05)
    gate.true(f"{what}: decays", decays(held, steps))
    gate.true(f"{what}: grows at {factor:g}", not decays(history(words, stepper, steps, "-scheme_lumped_dt", factor / rate), steps))
    if slow:
        true = true_limit(words, stepper, steps, 0.9 / rate, factor / rate)
        gate.at_least(f"{what}: true limit over predicted", true * rate, 0.9)
        print("       true dt over: " + ", ".join(f"{k} {true * v:.2f}" for k, v in rates.items()))


def formulas(h, u, eta_s, theta, modes, c, heun):
    """Rates by share/doc/time-step.md on bricks of sides h: uniform velocity u, modes (eta, lambda), their diagonals of c."""
    h, u, c = np.array(h), np.array(u), np.array(c)
    eta, lam = np.array(modes).T
    G = eta / lam
    convective = math.sqrt(np.sum((u / h) ** 2))
    viscous = 2 * (eta_s + 2 * theta * eta.sum()) / RHO / h.min() ** 2
    w2 = G / RHO * np.sum(c / h**2, axis=1)
    damped = 1 / (np.sum(w2 / lam) / w2.sum() ** 2 + eta_s / np.sum(G * c.sum(axis=1)))
    q = 2 / (lam.max() * convective)  # C^2 - q C - q = 0
    convected = convective / ((q + math.sqrt(q * q + 4 * q)) / 2)
    velocity = RHO * np.sum(u**2) / (2 * (eta_s + eta.sum()))
    w = convective + math.sqrt(w2.sum())
    growth = (w * w * damped / 4) ** (1 / 3) if heun else max(velocity, (math.sqrt(damped) + math.sqrt(convected)) ** 2)
    return convective, viscous, math.sqrt(w2.sum()), 1 / (2 * lam.min()), growth


# What decides dt: velocity, eta_s, theta, modes, diagonals of c in space (in the plane without the last), stepper
DECIDING = {
    "convective": ((3.0, -2.0, 1.5), 0.3, 0.0, ((2.0, 5.0), (1.5, 2.0)), ((1.0, 1.0, 1.0), (1.2, 0.9, 1.0)), "heun"),
    "viscous": ((0.3, 0.2, -0.1), 0.9, 0.5, ((2.0, 5.0), (1.5, 2.0)), ((2.0, 1.0, 1.5), (1.2, 0.9, 1.0)), "heun"),
    "elastic": ((0.02, 0.01, 0.03), 1.7, 0.0, ((2.0, 3.0), (1.5, 2.0)), ((1.0, 60.0, 1.2), (1.3, 30.0, 0.8)), "heun"),
    "relaxation": ((0.3, 0.2, -0.1), 0.3, 0.1, ((0.2, 5.0), (0.02, 0.008)), ((1.0, 1.0, 1.0), (1.1, 0.9, 1.0)), "heun"),
    "growth": ((0.6, 0.4, 0.2), 0.3, 0.0, ((2.0, 5.0), (1.5, 2.0)), ((3.0, 1.0, 1.5), (1.2, 0.9, 1.0)), "euler"),
    "growth of velocity": ((1.5, 0.4, 0.2), 0.02, 0.0, ((1e-6, 0.05), (2e-6, 0.02)), ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0)), "euler"),
}


def rates(gate):
    """Every ratio, and the dt of -scheme_lumped_cfl 0.9, of uniform states; each limit decides once."""
    for cell, faces, h in (("quadrilateral", (4, 5), (0.5, 0.3)), ("hexahedron", (3, 4, 3), (0.5, 0.3, 0.4))):
        dim = len(h)
        for what, (u, eta_s, theta, modes, c, stepper) in DECIDING.items():
            u, c = u[:dim], [d[:dim] for d in c]
            words = ["-case_name", "box", "-mesh_box_cell", cell, "-mesh_box_faces", ",".join(map(str, faces)), "-mesh_box_periodic", "xyz"[:dim],
                     "-mesh_box_lower", ",".join("0" * dim), "-mesh_box_upper", ",".join(repr(n * s) for n, s in zip(faces, h)), "-form_density", RHO,
                     "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", eta_s, "-physics_oldroydb_modes", 2, "-physics_oldroydb_viscosity",
                     ",".join(repr(m[0]) for m in modes), "-physics_oldroydb_lambda", ",".join(repr(m[1]) for m in modes), "-polymer_variable", "conformation",
                     "-stabiliser", "devss,split_oss", "-stabiliser_devss_theta", theta, "-initial_velocity", ",".join(map(repr, u)), "-initial_conformation",
                     ";".join(",".join(map(repr, [*d] + [0] * (1 if dim == 2 else 3))) for d in c), "-scheme_lumped_cfl", 0.9, "-scheme_lumped_dt", 10]
            table, expected = history(words, stepper, 1), formulas(h, u, eta_s, theta, modes, c, stepper == "heun")
            dt, (a, *others, growth) = table["dt"][0], expected
            for name, rate in zip(LIMITS, expected):
                gate.relative(f"{cell}, {what}: {name}", table[f"cfl_{name}"][0] / dt, rate, 1e-9)
            gate.relative(f"{cell}, {what}: dt", dt, 0.9 / max(a + max(others), growth), 1e-9)
            share = {"convective": a, "viscous": others[0], "elastic": others[1], "relaxation": others[2], "growth": growth}[what.split()[0]]
            alone = growth <= a + max(others) if what.split()[0] != "growth" else growth > a + max(others)
            gate.true(f"{cell}: {what} decides", alone and (share in (a, max(others)) or what.startswith("growth")))


def device(gate):
    """All five ratios of a flow that has them all, and the dt that follows."""
    words = dict(cases("triangle"))["convection, DEVSS and elasticity"] + ["-mesh_box_faces", "4,4"]
    host, there = (history(words, "heun", 3, "-scheme_lumped_cfl", 0.9, "-scheme_lumped_dt", 10, device=d) for d in ("cpu", "cuda"))
    for name in ("dt", *(f"cfl_{k}" for k in LIMITS)):
        gate.relative(f"{name} of the device", there[name][2], host[name][2], 1e-10)
        gate.at_least(f"{name} of the host", host[name][2], 1e-6)


def main(what, *only):
    gate = Gate("_".join(("case_step_limits", what) + only))
    if what == "device":
        device(gate)
        return gate.finish()
    if what == "rates":
        rates(gate)
        return gate.finish()
    DISTORTED.extend(only[1:])
    for cell in only[:1] or FAST:
        for stepper in ("euler", "heun", *INTEGRATORS) if what == "slow" else ("euler", "rk4"):
            for name, words in cases(cell):
                if (what == "slow" and (not DISTORTED or name in UNEVEN)) or (what == "fast" and name in FAST[cell]):
                    check(gate, cell, stepper, name, words, what == "slow")
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
