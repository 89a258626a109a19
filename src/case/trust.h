/* A case is data: what it may set, what it may load, where it may write. Options of the command line, of PETSC_OPTIONS and of
 * ~/.petscrc are the user's own and free of this. */
#ifndef RHX_TRUST_H
#define RHX_TRUST_H
#include "case/keys.h"

/* May a case set this option (name without '-') to this value? */
PetscBool RhxTrustMaySet(const char *name, const char *value);
/* Error at the first key that a case may not set, or whose value would write elsewhere. */
PetscErrorCode RhxTrustCheckKeys(MPI_Comm comm, const char *file, const char *text, const RhxKeys *keys);
/* Remembers of the keys, now in the database, those that load or write. */
PetscErrorCode RhxTrustKeep(const RhxKeys *keys);
/* Between these calls the user's own options are set again: what they replace is the case's no more. The end restricts
 * plugins that the case names to allowed folders, and puts the files of its viewers below the output folder. */
PetscErrorCode RhxTrustUserBegin(void);
PetscErrorCode RhxTrustUserEnd(MPI_Comm comm);
/* Takes the case's monitors and views out of the database: nothing is written. */
PetscErrorCode RhxTrustDropViewers(void);
/* Makes the folders of the case's viewers, and refuses those that a link leads elsewhere. Collective. */
PetscErrorCode RhxTrustMakeFolders(MPI_Comm comm);
/* Beginnings of the names of PETSc's options that a case may set, and a few whole names; NULL past the end. */
const char *RhxTrustFamily(PetscInt i);
PetscErrorCode RhxTrustForget(void);
#endif
