/* Guarded reading of an HDF5 file: an object is read only when it is what is expected, of a size that the file can hold. */
#ifndef RHX_HDF5_READ_H
#define RHX_HDF5_READ_H
#include "petsc_compat.h"
#include <hdf5.h>

typedef struct {
  const char *name; /* of the file, for messages; borrowed */
  hid_t id;
  hsize_t bytes;
  H5E_auto2_t print; /* HDF5's own messages, off while the file is open */
  void *data;
} RhxH5;

typedef void (*RhxH5ReadFn)(const RhxH5 *file, void *ctx);
/* Does a child process survive what `read` (or NULL) does, and all metadata of the file? To be asked before this process opens
 * it. */
PetscErrorCode RhxH5Probe(const char *file, RhxH5ReadFn read, void *ctx, PetscBool *survived);
PetscErrorCode RhxH5Open(const char *file, RhxH5 *h);
PetscErrorCode RhxH5Close(RhxH5 *h);
/* Is there a group or dataset, reached by hard links only? */
PetscBool RhxH5IsGroup(const RhxH5 *h, const char *path);
PetscBool RhxH5IsDataset(const RhxH5 *h, const char *path);
/* All integers of a dataset; PetscFree the values. */
PetscErrorCode RhxH5Ints(const RhxH5 *h, const char *path, PetscInt *n, PetscInt **values);
/* All reals of a dataset and the length of its rows, 1 for one dimension; PetscFree the values. */
PetscErrorCode RhxH5Reals(const RhxH5 *h, const char *path, PetscInt *n, PetscInt *width, PetscReal **values);
/* Is there a dataset of rows times width reals? Reads no value. */
PetscBool RhxH5HasReals(const RhxH5 *h, const char *path, PetscInt rows, PetscInt width);
PetscErrorCode RhxH5AttributeInt(const RhxH5 *h, const char *path, const char *name, PetscInt *value);
/* Empty where the attribute is missing. */
PetscErrorCode RhxH5AttributeText(const RhxH5 *h, const char *path, const char *name, size_t size, char *text);
/* The k-th name in a group by alphabet; empty beyond the last. */
PetscErrorCode RhxH5Member(const RhxH5 *h, const char *group, PetscInt k, size_t size, char *name);
#endif
