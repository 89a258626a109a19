"""Loader, registry and option tables through the driver: values read, and one clear message for each thing refused."""
import os
import shutil
import subprocess
import sys
import tempfile

DRIVER, PLUGINS, DOCTORED = sys.argv[1:4]
MEMBERS = ("size", "major", "scalar_size", "int_size", "lanes", "row_size", "point_size", "mode_size", "stage_size", "field_size")
failed = 0

# options: what is printed
READ = {
    "-law newtonian -physics_newtonian_viscosity 1": ["viscosity[0] 1", "box 1 0 0 -2 inf 3 0 0 [] side 0"],
    "-law oldroydb -physics_oldroydb_modes 2 -physics_oldroydb_lambda 1,2.5 -physics_oldroydb_viscosity 3":
        ["lambda[0] 1", "lambda[1] 2.5", "viscosity[0] 3", "viscosity[1] 3", "set physics_oldroydb_lambda 1,2.5"],
    "-box_real 2e-3 -box_share 1 -box_named one -box_integer 7 -box_flag -box_choice blue -box_text a,b -side_left_wall_velocity -2":
        ["box 0.002 1 0 -1 inf 7 1 2 [a,b] side -2"],
    "-box_named 0.25 -box_limit 5": ["box 1 0 0 0.25 5"],
    "-stabilised split_oss -stabiliser_split_oss_parts tensor,pressure": ["parts 5"],
    "-stabilised gls": ["parts 31"],
    "-options_left 0 -malloc_view -ts_view": ["box"],
    f"-plugin {PLUGINS}/newtonian.so,{PLUGINS}/newtonian.so": ["box"],
}

# options: what the one message holds
REFUSED = {
    "-law newtonian": ["-physics_newtonian_viscosity is missing", "expected a number > 0 (Pa s)", "solvent viscosity eta_s"],
    "-law newtonian -physics_newtonian_viscosity -1": ["-physics_newtonian_viscosity", 'got "-1"', "a number > 0 (Pa s)"],
    "-box_real nan": ['got "nan"', "a number > 0"],
    "-box_real inf": ['got "inf"'],
    "-box_real 1x": ['got "1x"'],
    "-box_real": ['got ""'],
    "-box_share 1.5": ["from 0 to 1"],
    "-box_open 1": [">= 0 and < 1"],
    "-box_integer 0": ["an integer >= 1"],
    "-box_integer 1.5": ['got "1.5"'],
    "-box_integer 99999999999": ["an integer >= 1"],
    "-box_flag maybe": ["true or false"],
    "-box_choice gren": ["red, green or blue", "did you mean green?"],
    "-box_named thre": ["one, two or a number >= 0 (s)"],
    "-law oldroydb -physics_oldroydb_modes 2 -physics_oldroydb_viscosity 1 -physics_oldroydb_lambda 1,2,3": ["got 3 values", "expected 1 or as many as -physics_oldroydb_modes, 2"],
    "-law oldroydb -physics_oldroydb_modes 2 -physics_oldroydb_viscosity 1 -physics_oldroydb_lambda 1,-2": ['got "-2"'],
    "-law oldroydb -physics_oldroydb_modes 0": ["-physics_oldroydb_modes", "an integer >= 1"],
    "-physics_oldroydb_lamda 3": ["-physics_oldroydb_lamda", "did you mean -physics_oldroydb_lambda?"],
    "-side_top_velocty 3": ["did you mean -side_top_velocity?"],
    "-side_top_wall_velocty 3": ["did you mean -side_top_wall_velocity?"],
    "-bxo_real 3": ["Unknown option", "did you mean -box_real?"],
    "-share 3": ["Unknown option", "did you mean -box_share?"],
    "-box 3": ["Unknown option", "-box"],
    "-stabiliser_gls_wieghting full": ["did you mean -stabiliser_gls_weighting?"],
    "-physics_newtonian_viscosity 3": ["nothing in this case reads", "-physics_newtonian_viscosity"],
    "-must": ["-must_have is missing", "expected a number", "size of the box"],
    "-twice": ["declared twice"],
    "-law oldroydd": ['got "oldroydd"', "newtonian", "did you mean oldroydb?", "-physics"],
    "-stabilised gsl": ['got "gsl"', "did you mean gls?", "-stabiliser"],
    "-stabilised split_oss -stabiliser_split_oss_parts presure": ["did you mean pressure?", "-stabiliser_split_oss_parts"],
    "-plugin /nowhere/law.so": ["/nowhere/law.so", "-plugin"],
    f"-plugin {__file__}": ["cannot be opened"],
}
REFUSED.update({f"-plugin {DOCTORED}/doctored_{m}.so": [f"doctored_{m}.so", f"abi.{m} is ", "expected"] for m in MEMBERS})
HELP = {"-topic physics": ["-physics_oldroydb_lambda", "-physics_oldroydb_modes", "a number > 0 (s), one a mode"]}


def run(cases, *words, path=PLUGINS, ranks=1):
    """Output of each case: [(exit code, text, message)], and what came after the last."""
    environment = dict(os.environ, RHEOPLEX_PLUGIN_PATH=path)
    start = [os.environ["RHEOPLEX_MPIEXEC"], "-n", str(ranks)] if ranks > 1 else []
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
        f.write("".join(c + "\n" for c in cases))
        f.flush()
        process = subprocess.run([*start, DRIVER, f.name, *words], capture_output=True, text=True, env=environment, timeout=60)
    results, text = [], []
    for line in process.stdout.splitlines():
        if line.startswith("= "):
            results.append((int(line[2]), "\n".join(text), line[4:]))
            text = []
        else:
            text.append(line)
    if process.returncode or len(results) != len(cases):
        check("the driver ends well", False, process.stdout[-2000:] + process.stderr[-2000:])
    return results, "\n".join(text) + process.stderr


def check(what, good, text=""):
    global failed
    failed += not good
    print(f"{'ok    ' if good else 'FAILED'} {what}" + ("" if good else f"\n{text}"))


def compare(cases, code, results):
    for (words, expected), (got, text, message) in zip(cases.items(), results):
        where = message if code else text
        missing = [e for e in expected if e not in where]
        check(words, got == code and not missing, f"exit code {got}, missing {missing}\n{text}\n{message}")


def main():
    good = {**READ, **HELP}
    results, rest = run(list(good), "-malloc_dump")
    compare(good, 0, results)
    check("no memory is left", not rest.strip(), rest)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(f"{PLUGINS}/newtonian.so", f"{folder}/again.so")
        bad = {**REFUSED, f"-plugin {folder}/again.so": ["Two plugins of one name", "newtonian", "again.so"]}
        compare(bad, 1, run(list(bad))[0])
    compare({"": ["/nowhere", "RHEOPLEX_PLUGIN_PATH"]}, 1, run([""], path="/nowhere")[0])
    two = list(READ)[:2]
    compare({w: READ[w] for w in two}, 0, run(two, ranks=2)[0])
    bad = f"-plugin {DOCTORED}/doctored_lanes.so"
    compare({bad: REFUSED[bad]}, 1, run([bad], ranks=2)[0])
    return 1 if failed else 0


sys.exit(main())
