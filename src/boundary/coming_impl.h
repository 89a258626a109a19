/* Scalar fields of what comes in. */
#ifndef RHX_COMING_IMPL_H
#define RHX_COMING_IMPL_H
#include <rheoplex/condition.h>

/* After its scalar fields are read, of a label that gives one so. Collective. */
PetscErrorCode RhxConditionSetUpComing(RhxCondition *c);
PetscErrorCode RhxConditionDestroyComing(RhxCondition *c);
PetscErrorCode RhxConditionTellComing(RhxCondition *c,
                                      const PetscScalar *flow); /* flow[nodes of the label's faces][bs] */
/* Of the flow that it was told, of owned nodes: coefficient and slope of field k into bc->film, c_in times it into bc->fluxes. */
PetscErrorCode RhxConditionAddComing(const RhxCondition *c, PetscInt k, double t);
/* sum += what field k gets by it at this rank's nodes, beside what convection brings with the nodes' own values; x[nlocal][bs]. */
PetscErrorCode RhxConditionSumComing(const RhxCondition *c, PetscInt k, double t, const PetscScalar *x, double *sum);
#endif
