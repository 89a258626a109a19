"""section.py flat|swept|ends|refused: planes through the domain. Fluxes, means and means by the flow of linear fields against polygons that are clipped and integrated here, on every
cell type and 1, 2, 3 ranks, planes in faces of elements among them; tubes, what a line sweeps, one of several branches; planes along ends of the mesh;
what is refused."""
import math
import sys

import kinds
import numpy as np
import run
from gate import Gate, largest

BOX = np.array([1.5, 0.8, 0.6])


def clipped(dim, point, normal):
    """Simplices [m][dim][dim] of the box's part of the plane: of its edges' points a fan around their middle."""
    corners = np.stack(np.meshgrid(*([0, b] for b in BOX[:dim]), indexing="ij"), axis=-1).reshape(-1, dim)
    found = []
    for i, a in enumerate(corners):
        for b in corners[i + 1:]:
            h = [(c - point) @ normal for c in (a, b)]
            if np.count_nonzero(a != b) == 1 and h[0] * h[1] < 0:
                found.append(a + h[0] / (h[0] - h[1]) * (b - a))
    found = np.array(found)
    if dim == 2:
        return found[None]
    middle = found.mean(0)
    one = (found[0] - middle) / np.linalg.norm(found[0] - middle)
    other = np.cross(normal / np.linalg.norm(normal), one)
    found = found[np.argsort(np.arctan2((found - middle) @ other, (found - middle) @ one))]
    return np.stack([np.broadcast_to(middle, found.shape), found, np.roll(found, -1, axis=0)], axis=1)


def points_of(dim, simplices):
    """Points and weights, exact of squares: Simpson's rule, or the middles of a triangle's sides."""
    if dim == 2:
        (a, b), = simplices
        return np.array([a, (a + b) / 2, b]), np.linalg.norm(b - a) * np.array([1, 4, 1]) / 6
    x = np.concatenate([(simplices[:, i] + simplices[:, (i + 1) % 3]) / 2 for i in range(3)])
    area = np.linalg.norm(np.cross(simplices[:, 1] - simplices[:, 0], simplices[:, 2] - simplices[:, 0]), axis=1) / 2
    return x, np.tile(area / 3, 3)


def flat(gate):
    planes = {2: (([0.71, 0.33], [2, 1]), ([0.6, 0.3], [-3, 0])), 3: (([0.71, 0.33, 0.3], [2, 1, -0.7]), ([0.6, 0.3, 0.2], [0, 0, 0.5]), ([0.6, 0.3, 0.2], [-3, 0, 0]))}
    text = lambda v: ",".join(map(str, v))
    for cell, np_ in (("quadrilateral", 1), ("triangle", 3), ("mixed", 2), ("tetrahedron", 1), ("tetrahedron", 3), ("hexahedron", 2)):
        dim = 3 if cell in ("tetrahedron", "hexahedron") else 2
        words = [w for k, (point, normal) in enumerate(planes[dim]) for name, value in (("kind", "section"), ("point", text(point)), ("normal", text(normal)), ("bulk", "true"), ("fields", "pressure,stress,shear_rate"))
                 for w in (f"-diagnostic_s{k}_{name}", value)]
        done = kinds.linear(dim, "-mesh_box_cell", cell, "-mesh_box_faces", "5,4,3"[:2 * dim - 1], "-mesh_box_upper", text(BOX[:dim]), *words, np=np_)
        for k, (point, normal) in enumerate(planes[dim]):
            table, (x, w) = done.table(f"_s{k}.csv"), points_of(dim, clipped(dim, np.array(point, float), np.array(normal, float)))
            want = kinds.exact(dim, x)
            through = np.stack([want[f"velocity_{c}"] for c in "xyz"[:dim]], axis=1) @ normal / np.linalg.norm(normal)
            what = f"{cell}, np {np_}, plane {k}"
            gate.relative(f"{what}: area", table["area"][0], w.sum(), 1e-12)
            gate.relative(f"{what}: flux", table["flux"][0], w @ through, 1e-7)
            told = [c[:-5] for c in table if c.endswith("_mean")]
            gate.true(f"{what}: columns", len(told) >= 2 * dim and all(f"{c}_bulk" in table for c in told))
            gate.at_most(f"{what}: means", largest(abs(table[f"{c}_mean"][0] - w @ want[c] / w.sum()) for c in told), 1e-7)
            gate.at_most(f"{what}: means by the flow", largest(abs(table[f"{c}_bulk"][0] - w @ (want[c] * through) / (w @ through)) for c in told), 1e-6)


def swept(gate):
    """Axisymmetric: a disc and a cone; half of a plane by its radius."""
    R, L = 0.7, 2.0
    tube = ("-mesh_box_upper", f"{L},{R}", "-mesh_box_faces", "8,16", "-form_axisymmetric", "-bc_left_type", "inlet", "-bc_left_profile", "parabolic", "-bc_left_mean_velocity", 0.6, "-bc_right_type", "outlet",
            "-bc_bottom_type", "symmetry", "-bc_top_type", "wall", "-physics", "newtonian", "-physics_newtonian_viscosity", 0.4, "-form_density", 3, "-scheme", "steady")
    disc = [f"-diagnostic_disc_{w}" if i % 2 == 0 else w for i, w in enumerate(("kind", "section", "point", "0.9,0.1", "normal", "1,0"))]
    cone = [f"-diagnostic_cone_{w}" if i % 2 == 0 else w for i, w in enumerate(("kind", "section", "point", f"0.6,0", "normal", f"{R},-0.5"))]
    for np_ in (1, 2):
        done = run.rheoplex("run", "-case_name", "k", *tube, *disc, *cone, "-diagnostic_q_kind", "flux", "-diagnostic_q_label", "right", out=run.folder("sections"), np=np_)
        flux = done.table("_q.csv")["right_flux"][-1]
        for name, area in (("disc", math.pi * R * R), ("cone", math.pi * R * math.hypot(0.5, R))):
            table = done.table(f"_{name}.csv")
            gate.relative(f"np {np_}: area of the {name}", table["area"][-1], area, 1e-12)
            gate.relative(f"np {np_}: flux through the {name}", table["flux"][-1], flux, 2e-6)
        gate.relative(f"np {np_}: mean pressure of the disc", done.table("_disc.csv")["pressure_mean"][-1], 8 * 0.4 * 0.6 / R**2 * (L - 0.9), 0.01)
    done = kinds.linear(2, "-mesh_box_faces", "10,10", "-mesh_box_upper", "1,1", "-diagnostic_s_kind", "section", "-diagnostic_s_point", "0.55,0.75", "-diagnostic_s_normal", "1,0", "-diagnostic_s_radius", 0.12)
    gate.near("elements within a radius alone", done.table("_s.csv")["area"][0], 0.3, 1e-12)
    gate.true("told, where it cuts through the section", "-diagnostic_s_radius: got 0.12 m, which cuts through a section" in done.stderr)


def ends(gate):
    """Planes along an end of the mesh, as files and options round it, with the flow and against it: as much as the label's own flux."""
    for dim, np_ in ((2, 1), (3, 2)):
        turned = [1, 1e-9, -1e-9][:dim]
        planes = [(x, sign) for x in (0, BOX[0], BOX[0] + 1e-10) for sign in (1, -1e200)]
        words = [w for k, (x, sign) in enumerate(planes) for name, value in (("kind", "section"), ("point", ",".join(map(str, [x, *BOX[1:dim] / 3]))), ("normal", ",".join(str(sign * t) for t in turned)))
                 for w in (f"-diagnostic_s{k}_{name}", value)]
        done = kinds.linear(dim, "-mesh_box_cell", {2: "quadrilateral", 3: "tetrahedron"}[dim], "-mesh_box_faces", "5,4,3"[:2 * dim - 1], "-mesh_box_upper", ",".join(map(str, BOX[:dim])), *words, np=np_)
        for k, (x, sign) in enumerate(planes):
            table, area = done.table(f"_s{k}.csv"), BOX[1:dim].prod()
            flux = math.copysign(area, sign) * kinds.exact(dim, np.array([[x, *BOX[1:dim] / 2]]))["velocity_x"][0]
            gate.relative(f"{dim}D: area at {x}, normal {sign:g}", table["area"][0], area, 1e-8)
            gate.relative(f"{dim}D: flux at {x}, normal {sign:g}", table["flux"][0], flux, 1e-7)
    m, c, s = 0.7 / math.sin(math.pi / 3), math.cos(math.pi / 3), math.sin(math.pi / 3)
    done = run.rheoplex("run", f"{run.OPTIONS}/branching.yaml", "-stop_steps", 20, "-bc_inlet_ramp", 0, "-diagnostic_s_kind", "section", "-diagnostic_s_point", f"{m + 3 * c},{1 + 3 * s}", "-diagnostic_s_normal", f"{c},{s}",
                        "-diagnostic_t_kind", "section", "-diagnostic_t_point", "1.5,0.5", "-diagnostic_t_normal", "1,0", "-diagnostic_t_radius", 0.65,
                        out=run.folder("sections"), np=2)
    gate.relative("area of the end of a branch, oblique", done.table("_s.csv")["area"][-1], 0.7, 1e-6)
    gate.relative("one of two branches that the plane cuts", done.table("_t.csv")["area"][-1], 1, 1e-6)
    gate.true("which is not told to be cut through", "_radius" not in done.stderr)
    gate.relative("flux through it", done.table("_s.csv")["flux"][-1], done.table("_rate.csv")["branch_flux"][-1], 1e-6)


def refused(gate):
    for what, words, told in (("outside", ("-diagnostic_s_point", "7,0", "-diagnostic_s_normal", "1,0"), ("-diagnostic_s_point, _normal", "7,0", "cuts no element", "inside the mesh")),
                              ("too near", ("-diagnostic_s_point", "0.5,7", "-diagnostic_s_normal", "1,0", "-diagnostic_s_radius", "0.1"), ("cuts no element within _radius",)),
                              ("no direction", ("-diagnostic_s_point", "0.5,0", "-diagnostic_s_normal", "0,0"), ("-diagnostic_s_normal", "0,0", "not zero")),
                              ("no point", ("-diagnostic_s_normal", "1,0"), ("-diagnostic_s_point", "expected")),
                              ("two points", ("-diagnostic_s_point", "0.5,0;1,1", "-diagnostic_s_normal", "1,0"), ("-diagnostic_s_point", "got 2", "expected one"))):
        done = kinds.linear(2, "-mesh_box_faces", "3,2", "-diagnostic_s_kind", "section", *words, expect=None)
        gate.true(f"{what}: {done.stderr[:200]!r}", done.rc != 0 and all(t in done.stderr for t in told))


if __name__ == "__main__":
    check = Gate(f"diagnostics_section_{sys.argv[1]}")
    {"flat": flat, "swept": swept, "ends": ends, "refused": refused}[sys.argv[1]](check)
    sys.exit(check.finish())
