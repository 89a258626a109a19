#include "form/patch.h"
#include "form/inside_impl.h"
#include "petsc_compat.h"
#include "space/about.h"

PetscErrorCode RhxPatchCreate(RhxForm form, IS nodes, RhxPatch *out)
{
  const RhxSpace sp = form->space;
  const PetscInt *node;
  PetscScalar *flag;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  (*out)->space = sp;
  PetscCall(PetscCalloc1(sp->nlocal, &flag));
  PetscCall(ISGetLocalSize(nodes, &n));
  PetscCall(ISGetIndices(nodes, &node));
  for (PetscInt i = 0; i < n; i++) flag[node[i]] = 1;
  PetscCall(ISRestoreIndices(nodes, &node));
  PetscCall(RhxMarkShare(sp, flag));
  PetscCall(RhxSpaceTakeCells(sp, flag, &(*out)->residual));
  PetscCall(RhxMarkWiden(sp, 1 + form->corrections, flag));
  if (!form->in->projection) {
    PetscCall(RhxSpaceTakeCells(sp, flag, &(*out)->project));
    PetscCall(PetscMalloc1(sp->nlocal, &(*out)->row));
    for (PetscInt i = 0; i < sp->nlocal; i++)
      if (flag[i] > 0) (*out)->row[(*out)->nrows++] = i;
  }
  PetscCall(PetscFree(flag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPatchDestroy(RhxPatch *patch)
{
  PetscFunctionBegin;
  if (!*patch) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxSpaceFreeCells((*patch)->space, &(*patch)->residual));
  PetscCall(RhxSpaceFreeCells((*patch)->space, &(*patch)->project));
  PetscCall(PetscFree((*patch)->row));
  PetscCall(PetscFree(*patch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormSetPatch(RhxForm form, RhxPatch patch)
{
  PetscFunctionBegin;
  form->in->patch = patch;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const PetscInt *RhxFormGetPatchRows(RhxForm form, PetscInt *n)
{
  const PetscInt *row = form->in->patch ? form->in->patch->row : NULL;
  if (row) *n = form->in->patch->nrows;
  return row;
}
