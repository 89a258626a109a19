#include "solver/ghosts_impl.h"

/* ---- A matrix on several ranks ---- */

PetscErrorCode RhxMatrixGetParts(Mat A, RhxMatrixParts *p)
{
  PetscMPIInt size;
  PetscBool known;
  MatType type;
  PetscFunctionBegin;
  *p = (RhxMatrixParts){.own = A};
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &known));
  PetscCheck(known, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "A matrix of the pressure solver is not stored by rows: got type %s, expected mpiaij", type);
  PetscCall(MatMPIAIJGetSeqAIJ(A, &p->own, &p->other, &p->column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixPartsToSell(const RhxMatrixParts *p, RhxSell *sell)
{
  RhxRows own, other;
  PetscFunctionBegin;
  PetscCall(RhxRowsGet(p->own, &own));
  if (p->other) PetscCall(RhxRowsGet(p->other, &other));
  PetscCall(RhxSellCreate(&own, p->other ? &other : NULL, 0, PETSC_FALSE, sell));
  if (p->other) PetscCall(RhxRowsRestore(p->other, &other));
  PetscCall(RhxRowsRestore(p->own, &own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixCreateSF(Mat A, PetscSF *sf)
{
  RhxMatrixParts parts;
  PetscLayout columns;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(RhxMatrixGetParts(A, &parts));
  PetscCall(MatGetLayouts(A, NULL, &columns));
  PetscCall(MatGetSize(parts.other, NULL, &n));
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), sf));
  PetscCall(PetscSFSetGraphLayout(*sf, columns, n, NULL, PETSC_COPY_VALUES, parts.column));
  PetscCall(PetscSFSetUp(*sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Ghosts ---- */

PetscErrorCode RhxGhostsCreate(Mat A, RhxGhosts *g)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(g, sizeof(*g)));
  PetscCall(RhxMatrixCreateSF(A, &g->sf));
  PetscCall(PetscSFGetGraph(g->sf, &g->place, &g->n, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGhostsSetUp(RhxGhosts *g, RhxDevice device)
{
  PetscFunctionBegin;
  PetscCall(RhxExchangeCreate(device, g->sf, g->place, &g->exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGhostsFree(RhxGhosts *g)
{
  PetscFunctionBegin;
  PetscCall(RhxExchangeDestroy(&g->exchange));
  PetscCall(PetscSFDestroy(&g->sf));
  PetscCall(PetscMemzero(g, sizeof(*g)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
