#include "exchange/host/route.h"
#include "petsc_compat.h"

/* Owners of the ghosts, each once, and which of them is a ghost's. */
static void list_owners(PetscInt n, const PetscSFNode *remote, PetscInt *of, PetscInt *nowners, PetscSFNode *owner)
{
  *nowners = 0;
  for (PetscInt k = 0; k < n; k++) {
    if (!k || remote[k].rank != remote[k - 1].rank) owner[(*nowners)++] = (PetscSFNode){.rank = remote[k].rank};
    of[k] = *nowners - 1;
  }
}

/* next[nowners]: where the count[] items of this rank begin at each owner, after those of lower ranks. */
static PetscErrorCode find_beginnings(MPI_Comm comm, PetscInt nowners, PetscSFNode *owner, PetscInt *received,
                                      PetscInt *count, PetscInt *next)
{
  PetscSF sf;
  PetscFunctionBegin;
  *received = 0;
  PetscCall(PetscSFCreate(comm, &sf));
  PetscCall(PetscSFSetGraph(sf, 1, nowners, NULL, PETSC_OWN_POINTER, owner, PETSC_COPY_VALUES));
  PetscCall(PetscSFFetchAndOpBegin(sf, MPIU_INT, received, count, next, MPI_SUM));
  PetscCall(PetscSFFetchAndOpEnd(sf, MPIU_INT, received, count, next, MPI_SUM));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRouteCreate(PetscSF sf, PetscInt n, const PetscInt *ghost, PetscInt *received, PetscSF *route)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)sf);
  PetscInt nghosts, nowners, *of, *count, *next;
  const PetscSFNode *remote;
  PetscSFNode *owner, *place;
  PetscFunctionBegin;
  PetscCall(PetscSFGetGraph(sf, NULL, &nghosts, NULL, &remote));
  PetscCall(PetscMalloc1(nghosts, &of));
  PetscCall(PetscMalloc1(nghosts, &owner));
  list_owners(nghosts, remote, of, &nowners, owner);
  PetscCall(PetscCalloc2(nowners, &count, nowners, &next));
  for (PetscInt k = 0; k < n; k++) count[of[ghost[k]]]++;
  PetscCall(find_beginnings(comm, nowners, owner, received, count, next));
  PetscCall(PetscMalloc1(n, &place));
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt o = of[ghost[k]];
    place[k] = (PetscSFNode){.rank = owner[o].rank, .index = next[o]++};
  }
  PetscCall(PetscSFCreate(comm, route));
  PetscCall(PetscSFSetGraph(*route, *received, n, NULL, PETSC_OWN_POINTER, place, PETSC_OWN_POINTER));
  PetscCall(PetscFree2(count, next));
  PetscCall(PetscFree(owner));
  PetscCall(PetscFree(of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRouteSend(PetscSF route, MPI_Datatype type, PetscInt width, const void *from, void *to)
{
  MPI_Datatype unit;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)width, type, &unit));
  PetscCallMPI(MPI_Type_commit(&unit));
  PetscCall(PetscSFReduceBegin(route, unit, from, to, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(route, unit, from, to, MPI_REPLACE));
  PetscCallMPI(MPI_Type_free(&unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}
