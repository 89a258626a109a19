/* Profiles: fields along a line or a list of points, a file a time. */
#include "diagnostics/sample_impl.h"
#include "output/text.h"
#include <stddef.h>
#include <stdio.h>

typedef struct {
  char from[RHX_STRING_LENGTH], to[RHX_STRING_LENGTH], points[RHX_STRING_LENGTH], file[RHX_STRING_LENGTH],
      fields[RHX_STRING_LENGTH];
  int n;
  PetscReal *x; /* [sample->places->n][dim], owned */
} Options;

static const RhxRow rows[] = {
    {"from", RHX_STRING, 0, offsetof(Options, from), "", RHX_ANY, 0, 0, NULL, "m", "start of the line, such as 0,0.5"},
    {"to", RHX_STRING, 0, offsetof(Options, to), "", RHX_ANY, 0, 0, NULL, "m", "its end"},
    {"n", RHX_INT, 0, offsetof(Options, n), "101", RHX_IN, 2, 100000, NULL, "1",
     "points of the line, both ends among them"},
    RHX_POINTS_ROW(Options, points),
    RHX_POINTS_FILE_ROW(Options, file),
    RHX_FIELDS_ROW(Options, fields, "velocity,pressure"),
};

static PetscErrorCode read_end(RhxDiagnostic *d, const char *name, const char *text, PetscReal **x)
{
  char option[256];
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-diagnostic_%s_%s", d->name, name));
  PetscCall(RhxReadNumbers(RhxDiagnosticGetComm(d), option, text, RhxDiagnosticGetDimension(d), &n, x));
  PetscCheck(n == 1, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "%s: got %" PetscInt_FMT " points, expected one (-diagnostic_%s_points takes a list)", option, n, d->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode straight(RhxDiagnostic *d, Options *o)
{
  const PetscInt dim = RhxDiagnosticGetDimension(d);
  PetscReal *from, *to;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(read_end(d, "from", o->from, &from));
  PetscCall(read_end(d, "to", o->to, &to));
  PetscCall(PetscArraycmp(from, to, dim, &same));
  PetscCheck(!same, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_from, _to: got the same point '%s' twice, expected two ends", d->name, o->from);
  PetscCall(PetscMalloc1(o->n * dim, &o->x));
  for (int k = 0; k < o->n; k++)
    for (PetscInt i = 0; i < dim; i++) o->x[k * dim + i] = from[i] + (to[i] - from[i]) * k / (o->n - 1);
  PetscCall(PetscFree(from));
  PetscCall(PetscFree(to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxDiagnostic *d)
{
  Options *o = d->own;
  const PetscBool listed = (PetscBool)(o->points[0] || o->file[0]);
  PetscInt n = o->n;
  char option[256], suffix[256];

  PetscFunctionBegin;
  PetscCheck(!listed || !(o->from[0] || o->to[0]), RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s: got points and an end of a line, expected `points`, or `from` and `to`", d->name);
  PetscCall(PetscSNPrintf(option, sizeof(option), "-diagnostic_%s_from, _to", d->name));
  if (listed)
    PetscCall(RhxReadPoints(d, o->points, o->file, option, &n, &o->x));
  else
    PetscCall(straight(d, o));
  PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s_*.csv", d->name));
  PetscCall(RhxOutputAddResult(RhxDiagnosticGetRun(d)->output, d->maker, suffix));
  PetscCall(RhxFieldSampleCreate(d, o->fields));
  PetscCall(RhxFieldSampleSetPoints(d, d->sample, n, o->x, option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns s (arc length), x, y, z, fields. */
static PetscErrorCode write_profile(const RhxDiagnostic *d, const Options *o, const double *values, RhxText *text)
{
  const RhxFieldSample *s = d->sample;
  const PetscInt dim = RhxDiagnosticGetDimension(d);
  PetscReal length = 0, piece;
  char name[128];

  PetscFunctionBegin;
  PetscCall(RhxTextAppend(text, dim == 2 ? "s,x,y" : "s,x,y,z"));
  for (PetscInt i = 0; i < s->n; i++)
    for (PetscInt c = 0; c < RhxFieldSampleCount(s, i); c++) {
      RhxFieldSampleName(s, i, c, sizeof(name), name);
      PetscCall(RhxTextAppend(text, ",%s", name));
    }
  for (PetscInt k = 0; k < s->places->n; k++) {
    piece = 0;
    for (PetscInt i = 0; k && i < dim; i++) piece += PetscSqr(o->x[k * dim + i] - o->x[(k - 1) * dim + i]);
    PetscCall(RhxTextAppend(text, "\n%.12g", length += PetscSqrtReal(piece)));
    for (PetscInt i = 0; i < dim; i++) PetscCall(RhxTextAppend(text, ",%.12g", o->x[k * dim + i]));
    for (PetscInt i = 0; i < s->ncomponents; i++)
      PetscCall(RhxTextAppend(text, ",%.12g", values[k * s->ncomponents + i]));
  }
  PetscCall(RhxTextAppend(text, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *unused)
{
  const Options *o = d->own;
  RhxText text = {0};
  char suffix[256];
  PetscMPIInt rank;
  double *values;

  PetscFunctionBegin;
  (void)unused;
  PetscCallMPI(MPI_Comm_rank(RhxDiagnosticGetComm(d), &rank));
  PetscCall(PetscMalloc1(d->sample->places->n * d->sample->ncomponents, &values));
  PetscCall(RhxFieldSampleEvaluate(d, d->sample, values));
  if (!rank) PetscCall(write_profile(d, o, values, &text));
  PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s_%06d.csv", d->name, (int)step->step));
  PetscCall(RhxDiagnosticWriteText(d, suffix, text.s, text.n));
  PetscCall(PetscFree(text.s));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(RhxDiagnostic *d)
{
  char suffix[256], file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s_*.csv", d->name));
  PetscCall(RhxOutputGetPath(RhxDiagnosticGetRun(d)->output, suffix, sizeof(file), file));
  PetscCall(PetscPrintf(RhxDiagnosticGetComm(d), "  %s: %s\n", d->name, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  PetscCall(PetscFree(o->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_line = {
    .entry = {sizeof(RhxDiagnosticType), "line",
              "fields along a line, with the fields or every so many steps: <case>_<name>_<step>.csv"},
    .flags = RHX_DIAGNOSTIC_WITH_FIELDS,
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .end = end,
    .destroy = destroy};
