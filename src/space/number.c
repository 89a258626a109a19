/* Node numbers: owned nodes in an order of good locality, then ghosts by owner. */
#include "space/impl.h"

/* Owner rank and owner's vertex of every local vertex that another rank owns; rank -1: owned here. */
static PetscErrorCode find_owners(RhxSpace space, PetscInt nvertices, PetscMPIInt *owner)
{
  DM dm;
  PetscSF sf;
  PetscInt n, vStart, vEnd;
  const PetscInt *leaf;
  const PetscSFNode *remote;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetDM(space->mesh, &dm));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  PetscCall(DMGetPointSF(dm, &sf));
  for (PetscInt v = 0; v < nvertices; v++) owner[v] = -1;
  PetscCall(PetscSFGetGraph(sf, NULL, &n, &leaf, &remote));
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt p = leaf ? leaf[k] : k;
    if (p >= vStart && p < vEnd) owner[p - vStart] = (PetscMPIInt)remote[k].rank;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mean distance of the numbers of a cell's owned nodes. */
static double spread(const RhxCellTable *t, const PetscInt *node)
{
  double sum = 0;

  for (PetscInt c = 0; c < t->n; c++) {
    PetscInt lo = PETSC_MAX_INT, hi = -1;
    for (PetscInt a = 0; a < RHX_MAX_NODES && t->vertex[c * RHX_MAX_NODES + a] >= 0; a++) {
      const PetscInt k = node[t->vertex[c * RHX_MAX_NODES + a]];
      if (k < 0) continue;
      lo = PetscMin(lo, k);
      hi = PetscMax(hi, k);
    }
    if (hi >= 0) sum += hi - lo;
  }
  return t->n ? sum / t->n : 0;
}

/* Numbers the owned vertices: as in the mesh's own order, or by Cuthill-McKee where that is clearly better. */
static PetscErrorCode number_owned(RhxSpace space, const RhxCellTable *t, const PetscMPIInt *owner)
{
  const PetscInt *natural;
  PetscInt *key, *owned, *order, n = 0;
  PetscBool reorder;
  double before;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetVertices(space->mesh, &natural, NULL));
  PetscCall(RhxMeshGetReorder(space->mesh, &reorder));
  PetscCall(PetscMalloc3(t->nvertices, &key, t->nvertices, &owned, t->nvertices, &order));
  for (PetscInt v = 0; v < t->nvertices; v++) {
    space->vertex_node[v] = -1;
    if (owner[v] >= 0) continue;
    key[n] = natural[v];
    owned[n++] = v;
  }
  space->nowned = n;
  PetscCall(PetscSortIntWithArray(n, key, owned));
  for (PetscInt k = 0; k < n; k++) space->vertex_node[owned[k]] = k;
  if (reorder) {
    before = spread(t, space->vertex_node);
    PetscCall(RhxSpaceReorder(t, n, owned, order));
    for (PetscInt k = 0; k < n; k++) space->vertex_node[order[k]] = k;
    if (spread(t, space->vertex_node) > 0.9 * before)
      for (PetscInt k = 0; k < n; k++) space->vertex_node[owned[k]] = k;
  }
  PetscCall(PetscFree3(key, owned, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The owner's node number of every vertex. */
static PetscErrorCode share_numbers(RhxSpace space, PetscInt nvertices, PetscInt *number)
{
  DM dm;
  PetscSF sf;
  PetscInt pStart, pEnd, vStart, vEnd, nroots;
  PetscInt *point;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetDM(space->mesh, &dm));
  PetscCall(DMPlexGetChart(dm, &pStart, &pEnd));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  PetscCall(DMGetPointSF(dm, &sf));
  PetscCall(PetscSFGetGraph(sf, &nroots, NULL, NULL, NULL));
  PetscCall(PetscMalloc1(pEnd - pStart, &point));
  for (PetscInt p = pStart; p < pEnd; p++)
    point[p - pStart] = p >= vStart && p < vEnd ? space->vertex_node[p - vStart] : -1;
  if (nroots >= 0) {
    PetscCall(PetscSFBcastBegin(sf, MPIU_INT, point, point, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(sf, MPIU_INT, point, point, MPI_REPLACE));
  }
  PetscCall(PetscArraycpy(number, point + vStart - pStart, nvertices));
  PetscCall(PetscFree(point));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the ghosts by (owner, owner's number) and makes the SF. */
static PetscErrorCode number_ghosts(RhxSpace space, PetscInt nvertices, const PetscMPIInt *owner,
                                    const PetscInt *number)
{
  PetscInt n = 0, *rank, *index, *ghost, *leaf;
  PetscSFNode *remote;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < nvertices; v++) n += owner[v] >= 0;
  PetscCall(PetscMalloc3(n, &rank, n, &index, n, &ghost));
  PetscCall(PetscMalloc1(n, &leaf));
  PetscCall(PetscMalloc1(n, &remote));
  n = 0;
  for (PetscInt v = 0; v < nvertices; v++) {
    if (owner[v] < 0) continue;
    rank[n] = owner[v];
    index[n] = number[v];
    ghost[n++] = v;
  }
  PetscCall(PetscSortIntWithArrayPair(n, rank, index, ghost));
  for (PetscInt i = 0, j; i < n; i = j) {
    for (j = i; j < n && rank[j] == rank[i]; j++) {
    }
    PetscCall(PetscSortIntWithArray(j - i, index + i, ghost + i));
  }
  for (PetscInt k = 0; k < n; k++) {
    leaf[k] = space->nowned + k;
    remote[k].rank = rank[k];
    remote[k].index = index[k];
    space->vertex_node[ghost[k]] = space->nowned + k;
  }
  space->nlocal = space->nowned + n;
  PetscCall(PetscFree3(rank, index, ghost));
  PetscCall(PetscSFCreate(space->comm, &space->sf));
  PetscCall(PetscSFSetGraph(space->sf, space->nowned, n, leaf, PETSC_OWN_POINTER, remote, PETSC_OWN_POINTER));
  PetscCall(PetscSFSetUp(space->sf));
  PetscCall(RhxHaloCreate(space->sf, &space->halo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_mapping(RhxSpace space)
{
  PetscInt *global;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&space->nowned, &space->rstart, 1, MPIU_INT, MPI_SUM, space->comm));
  space->rstart -= space->nowned;
  PetscCallMPI(MPI_Allreduce(&space->nowned, &space->nglobal, 1, MPIU_INT, MPI_SUM, space->comm));
  PetscCall(PetscMalloc1(space->nlocal, &global));
  for (PetscInt k = 0; k < space->nowned; k++) global[k] = space->rstart + k;
  PetscCall(RhxHaloGhosts(space->halo, MPIU_INT, 1, global));
  PetscCall(ISLocalToGlobalMappingCreate(space->comm, 1, space->nlocal, global, PETSC_OWN_POINTER, &space->l2g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceNumberNodes(RhxSpace space, const RhxCellTable *t)
{
  const PetscInt *natural;
  const PetscReal *x;
  PetscInt *number;
  PetscMPIInt *owner;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(t->nvertices, &number, t->nvertices, &owner));
  PetscCall(PetscMalloc1(t->nvertices, &space->vertex_node));
  PetscCall(find_owners(space, t->nvertices, owner));
  PetscCall(number_owned(space, t, owner));
  PetscCall(share_numbers(space, t->nvertices, number));
  PetscCall(number_ghosts(space, t->nvertices, owner, number));
  PetscCall(create_mapping(space));
  PetscCall(RhxMeshGetVertices(space->mesh, &natural, &x));
  PetscCall(PetscMalloc1(space->nlocal, &space->natural));
  PetscCall(PetscMalloc1(space->nlocal * space->dim, &space->x));
  for (PetscInt v = 0; v < t->nvertices; v++) {
    const PetscInt k = space->vertex_node[v];
    space->natural[k] = natural[v];
    PetscCall(PetscArraycpy(space->x + k * space->dim, x + v * space->dim, space->dim));
  }
  PetscCall(PetscFree2(number, owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}
