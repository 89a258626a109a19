"""Fields in checkpoints: their names by what is solved for; a file with the name that log-conformation had is read, one with another name is not. Parameters that a restart has otherwise are told."""
import sys

import h5py
import numpy as np
import run
from gate import Gate

CASE = ["run", "-device", "cpu", "-mesh_box_faces", "4,3", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "moving_wall",
        "-bc_top_velocity", "16*x^2*(1-x)^2,0", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.5", "-physics_oldroydb_viscosity", "0.4,0.3",
        "-physics_oldroydb_lambda", "0.3,0.2", "-physics_oldroydb_modes", "2", "-stabiliser", "split_oss", "-stabiliser_split_oss_parts", "momentum,tensor",
        "-scheme_lumped_pressure", "dissipation", "-scheme_lumped_dt", "1e-3", "-output_fields", "0"]
NAMES = {"stress": "stress", "conformation": "conformation", "logconf": "log_conformation"}


def names(file, new=None):
    with h5py.File(file, "r+" if new else "r") as f:
        if new:
            f.attrs.modify("fields", np.bytes_(new.encode()))
        return f.attrs["fields"].decode()


def main():
    gate = Gate("output_former")
    for variable, name in NAMES.items():
        options = [*CASE, "-polymer_variable", variable]
        whole = run.rheoplex(*options, "-stop_steps", "8", out=run.folder("former")).checkpoint()
        half = run.rheoplex(*options, "-stop_steps", "4", out=run.folder("former")).file("_checkpoint.h5")
        gate.true(f"{variable}: the names of its fields", names(half) == f"velocity,pressure,{name}_0,{name}_1")
        names(half, "velocity,pressure,stress_0,stress_1")
        rest = run.rheoplex(*options, "-stop_steps", "8", "-case_restart", half, out=run.folder("former")).checkpoint()
        gate.true(f"{variable}: a file with the former names is read", np.array_equal(rest, whole))
        names(half, "velocity,pressure,strain_0,strain_1")
        bad = run.rheoplex(*options, "-stop_steps", "8", "-case_restart", half, out=run.folder("former"), expect=1)
        gate.true(f"{variable}: another name is refused", f'fields: got "velocity,pressure,strain_0,strain_1", expected "velocity,pressure,{name}_0,' in bad.stderr)
    other = [*options, "-stop_steps", "8", "-form_density", "3", "-physics_newtonian_viscosity", "0.50", "-physics_oldroydb_viscosity", "0.4,0.2"]
    half = run.rheoplex(*options, "-stop_steps", "4", out=run.folder("former")).file("_checkpoint.h5")
    for ranks in 1, 2:
        text = run.rheoplex(*other, "-case_restart", half, out=run.folder("former"), np=ranks).stdout
        gate.true(f"np {ranks}: other parameters are told", "is a state of other parameters: form_density 1 (now 3), physics_oldroydb_viscosity 0.4,0.3 (now 0.4,0.2)\n" in text)
    gate.true("the same ones are not", "other parameters" not in run.rheoplex(*options, "-stop_steps", "8", "-physics_oldroydb_lambda", "0.30,2e-1", "-case_restart", half, out=run.folder("former")).stdout)
    warm = [*CASE[:CASE.index("-physics")], *CASE[CASE.index("-stabiliser"):], "-physics", "newtonian,thermal", "-physics_newtonian_viscosity", "0.5", "-stabiliser_split_oss_parts", "momentum,scalar",
            "-physics_thermal_conductivity", "0.3", "-physics_thermal_heat_capacity", "2", *[w for side in ("left", "right", "bottom", "top") for w in (f"-bc_{side}_temperature", "value 300")]]
    begun = run.rheoplex(*warm, "-stop_steps", "2", out=run.folder("former")).file("_checkpoint.h5")
    for word, told in ("yes", False), ("1", False), ("on", False), ("no", True):
        text = run.rheoplex(*warm, "-stop_steps", "4", "-physics_thermal_heating", word, "-case_restart", begun, out=run.folder("former")).stdout
        gate.true(f"heating {word} after true: told {told}", ("other parameters: physics_thermal_heating true (now no)\n" in text) == told and ("other parameters" in text) == told)
    with h5py.File(half, "r+") as f:
        del f.attrs["parameters"]
    gate.true("nor where an earlier version did not say", "other parameters" not in run.rheoplex(*other, "-case_restart", half, out=run.folder("former")).stdout)
    return gate.finish()


sys.exit(main())
