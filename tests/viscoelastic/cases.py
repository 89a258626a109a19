"""Cases of options/ from rest to rest: cases.py carreau_yasuda|ptt|tube (the aneurysm on 100 x 20 quads)."""
import sys

import numpy as np
import run
from gate import Gate, largest


def solve(gate, name, tolerance, *options):
    result = run.rheoplex("run", f"{run.OPTIONS}/{name}.yaml", *options, out=run.folder("cases"))
    history = result.table("_history.csv")
    gate.at_most("steady residual", largest(history["du_dt"][-1], history["dc_dt"][-1]), tolerance)
    gate.at_most("|outflow/inflow - 1|", abs(history["mass_error"][-1]), 1e-3)
    gate.note("time at rest, D/U", history["t"][-1])
    gate.note("run time, s", result.seconds)
    return result, history


def aneurysm(gate, name, dt):
    return solve(gate, f"aaa_re100_{name}", 1e-6, "-mesh_file", f"{run.MESHES}/aaa_100x20.msh", "-scheme_lumped_dt", dt)


def points(gate, result):
    wall = result.table("_wall_wall_bottom.csv")
    separation, reattachment = run.crossings(wall["x"], wall["wss_x"])
    gate.near("number of recirculations on the lower wall", len(separation), 2, 0)
    gate.near("each ends", len(reattachment), 2, 0)
    for k, place in enumerate(sorted(separation + reattachment)):
        gate.note(f"{'SR'[k % 2]}{k // 2 + 1}, D", place)
    return sum(r - s for s, r in zip(separation, reattachment))


def carreau_yasuda(gate, result=None):
    """The viscosity is everywhere above that of Re 100, so the recirculations are shorter than Oldroyd-B's there (1.53 + 3.16 D)."""
    result = result or aneurysm(gate, "carreau_yasuda", 0.005)[0]
    gate.at_most("length of the recirculations, D", points(gate, result), 3.0)


def ptt(gate, result=None):
    """Shear-thinning keeps the stretch below that of an Oldroyd-B fluid at the same We: 2 + 2 (We g)^2 = 450 at g = 15."""
    result = result or aneurysm(gate, "ptt", 0.01)[0]
    points(gate, result)
    gate.at_least("smallest eigenvalue of c", result.table("_history.csv")["min_eigenvalue"][-1], 0.30)
    c = result.fields()["conformation"]
    gate.at_most("largest trace of c", float((c[:, 0] + c[:, 1]).max()), 100)


def thrust(fields, x):
    """Integral of p + rho u^2 (rho = 1) over the cross-section of boundary triangles at x."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkFiltersGeometry import vtkGeometryFilter

    surface = vtkGeometryFilter()
    surface.SetInputData(fields.grid)
    surface.Update()
    surface = surface.GetOutput()
    point = vtk_to_numpy(surface.GetPoints().GetData())
    cells = vtk_to_numpy(surface.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    cells = cells[(abs(point[cells][:, :, 0] - x) < 1e-6).all(axis=1)]
    area = np.linalg.norm(np.cross(point[cells[:, 1]] - point[cells[:, 0]], point[cells[:, 2]] - point[cells[:, 0]]), axis=1) / 2
    p, u = (vtk_to_numpy(surface.GetPointData().GetArray(name))[cells] for name in ("pressure", "velocity"))
    u = u[:, :, 0]
    return float((area * (p.mean(axis=1) + ((u**2).sum(axis=1) + u.sum(axis=1) ** 2) / 12)).sum())


def tube(gate, *options):
    result, history = solve(gate, "tube_bulge_oldroydb", 1e-4, "-mesh_file", f"{run.MESHES}/tube_bulge.msh", *options)
    gate.at_least("smallest eigenvalue of c", history["min_eigenvalue"][-1], 0.2)
    for axis in "xyz":
        gate.note(f"its {axis}, D", history[f"min_eigenvalue_{axis}"][-1])
    fields = result.fields()
    keep = fields.unique()
    x, u = fields.points[keep], fields["velocity"][keep]
    across = float(abs(u[abs(x[:, 1:]).max(axis=1) < 0.1, 1:]).max())
    gate.at_most("cross-flow near the axis over the mean velocity", across, 0.1)
    gate.note("smallest axial velocity, U", float(u[:, 0].min()))
    gate.note("largest trace of c", float(fields["conformation"][:, :3].sum(axis=1).max()))
    balance = thrust(fields, fields.points[:, 0].min()) - thrust(fields, fields.points[:, 0].max())
    gate.relative("drag on the wall against pressure and momentum at the ends, rho U^2 D^2", result.table("_forces.csv")["wall_x"][-1], balance, 0.02)


def main(which):
    gate = Gate(f"viscoelastic_case_{which}")
    {"carreau_yasuda": carreau_yasuda, "ptt": ptt, "tube": tube}[which](gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
