/* The space as PETSc sees it: a DMPlex whose section has the fields with names and components, in the order of the nodes. */
#ifndef RHX_SPACE_DM_H
#define RHX_SPACE_DM_H
#include "space/space.h"

/* A clone of the mesh's DM with the fields of the state, and with edges and faces by -dm_plex_interpolate: its global Vecs have the layout of
 * RhxSpaceCreateVec(space, bs). -dm_view shows the first one. Collective, as the next; destroy after use. */
PetscErrorCode RhxSpaceCreateDM(RhxSpace space, DM *dm);
/* The same for one scalar a node, of that name. */
PetscErrorCode RhxSpaceCreateScalarDM(RhxSpace space, const char *name, DM *dm);
#endif
