/* Pressures of outlets beside a second normal stress difference. */
#include "boundary/across.h"
#include "case/impl.h"
#include "form/relaxation.h"
#include "petsc_compat.h"

#define ALONG 0.02 /* of the shear stress: with .04 the velocity at an outlet is off by 1 to 2 % */

/* Developed flow has p - tau along the gradient constant over its section, an outlet p: the last width of the flow turns. A formula that
 * differs over the label may hold that already. */
PetscErrorCode RhxCaseDoubtAcross_Private(RhxCase rc, const char *label, double t, PetscBool steady)
{
  char got[32], rate[32];
  double ratio, end = PETSC_MAX_REAL; /* of a steady state nothing changes, but along a continuation in t */
  PetscBool varies, given, said;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGivesAcross(rc->bc, label, &given));
  if (!steady) end = RhxCaseLookUntil_Private(rc, t);
  PetscCall(RhxBoundaryPressureVaries(rc->bc, label, t, end, &varies, &said));
  PetscCall(RhxFormCrossStress(rc->form, rc->option.velocity / rc->option.length, &ratio));
  if (given != varies || (given && said) || !(PetscAbsReal(ratio) > ALONG)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(got, sizeof(got), "%.2g", PetscAbsReal(ratio));
  snprintf(rate, sizeof(rate), "%.3g", rc->option.velocity / rc->option.length);
  if (given)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: -bc_%s_pressure: got a formula that differs over '%s', to which "
                           "-bc_%s_polymer developed adds the pressure of a second normal stress difference (%s of the "
                           "shear stress at %s 1/s); expected -bc_%s_pressure_means local where the formula holds that "
                           "already, or mean where it does not\n",
                           label, label, label, got, rate, label));
  else
    PetscCall(
        PetscFPrintf(rc->comm, PETSC_STDERR,
                     "rheoplex: warning: '%s' gives a pressure that is the same all over it, beside a fluid whose "
                     "stress along the velocity's gradient is %s of the shear stress at %s 1/s (a second normal "
                     "stress difference), which the pressure of developed flow follows: the flow is another one "
                     "within a width before it; expected -bc_%s_polymer developed%s, which gives it in the plane "
                     "and in tubes, or pressures taken further upstream\n",
                     label, got, rate, label, said ? " and -bc_<label>_pressure_means mean" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}
