"""steps.py [ranks] [n]: every nth (1) row of a pairwise cover of cell type, laws, representation, stabiliser, scheme, pressure, conditions and assembly, and
of the architecture where the device is emulated; the program RHX_STEPS runs every combination for twenty steps on host and device and compares. steps.py [ranks] levels: meshes on
which the device's pressure solver has levels, shared by the ranks or all on each, three steps. steps.py [ranks] bdf2: implicit momentum,
twenty steps; its solver stops at 1e-4 as on the host; one first step is halved. steps.py [ranks] axisymmetric: tubes; centroid: one point a simplex; turns: modes by turns. Exit code 77: no device."""
import itertools
import os
import subprocess
import sys
import tempfile

import laws as parameters

FACTORS = {
    "cell": ["quadrilateral", "triangle", "mixed", "hexahedron", "tetrahedron"],
    "viscous": ["newtonian", "carreau_yasuda", "cross", "power_law", "casson", "herschel_bulkley"],
    "law": ["oldroydb", "ptt", "giesekus", "fene_p", "fene_cr", "white_metzner", "johnson_segalman", "none"],
    "variable": ["stress", "conformation", "logconf"],
    "stabiliser": ["gls", "devss,split_oss", "gls,split_oss"],
    "modes": ["1", "2"],
    "scheme": ["default euler", "default heun", "ayyad euler", "fractional_step heun", "fractional_step ssp3", "fractional_step rk4"],
    "pressure": ["projection", "dissipation"],
    "outlet": ["gradient", "symmetric", "closed"],
    "top": ["wall", "symmetry"],
    "time": ["steady", "ramp", "formula"],
    "assembly": ["atomic", "colour", "owner"],
}
if "RHX_EMULATED" in os.environ:
    FACTORS["device"] = ["sm_90", "sm_80", "sm_86", "sm_89"]  # that is emulated
NAMES = list(FACTORS)
CHANNEL = "-bc_left_type inlet -bc_left_velocity 0.2*y*(2-y),0{0} -bc_right_type outlet -bc_right_form {1} -bc_bottom_type wall -bc_top_type symmetry"
FLUID = " ".join(parameters.words("newtonian,oldroydb")) + " "
LEVELS = [
    FLUID + "-mesh_box_faces 70,60 -physics newtonian,oldroydb -stabiliser devss,split_oss -bc_right_velocity 0.2*y*(2-y),0 " + CHANNEL.format("", "symmetric"),
    FLUID + "-mesh_box_faces 70,60 -physics newtonian,oldroydb -stabiliser devss,split_oss -bc_left_type wall -bc_right_type wall -bc_bottom_type wall "
    "-bc_top_type moving_wall -bc_top_velocity x*(1-x),0",
    "-physics_newtonian_viscosity 0.9 -mesh_box_cell tetrahedron -mesh_box_faces 17,16,14 -physics newtonian -stabiliser split_oss -bc_front_type symmetry -bc_back_type symmetry "
    + CHANNEL.format(",0", "gradient"),
]
BDF2 = "-scheme fractional_step -scheme_fractional_step_integrator bdf2 -form_density 3 -form_quadrature full -mesh_box_jitter 0.2 -initial_velocity {} -mesh_box_cell "
BDF2_2D = BDF2.format("0.1*y*(2-y)+0.03*x,0.05*x-0.02*y")
BDF2_3D = BDF2.format("0.1*y*(2-y)+0.03*x,0.05*x-0.02*y,0.02*z*x")
CARREAU = " ".join(parameters.words("carreau_yasuda")) + " -physics carreau_yasuda"
CARRIED = BDF2_2D + ("quadrilateral -mesh_box_faces 5,4 -scheme_fractional_step_dt 1e-2 -stabiliser split_oss -physics newtonian,passive -physics_newtonian_viscosity 0.3 "
                     "-physics_passive_diffusivity 0.03 -physics_passive_supply 0.2 -physics_passive_decay 0.4 -initial_concentration 1+x*y -form_source_concentration sin(5*t)*x "
                     "-bc_left_type wall -bc_right_type wall -bc_bottom_type wall -bc_top_type moving_wall -bc_top_velocity x*(1-x),0 -bc_top_concentration \"value 2+cos(4*t)\" "
                     "-bc_left_concentration \"flux 0.3*(1+y+t)\"")
CARRIES = ("-physics_passive_diffusivity 0.03 -physics_passive_supply 0.2 -physics_passive_decay 0.4 -initial_concentration 1+x*y -form_source_concentration sin(5*t)*x "
           "-bc_left_concentration \"value 1+y*sin(3*t)\" -bc_bottom_concentration \"flux 0.3*(1+t)\"")
MODES = " ".join(parameters.words("newtonian,giesekus", 2)) + " -physics newtonian,giesekus -physics_giesekus_modes 2 -stabiliser devss,split_oss -stabiliser_devss_theta 0.7"
TRANSPORT = MODES + " -scheme_fractional_step_polymer transport"
PULSE = "-bc_left_type inlet -bc_left_velocity 0.2*y*(2-y)*(1+9*t){} -bc_bottom_type wall -bc_top_type {} "
IMPLICIT = [
    BDF2_2D + "triangle -mesh_box_faces 6,5 -stabiliser split_oss -scheme_fractional_step_cfl 0.4 " + CARREAU + " -bc_right_type outlet -bc_right_pressure_at nodes -bc_right_pressure 3*t " + PULSE.format(",0", "symmetry"),
    BDF2_2D + "quadrilateral -mesh_box_faces 6,5 -scheme_fractional_step_dt 1e-2 -polymer_variable logconf " + MODES + " -bc_right_type outlet -bc_right_polymer open -bc_right_pressure_at traction " + PULSE.format(",0", "wall"),
    BDF2_2D + "mixed -mesh_box_faces 6,5 -scheme_fractional_step_dt 1e-2 -stabiliser split_oss " + CARREAU + " -assembly_residual colour -bc_right_type windkessel -bc_right_proximal 0.6 "
    "-bc_right_distal 3 -bc_right_compliance 0.2 -bc_right_initial_pressure 0.7 -initial_pressure 0.7 -form_axisymmetric "
    + PULSE.format(",0", "wall").replace("bottom_type wall", "bottom_type symmetry"),
    BDF2_3D + "tetrahedron -mesh_box_faces 4,3,3 -scheme_fractional_step_dt 0.1 -momentum_ksp_rtol 1e-8 -momentum_ksp_max_it 7 -scheme_fractional_step_subscales instant -device_deterministic -stabiliser split_oss "
    "-physics newtonian -physics_newtonian_viscosity 0.3 -bc_right_type outlet -bc_right_form symmetric -bc_front_type symmetry -bc_back_type wall " + PULSE.format(",0,0", "wall"),
    BDF2_3D + "hexahedron -mesh_box_faces 4,3,3 -scheme_fractional_step_dt 1e-2 -polymer_variable stress " + MODES + " -bc_left_type wall -bc_right_type wall -bc_bottom_type wall "
    "-bc_top_type moving_wall -bc_top_velocity x*(1-x),0,0 -bc_front_type symmetry -bc_back_type symmetry",
    CARRIED,
    BDF2_2D + "triangle -mesh_box_faces 6,5 -scheme_fractional_step_dt 1e-2 -polymer_variable logconf " + TRANSPORT + " -bc_right_type outlet " + PULSE.format(",0", "symmetry"),
    BDF2_2D + "mixed -mesh_box_faces 6,5 -scheme_fractional_step_cfl 0.4 -polymer_variable conformation -assembly_residual colour -transport_ksp_rtol 1e-8 " + TRANSPORT + " -bc_left_polymer_at nodes -bc_right_type outlet -form_axisymmetric "
    + PULSE.format(",0", "wall").replace("bottom_type wall", "bottom_type symmetry"),
    BDF2_3D + "tetrahedron -mesh_box_faces 4,3,3 -scheme_fractional_step_dt 1e-2 -polymer_variable stress -device_deterministic " + TRANSPORT + " -bc_right_type outlet -bc_front_type symmetry -bc_back_type wall " + PULSE.format(",0,0", "wall"),
    BDF2_3D + "hexahedron -mesh_box_faces 4,3,3 -scheme_fractional_step_dt 1e-2 -polymer_variable logconf " + TRANSPORT + " -bc_left_type wall -bc_right_type wall -bc_bottom_type wall "
    "-bc_top_type moving_wall -bc_top_velocity x*(1-x),0,0 -bc_front_type symmetry -bc_back_type symmetry",
]


def allowed(c):
    """Combinations that the flags of laws and stabilisers permit."""
    springs = c.get("law") in ("fene_p", "fene_cr")
    if springs and c.get("variable") == "stress":
        return False
    if c.get("stabiliser") == "gls" and (springs or c.get("variable") == "logconf"):
        return False
    if c.get("scheme", "").startswith("fractional_step") and c.get("pressure") == "dissipation":
        return False
    return c.get("law") != "none" or (c.get("variable", "stress") == "stress" and c.get("modes", "1") == "1")


def pairs(c):
    return {frozenset(p) for p in itertools.combinations(c.items(), 2)}


def cover(limit=60):
    """Greedy: every row takes as many open pairs as it can."""
    wanted = {frozenset([(a, x), (b, y)]) for a, b in itertools.combinations(NAMES, 2) for x in FACTORS[a] for y in FACTORS[b]
              if allowed({a: x, b: y})}
    rows = []
    while wanted and len(rows) < limit:
        row = dict(min(wanted, key=lambda p: sorted(map(str, p))))
        for name in NAMES:
            if name in row:
                continue
            best = None
            for i, value in enumerate(FACTORS[name]):
                trial = dict(row, **{name: value})
                if not allowed(trial):
                    continue
                gain = len(pairs(trial) & wanted)
                key = (gain, -((i + len(rows)) % len(FACTORS[name])))
                if best is None or key > best[0]:
                    best = (key, value)
            row[name] = best[1]
        wanted -= pairs(row)
        rows.append(row)
    return rows, wanted


def options(c):
    dim = 3 if c["cell"] in ("hexahedron", "tetrahedron") else 2
    laws = c["viscous"] + ("" if c["law"] == "none" else "," + c["law"])
    variant, stepper = c["scheme"].split()
    o = [f"-mesh_box_cell {c['cell']} -mesh_box_faces {'6,5' if dim == 2 else '4,3,3'} -physics {laws} -stabiliser {c['stabiliser']}",
         f"-polymer_variable {c['variable']} -assembly_residual {c['assembly']}"]
    if variant == "fractional_step":
        o.append(f"-scheme fractional_step -scheme_fractional_step_integrator {stepper} -scheme_fractional_step_dt 1e-3")
    else:
        o.append(f"-scheme_lumped_variant {variant} -scheme_lumped_stepper {stepper} -scheme_lumped_pressure {c['pressure']} -scheme_lumped_dt 1e-3")
    o += parameters.words(laws, int(c["modes"]))
    if c["law"] != "none":
        o.append(f"-physics_{c['law']}_modes {c['modes']}")
        if c["law"] == "oldroydb":
            o.append("-physics_oldroydb_lambda " + ("0.1" if c["modes"] == "1" else "0.1,0.3"))
    pressure = ",pressure" if c["pressure"] == "projection" else ""  # dissipation brings its own
    if c["stabiliser"] == "gls":
        o.append(f"-stabiliser_gls_parts momentum,divergence,tensor{pressure}")
    elif c["stabiliser"] == "gls,split_oss":
        o.append(f"-stabiliser_gls_parts tensor -stabiliser_split_oss_parts momentum{pressure}")
    else:
        o.append(f"-stabiliser_split_oss_parts momentum,tensor{pressure}")
    ramp = "-bc_left_ramp 0.5" if c["time"] == "ramp" else ""
    zero = ",0" * (dim - 1)
    if c["outlet"] == "closed":
        o.append(f"-bc_left_type wall -bc_right_type wall -bc_bottom_type moving_wall -bc_bottom_velocity \"0.2{zero}\"")
        if c["time"] == "formula":
            o.append(f"-form_body_force \"t+y{zero}\"")
    else:
        profile = "0.2*y*(2-y)" + ("*(1+t)" if c["time"] == "formula" else "")
        o.append(f"-bc_left_type inlet -bc_left_velocity \"{profile}{zero}\" {ramp} -bc_right_type outlet -bc_right_form {c['outlet']} "
                 f"-bc_right_velocity \"{profile}{zero}\" {ramp.replace('left', 'right')} "
                 "-bc_bottom_type wall")
    o.append(f"-bc_top_type {c['top']}")
    # sheared everywhere: at rest, laws with an infinite or large viscosity there amplify rounding errors
    o.append("-initial_velocity \"0.1*y*(2-y)+0.03*x,0.05*x-0.02*y" + (",0.02*z*x" if dim == 3 else "") + "\"")
    if dim == 3:
        o.append("-bc_front_type symmetry -bc_back_type symmetry")
    return " ".join(o)


def axisymmetric(k):
    """A tube: cell type, law, representation, stabiliser, scheme and outlet by turns."""
    law = parameters.POLYMERIC[k % 7]
    c = {"cell": ["quadrilateral", "triangle", "mixed"][k % 3], "viscous": ["newtonian", "carreau_yasuda"][k % 2], "law": law, "modes": str(1 + k % 2), "top": "wall",
         "variable": "logconf" if k % 4 > 1 else "conformation", "stabiliser": "devss,split_oss" if k % 4 > 1 or law in ("fene_p", "fene_cr") else FACTORS["stabiliser"][k % 3],
         "scheme": FACTORS["scheme"][k % 6], "pressure": "projection", "outlet": ["gradient", "symmetric"][k % 2], "time": "formula", "assembly": FACTORS["assembly"][k % 3]}
    velocity = "-initial_velocity \"0.1*y*(2-y)+0.03*x,0.05*x*y\""
    words = options(c).replace("-bc_bottom_type wall", "-bc_bottom_type symmetry").split(" -initial_velocity")[0]
    return f"{words} {velocity} -form_axisymmetric true -device_passes {'turns' if k == 3 else 'auto'} -bc_right_polymer {'open' if k == 5 else 'auto'}"


def centroids():
    """One point a simplex: laws, representations, stabilisers, sources, modes by turns, rows apart, implicit momentum, a scalar field with either way of convection."""
    base = {"viscous": "carreau_yasuda", "modes": "2", "pressure": "projection", "outlet": "gradient", "top": "symmetry", "time": "formula"}
    rows = [dict(base, cell="triangle", law="johnson_segalman", variable="conformation", stabiliser="devss,split_oss", scheme="default heun", assembly="owner"),
            dict(base, cell="tetrahedron", law="giesekus", variable="conformation", stabiliser="devss,split_oss", scheme="default euler", assembly="atomic"),
            dict(base, cell="mixed", law="ptt", variable="stress", stabiliser="gls", scheme="fractional_step ssp3", assembly="colour", modes="1", outlet="closed"),
            dict(base, cell="tetrahedron", law="none", variable="stress", stabiliser="gls,split_oss", scheme="fractional_step rk4", assembly="atomic", modes="1"),
            dict(base, cell="triangle", law="white_metzner", variable="conformation", stabiliser="gls,split_oss", scheme="ayyad euler", assembly="colour", modes="1")]
    lines = [options(row) for row in rows]
    for k, sources in enumerate(("0.3,0.2*x 0.1*x,0.2,x*y;0.3,0.1*y,0.2", "0.3,0.2*x,z 0.1*x,0.2,x*y,0.1,z,0.2;0.3,0.1*y,0.2,0,0.1*x,0.2*z")):
        velocity, stress = sources.split()
        lines[k] += f" -form_source_velocity {velocity} -form_source_stress {stress} -device_passes turns"
    lines.append(" ".join(parameters.words("newtonian,oldroydb")) + " -mesh_box_cell tetrahedron -mesh_box_faces 4,3,3 -scheme_lumped_stepper heun -scheme_lumped_dt 1e-3 -stabiliser crosswind,split_oss "
                 "-physics newtonian,oldroydb,passive -polymer_variable conformation -physics_passive_diffusivity 1e-3 -physics_passive_supply 0.2 -physics_passive_decay 0.4 -initial_concentration 1+x*y "
                 "-initial_velocity 0.1*y*(2-y),0,0 -bc_left_concentration \"value 1+y*sin(3*t)\" -bc_right_type outlet -bc_front_type wall -bc_back_type symmetry " + PULSE.format(",0,0", "wall"))
    return [f"{line} -mesh_box_jitter 0.2 -form_density 3 -form_quadrature centroid" for line in lines] + [f"{line} -form_quadrature centroid" for line in (IMPLICIT[0], IMPLICIT[3], CARRIED.replace("quadrilateral", "triangle"))]


def turns():
    """Modes by turns over cell types, laws, two of them in one form, representations, schemes and assembly, with one scalar field beside the flow and with two."""
    base = {"viscous": "carreau_yasuda", "modes": "2", "stabiliser": "devss,split_oss", "scheme": "default euler", "pressure": "projection", "outlet": "gradient",
            "top": "symmetry", "time": "formula", "assembly": "atomic"}
    rows = [dict(base, cell="quadrilateral", law="fene_p", variable="logconf", assembly="colour"), dict(base, cell="triangle", law="giesekus", variable="logconf", scheme="fractional_step heun"),
            dict(base, cell="mixed", law="johnson_segalman", variable="conformation", assembly="owner", outlet="closed"), dict(base, cell="hexahedron", law="ptt", variable="stress", scheme="default heun"),
            dict(base, cell="tetrahedron", law="white_metzner", variable="logconf", assembly="owner"), dict(base, cell="hexahedron", law="fene_cr", variable="logconf", modes="1"),
            dict(base, cell="tetrahedron", law="oldroydb", variable="stress", assembly="colour")]
    lines = [options(row) for row in rows]
    lines[3] = lines[3].replace(",ptt", ",ptt,giesekus") + " -physics_giesekus_modes 3 " + " ".join(parameters.words("giesekus", 1)).replace("0.9", "0.9,0.2,0.05")
    dye = "-physics_outside_dye_diffusivity 0.2 -physics_outside_dye_decay 1.3 -initial_dye 0.5+y -bc_left_dye \"value 0.5+y\""
    for k, fields, more in ((0, "passive", ""), (1, "passive,outside_dye", dye), (3, "passive", "-stabiliser crosswind,devss,split_oss -physics_passive_diffusivity 1e-3"), (5, "passive", ""),
                            (6, "outside_dye,passive", f"{dye} -form_scalar_convection conservative"), (4, "passive", "-form_quadrature centroid -polymer_variable conformation")):
        lines.append(f"{lines[k]} {CARRIES} {more}".replace(" -stabiliser", f",{fields} -stabiliser", 1).replace("split_oss_parts ", "split_oss_parts scalar,"))
    lines += [f"{IMPLICIT[k]} {CARRIES}{more}".replace("newtonian,giesekus", "newtonian,giesekus,passive", 1) for k, more in ((4, ""), (8, " -form_quadrature centroid"))]
    return [f"{line} -mesh_box_jitter 0.2 -form_density 3 -device_passes turns" for line in lines]


def felt():
    """A temperature that shifts the laws, drives the flow, is heated by it and cools through films: cell types, representations, schemes, assembly; an inlet whose developed stress it shifts."""
    warm = ("-physics_thermal_conductivity 0.3 -physics_thermal_heat_capacity 1.4 -physics_thermal_activation 4e4 -physics_thermal_expansion 0.01 "
            "-physics_thermal_gravity_y -4 -initial_temperature 300+5*x*y -bc_left_temperature \"value 303+2*y\" -bc_bottom_temperature \"flux 0.3*(1+t)\" -bc_top_temperature natural")
    base = {"viscous": "carreau_yasuda", "modes": "2", "stabiliser": "devss,split_oss", "scheme": "default heun", "pressure": "projection", "outlet": "gradient",
            "top": "symmetry", "time": "formula", "assembly": "atomic"}
    rows = [dict(base, cell="quadrilateral", law="ptt", variable="stress"), dict(base, cell="triangle", law="white_metzner", variable="logconf", scheme="fractional_step ssp3", assembly="owner"),
            dict(base, cell="tetrahedron", law="giesekus", variable="logconf", modes="1", assembly="colour"), dict(base, cell="hexahedron", law="oldroydb", variable="stress", modes="1")]
    lines = [options(row).replace(" -stabiliser", ",thermal -stabiliser", 1) for row in rows]
    lines += [IMPLICIT[k].replace("newtonian,giesekus", "newtonian,giesekus,thermal", 1).replace("-physics carreau_yasuda", "-physics carreau_yasuda,thermal") for k in (0, 1, 7, 8)]
    films = ["film 0.3*(1+t)*(1+x),310+y*t", "film 0.4*(1+x),310"]  # one that changes with time, and one whose step can be recorded
    return [f"{line} {warm}".replace("split_oss_parts ", "split_oss_parts scalar,").replace("flux 0.3*(1+t)", "flux 0.3*(1+t)" if "bottom_type symmetry" in line else films[k % 2]) + (" -bc_back_temperature natural -bc_front_temperature natural" if "hedron" in line else "")
            + (" -mesh_box_jitter 0.2 -form_density 3 -bc_right_polymer open" if k < 4 else "") for k, line in enumerate(lines)]


def run(lines, ranks, steps, rtol, device=None, fresh=True):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "list")
        with open(path, "w") as f:
            f.writelines(line + "\n" for line in lines)
        command = [os.environ["RHX_STEPS"], path, f"{steps} -pressure_ksp_rtol {rtol} -output_folder {folder}/out"]
        if ranks != "1":
            command = ["mpirun", "--oversubscribe", "-n", ranks, *command]
        emulated = {"RHEOPLEX_EMULATED_DEVICE": device} if device else {}
        cache = {"XDG_CACHE_HOME": folder} if fresh else {}
        return subprocess.run(command, env=dict(os.environ, **cache, **emulated)).returncode


def main():
    if sys.argv[2:] == ["levels"]:
        lines = [f"{line} | -pressure_pc_graph_mg_gather {rows}" for rows in (0, 30000) for line in LEVELS]
        return run(lines, sys.argv[1], "-stop_steps 3 -scheme_lumped_dt 1e-4", 1e-12)  # the host's solver reaches 1.2e-13 there
    if sys.argv[2:] == ["bdf2"]:
        return run(IMPLICIT, sys.argv[1], "-stop_steps 20", 1e-13, fresh=False)
    if sys.argv[2:] == ["centroid"]:
        return run(centroids(), sys.argv[1], "-stop_steps 6", 1e-13, fresh=False)
    if sys.argv[2:] == ["felt"]:
        return run(felt(), sys.argv[1], "-stop_steps 6", 1e-13, fresh=False)
    if sys.argv[2:] == ["turns"]:
        return run(turns(), sys.argv[1], "-stop_steps 6", 1e-13, fresh=False)
    if sys.argv[2:] == ["axisymmetric"]:
        return run([axisymmetric(k) for k in (0, 3, 5, 7)], sys.argv[1], "-stop_steps 10", 1e-13)
    rows, left = cover()
    rows = rows[::int(sys.argv[2]) if len(sys.argv) > 2 else 1]
    print(f"{len(rows)} combinations, {len(left)} pairs left out of the whole cover")
    if sys.argv[1] == "list":
        for row in rows:
            print(options(row))
        return 1 if left else 0
    codes = []
    for device in FACTORS.get("device", [None]):
        lines = [options(row) for row in rows if row.get("device") == device]
        codes.append(run(lines, sys.argv[1], "-stop_steps 20", 1e-13, device))
    return next((code for code in codes if code), 0)


if __name__ == "__main__":
    sys.exit(main())
