/* The elements near a label, on rank 0. */
#include "diagnostics/near_impl.h"
#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"
#include <stdlib.h>

static void fill_cell(RhxForm form, const RhxCells *ce, PetscInt e, RhxWallCell *cell)
{
  const RhxSpace sp = form->space;
  const size_t group = e / RHX_LANES, lane = e % RHX_LANES;
  cell->n = ce->nn;
  for (PetscInt a = 0; a < ce->nn; a++) {
    const PetscInt local = ce->conn[(group * ce->nn + a) * RHX_LANES + lane];
    cell->node[a] = sp->natural[local];
    for (PetscInt d = 0; d < sp->dim; d++)
      cell->x[a][d] = ce->x[((group * ce->nn + a) * sp->dim + d) * RHX_LANES + lane];
  }
}

/* Elements with a node where near > 0. */
static PetscErrorCode local_cells(RhxForm form, const PetscScalar *near, PetscInt *n, RhxWallCell **cell)
{
  const RhxSpace sp = form->space;
  PetscFunctionBegin;
  *cell = NULL;
  for (int pass = 0; pass < 2; pass++) { /* count, then fill */
    PetscInt k = 0;
    for (PetscInt t = 0; t < sp->ntypes; t++) {
      const RhxCells *ce = &sp->cells[t];
      for (PetscInt e = 0; e < ce->n; e++) {
        const PetscInt *conn = ce->conn + (size_t)(e / RHX_LANES) * ce->nn * RHX_LANES + e % RHX_LANES;
        PetscBool touches = PETSC_FALSE;
        for (PetscInt a = 0; a < ce->nn; a++) touches = (PetscBool)(touches || near[conn[a * RHX_LANES]] > 0);
        if (!touches) continue;
        if (pass) fill_cell(form, ce, e, *cell + k);
        k++;
      }
    }
    if (!pass) {
      PetscCall(PetscCalloc1(k, cell));
      *n = k;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int compare_cells(const void *a, const void *b)
{
  const RhxWallCell *p = a, *q = b;
  for (int i = 0; i < 8; i++)
    if (p->node[i] != q->node[i]) return p->node[i] < q->node[i] ? -1 : 1;
  return 0;
}

/* In an order that no partition changes: of the images of a node across a short period a patch takes the first. */
PetscErrorCode RhxWallCells(RhxForm form, const char *label, PetscInt *n, RhxWallCell **cell)
{
  PetscScalar *ring;
  RhxWallCell *mine;
  PetscInt nmine = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(form->space->nlocal, &ring));
  PetscCall(RhxMarkRings(form->space, label, RHX_WALL_RINGS - 1, ring));
  PetscCall(local_cells(form, ring, &nmine, &mine));
  PetscCall(RhxWallGather(form->comm, nmine, sizeof(*mine), mine, n, cell));
  if (*n) qsort(*cell, *n, sizeof(**cell), compare_cells);
  PetscCall(PetscFree(mine));
  PetscCall(PetscFree(ring));
  PetscFunctionReturn(PETSC_SUCCESS);
}
