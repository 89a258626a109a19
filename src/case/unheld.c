/* Doubts about a body force along an outlet. */
#include "boundary/backflow.h"
#include "case/choose_impl.h"
#include "case/impl.h"
#include <math.h>

#define FELT 0.1   /* of the flow's own pressures */
#define LEAST 1e-6 /* of the largest component: rounding */

/* "-20*y+40*z" of f.x */
static void write_formula(const double f[3], size_t size, char *text)
{
  const double most = fmax(fabs(f[0]), fmax(fabs(f[1]), fabs(f[2])));
  size_t length = 0;

  text[0] = '\0';
  for (int d = 0; d < 3 && length < size; d++)
    if (fabs(f[d]) > LEAST * most)
      length += (size_t)snprintf(text + length, size - length, length ? "%+g*%c" : "%g*%c", f[d], "xyz"[d]);
}

PetscErrorCode RhxCaseDoubtForce_Private(RhxCase rc, double t, double own)
{
  const char *label;
  char numbers[400], formula[128];
  double f[3] = {0}, over;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetUnheld(rc->bc, t, &label, f, &over));
  if (!label || !(over > FELT * own)) PetscFunctionReturn(PETSC_SUCCESS);
  write_formula(f, sizeof(formula), formula);
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
