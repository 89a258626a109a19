"""Who gives u_theta: a rotating wall, the third formula of a velocity (moving wall, inlet; raised by its ramp) and -bc_<label>_swirl are the
same, in time too, on 1 and 2 ranks and after a restart; the values are those of the formulas."""
import sys

import numpy as np
import run
from gate import Gate

CASE = {"case_name": "turning", "form_axisymmetric": "true", "mesh_box_upper": "1.5,0.7", "mesh_box_faces": "6,5", "physics": "newtonian,swirling",
        "physics_newtonian_viscosity": 0.05, "form_density": 3, "stabiliser": "split_oss", "bc_bottom_type": "symmetry", "bc_top_type": "wall", "scheme": "lumped",
        "scheme_lumped_stepper": "heun", "scheme_lumped_dt": 0.01, "stop_steps": 12, "output_fields": "default", "pressure_ksp_rtol": 1e-13}
SPIN, RAMP = "0.7*(1+2*t)", "(1-cos(pi*min(t,0.08)/0.08))/2"


def case(np_=1, **changes):
    words = [w for key, value in {**CASE, **changes}.items() if value is not None for w in (f"-{key}", value)]
    return run.rheoplex("run", *words, out=run.folder("axisymmetric"), np=np_, timeout=60)


def lid(gate):
    """A lid that turns with 0.7 (1 + 2 t) rad/s; the corner is the wall's."""
    turn = {"initial_swirl": 0.2, "bc_left_type": "wall", "bc_right_type": "rotating_wall", "bc_right_angular_velocity": SPIN}
    done = case(**turn)
    one, got = done.checkpoint(), done.fields()
    at = (got.points[:, 0] > 1.5 - 1e-9) & (got.points[:, 1] < 0.7 - 1e-9)
    gate.at_most("lid: u_theta less w r", float(np.abs(got["swirl"][at] - 0.7 * 1.24 * got.points[at, 1]).max()), 1e-15)
    gate.at_most("lid: u_theta on the axis, where it began with 0.2", float(np.abs(got["swirl"][got.points[:, 1] < 1e-9]).max()), 0)
    gate.at_least("lid: largest |u|, which it drives", float(np.abs(got["velocity"][:, :2]).max()), 1e-3)
    for name, velocity, swirl in (("two formulas and -bc_right_swirl", "0,0", f"value {SPIN}*y"), ("three formulas", f"0,0,{SPIN}*y", None)):
        other = case(initial_swirl=0.2, bc_left_type="wall", bc_right_type="moving_wall", bc_right_velocity=velocity, bc_right_swirl=swirl).checkpoint()
        gate.at_most(f"lid: rotating wall less moving wall by {name}", float(np.abs(other - one).max()), 1e-14)
    gate.at_most("lid: np 2", float(np.abs(case(2, **turn).checkpoint() - one).max()), 1e-10)
    half = case(**{**turn, "stop_steps": 5})
    gate.at_most("lid: restart", float(np.abs(case(**turn, case_restart=half.file("_checkpoint.h5")).checkpoint() - one).max()), 0)


def inlet(gate):
    """Swirling flow into a tube, raised over 0.08 s."""
    outlet = {"bc_left_type": "inlet", "bc_right_type": "outlet", "bc_left_ramp": 0.08}
    third = case(**outlet, bc_left_velocity="1-y^2/0.49,0,(2*y-3*y^2)*(1+t)").checkpoint()
    other = case(**outlet, bc_left_velocity="1-y^2/0.49,0", bc_left_swirl=f"value (2*y-3*y^2)*(1+t)*{RAMP}").checkpoint()
    gate.at_least("inlet: largest u_theta", float(np.abs(third[:, -1]).max()), 0.3)
    gate.at_most("inlet: third formula less -bc_left_swirl", float(np.abs(third - other).max()), 1e-14)


def main():
    gate = Gate("axisymmetric_turning")
    lid(gate)
    inlet(gate)
    return gate.finish()


sys.exit(main())
