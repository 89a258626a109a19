/* What checkpoints keep besides the fields: the states of conditions and of the scheme, under names. */
#include "case/impl.h"

PetscErrorCode RhxCaseCollectNumbers_Private(RhxCase rc)
{
  RhxNumbers *numbers;
  PetscInt n, count, own;
  double *values;
  PetscBool tacit;
  char name[256];

  PetscFunctionBegin;
  for (count = 0, n = 1; n; count += n > 0) PetscCall(RhxBoundaryGetState(rc->bc, count, name, &n, &values, &tacit));
  PetscCall(RhxSchemeGetNumbers(rc->ts, name, &own, &values));
  PetscCall(PetscCalloc1(count + 1, &numbers));
  for (PetscInt i = 0; i < count; i++)
    PetscCall(RhxBoundaryGetState(rc->bc, i, numbers[i].name, &numbers[i].n, &numbers[i].values, &numbers[i].tacit));
  if (own) {
    PetscCall(PetscStrncpy(numbers[count].name, name, sizeof(numbers[count].name)));
    numbers[count].n = own;
    numbers[count].values = values;
    count++;
  }
  rc->nnumbers = count;
  rc->numbers = numbers;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseKeepNumbers_Private(RhxCase rc, int slot)
{
  RhxNumbers *kept = rc->kept[slot];

  PetscFunctionBegin;
  if (!kept) {
    PetscCall(PetscMalloc1(rc->nnumbers, &kept));
    for (PetscInt i = 0; i < rc->nnumbers; i++) {
      kept[i] = rc->numbers[i];
      PetscCall(PetscMalloc1(kept[i].n, &kept[i].values));
    }
    rc->kept[slot] = kept;
  }
  for (PetscInt i = 0; i < rc->nnumbers; i++)
    PetscCall(PetscArraycpy(kept[i].values, rc->numbers[i].values, kept[i].n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseSayNew_Private(RhxCase rc, const char *lacking)
{
  PetscFunctionBegin;
  if (lacking[0])
    PetscCall(PetscPrintf(rc->comm,
                          "%s lacks the fields %s: they begin with their initial values (-restart_missing_fields)\n",
                          rc->option.restart, lacking));
  for (PetscInt i = 0; i < rc->nnumbers; i++)
    if (!rc->numbers[i].found && !rc->numbers[i].tacit)
      PetscCall(PetscPrintf(rc->comm, "%s has no %s: it begins anew\n", rc->option.restart, rc->numbers[i].name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseDestroyNumbers_Private(RhxCase rc)
{
  PetscFunctionBegin;
  for (int slot = 0; slot < RHX_KEPT_STATES; slot++) {
    for (PetscInt i = 0; rc->kept[slot] && i < rc->nnumbers; i++) PetscCall(PetscFree(rc->kept[slot][i].values));
    PetscCall(PetscFree(rc->kept[slot]));
  }
  PetscCall(PetscFree(rc->numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}
