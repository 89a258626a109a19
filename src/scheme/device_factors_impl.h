/* Direct factors on a device by NVIDIA's cuDSS, which is opened at run time: -pc_type lu -pc_factor_mat_solver_type cudss, of a
 * MATSEQAIJCUSPARSE (one rank, -device cuda, a PETSc with CUDA). A matrix of the same pattern is factored in the order that was found for
 * the first one. Pivots are sought within blocks alone; those that are none are replaced, and a Krylov method mends what that costs. */
#ifndef RHX_DEVICE_FACTORS_IMPL_H
#define RHX_DEVICE_FACTORS_IMPL_H
#include <petscmat.h>

#define RHX_SOLVER_CUDSS "cudss"

/* Once, before types are set. */
PetscErrorCode RhxCudssRegister(void);
/* Of factors that failed: bytes of the device that they need at most, 0: not known. */
PetscErrorCode RhxCudssGetNeeded(Mat factors, double *bytes);
#endif
