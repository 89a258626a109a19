/* Ramps and formulas in t: values at several times, also back in time; what does not depend on time is not evaluated. */
#include "common.h"
#include <math.h>

static double ramp_value(double t, double ramp)
{
  return t <= 0 ? 0 : t >= ramp ? 1 : 0.5 * (1 - cos(M_PI * t / ramp));
}

int main(int argc, char **argv)
{
  const double times[] = {0, 0.5, 1, 0.5, 2, 3, 1.5};
  Setup s;

  PetscCall(test_begin(&argc, &argv));
  PetscCall(setup_create(
      "-mesh_box_lower 0,-1 -mesh_box_upper 3,1 -mesh_box_faces 3,8 -bc_left_type inlet -bc_left_velocity 3*(1-y^2),0 "
      "-bc_left_ramp 2 -bc_bottom_type wall -bc_top_type moving_wall -bc_top_velocity 1+t,0 -bc_right_type outlet "
      "-bc_right_velocity 3*(1-y^2),0 -bc_right_pressure 10*t -physics newtonian,oldroydb -physics_oldroydb_viscosity "
      "0.5 "
      "-physics_oldroydb_lambda 2",
      NULL, &s));
  PetscCall(RhxBoundarySetUp(s.bc));
  for (size_t k = 0; k < sizeof(times) / sizeof(times[0]); k++) {
    double t = times[k], r = ramp_value(t, 2);
    PetscCall(impose(&s, t));
    for (PetscInt i = 0; i < s.space->nowned; i++) {
      const PetscReal *x = s.space->x + 2 * i;
      const PetscScalar *v = s.x + i * s.space->bs;
      double g = -6 * x[1] * r;
      if (x[0] == 0) {
        expect(near(v[3], 2 * g * g, 1e-8) && near(v[5], 0.5 * g, 1e-9),
               "stress at t = %g, y = %g is %g, %g; expected %g, %g", t, x[1], v[3], v[5], 2 * g * g, 0.5 * g);
        if (x[1] != 1) expect(near(v[0], 3 * (1 - x[1] * x[1]) * r, 1e-12), "u at t = %g, y = %g is %g", t, x[1], v[0]);
      }
      if (x[1] == 1) expect(v[0] == 1 + t, "lid velocity at t = %g is %g", t, v[0]);
      if (x[0] == 3) expect(v[2] == 10 * t, "outlet pressure at t = %g is %g", t, v[2]);
    }
  }
  PetscCall(setup_destroy(&s));
  return test_end();
}
