#include "petsc_compat.h"
#include "scheme/polynomial_impl.h"
#include <math.h>
#include <petsc/private/kspimpl.h>
#include <petscblaslapack.h>

#define MOST 16     /* degree */
#define SAMPLES 20  /* Ritz values */
#define ENDED 1e-12 /* what is left of a vector that lies in the space */

typedef struct {
  PetscInt degree;              /* asked for */
  PetscInt n;                   /* roots: fewer where there are fewer Ritz values; 0: none yet, or none can be found */
  PetscReal re[MOST], im[MOST]; /* of 1 - t p(t), conjugate ones one after the other */
  PetscObjectId id;             /* of the matrix that they are of, and its state */
  PetscObjectState state;
} Polynomial;

/* Columns of Arnoldi's method: h[column][row]. */
typedef struct {
  PetscInt n;
  PetscScalar h[SAMPLES][SAMPLES + 1];
} Hessenberg;

/* ---- Roots ---- */

/* The same for every number of ranks: by the global number of a row. */
static PetscErrorCode noise(Vec v)
{
  PetscScalar *a;
  PetscInt first, last;
  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(v, &first, &last));
  PetscCall(VecGetArrayWrite(v, &a));
  for (PetscInt i = first; i < last; i++) {
    unsigned h = (unsigned)i * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    a[i - first] = h / 4294967296.0 - 0.5;
  }
  PetscCall(VecRestoreArrayWrite(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of M^-1 A from noise; fewer columns than SAMPLES where the space ends, none where a number is not finite. */
static PetscErrorCode arnoldi(KSP ksp, Hessenberg *H)
{
  PetscScalar part[SAMPLES + 1];
  PetscReal norm;
  Vec *v;
  PetscFunctionBegin;
  PetscCall(VecDuplicateVecs(ksp->work[0], SAMPLES + 1, &v));
  PetscCall(noise(ksp->work[0]));
  PetscCall(KSP_PCApply(ksp, ksp->work[0], v[0]));
  PetscCall(VecNormalize(v[0], &norm));
  H->n = norm > 0.0 && isfinite(norm) ? SAMPLES : 0;
  for (PetscInt k = 0; k < H->n; k++) {
    PetscReal before;
    PetscCall(KSP_PCApplyBAorAB(ksp, v[k], v[k + 1], ksp->work[0]));
    PetscCall(VecNorm(v[k + 1], NORM_2, &before));
    PetscCall(PetscArrayzero(H->h[k], SAMPLES + 1));
    for (PetscInt turn = 0; turn < 2; turn++) { /* Gram and Schmidt, twice */
      PetscCall(VecMDot(v[k + 1], k + 1, v, part));
      for (PetscInt i = 0; i <= k; i++) {
        H->h[k][i] += part[i];
        part[i] = -part[i];
      }
      PetscCall(VecMAXPY(v[k + 1], k + 1, part, v));
    }
    PetscCall(VecNormalize(v[k + 1], &norm));
    H->h[k][k + 1] = norm;
    if (!isfinite(norm))
      H->n = 0;
    else if (!(norm > ENDED * before))
      H->n = k + 1;
  }
  PetscCall(VecDestroyVecs(SAMPLES + 1, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Eigenvalues of H, or, harmonic, of H + h^2 H^-T e_n e_n^T, h what is below H; H->n becomes 0 where there are none. */
static PetscErrorCode eigenvalues(Hessenberg *H, PetscBool harmonic, PetscReal *re, PetscReal *im)
{
  PetscScalar A[SAMPLES * SAMPLES], T[SAMPLES * SAMPLES], f[SAMPLES], work[8 * SAMPLES], none;
  PetscBLASInt n, one = 1, lwork = 8 * SAMPLES, pivot[SAMPLES], info = 0;
  PetscFunctionBegin;
  if (!H->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscBLASIntCast(H->n, &n));
  for (PetscInt k = 0; k < n; k++) {
    f[k] = k == n - 1 ? 1.0 : 0.0;
    for (PetscInt i = 0; i < n; i++) T[i * n + k] = A[k * n + i] = i <= k + 1 ? H->h[k][i] : 0.0;
  }
  if (harmonic) PetscCallBLAS("LAPACKgesv", LAPACKgesv_(&n, &one, T, &n, pivot, f, &n, &info));
  if (harmonic && !info)
    for (PetscInt i = 0; i < n; i++) A[(n - 1) * n + i] += PetscSqr(H->h[n - 1][n]) * f[i];
  if (!info)
    PetscCallBLAS("LAPACKgeev",
                  LAPACKgeev_("N", "N", &n, A, &n, re, im, &none, &one, &none, &one, work, &lwork, &info));
  if (info) H->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal dot(PetscInt n, const PetscReal *x, const PetscReal *y)
{
  PetscReal sum = 0.0;

  for (PetscInt i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* y = D x, of D with m eigenvalues, of conjugate ones a block of 2 x 2 */
static void multiply(PetscInt m, const PetscReal *re, const PetscReal *im, const PetscReal *x, PetscReal *y)
{
  for (PetscInt i = 0; i < m; i++) {
    const PetscReal other = im[i] > 0.0 ? x[i + 1] : im[i] < 0.0 ? x[i - 1] : 0.0;
    y[i] = re[i] * x[i] - im[i] * other;
  }
}

/* Arnoldi's method of D from a start that has all its eigenvalues alike: with n columns GMRES finds the polynomial of that degree, 1 at
 * 0, whose squares sum up to the least over the eigenvalues. */
static void project(PetscInt m, const PetscReal *re, const PetscReal *im, PetscInt n, Hessenberg *H)
{
  PetscReal q[SAMPLES + 1][SAMPLES];

  H->n = PetscMin(m, n);
  for (PetscInt i = 0; i < m; i++) q[0][i] = 1.0 / sqrt((double)m);
  for (PetscInt k = 0; k < H->n; k++) {
    PetscReal *to = q[k + 1], before, norm;
    multiply(m, re, im, q[k], to);
    before = sqrt(dot(m, to, to));
    for (PetscInt j = 0; j <= SAMPLES; j++) H->h[k][j] = 0.0;
    for (PetscInt turn = 0; turn < 2; turn++)
      for (PetscInt j = 0; j <= k; j++) {
        const PetscReal part = dot(m, q[j], to);
        H->h[k][j] += part;
        for (PetscInt i = 0; i < m; i++) to[i] -= part * q[j][i];
      }
    H->h[k][k + 1] = norm = sqrt(dot(m, to, to));
    for (PetscInt i = 0; i < m; i++) to[i] /= norm;
    if (!(norm > ENDED * before)) H->n = k + 1;
  }
}

/* Log of the distances of root k to the first n of `order`. */
static PetscReal spread(const Polynomial *p, PetscInt k, PetscInt n, const PetscInt *order)
{
  PetscReal sum = n ? 0.0 : log(hypot(p->re[k], p->im[k]));
  for (PetscInt i = 0; i < n; i++) sum += log(hypot(p->re[k] - p->re[order[i]], p->im[k] - p->im[order[i]]));
  return sum;
}

/* In an order in which the product of the factors stays of moderate size (Leja's), conjugate roots together. */
static void order_roots(Polynomial *p)
{
  PetscInt order[MOST], n = 0;
  PetscBool taken[MOST] = {PETSC_FALSE};
  PetscReal re[MOST], im[MOST];

  while (n < p->n) {
    PetscInt best = -1;
    PetscReal most = 0.0;
    for (PetscInt k = 0; k < p->n; k++) {
      const PetscReal here = taken[k] || p->im[k] < 0.0 ? -PETSC_INFINITY : spread(p, k, n, order);
      if (!taken[k] && p->im[k] >= 0.0 && (best < 0 || here > most)) {
        best = k;
        most = here;
      }
    }
    order[n++] = best;
    taken[best] = PETSC_TRUE;
    if (p->im[best] > 0.0) order[n++] = best + 1; /* LAPACK has them in this order */
    taken[order[n - 1]] = PETSC_TRUE;
  }
  for (PetscInt k = 0; k < n; k++) {
    re[k] = p->re[order[k]];
    im[k] = p->im[order[k]];
  }
  for (PetscInt k = 0; k < n; k++) {
    p->re[k] = re[k];
    p->im[k] = im[k];
  }
}

static PetscErrorCode find_roots(KSP ksp)
{
  Polynomial *p = (Polynomial *)ksp->data;
  PetscReal re[SAMPLES], im[SAMPLES];
  PetscObjectState state;
  PetscObjectId id;
  Hessenberg H;
  Mat P;
  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, NULL, &P));
  PetscCall(PetscObjectGetId((PetscObject)P, &id));
  PetscCall(PetscObjectStateGet((PetscObject)P, &state));
  if (p->n && id == p->id && state == p->state) PetscFunctionReturn(PETSC_SUCCESS);
  p->id = id;
  p->state = state;
  PetscCall(arnoldi(ksp, &H));
  PetscCall(eigenvalues(&H, PETSC_FALSE, re, im));
  project(H.n, re, im, p->degree, &H);
  PetscCall(eigenvalues(&H, PETSC_TRUE, p->re, p->im));
  p->n = H.n;
  for (PetscInt k = 0; k < H.n; k++) {
    const PetscReal size = hypot(p->re[k], p->im[k]);
    if (!(size > 0.0) || !isfinite(size)) p->n = 0;
  }
  order_roots(p);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Solves ---- */

/* x += p(M^-1 A) z; z is lost. */
static PetscErrorCode apply(KSP ksp, Vec z, Vec x)
{
  const Polynomial *p = (const Polynomial *)ksp->data;
  Vec w = ksp->work[1], work = ksp->work[2];
  PetscFunctionBegin;
  for (PetscInt k = 0; k < p->n; k++) {
    const PetscReal a = p->re[k], b = p->im[k], size = a * a + b * b;
    if (b == 0.0) {
      PetscCall(VecAXPY(x, 1.0 / a, z));
      if (k == p->n - 1) break;
      PetscCall(KSP_PCApplyBAorAB(ksp, z, w, work));
      PetscCall(VecAXPY(z, -1.0 / a, w));
      continue;
    }
    PetscCall(KSP_PCApplyBAorAB(ksp, z, w, work));
    k++;
    PetscCall(VecAXPBYPCZ(x, 2.0 * a / size, -1.0 / size, 1.0, z, w));
    if (k == p->n - 1) break;
    PetscCall(VecAXPY(z, -2.0 * a / size, w)); /* z (1 - B / t) (1 - B / t*) = z - 2 a / size B z + B B z / size */
    PetscCall(KSP_PCApplyBAorAB(ksp, w, ksp->work[3], work));
    PetscCall(VecAXPY(z, 1.0 / size, ksp->work[3]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(KSP ksp)
{
  const Polynomial *p = (const Polynomial *)ksp->data;
  Vec b = ksp->vec_rhs, x = ksp->vec_sol, r = ksp->work[2], z = ksp->work[0];
  Mat A, P;
  PetscReal norm = 0.0;
  PetscFunctionBegin;
  PetscCall(find_roots(ksp));
  PetscCall(KSPGetOperators(ksp, &A, &P));
  ksp->reason = KSP_CONVERGED_ITERATING;
  ksp->its = 0;
  if (!p->n) ksp->reason = KSP_DIVERGED_BREAKDOWN;
  if (ksp->guess_zero) PetscCall(VecZeroEntries(x));
  while (!ksp->reason) {
    if (ksp->normtype == KSP_NORM_NONE && ksp->its == ksp->max_it) { /* its residual is nobody's */
      ksp->reason = KSP_CONVERGED_ITS;
      break;
    }
    if (ksp->its || !ksp->guess_zero) {
      PetscCall(KSP_MatMult(ksp, A, x, r));
      PetscCall(VecAYPX(r, -1.0, b));
    }
    PetscCall(KSP_PCApply(ksp, ksp->its || !ksp->guess_zero ? r : b, z));
    if (ksp->normtype != KSP_NORM_NONE) {
      PetscCall(VecNorm(z, NORM_2, &norm));
      KSPCheckNorm(ksp, norm);
    }
    ksp->rnorm = norm;
    PetscCall(KSPLogResidualHistory(ksp, norm));
    PetscCall(KSPMonitor(ksp, ksp->its, norm));
    PetscCall((*ksp->converged)(ksp, ksp->its, norm, &ksp->reason, ksp->cnvP));
    if (ksp->reason) break;
    if (ksp->its == ksp->max_it) {
      ksp->reason = KSP_DIVERGED_ITS;
      break;
    }
    PetscCall(apply(ksp, z, x));
    ksp->its++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPSetWorkVecs(ksp, 4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_from_options(KSP ksp, RhxOptionItems PetscOptionsObject)
{
  Polynomial *p = (Polynomial *)ksp->data;
  PetscInt degree = p->degree;
  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "KSP polynomial");
  PetscCall(
      PetscOptionsRangeInt("-ksp_polynomial_degree", "applications of the PC", "", degree, &degree, NULL, 1, MOST));
  PetscOptionsHeadEnd();
  if (degree != p->degree) p->n = 0;
  p->degree = degree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view(KSP ksp, PetscViewer viewer)
{
  const Polynomial *p = (const Polynomial *)ksp->data;
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  degree %" PetscInt_FMT ", %" PetscInt_FMT " roots\n", p->degree, p->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(KSP ksp)
{
  Polynomial *p;
  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  p->degree = 4;
  ksp->data = p;
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_PRECONDITIONED, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 2));
  ksp->ops->setup = set_up;
  ksp->ops->solve = solve;
  ksp->ops->destroy = KSPDestroyDefault;
  ksp->ops->buildsolution = KSPBuildSolutionDefault;
  ksp->ops->buildresidual = KSPBuildResidualDefault;
  ksp->ops->setfromoptions = set_from_options;
  ksp->ops->view = view;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPolynomialRegister(void)
{
  PetscFunctionBegin;
  PetscCall(KSPRegister(RHX_KSP_POLYNOMIAL, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}
