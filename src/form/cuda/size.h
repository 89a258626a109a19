/* How many elements a block of the element kernels works on: as many as the device's shared memory takes. */
#ifndef RHX_DEVICE_SIZE_H
#define RHX_DEVICE_SIZE_H
#include "device/device.h"
#include "form/cuda/tiles.h"
#include "form/form.h"

/* Bytes of shared memory of a block, as kernels/element.cuh has it: three records, rows of the nodes of two tiles and of the
 * results; rows are an odd number of pairs. in: width of the parts of a node's row; out: of its result. */
size_t RhxElementShared(size_t stride, PetscInt most, PetscInt slots, PetscInt in, PetscInt out);
/* How the passes over the elements of a cell type are compiled: cut, one a mode and one of the flow (kernels/cut.cuh), or one of all; and
 * for how many resident blocks the compiler keeps registers, a kernel. */
enum {
  RHX_PLAN_RESIDUAL,
  RHX_PLAN_STATS,
  RHX_PLAN_FLOW,
  RHX_PLAN_FLOW_STATS,
  RHX_PLAN_KERNELS
}; /* those of the flow: of a cut form */
typedef struct {
  PetscBool cut;
  int blocks[RHX_PLAN_KERNELS];
  int spilled; /* bytes, by the kernel that spills most; 0 before it is compiled */
} RhxElementPlan;
/* Before anything is compiled: -device_passes, or cut where the registers of a thread would not hold all modes. */
RhxElementPlan RhxElementFirstPlan(RhxForm form, const RhxCells *cells, PetscBool source);
/* As many blocks as little spills for, by measurement. */
void RhxElementFirstBounds(RhxForm form, const RhxCells *cells, PetscBool cut, PetscBool source, RhxElementPlan *plan);
/* Never with -device_passes one, where a stabiliser's terms of a mode read more of the flow than u, or with scalar fields. */
PetscBool RhxElementMayCut(RhxForm form);
typedef enum { RHX_ELEMENT_ALL, RHX_ELEMENT_FLOW, RHX_ELEMENT_MODE } RhxElementPart;
/* Widths of the passes over a form, or over a part of it. */
typedef struct {
  PetscInt in, out;
} RhxElementWidth;
RhxElementWidth RhxElementResidual(RhxForm form, RhxElementPart part, PetscBool rate, PetscBool source);
RhxElementWidth RhxElementProject(RhxForm form, RhxElementPart part, PetscBool source);

/* Tiles of the same size on every rank, which fit into `shared` bytes a block of the device of that name; an error says so if
 * even the smallest do not. Collective. */
PetscErrorCode RhxElementTiles(RhxForm form, const RhxCells *cells, PetscBool cut, PetscBool rate, PetscBool source,
                               int shared, const char *device, RhxTiles *tiles);
/* Elements of a tile where shared memory is no matter. */
PetscInt RhxElementUsualSize(RhxForm form, const RhxCells *cells, PetscBool cut, PetscBool rate, PetscBool source);
/* Bytes of shared memory of a block of these tiles, in the pass that needs most. */
size_t RhxElementNeeds(RhxForm form, PetscBool cut, const RhxTiles *tiles, PetscBool rate, PetscBool source);
/* The options of the program for tiles of that size. */
PetscErrorCode RhxElementOptions(const RhxElementPlan *plan, PetscInt size, RhxDeviceSource program);
/* Doubles that the modes of a cut form leave in a tile, of cells with so many points for each of so many threads. */
size_t RhxElementSums(RhxForm form, PetscInt points, PetscInt threads);
#endif
