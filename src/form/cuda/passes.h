/* The passes of the form over the elements on the device. Arrays are device memory in the layout of the host's local arrays;
 * work joins the device's stream. Results of one rank, without face terms: the caller adds those and sums over ranks. */
#ifndef RHX_DEVICE_FORM_H
#define RHX_DEVICE_FORM_H
#include "device/device.h"
#include "form/cuda/size.h"
#include "form/form.h"

typedef struct _p_RhxFormDevice *RhxFormDevice;

/* Compiles a program for each cell type, says on standard output how its passes are compiled, and copies connectivity and positions.
 * rate, source: whether xdot and the sources take part. Collective. */
PetscErrorCode RhxFormDeviceCreate(RhxForm form, RhxDevice device, PetscBool rate, PetscBool source, RhxFormDevice *fd);
PetscErrorCode RhxFormDeviceDestroy(RhxFormDevice *fd);
/* The program for one cell type without a device, for the compiler alone (continuous integration), and its plan. Collective. */
PetscErrorCode RhxFormDeviceCompile(RhxForm form, const RhxCells *cells, const char *arch, PetscBool rate,
                                    PetscBool source, RhxElementPlan *plan, RhxDeviceBinary *binary);
PetscErrorCode RhxFormDeviceView(RhxFormDevice fd, PetscViewer viewer); /* kernels with registers and spills */

/* Results are added to what is there: to zeros that the caller sees to, most cheaply as `zero` of a pass before.
 * clock: an RhxTime on the device, so that a recorded graph of these calls outlives its change. */
typedef struct {
  void *array;
  size_t n; /* doubles */
} RhxZero;  /* an array that a pass sets to zero on its way; it takes no other part in it */
static const RhxZero RHX_NO_ZERO = {NULL, 0};

/* aux[nlocal][naux]: lumped projections; source as below */
PetscErrorCode RhxFormDeviceProject(RhxFormDevice fd, const void *clock, const void *x, const void *source, void *aux,
                                    RhxZero zero);
/* r[nlocal][bs]: weak residual of the rows RHX_ROWS_..., zeros in others; not all: by a program that the first call makes, not in
 * a graph. xdot, aux, source may be NULL where the program has no use for them.
 * stats: NULL, or RhxFormStats on the device, of this rank, which grow where the values here are larger; NaN stays NaN. */
PetscErrorCode RhxFormDeviceResidual(RhxFormDevice fd, unsigned rows, const void *clock, const void *x,
                                     const void *xdot, const void *aux, const void *source, void *r, void *stats,
                                     RhxZero zero);
PetscErrorCode RhxFormDeviceDivergence(RhxFormDevice fd, const void *u, void *r); /* u[nlocal][dim], r[nlocal] */
PetscErrorCode RhxFormDeviceGradient(RhxFormDevice fd, const void *phi, void *r); /* phi[nlocal], r[nlocal][dim] */
#endif
