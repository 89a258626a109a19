/* An HDF5 file without the values of its datasets, made in memory.
 * HDF5 never touches the disk for writing: a flush that fails (a full disk) is tried again when the library closes, after
 * MPI is gone, and ends the program by a signal. So HDF5 says where values go, and RhxFile puts them there. */
#ifndef RHX_OUTPUT_SKELETON_IMPL_H
#define RHX_OUTPUT_SKELETON_IMPL_H
#include "petsc_compat.h"
#include <hdf5.h>
#include <stdint.h>

typedef enum { RHX_DATASET_DOUBLE, RHX_DATASET_SINGLE, RHX_DATASET_INT64, RHX_DATASET_BYTE } RhxDatasetType;

typedef struct {
  const char *name;      /* groups before '/' are made */
  hsize_t rows, columns; /* > 0; columns 0: of one dimension */
  RhxDatasetType type;
  int64_t offset; /* out: of the values in the file, bytes */
} RhxDataset;

int64_t RhxDatasetRowSize(const RhxDataset *set); /* bytes */

/* Rank 0 makes the file's skeleton; all learn the places of the values. attributes: writes them, returns 0 if all is well.
 * bytes: of rank 0, to be freed by free(); they end where the values of the first dataset begin. bad: 0 if all is well, the
 * same on every rank. Collective. */
PetscErrorCode RhxSkeletonMake(MPI_Comm comm, int n, RhxDataset *set, int (*attributes)(hid_t file, const void *ctx),
                               const void *ctx, char **bytes, size_t *size, int *bad);
/* HDF5's own messages on this rank, off between the two. */
typedef struct {
  H5E_auto2_t print;
  void *data;
} RhxH5Silence;
void RhxH5BeSilent(RhxH5Silence *silence);
void RhxH5SpeakAgain(const RhxH5Silence *silence);
#endif
