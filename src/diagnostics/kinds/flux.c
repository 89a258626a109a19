#include "diagnostics/gradient_impl.h"
#include "diagnostics/named.h"

static PetscErrorCode setup(RhxDiagnostic *d)
{
  static const char *const ends[] = {"flux"};

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticSetLabels(
      d, 1, ends,
      RhxDiagnosticGetDimension(d) == 2 && !RhxDiagnosticGetRun(d)->form->space->axisymmetric ? "m^2/s" : "m^3/s"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  PetscScalar *x;

  PetscFunctionBegin;
  (void)step;
  PetscCall(RhxDiagnosticGetStateNear(d, &x));
  for (PetscInt i = 0; i < d->nlabels; i++)
    PetscCall(RhxFlux(RhxDiagnosticGetRun(d)->form, d->label[i], x, values + i));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gradient(RhxDiagnostic *d, PetscInt column, Vec x, Vec reactions, PetscBool *there)
{
  PetscFunctionBegin;
  (void)reactions;
  *there = PETSC_TRUE;
  if (x) PetscCall(RhxFluxGradient(RhxDiagnosticGetRun(d)->form->space, d->label[column], x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_flux = {
    .entry = {sizeof(RhxDiagnosticType), "flux", "volume flux out of the domain through labels, m^3/s (2D: m^2/s)"},
    RHX_LABEL_OPTIONS,
    .setup = setup,
    .evaluate = evaluate,
    .gradient = gradient};
