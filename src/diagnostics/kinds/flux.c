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
  for (PetscInt i = 0; i < d->nlabels; i++) {
    PetscCall(PetscSNPrintf(column, sizeof(column), "%s_flux", d->label[i]));
    PetscCall(RhxDiagnosticAddColumn(d, column));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  Vec x;

  PetscFunctionBegin;
  (void)step;
  PetscCall(RhxDiagnosticGetState(d, &x));
  for (PetscInt i = 0; i < d->nlabels; i++)
    PetscCall(RhxFlux(RhxDiagnosticGetRun(d)->form, d->label[i], x, values + i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_flux = {
    .entry = {sizeof(RhxDiagnosticType), "flux", "volume flux out of the domain through labels, m^3/s (2D: m^2/s)"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate};
