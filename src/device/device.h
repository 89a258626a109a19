/* The NVIDIA device: driver and NVRTC opened at run time, memory, copies, programs made of source text, launches.
 *
 * Every pointer to device memory is a void * that only the device may follow. Work goes to one stream a device, in order;
 * that stream waits for, and is waited for by, the legacy default stream. */
#ifndef RHX_DEVICE_H
#define RHX_DEVICE_H
#include <petscviewer.h>

PetscErrorCode RhxDeviceRegisterOptions(void); /* -device_cache, -device_nvrtc, -device_cudss, -device_memory */

/* ---- What there is ---- */

typedef enum {
  RHX_DEVICE_NO_DRIVER,
  RHX_DEVICE_NO_DEVICE,
  RHX_DEVICE_TOO_OLD,
  RHX_DEVICE_NO_NVRTC,
  RHX_DEVICE_READY
} RhxDeviceAvailability;

typedef struct {
  RhxDeviceAvailability availability; /* the least of all ranks */
  int ndevices;                       /* of this rank's node */
  int ordinal;                        /* this rank's, round robin by its number in the node */
  unsigned char uuid[16];             /* of this rank's device, which other ranks may see by other ordinals */
  int sharers, first;                 /* ranks of the node whose device it is too; the first of them */
  int driver, nvrtc;                  /* 13000 for 13.0; 0: none */
  int major, minor;                   /* compute capability */
  int multiprocessors;
  int shared;    /* bytes of shared memory that a block may take */
  size_t memory; /* bytes in all */
  char name[256];
  char sentence[2048]; /* for the user, the same on all ranks */
} RhxDeviceState;

/* Never an error by itself. Collective. */
PetscErrorCode RhxDeviceFind(MPI_Comm comm, RhxDeviceState *state);

typedef struct RhxDevice_s *RhxDevice;
/* This rank's device; an error says what is missing. Collective, as RhxDeviceClose. */
PetscErrorCode RhxDeviceOpen(MPI_Comm comm, RhxDevice *device);
PetscErrorCode RhxDeviceClose(RhxDevice *device);
PetscErrorCode RhxDeviceGetState(RhxDevice device, const RhxDeviceState **state); /* borrowed */
/* Whether any ranks share a device. Collective. */
PetscErrorCode RhxDeviceIsShared(RhxDevice device, PetscBool *shared);
PetscErrorCode RhxDeviceGetStream(RhxDevice device, void **stream); /* a CUstream; borrowed */

/* Bytes of shared memory that a block may take on a device of an architecture such as "sm_90", for the compiler alone; of one
 * that is not known the least of all. */
int RhxDeviceSharedOf(const char *arch);

/* ---- Memory ---- */

PetscErrorCode
RhxDeviceUnused(size_t *bytes); /* of the current device, whoever opened it; SIZE_MAX where that is not known */
PetscErrorCode RhxDeviceMemory(RhxDevice device, size_t *unused, size_t *all); /* bytes, of all ranks that share it */
/* Error if the ranks that share a device ask for more than is free: `what` needs so much, so much is free. Collective. */
PetscErrorCode RhxDeviceRequire(RhxDevice device, size_t bytes, const char *what);
/* Is so much free, on the devices of all ranks? Collective. */
PetscErrorCode RhxDeviceHasRoom(RhxDevice device, size_t bytes, PetscBool *has);
/* Uninitialised; 0 bytes give NULL. Collective, so that all ranks see one rank's failure: `what`, the same on all, is compared. */
PetscErrorCode RhxDeviceMalloc(RhxDevice device, size_t bytes, const char *what, void **ptr);
PetscErrorCode RhxDeviceFree(RhxDevice device, void *ptr); /* NULL: nothing; takes RhxDeviceMalloc's pointer only */
/* The most bytes that all ranks together held by RhxDeviceMalloc; 0 without a device. Collective. */
PetscErrorCode RhxDeviceHeldMost(MPI_Comm comm, RhxDevice device, double *bytes);
/* Host memory that kernels can read and write at the same address: for error words and scalars. */
PetscErrorCode RhxDeviceMallocHost(RhxDevice device, size_t bytes, void **ptr);
PetscErrorCode RhxDeviceFreeHost(RhxDevice device, void *ptr);
PetscErrorCode RhxDeviceZero(RhxDevice device, void *ptr, size_t bytes);

typedef enum { RHX_COPY_TO_DEVICE, RHX_COPY_TO_HOST, RHX_COPY_ON_DEVICE } RhxCopyKind;
/* Copies to and from the host have happened at return; on the device they join the stream. */
PetscErrorCode RhxDeviceCopy(RhxDevice device, void *dst, const void *src, size_t bytes, RhxCopyKind kind);
/* New memory of the device with a copy of so many bytes of the host. Collective, as RhxDeviceMalloc. */
PetscErrorCode RhxDeviceUpload(RhxDevice device, const void *host, size_t bytes, const char *what, void **ptr);
/* Memory of the device that is to be what host memory is. */
typedef struct {
  void *to;
  const void *from;
  size_t bytes;
} RhxDeviceMirror;
#define RHX_COPY_SCALARS 256 /* up to so many bytes a copy counts as scalars, not as an array */

typedef struct {
  PetscInt arrays, scalars; /* copies */
  double bytes;             /* of both */
} RhxCopyCount;
/* Copies of all devices of this process since its start. */
PetscErrorCode RhxDeviceCopyCount(RhxCopyCount *to_device, RhxCopyCount *to_host);

/* ---- Source text and its compilation, which needs no device ---- */

typedef struct RhxDeviceSource_s *RhxDeviceSource;
/* `name` and the names of headers are what messages of the compiler show; texts are copied. */
PetscErrorCode RhxDeviceSourceCreate(const char *name, const char *text, RhxDeviceSource *source);
PetscErrorCode RhxDeviceSourceAddHeader(RhxDeviceSource source, const char *include_name, const char *text);
PetscErrorCode RhxDeviceSourceAddFile(RhxDeviceSource source, const char *include_name, const char *path);
/* Every .h, .cuh and .inc file of the folder, as prefix + its name; the order does not depend on the file system. */
PetscErrorCode RhxDeviceSourceAddFolder(RhxDeviceSource source, const char *prefix, const char *path);
PetscErrorCode RhxDeviceSourceAddOption(RhxDeviceSource source, const char *option); /* of NVRTC, such as -DN=3 */
PetscErrorCode RhxDeviceSourceGetName(RhxDeviceSource source, const char **name);    /* borrowed */
PetscErrorCode RhxDeviceSourceDestroy(RhxDeviceSource *source);

typedef struct {
  char name[256];
  int registers;
  int stack, spill_stores, spill_loads, shared; /* bytes; stack and spills a thread, shared a block, static */
} RhxKernelUse;

typedef enum { RHX_BINARY_COMPILED, RHX_BINARY_CACHED, RHX_BINARY_RECEIVED } RhxBinaryOrigin;
typedef struct {
  char *cubin;
  size_t size;
  char *log; /* of the compiler */
  PetscInt nkernels;
  RhxKernelUse *kernel;   /* in the order of the log */
  RhxBinaryOrigin origin; /* on this rank: one rank an architecture compiles or reads, the others receive */
  double seconds;         /* to come by it */
} RhxDeviceBinary;

/* For an architecture such as "sm_90", from the cache of the user if it is there. An error shows file and line of the
 * first error. Collective; ranks may name different architectures. binary NULL: begins on a thread beside, where the cache has no such
 * program and a core is free, for a later call with the same source. */
PetscErrorCode RhxDeviceCompile(MPI_Comm comm, const char *arch, RhxDeviceSource source, RhxDeviceBinary *binary);
PetscErrorCode RhxDeviceBinaryFree(RhxDeviceBinary *binary);
typedef struct {
  PetscInt compiled, cached; /* rank 0 never receives */
  PetscInt beside;           /* of those compiled: on a thread, begun before they were asked for */
  PetscInt begun;            /* on a thread, asked for since or not */
  double seconds;            /* to come by all */
} RhxDeviceBinaryCount;
/* Binaries of this process since its start. */
PetscErrorCode RhxDeviceBinariesMade(RhxDeviceBinaryCount *made);
/* A folder of that name in the cache, for a library's own compiled programs: made, and whether nobody but this
 * user may write there. */
PetscErrorCode RhxDeviceCacheFolder(const char *below, size_t size, char *folder, PetscBool *own);
/* A line a kernel: registers, stack, spills, shared memory. */
PetscErrorCode RhxDeviceBinaryView(const RhxDeviceBinary *binary, PetscViewer viewer);

/* ---- Programs and launches ---- */

typedef struct RhxDeviceProgram_s *RhxDeviceProgram;
typedef struct RhxDeviceFunction_s *RhxDeviceFunction; /* owned by its program */

#define RHX_DEVICE_ARCH 32
PetscErrorCode RhxDeviceGetArch(RhxDevice device, char arch[RHX_DEVICE_ARCH]); /* such as sm_90 */
/* Compiles for the rank's device and loads. Collective. */
PetscErrorCode RhxDeviceProgramCreate(RhxDevice device, RhxDeviceSource source, RhxDeviceProgram *program);
PetscErrorCode RhxDeviceProgramDestroy(RhxDeviceProgram *program);
PetscErrorCode RhxDeviceProgramGetBinary(RhxDeviceProgram program, const RhxDeviceBinary **binary); /* borrowed */
/* A kernel declared extern "C". */
PetscErrorCode RhxDeviceProgramGetFunction(RhxDeviceProgram program, const char *name, RhxDeviceFunction *function);
PetscErrorCode RhxDeviceProgramGetGlobal(RhxDeviceProgram program, const char *name, void **ptr, size_t *bytes);
/* As the driver loaded it; the spills of the compiler are part of the stack. */
PetscErrorCode RhxDeviceFunctionGetUse(RhxDeviceFunction function, RhxKernelUse *use);
/* Blocks of so many threads that one multiprocessor holds at a time. */
PetscErrorCode RhxDeviceFunctionGetResident(RhxDeviceFunction function, unsigned threads, size_t shared, int *blocks);

/* As much shared memory as there is, at the cost of the first cache. Kernels that overlap should agree: a block that begins
 * early keeps a multiprocessor's division as it is, and with a smaller one fewer blocks fit beside each other. */
PetscErrorCode RhxDeviceFunctionPreferShared(RhxDeviceFunction function);

typedef struct {
  unsigned grid[3], block[3]; /* grid[0] 0: nothing runs; other 0 count as 1 */
  unsigned shared;            /* bytes of dynamic shared memory a block */
} RhxLaunch;
/* arguments[i] points at the value of parameter i. */
PetscErrorCode RhxDeviceLaunch(RhxDevice device, RhxDeviceFunction function, RhxLaunch shape, void **arguments);
/* The kernel may begin before the kernel before it in the stream has ended, if driver and device (9.0) can; it executes
 * griddepcontrol.wait before it reads or writes what changes. */
PetscErrorCode RhxDeviceLaunchOverlapped(RhxDevice device, RhxDeviceFunction function, RhxLaunch shape,
                                         void **arguments);
#define RHX_ARGUMENTS(...) ((void *[]){__VA_ARGS__})
PetscErrorCode RhxDeviceSynchronize(RhxDevice device); /* raises what a kernel did wrong */

PetscErrorCode RhxDeviceTimerBegin(RhxDevice device);
PetscErrorCode RhxDeviceTimerEnd(RhxDevice device, double *milliseconds); /* since Begin; waits for the device */

/* Between Begin and End launches, zeroing and copies on the device are recorded and do not run. */
typedef struct RhxDeviceGraph_s *RhxDeviceGraph;
PetscErrorCode RhxDeviceGraphBegin(RhxDevice device);
PetscErrorCode RhxDeviceGraphEnd(RhxDevice device, RhxDeviceGraph *graph);
PetscErrorCode RhxDeviceGraphLaunch(RhxDevice device, RhxDeviceGraph graph);
PetscErrorCode RhxDeviceGraphDestroy(RhxDeviceGraph *graph);
PetscErrorCode RhxDeviceGraphRecording(RhxDevice device, PetscBool *recording);

/* Tells PETSc's log of operations of kernels launched just now: at once, or at each launch of the graph being recorded. */
PetscErrorCode RhxDeviceLogFlops(RhxDevice device, double flops);

/* A loop inside the graph being recorded, which the device repeats by itself: the work recorded between Begin and End runs
 * while the loop's condition is not 0. It is 0 at the launch; kernels recorded between Create and End set it with
 * cudaGraphSetConditional(loop, value). Loops do not nest; one executable of such a graph at a time. */
PetscErrorCode RhxDeviceHasLoops(RhxDevice device, PetscBool *has); /* driver and compiler, 12.4 or later */
PetscErrorCode RhxDeviceLoopCreate(RhxDevice device, unsigned long long *loop);
PetscErrorCode RhxDeviceLoopBegin(RhxDevice device, unsigned long long loop);
PetscErrorCode RhxDeviceLoopEnd(RhxDevice device);
#endif
