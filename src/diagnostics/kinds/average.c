/* Time averages and root mean squares of fields, as a field file of its own. */
#include "diagnostics/mean.h"
#include "diagnostics/sample.h"
#include "output/vtu.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>

typedef struct {
  char fields[RHX_STRING_LENGTH];
  double start, period;
  RhxTimeMean mean; /* [2][nlocal][components], field by field: of the values, of their squares */
  PetscBool any;    /* it is written */
  double *values;   /* [mean.n]; owned, as what follows */
  RhxVtu *vtu;
  RhxVtuField *field; /* [2 * sample->n] */
} Options;

static const RhxRow rows[] = {RHX_FIELDS_ROW(Options, fields, "velocity,pressure"),
                              RHX_MEAN_ROWS(Options, start, period)};

static PetscErrorCode setup(RhxDiagnostic *d)
{
  static const char *const ends[] = {"mean", "rms"};
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const RhxSpace space = run->form->space;
  Options *o = d->own;
  PetscInt n = 0;
  char suffix[256];

  PetscFunctionBegin;
  PetscCall(RhxFieldSampleCreate(d, o->fields));
  for (PetscInt i = 0; i < d->sample->n; i++) n += d->sample->all->item[d->sample->which[i]].components;
  PetscCall(RhxTimeMeanCreate(2 * n * space->nlocal, o->start, o->period, &o->mean));
  PetscCall(PetscMalloc1(o->mean.n, &o->values));
  PetscCall(PetscCalloc1(2 * d->sample->n, &o->field));
  for (PetscInt i = 0; i < 2 * d->sample->n; i++) {
    const RhxQuantity *q = &d->sample->all->item[d->sample->which[i / 2]];
    PetscCall(PetscSNPrintf(o->field[i].name, sizeof(o->field[i].name), "%s_%s", q->name, ends[i % 2]));
    o->field[i].components = q->components;
    o->field[i].component = q->components == 6 ? q->component : NULL;
  }
  PetscCall(RhxVtuCreate(space, &o->vtu));
  PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s.vtu", d->name));
  PetscCall(RhxOutputAddResult(run->output, suffix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of field number i / 2 at the points: mean, or root mean square of what it differs from it. */
static PetscErrorCode fill(void *ctx, PetscInt i, double *out)
{
  const RhxDiagnostic *d = ctx;
  const Options *o = d->own;
  const RhxFieldSample *s = d->sample;
  const PetscInt n = o->field[i].components, nlocal = s->all->form->space->nlocal;
  size_t start = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < i / 2; k++) start += (size_t)s->all->item[s->which[k]].components * nlocal;
  for (PetscInt k = 0; k < o->vtu->npoints; k++)
    for (PetscInt c = 0; c < n; c++) {
      const size_t at = start + (size_t)o->vtu->node[k] * n + c;
      const double mean = o->values[at], square = o->values[o->mean.n / 2 + at];
      out[k * n + c] = i % 2 ? sqrt(fmax(0, square - mean * mean)) : mean;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_fields(RhxDiagnostic *d, Options *o, double t)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  char suffix[256], file[PETSC_MAX_PATH_LEN], temporary[PETSC_MAX_PATH_LEN], problem[RHX_MESSAGE] = "";
  double length;
  int err;

  PetscFunctionBegin;
  RhxTimeMeanGet(&o->mean, &length, o->values);
  PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s.vtu", d->name));
  PetscCall(RhxOutputGetPath(run->output, suffix, sizeof(file), file));
  PetscCall(PetscSNPrintf(temporary, sizeof(temporary), "%s.tmp", file));
  PetscCall(RhxVtuWrite(o->vtu, temporary, t, 2 * d->sample->n, o->field, fill, d, &err));
  if (err)
    PetscCall(PetscSNPrintf(problem, sizeof(problem), "averages %s cannot be written: errno %d", file, err));
  else
    PetscCall(RhxOutputPlace(run->output, temporary, file, problem));
  PetscCall(RhxOutputMind(run->output, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *unused)
{
  const PetscInt nlocal = RhxDiagnosticGetRun(d)->form->space->nlocal;
  Options *o = d->own;
  RhxFieldSample *s = d->sample;
  RhxTimeMean kept;
  double *to = o->values;

  PetscFunctionBegin;
  (void)unused;
  PetscCall(RhxFieldSampleLoad(d, s));
  for (PetscInt i = 0; i < s->n; i++) {
    PetscCall(RhxQuantityEvaluate(s->all, s->which[i], nlocal, s->x, s->L, to));
    to += (size_t)s->all->item[s->which[i]].components * nlocal;
  }
  PetscCall(RhxFieldSampleUnload(s));
  for (PetscInt i = 0; i < o->mean.n / 2; i++) o->values[o->mean.n / 2 + i] = PetscSqr(o->values[i]);
  if (step->extra) PetscCall(RhxTimeMeanCopy(&o->mean, &kept));
  PetscCall(RhxTimeMeanAdd(&o->mean, step->t, o->values));
  if (!step->last) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxTimeMeanSay(RhxDiagnosticGetComm(d), d->name, o->start, &o->mean, step->t, &o->any));
  if (o->any) PetscCall(write_fields(d, o, step->t));
  if (step->extra) PetscCall(RhxTimeMeanReturn(&o->mean, &kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode state(RhxDiagnostic *d, RhxStore *store)
{
  static const char *const name[] = {"before", "sum", "whole"};
  const RhxFieldSample *s = d->sample;
  Options *o = d->own;
  double *const values[] = {o->mean.before, o->mean.sum, o->mean.whole};
  size_t at = 0;
  char what[128];

  PetscFunctionBegin;
  PetscCall(RhxTimeMeanStore(&o->mean, store, "mean"));
  for (PetscInt i = 0; i < 2 * s->n; i++) {
    const RhxQuantity *q = &s->all->item[s->which[i % s->n]];
    for (int k = 0; k < (o->period > 0 ? 3 : 2); k++) {
      PetscCall(PetscSNPrintf(what, sizeof(what), "%s/%s%s", q->name, i < s->n ? "" : "square_", name[k]));
      PetscCall(RhxStoreNodes(store, what, q->components, values[k] + at));
    }
    at += (size_t)q->components * s->all->form->space->nlocal;
  }
  if (RhxStoreLacks(store)) PetscCall(RhxTimeMeanReset(&o->mean));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(RhxDiagnostic *d)
{
  char file[PETSC_MAX_PATH_LEN], suffix[256];

  PetscFunctionBegin;
  if (!((const Options *)d->own)->any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s.vtu", d->name));
  PetscCall(RhxOutputGetPath(RhxDiagnosticGetRun(d)->output, suffix, sizeof(file), file));
  PetscCall(PetscPrintf(RhxDiagnosticGetComm(d), "  %s: %s\n", d->name, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  PetscCall(RhxTimeMeanDestroy(&o->mean));
  PetscCall(RhxVtuDestroy(&o->vtu));
  PetscCall(PetscFree(o->values));
  PetscCall(PetscFree(o->field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_average = {
    .entry =
        {sizeof(RhxDiagnosticType), "average",
         "time averages and root mean squares of fields: <case>_<name>.vtu at the end, <field>_mean and <field>_rms"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .end = end,
    .destroy = destroy,
    .state = state};
