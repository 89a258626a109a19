/* Elements cut by a plane: each falls into simplices, of which the plane has a segment, a triangle or a quadrilateral; over these the element's own
 * shape functions are integrated. */
#include "space/cut.h"
#include "petsc_compat.h"
#include "space/about.h"
#include "space/locate_impl.h"

#define CORNERS 4 /* of a piece in space, at most */
#define POINTS 7  /* of a quadrature of degree 5 over a triangle; 3 over a segment */
#define NEAR \
  1e-7 /* of the mesh's extent: nodes so near to the plane are in it, by the digits of files, single ones, and of options */

static const PetscInt triangles[2][4] = {{0, 1, 2}, {0, 2, 3}};
static const PetscInt tetrahedra[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                          {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};

typedef struct {
  RhxSpace space;
  PetscReal point[3], normal[3], radius, near; /* near: m, the same for all elements of a node */
  RhxCut *cut;
  PetscInt room;
} Cutter;

static PetscReal height(const Cutter *k, const PetscReal *x)
{
  PetscReal h = 0;

  for (PetscInt d = 0; d < k->space->dim; d++) h += (x[d] - k->point[d]) * k->normal[d];
  return PetscAbsReal(h) <= k->near ? 0 : h;
}

/* Where the plane meets the edge between two corners on its two sides, of the heights h. */
static void meet(const PetscReal *a, const PetscReal *b, PetscReal ha, PetscReal hb, PetscReal x[3])
{
  const PetscReal s = ha / (ha - hb);

  for (int d = 0; d < 3; d++) x[d] = a[d] + s * (b[d] - a[d]);
}

/* Corners of the plane's piece in a simplex, in their order around it; 0: none. A corner in the plane is in front of it. */
static PetscInt piece_of(const Cutter *k, const PetscInt *corner, PetscReal x[RHX_MAX_NODES][3],
                         PetscReal piece[CORNERS][3])
{
  const PetscInt n = k->space->dim + 1;
  PetscInt behind[4], front[4], nb = 0, nf = 0, count = 0;
  PetscReal h[4];

  for (PetscInt i = 0; i < n; i++) {
    h[i] = height(k, x[corner[i]]);
    if (h[i] < 0)
      behind[nb++] = i;
    else
      front[nf++] = i;
  }
  for (PetscInt i = 0; i < nb; i++)
    for (PetscInt j = 0; j < nf; j++) {
      const PetscInt f = front[nb == 2 && i ? nf - 1 - j : j]; /* around a quadrilateral */
      meet(x[corner[behind[i]]], x[corner[f]], h[behind[i]], h[f], piece[count++]);
    }
  return count;
}

/* Points x[][3] and weights of a quadrature of degree 5 over a segment (Gauss) or a triangle (Radon). */
static PetscInt quadrature(PetscInt dim, PetscReal corner[3][3], PetscReal x[POINTS][3], PetscReal w[POINTS])
{
  const PetscReal root = PetscSqrtReal(15.0), a[2] = {(6 - root) / 21, (6 + root) / 21},
                  wa[2] = {(155 - root) / 1200, (155 + root) / 1200};
  PetscReal e[2][3], area, normal[3], s[POINTS][2] = {{1.0 / 3, 1.0 / 3}};
  const PetscInt n = dim == 2 ? 3 : POINTS;

  for (int d = 0; d < 3; d++)
    for (int i = 0; i < 2; i++) e[i][d] = corner[dim == 2 ? 1 : 1 + i][d] - corner[0][d];
  for (int d = 0; d < 3; d++) normal[d] = e[0][(d + 1) % 3] * e[1][(d + 2) % 3] - e[0][(d + 2) % 3] * e[1][(d + 1) % 3];
  area = dim == 2 ? PetscSqrtReal(e[0][0] * e[0][0] + e[0][1] * e[0][1])
                  : 0.5 * PetscSqrtReal(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  w[0] = (dim == 2 ? 4.0 / 9 : 0.225) * area;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3 && dim == 3; j++) {
      w[1 + 3 * i + j] = wa[i] * area;
      s[1 + 3 * i + j][0] = j == 0 ? 1 - 2 * a[i] : a[i];
      s[1 + 3 * i + j][1] = j == 1 ? 1 - 2 * a[i] : a[i];
    }
  for (int i = 0; i < 3 && dim == 2; i++) {
    w[i] = (i == 0 ? 4.0 / 9 : 2.5 / 9) * area;
    s[i][0] = 0.5 + 0.5 * (i == 0 ? 0 : i == 1 ? -1 : 1) * PetscSqrtReal(0.6);
    s[i][1] = 0;
  }
  for (PetscInt i = 0; i < n; i++)
    for (int d = 0; d < 3; d++) x[i][d] = corner[0][d] + s[i][0] * e[0][d] + s[i][1] * e[1][d];
  return n;
}

static PetscErrorCode make_room(Cutter *k)
{
  RhxPlaces *p = k->cut->places;
  const PetscInt n = p->nmine;
  RhxPlaces wide = *p;
  PetscReal *product;

  PetscFunctionBegin;
  if (n < k->room) PetscFunctionReturn(PETSC_SUCCESS);
  k->room = 2 * k->room + 64;
  PetscCall(PetscCalloc4(k->room, &wide.point, k->room, &wide.nn, 8 * k->room, &wide.node, 8 * k->room, &wide.N));
  PetscCall(PetscCalloc1(64 * k->room, &product));
  PetscCall(PetscArraycpy(wide.nn, p->nn, n));
  PetscCall(PetscArraycpy(wide.node, p->node, 8 * n));
  PetscCall(PetscArraycpy(wide.N, p->N, 8 * n));
  PetscCall(PetscArraycpy(product, k->cut->product, 64 * n));
  PetscCall(PetscFree4(p->point, p->nn, p->node, p->N));
  PetscCall(PetscFree(k->cut->product));
  *p = wide;
  k->cut->product = product;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the integrals over a segment or a triangle in an element to those of place i. */
static void integrate(Cutter *k, const RhxElement *e, PetscReal x[RHX_MAX_NODES][3], PetscReal corner[3][3], PetscInt i)
{
  PetscReal at[POINTS][3], w[POINTS], N[RHX_MAX_NODES];
  const PetscInt n = quadrature(k->space->dim, corner, at, w);

  for (PetscInt q = 0; q < n; q++) {
    const PetscReal part = w[q] * (k->space->axisymmetric ? 2 * PETSC_PI * at[q][1] : 1);
    (void)RhxElementLocate(e, x, at[q], N);
    k->cut->area += part;
    for (PetscInt a = 0; a < e->nn; a++) {
      k->cut->places->N[8 * i + a] += part * N[a];
      for (PetscInt b = 0; b < e->nn; b++) k->cut->product[64 * i + 8 * a + b] += part * N[a] * N[b];
    }
  }
}

static PetscBool is_near(const Cutter *k, const RhxElement *e, PetscReal x[RHX_MAX_NODES][3])
{
  PetscReal square = 0;

  for (PetscInt d = 0; d < e->dim; d++) {
    PetscReal centre = 0;
    for (PetscInt a = 0; a < e->nn; a++) centre += x[a][d] / e->nn;
    square += PetscSqr(centre - k->point[d]);
  }
  return (PetscBool)(!(k->radius > 0) || square <= k->radius * k->radius);
}

static PetscErrorCode cut_element(Cutter *k, PetscInt number)
{
  const PetscInt dim = k->space->dim, i = k->cut->places->nmine;
  PetscReal x[RHX_MAX_NODES][3] = {{0}}, piece[CORNERS][3] = {{0}}, low = PETSC_INFINITY, high = PETSC_NINFINITY;
  PetscInt node[RHX_MAX_NODES], nsimplices;
  PetscBool any = PETSC_FALSE;
  const RhxElement *e = RhxSpaceCorners(k->space, number, x, node);

  PetscFunctionBegin;
  for (PetscInt a = 0; a < e->nn; a++) {
    low = PetscMin(low, height(k, x[a]));
    high = PetscMax(high, height(k, x[a]));
  }
  if (!(low < 0 && high >= 0) || !is_near(k, e, x)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(make_room(k));
  nsimplices = e->nn == dim + 1 ? 1 : dim == 2 ? 2 : 6;
  for (PetscInt s = 0; s < nsimplices; s++) {
    static const PetscInt whole[4] = {0, 1, 2, 3};
    const PetscInt n = piece_of(k, nsimplices == 1 ? whole : dim == 2 ? triangles[s] : tetrahedra[s], x, piece);
    for (PetscInt t = 0; t < n - dim + 1; t++) { /* triangles of a quadrilateral */
      PetscReal corner[3][3];
      for (int c = 0; c < 3; c++) PetscCall(PetscArraycpy(corner[c], piece[c == 0 ? 0 : t + c], 3));
      integrate(k, e, x, corner, i);
      any = PETSC_TRUE;
    }
  }
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  k->cut->places->nn[i] = e->nn;
  PetscCall(PetscArraycpy(k->cut->places->node + 8 * i, node, e->nn));
  k->cut->places->nmine++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_near(Cutter *k)
{
  PetscReal range[6]; /* upper, and lower with the other sign */

  PetscFunctionBegin;
  for (PetscInt d = 0; d < 6; d++) range[d] = PETSC_NINFINITY;
  for (PetscInt i = 0; i < k->space->nlocal * k->space->dim; i++) {
    const PetscInt d = i % k->space->dim;
    range[d] = PetscMax(range[d], k->space->x[i]);
    range[3 + d] = PetscMax(range[3 + d], -k->space->x[i]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, range, 6, MPIU_REAL, MPI_MAX, k->space->comm));
  for (PetscInt d = 0; d < k->space->dim; d++) k->near = PetscMax(k->near, NEAR * (range[d] + range[3 + d]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cut_all(Cutter *k)
{
  PetscInt nelements = 0;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(k->cut->places->N, 8 * k->cut->places->nmine));
  PetscCall(PetscArrayzero(k->cut->product, 64 * k->cut->places->nmine));
  k->cut->places->nmine = 0;
  k->cut->area = 0;
  for (PetscInt t = 0; t < k->space->ntypes; t++) nelements += k->space->cells[t].n;
  for (PetscInt e = 0; e < nelements; e++) PetscCall(cut_element(k, e));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &k->cut->area, 1, MPIU_REAL, MPI_SUM, k->space->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is this one that the plane meets in more than an edge, beyond the radius, and beside one that counts? */
static PetscBool is_left_out(const Cutter *k, PetscInt number, const PetscScalar *counts)
{
  PetscReal x[RHX_MAX_NODES][3] = {{0}};
  PetscInt node[RHX_MAX_NODES], behind = 0, within = 0;
  PetscBool beside = PETSC_FALSE;
  const RhxElement *e = RhxSpaceCorners(k->space, number, x, node);

  for (PetscInt a = 0; a < e->nn; a++) {
    const PetscReal h = height(k, x[a]);
    behind += h < 0;
    within += h == 0;
    if (PetscRealPart(counts[node[a]]) > 0) beside = PETSC_TRUE;
  }
  return (PetscBool)(beside && behind && (behind + within < e->nn || within >= e->dim) && !is_near(k, e, x));
}

static PetscErrorCode find_severed(Cutter *k)
{
  const RhxPlaces *p = k->cut->places;
  PetscInt n = 0, nelements = 0;
  PetscScalar *counts;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(k->space->nlocal, &counts));
  for (PetscInt i = 0; i < p->nmine; i++)
    for (PetscInt a = 0; a < p->nn[i]; a++) counts[p->node[8 * i + a]] = 1;
  PetscCall(RhxMarkShare(k->space, counts));
  for (PetscInt t = 0; t < k->space->ntypes; t++) nelements += k->space->cells[t].n;
  for (PetscInt e = 0; e < nelements; e++) n += is_left_out(k, e, counts);
  PetscCall(PetscFree(counts));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_SUM, k->space->comm));
  k->cut->severed = (PetscBool)(n > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceCut(RhxSpace space, const PetscReal *point, const PetscReal *normal, PetscReal radius,
                           RhxCut **cut)
{
  Cutter k = {.space = space, .radius = radius};

  PetscFunctionBegin;
  PetscCall(PetscNew(cut));
  k.cut = *cut;
  PetscCall(PetscNew(&k.cut->places));
  k.cut->places->n = 1;
  PetscCall(PetscCalloc2(1, &k.cut->places->found, 1, &k.cut->places->near));
  PetscCall(PetscArraycpy(k.point, point, space->dim));
  PetscCall(PetscArraycpy(k.normal, normal, space->dim));
  PetscCall(find_near(&k));
  PetscCall(cut_all(&k));
  if (!(k.cut->area > 0)) { /* all elements may be in front of it, as at an inlet */
    for (PetscInt d = 0; d < space->dim; d++) k.normal[d] = -k.normal[d];
    PetscCall(cut_all(&k));
  }
  if (radius > 0) PetscCall(find_severed(&k));
  k.cut->places->found[0] = (PetscBool)(k.cut->area > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCutDestroy(RhxCut **cut)
{
  PetscFunctionBegin;
  if (!*cut) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxPlacesDestroy(&(*cut)->places));
  PetscCall(PetscFree((*cut)->product));
  PetscCall(PetscFree(*cut));
  PetscFunctionReturn(PETSC_SUCCESS);
}
