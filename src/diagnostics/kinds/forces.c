#include "diagnostics/named.h"
#include <stddef.h>

typedef struct {
  char label[RHX_STRING_LENGTH];
} Options;

static const RhxRow rows[] = {
    RHX_LABEL_ROW(Options, label, "labels that are looked at, comma-separated"),
};

static PetscErrorCode setup(RhxDiagnostic *d)
{
  const Options *o = d->own;
  char column[256];

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticSetLabels(d, o->label));
  for (PetscInt i = 0; i < d->nlabels; i++)
    for (PetscInt k = 0; k < RhxDiagnosticGetDimension(d); k++) {
      PetscCall(PetscSNPrintf(column, sizeof(column), "%s_%c", d->label[i], "xyz"[k]));
      PetscCall(RhxDiagnosticAddColumn(d, column));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  RhxBalance balance;
  double force[3];

  PetscFunctionBegin;
  (void)step;
  PetscCall(RhxDiagnosticGetBalance(d, &balance));
  for (PetscInt i = 0; i < d->nlabels; i++) {
    PetscCall(RhxForces(run->form, run->bc, d->label[i], &balance, run->x, force));
    for (PetscInt k = 0; k < RhxDiagnosticGetDimension(d); k++) *values++ = force[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_forces = {
    .entry = {sizeof(RhxDiagnosticType), "forces",
              "force of the fluid on labels, by consistent reactions, N (2D: N/m)"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate};
