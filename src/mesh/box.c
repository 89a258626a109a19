/* Boxes of every cell type: structured hexahedra or quadrilaterals, split into simplices by a diagonal. */
#include "mesh/celllist_impl.h"

/* Kuhn's six tetrahedra of a cube: paths from corner 0 to corner 6 (VTK), positive. */
static const PetscInt kuhn[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
/* Alternating diagonals of a square. */
static const PetscInt halves[2][2][3] = {{{0, 1, 2}, {0, 2, 3}}, {{0, 1, 3}, {1, 2, 3}}};
/* Corners of a cube in VTK order. */
static const PetscInt corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

/* Vertices along direction d: periodic ones lack the last layer. */
static PetscInt layers(const RhxBox *box, PetscInt d) { return box->faces[d] + (box->periodic[d] ? 0 : 1); }

static PetscInt vertex_of(const RhxBox *box, const PetscInt index[3])
{
  PetscInt v = 0;

  for (PetscInt d = box->n - 1; d >= 0; d--) v = v * layers(box, d) + index[d] % layers(box, d);
  return v;
}

/* A number in [-1, 1] from two integers: a hash (splitmix64), so that no random state or rank count matters. */
static PetscReal noise(PetscInt vertex, PetscInt d)
{
  unsigned long long z = 0x9e3779b97f4a7c15ULL * (unsigned long long)(3 * (long long)vertex + d + 1);

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return 2.0 * (PetscReal)(z >> 11) / 9007199254740992.0 - 1.0;
}

/* Position of a lattice point; a point beyond a periodic seam is the image of its vertex. */
static void position(const RhxBox *box, const PetscInt index[3], PetscReal *x)
{
  const PetscInt v = vertex_of(box, index);
  PetscBool interior = PETSC_TRUE;

  for (PetscInt d = 0; d < box->n; d++)
    if (!box->periodic[d] && (index[d] == 0 || index[d] == box->faces[d])) interior = PETSC_FALSE;
  for (PetscInt d = 0; d < box->n; d++) {
    const PetscReal h = (box->upper[d] - box->lower[d]) / box->faces[d];
    x[d] = index[d] == box->faces[d] ? box->upper[d] : box->lower[d] + h * index[d];
    if (interior && box->jitter > 0) x[d] += box->jitter * h * noise(v, d);
  }
}

/* The cells that lattice cell `index` is cut into: their number, type and corners. */
static PetscInt pattern(const RhxBox *box, const PetscInt index[3], DMPolytopeType *type, const PetscInt **nodes)
{
  static const PetscInt whole[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const PetscInt odd = (index[0] + index[1]) % 2;
  const PetscBool split = box->mixed
                              ? (PetscBool)odd
                              : (PetscBool)(box->cell == DM_POLYTOPE_TRIANGLE || box->cell == DM_POLYTOPE_TETRAHEDRON);

  if (!split) {
    *type = box->n == 2 ? DM_POLYTOPE_QUADRILATERAL : DM_POLYTOPE_HEXAHEDRON;
    *nodes = whole;
    return 1;
  }
  *type = box->n == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON;
  *nodes = box->n == 2 ? halves[odd][0] : kuhn[0];
  return box->n == 2 ? 2 : 6;
}

static PetscErrorCode add_cells(const RhxBox *box, const PetscInt index[3], PetscInt *c, RhxCellList *list)
{
  DMPolytopeType type;
  const PetscInt *nodes;
  const PetscInt pieces = pattern(box, index, &type, &nodes), nn = rhx_cell_nodes(type);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < pieces; k++, (*c)++) {
    const PetscInt o = list->offset[*c];

    list->type[*c] = type;
    list->offset[*c + 1] = o + nn;
    for (PetscInt a = 0; a < nn; a++) {
      const PetscInt *step = corner[nodes[k * nn + a]];
      const PetscInt at[3] = {index[0] + step[0], index[1] + step[1], index[2] + step[2]};

      list->conn[o + a] = vertex_of(box, at);
      if (list->xc) position(box, at, list->xc + (size_t)(o + a) * box->n);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls for every point of a lattice of n[0] x n[1] x n[2]. */
#define FOR_LATTICE(index, nx, ny, nz)                    \
  for ((index)[2] = 0; (index)[2] < (nz); (index)[2]++)   \
    for ((index)[1] = 0; (index)[1] < (ny); (index)[1]++) \
      for ((index)[0] = 0; (index)[0] < (nx); (index)[0]++)

/* The faces of one side; the square of a tetrahedral box is two triangles along Kuhn's diagonal. */
static PetscErrorCode add_side(const RhxBox *box, PetscInt d, PetscInt upper, PetscInt name, RhxCellList *list)
{
  const PetscInt e = (d + 1) % box->n, f = (d + 2) % 3;
  const PetscInt ne = box->faces[e], nf = box->n == 3 ? box->faces[f] : 1;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < nf; j++)
    for (PetscInt i = 0; i < ne; i++) {
      PetscInt v[4];

      for (PetscInt k = 0; k < (box->n == 2 ? 2 : 4); k++) {
        PetscInt at[3] = {0, 0, 0};

        at[d] = upper ? box->faces[d] : 0;
        at[e] = i + (k == 1 || k == 2);
        if (box->n == 3) at[f] = j + (k >= 2);
        v[k] = vertex_of(box, at);
      }
      if (box->n == 2)
        PetscCall(RhxCellListAddFace(list, 2, v, name));
      else if (box->cell == DM_POLYTOPE_HEXAHEDRON)
        PetscCall(RhxCellListAddFace(list, 4, v, name));
      else {
        const PetscInt t[2][3] = {{v[0], v[1], v[2]}, {v[0], v[2], v[3]}};
        PetscCall(RhxCellListAddFace(list, 3, t[0], name));
        PetscCall(RhxCellListAddFace(list, 3, t[1], name));
      }
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCellListBox(const RhxBox *box, RhxCellList *list)
{
  static const char *const names[3][2] = {{"left", "right"}, {"bottom", "top"}, {"back", "front"}};
  const PetscInt nz = box->n == 3 ? box->faces[2] : 1;
  PetscInt index[3], ncells = 0, nconn = 0, nvertices = 1, c = 0;
  PetscBool periodic = PETSC_FALSE;
  PetscInt64 estimate = 1;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < box->n; d++) {
    estimate *= (PetscInt64)layers(box, d);
    nvertices *= layers(box, d);
    periodic = (PetscBool)(periodic || box->periodic[d]);
    PetscCheck(estimate < 70 * 1000 * 1000, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "-mesh_box_faces asks for more than 70 million nodes: expected fewer");
  }
  FOR_LATTICE(index, box->faces[0], box->faces[1], nz)
  {
    DMPolytopeType type;
    const PetscInt *nodes;
    const PetscInt pieces = pattern(box, index, &type, &nodes);
    ncells += pieces;
    nconn += pieces * rhx_cell_nodes(type);
  }
  PetscCall(RhxCellListAllocate(list, box->n, ncells, nconn, nvertices));
  if (periodic) PetscCall(PetscMalloc1((size_t)nconn * box->n, &list->xc));
  FOR_LATTICE(index, layers(box, 0), layers(box, 1), box->n == 3 ? layers(box, 2) : 1)
  position(box, index, list->x + vertex_of(box, index) * box->n);
  FOR_LATTICE(index, box->faces[0], box->faces[1], nz) PetscCall(add_cells(box, index, &c, list));
  for (PetscInt d = 0; d < box->n; d++)
    for (PetscInt s = 0; s < 2 && !box->periodic[d]; s++) {
      PetscInt name;
      PetscCall(RhxCellListAddName(list, names[d][s], &name));
      PetscCall(add_side(box, d, s, name, list));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}
