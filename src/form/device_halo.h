/* Halos of node blocks on the device. Kernels pack them into buffers in host memory that the device reaches, PetscSF sends
 * them: right for every MPI, aware of devices or not. On one rank nothing happens. */
#ifndef RHX_DEVICE_HALO_H
#define RHX_DEVICE_HALO_H
#include "device/device.h"
#include "space/space.h"

typedef struct _p_RhxHalo *RhxHalo;

PetscErrorCode RhxHaloCreate(RhxSpace space, RhxDevice device, RhxHalo *halo); /* collective, as all */
PetscErrorCode RhxHaloDestroy(RhxHalo *halo);
/* v[nlocal][width], device memory: ghosts from their owners */
PetscErrorCode RhxHaloGlobalToLocal(RhxHalo halo, PetscInt width, void *v);
/* adds ghosts into their owners */
PetscErrorCode RhxHaloReduce(RhxHalo halo, PetscInt width, void *v);
PetscErrorCode RhxHaloIsSerial(RhxHalo halo, PetscBool *serial); /* one rank: calls can be recorded in a graph */
#endif
