/* The unknowns of a node in groups, for preconditioners that treat each by itself. */
#ifndef RHX_SPLITS_IMPL_H
#define RHX_SPLITS_IMPL_H
#include "form/form.h"
#include <petscpc.h>

/* Where options ask for telescope or fieldsplit, before PCSetFromOptions; of the latter with -pc_fieldsplit_groups `polymer`, all modes, `flow`, velocity and
 * pressure and scalar fields of -field_<name>_block flow, `scalars`, the others; else what PETSc makes of the DM, for which names of fields become numbers and every field has to be in one split. */
PetscErrorCode RhxSplitsUse(RhxForm form, PC pc);
/* Is it the split by groups with multigrid for a flow of velocity and pressure alone, of which options ask nothing else? asked[size]:
 * the option that does, where it is such a split but for that, or "". */
PetscErrorCode RhxSplitsAreOwn(RhxForm form, PC pc, PetscBool *own, size_t size, char *asked);
/* Of such a split: the flow by a Schur complement of the pressure, S = T - D diag(F)^-1 G of its matrix [F G; D T], by factors of S, in large
 * meshes in space multigrid, and GMRES with F, as options of both parts do not say otherwise; or by its multigrid again. What was
 * set up for the other is freed, and the next set-up is the first. */
PetscErrorCode RhxSplitsBuildFlow(RhxForm form, PC pc, PetscBool schur);
/* Reads the options of both parts as they are read when it is chosen, so that what is wrong with them is told at once. */
PetscErrorCode RhxSplitsTryFlow(RhxForm form);
/* Before preconditioners are set up: products of a matrix on the device that are too large for cuSPARSE are formed on the host, and told. */
PetscErrorCode RhxSplitsSpareDevice(RhxForm form, Mat P);
/* Beginnings of the options that preconditioners read when they are set up; the list ends with NULL. */
extern const char *const RhxSplitsReadLater[];
/* Those of the Schur complement's parts, but what RhxSplitsTryFlow reads. */
extern const char *const RhxSplitsReadWhenTurned[];
#endif
