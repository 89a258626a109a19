"""Scheme lumped with tracked subscales, in time: what flows in flows out while the inflow is raised and where it swings, though viscous cells make
subscales slow; with instant ones a run is told. lumped.py <np>"""
import sys

import numpy as np
import run
from gate import Gate, largest

RHO = 3.0
CHANNEL = {"case_name": "raised", "physics": "newtonian", "form_density": RHO, "stabiliser": "split_oss", "bc_left_type": "inlet", "bc_left_profile": "parabolic", "bc_left_ramp": 0.4, "bc_bottom_type": "wall", "bc_top_type": "wall",
           "scheme": "lumped", "scheme_lumped_subscales": "tracked", "scheme_lumped_dt": 0.004, "stop_time": 1.2, "diagnostic_rate_kind": "flux", "diagnostic_rate_label": "left,right", "output_fields": "false"}
PLANE = {**CHANNEL, "mesh_box_faces": "16,6", "mesh_box_upper": "4,1", "mesh_box_cell": "triangle", "mesh_box_jitter": 0.15}
SPACE = {**CHANNEL, "mesh_box_faces": "8,4,4", "mesh_box_upper": "3,1,1", "mesh_box_cell": "tetrahedron", "bc_left_profile": "developed", "bc_front_type": "wall", "bc_back_type": "wall"}
WINDKESSEL = {"bc_right_type": "windkessel", "bc_right_proximal": 0.7, "bc_right_distal": 5, "bc_right_compliance": 0.3}


def lost(name, np_, *parts):
    """Largest difference of outflow and inflow behind the first steps from rest, over the largest inflow."""
    words = {key: value for part in parts for key, value in part.items()}
    result = run.rheoplex("run", *(str(w) for key, value in words.items() for w in (f"-{key}", value)), out=run.folder(name), np=np_)
    t = result.table("_rate.csv")
    into, out = -np.array(t["left_flux"], float), np.array(t["right_flux"], float)
    return largest(abs(into - out)[10:]) / largest(abs(into))


def told(gate, np_):
    for what, more, tells in (("instant", {}, True), ("instant, a flow rate that swings", {"bc_left_flow_rate": "0.5+0.3*cos(2*pi*t/0.7)", "bc_left_ramp": 0, "stop_time": 1.2}, True), ("tracked", {"scheme_lumped_subscales": "tracked"}, False),
                              ("a long ramp", {"bc_left_ramp": 9}, False), ("to rest", {"stop_steady_tol": 1e-9}, False), ("by dissipation", {"scheme_lumped_pressure": "dissipation", "stabiliser": "none"}, False)):
        words = {**PLANE, "bc_right_type": "outlet", "bc_left_flow_rate": 0.8, "physics_newtonian_viscosity": 0.01, "scheme_lumped_subscales": "instant", "stop_time": 0.1, **more}
        result = run.rheoplex("run", *(str(w) for key, value in words.items() for w in (f"-{key}", value)), out=run.folder("lumped"), np=np_)
        text = " ".join((result.stdout + result.stderr).split())
        gate.true(f"{what}: {'told' if tells else 'not told'} of waves", text.count("the pressure of -scheme lumped swings with the period") == tells and ("or -scheme_lumped_subscales tracked" in text) == tells)


if __name__ == "__main__":
    processes = int(sys.argv[1])
    gate = Gate(f"scheme_lumped_np{processes}")
    for name, parts in (("triangles, an outlet", (PLANE, {"bc_right_type": "outlet", "bc_left_flow_rate": 0.8})), ("triangles, a Windkessel", (PLANE, WINDKESSEL, {"bc_left_flow_rate": 0.8})),
                        ("triangles, a flow rate that swings", (PLANE, WINDKESSEL, {"bc_left_flow_rate": "0.5+0.3*cos(2*pi*t/0.7)"})), ("tets, a Windkessel", (SPACE, WINDKESSEL, {"bc_left_flow_rate": 0.6})),
                        ("triangles, Heun", (PLANE, WINDKESSEL, {"bc_left_flow_rate": 0.8, "scheme_lumped_stepper": "heun"}))):
        gate.at_most(f"{name}: outflow less inflow over the largest inflow", lost("lumped", processes, *parts, {"physics_newtonian_viscosity": 0.01}), 0.03)
    told(gate, processes)
    sys.exit(gate.finish())
