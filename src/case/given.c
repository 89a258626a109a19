/* Where conditions give all that flows in and out there is no flow inside unless both are the same. */
#include "case/impl.h"
#include "diagnostics/diagnostics.h"

#define CONFLICT 0.1 /* of what flows in, beyond what interpolation on a mesh explains: an error */
#define WALLS 1e-2   /* of the speed over faces: what passes walls that slide and are bent, as the mesh has them */

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

/* The label with the largest flow to one side. Collective. */
static PetscErrorCode find_leak(RhxCase rc, Vec x, const char **label, double *flux)
{
  const RhxSpace space = rc->space;
  const PetscScalar *own;
  PetscScalar *local;
  double one;

  PetscFunctionBegin;
  *flux = 0;
  PetscCall(PetscMalloc1((size_t)space->nlocal * space->bs, &local));
  PetscCall(VecGetArrayRead(x, &own));
  PetscCall(RhxSpaceGlobalToLocal(space, space->bs, own, local));
  PetscCall(VecRestoreArrayRead(x, &own));
  for (PetscInt k = 0; k < space->nlabels; k++) {
    PetscCall(RhxFlux(rc->form, space->faces[k].label, local, &one));
    if (!(PetscAbsReal(one) > PetscAbsReal(*flux))) continue;
    *flux = one;
    *label = space->faces[k].label;
  }
  PetscCall(PetscFree(local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Walls through which more is sucked than blown. */
static PetscErrorCode check_walls(RhxCase rc, double t, Vec x, double out, double in, double scale)
{
  const char *label = "";
  double flux;
  char got[96];

  PetscFunctionBegin;
  if (!(PetscAbsReal(out - in) > CONFLICT * (out + in) && out + in > WALLS * scale)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_leak(rc, x, &label, &flux));
  snprintf(got, sizeof(got), "%.3g m^%d/s more %s at t = %g", PetscAbsReal(out - in),
           rc->space->dim == 3 || rc->space->axisymmetric ? 3 : 2, out > in ? "out than in" : "in than out", t);
  SETERRQ(rc->comm, PETSC_ERR_USER_INPUT,
          "-bc_%s_velocity: got no outlet and walls that let %s, expected as much to flow in as out, or an outlet",
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
  PetscCall(VecDuplicate(rc->x, &x));
  PetscCall(VecGetArrayWrite(x, &own));
  PetscCall(RhxBoundaryGiveAll(rc->bc, now, t, own, &all));
  PetscCall(VecRestoreArrayWrite(x, &own));
  if (all) {
    PetscCall(RhxFluxes(rc->form, x, &out, &in, &scale));
    PetscCall(RhxBoundaryGetOnlyGiven(rc->bc, &inlet));
    if (inlet)
      PetscCall(RhxCaseCheckGivenFlow_Private(rc, t, RhxMassErrorOfFluxes(out, in, scale)));
    else
      PetscCall(check_walls(rc, t, x, out, in, scale));
  }
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
