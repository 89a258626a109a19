"""The JSON schema of a case: a sound schema, it takes every shipped case and every way to nest keys, it refuses what the program refuses."""
import glob
import json
import os
import subprocess
import sys

import jsonschema
import run
import yaml
from gate import Gate

BASE = """
mesh: {box_faces: "4,4", box_lower: "0,0", box_upper: "1,1"}
physics: newtonian,oldroydb
physics_newtonian: {viscosity: 0.01}
physics_oldroydb: {viscosity: 0.01, lambda: 0.1}
stabiliser: split_oss
bc_left: {type: wall}
bc_right: {type: wall}
bc_bottom: {type: wall}
bc_top: {type: moving_wall, velocity: "x,0"}
scheme_lumped: {dt: 0.01}
stop: {steps: 1}
"""
SOUND = {
    "plain": ("", ""),
    "flat": ("scheme_lumped: {dt: 0.01}", "scheme_lumped_dt: 0.01\nmesh_scale: 2"),
    "nested": ("bc_left: {type: wall}", "bc: {left: {type: wall}}"),
    "nested in the middle of a name": ("mesh: {box_faces", "mesh: {box: {jitter: 0.1}, box_faces"),
    "a label of two words": ("stop:", "diagnostic: {history: {every: 2}, forces: [left, right]}\nstop:"),
    "diagnostics in the plural": ("stop:", "diagnostics: {drag: {kind: forces, label: left}, forces: right}\nstop:"),
    "the block of another scheme": ("stop:", "scheme: fractional_step\nscheme_fractional_step: {dt: 0.01}\nstop:"),
    "lists and numbers as text": ("{viscosity: 0.01, lambda: 0.1}", "{modes: 2, viscosity: [1e-2, 2e-3], lambda: '0.1, .5e-1'}"),
    "lists of lists": ("stop:", "diagnostics: {p: {kind: probe, points: [[0.1, 0.2], # [a\n  [0.3, 0.4]], fields: ['pressure', \"velocity\"]}}\nstop:"),
    "solver": ("stop:", "pressure_ksp_rtol: 1e-7\npressure: {pc_type: jacobi}\nlog_view:\nstop:"),
    "truth": ("stop:", "output: {fields: no}\nform_convection: 'true'\nstop:"),
    "anchors": ("bc_left: {type: wall}", "$$w: &w {type: wall}\nbc_left: {<<: *w}"),
    "a group of one law": ("physics_newtonian: {viscosity: 0.01}", "physics_newtonian_viscosity: 0.01"),
}
MALFORMED = {
    "a key that is none": ("scheme_lumped: {dt: 0.01}", "scheme_lumped: {ddt: 0.01}"),
    "a group that is none": ("stop:", "stopp: {time: 1}\nstop:"),
    "a key that is none in the plural": ("stop:", "diagnostics: {drag: {kid: forces}}\nstop:"),
    "a flat key that is none": ("stop:", "mesh_box_facess: 2,2\nstop:"),
    "a key of a condition that is none": ("{type: moving_wall, velocity", "{type: moving_wall, velocty"),
    "a flat key of a condition that is none": ("stop:", "bc_top_velocty: 1,0\nstop:"),
    "below its bound": ("{viscosity: 0.01}", "{viscosity: -0.01}"),
    "at an open bound": ("scheme_lumped: {dt: 0.01}", "scheme_lumped: {dt: 0}"),
    "beyond an open bound": ("mesh: {", "mesh: {box_jitter: 0.5, "),
    "no number": ("lambda: 0.1", "lambda: short"),
    "no integer": ("steps: 1", "steps: 1.5"),
    "no choice": ("stop:", "polymer_variable: logc\nstop:"),
    "no truth": ("stop:", "stop_signal_ok: maybe\nstop:"),
    "a list for one number": ("scheme_lumped: {dt: 0.01}", "scheme_lumped: {dt: [0.01, 0.02]}"),
    "a group for a number": ("lambda: 0.1", "lambda: {mean: 0.1}"),
    "what the command line alone may set": ("stop:", "device_nvrtc: /tmp/nvrtc.so\nstop:"),
    "an option of PETSc that a case may not set": ("stop:", "malloc_dump: true\nstop:"),
}


def faults(validator, text):
    return [e.message[:200] for e in validator.iter_errors(yaml.safe_load(text))]


def program_refuses(name, text):
    path = f"{HERE}/{name.replace(' ', '_')}.yaml"
    with open(path, "w") as f:
        f.write(text)
    return run.rheoplex("check", path, out=HERE, expect=None).rc != 0


HERE = run.folder("schema")


def main():
    gate = Gate("schema")
    text = run.rheoplex("schema", out=HERE).stdout
    schema = json.loads(text)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    kept = open(f"{run.OPTIONS}/case.schema.json").read()
    gate.true("options/case.schema.json is what the program says (share/scripts/make_docs.py writes it)", kept == text)
    cases = sorted(glob.glob(f"{run.OPTIONS}/*.yaml")) + [f"{run.SOURCE}/share/template/case.yaml"]
    gate.at_least("cases", len(cases), 20)
    for path in cases:
        case = open(path).read()
        gate.true(f"{os.path.basename(path)}: {faults(validator, case)}", not faults(validator, case))
        named = case.splitlines()[0].partition("$schema=")[2]
        gate.true(f"{os.path.basename(path)} names the schema", os.path.samefile(os.path.join(os.path.dirname(path), named), f"{run.OPTIONS}/case.schema.json"))
    for name, (old, new) in SOUND.items():
        case = BASE.replace(old, new, 1)
        gate.true(f"taken: {name} {faults(validator, case)}", old in BASE and not faults(validator, case))
        gate.true(f"taken by the program: {name}", not program_refuses(name, case))
    for name, (old, new) in MALFORMED.items():
        case = BASE.replace(old, new, 1)
        gate.true(f"refused: {name}", old in BASE and faults(validator, case))
        gate.true(f"refused by the program: {name}", program_refuses(name, case))
    result = run.rheoplex("run", f"{HERE}/plain.yaml", out=run.folder("schema"))
    effective = open(result.file("_effective.yaml")).read()
    gate.true(f"the effective options are a case {faults(validator, effective)}", not faults(validator, effective))
    return gate.finish()


sys.exit(main())
