/* Elements of one type on a device as plain arrays, for the programs of derivatives; what they read beside nodal values. */
#ifndef RHX_DEVICE_CELLS_H
#define RHX_DEVICE_CELLS_H
#include "device/device.h"
#include "space/space.h"

typedef struct {
  PetscInt n, nn;
  void *conn, *coord; /* device: int [n][nn] local nodes in VTK order, double [n][nn][dim] */
} RhxDeviceCells;

/* Elements by colour: element[start[c]] to element[start[c + 1] - 1], of which no two share a node. */
typedef struct {
  PetscInt n, *start;
  void *element; /* device: int */
} RhxDeviceColours;

/* Refuses an element with a node twice, of whose rows two threads would write one. Collective. */
PetscErrorCode RhxDeviceCellsExpectOpen(RhxSpace space, const RhxCells *cells);
PetscErrorCode RhxDeviceCellsCreate(RhxDevice device, RhxSpace space, const RhxCells *cells, RhxDeviceCells *out);
PetscErrorCode RhxDeviceCellsDestroy(RhxDevice device, RhxDeviceCells *cells);
PetscErrorCode RhxDeviceColoursCreate(RhxDevice device, RhxSpace space, const RhxCells *cells, RhxDeviceColours *out);
PetscErrorCode RhxDeviceColoursDestroy(RhxDevice device, RhxDeviceColours *colours);
#endif
