#include "petsc_compat.h"
#include "scheme/adjoint_impl.h"
#include <complex.h>
#include <math.h>

#define SAME 1e-6   /* values of one mode and its adjoint: difference over the larger of the modulus and, */
#define ZERO 1e-3   /* as at a critical parameter a value is zero but for rounding, this of the largest */
#define LEAST 1e-14 /* pivot over its diagonal: below it a column of G is a combination of others */

typedef double complex Number;

static double largest(PetscInt n, const RhxEigenmode *mode)
{
  double value = 0.0;
  for (PetscInt i = 0; i < n; i++) value = fmax(value, hypot(mode[i].value[0], mode[i].value[1]));
  return value;
}

static PetscBool is_same(const RhxEigenmode *a, const RhxEigenmode *b, double most)
{
  const double off = hypot(a->value[0] - b->value[0], a->value[1] - b->value[1]);
  return (PetscBool)(off <= SAME * fmax(hypot(a->value[0], a->value[1]), ZERO * most));
}

/* (a + i b)^H (c + i d) */
static PetscErrorCode inner(Vec a, Vec b, Vec c, Vec d, Number *z)
{
  PetscScalar ac, bd, ad, bc;
  PetscFunctionBegin;
  PetscCall(VecDot(c, a, &ac));
  PetscCall(VecDot(d, b, &bd));
  PetscCall(VecDot(d, a, &ad));
  PetscCall(VecDot(c, b, &bc));
  *z = ac + bd + (ad - bc) * _Complex_I;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* G[m][n] = w_k^H M v_j where their values are the same, else 0. */
static PetscErrorCode gram(Mat M, PetscInt n, const RhxEigenmode *mode, PetscInt m, const RhxEigenmode *from, Number *G)
{
  const double most = largest(m, from);
  Vec Mv[2];
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(M, &Mv[0], &Mv[1]));
  for (PetscInt j = 0; j < n; j++) {
    PetscCall(MatMult(M, mode[j].re, Mv[0]));
    PetscCall(MatMult(M, mode[j].im, Mv[1]));
    for (PetscInt k = 0; k < m; k++) {
      G[k * n + j] = 0.0;
      if (is_same(&mode[j], &from[k], most)) PetscCall(inner(from[k].re, from[k].im, Mv[0], Mv[1], &G[k * n + j]));
    }
  }
  for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&Mv[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A[n][n] becomes its inverse, Hermitian positive definite; PETSC_FALSE: it is not, to rounding. Gauss and Jordan. */
static PetscBool invert(PetscInt n, const double *diagonal, Number *A)
{
  for (PetscInt p = 0; p < n; p++) {
    const Number d = A[p * n + p];
    if (!(creal(d) > LEAST * diagonal[p])) return PETSC_FALSE;
    A[p * n + p] = 1.0;
    for (PetscInt j = 0; j < n; j++) A[p * n + j] /= d;
    for (PetscInt i = 0; i < n; i++) {
      const Number f = A[i * n + p];
      if (i == p) continue;
      A[i * n + p] = 0.0;
      for (PetscInt j = 0; j < n; j++) A[i * n + j] -= f * A[p * n + j];
    }
  }
  return PETSC_TRUE;
}

/* X[m][n] = G (G^H G)^-1, the smallest X with X^H G = I. */
static PetscErrorCode combine(PetscInt n, PetscInt m, const Number *G, Number *X, PetscBool *good)
{
  Number *A;
  double *diagonal;
  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n * n, &A, n, &diagonal));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) {
      A[i * n + j] = 0.0;
      for (PetscInt k = 0; k < m; k++) A[i * n + j] += conj(G[k * n + i]) * G[k * n + j];
    }
  for (PetscInt i = 0; i < n; i++) diagonal[i] = creal(A[i * n + i]);
  *good = invert(n, diagonal, A);
  for (PetscInt k = 0; k < m; k++)
    for (PetscInt j = 0; j < n; j++) {
      X[k * n + j] = 0.0;
      for (PetscInt i = 0; i < n; i++) X[k * n + j] += G[k * n + i] * A[i * n + j];
    }
  PetscCall(PetscFree2(A, diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w_j = sum of X[k][j] from_k */
static PetscErrorCode sum(PetscInt n, PetscInt m, const Number *X, const RhxEigenmode *from, PetscInt j,
                          RhxEigenmode *w)
{
  PetscFunctionBegin;
  PetscCall(VecDuplicate(w->re, &w->adjoint_re));
  PetscCall(VecDuplicate(w->re, &w->adjoint_im));
  PetscCall(VecZeroEntries(w->adjoint_re));
  PetscCall(VecZeroEntries(w->adjoint_im));
  for (PetscInt k = 0; k < m; k++) {
    const double re = creal(X[k * n + j]), im = cimag(X[k * n + j]);
    if (re == 0.0 && im == 0.0) continue;
    PetscCall(VecAXPBYPCZ(w->adjoint_re, re, -im, 1.0, from[k].re, from[k].im));
    PetscCall(VecAXPBYPCZ(w->adjoint_im, im, re, 1.0, from[k].re, from[k].im));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Modes of the value of mode `first`, first among them, have theirs, or none of them. */
static PetscErrorCode match_value(PetscInt n, RhxEigenmode *mode, PetscInt first, PetscInt m, const RhxEigenmode *from,
                                  const Number *G, PetscBool *done, PetscInt *lacking)
{
  const double most = largest(n, mode);
  Number *part, *X;
  PetscInt *of, count = 0;
  PetscBool good = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscMalloc3((size_t)m * n, &part, (size_t)m * n, &X, n, &of));
  for (PetscInt j = first; j < n; j++)
    if (!done[j] && (j == first || is_same(&mode[first], &mode[j], most))) of[count++] = j;
  for (PetscInt k = 0; k < m; k++)
    for (PetscInt i = 0; i < count; i++) part[k * count + i] = G[k * n + of[i]];
  PetscCall(combine(count, m, part, X, &good));
  for (PetscInt i = 0; i < count; i++) {
    done[of[i]] = PETSC_TRUE;
    if (good) PetscCall(sum(count, m, X, from, i, &mode[of[i]]));
  }
  if (!good) *lacking += count;
  PetscCall(PetscFree3(part, X, of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAdjointMatch(Mat M, PetscInt n, RhxEigenmode *mode, PetscInt m, const RhxEigenmode *from,
                               PetscInt *lacking)
{
  Number *G;
  PetscBool *done;
  PetscFunctionBegin;
  *lacking = 0;
  PetscCall(PetscMalloc1((size_t)m * n, &G));
  PetscCall(PetscCalloc1(n, &done));
  PetscCall(gram(M, n, mode, m, from, G));
  for (PetscInt j = 0; j < n; j++)
    if (!done[j]) PetscCall(match_value(n, mode, j, m, from, G, done, lacking));
  PetscCall(PetscFree(G));
  PetscCall(PetscFree(done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAdjointDot(const RhxEigenmode *m, Vec y, double dot[2])
{
  PetscScalar re, im;
  PetscFunctionBegin;
  PetscCall(VecDot(y, m->adjoint_re, &re));
  PetscCall(VecDot(y, m->adjoint_im, &im));
  dot[0] = re;
  dot[1] = -im;
  PetscFunctionReturn(PETSC_SUCCESS);
}
