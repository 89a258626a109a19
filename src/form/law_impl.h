/* A mode's law at a point, as src/law takes it. */
#ifndef RHX_FORM_LAW_IMPL_H
#define RHX_FORM_LAW_IMPL_H
#include "form/form.h"
#include "law/pointlaw.h"

RhxPointMode RhxFormPointMode(RhxForm form, PetscInt mode); /* borrows from the form */
/* Gradients as laws see them, of n of the form's: those, or in whole[n][3][3] those of the plane in space. */
const double *RhxFormWholeGradient(RhxForm form, PetscInt n, const double *plane, double *whole);
#endif
