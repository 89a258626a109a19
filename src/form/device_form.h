/* The passes of the form over the elements on the device. Arrays are device memory in the layout of the host's local arrays;
 * work joins the device's stream. Results of one rank, without face terms: the caller adds those and sums over ranks. */
#ifndef RHX_DEVICE_FORM_H
#define RHX_DEVICE_FORM_H
#include "device/device.h"
#include "form/form.h"

typedef struct _p_RhxFormDevice *RhxFormDevice;

/* Compiles a program for each cell type and copies connectivity and positions. rate, source: whether xdot and the sources
 * take part. Collective. */
PetscErrorCode RhxFormDeviceCreate(RhxForm form, RhxDevice device, PetscBool rate, PetscBool source, RhxFormDevice *fd);
PetscErrorCode RhxFormDeviceDestroy(RhxFormDevice *fd);
/* The program for one cell type without a device, for the compiler alone (continuous integration). Collective. */
PetscErrorCode RhxFormDeviceCompile(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate,
                                    PetscBool source, RhxDeviceBinary *binary);
PetscErrorCode RhxFormDeviceView(RhxFormDevice fd, PetscViewer viewer); /* kernels with registers and spills */

/* aux[nlocal][naux]: lumped projections; source as below */
PetscErrorCode RhxFormDeviceProject(RhxFormDevice fd, double t, double dt, const void *x, const void *source,
                                    void *aux);
/* r[nlocal][bs]: weak residual of every row; xdot, aux, source may be NULL where the program has no use for them */
PetscErrorCode RhxFormDeviceResidual(RhxFormDevice fd, double t, double dt, const void *x, const void *xdot,
                                     const void *aux, const void *source, void *r);
PetscErrorCode RhxFormDeviceDivergence(RhxFormDevice fd, const void *u, void *r); /* u[nlocal][dim], r[nlocal] */
PetscErrorCode RhxFormDeviceGradient(RhxFormDevice fd, const void *phi, void *r); /* phi[nlocal], r[nlocal][dim] */
#endif
