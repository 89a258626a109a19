#include "scheme/thinnest.h"
#include "petsc_compat.h"
#include "space/diameter.h"

static PetscErrorCode find_thinnest(RhxSpace space, RhxThin *thin)
{
  struct {
    double value;
    int rank;
  } least = {PETSC_MAX_REAL, 0}, all;
  PetscMPIInt rank;
  PetscReal centre[3];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(space->comm, &rank));
  least.rank = rank;
  for (PetscInt t = 0; t < space->ntypes; t++)
    for (PetscInt e = 0; e < space->cells[t].n; e++) {
      const double h = RhxCellThickness(&space->cells[t], space->dim, e, centre);
      if (!(h < least.value)) continue;
      least.value = h;
      PetscCall(PetscArraycpy(thin->centre, centre, 3));
    }
  PetscCallMPI(MPI_Allreduce(&least, &all, 1, MPI_DOUBLE_INT, MPI_MINLOC, space->comm));
  PetscCallMPI(MPI_Bcast(thin->centre, 3, MPI_DOUBLE, all.rank, space->comm));
  thin->thickness = all.value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxThinFind(RhxSpace space, double factor, RhxThin *thin)
{
  PetscInt n[2] = {0, 0};
  PetscReal centre[3];

  PetscFunctionBegin;
  *thin = (RhxThin){0};
  PetscCall(find_thinnest(space, thin));
  for (PetscInt t = 0; t < space->ntypes; t++)
    for (PetscInt e = 0; e < space->cells[t].n; e++, n[1]++)
      if (RhxCellThickness(&space->cells[t], space->dim, e, centre) <= factor * thin->thickness) n[0]++;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 2, MPIU_INT, MPI_SUM, space->comm));
  thin->n = n[0];
  thin->all = n[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}
