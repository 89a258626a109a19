/* Profiles that end on walls with slip. */
#ifndef RHX_SLIDING_IMPL_H
#define RHX_SLIDING_IMPL_H
#include <rheoplex/condition.h>

typedef struct {
  RhxCondition *wall; /* whose friction holds where the flow is not at rest; NULL: there is none. Borrowed */
  double t, a;        /* of its formulas; the flow is a-fold as fast as that of the run */
} RhxSliding;

PetscBool RhxConditionSlips(const RhxCondition *c); /* is the label a wall with slip and friction? */
/* Of a type with `friction`: is there any? */
PetscErrorCode RhxSlidingHasFriction(RhxCondition *c, PetscBool *has);
/* In the plane: do walls beside the label slip, all of them by one friction? wall NULL: no, or another friction than the profile has a place for. Collective. */
PetscErrorCode RhxSlidingFind(RhxCondition *c, RhxCondition **wall);
/* Is it another one than before? */
PetscBool RhxSlidingMove(RhxSliding *s, double t, double a);
/* tau[n], Pa, of n speeds >= 0 of the flow along the wall, m/s, and slope[n] dtau/dspeed; slope may be NULL. */
PetscErrorCode RhxSlidingStress(const RhxSliding *s, PetscInt n, const double *speed, double *tau, double *slope);
/* The speed at the stress T >= 0; `guess` > 0 is of its size. */
PetscErrorCode RhxSlidingSpeed(const RhxSliding *s, double T, double guess, double *speed);
#endif
