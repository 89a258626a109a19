/* Fields at points. */
#include "diagnostics/sample.h"
#include <stddef.h>

typedef struct {
  char points[RHX_STRING_LENGTH], fields[RHX_STRING_LENGTH];
  RhxFieldSample *sample; /* owned */
} Options;

static const RhxRow rows[] = {
    {"points", RHX_STRING, 0, offsetof(Options, points), "", RHX_ANY, 0, 0, NULL, "m",
     "coordinates of points, such as '0.1,0.2; 0.3,0.4'"},
    RHX_FIELDS_ROW(Options, fields, "velocity,pressure"),
};

static PetscErrorCode setup(RhxDiagnostic *d)
{
  Options *o = d->own;
  const PetscInt dim = RhxDiagnosticGetDimension(d);
  char option[256], after[32];
  PetscReal *x;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-diagnostic_%s_points", d->name));
  PetscCall(RhxReadNumbers(RhxDiagnosticGetComm(d), option, o->points, dim, &n, &x));
  PetscCall(RhxFieldSampleCreate(d, o->fields, &o->sample));
  PetscCall(RhxFieldSampleSetPoints(d, o->sample, n, x, option));
  PetscCall(PetscFree(x));
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(PetscSNPrintf(after, sizeof(after), "_%" PetscInt_FMT, k));
    PetscCall(RhxFieldSampleAddColumns(d, o->sample, "", after));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  PetscFunctionBegin;
  (void)step;
  PetscCall(RhxFieldSampleEvaluate(d, ((Options *)d->own)->sample, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  PetscFunctionBegin;
  PetscCall(RhxFieldSampleDestroy(&((Options *)d->own)->sample));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_probe = {
    .entry = {sizeof(RhxDiagnosticType), "probe",
              "fields at points, located once: columns <field>_<component>_<point>"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .destroy = destroy};
