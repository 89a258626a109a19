/* The columns of a diagnostic's table, and its values behind which nothing may be written. */
#include "diagnostics/named_impl.h"
#include "petsc_compat.h"
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The labels that begin a column's name. */
static void labels_of(const RhxDiagnostic *d, const char *column, size_t size, char *text)
{
  size_t at = 0;

  text[0] = '\0';
  for (PetscInt k = 0; k < d->nlabels && at < size; k++)
    if (!strncmp(column, d->label[k], strlen(d->label[k])))
      at += (size_t)snprintf(text + at, size - at, "%s'%s'", at ? " and " : ", of the labels ", d->label[k]);
}

/* Fit for a table of commas. */
static PetscBool is_word(const char *text)
{
  for (const char *c = text; *c; c++)
    if (*c == ',' || *c == '"' || (unsigned char)*c < ' ' || *c == 127) return PETSC_FALSE;
  return PETSC_TRUE;
}

PetscErrorCode RhxDiagnosticCheckColumns(const RhxDiagnostic *d)
{
  char **sorted, labels[512];
  const PetscInt n = d->ncolumns;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) {
    PetscCheck(is_word(d->column[k]) && d->column[k][0], d->all->comm, PETSC_ERR_USER_INPUT,
               "%s: got the column '%s', expected a name without comma, quotation mark or end of line, which a table "
               "cannot hold",
               d->maker, d->column[k]);
    PetscCheck(is_word(d->unit[k]), d->all->comm, PETSC_ERR_USER_INPUT,
               "%s: got the unit '%s' of the column '%s', expected one without comma, quotation mark or end of line",
               d->maker, d->unit[k], d->column[k]);
    PetscCheck(strcmp(d->column[k], "step") && strcmp(d->column[k], "t"), d->all->comm, PETSC_ERR_USER_INPUT,
               "%s: got the column '%s', which every table begins with, expected another name", d->maker, d->column[k]);
  }
  PetscCall(PetscMalloc1(n, &sorted));
  PetscCall(PetscArraycpy(sorted, d->column, n));
  if (n) qsort(sorted, (size_t)n, sizeof(*sorted), compare_names);
  for (PetscInt k = 1; k < n; k++) {
    if (strcmp(sorted[k - 1], sorted[k])) continue;
    labels_of(d, sorted[k], sizeof(labels), labels);
    SETERRQ(d->all->comm, PETSC_ERR_USER_INPUT,
            "%s: got two columns '%s'%s, expected different ones: a diagnostic for each, or other labels", d->maker,
            sorted[k], labels);
  }
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define GUARD 64                     /* doubles behind the columns */
#define UNTOUCHED (-0x1.8badcafep77) /* what they hold */

PetscErrorCode RhxDiagnosticMakeValues(RhxDiagnostic *d)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(2 + d->ncolumns + GUARD, &d->values));
  for (PetscInt k = 0; k < GUARD; k++) d->values[2 + d->ncolumns + k] = UNTOUCHED;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticFill(RhxDiagnostic *d, const RhxDiagnosticStep *step)
{
  PetscInt n = GUARD;

  PetscFunctionBegin;
  PetscCall(d->type->evaluate(d, step, d->values + 2));
  while (n > 0 && d->values[1 + d->ncolumns + n] == UNTOUCHED) n--;
  PetscCheck(!n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "%s: got at least %" PetscInt_FMT
             " values from evaluate of the kind '%s', expected as many as the columns "
             "that its setup has added, %" PetscInt_FMT "%s",
             d->maker, d->ncolumns + n, d->type->entry.name, d->ncolumns,
             d->type->setup ? "" : " (it has no setup: RhxDiagnosticAddColumn is called there)");
  PetscFunctionReturn(PETSC_SUCCESS);
}
