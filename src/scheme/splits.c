#include "scheme/splits.h"
#include "petsc_compat.h"

const char *const RhxSplitsReadLater[] = {
    "fieldsplit_",       "sub_",       "mg_levels_", "mg_coarse_", "redundant_", "gamg_",
    "mat_superlu_dist_", "mat_mumps_", "asm_",       "renew_",     NULL};

/* A split of `width` values from `start` on in every node block. */
static PetscErrorCode add(RhxForm form, PC pc, const char *name, PetscInt start, PetscInt width)
{
  const RhxSpace sp = form->space;
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
  const RhxSpace sp = form->space;
  const PetscInt flow = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY),
                 modes = RhxFieldsStart(sp->fields, RHX_GROUP_MODES), end = RhxFieldsEnd(sp->fields, RHX_GROUP_MODES);
  const char *prefix;
  char type[64] = "";
  PetscBool own, fields = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-pc_type", type, sizeof(type), NULL));
  PetscCall(PetscOptionsHasName(NULL, prefix, "-pc_fieldsplit_0_fields", &own));
  if (own || strcmp(type, PCFIELDSPLIT)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCSetType(pc, PCFIELDSPLIT));
  PetscCall(PetscOptionsGetBool(NULL, prefix, "-pc_fieldsplit_dm_splits", &fields, NULL));
  for (PetscInt f = 0; fields && f < sp->nfields; f++)
    PetscCall(add(form, pc, sp->field[f].name, sp->field[f].offset, sp->field[f].components));
  if (fields) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(add(form, pc, "polymer", modes, end - modes));
  PetscCall(add(form, pc, "flow", flow, modes - flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}
