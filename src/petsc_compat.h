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
#if defined(PETSC_USE_COMPLEX) || defined(PETSC_USE_64BIT_INDICES) || !defined(PETSC_USE_REAL_DOUBLE)
#error "Rheoplex needs PETSc with real double scalars and 32-bit indices"
#endif
#endif
