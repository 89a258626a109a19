/* Least and greatest nodal values of fields, with their places. */
#include "diagnostics/nodal_impl.h"
#include <stddef.h>
#include <stdio.h>

typedef struct {
  char fields[RHX_STRING_LENGTH];
} Options;

static const RhxRow rows[] = {RHX_FIELDS_ROW(Options, fields, "velocity,pressure")};

static PetscErrorCode setup(RhxDiagnostic *d)
{
  static const char *const what[] = {"min", "max"};
  Options *o = d->own;
  char name[128], column[256];

  PetscFunctionBegin;
  PetscCall(RhxFieldSampleCreate(d, o->fields));
  for (PetscInt i = 0; i < d->sample->n; i++)
    for (PetscInt c = 0; c < RhxFieldSampleCount(d->sample, i); c++)
      for (int k = 0; k < 2; k++) {
        RhxFieldSampleName(d->sample, i, c, sizeof(name), name);
        PetscCall(PetscSNPrintf(column, sizeof(column), "%s_%s", name, what[k]));
        PetscCall(RhxDiagnosticAddColumnUnit(d, column, d->sample->all->item[d->sample->which[i]].unit));
        for (PetscInt m = 0; m < RhxDiagnosticGetDimension(d); m++) {
          PetscCall(PetscSNPrintf(column, sizeof(column), "%s_%s_at_%c", name, what[k], "xyz"[m]));
          PetscCall(RhxDiagnosticAddColumnUnit(d, column, "m"));
        }
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *out)
{
  RhxNodalTotal *total;

  PetscFunctionBegin;
  (void)step;
  PetscCall(PetscMalloc1(d->sample->ncomponents, &total));
  PetscCall(RhxFieldSampleMeasure(d, d->sample, total));
  for (PetscInt c = 0; c < d->sample->ncomponents; c++)
    for (int k = 0; k < 2; k++) {
      *out++ = total[c].value[k];
      for (PetscInt m = 0; m < RhxDiagnosticGetDimension(d); m++) *out++ = total[c].at[k][m];
    }
  PetscCall(PetscFree(total));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_extrema = {
    .entry = {sizeof(RhxDiagnosticType), "extrema",
              "least and greatest nodal values of fields with their places: columns <field>_min, <field>_min_at_x"},
    .nrows = sizeof(rows) / sizeof(*rows),
    .rows = rows,
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate};
