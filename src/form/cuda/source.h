/* The text of a device program of a form on one cell type: laws and stabilisers fused with a kernel file. */
#ifndef RHX_DEVICE_SOURCE_H
#define RHX_DEVICE_SOURCE_H
#include "device/kernels.h"
#include "form/form.h"

/* The program for cells of a type, or for faces of such cells: what kernels/point.cuh lists, then the file `kernels` (such as
 * "kernels/element.cuh", one of the embedded ones). rate, source: whether xdot and form->source are read. The error of a
 * plugin without a readable source beside its shared object names the file. */
PetscErrorCode RhxFormDeviceSource(RhxForm form, const RhxCells *cells, PetscBool rate, PetscBool source,
                                   const char *kernels, RhxDeviceSource *program);
/* The same with the class RhxReal (RHX_KIND 3) of the embedded file `number`; NULL: double. */
PetscErrorCode RhxFormDeviceSourceIn(RhxForm form, const RhxCells *cells, PetscBool rate, PetscBool source,
                                     const char *number, const char *kernels, RhxDeviceSource *program);
/* Its text alone, without headers; free with PetscFree. */
PetscErrorCode RhxFormDeviceText(RhxForm form, const RhxCells *cells, PetscBool rate, PetscBool source,
                                 const char *number, const char *kernels, char **text);
/* Copies the parameters of laws and stabilisers to a loaded program of that kind, now and, until RhxFormDeviceDestroyProgram, whenever
 * RhxFormReadParameters reads them anew. */
PetscErrorCode RhxFormDeviceSetParameters(RhxForm form, RhxDevice device, RhxDeviceProgram program);
PetscErrorCode RhxFormDeviceDestroyProgram(RhxForm form, RhxDeviceProgram *program);
#endif
