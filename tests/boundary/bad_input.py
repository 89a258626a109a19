"""Numbers that no condition can have: each option refuses them by its name, with what it got and expects; so do labels that are given twice
and formulas that are no numbers at some place."""
import math
import sys

import mshwrite
import run
import space
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
LID = {**CHANNEL, "bc_left_type": "wall", "bc_left_velocity": None, "bc_right_type": "wall", "bc_top_type": "moving_wall", "bc_top_velocity": "1,0"}
PERIODIC = {**CHANNEL, "bc_left_type": None, "bc_left_velocity": None, "bc_right_type": None, "mesh_periodic": "left,right", "form_mean_velocity": 1}
FRACTIONAL = {**CHANNEL, "scheme": "fractional_step", "scheme_lumped_dt": None, "scheme_fractional_step_dt": 1e-3}
MONOLITHIC = {**CHANNEL, "scheme": "monolithic", "scheme_lumped_dt": None, "scheme_monolithic_dt": 1e-3}
POLYMER = {"physics": "newtonian,oldroydb", "physics_oldroydb_viscosity": 0.3, "physics_oldroydb_lambda": 0.2, "stabiliser": "devss,split_oss"}
FLUX = {**CHANNEL, "diagnostic_q_kind": "flux", "diagnostic_q_label": "right", "diagnostic_q_strouhal": "right_flux"}
ROTATING = {**CHANNEL, "mesh_box_faces": "2,2,2", "bc_left_velocity": "4*y*(1-y),0,0", "bc_front_type": "wall", "bc_back_type": "wall", "bc_top_type": "rotating_wall", "bc_top_angular_velocity": 1}
ANY = ("nan", "1e400")
BELOW = ("nan", "-1e-300")
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
    (ROTATING, "bc_top_angular_velocity_scale", ANY, "expected a number (rad/s)"),
    (ROTATING, "bc_top_angular_velocity_time_scale", (*BELOW, "0"), "expected a number > 0 (s)"),
    (PERIODIC, "form_mean_velocity_time_scale", (*BELOW, "0"), "expected a number > 0 (s)"),
    (CHANNEL, "stop_lost", ("soon", "nan"), "expected "),
    (SLIP, "bc_top_friction", BELOW, "expected none or a number >= 0 (Pa s/m)"),
    (CHANNEL, "scheme_lumped_cfl", BELOW, "expected a number >= 0"),
    (CHANNEL, "scheme_lumped_dt_min", BELOW, "expected a number >= 0 (s)"),
    (FRACTIONAL, "scheme_fractional_step_dt_min", BELOW, "expected a number >= 0 (s)"),
    (MONOLITHIC, "scheme_monolithic_dt_min", BELOW, "expected a number >= 0 (s)"),
    (MONOLITHIC, "scheme_monolithic_cfl", BELOW, "expected a number >= 0"),
    (FLUX, "diagnostic_q_strouhal_periods", ("0", "-1", "two"), "expected an integer >= 1"),
    (CHANNEL, "stop_patience", BELOW, "expected a number >= 0 (s)"),
    (CHANNEL, "stop_wall_time", BELOW, "expected a number >= 0 (s)"),
    (CHANNEL, "scheme_lumped_dt", (*BELOW, "0"), "expected a number > 0 (s)"),
    (CHANNEL, "stop_time", ("soon", "nan"), "expected a number >= 0 (s)"), # of those that a case without a time step looks at first
    (CHANNEL, "stop_steady_tol", ("small",), "expected a number >= 0"),
    (CHANNEL, "case_velocity", ("fast", "0"), "expected a number > 0 (m/s)"),
    (CHANNEL, "case_length", ("long",), "expected a number > 0 (m)"),
    (CHANNEL, "ts_max_time", ("soon",), "expected a number >= 0 (s)"),
    (CHANNEL, "ts_init_time", ("now",), "expected a number (s)"),
]
OTHERS = [  # case, changes, what is in the sentence
    (CHANNEL, {"bc_right_pressure": "1/(x-x)"}, ("-bc_right_pressure", "gives inf at (1, ", "expected a finite number")),
    (CHANNEL, {"bc_left_pressure": "log(0.5-y)", "bc_right_type": "inlet", "bc_right_velocity": "4*y*(1-y),0"}, ("-bc_left_pressure", "at (0, ", "expected a finite number")),
    (CHANNEL, {"bc_left_pressure": "3+y"}, ("-bc_left_pressure", 'got "3+y"', "beside the velocity of the inlet 'left'", "expected one of the two", "-bc_left_type outlet")),
    (CHANNEL, {"bc_left_pressure": 3, "bc_right_type": "inlet", "bc_right_velocity": "4*y*(1-y),0", "bc_right_pressure": 2}, ("-bc_left_pressure", "expected one of the two")),
    (WINDKESSEL, {"bc_left_pressure": 3}, ("-bc_left_pressure", "expected one of the two")),
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
    (PERIODIC, {"bc_left_type": "wall"}, ("-bc_left_type", "'left'", "-mesh_periodic joins to its other side", "0 boundary faces", "expected no condition of it, or -mesh_periodic without it")),
    (CHANNEL, {"bc_right_type": "resistance", "bc_right_pressure_by_flux": "-q"}, ("-bc_right_pressure_by_flux: got no value, for -q behind it is read as another option", "begins with '-' needs a blank before it", "expected -bc_right_pressure_by_flux ' -q'")),
    (CHANNEL, {"bc_right_pressure": "-sin(y)"}, ("-bc_right_pressure: got no value, for -sin(y) behind it",)),
    (CHANNEL, {"bc_right_pressure": "-stop_steps"}, ("-bc_right_pressure: got no value but the option -stop_steps",)),
    (CHANNEL, {"bc_right_pressure=-x": 3}, ("got -bc_right_pressure=-x, expected a blank in place of '=' between an option and its value, here ' -x'",)),
    (PROFILE, {"bc_left_flow_rate": "pulse.txt"}, ("-bc_left_flow_rate", "pulse.txt", 'a file of rows "time,value" is one whose name ends in .csv')),
    (CHANNEL, {"bc_right_pressure": "/no/pulse"}, ("-bc_right_pressure", "/no/pulse", "is one whose name ends in .csv")),
    (SLIP, {"bc_top_friction": 1e4}, ("-bc_top_type slip: got a time step of 0.001 s", "for its friction of 10000 Pa s/m (-bc_top_friction)")),
    (PERIODIC, {"form_mean_velocity_scale": 3, "form_mean_velocity": None}, ("-form_mean_velocity_scale: got 3 without -form_mean_velocity,",)),
    (PERIODIC, {"form_mean_velocity": 2, "bc_top_type": "outlet"}, ('-form_mean_velocity: got "2" beside -bc_top_type outlet, an open boundary',)),
    (PERIODIC, {"form_mean_velocity": "1+t", "scheme": "steady", "scheme_lumped_dt": None, "stop_steps": None, "bc_top_type": "moving_wall", "bc_top_velocity": "t,0"}, ("change after t = 0 s (-form_mean_velocity, label 'top'), expected",)),
    (PERIODIC, {"form_mean_velocity_time_scale": 2}, ("-form_mean_velocity_time_scale: got 2", "expected it with the path of a .csv file in -form_mean_velocity")),
    (ROTATING, {"bc_top_angular_velocity_scale": 0.5}, ("-bc_top_angular_velocity_scale: got 0.5", "expected it with the path of a .csv file")),
    (CHANNEL, {"form_axisymmetric": "maybe"}, ("-form_axisymmetric", "maybe", "expected")),
    (PERIODIC, {"mesh_box_periodic": "x"}, ("-mesh_periodic left,right", "no boundary label")),
    (PERIODIC, {"form_mean_direction": "0,0"}, ("-form_mean_direction", "0,0")),
    (PERIODIC, {"form_mean_direction": "nan,1"}, ("-form_mean_direction", "'nan,1'", "numbers")),
    (PERIODIC, {"form_mean_velocity": None, "form_mean_direction": "0,1"}, ("-form_mean_direction", "0,1", "without -form_mean_velocity")),
    (CHANNEL, {"diagnostic_f_kind": "flux", "diagnostic_f_label": "left,left"}, ("-diagnostic_f_label", "left", "twice")),
    (CHANNEL, {"bc_left_polymer": "formula", "bc_left_stress": "1,2,3"}, ("-bc_left_stress: got formulas for a flow without polymer", "expected a polymeric law in -physics")),
    *((CHANNEL, {**POLYMER, "physics_oldroydb_lambda": 2, "polymer_variable": "auto", **words}, (f"-{next(iter(words))}: got formulas of the unknown of -polymer_variable, which auto made the logarithm of the conformation", "expected one that the case names, -polymer_variable stress, conformation or logconf" + more))
      for words, more in (({"bc_left_stress": "1,2,3", "bc_left_polymer": "formula"}, ""), ({"initial_stress": "1,2,3"}, ", or -initial_conformation"))),
    (CHANNEL, {"physics": "newtonian,fene_p", "physics_fene_p_viscosity": 0.3, "physics_fene_p_lambda": 0.2, "physics_fene_p_L2": 20, "initial_stress": "1,2,3"}, ("-initial_stress: got formulas", "auto made the conformation", "expected one that the case names, -polymer_variable conformation or logconf")),
    (LID, {"bc_top_velocity": "1,0.3"}, ("-bc_top_type moving_wall: got a flow of 0.3 m^2/s out of the domain through it", "0.3 with all labels, at t = 0.001", "no outlet")),
    (LID, {"bc_top_velocity": "0,-0.2*x", "bc_bottom_type": "moving_wall", "bc_bottom_velocity": "0,-0.05"}, ("-bc_top_type moving_wall: got a flow of 0.1 m^2/s into the domain through it", "0.05 with all labels")),
    (LID, {"bc_top_velocity": " 3*(y-1),-0.4*(1+1000*t)", "scheme": "fractional_step", "scheme_lumped_dt": None, "scheme_fractional_step_dt": 2e-3, "form_axisymmetric": "true", "bc_bottom_type": "symmetry"}, ("got a flow of 7.54 m^3/s into the domain through it", "at t = 0.002")), # 2 pi 0.4 3
    (ROTATING, {"bc_top_axis": "0,0,0"}, ("-bc_top_axis", "0,0,0", "expected")),
    (ROTATING, {"bc_top_axis": "nan,0,1"}, ("-bc_top_axis", "nan,0,1", "expected")),
    (CHANNEL, {"scheme_lumped_dt_min": 1, "scheme_lumped_cfl": 0.9}, ("-scheme_lumped_dt_min", "expected at most -scheme_lumped_dt 0.001")),
]


def refused(gate, base, changes, expected, np=1):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    gate.refused(run.rheoplex("run", *words, out=run.folder("bad_input"), np=np, expect=None, timeout=60), expected)


ROUND = {**CHANNEL, "form_axisymmetric": "true", "bc_bottom_type": "symmetry"}
DUCT = {**CHANNEL, "mesh_box_faces": "2,4,4", "mesh_box_cell": "hexahedron", "bc_front_type": "wall", "bc_back_type": "wall"}
BRANCH = {**CHANNEL, "bc_top_type": "inlet"}
OUTWARD = [  # case, changes, the flow out of the label that is told, or None; of the label's nodes, those on walls at rest
    (CHANNEL, {"bc_left_velocity": " -4*y*(1-y),0"}, "0.625 m^2/s"),
    (CHANNEL, {"bc_left_velocity": "4*y*(1-y),0"}, None),
    (CHANNEL, {"bc_left_velocity": " -4*y*(1-y),0", "bc_left_ramp": 3}, "0.625 m^2/s"),
    (PROFILE, {"bc_left_flow_rate": "0-0.3"}, "0.3 m^2/s"),
    (PROFILE, {"bc_left_flow_rate": "0-0.3*(1.5+cos(900*t))"}, "0.75 m^2/s"),
    (PROFILE, {"bc_left_flow_rate": "0-0.3*cos(900*t)"}, None),
    (PROFILE, {"bc_left_flow_rate": "0-0.3*(0.7-t)", "stop_steps": None, "stop_time": 0.8, "scheme_lumped_dt": 0.02}, None),
    (PROFILE, {"bc_left_flow_rate": "0-0.3*(0.9-t)", "stop_steps": None, "stop_time": 0.8, "scheme_lumped_dt": 0.02}, "0.27 m^2/s"),
    (ROUND, {"bc_left_velocity": None, "bc_left_flow_rate": "0-0.2"}, "0.2 m^3/s"),
    (DUCT, {"bc_left_velocity": None, "bc_left_flow_rate": "0-0.2"}, "0.2 m^3/s"),
    (BRANCH, {"bc_top_velocity": "0,0.3"}, None), # more flows in at the left
    (BRANCH, {"bc_top_velocity": "0,3"}, "2.62 m^2/s"), # 3 times 7/8: the corner at the left has its velocity
    (CHANNEL, {"bc_right_type": "inlet", "bc_right_velocity": "4*y*(1-y),0"}, None),
    (CHANNEL, {"bc_left_velocity": " -4*y*(1-y),0", "scheme_lumped_dt": None, "stop_steps": None, "scheme": "steady"}, "0.625 m^2/s"),
]


TOLD = [  # case, changes, the warning, or None, and words that stand for what is told
    (CHANNEL, {"form_convection": "false"}, "-form_convection false: got a density of 1 kg/m^3, with whose rho du/dt the flow follows within rho D^2/eta = 3.33 s", "no flow without inertia"),
    (CHANNEL, {"form_convection": "false", "stop_steady_tol": 1e-3}, None, "no flow without inertia"),
    (MONOLITHIC, {"form_convection": "false", "form_density": 3, **POLYMER}, None, "no flow without inertia"),
    (CHANNEL, {"bc_left_polymer": "rest", "bc_left_polymer_at": "flux", "bc_right_polymer": "zero"}, "got -bc_left_polymer rest, -bc_left_polymer_at flux, -bc_right_polymer zero in a case without a polymer", "without a polymer"),
    (CHANNEL, {"bc_left_polymer": "auto"}, None, "without a polymer"),
    (CHANNEL, {**POLYMER, "bc_left_polymer": "rest"}, None, "without a polymer"),
    (CHANNEL, {"scheme_lumped_dt_min": 1e-7}, "-scheme_lumped_dt_min: got 1e-07 s without a CFL target", "dt_min"),
    (CHANNEL, {"scheme_lumped_dt_min": 1e-7, "scheme_lumped_cfl": 0.9}, None, "dt_min"),
    (CHANNEL, {"scheme_lumped_dt_min": 1e-7, "scheme_lumped_dt": None, "scheme": "lumped"}, None, "dt_min"),
    (WINDKESSEL, {"bc_right_initial_pressure": 3}, None, "initial_pressure"),
    (WINDKESSEL, {"bc_right_initial_pressure": 3, "bc_right_compliance": 0}, "-bc_right_initial_pressure: got 3 Pa with -bc_right_compliance 0", "initial_pressure"),
    (CHANNEL, {"initial_velocity": "y*exp(-t),0", "ts_init_time": 0.3, "stop_steps": None, "stop_time": 0.4}, '-initial_velocity: got "y*exp(-t),0", in which t is the time of the start alone, 0.3 s', "-initial_"),
    (CHANNEL, {**POLYMER, "initial_pressure": "1-x", "initial_conformation": "1,1+t,0"}, '-initial_conformation: got "1,1+t,0"', "-initial_"),
    (LID, {"bc_top_velocity": "0,-0.2*x", "bc_bottom_type": "moving_wall", "bc_bottom_velocity": "0,-0.1"}, None, "moving_wall: got"), # as much in as out
    (LID, {"bc_top_velocity": "x*(1-x),0.5-x"}, None, "moving_wall: got"), # as much in as out
    (LID, {"bc_top_velocity": "1,1e-6"}, None, "moving_wall: got"), # of coordinates that are rounded
]


def doubted(gate, base, changes, sentence, of):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    said = [line for line in run.rheoplex("check", *words, out=run.folder("bad_input")).stderr.splitlines() if of in line]
    gate.true(f"{changes}: {sentence}", len(said) == bool(sentence) and all(line.startswith("rheoplex: warning: ") and sentence in line for line in said))


def outward(gate, base, changes, told, np=1, verbs=("run", "check")):
    words = [w for key, value in {**base, **changes}.items() if value is not None for w in (f"-{key}", value)]
    for verb in verbs:
        said = [line for line in run.rheoplex(verb, *words, out=run.folder("bad_input"), np=np).stderr.splitlines() if "points out of the domain" in line]
        label = "top" if base is BRANCH else "left"
        gate.true(f"{changes}, np {np}, {verb}: {told}", len(said) == bool(told) and all(f"inlet '{label}'" in line and f"got a flow of {told} out of it, expected one into it" in line for line in said))


def turning(gate):
    """A wall that rotates about an axis that is not its own is told of; a node that another label has is not looked at."""
    folder, T = run.folder("bad_input"), space.oblique()
    place = lambda i, j: (0.2 + 0.25 * (i + 2) * math.cos(math.pi * j / 12), 0.1 + 0.25 * (i + 2) * math.sin(math.pi * j / 12))
    ring = {**CHANNEL, "mesh_file": mshwrite.annulus(f"{folder}/ring.msh", 2, 24, place), "bc_inner_type": "rotating_wall", "bc_inner_angular_velocity": "3*t", "bc_outer_type": "wall", "mesh_box_faces": None,
            **{key: None for key in CHANNEL if key.startswith("bc_")}}
    tube = {**ring, "mesh_file": space.tube(folder, 1, 12, T), "bc_low_type": "wall", "bc_high_type": "wall", **space.inside(T[:, 2]), "bc_inner_angular_velocity": 2}
    lid = {"bc_top_type": "rotating_wall", "bc_top_angular_velocity": 1}
    off = "is not round about its axis, and fluid passes through it: got, at "
    for what, words, told, np in (
            ("annulus", {**ring, "bc_inner_axis_point": "0.2,0.1"}, None, 1), # |u.n| = w |c x n|, |c| the way to the wall's axis; largest |u| at the far side
            ("annulus", ring, ("'inner'", "of 0.309 of its largest one", "-bc_inner_axis_point (now 0,0,0)"), 1), ("annulus", ring, ("'inner'", "of 0.309 of its largest one"), 3),
            ("lid", {**CHANNEL, **lid}, ("'top'", "(0.75, 1)", "of 0.6 of its largest one", "-bc_top_axis_point"), 1), # at its end nodes other labels are
            ("disc", {**ROTATING, "bc_top_axis": "0,1,0"}, None, 1), ("disc", ROTATING, ("'top'", "-bc_top_axis_point (now 0,0,0) or -bc_top_axis\n"), 2),
            ("tilted tube", tube, None, 2), ("tilted tube", {**tube, "bc_inner_axis": None}, ("'inner'", " or -bc_inner_axis\n"), 2)):
        for verb in ("run", "check") if what == "lid" else ("check",):
            said = [line + "\n" for line in run.rheoplex(verb, *(w for key, value in words.items() if value is not None for w in (f"-{key}", value)), out=folder, np=np).stderr.splitlines() if off in line]
            gate.true(f"{what}, np {np}, {verb}: {told} {said}", len(said) == bool(told) and all(t in said[0] for t in told or ()))


def main():
    gate = Gate("boundary_bad_input")
    for base, option, values, expected in NUMBERS:
        for value in values:
            refused(gate, base, {option: value}, (f"-{option}: got \"{value}\"", expected))
    for base, changes, expected in OTHERS:
        refused(gate, base, changes, expected)
    refused(gate, LID, {"bc_top_velocity": "1,0.3"}, ("got a flow of 0.3 m^2/s out of",), np=2)
    for case in TOLD:
        doubted(gate, *case)
    for k, (base, changes, rate) in enumerate(OUTWARD):
        outward(gate, base, changes, rate, verbs=("run", "check")[k % 2 :][:1])
    turning(gate)
    none = run.rheoplex("check", *(w for key, value in {**SLIP, "bc_top_friction": "nan"}.items() for w in (f"-{key}", value)), out=run.folder("bad_input"), expect=None).stderr
    gate.true("nan is no slip of 'none'", "expected none or a number" in none and "did you mean" not in none)
    law = {**CHANNEL, **POLYMER}
    for rate, told in ("5", "got 5 m^2/s out (-bc_right_flow_rate, with other outlets if any), 0.625 m^2/s in"), (" -0.667", "got -0.667 m^2/s out"), ("0.667", ""):
        result = run.rheoplex("check", *(w for key, value in {**law, "bc_right_flow_rate": rate}.items() for w in (f"-{key}", value)), out=run.folder("bad_input"))
        gate.true(f"outlet's rate {rate}: {told or 'nothing told'}", told in result.stderr if told else "rate of what flows in" not in result.stderr)
    for changes, told in ({"bc_right_ramp": 2, "bc_right_pressure": 3}, True), ({"bc_right_ramp": 0}, False), ({"bc_right_ramp": 2, "bc_right_flow_rate": 0.6}, False):
        words = [w for key, value in {**CHANNEL, **changes}.items() for w in (f"-{key}", value)]
        gate.true(f"{changes}: told {told}", ("warning: -bc_right_ramp: got it without a profile" in run.rheoplex("check", *words, out=run.folder("bad_input")).stderr) == told)
    outward(gate, *OUTWARD[0], np=3) # run and check
    outward(gate, *OUTWARD[-4], np=2)
    refused(gate, CHANNEL, OTHERS[1][1], OTHERS[1][2], np=2)
    refused(gate, CHANNEL, OTHERS[2][1], OTHERS[2][2], np=3)
    refused(gate, PERIODIC, {"form_mean_velocity": "log(0.0015-t)"}, ("-form_mean_velocity", "t = 0.002", "expected a finite number"), np=2)
    return gate.finish()


sys.exit(main())
