/* Gradients of nodal fields that are no unknowns of a pass: found where the elements are. */
#ifndef RHX_NODAL_GRADIENT_H
#define RHX_NODAL_GRADIENT_H
#include "form/form.h"

/* r[nlocal][dim] of this rank's nodes = integral N grad phi, sums over ranks; phi[nlocal] with ghosts; host memory. Collective. */
typedef PetscErrorCode (*RhxNodalGradientFn)(void *ctx, const PetscScalar *phi, PetscScalar *r);
/* From now on a device finds them; NULL: the host. */
PetscErrorCode RhxFormSetNodalGradient(RhxForm form, RhxNodalGradientFn find, void *ctx);
PetscErrorCode RhxFormNodalGradient(RhxForm form, const PetscScalar *phi, PetscScalar *r);
#endif
