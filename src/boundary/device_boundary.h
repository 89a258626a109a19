/* The given values on the device: rows with values, planes of symmetry. Only boundary nodes travel, and only when
 * their values have changed. */
#ifndef RHX_DEVICE_BOUNDARY_H
#define RHX_DEVICE_BOUNDARY_H
#include "boundary/oblique.h"
#include "device/device.h"
#include "kernels/step.h"

typedef struct _p_RhxBoundaryDevice *RhxBoundaryDevice;

/* step: the program of kernels/step.cuh; borrowed, as bc. Collective. */
PetscErrorCode RhxBoundaryDeviceCreate(RhxBoundary bc, RhxDevice device, RhxDeviceProgram step, RhxBoundaryDevice *bd);
PetscErrorCode RhxBoundaryDeviceDestroy(RhxBoundaryDevice *bd);
#define RHX_BOUNDARY_MIRRORS 2
/* Where the values are on the device, and the host memory that RhxBoundaryDeviceUpdate fills with those of the last
 * RhxBoundarySetTime; it is the caller who copies. */
void RhxBoundaryDeviceGetMirrors(RhxBoundaryDevice bd, RhxDeviceMirror mirror[RHX_BOUNDARY_MIRRORS]);
PetscErrorCode RhxBoundaryDeviceUpdate(RhxBoundaryDevice bd);
PetscErrorCode RhxBoundaryDeviceGetGiven(RhxBoundaryDevice bd, RhxGiven *given);    /* its memory is borrowed */
PetscErrorCode RhxBoundaryDeviceGetInflow(RhxBoundaryDevice bd, RhxInflow *inflow); /* likewise */
/* Likewise; its values have a mirror too, of what a recorded step does not take. */
void RhxBoundaryDeviceGetFilm(RhxBoundaryDevice bd, RhxFilm *film, RhxDeviceMirror mirror[2]);
/* source[nlocal][bs], on the device, becomes the form's of the last RhxBoundarySetTime; of a force that keeps a mean velocity, where
 * nothing else has changed, by a kernel. */
PetscErrorCode RhxBoundaryDeviceSources(RhxBoundaryDevice bd, void *source);
/* val[node]: place among the values of a given pressure, -1 where it is free. val[nowned], host memory */
PetscErrorCode RhxBoundaryDeviceGetPressurePlaces(RhxBoundaryDevice bd, PetscInt *val);
/* Are there planes of symmetry where no condition gives the velocity, or oblique ones where none gives the modes? */
PetscErrorCode RhxBoundaryDeviceHasPlanes(RhxBoundaryDevice bd, PetscBool *has);
/* Removes the normal components on them from the vectors that begin the blocks of v[nowned][width]. */
PetscErrorCode RhxBoundaryDeviceRemoveNormal(RhxBoundaryDevice bd, PetscInt width, void *v);
/* Of states x[nowned][bs] that, and of the modes what oblique planes take away; of one mode v[nowned][ntens] this. */
PetscErrorCode RhxBoundaryDeviceRemoveOdd(RhxBoundaryDevice bd, void *x);
PetscErrorCode RhxBoundaryDeviceRemoveShear(RhxBoundaryDevice bd, void *v);
/* As RhxObliqueTurn of x, f[nowned][bs], which is sent with the first turn: always the same. */
PetscErrorCode RhxBoundaryDeviceTurn(RhxBoundaryDevice bd, RhxOblique oblique, void *x, void *f);
PetscErrorCode RhxBoundaryDeviceImposeAuxiliary(RhxBoundaryDevice bd, void *aux); /* as RhxBoundaryImposeAuxiliary */
#endif
