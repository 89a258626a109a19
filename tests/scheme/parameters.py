"""Every parameter of every law, whose list `rheoplex list physics` gives, and of `thermal`; of a law beside the swirl of a tube. parameters.py <law> [swirling]
A channel whose inlet is developed and flows at a given rate: derivatives of a force and of the pressure drop (-sensitivity) against central differences of
whole runs, and a continuation to another value against a run of the case with it; representations in turn."""
import re
import subprocess
import sys

import run
from gate import Gate, largest
from steady import STEADY

VALUES = {"newtonian": {"viscosity": 0.7}, "carreau_yasuda": {"viscosity": 0.9, "viscosity_inf": 0.2, "lambda": 0.5, "a": 1.5, "n": 0.5}, "cross": {"viscosity": 0.9, "viscosity_inf": 0.2, "lambda": 0.5, "m": 0.7},
          "power_law": {"consistency": 0.7, "n": 0.7, "viscosity_min": 0.01, "viscosity_max": 50}, "casson": {"viscosity": 0.5, "yield_stress": 0.2, "m": 10},
          "herschel_bulkley": {"consistency": 0.7, "n": 0.8, "yield_stress": 0.2, "m": 10, "viscosity_max": 50}, "oldroydb": {"viscosity": 0.6, "lambda": 0.4}, "giesekus": {"viscosity": 0.6, "lambda": 0.4, "alpha": 0.2},
          "ptt": {"viscosity": 0.6, "lambda": 0.4, "epsilon": 0.2, "xi": 0.1}, "johnson_segalman": {"viscosity": 0.6, "lambda": 0.4, "xi": 0.2}, "white_metzner": {"viscosity": 0.6, "lambda": 0.4, "time": 0.5, "a": 1.7, "n": 0.7},
          "fene_p": {"viscosity": 0.6, "lambda": 0.4, "L2": 30}, "fene_cr": {"viscosity": 0.6, "lambda": 0.4, "L2": 30},
          "thermal": {"conductivity": 0.3, "heat_capacity": 1.4, "supply": 2, "reference": 299, "sensitivity": 0.02, "activation": 2e4, "wlf_1": 1.3, "wlf_2": 90, "expansion": 0.01, "gravity_x": -3, "gravity_y": -4}}
VARIABLES = {"oldroydb": "stress", "giesekus": "conformation", "ptt": "logconf", "johnson_segalman": "stress", "white_metzner": "conformation", "fene_p": "logconf", "fene_cr": "conformation"}
WARM = {"physics": "newtonian,thermal", "physics_newtonian_viscosity": 0.7, "bc_left_profile": None, "bc_left_flow_rate": None, "bc_left_velocity": "0.9*(1-y^2),0", "bc_left_temperature": "value 303+2*y",
        "bc_bottom_temperature": "value 306", "bc_top_temperature": "natural"}
SWIRL = {"physics": "newtonian,oldroydb,swirling", "form_axisymmetric": "true", "mesh_box_lower": "0,0", "bc_bottom_type": "symmetry", "bc_left_profile": None, "bc_left_flow_rate": None,
         "bc_left_velocity": "1-y^2,0,2*y*(1-y^2)", "bc_left_polymer": "rest"}
COLUMNS = ("-diagnostic_drag_kind", "forces", "-diagnostic_drag_label", "top", "-diagnostic_drop_kind", "pressure_difference", "-diagnostic_drop_label", "left,right")


def channel(law, values, *more, swirl=False):
    polymer = {} if law not in VARIABLES else {"polymer_variable": VARIABLES[law], "bc_left_polymer": "developed", "stabiliser_devss_theta": 0.6, "physics_newtonian_viscosity": 0.7}
    flow = {"case_name": "channel", "mesh_box_faces": "8,4", "mesh_box_lower": "0,-1", "mesh_box_upper": "4,1", "mesh_box_jitter": 0.1, "physics": f"newtonian,{law}" if polymer else law,
            "stabiliser": "devss,split_oss" if polymer else "split_oss", "form_density": 3, "bc_left_type": "inlet", "bc_left_profile": "developed", "bc_left_flow_rate": 1.2, "bc_right_type": "outlet",
            "bc_top_type": "wall", "bc_bottom_type": "wall", "snes_rtol": 1e-13, **polymer, **(WARM if law == "thermal" else SWIRL if swirl else {}), **{f"physics_{law}_{name}": repr(value) for name, value in values.items()}}
    return run.rheoplex("run", *(w for key, value in flow.items() if value is not None for w in (f"-{key}", value)), *STEADY, *COLUMNS, *more, out=run.folder("parameters"))


def one(gate, law, name, case, swirl):
    values = VALUES[law]
    h = (1e-4 if name == "reference" else 1e-3) * abs(values[name])  # one of 300 K, of which states differ by some
    low, high = (channel(law, {**values, name: values[name] + d}, swirl=swirl) for d in (-h, h))
    option = f"physics_{law}_{name}"
    for row in (r for r in case.texts("_sensitivity.csv") if r["parameter"] == option):
        a, b = (float(x.table(f"_{row['diagnostic']}.csv")[row["column"]][-1]) for x in (low, high))
        slope = (b - a) / (2 * h)
        gate.at_most(f"d {row['column']} / d {option}: relative difference", abs(float(row["derivative"]) - slope) / max(abs(slope), 1e-4), 2e-5)
    way = channel(law, values, "-scheme_steady_continuation", f"{option}={values[name]!r}:{h!r}:{values[name] + h!r}", swirl=swirl)
    state = high.checkpoint()
    gate.at_most(f"{option}: continuation from the run of the case, over what it changes", abs(way.checkpoint() - state).max() / max(abs(state - case.checkpoint()).max(), 1e-3 * abs(state).max()), 1e-6)


def main(law, beside=""):
    gate = Gate(f"scheme_parameters_{beside or law}")
    listed = subprocess.run([run.RHEOPLEX, "list", "physics", law], capture_output=True, text=True, check=True).stdout
    names = re.findall(rf"^ *-physics_{law}_(\w+) .*: a number", listed, re.M)
    names = [name for name in names if name != "gravity_z"]  # of space
    gate.true(f"all parameters of {law}: {names}", set(names) == set(VALUES[law]))
    case = channel(law, VALUES[law], "-sensitivity", ",".join(f"{d}:physics_{law}_{name}" for name in names for d in ("drag", "drop")), swirl=bool(beside))
    rows = case.texts("_sensitivity.csv")
    gate.true("a row a column and parameter", len(rows) == 3 * len(names))
    gate.at_least("the largest derivative", largest(abs(float(r["derivative"])) for r in rows), 0.1)
    for name in names:
        one(gate, law, name, case, bool(beside))
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
