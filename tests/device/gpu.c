/* On a machine with a device: memory, copies and their counts, launches, shared memory, graphs, timing, faults. */
#include "common.h"

#define N 1000000

static const char text[] =
    "__device__ int calls;\n"
    "extern \"C\" __global__ void add(double *y, const double *x, double a, int n)\n"
    "{\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i == 0) calls++;\n"
    "  if (i < n) y[i] += a * x[i];\n"
    "}\n"
    "extern \"C\" __global__ void mirrored(double *y, const double *x, int n)\n"
    "{\n"
    "  extern __shared__ double s[];\n"
    "  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = x[i];\n"
    "  __syncthreads();\n"
    "  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = s[n - 1 - i];\n"
    "}\n"
    "extern \"C\" __global__ void indexed(int *flag)\n"
    "{\n"
    "  if (blockIdx.y == 2 && blockIdx.x == 1 && threadIdx.y == 1 && threadIdx.x == 31) *flag = 7;\n"
    "}\n"
    "extern \"C\" __global__ void outside(double *y) { y[threadIdx.x] = 1; }\n";

typedef struct {
  RhxDevice device;
  RhxDeviceProgram program;
  double *x, *y, *host; /* device, device, host */
} Setup;

static double value(PetscInt i) { return (double)(i % 1013) - 500.25; }

static PetscErrorCode set_up(Setup *s)
{
  RhxDeviceSource source;
  const RhxDeviceBinary *binary;

  PetscFunctionBegin;
  PetscCall(RhxDeviceSourceCreate("gpu.cu", text, &source));
  PetscCall(RhxDeviceProgramCreate(s->device, source, &s->program));
  PetscCall(RhxDeviceSourceDestroy(&source));
  PetscCall(RhxDeviceProgramGetBinary(s->program, &binary));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "program by origin %d in %.3f s\n", (int)binary->origin, binary->seconds));
  PetscCall(RhxDeviceMalloc(s->device, N * sizeof(double), "x", (void **)&s->x));
  PetscCall(RhxDeviceMalloc(s->device, N * sizeof(double), "y", (void **)&s->y));
  PetscCall(PetscMalloc1(N, &s->host));
  for (PetscInt i = 0; i < N; i++) s->host[i] = value(i);
  PetscCall(RhxDeviceCopy(s->device, s->x, s->host, N * sizeof(double), RHX_COPY_TO_DEVICE));
  PetscCall(RhxDeviceZero(s->device, s->y, N * sizeof(double)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tear_down(Setup *s)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceFree(s->device, s->x));
  PetscCall(RhxDeviceFree(s->device, s->y));
  PetscCall(PetscFree(s->host));
  PetscCall(RhxDeviceProgramDestroy(&s->program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode launch_add(Setup *s, double a)
{
  RhxDeviceFunction add;
  int n = N;

  PetscFunctionBegin;
  PetscCall(RhxDeviceProgramGetFunction(s->program, "add", &add));
  PetscCall(RhxDeviceLaunch(s->device, add, (RhxLaunch){.grid = {(N + 255) / 256}, .block = {256}},
                            RHX_ARGUMENTS(&s->y, &s->x, &a, &n)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode expect_multiple(Setup *s, const char *what, double a)
{
  PetscInt wrong = 0;

  PetscFunctionBegin;
  PetscCall(RhxDeviceCopy(s->device, s->host, s->y, N * sizeof(double), RHX_COPY_TO_HOST));
  for (PetscInt i = 0; i < N; i++) wrong += s->host[i] != a * value(i);
  expect(!wrong, "%s: %d values are not %g times x", what, (int)wrong, a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_launch(Setup *s)
{
  RhxDeviceFunction f;
  RhxKernelUse use;
  void *calls;
  size_t bytes;
  int n = 12000, got = 0, blocks = 0, *flag; /* 96 kB of shared memory: more than a kernel gets without asking */

  PetscFunctionBegin;
  PetscCall(launch_add(s, 2));
  PetscCall(expect_multiple(s, "add", 2));
  PetscCall(RhxDeviceProgramGetGlobal(s->program, "calls", &calls, &bytes));
  expect(bytes == sizeof(int), "a variable of %zu bytes", bytes);
  PetscCall(RhxDeviceCopy(s->device, &got, calls, sizeof(got), RHX_COPY_TO_HOST));
  expect(got == 1, "%d calls, expected 1", got);
  PetscCall(RhxDeviceProgramGetFunction(s->program, "mirrored", &f));
  PetscCall(RhxDeviceLaunch(s->device, f,
                            (RhxLaunch){.grid = {1}, .block = {256}, .shared = (unsigned)(n * sizeof(double))},
                            RHX_ARGUMENTS(&s->y, &s->x, &n)));
  PetscCall(RhxDeviceCopy(s->device, s->host, s->y, n * sizeof(double), RHX_COPY_TO_HOST));
  expect(s->host[0] == value(n - 1) && s->host[n - 1] == value(0), "mirrored: %g %g", s->host[0], s->host[n - 1]);
  PetscCall(RhxDeviceFunctionGetUse(f, &use));
  PetscCall(RhxDeviceFunctionGetResident(f, 256, n * sizeof(double), &blocks));
  expect(use.registers > 3 && blocks == 2, "%d registers, %d blocks, expected 2", use.registers, blocks);
  PetscCall(RhxDeviceMallocHost(s->device, sizeof(int), (void **)&flag));
  *flag = 0;
  PetscCall(RhxDeviceProgramGetFunction(s->program, "indexed", &f));
  PetscCall(RhxDeviceLaunch(s->device, f, (RhxLaunch){.grid = {2, 3}, .block = {32, 2}}, RHX_ARGUMENTS(&flag)));
  PetscCall(RhxDeviceSynchronize(s->device));
  expect(*flag == 7, "host memory: got %d, expected 7", *flag);
  PetscCall(RhxDeviceFreeHost(s->device, flag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_graph(Setup *s)
{
  RhxDeviceGraph graph;
  PetscErrorCode code;
  double ms = 0, stream = 0;

  PetscFunctionBegin;
  PetscCall(RhxDeviceZero(s->device, s->y, N * sizeof(double)));
  PetscCall(RhxDeviceGraphBegin(s->device));
  PetscCall(RhxDeviceZero(s->device, s->y, N * sizeof(double)));
  PetscCall(RhxDeviceCopy(s->device, s->y, s->x, N * sizeof(double), RHX_COPY_ON_DEVICE));
  for (int i = 0; i < 20; i++) PetscCall(launch_add(s, 1));
  CATCH(code, RhxDeviceCopy(s->device, s->host, s->y, sizeof(double), RHX_COPY_TO_HOST));
  expect_message(code, "cannot be recorded", "expected", "");
  PetscCall(RhxDeviceGraphEnd(s->device, &graph));
  PetscCall(expect_multiple(s, "recorded only", 0));
  PetscCall(RhxDeviceGraphLaunch(s->device, graph));
  PetscCall(expect_multiple(s, "graph", 21));
  PetscCall(RhxDeviceTimerBegin(s->device));
  for (int i = 0; i < 10; i++) PetscCall(RhxDeviceGraphLaunch(s->device, graph));
  PetscCall(RhxDeviceTimerEnd(s->device, &ms));
  PetscCall(RhxDeviceTimerBegin(s->device));
  for (int i = 0; i < 200; i++) PetscCall(launch_add(s, 1));
  PetscCall(RhxDeviceTimerEnd(s->device, &stream));
  expect(ms > 0 && ms < 1000 && stream > 0, "graph %g ms, stream %g ms", ms, stream);
  PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, "1M-double update: %.2f us in a graph, %.2f us by launches\n", 5 * ms, 5 * stream));
  PetscCall(RhxDeviceGraphDestroy(&graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_counts(Setup *s)
{
  RhxCopyCount to_device[2], to_host[2];
  double scalar = 1;

  PetscFunctionBegin;
  PetscCall(RhxDeviceCopyCount(&to_device[0], &to_host[0]));
  PetscCall(RhxDeviceCopy(s->device, s->y, s->host, 8000, RHX_COPY_TO_DEVICE));
  PetscCall(RhxDeviceCopy(s->device, &scalar, s->y, sizeof(scalar), RHX_COPY_TO_HOST));
  PetscCall(RhxDeviceCopy(s->device, s->y, s->x, 8000, RHX_COPY_ON_DEVICE));
  PetscCall(RhxDeviceCopyCount(&to_device[1], &to_host[1]));
  expect(to_device[1].arrays == to_device[0].arrays + 1 && to_device[1].scalars == to_device[0].scalars &&
             to_device[1].bytes == to_device[0].bytes + 8000,
         "copies to the device are miscounted");
  expect(to_host[1].arrays == to_host[0].arrays && to_host[1].scalars == to_host[0].scalars + 1 &&
             to_host[1].bytes == to_host[0].bytes + 8,
         "copies to the host are miscounted");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_memory(Setup *s)
{
  const RhxDeviceState *state;
  PetscMPIInt rank;
  PetscErrorCode code;
  size_t before, after, all;
  void *ptr = NULL;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(RhxDeviceGetState(s->device, &state));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(RhxDeviceMemory(s->device, &before, &all));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  CATCH(code, RhxDeviceMalloc(s->device, rank ? 1024 : 2 * all, "the test", &ptr));
  expect_message(code, "Too little device memory for the test: needed", "GiB, free", state->name);
  if (!rank) puts(message);
  expect(!ptr, "memory in spite of the error");
  CATCH(code, RhxDeviceRequire(s->device, all, "everything"));
  expect_message(code, "Too little device memory for everything: needed", "GiB, free", "GiB on");
  PetscCall(RhxDeviceRequire(s->device, 1024, "little"));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(RhxDeviceMemory(s->device, &after, &all));
  expect(after + 4194304 > before, "%zu bytes free before, %zu after", before, after);
  PetscCall(RhxDeviceMalloc(s->device, 0, "nothing", &ptr));
  expect(!ptr, "0 bytes gave memory");
  PetscCall(expect_multiple(s, "after the errors", 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last: the context is lost afterwards. */
static PetscErrorCode check_fault(Setup *s)
{
  RhxDeviceFunction f;
  PetscErrorCode code;
  double *nowhere = NULL;

  PetscFunctionBegin;
  CATCH(code, RhxDeviceProgramGetFunction(s->program, "absent", &f));
  expect_message(code, "looking for the kernel absent", "CUDA_ERROR_NOT_FOUND", "");
  PetscCall(RhxDeviceProgramGetFunction(s->program, "outside", &f));
  PetscCall(RhxDeviceLaunch(s->device, f, (RhxLaunch){.grid = {1}, .block = {32}}, RHX_ARGUMENTS(&nowhere)));
  CATCH(code, RhxDeviceSynchronize(s->device));
  expect_message(code, "a kernel launched before", "CUDA_ERROR_ILLEGAL_ADDRESS", "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Setup s = {0};
  RhxDeviceState state;
  PetscBool fault = PETSC_FALSE;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(RhxDeviceRegisterOptions());
  PetscCall(PetscOptionsHasName(NULL, NULL, "-test_fault", &fault));
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", state.sentence));
  if (state.availability != RHX_DEVICE_READY) {
    PetscCall(PetscFinalize());
    return SKIP;
  }
  PetscCall(RhxDeviceOpen(PETSC_COMM_WORLD, &s.device));
  PetscCall(set_up(&s));
  if (fault) {
    PetscCall(check_fault(&s));
    fflush(stdout);
    _Exit(failures ? 1 : 0); /* nothing can be given back on a device that failed */
  }
  PetscCall(check_launch(&s));
  PetscCall(check_graph(&s));
  PetscCall(check_counts(&s));
  PetscCall(RhxDeviceZero(s.device, s.y, N * sizeof(double)));
  PetscCall(RhxDeviceSynchronize(s.device));
  PetscCall(check_memory(&s));
  PetscCall(tear_down(&s));
  PetscCall(RhxDeviceClose(&s.device));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, failures ? "failed\n" : "good\n"));
  PetscCall(PetscFinalize());
  return failures ? 1 : 0;
}
