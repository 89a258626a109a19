/* How long elements are. */
#ifndef RHX_DIAMETER_H
#define RHX_DIAMETER_H
#include "space/space.h"

/* The largest distance of two nodes of element e, m. */
PetscReal RhxCellDiameter(const RhxCells *cells, PetscInt dim, PetscInt e);
/* The smallest one, m. */
PetscReal RhxCellShortest(const RhxCells *cells, PetscInt dim, PetscInt e);
/* Across where it is thinnest, m: h of a square or cube, h/sqrt(2) of a simplex with a right angle, from the metric by whose largest row
 * sum explicit viscous steps are bounded (kernels/limits.h); centre[3]: its own. */
PetscReal RhxCellThickness(const RhxCells *cells, PetscInt dim, PetscInt e, PetscReal centre[3]);
#endif
