/* Mean pressures of labels. */
#include "diagnostics/gradient_impl.h"
#include "diagnostics/named.h"
#include "diagnostics/traction_impl.h"

static PetscErrorCode setup(RhxDiagnostic *d)
{
  static const char *const ends[] = {"pressure"};

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticSetLabels(d, 1, ends, "Pa"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  PetscScalar *x;

  PetscFunctionBegin;
  (void)step;
  PetscCall(RhxDiagnosticGetStateNear(d, &x));
  for (PetscInt i = 0; i < d->nlabels; i++)
    PetscCall(RhxMeanPressure(RhxDiagnosticGetRun(d)->form, d->label[i], x, values + i));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gradient(RhxDiagnostic *d, PetscInt column, Vec x, Vec reactions, PetscBool *there)
{
  PetscFunctionBegin;
  (void)reactions;
  *there = PETSC_TRUE;
  if (x) PetscCall(RhxMeanPressureGradient(RhxDiagnosticGetRun(d)->form->space, d->label[column], 1.0, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_mean_pressure = {
    .entry = {sizeof(RhxDiagnosticType), "mean_pressure", "mean pressure over labels, Pa: columns <label>_pressure"},
    RHX_LABEL_OPTIONS,
    .setup = setup,
    .evaluate = evaluate,
    .gradient = gradient};
