#include "form/device_halo.h"
#include "form/device_kernels.h"
#include "petsc_compat.h"

#define THREADS 256 /* of kernels/halo.cuh */
#define MAX_WIDTHS 16

struct _p_RhxHalo {
  RhxSpace space; /* borrowed, as the device */
  RhxDevice device;
  PetscBool serial;
  PetscSF sf;                /* between compact buffers: shared owned nodes -> ghosts */
  PetscInt nshared, nghosts; /* nodes */
  void *shared;              /* [nshared] owned local nodes */
  PetscScalar *roots, *leaves;
  PetscInt width; /* that the buffers have room for */
  RhxDeviceProgram program;
  RhxDeviceFunction pack, unpack;
  PetscInt nunits, unit_width[MAX_WIDTHS];
  MPI_Datatype unit[MAX_WIDTHS];
};

/* Numbers the owned nodes that are ghosts elsewhere. number[nowned]: -1 or their place in the buffer. */
static PetscErrorCode find_shared(RhxHalo halo, PetscInt *number)
{
  const PetscInt *degree;
  PetscInt *list;
  PetscFunctionBegin;
  PetscCall(PetscSFComputeDegreeBegin(halo->space->sf, &degree));
  PetscCall(PetscSFComputeDegreeEnd(halo->space->sf, &degree));
  for (PetscInt i = 0; i < halo->space->nowned; i++) number[i] = degree[i] ? halo->nshared++ : -1;
  PetscCall(PetscMalloc1(halo->nshared, &list));
  for (PetscInt i = 0; i < halo->space->nowned; i++)
    if (number[i] >= 0) list[number[i]] = i;
  PetscCall(RhxDeviceMalloc(halo->device, sizeof(*list) * halo->nshared, "the list of shared nodes", &halo->shared));
  PetscCall(RhxDeviceCopy(halo->device, halo->shared, list, sizeof(*list) * halo->nshared, RHX_COPY_TO_DEVICE));
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_sf(RhxHalo halo)
{
  const RhxSpace sp = halo->space;
  const PetscSFNode *remote;
  const PetscInt *local;
  PetscInt nleaves, *number;
  PetscSFNode *compact;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sp->nlocal, &number));
  PetscCall(find_shared(halo, number));
  PetscCall(PetscSFBcastBegin(sp->sf, MPIU_INT, number, number, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sp->sf, MPIU_INT, number, number, MPI_REPLACE));
  PetscCall(PetscSFGetGraph(sp->sf, NULL, &nleaves, &local, &remote));
  PetscCall(PetscMalloc1(nleaves, &compact));
  for (PetscInt i = 0; i < nleaves; i++) {
    const PetscInt node = local ? local[i] : i;
    compact[node - sp->nowned].rank = remote[i].rank;
    compact[node - sp->nowned].index = number[node];
  }
  PetscCall(PetscFree(number));
  PetscCall(PetscSFCreate(sp->comm, &halo->sf));
  PetscCall(PetscSFSetGraph(halo->sf, halo->nshared, nleaves, NULL, PETSC_COPY_VALUES, compact, PETSC_OWN_POINTER));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxHaloCreate(RhxSpace space, RhxDevice device, RhxHalo *out)
{
  RhxHalo halo;
  PetscMPIInt size;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  halo = *out;
  halo->space = space;
  halo->device = device;
  halo->nghosts = space->nlocal - space->nowned;
  PetscCallMPI(MPI_Comm_size(space->comm, &size));
  halo->serial = (PetscBool)(size == 1);
  if (halo->serial) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(make_sf(halo));
  PetscCall(RhxDeviceKernelsCreate(device, "kernels/halo.cuh", NULL, &halo->program));
  PetscCall(RhxDeviceProgramGetFunction(halo->program, "rhx_pack", &halo->pack));
  PetscCall(RhxDeviceProgramGetFunction(halo->program, "rhx_unpack", &halo->unpack));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxHaloDestroy(RhxHalo *halo)
{
  PetscFunctionBegin;
  if (!*halo) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceFree((*halo)->device, (*halo)->shared));
  PetscCall(RhxDeviceFreeHost((*halo)->device, (*halo)->roots));
  PetscCall(RhxDeviceFreeHost((*halo)->device, (*halo)->leaves));
  PetscCall(RhxDeviceProgramDestroy(&(*halo)->program));
  PetscCall(PetscSFDestroy(&(*halo)->sf));
  for (PetscInt k = 0; k < (*halo)->nunits; k++) PetscCallMPI(MPI_Type_free(&(*halo)->unit[k]));
  PetscCall(PetscFree(*halo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Buffers with room for blocks of this width, and their MPI type. */
static PetscErrorCode prepare(RhxHalo halo, PetscInt width, MPI_Datatype *unit)
{
  PetscFunctionBegin;
  if (width > halo->width) {
    PetscCall(RhxDeviceSynchronize(halo->device));
    PetscCall(RhxDeviceFreeHost(halo->device, halo->roots));
    PetscCall(RhxDeviceFreeHost(halo->device, halo->leaves));
    PetscCall(
        RhxDeviceMallocHost(halo->device, sizeof(double) * PetscMax(1, halo->nshared * width), (void **)&halo->roots));
    PetscCall(
        RhxDeviceMallocHost(halo->device, sizeof(double) * PetscMax(1, halo->nghosts * width), (void **)&halo->leaves));
    halo->width = width;
  }
  *unit = MPIU_SCALAR;
  if (width == 1) PetscFunctionReturn(PETSC_SUCCESS); /* PETSc does not see through a block of one */
  for (PetscInt k = 0; k < halo->nunits; k++)
    if (halo->unit_width[k] == width) {
      *unit = halo->unit[k];
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  PetscCheck(halo->nunits < MAX_WIDTHS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "More than %d widths of halos", MAX_WIDTHS);
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)width, MPIU_SCALAR, unit));
  PetscCallMPI(MPI_Type_commit(unit));
  halo->unit_width[halo->nunits] = width;
  halo->unit[halo->nunits++] = *unit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode move(RhxHalo halo, RhxDeviceFunction kernel, PetscBool roots, PetscInt width, int add, void *v)
{
  int n = (int)(roots ? halo->nshared : halo->nghosts), w = (int)width, first = (int)halo->space->nowned;
  void *node = roots ? halo->shared : NULL, *buffer = roots ? halo->roots : halo->leaves;
  RhxLaunch shape = {{(unsigned)((n * w + THREADS - 1) / THREADS)}, {THREADS}, 0};
  PetscFunctionBegin;
  if (kernel == halo->pack) {
    PetscCall(RhxDeviceLaunch(halo->device, kernel, shape, RHX_ARGUMENTS(&n, &w, &node, &first, &v, &buffer)));
    PetscCall(RhxDeviceSynchronize(halo->device));
  } else
    PetscCall(RhxDeviceLaunch(halo->device, kernel, shape, RHX_ARGUMENTS(&n, &w, &node, &first, &buffer, &add, &v)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxHaloGlobalToLocal(RhxHalo halo, PetscInt width, void *v)
{
  MPI_Datatype unit;
  PetscFunctionBegin;
  if (halo->serial) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(prepare(halo, width, &unit));
  PetscCall(move(halo, halo->pack, PETSC_TRUE, width, 0, v));
  PetscCall(PetscSFBcastBegin(halo->sf, unit, halo->roots, halo->leaves, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(halo->sf, unit, halo->roots, halo->leaves, MPI_REPLACE));
  PetscCall(move(halo, halo->unpack, PETSC_FALSE, width, 0, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxHaloReduce(RhxHalo halo, PetscInt width, void *v)
{
  MPI_Datatype unit;
  PetscFunctionBegin;
  if (halo->serial) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(prepare(halo, width, &unit));
  PetscCall(move(halo, halo->pack, PETSC_FALSE, width, 0, v));
  PetscCall(PetscArrayzero(halo->roots, halo->nshared * width));
  PetscCall(PetscSFReduceBegin(halo->sf, unit, halo->leaves, halo->roots, MPIU_SUM));
  PetscCall(PetscSFReduceEnd(halo->sf, unit, halo->leaves, halo->roots, MPIU_SUM));
  PetscCall(move(halo, halo->unpack, PETSC_TRUE, width, 1, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxHaloIsSerial(RhxHalo halo, PetscBool *serial)
{
  PetscFunctionBegin;
  *serial = halo->serial;
  PetscFunctionReturn(PETSC_SUCCESS);
}
