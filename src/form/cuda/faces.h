/* The face terms of the form on the device. Geometry and lists are copied once, tractions when they change. */
#ifndef RHX_DEVICE_FACES_H
#define RHX_DEVICE_FACES_H
#include "device/device.h"
#include "form/form.h"

typedef struct _p_RhxFacesDevice *RhxFacesDevice;

PetscErrorCode RhxFacesDeviceCreate(RhxForm form, RhxDevice device, PetscBool rate, PetscBool source,
                                    RhxFacesDevice *faces); /* collective */
/* The program for faces of one cell type, without a device. Collective. */
PetscErrorCode RhxFacesDeviceCompile(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate,
                                     PetscBool source, RhxDeviceBinary *binary);
PetscErrorCode RhxFacesDeviceDestroy(RhxFacesDevice *faces);
/* Where the prescribed tractions are on the device, a mirror a cell type of the mesh, and the host memory that RhxFacesDeviceUpdate fills
 * with those of the form; it is the caller who copies. */
void RhxFacesDeviceGetMirrors(RhxFacesDevice faces, RhxDeviceMirror *mirror);
PetscErrorCode RhxFacesDeviceUpdate(RhxFacesDevice faces);
/* r += face terms; device memory as in RhxFormDeviceResidual, after it */
PetscErrorCode RhxFacesDeviceAdd(RhxFacesDevice faces, const void *clock, const void *x, const void *xdot,
                                 const void *aux, const void *source, void *r);
#endif
