/* The state near labels: of a device only the nodes of the elements at their faces travel. */
#include "diagnostics/named.h"
#include "petsc_compat.h"
#include "space/face.h"

/* Local nodes of the elements at the faces of all its labels, each once. */
static PetscErrorCode list_nodes(const RhxDiagnostic *d, IS *nodes)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  const RhxFaces *faces;
  PetscInt n = 0, *list;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < d->nlabels; l++) {
    PetscCall(RhxSpaceGetFaces(space, d->label[l], &faces));
    for (PetscInt k = 0; k < faces->ngroups; k++) n += faces->group[k].n * faces->group[k].nn;
  }
  PetscCall(PetscMalloc1(n, &list));
  n = 0;
  for (PetscInt l = 0; l < d->nlabels; l++) {
    PetscCall(RhxSpaceGetFaces(space, d->label[l], &faces));
    for (const RhxFaceGroup *g = faces->group; g < faces->group + faces->ngroups; g++)
      for (PetscInt f = 0; f < g->n; f++)
        for (PetscInt a = 0; a < g->nn; a++) list[n++] = RhxFaceParentNode(g, f, a);
  }
  PetscCall(PetscSortRemoveDupsInt(&n, list));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, list, PETSC_COPY_VALUES, nodes));
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticGetStateNear(RhxDiagnostic *d, PetscScalar **x)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const PetscInt bs = run->form->space->bs, *node;
  PetscScalar *values;
  PetscInt n;

  PetscFunctionBegin;
  if (!d->near) PetscCall(list_nodes(d, &d->near));
  PetscCall(ISGetLocalSize(d->near, &n));
  PetscCall(PetscMalloc1((size_t)n * bs + 1, &values));
  PetscCall(RhxSchemeFetchState(run->ts, d->near, values));
  PetscCall(PetscCalloc1((size_t)run->form->space->nlocal * bs, x));
  PetscCall(ISGetIndices(d->near, &node));
  for (PetscInt i = 0; i < n; i++) PetscCall(PetscArraycpy(*x + (size_t)node[i] * bs, values + (size_t)i * bs, bs));
  PetscCall(ISRestoreIndices(d->near, &node));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
