/* Time averages and root mean squares of fields, as a field file of its own. Parts of the state are averaged where it is, and
 * fetched when they are written. */
#include "diagnostics/mean_impl.h"
#include "diagnostics/sample_impl.h"
#include "diagnostics/store.h"
#include "output/field_file.h"
#include "petsc_compat.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  char fields[RHX_STRING_LENGTH];
  double start, period, offered;
  RhxTimeMean mean;   /* [2][nlocal][components], field by field: of the values, of their variances */
  RhxNodalMean there; /* of the parts of the state: newer than `mean` has them if ahead, */
  PetscBool made, ahead;
  PetscBool any;  /* it is written */
  double *values; /* [mean.n]; owned, as what follows */
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

  PetscFunctionBegin;
  PetscCall(RhxTimeMeanCheck(d, o->period));
  o->offered = RHX_NO_ROW;
  PetscCall(RhxFieldSampleCreate(d, o->fields));
  PetscCall(RhxFieldSampleTakeSwirl(d->sample));
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
  PetscCall(RhxFieldFileAdd(run->output, d->maker, d->name));
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
      out[k * n + c] = i % 2 ? sqrt(fmax(0, o->values[o->mean.n / 2 + at])) : o->values[at];
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One array of the parts of the state and its host memory, [2][nlocal][components] field by field; the values go to the host or
 * from it. Ghosts are filled there. */
static PetscErrorCode carry(RhxDiagnostic *d, RhxArray a, PetscBool to_host, double *all)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const RhxSpace space = run->form->space;
  const RhxFieldSample *s = d->sample;
  const PetscInt width = 2 * s->state.n, n = to_host ? space->nlocal : space->nowned;
  PetscScalar *packed;
  PetscInt at;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)space->nlocal * width, &packed));
  if (to_host) PetscCall(RhxSchemeStoreMean(run->ts, a, packed));
  if (to_host) PetscCall(RhxSpaceGlobalToLocal(space, width, packed, packed));
  for (PetscInt f = 0; f < 2 * s->n; f++) {
    const PetscInt i = f % s->n, components = s->all->item[s->which[i]].components;
    for (PetscInt c = 0; RhxFieldSampleIsState(s, i, &at) && c < RhxFieldSampleCount(s, i); c++)
      for (PetscInt k = 0; k < n; k++) {
        PetscScalar *there = packed + k * width + (f < s->n ? 0 : s->state.n) + at + c;
        if (to_host)
          all[k * components + c] = *there;
        else
          *there = all[k * components + c];
      }
    all += (size_t)components * space->nlocal;
  }
  if (!to_host) PetscCall(RhxSchemeLoadMean(run->ts, a, packed));
  PetscCall(PetscFree(packed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What was averaged with the state comes to the host. */
static PetscErrorCode fetch_means(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  if (!o->ahead) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(carry(d, o->there.before, PETSC_TRUE, o->mean.before));
  PetscCall(carry(d, o->there.sum, PETSC_TRUE, o->mean.sum));
  if (o->period > 0) PetscCall(carry(d, o->there.whole, PETSC_TRUE, o->mean.whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode send_means(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  if (o->ahead) PetscFunctionReturn(PETSC_SUCCESS);
  if (!o->made) PetscCall(RhxSchemeCreateMean(RhxDiagnosticGetRun(d)->ts, d->sample->state.n, &o->there));
  o->made = o->ahead = PETSC_TRUE;
  PetscCall(carry(d, o->there.before, PETSC_FALSE, o->mean.before));
  PetscCall(carry(d, o->there.sum, PETSC_FALSE, o->mean.sum));
  if (o->period > 0) PetscCall(carry(d, o->there.whole, PETSC_FALSE, o->mean.whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_fields(RhxDiagnostic *d, Options *o, double t)
{
  PetscFunctionBegin;
  PetscCall(fetch_means(d));
  RhxTimeMeanGetMoments(&o->mean, o->values);
  PetscCall(RhxFieldFileWrite(RhxDiagnosticGetRun(d)->output, d->name, o->vtu, t, 2 * d->sample->n, o->field, fill, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static unsigned pressure_bits(const RhxFieldSample *s)
{
  unsigned bits = 0;
  PetscInt at;

  for (PetscInt i = 0; i < s->n; i++)
    if (!strcmp(s->all->item[s->which[i]].name, "pressure") && RhxFieldSampleIsState(s, i, &at)) bits |= 1u << at;
  return bits;
}

/* The present state joins the means. */
static PetscErrorCode add_sample(RhxDiagnostic *d, double t)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const PetscInt nlocal = run->form->space->nlocal;
  Options *o = d->own;
  RhxFieldSample *s = d->sample;
  const PetscBool guessed = o->mean.guessed;
  RhxNodalSample w;
  PetscInt first = 0;

  PetscFunctionBegin;
  RhxTimeMeanStep(&o->mean, t, &w);
  if (guessed) w.anew |= pressure_bits(s);
  if (s->state.n) {
    PetscCall(send_means(d));
    PetscCall(RhxSchemeAccumulate(run->ts, &s->state, &w, &o->there));
  }
  PetscCall(RhxFieldSampleLoad(d, s, PETSC_FALSE));
  for (PetscInt i = 0; i < s->n; i++) {
    const PetscInt n = s->all->item[s->which[i]].components * nlocal;
    if (!RhxFieldSampleIsState(s, i, NULL)) {
      PetscCall(RhxQuantityEvaluate(s->all, s->which[i], nlocal, s->x, s->L, o->values));
      RhxTimeMeanMoments(&o->mean, &w, first, n, o->values);
    }
    first += n;
  }
  PetscCall(RhxFieldSampleUnload(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The start is a sample, unless an earlier run has begun; of a search for a steady state it tells nothing. */
static PetscErrorCode begin_means(RhxDiagnostic *d, const RhxDiagnosticStep *step)
{
  Options *o = d->own;
  PetscBool steady;

  PetscFunctionBegin;
  PetscCall(RhxSchemeIsSteady(RhxDiagnosticGetRun(d)->ts, &steady));
  if (!o->mean.seen && !steady) {
    PetscCall(add_sample(d, step->t));
    o->mean.guessed = (PetscBool)!step->step;
  }
  RhxTimeMeanBegin(&o->mean, step->t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A sample that is due at the end alone is forgotten afterwards. */
static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *unused)
{
  Options *o = d->own;
  RhxTimeMean kept;

  PetscFunctionBegin;
  (void)unused;
  if (step->step == d->first_step) {
    PetscCall(begin_means(d, step));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (RhxTimeMeanIsEarly(o->start, step->t, &o->offered) && !step->last) PetscFunctionReturn(PETSC_SUCCESS);
  if (step->extra) PetscCall(fetch_means(d));
  if (step->extra) PetscCall(RhxTimeMeanCopy(&o->mean, &kept));
  PetscCall(add_sample(d, step->t));
  if (!step->last) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxTimeMeanSay(RhxDiagnosticGetComm(d), d->name, o->start, &o->mean, step->t, &o->any));
  if (o->any)
    PetscCall(write_fields(d, o, step->t));
  else
    PetscCall(RhxOutputDropResults(RhxDiagnosticGetRun(d)->output, d->maker));
  if (step->extra) PetscCall(RhxTimeMeanReturn(&o->mean, &kept));
  if (step->extra) o->ahead = PETSC_FALSE;
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
  PetscCall(fetch_means(d));
  PetscCall(RhxTimeMeanStore(&o->mean, store, "mean"));
  for (PetscInt i = 0; i < 2 * s->n; i++) {
    const RhxQuantity *q = &s->all->item[s->which[i % s->n]];
    for (int k = 0; k < (o->period > 0 ? 3 : 2); k++) {
      PetscCall(PetscSNPrintf(what, sizeof(what), "%s/%s%s", q->name, i < s->n ? "" : "variance_", name[k]));
      PetscCall(RhxStoreNodes(store, what, q->components, values[k] + at));
    }
    at += (size_t)q->components * s->all->form->space->nlocal;
  }
  if (RhxStoreLacks(store)) PetscCall(RhxTimeMeanReset(&o->mean));
  if (store->file) o->ahead = PETSC_FALSE; /* they were read */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(RhxDiagnostic *d)
{
  PetscFunctionBegin;
  if (((const Options *)d->own)->any) PetscCall(RhxFieldFileSay(RhxDiagnosticGetRun(d)->output, d->name));
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
    .flags = RHX_DIAGNOSTIC_FROM_START,
    .entry =
        {sizeof(RhxDiagnosticType), "average",
         "time averages of fields and root mean squares of what they differ from them: <case>_<name>.vtu at the end "
         "(.hdf with -output_formats vtkhdf), <field>_mean and <field>_rms"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .end = end,
    .destroy = destroy,
    .state = state};
