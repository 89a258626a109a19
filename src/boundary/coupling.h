/* Labels whose pressure follows their flux: what flow the pressures drive, and the pressures of a next step. */
#ifndef RHX_COUPLING_H
#define RHX_COUPLING_H
#include "boundary/impl.h"

/* Does the condition move on after steps? */
PetscBool RhxConditionMoves(const RhxCondition *c);
/* Collective; nothing where no label follows. */
PetscErrorCode RhxBoundarySetUpFollowing(RhxBoundary bc);
/* After the conditions have moved on to t by a step of dt: pressures of the next one. Collective. */
PetscErrorCode RhxBoundaryFollow(RhxBoundary bc, double t, double dt);
#endif
