/* Which parameter of a viscous law makes its viscosity vary with the rate: the one with whose other value, a hundredth or, of a number without a
 * unit, 1, it varies least about a rate. */
#include "form/relaxation.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include <math.h>

#define LESS 0.8 /* of its variation: what a parameter has to take it to */

/* ln of the largest over the least viscosity at a hundredth to ten times the rate. */
static double variation(const RhxPlugin *law, const char *par, double rate)
{
  const RhxPointLaw *point = RhxPointLawGet(3, 6, RHX_KIND_DOUBLE);
  double least = INFINITY, most = 0.0;
  for (int k = -2; k <= 1; k++) {
    const double L[9] = {0.0, rate * pow(10.0, k)};
    double eta;
    point->viscosity(law, par, L, &eta);
    least = fmin(least, eta);
    most = fmax(most, eta);
  }
  return least > 0.0 ? log(most / least) : INFINITY;
}

PetscErrorCode RhxFormFindNonlinear(RhxForm form, double rate, const RhxRow **row, double *from, double *to)
{
  const RhxPlugin *law = form->viscous;
  double best;
  char *par;
  PetscFunctionBegin;
  *row = NULL;
  if (!law) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(law->param_size + 1, &par));
  PetscCall(PetscMemcpy(par, form->viscous_par, law->param_size));
  best = LESS * variation(law, par, rate);
  for (int r = 0; r < law->nrows; r++) {
    double *slot = (double *)(par + law->rows[r].offset);
    if (law->rows[r].kind != RHX_REAL || law->rows[r].choices) continue;
    const double value = *slot, other[] = {0.01 * value, 1.0};
    for (int k = 0; k < (strcmp(law->rows[r].unit, "1") ? 1 : 2); k++) {
      *slot = other[k];
      const double varies =
          other[k] != value && RhxRowHolds(&law->rows[r], other[k]) ? variation(law, par, rate) : best;
      *slot = value;
      if (!(varies < best)) continue;
      best = varies;
      *row = &law->rows[r];
      *from = other[k];
      *to = value;
    }
  }
  PetscCall(PetscFree(par));
  PetscFunctionReturn(PETSC_SUCCESS);
}
