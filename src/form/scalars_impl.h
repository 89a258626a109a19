/* Scalar fields of plugins in the form. */
#ifndef RHX_FORM_SCALARS_IMPL_H
#define RHX_FORM_SCALARS_IMPL_H
#include "form/scalars.h"

/* par: of the plugin, taken over. */
PetscErrorCode RhxFormAddScalars(RhxForm form, const RhxPlugin *plugin, void *par);
/* After all physics are added: the fields that plugins read of others, by their names. Collective. */
PetscErrorCode RhxFormResolveFields(RhxForm form);
PetscErrorCode RhxFormAskShift(RhxForm form); /* a field that the flow feels, if there is one */
PetscErrorCode RhxFormDeclareScalars(RhxForm form, RhxFields fields);
#endif
