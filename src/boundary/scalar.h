/* Conditions of scalar fields for other rooms. */
#ifndef RHX_BOUNDARY_SCALAR_H
#define RHX_BOUNDARY_SCALAR_H
#include "boundary/boundary.h"

/* Of scalar field k: does the label give its value? The flux into the domain that it gives else, over all its faces, of
 * the state x[nlocal][bs] where there is a film. Collective. */
PetscErrorCode RhxBoundaryGivesScalar(RhxBoundary bc, const char *label, PetscInt k, PetscBool *gives);
/* Does any label say a level of it: its value, that of what comes in, or what a film is beside? */
PetscErrorCode RhxBoundaryHoldsScalar(RhxBoundary bc, PetscInt k, PetscBool *holds);
/* Its value, or that of what comes in. */
PetscErrorCode RhxBoundaryBringsScalar(RhxBoundary bc, const char *label, PetscInt k, PetscBool *brings);
PetscErrorCode RhxBoundaryScalarFlux(RhxBoundary bc, const char *label, PetscInt k, double t, const PetscScalar *x,
                                     PetscReal *into);
/* Of scalar fields that vary about what they begin with, in the form: means of their initial formulas at t = 0, of four digits. Collective. */
PetscErrorCode RhxBoundarySetLevels(RhxBoundary bc);
#endif
