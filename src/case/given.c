/* Where conditions give all that flows in and out there is no flow inside unless both are the same. */
#include "case/impl.h"
#include "diagnostics/diagnostics.h"

#define CONFLICT 0.1 /* of what flows in, beyond what interpolation on a mesh explains: an error */

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

PetscErrorCode RhxCaseCheckGiven_Private(RhxCase rc, double now, double t)
{
  const char *inlet;
  double out, in, scale;
  PetscScalar *own;
  PetscBool all;
  Vec x;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetOnlyGiven(rc->bc, &inlet));
  if (!inlet) PetscFunctionReturn(PETSC_SUCCESS);
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
