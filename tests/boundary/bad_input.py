"""Numbers that no condition can have: each option refuses them by its name, with what it got and expects; so do labels that are given twice
and formulas that are no numbers at some place."""
import sys

import run
from gate import Gate

CHANNEL = {
    "case_name": "bad", "mesh_box_faces": "4,4", "physics": "newtonian", "physics_newtonian_viscosity": 0.3, "stabiliser": "split_oss", "bc_left_type": "inlet",
    "bc_left_velocity": "4*y*(1-y),0", "bc_right_type": "outlet", "bc_bottom_type": "wall", "bc_top_type": "wall", "scheme_lumped_dt": 1e-3, "stop_steps": 2,
    "output_fields": "false",
}
PROFILE = {**CHANNEL, "bc_left_velocity": None, "bc_left_profile": "parabolic"}
WAVE = {**PROFILE, "bc_left_profile": "womersley", "bc_left_flow_rate": "sin(2*pi*t)"}
WINDKESSEL = {**CHANNEL, "bc_right_type": "windkessel", "bc_right_proximal": 0.1, "bc_right_distal": 1, "bc_right_compliance": 0.1}
SLIP = {**CHANNEL, "bc_top_type": "slip"}
PERIODIC = {**CHANNEL, "bc_left_type": None, "bc_left_velocity": None, "bc_right_type": None, "mesh_periodic": "left,right", "form_mean_velocity": 1}
ANY = ("nan", "1e400")
BELOW = (*ANY, "-1e-300")
NUMBERS = [  # case, option, values, what is expected
    (PROFILE, "bc_left_mean_velocity", BELOW, "expected none or a number >= 0 (m/s)"),
    (PROFILE, "bc_left_maximum_velocity", BELOW, "expected none or a number >= 0 (m/s)"),
    (WAVE, "bc_left_period", (*BELOW, "0"), "expected none or a number > 0 (s)"),
    (CHANNEL, "bc_left_ramp", BELOW, "expected a number >= 0 (s)"),
    (CHANNEL, "bc_right_backflow", (*BELOW, "1.01"), "expected a number from 0 to 1"),
    (WINDKESSEL, "bc_right_proximal", BELOW, "expected a number >= 0 (Pa s/m^3)"),
    (WINDKESSEL, "bc_right_distal", (*BELOW, "0"), "expected none or a number > 0 (Pa s/m^3)"),
    (WINDKESSEL, "bc_right_compliance", BELOW, "expected none or a number >= 0 (m^3/Pa)"),
    (WINDKESSEL, "bc_right_distal_pressure", ANY, "expected a number (Pa)"),
    (WINDKESSEL, "bc_right_initial_pressure", ANY, "expected a number (Pa)"),
    (SLIP, "bc_top_friction", BELOW, "expected none or a number >= 0 (Pa s/m)"),
    (CHANNEL, "scheme_lumped_cfl", BELOW, "expected a number >= 0"),
    (CHANNEL, "scheme_lumped_dt_min", BELOW, "expected a number >= 0 (s)"),
    (CHANNEL, "scheme_lumped_dt", (*BELOW, "0"), "expected a number > 0 (s)"),
]
OTHERS = [  # case, changes, what is in the sentence
    (CHANNEL, {"bc_right_pressure": "1/(x-x)"}, ("-bc_right_pressure", "gives inf at (1, ", "expected a finite number")),
    (CHANNEL, {"bc_left_pressure": "log(0.5-y)"}, ("-bc_left_pressure", "at (0, ", "expected a finite number")),
    (CHANNEL, {"bc_right_pressure": "1,2"}, ("-bc_right_pressure", "got 2 formulas", "expected 1 (p)")),
    (CHANNEL, {"bc_right_form": "symmetrical"}, ("-bc_right_form", '"symmetrical"', "did you mean symmetric?")),
    (CHANNEL, {"bc_left_profile": "parabolical"}, ("-bc_left_profile", '"parabolical"', "did you mean parabolic?")),
    (CHANNEL, {"bc_left_profile": "plug"}, ("-bc_left_profile", '"plug"', "expected formula, parabolic, developed, womersley or file")),
    (CHANNEL, {"bc_right_polymer": "opened"}, ("-bc_right_polymer", '"opened"', "did you mean open?")),
    (CHANNEL, {"bc_left_polymer": "zero"}, ("-bc_left_polymer", "zero", "expected ")),
    (CHANNEL, {"bc_top_polymer": "rest"}, ("-bc_top_polymer", "does not take")),
    (CHANNEL, {"bc_right_type": "outflow"}, ("-bc_right_type", "unknown condition 'outflow'", "expected one of wall, ")),
    (CHANNEL, {"bc_right_type": "windkessels"}, ("-bc_right_type", "'windkessels', did you mean 'windkessel'?")),
    (CHANNEL, {"bc_left_polymer_at": "fluxes"}, ("-bc_left_polymer_at", '"fluxes"', "did you mean flux?")),
    (CHANNEL, {"bc_right_pressure_at": "node"}, ("-bc_right_pressure_at", '"node"', "did you mean nodes?")),
    (CHANNEL, {"bc_left_velocity": "1e300,0"}, ("not finite", "velocity is ")),
    (CHANNEL, {"bc_left_velocity": "log(0.0015-t),0"}, ("-bc_left_velocity", "t = 0.002", "expected a finite number")),
    (PERIODIC, {"mesh_periodic": "left,right;left,right"}, ("-mesh_periodic left,right", "one already", "expected two sides")),
    (PERIODIC, {"mesh_periodic": "left,right;right,left"}, ("-mesh_periodic right,left", "one already")),
    (PERIODIC, {"bc_left_type": "wall"}, ("-bc_left_type", "'left'", "0 boundary faces")),
    (PERIODIC, {"mesh_box_periodic": "x"}, ("-mesh_periodic left,right", "no boundary label")),
    (PERIODIC, {"form_mean_direction": "0,0"}, ("-form_mean_direction", "0,0")),
    (PERIODIC, {"form_mean_direction": "nan,1"}, ("-form_mean_direction", "'nan,1'", "numbers")),
    (PERIODIC, {"form_mean_velocity": None, "form_mean_direction": "0,1"}, ("-form_mean_direction", "0,1", "without -form_mean_velocity")),
    (CHANNEL, {"diagnostic_f_kind": "flux", "diagnostic_f_label": "left,left"}, ("-diagnostic_f_label", "left", "twice")),
    (CHANNEL, {"scheme_lumped_dt_min": 1, "scheme_lumped_cfl": 0.9}, ("-scheme_lumped_dt_min", "expected at most -scheme_lumped_dt 0.001")),
]


def refused(gate, base, changes, expected, np=1):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    gate.refused(run.rheoplex("run", *words, out=run.folder("bad_input"), np=np, expect=None, timeout=60), expected)


def main():
    gate = Gate("boundary_bad_input")
    for base, option, values, expected in NUMBERS:
        for value in values:
            refused(gate, base, {option: value}, (f"-{option}: got \"{value}\"", expected))
    for base, changes, expected in OTHERS:
        refused(gate, base, changes, expected)
    refused(gate, CHANNEL, OTHERS[1][1], OTHERS[1][2], np=2)
    refused(gate, PERIODIC, {"form_mean_velocity": "log(0.0015-t)"}, ("-form_mean_velocity", "t = 0.002", "expected a finite number"), np=2)
    return gate.finish()


sys.exit(main())
