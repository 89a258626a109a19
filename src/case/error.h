/* Errors as a user sees them: one sentence, from the rank that can say it, and an exit code. */
#ifndef RHX_ERROR_H
#define RHX_ERROR_H
#include <petscsys.h>

#define RHX_ERROR_LENGTH 8192

/* Takes the place of PETSc's handler: keeps the newest message and prints nothing; debug: PETSc's stack too. */
PetscErrorCode RhxErrorHandlerPush(PetscBool debug);
const char *RhxErrorMessage(void); /* of the newest error, "" if none */
/* A communicator of its own for RhxErrorAgree, made while every rank is well; and its end. Collective. */
PetscErrorCode RhxErrorBegin(void);
PetscErrorCode RhxErrorEnd(void);
/* Called by a rank that failed: have all failed? Waits some seconds for the others. */
PetscErrorCode RhxErrorAgree(PetscBool *all);
/* Prints the message once and ends the process with exit code 1; aborts the other ranks if they did not fail. */
void RhxErrorExit(void);
#endif
