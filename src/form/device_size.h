/* How many elements a block of the element kernels works on: as many as the device's shared memory takes. */
#ifndef RHX_DEVICE_SIZE_H
#define RHX_DEVICE_SIZE_H
#include "device/device.h"
#include "form/device_tiles.h"
#include "form/form.h"

/* Bytes of shared memory of a block, as kernels/element.cuh has it: three records, rows of the nodes of two tiles and of the
 * results; rows are an odd number of pairs. in: width of the parts of a node's row; out: of its result. */
size_t RhxElementShared(size_t stride, PetscInt most, PetscInt slots, PetscInt in, PetscInt out);
/* Widths of the passes over a form. */
typedef struct {
  PetscInt in, out;
} RhxElementWidth;
RhxElementWidth RhxElementResidual(RhxForm form, PetscBool rate, PetscBool source);
RhxElementWidth RhxElementProject(RhxForm form, PetscBool source);

/* Tiles of the same size on every rank, which fit into `shared` bytes a block of the device of that name; an error says so if
 * even the smallest do not. Collective. */
PetscErrorCode RhxElementTiles(RhxForm form, const RhxCells *cells, PetscBool rate, PetscBool source, int shared,
                               const char *device, RhxTiles *tiles);
/* The options of the program for tiles of that size. */
PetscErrorCode RhxElementOptions(RhxForm form, const RhxCells *cells, PetscInt size, PetscBool source,
                                 RhxDeviceSource program);
#endif
