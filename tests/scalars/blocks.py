"""-field_<name>_block: the split of the unknowns that a scalar field is solved in. blocks.py <plugin of two fields>
The splits by their names and unknowns a node; the same steady state, and steps, from either."""
import re
import sys

import numpy
import run
from gate import Gate

NODES = 7 * 7
CASE = ["run", "-case_name", "blocks", "-mesh_box_faces", "6,6", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall",
        "-bc_top_velocity", "16*x^2*(1-x)^2,0", "-form_density", 3, "-physics_newtonian_viscosity", 0.05, "-stabiliser", "split_oss", "-output_fields", "false"]
DYE = ["-physics", "newtonian,passive", "-physics_passive_diffusivity", 0.1, "-bc_top_concentration", "value 1", "-bc_bottom_concentration", "value 0"]
PAIR = ["-physics", "newtonian,pair", "-physics_pair_k", 0.02, "-bc_top_slow", "value 3", "-bc_bottom_fast", "value 2"]
MODES = ["-physics_oldroydb_modes", 1, "-physics_oldroydb_viscosity", 0.03, "-physics_oldroydb_lambda", 0.1]


def go(*words, np=1):
    return run.rheoplex(*CASE, *words, out=run.folder("blocks"), np=np)


def splits(result):
    """Names of the splits that a view shows, and how many unknowns a node has in each."""
    found = {}
    for name, rows in re.findall(r"Mat Object: \(fieldsplit_([a-z]+)_\w*\).*\n.*\n +rows=(\d+)", result.stdout):
        found[name] = max(found.get(name, 0), int(rows) / NODES)  # of a hierarchy the finest
    return found


def compare(gate, what, words, schemes, choices, ranks=1):
    """choices: options of a choice and the splits that it makes; the first is the default."""
    for scheme in schemes:
        direct = go(*words, *scheme, "-solver", "direct").checkpoint()  # of one rank
        for solver in ("split", "points"):
            for given, expected in choices:
                done = go(*words, *scheme, "-solver", solver, "-snes_view", *given, np=ranks)
                name = " ".join([what, scheme[1], solver, *given])
                gate.true(f"{name}: splits {splits(done)}", splits(done) == expected)
                gate.at_most(f"{name}: off the state of the exact factors", float(numpy.abs(done.checkpoint() - direct).max() / numpy.abs(direct).max()), 1e-7)


def main(plugin):
    gate = Gate("scalars_blocks")
    steady, steps = ["-scheme", "steady"], ["-scheme", "monolithic", "-scheme_monolithic_dt", 0.05, "-stop_steps", 2, "-snes_rtol", 1e-11]
    own, flow = ["-field_concentration_block", "own"], ["-field_concentration_block", "flow"]
    compare(gate, "one field", DYE, (steady,), (([], {"flow": 3, "scalars": 1}),))
    compare(gate, "one field", DYE, (steps,), ((own, {"flow": 3, "scalars": 1}), (flow, {"flow": 4})))
    # in the split of the flow with a mode between them: the components are not next to each other
    compare(gate, "one field and a mode", [*DYE, *MODES, "-physics", "newtonian,oldroydb,passive"], (steady,),
            ((own, {"polymer": 3, "flow": 3, "scalars": 1}), (flow, {"polymer": 3, "flow": 4})))
    compare(gate, "one of two fields", [*PAIR, "-plugin", plugin], (steady,),
            ((["-field_fast_block", "flow"], {"flow": 4, "scalars": 1}), (["-field_slow_block", "flow"], {"flow": 4, "scalars": 1}), (["-field_fast_block", "flow", "-field_slow_block", "flow"], {"flow": 5}), ([], {"flow": 3, "scalars": 2})))
    compare(gate, "two ranks, one field", DYE, (steady,), ((flow, {"flow": 4}),), ranks=2)
    return gate.finish()


sys.exit(main(sys.argv[1]))
