/* The shear at a wall, n.(grad u + grad u^T) for n into the fluid, to second order (a wall may move and bend): about a wall
 * node the nodal velocities of two rings of elements (three, where two do not do) are fitted by a cubic polynomial of s
 * along the wall and n across, without n^3: with weights 1/distance^2 that is close to the one-sided difference over three
 * nodes on a structured mesh. Quadratic velocities are met exactly. */
#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"
#include <petscblaslapack.h>

#define MAX_POINTS 1024
#define MAX_TERMS 20
#define MAX_WORK 32768

/* Nodes about a wall node, itself first: offsets from it and velocities less its own. */
typedef struct {
  PetscInt n, node[MAX_POINTS]; /* numbers in the map */
  double d[MAX_POINTS][3], u[MAX_POINTS][3];
  double A[MAX_POINTS * MAX_TERMS], B[MAX_POINTS * 3], work[MAX_WORK];
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
    for (int d = 0; d < 3; d++) {
      patch->d[patch->n][d] = patch->d[p][d] + cell->x[a][d] - cell->x[at][d];
      patch->u[patch->n][d] = patch->u[p][d] + cell->u[a][d] - cell->u[at][d];
    }
    map->place[k] = patch->n;
    patch->node[patch->n++] = k;
  }
}

static PetscErrorCode make_patch(Map *map, PetscInt global, int rings, PetscInt number, Patch *patch)
{
  PetscInt begin = 0;

  PetscFunctionBegin;
  PetscCall(PetscFindInt(global, map->n, map->global, patch->node));
  for (int d = 0; d < 3; d++) patch->d[0][d] = patch->u[0][d] = 0;
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
    for (int i = 0; i < 3; i++) patch->B[p + i * m] = weight * patch->u[p + 1][i];
  }
  for (int k = 0; k < v->n; k++) {
    scale[k] = most[v->group[k]];
    for (PetscInt p = 0; p < m && scale[k] > 0; p++) patch->A[p + k * m] /= scale[k];
  }
}

/* slope = d u/d n + sum over the tangents t of t (d u/d s . n), from the fit's linear terms; false if the patch does not
 * determine every term. */
static PetscErrorCode fit(int dim, int order, Patch *patch, const double *normal, double slope[3],
                          PetscBool *determined)
{
  double t[2][3], scale[MAX_TERMS], sigma[MAX_TERMS], rcond = 1e-3;
  Terms v;
  PetscBLASInt m = (PetscBLASInt)patch->n - 1, n, nrhs = 3, rank, lwork = MAX_WORK, info;

  PetscFunctionBegin;
  *determined = PETSC_FALSE;
  find_terms(dim, order, 0.0, (double[]){0, 0}, &v);
  n = v.n;
  if (m < n) PetscFunctionReturn(PETSC_SUCCESS);
  RhxWallTangents(dim, normal, t);
  fill_rows(dim, order, normal, t, patch, &v, scale);
  LAPACKgelss_(&m, &n, &nrhs, patch->A, &m, patch->B, &m, sigma, &rcond, &rank, patch->work, &lwork, &info);
  if (info || rank < n) PetscFunctionReturn(PETSC_SUCCESS);
  for (int d = 0; d < 3; d++) slope[d] = patch->B[d * m] / scale[0];
  for (int i = 0; i < dim - 1; i++) {
    double inwards = 0;
    for (int d = 0; d < dim; d++) inwards -= patch->B[1 + i + d * m] / scale[1 + i] * normal[d];
    for (int d = 0; d < dim; d++) slope[d] += inwards * t[i][d];
  }
  *determined = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallSlopes(const RhxWallMesh *w, PetscInt n, const RhxWallCell *cell, double (*slope)[3])
{
  Map map;
  Patch *patch;
  PetscInt number = 0;

  PetscFunctionBegin;
  PetscCall(make_map(n, cell, &map));
  PetscCall(PetscNew(&patch));
  for (PetscInt i = 0; i < w->nentries; i++) {
    PetscBool determined = PETSC_FALSE;
    for (int order = 4; order > 0 && !determined; order--)
      for (int rings = 2; rings <= RHX_WALL_RINGS && !determined; rings++) {
        PetscCall(make_patch(&map, w->number[w->e[i].node], rings, number++, patch));
        PetscCall(fit((int)w->dim, order, patch, w->e[i].normal, slope[i], &determined));
      }
    PetscCheck(determined, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "The velocity's slope at a wall node is not determined by its %" PetscInt_FMT
               " neighbours: refine the mesh",
               patch->n - 1);
  }
  PetscCall(PetscFree(patch));
  PetscCall(PetscFree6(map.global, map.start, map.cell, map.node, map.place, map.seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}
