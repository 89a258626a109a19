/* Blocks of a matrix in rows of ghosts, on their way to the owners. */
#ifndef RHX_SPACE_ROUTE_H
#define RHX_SPACE_ROUTE_H
#include "exchange/host/route.h"
#include "space/space.h"

/* n blocks: ghost[] of the row, from 0, and local node[] of the column. place[received][2], which is the caller's: row and column, nodes
 * of all ranks, of what RhxRouteSend then brings here. Collective. */
PetscErrorCode RhxSpaceRouteBlocks(RhxSpace space, PetscInt n, const PetscInt *ghost, const PetscInt *node,
                                   PetscInt *received, PetscInt **place, PetscSF *route);
#endif
