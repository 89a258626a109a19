#include "scheme/splits.h"
#include "petsc_compat.h"

const char *const RhxSplitsReadLater[] = {
    "fieldsplit_",       "sub_",       "mg_levels_", "mg_coarse_", "redundant_", "gamg_",
    "mat_superlu_dist_", "mat_mumps_", "asm_",       "renew_",     NULL};

static PetscErrorCode add(RhxForm form, PC pc, const char *name, RhxFieldGroup first, RhxFieldGroup last)
{
  const RhxSpace sp = form->space;
  const PetscInt start = RhxFieldsStart(sp->fields, first), width = RhxFieldsEnd(sp->fields, last) - start;
  PetscInt *row;
  IS is;
  PetscFunctionBegin;
  if (width <= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(sp->nowned * width, &row));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < width; c++) row[i * width + c] = (sp->rstart + i) * sp->bs + start + c;
  PetscCall(ISCreateGeneral(form->comm, sp->nowned * width, row, PETSC_OWN_POINTER, &is));
  PetscCall(ISSetBlockSize(is, width));
  PetscCall(PCFieldSplitSetIS(pc, name, is));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSplitsUse(RhxForm form, PC pc)
{
  const char *prefix;
  char type[64] = "";
  PetscBool own;
  PetscFunctionBegin;
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-pc_type", type, sizeof(type), NULL));
  PetscCall(PetscOptionsHasName(NULL, prefix, "-pc_fieldsplit_0_fields", &own));
  if (own || strcmp(type, PCFIELDSPLIT)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCSetType(pc, PCFIELDSPLIT));
  if (form->nmodes) PetscCall(add(form, pc, "polymer", RHX_GROUP_MODES, RHX_GROUP_MODES));
  PetscCall(add(form, pc, "flow", RHX_GROUP_VELOCITY, RHX_GROUP_PRESSURE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
