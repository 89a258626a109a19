/* Pressure of a first label or point less that of a second one. */
#include "diagnostics/sample.h"
#include "diagnostics/traction.h"
#include <stddef.h>
#include <stdio.h>

typedef struct {
  RhxLabelOptions labels; /* first: RhxDiagnosticSetLabels reads it */
  char points[RHX_STRING_LENGTH];
  RhxFieldSample *sample; /* owned; NULL: labels */
} Options;

static const RhxRow rows[] = {
    RHX_LABEL_ROW(Options, labels.label),
    {"points", RHX_STRING, 0, offsetof(Options, points), "", RHX_ANY, 0, 0, NULL, "m",
     "coordinates of points, such as '0.1,0.2; 0.3,0.4'"},
};

static PetscErrorCode set_points(RhxDiagnostic *d, Options *o)
{
  char option[256];
  PetscReal *x;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-diagnostic_%s_points", d->name));
  PetscCall(RhxReadNumbers(RhxDiagnosticGetComm(d), option, o->points, RhxDiagnosticGetDimension(d), &n, &x));
  PetscCheck(n == 2, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT, "%s: got %" PetscInt_FMT " points, expected two",
             option, n);
  PetscCall(RhxFieldSampleCreate(d, "pressure", &o->sample));
  PetscCall(RhxFieldSampleSetPoints(d, o->sample, n, x, option));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  PetscCheck(!o->points[0] != !o->labels.label[0], RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s: got %s, expected two labels (-diagnostic_%s_label a,b) or two points "
             "(-diagnostic_%s_points)",
             d->name, o->points[0] ? "labels and points" : "neither labels nor points", d->name, d->name);
  if (o->points[0])
    PetscCall(set_points(d, o));
  else
    PetscCall(RhxDiagnosticSetLabels(d, 0, NULL, ""));
  PetscCheck(o->points[0] || d->nlabels == 2, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "%s: got %" PetscInt_FMT " labels, expected two", d->option, d->nlabels);
  PetscCall(RhxDiagnosticAddColumnUnit(d, "pressure_difference", "Pa"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  Options *o = d->own;
  PetscScalar *x;
  double p[2];

  PetscFunctionBegin;
  (void)step;
  if (o->sample) {
    PetscCall(RhxFieldSampleEvaluate(d, o->sample, p));
  } else {
    PetscCall(RhxDiagnosticGetLocalState(d, &x));
    for (int i = 0; i < 2; i++) PetscCall(RhxMeanPressure(RhxDiagnosticGetRun(d)->form, d->label[i], x, p + i));
    PetscCall(PetscFree(x));
  }
  values[0] = p[0] - p[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(RhxDiagnostic *d)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(RhxDiagnosticGetComm(d), "  %s: pressure difference %.6g Pa\n", d->name, d->values[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  PetscFunctionBegin;
  PetscCall(RhxFieldSampleDestroy(&((Options *)d->own)->sample));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_pressure_difference = {
    .entry = {sizeof(RhxDiagnosticType), "pressure_difference",
              "pressure of the first of two labels (mean) or points less that of the second, Pa"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .end = end,
    .destroy = destroy};
