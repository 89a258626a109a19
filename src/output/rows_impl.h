/* Datasets of an HDF5 file whose rows are nodes by their natural number, so that any number of ranks reads what any wrote. */
#ifndef RHX_OUTPUT_ROWS_IMPL_H
#define RHX_OUTPUT_ROWS_IMPL_H
#include "output/file_impl.h"
#include "output/skeleton_impl.h"
#include "space/space.h"

/* The first thing that went wrong on this rank. HDF5 forgets it at its next call, so it is noted at once. */
typedef struct {
  int bad;
  char why[256];
} RhxH5Failure;

void RhxH5Note(RhxH5Failure *failure, int bad);
hid_t RhxH5OpenOnAll(MPI_Comm comm, const char *file, RhxH5Failure *failure);
/* x, a global Vec of block bs, from the dataset [nodes][bs]; its shape has been checked. Collective. */
PetscErrorCode RhxNodesRead(RhxSpace space, hid_t file, const char *name, PetscInt bs, Vec x, RhxH5Failure *failure);
/* The values of x into the dataset's place. Collective. */
PetscErrorCode RhxNodesWrite(RhxSpace space, RhxFile *file, const RhxDataset *set, Vec x);
#endif
