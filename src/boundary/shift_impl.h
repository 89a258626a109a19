/* Laws that scalar fields shift, at labels. */
#ifndef RHX_BOUNDARY_SHIFT_IMPL_H
#define RHX_BOUNDARY_SHIFT_IMPL_H
#include "boundary/impl.h"

/* From velocity gradients L[n][dim][dim] at places to those at which the laws are asked: times the shift factor there, factor[n], 1 without
 * shifts, or NULL. */
PetscErrorCode RhxConditionReduce(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *L,
                                  PetscReal *factor);
/* The one factor of a label with a developed profile; a failure is noted where there is more than one. */
PetscErrorCode RhxConditionGetShift(RhxCondition *c, double t, PetscReal *a);
/* Do the fields that the label gives shift the laws in another way at another time? */
PetscBool RhxConditionShiftsInTime(const RhxCondition *c);
#endif
