"""-dm_refine: a refined mesh is the fine one where both are known; labels, sizes and shapes elsewhere.  refine.py <check>"""
import re
import sys

import numpy as np
import run

FLUID = {"case_name": "refine", "device": "cpu", "form_density": "3", "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": "0.05",
         "physics_oldroydb_viscosity": "0.03", "physics_oldroydb_lambda": "0.1", "stabiliser": "split_oss", "scheme_lumped_dt": "0.005",
         "stop_steps": "3", "pressure_ksp_rtol": "1e-13"}
WALLS = {f"bc_{side}_type": "wall" for side in ("left", "right", "bottom")}
FLAT = {**FLUID, **WALLS, "bc_top_type": "moving_wall", "bc_top_velocity": "16*x^2*(1-x)^2,0"}
CUBE = {**FLUID, **WALLS, "bc_front_type": "wall", "bc_back_type": "wall", "bc_top_type": "moving_wall", "bc_top_velocity": "16*x^2*(1-x)^2,0,0"}
STREAM = {**FLUID, "bc_bottom_type": "wall", "bc_top_type": "moving_wall", "bc_top_velocity": "1+sin(6.283185307179586*x),0", "mesh_box_periodic": "x", "form_body_force": "x,0"}


def true(what, good, text=""):
    print(f"{'ok  ' if good else 'FAIL'} {what}", flush=True)
    if not good:
        raise run.Failure(f"{what}\n{text}")


def go(np=1, expect=0, command="run", **options):
    words = [w for k, v in options.items() for w in ("-" + k, v)]
    return run.rheoplex(command, *words, out=run.folder("petsc_refine"), np=np, expect=expect, timeout=300)


def same(kind, case, coarse, levels, fine, ranks=(1, 2, 3)):
    expected = go(**case, mesh_box_faces=fine).fields()
    e = expected.unique()
    for np_ in ranks:
        got = go(np=np_, **case, mesh_box_faces=coarse, dm_refine=str(levels)).fields()
        g = got.unique()
        true(f"{kind}, {np_} ranks: {len(g)} points, expected {len(e)}", len(g) == len(e) and np.abs(got.points[g] - expected.points[e]).max() <= 1e-12)
        for name, values in expected.arrays.items():
            if not np.issubdtype(values.dtype, np.floating):
                continue
            worst, scale = float(np.abs(got[name][g] - values[e]).max()), float(np.abs(values).max())
            true(f"{kind}, {np_} ranks: {name} differs by {worst:.1e} of {scale:.1e}", worst <= 1e-8 * scale)


def ranks():
    """-dm_refine, of each rank's part, against -dm_refine_pre, of the whole: the same numbers of nodes, labels and states."""
    for what, case, mesh, pre, post, counts in (
        ("triangles and quadrilaterals", FLAT, {"mesh_box_faces": "5,4", "mesh_box_cell": "mixed", "mesh_box_jitter": "0.2"}, 2, 2, (1, 2, 3)),
        ("periodic quadrilaterals", STREAM, {"mesh_box_faces": "4,3"}, 2, 2, (2, 3)),
        ("tetrahedra", CUBE, {"mesh_box_faces": "2,2,3", "mesh_box_cell": "tetrahedron", "mesh_box_jitter": "0.2"}, 2, 1, (3,)),
        ("hexahedra", CUBE, {"mesh_box_faces": "2,3,2"}, 1, 1, (2,)),
    ):
        parts = {"dm_refine": str(post), "dm_refine_pre": str(pre - post)}
        if "mesh_box_cell" in mesh:
            whole, part = (described(go(np=n, command="check", **case, **mesh, **levels).stdout) for n, levels in ((1, {"dm_refine_pre": str(pre)}), (3, parts)))
            true(f"{what}: {part}", whole[0] and whole[1] and part == whole, whole)
        state = go(**case, **mesh, dm_refine_pre=str(pre)).checkpoint()
        for np_ in counts:
            got = go(np=np_, **case, **mesh, **parts).checkpoint()
            worst = np.max(np.abs(got - state).max(axis=0) / np.abs(state).max(axis=0)) if got.shape == state.shape else np.inf
            true(f"{what}, {np_} ranks: state of {got.shape} differs by {worst:.1e}", worst <= 1e-12)


def boxes():
    same("quadrilaterals", FLAT, "4,3", 1, "8,6")
    same("quadrilaterals twice", FLAT, "3,2", 2, "12,8", (1,))
    same("periodic quadrilaterals", STREAM, "3,2", 2, "12,8", (1, 2))
    same("hexahedra", CUBE, "2,3,2", 1, "4,6,4")


def described(text):
    """Cells of each type, faces of each label, smallest scaled corner Jacobian."""
    cells = {t: int(n) for n, t in re.findall(r"\((\d+) (triangle|quadrilateral|tetrahedron|hexahedron)\)", text)}
    labels = {l: int(n) for l, n in re.findall(r"label (\S+)\s+(\d+) faces", text)}
    return cells, labels, float(re.search(r"smallest scaled corner Jacobian (\S+)", text).group(1).rstrip(","))


def volume(result):
    from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter
    from vtkmodules.util.numpy_support import vtk_to_numpy

    sizes = vtkCellSizeFilter()
    grid = result.fields().grid
    sizes.SetInputData(grid)
    sizes.Update()
    data = sizes.GetOutput().GetCellData()
    each = vtk_to_numpy(data.GetArray("Area")) + vtk_to_numpy(data.GetArray("Volume"))
    return each.min() > 0 and float(each.sum())


def shapes():
    """Every cell type from boxes and Gmsh files: counts, the same area or volume, angles no worse than once halved."""
    for case, dim in ((FLAT, 2), (CUBE, 3)):
        for cell in ("triangle", "mixed") if dim == 2 else ("tetrahedron",):
            mesh = {"mesh_box_faces": "4,3" if dim == 2 else "2,2,3", "mesh_box_cell": cell, "mesh_box_jitter": "0.2"}
            coarse = described(go(command="check", **case, **mesh).stdout)
            fine = described(go(command="check", **case, **mesh, dm_refine="1").stdout)
            finer = described(go(command="check", **case, **mesh, dm_refine="2").stdout)
            true(f"{cell}: cells {coarse[0]} {fine[0]} {finer[0]}", all(n * 2**dim == fine[0][t] and n * 4**dim == finer[0][t] for t, n in coarse[0].items()))
            true(f"{cell}: labels {coarse[1]} {fine[1]}", len(coarse[1]) == 2 * dim and all(n * 2 ** (dim - 1) == fine[1][t] for t, n in coarse[1].items()))
            true(f"{cell}: corners {coarse[2]} {fine[2]} {finer[2]}", fine[2] >= (1 if dim == 2 else 0.3) * 0.99 * coarse[2] and finer[2] >= 0.9 * fine[2])
            for np_ in (1, 2):
                size = volume(go(np=np_, **{**case, "stop_steps": "1", "scheme_lumped_dt": "1e-4"}, **mesh, dm_refine="1"))
                true(f"{cell}: cells fill {size}", abs(size - 1) < 1e-12)


def files():
    """A Gmsh file with its labels; what is no number of levels."""
    import os

    folder = os.environ["RHEOPLEX_SOURCE"] + "/tests/element"
    for name, labels in (("triangles", "bottom top left right"), ("quadrilaterals", "bottom top sides"), ("mixed", "bottom top sides")):
        labels = labels.split()
        case = {**FLUID, "mesh_file": f"{folder}/{name}.msh", **{f"bc_{label}_type": "wall" for label in labels}}
        coarse, fine = (described(go(command="check", **case, dm_refine=level).stdout) for level in "01")
        true(f"{name}.msh: cells {coarse[0]} {fine[0]}", coarse[0] and all(4 * n == fine[0][t] for t, n in coarse[0].items()))
        true(f"{name}.msh: labels {coarse[1]} {fine[1]}", sorted(coarse[1]) == sorted(labels) and all(2 * n == fine[1][t] for t, n in coarse[1].items()))
    for value, words in (("two", "got \"two\""), ("-1", "-1"), ("11", "11"), ("0.5", "0.5")):
        bad = go(expect=None, **FLAT, mesh_box_faces="4,3", dm_refine=value)
        lines = bad.stderr.splitlines()
        true(f"-dm_refine {value}: {lines[:1]}", bad.rc == 1 and len(lines) == 1 and "-dm_refine" in lines[0] and words in lines[0], bad.stderr)
    many = go(expect=None, **CUBE, mesh_box_faces="60,60,60", dm_refine="4")
    true(f"too many cells: {many.stderr.strip()}", many.rc == 1 and "-dm_refine 4 of 216000 cells would be 8.85e+08 cells" in many.stderr)


if __name__ == "__main__":
    try:
        globals()[sys.argv[1]]()
    except run.Failure as failure:
        sys.exit(f"FAILED: {failure}")
