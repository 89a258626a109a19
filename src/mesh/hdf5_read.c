#include "mesh/hdf5_read.h"
#include <string.h>

PetscErrorCode RhxH5Open(const char *file, RhxH5 *h)
{
  PetscFunctionBegin;
  h->name = file;
  H5Eget_auto2(H5E_DEFAULT, &h->print, &h->data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  h->id = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (h->id < 0 || H5Fget_filesize(h->id, &h->bytes) < 0)
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
            "mesh file '%s' is a damaged or truncated HDF5 file: expected a whole one", file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxH5Close(RhxH5 *h)
{
  PetscFunctionBegin;
  if (h->id > 0) (void)H5Fclose(h->id);
  H5Eset_auto2(H5E_DEFAULT, h->print, h->data);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static H5I_type_t type_of(hid_t file, const char *path)
{
  hid_t object = H5Oopen(file, path, H5P_DEFAULT);
  H5I_type_t type = object < 0 ? H5I_BADID : H5Iget_type(object);

  if (object >= 0) (void)H5Oclose(object);
  return type;
}

/* Every link of the path is hard: soft ones may form circles, external ones name other files. */
static PetscBool is_object(const RhxH5 *h, const char *path, H5I_type_t type)
{
  char part[1024];
  H5L_info_t link;

  if (strlen(path) >= sizeof(part)) return PETSC_FALSE;
  for (const char *end = strchr(path, '/');; end = strchr(end + 1, '/')) {
    const size_t n = end ? (size_t)(end - path) : strlen(path);

    memcpy(part, path, n);
    part[n] = 0;
    if (H5Lexists(h->id, part, H5P_DEFAULT) <= 0) return PETSC_FALSE;
    if (H5Lget_info(h->id, part, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) return PETSC_FALSE;
    if (!end) break;
    if (type_of(h->id, part) != H5I_GROUP) return PETSC_FALSE;
  }
  return (PetscBool)(type_of(h->id, part) == type);
}

PetscBool RhxH5IsGroup(const RhxH5 *h, const char *path) { return is_object(h, path, H5I_GROUP); }
PetscBool RhxH5IsDataset(const RhxH5 *h, const char *path) { return is_object(h, path, H5I_DATASET); }

static PetscErrorCode damaged(const RhxH5 *h, const char *path, const char *expected)
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "mesh file '%s' is damaged: '%s' of it is not %s", h->name, path,
          expected);
}

/* Does the file have the bytes for n values of a size? A filter such as deflate packs up to 1032 into one. */
static PetscBool fits(const RhxH5 *h, hid_t create, hssize_t n, size_t size)
{
  hsize_t most = h->bytes, chunk[2] = {1, 1};
  int rank = 0;

  if (H5Pget_external_count(create) != 0) return PETSC_FALSE;
  switch (H5Pget_layout(create)) {
  case H5D_COMPACT:
  case H5D_CONTIGUOUS:
    break;
  case H5D_CHUNKED:
    if (H5Pget_nfilters(create) > 0) most *= 1032;
    rank = H5Pget_chunk(create, 2, chunk);
    if (rank < 1 || rank > 2 || chunk[0] > most || chunk[1] > most ||
        chunk[0] * chunk[1] * size > PetscMax(most, 65536))
      return PETSC_FALSE;
    break;
  default: /* virtual: of other files */
    return PETSC_FALSE;
  }
  return (PetscBool)(n >= 0 && n <= PETSC_MAX_INT && (hsize_t)n <= most / size);
}

static PetscBool measure(const RhxH5 *h, hid_t set, H5T_class_t class, hssize_t *n, hsize_t shape[2])
{
  hid_t type = H5Dget_type(set), space = H5Dget_space(set), create = H5Dget_create_plist(set);
  PetscBool good = PETSC_FALSE;

  if (type >= 0 && space >= 0 && create >= 0 && H5Tget_class(type) == class && H5Tget_size(type) > 0 &&
      H5Tget_size(type) <= 8 && H5Sget_simple_extent_type(space) == H5S_SIMPLE) {
    const int rank = H5Sget_simple_extent_ndims(space);

    *n = H5Sget_simple_extent_npoints(space);
    shape[1] = 1;
    if (rank == 1 || rank == 2) good = (PetscBool)(H5Sget_simple_extent_dims(space, shape, NULL) == rank);
    good = (PetscBool)(good && fits(h, create, *n, H5Tget_size(type)));
  }
  if (create >= 0) (void)H5Pclose(create);
  if (space >= 0) (void)H5Sclose(space);
  if (type >= 0) (void)H5Tclose(type);
  return good;
}

PetscBool RhxH5HasReals(const RhxH5 *h, const char *path, PetscInt rows, PetscInt width)
{
  hid_t set = RhxH5IsDataset(h, path) ? H5Dopen2(h->id, path, H5P_DEFAULT) : -1;
  hssize_t n = 0;
  hsize_t shape[2] = {0, 1};
  PetscBool has;

  if (set < 0) return PETSC_FALSE;
  has = measure(h, set, H5T_FLOAT, &n, shape);
  (void)H5Dclose(set);
  return (PetscBool)(has && shape[0] == (hsize_t)rows && shape[1] == (hsize_t)width);
}

/* Values of a class, as memory; NULL where the dataset is another thing. */
static PetscErrorCode read_values(const RhxH5 *h, const char *path, H5T_class_t class, hid_t memory, size_t size,
                                  PetscInt *n, PetscInt *width, void **values)
{
  hid_t set = RhxH5IsDataset(h, path) ? H5Dopen2(h->id, path, H5P_DEFAULT) : -1;
  hssize_t points = 0;
  hsize_t shape[2] = {0, 1};
  PetscBool good;

  PetscFunctionBegin;
  *values = NULL;
  good = (PetscBool)(set >= 0 && measure(h, set, class, &points, shape));
  if (good) {
    PetscCall(PetscMalloc((size_t)(points + 1) * size, values));
    good = (PetscBool)(H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0);
    if (!good) PetscCall(PetscFree(*values));
  }
  if (set >= 0) (void)H5Dclose(set);
  *n = (PetscInt)points;
  *width = (PetscInt)shape[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxH5Ints(const RhxH5 *h, const char *path, PetscInt *n, PetscInt **values)
{
  PetscInt width;

  PetscFunctionBegin;
  PetscCall(read_values(h, path, H5T_INTEGER, H5T_NATIVE_INT, sizeof(PetscInt), n, &width, (void **)values));
  if (!*values) PetscCall(damaged(h, path, "a whole dataset of integers"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxH5Reals(const RhxH5 *h, const char *path, PetscInt *n, PetscInt *width, PetscReal **values)
{
  PetscFunctionBegin;
  PetscCall(read_values(h, path, H5T_FLOAT, H5T_NATIVE_DOUBLE, sizeof(PetscReal), n, width, (void **)values));
  if (!*values) PetscCall(damaged(h, path, "a whole dataset of real numbers"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One value of a class and of at most `size` bytes; *got: is there one? */
static void read_attribute(const RhxH5 *h, const char *path, const char *name, H5T_class_t class, size_t size,
                           void *value, PetscBool *got)
{
  hid_t attribute = -1, type = -1, space = -1;

  *got = PETSC_FALSE;
  if (H5Aexists_by_name(h->id, path, name, H5P_DEFAULT) > 0)
    attribute = H5Aopen_by_name(h->id, path, name, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0) return;
  type = H5Aget_type(attribute);
  space = H5Aget_space(attribute);
  if (type >= 0 && space >= 0 && H5Tget_class(type) == class && H5Sget_simple_extent_npoints(space) == 1 &&
      H5Tget_size(type) <= size && H5Tis_variable_str(type) <= 0)
    *got = (PetscBool)(H5Aread(attribute, class == H5T_INTEGER ? H5T_NATIVE_INT : type, value) >= 0);
  if (space >= 0) (void)H5Sclose(space);
  if (type >= 0) (void)H5Tclose(type);
  (void)H5Aclose(attribute);
}

PetscErrorCode RhxH5AttributeInt(const RhxH5 *h, const char *path, const char *name, PetscInt *value)
{
  PetscBool got;

  PetscFunctionBegin;
  read_attribute(h, path, name, H5T_INTEGER, 8, value, &got);
  PetscCheck(got, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is damaged: '%s' of it has no attribute %s that is an integer", h->name, path, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxH5AttributeText(const RhxH5 *h, const char *path, const char *name, size_t size, char *text)
{
  PetscBool got;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(text, size));
  read_attribute(h, path, name, H5T_STRING, size - 1, text, &got);
  if (!got) text[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxH5Member(const RhxH5 *h, const char *group, PetscInt k, size_t size, char *name)
{
  PetscFunctionBegin;
  name[0] = 0;
  if (H5Lget_name_by_idx(h->id, group, H5_INDEX_NAME, H5_ITER_INC, (hsize_t)k, name, size, H5P_DEFAULT) < 0)
    name[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
