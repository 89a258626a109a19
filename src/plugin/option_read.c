/* Option values: from text through the row's checks to the slot; what was read is kept in order. */
#include "petsc_compat.h"
#include "plugin/needs.h"
#include "plugin/option.h"
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MESSAGE 2048
#define NAME 256
#define MAX_MODES 256

/* ---- What was read ---- */

typedef struct {
  char *name, *value; /* owned */
  PetscBool set;
} ReadOption;

static struct {
  PetscInt n, size;
  ReadOption *option;
} record;

static PetscErrorCode forget_record(void)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < record.n; i++) {
    PetscCall(PetscFree(record.option[i].name));
    PetscCall(PetscFree(record.option[i].value));
  }
  PetscCall(PetscFree(record.option));
  record.n = record.size = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode grow_record(void)
{
  ReadOption *grown;
  PetscFunctionBegin;
  if (record.n < record.size) PetscFunctionReturn(PETSC_SUCCESS);
  if (!record.size) PetscCall(PetscRegisterFinalize(forget_record));
  record.size = 2 * record.size + 64;
  PetscCall(PetscMalloc1(record.size, &grown));
  PetscCall(PetscArraycpy(grown, record.option, record.n));
  PetscCall(PetscFree(record.option));
  record.option = grown;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode remember(const char *name, const char *value, PetscBool set)
{
  PetscInt i;
  PetscFunctionBegin;
  for (i = 0; i < record.n; i++)
    if (strcmp(record.option[i].name, name) == 0) break;
  if (i == record.n) {
    PetscCall(grow_record());
    PetscCall(PetscStrallocpy(name, &record.option[i].name));
    record.n++;
  } else
    PetscCall(PetscFree(record.option[i].value));
  PetscCall(PetscStrallocpy(value, &record.option[i].value));
  record.option[i].set = set;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOptionsReadCount(PetscInt *n)
{
  PetscFunctionBegin;
  *n = record.n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOptionsReadGet(PetscInt i, const char **name, const char **value, PetscBool *set)
{
  PetscFunctionBegin;
  PetscCheck(i >= 0 && i < record.n, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "No option %" PetscInt_FMT " was read: got an index out of range, expected 0 to %" PetscInt_FMT, i,
             record.n - 1);
  *name = record.option[i].name;
  *value = record.option[i].value;
  if (set) *set = record.option[i].set;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- From text to a slot; 0 or -1 ---- */

unsigned long RhxRowSize(const RhxRow *row)
{
  if (row->kind == RHX_STRING) return RHX_STRING_LENGTH;
  return row->kind == RHX_REAL ? sizeof(double) : sizeof(int);
}

/* Length of choice k of "a|b|c" and its start; 0 past the end. */
static size_t choice(const char *choices, int k, const char **start)
{
  const char *p = choices;
  for (; k > 0 && p; k--) {
    p = strchr(p, '|');
    if (p) p++;
  }
  *start = p;
  return p ? strcspn(p, "|") : 0;
}

static int choice_index(const char *choices, const char *text)
{
  const char *p;
  size_t n;
  for (int k = 0; choices && (n = choice(choices, k, &p)); k++)
    if (strlen(text) == n && strncmp(text, p, n) == 0) return k;
  return -1;
}

PetscBool RhxRowNamesField(const RhxRow *row)
{
  return (PetscBool)(row->kind == RHX_CHOICE && row->choices && !strcmp(row->choices, RHX_CASE_FIELD));
}

PetscBool RhxRowHolds(const RhxRow *row, double x)
{
  switch (row->bound) {
  case RHX_ANY:
    return (PetscBool)!isnan(x);
  case RHX_GT:
    return (PetscBool)(x > row->lower);
  case RHX_GE:
    return (PetscBool)(x >= row->lower);
  case RHX_IN:
    return (PetscBool)(x >= row->lower && x <= row->upper);
  case RHX_IN_RIGHT_OPEN:
    return (PetscBool)(x >= row->lower && x < row->upper);
  }
  return PETSC_FALSE;
}

static int read_real(const RhxRow *row, const char *text, double *x)
{
  char *end;
  int named = choice_index(row->choices, text);
  if (named >= 0) {
    *x = -1.0 - named;
    return 0;
  }
  *x = strtod(text, &end);
  if (end == text || *end || !RhxRowHolds(row, *x)) return -1;
  return isinf(*x) && !(row->value && strstr(row->value, "inf")) ? -1 : 0; /* infinite only where the default is */
}

static int read_int(const RhxRow *row, const char *text, int *x)
{
  char *end;
  long value = strtol(text, &end, 10);
  *x = (int)value;
  return end == text || *end || value < INT_MIN || value > INT_MAX || !RhxRowHolds(row, (double)value) ? -1 : 0;
}

static int read_bool(const char *text, int *x)
{
  static const char *const word[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
  for (int k = 0; k < 8; k++)
    if (strcmp(text, word[k]) == 0) {
      *x = k % 2;
      return 0;
    }
  *x = 1;
  return *text ? -1 : 0; /* named without a value: true */
}

PetscBool RhxBoolsAgree(const char *a, const char *b)
{
  int x[2];
  return (PetscBool)(!read_bool(a, &x[0]) && !read_bool(b, &x[1]) && x[0] == x[1]);
}

static int read_slot(const RhxRow *row, const char *text, void *slot)
{
  switch (row->kind) {
  case RHX_REAL:
    return read_real(row, text, slot);
  case RHX_INT:
    return read_int(row, text, slot);
  case RHX_BOOL:
    return read_bool(text, slot);
  case RHX_CHOICE:
    *(int *)slot = RhxRowNamesField(row) ? 0 : choice_index(row->choices, text);
    return *(int *)slot < 0 ? -1 : 0;
  case RHX_STRING:
    break;
  }
  if (strlen(text) >= RHX_STRING_LENGTH) return -1;
  strcpy(slot, text);
  return 0;
}

/* ---- Messages ---- */

/* "a, b or c" from "a|b|c" */
static void list_choices(const char *choices, const char *last, char *out, size_t size)
{
  const char *p;
  size_t n;
  out[0] = 0;
  for (int k = 0; (n = choice(choices, k, &p)); k++) {
    const char *joint = k == 0 ? "" : p[n] || last ? ", " : " or ";
    snprintf(out + strlen(out), size - strlen(out), "%s%.*s", joint, (int)n, p);
  }
  if (last) snprintf(out + strlen(out), size - strlen(out), " or %s", last);
}

static void describe_number(const RhxRow *row, char *out, size_t size)
{
  const char *what = row->kind == RHX_INT ? "an integer" : "a number";
  int unit = row->unit && row->unit[0] && strcmp(row->unit, "1") != 0;
  char bound[128] = "";
  switch (row->bound) {
  case RHX_ANY:
    break;
  case RHX_GT:
    snprintf(bound, sizeof(bound), " > %g", row->lower);
    break;
  case RHX_GE:
    snprintf(bound, sizeof(bound), " >= %g", row->lower);
    break;
  case RHX_IN:
    snprintf(bound, sizeof(bound), " from %g to %g", row->lower, row->upper);
    break;
  case RHX_IN_RIGHT_OPEN:
    snprintf(bound, sizeof(bound), " >= %g and < %g", row->lower, row->upper);
    break;
  }
  snprintf(out, size, "%s%s%s%s%s", what, bound, unit ? " (" : "", unit ? row->unit : "", unit ? ")" : "");
}

void RhxRowDescribe(const RhxRow *row, char *out, size_t size)
{
  char number[256];
  switch (row->kind) {
  case RHX_BOOL:
    snprintf(out, size, "true or false");
    return;
  case RHX_CHOICE:
    if (RhxRowNamesField(row))
      snprintf(out, size, "the name of a scalar field of -physics");
    else
      list_choices(row->choices, NULL, out, size);
    return;
  case RHX_STRING:
    snprintf(out, size, "a text of less than %d characters", RHX_STRING_LENGTH);
    return;
  case RHX_REAL:
  case RHX_INT:
    describe_number(row, number, sizeof(number));
    break;
  }
  if (row->choices)
    list_choices(row->choices, number, out, size);
  else
    snprintf(out, size, "%s", number);
}

/* " (did you mean ...?)" for choices */
static void suggest_choice(const RhxRow *row, const char *text, char *out, size_t size)
{
  char word[16][64];
  const char *names[16], *p, *near;
  size_t n;
  int k;
  out[0] = 0;
  for (k = 0; k < 16 && row->choices && (n = choice(row->choices, k, &p)); k++) {
    snprintf(word[k], sizeof(word[k]), "%.*s", (int)n, p);
    names[k] = word[k];
  }
  near = RhxNearest(text, k, names);
  if (near && strcasecmp(text, "nan")) snprintf(out, size, "; did you mean %s?", near); /* a number that is none */
}

static PetscErrorCode refuse(MPI_Comm comm, const char *option, const RhxRow *row, const char *text)
{
  char expected[MESSAGE / 2], suggestion[128];
  PetscFunctionBegin;
  RhxRowDescribe(row, expected, sizeof(expected));
  suggest_choice(row, text, suggestion, sizeof(suggestion));
  SETERRQ(comm, PETSC_ERR_ARG_OUTOFRANGE, "Option -%s: got \"%.200s\", expected %s%s", option, text, expected,
          suggestion);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rows ---- */

/* Cuts `text` at its commas in place, without the blanks around each value. */
static PetscInt split(char *text, PetscInt max, char **value)
{
  PetscInt n = 0;
  for (char *p = text; p; n++) {
    char *end = strchr(p, ',');
    if (end) *end = 0;
    while (isspace((unsigned char)*p)) p++;
    for (size_t l = strlen(p); l && isspace((unsigned char)p[l - 1]); l--) p[l - 1] = 0;
    if (n < max) value[n] = p;
    p = end ? end + 1 : NULL;
  }
  return n;
}

static PetscErrorCode read_row(MPI_Comm comm, const char *option, const RhxRow *row, char *text, PetscInt nmodes,
                               size_t size, char *slots)
{
  char *value[MAX_MODES] = {text};
  PetscInt n = row->per_mode ? split(text, MAX_MODES, value) : 1;
  PetscFunctionBegin;
  PetscCheck(n == 1 || n == nmodes, comm, PETSC_ERR_ARG_SIZ,
             "Option -%s: got %" PetscInt_FMT " values, expected 1 or as many as -%.*smodes, %" PetscInt_FMT, option, n,
             (int)(strlen(option) - strlen(row->name)), option, nmodes);
  for (PetscInt m = 0; m < nmodes; m++) {
    const char *v = value[n == 1 ? 0 : m];
    if (read_slot(row, v, slots + m * size + row->offset)) PetscCall(refuse(comm, option, row, v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode default_text(MPI_Comm comm, const char *option, const RhxRow *row, char *text)
{
  char expected[MESSAGE / 2];
  PetscFunctionBegin;
  if (!row->value && row->kind != RHX_STRING) {
    RhxRowDescribe(row, expected, sizeof(expected));
    SETERRQ(comm, PETSC_ERR_ARG_WRONG, "Option -%s is missing: expected %s%s; %s", option, expected,
            row->per_mode ? ", one a mode" : "", row->help);
  }
  PetscCall(PetscStrncpy(text, row->value ? row->value : "", RHX_STRING_LENGTH + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRowsRead(MPI_Comm comm, const char *prefix, PetscInt nrows, const RhxRow *rows, PetscInt nmodes,
                           size_t size, void *slots)
{
  char option[NAME], dashed[NAME + 1], text[RHX_STRING_LENGTH + 1];
  PetscFunctionBegin;
  PetscCheck(nmodes <= MAX_MODES, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "Options -%s...: got %" PetscInt_FMT " modes, expected at most %d", prefix, nmodes, MAX_MODES);
  for (PetscInt r = 0; r < nrows; r++) {
    const RhxRow *row = &rows[r];
    PetscBool set;
    PetscCall(PetscSNPrintf(option, sizeof(option), "%s%s", prefix, row->name));
    PetscCall(PetscSNPrintf(dashed, sizeof(dashed), "-%s", option));
    text[0] = 0;
    PetscCall(PetscOptionsGetString(NULL, NULL, dashed, text, sizeof(text), &set));
    if (!set) PetscCall(default_text(comm, option, row, text));
    PetscCall(remember(option, text, set));
    PetscCall(read_row(comm, option, row, text, nmodes, size, slots));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRowsCheck(MPI_Comm comm, const char *prefix, PetscInt nrows, const RhxRow *rows)
{
  char option[NAME], dashed[NAME + 1], text[RHX_STRING_LENGTH + 1];
  union {
    double real;
    int integer;
    char string[RHX_STRING_LENGTH];
  } slot;
  PetscFunctionBegin;
  for (PetscInt r = 0; r < nrows; r++) {
    PetscBool set;
    PetscCall(PetscSNPrintf(option, sizeof(option), "%s%s", prefix, rows[r].name));
    PetscCall(PetscSNPrintf(dashed, sizeof(dashed), "-%s", option));
    text[0] = 0;
    PetscCall(PetscOptionsGetString(NULL, NULL, dashed, text, sizeof(text), &set));
    if (set && read_slot(&rows[r], text, &slot)) PetscCall(refuse(comm, option, &rows[r], text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOptionTableRead(MPI_Comm comm, const RhxOptionTable *table, const char *prefix, void *slots)
{
  PetscFunctionBegin;
  PetscCall(RhxRowsRead(comm, prefix ? prefix : table->prefix, table->nrows, table->rows, 1, 0, slots));
  PetscFunctionReturn(PETSC_SUCCESS);
}
