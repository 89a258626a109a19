#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "case/mpi_impl.h"
#include "petsc_compat.h"
#include <dlfcn.h>

PetscBool RhxMpiIsCudaAware(void)
{
  int (*query)(void); /* Open MPI, MPICH */

  *(void **)&query = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
  return (PetscBool)(query && query());
}

void RhxMpiBeforePetsc(void) { use_gpu_aware_mpi = PETSC_FALSE; }

PetscErrorCode RhxMpiAfterOptions(void)
{
  PetscFunctionBegin;
  use_gpu_aware_mpi = RhxMpiIsCudaAware();
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-sf_use_gpu_aware_mpi", &use_gpu_aware_mpi, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-use_gpu_aware_mpi", &use_gpu_aware_mpi, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
