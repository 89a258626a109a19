/* What the rows of diagnostics cost the steps. */
#include "diagnostics/named_impl.h"
#include "petsc_compat.h"
#include <petsctime.h>

PetscErrorCode RhxDiagnosticTime(RhxDiagnostic *d, const RhxDiagnosticStep *step,
                                 PetscErrorCode (*evaluate)(RhxDiagnostic *, const RhxDiagnosticStep *))
{
  PetscLogDouble from, to;

  PetscFunctionBegin;
  PetscCall(PetscTime(&from));
  PetscCall(evaluate(d, step));
  PetscCall(PetscTime(&to));
  d->seconds += to - from;
  d->nrows++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsGetCost(RhxDiagnostics ds, RhxDiagnosticsCost *cost)
{
  PetscFunctionBegin;
  *cost = (RhxDiagnosticsCost){0};
  for (PetscInt i = 0; i < ds->n; i++) {
    const RhxDiagnostic *d = ds->item[i];
    cost->seconds += d->seconds;
    if (d->nrows && (!cost->costliest || d->seconds > cost->costliest->seconds)) cost->costliest = d;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
