"""What a run and `check` tell of labels before the first step, all of a kind in one message. told.py slip"""
import sys

import run
from gate import Gate

RHO, ETA, U, D = 3.0, 0.7, 2.0, 0.4
CHANNEL = {"case_name": "told", "case_velocity": U, "case_length": D, "mesh_box_faces": "3,4", "mesh_box_upper": "1.5,0.4", "form_density": RHO, "physics": "newtonian", "physics_newtonian_viscosity": ETA, "stabiliser": "split_oss",
           "scheme": "steady", "output_fields": "false", "bc_left_type": "inlet", "bc_left_velocity": "2,0", "bc_right_type": "outlet", "bc_bottom_type": "wall", "bc_top_type": "wall"}


def words(*cases):
    both = {key: value for case in cases for key, value in case.items()}
    return [w for key, value in both.items() if value is not None for w in (f"-{key}", value)]


def check(*cases, np_=1):
    return run.rheoplex("check", *words(CHANNEL, *cases), out=run.folder("told"), np=np_)


def warnings(result, of):
    return [line for line in result.stderr.splitlines() if line.startswith("rheoplex: warning: ") and of in line]


def slip(gate):
    """eta/b of a friction; f(tau)/(U/D) at tau = eta U/D of a formula, here 1e-3 tau + 2e-3 tau^2, tau = 3.5 Pa."""
    both = {"bc_bottom_type": "slip", "bc_bottom_friction": 14, "bc_top_type": "slip", "bc_top_slip_by_stress": "1e-3*tau+2e-3*tau^2"}
    length = (1e-3 * 3.5 + 2e-3 * 3.5**2) / (U / D)
    for np_ in 1, 2:
        shown = check(both, np_=np_)
        gate.true(f"np {np_}: 0.7/14 m", "Slip length of 'bottom': 0.05 m, 0.125 D (eta over its friction, at U/D)\n" in shown.stdout)
        gate.true(f"np {np_}: by a formula", f"Slip length of 'top': {length:.3g} m, {length / D:.3g} D" in shown.stdout)
        gate.true(f"np {np_}: no doubt", not warnings(shown, "slip length"))
    free = check(both, {"bc_bottom_friction": 0})
    gate.true("without friction", "Slip length of 'bottom': infinite" in free.stdout and not warnings(free, "slip length"))
    for what, friction, formula, told in (("long", 0.0174, "2*tau", ["slip lengths, viscosity over friction: got 40.2 m of 'bottom', 1e+02 D (-bc_bottom_friction): the fluid is hardly held there; expected at most 100 D, by a friction from 0.0175 Pa s/m on"]),
                                          ("long, both", 0.0174, "200*tau", ["got 40.2 m of 'bottom', 1e+02 D (-bc_bottom_friction), 140 m of 'top', 3.5e+02 D (-bc_top_slip_by_stress)"]),
                                          ("just not", 0.0176, "2*tau", []), ("short", 1.8e6, "2*tau", ["got 3.89e-07 m of 'bottom', 9.7e-07 D (-bc_bottom_friction): the fluid does not slip there; expected at least 1e-06 D, by a friction of at most 1.75e+06 Pa s/m, or type wall"])):
        lines = warnings(check(both, {"bc_bottom_friction": friction, "bc_top_slip_by_stress": formula}), "slip lengths")
        gate.true(f"{what}: {told or 'nothing told'}", len(lines) == bool(told) and all(text in lines[0] for text in told))


def main(what):
    gate = Gate(f"case_told_{what}")
    {"slip": slip}[what](gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
