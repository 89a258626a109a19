#include "solver/hierarchy_impl.h"
#include <petscblaslapack.h>

static PetscErrorCode factor(PetscBLASInt n, PetscScalar *A)
{
  PetscBLASInt info;
  PetscFunctionBegin;
  LAPACKpotrf_("L", &n, A, &n, &info);
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT,
             "The inverse of a matrix of the pressure solver failed: got a pivot that is not positive in row %d of %d, "
             "expected a positive definite matrix (option -pc_type)",
             (int)info, (int)n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal norm(PetscInt n, const PetscScalar *v)
{
  PetscReal s = 0;
  for (PetscInt i = 0; i < n; i++) s += v[i] * v[i];
  return PetscSqrtReal(s);
}

/* v: the null vector of A, by inverse iteration with A + eps I. A is left. */
static PetscErrorCode null_vector(PetscInt n, const PetscScalar *A, PetscReal eps, PetscScalar *v)
{
  const PetscBLASInt bn = (PetscBLASInt)n, one = 1;
  PetscBLASInt info;
  PetscScalar *F;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n * n, &F));
  PetscCall(PetscArraycpy(F, A, (size_t)n * n));
  for (PetscInt i = 0; i < n; i++) F[(size_t)i * n + i] += eps;
  PetscCall(factor(bn, F));
  for (PetscInt i = 0; i < n; i++) v[i] = 1 + 0.25 * PetscSinReal((PetscReal)i);
  for (int k = 0; k < 3; k++) {
    PetscReal length;
    LAPACKpotrs_("L", &bn, &one, F, &bn, v, &bn, &info);
    length = norm(n, v);
    for (PetscInt i = 0; i < n; i++) v[i] /= length;
  }
  PetscCall(PetscFree(F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDenseInvert(PetscInt n, PetscBool singular, PetscScalar *A)
{
  const PetscBLASInt bn = (PetscBLASInt)n;
  PetscBLASInt info;
  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  if (singular) {
    PetscReal mean = 0;
    PetscScalar *v;
    PetscCall(PetscMalloc1(n, &v));
    for (PetscInt i = 0; i < n; i++) mean += A[(size_t)i * n + i] / n;
    PetscCall(null_vector(n, A, 1e-9 * mean, v));
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt j = 0; j < n; j++) A[(size_t)i * n + j] += mean * v[i] * v[j];
    PetscCall(PetscFree(v));
  }
  PetscCall(factor(bn, A));
  LAPACKpotri_("L", &bn, A, &bn, &info);
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < i; j++) A[(size_t)i * n + j] = A[(size_t)j * n + i]; /* the lower one by columns */
  PetscFunctionReturn(PETSC_SUCCESS);
}
