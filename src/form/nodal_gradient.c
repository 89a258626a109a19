#include "form/nodal_gradient.h"
#include "form/inside_impl.h"
#include "petsc_compat.h"

PetscErrorCode RhxFormSetNodalGradient(RhxForm form, RhxNodalGradientFn find, void *ctx)
{
  PetscFunctionBegin;
  form->in->nodal_gradient = find;
  form->in->nodal_ctx = ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormNodalGradient(RhxForm form, const PetscScalar *phi, PetscScalar *r)
{
  PetscFunctionBegin;
  if (form->in->nodal_gradient)
    PetscCall(form->in->nodal_gradient(form->in->nodal_ctx, phi, r));
  else
    PetscCall(RhxFormGradient(form, phi, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
