#include "boundary/waveform.h"
#include "petsc_compat.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_ROWS 4
#define JUMP 1e-6 /* of the largest value: what the ends of a period may differ by */

struct _p_RhxWaveform {
  RhxFormula formula; /* NULL: rows */
  PetscInt n;         /* intervals of a period */
  double *t, *v, *m;  /* [n + 1] times, values, second derivatives */
};

/* What rank 0 reads; message empty: sound. */
typedef struct {
  PetscInt rows, room;
  double *t, *v;
  char message[400];
} Rows;

static PetscErrorCode grow(Rows *r)
{
  double *t, *v;

  PetscFunctionBegin;
  if (r->rows < r->room) PetscFunctionReturn(PETSC_SUCCESS);
  r->room = 2 * r->room + 64;
  PetscCall(PetscMalloc2(r->room, &t, r->room, &v));
  PetscCall(PetscArraycpy(t, r->t, r->rows));
  PetscCall(PetscArraycpy(v, r->v, r->rows));
  PetscCall(PetscFree2(r->t, r->v));
  r->t = t;
  r->v = v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One line: a row, or why it is none. header: it may be words. */
static void take_line(Rows *r, char *text, int line, PetscBool header)
{
  char *end;
  const double t = strtod(text, &end);
  PetscBool sound = (PetscBool)(end != text), words = (PetscBool)!sound;
  double v = 0;

  end += strspn(end, " \t");
  sound = (PetscBool)(sound && *end == ',');
  if (sound) {
    char *second = end + 1;
    v = strtod(second, &end);
    sound = (PetscBool)(end != second && !end[strspn(end, " \t\r\n")]);
  }
  text[strcspn(text, "\r\n")] = 0;
  if (words && header) return;
  if (!sound)
    snprintf(r->message, sizeof(r->message), "line %d: got \"%.80s\", expected two numbers \"time,value\"", line, text);
  else if (!isfinite(t) || !isfinite(v))
    snprintf(r->message, sizeof(r->message), "line %d: got \"%.80s\", expected finite numbers", line, text);
  else if (r->rows && !(t > r->t[r->rows - 1]))
    snprintf(r->message, sizeof(r->message), "line %d: got the time %g s after %g s, expected ascending times", line, t,
             r->t[r->rows - 1]);
  r->t[r->rows] = t;
  r->v[r->rows++] = v;
}

/* The period's ends have one value. */
static void check_rows(Rows *r)
{
  double most = 0, jump;

  if (r->message[0]) return;
  for (PetscInt i = 0; i < r->rows; i++) most = PetscMax(most, fabs(r->v[i]));
  jump = r->rows ? r->v[r->rows - 1] - r->v[0] : 0;
  if (r->rows < LEAST_ROWS)
    snprintf(r->message, sizeof(r->message), "got %d rows, expected at least %d", (int)r->rows, LEAST_ROWS);
  else if (!(fabs(jump) <= JUMP * most))
    snprintf(r->message, sizeof(r->message),
             "got a jump of %g at the period's end, from %g to %g; expected a last row of the first one's value", -jump,
             r->v[r->rows - 1], r->v[0]);
}

static PetscErrorCode read_rows(const char *path, Rows *r)
{
  FILE *file = fopen(path, "r");
  char text[512];

  PetscFunctionBegin;
  if (!file) {
    snprintf(r->message, sizeof(r->message), "got a file that cannot be opened, expected rows \"time,value\"");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int line = 1; !r->message[0] && fgets(text, sizeof(text), file); line++) {
    if (text[0] == '#' || !text[strspn(text, " \t\r\n")]) continue;
    PetscCall(grow(r));
    take_line(r, text, line, (PetscBool)(r->rows == 0));
  }
  fclose(file);
  check_rows(r);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Second derivatives m[n] of the periodic spline: h_(i-1) m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_i m_(i+1) = 6 (s_i - s_(i-1)), s the
 * slopes of the chords; the corners of the matrix by the formula of Sherman and Morrison. */
static PetscErrorCode solve_spline(RhxWaveform w)
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
    w->m[i] = 6 * ((w->v[i + 1] - w->v[i]) / h - (w->v[before + 1] - w->v[before]) / hb);
    z[i] = 0;
  }
  d[0] -= gamma;
  d[n - 1] -= corner * corner / gamma;
  z[0] = gamma;
  z[n - 1] = corner;
  for (PetscInt i = 1; i < n; i++) {
    const double h = w->t[i] - w->t[i - 1], f = h / d[i - 1];
    d[i] -= f * h;
    w->m[i] -= f * w->m[i - 1];
    z[i] -= f * z[i - 1];
  }
  for (PetscInt i = n - 1; i >= 0; i--) {
    const double h = i < n - 1 ? w->t[i + 1] - w->t[i] : 0;
    w->m[i] = (w->m[i] - (i < n - 1 ? h * w->m[i + 1] : 0)) / d[i];
    z[i] = (z[i] - (i < n - 1 ? h * z[i + 1] : 0)) / d[i];
  }
  factor = (w->m[0] + corner / gamma * w->m[n - 1]) / (1 + z[0] + corner / gamma * z[n - 1]);
  for (PetscInt i = 0; i < n; i++) w->m[i] -= factor * z[i];
  w->m[n] = w->m[0];
  PetscCall(PetscFree2(d, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_rows(MPI_Comm comm, const char *option, const char *path, RhxWaveform w)
{
  Rows r = {0};
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) PetscCall(read_rows(path, &r));
  PetscCallMPI(MPI_Bcast(r.message, sizeof(r.message), MPI_CHAR, 0, comm));
  PetscCallMPI(MPI_Bcast(&r.rows, 1, MPIU_INT, 0, comm));
  if (!r.message[0]) {
    w->n = r.rows - 1;
    PetscCall(PetscMalloc3(r.rows, &w->t, r.rows, &w->v, r.rows, &w->m));
    if (rank == 0) {
      PetscCall(PetscArraycpy(w->t, r.t, r.rows));
      PetscCall(PetscArraycpy(w->v, r.v, r.rows));
    }
    PetscCallMPI(MPI_Bcast(w->t, (PetscMPIInt)r.rows, MPI_DOUBLE, 0, comm));
    PetscCallMPI(MPI_Bcast(w->v, (PetscMPIInt)r.rows, MPI_DOUBLE, 0, comm));
    w->v[w->n] = w->v[0];
    PetscCall(solve_spline(w));
  }
  PetscCall(PetscFree2(r.t, r.v));
  PetscCheck(!r.message[0], comm, PETSC_ERR_USER_INPUT, "-%s: %s: %s", option, path, r.message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWaveformCreate(MPI_Comm comm, const char *option, const char *text, RhxWaveform *waveform)
{
  const size_t length = strlen(text);

  PetscFunctionBegin;
  PetscCall(PetscNew(waveform)); /* the caller destroys it also after an error */
  if (length > 4 && !strcmp(text + length - 4, ".csv"))
    PetscCall(create_rows(comm, option, text, *waveform));
  else
    PetscCall(RhxFormulaCreate(comm, option, text, RHX_FORMULA_OF_TIME, &(*waveform)->formula));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWaveformEvaluate(RhxWaveform w, double t, PetscReal *value)
{
  const double origin[3] = {0, 0, 0};
  PetscInt low = 0, high = w->n;
  double h, a, b;

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
  h = w->t[low + 1] - w->t[low];
  b = (t - w->t[low]) / h;
  a = 1 - b;
  *value =
      a * w->v[low] + b * w->v[low + 1] + h * h / 6 * ((a * a * a - a) * w->m[low] + (b * b * b - b) * w->m[low + 1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWaveformDependsOnTime(RhxWaveform w, PetscBool *depends)
{
  PetscFunctionBegin;
  *depends = PETSC_TRUE;
  if (w->formula) PetscCall(RhxFormulaDependsOnTime(w->formula, depends));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWaveformGetPeriod(RhxWaveform w, double *period)
{
  PetscFunctionBegin;
  *period = w->formula ? 0 : w->t[w->n] - w->t[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWaveformDestroy(RhxWaveform *w)
{
  PetscFunctionBegin;
  if (!*w) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormulaDestroy(&(*w)->formula));
  PetscCall(PetscFree3((*w)->t, (*w)->v, (*w)->m));
  PetscCall(PetscFree(*w));
  PetscFunctionReturn(PETSC_SUCCESS);
}
