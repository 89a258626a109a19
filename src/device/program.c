/* Loaded programs: functions, launches, timing and graphs. */
#include "device/driver_impl.h"
#include <stdio.h>
#include <string.h>

struct RhxDeviceFunction_s {
  RhxDeviceFunction next;
  const CudaDriver *cu;
  void *function;
  int dynamic;                 /* bytes of dynamic shared memory that it may take so far */
  const RhxDeviceState *state; /* borrowed from the device */
  RhxKernelUse use;
};

struct RhxDeviceProgram_s {
  const CudaDriver *cu;
  const RhxDeviceState *state; /* borrowed from the device */
  char *name;
  void *module;
  RhxDeviceBinary binary;
  RhxDeviceFunction functions; /* owned list */
};

struct RhxDeviceGraph_s {
  const CudaDriver *cu;
  void *exec;
  double flops; /* of one launch */
};

#define USUAL_DYNAMIC_SHARED 49152 /* a kernel gets more only when it asks */

/* ---- Programs ---- */

PetscErrorCode RhxDeviceGetArch(RhxDevice device, char arch[RHX_DEVICE_ARCH])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(arch, RHX_DEVICE_ARCH, "sm_%d%d", device->state.major, device->state.minor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceProgramCreate(RhxDevice device, RhxDeviceSource source, RhxDeviceProgram *program)
{
  RhxDeviceProgram p;
  const char *name;
  char arch[RHX_DEVICE_ARCH];

  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  p->cu = device->cu;
  p->state = &device->state;
  PetscCall(RhxDeviceSourceGetName(source, &name));
  PetscCall(PetscStrallocpy(name, &p->name));
  PetscCall(RhxDeviceGetArch(device, arch));
  PetscCall(RhxDeviceCompile(device->comm, arch, source, &p->binary));
  RHX_CUDA(p->cu, "loading (is the driver older than NVRTC?) the program", name,
           ModuleLoadData(&p->module, p->binary.cubin));
  *program = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceProgramDestroy(RhxDeviceProgram *program)
{
  RhxDeviceProgram p = *program;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  while (p->functions) {
    RhxDeviceFunction first = p->functions;
    p->functions = first->next;
    PetscCall(PetscFree(first));
  }
  RHX_CUDA(p->cu, "unloading the program", p->name, ModuleUnload(p->module));
  PetscCall(RhxDeviceBinaryFree(&p->binary));
  PetscCall(PetscFree(p->name));
  PetscCall(PetscFree(*program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceProgramGetBinary(RhxDeviceProgram program, const RhxDeviceBinary **binary)
{
  PetscFunctionBegin;
  *binary = &program->binary;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_use(RhxDeviceFunction f, const RhxDeviceBinary *binary)
{
  RhxKernelUse *use = &f->use;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < binary->nkernels; i++)
    if (strcmp(binary->kernel[i].name, use->name) == 0) *use = binary->kernel[i];
  RHX_CUDA(f->cu, "asking about the kernel", use->name,
           FuncGetAttribute(&use->registers, CUDA_FUNCTION_REGISTERS, f->function));
  RHX_CUDA(f->cu, "asking about the kernel", use->name,
           FuncGetAttribute(&use->stack, CUDA_FUNCTION_LOCAL, f->function));
  RHX_CUDA(f->cu, "asking about the kernel", use->name,
           FuncGetAttribute(&use->shared, CUDA_FUNCTION_SHARED, f->function));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceProgramGetFunction(RhxDeviceProgram program, const char *name, RhxDeviceFunction *function)
{
  RhxDeviceFunction f;

  PetscFunctionBegin;
  for (f = program->functions; f; f = f->next)
    if (strcmp(f->use.name, name) == 0) break;
  if (!f) {
    void *loaded;
    RHX_CUDA(program->cu, "looking for the kernel", name, ModuleGetFunction(&loaded, program->module, name));
    PetscCall(PetscNew(&f));
    f->next = program->functions;
    program->functions = f;
    f->cu = program->cu;
    f->state = program->state;
    f->function = loaded;
    f->dynamic = USUAL_DYNAMIC_SHARED;
    PetscCall(PetscStrncpy(f->use.name, name, sizeof(f->use.name)));
    PetscCall(read_use(f, &program->binary)); /* also makes the driver load it now, which a graph could not */
  }
  *function = f;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceProgramGetGlobal(RhxDeviceProgram program, const char *name, void **ptr, size_t *bytes)
{
  CudaPointer pointer;

  PetscFunctionBegin;
  RHX_CUDA(program->cu, "looking for the variable", name, ModuleGetGlobal(&pointer, bytes, program->module, name));
  *ptr = (void *)(uintptr_t)pointer;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceFunctionGetUse(RhxDeviceFunction function, RhxKernelUse *use)
{
  PetscFunctionBegin;
  *use = function->use;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode allow_shared(RhxDeviceFunction f, size_t bytes)
{
  PetscFunctionBegin;
  if (bytes <= (size_t)f->dynamic) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(
      bytes + f->use.shared <= (size_t)f->state->shared, PETSC_COMM_SELF, PETSC_ERR_SUP,
      "The kernel %s needs %zu bytes of shared memory a block, %s has %d: expected a smaller form (fewer modes), "
      "or -device cpu",
      f->use.name, bytes + f->use.shared, f->state->name, f->state->shared);
  f->dynamic = (int)bytes;
  RHX_CUDA(f->cu, "taking more shared memory for the kernel", f->use.name,
           FuncSetAttribute(f->function, CUDA_FUNCTION_MAX_DYNAMIC_SHARED, f->dynamic));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceFunctionGetResident(RhxDeviceFunction function, unsigned threads, size_t shared, int *blocks)
{
  PetscFunctionBegin;
  PetscCall(allow_shared(function, shared));
  RHX_CUDA(function->cu, "asking about the kernel", function->use.name,
           OccupancyMaxActiveBlocks(blocks, function->function, (int)threads, shared));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceFunctionPreferShared(RhxDeviceFunction function)
{
  PetscFunctionBegin;
  RHX_CUDA(function->cu, "dividing the memory of the kernel", function->use.name,
           FuncSetAttribute(function->function, CUDA_FUNCTION_CARVEOUT, 100)); /* per cent */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Launches ---- */

PetscErrorCode RhxDeviceLaunch(RhxDevice device, RhxDeviceFunction function, RhxLaunch shape, void **arguments)
{
  const unsigned *g = shape.grid, *b = shape.block;

  PetscFunctionBegin;
  if (!g[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(allow_shared(function, shape.shared));
  RHX_CUDA(device->cu, "launching the kernel", function->use.name,
           LaunchKernel(function->function, g[0], PetscMax(g[1], 1), PetscMax(g[2], 1), PetscMax(b[0], 1),
                        PetscMax(b[1], 1), PetscMax(b[2], 1), shape.shared, device->stream, arguments, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CUlaunchAttribute and CUlaunchConfig; sizes are part of NVIDIA's binary interface. */
typedef struct {
  int id, unused;
  long long value[8];
} LaunchAttribute;
typedef struct {
  unsigned grid[3], block[3], shared;
  void *stream;
  LaunchAttribute *attribute;
  unsigned nattributes;
} LaunchConfig;

PetscErrorCode RhxDeviceLaunchOverlapped(RhxDevice device, RhxDeviceFunction function, RhxLaunch shape,
                                         void **arguments)
{
  LaunchAttribute overlapped = {CUDA_LAUNCH_OVERLAPPED, 0, {1}};
  LaunchConfig config = {.shared = shape.shared, .stream = device->stream, .attribute = &overlapped, .nattributes = 1};

  PetscFunctionBegin;
  if (!device->cu->LaunchKernelEx || device->state.major < 9) {
    PetscCall(RhxDeviceLaunch(device, function, shape, arguments));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!shape.grid[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(allow_shared(function, shape.shared));
  for (int i = 0; i < 3; i++) {
    config.grid[i] = PetscMax(shape.grid[i], 1);
    config.block[i] = PetscMax(shape.block[i], 1);
  }
  RHX_CUDA(device->cu, "launching the kernel", function->use.name,
           LaunchKernelEx(&config, function->function, arguments, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceSynchronize(RhxDevice device)
{
  PetscFunctionBegin;
  RHX_CUDA(device->cu, "a kernel launched before", "", StreamSynchronize(device->stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceTimerBegin(RhxDevice device)
{
  PetscFunctionBegin;
  RHX_CUDA(device->cu, "timing", "", EventRecord(device->event[0], device->stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceTimerEnd(RhxDevice device, double *milliseconds)
{
  float elapsed = 0;

  PetscFunctionBegin;
  RHX_CUDA(device->cu, "timing", "", EventRecord(device->event[1], device->stream));
  RHX_CUDA(device->cu, "timing", "", EventSynchronize(device->event[1]));
  RHX_CUDA(device->cu, "timing", "", EventElapsedTime(&elapsed, device->event[0], device->event[1]));
  *milliseconds = elapsed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Graphs ---- */

PetscErrorCode RhxDeviceGraphBegin(RhxDevice device)
{
  PetscFunctionBegin;
  RHX_CUDA(device->cu, "beginning a graph", "", StreamBeginCapture(device->stream, CUDA_CAPTURE_THREAD_LOCAL));
  device->capturing = PETSC_TRUE;
  device->flops = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceGraphEnd(RhxDevice device, RhxDeviceGraph *graph)
{
  void *recorded = NULL;
  RhxDeviceGraph g;

  PetscFunctionBegin;
  device->capturing = PETSC_FALSE;
  RHX_CUDA(device->cu, "ending a graph", "", StreamEndCapture(device->stream, &recorded));
  PetscCall(PetscNew(&g));
  g->cu = device->cu;
  g->flops = device->flops;
  RHX_CUDA(g->cu, "preparing a graph", "", GraphInstantiate(&g->exec, recorded, 0));
  RHX_CUDA(g->cu, "preparing a graph", "", GraphDestroy(recorded));
  *graph = g;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceGraphLaunch(RhxDevice device, RhxDeviceGraph graph)
{
  PetscFunctionBegin;
  RHX_CUDA(device->cu, "launching a graph", "", GraphLaunch(graph->exec, device->stream));
  PetscCall(RhxLogGpuFlops(graph->flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceLogFlops(RhxDevice device, double flops)
{
  PetscFunctionBegin;
  if (device->capturing)
    device->flops += flops;
  else
    PetscCall(RhxLogGpuFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceGraphDestroy(RhxDeviceGraph *graph)
{
  PetscFunctionBegin;
  if (!*graph) PetscFunctionReturn(PETSC_SUCCESS);
  RHX_CUDA((*graph)->cu, "ending a graph", "", GraphExecDestroy((*graph)->exec));
  PetscCall(PetscFree(*graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}
