#ifndef RHX_EIGENVALUE_H
#define RHX_EIGENVALUE_H
#include <petscsys.h>

/* Smallest eigenvalue of a symmetric tensor with ntens components (in plane flow: of the components carried). */
double RhxMinEigenvalue(PetscInt ntens, const PetscScalar *c);
#endif
