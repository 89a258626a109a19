#include "diagnostics/series.h"
#include "diagnostics/store.h"
#include "petsc_compat.h"
#include <math.h>
#include <string.h>

#define APART 0.1   /* of the mean amplitude of the periods behind it: what is further off is of the transient, */
#define SPREADS 2.0 /* unless it is not by so many times the range of theirs */
#define STEADY 0.03 /* change of the amplitude from one period to the next that is not told */

PetscErrorCode RhxSeriesAdd(RhxSeries *s, PetscInt width, double t, const double *values)
{
  PetscFunctionBegin;
  s->width = width;
  if (s->n == s->size) {
    s->size = 2 * s->size + 64;
    PetscCall(PetscRealloc((size_t)s->size * (1 + width) * sizeof(*s->row), &s->row));
  }
  s->row[s->n * (1 + width)] = t;
  PetscCall(PetscArraycpy(s->row + s->n * (1 + width) + 1, values, width));
  s->n++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSeriesDestroy(RhxSeries *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(s->row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSeriesStore(RhxSeries *s, PetscInt width, RhxStore *store, const char *what)
{
  PetscFunctionBegin;
  s->width = width;
  PetscCall(RhxStoreSeries(store, what, 1 + width, &s->n, &s->row));
  s->size = PetscMax(s->size, s->n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double time_of(const RhxSeries *s, PetscInt i) { return s->row[i * (1 + s->width)]; }
static double value_of(const RhxSeries *s, PetscInt i, PetscInt k) { return s->row[i * (1 + s->width) + 1 + k]; }

void RhxSeriesDrop(RhxSeries *s, double t)
{
  PetscInt first = 0;

  while (first + 1 < s->n && time_of(s, first + 1) <= t) first++;
  if (first < s->n / 2) return; /* so that a row is moved once or twice in its life */
  memmove(s->row, s->row + first * (1 + s->width), (size_t)(s->n - first) * (1 + s->width) * sizeof(*s->row));
  s->n -= first;
}

/* Largest |value| of the columns of the unit of column k. */
static double scale_of(const RhxSeries *s, const char *const *unit, PetscInt k, PetscInt first)
{
  double scale = 0;

  for (PetscInt j = 0; j < s->width; j++)
    for (PetscInt i = first; i < s->n && !strcmp(unit[j], unit[k]); i++) scale = fmax(scale, fabs(value_of(s, i, j)));
  return scale;
}

PetscBool RhxSeriesSettled(const RhxSeries *s, const char *const *unit, double tol, double window)
{
  const double since = s->n ? time_of(s, s->n - 1) - window * (1 - 1e-9) : 0;
  PetscInt first = s->n - 1, known = 0;

  if (s->n < 3 || time_of(s, 0) > since) return PETSC_FALSE;
  while (time_of(s, first) > since) first--;
  for (PetscInt k = 0; k < s->width; k++) {
    double least = INFINITY, most = -INFINITY;
    PetscInt lacks = 0; /* rows that have no value of the column, such as the mean of what passes a wall */
    for (PetscInt i = first; i < s->n; i++) {
      lacks += !isfinite(value_of(s, i, k));
      least = fmin(least, value_of(s, i, k));
      most = fmax(most, value_of(s, i, k));
    }
    if (lacks == s->n - first) continue;
    if (lacks || !(most - least <= tol * scale_of(s, unit, k, first))) return PETSC_FALSE;
    known++;
  }
  return (PetscBool)(known > 0);
}

/* Time of the upward crossing of `level` between rows i and i + 1; NaN: there is none. */
static double crossing(const RhxSeries *s, PetscInt k, PetscInt i, double level)
{
  const double a = value_of(s, i, k) - level, b = value_of(s, i + 1, k) - level;

  return a < 0 && b >= 0 ? time_of(s, i) + (time_of(s, i + 1) - time_of(s, i)) * a / (a - b) : NAN;
}

/* Mean by trapezia and extremes of the rows from start to end. */
static void statistics(const RhxSeries *s, PetscInt k, double start, double end, double *mean, double *amplitude)
{
  double area = 0, length = 0, least = INFINITY, most = -INFINITY;

  for (PetscInt i = 0; i + 1 < s->n; i++) {
    const double dt = time_of(s, i + 1) - time_of(s, i);
    if (time_of(s, i) < start || time_of(s, i) >= end) continue;
    area += 0.5 * dt * (value_of(s, i, k) + value_of(s, i + 1, k));
    length += dt;
    least = fmin(least, value_of(s, i, k));
    most = fmax(most, value_of(s, i, k));
  }
  *mean = length > 0 ? area / length : 0;
  *amplitude = length > 0 ? 0.5 * (most - least) : 0;
}

/* The last `most` periods at this level, less those of a transient: from their end on as long as the amplitude is like that of those behind it. */
static void periods(const RhxSeries *s, PetscInt k, double level, PetscInt most, double *start, double *end,
                    RhxOscillation *o)
{
  double sum = 0, low = INFINITY, high = -INFINITY, mean, amplitude;

  o->n = -1;
  o->left = PETSC_FALSE;
  o->change = 0;
  for (PetscInt i = s->n - 2; i >= 0 && o->n < most; i--) {
    const double t = crossing(s, k, i, level);
    if (isnan(t)) continue;
    if (o->n < 0) *end = *start = t;
    if (o->n++ < 0) continue;
    statistics(s, k, t, *start, &mean, &amplitude);
    if (o->n == 2) o->change = fabs(amplitude - sum) / fmax(amplitude, sum);
    if (o->n > 2 && fabs(amplitude - sum / (o->n - 1)) > fmax(APART * sum / (o->n - 1), SPREADS * (high - low))) {
      o->left = PETSC_TRUE;
      o->n--;
      break;
    }
    sum += amplitude;
    low = fmin(low, amplitude);
    high = fmax(high, amplitude);
    *start = t;
  }
  o->n = PetscMax(o->n, 0);
}

void RhxSeriesFrequency(const RhxSeries *s, PetscInt k, PetscInt most, RhxOscillation *o)
{
  double start, end;

  *o = (RhxOscillation){0};
  if (s->n < 3) return;
  start = 0.5 * (time_of(s, 0) + time_of(s, s->n - 1));
  end = time_of(s, s->n - 1);
  statistics(s, k, start, end, &o->mean, &o->amplitude);
  for (int it = 0; it < 3; it++) {
    periods(s, k, o->mean, most, &start, &end, o);
    if (!o->n) return;
    statistics(s, k, start, end, &o->mean, &o->amplitude);
  }
  o->frequency = o->n / (end - start);
}

void RhxOscillationDescribe(const RhxOscillation *o, size_t size, char *text)
{
  const char *left = o->left ? ", those before have another amplitude" : "";

  if (o->change > STEADY)
    snprintf(text, size, "%s; its amplitude still changes by %.2g %% a period", left, 100 * o->change);
  else
    snprintf(text, size, "%s", left);
}
