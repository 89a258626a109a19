"""fetch.py [ranks]: device_fetch on a channel with a Windkessel outlet that is outside the library, and after every step forces on a plate,
what is a sum over a label and what is one over the mesh, which are those of the host. fetch.py 1 kinds: what one evaluation of each
kind of diagnostic sends. Exit code 77: no device."""
import os
import subprocess
import sys
import tempfile

import laws
import numpy as np
from gate import Gate

OPTIONS = ("-mesh_box_faces 9,7 -physics newtonian,oldroydb -stabiliser devss,split_oss -bc_left_type inlet -bc_left_velocity 6*y*(1-y)*(1+y/3),0 "
           "-bc_bottom_type wall -bc_top_type wall -bc_right_type outside_windkessel -bc_right_proximal 0.3 -bc_right_distal 2 "
           "-bc_right_compliance 0.7 -initial_velocity 6*y*(1-y)*(1+y/3),0 -form_density 1.7 -form_body_force 0.3+t,0 -diagnostic_forces bottom "
           "-diagnostic_q_kind flux -diagnostic_q_label right,top -diagnostic_m_kind mean_pressure -diagnostic_m_label left "
           "-diagnostic_b_kind energy -diagnostic_i_kind integral -diagnostic_i_fields velocity -diagnostic_e_kind extrema -diagnostic_v_kind integral -diagnostic_v_fields vorticity -diagnostic_a_kind average -diagnostic_a_period 3e-3 "
           "-pressure_ksp_rtol 1e-12 -malloc_dump")
PASSES = {"lumped": "-device_passes one", "fractional_step": "-device_passes turns -device_deterministic true"}
# Of the nodes' values a step: the state; reactions and rate of the plate and the faces about it, the pressure of one more ring; fluxes of two labels and a mean pressure, by their nodes; of a budget of energy the elements at the boundary, reactions, rate, state and loads there, the work of the rate and the totals;
# components of an integral and of extreme values. Averages send nothing.
COPIES = ["right", "1", "~1bottom", "2", "~2bottom", "1", "right", "1", "top", "1", "left", "1", "@left+right+bottom+top", "1", "=left+right+bottom+top", "4", "totals", "1", "slopes", "1", "sums"]
SUMS = {"lumped": "7", "fractional_step": "9"}  # the rate's work with a consistent mass is a difference of two
TABLES = {"forces": 4, "q": 4, "m": 3, "b": 13, "i": 7, "e": 20, "v": 5}  # columns
FOUND = [0, 1, 2, 5, 6, 7, 8, 11, 14, 17, 18, 19]  # of the last but one: values, and places of values that no other node has


# What one evaluation of each kind sends on one rank, of 10 x 8 nodes with blocks of six values; share/doc/diagnostics.md.
NODE, MEASURE, TOTALS = 48, 32, 56
SLOPES = 80 * 2 * 2 * 8  # gradients of two velocities, which the device finds
RIM, EDGE = 56, 32  # nodes of the elements at the boundary, on it
KINDS = {
    "forces": ("-diagnostic_{} bottom", (2 * 12 + 14) * NODE),
    "parts": ("-diagnostic_{0}_kind forces -diagnostic_{0}_label bottom -diagnostic_{0}_parts true", (2 * 12 + 14 + 20) * NODE),
    "flux": ("-diagnostic_{0}_kind flux -diagnostic_{0}_label right", 8 * NODE),
    "mean": ("-diagnostic_{0}_kind mean_pressure -diagnostic_{0}_label left", 8 * NODE),
    "drop": ("-diagnostic_{0}_kind pressure_difference -diagnostic_{0}_label left,right", 16 * NODE),
    "energy": ("-diagnostic_{0}_kind energy", (RIM + 4 * EDGE) * NODE + TOTALS + 2 * MEASURE),
    "health": ("-diagnostic_{0}_kind health", RIM * NODE + 80 * 3 * 8),
    "wss": ("-diagnostic_{0}_kind wall -diagnostic_{0}_label bottom", (40 + 2 * 10) * NODE),
    "osi": ("-diagnostic_{0}_kind wall_average -diagnostic_{0}_label bottom", (20 + 2 * 10) * NODE),
    "probe": ("-diagnostic_{0}_kind probe -diagnostic_{0}_points 0.42,0.55 -diagnostic_{0}_fields stress,velocity", 4 * NODE),
    "slope": ("-diagnostic_{0}_kind probe -diagnostic_{0}_points 0.42,0.55 -diagnostic_{0}_fields vorticity,wi", 16 * NODE + SLOPES),
    "line": ("-diagnostic_{0}_kind line -diagnostic_{0}_from 0.42,0.55 -diagnostic_{0}_to 0.43,0.56 -diagnostic_{0}_n 3", 4 * NODE),
    "most": ("-diagnostic_{0}_kind extrema -diagnostic_{0}_fields velocity,pressure", 3 * MEASURE),
    "stress": ("-diagnostic_{0}_kind integral -diagnostic_{0}_fields stress", 80 * 3 * 8),
    "curl": ("-diagnostic_{0}_kind integral -diagnostic_{0}_fields vorticity", 80 * 2 * 8 + SLOPES),
    "over": ("-diagnostic_{0}_kind average", 0),
    "psi": ("-diagnostic_{0}_kind streamfunction", 80 * 2 * 8),
    "mesh": ("-diagnostic_{0}_kind resolution", 80 * NODE),
    "cycle": ("-diagnostic_{0}_kind periodicity -diagnostic_{0}_every_dt 100", 80 * NODE),
}
SAME = ["energy", "health", "probe", "slope", "curl", "psi", "parts", "mesh"]  # tables of the host's run


def kinds(gate):
    """One evaluation of every kind on a device: bytes, and what it writes."""
    words = OPTIONS.split("-diagnostic_")[0] + "-pressure_ksp_rtol 1e-12 -malloc_dump " + " ".join(text.format(name) + f" -diagnostic_{name}_every 1000" * (name not in ("forces", "cycle")) for name, (text, _) in KINDS.items())
    words = [*words.split(), *laws.words("newtonian,oldroydb"), "-scheme_lumped_dt", "1e-3", "-output_fields", "false"]
    with tempfile.TemporaryDirectory() as folder:
        there = ["-diagnostic_count_kind", "counted", "-diagnostic_count_names", ",".join(KINDS), "-output_folder", f"{folder}/there"]
        for more, first in ((there, ["count"]), (["-output_folder", f"{folder}/here"], [])):
            code = subprocess.run([os.environ["RHX_FETCH"], *first, *words, *more]).returncode
            gate.near("every kind: exit code", code, 0, 0)
        counted = np.loadtxt(f"{folder}/there/case_count.csv", delimiter=",", skiprows=1)[:-1]  # averages are written at the last step
        for at, (name, (_, size)) in enumerate(KINDS.items()):
            gate.true(f"bytes of {name}: {size} at every step, not {sorted(set(counted[:, 2 + at]))}", bool((counted[:, 2 + at] == size).all()))
        for name in SAME:
            a, b = (np.loadtxt(f"{folder}/{side}/case_{name}.csv", delimiter=",", skiprows=1, ndmin=2)[-1] for side in ("here", "there"))
            gate.at_most(f"{name} of the device", float(np.abs(b - a)[: 4 if name == "psi" else None].max()), 1e-9)


def run(scheme, ranks, folder, copies):
    words = [*OPTIONS.split(), *PASSES[scheme].split(), *laws.words("newtonian,oldroydb"), "-scheme", scheme, f"-scheme_{scheme}_dt", "1e-3", "-output_folder", folder]
    command = ["mpirun", "--oversubscribe", "-n", ranks] if ranks != "1" else []
    code = subprocess.run([*command, os.environ["RHX_FETCH"], *copies, *words]).returncode
    return code, None if code else {name: np.loadtxt(f"{folder}/case_{name}.csv", delimiter=",", skiprows=1) for name in TABLES}, code or averages(f"{folder}/case_a.vtu")


def averages(file):
    import run as program

    f = program.Fields(file)
    rows = f.unique()
    return np.concatenate([f[name][rows].ravel() for name in ("velocity_mean", "pressure_mean")] + [f[name][rows].ravel() ** 2 for name in ("velocity_rms", "pressure_rms")])


def main():
    gate = Gate("device_fetch")
    if sys.argv[2:] == ["kinds"]:
        import external

        if not external.has_device():
            return 77
        kinds(gate)
        return gate.finish()
    for scheme in "lumped", "fractional_step":
        with tempfile.TemporaryDirectory() as folder:
            code, device, means = run(scheme, sys.argv[1], folder, [*COPIES, SUMS[scheme]])
            if code == 77:
                return code
            gate.near(f"{scheme}: values and bytes", code, 0, 0)
            code, host, expected = run(scheme, sys.argv[1], folder, [])
            gate.at_least(f"{scheme}: force on the plate", float(np.abs(host["forces"][:, 2:]).max()), 0.1)
            for name, columns in TABLES.items():
                gate.true(f"{scheme}: steps of the table {name}", host[name].shape == (8, columns))
                of = FOUND if name == "e" else slice(None)
                gate.at_most(f"{scheme}: {name} of the device", float(np.abs(device[name][:, of] - host[name][:, of]).max()), 1e-9)
            gate.at_least(f"{scheme}: averages", float(np.abs(expected).max()), 1)
            gate.at_most(f"{scheme}: averages of the device", float(np.abs(means - expected).max()), 1e-9)
    return gate.finish()


sys.exit(main())
