"""Tolerances of the pressure solver are checked at the set-up, by a direct solver too, which needs none of them."""
import sys

import run
from gate import Gate
from refused import SOUND, accepted, refused, write

BAD = {
    "-pressure_ksp_rtol": ("nosuch", "nan", "-1", "1", "inf", "1e-8x"),
    "-pressure_ksp_atol": ("nosuch", "nan", "-1"),
    "-pressure_ksp_max_it": ("nosuch", "nan", "-1", "1.5", "99999999999"),
    "-pressure_ksp_divtol": ("nosuch", "nan", "0"),
}


def main():
    gate = Gate("trust_tolerances")
    work = run.folder("trust_tolerances")
    fixed = write(f"{work}/fixed.yaml", SOUND.replace("top: {type: moving_wall, velocity: '1,0'}", "top: {type: outlet}"))  # a direct solver
    free = write(f"{work}/free.yaml", SOUND)  # multigrid, of one iteration for these values
    for option, values in BAD.items():
        for value in values:
            refused(gate, f"{option} {value}", (option, f'got "{value}"', "expected"), "check", fixed, option, value, cwd=work)
    refused(gate, "-pressure_ksp_rtol without a value", ("-pressure_ksp_rtol", 'got ""'), "run", free, "-pressure_ksp_rtol", cwd=work)
    refused(gate, "-pressure_ksp_rtol nan", ('got "nan"', "a number >= 0 and < 1"), "run", free, "-pressure_ksp_rtol", "nan", cwd=work, np=2)
    for file in (fixed, free):
        accepted(gate, "every tolerance", "run", file, "-pressure_ksp_rtol", "1e-6", "-pressure_ksp_atol", "1e-30", "-pressure_ksp_max_it", "100",
                 "-pressure_ksp_divtol", "1e6", cwd=work)
    return gate.finish()


sys.exit(main())
