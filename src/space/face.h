/* Geometry of boundary faces and elements at their quadrature points. */
#ifndef RHX_SPACE_FACE_H
#define RHX_SPACE_FACE_H
#include "space/space.h"

/* What an area of the half plane sweeps at a quadrature point: 2 pi r, m; 1 where the flow is not axisymmetric. */
double RhxFaceSwept(const RhxFaceGroup *g, PetscInt f, PetscInt q);
double RhxCellsSwept(const RhxCells *cells, PetscInt e, PetscInt q);
/* n = outward normal times length or area and weight at quadrature point q of face f in the mesh; returns its length. */
double RhxFaceMeshNormal(const RhxFaceGroup *g, PetscInt dim, PetscInt f, PetscInt q, double n[3]);
/* The same times what it sweeps. */
double RhxFaceNormal(const RhxFaceGroup *g, PetscInt dim, PetscInt f, PetscInt q, double n[3]);
/* Gradients dN[nn][dim] of the shape functions in space at quadrature point q of element e; returns weight times Jacobian. */
double RhxCellsGradients(const RhxCells *cells, PetscInt dim, PetscInt e, PetscInt q, double dN[8][3]);
/* Local node of the parent's node a. */
static inline PetscInt RhxFaceParentNode(const RhxFaceGroup *g, PetscInt f, PetscInt a)
{
  return g->conn[((f / RHX_LANES) * g->nn + a) * RHX_LANES + f % RHX_LANES];
}
#endif
