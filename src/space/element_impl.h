/* Reference elements: P1 on the unit simplex, Q1 on [-1,1]^d, corners in VTK order, and their sides. */
#ifndef RHX_ELEMENT_IMPL_H
#define RHX_ELEMENT_IMPL_H
#include "mesh/mesh.h"
#include "petsc_compat.h"

#define RHX_MAX_POINTS 8 /* quadrature points of a cell */
#define RHX_MAX_NODES 8

/* One side of a reference element: its corners seen from outside run counter-clockwise. */
typedef struct {
  PetscInt nn, nq;
  PetscInt node[4];                                       /* of the parent */
  PetscReal w[4];                                         /* on [-1,1]^(d-1) or the unit triangle */
  PetscReal N[4 * RHX_MAX_NODES], dN[12 * RHX_MAX_NODES]; /* of the parent, [nq][nn of the parent]([dim]) */
  PetscReal tangent[6];
} RhxSide;

typedef struct RhxElement {
  DMPolytopeType type;
  PetscInt dim, nn, nq, nsides;
  PetscReal w[RHX_MAX_POINTS];
  PetscReal N[RHX_MAX_POINTS * RHX_MAX_NODES], dN[RHX_MAX_POINTS * RHX_MAX_NODES * 3];
  PetscReal metric[9]; /* Q of g = J^-T Q J^-1 */
  RhxSide side[RHX_MAX_SIDES];
} RhxElement;

/* Shape functions N[nn] and their reference gradients dN[nn][dim] at a point xi[dim] of the reference element. */
void RhxElementEvaluate(const RhxElement *element, const PetscReal *xi, PetscReal *N, PetscReal *dN);
/* Error for a type without kernels. */
PetscErrorCode RhxElementSetUp(DMPolytopeType type, RhxElement *element);
#endif
