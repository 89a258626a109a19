#include "diagnostics/gradient_impl.h"
#include "petsc_compat.h"

PetscErrorCode RhxGradientAdd(RhxSpace space, PetscInt first, PetscInt n, PetscScalar *local, Vec v)
{
  PetscScalar *to;

  PetscFunctionBegin;
  PetscCall(RhxSpaceReduce(space, n, local));
  PetscCall(VecGetArray(v, &to));
  for (PetscInt i = 0; i < space->nowned; i++)
    for (PetscInt c = 0; c < n; c++) to[i * space->bs + first + c] += local[i * n + c];
  PetscCall(VecRestoreArray(v, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}
