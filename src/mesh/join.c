/* Labels joined in pairs: the second is the first moved by one translation, and its vertices become those of the first. */
#define _POSIX_C_SOURCE 200809L
#include "mesh/celllist_impl.h"
#include "plugin/option.h"
#include "plugin/word.h"
#include <math.h>
#include <stdlib.h>

#define TOLERANCE 1e-6 /* of the length of the translation */

typedef struct {
  PetscReal at; /* place along a direction, by which a side's vertices are sorted */
  PetscInt vertex;
} Placed;

typedef struct {
  PetscInt n, label;
  Placed *v; /* [n] ascending */
  PetscReal mean[3];
} Side;

static const PetscReal direction[3] = {0.5471, 0.6893, 0.4749};

static PetscReal along(const RhxCellList *list, const PetscReal *x)
{
  PetscReal s = 0;
  for (PetscInt d = 0; d < list->dim; d++) s += direction[d] * x[d];
  return s;
}

static int by_place(const void *a, const void *b)
{
  const PetscReal p = ((const Placed *)a)->at, q = ((const Placed *)b)->at;
  return (p > q) - (p < q);
}

static PetscErrorCode find_side(const RhxCellList *list, const char *pair, const char *name, Side *side)
{
  const char *nearest = RhxNearest(name, list->nnames, (const char *const *)list->name);
  PetscBool *mark;

  PetscFunctionBegin;
  side->label = -1;
  for (PetscInt k = 0; k < list->nnames; k++)
    if (!strcmp(list->name[k], name)) side->label = k;
  PetscCheck(side->label >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "-mesh_periodic %s: got '%s', which is no boundary label of the mesh%s%s%s", pair, name,
             nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  PetscCall(PetscCalloc1(list->nvertices, &mark));
  for (PetscInt f = 0; f < list->nfaces; f++)
    for (PetscInt a = 0; list->face_name[f] == side->label && a < 4; a++)
      if (list->face[4 * f + a] >= 0) mark[list->face[4 * f + a]] = PETSC_TRUE;
  for (PetscInt v = 0; v < list->nvertices; v++) side->n += mark[v];
  PetscCall(PetscMalloc1(side->n, &side->v));
  side->n = 0;
  for (PetscInt v = 0; v < list->nvertices; v++) {
    if (!mark[v]) continue;
    for (PetscInt d = 0; d < list->dim; d++) side->mean[d] += list->x[v * list->dim + d];
    side->v[side->n++] = (Placed){along(list, list->x + v * list->dim), v};
  }
  for (PetscInt d = 0; d < list->dim; d++) side->mean[d] /= side->n;
  qsort(side->v, (size_t)side->n, sizeof(*side->v), by_place);
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vertex of b that is nearest to x, within tol; -1: none. */
static PetscInt vertex_at(const RhxCellList *list, const Side *b, const PetscReal *x, PetscReal tol)
{
  const PetscReal at = along(list, x);
  PetscReal least = tol * tol;
  PetscInt lo = 0, hi = b->n, nearest = -1;

  while (lo < hi) {
    const PetscInt mid = (lo + hi) / 2;
    if (b->v[mid].at < at - 2 * tol)
      lo = mid + 1;
    else
      hi = mid;
  }
  for (; lo < b->n && b->v[lo].at <= at + 2 * tol; lo++) {
    PetscReal square = 0;
    for (PetscInt d = 0; d < list->dim; d++) square += PetscSqr(list->x[b->v[lo].vertex * list->dim + d] - x[d]);
    if (!(square <= least)) continue;
    least = square;
    nearest = b->v[lo].vertex;
  }
  return nearest;
}

/* to[vertex of b] = vertex of a; the others stay -1. */
static PetscErrorCode pair_vertices(const RhxCellList *list, const char *pair, const Side *a, const Side *b,
                                    PetscInt *to)
{
  PetscReal shift[3] = {0}, length = 0;

  PetscFunctionBegin;
  PetscCheck(a->n == b->n, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "-mesh_periodic %s: got labels of %" PetscInt_FMT " and %" PetscInt_FMT
             " nodes, expected the second to be the first moved by a translation",
             pair, a->n, b->n);
  for (PetscInt d = 0; d < list->dim; d++) {
    shift[d] = b->mean[d] - a->mean[d];
    length += shift[d] * shift[d];
  }
  length = PetscSqrtReal(length);
  for (PetscInt i = 0; i < a->n; i++) {
    const PetscReal *from = list->x + a->v[i].vertex * list->dim;
    PetscReal x[3] = {0};
    PetscInt image;
    char place[128];

    for (PetscInt d = 0; d < list->dim; d++) x[d] = from[d] + shift[d];
    image = vertex_at(list, b, x, TOLERANCE * length);
    snprintf(place, sizeof(place), "(%g, %g, %g) moved by (%g, %g, %g)", (double)from[0], (double)from[1],
             list->dim == 3 ? (double)from[2] : 0.0, (double)shift[0], (double)shift[1], (double)shift[2]);
    PetscCheck(image >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "-mesh_periodic %s: got no node of the second label at the node %s of the first, expected one within "
               "%g of the translation",
               pair, place, TOLERANCE);
    PetscCheck(image != a->v[i].vertex && to[image] < 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "-mesh_periodic %s: got two labels that are one already, or share the node at %s, expected two sides "
               "apart from each other",
               pair, place);
    to[image] = a->v[i].vertex;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt v[4];
} Corners;

static int by_corners(const void *a, const void *b)
{
  const PetscInt *p = ((const Corners *)a)->v, *q = ((const Corners *)b)->v;
  for (int k = 0; k < 4; k++)
    if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
  return 0;
}

/* The faces of a label as sorted lists of what their vertices are joined to. */
static PetscErrorCode side_faces(const RhxCellList *list, PetscInt label, const PetscInt *to, PetscInt *n, Corners *c)
{
  PetscFunctionBegin;
  *n = 0;
  for (PetscInt f = 0; f < list->nfaces; f++) {
    if (list->face_name[f] != label) continue;
    for (PetscInt k = 0; k < 4; k++) {
      const PetscInt v = list->face[4 * f + k];
      c[*n].v[k] = v >= 0 && to[v] >= 0 ? to[v] : v;
    }
    PetscCall(PetscSortInt(4, c[(*n)++].v));
  }
  qsort(c, (size_t)*n, sizeof(*c), by_corners);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_faces(const RhxCellList *list, const char *pair, const Side *a, const Side *b,
                                  const PetscInt *to)
{
  Corners *ca, *cb;
  PetscInt na, nb, same = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(list->nfaces, &ca, list->nfaces, &cb));
  PetscCall(side_faces(list, a->label, to, &na, ca));
  PetscCall(side_faces(list, b->label, to, &nb, cb));
  for (PetscInt i = 0; na == nb && i < na; i++) same += !by_corners(&ca[i], &cb[i]);
  PetscCall(PetscFree2(ca, cb));
  PetscCheck(na == nb && same == na, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "-mesh_periodic %s: got labels of %" PetscInt_FMT " and %" PetscInt_FMT " faces, %" PetscInt_FMT
             " of which fit on each other, expected the same faces (diagonals too)",
             pair, na, nb, same);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices that are joined to others go; to is overwritten by new numbers. */
static PetscErrorCode merge(RhxCellList *list, PetscInt *to)
{
  const PetscInt dim = list->dim, nconn = list->offset[list->ncells];
  PetscInt n = 0, *number;

  PetscFunctionBegin;
  if (!list->xc) {
    PetscCall(PetscMalloc1(nconn * dim, &list->xc));
    for (PetscInt k = 0; k < nconn; k++)
      PetscCall(PetscArraycpy(list->xc + k * dim, list->x + list->conn[k] * dim, dim));
  }
  PetscCall(PetscMalloc1(list->nvertices, &number));
  for (PetscInt v = 0; v < list->nvertices; v++) {
    if (to[v] >= 0) continue;
    for (PetscInt d = 0; d < dim; d++) list->x[n * dim + d] = list->x[v * dim + d];
    number[v] = n++;
  }
  for (PetscInt v = 0; v < list->nvertices; v++)
    if (to[v] >= 0) number[v] = number[to[v]];
  for (PetscInt k = 0; k < nconn; k++) list->conn[k] = number[list->conn[k]];
  for (PetscInt k = 0; k < 4 * list->nfaces; k++)
    if (list->face[k] >= 0) list->face[k] = number[list->face[k]];
  list->nvertices = n;
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode join(RhxCellList *list, const char *pair, const char *first, const char *second)
{
  Side a = {0}, b = {0};
  PetscInt *to;

  PetscFunctionBegin;
  PetscCall(find_side(list, pair, first, &a));
  PetscCall(find_side(list, pair, second, &b));
  PetscCall(PetscMalloc1(list->nvertices, &to));
  for (PetscInt v = 0; v < list->nvertices; v++) to[v] = -1;
  PetscCall(pair_vertices(list, pair, &a, &b, to));
  PetscCall(check_faces(list, pair, &a, &b, to));
  PetscCall(merge(list, to));
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(a.v));
  PetscCall(PetscFree(b.v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCellListJoin(RhxCellList *list, const char *text)
{
  char *copy, *rest, *pair, *first, *second, whole[RHX_STRING_LENGTH];

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(text, &copy));
  for (pair = strtok_r(copy, ";", &rest); pair; pair = strtok_r(NULL, ";", &rest)) {
    pair += strspn(pair, " ");
    snprintf(whole, sizeof(whole), "%s", pair);
    first = strtok_r(pair, ", ", &second);
    second = RhxWord(second + strspn(second, ", "));
    PetscCheck(first && second[0] && !strchr(second, ',') && strcmp(first, second), PETSC_COMM_SELF,
               PETSC_ERR_ARG_WRONG,
               "-mesh_periodic %s: got '%s', expected two labels, \"left,right\", pairs separated "
               "by ';'",
               text, whole);
    PetscCall(join(list, whole, first, second));
  }
  PetscCall(PetscFree(copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}
