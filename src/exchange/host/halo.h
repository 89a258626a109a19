/* Values that ranks share, on the host: blocks of any width at ghosts and their owners, by PetscSF. It knows no device;
 * exchange/exchange.h is the same in a device's memory. */
#ifndef RHX_HALO_H
#define RHX_HALO_H
#include <petscsf.h>

typedef struct RhxHalo_s *RhxHalo;
/* sf: from entries of this rank (roots) to ghosts (leaves); kept. Collective, as all here. On one rank nothing is exchanged. */
PetscErrorCode RhxHaloCreate(PetscSF sf, RhxHalo *halo);
PetscErrorCode RhxHaloDestroy(RhxHalo *halo);
/* Ghosts from their owners: v[entries][width] of type MPIU_SCALAR or MPIU_INT. Between Begin and End v may not change; several
 * may be under way. */
PetscErrorCode RhxHaloBegin(RhxHalo halo, MPI_Datatype type, PetscInt width, void *v);
PetscErrorCode RhxHaloEnd(RhxHalo halo, MPI_Datatype type, PetscInt width, void *v);
PetscErrorCode RhxHaloGhosts(RhxHalo halo, MPI_Datatype type, PetscInt width, void *v); /* both */
/* Ghosts into their owners by op, such as MPIU_SUM. */
PetscErrorCode RhxHaloReduceBegin(RhxHalo halo, MPI_Datatype type, PetscInt width, MPI_Op op, void *v);
PetscErrorCode RhxHaloReduceEnd(RhxHalo halo, MPI_Datatype type, PetscInt width, MPI_Op op, void *v);
PetscErrorCode RhxHaloReduce(RhxHalo halo, MPI_Datatype type, PetscInt width, MPI_Op op, void *v); /* both */
#endif
