/* PETSc's operations on a device's matrix of one rank, or on what a rank has of one, that RhxMatrixRows does in their place. */
#include "form/cuda/rows_impl.h"

#if defined(PETSC_HAVE_CUDA)
PetscErrorCode RhxMatrixComponents(IS is, PetscInt first, PetscInt nodes, PetscInt bs, PetscInt *n, PetscInt *component)
{
  const PetscInt *at;
  PetscInt size;
  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(is, &size));
  *n = nodes && size % nodes == 0 && size / nodes <= bs ? size / nodes : 0;
  PetscCall(ISGetIndices(is, &at));
  for (PetscInt k = 0; k < *n; k++) component[k] = at[k] - first * bs;
  for (PetscInt k = 0; k < *n; k++)
    if (component[k] < 0 || component[k] >= bs || (k && component[k] <= component[k - 1])) *n = 0;
  for (PetscInt i = 0; i < nodes; i++)
    for (PetscInt k = 0; k < *n; k++)
      if (at[i * *n + k] != (first + i) * bs + component[k]) *n = 0;
  PetscCall(ISRestoreIndices(is, &at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode by_host(Mat A, IS rows, IS cols, MatReuse reuse, Mat *B)
{
  Mat *all = B;
  PetscFunctionBegin;
  PetscCall(MatCreateSubMatrices(A, 1, &rows, &cols, reuse, &all));
  if (reuse == MAT_REUSE_MATRIX) PetscFunctionReturn(PETSC_SUCCESS);
  *B = *all;
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_sub_matrix(Mat A, IS rows, IS cols, MatReuse reuse, Mat *B)
{
  PetscInt nrows, ncols, *row, *col;
  const RhxMatrixMap *map;
  RhxMatrixRows m;
  PetscInt nr, nc;
  PetscFunctionBegin;
  PetscCall(RhxMatrixKept(A, &m));
  PetscCall(RhxMatrixRowsGet(m, &map, &nr, &nc));
  PetscCall(PetscMalloc2(nr, &row, nc, &col));
  PetscCall(RhxMatrixComponents(rows, 0, map->n, nr, &nrows, row));
  PetscCall(RhxMatrixComponents(cols, 0, map->n, nc, &ncols, col));
  if (!nrows || !ncols) {
    PetscCall(by_host(A, rows, cols, reuse, B));
  } else {
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(RhxMatrixPartCreate(m, nrows, ncols, B));
    PetscCall(RhxMatrixPartFill(m, nrows, row, ncols, col, A, *B));
  }
  PetscCall(PetscFree2(row, col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take_vector(Vec v, const PetscScalar **a)
{
  PetscFunctionBegin;
  *a = NULL;
  if (v) PetscCall(VecCUDAGetArrayRead(v, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* left, right: of the device, or NULL. */
static PetscErrorCode diagonal_scale(Mat A, Vec left, Vec right)
{
  const PetscScalar *l, *r;
  PetscScalar *values;
  RhxMatrixRows m;
  PetscFunctionBegin;
  PetscCall(RhxMatrixKept(A, &m));
  PetscCall(take_vector(left, &l));
  PetscCall(take_vector(right, &r));
  PetscCall(MatSeqAIJCUSPARSEGetArray(A, &values));
  PetscCall(RhxMatrixRowsScale(m, l, r, values));
  PetscCall(MatSeqAIJCUSPARSERestoreArray(A, &values));
  if (left) PetscCall(VecCUDARestoreArrayRead(left, &l));
  if (right) PetscCall(VecCUDARestoreArrayRead(right, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x, b: as MatZeroRows has them; nobody here gives any. */
static PetscErrorCode zero_rows(Mat A, PetscInt n, const PetscInt *row, PetscScalar diagonal, Vec x, Vec b)
{
  PetscScalar *values;
  RhxMatrixRows m;
  PetscFunctionBegin;
  PetscCheck(!x || !b, PETSC_COMM_SELF, PETSC_ERR_SUP, "MatZeroRows of a device's matrix: expected no vectors");
  PetscCall(RhxMatrixKept(A, &m));
  PetscCall(MatSeqAIJCUSPARSEGetArray(A, &values));
  PetscCall(RhxMatrixRowsHold(m, n, row, diagonal, values));
  PetscCall(MatSeqAIJCUSPARSERestoreArray(A, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixRowsUse(RhxMatrixRows m, Mat A)
{
  PetscFunctionBegin;
  PetscCall(RhxMatrixKeep(A, m, PETSC_FALSE));
  PetscCall(MatSetOperation(A, MATOP_CREATE_SUBMATRIX, (void (*)(void))create_sub_matrix));
  PetscCall(MatSetOperation(A, MATOP_DIAGONAL_SCALE, (void (*)(void))diagonal_scale));
  PetscCall(MatSetOperation(A, MATOP_ZERO_ROWS, (void (*)(void))zero_rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
