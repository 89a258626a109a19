/* Any number of items of each ghost to the ghost's owner, where those of one rank follow those of the rank before: the same order in
 * every run. */
#ifndef RHX_ROUTE_H
#define RHX_ROUTE_H
#include <petscsf.h>

/* sf: ghosts (leaves, by rank) and their owners' entries; ghost[n] of the items, from 0; received: items that come here. Collective. */
PetscErrorCode RhxRouteCreate(PetscSF sf, PetscInt n, const PetscInt *ghost, PetscInt *received, PetscSF *route);
/* to[received][width] from everyone's from[n][width], of type MPIU_SCALAR or MPIU_INT. Collective. */
PetscErrorCode RhxRouteSend(PetscSF route, MPI_Datatype type, PetscInt width, const void *from, void *to);
#endif
