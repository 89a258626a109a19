/* Scalar fields that the flow carries through labels: flux, and mean and deviation weighted by the flow. */
#include "diagnostics/named.h"
#include "space/face.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROUNDING 1e-12 /* of the speed over the faces: less passes by rounding alone */

/* Integrals over the faces of a label, c the field, m a value: u.n c, abs(u.n), abs(u.n) c, abs(u.n) (c - m)^2, speed. */
enum { FLUX, THROUGH, CARRIED, SPREAD, SPEED, NSUMS };

static PetscErrorCode add_columns(RhxDiagnostic *d, const char *label, const RhxField *f)
{
  const PetscBool area =
      (PetscBool)(RhxDiagnosticGetDimension(d) == 2 && !RhxDiagnosticGetRun(d)->form->space->axisymmetric);
  char column[512], unit[64];

  PetscFunctionBegin;
  snprintf(unit, sizeof(unit), "%s%s%s", strcmp(f->unit, "1") ? f->unit : "", strcmp(f->unit, "1") ? " " : "",
           area ? "m^2/s" : "m^3/s");
  snprintf(column, sizeof(column), "%s_%s_flux", label, f->name);
  PetscCall(RhxDiagnosticAddColumnUnit(d, column, unit));
  snprintf(column, sizeof(column), "%s_%s_mean", label, f->name);
  PetscCall(RhxDiagnosticAddColumnUnit(d, column, f->unit));
  snprintf(column, sizeof(column), "%s_%s_deviation", label, f->name);
  PetscCall(RhxDiagnosticAddColumnUnit(d, column, f->unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RhxDiagnostic *d)
{
  const RhxForm form = RhxDiagnosticGetRun(d)->form;

  PetscFunctionBegin;
  PetscCheck(form->nscalars, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_kind: got scalar_flux without a scalar field, expected one (`rheoplex list physics`: role "
             "scalar field)",
             d->name);
  PetscCall(RhxDiagnosticSetLabels(d, 0, NULL, NULL));
  for (PetscInt i = 0; i < d->nlabels; i++)
    for (PetscInt k = 0; k < form->nscalars; k++)
      PetscCall(add_columns(d, d->label[i], RhxFieldsGet(form->space->fields, RHX_GROUP_SCALARS, k)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* at: of the field in the block of a node. */
static void add_point(RhxSpace space, const RhxFaceGroup *g, PetscInt f, PetscInt q, const PetscScalar *x, PetscInt at,
                      double mean, double sum[NSUMS])
{
  double n[3], un = 0, c = 0;
  const double area = RhxFaceNormal(g, space->dim, f, q, n);

  for (PetscInt a = 0; a < g->nn; a++) {
    const PetscScalar *v = x + (size_t)RhxFaceParentNode(g, f, a) * space->bs;
    for (PetscInt k = 0; k < space->dim; k++) {
      un += g->N[q * g->nn + a] * v[k] * n[k];
      sum[SPEED] += PetscAbsReal(v[k]) * area;
    }
    c += g->N[q * g->nn + a] * v[at];
  }
  sum[FLUX] += un * c;
  sum[THROUGH] += fabs(un);
  sum[CARRIED] += fabs(un) * c;
  sum[SPREAD] += fabs(un) * PetscSqr(c - mean);
}

static PetscErrorCode integrate(RhxSpace space, const char *label, const PetscScalar *x, PetscInt at, double mean,
                                double sum[NSUMS])
{
  const RhxFaces *faces;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < NSUMS; k++) sum[k] = 0;
  PetscCall(RhxSpaceGetFaces(space, label, &faces));
  for (PetscInt k = 0; k < faces->ngroups; k++)
    for (PetscInt f = 0; f < faces->group[k].n; f++)
      for (PetscInt q = 0; q < faces->group[k].nfq; q++) add_point(space, faces->group + k, f, q, x, at, mean, sum);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, NSUMS, MPI_DOUBLE, MPI_SUM, space->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure(RhxSpace space, const char *label, const PetscScalar *x, PetscInt at, double out[3])
{
  double sum[NSUMS], mean;

  PetscFunctionBegin;
  PetscCall(integrate(space, label, x, at, 0, sum));
  out[0] = sum[FLUX];
  out[1] = out[2] = NAN;
  if (!(sum[THROUGH] > ROUNDING * sum[SPEED])) PetscFunctionReturn(PETSC_SUCCESS);
  out[1] = mean = sum[CARRIED] / sum[THROUGH];
  PetscCall(integrate(space, label, x, at, mean, sum));
  out[2] = sqrt(sum[SPREAD] / sum[THROUGH]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *values)
{
  const RhxForm form = RhxDiagnosticGetRun(d)->form;
  PetscScalar *x;

  PetscFunctionBegin;
  (void)step;
  PetscCall(RhxDiagnosticGetStateNear(d, &x));
  for (PetscInt i = 0; i < d->nlabels; i++)
    for (PetscInt k = 0; k < form->nscalars; k++)
      PetscCall(measure(form->space, d->label[i], x, form->first_scalar + k, values + 3 * (i * form->nscalars + k)));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_scalar_flux = {
    .entry =
        {sizeof(RhxDiagnosticType), "scalar_flux",
         "scalar fields that the flow carries out of the domain through labels, their unit times m^3/s (2D: m^2/s), "
         "and their mean and deviation weighted by the flow: columns <label>_<field>_flux, _mean, _deviation"},
    RHX_LABEL_OPTIONS,
    .setup = setup,
    .evaluate = evaluate};
