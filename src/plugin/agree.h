/* Messages that some ranks have and all have to know. */
#ifndef RHX_PLUGIN_AGREE_H
#define RHX_PLUGIN_AGREE_H
#include "petsc_compat.h"

/* message[size]: becomes that of the lowest rank that has one, on every rank; any: there was one. Collective. */
PetscErrorCode RhxAgree(MPI_Comm comm, size_t size, char *message, PetscBool *any);

/* Raises that message on every rank; all empty: success. Collective. */
PetscErrorCode RhxRaise(MPI_Comm comm, PetscErrorCode code, size_t size, char *message);
#endif
