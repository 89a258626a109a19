#include "diagnostics/named.h"

static PetscErrorCode setup(RhxDiagnostic *d)
{
  static const char *const ends[] = {"x", "y", "z"};

  PetscFunctionBegin;
  PetscCall(
      RhxDiagnosticSetLabels(d, RhxDiagnosticGetDimension(d), ends, RhxDiagnosticGetDimension(d) == 2 ? "N/m" : "N"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  double force[3];

  PetscFunctionBegin;
  (void)step;
  PetscCall(RhxSchemeFindReactions(run->ts));
  for (PetscInt i = 0; i < d->nlabels; i++) {
    PetscCall(RhxForces(run->ts, run->form, run->bc, d->label[i], force));
    for (PetscInt k = 0; k < RhxDiagnosticGetDimension(d); k++) *values++ = force[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_forces = {
    .entry = {sizeof(RhxDiagnosticType), "forces",
              "force of the fluid on labels, by consistent reactions, N (2D: N/m)"},
    RHX_LABEL_OPTIONS,
    .setup = setup,
    .evaluate = evaluate};
