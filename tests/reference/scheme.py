"""The equations and the schemes of share/doc, written a second time in numpy on full tensors: what a step has to give.

A flow is a dict: cell, faces, lower, upper; density, convection; solvent (name, parameters) or None; polymer: list of
laws.Polymer; variable; stabiliser: {name: options}; sides: {label: options}; force, source_velocity, source_pressure,
source_stress, velocity, pressure, stress: formulas; dt, stepper, pressure_by, eps, mass, rate; or scheme: midpoint, or
fractional_step with its integrator; steps: their lengths, if not dt."""
import re

import numpy as np
from elements import boundary, cells, interior
from laws import viscosity

# Butcher's tables: c, the rows of a and at last b.
TABLES = {"heun": ([0, 1], [[1], [1 / 2, 1 / 2]]),
          "ssp3": ([0, 1, 1 / 2], [[1], [1 / 4, 1 / 4], [1 / 6, 1 / 6, 2 / 3]]),
          "rk4": ([0, 1 / 2, 1 / 2, 1], [[1 / 2], [0, 1 / 2], [0, 0, 1], [1 / 6, 1 / 3, 1 / 3, 1 / 6]])}
PRIORITY = ["wall", "moving_wall", "inlet", "symmetry", "outlet"]
PLACE = {"left": (0, 0), "right": (0, 1), "bottom": (1, 0), "top": (1, 1), "back": (2, 0), "front": (2, 1)}


def indices(dim, ntens):
    """Pairs ij of the components of a symmetric tensor."""
    if dim == 2:
        return [(0, 0), (1, 1)] + [(2, 2)] * (ntens == 4) + [(0, 1)]
    return [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]


def formula(text, x, t):
    """Values [n][k] of comma-separated formulas at points x[n][dim]."""
    names = dict(zip("xyz", [x[..., d] for d in range(x.shape[-1])]), t=t, sin=np.sin, cos=np.cos, exp=np.exp)
    return np.stack([0 * x[..., 0] + eval(part.replace("^", "**"), {}, names) for part in text.split(",")], -1)


def ramp(t, length):
    return 1.0 if t >= length else 0.0 if t <= 0 else (1 - np.cos(np.pi * t / length)) / 2


def functions(s, f):
    """f of the eigenvalues of symmetric tensors."""
    w, v = np.linalg.eigh(s)
    return np.einsum("...ik,...k,...jk->...ij", v, f(w), v)


def log_derivative(c, dc):
    """Derivative of log c along dc: divided differences of log in the eigenbasis."""
    w, v = np.linalg.eigh(c)
    a, b = w[..., :, None], w[..., None, :]
    near = np.abs(a - b) < 1e-7 * a
    d = np.where(near, 2 / (a + b), (np.log(a) - np.log(b)) / np.where(near, 1, a - b))
    return v @ (d * (np.swapaxes(v, -1, -2) @ dc @ v)) @ np.swapaxes(v, -1, -2)


class Flow:
    def __init__(self, spec, x):
        self.s, self.x = spec, x
        self.n, self.dim = x.shape
        self.polymer = spec.get("polymer", [])
        self.ntens = 6 if self.dim == 3 else 4 if any(m.name.startswith("fene") for m in self.polymer) else 3
        self.m = 2 if self.ntens == 3 else 3
        self.pairs = indices(self.dim, self.ntens)
        self.stab = spec["stabiliser"]
        lists = cells(spec["cell"], spec["faces"])
        self.groups = [interior(kind, conn, x) for kind, conn in lists.items()]
        self.low, self.high = x.min(0), x.max(0)
        self.on = {label: x[:, d] == (self.high if upper else self.low)[d] for label, (d, upper) in PLACE.items() if d < self.dim}
        self.outlets = [(label, boundary(kind, conn, x, self.on[label])) for label, c in spec["sides"].items() if c["type"] == "outlet" for kind, conn in lists.items()]
        self.row = self.row_mass()
        self.mass = self.row if spec.get("mass", "row_sum") == "row_sum" else self.diagonal_mass()
        self.scale = [self.modulus(k) if spec["variable"] == "stress" else 1.0 for k in range(len(self.polymer))]
        self.K = np.zeros((self.n, self.n))
        for p in self.groups:
            k = np.einsum("eqai,eqbi,eq->eab", p.G, p.G, p.w)
            np.add.at(self.K, (p.conn[:, :, None], p.conn[:, None, :]), k)
        self.Mc = np.zeros((self.n, self.n))
        for p in self.groups:
            np.add.at(self.Mc, (p.conn[:, :, None], p.conn[:, None, :]), np.einsum("qa,qb,eq->eab", p.N, p.N, p.w))
        self.conditions()
        self.normal = np.zeros((self.n, self.dim))  # integral of N n where the pressure is in the traction alone
        for label, points in self.outlets:
            for p in points if self.open(label) else []:
                p.add(self.normal, f0=p.n)
        self.levels, self.risen = None, False  # times of the pressure that a step begins with, and of that which it finds; is it found?
        self.rises = any(self.open(label) and re.search(r"\bt\b", c.get("pressure", "")) for label, c in spec["sides"].items() if c["type"] == "outlet")
        self.lacked = np.zeros(self.n)  # of the balance of continuity, by the last step
        self.part = (4 if self.tracked() else 2) * np.sum(self.normal**2, 1) / self.row
        self.K += np.diag(self.part)

    def open(self, label):
        return self.s["sides"][label].get("pressure_at") == "traction"

    def row_mass(self):
        out = np.zeros(self.n)
        for p in self.groups:
            p.add(out, f0=np.ones(p.w.shape))
        return out

    def inverse_diameter(self):
        """Mean over the elements around each node."""
        sums = np.zeros((2, self.n))
        for p in self.groups:
            x = self.x[p.conn]
            d = np.linalg.norm(x[:, :, None] - x[:, None], axis=-1).max(axis=(1, 2))
            np.add.at(sums[0], p.conn, (1 / d)[:, None])
            np.add.at(sums[1], p.conn, 1)
        return sums[0] / sums[1]

    def diagonal_mass(self):
        out = np.zeros(self.n)
        for p in self.groups:
            m = np.einsum("qa,eq->ea", p.N**2, p.w)
            np.add.at(out, p.conn, m / m.sum(1, keepdims=True) * p.w.sum(1)[:, None])
        return out

    def modulus(self, k):
        return float(self.polymer[k].properties(np.eye(self.m), np.array(0.0))[2])

    def components(self, tensors):
        return np.stack([tensors[..., i, j] for i, j in self.pairs], -1)

    def tensors(self, components):
        out = np.zeros(components.shape[:-1] + (self.m, self.m))
        for k, (i, j) in enumerate(self.pairs):
            out[..., i, j] = out[..., j, i] = components[..., k]
        return out

    # ---- Conditions ----

    def conditions(self):
        self.winner, self.planes, self.fixed = np.full(self.n, None), {}, np.zeros(self.n, bool)
        for label, c in self.s["sides"].items():
            for i in np.flatnonzero(self.on[label]):
                if self.winner[i] is None or PRIORITY.index(c["type"]) < PRIORITY.index(self.s["sides"][self.winner[i]]["type"]):
                    self.winner[i] = label
            if c["type"] == "symmetry":
                self.planes[label] = PLACE[label][0]
            if (c["type"] == "outlet" or "pressure" in c) and not self.open(label):
                self.fixed |= self.on[label]

    def impose(self, y, t, velocity=True, pressure=True, modes=True):
        u, p, s = y
        sides = self.s["sides"]
        for label, c in sides.items():
            mine, r = self.winner == label, ramp(t, c.get("ramp", 0))
            if velocity and c["type"] == "wall":
                u[mine] = 0
            if velocity and c["type"] in ("moving_wall", "inlet"):
                u[mine] = r * formula(c["velocity"], self.x[mine], t)
            if pressure and (c["type"] == "outlet" or "pressure" in c) and not self.open(label):
                p[self.on[label]] = formula(c.get("pressure", "0"), self.x[self.on[label]], self.levels[1] if self.levels and c["type"] == "outlet" else t)[:, 0]
        given = np.zeros(self.n, bool)
        for label, c in sides.items():
            if modes and c["type"] == "inlet" and "stress" in c:
                given |= self.on[label]
                for k, text in enumerate(c["stress"].split(";")[: len(s)]):
                    rest = np.zeros((self.m, self.m)) if self.s["variable"] != "conformation" else np.eye(self.m)
                    value = self.tensors(formula(text, self.x[self.on[label]], t))
                    s[k][self.on[label]] = rest + ramp(t, c.get("ramp", 0)) * (value - rest)
        for label, d in self.planes.items():
            on = self.on[label]
            if velocity:
                free = on & np.array([sides[w]["type"] not in ("wall", "moving_wall", "inlet") for w in np.where(on, self.winner, label)])
                u[free, d] = 0
            for k in range(len(s) if modes else 0):
                self.mirror(s[k], on & ~given, d)

    def mirror(self, tensor, on, d):
        """Components with one index d vanish."""
        for e in range(self.dim):
            if e != d:
                tensor[on, d, e] = tensor[on, e, d] = 0

    # ---- Values at points ----

    def at(self, p, y, rates, t, dt, source):
        """Flow and modes at the points of p, with the Galerkin terms."""
        u, pr, s = y
        spec, rho = self.s, self.s["density"]
        a = type("At", (), {})()
        a.p, a.dt, a.u, a.pressure, a.gp, a.gu = p, dt, p.value(u), p.value(pr), p.slope(pr), p.slope(u)
        a.conv = spec.get("convection", 1.0) * np.einsum("eqij,eqj->eqi", a.gu, a.u)
        a.f, a.fp = p.value(source[0]), p.value(source[1])
        a.rc = np.trace(a.gu, axis1=2, axis2=3) - a.fp
        a.ugu = np.einsum("eqi,eqij,eqj->eq", a.u, p.g, a.u)
        a.L = np.zeros(a.rc.shape + (self.m, self.m))
        a.L[..., : self.dim, : self.dim] = a.gu
        a.D = (a.L + np.swapaxes(a.L, -1, -2)) / 2
        a.rate = np.sqrt(2 * (a.D**2).sum((-1, -2)))
        a.eta_s = viscosity(*spec["solvent"], a.rate) if spec.get("solvent") else 0 * a.rate
        a.eta_p, a.tau, a.div_tau, a.modes, a.wi = 0 * a.rate, 0 * a.L, 0 * a.u, [], 0 * a.rate
        linear = all(not m.name.startswith("fene") for m in self.polymer) and spec["variable"] != "logconf"
        for k, law in enumerate(self.polymer):
            m = self.mode(a, law, k, p.value(s[k]), p.slope(s[k]), p.value(rates[1][k]), p.value(source[2][k]))
            a.modes.append(m)
            a.eta_p, a.tau, a.wi = a.eta_p + m.eta_p, a.tau + m.tau, np.maximum(a.wi, m.lam * a.rate)
            if linear:
                scale = 1 if spec["variable"] == "stress" else m.G[..., None]
                a.div_tau = a.div_tau + scale * np.einsum("eqijj->eqi", m.gs[..., : self.dim, : self.dim, :])
        a.rm = rho * (p.value(rates[0]) + a.conv) + a.gp - a.div_tau - a.f
        a.f0u = rho * a.conv - a.f
        unit = np.eye(self.dim)
        a.f1u = a.eta_s[..., None, None] * (a.gu + np.swapaxes(a.gu, 2, 3) - a.rc[..., None, None] * unit)
        a.f1u += a.tau[..., : self.dim, : self.dim] - a.pressure[..., None, None] * unit
        a.f1p = 0 * a.gp
        return a

    def mode(self, a, law, k, s, gs, st, src):
        m, unit, variable = type("Mode", (), {})(), np.eye(self.m), self.s["variable"]
        if variable == "stress":
            m.eta_p, m.lam, m.G = law.properties(unit + 0 * s, a.rate)
            c = unit + s / m.G[..., None, None]
            m.tau = s
        else:
            c = functions(s, np.exp) if variable == "logconf" else s
            m.eta_p, m.lam, m.G = law.properties(c, a.rate)
            m.tau = law.stress(c, a.rate)
        m.gs, m.conv = gs, np.einsum("eqijk,eqk->eqij", gs, a.u)
        L = a.L - law.xi * a.D
        change = law.rate(c, a.rate) - L @ c - c @ np.swapaxes(L, -1, -2)
        if variable == "stress":
            change = m.G[..., None, None] * change
        elif variable == "logconf":
            change = log_derivative(c, change)
        m.f0 = m.conv + change - src
        m.rs = m.f0 + st
        m.f1 = 0 * gs
        return m

    # ---- Stabilisers ----

    def tau1(self, a, transient, ugu):
        rho = self.s["density"]
        return 1 / (4 * (a.eta_s + a.eta_p) * a.p.ih2 + rho * self.s.get("convection", 1.0) * np.sqrt(ugu) + (rho / a.dt if transient else 0))

    def pressure_tau(self, a, ugu):
        for name in ("gls", "split_oss"):
            o = self.stab.get(name)
            if o is not None and "pressure" in o.get("parts", "momentum,pressure,divergence,tensor"):
                return o["tau"] + 0 * a.rate if isinstance(o.get("tau"), float) else self.tau1(a, o.get("tau") == "transient", ugu)
        return 0 * a.rate

    def stabilise(self, a, aux):
        rho, oss, gls, devss = self.s["density"], self.stab.get("split_oss"), self.stab.get("gls"), self.stab.get("devss")
        tau1, e = self.pressure_tau(a, a.ugu), Ellipsis
        if devss:
            G = a.p.value(aux["gradient"])
            twice = a.gu - G
            a.f1u += devss["theta"] * a.eta_p[e, None, None] * (twice + np.swapaxes(twice, 2, 3))
        if oss is not None:
            parts = oss.get("parts", "pressure,momentum,tensor")
            if "pressure" in parts:
                a.f1p = a.f1p + tau1[e, None] * (a.gp - a.p.value(aux["gp"]))
            if "momentum" in parts:
                viscous = 2 * (a.eta_s + a.eta_p) / rho * np.trace(a.p.g, axis1=2, axis2=3)
                weight = rho / np.sqrt(a.ugu + viscous**2)
                a.f1u += np.einsum("eq,eqi,eqj->eqij", weight, a.conv - a.p.value(aux["conv"]), a.u)
            for k, m in enumerate(a.modes if "tensor" in parts else []):
                alpha = 1 / np.sqrt(1 / m.lam**2 + a.ugu)
                m.f1 = m.f1 + np.einsum("eq,eqij,eqk->eqijk", alpha, m.conv - a.p.value(aux["modes"][k]), a.u)
        if gls is not None:
            self.gls(a, gls)

    def gls(self, a, o):
        rho, parts, transient = self.s["density"], o.get("parts", "momentum,pressure,divergence,tensor"), o.get("tau") == "transient"
        tau1, full = self.tau1(a, transient, a.ugu), o.get("weighting", "full") == "full"
        upwind = 1 / np.sqrt((2 / a.dt) ** 2 + a.ugu)
        if "momentum" in parts:
            weight, what = (rho * self.s.get("convection", 1.0) * tau1, a.rm) if full else (rho * upwind, a.conv)
            a.f1u += np.einsum("eq,eqi,eqj->eqij", weight, what, a.u)
        if "pressure" in parts:
            a.f1p = a.f1p + tau1[..., None] * a.rm
        if "divergence" in parts:
            a.f1u += (a.rc / (4 * tau1 * a.p.ih2))[..., None, None] * np.eye(self.dim)
        for m in a.modes if "tensor" in parts else []:
            alpha = 1 / np.sqrt((1 / m.lam + (2 / a.dt if transient else 0)) ** 2 + a.ugu) if full else upwind
            m.f1 = m.f1 + np.einsum("eq,eqij,eqk->eqijk", alpha, m.rs if full else m.conv, a.u)

    # ---- The scheme ----

    def sources(self, t):
        s, x = self.s, self.x
        f = formula(s["force"], x, t) if "force" in s else np.zeros((self.n, self.dim))
        if "source_velocity" in s:
            f = f + formula(s["source_velocity"], x, t)
        fp = formula(s["source_pressure"], x, t)[:, 0] if "source_pressure" in s else np.zeros(self.n)
        texts = s["source_stress"].split(";") if "source_stress" in s else [",".join("0" * self.ntens)] * len(self.polymer)
        return f, fp, [self.tensors(formula(text, x, t)) for text in texts[: len(self.polymer)]]

    def project(self, at):
        """Lumped L2 projections of what the stabilisers ask for, those of split_oss corrected by the consistent mass, with the planes' conditions."""
        out = {"gradient": np.zeros((self.n, self.dim, self.dim)), "gp": np.zeros((self.n, self.dim)), "conv": np.zeros((self.n, self.dim)),
               "modes": [np.zeros((self.n, self.m, self.m)) for _ in self.polymer]}
        for a in at:
            for name, value in (("gradient", a.gu), ("gp", a.gp), ("conv", a.conv)):
                a.p.add(out[name], f0=value)
            for k, m in enumerate(a.modes):
                a.p.add(out["modes"][k], f0=m.conv)
        for v in [out["gradient"], out["gp"], out["conv"], *out["modes"]]:
            v /= self.row.reshape((-1,) + (1,) * (v.ndim - 1))
        self.mirror_projections(out)
        oss = lambda: [out["gp"], out["conv"], *out["modes"]]
        once = [v.copy() for v in oss()]
        for _ in range(self.stab.get("split_oss", {}).get("projection_corrections", 2 if self.s.get("scheme") == "fractional_step" else 0)):
            for v, first in zip(oss(), once):
                v += first - np.tensordot(self.Mc, v, 1) / self.row.reshape((-1,) + (1,) * (v.ndim - 1))
            self.mirror_projections(out)
        return out

    def mirror_projections(self, out):
        for label, d in self.planes.items():
            for name in ("gp", "conv"):
                out[name][self.on[label], d] = 0
            for v in [out["gradient"], *out["modes"]]:
                self.mirror(v, self.on[label], d)

    def outlet(self, label, p, y, t, dt, source, out):
        c, dim = self.s["sides"][label], self.dim
        a = self.at(p, y, ([np.zeros_like(y[0])][0], [np.zeros_like(s) for s in y[2]]), t, dt, source)
        f = np.einsum("eq,eqi->eqi", formula(c.get("pressure", "0"), p.x, self.levels[self.risen] if self.levels else t)[..., 0], p.n)
        if c.get("form", "gradient") == "gradient":
            f = f + a.eta_s[..., None] * (a.rc[..., None] * p.n - np.einsum("eqji,eqj->eqi", a.gu, p.n))
        if "velocity" in c:
            for law in self.polymer:
                f = f - np.einsum("eqij,eqj->eqi", self.developed(law, p.x, c, t)[..., :dim, :dim], p.n)
        p.add(out, f0=f)

    def developed(self, law, x, c, t):
        """Oldroyd-B's steady stress in a unidirectional flow, L.L = 0: tau = eta_p (2 D + 2 lambda L L^T)."""
        h, L = 1e-4, np.zeros(x.shape[:-1] + (self.m, self.m))
        for j in range(self.dim):
            shift = h * np.eye(self.dim)[j]
            L[..., : self.dim, j] = (formula(c["velocity"], x + shift, t) - formula(c["velocity"], x - shift, t)) / (2 * h) * ramp(t, c.get("ramp", 0))
        LT = np.swapaxes(L, -1, -2)
        return law.p["viscosity"] * (L + LT + 2 * law.p["lambda"] * L @ LT)

    def residual(self, y, rates, t, dt, held=None):
        """held: the state whose projections it has, if not y."""
        source = self.sources(t)
        if self.s.get("rate", "lagged") == "zero" or rates is None:
            rates = (np.zeros_like(y[0]), [np.zeros_like(s) for s in y[2]])
        at = [self.at(p, y, rates, t, dt, source) for p in self.groups]
        aux = self.project(at if held is None else [self.at(p, held, rates, t, dt, source) for p in self.groups])
        ru, rp, rs = np.zeros((self.n, self.dim)), np.zeros(self.n), [np.zeros((self.n, self.m, self.m)) for _ in self.polymer]
        for a in at:
            self.stabilise(a, aux)
            a.p.add(ru, a.f0u, a.f1u)
            a.p.add(rp, a.rc, a.f1p)
            for k, m in enumerate(a.modes):
                a.p.add(rs[k], m.f0, m.f1)
        for label, points in self.outlets:
            for p in points:
                self.outlet(label, p, y, t, dt, source, ru)
        self.tau0 = max(float(self.pressure_tau(a, 0 * a.ugu).max()) for a in at) / 2
        self.wi = max(float(a.wi.max()) for a in at)
        return ru, rp, rs

    def divergence(self, v):
        out = np.zeros(self.n)
        for p in self.groups:
            p.add(out, f0=np.trace(p.slope(v), axis1=2, axis2=3))
        return out

    def gradient(self, q):
        out = np.zeros((self.n, self.dim))
        for p in self.groups:
            p.add(out, f0=p.slope(q))
        return out - self.normal * q[:, None]

    def rise(self):
        """Of the pressure behind outlets that have it in their traction, over the step; once."""
        out = np.zeros(self.n)
        for label, c in self.s["sides"].items():
            if self.levels and not self.risen and c["type"] == "outlet" and self.open(label):
                x = self.x[self.on[label]]
                out[self.on[label]] = (formula(c.get("pressure", "0"), x, self.levels[1]) - formula(c.get("pressure", "0"), x, self.levels[0]))[:, 0]
        return out

    def solve(self, b, value):
        """K q = b with q = value at the fixed nodes."""
        free, q = ~self.fixed, np.where(self.fixed, value, 0.0)
        q[free] = np.linalg.solve(self.K[np.ix_(free, free)], (b - self.K @ q)[free])
        return q

    def correct(self, r, dt):
        """The residual of which M^-1 r are rates corrected by the consistent mass."""
        (u, p, s), t = self.start
        rho, m, (ru, rp, rs) = self.s["density"], self.mass[:, None], r
        for _ in range(self.s.get("mass_corrections", 1 if self.s.get("scheme") == "fractional_step" else 0)):
            new = (u - dt / (rho * m) * ru, p.copy(), [a - dt / m[..., None] * b for a, b in zip(s, rs)])
            self.impose(new, t + dt, pressure=False)
            ru = ru + r[0] + rho * self.Mc @ (new[0] - u) / dt
            rs = [a + b + np.tensordot(self.Mc, c - d, 1) / dt for a, b, c, d in zip(rs, r[2], new[2], s)]
        return ru, rp, rs

    def euler(self, y, rates, t, dt, first, base=None, end=None):
        """From base by the rates of y at t, over dt, to given values of `end`; the pressure's increment is over that of y."""
        (u, p, _), base, end = y, base or y, t + dt if end is None else end
        rho, m = self.s["density"], self.mass[:, None]
        ru, rp, rs = self.correct(self.residual(y, rates, t, dt), dt)
        if first:
            self.first = self.tau0, self.wi, float(np.abs(rp / self.row)[~self.fixed].max())
        new = (base[0] - dt / (rho * m) * ru, p.copy(), [a - dt / m[..., None] * r for a, r in zip(base[2], rs)])
        self.impose(new, end, pressure=False)
        given = (u.copy(), p.copy(), [])
        self.impose(given, end, velocity=False, modes=False)
        if self.s.get("pressure_by", "projection") == "projection":
            rise, (follow, lead) = self.rise(), self.subscales(dt)
            dp = self.solve(-(self.divergence(new[0] - u) + follow * rp - (1 - follow) * self.lacked) / (dt / rho + lead) + self.part * rise, given[1] - p)
            lost = dt / (rho * m) * (self.gradient(dp) + self.normal * rise[:, None])
            new = (new[0] - lost, p + dp, new[2])
            if self.tracked():
                self.lacked = dt / rho * (self.K @ dp - self.part * rise) + self.divergence(np.where(self.given(y, end)[0], 0, lost))
            self.risen = True
        else:
            new = (new[0], self.solve(-rho / self.s["eps"] * self.divergence(new[0]), given[1]), new[2])
        self.impose(new, end, modes=False)
        return new

    def tracked(self):
        default = "tracked" if self.s.get("scheme") == "fractional_step" else "instant"
        return self.s.get("pressure_by", "projection") == "projection" and self.s.get("subscales", default) == "tracked"

    def subscales(self, dt):
        """The part of R_p that is followed in a step, and what joins dt/rho."""
        return (1 - np.exp(-dt / (2 * self.s["density"] * self.first[0])), 0) if self.tracked() else (1, self.first[0])

    def settle(self, y, t, dt):
        """What the velocity of a start lacks for continuity with the pressure there, four times; tracked subscales begin with that."""
        (u, p, s), rho, m = y, self.s["density"], self.mass[:, None]
        for _ in range(48 if self.normal.any() else 4):
            rp = self.residual((u, p, s), None, t, dt)[1]
            given = (u.copy(), p.copy(), [])
            self.impose(given, t, velocity=False, modes=False)
            u = u - dt / (rho * m) * self.gradient(self.solve(-rp / (dt / rho), given[1] - p))
            self.impose((u, p, s), t, pressure=False, modes=False)
        return u, p, s

    def fractional(self, y, rates, t, dt):
        """Stages with the pressure of y, then its one increment, to the pressure of t + dt/2."""
        (u, p, s), rho, m, x, found = y, self.s["density"], self.mass[:, None], y, []
        c, rows = TABLES[self.s["integrator"]]
        for time, end, row in zip(c, c[1:] + [1], rows):
            found.append(self.correct(self.residual(x, rates, t + time * dt, dt), dt))
            if len(found) == 1:
                self.first = self.tau0, self.wi, float(np.abs(found[0][1] / self.row)[~self.fixed].max())
            add = lambda take: sum(w * take(r) for w, r in zip(row, found))
            x = (u - dt / (rho * m) * add(lambda r: r[0]), p.copy(), [a - dt / m[..., None] * add(lambda r, k=k: r[2][k]) for k, a in enumerate(s)])
            self.impose(x, t + end * dt, pressure=False)
        given = (u.copy(), p.copy(), [])
        self.impose(given, t + dt / 2, velocity=False, modes=False)
        follow, lead = self.subscales(dt)
        rise = self.rise()
        dp = self.solve(-(self.divergence(x[0] - u) + follow * found[0][1] - (1 - follow) * self.lacked) / (dt / rho + lead) + self.part * rise, given[1] - p)
        lost = dt / (rho * m) * (self.gradient(dp) + self.normal * rise[:, None])
        new = (x[0] - lost, p + dp, x[2])
        if self.tracked():
            self.lacked = dt / rho * (self.K @ dp - self.part * rise) + self.divergence(np.where(self.given(y, t + dt)[0], 0, lost))
        self.impose(new, t + dt, pressure=False, modes=False)
        return new

    def implicit(self, at):
        """Matrix of rho u.grad, viscosity as a Laplacian and the split OSS term of convection, for one component."""
        out, rho, a = np.zeros((self.n, self.n)), self.s["density"], self.s.get("convection", 1.0)
        symmetric = any(c["type"] == "outlet" and c.get("form") == "symmetric" for c in self.s["sides"].values())
        factor = 1.5 if symmetric or self.s["solvent"][0] != "newtonian" else 1.0
        share = self.stab.get("devss", {}).get("theta", 0)
        for v in at:
            p, along = v.p, np.einsum("eqai,eqi->eqa", v.p.G, v.u)
            k = np.einsum("qa,eqb,eq->eab", p.N, rho * a * along, p.w) + np.einsum("eqai,eqbi,eq->eab", p.G, p.G, p.w * (v.eta_s + share * v.eta_p) * factor)
            if "momentum" in self.stab["split_oss"].get("parts", "momentum"):
                weight = rho / np.sqrt(v.ugu + (2 * (v.eta_s + v.eta_p) / rho * np.trace(p.g, axis1=2, axis2=3)) ** 2)
                k = k + np.einsum("eqa,eqb,eq->eab", along, along, p.w * weight * a)
            np.add.at(out, (p.conn[:, :, None], p.conn[:, None, :]), k)
        return out

    def given(self, y, t):
        """Which values of velocity and modes are given: those that impose changes to the same."""
        one, other = ((sign * np.ones_like(y[0]), y[1].copy(), [sign * np.ones_like(a) for a in y[2]]) for sign in (1, -1))
        for v in one, other:
            self.impose(v, t, pressure=False)
        return one[0] == other[0], [a == b for a, b in zip(one[2], other[2])]

    def relaxation(self, k, v, s):
        """Rate at which the law of mode k takes its unknown back: of c along itself, and in log c of c^-1 times that less the rate."""
        law, h, size = self.polymer[k], 2.0**-10, lambda a: np.linalg.norm(a, axis=(-2, -1))
        c = self.conformation(k, s)
        r = law.rate(c, v.rate)
        change = (law.rate((1 + h) * c, v.rate) - r) / h
        if self.s["variable"] != "logconf":
            return size(change) / size(c)
        T = np.linalg.solve(c, change - r)
        return size(T @ T) / size(T)

    def transport(self, y, star, end, dt, dt_before, w):
        """Modes by their own BDF2: (l/dt M + u.grad + a + OSS) (s+ - s*) = -(R(s*) + M s_t(s*)), component by component; again from s+, with the same
        matrix where there is one mode. Their velocity is a part of the way to the parabola through the last three."""
        s = y[2]
        old = s if not w else self.old
        velocity = star[0].copy()
        if len(self.past) == 3:
            (a, ua), (b, ub), (c, uc) = self.past
            parabola = ua * (end - b) * (end - c) / ((a - b) * (a - c)) + ub * (end - a) * (end - c) / ((b - a) * (b - c)) + uc * (end - a) * (end - b) / ((c - a) * (c - b))
            velocity += self.s.get("bend", 0) * (parabola - velocity)
        star = (velocity, star[1], [a + w * (a - b) for a, b in zip(s, old)])
        self.impose(star, end, pressure=False)
        single = self.advance(y, self.advance(y, star, star, old, end, dt, dt_before, w), star, old, end, dt, dt_before, w) if len(s) == 1 else None
        return single or self.advance(y, *2 * [self.advance(y, star, star, old, end, dt, dt_before, w)], old, end, dt, dt_before, w)

    def advance(self, y, star, about, old, end, dt, dt_before, w):
        """One pass from `star`, the matrix that of `about`."""
        (_, _, s), lead, late = y, (1 + 2 * w) / (1 + w), w / (1 + w)
        rs, (_, given) = self.residual(star, None, end, dt / lead)[2], self.given(y, end)
        at = [self.at(q, about, (0 * star[0], [0 * a for a in s]), end, dt / lead, self.sources(end)) for q in self.groups]
        new = []
        for k, x in enumerate(star[2]):
            A = lead / dt * self.Mc
            for v in at:
                p, along, a = v.p, np.einsum("eqai,eqi->eqa", v.p.G, v.u), self.relaxation(k, v, v.p.value(about[2][k]))
                alpha = 1 / np.sqrt(1 / v.modes[k].lam ** 2 + v.ugu) * ("tensor" in self.stab["split_oss"].get("parts", "tensor"))
                e = np.einsum("qa,eqb,eq->eab", p.N, along, p.w) + np.einsum("qa,qb,eq->eab", p.N, p.N, p.w * a) + np.einsum("eqa,eqb,eq->eab", along, along, p.w * alpha)
                np.add.at(A, (p.conn[:, :, None], p.conn[:, None, :]), e)
            right = -rs[k] - np.tensordot(self.Mc, lead / dt * (x - s[k]) - (late / dt_before * (s[k] - old[k]) if w else 0), 1)
            change = np.zeros_like(x)
            for i, j in self.pairs:
                rows = ~given[k][:, i, j]
                change[rows, i, j] = np.linalg.solve(A[np.ix_(rows, rows)], right[rows, i, j])
                change[:, j, i] = change[:, i, j]
            new.append(x + change)
        return star[0], star[1], new

    def bdf2(self, y, before, t, dt, dt_before):
        """Every component by itself: (l rho/dt M + A) u^ = rho M (l u* - dt u_t(u*))/dt + A u* - R(u*, p), u_t of the divided differences."""
        (u, p, s), rho, m, end = y, self.s["density"], self.mass[:, None], t + dt
        w = 0.0 if before is None else dt / dt_before
        lead = (1 + 2 * w) / (1 + w)
        old = u if before is None else before
        star, found = (u + w * (u - old), p.copy(), s), []
        explicit = ((y, t), (star, end)) if self.s.get("polymer_by", "heun") == "heun" else ()
        for x, time in explicit:  # modes, by Heun
            self.impose(star, end, pressure=False, modes=False)
            found.append(self.residual(x if x is y else star, None, time, dt)[2])
            star = (star[0], star[1], [a - dt / m[..., None] * sum(r[k] for r in found) / len(found) for k, a in enumerate(s)])
            self.impose(star, end, pressure=False)
        if not explicit:
            self.past = [*(self.past if before is not None else []), (t, u)][-3:]
            star = (star[0], star[1], self.transport(y, star, end, dt, dt_before, w)[2])
            self.impose(star, end, pressure=False)
        self.old = s
        reach = 6 * (dt * self.inverse_diameter() * np.linalg.norm(star[0], axis=1)) ** 2
        held = (star[0] - (reach / (1 + reach))[:, None] * w * (u - old), star[1], star[2])
        self.impose(held, end, pressure=False, modes=False)
        ru, rp, _ = self.residual(star, None, end, dt / lead, held)
        self.first = self.tau0, self.wi, float(np.abs(rp / self.row)[~self.fixed].max())
        A, M = self.implicit([self.at(q, star, (0 * u, [0 * a for a in s]), end, dt / lead, self.sources(end)) for q in self.groups]), np.zeros((self.n, self.n))
        for q in self.groups:
            np.add.at(M, (q.conn[:, :, None], q.conn[:, None, :]), np.einsum("qa,qb,eq->eab", q.N, q.N, q.w))
        right = rho / dt * M @ ((1 + w) * u - w * w / (1 + w) * old) + A @ star[0] - ru
        (given, _), hat = self.given(y, end), star[0].copy()
        for d in range(self.dim):
            rows, full = ~given[:, d], lead * rho / dt * M + A
            hat[rows, d] = np.linalg.solve(full[np.ix_(rows, rows)], right[rows, d] - full[np.ix_(rows, ~rows)] @ star[0][~rows, d])
        told = (u.copy(), p.copy(), [])
        self.impose(told, end, velocity=False, modes=False)
        b, tracked, rise = dt / (lead * rho), self.s.get("subscales", "tracked") == "tracked", self.rise()
        if not tracked:
            dp = self.solve(-(self.divergence(hat - star[0]) + rp) / (b + self.first[0]) + self.part * rise, told[1] - p)
        else:
            slowest = 1 / (2 * rho * self.first[0])
            rate = slowest + 0.7 * ~self.fixed * self.inverse_diameter() * np.linalg.norm(star[0], axis=1)
            around = np.where(self.fixed | self.fixed[:, None], 0, self.Mc / self.row)
            around = np.diag(around.sum(0)) - around  # over nodes of free pressure, its columns have the sum 0
            part = lambda of: of(slowest) * np.eye(self.n) + around * (of(rate) - of(slowest))
            F, S, lacked = part(lambda r: 1 - np.exp(-r * dt)), rp - self.divergence(star[0]), 0 * p
            start = rp - self.divergence(star[0] - u)  # R_p(u, p)
            if before is not None:  # what of e, that the balance of the last step lacked, is handed on; its pressure's change that of this step's length
                share = min(1, dt / dt_before)
                x, last, rose = lambda r: dt_before * r, share * self.b / b * self.dp, share * self.b / b * self.rose
                balance = b * (self.K @ last - self.part * rose) + self.divergence(np.where(given, 0, b / m * (self.gradient(last) + self.normal * rose[:, None])))
                lacked = balance - F @ balance - share * part(lambda r: np.exp(-r * dt) * (1 - (1 - np.exp(-x(r))) / x(r))) @ (S - self.S)
            dp = self.solve(-(self.divergence(hat - u) + F @ start - lacked) / b + self.part * rise, told[1] - p)
            self.dp, self.S, self.b, self.rose = dp, S, b, rise
        new = (hat - b / m * (self.gradient(dp) + self.normal * rise[:, None]), p + dp, star[2])
        self.impose(new, end, pressure=False, modes=False)
        return new

    def step(self, y, rates, t, dt):
        self.start = y, t
        if self.s.get("scheme") == "fractional_step":
            return self.fractional(y, rates, t, dt)
        if self.s.get("scheme") == "midpoint":
            half = self.euler(y, rates, t, dt / 2, True)
            return self.euler(half, rates, t + dt / 2, dt, False, y, t + dt)
        subscales = -self.divergence(y[0]) - self.lacked
        new = self.euler(y, rates, t, dt, True)
        if self.s.get("stepper") == "heun":
            z = self.euler(new, rates, t + dt, dt, False)
            new = ((y[0] + z[0]) / 2, z[1], [(a + b) / 2 for a, b in zip(y[2], z[2])])
            self.impose(new, t + dt)
            self.lacked = -(subscales - self.divergence(z[0]) - self.lacked) / 2 - self.divergence(new[0])
        return new

    def run(self, steps):
        """State and rate after the steps, [n][block] each, and figures of the last step."""
        s, x, dt = self.s, self.x, self.s["dt"]
        modes = [self.tensors(formula(text, x, 0)) for text in s["stress"].split(";")[: len(self.polymer)]] if self.polymer else []
        y, t, rates = (formula(s["velocity"], x, 0), formula(s["pressure"], x, 0)[:, 0], modes), 0.0, None
        self.impose(y, 0)
        before, last, sizes = None, None, s.get("steps", [dt] * steps)
        if self.tracked():
            y = self.settle(y, 0.0, sizes[0])
        lags = 0.5 * (s.get("scheme") == "fractional_step" and s.get("integrator") != "bdf2")
        for dt in sizes:
            self.levels, self.risen = (t - lags * (last or 0), t + (1 - lags) * dt), False
            self.lacked = min(1, dt / (last or dt)) * self.lacked  # of which a shorter step takes over no more
            new = self.bdf2(y, before, t, dt, last) if s.get("integrator") == "bdf2" else self.step(y, rates, t, dt)
            before, last = y[0], dt
            rates = ((new[0] - y[0]) / dt, [(b - a) / dt for a, b in zip(y[2], new[2])])
            rate_p = (new[1] - y[1]) / dt
            y, t = new, t + dt
        block = lambda u, p, modes: np.concatenate([u, p[:, None]] + [self.components(m) for m in modes], 1)
        figures = {"wi": self.first[1], "continuity_residual": self.first[2], "du_dt": float(np.linalg.norm(rates[0], axis=1).max()),
                   "dc_dt": max((float(np.linalg.norm(self.components(r), axis=1).max() / g) for r, g in zip(rates[1], self.scale)), default=0.0)}
        if self.polymer:
            figures["min_eigenvalue"] = min(float(np.linalg.eigvalsh(self.conformation(k, c)).min()) for k, c in enumerate(y[2]))
        return block(*y), block(rates[0], rate_p, rates[1]), figures

    def conformation(self, k, s):
        variable = self.s["variable"]
        return np.eye(self.m) + s / self.scale[k] if variable == "stress" else functions(s, np.exp) if variable == "logconf" else s
