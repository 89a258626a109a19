#include "boundary/device_boundary.h"
#include "boundary/boundary_impl.h"

#define THREADS 256 /* of kernels/step.cuh */

/* Nodes on planes of symmetry with their normals. */
typedef struct {
  int nnodes;
  void *start, *node, *normal;
} Planes;

struct _p_RhxBoundaryDevice {
  RhxBoundary bc; /* borrowed, as what follows */
  RhxDevice device;
  RhxDeviceFunction impose;
  int nmodes, nvelocity, npressure; /* rows, in this order in the lists */
  void *idx, *val;
  Planes symmetry, aux;
  void *velocity_offset, *vector, *odd; /* offsets in a block; rows of aux that vanish */
  PetscScalar *values;                  /* host: [rows] */
  PetscInt version;
};

static PetscErrorCode upload(RhxDevice device, const void *host, size_t bytes, void **ptr)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceMalloc(device, bytes, "the boundary conditions", ptr));
  PetscCall(RhxDeviceCopy(device, *ptr, host, bytes, RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Normals of a node follow each other. */
static PetscErrorCode upload_planes(RhxDevice device, const RhxProjection *p, PetscInt dim, Planes *planes)
{
  PetscInt *start;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->n + 1, &start));
  for (PetscInt i = 0; i < p->n; i++)
    if (!i || p->node[i] != p->node[i - 1]) start[planes->nnodes++] = i;
  start[planes->nnodes] = p->n;
  PetscCall(upload(device, start, sizeof(*start) * (planes->nnodes + 1), &planes->start));
  PetscCall(upload(device, p->node, sizeof(*p->node) * p->n, &planes->node));
  PetscCall(upload(device, p->normal, sizeof(*p->normal) * p->n * dim, &planes->normal));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_planes(RhxDevice device, Planes *planes)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceFree(device, planes->start));
  PetscCall(RhxDeviceFree(device, planes->node));
  PetscCall(RhxDeviceFree(device, planes->normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt rows(RhxBoundaryDevice bd) { return bd->nmodes + bd->nvelocity + bd->npressure; }

/* One list of the modes', velocity's and pressure's rows. */
static PetscErrorCode upload_rows(RhxBoundaryDevice bd)
{
  const RhxFixed *f = bd->bc->fixed;
  const RhxFixed *order[3] = {&f[2], &f[0], &f[1]};
  PetscInt *idx, n = 0;
  PetscFunctionBegin;
  bd->nmodes = (int)f[2].n;
  bd->nvelocity = (int)f[0].n;
  bd->npressure = (int)f[1].n;
  PetscCall(PetscMalloc1(rows(bd), &idx));
  PetscCall(PetscMalloc1(rows(bd), &bd->values));
  for (int q = 0; q < 3; q++) {
    PetscCall(PetscArraycpy(idx + n, order[q]->idx, order[q]->n));
    n += order[q]->n;
  }
  PetscCall(upload(bd->device, idx, sizeof(*idx) * n, &bd->idx));
  PetscCall(RhxDeviceMalloc(bd->device, sizeof(double) * n, "the boundary values", &bd->val));
  PetscCall(PetscFree(idx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceCreate(RhxBoundary bc, RhxDevice device, RhxDeviceProgram step, RhxBoundaryDevice *out)
{
  RhxBoundaryDevice bd;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  bd = *out;
  bd->bc = bc;
  bd->device = device;
  bd->version = -1;
  PetscCall(RhxDeviceProgramGetFunction(step, "rhx_impose", &bd->impose));
  PetscCall(upload_rows(bd));
  PetscCall(upload_planes(device, &bc->symmetry, bc->space->dim, &bd->symmetry));
  PetscCall(upload_planes(device, &bc->aux, bc->space->dim, &bd->aux));
  PetscCall(upload(device, &bc->space->field[0].offset, sizeof(PetscInt), &bd->velocity_offset));
  PetscCall(upload(device, bc->vector, sizeof(*bc->vector) * bc->nvectors, &bd->vector));
  PetscCall(upload(device, bc->odd, sizeof(*bc->odd) * bc->nodd, &bd->odd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceDestroy(RhxBoundaryDevice *bd)
{
  RhxBoundaryDevice b = *bd;
  PetscFunctionBegin;
  if (!b) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceFree(b->device, b->idx));
  PetscCall(RhxDeviceFree(b->device, b->val));
  PetscCall(free_planes(b->device, &b->symmetry));
  PetscCall(free_planes(b->device, &b->aux));
  PetscCall(RhxDeviceFree(b->device, b->velocity_offset));
  PetscCall(RhxDeviceFree(b->device, b->vector));
  PetscCall(RhxDeviceFree(b->device, b->odd));
  PetscCall(PetscFree(b->values));
  PetscCall(PetscFree(*bd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceUpdate(RhxBoundaryDevice bd)
{
  const RhxFixed *f = bd->bc->fixed;
  PetscFunctionBegin;
  if (bd->version == bd->bc->version) PetscFunctionReturn(PETSC_SUCCESS);
  bd->version = bd->bc->version;
  PetscCall(PetscArraycpy(bd->values, f[2].val, f[2].n));
  PetscCall(PetscArraycpy(bd->values + f[2].n, f[0].val, f[0].n));
  PetscCall(PetscArraycpy(bd->values + f[2].n + f[0].n, f[1].val, f[1].n));
  PetscCall(RhxDeviceCopy(bd->device, bd->val, bd->values, sizeof(double) * rows(bd), RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode launch(RhxBoundaryDevice bd, int n, void *idx, void *val, Planes *planes, int nvectors,
                             void *vector, int width, void *x)
{
  const unsigned blocks = (unsigned)((n + planes->nnodes + THREADS - 1) / THREADS);
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunch(bd->device, bd->impose, (RhxLaunch){{blocks}, {THREADS}, 0},
                            RHX_ARGUMENTS(&n, &idx, &val, &planes->nnodes, &planes->start, &planes->node,
                                          &planes->normal, &nvectors, &vector, &width, &x)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceImpose(RhxBoundaryDevice bd, unsigned what, void *x)
{
  Planes none = {0}, *planes = what & RHX_BC_VELOCITY ? &bd->symmetry : &none;
  const int first = what & RHX_BC_MODES ? 0 : what & RHX_BC_VELOCITY ? bd->nmodes : bd->nmodes + bd->nvelocity;
  const int last = (int)rows(bd) - (what & RHX_BC_PRESSURE ? 0 : bd->npressure);
  PetscFunctionBegin;
  PetscCall(launch(bd, last - first, (int *)bd->idx + first, (double *)bd->val + first, planes, 1, bd->velocity_offset,
                   (int)bd->bc->space->bs, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDeviceImposeAuxiliary(RhxBoundaryDevice bd, void *aux)
{
  PetscFunctionBegin;
  PetscCall(launch(bd, (int)bd->bc->nodd, bd->odd, NULL, &bd->aux, (int)bd->bc->nvectors, bd->vector,
                   (int)bd->bc->form->naux, aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}
