#include "scheme/sensitivity.h"
#include "petsc_compat.h"
#include "scheme/bordered_impl.h"
#include "scheme/newton_impl.h"

#define TOLERANCE 1e-10 /* of the solves */

struct _p_RhxSensitivity {
  TS ts; /* borrowed, as sc and eq */
  RhxScheme sc;
  RhxEquations eq;
  Vec x, f; /* the state, owned; work */
  RhxBordered factors;
  KSP ksp; /* of J, by them */
  Mat all; /* dR/dx at fixed projections, of all rows; NULL: not asked for yet */
};

void RhxDifferenceSet(RhxDifference *d, double p, double h, int way)
{
  static const double about[] = {1.0, -8.0, 0.0, 8.0, -1.0}, from[] = {-25.0, 48.0, -36.0, 16.0, -3.0};
  const double step = way < 0 ? -h : h;
  for (int k = 0; k < RHX_DIFFERENCE_POINTS; k++) {
    d->place[k] = p + (way ? k : k - 2) * step;
    d->weight[k] = (way ? from[k] : about[k]) / (12.0 * step);
  }
}

PetscErrorCode RhxSensitivityCreate(TS ts, Vec x, RhxSensitivity *out)
{
  const double none[2] = {0.0, 0.0};
  double t;
  RhxSensitivity s;
  RhxNewton nt;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  s = *out;
  s->ts = ts;
  PetscCall(RhxSchemeGet(ts, &s->sc));
  PetscCall(RhxSteadyGetNewton(s->sc, &nt, &t));
  s->eq = nt->eq;
  PetscCall(VecDuplicate(x, &s->x));
  PetscCall(VecDuplicate(x, &s->f));
  PetscCall(VecCopy(x, s->x));
  PetscCall(RhxEquationsHold(s->eq, s->x));
  PetscCall(RhxEquationsSetTime(s->eq, t));
  PetscCall(RhxEquationsLinearise(s->eq, s->x, NULL, 0.0));
  PetscCall(RhxEquationsAssemble(s->eq, PETSC_FALSE));
  PetscCall(RhxBorderedCreate(s->eq, NULL, none, "a coarser mesh", &s->factors));
  PetscCall(RhxBorderedCreateSolver(s->factors, s->eq->J, TOLERANCE, &s->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J at the parameter as it is now. */
static PetscErrorCode solve(RhxSensitivity s, Vec sum, Vec slope)
{
  KSPConvergedReason reason;
  PetscFunctionBegin;
  PetscCall(RhxEquationsSetTime(s->eq, RhxSteadyGetTime(s->sc)));
  PetscCall(RhxEquationsLinearise(s->eq, s->x, NULL, 0.0));
  PetscCall(KSPSolve(s->ksp, sum, slope));
  PetscCall(KSPGetConvergedReason(s->ksp, &reason));
  PetscCheck(reason > 0, s->eq->form->comm, PETSC_ERR_NOT_CONVERGED,
             "-sensitivity: the linearised equations cannot be solved (%s): is the state one where others branch off?",
             KSPConvergedReasons[reason]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSensitivityChange(RhxSensitivity s, const RhxParameter *parameter, double p, const RhxDifference *d,
                                    Vec change)
{
  PetscFunctionBegin;
  PetscCall(VecZeroEntries(change));
  for (int k = 0; k < RHX_DIFFERENCE_POINTS; k++) {
    if (d->weight[k] == 0.0) continue;
    PetscCall(RhxSteadySet(s->sc, parameter, d->place[k]));
    PetscCall(RhxEquationsSetTime(s->eq, RhxSteadyGetTime(s->sc)));
    PetscCall(RhxEquationsResidual(s->eq, s->x, NULL, s->f));
    PetscCall(VecAXPY(change, d->weight[k], s->f));
  }
  PetscCall(RhxSteadySet(s->sc, parameter, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSensitivitySolve(RhxSensitivity s, const RhxParameter *parameter, double p, const RhxDifference *d,
                                   Vec slope)
{
  Vec change;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(s->f, &change));
  PetscCall(RhxSensitivityChange(s, parameter, p, d, change));
  PetscCall(VecScale(change, -1.0));
  PetscCall(solve(s, change, slope));
  if (!s->eq->driven) PetscCall(RhxEquationsLevel(s->eq, 0.0, slope));
  PetscCall(VecDestroy(&change));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxSensitivityHasAdjoint(RhxForm form) { return (PetscBool)!form->corrections; }

/* Where the state and its parameters are. */
static PetscErrorCode need_all_rows(RhxSensitivity s)
{
  const RhxTangentTable *tangent = s->eq->ops->table->tangent;
  PetscFunctionBegin;
  if (s->all) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxEquationsSetTime(s->eq, RhxSteadyGetTime(s->sc)));
  PetscCall(RhxEquationsLinearise(s->eq, s->x, NULL, 0.0));
  const RhxOpsPoint at = RhxEquationsPoint(s->eq);
  PetscCall(tangent->create(s->eq->ops, &s->all));
  PetscCall(tangent->matrix(s->eq->ops, &at, s->all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSensitivitySolveAdjoint(RhxSensitivity s, Vec x, Vec w, Vec adjoint)
{
  PetscFunctionBegin;
  PetscCall(need_all_rows(s));
  PetscCall(MatMultTransposeAdd(s->all, w, x, x));
  PetscCall(RhxEquationsFollowTransposed(s->eq, w, x));
  PetscCall(RhxEquationsLevelTransposed(s->eq, x));
  PetscCall(RhxBorderedSolveTransposed(s->factors, x, w, adjoint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSensitivityPlace(RhxSensitivity s, const RhxParameter *parameter, double p, Vec x)
{
  Vec now;
  PetscFunctionBegin;
  PetscCall(RhxSteadySet(s->sc, parameter, p));
  if (s->eq->following) PetscCall(RhxFollowingSet(s->eq->following, RhxSteadyGetTime(s->sc), x));
  PetscCall(RhxEquationsSetTime(s->eq, RhxSteadyGetTime(s->sc)));
  PetscCall(RhxEquationsTell(s->eq, x));
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
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(RhxBorderedDestroy(&s->factors));
  PetscCall(MatDestroy(&s->all));
  PetscCall(VecDestroy(&s->x));
  PetscCall(VecDestroy(&s->f));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}
