/* Fields at points. */
#include "diagnostics/sample_impl.h"
#include <stddef.h>

typedef struct {
  char points[RHX_STRING_LENGTH], file[RHX_STRING_LENGTH], fields[RHX_STRING_LENGTH];
} Options;

static const RhxRow rows[] = {
    RHX_POINTS_ROW(Options, points),
    RHX_POINTS_FILE_ROW(Options, file),
    RHX_FIELDS_ROW(Options, fields, "velocity,pressure"),
};

static PetscErrorCode setup(RhxDiagnostic *d)
{
  Options *o = d->own;
  char after[32];
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxFieldSampleCreateAt(d, o->fields, o->points, o->file, &n));
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(PetscSNPrintf(after, sizeof(after), "_%" PetscInt_FMT, k));
    PetscCall(RhxFieldSampleAddColumns(d, d->sample, 0, after));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  PetscFunctionBegin;
  (void)step;
  PetscCall(RhxFieldSampleEvaluate(d, d->sample, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_probe = {
    .entry = {sizeof(RhxDiagnosticType), "probe",
              "fields at points, located once: columns <field>_<component>_<point>"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate};
