/* Rows of plugins of scalar fields that name a field of the case (ROW(FIELD, ...) of plugin_macros.h). */
#ifndef RHX_NEEDS_H
#define RHX_NEEDS_H
#include <petscsys.h>
#include <rheoplex/plugin.h>

/* Its slot is zero until the fields are known: then the field's place less that of the plugin's own first one. */
PetscBool RhxRowNamesField(const RhxRow *row);
#endif
