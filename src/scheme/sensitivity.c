#include "scheme/sensitivity.h"
#include "petsc_compat.h"
#include "scheme/bordered.h"
#include "scheme/newton.h"

struct _p_RhxSensitivity {
  TS ts; /* borrowed, as sc and eq */
  RhxScheme sc;
  RhxEquations eq;
  double t;
  Vec x, f; /* the state, owned; work */
  RhxBordered factors;
};

PetscErrorCode RhxSensitivityCreate(TS ts, Vec x, RhxSensitivity *out)
{
  const double none[2] = {0.0, 0.0};
  RhxSensitivity s;
  RhxNewton nt;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  s = *out;
  s->ts = ts;
  PetscCall(RhxSchemeGet(ts, &s->sc));
  PetscCall(RhxSteadyGetNewton(s->sc, &nt, &s->t));
  s->eq = nt->eq;
  PetscCall(VecDuplicate(x, &s->x));
  PetscCall(VecDuplicate(x, &s->f));
  PetscCall(VecCopy(x, s->x));
  PetscCall(RhxEquationsHold(s->eq, s->x));
  PetscCall(RhxEquationsSetTime(s->eq, s->t));
  PetscCall(RhxEquationsLinearise(s->eq, s->x, NULL, 0.0));
  PetscCall(RhxEquationsAssemble(s->eq));
  PetscCall(RhxBorderedCreate(s->eq, NULL, none, &s->factors));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSensitivitySolve(RhxSensitivity s, const char *option, double p, double h, Vec slope)
{
  static const double weight[] = {1.0, -8.0, 8.0, -1.0}, place[] = {-2.0, -1.0, 1.0, 2.0};
  Vec sum;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(s->f, &sum));
  PetscCall(VecZeroEntries(sum));
  for (int k = 0; k < 4; k++) {
    PetscCall(RhxSteadySetParameter(s->sc, option, p + place[k] * h));
    PetscCall(RhxEquationsSetTime(s->eq, s->t));
    PetscCall(RhxEquationsResidual(s->eq, s->x, NULL, s->f));
    PetscCall(VecAXPY(sum, -weight[k] / (12.0 * h), s->f));
  }
  PetscCall(RhxSteadySetParameter(s->sc, option, p));
  PetscCall(RhxEquationsSetTime(s->eq, s->t));
  PetscCall(RhxBorderedSolve(s->factors, PETSC_FALSE, sum, slope));
  PetscCall(VecDestroy(&sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSensitivityPlace(RhxSensitivity s, const char *option, double p, Vec x)
{
  Vec now;
  PetscFunctionBegin;
  PetscCall(RhxSteadySetParameter(s->sc, option, p));
  PetscCall(RhxEquationsSetTime(s->eq, s->t));
  PetscCall(TSGetSolution(s->ts, &now));
  PetscCall(VecCopy(x, now));
  PetscCall(RhxSchemeLoad(s->ts, s->sc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSensitivityDestroy(RhxSensitivity *out)
{
  RhxSensitivity s = *out;
  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBorderedDestroy(&s->factors));
  PetscCall(VecDestroy(&s->x));
  PetscCall(VecDestroy(&s->f));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}
