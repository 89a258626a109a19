/* The shear at a wall, n.(grad u + grad u^T) for n into the fluid, to second order (a wall may move and bend): about a wall
 * node the nodal velocities of two rings of elements (three, where two do not do) are fitted by a cubic polynomial of s
 * along the wall and n across, without n^3: with weights 1/distance^2 that is close to the one-sided difference over three
 * nodes on a structured mesh. Quadratic velocities are met exactly. The fit is linear in the velocities: what each counts for follows
 * from the geometry and is found once. */
#include "diagnostics/near_impl.h"
#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"
#include <petscblaslapack.h>

#define MAX_POINTS 1024
#define MAX_TERMS 20
#define MAX_WORK 32768
#define POOR 1e-3 /* least singular value of a fit over its largest */

/* Nodes about a wall node, itself first. */
typedef struct {
  PetscInt n, node[MAX_POINTS];                     /* numbers in the map */
  double d[MAX_POINTS][3], row[MAX_POINTS];         /* offsets from it; weights of rows of the fit */
  double A[MAX_POINTS * MAX_TERMS], work[MAX_WORK]; /* rows without the first node */
  double weight[MAX_POINTS][3]; /* what a velocity counts for in its slope across the wall and along tangents */
} Patch;

/* Cells by node: those of node k are cell[start[k]] ... */
typedef struct {
  const RhxWallCell *cells;
  PetscInt n, *global, *start, *cell;
  PetscInt (*node)[8]; /* [cells] numbers of a cell's nodes */
  PetscInt *place;     /* [n] in the patch at hand, -1: not there */
  PetscInt *seen;      /* [cells] number of the last patch that took it */
} Map;

static PetscErrorCode make_map(PetscInt n, const RhxWallCell *cell, Map *map)
{
  PetscInt total = 0, *of, *id;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < n; c++) total += (PetscInt)cell[c].n;
  PetscCall(PetscMalloc2(total, &of, total, &id));
  total = 0;
  for (PetscInt c = 0; c < n; c++)
    for (int a = 0; a < cell[c].n; a++) {
      id[total] = (PetscInt)cell[c].node[a];
      of[total++] = 8 * c + a;
    }
  PetscCall(PetscSortIntWithArray(total, id, of));
  map->cells = cell;
  PetscCall(PetscMalloc6(total, &map->global, total + 1, &map->start, total, &map->cell, n, &map->node, total,
                         &map->place, n, &map->seen));
  map->n = 0;
  for (PetscInt k = 0; k < total; k++) {
    if (!k || id[k] != id[k - 1]) {
      map->global[map->n] = id[k];
      map->place[map->n] = -1;
      map->start[map->n++] = k;
    }
    map->cell[k] = of[k] / 8;
    map->node[of[k] / 8][of[k] % 8] = map->n - 1;
  }
  map->start[map->n] = total;
  for (PetscInt c = 0; c < n; c++) map->seen[c] = -1;
  PetscCall(PetscFree2(of, id));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the nodes of cell c, which holds node p of the patch. */
static void add_cell(Map *map, PetscInt c, PetscInt p, Patch *patch)
{
  const RhxWallCell *cell = map->cells + c;
  int at = 0;

  while (map->node[c][at] != patch->node[p]) at++;
  for (int a = 0; a < cell->n && patch->n < MAX_POINTS; a++) {
    const PetscInt k = map->node[c][a];
    if (map->place[k] >= 0) continue;
    for (int d = 0; d < 3; d++) patch->d[patch->n][d] = patch->d[p][d] + cell->x[a][d] - cell->x[at][d];
    map->place[k] = patch->n;
    patch->node[patch->n++] = k;
  }
}

static PetscErrorCode make_patch(Map *map, PetscInt global, int rings, PetscInt number, Patch *patch)
{
  PetscInt begin = 0;

  PetscFunctionBegin;
  PetscCall(PetscFindInt(global, map->n, map->global, patch->node));
  for (int d = 0; d < 3; d++) patch->d[0][d] = 0;
  map->place[patch->node[0]] = 0;
  patch->n = 1;
  for (int ring = 0; ring < rings; ring++) {
    const PetscInt end = patch->n;
    for (PetscInt p = begin; p < end; p++)
      for (PetscInt i = map->start[patch->node[p]]; i < map->start[patch->node[p] + 1]; i++) {
        const PetscInt c = map->cell[i];
        if (map->seen[c] == number) continue;
        map->seen[c] = number;
        add_cell(map, c, p, patch);
      }
    begin = end;
  }
  for (PetscInt p = 0; p < patch->n; p++) map->place[patch->node[p]] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products of the same powers of n and s, which another choice of tangents turns among themselves. */
enum { ACROSS, ALONG, ACROSS_2, MIXED, ALONG_2, MIXED_3, ACROSS_2_ALONG, ALONG_3, NGROUPS };

typedef struct {
  int n, group[MAX_TERMS];
  double value[MAX_TERMS];
} Terms;

static void add(Terms *v, int group, double value)
{
  v->group[v->n] = group;
  v->value[v->n++] = value;
}

/* Terms without the constant; the first is n, then s. order 1: linear, 2: quadratic, 3: with s^2 n, 4: cubic less n^3. Mixed products by
 * the root of how often they occur, so that what turns a group is orthogonal. */
static void find_terms(int dim, int order, double n, const double *s, Terms *v)
{
  const int ns = dim - 1;
  const double two = sqrt(2.0), three = sqrt(3.0);

  v->n = 0;
  add(v, ACROSS, n);
  for (int i = 0; i < ns; i++) add(v, ALONG, s[i]);
  if (order >= 2) add(v, ACROSS_2, n * n);
  for (int i = 0; order >= 2 && i < ns; i++) {
    add(v, MIXED, n * s[i]);
    for (int j = i; j < ns; j++) add(v, ALONG_2, (j > i ? two : 1.0) * s[i] * s[j]);
  }
  for (int i = 0; order >= 3 && i < ns; i++)
    for (int j = i; j < ns; j++) add(v, MIXED_3, (j > i ? two : 1.0) * s[i] * s[j] * n);
  for (int i = 0; order >= 4 && i < ns; i++) {
    add(v, ACROSS_2_ALONG, n * n * s[i]);
    for (int j = i; j < ns; j++)
      for (int l = j; l < ns; l++) add(v, ALONG_3, (l > i ? three : 1.0) * s[i] * s[j] * s[l]);
  }
}

/* Weighted rows of the fit, columns scaled by the largest values of their groups: what is judged of the rank does not depend on the
 * tangents. A node at the same place has no say. */
static void fill_rows(int dim, int order, const double *normal, double t[2][3], Patch *patch, Terms *v, double *scale)
{
  const PetscInt m = patch->n - 1;
  double most[NGROUPS] = {0};

  for (PetscInt p = 0; p < m; p++) {
    const double *d = patch->d[p + 1];
    double across = 0, s[2], weight = 0, square[NGROUPS] = {0};
    RhxWallAlong(t, d, s);
    for (int i = 0; i < dim; i++) {
      across -= d[i] * normal[i];
      weight += d[i] * d[i];
    }
    weight = weight > 0 ? 1 / weight : 0;
    find_terms(dim, order, across, s, v);
    for (int k = 0; k < v->n; k++) {
      patch->A[p + k * m] = weight * v->value[k];
      square[v->group[k]] += PetscSqr(weight * v->value[k]);
    }
    for (int g = 0; g < NGROUPS; g++) most[g] = PetscMax(most[g], sqrt(square[g]));
    patch->row[p] = weight;
  }
  for (int k = 0; k < v->n; k++) {
    scale[k] = most[v->group[k]];
    for (PetscInt p = 0; p < m && scale[k] > 0; p++) patch->A[p + k * m] /= scale[k];
  }
}

/* Smallest over largest singular value of R, the upper triangle of A[m][n]. */
static PetscErrorCode find_rank(PetscBLASInt m, PetscBLASInt n, Patch *patch, double *least)
{
  const PetscBLASInt one = 1, lwork = MAX_WORK;
  double R[MAX_TERMS * MAX_TERMS], sigma[MAX_TERMS], unused;
  PetscBLASInt info;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < n; j++)
    for (PetscInt i = 0; i < n; i++) R[j * n + i] = i <= j ? patch->A[j * m + i] : 0;
  LAPACKgesvd_("N", "N", &n, &n, R, &n, sigma, &unused, &one, &unused, &one, patch->work, &lwork, &info);
  *least = info ? 0 : sigma[n - 1] / sigma[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Weights of the fit's linear terms, the first rows of the pseudo-inverse R^-1 Q^T; false if the patch does not determine every term. */
static PetscErrorCode fit(int dim, int order, Patch *patch, const double *normal, PetscBool *determined)
{
  double t[2][3], scale[MAX_TERMS], tau[MAX_TERMS], z[MAX_TERMS * 3] = {0}, least;
  const PetscBLASInt m = (PetscBLASInt)patch->n - 1, nz = dim, lwork = MAX_WORK;
  PetscBLASInt n, info;
  Terms v;

  PetscFunctionBegin;
  *determined = PETSC_FALSE;
  find_terms(dim, order, 0.0, (double[]){0, 0}, &v);
  n = v.n;
  if (m < n) PetscFunctionReturn(PETSC_SUCCESS);
  RhxWallTangents(dim, normal, t);
  fill_rows(dim, order, normal, t, patch, &v, scale);
  LAPACKgeqrf_(&m, &n, patch->A, &m, tau, patch->work, &lwork, &info);
  PetscCall(find_rank(m, n, patch, &least));
  if (!(least > POOR)) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < dim; k++) z[k * n + k] = 1 / scale[k];
  LAPACKtrtrs_("U", "T", "N", &n, &nz, patch->A, &m, z, &n, &info);
  LAPACKorgqr_(&m, &n, &n, patch->A, &m, tau, patch->work, &lwork, &info);
  PetscCall(PetscArrayzero(patch->weight, patch->n));
  for (PetscInt p = 0; p < m; p++)
    for (int k = 0; k < dim; k++) {
      for (PetscInt j = 0; j < n; j++) patch->weight[p + 1][k] += patch->row[p] * patch->A[j * m + p] * z[k * n + j];
      patch->weight[0][k] -= patch->weight[p + 1][k];
    }
  *determined = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fit_entry(const RhxWallMesh *w, PetscInt i, Map *map, PetscInt *number, Patch *patch)
{
  PetscBool determined = PETSC_FALSE;

  PetscFunctionBegin;
  for (int order = 4; order > 0 && !determined; order--)
    for (int rings = 2; rings <= RHX_WALL_RINGS && !determined; rings++) {
      PetscCall(make_patch(map, w->number[w->e[i].node], rings, (*number)++, patch));
      PetscCall(fit((int)w->dim, order, patch, w->e[i].normal, &determined));
    }
  PetscCheck(determined, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "The velocity's slope at a wall node is not determined by its %" PetscInt_FMT
             " neighbours: refine the mesh",
             patch->n - 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the velocity of each node of the map stands among the n that are gathered. */
static PetscErrorCode find_sent(const Map *map, PetscInt n, const double *number, PetscInt **sent)
{
  PetscInt at;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(map->n, sent));
  for (PetscInt k = 0; k < map->n; k++) (*sent)[k] = -1;
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(PetscFindInt((PetscInt)number[i], map->n, map->global, &at));
    if (at >= 0) (*sent)[at] = i;
  }
  for (PetscInt k = 0; k < map->n; k++)
    PetscCheck((*sent)[k] >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "a node near the wall is sent by no rank");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On rank 0. number[n]: of the nodes that are gathered. */
static PetscErrorCode make_fit(const RhxWallMesh *w, PetscInt ncells, const RhxWallCell *cell, PetscInt n,
                               const double *number, RhxWallFit *f)
{
  PetscSegBuffer at, weight;
  PetscInt *sent, *to, count = 0;
  double(*weights)[3];
  Patch *patch;
  Map map;

  PetscFunctionBegin;
  PetscCall(make_map(ncells, cell, &map));
  PetscCall(find_sent(&map, n, number, &sent));
  PetscCall(PetscNew(&patch));
  PetscCall(PetscMalloc1(w->nentries + 1, &f->start));
  PetscCall(PetscSegBufferCreate(sizeof(*to), 1024, &at));
  PetscCall(PetscSegBufferCreate(sizeof(*weights), 1024, &weight));
  f->start[0] = 0;
  for (PetscInt i = 0; i < w->nentries; i++) {
    PetscCall(fit_entry(w, i, &map, &count, patch));
    f->start[i + 1] = f->start[i] + patch->n;
    PetscCall(PetscSegBufferGetInts(at, patch->n, &to));
    for (PetscInt p = 0; p < patch->n; p++) to[p] = sent[patch->node[p]];
    PetscCall(PetscSegBufferGet(weight, patch->n, &weights));
    PetscCall(PetscArraycpy(weights, patch->weight, patch->n));
  }
  PetscCall(PetscSegBufferExtractAlloc(at, &f->at));
  PetscCall(PetscSegBufferExtractAlloc(weight, &f->weight));
  PetscCall(PetscSegBufferDestroy(&at));
  PetscCall(PetscSegBufferDestroy(&weight));
  PetscCall(PetscFree(patch));
  PetscCall(PetscFree(sent));
  PetscCall(PetscFree6(map.global, map.start, map.cell, map.node, map.place, map.seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's nodes near the wall. */
static PetscErrorCode list_mine(RhxSpace space, const char *label, RhxWallFit *f)
{
  PetscScalar *ring;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(space->nowned, &f->mine));
  PetscCall(PetscMalloc1(space->nlocal, &ring));
  PetscCall(RhxMarkRings(space, label, RHX_WALL_RINGS, ring));
  for (PetscInt i = 0; i < space->nowned; i++)
    if (ring[i] > 0) f->mine[f->nmine++] = i;
  PetscCall(PetscFree(ring));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallFitCreate(RhxForm form, RhxWallMesh *w)
{
  const RhxSpace space = form->space;
  RhxWallFit *f = &w->fit;
  double *mine, *number;
  PetscInt n, ncells;
  RhxWallCell *cell;

  PetscFunctionBegin;
  f->made = PETSC_TRUE;
  PetscCall(list_mine(space, w->faces->label, f));
  PetscCall(PetscMalloc1(f->nmine, &mine));
  for (PetscInt i = 0; i < f->nmine; i++) mine[i] = (double)space->natural[f->mine[i]];
  PetscCall(RhxWallGather(form->comm, f->nmine, sizeof(*mine), mine, &n, &number));
  PetscCall(RhxWallCells(form, w->faces->label, &ncells, &cell));
  if (w->nfaces) PetscCall(make_fit(w, ncells, cell, n, number, f));
  PetscCall(PetscFree(mine));
  PetscCall(PetscFree(number));
  PetscCall(PetscFree(cell));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallFitDestroy(RhxWallFit *f)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(f->mine));
  PetscCall(PetscFree(f->start));
  PetscCall(PetscFree(f->at));
  PetscCall(PetscFree(f->weight));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* slope = d u/d n + sum over the tangents t of t (d u/d s . n) of the velocities of an entry's patch. */
static void add_up(const RhxWallMesh *w, PetscInt i, const double (*u)[3], double slope[3])
{
  const RhxWallFit *f = &w->fit;
  const double *normal = w->e[i].normal;
  double t[2][3], inwards[2] = {0};

  RhxWallTangents((int)w->dim, normal, t);
  for (int d = 0; d < 3; d++) slope[d] = 0;
  for (PetscInt p = f->start[i]; p < f->start[i + 1]; p++) {
    const double *v = u[f->at[p]];
    double out = 0;
    for (PetscInt d = 0; d < w->dim; d++) out += v[d] * normal[d];
    for (int d = 0; d < 3; d++) slope[d] += f->weight[p][0] * v[d];
    for (PetscInt k = 0; k < w->dim - 1; k++) inwards[k] -= f->weight[p][1 + k] * out;
  }
  for (PetscInt k = 0; k < w->dim - 1; k++)
    for (PetscInt d = 0; d < w->dim; d++) slope[d] += inwards[k] * t[k][d];
}

PetscErrorCode RhxWallSlopes(RhxForm form, const RhxWallMesh *w, const PetscScalar *x, double (**slope)[3])
{
  const RhxSpace space = form->space;
  const PetscInt first = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  double(*mine)[3], (*all)[3];
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(w->fit.nmine, &mine));
  for (PetscInt i = 0; i < w->fit.nmine; i++) {
    const PetscScalar *node = x + (size_t)w->fit.mine[i] * space->bs;
    for (PetscInt d = 0; d < space->dim; d++) mine[i][d] = node[first + d];
    if (form->swirl >= 0) mine[i][2] = node[form->first_scalar + form->swirl];
  }
  PetscCall(RhxWallGather(form->comm, w->fit.nmine, sizeof(*mine), mine, &n, &all));
  PetscCall(PetscMalloc1(w->nentries, slope));
  for (PetscInt i = 0; i < w->nentries; i++) add_up(w, i, (const double(*)[3])all, (*slope)[i]);
  PetscCall(PetscFree(mine));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}
