/* Laws in time at a point, in a velocity gradient that is given: L[dim][dim], row by row. */
#ifndef RHX_FORM_TRANSIENT_H
#define RHX_FORM_TRANSIENT_H
#include "form/form.h"

/* The conformation c[ntens] of RhxFormDeveloped. */
PetscErrorCode RhxFormSteady(RhxForm form, PetscInt mode, const double *L, double *c);
/* A step dt from c[0][ntens] to c[1 + stage][ntens], the last at its end (RhxPointTransient, with its error): L[places][dim][dim] and the
 * shift a[places] are those at the shares place[0] = 0 and so on of dt. unknown[places][ntens] of the representation, or NULL. */
#define RHX_FORM_PLACES 4
void RhxFormGetPlaces(double place[RHX_FORM_PLACES]);
PetscErrorCode RhxFormTransient(RhxForm form, PetscInt mode, const double *L, const double *a, double dt, double *c,
                                double *unknown, double *error);
#endif
