/* Times at which what is given jumps, or has a kink. A jump is found where a difference between samples stays as it is when their
 * distance is bisected down to neighbouring numbers, so that it does not depend on where one looks from; samples are even, and
 * there are two about each number of the formula's text, at which its conditions and bounds change over (t < 0.01). A kink is
 * where the second difference at such a number grows as the distance, not as its square. Of rows that straight lines join kinks are
 * at rows. */
#include "boundary/given_impl.h"
#include "petsc_compat.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#define SAMPLES 2048
#define MOST 4096       /* times; what jumps more often has no steps of its own there */
#define SMALL 1e-3      /* of the largest value: what jumps by less does not count */
#define NEAR 1e-9       /* of the span: two such times are one */
#define BESIDE 1e-6     /* of the span and of the number: where a kink is looked for */
#define STEEP 0.01      /* second difference over the larger first one */
#define LIKE_SQUARE 8.0 /* of a quarter of the distance: 4 at a kink, 2 where a root begins, 16 where it is smooth, */
#define LIKE_JUMP 1.5   /* and 1 at a jump, which is too small where it comes to this */
#define OFTEN 4         /* one interval of so many has a jump: the rest may hide between samples */

struct _p_RhxBreaks {
  PetscInt n;
  double *time; /* [MOST] the last number before a jump, a kink itself */
  PetscBool many, others;
  char option[256]; /* of the first that was found, without '-'; others: there are */
};

PetscErrorCode RhxBreaksCreate(RhxBreaks *breaks)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(breaks));
  PetscCall(PetscMalloc1(MOST, &(*breaks)->time));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBreaksDestroy(RhxBreaks *breaks)
{
  PetscFunctionBegin;
  if (!*breaks) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*breaks)->time));
  PetscCall(PetscFree(*breaks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void add(RhxBreaks breaks, const RhxGiven *g, double time)
{
  if (!breaks->n) snprintf(breaks->option, sizeof(breaks->option), "%s", g->option);
  if (strcmp(breaks->option, g->option)) breaks->others = PETSC_TRUE;
  if (breaks->n == MOST)
    breaks->many = PETSC_TRUE;
  else
    breaks->time[breaks->n++] = time;
}

/* Largest of the places; 0 where one of them is not finite. */
static double distance(const RhxGiven *g, const PetscReal *a, const PetscReal *b)
{
  double d = 0.0;
  for (PetscInt k = 0; k < g->n; k++) {
    if (PetscIsInfOrNanReal(a[k]) || PetscIsInfOrNanReal(b[k])) return 0.0;
    d = PetscMax(d, PetscAbsReal(b[k] - a[k]));
  }
  return d;
}

/* Between *a and b, whose values are there, with more than `least`: then *a is the first number behind it, with its value. */
static PetscErrorCode find_jump(RhxBreaks breaks, const RhxGiven *g, double *a, double b, PetscReal *at_a,
                                const PetscReal *at_b, double least, PetscBool *found)
{
  PetscReal left[RHX_GIVEN_PLACES], right[RHX_GIVEN_PLACES], middle[RHX_GIVEN_PLACES];
  const double whole = distance(g, at_a, at_b);
  double from = *a;
  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCall(PetscArraycpy(left, at_a, g->n));
  PetscCall(PetscArraycpy(right, at_b, g->n));
  for (double d = whole; d > least && d > 0.5 * whole;) {
    const double m = 0.5 * (from + b);
    if (!(m > from && m < b)) {
      add(breaks, g, from);
      *a = b;
      PetscCall(PetscArraycpy(at_a, right, g->n));
      *found = PETSC_TRUE;
      break;
    }
    PetscCall(RhxGivenEvaluate(g, m, middle));
    const double before = distance(g, left, middle), behind = distance(g, middle, right);
    if (before >= behind) {
      b = m;
      PetscCall(PetscArraycpy(right, middle, g->n));
    } else {
      from = m;
      PetscCall(PetscArraycpy(left, middle, g->n));
    }
    d = PetscMax(before, behind);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Second difference at c over h, and the larger of the first ones. */
static PetscErrorCode differences(const RhxGiven *g, double c, double h, double *second, double *first)
{
  PetscReal at[3][RHX_GIVEN_PLACES];
  PetscFunctionBegin;
  *second = 0.0;
  for (int i = 0; i < 3; i++) PetscCall(RhxGivenEvaluate(g, c + (i - 1) * h, at[i]));
  *first = PetscMax(distance(g, at[0], at[1]), distance(g, at[1], at[2]));
  for (PetscInt k = 0; k < g->n; k++) *second = PetscMax(*second, PetscAbsReal(at[0][k] - 2 * at[1][k] + at[2][k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At a number of the text. */
static PetscErrorCode look_at_number(RhxBreaks breaks, const RhxGiven *g, double c, double span, double size)
{
  PetscReal left[RHX_GIVEN_PLACES], right[RHX_GIVEN_PLACES];
  const double h = BESIDE * PetscMin(span, c);
  double from = c - h, wide, narrow, first, unused;
  PetscBool jumps;
  PetscFunctionBegin;
  PetscCall(RhxGivenEvaluate(g, from, left));
  PetscCall(RhxGivenEvaluate(g, c + h, right));
  PetscCall(find_jump(breaks, g, &from, c + h, left, right, SMALL * size, &jumps));
  if (jumps) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(differences(g, c, h, &wide, &first));
  PetscCall(differences(g, c, 0.25 * h, &narrow, &unused));
  if (wide > STEEP * first && wide > SMALL * BESIDE * size && wide > LIKE_JUMP * narrow && wide < LIKE_SQUARE * narrow)
    add(breaks, g, c);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBreaksAdd(RhxBreaks breaks, const RhxGiven *g, double t, double end)
{
  PetscReal value[2][RHX_GIVEN_PLACES];
  double size = 0.0, at = t, next;
  PetscInt jumped = 0;
  PetscBool found;
  PetscFunctionBegin;
  for (int i = 0; i <= SAMPLES; i++) {
    PetscCall(RhxGivenEvaluate(g, t + (end - t) * i / SAMPLES, value[0]));
    for (PetscInt k = 0; k < g->n; k++)
      if (!PetscIsInfOrNanReal(value[0][k])) size = PetscMax(size, PetscAbsReal(value[0][k]));
  }
  PetscCall(RhxGivenEvaluate(g, at, value[0]));
  for (int i = 1; i <= SAMPLES; i++, at = next) {
    next = t + (end - t) * i / SAMPLES;
    PetscCall(RhxGivenEvaluate(g, next, value[1]));
    PetscCall(find_jump(breaks, g, &at, next, value[0], value[1], SMALL * size, &found));
    jumped += found;
    while (found && !breaks->many) PetscCall(find_jump(breaks, g, &at, next, value[0], value[1], SMALL * size, &found));
    PetscCall(PetscArraycpy(value[0], value[1], g->n));
  }
  if (jumped > SAMPLES / OFTEN) breaks->many = PETSC_TRUE;
  for (const char *c = g->text; *c; c++) {
    char *past;
    if (!(isdigit((unsigned char)*c) || *c == '.') || (c > g->text && (isalnum((unsigned char)c[-1]) || c[-1] == '_')))
      continue;
    const double number = strtod(c, &past);
    if (number > t && number <= end) PetscCall(look_at_number(breaks, g, number, end - t, size));
    if (past > c) c = past - 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has it a kink at row i of n: a change of slope that look_at_number would see? period 0: it is constant beyond. */
static PetscErrorCode has_kink(const RhxGiven *g, const double *time, PetscInt n, PetscInt i, double period,
                               double least, PetscBool *kink)
{
  PetscReal before[RHX_GIVEN_PLACES], here[RHX_GIVEN_PLACES], behind[RHX_GIVEN_PLACES];
  const double h = i < n - 1 ? time[i + 1] - time[i] : period > 0 ? time[1] - time[0] : 1;
  const double hb = i > 0 ? time[i] - time[i - 1] : period > 0 ? time[n - 1] - time[n - 2] : 1;
  PetscFunctionBegin;
  *kink = PETSC_FALSE;
  PetscCall(RhxGivenEvaluate(g, time[i] - hb, before));
  PetscCall(RhxGivenEvaluate(g, time[i], here));
  PetscCall(RhxGivenEvaluate(g, time[i] + h, behind));
  for (PetscInt k = 0; k < g->n; k++) {
    const double sb = (here[k] - before[k]) / hb, s = (behind[k] - here[k]) / h, change = PetscAbsReal(s - sb);
    if (change > STEEP * PetscMax(PetscAbsReal(sb), PetscAbsReal(s)) && change > least) *kink = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBreaksAddRows(RhxBreaks breaks, const RhxGiven *g, double t, double end)
{
  PetscReal value[RHX_GIVEN_PLACES];
  const double *time;
  double size = 0.0, period;
  const PetscInt n = RhxWaveformGetTimes(g->waveform, &time);
  PetscFunctionBegin;
  if (!RhxWaveformIsLinear(g->waveform)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxWaveformGetPeriod(g->waveform, &period));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(RhxGivenEvaluate(g, time[i], value));
    for (PetscInt k = 0; k < g->n; k++) size = PetscMax(size, PetscAbsReal(value[k]));
  }
  for (PetscInt i = period > 0 ? 1 : 0; i < n; i++) {
    const double first = period > 0 ? floor((t - time[i]) / period) : 0.0;
    PetscBool kink;
    PetscCall(has_kink(g, time, n, i, period, SMALL * size / (end - t), &kink));
    for (double at = time[i] + first * period, k = first; kink && at <= end && !breaks->many;) {
      if (at > t) add(breaks, g, at);
      if (!(period > 0)) break;
      at = time[i] + ++k * period;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxBreaksSort(RhxBreaks breaks, double begin, double span)
{
  PetscInt n = 0;
  if (breaks->many) breaks->n = 0;
  (void)PetscSortReal(breaks->n, breaks->time);
  for (PetscInt i = 0; i < breaks->n; i++)
    if (breaks->time[i] > (n ? breaks->time[n - 1] : begin) + NEAR * span) breaks->time[n++] = breaks->time[i];
  breaks->n = n;
}

void RhxBreaksAround(RhxBreaks breaks, double t, double *last, double *next)
{
  *last = -PETSC_INFINITY;
  *next = PETSC_INFINITY;
  for (PetscInt i = 0; i < breaks->n; i++)
    if (breaks->time[i] <= t)
      *last = breaks->time[i];
    else
      *next = PetscMin(*next, breaks->time[i]);
}

PetscBool RhxBreaksAreMany(RhxBreaks breaks) { return breaks->many; }

PetscInt RhxBreaksGet(RhxBreaks breaks, const double **time, const char **option, PetscBool *others)
{
  *time = breaks->time;
  *option = breaks->option;
  *others = breaks->others;
  return breaks->n;
}
