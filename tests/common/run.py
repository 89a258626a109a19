"""Runs rheoplex and reads what it writes."""
import csv
import math
import os
import subprocess
import tempfile
import time

import numpy as np

RHEOPLEX = os.environ["RHEOPLEX"]
SOURCE = os.environ["RHEOPLEX_SOURCE"]
OPTIONS = f"{SOURCE}/options"
MESHES = f"{SOURCE}/meshes"


def folder(name):
    """A fresh folder for the files of a test, kept after it."""
    base = f"{os.environ['RHEOPLEX_BUILD_DIR']}/work"
    os.makedirs(base, exist_ok=True)
    return tempfile.mkdtemp(prefix=name + "_", dir=base)


class Failure(Exception):
    pass


PATIENCE = 100  # seconds, for what a busy machine does late; no measure of speed


def wait(condition, what, process=None):
    """Until the condition is so; fails when the process ends before, or in vain."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if process and process.poll() is not None and not condition():
            raise Failure(f"the run has ended before {what}")
        if time.monotonic() > end:
            raise Failure(f"waited in vain for {what}")
        time.sleep(0.01)


def state(pid):
    """Of a process: R, S, T, Z, ...; empty where there is none."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


class Run:
    """A finished run: exit code, text, output folder, seconds."""

    def __init__(self, out, process, seconds):
        self.out, self.rc, self.stdout, self.stderr, self.seconds = out, process.returncode, process.stdout, process.stderr, seconds

    def file(self, ending):
        """The one file of the output folder whose name ends so."""
        found = sorted(f for f in os.listdir(self.out) if f.endswith(ending))
        if len(found) != 1:
            raise Failure(f"{self.out}: {len(found)} files end in {ending}: {sorted(os.listdir(self.out))}")
        return f"{self.out}/{found[0]}"

    def table(self, ending):
        return table(self.file(ending))

    def texts(self, ending):
        """Rows of a table whose values need not be numbers."""
        with open(self.file(ending), newline="") as f:
            return list(csv.DictReader(f))

    def checkpoint(self, dataset="state", file="_checkpoint.h5"):
        """State by natural node number, [n][block]."""
        import h5py

        with h5py.File(self.file(file)) as f:
            return f[dataset][...]

    def fields(self, which=-1):
        """Points, cells and point arrays of the last (or given) .vtu."""
        found = sorted((f for f in os.listdir(self.out) if f.endswith(".vtu") and f[:-4].rsplit("_", 1)[1].isdigit()), key=lambda f: int(f[:-4].rsplit("_", 1)[1]))
        if not found:
            raise Failure(f"{self.out}: no .vtu file")
        return Fields(f"{self.out}/{found[which]}")


def rheoplex(*arguments, out, np=1, expect=0, timeout=1200):
    """rheoplex with these arguments and -output_folder out; raises Failure if the exit code is not as expected (None: any)."""
    command = [RHEOPLEX, *map(str, arguments)]
    if arguments and arguments[0] in ("run", "eigen"):
        command += ["-output_folder", out]
    if np > 1:
        command = [os.environ["RHEOPLEX_MPIEXEC"], "-n", str(np)] + command
    start = time.monotonic()
    process = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    run = Run(out, process, time.monotonic() - start)
    if expect is not None and process.returncode != expect:
        raise Failure(f"{' '.join(command)}\nexit code {process.returncode}, expected {expect}\n{process.stdout[-3000:]}\n{process.stderr[-3000:]}")
    return run


def gmsh(geometry, name, *numbers, dim=2):
    """A mesh of a .geo of meshes/ with these numbers, pairs of name and value."""
    mesh = f"{folder('mesh')}/{name}.msh"
    words = [x for pair in numbers for x in ("-setnumber", *map(str, pair))]
    subprocess.run(["gmsh", "-v", "2", "-format", "msh22", f"-{dim}", f"{MESHES}/{geometry}", "-o", mesh, *words], check=True)
    return mesh


def has(package):
    """Was PETSc built with this package? As --version says."""
    process = subprocess.run([RHEOPLEX, "--version"], capture_output=True, text=True, timeout=60)
    return f"{package} yes" in process.stdout


def options(**pairs):
    """Keywords as command-line options: a_b=1 -> -a_b 1; True alone."""
    words = []
    for key, value in pairs.items():
        words += [f"-{key}", repr(value) if isinstance(value, float) else str(value)]
    return words


def table(path):
    """Columns of a CSV by name, as arrays; lines that begin with # are left out."""
    with open(path) as f:
        rows = list(csv.reader(line for line in f if not line.startswith("#")))
    data = np.array([[float(v) if v else math.nan for v in row] for row in rows[1:]])
    return {name.strip(): data[:, i] for i, name in enumerate(rows[0])}


def reference(name, **select):
    """Rows of share/reference/<name>.csv whose columns have the values of select."""
    with open(f"{SOURCE}/share/reference/{name}.csv") as f:
        rows = list(csv.DictReader(line for line in f if not line.startswith("#")))
    found = [row for row in rows if all(row[k] == str(v) for k, v in select.items())]
    if not found:
        raise Failure(f"share/reference/{name}.csv has no row with {select}")
    return found


class Fields:
    def __init__(self, path):
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

        reader = vtkXMLUnstructuredGridReader()
        reader.SetFileName(path)
        reader.Update()
        self.grid = reader.GetOutput()
        self.points = vtk_to_numpy(self.grid.GetPoints().GetData()).astype(float)
        data = self.grid.GetPointData()
        self.arrays = {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}
        if not (self.arrays or self.grid.GetCellData().GetNumberOfArrays()) or not len(self.points):
            raise Failure(f"{path}: no points or no arrays")

    def __getitem__(self, name):
        return self.arrays[name]

    def cells(self, name):
        """Values of the elements."""
        from vtkmodules.util.numpy_support import vtk_to_numpy

        return vtk_to_numpy(self.grid.GetCellData().GetArray(name))

    def centres(self):
        """Means of the elements' points."""
        from vtkmodules.util.numpy_support import vtk_to_numpy

        starts, nodes = vtk_to_numpy(self.grid.GetCells().GetOffsetsArray()), vtk_to_numpy(self.grid.GetCells().GetConnectivityArray())
        return np.add.reduceat(self.points[nodes], starts[:-1]) / np.diff(starts)[:, None]

    def unique(self):
        """Indices of one copy of each point (pieces repeat points on their borders), in the order of the coordinates."""
        keys = np.round(self.points, 9)
        _, index = np.unique(keys, axis=0, return_index=True)
        return index


def crossings(x, g):
    """Separation (+ to -) and reattachment (- to +) points of g by linear interpolation."""
    separation, reattachment = [], []
    for i in range(len(g) - 1):
        if g[i] * g[i + 1] < 0:
            place = x[i] + (x[i + 1] - x[i]) * g[i] / (g[i] - g[i + 1])
            (separation if g[i] > 0 else reattachment).append(place)
    return separation, reattachment


def order(h, error):
    """Observed orders between successive meshes."""
    return [math.log(error[i] / error[i + 1]) / math.log(h[i] / h[i + 1]) for i in range(len(h) - 1)]


def trapezoid(x, f):
    """Integral of f over x by the trapezoidal rule."""
    order = np.argsort(x)
    return float(np.sum((f[order][1:] + f[order][:-1]) / 2 * np.diff(x[order])))


def series(pvd):
    """Times and files of a .pvd."""
    import xml.etree.ElementTree as tree

    sets = list(tree.parse(pvd).getroot().iter("DataSet"))
    return [float(s.get("timestep")) for s in sets], [os.path.join(os.path.dirname(pvd), s.get("file")) for s in sets]
