/* The elements' part of the matrix of implicit momentum (form/host/momentum.h) on a device: C(u) + K + S(u) of this rank's elements,
 * added to the values of rows with the pattern of form->consistent. All at once where residuals are assembled by atomics
 * (-assembly_residual), else colour by colour, with the same bits every time. */
#ifndef RHX_DEVICE_MOMENTUM_H
#define RHX_DEVICE_MOMENTUM_H
#include "device/device.h"
#include "form/form.h"

typedef struct _p_RhxFormMomentum *RhxFormMomentum;

/* form->consistent is there. Collective, as all here. */
PetscErrorCode RhxFormMomentumCreate(RhxForm form, RhxDevice device, RhxFormMomentum *momentum);
PetscErrorCode RhxFormMomentumDestroy(RhxFormMomentum *momentum);
/* values += the matrix at the flow x[nlocal][bs] with its projections aux[nlocal][naux], hoop[nlocal] += this rank's part of H in
 * axisymmetric flow; clock: RhxTime; device memory. Enqueued. */
PetscErrorCode RhxFormMomentumAdd(RhxFormMomentum momentum, const void *clock, const void *x, const void *aux,
                                  void *values, void *hoop);
/* The program for one cell type without a device, for the compiler alone. */
PetscErrorCode RhxFormMomentumCompile(RhxForm form, const RhxCells *cells, const char *arch, RhxDeviceBinary *binary);
#endif
