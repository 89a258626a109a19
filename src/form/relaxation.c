#include "form/relaxation.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"

PetscErrorCode RhxFormRelaxationTime(RhxForm form, double *longest)
{
  const RhxPointLaw *point = RhxPointLawGet(3, 6, RHX_KIND_DOUBLE);
  const double L[9] = {0}, rest[6] = {1.0, 1.0, 1.0};
  double prop[3]; /* eta_p, lambda, G */
  PetscFunctionBegin;
  *longest = 0.0;
  for (PetscInt m = 0; m < form->nmodes; m++) {
    point->properties(form->mode[m].law, form->mode[m].par, L, rest, prop);
    *longest = PetscMax(*longest, prop[1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormViscosityAt(RhxForm form, double rate, double *eta)
{
  const RhxPointLaw *point = RhxPointLawGet(3, 6, RHX_KIND_DOUBLE);
  const double L[9] = {0.0, rate}, still[9] = {0.0}, rest[6] = {1.0, 1.0, 1.0};
  double prop[3]; /* eta_p, lambda, G */
  PetscFunctionBegin;
  *eta = 0.0;
  if (form->viscous) point->viscosity(form->viscous, form->viscous_par, L, eta);
  for (PetscInt m = 0; m < form->nmodes; m++) {
    point->properties(form->mode[m].law, form->mode[m].par, still, rest, prop);
    *eta += prop[0];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
