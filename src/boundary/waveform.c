#include "boundary/csv.h"
#include "boundary/join_impl.h"
#include "boundary/waveform_impl.h"
#include "petsc_compat.h"
#include <math.h>
#include <string.h>

#define BEYOND 0.1 /* of the range of the rows: what a spline through them may leave it by without a word */
#define JUMP 1e-6  /* of the largest value: what the ends of a period may differ by */

struct _p_RhxWaveform {
  char *option, *text;
  RhxFormula formula; /* NULL: rows */
  PetscInt width, n;  /* values of a time; intervals between rows */
  double *t, *v, *m;  /* [n + 1] times; [width][n + 1] values; [width][2 n] second derivatives (join_impl.h) */
  int how;
  PetscBool once; /* the first and the last value before and behind; else repeated */
};

static const char *value_name(RhxWaveform w, PetscInt k)
{
  static const char *const component[] = {"u", "v", "w"};
  return w->width > 1 ? component[k] : "value";
}

/* Fewer make no curve. */
static PetscInt least_rows(RhxWaveform w) { return w->once ? 2 : w->how == RHX_JOIN_CUBIC ? 4 : 3; }

/* Ascending times; the period's ends have one value. */
static PetscErrorCode check_rows(MPI_Comm comm, const char *option, const char *path, RhxWaveform w, const RhxCsv *csv)
{
  const PetscInt width = csv->columns;
  const double *row = csv->value, *last = row + width * (csv->n - 1);
  double most = 0;

  PetscFunctionBegin;
  for (PetscInt i = 1; i < csv->n; i++)
    PetscCheck(row[width * i] > row[width * (i - 1)], comm, PETSC_ERR_USER_INPUT,
               "-%s: %s: line %d: got the time %g after %g, expected ascending times", option, path, csv->line[i],
               row[width * i], row[width * (i - 1)]);
  PetscCheck(csv->n >= least_rows(w), comm, PETSC_ERR_USER_INPUT, "-%s: %s: got %d row%s, expected at least %d", option,
             path, (int)csv->n, csv->n == 1 ? "" : "s", (int)least_rows(w));
  if (w->once) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < csv->n; i++)
    for (PetscInt k = 1; k < width; k++) most = PetscMax(most, fabs(row[width * i + k]));
  for (PetscInt k = 1; k < width; k++)
    PetscCheck(fabs(last[k] - row[k]) <= JUMP * most, comm, PETSC_ERR_USER_INPUT,
               "-%s: %s: got a jump of %g at the period's end%s%s, from %g to %g; expected a last row of the first "
               "one's value%s, or rows that are taken once (-%s_rows once)",
               option, path, row[k] - last[k], w->width > 1 ? " in " : "", w->width > 1 ? value_name(w, k - 1) : "",
               last[k], row[k], w->width > 1 ? "s" : "", option);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_rows(MPI_Comm comm, const char *option, const char *path, const RhxCsv *csv,
                                  const RhxWaveformRows *given, RhxWaveform w)
{
  PetscFunctionBegin;
  w->width = csv->columns - 1;
  w->how = given->interpolation;
  w->once = (PetscBool)(given->rows == RHX_ROWS_ONCE);
  PetscCall(check_rows(comm, option, path, w, csv));
  w->n = csv->n - 1;
  PetscCall(PetscMalloc3(csv->n, &w->t, w->width * csv->n, &w->v, w->width * 2 * w->n, &w->m));
  for (PetscInt i = 0; i < csv->n; i++) {
    const double *row = csv->value + csv->columns * i;
    w->t[i] = row[0] * given->time;
    for (PetscInt k = 0; k < w->width; k++) w->v[k * csv->n + i] = row[1 + k] * given->value;
  }
  for (PetscInt k = 0; k < w->width; k++) {
    double *v = w->v + k * csv->n;
    if (!w->once) v[w->n] = v[0];
    PetscCall(RhxJoinRows(w->how, w->once, w->n, w->t, v, w->m + k * 2 * w->n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of value k. */
static double spline_at(RhxWaveform w, PetscInt k, PetscInt i, double b)
{
  const double a = 1 - b, h = w->t[i + 1] - w->t[i], *v = w->v + k * (w->n + 1), *m = w->m + 2 * (k * w->n + i);
  return a * v[i] + b * v[i + 1] + h * h / 6 * ((a * a * a - a) * m[0] + (b * b * b - b) * m[1]);
}

/* Least and largest value k of the rows, and of the spline at 16 times of each interval. */
static void find_range(RhxWaveform w, PetscInt k, double rows[2], double spline[2])
{
  const double first = w->v[k * (w->n + 1)], last = w->v[k * (w->n + 1) + w->n];
  rows[0] = spline[0] = PetscMin(first, last);
  rows[1] = spline[1] = PetscMax(first, last);
  for (PetscInt i = 0; i < w->n; i++)
    for (int part = 0; part < 16; part++) {
      const double v = spline_at(w, k, i, part / 16.0);
      spline[0] = PetscMin(spline[0], v);
      spline[1] = PetscMax(spline[1], v);
      if (part) continue;
      rows[0] = PetscMin(rows[0], v);
      rows[1] = PetscMax(rows[1], v);
    }
}

PetscBool RhxWaveformIsFile(const char *text)
{
  const size_t length = strlen(text);
  return (PetscBool)(length > 4 && !strcmp(text + length - 4, ".csv"));
}

/* The first of the rows' options that differs from its default, with what was got; NULL: none. */
static const char *first_given(const RhxWaveformRows *given, char got[32])
{
  static const char *const join[] = {"cubic", "monotone", "linear"};

  if (given->value != 1 || given->time != 1) {
    snprintf(got, 32, "%g", given->value != 1 ? given->value : given->time);
    return given->value != 1 ? "scale" : "time_scale";
  }
  snprintf(got, 32, "%s", given->interpolation ? join[given->interpolation] : "once");
  return given->interpolation ? "interpolation" : given->rows == RHX_ROWS_ONCE ? "rows" : NULL;
}

PetscErrorCode RhxWaveformCheckRows(MPI_Comm comm, const char *option, const char *text, const RhxWaveformRows *given)
{
  char got[32];
  const char *name = first_given(given, got);

  PetscFunctionBegin;
  PetscCheck(!name || RhxWaveformIsFile(text), comm, PETSC_ERR_USER_INPUT,
             "-%s_%s: got %s %s%s%s%s, expected it with the path of a .csv file in -%s", option, name, got,
             text[0] ? "with \"" : "without -", text[0] ? text : option, text[0] ? "\" of -" : "",
             text[0] ? option : "", option);
  PetscCheck(PetscAbsReal(given->value) > 0, comm, PETSC_ERR_USER_INPUT,
             "-%s_scale: got %s, expected a number that is not 0", option, got);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The caller destroys it also after an error. */
static PetscErrorCode create(const char *option, const char *text, RhxWaveform *waveform)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(waveform));
  (*waveform)->width = 1;
  PetscCall(PetscStrallocpy(option, &(*waveform)->option));
  PetscCall(PetscStrallocpy(text, &(*waveform)->text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWaveformCreateRows(MPI_Comm comm, const char *option, const char *path, const char *names,
                                     const RhxWaveformRows *given, RhxWaveform *waveform)
{
  RhxCsv csv = {0};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(RhxWaveformCheckRows(comm, option, path, given));
  PetscCall(create(option, path, waveform));
  PetscCall(RhxCsvRead(comm, option, path, names, &csv));
  ierr = create_rows(comm, option, path, &csv, given, *waveform);
  PetscCall(RhxCsvFree(&csv));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWaveformCreate(MPI_Comm comm, const char *option, const char *text, const RhxWaveformRows *given,
                                 RhxWaveform *waveform)
{
  PetscFunctionBegin;
  if (RhxWaveformIsFile(text)) {
    PetscCall(RhxWaveformCreateRows(comm, option, text, "time,value", given, waveform));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxWaveformCheckRows(comm, option, text, given));
  if (!text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(create(option, text, waveform));
  PetscCall(RhxFormulaCreate(comm, option, text, RHX_FORMULA_OF_TIME, &(*waveform)->formula));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RhxWaveformWidth(RhxWaveform w) { return w->width; }

PetscErrorCode RhxWaveformEvaluate(RhxWaveform w, double t, PetscReal *value)
{
  const double origin[3] = {0, 0, 0};
  PetscInt low = 0, high = w->n;

  PetscFunctionBegin;
  if (w->formula) {
    PetscCall(RhxFormulaEvaluate(w->formula, t, 1, 3, origin, value));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (w->once) {
    t = PetscMin(PetscMax(t, w->t[0]), w->t[w->n]);
  } else {
    t -= w->t[0];
    t = w->t[0] + (t - (w->t[w->n] - w->t[0]) * floor(t / (w->t[w->n] - w->t[0])));
  }
  while (high - low > 1) {
    const PetscInt middle = (low + high) / 2;
    if (t >= w->t[middle])
      low = middle;
    else
      high = middle;
  }
  for (PetscInt k = 0; k < w->width; k++)
    value[k] = spline_at(w, k, low, (t - w->t[low]) / (w->t[low + 1] - w->t[low]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWaveformDependsOnTime(RhxWaveform w, PetscBool *depends)
{
  PetscFunctionBegin;
  *depends = (PetscBool)(w != NULL);
  if (w && w->formula) PetscCall(RhxFormulaDependsOnTime(w->formula, depends));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWaveformExplain(RhxWaveform w, double t, PetscReal value, char *text, size_t size)
{
  PetscFunctionBegin;
  snprintf(text, size, "-%s: \"%.200s\" gives %g at t = %g; expected a finite number", w->option, w->text, value, t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWaveformGetPeriod(RhxWaveform w, double *period)
{
  PetscFunctionBegin;
  *period = !w || w->formula || w->once ? 0 : w->t[w->n] - w->t[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RhxWaveformGetTimes(RhxWaveform w, const double **time)
{
  *time = w ? w->t : NULL;
  return *time ? w->n + 1 : 0;
}

PetscBool RhxWaveformIsOnce(RhxWaveform w) { return (PetscBool)(w && w->once); }

PetscBool RhxWaveformIsLinear(RhxWaveform w) { return (PetscBool)(w && w->how == RHX_JOIN_LINEAR); }

static double mean_of(RhxWaveform w, PetscInt k)
{
  const double *v = w->v + k * (w->n + 1), *m = w->m + 2 * k * w->n;
  double sum = 0;

  for (PetscInt i = 0; i < w->n; i++) {
    const double h = w->t[i + 1] - w->t[i];
    sum += h / 2 * (v[i] + v[i + 1]) - h * h * h / 24 * (m[2 * i] + m[2 * i + 1]);
  }
  return sum / (w->t[w->n] - w->t[0]);
}

PetscErrorCode RhxWaveformDescribe(RhxWaveform w, const char *unit, size_t size, char *text)
{
  static const char *const joined[] = {"", ", monotone", ", linear"};
  double rows[2], spline[2];
  size_t used;

  PetscFunctionBegin;
  text[0] = '\0';
  if (!w || w->formula) PetscFunctionReturn(PETSC_SUCCESS);
  if (w->once)
    snprintf(text, size, " (once from %.4g to %.4g s%s", w->t[0], w->t[w->n], joined[w->how]);
  else
    snprintf(text, size, " (period %.4g s%s", w->t[w->n] - w->t[0], joined[w->how]);
  for (PetscInt k = 0; k < w->width; k++) {
    find_range(w, k, rows, spline);
    used = strlen(text);
    snprintf(text + used, size - used, ", %s%s%s %.4g, rows from %.4g to %.4g %s", w->width > 1 ? value_name(w, k) : "",
             w->width > 1 ? ": " : "", w->once ? "then" : "mean", w->once ? w->v[k * (w->n + 1) + w->n] : mean_of(w, k),
             rows[0], rows[1], unit);
  }
  used = strlen(text);
  snprintf(text + used, size - used, ")");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWaveformWarn(MPI_Comm comm, RhxWaveform w)
{
  double rows[2], spline[2], range = 0;
  char text[256]; /* PETSc writes 1 as "1." */

  PetscFunctionBegin;
  if (!w || w->formula) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < w->width; k++) {
    find_range(w, k, rows, spline);
    range = PetscMax(range, rows[1] - rows[0]);
  }
  for (PetscInt k = 0; k < w->width; k++) {
    find_range(w, k, rows, spline);
    if (PetscMax(rows[0] - spline[0], spline[1] - rows[1]) <= BEYOND * range) continue;
    snprintf(text, sizeof(text),
             "got rows %s%sfrom %.4g to %.4g, the cubic spline through which goes from %.4g to %.4g",
             w->width > 1 ? value_name(w, k) : "", w->width > 1 ? " " : "", rows[0], rows[1], spline[0], spline[1]);
    PetscCall(
        PetscFPrintf(comm, PETSC_STDERR,
                     "rheoplex: warning: -%s: %s: %s: expected more rows where it is flat beside a fast change, or "
                     "-%s_interpolation monotone\n",
                     w->option, w->text, text, w->option));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWaveformGetOption(RhxWaveform w, const char **option)
{
  PetscFunctionBegin;
  *option = w->option;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *RhxWaveformText(RhxWaveform w) { return w->text; }

PetscErrorCode RhxWaveformDestroy(RhxWaveform *w)
{
  PetscFunctionBegin;
  if (!*w) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*w)->option));
  PetscCall(PetscFree((*w)->text));
  PetscCall(RhxFormulaDestroy(&(*w)->formula));
  PetscCall(PetscFree3((*w)->t, (*w)->v, (*w)->m));
  PetscCall(PetscFree(*w));
  PetscFunctionReturn(PETSC_SUCCESS);
}
