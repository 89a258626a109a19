#include "output/raise.h"

PetscErrorCode RhxOutputRaise(MPI_Comm comm, PetscErrorCode code, char message[RHX_MESSAGE])
{
  PetscMPIInt rank, size, mine, first;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  mine = message[0] ? rank : size;
  PetscCallMPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first == size) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(message, RHX_MESSAGE, MPI_CHAR, first, comm));
  SETERRQ(comm, code, "%s", message);
}
