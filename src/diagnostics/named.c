#include "diagnostics/mean_impl.h"
#include "diagnostics/named_impl.h"
#include "diagnostics/sample_impl.h"
#include "output/text.h"
#include "petsc_compat.h"
#include "plugin/catalogue.h"
#include "plugin/option.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char kind[RHX_STRING_LENGTH];
  int every;
  double every_dt;
  char strouhal[RHX_STRING_LENGTH];
  int strouhal_periods;
} Common;

static const RhxRow common_rows[] = {
    {"kind", RHX_STRING, 0, offsetof(Common, kind), "", RHX_ANY, 0, 0, NULL, "1",
     "makes the diagnostic of this name, of a kind of `rheoplex list diagnostic`; its table is <case>_<name>.csv"},
    {"every", RHX_INT, 0, offsetof(Common, every), "1", RHX_GE, 1, 0, NULL, "1",
     "steps a row of its table; the last step has one too"},
    {"every_dt", RHX_REAL, 0, offsetof(Common, every_dt), "0", RHX_GE, 0, 0, NULL, "s",
     "time between two rows; the steps before are shortened to meet these times, and `every` counts only if it is "
     "given "
     "too (0: not by time)"},
    {"strouhal", RHX_STRING, 0, offsetof(Common, strouhal), "", RHX_ANY, 0, 0, NULL, "1",
     "column of its table whose frequency f is told at the end, with the Strouhal number f case_length/case_velocity"},
    {"strouhal_periods", RHX_INT, 0, offsetof(Common, strouhal_periods), "10", RHX_GE, 1, 0, NULL, "1",
     "last periods that it is taken over, at most"},
};
static const RhxOptionTable common_table = {"diagnostic", "diagnostic_*_", 5, common_rows};

#define KIND(name) extern const RhxDiagnosticType RhxDiagnosticType_##name;
#include "diagnostics/kinds/list.h"
#include "plugin/length.h"
#undef KIND
#define KIND(name) &RhxDiagnosticType_##name,
static const RhxDiagnosticType *const own_kinds[] = {
#include "diagnostics/kinds/list.h"
};
#undef KIND

static RhxCatalogue kinds = {.what = "kind of diagnostic", .size = sizeof(RhxDiagnosticType)};

/* Names of tables that there are without being asked for, and options that are no named diagnostic's. */
static const char *const reserved[] = {"history", "forces", "wall"};
static const char *const short_options[] = {"history_every", "forces", "forces_every", "wall"};

PetscErrorCode RhxDiagnosticRegister(const RhxDiagnosticType *type)
{
  PetscFunctionBegin;
  PetscCall(RhxCatalogueAdd(&kinds, type));
  PetscCheck(type->evaluate, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "Kind of diagnostic '%s' has no function evaluate",
             type->entry.name);
  PetscCall(RhxCatalogueAddRows(&kinds, type->entry.name, common_table.topic, common_table.prefix, type->nrows,
                                type->rows, type->size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsRegisterOptions(void)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRegister(&common_table));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own_kinds); i++) PetscCall(RhxDiagnosticRegister(own_kinds[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxEntry *RhxDiagnosticsKindEntry(PetscInt i) { return RhxCatalogueEntry(&kinds, i); }

PetscBool RhxDiagnosticsHasKind(const char *name) { return RhxCatalogueHas(&kinds, name); }

PetscErrorCode RhxDiagnosticsKindsView(const char *name, PetscViewer viewer)
{
  const void *one = NULL;

  PetscFunctionBegin;
  if (name)
    PetscCall(RhxCatalogueFind(PetscObjectComm((PetscObject)viewer), &kinds, "list diagnostic", name, "", &one));
  for (PetscInt i = 0; i < kinds.n; i++) {
    const RhxDiagnosticType *type = (const RhxDiagnosticType *)kinds.entry[i];
    if (one && one != type) continue;
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %s\n", type->entry.name, type->entry.help));
    PetscCall(RhxRowsView("diagnostic_<name>_", type->nrows, type->rows, viewer));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, one ? "as every kind:\n" : "every kind:\n"));
  PetscCall(RhxRowsView("diagnostic_<name>_", common_table.nrows - 1, common_rows + 1, viewer)); /* without `kind` */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsCreate(MPI_Comm comm, RhxDiagnostics *ds)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(ds));
  (*ds)->comm = comm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append(RhxDiagnostics ds, const char *name, const char *kind, const char *option,
                             const char *maker, RhxDiagnostic **out)
{
  RhxDiagnostic *d, **grown;
  const void *type;
  char full[256];

  PetscFunctionBegin;
  if (ds->n == ds->size) {
    ds->size = 2 * ds->size + 8;
    PetscCall(PetscMalloc1(ds->size, &grown));
    PetscCall(PetscArraycpy(grown, ds->item, ds->n));
    PetscCall(PetscFree(ds->item));
    ds->item = grown;
  }
  PetscCall(PetscSNPrintf(full, sizeof(full), "diagnostic_%s_kind", name));
  PetscCall(RhxCatalogueFind(ds->comm, &kinds, full, kind, "", &type));
  PetscCall(PetscNew(&d));
  ds->item[ds->n++] = d;
  d->all = ds;
  d->type = type;
  PetscCall(PetscStrallocpy(name, &d->name));
  PetscCall(PetscStrallocpy(option, &d->option));
  PetscCall(PetscStrallocpy(maker, &d->maker));
  PetscCall(PetscCalloc1(d->type->size, (char **)&d->own));
  d->every = 1;
  d->by_fields = (PetscBool)((d->type->flags & RHX_DIAGNOSTIC_WITH_FIELDS) != 0);
  d->by_steps = (PetscBool)!d->by_fields;
  *out = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsAddShort(RhxDiagnostics ds, const char *kind, const char *text, int every)
{
  RhxDiagnostic *d;
  char option[128];

  PetscFunctionBegin;
  if (!text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(option, sizeof(option), "-diagnostic_%s", kind));
  PetscCall(append(ds, kind, kind, option, option, &d));
  d->every = every;
  for (int r = 0; r < d->type->nrows; r++)
    if (!strcmp(d->type->rows[r].name, "label"))
      PetscCall(PetscStrncpy((char *)d->own + d->type->rows[r].offset, text, RHX_STRING_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_named(RhxDiagnostics ds, const char *name)
{
  RhxDiagnostic *d;
  Common common;
  PetscBool by_steps;
  char prefix[256], option[256], maker[256];

  PetscFunctionBegin;
  PetscCheck(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name), ds->comm, PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_kind: got the name '%s', expected lower-case letters, digits and '_'", name, name);
  PetscCheck(strlen(name) < RHX_NAME_LENGTH, ds->comm, PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_kind: got a name of %zu characters, expected at most %d", name, strlen(name),
             RHX_NAME_LENGTH - 1);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(reserved); i++)
    PetscCheck(strcmp(name, reserved[i]), ds->comm, PETSC_ERR_USER_INPUT,
               "-diagnostic_%s_kind: the name '%s' is that of another table, expected another one", name, name);
  PetscCheck(strncmp(name, "wall_", 5), ds->comm, PETSC_ERR_USER_INPUT,
             "-diagnostic_%s_kind: got a name that begins with 'wall_' as the tables of -diagnostic_wall do, expected "
             "another one",
             name);
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "diagnostic_%s_", name));
  PetscCall(RhxOptionTableRead(ds->comm, &common_table, prefix, &common));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%slabel", prefix));
  PetscCall(PetscSNPrintf(maker, sizeof(maker), "-%skind", prefix));
  PetscCall(append(ds, name, common.kind, option, maker, &d));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%severy", prefix));
  PetscCall(PetscOptionsHasName(NULL, NULL, option, &by_steps));
  d->every = common.every;
  d->every_dt = common.every_dt;
  d->periods = common.strouhal_periods;
  PetscCall(PetscStrallocpy(common.strouhal, &d->strouhal));
  if (d->every_dt > 0 || by_steps) {
    d->by_steps = by_steps;
    d->by_fields = PETSC_FALSE;
  }
  PetscCall(RhxRowsRead(ds->comm, prefix, d->type->nrows, d->type->rows, 1, d->type->size, d->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next "-diagnostic_..." of the database's text behind at: the part after '_', NULL: none. */
static const char *next_option(const char *all, const char **at, size_t size, char *name)
{
  static const char head[] = "-diagnostic_";
  const size_t skip = sizeof(head) - 1;

  while ((*at = strstr(*at, head))) {
    const char *start = *at;
    const size_t n = strcspn(start, " \n\t");

    *at = start + n;
    if ((start > all && start[-1] != ' ') || n - skip >= size) continue;
    snprintf(name, size, "%.*s", (int)(n - skip), start + skip);
    return name;
  }
  return NULL;
}

/* An option of a diagnostic that nothing makes. */
static PetscErrorCode check_owner(RhxDiagnostics ds, const char *name)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(short_options); i++)
    if (!strcmp(name, short_options[i])) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < ds->n; i++) {
    const size_t n = strlen(ds->item[i]->name);
    if (!strncmp(name, ds->item[i]->name, n) && name[n] == '_') PetscFunctionReturn(PETSC_SUCCESS);
  }
  SETERRQ(ds->comm, PETSC_ERR_USER_INPUT,
          "-diagnostic_%s: got an option of a diagnostic that has no kind, expected -diagnostic_<name>_kind with it",
          name);
}

PetscErrorCode RhxDiagnosticsSetFromOptions(RhxDiagnostics ds)
{
  char *all, name[256];
  const char *at;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(NULL, &all));
  for (at = all; next_option(all, &at, sizeof(name), name);) {
    const size_t n = strlen(name);
    if (n < 6 || strcmp(name + n - 5, "_kind")) continue;
    name[n - 5] = '\0';
    PetscCall(add_named(ds, name));
  }
  for (at = all; next_option(all, &at, sizeof(name), name);) PetscCall(check_owner(ds, name));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the database says now of when it is evaluated; changes FALSE: nothing. */
typedef struct {
  PetscInt every; /* 0: not set */
  PetscReal every_dt;
  PetscBool changes, by_steps, by_fields;
} Interval;

static PetscErrorCode read_interval(const RhxDiagnostic *d, Interval *i)
{
  const PetscBool fields = (PetscBool)((d->type->flags & RHX_DIAGNOSTIC_WITH_FIELDS) != 0);
  char option[256];
  PetscBool set, timed;

  PetscFunctionBegin;
  *i = (Interval){.every_dt = d->every_dt};
  PetscCall(PetscSNPrintf(option, sizeof(option), "-diagnostic_%s_every", d->name));
  PetscCall(PetscOptionsGetInt(NULL, NULL, option, &i->every, &set));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-diagnostic_%s_every_dt", d->name));
  PetscCall(PetscOptionsGetReal(NULL, NULL, option, &i->every_dt, &timed));
  i->changes = (PetscBool)(set || timed);
  i->by_steps = (PetscBool)(set || !(i->every_dt > 0 || fields));
  i->by_fields = (PetscBool)(fields && !set && !(i->every_dt > 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsCheckChange(RhxDiagnostics ds)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < ds->n; k++) {
    const RhxDiagnostic *d = ds->item[k];
    Interval i;

    PetscCall(read_interval(d, &i));
    if (!i.changes) continue;
    PetscCheck(i.every_dt > 0 || d->type != &RhxDiagnosticType_periodicity, ds->comm, PETSC_ERR_USER_INPUT,
               "-diagnostic_%s_every_dt: got 0, expected the period of the flow, which periodicity compares", d->name);
    PetscCall(RhxTimeMeanCheckEvery(d, i.every_dt, i.by_steps));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsChange(RhxDiagnostics ds, double t)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < ds->n; k++) {
    RhxDiagnostic *d = ds->item[k];
    Interval i;

    PetscCall(read_interval(d, &i));
    if (!i.changes) continue;
    if (i.every) d->every = (int)i.every;
    if (i.every_dt != d->every_dt) d->last_t = t;
    d->by_steps = i.by_steps;
    d->by_fields = i.by_fields;
    d->every_dt = i.every_dt;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsFindChanging(RhxDiagnostics ds, const char *option, size_t size, char *prefix,
                                          const RhxRow **row)
{
  PetscFunctionBegin;
  *row = NULL;
  for (PetscInt i = 0; i < ds->n && !*row; i++) {
    PetscBool mine;

    PetscCall(PetscSNPrintf(prefix, size, "diagnostic_%s_", ds->item[i]->name));
    PetscCall(PetscStrncmp(option, prefix, strlen(prefix), &mine));
    for (PetscInt r = 0; mine && r < common_table.nrows; r++)
      if (!strncmp(common_rows[r].name, "every", 5) && !strcmp(option + strlen(prefix), common_rows[r].name))
        *row = &common_rows[r];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_strouhal(RhxDiagnostic *d)
{
  const char *near;

  PetscFunctionBegin;
  if (!d->strouhal || !d->strouhal[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (d->oscillates = 0; d->oscillates < d->ncolumns; d->oscillates++)
    if (!strcmp(d->column[d->oscillates], d->strouhal)) PetscFunctionReturn(PETSC_SUCCESS);
  near = RhxNearest(d->strouhal, d->ncolumns, (const char *const *)d->column);
  SETERRQ(d->all->comm, PETSC_ERR_USER_INPUT, "-diagnostic_%s_strouhal: got '%s', expected a column of its table%s%s%s",
          d->name, d->strouhal, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

PetscErrorCode RhxDiagnosticsSetSettled(RhxDiagnostics ds, const char *text, double unit)
{
  char name[128];
  int end = 0;

  PetscFunctionBegin;
  ds->settling = NULL;
  if (!text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(sscanf(text, "%127[^:]:%lf:%lf%n", name, &ds->settled_tol, &ds->settled_time, &end) == 3 && !text[end] &&
                 ds->settled_tol > 0 && ds->settled_time > 0,
             ds->comm, PETSC_ERR_USER_INPUT,
             "-stop_settled: got '%s', expected <name of a diagnostic>:<relative change>:<time in units of "
             "case_length/case_velocity>, such as drag:1e-5:20",
             text);
  ds->settled_time *= unit;
  for (PetscInt i = 0; i < ds->n; i++)
    if (!strcmp(ds->item[i]->name, name)) ds->settling = ds->item[i];
  PetscCheck(ds->settling && !(ds->settling->type->flags & RHX_DIAGNOSTIC_WITH_FIELDS), ds->comm, PETSC_ERR_USER_INPUT,
             "-stop_settled: got '%s', expected the name of a diagnostic with a table (-diagnostic_<name>_kind)", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsSetPeriodic(RhxDiagnostics ds, const char *text)
{
  char name[128];
  int end = 0;

  PetscFunctionBegin;
  ds->repeating = NULL;
  if (!text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(sscanf(text, "%127[^:]:%lf%n", name, &ds->repeated_tol, &end) == 2 && !text[end] && ds->repeated_tol > 0,
             ds->comm, PETSC_ERR_USER_INPUT,
             "-stop_periodic: got '%s', expected <name of a diagnostic>:<relative change>, such as cycle:1e-3", text);
  for (PetscInt i = 0; i < ds->n; i++)
    if (!strcmp(ds->item[i]->name, name)) ds->repeating = ds->item[i];
  PetscCheck(ds->repeating && ds->repeating->type == &RhxDiagnosticType_periodicity, ds->comm, PETSC_ERR_USER_INPUT,
             "-stop_periodic: got '%s', expected the name of a diagnostic of the kind periodicity "
             "(-diagnostic_<name>_kind periodicity, -diagnostic_<name>_every_dt)",
             name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsGetSettled(RhxDiagnostics ds, PetscBool *settled)
{
  const RhxDiagnostic *d = ds->settling;

  PetscFunctionBegin;
  *settled =
      d ? RhxSeriesSettled(&d->recent, (const char *const *)d->unit, ds->settled_tol, ds->settled_time) : PETSC_FALSE;
  PetscCallMPI(MPI_Bcast(settled, sizeof(*settled), MPI_BYTE, 0, ds->comm)); /* tables are of rank 0 */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(RhxDiagnostic *d)
{
  char suffix[256];

  PetscFunctionBegin;
  if (d->type->setup) PetscCall(d->type->setup(d));
  PetscCall(RhxDiagnosticMakeValues(d));
  PetscCall(find_strouhal(d));
  PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s.csv", d->name));
  if (d->ncolumns) PetscCall(RhxOutputAddResult(d->all->run.output, d->maker, suffix));
  PetscCall(RhxDiagnosticCheckColumns(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsSetUp(RhxDiagnostics ds, const RhxDiagnosticsRun *run)
{
  PetscFunctionBegin;
  ds->run = *run;
  for (PetscInt i = 0; i < 2 * ds->n; i++) {
    RhxDiagnostic *d = ds->item[i % ds->n];
    if ((i >= ds->n) == ((d->type->flags & RHX_DIAGNOSTIC_OF_OTHER) != 0)) PetscCall(set_up(d));
  }
  if (ds->n) PetscCall(RhxOutputAddResult(run->output, "the units of tables", "_units.csv"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* <case>_units.csv: table, column, unit. */
static PetscErrorCode write_units(RhxDiagnostics ds)
{
  RhxText text = {0};
  char problem[RHX_MESSAGE];
  PetscBool some = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RhxTextAppend(&text, "table,column,unit\n"));
  for (PetscInt i = 0; i < ds->n; i++)
    for (PetscInt k = 0; k < ds->item[i]->ncolumns; k++) {
      PetscCall(RhxTextAppend(&text, "%s,%s,%s\n", ds->item[i]->name, ds->item[i]->column[k], ds->item[i]->unit[k]));
      some = PETSC_TRUE;
    }
  if (some) {
    PetscCall(RhxOutputWriteText(ds->run.output, "units", "_units.csv", text.s, text.n, problem));
    PetscCall(RhxOutputMind(ds->run.output, problem));
  }
  PetscCall(PetscFree(text.s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has it a row of this step by its intervals, not because a run ended there? */
static PetscBool has_row(const RhxDiagnostic *d, PetscInt step, double t)
{
  const double off = d->every_dt > 0 ? t / d->every_dt - (double)RhxOutputPeriod(d->every_dt, t) : 1.0;

  if (d->by_steps && step % d->every == 0) return PETSC_TRUE;
  return (PetscBool)(d->every_dt > 0 && PetscAbsReal(off) <= 1e-9 * PetscMax(1.0, PetscAbsReal(t / d->every_dt)));
}

PetscErrorCode RhxDiagnosticsBegin(RhxDiagnostics ds, PetscBool goes_on, PetscInt first_step, double t)
{
  char suffix[256], file[PETSC_MAX_PATH_LEN];
  const char **names;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < ds->n; i++) {
    RhxDiagnostic *d = ds->item[i];
    d->last_t = t;
    d->goes_on = goes_on;
    d->first_step = first_step;
    if (!d->ncolumns) continue;
    PetscCall(PetscMalloc1(d->ncolumns + 2, &names));
    names[0] = "step";
    names[1] = "t";
    for (PetscInt k = 0; k < d->ncolumns; k++) names[2 + k] = d->column[k];
    PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s.csv", d->name));
    PetscCall(RhxOutputGetPath(ds->run.output, suffix, sizeof(file), file));
    PetscCall(RhxTableCreate(ds->comm, file, goes_on, d->ncolumns + 2, names, &d->table));
    if (goes_on) PetscCall(RhxTableRewind(d->table, (double)first_step - (has_row(d, first_step, t) ? 0.0 : 0.5)));
    PetscCall(PetscFree(names));
  }
  PetscCall(write_units(ds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsStart(RhxDiagnostics ds, const RhxDiagnosticStep *step)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < ds->n; i++)
    if (ds->item[i]->type->flags & RHX_DIAGNOSTIC_FROM_START)
      PetscCall(ds->item[i]->type->evaluate(ds->item[i], step, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsNextTime(RhxDiagnostics ds, double t, double *next)
{
  PetscFunctionBegin;
  *next = PETSC_MAX_REAL;
  for (PetscInt i = 0; i < ds->n; i++) {
    const double every = ds->item[i]->every_dt;
    if (every > 0) *next = PetscMin(*next, (double)(RhxOutputPeriod(every, t) + 1) * every);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsPublish(RhxDiagnostics ds)
{
  char problem[RHX_MESSAGE];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < ds->n; i++) {
    if (!ds->item[i]->table) continue;
    PetscCall(RhxTableStart(ds->item[i]->table, problem));
    PetscCall(RhxOutputMind(ds->run.output, problem));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define NOISE 0.01 /* of -stop_periodic's change: less is no decay that would go on, but what solves leave */

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step)
{
  char problem[RHX_MESSAGE];

  PetscFunctionBegin;
  d->values[0] = (double)step->step;
  d->values[1] = step->t;
  PetscCall(RhxDiagnosticFill(d, step));
  if (!d->table) PetscFunctionReturn(PETSC_SUCCESS);
  if (d->strouhal && d->strouhal[0] && !step->extra)
    PetscCall(RhxSeriesAdd(&d->oscillation, 1, step->t, d->values + 2 + d->oscillates));
  if (d == d->all->settling && !step->extra) {
    PetscCall(RhxSeriesAdd(&d->recent, d->ncolumns, step->t, d->values + 2));
    RhxSeriesDrop(&d->recent, step->t - d->all->settled_time);
  }
  if (d == d->all->repeating) {
    const double left = d->values[1 + d->ncolumns], tol = d->all->repeated_tol;
    double most = 0.0;
    for (PetscInt k = 1; k + 1 < d->ncolumns; k++)
      if (most == most && !(d->values[2 + k] <= most)) most = d->values[2 + k]; /* nan stays */
    if (d->values[2] > 0.0) d->all->farthest = most <= tol * NOISE ? most : PetscMax(most, left);
    d->all->repeats = (PetscBool)(!step->extra && most <= tol && (left <= tol || most <= tol * NOISE));
  }
  PetscCall(RhxTableWrite(d->table, d->values, problem));
  PetscCall(RhxOutputMind(d->all->run.output, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its row of the step, if it has one, once. */
static PetscErrorCode take_row(RhxDiagnostic *d, const RhxDiagnosticStep *step)
{
  const PetscBool crosses = (PetscBool)(d->every_dt > 0 && RhxOutputCrosses(d->every_dt, d->last_t, step->t));
  RhxDiagnosticStep now = *step;

  PetscFunctionBegin;
  if (d->by_fields || d->last_row == step->step) PetscFunctionReturn(PETSC_SUCCESS);
  now.extra = (PetscBool) !((d->by_steps && step->step % d->every == 0) || crosses);
  d->last_t = step->t;
  if (!step->last && now.extra) PetscFunctionReturn(PETSC_SUCCESS);
  d->last_row = step->step;
  PetscCall(RhxDiagnosticTime(d, &now, evaluate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsGetPeriodic(RhxDiagnostics ds, const RhxDiagnosticStep *step, PetscBool *periodic,
                                         double *period, double *farthest)
{
  RhxDiagnostic *const d = ds->repeating;

  PetscFunctionBegin;
  ds->repeats = PETSC_FALSE;
  if (d) PetscCall(take_row(d, step));
  *periodic = ds->repeats;
  *period = d && d->ncolumns ? d->values[2] : 0.0;
  *farthest = ds->farthest;
  PetscCallMPI(MPI_Bcast(periodic, sizeof(*periodic), MPI_BYTE, 0, ds->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsStep(RhxDiagnostics ds, const RhxDiagnosticStep *step)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < ds->n; i++) PetscCall(take_row(ds->item[i], step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsFields(RhxDiagnostics ds, const RhxDiagnosticStep *step)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < ds->n; i++)
    if (ds->item[i]->by_fields) PetscCall(evaluate(ds->item[i], step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RhxDiagnostic *find(RhxDiagnostics ds, const char *name)
{
  for (PetscInt i = 0; i < ds->n; i++)
    if (!strcmp(ds->item[i]->name, name)) return ds->item[i];
  return NULL;
}

PetscBool RhxDiagnosticsAsked(RhxDiagnostics ds, const char *kind)
{
  for (PetscInt i = 0; i < ds->n; i++)
    if (!strcmp(ds->item[i]->type->entry.name, kind)) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode RhxDiagnosticsHas(RhxDiagnostics ds, const char *option, const char *name)
{
  const RhxDiagnostic *d = find(ds, name);

  PetscFunctionBegin;
  PetscCheck(d && d->ncolumns && !d->by_fields, ds->comm, PETSC_ERR_USER_INPUT,
             "%s: got '%s', expected the name of a diagnostic with a table (-diagnostic_<name>_kind)", option, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsEvaluate(RhxDiagnostics ds, const char *name, const RhxDiagnosticStep *step,
                                      const RhxDiagnostic **out)
{
  RhxDiagnostic *d = find(ds, name);

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticFill(d, step));
  *out = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsHasGradient(RhxDiagnostics ds, const char *name, PetscInt *ncolumns, PetscBool *has)
{
  RhxDiagnostic *d = find(ds, name);

  PetscFunctionBegin;
  *ncolumns = d->ncolumns;
  *has = PETSC_FALSE;
  if (d->type->gradient) PetscCall(d->type->gradient(d, 0, NULL, NULL, has));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsGradient(RhxDiagnostics ds, const char *name, PetscInt column, Vec state, Vec reactions)
{
  RhxDiagnostic *d = find(ds, name);
  PetscBool there;

  PetscFunctionBegin;
  PetscCall(d->type->gradient(d, column, state, reactions, &there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say_strouhal(RhxDiagnostic *d)
{
  const RhxDiagnosticsRun *run = &d->all->run;
  char change[128];
  RhxOscillation o;

  PetscFunctionBegin;
  if (!d->strouhal || !d->strouhal[0]) PetscFunctionReturn(PETSC_SUCCESS);
  RhxSeriesFrequency(&d->oscillation, 0, d->periods, &o);
  RhxOscillationDescribe(&o, sizeof(change), change);
  if (o.n)
    PetscCall(PetscPrintf(
        d->all->comm,
        "  %s %s: St = %.6g (%.6g 1/s), mean %.6g, amplitude %.6g, by its last %" PetscInt_FMT " periods%s\n", d->name,
        d->strouhal, o.frequency * run->length / run->velocity, o.frequency, o.mean, o.amplitude, o.n, change));
  else
    PetscCall(PetscPrintf(d->all->comm, "  %s %s: no whole period, no Strouhal number\n", d->name, d->strouhal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsSay(RhxDiagnostics ds)
{
  char suffix[256], file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < ds->n; i++) {
    RhxDiagnostic *d = ds->item[i];
    if (d->ncolumns) {
      PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s.csv", d->name));
      PetscCall(RhxOutputGetPath(ds->run.output, suffix, sizeof(file), file));
      PetscCall(PetscPrintf(ds->comm, "  %s: %s\n", d->name, file));
    }
    if (d->type->end) PetscCall(d->type->end(d));
    PetscCall(say_strouhal(d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsEnd(RhxDiagnostics ds)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; ds && i < ds->n; i++) PetscCall(RhxTableClose(&ds->item[i]->table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  PetscFunctionBegin;
  if (d->type->destroy) PetscCall(d->type->destroy(d));
  PetscCall(RhxFieldSampleDestroy(&d->sample));
  PetscCall(ISDestroy(&d->near));
  PetscCall(ISDestroy(&d->at));
  PetscCall(RhxTableClose(&d->table));
  for (PetscInt k = 0; k < d->ncolumns; k++) {
    PetscCall(PetscFree(d->column[k]));
    PetscCall(PetscFree(d->unit[k]));
  }
  for (PetscInt k = 0; k < d->nlabels; k++) PetscCall(PetscFree(d->label[k]));
  PetscCall(PetscFree(d->column));
  PetscCall(PetscFree(d->unit));
  PetscCall(PetscFree(d->label));
  PetscCall(PetscFree(d->values));
  PetscCall(PetscFree(d->strouhal));
  PetscCall(RhxSeriesDestroy(&d->oscillation));
  PetscCall(RhxSeriesDestroy(&d->recent));
  PetscCall(PetscFree(d->own));
  PetscCall(PetscFree(d->option));
  PetscCall(PetscFree(d->maker));
  PetscCall(PetscFree(d->name));
  PetscCall(PetscFree(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsDestroy(RhxDiagnostics *ds)
{
  PetscFunctionBegin;
  if (!*ds) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < (*ds)->n; i++) PetscCall(destroy((*ds)->item[i]));
  PetscCall(PetscFree((*ds)->item));
  PetscCall(PetscFree(*ds));
  PetscFunctionReturn(PETSC_SUCCESS);
}
