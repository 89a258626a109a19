/* KSP type `polynomial`: the residual of each component against the polynomial of least squares over the eigenvalues, found by
 * orthogonal powers; real and complex ones, a preconditioner, a guess, two applications, a matrix that changes; as many degrees as eigenvalues solve; nothing and
 * NaN are refused. */
#include "../common/largest.h"
#include "petsc_compat.h"
#include "scheme/polynomial_impl.h"
#include <complex.h>
#include <math.h>

#define PAIRS 5
#define BLOCKS 30 /* of two rows */

static const double complex eigenvalue[PAIRS] = {0.3, 0.9, 1.7, 0.8 + 0.5 * I, 1.2 + 0.9 * I}; /* and those conjugate */
static int failures;

static void expect(int ok, const char *what, double got)
{
  if (ok) return;
  failures++;
  PetscFPrintf(PETSC_COMM_WORLD, PETSC_STDERR, "%s: %g\n", what, got);
}

static double inner(const double complex *u, const double complex *v)
{
  double sum = 0.0;
  for (int i = 0; i < PAIRS; i++) sum += (cimag(eigenvalue[i]) == 0.0 ? 1.0 : 2.0) * creal(conj(u[i]) * v[i]);
  return sum;
}

/* p[PAIRS]: what is left of 1 at the eigenvalues, with those conjugate, after t to t^degree, orthogonal by Gram and Schmidt. */
static void least_squares(PetscInt degree, double complex *p)
{
  double complex q[7][PAIRS];

  for (int i = 0; i < PAIRS; i++) p[i] = 1.0;
  for (PetscInt k = 0; k < degree; k++) {
    for (int i = 0; i < PAIRS; i++) q[k][i] = k ? eigenvalue[i] * q[k - 1][i] : eigenvalue[i];
    for (int turn = 0; turn < 2; turn++)
      for (PetscInt j = 0; j < k; j++) {
        const double part = inner(q[j], q[k]);
        for (int i = 0; i < PAIRS; i++) q[k][i] -= part * q[j][i];
      }
    const double norm = sqrt(inner(q[k], q[k]));
    for (int i = 0; i < PAIRS; i++) q[k][i] /= norm;
  }
  for (int turn = 0; turn < 2; turn++)
    for (PetscInt k = 0; k < degree; k++) {
      const double part = inner(q[k], p);
      for (int i = 0; i < PAIRS; i++) p[i] -= part * q[k][i];
    }
}

/* Block k: a rotation with the eigenvalues of its number, over `by`. */
static PetscErrorCode make(double by, Mat *A)
{
  PetscInt first, last;
  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 2 * BLOCKS, 2 * BLOCKS, 2, NULL, 2, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt r = first; r < last; r++) {
    const double complex t = eigenvalue[r / 2 % PAIRS] / by;
    const double sign = r % 2 ? 1.0 : -1.0;
    PetscCall(MatSetValue(*A, r, r, creal(t), INSERT_VALUES));
    PetscCall(MatSetValue(*A, r, r + 1 - 2 * (r % 2), sign * cimag(t), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode twice(PC pc, Vec x, Vec y)
{
  PetscFunctionBegin;
  (void)pc;
  PetscCall(VecCopy(x, y));
  PetscCall(VecScale(y, 2.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(Mat A, PetscInt degree, PetscInt times, KSP *ksp)
{
  char options[64];
  PC pc;
  PetscFunctionBegin;
  snprintf(options, sizeof(options), "-ksp_polynomial_degree %d", (int)degree);
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetType(*ksp, RHX_KSP_POLYNOMIAL));
  PetscCall(KSPSetNormType(*ksp, KSP_NORM_NONE));
  PetscCall(KSPSetConvergenceTest(*ksp, KSPConvergedSkip, NULL, NULL));
  PetscCall(KSPSetTolerances(*ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, times));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetApply(pc, twice));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest |r - p^times r0| of components, r0 = b - A x before. */
static PetscErrorCode check(KSP ksp, Mat A, PetscInt degree, PetscInt times, PetscBool guess, double *error)
{
  double complex p[PAIRS];
  const PetscScalar *was, *is;
  PetscInt first, n;
  Vec x, b, r0, r;
  PetscFunctionBegin;
  *error = 0.0;
  least_squares(degree, p);
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r0));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecGetOwnershipRange(b, &first, NULL));
  PetscCall(VecGetLocalSize(b, &n));
  for (PetscInt k = first; k < first + n; k++) {
    PetscCall(VecSetValue(b, k, sin(1.0 + k), INSERT_VALUES));
    PetscCall(VecSetValue(x, k, guess ? cos(2.0 * k) : 0.0, INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
  PetscCall(MatMult(A, x, r0));
  PetscCall(VecAYPX(r0, -1.0, b));
  PetscCall(KSPSetInitialGuessNonzero(ksp, guess));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecGetArrayRead(r0, &was));
  PetscCall(VecGetArrayRead(r, &is));
  for (PetscInt k = 0; k < n; k++) {
    const double complex q = cpow(p[(first + k) / 2 % PAIRS], (double)times);
    const PetscInt other = (first + k) % 2 ? k - 1 : k + 1; /* (q' -q''; q'' q') of the block */
    const double want = creal(q) * was[k] + ((first + k) % 2 ? 1.0 : -1.0) * cimag(q) * was[other];
    *error = larger(*error, fabs(is[k] - want));
  }
  PetscCall(VecRestoreArrayRead(r0, &was));
  PetscCall(VecRestoreArrayRead(r, &is));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r0));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode residuals(void)
{
  Mat A;
  KSP ksp;
  double error;
  PetscFunctionBegin;
  PetscCall(make(2.0, &A));
  for (PetscInt degree = 1; degree <= 7; degree++) {
    PetscCall(create(A, degree, 1, &ksp));
    PetscCall(check(ksp, A, degree, 1, PETSC_FALSE, &error));
    expect(error <= 1e-9, "the residual of one application", error);
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(create(A, 4, 2, &ksp));
  PetscCall(check(ksp, A, 4, 2, PETSC_TRUE, &error));
  expect(error <= 1e-9, "the residual of two applications from a guess", error);
  PetscCall(MatScale(A, 3.0));
  PetscCall(check(ksp, A, 4, 2, PETSC_TRUE, &error));
  expect(error <= 1e-9, "the residual of a matrix that has changed", error);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refused(double by)
{
  KSPConvergedReason reason;
  Mat A;
  KSP ksp;
  Vec x, b;
  PetscFunctionBegin;
  PetscCall(make(by, &A));
  PetscCall(create(A, 4, 1, &ksp));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  expect(reason < 0, "a matrix of zeros or of NaN ends with", (double)reason);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(RhxPolynomialRegister());
  PetscCall(residuals());
  PetscCall(refused(INFINITY));
  PetscCall(refused(NAN));
  PetscCall(PetscFinalize());
  return failures != 0;
}
