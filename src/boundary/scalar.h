/* Conditions of scalar fields for other rooms. */
#ifndef RHX_BOUNDARY_SCALAR_H
#define RHX_BOUNDARY_SCALAR_H
#include "boundary/boundary.h"

/* Least and greatest of values and of what comes in, or is beyond a film; of what diffuses in, infinite where friction warms; of the source by
 * formula. What is no number is infinite. */
typedef struct {
  double value[2], flux[2], source[2];
} RhxScalarGiven;

/* Of scalar field k: does the label give its value? The flux into the domain that it gives else, over all its faces, of
 * the state x[nlocal][bs] where there is a film. Collective. */
PetscErrorCode RhxBoundaryGivesScalar(RhxBoundary bc, const char *label, PetscInt k, PetscBool *gives);
/* Does any label say a level of it: its value, that of what comes in, or what a film is beside? */
PetscErrorCode RhxBoundaryHoldsScalar(RhxBoundary bc, PetscInt k, PetscBool *holds);
/* Its value, or that of what comes in. */
PetscErrorCode RhxBoundaryBringsScalar(RhxBoundary bc, const char *label, PetscInt k, PetscBool *brings);
/* Least and largest value that a label gives field k at its nodes, of what comes in or about its film, at 17 times from t to end if it depends on
 * it; label NULL: of what the run begins with, at all nodes. given FALSE: it gives none. Collective. */
PetscErrorCode RhxBoundaryScalarRange(RhxBoundary bc, const char *label, PetscInt k, double t, double end,
                                      PetscReal range[2], PetscBool *given);
PetscErrorCode RhxBoundaryScalarFlux(RhxBoundary bc, const char *label, PetscInt k, double t, const PetscScalar *x,
                                     PetscReal *into);
/* Of scalar field k, in its unit, m/s times it and it over s, since this run began, but its start: from the least to the greatest. now: of values
 * those of the last evaluation alone. None are given: from infinity to minus infinity. Collective. */
PetscErrorCode RhxBoundaryGetScalarGiven(RhxBoundary bc, PetscInt k, PetscBool now, RhxScalarGiven *given);
/* Of scalar fields that vary about what they begin with, in the form: means of their initial formulas at t = 0, of four digits. Collective. */
PetscErrorCode RhxBoundarySetLevels(RhxBoundary bc);
#endif
