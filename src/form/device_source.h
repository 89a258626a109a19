/* The text of the device program of a form on one cell type: laws and stabilisers fused with kernels/element.cuh. */
#ifndef RHX_DEVICE_SOURCE_H
#define RHX_DEVICE_SOURCE_H
#include "form/form.h"

/* Sources that every program includes, embedded in the library: names as the programs include them. */
extern const char *const RhxEmbeddedNames[], *const RhxEmbeddedTexts[];
extern const int RhxEmbeddedCount;

/* The program for cells of `type`; rate, source: whether xdot and form->source are read. Free with PetscFree. The error of a
 * plugin without a readable source beside its shared object names the file. */
PetscErrorCode RhxFormDeviceSource(RhxForm form, const RhxCells *cells, PetscBool rate, PetscBool source, char **text);
#endif
