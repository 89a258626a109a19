"""kinds.py points|made|times|rows|refused: diagnostics named by the user. Probes, lines, extrema, integrals and averages of linear fields on every
cell type and 1, 2, 3 ranks; fields that are made from others in flows that are known; exact times and a restart; rows of walls in space; what is refused."""
import math
import os
import shutil
import sys

import diagnostics
import numpy as np
import run
from gate import Gate, largest

ETA, ETA_P, LAMBDA = 0.7, 0.5, 0.3
SIDES = {2: ("bottom", "left", "right", "top"), 3: ("bottom", "left", "right", "top", "back", "front")}
POLYMER = ["-physics_oldroydb_viscosity", ETA_P, "-physics_oldroydb_lambda", LAMBDA, "-polymer_variable", "conformation", "-stabiliser", "split_oss"]
LAWS = ["-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", ETA, *POLYMER, "-form_density", "1.3", "-form_convection", "0"]
SLOPE = {2: np.array([[2, 3], [4, -2.]]), 3: np.array([[2, 3, -1], [4, -3, 0.5], [0.3, 0.2, 1.]])}  # du_i/dx_j
START = {2: np.array([1, -0.5]), 3: np.array([1, -0.5, 0.25])}
TENSOR = {2: (("xx", "2+x"), ("yy", "3-y"), ("xy", "0.1*x+0.2*y")), 3: (("xx", "2+x"), ("yy", "3-y"), ("zz", "2+z"), ("yz", "0.1*z"), ("xz", "0.2*y"), ("xy", "0.1*x+0.2*y"))}
FIELDS = "velocity,pressure,stress,n1,conformation,vorticity,shear_rate,viscosity,q_criterion,wi"


def velocity(dim):
    return ",".join("+".join([f"({START[dim][i]})"] + [f"({SLOPE[dim][i, j]})*{'xyz'[j]}" for j in range(dim)]) for i in range(dim))


def case(*words, laws=LAWS, out=None, **keywords):
    return run.rheoplex("run", "-case_name", "k", *laws, "-device", "cpu", *words, out=out or run.folder("kinds"), **keywords)


def linear(dim, *words, labels=None, **keywords):
    """One step of a linear flow, so short that the state is the given one to 1e-8."""
    u = velocity(dim)
    given = [w for label in labels or SIDES[dim] for w in (f"-bc_{label}_type", "inlet", f"-bc_{label}_velocity", u, f"-bc_{label}_polymer", "free")]
    return case(*given, "-initial_velocity", u, "-initial_pressure", "5-2*x+y", "-form_body_force", "-2,1" if dim == 2 else "-2,1,0", "-initial_conformation", ",".join(t for _, t in TENSOR[dim]),
                "-scheme_lumped_dt", "1e-10", "-stop_steps", "1", *words, **keywords)


def exact(dim, x):
    """Every column at points x[n][dim]."""
    at = {c: x[:, i] for i, c in enumerate("xyz"[:dim])} | {"z": x[:, 2] if dim == 3 else 0 * x[:, 0]}
    L, one = SLOPE[dim], np.ones(len(x))
    D, W = (L + L.T) / 2, (L - L.T) / 2
    rate = math.sqrt(2 * (D * D).sum())
    want = {f"velocity_{c}": START[dim][i] + x @ L[i] for i, c in enumerate("xyz"[:dim])}
    want["pressure"] = 5 - 2 * at["x"] + at["y"]
    c = {k: eval(t, {}, at) * one for k, t in TENSOR[dim]}
    c = {k: c.get(k, (1 if k == "zz" else 0) * one) for k in ("xx", "yy", "zz", "xy", "yz", "xz")}
    want |= {f"conformation_{k}": v for k, v in c.items()}
    want |= {f"stress_{k}": ETA_P / LAMBDA * (v - (k[0] == k[1])) for k, v in c.items()}
    want["n1"] = want["stress_xx"] - want["stress_yy"]
    spin = (L[2, 1] - L[1, 2], L[0, 2] - L[2, 0], L[1, 0] - L[0, 1]) if dim == 3 else ()
    want |= {f"vorticity_{k}": s * one for k, s in zip("xyz", spin)} if dim == 3 else {"vorticity": (L[1, 0] - L[0, 1]) * one}
    return want | {"shear_rate": rate * one, "viscosity": (ETA + ETA_P) * one, "q_criterion": ((W * W).sum() - (D * D).sum()) / 2 * one, "wi": LAMBDA * rate * one}


def listed(gate, cell, dim, x):
    """Points of a CSV, by the words of a case."""
    path = f"{run.folder('points')}/points.csv"
    with open(path, "w") as f:
        f.write("# of a measurement\n" + ",".join("xyz"[:dim]) + "\n" + "\n".join(",".join(map(str, p)) for p in x) + "\n")
    for np_ in (1, 2):
        r = linear(dim, "-mesh_box_cell", cell, "-mesh_box_faces", "5,4,3"[:2 * dim - 1], "-mesh_box_upper", "1.5,0.8,0.6"[:4 * dim - 1], "-diagnostic_p_kind", "probe", "-diagnostic_p_points_file", path, "-diagnostic_l_kind", "line",
                   "-diagnostic_l_points_file", path, "-output_fields", "velocity", np=np_)
        probe, line, want = r.table("_p.csv"), r.table("_l_000001.csv"), exact(dim, x)
        gate.at_most(f"{cell}, np {np_}: points of a CSV", largest(abs(t[k][0] - w) for i in range(len(x)) for k, w, t in ((f"velocity_x_{i}", want["velocity_x"][i], probe), (f"pressure_{i}", want["pressure"][i], probe))), 1e-7)
        gate.at_most(f"{cell}, np {np_}: profile through them", float(np.abs(line["velocity_y"] - want["velocity_y"]).max() + np.abs(line["x"] - x[:, 0]).max()), 1e-7)


def points(gate):
    tried = {2: np.array([[0.21, 0.43], [0, 0], [1.5, 0.8], [0.75, 0.4], [1.37, 0.8]]), 3: np.array([[0.21, 0.43, 0.2], [0, 0, 0], [1.5, 0.8, 0.6], [0.75, 0.4, 0.3], [1.37, 0.8, 0.1]])}
    for cell, np_ in (("quadrilateral", 1), ("triangle", 3), ("mixed", 2), ("tetrahedron", 1), ("hexahedron", 3)):
        dim = 3 if cell in ("tetrahedron", "hexahedron") else 2
        x = tried[dim]
        ends = (["0.1,0.2", "1.4,0.7"] if dim == 2 else ["0.1,0.2,0.1", "1.4,0.7,0.5"])
        r = linear(dim, "-mesh_box_cell", cell, "-mesh_box_faces", "5,4,3"[:2 * dim - 1], "-mesh_box_upper", "1.5,0.8,0.6"[:4 * dim - 1], "-diagnostic_p_kind", "probe", "-diagnostic_p_points",
                   ";".join(",".join(map(str, p)) for p in x), "-diagnostic_p_fields", FIELDS, "-diagnostic_l_kind", "line", "-diagnostic_l_from", ends[0], "-diagnostic_l_to", ends[1],
                   "-diagnostic_l_n", "7", "-diagnostic_l_fields", "default", "-diagnostic_e_kind", "extrema", "-diagnostic_e_fields", FIELDS, "-diagnostic_i_kind", "integral", "-diagnostic_i_fields", FIELDS,
                   "-diagnostic_a_kind", "average", "-diagnostic_a_fields", FIELDS, "-output_fields", "all", "-output_vtu_precision", "single", np=np_)
        if np_ == 3:
            listed(gate, cell, dim, x)
        probe, line, most, whole = r.table("_p.csv"), r.table("_l_000001.csv"), r.table("_e.csv"), r.table("_i.csv")
        want = exact(dim, x)
        gate.true(f"{cell}, np {np_}: columns", set(probe) == {"step", "t"} | {f"{k}_{i}" for k in want for i in range(len(x))})
        gate.at_most(f"{cell}, np {np_}: probes", largest(abs(probe[f"{k}_{i}"][0] - v[i]) for k, v in want.items() for i in range(len(x))), 1e-7)
        there = np.stack([line[c] for c in "xyz"[:dim]], axis=1)
        want = exact(dim, there)
        gate.at_most(f"{cell}, np {np_}: line", largest(float(np.abs(line[k] - want[k]).max()) for k in want if k in line), 1e-7)
        gate.near(f"{cell}, np {np_}: its length", line["s"][-1], float(np.linalg.norm(there[-1] - there[0])), 1e-10)
        gate.true(f"{cell}, np {np_}: default fields of the line", {"pressure", "stress_xy", "conformation_trace"} <= set(line) and "rank" not in line and len(line["s"]) == 7)
        # u_x = 1 + 2 x + 3 y (- z) has its extremes in opposite corners.
        top = 1 + 3 + 2.4
        gate.near(f"{cell}, np {np_}: greatest u_x", most["velocity_x_max"][0], top, 1e-7)
        gate.true(f"{cell}, np {np_}: its place", [round(most[f"velocity_x_max_at_{c}"][0], 9) for c in "xyz"[:dim]] == [1.5, 0.8, 0][:dim])
        corners = np.stack(np.meshgrid(*([0, top] for top in (1.5, 0.8, 0.6)[:dim])), axis=-1).reshape(-1, dim)
        at = exact(dim, corners)
        gate.at_most(f"{cell}, np {np_}: least and greatest values", largest(abs(most[f"{k}_{end}"][0] - of(v)) for k, v in at.items() for end, of in (("min", np.min), ("max", np.max))), 1e-7)
        volume = 1.2 * (0.6 if dim == 3 else 1)
        centre = exact(dim, np.array([[0.75, 0.4, 0.3][:dim]]))
        gate.near(f"{cell}, np {np_}: volume", whole["volume"][0], volume, 1e-12)
        gate.at_most(f"{cell}, np {np_}: integrals", largest(abs(whole[f"{k}_integral"][0] - volume * v[0]) for k, v in centre.items()), 1e-7)
        told = units(r)
        gate.true(f"{cell}, np {np_}: units of integrals and means", [told["i", f"{k}_{of}"] for k in ("velocity_x", "pressure", "conformation_xx") for of in ("integral", "mean")]
                  == [f"m^{dim + 1}/s", "m/s", f"m^{dim} Pa", "Pa", f"m^{dim}", "1"])
        gate.at_most(f"{cell}, np {np_}: means", largest(abs(whole[f"{k}_mean"][0] - v[0]) for k, v in centre.items()), 1e-7)
        averaged(gate, f"{cell}, np {np_}", dim, r)
        written(gate, cell, dim, r)
    turned(gate)


def columns(array, name):
    """Columns of a field by the names of its components."""
    ends = ("xx", "yy", "zz", "xy", "yz", "xz") if array.ndim == 2 and array.shape[1] == 6 else "xyz"
    return {f"{name}_{end}": array[:, i] for i, end in enumerate(ends)} if array.ndim == 2 else {name: array}


def averaged(gate, what, dim, r):
    """Averages of a flow that is steady."""
    f = run.Fields(r.file("_a.vtu"))
    want = exact(dim, f.points[:, :dim])
    mean = {k: v for name in FIELDS.split(",") for k, v in columns(f[f"{name}_mean"], name).items()}
    gate.at_most(f"{what}: averages", largest(float(np.abs(mean[k] - v).max()) for k, v in want.items()), 1e-7)
    gate.at_most(f"{what}: what they vary by", largest(float(np.abs(f[f"{name}_rms"]).max()) for name in FIELDS.split(",")), 1e-6)


def written(gate, cell, dim, r):
    """-output_fields all in single precision."""
    f = r.fields()
    want = exact(dim, f.points[:, :dim])
    worst = 0
    for name, array in f.arrays.items():
        for key, values in columns(array, name).items():
            if key in want:
                worst = largest(worst, float(np.abs(values - want[key]).max()))
    gate.at_most(f"{cell}: fields in single precision", worst, 2e-6)
    gate.true(f"{cell}: single precision", f["velocity"].dtype == np.float32 and {"log_conformation", "q_criterion", "wi", "shear_rate", "viscosity"} <= set(f.arrays))
    c = f["conformation"].astype(float)
    full = lambda a: np.stack([a[:, [0, 3, 5]], a[:, [3, 1, 4]], a[:, [5, 4, 2]]], axis=1)
    w, A = np.linalg.eigh(full(f["log_conformation"].astype(float)))
    gate.at_most(f"{cell}: exp of the logarithm", float(np.abs(np.einsum("nik,nk,njk->nij", A, np.exp(w), A) - full(c)).max()), 1e-5)


def turned(gate):
    """Rigid rotation in an annulus of quads that are no parallelograms."""
    path = f"{run.folder('kinds')}/annulus.msh"
    diagnostics.annulus(path, 24, 5)
    given = [w for label in ("inner", "outer") for w in (f"-bc_{label}_type", "inlet", f"-bc_{label}_velocity", "-3*y,3*x")]
    x = np.array([[1.2, 0.3], [-0.4, 1.5], [-1.1, -1.2], [0.9, -1.3]])
    r = case("-mesh_file", path, *given, "-initial_velocity", "-3*y,3*x", "-scheme_lumped_dt", "1e-10", "-stop_steps", "1", "-diagnostic_p_kind", "probe", "-diagnostic_p_points", ";".join(f"{a},{b}" for a, b in x),
             "-diagnostic_p_fields", "velocity,vorticity,shear_rate,q_criterion", np=2).table("_p.csv")
    for k, (a, b) in enumerate(x):
        gate.at_most(f"rotation, point {k}", largest(abs(r[f"velocity_x_{k}"][0] + 3 * b), abs(r[f"velocity_y_{k}"][0] - 3 * a), abs(r[f"vorticity_{k}"][0] - 6), abs(r[f"shear_rate_{k}"][0]), abs(r[f"q_criterion_{k}"][0] - 9)), 1e-6)


SHEAR = ["-physics", "carreau_yasuda,oldroydb", "-physics_carreau_yasuda_viscosity", ETA, "-physics_carreau_yasuda_lambda", "0.4", "-physics_carreau_yasuda_n", "0.6", *POLYMER,
         "-form_density", "3"]
MOST = ",".join(("vorticity", "shear_rate", "viscosity", "q_criterion", "wi", "log_conformation", "n1"))


def thinned(rate):
    """Of SHEAR at a shear rate: Carreau-Yasuda's a is 2."""
    return ETA * (1 + (0.4 * rate) ** 2) ** ((0.6 - 1) / 2) + ETA_P


def tables(kinds, fields):
    return [w for name, kind in kinds.items() for w in (f"-diagnostic_{name}_kind", kind, f"-diagnostic_{name}_fields", fields)]


def still(labels, u, *words, **keywords):
    """One step that is too short for anything to change."""
    given = [w for label in labels for w in (f"-bc_{label}_type", "inlet", f"-bc_{label}_velocity", u, f"-bc_{label}_polymer", "free")]
    return case(*given, "-initial_velocity", u, "-scheme_lumped_dt", "1e-10", "-stop_steps", "1", *words, laws=SHEAR, **keywords)


def poiseuille(gate):
    """Half of a channel, u = 2.5 (1 - y^2) from the middle to the wall: linear in each of n rows. Nodal shear rates are means of two rows, at
    the wall and in the middle that of one; their integral is the velocity's difference."""
    n, length, U = 6, 1.5, 2.5
    c = np.array([[2, 0.3, 0], [0.3, 0.8, 0], [0, 0, 1]])
    w, A = np.linalg.eigh(c)
    log = A @ np.diag(np.log(w)) @ A.T
    for cell, np_ in (("quadrilateral", 1), ("triangle", 2), ("mixed", 3)):
        r = still(SIDES[2], f"{U}*(1-y*y),0", "-mesh_box_cell", cell, "-mesh_box_faces", f"4,{n}", "-mesh_box_upper", f"{length},1", "-initial_conformation", "2,0.8,0.3", *tables({"e": "extrema", "i": "integral"}, MOST), np=np_)
        most, whole = last(r, "e"), last(r, "i")
        wall, middle = U * (2 - 1 / n), U / n
        gate.at_most(f"channel of {cell}s, np {np_}: shear rate", largest(abs(most["shear_rate_max"] - wall), abs(most["shear_rate_min"] - middle), abs(most["vorticity_max"] - wall)), 1e-7)
        gate.near(f"channel of {cell}s, np {np_}: its place", most["shear_rate_max_at_y"], 1, 1e-12)
        gate.near(f"channel of {cell}s, np {np_}: its integral", whole["shear_rate_integral"], U * length, 1e-7)
        gate.near(f"channel of {cell}s, np {np_}: that of the vorticity", whole["vorticity_integral"], U * length, 1e-7)
        gate.near(f"channel of {cell}s, np {np_}: of the Weissenberg number", whole["wi_mean"], LAMBDA * U, 1e-7)
        gate.at_most(f"channel of {cell}s, np {np_}: viscosity", largest(abs(most["viscosity_min"] - thinned(wall)), abs(most["viscosity_max"] - thinned(middle))), 1e-7)
        gate.at_most(f"channel of {cell}s, np {np_}: Q is 0", largest(abs(most["q_criterion_min"]), abs(most["q_criterion_max"])), 1e-7)
        ends = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "yz": (1, 2), "xz": (0, 2)}
        gate.at_most(f"channel of {cell}s, np {np_}: logarithm", largest(abs(t[f"log_conformation_{k}_{end}"] - log[at] * scale) for k, at in ends.items() for t, end, scale in ((most, "min", 1), (most, "max", 1), (whole, "integral", length))), 1e-7)
        gate.near(f"channel of {cell}s, np {np_}: N1", whole["n1_mean"], ETA_P / LAMBDA * (2 - 0.8), 1e-7)


def last(r, name):
    return {k: v[-1] for k, v in r.table(f"_{name}.csv").items()}


def swaying(gate):
    """One element between plates of which one moves by 0.5 + sin(2 pi t): its gradients are that over the gap."""
    gap = 0.8
    size = 2 / math.pi * (math.sqrt(0.75) + 0.5 * math.asin(0.5))  # mean of its magnitude
    for np_ in (1, 2, 3):
        r = case("-mesh_box_faces", "4,1", "-mesh_box_upper", f"1,{gap}", "-mesh_box_periodic", "x", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "0.5+sin(2*pi*t),0", "-scheme_lumped_dt",
                 "0.01", "-stop_time", "1.4", *tables({"a": "average"}, "vorticity,shear_rate,wi,q_criterion"), "-diagnostic_a_start", "0.3", "-diagnostic_a_period", "1", laws=SHEAR, np=np_)
        f = run.Fields(r.file("_a.vtu"))
        want = {"vorticity_mean": -0.5 / gap, "vorticity_rms": math.sqrt(0.5) / gap, "shear_rate_mean": size / gap, "shear_rate_rms": math.sqrt(0.75 - size**2) / gap, "wi_mean": LAMBDA * size / gap, "q_criterion_mean": 0,
                "q_criterion_rms": 0}
        gate.at_most(f"swaying plate, np {np_}: averages", largest(float(np.abs(f[k] - v).max()) for k, v in want.items()), 1e-3)


def units(r):
    """(diagnostic, column) to unit."""
    return {tuple(line.split(",")[:2]): line.strip().split(",")[2] for line in open(r.file("_units.csv"))}


def axisymmetric(gate):
    """Elongation and shear, u_z = 0.8 z + 1.3 r, u_r = -0.4 r; u_z = -3 r z, u_r = r^2, where the hoop's u_r/r is not u_r,r."""
    labels = ("left", "right", "top")
    rate = math.sqrt(2 * (0.8**2 + 2 * 0.4**2) + 1.3**2)
    want = {"vorticity": -1.3, "shear_rate": rate, "viscosity": thinned(rate), "wi": LAMBDA * rate, "q_criterion": -(0.8**2 + 2 * 0.4**2) / 2}
    for cell, np_ in (("quadrilateral", 1), ("triangle", 3), ("mixed", 2)):
        r = still(labels, "0.8*x+1.3*y,-0.4*y", "-form_axisymmetric", "true", "-bc_bottom_type", "symmetry", "-mesh_box_cell", cell, "-mesh_box_faces", "5,4", "-mesh_box_upper", "1,0.7",
                  *tables({"e": "extrema", "i": "integral", "a": "average"}, ",".join(want)), np=np_)
        most, whole, f = last(r, "e"), last(r, "i"), run.Fields(r.file("_a.vtu"))
        gate.at_most(f"axisymmetric, {cell}s, np {np_}: least and greatest values", largest(abs(most[f"{k}_{end}"] - v) for k, v in want.items() for end in ("min", "max")), 1e-7)
        gate.at_most(f"axisymmetric, {cell}s, np {np_}: integrals", largest(abs(whole[f"{k}_integral"] - math.pi * 0.49 * v) for k, v in want.items()), 1e-7)
        gate.true(f"axisymmetric, {cell}s, np {np_}: units", [units(r)["i", f"{k}_integral"] for k in ("vorticity", "viscosity", "wi")] == ["m^3/s", "m^3 Pa s", "m^3"])
        gate.at_most(f"axisymmetric, {cell}s, np {np_}: averages", largest(float(np.abs(f[f"{k}_mean"] - v).max()) for k, v in want.items()), 1e-7)
    x = np.array([[0.25, 0.7], [0.5, 0.3], [0.75, 0.5]])
    r = last(still(labels, "-3*x*y,y*y", "-form_axisymmetric", "true", "-bc_bottom_type", "symmetry", "-mesh_box_faces", "20,20", *tables({"p": "probe"}, "shear_rate,viscosity,wi"), "-diagnostic_p_points",
                   ";".join(f"{a},{b}" for a, b in x), np=2), "p")
    for k, (z, radius) in enumerate(x):
        rate = math.sqrt(2 * (9 + 1 + 4) * radius**2 + 9 * z * z)
        gate.relative(f"axisymmetric, the hoop's part, point {k}: shear rate", r[f"shear_rate_{k}"], rate, 5e-3)
        gate.relative(f"axisymmetric, the hoop's part, point {k}: viscosity", r[f"viscosity_{k}"], thinned(rate), 2e-3)
        gate.relative(f"axisymmetric, the hoop's part, point {k}: Weissenberg number", r[f"wi_{k}"], LAMBDA * rate, 5e-3)


def made(gate):
    poiseuille(gate)
    swaying(gate)
    axisymmetric(gate)


FLOW = ["-mesh_box_faces", "7,6", "-bc_left_type", "inlet", "-bc_left_velocity", "6*y*(1-y)*(1+t),0", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-bc_right_type", "outlet", "-bc_right_polymer", "zero",
        "-initial_velocity", "6*y*(1-y),0", "-scheme_lumped_dt", "0.0013"]
TIMED = ["-diagnostic_p_kind", "probe", "-diagnostic_p_points", "0.3,0.4", "-diagnostic_p_every_dt", "0.004", "-diagnostic_l_kind", "line", "-diagnostic_l_from", "0.5,0", "-diagnostic_l_to", "0.5,1",
         "-diagnostic_l_every_dt", "0.006", "-diagnostic_q_kind", "flux", "-diagnostic_q_label", "left", "-diagnostic_q_every_dt", "0.01", "-diagnostic_q_every", "5", "-output_dt", "0.005"]


def times(gate):
    r = case(*FLOW, *TIMED, "-stop_time", "0.02", np=2)
    gate.true("rows at exact times", [round(t, 14) for t in r.table("_p.csv")["t"]] == [0.004, 0.008, 0.012, 0.016, 0.02])
    gate.true("fields too", [round(t, 14) for t in run.series(r.file(".pvd"))[0]] == [0, 0.005, 0.01, 0.015, 0.02])
    q = r.table("_q.csv")
    gate.true("by steps and by time", {0.01, 0.02} <= {round(t, 14) for t in q["t"]} and all(s % 5 == 0 or round(t, 14) in (0.01, 0.02) for s, t in zip(q["step"], q["t"])) and len(q["t"]) > 3)
    gate.near("the inlet's flux at such a time", q["left_flux"][-1], -(1 + 0.02) * 35 / 36, 1e-9)
    history = {int(s): t for s, t in zip(r.table("_history.csv")["step"], r.table("_history.csv")["t"])}
    profiles = sorted(int(f[-10:-4]) for f in os.listdir(r.out) if f.startswith("k_l_"))
    gate.true("profiles are told", f"  l: {r.out}/k_l_*.csv" in r.stdout)
    gate.true("profiles at their times", [round(history[s], 14) for s in profiles] == [0.006, 0.012, 0.018, 0.02])
    told = units(r)
    gate.true("units beside", told["p", "pressure_0"] == "Pa" and told["p", "velocity_x_0"] == "m/s" and told["q", "left_flux"] == "m^2/s")
    restart(gate, r)


def restart(gate, whole):
    """A run that ends at a time of the table, and one that goes on: the rows of one run, none twice."""
    out = case(*FLOW, *TIMED, "-stop_time", "0.012").out
    shutil.copy(f"{out}/k_checkpoint.h5", f"{out}/middle.h5")
    for end in ("0.016", "0.02"):  # the second time 0.016 is repeated
        again = case(*FLOW, *TIMED, "-stop_time", end, "-case_restart", f"{out}/middle.h5", out=out)
    one, two = whole.table("_p.csv"), again.table("_p.csv")
    gate.true("restart: the same rows", list(np.round(one["t"], 14)) == list(np.round(two["t"], 14)))
    gate.at_most("restart: the same values", largest(float(np.abs(one[k] - two[k]).max()) for k in one if k != "step"), 1e-7)


def beside(gate):
    """A CSV of points that a case names lies beside it."""
    folder = run.folder("kinds")
    with open(f"{folder}/beside.yaml", "w") as f:
        f.write("diagnostic: {p: {kind: probe, points_file: points.csv}}\n")
    for rows, sentence in (("0.5,0.5\n1.2,0.55\n", "-diagnostic_p_points_file: got the point (1.2, 0.55), which is outside the mesh"), ("x,y\n0.5,0.5,0.1\n", "points.csv: line 2: "), ("", "got no"), (None, "cannot be opened")):
        if rows is None:
            os.remove(f"{folder}/points.csv")
        else:
            with open(f"{folder}/points.csv", "w") as f:
                f.write(rows)
        done = run.rheoplex("run", f"{folder}/beside.yaml", *LAWS, *FLOW, "-stop_steps", "1", out=f"{folder}/o", expect=None)
        gate.true(f"refused: points of a CSV, {rows!r}: {done.stderr[:160]}", done.rc != 0 and "-diagnostic_p_points_file" in done.stderr and sentence in done.stderr)


def walls(gate):
    """Labels of wall_average: an outlet and what has no shear stress are refused, an inlet, which may be a wall that lets fluid through, is told."""
    top = lambda *words: ["-bc_top_type", *words]
    for label, words, why in (("bottom,right", [], "got 'right', where the fluid leaves, expected walls"), ("top", top("symmetry"), "got 'top', a plane of symmetry, without shear stress"),
                              ("top", top("free_slip"), "got 'top', where there is no shear stress (free_slip)"), ("top", top("slip", "-bc_top_friction", "3"), None),
                              ("bottom,top", top("moving_wall", "-bc_top_velocity", "0.1,0"), None), ("bottom,left", [], "warning: -diagnostic_w_label: got 'left', which is no wall")):
        done = run.rheoplex("check", "-case_name", "k", *LAWS, *FLOW, *words, "-stop_steps", "1", "-diagnostic_w_kind", "wall_average", "-diagnostic_w_label", label, out=run.folder("kinds"), expect=None)
        refused_ = why is not None and not why.startswith("warning")
        gate.true(f"wall_average of {label}: {why or 'taken'}", done.rc == int(refused_) and ("-diagnostic_w_label" in done.stderr) == (why is not None) and (why or "") in done.stderr)


def refused(gate):
    for words, sentence in ((["-diagnostic_p_kind", "probe", "-diagnostic_p_points", "0.5,0.5; 1.2,0.55"], "-diagnostic_p_points: got the point (1.2, 0.55), which is outside the mesh, expected one inside; the nearest node is (1, 0.5), 0.206155 m away"),
                            (["-diagnostic_p_kind", "probe"], "-diagnostic_p_points: got 0 numbers, expected 2 a point"),
                            (["-diagnostic_p_kind", "probe", "-diagnostic_p_points", "0.5,a"], "-diagnostic_p_points: got 'a', expected a number"),
                            (["-diagnostic_p_kind", "probes"], "did you mean 'probe'?"),
                            (["-diagnostic_p_kind", "probe", "-diagnostic_p_points", "0.5,0.5", "-diagnostic_p_fields", "temperature"], "-diagnostic_p_fields: got the field 'temperature', which a state of these laws does not have"),
                            (["-diagnostic_p_kind", "probe", "-diagnostic_p_points", "0.5,0.5", "-diagnostic_p_fields", "pressure,cfl"], "got 'cfl', which has a value an element"),
                            (["-output_fields", "velocity,vorticty"], "did you mean 'vorticity'?"),
                            (["-diagnostic_l_kind", "line", "-diagnostic_l_from", "0,0", "-diagnostic_l_to", "1,1,1"], "-diagnostic_l_to: got 3 numbers"),
                            (["-diagnostic_q_kind", "flux", "-diagnostic_q_label", "lid"], "no boundary face has the label 'lid'"),
                            (["-diagnostic_q_kind", "flux", "-diagnostic_q_label", "left", "-diagnostic_q_every", "0"], "-diagnostic_q_every: got \"0\", expected an integer >= 1"),
                            (["-diagnostic_q_kind", "flux", "-diagnostic_q_label", "left", "-diagnostic_q_every_dt", "-1"], "-diagnostic_q_every_dt: got \"-1\""),
                            (["-diagnostic_q_kind", "forces", "-diagnostic_q_label", "left,right,left"], "-diagnostic_q_label: got the label 'left' twice"),
                            (["-diagnostic_q_kind", "forces", "-diagnostic_q_label", "left", "-diagnostic_q_drag_direction", "0,0"], "-diagnostic_q_drag_direction: got '0,0', expected a vector other than zero"),
                            (["-diagnostic_q_kind", "forces", "-diagnostic_q_label", "left", "-diagnostic_q_lift_direction", "1,0,0"], "-diagnostic_q_lift_direction: got 3 numbers, expected 2 a point or vector"),
                            (["-diagnostic_l_kind", "line", "-diagnostic_l_from", "0.2,0.3", "-diagnostic_l_to", "0.2,0.3"], "-diagnostic_l_from, _to: got the same point '0.2,0.3' twice"),
                            (["-diagnostic_l_kind", "line", "-diagnostic_l_from", "0,0", "-diagnostic_l_to", "1,1", "-diagnostic_l_n", "2000000000"], "-diagnostic_l_n: got \"2000000000\", expected an integer from 2 to 100000"),
                            (["-diagnostic_l_kind", "line", "-diagnostic_l_from", "0,0", "-diagnostic_l_to", "1,1", "-diagnostic_l_fields", ""], "-diagnostic_l_fields: got no field")):
        done = case(*FLOW, *words, "-stop_steps", "1", expect=None)
        gate.true(f"refused: {' '.join(words)[:60]}", done.rc != 0 and sentence in done.stderr)
    beside(gate)
    unit, longer = (case(*FLOW, "-stop_steps", "1", "-diagnostic_q_kind", "forces", "-diagnostic_q_label", "bottom", "-diagnostic_q_coefficients",
                         "-diagnostic_q_drag_direction", e).table("_q.csv") for e in ("0.6,0.8", "6,8"))
    gate.near("the length of a direction does not count", float(longer["bottom_c_D"][-1]), float(unit["bottom_c_D"][-1]), 1e-14 * abs(float(unit["bottom_c_D"][-1])))
    gate.true("c_D is not zero", abs(float(unit["bottom_c_D"][-1])) > 1e-6)
    walls(gate)
    late = case(*FLOW, "-stop_steps", "2", "-diagnostic_a_kind", "average", "-diagnostic_a_start", "1e3", "-diagnostic_w_kind", "wall_average",
                "-diagnostic_w_label", "bottom", "-diagnostic_w_start", "1e3")
    gate.true("averages that never begin are told", all(f"-diagnostic_{k}_start: got 1000 s" in late.stdout for k in "aw"))
    gate.true("and not written", not any(n.startswith(("k_a.", "k_w_")) for n in os.listdir(late.out)))
    mean = ["-stop_time", 2, "-diagnostic_a_kind", "average", "-diagnostic_a_start"]
    before = lambda *words: run.rheoplex("check", *LAWS, *FLOW, *mean, *words, out=run.folder("kinds")).stderr
    gate.true("before the run too", "-diagnostic_a_start: got 2.5 s, expected a time before the run's end at 2 s (-stop_time)" in before(2.5))
    gate.true("and of a period", "-diagnostic_a_period: got 1 s, of which none from 1.5 s on ends before the run does at 2 s" in before(1.5, "-diagnostic_a_period", 1) and "averaged" not in before(1, "-diagnostic_a_period", 1))
    tones = ["-diagnostic_q_kind", "flux", "-diagnostic_q_label", "left", "-diagnostic_h_kind", "harmonics", "-diagnostic_h_of", "q", "-diagnostic_h_column", "left_flux", "-diagnostic_h_frequency"]
    gate.true("and of harmonics", "-diagnostic_h_frequency: got 0.4 1/s, a period of 2.5 s, of which none from 0 s on" in before(1, *tones, 0.4) and "averaged" not in before(1, *tones, 0.6))
    short = case(*FLOW, "-stop_steps", "2", "-diagnostic_w_kind", "wall_average", "-diagnostic_w_label", "bottom", "-diagnostic_w_period", "1e3")
    gate.true("a period that has not ended is told", "-diagnostic_w_period: got 1000 s, of which none has ended" in short.stdout)
    twice = f"{run.folder('kinds')}/twice.yaml"
    with open(twice, "w") as f:
        f.write("physics: newtonian\ndiagnostic:\n  q: {kind: flux, label: left}\n  q: {kind: health}\n")
    done = run.rheoplex("run", twice, out=run.folder("kinds"), expect=None)
    gate.true("refused: two diagnostics of one name", done.rc != 0 and "diagnostic_q_kind" in done.stderr and "twice" in done.stderr.lower())


def rows(gate):
    """Tables of walls in space have the same rows in the same order on any number of ranks; a node of a period is at the first of its places."""
    flow = ["-mesh_box_upper", "2,1,0.7", "-form_density", 3, "-physics", "newtonian", "-physics_newtonian_viscosity", ETA, "-stabiliser", "split_oss", "-bc_left_type", "inlet", "-bc_left_velocity", "16*y*(1-y),0,0.2*y", "-bc_right_type", "outlet",
            "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-diagnostic_wall", "bottom", "-diagnostic_mean_kind", "wall_average", "-diagnostic_mean_label", "bottom", "-scheme", "lumped", "-scheme_lumped_dt", 1e-3, "-stop_steps", 3,
            "-pressure_ksp_rtol", 1e-12, "-output_fields", "false"]
    walls = ["-bc_front_type", "wall", "-bc_back_type", "wall"]
    for name, words in (("hexahedra", ["-mesh_box_faces", "5,4,3", *walls]), ("tetrahedra, refined in parallel", ["-mesh_box_faces", "4,3,2", "-mesh_box_cell", "tetrahedron", "-dm_refine", 1, *walls]),
                        ("a period", ["-mesh_box_faces", "5,4,3", "-mesh_box_periodic", "z"])):
        found = [case(*words, laws=flow, np=np_) for np_ in (1, 2, 3)]
        for ending in "_wall_bottom.csv", "_mean_bottom.csv":
            one, *others = (result.table(ending) for result in found)
            place = np.column_stack([one[c] for c in "xyz"])
            gate.true(f"{name}, {ending}: {len(place)} places, each once", len(place) > 15 and len(np.unique(place, axis=0)) == len(place) and (name != "a period" or place[:, 2].max() < 0.69))
            for np_, other in zip((2, 3), others):
                gate.true(f"{name}, {ending}, np {np_}: the same places in the same order", np.array_equal(np.column_stack([other[c] for c in "xyz"]), place))
                known = {c: np.isfinite(one[c]) for c in one}
                gate.true(f"{name}, {ending}, np {np_}: nan in the same rows", all(np.array_equal(known[c], np.isfinite(other[c])) for c in one))
                gate.at_most(f"{name}, {ending}, np {np_}: values, over the largest of the column", largest(abs(other[c] - one[c])[known[c]].max() / largest(1e-3, *abs(one[c][known[c]])) for c in one if known[c].any()), 1e-9)


def main():
    gate = Gate(f"diagnostics_{sys.argv[1]}")
    {"points": points, "made": made, "times": times, "rows": rows, "refused": refused}[sys.argv[1]](gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
