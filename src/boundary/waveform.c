#include "boundary/csv.h"
#include "boundary/waveform_impl.h"
#include "petsc_compat.h"
#include <math.h>
#include <string.h>

#define LEAST_ROWS 4
#define BEYOND 0.1 /* of the range of the rows: what a spline through them may leave it by without a word */
#define JUMP 1e-6  /* of the largest value: what the ends of a period may differ by */

struct _p_RhxWaveform {
  char *option, *text;
  RhxFormula formula; /* NULL: rows */
  PetscInt width, n;  /* values of a time; intervals of a period */
  double *t, *v, *m;  /* [n + 1] times; [width][n + 1] values, second derivatives */
};

static const char *value_name(RhxWaveform w, PetscInt k)
{
  static const char *const component[] = {"u", "v", "w"};
  return w->width > 1 ? component[k] : "value";
}

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
  PetscCheck(csv->n >= LEAST_ROWS, comm, PETSC_ERR_USER_INPUT, "-%s: %s: got %d rows, expected at least %d", option,
             path, (int)csv->n, LEAST_ROWS);
  for (PetscInt i = 0; i < csv->n; i++)
    for (PetscInt k = 1; k < width; k++) most = PetscMax(most, fabs(row[width * i + k]));
  for (PetscInt k = 1; k < width; k++)
    PetscCheck(fabs(last[k] - row[k]) <= JUMP * most, comm, PETSC_ERR_USER_INPUT,
               "-%s: %s: got a jump of %g at the period's end%s%s, from %g to %g; expected a last row of the first "
               "one's value%s",
               option, path, row[k] - last[k], w->width > 1 ? " in " : "", w->width > 1 ? value_name(w, k - 1) : "",
               last[k], row[k], w->width > 1 ? "s" : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Second derivatives m[n] of the periodic spline through v: h_(i-1) m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_i m_(i+1) = 6 (s_i - s_(i-1)), s the
 * slopes of the chords; the corners of the matrix by the formula of Sherman and Morrison. */
static PetscErrorCode solve_spline(RhxWaveform w, const double *v, double *m)
{
  const PetscInt n = w->n;
  double *d, *z, factor;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &d, n, &z));
  const double corner = w->t[n] - w->t[n - 1]; /* h_(n-1), between nodes n - 1 and 0 */
  const double gamma = -2 * (corner + w->t[1] - w->t[0]);
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt before = i ? i - 1 : n - 1;
    const double h = w->t[i + 1] - w->t[i], hb = w->t[before + 1] - w->t[before];
    d[i] = 2 * (h + hb);
    m[i] = 6 * ((v[i + 1] - v[i]) / h - (v[before + 1] - v[before]) / hb);
    z[i] = 0;
  }
  d[0] -= gamma;
  d[n - 1] -= corner * corner / gamma;
  z[0] = gamma;
  z[n - 1] = corner;
  for (PetscInt i = 1; i < n; i++) {
    const double h = w->t[i] - w->t[i - 1], f = h / d[i - 1];
    d[i] -= f * h;
    m[i] -= f * m[i - 1];
    z[i] -= f * z[i - 1];
  }
  for (PetscInt i = n - 1; i >= 0; i--) {
    const double h = i < n - 1 ? w->t[i + 1] - w->t[i] : 0;
    m[i] = (m[i] - (i < n - 1 ? h * m[i + 1] : 0)) / d[i];
    z[i] = (z[i] - (i < n - 1 ? h * z[i + 1] : 0)) / d[i];
  }
  factor = (m[0] + corner / gamma * m[n - 1]) / (1 + z[0] + corner / gamma * z[n - 1]);
  for (PetscInt i = 0; i < n; i++) m[i] -= factor * z[i];
  m[n] = m[0];
  PetscCall(PetscFree2(d, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_rows(MPI_Comm comm, const char *option, const char *path, const RhxCsv *csv,
                                  const RhxWaveformScale *scale, RhxWaveform w)
{
  PetscFunctionBegin;
  w->width = csv->columns - 1;
  PetscCall(check_rows(comm, option, path, w, csv));
  w->n = csv->n - 1;
  PetscCall(PetscMalloc3(csv->n, &w->t, w->width * csv->n, &w->v, w->width * csv->n, &w->m));
  for (PetscInt i = 0; i < csv->n; i++) {
    const double *row = csv->value + csv->columns * i;
    w->t[i] = row[0] * scale->time;
    for (PetscInt k = 0; k < w->width; k++) w->v[k * csv->n + i] = row[1 + k] * scale->value;
  }
  for (PetscInt k = 0; k < w->width; k++) {
    double *v = w->v + k * csv->n;
    v[w->n] = v[0];
    PetscCall(solve_spline(w, v, w->m + k * csv->n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of value k. */
static double spline_at(RhxWaveform w, PetscInt k, PetscInt i, double b)
{
  const double a = 1 - b, h = w->t[i + 1] - w->t[i], *v = w->v + k * (w->n + 1), *m = w->m + k * (w->n + 1);
  return a * v[i] + b * v[i + 1] + h * h / 6 * ((a * a * a - a) * m[i] + (b * b * b - b) * m[i + 1]);
}

/* Least and largest value k of the rows, and of the spline at 16 times of each interval. */
static void find_range(RhxWaveform w, PetscInt k, double rows[2], double spline[2])
{
  rows[0] = rows[1] = spline[0] = spline[1] = w->v[k * (w->n + 1)];
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

PetscErrorCode RhxWaveformCheckScale(MPI_Comm comm, const char *option, const char *text, const RhxWaveformScale *scale)
{
  const PetscBool first = (PetscBool)(scale->value != 1);
  char got[32];

  PetscFunctionBegin;
  snprintf(got, sizeof(got), "%g", first ? scale->value : scale->time);
  PetscCheck((scale->value == 1 && scale->time == 1) || RhxWaveformIsFile(text), comm, PETSC_ERR_USER_INPUT,
             "-%s_%s: got %s with \"%s\", expected it with the path of a .csv file in -%s", option,
             first ? "scale" : "time_scale", got, text, option);
  PetscCheck(PetscAbsReal(scale->value) > 0, comm, PETSC_ERR_USER_INPUT,
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
                                     const RhxWaveformScale *scale, RhxWaveform *waveform)
{
  RhxCsv csv = {0};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(RhxWaveformCheckScale(comm, option, path, scale));
  PetscCall(create(option, path, waveform));
  PetscCall(RhxCsvRead(comm, option, path, names, &csv));
  ierr = create_rows(comm, option, path, &csv, scale, *waveform);
  PetscCall(RhxCsvFree(&csv));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWaveformCreate(MPI_Comm comm, const char *option, const char *text, const RhxWaveformScale *scale,
                                 RhxWaveform *waveform)
{
  PetscFunctionBegin;
  if (RhxWaveformIsFile(text)) {
    PetscCall(RhxWaveformCreateRows(comm, option, text, "time,value", scale, waveform));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxWaveformCheckScale(comm, option, text, scale));
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
  t -= w->t[0];
  t = w->t[0] + (t - (w->t[w->n] - w->t[0]) * floor(t / (w->t[w->n] - w->t[0])));
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
  *period = !w || w->formula ? 0 : w->t[w->n] - w->t[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double mean_of(RhxWaveform w, PetscInt k)
{
  const double *v = w->v + k * (w->n + 1), *m = w->m + k * (w->n + 1);
  double sum = 0;

  for (PetscInt i = 0; i < w->n; i++) {
    const double h = w->t[i + 1] - w->t[i];
    sum += h / 2 * (v[i] + v[i + 1]) - h * h * h / 24 * (m[i] + m[i + 1]);
  }
  return sum / (w->t[w->n] - w->t[0]);
}

PetscErrorCode RhxWaveformDescribe(RhxWaveform w, const char *unit, size_t size, char *text)
{
  double rows[2], spline[2];
  size_t used;

  PetscFunctionBegin;
  text[0] = '\0';
  if (!w || w->formula) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(text, size, " (period %.4g s", w->t[w->n] - w->t[0]);
  for (PetscInt k = 0; k < w->width; k++) {
    find_range(w, k, rows, spline);
    used = strlen(text);
    snprintf(text + used, size - used, ", %s%smean %.4g, rows from %.4g to %.4g %s",
             w->width > 1 ? value_name(w, k) : "", w->width > 1 ? ": " : "", mean_of(w, k), rows[0], rows[1], unit);
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
    PetscCall(PetscFPrintf(comm, PETSC_STDERR,
                           "rheoplex: warning: -%s: %s: %s: expected more rows where it is flat beside a fast change\n",
                           w->option, w->text, text));
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
