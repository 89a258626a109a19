/* Walls with slip. */
#ifndef RHX_BOUNDARY_SLIP_H
#define RHX_BOUNDARY_SLIP_H
#include "boundary/boundary.h"

/* The longest step of an explicit scheme that the friction of a label allows at t, s; label NULL: none bounds it. After SetUp. Collective. */
PetscErrorCode RhxBoundaryGetSlipStep(RhxBoundary bc, double t, double *dt, const char **label);
#endif
