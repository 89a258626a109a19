/* How far walls with slip let the fluid slip: their slip lengths in the length of the case. */
#include "boundary/slip.h"
#include "case/impl.h"
#include "form/relaxation.h"
#include "petsc_compat.h"

#define MOST 100.0 /* in D: beyond it the wall holds nothing, */
#define LEAST 1e-6 /* below it nothing slips, but explicit steps are bounded by it */

/* The slip length of the k-th wall with slip, m, at the shear stress eta U/D; label NULL: there are no more. */
static PetscErrorCode measure(RhxCase rc, PetscInt k, double t, double *eta, RhxSlipLength *slip)
{
  const double rate = rc->option.velocity / rc->option.length;

  PetscFunctionBegin;
  PetscCall(RhxFormViscosityAt(rc->form, rate, eta));
  PetscCall(RhxBoundaryGetSlipLength(rc->bc, k, t, *eta, rate, slip));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseViewSlip_Private(RhxCase rc, double t, PetscViewer viewer)
{
  RhxSlipLength slip;
  double eta;

  PetscFunctionBegin;
  for (PetscInt k = 0;; k++) {
    PetscCall(measure(rc, k, t, &eta, &slip));
    if (!slip.label) break;
    if (slip.length < PETSC_INFINITY)
      PetscCall(PetscViewerASCIIPrintf(viewer, "Slip length of '%s': %.3g m, %.3g D (eta over its friction, at U/D)\n",
                                       slip.label, slip.length, slip.length / rc->option.length));
    else
      PetscCall(PetscViewerASCIIPrintf(viewer, "Slip length of '%s': infinite, without friction\n", slip.label));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One message for those that are too long, one for those that are too short. A friction of 0 is meant. */
PetscErrorCode RhxCaseDoubtSlip_Private(RhxCase rc, double t)
{
  const double D = rc->option.length;
  char got[2][1024] = {"", ""}, one[400], expected[2][400];
  RhxSlipLength slip;
  double eta;

  PetscFunctionBegin;
  for (PetscInt k = 0;; k++) {
    PetscCall(measure(rc, k, t, &eta, &slip));
    if (!slip.label) break;
    const PetscBool is_long = (PetscBool) !(slip.length <= MOST * D);
    if (!(slip.length < PETSC_INFINITY) || !(is_long || slip.length < LEAST * D)) continue;
    snprintf(one, sizeof(one), "%s%.3g m of '%s', %.2g D (-bc_%s_%s)", got[!is_long][0] ? ", " : "", slip.length,
             slip.label, slip.length / D, slip.label, slip.by_stress ? "slip_by_stress" : "friction");
    PetscCall(PetscStrlcat(got[!is_long], one, sizeof(got[0])));
  }
  snprintf(expected[0], sizeof(expected[0]), "at most %g D, by a friction from %.3g Pa s/m on, or type free_slip", MOST,
           eta / (MOST * D));
  snprintf(expected[1], sizeof(expected[1]), "at least %g D, by a friction of at most %.3g Pa s/m, or type wall", LEAST,
           eta / (LEAST * D));
  for (int k = 0; k < 2; k++)
    if (got[k][0])
      PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                             "rheoplex: warning: slip lengths, viscosity over friction: got %s: the fluid %s there; "
                             "expected %s; is the friction in Pa s/m, -case_length in m?\n",
                             got[k], k ? "does not slip" : "is hardly held", expected[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
