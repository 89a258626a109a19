"""What is not done together: the table of `rheoplex --help combinations` is what the program does. combinations.py rows|pairs [cuda]

rows: every row of the table has a case here, which is refused by the row's sentence.
pairs: every scheme with every thing that a case may ask for is refused by the table's sentence, or starts. cuda: on a device."""
import itertools
import os
import re
import sys

import mshwrite
import run
from gate import Gate

HERE = run.folder("combinations")
CHANNEL = {
    "case_name": "pair", "mesh_box_lower": "0,0.5", "mesh_box_upper": "2,1.2", "mesh_box_faces": "3,3", "mesh_box_cell": "mixed", "physics": "newtonian", "physics_newtonian_viscosity": 0.4,
    "form_density": 3, "stabiliser": "split_oss", "bc_left_type": "inlet", "bc_left_velocity": "1,0", "bc_left_polymer": "rest", "bc_right_type": "outlet", "bc_right_polymer": "zero",
    "bc_bottom_type": "wall", "bc_top_type": "wall", "stop_steps": 1,
}
# What the physics need, whatever asks for them.
LAWS = {"passive": {"physics_passive_diffusivity": 0.3, "bc_left_concentration": "value 1"}, "oldroydb": {"physics_oldroydb_viscosity": 0.3, "physics_oldroydb_lambda": 0.2, "polymer_variable": "stress"},
        "swirling": {"bc_left_swirl": "value 0"},
        "thermal": {"physics_thermal_conductivity": 0.3, "physics_thermal_heat_capacity": 1, "bc_left_temperature": "value 300", "bc_bottom_temperature": "natural", "bc_top_temperature": "natural"}}
SCHEMES = {
    "lumped": {"scheme": "lumped"},
    "dissipation": {"scheme": "lumped", "scheme_lumped_pressure": "dissipation", "stabiliser_split_oss_parts": "momentum,tensor,scalar"},
    "ssp3": {"scheme": "fractional_step", "scheme_fractional_step_integrator": "ssp3"},
    "bdf2": {"scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2"},
    "steady newton": {"scheme": "steady"},
    "monolithic newton": {"scheme": "monolithic"},
}
TRANSPORT = {"bdf2 polymer": {**SCHEMES["bdf2"], "physics": "+oldroydb", "scheme_fractional_step_polymer": "transport"}}  # modes are implicit too
# The words of a key are all that it asks for besides what is always there, and "polymer", which nothing is refused with; "+" adds a law.
THINGS = {
    "": {},
    "scalars": {"physics": "+passive"},
    "polymer": {"physics": "+oldroydb"},
    "polymer nonlinear": {"physics": "+oldroydb", "polymer_variable": "logconf"},
    "3d": {"mesh_box_lower": "0", "mesh_box_upper": "1", "mesh_box_faces": "2,2,2", "mesh_box_cell": "tetrahedron", "bc_front_type": "wall", "bc_back_type": "wall", "bc_left_velocity": "1,0,0"},
    "no_simplices": {"mesh_box_cell": "quadrilateral"},
    "axisymmetric no_swirl": {"form_axisymmetric": "true"},
    "scalars swirl": {"physics": "+swirling"},
    "axisymmetric scalars swirl": {"form_axisymmetric": "true", "physics": "+swirling"},
    "centroid": {"form_quadrature": "centroid"},
    "rate_of_velocity": {"stabiliser": "gls", "stabiliser_gls_parts": "pressure,momentum"},
    "divergence": {"stabiliser": "gls", "stabiliser_gls_parts": "pressure,divergence"},
    "polymer rate_of_stress": {"physics": "+oldroydb", "stabiliser": "split_oss,gls", "stabiliser_gls_parts": "tensor", "stabiliser_split_oss_parts": "pressure"},
    "scalars rate_of_scalar": {"physics": "+passive", "stabiliser": "split_oss,gls", "stabiliser_gls_parts": "scalar", "stabiliser_split_oss_parts": "pressure"},
    "mean_velocity": {"mesh_box_periodic": "x", "bc_left_type": None, "bc_left_velocity": None, "bc_right_type": None, "bc_left_polymer": None, "bc_right_polymer": None, "form_mean_velocity": 1},
    "oblique": {"bc_top_type": "free_slip", "mesh": "oblique"},
    "oblique polymer": {"bc_top_type": "symmetry", "mesh": "oblique", "physics": "+oldroydb"},
    "slip": {"bc_top_type": "slip", "bc_top_friction": 1e-3},
    "follows": {"bc_right_type": "resistance", "bc_right_pressure_by_flux": "1+2*q"},
    "moves": {"bc_right_type": "outside_windkessel", "bc_right_polymer": None},
    "traction": {"bc_right_pressure_at": "traction"},
    "scalars felt shifted": {"physics": "+thermal"},
    "polymer outflow": {"physics": "+oldroydb", "bc_right_polymer": "developed", "bc_right_velocity": "1,0"},
    "womersley": {"bc_left_velocity": None, "bc_left_profile": "womersley", "bc_left_flow_rate": "1+0.3*sin(2*pi*t)", "bc_left_period": 1},
    "polymer outflow developed": {"physics": "+oldroydb", "bc_right_polymer_inflow": "developed", "bc_right_velocity": "1,0"},
    "polymer traction outflow": {"physics": "+oldroydb", "bc_right_polymer": "developed", "bc_right_pressure_at": "traction"},
    "rotating": {"bc_top_type": "rotating_wall", "bc_top_angular_velocity": 1},
    "polymer developed": {"physics": "+oldroydb", "bc_left_polymer": "developed"},
    "corrections": {"scheme_fractional_step_mass_corrections": 1},
    "continuation": {"physics": "+oldroydb", "scheme_steady_continuation": "physics_oldroydb_lambda=0.1:0.1:0.2"},
    "linearised": {"physics": "+oldroydb", "diagnostic_forces": "top", "sensitivity": "forces:physics_oldroydb_lambda"},
    "eliminated": {"bc_top_type": "free_slip", "mesh": "oblique", "scheme_steady_dirichlet": "symmetric"},
    "momentum_solver": {"momentum_pc_type": "ilu"},
    "sourceless": {"physics": "+outside_sound", "polymer_variable": "stress"}, # its operations are null: what is named is not chosen by them
    "polymer turns": {"physics": "+oldroydb", "device_passes": "turns"},
    "coupled": {"stabiliser": "split_oss,outside_coupled"},
}
OWN = {"corrections": ("ssp3", "bdf2"), "continuation": ("steady newton",), "linearised": ("steady newton",), "eliminated": ("steady newton",), "momentum_solver": ("bdf2",)}  # options of some schemes alone
PLUGINS = {"sourceless": "RHX_SOURCELESS", "moves": "RHX_MOVING", "coupled": "RHX_COUPLED"}  # those from outside


def table():
    """[(set of what is not done together, regular expression of its sentence)], and every name."""
    names, rows, into = [], [], None
    for line in run.rheoplex("--help", "combinations", out=HERE).stdout.splitlines():
        if not line.startswith("  "):
            into = rows if names else names
        elif into is names:
            names.append(line.split()[0])
        else:
            together, sentence = line.strip().split(": ", 1)
            rows.append((frozenset(together.split(" + ")), re.sub(r"\\\{[^}]*\\\}", ".+", re.escape(sentence))))
    return names, rows


def merge(*parts):
    """Options of all parts; laws that are added, with what they need."""
    words = {}
    for part in parts:
        for key, value in part.items():
            words[key] = f"{words[key]},{value[1:]}" if key == "physics" and value[0] == "+" and value[1:] not in words[key] else words[key] if value is not None and str(value)[0] == "+" else value
    for law in words["physics"].split(","):
        words = {**LAWS.get(law, {}), **words}
    if "mesh_box_periodic" in words:
        words = {k: v for k, v in words.items() if not k.startswith(("bc_left", "bc_right"))}
    if words.pop("mesh", None):
        words = {k: v for k, v in words.items() if not k.startswith("mesh_box")}
        words["mesh_file"] = mshwrite.channel(f"{HERE}/oblique.msh", 3, 3, lambda i, j: (0.8 * i / 3 - 0.3 * j / 3, 0.3 * i / 3 + 0.8 * j / 3))
    if words.get("form_axisymmetric"):
        words = {**words, "mesh_box_lower": words["mesh_box_lower"].replace("0.5", "0"), "bc_bottom_type": "symmetry"}
    if words["scheme"] == "steady" and "bc_left_period" in words:
        words["bc_left_flow_rate"] = 1  # no pulse is steady
    if words["scheme"] == "lumped" and "gls" in words["stabiliser"] and words.get("scheme_lumped_pressure"):
        words.update({f"stabiliser_{name}_parts": words[f"stabiliser_{name}_parts"].replace("pressure,", "").replace("pressure", "momentum") for name in words["stabiliser"].split(",")})
    if "split_oss" not in words["stabiliser"]:
        words.pop("stabiliser_split_oss_parts", None)
    return {k: v for k, v in words.items() if v is not None}


def start(words, device, plugin=None):
    line = [w for key, value in words.items() for w in (f"-{key}", value)]
    return run.rheoplex("check", *line, *(["-plugin", plugin] if plugin else []), "-device", device, out=HERE, expect=None, timeout=300)


def judge(gate, what, asked, words, device, rows, plugin=None):
    """Refused by the first sentence of the table that holds, or started."""
    asked = {*asked, "axisymmetric" if "axisymmetric" in asked else "plane", *(["device"] if device == "cuda" else [])}
    expected = [sentence for together, sentence in rows if together <= asked]
    result = start(words, device, plugin)
    error = " ".join(line for line in result.stderr.splitlines() if line.startswith("rheoplex: error: "))
    good = result.rc == 1 and any(re.search(s, error) for s in expected) if expected else result.rc == 0
    if not good:
        print(" ".join(f"-{k} {v}" for k, v in words.items()), error or result.stderr[-500:], sep="\n")
    gate.true(f"{what}: {'refused' if expected else 'starts'}", good)
    return [together for together, sentence in rows if together <= asked]


def pairs(gate, device):
    rows = table()[1]
    for (scheme, chosen), (thing, asks) in itertools.product((SCHEMES | TRANSPORT).items(), THINGS.items()):
        if set(PLUGINS) & set(thing.split()) or scheme not in OWN.get(thing, SCHEMES):
            continue
        judge(gate, f"{scheme}, {thing or 'nothing more'}", {*scheme.split(), *thing.split()}, merge(CHANNEL, chosen, asks), device, rows)


def each_row(gate, device):
    """The case of a row: all that it names; of the rest what these bring along may not be refused for itself."""
    names, rows = table()
    gate.true("every thing that may be asked for is in some row", all(any(name in together for together, _ in rows) for name in names))
    for together, sentence in rows:
        if ("device" in together) != (device == "cuda"):
            continue
        left, chosen, asks, asked = set(together) - {"device", "plane"}, SCHEMES["lumped"], [], {"lumped"}
        for options in (SCHEMES, THINGS):
            for key, value in sorted(options.items(), key=lambda item: (len(item[0].split()), "steady" not in item[0])):
                if left & set(key.split()):
                    left -= set(key.split())
                    asked |= set(key.split())
                    chosen, asks = (value, asks) if options is SCHEMES else (chosen, [*asks, value])
        gate.true(f"{' + '.join(sorted(together))}: a case that asks for it", not left)
        if {"continuation", "linearised", "eliminated"} & together:
            chosen = SCHEMES["steady newton"]
        if "momentum_solver" in together:
            chosen = SCHEMES["bdf2"]
        plugin = next((os.environ[variable] for name, variable in PLUGINS.items() if name in together), None)
        found = judge(gate, " + ".join(sorted(together)), asked, merge(CHANNEL, *asks, chosen), device, [(together, sentence)], plugin)
        gate.true(f"{' + '.join(sorted(together))}: by its row", found == [together])


def main(check, device="cpu"):
    gate = Gate(f"case_combinations_{check}_{device}")
    {"rows": each_row, "pairs": pairs}[check](gate, device)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
