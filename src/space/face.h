/* Geometry of boundary faces and elements at their quadrature points. */
#ifndef RHX_SPACE_FACE_H
#define RHX_SPACE_FACE_H
#include "space/space.h"

/* n = outward normal times area and weight at quadrature point q of face f; returns its length. */
double RhxFaceNormal(const RhxFaceGroup *g, PetscInt dim, PetscInt f, PetscInt q, double n[3]);
/* Gradients dN[nn][dim] of the shape functions in space at quadrature point q of element e; returns weight times Jacobian. */
double RhxCellsGradients(const RhxCells *cells, PetscInt dim, PetscInt e, PetscInt q, double dN[8][3]);
/* Local node of the parent's node a. */
static inline PetscInt RhxFaceParentNode(const RhxFaceGroup *g, PetscInt f, PetscInt a)
{
  return g->conn[((f / RHX_LANES) * g->nn + a) * RHX_LANES + f % RHX_LANES];
}
#endif
