#include "form/host/totals.h"
#include "form/host/kernel.h"
#include "form/inside_impl.h"
#include "kernels/totals.h"
#include "petsc_compat.h"

PetscErrorCode RhxFormTotalsOf(RhxForm form, double t, const PetscScalar *x, double *total)
{
  RhxPass pass = {.form = form, .t = t, .x = x, .out = total};
  double flops;
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(total, RHX_NTOTALS));
  for (PetscInt k = 0; k < form->space->ntypes; k++) PetscCall(form->in->kernel->totals(&pass, &form->space->cells[k]));
  PetscCall(RhxFormPassFlops(&pass, RHX_PASS_TOTALS, &flops));
  PetscCall(PetscLogFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}
