"""Bad input of laws and of the rheometer: exit code 1 and one line that says what is wrong, got and expected."""
import sys

from gate import Gate
from run import SOURCE, folder, rheoplex

OUT = folder("laws_negative")
PTT = ["ptt", "-physics_ptt_modes", "3"]
CASES = [
    ("two values for three modes", [*PTT, "-physics_ptt_lambda", "1,2"], ["physics_ptt_lambda", "got 2 values", "1 or 3"]),
    ("four values for three modes", [*PTT, "-physics_ptt_epsilon", "1,2,3,4"], ["physics_ptt_epsilon", "got 4 values", "1 or 3"]),
    ("several values of a parameter of the law", ["cross", "-physics_cross_m", "1,2"], ["physics_cross_m", "1,2", "a number > 0"]),
    ("negative relaxation time", ["giesekus", "-physics_giesekus_lambda", "-1"], ["physics_giesekus_lambda", '"-1"', "> 0 (s)"]),
    ("one bad value of three", [*PTT, "-physics_ptt_viscosity", "1,0,2"], ["physics_ptt_viscosity", '"0"', "> 0 (Pa s)"]),
    ("slip of one", ["johnson_segalman", "-physics_johnson_segalman_xi", "1"], ["physics_johnson_segalman_xi", ">= 0 and < 1"]),
    ("mobility above one", ["giesekus", "-physics_giesekus_alpha", "1.5"], ["physics_giesekus_alpha", "from 0 to 1"]),
    ("extensibility of three", ["fene_p", "-physics_fene_p_L2", "3"], ["physics_fene_p_L2", "> 3"]),
    ("unknown form", ["ptt", "-physics_ptt_form", "quadratic"], ["physics_ptt_form", "linear or exponential"]),
    ("unknown parameter", ["ptt", "-physics_ptt_lamda", "1"], ["physics_ptt_lamda", "did you mean -physics_ptt_lambda"]),
    ("unknown law", ["giesecus"], ["giesecus", "did you mean giesekus"]),
    ("two viscous laws", ["cross,casson"], ["cross", "casson", "at most one"]),
    ("a law twice", ["ptt,ptt"], ["'ptt' is given twice", "modes"]),
    ("viscous law in saos", ["carreau_yasuda", "-rheometer_protocol", "saos"], ["saos", "carreau_yasuda", "giesekus"]),
    ("viscous law in start-up", ["casson", "-rheometer_protocol", "startup"], ["startup", "casson", "giesekus"]),
    ("unknown protocol", ["ptt", "-rheometer_protocol", "creep"], ["rheometer_protocol", '"creep"', "steady, startup"]),
    ("oscillatory extension", ["ptt", "-rheometer_protocol", "saos", "-rheometer_flow", "planar"], ["saos", "planar", "shear"]),
    ("sweep of one point", ["ptt", "-rheometer_rate", "1:10:1"], ["rheometer_rate", "1:10:1", "from:to:number"]),
    ("rate that is no number", ["ptt", "-rheometer_rate", "1,x"], ["rheometer_rate", "1,x"]),
    ("rate zero", ["ptt", "-rheometer_rate", "0"], ["rheometer_rate", '"0"', "> 0"]),
    ("no steady elongation", ["oldroydb", "-rheometer_flow", "uniaxial", "-rheometer_rate", "0.7"], ["No steady state", "uniaxial", "below about 0.5"]),
    ("table that cannot be written", ["ptt", "-rheometer_output", "/nowhere/table.csv"], ["/nowhere/table.csv"]),
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
    check = ["check", f"{SOURCE}/options/aaa_re50.yaml", "-mesh_file", f"{SOURCE}/meshes/aaa_100x20.msh", "-physics"]
    refused(gate, "stress of a non-linear spring", [*check, "newtonian,fene_p", "-polymer_variable", "stress"], ["fene_p", "stress", "expected", "conformation"])
    slip = [*check, "newtonian,johnson_segalman", "-physics_newtonian_viscosity", "0.01", "-physics_johnson_segalman_viscosity", "1",
            "-physics_johnson_segalman_xi", "0.1", "-output_folder", OUT]
    refused(gate, "inlet on the falling branch of a flow curve", slip, ["developed flow at (0, ", "not monotone", "falls beyond about 2.", "up to 8 1/s"])
    return gate.finish()


sys.exit(main())
