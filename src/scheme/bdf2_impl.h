/* Integrator `bdf2` of `fractional_step`: two-step backward differentiation with implicit, linearised momentum
 * (share/doc/theory.md, section 7). */
#ifndef RHX_SCHEME_BDF2_IMPL_H
#define RHX_SCHEME_BDF2_IMPL_H
#include "scheme/type_impl.h"

/* Settings, and what must not be beside it. Before the form is known; */
PetscErrorCode RhxBdf2Configure(RhxScheme sc);
/* and after. Asks for the array of the predicted state. */
PetscErrorCode RhxBdf2Arrays(RhxScheme sc);
PetscErrorCode RhxBdf2Step(RhxScheme sc);
/* The Courant number alone: accuracy, no limit of stability. */
double RhxBdf2Limits(RhxScheme sc, double rate[RHX_NLIMITS]);
/* Of the type (type_impl.h): what subscales hand on and, with implicit transport of modes, the velocity's rate before the last. */
PetscInt RhxBdf2HandedWidth(RhxScheme sc);
PetscErrorCode RhxBdf2Hand(RhxScheme sc, PetscBool give, double number[2], PetscScalar *nodes);
#endif
