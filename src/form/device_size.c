#include "form/device_size.h"
#include "petsc_compat.h"

#define LARGEST 163840 /* bytes for nodes that no two elements share: the size of tiles on an H200, by measurement */

static PetscInt even(PetscInt width) { return width + width % 2; }

size_t RhxElementShared(size_t stride, PetscInt most, PetscInt slots, PetscInt in, PetscInt out)
{
  const size_t row = (size_t)(in / 2 | 1) * 2, result = (size_t)(even(out) / 2 | 1) * 2;
  return 3 * stride + sizeof(double) * (row * 2 * most + result * slots);
}

RhxElementWidth RhxElementResidual(RhxForm form, PetscBool rate, PetscBool source)
{
  const PetscInt bs = form->space->bs;
  return (RhxElementWidth){even(bs) * (1 + source + rate) + even(form->naux), bs};
}

RhxElementWidth RhxElementProject(RhxForm form, PetscBool source)
{
  return (RhxElementWidth){even(form->space->bs) * (1 + source), form->naux};
}

static int is_tensor(RhxForm form, const RhxCells *cells) { return cells->nn == 1 << form->space->dim; }

/* A warp of threads in quads and hexes. */
static PetscInt least_size(RhxForm form, const RhxCells *cells) { return is_tensor(form, cells) ? 32 / cells->nn : 1; }

/* 128 threads a block, 64 for simplices; fewer where the blocks of the nodes are large. */
static PetscInt usual_size(RhxForm form, const RhxCells *cells, PetscBool rate, PetscBool source)
{
  const RhxSpace sp = form->space;
  const PetscInt in = sp->bs * (1 + rate + source) + form->naux, out = PetscMax(sp->bs, form->naux);
  const size_t slot = sizeof(double) * (2 * (in + 6) + out + 3) + 3 * (sizeof(double) * sp->dim + 9);
  PetscInt size = is_tensor(form, cells) ? 128 / cells->nn : 64;
  while (size > least_size(form, cells) && slot * size * cells->nn > LARGEST) size /= 2;
  return size;
}

/* Of the pass that needs the most. */
static size_t needed(RhxForm form, const RhxTiles *tiles, PetscBool rate, PetscBool source)
{
  const RhxElementWidth pass[] = {RhxElementResidual(form, rate, source), RhxElementProject(form, source)};
  const size_t stride = RhxTilesStride(tiles, form->space->dim);
  size_t most = 0;
  for (int k = 0; k < 2; k++)
    most = PetscMax(most, RhxElementShared(stride, tiles->most, tiles->slots, pass[k].in, pass[k].out));
  return most;
}

PetscErrorCode RhxElementTiles(RhxForm form, const RhxCells *cells, PetscBool rate, PetscBool source, int shared,
                               const char *device, RhxTiles *tiles)
{
  const PetscInt least = least_size(form, cells);
  PetscInt size = usual_size(form, cells, rate, source);
  PetscFunctionBegin;
  for (;; size /= 2) {
    long mine[2], all[2]; /* bytes needed, bytes missing */
    PetscCall(RhxTilesCreate(form->space, cells, size, (PetscBool)(form->assembly == RHX_ASSEMBLY_COLOUR), tiles));
    mine[0] = (long)needed(form, tiles, rate, source);
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

PetscErrorCode RhxElementOptions(RhxForm form, const RhxCells *cells, PetscInt size, PetscBool source,
                                 RhxDeviceSource program)
{
  char option[64];
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-DRHX_TILE=%d", (int)size));
  PetscCall(RhxDeviceSourceAddOption(program, option));
  PetscCall(
      PetscSNPrintf(option, sizeof(option), "-DRHX_BLOCKS=%d", resident_blocks(form, is_tensor(form, cells), source)));
  PetscCall(RhxDeviceSourceAddOption(program, option));
  PetscFunctionReturn(PETSC_SUCCESS);
}
