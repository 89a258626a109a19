/* Motion of a wall beside a developed profile, which has what of it is along the flow. */
#ifndef RHX_MOTION_IMPL_H
#define RHX_MOTION_IMPL_H
#include <rheoplex/condition.h>

typedef struct {
  RhxCondition *wall; /* borrowed, as are */
  PetscInt n;
  const PetscReal *x;    /* [n][dim], places of it on the profile's label, and */
  const PetscReal *flow; /* unit vector of the velocity */
  PetscBool along;       /* the flow, now or, it may be, at another time: of RhxMotionLook */
  PetscBool across;
} RhxMotion;

PetscBool
RhxMotionMay(const RhxCondition *wall); /* of a type that gives a velocity; not the turning about an axis of symmetry */
/* u[n][dim] of the wall at t after it is raised. */
PetscErrorCode RhxMotionVelocity(const RhxMotion *m, double t, PetscReal *u);
/* Finds along and across. */
PetscErrorCode RhxMotionLook(RhxMotion *m);
/* After that: an error for a fastest velocity of c beside a wall that moves along the flow; tells of one that moves across it. Collective. */
PetscErrorCode RhxMotionTell(const RhxCondition *c, const RhxMotion *m);
#endif
