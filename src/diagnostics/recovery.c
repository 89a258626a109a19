/* About a node inside, the mean gradients of its elements, at their centres, are fitted by a linear polynomial in least squares. Its moments
 * are sums over elements, so that ranks add them. Nodes of the boundary, whose patches are one-sided, and those whose patch does not
 * determine a polynomial take the mean of the polynomials of their elements' other nodes, ring by ring: of a few rings, for what is
 * extrapolated grows with each. */
#include "diagnostics/diagnostics.h"
#include "diagnostics/recovery_impl.h"
#include "petsc_compat.h"
#include "space/face.h"
#include <math.h>
#include <petscblaslapack.h>

#define MOST 4 /* coefficients of a polynomial: value and slopes */
#define LOST \
  1e-12 /* least pivot of slopes, of scaled moments: 4/a^2 where cells of aspect a lie across the axes; 1e-16 is rounding */
#define POOR \
  1e-3 /* least pivot of the value: 1/(1 + d^2), d the node's distance from the centres' mean over their spread */
#define RINGS 3       /* most, of polynomials that are extrapolated */
#define UNKNOWN 1e300 /* ring of a node that none before has reached */

/* Of the elements of a type: centres [n][dim], m, and mean gradients of their shape functions [n][nn][dim], 1/m. */
typedef struct {
  double *centre, *slope;
} Means;

struct RhxRecovery_s {
  RhxSpace space;    /* borrowed */
  PetscInt m, rings; /* 1 + dim; the last ring */
  PetscScalar *fit;  /* [nlocal][m][m] inverse of the moments of nodes of ring 0; owned, as ring */
  PetscScalar *ring; /* [nlocal] 0: a patch of its own */
  Means *mean;       /* [ntypes]; owned */
};

/* Centre of element e and the mean gradients of its shape functions, which in a simplex are those of any point. */
static void find_means(const RhxCells *c, PetscInt dim, PetscInt e, double *x, double *slope)
{
  const PetscBool simplex = (PetscBool)(c->nn == dim + 1);
  double volume = 0.0, dN[8][3];

  for (PetscInt q = 0; q < (simplex ? 1 : c->nq); q++) {
    const double w = RhxCellsGradients(c, dim, e, q, dN) / RhxCellsSwept(c, e, q);
    volume += w;
    for (PetscInt a = 0; a < c->nn; a++)
      for (PetscInt i = 0; i < dim; i++) {
        x[i] += w * c->N[q * c->nn + a] * RhxCellsPlace(c, dim, e, a, i);
        slope[a * dim + i] += w * dN[a][i];
      }
  }
  for (PetscInt i = 0; i < dim; i++) x[i] /= volume;
  for (PetscInt i = 0; i < c->nn * dim; i++) slope[i] /= volume;
  for (PetscInt i = 0; simplex && i < dim; i++) {
    x[i] = 0.0;
    for (PetscInt a = 0; a < c->nn; a++) x[i] += RhxCellsPlace(c, dim, e, a, i) / c->nn;
  }
}

static PetscErrorCode find_all_means(RhxRecovery r)
{
  const PetscInt dim = r->space->dim;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(r->space->ntypes, &r->mean));
  for (PetscInt t = 0; t < r->space->ntypes; t++) {
    const RhxCells *c = &r->space->cells[t];
    Means *m = &r->mean[t];
    PetscCall(PetscCalloc2((size_t)c->n * dim, &m->centre, (size_t)c->n * c->nn * dim, &m->slope));
    for (PetscInt e = 0; e < c->n; e++) find_means(c, dim, e, m->centre + e * dim, m->slope + e * c->nn * dim);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Terms of the polynomial about node a of element e at x. */
static void find_terms(const RhxCells *c, PetscInt dim, PetscInt e, PetscInt a, const double *x, double P[MOST])
{
  P[0] = 1.0;
  for (PetscInt i = 0; i < dim; i++) P[1 + i] = x[i] - RhxCellsPlace(c, dim, e, a, i);
}

static void add_moments(RhxRecovery r, const RhxCells *c, const double *centre)
{
  const PetscInt dim = r->space->dim;
  double P[MOST];

  for (PetscInt e = 0; e < c->n; e++)
    for (PetscInt a = 0; a < c->nn; a++) {
      PetscScalar *A = r->fit + RhxCellsNode(c, e, a) * r->m * r->m;
      find_terms(c, dim, e, a, centre + e * dim, P);
      for (PetscInt i = 0; i < r->m; i++)
        for (PetscInt j = 0; j < r->m; j++) A[i * r->m + j] += P[i] * P[j];
    }
}

/* inverse[m][m] of A[m][m], rows and columns scaled to a diagonal of 1; false: it is poor. The slopes go first, so that the value's pivot,
 * the last one, is the same however the patch is turned or stretched. */
static PetscBool invert(PetscInt m, const PetscScalar *A, double *inverse)
{
  const PetscBLASInt n = (PetscBLASInt)m;
  const PetscInt last = m - 1;
  PetscBLASInt info;
  double s[MOST], L[MOST * MOST]; /* of the lower triangle by columns; in reverse order */

  for (PetscInt i = 0; i < m; i++) s[i] = A[i * m + i] > 0.0 ? 1.0 / sqrt(A[i * m + i]) : 0.0;
  for (PetscInt i = 0; i < m; i++)
    for (PetscInt j = 0; j < m; j++) L[(last - j) * m + last - i] = A[i * m + j] * s[i] * s[j];
  LAPACKpotrf_("L", &n, L, &n, &info);
  if (info) return PETSC_FALSE;
  for (PetscInt k = 0; k < m; k++)
    if (!(PetscSqr(L[k * m + k]) > (k < last ? LOST : POOR))) return PETSC_FALSE;
  LAPACKpotri_("L", &n, L, &n, &info);
  for (PetscInt i = 0; i < m; i++)
    for (PetscInt j = 0; j < m; j++)
      inverse[i * m + j] = L[(last - PetscMax(i, j)) * m + last - PetscMin(i, j)] * s[i] * s[j];
  return PETSC_TRUE;
}

/* Moments inverted at nodes inside; others are of a later ring. */
static PetscErrorCode fit_patches(RhxRecovery r)
{
  const RhxSpace sp = r->space;
  const PetscInt size = r->m * r->m;
  PetscScalar *labels;
  double inverse[MOST * MOST];

  PetscFunctionBegin;
  for (PetscInt t = 0; t < sp->ntypes; t++) add_moments(r, &sp->cells[t], r->mean[t].centre);
  PetscCall(RhxSpaceReduce(sp, size, r->fit));
  PetscCall(PetscMalloc1(sp->nlocal, &labels));
  PetscCall(RhxLabelCount(sp, labels));
  for (PetscInt a = 0; a < sp->nowned; a++) {
    r->ring[a] = UNKNOWN;
    if (labels[a] > 0.0 || !invert(r->m, r->fit + a * size, inverse)) continue;
    r->ring[a] = 0.0;
    PetscCall(PetscArraycpy(r->fit + a * size, inverse, size));
  }
  PetscCall(PetscFree(labels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes that have one of ring k or less in an element become ring k + 1; are there any? */
static PetscErrorCode reach(RhxRecovery r, double k, PetscScalar *reached, PetscBool *any)
{
  const RhxSpace sp = r->space;
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCall(RhxSpaceGlobalToLocal(sp, 1, r->ring, r->ring));
  PetscCall(PetscArrayzero(reached, sp->nlocal));
  for (const RhxCells *c = sp->cells; c < sp->cells + sp->ntypes; c++)
    for (PetscInt e = 0; e < c->n; e++) {
      double known = 0.0;
      for (PetscInt a = 0; a < c->nn; a++) known += r->ring[RhxCellsNode(c, e, a)] <= k;
      for (PetscInt a = 0; a < c->nn; a++) reached[RhxCellsNode(c, e, a)] += known;
    }
  PetscCall(RhxSpaceReduce(sp, 1, reached));
  for (PetscInt a = 0; a < sp->nowned; a++)
    if (r->ring[a] > k && reached[a] > 0.0) {
      r->ring[a] = k + 1.0;
      n++;
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_SUM, sp->comm));
  *any = (PetscBool)(n > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where no node inside is within RINGS, the mean over the elements, whose number the moments begin with, stands for a polynomial. */
static void take_means(RhxRecovery r)
{
  const PetscInt size = r->m * r->m;

  for (PetscInt a = 0; a < r->space->nowned; a++) {
    PetscScalar *A = r->fit + a * size;
    const double elements = A[0];
    if (r->ring[a] < UNKNOWN) continue;
    for (PetscInt i = 0; i < size; i++) A[i] = 0.0;
    A[0] = 1.0 / elements;
    r->ring[a] = 0.0;
  }
}

PetscErrorCode RhxRecoveryCreate(RhxSpace space, RhxRecovery *out)
{
  RhxRecovery r;
  PetscScalar *reached;
  PetscBool any;

  PetscFunctionBegin;
  PetscCall(PetscNew(&r));
  r->space = space;
  r->m = 1 + space->dim;
  PetscCall(PetscCalloc2((size_t)space->nlocal * r->m * r->m, &r->fit, space->nlocal, &r->ring));
  PetscCall(find_all_means(r));
  PetscCall(fit_patches(r));
  PetscCall(PetscMalloc1(space->nlocal, &reached));
  do {
    PetscCall(reach(r, (double)r->rings, reached, &any));
    r->rings += any;
  } while (any && r->rings < RINGS);
  take_means(r);
  PetscCall(RhxSpaceGlobalToLocal(space, 1, r->ring, r->ring));
  PetscCall(PetscFree(reached));
  *out = r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRecoveryDestroy(RhxRecovery *r)
{
  PetscFunctionBegin;
  if (!*r) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt t = 0; t < (*r)->space->ntypes; t++) PetscCall(PetscFree2((*r)->mean[t].centre, (*r)->mean[t].slope));
  PetscCall(PetscFree((*r)->mean));
  PetscCall(PetscFree2((*r)->fit, (*r)->ring));
  PetscCall(PetscFree(*r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds to own[nlocal][dim][m] the mean gradients of f in elements of a type times the terms there. */
static void add_gradients(const RhxCells *c, PetscInt dim, const Means *mean, const PetscScalar *f, PetscScalar *own)
{
  const PetscInt m = 1 + dim;
  double P[MOST];

  for (PetscInt e = 0; e < c->n; e++) {
    const double *slope = mean->slope + e * c->nn * dim;
    double g[3] = {0};
    for (PetscInt a = 0; a < c->nn; a++)
      for (PetscInt d = 0; d < dim; d++) g[d] += slope[a * dim + d] * f[RhxCellsNode(c, e, a)];
    for (PetscInt a = 0; a < c->nn; a++) {
      PetscScalar *b = own + RhxCellsNode(c, e, a) * dim * m;
      find_terms(c, dim, e, a, mean->centre + e * dim, P);
      for (PetscInt d = 0; d < dim; d++)
        for (PetscInt i = 0; i < m; i++) b[d * m + i] += g[d] * P[i];
    }
  }
}

/* own[nlocal][dim][m]: polynomials of ring 0, complete in ghosts. */
static PetscErrorCode fit_gradients(RhxRecovery r, const PetscScalar *f, PetscScalar *own)
{
  const RhxSpace sp = r->space;
  const PetscInt dim = sp->dim, m = r->m;
  double P[MOST];

  PetscFunctionBegin;
  for (PetscInt t = 0; t < sp->ntypes; t++) add_gradients(&sp->cells[t], dim, &r->mean[t], f, own);
  PetscCall(RhxSpaceReduce(sp, dim * m, own));
  for (PetscInt a = 0; a < sp->nowned; a++)
    for (PetscInt d = 0; d < dim; d++) {
      PetscScalar *b = own + (a * dim + d) * m;
      for (PetscInt i = 0; i < m; i++) P[i] = b[i];
      for (PetscInt i = 0; i < m; i++) {
        b[i] = 0.0;
        for (PetscInt j = 0; j < m; j++) b[i] += r->fit[(a * m + i) * m + j] * P[j];
      }
    }
  PetscCall(RhxSpaceGlobalToLocal(sp, dim * m, own, own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds to sum[dim][m] and its number behind the polynomials of node a of element e, about node b. */
static void hand_on(const RhxCells *c, PetscInt dim, PetscInt e, PetscInt a, PetscInt b, const PetscScalar *own,
                    PetscScalar *sum)
{
  const PetscInt m = 1 + dim;

  for (PetscInt d = 0; d < dim; d++)
    for (PetscInt i = 0; i < m; i++) {
      sum[d * m + i] += own[d * m + i];
      if (i) sum[d * m] += own[d * m + i] * (RhxCellsPlace(c, dim, e, b, i - 1) - RhxCellsPlace(c, dim, e, a, i - 1));
    }
  sum[dim * m] += 1.0;
}

/* Polynomials of nodes of ring k, from those before. */
static PetscErrorCode extend(RhxRecovery r, double k, PetscScalar *own, PetscScalar *sum)
{
  const RhxSpace sp = r->space;
  const PetscInt n = sp->dim * r->m;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(sum, sp->nlocal * (n + 1)));
  for (const RhxCells *c = sp->cells; c < sp->cells + sp->ntypes; c++)
    for (PetscInt e = 0; e < c->n; e++)
      for (PetscInt b = 0; b < c->nn; b++) {
        const PetscInt to = RhxCellsNode(c, e, b);
        for (PetscInt a = 0; r->ring[to] == k && a < c->nn; a++) {
          const PetscInt from = RhxCellsNode(c, e, a);
          if (r->ring[from] < k) hand_on(c, sp->dim, e, a, b, own + from * n, sum + to * (n + 1));
        }
      }
  PetscCall(RhxSpaceReduce(sp, n + 1, sum));
  for (PetscInt a = 0; a < sp->nowned; a++)
    for (PetscInt i = 0; r->ring[a] == k && i < n; i++) own[a * n + i] = sum[a * (n + 1) + i] / sum[a * (n + 1) + n];
  PetscCall(RhxSpaceGlobalToLocal(sp, n, own, own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRecoverGradient(RhxRecovery r, const PetscScalar *f, PetscScalar *G)
{
  const RhxSpace sp = r->space;
  const PetscInt dim = sp->dim, n = dim * r->m;
  PetscScalar *own, *sum;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)sp->nlocal * n, &own, (size_t)sp->nlocal * (n + 1), &sum));
  PetscCall(PetscArrayzero(own, (size_t)sp->nlocal * n));
  PetscCall(fit_gradients(r, f, own));
  for (PetscInt k = 1; k <= r->rings; k++) PetscCall(extend(r, (double)k, own, sum));
  for (PetscInt a = 0; a < sp->nlocal; a++)
    for (PetscInt d = 0; d < dim; d++) G[a * dim + d] = own[a * n + d * r->m];
  PetscCall(PetscFree2(own, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}
