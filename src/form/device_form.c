#include "form/device_form.h"
#include "form/device_source.h"
#include "petsc_compat.h"

#define ELEMENT "kernels/element.cuh"
#define THREADS 128 /* of kernels/element.cuh */

/* As kernels/element.cuh declares it. */
typedef struct {
  int n, unused;
  const void *conn, *coord, *x, *xdot, *aux, *source;
  void *out;
  const void *clock;
  void *stats;
  double rho, convection;
} DevicePass;

typedef enum {
  KERNEL_RESIDUAL,
  KERNEL_RESIDUAL_STATS,
  KERNEL_PROJECT,
  KERNEL_DIVERGENCE,
  KERNEL_GRADIENT,
  NKERNELS
} Kernel;
static const char *const kernel_name[] = {"rhx_residual", "rhx_residual_stats", "rhx_project", "rhx_divergence",
                                          "rhx_gradient"};

/* One cell type. */
typedef struct {
  PetscInt n, nn;
  void *conn, *coord;
  RhxDeviceProgram program;
  RhxDeviceFunction kernel[NKERNELS], divide;
} Type;

struct _p_RhxFormDevice {
  RhxForm form; /* borrowed, as the device */
  RhxDevice device;
  PetscInt ntypes;
  Type *type;
  void *mass; /* [nlocal] */
};

PetscErrorCode RhxFormDeviceCompile(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate,
                                    PetscBool source, RhxDeviceBinary *binary)
{
  RhxDeviceSource text;
  PetscFunctionBegin;
  PetscCall(RhxFormDeviceSource(form, cells, rate, source, ELEMENT, &text));
  PetscCall(RhxDeviceCompile(form->comm, arch, text, binary));
  PetscCall(RhxDeviceSourceDestroy(&text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode upload(RhxDevice device, const void *host, size_t bytes, const char *what, void **ptr)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceMalloc(device, bytes, what, ptr));
  if (bytes) PetscCall(RhxDeviceCopy(device, *ptr, host, bytes, RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The host's lane groups as plain arrays: conn[n][nn], coord[n][nn][dim]. */
static PetscErrorCode upload_cells(RhxFormDevice fd, const RhxCells *ce, Type *type)
{
  const PetscInt dim = fd->form->space->dim, nn = ce->nn;
  PetscInt *conn;
  PetscReal *coord;
  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)ce->n * nn, &conn, (size_t)ce->n * nn * dim, &coord));
  for (PetscInt e = 0; e < ce->n; e++)
    for (PetscInt a = 0; a < nn; a++) {
      const size_t from = ((size_t)(e / RHX_LANES) * nn + a), lane = e % RHX_LANES, to = (size_t)e * nn + a;
      conn[to] = ce->conn[from * RHX_LANES + lane];
      for (PetscInt d = 0; d < dim; d++) coord[to * dim + d] = ce->x[(from * dim + d) * RHX_LANES + lane];
    }
  type->n = ce->n;
  type->nn = nn;
  PetscCall(upload(fd->device, conn, sizeof(*conn) * ce->n * nn, "the connectivity", &type->conn));
  PetscCall(upload(fd->device, coord, sizeof(*coord) * ce->n * nn * dim, "the element positions", &type->coord));
  PetscCall(PetscFree2(conn, coord));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceCreate(RhxForm form, RhxDevice device, PetscBool rate, PetscBool source, RhxFormDevice *out)
{
  const RhxSpace sp = form->space;
  RhxFormDevice fd;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  fd = *out;
  fd->form = form;
  fd->device = device;
  fd->ntypes = sp->ntypes;
  PetscCall(PetscCalloc1(sp->ntypes, &fd->type));
  PetscCall(upload(device, sp->mass, sizeof(PetscReal) * sp->nlocal, "the lumped mass", &fd->mass));
  for (PetscInt k = 0; k < sp->ntypes; k++) {
    Type *type = &fd->type[k];
    RhxDeviceSource text;
    PetscCall(upload_cells(fd, &sp->cells[k], type));
    PetscCall(RhxFormDeviceSource(form, &sp->cells[k], rate, source, ELEMENT, &text));
    PetscCall(RhxDeviceProgramCreate(device, text, &type->program));
    PetscCall(RhxDeviceSourceDestroy(&text));
    for (int i = 0; i < NKERNELS; i++)
      if (i != KERNEL_PROJECT || form->naux)
        PetscCall(RhxDeviceProgramGetFunction(type->program, kernel_name[i], &type->kernel[i]));
    PetscCall(RhxDeviceProgramGetFunction(type->program, "rhx_divide", &type->divide));
    PetscCall(RhxFormDeviceSetParameters(form, device, type->program));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceDestroy(RhxFormDevice *fd)
{
  PetscFunctionBegin;
  if (!*fd) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < (*fd)->ntypes; k++) {
    PetscCall(RhxDeviceFree((*fd)->device, (*fd)->type[k].conn));
    PetscCall(RhxDeviceFree((*fd)->device, (*fd)->type[k].coord));
    PetscCall(RhxDeviceProgramDestroy(&(*fd)->type[k].program));
  }
  PetscCall(RhxDeviceFree((*fd)->device, (*fd)->mass));
  PetscCall(PetscFree((*fd)->type));
  PetscCall(PetscFree(*fd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceView(RhxFormDevice fd, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < fd->ntypes; k++) {
    const RhxDeviceBinary *binary;
    PetscCall(RhxDeviceProgramGetBinary(fd->type[k].program, &binary));
    PetscCall(RhxDeviceBinaryView(binary, viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs a kernel over the elements of every type into `out`, which has `bytes` and is zeroed first. */
static PetscErrorCode run(RhxFormDevice fd, Kernel kernel, DevicePass pass, size_t bytes)
{
  PetscFunctionBegin;
  pass.rho = fd->form->rho;
  pass.convection = fd->form->convection;
  PetscCall(RhxDeviceZero(fd->device, pass.out, bytes));
  for (PetscInt k = 0; k < fd->ntypes; k++) {
    Type *type = &fd->type[k];
    const PetscInt elements = THREADS / 32 * (32 / type->nn); /* a block */
    RhxLaunch shape = {{(unsigned)((type->n + elements - 1) / elements)}, {THREADS}, 0};
    pass.n = (int)type->n;
    pass.conn = type->conn;
    pass.coord = type->coord;
    PetscCall(RhxDeviceLaunch(fd->device, type->kernel[kernel], shape, RHX_ARGUMENTS(&pass)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceProject(RhxFormDevice fd, const void *clock, const void *x, const void *source, void *aux)
{
  const RhxSpace sp = fd->form->space;
  int n = (int)(sp->nlocal * fd->form->naux), width = (int)fd->form->naux;
  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
      run(fd, KERNEL_PROJECT, (DevicePass){.x = x, .source = source, .out = aux, .clock = clock}, sizeof(double) * n));
  PetscCall(RhxDeviceLaunch(fd->device, fd->type[0].divide, (RhxLaunch){{(unsigned)((n + 255) / 256)}, {256}, 0},
                            RHX_ARGUMENTS(&n, &width, &fd->mass, &aux)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceResidual(RhxFormDevice fd, const void *clock, const void *x, const void *xdot,
                                     const void *aux, const void *source, void *r, void *stats)
{
  const RhxSpace sp = fd->form->space;
  DevicePass pass = {.x = x, .xdot = xdot, .aux = aux, .source = source, .out = r, .clock = clock, .stats = stats};
  PetscFunctionBegin;
  if (stats) PetscCall(RhxDeviceZero(fd->device, stats, sizeof(RhxFormStats)));
  PetscCall(run(fd, stats ? KERNEL_RESIDUAL_STATS : KERNEL_RESIDUAL, pass, sizeof(double) * sp->nlocal * sp->bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceDivergence(RhxFormDevice fd, const void *u, void *r)
{
  PetscFunctionBegin;
  PetscCall(run(fd, KERNEL_DIVERGENCE, (DevicePass){.x = u, .out = r}, sizeof(double) * fd->form->space->nlocal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceGradient(RhxFormDevice fd, const void *phi, void *r)
{
  PetscFunctionBegin;
  PetscCall(run(fd, KERNEL_GRADIENT, (DevicePass){.x = phi, .out = r},
                sizeof(double) * fd->form->space->nlocal * fd->form->space->dim));
  PetscFunctionReturn(PETSC_SUCCESS);
}
