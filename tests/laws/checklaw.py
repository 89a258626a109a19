"""check-law: every installed law passes, in every choice and with its flags; each fault is told in one sentence with member, got and
expected, there and when a case or the rheometer takes the law."""
import os
import re
import subprocess
import sys

import numpy as np
import run
from gate import Gate
from run import RHEOPLEX, SOURCE, folder, table

FAULTY, CLAIMS_LESS = sys.argv[1:3]
OUT = folder("checklaw")
LAWS = sorted(set(os.listdir(f"{SOURCE}/plugins/physics")) - {"passive", "swirling", "thermal"})  # which are scalar fields
GIVEN = ["-physics_faulty_viscosity", "0.6", "-physics_faulty_lambda", "0.2"]  # modulus 3
FAULTS = {
    "rate_at_rest": ["xx of rate at rest", "got 2.5", "expected 0 (1/s)"],
    "stress_at_rest": ["xx of stress at rest", "got 3,", "expected 0 (Pa)"],
    "unset_modulus": ["modulus of properties at rest", "got nan", "above 0 (Pa)"],
    "unset_stress": ["xy of stress at rest", "got nan", "expected 0"],
    "unset_rate": ["xy of rate at rest", "got nan", "expected 0"],
    "negative_eta": ["eta_p of properties", "at the shear rate", "got -", "above 0 (Pa s)"],
    "eta": ["eta_p of properties at rest", "got 0.9", "expected 0.6 Pa s", "small motions by stress and rate", "RHX_OTHER_RESPONSE"],
    "lambda": ["lambda of properties at rest", "got 0.4", "expected 0.2 s", "small motions by rate"],
    "yield": ["lambda of properties at rest", "got 0.2", "expected inf s", "small motions by rate", "RHX_OTHER_RESPONSE"],
    "modulus": ["modulus of properties at rest", "got 9", "expected 3 Pa", "small motions by stress"],
    "spring": ["of stress with RHX_LINEAR_SPRING", "got ", "times (c - I)"],
    "frame": ["of rate in a turned frame", "got ", "frame indifference"],
    "rate_beyond": ["number of components that rate sets", "got 5", "expected at most 3 (k < RHX_NTENS)"],
    "stress_beyond": ["number of components that stress sets", "got 4", "expected at most 3"],
    "slip_kept": ["eta_p of properties at rest", "got 0.6", "expected 0.42 Pa s", "small motions by stress and rate"],  # 1 - xi
    "nan_far": ["of rate at tr c = 11", "got nan,", "expected a finite number up to tr c = 1024", "RHX_MIN"],
    "inf_far": ["of rate at tr c = 11", "got ", "expected a finite number"],
    "plane": ["zz of rate in plane flow", "got ", "RHX_OUT_OF_PLANE"],
}


def rheoplex(*words):
    return subprocess.run([RHEOPLEX, *words], capture_output=True, text=True, cwd=OUT, timeout=50)


def refused(gate, what, done, expected):
    lines = done.stderr.splitlines()
    missing = [e for e in expected if len(lines) != 1 or e not in lines[0]]
    if missing:
        print(f"{what}: missing {missing} in\n{done.stdout[-500:]}{done.stderr[-1000:]}")
    gate.true(what, done.returncode == 1 and not missing)
    print(f"  {lines[0] if lines else ''}")


def check_yielding(gate):
    """rate (c - I) tr(c - I)/lambda: of shear at g, T = tr(c - I) = (2 (g lambda)^2)^(1/3), shear stress eta g/T, N1 = eta T/lambda."""
    done = rheoplex("rheometer", "less", "-plugin", CLAIMS_LESS, "-physics_less_viscosity", "0.6", "-physics_less_lambda", "0.2", "-physics_less_fault", "yield", "-rheometer_rate", "1e-3,1,1000",
                    "-rheometer_output", f"{OUT}/yield.csv")
    rows = [line.split() for line in done.stdout.splitlines() if line.strip()[:1].isdigit()]
    gate.true(f"a law that relaxes nothing at rest has steady states: {done.stderr[:200]}", len(rows) == 3)
    for row in rows:
        g = float(row[0])
        T = (2 * (g * 0.2) ** 2) ** (1 / 3)
        gate.relative(f"at {g:g} 1/s: shear stress", float(row[1]), 0.6 * g / T, 1e-5)


def check_installed(gate):
    done = rheoplex("check-law", ",".join(LAWS))
    print(done.stderr, end="")
    gate.true(f"the {len(LAWS)} laws pass", done.returncode == 0 and len(LAWS) == 13 and done.stdout.count("\nlaw ") == 12)
    gate.true("a hint for none", "hint" not in done.stdout)
    tried = [line.split(": ")[1] for line in done.stdout.splitlines() if line.startswith("  not given, tried with")]
    gate.true("what is required and not given has values that are told", len(tried) == 39 and "-physics_fene_p_L2 5.25" in tried)
    given = rheoplex("check-law", "oldroydb", "-physics_oldroydb_viscosity", "0.7", "-physics_oldroydb_lambda", "2")
    gate.true("what is given is not told", given.returncode == 0 and "tried" not in given.stdout)
    modes = rheoplex("check-law", "ptt", "-physics_ptt_modes", "3", "-physics_ptt_viscosity", "3e-3,2,1e4", "-physics_ptt_lambda", "1e-4,1,300", "-physics_ptt_xi", "0.3")
    gate.true("three modes of far scales", modes.returncode == 0)
    refused(gate, "no law", rheoplex("check-law"), ["got no law", "expected"])
    refused(gate, "unknown law", rheoplex("check-law", "oldroyd"), ['got "oldroyd"', "did you mean oldroydb"])
    refused(gate, "unknown law, with its options", rheoplex("check-law", "oldroyd", "-physics_oldroyd_lambda", "1"), ["Unknown physics", 'got "oldroyd"'])
    fields = rheoplex("rheometer", "newtonian,passive", "-physics_newtonian_viscosity", "3", "-physics_passive_diffusivity", "1", "-rheometer_rate", "2")
    gate.true("the rheometer tells that it leaves out scalar fields", fields.returncode == 0 and "passive of -physics is left out" in fields.stdout and " 6 " in fields.stdout)
    refused(gate, "unknown option", rheoplex("check-law", "newtonian", "-physics_newtonian_viscosty", "1"), ["did you mean -physics_newtonian_viscosity"])


def check_faults(gate):
    taken = ["-plugin", FAULTY, *GIVEN]
    for fault in ("none", "stretch", "slip", "bound"):
        gate.true(f"accepted: {fault}", rheoplex("check-law", "faulty", *taken, "-physics_faulty_fault", fault).returncode == 0)
    for fault, expected in FAULTS.items():
        refused(gate, fault, rheoplex("check-law", "faulty", *taken, "-physics_faulty_fault", fault), ["Law 'faulty' fails a check", "mode 0", *expected])
    refused(gate, "second mode", rheoplex("check-law", "faulty", *taken[:2], "-physics_faulty_modes", "2", "-physics_faulty_fault", "rate_at_rest",
                                          "-physics_faulty_viscosity", "1", "-physics_faulty_lambda", "3,4"), ["mode 0", "got 0.166667"])
    refused(gate, "a choice that was not made", rheoplex("check-law", "faulty", *taken), ["rate at rest"])
    refused(gate, "the rheometer", rheoplex("rheometer", "faulty", *taken, "-physics_faulty_fault", "lambda"), FAULTS["lambda"])
    case = ["-mesh_box_faces", "2,2", "-physics", "faulty", "-stabiliser", "split_oss", "-scheme_lumped_dt", "1e-3", "-stop_steps", "1",
            *(word for side in ("left", "right", "bottom", "top") for word in (f"-bc_{side}_type", "wall")), *taken]
    for verb in ("run", "check"):
        refused(gate, f"{verb}: a fault", rheoplex(verb, *case, "-physics_faulty_fault", "frame"), FAULTS["frame"])
    gate.true("run: none", rheoplex("run", *case, "-physics_faulty_fault", "none").returncode == 0)
    by_hand(gate)
    at_rest(gate)


def check_flags(gate):
    """The same source without the flag of the spring, and with that of another response."""
    taken = ["-plugin", CLAIMS_LESS, "-physics_less_viscosity", "0.6", "-physics_less_lambda", "0.2", "-physics_less_fault"]
    hint = rheoplex("check-law", "less", *taken, "none")
    gate.true("a spring that is not claimed: a hint", hint.returncode == 0 and "hint: stress = G (c - I)" in hint.stdout and "RHX_LINEAR_SPRING" in hint.stdout)
    for fault in ("lambda", "eta", "modulus", "spring"):
        gate.true(f"not claimed: {fault}", rheoplex("check-law", "less", *taken, fault).returncode == 0)
    eta, lam, w = 0.6, 0.2, np.array([0.5, 5.0, 50.0])
    done = rheoplex("rheometer", "less", *taken, "dissipative", "-rheometer_protocol", "saos", "-rheometer_frequency", "0.5,5,50", "-rheometer_output", f"{OUT}/saos.csv")
    print(done.stderr, end="")
    moduli = table(f"{OUT}/saos.csv")
    gate.at_most("a stress that follows the rate at once: loss modulus", np.abs(moduli["loss_modulus"] / (eta * w / (1 + (lam * w) ** 2) + 0.4 * eta * w) - 1).max(), 1e-9)
    gate.at_most("not the storage modulus", np.abs(moduli["storage_modulus"] / (eta * lam * w**2 / (1 + (lam * w) ** 2)) - 1).max(), 1e-9)
    refused(gate, "claimed by nobody: rest", rheoplex("check-law", "less", *taken, "stress_at_rest"), ["of stress at rest"])


def check_blame(gate):
    """A law that is no number beyond tr c = d + 5: told with law, member, mode and place, without advice of smaller steps; one that is lost for its steps is not."""
    lam, wi = 0.2, 4.0
    sides = [w for label, words in (("bottom", ["wall"]), ("top", ["moving_wall"])) for w in (f"-bc_{label}_type", *words)]
    case = ["-plugin", FAULTY, "-physics", "newtonian,faulty", "-physics_newtonian_viscosity", "0.4", *GIVEN, "-form_density", "3", "-polymer_variable", "conformation", "-stabiliser", "split_oss",
            "-mesh_box_faces", "3,4", "-mesh_box_periodic", "x", *sides, "-bc_top_velocity", f"{wi / lam},0", "-initial_velocity", f"{wi / lam}*y,0", "-stop_time", "1", "-output_fields", "0"]
    told = ["the law 'faulty' itself gives ", " of rate, mode 0, at (", "tr c is ", "the shear rate is ", "rheoplex check-law faulty", "the last good state"]
    for np_, scheme in ((1, ["-scheme_lumped_dt", "4e-3"]), (2, ["-scheme_lumped_dt", "4e-3", "-scheme_lumped_stepper", "heun"]), (1, ["-scheme", "monolithic", "-scheme_monolithic_dt", "0.01"])):
        done = run.rheoplex("run", *case, *scheme, "-physics_faulty_fault", "nan_far", out=run.folder("blame"), np=np_, expect=1)
        missing = [t for t in told if t not in done.stderr]
        at = re.search(r"tr c is (\S+) and", done.stderr)
        gate.true(f"np {np_}, {scheme}: {missing} of {done.stderr.strip()[:700]}", not missing and "try " not in done.stderr and at and 8 <= float(at[1]) < 9)
    lost = run.rheoplex("run", *case, "-physics_faulty_fault", "none", "-scheme_lumped_dt", "0.3", "-stop_time", "1000", "-stop_lost", "0", out=run.folder("blame"), expect=1)
    gate.true(f"steps that are too long: {lost.stderr.strip()[:400]}", "itself gives" not in lost.stderr and "try " in lost.stderr)


def at_rest(gate):
    """A law that relaxes nothing at rest behind an inlet that begins there: c = I, whatever the law."""
    done = run.rheoplex("run", "-mesh_box_faces", "4,4", "-plugin", CLAIMS_LESS, "-physics", "newtonian,less", "-physics_newtonian_viscosity", "0.5", "-physics_less_viscosity", "0.6", "-physics_less_lambda", "0.2", "-physics_less_fault", "yield",
                        "-polymer_variable", "conformation", "-stabiliser", "devss,split_oss", "-bc_left_type", "inlet", "-bc_left_flow_rate", "0.01", "-bc_left_ramp", "0.1", "-bc_right_type", "outlet", "-bc_bottom_type", "wall", "-bc_top_type", "wall",
                        "-scheme", "lumped", "-scheme_lumped_dt", "1e-3", "-stop_steps", "2", out=run.folder("rest"))
    gate.near("nothing flows yet, and c is that of rest", float(done.checkpoint()[:, 3:5].mean()), 1, 1e-4)


def by_hand(gate):
    """A slip that a rate has by hand, with D, does not commute with c: its logarithm would leave part of it out. Couette flow at 1 1/s, xi .3."""
    couette = ["-mesh_box_faces", "3,4", "-mesh_box_periodic", "x", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall", "-bc_top_velocity", "1,0", "-scheme", "steady", "-physics", "newtonian,faulty", "-physics_newtonian_viscosity", "0.1",
               "-plugin", FAULTY, "-physics_faulty_viscosity", "1", "-physics_faulty_lambda", "1", "-physics_faulty_fault", "slip", "-stabiliser", "devss,split_oss", "-snes_rtol", "1e-10", "-diagnostic_forces", "top"]
    gate.refused(run.rheoplex("run", *couette, "-polymer_variable", "logconf", out=run.folder("hand"), expect=None), ["Law 'faulty' has a rate that does not commute", "expected conformation, or stress"])
    # tau = eta_p g/(1 + xi (2 - xi) (lambda g)^2), before its maximum
    exact = 1 / (1 + 0.3 * 1.7) + 0.1
    for variable in "conformation", "stress", "auto":
        done = run.rheoplex("run", *couette, *(("-polymer_variable", variable)), out=run.folder("hand"))
        gate.relative(f"slip by hand, {variable}: shear stress", -float(done.table("_forces.csv")["top_x"][-1]), exact, 1e-6)
    gate.true("auto says why", "stress: the rate of 'faulty' does not commute with the conformation" in done.stdout)
    gate.true("check-law says it", "hint: rate does not commute with c" in rheoplex("check-law", "faulty", "-plugin", FAULTY, *GIVEN, "-physics_faulty_fault", "slip").stdout)
    gate.true("check-law, of others", "passed: rate commutes with c" in rheoplex("check-law", "giesekus,ptt,fene_p,johnson_segalman,white_metzner,fene_cr").stdout)


def main():
    gate = Gate("checklaw")
    check_installed(gate)
    check_yielding(gate)
    check_faults(gate)
    check_flags(gate)
    check_blame(gate)
    return gate.finish()


sys.exit(main())
