/* Formulas of the polymer's unknown need an unknown that the case names. */
#include "case/choose_impl.h"
#include "case/impl.h"
#include "form/taken.h"
#include <string.h>

/* The first option that is given of -initial_stress and -bc_<label>_stress, or "". */
static PetscErrorCode find_formulas(size_t size, char *option)
{
  static const char first[] = "-initial_stress", begin[] = "-bc_", end[] = "_stress", other[] = "_by_stress";
  char *all;

  PetscFunctionBegin;
  option[0] = '\0';
  PetscCall(PetscOptionsGetAll(NULL, &all));
  for (char *at = strtok(all, " \n\t"); at && !option[0]; at = strtok(NULL, " \n\t")) {
    const size_t n = strlen(at);
    const PetscBool label =
        (PetscBool)(!strncmp(at, begin, strlen(begin)) && n > strlen(begin) + strlen(end) &&
                    !strcmp(at + n - strlen(end), end) && (n < strlen(other) || strcmp(at + n - strlen(other), other)));
    if (label || !strcmp(at, first)) snprintf(option, size, "%s", at);
  }
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseCheckUnknown_Private(RhxCase rc)
{
  const RhxRepresentation unknown = rc->form->representation;
  const char *made = unknown == RHX_LOGCONF ? "the logarithm of the conformation" : "the conformation";
  char option[256];

  PetscFunctionBegin;
  if (!rc->variable[0] || unknown == RHX_STRESS) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_formulas(sizeof(option), option));
  PetscCheck(
      !option[0] || !rc->follows_variable, rc->comm, PETSC_ERR_ARG_WRONG,
      "%s: got formulas of the unknown of -polymer_variable, which the checkpoint has as %s (-case_restart), "
      "expected one that the case names, -polymer_variable %s, or another with -case_restart_fields conformation",
      option, made, RhxRepresentationNames[unknown]);
  PetscCheck(!option[0], rc->comm, PETSC_ERR_ARG_WRONG,
             "%s: got formulas of the unknown of -polymer_variable, which auto made %s, expected one that the case "
             "names, -polymer_variable %sconformation or logconf%s",
             option, made, RhxFormPlainRepresentation(rc->form) == RHX_STRESS ? "stress, " : "",
             strcmp(option, "-initial_stress") ? "" : ", or -initial_conformation");
  PetscFunctionReturn(PETSC_SUCCESS);
}
