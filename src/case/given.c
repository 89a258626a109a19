/* Where conditions give all that flows in and out there is no flow inside unless both are the same. */
#include "boundary/pierced.h"
#include "case/impl.h"
#include "diagnostics/diagnostics.h"

#define CONFLICT 0.1 /* of what flows in, beyond what interpolation on a mesh explains: an error */
#define THROUGH 1e-3 /* of the speed of walls over the boundary: what is less is of coordinates that are rounded */

PetscErrorCode RhxCaseCheckGivenFlow_Private(RhxCase rc, double t, double error)
{
  const char *label;
  char got[64];

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetOnlyGiven(rc->bc, &label));
  if (!label || PetscAbsReal(error) <= CONFLICT) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(got, sizeof(got), "%.3g %% at t = %g", 100 * error, t);
  SETERRQ(rc->comm, PETSC_ERR_USER_INPUT,
          "-bc_%s_type inlet: got no outlet and conditions whose outflow differs from their inflow by %s, expected as "
          "much to flow out as in (-bc_<label>_flow_rate), or an outlet",
          label, got);
}

/* Walls alone, whose velocity at t makes a flow through them. */
static PetscErrorCode check_walls(RhxCase rc, double t)
{
  const int power = rc->space->dim == 3 || rc->space->axisymmetric ? 3 : 2;
  char type[64], got[128];
  RhxThrough most;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetThrough(rc->bc, t, &most));
  if (!most.label || !(fabs(most.total) > PetscMax(CONFLICT * most.size, THROUGH * most.scale)))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCaseTypeOf_Private(most.label, sizeof(type), type));
  snprintf(got, sizeof(got), "a flow of %.3g m^%d/s %s the domain through it, %.3g with all labels, at t = %g",
           fabs(most.rate), power, most.rate > 0 ? "out of" : "into", fabs(most.total), t);
  SETERRQ(rc->comm, PETSC_ERR_USER_INPUT,
          "-bc_%s_type %s: got %s, and no outlet, so that there is no flow inside: expected a velocity along the wall, "
          "as much through other labels, or an outlet",
          most.label, type, got);
}

PetscErrorCode RhxCaseCheckGiven_Private(RhxCase rc, double now, double t)
{
  const char *inlet;
  double out, in, scale;
  PetscScalar *own;
  PetscBool all;
  Vec x;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetOnlyGiven(rc->bc, &inlet));
  if (!inlet) {
    PetscCall(check_walls(rc, t));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecDuplicate(rc->x, &x));
  PetscCall(VecGetArrayWrite(x, &own));
  PetscCall(RhxBoundaryGiveAll(rc->bc, now, t, own, &all));
  PetscCall(VecRestoreArrayWrite(x, &own));
  if (all) {
    PetscCall(RhxFluxes(rc->form, x, &out, &in, &scale));
    PetscCall(RhxCaseCheckGivenFlow_Private(rc, t, RhxMassErrorOfFluxes(out, in, scale)));
  }
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
