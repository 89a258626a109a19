/* Scalar fields beyond their bounds. */
#include "case/impl.h"
#include "diagnostics/diagnostics.h"
#include <stdio.h>

static void place(PetscInt dim, const double *x, size_t size, char *text)
{
  if (dim == 2)
    snprintf(text, size, "(%.3g, %.3g)", x[0], x[1]);
  else
    snprintf(text, size, "(%.3g, %.3g, %.3g)", x[0], x[1], x[2]);
}

static void bound(double value, size_t size, char *text)
{
  snprintf(text, size, value <= PETSC_NINFINITY ? "-inf" : value >= PETSC_INFINITY ? "inf" : "%g", value);
}

PetscErrorCode RhxReportScalars(RhxCase rc, const RhxStepInfo *info)
{
  PetscFunctionBegin;
  if (!rc->form->nscalars) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSchemeStoreState(rc->ts));
  for (PetscInt k = 0; k < rc->form->nscalars; k++) {
    const RhxField *f = RhxFieldsGet(rc->space->fields, RHX_GROUP_SCALARS, k);
    char text[512], from[32], to[32], least[64], greatest[64];
    RhxScalarHealth h;

    PetscCall(RhxScalarCheck(rc->form, k, rc->x, &h));
    if (!h.nbad) continue;
    place(rc->space->dim, h.least_at, sizeof(least), least);
    place(rc->space->dim, h.greatest_at, sizeof(greatest), greatest);
    bound(f->lower, sizeof(from), from);
    bound(f->upper, sizeof(to), to);
    snprintf(text, sizeof(text),
             "%s is beyond its bounds [%s, %s] at %d of %d nodes: least %.6g at %s m, greatest %.6g at %s m", f->name,
             from, to, (int)h.nbad, (int)rc->space->nglobal, h.least, least, h.greatest, greatest);
    PetscCheck(rc->form->scalar[k].set.bounds == RHX_BOUNDS_REPORT, rc->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "t = %g s: %s (-field_%s_bounds stop)", info->t, text, f->name);
    PetscCall(PetscPrintf(rc->comm, "         %s\n", text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
