/* The heat of friction at walls that slip, as a flux of scalar fields. */
#ifndef RHX_WARMTH_IMPL_H
#define RHX_WARMTH_IMPL_H
#include <rheoplex/condition.h>

/* After its scalar fields are read; warms: the label has it, the same on every rank. */
PetscErrorCode RhxConditionSetUpWarmth(RhxCondition *c, PetscBool *warms);
PetscErrorCode RhxConditionDestroyWarmth(RhxCondition *c);
void RhxConditionTellWarmth(RhxCondition *c, const PetscScalar *flow); /* flow[nodes of the label's faces][bs] */
/* Of the flow that it was told, of this rank's faces: load[nlocal][bs] and slope[nlocal][nscalars][dim], its derivative in the node's
 * velocity, get their part. */
PetscErrorCode RhxConditionAddWarmth(RhxCondition *c, double t, PetscScalar *load, PetscScalar *slope);
/* sum += what field k gets through this rank's faces by the velocities of x[nlocal][bs], in its unit times m^3/s (2D: m^2/s). */
PetscErrorCode RhxConditionSumWarmth(RhxCondition *c, PetscInt k, double t, const PetscScalar *x, double *sum);
#endif
