/* The verb eigen: modes of a flow linearised about a steady state. */
#ifndef RHX_APP_EIGEN_H
#define RHX_APP_EIGEN_H
#include <petscsys.h>

PetscErrorCode RhxAppEigenRegisterOptions(void);
PetscErrorCode RhxAppEigen(const char *word);
#endif
