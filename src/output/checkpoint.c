/* State for restart in HDF5. Rows are nodes by their natural number, so any number of ranks can read what any wrote. */
#include "mesh/hdf5_read.h"
#include "output/file_impl.h"
#include "output/fit_impl.h"
#include "output/output.h"
#include "output/remap_impl.h"
#include "output/rows_impl.h"
#include "output/skeleton_impl.h"
#include "plugin/agree.h"
#include "space/diameter.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAME_PLACE 1e-6 /* of the shortest edge */
#define ROUNDED 1e-2    /* likewise: where all coordinates are within */
#define FLOAT32 1.2e-7  /* of the largest one, as in a mesh file of 32-bit numbers */

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
#define GIVEN_T "conditions_t"
#define COUNT(a) (sizeof(a) / sizeof *(a))

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
  bad |= write_attribute(file, "axisymmetric", H5T_NATIVE_INT, &h->axisymmetric);
  bad |= write_attribute(file, GIVEN_T, H5T_NATIVE_DOUBLE, &h->given_t);
  bad |= write_text(file, "parameters", h->parameters);
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
  if (H5Aexists(file, "axisymmetric") <= 0)
    h->axisymmetric = -1;
  else if (read_attribute(file, "axisymmetric", H5T_NATIVE_INT, &h->axisymmetric))
    return "axisymmetric";
  h->given_t = h->t; /* of a file of earlier versions */
  if (H5Aexists(file, GIVEN_T) > 0 && read_attribute(file, GIVEN_T, H5T_NATIVE_DOUBLE, &h->given_t)) return GIVEN_T;
  if (H5Aexists(file, "parameters") > 0 && read_text(file, "parameters", RHX_HEAD_TEXT, h->parameters))
    return "parameters";
  return read_text(file, "representation", sizeof h->representation, h->representation) ? "representation" : NULL;
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
  const RhxBeside *beside;
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

  for (PetscInt i = 0; i < a->beside->nnumbers; i++) bad |= write_numbers(file, a->beside->numbers + i);
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

/* Rows that rank 0 holds. */
static PetscErrorCode write_rows(MPI_Comm comm, RhxFile *file, const RhxDataset *set, const double *values)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(RhxFileWrite(file, set->offset, values, rank ? 0 : RhxDatasetRowSize(set) * (int64_t)set->rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Datasets: [n] those of x, then what is kept. */
static PetscErrorCode write_file(RhxSpace space, const char *file, int n, RhxDataset *set, const Vec *x,
                                 const RhxBeside *beside, const char *bytes, size_t size, int *err)
{
  RhxFile out;

  PetscFunctionBegin;
  PetscCall(RhxFileCreate(space->comm, file, &out));
  PetscCall(RhxFileWrite(&out, 0, bytes, (int64_t)size));
  for (int i = 0; i < n; i++) PetscCall(RhxNodesWrite(space, &out, set + i, x[i]));
  for (int i = 0; i < beside->nkept; i++)
    if (beside->kept[i].nodes)
      PetscCall(RhxNodesWrite(space, &out, set + n + i, beside->kept[i].nodes));
    else
      PetscCall(write_rows(space->comm, &out, set + n + i, beside->kept[i].values));
  PetscCall(RhxFileClose(&out, PETSC_TRUE, err));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To be freed. */
static PetscErrorCode list_datasets(RhxSpace space, int n, const RhxBeside *beside, RhxDataset **set)
{
  const hsize_t rows = (hsize_t)space->nglobal, bs = (hsize_t)space->bs;
  const RhxDataset own[] = {{.name = "positions", .rows = rows, .columns = (hsize_t)space->dim},
                            {.name = "state", .rows = rows, .columns = bs},
                            {.name = "rate", .rows = rows, .columns = bs}};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n + beside->nkept, set));
  PetscCall(PetscArraycpy(*set, own, n));
  for (int i = 0; i < beside->nkept; i++) {
    const RhxKept *kept = &beside->kept[i];
    (*set)[n + i] = (RhxDataset){
        .name = kept->name, .rows = kept->nodes ? rows : (hsize_t)kept->rows, .columns = (hsize_t)kept->columns};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCheckpointWrite(RhxForm form, const char *file, PetscInt step, double t, double dt, Vec x, Vec rate,
                                  const RhxBeside *beside, char problem[RHX_MESSAGE])
{
  const int n = rate ? 3 : 2;
  char temporary[PETSC_MAX_PATH_LEN], *bytes;
  Vec vec[3] = {NULL, x, rate};
  PetscMPIInt rank;
  RhxDataset *set;
  RhxHead *head;
  size_t size;
  int err;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(form->comm, &rank));
  PetscCall(PetscNew(&head));
  PetscCall(RhxHeadMake(form, step, t, dt, rate ? PETSC_TRUE : PETSC_FALSE, head));
  if (beside->given_t) head->given_t = *beside->given_t;
  PetscCall(PetscSNPrintf(temporary, sizeof temporary, "%s.tmp", file));
  PetscCall(list_datasets(form->space, n, beside, &set));
  PetscCall(RhxSkeletonMake(form->comm, n + (int)beside->nkept, set, write_attributes, &(Attributes){head, beside},
                            &bytes, &size, &err));
  PetscCheck(!err, form->comm, PETSC_ERR_LIB, "HDF5 cannot lay out a checkpoint of %" PetscInt_FMT " nodes",
             form->space->nglobal);
  PetscCall(create_positions(form->space, PETSC_TRUE, vec));
  PetscCall(write_file(form->space, temporary, n, set, vec, beside, bytes, size, &err));
  if (!rank && !err && (err = place(temporary, file, head))) (void)unlink(temporary);
  PetscCallMPI(MPI_Bcast(&err, 1, MPI_INT, 0, form->comm));
  problem[0] = '\0';
  if (err)
    snprintf(problem, RHX_MESSAGE,
             "checkpoint %.400s cannot be written: got \"%s\", expected a writable folder with space (-output_folder)",
             file, strerror(err));
  PetscCall(VecDestroy(vec));
  free(bytes);
  PetscCall(PetscFree(set));
  PetscCall(PetscFree(head));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Reading ---- */

static void complain(const char *file, const RhxH5Failure *failure, char message[RHX_MESSAGE])
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

static void try_head(const RhxH5 *h, void *ctx)
{
  RhxHead head;

  (void)ctx;
  (void)read_head(h->id, &head);
}

/* Rank 0 alone. */
static PetscErrorCode read_variable(const char *file, char variable[64])
{
  PetscBool survived;
  RhxHead head;
  hid_t f;

  PetscFunctionBegin;
  if (access(file, R_OK) || is_folder(file)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxH5Probe(file, try_head, NULL, &survived));
  if (!survived) PetscFunctionReturn(PETSC_SUCCESS);
  f = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (f >= 0 && !read_head(f, &head) && head.modes > 0) PetscCall(PetscStrncpy(variable, head.representation, 64));
  if (f >= 0) H5Fclose(f);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCheckpointGetVariable(MPI_Comm comm, const char *file, char variable[64])
{
  RhxH5Silence silence;
  PetscMPIInt rank;
  int ierr = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  memset(variable, 0, 64);
  RhxH5BeSilent(&silence);
  if (!rank) ierr = (int)read_variable(file, variable);
  RhxH5SpeakAgain(&silence);
  PetscCallMPI(MPI_Bcast(&ierr, 1, MPI_INT, 0, comm));
  PetscCall((PetscErrorCode)ierr);
  PetscCallMPI(MPI_Bcast(variable, 64, MPI_CHAR, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_file(const char *file, RhxFit *fit, RhxHead *head, PetscInt nseries, RhxNumbers *series,
                                 char message[RHX_MESSAGE])
{
  RhxH5 h = {0};
  RhxH5Failure failure = {0};
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
  RhxH5Note(&failure, h.id < 0 || H5Fget_filesize(h.id, &h.bytes) < 0);
  complain(file, &failure, message);
  if (!message[0]) check_open(&h, fit, head, message);
  for (PetscInt i = 0; i < nseries; i++) read_numbers(&h, series + i, message);
  if (h.id >= 0) H5Fclose(h.id);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the distance of a node from its place in the file the largest. */
typedef struct {
  double m, edges, coordinates; /* in metres; over the shortest edge of an element there; over the largest coordinate */
} Shift;

static PetscErrorCode measure_shift(RhxSpace space, const PetscScalar *there, Shift *shift)
{
  const PetscInt dim = space->dim;
  double worst[3] = {0, 0, 0}; /* the last: largest coordinate */

  PetscFunctionBegin;
  for (PetscInt t = 0; t < space->ntypes; t++)
    for (PetscInt e = 0; e < space->cells[t].n; e++) {
      const RhxCells *c = &space->cells[t];
      const PetscInt *conn = c->conn + (size_t)(e / RHX_LANES) * c->nn * RHX_LANES + e % RHX_LANES;
      const double edge = RhxCellShortest(c, dim, e);

      for (PetscInt a = 0; a < c->nn; a++) {
        double away = 0.0;

        for (PetscInt d = 0; d < dim; d++)
          away = hypot(away, there[conn[a * RHX_LANES] * dim + d] - space->x[conn[a * RHX_LANES] * dim + d]);
        if (!isfinite(away)) away = INFINITY;
        worst[0] = PetscMax(worst[0], away / edge);
        worst[1] = PetscMax(worst[1], away);
      }
    }
  for (PetscInt i = 0; i < space->nowned * dim; i++) worst[2] = PetscMax(worst[2], PetscAbsReal(space->x[i]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, worst, 3, MPI_DOUBLE, MPI_MAX, space->comm));
  *shift = (Shift){.m = worst[1], .edges = worst[0], .coordinates = worst[1] / worst[2]};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh of as many nodes may still be another. */
static PetscErrorCode check_positions(RhxSpace space, hid_t f, const char *file, RhxRestart *at, RhxH5Failure *failure,
                                      char message[RHX_MESSAGE])
{
  const PetscScalar *values;
  PetscScalar *local;
  Vec there;
  Shift shift = {0};

  PetscFunctionBegin;
  PetscCall(create_positions(space, PETSC_FALSE, &there));
  PetscCall(RhxNodesRead(space, f, "positions", space->dim, there, failure));
  PetscCall(PetscMalloc1(space->nlocal * space->dim, &local));
  PetscCall(VecGetArrayRead(there, &values));
  PetscCall(RhxSpaceGlobalToLocal(space, space->dim, values, local));
  PetscCall(VecRestoreArrayRead(there, &values));
  PetscCall(measure_shift(space, local, &shift));
  PetscCall(PetscFree(local));
  PetscCall(VecDestroy(&there));
  at->rounded = shift.edges <= SAME_PLACE ? 0.0 : shift.m;
  if (!failure->bad && !(shift.edges <= SAME_PLACE || (shift.edges <= ROUNDED && shift.coordinates <= FLOAT32)))
    snprintf(message, RHX_MESSAGE,
             "checkpoint %.400s is of another mesh: got a node %.3g m away from its place, %.2g of the shortest edge "
             "there, expected 0 (option -case_restart)",
             file, shift.m, shift.edges);
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
                                 Vec x, RhxH5Failure *failure)
{
  Vec there;

  PetscFunctionBegin;
  if (!remap) {
    PetscCall(RhxNodesRead(form->space, file, name, block, x, failure));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxSpaceCreateVec(remap->from, block, &there));
  PetscCall(RhxNodesRead(remap->from, file, name, block, there, failure));
  PetscCall(RhxRemapApply(remap, block, there, x));
  PetscCall(VecDestroy(&there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dataset of the file's block into the first n values of x's; what the file has not stays. */
static PetscErrorCode read_state(RhxForm form, hid_t file, const char *name, const RhxHead *head, const RhxFit *fit,
                                 PetscInt n, Vec x, RhxH5Failure *failure)
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

static PetscErrorCode read_datasets(RhxForm form, const char *file, const RhxHead *head, const RhxFit *fit,
                                    RhxRestart *at, Vec x, Vec rate, char message[RHX_MESSAGE])
{
  /* rates of unknowns that are converted would be others */
  const PetscInt nrate =
      fit->take == RHX_RESTART_SAME ? form->space->bs : RhxFieldsStart(form->space->fields, RHX_GROUP_MODES);
  RhxH5Failure failure = {0};
  hid_t f = RhxH5OpenOnAll(form->comm, file, &failure);

  PetscFunctionBegin;
  complain(file, &failure, message);
  PetscCall(RhxRaise(form->comm, PETSC_ERR_FILE_OPEN, RHX_MESSAGE, message));
  PetscCall(check_positions(fit->remap ? fit->remap->from : form->space, f, file, at, &failure, message));
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
  PetscCall(RhxRaise(form->comm, PETSC_ERR_FILE_READ, RHX_MESSAGE, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_all(RhxForm form, const char *file, RhxFit *fit, RhxHead *head, RhxRestart *at, Vec x,
                               Vec rate, PetscInt nseries, RhxNumbers *series)
{
  char message[RHX_MESSAGE] = "";
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(form->comm, &rank));
  if (!rank) PetscCall(check_file(file, fit, head, nseries, series, message));
  PetscCall(RhxRaise(form->comm, PETSC_ERR_FILE_UNEXPECTED, sizeof(message), message));
  PetscCallMPI(MPI_Bcast(head, sizeof *head, MPI_BYTE, 0, form->comm));
  RhxFitCheck(fit, file, head, message);
  for (PetscInt i = 0; i < nseries; i++) {
    PetscCallMPI(MPI_Bcast(&series[i].found, 1, MPI_INT, 0, form->comm));
    if (series[i].found) PetscCallMPI(MPI_Bcast(series[i].values, (PetscMPIInt)series[i].n, MPI_DOUBLE, 0, form->comm));
  }
  PetscCall(read_datasets(form, file, head, fit, at, x, rate, message));
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
  ierr = read_all(form, file, &fit, head, at, x, rate, nseries, series);
  RhxH5SpeakAgain(&silence);
  at->step = head->step;
  at->t = head->t;
  at->dt = head->dt;
  at->given_t = head->given_t;
  at->has_rate = (PetscBool)head->has_rate;
  at->nconverted = fit.nconverted;
  at->nodes = fit.mine->nodes;
  at->noutside = remap.noutside;
  PetscCall(RhxRemapDestroy(&remap));
  PetscCall(PetscStrncpy(at->lacking, fit.lacking, sizeof at->lacking));
  PetscCall(PetscStrncpy(at->parameters, head->parameters, sizeof at->parameters));
  PetscCall(RhxFitDestroy(&fit));
  PetscCall(PetscFree(head));
  PetscFunctionReturn(ierr);
}
