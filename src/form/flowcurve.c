/* The steady shear stress of all laws together against the shear rate: where it falls, no developed flow is steady. */
#include "form/inside_impl.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"

#define POINTS 64 /* looked at up to the largest rate */

PetscErrorCode RhxFormShearStress(RhxForm form, double from, double rate, double c[][6], double *stress)
{
  const int nt = (int)form->space->ntens, dim = nt == 6 ? 3 : (int)form->space->dim;
  const RhxPointLaw *point = RhxPointLawGet(dim, nt, RHX_KIND_DOUBLE);
  const double L[9] = {0, rate};
  double eta = 0.0, tau[6];
  PetscFunctionBegin;
  *stress = 0;
  for (PetscInt m = 0; from == 0.0 && m < form->nmodes; m++)
    for (int k = 0; k < nt; k++) c[m][k] = k < (nt == 3 ? 2 : 3) ? 1.0 : 0.0;
  if (rate == 0.0) PetscFunctionReturn(PETSC_SUCCESS);
  if (form->viscous) point->viscosity(form->viscous, form->viscous_par, L, &eta);
  *stress = eta * rate;
  for (PetscInt m = 0; m < form->nmodes; m++) {
    const RhxFormMode *fm = &form->mode[m];
    const RhxPointMode pm = {fm->law, fm->par, fm->slip, dim, nt};
    double at = from / rate;
    PetscCall(RhxPointSteady(&pm, L, &at, c[m]));
    PetscCheck(at > 0.0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
               "Law '%s', mode %" PetscInt_FMT
               ", has no steady state in shear: got %g 1/s, expected a rate at which its stress is a finite number",
               fm->law->name, fm->number, rate);
    PetscCheck(at >= 1.0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
               "Law '%s', mode %" PetscInt_FMT
               ", has no steady state in shear: got %g 1/s, expected below about %g 1/s",
               fm->law->name, fm->number, rate, at * rate);
    point->stress(fm->law, fm->par, L, c[m], tau);
    *stress += tau[rhx_tensor_index(dim, nt, 0, 1)];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormCheckFlowCurve(RhxForm form, double rate)
{
  RhxFlowCurve *fc = &form->in->flow_curve;
  PetscFunctionBegin;
  PetscCheck(!PetscIsInfOrNanReal(rate), PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
             "the profile's velocity gradient is too large: got a shear rate whose square is no finite number, "
             "expected one below 1e150 1/s");
  if (!(rate > fc->rate)) PetscFunctionReturn(PETSC_SUCCESS);
  while (fc->rate < rate) {
    const double next = PetscMin(rate, fc->rate + rate / POINTS);
    double stress;
    PetscCall(RhxFormShearStress(form, fc->rate, next, fc->c, &stress));
    PetscCheck(stress >= fc->stress * (1.0 - 1e-9), PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
               "The flow curve is not monotone: the shear stress falls beyond about %.3g 1/s, got a profile up to %.3g "
               "1/s, expected slower flow or more solvent viscosity (-physics)",
               fc->rate, rate);
    fc->rate = next;
    fc->stress = stress;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
