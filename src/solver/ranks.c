#include "solver/ranks_impl.h"

/* Compressed rows of both parts of a matrix. */
typedef struct {
  PetscInt *row, *column;
  PetscScalar *value;
  RhxRows rows;
} Merged;

static PetscErrorCode unmerge(Merged *m)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(m->row, m->column, m->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns of this rank stay, those of others begin at `others`; width: columns in all. */
static PetscErrorCode merge(Mat A, PetscInt others, PetscInt width, Merged *m)
{
  RhxMatrixParts p;
  RhxRows a, b;
  PetscInt k = 0;
  PetscFunctionBegin;
  PetscCall(RhxMatrixGetParts(A, &p));
  PetscCall(RhxRowsGet(p.own, &a));
  PetscCall(RhxRowsGet(p.other, &b));
  PetscCall(PetscMalloc3(a.n + 1, &m->row, a.row[a.n] + b.row[b.n], &m->column, a.row[a.n] + b.row[b.n], &m->value));
  m->row[0] = 0;
  for (PetscInt i = 0; i < a.n; i++) {
    for (PetscInt e = a.row[i]; e < a.row[i + 1]; e++, k++) {
      m->column[k] = a.column[e];
      m->value[k] = a.value[e];
    }
    for (PetscInt e = b.row[i]; e < b.row[i + 1]; e++, k++) {
      m->column[k] = others + b.column[e];
      m->value[k] = b.value[e];
    }
    m->row[i + 1] = k;
  }
  m->rows = (RhxRows){a.n, width, m->row, m->column, m->value};
  PetscCall(RhxRowsRestore(p.other, &b));
  PetscCall(RhxRowsRestore(p.own, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The two matrices of a level ---- */

/* S = 2 W - W A W, Q = (I - W A) P */
static PetscErrorCode make_factors(Mat A, Mat P, Vec w, Mat *S, Mat *Q)
{
  PetscFunctionBegin;
  PetscCall(MatMatMult(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, Q));
  PetscCall(MatDiagonalScale(*Q, w, NULL));
  PetscCall(MatAYPX(*Q, -1, P, SUBSET_NONZERO_PATTERN));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, S));
  PetscCall(MatDiagonalScale(*S, w, w));
  PetscCall(MatScale(*S, -1));
  PetscCall(VecScale(w, 2));
  PetscCall(MatDiagonalSet(*S, w, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode store(Mat S, Mat Q, Mat QT, RhxLevel *v, RhxRankLevel *r)
{
  Merged s, q, qt;
  PetscFunctionBegin;
  r->at = v->n + r->smoother.n;
  r->down.place = r->at + v->nc + r->up.n;
  r->length = r->down.place + r->down.n;
  PetscCall(merge(S, v->n, r->at, &s));
  PetscCall(merge(Q, v->nc, v->nc + r->up.n, &q));
  PetscCall(merge(QT, r->down.place, r->length, &qt));
  PetscCall(RhxSellCreate(&s.rows, &q.rows, 0, PETSC_TRUE, &v->up));
  PetscCall(RhxSellCreate(&qt.rows, NULL, 0, PETSC_TRUE, &v->down));
  PetscCall(unmerge(&s));
  PetscCall(unmerge(&q));
  PetscCall(unmerge(&qt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_level(Mat A, Mat P, const RhxHierarchyOptions *options, RhxDevice device, RhxLevel *v,
                                 RhxRankLevel *r)
{
  PetscReal largest;
  RhxMatrixParts parts;
  MatInfo info;
  Mat S, Q, QT;
  Vec w;
  PetscFunctionBegin;
  PetscCall(RhxLargestEigenvalue(A, &largest));
  v->weight = options->weight / largest;
  PetscCall(RhxJacobiWeights(A, v->weight, &w));
  PetscCall(make_factors(A, P, w, &S, &Q));
  PetscCall(MatTranspose(Q, MAT_INITIAL_MATRIX, &QT));
  PetscCall(MatGetLocalSize(P, &v->n, &v->nc));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  v->nonzeros = info.nz_used;
  PetscCall(RhxGhostsCreate(S, &r->smoother));
  PetscCall(RhxGhostsCreate(Q, &r->up));
  PetscCall(RhxGhostsCreate(QT, &r->down));
  PetscCall(RhxMatrixGetParts(Q, &parts));
  PetscCall(PetscMalloc1(r->up.n, &r->others));
  PetscCall(PetscArraycpy(r->others, parts.column, r->up.n));
  PetscCall(store(S, Q, QT, v, r));
  PetscCall(RhxGhostsSetUp(&r->smoother, device));
  PetscCall(RhxGhostsSetUp(&r->up, device));
  PetscCall(RhxGhostsSetUp(&r->down, device));
  PetscCall(VecDestroy(&w));
  PetscCall(MatDestroy(&S));
  PetscCall(MatDestroy(&Q));
  PetscCall(MatDestroy(&QT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The gathered level ---- */

static PetscErrorCode gather_matrix(Mat A, Mat *whole)
{
  PetscInt n;
  Mat *all;
  IS rows;
  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n, 0, 1, &rows));
  PetscCall(MatCreateSubMatrices(A, 1, &rows, &rows, MAT_INITIAL_MATRIX, &all));
  PetscCall(PetscObjectReference((PetscObject)all[0]));
  *whole = all[0];
  PetscCall(MatDestroySubMatrices(1, &all));
  PetscCall(MatSetOption(*whole, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(ISDestroy(&rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* above: the level above, or NULL. */
static PetscErrorCode make_gather(Mat A, const RhxRankLevel *above, RhxDevice device, RhxRankSpace *s)
{
  const PetscInt *range, nothers = above ? above->up.n : 0;
  PetscMPIInt rank, size;
  int *taken;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCall(MatGetSize(A, &s->total, NULL));
  PetscCall(MatGetOwnershipRanges(A, &range));
  PetscCall(PetscMalloc2(size, &s->count, size, &s->first));
  for (PetscMPIInt k = 0; k < size; k++) {
    s->first[k] = (PetscMPIInt)range[k];
    s->count[k] = (PetscMPIInt)(range[k + 1] - range[k]);
  }
  PetscCall(RhxLinkMalloc(s->link, s->total * sizeof(float), "the multigrid hierarchy", (void **)&s->gathered));
  PetscCall(RhxDeviceZero(device, s->gathered, s->total * sizeof(float)));
  s->mine = s->gathered + s->first[rank];
  s->ntaken = s->count[rank] + nothers;
  PetscCall(PetscMalloc1(s->ntaken, &taken));
  for (PetscInt i = 0; i < s->count[rank]; i++) taken[i] = (int)(s->first[rank] + i);
  for (PetscInt i = 0; i < nothers; i++) taken[s->count[rank] + i] = (int)above->others[i];
  PetscCall(RhxDeviceUpload(device, taken, s->ntaken * sizeof(int), "the multigrid hierarchy", &s->taken));
  PetscCall(PetscFree(taken));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRankSpaceGather(RhxRankSpace *s)
{
  PetscFunctionBegin;
  PetscCall(RhxLinkGather(s->link, RHX_EXCHANGE_FLOAT, s->count, s->first, s->gathered));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The whole ---- */

PetscErrorCode RhxRankSpaceCreate(Mat A, const RhxCoarsening *c, PetscInt least, const RhxHierarchyOptions *options,
                                  RhxSolverProgram *program, RhxHierarchy *h, RhxRankSpace *s, Mat *whole)
{
  PetscInt rows;
  PetscFunctionBegin;
  PetscCall(PetscMemzero(h, sizeof(*h)));
  PetscCall(RhxLinkGet(program->device, PetscObjectComm((PetscObject)A), &s->link));
  PetscCall(MatGetLocalSize(A, &h->n, NULL));
  PetscCall(PetscCalloc1(c->n, &h->level));
  PetscCall(PetscCalloc1(c->n, &s->level));
  for (PetscInt k = 0; k < c->n; k++) {
    PetscCall(MatGetSize(A, &rows, NULL));
    if (rows <= least) break;
    PetscCall(make_level(A, c->P[k], options, program->device, &h->level[k], &s->level[k]));
    h->nlevels++;
    A = c->A[k];
  }
  PetscCall(make_gather(A, h->nlevels ? &s->level[h->nlevels - 1] : NULL, program->device, s));
  PetscCall(gather_matrix(A, whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRankSpaceFree(RhxDevice device, PetscInt nlevels, RhxRankSpace *s)
{
  PetscFunctionBegin;
  for (PetscInt l = 0; s->level && l < nlevels; l++) {
    PetscCall(RhxGhostsFree(&s->level[l].down));
    PetscCall(RhxGhostsFree(&s->level[l].smoother));
    PetscCall(RhxGhostsFree(&s->level[l].up));
    PetscCall(PetscFree(s->level[l].others));
  }
  PetscCall(PetscFree(s->level));
  PetscCall(PetscFree2(s->count, s->first));
  if (s->gathered) PetscCall(RhxLinkFree(s->link, s->gathered));
  PetscCall(RhxLinkRestore(&s->link));
  PetscCall(RhxDeviceFree(device, s->taken));
  PetscCall(PetscMemzero(s, sizeof(*s)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
