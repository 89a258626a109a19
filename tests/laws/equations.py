"""Every law at random states: the rate of its stress in a homogeneous flow against the paper's equation in the stress
(papers.py), to rounding; viscosities against the formula; in the plane with three and four components and in space. The
modes of a law are parameter sets."""
import subprocess
import sys

import numpy as np
from gate import Gate, largest
from papers import POLYMERIC, VISCOUS, VISCOUS_SETS, shear_rate

SETS = {
    "oldroydb": [{"viscosity": 0.7, "lambda": 1.3}],
    "ptt": [{"viscosity": 0.7, "lambda": 1.3, "epsilon": 0.25, "xi": 0.0}, {"viscosity": 2.1, "lambda": 0.04, "epsilon": 0.02, "xi": 0.3}],
    "giesekus": [{"viscosity": 0.7, "lambda": 1.3, "alpha": 0.3}, {"viscosity": 2.1, "lambda": 0.4, "alpha": 1.0}],
    "fene_p": [{"viscosity": 0.7, "lambda": 1.3, "L2": 100.0}, {"viscosity": 2.1, "lambda": 0.4, "L2": 15.0}],
    "fene_cr": [{"viscosity": 0.7, "lambda": 1.3, "L2": 100.0}, {"viscosity": 2.1, "lambda": 0.4, "L2": 15.0}],
    "white_metzner": [{"viscosity": 0.7, "lambda": 1.3, "time": 0.9, "a": 2.0, "n": 0.4}, {"viscosity": 2.1, "lambda": 0.4, "time": 3.0, "a": 0.6, "n": 1.2}],
    "johnson_segalman": [{"viscosity": 0.7, "lambda": 1.3, "xi": 0.0}, {"viscosity": 2.1, "lambda": 0.4, "xi": 0.35}],
}
NOT_INERT = {"fene_p", "fene_cr"}  # zz is carried
PLACES = {3: [(0, 0), (1, 1), (0, 1)], 4: [(0, 0), (1, 1), (2, 2), (0, 1)], 6: [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]}


def physics_options(laws, form):
    words = []
    for law in laws:
        sets = SETS[law]
        words += [f"-physics_{law}_modes", str(len(sets))]
        for key in sets[0]:
            words += [f"-physics_{law}_{key}", ",".join(repr(s[key]) for s in sets)]
    return words + ["-physics_ptt_form", form]


def states(random, count):
    """dim, ntens, L and c in space; c positive definite with a trace below 12, one at rest, one with equal eigenvalues."""
    for size in (3, 4, 6):
        dim = 3 if size == 6 else 2
        for k in range(count):
            L = np.zeros((3, 3))
            L[:dim, :dim] = random.normal(size=(dim, dim)) * 10.0 ** random.uniform(-3, 1)
            L[:dim, :dim] -= np.eye(dim) * np.trace(L) / dim
            c = np.eye(3)
            n = 3 if size == 6 else 2
            if k == 1:
                c *= 1.7
            elif k > 1:
                F = random.normal(size=(n, n))
                c[:n, :n] = F @ F.T + 0.1 * np.eye(n)
                c *= min(1.0, 11.0 / np.trace(c))
            if size == 3:
                c[2, 2] = 1.0
            elif size == 4 and k:
                c[2, 2] = random.uniform(0.3, 2.0)
            if k == 2:
                L[:] = 0.0
            yield dim, size, L, c


def ask(program, arguments, points):
    lines = []
    for dim, size, L, c in points:
        numbers = [*L[:dim, :dim].reshape(-1), *(c[i, j] for i, j in PLACES[size])]
        lines.append(f"{dim} {size} " + " ".join(repr(float(x)) for x in numbers))
    done = subprocess.run([program, *arguments], input="\n".join(lines) + "\n", capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return [np.array([float(x) for x in line.split()]) for line in done.stdout.splitlines()]


def unpack(numbers, size):
    t = np.zeros((3, 3))
    for x, (i, j) in zip(numbers, PLACES[size]):
        t[i, j] = t[j, i] = x
    return t


def compare(law, par, form, point, answer, k):
    """Relative difference of the rate of the stress of mode k of an answer."""
    dim, size, L, c = point
    block = answer[1 + k * (3 * size + 3):][:3 * size + 3]
    tau, rate = unpack(block[size:2 * size], size), unpack(block[2 * size:3 * size], size)
    paper = POLYMERIC[law](form=form, **par)
    expected = paper.rate(L, tau)
    places = PLACES[size]
    scale = np.abs(L).max() * (np.abs(tau).max() + paper.eta / paper.lam) + np.abs(tau).max() / paper.lam + np.abs(expected).max() + 1e-3
    return largest(abs(rate[i, j] - expected[i, j]) for i, j in places) / scale


def main():
    gate, random = Gate("laws_equations"), np.random.default_rng(4)
    points = list(states(random, 40))
    worst, viscosity = {}, {}
    for number, viscous in enumerate(VISCOUS_SETS):
        form, laws = ["linear", "exponential"][number % 2], list(SETS)
        words = ["-physics", ",".join([viscous] + laws), *physics_options(laws, form)]
        for key, value in VISCOUS_SETS[viscous].items():
            words += [f"-physics_{viscous}_{key}", repr(value)]
        for point, answer in zip(points, ask(sys.argv[1], words, points), strict=True):
            expected = VISCOUS[viscous](shear_rate(point[2]), **VISCOUS_SETS[viscous])
            viscosity.setdefault(viscous, []).append(abs(answer[0] / expected - 1))
            k = 0
            for law in laws:
                for par in SETS[law]:
                    if not (law in NOT_INERT and point[1] == 3):
                        name = f"{law} {form}" if law == "ptt" else law
                        worst.setdefault(name, []).append(compare(law, par, form, point, answer, k))
                    k += 1
    for law, errors in worst.items():
        gate.at_most(f"{law}: rate of the stress, {len(errors)} states, relative", largest(errors), 1e-12)
    for law, errors in viscosity.items():
        gate.at_most(f"{law}: viscosity, {len(errors)} states, relative", largest(errors), 1e-12)
    return gate.finish()


sys.exit(main())
