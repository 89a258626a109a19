"""What a run and `check` tell before the first step: of labels, all of a kind in one message, and of a set-up that takes long. told.py slip|labels|temperatures|setup|jumps
cost: what a run tells, while it lasts and at its end, of diagnostics that take most of its time."""
import math
import re
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


OPEN = {"physics_newtonian_viscosity": 0.03, "scheme": "monolithic", "scheme_monolithic_dt": 0.01, "stop_time": 1, "bc_left_type": "outlet", "bc_left_velocity": None, "bc_top_type": "outlet"}
POLYMER = {"physics": "newtonian,oldroydb", "physics_oldroydb_viscosity": 0.3, "physics_oldroydb_lambda": 0.7, "stabiliser": "devss,split_oss", "polymer_variable": "conformation"}
ENTERS = {"bc_top_type": "inlet", "bc_top_velocity": "0,-1", "bc_bottom_type": "symmetry"}


def labels(gate):
    """Each kind of doubt about more than one label: one line that names all of them, none of those that are in order."""
    beats = {"bc_left_velocity": "1+sin(2*t),0", "bc_top_velocity": "0,-1-cos(3*t)", "bc_left_polymer_memory": "off", "bc_top_polymer_memory": "off", "scheme": "monolithic", "scheme_monolithic_dt": 0.01, "stop_time": 20, "bc_right_polymer": "open"}
    fast = {"bc_left_profile": "parabolic", "bc_left_velocity": None, "bc_left_mean_velocity": 10, "bc_top_profile": "parabolic", "bc_top_velocity": None, "bc_top_mean_velocity": 20, "bc_left_polymer_at": "nodes", "bc_top_polymer_at": "nodes", "bc_bottom_type": "wall"}
    for what, words, of, expected in (
            ("pressures that drive", {**OPEN, "bc_left_pressure": 5, "bc_top_pressure": 3}, "comes in through", ["through 'left' and 'top', which are open with a pressure 5 and 3 Pa above another one", "expected -bc_left_tangential zero, or -bc_left_backflow 0.5 where vortices pass; -bc_top_tangential"]),
            ("one of them in order", {**OPEN, "bc_left_pressure": 5, "bc_top_pressure": 3, "bc_left_backflow": 0.5}, "comes in through", ["through 'top', which is open with a pressure 3 Pa above"]),
            ("a flow that reverses", {**OPEN, "bc_left_type": "inlet", "bc_left_velocity": "sin(9*t),0"}, "reverses", ["comes in through 'right' and 'top', which are open", "expected -bc_right_tangential zero, or -bc_right_backflow 0.5 where vortices pass; -bc_top_tangential"]),
            ("inlets out of which it flows", {**ENTERS, "bc_left_velocity": "-2,0", "bc_top_velocity": "0,3"}, "out of the domain", ["the velocities of the inlets 'left' and 'top' point out", "got flows of 0.8 and 3.75 m^2/s out of it"]),
            ("inlets without a polymer", {**POLYMER, **ENTERS, "bc_left_polymer": "free", "bc_top_polymer": "free"}, "got free", ["-bc_left_polymer and -bc_top_polymer: got free for inlets"]),
            ("polymer at rest", {**POLYMER, **OPEN, "bc_left_pressure": 5, "bc_top_pressure": 3, "bc_left_tangential": "zero", "bc_top_tangential": "zero"}, "polymer at rest", ["'left' and 'top', which are open with a pressure 5 and 3 Pa", "expected -bc_left_polymer_inflow developed, -bc_top_polymer_inflow developed where"]),
            ("one of them said", {**POLYMER, **OPEN, "bc_left_pressure": 5, "bc_top_pressure": 3, "bc_left_tangential": "zero", "bc_top_tangential": "zero", "bc_left_polymer_inflow": "rest"}, "polymer at rest", ["'top', which is open with a pressure 3 Pa", "expected -bc_top_polymer_inflow developed where", "or -bc_top_polymer_inflow rest"]),
            ("tension", {**POLYMER, **ENTERS, **fast}, "normal stress difference", ["at the inlets 'left' and 'top' has a normal stress difference of ", "-bc_<label>_polymer_at flux"]),
            ("a force along outlets", {**OPEN, "bc_top_type": "wall", "form_body_force": "0,-20"}, "does not hold it", ["at the outlets 'left' and 'right' does not hold it: 8 and 8 Pa from end to end", "such as \"-20*y\" (-bc_<label>_pressure of"])):
        lines = warnings(check({key: None for key in CHANNEL if key in words and words[key] is None}, words), of)
        gate.true(f"{what}: {expected} {lines}", len(lines) == 1 and all(text in lines[0] for text in expected))
    lines = warnings(check(POLYMER, ENTERS, beats), "beside a relaxation time of 0.7 s")
    changes = [re.search(r"inlet '(\w+)' changes in (\S+) s \(-bc_(\w+)_velocity\)", line).groups() for line in lines]
    gate.true("two inlets that change are told", [(a, b) for a, _, b in changes] == [("left", "left"), ("top", "top")])
    for (label, time, _), frequency in zip(changes, (2, 3)):
        gate.relative(f"'{label}', by its own times", float(time), 2 * math.pi / frequency, 5e-3)


def temperatures(gate):
    """References and formulas in degrees Celsius. Arrhenius: E/R (1/T - 1/T0); within 1 K of 23 E/R/(23 x 24), which differences alone do not have."""
    E = 4e4
    melt = {"physics": "newtonian,thermal", "physics_thermal_conductivity": 1, "physics_thermal_heat_capacity": 1, "physics_thermal_activation": E, "physics_thermal_reference": 473, "initial_temperature": 473,
            **{f"bc_{side}_temperature": "value 473" for side in ("left", "bottom", "top")}}
    cold = {**melt, **{key: 23 if key.startswith(("initial", "physics_thermal_ref")) else "value 23" for key in melt if key.endswith(("temperature", "reference"))}}
    fold = lambda T: math.exp(E / 8.314462618 / (T * (T + 1)))
    for what, case, told in (("an Arrhenius law", cold, f"-physics_thermal_reference: got 23 K, from which to 1 K above the laws' times change {fold(23):.3g}-fold, at 296.15 K {fold(296.15):.3g}-fold: is it in degrees Celsius?"),
                             ("differences alone", {**cold, "physics_thermal_activation": 0, "physics_thermal_sensitivity": 0.02, "physics_thermal_wlf_1": 8.86}, ""),
                             ("without units", {**cold, **{key: str(value).replace("23", "1") for key, value in cold.items() if key.endswith(("temperature", "reference"))}, "physics_thermal_activation": 8.3}, "")):
        for np_ in (1, 2) if told else (1,):
            lines = warnings(check(case, np_=np_), "Celsius")
            gate.true(f"a reference in Celsius of {what}, np {np_}: {told or 'nothing'} {lines}", len(lines) == bool(told) and told in "".join(lines))
    for what, case, told in (("a formula", {"bc_top_temperature": "value 200+20*x/1.5"}, ["-bc_top_temperature: got 200, the least of its formula, beside a reference of 473 K (-physics_thermal_reference): is it in degrees Celsius?"]),
                             ("its largest value", {"bc_top_temperature": "value 473+4000*x"}, ["-bc_top_temperature: got 6473 K, the largest of its formula, at which the laws' times are"]),
                             ("of what comes in later", {"bc_right_temperature": "inflow 473-250*min(t,1)", "scheme": "monolithic", "scheme_monolithic_dt": 0.1, "stop_time": 1}, ["-bc_right_temperature: got 223, the least"]),
                             ("about a film", {"bc_top_temperature": "film 1e-4, 180+x"}, ["-bc_top_temperature: got 180, the least"]), ("at the start", {"initial_temperature": "200+x"}, ["-initial_temperature: got 200, the least"]),
                             ("two of them", {"bc_bottom_temperature": "value 200", "bc_top_temperature": "value 200+x"}, ["-bc_bottom_temperature: got 200 beside", "; likewise -bc_top_temperature"]),
                             ("in kelvin", {"bc_top_temperature": "value 473+20*x", "bc_right_temperature": "inflow 460+x", "initial_temperature": "473+x"}, []), ("a flux", {"bc_top_temperature": "flux 2*x"}, [])):
        for np_ in (1, 3) if what == "a formula" else (1,):
            lines = [line for line in check(melt, case, np_=np_).stderr.splitlines() if "_temperature: got" in line]
            gate.true(f"{what}, np {np_}: {told or 'nothing'} {lines}", len(lines) == bool(told) and all(text in lines[0] for text in told))


def setup(gate):
    """After -case_report_seconds, and again after as many, one rank tells what is being done."""
    solid = {"mesh_box_faces": "7,7,7", "mesh_box_upper": "1,1,1", "mesh_box_cell": "hexahedron", "bc_left_velocity": "2,0,0", "bc_front_type": "wall", "bc_back_type": "wall", "dm_refine_pre": 3}
    for np_, words in ((1, {}), (2, {"dm_refine_pre": 2, "dm_refine": 1})):
        out = check(solid, words, {"case_report_seconds": 0.02}, np_=np_).stdout
        lines = re.findall(r"^set-up: (.*) \((\S+) s\)$", out, re.M)
        times = [float(t) for _, t in lines]
        gate.true(f"np {np_}: each once, in order", len(times) > 5 and all(a < b for a, b in zip(times, times[1:])) and out.index("set-up: ") < out.index("Case: "))
        gate.true(f"np {np_}: the refinement, of 7^3 64 cells", any(text in ("refining the mesh of 21952 cells, 3 of 3", "refining the parts of the mesh, 1 of 1") for text, _ in lines))
        gate.true(f"np {np_}: what follows it", any(text in ("numbering nodes and elements", "setting up the conditions", "setting up the scheme and its solvers") for text, _ in lines))
    for seconds in (None, 0):
        gate.true(f"-case_report_seconds {seconds}: nothing", "set-up:" not in check(solid, {"case_report_seconds": seconds, "dm_refine_pre": 1}).stdout)


def jumps(gate):
    """What comes in in time, without a ramp, and does not begin near 0: the part of its largest flow that it begins with."""
    rows = f"{run.folder('told')}/q.csv"
    with open(rows, "w") as file:
        file.write("0,0.2\n0.3,0.8\n0.5,1\n0.8,0.4\n1,0.2\n")
    moving = {"scheme": "monolithic", "scheme_monolithic_dt": 0.01, "stop_time": 2, "stop_steps": 2, "bc_left_velocity": "2+sin(2*pi*t),0"}
    rate = {"bc_left_velocity": None, "bc_left_flow_rate": "1-0.25*t"}
    solid = {"mesh_box_upper": "1.5,0.4,0.4", "mesh_box_faces": "3,2,2", "bc_left_velocity": "y*z*(3+2*cos(pi*t)),0,0", "bc_front_type": "wall", "bc_back_type": "wall"}
    both = {"bc_top_type": "inlet", "bc_top_velocity": "0,-cos(t)"}
    told = lambda *changes, np_=1: [line for line in check(moving, *changes, np_=np_).stderr.splitlines() if line.startswith("rheoplex: note: the fluid is at rest")]
    for what, case, np_, expected in (("by a formula", {}, 1, "through 'left' begins with 66.7 % of its largest"), ("of the rate", rate, 2, "through 'left' begins with 100 %"), ("by rows", {**rate, "bc_left_flow_rate": rows, "bc_left_flow_rate_interpolation": "monotone"}, 1, "with 20 %"),
                                      ("in space", solid, 3, "with 100 %"), ("of two inlets", both, 1, "through 'left' and 'top' begins with 66.7 and 100 %"), ("of one of them", {**both, "bc_left_ramp": 0.1}, 1, "through 'top' begins with 100 %"),
                                      ("of a polymer", POLYMER, 1, "behind which waves of the stress follow")):
        lines = told(case, np_=np_)
        gate.true(f"{what}, np {np_}: {expected} {lines}", len(lines) == 1 and expected in lines[0] and "expected -bc_" in lines[0])
    walls = {"bc_left_type": None, "bc_left_velocity": None, "bc_right_type": None, "mesh_box_periodic": "x"}
    monotone = {"form_mean_velocity_interpolation": "monotone"}
    for what, mean, expected, more in (("kept by a force", "3+cos(2*pi*t)", "-form_mean_velocity begins with 100 %", {}), ("kept by a force, by rows", rows, "begins with 20 %", monotone), ("it begins near 0", "1.01-cos(2*pi*t)", None, {}), ("it is constant", "3", None, {}), ("it hardly changes", "3+0.05*cos(2*pi*t)", None, {})):
        lines = told({**walls, **more, "form_mean_velocity": mean})
        gate.true(f"{what}: {expected} {lines}", len(lines) == (expected is not None) and all(expected in line and "expected one that begins at 0" in line for line in lines))
    left = run.rheoplex("run", *words(CHANNEL, moving), out=run.folder("told"))
    for what, case in (("begins at 0", {"bc_left_velocity": "2*sin(2*pi*t),0"}), ("nearly", {"bc_left_velocity": "0.04+sin(2*pi*t),0"}), ("with a ramp", {"bc_left_ramp": 0.1}), ("constant", {"bc_left_velocity": "2,0"}),
                       ("to rest", {"stop_steady_tol": 1e-6}), ("to a period", {"stop_periodic": "back:1e-3", "diagnostic_back_kind": "periodicity", "diagnostic_back_every_dt": 0.5}), ("from a flow", {"initial_velocity": "2,0"}), ("goes on", {"case_restart": f"{left.out}/told_checkpoint.h5", "stop_steps": 4}),
                       ("along the label", {"bc_left_velocity": "2,0", "bc_top_type": "moving_wall", "bc_top_velocity": "cos(t),0"}),
                       ("a pressure", {"bc_left_type": "outlet", "bc_left_velocity": None, "bc_left_pressure": "1+cos(t)"})):
        lines = told(case)
        gate.true(f"not told: {what} {lines}", not lines)


def cost(gate):
    """The parts of a step are all of it; the dearest diagnostic by its rows and their time; -case_report_seconds, 0: at the end alone."""
    lasting = {"mesh_box_faces": "12,8", "scheme": "fractional_step", "scheme_fractional_step_dt": 1e-3, "stop_steps": 200, "case_report_every": 10**6, "case_report_seconds": 0.03}
    rows = lambda name, every, kind="integral", **options: {f"diagnostic_{name}_{key}": value for key, value in {"kind": kind, "every": every, **options}.items()}
    dear = {**rows("zero", 200, kind="flux", label="left"), **rows("second", 1, kind="energy"), **{key: value for name in "acdefghij" for key, value in rows(f"first_{name}", 2, kind="energy").items()}}
    for what, case, np_, during in (("dear", dear, 1, 1), ("dear", {**dear, "case_report_seconds": 0}, 2, 0), ("cheap", rows("first", 100, fields="all"), 1, 0), ("none", {}, 1, 0)):
        out = run.rheoplex("run", *words(CHANNEL, lasting, case), *(["-log_view"] if what == "cheap" else []), out=run.folder("cost"), np=np_).stdout
        before, _, after = out.partition("\nEnd at step")
        told = [re.findall(r"^ *diagnostics take (\d+) % of the steps' time, most of it '(\w+)' with (\S+) s a row: -diagnostic_(\w+)_every asks for fewer$", text, re.M) for text in (before, after)]
        gate.true(f"{what}, np {np_}: told {during} times before the end, and there {told}", (len(told[0]), len(told[1])) == (during, int(what == "dear")))
        parts = {name: float(value) for name, value in re.findall(r"([a-z ]+) ([-\d.]+) %", after.partition("a node;")[2].partition("\n")[0])}
        gate.near(f"{what}, np {np_}: sum of the parts", sum(parts.values()), 100, 0.6)
        gate.true(f"{what}, np {np_}: each is a part {parts}", (np_ > 1 or all(-0.1 <= part <= 100 for part in parts.values())) and (" diagnostics" in parts) == (what != "none") and parts.get(" momentum", 0) > 0 and " modes" not in parts)
        if what == "cheap":
            gate.true("a stage of the log", re.search(r"^ ?\d: +Diagnostics:", out, re.M))
        if what == "dear":
            percent, name, each, option = told[1][0] if told[1] else ("nan", "", "nan", "")
            gate.true(f"np {np_}: one of the dear ones, {name}", name == option and name != "zero" and f"diagnostic_{name}_every" in dear)
            gate.near(f"np {np_}: percent of the note beside the parts", float(percent), parts[" diagnostics"], 0.6)
            taken = 200 / dear.get(f"diagnostic_{name}_every", math.nan) * float(each) / float(re.search(r"200 steps (\S+) s", after)[1])
            gate.true(f"np {np_}: its rows, {taken:.3f} of the steps' time, are a part of it", 0.05 * parts[" diagnostics"] < 100 * taken < 1.1 * parts[" diagnostics"])


def main(what):
    gate = Gate(f"case_told_{what}")
    {"slip": slip, "labels": labels, "temperatures": temperatures, "setup": setup, "jumps": jumps, "cost": cost}[what](gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
