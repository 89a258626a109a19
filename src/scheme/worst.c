/* Which field keeps Newton's method from its end, and where. */
#include "petsc_compat.h"
#include "scheme/newton_impl.h"
#include <math.h>

#define ROUNDED 1e-8 /* of the fastest field: residuals that are rounding */

/* Of a field, by nt->f. Collective. */
static PetscErrorCode worst_of(RhxNewton nt, const RhxField *field, RhxNewtonWorst *worst)
{
  const RhxSpace sp = nt->eq->form->space;
  struct {
    double value;
    int rank;
  } mine = {-1.0, 0}, all;
  const PetscScalar *f;
  PetscInt at = 0;
  PetscMPIInt rank;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(nt->eq->form->comm, &rank));
  mine.rank = rank;
  PetscCall(VecGetArrayRead(nt->f, &f));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = field->offset; c < field->offset + field->components; c++) {
      double v = PetscAbsScalar(f[(size_t)i * sp->bs + c]) / sp->mass[i];
      if (isnan(v)) v = INFINITY; /* PETSc's is a number */
      if (v <= mine.value) continue;
      mine.value = v;
      at = i;
    }
  PetscCall(VecRestoreArrayRead(nt->f, &f));
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, nt->eq->form->comm));
  worst->value = all.value;
  for (PetscInt d = 0; d < 3; d++) worst->x[d] = rank == all.rank && d < sp->dim ? sp->x[at * sp->dim + d] : 0.0;
  PetscCallMPI(MPI_Bcast(worst->x, 3, MPI_DOUBLE, all.rank, nt->eq->form->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest residuals of nt->f by fields. */
PetscErrorCode RhxNewtonNoteFirst(RhxNewton nt)
{
  const RhxSpace sp = nt->eq->form->space;
  PetscFunctionBegin;
  for (PetscInt k = 0; k < sp->nfields; k++) {
    RhxNewtonWorst worst;
    PetscCall(worst_of(nt, &sp->field[k], &worst));
    nt->first[k] = worst.value;
    nt->most[k] = PetscMax(nt->most[k], worst.value);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A residual over the mass of its node as a rate of the field, 1/s. */
static double rate_of(RhxNewton nt, const RhxField *f, double value)
{
  if (f->group == RHX_GROUP_PRESSURE) return value;
  return value / RhxScalingUnit(nt->scaling, f->offset) / (f->group == RHX_GROUP_VELOCITY ? f->mass : 1.0);
}

double RhxNewtonGetFirstRate(RhxNewton nt)
{
  const RhxSpace sp = nt->eq->form->space;
  double rate = 0.0;
  for (PetscInt k = 0; k < sp->nfields; k++)
    if (sp->field[k].group == RHX_GROUP_VELOCITY) rate = rate_of(nt, &sp->field[k], nt->first[k]);
  return rate;
}

/* The field whose residual has fallen the least of the largest it had, and where; what is rounding beside others' is none. */
PetscErrorCode RhxNewtonFindWorst(RhxNewton nt, const RhxField **field, RhxNewtonWorst *worst, size_t size, char *all)
{
  const RhxSpace sp = nt->eq->form->space;
  double most = -1.0, fastest = 0.0;
  size_t used = 0;
  RhxNewtonWorst w;
  PetscFunctionBegin;
  *field = sp->field;
  all[0] = '\0';
  for (PetscInt k = 0; k < sp->nfields; k++) {
    PetscCall(worst_of(nt, &sp->field[k], &w));
    fastest = PetscMax(fastest, rate_of(nt, &sp->field[k], w.value));
  }
  for (PetscInt k = 0; k < sp->nfields; k++) {
    double share;
    PetscCall(worst_of(nt, &sp->field[k], &w));
    share = nt->most[k] > 0.0 ? w.value / nt->most[k] : 0.0;
    if (rate_of(nt, &sp->field[k], w.value) < ROUNDED * fastest) share = 0.0;
    if (used < size)
      used += (size_t)snprintf(all + used, size - used, "%s%s %.3g of %.3g", k ? ", " : "", sp->field[k].name, w.value,
                               nt->first[k]);
    if (share <= most) continue;
    most = share;
    *field = &sp->field[k];
    *worst = w;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
