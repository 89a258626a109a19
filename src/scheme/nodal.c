/* Reductions over the nodes and points of the last step's end, and means over time, where the state is. */
#include "step/nodal.h"
#include "petsc_compat.h"
#include "scheme/type_impl.h"

static PetscErrorCode told_by(TS ts, RhxScheme *sc, RhxArray *told)
{
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, sc));
  PetscCall(RhxSchemeLoad(ts, *sc));
  PetscCall(RhxSchemeTell(*sc, told));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeMeasureNodes(TS ts, const RhxNodalComponents *c, RhxNodalMeasure *m)
{
  RhxScheme sc;
  RhxArray told;
  PetscFunctionBegin;
  PetscCall(told_by(ts, &sc, &told));
  PetscCall(sc->ops->table->nodal->measure(sc->ops, told, NULL, c, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeCreateMean(TS ts, PetscInt n, RhxNodalMean *mean)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(RhxOpsArray(sc->ops, 2 * n, "averages", &mean->before));
  PetscCall(RhxOpsArray(sc->ops, 2 * n, "averages", &mean->sum));
  PetscCall(RhxOpsArray(sc->ops, 2 * n, "averages", &mean->whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeAccumulate(TS ts, const RhxNodalComponents *c, const RhxNodalSample *w,
                                   const RhxNodalMean *mean)
{
  RhxScheme sc;
  RhxArray told;
  PetscFunctionBegin;
  PetscCall(told_by(ts, &sc, &told));
  PetscCall(sc->ops->table->nodal->accumulate(sc->ops, told, c, w, mean));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeLoadMean(TS ts, RhxArray a, const PetscScalar *values)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(sc->ops->table->load(sc->ops, a, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSchemeStoreMean(TS ts, RhxArray a, PetscScalar *values)
{
  RhxScheme sc;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(ts, &sc));
  PetscCall(sc->ops->table->store(sc->ops, a, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
