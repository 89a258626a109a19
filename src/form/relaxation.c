#include "form/relaxation.h"
#include "form/scalars.h"
#include "law/lawcheck.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include <math.h>

#define RATES 12          /* in two decades, */
#define WIDER 1.05        /* with a difference so wide */
#define FAST 1e3          /* 1/s, and its inverse: between them */
#define CONSTANT 1e-9     /* of a viscosity */
#define STEPS 25          /* of a start-up, and */
#define LINEAR 1e-6       /* of its stress: beside its linear response */
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

PetscErrorCode RhxFormComplexViscosity(RhxForm form, double omega, double eta[2])
{
  const RhxPointLaw *point = RhxPointLawGet(3, 6, RHX_KIND_DOUBLE);
  const double still[9] = {0.0}, rest[6] = {1.0, 1.0, 1.0};
  double prop[3]; /* eta_p, lambda, G */
  PetscFunctionBegin;
  eta[0] = eta[1] = 0.0;
  if (form->viscous) point->viscosity(form->viscous, form->viscous_par, still, &eta[0]);
  for (PetscInt m = 0; m < form->nmodes; m++) {
    point->properties(form->mode[m].law, form->mode[m].par, still, rest, prop);
    const double turn = omega * prop[1];
    eta[0] += prop[0] / (1.0 + turn * turn);
    eta[1] -= prop[0] * turn / (1.0 + turn * turn);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is it eta_p (1 - exp(-t/lambda)) over the rate, in start-up at Wi 1 after half a relaxation time, and eta_p in steady flow? */
static PetscErrorCode is_linear(const RhxFormMode *fm, PetscBool *linear)
{
  const RhxPointLaw *point = RhxPointLawGet(3, 6, RHX_KIND_DOUBLE);
  const RhxPointMode pm = {fm->law, fm->par, fm->slip, 3, 6};
  const double still[9] = {0.0}, a[RHX_POINT_PLACES] = {1.0, 1.0, 1.0, 1.0};
  const PetscInt shear = rhx_tensor_index(3, 6, 0, 1);
  double prop[3], L[9 * RHX_POINT_PLACES] = {0.0}, c[6 * RHX_POINT_PLACES] = {1.0, 1.0, 1.0},
                        steady[6] = {1.0, 1.0, 1.0};
  double tau[2][6], error = 0.0, at = 0.0;
  PetscFunctionBegin;
  point->properties(fm->law, fm->par, still, c, prop);
  *linear = PETSC_TRUE;
  if (!(prop[1] > 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < RHX_POINT_PLACES; k++) L[9 * k + 1] = 1.0 / prop[1];
  for (int k = 0; k < STEPS && error < PETSC_INFINITY; k++) {
    RhxPointTransient(&pm, L, a, 0.5 / STEPS * prop[1], c, &error);
    PetscCall(PetscArraycpy(c, c + 6 * (RHX_POINT_PLACES - 1), 6));
  }
  PetscCall(RhxPointSteady(&pm, L, &at, steady));
  point->stress(fm->law, fm->par, L, c, tau[0]);
  point->stress(fm->law, fm->par, L, steady, tau[1]);
  for (int k = 0; k < 2; k++) {
    const double want = (k ? 1.0 : 1.0 - exp(-0.5)) * prop[0] * L[1];
    if (!(PetscAbsReal(tau[k][shear] - want) <= LINEAR * want)) *linear = PETSC_FALSE;
  }
  if (!(error < PETSC_INFINITY) || at < 1.0) *linear = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormFindNonlinearInShear(RhxForm form, const char **law)
{
  const RhxPointLaw *point = RhxPointLawGet(3, 6, RHX_KIND_DOUBLE);
  PetscBool linear;
  PetscFunctionBegin;
  *law = NULL;
  if (form->viscous) {
    double eta[2];
    for (int k = 0; k < 2; k++) {
      const double L[9] = {0.0, k ? FAST : 1.0 / FAST};
      point->viscosity(form->viscous, form->viscous_par, L, &eta[k]);
    }
    if (!(PetscAbsReal(eta[1] - eta[0]) <= CONSTANT * eta[0])) *law = form->viscous->name;
  }
  for (PetscInt m = 0; m < form->nmodes && !*law; m++) {
    PetscCall(is_linear(&form->mode[m], &linear));
    if (!linear) *law = form->mode[m].law->name;
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

PetscErrorCode RhxFormCrossStress(RhxForm form, double rate, const double shift[2], double *ratio)
{
  const RhxPointLaw *point = RhxPointLawGet(3, 6, RHX_KIND_DOUBLE);
  const double L[9] = {0.0, shift[0] * rate};
  double along = 0.0, shear = 0.0;
  PetscFunctionBegin;
  *ratio = 0.0;
  if (form->viscous) point->viscosity(form->viscous, form->viscous_par, L, &shear);
  shear *= shift[1] * L[1];
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
