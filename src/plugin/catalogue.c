#include "plugin/catalogue.h"
#include "petsc_compat.h"
#include "plugin/needs.h"
#include "plugin/option.h"
#include <string.h>

#define NAMES "abcdefghijklmnopqrstuvwxyz0123456789_"

/* Catalogues in use, emptied by PetscFinalize, and the tables made for them. */
static struct {
  PetscInt n, size;
  void **pointer;
} in_use, tables;

static PetscErrorCode forget(void)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < in_use.n; i++) {
    RhxCatalogue *c = in_use.pointer[i];
    PetscCall(PetscFree(c->entry));
    c->n = c->capacity = 0;
  }
  for (PetscInt i = 0; i < tables.n; i++) {
    RhxOptionTable *table = tables.pointer[i];
    PetscCall(RhxOptionTableUnregister(table));
    PetscCall(PetscFree(table->rows));
    PetscCall(PetscFree(table));
  }
  PetscCall(PetscFree(in_use.pointer));
  PetscCall(PetscFree(tables.pointer));
  in_use.n = in_use.size = tables.n = tables.size = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An array with room for one more. */
static PetscErrorCode grow(PetscInt n, PetscInt *size, void ***array)
{
  void **grown;

  PetscFunctionBegin;
  if (n < *size) PetscFunctionReturn(PETSC_SUCCESS);
  *size = 2 * *size + 8;
  PetscCall(PetscMalloc1(*size, &grown));
  PetscCall(PetscArraycpy(grown, *array, n));
  PetscCall(PetscFree(*array));
  *array = grown;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode note(PetscInt *n, PetscInt *size, void ***array, void *item)
{
  PetscFunctionBegin;
  if (!in_use.size && !tables.size) PetscCall(PetscRegisterFinalize(forget));
  PetscCall(grow(*n, size, array));
  (*array)[(*n)++] = item;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCatalogueAdd(RhxCatalogue *c, const void *descriptor)
{
  const RhxEntry *entry = descriptor;

  PetscFunctionBegin;
  PetscCheck(entry->size == c->size, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "A %s was built for another Rheoplex: its descriptor has %lu bytes, expected %zu (build it again)",
             c->what, entry->size, c->size);
  PetscCheck(entry->name && entry->name[0] && strspn(entry->name, NAMES) == strlen(entry->name), PETSC_COMM_SELF,
             PETSC_ERR_ARG_WRONG, "A %s has the name '%s', expected lower-case letters, digits and '_'", c->what,
             entry->name ? entry->name : "");
  for (PetscInt i = 0; i < c->n; i++)
    PetscCheck(strcmp(c->entry[i]->name, entry->name), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "Two of one name: got the %s '%s' twice, expected one", c->what, entry->name);
  if (!c->n) PetscCall(note(&in_use.n, &in_use.size, &in_use.pointer, c));
  PetscCall(grow(c->n, &c->capacity, (void ***)&c->entry));
  c->entry[c->n++] = entry;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxEntry *RhxCatalogueEntry(const RhxCatalogue *c, PetscInt i) { return i < c->n ? c->entry[i] : NULL; }

PetscBool RhxCatalogueHas(const RhxCatalogue *c, const char *name)
{
  for (PetscInt i = 0; i < c->n; i++)
    if (!strcmp(c->entry[i]->name, name)) return PETSC_TRUE;
  return PETSC_FALSE;
}

void RhxCatalogueList(const RhxCatalogue *c, size_t size, char *text)
{
  text[0] = '\0';
  for (PetscInt i = 0; i < c->n; i++) {
    const size_t at = strlen(text);
    snprintf(text + at, size - at, "%s%s", i ? ", " : "", c->entry[i]->name);
  }
}

PetscErrorCode RhxCatalogueFind(MPI_Comm comm, const RhxCatalogue *c, const char *option, const char *name,
                                const char *tail, const void **descriptor)
{
  const char **names, *nearest;
  char known[1024], hint[160] = "";

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->n; i++)
    if (!strcmp(c->entry[i]->name, name)) {
      *descriptor = c->entry[i];
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  PetscCall(PetscMalloc1(c->n + 1, &names));
  for (PetscInt i = 0; i < c->n; i++) names[i] = c->entry[i]->name;
  nearest = RhxNearest(name, c->n, names);
  if (nearest) snprintf(hint, sizeof(hint), ", did you mean '%s'?", nearest);
  PetscCall(PetscFree(names));
  RhxCatalogueList(c, sizeof(known), known);
  SETERRQ(comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "%s%s: unknown %s '%.200s'%s; expected one of %s%s",
          strncmp(option, "list ", 5) ? "-" : "", option, c->what, name, hint, known, tail);
}

static PetscBool is_there(const char *prefix, const char *name)
{
  for (PetscInt t = 0; t < tables.n; t++) {
    const RhxOptionTable *table = tables.pointer[t];
    for (PetscInt r = 0; r < table->nrows && !strcmp(table->prefix, prefix); r++)
      if (!strcmp(table->rows[r].name, name)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscErrorCode check_row(const RhxCatalogue *c, const char *name, PetscInt r, const RhxRow *rows,
                                unsigned long size)
{
  const RhxRow *row = &rows[r];

  PetscFunctionBegin;
  PetscCheck(row->name && row->name[0] && strspn(row->name, NAMES) == strlen(row->name), PETSC_COMM_SELF,
             PETSC_ERR_ARG_WRONG,
             "The %s '%s': got the name '%s' of its row %" PetscInt_FMT ", expected lower-case letters, digits and '_'",
             c->what, name, row->name ? row->name : "", r);
  for (PetscInt k = 0; k < r; k++)
    PetscCheck(strcmp(rows[k].name, row->name), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "The %s '%s': got two rows '%s', expected one", c->what, name, row->name);
  PetscCheck(row->kind != RHX_CHOICE || (row->choices && row->choices[0]), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "The %s '%s': got no choices of its row '%s', expected \"one|two\"", c->what, name, row->name);
  PetscCheck(row->help && row->unit, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "The %s '%s': got no %s of its row '%s', expected one", c->what, name, row->help ? "unit" : "help",
             row->name);
  PetscCheck(row->offset + RhxRowSize(row) <= size, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "The %s '%s': the slot of its row '%s' ends at byte %lu, expected at most %lu (size, of the struct that "
             "its rows are read into)",
             c->what, name, row->name, row->offset + RhxRowSize(row), size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCatalogueAddRows(const RhxCatalogue *c, const char *name, const char *topic, const char *prefix,
                                   PetscInt nrows, const RhxRow *rows, unsigned long size)
{
  RhxOptionTable *table;
  RhxRow *kept;
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCheck(nrows >= 0 && (!nrows || rows), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "The %s '%s': got %" PetscInt_FMT " rows%s, expected `rows` of them", c->what, name, nrows,
             rows ? "" : " and no table");
  for (PetscInt r = 0; r < nrows; r++) PetscCall(check_row(c, name, r, rows, size));
  if (!nrows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(nrows + 1, &kept));
  for (PetscInt r = 0; r < nrows; r++)
    if (!is_there(prefix, rows[r].name)) kept[n++] = rows[r];
  PetscCall(PetscNew(&table));
  table->topic = topic;
  table->prefix = prefix;
  table->nrows = n;
  table->rows = kept;
  PetscCall(note(&tables.n, &tables.size, &tables.pointer, table));
  PetscCall(RhxOptionTableRegister(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}
