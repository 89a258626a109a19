/* What differs between PETSc 3.18 and 3.25, in one place. */
#ifndef RHX_PETSC_COMPAT_H
#define RHX_PETSC_COMPAT_H
#include <petscsys.h>

#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS ((PetscErrorCode)0)
#endif
#if PETSC_VERSION_LT(3, 22, 0)
#define PETSC_CURRENT PETSC_DEFAULT
#endif
/* What the option of that name sets; in some versions a private header declares it. */
PETSC_EXTERN PetscBool use_gpu_aware_mpi;
#if PETSC_VERSION_LT(3, 20, 0)
#define RHX_OPTION_SOURCE /* parameter of a monitor of options */
#else
#define RHX_OPTION_SOURCE PETSC_UNUSED PetscOptionSource source,
#endif
/* Whether PETSc keeps logs of several kinds beside each other: its default one beside a nested one or a trace. */
#define RHX_LOGS_COEXIST PETSC_VERSION_GE(3, 20, 0)
/* Without weights. */
#if PETSC_VERSION_LT(3, 21, 0)
#define RhxPartitionerPartition(part, n, nv, start, neighbour, section, is) \
  PetscPartitionerPartition(part, n, nv, start, neighbour, NULL, NULL, section, is)
#else
#define RhxPartitionerPartition(part, n, nv, start, neighbour, section, is) \
  PetscPartitionerPartition(part, n, nv, start, neighbour, NULL, NULL, NULL, section, is)
#endif
#if PETSC_VERSION_LT(3, 23, 0)
typedef PetscOptionItems *RhxOptionItems;
#define RhxOptionsInsertArgs(options, n, words) PetscOptionsInsertArgs(options, n, (char **)(words))
#else
typedef PetscOptionItems RhxOptionItems;
#define RhxOptionsInsertArgs(options, n, words) PetscOptionsInsertArgs(options, n, (const char *const *)(words))
#endif
/* The DM of a KSP says what the unknowns are; operators and right-hand sides come from elsewhere. */
#if PETSC_VERSION_LT(3, 25, 0)
#define RhxKSPSetDMPassive(ksp) KSPSetDMActive(ksp, PETSC_FALSE)
#else
#define RhxKSPSetDMPassive(ksp) KSPSetDMActive(ksp, KSP_DMACTIVE_ALL, PETSC_FALSE)
#endif
/* A PETSc without devices counts their operations as its own. */
#if defined(PETSC_HAVE_DEVICE)
#define RhxLogGpuFlops(n) PetscLogGpuFlops(n)
#else
#define RhxLogGpuFlops(n) PetscLogFlops(n)
#endif
/* Memory of PetscMalloc that goes with its container. */
#if PETSC_VERSION_LT(3, 23, 0)
#define RhxContainerSetFree(container) PetscContainerSetUserDestroy(container, PetscContainerUserDestroyDefault)
#else
#define RhxContainerSetFree(container) PetscContainerSetCtxDestroy(container, PetscCtxDestroyDefault)
#endif
#if defined(PETSC_USE_COMPLEX) || defined(PETSC_USE_64BIT_INDICES) || !defined(PETSC_USE_REAL_DOUBLE)
#error "Rheoplex needs PETSc with real double scalars and 32-bit indices"
#endif
#endif
