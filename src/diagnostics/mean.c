#include "diagnostics/mean_impl.h"
#include "diagnostics/named.h"
#include "petsc_compat.h"
#include <math.h>
#include <stdio.h>

PetscBool RhxTimeMeanIsBefore(double start, double t) { return (PetscBool)(t < start * (1 - 1e-12)); }

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
             PETSC_ERR_USER_INPUT, "-diagnostic_%s_every_dt: %s of -diagnostic_%s_period", d->name, numbers, d->name);
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

PetscBool RhxTimeMeanStep(RhxTimeMean *m, double t, double *weight, double *length)
{
  if (RhxTimeMeanIsBefore(m->start, t)) return PETSC_FALSE;
  if (!m->begun) m->from = m->last = t;
  *weight = 0.5 * (t - m->last);
  *length = 0;
  m->begun = PETSC_TRUE;
  m->last = t;
  if (!(m->period > 0) || t - m->from < m->period * (1 - 1e-9)) return PETSC_TRUE;
  *length = m->length = t - m->from;
  m->from = t;
  return PETSC_TRUE;
}

void RhxTimeMeanSum(RhxTimeMean *m, double weight, double length, PetscInt first, PetscInt n, const double *values)
{
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt at = first + i;
    m->sum[at] += weight * (m->before[at] + values[i]);
    m->before[at] = values[i];
    if (!(length > 0)) continue;
    m->whole[at] = m->sum[at] / length;
    m->sum[at] = 0;
  }
}

PetscErrorCode RhxTimeMeanAdd(RhxTimeMean *m, double t, const double *values)
{
  double weight, length;

  PetscFunctionBegin;
  if (RhxTimeMeanStep(m, t, &weight, &length)) RhxTimeMeanSum(m, weight, length, 0, m->n, values);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTimeMeanSay(MPI_Comm comm, const char *name, double start, const RhxTimeMean *m, double t,
                              PetscBool *any)
{
  char text[384] = "";

  PetscFunctionBegin;
  *any = (PetscBool)!RhxTimeMeanIsBefore(start, t);
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
  m->begun = PETSC_FALSE;
  m->from = m->last = m->length = 0;
  if (m->sum) PetscCall(PetscArrayzero(m->sum, m->n));
  if (m->before) PetscCall(PetscArrayzero(m->before, m->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTimeMeanStore(RhxTimeMean *m, RhxStore *store, const char *what)
{
  double *row;
  PetscInt n = 1;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(6, &row));
  row[0] = m->begun, row[1] = m->from, row[2] = m->last;
  row[3] = m->length, row[4] = m->start, row[5] = m->period;
  PetscCall(RhxStoreRows(store, what, 6, &n, &row));
  if (row[4] != m->start || row[5] != m->period) RhxStoreRefuse(store);
  m->begun = (PetscBool)(row[0] != 0);
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
