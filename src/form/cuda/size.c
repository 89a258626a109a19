#include "form/cuda/size.h"
#include "form/inside_impl.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"

#define LARGEST 163840 /* bytes for nodes that no two elements share: the size of tiles on an H200, by measurement */

static PetscInt even(PetscInt width) { return width + width % 2; }

size_t RhxElementShared(size_t stride, PetscInt most, PetscInt slots, RhxElementWidth width)
{
  const size_t row = (size_t)(width.in / 2 | 1) * 2, result = (size_t)(even(width.out) / 2 | 1) * 2 + width.kept;
  return 3 * stride + sizeof(double) * (row * 2 * most + result * slots);
}

/* Components that a pass works on, those that are read beside them, auxiliary values. */
typedef struct {
  PetscInt own, flow, naux;
} Part;

static Part part_of(RhxForm form, RhxPasses passes)
{
  const RhxFields fields = form->space->fields;
  const PetscInt flow = RhxFieldsEnd(fields, RHX_GROUP_PRESSURE) - RhxFieldsStart(fields, RHX_GROUP_VELOCITY);
  const PetscInt more = form->nscalars, aux = more * form->naux_scalar; /* of the flow's turn, behind its own */
  if (passes == RHX_PASSES_ONE) return (Part){form->space->bs, 0, form->naux};
  return (Part){PetscMax(more ? even(flow) + more : flow, form->space->ntens), even(flow),
                PetscMax(aux ? even(form->naux_flow) + aux : form->naux_flow, form->naux_mode)};
}

/* The largest values of a thread where registers have no room: in space by turns, or of hexes in log c. A slot's. */
static PetscInt kept_of(RhxForm form, RhxPasses passes, PetscInt nn)
{
  const PetscInt n = (PetscInt)(sizeof(RhxFormStats) / sizeof(double));
  const PetscBool product = (PetscBool)(nn == 8), turns = (PetscBool)(passes == RHX_PASSES_TURNS);
  if (form->space->dim == 2) return 0;
  if (!turns && !(product && form->nmodes && form->representation == RHX_LOGCONF)) return 0;
  return product ? n : (n + nn - 1) / nn;
}

RhxElementWidth RhxElementResidual(RhxForm form, RhxPasses passes, PetscInt nn, PetscBool rate, PetscBool source)
{
  const Part p = part_of(form, passes);
  return (RhxElementWidth){p.flow + even(p.own) * (1 + source + rate) + even(p.naux), p.own, kept_of(form, passes, nn)};
}

RhxElementWidth RhxElementProject(RhxForm form, RhxPasses passes, PetscBool source)
{
  const Part p = part_of(form, passes);
  return (RhxElementWidth){p.flow + even(p.own) * (1 + source), p.naux, 0};
}

size_t RhxElementSums(RhxForm form, PetscInt points, PetscInt threads)
{
  const PetscInt at_point = form->space->ntens + 1 + (form->has_div_tau ? form->space->dim : 0), at_first = 4;
  return (size_t)(points * at_point + at_first) * threads;
}

static int is_product(RhxForm form, const RhxCells *cells) { return cells->nn == 1 << form->space->dim; }

#define LOG_REGISTERS 60 /* eigenvalues, eigenvectors, exp(s) and exp(-s) of a point */
/* Held by a thread: with more, what a point itself needs spills (ptxas, sm_90). A step by turns over one of all modes at once: hexes, one
 * mode, in stress 1.03, in log c .99, two modes in stress 1.05 (H100). Tets in a launch a mode, which is slower than turns (H200): log c,
 * one mode .70, in stress with projections .86, without 1.09. */
#define MOST_REGISTERS 140

PetscBool RhxElementMayTakeTurns(RhxForm form)
{
  return (PetscBool)(form->nmodes && form->swirl < 0 && !form->coupled && form->in->passes != RHX_PASSES_ONE &&
                     !RhxFormFindCoupled(form));
}

/* A thread holds a point's values and gradients; in simplices an element's gradients, sums and fluxes from point to point, and the
 * projections at the point, of which the registers of the others leave no room. In the plane the compiler tells (plan.c). */
static RhxPasses first_passes(RhxForm form, const RhxCells *cells)
{
  const int product = is_product(form, cells);
  const PetscInt dim = form->space->dim;
  const PetscInt held = form->space->bs * (product ? 1 + dim : 1 + 2 * dim) + (product ? 0 : form->naux);
  if (!RhxElementMayTakeTurns(form)) return RHX_PASSES_ONE;
  if (form->in->passes != RHX_PASSES_AUTO) return form->in->passes;
  return dim == 3 && 2 * held + (form->representation == RHX_LOGCONF ? LOG_REGISTERS : 0) > MOST_REGISTERS
             ? RHX_PASSES_TURNS
             : RHX_PASSES_ONE;
}

/* A warp of threads in quads and hexes. */
static PetscInt least_size(RhxForm form, const RhxCells *cells) { return is_product(form, cells) ? 32 / cells->nn : 1; }

/* 128 threads a block, 64 for simplices; fewer where the blocks of the nodes are large. */
PetscInt RhxElementUsualSize(RhxForm form, const RhxCells *cells, RhxPasses passes, PetscBool rate, PetscBool source)
{
  const PetscInt dim = form->space->dim;
  const Part p = part_of(form, passes);
  const PetscInt in = p.flow + p.own * (1 + rate + source) + p.naux;
  const PetscInt wide = 2 * (in + 6) + PetscMax(p.own, p.naux) + 3 + kept_of(form, passes, cells->nn);
  const size_t slot = sizeof(double) * wide + 3 * (sizeof(double) * dim + 9);
  PetscInt size = is_product(form, cells) ? 128 / cells->nn : 64;
  while (size > least_size(form, cells) && slot * size * cells->nn > LARGEST) size /= 2;
  return size;
}

size_t RhxElementNeeds(RhxForm form, RhxPasses passes, const RhxTiles *tiles, PetscBool rate, PetscBool source)
{
  const size_t stride = RhxTilesStride(tiles, form->space->dim);
  const RhxElementWidth residual = RhxElementResidual(form, passes, tiles->slots / tiles->size, rate, source);
  return PetscMax(RhxElementShared(stride, tiles->most, tiles->slots, residual),
                  RhxElementShared(stride, tiles->most, tiles->slots, RhxElementProject(form, passes, source)));
}

PetscErrorCode RhxElementTiles(RhxForm form, const RhxCells *cells, RhxPasses passes, PetscBool rate, PetscBool source,
                               int shared, const char *device, RhxTiles *tiles)
{
  const PetscInt least = least_size(form, cells);
  PetscInt size = RhxElementUsualSize(form, cells, passes, rate, source);
  PetscFunctionBegin;
  for (;; size /= 2) {
    long mine[2], all[2]; /* bytes needed, bytes missing */
    PetscCall(RhxTilesCreate(form->space, cells, size, (PetscBool)(form->assembly == RHX_ASSEMBLY_COLOUR), tiles));
    mine[0] = (long)RhxElementNeeds(form, passes, tiles, rate, source);
    mine[1] = mine[0] - shared;
    PetscCallMPI(MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_MAX, form->comm));
    if (all[1] <= 0) break;
    PetscCall(RhxTilesDestroy(tiles));
    PetscCheck(size > least, form->comm, PETSC_ERR_SUP,
               "The form is too large for the device: %s with %" PetscInt_FMT
               " modes need %ld bytes of shared memory a block, %s has %ld; expected fewer modes, or -device cpu",
               DMPolytopeTypes[cells->type], form->nmodes, all[0], device, all[0] - all[1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Resident blocks that the compiler keeps registers for, by measurement on an H200: more of them, some spills included,
 * where a point's work is small. */
static int resident_blocks(RhxForm form, int product, PetscBool source)
{
  const int small = form->nmodes <= 1 && form->representation == RHX_STRESS && !form->naux && !source;
  if (!product) return form->space->dim == 2 ? 6 : 4;
  if (form->space->dim == 2) return small ? 8 : 4;
  return small ? 4 : form->representation == RHX_LOGCONF ? 2 : 3;
}

/* The limits of the time step need more registers. Of hexes in stress two blocks, which need no spills, are faster than three (H200, 126k
 * nodes, a step: 668 and 675 us). */
static int with_limits(int blocks, int fused)
{
  return blocks > 4 ? blocks * 4 / 5 : blocks == 3 && fused ? 2 : blocks;
}

void RhxElementFirstBounds(RhxForm form, const RhxCells *cells, RhxPasses passes, PetscBool source,
                           RhxElementPlan *plan)
{
  const int product = is_product(form, cells), turns = passes == RHX_PASSES_TURNS;
  const int blocks = !turns ? resident_blocks(form, product, source) : product && form->space->dim == 3 ? 2 : 4;
  *plan = (RhxElementPlan){passes, {blocks, with_limits(blocks, !turns)}, 0};
}

RhxElementPlan RhxElementFirstPlan(RhxForm form, const RhxCells *cells, PetscBool source)
{
  RhxElementPlan plan;
  RhxElementFirstBounds(form, cells, first_passes(form, cells), source, &plan);
  return plan;
}

PetscErrorCode RhxElementOptions(const RhxElementPlan *plan, PetscInt size, RhxDeviceSource program)
{
  const char *const name[] = {"RHX_BLOCKS", "RHX_BLOCKS_STATS"};
  char option[64];
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-DRHX_TILE=%d", (int)size));
  PetscCall(RhxDeviceSourceAddOption(program, option));
  if (plan->passes == RHX_PASSES_TURNS) PetscCall(RhxDeviceSourceAddOption(program, "-DRHX_BY_TURNS=1"));
  for (int k = 0; k < RHX_PLAN_KERNELS; k++) {
    PetscCall(PetscSNPrintf(option, sizeof(option), "-D%s=%d", name[k], plan->blocks[k]));
    PetscCall(RhxDeviceSourceAddOption(program, option));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
