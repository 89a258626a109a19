#include "form/taken.h"
#include "output/fit_impl.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define VERSION 1

void RhxHeadAppend(char text[RHX_HEAD_TEXT], const char *word)
{
  const size_t n = strlen(text);

  snprintf(text + n, RHX_HEAD_TEXT - n, "%s%s", n ? "," : "", word);
}

static PetscBool is_full(const char *text) { return (PetscBool)(strlen(text) == RHX_HEAD_TEXT - 1); }

/* Is one of the owner's fields there? column NULL: all are. */
static PetscBool is_there(RhxSpace space, const char *owner, const PetscInt *column)
{
  for (PetscInt f = 0; f < space->nfields; f++)
    if (!strcmp(space->field[f].owner, owner) && (!column || column[space->field[f].offset] >= 0)) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* The solvent, the modes and the owners of scalar fields, those alone that have a column. */
static void list_physics(RhxForm form, const PetscInt *column, char text[RHX_HEAD_TEXT])
{
  char word[256];

  text[0] = '\0';
  RhxHeadAppend(text, form->viscous ? form->viscous->name : "no solvent");
  for (PetscInt m = 0; m < form->nmodes; m++) {
    if (column && column[RhxFieldsGet(form->space->fields, RHX_GROUP_MODES, m)->offset] < 0) continue;
    snprintf(word, sizeof word, "%.200s:%d", form->mode[m].law->name, (int)form->mode[m].number);
    RhxHeadAppend(text, word);
  }
  for (PetscInt k = 0; k < form->nowners; k++)
    if (is_there(form->space, form->owner[k].plugin->name, column)) RhxHeadAppend(text, form->owner[k].plugin->name);
}

/* As they were read last; those beyond the room are left out. */
static PetscErrorCode list_parameters(char text[RHX_HEAD_TEXT])
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const size_t used = strlen(text);
    const char *name, *value;
    const RhxRow *row;

    PetscCall(RhxOptionsReadGet(i, &name, &value, NULL));
    if (strncmp(name, "physics_", 8) && strcmp(name, "form_density")) continue;
    row = RhxOptionRow(name);
    if (row && row->kind != RHX_STRING && used + strlen(name) + strlen(value) + 3 < RHX_HEAD_TEXT)
      snprintf(text + used, RHX_HEAD_TEXT - used, "%s%s=%s", used ? ";" : "", name, value);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxHeadMake(RhxForm form, PetscInt step, double t, double dt, PetscBool has_rate, RhxHead *h)
{
  RhxSpace space = form->space;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(h, sizeof *h));
  h->version = VERSION;
  h->nodes = space->nglobal;
  h->dim = space->dim;
  h->ntens = space->ntens;
  h->axisymmetric = space->axisymmetric;
  h->modes = space->nmodes;
  h->block = space->bs;
  h->step = step;
  h->has_rate = has_rate;
  h->t = h->given_t = t;
  h->dt = dt;
  for (PetscInt f = 0; f < space->nfields; f++) RhxHeadAppend(h->fields, space->field[f].name);
  list_physics(form, NULL, h->physics);
  PetscCheck(!is_full(h->fields) && !is_full(h->physics), form->comm, PETSC_ERR_SUP,
             "checkpoints list the names of fields and laws: got more than %d characters for %" PetscInt_FMT
             " fields, expected less (fewer modes, shorter names)",
             RHX_HEAD_TEXT - 2, space->nfields);
  snprintf(h->representation, sizeof h->representation, "%s", RhxRepresentationNames[form->representation]);
  PetscCall(list_parameters(h->parameters));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFitCreate(RhxForm form, RhxRestartFields take, PetscBool may_lack, RhxFit *fit)
{
  PetscFunctionBegin;
  *fit = (RhxFit){.form = form, .take = take, .may_lack = may_lack};
  PetscCall(PetscNew(&fit->mine));
  PetscCall(PetscMalloc1(form->space->bs, &fit->column));
  PetscCall(RhxHeadMake(form, 0, 0, 0, PETSC_FALSE, fit->mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFitDestroy(RhxFit *fit)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(fit->mine));
  PetscCall(PetscFree(fit->column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What takes it nevertheless. */
#define BY_FIELDS "; -case_restart_fields conformation (or flow) takes what both have"
#define BY_MESH "; -case_restart_mesh map interpolates from another mesh"

static void compare_int(const char *file, const char *what, int got, int expected, const char *way,
                        char message[RHX_MESSAGE])
{
  if (got == expected || message[0]) return;
  snprintf(message, RHX_MESSAGE,
           "checkpoint %.400s does not fit this case: %s: got %d, expected %d (option -case_restart%s)", file, what,
           got, expected, way);
}

static void compare_text(const char *file, const char *what, const char *got, const char *expected,
                         char message[RHX_MESSAGE])
{
  if (!strcmp(got, expected) || message[0]) return;
  snprintf(message, RHX_MESSAGE,
           "checkpoint %.400s does not fit this case: %s: got \"%.200s\", expected \"%.200s\" (option "
           "-case_restart" BY_FIELDS ")",
           file, what, got, expected);
}

/* The list goes on behind the word; NULL: it does not begin with it. */
static const char *after(const char *list, const char *word)
{
  const size_t n = strlen(word);

  if (!n || strncmp(list, word, n) || (list[n] && list[n] != ',')) return NULL;
  return list + n + (list[n] == ',');
}

/* Columns of the file's fields; *block of them. PETSC_FALSE: they are not some of the form's in their order. */
static PetscBool find_columns(RhxFit *fit, const char *list, int *block)
{
  const RhxSpace space = fit->form->space;

  *block = 0;
  fit->lacking[0] = '\0';
  for (PetscInt f = 0; f < space->nfields; f++) {
    const RhxField *field = &space->field[f];
    const char *rest = after(list, field->name);

    if (!rest) rest = after(list, field->former);
    for (PetscInt a = 0; a < field->components; a++) fit->column[field->offset + a] = rest ? (*block)++ : -1;
    if (rest)
      list = rest;
    else
      RhxHeadAppend(fit->lacking, field->name);
  }
  return (PetscBool)!list[0];
}

static void check_fields(RhxFit *fit, const char *file, const RhxHead *head, char message[RHX_MESSAGE])
{
  char physics[RHX_HEAD_TEXT];
  int block;
  const PetscBool known = find_columns(fit, head->fields, &block);

  if (head->axisymmetric >= 0)
    compare_int(file, "axisymmetric flow (-form_axisymmetric)", head->axisymmetric, fit->mine->axisymmetric, BY_FIELDS,
                message);
  list_physics(fit->form, known ? fit->column : NULL, physics);
  compare_text(file, "physics", head->physics, physics, message);
  if (head->modes && fit->mine->modes)
    compare_text(file, "polymer variable", head->representation, fit->mine->representation, message);
  if (!known) compare_text(file, "fields", head->fields, fit->mine->fields, message);
  compare_int(file, "values a node", head->block, block, BY_FIELDS, message);
  if (!fit->lacking[0] || fit->may_lack || message[0]) return;
  snprintf(message, RHX_MESSAGE,
           "checkpoint %.400s lacks fields of this case: got \"%.200s\", expected \"%.200s\" too, or "
           "-restart_missing_fields initial, with which they begin as -initial_... says (option -case_restart)",
           file, head->fields, fit->lacking);
}

void RhxFitCheck(RhxFit *fit, const char *file, const RhxHead *head, char message[RHX_MESSAGE])
{
  compare_int(file, "format version", head->version, VERSION, "", message);
  compare_int(file, "dimension", head->dim, fit->mine->dim, "", message);
  compare_int(file, "number of nodes", head->nodes, fit->mine->nodes, BY_MESH, message);
  if (fit->take == RHX_RESTART_SAME)
    check_fields(fit, file, head, message);
  else
    RhxFitLoosely(fit, file, head, message);
  if (!message[0] &&
      !(head->step >= 0 && isfinite(head->t) && isfinite(head->given_t) && head->dt >= 0 && isfinite(head->dt)))
    snprintf(message, RHX_MESSAGE,
             "checkpoint %.400s is damaged: got step %d, t = %g, dt = %g, expected a step from 0, a finite time and "
             "step size (option -case_restart)",
             file, head->step, head->t, head->dt);
}
