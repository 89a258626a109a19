/* The elements' part of the matrix of implicit momentum, or of the transport of a mode (form/host/momentum.h), on a device: all but
 * the mass of this rank's elements,
 * added to the values of rows with the pattern of form->consistent. All at once where residuals are assembled by atomics
 * (-assembly_residual), else colour by colour, with the same bits every time. */
#ifndef RHX_DEVICE_MOMENTUM_H
#define RHX_DEVICE_MOMENTUM_H
#include "device/device.h"
#include "form/form.h"

typedef struct _p_RhxFormMomentum *RhxFormMomentum;

/* form->consistent is there. group: of the velocity, or of modes. Collective, as all here. */
PetscErrorCode RhxFormMomentumCreate(RhxForm form, RhxDevice device, RhxFieldGroup group, RhxFormMomentum *momentum);
PetscErrorCode RhxFormMomentumDestroy(RhxFormMomentum *momentum);
/* values += the matrix at the flow x[nlocal][bs] with its projections aux[nlocal][naux], hoop[nlocal] += this rank's part of H in
 * axisymmetric flow, NULL: none; clock: RhxTime; device memory. mode: of modes, which one. Enqueued. */
PetscErrorCode RhxFormMomentumAdd(RhxFormMomentum momentum, PetscInt mode, const void *clock, const void *x,
                                  const void *aux, void *values, void *hoop);
/* The program for one cell type without a device, for the compiler alone. */
PetscErrorCode RhxFormMomentumCompile(RhxForm form, RhxFieldGroup group, const RhxCells *cells, const char *arch,
                                      RhxDeviceBinary *binary);
#endif
