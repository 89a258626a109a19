#include "diagnostics/nodal_impl.h"
#include "petsc_compat.h"

/* The least value is kept as what it is, the greatest with its sign turned, so that one reduction finds both. */
static PetscErrorCode share(RhxSpace space, const RhxNodalMeasure *m, RhxNodalTotal *total)
{
  struct {
    double value;
    int rank;
  } all[2] = {{m->least, 0}, {-m->greatest, 0}};
  const int node[2] = {m->least_node, m->greatest_node};

  PetscFunctionBegin;
  *total = (RhxNodalTotal){.integral = m->sum};
  PetscCallMPI(MPI_Comm_rank(space->comm, &all[0].rank));
  all[1].rank = all[0].rank;
  for (int k = 0; k < 2; k++)
    for (PetscInt d = 0; node[k] < space->nowned && d < space->dim; d++)
      total->at[k][d] = space->x[(size_t)node[k] * space->dim + d];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &total->integral, 1, MPI_DOUBLE, MPI_SUM, space->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE_INT, MPI_MINLOC, space->comm));
  for (int k = 0; k < 2; k++) PetscCallMPI(MPI_Bcast(total->at[k], 3, MPI_DOUBLE, all[k].rank, space->comm));
  total->value[0] = all[0].value;
  total->value[1] = -all[1].value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNodalShare(RhxSpace space, PetscInt n, const RhxNodalMeasure *m, RhxNodalTotal *total)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) PetscCall(share(space, m + k, total + k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNodalExtremes(RhxSpace space, PetscInt stride, const PetscScalar *x, double value[2],
                                double place[2][3])
{
  RhxNodalMeasure m;
  RhxNodalTotal total;

  PetscFunctionBegin;
  RhxNodalMeasureHost(space, stride, x, NULL, &m);
  PetscCall(share(space, &m, &total));
  PetscCall(PetscArraycpy(value, total.value, 2));
  PetscCall(PetscArraycpy(place, total.at, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldSampleMeasure(RhxDiagnostic *d, RhxFieldSample *s, RhxNodalTotal *total)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const RhxSpace space = run->form->space;
  RhxNodalMeasure there[RHX_NODAL_MOST], here;
  const RhxNodalMeasure *next = there;
  double *values;

  PetscFunctionBegin;
  if (s->state.n) PetscCall(RhxSchemeMeasureNodes(run->ts, &s->state, there));
  PetscCall(RhxFieldSampleLoad(d, s, PETSC_FALSE));
  PetscCall(PetscMalloc1((size_t)space->nowned * 6, &values));
  for (PetscInt i = 0; i < s->n; i++) {
    const PetscInt n = s->all->item[s->which[i]].components, count = RhxFieldSampleCount(s, i);
    if (RhxFieldSampleIsState(s, i, NULL)) {
      PetscCall(RhxNodalShare(space, count, next, total));
      next += count;
      total += count;
      continue;
    }
    PetscCall(RhxQuantityEvaluate(s->all, s->which[i], space->nowned, s->x, s->L, values));
    for (PetscInt c = 0; c < count; c++) {
      RhxNodalMeasureHost(space, n, values + c, NULL, &here);
      PetscCall(RhxNodalShare(space, 1, &here, total++));
    }
  }
  PetscCall(PetscFree(values));
  PetscCall(RhxFieldSampleUnload(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
