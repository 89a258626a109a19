#include "form/cuda/passes.h"
#include "form/cuda/log.h"
#include "form/cuda/plan.h"
#include "form/cuda/source.h"
#include "form/inside_impl.h"
#include "form/patch.h"
#include "kernels/pass.h"
#include "petsc_compat.h"

#define THREADS 256 /* of the kernels that work on nodes */

#define MOST_RESIDENT 8 /* blocks of a multiprocessor over simplices by turns: they have room for their sums */

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

typedef struct {
  RhxDeviceProgram program;
  RhxDeviceFunction kernel[NKERNELS];
  int resident[NKERNELS]; /* blocks that the device holds at a time; 0: not asked yet */
} Program;

/* Those of a cell type's elements, or of some of them. */
typedef struct {
  PetscInt slots, most, nlaunches, *launch;
  size_t nnodes; /* of all tiles */
  void *sums;    /* what modes leave at the points by turns, in simplices */
  size_t stride;
  void *record;
  void *gather_start, *gather_entry, *part; /* assembly by owner: a node's tile nodes; their sums */
} Tiles;

/* One cell type. */
typedef struct {
  PetscInt size; /* elements of a tile */
  unsigned threads;
  PetscBool short_lived; /* a block a tile in residuals */
  int most_resident;     /* blocks of a launch, where there is such a bound */
  RhxElementPlan plan;
  Tiles tiles;
  Program all, some[RHX_ROWS_ALL]; /* of every row, and residuals of some, made when they are asked for */
  RhxDeviceFunction gather;
} Type;

/* A patch that a pass has been asked for: tiles of its elements. */
typedef struct Patch {
  RhxPatch patch;            /* borrowed */
  Tiles *residual, *project; /* [ntypes]; NULL: those of all */
  struct Patch *next;
} Patch;

struct _p_RhxFormDevice {
  RhxForm form; /* borrowed, as the device */
  RhxDevice device;
  PetscBool rate, source;
  PetscInt ntypes;
  Type *type;
  Patch *patches;     /* list */
  void *inverse_mass; /* [nlocal] of projections */
};

static PetscErrorCode upload_gather_list(RhxFormDevice fd, const RhxTiles *tiles, Tiles *out)
{
  const PetscInt nlocal = fd->form->space->nlocal, width = PetscMax(fd->form->space->bs, fd->form->naux);
  const size_t n = tiles->nnodes;
  int *start, *entry;
  PetscFunctionBegin;
  PetscCall(RhxTilesGatherList(tiles, nlocal, &start, &entry));
  PetscCall(RhxDeviceUpload(fd->device, start, sizeof(int) * (nlocal + 1), "the gather lists", &out->gather_start));
  PetscCall(RhxDeviceUpload(fd->device, entry, sizeof(int) * n, "the gather lists", &out->gather_entry));
  PetscCall(RhxDeviceMalloc(fd->device, sizeof(double) * n * width, "the parts of the residual", &out->part));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode upload_tiles(RhxFormDevice fd, const RhxCells *ce, const Type *type, const RhxTiles *tiles,
                                   Tiles *out)
{
  const PetscInt dim = fd->form->space->dim;
  char *records;
  PetscFunctionBegin;
  out->slots = tiles->slots;
  out->most = tiles->most;
  out->nlaunches = tiles->nlaunches;
  out->nnodes = tiles->nnodes;
  if (type->most_resident) {
    const size_t one = RhxElementSums(fd->form, fd->form->centroid ? 1 : ce->nn, type->threads);
    PetscCall(RhxDeviceMalloc(fd->device, sizeof(double) * one * PetscMin(tiles->ntiles, type->most_resident),
                              "the stresses of the modes", &out->sums));
  }
  PetscCall(PetscMalloc1(tiles->nlaunches + 1, &out->launch));
  PetscCall(PetscArraycpy(out->launch, tiles->launch, tiles->nlaunches + 1));
  PetscCall(RhxTilesPack(tiles, dim, &out->stride, &records));
  PetscCall(RhxDeviceUpload(fd->device, records, out->stride * tiles->ntiles, "the tiles", &out->record));
  if (fd->form->assembly == RHX_ASSEMBLY_OWNER) PetscCall(upload_gather_list(fd, tiles, out));
  PetscCall(PetscFree(records));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_tiles(RhxFormDevice fd, const RhxCells *ce, Type *type)
{
  const PetscBool product = (PetscBool)(ce->nn == 1 << fd->form->space->dim);
  const RhxDeviceState *state;
  char arch[RHX_DEVICE_ARCH];
  PetscBool turns;
  RhxTiles tiles;
  PetscFunctionBegin;
  PetscCall(RhxDeviceGetState(fd->device, &state));
  PetscCall(RhxDeviceGetArch(fd->device, arch));
  PetscCall(RhxElementPlanFind(fd->form, ce, arch, fd->rate, fd->source, &type->plan));
  turns = (PetscBool)(type->plan.passes == RHX_PASSES_TURNS);
  PetscCall(RhxElementTiles(fd->form, ce, type->plan.passes, fd->rate, fd->source, state->shared, state->name, &tiles));
  type->size = tiles.size;
  type->threads = (unsigned)(product ? tiles.slots : tiles.size);
  type->short_lived = (PetscBool)(product && !fd->form->naux && !turns);
  type->most_resident = turns && !product ? MOST_RESIDENT * state->multiprocessors : 0;
  PetscCall(upload_tiles(fd, ce, type, &tiles, &type->tiles));
  PetscCall(RhxTilesDestroy(&tiles));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_tiles(RhxDevice device, Tiles *tiles)
{
  void *const all[] = {tiles->record, tiles->gather_start, tiles->gather_entry, tiles->part, tiles->sums};
  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) PetscCall(RhxDeviceFree(device, all[i]));
  PetscCall(PetscFree(tiles->launch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ones where the consistent mass takes the sums as they are. */
static PetscErrorCode upload_inverse_mass(RhxFormDevice fd)
{
  const RhxSpace sp = fd->form->space;
  const PetscBool consistent = RhxFormIsConsistent(fd->form);
  PetscReal *inverse;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sp->nlocal, &inverse));
  for (PetscInt i = 0; i < sp->nlocal; i++) inverse[i] = consistent ? 1.0 : 1.0 / sp->mass[i];
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

PetscErrorCode RhxFormDeviceCompile(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate,
                                    PetscBool source, RhxElementPlan *plan, RhxDeviceBinary *binary)
{
  RhxDeviceSource text;
  RhxTiles tiles;
  PetscFunctionBegin;
  PetscCall(RhxElementPlanFind(form, cells, arch, rate, source, plan));
  PetscCall(RhxElementTiles(form, cells, plan->passes, rate, source, RhxDeviceSharedOf(arch), arch, &tiles));
  PetscCall(RhxElementSource(form, cells, plan, tiles.size, rate, source, &text));
  PetscCall(RhxTilesDestroy(&tiles));
  PetscCall(RhxDeviceCompile(form->comm, arch, text, binary));
  PetscCall(RhxDeviceSourceDestroy(&text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* That of some rows holds residuals alone. */
static PetscErrorCode make_program(RhxFormDevice fd, const RhxCells *ce, const Type *type, unsigned rows,
                                   Program *program)
{
  RhxDeviceSource text;
  char option[32];
  PetscFunctionBegin;
  PetscCall(RhxElementSource(fd->form, ce, &type->plan, type->size, fd->rate, fd->source, &text));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-DRHX_ROWS=%u", rows));
  if (rows != RHX_ROWS_ALL) PetscCall(RhxDeviceSourceAddOption(text, option));
  PetscCall(RhxDeviceProgramCreate(fd->device, text, &program->program));
  PetscCall(RhxDeviceSourceDestroy(&text));
  for (int i = 0; i < (rows == RHX_ROWS_ALL ? NKERNELS : KERNEL_PROJECT); i++)
    if (i != KERNEL_PROJECT || fd->form->naux) PetscCall(get_kernel(program, (Kernel)i));
  PetscCall(RhxFormDeviceSetParameters(fd->form, fd->device, program->program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_type(RhxFormDevice fd, const RhxCells *ce, Type *type)
{
  PetscFunctionBegin;
  PetscCall(make_program(fd, ce, type, RHX_ROWS_ALL, &type->all));
  PetscCall(RhxDeviceProgramGetFunction(type->all.program, "rhx_gather", &type->gather));
  PetscCall(RhxDeviceFunctionPreferShared(type->gather));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceCreate(RhxForm form, RhxDevice device, PetscBool rate, PetscBool source, RhxFormDevice *out)
{
  const RhxSpace sp = form->space;
  char arch[RHX_DEVICE_ARCH];
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
  PetscCall(RhxDeviceGetArch(device, arch));
  PetscCall(RhxElementPlansBegin(form, arch, rate, source));
  for (PetscInt k = 0; k < sp->ntypes; k++) {
    PetscCall(make_tiles(fd, &sp->cells[k], &fd->type[k]));
    PetscCall(RhxElementPlanView(form, &sp->cells[k], &fd->type[k].plan, PETSC_VIEWER_STDOUT_(form->comm)));
  }
  for (PetscInt k = 0; k < sp->ntypes; k++) PetscCall(make_type(fd, &sp->cells[k], &fd->type[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_type(RhxFormDevice fd, Type *type)
{
  PetscFunctionBegin;
  PetscCall(free_tiles(fd->device, &type->tiles));
  PetscCall(RhxFormDeviceDestroyProgram(fd->form, &type->all.program));
  for (unsigned k = 0; k < RHX_ROWS_ALL; k++) PetscCall(RhxFormDeviceDestroyProgram(fd->form, &type->some[k].program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_all_tiles(RhxFormDevice fd, Tiles **tiles)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; *tiles && k < fd->ntypes; k++) PetscCall(free_tiles(fd->device, &(*tiles)[k]));
  PetscCall(PetscFree(*tiles));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the size that the type's program is for. Elements of a patch share fewer nodes than all of them: where its tiles need more
 * shared memory than there is, on any rank, it has none. Collective. */
static PetscErrorCode make_patch_tiles(RhxFormDevice fd, const RhxCells *cells, Tiles **out)
{
  const PetscBool colours = (PetscBool)(fd->form->assembly == RHX_ASSEMBLY_COLOUR);
  const RhxDeviceState *state;
  RhxTiles *tiles;
  int fit = 1;
  PetscFunctionBegin;
  if (!cells) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceGetState(fd->device, &state));
  PetscCall(PetscCalloc1(fd->ntypes, &tiles));
  for (PetscInt k = 0; k < fd->ntypes; k++) {
    PetscCall(RhxTilesCreate(fd->form->space, &cells[k], fd->type[k].size, colours, &tiles[k]));
    fit = fit &&
          RhxElementNeeds(fd->form, fd->type[k].plan.passes, &tiles[k], fd->rate, fd->source) <= (size_t)state->shared;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &fit, 1, MPI_INT, MPI_MIN, fd->form->comm));
  if (fit) PetscCall(PetscCalloc1(fd->ntypes, out));
  for (PetscInt k = 0; k < fd->ntypes; k++) {
    if (fit) PetscCall(upload_tiles(fd, &cells[k], &fd->type[k], &tiles[k], &(*out)[k]));
    PetscCall(RhxTilesDestroy(&tiles[k]));
  }
  PetscCall(PetscFree(tiles));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* tiles[ntypes] of the elements that a pass takes; NULL: of all. */
static PetscErrorCode find_tiles(RhxFormDevice fd, Kernel kernel, Tiles **tiles)
{
  const RhxPatch patch = fd->form->in->patch;
  Patch *p = fd->patches;
  PetscFunctionBegin;
  *tiles = NULL;
  if (!patch || kernel > KERNEL_PROJECT) PetscFunctionReturn(PETSC_SUCCESS);
  while (p && p->patch != patch) p = p->next;
  if (!p) {
    PetscCall(PetscNew(&p));
    *p = (Patch){.patch = patch, .next = fd->patches};
    fd->patches = p;
    PetscCall(make_patch_tiles(fd, patch->residual, &p->residual));
    PetscCall(make_patch_tiles(fd, patch->project, &p->project));
  }
  *tiles = kernel == KERNEL_PROJECT ? p->project : p->residual;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_patches(RhxFormDevice fd)
{
  PetscFunctionBegin;
  while (fd->patches) {
    Patch *p = fd->patches;
    fd->patches = p->next;
    PetscCall(free_all_tiles(fd, &p->residual));
    PetscCall(free_all_tiles(fd, &p->project));
    PetscCall(PetscFree(p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceDestroy(RhxFormDevice *fd)
{
  PetscFunctionBegin;
  if (!*fd) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(destroy_patches(*fd));
  for (PetscInt k = 0; k < (*fd)->ntypes; k++) PetscCall(destroy_type(*fd, &(*fd)->type[k]));
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
    if (type->most_resident) program->resident[kernel] = PetscMin(program->resident[kernel], type->most_resident);
  }
  shape.grid[0] =
      (unsigned)(type->short_lived && kernel == KERNEL_RESIDUAL ? tiles : PetscMin(tiles, program->resident[kernel]));
  PetscCall(RhxDeviceLaunchOverlapped(fd->device, program->kernel[kernel], shape, RHX_ARGUMENTS(pass)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One kernel over the elements of a type; the first that has any sees to pass->zero. */
static PetscErrorCode run_kernel(RhxFormDevice fd, const Type *type, const Tiles *tiles, Program *program,
                                 Kernel kernel, RhxElementWidth width, RhxDevicePass *pass)
{
  const size_t shared = RhxElementShared(tiles->stride, tiles->most, tiles->slots, width);
  PetscFunctionBegin;
  for (PetscInt i = 0; i < tiles->nlaunches; i++) {
    pass->first = (int)tiles->launch[i];
    pass->last = (int)tiles->launch[i + 1];
    PetscCall(launch_tiles(fd, type, program, kernel, pass, shared));
    if (pass->last > pass->first) pass->nzero = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RhxElementWidth width_of(RhxFormDevice fd, PetscInt nn, RhxPasses passes, Kernel kernel)
{
  if (kernel == KERNEL_PROJECT) return RhxElementProject(fd->form, passes, fd->source);
  if (kernel < KERNEL_PROJECT) return RhxElementResidual(fd->form, passes, nn, fd->rate, fd->source);
  const PetscInt dim = fd->form->space->dim;
  return kernel == KERNEL_DIVERGENCE ? (RhxElementWidth){dim + dim % 2, 1, 0} : (RhxElementWidth){2, dim, 0};
}

/* By turns not all rows of a tile are written unless all are asked for. */
static PetscErrorCode run_type(RhxFormDevice fd, PetscInt k, const Tiles *tiles, Kernel kernel, unsigned rows,
                               RhxDevicePass *pass)
{
  const RhxForm form = fd->form;
  const RhxCells *cells = &form->space->cells[k];
  Type *type = &fd->type[k];
  Program *program = rows == RHX_ROWS_ALL ? &type->all : &type->some[rows];
  const RhxPasses passes = type->plan.passes;
  PetscFunctionBegin;
  pass->record = tiles->record;
  pass->stride = (int)tiles->stride;
  pass->most = (int)tiles->most;
  pass->sums = tiles->sums;
  if (!program->program) PetscCall(make_program(fd, cells, type, rows, program));
  if (passes == RHX_PASSES_TURNS && rows != RHX_ROWS_ALL && form->assembly == RHX_ASSEMBLY_OWNER)
    PetscCall(RhxDeviceZero(fd->device, tiles->part, sizeof(double) * tiles->nnodes * form->space->bs));
  PetscCall(run_kernel(fd, type, tiles, program, kernel, width_of(fd, cells->nn, passes, kernel), pass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs a kernel over the elements of every type into `out`; rows: of a residual. */
static PetscErrorCode run(RhxFormDevice fd, Kernel kernel, unsigned rows, RhxDevicePass pass, RhxZero zero)
{
  const RhxSpace sp = fd->form->space;
  const RhxAssembly assembly = fd->form->assembly;
  double *const result = pass.out;
  Tiles *some;
  int out = (int)width_of(fd, 0, RHX_PASSES_ONE, kernel).out, n = (int)(sp->nlocal * out);
  PetscFunctionBegin;
  pass.rho = fd->form->rho;
  pass.convection = fd->form->convection;
  pass.assembly = assembly == RHX_ASSEMBLY_ATOMIC   ? RHX_ASSEMBLE_ATOMIC
                  : assembly == RHX_ASSEMBLY_COLOUR ? RHX_ASSEMBLE_PLAIN
                                                    : RHX_ASSEMBLE_STORE;
  pass.zero = zero.array;
  pass.nzero = (int)zero.n;
  PetscCall(find_tiles(fd, kernel, &some));
  for (PetscInt k = 0; k < fd->ntypes; k++) {
    const Type *type = &fd->type[k];
    Tiles *tiles = some ? &some[k] : &fd->type[k].tiles;
    if (assembly == RHX_ASSEMBLY_OWNER) pass.out = tiles->part;
    PetscCall(run_type(fd, k, tiles, kernel, rows, &pass));
    if (assembly == RHX_ASSEMBLY_OWNER)
      PetscCall(
          launch(fd, type->gather, n,
                 RHX_ARGUMENTS(&n, &out, &tiles->gather_start, &tiles->gather_entry, &tiles->part, (void *)&result)));
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
