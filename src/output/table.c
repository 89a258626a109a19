#include "output/output.h"
#include "output/raise.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct _p_RhxTable {
  MPI_Comm comm;
  FILE *file; /* rank 0 */
  char *name, *header;
  PetscInt ncolumns;
};

static PetscErrorCode make_header(PetscInt n, const char *const *columns, char **header)
{
  size_t size = 1;
  char *at;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) size += strlen(columns[k]) + 1;
  PetscCall(PetscMalloc1(size, header));
  at = *header;
  *at = 0;
  for (PetscInt k = 0; k < n; k++) at += sprintf(at, "%s%s", k ? "," : "", columns[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leaves the file at the end of its last whole line; cuts what follows and, if rewind, the lines beyond value. */
static int cut(FILE *file, PetscBool rewind_lines, double value)
{
  char *line = NULL;
  size_t capacity = 0;
  ssize_t n;
  long keep = 0, number = 0;

  if (fseek(file, 0, SEEK_SET)) return errno;
  while ((n = getline(&line, &capacity, file)) > 0) {
    if (line[n - 1] != '\n') break;
    if (rewind_lines && number && !(strtod(line, NULL) <= value)) break;
    keep += n;
    number++;
  }
  free(line);
  if (fflush(file) || fseek(file, keep, SEEK_SET) || ftruncate(fileno(file), keep)) return errno;
  return 0;
}

static int header_matches(RhxTable table, char message[RHX_MESSAGE])
{
  char *line = NULL;
  size_t capacity = 0;
  ssize_t n = getline(&line, &capacity, table->file);
  int same = n > 0 && line[n - 1] == '\n';

  if (same) {
    line[n - 1] = 0;
    same = !strcmp(line, table->header);
    if (!same)
      snprintf(message, RHX_MESSAGE,
               "table %s cannot be continued: got columns \"%.300s\", expected \"%.300s\" (another "
               "-output_folder, or move the file away)",
               table->name, line, table->header);
  }
  free(line);
  return same;
}

/* Rank 0. */
static void open_file(RhxTable table, PetscBool append, char message[RHX_MESSAGE])
{
  if (append && (table->file = fopen(table->name, "r+"))) {
    int err;
    if (header_matches(table, message)) {
      if ((err = cut(table->file, PETSC_FALSE, 0)))
        snprintf(message, RHX_MESSAGE, "table %s cannot be continued: %s", table->name, strerror(err));
      return;
    }
    fclose(table->file);
    table->file = NULL;
    if (message[0]) return;
  }
  table->file = fopen(table->name, "w+");
  if (!table->file || fprintf(table->file, "%s\n", table->header) < 0 || fflush(table->file))
    snprintf(message, RHX_MESSAGE,
             "table %s cannot be written: got \"%s\", expected a writable folder (-output_folder)", table->name,
             strerror(errno));
}

PetscErrorCode RhxTableOpen(MPI_Comm comm, const char *file, PetscBool append, PetscInt ncolumns,
                            const char *const *columns, RhxTable *table)
{
  PetscMPIInt rank;
  char message[RHX_MESSAGE] = "";
  RhxTable t;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscNew(&t));
  *table = t;
  t->comm = comm;
  t->ncolumns = ncolumns;
  PetscCall(PetscStrallocpy(file, &t->name));
  PetscCall(make_header(ncolumns, columns, &t->header));
  if (!rank) open_file(t, append, message);
  PetscCall(RhxOutputRaise(comm, PETSC_ERR_FILE_OPEN, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTableRewind(RhxTable table, double value)
{
  char message[RHX_MESSAGE] = "";
  int err;

  PetscFunctionBegin;
  if (table->file && (err = cut(table->file, PETSC_TRUE, value)))
    snprintf(message, sizeof message, "table %s cannot be cut: %s", table->name, strerror(err));
  PetscCall(RhxOutputRaise(table->comm, PETSC_ERR_FILE_WRITE, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTableWrite(RhxTable table, const double *values)
{
  char message[RHX_MESSAGE] = "";

  PetscFunctionBegin;
  if (table->file) {
    int bad = 0;
    for (PetscInt k = 0; k < table->ncolumns; k++) bad |= fprintf(table->file, "%s%.12g", k ? "," : "", values[k]) < 0;
    bad |= fputc('\n', table->file) == EOF;
    bad |= fflush(table->file) != 0;
    if (bad) snprintf(message, sizeof message, "table %s cannot be written: %s", table->name, strerror(errno));
  }
  PetscCall(RhxOutputRaise(table->comm, PETSC_ERR_FILE_WRITE, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTableClose(RhxTable *table)
{
  PetscFunctionBegin;
  if (!*table) PetscFunctionReturn(PETSC_SUCCESS);
  if ((*table)->file) fclose((*table)->file);
  PetscCall(PetscFree((*table)->name));
  PetscCall(PetscFree((*table)->header));
  PetscCall(PetscFree(*table));
  PetscFunctionReturn(PETSC_SUCCESS);
}
