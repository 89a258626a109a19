/* Types of conditions by name, for lists and help. */
#ifndef RHX_BOUNDARY_TYPES_H
#define RHX_BOUNDARY_TYPES_H
#include <rheoplex/extension.h>

PetscBool RhxBoundaryHasType(const char *name);
const RhxEntry *RhxBoundaryTypeEntry(PetscInt i); /* NULL: past the last */
/* With their options; name: that one, an unknown one is an error; NULL: all. label: of that which its name begins with. */
PetscErrorCode RhxBoundaryTypesView(const char *name, PetscViewer viewer);
PetscErrorCode RhxBoundaryLabelView(const char *label, PetscViewer viewer);
#endif
