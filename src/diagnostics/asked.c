/* What a kind of diagnostic may ask. */
#include "diagnostics/named_impl.h"
#include "petsc_compat.h"

const RhxDiagnosticsRun *RhxDiagnosticGetRun(const RhxDiagnostic *d) { return &d->all->run; }
const char *RhxDiagnosticGetName(const RhxDiagnostic *d) { return d->name; }
MPI_Comm RhxDiagnosticGetComm(const RhxDiagnostic *d) { return d->all->comm; }
PetscInt RhxDiagnosticGetDimension(const RhxDiagnostic *d) { return d->all->run.form->space->dim; }
double RhxDiagnosticGetDensity(const RhxDiagnostic *d) { return d->all->run.form->rho; }
void *RhxDiagnosticGetOptions(RhxDiagnostic *d) { return d->own; }

PetscErrorCode RhxDiagnosticAddColumnUnit(RhxDiagnostic *d, const char *name, const char *unit)
{
  PetscFunctionBegin;
  PetscCheck(!d->values, d->all->comm, PETSC_ERR_ORDER,
             "%s: the kind '%s' adds the column '%s' once steps are made, expected it in its setup", d->maker,
             d->type->entry.name, name);
  if (d->ncolumns == d->capacity) {
    d->capacity = 2 * d->capacity + 8;
    PetscCall(PetscRealloc(d->capacity * sizeof(*d->column), &d->column));
    PetscCall(PetscRealloc(d->capacity * sizeof(*d->unit), &d->unit));
  }
  PetscCall(PetscStrallocpy(name, &d->column[d->ncolumns]));
  PetscCall(PetscStrallocpy(unit, &d->unit[d->ncolumns]));
  d->ncolumns++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticAddColumn(RhxDiagnostic *d, const char *name)
{
  PetscFunctionBegin;
  PetscCall(RhxDiagnosticAddColumnUnit(d, name, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticGetState(RhxDiagnostic *d, Vec *x)
{
  PetscFunctionBegin;
  PetscCall(RhxSchemeStoreState(d->all->run.ts));
  *x = d->all->run.x;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticWriteText(RhxDiagnostic *d, const char *suffix, const char *text, size_t n)
{
  char problem[RHX_MESSAGE];

  PetscFunctionBegin;
  PetscCall(RhxOutputWriteText(d->all->run.output, d->name, suffix, text, n, problem));
  PetscCall(RhxOutputMind(d->all->run.output, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}
