"""A concentration in boxes: kept to rounding where nothing comes in or goes out, what a flux brings, the undershoot of a step at 45 degrees, the same on any
number of ranks and after a restart. box.py <conservation|space|step|ranks>"""
import re
import sys

import common
import numpy as np
import run
from gate import Gate

CAVITY = ["-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2,0"]
FLOW = ["-physics", "newtonian,oldroydb,passive", "-physics_newtonian_viscosity", 0.05, "-physics_oldroydb_viscosity", 0.05, "-physics_oldroydb_lambda", 0.3,
        "-form_density", 3, "-stabiliser", "split_oss", "-physics_passive_diffusivity", 0.02, "-scheme_lumped_dt", 2e-3]
PATCH = "exp(-30*((x-0.4)^2+(y-0.6)^2))"


def masses(result, cell):
    """Integral of the concentration by the row sums of the mass."""
    from vtkmodules.util.numpy_support import vtk_to_numpy

    got = result.fields()
    nodes = vtk_to_numpy(got.grid.GetCells().GetConnectivityArray()).reshape(-1, 4 if cell == "quadrilateral" else 3)
    x = got.points[nodes]
    area = sum(0.5 * (x[:, i, 0] * x[:, (i + 1) % x.shape[1], 1] - x[:, (i + 1) % x.shape[1], 0] * x[:, i, 1]) for i in range(x.shape[1]))
    return float((np.abs(area) * got["concentration"][nodes].mean(axis=1)).sum()), got["concentration"]


def mass_in_space(result, cell, which):
    """The same of parallelepipeds, or of tets."""
    from vtkmodules.util.numpy_support import vtk_to_numpy

    got = result.fields(which)
    corners, edges, part = (8, (1, 3, 4), 1) if cell == "hexahedron" else (4, (1, 2, 3), 6)
    nodes = vtk_to_numpy(got.grid.GetCells().GetConnectivityArray()).reshape(-1, corners)
    x = got.points[nodes]
    volume = np.abs(np.linalg.det(x[:, edges] - x[:, :1])) / part
    return float((volume * got["concentration"][nodes].mean(axis=1)).sum()), float(volume.sum())


def space(gate):
    """In a cube: at rest, stirred by a lid, and with what a flux and a supply bring."""
    walls = [w for label in common.LABELS[3] for w in (f"-bc_{label}_type", "wall")]
    for cell in ("hexahedron", "tetrahedron"):
        words = [*FLOW, "-mesh_box_faces", "6,6,6", "-mesh_box_upper", "1,1,1", "-mesh_box_lower", "0,0,0", "-mesh_box_cell", cell, *walls, "-stop_steps", 60, "-output_every", 60, "-case_name", "space"]
        lid = ["-bc_top_type", "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2,0,0"]
        patch = ["-initial_concentration", "exp(-30*((x-0.4)^2+(y-0.6)^2+(z-0.5)^2))"]
        for what, more in (("of a closed box at rest", patch), ("in a stirred cavity", [*patch, *lid])):
            done = run.rheoplex("run", *words, *more, out=run.folder("box"))
            (start, volume), (end, _) = (mass_in_space(done, cell, k) for k in (0, -1))
            gate.near(f"{cell}: volume", volume, 1.0, 1e-12)
            gate.near(f"{cell}: mass {what}, relative", end / start, 1.0, 1e-10)
        alone = run.rheoplex("run", *words, *patch, *lid, "-form_scalar_convection", "convective", out=run.folder("box"))
        gate.at_least(f"{cell}: what u.grad c alone loses of it", abs(mass_in_space(alone, cell, -1)[0] / start - 1), 1e-6)
        fed = run.rheoplex("run", *words, "-bc_left_concentration", "flux 0.3*(1+y)", "-physics_passive_supply", 0.2, "-initial_concentration", "0", out=run.folder("box"))
        gate.near(f"{cell}: mass that a flux and a supply have brought", mass_in_space(fed, cell, -1)[0], 0.12 * (0.3 * 1.5 + 0.2), 1e-10)


def conservation(gate):
    """To rounding in closed boxes; u.grad c keeps the mass as far as div u = 0, what it loses in a cavity is printed, and a uniform one uniform."""
    openings(gate)
    for cell in ("quadrilateral", "triangle"):
        rest = [*FLOW, "-mesh_box_faces", "14,14", "-mesh_box_cell", cell, "-initial_concentration", PATCH, "-output_every", 200, *CAVITY[:6], "-bc_top_type", "wall"]
        still = run.rheoplex("run", *rest, "-case_name", "still", "-stop_steps", 200, out=run.folder("box"))
        start, before = masses_at(still, cell, 0)
        end, after = masses_at(still, cell, -1)
        gate.at_least(f"{cell}: how much the patch has spread", float(np.abs(after - before).max()), 0.01)
        gate.near(f"{cell}: mass of a closed box at rest, relative", end / start, 1.0, 1e-10)
        sheared = run.rheoplex("run", *FLOW, "-mesh_box_faces", "14,14", "-mesh_box_cell", cell, "-mesh_box_periodic", "x", "-initial_concentration", PATCH, "-output_every", 200,
                               "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "2,0", "-initial_velocity", "2*y,0", "-form_convection", "false",
                               "-polymer_variable", "conformation", "-case_name", "sheared", "-stop_steps", 200, out=run.folder("box"))
        gate.near(f"{cell}: mass between walls in shear, relative", masses_at(sheared, cell, -1)[0] / masses_at(sheared, cell, 0)[0], 1.0, 1e-10)
        words = [*FLOW, "-mesh_box_faces", "14,14", "-mesh_box_cell", cell, *CAVITY, "-case_name", "stirred", "-stop_steps", 200, "-output_every", 200]
        for start, more in ((PATCH, []), ("1.3", []), (PATCH, ["-form_scalar_convection", "convective"]), ("1.3", ["-form_scalar_convection", "convective"])):
            stirred = run.rheoplex("run", *words, "-initial_concentration", start, *more, out=run.folder("box"))
            mass, end = masses_at(stirred, cell, -1)
            change, uneven = mass / masses_at(stirred, cell, 0)[0] - 1, float(np.abs(end / 1.3 - 1).max())
            if start == PATCH and not more:
                gate.near(f"{cell}: mass in a stirred cavity, relative", change, 0.0, 1e-10)
            elif start == PATCH:
                gate.at_least(f"{cell}: what u.grad c alone loses of it", abs(change), 1e-6)
            else:
                gate.at_most(f"{cell}: a uniform concentration stays so{', with u.grad c alone' if more else ''}", uneven, 1e-12 if more else 3e-3)
        implicit(gate, cell, [w for w in words if w not in ("-scheme_lumped_dt", 2e-3)])
        fed = run.rheoplex("run", *rest, "-case_name", "fed", "-stop_steps", 200, "-bc_left_concentration", "flux 0.3*(1+y)", "-physics_passive_supply", 0.2,
                           "-initial_concentration", "0", out=run.folder("box"))
        gate.near(f"{cell}: mass that a flux and a supply have brought", masses_at(fed, cell, -1)[0], 0.4 * (0.3 * 1.5 + 0.2), 1e-10)


def implicit(gate, cell, words):
    """The same with bdf2, which carries the concentration before momentum."""
    words += ["-scheme", "fractional_step", "-scheme_fractional_step_subscales", "instant", "-scheme_fractional_step_integrator", "bdf2", "-scheme_fractional_step_dt", 4e-3, "-stop_steps", 100, "-output_every", 100]
    for start in PATCH, "1.3":
        mass, end = masses_at(run.rheoplex("run", *words, "-initial_concentration", start, out=run.folder("box")), cell, -1)
        if start == PATCH:
            before = masses_at(run.rheoplex("run", *words, "-initial_concentration", start, "-stop_steps", 1, out=run.folder("box")), cell, 0)[0]
            gate.near(f"{cell}: mass in a cavity stirred by bdf2, relative", mass / before - 1, 0.0, 1e-10)
        else:
            gate.at_most(f"{cell}: a uniform concentration there stays so", float(np.abs(end / 1.3 - 1).max()), 3e-3)


def openings(gate):
    """A uniform concentration stays so in a channel, whose outlet leaves continuity free."""
    words = [*FLOW, "-mesh_box_faces", "16,8", "-mesh_box_upper", "2,1", "-bc_left_type", "inlet", "-bc_left_velocity", "6*y*(1-y),0", "-bc_left_polymer", "rest",
             "-bc_left_concentration", "value 1.3", "-bc_right_type", "outlet", "-bc_right_polymer", "zero", "-bc_bottom_type", "wall", "-bc_top_type", "wall",
             "-initial_concentration", "1.3", "-stop_steps", 200, "-case_name", "open"]
    for more, low, high in (([], 0, 1e-12), (["-form_scalar_convection", "conservative"], 1e-3, 1)):
        result = run.rheoplex("run", *words, *more, out=run.folder("box"))
        away = float(np.abs(result.fields()["concentration"] / 1.3 - 1).max())
        gate.true(f"{' '.join(more)}: uniform to {away:g}, between {low} and {high}", low <= away <= high)
    driven = ["-physics", "newtonian,passive", "-physics_newtonian_viscosity", 0.5, "-physics_passive_diffusivity", 0.02, "-form_density", 3, "-stabiliser", "split_oss", "-mesh_box_faces", "6,4", "-bc_left_type", "outlet", "-bc_left_pressure", 2, "-bc_right_type", "outlet",
              "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-stop_time", 0.5, "-case_name", "driven"]
    told = "fluid comes in through 'left'"
    for np_ in (1, 2):
        stderr = run.rheoplex("run", *driven, out=run.folder("box"), np=np_).stderr
        gate.true(f"np {np_}: what comes in without a value is told once", stderr.count(told) == 1 and '100 % of what flows in, whose concentration no condition gives' in stderr and '-bc_left_concentration "inflow ..."' in stderr)
    gate.true("with one it is not", told not in run.rheoplex("run", *driven, "-bc_left_concentration", "value 1", out=run.folder("box")).stderr)


def masses_at(result, cell, which):
    class One:
        @staticmethod
        def fields():
            return result.fields(which)

    return masses(One, cell)


def step(gate):
    """u at 45 degrees carries a step from the left and the bottom, diffusion 1e-6: what overshoots is printed, nothing is bounded."""
    for stabiliser in ("split_oss", "split_oss,gls"):
        words = [*common.fluid(stabiliser), "-physics_passive_diffusivity", 1e-6, "-physics_passive_decay", 0, "-physics_passive_supply", 0, "-mesh_box_faces", "20,20",
                 "-initial_velocity", "1,1", "-scheme_lumped_stepper", "heun", "-scheme_lumped_dt", 0.01, "-stop_steady_tol", 1e-4, "-stop_time", 20, "-case_name", "step"]
        for label in common.LABELS[2]:
            given = {"left": "value 1", "bottom": "value 0"}.get(label, "natural")
            words += [f"-bc_{label}_type", "moving_wall", f"-bc_{label}_velocity", "1,1", f"-bc_{label}_concentration", given]
        result = run.rheoplex("run", *words, out=run.folder("step"))
        c = result.fields()["concentration"]
        name = "gls" if "gls" in stabiliser else "split_oss"
        gate.at_most(f"{name}: undershoot", -float(c.min()), 0.12)
        gate.note(f"{name}: overshoot", float(c.max()) - 1)
        gate.true(f"{name}: a value below its bound is reported", "concentration is beyond its bounds [0, inf]" in result.stdout)
        every = run.rheoplex("run", *words, "-case_report_every", 1, out=run.folder("step"))
        least = [float(x) for x in re.findall(r"beyond its bounds .* least (\S+) at", every.stdout)]
        gate.true(f"{name}: told where it is worse by a tenth, and at the end: {len(least)} lines of {len(every.table('_history.csv')['step'])} steps",
                  3 <= len(least) <= 60 and all(b < 1.1 * a for a, b in zip(least[:-1], least[1:-1])))
        gate.near(f"{name}: that at the end", least[-1], float(c.min()), 1e-6)
        bad = run.rheoplex("run", *words, "-field_concentration_bounds", "stop", "-case_report_every", 1, out=run.folder("step"), expect=1)
        gate.true(f"{name}: or ends the run: {bad.stderr.strip()[:120]}", "-field_concentration_bounds stop" in bad.stderr)
        again = run.rheoplex("run", bad.file("_effective.yaml"), out=run.folder("step"), expect=1)
        gate.true(f"{name}: and in a case, its options as they were listed: {again.stderr.strip()[:120]}", "-field_concentration_bounds stop" in again.stderr)


def ranks(gate):
    words = [*FLOW, *CAVITY, "-mesh_box_faces", "11,10", "-mesh_box_cell", "mixed", "-initial_concentration", PATCH, "-bc_top_concentration", "value 1+0.1*sin(3*t)",
             "-bc_left_concentration", "flux 0.1*y", "-bc_bottom_concentration", "natural", "-pressure_ksp_rtol", 1e-13, "-case_name", "ranks", "-device", "cpu"]
    whole = {n: run.rheoplex("run", *words, "-stop_steps", 20, out=run.folder("box"), np=n) for n in (1, 2, 3)}
    reference = whole[1].checkpoint()
    gate.at_least("largest concentration", float(reference[:, -1].max()), 0.5)
    for n in (2, 3):
        gate.at_most(f"largest difference of np = 1 and {n}", float(np.abs(whole[n].checkpoint() - reference).max()), 1e-10)
    half = run.rheoplex("run", *words, "-stop_steps", 10, out=run.folder("box"))
    rest = run.rheoplex("run", *words, "-stop_steps", 20, "-case_restart", half.file("_checkpoint.h5"), out=run.folder("box"))
    gate.true("a restart goes on bitwise", np.array_equal(rest.checkpoint(), reference))


def main(what):
    gate = Gate(f"scalars_{what}")
    {"conservation": conservation, "space": space, "step": step, "ranks": ranks}[what](gate)
    return gate.finish()


sys.exit(main(sys.argv[1]))
