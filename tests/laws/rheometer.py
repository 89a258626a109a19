"""The rheometer on one law: steady and start-up shear and extension, moduli, relaxation, against closed forms where they
exist and everywhere against the paper's equation in the stress, integrated here. Arguments: law, then parameter=value; the
stresses agree to 1e-8 of their largest value. Without arguments: sums of laws and modes, viscous laws."""
import math
import sys

import closed
import numpy as np
from gate import Gate, largest
from papers import POLYMERIC, VISCOUS, gradient, integrate
from run import folder, rheoplex, table
from scipy.linalg import expm
from scipy.optimize import root

FLOWS = ["shear", "uniaxial", "biaxial", "planar"]
COLUMNS = {"shear": ("shear_stress", "first_normal_difference", "second_normal_difference"),
           "extension": ("stress_difference", "second_stress_difference")}
OUT = folder("rheometer")


def measure(laws, parameters, **options):
    words = ["rheometer", laws]
    for key, value in parameters.items():
        words += [f"-physics_{key}", value if isinstance(value, str) else repr(value)]
    for key, value in options.items():
        words += [f"-rheometer_{key}", value if isinstance(value, str) else repr(value)]
    rheoplex(*words, "-rheometer_tolerance", "1e-12", "-rheometer_output", f"{OUT}/table.csv", out=OUT)
    return table(f"{OUT}/table.csv")


def stresses(data, flow):
    return np.array([data[name] for name in COLUMNS["shear" if flow == "shear" else "extension"]]).T


def differences(tau, flow):
    if flow == "shear":
        return np.array([tau[0, 1], tau[0, 0] - tau[1, 1], tau[1, 1] - tau[2, 2]])
    return np.array([tau[0, 0] - tau[1, 1], tau[2, 2] - tau[1, 1]])


def error(data, expected, flow):
    """Largest difference of each line relative to its largest expected stress of the same flow."""
    got, expected = stresses(data, flow), np.array([differences(tau, flow) for tau in expected])
    if got.shape != expected.shape:
        return math.nan
    return np.abs(got - expected).max() / np.abs(expected).max()


def solve_steady(law, L):
    """Root of the paper's equation near what it comes to in time."""
    time = 30 * law.lam / max(0.2, 1 - 2 * law.lam * np.abs(L).max()) if np.abs(np.diag(L)).max() else 30 * law.lam
    tau = integrate(law, L, [time], rtol=1e-9)[-1]
    scale = np.abs(tau).max()
    found = root(lambda y: law.rate(L, y.reshape(3, 3) * scale).reshape(9) / scale, tau.reshape(9) / scale, tol=1e-15)
    if np.abs(found.fun).max() > 1e-11 * (1 + np.abs(L).max() + 1 / law.lam):
        raise RuntimeError("the reference did not converge")
    return found.x.reshape(3, 3) * scale


def closed_steady(name, law, L):
    """Closed form in steady flow, or None."""
    shear = L[0, 1]
    if name in ("oldroydb", "white_metzner"):
        return closed.maxwell(law, L, np.inf)
    if not shear or (name == "ptt" and law.xi):
        return None
    form = {"ptt": closed.phan_thien_tanner, "giesekus": closed.giesekus, "fene_p": closed.fene_p, "fene_cr": closed.fene_cr,
            "johnson_segalman": closed.johnson_segalman}[name]
    return form(law, shear)


def closed_startup(name, law, L, t):
    if name in ("oldroydb", "white_metzner"):
        return closed.maxwell(law, L, t)
    return closed.johnson_segalman(law, L[0, 1], t) if name == "johnson_segalman" and L[0, 1] else None


def check_law(gate, name, law, parameters):
    lam = law.lam
    for flow in FLOWS:
        low, high = (0.05, 20.0) if flow == "shear" else (0.05, 0.4)
        data = measure(name, parameters, flow=flow, rate=f"{low / lam}:{high / lam}:5")
        rates = data["rate"]
        gradients = [gradient(flow, r) for r in rates]
        for what, solve in (("paper", solve_steady), ("closed form", lambda w, L: closed_steady(name, w, L))):
            expected = [solve(law, L) for L in gradients]
            if expected[0] is not None:
                rows = [{k: v[i:i + 1] for k, v in data.items()} for i in range(len(rates))]
                worst = largest(error(row, [tau], flow) for row, tau in zip(rows, expected))
                gate.at_most(f"steady {flow}, {len(rates)} rates, {what}", worst, 1e-8)
        rate = 3.0 / lam if flow == "shear" else 0.45 / lam
        data, L = measure(name, parameters, flow=flow, protocol="startup", rate=repr(rate), time=4 * lam, outputs=21), gradient(flow, rate)
        gate.at_most(f"start-up {flow}, paper", error(data, integrate(law, L, data["time"]), flow), 1e-8)
        if closed_startup(name, law, L, 1.0) is not None:
            gate.at_most(f"start-up {flow}, closed form", error(data, [closed_startup(name, law, L, t) for t in data["time"]], flow), 1e-8)
    check_linear(gate, name, law, parameters)
    check_relaxation(gate, name, law, parameters)


def check_linear(gate, name, law, parameters):
    data = measure(name, parameters, protocol="saos", frequency=f"{0.01 / law.lam}:{100 / law.lam}:9")
    storage, loss = closed.moduli(law, data["frequency"])
    gate.at_most("storage modulus, closed form", np.abs(data["storage_modulus"] / storage - 1).max(), 1e-8)
    gate.at_most("loss modulus, closed form", np.abs(data["loss_modulus"] / loss - 1).max(), 1e-8)
    data = measure(name, parameters, rate=repr(1e-5 / law.lam))
    gate.relative("viscosity at shear rate 0", data["viscosity"][0], law.eta, 1e-6 if law.__dict__.get("a", 2) >= 2 else 1e-2)


def check_relaxation(gate, name, law, parameters):
    strain = 1.3
    data = measure(name, parameters, protocol="relaxation", strain=repr(strain), time=5 * law.lam, outputs=11)
    L = gradient("shear", 1.0)
    F = expm(strain * (L - getattr(law, "xi", 0.0) * (L + L.T) / 2))
    expected = integrate(law, 0 * L, data["time"], tau=closed.sudden(law, F))
    gate.at_most("relaxation after a sudden strain", error(data, expected, "shear"), 1e-8)
    rate = 2.0 / law.lam
    data = measure(name, parameters, protocol="cessation", rate=repr(rate), time=5 * law.lam, outputs=11)
    expected = integrate(law, 0 * L, data["time"], tau=solve_steady(law, gradient("shear", rate)))
    gate.at_most("cessation of steady shear", error(data, expected, "shear"), 1e-8)


def check_sums(gate):
    modes = [{"viscosity": 0.4, "lambda": 0.5, "epsilon": 0.1, "xi": 0.1}, {"viscosity": 1.1, "lambda": 0.03, "epsilon": 0.3, "xi": 0.0}]
    viscous = {"viscosity": 0.3, "viscosity_inf": 0.01, "lambda": 2.0, "a": 1.5, "n": 0.4}
    parameters = {f"ptt_{k}": ",".join(repr(m[k]) for m in modes) for k in modes[0]} | {"ptt_modes": 2, "ptt_form": "exponential"}
    parameters |= {f"carreau_yasuda_{k}": v for k, v in viscous.items()} | {"giesekus_viscosity": 0.2, "giesekus_lambda": 0.9, "giesekus_alpha": 0.15}
    laws = [POLYMERIC["ptt"](form="exponential", **m) for m in modes] + [POLYMERIC["giesekus"](viscosity=0.2, alpha=0.15, **{"lambda": 0.9})]
    for flow, rate in (("shear", 2.5), ("planar", 0.8)):
        L = gradient(flow, rate)
        D = (L + L.T) / 2
        solvent = 2 * VISCOUS["carreau_yasuda"](math.sqrt(2 * np.sum(D * D)), **viscous) * D
        names = "carreau_yasuda,ptt,giesekus"
        data = measure(names, parameters, flow=flow, protocol="startup", rate=repr(rate), time=2.0, outputs=11)
        expected = solvent + sum(integrate(law, L, data["time"]) for law in laws)
        gate.at_most(f"three laws, four modes, start-up {flow}", error(data, expected, flow), 1e-8)
        data = measure(names, parameters, flow=flow, rate=repr(rate))
        gate.at_most(f"three laws, four modes, steady {flow}", error(data, [solvent + sum(solve_steady(law, L) for law in laws)], flow), 1e-8)
    data = measure(names, parameters, protocol="saos", frequency="0.1:100:7")
    moduli = [closed.moduli(law, data["frequency"]) for law in laws]
    gate.at_most("three laws, storage modulus", np.abs(data["storage_modulus"] / sum(m[0] for m in moduli) - 1).max(), 1e-8)
    loss = sum(m[1] for m in moduli) + 0.3 * data["frequency"]
    gate.at_most("three laws, loss modulus", np.abs(data["loss_modulus"] / loss - 1).max(), 1e-8)


def check_flow_curves(gate):
    sets = {"power_law": {"consistency": 1.3, "n": 0.4, "viscosity_min": 0.2, "viscosity_max": 20.0},
            "cross": {"viscosity": 1.6, "viscosity_inf": 0.035, "lambda": 8.2, "m": 1.028},
            "casson": {"viscosity": 0.4, "yield_stress": 1.1, "m": 60.0},
            "herschel_bulkley": {"consistency": 1.3, "n": 0.4, "yield_stress": 1.7, "m": 60.0, "viscosity_max": 9.0}}
    for name, par in sets.items():
        data = measure(name, {f"{name}_{k}": v for k, v in par.items()}, rate="1e-4:1e3:15")
        expected = [VISCOUS[name](g, **par) for g in data["rate"]]
        gate.at_most(f"flow curve of {name}", np.abs(data["viscosity"] / expected - 1).max(), 1e-8)
    data = measure("newtonian", {"newtonian_viscosity": 2.0}, flow="uniaxial", rate="0.1:10:3")
    gate.at_most("Trouton's ratio 3", np.abs(data["extensional_viscosity"] / 6 - 1).max(), 1e-12)


def check_laos(gate):
    """Large amplitude: the last of many cycles against the paper's equation over the same cycles."""
    from scipy.integrate import solve_ivp

    law, amplitude, w = POLYMERIC["giesekus"](viscosity=0.7, alpha=0.3, **{"lambda": 1.3}), 2.0, 1.5
    data = measure("giesekus", {"giesekus_viscosity": 0.7, "giesekus_alpha": 0.3, "giesekus_lambda": 1.3}, protocol="laos",
                   strain=repr(amplitude), frequency=repr(w), cycles=4, outputs=17)
    L = gradient("shear", amplitude * w)
    flow = solve_ivp(lambda t, y: law.rate(L * math.cos(w * t), y.reshape(3, 3)).reshape(9), (0, data["time"][-1]), np.zeros(9), "DOP853",
                     data["time"], rtol=1e-12, atol=1e-12)
    gate.at_most("large amplitude oscillatory shear", error(data, flow.y.T.reshape(-1, 3, 3), "shear"), 1e-8)
    eta, lam, w = 0.7, 90.0, 1.5  # relaxes over 21 cycles
    data = measure("oldroydb", {"oldroydb_viscosity": eta, "oldroydb_lambda": lam}, protocol="laos", strain="2", frequency=repr(w), outputs=17)
    t = data["time"]
    exact = eta * 2 * w * (np.cos(w * t) + w * lam * np.sin(w * t)) / (1 + (w * lam) ** 2)
    gate.at_most("cycles by default: what was at rest has relaxed", np.abs(data["shear_stress"] - exact).max() / np.abs(exact).max(), 1e-6)


def check_roots(gate):
    """Each rate alone, as one leap from rest: with alpha = 1 the conformation 0, whose stress is 0, is a root that flow leaves."""
    law, par = POLYMERIC["giesekus"](viscosity=0.7, alpha=1.0, **{"lambda": 1.3}), {"viscosity": 0.7, "lambda": 1.3, "alpha": 1.0}
    par = {f"giesekus_{k}": v for k, v in par.items()}
    for rate in (8.0, 23.0, 900.0):
        data, L = measure("giesekus", par, flow="planar", rate=repr(rate)), gradient("planar", rate)
        expected = integrate(law, L, [20 * law.lam])[-1] if rate < 100 else law.eta * np.diag([2 * rate, -1 / law.lam, 0])
        gate.at_most(f"steady planar at {rate:g} alone, the stable root", error(data, [expected], "planar"), 1e-8)


def main():
    if len(sys.argv) == 1:
        gate = Gate("laws_rheometer_sums")
        check_sums(gate)
        check_flow_curves(gate)
        check_laos(gate)
        check_roots(gate)
        return gate.finish()
    name, par = sys.argv[1], {}
    for word in sys.argv[2:]:
        key, value = word.split("=")
        par[key] = value if key == "form" else float(value)
    gate = Gate("laws_rheometer_" + "_".join([name] + [str(v) for v in par.values()]))
    check_law(gate, name, POLYMERIC[name](**par), {f"{name}_{k}": v for k, v in par.items()})
    return gate.finish()


sys.exit(main())
