/* HDF5 itself reads beyond its buffers, divides by zero or does not end where the metadata of a file are damaged, and they
 * carry no checksum in most files. So a child process goes through all of them first: what it does not survive is damage. */
#define _GNU_SOURCE
#include "mesh/hdf5_read.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPU_SECONDS 5 /* of the child, and one more for every RATE bytes; WAIT times as many on the clock */
#define RATE 1e7
#define WAIT 20

static herr_t visit_attribute(hid_t object, const char *name, const H5A_info_t *info, void *ctx)
{
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type, space;
  char value[4096];

  (void)info, (void)ctx;
  if (attribute < 0) return 0;
  type = H5Aget_type(attribute);
  space = H5Aget_space(attribute);
  if (type >= 0 && space >= 0 && H5Tis_variable_str(type) == 0 && H5Tget_size(type) <= sizeof(value) &&
      H5Sget_simple_extent_npoints(space) == 1)
    (void)H5Aread(attribute, type, value);
  if (space >= 0) (void)H5Sclose(space);
  if (type >= 0) (void)H5Tclose(type);
  (void)H5Aclose(attribute);
  return 0;
}

/* Where the parts of a chunked dataset lie is metadata, too. */
static void visit_values(const RhxH5 *file, const char *path)
{
  PetscInt n, width, *ints = NULL;
  PetscReal *reals = NULL;

  if (!RhxH5Ints(file, path, &n, &ints)) (void)PetscFree(ints);
  if (!RhxH5Reals(file, path, &n, &width, &reals)) (void)PetscFree(reals);
}

static herr_t visit_object(hid_t root, const char *path, const H5O_info_t *info, void *ctx)
{
  hid_t object = H5Oopen(root, path, H5P_DEFAULT), create = -1;

  (void)info;
  if (object < 0) return 0;
  (void)H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_attribute, NULL);
  if (H5Iget_type(object) == H5I_DATASET) create = H5Dget_create_plist(object);
  if (create >= 0 && H5Pget_layout(create) != H5D_CONTIGUOUS) visit_values((const RhxH5 *)ctx, path);
  if (create >= 0) (void)H5Pclose(create);
  (void)H5Oclose(object);
  return 0;
}

static void visit_all(RhxH5 *file)
{
#if H5_VERSION_GE(1, 12, 0)
  (void)H5Ovisit(file->id, H5_INDEX_NAME, H5_ITER_INC, visit_object, file, H5O_INFO_BASIC);
#else
  (void)H5Ovisit(file->id, H5_INDEX_NAME, H5_ITER_INC, visit_object, file);
#endif
}

/* The reader's own first, on a file just opened, as it will find it. */
static void go_through(const char *name, RhxH5ReadFn read, void *ctx)
{
  RhxH5 file;

  if (read && !RhxH5Open(name, &file)) (*read)(&file, ctx);
  if (read) (void)RhxH5Close(&file);
  if (!RhxH5Open(name, &file)) visit_all(&file);
  (void)RhxH5Close(&file);
}

static void be_child(const char *name, double bytes, RhxH5ReadFn read, void *ctx)
{
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGXCPU, SIGTERM};
  struct rlimit cpu;
  const rlim_t seconds = (rlim_t)(CPU_SECONDS + bytes / RATE);
  int null = open("/dev/null", O_WRONLY);

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(fatal); k++) (void)signal(fatal[k], SIG_DFL);
  cpu.rlim_cur = cpu.rlim_max = seconds;
  (void)setrlimit(RLIMIT_CPU, &cpu);
  cpu.rlim_cur = cpu.rlim_max = 0;
  (void)setrlimit(RLIMIT_CORE, &cpu);
  (void)alarm((unsigned)(WAIT * seconds));
  if (null >= 0) {
    (void)dup2(null, 1);
    (void)dup2(null, 2);
  }
  if (!PetscPushErrorHandler(PetscReturnErrorHandler, NULL)) go_through(name, read, ctx);
  _exit(0);
}

PetscErrorCode RhxH5Probe(const char *file, RhxH5ReadFn read, void *ctx, PetscBool *survived)
{
  int status = 0, got = 0;
  double bytes;
  pid_t child;
  FILE *f = fopen(file, "rb");

  PetscFunctionBegin;
  *survived = PETSC_TRUE;
  if (!f) PetscFunctionReturn(PETSC_SUCCESS);
  bytes = fseek(f, 0, SEEK_END) ? 0 : (double)ftell(f);
  (void)fclose(f);
  child = fork();
  if (child == 0) be_child(file, bytes, read, ctx);
  if (child < 0) PetscFunctionReturn(PETSC_SUCCESS); /* no process left for it */
  do got = waitpid(child, &status, 0);
  while (got < 0 && errno == EINTR);
  if (got == child) *survived = (PetscBool)(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}
