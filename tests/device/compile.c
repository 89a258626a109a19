/* Compilation for a device without one: the cache and its faults, messages, what kernels use. Usage: compile <check>. */
#include "common.h"
#include "device/kernels.h"
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

static const char text[] = "#include <law/scale.h>\n"
                           "extern \"C\" __global__ void scaled(double *x, int n)\n"
                           "{\n"
                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  if (i < n) x[i] = scale(x[i]);\n"
                           "}\n"
                           "extern \"C\" __global__ void reversed(double *x)\n"
                           "{\n"
                           "  __shared__ double s[64];\n"
                           "  s[threadIdx.x] = x[threadIdx.x];\n"
                           "  __syncthreads();\n"
                           "  x[threadIdx.x] = s[63 - threadIdx.x];\n"
                           "}\n";
static const char scale[] = "__device__ inline double scale(double x) { return FACTOR * x; }\n";

static PetscErrorCode compile(const char *header, const char *option, const char *arch, RhxDeviceBinary *binary)
{
  RhxDeviceSource source;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(RhxDeviceSourceCreate("scale.cu", text, &source));
  PetscCall(RhxDeviceSourceAddHeader(source, "law/scale.h", header));
  PetscCall(RhxDeviceSourceAddOption(source, option));
  code = RhxDeviceCompile(PETSC_COMM_WORLD, arch, source, binary);
  PetscCall(RhxDeviceSourceDestroy(&source));
  PetscFunctionReturn(code);
}

static PetscErrorCode expect_origin(const char *what, const char *header, const char *option, RhxBinaryOrigin origin)
{
  RhxDeviceBinary binary;

  PetscFunctionBegin;
  PetscCall(compile(header, option, "sm_90", &binary));
  expect(binary.origin == origin, "%s: origin %d, expected %d", what, (int)binary.origin, (int)origin);
  expect(binary.size > 1000, "%s: a cubin of %zu bytes", what, binary.size);
  expect(binary.size > 4 && memcmp(binary.cubin, "\177ELF", 4) == 0, "%s: the cubin is not one", what);
  expect(binary.nkernels == 2, "%s: %d kernels, expected 2", what, (int)binary.nkernels);
  for (PetscInt i = 0; i < binary.nkernels; i++) {
    const RhxKernelUse *use = &binary.kernel[i];
    expect(use->registers > 3 && use->registers < 64, "%s: %s has %d registers", what, use->name, use->registers);
    expect(use->shared == (strcmp(use->name, "reversed") == 0 ? 512 : 0), "%s: %s has %d bytes shared", what, use->name,
           use->shared);
    expect(strcmp(use->name, "reversed") == 0 || strcmp(use->name, "scaled") == 0, "%s: kernel %s", what, use->name);
  }
  PetscCall(RhxDeviceBinaryFree(&binary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_cache(void)
{
  PetscFunctionBegin;
  PetscCall(expect_origin("first", scale, "-DFACTOR=2", RHX_BINARY_COMPILED));
  PetscCall(expect_origin("again", scale, "-DFACTOR=2", RHX_BINARY_CACHED));
  PetscCall(expect_origin("other option", scale, "-DFACTOR=3", RHX_BINARY_COMPILED));
  PetscCall(expect_origin("other header", "__device__ double scale(double x) { return 4 * x * FACTOR; }\n",
                          "-DFACTOR=2", RHX_BINARY_COMPILED));
  PetscCall(expect_origin("once more", scale, "-DFACTOR=2", RHX_BINARY_CACHED));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The one file of the cache, opened for changes. */
static FILE *open_cached(char path[512])
{
  char pattern[512];
  glob_t found;
  FILE *file = NULL;

  snprintf(pattern, sizeof(pattern), "%s/rheoplex/*", getenv("XDG_CACHE_HOME"));
  expect(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1, "expected one file as %s", pattern);
  if (found.gl_pathc == 1) {
    snprintf(path, 512, "%s", found.gl_pathv[0]);
    file = fopen(path, "r+b");
  }
  globfree(&found);
  return file;
}

/* Compiles, or takes from the cache, with one line of notes and warnings that has the word; NULL: none. */
static PetscErrorCode expect_told(const char *what, RhxBinaryOrigin origin, const char *word)
{
  char line[2048];
  FILE *stderr_of_petsc = PETSC_STDERR;
  int told = 0, lines = 0;

  PetscFunctionBegin;
  PETSC_STDERR = tmpfile();
  PetscCall(expect_origin(what, scale, "-DFACTOR=2", origin));
  rewind(PETSC_STDERR);
  for (; fgets(line, sizeof(line), PETSC_STDERR); lines++) told += word && strstr(line, word) != NULL;
  fclose(PETSC_STDERR);
  PETSC_STDERR = stderr_of_petsc;
  expect(told == (word != NULL) && lines == told, "%s: %d lines, %d of them with \"%s\"", what, lines, told,
         word ? word : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_damaged(void)
{
  static const char *const what[] = {"magic",   "version", "sum",  "key", "a byte of the cubin",
                                     "shorter", "longer",  "empty"};
  static const long at[] = {0, 8, 20, 100, -100};

  PetscFunctionBegin;
  PetscCall(expect_origin("first", scale, "-DFACTOR=2", RHX_BINARY_COMPILED));
  for (int k = 0; k < 8; k++) {
    char path[512];
    FILE *file = open_cached(path);
    PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "no cache file");
    if (k < 5) {
      int byte;
      fseek(file, at[k], at[k] < 0 ? SEEK_END : SEEK_SET);
      byte = fgetc(file);
      fseek(file, -1, SEEK_CUR);
      fputc(byte ^ 1, file);
    } else {
      fseek(file, 0, SEEK_END);
      if (k == 6)
        fputc(1, file);
      else
        expect(ftruncate(fileno(file), k == 5 ? ftell(file) - 10 : 0) == 0, "cannot shorten %s", path);
    }
    fclose(file);
    PetscCall(expect_told(what[k], RHX_BINARY_COMPILED, "is damaged"));
    PetscCall(expect_told(what[k], RHX_BINARY_CACHED, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void expect_mode(const char *path, mode_t mode)
{
  struct stat info = {0};
  expect(stat(path, &info) == 0 && (info.st_mode & 07777) == mode, "%s: mode %o, expected %o", path,
         (unsigned)info.st_mode & 07777, (unsigned)mode);
}

/* What the cache makes is the user's alone, whatever the umask. */
static PetscErrorCode check_private(void)
{
  char folder[512], path[512], made[1024];
  const mode_t before = umask(0);

  PetscFunctionBegin;
  snprintf(folder, sizeof(folder), "%s/some/where", getenv("XDG_CACHE_HOME"));
  setenv("XDG_CACHE_HOME", folder, 1);
  PetscCall(expect_told("first", RHX_BINARY_COMPILED, NULL));
  expect_mode(folder, 0700);
  folder[strlen(folder) - strlen("/where")] = '\0';
  expect_mode(folder, 0700);
  snprintf(made, sizeof(made), "%s/where/rheoplex", folder);
  expect_mode(made, 0700);
  {
    FILE *file = open_cached(path);
    if (file) fclose(file);
  }
  expect_mode(path, 0600);
  umask(before);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Files and folders that someone else can have written are not believed, and told. */
static PetscErrorCode check_foreign(void)
{
  char path[512], folder[512], other[1024];
  FILE *file;

  PetscFunctionBegin;
  PetscCall(expect_told("first", RHX_BINARY_COMPILED, NULL));
  file = open_cached(path);
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "no cache file");
  fclose(file);
  snprintf(folder, sizeof(folder), "%s/rheoplex", getenv("XDG_CACHE_HOME"));
  snprintf(other, sizeof(other), "%s/kept", getenv("XDG_CACHE_HOME"));

  expect(chmod(path, 0620) == 0, "cannot change the mode of %s", path);
  PetscCall(expect_told("a file that the group writes", RHX_BINARY_COMPILED, "others may write the file"));
  expect(chmod(path, 0602) == 0, "cannot change the mode of %s", path);
  PetscCall(expect_told("a file that everyone writes", RHX_BINARY_COMPILED, "others may write the file"));
  PetscCall(expect_told("after it", RHX_BINARY_CACHED, NULL));
  expect(rename(path, other) == 0 && symlink(other, path) == 0, "cannot make the link %s", path);
  PetscCall(expect_told("a link", RHX_BINARY_COMPILED, "symbolic link"));
  PetscCall(expect_told("after it", RHX_BINARY_CACHED, NULL));
  expect(remove(path) == 0 && mkfifo(path, 0600) == 0, "cannot make the pipe %s", path);
  PetscCall(expect_told("a pipe", RHX_BINARY_COMPILED, "regular file"));
  if (geteuid() == 0) {
    expect(chown(path, 65534, 65534) == 0, "cannot change the owner of %s", path);
    PetscCall(expect_told("another user's file", RHX_BINARY_COMPILED, "belongs to user 65534"));
    PetscCall(expect_told("after it", RHX_BINARY_CACHED, NULL));
  }
  expect(rename(path, other) == 0, "cannot move %s", path);
  PetscCall(expect_origin("other program", scale, "-DFACTOR=3", RHX_BINARY_COMPILED));
  file = open_cached(other);
  if (file) fclose(file);
  expect(rename(other, path) == 0, "cannot move %s", other);
  PetscCall(expect_told("another program's file", RHX_BINARY_COMPILED, "of another program"));
  expect(chmod(folder, 0770) == 0, "cannot change the mode of %s", folder);
  PetscCall(expect_told("a folder that the group writes", RHX_BINARY_COMPILED, "others may write the folder"));
  expect(chmod(folder, 0755) == 0, "cannot change the mode of %s", folder);
  PetscCall(expect_told("a folder that all read", RHX_BINARY_CACHED, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A folder below a regular file cannot be made, whoever the user is; one warning for two programs. */
static PetscErrorCode check_unwritable(void)
{
  char folder[1024], line[1024];
  FILE *file, *stderr_of_petsc = PETSC_STDERR;
  int warnings = 0;

  PetscFunctionBegin;
  snprintf(folder, sizeof(folder), "%s/file", getenv("XDG_CACHE_HOME"));
  file = fopen(folder, "w");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot write %s", folder);
  fclose(file);
  strcat(folder, "/below");
  PetscCall(PetscOptionsSetValue(NULL, "-device_cache", folder));
  PETSC_STDERR = tmpfile();
  PetscCall(expect_origin("unwritable", scale, "-DFACTOR=2", RHX_BINARY_COMPILED));
  PetscCall(expect_origin("unwritable", scale, "-DFACTOR=2", RHX_BINARY_COMPILED));
  rewind(PETSC_STDERR);
  while (fgets(line, sizeof(line), PETSC_STDERR))
    if (strstr(line, "warning") && strstr(line, folder) && strstr(line, "-device_cache")) warnings++;
  fclose(PETSC_STDERR);
  PETSC_STDERR = stderr_of_petsc;
  expect(warnings == 1, "%d warnings, expected 1", warnings);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_option(void)
{
  char folder[512];

  PetscFunctionBegin;
  snprintf(folder, sizeof(folder), "%s/a/b", getenv("XDG_CACHE_HOME"));
  PetscCall(PetscOptionsSetValue(NULL, "-device_cache", folder));
  PetscCall(expect_origin("own folder", scale, "-DFACTOR=2", RHX_BINARY_COMPILED));
  PetscCall(expect_origin("own folder", scale, "-DFACTOR=2", RHX_BINARY_CACHED));
  PetscCall(PetscOptionsClearValue(NULL, "-device_cache"));
  PetscCall(expect_origin("usual folder", scale, "-DFACTOR=2", RHX_BINARY_COMPILED));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_errors(void)
{
  RhxDeviceBinary binary;
  PetscErrorCode code;

  PetscFunctionBegin;
  CATCH(code, compile("\n\n__device__ double scale(double x) { return y; }\n", "-DFACTOR=2", "sm_90", &binary));
  expect_message(code, "law/scale.h line 3:", "\"y\" is undefined", "'scale.cu'");
  CATCH(code, compile("#line 41 \"/home/u/mylaw.c\"\n__device__ double scale(double x) { return x }\n", "-DFACTOR=2",
                      "sm_90", &binary));
  expect_message(code, "/home/u/mylaw.c line 41:", "expected", ";");
  CATCH(code, compile("#include \"missing.h\"\n", "-DFACTOR=2", "sm_90", &binary));
  expect_message(code, "law/scale.h line 1:", "missing.h", "");
  CATCH(code, compile(scale, "-no-such-option", "sm_90", &binary));
  expect_message(code, "scale.cu", "-no-such-option", "");
  CATCH(code, compile(scale, "-DFACTOR=2", "sm_1", &binary));
  expect_message(code, "'sm_1'", "sm_90", "");
  CATCH(code, compile(scale, "-DFACTOR=2", "sm_123", &binary));
  expect_message(code, "sm_123", "scale.cu", "arch");
  PetscCall(PetscOptionsSetValue(NULL, "-device_nvrtc", "/nowhere/libnvrtc.so"));
  CATCH(code, compile(scale, "-DFACTOR=2", "sm_90", &binary));
  expect_message(code, "needs NVRTC", "/nowhere/libnvrtc.so", "-device_nvrtc");
  PetscCall(PetscOptionsClearValue(NULL, "-device_nvrtc"));
  PetscCall(expect_origin("after all", scale, "-DFACTOR=2", RHX_BINARY_COMPILED));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_file(const char *path, const char *contents)
{
  FILE *file = fopen(path, "w");

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot write %s", path);
  fputs(contents, file);
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Headers from a folder, a source from a file; names that are taken or missing. */
static PetscErrorCode check_files(void)
{
  const char *folder = getenv("XDG_CACHE_HOME");
  char path[512];
  RhxDeviceSource source;
  RhxDeviceBinary binary;
  PetscErrorCode code;

  PetscFunctionBegin;
  snprintf(path, sizeof(path), "%s/scale.h", folder);
  PetscCall(write_file(path, "#include <law/factor.cuh>\n__device__ double scale(double x) { return FACTOR * x; }\n"));
  snprintf(path, sizeof(path), "%s/factor.cuh", folder);
  PetscCall(write_file(path, "#include \"factor.c\"\n"));
  snprintf(path, sizeof(path), "%s/factor.c", folder);
  PetscCall(write_file(path, "#define FACTOR 3\n"));
  PetscCall(RhxDeviceSourceCreate("scale.cu", text, &source));
  PetscCall(RhxDeviceSourceAddFolder(source, "law/", folder));
  CATCH(code, RhxDeviceCompile(PETSC_COMM_WORLD, "sm_90", source, &binary));
  expect_message(code, "law/factor.cuh line 1:", "factor.c", ""); /* a folder gives its headers only */
  PetscCall(RhxDeviceSourceAddFile(source, "factor.c", path));
  PetscCall(RhxDeviceCompile(PETSC_COMM_WORLD, "sm_90", source, &binary));
  expect(binary.nkernels == 2, "%d kernels, expected 2", (int)binary.nkernels);
  PetscCall(RhxDeviceBinaryFree(&binary));
  CATCH(code, RhxDeviceSourceAddFile(source, "factor.c", path));
  expect_message(code, "two headers", "'factor.c'", "scale.cu");
  CATCH(code, RhxDeviceSourceAddFile(source, "other.c", "/nowhere/other.c"));
  expect_message(code, "/nowhere/other.c", "cannot be read", "scale.cu");
  CATCH(code, RhxDeviceSourceAddFolder(source, "", "/nowhere"));
  expect_message(code, "/nowhere", "cannot be read", "scale.cu");
  PetscCall(RhxDeviceSourceDestroy(&source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_spills(void)
{
  static const char many[] = "extern \"C\" __global__ void many(double *x, int n)\n"
                             "{\n"
                             "  double r[48];\n"
                             "#pragma unroll\n"
                             "  for (int i = 0; i < 48; i++) r[i] = x[i * n];\n"
                             "  for (int k = 0; k < n; k++)\n"
                             "#pragma unroll\n"
                             "    for (int i = 0; i < 48; i++) r[i] = r[i] * x[k] + r[(i + 1) % 48];\n"
                             "#pragma unroll\n"
                             "  for (int i = 0; i < 48; i++) x[i * n] = r[i];\n"
                             "}\n";
  PetscFunctionBegin;
  for (int limited = 0; limited < 2; limited++) {
    RhxDeviceSource source;
    RhxDeviceBinary binary;

    PetscCall(RhxDeviceSourceCreate("many.cu", many, &source));
    if (limited) PetscCall(RhxDeviceSourceAddOption(source, "-maxrregcount=32"));
    PetscCall(RhxDeviceCompile(PETSC_COMM_WORLD, "sm_90", source, &binary));
    expect(binary.nkernels == 1, "%d kernels", (int)binary.nkernels);
    if (binary.nkernels == 1) {
      const RhxKernelUse *use = binary.kernel;
      expect(limited ? use->registers <= 32 : use->registers > 96, "%d registers", use->registers);
      expect((use->spill_stores > 100 && use->spill_loads > 100 && use->stack > 100) == limited,
             "%d bytes spill stores, %d loads, %d stack", use->spill_stores, use->spill_loads, use->stack);
    }
    PetscCall(RhxDeviceBinaryView(&binary, PETSC_VIEWER_STDOUT_WORLD));
    PetscCall(RhxDeviceBinaryFree(&binary));
    PetscCall(RhxDeviceSourceDestroy(&source));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One rank an architecture compiles, all have the same; an error is every rank's. */
static PetscErrorCode check_ranks(void)
{
  PetscMPIInt rank, size;
  RhxDeviceBinary binary;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size > 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_SIZ, "got 1 rank, expected several");
  PetscCall(expect_origin("first", scale, "-DFACTOR=2", rank ? RHX_BINARY_RECEIVED : RHX_BINARY_COMPILED));
  PetscCall(expect_origin("again", scale, "-DFACTOR=2", rank ? RHX_BINARY_RECEIVED : RHX_BINARY_CACHED));
  PetscCall(compile(scale, "-DFACTOR=2", rank ? "sm_80" : "sm_90", &binary));
  expect(binary.origin == (rank == 0   ? RHX_BINARY_CACHED
                           : rank == 1 ? RHX_BINARY_COMPILED
                                       : RHX_BINARY_RECEIVED),
         "two architectures: origin %d on rank %d", (int)binary.origin, rank);
  expect(strstr(binary.log, rank ? "sm_80" : "sm_90") != NULL, "the binary of another architecture on rank %d", rank);
  PetscCall(RhxDeviceBinaryFree(&binary));
  CATCH(code, compile("oops\n", "-DFACTOR=2", "sm_90", &binary));
  expect_message(code, "law/scale.h line", "", "");
  CATCH(code, compile(scale, "-DFACTOR=2", rank ? "sm_x" : "sm_90", &binary));
  expect_message(code, "'sm_x'", "", "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Begun on a thread, once: the same cubin, the same error; what nobody asks for, and what the cache has. A process of one core begins none. */
static PetscErrorCode check_beside(void)
{
  static const struct {
    const char *what, *header, *begin, *ask;
    PetscBool begun;
  } all[] = {{"beside", scale, "-DFACTOR=2", "-DFACTOR=2", PETSC_TRUE},
             {"another", scale, "-DFACTOR=6", "-DFACTOR=3", PETSC_FALSE},
             {"later", scale, NULL, "-DFACTOR=6", PETSC_TRUE},
             {"cached", scale, "-DFACTOR=2", "-DFACTOR=2", PETSC_FALSE},
             {"wrong", "oops\n", "-DFACTOR=2", "-DFACTOR=2", PETSC_TRUE}};
  enum { CACHED = 3 };
  RhxDeviceBinary binary, alone;
  RhxDeviceBinaryCount before, after;
  PetscErrorCode code;
  const PetscInt spare = sysconf(_SC_NPROCESSORS_ONLN) > 1;

  PetscFunctionBegin;
  PetscCall(compile(scale, "-DFACTOR=5", "sm_90", &alone));
  for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
    PetscCall(RhxDeviceBinariesMade(&before));
    for (int again = 0; all[k].begin && again < 2; again++) {
      if (again) PetscCall(PetscSleep(0.3)); /* done, so that a core is free */
      PetscCall(compile(all[k].header, all[k].begin, "sm_90", NULL));
    }
    PetscCall(RhxDeviceBinariesMade(&after));
    expect(after.begun - before.begun == (all[k].begin && k != CACHED && spare), "%s: %d begun", all[k].what,
           (int)(after.begun - before.begun));
    CATCH(code, compile(all[k].header, all[k].ask, "sm_90", &binary));
    PetscCall(RhxDeviceBinariesMade(&after));
    expect(after.beside - before.beside == (all[k].begun && spare), "%s: %d beside", all[k].what,
           (int)(after.beside - before.beside));
    if (strcmp(all[k].what, "wrong") == 0) {
      expect_message(code, "law/scale.h line", "'scale.cu'", "");
    } else {
      expect(!code && binary.size == alone.size && binary.nkernels == 2, "%s: %zu bytes, expected %zu", all[k].what,
             binary.size, alone.size);
      PetscCall(RhxDeviceBinaryFree(&binary));
    }
  }
  PetscCall(RhxDeviceBinaryFree(&alone));
  PetscCall(compile(scale, "-DFACTOR=4", "sm_90", NULL)); /* nobody asks for it */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernels that overlap on newer devices compile for those that cannot, too; their static shared memory fits on all. */
static PetscErrorCode check_older(void)
{
  const char *const step[] = {"-DRHX_DIM=2",
                              "-DRHX_NTENS=3",
                              "-DRHX_NMODES=1",
                              "-DRHX_BS=6",
                              "-DRHX_AS=0",
                              "-DRHX_FIRST_VELOCITY=0",
                              "-DRHX_FIRST_PRESSURE=2",
                              "-DRHX_FIRST_MODE=3",
                              "-DRHX_FIRST_SCALAR=6",
                              NULL};
  const char *const solver[] = {"-DRHX_WHILE=0", "-DRHX_RANKS=0", NULL};
  static const struct {
    const char *arch;
    int solver;
  } all[] = {{"sm_80", 0}, {"sm_80", 1}, {"sm_86", 0}, {"sm_89", 0}};
  RhxDeviceBinary binary;
  PetscFunctionBegin;
  for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
    const char *const kernels = all[k].solver ? "kernels/solver.cuh" : "kernels/step.cuh";
    PetscCall(RhxDeviceKernelsCompile(PETSC_COMM_WORLD, all[k].arch, kernels, all[k].solver ? solver : step, &binary));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %s\n", kernels, all[k].arch));
    PetscCall(RhxDeviceBinaryView(&binary, PETSC_VIEWER_STDOUT_WORLD));
    expect(binary.nkernels > 5, "%d kernels of %s for %s", (int)binary.nkernels, kernels, all[k].arch);
    for (PetscInt i = 0; i < binary.nkernels; i++) {
      const RhxKernelUse *use = &binary.kernel[i];
      expect(use->registers > 0 && use->registers <= 255 && use->shared <= 49152, "%s on %s: %d registers, %d bytes",
             use->name, all[k].arch, use->registers, use->shared);
    }
    PetscCall(RhxDeviceBinaryFree(&binary));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    PetscErrorCode (*check)(void);
  } checks[] = {{"cache", check_cache},   {"damaged", check_damaged}, {"unwritable", check_unwritable},
                {"option", check_option}, {"errors", check_errors},   {"spills", check_spills},
                {"files", check_files},   {"private", check_private}, {"foreign", check_foreign},
                {"older", check_older},   {"ranks", check_ranks},     {"beside", check_beside}};
  char folder[256];
  int done = 0;
  RhxDeviceSource source;
  RhxDeviceBinary binary;
  PetscErrorCode code;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(RhxDeviceRegisterOptions());
  PetscCall(fresh_cache(folder));
  PetscCall(RhxDeviceSourceCreate("nothing.cu", "", &source));
  CATCH(code, RhxDeviceCompile(PETSC_COMM_WORLD, "sm_90", source, &binary));
  PetscCall(RhxDeviceSourceDestroy(&source));
  if (code && strstr(message, "needs NVRTC")) {
    PetscCall(remove_cache(folder));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "skipped: %s\n", message));
    PetscCall(PetscFinalize());
    return SKIP;
  }
  PetscCall(RhxDeviceBinaryFree(&binary));
  PetscCall(remove_cache(folder));
  PetscCall(fresh_cache(folder));
  for (size_t i = 0; argc > 1 && i < sizeof(checks) / sizeof(checks[0]); i++)
    if (strcmp(checks[i].name, argv[1]) == 0) {
      PetscCall(checks[i].check());
      done++;
    }
  expect(done == 1, "usage: compile <check>");
  PetscCall(remove_cache(folder));
  PetscCall(PetscFinalize());
  return failures ? 1 : 0;
}
