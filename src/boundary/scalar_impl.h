/* Conditions and initial values of scalar fields. */
#ifndef RHX_BOUNDARY_SCALAR_IMPL_H
#define RHX_BOUNDARY_SCALAR_IMPL_H
#include "boundary/impl.h"
#include "boundary/scalar.h"

PetscErrorCode RhxConditionReadScalars(RhxBoundary bc, RhxCondition *c);
PetscErrorCode RhxBoundaryListScalars(RhxBoundary bc);
PetscErrorCode RhxBoundaryScalars(RhxBoundary bc, double t); /* their values, and fluxes into form->load */
PetscErrorCode RhxBoundaryInitialScalars(RhxBoundary bc, double t, PetscScalar *x);
/* scalar_given.c: of conditions at t, and of a row of the sources at local nodes. */
PetscErrorCode RhxBoundaryBeginGiven(RhxBoundary bc);
PetscErrorCode RhxBoundaryNoteGiven(RhxBoundary bc, double t);
void RhxBoundaryNoteSource(RhxBoundary bc, PetscInt row, const PetscReal *value);
PetscErrorCode RhxConditionViewScalars(RhxBoundary bc, const RhxCondition *c, PetscViewer viewer);
PetscErrorCode RhxConditionDestroyScalars(RhxBoundary bc, RhxCondition *c);
#endif
