/* Elements about marked nodes: flag[nlocal] > 0. */
#ifndef RHX_ABOUT_H
#define RHX_ABOUT_H
#include "space/space.h"

/* near: 1 at the nodes of this rank's elements that have a marked node; else it stays. */
void RhxMarkTouched(RhxSpace space, const PetscScalar *flag, PetscScalar *near);
/* What one rank marks all do. Collective, as what follows. */
PetscErrorCode RhxMarkShare(RhxSpace space, PetscScalar *flag);
/* Marks on all ranks alike become those of so many rings of elements about them. */
PetscErrorCode RhxMarkWiden(RhxSpace space, PetscInt rings, PetscScalar *flag);
/* cells[ntypes]: this rank's elements that have a marked node, in tables of their own and the order they have. */
PetscErrorCode RhxSpaceTakeCells(RhxSpace space, const PetscScalar *flag, RhxCells **cells);
PetscErrorCode RhxSpaceFreeCells(RhxSpace space, RhxCells **cells);
#endif
