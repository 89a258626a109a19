#include "form/host/ghost_rows.h"
#include "petsc_compat.h"
#include "space/route.h"

struct RhxGhostRows_s {
  RhxSpace space; /* borrowed */
  PetscInt rows, columns, n, room;
  PetscInt *last;                  /* [ghosts] last block of a row, or -1 */
  PetscInt *ghost, *node, *before; /* [room] of a block: ghost, local node, the block before it in its row */
  PetscScalar *value;              /* [room][rows][columns] */
};

PetscErrorCode RhxGhostRowsCreate(RhxSpace sp, PetscInt rows, PetscInt columns, RhxGhostRows *ghosts)
{
  const PetscInt n = sp->nlocal - sp->nowned;
  RhxGhostRows g;
  PetscFunctionBegin;
  PetscCall(PetscNew(&g));
  g->space = sp;
  g->rows = rows;
  g->columns = columns;
  PetscCall(PetscMalloc1(n, &g->last));
  for (PetscInt k = 0; k < n; k++) g->last[k] = -1;
  *ghosts = g;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxGhostRows *ghosts)
{
  RhxGhostRows g = *ghosts;
  PetscFunctionBegin;
  PetscCall(PetscFree(g->last));
  PetscCall(PetscFree(g->ghost));
  PetscCall(PetscFree(g->node));
  PetscCall(PetscFree(g->before));
  PetscCall(PetscFree(g->value));
  PetscCall(PetscFree(*ghosts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode grow(RhxGhostRows g)
{
  PetscFunctionBegin;
  g->room = g->room ? 2 * g->room : 8 * (g->space->nlocal - g->space->nowned);
  PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)g->room, &g->ghost));
  PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)g->room, &g->node));
  PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)g->room, &g->before));
  PetscCall(PetscRealloc(sizeof(PetscScalar) * (size_t)g->room * g->rows * g->columns, &g->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The block of a ghost and a node, zero at first. */
static PetscErrorCode find(RhxGhostRows g, PetscInt ghost, PetscInt node, PetscScalar **block)
{
  const size_t size = (size_t)g->rows * g->columns;
  PetscInt k = g->last[ghost];
  PetscFunctionBegin;
  while (k >= 0 && g->node[k] != node) k = g->before[k];
  if (k < 0) {
    if (g->n == g->room) PetscCall(grow(g));
    k = g->n++;
    g->ghost[k] = ghost;
    g->node[k] = node;
    g->before[k] = g->last[ghost];
    g->last[ghost] = k;
    PetscCall(PetscArrayzero(g->value + size * k, size));
  }
  *block = g->value + size * k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGhostRowsAdd(RhxGhostRows g, PetscInt i, PetscInt n, const PetscInt *node, const PetscScalar *k)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; b < n; b++) {
    PetscScalar *to = NULL;
    PetscCall(find(g, i - g->space->nowned, node[b], &to));
    for (PetscInt r = 0; r < g->rows; r++)
      for (PetscInt c = 0; c < g->columns; c++) *to++ += k[(r * n + b) * g->columns + c];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_block(void *A, PetscInt row, PetscInt column, const PetscScalar *block)
{
  PetscFunctionBegin;
  PetscCall(MatSetValuesBlocked(A, 1, &row, 1, &column, block, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGhostRowsEnd(RhxGhostRows *ghosts, Mat A)
{
  const RhxGhostRows g = *ghosts;
  PetscMPIInt ranks;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(g->space->comm, &ranks));
  if (ranks > 1)
    PetscCall(RhxSpaceSendBlocks(g->space, g->n, g->ghost, g->node, g->rows * g->columns, g->value, add_block, A));
  PetscCall(destroy(ghosts));
  PetscFunctionReturn(PETSC_SUCCESS);
}
