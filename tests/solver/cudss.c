/* Factors of cuDSS: a solve, a transposed one, other values of the same pattern, a singular matrix. Skipped without a device or cuDSS. */
#include "device/cudss.h"
#include "device/device.h"
#include "petsc_compat.h"
#include "scheme/device_factors_impl.h"
#include <petscksp.h>

#define N 400
#define TOLERANCE 1e-11

/* Not symmetric, with a small diagonal in each third row. */
static PetscErrorCode fill(Mat A, double shift)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < N; i++) {
    const PetscInt at[] = {i, (i + 1) % N, (i + 17) % N, (i + N - 5) % N};
    const PetscScalar value[] = {i % 3 ? 4.0 + shift : 1e-3, -1.5 + 0.01 * (double)(i % 7), 0.7 * shift,
                                 2.0 + 0.1 * (double)(i % 5)};
    PetscCall(MatSetValues(A, 1, &i, 4, at, value, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode error_of(Mat A, KSP ksp, PetscBool transposed, double *error)
{
  Vec x, b;
  PetscReal norm, size;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &b));
  for (PetscInt i = 0; i < N; i++) PetscCall(VecSetValue(b, i, 1.0 + (double)(i % 11), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(VecNorm(b, NORM_2, &size));
  PetscCall(transposed ? KSPSolveTranspose(ksp, b, x) : KSPSolve(ksp, b, x));
  PetscCall(VecScale(b, -1.0));
  PetscCall(transposed ? MatMultTransposeAdd(A, x, b, b) : MatMultAdd(A, x, b, b));
  PetscCall(VecNorm(b, NORM_2, &norm));
  *error = norm / size;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode judge(const char *what, double error, PetscBool *good)
{
  PetscFunctionBegin;
  printf("%-32s %.2e, at most %.0e\n", what, error, TOLERANCE);
  if (!(error <= TOLERANCE)) *good = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(PetscBool *good)
{
  static const double shift[] = {0.0, 1.0, 0.3};
  Mat A;
  KSP ksp;
  PC pc;
  double error;
  PCFailedReason reason;
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, N, N, N, N));
  PetscCall(MatSetType(A, MATSEQAIJCUSPARSE));
  PetscCall(MatSeqAIJSetPreallocation(A, 4, NULL));
  PetscCall(fill(A, shift[0]));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, RHX_SOLVER_CUDSS));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(shift); k++) {
    PetscCall(fill(A, shift[k]));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(error_of(A, ksp, PETSC_FALSE, &error));
    PetscCall(judge(k ? "other values" : "a solve", error, good));
    PetscCall(error_of(A, ksp, PETSC_TRUE, &error));
    PetscCall(judge("transposed", error, good));
  }
  PetscCall(KSPView(ksp, PETSC_VIEWER_STDOUT_SELF));
  PetscCall(MatZeroEntries(A));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetUp(ksp));
  PetscCall(PCGetFailedReason(pc, &reason));
  printf("a singular matrix: reason %d\n", (int)reason);
  if (reason != PC_FACTOR_NUMERIC_ZEROPIVOT) *good = PETSC_FALSE;
  PetscCall(fill(A, shift[1]));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(error_of(A, ksp, PETSC_FALSE, &error));
  PetscCall(judge("after it", error, good));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
#if defined(PETSC_HAVE_CUDA)
  const PetscBool cuda = PETSC_TRUE;
#else
  const PetscBool cuda = PETSC_FALSE;
#endif
  const Cudss *cudss = NULL;
  PetscBool good = PETSC_TRUE;
  char why[1024] = "PETSc has no CUDA";
  RhxDeviceState state;
  PetscFunctionBeginUser;
  use_gpu_aware_mpi = PETSC_FALSE;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(RhxDeviceRegisterOptions());
  PetscCall(RhxCudssRegister());
  PetscCall(RhxDeviceFind(PETSC_COMM_SELF, &state));
  if (cuda && state.availability != RHX_DEVICE_READY)
    PetscCall(PetscStrncpy(why, state.sentence, sizeof(why)));
  else if (cuda)
    PetscCall(RhxCudssOpen(&cudss, sizeof(why), why));
  if (cudss)
    PetscCall(check(&good));
  else
    printf("skipped: %s\n", why);
  PetscCall(PetscFinalize());
  return !cudss ? 77 : good ? 0 : 1;
}
