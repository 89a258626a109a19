#include "form/relaxation.h"
#include "form/scalars.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include "plugin/option.h"

#define NO_VISCOSITY 1e-5 /* of that at 1 1/s; shear rates are regularised */

PetscErrorCode RhxFormRelaxationTimeOf(RhxForm form, PetscInt mode, double *lambda)
{
  const RhxPointLaw *point = RhxPointLawGet(3, 6, RHX_KIND_DOUBLE);
  const double L[9] = {0}, rest[6] = {1.0, 1.0, 1.0};
  double prop[3], shift[2]; /* prop: eta_p, lambda, G */
  PetscFunctionBegin;
  point->properties(form->mode[mode].law, form->mode[mode].par, L, rest, prop);
  PetscCall(RhxFormUsualShift(form, shift));
  *lambda = shift[0] * prop[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormRelaxationTime(RhxForm form, double *longest)
{
  double lambda;
  PetscFunctionBegin;
  *longest = 0.0;
  for (PetscInt m = 0; m < form->nmodes; m++) {
    PetscCall(RhxFormRelaxationTimeOf(form, m, &lambda));
    *longest = PetscMax(*longest, lambda);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormViscosityAt(RhxForm form, double rate, double *eta)
{
  const RhxPointLaw *point = RhxPointLawGet(3, 6, RHX_KIND_DOUBLE);
  const double still[9] = {0.0}, rest[6] = {1.0, 1.0, 1.0};
  double prop[3], shift[2], L[9] = {0.0}; /* prop: eta_p, lambda, G */
  PetscFunctionBegin;
  PetscCall(RhxFormUsualShift(form, shift));
  L[1] = shift[0] * rate;
  *eta = 0.0;
  if (form->viscous) point->viscosity(form->viscous, form->viscous_par, L, eta);
  *eta *= shift[0] * shift[1];
  for (PetscInt m = 0; m < form->nmodes; m++) {
    point->properties(form->mode[m].law, form->mode[m].par, still, rest, prop);
    *eta += shift[0] * prop[0];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormIsInviscidAtRest(RhxForm form, size_t size, char *what, PetscBool *inviscid)
{
  char option[300];
  double still, sheared;
  PetscFunctionBegin;
  PetscCall(RhxFormViscosityAt(form, 0.0, &still));
  PetscCall(RhxFormViscosityAt(form, 1.0, &sheared));
  *inviscid = (PetscBool)(form->viscous && sheared > 0.0 && still <= NO_VISCOSITY * sheared);
  what[0] = '\0';
  if (!*inviscid) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(option, sizeof(option), "physics_%s_viscosity_min", form->viscous->name);
  snprintf(what, size, "%s%s%s-initial_velocity, for the viscosity of %s at rest is 0",
           RhxOptionIsKnown(option) ? "-" : "", RhxOptionIsKnown(option) ? option : "",
           RhxOptionIsKnown(option) ? " above 0, or " : "", form->viscous->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}
