/* How far the velocity at open labels is from what is about each node: discrete equations have states that alternate there. */
#include "boundary/rough.h"
#include "boundary/impl.h"
#include "space/face.h"
#include <math.h>

/* around[nlocal][dim + 1] += area of each face times (mean velocity of its nodes, 1); those with a given velocity are no part of it: a wall
 * that moves is no neighbour of a flow that has not felt it. u[nlocal][dim + 1]: velocity, 1 where it is not given. */
static void add_means(const RhxFaces *faces, PetscInt dim, const PetscScalar *u, PetscScalar *around)
{
  for (PetscInt k = 0; k < faces->ngroups; k++) {
    const RhxFaceGroup *g = &faces->group[k];
    for (PetscInt f = 0; f < g->n; f++) {
      PetscReal x[3], n[3], area = 0, mean[4] = {0};
      for (PetscInt q = 0; q < g->nfq; q++) {
        RhxFacePoint(g, dim, f / RHX_LANES, q, f % RHX_LANES, x, n);
        area += g->w[q] * sqrt(n[0] * n[0] + n[1] * n[1] + (dim == 3 ? n[2] * n[2] : 0.0));
      }
      for (PetscInt a = 0; a < g->nfn; a++) {
        const PetscScalar *v = u + RhxFaceParentNode(g, f, g->fnode[a]) * (dim + 1);
        for (PetscInt d = 0; d <= dim; d++) mean[d] += v[dim] * v[d];
      }
      for (PetscInt a = 0; a < g->nfn && mean[dim] > 0; a++) {
        PetscScalar *sum = around + RhxFaceParentNode(g, f, g->fnode[a]) * (dim + 1);
        for (PetscInt d = 0; d <= dim; d++) sum[d] += area * mean[d] / mean[dim];
      }
    }
  }
}

/* Over nodes without a given velocity, by the areas about them: */
enum { DIFFERENCE, SIZE, AREA, NODES, NSUMS }; /* of the mean about them, squared; velocity, squared; 1; how many */

/* Collective. */
static PetscErrorCode sum_label(RhxBoundary bc, const RhxCondition *c, const PetscScalar *u, PetscReal sums[NSUMS])
{
  const PetscInt dim = bc->space->dim;
  PetscScalar *around;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bc->space->nlocal * (dim + 1), &around));
  add_means(c->faces, dim, u, around);
  PetscCall(RhxSpaceReduce(bc->space, dim + 1, around));
  PetscCall(PetscArrayzero(sums, NSUMS));
  for (PetscInt i = 0; i < c->faces->nnodes; i++) {
    const PetscScalar *sum = around + c->faces->node[i] * (dim + 1), *v = u + c->faces->node[i] * (dim + 1);
    if (!(v[dim] > 0)) continue;
    for (PetscInt d = 0; d < dim; d++) {
      sums[DIFFERENCE] += sum[dim] * PetscSqr(v[d] - sum[d] / sum[dim]);
      sums[SIZE] += sum[dim] * PetscSqr(v[d]);
    }
    sums[AREA] += sum[dim];
    sums[NODES] += 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, NSUMS, MPIU_REAL, MPIU_SUM, bc->comm));
  PetscCall(PetscFree(around));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u[nlocal][dim + 1] of add_means. */
static PetscErrorCode take_velocity(RhxBoundary bc, const PetscScalar *x, PetscScalar *u)
{
  const PetscInt dim = bc->space->dim, start = RhxFieldsStart(bc->space->fields, RHX_GROUP_VELOCITY);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->space->nowned; i++) {
    for (PetscInt d = 0; d < dim; d++) u[i * (dim + 1) + d] = x[i * bc->space->bs + start + d];
    u[i * (dim + 1) + dim] = bc->role[i] & RHX_TYPE_VELOCITY ? 0 : 1;
  }
  PetscCall(RhxSpaceGlobalToLocal(bc->space, dim + 1, u, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetRough(RhxBoundary bc, const PetscScalar *x, PetscReal least, PetscReal rough,
                                   RhxTold *labels)
{
  const PetscInt dim = bc->space->dim, fewest = dim == 2 ? 4 : 16;
  PetscReal sums[NSUMS];
  PetscScalar *u;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(bc->space->nlocal * (dim + 1), &u));
  PetscCall(take_velocity(bc, x, u));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    if (!(bc->cond[i].gives & RHX_TYPE_OPEN)) continue;
    PetscCall(sum_label(bc, &bc->cond[i], u, sums));
    const PetscReal size = PetscMax(sums[SIZE], least * least * sums[AREA]);
    if (sums[NODES] < fewest || !(sums[DIFFERENCE] > PetscSqr(rough) * size)) continue;
    PetscCall(RhxToldAdd(labels, bc->cond[i].label, sqrt(sums[DIFFERENCE] / size)));
  }
  PetscCall(PetscFree(u));
  PetscFunctionReturn(PETSC_SUCCESS);
}
