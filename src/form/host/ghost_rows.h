/* Rows of ghosts of a matrix of node blocks: summed here and added to the rows of their owners rank after rank, the same bits in every
 * run. PETSc's own insertion adds what other ranks send in the order in which it comes. */
#ifndef RHX_GHOST_ROWS_H
#define RHX_GHOST_ROWS_H
#include "space/space.h"
#include <petscmat.h>

typedef struct RhxGhostRows_s *RhxGhostRows;
/* rows, columns: of a block. */
PetscErrorCode RhxGhostRowsCreate(RhxSpace sp, PetscInt rows, PetscInt columns, RhxGhostRows *ghosts);
/* Adds k[rows][n][columns] to the row of blocks of the ghost i, at n local nodes. */
PetscErrorCode RhxGhostRowsAdd(RhxGhostRows ghosts, PetscInt i, PetscInt n, const PetscInt *node, const PetscScalar *k);
/* Adds the sums to A, which is not yet assembled afterwards, and destroys them. Collective. */
PetscErrorCode RhxGhostRowsEnd(RhxGhostRows *ghosts, Mat A);
#endif
