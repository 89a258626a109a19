/* What is left of rows where values are given or vanish, Y = K Y with a matrix K a node, as a table: from what it does to components. */
#ifndef RHX_CONSTRAINT_IMPL_H
#define RHX_CONSTRAINT_IMPL_H
#include <petscsys.h>

typedef struct _RhxConstraint *RhxConstraint;

/* a = K a, a[nodes][n] */
typedef PetscErrorCode (*RhxConstraintFn)(void *ctx, PetscScalar *a);

/* Collective where fn is. */
PetscErrorCode RhxConstraintCreate(PetscInt nodes, PetscInt n, RhxConstraintFn fn, void *ctx,
                                   RhxConstraint *constraint);
PetscErrorCode RhxConstraintDestroy(RhxConstraint *constraint);
/* K of node i from its component c to r. */
PetscScalar RhxConstraintShare(RhxConstraint constraint, PetscInt i, PetscInt r, PetscInt c);
#endif
