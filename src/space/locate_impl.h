/* Elements and the points in them. */
#ifndef RHX_LOCATE_IMPL_H
#define RHX_LOCATE_IMPL_H
#include "space/element_impl.h"
#include "space/space.h"

/* Corners x[nn][dim] of an element of this rank, numbered through all types, and unless NULL its local nodes. */
const RhxElement *RhxSpaceCorners(RhxSpace space, PetscInt number, PetscReal x[RHX_MAX_NODES][3], PetscInt *node);
/* Reference coordinates of p by Newton's method, as far as they are inside: how far they are out, and N there. */
PetscReal RhxElementLocate(const RhxElement *e, PetscReal x[RHX_MAX_NODES][3], const PetscReal *p, PetscReal *N);
#endif
