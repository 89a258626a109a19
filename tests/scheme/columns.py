"""-scheme_..._dirichlet symmetric, with the columns of what is given eliminated: the states are those with rows alone. columns.py
  steady <np>      an inlet with stresses, DEVSS and OSS, Newton's method as fast; oblique planes with modes; a resistance, whose pressure follows the flow
  along <np>       continuation in t, by value and by arc length, where what is given changes
  steps <np>       bdf with an inlet that pulsates and a mean velocity that is kept
  spectrum <np>    modes about the state
  matrix <np>      the option: of creeping flow the matrix of the run is symmetric but for the sign of continuity, and with rows is not
  device <np>      Newton's method and steps on a device (the emulated one), and that oblique sides are refused there
  refused          generalised alpha"""
import sys

import numpy as np
import oblique
import run
import steady
from gate import Gate, largest

SYMMETRIC = ("-scheme_steady_dirichlet", "symmetric")
CHANNEL = {**oblique.POLYMER, "bc_top_type": "wall", "mesh_box_faces": "9,6", "mesh_box_upper": "1.6,0.7", "mesh_box_cell": "mixed", "mesh_box_jitter": 0.1, "bc_left_velocity": "(1+0.3*sin(9*t))*y*(0.7-y)*9,0"}


STABILISED = {"steady": {"stabiliser": "gls"}, "monolithic": {"stabiliser": "split_oss", "scheme_monolithic_pc_pressure": "projected", "bc_right_pressure_at": "nodes"}}


def same(gate, what, rows, symmetric, most=1e-10):
    size = largest(abs(rows.checkpoint()).ravel())
    gate.at_most(f"{what}: the state, of that with rows", largest(abs(rows.checkpoint() - symmetric.checkpoint()).ravel()) / size, most)


def iterations(result):
    return [x.split()[1] for x in result.stdout.splitlines() if x.startswith("Newton:")]


def both(gate, what, run_it):
    rows, symmetric = run_it(()), run_it(SYMMETRIC)
    same(gate, what, rows, symmetric)
    gate.true(f"{what}: iterations of Newton's method {iterations(rows)}, {iterations(symmetric)}", iterations(rows) == iterations(symmetric) != [])
    return symmetric


def held(gate, ranks):
    np_, exact = int(ranks), ("-snes_rtol", 1e-12, "-ksp_rtol", 1e-9)
    found = both(gate, "channel", lambda words: steady.mixed(*steady.STEADY, *exact, *words, np_=np_))
    gate.at_least("channel: order of Newton's method", steady.newton(gate, "channel", found, 8), 1.8)
    planes = {**oblique.POLYMER, **oblique.turned(0.5), "bc_top_type": "symmetry", "stabiliser": "devss,split_oss", "scheme": "steady", "snes_rtol": 1e-12, "ksp_rtol": 1e-9}
    both(gate, "oblique planes", lambda words: oblique.case(planes, np_, **({"scheme_steady_dirichlet": "symmetric"} if words else {})))
    for at in "nodes", "traction":
        resistance = ("-bc_right_type", "resistance", "-bc_right_pressure_by_flux", "0.1+0.7*q+0.3*q^2", "-bc_right_pressure_at", at, "-bc_right_form", None)
        both(gate, f"resistance at {at}", lambda words: steady.mixed(*[w for k, w in enumerate((*steady.STEADY, *exact, *resistance, *words)) if w is not None and w != "-bc_right_form"], np_=np_))


def along(gate, ranks):
    grows = ("-bc_left_velocity", "0.5*t*(1-y^4+0.2*sin(3*y)*(1-y^2)),0", "-bc_left_ramp", 0, "-snes_rtol", 1e-12, "-scheme_steady_continuation", "t=0.6:0.5:1.8")
    for way in "value", "arclength":
        both(gate, way, lambda words: steady.mixed(*steady.STEADY, *grows, "-scheme_steady_continuation_type", way, *words, np_=int(ranks)))


def steps(gate, ranks):
    mean = {**CHANNEL, "bc_left_type": None, "bc_right_type": None, "bc_left_polymer": None, "bc_right_polymer": None, "bc_left_velocity": None, "mesh_box_periodic": "x", "form_mean_velocity": "0.9*sin(7*t)", "mesh_box_jitter": None}
    for name, flow in ("inlet", CHANNEL), ("mean velocity", mean):
        rows, symmetric = (oblique.case({**flow, **oblique.SCHEMES["monolithic"], "stabiliser": "devss,split_oss"}, int(ranks), **more) for more in ({}, {"scheme_monolithic_dirichlet": "symmetric"}))
        same(gate, name, rows, symmetric)


def spectrum(gate, ranks):
    def modes(words):
        found = steady.mixed(*steady.STEADY, "-snes_rtol", 1e-12, *words, "-eigen_shifts", "-0.5", "-eigen_number", 3, "-eigen_adjoint", np_=int(ranks), verb="eigen").table("_spectrum.csv")
        return np.sort_complex(np.array(found["growth_rate"]) + 1j * np.array(found["angular_frequency"]))

    rows, symmetric = modes(()), modes(SYMMETRIC)
    gate.true("three modes", len(rows) == len(symmetric) == 3)
    gate.at_most("modes: largest difference", float(abs(rows - symmetric).max() / abs(rows).max()), 1e-9)


def read_matrix(path):
    """The first of a PETSc binary file: triplets."""
    with open(path, "rb") as f:
        data = f.read()
    kind, rows, columns, entries = np.frombuffer(data, ">i4", 4)
    lengths = np.frombuffer(data, ">i4", rows, 16)
    at = 16 + 4 * rows
    return np.repeat(np.arange(rows), lengths), np.frombuffer(data, ">i4", entries, at), np.frombuffer(data, ">f8", entries, at + 4 * entries)


def matrix(gate, ranks):
    def of_run(scheme, given, folder):
        """Rows of continuity with the other sign."""
        file = f"{folder}/{scheme}_{given}.bin"
        flow = {**CHANNEL, **oblique.NEWTONIAN, "form_convection": "false", **STABILISED[scheme], **oblique.SCHEMES[scheme], "ksp_view_pmat": f"binary:{file}", f"scheme_{scheme}_dirichlet": given}
        oblique.case({key: value for key, value in flow.items() if "oldroydb" not in key and "polymer" not in key}, int(ranks), **({"bc_left_velocity": "9*y*(0.7-y),0"} if scheme == "steady" else {}))
        i, j, a = read_matrix(file)
        A = np.zeros((i.max() + 1, i.max() + 1))
        A[i, j] = np.where(i % 3 == 2, -a, a)
        return A / abs(A).max()

    folder = run.folder("columns")
    asymmetry = {given: float(abs(A - A.T).max()) for given in ("rows", "symmetric") for A in (of_run("steady", given, folder),)}
    gate.at_least("steady, rows: asymmetry", asymmetry["rows"], 0.01)
    gate.at_most("steady, symmetric: asymmetry", asymmetry["symmetric"], 1e-14)
    beside = {given: A - np.diag(np.diag(A)) for given in ("rows", "symmetric") for A in (of_run("monolithic", given, folder),)}
    held = ~abs(beside["rows"]).any(axis=1)
    gate.true(f"monolithic: {held.sum()} rows of given values", 20 < held.sum() == (~abs(beside["symmetric"]).any(axis=1)).sum())
    gate.at_least("monolithic, rows: entries in columns of given values", float(abs(beside["rows"][:, held]).max()), 0.01)
    gate.at_most("monolithic, symmetric: entries there", float(abs(beside["symmetric"][:, held]).max()), 0)
    gate.at_most("monolithic: others that differ", float(abs((beside["rows"] - beside["symmetric"])[:, ~held]).max()), 1e-14)


def device(gate, ranks):
    np_, there = int(ranks), ("-device", "cuda")
    quick, close = ("-mesh_box_faces", "8,4"), ("-snes_rtol", 1e-12, "-ksp_rtol", 1e-9)
    words = (*quick, "-scheme", "steady", *close)
    rows, symmetric = steady.mixed(*words, "-device", "cpu"), steady.mixed(*words, *there, *SYMMETRIC, np_=np_)
    same(gate, "channel", rows, symmetric)
    gate.true(f"iterations of Newton's method {iterations(rows)}, {iterations(symmetric)}", iterations(rows) == iterations(symmetric) != [])
    steps_ = (*quick, "-scheme", "monolithic", "-scheme_monolithic_dt", 0.1, "-stop_steps", 2, "-bc_left_velocity", "(1+t)*(1-y^4+0.2*sin(3*y)*(1-y^2)),0", *close)
    same(gate, "steps", steady.mixed(*steps_, "-device", "cpu"), steady.mixed(*steps_, *there, "-scheme_monolithic_dirichlet", "symmetric", np_=np_))
    planes = {**oblique.POLYMER, **oblique.turned(0.5), "bc_top_type": "symmetry", "scheme": "steady", "scheme_steady_dirichlet": "symmetric", "device": "cuda"}
    if np_ == 1:
        gate.refused(oblique.case(planes, expect=None), ("-scheme_steady_dirichlet symmetric: got a device and symmetry, free_slip or slip on sides oblique", "expected rows, or -device cpu"))


def refused(gate):
    gate.refused(steady.mixed("-scheme", "monolithic", "-scheme_monolithic_dirichlet", "symmetric", "-ts_type", "alpha", "-device", "cpu", expect=None), ("got -ts_type alpha", "expected bdf, beuler, theta, cn or arkimex, or rows"))


def main(check, *more):
    gate = Gate("_".join(("scheme_columns", check) + more))
    {"steady": held, "along": along, "steps": steps, "spectrum": spectrum, "matrix": matrix, "device": device, "refused": refused}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
