#include "form/device_form.h"
#include "form/device_source.h"
#include "form/device_tiles.h"
#include "petsc_compat.h"

#define ELEMENT "kernels/element.cuh"
#define NUMBER "kernels/real.cuh"
#define THREADS 256 /* of the kernels that work on nodes */

/* As kernels/point.cuh declares it; assembly: RHX_ASSEMBLE_* of kernels/element.cuh. */
typedef struct {
  int first, assembly;
  const void *tile, *node, *coord, *start, *entry, *member, *x, *xdot, *aux, *source;
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
  RhxTiles tiles; /* without its arrays, but for launch */
  unsigned threads;
  PetscInt nn;
  void *tile, *node, *coord, *start, *entry, *member; /* the tiles' arrays */
  void *gather_start, *gather_entry, *part;           /* assembly by owner: a node's tile nodes; their sums */
  RhxDeviceProgram program;
  RhxDeviceFunction kernel[NKERNELS], gather, divide;
} Type;

struct _p_RhxFormDevice {
  RhxForm form; /* borrowed, as the device */
  RhxDevice device;
  PetscBool rate, source;
  PetscInt ntypes;
  Type *type;
  void *mass; /* [nlocal] */
};

PetscErrorCode RhxFormDeviceCompile(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate,
                                    PetscBool source, RhxDeviceBinary *binary)
{
  RhxDeviceSource text;
  PetscFunctionBegin;
  PetscCall(RhxFormDeviceSourceIn(form, cells, rate, source, NUMBER, ELEMENT, &text));
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

static PetscErrorCode upload_gather_list(RhxFormDevice fd, Type *type)
{
  const PetscInt nlocal = fd->form->space->nlocal, width = PetscMax(fd->form->space->bs, fd->form->naux);
  const size_t n = type->tiles.nnodes;
  int *start, *entry;
  PetscFunctionBegin;
  PetscCall(RhxTilesGatherList(&type->tiles, nlocal, &start, &entry));
  PetscCall(upload(fd->device, start, sizeof(int) * (nlocal + 1), "the gather lists", &type->gather_start));
  PetscCall(upload(fd->device, entry, sizeof(int) * n, "the gather lists", &type->gather_entry));
  PetscCall(RhxDeviceMalloc(fd->device, sizeof(double) * n * width, "the parts of the residual", &type->part));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode upload_tiles(RhxFormDevice fd, const RhxCells *ce, Type *type)
{
  const PetscInt dim = fd->form->space->dim;
  const RhxAssembly assembly = fd->form->assembly;
  RhxTiles *ti = &type->tiles;
  PetscFunctionBegin;
  PetscCall(RhxTilesCreate(fd->form->space, ce, RhxFormDeviceTileSize(fd->form, ce, fd->rate, fd->source),
                           (PetscBool)(assembly == RHX_ASSEMBLY_COLOUR), ti));
  type->nn = ce->nn;
  type->threads = (unsigned)(ce->nn == 1 << dim ? ti->slots : ti->size);
#define UPLOAD(member, n) upload(fd->device, ti->member, sizeof(*ti->member) * (size_t)(n), "the tiles", &type->member)
  PetscCall(UPLOAD(tile, ti->ntiles + 1));
  PetscCall(UPLOAD(node, ti->nnodes));
  PetscCall(UPLOAD(coord, ti->nnodes * dim));
  PetscCall(UPLOAD(start, ti->nnodes + 1));
  PetscCall(UPLOAD(entry, ti->nentries));
  PetscCall(UPLOAD(member, (size_t)ti->ntiles * ti->slots));
#undef UPLOAD
  if (assembly == RHX_ASSEMBLY_OWNER) PetscCall(upload_gather_list(fd, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_program(RhxFormDevice fd, const RhxCells *ce, Type *type)
{
  RhxDeviceSource text;
  PetscFunctionBegin;
  PetscCall(RhxFormDeviceSourceIn(fd->form, ce, fd->rate, fd->source, NUMBER, ELEMENT, &text));
  PetscCall(RhxDeviceProgramCreate(fd->device, text, &type->program));
  PetscCall(RhxDeviceSourceDestroy(&text));
  for (int i = 0; i < NKERNELS; i++)
    if (i != KERNEL_PROJECT || fd->form->naux)
      PetscCall(RhxDeviceProgramGetFunction(type->program, kernel_name[i], &type->kernel[i]));
  PetscCall(RhxDeviceProgramGetFunction(type->program, "rhx_gather", &type->gather));
  PetscCall(RhxDeviceProgramGetFunction(type->program, "rhx_divide", &type->divide));
  PetscCall(RhxFormDeviceSetParameters(fd->form, fd->device, type->program));
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
  fd->rate = rate;
  fd->source = source;
  fd->ntypes = sp->ntypes;
  PetscCall(PetscCalloc1(sp->ntypes, &fd->type));
  PetscCall(upload(device, sp->mass, sizeof(PetscReal) * sp->nlocal, "the lumped mass", &fd->mass));
  for (PetscInt k = 0; k < sp->ntypes; k++) {
    PetscCall(upload_tiles(fd, &sp->cells[k], &fd->type[k]));
    PetscCall(make_program(fd, &sp->cells[k], &fd->type[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_type(RhxDevice device, Type *type)
{
  void *const all[] = {type->tile,   type->node,         type->coord,        type->start, type->entry,
                       type->member, type->gather_start, type->gather_entry, type->part};
  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) PetscCall(RhxDeviceFree(device, all[i]));
  PetscCall(RhxTilesDestroy(&type->tiles));
  PetscCall(RhxDeviceProgramDestroy(&type->program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceDestroy(RhxFormDevice *fd)
{
  PetscFunctionBegin;
  if (!*fd) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < (*fd)->ntypes; k++) PetscCall(destroy_type((*fd)->device, &(*fd)->type[k]));
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

/* Bytes of shared memory of a block: rows of the nodes (position, then the fields) and of the results, of odd width; in
 * quads and hexes the second take the place of the first. */
static size_t shared_bytes(const Type *type, PetscInt dim, PetscInt in, PetscInt out)
{
  const size_t row = (size_t)((dim + in) | 1) * type->tiles.most, result = (size_t)(out | 1) * type->tiles.slots;
  return sizeof(double) * (type->nn == 1 << dim ? PetscMax(row, result) : row + result);
}

static PetscErrorCode launch(RhxFormDevice fd, RhxDeviceFunction function, size_t n, void **arguments)
{
  const RhxLaunch shape = {{(unsigned)((n + THREADS - 1) / THREADS)}, {THREADS}, 0};
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunch(fd->device, function, shape, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs a kernel over the elements of every type into `out`, which is zeroed first; in, out: components a node. */
static PetscErrorCode run(RhxFormDevice fd, Kernel kernel, DevicePass pass, PetscInt in, PetscInt out)
{
  const RhxSpace sp = fd->form->space;
  const RhxAssembly assembly = fd->form->assembly;
  void *const result = pass.out;
  int n = (int)(sp->nlocal * out), width = (int)out;
  PetscFunctionBegin;
  pass.rho = fd->form->rho;
  pass.convection = fd->form->convection;
  pass.assembly = assembly == RHX_ASSEMBLY_ATOMIC ? 0 : assembly == RHX_ASSEMBLY_COLOUR ? 1 : 2;
  PetscCall(RhxDeviceZero(fd->device, result, sizeof(double) * n));
  for (PetscInt k = 0; k < fd->ntypes; k++) {
    Type *type = &fd->type[k];
    const RhxTiles *ti = &type->tiles;
    pass.tile = type->tile;
    pass.node = type->node;
    pass.coord = type->coord;
    pass.start = type->start;
    pass.entry = type->entry;
    pass.member = type->member;
    if (assembly == RHX_ASSEMBLY_OWNER) pass.out = type->part;
    for (PetscInt i = 0; i < ti->nlaunches; i++) {
      RhxLaunch shape = {{(unsigned)(ti->launch[i + 1] - ti->launch[i])},
                         {type->threads},
                         (unsigned)shared_bytes(type, sp->dim, in, out)};
      pass.first = (int)ti->launch[i];
      PetscCall(RhxDeviceLaunch(fd->device, type->kernel[kernel], shape, RHX_ARGUMENTS(&pass)));
    }
    if (assembly == RHX_ASSEMBLY_OWNER)
      PetscCall(
          launch(fd, type->gather, n,
                 RHX_ARGUMENTS(&n, &width, &type->gather_start, &type->gather_entry, &type->part, (void *)&result)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceProject(RhxFormDevice fd, const void *clock, const void *x, const void *source, void *aux)
{
  const RhxSpace sp = fd->form->space;
  int n = (int)(sp->nlocal * fd->form->naux), width = (int)fd->form->naux;
  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run(fd, KERNEL_PROJECT, (DevicePass){.x = x, .source = source, .out = aux, .clock = clock},
                sp->bs * (1 + fd->source), width));
  PetscCall(launch(fd, fd->type[0].divide, n, RHX_ARGUMENTS(&n, &width, &fd->mass, &aux)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceResidual(RhxFormDevice fd, const void *clock, const void *x, const void *xdot,
                                     const void *aux, const void *source, void *r, void *stats)
{
  const RhxForm form = fd->form;
  const PetscInt bs = form->space->bs;
  DevicePass pass = {.x = x, .xdot = xdot, .aux = aux, .source = source, .out = r, .clock = clock, .stats = stats};
  PetscFunctionBegin;
  if (stats) PetscCall(RhxDeviceZero(fd->device, stats, sizeof(RhxFormStats)));
  PetscCall(run(fd, stats ? KERNEL_RESIDUAL_STATS : KERNEL_RESIDUAL, pass,
                bs * (1 + fd->source + fd->rate) + form->naux, bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceDivergence(RhxFormDevice fd, const void *u, void *r)
{
  PetscFunctionBegin;
  PetscCall(run(fd, KERNEL_DIVERGENCE, (DevicePass){.x = u, .out = r}, fd->form->space->dim, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceGradient(RhxFormDevice fd, const void *phi, void *r)
{
  PetscFunctionBegin;
  PetscCall(run(fd, KERNEL_GRADIENT, (DevicePass){.x = phi, .out = r}, 1, fd->form->space->dim));
  PetscFunctionReturn(PETSC_SUCCESS);
}
