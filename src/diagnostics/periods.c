/* Periods and beginnings of means that diagnostics are given, beside what is given of the flow and the end of the run. */
#include "diagnostics/named_impl.h"
#include "petsc_compat.h"
#include <math.h>
#include <string.h>

extern const RhxDiagnosticType RhxDiagnosticType_harmonics, RhxDiagnosticType_periodicity;

/* The value of a row of its kind, of a number alone; 0: it has none. */
static double own_number(const RhxDiagnostic *d, const char *row)
{
  for (int k = 0; k < d->type->nrows; k++)
    if (!strcmp(d->type->rows[k].name, row) && d->type->rows[k].kind == RHX_REAL)
      return *(const double *)((const char *)d->own + d->type->rows[k].offset);
  return 0.0;
}

/* The period that it is told, the row that tells it and what that says; 0: none. */
static double told_period(const RhxDiagnostic *d, const char **row, size_t size, char *got)
{
  const PetscBool harmonics = (PetscBool)(d->type == &RhxDiagnosticType_harmonics);
  const PetscBool compares = (PetscBool)(d->type == &RhxDiagnosticType_periodicity);
  const double period = compares ? d->every_dt : harmonics ? d->averaged : own_number(d, "period");

  *row = compares ? "every_dt" : harmonics ? "frequency" : "period";
  if (harmonics)
    snprintf(got, size, "got %g 1/s, a period of %g s", own_number(d, *row), period);
  else
    snprintf(got, size, "got %g s", period);
  return period;
}

PetscErrorCode RhxDiagnosticsWarnOfPeriods(RhxDiagnostics ds, double period, const char *given)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; period > 0.0 && i < ds->n; i++) {
    const char *row;
    char got[96], numbers[160]; /* PETSc writes 1 as "1." */
    const double own = told_period(ds->item[i], &row, sizeof(got), got), n = own / period;
    if (!(own > 0.0) || (n > 0.5 && fabs(n - round(n)) <= 1e-6 * n)) continue;
    snprintf(numbers, sizeof(numbers), "%s, expected a whole number of %g s", got, period);
    PetscCall(PetscFPrintf(ds->comm, PETSC_STDERR, "rheoplex: warning: -diagnostic_%s_%s: %s, the period of -%s\n",
                           ds->item[i]->name, row, numbers, given));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Means that begin at start and end with whole periods (of the row), if any. */
static PetscErrorCode warn_of_end(RhxDiagnostics ds, const RhxDiagnostic *d, double end)
{
  const char *row;
  char got[96], text[256] = "";
  const double period = told_period(d, &row, sizeof(got), got), start = own_number(d, "start");

  PetscFunctionBegin;
  if (d->type == &RhxDiagnosticType_periodicity) PetscFunctionReturn(PETSC_SUCCESS);
  if (start >= end * (1.0 + 1e-12))
    snprintf(text, sizeof(text), "start: got %g s, expected a time before the run's end at %g s (-stop_time): nothing",
             start, end);
  else if (period > 0.0 && start + period > end * (1.0 + 1e-9))
    snprintf(text, sizeof(text),
             "%s: %s, of which none from %g s on ends before the run does at %g s (-stop_time): no whole one", row, got,
             start, end);
  if (text[0])
    PetscCall(
        PetscFPrintf(ds->comm, PETSC_STDERR, "rheoplex: warning: -diagnostic_%s_%s will be averaged\n", d->name, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsWarnOfEnd(RhxDiagnostics ds, double end)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; end > 0.0 && i < ds->n; i++) PetscCall(warn_of_end(ds, ds->item[i], end));
  PetscFunctionReturn(PETSC_SUCCESS);
}
