#include "space/element_impl.h"

typedef struct {
  DMPolytopeType type;
  PetscInt dim, nn;
  PetscReal corner[8][3];
} Shape;

static const Shape shapes[] = {
    {DM_POLYTOPE_TRIANGLE, 2, 3, {{0, 0}, {1, 0}, {0, 1}}},
    {DM_POLYTOPE_QUADRILATERAL, 2, 4, {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}},
    {DM_POLYTOPE_TETRAHEDRON, 3, 4, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {DM_POLYTOPE_HEXAHEDRON,
     3,
     8,
     {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}}},
};

static PetscBool is_simplex(const Shape *s) { return (PetscBool)(s->nn == s->dim + 1); }

/* Shape functions N[nn] and gradients dN[nn][dim] at xi. */
static void evaluate(const Shape *s, const PetscReal *xi, PetscReal *N, PetscReal *dN)
{
  for (PetscInt a = 0; a < s->nn; a++) {
    if (is_simplex(s)) {
      N[a] = a ? xi[a - 1] : 1;
      for (PetscInt d = 0; d < s->dim; d++) {
        if (!a) N[a] -= xi[d];
        dN[a * s->dim + d] = a ? (PetscReal)(a - 1 == d) : -1;
      }
      continue;
    }
    N[a] = 1;
    for (PetscInt d = 0; d < s->dim; d++) N[a] *= 0.5 * (1 + s->corner[a][d] * xi[d]);
    for (PetscInt d = 0; d < s->dim; d++) {
      PetscReal g = 0.5 * s->corner[a][d];
      for (PetscInt e = 0; e < s->dim; e++)
        if (e != d) g *= 0.5 * (1 + s->corner[a][e] * xi[e]);
      dN[a * s->dim + d] = g;
    }
  }
}

/* Quadrature exact to degree 2 (simplices) or 3 in each direction (products of Gauss points). */
static PetscInt quadrature(PetscBool simplex, PetscInt dim, PetscReal (*xi)[3], PetscReal *w)
{
  const PetscReal gauss = 1 / PetscSqrtReal(3.0);
  const PetscReal b = dim == 2 ? 1. / 6 : (5 - PetscSqrtReal(5.0)) / 20;
  const PetscInt nq = simplex ? dim + 1 : 1 << dim;

  for (PetscInt q = 0; q < nq; q++) {
    w[q] = simplex ? (dim == 2 ? 1. / 6 : 1. / 24) : 1;
    for (PetscInt d = 0; d < dim; d++) {
      if (simplex)
        xi[q][d] = q == d + 1 ? 1 - dim * b : b;
      else
        xi[q][d] = (q >> d) & 1 ? gauss : -gauss;
    }
  }
  return nq;
}

static void set_up_side(const Shape *s, PetscInt nn, const PetscInt *node, RhxSide *side)
{
  const PetscBool simplex = (PetscBool)(nn == 3);
  PetscReal eta[4][3];

  side->nn = nn;
  side->nq = quadrature(simplex, s->dim - 1, eta, side->w);
  for (PetscInt k = 0; k < side->nn; k++) side->node[k] = node[k];
  for (PetscInt k = 0; k < s->dim - 1; k++) {
    const PetscInt to = node[k == 0 ? 1 : side->nn - 1];
    for (PetscInt d = 0; d < s->dim; d++)
      side->tangent[k * s->dim + d] = (s->corner[to][d] - s->corner[node[0]][d]) * (simplex ? 1 : 0.5);
  }
  for (PetscInt q = 0; q < side->nq; q++) {
    PetscReal xi[3] = {0, 0, 0};

    for (PetscInt d = 0; d < s->dim; d++) {
      xi[d] = s->corner[node[0]][d];
      for (PetscInt k = 0; k < s->dim - 1; k++)
        xi[d] += side->tangent[k * s->dim + d] * (simplex ? eta[q][k] : 1 + eta[q][k]);
    }
    evaluate(s, xi, side->N + q * s->nn, side->dN + q * s->nn * s->dim);
  }
}

/* Q = 2 sum_a dN_a (x) dN_a for simplices, so that g = 2 sum_a grad N_a (x) grad N_a; the identity on [-1,1]^d. */
static void set_up_metric(const Shape *s, RhxElement *e)
{
  for (PetscInt i = 0; i < s->dim; i++)
    for (PetscInt j = 0; j < s->dim; j++) {
      PetscReal q = i == j;
      if (is_simplex(s)) {
        q = 0;
        for (PetscInt a = 0; a < s->nn; a++) q += 2 * e->dN[a * s->dim + i] * e->dN[a * s->dim + j];
      }
      e->metric[i * s->dim + j] = q;
    }
}

static const Shape *shape_of(DMPolytopeType type)
{
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(shapes); k++)
    if (shapes[k].type == type) return &shapes[k];
  return NULL;
}

void RhxElementEvaluate(const RhxElement *element, const PetscReal *xi, PetscReal *N, PetscReal *dN)
{
  evaluate(shape_of(element->type), xi, N, dN);
}

PetscErrorCode RhxElementSetUp(DMPolytopeType type, RhxElement *e)
{
  const RhxCellSides *sides = RhxCellTypeSides(type);
  const Shape *s = shape_of(type);
  PetscReal xi[RHX_MAX_POINTS][3];

  PetscFunctionBegin;
  PetscCheck(s && sides, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "cells of type %s have no kernels: expected triangles, quadrilaterals, tetrahedra or hexahedra",
             DMPolytopeTypes[type]);
  PetscCall(PetscMemzero(e, sizeof(*e)));
  e->type = type;
  e->dim = s->dim;
  e->nn = s->nn;
  e->nsides = sides->n;
  e->nq = quadrature(is_simplex(s), s->dim, xi, e->w);
  for (PetscInt q = 0; q < e->nq; q++) evaluate(s, xi[q], e->N + q * e->nn, e->dN + q * e->nn * e->dim);
  set_up_metric(s, e);
  for (PetscInt k = 0; k < e->nsides; k++) set_up_side(s, sides->nn, sides->node[k], &e->side[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
