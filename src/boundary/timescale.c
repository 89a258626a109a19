/* How fast what is given changes: the period T of the sine that changes as much in a short time,
 *   <(f(t + l) - f(t))^2> = <(f - <f>)^2>/4   at the least l,   T = pi l/asin(1/4),
 * the means over times that are in step with no period. It holds for jumps and for several frequencies, of which the fast ones count
 * by their share. */
#include "boundary/drive_impl.h"
#include "boundary/given_impl.h"
#include "boundary/join_impl.h"
#include "petsc_compat.h"
#include <ctype.h>
#include <math.h>

#define PAIRS 1024    /* of times, at all places together */
#define SHORTEST 1e-8 /* lag over the span that is looked at first */
#define LONGEST 0.25  /* and last */
#define BISECTIONS 10
#define STILL 1e-3 /* of the largest value: what changes less does not count */
#define PERIODS 64 /* over which what repeats is looked at */
#define SAME 0.2   /* of the time that the span has: what has it over PERIODS of it, too, repeats */
#define PURE 0.99  /* of the period: rows of a sine */
#define WHOLE 1.25 /* of the span: what takes longer is no period of it */

/* Sum over pairs that are finite, and their number. */
typedef struct {
  double square, sum, largest;
  PetscInt n;
} Moments;

/* The part behind the point of (i + 1/2) times the powers of 1/phi_d, phi_d^(d + 1) = phi_d + 1 (Roberts' sequence). */
static double spread(PetscInt i, PetscInt d, PetscInt dim)
{
  static const double phi[] = {1.618033988749895, 1.324717957244746, 1.220744084605760};
  const double v = (i + 0.5) * PetscPowReal(phi[dim - 1], -(double)(d + 1));
  return v - floor(v);
}

PetscErrorCode RhxGivenEvaluate(const RhxGiven *g, double t, PetscReal value[RHX_GIVEN_PLACES])
{
  PetscFunctionBegin;
  if (g->waveform)
    PetscCall(RhxWaveformEvaluate(g->waveform, t, value));
  else
    PetscCall(RhxFormulaEvaluate(g->formula, t, g->n, g->dim, g->x, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of f(t + lag) - f(t), lag 0: of f, at one place or at all, over the span from `from`. */
static PetscErrorCode take_moments(const RhxGiven *g, double from, double span, double lag, PetscInt place, Moments *m)
{
  PetscReal now[RHX_GIVEN_PLACES], later[RHX_GIVEN_PLACES];

  PetscFunctionBegin;
  *m = (Moments){0};
  for (PetscInt i = 0; i < PAIRS / g->n; i++) {
    const double t = from + spread(i, 0, 1) * (span - lag);
    PetscCall(RhxGivenEvaluate(g, t, now));
    if (lag > 0) PetscCall(RhxGivenEvaluate(g, t + lag, later));
    for (PetscInt k = place < 0 ? 0 : place; k < (place < 0 ? g->n : place + 1); k++) {
      const double v = lag > 0 ? later[k] - now[k] : now[k];
      if (PetscIsInfOrNanReal(v)) continue;
      m->square += v * v;
      m->sum += v;
      m->largest = PetscMax(m->largest, PetscAbsReal(v));
      m->n++;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sum over the places of the variance in time. */
static PetscErrorCode find_variance(const RhxGiven *g, double from, double span, double *variance)
{
  double largest = 0;
  Moments m;

  PetscFunctionBegin;
  *variance = 0;
  for (PetscInt k = 0; k < g->n; k++) {
    PetscCall(take_moments(g, from, span, 0, k, &m));
    if (!m.n) continue;
    *variance += PetscMax(m.square / m.n - PetscSqr(m.sum / m.n), 0);
    largest = PetscMax(largest, m.largest);
  }
  if (!(*variance > PetscSqr(STILL * largest))) *variance = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode moves_far(const RhxGiven *g, double from, double span, double lag, double variance,
                                PetscBool *far)
{
  Moments m;

  PetscFunctionBegin;
  PetscCall(take_moments(g, from, span, lag, -1, &m));
  *far = (PetscBool)(m.n && m.square / m.n * g->n >= 0.25 * variance);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 0: it does not change, or not within the span. */
static PetscErrorCode find_time(const RhxGiven *g, double from, double span, double *time)
{
  double variance, low = 0, high = SHORTEST * span;
  PetscBool far;

  PetscFunctionBegin;
  *time = 0;
  PetscCall(find_variance(g, from, span, &variance));
  if (!(variance > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(moves_far(g, from, span, high, variance, &far));
  while (!far) {
    low = high;
    high *= 4; /* a sine is beyond it over a range of 11 times */
    if (high > LONGEST * span) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(moves_far(g, from, span, high, variance, &far));
  }
  for (int k = 0; k < BISECTIONS && low > 0; k++) {
    const double middle = 0.5 * (low + high);
    PetscCall(moves_far(g, from, span, middle, variance, &far));
    *(far ? &high : &low) = middle;
  }
  if (PETSC_PI * high / asin(0.25) <= WHOLE * span) *time = PETSC_PI * high / asin(0.25);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same; of what repeats it does not depend on the span. */
static PetscErrorCode find_period(const RhxGiven *g, double from, double span, double *time)
{
  double longer;

  PetscFunctionBegin;
  PetscCall(find_time(g, from, span, time));
  if (!(*time > 0) || PERIODS * *time <= span) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_time(g, from, PERIODS * *time, &longer));
  if (PetscAbsReal(longer - *time) <= SAME * *time) *time = longer;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of what is given between t and end: how fast it changes, or, unless it is NULL, when it breaks off. */
typedef struct {
  double t, end;
  RhxGivenTime *shortest;
  RhxBreaks breaks;
} Look;

static void offer(double time, const char *option, RhxGivenTime *shortest)
{
  if (!(time > 0) || (shortest->time > 0 && shortest->time <= time)) return;
  shortest->time = time;
  shortest->alike = PETSC_FALSE;
  snprintf(shortest->option, sizeof(shortest->option), "%s", option);
}

/* Of rows once: they, and as long before and behind, so that it does not depend on the run's length. */
static void near_rows(RhxWaveform w, double *begin, double *end)
{
  const double *t;
  const PetscInt n = RhxWaveformGetTimes(w, &t);
  const double span = n ? t[n - 1] - t[0] : 0;

  if (!RhxWaveformIsOnce(w)) return;
  *begin = PetscMax(*begin, t[0] - span);
  *end = PetscMin(*end, t[n - 1] + span);
}

static PetscErrorCode look_at_waveform(RhxWaveform w, const Look *look)
{
  RhxGiven g = {.waveform = w, .n = w ? RhxWaveformWidth(w) : 0};
  PetscBool depends = PETSC_FALSE;
  double period, time, begin = look->t, end = look->end;

  PetscFunctionBegin;
  if (w) PetscCall(RhxWaveformDependsOnTime(w, &depends));
  if (!depends) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxWaveformGetOption(w, &g.option));
  PetscCall(RhxWaveformGetPeriod(w, &period));
  if (look->breaks) {
    g.text = RhxWaveformText(w);
    if (RhxWaveformIsFile(g.text))
      PetscCall(RhxBreaksAddRows(look->breaks, &g, look->t, look->end));
    else
      PetscCall(RhxBreaksAdd(look->breaks, &g, look->t, look->end));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  near_rows(w, &begin, &end);
  if (!(end > begin)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_period(&g, begin, period > 0 ? PERIODS * period : end - begin, &time));
  offer(period, g.option, look->shortest);
  offer(time, g.option, look->shortest);
  if (time > 0 && time < PURE * period && look->shortest->time == time) look->shortest->alike = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In a box. */
static PetscErrorCode look_in_box(PetscInt dim, RhxFormula f, const PetscReal lower[3], const PetscReal upper[3],
                                  const Look *look)
{
  RhxGiven g = {.formula = f, .dim = dim, .n = 1};
  PetscBool depends = PETSC_FALSE;
  const char *text;
  double time;

  PetscFunctionBegin;
  if (f) PetscCall(RhxFormulaDependsOnTime(f, &depends));
  if (!depends) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormulaGetText(f, &g.option, &text));
  PetscCall(RhxFormulaDependsOnPlace(f, &depends));
  if (depends) g.n = RHX_GIVEN_PLACES;
  for (PetscInt i = 0; i < g.n * dim; i++)
    g.x[i] = lower[i % dim] + spread(i / dim, i % dim, dim) * (upper[i % dim] - lower[i % dim]);
  g.text = text;
  if (look->breaks) {
    PetscCall(RhxBreaksAdd(look->breaks, &g, look->t, look->end));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(find_period(&g, look->t, look->end - look->t, &time));
  offer(time, g.option, look->shortest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_at_formula(RhxBoundary bc, RhxFormula f, const PetscReal lower[3], const PetscReal upper[3],
                                      const Look *look)
{
  PetscFunctionBegin;
  PetscCall(look_in_box(bc->space->dim, f, lower, upper, look));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_at_condition(RhxBoundary bc, const RhxCondition *c, const Look *look)
{
  const PetscReal *lower = c->geo.lower, *upper = c->geo.upper;
  char option[256];

  PetscFunctionBegin;
  PetscCall(look_at_waveform(c->flow_rate, look));
  PetscCall(look_at_waveform(c->turning, look));
  PetscCall(look_at_waveform(c->pressure_rows, look));
  PetscCall(look_at_waveform(c->motion, look));
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_period", c->label));
  if (!look->breaks) offer(c->opt->period, option, look->shortest);
  for (PetscInt k = 0; k < 3; k++) {
    PetscCall(look_at_formula(bc, c->velocity[k], lower, upper, look));
    PetscCall(look_at_formula(bc, c->traction_formula[k], lower, upper, look));
  }
  PetscCall(look_at_formula(bc, c->pressure, lower, upper, look));
  for (PetscInt k = 0; k < c->nstress; k++) PetscCall(look_at_formula(bc, c->stress[k], lower, upper, look));
  for (PetscInt k = 0; k < bc->form->nscalars; k++) {
    PetscCall(look_at_formula(bc, c->scalar[k].formula, lower, upper, look));
    PetscCall(look_at_formula(bc, c->scalar[k].film, lower, upper, look));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* That of all labels, which is that of the mesh. */
static PetscErrorCode find_box(RhxBoundary bc, PetscReal lower[3], PetscReal upper[3])
{
  const RhxSpace space = bc->space;
  PetscReal most[6];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 6; k++) most[k] = PETSC_MIN_REAL;
  for (PetscInt i = 0; i < space->nowned * space->dim; i++) {
    const PetscInt d = i % space->dim;
    most[d] = PetscMax(most[d], -space->x[i]);
    most[3 + d] = PetscMax(most[3 + d], space->x[i]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 6, MPIU_REAL, MPIU_MAX, bc->comm));
  for (PetscInt d = 0; d < 3; d++) lower[d] = -most[d], upper[d] = most[3 + d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_at_all(RhxBoundary bc, const Look *look)
{
  PetscReal lower[3], upper[3];

  PetscFunctionBegin;
  PetscCheck(bc->setup, bc->comm, PETSC_ERR_ORDER, "What is given in time: got a boundary that is not set up");
  if (!(look->end > look->t)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < bc->ncond; i++) PetscCall(look_at_condition(bc, &bc->cond[i], look));
  PetscCall(look_at_waveform(RhxDriveGetAim(bc), look));
  if (!bc->source_time) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_box(bc, lower, upper));
  for (PetscInt l = 0; l < 2; l++)
    for (PetscInt r = 0; r < bc->nrows; r++) PetscCall(look_at_formula(bc, bc->row[l][r].whole, lower, upper, look));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetShortestTime(RhxBoundary bc, double t, double end, RhxGivenTime *shortest)
{
  PetscFunctionBegin;
  *shortest = (RhxGivenTime){0};
  PetscCall(look_at_all(bc, &(Look){.t = t, .end = end, .shortest = shortest}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetShortestTimeOf(RhxBoundary bc, const char *label, double t, double end,
                                            RhxGivenTime *shortest)
{
  const Look look = {.t = t, .end = end, .shortest = shortest};

  PetscFunctionBegin;
  *shortest = (RhxGivenTime){0};
  for (PetscInt i = 0; i < bc->ncond && end > t; i++)
    if (!strcmp(bc->cond[i].label, label)) PetscCall(look_at_condition(bc, &bc->cond[i], &look));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryFindBreaks(RhxBoundary bc, double t, double end, RhxBreaks *breaks)
{
  PetscFunctionBegin;
  PetscCall(RhxBreaksCreate(breaks));
  PetscCall(look_at_all(bc, &(Look){.t = t, .end = end, .breaks = *breaks}));
  RhxBreaksSort(*breaks, t, end - t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Before there is a mesh ---- */

enum { NO_TIME, NUMBER, FORMULAS, ROWS_TOO, VELOCITY, WAVEFORM, RAMP };

/* What the option, without '-', is for. */
static int kind_of(const char *name)
{
  static const struct {
    const char *begin, *end;
    int kind;
  } rows[] = {{"bc_", "_mean_velocity", NO_TIME},
              {"bc_", "_maximum_velocity", NO_TIME},
              {"bc_", "_ramp", RAMP},
              {"bc_", "_period", NUMBER},
              {"bc_", "_flow_rate", WAVEFORM},
              {"bc_", "_angular_velocity", WAVEFORM},
              {"bc_", "_velocity", VELOCITY},
              {"bc_", "_pressure", ROWS_TOO},
              {"bc_", "_traction", FORMULAS},
              {"form_mean_velocity", "", WAVEFORM},
              {"form_body_force", "", FORMULAS},
              {"form_source_velocity", "", FORMULAS}};
  const size_t length = strlen(name);

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(rows); k++) {
    const size_t begin = strlen(rows[k].begin), end = strlen(rows[k].end);
    if (end ? length > begin + end && !strncmp(name, rows[k].begin, begin) && !strcmp(name + length - end, rows[k].end)
            : !strcmp(name, rows[k].begin))
      return rows[k].kind;
  }
  return NO_TIME;
}

/* Does the word t stand in it, or is it a file? */
static PetscBool may_depend(const char *text)
{
  for (const char *c = text; *c; c++)
    if (*c == 't' && (c == text || (!isalnum((unsigned char)c[-1]) && c[-1] != '_')) && !isalnum((unsigned char)c[1]) &&
        c[1] != '_')
      return PETSC_TRUE;
  return RhxWaveformIsFile(text);
}

/* Those of -<name>_scale and so on; what is wrong with them is told when they are read. */
static PetscErrorCode find_rows_options(const char *name, RhxWaveformRows *given)
{
  static const char *const rows[] = {"scale", "time_scale", "interpolation", "rows"};
  char text[4][64] = {"1", "1", "cubic", "periodic"};

  PetscFunctionBegin;
  for (int k = 0; k < 4; k++) {
    char option[300];
    PetscCall(PetscSNPrintf(option, sizeof(option), "-%s_%s", name, rows[k]));
    PetscCall(PetscOptionsGetString(NULL, NULL, option, text[k], sizeof(text[k]), NULL));
  }
  given->value = atof(text[0]);
  given->time = atof(text[1]);
  if (!(PetscAbsReal(given->value) > 0)) given->value = 1;
  if (!(given->time > 0)) given->time = 1;
  given->interpolation = !strcmp(text[2], "monotone") ? RHX_JOIN_MONOTONE
                         : !strcmp(text[2], "linear") ? RHX_JOIN_LINEAR
                                                      : RHX_JOIN_CUBIC;
  given->rows = strcmp(text[3], "periodic") ? RHX_ROWS_ONCE : RHX_ROWS_PERIODIC;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_at_text(MPI_Comm comm, int kind, const char *name, const char *text, double size,
                                   const Look *look)
{
  const PetscReal lower[3] = {-size, -size, -size}, upper[3] = {size, size, size};
  const PetscInt n = RhxFormulaListLength(text);
  const PetscBool rows = RhxWaveformIsFile(text);
  RhxFormula f[3] = {NULL, NULL, NULL};
  RhxWaveformRows given;
  RhxWaveform w = NULL;

  PetscFunctionBegin;
  if (kind == WAVEFORM || (rows && (kind == ROWS_TOO || kind == VELOCITY))) {
    PetscCall(find_rows_options(name, &given));
    if (kind == VELOCITY)
      PetscCall(RhxWaveformCreateRows(comm, name, text, "time,u,v[,w]", &given, &w));
    else
      PetscCall(RhxWaveformCreate(comm, name, text, &given, &w));
    PetscCall(look_at_waveform(w, look));
    PetscCall(RhxWaveformDestroy(&w));
  } else if (n <= 3 && !strchr(text, ';')) { /* more, and lists, are told when they are read */
    PetscCall(RhxFormulaListCreate(comm, name, text, 1, n, "", f));
    for (PetscInt k = 0; k < n; k++) PetscCall(look_in_box(3, f[k], lower, upper, look));
    for (PetscInt k = 0; k < n; k++) PetscCall(RhxFormulaDestroy(&f[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

double RhxBoundaryGetRampsEnd(RhxBoundary bc, double t)
{
  for (PetscInt i = 0; i < bc->ncond; i++) t = PetscMax(t, bc->cond[i].opt->ramp);
  return t;
}

PetscErrorCode RhxBoundaryGetPeriod(RhxBoundary bc, PetscInt i, RhxGivenTime *period, PetscBool *more)
{
  const char *option;

  PetscFunctionBegin;
  *period = (RhxGivenTime){0};
  *more = (PetscBool)(i < RHX_NWAVEFORMS(bc));
  if (!*more) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxWaveformGetPeriod(RhxBoundaryWaveform(bc, i), &period->time));
  if (!(period->time > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxWaveformGetOption(RhxBoundaryWaveform(bc, i), &option));
  snprintf(period->option, sizeof(period->option), "%s", option);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetRowsOnce(RhxBoundary bc, PetscInt i, RhxGivenTime *span, PetscBool *more)
{
  RhxWaveform w;
  const double *t;
  const char *option;
  PetscInt n;

  PetscFunctionBegin;
  *span = (RhxGivenTime){0};
  *more = (PetscBool)(i < RHX_NWAVEFORMS(bc));
  w = *more ? RhxBoundaryWaveform(bc, i) : NULL;
  if (!RhxWaveformIsOnce(w)) PetscFunctionReturn(PETSC_SUCCESS);
  n = RhxWaveformGetTimes(w, &t);
  span->time = t[n - 1] - t[0];
  PetscCall(RhxWaveformGetOption(w, &option));
  snprintf(span->option, sizeof(span->option), "%s", option);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetRepeated(RhxBoundary bc, RhxGivenTime *longest)
{
  PetscBool more = PETSC_TRUE;

  PetscFunctionBegin;
  *longest = (RhxGivenTime){0};
  for (PetscInt i = 0; more; i++) {
    RhxGivenTime period;
    PetscCall(RhxBoundaryGetPeriod(bc, i, &period, &more));
    if (period.time > longest->time) *longest = period;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryLookAhead(MPI_Comm comm, double size, double t, double end, RhxGivenTime *shortest,
                                    double *ramp)
{
  const Look look = {.t = t, .end = end, .shortest = shortest};
  char **name, **value;
  PetscInt n;

  PetscFunctionBegin;
  *shortest = (RhxGivenTime){0};
  *ramp = 0.0;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value)); /* none has been read */
  for (PetscInt i = 0; i < n; i++) {
    const int kind = value[i] ? kind_of(name[i]) : NO_TIME;
    if (kind == RAMP)
      *ramp = PetscMax(*ramp, atof(value[i]));
    else if (kind == NUMBER)
      offer(atof(value[i]), name[i], shortest);
    else if (kind != NO_TIME && end > t && may_depend(value[i]))
      PetscCall(look_at_text(comm, kind, name[i], value[i], size, &look));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}
