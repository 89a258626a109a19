/* Laws in time at a point, in a velocity gradient that is given: L[dim][dim], row by row. */
#ifndef RHX_FORM_TRANSIENT_H
#define RHX_FORM_TRANSIENT_H
#include "form/form.h"

/* The conformation c[ntens] of RhxFormDeveloped. */
PetscErrorCode RhxFormSteady(RhxForm form, PetscInt mode, const double *L, double *c);
/* c[ntens] moves on by a step dt (RhxPointTransient, with its error): L[stages][dim][dim] and the shift a[stages] are those at the shares `stage`
 * of dt. */
#define RHX_FORM_STAGES 3
void RhxFormGetStages(double stage[RHX_FORM_STAGES]);
void RhxFormTransient(RhxForm form, PetscInt mode, const double *L, const double *a, double dt, double *c,
                      double *error);
#endif
