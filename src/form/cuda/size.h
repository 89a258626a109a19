/* How many elements a block of the element kernels works on: as many as the device's shared memory takes. */
#ifndef RHX_DEVICE_SIZE_H
#define RHX_DEVICE_SIZE_H
#include "device/device.h"
#include "form/cuda/tiles.h"
#include "form/form.h"

/* Bytes of shared memory of a block, as kernels/element.cuh has it: three records, rows of the nodes of two tiles and of the
 * results; rows are an odd number of pairs. in: width of the parts of a node's row; out: of its result. */
size_t RhxElementShared(size_t stride, PetscInt most, PetscInt slots, PetscInt in, PetscInt out);
/* Whether the passes of a form on these cells are cut, one a mode and one of the flow (kernels/cut.cuh), or one of all:
 * -device_passes, or where the registers of a thread would not hold all modes. Never where a stabiliser's terms of a mode read
 * more of the flow than u, or with scalar fields. */
PetscBool RhxElementCut(RhxForm form, const RhxCells *cells);
typedef enum { RHX_ELEMENT_ALL, RHX_ELEMENT_FLOW, RHX_ELEMENT_MODE } RhxElementPart;
/* Widths of the passes over a form, or over a part of it. */
typedef struct {
  PetscInt in, out;
} RhxElementWidth;
RhxElementWidth RhxElementResidual(RhxForm form, RhxElementPart part, PetscBool rate, PetscBool source);
RhxElementWidth RhxElementProject(RhxForm form, RhxElementPart part, PetscBool source);

/* Tiles of the same size on every rank, which fit into `shared` bytes a block of the device of that name; an error says so if
 * even the smallest do not. Collective. */
PetscErrorCode RhxElementTiles(RhxForm form, const RhxCells *cells, PetscBool rate, PetscBool source, int shared,
                               const char *device, RhxTiles *tiles);
/* Bytes of shared memory of a block of these tiles, in the pass that needs most. */
size_t RhxElementNeeds(RhxForm form, const RhxCells *cells, const RhxTiles *tiles, PetscBool rate, PetscBool source);
/* The options of the program for tiles of that size. */
PetscErrorCode RhxElementOptions(RhxForm form, const RhxCells *cells, PetscInt size, PetscBool source,
                                 RhxDeviceSource program);
/* How many passes a residual on these cells takes. */
PetscErrorCode RhxElementView(RhxForm form, const RhxCells *cells, PetscViewer viewer);
/* Doubles that the modes of a cut form leave in a tile, of cells with so many points for each of so many threads. */
size_t RhxElementSums(RhxForm form, PetscInt points, PetscInt threads);
#endif
