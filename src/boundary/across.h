/* The pressure of developed flow over its section beside a second normal stress difference. */
#ifndef RHX_BOUNDARY_ACROSS_H
#define RHX_BOUNDARY_ACROSS_H
#include "boundary/boundary.h"

/* Does the outlet `label` give the pressure that its developed stress asks for over its section? */
PetscErrorCode RhxBoundaryGivesAcross(RhxBoundary bc, const char *label, PetscBool *gives);
/* Does the formula of its pressure differ over the label at a time from begin to end, and is it said what it means? Collective. */
PetscErrorCode RhxBoundaryPressureVaries(RhxBoundary bc, const char *label, double begin, double end, PetscBool *varies,
                                         PetscBool *said);
#endif
