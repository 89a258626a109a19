/* Element tables in lane groups, and face tables of the boundary labels. */
#include "space/diameter.h"
#include "space/face.h"
#include "space/impl.h"
#include <kernels/geometry.h>

/* Types of the cells of all ranks, the same order everywhere. */
static PetscErrorCode find_types(RhxSpace space, RhxCellTable *t)
{
  int here[DM_NUM_POLYTOPES] = {0}, anywhere[DM_NUM_POLYTOPES];
  PetscInt index[DM_NUM_POLYTOPES];

  PetscFunctionBegin;
  for (PetscInt c = 0; c < t->n; c++) here[t->type[c]] = 1;
  PetscCallMPI(MPI_Allreduce(here, anywhere, DM_NUM_POLYTOPES, MPI_INT, MPI_MAX, space->comm));
  for (PetscInt k = 0; k < DM_NUM_POLYTOPES; k++) space->ntypes += anywhere[k];
  PetscCall(PetscCalloc1(space->ntypes, &space->cells));
  PetscCall(PetscCalloc1(space->ntypes, &space->element));
  space->ntypes = 0;
  for (PetscInt k = 0; k < DM_NUM_POLYTOPES; k++) {
    if (!anywhere[k]) continue;
    index[k] = space->ntypes;
    PetscCall(RhxElementSetUp((DMPolytopeType)k, &space->element[space->ntypes++]));
  }
  for (PetscInt c = 0; c < t->n; c++) {
    t->kind[c] = index[t->type[c]];
    space->cells[t->kind[c]].n++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One cell into its lane. */
static void fill_lane(RhxSpace space, const RhxCellTable *t, PetscInt nn, PetscInt cell, PetscInt lane, PetscInt *conn,
                      PetscReal *x)
{
  for (PetscInt a = 0; a < nn; a++) {
    const PetscInt k = cell * RHX_MAX_NODES + a, v = t->vertex[k];
    const PetscReal *from = t->xc ? t->xc + (size_t)k * space->dim : t->x + (size_t)v * space->dim;

    conn[a * RHX_LANES + lane] = space->vertex_node[v];
    for (PetscInt d = 0; d < space->dim; d++) x[(a * space->dim + d) * RHX_LANES + lane] = from[d];
  }
}

/* Lane groups of n cells, the tail repeating the last. */
static PetscErrorCode fill_groups(RhxSpace space, const RhxCellTable *t, PetscInt nn, PetscInt n, const PetscInt *cell,
                                  PetscInt ngroups, PetscInt **conn, PetscReal **x)
{
  const PetscInt width = nn * RHX_LANES;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(ngroups * width, conn));
  PetscCall(PetscMalloc1(ngroups * width * space->dim, x));
  for (PetscInt e = 0; e < ngroups * RHX_LANES; e++) {
    const PetscInt g = e / RHX_LANES;
    fill_lane(space, t, nn, cell[PetscMin(e, n - 1)], e % RHX_LANES, *conn + g * width, *x + g * width * space->dim);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_type(RhxSpace space, RhxCellTable *t, PetscInt kind)
{
  const RhxElement *el = &space->element[kind];
  RhxCells *cells = &space->cells[kind];
  PetscInt *key, n = 0;

  PetscFunctionBegin;
  cells->type = el->type;
  cells->nn = el->nn;
  cells->nq = el->nq;
  cells->axisymmetric = space->axisymmetric;
  cells->w = el->w;
  cells->N = el->N;
  cells->dN = el->dN;
  cells->ngroups = (cells->n + RHX_LANES - 1) / RHX_LANES;
  PetscCall(PetscArraycpy(cells->metric, el->metric, 9));
  PetscCall(PetscMalloc1(cells->n, &cells->cell));
  PetscCall(PetscMalloc1(cells->n, &key));
  for (PetscInt c = 0; c < t->n; c++) {
    if (t->kind[c] != kind) continue;
    key[n] = PETSC_MAX_INT;
    for (PetscInt a = 0; a < el->nn; a++)
      key[n] = PetscMin(key[n], space->vertex_node[t->vertex[c * RHX_MAX_NODES + a]]);
    cells->cell[n++] = c;
  }
  PetscCall(PetscSortIntWithArray(n, key, cells->cell));
  PetscCall(PetscFree(key));
  for (PetscInt e = 0; e < n; e++) t->element[cells->cell[e]] = e;
  PetscCall(fill_groups(space, t, el->nn, n, cells->cell, cells->ngroups, &cells->conn, &cells->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceSetUpCells(RhxSpace space, RhxCellTable *t)
{
  PetscFunctionBegin;
  PetscCall(find_types(space, t));
  for (PetscInt k = 0; k < space->ntypes; k++) PetscCall(set_up_type(space, t, k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_group(RhxSpace space, const RhxCellTable *t, PetscInt id, PetscInt n, PetscInt *cell,
                                   PetscInt *face, RhxFaceGroup *group)
{
  const RhxElement *el = &space->element[id / RHX_MAX_SIDES];
  const RhxSide *side = &el->side[id % RHX_MAX_SIDES];
  PetscInt *key;

  PetscFunctionBegin;
  group->type = el->type;
  group->side = id % RHX_MAX_SIDES;
  group->nn = el->nn;
  group->axisymmetric = space->axisymmetric;
  group->nfn = side->nn;
  group->nfq = side->nq;
  group->n = n;
  group->ngroups = (n + RHX_LANES - 1) / RHX_LANES;
  group->w = side->w;
  group->N = side->N;
  group->dN = side->dN;
  group->metric = el->metric;
  PetscCall(PetscArraycpy(group->fnode, side->node, 4));
  PetscCall(PetscArraycpy(group->tangent, side->tangent, 6));
  PetscCall(PetscMalloc1(n, &key));
  for (PetscInt k = 0; k < n; k++) key[k] = t->element[cell[k]];
  PetscCall(PetscSortIntWithArrayPair(n, key, cell, face));
  PetscCall(PetscFree(key));
  PetscCall(PetscMalloc1(n, &group->face));
  PetscCall(PetscArraycpy(group->face, face, n));
  PetscCall(fill_groups(space, t, el->nn, n, cell, group->ngroups, &group->conn, &group->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_groups(RhxSpace space, const RhxCellTable *t, IS is, RhxFaces *faces)
{
  const PetscInt *point;
  PetscInt *face, *cell, *group, n;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(is, &n));
  PetscCall(ISGetIndices(is, &point));
  PetscCall(PetscMalloc3(n, &face, n, &cell, n, &group));
  for (PetscInt k = 0; k < n; k++) {
    face[k] = point[k];
    cell[k] = point[k] / RHX_MAX_SIDES;
    group[k] = t->kind[cell[k]] * RHX_MAX_SIDES + point[k] % RHX_MAX_SIDES;
  }
  PetscCall(ISRestoreIndices(is, &point));
  PetscCall(PetscSortIntWithArrayPair(n, group, cell, face));
  for (PetscInt k = 0; k < n; k++) faces->ngroups += !k || group[k] != group[k - 1];
  PetscCall(PetscCalloc1(faces->ngroups, &faces->group));
  for (PetscInt i = 0, j, g = 0; i < n; i = j, g++) {
    for (j = i; j < n && group[j] == group[i]; j++) {
    }
    PetscCall(set_up_group(space, t, group[i], j - i, cell + i, face + i, &faces->group[g]));
  }
  PetscCall(PetscFree3(face, cell, group));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* place[k]: of local node k among the nodes of the faces. */
static PetscErrorCode find_places(RhxFaces *faces, const PetscInt *place)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt g = 0; g < faces->ngroups; g++) n += faces->group[g].n * faces->group[g].nfn;
  PetscCall(PetscMalloc1(n, &faces->at));
  n = 0;
  for (PetscInt g = 0; g < faces->ngroups; g++)
    for (PetscInt f = 0; f < faces->group[g].n; f++)
      for (PetscInt a = 0; a < faces->group[g].nfn; a++)
        faces->at[n++] = place[RhxFaceParentNode(&faces->group[g], f, faces->group[g].fnode[a])];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Owned nodes on the faces of all ranks, and ghosts on those of this one. */
static PetscErrorCode set_up_nodes(RhxSpace space, RhxFaces *faces)
{
  PetscInt *on, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(space->nlocal, &on));
  for (PetscInt g = 0; g < faces->ngroups; g++)
    for (PetscInt f = 0; f < faces->group[g].n; f++)
      for (PetscInt a = 0; a < faces->group[g].nfn; a++)
        on[RhxFaceParentNode(&faces->group[g], f, faces->group[g].fnode[a])] = 1;
  PetscCall(RhxHaloReduce(space->halo, MPIU_INT, 1, MPI_MAX, on));
  for (PetscInt k = 0; k < space->nlocal; k++) n += on[k];
  PetscCall(PetscMalloc1(n, &faces->node));
  n = 0;
  for (PetscInt k = 0; k < space->nlocal; k++) {
    if (k == space->nowned) faces->nnodes = n;
    if (!on[k]) continue;
    on[k] = n;
    faces->node[n++] = k;
  }
  if (space->nlocal == space->nowned) faces->nnodes = n;
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, faces->node, PETSC_USE_POINTER, &faces->nodes));
  PetscCall(find_places(faces, on));
  PetscCall(PetscFree(on));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceSetUpFaces(RhxSpace space, const RhxCellTable *t)
{
  const char *const *names;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetLabels(space->mesh, &space->nlabels, &names));
  PetscCall(PetscCalloc1(space->nlabels, &space->faces));
  for (PetscInt k = 0; k < space->nlabels; k++) {
    IS is;

    PetscCall(PetscStrncpy(space->faces[k].label, names[k], sizeof(space->faces[k].label)));
    PetscCall(RhxMeshGetLabelFaces(space->mesh, names[k], &is));
    PetscCall(set_up_groups(space, t, is, &space->faces[k]));
    PetscCall(ISDestroy(&is));
    PetscCall(set_up_nodes(space, &space->faces[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Squares of the smallest and the largest distance of two nodes of element e, m^2. */
static void find_distances(const RhxCells *cells, PetscInt dim, PetscInt e, PetscReal range[2])
{
  const PetscReal *x = cells->x + (size_t)(e / RHX_LANES) * cells->nn * dim * RHX_LANES + e % RHX_LANES;

  range[0] = PETSC_MAX_REAL;
  range[1] = 0.0;
  for (PetscInt a = 1; a < cells->nn; a++)
    for (PetscInt b = 0; b < a; b++) {
      PetscReal sum = 0.0;
      for (PetscInt i = 0; i < dim; i++) sum += PetscSqr(x[(a * dim + i) * RHX_LANES] - x[(b * dim + i) * RHX_LANES]);
      range[0] = PetscMin(range[0], sum);
      range[1] = PetscMax(range[1], sum);
    }
}

PetscReal RhxCellDiameter(const RhxCells *cells, PetscInt dim, PetscInt e)
{
  PetscReal range[2];

  find_distances(cells, dim, e, range);
  return PetscSqrtReal(range[1]);
}

PetscReal RhxCellShortest(const RhxCells *cells, PetscInt dim, PetscInt e)
{
  PetscReal range[2];

  find_distances(cells, dim, e, range);
  return PetscSqrtReal(range[0]);
}

PetscReal RhxCellThickness(const RhxCells *cells, PetscInt dim, PetscInt e, PetscReal centre[3])
{
  const PetscReal *x = cells->x + (size_t)(e / RHX_LANES) * cells->nn * dim * RHX_LANES + e % RHX_LANES;
  double J[3][3] = {{0}}, Ji[3][3], g[3][3], most = 0.0;

  for (PetscInt i = 0; i < 3; i++) centre[i] = 0.0;
  for (PetscInt a = 0; a < cells->nn; a++)
    for (PetscInt i = 0; i < dim; i++) {
      centre[i] += x[(a * dim + i) * RHX_LANES] / cells->nn;
      for (PetscInt j = 0; j < dim; j++) J[i][j] += x[(a * dim + i) * RHX_LANES] * cells->dN[a * dim + j];
    }
  (void)rhx_invert((int)dim, J, Ji);
  (void)rhx_metric((int)dim, cells->nn == dim + 1, Ji, cells->metric, 1.0, g);
  for (PetscInt i = 0; i < dim; i++) {
    double row = 0.0;
    for (PetscInt j = 0; j < dim; j++) row += PetscAbsReal(g[i][j]);
    most = PetscMax(most, row);
  }
  return 2.0 / PetscSqrtReal(most);
}
