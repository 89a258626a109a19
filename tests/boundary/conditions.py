"""Every condition on 1, 2 and 3 ranks, after a restart, on host and device: the same states. conditions.py [cuda | name of a row]

Rows are small and few steps long, on cells that are no squares, density 3; each explicit scheme takes its turn. That the flow of a row changes
while it is watched is seen first. Ranks have cells in the order of the mesh: other partitions leave labels whole."""
import math
import sys

import mshwrite
import numpy as np
import run
import space
from gate import Gate

HERE = run.folder("conditions")
TURN = 0.5
NEWTONIAN = {"physics": "newtonian", "physics_newtonian_viscosity": 0.05, "stabiliser": "split_oss"}
PTT = {"physics": "newtonian,ptt", "physics_newtonian_viscosity": 0.1, "physics_ptt_viscosity": 0.8, "physics_ptt_lambda": 0.3, "physics_ptt_epsilon": 0.25, "stabiliser": "devss,split_oss",
       "polymer_variable": "stress"}
GIESEKUS = {"physics": "newtonian,giesekus", "physics_newtonian_viscosity": 0.1, "physics_giesekus_modes": 2, "physics_giesekus_viscosity": "0.5,0.3", "physics_giesekus_lambda": "0.4,0.1",
            "physics_giesekus_alpha": "0.2,0.35", "stabiliser": "devss,split_oss", "polymer_variable": "stress"}
LUMPED = {"scheme": "lumped", "scheme_lumped_dt": 2e-3, "pressure_ksp_rtol": 1e-13}
HEUN = {**LUMPED, "scheme_lumped_stepper": "heun"}
SSP3 = {"scheme": "fractional_step", "scheme_fractional_step_integrator": "ssp3", "scheme_fractional_step_dt": 2e-3, "pressure_ksp_rtol": 1e-13}
BDF2 = {**SSP3, "scheme_fractional_step_integrator": "bdf2", "momentum_ksp_rtol": 1e-13}
CHANNEL = {"mesh_box_upper": "1.1,0.7", "mesh_box_faces": "6,6", "mesh_box_cell": "mixed", "mesh_box_jitter": 0.2, "bc_left_type": "inlet", "bc_right_type": "outlet",
           "bc_bottom_type": "wall", "bc_top_type": "wall"}
DUCT = {**CHANNEL, "mesh_box_cell": "hexahedron", "mesh_box_upper": "0.9,0.7,0.5", "mesh_box_faces": "3,4,4", "bc_front_type": "wall", "bc_back_type": "wall"}


def table(name, rows, header):
    path = f"{HERE}/{name}.csv"
    with open(path, "w") as f:
        f.write(header + "\n" + "".join(",".join(repr(float(v)) for v in row) + "\n" for row in rows))
    return path


def turned(name, nx=5, ny=6):
    """A channel that leans, its ends along the walls' normal."""
    c, s = math.cos(TURN), math.sin(TURN)
    place = lambda i, j: (c * 0.18 * i - s * 0.7 * (j / ny) ** 1.2, s * 0.18 * i + c * 0.7 * (j / ny) ** 1.2)
    return {"mesh_file": mshwrite.channel(f"{HERE}/{name}.msh", nx, ny, place), "mesh_box_upper": None, "mesh_box_faces": None, "mesh_box_cell": None, "mesh_box_jitter": None}


def ring(nr=4, nt=18):
    """Cells one radius after the other, so that ranks cut both circles."""
    points = [(0.2 + (0.5 + 0.1 * i) * math.cos(2 * math.pi * j / nt), 0.1 + (0.5 + 0.1 * i) * math.sin(2 * math.pi * j / nt)) for j in range(nt) for i in range(nr + 1)]
    number = lambda i, j: j % nt * (nr + 1) + i
    cells = [(number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)) for j in range(nt) for i in range(nr)]
    circle = lambda i: [(number(i, j), number(i, j + 1)) for j in range(nt)]
    return {"mesh_file": mshwrite.write(f"{HERE}/ring.msh", points, cells, {"inner": circle(0), "outer": circle(nr)})}


def rows():
    pulse = table("pulse", [(0.02 * k / 12, 0.4 + 0.3 * math.sin(math.pi * k / 6)) for k in range(12)] + [(0.02, 0.4)], "time,value")
    points = table("points", [(0, y, 4 * y * (0.7 - y) + 0.3 * y * math.sin(9 * y), 0.1 * y * (0.7 - y)) for y in np.linspace(0, 0.7, 9)], "x,y,u,v")
    spread = table("spread", [(0, y, z, 4 * y * (0.7 - y) * z * (0.5 - z), 0, 0) for y in np.linspace(0, 0.7, 8) for z in np.linspace(0, 0.5, 8)], "x,y,z,u,v,w")
    tube = {"mesh_file": f"{run.MESHES}/tube_bulge.msh", "bc_inlet_type": "inlet", "bc_outlet_type": "outlet", "bc_wall_type": "wall"}
    c, s = math.cos(TURN), math.sin(TURN)
    return {
        "flow_rate_ptt": {**CHANNEL, **PTT, **LUMPED, "bc_left_flow_rate": "0.4*(1+30*t)"},
        "flow_rate_giesekus": {**CHANNEL, **GIESEKUS, **HEUN, "bc_left_flow_rate": "0.4*(1+30*t)", "bc_right_form": "symmetric"},
        "flow_rate_duct": {**DUCT, **PTT, **LUMPED, "bc_left_flow_rate": "0.4*(1+30*t)"},
        "inflow": {**CHANNEL, **GIESEKUS, **SSP3, "bc_left_velocity": "4*y*(0.7-y)*(1+30*t),0.1*y", "bc_left_polymer": "rest", "bc_left_polymer_at": "flux", "bc_top_type": "symmetry"},
        "developed_outlet": {**CHANNEL, **PTT, **LUMPED, "bc_left_flow_rate": "0.4", "bc_left_ramp": 0.05, "bc_right_profile": "developed",
                             "bc_right_flow_rate": "0.4", "bc_right_polymer": "developed"},
        "womersley": {**CHANNEL, **NEWTONIAN, **BDF2, "bc_left_profile": "womersley", "bc_left_flow_rate": "0.5+0.4*sin(50*pi*t)", "bc_left_period": 0.04},
        "waveform": {**CHANNEL, **NEWTONIAN, **SSP3, "bc_left_profile": "parabolic", "bc_left_flow_rate": pulse},
        "profile_of_points": {**CHANNEL, **PTT, **LUMPED, "bc_left_profile_file": points},
        "backflow": {**CHANNEL, **NEWTONIAN, **LUMPED, "initial_velocity": "-1,0", "bc_left_velocity": "-1-20*t*y,0", "bc_right_backflow": 0.7, "bc_top_type": "symmetry", "bc_bottom_type": "symmetry"},
        "traction": {**CHANNEL, **NEWTONIAN, **HEUN, "bc_left_velocity": "6*y*(0.7-y),0", "bc_right_traction": "0.2+5*t,0.4*y"},
        "mean_pressure": {**CHANNEL, **PTT, **LUMPED, "bc_left_type": "outlet", "bc_left_pressure": "9+y+200*t", "bc_right_pressure": "0.2"},
        "resistance": {**CHANNEL, **NEWTONIAN, **LUMPED, "bc_left_velocity": "6*y*(0.7-y)*(1+30*t),0", "bc_right_type": "resistance", "bc_right_pressure_by_flux": "0.3+0.7*q+2*q*abs(q)"},
        "windkessel": {**CHANNEL, **NEWTONIAN, **SSP3, "bc_left_velocity": "6*y*(0.7-y)*(1+30*t),0", "bc_right_type": "windkessel", "bc_right_proximal": 0.6, "bc_right_distal": 3,
                       "bc_right_compliance": 0.02, "bc_right_initial_pressure": 0.4},
        "slip": {**CHANNEL, **PTT, **LUMPED, "scheme_lumped_dt": 5e-4, "bc_left_velocity": "1+y*(0.7-y),0", "bc_bottom_type": "slip", "bc_bottom_friction": 3.5},
        "slip_by_stress": {**CHANNEL, **PTT, **LUMPED, **turned("slip"), "scheme_lumped_dt": 5e-4, "bc_left_velocity": f"{c!r},{s!r}", "bc_top_type": "slip",
                           "bc_top_slip_by_stress": "0.05*tau*(1+0.3*tau^2)"},
        "symmetry": {**CHANNEL, **NEWTONIAN, **LUMPED, **turned("symmetry"), "bc_left_flow_rate": "0.4*(1+30*t)", "bc_top_type": "symmetry"},
        "rotating_wall": {**NEWTONIAN, **LUMPED, **ring(), "bc_inner_type": "rotating_wall", "bc_inner_angular_velocity": "2+30*t", "bc_inner_axis_point": "0.2,0.1", "bc_outer_type": "slip",
                          "bc_outer_friction": 1.7},
        "rotating_wall_in_space": {**NEWTONIAN, **SSP3, **space.inside(space.oblique()[:, 2]), "mesh_file": space.tube(HERE, 3, 16, space.oblique()), "mesh_periodic": "low,high",
                                   "bc_inner_angular_velocity": "2+30*t", "bc_outer_type": "slip", "bc_outer_friction": 1.7},
        "periodic_in_space": {**DUCT, **GIESEKUS, **BDF2, "bc_left_type": None, "bc_right_type": None, "mesh_box_cell": "tetrahedron", "mesh_periodic": "left,right", "bc_top_type": "slip", "bc_top_friction": 3.5,
                              "bc_back_type": "symmetry", "form_body_force": "60+2000*t,0,9*sin(7*x)"},
        "mean_velocity": {**CHANNEL, **PTT, **LUMPED, **turned("periodic"), "mesh_periodic": "left,right", "bc_left_type": None, "bc_right_type": None, "form_mean_velocity": "0.9+20*t",
                          "form_mean_direction": f"{c!r},{s!r}"},
        "free_slip": {**NEWTONIAN, **LUMPED, **ring(), "bc_inner_type": "wall", "bc_outer_type": "free_slip", "initial_velocity": "0.1-y,x-0.2", "form_body_force": "0.3*y,0"},
        "swirl": {**CHANNEL, **PTT, **HEUN, "form_axisymmetric": "true", "physics": "newtonian,ptt,swirling", "bc_left_velocity": "1-(y/0.7)^2,0,y*(0.7-y)*(1+30*t)", "bc_left_polymer": "rest", "bc_bottom_type": "symmetry",
                  "bc_top_type": "rotating_wall", "bc_top_angular_velocity": "0.8*(1+t)"},
        "pressure_by_rows": {**CHANNEL, **NEWTONIAN, **BDF2, "bc_left_type": "outlet", "bc_left_pressure": 30, "bc_right_pressure": pulse},
        "rotating_by_rows": {**NEWTONIAN, **SSP3, **ring(), "bc_inner_type": "rotating_wall", "bc_inner_angular_velocity": pulse, "bc_inner_axis_point": "0.2,0.1", "bc_outer_type": "wall"},
        "windkessel_bdf2": {**CHANNEL, **NEWTONIAN, **BDF2, "bc_left_velocity": "6*y*(0.7-y)*(1+30*t),0", "bc_right_type": "windkessel", "bc_right_proximal": 0.6, "bc_right_distal": 3,
                            "bc_right_compliance": 0.02, "bc_right_initial_pressure": 0.4},
        "windkessel_in_space": {**DUCT, **PTT, **HEUN, "bc_left_flow_rate": "0.4*(1+30*t)", "bc_right_type": "windkessel", "bc_right_proximal": 0.6, "bc_right_distal": 3, "bc_right_compliance": 0.02},
        "resistance_bdf2": {**CHANNEL, **NEWTONIAN, **BDF2, "bc_left_velocity": "6*y*(0.7-y)*(1+30*t),0", "bc_right_type": "resistance", "bc_right_pressure_by_flux": "0.3+9*t+0.7*q+2*q*abs(q)"},
        "womersley_tube": {**tube, **NEWTONIAN, **BDF2, "bc_inlet_profile": "womersley", "bc_inlet_flow_rate": "0.5+0.4*sin(50*pi*t)", "bc_inlet_period": 0.04},
        "womersley_duct": {**DUCT, **NEWTONIAN, **SSP3, "bc_left_profile": "womersley", "bc_left_flow_rate": "0.5+0.4*sin(50*pi*t)", "bc_left_period": 0.04},
        "womersley_of_a_polymer": {**CHANNEL, **GIESEKUS, **SSP3, "physics_giesekus_alpha": 0, "bc_left_profile": "womersley", "bc_left_flow_rate": "0.5+0.4*sin(50*pi*t)", "bc_left_period": 0.04},
        "points_in_space": {**DUCT, **NEWTONIAN, **BDF2, "bc_left_profile_file": spread, "bc_left_flow_rate": pulse},
        "arriving_in_space": {**DUCT, **PTT, **SSP3, "bc_left_flow_rate": "0.4*(1+30*t)", "bc_right_polymer": "developed"},
        "mean_velocity_by_rows": {**CHANNEL, **NEWTONIAN, **BDF2, "mesh_box_cell": "quadrilateral", "mesh_box_jitter": 0, "mesh_periodic": "left,right", "bc_left_type": None, "bc_right_type": None,
                                  "form_mean_velocity": pulse},
        "inlet_with_pressure": {**CHANNEL, **NEWTONIAN, **SSP3, "bc_left_profile": "parabolic", "bc_left_flow_rate": "0.4*(1+30*t)", "bc_left_pressure": "3+99*t", "bc_right_type": "inlet",
                                "bc_right_profile": "parabolic", "bc_right_flow_rate": " -0.4*(1+30*t)"},
        "swirl_in_the_flux": {**CHANNEL, **PTT, **SSP3, "form_axisymmetric": "true", "physics": "newtonian,ptt,swirling", "bc_left_velocity": "(1-(y/0.7)^2)*(1+30*t),0", "bc_left_polymer": "rest",
                              "bc_left_swirl": "value y*(0.7-y)*(1+30*t)", "bc_bottom_type": "symmetry", "bc_top_swirl": "value 0.7*t", "bc_right_swirl": "flux 0.1*t"},
        "slip_in_space": {**DUCT, **NEWTONIAN, **LUMPED, "bc_left_velocity": "1+30*t,0,0", "bc_top_type": "slip", "bc_top_friction": 1.7, "bc_front_type": "slip", "bc_front_friction": 0.9},
        "zero_polymer": {**CHANNEL, **PTT, **LUMPED, "bc_left_flow_rate": "0.4*(1+30*t)", "bc_right_polymer": "zero"},
    }


def case(row, device="cpu", np_=1, steps=8, **more):
    words = {"case_name": "condition", "form_density": 3, "output_fields": "false", **row, "stop_steps": steps, "output_checkpoint_every": 4, "petscpartitioner_type": "simple" if np_ > 1 else None, **more}
    return run.rheoplex("run", *(w for key, value in words.items() if value is not None for w in (f"-{key}", value)), "-device", device, out=run.folder("conditions"), np=np_, timeout=300)


def apart(one, other):
    """Largest difference of two states over the largest value of the field, or 1."""
    return float((np.abs(other - one) / np.maximum(1, np.abs(one).max(axis=0))).max())


def main(which="cpu"):
    device = "cuda" if which == "cuda" else "cpu"
    gate = Gate(f"boundary_conditions_{device}")
    for name, row in rows().items():
        if which not in ("cpu", "cuda", name):
            continue
        whole = case(row).checkpoint()
        if device == "cuda":
            gate.at_most(f"{name}: device", apart(whole, case(row, "cuda").checkpoint()), 1e-10)
            continue
        half = case(row, steps=4)
        gate.at_least(f"{name}: change of the velocity", float(np.abs(half.checkpoint()[:, :2] - whole[:, :2]).max()), 1e-3)
        rest = case(row, case_restart=half.file("_checkpoint.h5"))
        gate.near(f"{name}: first step after a restart", rest.table("_history.csv")["step"][0], 5, 0)
        gate.at_most(f"{name}: restart", apart(whole, rest.checkpoint()), 1e-12)
        for np_ in (2, 3):
            gate.at_most(f"{name}: np {np_}", apart(whole, case(row, np_=np_).checkpoint()), 1e-10)
    return gate.finish()


sys.exit(main(*sys.argv[1:]))
