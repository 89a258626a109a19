/* Velocities that alternate along open labels. */
#ifndef RHX_BOUNDARY_ROUGH_H
#define RHX_BOUNDARY_ROUGH_H
#include "boundary/boundary.h"

/* The open labels whose velocity differs by more than `rough` from the mean of the faces about each node, over its size, at least `least`, m/s, of
 * those with 4 (3D: 16) nodes or more whose velocity is not given; given ones are no part of it. x: the state's array. Collective. */
PetscErrorCode RhxBoundaryGetRough(RhxBoundary bc, const PetscScalar *x, PetscReal least, PetscReal rough,
                                   RhxTold *labels);

#endif
