"""The variable of the modes that is taken where a case names auto or none: by lambda U/D, by the scheme, by the checkpoint."""
import sys

import run
import steady
from gate import Gate, largest
from steady import STEADY


def mixed(*words, **how):
    return steady.mixed(*words, variable=(), **how)


def choose(gate):
    def of(relaxation, *more):
        return mixed(*STEADY, "-polymer_variable", "auto", "-physics_giesekus_lambda", relaxation, "-case_velocity", 2, "-case_length", 0.5, *more)

    low, high = of(0.07), of(0.08)
    for result, which in (low, "stress: lambda U/D is 0.28"), (high, "logconf: lambda U/D is 0.32"):
        gate.true(f"says {which}", f"polymer variable {which}" in result.stdout)
    for way, which in ("0.04:0.02:0.06", "stress: lambda U/D is 0.24 "), ("0.06:0.02:0.08", "logconf: lambda U/D is 0.32 "), ("0.08:-0.02:0.06", "logconf: lambda U/D is 0.32 "):
        gate.true(f"lambda {way}: {which}", f"polymer variable {which}" in of(0.06, "-scheme_steady_continuation", f"physics_giesekus_lambda={way}").stdout)
    state = mixed(*STEADY, "-polymer_variable", "logconf", "-physics_giesekus_lambda", 0.08).checkpoint()
    gate.at_most("beyond 0.3: the state of logconf", abs(high.checkpoint() - state).max(), 1e-8)
    state = mixed(*STEADY, "-polymer_variable", "stress", "-physics_giesekus_lambda", 0.07).checkpoint()
    gate.at_most("below: that of stress", abs(low.checkpoint() - state).max(), 1e-8)
    steps = ("-scheme", "lumped", "-stop_steps", 2, "-polymer_variable", "auto", "-case_velocity", 2, "-case_length", 0.5)
    for relaxation, which in (0.19, "stress: lambda U/D is 0.76 with the longest relaxation time, at most 0.8"), (0.21, "logconf: lambda U/D is 0.84 with the longest relaxation time, beyond 0.8"):
        gate.true(f"in time: {which}", f"polymer variable {which}" in mixed(*steps, "-physics_giesekus_lambda", relaxation).stdout)

    def unnamed(relaxation, *more, expect=0):
        return mixed(*STEADY, "-physics_giesekus_lambda", relaxation, "-case_velocity", 2, "-case_length", 0.5, *more, expect=expect)

    spring = ("-physics", "newtonian,giesekus,fene_p", "-physics_fene_p_viscosity", 0.3, "-physics_fene_p_lambda", 0.1, "-physics_fene_p_L2", 30)
    for relaxation, taken, number in (0.07, "conformation", "0.28"), (0.21, "logconf", "0.84"):
        others = (*spring, "-physics_fene_p_lambda", min(relaxation, 0.1))
        result = unnamed(relaxation, *others)
        gate.true(f"no linear spring, none named: {taken} is taken and told", f"polymer variable {taken}: lambda U/D is {number}" in result.stdout and "(as -polymer_variable auto" in result.stdout)
        gate.true(f"{taken}: the file of options names it", f"polymer_variable: '{taken}'" in open(result.file("_effective.yaml")).read())
        gate.at_most(f"{taken}: the state of a case that names it", abs(result.checkpoint() - unnamed(relaxation, *others, "-polymer_variable", taken).checkpoint()).max(), 0)
    gate.refused(unnamed(0.21, *spring, "-polymer_variable", "stress", expect=1), ["Law 'fene_p' has no linear spring", "got -polymer_variable stress"])
    for words, said in ((*STEADY, *spring), ("Scheme: steady; stops at the steady state; reports in units", "Polymer variable: logconf: lambda U/D is 0.4 with the longest relaxation time, beyond 0.3")), (("-stop_time", 3.5, *spring), ("stops at t = 3.5 s; reports in units", "Polymer variable: conformation: lambda U/D is 0.4")):
        text = mixed(*words, verb="check").stdout
        gate.true(f"check says: {said}", all(part in text for part in said))
    for relaxation, taken in (0.07, "stress"), (0.08, "logconf"):
        result = unnamed(relaxation)
        gate.true(f"linear springs, none named, lambda {relaxation}: {taken}", ("polymer variable logconf: lambda U/D is 0.32" in result.stdout and "for Newton's method" in result.stdout) == (taken == "logconf"))
        gate.at_most(f"the state of {taken}", largest((result.checkpoint() - unnamed(relaxation, "-polymer_variable", taken).checkpoint()).ravel()), 0)
    explicit = "-scheme", "lumped", "-stop_steps", 2, "-physics_giesekus_lambda", 0.21, "-case_velocity", 2, "-case_length", 0.5
    result = mixed(*explicit)
    gate.true("explicit, none named: the stress, told of the logarithm", "polymer variable stress: lambda U/D is 0.84" in result.stdout and "where the logarithm stays positive definite" in result.stdout)
    gate.at_most("the state of the stress", largest((result.checkpoint() - mixed(*explicit, "-polymer_variable", "stress").checkpoint()).ravel()), 0)
    restarted(gate, unnamed, explicit)


def restarted(gate, unnamed, explicit):
    """A restart that names no variable goes on in that of its checkpoint; one that names another is refused."""
    for there, low, other in ("stress", 0.07, 0.21), ("logconf", 0.21, 0.07):
        file = unnamed(low).file("_checkpoint.h5")
        for np_ in 1, 2:
            result = mixed(*STEADY, "-physics_giesekus_lambda", other, "-case_velocity", 2, "-case_length", 0.5, "-case_restart", file, np_=np_)
            gate.true(f"restart of {there}, {np_} ranks: told", f"polymer variable {there}: that of the checkpoint (-case_restart)" in result.stdout)
            fresh = mixed(*STEADY, "-physics_giesekus_lambda", other, "-polymer_variable", there).checkpoint()
            gate.at_most("the state of a case that names it", largest((result.checkpoint() - fresh).ravel()), 1e-6)
        wrong = "logconf" if there == "stress" else "stress"
        gate.refused(mixed(*STEADY, "-polymer_variable", wrong, "-case_restart", file, expect=1), [f'polymer variable: got "{there}", expected "{wrong}"'])
    file = mixed(*STEADY, "-physics_giesekus_lambda", 0.4, "-polymer_variable", "logconf").file("_checkpoint.h5")
    result = mixed(*explicit, "-stop_steps", 3, "-case_restart", file)
    gate.true("an explicit run goes on in the logarithm", "polymer variable logconf: that of the checkpoint" in result.stdout)
    stress = "-initial_stress", "0,0,0;0,0,0"
    gate.refused(mixed(*explicit, "-stop_steps", 3, "-case_restart", file, *stress, expect=1), ["-initial_stress: got formulas of the unknown of -polymer_variable, which the checkpoint has as the logarithm of the conformation (-case_restart)",
                 "expected one that the case names, -polymer_variable logconf, or another with -case_restart_fields conformation"])
    converted = unnamed(0.4, "-case_restart", file, "-case_restart_fields", "conformation")
    gate.true("by the conformation it is what auto takes", "polymer variable logconf: lambda U/D is 1.6" in converted.stdout)


def main():
    gate = Gate("scheme_steady_variable")
    choose(gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())
