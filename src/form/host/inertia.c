#include "form/host/inertia.h"
#include "form/host/ghost_rows.h"
#include "petsc_compat.h"

PetscErrorCode RhxFormAddInertia(RhxForm form, double factor, const PetscScalar *v, PetscScalar *r)
{
  const RhxSpace sp = form->space;
  PetscScalar *Mv;
  PetscFunctionBegin;
  PetscCall(RhxFormNeedMass(form));
  PetscCall(PetscMalloc1((size_t)sp->nlocal * sp->bs, &Mv));
  PetscCall(RhxFormMassProduct(form, sp->bs, v, Mv));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (const RhxField *f = sp->field; f < sp->field + sp->nfields; f++)
      for (PetscInt c = f->offset; c < f->offset + f->components; c++) {
        const size_t k = (size_t)i * sp->bs + c;
        r[k] += factor * f->mass * Mv[k];
      }
  PetscCall(PetscFree(Mv));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormAddInertiaMatrix(RhxForm form, double factor, Mat A)
{
  const RhxSpace sp = form->space;
  const RhxNodeGraph *graph = &form->consistent.graph;
  RhxGhostRows ghosts;
  PetscScalar *block;
  PetscFunctionBegin;
  PetscCall(RhxFormNeedMass(form));
  PetscCall(RhxGhostRowsCreate(sp, sp->bs, sp->bs, &ghosts));
  PetscCall(PetscCalloc1((size_t)sp->bs * sp->bs, &block));
  for (PetscInt i = 0; i < graph->n; i++)
    for (PetscInt k = graph->start[i]; k < graph->start[i + 1]; k++) {
      for (const RhxField *f = sp->field; f < sp->field + sp->nfields; f++)
        for (PetscInt c = f->offset; c < f->offset + f->components; c++)
          block[c * (sp->bs + 1)] = factor * f->mass * form->consistent.value[k];
      if (i < sp->nowned)
        PetscCall(MatSetValuesBlockedLocal(A, 1, &i, 1, &graph->node[k], block, ADD_VALUES));
      else
        PetscCall(RhxGhostRowsAdd(ghosts, i, 1, &graph->node[k], block));
    }
  PetscCall(PetscFree(block));
  PetscCall(RhxGhostRowsEnd(&ghosts, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
