/* PETSc's operations on a device's matrix that RhxMatrixRows does in their place. */
#include "form/cuda/rows.h"
#include "petsc_compat.h"
#include "space/graph.h"
#include <math.h>

#if defined(PETSC_HAVE_CUDA)
#define KEY "RhxMatrixRows"

/* ---- Parts ---- */

typedef PetscErrorCode (*CreateGraph)(Mat, PetscBool, PetscBool, PetscReal, PetscInt, PetscInt[], Mat *);
typedef PetscErrorCode (*GetDiagonal)(Mat, Vec);
typedef PetscErrorCode (*Invert)(Mat, const PetscScalar **);

/* What a sub-matrix keeps: PETSc's operations and, after this, arrays of its rows on the host, one allocation. */
typedef struct {
  RhxMatrixRows rows;
  PetscInt nrows, ncols;
  CreateGraph create_graph;
  GetDiagonal get_diagonal;
  Invert invert;
  PetscScalar *inverse; /* [nodes][nrows][nrows] */
} Part;

static PetscErrorCode get_part(Mat B, Part **part)
{
  PetscContainer container;
  void *ctx;
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)B, KEY, (PetscObject *)&container));
  PetscCall(PetscContainerGetPointer(container, &ctx));
  *part = (Part *)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of node blocks with nrows x ncols components on the host; *part and what B is made of in one allocation, which B owns. */
static PetscErrorCode create_rows(const RhxMatrixMap *map, PetscInt nrows, PetscInt ncols, PetscBool inverse,
                                  Part **part, Mat *B)
{
  const size_t n = (size_t)map->n * nrows, size = (size_t)map->start[map->n] * nrows * ncols,
               more = inverse ? n * nrows : 0;
  PetscInt *first, *col;
  PetscScalar *values;
  PetscContainer container;
  PetscFunctionBegin;
  PetscCall(PetscMalloc(sizeof(Part) + sizeof(PetscScalar) * (more + size) + sizeof(PetscInt) * (size + n + 1), part));
  (*part)->inverse = (PetscScalar *)(*part + 1);
  values = (*part)->inverse + more;
  col = (PetscInt *)(values + size);
  first = col + size;
  first[0] = 0;
  for (PetscInt i = 0, at = 0; i < map->n; i++)
    for (PetscInt r = 0; r < nrows; r++) {
      for (PetscInt k = map->start[i]; k < map->start[i + 1]; k++)
        for (PetscInt c = 0; c < ncols; c++) col[at++] = map->node[k] * ncols + c;
      first[i * nrows + r + 1] = at;
    }
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, (PetscInt)n, map->n * ncols, first, col, values, B));
  PetscCall(MatSetBlockSizes(*B, nrows, ncols));
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, *part));
  PetscCall(RhxContainerSetFree(container));
  PetscCall(PetscObjectCompose((PetscObject)*B, KEY, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v_ij + v_ji, then over the roots of the diagonal, as asked for */
static void scale_graph(const RhxMatrixMap *map, PetscBool symmetric, PetscBool scale, const double *size,
                        PetscScalar *v)
{
  const RhxNodeGraph graph = {map->n, map->start, map->node};

  for (PetscInt i = 0; i < map->n; i++)
    for (PetscInt k = map->start[i]; k < map->start[i + 1]; k++)
      v[k] = size[k] + (symmetric ? size[RhxNodeGraphFind(&graph, map->node[k], i)] : 0.0);
  for (PetscInt i = 0; scale && i < map->n; i++) {
    const double own = size[RhxNodeGraphFind(&graph, i, i)];
    for (PetscInt k = map->start[i]; k < map->start[i + 1]; k++) {
      const double by = own * size[RhxNodeGraphFind(&graph, map->node[k], map->node[k])];
      v[k] *= by > 0.0 ? 1.0 / ((symmetric ? 2.0 : 1.0) * sqrt(by)) : 0.0; /* as PETSc's reciprocals of 0 */
    }
  }
}

/* The graph of MatCreateGraph: nodes, of whose block the sum of magnitudes is the weight; filters, weights of some components alone and
 * matrices that are bound to the host by PETSc. */
static PetscErrorCode create_graph(Mat B, PetscBool symmetric, PetscBool scale, PetscReal filter, PetscInt n,
                                   PetscInt component[], Mat *graph)
{
  const RhxMatrixMap *map;
  const PetscScalar *from;
  PetscScalar *to;
  PetscInt nr, nc;
  double *size;
  PetscBool bound;
  Part *part, *own;
  PetscFunctionBegin;
  PetscCall(get_part(B, &part));
  PetscCall(MatBoundToCPU(B, &bound));
  if (bound || n || filter >= 0.0) {
    PetscCall(part->create_graph(B, symmetric, scale, filter, n, component, graph));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxMatrixRowsGet(part->rows, &map, &nr, &nc));
  PetscCall(PetscMalloc1(map->start[map->n], &size));
  PetscCall(MatSeqAIJCUSPARSEGetArrayRead(B, &from));
  PetscCall(RhxMatrixRowsBlocks(part->rows, part->nrows, part->ncols, from, size, NULL));
  PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(B, &from));
  PetscCall(create_rows(map, 1, 1, PETSC_FALSE, &own, graph));
  PetscCall(MatSeqAIJGetArrayWrite(*graph, &to));
  scale_graph(map, symmetric, scale, size, to);
  PetscCall(MatSeqAIJRestoreArrayWrite(*graph, &to));
  PetscCall(MatConvert(*graph, MATSEQAIJCUSPARSE, MAT_INPLACE_MATRIX, graph));
  if (symmetric) PetscCall(MatSetOption(*graph, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(PetscFree(size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A[n][n] becomes the transpose of its inverse, by Gauss and Jordan with pivots of a column; FALSE where there is none. */
static PetscBool invert_transposed(PetscInt n, PetscScalar *A, PetscScalar *B)
{
  for (PetscInt k = 0; k < n * n; k++) B[k] = k / n == k % n ? 1.0 : 0.0;
  for (PetscInt k = 0; k < n; k++) {
    PetscInt p = k;
    PetscScalar by;
    for (PetscInt i = k + 1; i < n; i++)
      if (PetscAbsScalar(A[i * n + k]) > PetscAbsScalar(A[p * n + k])) p = i;
    by = A[p * n + k];
    if (!(PetscAbsScalar(by) > 0.0)) return PETSC_FALSE;
    for (PetscInt j = 0; j < n; j++) {
      const PetscScalar a = A[p * n + j], b = B[p * n + j];
      A[p * n + j] = A[k * n + j];
      B[p * n + j] = B[k * n + j];
      A[k * n + j] = a / by;
      B[k * n + j] = b / by;
    }
    for (PetscInt i = 0; i < n; i++) {
      const PetscScalar f = i == k ? 0.0 : A[i * n + k];
      for (PetscInt j = 0; f != 0.0 && j < n; j++) {
        A[i * n + j] -= f * A[k * n + j];
        B[i * n + j] -= f * B[k * n + j];
      }
    }
  }
  for (PetscInt k = 0; k < n * n; k++) A[k] = B[k % n * n + k / n];
  return PETSC_TRUE;
}

/* PETSc has the blocks column by column, and says what is wrong with those that have no inverse. */
static PetscErrorCode invert_block_diagonal(Mat B, const PetscScalar **inverse)
{
  const RhxMatrixMap *map;
  const PetscScalar *from;
  PetscScalar *work;
  PetscInt nr, nc, n;
  PetscBool there = PETSC_TRUE, bound;
  Part *part;
  PetscFunctionBegin;
  PetscCall(get_part(B, &part));
  PetscCall(MatBoundToCPU(B, &bound));
  if (bound) {
    PetscCall(part->invert(B, inverse));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxMatrixRowsGet(part->rows, &map, &nr, &nc));
  n = part->nrows;
  PetscCall(MatSeqAIJCUSPARSEGetArrayRead(B, &from));
  PetscCall(RhxMatrixRowsBlocks(part->rows, n, n, from, NULL, part->inverse));
  PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(B, &from));
  PetscCall(PetscMalloc1(n * n, &work));
  for (PetscInt i = 0; i < map->n && there; i++) there = invert_transposed(n, part->inverse + (size_t)i * n * n, work);
  PetscCall(PetscFree(work));
  *inverse = part->inverse;
  if (!there) PetscCall(part->invert(B, inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_diagonal(Mat B, Vec d)
{
  const RhxMatrixMap *map;
  const PetscScalar *from;
  PetscScalar *blocks, *to;
  PetscInt nr, nc, n;
  PetscBool bound;
  Part *part;
  PetscFunctionBegin;
  PetscCall(get_part(B, &part));
  PetscCall(MatBoundToCPU(B, &bound));
  if (bound) {
    PetscCall(part->get_diagonal(B, d));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxMatrixRowsGet(part->rows, &map, &nr, &nc));
  n = part->nrows;
  PetscCall(PetscMalloc1((size_t)map->n * n * n, &blocks));
  PetscCall(MatSeqAIJCUSPARSEGetArrayRead(B, &from));
  PetscCall(RhxMatrixRowsBlocks(part->rows, n, n, from, NULL, blocks));
  PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(B, &from));
  PetscCall(VecGetArrayWrite(d, &to));
  for (PetscInt k = 0; k < map->n * n; k++) to[k] = blocks[(size_t)k * n + k % n];
  PetscCall(VecRestoreArrayWrite(d, &to));
  PetscCall(PetscFree(blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values are not set. */
static PetscErrorCode create_part(RhxMatrixRows m, PetscInt nrows, PetscInt ncols, Mat *B)
{
  const PetscBool square = (PetscBool)(nrows == ncols);
  const RhxMatrixMap *map;
  PetscScalar *there;
  PetscInt nr, nc;
  Part *part;
  void (*f)(void);
  PetscFunctionBegin;
  PetscCall(RhxMatrixRowsGet(m, &map, &nr, &nc));
  PetscCall(create_rows(map, nrows, ncols, square, &part, B));
  PetscCall(MatConvert(*B, MATSEQAIJCUSPARSE, MAT_INPLACE_MATRIX, B));
  part->rows = m;
  part->nrows = nrows;
  part->ncols = ncols;
  PetscCall(MatGetOperation(*B, MATOP_CREATE_GRAPH, &f));
  part->create_graph = (CreateGraph)f;
  PetscCall(MatGetOperation(*B, MATOP_GET_DIAGONAL, &f));
  part->get_diagonal = (GetDiagonal)f;
  PetscCall(MatGetOperation(*B, MATOP_INVERT_BLOCK_DIAGONAL, &f));
  part->invert = (Invert)f;
  if (square) {
    PetscCall(MatSetOperation(*B, MATOP_CREATE_GRAPH, (void (*)(void))create_graph));
    PetscCall(MatSetOperation(*B, MATOP_GET_DIAGONAL, (void (*)(void))get_diagonal));
    PetscCall(MatSetOperation(*B, MATOP_INVERT_BLOCK_DIAGONAL, (void (*)(void))invert_block_diagonal));
  }
  PetscCall(MatSeqAIJCUSPARSEGetArray(*B, &there)); /* GetArrayWrite makes none on the device */
  PetscCall(MatSeqAIJCUSPARSERestoreArray(*B, &there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Of the whole matrix ---- */

static PetscErrorCode get(Mat A, RhxMatrixRows *m)
{
  PetscContainer container;
  void *ctx;
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)A, KEY, (PetscObject *)&container));
  PetscCall(PetscContainerGetPointer(container, &ctx));
  *m = (RhxMatrixRows)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *n: components of every node that an index set has, bs of a node, in the order of the nodes; 0: it is another one. */
static PetscErrorCode components(IS is, PetscInt nodes, PetscInt bs, PetscInt *n, PetscInt *component)
{
  const PetscInt *at;
  PetscInt size;
  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(is, &size));
  *n = nodes && size % nodes == 0 && size / nodes <= bs ? size / nodes : 0;
  PetscCall(ISGetIndices(is, &at));
  for (PetscInt k = 0; k < *n; k++) component[k] = at[k];
  for (PetscInt k = 0; k < *n; k++)
    if (component[k] >= bs || (k && component[k] <= component[k - 1])) *n = 0;
  for (PetscInt i = 0; i < nodes; i++)
    for (PetscInt k = 0; k < *n; k++)
      if (at[i * *n + k] != i * bs + component[k]) *n = 0;
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
  const PetscScalar *from;
  PetscScalar *to;
  PetscInt nrows, ncols, *row, *col;
  const RhxMatrixMap *map;
  RhxMatrixRows m;
  PetscInt nr, nc;
  PetscFunctionBegin;
  PetscCall(get(A, &m));
  PetscCall(RhxMatrixRowsGet(m, &map, &nr, &nc));
  PetscCall(PetscMalloc2(nr, &row, nc, &col));
  PetscCall(components(rows, map->n, nr, &nrows, row));
  PetscCall(components(cols, map->n, nc, &ncols, col));
  if (!nrows || !ncols) {
    PetscCall(by_host(A, rows, cols, reuse, B));
  } else {
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(create_part(m, nrows, ncols, B));
    PetscCall(MatSeqAIJCUSPARSEGetArrayRead(A, &from));
    PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(*B, &to));
    PetscCall(RhxMatrixRowsPart(m, nrows, row, ncols, col, from, to));
    PetscCall(MatSeqAIJCUSPARSERestoreArrayWrite(*B, &to));
    PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(A, &from));
    PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
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
  PetscCall(get(A, &m));
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
  PetscCall(get(A, &m));
  PetscCall(MatSeqAIJCUSPARSEGetArray(A, &values));
  PetscCall(RhxMatrixRowsHold(m, n, row, diagonal, values));
  PetscCall(MatSeqAIJCUSPARSERestoreArray(A, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixRowsUse(RhxMatrixRows m, Mat A)
{
  PetscContainer container;
  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PetscObjectComm((PetscObject)A), &container));
  PetscCall(PetscContainerSetPointer(container, m));
  PetscCall(PetscObjectCompose((PetscObject)A, KEY, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscCall(MatSetOperation(A, MATOP_CREATE_SUBMATRIX, (void (*)(void))create_sub_matrix));
  PetscCall(MatSetOperation(A, MATOP_DIAGONAL_SCALE, (void (*)(void))diagonal_scale));
  PetscCall(MatSetOperation(A, MATOP_ZERO_ROWS, (void (*)(void))zero_rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
