#include "space/route.h"
#include "petsc_compat.h"

PetscErrorCode RhxSpaceRouteBlocks(RhxSpace space, PetscInt n, const PetscInt *ghost, const PetscInt *node,
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
