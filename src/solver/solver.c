/* Registration, and what KSP and PC have in common on the device. */
#include "device/kernels.h"
#include "solver/impl.h"
#include <string.h>

#define SOURCE "kernels/solver.cuh"

PetscLogEvent RhxSolverSetUpEvent;

PetscErrorCode RhxSolverRegister(void)
{
  static PetscBool registered = PETSC_FALSE;
  PetscClassId id;
  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  registered = PETSC_TRUE;
  PetscCall(PetscClassIdRegister("Rheoplex solver", &id));
  PetscCall(PetscLogEventRegister("RhxSolverSetUp", id, &RhxSolverSetUpEvent));
  PetscCall(KSPRegister(RHX_KSP_GRAPH_CG, KSPCreate_GraphCG));
  PetscCall(PCRegister(RHX_PC_GRAPH_MG, PCCreate_GraphMG));
  PetscCall(PCRegister(RHX_PC_GRAPH_INVERSE, PCCreate_GraphInverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The device of an object ---- */

#define KEY "RhxDevice"

static PetscErrorCode set_device(PetscObject object, RhxDevice device)
{
  PetscContainer container;
  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, device));
  PetscCall(PetscObjectCompose(object, KEY, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSolverSetDevicePC(PC pc, RhxDevice device)
{
  PetscFunctionBegin;
  PetscCall(set_device((PetscObject)pc, device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Many kernels, of which eight threads of the compiler make the same as one, but for where their shared variables lie. */
#define NOPTIONS 4
static void set_options(PetscBool loops, PetscMPIInt size, const char *option[NOPTIONS])
{
  option[0] = loops && size == 1 ? "-DRHX_WHILE=1" : "-DRHX_WHILE=0";
  option[1] = size > 1 ? "-DRHX_RANKS=1" : "-DRHX_RANKS=0";
  option[2] = "-split-compile=8";
  option[3] = NULL;
}

static PetscErrorCode begin(MPI_Comm comm, RhxDevice device)
{
  char arch[RHX_DEVICE_ARCH];
  const char *options[NOPTIONS];
  PetscBool loops;
  PetscMPIInt size;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(RhxDeviceGetArch(device, arch));
  PetscCall(RhxDeviceHasLoops(device, &loops));
  set_options(loops, size, options);
  PetscCall(RhxDeviceKernelsCompile(comm, arch, SOURCE, options, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSolverSetDevice(KSP ksp, RhxDevice device)
{
  PC pc;
  PetscBool ours;
  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(set_device((PetscObject)pc, device));
  PetscCall(set_device((PetscObject)ksp, device));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, RHX_KSP_GRAPH_CG, &ours));
  if (ours) PetscCall(begin(PetscObjectComm((PetscObject)ksp), device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSolverGetDevice(PetscObject object, RhxDevice *device)
{
  PetscContainer container;
  PetscFunctionBegin;
  *device = NULL;
  PetscCall(PetscObjectQuery(object, KEY, (PetscObject *)&container));
  if (container) PetscCall(PetscContainerGetPointer(container, (void **)device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The program ---- */

PetscErrorCode RhxSolverProgramCreate(RhxDevice device, PetscBool loops, PetscMPIInt size, RhxSolverProgram *p)
{
  const RhxDeviceState *state;
  const char *options[NOPTIONS];
  PetscFunctionBegin;
  PetscCall(RhxDeviceGetState(device, &state));
  p->device = device;
  p->multiprocessors = state->multiprocessors;
  PetscCall(RhxDeviceHasLoops(device, &p->loops));
  p->loops = (PetscBool)(p->loops && loops && size == 1);
  set_options(p->loops, size, options);
  PetscCall(RhxDeviceKernelsCreate(device, SOURCE, options, &p->program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSolverProgramDestroy(RhxSolverProgram *p)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceProgramDestroy(&p->program));
  PetscCall(PetscMemzero(p, sizeof(*p)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSolverFunction(RhxSolverProgram *p, const char *name, PetscInt lanes, RhxDeviceFunction *function)
{
  char full[64];
  PetscFunctionBegin;
  if (lanes) {
    PetscCall(PetscSNPrintf(full, sizeof(full), "%s_%d", name, (int)lanes));
    name = full;
  }
  PetscCall(RhxDeviceProgramGetFunction(p->program, name, function));
  PetscFunctionReturn(PETSC_SUCCESS);
}

unsigned RhxSolverBlocks(const RhxSolverProgram *p, double threads, int most)
{
  const double blocks = PetscMax((double)(long long)((threads + RHX_THREADS - 1) / RHX_THREADS), 1.0);
  return (unsigned)(most ? PetscMin(blocks, (double)most * p->multiprocessors) : blocks);
}

/* ---- Matrices ---- */

static size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

PetscErrorCode RhxDeviceMatrixCreate(RhxDevice device, const RhxSell *sell, RhxDeviceMatrix *m)
{
  size_t entries, firsts, columns, values;
  void *there;
  PetscFunctionBegin;
  entries = (size_t)RHX_WARP * sell->first[sell->nslices];
  firsts = (sell->nslices + 1) * sizeof(*sell->first);
  columns = entries * sizeof(PetscInt);
  values = entries * sell->bytes_of_value;
  PetscCall(
      RhxDeviceMalloc(device, aligned(firsts) + aligned(columns) + values, "a matrix of the pressure solver", &there));
  m->n = (int)sell->n;
  m->nslices = (int)sell->nslices;
  m->first = there;
  m->column = (void *)((char *)there + aligned(firsts));
  m->value = (char *)there + aligned(firsts) + aligned(columns);
  PetscCall(RhxDeviceCopy(device, there, sell->first, firsts, RHX_COPY_TO_DEVICE));
  PetscCall(RhxDeviceCopy(device, (void *)m->column, sell->column, columns, RHX_COPY_TO_DEVICE));
  PetscCall(RhxDeviceCopy(device, (void *)m->value, sell->narrow ? (void *)sell->narrow : (void *)sell->wide, values,
                          RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceMatrixFree(RhxDevice device, RhxDeviceMatrix *m)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceFree(device, (void *)m->first));
  PetscCall(PetscMemzero(m, sizeof(*m)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
