/* Parts of a device's matrix: PETSc's operations on them that RhxMatrixRows does in their place. */
#include "form/cuda/rows_impl.h"
#include "petsc_compat.h"
#include "space/graph.h"
#include <math.h>
#include <petscblaslapack.h>

#if defined(PETSC_HAVE_CUDA)
PetscErrorCode RhxMatrixKeep(Mat A, void *what, PetscBool owned)
{
  PetscContainer container;
  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PetscObjectComm((PetscObject)A), &container));
  PetscCall(PetscContainerSetPointer(container, what));
  if (owned) PetscCall(RhxContainerSetFree(container));
  PetscCall(PetscObjectCompose((PetscObject)A, "RhxMatrixRows", (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixKept(Mat A, void *what)
{
  PetscContainer container;
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)A, "RhxMatrixRows", (PetscObject *)&container));
  PetscCall(PetscContainerGetPointer(container, (void **)what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of node blocks with nrows x ncols components on the host; B owns what it is made of and *part, one allocation. */
static PetscErrorCode create_rows(const RhxMatrixMap *map, PetscInt nrows, PetscInt ncols, PetscBool square,
                                  RhxMatrixPart **part, Mat *B)
{
  const size_t n = (size_t)map->n * nrows, size = (size_t)map->start[map->n] * nrows * ncols,
               more = square ? n * nrows : 0;
  PetscInt *first, *col;
  PetscScalar *values;
  PetscFunctionBegin;
  PetscCall(PetscMalloc(sizeof(RhxMatrixPart) + sizeof(PetscScalar) * (more + size) + sizeof(PetscInt) * (size + n + 1),
                        part));
  values = (PetscScalar *)(*part + 1) + more;
  (*part)->inverse = square ? (PetscScalar *)(*part + 1) : NULL;
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
  PetscCall(RhxMatrixKeep(*B, *part, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixPartSizes(Mat B, double **size)
{
  const RhxMatrixMap *map;
  const PetscScalar *from;
  PetscInt nr, nc;
  RhxMatrixPart *part;
  PetscFunctionBegin;
  PetscCall(RhxMatrixKept(B, &part));
  PetscCall(RhxMatrixRowsGet(part->rows, &map, &nr, &nc));
  PetscCall(PetscMalloc1(map->start[map->n], size));
  PetscCall(MatSeqAIJCUSPARSEGetArrayRead(B, &from));
  PetscCall(RhxMatrixRowsBlocks(part->rows, part->nrows, part->ncols, from, *size, NULL));
  PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(B, &from));
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
  PetscScalar *to;
  PetscInt nr, nc;
  double *size;
  PetscBool bound;
  RhxMatrixPart *part, *own;
  PetscFunctionBegin;
  PetscCall(RhxMatrixKept(B, &part));
  PetscCall(MatBoundToCPU(B, &bound));
  if (bound || n || filter >= 0.0) {
    PetscCall(part->create_graph(B, symmetric, scale, filter, n, component, graph));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxMatrixRowsGet(part->rows, &map, &nr, &nc));
  PetscCall(RhxMatrixPartSizes(B, &size));
  PetscCall(create_rows(map, 1, 1, PETSC_FALSE, &own, graph));
  PetscCall(MatSeqAIJGetArrayWrite(*graph, &to));
  scale_graph(map, symmetric, scale, size, to);
  PetscCall(MatSeqAIJRestoreArrayWrite(*graph, &to));
  PetscCall(MatConvert(*graph, MATSEQAIJCUSPARSE, MAT_INPLACE_MATRIX, graph));
  if (symmetric) PetscCall(MatSetOption(*graph, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(PetscFree(size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A[n][n] becomes the transpose of its inverse; FALSE where there is none. work[n], pivot[n]: room. */
static PetscBool invert_transposed(PetscInt n, PetscScalar *A, PetscScalar *work, PetscBLASInt *pivot)
{
  const PetscBLASInt size = (PetscBLASInt)n;
  PetscBLASInt info;
  LAPACKgetrf_(&size, &size, A, &size, pivot, &info);
  for (PetscInt k = 0; k < n; k++)
    if (!(PetscAbsScalar(A[k * n + k]) > 0.0)) return PETSC_FALSE;
  LAPACKgetri_(&size, A, &size, pivot, work, &size, &info);
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < i; j++) {
      const PetscScalar a = A[i * n + j];
      A[i * n + j] = A[j * n + i];
      A[j * n + i] = a;
    }
  return PETSC_TRUE;
}

/* PETSc has the blocks column by column, and says what is wrong with those that have no inverse. */
static PetscErrorCode invert_block_diagonal(Mat B, const PetscScalar **inverse)
{
  const RhxMatrixMap *map;
  const PetscScalar *from;
  PetscScalar *work;
  PetscBLASInt *pivot;
  PetscInt nr, nc, n;
  PetscBool there = PETSC_TRUE, bound;
  RhxMatrixPart *part;
  PetscFunctionBegin;
  PetscCall(RhxMatrixKept(B, &part));
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
  PetscCall(PetscMalloc2(n, &work, n, &pivot));
  for (PetscInt i = 0; i < map->n && there; i++)
    there = invert_transposed(n, part->inverse + (size_t)i * n * n, work, pivot);
  PetscCall(PetscFree2(work, pivot));
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
  RhxMatrixPart *part;
  PetscFunctionBegin;
  PetscCall(RhxMatrixKept(B, &part));
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

static PetscErrorCode use(RhxMatrixRows m, PetscInt nrows, PetscInt ncols, RhxMatrixPart *part, Mat B)
{
  void (*f)(void);
  PetscFunctionBegin;
  part->rows = m;
  part->nrows = nrows;
  part->ncols = ncols;
  if (!part->inverse) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetOperation(B, MATOP_CREATE_GRAPH, &f));
  part->create_graph = (RhxCreateGraph)f;
  PetscCall(MatGetOperation(B, MATOP_GET_DIAGONAL, &f));
  part->get_diagonal = (RhxGetDiagonal)f;
  PetscCall(MatGetOperation(B, MATOP_INVERT_BLOCK_DIAGONAL, &f));
  part->invert = (RhxInvertBlocks)f;
  PetscCall(MatSetOperation(B, MATOP_CREATE_GRAPH, (void (*)(void))create_graph));
  PetscCall(MatSetOperation(B, MATOP_GET_DIAGONAL, (void (*)(void))get_diagonal));
  PetscCall(MatSetOperation(B, MATOP_INVERT_BLOCK_DIAGONAL, (void (*)(void))invert_block_diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* GetArrayWrite makes none on the device. */
static PetscErrorCode need_values(Mat B)
{
  PetscScalar *there;
  PetscFunctionBegin;
  PetscCall(MatSeqAIJCUSPARSEGetArray(B, &there));
  PetscCall(MatSeqAIJCUSPARSERestoreArray(B, &there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixPartCreate(RhxMatrixRows m, PetscInt nrows, PetscInt ncols, Mat *B)
{
  const RhxMatrixMap *map;
  PetscInt nr, nc;
  RhxMatrixPart *part;
  PetscFunctionBegin;
  PetscCall(RhxMatrixRowsGet(m, &map, &nr, &nc));
  PetscCall(create_rows(map, nrows, ncols, (PetscBool)(nrows == ncols), &part, B));
  PetscCall(MatConvert(*B, MATSEQAIJCUSPARSE, MAT_INPLACE_MATRIX, B));
  PetscCall(use(m, nrows, ncols, part, *B));
  PetscCall(need_values(*B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixPartUse(RhxMatrixRows m, PetscInt nrows, PetscInt ncols, PetscBool square, Mat B)
{
  const RhxMatrixMap *map;
  PetscInt nr, nc;
  RhxMatrixPart *part;
  PetscFunctionBegin;
  PetscCall(RhxMatrixRowsGet(m, &map, &nr, &nc));
  PetscCall(PetscMalloc(sizeof(*part) + (square ? sizeof(PetscScalar) * map->n * nrows * nrows : 0), &part));
  part->inverse = square ? (PetscScalar *)(part + 1) : NULL;
  PetscCall(RhxMatrixKeep(B, part, PETSC_TRUE));
  PetscCall(use(m, nrows, ncols, part, B));
  PetscCall(need_values(B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixPartFill(RhxMatrixRows m, PetscInt nrows, const PetscInt *row, PetscInt ncols,
                                 const PetscInt *col, Mat A, Mat B)
{
  const PetscScalar *from;
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(MatSeqAIJCUSPARSEGetArrayRead(A, &from));
  PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(B, &to));
  PetscCall(RhxMatrixRowsPart(m, nrows, row, ncols, col, from, to));
  PetscCall(MatSeqAIJCUSPARSERestoreArrayWrite(B, &to));
  PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(A, &from));
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
