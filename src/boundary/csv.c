#define _POSIX_C_SOURCE 200809L
#include "boundary/csv.h"
#include "petsc_compat.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS 8
#define BYTE_ORDER_MARK "\xEF\xBB\xBF" /* of UTF-8, as spreadsheets write it */

/* What rank 0 reads; message empty: sound. */
typedef struct {
  RhxCsv *csv;
  PetscInt room, most;
  PetscBool optional; /* the last column may be left out */
  const char *names;
  char message[400], words[400]; /* words: of the first heading with digits */
} Reader;

static PetscErrorCode grow(Reader *r)
{
  RhxCsv *c = r->csv;
  double *value;
  int *line;

  PetscFunctionBegin;
  if (c->n < r->room) PetscFunctionReturn(PETSC_SUCCESS);
  r->room = 2 * r->room + 64;
  PetscCall(PetscMalloc1(r->room * r->most, &value));
  PetscCall(PetscMalloc1(r->room, &line));
  PetscCall(PetscArraycpy(value, c->value, c->n * c->columns));
  PetscCall(PetscArraycpy(line, c->line, c->n));
  PetscCall(PetscFree(c->value));
  PetscCall(PetscFree(c->line));
  c->value = value;
  c->line = line;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void say_line(const Reader *r, char *text, int line, char message[400])
{
  static const char *const number[] = {"no", "one", "two", "three", "four", "five", "six", "seven", "eight"};

  text[strcspn(text, "\r\n")] = 0;
  snprintf(message, 400, "line %d: got \"%.80s\", expected %s numbers \"%s\"", line, text, number[r->csv->columns],
           r->names);
}

/* Does a cell begin like a number, in quotes too: by a digit, or a sign or point that does not stand alone ("s,-" are units)? */
static PetscBool begins_number(const char *cell)
{
  cell += strspn(cell, " \t\"'");
  return (PetscBool)(isdigit((unsigned char)*cell) ||
                     (*cell && strchr("+-.", *cell) && !strchr(" \t\r\n\"',;", cell[1])));
}

/* Words of which none begins like a number; "nan" and "inf" are numbers. */
static PetscBool is_heading(const char *text)
{
  char *end;

  (void)strtod(text, &end);
  if (end != text && strchr(" \t\r\n,", *end)) return PETSC_FALSE;
  for (const char *cell = text; cell; cell = strpbrk(cell, ",;\t"), cell += cell != NULL)
    if (begins_number(cell)) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* One line: a row, or why it is none; before the first row it may be a heading. */
static void take_line(Reader *r, char *text, int line)
{
  RhxCsv *c = r->csv;
  double value[MOST_COLUMNS];
  char *at = text, *end;
  PetscInt n = 0;
  PetscBool sound = PETSC_TRUE, finite = PETSC_TRUE;

  if (!c->n && is_heading(text)) {
    if (!r->words[0] && strpbrk(text, "0123456789")) say_line(r, text, line, r->words);
    return;
  }
  for (; sound && n < c->columns; n++) {
    value[n] = strtod(at, &end);
    sound = (PetscBool)(end != at);
    end += strspn(end, " \t\r\n");
    sound = (PetscBool)(sound && (n + 1 < c->columns ? *end == ',' : !*end));
    finite = (PetscBool)(finite && isfinite(value[n]));
    at = end + 1;
  }
  text[strcspn(text, "\r\n")] = 0;
  if (!sound) {
    say_line(r, text, line, r->message);
    if (!c->n)
      (void)PetscStrlcat(r->message, ", or a heading, in which no word begins like a number", sizeof(r->message));
  }
  if (sound && !finite)
    snprintf(r->message, sizeof(r->message), "line %d: got \"%.80s\", expected finite numbers", line, text);
  memcpy(c->value + c->n * c->columns, value, (size_t)n * sizeof(*value));
  c->line[c->n++] = line;
}

static PetscInt count(const char *text, char c)
{
  PetscInt n = 0;
  for (const char *at = text; (at = strchr(at, c)); at++) n++;
  return n;
}

static PetscErrorCode read_file(const char *path, Reader *r)
{
  FILE *file = fopen(path, "r");
  char *text = NULL, *at;
  size_t room = 0;

  PetscFunctionBegin;
  if (!file) {
    snprintf(r->message, sizeof(r->message), "got a file that cannot be opened, expected rows \"%s\"", r->names);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int line = 1; !r->message[0] && getline(&text, &room, file) > 0; line++) {
    at = line == 1 && !strncmp(text, BYTE_ORDER_MARK, 3) ? text + 3 : text;
    if (at[0] == '#' || !at[strspn(at, " \t\r\n")]) continue;
    if (!r->csv->n) r->csv->columns = r->most - (r->optional && count(at, ',') == r->most - 2 ? 1 : 0);
    PetscCall(grow(r));
    take_line(r, at, line);
  }
  if (!r->csv->n && !r->message[0]) memcpy(r->message, r->words, sizeof(r->message));
  if (ferror(file))
    snprintf(r->message, sizeof(r->message), "got a file that cannot be read, expected rows \"%s\"", r->names);
  free(text);
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCsvRead(MPI_Comm comm, const char *option, const char *path, const char *names, RhxCsv *csv)
{
  Reader r = {.csv = csv, .names = names};
  PetscMPIInt rank;

  PetscFunctionBegin;
  r.most = 1 + count(names, ',');
  csv->columns = r.most;
  r.optional = (PetscBool)(strchr(names, '[') != NULL);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) PetscCall(read_file(path, &r));
  PetscCallMPI(MPI_Bcast(r.message, sizeof(r.message), MPI_CHAR, 0, comm));
  PetscCallMPI(MPI_Bcast(&csv->n, 1, MPIU_INT, 0, comm));
  PetscCallMPI(MPI_Bcast(&csv->columns, 1, MPIU_INT, 0, comm));
  if (r.message[0]) PetscCall(RhxCsvFree(csv));
  PetscCheck(!r.message[0], comm, PETSC_ERR_USER_INPUT, "-%s: %s: %s", option, path, r.message);
  if (rank) {
    PetscCall(PetscMalloc1(csv->n * csv->columns, &csv->value));
    PetscCall(PetscMalloc1(csv->n, &csv->line));
  }
  PetscCallMPI(MPI_Bcast(csv->value, (PetscMPIInt)(csv->n * csv->columns), MPI_DOUBLE, 0, comm));
  PetscCallMPI(MPI_Bcast(csv->line, (PetscMPIInt)csv->n, MPI_INT, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCsvFree(RhxCsv *csv)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(csv->value));
  PetscCall(PetscFree(csv->line));
  csv->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
