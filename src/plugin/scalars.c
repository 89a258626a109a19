#include "plugin/scalars.h"
#include "petsc_compat.h"
#include "plugin/length.h"
#include "plugin/needs.h"
#include "plugin/scalar_block.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define NTABLES 4 /* of a field */

typedef struct {
  RhxScalarSettings set;
  int block; /* RhxScalarBlock */
} FieldOptions;

static const RhxRow setting_rows[] = {
    {"bounds", RHX_CHOICE, 0, offsetof(FieldOptions, set.bounds), "report", RHX_ANY, 0, 0, "report|stop", "1",
     "what follows where a report finds values beyond the field's bounds: a line, or the end of the run; nothing is "
     "clipped"},
    {"scale", RHX_REAL, 0, offsetof(FieldOptions, set.scale), "1", RHX_GT, 0, 0, NULL, "the field's unit",
     "a usual value of the field, by which it is divided in norms and rates of change"},
    {"block", RHX_CHOICE, 0, offsetof(FieldOptions, block), "own", RHX_ANY, 0, 0, "flow|own", "1",
     "where -solver split or points (-pc_fieldsplit_groups) solves the field: own, in the split `scalars` with the "
     "other "
     "fields of own; flow, in the split `flow` with velocity and pressure, for a field that these depend on strongly"},
};
enum { NSETTINGS = sizeof(setting_rows) / sizeof(setting_rows[0]) };

static RhxRow text_row(const RhxScalarRow *row, const char *value, const char *help)
{
  return (RhxRow){row->name, RHX_STRING, 0, 0, value, RHX_ANY, 0, 0, NULL, row->unit, help};
}

static PetscErrorCode add_table(RhxScalarTables *tables, const char *topic, const char *prefix, PetscInt n,
                                const RhxRow *rows)
{
  RhxOptionTable *t = &tables->table[tables->n];
  RhxRow *copy;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &copy));
  PetscCall(PetscArraycpy(copy, rows, n));
  *t = (RhxOptionTable){topic, NULL, n, copy};
  PetscCall(PetscStrallocpy(prefix, (char **)&t->prefix));
  tables->n++;
  PetscCall(RhxOptionTableRegister(t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_field(RhxScalarTables *tables, const RhxScalarRow *field)
{
  static const char *const prefix[] = {"bc_*_", "initial_", "form_source_"};
  static const char *const topic[] = {"boundary", "initial", "form"};
  static const char *const help[] = {
      ("condition of this scalar field: natural, \"value <formula>\", \"inflow <formula>\", the value of what comes in "
       "through an inlet or open label while fluid does, \"flux <formula>\", the diffusive flux D grad c.n into the "
       "fluid, in its unit times m/s, or \"film <coefficient>, <ambient>\", two formulas: that flux is the "
       "coefficient h, 0 or more, in m/s (of heat that of W/(m^2 K) over rho cp), times the ambient value less c"),
      "formula of this scalar field at the start, or the name of a number among its plugin's parameters",
      "source of this scalar field by formula, in its unit over s"};
  static const char *const turning =
      "condition of the azimuthal velocity: natural, \"value <formula>\", or \"flux <formula>\", its viscous flux into "
      "the fluid over the density, in m^2/s^2";
  char name[RHX_OPTION_LENGTH];

  PetscFunctionBegin;
  for (int k = 0; k < NTABLES - 1; k++) {
    const RhxRow row =
        text_row(field, k == 1 ? field->initial : "", !k && !strcmp(field->name, "swirl") ? turning : help[k]);
    PetscCall(add_table(tables, topic[k], prefix[k], 1, &row));
  }
  PetscCall(PetscSNPrintf(name, sizeof(name), "field_%s_", field->name));
  PetscCall(add_table(tables, "field", name, NSETTINGS, setting_rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxScalarTablesRegister(const RhxPlugin *plugin, RhxScalarTables *tables)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(NTABLES * plugin->nscalars, &tables->table));
  for (int k = 0; k < plugin->nscalars; k++) {
    char option[RHX_OPTION_LENGTH];
    PetscCall(PetscSNPrintf(option, sizeof(option), "field_%s_scale", plugin->scalars[k].name));
    if (!RhxOptionIsKnown(option)) PetscCall(add_field(tables, &plugin->scalars[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxScalarTablesUnregister(RhxScalarTables *tables)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < tables->n; i++) {
    PetscCall(RhxOptionTableUnregister(&tables->table[i]));
    PetscCall(PetscFree(tables->table[i].prefix));
    PetscCall(PetscFree(tables->table[i].rows));
  }
  PetscCall(PetscFree(tables->table));
  tables->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxScalarTextRead(MPI_Comm comm, const char *prefix, const RhxScalarRow *field,
                                 char text[RHX_STRING_LENGTH])
{
  const RhxRow row = text_row(field, "", field->help);

  PetscFunctionBegin;
  PetscCall(RhxRowsRead(comm, prefix, 1, &row, 1, 0, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_options(MPI_Comm comm, const RhxScalarRow *field, FieldOptions *options)
{
  char prefix[RHX_OPTION_LENGTH];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "field_%s_", field->name));
  PetscCall(RhxRowsRead(comm, prefix, NSETTINGS, setting_rows, 1, 0, options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxScalarSettingsRead(MPI_Comm comm, const RhxScalarRow *field, RhxScalarSettings *settings)
{
  FieldOptions options;

  PetscFunctionBegin;
  PetscCall(read_options(comm, field, &options));
  *settings = options.set;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxScalarBlockRead(MPI_Comm comm, const RhxScalarRow *field, RhxScalarBlock *block)
{
  FieldOptions options;

  PetscFunctionBegin;
  PetscCall(read_options(comm, field, &options));
  *block = (RhxScalarBlock)options.block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_condition(const char *text)
{
  return (PetscBool)(text && (!strcmp(text, "natural") || !strcmp(text, "given") || !strncmp(text, "value ", 6)));
}

static void check_shift(const char *file, const RhxPlugin *p, size_t size, char *message)
{
  const PetscBool says = (PetscBool)((p->flags & (RHX_COUPLES | RHX_SHIFTS)) != 0);
  PetscBool has;
  if (p->kind != RHX_SCALARS || message[0]) return;
  has = (PetscBool)(((const RhxScalarOps *)p->variant[0])->shift != NULL);
  if (has && !says)
    snprintf(message, size,
             "Plugin %.1000s cannot be used: got the function shift of '%.100s', which no flag makes the flow feel, "
             "expected RHX_SHIFTS, RHX_COUPLES or both",
             file, p->name);
  if (says && !has)
    snprintf(message, size,
             "Plugin %.1000s cannot be used: got RHX_SHIFTS or RHX_COUPLES of '%.100s' without the function shift, "
             "expected it, and OP(shift) in RHX_OPERATIONS",
             file, p->name);
}

void RhxScalarRowsCheck(const char *file, const RhxPlugin *p, size_t size, char *message)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

  if (p->kind == RHX_SCALARS && p->nscalars < 1)
    snprintf(message, size, "Plugin %.1000s cannot be used: it declares no field, expected one or more", file);
  for (int k = 0; k < p->nrows && p->kind != RHX_SCALARS && !message[0]; k++)
    if (RhxRowNamesField(&p->rows[k]))
      snprintf(message, size,
               "Plugin %.1000s cannot be used: its parameter '%s' names a scalar field, expected that of plugins of "
               "scalar fields alone",
               file, p->rows[k].name);
  check_shift(file, p, size, message);
  for (int k = 0; k < p->nscalars && !message[0]; k++) {
    const RhxScalarRow *f = &p->scalars[k];
    if (!f->name || !f->name[0] || strlen(f->name) > 60 || strspn(f->name, letters) != strlen(f->name))
      snprintf(
          message, size,
          "Plugin %.1000s cannot be used: the name of its field %d is not of at most 60 lower-case letters, digits "
          "and '_'",
          file, k);
    else if (!f->unit || !f->initial || !f->initial[0] || !is_condition(f->wall) || !is_condition(f->inlet))
      snprintf(
          message, size,
          "Plugin %.1000s cannot be used: its field '%s' lacks a unit, an initial formula, or a condition of walls "
          "and inlets, expected natural, given or \"value <formula>\"",
          file, f->name);
  }
}
