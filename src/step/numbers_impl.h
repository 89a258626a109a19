/* Numbers of a step that follow from its length and that of the step before, on the host; a device has a copy (kernels/clock.h). */
#ifndef RHX_STEP_NUMBERS_IMPL_H
#define RHX_STEP_NUMBERS_IMPL_H
#include "step/ops.h"

/* Of a step that begins. */
void RhxStepBegin(RhxOps ops, double t, double dt, double before);
/* What part of it a stage's is. */
double RhxStepPart(RhxOps ops, double part);
/* Whether subscales hand on what their balance lacked, e (theory.md, section 7): not where a pressure follows its flux. */
PetscBool RhxStepHandsOn(RhxOps ops);
/* With its key, kept and known as in RhxClock. */
void RhxStepHistory(RhxOps ops, int key, double *kept, double *known);
/* What a velocity adds to the rate of subscales at a node, over the velocity, 1/m: 0.7 times the mean of 1/diameter of the elements
 * around it; 0 where the pressure is given. reach[nlocal], of ghosts too. Collective. */
PetscErrorCode RhxStepReach(RhxOps ops, PetscReal *reach);
/* What part of a row of M_c is of nodes whose pressure is not given. part[nlocal], of ghosts too. Collective. */
PetscErrorCode RhxStepFreeMass(RhxOps ops, PetscReal *part);
#endif
