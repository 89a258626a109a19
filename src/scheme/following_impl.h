/* Labels whose pressure follows their flux, P_k = f_k(Q_k), or whose stress is developed of it, P_k = Q_k (k counts a label of both twice), solved for with the flow: Q_k is
 * linear in the unknowns, R in a pressure,
 *
 *   J = dR/dx + sum_k dR/dP_k f'_k dQ_k/dx
 *
 * of which the matrix that preconditions has the first part: one direction more a label for GMRES. f_k is that of the label over the way
 * from the start of a step to where the equations are taken; at rest while no step has begun. Of disturbances exp(z t) of rest
 *
 *   f'_k(z) = f'_k - G_k + G_k/(1 + z T_k),  G_k the part of the slope that comes late and T_k its time */
#ifndef RHX_FOLLOWING_IMPL_H
#define RHX_FOLLOWING_IMPL_H
#include "step/ops.h"

typedef struct _RhxFollowing *RhxFollowing;
struct _RhxFollowing {
  RhxBoundary bc; /* borrowed */
  PetscInt n;
  Vec *weight, *column; /* [n] dQ_k/dx, dR/dP_k by the caller */
  double *flux, *value, *slope;
  double *gain, *time; /* [n] G, T, s; 0 until they are asked for */
  PetscBool pressures; /* is there a pressure among the values? */
  double start;        /* of the step, s; -infinite: at rest */
};

/* *out NULL: no label follows. Collective, as all here. */
PetscErrorCode RhxFollowingCreate(RhxOps ops, RhxFollowing *out);
PetscErrorCode RhxFollowingDestroy(RhxFollowing *following);
PetscErrorCode RhxFollowingBegin(RhxFollowing following, double t, Vec x); /* a step, at x */
/* From the next RhxBoundarySetTime on the values are those of x at t. */
PetscErrorCode RhxFollowingSet(RhxFollowing following, double t, Vec x);
/* The same values again, but number k (-1: none) by `more` above it. */
PetscErrorCode RhxFollowingRaise(RhxFollowing following, PetscInt k, double more);
/* Of a difference that the residual does not drown; linear: one of one side is exact. */
PetscErrorCode RhxFollowingStep(RhxFollowing following, PetscInt k, double *step, PetscBool *linear);
PetscErrorCode RhxFollowingMultiply(RhxFollowing following, Vec v, Vec y); /* what they add to y = J v */
PetscErrorCode RhxFollowingNeedLags(RhxFollowing following);               /* error of a label that does not say them */
void RhxFollowingRespond(RhxFollowing following, PetscInt k, const double z[2], double slope[2]); /* f'_k(z) */
#endif
