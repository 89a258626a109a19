/* The part of a form that is about listed nodes: what residuals take that are wanted at these alone. */
#ifndef RHX_PATCH_H
#define RHX_PATCH_H
#include "form/form.h"

/* The elements at the nodes, and those that projections at the nodes of these take: with corrections by the consistent mass a ring
 * more for each. Where projections solve with the consistent mass they take all: project and row are NULL. */
typedef struct _RhxPatch *RhxPatch;
struct _RhxPatch {
  RhxSpace space;               /* borrowed */
  RhxCells *residual, *project; /* [ntypes] */
  PetscInt nrows, *row;         /* local nodes of products with the consistent mass on the host */
  double flops[2][64];          /* of its residuals and projections: RhxForm.flops */
};

/* Once it is known how the form projects. nodes: local ones, of each rank its own. Collective. */
PetscErrorCode RhxPatchCreate(RhxForm form, IS nodes, RhxPatch *patch);
PetscErrorCode RhxPatchDestroy(RhxPatch *patch);
/* Until the next call projections and residuals, here and on a device, and products with the consistent mass are those of a patch, borrowed
 * until the end of the operations: right at its nodes, of other nodes not to be read. NULL: of all elements. */
PetscErrorCode RhxFormSetPatch(RhxForm form, RhxPatch patch);
/* The local nodes of products with the consistent mass, n of them; NULL: all, and n is left alone. */
const PetscInt *RhxFormGetPatchRows(RhxForm form, PetscInt *n);
#endif
