/* Options of PETSc's viewers and levels of which nothing would come. */
#ifndef RHX_SCHEME_VIEWERS_IMPL_H
#define RHX_SCHEME_VIEWERS_IMPL_H
#include "scheme/type_impl.h"

/* One that prints nothing, or ends the program, is an error, of TS, SNES, KSP, Mat and DM. Collective. */
PetscErrorCode RhxViewersCheck(MPI_Comm comm);
/* Meshes of several levels, elements of PETSc and parts of the mesh, which neither Newton's method nor a preconditioner has. Collective. */
PetscErrorCode RhxLevelsCheck(MPI_Comm comm);
#endif
