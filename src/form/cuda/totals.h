/* Totals (kernels/totals.h) of this rank's elements on a device; their programs are made with the object. */
#ifndef RHX_DEVICE_TOTALS_H
#define RHX_DEVICE_TOTALS_H
#include "device/device.h"
#include "form/form.h"

typedef struct _p_RhxFormTotals *RhxFormTotals;

/* source: whether the points have one. Collective, as destruction. */
PetscErrorCode RhxFormTotalsCreate(RhxForm form, RhxDevice device, PetscBool source, RhxFormTotals *totals);
PetscErrorCode RhxFormTotalsDestroy(RhxFormTotals *totals);
/* total[RHX_NTOTALS] at x[nlocal][bs] with its sources, the same bits every time; clock: RhxTime; device memory. Waits. */
PetscErrorCode RhxFormTotalsGet(RhxFormTotals totals, const void *clock, const void *x, const void *source,
                                double *total);
/* The program for one cell type without a device, for the compiler alone. */
PetscErrorCode RhxFormTotalsCompile(RhxForm form, const RhxCells *cells, const char *arch, RhxDeviceBinary *binary);
#endif
