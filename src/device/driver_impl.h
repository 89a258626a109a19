/* The part of the CUDA driver interface and of NVRTC that is used, declared here so that neither is needed to build, and
 * opened at run time. Do not include NVIDIA's headers beside it. */
#ifndef RHX_DEVICE_DRIVER_IMPL_H
#define RHX_DEVICE_DRIVER_IMPL_H
#include "device/device.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include <stdint.h>

typedef unsigned long long CudaPointer;

#define RHX_DRIVER_FUNCTIONS(X)                                                                                     \
  X(Init, "cuInit", (unsigned flags))                                                                               \
  X(DriverGetVersion, "cuDriverGetVersion", (int *version))                                                         \
  X(GetErrorName, "cuGetErrorName", (int code, const char **text))                                                  \
  X(GetErrorString, "cuGetErrorString", (int code, const char **text))                                              \
  X(DeviceGetCount, "cuDeviceGetCount", (int *count))                                                               \
  X(DeviceGet, "cuDeviceGet", (int *device, int ordinal))                                                           \
  X(DeviceGetName, "cuDeviceGetName", (char *name, int length, int device))                                         \
  X(DeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))                            \
  X(DeviceTotalMem, "cuDeviceTotalMem_v2", (size_t * bytes, int device))                                            \
  X(DeviceGetUuid, "cuDeviceGetUuid_v2", (unsigned char uuid[16], int device))                                      \
  X(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (void **context, int device))                               \
  X(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int device))                                          \
  X(CtxSetCurrent, "cuCtxSetCurrent", (void *context))                                                              \
  X(MemGetInfo, "cuMemGetInfo_v2", (size_t * unused, size_t * all))                                                 \
  X(MemAlloc, "cuMemAlloc_v2", (CudaPointer * ptr, size_t bytes))                                                   \
  X(MemFree, "cuMemFree_v2", (CudaPointer ptr))                                                                     \
  X(MemHostAlloc, "cuMemHostAlloc", (void **ptr, size_t bytes, unsigned flags))                                     \
  X(MemFreeHost, "cuMemFreeHost", (void *ptr))                                                                      \
  X(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CudaPointer dst, const void *src, size_t bytes, void *stream))        \
  X(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *dst, CudaPointer src, size_t bytes, void *stream))              \
  X(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (CudaPointer dst, CudaPointer src, size_t bytes, void *stream))        \
  X(MemsetD8Async, "cuMemsetD8Async", (CudaPointer dst, unsigned char value, size_t bytes, void *stream))           \
  X(ModuleLoadData, "cuModuleLoadData", (void **module, const void *image))                                         \
  X(ModuleUnload, "cuModuleUnload", (void *module))                                                                 \
  X(ModuleGetFunction, "cuModuleGetFunction", (void **function, void *module, const char *name))                    \
  X(ModuleGetGlobal, "cuModuleGetGlobal_v2", (CudaPointer * ptr, size_t * bytes, void *module, const char *name))   \
  X(FuncGetAttribute, "cuFuncGetAttribute", (int *value, int attribute, void *function))                            \
  X(FuncSetAttribute, "cuFuncSetAttribute", (void *function, int attribute, int value))                             \
  X(OccupancyMaxActiveBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                        \
    (int *blocks, void *function, int threads, size_t shared))                                                      \
  X(LaunchKernel, "cuLaunchKernel",                                                                                 \
    (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, \
     void *stream, void **arguments, void **extra))                                                                 \
  X(StreamCreate, "cuStreamCreate", (void **stream, unsigned flags))                                                \
  X(StreamDestroy, "cuStreamDestroy_v2", (void *stream))                                                            \
  X(StreamSynchronize, "cuStreamSynchronize", (void *stream))                                                       \
  X(StreamBeginCapture, "cuStreamBeginCapture_v2", (void *stream, int mode))                                        \
  X(StreamEndCapture, "cuStreamEndCapture", (void *stream, void **graph))                                           \
  X(GraphInstantiate, "cuGraphInstantiateWithFlags", (void **exec, void *graph, unsigned long long flags))          \
  X(GraphLaunch, "cuGraphLaunch", (void *exec, void *stream))                                                       \
  X(GraphExecDestroy, "cuGraphExecDestroy", (void *exec))                                                           \
  X(GraphDestroy, "cuGraphDestroy", (void *graph))                                                                  \
  X(EventCreate, "cuEventCreate", (void **event, unsigned flags))                                                   \
  X(EventRecord, "cuEventRecord", (void *event, void *stream))                                                      \
  X(EventSynchronize, "cuEventSynchronize", (void *event))                                                          \
  X(EventElapsedTime, "cuEventElapsedTime", (float *milliseconds, void *begin, void *end))                          \
  X(EventDestroy, "cuEventDestroy_v2", (void *event))

/* Loops inside a graph and launches that overlap, since 12.4. */
#define RHX_DRIVER_LOOP_FUNCTIONS(X)                                                                            \
  X(StreamGetCaptureInfo, "cuStreamGetCaptureInfo_v2",                                                          \
    (void *stream, int *status, unsigned long long *id, void **graph, void *const **nodes, size_t *n))          \
  X(StreamUpdateCaptureDependencies, "cuStreamUpdateCaptureDependencies",                                       \
    (void *stream, void **nodes, size_t n, unsigned flags))                                                     \
  X(StreamBeginCaptureToGraph, "cuStreamBeginCaptureToGraph",                                                   \
    (void *stream, void *graph, void *const *nodes, const void *data, size_t n, int mode))                      \
  X(LaunchKernelEx, "cuLaunchKernelEx", (const void *config, void *function, void **arguments, void **extra))   \
  X(GraphAddNode, "cuGraphAddNode", (void **node, void *graph, void *const *nodes, size_t n, void *parameters)) \
  X(GraphConditionalHandleCreate, "cuGraphConditionalHandleCreate",                                             \
    (unsigned long long *handle, void *graph, void *context, unsigned initial, unsigned flags))

#define RHX_NVRTC_FUNCTIONS(X)                                                                        \
  X(Version, "nvrtcVersion", (int *major, int *minor))                                                \
  X(CreateProgram, "nvrtcCreateProgram",                                                              \
    (void **program, const char *source, const char *name, int nheaders, const char *const *headers,  \
     const char *const *names))                                                                       \
  X(DestroyProgram, "nvrtcDestroyProgram", (void **program))                                          \
  X(CompileProgram, "nvrtcCompileProgram", (void *program, int noptions, const char *const *options)) \
  X(GetCUBINSize, "nvrtcGetCUBINSize", (void *program, size_t *bytes))                                \
  X(GetCUBIN, "nvrtcGetCUBIN", (void *program, char *cubin))                                          \
  X(GetProgramLogSize, "nvrtcGetProgramLogSize", (void *program, size_t *bytes))                      \
  X(GetProgramLog, "nvrtcGetProgramLog", (void *program, char *log))

#define RHX_MEMBER(name, symbol, arguments) int(*name) arguments;
typedef struct {
  RHX_DRIVER_FUNCTIONS(RHX_MEMBER)
  RHX_DRIVER_LOOP_FUNCTIONS(RHX_MEMBER)
} CudaDriver;
typedef struct {
  RHX_NVRTC_FUNCTIONS(RHX_MEMBER)
  const char *(*GetErrorString)(int code);
  int version; /* 13000 for 13.0 */
} CudaCompiler;
#undef RHX_MEMBER

enum { /* CUdevice_attribute, CUfunction_attribute and flags; their numbers are part of NVIDIA's binary interface */
       CUDA_MULTIPROCESSORS = 16,
       CUDA_CAPABILITY_MAJOR = 75,
       CUDA_CAPABILITY_MINOR = 76,
       CUDA_SHARED_OPTIN = 97,
       CUDA_FUNCTION_SHARED = 1,
       CUDA_FUNCTION_LOCAL = 3,
       CUDA_FUNCTION_REGISTERS = 4,
       CUDA_FUNCTION_MAX_DYNAMIC_SHARED = 8,
       CUDA_FUNCTION_CARVEOUT = 9,
       CUDA_HOST_PORTABLE_MAPPED = 3,
       CUDA_CAPTURE_THREAD_LOCAL = 1,
       CUDA_CAPTURE_SET_DEPENDENCIES = 1,
       CUDA_LAUNCH_OVERLAPPED = 6,
       CUDA_NODE_CONDITIONAL = 13,
       CUDA_CONDITIONAL_WHILE = 1,
       CUDA_CONDITIONAL_ASSIGN_DEFAULT = 1,
       CUDA_ERROR_MEMORY = 2
};

/* NULL where there is none; `reason` says why. The library stays open until the process ends. */
const CudaDriver *RhxCudaDriver(char *reason, size_t length);
/* `path`: the library to take, "" to search. */
const CudaCompiler *RhxCudaCompiler(const char *path, char *reason, size_t length);

struct RhxDevice_s {
  MPI_Comm comm;   /* a duplicate */
  MPI_Comm shared; /* the ranks that share the device */
  const CudaDriver *cu;
  RhxDeviceState state;
  int device; /* CUdevice */
  void *context, *stream;
  void *body, *outer; /* a stream that records the body of a loop; `stream` while it does */
  void *event[2];
  void *piece[2], *arrived[2]; /* copy.c: host buffers, NULL: none; events, */
  PetscBool pieces_tried;      /* once both were asked for */
  PetscBool capturing;
  double flops; /* of the graph being recorded */
  double limit; /* bytes of the device that may be in use, by anyone; 0: all */
  struct RhxHeld {
    void *pointer;
    size_t bytes;
  } * held;                        /* [nheld], allocated */
  size_t nheld, room, bytes, most; /* most: of bytes, so far */
};

typedef struct {
  char cache[RHX_STRING_LENGTH], nvrtc[RHX_STRING_LENGTH], cudss[RHX_STRING_LENGTH];
  double memory; /* GiB */
} RhxDeviceOptions;
PetscErrorCode RhxDevicePiecesFree(RhxDevice d); /* copy.c */
PetscErrorCode RhxDeviceReadOptions(MPI_Comm comm, RhxDeviceOptions *options);

#define RHX_DEVICE_MESSAGE 2048
/* One sentence for a failed call: what was being done, name and text of the code. */
void RhxCudaDescribe(const CudaDriver *cu, int code, const char *doing, const char *object, char *message);
PetscErrorCode RhxCudaFail(const CudaDriver *cu, int code, const char *doing, const char *object);
#define RHX_CUDA(cu, doing, object, call)                                       \
  do {                                                                          \
    const int code_ = (cu)->call;                                               \
    if (PetscUnlikely(code_)) PetscCall(RhxCudaFail(cu, code_, doing, object)); \
  } while (0)
#endif
