#include "form/cuda/passes.h"
#include "form/cuda/log.h"
#include "form/cuda/size.h"
#include "form/cuda/source.h"
#include "kernels/pass.h"
#include "petsc_compat.h"

#define ELEMENT "kernels/element.cuh"
#define NUMBER "kernels/real.cuh"
#define THREADS 256 /* of the kernels that work on nodes */

typedef enum {
  KERNEL_RESIDUAL,
  KERNEL_RESIDUAL_STATS,
  KERNEL_PROJECT,
  KERNEL_FLOW, /* of a cut form, in the order of those of all */
  KERNEL_FLOW_STATS,
  KERNEL_FLOW_PROJECT,
  KERNEL_MODE,
  KERNEL_MODE_STATS,
  KERNEL_MODE_PROJECT,
  KERNEL_DIVERGENCE,
  KERNEL_GRADIENT,
  NKERNELS
} Kernel;
static const char *const kernel_name[] = {"rhx_residual",
                                          "rhx_residual_stats",
                                          "rhx_project",
                                          "rhx_flow_residual",
                                          "rhx_flow_residual_stats",
                                          "rhx_flow_project",
                                          "rhx_mode_residual",
                                          "rhx_mode_residual_stats",
                                          "rhx_mode_project",
                                          "rhx_divergence",
                                          "rhx_gradient"};

typedef struct {
  RhxDeviceProgram program;
  RhxDeviceFunction kernel[NKERNELS];
  int resident[NKERNELS]; /* blocks that the device holds at a time; 0: not asked yet */
} Program;

/* One cell type. */
typedef struct {
  PetscInt size, slots, most, nlaunches, *launch; /* of its tiles */
  unsigned threads;
  PetscBool short_lived; /* a block a tile in residuals */
  PetscBool cut;         /* passes of the modes and one of the flow */
  size_t nnodes;         /* of the tiles */
  void *sums;            /* what modes leave at the points, of a cut form */
  size_t stride;
  void *record;
  void *gather_start, *gather_entry, *part; /* assembly by owner: a node's tile nodes; their sums */
  Program all, some[RHX_ROWS_ALL];          /* of every row, and residuals of some, made when they are asked for */
  RhxDeviceFunction gather;
} Type;

struct _p_RhxFormDevice {
  RhxForm form; /* borrowed, as the device */
  RhxDevice device;
  PetscBool rate, source;
  PetscInt ntypes;
  Type *type;
  void *inverse_mass; /* [nlocal] of projections */
};

static PetscErrorCode upload_gather_list(RhxFormDevice fd, const RhxTiles *tiles, Type *type)
{
  const PetscInt nlocal = fd->form->space->nlocal, width = PetscMax(fd->form->space->bs, fd->form->naux);
  const size_t n = tiles->nnodes;
  int *start, *entry;
  PetscFunctionBegin;
  PetscCall(RhxTilesGatherList(tiles, nlocal, &start, &entry));
  PetscCall(RhxDeviceUpload(fd->device, start, sizeof(int) * (nlocal + 1), "the gather lists", &type->gather_start));
  PetscCall(RhxDeviceUpload(fd->device, entry, sizeof(int) * n, "the gather lists", &type->gather_entry));
  PetscCall(RhxDeviceMalloc(fd->device, sizeof(double) * n * width, "the parts of the residual", &type->part));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode upload_tiles(RhxFormDevice fd, const RhxCells *ce, Type *type)
{
  const PetscInt dim = fd->form->space->dim;
  const RhxDeviceState *state;
  RhxTiles tiles;
  char *records;
  PetscFunctionBegin;
  PetscCall(RhxDeviceGetState(fd->device, &state));
  PetscCall(RhxElementTiles(fd->form, ce, fd->rate, fd->source, state->shared, state->name, &tiles));
  type->size = tiles.size;
  type->threads = (unsigned)(ce->nn == 1 << dim ? tiles.slots : tiles.size);
  type->short_lived = (PetscBool)(ce->nn == 1 << dim && !fd->form->naux);
  type->slots = tiles.slots;
  type->most = tiles.most;
  type->nlaunches = tiles.nlaunches;
  type->cut = RhxElementCut(fd->form, ce);
  type->nnodes = tiles.nnodes;
  if (type->cut)
    PetscCall(RhxDeviceMalloc(
        fd->device,
        sizeof(double) * tiles.ntiles *
            RhxElementSums(fd->form, ce->nn == 1 << dim || fd->form->centroid ? 1 : ce->nn, type->threads),
        "the stresses of the modes", &type->sums));
  PetscCall(PetscMalloc1(tiles.nlaunches + 1, &type->launch));
  PetscCall(PetscArraycpy(type->launch, tiles.launch, tiles.nlaunches + 1));
  PetscCall(RhxTilesPack(&tiles, dim, &type->stride, &records));
  PetscCall(RhxDeviceUpload(fd->device, records, type->stride * tiles.ntiles, "the tiles", &type->record));
  if (fd->form->assembly == RHX_ASSEMBLY_OWNER) PetscCall(upload_gather_list(fd, &tiles, type));
  PetscCall(PetscFree(records));
  PetscCall(RhxTilesDestroy(&tiles));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ones where the consistent mass takes the sums as they are. */
static PetscErrorCode upload_inverse_mass(RhxFormDevice fd)
{
  const RhxSpace sp = fd->form->space;
  PetscReal *inverse;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sp->nlocal, &inverse));
  for (PetscInt i = 0; i < sp->nlocal; i++) inverse[i] = fd->form->projection ? 1.0 : 1.0 / sp->mass[i];
  PetscCall(RhxDeviceUpload(fd->device, inverse, sizeof(*inverse) * sp->nlocal, "the lumped mass", &fd->inverse_mass));
  PetscCall(PetscFree(inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_kernel(Program *program, Kernel kernel)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceProgramGetFunction(program->program, kernel_name[kernel], &program->kernel[kernel]));
  PetscCall(RhxDeviceFunctionPreferShared(program->kernel[kernel]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool has_kernel(RhxForm form, PetscBool cut, Kernel kernel)
{
  const PetscBool whole = (PetscBool)(kernel <= KERNEL_PROJECT);
  if (kernel >= KERNEL_DIVERGENCE) return PETSC_TRUE;
  if (cut == whole) return PETSC_FALSE;
  return (PetscBool)(kernel == KERNEL_PROJECT        ? form->naux > 0
                     : kernel == KERNEL_FLOW_PROJECT ? form->naux_flow > 0
                     : kernel == KERNEL_MODE_PROJECT ? form->naux_mode > 0
                                                     : 1);
}

/* For tiles of so many elements. */
static PetscErrorCode create_source(RhxForm form, const RhxCells *ce, PetscInt size, PetscBool rate, PetscBool source,
                                    RhxDeviceSource *text)
{
  PetscFunctionBegin;
  PetscCall(RhxFormDeviceSourceIn(form, ce, rate, source, NUMBER, ELEMENT, text));
  PetscCall(RhxElementOptions(form, ce, size, source, *text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceCompile(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate,
                                    PetscBool source, RhxDeviceBinary *binary)
{
  RhxDeviceSource text;
  RhxTiles tiles;
  PetscFunctionBegin;
  PetscCall(RhxElementTiles(form, cells, rate, source, RhxDeviceSharedOf(arch), arch, &tiles));
  PetscCall(create_source(form, cells, tiles.size, rate, source, &text));
  PetscCall(RhxTilesDestroy(&tiles));
  PetscCall(RhxDeviceCompile(form->comm, arch, text, binary));
  PetscCall(RhxDeviceSourceDestroy(&text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* That of some rows holds residuals alone. */
static PetscErrorCode make_program(RhxFormDevice fd, const RhxCells *ce, PetscInt size, unsigned rows, Program *program)
{
  RhxDeviceSource text;
  char option[32];
  PetscFunctionBegin;
  PetscCall(create_source(fd->form, ce, size, fd->rate, fd->source, &text));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-DRHX_ROWS=%u", rows));
  if (rows != RHX_ROWS_ALL) PetscCall(RhxDeviceSourceAddOption(text, option));
  PetscCall(RhxDeviceProgramCreate(fd->device, text, &program->program));
  PetscCall(RhxDeviceSourceDestroy(&text));
  for (int i = 0; i < (rows == RHX_ROWS_ALL ? NKERNELS : KERNEL_PROJECT); i++)
    if (has_kernel(fd->form, RhxElementCut(fd->form, ce), (Kernel)i)) PetscCall(get_kernel(program, (Kernel)i));
  PetscCall(RhxFormDeviceSetParameters(fd->form, fd->device, program->program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_type(RhxFormDevice fd, const RhxCells *ce, Type *type)
{
  PetscFunctionBegin;
  PetscCall(make_program(fd, ce, type->size, RHX_ROWS_ALL, &type->all));
  PetscCall(RhxDeviceProgramGetFunction(type->all.program, "rhx_gather", &type->gather));
  PetscCall(RhxDeviceFunctionPreferShared(type->gather));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All cell types but the first: its program is compiled meanwhile. */
static PetscErrorCode compile_ahead(RhxFormDevice fd)
{
  char arch[RHX_DEVICE_ARCH];
  RhxDeviceSource text;
  PetscFunctionBegin;
  PetscCall(RhxDeviceGetArch(fd->device, arch));
  for (PetscInt k = 1; k < fd->ntypes; k++) {
    PetscCall(create_source(fd->form, &fd->form->space->cells[k], fd->type[k].size, fd->rate, fd->source, &text));
    PetscCall(RhxDeviceCompile(fd->form->comm, arch, text, NULL));
    PetscCall(RhxDeviceSourceDestroy(&text));
  }
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
  PetscCall(upload_inverse_mass(fd));
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(upload_tiles(fd, &sp->cells[k], &fd->type[k]));
  PetscCall(compile_ahead(fd));
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(make_type(fd, &sp->cells[k], &fd->type[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_type(RhxDevice device, Type *type)
{
  void *const all[] = {type->record, type->gather_start, type->gather_entry, type->part, type->sums};
  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) PetscCall(RhxDeviceFree(device, all[i]));
  PetscCall(PetscFree(type->launch));
  PetscCall(RhxDeviceProgramDestroy(&type->all.program));
  for (unsigned k = 0; k < RHX_ROWS_ALL; k++) PetscCall(RhxDeviceProgramDestroy(&type->some[k].program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceDestroy(RhxFormDevice *fd)
{
  PetscFunctionBegin;
  if (!*fd) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < (*fd)->ntypes; k++) PetscCall(destroy_type((*fd)->device, &(*fd)->type[k]));
  PetscCall(RhxDeviceFree((*fd)->device, (*fd)->inverse_mass));
  PetscCall(PetscFree((*fd)->type));
  PetscCall(PetscFree(*fd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceView(RhxFormDevice fd, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < fd->ntypes; k++) {
    const RhxDeviceBinary *binary;
    PetscCall(RhxDeviceProgramGetBinary(fd->type[k].all.program, &binary));
    PetscCall(RhxElementView(fd->form, &fd->form->space->cells[k], viewer));
    PetscCall(RhxDeviceBinaryView(binary, viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode launch(RhxFormDevice fd, RhxDeviceFunction function, size_t n, void **arguments)
{
  const RhxLaunch shape = {{(unsigned)((n + THREADS - 1) / THREADS)}, {THREADS}, 0};
  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunchOverlapped(fd->device, function, shape, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many blocks as the device holds at a time. Where a point's work is small, a block a tile is faster, by measurement: more
 * warps are at different stages. */
static PetscErrorCode launch_tiles(RhxFormDevice fd, const Type *type, Program *program, Kernel kernel,
                                   RhxDevicePass *pass, size_t shared)
{
  const int tiles = pass->last - pass->first;
  const RhxDeviceState *state;
  RhxLaunch shape = {{0}, {type->threads}, (unsigned)shared};
  PetscFunctionBegin;
  if (!program->resident[kernel]) {
    PetscCall(RhxDeviceGetState(fd->device, &state));
    PetscCall(RhxDeviceFunctionGetResident(program->kernel[kernel], type->threads, shared, &program->resident[kernel]));
    program->resident[kernel] = PetscMax(1, program->resident[kernel]) * state->multiprocessors;
  }
  shape.grid[0] =
      (unsigned)(type->short_lived && kernel == KERNEL_RESIDUAL ? tiles : PetscMin(tiles, program->resident[kernel]));
  PetscCall(RhxDeviceLaunchOverlapped(fd->device, program->kernel[kernel], shape, RHX_ARGUMENTS(pass)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One kernel over the elements of a type; the first that has any sees to pass->zero. */
static PetscErrorCode run_kernel(RhxFormDevice fd, const Type *type, Program *program, Kernel kernel,
                                 RhxElementWidth width, RhxDevicePass *pass)
{
  const size_t shared = RhxElementShared(type->stride, type->most, type->slots, width.in, width.out);
  PetscFunctionBegin;
  for (PetscInt i = 0; i < type->nlaunches; i++) {
    pass->first = (int)type->launch[i];
    pass->last = (int)type->launch[i + 1];
    PetscCall(launch_tiles(fd, type, program, kernel, pass, shared));
    if (pass->last > pass->first) pass->nzero = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RhxElementWidth width_of(RhxFormDevice fd, Kernel kernel, RhxElementPart part)
{
  if (kernel == KERNEL_PROJECT) return RhxElementProject(fd->form, part, fd->source);
  if (kernel < KERNEL_PROJECT) return RhxElementResidual(fd->form, part, fd->rate, fd->source);
  const PetscInt dim = fd->form->space->dim;
  return kernel == KERNEL_DIVERGENCE ? (RhxElementWidth){dim + dim % 2, 1} : (RhxElementWidth){2, dim};
}

/* The passes of a cut form in the place of a kernel of all: the flow reads what the modes leave at the points. */
static PetscErrorCode run_cut(RhxFormDevice fd, Type *type, Kernel kernel, RhxDevicePass *pass)
{
  const RhxForm form = fd->form;
  const Kernel flow = KERNEL_FLOW + kernel, mode = KERNEL_MODE + kernel;
  const PetscBool skip = (PetscBool)(kernel == KERNEL_RESIDUAL && !(pass->rows & RHX_ROWS_FLOW));
  PetscFunctionBegin;
  pass->sums = type->sums;
  if (pass->rows != RHX_ROWS_ALL && form->assembly == RHX_ASSEMBLY_OWNER)
    PetscCall(RhxDeviceZero(fd->device, type->part, sizeof(double) * type->nnodes * form->space->bs));
  for (pass->mode = 0; pass->mode < (type->all.kernel[mode] ? form->nmodes : 0); pass->mode++)
    PetscCall(run_kernel(fd, type, &type->all, mode, width_of(fd, kernel, RHX_ELEMENT_MODE), pass));
  if (type->all.kernel[flow] && !skip)
    PetscCall(run_kernel(fd, type, &type->all, flow, width_of(fd, kernel, RHX_ELEMENT_FLOW), pass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_type(RhxFormDevice fd, PetscInt k, Kernel kernel, RhxDevicePass *pass)
{
  Type *type = &fd->type[k];
  Program *program = pass->rows == RHX_ROWS_ALL ? &type->all : &type->some[pass->rows];
  PetscFunctionBegin;
  pass->record = type->record;
  pass->stride = (int)type->stride;
  pass->most = (int)type->most;
  if (type->cut && kernel <= KERNEL_PROJECT) {
    PetscCall(run_cut(fd, type, kernel, pass));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!program->program)
    PetscCall(make_program(fd, &fd->form->space->cells[k], type->size, (unsigned)pass->rows, program));
  PetscCall(run_kernel(fd, type, program, kernel, width_of(fd, kernel, RHX_ELEMENT_ALL), pass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs a kernel over the elements of every type into `out`; rows: of a residual. */
static PetscErrorCode run(RhxFormDevice fd, Kernel kernel, unsigned rows, RhxDevicePass pass, RhxZero zero)
{
  const RhxSpace sp = fd->form->space;
  const RhxAssembly assembly = fd->form->assembly;
  double *const result = pass.out;
  int out = (int)width_of(fd, kernel, RHX_ELEMENT_ALL).out, n = (int)(sp->nlocal * out);
  PetscFunctionBegin;
  pass.rho = fd->form->rho;
  pass.convection = fd->form->convection;
  pass.assembly = assembly == RHX_ASSEMBLY_ATOMIC   ? RHX_ASSEMBLE_ATOMIC
                  : assembly == RHX_ASSEMBLY_COLOUR ? RHX_ASSEMBLE_PLAIN
                                                    : RHX_ASSEMBLE_STORE;
  pass.zero = zero.array;
  pass.nzero = (int)zero.n;
  pass.rows = (int)rows;
  for (PetscInt k = 0; k < fd->ntypes; k++) {
    Type *type = &fd->type[k];
    if (assembly == RHX_ASSEMBLY_OWNER) pass.out = type->part;
    PetscCall(run_type(fd, k, kernel, &pass));
    if (assembly == RHX_ASSEMBLY_OWNER)
      PetscCall(
          launch(fd, type->gather, n,
                 RHX_ARGUMENTS(&n, &out, &type->gather_start, &type->gather_entry, &type->part, (void *)&result)));
  }
  if (pass.nzero) PetscCall(RhxDeviceZero(fd->device, zero.array, sizeof(double) * zero.n)); /* no elements here */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceProject(RhxFormDevice fd, const void *clock, const void *x, const void *source, void *aux,
                                    RhxZero zero)
{
  const RhxDevicePass pass = {.x = x, .source = source, .out = aux, .clock = clock, .scale = fd->inverse_mass};
  PetscFunctionBegin;
  if (!fd->form->naux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run(fd, KERNEL_PROJECT, RHX_ROWS_ALL, pass, zero));
  PetscCall(RhxFormDeviceLogPass(&(RhxPass){.form = fd->form}, RHX_PASS_PROJECT, fd->device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceResidual(RhxFormDevice fd, unsigned rows, const void *clock, const void *x,
                                     const void *xdot, const void *aux, const void *source, void *r, void *stats,
                                     RhxZero zero)
{
  RhxDevicePass pass = {.x = x, .xdot = xdot, .aux = aux, .source = source, .out = r, .clock = clock, .stats = stats};
  RhxFormStats any;
  const RhxPass counted = {.form = fd->form,
                           .rows = rows,
                           .xdot = fd->rate ? (const PetscScalar *)xdot : NULL,
                           .aux = fd->form->naux ? (const PetscScalar *)aux : NULL,
                           .stats = stats ? &any : NULL};
  PetscFunctionBegin;
  PetscCall(run(fd, stats ? KERNEL_RESIDUAL_STATS : KERNEL_RESIDUAL, rows, pass, zero));
  PetscCall(RhxFormDeviceLogPass(&counted, RHX_PASS_RESIDUAL, fd->device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceDivergence(RhxFormDevice fd, const void *u, void *r)
{
  PetscFunctionBegin;
  PetscCall(run(fd, KERNEL_DIVERGENCE, RHX_ROWS_ALL, (RhxDevicePass){.x = u, .out = r}, RHX_NO_ZERO));
  PetscCall(RhxFormDeviceLogPass(&(RhxPass){.form = fd->form}, RHX_PASS_DIVERGENCE, fd->device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceGradient(RhxFormDevice fd, const void *phi, void *r)
{
  PetscFunctionBegin;
  PetscCall(run(fd, KERNEL_GRADIENT, RHX_ROWS_ALL, (RhxDevicePass){.x = phi, .out = r}, RHX_NO_ZERO));
  PetscCall(RhxFormDeviceLogPass(&(RhxPass){.form = fd->form}, RHX_PASS_GRADIENT, fd->device));
  PetscFunctionReturn(PETSC_SUCCESS);
}
