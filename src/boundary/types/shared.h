/* What the types of the library have in common. */
#ifndef RHX_CONDITION_SHARED_H
#define RHX_CONDITION_SHARED_H
#include "boundary/impl.h"

#define RHX_CONDITION_ENTRY(name, help) .entry = {sizeof(RhxConditionType), name, help}
PetscErrorCode RhxConditionCheckVelocity(RhxCondition *c); /* given once at most: by formula or as a parabola */
PetscErrorCode RhxConditionNeedVelocity(RhxCondition *c, PetscBool parabola); /* given at all */
PetscBool RhxConditionIsOpen(const RhxCondition *c); /* its faces have the traction of the flow itself */
unsigned RhxConditionChanges(RhxCondition *c, double t0, double t1); /* by formulas in t and ramps */
PetscErrorCode RhxConditionVelocity(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *u);
PetscErrorCode RhxConditionPressure(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *p);
unsigned RhxConditionGivesSwirl(const RhxCondition *c); /* where -bc_<label>_velocity has not two formulas */
PetscErrorCode RhxConditionSwirl(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *u);
/* Does an inlet have the azimuthal velocity of its developed profile, since it says nothing of it? */
PetscBool RhxConditionDevelopsSwirl(const RhxCondition *c);
/* Of a condition that gives the azimuthal velocity: u[n], m/s, at t. Does it change? */
PetscErrorCode RhxConditionTurn(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *u);
PetscBool RhxConditionTurnChanges(RhxCondition *c, double t0, double t1);
#endif
