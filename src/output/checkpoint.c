/* State for restart in HDF5. Rows are nodes by their natural number, so any number of ranks can read what any wrote. */
#include "mesh/hdf5_read.h"
#include "output/file.h"
#include "output/fit.h"
#include "output/output.h"
#include "output/raise.h"
#include "output/remap.h"
#include "output/skeleton.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
  const char *name;
  size_t offset;
} head_int[] = {{"rheoplex_checkpoint", offsetof(RhxHead, version)},
                {"nodes", offsetof(RhxHead, nodes)},
                {"dim", offsetof(RhxHead, dim)},
                {"tensor_components", offsetof(RhxHead, ntens)},
                {"modes", offsetof(RhxHead, modes)},
                {"block", offsetof(RhxHead, block)},
                {"step", offsetof(RhxHead, step)},
                {"has_rate", offsetof(RhxHead, has_rate)}},
  head_real[] = {{"t", offsetof(RhxHead, t)}, {"dt", offsetof(RhxHead, dt)}},
  head_text[] = {{"fields", offsetof(RhxHead, fields)}, {"physics", offsetof(RhxHead, physics)}};
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Innermost description on HDF5's error stack. */
static herr_t innermost(unsigned n, const H5E_error2_t *e, void *text)
{
  if (!n && e->desc) snprintf(text, 256, "%s", e->desc);
  return 0;
}

/* The first thing that went wrong on this rank. HDF5 forgets it at its next call, so it is noted at once. */
typedef struct {
  int bad;
  char why[256];
} Failure;

static void note(Failure *failure, int bad)
{
  if (!bad || failure->bad) return;
  failure->bad = 1;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, failure->why);
}

/* ---- Attributes ---- */

static int write_attribute(hid_t file, const char *name, hid_t type, const void *value)
{
  hid_t space = H5Screate(H5S_SCALAR), attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  int bad = attribute < 0 || H5Awrite(attribute, type, value) < 0;

  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  return bad;
}

static int write_text(hid_t file, const char *name, const char *value)
{
  hid_t type = H5Tcopy(H5T_C_S1);
  int bad;

  H5Tset_size(type, strlen(value) + 1);
  bad = write_attribute(file, name, type, value);
  H5Tclose(type);
  return bad;
}

static int write_head(hid_t file, const RhxHead *h)
{
  const char *base = (const char *)h;
  int bad = 0;

  for (size_t k = 0; k < COUNT(head_int); k++)
    bad |= write_attribute(file, head_int[k].name, H5T_NATIVE_INT, base + head_int[k].offset);
  for (size_t k = 0; k < COUNT(head_real); k++)
    bad |= write_attribute(file, head_real[k].name, H5T_NATIVE_DOUBLE, base + head_real[k].offset);
  for (size_t k = 0; k < COUNT(head_text); k++) bad |= write_text(file, head_text[k].name, base + head_text[k].offset);
  return bad | write_text(file, "representation", h->representation);
}

static int is_single(hid_t attribute)
{
  hid_t space = H5Aget_space(attribute);
  int single = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;

  if (space >= 0) H5Sclose(space);
  return single;
}

/* One number, converted to a native type. */
static int read_attribute(hid_t file, const char *name, hid_t native, void *value)
{
  hid_t attribute = H5Aopen(file, name, H5P_DEFAULT), type;
  int bad = 1;

  if (attribute < 0) return 1;
  type = H5Aget_type(attribute);
  if (type >= 0 && H5Tget_class(type) == H5Tget_class(native) && is_single(attribute))
    bad = H5Aread(attribute, native, value) < 0;
  if (type >= 0) H5Tclose(type);
  H5Aclose(attribute);
  return bad;
}

static int read_text(hid_t file, const char *name, size_t capacity, char *value)
{
  hid_t attribute = H5Aopen(file, name, H5P_DEFAULT), type;
  int bad = 1;

  if (attribute < 0) return 1;
  type = H5Aget_type(attribute);
  if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && H5Tget_size(type) <= capacity &&
      is_single(attribute))
    bad = H5Aread(attribute, type, value) < 0;
  value[capacity - 1] = 0;
  if (type >= 0) H5Tclose(type);
  H5Aclose(attribute);
  return bad;
}

/* The name of the first attribute that cannot be read, or NULL. */
static const char *read_head(hid_t file, RhxHead *h)
{
  char *base = (char *)h;

  memset(h, 0, sizeof *h);
  for (size_t k = 0; k < COUNT(head_int); k++)
    if (read_attribute(file, head_int[k].name, H5T_NATIVE_INT, base + head_int[k].offset)) return head_int[k].name;
  for (size_t k = 0; k < COUNT(head_real); k++)
    if (read_attribute(file, head_real[k].name, H5T_NATIVE_DOUBLE, base + head_real[k].offset))
      return head_real[k].name;
  for (size_t k = 0; k < COUNT(head_text); k++)
    if (read_text(file, head_text[k].name, RHX_HEAD_TEXT, base + head_text[k].offset)) return head_text[k].name;
  return read_text(file, "representation", sizeof h->representation, h->representation) ? "representation" : NULL;
}

/* ---- Node rows in natural order ---- */

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
                      PetscScalar *values, Failure *failure)
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
  note(failure, set < 0);
  if (set >= 0) note(failure, H5Dread(set, H5T_NATIVE_DOUBLE, memory, disk, plist, values) < 0);
  if (set >= 0) H5Dclose(set);
  H5Pclose(plist);
  H5Sclose(memory);
  H5Sclose(disk);
}

static PetscErrorCode read_dataset(RhxSpace space, hid_t file, const char *name, PetscInt bs, Vec x, Failure *failure)
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

static PetscErrorCode write_values(RhxSpace space, RhxFile *file, const RhxDataset *set, Vec x)
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

static PetscErrorCode create_positions(RhxSpace space, PetscBool filled, Vec *x)
{
  PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(RhxSpaceCreateVec(space, space->dim, x));
  if (!filled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayWrite(*x, &values));
  PetscCall(PetscArraycpy(values, space->x, (size_t)space->nowned * space->dim));
  PetscCall(VecRestoreArrayWrite(*x, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Writing ---- */

/* What the attributes say. */
typedef struct {
  const RhxHead *head;
  PetscInt nseries;
  const RhxNumbers *series;
} Attributes;

static int write_numbers(hid_t file, const RhxNumbers *numbers)
{
  hsize_t n = (hsize_t)numbers->n;
  hid_t space = H5Screate_simple(1, &n, NULL);
  hid_t attribute = H5Acreate2(file, numbers->name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
  int bad = attribute < 0 || H5Awrite(attribute, H5T_NATIVE_DOUBLE, numbers->values) < 0;

  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  return bad;
}

static int write_attributes(hid_t file, const void *ctx)
{
  const Attributes *a = ctx;
  int bad = write_head(file, a->head);

  for (PetscInt i = 0; i < a->nseries; i++) bad |= write_numbers(file, a->series + i);
  return bad;
}

/* Rank 0: HDF5 opens the file, finds it whole, and its head is the one that was meant. */
static int reads_back(const char *file, const RhxHead *head)
{
  RhxHead *found = malloc(sizeof *found);
  RhxH5Silence silence;
  hid_t f;
  int good;

  if (!found) return 0;
  RhxH5BeSilent(&silence);
  f = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
  good = f >= 0 && !read_head(f, found) && !memcmp(found, head, sizeof *head);
  if (f >= 0) H5Fclose(f);
  RhxH5SpeakAgain(&silence);
  free(found);
  return good;
}

/* Rank 0: from, which is on the disk, becomes to; then their folder is on the disk too. */
static int place(const char *from, const char *to, const RhxHead *head)
{
  char folder[PETSC_MAX_PATH_LEN], *slash;
  int fd;

  if (!reads_back(from, head)) return EIO;
  if (rename(from, to)) return errno;
  snprintf(folder, sizeof folder, "%s", to);
  slash = strrchr(folder, '/');
  if (slash) slash[slash == folder] = '\0';
  if ((fd = open(slash ? folder : ".", O_RDONLY)) < 0)
    return 0; /* a folder that may not be read is no reason to stop */
  (void)fsync(fd);
  close(fd);
  return 0;
}

static PetscErrorCode write_file(RhxSpace space, const char *file, int n, RhxDataset *set, const Vec *x,
                                 const char *bytes, size_t size, int *err)
{
  RhxFile out;

  PetscFunctionBegin;
  PetscCall(RhxFileCreate(space->comm, file, &out));
  PetscCall(RhxFileWrite(&out, 0, bytes, (int64_t)size));
  for (int i = 0; i < n; i++) PetscCall(write_values(space, &out, set + i, x[i]));
  PetscCall(RhxFileClose(&out, PETSC_TRUE, err));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCheckpointWrite(RhxForm form, const char *file, PetscInt step, double t, double dt, Vec x, Vec rate,
                                  PetscInt nseries, const RhxNumbers *series, char problem[RHX_MESSAGE])
{
  RhxSpace space = form->space;
  const hsize_t rows = (hsize_t)space->nglobal, bs = (hsize_t)space->bs;
  RhxDataset set[] = {{.name = "positions", .rows = rows, .columns = (hsize_t)space->dim},
                      {.name = "state", .rows = rows, .columns = bs},
                      {.name = "rate", .rows = rows, .columns = bs}};
  const int n = rate ? 3 : 2;
  char temporary[PETSC_MAX_PATH_LEN], *bytes;
  Vec vec[3] = {NULL, x, rate};
  PetscMPIInt rank;
  RhxHead *head;
  size_t size;
  int err;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(form->comm, &rank));
  PetscCall(PetscNew(&head));
  PetscCall(RhxHeadMake(form, step, t, dt, rate ? PETSC_TRUE : PETSC_FALSE, head));
  PetscCall(PetscSNPrintf(temporary, sizeof temporary, "%s.tmp", file));
  PetscCall(
      RhxSkeletonMake(form->comm, n, set, write_attributes, &(Attributes){head, nseries, series}, &bytes, &size, &err));
  PetscCheck(!err, form->comm, PETSC_ERR_LIB, "HDF5 cannot lay out a checkpoint of %" PetscInt_FMT " nodes",
             space->nglobal);
  PetscCall(create_positions(space, PETSC_TRUE, vec));
  PetscCall(write_file(space, temporary, n, set, vec, bytes, size, &err));
  if (!rank && !err && (err = place(temporary, file, head))) (void)unlink(temporary);
  PetscCallMPI(MPI_Bcast(&err, 1, MPI_INT, 0, form->comm));
  problem[0] = '\0';
  if (err)
    snprintf(problem, RHX_MESSAGE,
             "checkpoint %.400s cannot be written: got \"%s\", expected a writable folder with space (-output_folder)",
             file, strerror(err));
  PetscCall(VecDestroy(vec));
  free(bytes);
  PetscCall(PetscFree(head));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Reading ---- */

static hid_t open_on_all(MPI_Comm comm, const char *file, Failure *failure)
{
  hid_t plist = H5Pcreate(H5P_FILE_ACCESS), f;

  H5Pset_fapl_mpio(plist, comm, MPI_INFO_NULL);
  f = H5Fopen(file, H5F_ACC_RDONLY, plist);
  note(failure, f < 0);
  H5Pclose(plist);
  return f;
}

static void complain(const char *file, const Failure *failure, char message[RHX_MESSAGE])
{
  if (!failure->bad) return;
  snprintf(message, RHX_MESSAGE,
           "checkpoint %.400s cannot be read: got \"%s\", expected a whole checkpoint of Rheoplex (-case_restart)",
           file, failure->why[0] ? failure->why : "an error of HDF5 without a reason");
}

/* Datasets of other sizes would be read beyond their ends. */
static void check_sizes(const RhxH5 *h, const RhxHead *head, char message[RHX_MESSAGE])
{
  const char *const name[] = {"positions", "state", "rate"};
  const int width[] = {head->dim, head->block, head->block}, n = head->has_rate ? 3 : 2;

  for (int k = 0; k < n && !message[0]; k++)
    if (!RhxH5HasReals(h, name[k], head->nodes, width[k]))
      snprintf(
          message, RHX_MESSAGE,
          "checkpoint %.400s is damaged: '%s' in it is not a dataset of %d x %d real numbers (option -case_restart)",
          h->name, name[k], head->nodes, width[k]);
}

/* Rank 0 alone: whole, ours, of this form? */
static void check_open(const RhxH5 *h, RhxFit *fit, RhxHead *head, char message[RHX_MESSAGE])
{
  const char *missing = read_head(h->id, head);

  if (missing) {
    snprintf(message, RHX_MESSAGE,
             "checkpoint %.400s is not one of Rheoplex: got an HDF5 file without attribute \"%s\", expected a "
             "checkpoint (option -case_restart)",
             h->name, missing);
    return;
  }
  RhxFitCheck(fit, h->name, head, message);
  if (!message[0]) check_sizes(h, head, message);
}

/* Numbers that the file has not stay as they are. */
static void read_numbers(const RhxH5 *h, RhxNumbers *numbers, char message[RHX_MESSAGE])
{
  hid_t attribute, space;
  int good;

  numbers->found = PETSC_FALSE;
  if (message[0] || H5Aexists(h->id, numbers->name) <= 0) return;
  attribute = H5Aopen(h->id, numbers->name, H5P_DEFAULT);
  space = attribute < 0 ? -1 : H5Aget_space(attribute);
  good = space >= 0 && H5Sget_simple_extent_npoints(space) == numbers->n &&
         H5Aread(attribute, H5T_NATIVE_DOUBLE, numbers->values) >= 0;
  for (PetscInt k = 0; good && k < numbers->n; k++) good = isfinite(numbers->values[k]);
  if (space >= 0) H5Sclose(space);
  if (attribute >= 0) H5Aclose(attribute);
  numbers->found = (PetscBool)good;
  if (!good)
    snprintf(message, RHX_MESSAGE,
             "checkpoint %.400s is damaged: '%.250s' in it is not a list of %d finite numbers (option -case_restart)",
             h->name, numbers->name, (int)numbers->n);
}

static void try_open(const RhxH5 *h, void *fit)
{
  char message[RHX_MESSAGE] = "";
  RhxHead head;

  check_open(h, fit, &head, message);
}

/* errno says so. */
static PetscBool is_folder(const char *file)
{
  struct stat s;

  if (stat(file, &s) || !S_ISDIR(s.st_mode)) return PETSC_FALSE;
  errno = EISDIR;
  return PETSC_TRUE;
}

static PetscErrorCode check_file(const char *file, RhxFit *fit, RhxHead *head, PetscInt nseries, RhxNumbers *series,
                                 char message[RHX_MESSAGE])
{
  RhxH5 h = {0};
  Failure failure = {0};
  PetscBool survived;

  PetscFunctionBegin;
  if (access(file, R_OK) || is_folder(file)) {
    snprintf(message, RHX_MESSAGE,
             "checkpoint %.400s cannot be read: got \"%s\", expected a readable file (option -case_restart)", file,
             strerror(errno));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxH5Probe(file, try_open, fit, &survived));
  if (!survived) {
    snprintf(message, RHX_MESSAGE,
             "checkpoint %.400s is a damaged HDF5 file: the HDF5 library does not survive it, expected a whole "
             "checkpoint of Rheoplex (-case_restart)",
             file);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  h.name = file;
  h.id = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
  note(&failure, h.id < 0 || H5Fget_filesize(h.id, &h.bytes) < 0);
  complain(file, &failure, message);
  if (!message[0]) check_open(&h, fit, head, message);
  for (PetscInt i = 0; i < nseries; i++) read_numbers(&h, series + i, message);
  if (h.id >= 0) H5Fclose(h.id);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh of as many nodes may still be another. */
static PetscErrorCode check_positions(RhxSpace space, hid_t f, const char *file, Failure *failure,
                                      char message[RHX_MESSAGE])
{
  Vec there;
  const PetscScalar *values;
  double range[2] = {0, 0}; /* largest difference, largest coordinate */

  PetscFunctionBegin;
  PetscCall(create_positions(space, PETSC_FALSE, &there));
  PetscCall(read_dataset(space, f, "positions", space->dim, there, failure));
  PetscCall(VecGetArrayRead(there, &values));
  for (PetscInt i = 0; i < space->nowned * space->dim; i++) {
    const double away = PetscAbs(values[i] - space->x[i]);

    range[0] = PetscMax(range[0], isfinite(away) ? away : INFINITY);
    range[1] = PetscMax(range[1], PetscAbs(space->x[i]));
  }
  PetscCall(VecRestoreArrayRead(there, &values));
  PetscCall(VecDestroy(&there));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_DOUBLE, MPI_MAX, space->comm));
  if (!failure->bad && !(range[0] <= 1e-8 * range[1]))
    snprintf(message, RHX_MESSAGE,
             "checkpoint %.400s is of another mesh: got a node %g m away from its place, expected 0 (option "
             "-case_restart)",
             file, range[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_finite(const char *file, const char *what, Vec x, char message[RHX_MESSAGE])
{
  const PetscScalar *values;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &values));
  for (PetscInt i = 0; i < n && !message[0]; i++)
    if (!isfinite(values[i]))
      snprintf(message, RHX_MESSAGE,
               "checkpoint %.400s is damaged: got %g in '%s', expected finite numbers (option -case_restart)", file,
               values[i], what);
  PetscCall(VecRestoreArrayRead(x, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dataset of the file's block at the form's nodes. */
static PetscErrorCode read_block(RhxForm form, hid_t file, const char *name, PetscInt block, const RhxRemap *remap,
                                 Vec x, Failure *failure)
{
  Vec there;

  PetscFunctionBegin;
  if (!remap) {
    PetscCall(read_dataset(form->space, file, name, block, x, failure));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxSpaceCreateVec(remap->from, block, &there));
  PetscCall(read_dataset(remap->from, file, name, block, there, failure));
  PetscCall(RhxRemapApply(remap, block, there, x));
  PetscCall(VecDestroy(&there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dataset of the file's block into the first n values of x's; what the file has not stays. */
static PetscErrorCode read_state(RhxForm form, hid_t file, const char *name, const RhxHead *head, const RhxFit *fit,
                                 PetscInt n, Vec x, Failure *failure)
{
  const PetscInt bs = form->space->bs, block = head->block;
  const PetscScalar *from;
  PetscScalar *to;
  Vec there;

  PetscFunctionBegin;
  if (block == bs && fit->take == RHX_RESTART_SAME) {
    PetscCall(read_block(form, file, name, bs, fit->remap, x, failure));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxSpaceCreateVec(form->space, block, &there));
  PetscCall(read_block(form, file, name, block, fit->remap, there, failure));
  PetscCall(VecGetArrayRead(there, &from));
  PetscCall(VecGetArray(x, &to));
  for (PetscInt i = 0; i < form->space->nowned; i++)
    for (PetscInt a = 0; a < n; a++)
      if (fit->column[a] >= 0) to[i * bs + a] = from[i * block + fit->column[a]];
  PetscCall(VecRestoreArray(x, &to));
  PetscCall(VecRestoreArrayRead(there, &from));
  PetscCall(VecDestroy(&there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_datasets(RhxForm form, const char *file, const RhxHead *head, const RhxFit *fit, Vec x,
                                    Vec rate, char message[RHX_MESSAGE])
{
  /* rates of unknowns that are converted would be others */
  const PetscInt nrate = fit->take == RHX_RESTART_SAME ? form->space->bs : form->space->dim + 1;
  Failure failure = {0};
  hid_t f = open_on_all(form->comm, file, &failure);

  PetscFunctionBegin;
  complain(file, &failure, message);
  PetscCall(RhxOutputRaise(form->comm, PETSC_ERR_FILE_OPEN, message));
  PetscCall(check_positions(fit->remap ? fit->remap->from : form->space, f, file, &failure, message));
  PetscCall(read_state(form, f, "state", head, fit, form->space->bs, x, &failure));
  if (rate) {
    PetscCall(VecZeroEntries(rate));
    if (head->has_rate) PetscCall(read_state(form, f, "rate", head, fit, nrate, rate, &failure));
  }
  complain(file, &failure, message);
  PetscCall(check_finite(file, "state", x, message));
  if (!message[0]) PetscCall(RhxFitConvert(fit, file, head, x, message));
  if (rate) PetscCall(check_finite(file, "rate", rate, message));
  H5Fclose(f);
  PetscCall(RhxOutputRaise(form->comm, PETSC_ERR_FILE_READ, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_all(RhxForm form, const char *file, RhxFit *fit, RhxHead *head, Vec x, Vec rate,
                               PetscInt nseries, RhxNumbers *series)
{
  char message[RHX_MESSAGE] = "";
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(form->comm, &rank));
  if (!rank) PetscCall(check_file(file, fit, head, nseries, series, message));
  PetscCall(RhxOutputRaise(form->comm, PETSC_ERR_FILE_UNEXPECTED, message));
  PetscCallMPI(MPI_Bcast(head, sizeof *head, MPI_BYTE, 0, form->comm));
  RhxFitCheck(fit, file, head, message);
  for (PetscInt i = 0; i < nseries; i++) {
    PetscCallMPI(MPI_Bcast(&series[i].found, 1, MPI_INT, 0, form->comm));
    if (series[i].found) PetscCallMPI(MPI_Bcast(series[i].values, (PetscMPIInt)series[i].n, MPI_DOUBLE, 0, form->comm));
  }
  PetscCall(read_datasets(form, file, head, fit, x, rate, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCheckpointRead(RhxForm form, const char *file, RhxRestart *at, Vec x, Vec rate, PetscInt nseries,
                                 RhxNumbers *series)
{
  RhxH5Silence silence;
  RhxHead *head;
  RhxRemap remap = {0};
  RhxFit fit;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscNew(&head));
  PetscCall(RhxFitCreate(form, at->take, at->may_lack, &fit));
  if (at->mesh) {
    PetscCall(RhxRemapCreate(form, at->mesh, &remap));
    fit.remap = &remap;
    fit.mine->nodes = (int)remap.from->nglobal;
  }
  RhxH5BeSilent(&silence);
  ierr = read_all(form, file, &fit, head, x, rate, nseries, series);
  RhxH5SpeakAgain(&silence);
  at->step = head->step;
  at->t = head->t;
  at->dt = head->dt;
  at->nconverted = fit.nconverted;
  at->nodes = fit.mine->nodes;
  at->noutside = remap.noutside;
  PetscCall(RhxRemapDestroy(&remap));
  PetscCall(PetscStrncpy(at->lacking, fit.lacking, sizeof at->lacking));
  PetscCall(RhxFitDestroy(&fit));
  PetscCall(PetscFree(head));
  PetscFunctionReturn(ierr);
}
