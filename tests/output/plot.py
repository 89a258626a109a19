"""plot.py <output driver>: `rheoplex plot`: quantities of what is known, labels that do not overlap, times, space, profiles, tables,
animation, and the program itself."""
import argparse
import os
import shutil
import subprocess
import sys

import numpy as np
import output
import plots
import run
from gate import Gate, largest
from plots import draws, refuses, script


def write(path, text, mode=0o644):
    plots.write(path, text)
    os.chmod(path, mode)
    return path


def rotation(n):
    """A plane in rigid rotation at 1.5 1/s with a stress that is its place, on n x n x 2 triangles of [0, 2] x [0, 1]."""
    import matplotlib.tri as tri
    import plot_fields

    plane = plot_fields.Plane.__new__(plot_fields.Plane)
    x, y = (a.ravel() for a in np.meshgrid(np.linspace(0, 2, n + 1), np.linspace(0, 1, n + 1)))
    k = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    plane.mesh = tri.Triangulation(x, y, np.concatenate([np.stack([k, k + 1, k + n + 2], 1), np.stack([k, k + n + 2, k + n + 1], 1)]))
    plane.axes, plane.section, plane.when, plane.swept = (0, 1), None, "t = 0.25 s", False
    zero = 0 * x
    plane.arrays = {"velocity": 1.5 * np.stack([-y, x, zero], 1), "stress": np.stack([3 * x, x - y, zero, 7 * y, zero, zero], 1), "pressure": x}
    return plane


def values_drawn(gate):
    """Components, N1, vorticity and streamfunction of what is known."""
    import plot_fields

    plane = rotation(24)
    x, y = plane.mesh.x, plane.mesh.y
    for name, expected, words in (("velocity_y", 1.5 * x, "u_{y}"), ("velocity", 1.5 * np.hypot(x, y), "speed"), ("stress_xy", 7 * y, r"\tau_{xy}"), ("stress", 4 * x - y, "trace"), ("N1", 2 * x + y, "first normal"), ("n1", 2 * x + y, "first normal"),
                                  ("pressure", x, "pressure"), ("vorticity", 3 + 0 * x, "vorticity")):
        values, (title, unit) = plane.scalar(name)
        gate.at_most(f"{name}: largest error", float(np.abs(values - expected).max()), 1e-12)
        gate.true(f"{name}: its title and unit: {title}, {unit}", words in title and unit)
    gate.near("N1 of a result with n1 alone", float(plot_fields.quantity({"n1": np.array([3.0])}, "N1")[0][0]), 3, 1e-12)
    exact = -0.75 * (x**2 + y**2)
    gate.at_most("streamfunction: largest error in rotation", float(np.abs(plane.scalar("streamfunction")[0] - exact + exact[plane.boundary()].min()).max()), 1e-12)
    streams(gate)
    plane.swept, plane.arrays["velocity"] = True, np.stack([2 * x + 0.7 + 0.4 * y, -y, 0 * x], 1)  # u_z = 2 z + 0.7 + 0.4 r, u_r = -r
    psi, (_, unit) = plane.scalar("streamfunction")
    exact = (x + 0.35) * y**2 + 0.4 / 3 * y**3
    gate.at_most(f"streamfunction of axisymmetric flow, {unit}: largest error", float(np.abs(psi - exact).max()), 0.01 if "^3" in unit else 0)
    gate.at_most("streamfunction of axisymmetric flow along the boundary: largest error", float(np.abs(psi - exact)[plane.boundary()].max()), 1e-12)


def streams(gate):
    """The streamfunction of vortices between walls, of a cavity whose lid moves, past a hole through which no flow passes, and of none."""
    errors = []
    for n in (12, 24):
        plane = rotation(n)
        x, y = plane.mesh.x, plane.mesh.y
        swirl = np.sin(np.pi * x) ** 2 * np.sin(np.pi * y) ** 2
        plane.arrays["velocity"] = np.pi * np.stack([np.sin(np.pi * x) ** 2 * np.sin(2 * np.pi * y), -np.sin(2 * np.pi * x) * np.sin(np.pi * y) ** 2, 0 * x], 1)
        psi = plane.streamfunction()
        gate.at_most(f"streamfunction of vortices along the walls, {n} cells", float(np.abs(psi[plane.boundary()]).max()), 1e-12)
        errors.append(float(np.abs(psi - swirl).max()))
    gate.at_most("streamfunction: largest error", errors[1], 0.03)
    gate.at_least("streamfunction: the error falls by", errors[0] / errors[1], 3)
    plane.arrays["velocity"] = np.stack([np.where(y > 1 - 1e-9, 1.0, 0), 0 * x, 0 * x], 1)
    psi = plane.streamfunction()
    gate.at_most("streamfunction of a cavity along lid and walls", float(np.abs(psi[plane.boundary()]).max()), 1e-15)
    gate.at_most("its vortex, below the lid", float(psi.min()), -0.01)
    cells = plane.mesh.triangles
    plane.mesh.triangles = cells[np.hypot(x[cells].mean(axis=1) - 1, y[cells].mean(axis=1) - 0.5) > 0.2]
    plane.mesh.set_mask(None)
    around = np.hypot(x - 1, y - 0.5) < 0.27
    plane.arrays["velocity"] = np.stack([np.where(around, 0, 1.0), 0 * x, 0 * x], 1)
    psi, (line, _) = plane.streamfunction(), plane.lines()
    gate.true(f"lines of a channel with a hole: {line.max() + 1}", line.max() == 1)
    hole = psi[line == line[np.flatnonzero(around & (line >= 0))[0]]]
    gate.at_most("streamfunction around the hole: largest difference", float(np.ptp(hole)), 1e-12)
    gate.near("its value there, halfway between the walls", float(hole[0]), 0.5, 1e-3)
    gate.near("streamfunction of the walls: difference", float(psi[y > 1 - 1e-9].max() - psi[y < 1e-9].min()), 1, 1e-12)
    plane.arrays["velocity"] = np.stack([x, y, 0 * x], 1)
    gate.true("a source has no streamfunction along its boundary, and a picture", plane.lines() == (None, None) and bool(np.isfinite(plane.streamfunction()).all()))


def texts_apart(figure):
    """Which tick, title or label of an axis lies over another of the picture."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    texts = [t for axes in figure.axes for t in (axes.title, axes.xaxis.label, axes.yaxis.label, axes.xaxis.get_offset_text(), axes.yaxis.get_offset_text())]
    for axis in (a for axes in figure.axes for a in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        texts += [t.label1 if t.label1.get_visible() else t.label2 for t in axis.get_major_ticks() if low - 1e-9 * (high - low) <= t.get_loc() <= high + 1e-9 * (high - low)]
    boxes = [(t.get_text(), t.get_window_extent(renderer)) for t in texts if t.get_text()]
    boxes = [(text, box.padded(-0.1 * box.height)) for text, box in boxes]
    return [f"{a} over {b}" for i, (a, box) in enumerate(boxes) for b, other in boxes[:i] if box.overlaps(other)]


def labels_apart(gate):
    import matplotlib.pyplot as plt
    import plot_fields

    for what, window, times, fields in (("a wide window", (0, 2, 0, 0.3), 1, ["velocity", "N1"]), ("a slit, four times", (0.5, 0.6, 0, 1), 4, ["stress_xy", "velocity"]), ("as it is, twice", None, 2, ["streamfunction"])):
        options = argparse.Namespace(zoom=window, ranges=[(0, 1e-3), (-20000, 30000)], colours="viridis", lines=None, density=1, lines_everywhere=False)
        figure = plot_fields.draw([rotation(8)] * times, fields, options)
        over = texts_apart(figure)
        gate.true(f"labels of {what} do not overlap: {'; '.join(over)}", not over)
        gate.true(f"titles of {what} say field and time", all(any("t = 0.25 s" in a.get_title() for a in figure.axes[k:k + 1]) for k in range(len(fields) * times) if figure.axes[k].get_title() and figure.axes[k].get_xlabel()))
        plt.close(figure)


def words_of_time(gate, folder):
    """A title says the time, and of a steady solution that it is one or the parameter of its continuation."""
    import results

    for options, expected in (("", "t = 0.00125 s"), ("scheme: 'lumped'\nscheme_steady_continuation: 'a=1:2:1'\n", "t = 0.00125 s"), ("scheme: 'steady'\nscheme_steady_continuation: ''\n", "steady"),
                              ("scheme: 'steady'\nscheme_steady_continuation: 'physics_newtonian_viscosity=0.005:-1:1'\n", "physics_newtonian_viscosity = 0.00125")):
        write(f"{folder}/w_effective.yaml", options)
        said = results.when(f"{folder}/w.pvd", 1.25e-3)
        gate.true(f"title of a run with {options.splitlines()}: {said}", said == expected)
    write(f"{folder}/w_continuation.csv", "step,t,physics_newtonian_viscosity,newton_iterations\n1,0.1,0.1,5\n2,0.12,0.04,5\n")
    gate.true("along an arc length the parameter is that of the step", results.when(f"{folder}/w.pvd", 0.12, f"{folder}/w_000002.vtu") == "physics_newtonian_viscosity = 0.04" and results.when(f"{folder}/w.pvd", 0, f"{folder}/w_000000.vtu") == "before the continuation")
    write(f"{folder}/w.pvd", "<VTKFile><Collection>" + "".join(f'<DataSet timestep="{t}" part="0" file="w_{k:06d}.vtu"/>' for k, t in enumerate((0, 0.12, 0.1))) + "</Collection></VTKFile>")
    gate.true("of a parameter that falls the last state is the run's", results.series(f"{folder}/w.pvd")[-1][1] == 0.1)
    write(f"{folder}/w_f.csv", "step,t,top_x\n1,0.1,3\n2,0.12,2\n")
    import plot_tables

    found = plot_tables.read(f"{folder}/w_f.csv")
    gate.true("tables are drawn over the parameter", list(found["t"][1]) == [0.1, 0.04] and plot_tables.over([(f"{folder}/w_f.csv", found)]) == "physics_newtonian_viscosity")
    for name in "w_continuation.csv", "w_f.csv", "w.pvd":
        os.remove(f"{folder}/{name}")
    gate.true("true, however it is written", all(results.is_true(v) for v in ("true", "yes", "1", "True", "")) and not any(results.is_true(v) for v in ("false", "no", "0")))
    gate.true("a file without a time", results.when("w.vtu", None) is None)
    turned = rotation(8)
    for axes, sign in ((0, 1), 1), ((1, 2), 1), ((0, 2), -1):
        turned.axes = axes
        turned.arrays["velocity"][:] = 0
        turned.arrays["velocity"][:, axes[1]] = 3 * turned.mesh.x  # d/da of the component along b: +3 about z and x, -3 about y
        gate.at_most(f"vorticity of a section with the axes {axes}", float(np.abs(turned.vorticity() - 3 * sign).max()), 1e-9)


def lines_in_window(gate):
    """Contours of the streamfunction are as dense in a window as in the whole."""
    import plot_fields

    plane = rotation(24)
    psi, near = plane.streamfunction(), np.hypot(plane.mesh.x, plane.mesh.y) < 0.3
    levels = plot_fields.contour_levels(plane.mesh, psi, plane.boundary(), near, 18)
    gate.at_least("levels between the values of a corner", int(((levels > psi[near].min()) & (levels < psi[near].max())).sum()), 18)
    x, y = plane.mesh.x, plane.mesh.y
    weak = 0.5 * y + 0.1 * np.exp(-((x - 1.25) ** 2 + (y - 0.5) ** 2) / 0.01)
    inside, end, start = plot_fields.vortices(plane.mesh, weak, plane.boundary())
    gate.true(f"a vortex in a stream: {end}, beside a wall: {start}", len(inside) == 1 and 0.34 < end[0] < 0.37 and abs(start[0] - 0.5) < 1e-6)
    levels = plot_fields.contour_levels(plane.mesh, weak, plane.boundary(), x >= 0, 18)
    gate.near("lines between the walls, and its own", len(levels), 18 + 3, 0)
    closed = np.exp(-((x - 1.25) ** 2 + (y - 0.5) ** 2) / 0.05) + 0.01 * x
    levels = plot_fields.contour_levels(plane.mesh, closed, plane.boundary(), x >= 0, 18)
    gate.near("lines of a vortex between walls that differ by an error of the mesh", len(levels), 9, 0)


def shear_in_space(gate, folder):
    """u = (3.2 z, 0, 0) above a wall at z = 0: its stress, a slice's speed, streamlines along x, and colours as those of the bar."""
    import matplotlib.pyplot as plt
    import plot_space
    import pyvista

    box = pyvista.ImageData(dimensions=(9, 5, 6), spacing=(0.25, 0.25, 0.2)).cast_to_unstructured_grid()
    box["velocity"] = 3.2 * np.stack([box.points[:, 2], 0 * box.points[:, 2], 0 * box.points[:, 2]], 1)
    box.save(f"{folder}/shear.vtu")
    space = plot_space.Space(f"{folder}/shear.vtu", None)
    options = argparse.Namespace(viscosity=0.5, slices=[0.3, 1.7], tubes=3, field=None, colours="viridis")
    (wall,), (_, unit) = plot_space.parts(space, "walls", options)
    gate.true(f"the wall is the face at rest, {wall.n_cells} faces", wall.n_cells == 32 and unit == "Pa" and not wall.points[:, 2].any())
    gate.at_most("its stress: largest error", float(np.abs(wall["shown"] - 1.6).max()), 1e-12)
    cuts, _ = plot_space.parts(space, "slices", options)
    gate.true("slices where they are asked for", [round(float(c.points[:, 0].mean()), 6) for c in cuts] == [0.3, 1.7])
    gate.at_most("speed on slices: largest error", largest(float(np.abs(c["shown"] - 3.2 * c.points[:, 2]).max()) for c in cuts), 1e-6)
    tubes, _ = plot_space.parts(space, "tubes", options)
    gate.at_least("streamtubes span x", float(np.ptp(tubes[0].points[:, 0])), 1.9)
    for cut in cuts:
        cut["shown"] = np.full(cut.n_points, 0.25)
    picture = plot_space.render(space, cuts, options, (0.0, 1.0), False)
    colour = np.round(255 * np.array(plt.get_cmap("viridis")(0.25)[:3]))
    gate.at_least("share of the picture in the colour of the bar", float((np.abs(picture - colour).max(axis=2) <= 1.5).mean()), 0.02)


def runs(gate, folder, plane):
    """`rheoplex plot`: all of a folder, one kind, and what it refuses."""
    def plot(*words, **environment):
        return subprocess.run([run.RHEOPLEX, "plot", *words], env={**os.environ, "RHEOPLEX_PYTHON": sys.executable, **environment}, capture_output=True, text=True, timeout=170)

    shutil.copy(f"{folder}/a_forces.csv", plane)
    done = plot(plane)
    gate.true(f"all of a folder {done.stderr[-200:]}", done.returncode == 0 and {os.path.basename(p) for p in done.stdout.split()} == {"a_forces.png", *(p.replace(".pvd", "_fields.png") for p in os.listdir(plane) if p.endswith(".pvd"))})
    gate.true("the kinds", all(f"  {kind} " in plot("--help").stdout for kind in ("fields", "space", "profile", "history", "tables", "wall", "along", "spectrum", "rheometer")))
    written_along(gate, plot)
    for what, words, sentence in (("no such kind", (plane, "field"), "got 'field'"), ("no folder", (f"{folder}/none",), f"got '{folder}/none'"), ("an empty folder", (run.folder("plots"),), "folder without results")):
        done = plot(*words)
        gate.true(f"{what}: {done.stderr.strip()}", done.returncode == 1 and sentence in done.stderr and done.stderr.count("\n") == 1)
    walls_of_a_run(gate, plot)
    done = plot(plane, RHEOPLEX_PYTHON="/none/python")
    gate.true(f"no Python: {done.stderr.strip()}", done.returncode == 1 and "/none/python cannot be started" in done.stderr)
    done = plot(plane, RHEOPLEX_PYTHON=write(f"{folder}/bare", "#!/bin/sh\nexec " + sys.executable + " -S \"$@\"\n", 0o755))
    gate.true(f"a Python without the packages: {done.stderr.strip()}", done.returncode == 1 and "requirements.txt" in done.stderr and done.stderr.count("\n") == 1)


def written_along(gate, plot):
    """Profiles and averages that a run wrote: all of its folder, their numbers, references; averages of fields."""
    import plot_along
    import plot_fields
    import plot_tables

    out = run.folder("plots")
    words = ["-case_name", "a", "-mesh_box_faces", "6,4", "-physics", "newtonian", "-physics_newtonian_viscosity", "0.6", "-stabiliser", "split_oss", "-bc_left_type", "inlet", "-bc_left_velocity", "4*y*(1-y),0", "-bc_right_type",
             "outlet", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-initial_velocity", "4*y*(1-y),0", "-scheme_lumped_dt", "1e-3", "-stop_steps", "4", "-device", "cpu", "-diagnostic_l_kind", "line", "-diagnostic_l_from", "0.5,0",
             "-diagnostic_l_to", "0.5,1", "-diagnostic_l_n", "9", "-diagnostic_l_every", "2", "-diagnostic_l_fields", "velocity,shear_rate", "-diagnostic_o_kind", "wall_average", "-diagnostic_o_label", "bottom", "-diagnostic_m_kind", "average"]
    run.rheoplex("run", *words, out=out)
    done = plot(out, "along")
    gate.true(f"a picture each: {done.stdout.split()}{done.stderr[-200:]}", [os.path.basename(p) for p in done.stdout.split()] == ["a_l.png", "a_o_bottom.png"])
    columns = plot_along.read(f"{out}/a_l_000004.csv")
    gate.true("over the coordinate that changes", columns["abscissa"][0] == "y, m" and np.allclose(columns["abscissa"][1], np.linspace(0, 1, 9)))
    gate.true("panels with units", [(title, names, columns[names[0]][0]) for title, names in plot_tables.panels_of([("l", {k: v for k, v in columns.items() if k != "abscissa"})], None)] == [
        ("velocity", ["velocity_x", "velocity_y"], "m/s"), ("shear_rate", ["shear_rate"], "1/s")])
    slanted = write(f"{out}/b_l_000001.csv", "s,x,y,pressure\n0,1,1,5\n5,4,5,7\n")
    gate.true("else over the length", plot_along.read(slanted)["abscissa"][0] == "length along the points, m" and list(plot_along.read(slanted)["abscissa"][1]) == [0, 5])
    every = {name: np.zeros((3, n) if n > 1 else 3) for name, n in (("velocity", 3), ("stress", 6), ("stress_0", 6), ("conformation_trace", 1), ("pressure", 1), ("rank", 1), ("vorticity", 1), ("dye", 1), ("swirl", 1))}
    gate.true("drawn unless it is said", plot_fields.first_of(every) == ["velocity", "stress", "dye"] and plot_fields.first_of({"velocity_mean": every["velocity"], "dye": every["dye"]}) == ["velocity_mean"])
    gate.true("units of averages", [plot_fields.unit_of(n) for n in ("velocity_mean", "stress_1_rms", "vorticity_rms")] == ["m/s", "Pa", "1/s"])
    draws(gate, "two steps with a reference", "along", f"{out}/a_l_000002.csv", f"{out}/a_l_000004.csv", "-c", "velocity_x", "-r", f"{run.SOURCE}/share/reference/cavity_u.csv:y:u_re100")
    draws(gate, "averages of fields, by themselves", "fields", f"{out}/a_m.vtu")
    done = plot(run.folder("plots"), "along")
    gate.true(f"no profiles: {done.stderr.strip()}", done.returncode == 1 and done.stderr.count("\n") == 1)


def walls_of_a_run(gate, plot):
    """All of a folder with surfaces of walls, one of them at one z; and a field of a surface by the kind before the file."""
    sides = [w for label in ("left", "right", "bottom", "front", "back") for w in (f"-bc_{label}_type", "wall")]
    done = run.rheoplex("run", "-case_name", "w", "-mesh_box_faces", "3,3,3", "-physics", "newtonian", "-physics_newtonian_viscosity", "0.3", "-stabiliser", "split_oss", *sides, "-bc_top_type", "moving_wall", "-bc_top_velocity", "x*(1-x),0,0",
                        "-scheme_lumped_dt", "1e-3", "-stop_steps", "2", "-device", "cpu", "-diagnostic_w_kind", "wall", "-diagnostic_w_label", "left,back", "-diagnostic_v_kind", "wall_average", "-diagnostic_v_label", "left", out=run.folder("plot_walls"))
    drawn = plot(done.out)
    gate.true(f"all of a folder with walls {drawn.stderr[-200:]}", drawn.returncode == 0 and {os.path.basename(p) for p in drawn.stdout.split()} == {"w_space.png", "w_w_left_space.png", "w_w_back_space.png", "w_v_left_space.png", "w_v_left_osi_space.png", "w_history.png"})
    drawn = plot("space", f"{done.out}/w_v_left.vtu", "-f", "osi", "-o", f"{done.out}/osi.png")
    gate.true(f"a field of a surface {drawn.stderr[-200:]}", drawn.returncode == 0 and os.path.exists(f"{done.out}/osi.png"))


def stress_of_a_surface(gate, folder):
    import plot_space
    import pyvista

    surface = pyvista.ImageData(dimensions=(9, 5, 1), spacing=(0.25, 0.25, 0.2)).cast_to_unstructured_grid()
    surface["wall_shear_stress"] = np.outer(1 + surface.points[:, 0], [1.2, -1.6, 0])
    surface.save(f"{folder}/surface.vtu")
    (shown,), (title, unit) = plot_space.parts(plot_space.Space(f"{folder}/surface.vtu", None), "walls", argparse.Namespace(field=None, viscosity=0.5))
    gate.at_most("stress of a surface: largest error", float(np.abs(shown["shown"] - 2 * (1 + shown.points[:, 0])).max()), 1e-6)
    gate.true(f"its title and unit: {title}, {unit}", "wall shear stress" in title and unit == "Pa")


def animation(gate, folder, plane):
    from PIL import Image

    code, out, errors = script("fields", plane, "-a", f"{folder}/a.gif", "-f", "pressure", "-l", "none")
    gate.true(f"an animation {errors[-200:]}", code == 0 and out.strip() == f"{folder}/a.gif")
    gate.near("its pictures, one a time", Image.open(f"{folder}/a.gif").n_frames if code == 0 else 0, 2, 0)
    path, os.environ["PATH"] = os.environ["PATH"], folder
    refuses(gate, "no ffmpeg", ["ffmpeg is not there"], "fields", plane, "-a", f"{folder}/a.mp4")
    os.environ["PATH"] = path
    refuses(gate, "an animation of another kind", [".gif or .mp4"], "fields", plane, "-a", f"{folder}/a.avi")


def many_columns(gate, folder):
    """Tables of a run: units from beside, what belongs together in one panel, a picture that can be looked at; walls by their columns."""
    import matplotlib.pyplot as plt
    import plot_tables
    from matplotlib.image import imread

    os.mkdir(f"{folder}/many")
    here = f"{folder}/many/case_b"
    names = [f"stress_{k}_{end}{at}" for k in "abcdefghijklmno" for end in ("min", "max") for at in ("", "_at_x", "_at_y")]
    units = {name: "m" if "_at_" in name else "Pa" for name in names} | {f"velocity_{c}_{k}": "m/s" for c in "xy" for k in range(2)} | {"drag_c_D": "1", "volume": "m^2"}
    write(f"{here}_effective.yaml", "case_name: 'case_b'\n")
    write(f"{here}_units.csv", "table,column,unit\nt,volume,s\n" + "".join(f"most,{k},{v}\n" for k, v in units.items()))
    write(f"{here}_most.csv", f"step,t,{','.join(units)}\n" + "".join(f"{k},{k / 10},{','.join(['1.5'] * len(units))}\n" for k in range(5)))
    tables = [(f"{here}_most.csv", plot_tables.read(f"{here}_most.csv"))]
    some = [(tables[0][0], {k: v for k, v in tables[0][1].items() if k[:9] not in [f"stress_{c}_" for c in "bcdefghijklmno"]})]
    gate.true("components, extremes and points share a panel", plot_tables.panels_of(some, None) == [("stress_a", ["stress_a_min", "stress_a_max"]), ("velocity_x", ["velocity_x_0", "velocity_x_1"]),
                                                                                                   ("velocity_y", ["velocity_y_0", "velocity_y_1"]), ("drag_c_D", ["drag_c_D"]), ("volume", ["volume"])])
    gate.true("a column that is asked for, its own", plot_tables.panels_of(tables, ["stress_a_m.._at_x"]) == [(n, [n]) for n in ("stress_a_min_at_x", "stress_a_max_at_x")])
    labels = []
    for panel in plot_tables.panels_of(some, None):
        figure, axis = plt.subplots()
        plot_tables.draw_panel(axis, some, panel, [], None)
        labels.append(axis.get_ylabel())
        plt.close(figure)
    gate.true(f"units beside the table: {labels}", labels == ["stress a, Pa", "velocity x, m/s", "velocity y, m/s", "drag c_D", "volume, m^2"])
    code, out, errors = plots.script("tables", f"{folder}/many")
    gate.true(f"a table of {len(units)} columns: {errors.strip()}", code == 0 and "12 panels are drawn; -c draws others of" in errors and "volume" in errors)
    gate.at_most("its picture's height", float(imread(f"{here}_most.png").shape[0]) if code == 0 else np.nan, 5000)
    write(f"{here}_w_lower.csv", "part,s,x,y,wss_x,wss_y,shear_rate,pressure,s_scaled,x_scaled,y_scaled,shear_rate_scaled\n" + "".join(f"0,{v},{v},0,0,0,1,1,{v},{v},0,1\n" for v in range(5)))
    code, out, errors = plots.script("wall", f"{folder}/many")
    gate.true(f"a wall by its columns: {out.strip()}{errors}", code == 0 and out.strip() == f"{here}_w_lower.png")


def main():
    gate = Gate("output_plot")
    sys.path.insert(0, plots.SCRIPTS)
    folder = run.folder("plot")
    for name in ("mixed, jittered", "periodic hexes"):
        dim, mesh = output.CASES[name]
        output.drive("fields", "-", *output.PHYSICS, *output.MODES, *mesh, *output.state(dim), "-output_folder", f"{folder}/{dim}d", np_=2)
    plane, space = f"{folder}/2d", f"{folder}/3d"
    draws(gate, "components, range, zoom", "fields", plane, "-f", "velocity_x,N1_0", "-r=-1:1", "-z", "0.2:0.7,0.1:0.8", "-t", "all")
    refuses(gate, "a time that is no number", ["expected last, all, or times"], "fields", plane, "-t", "first")
    draws(gate, "in space", "space", space, "-k", "slices,tubes", "-n", "3")
    shear_in_space(gate, folder)
    stress_of_a_surface(gate, folder)
    refuses(gate, "a plane in space", ["plane mesh"], "space", plane)
    draws(gate, "a profile with reference", "profile", plane, "-l", "0.5,0:0.5,1", "-f", "velocity_x,stress_xy", "-r", f"{run.SOURCE}/share/reference/cavity_u.csv:y:u_re100")
    refuses(gate, "a line off the mesh", ["misses the mesh"], "profile", plane, "-l", "5,0:5,1")
    refuses(gate, "a reference without the column", ["got u_re99; expected columns of y, u_re100"], "profile", plane, "-l", "0.5,0:0.5,1", "-r", f"{run.SOURCE}/share/reference/cavity_u.csv:y:u_re99")
    write(f"{folder}/a_forces.csv", "step,t,cylinder_x [N/m],cylinder_y\n" + "".join(f"{k},{k / 10},{5 + 2.0**-k},{np.sin(k)}\n" for k in range(1, 40)))
    draws(gate, "forces with a reference", "tables", f"{folder}/a_forces.csv", "-r", "cylinder_x:5=theory", "-w", "1:3")
    refuses(gate, "no such column", ["expected some of cylinder_x, cylinder_y"], "tables", f"{folder}/a_forces.csv", "-c", "drag")
    many_columns(gate, folder)
    values_drawn(gate)
    words_of_time(gate, folder)
    lines_in_window(gate)
    labels_apart(gate)
    animation(gate, folder, plane)
    runs(gate, folder, plane)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
