#include "space/about.h"
#include "petsc_compat.h"
#include "space/colour.h"

static PetscBool touches(const RhxCells *ce, PetscInt e, const PetscScalar *flag)
{
  PetscBool any = PETSC_FALSE;
  for (PetscInt a = 0; a < ce->nn; a++) any = (PetscBool)(any || flag[RhxCellsNode(ce, e, a)] > 0);
  return any;
}

void RhxMarkTouched(RhxSpace space, const PetscScalar *flag, PetscScalar *near)
{
  for (PetscInt t = 0; t < space->ntypes; t++)
    for (PetscInt e = 0; e < space->cells[t].n; e++) {
      const RhxCells *ce = &space->cells[t];
      const PetscBool any = touches(ce, e, flag);
      for (PetscInt a = 0; any && a < ce->nn; a++) near[RhxCellsNode(ce, e, a)] = 1;
    }
}

PetscErrorCode RhxMarkShare(RhxSpace space, PetscScalar *flag)
{
  PetscFunctionBegin;
  PetscCall(RhxSpaceReduce(space, 1, flag));
  PetscCall(RhxSpaceGlobalToLocal(space, 1, flag, flag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMarkWiden(RhxSpace space, PetscInt rings, PetscScalar *flag)
{
  PetscScalar *before;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(space->nlocal, &before));
  for (PetscInt k = 0; k < rings; k++) {
    PetscCall(PetscArraycpy(before, flag, space->nlocal));
    PetscCall(PetscArrayzero(flag, space->nlocal));
    RhxMarkTouched(space, before, flag);
    PetscCall(RhxMarkShare(space, flag));
  }
  PetscCall(PetscFree(before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lane groups of the listed elements, the tail repeating the last. */
static PetscErrorCode fill(PetscInt dim, const RhxCells *all, const PetscInt *element, RhxCells *ce)
{
  const PetscInt lanes = ce->ngroups * RHX_LANES;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(ce->n, &ce->cell));
  PetscCall(PetscMalloc1(lanes * ce->nn, &ce->conn));
  PetscCall(PetscMalloc1(lanes * ce->nn * dim, &ce->x));
  for (PetscInt i = 0; i < ce->n; i++) ce->cell[i] = all->cell[element[i]];
  for (PetscInt i = 0; i < lanes; i++) {
    const PetscInt e = element[PetscMin(i, ce->n - 1)];
    for (PetscInt a = 0; a < ce->nn; a++) {
      const size_t from = (size_t)(e / RHX_LANES) * ce->nn + a, to = (size_t)(i / RHX_LANES) * ce->nn + a;
      ce->conn[to * RHX_LANES + i % RHX_LANES] = all->conn[from * RHX_LANES + e % RHX_LANES];
      for (PetscInt d = 0; d < dim; d++)
        ce->x[(to * dim + d) * RHX_LANES + i % RHX_LANES] = all->x[(from * dim + d) * RHX_LANES + e % RHX_LANES];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceTakeCells(RhxSpace space, const PetscScalar *flag, RhxCells **cells)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(space->ntypes, cells));
  for (PetscInt k = 0; k < space->ntypes; k++) {
    const RhxCells *all = &space->cells[k];
    RhxCells *ce = *cells + k;
    PetscInt *element;
    *ce = *all;
    ce->affine = NULL;
    ce->n = 0;
    PetscCall(PetscMalloc1(all->n, &element));
    for (PetscInt e = 0; e < all->n; e++)
      if (touches(all, e, flag)) element[ce->n++] = e;
    ce->ngroups = (ce->n + RHX_LANES - 1) / RHX_LANES;
    PetscCall(fill(space->dim, all, element, ce));
    PetscCall(PetscFree(element));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceFreeCells(RhxSpace space, RhxCells **cells)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; *cells && k < space->ntypes; k++) {
    PetscCall(PetscFree((*cells)[k].cell));
    PetscCall(PetscFree((*cells)[k].conn));
    PetscCall(PetscFree((*cells)[k].x));
  }
  PetscCall(PetscFree(*cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}
