"""Inflow by the developed profile of every law, in a slit and, of polymeric ones, in a tube (axisymmetric): velocity and stress (FENE: conformation) of the inlet's nodes against
the law's paper (tests/laws/papers.py): its steady shear stress T(g) by Newton's method on its equation, then r = R T(g)/T(g_w) and, by parts,
u(r) = R/T(g_w) (g_w T(g_w) - g T(g) - int_g^g_w T dg)."""
import sys
from functools import cache

import numpy as np
import run
from gate import Gate, largest
from papers import POLYMERIC, VISCOUS, VISCOUS_SETS, gradient
from scipy.integrate import quad
from scipy.optimize import brentq, root

R, FASTEST, SOLVENT = 0.35, 0.4, 0.3
SETS = {
    "oldroydb": [{"viscosity": 0.7, "lambda": 1.3}, {"viscosity": 1.1, "lambda": 0.4}],
    "ptt": [{"viscosity": 0.7, "lambda": 1.3, "epsilon": 0.25, "xi": 0.0}, {"viscosity": 1.1, "lambda": 0.4, "epsilon": 0.1, "xi": 0.2}],
    "giesekus": [{"viscosity": 0.7, "lambda": 1.3, "alpha": 0.3}, {"viscosity": 1.1, "lambda": 0.4, "alpha": 0.45}],
    "fene_p": [{"viscosity": 0.7, "lambda": 1.3, "L2": 30.0}, {"viscosity": 1.1, "lambda": 0.4, "L2": 12.0}],
    "fene_cr": [{"viscosity": 0.7, "lambda": 1.3, "L2": 30.0}, {"viscosity": 1.1, "lambda": 0.4, "L2": 12.0}],
    "white_metzner": [{"viscosity": 0.7, "lambda": 1.3, "time": 0.9, "a": 2.0, "n": 0.4}, {"viscosity": 1.1, "lambda": 0.4, "time": 3.0, "a": 1.4, "n": 1.2}],
    "johnson_segalman": [{"viscosity": 0.7, "lambda": 1.3, "xi": 0.1}, {"viscosity": 1.1, "lambda": 0.4, "xi": 0.35}],
}
CASE = {
    "case_name": "slit", "stabiliser": "split_oss", "bc_left_type": "inlet", "bc_left_profile": "developed", "bc_left_maximum_velocity": FASTEST, "bc_right_type": "outlet",
    "bc_top_type": "wall", "scheme_lumped_dt": 1e-5, "stop_steps": 1, "output_fields": "false",
}
SHAPES = {"slit": {"mesh_box_upper": "0.3,0.7", "mesh_box_faces": "2,12", "bc_bottom_type": "wall"},
          "tube": {"mesh_box_upper": f"0.3,{R}", "mesh_box_faces": "2,6", "bc_bottom_type": "symmetry", "form_axisymmetric": "true"}}


def steady(law):
    """tau(g) of one mode, components XX YY ZZ XY, by continuation from small rates."""
    def rate(t, g):
        y = law.rate(gradient("shear", g), np.array([[t[0], t[3], 0], [t[3], t[1], 0], [0, 0, t[2]]]))
        return [y[0, 0], y[1, 1], y[2, 2], y[0, 1]]

    @cache
    def at(g):
        if g * law.lam < 0.1:
            start = np.array([2 * law.eta * law.lam * g**2, 0, 0, law.eta * g])
        else:
            start = at(g / 1.3)
        found = root(rate, start, (g,), tol=1e-14)
        if not largest(np.abs(rate(found.x, g))) < 1e-10:
            raise run.Failure(f"{law}: no steady shear at {g}")
        return found.x
    return at


def carried(name, par, tau):
    """What a law without a linear spring carries: c of tau = (eta/lambda) (f c - a I) (FENE-P), (eta/lambda) f (c - I) (FENE-CR); f as in papers.py."""
    if name not in ("fene_p", "fene_cr"):
        return tau
    unit, scale, L2 = np.array([1, 1, 1, 0]), par["lambda"] / par["viscosity"], par["L2"]
    a = L2 / (L2 - 3)
    f = (L2 + scale / (a if name == "fene_p" else 1) * tau[:3].sum()) / (L2 - 3)
    return (scale * tau + a * unit) / f if name == "fene_p" else unit + scale * tau / f


def nodes(words, shape):
    """Distances from the middle and states of the nodes of the inlet, those at walls left out."""
    words = [w for key, value in {**CASE, **SHAPES[shape], **words}.items() for w in (f"-{key}", value)]
    result = run.rheoplex("run", *words, out=run.folder("profile"), timeout=60)
    x, state = result.checkpoint("positions"), result.checkpoint()
    r = x[:, 1] - (R if shape == "slit" else 0)
    at = (np.abs(x[:, 0]) < 1e-9) & (np.abs(r) < R - 1e-9)
    return r[at], state[at]


def profile(stress):
    """u(r) and g(r) of this fastest velocity, r >= 0."""
    def fall(g, wall):
        return R / stress(wall) * (wall * stress(wall) - g * stress(g) - quad(stress, g, wall, epsabs=1e-11, epsrel=1e-11, limit=400)[0])
    wall = brentq(lambda g: fall(0, g) - FASTEST, 0.5 * FASTEST / R, 40 * FASTEST / R, xtol=1e-12)
    def rate(r):
        return brentq(lambda g: stress(g) - stress(wall) * r / R, 0, wall, xtol=1e-14)
    return lambda r: fall(rate(r), wall), rate


def compare(gate, name, words, stress, modes):
    speed, rate = profile(stress)
    for shape in SHAPES if modes else ["slit"]:
        r, state = nodes(words, shape)
        gate.at_most(f"{name}, {shape}: velocity over the fastest", largest(abs(u - speed(abs(v))) / FASTEST for u, v in zip(state[:, 0], r)), 1e-6)
        if modes:
            n = (state.shape[1] - 3) // len(modes)
            keep = [0, 1, 3] if n == 3 else [0, 1, 2, 3]
            for k, tau in enumerate(modes):
                exact = np.array([tau(rate(abs(v)))[keep] for v in r]) * np.where(np.arange(n) == n - 1, -np.sign(r)[:, None], 1)
                got = state[:, 3 + k * n : 3 + (k + 1) * n]
                gate.at_most(f"{name}, {shape}: polymer of mode {k} over the largest", float(np.abs(got - exact).max() / np.abs(exact).max()), 1e-5)


def polymeric(gate, name, sets, form=None):
    words = {"physics": f"newtonian,{name}", "physics_newtonian_viscosity": SOLVENT, f"physics_{name}_modes": len(sets), "stabiliser": "devss,split_oss", "polymer_variable": "conformation" if name.startswith("fene") else "stress",
             "bc_left_polymer_at": "nodes", **{f"physics_{name}_{key}": ",".join(repr(s[key]) for s in sets) for key in sets[0]}, **({"physics_ptt_form": form} if form else {})}
    modes = [steady(POLYMERIC[name](**{**s, **({"form": form} if form else {})})) for s in sets]
    states = [lambda g, tau=tau, s=s: carried(name, s, tau(g)) for tau, s in zip(modes, sets)]
    compare(gate, f"{name} {form or ''}".strip(), words, lambda g: SOLVENT * g + sum(tau(g)[3] for tau in modes) if g > 0 else 0.0, states)


def main():
    gate = Gate("boundary_profile_laws")
    for name, par in VISCOUS_SETS.items():
        compare(gate, name, {"physics": name, **{f"physics_{name}_{key}": value for key, value in par.items()}}, lambda g, law=VISCOUS[name], par=par: g * law(g, **par) if g > 0 else 0.0, [])
    for name, sets in SETS.items():
        for form in ("linear", "exponential") if name == "ptt" else (None,):
            polymeric(gate, name, sets, form)
    return gate.finish()


sys.exit(main())
