/* Of rows, for what reads them: those that name a field of the case (ROW(FIELD, ...) of plugin_macros.h), slots, truth values. */
#ifndef RHX_NEEDS_H
#define RHX_NEEDS_H
#include <petscsys.h>
#include <rheoplex/plugin.h>

/* Its slot is zero until the fields are known: then the field's place less that of the plugin's own first one. */
PetscBool RhxRowNamesField(const RhxRow *row);
unsigned long RhxRowSize(const RhxRow *row);           /* of its slot, bytes */
PetscBool RhxBoolsAgree(const char *a, const char *b); /* two texts of rows of RHX_BOOL: the same value? */
#endif
