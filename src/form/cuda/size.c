#include "form/cuda/size.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"

#define LARGEST 163840 /* bytes for nodes that no two elements share: the size of tiles on an H200, by measurement */

static PetscInt even(PetscInt width) { return width + width % 2; }

size_t RhxElementShared(size_t stride, PetscInt most, PetscInt slots, PetscInt in, PetscInt out)
{
  const size_t row = (size_t)(in / 2 | 1) * 2, result = (size_t)(even(out) / 2 | 1) * 2;
  return 3 * stride + sizeof(double) * (row * 2 * most + result * slots);
}

/* A part of the form: its components, those that are read beside them, its auxiliary values. */
typedef struct {
  PetscInt own, flow, naux;
} Part;

static Part part_of(RhxForm form, RhxElementPart part)
{
  const RhxFields fields = form->space->fields;
  const PetscInt flow = RhxFieldsEnd(fields, RHX_GROUP_PRESSURE) - RhxFieldsStart(fields, RHX_GROUP_VELOCITY);
  if (part == RHX_ELEMENT_FLOW) return (Part){flow, 0, form->naux_flow};
  if (part == RHX_ELEMENT_MODE) return (Part){form->space->ntens, even(flow), form->naux_mode};
  return (Part){form->space->bs, 0, form->naux};
}

RhxElementWidth RhxElementResidual(RhxForm form, RhxElementPart part, PetscBool rate, PetscBool source)
{
  const Part p = part_of(form, part);
  return (RhxElementWidth){p.flow + even(p.own) * (1 + source + rate) + even(p.naux), p.own};
}

RhxElementWidth RhxElementProject(RhxForm form, RhxElementPart part, PetscBool source)
{
  const Part p = part_of(form, part);
  return (RhxElementWidth){p.flow + even(p.own) * (1 + source), p.naux};
}

size_t RhxElementSums(RhxForm form, PetscInt points, PetscInt threads)
{
  const PetscInt at_point = form->space->ntens + 1 + (form->has_div_tau ? form->space->dim : 0), at_first = 4;
  return (size_t)(points * at_point + at_first) * threads;
}

static int is_tensor(RhxForm form, const RhxCells *cells) { return cells->nn == 1 << form->space->dim; }

/* Do the terms of the modes read nothing of the flow that a pass of their own has not? */
static PetscBool modes_apart(RhxForm form)
{
  const RhxPointLaw *at = RhxPointLawGet((int)form->space->dim, (int)form->space->ntens, RHX_KIND_DOUBLE);
  PetscBool apart = PETSC_TRUE;
  for (PetscInt k = 0; k < form->nstabilisers; k++) {
    const RhxFormStabiliser *st = &form->stabiliser[k];
    apart = (PetscBool)(apart && at->modes_apart(st->plugin, st->par, &st->stage, st->aux_needed));
  }
  return apart;
}

#define LOG_REGISTERS 60 /* eigenvalues, eigenvectors, exp(s) and exp(-s) of a point */
/* Held by a thread: with more, what a point itself needs spills (ptxas, sm_90). H200, a step with passes of their own over one of all:
 * log c, one mode, tets .70, hexes 1.06; four modes, hexes in log c .68, in stress 1.08, tets in stress .30; one mode, tets in stress, with
 * projections .86, without 1.09. */
#define MOST_REGISTERS 140

PetscBool RhxElementMayCut(RhxForm form)
{
  return (PetscBool)(form->nmodes && !form->nscalars && form->passes != RHX_PASSES_ONE && modes_apart(form));
}

/* A thread holds a point's values and gradients; in simplices an element's gradients, sums and fluxes from point to point, and the
 * projections at the point, of which the registers of the others leave no room. In the plane the compiler tells (plan.c). */
static PetscBool must_cut(RhxForm form, const RhxCells *cells)
{
  const int tensor = is_tensor(form, cells);
  const PetscInt dim = form->space->dim;
  const PetscInt held = form->space->bs * (tensor ? 1 + dim : 1 + 2 * dim) + (tensor ? 0 : form->naux);
  if (!RhxElementMayCut(form)) return PETSC_FALSE;
  if (form->passes == RHX_PASSES_MODES) return PETSC_TRUE;
  return (PetscBool)(dim == 3 && 2 * held + (form->representation == RHX_LOGCONF ? LOG_REGISTERS : 0) > MOST_REGISTERS);
}

/* A warp of threads in quads and hexes. */
static PetscInt least_size(RhxForm form, const RhxCells *cells) { return is_tensor(form, cells) ? 32 / cells->nn : 1; }

/* 128 threads a block, 64 for simplices; fewer where the blocks of the nodes are large. */
PetscInt RhxElementUsualSize(RhxForm form, const RhxCells *cells, PetscBool cut, PetscBool rate, PetscBool source)
{
  const PetscInt dim = form->space->dim;
  PetscInt size = is_tensor(form, cells) ? 128 / cells->nn : 64, wide = 0;
  const PetscInt first = cut ? RHX_ELEMENT_FLOW : RHX_ELEMENT_ALL;
  for (PetscInt part = first; part <= (first ? RHX_ELEMENT_MODE : RHX_ELEMENT_ALL); part++) {
    const Part p = part_of(form, (RhxElementPart)part);
    const PetscInt in = p.flow + p.own * (1 + rate + source) + p.naux, out = PetscMax(p.own, p.naux);
    wide = PetscMax(wide, 2 * (in + 6) + out + 3);
  }
  const size_t slot = sizeof(double) * wide + 3 * (sizeof(double) * dim + 9);
  while (size > least_size(form, cells) && slot * size * cells->nn > LARGEST) size /= 2;
  return size;
}

/* Of the pass that needs the most. */
size_t RhxElementNeeds(RhxForm form, PetscBool cut, const RhxTiles *tiles, PetscBool rate, PetscBool source)
{
  const size_t stride = RhxTilesStride(tiles, form->space->dim);
  size_t most = 0;
  for (int part = cut ? RHX_ELEMENT_FLOW : RHX_ELEMENT_ALL; part <= (cut ? RHX_ELEMENT_MODE : RHX_ELEMENT_ALL);
       part++) {
    const RhxElementWidth pass[] = {RhxElementResidual(form, (RhxElementPart)part, rate, source),
                                    RhxElementProject(form, (RhxElementPart)part, source)};
    for (int k = 0; k < 2; k++)
      most = PetscMax(most, RhxElementShared(stride, tiles->most, tiles->slots, pass[k].in, pass[k].out));
  }
  return most;
}

PetscErrorCode RhxElementTiles(RhxForm form, const RhxCells *cells, PetscBool cut, PetscBool rate, PetscBool source,
                               int shared, const char *device, RhxTiles *tiles)
{
  const PetscInt least = least_size(form, cells);
  PetscInt size = RhxElementUsualSize(form, cells, cut, rate, source);
  PetscFunctionBegin;
  for (;; size /= 2) {
    long mine[2], all[2]; /* bytes needed, bytes missing */
    PetscCall(RhxTilesCreate(form->space, cells, size, (PetscBool)(form->assembly == RHX_ASSEMBLY_COLOUR), tiles));
    mine[0] = (long)RhxElementNeeds(form, cut, tiles, rate, source);
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
static int resident_blocks(RhxForm form, int tensor, PetscBool source)
{
  const int small = form->nmodes <= 1 && form->representation == RHX_STRESS && !form->naux && !source;
  if (!tensor) return form->space->dim == 2 ? 6 : 4;
  if (form->space->dim == 2) return small ? 8 : 4;
  return small ? 4 : form->representation == RHX_LOGCONF ? 2 : 3;
}

/* The limits of the time step need more registers. Of hexes in stress two blocks, which need no spills, are faster than three (H200, 126k
 * nodes, a step: 668 and 675 us). */
static int with_limits(int blocks, int fused)
{
  return blocks > 4 ? blocks * 4 / 5 : blocks == 3 && fused ? 2 : blocks;
}

void RhxElementFirstBounds(RhxForm form, const RhxCells *cells, PetscBool cut, PetscBool source, RhxElementPlan *plan)
{
  const int tensor = is_tensor(form, cells), plane = form->space->dim == 2,
            fused = resident_blocks(form, tensor, source);
  const int modes = cut ? plane || !tensor ? 4 : 2 : fused, flow = plane ? 4 : tensor ? 3 : 6;
  *plan = (RhxElementPlan){cut, {modes, with_limits(modes, !cut), flow, with_limits(flow, 0)}, 0};
}

RhxElementPlan RhxElementFirstPlan(RhxForm form, const RhxCells *cells, PetscBool source)
{
  RhxElementPlan plan;
  RhxElementFirstBounds(form, cells, must_cut(form, cells), source, &plan);
  return plan;
}

PetscErrorCode RhxElementOptions(const RhxElementPlan *plan, PetscInt size, RhxDeviceSource program)
{
  const char *const name[] = {"RHX_BLOCKS", "RHX_BLOCKS_STATS", "RHX_BLOCKS_FLOW", "RHX_BLOCKS_FLOW_STATS"};
  char option[64];
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-DRHX_TILE=%d", (int)size));
  PetscCall(RhxDeviceSourceAddOption(program, option));
  if (plan->cut) PetscCall(RhxDeviceSourceAddOption(program, "-DRHX_CUT=1"));
  for (int k = 0; k < (plan->cut ? RHX_PLAN_KERNELS : RHX_PLAN_FLOW); k++) {
    PetscCall(PetscSNPrintf(option, sizeof(option), "-D%s=%d", name[k], plan->blocks[k]));
    PetscCall(RhxDeviceSourceAddOption(program, option));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
