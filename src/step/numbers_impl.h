/* Numbers of a step that follow from its length and that of the step before, on the host; a device has a copy (kernels/clock.h). */
#ifndef RHX_STEP_NUMBERS_IMPL_H
#define RHX_STEP_NUMBERS_IMPL_H
#include "step/ops.h"

/* Of a step that begins. */
void RhxStepBegin(RhxOps ops, double t, double dt, double before);
/* What part of it a stage's is. */
double RhxStepPart(RhxOps ops, double part);
/* With its key, kept and known as in RhxClock. */
void RhxStepHistory(RhxOps ops, int key, double *kept, double *known);
/* What a velocity adds to the rate of subscales at a node, over the velocity, 1/m: 0.7 times the mean of 1/diameter of the elements
 * around it; 0 where fluid flows out by itself, which rates of the nodes do not keep. reach[nlocal], of ghosts too. Collective. */
PetscErrorCode RhxStepReach(RhxOps ops, PetscReal *reach);
#endif
