/* What MPI can do with device memory. */
#ifndef RHX_MPI_IMPL_H
#define RHX_MPI_IMPL_H
#include <petscsys.h>

PetscBool RhxMpiIsCudaAware(void); /* takes pointers to device memory; after MPI_Init */
/* Before PetscInitialize, and when all options are known: PETSc hands device memory to MPI only if MPI takes it or
 * -use_gpu_aware_mpi says so. Left alone, PETSc ends the program at the first use of a device. */
void RhxMpiBeforePetsc(void);
PetscErrorCode RhxMpiAfterOptions(void);
#endif
