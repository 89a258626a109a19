/* From source text to a cubin: by NVRTC on one rank of each architecture, or out of the cache. */
#include "device/nvrtc_impl.h"
#include "plugin/agree.h"
#include <petsctime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What the compiler says ---- */

static size_t line_length(const char *line) { return strcspn(line, "\n"); }

/* The first line of the log that is an error; NULL: none. */
static const char *first_error(const char *log, PetscInt *errors)
{
  const char *first = NULL;

  *errors = 0;
  for (const char *line = log; *line; line += line_length(line) + (line[line_length(line)] == '\n')) {
    const char *at = strstr(line, "error:");
    if (!at) at = strstr(line, "error  :"); /* of the assembler */
    if (!at || at >= line + line_length(line)) continue;
    if (!first) first = line;
    (*errors)++;
  }
  return first;
}

/* "file(line): error: text" becomes "file line N: text". */
static void describe_error(const char *name, const char *arch, const char *reason, const char *log, char *message)
{
  char line[1024], file[512], text[1024];
  PetscInt errors;
  int number;
  const char *first = first_error(log, &errors);

  if (!first) {
    snprintf(message, RHX_DEVICE_MESSAGE, "The device program '%s' does not compile for %s: %s", name, arch, reason);
    return;
  }
  snprintf(line, sizeof(line), "%.*s", (int)line_length(first), first);
  if (sscanf(line, "%511[^(](%d): error: %1023[^\n]", file, &number, text) == 3 ||
      sscanf(line, "%511[^(](%d): catastrophic error: %1023[^\n]", file, &number, text) == 3)
    snprintf(message, RHX_DEVICE_MESSAGE,
             "The device program '%s' does not compile for %s: %s line %d: %s (%d error%s)", name, arch, file, number,
             text, (int)errors, errors == 1 ? "" : "s");
  else
    snprintf(message, RHX_DEVICE_MESSAGE, "The device program '%s' does not compile for %s: %s", name, arch, line);
}

/* Entries of the log: name, then stack and spills of it and of what it calls, then registers and shared memory. */
static PetscErrorCode read_use(RhxDeviceBinary *binary)
{
  static const char entry[] = "Compiling entry function '";
  RhxKernelUse *use = NULL;
  PetscInt n = 0;

  PetscFunctionBegin;
  for (const char *at = binary->log; (at = strstr(at, entry)); at++) n++;
  PetscCall(PetscCalloc1(n, &binary->kernel));
  for (const char *line = binary->log; *line; line += line_length(line) + (line[line_length(line)] == '\n')) {
    char text[1024];
    const char *at;
    int stack, stores, loads;

    snprintf(text, sizeof(text), "%.*s", (int)line_length(line), line);
    if ((at = strstr(text, entry))) {
      use = &binary->kernel[binary->nkernels++];
      snprintf(use->name, sizeof(use->name), "%.*s", (int)strcspn(at + strlen(entry), "'"), at + strlen(entry));
    }
    if (!use) continue;
    if ((at = strpbrk(text, "0123456789")) &&
        sscanf(at, "%d bytes stack frame, %d bytes spill stores, %d bytes spill loads", &stack, &stores, &loads) == 3) {
      use->stack = PetscMax(use->stack, stack);
      use->spill_stores += stores;
      use->spill_loads += loads;
    }
    if ((at = strstr(text, "Used "))) use->registers = atoi(at + 5);
    for (at = strstr(text, "Used "); at; at = strchr(at + 1, ',')) {
      char unit[32] = "";
      int value = 0;
      if (sscanf(at, ", %d bytes %31s", &value, unit) != 2) continue;
      if (strncmp(unit, "smem", 4) == 0) use->shared = value;
      if (strcmp(unit, "cumulative") == 0) use->stack = PetscMax(use->stack, value);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Compiled or cached ---- */

static RhxDeviceBinaryCount made;

/* What was begun beside, or compiled now. */
static PetscErrorCode compile(const CudaCompiler *nvrtc, const char *arch, RhxDeviceSource source,
                              const RhxCacheKey *key, RhxDeviceBinary *binary, char *message)
{
  RhxNvrtcOutput out;
  PetscBool begun;

  PetscFunctionBegin;
  PetscCall(RhxNvrtcTake(key, &out, &begun));
  if (!begun) RhxNvrtcRun(nvrtc, arch, source, &out);
  made.beside += begun;
  PetscCall(PetscStrallocpy(out.log ? out.log : "", &binary->log));
  if (out.failed) {
    describe_error(source->name, arch, out.failed, binary->log, message);
  } else {
    binary->size = out.size;
    PetscCall(PetscMalloc1(out.size + 1, &binary->cubin));
    PetscCall(PetscMemcpy(binary->cubin, out.cubin, out.size));
  }
  RhxNvrtcFree(&out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode store(const RhxCachePath *path, const RhxCacheKey *key, const RhxDeviceBinary *binary)
{
  static PetscBool warned = PETSC_FALSE;
  PetscBool written;
  char reason[RHX_CACHE_REASON];

  PetscFunctionBegin;
  PetscCall(RhxDeviceCacheWrite(path, key, binary, &written, reason));
  if (written || warned) PetscFunctionReturn(PETSC_SUCCESS);
  warned = PETSC_TRUE;
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR,
                         "rheoplex: warning: the cache file %s/%s cannot be written (%s): device programs are compiled "
                         "at every start (option -device_cache)\n",
                         path->folder, path->name, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_up(const RhxCachePath *path, const RhxCacheKey *key, RhxDeviceBinary *binary,
                              PetscBool *found)
{
  char reason[RHX_CACHE_REASON];

  PetscFunctionBegin;
  PetscCall(RhxDeviceCacheRead(path, key, binary, found, reason));
  if (!*found && reason[0])
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR,
                           "rheoplex: note: the cache file %s/%s is not taken (%s): its program is compiled anew\n",
                           path->folder, path->name, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before the first program that is not there, once a process: it lasts. */
static PetscErrorCode say_first(RhxDeviceSource source, const char *arch, const RhxCachePath *path)
{
  static PetscBool said = PETSC_FALSE;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (said || rank) PetscFunctionReturn(PETSC_SUCCESS);
  said = PETSC_TRUE;
  PetscCall(PetscPrintf(
      PETSC_COMM_SELF,
      "Device programs are compiled for %s, the first of them '%s': seconds, once; later starts find them in %s\n",
      arch, source->name, path->folder));
  (void)fflush(PETSC_STDOUT);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the leader of an architecture; what goes wrong is said in `message`. */
static PetscErrorCode find_or_compile(const RhxDeviceOptions *options, const char *arch, RhxDeviceSource source,
                                      RhxDeviceBinary *binary, char *message)
{
  char reason[1024];
  const CudaCompiler *nvrtc = RhxCudaCompiler(options->nvrtc, reason, sizeof(reason));
  PetscBool found;
  RhxCacheKey key;
  RhxCachePath path;

  PetscFunctionBegin;
  if (!nvrtc) {
    snprintf(message, RHX_DEVICE_MESSAGE, "The device program '%s' needs NVRTC, which was not found: %s", source->name,
             reason);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RhxCacheKeyCreate(source, arch, nvrtc->version, &key));
  PetscCall(RhxDeviceCachePath(options->cache, arch, &key, &path));
  PetscCall(look_up(&path, &key, binary, &found));
  binary->origin = found ? RHX_BINARY_CACHED : RHX_BINARY_COMPILED;
  if (!found) {
    PetscCall(say_first(source, arch, &path));
    PetscCall(compile(nvrtc, arch, source, &key, binary, message));
    if (!message[0]) PetscCall(store(&path, &key, binary));
  }
  PetscCall(RhxCacheKeyDestroy(&key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the leader of an architecture; a compiler that is missing is told when the program is asked for. */
static PetscErrorCode begin(const RhxDeviceOptions *options, const char *arch, RhxDeviceSource source)
{
  char reason[1024];
  const CudaCompiler *nvrtc = RhxCudaCompiler(options->nvrtc, reason, sizeof(reason));
  RhxDeviceBinary binary = {0};
  PetscBool found, begun;
  RhxCacheKey key;
  RhxCachePath path;

  PetscFunctionBegin;
  if (!nvrtc) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCacheKeyCreate(source, arch, nvrtc->version, &key));
  PetscCall(RhxDeviceCachePath(options->cache, arch, &key, &path));
  PetscCall(RhxDeviceCacheRead(&path, &key, &binary, &found, reason));
  PetscCall(RhxDeviceBinaryFree(&binary));
  if (found) PetscFunctionReturn(RhxCacheKeyDestroy(&key));
  PetscCall(say_first(source, arch, &path));
  PetscCall(RhxNvrtcBegin(nvrtc, arch, source, &key, &begun));
  made.begun += begun;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The leader's binary, on all ranks of an architecture. */
static PetscErrorCode share(MPI_Comm group, PetscMPIInt rank, RhxDeviceBinary *binary)
{
  long bytes[2];

  PetscFunctionBegin;
  bytes[0] = (long)binary->size;
  bytes[1] = rank ? 0 : (long)strlen(binary->log) + 1;
  PetscCallMPI(MPI_Bcast(bytes, 2, MPI_LONG, 0, group));
  if (rank) {
    binary->origin = RHX_BINARY_RECEIVED;
    binary->size = (size_t)bytes[0];
    PetscCall(PetscMalloc1(bytes[0] + 1, &binary->cubin));
    PetscCall(PetscMalloc1(bytes[1], &binary->log));
  }
  PetscCallMPI(MPI_Bcast(binary->cubin, (PetscMPIInt)bytes[0], MPI_BYTE, 0, group));
  PetscCallMPI(MPI_Bcast(binary->log, (PetscMPIInt)bytes[1], MPI_CHAR, 0, group));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceBinariesMade(RhxDeviceBinaryCount *count)
{
  PetscFunctionBegin;
  *count = made;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of an architecture such as sm_90; 0: this is none. */
static long number_of(const char *arch)
{
  const long number = strncmp(arch, "sm_", 3) == 0 ? strtol(arch + 3, NULL, 10) : 0;
  return number < 50 || number > 999 ? 0 : number;
}

/* Ranks of one architecture. */
static PetscErrorCode get_group(MPI_Comm comm, const char *arch, MPI_Comm *group, PetscMPIInt *rank)
{
  const long number = number_of(arch);
  PetscMPIInt world;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &world));
  PetscCallMPI(
      MPI_Comm_split(comm, (int)(256 * number) + (number ? (unsigned char)arch[strlen(arch) - 1] : 0), world, group));
  PetscCallMPI(MPI_Comm_rank(*group, rank));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compile_ahead(MPI_Comm comm, const char *arch, RhxDeviceSource source)
{
  RhxDeviceOptions options;
  PetscMPIInt rank;
  MPI_Comm group;

  PetscFunctionBegin;
  PetscCall(RhxDeviceReadOptions(comm, &options));
  PetscCall(get_group(comm, arch, &group, &rank));
  if (!rank && number_of(arch)) PetscCall(begin(&options, arch, source));
  PetscCallMPI(MPI_Comm_free(&group));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceCompile(MPI_Comm comm, const char *arch, RhxDeviceSource source, RhxDeviceBinary *binary)
{
  RhxDeviceOptions options;
  char message[RHX_DEVICE_MESSAGE] = "";
  PetscMPIInt rank;
  PetscErrorCode code;
  MPI_Comm group;
  PetscLogDouble begin, now;

  PetscFunctionBegin;
  if (!binary) PetscFunctionReturn(compile_ahead(comm, arch, source));
  PetscCall(PetscTime(&begin));
  PetscCall(PetscMemzero(binary, sizeof(*binary)));
  PetscCall(RhxDeviceReadOptions(comm, &options));
  PetscCall(get_group(comm, arch, &group, &rank));
  if (!number_of(arch))
    snprintf(message, sizeof(message), "The device program '%s': got the architecture '%s', expected one such as sm_90",
             source->name, arch);
  else if (!rank)
    PetscCall(find_or_compile(&options, arch, source, binary, message));
  code = RhxRaise(comm, PETSC_ERR_LIB, sizeof(message), message);
  if (code) {
    PetscCall(RhxDeviceBinaryFree(binary));
    PetscCallMPI(MPI_Comm_free(&group));
    PetscCall(code);
  }
  PetscCall(share(group, rank, binary));
  PetscCallMPI(MPI_Comm_free(&group));
  PetscCall(read_use(binary));
  PetscCall(PetscTime(&now));
  binary->seconds = now - begin;
  made.seconds += binary->seconds;
  made.compiled += binary->origin == RHX_BINARY_COMPILED;
  made.cached += binary->origin == RHX_BINARY_CACHED;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceBinaryFree(RhxDeviceBinary *binary)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(binary->cubin));
  PetscCall(PetscFree(binary->log));
  PetscCall(PetscFree(binary->kernel));
  PetscCall(PetscMemzero(binary, sizeof(*binary)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceBinaryView(const RhxDeviceBinary *binary, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < binary->nkernels; i++) {
    const RhxKernelUse *use = &binary->kernel[i];
    PetscCall(PetscViewerASCIIPrintf(
        viewer, "%s: %d registers, %d bytes stack, %d bytes spill stores, %d bytes spill loads, %d bytes shared\n",
        use->name, use->registers, use->stack, use->spill_stores, use->spill_loads, use->shared));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
