/* The elements near a label, on rank 0. */
#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"

/* near[nlocal] > 0 at the nodes of elements that have a node where flag > 0. */
static PetscErrorCode widen(RhxSpace sp, const PetscScalar *flag, PetscScalar *near)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(near, sp->nlocal));
  for (PetscInt t = 0; t < sp->ntypes; t++) {
    const RhxCells *ce = &sp->cells[t];
    for (PetscInt e = 0; e < ce->n; e++) {
      const PetscInt *conn = ce->conn + (size_t)(e / RHX_LANES) * ce->nn * RHX_LANES + e % RHX_LANES;
      PetscBool touches = PETSC_FALSE;
      for (PetscInt a = 0; a < ce->nn; a++) touches = (PetscBool)(touches || flag[conn[a * RHX_LANES]] > 0);
      for (PetscInt a = 0; touches && a < ce->nn; a++) near[conn[a * RHX_LANES]] = 1;
    }
  }
  PetscCall(RhxSpaceReduce(sp, 1, near));
  PetscCall(RhxSpaceGlobalToLocal(sp, 1, near, near));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill_cell(RhxSpace sp, const RhxCells *ce, PetscInt e, const PetscScalar *x, RhxWallCell *cell)
{
  const size_t group = e / RHX_LANES, lane = e % RHX_LANES;
  PetscFunctionBegin;
  cell->n = ce->nn;
  for (PetscInt a = 0; a < ce->nn; a++) {
    PetscInt local = ce->conn[(group * ce->nn + a) * RHX_LANES + lane], global;
    PetscCall(ISLocalToGlobalMappingApply(sp->l2g, 1, &local, &global));
    cell->node[a] = global;
    for (PetscInt d = 0; d < sp->dim; d++) {
      cell->x[a][d] = ce->x[((group * ce->nn + a) * sp->dim + d) * RHX_LANES + lane];
      cell->u[a][d] = x[(size_t)local * sp->bs + RHX_CORE_VELOCITY + d];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements with a node where near > 0. */
static PetscErrorCode local_cells(RhxSpace sp, const PetscScalar *near, const PetscScalar *x, PetscInt *n,
                                  RhxWallCell **cell)
{
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
        if (pass) PetscCall(fill_cell(sp, ce, e, x, *cell + k));
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

PetscErrorCode RhxWallCells(RhxForm form, const char *label, Vec x, PetscInt *n, RhxWallCell **cell)
{
  RhxSpace sp = form->space;
  const RhxFaces *faces;
  const PetscScalar *g;
  PetscScalar *ring[2], *local;
  RhxWallCell *mine;
  PetscInt nmine = 0;

  PetscFunctionBegin;
  PetscCall(RhxSpaceGetFaces(sp, label, &faces));
  PetscCall(PetscCalloc3(sp->nlocal, ring, sp->nlocal, ring + 1, (size_t)sp->nlocal * sp->bs, &local));
  for (PetscInt i = 0; i < faces->nnodes; i++) ring[0][faces->node[i]] = 1;
  PetscCall(RhxSpaceGlobalToLocal(sp, 1, ring[0], ring[0]));
  for (int k = 0; k < RHX_WALL_RINGS - 1; k++) PetscCall(widen(sp, ring[k % 2], ring[(k + 1) % 2]));
  PetscCall(VecGetArrayRead(x, &g));
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, g, local));
  PetscCall(VecRestoreArrayRead(x, &g));
  PetscCall(local_cells(sp, ring[(RHX_WALL_RINGS - 1) % 2], local, &nmine, &mine));
  PetscCall(RhxWallGather(form->comm, nmine, sizeof(*mine), mine, n, cell));
  PetscCall(PetscFree(mine));
  PetscCall(PetscFree3(ring[0], ring[1], local));
  PetscFunctionReturn(PETSC_SUCCESS);
}
