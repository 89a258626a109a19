/* What planes of symmetry that are oblique to the axes take away at their nodes. */
#ifndef RHX_ODD_IMPL_H
#define RHX_ODD_IMPL_H
#include "boundary/boundary.h"

/* Symmetry: node and normal pairs, orthonormal at a node; x -= (x.n) n in turn. */
typedef struct {
  PetscInt n, *node;
  PetscReal *normal; /* [n][dim] */
} RhxPlaneNormals;

/* Of tensors or gradients, orthonormal at a node in a : b; x -= (dual.x) part in turn. */
typedef struct {
  PetscInt n, *node, components;
  PetscReal *part, *dual; /* [n][components] */
} RhxOddParts;

typedef struct {
  RhxPlaneNormals planes;       /* local nodes on some oblique plane: all their planes, as they are */
  RhxOddParts shear;            /* of modes that no condition gives, at owned nodes */
  RhxOddParts tensor, gradient; /* of auxiliary rows, at local nodes */
  PetscInt ntensors, *tensors, ngradients, *gradients; /* offsets of these rows in the auxiliary components */
} RhxOdd;

/* winner: modes, of owned nodes where it is below 0; NULL: all local nodes */
PetscErrorCode RhxOddPartsCreate(RhxBoundary bc, RhxAuxShape shape, const PetscInt *winner, RhxOddParts *p);
PetscErrorCode RhxOddPartsDestroy(RhxOddParts *p);
void RhxOddPartsRemove(const RhxOddParts *p, PetscInt bs, PetscInt offset, PetscScalar *x);
PetscBool RhxNodeIsTurned(RhxBoundary bc, PetscInt node);
#endif
