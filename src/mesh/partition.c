/* Distribution: the graph of the cells comes from the sides of the list, for the DM has no faces. */
#include "mesh/impl.h"
#include "petsc_compat.h"

static PetscErrorCode create_partitioner(RhxMesh mesh, PetscMPIInt size, PetscPartitioner *part)
{
  PetscFunctionBegin;
  PetscCall(PetscPartitionerCreate(mesh->comm, part));
  if (mesh->ncells < 8 * size) PetscCall(PetscPartitionerSetType(*part, PETSCPARTITIONERSIMPLE));
  PetscCall(PetscPartitionerSetFromOptions(*part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cells of every rank; all cells are on rank 0. Scotch has a thread a core unless its variable says otherwise, and with several
 * threads other parts in every run. */
static PetscErrorCode partition(RhxMesh mesh, PetscMPIInt size, PetscInt ncells, const RhxMeshFaces *faces,
                                PetscSection section, IS *cells)
{
  static const char threads[] = "SCOTCH_PTHREAD_NUMBER";
  const PetscBool given = (PetscBool)(getenv(threads) != NULL);
  PetscInt none[1] = {0};
  PetscInt *start = faces->start ? faces->start : none;
  PetscPartitioner part;

  PetscFunctionBegin;
  PetscCall(create_partitioner(mesh, size, &part));
  if (!given) setenv(threads, "1", 1);
  PetscCall(RhxPartitionerPartition(part, size, ncells, start, faces->neighbour, section, cells));
  if (!given) unsetenv(threads);
  PetscCall(PetscPartitionerDestroy(&part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes DMPlexDistribute follow the partition. */
static PetscErrorCode prescribe(DM dm, PetscMPIInt size, PetscSection section, IS cells)
{
  PetscPartitioner shell;
  PetscInt *sizes;
  const PetscInt *points;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(size, &sizes));
  for (PetscMPIInt r = 0; r < size; r++) PetscCall(PetscSectionGetDof(section, r, &sizes[r]));
  PetscCall(DMPlexGetPartitioner(dm, &shell));
  PetscCall(PetscPartitionerSetType(shell, PETSCPARTITIONERSHELL));
  PetscCall(ISGetIndices(cells, &points));
  PetscCall(PetscPartitionerShellSetPartition(shell, size, sizes, points));
  PetscCall(ISRestoreIndices(cells, &points));
  PetscCall(PetscFree(sizes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshDistribute(RhxMesh mesh, PetscInt ncells, const RhxMeshFaces *faces, PetscSF *migration)
{
  PetscSection section;
  PetscMPIInt size;
  DM parallel;
  IS cells;

  PetscFunctionBegin;
  *migration = NULL;
  PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSectionCreate(mesh->comm, &section));
  PetscCall(partition(mesh, size, ncells, faces, section, &cells));
  PetscCall(prescribe(mesh->dm, size, section, cells));
  PetscCall(ISDestroy(&cells));
  PetscCall(PetscSectionDestroy(&section));
  PetscCall(DMPlexDistribute(mesh->dm, 0, migration, &parallel));
  PetscCheck(parallel, mesh->comm, PETSC_ERR_PLIB, "%s was not distributed over %d ranks", mesh->source, size);
  PetscCall(DMDestroy(&mesh->dm));
  mesh->dm = parallel;
  PetscFunctionReturn(PETSC_SUCCESS);
}
