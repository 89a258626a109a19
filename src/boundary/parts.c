/* Parts of the mesh that no cell joins: without a label that gives the pressure a part has one of its own, up to a constant. */
#include "boundary/impl.h"
#include "petsc_compat.h"

static PetscInt find(PetscInt *root, PetscInt a)
{
  while (root[a] != a) a = root[a] = root[root[a]];
  return a;
}

/* root[nlocal]: a node of each group of nodes that this rank's cells join. */
static void join_cells(RhxSpace sp, PetscInt *root)
{
  for (PetscInt a = 0; a < sp->nlocal; a++) root[a] = a;
  for (PetscInt k = 0; k < sp->ntypes; k++) {
    const RhxCells *ce = &sp->cells[k];
    for (PetscInt e = 0; e < ce->n; e++) {
      const PetscInt *conn = ce->conn + (e / RHX_LANES) * ce->nn * RHX_LANES + e % RHX_LANES;
      for (PetscInt i = 1; i < ce->nn; i++) root[find(root, conn[i * RHX_LANES])] = find(root, conn[0]);
    }
  }
  for (PetscInt a = 0; a < sp->nlocal; a++) root[a] = find(root, a);
}

/* value[nlocal], whose owned ones are given, becomes the least of its part everywhere. Collective. */
static PetscErrorCode spread_least(RhxSpace sp, const PetscInt *root, PetscInt *value)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)sp->sf);
  PetscInt changed = 1, *before;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sp->nlocal + 1, &before));
  PetscCall(RhxHaloGhosts(sp->halo, MPIU_INT, 1, value));
  while (changed) {
    PetscCall(PetscArraycpy(before, value, sp->nlocal));
    for (PetscInt a = 0; a < sp->nlocal; a++) value[root[a]] = PetscMin(value[root[a]], value[a]);
    for (PetscInt a = 0; a < sp->nlocal; a++) value[a] = value[root[a]];
    PetscCall(RhxHaloReduce(sp->halo, MPIU_INT, 1, MPI_MIN, value));
    PetscCall(RhxHaloGhosts(sp->halo, MPIU_INT, 1, value));
    changed = 0;
    for (PetscInt a = 0; a < sp->nlocal; a++) changed |= before[a] != value[a];
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPIU_INT, MPI_MAX, comm));
  }
  PetscCall(PetscFree(before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* without[nlocal]: 0 where a label other than `but` gives the pressure to the node's part, else 1. */
static PetscErrorCode find_free(RhxBoundary bc, const RhxCondition *but, const PetscInt *root, PetscInt *without)
{
  PetscFunctionBegin;
  for (PetscInt a = 0; a < bc->space->nlocal; a++) without[a] = 1;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxFaces *faces;
    if (&bc->cond[i] == but || !(bc->cond[i].gives & (RHX_TYPE_PRESSURE | RHX_TYPE_OPEN))) continue;
    PetscCall(RhxSpaceGetFaces(bc->space, bc->cond[i].label, &faces));
    for (PetscInt j = 0; j < faces->nnodes; j++) without[faces->node[j]] = 0;
  }
  PetscCall(spread_least(bc->space, root, without));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A velocity finds the pressure at its label where another one gives it: both cannot be given there. Collective. */
static PetscErrorCode check_inlets(RhxBoundary bc, const PetscInt *root, PetscInt *without)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    PetscInt both = 0;
    if (!(c->gives & RHX_TYPE_INWARD) || !(c->gives & RHX_TYPE_PRESSURE)) continue;
    PetscCall(find_free(bc, c, root, without));
    for (PetscInt j = 0; j < c->faces->nnodes; j++) both |= !without[c->faces->node[j]];
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &both, 1, MPIU_INT, MPI_MAX, bc->comm));
    PetscCheck(!both, bc->comm, PETSC_ERR_USER_INPUT,
               "-bc_%s_pressure: got \"%s\" beside the velocity of the %s '%s' in a domain where another label gives "
               "the pressure, so that the velocity finds it; expected one of the two: the velocity, or "
               "-bc_%s_type outlet with the pressure",
               c->label, c->opt->pressure, c->type->entry.name, c->label, c->label);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryCheckParts(RhxBoundary bc)
{
  const RhxSpace sp = bc->space;
  PetscInt *root, *part, *without, n[2] = {0, 0};

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(sp->nlocal + 1, &root, sp->nlocal + 1, &part, sp->nlocal + 1, &without));
  join_cells(sp, root);
  for (PetscInt a = 0; a < sp->nlocal; a++) part[a] = PETSC_MAX_INT;
  for (PetscInt a = 0; a < sp->nowned; a++) part[a] = sp->rstart + a;
  PetscCall(spread_least(sp, root, part));
  PetscCall(check_inlets(bc, root, without));
  PetscCall(find_free(bc, NULL, root, without));
  for (PetscInt a = 0; a < sp->nowned; a++) {
    if (part[a] != sp->rstart + a) continue;
    n[0]++;
    n[1] += without[a];
  }
  PetscCall(PetscFree3(root, part, without));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 2, MPIU_INT, MPI_SUM, bc->comm));
  PetscCheck(
      n[0] < 2 || !n[1], bc->comm, PETSC_ERR_USER_INPUT,
      "the mesh has %" PetscInt_FMT " parts that no cell joins, and %" PetscInt_FMT
      " of them no label that gives the pressure, which they have up to a constant each: expected one part (in "
      "Gmsh, `Coherence;` or BooleanFragments joins those that touch), or on each part a label such as an outlet",
      n[0], n[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
