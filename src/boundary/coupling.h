/* Labels whose pressure follows their flux: what flow the pressures drive, and the pressures of a next step. */
#ifndef RHX_COUPLING_H
#define RHX_COUPLING_H
#include "boundary/impl.h"
#include <petscksp.h>

/* Does the condition move on after steps? */
PetscBool RhxConditionMoves(const RhxCondition *c);
/* Collective; nothing where no label follows. */
PetscErrorCode RhxBoundarySetUpFollowing(RhxBoundary bc);
/* After the conditions have moved on to t by a step of dt: pressures of the next one. Collective. */
PetscErrorCode RhxBoundaryFollow(RhxBoundary bc, double t, double dt);
/* fixed: K with unit rows at the nodes of open labels; its solver. Collective. */
PetscErrorCode RhxBoundaryCreateLaplaceSolver(RhxBoundary bc, Mat K, Mat *fixed, KSP *ksp);
#endif
