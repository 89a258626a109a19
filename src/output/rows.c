#include "output/rows_impl.h"
#include <stdio.h>

/* Innermost description on HDF5's error stack. */
static herr_t innermost(unsigned n, const H5E_error2_t *e, void *text)
{
  if (!n && e->desc) snprintf(text, 256, "%s", e->desc);
  return 0;
}

void RhxH5Note(RhxH5Failure *failure, int bad)
{
  if (!bad || failure->bad) return;
  failure->bad = 1;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, failure->why);
}

hid_t RhxH5OpenOnAll(MPI_Comm comm, const char *file, RhxH5Failure *failure)
{
  hid_t plist = H5Pcreate(H5P_FILE_ACCESS), f;

  H5Pset_fapl_mpio(plist, comm, MPI_INFO_NULL);
  f = H5Fopen(file, H5F_ACC_RDONLY, plist);
  RhxH5Note(failure, f < 0);
  H5Pclose(plist);
  return f;
}

/* Scatter from a global Vec of block bs to one whose rows are in natural order, spread evenly. */
static PetscErrorCode natural_scatter(RhxSpace space, PetscInt bs, Vec x, Vec *natural, VecScatter *scatter)
{
  PetscInt n = PETSC_DECIDE, N = space->nglobal, *rows;
  IS from, to;

  PetscFunctionBegin;
  PetscCall(PetscSplitOwnership(space->comm, &n, &N));
  PetscCall(VecCreateMPI(space->comm, n * bs, N * bs, natural));
  PetscCall(VecSetBlockSize(*natural, bs));
  PetscCall(PetscMalloc1(space->nowned, &rows));
  for (PetscInt i = 0; i < space->nowned; i++) {
    PetscCheck(space->natural[i] >= 0 && space->natural[i] < N, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "natural node number: got %" PetscInt_FMT ", expected 0 to %" PetscInt_FMT, space->natural[i], N - 1);
    rows[i] = space->rstart + i;
  }
  PetscCall(ISCreateBlock(space->comm, bs, space->nowned, rows, PETSC_OWN_POINTER, &from));
  PetscCall(ISCreateBlock(space->comm, bs, space->nowned, space->natural, PETSC_COPY_VALUES, &to));
  PetscCall(VecScatterCreate(x, from, *natural, to, scatter));
  PetscCall(ISDestroy(&from));
  PetscCall(ISDestroy(&to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's rows of a dataset [nodes][bs]; collective in HDF5. */
static void read_rows(hid_t file, const char *name, PetscInt bs, PetscInt N, PetscInt start, PetscInt n,
                      PetscScalar *values, RhxH5Failure *failure)
{
  hsize_t whole[2] = {N, bs}, at[2] = {start, 0}, part[2] = {n, bs};
  hid_t disk = H5Screate_simple(2, whole, NULL), memory = H5Screate_simple(2, part, NULL), set,
        plist = H5Pcreate(H5P_DATASET_XFER);

  H5Pset_dxpl_mpio(plist, H5FD_MPIO_COLLECTIVE);
  if (n)
    H5Sselect_hyperslab(disk, H5S_SELECT_SET, at, NULL, part, NULL);
  else
    H5Sselect_none(disk), H5Sselect_none(memory);
  set = H5Dopen2(file, name, H5P_DEFAULT);
  RhxH5Note(failure, set < 0);
  if (set >= 0) RhxH5Note(failure, H5Dread(set, H5T_NATIVE_DOUBLE, memory, disk, plist, values) < 0);
  if (set >= 0) H5Dclose(set);
  H5Pclose(plist);
  H5Sclose(memory);
  H5Sclose(disk);
}

PetscErrorCode RhxNodesRead(RhxSpace space, hid_t file, const char *name, PetscInt bs, Vec x, RhxH5Failure *failure)
{
  Vec natural;
  VecScatter scatter;
  PetscInt start, end;
  PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(natural_scatter(space, bs, x, &natural, &scatter));
  PetscCall(VecGetOwnershipRange(natural, &start, &end));
  PetscCall(VecGetArray(natural, &values));
  read_rows(file, name, bs, space->nglobal, start / bs, (end - start) / bs, values, failure);
  PetscCall(VecRestoreArray(natural, &values));
  PetscCall(VecScatterBegin(scatter, natural, x, INSERT_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterEnd(scatter, natural, x, INSERT_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&natural));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNodesWrite(RhxSpace space, RhxFile *file, const RhxDataset *set, Vec x)
{
  Vec natural;
  VecScatter scatter;
  PetscInt start, end;
  const PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(natural_scatter(space, (PetscInt)set->columns, x, &natural, &scatter));
  PetscCall(VecScatterBegin(scatter, x, natural, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, x, natural, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetOwnershipRange(natural, &start, &end));
  PetscCall(VecGetArrayRead(natural, &values));
  PetscCall(RhxFileWrite(file, set->offset + (int64_t)sizeof(double) * start, values,
                         (int64_t)sizeof(double) * (end - start)));
  PetscCall(VecRestoreArrayRead(natural, &values));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&natural));
  PetscFunctionReturn(PETSC_SUCCESS);
}
