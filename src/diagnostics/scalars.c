#include "diagnostics/diagnostics.h"
#include "petsc_compat.h"

PetscErrorCode RhxScalarCheck(RhxForm form, PetscInt k, Vec x, RhxScalarHealth *health)
{
  const RhxSpace space = form->space;
  const RhxField *f = RhxFieldsGet(space->fields, RHX_GROUP_SCALARS, k);
  const PetscScalar *values;
  double value[2], at[2][3];

  PetscFunctionBegin;
  *health = (RhxScalarHealth){0};
  PetscCall(VecGetArrayRead(x, &values));
  PetscCall(RhxNodalExtremes(space, space->bs, values + f->offset, value, at));
  health->least = value[0];
  health->greatest = value[1];
  for (int d = 0; d < 3; d++) {
    health->least_at[d] = at[0][d];
    health->greatest_at[d] = at[1][d];
  }
  for (PetscInt i = 0; i < space->nowned; i++) {
    const double v = values[(size_t)i * space->bs + f->offset];
    if (!(v >= f->lower && v <= f->upper)) health->nbad++;
  }
  PetscCall(VecRestoreArrayRead(x, &values));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &health->nbad, 1, MPIU_INT, MPI_SUM, space->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
