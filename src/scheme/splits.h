/* The unknowns of a node in groups, for preconditioners that treat each by itself. Private to scheme. */
#ifndef RHX_SPLITS_H
#define RHX_SPLITS_H
#include "form/form.h"
#include <petscpc.h>

/* Where options ask for fieldsplit and do not name its fields: `polymer`, all modes, then `flow`, velocity and pressure; with
 * -pc_fieldsplit_dm_splits the fields of the DM, each by its name. Before PCSetFromOptions. */
PetscErrorCode RhxSplitsUse(RhxForm form, PC pc);
/* Beginnings of the options that preconditioners read when they are set up; the list ends with NULL. */
extern const char *const RhxSplitsReadLater[];
#endif
