#include "solver/hierarchy_impl.h"
#include <petscksp.h>

/* ---- The two matrices of a level ---- */

/* Q = (I - W A) P */
static PetscErrorCode smooth_interpolation(const RhxRows *a, const PetscScalar *w, RhxCoarsening *c, PetscInt k,
                                           RhxCsr *q)
{
  RhxRows p;
  PetscFunctionBegin;
  PetscCall(RhxRowsGet(c->P[k], &p));
  if (c->ap[k].row) {
    *q = c->ap[k];
    PetscCall(PetscMemzero(&c->ap[k], sizeof(*q)));
  } else
    PetscCall(RhxCsrMultiply(a, &p, q));
  PetscCall(RhxCsrSmooth(&p, w, q));
  PetscCall(RhxRowsRestore(c->P[k], &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* S = 2 W - W A W on the pattern of A */
static PetscErrorCode smoother_values(const RhxRows *a, const PetscScalar *w, PetscScalar **values)
{
  PetscScalar *s;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(a->row[a->n], &s));
  for (PetscInt i = 0; i < a->n; i++)
    for (PetscInt e = a->row[i]; e < a->row[i + 1]; e++) {
      const PetscInt j = a->column[e];
      s[e] = (i == j ? 2 * w[i] : 0) - w[i] * a->value[e] * w[j];
    }
  *values = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_level(Mat A, RhxCoarsening *c, PetscInt k, const RhxHierarchyOptions *options,
                                 RhxLevel *level)
{
  PetscReal largest = c->largest[k];
  const PetscScalar *w;
  Vec weights;
  RhxRows a, s, q, qt;
  RhxCsr Q, QT;
  PetscFunctionBegin;
  if (!(largest > 0)) PetscCall(RhxLargestEigenvalue(A, &largest));
  level->weight = options->weight / largest;
  PetscCall(RhxJacobiWeights(A, level->weight, &weights));
  PetscCall(VecGetArrayRead(weights, &w));
  PetscCall(RhxRowsGet(A, &a));
  PetscCall(smooth_interpolation(&a, w, c, k, &Q));
  q = RhxCsrRows(&Q);
  PetscCall(RhxCsrTranspose(&q, &QT));
  qt = RhxCsrRows(&QT);
  PetscCall(RhxSellCreate(&qt, NULL, 0, PETSC_TRUE, &level->down));
  PetscCall(RhxCsrFree(&QT));
  s = a;
  PetscCall(smoother_values(&a, w, (PetscScalar **)&s.value));
  PetscCall(RhxSellCreate(&s, &q, 0, PETSC_TRUE, &level->up));
  level->n = a.n;
  level->nc = q.m;
  level->nonzeros = a.row[a.n];
  PetscCall(PetscFree(s.value));
  PetscCall(RhxRowsRestore(A, &a));
  PetscCall(RhxCsrFree(&Q));
  PetscCall(VecRestoreArrayRead(weights, &w));
  PetscCall(VecDestroy(&weights));
  PetscCall(PetscMalloc1(level->n + level->nc, &level->right));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep_inverse(const PetscScalar *dense, RhxHierarchy *h)
{
  const size_t entries = (size_t)h->ncoarse * h->stride;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(entries, &h->inverse));
  if (h->wide) PetscCall(PetscCalloc1(entries, &h->exact));
  for (PetscInt i = 0; i < h->ncoarse; i++)
    for (PetscInt j = 0; j < h->ncoarse; j++) {
      const size_t at = (size_t)i * h->stride + j;
      const PetscScalar value = dense[(size_t)i * h->ncoarse + j];
      h->inverse[at] = (float)value;
      if (h->exact) h->exact[at] = value;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_coarse(Mat A, PetscBool singular, RhxHierarchy *h)
{
  RhxRows a;
  PetscScalar *dense;
  PetscFunctionBegin;
  PetscCall(RhxRowsGet(A, &a));
  h->ncoarse = a.n;
  h->stride = (a.n + 3) / 4 * 4;
  PetscCheck(
      a.n <= RHX_DENSE_MOST, PETSC_COMM_SELF, PETSC_ERR_SUP,
      "The coarsest matrix of the pressure solver is too large to invert: got %d rows, expected at most %d (option "
      "-pc_type, -pc_graph_mg_hierarchy)",
      (int)a.n, RHX_DENSE_MOST);
  PetscCall(PetscCalloc1((size_t)a.n * a.n, &dense));
  for (PetscInt i = 0; i < a.n; i++)
    for (PetscInt e = a.row[i]; e < a.row[i + 1]; e++) dense[(size_t)i * a.n + a.column[e]] += a.value[e];
  PetscCall(RhxRowsRestore(A, &a));
  PetscCall(RhxDenseInvert(h->ncoarse, singular, dense));
  PetscCall(keep_inverse(dense, h));
  PetscCall(PetscFree(dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The whole ---- */

PetscErrorCode RhxHierarchyCreate(Mat A, RhxCoarsening *c, PetscBool singular, const RhxHierarchyOptions *options,
                                  RhxHierarchy *h)
{
  PetscInt rows;
  PetscFunctionBegin;
  PetscCall(PetscMemzero(h, sizeof(*h)));
  PetscCall(MatGetSize(A, &h->n, NULL));
  PetscCall(PetscCalloc1(c ? c->n : 0, &h->level));
  for (PetscInt k = 0; c && k < c->n; k++) {
    PetscCall(MatGetSize(A, &rows, NULL));
    if (rows <= options->dense) break;
    PetscCall(make_level(A, c, k, options, &h->level[h->nlevels++]));
    A = c->A[k];
  }
  h->wide = (PetscBool)(!h->nlevels && options->exact);
  PetscCall(make_coarse(A, singular, h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxHierarchyFree(RhxHierarchy *h)
{
  PetscFunctionBegin;
  for (PetscInt l = 0; l < h->nlevels; l++) {
    PetscCall(RhxSellFree(&h->level[l].down));
    PetscCall(RhxSellFree(&h->level[l].up));
    PetscCall(PetscFree(h->level[l].right));
  }
  PetscCall(PetscFree(h->level));
  PetscCall(PetscFree(h->inverse));
  PetscCall(PetscFree(h->exact));
  PetscCall(PetscMemzero(h, sizeof(*h)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxHierarchyDropHost(RhxHierarchy *h)
{
  PetscFunctionBegin;
  for (PetscInt l = 0; l < h->nlevels; l++) {
    PetscCall(RhxSellDrop(&h->level[l].down));
    PetscCall(RhxSellDrop(&h->level[l].up));
    PetscCall(PetscFree(h->level[l].right));
  }
  PetscCall(PetscFree(h->inverse));
  PetscCall(PetscFree(h->exact));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void apply_inverse(const RhxHierarchy *h, const float *b, float *x)
{
  for (PetscInt i = 0; i < h->ncoarse; i++) {
    float sum = 0;
    for (PetscInt j = 0; j < h->ncoarse; j++) sum += h->inverse[(size_t)i * h->stride + j] * b[j];
    x[i] = sum;
  }
}

PetscErrorCode RhxHierarchyApply(RhxHierarchy *h, const float *b, float *x)
{
  float *work = NULL;
  PetscFunctionBegin;
  if (!h->nlevels) {
    apply_inverse(h, b, x);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(h->ncoarse, &work));
  PetscCall(PetscArraycpy(h->level[0].right, b, h->n));
  for (PetscInt l = 0; l < h->nlevels; l++)
    RhxSellMultiply(&h->level[l].down, h->level[l].right, l + 1 < h->nlevels ? h->level[l + 1].right : work);
  apply_inverse(h, work, h->level[h->nlevels - 1].right + h->level[h->nlevels - 1].n);
  for (PetscInt l = h->nlevels - 1; l >= 0; l--)
    RhxSellMultiply(&h->level[l].up, h->level[l].right, l ? h->level[l - 1].right + h->level[l - 1].n : x);
  PetscCall(PetscFree(work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double RhxHierarchyFlops(const RhxHierarchy *h)
{
  double flops = 2.0 * h->ncoarse * h->ncoarse;
  for (PetscInt l = 0; l < h->nlevels; l++) flops += 2.0 * (h->level[l].down.nonzeros + h->level[l].up.nonzeros);
  return flops;
}

double RhxHierarchyBytes(const RhxHierarchy *h)
{
  const double entry = h->wide ? 12.0 : 4.0;
  double bytes = entry * h->ncoarse * h->stride + 8.0 * h->ncoarse + 8.0 * h->n;
  for (PetscInt l = 0; l < h->nlevels; l++)
    bytes += RhxSellBytes(&h->level[l].down) + RhxSellBytes(&h->level[l].up) + 4.0 * (h->level[l].n + h->level[l].nc);
  return bytes;
}

PetscErrorCode RhxHierarchyView(const RhxHierarchy *h, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PetscInt l = 0; l < h->nlevels; l++) {
    const RhxLevel *v = &h->level[l];
    PetscCall(PetscViewerASCIIPrintf(
        viewer,
        "level %d: %d rows, %.1f entries a row; down %.1f a row (%d lanes, %.0f%% padding), up %.1f a row (%d lanes, "
        "%.0f%% padding); %.1f MB\n",
        (int)l, (int)v->n, v->nonzeros / v->n, v->down.nonzeros / v->nc, (int)v->down.lanes,
        100 * RhxSellPadding(&v->down), v->up.nonzeros / v->n, (int)v->up.lanes, 100 * RhxSellPadding(&v->up),
        1e-6 * (RhxSellBytes(&v->down) + RhxSellBytes(&v->up))));
  }
  if (!h->ncoarse) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "inverse: %d rows, %.1f MB; in all %.1f MB, values in single precision%s\n",
                                   (int)h->ncoarse, 4e-6 * h->ncoarse * h->stride, 1e-6 * RhxHierarchyBytes(h),
                                   h->wide ? ", of the inverse in double precision too" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}
