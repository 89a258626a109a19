/* What checkpoints keep besides the fields: the states of conditions and of the scheme, under names. */
#include "case/impl.h"
#include "plugin/needs.h"
#include "plugin/option.h"
#include <stdlib.h>

PetscErrorCode RhxCaseCollectNumbers_Private(RhxCase rc)
{
  RhxNumbers *numbers;
  PetscInt n, count, own;
  double *values;
  PetscBool tacit;
  char name[256];

  PetscFunctionBegin;
  for (count = 0, n = 1; n; count += n > 0) PetscCall(RhxBoundaryGetState(rc->bc, count, name, &n, &values, &tacit));
  PetscCall(RhxSchemeGetNumbers(rc->ts, name, &own, &values));
  PetscCall(PetscCalloc1(count + 1, &numbers));
  for (PetscInt i = 0; i < count; i++)
    PetscCall(RhxBoundaryGetState(rc->bc, i, numbers[i].name, &numbers[i].n, &numbers[i].values, &numbers[i].tacit));
  if (own) {
    PetscCall(PetscStrncpy(numbers[count].name, name, sizeof(numbers[count].name)));
    numbers[count].n = own;
    numbers[count].values = values;
    count++;
  }
  rc->nnumbers = count;
  rc->numbers = numbers;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseGivenTime_Private(RhxCase rc, double t, double *given)
{
  PetscBool steady;

  PetscFunctionBegin;
  PetscCall(RhxSchemeIsSteady(rc->ts, &steady));
  *given = t;
  if (steady) PetscCall(RhxSchemeGetGivenTime(rc->ts, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseKeepNumbers_Private(RhxCase rc, int slot)
{
  RhxNumbers *kept = rc->kept[slot];

  PetscFunctionBegin;
  if (!kept) {
    PetscCall(PetscMalloc1(rc->nnumbers, &kept));
    for (PetscInt i = 0; i < rc->nnumbers; i++) {
      kept[i] = rc->numbers[i];
      PetscCall(PetscMalloc1(kept[i].n, &kept[i].values));
    }
    rc->kept[slot] = kept;
  }
  for (PetscInt i = 0; i < rc->nnumbers; i++)
    PetscCall(PetscArraycpy(kept[i].values, rc->numbers[i].values, kept[i].n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lists of numbers, or words. */
static PetscBool same_value(const char *a, const char *b)
{
  char *past[2];

  while (*a && *b && strcmp(a, b)) {
    const double x = strtod(a, &past[0]), y = strtod(b, &past[1]);
    if (past[0] == a || past[1] == b || x != y || *past[0] != *past[1]) return PETSC_FALSE;
    a = past[0] + (*past[0] != '\0');
    b = past[1] + (*past[1] != '\0');
  }
  return (PetscBool)!strcmp(a, b);
}

static PetscBool is_bool(const char *option)
{
  const RhxRow *row = RhxOptionRow(option);
  return (PetscBool)(row && row->kind == RHX_BOOL);
}

/* Adds "option value (now value)" where the case has another one. */
static PetscErrorCode add_changed(const char *option, const char *value, size_t size, char *text)
{
  const size_t used = strlen(text);
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const char *name, *now;
    PetscCall(RhxOptionsReadGet(i, &name, &now, NULL));
    if (strcmp(name, option)) continue;
    if (!same_value(value, now) && !(is_bool(option) && RhxBoolsAgree(value, now)))
      snprintf(text + used, size - used, "%s%s %s (now %s)", used ? ", " : "", option, value, now);
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A continuation's own parameter is told by it. */
static PetscErrorCode say_changed(RhxCase rc, char *parameters)
{
  char text[2048] = "", along[256] = "";

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-scheme_steady_continuation", along, sizeof(along), NULL));
  along[strcspn(along, "=")] = '\0';
  for (char *at = parameters, *next; *at; at = next) {
    char *value = at + strcspn(at, "=;");
    next = at + strcspn(at, ";");
    if (*next) *next++ = '\0';
    if (*value != '=') continue;
    *value++ = '\0';
    if (strcmp(at, along)) PetscCall(add_changed(at, value, sizeof(text), text));
  }
  if (text[0]) PetscCall(PetscPrintf(rc->comm, "%s is a state of other parameters: %s\n", rc->option.restart, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseSayNew_Private(RhxCase rc, const char *lacking, char *parameters)
{
  PetscFunctionBegin;
  if (lacking[0])
    PetscCall(PetscPrintf(rc->comm, "%s lacks the fields %s%s: they begin with their initial values (%s)\n",
                          rc->option.restart, lacking, rc->option.restart_fields ? ", or they are not taken" : "",
                          rc->option.restart_fields ? "-case_restart_fields" : "-restart_missing_fields"));
  for (PetscInt i = 0; i < rc->nnumbers; i++)
    if (!rc->numbers[i].found && !rc->numbers[i].tacit)
      PetscCall(PetscPrintf(rc->comm, "%s has no %s: it begins anew\n", rc->option.restart, rc->numbers[i].name));
  PetscCall(say_changed(rc, parameters));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseDestroyNumbers_Private(RhxCase rc)
{
  PetscFunctionBegin;
  for (int slot = 0; slot < RHX_KEPT_STATES; slot++) {
    for (PetscInt i = 0; rc->kept[slot] && i < rc->nnumbers; i++) PetscCall(PetscFree(rc->kept[slot][i].values));
    PetscCall(PetscFree(rc->kept[slot]));
  }
  PetscCall(PetscFree(rc->numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}
