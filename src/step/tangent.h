/* The weak form R with the inertia M of the state and its derivatives, for implicit schemes; a part of the table of operations:
 *
 *   J v = dR/dx v + shift (M + dR/dx_t) v + dR/da a'(x) v,  a(x) the auxiliary fields (projections), M: form/host/inertia.h
 *
 * Exact, boundary values are the caller's. Host: form/host/tangent.h. Device: matrices and products there (form/cuda/matrix_impl.h,
 * product.h), on any number of ranks; `auxiliary`, `inertia_matrix` and projections with the consistent mass by the host, for which
 * what they need is fetched. */
#ifndef RHX_STEP_TANGENT_H
#define RHX_STEP_TANGENT_H
#include "form/part.h"
#include <petscmat.h>

typedef struct _p_RhxArray *RhxArray;
typedef struct _p_RhxOps *RhxOps;
typedef struct _p_RhxOblique *RhxOblique; /* boundary/oblique.h */

/* Where derivatives are taken; ghosts of the arrays are valid. */
typedef struct {
  double t, dt; /* s; what holds dt is left out where dt is 0 */
  RhxArray x, aux;
  RhxArray xdot;  /* rate that strong residuals read; NULL: zero, and its derivative too */
  double shift;   /* of the rate, 1/s; 0: of a steady residual */
  double inexact; /* relative tolerance of `project` by the consistent mass, on the host; 0: to rounding */
  int follows;    /* of `matrix`: where stages put a projected gradient in place of grad u, it changes as that does */
} RhxOpsPoint;

/* All collective. */
typedef struct {
  PetscErrorCode (*create)(RhxOps ops, Mat *A); /* zero, of node blocks, with the pattern of J; the caller's */
  /* at->aux = a(x), as it is on planes of symmetry; ghosts too. Given values and sources of t are set. */
  PetscErrorCode (*fields)(RhxOps ops, const RhxOpsPoint *at);
  PetscErrorCode (*residual)(RhxOps ops, const RhxOpsPoint *at, RhxArray r); /* r = R(x, a), after `fields` */
  /* A = dR/dx + shift (M + dR/dx_t): J at fixed projections */
  PetscErrorCode (*matrix)(RhxOps ops, const RhxOpsPoint *at, Mat A);
  /* a = a'(x) v, as it is on planes of symmetry; ghosts too, and those of v are valid */
  PetscErrorCode (*project)(RhxOps ops, const RhxOpsPoint *at, RhxArray v, RhxArray a);
  /* r = dR/dx v + shift (M + dR/dx_t) v + dR/da a; a NULL: zero */
  PetscErrorCode (*product)(RhxOps ops, const RhxOpsPoint *at, RhxArray v, RhxArray a, RhxArray r);
  /* New matrices B = dR/da and C = d(integral of N times the projected values)/dx, of which a' = M_a^-1 C; part NULL: of all
   * components. There are projections. */
  PetscErrorCode (*auxiliary)(RhxOps ops, const RhxOpsPoint *at, const RhxAuxiliaryPart *part, Mat *B, Mat *C);
  PetscErrorCode (*inertia)(RhxOps ops, RhxArray v, RhxArray r); /* r += M v */
  PetscErrorCode (*inertia_matrix)(RhxOps ops, Mat A);           /* A += M, made by `create`; not yet assembled then */
  /* Owned rows of f = R that turn become those of F, x: where they are given; NULL: 0. The same rows in every call. */
  PetscErrorCode (*turn)(RhxOps ops, RhxOblique oblique, RhxArray x, RhxArray f);
} RhxTangentTable;

extern const RhxTangentTable RhxTangentHost, RhxTangentDevice;
/* What both add to a matrix: the derivative of what flows in at inlets that give the polymer in its flux, a block[width][width] of each
 * of the owned nodes (borrowed; NULL: on no rank). The caller frees block. Collective. */
PetscErrorCode RhxTangentInflow(RhxOps ops, RhxArray x, IS *nodes, PetscScalar **block);
PetscErrorCode RhxTangentFilm(RhxOps ops, IS *nodes, PetscScalar **block); /* likewise of films of scalar fields */
#endif
