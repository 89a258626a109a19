#include "form/scalars_impl.h"
#include "petsc_compat.h"

PetscErrorCode RhxFormAddScalars(RhxForm form, const RhxPlugin *plugin, void *par)
{
  PetscFunctionBegin;
  PetscCheck(form->nscalars + plugin->nscalars <= RHX_MAX_SCALARS, form->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "Too many scalar fields: got %" PetscInt_FMT " with those of '%s', expected at most %d (option -physics)",
             form->nscalars + plugin->nscalars, plugin->name, RHX_MAX_SCALARS);
  form->owner[form->nowners] = (RhxFormScalars){plugin, par, form->nscalars};
  if (plugin->flags & RHX_IS_SWIRL) {
    PetscCheck(form->swirl < 0 && plugin->nscalars == 1, form->comm, PETSC_ERR_ARG_INCOMP,
               "-physics: got '%s' with %d fields%s, expected one field for the azimuthal velocity", plugin->name,
               plugin->nscalars, form->swirl < 0 ? "" : " beside another azimuthal velocity");
    form->swirl = form->nscalars;
  }
  for (int k = 0; k < plugin->nscalars; k++) {
    RhxFormScalar *sc = &form->scalar[form->nscalars++];
    *sc = (RhxFormScalar){.row = &plugin->scalars[k], .owner = form->nowners, .number = k};
    PetscCall(RhxScalarSettingsRead(form->comm, sc->row, &sc->set));
  }
  form->nowners++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeclareScalars(RhxForm form, RhxFields fields)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nscalars; k++) {
    const RhxScalarRow *row = form->scalar[k].row;
    const PetscBool from = (PetscBool)(row->bound != RHX_ANY);
    const PetscBool to = (PetscBool)(row->bound == RHX_IN || row->bound == RHX_IN_RIGHT_OPEN);
    PetscCall(RhxFieldsAdd(fields,
                           &(RhxFieldRow){.name = row->name,
                                          .unit = row->unit,
                                          .output = row->name,
                                          .owner = form->owner[form->scalar[k].owner].plugin->name,
                                          .kind = RHX_SCALAR,
                                          .group = RHX_GROUP_SCALARS,
                                          .reflection = RHX_REFLECTS_EVEN,
                                          .mass = 1,
                                          .couplings = form->owner[form->scalar[k].owner].plugin->flags & ~RHX_IS_SWIRL,
                                          .lower = from ? row->lower : PETSC_NINFINITY,
                                          .upper = to ? row->upper : PETSC_INFINITY}));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RhxFormAuxCount(RhxForm form, RhxAuxOwner of)
{
  return of == RHX_OF_FLOW ? 1 : of == RHX_OF_MODE ? form->nmodes : form->nscalars;
}

PetscInt RhxFormAuxStart(RhxForm form, RhxAuxOwner of, PetscInt k)
{
  if (of == RHX_OF_FLOW) return 0;
  if (of == RHX_OF_MODE) return form->naux_flow + k * form->naux_mode;
  return form->naux_flow + form->nmodes * form->naux_mode + k * form->naux_scalar;
}
