#include "solver/defaults.h"
#include "petsc_compat.h"

static PetscErrorCode full_name(const RhxDefaults *d, int k, char name[512])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, 512, "-%s%s", d->prefix, d->list[k].name + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDefaultsSet(const char *prefix, const RhxDefault *list, int n, RhxDefaults *defaults)
{
  char name[512];
  PetscFunctionBegin;
  PetscCheck(n <= RHX_DEFAULTS_MOST, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Too many defaults: got %d, expected %d at most",
             n, RHX_DEFAULTS_MOST);
  defaults->list = list;
  defaults->n = n;
  PetscCall(PetscStrncpy(defaults->prefix, prefix ? prefix : "", sizeof(defaults->prefix)));
  for (int k = 0; k < n; k++) {
    PetscCall(full_name(defaults, k, name));
    PetscCall(PetscOptionsHasName(NULL, NULL, name, &defaults->given[k]));
    if (!defaults->given[k]) PetscCall(PetscOptionsSetValue(NULL, name, list[k].value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDefaultsClear(const RhxDefaults *defaults)
{
  char name[512];
  PetscFunctionBegin;
  for (int k = 0; k < defaults->n; k++) {
    PetscCall(full_name(defaults, k, name));
    if (!defaults->given[k]) PetscCall(PetscOptionsClearValue(NULL, name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
