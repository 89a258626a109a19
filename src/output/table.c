#define _POSIX_C_SOURCE 200809L
#include "output/file_impl.h"
#include "output/output.h"
#include "plugin/agree.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct _p_RhxTable {
  MPI_Comm comm;
  int fd; /* rank 0; -1: not started */
  char *name, *header, *line;
  const char *option; /* that names the file or its folder, static */
  size_t capacity;    /* of line */
  PetscInt ncolumns;
  PetscBool append, rewind;
  double value;   /* of rewind */
  int64_t length; /* rank 0: of the whole lines */
};

static PetscErrorCode make_header(PetscInt n, const char *const *columns, char **header)
{
  size_t size = 1;
  char *at;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) size += strlen(columns[k]) + 1; /* a comma, or the end of the line */
  PetscCall(PetscMalloc1(size, header));
  at = *header;
  *at = 0;
  for (PetscInt k = 0; k < n; k++) at += sprintf(at, "%s%c", columns[k], k < n - 1 ? ',' : '\n');
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Length of the whole lines of a table; with rewind of those up to its value. */
static int whole_lines(RhxTable table, int64_t *length)
{
  FILE *file = fopen(table->name, "r");
  char *line = NULL;
  size_t capacity = 0;
  ssize_t n;

  *length = 0;
  if (!file) return errno;
  for (long number = 0; (n = getline(&line, &capacity, file)) > 0; number++) {
    if (line[n - 1] != '\n') break;
    if (table->rewind && number && !(strtod(line, NULL) <= table->value)) break;
    *length += n;
  }
  free(line);
  fclose(file);
  return 0;
}

/* Rank 0: a first line that is whole has to be this table's header; none: the table begins anew. */
static void check_header(RhxTable table, char message[RHX_MESSAGE])
{
  FILE *file = fopen(table->name, "r");
  char *line = NULL;
  size_t capacity = 0;
  ssize_t n = file ? getline(&line, &capacity, file) : -1;

  table->append = PETSC_FALSE;
  if (n > 0 && line[n - 1] == '\n') {
    table->append = PETSC_TRUE;
    if (n > 1 && line[n - 2] == '\r') memcpy(line + --n - 1, "\n", 2); /* an editor's line end */
    if (strcmp(line, table->header))
      snprintf(message, RHX_MESSAGE,
               "table %.300s cannot be continued: got columns \"%.*s\", expected \"%.*s\" (another "
               "-output_folder, or move the file away)",
               table->name, (int)PetscMin(n - 1, 250), line, (int)PetscMin(strlen(table->header) - 1, 250),
               table->header);
  }
  free(line);
  if (file) fclose(file);
}

PetscErrorCode RhxTableCreate(MPI_Comm comm, const char *file, PetscBool append, PetscInt ncolumns,
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
  t->fd = -1;
  t->option = "-output_folder";
  t->ncolumns = ncolumns;
  PetscCall(PetscStrallocpy(file, &t->name));
  PetscCall(make_header(ncolumns, columns, &t->header));
  t->capacity = 32 * (size_t)ncolumns + 2;
  PetscCall(PetscMalloc1(t->capacity, &t->line));
  if (!rank && append) check_header(t, message);
  PetscCall(RhxRaise(comm, PETSC_ERR_FILE_OPEN, sizeof(message), message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTableRewind(RhxTable table, double value)
{
  PetscFunctionBegin;
  table->rewind = PETSC_TRUE;
  table->value = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: the line is whole in the file or not there at all. A file that was removed in the run takes no line. */
static int put_line(RhxTable table, const char *line)
{
  const int64_t n = (int64_t)strlen(line);
  struct stat status;
  int err;

  if (fstat(table->fd, &status) || !status.st_nlink) return ENOENT;
  err = RhxWriteAt(table->fd, line, n, table->length);
  if (!err)
    table->length += n;
  else if (ftruncate(table->fd, (off_t)table->length))
    return errno;
  return err;
}

/* Rank 0. */
static int start(RhxTable table)
{
  int err = 0;

  if (table->append && (err = whole_lines(table, &table->length))) return err;
  if ((table->fd = open(table->name, O_WRONLY | O_CREAT, 0666)) < 0) return errno;
  if (ftruncate(table->fd, (off_t)table->length)) err = errno;
  if (!err && !table->length) err = put_line(table, table->header);
  if (!err) return 0;
  close(table->fd);
  table->fd = -1;
  return err;
}

static PetscErrorCode tell(RhxTable table, int err, char problem[RHX_MESSAGE])
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(&err, 1, MPI_INT, 0, table->comm));
  problem[0] = '\0';
  if (err)
    snprintf(problem, RHX_MESSAGE,
             "table %.400s cannot be written: got \"%s\", expected a writable folder with space (%s)", table->name,
             strerror(err), table->option);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxTableSetOption(RhxTable table, const char *option) { table->option = option; }

PetscErrorCode RhxTableStart(RhxTable table, char problem[RHX_MESSAGE])
{
  PetscMPIInt rank;
  int err = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(table->comm, &rank));
  if (!rank && table->fd < 0) err = start(table);
  PetscCall(tell(table, err, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTableWrite(RhxTable table, const double *values, char problem[RHX_MESSAGE])
{
  PetscMPIInt rank;
  int err = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(table->comm, &rank));
  if (!rank) {
    size_t n = 0;
    if (table->fd < 0) err = start(table);
    for (PetscInt k = 0; k < table->ncolumns; k++)
      n += snprintf(table->line + n, table->capacity - n, "%s%.12g", k ? "," : "", values[k]);
    snprintf(table->line + n, table->capacity - n, "\n");
    if (!err) err = put_line(table, table->line);
  }
  PetscCall(tell(table, err, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxTableClose(RhxTable *table)
{
  PetscFunctionBegin;
  if (!*table) PetscFunctionReturn(PETSC_SUCCESS);
  if ((*table)->fd >= 0) close((*table)->fd);
  PetscCall(PetscFree((*table)->name));
  PetscCall(PetscFree((*table)->header));
  PetscCall(PetscFree((*table)->line));
  PetscCall(PetscFree(*table));
  PetscFunctionReturn(PETSC_SUCCESS);
}
