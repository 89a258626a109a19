#include "diagnostics/diagnostics.h"
#include "petsc_compat.h"

/* The least value is kept as what it is, the greatest with its sign turned, so that one reduction finds both. */
PetscErrorCode RhxNodalExtremes(RhxSpace space, PetscInt stride, const PetscScalar *x, double value[2],
                                double place[2][3])
{
  struct {
    double value;
    int rank;
  } all[2];
  double at[2][3] = {{0}};
  PetscInt where[2] = {-1, -1};
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(space->comm, &rank));
  for (int k = 0; k < 2; k++) {
    all[k].value = PETSC_INFINITY;
    all[k].rank = rank;
    for (PetscInt i = 0; i < space->nowned; i++) {
      const double v = (k ? -1 : 1) * x[(size_t)i * stride];
      if (!(v < all[k].value)) continue;
      all[k].value = v;
      where[k] = i;
    }
    for (PetscInt d = 0; where[k] >= 0 && d < space->dim; d++) at[k][d] = space->x[where[k] * space->dim + d];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE_INT, MPI_MINLOC, space->comm));
  for (int k = 0; k < 2; k++) PetscCallMPI(MPI_Bcast(at[k], 3, MPI_DOUBLE, all[k].rank, space->comm));
  for (int k = 0; k < 2; k++) {
    value[k] = (k ? -1 : 1) * all[k].value;
    for (int d = 0; d < 3; d++) place[k][d] = at[k][d];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
