/* Fourier coefficients of a column of another diagnostic over the last whole period: mean + sum of amplitude_k sin(2 pi k f t + phase_k). */
#include "diagnostics/mean_impl.h"
#include "diagnostics/named_impl.h"
#include "diagnostics/store.h"
#include "petsc_compat.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  char of[RHX_STRING_LENGTH], column[RHX_STRING_LENGTH];
  double frequency, start, offered;
  int n;
  RhxDiagnostic *other; /* borrowed */
  PetscInt which;       /* of its columns */
  RhxTimeMean mean;     /* of the column, and of its products with cos and sin of each harmonic */
  double *row, *values; /* [other's columns], [mean.n]; owned */
} Options;

static const RhxRow rows[] = {
    {"of", RHX_STRING, 0, offsetof(Options, of), "", RHX_ANY, 0, 0, NULL, "1",
     "name of the diagnostic whose table has the column, such as forces or a probe"},
    {"column", RHX_STRING, 0, offsetof(Options, column), "", RHX_ANY, 0, 0, NULL, "1", "column of that table"},
    {"frequency", RHX_REAL, 0, offsetof(Options, frequency), "0", RHX_GE, 0, 0, NULL, "1/s",
     "of the first harmonic, cycles a second: angular frequency over 2 pi"},
    {"n", RHX_INT, 0, offsetof(Options, n), "3", RHX_IN, 1, 64, NULL, "1", "harmonics, the first among them"},
    {"start", RHX_REAL, 0, offsetof(Options, start), "0", RHX_GE, 0, 0, NULL, "s",
     "time at which the first period begins"},
};

static PetscErrorCode find_column(RhxDiagnostic *d, Options *o)
{
  const RhxDiagnostics all = d->all;
  const char *near;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < all->n && !o->other; i++)
    if (!strcmp(all->item[i]->name, o->of)) o->other = all->item[i];
  PetscCheck(o->other && o->other->ncolumns && !o->other->type->state, all->comm, PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_of: got '%s', expected the name of a diagnostic with a table, of a kind that looks at the "
             "present state alone (-diagnostic_<name>_kind)",
             d->name, o->of);
  for (o->which = 0; o->which < o->other->ncolumns; o->which++)
    if (!strcmp(o->other->column[o->which], o->column)) PetscFunctionReturn(PETSC_SUCCESS);
  near = RhxNearest(o->column, o->other->ncolumns, (const char *const *)o->other->column);
  SETERRQ(all->comm, PETSC_ERR_USER_INPUT,
          "-diagnostic_%s_column: got '%s', expected a column of the table of '%s'%s%s%s", d->name, o->column, o->of,
          near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static PetscErrorCode setup(RhxDiagnostic *d)
{
  Options *o = d->own;
  char name[64], got[64];

  PetscFunctionBegin;
  PetscCheck(o->frequency > 0, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_frequency: got none, expected that of the flow in cycles a second", d->name);
  PetscCall(find_column(d, o));
  PetscCall(RhxTimeMeanCheck(d, 1 / o->frequency));
  snprintf(got, sizeof(got), "got %g rows a period", d->every_dt > 0 ? 1 / (o->frequency * d->every_dt) : 0.0);
  PetscCheck(!(d->every_dt > 0) || d->by_steps || 1 / (o->frequency * d->every_dt) > 2 * o->n + 0.5,
             RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_every_dt: %s, expected more than twice the %d harmonics (-diagnostic_%s_n)", d->name, got,
             o->n, d->name);
  o->offered = RHX_NO_ROW;
  PetscCall(RhxDiagnosticAddColumnUnit(d, "mean", o->other->unit[o->which]));
  for (int k = 1; k <= o->n; k++) {
    snprintf(name, sizeof(name), "amplitude_%d", k);
    PetscCall(RhxDiagnosticAddColumnUnit(d, name, o->other->unit[o->which]));
    snprintf(name, sizeof(name), "phase_%d", k);
    PetscCall(RhxDiagnosticAddColumnUnit(d, name, "rad"));
  }
  PetscCall(RhxTimeMeanCreate(1 + 2 * o->n, o->start, 1 / o->frequency, &o->mean));
  PetscCall(PetscCalloc2(o->other->ncolumns, &o->row, o->mean.n, &o->values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void add_sample(Options *o, double t)
{
  const double value = o->row[o->which];
  RhxNodalSample w;

  o->values[0] = value;
  for (int k = 1; k <= o->n; k++) {
    const double angle = 2 * PETSC_PI * k * fmod(o->frequency * t, 1.0);
    o->values[2 * k - 1] = value * cos(angle);
    o->values[2 * k] = value * sin(angle);
  }
  RhxTimeMeanStep(&o->mean, t, &w);
  RhxTimeMeanSum(&o->mean, &w, 0, o->mean.n, o->values);
}

/* nan before the first period has ended. */
static void fill_row(Options *o, double *values)
{
  double length;

  RhxTimeMeanGet(&o->mean, &length, o->values);
  if (!(o->mean.length > 0))
    for (PetscInt i = 0; i < o->mean.n; i++) o->values[i] = NAN;
  values[0] = o->values[0];
  for (int k = 1; k <= o->n; k++) {
    const double c = o->values[2 * k - 1], s = o->values[2 * k];
    values[2 * k - 1] = 2 * sqrt(c * c + s * s);
    values[2 * k] = atan2(c, s);
  }
}

static PetscErrorCode warn_of_none(const RhxDiagnostic *d, double t)
{
  const Options *o = d->own;
  char times[128]; /* PETSc writes 1 as "1." */

  PetscFunctionBegin;
  if (o->mean.length > 0) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(times, sizeof(times), "got a period of %g s, of which none has ended at %g s", 1 / o->frequency, t);
  PetscCall(PetscPrintf(RhxDiagnosticGetComm(d), "rheoplex: warning: -diagnostic_%s_frequency: %s: its row is nan\n",
                        d->name, times));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A sample that is due at the end alone is forgotten afterwards. */
static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  Options *o = d->own;
  RhxTimeMean kept;

  PetscFunctionBegin;
  if (step->step == d->first_step) {
    RhxTimeMeanBegin(&o->mean, step->t);
    PetscFunctionReturn(PETSC_SUCCESS); /* nor is there a row of the other yet */
  }
  if (!RhxTimeMeanIsEarly(o->start, step->t, &o->offered) || step->last) {
    if (step->extra) PetscCall(RhxTimeMeanCopy(&o->mean, &kept));
    PetscCall(o->other->type->evaluate(o->other, step, o->row));
    add_sample(o, step->t);
  }
  fill_row(o, values);
  if (step->last) PetscCall(warn_of_none(d, step->t));
  if (step->extra) PetscCall(RhxTimeMeanReturn(&o->mean, &kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode state(RhxDiagnostic *d, RhxStore *store)
{
  Options *o = d->own;
  double *const part[] = {o->mean.before, o->mean.sum, o->mean.whole}, *all;
  char sums[2 * RHX_STRING_LENGTH + 32]; /* of another column, or one of another measurement, they begin anew */
  unsigned mark;
  PetscInt n = 3;

  PetscFunctionBegin;
  RhxDiagnosticGetMark(o->other, &mark);
  snprintf(sums, sizeof(sums), "sums_%s_%s_%x", o->of, o->column, mark);
  PetscCall(RhxTimeMeanStore(&o->mean, store, "mean"));
  PetscCall(PetscMalloc1(3 * o->mean.n, &all));
  for (int k = 0; k < 3; k++) PetscCall(PetscArraycpy(all + k * o->mean.n, part[k], o->mean.n));
  PetscCall(RhxStoreRows(store, sums, o->mean.n, &n, &all));
  for (int k = 0; k < 3 && n == 3; k++) PetscCall(PetscArraycpy(part[k], all + k * o->mean.n, o->mean.n));
  if (n != 3) RhxStoreRefuse(store);
  PetscCall(PetscFree(all));
  if (RhxStoreLacks(store)) PetscCall(RhxTimeMeanReset(&o->mean));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  PetscCall(RhxTimeMeanDestroy(&o->mean));
  PetscCall(PetscFree2(o->row, o->values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_harmonics = {
    .flags = RHX_DIAGNOSTIC_OF_OTHER | RHX_DIAGNOSTIC_FROM_START,
    .entry =
        {sizeof(RhxDiagnosticType), "harmonics",
         "amplitude and phase of the first harmonics of a column of another diagnostic, over the last whole period "
         "of a frequency: mean + sum of amplitude_k sin(2 pi k f t + phase_k)"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .destroy = destroy,
    .state = state};
