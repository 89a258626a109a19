#include "petsc_compat.h"
#include "scheme/roughness_impl.h"
#include "space/colour.h"
#include <math.h>

#define LEAST 1e-3 /* size of a field over that of the largest, in their units: others are what rounding leaves */

/* around[nlocal][bs + 1] += (mean over the nodes of each element, 1) */
static void add_means(RhxSpace sp, const PetscScalar *v, PetscScalar *around)
{
  const PetscInt bs = sp->bs;
  for (PetscInt t = 0; t < sp->ntypes; t++) {
    const RhxCells *ce = &sp->cells[t];
    for (PetscInt e = 0; e < ce->n; e++)
      for (PetscInt c = 0; c <= bs; c++) {
        PetscScalar mean = 0.0;
        for (PetscInt a = 0; a < ce->nn; a++)
          mean += (c < bs ? v[(size_t)RhxCellsNode(ce, e, a) * bs + c] : 1.0) / (double)ce->nn;
        for (PetscInt a = 0; a < ce->nn; a++) around[(size_t)RhxCellsNode(ce, e, a) * (bs + 1) + c] += mean;
      }
  }
}

/* Beside a boundary elements are about a node on one side alone. */
static PetscErrorCode find_inner(RhxSpace sp, PetscBool **inner)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sp->nowned, inner));
  for (PetscInt i = 0; i < sp->nowned; i++) (*inner)[i] = PETSC_TRUE;
  for (PetscInt l = 0; l < sp->nlabels; l++)
    for (PetscInt k = 0; k < sp->faces[l].nnodes; k++) (*inner)[sp->faces[l].node[k]] = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sums[nfields][2]: of squares of what is between nodes, and of all. */
static PetscErrorCode add_part(RhxSpace sp, const PetscBool *inner, Vec v, double (*sums)[2])
{
  const PetscInt bs = sp->bs;
  const PetscScalar *a;
  PetscScalar *local, *around;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)sp->nlocal * bs, &local));
  PetscCall(PetscCalloc1((size_t)sp->nlocal * (bs + 1), &around));
  PetscCall(VecGetArrayRead(v, &a));
  PetscCall(RhxSpaceGlobalToLocal(sp, bs, a, local));
  PetscCall(VecRestoreArrayRead(v, &a));
  add_means(sp, local, around);
  PetscCall(RhxSpaceReduce(sp, bs + 1, around));
  for (PetscInt f = 0; f < sp->nfields; f++)
    for (PetscInt i = 0; i < sp->nowned; i++)
      for (PetscInt c = sp->field[f].offset; inner[i] && c < sp->field[f].offset + sp->field[f].components; c++) {
        const PetscScalar *mean = around + (size_t)i * (bs + 1), value = local[(size_t)i * bs + c];
        sums[f][0] += sp->mass[i] * PetscSqr(value - mean[c] / mean[bs]);
        sums[f][1] += sp->mass[i] * PetscSqr(value);
      }
  PetscCall(PetscFree(around));
  PetscCall(PetscFree(local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has it a mass? */
static PetscBool takes_part(RhxSpace sp, PetscInt f)
{
  const PetscInt at = sp->field[f].offset;
  return (PetscBool)(at < RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE) ||
                     at >= RhxFieldsEnd(sp->fields, RHX_GROUP_PRESSURE));
}

PetscErrorCode RhxRoughness(RhxScaling scaling, RhxForm form, Vec re, Vec im, double *roughness)
{
  const RhxSpace sp = form->space;
  double(*sums)[2], most = 0.0;
  PetscBool *inner;
  PetscFunctionBegin;
  *roughness = 0.0;
  PetscCall(PetscCalloc1(sp->nfields, &sums));
  PetscCall(find_inner(sp, &inner));
  PetscCall(add_part(sp, inner, re, sums));
  PetscCall(add_part(sp, inner, im, sums));
  PetscCall(PetscFree(inner));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2 * (PetscMPIInt)sp->nfields, MPI_DOUBLE, MPI_SUM, sp->comm));
  for (PetscInt f = 0; f < sp->nfields; f++) {
    const double square = PetscSqr(RhxScalingUnit(scaling, sp->field[f].offset));
    for (int k = 0; k < 2; k++) sums[f][k] = takes_part(sp, f) ? sums[f][k] / square : 0.0;
    most = PetscMax(most, sums[f][1]);
  }
  for (PetscInt f = 0; f < sp->nfields; f++)
    if (!(sums[f][1] <= PetscSqr(LEAST) * most) && !(sqrt(sums[f][0] / sums[f][1]) <= *roughness))
      *roughness = sqrt(sums[f][0] / sums[f][1]);
  PetscCall(PetscFree(sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}
