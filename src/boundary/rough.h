/* Velocities that alternate along open labels. */
#ifndef RHX_BOUNDARY_ROUGH_H
#define RHX_BOUNDARY_ROUGH_H
#include "boundary/boundary.h"

/* The open label whose velocity differs most from the mean of the faces about each node, over its size, of those with 4 (3D: 16) nodes or
 * more whose velocity is not given; x: the state's array. label NULL: there is none. Collective. */
PetscErrorCode RhxBoundaryGetRoughest(RhxBoundary bc, const PetscScalar *x, PetscReal *rough, const char **label);

#endif
