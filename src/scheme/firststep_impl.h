/* The first step of an integrator whose error is told by the steps before (beuler, theta, cn), chosen by its error. */
#ifndef RHX_FIRSTSTEP_IMPL_H
#define RHX_FIRSTSTEP_IMPL_H
#include <petscts.h>

/* TSStep from the present state; where the TS restarts and chooses steps by their error, in the largest of the groups whose absolute
 * tolerances are in tolerance[n] and whose mean squares in all rows are multiplied by part[n], with a first step that holds it. Collective. */
PetscErrorCode RhxFirstStep(TS ts, PetscInt n, const Vec *tolerance, const double *part);
#endif
