/* An HDF5 file without the values of its datasets, made in memory. Private to output.
 * HDF5 never touches the disk for writing: a flush that fails (a full disk) is tried again when the library closes, after
 * MPI is gone, and ends the program by a signal. So HDF5 says where values go, and RhxFile puts them there. */
#ifndef RHX_OUTPUT_SKELETON_H
#define RHX_OUTPUT_SKELETON_H
#include <hdf5.h>
#include <stdint.h>

typedef struct {
  const char *name;
  hsize_t rows, columns; /* of native doubles */
  int64_t offset;        /* out: of the values in the file, bytes */
} RhxDataset;

/* One rank. attributes: writes them, returns 0 if all is well. bytes: to be freed by free(); they end where the values of
 * the first dataset begin. Returns 0 if all is well. */
int RhxSkeletonMake(int n, RhxDataset *set, int (*attributes)(hid_t file, const void *ctx), const void *ctx,
                    char **bytes, size_t *size);
#endif
