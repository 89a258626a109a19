/* Which device there is, and holding it: context, stream, memory, copies. */
#include "device/driver_impl.h"
#include "plugin/agree.h"
#include "plugin/event.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define GIB 1073741824.0
#define LEAST_MAJOR 8 /* compute capability: kernels copy to shared memory asynchronously */

/* ---- Finding ---- */

#define SAY(...) snprintf(state->sentence, sizeof(state->sentence), __VA_ARGS__)

/* The driver is there and started: fills what it says about this rank's device; 0 or the driver's code. */
static int look_at_device(const CudaDriver *cu, PetscMPIInt rank, RhxDeviceState *state)
{
  int code, device;

  state->ordinal = rank % state->ndevices;
  code = cu->DeviceGet(&device, state->ordinal);
  if (!code) code = cu->DeviceGetName(state->name, (int)sizeof(state->name), device);
  if (!code) code = cu->DeviceTotalMem(&state->memory, device);
  if (!code) code = cu->DeviceGetUuid(state->uuid, device);
  if (!code) code = cu->DeviceGetAttribute(&state->major, CUDA_CAPABILITY_MAJOR, device);
  if (!code) code = cu->DeviceGetAttribute(&state->minor, CUDA_CAPABILITY_MINOR, device);
  if (!code) code = cu->DeviceGetAttribute(&state->multiprocessors, CUDA_MULTIPROCESSORS, device);
  if (!code) code = cu->DeviceGetAttribute(&state->shared, CUDA_SHARED_OPTIN, device);
  return code;
}

static void find_device(PetscMPIInt rank, const RhxDeviceOptions *options, RhxDeviceState *state)
{
  char reason[1024];
  const char *text = NULL;
  const CudaDriver *cu = RhxCudaDriver(reason, sizeof(reason));
  const CudaCompiler *nvrtc;
  int code;

  if (!cu) {
    SAY("no NVIDIA driver: %s", reason);
    return;
  }
  (void)cu->DriverGetVersion(&state->driver);
  code = cu->Init(0);
  state->availability = RHX_DEVICE_NO_DEVICE;
  if (!code) code = cu->DeviceGetCount(&state->ndevices);
  if (!code && state->ndevices) code = look_at_device(cu, rank, state);
  if (code || !state->ndevices) {
    (void)cu->GetErrorString(code, &text);
    SAY("an NVIDIA driver (%d.%d) but no device: %s", state->driver / 1000, state->driver % 1000 / 10,
        code && text ? text : "it lists none");
    return;
  }
  state->availability = RHX_DEVICE_TOO_OLD;
  if (state->major < LEAST_MAJOR) {
    SAY("%s of compute capability %d.%d, which is older than %d.0", state->name, state->major, state->minor,
        LEAST_MAJOR);
    return;
  }
  state->availability = RHX_DEVICE_NO_NVRTC;
  nvrtc = RhxCudaCompiler(options->nvrtc, reason, sizeof(reason));
  if (!nvrtc) {
    SAY("%s, but NVRTC of the CUDA toolkit is missing: %s", state->name, reason);
    return;
  }
  state->nvrtc = nvrtc->version;
  state->availability = RHX_DEVICE_READY;
  SAY("%s, device %d of %d, sm_%d%d, %.1f GiB, driver %d.%d, NVRTC %d.%d", state->name, state->ordinal, state->ndevices,
      state->major, state->minor, (double)state->memory / GIB, state->driver / 1000, state->driver % 1000 / 10,
      state->nvrtc / 1000, state->nvrtc % 1000 / 10);
}

/* Ranks that see one device each may see the same or others: its name tells. */
static PetscErrorCode find_sharers(MPI_Comm node, RhxDeviceState *state)
{
  const size_t used = strlen(state->sentence);
  unsigned char *all;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(node, &size));
  PetscCall(PetscMalloc1(sizeof(state->uuid) * (size_t)size, &all));
  PetscCallMPI(MPI_Allgather(state->uuid, sizeof(state->uuid), MPI_UNSIGNED_CHAR, all, sizeof(state->uuid),
                             MPI_UNSIGNED_CHAR, node));
  state->sharers = 0;
  for (PetscMPIInt r = size - 1; r >= 0; r--) {
    if (memcmp(all + sizeof(state->uuid) * (size_t)r, state->uuid, sizeof(state->uuid))) continue;
    state->first = r;
    state->sharers++;
  }
  PetscCall(PetscFree(all));
  if (state->availability == RHX_DEVICE_READY && state->sharers > 1)
    snprintf(state->sentence + used, sizeof(state->sentence) - used,
             ", shared by %d ranks, which take turns unless NVIDIA's MPS runs", state->sharers);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceFind(MPI_Comm comm, RhxDeviceState *state)
{
  RhxDeviceOptions options;
  PetscMPIInt rank;
  MPI_Comm node;
  struct {
    int availability, rank;
  } mine, least;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(state, sizeof(*state)));
  PetscCall(RhxDeviceReadOptions(comm, &options));
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Comm_rank(node, &rank));
  find_device(rank, &options, state);
  PetscCall(find_sharers(node, state));
  PetscCallMPI(MPI_Comm_free(&node));
  PetscCallMPI(MPI_Comm_rank(comm, &mine.rank));
  mine.availability = state->availability;
  PetscCallMPI(MPI_Allreduce(&mine, &least, 1, MPI_2INT, MPI_MINLOC, comm));
  state->availability = (RhxDeviceAvailability)least.availability;
  PetscCallMPI(MPI_Bcast(state->sentence, sizeof(state->sentence), MPI_CHAR, least.rank, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int RhxDeviceSharedOf(const char *arch)
{
  static const struct {
    const char *arch;
    int kib;
  } known[] = {{"sm_80", 163},  {"sm_86", 99},   {"sm_87", 163},  {"sm_89", 99},  {"sm_90", 227},
               {"sm_100", 227}, {"sm_103", 227}, {"sm_110", 227}, {"sm_120", 99}, {"sm_121", 99}};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(known); i++)
    if (strcmp(known[i].arch, arch) == 0) return 1024 * known[i].kib;
  return 1024 * 99;
}

/* ---- Opening ---- */

PetscErrorCode RhxDeviceOpen(MPI_Comm comm, RhxDevice *device)
{
  RhxDeviceOptions options;
  RhxDeviceState state;
  RhxDevice d;
  PetscMPIInt rank;
  MPI_Comm node;

  PetscFunctionBegin;
  PetscCall(RhxDeviceReadOptions(comm, &options));
  PetscCall(RhxDeviceFind(comm, &state));
  PetscCheck(state.availability == RHX_DEVICE_READY, comm, PETSC_ERR_SUP,
             "No device to compute on: got %s, expected an NVIDIA driver, a device of compute capability %d.0 or newer "
             "and NVRTC",
             state.sentence, LEAST_MAJOR);
  PetscCall(PetscNew(&d));
  d->state = state;
  d->limit = options.memory * GIB;
  d->cu = RhxCudaDriver(NULL, 0);
  PetscCallMPI(MPI_Comm_dup(comm, &d->comm));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Comm_split(node, state.first, rank, &d->shared));
  PetscCallMPI(MPI_Comm_free(&node));
  RHX_CUDA(d->cu, "choosing", state.name, DeviceGet(&d->device, state.ordinal));
  RHX_CUDA(d->cu, "starting", state.name, DevicePrimaryCtxRetain(&d->context, d->device));
  RHX_CUDA(d->cu, "taking", state.name, CtxSetCurrent(d->context));
  RHX_CUDA(d->cu, "making a stream", "", StreamCreate(&d->stream, 0)); /* 0: ordered with the legacy stream */
  RHX_CUDA(d->cu, "making a stream", "", StreamCreate(&d->body, 0));
  for (int i = 0; i < 2; i++) RHX_CUDA(d->cu, "making an event", "", EventCreate(&d->event[i], 0));
  *device = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceClose(RhxDevice *device)
{
  RhxDevice d = *device;

  PetscFunctionBegin;
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDevicePiecesFree(d));
  for (int i = 0; i < 2; i++) RHX_CUDA(d->cu, "ending an event", "", EventDestroy(d->event[i]));
  RHX_CUDA(d->cu, "ending a stream", "", StreamDestroy(d->stream));
  RHX_CUDA(d->cu, "ending a stream", "", StreamDestroy(d->body));
  RHX_CUDA(d->cu, "leaving", d->state.name, DevicePrimaryCtxRelease(d->device));
  PetscCallMPI(MPI_Comm_free(&d->shared));
  PetscCallMPI(MPI_Comm_free(&d->comm));
  PetscCall(PetscFree(d->held));
  PetscCall(PetscFree(*device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceGetState(RhxDevice device, const RhxDeviceState **state)
{
  PetscFunctionBegin;
  *state = &device->state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceIsShared(RhxDevice device, PetscBool *shared)
{
  PetscMPIInt size, most;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(device->shared, &size));
  PetscCallMPI(MPI_Allreduce(&size, &most, 1, MPI_INT, MPI_MAX, device->comm));
  *shared = (PetscBool)(most > 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceGetStream(RhxDevice device, void **stream)
{
  PetscFunctionBegin;
  *stream = device->stream;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Memory ---- */

static void describe_shortage(RhxDevice device, const char *what, double bytes, size_t unused, char *message)
{
  const double all = device->limit > 0.0 ? device->limit : (double)device->state.memory;
  snprintf(message, RHX_DEVICE_MESSAGE,
           "Too little device memory for %s: needed %.4g GiB, free %.4g GiB of the %.4g GiB %son %s", what, bytes / GIB,
           (double)unused / GIB, all / GIB, device->limit > 0.0 ? "that -device_memory allows " : "",
           device->state.name);
}

/* Bytes that may still be taken; 0 or the driver's code. */
static int free_memory(RhxDevice device, size_t *unused, size_t *all)
{
  const int code = device->cu->MemGetInfo(unused, all);
  const double used = (double)(*all - *unused);

  if (!code && device->limit > 0.0)
    *unused = used < device->limit ? (size_t)PetscMin(device->limit - used, (double)*unused) : 0;
  return code;
}

static int allocate(RhxDevice device, size_t bytes, CudaPointer *pointer)
{
  size_t unused = bytes, all;
  int code = 0;

  if (!bytes) return 0;
  if (device->limit > 0.0) code = free_memory(device, &unused, &all);
  if (code) return code;
  return bytes <= unused ? device->cu->MemAlloc(pointer, bytes) : CUDA_ERROR_MEMORY;
}

PetscErrorCode RhxDeviceUnused(size_t *bytes)
{
  const CudaDriver *cu = RhxCudaDriver(NULL, 0);
  size_t all;
  PetscFunctionBegin;
  if (!cu || cu->MemGetInfo(bytes, &all)) *bytes = SIZE_MAX;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceMemory(RhxDevice device, size_t *unused, size_t *all)
{
  const int code = free_memory(device, unused, all);

  PetscFunctionBegin;
  if (code) PetscCall(RhxCudaFail(device->cu, code, "asking for the free memory", ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceRequire(RhxDevice device, size_t bytes, const char *what)
{
  char message[RHX_DEVICE_MESSAGE] = "";
  double mine = (double)bytes, needed;
  size_t unused, all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&mine, &needed, 1, MPI_DOUBLE, MPI_SUM, device->shared));
  PetscCall(RhxDeviceMemory(device, &unused, &all));
  if (!(needed <= (double)unused)) describe_shortage(device, what, needed, unused, message);
  PetscCall(RhxRaise(device->comm, PETSC_ERR_MEM, sizeof(message), message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceHasRoom(RhxDevice device, size_t bytes, PetscBool *has)
{
  double mine = (double)bytes, needed;
  size_t unused, all;
  int fits, every;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&mine, &needed, 1, MPI_DOUBLE, MPI_SUM, device->shared));
  PetscCall(RhxDeviceMemory(device, &unused, &all));
  fits = needed <= (double)unused;
  PetscCallMPI(MPI_Allreduce(&fits, &every, 1, MPI_INT, MPI_MIN, device->comm));
  *has = (PetscBool)every;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode hold(RhxDevice device, void *pointer, size_t bytes)
{
  PetscFunctionBegin;
  if (device->nheld == device->room) {
    device->room = 2 * device->room + 64;
    PetscCall(PetscRealloc(sizeof(*device->held) * device->room, &device->held));
  }
  device->held[device->nheld++] = (struct RhxHeld){pointer, bytes};
  device->bytes += bytes;
  device->most = PetscMax(device->most, device->bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void release(RhxDevice device, const void *pointer)
{
  size_t i = device->nheld;
  while (i && device->held[i - 1].pointer != pointer) i--; /* the latest are freed first */
  if (!i) return;
  device->bytes -= device->held[i - 1].bytes;
  device->held[i - 1] = device->held[--device->nheld];
}

PetscErrorCode RhxDeviceHeldMost(MPI_Comm comm, RhxDevice device, double *bytes)
{
  PetscFunctionBegin;
  *bytes = device ? (double)device->most : 0.0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bytes, 1, MPI_DOUBLE, MPI_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* FNV-1a, without its sign. */
static int hash(const char *text)
{
  unsigned h = 2166136261u;
  for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u;
  return (int)(h & INT_MAX);
}

/* Of ranks that came here by calls of different names: this one's against the first one's. */
static PetscErrorCode tell_apart(RhxDevice device, const char *what, char *message)
{
  char first[128];
  PetscFunctionBegin;
  PetscCall(PetscStrncpy(first, what, sizeof(first)));
  PetscCallMPI(MPI_Bcast(first, sizeof(first), MPI_CHAR, 0, device->comm));
  if (strncmp(first, what, sizeof(first) - 1))
    snprintf(message, RHX_DEVICE_MESSAGE,
             "Memory of the device: got '%s' on one rank and '%s' on rank 0, expected the same call on all, which no "
             "rank's own condition may guard",
             what, first);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceMalloc(RhxDevice device, size_t bytes, const char *what, void **ptr)
{
  char message[RHX_DEVICE_MESSAGE] = "";
  CudaPointer pointer = 0;
  size_t unused = 0, all;
  const int code = allocate(device, bytes, &pointer), name = hash(what);
  int most[3] = {code != 0, name, -name}; /* failed, largest, less the smallest */
  PetscBool apart;

  PetscFunctionBegin;
  *ptr = NULL;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_INT, MPI_MAX, device->comm));
  apart = (PetscBool)(most[1] != -most[2]);
  if (most[0] || apart) {
    if (!code && pointer) RHX_CUDA(device->cu, "freeing", what, MemFree(pointer));
    if (apart) PetscCall(tell_apart(device, what, message));
    if (apart) PetscCall(RhxRaise(device->comm, PETSC_ERR_PLIB, sizeof(message), message));
    if (code == CUDA_ERROR_MEMORY) {
      PetscCall(RhxDeviceMemory(device, &unused, &all));
      describe_shortage(device, what, (double)bytes, unused, message);
    } else if (code)
      RhxCudaDescribe(device->cu, code, "allocating", what, message);
    PetscCall(RhxRaise(device->comm, PETSC_ERR_MEM, sizeof(message), message));
  }
  *ptr = (void *)(uintptr_t)pointer;
  if (*ptr) PetscCall(hold(device, *ptr, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceFree(RhxDevice device, void *ptr)
{
  PetscFunctionBegin;
  if (ptr) release(device, ptr);
  if (ptr) RHX_CUDA(device->cu, "freeing memory", "", MemFree((CudaPointer)(uintptr_t)ptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceMallocHost(RhxDevice device, size_t bytes, void **ptr)
{
  PetscFunctionBegin;
  RHX_CUDA(device->cu, "allocating host memory", "", MemHostAlloc(ptr, bytes, CUDA_HOST_PORTABLE_MAPPED));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceFreeHost(RhxDevice device, void *ptr)
{
  PetscFunctionBegin;
  if (ptr) RHX_CUDA(device->cu, "freeing host memory", "", MemFreeHost(ptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceZero(RhxDevice device, void *ptr, size_t bytes)
{
  PetscFunctionBegin;
  if (bytes) RHX_CUDA(device->cu, "zeroing", "", MemsetD8Async((CudaPointer)(uintptr_t)ptr, 0, bytes, device->stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}
