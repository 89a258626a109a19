"""Steep shear of an Oldroyd-B fluid between cylinders, Wi 20: from rest no start leads there; scheme `steady` follows the relaxation time up, to the state of a
continuation that is asked for. climb.py [device]"""
import re
import sys

import run
from gate import Gate, largest


def cylinders(*words, expect=0):
    solvent = () if any("carreau" in str(w) for w in words) else ("-physics_newtonian_viscosity", 0.4)
    return run.rheoplex("run", "-case_name", "climb", "-scheme", "steady", "-device", "cpu", "-snes_max_it", 15, "-mesh_box_faces", "4,10", "-mesh_box_lower", "0,1", "-mesh_box_upper", "0.1,1.1", "-mesh_box_periodic", "x",
                        "-form_axisymmetric", "-form_density", 1.3, "-physics", "newtonian,oldroydb,swirling", "-physics_oldroydb_viscosity", 0.6, "-physics_oldroydb_lambda", 2,
                        "-polymer_variable", "stress", "-stabiliser", "devss,split_oss", "-bc_bottom_type", "rotating_wall", "-bc_bottom_angular_velocity", 1, "-bc_top_type", "wall", *solvent, *words,
                        out=run.folder("climb"), expect=expect)


HB = ("herschel_bulkley", "consistency", 1.2, "n", 0.5, "yield_stress", 10, "m", 1000, "viscosity_max", 1000)
ADVISED = [(HB, "physics_herschel_bulkley_yield_stress=0.1:1.98:10"), (("casson", "viscosity", 0.3, "yield_stress", 2, "m", 300), "physics_casson_m=3:59.4:300"),
           (("power_law", "consistency", 3, "n", 0.3, "viscosity_max", 500), "physics_power_law_n=1:-0.14:0.3"), (("newtonian", "viscosity", 3), "t=0.1:0.1:1, with flow rates or velocities times t")]


def channel(law, *words, expect=0):
    given = [w for name, value in zip(law[1::2], law[2::2]) for w in (f"-physics_{law[0]}_{name}", value)]
    return run.rheoplex("run", "-case_name", "channel", "-scheme", "steady", "-device", "cpu", "-mesh_box_faces", "4,5", "-physics", law[0], *given, "-stabiliser", "split_oss", "-bc_left_type", "inlet",
                        "-bc_left_velocity", "4*y*(1-y),0", "-bc_right_type", "outlet", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-output_fields", "false", *words, out=run.folder("climb"), expect=expect)


def advice(gate):
    """Of a solvent whose viscosity varies: the parameter that makes it so, from where it does little; others are led by conditions in t."""
    for law, told in ADVISED:
        gate.refused(channel(law, "-snes_max_it", 1, expect=1), [f"or continuation (-scheme_steady_continuation {told})"])
    gate.true("the advised one arrives", "physics_herschel_bulkley_yield_stress = 10\n" in channel(HB, "-scheme_steady_continuation", ADVISED[0][1]).stdout)


def lid(*words, expect=0, np_=1):
    """A cavity whose lid starts and ends at rest, from rest at Re 4000; the attempts that fail end early."""
    return run.rheoplex("run", "-case_name", "lid", "-scheme", "steady", "-device", "cpu", "-mesh_box_faces", "8,8", "-snes_max_it", 12, "-physics", "newtonian", "-physics_newtonian_viscosity", 0.5, "-form_density", 2000.7123, "-bc_left_type", "wall",
                        "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2,0", *words, out=run.folder("climb"), expect=expect, np=np_)


def inertia(gate):
    """Newton's method from rest fails at large Reynolds numbers; the density grows to its value, on ranks too, and what is left of a climb that fails is kept."""
    asked = lid("-scheme_steady_continuation", "form_density=200:450:2000.7123").checkpoint()
    for ranks in 1, 2:
        found = lid(np_=ranks)
        gate.true(f"inertia, {ranks} ranks: the density is followed, to its value", "continuation in form_density from 200 " in found.stdout and "form_density = 2000.7123\n" in found.stdout)
        gate.at_most("difference from the state of a continuation that is asked for", largest(abs(found.checkpoint() - asked).ravel()) / largest(abs(asked).ravel()), 1e-6)
    gate.refused(lid("-scheme_steady_climb", "false", expect=1), ["-scheme_steady_continuation form_density=200:450:2000.7123)", "no step was finished, so there is no state to save"])
    slow = ("-form_density", 20)
    told = re.findall(r"iteration (\d+) of Newton's method, after \d+ s: \|R\| (\S+),", lid(*slow, "-case_report_seconds", 1e-9).stdout)
    gate.true("a long solve tells how far it is, a short one does not", [int(k) for k, _ in told] == list(range(1, len(told) + 1)) and len(told) > 2 and float(told[-1][1]) < 1e-6 * float(told[0][1]) and "of Newton's method, after" not in lid(*slow).stdout)
    left = lid("-form_density", 20007, "-snes_max_it", 4, expect=1)
    reached = re.search(r"the state of form_density = ([0-9.]+) is in (\S+_last_good.h5)", left.stderr)
    gate.true("a climb that fails says where its last state is", reached is not None)
    density, file = reached.groups()
    found, fresh = (lid("-form_density", density, *words) for words in (("-case_restart", file, "-snes_max_it", 1), ()))
    gate.true("and says it of itself", "is a state of other parameters" not in found.stdout)
    found, fresh = found.checkpoint(), fresh.checkpoint()
    gate.at_most("which is that of its value", largest(abs(found - fresh).ravel()) / largest(abs(fresh).ravel()), 1e-6)


def kept(gate):
    """The density begins, at a thousandth, and does not come to its value; the relaxation time does not begin: what the density reached is kept, of the case's relaxation time."""
    polymer = ("-mesh_box_faces", "6,6", "-physics", "newtonian,oldroydb", "-physics_oldroydb_viscosity", 0.3, "-physics_oldroydb_lambda", 0.2, "-polymer_variable", "stress", "-stabiliser", "devss,split_oss")
    for ranks in 1, 2:
        left = lid("-form_density", 15000, "-snes_max_it", 4, *polymer, np_=ranks, expect=1)
        gate.true(f"{ranks} ranks: the last of two did not begin", "with physics_oldroydb_lambda = 0.0002 too" in left.stderr and "continuation: physics_oldroydb" not in left.stdout)
        reached = re.search(r"the state of form_density = ([0-9.]+) is in (\S+_last_good.h5)", left.stderr)
        gate.true("what the first one reached is told", reached is not None)
        found = lid("-form_density", reached[1], "-case_restart", reached[2], "-snes_max_it", 1, *polymer)
        gate.true("it says of itself of which parameters it is", "is a state of other parameters" not in found.stdout + found.stderr)
        found, fresh = found.checkpoint(), lid("-form_density", reached[1], *polymer).checkpoint()
        gate.at_most("difference from the state of these", largest(abs(found - fresh).ravel()) / largest(abs(fresh).ravel()), 1e-6)


def device(gate):
    """The density is 1 and grows to it: no number that the programs of a device are made with."""
    flow = "-form_density", 1, "-physics_newtonian_viscosity", 2.5e-4, "-mesh_box_faces", "6,6"
    host, there = (lid(*flow, "-device", side) for side in ("cpu", "cuda"))
    gate.true("it ran there, and climbed", ("emulated" in there.stdout or "this machine's CPU" not in there.stdout) and "form_density = 1\n" in there.stdout)
    gate.at_most("difference from the host", largest(abs(there.checkpoint() - host.checkpoint()).ravel()) / largest(abs(host.checkpoint()).ravel()), 1e-7)
    values = [[line for line in r.stdout.splitlines() if line.startswith("continuation: form_density")] for r in (host, there)]
    gate.true("by the same values", values[0] == values[1])


def main(where="host"):
    gate = Gate("scheme_steady_climb" + ("_device" if where == "device" else ""))
    if where == "device":
        device(gate)
        return gate.finish()
    inertia(gate)
    kept(gate)
    found, asked = cylinders(), cylinders("-scheme_steady_continuation", "physics_oldroydb_lambda=0.2:0.2:2")
    gate.true("says so", "continuation in physics_oldroydb_lambda from 0.2 (-scheme_steady_climb false: none)" in found.stdout and "physics_oldroydb_lambda = 2\n" in found.stdout)
    gate.at_most("difference of the states", largest(abs(found.checkpoint() - asked.checkpoint()).ravel()) / largest(abs(asked.checkpoint()).ravel()), 1e-8)
    history = found.table("_history.csv")
    gate.true("it is one step, at the case's time", len(history["step"]) == 1 and history["t"][-1] == 0)
    again = cylinders("-case_restart", found.file("_checkpoint.h5"))
    gate.true("from its state there is nothing to follow", "not from the first state" not in again.stdout)
    gate.refused(cylinders("-scheme_steady_climb", "false", expect=1), ["Newton's method ended after", "-scheme_steady_continuation physics_oldroydb_lambda=0.2:0.2:2)"])
    modes = cylinders("-physics_oldroydb_modes", 2, "-physics_oldroydb_viscosity", "0.2,0.4", "-physics_oldroydb_lambda", "0.3,2")
    gate.true("of several modes the longest", "continuation in physics_oldroydb_lambda from 0.2 " in modes.stdout and "physics_oldroydb_lambda = 2\n" in modes.stdout)
    gate.refused(cylinders("-snes_max_it", 1, expect=1), ["with physics_oldroydb_lambda = 0.002 too", "Newton's method ended after 1 iterations"])
    heavy = cylinders("-form_density", 31)
    gate.true("where the density leads nowhere, the next", heavy.stdout.index("continuation in form_density") < heavy.stdout.index("continuation in physics_oldroydb_lambda") and "physics_oldroydb_lambda = 2\n" in heavy.stdout)
    again = cylinders("-form_density", 31, "-scheme_steady_continuation", "physics_oldroydb_lambda=0.2:0.2:2").checkpoint()
    gate.at_most("with the density of the case", largest(abs(heavy.checkpoint() - again).ravel()) / largest(abs(again).ravel()), 1e-7)
    thins = cylinders("-physics", "carreau_yasuda,oldroydb,swirling", *(w for k, v in (("viscosity", 0.4), ("viscosity_inf", 0.1), ("n", 0.6), ("a", 2), ("lambda", 3)) for w in (f"-physics_carreau_yasuda_{k}", v)))
    gate.true("a solvent's time is no relaxation time", "continuation in physics_oldroydb_lambda from 0.2 " in thins.stdout)
    advice(gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
