"""output.py <driver> fields|checkpoint|table: what the output room writes, read back."""
import math
import os
import subprocess
import sys

import numpy as np
import run
from gate import Gate, largest

PHYSICS = ["-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.5", "-stabiliser", "split_oss",
           "-scheme", "lumped", "-scheme_lumped_dt", "1e-3", "-stop_steps", "1", "-polymer_variable", "conformation"]
# Mode 1 has twice the viscosity and half the relaxation time of mode 0: G = 1 and 4 Pa.
MODES = ["-physics_oldroydb_modes", "2", "-physics_oldroydb_viscosity", "0.5,1", "-physics_oldroydb_lambda", "0.5,0.25"]
MODULUS = [1.0, 4.0]


VELOCITY = ["sin(2*pi*x)+2", "cos(2*pi*y)+3*sin(2*pi*x)", "cos(2*pi*z)+0.25"]


def inlets(dim, *labels):
    """Conditions that leave the initial state as it is."""
    velocity = ",".join(VELOCITY[:dim])
    return [w for label in labels for w in (f"-bc_{label}_type", "inlet", f"-bc_{label}_velocity", velocity, f"-bc_{label}_polymer", "free")]


CASES = {
    "quads": (2, ["-mesh_box_faces", "5,4"] + inlets(2, "left", "right", "bottom", "top")),
    "mixed, jittered": (2, ["-mesh_box_faces", "6,4", "-mesh_box_cell", "mixed", "-mesh_box_jitter", "0.2"] + inlets(2, "left", "right", "bottom", "top")),
    "periodic triangles": (2, ["-mesh_box_faces", "4,3", "-mesh_box_cell", "triangle", "-mesh_box_periodic", "x"] + inlets(2, "bottom", "top")),
    "periodic quads in x and y": (2, ["-mesh_box_faces", "4,4", "-mesh_box_periodic", "xy"]),
    "tets": (3, ["-mesh_box_faces", "3,2,2", "-mesh_box_cell", "tetrahedron"] + inlets(3, "left", "right", "bottom", "top", "back", "front")),
    "periodic hexes": (3, ["-mesh_box_faces", "3,3,3", "-mesh_box_periodic", "xz"] + inlets(3, "bottom", "top")),
    "fewer cells than ranks": (2, ["-mesh_box_faces", "2,1"] + inlets(2, "left", "right", "bottom", "top")),
}


def state(dim):
    """Formulas that are periodic in every direction; tensors in the order of the unknowns."""
    tensors = []
    for k in (1, 2):
        diagonal = [f"{k}*(2+0.1*sin(2*pi*x))", f"{k}*(3+0.1*cos(2*pi*y))", f"{k}*(4+0.1*cos(2*pi*x))"]
        shear = [f"{k}*0.1", f"{k}*0.2", f"{k}*0.3*sin(2*pi*x)"]
        tensors.append(",".join(diagonal[:2] + shear[2:] if dim == 2 else diagonal + shear))
    return ["-initial_velocity", ",".join(VELOCITY[:dim]), "-initial_pressure", "sin(2*pi*x)*cos(2*pi*y)", "-initial_conformation", ";".join(tensors)]


def expected(points, dim):
    """The same by numpy, as the .vtu has it: XX YY ZZ XY YZ XZ; zz of plane flow is 1."""
    x, y, z = points.T
    s, c = np.sin(2 * math.pi * x), np.cos(2 * math.pi * y)
    zero = np.zeros_like(x)
    out = {"pressure": s * c}
    out["velocity"] = np.stack([s + 2, c + 3 * s, np.cos(2 * math.pi * z) + 0.25 if dim == 3 else zero], axis=1)
    total = 0
    for k in (0, 1):
        f = k + 1.0
        zz = f * (4 + 0.1 * np.cos(2 * math.pi * x)) if dim == 3 else zero + 1
        yz, xz = (f * 0.1 + zero, f * 0.2 + zero) if dim == 3 else (zero, zero)
        tensor = np.stack([f * (2 + 0.1 * s), f * (3 + 0.1 * c), zz, f * 0.3 * s, yz, xz], axis=1)
        out[f"conformation_{k}"] = tensor
        out[f"conformation_trace_{k}"] = tensor[:, :3].sum(axis=1)
        full = np.stack([tensor[:, [0, 3, 5]], tensor[:, [3, 1, 4]], tensor[:, [5, 4, 2]]], axis=1)
        out[f"conformation_min_eigenvalue_{k}"] = np.linalg.eigvalsh(full[:, :dim, :dim])[:, 0]
        out[f"stress_{k}"] = MODULUS[k] * (tensor - np.array([1, 1, 1, 0, 0, 0]))
        total = total + out[f"stress_{k}"]
    out["stress"], out["stress_trace"] = total, total[:, :3].sum(axis=1)
    return out


def drive(action, path, *options, np_=1, fails=False):
    command = [sys.argv[1], action, path, *options]
    if np_ > 1:
        command = [os.environ["RHEOPLEX_MPIEXEC"], "-n", str(np_)] + command
    process = subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ | {"OMPI_MCA_ess_singleton_isolated": "1"})
    if bool(process.returncode) != fails:
        raise run.Failure(f"{' '.join(command)}\nexit code {process.returncode}\n{process.stdout}\n{process.stderr}")
    return process.stderr if fails else process.stdout


def measure(grid):
    """Sum of the cells' areas or volumes, and the smallest."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter

    size = vtkCellSizeFilter()
    size.SetInputData(grid)
    size.Update()
    data = size.GetOutput().GetCellData()
    sizes = vtk_to_numpy(data.GetArray("Area")) + vtk_to_numpy(data.GetArray("Volume"))
    return sizes.sum(), sizes.min()


def check_file(gate, name, path, dim, ranks):
    f = run.Fields(path)
    wanted = expected(f.points, dim)
    gate.true(f"{name}: the arrays are the expected ones", set(f.arrays) == set(wanted))
    worst = largest(float(np.abs(f[k] - wanted[k]).max()) if f[k].shape == wanted[k].shape else math.nan for k in wanted if k in f.arrays)
    gate.at_most(f"{name}: largest difference at nodes", worst, 1e-13)
    total, least = measure(f.grid)
    gate.near(f"{name}: measure of the mesh", total, 1, 1e-12)
    gate.at_least(f"{name}: smallest cell", least, 1e-3)
    tensor = f.grid.GetPointData().GetArray("stress")
    names = [tensor.GetComponentName(i) for i in range(6)]
    gate.true(f"{name}: tensor components {' '.join(map(str, names))}", names == ["XX", "YY", "ZZ", "XY", "YZ", "XZ"])
    cells = f.grid.GetCellData().GetArray("rank")
    found = {cells.GetValue(i) for i in range(cells.GetNumberOfTuples())}
    gate.true(f"{name}: ranks {sorted(found)}", found <= set(range(ranks)) and (len(found) == min(ranks, cells.GetNumberOfTuples())))


def check_hdf(gate, name, vtu, hdf, single):
    """The same points, cells and fields as the .vtu, bit by bit; by h5py, as another reader sees it."""
    import h5py
    from vtkmodules.util.numpy_support import vtk_to_numpy

    f = run.Fields(vtu)
    cells = f.grid.GetCells()
    with h5py.File(hdf) as file:
        root = file["VTKHDF"]
        gate.true(f"{name}: VTKHDF 1.0, static", list(root.attrs["Version"]) == [1, 0] and root.attrs["Type"] == b"UnstructuredGrid" and "Steps" not in root)
        points, ncells, nconn = (root[f"NumberOf{n}"][...] for n in ("Points", "Cells", "ConnectivityIds"))
        first = np.concatenate([[0], np.cumsum(points)])
        conn = np.concatenate([c + first[i] for i, c in enumerate(np.split(root["Connectivity"][...], np.cumsum(nconn)[:-1]))])
        offsets = np.split(root["Offsets"][...], np.cumsum(ncells + 1)[:-1])
        ends = np.concatenate([[0]] + [o[1:] + n for o, n in zip(offsets, np.cumsum(nconn) - nconn)])
        gate.true(f"{name}: points, cells", np.array_equal(root["Points"][...], f.points) and np.array_equal(conn, vtk_to_numpy(cells.GetConnectivityArray()))
                  and np.array_equal(ends, vtk_to_numpy(cells.GetOffsetsArray())) and all(o[0] == 0 for o in offsets) and np.array_equal(root["Types"][...], vtk_to_numpy(f.grid.GetCellTypesArray())))
        gate.true(f"{name}: time", root["FieldData/TimeValue"][0] == f.grid.GetFieldData().GetArray("TimeValue").GetValue(0))
        for kind, data in (("PointData", f.grid.GetPointData()), ("CellData", f.grid.GetCellData())):
            want = {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}
            gate.true(f"{name}: {kind} bit by bit", sorted(root[kind]) == sorted(want) and len(want) > 0 and all(np.array_equal(root[kind][k][...], v.astype(np.float32) if single else v) for k, v in want.items()))
            gate.true(f"{name}: {kind} in {'single' if single else 'double'} precision", all(d.dtype == (np.float32 if single else np.float64) for d in root[kind].values()))


def listed(path):
    """Times and files of a .hdf.series."""
    import json

    with open(path) as f:
        entries = json.load(f)["files"]
    return [e["time"] for e in entries], [os.path.join(os.path.dirname(path), e["name"]) for e in entries]


def fields(gate):
    for name, (dim, mesh) in CASES.items():
        cells = {}
        for ranks in (1, 2, 3) if name == "quads" else (3,):
            out = run.folder("output")
            options = PHYSICS + MODES + mesh + state(dim) + ["-output_formats", "vtu,vtkhdf", "-output_vtkhdf_precision", "single" if ranks == 2 else "double", "-output_folder", f"{out}/a/b", "-output_dt", "0.5"]
            gate.true(f"{name}, np {ranks}: due as it should be", "due 1 0 0 1" in drive("fields", "-", *options, np_=ranks))
            gate.true(f"{name}, np {ranks}: times", run.series(f"{out}/a/b/flow.pvd")[0] == [0.0, 0.5])
            path = f"{out}/a/b/flow_000010.vtu"
            check_file(gate, f"{name}, np {ranks}", path, dim, ranks)
            check_hdf(gate, f"{name}, np {ranks}, .hdf", path, path.replace(".vtu", ".hdf"), ranks == 2)
            grid = run.Fields(path).grid
            cells[ranks] = grid.GetNumberOfCells()
            gate.near(f"{name}, np {ranks}: TimeValue", grid.GetFieldData().GetArray("TimeValue").GetValue(0), 0.5, 0)
            gate.true(f"{name}, np {ranks}: no temporary file left", not any(f.endswith(".tmp") for f in os.listdir(f"{out}/a/b")))
        gate.true(f"{name}: as many cells on any number of ranks", len(set(cells.values())) == 1)
    drive("restart", "-", *options, np_=2)
    gate.true("the series of a restart keeps what was before", run.series(f"{out}/a/b/flow.pvd")[0] == [0.0, 0.75])
    times, files = listed(f"{out}/a/b/flow.hdf.series")
    gate.true("that of .hdf too", times == [0.0, 0.75] and [os.path.basename(f) for f in files] == ["flow_000000.hdf", "flow_000015.hdf"] and all(map(os.path.exists, files)))
    message = drive("fields", "-", *options, "-output_vtkhdf_precision", "half", fails=True)
    gate.true("an unknown precision: one sentence", "-output_vtkhdf_precision" in message and "single" in message)
    message = drive("fields", "-", *options[:-3], "/dev/null/x", np_=2, fails=True)
    gate.true("unwritable folder: one message names folder and option", "/dev/null/x" in message and "-output_folder" in message)


def checkpoint(gate):
    folder = run.folder("output")
    file = f"{folder}/state.h5"
    base = PHYSICS + MODES + ["-output_folder", folder]
    for name in ("quads", "periodic triangles", "periodic hexes", "fewer cells than ranks"):
        dim, mesh = CASES[name]
        options = base + mesh + state(dim)
        for there, here in ((1, 2), (3, 1)) if name == "quads" else ((2, 3),):
            drive("write", file, *options, np_=there)
            words = drive("read", file, *options, np_=here).split("read ")[1].split()
            got = dict(zip(words[::2], map(float, words[1::2])))
            gate.at_most(f"{name}: state, np {there} to {here}", got["state"] + got["rate"], 0)
            gate.true(f"{name}: step, t, dt, np {there} to {here}", (got["step"], got["t"], got["dt"]) == (7, 1 / 3, 1e-3 / 3))
    dim, mesh = CASES["quads"]
    options = base + mesh + state(dim)
    drive("write", file, *options)
    gate.true("no temporary file left", os.listdir(folder) == ["state.h5"])

    def refused(what, path, *words, options=options, ranks=1):
        message = drive("read", path, *options, np_=ranks, fails=True)
        gate.true(f"{what}: one line with {', '.join(words)}", all(w in message for w in words) and "HDF5-DIAG" not in message and message.count("error:") == 1)

    whole = open(file, "rb").read()
    with open(f"{folder}/cut.h5", "wb") as f:
        f.write(whole[: len(whole) // 2])
    with open(f"{folder}/text.h5", "w") as f:
        f.write("not a checkpoint\n")
    import h5py

    with h5py.File(f"{folder}/foreign.h5", "w") as f:
        f["a"] = [1.0]
    refused("truncated", f"{folder}/cut.h5", "cut.h5", "truncated", "got", "expected", ranks=2)
    refused("text", f"{folder}/text.h5", "text.h5", "got", "expected")
    refused("foreign HDF5", f"{folder}/foreign.h5", "foreign.h5", "rheoplex_checkpoint")
    refused("missing", f"{folder}/none.h5", "none.h5", "No such file")
    other = base + ["-mesh_box_faces", "4,4"] + inlets(2, "left", "right", "bottom", "top")
    refused("other number of nodes", file, "nodes", "got 30", "expected 25", options=other + state(2))
    other = base + ["-mesh_box_faces", "4,5"] + inlets(2, "left", "right", "bottom", "top")
    refused("other mesh of as many nodes", file, "another mesh", options=other + state(2), ranks=2)
    refused("other number of modes", file, "physics", "oldroydb:1",
            options=PHYSICS + ["-physics_oldroydb_viscosity", "0.5", "-physics_oldroydb_lambda", "0.5", "-output_folder", folder] + mesh)
    refused("other variable", file, "got \"conformation\"", "expected \"stress\"", options=options + ["-polymer_variable", "stress"])
    message = drive("write", "/dev/null/x.h5", *options, np_=2, fails=True)
    gate.true("unwritable: one message", "/dev/null/x.h5" in message and "HDF5-DIAG" not in message)


def table(gate):
    path = f"{run.folder('output')}/table.csv"
    for ranks in (1, 2):
        drive("table", path, np_=ranks)
        t = run.table(path)
        gate.true(f"np {ranks}: steps after rewinding", list(t["step"]) == [1, 2, 3, 4] and list(t["value"]) == [0, 0, 1, 1])
        gate.at_most(f"np {ranks}: digits", float(np.abs(t["t"] - t["step"] / 7).max()), 1e-11)


def main():
    what = sys.argv[2]
    gate = Gate(f"output_{what}")
    {"fields": fields, "checkpoint": checkpoint, "table": table}[what](gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
