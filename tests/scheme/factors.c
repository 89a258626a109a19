/* Factors of Newton's method: a singular matrix is told as a failed set-up; after RhxFactorsMend the next matrix is factored as if
 * nothing had been, with the same room. */
#include "petsc_compat.h"
#include "scheme/factors_impl.h"
#include <petscksp.h>

#define N 6 /* rows of a rank */

/* Of -u'' at the points of all ranks; singular: the equation of the last one is empty. */
static PetscErrorCode fill(Mat A, PetscBool singular)
{
  PetscInt first, end, all;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  PetscCall(MatGetSize(A, &all, NULL));
  for (PetscInt i = first; i < end; i++) {
    const double scale = singular && i + 1 == all ? 0.0 : 1.0;
    const PetscInt at[] = {i - 1, i, i + 1 < all ? i + 1 : -1};
    const PetscScalar value[] = {-scale, 2.0 * scale, -scale};
    PetscCall(MatSetValues(A, 1, &i, 3, at, value, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* error: |A x - b| of a solve that converged. */
static PetscErrorCode solve(KSP ksp, Mat A, PetscBool singular, KSPConvergedReason *reason, PetscReal *error)
{
  Vec x, b;
  PetscFunctionBegin;
  PetscCall(fill(A, singular));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.5));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, reason));
  PetscCall(VecScale(b, -1.0));
  PetscCall(MatMultAdd(A, x, b, b));
  PetscCall(VecNorm(b, NORM_2, error));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(PetscBool *good)
{
  static const PetscBool singular[] = {PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE};
  Mat A;
  KSP ksp;
  PC pc;
  PetscFunctionBegin;
  *good = PETSC_TRUE;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, N, N, PETSC_DETERMINE, PETSC_DETERMINE, 3, NULL, 1, NULL, &A));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(fill(A, PETSC_FALSE));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(RhxFactorsUse(PETSC_COMM_WORLD, A, pc));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(singular); k++) {
    KSPConvergedReason reason;
    PetscReal error;
    PetscCall(RhxFactorsMend(pc));
    PetscCall(solve(ksp, A, singular[k], &reason, &error));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s matrix: %s, residual %g\n", singular[k] ? "singular" : "regular",
                          KSPConvergedReasons[reason], (double)error));
    if (singular[k] ? reason > 0 : reason < 0 || !(error <= 1e-12)) *good = PETSC_FALSE;
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool good = PETSC_FALSE;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(check(&good));
  PetscCall(PetscFinalize());
  return good ? 0 : 1;
}
