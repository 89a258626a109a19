/* How long elements are. */
#ifndef RHX_DIAMETER_H
#define RHX_DIAMETER_H
#include "space/space.h"

/* The largest distance of two nodes of element e, m. */
PetscReal RhxCellDiameter(const RhxCells *cells, PetscInt dim, PetscInt e);
/* The smallest one, m. */
PetscReal RhxCellShortest(const RhxCells *cells, PetscInt dim, PetscInt e);
#endif
