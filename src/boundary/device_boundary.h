/* The given values on the device: lists of rows with values, planes of symmetry. Only boundary nodes travel, and only when
 * their values have changed. */
#ifndef RHX_DEVICE_BOUNDARY_H
#define RHX_DEVICE_BOUNDARY_H
#include "boundary/boundary.h"
#include "device/device.h"

typedef struct _p_RhxBoundaryDevice *RhxBoundaryDevice;

/* step: the program of kernels/step.cuh; borrowed, as bc. Collective. */
PetscErrorCode RhxBoundaryDeviceCreate(RhxBoundary bc, RhxDevice device, RhxDeviceProgram step, RhxBoundaryDevice *bd);
PetscErrorCode RhxBoundaryDeviceDestroy(RhxBoundaryDevice *bd);
/* Copies the values of the last RhxBoundarySetTime if they differ from those of the last call. Collective. */
PetscErrorCode RhxBoundaryDeviceUpdate(RhxBoundaryDevice bd);
/* As RhxBoundaryImpose; `what` is velocity and modes, velocity and pressure, pressure, or all. x: device memory */
PetscErrorCode RhxBoundaryDeviceImpose(RhxBoundaryDevice bd, unsigned what, void *x);
PetscErrorCode RhxBoundaryDeviceImposeAuxiliary(RhxBoundaryDevice bd, void *aux); /* as RhxBoundaryImposeAuxiliary */
#endif
