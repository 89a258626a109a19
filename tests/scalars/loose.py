"""What nothing holds, and what no fluid has. loose.py
  rest <np>            steady states from rest of fields that do not diffuse; a field of which nothing says how large it is is named
  judged <np> <folder> factors of the laws, diffusivities and sources of plugins: an error at the start, in a run that fails by them, a warning at the end"""
import re
import sys

import numpy as np
import run
from gate import Gate

READ = (("place", "-physics_wares_place", 0.7), ("beside", "-physics_wares_place", 0.7, "-physics_wares_from", 1), ("viscosity", "-physics_wares_thick", 0.7), ("slope", "-physics_wares_slope", 0.7), ("steep", "-physics_wares_steep", 0.7, "-initial_ware", "0.3+3*x"), ("aux", "-physics_wares_aux", 1))  # each finite in the flow itself
SUPPLY, SPEED, LENGTH, RHO = 0.7, 1.3, 3.0, 3.0
FLUID = ("-physics_newtonian_viscosity", 0.4, "-form_density", RHO, "-stabiliser", "split_oss", "-device", "cpu", "-mesh_box_faces", "8,6", "-mesh_box_upper", f"{LENGTH},1")
WALLS = [w for side in ("left", "right", "bottom", "top") for w in (f"-bc_{side}_type", "wall")]


def go(name, *words, np_=1, command="run", **more):
    return run.rheoplex(command, "-case_name", name, *FLUID, *words, out=run.folder("loose"), np=np_, **more)


def rest(gate, ranks):
    dye = ("-physics", "newtonian,passive", "-physics_passive_diffusivity", 0, "-physics_passive_supply", SUPPLY, "-scheme", "steady")
    through = ("-bc_left_type", "inlet", "-bc_left_velocity", f"{SPEED},0", "-bc_left_concentration", "value 0.2", "-bc_right_type", "outlet")
    slides = ("-bc_bottom_type", "symmetry", "-bc_top_type", "symmetry")
    got = go("plug", *dye, *through, *slides, np_=ranks).fields()
    gate.at_most("time spent in a plug, from rest: error of 0.2 + supply x/u", float(np.abs(got["concentration"] - 0.2 - SUPPLY / SPEED * got.points[:, 0]).max()), 1e-8)
    held = ("-bc_bottom_type", "wall", "-bc_top_type", "wall")
    own, begun = (go("pipe", *dye, *through, *held, *more, np_=ranks).fields() for more in ((), ("-initial_velocity", "1,0")))
    gate.at_least("between walls: most of it", float(begun["concentration"].max()), 2 * SUPPLY / SPEED)
    gate.at_most("from rest less that from a flow", float(np.abs(own["concentration"] - begun["concentration"]).max()), 1e-7)
    named = ("the matrix is singular, it may be by the field 'concentration'", "-bc_<label>_concentration", "-scheme_steady_dt")
    gate.refused(go("closed", *dye, *WALLS, "-bc_top_type", "moving_wall", "-bc_top_velocity", "1,0", "-physics_passive_diffusivity", 0.1, np_=ranks, expect=None), named)
    plug, still = (*through, *slides), (*WALLS, "-physics_passive_diffusivity", 0.1, "-form_source_concentration", "x*y")
    its, diverged = ("-ksp_max_it", 1), ("-ksp_divtol", 0.5)
    few, failed = "the last linear solve did not converge in 1 iterations", "the last linear solve failed (DIVERGED_DTOL)"
    for flow, cut, told in (plug, its, few), ((*plug, "-initial_velocity", "1,0"), its, few), (still, its, few), ((*plug, "-initial_velocity", "1,0"), diverged, failed):
        ended = go("cut", *dye, *flow, "-pc_type", "jacobi", *cut, np_=ranks, expect=None)
        gate.refused(ended, (told,))
        gate.true("no field is blamed for a linear solve that is cut off", "the matrix is singular" not in ended.stderr)
    gate.refused(go("still", *dye, *still, "-pc_type", "jacobi", *diverged, np_=ranks, expect=None), named)
    lacks = go("missing", "-physics", "newtonian,passive", "-physics_passive_diffusivity", 0.1, "-scheme", "steady", *WALLS, "-bc_top_type", "moving_wall", "-bc_top_velocity", "1,0", "-bc_bottom_concentration", "value 1", np_=ranks)
    gate.near("a value at one wall is enough", float(lacks.fields()["concentration"].min()), 1.0, 1e-8)


def judged(gate, ranks, folder):
    thick = ("-plugin", f"{folder}/outside_suspension.so", "-physics", "newtonian,outside_suspension", "-physics_outside_suspension_diffusivity", 0.1, "-physics_outside_suspension_maximum", 0.4, *WALLS)
    factor = "for the factor of the solvent's viscosity at ("
    gate.refused(go("start", *thick, "-initial_solid", 0.5, "-stop_steps", 1, np_=ranks, expect=None),
                 begins := ("What the run begins with: the plugin 'outside_suspension' itself gives -4 " + factor, "where 'solid' is 0.5: expected one above 0"))
    gate.refused(go("check", *thick, "-initial_solid", 0.5, "-stop_steps", 1, np_=ranks, command="check", expect=None), begins)
    layer = ("-plugin", f"{folder}/wares.so", "-physics", "newtonian,wares", *WALLS, *[w for side in ("left", "right", "bottom", "top") for w in (f"-bc_{side}_ware", "value 0.3")], "-scheme", "steady", "-initial_ware", 0.3, "-physics_wares_limit", 1e3)
    ended = go("end", *layer, "-physics_wares_thin", 0.4, "-form_source_ware", 0.02, np_=ranks)
    told = re.search(r"warning: in the state at the end the plugin 'wares' itself gives (\S+) " + re.escape(factor) + r"\S+ \S+\) m, where 'ware' is (\S+):", ended.stderr)
    gate.true("at rest the run ends, and that is told: " + ended.stderr.strip()[:300], told is not None)
    gate.relative("the factor, of 1 - c/0.4", float(told.group(1)), 1 - float(told.group(2)) / 0.4, 1e-4)
    again = go("end", *layer, "-physics_wares_thin", 0.4, "-form_source_ware", 0.02, "-case_restart", ended.file("_checkpoint.h5"), np_=ranks)
    gate.true("its restart is told that: " + again.stderr.strip()[:300], "warning: in the state that is restarted from the plugin 'wares' itself gives " in again.stderr)
    kept = go("kept", *layer, "-physics_wares_thin", 10, "-form_source_ware", 0.02, np_=ranks)
    gate.true("nothing of one that is above 0", "itself gives" not in kept.stderr)
    lost = go("lost", *thick, "-scheme", "lumped", "-initial_solid", 0.39, "-form_source_solid", 1, "-bc_top_type", "moving_wall", "-bc_top_velocity", "1,0", "-scheme_lumped_dt", 1e-3, "-stop_steps", 100, np_=ranks, expect=None)
    gate.refused(lost, ("the state is not finite", "the plugin 'outside_suspension' itself gives ", factor))
    ware = ("-plugin", f"{folder}/wares.so", "-physics", "newtonian,wares", *WALLS, "-stop_steps", 1)
    gate.refused(go("diffusivity", *ware, "-initial_ware", "0.5+0.25*x", np_=ranks, expect=None), ("the plugin 'wares' itself gives -0.00", "for the diffusivity at (", "expected 0 or more"))
    for of in "x", "(3-x)":  # at either end, of whatever rank
        gate.refused(go("source", *ware, "-initial_ware", f"1.3-{of}/2", "-physics_wares_limit", 10, np_=ranks, expect=None), ("the plugin 'wares' itself gives ", "nan for the source at (", "where 'ware' is -0.", "expected a finite number"))
    for name, *words in READ:
        read = go(name, *ware, "-mesh_box_lower", "1,0", "-initial_ware", "0.3+0.1*x", "-physics_wares_limit", 100, *words, np_=ranks)
        gate.true(f"a source by what is finite there, {name}: {read.stderr.strip()[:300]}", "itself gives" not in read.stderr)
    told = go("none", *ware, "-mesh_box_lower", "1,0", "-initial_ware", "1.3-x/2", "-physics_wares_limit", 10, "-physics_wares_place", 0.7, np_=ranks, expect=None)
    gate.refused(told, ("the plugin 'wares' itself gives ", "nan for the source at ("))
    still = go("still", *ware, "-physics_wares_speed", 0.7, np_=ranks, expect=None)
    gate.refused(still, ("the plugin 'wares' itself gives inf for the source at (",))


def main(check, ranks, *more):
    gate = Gate(f"scalars_loose_{check}_np{ranks}")
    {"rest": rest, "judged": judged}[check](gate, int(ranks), *more)
    return gate.finish()


sys.exit(main(*sys.argv[1:]))
