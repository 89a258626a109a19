#include "output/skeleton_impl.h"
#include <stdlib.h>
#include <string.h>

/* Bytes reserved for all that is not a value, so that values come after it: for attributes, and for each dataset. */
#define METADATA 65536
#define METADATA_EACH 1024

void RhxH5BeSilent(RhxH5Silence *s)
{
  H5Eget_auto2(H5E_DEFAULT, &s->print, &s->data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void RhxH5SpeakAgain(const RhxH5Silence *s) { H5Eset_auto2(H5E_DEFAULT, s->print, s->data); }

static hid_t type_of(const RhxDataset *set)
{
  switch (set->type) {
  case RHX_DATASET_SINGLE:
    return H5T_NATIVE_FLOAT;
  case RHX_DATASET_INT64:
    return H5T_NATIVE_INT64;
  case RHX_DATASET_BYTE:
    return H5T_NATIVE_UCHAR;
  default:
    return H5T_NATIVE_DOUBLE;
  }
}

int64_t RhxDatasetRowSize(const RhxDataset *set)
{
  static const int size[] = {8, 4, 8, 1};

  return size[set->type] * (int64_t)(set->columns ? set->columns : 1);
}

/* What the driver for files in memory leaves when the file is closed: the metadata, which is all that was written. */
typedef struct {
  void *bytes;
  size_t size;
} Image;

static void *image_malloc(size_t size, H5FD_file_image_op_t op, void *ctx)
{
  (void)op;
  ((Image *)ctx)->size = size;
  return malloc(size);
}

static void *image_memcpy(void *to, const void *from, size_t size, H5FD_file_image_op_t op, void *ctx)
{
  (void)op, (void)ctx;
  return memcpy(to, from, size);
}

static void *image_realloc(void *bytes, size_t size, H5FD_file_image_op_t op, void *ctx)
{
  (void)op;
  ((Image *)ctx)->size = size;
  return realloc(bytes, size);
}

static herr_t image_free(void *bytes, H5FD_file_image_op_t op, void *ctx)
{
  (void)op;
  ((Image *)ctx)->bytes = bytes;
  return 0;
}

static void *same(void *ctx) { return ctx; }

static herr_t keep(void *ctx)
{
  (void)ctx;
  return 0;
}

static hid_t create_in_memory(int n, Image *image)
{
  H5FD_file_image_callbacks_t call = {image_malloc, image_memcpy, image_realloc, image_free, same, keep, image};
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;

  if (H5Pset_fapl_core(access, 4096, 0) >= 0 && H5Pset_file_image_callbacks(access, &call) >= 0 &&
      H5Pset_meta_block_size(access, METADATA + (hsize_t)n * METADATA_EACH) >= 0 &&
      H5Pset_small_data_block_size(access, 0) >= 0)
    file = H5Fcreate("skeleton", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  return file;
}

static int add_dataset(hid_t file, RhxDataset *set)
{
  const hsize_t size[2] = {set->rows, set->columns};
  hid_t space = H5Screate_simple(set->columns ? 2 : 1, size, NULL), plist = H5Pcreate(H5P_DATASET_CREATE),
        link = H5Pcreate(H5P_LINK_CREATE), dataset;
  haddr_t offset = HADDR_UNDEF;

  H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER);
  H5Pset_create_intermediate_group(link, 1);
  dataset = H5Dcreate2(file, set->name, type_of(set), space, link, plist, H5P_DEFAULT);
  if (dataset >= 0) {
    offset = H5Dget_offset(dataset);
    H5Dclose(dataset);
  }
  H5Pclose(link);
  H5Pclose(plist);
  H5Sclose(space);
  set->offset = (int64_t)offset;
  return offset == HADDR_UNDEF;
}

/* One rank. */
static int make(int n, RhxDataset *set, int (*attributes)(hid_t file, const void *ctx), const void *ctx, char **bytes,
                size_t *size)
{
  Image image = {NULL, 0};
  hid_t file = create_in_memory(n, &image);
  int bad;

  if (file < 0) return 1;
  bad = attributes(file, ctx);
  for (int i = 0; i < n && !bad; i++) bad = add_dataset(file, set + i);
  bad |= H5Fclose(file) < 0 || !image.bytes;
  *bytes = image.bytes;
  *size = image.size;
  for (int i = 0; i < n && !bad; i++)
    if (set[i].offset < (int64_t)*size) *size = (size_t)set[i].offset;
  return bad;
}

PetscErrorCode RhxSkeletonMake(MPI_Comm comm, int n, RhxDataset *set, int (*attributes)(hid_t file, const void *ctx),
                               const void *ctx, char **bytes, size_t *size, int *bad)
{
  RhxH5Silence silence;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  *bytes = NULL;
  *size = 0;
  *bad = 0;
  RhxH5BeSilent(&silence);
  if (!rank) *bad = make(n, set, attributes, ctx, bytes, size);
  RhxH5SpeakAgain(&silence);
  PetscCallMPI(MPI_Bcast(bad, 1, MPI_INT, 0, comm));
  for (int i = 0; i < n; i++) PetscCallMPI(MPI_Bcast(&set[i].offset, 1, MPI_INT64_T, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
