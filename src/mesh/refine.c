/* Uniform refinement of a cell list: every edge is halved, triangles and quadrilaterals become 4 cells, tetrahedra and
 * hexahedra 8. New nodes are means of corners: a curved boundary keeps the facets of the coarse mesh. */
#include "mesh/refine_impl.h"
#include "plugin/doing.h"
#include <stdlib.h>

#define MAX_NEW 19 /* nodes that a hexahedron gets: on edges, faces and inside */

/* How a cell is cut: its new nodes are means of corners; children by corners, then new nodes (from nn on). */
typedef struct {
  PetscInt nn, nnew, nchildren;
  PetscInt count[MAX_NEW], corner[MAX_NEW][RHX_MAX_CELL_NODES];
  PetscInt child[8][RHX_MAX_CELL_NODES];
} Cut;

/* ---- Patterns ---- */

static void add_new(Cut *cut, PetscInt n, const PetscInt *corners)
{
  cut->count[cut->nnew] = n;
  for (PetscInt k = 0; k < n; k++) cut->corner[cut->nnew][k] = corners[k];
  cut->nnew++;
}

/* The points of a lattice of 3 a direction: means of the corners on both sides where the index is 1. */
static void cut_lattice(PetscInt dim, Cut *cut)
{
  static const PetscInt corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const PetscInt nz = dim == 3 ? 3 : 1;
  PetscInt at[3][3][3];

  cut->nn = cut->nchildren = dim == 3 ? 8 : 4;
  for (PetscInt k = 0; k < nz; k++)
    for (PetscInt j = 0; j < 3; j++)
      for (PetscInt i = 0; i < 3; i++) {
        const PetscInt index[3] = {i, j, k};
        PetscInt n = 0, of[RHX_MAX_CELL_NODES];

        for (PetscInt a = 0; a < cut->nn; a++) {
          PetscBool takes_part = PETSC_TRUE;
          for (PetscInt d = 0; d < dim; d++)
            if (index[d] != 1 && index[d] != 2 * corner[a][d]) takes_part = PETSC_FALSE;
          if (takes_part) of[n++] = a;
        }
        at[i][j][k] = n == 1 ? of[0] : cut->nn + cut->nnew;
        if (n > 1) add_new(cut, n, of);
      }
  for (PetscInt c = 0; c < cut->nn; c++)
    for (PetscInt a = 0; a < cut->nn; a++)
      cut->child[c][a] =
          at[corner[c][0] + corner[a][0]][corner[c][1] + corner[a][1]][dim == 3 ? corner[c][2] + corner[a][2] : 0];
}

static void cut_triangle(Cut *cut)
{
  static const PetscInt edge[3][2] = {{0, 1}, {1, 2}, {2, 0}};
  static const PetscInt child[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};

  cut->nn = 3;
  cut->nchildren = 4;
  for (PetscInt k = 0; k < 3; k++) add_new(cut, 2, edge[k]);
  for (PetscInt c = 0; c < 4; c++)
    for (PetscInt a = 0; a < 3; a++) cut->child[c][a] = child[c][a];
}

/* Four tetrahedra at the corners and four about a diagonal of what is left, here from the edge p0 p2 to p1 p3 of the corners
 * p (an even permutation). */
static void cut_tetrahedron(const PetscInt p[4], Cut *cut)
{
  static const PetscInt edge[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
  static const PetscInt child[8][4][2] = {{{0, 0}, {0, 1}, {0, 2}, {0, 3}}, {{0, 1}, {1, 1}, {1, 2}, {1, 3}},
                                          {{0, 2}, {1, 2}, {2, 2}, {2, 3}}, {{0, 3}, {1, 3}, {2, 3}, {3, 3}},
                                          {{0, 1}, {0, 2}, {0, 3}, {1, 3}}, {{0, 1}, {1, 2}, {0, 2}, {1, 3}},
                                          {{0, 2}, {0, 3}, {1, 3}, {2, 3}}, {{0, 2}, {1, 3}, {1, 2}, {2, 3}}};
  PetscInt middle[4][4];

  cut->nn = 4;
  cut->nchildren = 8;
  for (PetscInt k = 0; k < 4; k++) middle[k][k] = k;
  for (PetscInt k = 0; k < 6; k++) {
    middle[edge[k][0]][edge[k][1]] = middle[edge[k][1]][edge[k][0]] = 4 + cut->nnew;
    add_new(cut, 2, edge[k]);
  }
  for (PetscInt c = 0; c < 8; c++)
    for (PetscInt a = 0; a < 4; a++) cut->child[c][a] = middle[p[child[c][a][0]]][p[child[c][a][1]]];
}

enum { CUT_TRIANGLE, CUT_QUADRILATERAL, CUT_HEXAHEDRON, CUT_TETRAHEDRON, NCUTS = CUT_TETRAHEDRON + 3 };

static void make_cuts(Cut cut[NCUTS])
{
  static const PetscInt diagonal[3][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}};

  cut_triangle(&cut[CUT_TRIANGLE]);
  cut_lattice(2, &cut[CUT_QUADRILATERAL]);
  cut_lattice(3, &cut[CUT_HEXAHEDRON]);
  for (PetscInt k = 0; k < 3; k++) cut_tetrahedron(diagonal[k], &cut[CUT_TETRAHEDRON + k]);
}

static const PetscReal *corner_position(const RhxCellList *list, PetscInt c, PetscInt a)
{
  const PetscInt k = list->offset[c] + a;

  return list->xc ? list->xc + k * list->dim : list->x + list->conn[k] * list->dim;
}

/* The cut of a cell; of a tetrahedron that along the shortest diagonal. */
static const Cut *cut_of(const Cut cut[NCUTS], const RhxCellList *list, PetscInt c)
{
  static const PetscInt pair[3][4] = {{0, 2, 1, 3}, {0, 1, 3, 2}, {0, 3, 2, 1}};
  PetscReal shortest = PETSC_MAX_REAL;
  PetscInt best = 0;

  if (list->type[c] == DM_POLYTOPE_TRIANGLE) return &cut[CUT_TRIANGLE];
  if (list->type[c] == DM_POLYTOPE_QUADRILATERAL) return &cut[CUT_QUADRILATERAL];
  if (list->type[c] == DM_POLYTOPE_HEXAHEDRON) return &cut[CUT_HEXAHEDRON];
  for (PetscInt k = 0; k < 3; k++) {
    PetscReal square = 0;
    for (PetscInt d = 0; d < 3; d++)
      square += PetscSqr(corner_position(list, c, pair[k][0])[d] + corner_position(list, c, pair[k][1])[d] -
                         corner_position(list, c, pair[k][2])[d] - corner_position(list, c, pair[k][3])[d]);
    if (square < shortest * (1 - 1e-9)) {
      shortest = square;
      best = k;
    }
  }
  return &cut[CUT_TETRAHEDRON + best];
}

/* ---- New nodes ---- */

int RhxNewNodeCompare(const void *pa, const void *pb)
{
  const RhxNewNode *a = (const RhxNewNode *)pa, *b = (const RhxNewNode *)pb;

  for (int i = 0; i < 4; i++)
    if (a->v[i] != b->v[i]) return a->v[i] < b->v[i] ? -1 : 1;
  return 0;
}

static int compare_nodes(const void *pa, const void *pb)
{
  const PetscInt a = ((const RhxNewNode *)pa)->vertex, b = ((const RhxNewNode *)pb)->vertex;
  const int order = RhxNewNodeCompare(pa, pb);

  return order ? order : (a > b) - (a < b);
}

static void set_key(PetscInt n, const PetscInt *v, RhxNewNode *node)
{
  for (PetscInt i = 0; i < 4; i++) node->v[i] = i < n ? v[i] : -1;
  for (PetscInt i = 1; i < n; i++)
    for (PetscInt k = i; k > 0 && node->v[k] < node->v[k - 1]; k--) {
      const PetscInt t = node->v[k];
      node->v[k] = node->v[k - 1];
      node->v[k - 1] = t;
    }
}

/* Numbers the new nodes of all cells; equal ones are one vertex. */
static PetscErrorCode number_nodes(const Cut cut[NCUTS], RhxRefinement *r)
{
  const RhxCellList *list = r->coarse;
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(list->ncells + 1, &r->first));
  r->first[0] = 0;
  for (PetscInt c = 0; c < list->ncells; c++) r->first[c + 1] = r->first[c] + cut_of(cut, list, c)->nnew;
  PetscCall(PetscMalloc1(r->first[list->ncells], &r->number));
  PetscCall(PetscMalloc1(r->first[list->ncells], &r->node));
  for (PetscInt c = 0; c < list->ncells; c++) {
    const Cut *p = cut_of(cut, list, c);
    for (PetscInt k = 0; k < p->nnew; k++, n++) {
      const PetscInt cell = rhx_cell_number(list, c);
      PetscInt v[4];
      for (PetscInt i = 0; i < p->count[k] && i < 4; i++) v[i] = list->conn[list->offset[c] + p->corner[k][i]];
      set_key(p->count[k] > 4 ? 1 : p->count[k], p->count[k] > 4 ? &cell : v, &r->node[n]);
      r->node[n].vertex = n;
    }
  }
  if (n) qsort(r->node, (size_t)n, sizeof(*r->node), compare_nodes);
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt slot = r->node[k].vertex;
    if (!k || RhxNewNodeCompare(&r->node[k], &r->node[r->nnodes - 1])) r->node[r->nnodes++] = r->node[k];
    r->number[slot] = list->nvertices + r->nnodes - 1;
  }
  for (PetscInt k = 0; k < r->nnodes; k++) r->node[k].vertex = list->nvertices + k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Position of new node k of a cell as that sees it; is none of its corners beyond a periodic seam? */
static PetscBool new_position(const RhxCellList *list, const Cut *p, PetscInt c, PetscInt k, PetscReal x[3])
{
  PetscBool home = PETSC_TRUE;

  for (PetscInt d = 0; d < list->dim; d++) x[d] = 0;
  for (PetscInt i = 0; i < p->count[k]; i++) {
    const PetscReal *here = corner_position(list, c, p->corner[k][i]), *first = corner_position(list, c, 0);
    const PetscReal *there = list->x + list->conn[list->offset[c] + p->corner[k][i]] * list->dim;
    for (PetscInt d = 0; d < list->dim; d++) {
      const PetscReal size = PetscAbsReal(here[d]) + PetscAbsReal(there[d]) + PetscAbsReal(here[d] - first[d]);
      x[d] += here[d] / (PetscReal)p->count[k];
      if (PetscAbsReal(here[d] - there[d]) > 1e-9 * size) home = PETSC_FALSE;
    }
  }
  return home;
}

/* ---- The fine list ---- */

static PetscErrorCode place_vertices(const Cut cut[NCUTS], RhxRefinement *r, RhxCellList *fine)
{
  const RhxCellList *list = r->coarse;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(fine->x, list->x, list->nvertices * list->dim));
  for (PetscInt k = 0; k < r->nnodes; k++) r->node[k].seen = PETSC_MIN_INT;
  for (PetscInt c = 0; c < list->ncells; c++) {
    const Cut *p = cut_of(cut, list, c);
    const PetscInt cell = rhx_cell_number(list, c);
    for (PetscInt k = 0; k < p->nnew; k++) {
      RhxNewNode *node = &r->node[r->number[r->first[c] + k] - list->nvertices];
      PetscReal x[3];
      const PetscInt seen = new_position(list, p, c, k, x) ? cell : -1 - cell;
      if (seen < node->seen) continue;
      node->seen = seen;
      PetscCall(PetscArraycpy(fine->x + node->vertex * list->dim, x, list->dim));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_children(const Cut *p, const RhxRefinement *r, PetscInt c, PetscInt *at, RhxCellList *fine)
{
  const RhxCellList *list = r->coarse;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->nchildren; i++, (*at)++) {
    const PetscInt o = fine->offset[*at];

    fine->type[*at] = list->type[c];
    fine->offset[*at + 1] = o + p->nn;
    if (list->entity) fine->entity[*at] = list->entity[c];
    if (list->number) fine->number[*at] = list->number[c] * p->nchildren + i;
    for (PetscInt a = 0; a < p->nn; a++) {
      const PetscInt k = p->child[i][a];
      PetscReal x[3];

      fine->conn[o + a] = k < p->nn ? list->conn[list->offset[c] + k] : r->number[r->first[c] + k - p->nn];
      if (!list->xc) continue;
      if (k < p->nn)
        PetscCall(PetscArraycpy(x, corner_position(list, c, k), list->dim));
      else
        (void)new_position(list, p, c, k - p->nn, x);
      PetscCall(PetscArraycpy(fine->xc + (o + a) * list->dim, x, list->dim));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_node(const RhxRefinement *r, PetscInt n, const PetscInt *v, PetscInt *vertex)
{
  const RhxNewNode *found;
  RhxNewNode key = {.vertex = 0};

  PetscFunctionBegin;
  set_key(n, v, &key);
  found = bsearch(&key, r->node, (size_t)r->nnodes, sizeof(*r->node), RhxNewNodeCompare);
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "an element of a boundary at vertex %" PetscInt_FMT " is no face of a cell: expected a matching mesh",
             v[0]);
  *vertex = found->vertex;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A face of n vertices becomes n smaller ones at its corners, a triangle one more in its middle. */
static PetscErrorCode add_faces(const RhxRefinement *r, PetscInt f, RhxCellList *fine)
{
  const PetscInt *v = r->coarse->face + 4 * f, name = r->coarse->face_name[f];
  PetscInt n = 0, middle[4], centre = -1;

  PetscFunctionBegin;
  for (; n < 4 && v[n] >= 0;) n++;
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt edge[2] = {v[i], v[(i + 1) % n]};
    PetscCall(find_node(r, 2, edge, &middle[i]));
  }
  if (n == 4) PetscCall(find_node(r, 4, v, &centre));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt before = middle[(i + n - 1) % n], corner[4] = {v[i], middle[i], n == 4 ? centre : before, before};
    PetscCall(RhxCellListAddFace(fine, n, corner, name));
  }
  if (n == 3) PetscCall(RhxCellListAddFace(fine, 3, middle, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRefinementCreate(const RhxCellList *list, RhxRefinement *r, RhxCellList *fine)
{
  Cut cut[NCUTS] = {{0}};
  PetscInt ncells = 0, nconn = 0, at = 0, name;

  PetscFunctionBegin;
  make_cuts(cut);
  r->coarse = list;
  PetscCall(number_nodes(cut, r));
  for (PetscInt c = 0; c < list->ncells; c++) {
    const Cut *p = cut_of(cut, list, c);
    ncells += p->nchildren;
    nconn += p->nchildren * p->nn;
  }
  PetscCall(RhxCellListAllocate(fine, list->dim, ncells, nconn, list->nvertices + r->nnodes));
  if (list->xc) PetscCall(PetscMalloc1((size_t)nconn * list->dim + 1, &fine->xc));
  if (list->entity) PetscCall(PetscMalloc1(ncells, &fine->entity));
  if (list->number) PetscCall(PetscMalloc1(ncells, &fine->number));
  PetscCall(place_vertices(cut, r, fine));
  for (PetscInt c = 0; c < list->ncells; c++) PetscCall(add_children(cut_of(cut, list, c), r, c, &at, fine));
  for (PetscInt k = 0; k < list->nnames; k++) PetscCall(RhxCellListAddName(fine, list->name[k], &name));
  for (PetscInt f = 0; f < list->nfaces; f++) PetscCall(add_faces(r, f, fine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRefinementDestroy(RhxRefinement *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(r->first));
  PetscCall(PetscFree(r->number));
  PetscCall(PetscFree(r->node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCellListRefine(RhxCellList *list, PetscInt levels)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < levels; k++) {
    RhxRefinement r = {0};
    RhxCellList fine = {0};
    PetscErrorCode code;

    RhxDoing("refining the mesh of %" PetscInt_FMT " cells, %" PetscInt_FMT " of %" PetscInt_FMT, list->ncells, k + 1,
             levels);
    code = RhxRefinementCreate(list, &r, &fine);

    PetscCall(RhxRefinementDestroy(&r));
    PetscCall(RhxCellListDestroy(code ? &fine : list));
    PetscCall(code);
    *list = fine;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
