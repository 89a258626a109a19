/* How far the velocity at open labels is from what is about each node: discrete equations have states that alternate there. */
#include "boundary/rough.h"
#include "boundary/impl.h"
#include "space/face.h"
#include <math.h>

/* around[nlocal][dim + 1] += area of each face times (mean velocity of its nodes, 1). u: local velocities. */
static void add_means(const RhxFaces *faces, PetscInt dim, const PetscScalar *u, PetscScalar *around)
{
  for (PetscInt k = 0; k < faces->ngroups; k++) {
    const RhxFaceGroup *g = &faces->group[k];
    for (PetscInt f = 0; f < g->n; f++) {
      PetscReal x[3], n[3], area = 0, mean[3] = {0};
      for (PetscInt q = 0; q < g->nfq; q++) {
        RhxFacePoint(g, dim, f / RHX_LANES, q, f % RHX_LANES, x, n);
        area += g->w[q] * sqrt(n[0] * n[0] + n[1] * n[1] + (dim == 3 ? n[2] * n[2] : 0.0));
      }
      for (PetscInt a = 0; a < g->nfn; a++)
        for (PetscInt d = 0; d < dim; d++) mean[d] += u[RhxFaceParentNode(g, f, g->fnode[a]) * dim + d] / g->nfn;
      for (PetscInt a = 0; a < g->nfn; a++) {
        PetscScalar *sum = around + RhxFaceParentNode(g, f, g->fnode[a]) * (dim + 1);
        for (PetscInt d = 0; d < dim; d++) sum[d] += area * mean[d];
        sum[dim] += area;
      }
    }
  }
}

/* sums: of the nodes' differences from the mean about them and of their velocities, squared; nodes without a given velocity. Collective. */
static PetscErrorCode sum_label(RhxBoundary bc, const RhxCondition *c, const PetscScalar *u, PetscReal sums[3])
{
  const PetscInt dim = bc->space->dim;
  PetscScalar *around;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bc->space->nlocal * (dim + 1), &around));
  add_means(c->faces, dim, u, around);
  PetscCall(RhxSpaceReduce(bc->space, dim + 1, around));
  for (PetscInt d = 0; d < 3; d++) sums[d] = 0;
  for (PetscInt i = 0; i < c->faces->nnodes; i++) {
    const PetscInt node = c->faces->node[i];
    const PetscScalar *sum = around + node * (dim + 1);
    if (bc->role[node] & RHX_TYPE_VELOCITY) continue;
    for (PetscInt d = 0; d < dim; d++) {
      sums[0] += sum[dim] * PetscSqr(u[node * dim + d] - sum[d] / sum[dim]);
      sums[1] += sum[dim] * PetscSqr(u[node * dim + d]);
    }
    sums[2] += 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPIU_REAL, MPIU_SUM, bc->comm));
  PetscCall(PetscFree(around));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetRoughest(RhxBoundary bc, const PetscScalar *x, PetscReal *rough, const char **label)
{
  const PetscInt dim = bc->space->dim, bs = bc->space->bs, fewest = dim == 2 ? 4 : 16;
  const PetscInt start = RhxFieldsStart(bc->space->fields, RHX_GROUP_VELOCITY);
  PetscScalar *u;
  PetscReal sums[3];

  PetscFunctionBegin;
  *rough = 0;
  *label = NULL;
  PetscCall(PetscMalloc1(bc->space->nlocal * dim, &u));
  for (PetscInt i = 0; i < bc->space->nowned; i++)
    for (PetscInt d = 0; d < dim; d++) u[i * dim + d] = x[i * bs + start + d];
  PetscCall(RhxSpaceGlobalToLocal(bc->space, dim, u, u));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    if (!(bc->cond[i].gives & RHX_TYPE_OPEN)) continue;
    PetscCall(sum_label(bc, &bc->cond[i], u, sums));
    if (sums[2] < fewest || !(sums[0] > PetscSqr(*rough) * sums[1])) continue;
    *rough = sqrt(sums[0] / sums[1]);
    *label = bc->cond[i].label;
  }
  PetscCall(PetscFree(u));
  PetscFunctionReturn(PETSC_SUCCESS);
}
