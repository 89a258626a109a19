/* Integrals of fields over the domain. */
#include "diagnostics/sample.h"
#include <stddef.h>

typedef struct {
  char fields[RHX_STRING_LENGTH];
} Options;

static const RhxRow rows[] = {RHX_FIELDS_ROW(Options, fields, "velocity,pressure")};

static PetscErrorCode setup(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  PetscCall(RhxFieldSampleCreate(d, o->fields));
  PetscCall(RhxDiagnosticAddColumnUnit(d, "volume", RhxDiagnosticGetDimension(d) == 2 ? "m^2" : "m^3"));
  PetscCall(RhxFieldSampleAddColumns(d, d->sample, "", "_integral"));
  PetscCall(RhxFieldSampleAddColumns(d, d->sample, "", "_mean"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The lumped mass is the integral of N, so the sum is the integral of the field that is linear in elements. */
static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *out)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  RhxFieldSample *s = d->sample;
  double *values, *sum = out + 1;

  PetscFunctionBegin;
  (void)step;
  PetscCall(RhxFieldSampleLoad(d, s));
  PetscCall(PetscMalloc1((size_t)space->nowned * 6, &values));
  PetscCall(PetscArrayzero(out, 1 + s->ncomponents));
  for (PetscInt a = 0; a < space->nowned; a++) out[0] += space->mass[a];
  for (PetscInt i = 0; i < s->n; i++) {
    const PetscInt n = s->all->item[s->which[i]].components;
    PetscCall(RhxQuantityEvaluate(s->all, s->which[i], space->nowned, s->x, s->L, values));
    for (PetscInt a = 0; a < space->nowned; a++)
      for (PetscInt c = 0; c < RhxFieldSampleCount(s, i); c++) sum[c] += space->mass[a] * values[a * n + c];
    sum += RhxFieldSampleCount(s, i);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, out, (PetscMPIInt)(1 + s->ncomponents), MPI_DOUBLE, MPI_SUM, space->comm));
  for (PetscInt c = 0; c < s->ncomponents; c++) out[1 + s->ncomponents + c] = out[1 + c] / out[0];
  PetscCall(PetscFree(values));
  PetscCall(RhxFieldSampleUnload(s));
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
    .evaluate = evaluate};
