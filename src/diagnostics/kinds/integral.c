/* Integrals of fields over the domain. */
#include "diagnostics/nodal_impl.h"
#include "petsc_compat.h"
#include <stddef.h>

typedef struct {
  char fields[RHX_STRING_LENGTH];
} Options;

static const RhxRow rows[] = {RHX_FIELDS_ROW(Options, fields, "velocity,pressure")};

static PetscErrorCode setup(RhxDiagnostic *d)
{
  Options *o = d->own;
  const PetscInt power =
      RhxDiagnosticGetDimension(d) == 2 && !RhxDiagnosticGetRun(d)->form->space->axisymmetric ? 2 : 3;

  PetscFunctionBegin;
  PetscCall(RhxFieldSampleCreate(d, o->fields));
  PetscCall(RhxDiagnosticAddColumnUnit(d, "volume", power == 2 ? "m^2" : "m^3"));
  PetscCall(RhxFieldSampleAddColumns(d, d->sample, power, "_integral"));
  PetscCall(RhxFieldSampleAddColumns(d, d->sample, 0, "_mean"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *out)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  const PetscInt n = d->sample->ncomponents;
  RhxNodalTotal *total;

  PetscFunctionBegin;
  (void)step;
  PetscCall(PetscMalloc1(n, &total));
  PetscCall(RhxFieldSampleMeasure(d, d->sample, total));
  out[0] = 0;
  for (PetscInt a = 0; a < space->nowned; a++) out[0] += space->mass[a];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_DOUBLE, MPI_SUM, space->comm));
  for (PetscInt c = 0; c < n; c++) {
    out[1 + c] = total[c].integral;
    out[1 + n + c] = total[c].integral / out[0];
  }
  PetscCall(PetscFree(total));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of fields that are parts of the state: the lumped mass. */
static PetscErrorCode gradient(RhxDiagnostic *d, PetscInt column, Vec x, Vec reactions, PetscBool *there)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  const PetscInt n = d->sample->ncomponents;
  double volume = 0;
  PetscScalar *to;

  PetscFunctionBegin;
  (void)reactions;
  *there = (PetscBool)(d->sample->state.n == n);
  if (!x || column == 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt a = 0; a < space->nowned; a++) volume += space->mass[a];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &volume, 1, MPI_DOUBLE, MPI_SUM, space->comm));
  PetscCall(VecGetArray(x, &to));
  for (PetscInt a = 0; a < space->nowned; a++)
    to[a * space->bs + d->sample->state.at[(column - 1) % n]] += space->mass[a] / (column > n ? volume : 1.0);
  PetscCall(VecRestoreArray(x, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_integral = {
    .entry = {sizeof(RhxDiagnosticType), "integral",
              "integrals (unit times m^3, 2D: m^2) and means of fields over the domain: columns <field>_integral, "
              "<field>_mean"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .gradient = gradient};
