/* A scalar field of which nothing in the linearised equations says how large it is where nothing flows: it has no value, film or decay, or does not
 * diffuse and has no equation at all. */
#include "petsc_compat.h"
#include "scheme/newton_impl.h"
#include <math.h>

#define HOLDS 1e-8 /* of what J makes of values that alternate */

/* v: 1 at all nodes where the field is free, or 1 and -1 in turn. */
static PetscErrorCode set_field(RhxEquations eq, const RhxField *f, PetscBool level, Vec v)
{
  const RhxSpace sp = eq->form->space;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecZeroEntries(v));
  PetscCall(VecGetArray(v, &a));
  for (PetscInt i = 0; i < sp->nowned; i++)
    if (!eq->given[i * sp->bs + f->offset]) a[(size_t)i * sp->bs + f->offset] = level || i % 2 ? 1.0 : -1.0;
  PetscCall(VecRestoreArray(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x without velocity and pressure, those that are given too: a field may be convected by what the pressure adds to the discrete continuity. */
static PetscErrorCode set_rest(RhxNewton nt, Vec x)
{
  const RhxSpace sp = nt->eq->form->space;
  const PetscInt u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY), end = RhxFieldsEnd(sp->fields, RHX_GROUP_VELOCITY),
                 p = RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE);
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecCopy(nt->x, x));
  PetscCall(VecGetArray(x, &a));
  for (PetscInt i = 0; i < sp->nowned; i++) {
    for (PetscInt c = u; c < end; c++) a[(size_t)i * sp->bs + c] = 0.0;
    a[(size_t)i * sp->bs + p] = 0.0;
  }
  PetscCall(VecRestoreArray(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNewtonFindLoose(RhxNewton nt, PetscBool rest, const RhxField **field)
{
  const RhxEquations eq = nt->eq;
  double norm[2];
  Vec v, r;
  PetscFunctionBegin;
  *field = NULL;
  if (!eq->form->nscalars) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(nt->x, &v));
  PetscCall(VecDuplicate(nt->x, &r));
  PetscCall(RhxNewtonSolved(nt)); /* products are exact */
  if (rest)
    PetscCall(set_rest(nt, v));
  else
    PetscCall(VecCopy(nt->x, v));
  PetscCall(RhxNewtonLinearise(nt, v, NULL, 0.0));
  for (PetscInt k = 0; k < eq->form->nscalars && !*field; k++) {
    const RhxField *f = RhxFieldsGet(eq->form->space->fields, RHX_GROUP_SCALARS, k);
    for (int level = 0; level < 2; level++) {
      PetscCall(set_field(eq, f, (PetscBool)level, v));
      PetscCall(MatMult(eq->J, v, r));
      PetscCall(VecNorm(r, NORM_2, &norm[level]));
    }
    if (isfinite(norm[0]) && norm[1] <= HOLDS * norm[0]) *field = f;
  }
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
