"""Products with the Jacobian of Newton's schemes, and with the matrix that preconditions, against differences of the residual. jacobian.py <program scheme_jacobian> <cpu|cuda> <what>
  oblique  rows of velocity and modes that turn at planes oblique to the axes, in the plane and in space; ranks
  slip     tractions that follow the velocity, by friction and by a formula of the stress, along the axes and oblique to them, in the plane, in space, axisymmetric; ranks
  felt     a temperature that shifts the laws and drives the flow; ranks
  driven   a force that keeps a mean velocity is an unknown; ranks
  periodic, moving, rotating, traction, pressure, resistance  a side of this condition: each law in each of its unknowns, by turns at the conditions and with the stabilisers
  every    each law in each of its unknowns with each stabiliser on each cell type, at all conditions of a box together
  stokes   creeping flow: the matrix is symmetric, but for the sign of continuity, where columns of what is given are eliminated; ranks
All of them with these columns and without, on a device where no rows turn."""
import math
import os
import re
import subprocess
import sys

import laws
import mshwrite
import oblique
import run
from gate import Gate, largest

FREE = {**oblique.POLYMER, "bc_top_type": "free_slip"}
PLANES = {**oblique.POLYMER, "bc_top_type": "symmetry", "physics_oldroydb_modes": 2, "physics_oldroydb_viscosity": "0.4,0.2", "physics_oldroydb_lambda": "0.25,0.1"}

REPRESENTED = [(law, variable) for law in laws.POLYMERIC for variable in ("stress", "conformation", "logconf") if not (law.startswith("fene") and variable == "stress")]
VISCOUS = [(law, None) for law in laws.FIRST if law not in laws.POLYMERIC]
STABILISERS = {"gls": {"stabiliser": "gls"}, "devss and split_oss": {"stabiliser": "devss,split_oss"}, "split_oss": {"stabiliser": "split_oss"},
               "gls for tensors": {"stabiliser": "split_oss,gls", "stabiliser_split_oss_parts": "pressure", "stabiliser_gls_parts": "tensor,divergence"}}
BOX = {"mesh_box_faces": "6,4", "mesh_box_upper": "1.6,0.7", "mesh_box_jitter": 0.1, "bc_left_velocity": "y*(0.7-y),0", "bc_left_polymer": "rest", "bc_top_type": "wall"}
CLOSED = {"bc_left_type": None, "bc_right_type": None, "bc_left_velocity": None, "bc_left_polymer": None}
GIVEN = {"bc_left_type": "outlet", "bc_left_pressure": "0.3*cos(y)", "bc_left_velocity": None, "bc_left_polymer": None}
SIDES = {
    "periodic": {**CLOSED, "mesh_box_periodic": "x", "form_body_force": "0.4*y,0.3*x", "bc_top_type": "outlet"},
    "moving": {"bc_top_type": "moving_wall", "bc_top_velocity": "0.3*x,0"},
    "rotating": CLOSED,  # in a ring
    "traction": {"bc_right_traction": "0.2*y,0.3", "bc_right_backflow": 0.7, "bc_right_form": "symmetric", "bc_right_polymer": "zero"},
    "pressure": {**GIVEN, "bc_left_pressure_at": "nodes"},
    "resistance": {"bc_right_type": "resistance", "bc_right_pressure_by_flux": "0.3+q+0.4*q^2"},
}
TOGETHER = {**SIDES["pressure"], **SIDES["moving"], **SIDES["traction"], "scheme": "monolithic", "scheme_monolithic_dt": 1e-3, "stop_steps": 1}  # a step: there need be no steady flow
SPACE = {"mesh_box_faces": "2,2,2", "mesh_box_upper": "0.7,0.6,0.5", "bc_front_type": "free_slip", "bc_back_type": "wall", "bc_top_velocity": "0.3*x,0,0.1", "bc_right_traction": "0.2*y,0.3,0.1"}


def rheology(law, variable=None):
    """Options of a law; of a polymer beside a solvent."""
    words = laws.words(f"newtonian,{law}" if variable else law)
    return {"physics": f"newtonian,{law}" if variable else law, "polymer_variable": variable, **{key[1:]: value for key, value in zip(words[::2], words[1::2])}}


def stabilisers(law, variable):
    """Of STABILISERS those that this unknown has."""
    return [name for name in STABILISERS if (variable != "logconf" and not law.startswith("fene") or name != "gls") and (variable or "devss" not in name)]


def ring():
    place = lambda i, j: ((0.5 + 0.1 * i) * math.cos(math.pi * j / 6), (0.5 + 0.1 * i) * math.sin(math.pi * j / 6))
    return {"mesh_file": mshwrite.annulus(f"{run.folder('jacobian')}/ring.msh", 3, 12, place), "bc_inner_type": "rotating_wall", "bc_inner_angular_velocity": 0.4, "bc_outer_type": "outlet",
            "bc_bottom_type": None}


def turned_block():
    """A block of 2^3 cells in space between planes and a free surface."""
    T = oblique.tilt()
    y = "(" + "+".join(f"({float(T[d, 1])!r})*{'xyz'[d]}" for d in range(3)) + ")"
    return {"mesh_file": oblique.block(f"{run.folder('jacobian')}/block.msh", 2, T), "bc_top_type": "free_slip", "bc_front_type": "symmetry", "bc_back_type": "free_slip",
            "bc_left_velocity": ",".join(f"({float(T[d, 0])!r})*{y}*(2-{y})" for d in range(3))}


def cases(what):
    """Name, options, ranks."""
    if what == "oblique":
        channel = oblique.turned(0.5)
        return [("free slip, gls", {**FREE, **channel, "stabiliser": "gls"}, 1), ("planes, devss and split_oss", {**PLANES, **channel, "stabiliser": "devss,split_oss"}, 2),
                ("block", {**oblique.POLYMER, **turned_block(), "stabiliser": "gls"}, 1)]
    if what == "slip":
        slip = {"bc_top_type": "slip", "bc_top_friction": 1.3, "bc_bottom_type": "slip", "bc_bottom_slip_by_stress": "0.05*tau*(1+0.3*tau^2)"}
        channel = {"mesh_box_faces": "6,4", "mesh_box_upper": "1.6,0.7", "mesh_box_cell": "mixed", "mesh_box_jitter": 0.1, "bc_left_velocity": "y*(1.5-y),0", "stabiliser": "gls"}
        swept = {"form_axisymmetric": "true", "bc_bottom_type": "symmetry", "bc_bottom_slip_by_stress": None}
        return [("channel", {**oblique.POLYMER, **channel, **slip}, 1), ("channel", {**oblique.POLYMER, **channel, **slip}, 3), ("oblique channel", {**oblique.POLYMER, **oblique.turned(0.5), **slip, "stabiliser": "gls"}, 2),
                ("devss and split_oss", {**oblique.POLYMER, **channel, **slip, "stabiliser": "devss,split_oss"}, 1), ("pipe", {**oblique.NEWTONIAN, **channel, **slip, **swept}, 1),
                ("block", {**oblique.NEWTONIAN, **turned_block(), **slip, "bc_bottom_type": "wall", "bc_bottom_slip_by_stress": None, "bc_back_type": "slip", "bc_back_slip_by_stress": slip["bc_bottom_slip_by_stress"], "stabiliser": "gls"}, 1)]
    if what == "driven":
        wave = lambda i, j: (1.2 * i / 6, 0.7 * j / 5 * (1 + 0.2 * math.sin(2 * math.pi * i / 6)))
        mesh = {"mesh_file": mshwrite.channel(f"{run.folder('jacobian')}/wavy.msh", 6, 5, wave), "mesh_periodic": "left,right"}
        mean = {"bc_left_type": None, "bc_right_type": None, "bc_left_polymer": None, "bc_right_polymer": None, "bc_top_type": "wall", "form_mean_velocity": 0.9, "form_body_force": "sin(5*x),0.3"}
        box = {"mesh_box_faces": "3,3,3", "mesh_box_upper": "0.4,0.6,0.7", "mesh_box_periodic": "x,y", "form_mean_direction": "3,4,0", "form_body_force": "1,2*x*(0.4-x),0", "bc_bottom_type": None, "bc_top_type": None,
               "bc_front_type": "wall", "bc_back_type": "wall"}
        return [("wavy, gls", {**oblique.NEWTONIAN, **mesh, **mean, "stabiliser": "gls"}, 1), ("wavy, devss and split_oss", {**oblique.POLYMER, **mesh, **mean, "stabiliser": "devss,split_oss"}, 2),
                ("space", {**oblique.NEWTONIAN, **mean, **box, "stabiliser": "gls"}, 1)]
    if what == "felt":
        warm = {"physics": "newtonian,thermal", "physics_thermal_conductivity": 0.3, "physics_thermal_heat_capacity": 1.4, "physics_thermal_wlf_1": 3.86, "physics_thermal_activation": 4e4, "physics_thermal_expansion": 0.01,
                "physics_thermal_gravity_x": -3, "physics_thermal_gravity_y": -4, "initial_temperature": "300+5*sin(3*x)*y", "bc_left_temperature": "value 303+2*y", "bc_bottom_temperature": "flux 0.3",
                "bc_top_type": "wall", "bc_top_temperature": "film 0.4+x, 305+y"}
        melt = {**oblique.POLYMER, **warm, "physics": "newtonian,ptt,thermal", "physics_oldroydb_viscosity": None, "physics_oldroydb_lambda": None, "physics_ptt_viscosity": 0.4, "physics_ptt_lambda": 0.25,
                "physics_ptt_epsilon": 0.2, "bc_left_polymer": None, "bc_right_polymer": "open"}
        channel = {"mesh_box_faces": "6,4", "mesh_box_upper": "1.6,0.7", "mesh_box_cell": "mixed", "mesh_box_jitter": 0.1, "bc_left_velocity": "y*(0.7-y),0"}
        return [("channel, gls", {**melt, **channel, "stabiliser": "gls"}, 1), ("channel, devss and split_oss", {**melt, **channel, "stabiliser": "devss,split_oss"}, 3),
                ("log c", {**melt, **channel, "polymer_variable": "logconf", "stabiliser": "devss,split_oss"}, 1),
                ("pipe", {**oblique.NEWTONIAN, **channel, **warm, "form_axisymmetric": "true", "bc_bottom_type": "symmetry", "bc_bottom_temperature": None, "stabiliser": "gls"}, 1),
                ("block", {**oblique.NEWTONIAN, **turned_block(), **warm, "bc_back_type": "wall", "bc_back_temperature": "value 297", "bc_front_type": "symmetry", "stabiliser": "gls"}, 2)]
    if what == "stokes":
        creeping = {**oblique.NEWTONIAN, "form_convection": "false", "stabiliser": "gls"}
        box = {"mesh_box_faces": "6,4", "mesh_box_upper": "1.6,0.7", "mesh_box_cell": "mixed", "mesh_box_jitter": 0.1, "bc_left_velocity": "y*(1.5-y),0", "bc_top_type": "wall"}
        return [("channel", {**creeping, **box}, np_) for np_ in (1, 3)] + [("free slip", {**creeping, **oblique.turned(0.5), "bc_top_type": "free_slip"}, np_) for np_ in (1, 2)]
    if what in SIDES:
        mesh = ring() if what == "rotating" else {**BOX, "mesh_box_cell": "mixed"}
        rows = [(law, variable, stabilisers(law, variable)[0], 1 + k // 3 % 2) for k, (law, variable) in enumerate(REPRESENTED) if k % len(SIDES) == list(SIDES).index(what)]
        return [(f"{law}, {variable}, {name}", {**mesh, **SIDES[what], **rheology(law, variable), **STABILISERS[name]}, np_) for law, variable, name, np_ in rows]
    if what == "every":
        return [(f"{law}, {variable}, {name}, {cell}", {**BOX, **TOGETHER, **(SPACE if cell in ("tetrahedron", "hexahedron") else {}), "mesh_box_cell": cell, **rheology(law, variable), **STABILISERS[name]}, 1)
                for law, variable in VISCOUS + REPRESENTED for name in stabilisers(law, variable) for cell in ("triangle", "quadrilateral", "mixed", "tetrahedron", "hexahedron")]
    raise SystemExit(f"no case {what}")


def main(program, device, what):
    gate = Gate(f"scheme_jacobian_{what}_{device}")
    worst = {}
    for name, changes, np_ in cases(what)[1::3] if (what, device) == ("felt", "cuda") else cases(what):
        words = [str(w) for key, value in {**oblique.BASE, "scheme": "steady", "ksp_rtol": 1e-8, **changes, "device": device}.items() if value is not None for w in (f"-{key}", value)]
        command = ([os.environ["RHEOPLEX_MPIEXEC"], "-n", str(np_)] if np_ > 1 else []) + [program, *words, "-output_folder", run.folder("jacobian"), "-malloc_dump"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        told = done.stdout + done.stderr
        good, off = done.returncode == 0 and "[0]" not in told and ("on the host", "on a device")[device == "cuda"] in told, [float(x) for x in re.findall("from differences: (\\S+)", told)]
        turns, alone = "mesh_file" in changes and what not in ("driven", "rotating"), "oss" in changes["stabiliser"] or what in ("driven", "resistance")
        expected = (2 if alone else 4) * (1 if device == "cuda" and turns else 2)
        if what == "every":
            worst.setdefault(changes["physics"], []).append(largest(off) if good and len(off) == expected else math.inf)
            print("" if good else told, f"{name}: {worst[changes['physics']][-1]:.1e}")
            continue
        print("\n".join(x for x in told.splitlines() if re.match(r"[JP]\b.*differences|.*asymmetry", x) or done.returncode))
        gate.true(f"{name}, np {np_}: products", good)
        gate.at_least(f"{name}: products that were compared", len(off), expected)
        if what == "stokes":
            rows, eliminated = (float(re.search(rf"{kind}: asymmetry (\S+)", told)[1]) for kind in ("rows", "columns eliminated"))
            gate.at_least(f"{name}, np {np_}: asymmetry of the matrix with columns of what is given", rows, 0.01)
            gate.at_most(f"{name}, np {np_}: and without them", eliminated, 1e-14)
    for law, off in worst.items():
        gate.at_most(f"{law}, {len(off)} of unknown, stabiliser and cell type: products from differences", largest(off), 1e-9)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
