#include "boundary/told.h"
#include "petsc_compat.h"
#include <stdio.h>
#include <string.h>

PetscErrorCode RhxToldAdd(RhxTold *told, const char *label, double value)
{
  PetscInt k = 0;

  PetscFunctionBegin;
  while (k < told->n && strcmp(told->label[k], label)) k++;
  if (k < told->n) {
    told->value[k] = PetscMax(told->value[k], value);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscRealloc((told->n + 1) * sizeof(*told->label), &told->label));
  PetscCall(PetscRealloc((told->n + 1) * sizeof(*told->value), &told->value));
  told->label[told->n] = label;
  told->value[told->n++] = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxToldDestroy(RhxTold *told)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(told->label));
  PetscCall(PetscFree(told->value));
  told->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What stands before item k. */
static const char *between(const RhxTold *told, PetscInt k) { return !k ? "" : k + 1 < told->n ? ", " : " and "; }

void RhxToldName(const RhxTold *told, const char *before, const char *after, size_t size, char *text)
{
  text[0] = '\0';
  for (PetscInt k = 0; k < told->n; k++) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s%s%s", between(told, k), before, told->label[k], after);
  }
}

void RhxToldValues(const RhxTold *told, double factor, size_t size, char *text)
{
  text[0] = '\0';
  for (PetscInt k = 0; k < told->n; k++) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%.3g", between(told, k), factor * told->value[k]);
  }
}

const char *RhxToldOption(const RhxTold *told) { return told->n == 1 ? told->label[0] : "<label>"; }
