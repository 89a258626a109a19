"""Bad input of viscoelastic cases: exit code 1 and one line that says what is wrong."""
import sys

import laws
import run
from gate import Gate

BOX = ["-case_name", "bad", "-mesh_box_faces", "4,4", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-stabiliser", "split_oss", "-stop_steps", "1"]
WALLS = [*BOX, "-bc_left_type", "wall", "-bc_right_type", "wall"]
CHANNEL = [*BOX, "-bc_left_type", "inlet", "-bc_left_profile", "parabolic", "-bc_left_mean_velocity", "5", "-bc_right_type", "outlet",
           "-bc_right_polymer", "zero"]
CASES = [
    ("two viscous laws", [*WALLS, "-physics", "newtonian,cross", *laws.words("newtonian,cross")], ["newtonian", "cross", "at most one", "-physics"]),
    ("stress with a non-linear spring", [*WALLS, "-physics", "newtonian,fene_p", *laws.words("newtonian,fene_p"), "-polymer_variable", "stress"], ["fene_p", "stress", "conformation"]),
    ("flow curve that falls at an inlet", [*CHANNEL, "-physics", "newtonian,johnson_segalman", "-physics_newtonian_viscosity", "0.01", "-physics_johnson_segalman_viscosity", "1",
                                                       "-physics_johnson_segalman_lambda", "1", "-physics_johnson_segalman_xi", "0.2"],
     ["not monotone", "falls beyond", "30 1/s", "more solvent"]),
    ("values for two of four modes", [*WALLS, "-physics", "ptt", *laws.words("ptt"), "-physics_ptt_modes", "4", "-physics_ptt_lambda", "1,2"],
     ["physics_ptt_lambda", "got 2 values", "expected 1 or as many as -physics_ptt_modes, 4"]),
    ("unknown representation", [*WALLS, "-physics", "oldroydb", *laws.words("oldroydb"), "-polymer_variable", "sqrt"], ["polymer_variable", '"sqrt"', "stress, conformation, logconf or auto"]),
]


def main():
    gate = Gate("viscoelastic_negative")
    for what, words, expected in CASES:
        result = run.rheoplex("run", *words, out=run.folder("bad"), expect=None)
        lines = result.stderr.splitlines()
        message = lines[0] if len(lines) == 1 and lines[0].startswith("rheoplex: error: ") else ""
        missing = [word for word in expected if word not in message]
        if missing or not message:
            print(f"{what}: missing {missing} in\n{result.stderr[-2000:]}")
        gate.true(what, result.rc == 1 and message and not missing)
    return gate.finish()


sys.exit(main())
