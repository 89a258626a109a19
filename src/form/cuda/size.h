/* How many elements a block of the element kernels works on: as many as the device's shared memory takes. */
#ifndef RHX_DEVICE_SIZE_H
#define RHX_DEVICE_SIZE_H
#include "device/device.h"
#include "form/cuda/tiles.h"
#include "form/form.h"

/* Of a pass: the parts of a node's row, its result, doubles a slot that stay behind the results from tile to tile. */
typedef struct {
  PetscInt in, out, kept;
} RhxElementWidth;
/* Bytes of shared memory of a block, as kernels/element.cuh has it: three records, rows of the nodes of two turns and of the
 * results; rows are an odd number of pairs. */
size_t RhxElementShared(size_t stride, PetscInt most, PetscInt slots, RhxElementWidth width);
/* How the passes over the elements of a cell type are compiled: modes all at once (kernels/fused.cuh) or by turns (kernels/turns.cuh); and
 * for how many resident blocks the compiler keeps registers, a kernel. */
enum { RHX_PLAN_RESIDUAL, RHX_PLAN_STATS, RHX_PLAN_KERNELS };
typedef struct {
  RhxPasses passes; /* never auto */
  int blocks[RHX_PLAN_KERNELS];
  int spilled; /* bytes, by the kernel that spills most; 0 before it is compiled */
} RhxElementPlan;
/* Before anything is compiled: -device_passes, or by a model of registers. */
RhxElementPlan RhxElementFirstPlan(RhxForm form, const RhxCells *cells, PetscBool source);
/* As many blocks as little spills for, by measurement. */
void RhxElementFirstBounds(RhxForm form, const RhxCells *cells, RhxPasses passes, PetscBool source,
                           RhxElementPlan *plan);
/* Never with -device_passes one, where a stabiliser's terms of a mode read more of the flow than u, or with swirl, which modes turn with. */
PetscBool RhxElementMayTakeTurns(RhxForm form);
/* Of passes over elements of nn nodes. */
RhxElementWidth RhxElementResidual(RhxForm form, RhxPasses passes, PetscInt nn, PetscBool rate, PetscBool source);
RhxElementWidth RhxElementProject(RhxForm form, RhxPasses passes, PetscBool source);

/* Tiles of the same size on every rank, which fit into `shared` bytes a block of the device of that name; an error says so if
 * even the smallest do not. Collective. */
PetscErrorCode RhxElementTiles(RhxForm form, const RhxCells *cells, RhxPasses passes, PetscBool rate, PetscBool source,
                               int shared, const char *device, RhxTiles *tiles);
/* Elements of a tile where shared memory is no matter. */
PetscInt RhxElementUsualSize(RhxForm form, const RhxCells *cells, RhxPasses passes, PetscBool rate, PetscBool source);
/* Bytes of shared memory of a block of these tiles, in the pass that needs most. */
size_t RhxElementNeeds(RhxForm form, RhxPasses passes, const RhxTiles *tiles, PetscBool rate, PetscBool source);
/* The options of the program for tiles of that size. */
PetscErrorCode RhxElementOptions(const RhxElementPlan *plan, PetscInt size, RhxDeviceSource program);
/* Doubles that modes leave in a block by turns, of cells with so many points for each of so many threads. */
size_t RhxElementSums(RhxForm form, PetscInt points, PetscInt threads);
#endif
