#include "petsc_compat.h"
#include "scheme/colours_impl.h"

/* Nodes, and which ones the rows of each reach, itself among them. */
typedef struct {
  PetscInt n, *first;    /* [n + 1] rows */
  PetscInt *node;        /* [rows] */
  PetscInt *start, *end; /* [n + 1], [start[n]] */
} Graph;

/* begins[r]: not within an inode, which PETSc's factors on the host need in one piece. */
static PetscErrorCode spare_inodes(Mat A, PetscInt rows, PetscBool *begins)
{
  PetscInt n = 0, *size = NULL, row = 0;
  PetscFunctionBegin;
  PetscCall(MatInodeGetInodeSizes(A, &n, &size, NULL));
  if (!n || !size) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt next = size[0] ? row + size[k] : size[k + 1]; /* sizes, since PETSc 3.22 where they begin */
    for (PetscInt r = row + 1; r < next; r++) begins[r] = PETSC_FALSE;
    row = next;
  }
  PetscCheck(row == rows, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Inodes have %" PetscInt_FMT " rows of %" PetscInt_FMT, row,
             rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_nodes(Mat A, PetscInt rows, Graph *g)
{
  PetscInt bs;
  PetscBool *begins;
  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(PetscMalloc1(rows, &begins));
  for (PetscInt r = 0; r < rows; r++) begins[r] = (PetscBool)(r % bs == 0);
  PetscCall(spare_inodes(A, rows, begins));
  PetscCall(PetscMalloc1(rows + 1, &g->first));
  PetscCall(PetscMalloc1(rows, &g->node));
  g->n = 0;
  for (PetscInt r = 0; r < rows; r++) {
    if (begins[r]) g->first[g->n++] = r;
    g->node[r] = g->n - 1;
  }
  g->first[g->n] = rows;
  PetscCall(PetscFree(begins));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* end NULL: counts. */
static void join_rows(const PetscInt *row, const PetscInt *column, PetscInt *mark, Graph *g)
{
  for (PetscInt i = 0; i < g->n; i++) mark[i] = -1;
  g->start[0] = 0;
  for (PetscInt i = 0; i < g->n; i++) {
    PetscInt at = g->start[i];
    for (PetscInt k = row[g->first[i]]; k < row[g->first[i + 1]]; k++) {
      const PetscInt j = g->node[column[k]];
      if (mark[j] == i) continue;
      mark[j] = i;
      if (g->end) g->end[at] = j;
      at++;
    }
    g->start[i + 1] = at;
  }
}

static PetscErrorCode make_graph(Mat A, Graph *g)
{
  const PetscInt *row, *column;
  PetscInt rows, *mark;
  MatType type;
  PetscBool done;
  PetscFunctionBegin;
  PetscCall(MatGetType(A, &type));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &row, &column, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "-pc_factor_mat_ordering_type " RHX_ORDERING_COLOURS2 ": got a matrix of type %s, expected one on the "
             "host or the device whose rows PETSc can list, such as aij",
             type);
  PetscCall(find_nodes(A, rows, g));
  PetscCall(PetscMalloc1(g->n + 1, &g->start));
  PetscCall(PetscMalloc1(g->n, &mark));
  g->end = NULL;
  join_rows(row, column, mark, g);
  PetscCall(PetscMalloc1(g->start[g->n], &g->end));
  join_rows(row, column, mark, g);
  PetscCall(PetscFree(mark));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &row, &column, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_graph(Graph *g)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(g->first));
  PetscCall(PetscFree(g->node));
  PetscCall(PetscFree(g->start));
  PetscCall(PetscFree(g->end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first colour that no node within two edges of i has; taken[c] == i: one has c. */
static PetscInt free_colour(const Graph *g, PetscInt i, const PetscInt *colour, PetscInt *taken)
{
  PetscInt c = 0;
  for (PetscInt k = g->start[i]; k < g->start[i + 1]; k++) {
    const PetscInt j = g->end[k];
    for (PetscInt l = g->start[j]; l < g->start[j + 1]; l++)
      if (colour[g->end[l]] >= 0) taken[colour[g->end[l]]] = i;
  }
  while (taken[c] == i) c++;
  return c;
}

/* order[k]: the node that comes k-th. */
static PetscErrorCode sort_by_colours(const Graph *g, PetscInt *order)
{
  PetscInt *colour, *taken, *next;
  PetscFunctionBegin;
  PetscCall(PetscMalloc3(g->n, &colour, g->n + 1, &taken, g->n + 1, &next));
  for (PetscInt i = 0; i < g->n; i++) colour[i] = -1;
  for (PetscInt i = 0; i <= g->n; i++) taken[i] = -1;
  PetscCall(PetscArrayzero(next, g->n + 1));
  for (PetscInt i = 0; i < g->n; i++) next[1 + (colour[i] = free_colour(g, i, colour, taken))]++;
  for (PetscInt c = 0; c < g->n; c++) next[c + 1] += next[c];
  for (PetscInt i = 0; i < g->n; i++) order[next[colour[i]]++] = i;
  PetscCall(PetscFree3(colour, taken, next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* row, column: [rows of A] which of its rows comes first, second, ...; the same twice */
static PetscErrorCode order_rows(Mat A, MatOrderingType type, IS *row, IS *column)
{
  PetscInt *order, *index, n = 0;
  Graph g;
  PetscFunctionBegin;
  (void)type;
  PetscCall(make_graph(A, &g));
  PetscCall(PetscMalloc1(g.n, &order));
  PetscCall(sort_by_colours(&g, order));
  PetscCall(PetscMalloc1(g.first[g.n], &index));
  for (PetscInt k = 0; k < g.n; k++)
    for (PetscInt r = g.first[order[k]]; r < g.first[order[k] + 1]; r++) index[n++] = r;
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, index, PETSC_COPY_VALUES, row));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, index, PETSC_OWN_POINTER, column));
  PetscCall(PetscFree(order));
  PetscCall(free_graph(&g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxColoursRegister(void)
{
  PetscFunctionBegin;
  PetscCall(MatOrderingRegister(RHX_ORDERING_COLOURS2, order_rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}
