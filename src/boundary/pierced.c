/* Rotating walls that are not round about their axis: fluid would flow through them. */
#include "boundary/pierced.h"
#include "boundary/types/rotating_wall.h"
#include <math.h>

/* shares[nowned]: labels that a node is on. */
static PetscErrorCode count_labels(RhxBoundary bc, PetscInt **shares)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bc->space->nowned + 1, shares));
  for (PetscInt i = 0; i < bc->ncond; i++)
    for (PetscInt k = 0; k < bc->cond[i].faces->nnodes; k++) (*shares)[bc->cond[i].faces->node[k]]++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a unit angular velocity at nodes of this label alone: sums of area times (u.n)^2 and u^2, and the node with the largest |u.n|.
 * normal[nlocal][dim]: integral N n. */
static void look(const RhxCondition *c, const PetscInt *shares, const PetscReal *normal, double sums[2],
                 RhxPierced *most)
{
  const PetscInt dim = c->bc->space->dim;

  for (PetscInt k = 0; k < c->faces->nnodes; k++) {
    const PetscInt node = c->faces->node[k];
    const PetscReal *n = normal + node * dim, *x = c->bc->space->x + node * dim;
    PetscReal u[3];
    double area = 0, through = 0, speed = 0;
    if (shares[node] > 1) continue;
    RhxRotatingWallTurn(c, 1, 1, x, u);
    for (PetscInt d = 0; d < dim; d++) area += n[d] * n[d], through += u[d] * n[d], speed += u[d] * u[d];
    area = sqrt(area);
    if (!(area > 0)) continue;
    through = fabs(through) / area;
    sums[0] += area * through * through;
    sums[1] += area * speed;
    most->speed = PetscMax(most->speed, sqrt(speed));
    if (!(through > most->through)) continue;
    most->through = through;
    for (PetscInt d = 0; d < dim; d++) most->x[d] = x[d];
  }
}

/* The largest of all ranks. */
static PetscErrorCode combine(MPI_Comm comm, double sums[2], RhxPierced *most)
{
  struct {
    double value;
    int rank;
  } best = {most->through, 0};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &best.rank));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm));
  PetscCallMPI(MPI_Bcast(most->x, 3, MPI_DOUBLE, best.rank, comm));
  most->through = best.value;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most->speed, 1, MPI_DOUBLE, MPI_MAX, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, comm));
  most->mean = sums[1] > 0 ? sqrt(sums[0] / sums[1]) : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetPierced(RhxBoundary bc, PetscInt k, RhxPierced *one)
{
  double sums[2] = {0, 0};
  PetscReal *normal;
  PetscInt *shares, i = 0;

  PetscFunctionBegin;
  *one = (RhxPierced){0};
  for (; i < bc->ncond; i++)
    if (bc->cond[i].type == &RhxConditionType_rotating_wall && k-- == 0) break;
  if (bc->space->axisymmetric || i == bc->ncond) PetscFunctionReturn(PETSC_SUCCESS);
  one->label = bc->cond[i].label;
  PetscCall(count_labels(bc, &shares));
  PetscCall(RhxConditionFindNormals(&bc->cond[i], &normal));
  look(&bc->cond[i], shares, normal, sums, one);
  PetscCall(combine(bc->comm, sums, one));
  RhxRotatingWallGetAxis(&bc->cond[i], &one->axis, &one->point);
  PetscCall(PetscFree(normal));
  PetscCall(PetscFree(shares));
  PetscFunctionReturn(PETSC_SUCCESS);
}
