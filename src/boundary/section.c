#include "boundary/profile_impl.h"
#include "boundary/section_impl.h"
#include "boundary/sliding_impl.h"
#include "space/face.h"
#define RHX_AXES 2
#include "kernels/geometry.h"

enum {
  CORNER = 6,
  FACE = 4 * CORNER
}; /* numbers sent: node, flags, wall, position; node -1 for a corner that is not there */

/* Of local nodes: the flags of all other conditions, and one more than the number of the wall that holds them, [nlocal][2]. Collective. */
static PetscErrorCode look_beside(RhxBoundary bc, const RhxCondition *c, PetscScalar **beside)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(2 * bc->space->nlocal, beside));
  for (PetscInt k = 0; k < bc->ncond; k++) {
    const RhxCondition *other = &bc->cond[k];
    for (PetscInt j = 0; j < other->faces->nnodes && other != c; j++) {
      PetscScalar *to = *beside + 2 * (size_t)other->faces->node[j];
      const PetscInt holds = (PetscInt)PetscRealPart(to[1]) - 1;
      to[0] = (PetscScalar)((unsigned)PetscRealPart(to[0]) | other->type->flags);
      if (!(other->type->flags & RHX_TYPE_NO_SLIP)) continue;
      if (holds < 0 || other->type->priority < bc->cond[holds].type->priority) to[1] = (PetscScalar)(k + 1);
    }
  }
  PetscCall(RhxSpaceGlobalToLocal(bc->space, 2, *beside, *beside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's faces as they are sent. */
static PetscErrorCode own_faces(RhxBoundary bc, const RhxCondition *c, PetscInt *n, PetscReal **rows)
{
  const PetscInt dim = bc->space->dim, *global;
  PetscScalar *beside;
  PetscInt total = 0;

  PetscFunctionBegin;
  PetscCall(look_beside(bc, c, &beside));
  for (PetscInt k = 0; k < c->faces->ngroups; k++) total += c->faces->group[k].n;
  PetscCall(PetscCalloc1(total * FACE + 1, rows));
  PetscCall(ISLocalToGlobalMappingGetIndices(bc->space->l2g, &global));
  *n = 0;
  for (PetscInt k = 0; k < c->faces->ngroups; k++) {
    const RhxFaceGroup *g = &c->faces->group[k];
    for (PetscInt f = 0; f < g->n; f++, (*n)++)
      for (PetscInt a = 0; a < 4; a++) {
        PetscReal *to = *rows + *n * FACE + a * CORNER;
        to[0] = -1;
        if (a >= g->nfn) continue;
        const PetscInt node = RhxFaceParentNode(g, f, g->fnode[a]);
        to[0] = (PetscReal)global[node];
        for (PetscInt d = 0; d < 2; d++) to[1 + d] = PetscRealPart(beside[2 * node + d]);
        for (PetscInt d = 0; d < dim; d++)
          to[3 + d] = g->x[((f / RHX_LANES * g->nn + g->fnode[a]) * dim + d) * RHX_LANES + f % RHX_LANES];
      }
  }
  PetscCall(ISLocalToGlobalMappingRestoreIndices(bc->space->l2g, &global));
  PetscCall(PetscFree(beside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes numbered in the order of their global numbers. */
static PetscErrorCode number_nodes(RhxSection s, const PetscReal *rows)
{
  PetscInt *id, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * s->nfaces + 1, &id));
  for (PetscInt i = 0; i < 4 * s->nfaces; i++)
    if (rows[i * CORNER] >= 0) id[n++] = (PetscInt)rows[i * CORNER];
  PetscCall(PetscSortRemoveDupsInt(&n, id));
  s->nnodes = n;
  PetscCall(PetscMalloc1(2 * n, &s->x));
  PetscCall(PetscCalloc1(n, &s->flags));
  PetscCall(PetscMalloc1(n, &s->wall));
  PetscCall(PetscMalloc1(4 * s->nfaces, &s->node));
  PetscCall(PetscCalloc1(8 * s->nfaces, &s->corner));
  for (PetscInt i = 4 * s->nfaces - 1; i >= 0; i--) { /* the first face's place of a periodic node holds */
    const PetscReal *from = rows + i * CORNER;
    s->node[i] = -1;
    if (from[0] < 0) continue;
    PetscCall(PetscFindInt((PetscInt)from[0], n, id, &s->node[i]));
    s->flags[s->node[i]] = (unsigned)from[1];
    s->wall[s->node[i]] = (PetscInt)from[2] - 1;
    for (PetscInt k = 0; k < 2; k++) {
      for (PetscInt d = 0; d < s->dim; d++) s->corner[2 * i + k] += (from[3 + d] - s->origin[d]) * s->axis[k][d];
      s->x[2 * s->node[i] + k] = s->corner[2 * i + k];
    }
  }
  s->id = id;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_around(RhxSection s)
{
  PetscInt *fill;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(s->nnodes + 1, &s->first));
  PetscCall(PetscMalloc1(4 * s->nfaces, &s->around));
  PetscCall(PetscMalloc1(s->nnodes, &fill));
  for (PetscInt i = 0; i < 4 * s->nfaces; i++)
    if (s->node[i] >= 0) s->first[s->node[i] + 1]++;
  for (PetscInt i = 0; i < s->nnodes; i++) {
    s->first[i + 1] += s->first[i];
    fill[i] = s->first[i];
  }
  for (PetscInt i = 0; i < 4 * s->nfaces; i++)
    if (s->node[i] >= 0) s->around[fill[s->node[i]]++] = i / 4;
  PetscCall(PetscFree(fill));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RhxSectionCorners(RhxSection s, PetscInt face)
{
  PetscInt n = 0;
  while (n < 4 && s->node[4 * face + n] >= 0) n++;
  return n;
}

/* N and reference gradients of a line, triangle or quadrilateral of n corners. */
static void functions(PetscInt n, const PetscReal xi[2], PetscReal N[4], PetscReal dN[4][2])
{
  static const PetscReal sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};

  for (PetscInt a = 0; a < n && n < 4; a++) {
    N[a] = a ? xi[a - 1] : 1 - xi[0] - (n == 3 ? xi[1] : 0);
    for (PetscInt k = 0; k < 2; k++) dN[a][k] = a ? k == a - 1 : -1;
  }
  for (PetscInt a = 0; a < n && n == 4; a++) {
    const PetscReal p = 1 + sign[a][0] * xi[0], q = 1 + sign[a][1] * xi[1];
    N[a] = 0.25 * p * q;
    dN[a][0] = 0.25 * sign[a][0] * q;
    dN[a][1] = 0.25 * sign[a][1] * p;
  }
}

/* Place x of the face at xi, J = dx/dxi and its inverse; returns the determinant. A line has a second axis of its own. */
static PetscReal mapping(RhxSection s, PetscInt face, const PetscReal N[4], const PetscReal dN[4][2], PetscReal x[2],
                         PetscReal inverse[2][2])
{
  const PetscInt n = RhxSectionCorners(s, face);
  PetscReal J[2][2] = {{0}};

  x[0] = x[1] = 0;
  for (PetscInt a = 0; a < n; a++)
    for (PetscInt i = 0; i < 2; i++) {
      x[i] += N[a] * s->corner[8 * face + 2 * a + i];
      for (PetscInt k = 0; k < (n == 2 ? 1 : 2); k++) J[i][k] += dN[a][k] * s->corner[8 * face + 2 * a + i];
    }
  if (n == 2) J[1][1] = 1;
  return rhx_invert(2, (const PetscReal(*)[2])J, inverse);
}

PetscBool RhxSectionPoint(RhxSection s, PetscInt face, PetscInt q, PetscReal N[4], PetscReal dN[4][2], PetscReal *area)
{
  static const PetscReal inside[3][2] = {{1. / 6, 1. / 6}, {2. / 3, 1. / 6}, {1. / 6, 2. / 3}};
  const PetscInt n = RhxSectionCorners(s, face);
  const PetscReal g = 0.57735026918962576451;
  PetscReal xi[2] = {0, 0}, reference[4][2], x[2], inverse[2][2];

  if (q >= n) return PETSC_FALSE;
  for (PetscInt k = 0; k < 2; k++)
    xi[k] = n == 3 ? inside[q][k] : n == 2 ? 0.5 * (1 + (q ? g : -g)) : ((k ? q / 2 : q % 2) ? g : -g);
  functions(n, xi, N, reference);
  *area = PetscAbsReal(mapping(s, face, N, (const PetscReal(*)[2])reference, x, inverse)) * (n == 3   ? 1. / 6
                                                                                             : n == 2 ? 0.5
                                                                                                      : 1);
  if (s->axisymmetric) *area *= 2 * PETSC_PI * (s->origin[1] + x[0] * s->axis[0][1]);
  for (PetscInt a = 0; a < n; a++)
    for (PetscInt i = 0; i < 2; i++)
      dN[a][i] = reference[a][0] * inverse[0][i] + (n == 2 ? 0 : reference[a][1] * inverse[1][i]);
  return PETSC_TRUE;
}

/* How far p is outside of a face, of its own size (at most 0: inside), and the functions of its corners there. */
static PetscReal outside(RhxSection s, PetscInt face, const PetscReal p[2], PetscReal N[4])
{
  const PetscInt n = RhxSectionCorners(s, face);
  PetscReal xi[2] = {0, 0}, dN[4][2], x[2], inverse[2][2];

  for (int it = 0; it < (n == 4 ? 12 : 1); it++) {
    PetscReal moved = 0;
    functions(n, xi, N, dN);
    (void)mapping(s, face, N, (const PetscReal(*)[2])dN, x, inverse);
    for (PetscInt k = 0; k < (n == 2 ? 1 : 2); k++) {
      const PetscReal step = inverse[k][0] * (p[0] - x[0]) + inverse[k][1] * (p[1] - x[1]);
      xi[k] += step;
      moved = PetscMax(moved, PetscAbsReal(step));
    }
    if (moved <= PETSC_MACHINE_EPSILON) break;
  }
  functions(n, xi, N, dN);
  if (n == 4) return PetscMax(PetscAbsReal(xi[0]), PetscAbsReal(xi[1])) - 1;
  return -(n == 3 ? PetscMin(N[2], PetscMin(N[0], N[1])) : PetscMin(N[0], N[1]));
}

/* Limits of a face in squares of the grid, a little widened. */
static void squares(RhxSection s, PetscInt face, PetscInt from[2], PetscInt to[2])
{
  for (PetscInt k = 0; k < 2; k++) {
    PetscReal low = PETSC_MAX_REAL, high = PETSC_MIN_REAL;
    for (PetscInt a = 0; a < RhxSectionCorners(s, face); a++) {
      low = PetscMin(low, s->corner[8 * face + 2 * a + k]);
      high = PetscMax(high, s->corner[8 * face + 2 * a + k]);
    }
    from[k] = PetscMax(0, (PetscInt)((low - s->low[k]) / s->width[k] - 1e-3));
    to[k] = PetscMin(s->grid[k] - 1, (PetscInt)((high - s->low[k]) / s->width[k] + 1e-3));
  }
}

static PetscErrorCode fill_grid(RhxSection s)
{
  PetscInt from[2], to[2], *fill, squares_n;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; k++) {
    PetscReal high = PETSC_MIN_REAL;
    s->low[k] = PETSC_MAX_REAL;
    for (PetscInt i = 0; i < 4 * s->nfaces; i++)
      if (s->node[i] >= 0) {
        s->low[k] = PetscMin(s->low[k], s->corner[2 * i + k]);
        high = PetscMax(high, s->corner[2 * i + k]);
      }
    s->grid[k] = s->dim == 2 ? (k ? 1 : s->nfaces) : 1 + (PetscInt)PetscSqrtReal((PetscReal)s->nfaces);
    s->width[k] = s->dim == 2 && k ? 1 : (high - s->low[k]) / (PetscReal)s->grid[k];
  }
  squares_n = s->grid[0] * s->grid[1];
  PetscCall(PetscCalloc1(squares_n + 1, &s->bin));
  PetscCall(PetscCalloc1(squares_n + 1, &fill));
  for (PetscInt pass = 0; pass < 2; pass++) {
    for (PetscInt f = 0; f < s->nfaces; f++) {
      squares(s, f, from, to);
      for (PetscInt j = from[1]; j <= to[1]; j++)
        for (PetscInt i = from[0]; i <= to[0]; i++) {
          const PetscInt k = j * s->grid[0] + i;
          if (pass)
            s->row[fill[k]++] = f;
          else
            s->bin[k + 1]++;
        }
    }
    for (PetscInt k = 0; k < squares_n && !pass; k++) fill[k + 1] = s->bin[k + 1] += s->bin[k];
    if (!pass) PetscCall(PetscMalloc1(s->bin[squares_n] + 1, &s->row));
  }
  PetscCall(PetscFree(fill));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The face that p is in, or nearest to. */
static PetscInt locate(RhxSection s, const PetscReal p[2], PetscReal N[4])
{
  PetscInt k[2], best = -1;
  PetscReal least = PETSC_MAX_REAL, M[4];

  for (PetscInt i = 0; i < 2; i++)
    k[i] = PetscMax(0, PetscMin(s->grid[i] - 1, (PetscInt)((p[i] - s->low[i]) / s->width[i])));
  for (PetscInt all = 0; all < 2 && !(least <= 1e-3); all++) {
    const PetscInt at = k[1] * s->grid[0] + k[0];
    for (PetscInt i = all ? 0 : s->bin[at]; i < (all ? s->nfaces : s->bin[at + 1]); i++) {
      const PetscInt face = all ? i : s->row[i];
      const PetscReal away = outside(s, face, p, M);
      if (!(away < least)) continue;
      least = away;
      best = face;
      for (PetscInt a = 0; a < 4; a++) N[a] = M[a];
    }
  }
  return best;
}

static PetscErrorCode list_places(RhxSection s, PetscInt n, const PetscReal *x, RhxSectionList *list)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(list->x, list->place));
  PetscCall(PetscMalloc2(n * s->dim, &list->x, n, &list->place));
  PetscCall(PetscArraycpy(list->x, x, n * s->dim));
  list->n = n;
  for (PetscInt i = 0; i < n; i++) {
    PetscReal p[2] = {0, 0};
    for (PetscInt k = 0; k < 2; k++)
      for (PetscInt d = 0; d < s->dim; d++) p[k] += (x[i * s->dim + d] - s->origin[d]) * s->axis[k][d];
    list->place[i].face = locate(s, p, list->place[i].N);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSectionLocate(RhxSection s, PetscInt n, const PetscReal *x, const RhxSectionPlace **place)
{
  RhxSectionList found;
  PetscBool same = PETSC_FALSE;
  int at;

  PetscFunctionBegin;
  for (at = 0; at < RHX_SECTION_LISTS && !same; at++)
    if (s->list[at].n == n) PetscCall(PetscArraycmp(s->list[at].x, x, n * s->dim, &same));
  found = s->list[--at];
  if (!same) PetscCall(list_places(s, n, x, &found));
  for (; at > 0; at--) s->list[at] = s->list[at - 1];
  s->list[0] = found;
  *place = found.place;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxSectionEvaluate(RhxSection s, const RhxSectionPlace *place, PetscInt n, const PetscReal *values, PetscReal *v,
                        PetscReal (*gradient)[3])
{
  const PetscReal *N = place->N;

  for (PetscInt c = 0; c < n; c++) {
    PetscReal slope[2] = {0, 0}, value = 0;
    for (PetscInt a = 0; a < RhxSectionCorners(s, place->face); a++) {
      const PetscInt node = s->node[4 * place->face + a];
      value += N[a] * values[node * n + c];
      for (PetscInt i = s->start[node]; i < s->start[node + 1] && gradient; i++)
        for (PetscInt k = 0; k < 2; k++) slope[k] += N[a] * s->weight[2 * i + k] * values[s->at[i] * n + c];
    }
    if (v) v[c] = value;
    for (PetscInt d = 0; d < 3 && gradient; d++) gradient[c][d] = slope[0] * s->axis[0][d] + slope[1] * s->axis[1][d];
  }
}

/* Is the edge from node i to node j one of a single face? */
static PetscBool at_rim(RhxSection s, PetscInt i, PetscInt j)
{
  PetscInt n = 0;
  for (PetscInt k = s->first[i]; k < s->first[i + 1]; k++)
    for (PetscInt a = 0; a < 4; a++) n += s->node[4 * s->around[k] + a] == j;
  return (PetscBool)(n < 2);
}

static PetscErrorCode list_rim(RhxSection s)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(8 * s->nfaces, &s->rim));
  PetscCall(PetscMalloc1(16 * s->nfaces, &s->edge));
  for (PetscInt f = 0; f < s->nfaces && s->dim == 3; f++) {
    const PetscInt n = RhxSectionCorners(s, f);
    for (PetscInt a = 0; a < n; a++) {
      const PetscInt corner[2] = {4 * f + a, 4 * f + (a + 1) % n};
      if (!at_rim(s, s->node[corner[0]], s->node[corner[1]])) continue;
      for (PetscInt k = 0; k < 2; k++) {
        s->rim[2 * s->nrim + k] = s->node[corner[k]];
        PetscCall(PetscArraycpy(s->edge + 4 * s->nrim + 2 * k, s->corner + 2 * corner[k], 2));
      }
      s->nrim++;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Place of the node in the section, -1: it is not there. */
static PetscInt find_node(RhxSection s, PetscInt global)
{
  PetscInt low = 0, high = s->nnodes;

  while (high - low > 1) {
    const PetscInt middle = (low + high) / 2;
    if (global >= s->id[middle])
      low = middle;
    else
      high = middle;
  }
  return high > low && s->id[low] == global ? low : -1;
}

/* Edges of this rank's faces of walls with slip between two nodes of the section: these, as places there, and the wall. */
static PetscErrorCode own_slips(RhxBoundary bc, const RhxCondition *c, RhxSection s, PetscInt *n, PetscReal **edges)
{
  const PetscInt *global;
  PetscInt size = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++)
    for (PetscInt k = 0; k < bc->cond[i].faces->ngroups; k++) size += 12 * bc->cond[i].faces->group[k].n;
  PetscCall(PetscMalloc1(size + 1, edges));
  PetscCall(ISLocalToGlobalMappingGetIndices(bc->space->l2g, &global));
  *n = 0;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *wall = &bc->cond[i];
    if (wall == c || !RhxConditionSlips(wall) || !wall->type->friction) continue;
    for (PetscInt k = 0; k < wall->faces->ngroups; k++) {
      const RhxFaceGroup *g = &wall->faces->group[k];
      for (PetscInt f = 0; f < g->n; f++)
        for (PetscInt a = 0; a < g->nfn; a++) {
          const PetscInt at = find_node(s, global[RhxFaceParentNode(g, f, g->fnode[a])]),
                         next = find_node(s, global[RhxFaceParentNode(g, f, g->fnode[(a + 1) % g->nfn])]);
          if (at < 0 || next < 0) continue;
          (*edges)[(*n)++] = PetscMin(at, next);
          (*edges)[(*n)++] = PetscMax(at, next);
          (*edges)[(*n)++] = i;
        }
    }
  }
  PetscCall(ISLocalToGlobalMappingRestoreIndices(bc->space->l2g, &global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the faces of the walls: nodes alone may be of a wall at the other end of an edge. */
static PetscErrorCode find_slips(RhxBoundary bc, const RhxCondition *c, RhxSection s)
{
  PetscReal *mine, *all;
  PetscInt n = 0, nall = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(s->nrim + 1, &s->slip));
  PetscCall(own_slips(bc, c, s, &n, &mine));
  PetscCall(RhxGatherReals(bc->comm, n, mine, &nall, &all));
  PetscCall(PetscFree(mine));
  for (PetscInt i = 0; i < s->nrim; i++) {
    const PetscInt low = PetscMin(s->rim[2 * i], s->rim[2 * i + 1]), high = PetscMax(s->rim[2 * i], s->rim[2 * i + 1]);
    s->slip[i] = -1;
    for (PetscInt k = 0; k < nall; k += 3)
      if ((PetscInt)all[k] == low && (PetscInt)all[k + 1] == high && (s->slip[i] < 0 || all[k + 2] < s->slip[i]))
        s->slip[i] = (PetscInt)all[k + 2];
  }
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSectionCreate(RhxBoundary bc, const RhxCondition *c, RhxSection *section)
{
  RhxSection s;
  PetscReal *mine, *rows, N[4], dN[4][2], area;
  PetscInt n = 0, nall = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(1, section));
  s = *section;
  s->dim = bc->space->dim;
  s->axisymmetric = (PetscBool)(bc->space->axisymmetric != 0);
  PetscCall(own_faces(bc, c, &n, &mine));
  PetscCall(RhxGatherReals(bc->comm, n * FACE, mine, &nall, &rows));
  PetscCall(PetscFree(mine));
  s->nfaces = nall / FACE;
  for (PetscInt d = 0; d < s->dim; d++) s->origin[d] = rows[3 + d];
  if (s->dim == 3)
    RhxPlaneAxes(c->geo.normal, s->axis);
  else
    for (PetscInt k = 0; k < 2; k++) {
      s->axis[k][0] = k ? c->geo.normal[0] : -c->geo.normal[1];
      s->axis[k][1] = c->geo.normal[k];
    }
  PetscCall(number_nodes(s, rows));
  PetscCall(PetscFree(rows));
  PetscCall(list_around(s));
  PetscCall(list_rim(s));
  PetscCall(find_slips(bc, c, s));
  PetscCall(fill_grid(s));
  PetscCall(RhxSectionFit(s));
  for (PetscInt f = 0; f < s->nfaces; f++)
    for (PetscInt q = 0; RhxSectionPoint(s, f, q, N, dN, &area); q++) s->area += area;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSectionUnknowns(RhxSection s, PetscInt *n, PetscInt *unknown, PetscReal *share, PetscInt *most)
{
  PetscReal N[4], dN[4][2], area;

  PetscFunctionBegin;
  *n = *most = 0;
  for (PetscInt i = 0; i < s->nnodes; i++) {
    unknown[i] = s->flags[i] & RHX_TYPE_NO_SLIP ? -1 : (*n)++;
    share[i] = 0;
    *most = PetscMax(*most, 1 + 3 * (s->first[i + 1] - s->first[i]));
  }
  for (PetscInt f = 0; f < s->nfaces; f++)
    for (PetscInt q = 0; RhxSectionPoint(s, f, q, N, dN, &area); q++)
      for (PetscInt a = 0; a < RhxSectionCorners(s, f); a++) share[s->node[4 * f + a]] += area * N[a];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSectionDestroy(RhxSection *section)
{
  RhxSection s = *section;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(s->x));
  PetscCall(PetscFree(s->flags));
  PetscCall(PetscFree(s->node));
  PetscCall(PetscFree(s->corner));
  PetscCall(PetscFree(s->first));
  PetscCall(PetscFree(s->around));
  PetscCall(PetscFree(s->start));
  PetscCall(PetscFree(s->at));
  PetscCall(PetscFree(s->weight));
  PetscCall(PetscFree(s->rim));
  PetscCall(PetscFree(s->slip));
  PetscCall(PetscFree(s->wall));
  PetscCall(PetscFree(s->id));
  PetscCall(PetscFree(s->edge));
  PetscCall(PetscFree(s->bin));
  PetscCall(PetscFree(s->row));
  for (int i = 0; i < RHX_SECTION_LISTS; i++) PetscCall(PetscFree2(s->list[i].x, s->list[i].place));
  PetscCall(PetscFree(*section));
  PetscFunctionReturn(PETSC_SUCCESS);
}
