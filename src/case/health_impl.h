/* What a failed run can save (health.c). */
#ifndef RHX_CASE_HEALTH_IMPL_H
#define RHX_CASE_HEALTH_IMPL_H
#include "case/case.h"
#include "scheme/scheme.h"

enum { RHX_SIZE_VELOCITY, RHX_SIZE_PRESSURE, RHX_SIZE_MODES, RHX_SIZE_INDEFINITE, RHX_NSIZES };

/* A state of which the scheme has a copy. */
typedef struct {
  PetscInt step;
  double t, dt, given_t; /* of its conditions */
  int slot;              /* of the scheme */
  double size[RHX_NSIZES];
} RhxKeptState;

typedef struct {
  PetscInt step;
  double size[RHX_NSIZES]; /* the largest up to this step */
} RhxLargestSizes;

#define RHX_MAX_LARGEST 64

typedef struct {
  int n, nlargest;
  RhxKeptState state[RHX_KEPT_STATES]; /* the oldest first */
  RhxLargestSizes largest[RHX_MAX_LARGEST];
  PetscInt calm;  /* last step looked at that was not yet far from the states before */
  RhxStepInfo at; /* of the step from there: its CFL numbers are that state's; step 0: not done */
} RhxGoodState;

PetscErrorCode RhxGoodStateBegin(RhxCase rc, PetscInt step, double t, double dt);
PetscErrorCode RhxGoodStateStep(RhxCase rc, const RhxStepInfo *info); /* after a step, good or not */
/* Writes checkpoint and fields; says where and, if asked to advise, what would help a run that has blown up. */
PetscErrorCode RhxGoodStateSave(RhxCase rc, PetscBool blown, PetscBool advise, size_t size, char *where);
#endif
