/* The pressure of developed flow over its section, of outlets. */
#ifndef RHX_ACROSS_IMPL_H
#define RHX_ACROSS_IMPL_H
#include "boundary/impl.h"

/* Is it an outlet of the developed stress over a straight section of the plane, a tube or an annulus? */
PetscBool RhxConditionGivesAcross(const RhxCondition *c);
/* p[n] += p(x) less its mean over the section, Pa, where it gives that. */
PetscErrorCode RhxConditionAddAcross(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *p);
#endif
