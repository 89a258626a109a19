"""Names that meet: two outputs with one file, two columns with one name, two labels but for case; and options that say nothing without others."""
import sys

import run
from gate import Gate

FLOW = ["-case_name", "n", "-device", "cpu", "-physics", "newtonian", "-physics_newtonian_viscosity", "0.1", "-bc_left_type", "inlet", "-bc_left_velocity", "1,0", "-bc_right_type", "outlet"]
BOX = [*FLOW, "-mesh_box_faces", "3,3", "-bc_top_type", "wall", "-bc_bottom_type", "symmetry", "-stop_steps", "1"]


def check(*words):
    return run.rheoplex("check", *words, out=run.folder("names"), expect=None)


def made(**kinds):
    """Options of diagnostics: name to kind and label."""
    return [w for name, (kind, *label) in kinds.items() for w in (f"-diagnostic_{name}_kind", kind, *((f"-diagnostic_{name}_label", label[0]) if label else ()))]


def files(gate):
    for kinds, name, one, other in (({"units": ("flux", "left")}, "units.csv", "the units of tables", "-diagnostic_units_kind"),
                                    ({"a": ("wall", "top"), "a_top": ("flux", "left")}, "a_top.csv", "-diagnostic_a_top_kind", "-diagnostic_a_kind"),
                                    ({"a_top_points": ("flux", "left"), "a": ("wall", "top")}, "a_top_points.csv", "-diagnostic_a_kind", "-diagnostic_a_top_points_kind"),
                                    ({"000005": ("average",)}, "000005.vtu", "-diagnostic_000005_kind", "-output_formats vtu"),
                                    ({"l": ("line",), "l_000010": ("flux", "left")}, "l_000010.csv", "-diagnostic_l_000010_kind", "-diagnostic_l_kind"),
                                    ({"spectrum": ("flux", "left")}, "spectrum.csv", "-diagnostic_spectrum_kind", "rheoplex eigen")):
        line = ["-diagnostic_l_from", "0,0", "-diagnostic_l_to", "1,1"] if "l" in kinds else []
        done = check(*BOX, *made(**kinds), *line)
        gate.true(f"one file: {name}", done.rc == 1 and any(f"got n_{name} of {a} and of {b}, expected" in done.stderr for a, b in ((one, other), (other, one))))
    apart = check(*BOX, *made(a=("wall", "top"), a_bottom=("flux", "left"), b=("average",), b_1=("average",), units_1=("flux", "left"), a_topmost=("flux", "left")), "-diagnostic_wall", "top", "-diagnostic_forces", "top")
    gate.true(f"names that differ {apart.stderr}", apart.rc == 0)


def square(names):
    """A unit square of two triangles, its top and bottom with these names."""
    path = f"{run.folder('names')}/square.msh"
    lines = [(1, 1, 2), (2, 2, 3), (3, 3, 4), (4, 4, 1)]
    with open(path, "w") as f:
        f.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n5\n")
        f.write("".join(f'{1 if k < 5 else 2} {k} "{name}"\n' for k, name in enumerate((names[0], "right", names[1], "left", "fluid"), 1)))
        f.write("$EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n$Elements\n6\n")
        f.write("".join(f"{k} 1 2 {k} {k} {a} {b}\n" for k, a, b in lines) + "5 2 2 5 5 1 2 3\n6 2 2 5 5 1 3 4\n$EndElements\n")
    return path


def columns(gate):
    words = [*FLOW, "-mesh_file", square(("wall", "wall_pressure")), "-bc_wall_type", "wall", "-bc_wall_pressure_type", "wall", "-stop_steps", "1", *made(f=("forces", "wall,wall_pressure"))]
    gate.true("forces of labels of which one begins the other", check(*words).rc == 0)
    done = check(*words, "-diagnostic_f_parts")
    gate.true("one column", done.rc == 1 and "-diagnostic_f_kind: got two columns 'wall_pressure_x', of the labels 'wall' and 'wall_pressure', expected" in done.stderr)


def cases(gate):
    mesh = square(("wall", "Wall"))
    done = check(*FLOW, "-mesh_file", mesh, "-bc_wall_type", "wall", "-stop_steps", "1")
    gate.true("two labels but for case", done.rc == 1 and ("the mesh has the labels 'Wall' and 'wall': expected" in done.stderr or "the mesh has the labels 'wall' and 'Wall': expected" in done.stderr))
    path = f"{run.folder('names')}/twice.yaml"
    with open(path, "w") as f:
        f.write(f"mesh: {{file: {mesh}}}\nbc_Wall: {{type: wall}}\nbc_wall: {{type: symmetry}}\n")
    done = check(path, *FLOW)
    gate.true("and in a case", done.rc == 1 and "sets -bc_wall_type twice, in line 2 and in line 3: one of the two would be lost, for names of options, and labels in them, ignore case" in done.stderr)


def idle(gate):
    forces = made(f=("forces", "top"))
    for name, value, by in (("centre", "1,2", "torque"), ("drag_direction", "1,0", "coefficients"), ("lift_direction", "1,0", "coefficients"), ("reference_density", 2, "coefficients"),
                            ("reference_velocity", 2, "coefficients"), ("reference_length", 2, "coefficients"), ("reference_area", 2, "coefficients")):
        alone, both = (check(*BOX, *forces, f"-diagnostic_f_{name}", value, *more) for more in ([], [f"-diagnostic_f_{by}"]))
        gate.true(f"{name} alone", alone.rc == 1 and f"-diagnostic_f_{name}: got it without what reads it, expected it with -diagnostic_f_{by} true" in alone.stderr)
        plane = name == "reference_area"
        gate.true(f"{name} with {by}", both.rc == plane and ("got an area in plane flow" in both.stderr and "expected -diagnostic_f_reference_length" in both.stderr) == plane)
    for every, told in (("1e-9", True), ("1e-6", False)):
        for option in ("diagnostic_f_every_dt", "output_dt"):
            done = check(*BOX, *forces, "-scheme", "fractional_step", "-scheme_fractional_step_dt", "0.01", f"-{option}", every)
            gate.true(f"{option} {every}", done.rc == 0 and (f"warning: -{option}: got {every} s, less than a millionth of the time step, 0.01 s: every step counts" in done.stderr) == told)


if __name__ == "__main__":
    gate = Gate("diagnostics_names")
    files(gate)
    columns(gate)
    cases(gate)
    idle(gate)
    sys.exit(gate.finish())
