#include "solver/ranks.h"

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
  r->at = v->n + r->smoother.nghosts;
  r->down.place = r->at + v->nc + r->up.nghosts;
  r->length = r->down.place + r->down.nghosts;
  PetscCall(merge(S, v->n, r->at, &s));
  PetscCall(merge(Q, v->nc, v->nc + r->up.nghosts, &q));
  PetscCall(merge(QT, r->down.place, r->length, &qt));
  PetscCall(RhxSellCreate(&s.rows, &q.rows, 0, PETSC_TRUE, &v->up));
  PetscCall(RhxSellCreate(&qt.rows, NULL, 0, PETSC_TRUE, &v->down));
  PetscCall(unmerge(&s));
  PetscCall(unmerge(&q));
  PetscCall(unmerge(&qt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_level(Mat A, Mat P, const RhxHierarchyOptions *options, RhxSolverProgram *program,
                                 RhxLevel *v, RhxRankLevel *r)
{
  PetscReal largest;
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
  PetscCall(RhxGhostsCreate(S, program, &r->smoother));
  PetscCall(RhxGhostsCreate(Q, program, &r->up));
  PetscCall(RhxGhostsCreate(QT, program, &r->down));
  PetscCall(store(S, Q, QT, v, r));
  PetscCall(VecDestroy(&w));
  PetscCall(MatDestroy(&S));
  PetscCall(MatDestroy(&Q));
  PetscCall(MatDestroy(&QT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The coarsest matrix ---- */

/* dense[total][total] on every rank */
static PetscErrorCode gather_matrix(Mat A, const RhxRankSpace *s, PetscScalar *dense)
{
  PetscMPIInt rank, size, *count, *first;
  PetscInt begin, end;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(s->comm, &rank));
  PetscCallMPI(MPI_Comm_size(s->comm, &size));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt *column;
    const PetscScalar *value;
    PetscInt n;
    PetscCall(MatGetRow(A, i, &n, &column, &value));
    for (PetscInt k = 0; k < n; k++) dense[(size_t)i * s->total + column[k]] = value[k];
    PetscCall(MatRestoreRow(A, i, &n, &column, &value));
  }
  PetscCall(PetscMalloc2(size, &count, size, &first));
  for (PetscMPIInt k = 0; k < size; k++) {
    count[k] = s->count[k] * (PetscMPIInt)s->total;
    first[k] = s->first[k] * (PetscMPIInt)s->total;
  }
  PetscCallMPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, dense, count, first, MPIU_SCALAR, s->comm));
  PetscCall(PetscFree2(count, first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode invert(Mat A, PetscBool singular, const RhxRankSpace *s, RhxHierarchy *h)
{
  PetscScalar *dense;
  PetscInt begin, end;
  PetscFunctionBegin;
  PetscCheck(s->total <= RHX_DENSE_MOST, s->comm, PETSC_ERR_SUP,
             "The coarsest matrix of the pressure solver is too large to invert: got %d rows, expected at most %d "
             "(option -pc_type, -pc_graph_mg_hierarchy)",
             (int)s->total, RHX_DENSE_MOST);
  PetscCall(PetscCalloc1((size_t)s->total * s->total, &dense));
  PetscCall(gather_matrix(A, s, dense));
  PetscCall(RhxDenseInvert(s->total, singular, dense));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  h->ncoarse = end - begin;
  h->stride = s->stride;
  PetscCall(PetscCalloc1((size_t)h->ncoarse * h->stride, &h->inverse));
  for (PetscInt i = begin; i < end; i++)
    for (PetscInt j = 0; j < s->total; j++)
      h->inverse[(size_t)(i - begin) * h->stride + j] = (float)dense[(size_t)i * s->total + j];
  PetscCall(PetscFree(dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_gather(Mat A, RhxDevice device, RhxRankSpace *s)
{
  const PetscInt *range;
  PetscMPIInt rank, size;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(s->comm, &rank));
  PetscCallMPI(MPI_Comm_size(s->comm, &size));
  PetscCall(MatGetSize(A, &s->total, NULL));
  s->stride = (s->total + 3) / 4 * 4;
  PetscCall(MatGetOwnershipRanges(A, &range));
  PetscCall(PetscMalloc2(size, &s->count, size, &s->first));
  for (PetscMPIInt k = 0; k < size; k++) {
    s->first[k] = (PetscMPIInt)range[k];
    s->count[k] = (PetscMPIInt)(range[k + 1] - range[k]);
  }
  PetscCall(RhxDeviceMallocHost(device, s->stride * sizeof(float), (void **)&s->gathered));
  PetscCall(PetscArrayzero(s->gathered, s->stride));
  s->mine = s->gathered + s->first[rank];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRankSpaceGather(RhxRankSpace *s)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, s->gathered, s->count, s->first, MPI_FLOAT, s->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The whole ---- */

PetscErrorCode RhxRankSpaceCreate(Mat A, const RhxCoarsening *c, PetscBool singular, const RhxHierarchyOptions *options,
                                  RhxSolverProgram *program, RhxHierarchy *h, RhxRankSpace *s)
{
  PetscInt rows;
  PetscFunctionBegin;
  PetscCall(PetscMemzero(h, sizeof(*h)));
  s->comm = PetscObjectComm((PetscObject)A);
  PetscCall(MatGetLocalSize(A, &h->n, NULL));
  PetscCall(PetscCalloc1(c->n, &h->level));
  PetscCall(PetscCalloc1(c->n, &s->level));
  for (PetscInt k = 0; k < c->n; k++) {
    PetscCall(MatGetSize(A, &rows, NULL));
    if (rows <= options->dense) break;
    PetscCall(make_level(A, c->P[k], options, program, &h->level[k], &s->level[k]));
    h->nlevels++;
    A = c->A[k];
  }
  PetscCall(make_gather(A, program->device, s));
  PetscCall(invert(A, singular, s, h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRankSpaceFree(RhxDevice device, PetscInt nlevels, RhxRankSpace *s)
{
  PetscFunctionBegin;
  for (PetscInt l = 0; s->level && l < nlevels; l++) {
    PetscCall(RhxGhostsFree(&s->level[l].down));
    PetscCall(RhxGhostsFree(&s->level[l].smoother));
    PetscCall(RhxGhostsFree(&s->level[l].up));
  }
  PetscCall(PetscFree(s->level));
  PetscCall(PetscFree2(s->count, s->first));
  PetscCall(RhxDeviceFreeHost(device, s->gathered));
  PetscCall(PetscMemzero(s, sizeof(*s)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
