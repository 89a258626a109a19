/* Labels whose pressure, or developed stress, follows their flux: what flow the pressures drive, and the pressures of a next step. */
#ifndef RHX_COUPLING_IMPL_H
#define RHX_COUPLING_IMPL_H
#include "boundary/impl.h"
#include <petscksp.h>

/* Does the condition move on after steps? Does the scheme solve for what it gives with the flow? */
PetscBool RhxConditionMoves(const RhxCondition *c), RhxConditionIsSolved(const RhxCondition *c);
/* Collective; nothing where no label follows. */
PetscErrorCode RhxBoundarySetUpFollowing(RhxBoundary bc);
/* After the conditions have moved on to t by a step of dt: pressures of the next one. Collective. */
PetscErrorCode RhxBoundaryFollow(RhxBoundary bc, double t, double dt);
/* Adds to x[nowned][bs] the given pressure of open labels, harmonic between them, with which a fluid at rest stays so. Collective. */
PetscErrorCode RhxBoundaryInitialPressure(RhxBoundary bc, double t, PetscScalar *x);
/* phi = 0 at the nodes of open labels. */
typedef struct {
  Mat K, A; /* the Laplacian; with unit rows at those nodes */
  KSP ksp;  /* of A; begins at phi */
  Vec phi, b;
} RhxLaplace;
/* Collective. */
PetscErrorCode RhxLaplaceCreate(RhxBoundary bc, RhxLaplace *laplace);
PetscErrorCode RhxLaplaceDestroy(RhxLaplace *laplace);
#endif
