"""Bad input of laws and of the rheometer: exit code 1 and one line that says what is wrong, got and expected."""
import sys

import laws
from gate import Gate
from run import SOURCE, folder, rheoplex

OUT = folder("laws_negative")
PTT = ["ptt", *laws.words("ptt"), "-physics_ptt_modes", "3"]
# every parameter without which a law means nothing: law, parameter, what is expected
REQUIRED = [
    ("newtonian", "viscosity", "a number > 0 (Pa s)"), ("carreau_yasuda", "viscosity", "a number > 0 (Pa s)"), ("carreau_yasuda", "lambda", "a number > 0 (s)"),
    ("carreau_yasuda", "n", "a number >= 0"), ("cross", "viscosity", "a number > 0 (Pa s)"), ("cross", "lambda", "a number > 0 (s)"), ("cross", "m", "a number > 0"),
    ("power_law", "consistency", "a number > 0 (Pa s^n)"), ("power_law", "n", "a number > 0"), ("power_law", "viscosity_max", "a number > 0 (Pa s)"), ("herschel_bulkley", "viscosity_max", "a number > 0 (Pa s)"), ("casson", "viscosity", "a number > 0 (Pa s)"),
    ("casson", "yield_stress", "a number >= 0 (Pa)"), ("casson", "m", "a number > 0 (s)"), ("herschel_bulkley", "m", "a number > 0 (s)"), ("herschel_bulkley", "consistency", "a number > 0 (Pa s^n)"), ("herschel_bulkley", "n", "a number > 0"),
    ("herschel_bulkley", "yield_stress", "a number >= 0 (Pa)"), ("white_metzner", "time", "a number > 0 (s), one a mode"), ("white_metzner", "n", "a number >= 0, one a mode"),
    ("ptt", "epsilon", "a number >= 0, one a mode"), ("giesekus", "alpha", "a number from 0 to 1, one a mode"), ("fene_p", "L2", "a number > 3, one a mode"),
    ("fene_cr", "L2", "a number > 3, one a mode"), ("johnson_segalman", "xi", "a number >= 0 and < 1, one a mode"),
    *((law, name, f"a number > 0 ({unit}), one a mode") for law in laws.POLYMERIC for name, unit in (("viscosity", "Pa s"), ("lambda", "s"))),
]
CASES = [
    ("two values for three modes", [*PTT, "-physics_ptt_lambda", "1,2"], ["physics_ptt_lambda", "got 2 values", "expected 1 or as many as -physics_ptt_modes, 3"]),
    ("four values for three modes", [*PTT, "-physics_ptt_epsilon", "1,2,3,4"], ["physics_ptt_epsilon", "got 4 values", "expected 1 or as many as -physics_ptt_modes, 3"]),
    ("several values of a parameter of the law", ["cross", *laws.words("cross"), "-physics_cross_m", "1,2"], ["physics_cross_m", "1,2", "a number > 0"]),
    ("negative relaxation time", ["giesekus", *laws.words("giesekus"), "-physics_giesekus_lambda", "-1"], ["physics_giesekus_lambda", '"-1"', "> 0 (s)"]),
    ("one bad value of three", [*PTT, "-physics_ptt_viscosity", "1,0,2"], ["physics_ptt_viscosity", '"0"', "> 0 (Pa s)"]),
    ("slip of one", ["johnson_segalman", *laws.words("johnson_segalman"), "-physics_johnson_segalman_xi", "1"], ["physics_johnson_segalman_xi", ">= 0 and < 1"]),
    ("mobility above one", ["giesekus", *laws.words("giesekus"), "-physics_giesekus_alpha", "1.5"], ["physics_giesekus_alpha", "from 0 to 1"]),
    ("extensibility of three", ["fene_p", *laws.words("fene_p"), "-physics_fene_p_L2", "3"], ["physics_fene_p_L2", "> 3"]),
    ("unknown form", ["ptt", *laws.words("ptt"), "-physics_ptt_form", "quadratic"], ["physics_ptt_form", "linear or exponential"]),
    ("unknown parameter", ["ptt", *laws.words("ptt"), "-physics_ptt_lamda", "1"], ["physics_ptt_lamda", "did you mean -physics_ptt_lambda"]),
    ("unknown law", ["giesecus"], ["giesecus", "did you mean giesekus"]),
    ("two viscous laws", ["cross,casson", *laws.words("cross,casson")], ["cross", "casson", "at most one"]),
    ("a law twice", ["ptt,ptt", *laws.words("ptt")], ["'ptt' is given twice", "modes"]),
    ("viscous law in saos", ["carreau_yasuda", *laws.words("carreau_yasuda"), "-rheometer_protocol", "saos"], ["saos", "carreau_yasuda", "giesekus"]),
    ("viscous law in start-up", ["casson", *laws.words("casson"), "-rheometer_protocol", "startup"], ["startup", "casson", "giesekus"]),
    ("unknown protocol", ["ptt", *laws.words("ptt"), "-rheometer_protocol", "creep"], ["rheometer_protocol", '"creep"', "steady, startup"]),
    ("oscillatory extension", ["ptt", *laws.words("ptt"), "-rheometer_protocol", "saos", "-rheometer_flow", "planar"], ["saos", "planar", "shear"]),
    ("sweep of one point", ["ptt", *laws.words("ptt"), "-rheometer_rate", "1:10:1"], ["rheometer_rate", "1:10:1", "from:to:number"]),
    ("rate that is no number", ["ptt", *laws.words("ptt"), "-rheometer_rate", "1,x"], ["rheometer_rate", "1,x"]),
    ("rate zero", ["ptt", *laws.words("ptt"), "-rheometer_rate", "0"], ["rheometer_rate", '"0"', "> 0"]),
    ("no steady elongation", ["oldroydb", *laws.words("oldroydb"), "-rheometer_flow", "uniaxial", "-rheometer_rate", "0.8"], ["No steady state", "uniaxial", "below about 0.556"]),
    ("table that cannot be written", ["ptt", *laws.words("ptt"), "-rheometer_output", "/nowhere/table.csv"], ["/nowhere/table.csv", "(-rheometer_output)"]),
    ("unknown law, with its options", ["giesecus", "-physics_giesecus_alpha", "0.2"], ["Unknown physics", "giesecus", "did you mean giesekus"]),
]


def refused(gate, what, command, words):
    result = rheoplex(*command, out=OUT, expect=None)
    lines = result.stderr.splitlines()
    message = lines[0] if len(lines) == 1 and lines[0].startswith("rheoplex: error: ") else ""
    missing = [word for word in words if word not in message]
    if result.rc != 1 or missing or not message:
        print(f"{what}: exit code {result.rc}, missing {missing} in\n{result.stdout[-500:]}{result.stderr[-2000:]}")
    gate.true(what, result.rc == 1 and message and not missing)


def main():
    gate = Gate("laws_negative")
    for what, words, expected in CASES:
        refused(gate, what, ["rheometer", *words, *([] if "-rheometer_output" in words else ["-rheometer_output", f"{OUT}/table.csv"])], expected)
    for law, name, expected in REQUIRED:
        words = laws.words(law)
        at = words.index(f"-physics_{law}_{name}")
        refused(gate, f"{law} without {name}", ["rheometer", law, *words[:at], *words[at + 2:], "-rheometer_output", f"{OUT}/table.csv"], [f"Option -physics_{law}_{name} is missing: expected {expected};"])
    check = ["check", f"{SOURCE}/options/aaa_re50.yaml", "-mesh_file", f"{SOURCE}/meshes/aaa_100x20.msh", "-physics"]
    refused(gate, "stress of a non-linear spring", [*check, "newtonian,fene_p", *laws.words("newtonian,fene_p"), "-polymer_variable", "stress"], ["fene_p", "stress", "expected", "conformation"])
    slip = [*check, "newtonian,johnson_segalman", "-physics_newtonian_viscosity", "0.01", "-physics_johnson_segalman_viscosity", "1",
            "-physics_johnson_segalman_lambda", "1", "-physics_johnson_segalman_xi", "0.1", "-output_folder", OUT]
    refused(gate, "inlet on the falling branch of a flow curve", slip, ["developed flow at (0, ", "not monotone", "falls beyond about 2.", "up to 8 1/s"])
    return gate.finish()


sys.exit(main())
