/* The tangent of the weak form on the host, exact: derivatives by the complex step, which is linear in what it perturbs.
 *
 *   J v = dR/dx v + dR/da a'(x) v,  a(x) the auxiliary fields (projections)
 *
 * A matrix holds dR/dx alone: a'(x) couples every node with every other where projections are consistent. Faces take part;
 * steady: no rates, and what holds dt is left out where dt is 0. Boundary values are the caller's. Arrays as in form.h. */
#ifndef RHX_TANGENT_H
#define RHX_TANGENT_H
#include "form/form.h"

typedef struct {
  double t, dt;
  const PetscScalar *x, *aux; /* [nlocal][bs], [nlocal][naux]: a(x), or NULL where there are none */
} RhxTangentPoint;

/* a[nlocal][naux] = a'(x) v, in ghosts too, v[nlocal][bs]. Boundary imposes what vanishes on planes of symmetry, as on a. */
PetscErrorCode RhxFormTangentProject(RhxForm form, const RhxTangentPoint *at, const PetscScalar *v, PetscScalar *a);
/* r[nlocal][bs] = dR/dx v + dR/da a, sums over ranks in the owned part. */
PetscErrorCode RhxFormTangentProduct(RhxForm form, const RhxTangentPoint *at, const PetscScalar *v,
                                     const PetscScalar *a, PetscScalar *r);
/* A zero matrix of node blocks, AIJ, with the pattern of nodes that share an element, on any number of ranks. */
PetscErrorCode RhxFormCreateBlockMatrix(RhxForm form, Mat *A);
PetscErrorCode RhxFormTangentMatrix(RhxForm form, const RhxTangentPoint *at, Mat A); /* A = dR/dx */
#endif
