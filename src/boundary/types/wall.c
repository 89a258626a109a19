#include "boundary/types/shared.h"

static PetscErrorCode velocity(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *u)
{
  PetscFunctionBegin;
  (void)t;
  (void)x;
  PetscCall(PetscArrayzero(u, n * c->bc->space->dim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxConditionType RhxConditionType_wall = {RHX_CONDITION_ENTRY("wall", "no slip: u = 0"), .priority = 0,
                                                .flags = RHX_TYPE_VELOCITY | RHX_TYPE_NO_SLIP, .shared = " type ",
                                                .velocity = velocity};
