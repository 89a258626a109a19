#include "space/route.h"
#include "exchange/host/route.h"
#include "petsc_compat.h"

/* place[received][2], which is the caller's: row and column of what the route brings here. */
static PetscErrorCode route_blocks(RhxSpace space, PetscInt n, const PetscInt *ghost, const PetscInt *node,
                                   PetscInt *received, PetscInt **place, PetscSF *route)
{
  const PetscInt *global;
  PetscInt *from;
  PetscFunctionBegin;
  PetscCall(RhxRouteCreate(space->sf, n, ghost, received, route));
  PetscCall(PetscMalloc1(2 * n, &from));
  PetscCall(PetscMalloc1(2 * *received, place));
  PetscCall(ISLocalToGlobalMappingGetIndices(space->l2g, &global));
  for (PetscInt k = 0; k < n; k++) {
    from[2 * k] = global[space->nowned + ghost[k]];
    from[2 * k + 1] = global[node[k]];
  }
  PetscCall(ISLocalToGlobalMappingRestoreIndices(space->l2g, &global));
  PetscCall(RhxRouteSend(*route, MPIU_INT, 2, from, *place));
  PetscCall(PetscFree(from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSpaceSendBlocks(RhxSpace space, PetscInt n, const PetscInt *ghost, const PetscInt *node,
                                  PetscInt size, const PetscScalar *value, RhxTakeBlock take, void *context)
{
  PetscInt received, *place;
  PetscScalar *block;
  PetscSF route;
  PetscFunctionBegin;
  PetscCall(route_blocks(space, n, ghost, node, &received, &place, &route));
  PetscCall(PetscMalloc1((size_t)received * size, &block));
  PetscCall(RhxRouteSend(route, MPIU_SCALAR, size, value, block));
  PetscCall(PetscSFDestroy(&route));
  for (PetscInt k = 0; k < received; k++)
    PetscCall(take(context, place[2 * k], place[2 * k + 1], block + (size_t)k * size));
  PetscCall(PetscFree(block));
  PetscCall(PetscFree(place));
  PetscFunctionReturn(PETSC_SUCCESS);
}
