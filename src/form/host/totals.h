/* Totals (kernels/totals.h) of this rank's elements on the host. */
#ifndef RHX_FORM_TOTALS_H
#define RHX_FORM_TOTALS_H
#include "form/form.h"

/* total[RHX_NTOTALS] at time t of x[nlocal][bs], with the form's sources. */
PetscErrorCode RhxFormTotalsOf(RhxForm form, double t, const PetscScalar *x, double *total);
#endif
