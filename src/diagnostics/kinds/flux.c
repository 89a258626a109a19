#include "diagnostics/functional_impl.h"
#include "diagnostics/named.h"
#include "petsc_compat.h"

typedef struct {
  RhxLabelOptions labels; /* first: RhxDiagnosticSetLabels reads it */
  RhxFunctional *of;      /* [labels] owned */
} Options;

static PetscErrorCode setup(RhxDiagnostic *d)
{
  static const char *const ends[] = {"flux"};
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  Options *o = d->own;

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticSetLabels(d, 1, ends, space->dim == 2 && !space->axisymmetric ? "m^2/s" : "m^3/s"));
  PetscCall(PetscCalloc1(d->nlabels, &o->of));
  for (PetscInt i = 0; i < d->nlabels; i++) PetscCall(RhxFunctionalCreateFlux(space, d->label[i], &o->of[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  const Options *o = d->own;

  PetscFunctionBegin;
  (void)step;
  for (PetscInt i = 0; i < d->nlabels; i++)
    PetscCall(RhxFunctionalEvaluate(o->of[i], RhxDiagnosticGetRun(d)->ts, values + i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gradient(RhxDiagnostic *d, PetscInt column, Vec x, Vec reactions, PetscBool *there)
{
  PetscFunctionBegin;
  (void)reactions;
  *there = PETSC_TRUE;
  if (x) PetscCall(RhxFunctionalAddGradient(((const Options *)d->own)->of[column], 1.0, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  for (PetscInt i = 0; o->of && i < d->nlabels; i++) PetscCall(RhxFunctionalDestroy(&o->of[i]));
  PetscCall(PetscFree(o->of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_flux = {
    .entry = {sizeof(RhxDiagnosticType), "flux", "volume flux out of the domain through labels, m^3/s (2D: m^2/s)"},
    .nrows = 1,
    .rows = &RhxLabelRow,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .gradient = gradient,
    .destroy = destroy};
