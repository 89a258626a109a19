/* PETSc's operations on a device's matrix of several ranks. A rank has its rows in two sequential matrices, of the columns of its own nodes
 * and of those of others that it needs: blocks of nodes both, of which RhxMatrixRows does what is asked. */
#include "form/cuda/rows_impl.h"

#if defined(PETSC_HAVE_CUDA)
typedef struct {
  RhxMatrixMap map;
  void *start; /* of the map, on the device */
  RhxMatrixRows rows;
} Side;

struct _p_RhxMatrixRanks {
  RhxDevice device; /* borrowed */
  PetscInt nr, nc;  /* of a node */
  PetscInt first;   /* node of the rank */
  Side own, other;
  PetscInt *ghost; /* nodes of the columns of `other`, rising */
  RhxCreateSubMatrix sub;
};

/* Of a square part. */
typedef struct {
  RhxMatrixRanks ranks;
  RhxCreateGraph create_graph;
} Graph;

static PetscErrorCode create_side(RhxDevice device, Mat A, PetscInt nr, PetscInt nc, Side *side)
{
  RhxMatrixMap *map = &side->map;
  const PetscInt *first, *col;
  PetscInt n;
  PetscBool done;
  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &first, &col, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The rows of a device's matrix are not to be had");
  map->n = n / nr;
  PetscCall(PetscMalloc1(map->n + 1, &map->start));
  PetscCall(PetscMalloc1(first[n] / (nr * nc), &map->node));
  map->start[0] = 0;
  for (PetscInt i = 0; i < map->n; i++) {
    const PetscInt at = first[i * nr], width = (first[i * nr + 1] - at) / nc;
    for (PetscInt k = 0; k < width; k++) map->node[map->start[i] + k] = col[at + k * nc] / nc;
    map->start[i + 1] = map->start[i] + width;
  }
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &first, &col, &done));
  PetscCall(
      RhxDeviceUpload(device, map->start, sizeof(PetscInt) * (map->n + 1), "the rows of the matrix", &side->start));
  PetscCall(RhxMatrixRowsCreate(device, map, side->start, nr, nc, &side->rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_side(RhxDevice device, Side *side)
{
  PetscFunctionBegin;
  PetscCall(RhxMatrixRowsDestroy(&side->rows));
  PetscCall(RhxDeviceFree(device, side->start));
  PetscCall(PetscFree(side->map.start));
  PetscCall(PetscFree(side->map.node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixRanksCreate(RhxDevice device, Mat A, PetscInt nr, PetscInt nc, RhxMatrixRanks *ranks)
{
  const PetscInt *column;
  Mat own, other;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(PetscNew(ranks));
  (*ranks)->device = device;
  (*ranks)->nr = nr;
  (*ranks)->nc = nc;
  PetscCall(MatGetOwnershipRange(A, &(*ranks)->first, NULL));
  (*ranks)->first /= nr;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &own, &other, &column));
  PetscCall(create_side(device, own, nr, nc, &(*ranks)->own));
  PetscCall(create_side(device, other, nr, nc, &(*ranks)->other));
  PetscCall(MatGetSize(other, NULL, &n));
  PetscCall(PetscMalloc1(n / nc, &(*ranks)->ghost));
  for (PetscInt k = 0; k < n / nc; k++) (*ranks)->ghost[k] = column[k * nc] / nc;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixRanksDestroy(RhxMatrixRanks *ranks)
{
  PetscFunctionBegin;
  if (!*ranks) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(destroy_side((*ranks)->device, &(*ranks)->own));
  PetscCall(destroy_side((*ranks)->device, &(*ranks)->other));
  PetscCall(PetscFree((*ranks)->ghost));
  PetscCall(PetscFree(*ranks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns of a row of blocks as PETSc has them, rising: others' nodes before the rank's, its own, others' after. own_value, other_value: of
 * the blocks, or NULL. */
static PetscInt merge(RhxMatrixRanks r, PetscInt i, PetscInt nc, const double *own_value, const double *other_value,
                      PetscInt *col, PetscScalar *value)
{
  const RhxMatrixMap *own = &r->own.map, *other = &r->other.map;
  PetscInt n = 0, a = own->start[i], b = other->start[i];
  while (a < own->start[i + 1] || b < other->start[i + 1]) {
    const PetscBool ghost =
        (PetscBool)(b < other->start[i + 1] && (a == own->start[i + 1] || r->ghost[other->node[b]] < r->first));
    const PetscInt node = ghost ? r->ghost[other->node[b]] : r->first + own->node[a];
    if (value) value[n / nc] = ghost ? other_value[b] : own_value[a];
    for (PetscInt c = 0; c < nc; c++) col[n++] = node * nc + c;
    if (ghost)
      b++;
    else
      a++;
  }
  return n;
}

/* nr x nc components of every node; of one component the blocks' values, or NULL. */
static PetscErrorCode create_rows(RhxMatrixRanks r, MPI_Comm comm, PetscInt nr, PetscInt nc, const double *own_value,
                                  const double *other_value, Mat *B)
{
  const RhxMatrixMap *own = &r->own.map, *other = &r->other.map;
  const PetscInt nodes = own->n, blocks = own->start[nodes] + other->start[nodes];
  PetscInt *first, *col;
  PetscScalar *value = NULL;
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(nodes * nr + 1, &first, (size_t)blocks * nr * nc, &col));
  if (own_value) PetscCall(PetscMalloc1(blocks, &value));
  first[0] = 0;
  for (PetscInt k = 0; k < nodes * nr; k++)
    first[k + 1] =
        first[k] + merge(r, k / nr, nc, own_value, other_value, col + first[k], value ? value + first[k] : NULL);
  PetscCall(MatCreate(comm, B));
  PetscCall(MatSetSizes(*B, nodes * nr, nodes * nc, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSizes(*B, nr, nc));
  PetscCall(MatSetType(*B, MATMPIAIJCUSPARSE));
  PetscCall(MatMPIAIJSetPreallocationCSR(*B, first, col, value));
  PetscCall(PetscFree(value));
  PetscCall(PetscFree2(first, col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As MatCreateGraph has it: v_ij + v_ji, then over the roots of the diagonal. */
static PetscErrorCode scale_graph(Mat G, PetscBool symmetric, PetscBool scale)
{
  PetscFunctionBegin;
  if (symmetric) {
    Mat T;
    PetscCall(MatTranspose(G, MAT_INITIAL_MATRIX, &T));
    PetscCall(MatAXPY(G, 1.0, T, SAME_NONZERO_PATTERN)); /* nodes of one element */
    PetscCall(MatDestroy(&T));
  }
  if (scale) {
    Vec d;
    PetscCall(MatCreateVecs(G, &d, NULL));
    PetscCall(MatGetDiagonal(G, d));
    PetscCall(VecReciprocal(d));
    PetscCall(VecSqrtAbs(d));
    PetscCall(MatDiagonalScale(G, d, d));
    PetscCall(VecDestroy(&d));
  }
  if (symmetric) PetscCall(MatSetOption(G, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_graph(Mat B, PetscBool symmetric, PetscBool scale, PetscReal filter, PetscInt n,
                                   PetscInt component[], Mat *graph)
{
  double *own_size, *other_size;
  PetscBool bound;
  Mat own, other;
  Graph *g;
  PetscFunctionBegin;
  PetscCall(RhxMatrixKept(B, &g));
  PetscCall(MatBoundToCPU(B, &bound));
  if (bound || n || filter >= 0.0) {
    PetscCall(g->create_graph(B, symmetric, scale, filter, n, component, graph));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatMPIAIJGetSeqAIJ(B, &own, &other, NULL));
  PetscCall(RhxMatrixPartSizes(own, &own_size));
  PetscCall(RhxMatrixPartSizes(other, &other_size));
  PetscCall(create_rows(g->ranks, PetscObjectComm((PetscObject)B), 1, 1, own_size, other_size, graph));
  PetscCall(PetscFree(own_size));
  PetscCall(PetscFree(other_size));
  PetscCall(scale_graph(*graph, symmetric, scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_part(RhxMatrixRanks r, MPI_Comm comm, PetscInt nrows, PetscInt ncols, Mat *B)
{
  const PetscBool square = (PetscBool)(nrows == ncols);
  Mat own, other;
  void (*f)(void);
  Graph *g;
  PetscFunctionBegin;
  PetscCall(create_rows(r, comm, nrows, ncols, NULL, NULL, B));
  PetscCall(MatMPIAIJGetSeqAIJ(*B, &own, &other, NULL));
  PetscCall(RhxMatrixPartUse(r->own.rows, nrows, ncols, square, own));
  PetscCall(RhxMatrixPartUse(r->other.rows, nrows, ncols, PETSC_FALSE, other));
  if (!square) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc(sizeof(*g), &g));
  PetscCall(MatGetOperation(*B, MATOP_CREATE_GRAPH, &f));
  *g = (Graph){r, (RhxCreateGraph)f};
  PetscCall(RhxMatrixKeep(*B, g, PETSC_TRUE));
  PetscCall(MatSetOperation(*B, MATOP_CREATE_GRAPH, (void (*)(void))create_graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* RhxMatrixComponents on all ranks, the same: one without nodes takes what the others have. */
static PetscErrorCode find_components(MPI_Comm comm, RhxMatrixRanks r, IS is, PetscInt bs, PetscInt *n,
                                      PetscInt *component)
{
  const PetscInt nodes = r->own.map.n;
  PetscInt *has;
  PetscBool same = PETSC_TRUE;
  PetscFunctionBegin;
  PetscCall(RhxMatrixComponents(is, r->first, nodes, bs, n, component));
  PetscCall(PetscMalloc1(2 * bs, &has)); /* whether a component is there, and less that: of all ranks the most */
  for (PetscInt k = 0; k < 2 * bs; k++) has[k] = nodes ? (*n ? 0 : 1) : -1;
  for (PetscInt k = 0; k < *n; k++) has[component[k]] = 1;
  for (PetscInt k = 0; k < bs && *n; k++) has[bs + k] = -has[k];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, has, 2 * (PetscMPIInt)bs, MPIU_INT, MPI_MAX, comm));
  *n = 0;
  for (PetscInt k = 0; k < bs; k++) {
    if (has[k] != -has[bs + k]) same = PETSC_FALSE;
    if (has[k] == 1) component[(*n)++] = k;
  }
  if (!same) *n = 0;
  PetscCall(PetscFree(has));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_sub_matrix(Mat A, IS rows, IS cols, MatReuse reuse, Mat *B)
{
  MPI_Comm comm = PetscObjectComm((PetscObject)A);
  PetscInt nrows, ncols, *row, *col;
  Mat from[2], to[2];
  RhxMatrixRanks r;
  PetscFunctionBegin;
  PetscCall(RhxMatrixKept(A, &r));
  PetscCall(PetscMalloc2(r->nr, &row, r->nc, &col));
  PetscCall(find_components(comm, r, rows, r->nr, &nrows, row));
  PetscCall(find_components(comm, r, cols, r->nc, &ncols, col));
  if (!nrows || !ncols) {
    PetscCall(r->sub(A, rows, cols, reuse, B));
  } else {
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(create_part(r, comm, nrows, ncols, B));
    PetscCall(MatMPIAIJGetSeqAIJ(A, &from[0], &from[1], NULL));
    PetscCall(MatMPIAIJGetSeqAIJ(*B, &to[0], &to[1], NULL));
    PetscCall(RhxMatrixPartFill(r->own.rows, nrows, row, ncols, col, from[0], to[0]));
    PetscCall(RhxMatrixPartFill(r->other.rows, nrows, row, ncols, col, from[1], to[1]));
    PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(PetscFree2(row, col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixRanksUse(RhxMatrixRanks r, Mat A)
{
  Mat own, other;
  void (*f)(void);
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &own, &other, NULL));
  PetscCall(RhxMatrixRowsUse(r->own.rows, own));
  PetscCall(RhxMatrixRowsUse(r->other.rows, other));
  PetscCall(RhxMatrixKeep(A, r, PETSC_FALSE));
  PetscCall(MatGetOperation(A, MATOP_CREATE_SUBMATRIX, &f));
  r->sub = (RhxCreateSubMatrix)f;
  PetscCall(MatSetOperation(A, MATOP_CREATE_SUBMATRIX, (void (*)(void))create_sub_matrix));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
