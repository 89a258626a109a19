/* Sides in buckets of their smallest vertex, sorted within: no hash table, no points for interior faces and edges. */
#include "mesh/mesh.h"
#include "mesh/sides_impl.h"
#include <stdlib.h>

const RhxCellSides *RhxCellTypeSides(DMPolytopeType type)
{
  static const RhxCellSides triangle = {3, 2, {{0, 1}, {1, 2}, {2, 0}}};
  static const RhxCellSides quadrilateral = {4, 2, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}};
  static const RhxCellSides tetrahedron = {4, 3, {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}}};
  static const RhxCellSides hexahedron = {
      6, 4, {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}}};

  switch (type) {
  case DM_POLYTOPE_TRIANGLE:
    return &triangle;
  case DM_POLYTOPE_QUADRILATERAL:
    return &quadrilateral;
  case DM_POLYTOPE_TETRAHEDRON:
    return &tetrahedron;
  case DM_POLYTOPE_HEXAHEDRON:
    return &hexahedron;
  default:
    return NULL;
  }
}

static void sort_vertices(PetscInt n, PetscInt *v)
{
  for (PetscInt i = 1; i < n; i++)
    for (PetscInt k = i; k > 0 && v[k] < v[k - 1]; k--) {
      const PetscInt t = v[k];
      v[k] = v[k - 1];
      v[k - 1] = t;
    }
}

static int compare_vertices(const PetscInt *a, const PetscInt *b)
{
  for (PetscInt i = 0; i < 3; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

static int compare_sides(const void *pa, const void *pb)
{
  const RhxListSide *a = (const RhxListSide *)pa, *b = (const RhxListSide *)pb;
  const int order = compare_vertices(a->vertex, b->vertex);

  return order ? order : (a->face > b->face) - (a->face < b->face);
}

static void sort_bucket(PetscInt n, RhxListSide *s)
{
  if (n > 64) {
    qsort(s, (size_t)n, sizeof(*s), compare_sides);
    return;
  }
  for (PetscInt i = 1; i < n; i++) {
    const RhxListSide t = s[i];
    PetscInt k = i;

    for (; k > 0 && compare_sides(&t, &s[k - 1]) < 0; k--) s[k] = s[k - 1];
    s[k] = t;
  }
}

/* side NULL: counts the sides of vertex v in at[v]; else puts them there and moves on. */
static void place_sides(const RhxCellList *list, PetscInt *at, RhxListSide *side)
{
  for (PetscInt c = 0; c < list->ncells; c++) {
    const RhxCellSides *sides = RhxCellTypeSides(list->type[c]);
    const PetscInt *conn = list->conn + list->offset[c];

    for (PetscInt k = 0; k < sides->n; k++) {
      PetscInt v[4] = {-1, -1, -1, -1};

      for (PetscInt a = 0; a < sides->nn; a++) v[a] = conn[sides->node[k][a]];
      sort_vertices(sides->nn, v);
      if (side) {
        RhxListSide *s = side + at[v[0]];
        for (PetscInt i = 0; i < 3; i++) s->vertex[i] = v[i + 1];
        s->face = RHX_MAX_SIDES * c + k;
      }
      at[v[0]]++;
    }
  }
}

PetscErrorCode RhxListSidesCreate(const RhxCellList *list, RhxListSides *sides)
{
  const PetscInt n = list->nvertices;
  PetscInt *at;

  PetscFunctionBegin;
  sides->nvertices = n;
  PetscCall(PetscCalloc1(n + 2, &sides->first));
  /* first[v + 2] counts, first[v + 1] then begins v, and after the sides are placed ends it */
  at = sides->first + 1;
  place_sides(list, at + 1, NULL);
  for (PetscInt v = 0; v < n; v++) at[v + 1] += at[v];
  PetscCall(PetscMalloc1(at[n], &sides->side));
  place_sides(list, at, sides->side);
  for (PetscInt v = 0; v < n; v++) sort_bucket(sides->first[v + 1] - sides->first[v], sides->side + sides->first[v]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxListSidesDestroy(RhxListSides *sides)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(sides->first));
  PetscCall(PetscFree(sides->side));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RhxListSidesEqual(const RhxListSides *sides, PetscInt vertex, PetscInt at)
{
  PetscInt end = at + 1;

  while (end < sides->first[vertex + 1] && !compare_vertices(sides->side[at].vertex, sides->side[end].vertex)) end++;
  return end - at;
}

PetscInt RhxListSidesFind(const RhxListSides *sides, PetscInt n, const PetscInt *vertices)
{
  PetscInt v[4] = {-1, -1, -1, -1}, lo, hi;

  for (PetscInt a = 0; a < n; a++) v[a] = vertices[a];
  sort_vertices(n, v);
  lo = sides->first[v[0]];
  hi = sides->first[v[0] + 1];
  while (lo < hi) {
    const PetscInt middle = lo + (hi - lo) / 2;

    if (compare_vertices(sides->side[middle].vertex, v + 1) < 0)
      lo = middle + 1;
    else
      hi = middle;
  }
  return lo < sides->first[v[0] + 1] && !compare_vertices(sides->side[lo].vertex, v + 1) ? lo : -1;
}

PetscErrorCode RhxListSidesOfFace(const RhxListSides *sides, const RhxCellList *list, PetscInt f, const char *source,
                                  PetscInt *at, PetscInt *n)
{
  const PetscInt *v = list->face + 4 * f;
  PetscInt nn = 0, smallest = v[0];

  PetscFunctionBegin;
  for (; nn < 4 && v[nn] >= 0; nn++) smallest = PetscMin(smallest, v[nn]);
  *at = RhxListSidesFind(sides, nn, v);
  PetscCheck(*at >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "%s: an element of the boundary '%s' at vertex %" PetscInt_FMT
             " is no face of a cell: expected a matching mesh",
             source, list->name[list->face_name[f]], v[0]);
  *n = RhxListSidesEqual(sides, smallest, *at);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* neighbour NULL: counts those of cell c in at[c]; else puts them there and moves on. */
static void place_neighbours(const RhxListSides *sides, PetscInt *at, PetscInt *neighbour)
{
  for (PetscInt v = 0; v < sides->nvertices; v++)
    for (PetscInt k = sides->first[v], n; k < sides->first[v + 1]; k += n) {
      n = RhxListSidesEqual(sides, v, k);
      for (PetscInt i = 0; n == 2 && i < 2; i++) {
        const PetscInt c = sides->side[k + i].face / RHX_MAX_SIDES;

        if (neighbour) neighbour[at[c]] = sides->side[k + 1 - i].face / RHX_MAX_SIDES;
        at[c]++;
      }
    }
}

PetscErrorCode RhxListSidesGraph(const RhxListSides *sides, PetscInt ncells, PetscInt **start, PetscInt **neighbour)
{
  PetscInt *at;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(ncells + 2, start));
  at = *start + 1;
  place_neighbours(sides, at + 1, NULL);
  for (PetscInt c = 0; c < ncells; c++) at[c + 1] += at[c];
  PetscCall(PetscMalloc1(at[ncells], neighbour));
  place_neighbours(sides, at, *neighbour);
  for (PetscInt c = 0; c < ncells; c++) sort_vertices((*start)[c + 1] - (*start)[c], *neighbour + (*start)[c]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
