/* The shear at a wall, n.(grad u + grad u^T) for n into the fluid, to second order (a wall may move and bend): in a patch of elements about a wall node the nodal velocities are fitted
 * by a quadratic polynomial and the terms s^2 n (s along the wall, n across), which keep the slope free to bend along the
 * wall; on a structured mesh that is the one-sided difference over three nodes. Quadratic velocities are met exactly. */
#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"
#include <petscblaslapack.h>

/* ---- On every rank: elements near the label ---- */

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

static PetscErrorCode fill_cell(RhxSpace sp, const RhxCells *ce, PetscInt e, const PetscScalar *wall,
                                const PetscScalar *x, RhxWallCell *cell)
{
  const size_t group = e / RHX_LANES, lane = e % RHX_LANES;
  PetscFunctionBegin;
  cell->n = ce->nn;
  for (PetscInt a = 0; a < ce->nn; a++) {
    PetscInt local = ce->conn[(group * ce->nn + a) * RHX_LANES + lane], global;
    PetscCall(ISLocalToGlobalMappingApply(sp->l2g, 1, &local, &global));
    cell->node[a] = global;
    cell->wall[a] = wall[local];
    for (PetscInt d = 0; d < sp->dim; d++) {
      cell->x[a][d] = ce->x[((group * ce->nn + a) * sp->dim + d) * RHX_LANES + lane];
      cell->u[a][d] = x[(size_t)local * sp->bs + d];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode local_cells(RhxSpace sp, const PetscScalar *wall, const PetscScalar *near, const PetscScalar *x,
                                  PetscInt *n, RhxWallCell **cell)
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
        if (pass) PetscCall(fill_cell(sp, ce, e, wall, x, *cell + k));
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
  PetscScalar *wall, *near, *local;
  RhxWallCell *mine;
  PetscInt nmine = 0;

  PetscFunctionBegin;
  PetscCall(RhxSpaceGetFaces(sp, label, &faces));
  PetscCall(PetscCalloc3(sp->nlocal, &wall, sp->nlocal, &near, (size_t)sp->nlocal * sp->bs, &local));
  for (PetscInt i = 0; i < faces->nnodes; i++) wall[faces->node[i]] = 1;
  PetscCall(RhxSpaceGlobalToLocal(sp, 1, wall, wall));
  PetscCall(widen(sp, wall, near));
  PetscCall(VecGetArrayRead(x, &g));
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, g, local));
  PetscCall(VecRestoreArrayRead(x, &g));
  PetscCall(local_cells(sp, wall, near, local, &nmine, &mine));
  PetscCall(RhxWallGather(form->comm, nmine, sizeof(*mine), mine, n, cell));
  PetscCall(PetscFree(mine));
  PetscCall(PetscFree3(wall, near, local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- On rank 0: a fit about each entry ---- */

#define MAX_POINTS 512
#define MAX_TERMS 12

/* Nodes about a wall node: offsets from it and velocities less its own. */
typedef struct {
  PetscInt n, id[MAX_POINTS];
  double d[MAX_POINTS][3], u[MAX_POINTS][3];
} Patch;

/* Cells by node: those of node k are cell[start[k]] ... of the sorted global numbers `node`. */
typedef struct {
  PetscInt n, *node, *start, *cell;
} CellsOfNode;

static PetscErrorCode cells_of_nodes(PetscInt n, const RhxWallCell *cell, CellsOfNode *map)
{
  PetscInt total = 0, *pair, *id;
  PetscFunctionBegin;
  for (PetscInt c = 0; c < n; c++) total += (PetscInt)cell[c].n;
  PetscCall(PetscMalloc2(total, &pair, total, &id));
  total = 0;
  for (PetscInt c = 0; c < n; c++)
    for (int a = 0; a < cell[c].n; a++) {
      id[total] = (PetscInt)cell[c].node[a];
      pair[total++] = c;
    }
  PetscCall(PetscSortIntWithArray(total, id, pair));
  PetscCall(PetscMalloc3(total, &map->node, total + 1, &map->start, total, &map->cell));
  map->n = 0;
  for (PetscInt k = 0; k < total; k++) {
    if (!k || id[k] != id[k - 1]) {
      map->node[map->n] = id[k];
      map->start[map->n++] = k;
    }
    map->cell[k] = pair[k];
  }
  map->start[map->n] = total;
  PetscCall(PetscFree2(pair, id));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int place_of(const RhxWallCell *cell, PetscInt node)
{
  for (int a = 0; a < cell->n; a++)
    if ((PetscInt)cell->node[a] == node) return a;
  return -1;
}

/* Adds the nodes of a cell whose node `at` lies at offset `from` from the wall node. */
static void add_cell(const RhxWallCell *cell, int at, const double *from, const double *u0, Patch *patch)
{
  for (int a = 0; a < cell->n; a++) {
    PetscInt k = 0;
    while (k < patch->n && patch->id[k] != (PetscInt)cell->node[a]) k++;
    if (k < patch->n || patch->n == MAX_POINTS) continue;
    patch->id[k] = (PetscInt)cell->node[a];
    for (int d = 0; d < 3; d++) {
      patch->d[k][d] = from[d] + cell->x[a][d] - cell->x[at][d];
      patch->u[k][d] = cell->u[a][d] - u0[d];
    }
    patch->n++;
  }
}

/* The cells of the wall node and those that share `shared` of their nodes off the wall: dim are a face, 1 is any touch. */
static PetscErrorCode make_patch(const CellsOfNode *map, const RhxWallCell *cell, PetscInt node, int shared,
                                 Patch *patch)
{
  const double zero[3] = {0, 0, 0};
  const double *u0 = NULL;
  PetscInt k, m, ninner, outer[MAX_POINTS], touches[MAX_POINTS], nouter = 0;
  PetscFunctionBegin;
  patch->n = 0;
  PetscCall(PetscFindInt(node, map->n, map->node, &k));
  for (PetscInt i = map->start[k]; i < map->start[k + 1]; i++) {
    const RhxWallCell *ce = cell + map->cell[i];
    const int at = place_of(ce, node);
    if (!u0) u0 = ce->u[at];
    add_cell(ce, at, zero, u0, patch);
  }
  ninner = patch->n;
  for (PetscInt p = 0; p < ninner; p++) { /* cells by how many inner nodes off the wall they hold */
    PetscCall(PetscFindInt(patch->id[p], map->n, map->node, &m));
    for (PetscInt i = map->start[m]; i < map->start[m + 1]; i++) {
      const PetscInt c = map->cell[i];
      PetscInt o = 0;
      if (cell[c].wall[place_of(cell + c, patch->id[p])] > 0) continue;
      while (o < nouter && outer[o] != c) o++;
      if (o == nouter && nouter < MAX_POINTS) {
        outer[nouter] = c;
        touches[nouter++] = 0;
      }
      if (o < nouter) touches[o]++;
    }
  }
  for (PetscInt o = 0; o < nouter; o++)
    if (touches[o] >= shared)
      for (PetscInt p = 0; p < ninner; p++) {
        const int at = place_of(cell + outer[o], patch->id[p]);
        if (at < 0) continue;
        add_cell(cell + outer[o], at, patch->d[p], u0, patch);
        break;
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Terms without the constant; the first is n. order 1: linear, 2: quadratic, 3: with s^2 n. */
static int terms(int dim, int order, double n, const double *s, double *v)
{
  const int ns = dim - 1;
  int k = 0;
  v[k++] = n;
  for (int i = 0; i < ns; i++) v[k++] = s[i];
  if (order >= 2) {
    v[k++] = n * n;
    for (int i = 0; i < ns; i++) {
      v[k++] = n * s[i];
      for (int j = i; j < ns; j++) v[k++] = s[i] * s[j];
    }
  }
  if (order >= 3)
    for (int i = 0; i < ns; i++)
      for (int j = i; j < ns; j++) v[k++] = s[i] * s[j] * n;
  return k;
}

/* Two unit vectors across the normal. */
static void tangents(int dim, const double *n, double t[2][3])
{
  const int k = fabs(n[0]) < 0.6 ? 0 : 1;
  double e[3] = {0, 0, 0}, size = 0;
  if (dim == 2) {
    t[0][0] = -n[1];
    t[0][1] = n[0];
    t[0][2] = 0;
    return;
  }
  e[k] = 1;
  for (int i = 0; i < 3; i++) t[0][i] = n[(i + 1) % 3] * e[(i + 2) % 3] - n[(i + 2) % 3] * e[(i + 1) % 3];
  for (int i = 0; i < 3; i++) size += t[0][i] * t[0][i];
  for (int i = 0; i < 3; i++) t[0][i] /= sqrt(size);
  for (int i = 0; i < 3; i++) t[1][i] = n[(i + 1) % 3] * t[0][(i + 2) % 3] - n[(i + 2) % 3] * t[0][(i + 1) % 3];
}

/* slope = d u/d n + sum over the tangents t of t (d u/d s . n), from the fit's linear terms; false if the patch does not
 * determine every term. Terms are scaled by their largest value. */
static PetscErrorCode fit(int dim, int order, const Patch *patch, const double *normal, double slope[3],
                          PetscBool *determined)
{
  double A[MAX_POINTS * MAX_TERMS], B[MAX_POINTS * 3], t[2][3], v[MAX_TERMS], scale[MAX_TERMS] = {0}, sigma[MAX_TERMS],
                                                                              work[4096], rcond = 1e-6;
  PetscBLASInt m = (PetscBLASInt)patch->n - 1, n, nrhs = 3, lda = m, ldb, rank, lwork = 4096, info;
  PetscInt row = 0;
  PetscFunctionBegin;
  tangents(dim, normal, t);
  n = terms(dim, order, 0.0, (double[]){0, 0}, v);
  *determined = PETSC_FALSE;
  if (m < n) PetscFunctionReturn(PETSC_SUCCESS);
  ldb = m;
  for (PetscInt p = 0; p < patch->n; p++) {
    double across = 0, s[2] = {0, 0}, size = 0;
    for (int d = 0; d < dim; d++) {
      across -= patch->d[p][d] * normal[d];
      for (int i = 0; i < dim - 1; i++) s[i] += patch->d[p][d] * t[i][d];
      size += patch->d[p][d] * patch->d[p][d];
    }
    if (!(size > 0)) continue; /* the wall node itself */
    terms(dim, order, across, s, v);
    for (int k = 0; k < n; k++) {
      A[row + k * lda] = v[k];
      scale[k] = PetscMax(scale[k], PetscAbsReal(v[k]));
    }
    for (int d = 0; d < 3; d++) B[row + d * ldb] = d < dim ? patch->u[p][d] : 0;
    row++;
  }
  if (row != m) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < n; k++) {
    if (!(scale[k] > 0)) PetscFunctionReturn(PETSC_SUCCESS);
    for (PetscInt r = 0; r < m; r++) A[r + k * lda] /= scale[k];
  }
  LAPACKgelss_(&m, &n, &nrhs, A, &lda, B, &ldb, sigma, &rcond, &rank, work, &lwork, &info);
  if (info || rank < n) PetscFunctionReturn(PETSC_SUCCESS);
  for (int d = 0; d < 3; d++) slope[d] = B[d * ldb] / scale[0];
  for (int i = 0; i < dim - 1; i++) {
    double inwards = 0;
    for (int d = 0; d < dim; d++) inwards -= B[1 + i + d * ldb] / scale[1 + i] * normal[d];
    for (int d = 0; d < dim; d++) slope[d] += inwards * t[i][d];
  }
  *determined = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallSlopes(const RhxWallMesh *w, PetscInt n, const RhxWallCell *cell, double (*slope)[3])
{
  const int dim = (int)w->dim;
  CellsOfNode map;
  Patch *patch;

  PetscFunctionBegin;
  PetscCall(cells_of_nodes(n, cell, &map));
  PetscCall(PetscNew(&patch));
  for (PetscInt i = 0; i < w->nentries; i++) {
    PetscBool determined = PETSC_FALSE;
    for (int order = 3; order > 0 && !determined; order--) /* the near patch, then the wide one, then fewer terms */
      for (int shared = dim; shared > 0 && !determined; shared -= dim - 1) {
        PetscCall(make_patch(&map, cell, w->global[w->e[i].node], shared, patch));
        PetscCall(fit(dim, order, patch, w->e[i].normal, slope[i], &determined));
      }
    PetscCheck(determined, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "The velocity's slope at a wall node is not determined by its %" PetscInt_FMT
               " neighbours: refine the mesh",
               patch->n - 1);
  }
  PetscCall(PetscFree(patch));
  PetscCall(PetscFree3(map.node, map.start, map.cell));
  PetscFunctionReturn(PETSC_SUCCESS);
}
