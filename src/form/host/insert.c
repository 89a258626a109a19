#include "form/host/insert.h"
#include "petsc_compat.h"

static PetscErrorCode open_part(Mat mat, PetscInt first, PetscInt n, const PetscInt *at, RhxInsertPart *part)
{
  PetscInt rows;
  PetscBool done;
  PetscFunctionBegin;
  *part = (RhxInsertPart){.mat = mat, .first = first, .n = n, .at = at};
  PetscCall(MatGetRowIJ(mat, 0, PETSC_FALSE, PETSC_FALSE, &rows, &part->start, &part->column, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_LIB, "A sequential matrix does not give its rows");
  PetscCall(MatSeqAIJGetArray(mat, &part->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode close_part(RhxInsertPart *part)
{
  PetscInt rows;
  PetscBool done;
  PetscFunctionBegin;
  if (!part->mat) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatRestoreRowIJ(part->mat, 0, PETSC_FALSE, PETSC_FALSE, &rows, &part->start, &part->column, &done));
  PetscCall(MatSeqAIJRestoreArray(part->mat, &part->value));
  *part = (RhxInsertPart){.mat = NULL};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns of other ranks are numbered anew in `outside`: number[] has the global ones, rising. */
static PetscErrorCode find_ghosts(RhxSpace sp, RhxInsert *in, PetscInt n, const PetscInt *number)
{
  const PetscInt *node;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sp->nlocal - sp->nowned, &in->ghost));
  PetscCall(ISLocalToGlobalMappingGetIndices(sp->l2g, &node));
  for (PetscInt i = sp->nowned; i < sp->nlocal; i++) {
    PetscInt place;
    PetscCall(PetscFindInt(node[i] * in->columns, n, number, &place));
    in->ghost[i - sp->nowned] = place < 0 ? -1 : place / in->columns;
  }
  PetscCall(ISLocalToGlobalMappingRestoreIndices(sp->l2g, &node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxInsertBegin(RhxSpace sp, Mat A, RhxInsert *in)
{
  PetscBool there, one, many;
  PetscFunctionBegin;
  *in = (RhxInsert){.A = A, .nowned = sp->nowned};
  PetscCall(MatGetBlockSizes(A, &in->rows, &in->columns));
  PetscCall(RhxGhostRowsCreate(sp, in->rows, in->columns, &in->ghosts));
  PetscCall(MatAssembled(A, &there));
  PetscCall(MatZeroEntries(A));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &one));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJ, &many));
  if (!there || !(one || many)) PetscFunctionReturn(PETSC_SUCCESS);
  if (one)
    PetscCall(open_part(A, 0, sp->nowned, NULL, &in->inside));
  else {
    const PetscInt *number;
    PetscInt n;
    Mat inside, outside;
    PetscCall(MatMPIAIJGetSeqAIJ(A, &inside, &outside, &number));
    PetscCall(MatGetSize(outside, NULL, &n));
    PetscCall(find_ghosts(sp, in, n, number));
    PetscCall(open_part(inside, 0, sp->nowned, NULL, &in->inside));
    PetscCall(open_part(outside, sp->nowned, sp->nlocal - sp->nowned, in->ghost, &in->outside));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where column node j begins in the first row of a block, from the row's beginning; < 0: it has no place. */
static PetscInt find(const RhxInsert *in, const RhxInsertPart *part, PetscInt row, PetscInt node)
{
  const PetscInt *column, want = in->columns * (part->at ? part->at[node - part->first] : node - part->first);
  PetscInt low = 0, high;
  if (!part->mat || want < 0) return -1;
  column = part->column + part->start[row];
  high = (part->start[row + 1] - part->start[row]) / in->columns;
  while (low < high) {
    const PetscInt middle = (low + high) / 2;
    if (column[middle * in->columns] < want)
      low = middle + 1;
    else
      high = middle;
  }
  low *= in->columns;
  return low < part->start[row + 1] - part->start[row] && column[low] == want ? low : -1;
}

/* A block of rows of this rank. */
static PetscErrorCode add_block(const RhxInsert *in, PetscInt nn, PetscInt i, PetscInt j, const PetscScalar *k)
{
  const RhxInsertPart *part = j < in->nowned ? &in->inside : &in->outside;
  const PetscInt at = find(in, part, i * in->rows, j);
  PetscFunctionBegin;
  PetscCheck(at >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "A matrix of node blocks has no place for nodes %" PetscInt_FMT " and %" PetscInt_FMT, i, j);
  for (PetscInt r = 0; r < in->rows; r++, k += nn * in->columns) {
    PetscScalar *to = part->value + part->start[i * in->rows + r] + at;
    for (PetscInt c = 0; c < in->columns; c++) to[c] += k[c];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxInsertAdd(const RhxInsert *in, PetscInt nn, const PetscInt *node, const PetscScalar *k)
{
  PetscFunctionBegin;
  for (PetscInt a = 0; a < nn; a++, k += in->rows * nn * in->columns) {
    if (node[a] >= in->nowned)
      PetscCall(RhxGhostRowsAdd(in->ghosts, node[a], nn, node, k));
    else if (!in->inside.mat)
      PetscCall(MatSetValuesBlockedLocal(in->A, 1, &node[a], nn, node, k, ADD_VALUES));
    else
      for (PetscInt b = 0; b < nn; b++) PetscCall(add_block(in, nn, node[a], node[b], k + b * in->columns));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxInsertEnd(RhxInsert *in)
{
  PetscFunctionBegin;
  PetscCall(close_part(&in->inside));
  PetscCall(close_part(&in->outside));
  PetscCall(PetscFree(in->ghost));
  PetscCall(RhxGhostRowsEnd(&in->ghosts, in->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
