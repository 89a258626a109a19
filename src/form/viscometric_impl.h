/* Steady simple shear, in which the conformation of a law is a function of the shear rate, turned with the flow. */
#ifndef RHX_VISCOMETRIC_IMPL_H
#define RHX_VISCOMETRIC_IMPL_H
#include "form/form.h"
#include "law/pointlaw.h"

/* The steady c[ntens] of a mode at L[dim][dim] of its law, 1/s, and unless NULL its logarithm, from what is known of its rates; found: false where L is no simple shear, where
 * the law has no such state, or one that is not smooth in the rate: RhxPointSteady is to be asked. A function of L alone, whatever was
 * asked before. Not collective. */
PetscErrorCode RhxFormViscometric(RhxForm form, PetscInt mode, const RhxPointMode *law, const double *L, double *c,
                                  double *logc, PetscBool *found);
PetscErrorCode RhxFormForgetShear(RhxForm form); /* of laws that have changed: these states, and the flow curve */
#endif
