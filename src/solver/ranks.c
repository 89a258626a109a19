#include "solver/ranks.h"
#include "solver/ghosts.h"

/* Rows that have an entry off the diagonal. */
static PetscErrorCode find_coupled(const RhxMatrixParts *p, float *u, PetscBool *alone)
{
  RhxRows own, other;
  PetscFunctionBegin;
  *alone = PETSC_TRUE;
  PetscCall(RhxRowsGet(p->own, &own));
  PetscCall(RhxRowsGet(p->other, &other));
  for (PetscInt i = 0; i < own.n; i++) {
    u[i] = 0;
    for (PetscInt e = own.row[i]; e < own.row[i + 1]; e++)
      if (own.column[e] != i && own.value[e] != 0) u[i] = 1;
    for (PetscInt e = other.row[i]; e < other.row[i + 1]; e++)
      if (other.value[e] != 0) {
        u[i] = 1;
        *alone = PETSC_FALSE;
      }
  }
  PetscCall(RhxRowsRestore(p->other, &other));
  PetscCall(RhxRowsRestore(p->own, &own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum[rank of the column] += u_i a_ij v_j; owner: NULL for the own columns */
static PetscErrorCode add_products(Mat part, const float *u, const float *v, const PetscSFNode *owner, PetscMPIInt rank,
                                   double *sum)
{
  RhxRows a;
  PetscFunctionBegin;
  PetscCall(RhxRowsGet(part, &a));
  for (PetscInt i = 0; i < a.n; i++)
    for (PetscInt e = a.row[i]; e < a.row[i + 1]; e++)
      sum[owner ? owner[a.column[e]].rank : rank] += (double)u[i] * a.value[e] * v[a.column[e]];
  PetscCall(RhxRowsRestore(part, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A_0[size][size], on every rank */
static PetscErrorCode make_coarse(Mat A, const RhxMatrixParts *p, const RhxRankSpace *s, double *all)
{
  PetscSF sf;
  PetscInt n;
  PetscMPIInt rank;
  const PetscSFNode *owner;
  float *ghost;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(s->comm, &rank));
  PetscCall(RhxMatrixCreateSF(A, &sf));
  PetscCall(PetscSFGetGraph(sf, NULL, &n, NULL, &owner));
  PetscCall(PetscMalloc1(n, &ghost));
  PetscCall(PetscSFBcastBegin(sf, MPI_FLOAT, s->u, ghost, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPI_FLOAT, s->u, ghost, MPI_REPLACE));
  PetscCall(PetscArrayzero(s->row, s->size));
  PetscCall(add_products(p->own, s->u, s->u, NULL, rank, s->row));
  PetscCall(add_products(p->other, s->u, ghost, owner, rank, s->row));
  PetscCallMPI(MPI_Allgather(s->row, s->size, MPI_DOUBLE, all, s->size, MPI_DOUBLE, s->comm));
  PetscCall(PetscFree(ghost));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rank without rows in R_0 has a row of zeros, whose diagonal becomes of the others' size. */
static void fill_empty(const RhxRankSpace *s, const double *weight, double *all)
{
  double largest = 0;
  for (PetscMPIInt i = 0; i < s->size; i++) largest = PetscMax(largest, all[(size_t)i * s->size + i]);
  for (PetscMPIInt i = 0; i < s->size; i++)
    if (weight[i] == 0) all[(size_t)i * s->size + i] = largest > 0 ? largest : 1;
}

PetscErrorCode RhxRankSpaceCreate(Mat A, PetscBool singular, PetscBool *alone, RhxRankSpace *s)
{
  RhxMatrixParts parts;
  PetscMPIInt rank;
  double *all, mine = 0;
  PetscFunctionBegin;
  s->comm = PetscObjectComm((PetscObject)A);
  PetscCallMPI(MPI_Comm_size(s->comm, &s->size));
  PetscCallMPI(MPI_Comm_rank(s->comm, &rank));
  PetscCall(RhxMatrixGetParts(A, &parts));
  PetscCall(MatGetLocalSize(A, &s->n, NULL));
  PetscCall(PetscMalloc3(s->n, &s->u, s->size, &s->row, s->size, &s->sums));
  PetscCall(PetscMalloc1((size_t)s->size * s->size, &all));
  PetscCall(find_coupled(&parts, s->u, alone));
  PetscCall(make_coarse(A, &parts, s, all));
  for (PetscInt i = 0; i < s->n; i++) mine += s->u[i];
  PetscCallMPI(MPI_Allgather(&mine, 1, MPI_DOUBLE, s->sums, 1, MPI_DOUBLE, s->comm));
  fill_empty(s, s->sums, all);
  PetscCall(RhxDenseInvert(s->size, singular, all));
  PetscCall(PetscArraycpy(s->row, all + (size_t)rank * s->size, s->size));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRankSpaceFree(RhxRankSpace *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(s->u, s->row, s->sums));
  PetscCall(PetscMemzero(s, sizeof(*s)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRankSpaceApply(const RhxRankSpace *s, const PetscScalar *b, PetscScalar *x)
{
  double sum = 0, y = 0;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->n; i++) sum += s->u[i] * b[i];
  PetscCallMPI(MPI_Allgather(&sum, 1, MPI_DOUBLE, s->sums, 1, MPI_DOUBLE, s->comm));
  for (PetscMPIInt j = 0; j < s->size; j++) y += s->row[j] * s->sums[j];
  for (PetscInt i = 0; i < s->n; i++) x[i] += s->u[i] * y;
  PetscFunctionReturn(PETSC_SUCCESS);
}
