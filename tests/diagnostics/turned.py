"""Wall shear rates and stresses in space do not depend on the axes, nor on the ranks: blocks of a few hexahedra at rho 3, turned, where what a fit can determine is near its limit."""
import math
import sys

import numpy as np
import oblique
import run
from gate import Gate, largest

WALLS = ("bottom", "top", "front", "back")
FLOW = {"case_name": "turned", "device": "cpu", "form_density": 3, "physics": "newtonian,giesekus", "physics_newtonian_viscosity": 0.3, "physics_giesekus_modes": 2, "physics_giesekus_viscosity": "0.2,0.1",
        "physics_giesekus_lambda": "0.3,0.05", "physics_giesekus_alpha": 0.2, "polymer_variable": "logconf", "scheme": "lumped", "scheme_lumped_dt": 0.002, "stop_steps": 6, "pressure_ksp_rtol": 1e-12,
        "bc_left_type": "inlet", "bc_left_polymer": "rest", "bc_right_type": "outlet", "bc_right_polymer": "zero", "bc_bottom_type": "slip", "bc_bottom_friction": 1.3, "bc_top_type": "wall",
        "bc_front_type": "wall", "bc_back_type": "wall", "diagnostic_wall": ",".join(WALLS), "output_fields": "false"}


def flow(n, turn, np_=1):
    """Tables of the walls, their places and vectors turned back, in the order of the places."""
    y = "(" + "+".join(f"({float(turn[d, 1])!r})*{'xyz'[d]}" for d in range(3)) + ")"
    mesh = oblique.block(f"{run.folder('turned')}/block.msh", n, turn, 0.03)
    inlet = ",".join(f"({float(turn[d, 0])!r})*4*{y}*(1.3-{y})*(1+3*{y})" for d in range(3))
    words = [w for key, value in {**FLOW, "mesh_file": mesh, "bc_left_velocity": inlet}.items() for w in (f"-{key}", value)]
    done, found = run.rheoplex("run", *words, out=run.folder("turned"), np=np_, timeout=300), {}
    for label in WALLS:
        t = done.table(f"_wall_{label}.csv")
        x, wss = (np.stack([t[f"{name}{c}"] for c in "xyz"], axis=1) @ turn for name in ("", "wss_"))
        order = np.lexsort(np.round(x, 8).T + 0.0)
        found[label] = np.column_stack([t["shear_rate"], t["pressure"], wss])[order]
    return found


def couette(cells, *words):
    """Shear rates at both plates, 0.4 m apart, of which one moves at 1.3 m/s."""
    given = {"case_name": "couette", "mesh_box_faces": cells, "mesh_box_upper": "2,0.4" + (",1.5" if cells.count(",") > 1 else ""), "mesh_box_periodic": "x,z" if cells.count(",") > 1 else "x", "form_density": 3, "physics": "newtonian",
             "physics_newtonian_viscosity": 0.7, "scheme": "lumped", "scheme_lumped_dt": 0.002, "stop_steps": 2, "bc_bottom_type": "wall", "bc_top_type": "moving_wall", "bc_top_velocity": "1.3,0" + (",0" if cells.count(",") > 1 else ""), "diagnostic_wall": "bottom,top", "output_fields": "false"}
    done = run.rheoplex("run", *(w for key, value in given.items() for w in (f"-{key}", value)), *words, out=run.folder("couette"))
    return np.concatenate([done.table(f"_wall_{label}.csv")["shear_rate"] for label in ("bottom", "top")])


def main():
    gate = Gate("diagnostics_turned")
    for cells in ("6,1", "6,1,6"):
        found = couette(cells)
        gate.at_most(f"{cells} elements, one between plates, which determine no polynomial across: largest error of the shear rate", largest(abs(abs(v) - 3.25) for v in found) / 3.25, 1e-9)
    for n in (3, 4):
        straight = flow(n, np.eye(3))
        size = largest(np.abs(v[:, 0]).max() for v in straight.values())
        gate.at_least(f"{n}^3: largest shear rate", size, 1)
        for turn, ranks in ((oblique.tilt(0.85, -0.94), 1), (oblique.tilt(-1.6, -0.81), 1), (oblique.tilt(1.22, 0.52), 3)):
            found = flow(n, turn, ranks)
            for k, what in ((slice(0, 1), "shear rate"), (slice(1, 2), "pressure"), (slice(2, 5), "shear stress")):
                apart = largest(np.abs(found[label][:, k] - straight[label][:, k]).max() for label in WALLS)
                gate.at_most(f"{n}^3 turned by {math.degrees(math.acos((np.trace(turn) - 1) / 2)):.0f} degrees, {ranks} ranks: {what}", apart / largest(np.abs(v[:, k]).max() for v in straight.values()), 1e-8)
    return gate.finish()


sys.exit(main())
