/* Blocks of a matrix in rows of ghosts, on their way to the owners. */
#ifndef RHX_SPACE_ROUTE_H
#define RHX_SPACE_ROUTE_H
#include "space/space.h"

/* row, column: nodes of all ranks */
typedef PetscErrorCode (*RhxTakeBlock)(void *context, PetscInt row, PetscInt column, const PetscScalar *block);
/* n blocks value[n][size]: ghost[] of the row, from 0, and local node[] of the column. Their owners take them rank after rank, in the
 * same order in every run. Collective. */
PetscErrorCode RhxSpaceSendBlocks(RhxSpace space, PetscInt n, const PetscInt *ghost, const PetscInt *node,
                                  PetscInt size, const PetscScalar *value, RhxTakeBlock take, void *context);
#endif
