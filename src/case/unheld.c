/* Doubts about a body force along an outlet. */
#include "boundary/backflow.h"
#include "case/choose_impl.h"
#include "case/impl.h"

#define FELT 0.1 /* of the flow's own pressures */

PetscErrorCode RhxCaseDoubtForce_Private(RhxCase rc, double t, double own)
{
  const char *label;
  char numbers[400], formula[128];
  double f[3] = {0}, over;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetUnheld(rc->bc, t, &label, f, &over));
  if (!label || !(over > FELT * own)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(formula, sizeof(formula), rc->space->dim == 3 ? "%g*x%+g*y%+g*z" : "%g*x%+g*y", f[0], f[1], f[2]);
  snprintf(numbers, sizeof(numbers),
           "the pressure at the outlet '%.100s' does not hold it: %.3g Pa from end to end are left, %.2g times the "
           "flow's own pressures (rho U^2, eta U/D)",
           label, over, over / own);
  PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                         "rheoplex: warning: -form_body_force: %s, so that fluid comes in at one end and goes out at "
                         "the other; expected a pressure that grows along the force, such as \"%s\" (-bc_%s_pressure "
                         "of an outlet), or no force where it is a weight that no free surface feels\n",
                         numbers, formula, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}
