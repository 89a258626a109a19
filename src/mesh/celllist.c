#include "kernels/geometry.h"
#include "mesh/celllist_impl.h"
#include "plugin/length.h"
#include <ctype.h>

PetscErrorCode RhxCellListAllocate(RhxCellList *list, PetscInt dim, PetscInt ncells, PetscInt nconn, PetscInt nvertices)
{
  PetscFunctionBegin;
  list->dim = dim;
  list->ncells = ncells;
  list->nvertices = nvertices;
  PetscCall(PetscMalloc1(ncells, &list->type));
  PetscCall(PetscMalloc1(ncells + 1, &list->offset));
  PetscCall(PetscMalloc1(nconn, &list->conn));
  PetscCall(PetscMalloc1((size_t)nvertices * dim, &list->x));
  list->offset[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCellListDestroy(RhxCellList *list)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(list->type));
  PetscCall(PetscFree(list->offset));
  PetscCall(PetscFree(list->conn));
  PetscCall(PetscFree(list->x));
  PetscCall(PetscFree(list->xc));
  PetscCall(PetscFree(list->entity));
  PetscCall(PetscFree(list->number));
  PetscCall(PetscFree(list->face));
  PetscCall(PetscFree(list->face_name));
  for (PetscInt k = 0; k < list->nnames; k++) PetscCall(PetscFree(list->name[k]));
  PetscCall(PetscFree(list->name));
  PetscCall(RhxCellListForgetRegions(list));
  PetscCall(PetscMemzero(list, sizeof(*list)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays grow by doubling: full at every power of two. */
static PetscBool is_full(PetscInt n) { return (PetscBool)((n & (n - 1)) == 0); }

static PetscBool is_letter(char c) { return (PetscBool)(isalnum((unsigned char)c) || strchr("_-.", c)); }

/* Of a boundary, whose name becomes part of options. */
static PetscErrorCode check_letters(const char *name)
{
  const char *bad = name;
  char other[RHX_NAME_LENGTH];
  int bytes = 1; /* of that character, in UTF-8 */

  PetscFunctionBegin;
  while (*bad && is_letter(*bad)) bad++;
  if (!*bad) PetscFunctionReturn(PETSC_SUCCESS);
  while ((bad[bytes] & 0xc0) == 0x80) bytes++;
  PetscCall(PetscStrncpy(other, name, sizeof(other)));
  for (char *c = other; *c; c++)
    if (!is_letter(*c)) *c = '_';
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
          "got '%.*s' in the boundary name '%s', which becomes part of options (-bc_<name>_type): expected letters, "
          "digits, '_', '-' and '.' only, such as '%s' (Gmsh: the name of its physical group)",
          bytes, bad, name, other);
}

PetscErrorCode RhxCellListAddName(RhxCellList *list, const char *name, PetscInt *index)
{
  static const char *const reserved[] = {"depth", "celltype", "rheoplex_boundary"};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < list->nnames; k++)
    if (!strcmp(list->name[k], name)) {
      *index = k;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(reserved); k++)
    PetscCheck(strcmp(name, reserved[k]), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "the boundary name '%s' is reserved: rename the physical group", name);
  PetscCheck(name[0] && strlen(name) < RHX_NAME_LENGTH, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "the boundary name '%.100s' has %zu characters: expected 1 to %d", name, strlen(name),
             RHX_NAME_LENGTH - 1);
  PetscCall(check_letters(name));
  if (is_full(list->nnames))
    PetscCall(PetscRealloc(sizeof(char *) * (size_t)PetscMax(1, 2 * list->nnames), &list->name));
  PetscCall(PetscStrallocpy(name, &list->name[list->nnames]));
  *index = list->nnames++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCellListAddFace(RhxCellList *list, PetscInt nn, const PetscInt *vertices, PetscInt name)
{
  PetscFunctionBegin;
  if (is_full(list->nfaces)) {
    const size_t room = (size_t)PetscMax(1, 2 * list->nfaces);
    PetscCall(PetscRealloc(4 * room * sizeof(PetscInt), &list->face));
    PetscCall(PetscRealloc(room * sizeof(PetscInt), &list->face_name));
  }
  for (PetscInt k = 0; k < 4; k++) list->face[4 * list->nfaces + k] = k < nn ? vertices[k] : -1;
  list->face_name[list->nfaces++] = name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCellListSortNames(RhxCellList *list)
{
  char **old;
  PetscInt *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(list->nnames, &old, list->nnames, &to));
  PetscCall(PetscArraycpy(old, list->name, list->nnames));
  for (PetscInt k = 0; k < list->nnames; k++) {
    to[k] = 0;
    for (PetscInt j = 0; j < list->nnames; j++) to[k] += strcmp(old[j], old[k]) < 0;
    list->name[to[k]] = old[k];
  }
  for (PetscInt f = 0; f < list->nfaces; f++) list->face_name[f] = to[list->face_name[f]];
  PetscCall(PetscFree2(old, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCellListScale(RhxCellList *list, PetscReal scale)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < list->nvertices * list->dim; k++) list->x[k] *= scale;
  for (PetscInt k = 0; list->xc && k < list->offset[list->ncells]; k++)
    for (PetscInt d = 0; d < list->dim; d++) list->xc[(size_t)k * list->dim + d] *= scale;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Neighbours of every corner along its edges, right-handed (VTK order). */
static const PetscInt tri_corner[3][3] = {{1, 2}, {2, 0}, {0, 1}};
static const PetscInt quad_corner[4][3] = {{1, 3}, {2, 0}, {3, 1}, {0, 2}};
static const PetscInt tet_corner[4][3] = {{1, 2, 3}, {2, 0, 3}, {0, 1, 3}, {1, 0, 2}};
static const PetscInt hex_corner[8][3] = {{1, 3, 4}, {2, 0, 5}, {3, 1, 6}, {0, 2, 7},
                                          {7, 5, 0}, {4, 6, 1}, {5, 7, 2}, {6, 4, 3}};

static const PetscInt *corner_neighbours(DMPolytopeType type, PetscInt a)
{
  switch (type) {
  case DM_POLYTOPE_TRIANGLE:
    return tri_corner[a];
  case DM_POLYTOPE_QUADRILATERAL:
    return quad_corner[a];
  case DM_POLYTOPE_TETRAHEDRON:
    return tet_corner[a];
  default:
    return hex_corner[a];
  }
}

static const PetscReal *node_position(const RhxCellList *list, PetscInt k)
{
  return list->xc ? list->xc + (size_t)k * list->dim : list->x + (size_t)list->conn[k] * list->dim;
}

/* Determinant of the edges at corner a of cell c, and the squares of their lengths. */
static PetscReal corner_jacobian(const RhxCellList *list, PetscInt c, PetscInt a, PetscReal square[3])
{
  const PetscInt dim = list->dim, first = list->offset[c];
  const PetscInt *nb = corner_neighbours(list->type[c], a);
  const PetscReal *xa = node_position(list, first + a);
  PetscReal e[3][3];

  for (PetscInt k = 0; k < dim; k++) {
    const PetscReal *xb = node_position(list, first + nb[k]);
    PetscReal s = 0;
    for (PetscInt d = 0; d < dim; d++) {
      e[k][d] = xb[d] - xa[d];
      s += e[k][d] * e[k][d];
    }
    square[k] = s;
  }
  return rhx_determinant((int)dim, (const PetscReal(*)[3])e);
}

static PetscReal cell_volume_sign(const RhxCellList *list, PetscInt c)
{
  PetscReal s = 0, square[3];

  for (PetscInt a = 0; a < rhx_cell_nodes(list->type[c]); a++) s += corner_jacobian(list, c, a, square);
  return s;
}

static void swap_nodes(RhxCellList *list, PetscInt a, PetscInt b)
{
  const PetscInt v = list->conn[a];

  list->conn[a] = list->conn[b];
  list->conn[b] = v;
  for (PetscInt d = 0; list->xc && d < list->dim; d++) {
    const PetscReal x = list->xc[(size_t)a * list->dim + d];
    list->xc[(size_t)a * list->dim + d] = list->xc[(size_t)b * list->dim + d];
    list->xc[(size_t)b * list->dim + d] = x;
  }
}

static void turn_cell(RhxCellList *list, PetscInt c)
{
  const PetscInt o = list->offset[c];

  if (list->type[c] == DM_POLYTOPE_HEXAHEDRON)
    for (PetscInt k = 0; k < 4; k++) swap_nodes(list, o + k, o + 4 + k);
  else if (list->type[c] == DM_POLYTOPE_QUADRILATERAL)
    swap_nodes(list, o + 1, o + 3);
  else
    swap_nodes(list, o, o + 1);
}

/* A surface meshed from below has all its cells clockwise; a single clockwise cell is an error and stays one. */
static PetscErrorCode turn_entities(RhxCellList *list)
{
  PetscInt64 lo = 0, hi = 0;
  PetscBool one = PETSC_TRUE;
  PetscInt *balance;

  PetscFunctionBegin;
  for (PetscInt c = 0; list->entity && c < list->ncells; c++) {
    lo = c ? PetscMin(lo, list->entity[c]) : list->entity[c];
    hi = c ? PetscMax(hi, list->entity[c]) : list->entity[c];
  }
  one = (PetscBool)(!list->entity || hi - lo > 1000000);
  PetscCall(PetscCalloc1(one ? 1 : hi - lo + 1, &balance));
  for (PetscInt c = 0; c < list->ncells; c++)
    balance[one ? 0 : list->entity[c] - lo] += cell_volume_sign(list, c) < 0 ? -1 : 1;
  for (PetscInt c = 0; c < list->ncells; c++)
    if (balance[one ? 0 : list->entity[c] - lo] < 0) turn_cell(list, c);
  PetscCall(PetscFree(balance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode bad_cell(const RhxCellList *list, const char *source, PetscInt c, PetscReal jacobian)
{
  const PetscInt nn = rhx_cell_nodes(list->type[c]);
  PetscReal x[3] = {0, 0, 0};
  char place[128];

  PetscFunctionBegin;
  for (PetscInt a = 0; a < nn; a++)
    for (PetscInt d = 0; d < list->dim; d++) x[d] += node_position(list, list->offset[c] + a)[d] / nn;
  if (list->dim == 2)
    PetscCall(PetscSNPrintf(place, sizeof(place), "(%g, %g)", (double)x[0], (double)x[1]));
  else
    PetscCall(PetscSNPrintf(place, sizeof(place), "(%g, %g, %g)", (double)x[0], (double)x[1], (double)x[2]));
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
          "%s: cell %" PetscInt_FMT " (%s, centre %s) is %s: a corner Jacobian is %g, expected a positive one", source,
          rhx_cell_number(list, c), DMPolytopeTypes[list->type[c]], place, jacobian < 0 ? "inverted" : "degenerate",
          (double)jacobian);
}

static PetscErrorCode check_cell(const RhxCellList *list, const char *source, PetscInt c, RhxMeshQuality *q)
{
  const PetscInt *v = list->conn + list->offset[c];
  PetscReal hmin = PETSC_MAX_REAL, hmax = 0; /* squares */

  PetscFunctionBegin;
  for (PetscInt a = 0; list->xc && a < rhx_cell_nodes(list->type[c]); a++)
    for (PetscInt b = 0; b < a; b++)
      PetscCheck(v[a] != v[b], PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                 "%s: two corners of cell %" PetscInt_FMT
                 " are one periodic node: expected at least 3 cells in a periodic direction",
                 source, c);
  for (PetscInt a = 0; a < rhx_cell_nodes(list->type[c]); a++) {
    PetscReal square[3], jacobian = corner_jacobian(list, c, a, square), scaled, product = 1;

    for (PetscInt k = 0; k < list->dim; k++) {
      hmin = PetscMin(hmin, square[k]);
      hmax = PetscMax(hmax, square[k]);
      product *= square[k];
    }
    scaled = jacobian / PetscSqrtReal(product);
    if (!(scaled > 1e-12) || PetscIsInfReal(scaled)) PetscCall(bad_cell(list, source, c, jacobian));
    q->jacobian = PetscMin(q->jacobian, scaled);
  }
  q->hmin = PetscMin(q->hmin, PetscSqrtReal(hmin));
  q->hmax = PetscMax(q->hmax, PetscSqrtReal(hmax));
  q->aspect = PetscMax(q->aspect, PetscSqrtReal(hmax / hmin));
  q->count[list->type[c]]++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCellListCheck(RhxCellList *list, const char *source, RhxMeshQuality *quality)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(quality, sizeof(*quality)));
  quality->hmin = quality->jacobian = PETSC_MAX_REAL;
  PetscCheck(list->ncells > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "%s has no cells", source);
  PetscCall(turn_entities(list));
  for (PetscInt c = 0; c < list->ncells; c++) PetscCall(check_cell(list, source, c, quality));
  PetscFunctionReturn(PETSC_SUCCESS);
}
