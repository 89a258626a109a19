#include "form/relaxation.h"
#include "form/scalars.h"
#include "law/lawcheck.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include <math.h>

#define RATES 12          /* in two decades, */
#define WIDER 1.05        /* with a difference so wide */
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

PetscErrorCode RhxFormLeastSlope(RhxForm form, double rate, double *slope)
{
  const RhxPointLaw *point = RhxPointLawGet(3, 6, RHX_KIND_DOUBLE);
  PetscFunctionBegin;
  *slope = 1.0;
  if (!form->viscous || !(rate > 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k <= RATES; k++) {
    double eta[2];
    for (int side = 0; side < 2; side++) {
      const double L[9] = {0.0, rate * pow(10.0, -2.0 * k / RATES) * (side ? WIDER : 1.0 / WIDER)};
      point->viscosity(form->viscous, form->viscous_par, L, &eta[side]);
    }
    if (eta[0] > 0.0 && eta[1] > 0.0) *slope = PetscMin(*slope, 1.0 + log(eta[1] / eta[0]) / log(WIDER * WIDER));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormFindUncommuting(RhxForm form, const char **law)
{
  PetscFunctionBegin;
  *law = NULL;
  for (PetscInt m = 0; m < form->nmodes && !*law; m++) {
    const RhxFormMode *fm = &form->mode[m];
    const RhxLawCase lc = {fm->law, fm->par, fm->slip, fm->number, 3, 6};
    PetscBool commutes;
    PetscCall(RhxLawCommutes(&lc, &commutes));
    if (!commutes) *law = fm->law->name;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormCrossStress(RhxForm form, double rate, double *ratio)
{
  const RhxPointLaw *point = RhxPointLawGet(3, 6, RHX_KIND_DOUBLE);
  const double L[9] = {0.0, rate};
  double along = 0.0, shear = 0.0;
  PetscFunctionBegin;
  *ratio = 0.0;
  if (form->viscous) point->viscosity(form->viscous, form->viscous_par, L, &shear);
  shear *= rate;
  for (PetscInt m = 0; m < form->nmodes; m++) {
    const RhxFormMode *fm = &form->mode[m];
    const RhxPointMode pm = {fm->law, fm->par, fm->slip, 3, 6};
    double c[6] = {1.0, 1.0, 1.0}, tau[6], at = 0.0;
    PetscCall(RhxPointSteady(&pm, L, &at, c));
    if (at < 1.0) PetscFunctionReturn(PETSC_SUCCESS);
    point->stress(fm->law, fm->par, L, c, tau);
    along += tau[rhx_tensor_index(3, 6, 1, 1)];
    shear += tau[rhx_tensor_index(3, 6, 0, 1)];
  }
  if (shear > 0.0) *ratio = along / shear;
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
