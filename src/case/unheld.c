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
  RhxTold unheld = {0}, felt = {0};
  char numbers[1200], names[512], left[256], parts[256], formula[128];
  double f[3] = {0};

  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetUnheld(rc->bc, t, f, &unheld));
  for (PetscInt k = 0; k < unheld.n; k++)
    if (unheld.value[k] > FELT * own) PetscCall(RhxToldAdd(&felt, unheld.label[k], unheld.value[k]));
  write_formula(f, sizeof(formula), formula);
  RhxToldName(&felt, "'", "'", sizeof(names), names);
  RhxToldValues(&felt, 1.0, sizeof(left), left);
  RhxToldValues(&felt, 1.0 / own, sizeof(parts), parts);
  snprintf(numbers, sizeof(numbers),
           "the pressure at the outlet%s %s does not hold it: %s Pa from end to end are left, %s times the flow's own "
           "pressures (rho U^2, eta U/D)",
           felt.n > 1 ? "s" : "", names, left, parts);
  if (felt.n)
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: warning: -form_body_force: %s, so that fluid comes in at one end and goes out at "
                           "the other; expected a pressure that grows along the force, such as \"%s\" (-bc_%s_pressure "
                           "of an outlet), or no force where it is a weight that no free surface feels\n",
                           numbers, formula, RhxToldOption(&felt)));
  PetscCall(RhxToldDestroy(&unheld));
  PetscCall(RhxToldDestroy(&felt));
  PetscFunctionReturn(PETSC_SUCCESS);
}
