/* Errors that happen on some ranks and have to be raised on all. Private to output. */
#ifndef RHX_OUTPUT_RAISE_H
#define RHX_OUTPUT_RAISE_H
#include "output/output.h"
#include "petsc_compat.h"

/* Raises the message of the lowest rank that has one on every rank; all empty: success. Collective. */
PetscErrorCode RhxOutputRaise(MPI_Comm comm, PetscErrorCode code, char message[RHX_MESSAGE]);
#endif
