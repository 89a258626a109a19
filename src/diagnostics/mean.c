#include "diagnostics/mean_impl.h"
#include "diagnostics/named.h"
#include "petsc_compat.h"
#include <math.h>
#include <stdio.h>

PetscErrorCode RhxTimeMeanCheck(RhxDiagnostic *d, double period)
{
  PetscFunctionBegin;
  d->averaged = period;
  PetscCall(RhxTimeMeanCheckEvery(d, d->every_dt, d->by_steps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTimeMeanCheckEvery(const RhxDiagnostic *d, double every_dt, PetscBool by_steps)
{
  const double n = every_dt > 0.0 && !by_steps ? d->averaged / every_dt : 0.0;
  char numbers[128]; /* PETSc writes 1 as "1." */

  PetscFunctionBegin;
  snprintf(numbers, sizeof(numbers), "got %g s, expected a whole part of the %g s", every_dt, d->averaged);
  PetscCheck(fabs(n - round(n)) <= 1e-6 * PetscMax(n, 1.0) && (n == 0.0 || n > 0.5), RhxDiagnosticGetComm(d),
             PETSC_ERR_USER_INPUT, "-diagnostic_%s_every_dt: %s of -diagnostic_%s_%s", d->name, numbers, d->name,
             d->type->flags & RHX_DIAGNOSTIC_OF_OTHER ? "frequency" : "period");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTimeMeanCreate(PetscInt n, double start, double period, RhxTimeMean *m)
{
  PetscFunctionBegin;
  *m = (RhxTimeMean){.start = start, .period = period, .n = n};
  PetscCall(PetscCalloc3(n, &m->before, n, &m->sum, n, &m->whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTimeMeanDestroy(RhxTimeMean *m)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(m->before, m->sum, m->whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxTimeMeanBegin(RhxTimeMean *m, double t)
{
  if (m->seen) return;
  m->seen = PETSC_TRUE;
  m->from = m->last = PetscMax(m->start, t);
}

/* Steps grow: the row that follows may come after twice the time since the last. */
PetscBool RhxTimeMeanIsEarly(double start, double t, double *offered)
{
  const double before = *offered;

  *offered = t;
  return (PetscBool)(before > RHX_NO_ROW && t + 2 * (t - before) < start);
}

/* Weights of the last values and those at t in the integral of the line between them from a to b, over length. */
static void integrate(const RhxTimeMean *m, double t, double a, double b, double length, double weight[3])
{
  const double at = t > m->last ? (0.5 * (a + b) - m->last) / (t - m->last) : 1.0;

  weight[1] = (b - a) / length * (1 - at);
  weight[2] = (b - a) / length * at;
}

void RhxTimeMeanStep(RhxTimeMean *m, double t, RhxNodalSample *w)
{
  double begin, end;

  RhxTimeMeanBegin(m, t);
  *w = (RhxNodalSample){.sum = {1}, .begins = !m->begun || m->last <= m->from, .anew = m->begun ? 0 : ~0u};
  begin = m->begun ? PetscMax(m->from, m->last) : m->from;
  end = m->period > 0 ? m->from + m->period * floor((t - m->from) / m->period * (1 + 1e-9)) : m->from;
  w->ends = end > m->from;
  if (w->ends) {
    const double first = PetscMin(end, t) - m->period;
    end = PetscMin(end, t); /* of rounding */
    w->whole[0] = first - m->from < 0.5 * m->period ? 1 / m->period : 0;
    integrate(m, t, w->whole[0] > 0 ? begin : first, end, m->period, w->whole);
    w->sum[0] = 0;
    m->length = m->period;
    m->from = begin = end;
  }
  if (t > begin) integrate(m, t, begin, t, 1, w->sum);
  m->begun = PETSC_TRUE;
  m->guessed = PETSC_FALSE;
  m->last = t;
}

void RhxTimeMeanSum(RhxTimeMean *m, const RhxNodalSample *w, PetscInt first, PetscInt n, const double *values)
{
  for (PetscInt i = first; i < first + n; i++)
    rhx_nodal_sample(w, w->anew == ~0u, values[i - first], m->before + i, m->sum + i, m->whole + i);
}

void RhxTimeMeanMoments(RhxTimeMean *m, const RhxNodalSample *w, PetscInt first, PetscInt n, const double *values)
{
  for (PetscInt i = first; i < first + n; i++)
    rhx_nodal_moments(w, w->anew == ~0u, values[i - first], (long)m->n / 2, m->before + i, m->sum + i, m->whole + i);
}

PetscErrorCode RhxTimeMeanSay(MPI_Comm comm, const char *name, double start, const RhxTimeMean *m, double t,
                              PetscBool *any)
{
  char text[384] = "";

  PetscFunctionBegin;
  *any = (PetscBool)(t >= start * (1 - 1e-12));
  if (!*any)
    snprintf(text, sizeof(text),
             "rheoplex: warning: -diagnostic_%s_start: got %g s, expected a time before the run's end at %g s: no "
             "average is written\n",
             name, start, t);
  else if (m->period > 0 && !(m->length > 0))
    snprintf(text, sizeof(text),
             "rheoplex: warning: -diagnostic_%s_period: got %g s, of which none has ended at %g s: the average is of "
             "the time since its start\n",
             name, m->period, t);
  PetscCall(PetscPrintf(comm, "%s", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTimeMeanReset(RhxTimeMean *m)
{
  PetscFunctionBegin;
  m->seen = m->begun = m->guessed = PETSC_FALSE;
  m->from = m->last = m->length = 0;
  if (m->sum) PetscCall(PetscArrayzero(m->sum, m->n));
  if (m->before) PetscCall(PetscArrayzero(m->before, m->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum { BEGUN = 1, SEEN, GUESSED }; /* of a checkpoint */

PetscErrorCode RhxTimeMeanStore(RhxTimeMean *m, RhxStore *store, const char *what)
{
  double *row;
  PetscInt n = 1;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(6, &row));
  row[0] = m->begun ? (m->guessed ? GUESSED : BEGUN) : m->seen ? SEEN : 0, row[1] = m->from, row[2] = m->last;
  row[3] = m->length, row[4] = m->start, row[5] = m->period;
  PetscCall(RhxStoreRows(store, what, 6, &n, &row));
  if (row[4] != m->start || row[5] != m->period) RhxStoreRefuse(store);
  m->seen = (PetscBool)(row[0] > 0);
  m->begun = (PetscBool)(m->seen && row[0] != SEEN);
  m->guessed = (PetscBool)(row[0] == GUESSED);
  m->from = row[1], m->last = row[2], m->length = row[3];
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTimeMeanCopy(const RhxTimeMean *m, RhxTimeMean *copy)
{
  PetscFunctionBegin;
  *copy = *m;
  PetscCall(PetscMalloc3(m->n, &copy->before, m->n, &copy->sum, m->n, &copy->whole));
  PetscCall(PetscArraycpy(copy->before, m->before, m->n));
  PetscCall(PetscArraycpy(copy->sum, m->sum, m->n));
  PetscCall(PetscArraycpy(copy->whole, m->whole, m->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTimeMeanReturn(RhxTimeMean *m, RhxTimeMean *copy)
{
  PetscFunctionBegin;
  PetscCall(RhxTimeMeanDestroy(m));
  *m = *copy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxTimeMeanGet(const RhxTimeMean *m, double *length, double *out)
{
  const double some = m->last - m->from;

  *length = m->length > 0 ? m->length : some;
  for (PetscInt i = 0; i < m->n; i++) out[i] = m->length > 0 ? m->whole[i] : some > 0 ? m->sum[i] / some : m->before[i];
}

void RhxTimeMeanGetMoments(const RhxTimeMean *m, double *out)
{
  const PetscInt half = m->n / 2;
  double length;

  RhxTimeMeanGet(m, &length, out);
  for (PetscInt i = 0; i < half && !(m->length > 0); i++) {
    const double mean = out[i], square = out[half + i];
    out[i] = length > 0 ? m->before[half + i] + mean : m->before[i];
    out[half + i] = length > 0 ? square - mean * mean : 0.0;
  }
}
