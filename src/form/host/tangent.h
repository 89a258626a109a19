/* The tangent of the weak form on the host, exact: by lanes with a derivative (rheoplex/real_duals.h), or where a plugin was built
 * without a C++ compiler, and for matrices of simplices with one point, by the complex step; both are linear in what they perturb.
 *
 *   J v = dR/dx v + shift (M + dR/dx_t) v + dR/da a'(x) v,  a(x) the auxiliary fields (projections), M of inertia.h
 *
 * A matrix leaves out the part with a': where projections are consistent it couples every node with every other. Faces take part;
 * what holds dt is left out where dt is 0. Boundary values are the caller's. Arrays as in form.h. */
#ifndef RHX_TANGENT_H
#define RHX_TANGENT_H
#include "form/form.h"
#include "form/part.h"

typedef struct {
  double t, dt;
  const PetscScalar *x, *aux; /* [nlocal][bs], [nlocal][naux]: a(x), or NULL where there are none */
  const PetscScalar *xdot;    /* [nlocal][bs] rate that strong residuals read, or NULL: zero, and its derivative too */
  double shift;               /* of the rate, 1/s; 0: of a steady residual */
  double inexact;             /* relative tolerance of a'(x) v by the consistent mass; 0: to rounding */
  int follows; /* in a matrix: L that stages make of projections changes as grad u does (kernels/compose.h) */
} RhxTangentPoint;

/* a[nlocal][naux] = a'(x) v, in ghosts too, v[nlocal][bs]. Boundary imposes what vanishes on planes of symmetry, as on a. */
PetscErrorCode RhxFormTangentProject(RhxForm form, const RhxTangentPoint *at, const PetscScalar *v, PetscScalar *a);
/* r[nlocal][bs] = dR/dx v + shift (M + dR/dx_t) v + dR/da a, sums over ranks in the owned part. */
PetscErrorCode RhxFormTangentProduct(RhxForm form, const RhxTangentPoint *at, const PetscScalar *v,
                                     const PetscScalar *a, PetscScalar *r);
/* A zero matrix of node blocks, AIJ, with the pattern of nodes that share an element, on any number of ranks. */
PetscErrorCode RhxFormCreateBlockMatrix(RhxForm form, Mat *A);
/* A = dR/dx + shift (M + dR/dx_t) */
PetscErrorCode RhxFormTangentMatrix(RhxForm form, const RhxTangentPoint *at, Mat A);
/* All of a node's components. */
RhxAuxiliaryPart RhxFormWholeAuxiliary(RhxForm form);
/* Zero matrices of node blocks for it: B of nstate x naux, C of naux x nstate. There are auxiliary fields. */
PetscErrorCode RhxFormCreateAuxiliaryMatrices(RhxForm form, const RhxAuxiliaryPart *part, Mat *B, Mat *C);
/* Of these components: B = dR/da; C = d(integral of N times the projected values)/dx: a'(x) = M_a^-1 C, M_a the mass of
 * projections. */
PetscErrorCode RhxFormTangentAuxiliary(RhxForm form, const RhxTangentPoint *at, const RhxAuxiliaryPart *part, Mat B,
                                       Mat C);
#endif
