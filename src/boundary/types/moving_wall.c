#include "boundary/types/shared.h"

static PetscErrorCode check(RhxCondition *c)
{
  PetscFunctionBegin;
  PetscCall(RhxConditionCheckVelocity(c));
  PetscCall(RhxConditionNeedVelocity(c, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static unsigned gives(const RhxCondition *c)
{
  return RHX_TYPE_VELOCITY | RHX_TYPE_NO_SLIP | RhxConditionGivesSwirl(c);
}

const RhxConditionType RhxConditionType_moving_wall = {
    RHX_CONDITION_ENTRY("moving_wall", "wall with a given velocity"),
    .priority = 1,
    .flags = RHX_TYPE_VELOCITY | RHX_TYPE_NO_SLIP,
    .shared = " type velocity velocity_scale velocity_time_scale velocity_interpolation velocity_rows ramp ",
    .check = check,
    .gives = gives,
    .changes = RhxConditionChanges,
    .velocity = RhxConditionVelocity,
    .swirl = RhxConditionSwirl};
