/* What a checkpoint keeps besides the state of the flow, read back. */
#include "mesh/hdf5_read.h"
#include "output/output.h"
#include "output/rows_impl.h"
#include <math.h>

static PetscBool open_file(const char *file, RhxH5 *h)
{
  *h = (RhxH5){.name = file, .id = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT)};
  return (PetscBool)(h->id >= 0 && H5Fget_filesize(h->id, &h->bytes) >= 0);
}

/* Rows of a dataset of this width; -1: there is none. */
static hssize_t count_rows(const RhxH5 *h, const char *name, PetscInt columns)
{
  hid_t set = RhxH5IsDataset(h, name) ? H5Dopen2(h->id, name, H5P_DEFAULT) : -1,
        space = set < 0 ? -1 : H5Dget_space(set);
  hsize_t shape[2] = {0, 0};

  if (space >= 0 && H5Sget_simple_extent_ndims(space) == 2) (void)H5Sget_simple_extent_dims(space, shape, NULL);
  if (space >= 0) H5Sclose(space);
  if (set >= 0) H5Dclose(set);
  return shape[0] && RhxH5HasReals(h, name, (PetscInt)shape[0], columns) ? (hssize_t)shape[0] : -1;
}

static PetscBool all_finite(size_t n, size_t every, const double *values)
{
  for (size_t i = 0; i < n; i += every)
    if (!isfinite(values[i])) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Rank 0. */
static PetscErrorCode load_rows(const char *file, const char *name, PetscInt columns, PetscBool gaps, PetscInt *n,
                                double **values)
{
  hssize_t rows = -1;
  hid_t set;
  RhxH5 h;

  PetscFunctionBegin;
  *n = -1;
  if (open_file(file, &h)) rows = count_rows(&h, name, columns);
  if (rows > 0) {
    PetscCall(PetscMalloc1((size_t)rows * columns, values));
    set = H5Dopen2(h.id, name, H5P_DEFAULT);
    if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0 &&
        all_finite((size_t)rows * columns, gaps ? (size_t)columns : 1, *values))
      *n = (PetscInt)rows;
    else
      PetscCall(PetscFree(*values));
    H5Dclose(set);
  }
  if (h.id >= 0) H5Fclose(h.id);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCheckpointReadRows(MPI_Comm comm, const char *file, const char *name, PetscInt columns,
                                     PetscBool gaps, PetscInt *n, double **values)
{
  RhxH5Silence silence;
  PetscMPIInt rank;

  PetscFunctionBegin;
  *values = NULL;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  RhxH5BeSilent(&silence);
  if (!rank) PetscCall(load_rows(file, name, columns, gaps, n, values));
  RhxH5SpeakAgain(&silence);
  PetscCallMPI(MPI_Bcast(n, 1, MPIU_INT, 0, comm));
  if (*n < 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (rank) PetscCall(PetscMalloc1((size_t)*n * columns, values));
  PetscCallMPI(MPI_Bcast(*values, (PetscMPIInt)(*n * columns), MPI_DOUBLE, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCheckpointReadNodes(RhxForm form, const char *file, const char *name, PetscInt columns, Vec x,
                                      PetscBool *found)
{
  RhxH5Failure failure = {0};
  RhxH5Silence silence;
  PetscMPIInt rank;
  const PetscScalar *values;
  int good = 0;
  RhxH5 h;
  hid_t f;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(form->comm, &rank));
  RhxH5BeSilent(&silence);
  if (!rank) {
    good = open_file(file, &h) && RhxH5HasReals(&h, name, form->space->nglobal, columns);
    if (h.id >= 0) H5Fclose(h.id);
  }
  PetscCallMPI(MPI_Bcast(&good, 1, MPI_INT, 0, form->comm));
  if (good) {
    f = RhxH5OpenOnAll(form->comm, file, &failure);
    PetscCall(RhxNodesRead(form->space, f, name, columns, x, &failure));
    H5Fclose(f);
    PetscCall(VecGetArrayRead(x, &values));
    good = !failure.bad && all_finite((size_t)form->space->nowned * columns, 1, values);
    PetscCall(VecRestoreArrayRead(x, &values));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, form->comm));
  }
  RhxH5SpeakAgain(&silence);
  *found = good ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
