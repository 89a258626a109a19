/* Labels whose pressure, or developed stress, follows their flux: what flow the pressures drive, and the pressures of a next step. */
#ifndef RHX_COUPLING_IMPL_H
#define RHX_COUPLING_IMPL_H
#include "boundary/impl.h"
#include <petscksp.h>

/* Does the condition move on after steps? Does the scheme solve for what it gives with the flow? */
PetscBool RhxConditionMoves(const RhxCondition *c), RhxConditionIsSolved(const RhxCondition *c);
/* Volume flux out of the domain of x[nlocal][bs]. Collective. */
PetscErrorCode RhxConditionMeasureFlux(RhxCondition *c, const PetscScalar *x, double *flux);
/* Collective; nothing where no label follows. */
PetscErrorCode RhxBoundarySetUpFollowing(RhxBoundary bc);
/* After the conditions have moved on to t: the fluxes of then. Before a step of dt from t, or a second attempt at it: pressures of its end.
 * Collective. */
PetscErrorCode RhxBoundaryFollow(RhxBoundary bc, double t);
PetscErrorCode RhxBoundaryForeseeFollowing(RhxBoundary bc, double t, double dt);
/* Adds to x[nowned][bs] the given pressure of open labels, between them harmonic or, where it weighs, that of the body force, with which a fluid at rest stays
 * so. Collective. */
PetscErrorCode RhxBoundaryInitialPressure(RhxBoundary bc, double t, PetscBool weighs, PetscScalar *x);
/* Of open labels whose given pressure is not that of x[nowned][bs]. Collective. */
PetscErrorCode RhxBoundaryWarnOfLevels(RhxBoundary bc, double t, const PetscScalar *x);
/* p[nowned], given where open, becomes the pressure of a fluid at rest under the body force (weight.c); weighs FALSE: there is none that a
 * pressure balances. Collective. */
PetscErrorCode RhxBoundaryWeigh(RhxBoundary bc, double t, PetscScalar *p, PetscBool *weighs);
PetscBool RhxConditionHasLevel(const RhxCondition *c); /* is it open? */
/* The pressure that an open label gives at a node; of one that follows its flux what it has come to. */
PetscErrorCode RhxConditionLevelAt(RhxCondition *c, double t, PetscInt node, PetscReal *p);
/* phi = 0 at the nodes of open labels. */
typedef struct {
  Mat K, A; /* the Laplacian; with unit rows at those nodes */
  KSP ksp;  /* of A; begins at phi */
  Vec phi, b;
} RhxLaplace;
#define RHX_LAPLACE_ITERATIONS 20000
/* Collective. Extend: phi, given at the nodes of open labels and 0 elsewhere, becomes harmonic between them; b is written. */
PetscErrorCode RhxLaplaceCreate(RhxBoundary bc, RhxLaplace *laplace);
PetscErrorCode RhxLaplaceExtend(RhxBoundary bc, RhxLaplace *laplace, KSPConvergedReason *reason);
PetscErrorCode RhxLaplaceDestroy(RhxLaplace *laplace);
#endif
