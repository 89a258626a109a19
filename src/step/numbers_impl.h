/* Numbers of a step that follow from its length and that of the step before, on the host; a device has a copy (kernels/clock.h). */
#ifndef RHX_STEP_NUMBERS_IMPL_H
#define RHX_STEP_NUMBERS_IMPL_H
#include "step/ops.h"

/* Of a step that begins. */
void RhxStepBegin(RhxOps ops, double t, double dt, double before);
/* After it: conditions whose pressure rises. */
PetscErrorCode RhxStepBeginPressure(RhxOps ops);
/* What part of it a stage's is. */
double RhxStepPart(RhxOps ops, double part);
double RhxStepOpenPart(RhxOps ops); /* of K, times the diagonal of open nodes */
/* With its key, kept, known and share as in RhxClock. */
void RhxStepHistory(RhxOps ops, int key, double *kept, double *known, double *share);
/* Of films of scalar fields with the conditions that are set, 1/s: joins the rate of relaxation that result.stats has of the elements. Collective. */
PetscErrorCode RhxStepFilmRate(RhxOps ops, double *rate);
/* Mean of 1/diameter of the elements around a node, 1/m, for what a velocity convects: 0 in flow without convection (-form_convection). inverse[nlocal],
 * of ghosts too. Collective. */
PetscErrorCode RhxStepInverseDiameter(RhxOps ops, PetscReal *inverse);
PetscInt RhxStepEndOfMass(RhxOps ops); /* rows of a node before it have the consistent mass in add_mass */
/* RHX_GRADED, or infinity where all cells are simplices. Collective. */
PetscErrorCode RhxStepGraded(RhxOps ops, double *most);
/* What part of a row of M_c is of nodes whose pressure is not given; 0 where it is. part[nlocal], of ghosts too. Collective. */
PetscErrorCode RhxStepFreeMass(RhxOps ops, PetscReal *part);
#endif
