"""What is wrong with scalar fields in a case is an error that says got, expected and the option; fields of a plugin that the case does not use do not change it."""
import sys

import numpy as np
import run
from gate import Gate

CASE = ["run", "-case_name", "bad", "-mesh_box_faces", "4,4", "-bc_left_type", "inlet", "-bc_left_velocity", "1,0", "-bc_right_type", "outlet", "-bc_right_polymer", "zero",
        "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-physics_newtonian_viscosity", 1, "-scheme_lumped_dt", 1e-3, "-stop_steps", 2]
DYE = ["-physics", "newtonian,passive", "-physics_passive_diffusivity", 0.1, "-stabiliser", "split_oss"]
GIVEN = ["-bc_left_concentration", "value 1"]
TWIN, COUPLED, UNSAID, HALFSAID, UNABLE, TAKEN = sys.argv[1:7]

REFUSED = {
    "no scalar stabiliser": ([*DYE, *GIVEN, "-stabiliser_split_oss_parts", "momentum,pressure"],
                             ["No stabiliser provides convection of scalar fields, here of 'concentration'", "expected one of: ", "gls", "split_oss"]),
    "two scalar stabilisers": ([*DYE, *GIVEN, "-stabiliser", "split_oss,gls", "-stabiliser_gls_parts", "scalar"], ["Two stabilisers provide scalar"]),
    "an inlet where it has to be given": (DYE, ["label 'left' is an inlet, where the scalar field 'concentration' has to be given", "-bc_left_concentration \"value <formula>\""]),
    "value and flux on one label": ([*DYE, "-bc_left_concentration", "value 1, flux 2"], ["-bc_left_concentration: got \"value 1, flux 2\"", "not two on one label"]),
    "an unknown word": ([*DYE, "-bc_left_concentration", "fixed 1"], ["-bc_left_concentration: got \"fixed 1\", expected natural"]),
    "no formula": ([*DYE, "-bc_left_concentration", "value 1+"], ["bc_left_concentration"]),
    "a formula that is not finite": ([*DYE, "-bc_left_concentration", "value 1/(t-t)"], ["bc_left_concentration", "expected a finite number"]),
    "a flux that is not finite": ([*DYE, *GIVEN, "-bc_top_concentration", "flux log(-1-x)"], ["bc_top_concentration", "expected a finite number"]),
    "a label that is not there": ([*DYE, *GIVEN, "-bc_lid_concentration", "value 1"], ["-bc_lid_concentration: got a condition for the label 'lid'"]),
    "the option of a field that is not used": (["-physics", "newtonian", "-stabiliser", "split_oss", *GIVEN], ["-bc_left_concentration", "nothing in this case reads"]),
    "a field twice": ([*DYE, *GIVEN, "-plugin", TWIN, "-physics", "newtonian,passive,twin"],
                      ["Field 'concentration' is declared twice: by 'passive' and by 'twin', expected a name of its own for each"]),
    "a field of the name of an output": (["-plugin", TAKEN, "-physics", "newtonian,taken", "-stabiliser", "split_oss", "-bc_left_shear_rate", "value 1"], ["-physics: got a scalar field 'shear_rate', which is the name of what files of fields have too"]),
    "the fields twice": ([*DYE, *GIVEN, "-physics", "newtonian,passive,passive"], ["The scalar fields of 'passive' are given twice"]),
    "a coupling that is not there": (["-plugin", COUPLED, "-physics", "newtonian,coupled", "-stabiliser", "split_oss"],
                                     ["Field 'heat' of 'coupled' declares wall distance, which this Rheoplex does not compute", "shifts the laws or drives the flow", "-physics"]),
    "a shift that no flag says": (["-plugin", UNSAID, "-physics", "newtonian,unsaid", "-stabiliser", "split_oss"], ["the function shift of 'unsaid', which no flag makes the flow feel", "expected RHX_SHIFTS, RHX_COUPLES"]),
    "a shift of what says that it couples": (["-plugin", HALFSAID, "-physics", "newtonian,halfsaid", "-stabiliser", "split_oss", "-field_heat_scale", 310],
                                             ["-physics halfsaid: got a factor `time` of ", "which its flags do not say, expected RHX_SHIFTS"]),
    "a flag without its shift": (["-plugin", UNABLE, "-physics", "newtonian,unable", "-stabiliser", "split_oss"], ["of 'unable' without the function shift", "OP(shift)"]),
    "no flow": ([*DYE, *GIVEN, "-physics", "passive"], ["-physics passive: got scalar fields alone"]),
    "an unknown block": ([*DYE, *GIVEN, "-field_concentration_block", "polymer"], ['-field_concentration_block: got "polymer", expected flow or own']),
    "a field without diffusion by forward Euler": ([*DYE, *GIVEN, "-physics_passive_diffusivity", 0, "-scheme_lumped_cfl", 0.9, "-initial_velocity", "1,0"],
                                                   ["the growth limit asks for a time step of", "a scalar field of little diffusivity", "-scheme_lumped_stepper heun"]),
    "an unknown action": ([*DYE, *GIVEN, "-field_concentration_bounds", "clip"], ["-field_concentration_bounds", "report", "stop"]),
}


def main():
    gate = Gate("scalars_negative")
    for what, (words, sentences) in REFUSED.items():
        for np_ in (1, 2) if what in ("a field twice", "a flux that is not finite", "an unknown action") else (1,):
            bad = run.rheoplex(*CASE, *words, out=run.folder("scalars_negative"), np=np_, expect=1)
            missing = [s for s in sentences if s not in bad.stderr]
            gate.true(f"{what}, np {np_}" + (f": lacks {missing}: {bad.stderr.strip()[:300]}" if missing else ""), not missing)
    good = run.rheoplex(*CASE, *DYE, *GIVEN, out=run.folder("scalars_negative"))
    gate.near("the value given at the inlet", float(good.fields()["concentration"].max()), 1.0, 1e-14)
    plain = run.rheoplex(*CASE, "-physics", "newtonian", "-stabiliser", "split_oss", out=run.folder("scalars_negative"))
    gate.true("the flow does not feel it", np.array_equal(plain.checkpoint(), good.checkpoint()[:, :3]))
    return gate.finish()


sys.exit(main())
