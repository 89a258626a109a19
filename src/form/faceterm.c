/* What boundary hands the form: terms of faces, the nodes of open ones, sources. */
#include "form/faceterm.h"
#include "form/form.h"
#include "petsc_compat.h"

PetscErrorCode RhxFormAddFaceTerm(RhxForm form, const RhxFaceTerm *term)
{
  const PetscInt most = PETSC_STATIC_ARRAY_LENGTH(form->face_term);
  PetscFunctionBegin;
  PetscCheck(form->nface_terms < most, form->comm, PETSC_ERR_SUP,
             "-bc_%s_type: got more than %" PetscInt_FMT " labels with a traction", term->faces->label, most);
  form->face_term[form->nface_terms++] = *term;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormSlopesChanged(RhxForm form)
{
  PetscFunctionBegin;
  form->slopes++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDropFaceTerms(RhxForm form)
{
  PetscFunctionBegin;
  form->nface_terms = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormNeedSource(RhxForm form, PetscScalar **source)
{
  PetscFunctionBegin;
  if (!form->source) PetscCall(PetscCalloc1(form->space->nlocal * form->space->bs, &form->source));
  *source = form->source;
  PetscFunctionReturn(PETSC_SUCCESS);
}

RhxOpenNodes *RhxFormGetOpenNodes(RhxForm form) { return &form->open; }

PetscErrorCode RhxFormNeedLoad(RhxForm form, PetscScalar **load)
{
  PetscFunctionBegin;
  if (!form->load) PetscCall(PetscCalloc1(form->space->nlocal * form->space->bs, &form->load));
  *load = form->load;
  PetscFunctionReturn(PETSC_SUCCESS);
}
