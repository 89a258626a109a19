#include "petsc_compat.h"
#include "scheme/adjoint_impl.h"
#include <complex.h>
#include <math.h>
#include <petscblaslapack.h>

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

/* The factor of G^H G, [2n][2n] real: a number x + i y is the block x, -y; y, x, whose two pivots are that of the number. */
static PetscErrorCode factor(PetscInt n, PetscInt m, const Number *G, double *A, PetscBool *good)
{
  const PetscBLASInt size = 2 * (PetscBLASInt)n;
  PetscBLASInt info;
  double *diagonal;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(size, &diagonal));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) {
      double *block = A + (2 * i) * size + 2 * j;
      Number sum = 0.0;
      for (PetscInt k = 0; k < m; k++) sum += conj(G[k * n + i]) * G[k * n + j];
      block[0] = block[size + 1] = creal(sum);
      block[1] = -cimag(sum);
      block[size] = cimag(sum);
    }
  for (PetscInt p = 0; p < size; p++) diagonal[p] = A[p * size + p];
  LAPACKpotrf_("L", &size, A, &size, &info);
  *good = (PetscBool)!info;
  for (PetscInt p = 0; p < size; p++)
    if (!(PetscSqr(A[p * size + p]) > LEAST * diagonal[p])) *good = PETSC_FALSE;
  PetscCall(PetscFree(diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* X[m][n] = G (G^H G)^-1, the smallest X with X^H G = I; PETSC_FALSE: to rounding there is none. */
static PetscErrorCode combine(PetscInt n, PetscInt m, const Number *G, Number *X, PetscBool *good)
{
  const PetscBLASInt size = 2 * (PetscBLASInt)n, many = (PetscBLASInt)m;
  PetscBLASInt info;
  double *A, *x; /* x: of each row of X the conjugate */
  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)size * size, &A, (size_t)size * m, &x));
  PetscCall(factor(n, m, G, A, good));
  for (PetscInt k = 0; k < m * n; k++) {
    x[2 * k] = creal(G[k]);
    x[2 * k + 1] = -cimag(G[k]);
  }
  if (*good) LAPACKpotrs_("L", &size, &many, A, &size, x, &size, &info);
  for (PetscInt k = 0; k < m * n; k++) X[k] = x[2 * k] - x[2 * k + 1] * _Complex_I;
  PetscCall(PetscFree2(A, x));
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
