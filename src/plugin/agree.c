#include "plugin/agree.h"

PetscErrorCode RhxAgree(MPI_Comm comm, size_t size, char *message, PetscBool *any)
{
  PetscMPIInt rank, ranks, first;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  first = message[0] ? rank : ranks;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm));
  *any = first < ranks ? PETSC_TRUE : PETSC_FALSE;
  if (*any) PetscCallMPI(MPI_Bcast(message, (PetscMPIInt)size, MPI_CHAR, first, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRaise(MPI_Comm comm, PetscErrorCode code, size_t size, char *message)
{
  PetscBool any;

  PetscFunctionBegin;
  PetscCall(RhxAgree(comm, size, message, &any));
  if (any) SETERRQ(comm, code, "%s", message);
  PetscFunctionReturn(PETSC_SUCCESS);
}
