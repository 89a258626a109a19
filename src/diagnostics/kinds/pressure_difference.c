/* Pressure of a first label or point less that of a second one. */
#include "diagnostics/functional_impl.h"
#include "diagnostics/gradient_impl.h"
#include "diagnostics/sample_impl.h"
#include "petsc_compat.h"
#include <stddef.h>
#include <stdio.h>

typedef struct {
  RhxLabelOptions labels; /* first: RhxDiagnosticSetLabels reads it */
  char points[RHX_STRING_LENGTH];
  RhxFunctional of[2]; /* mean pressures of the labels, owned; NULL: of points */
} Options;

static const RhxRow rows[] = {
    RHX_LABEL_ROW(Options, labels.label),
    RHX_POINTS_ROW(Options, points),
};

static PetscErrorCode set_points(RhxDiagnostic *d, Options *o)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxFieldSampleCreateAt(d, "pressure", o->points, "", &n));
  PetscCheck(n == 2, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_points: got %" PetscInt_FMT " points, expected two", d->name, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_labels(RhxDiagnostic *d, Options *o)
{
  PetscFunctionBegin;
  PetscCall(RhxDiagnosticSetLabels(d, 0, NULL, ""));
  PetscCheck(d->nlabels == 2, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "%s: got %" PetscInt_FMT " labels, expected two", d->option, d->nlabels);
  for (int i = 0; i < 2; i++)
    PetscCall(RhxFunctionalCreateMeanPressure(RhxDiagnosticGetRun(d)->form->space, d->label[i], &o->of[i]));
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
    PetscCall(set_labels(d, o));
  PetscCall(RhxDiagnosticAddColumnUnit(d, "pressure_difference", "Pa"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  const Options *o = d->own;
  double p[2];

  PetscFunctionBegin;
  (void)step;
  if (d->sample) PetscCall(RhxFieldSampleEvaluate(d, d->sample, p));
  for (int i = 0; !d->sample && i < 2; i++)
    PetscCall(RhxFunctionalEvaluate(o->of[i], RhxDiagnosticGetRun(d)->ts, p + i));
  values[0] = p[0] - p[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the first point's pressure less the second's. */
static PetscErrorCode points_gradient(RhxSpace space, const RhxPlaces *places, Vec x)
{
  PetscScalar *slope;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->nlocal, &slope));
  for (PetscInt i = 0; i < places->nmine; i++)
    for (PetscInt a = 0; a < places->nn[i]; a++)
      slope[places->node[8 * i + a]] += (places->point[i] ? -1.0 : 1.0) * places->N[8 * i + a];
  PetscCall(RhxGradientAdd(space, RhxFieldsStart(space->fields, RHX_GROUP_PRESSURE), 1, slope, x));
  PetscCall(PetscFree(slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gradient(RhxDiagnostic *d, PetscInt column, Vec x, Vec reactions, PetscBool *there)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;

  PetscFunctionBegin;
  (void)column, (void)reactions;
  *there = PETSC_TRUE;
  if (x && d->sample) PetscCall(points_gradient(space, d->sample->places, x));
  for (int i = 0; x && !d->sample && i < 2; i++)
    PetscCall(RhxFunctionalAddGradient(((const Options *)d->own)->of[i], i ? -1.0 : 1.0, x));
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
  Options *o = d->own;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) PetscCall(RhxFunctionalDestroy(&o->of[i]));
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
    .gradient = gradient,
    .destroy = destroy};
