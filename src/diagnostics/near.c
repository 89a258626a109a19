/* The state near labels or points: of a device only listed nodes travel. */
#include "diagnostics/near_impl.h"
#include "petsc_compat.h"
#include "space/face.h"

PetscErrorCode RhxMarkRings(RhxSpace space, const char *label, int rings, PetscScalar *flag)
{
  const RhxFaces *faces;

  PetscFunctionBegin;
  PetscCall(RhxSpaceGetFaces(space, label, &faces));
  PetscCall(PetscArrayzero(flag, space->nlocal));
  for (PetscInt i = 0; i < faces->nnodes; i++) flag[faces->node[i]] = 1;
  PetscCall(RhxSpaceGlobalToLocal(space, 1, flag, flag));
  PetscCall(RhxMarkWiden(space, rings, flag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMarkList(RhxSpace space, const PetscScalar *flag, IS *nodes)
{
  PetscInt n = 0, *list;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(space->nlocal, &list));
  for (PetscInt i = 0; i < space->nlocal; i++)
    if (flag[i] > 0) list[n++] = i;
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, list, PETSC_COPY_VALUES, nodes));
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of the elements at the faces of the label. */
static PetscErrorCode mark_faces(RhxSpace space, const char *label, PetscScalar *flag)
{
  const RhxFaces *faces;

  PetscFunctionBegin;
  PetscCall(RhxSpaceGetFaces(space, label, &faces));
  for (const RhxFaceGroup *g = faces->group; g < faces->group + faces->ngroups; g++)
    for (PetscInt f = 0; f < g->n; f++)
      for (PetscInt a = 0; a < g->nn; a++) flag[RhxFaceParentNode(g, f, a)] = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticSetNear(RhxDiagnostic *d, int rings)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  PetscScalar *flag, *inner;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(space->nlocal, &flag, space->nlocal, &inner));
  for (PetscInt l = 0; l < d->nlabels; l++) {
    if (rings) {
      PetscCall(RhxMarkRings(space, d->label[l], rings, inner));
      for (PetscInt i = 0; i < space->nlocal; i++) flag[i] += inner[i];
    } else {
      PetscCall(mark_faces(space, d->label[l], flag));
    }
  }
  PetscCall(RhxMarkList(space, flag, &d->near));
  PetscCall(PetscFree2(flag, inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticGetStateAt(RhxDiagnostic *d, IS nodes, PetscScalar **x)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const PetscInt bs = run->form->space->bs, *node;
  PetscScalar *values;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(nodes, &n));
  PetscCall(PetscMalloc1((size_t)n * bs + 1, &values));
  PetscCall(RhxSchemeFetchState(run->ts, nodes, values));
  PetscCall(PetscCalloc1((size_t)run->form->space->nlocal * bs, x));
  PetscCall(ISGetIndices(nodes, &node));
  for (PetscInt i = 0; i < n; i++) PetscCall(PetscArraycpy(*x + (size_t)node[i] * bs, values + (size_t)i * bs, bs));
  PetscCall(ISRestoreIndices(nodes, &node));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticGetStateNear(RhxDiagnostic *d, PetscScalar **x)
{
  PetscFunctionBegin;
  if (!d->near) PetscCall(RhxDiagnosticSetNear(d, 0));
  PetscCall(RhxDiagnosticGetStateAt(d, d->near, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds to marked nodes those of the boundary faces that hold one: their reactions have a part in what labels that meet share. */
static PetscErrorCode mark_beside(RhxSpace space, PetscScalar *flag)
{
  PetscScalar *beside;

  PetscFunctionBegin;
  PetscCall(RhxSpaceGlobalToLocal(space, 1, flag, flag));
  PetscCall(PetscCalloc1(space->nlocal, &beside));
  for (const RhxFaces *faces = space->faces; faces < space->faces + space->nlabels; faces++)
    for (const RhxFaceGroup *g = faces->group; g < faces->group + faces->ngroups; g++)
      for (PetscInt f = 0; f < g->n; f++) {
        double held = 0;
        for (PetscInt a = 0; a < g->nfn; a++) held += flag[RhxFaceParentNode(g, f, g->fnode[a])];
        for (PetscInt a = 0; a < g->nfn; a++) beside[RhxFaceParentNode(g, f, g->fnode[a])] += held;
      }
  PetscCall(RhxSpaceReduce(space, 1, beside));
  PetscCall(PetscArraycpy(flag, beside, space->nowned));
  PetscCall(PetscArrayzero(flag + space->nowned, space->nlocal - space->nowned));
  PetscCall(PetscFree(beside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxListBeside(RhxSpace space, PetscInt n, const char *const *label, int rings, IS *nodes)
{
  const RhxFaces *faces;
  PetscScalar *flag;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->nlocal, &flag));
  for (PetscInt l = 0; l < n; l++) {
    PetscCall(RhxSpaceGetFaces(space, label[l], &faces));
    for (PetscInt i = 0; i < faces->nnodes; i++) flag[faces->node[i]] = 1;
  }
  for (int k = 0; k < rings; k++) PetscCall(mark_beside(space, flag));
  PetscCall(RhxMarkList(space, flag, nodes));
  PetscCall(PetscFree(flag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticFindReactions(RhxDiagnostic *d)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);

  PetscFunctionBegin;
  if (!d->at) PetscCall(RhxListBeside(run->form->space, d->nlabels, (const char *const *)d->label, 1, &d->at));
  PetscCall(RhxSchemeFindReactions(run->ts, d->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticGetLocalPart(RhxDiagnostic *d, PetscInt first, PetscInt end, PetscScalar **x)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const RhxSpace space = run->form->space;
  const PetscScalar *part;
  Vec state;

  PetscFunctionBegin;
  PetscCall(RhxSchemeGetPart(run->ts, first, end, &state));
  PetscCall(PetscMalloc1((size_t)space->nlocal * space->bs, x));
  PetscCall(VecGetArrayRead(state, &part));
  PetscCall(RhxSpaceGlobalToLocal(space, space->bs, part, *x));
  PetscCall(VecRestoreArrayRead(state, &part));
  PetscFunctionReturn(PETSC_SUCCESS);
}
