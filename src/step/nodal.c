/* Reductions over nodes and points and means over time, on the host. */
#include "step/nodal.h"
#include "form/host/totals.h"
#include "kernels/nodal.h"
#include "petsc_compat.h"
#include "step/ops.h"

void RhxNodalMeasureHost(RhxSpace space, PetscInt stride, const PetscScalar *x, const PetscScalar *y,
                         RhxNodalMeasure *m)
{
  *m = (RhxNodalMeasure){0.0, PETSC_INFINITY, PETSC_NINFINITY, INT_MAX, INT_MAX};
  for (PetscInt i = 0; i < space->nowned; i++) {
    const double v = x[(size_t)i * stride] * (y ? y[(size_t)i * stride] : 1.0);
    m->sum += space->mass[i] * v;
    if (v < m->least) {
      m->least = v;
      m->least_node = (int)i;
    }
    if (v > m->greatest) {
      m->greatest = v;
      m->greatest_node = (int)i;
    }
  }
}

static double bare_sum(RhxSpace space, PetscInt stride, const PetscScalar *x, const PetscScalar *y)
{
  double sum = 0.0;
  for (PetscInt i = 0; i < space->nowned; i++) sum += x[(size_t)i * stride] * (y ? y[(size_t)i * stride] : 1.0);
  return sum;
}

static PetscErrorCode host_measure(RhxOps ops, RhxArray x, RhxArray times, const RhxNodalComponents *c,
                                   RhxNodalMeasure *m)
{
  PetscFunctionBegin;
  for (int k = 0; k < c->n; k++) {
    const PetscScalar *a = (const PetscScalar *)x->at + c->at[k],
                      *b = times ? (const PetscScalar *)times->at + c->at[k] : NULL;
    RhxNodalMeasureHost(ops->form->space, c->width, a, b, m + k);
    if (c->bare) m[k].sum = bare_sum(ops->form->space, c->width, a, b);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_totals(RhxOps ops, RhxArray x, double *total)
{
  PetscFunctionBegin;
  PetscCall(RhxFormTotalsOf(ops->form, ops->stage_t, x->at, total));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode host_accumulate(RhxOps ops, RhxArray x, const RhxNodalComponents *c, const RhxNodalSample *w,
                                      const RhxNodalMean *mean)
{
  double *before = mean->before->at, *sum = mean->sum->at, *whole = mean->whole->at;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < ops->form->space->nowned; i++)
    for (int k = 0; k < c->n; k++) {
      const size_t j = (size_t)i * 2 * c->n + k;
      rhx_nodal_moments(w, w->anew >> k & 1, ((const PetscScalar *)x->at)[(size_t)i * c->width + c->at[k]], c->n,
                        before + j, sum + j, whole + j);
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxNodalTable RhxNodalHost = {.measure = host_measure, .totals = host_totals, .accumulate = host_accumulate};
