/* A YAML case into the options database. PETSc's reader parses; what it would set is collected key by key, judged, and only
 * then set. */
#include "case/error.h"
#include "case/keys.h"
#include "case/lists_impl.h"
#include "case/origin_impl.h"
#include "case/trust.h"
#include "case/yaml_impl.h"
#include "petsc_compat.h"
#include "plugin/data.h"
#include "plugin/option.h"
#include <errno.h>
#include <strings.h>
#include <unistd.h>

#define RESERVED 24 /* options that Rheoplex sets itself while it runs */

/* Options whose values are files that a case may name relative to itself; the first one also of those that come with the
 * program. */
static const char *const file_options[] = {"mesh_file", "case_restart", "plugin"};
/* The same of names that have a label or a name in them. */
static const char *const file_endings[] = {"_profile_file", "_points_file"};

PetscErrorCode RhxYamlReadText(MPI_Comm comm, const char *file, char **text)
{
  PetscMPIInt rank;
  long length = -1;
  int reason = 0;
  FILE *f;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  *text = NULL;
  if (rank == 0) {
    f = fopen(file, "r");
    if (f && fgetc(f) == EOF && ferror(f)) /* a folder */
      length = -1;
    else if (f && fseek(f, 0, SEEK_END) == 0 && (length = ftell(f)) >= 0 && length < 100000000) {
      rewind(f);
      PetscCall(PetscCalloc1(length + 1, text));
      if (fread(*text, 1, (size_t)length, f) != (size_t)length) length = -1;
    } else
      length = -1;
    if (length < 0) reason = errno ? errno : EIO;
    if (f) fclose(f);
  }
  PetscCallMPI(MPI_Bcast(&length, 1, MPI_LONG, 0, comm));
  PetscCallMPI(MPI_Bcast(&reason, 1, MPI_INT, 0, comm));
  PetscCheck(length >= 0, comm, PETSC_ERR_FILE_OPEN, "cannot read the case '%s': %s", file, strerror(reason));
  PetscCheck(length, comm, PETSC_ERR_USER_INPUT, "%s is empty: expected a case, options as YAML", file);
  if (rank) PetscCall(PetscCalloc1(length + 1, text));
  PetscCallMPI(MPI_Bcast(*text, (PetscMPIInt)length, MPI_CHAR, 0, comm));
  PetscCheck(strlen(*text) == (size_t)length, comm, PETSC_ERR_USER_INPUT,
             "%s: byte %zu is zero, what follows would be lost: expected a text", file, strlen(*text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Names of files relative to the case ---- */

static void folder_of(const char *file, size_t size, char *folder)
{
  char *slash;

  snprintf(folder, size, "%s", file);
  slash = strrchr(folder, '/');
  if (slash)
    *slash = '\0';
  else
    snprintf(folder, size, ".");
}

/* In the current folder, else beside the case, be it a link beside what it leads to, else (a mesh) among the files that come with
 * the program. */
static void resolve_one(const char *file, const char *name, PetscBool shipped, size_t size, char *out)
{
  char folder[PETSC_MAX_PATH_LEN], other[2 * PETSC_MAX_PATH_LEN + 2], *real = realpath(file, NULL);
  const char *const of[] = {file, real};
  PetscBool found = PETSC_FALSE;

  snprintf(out, size, "%s", name);
  if (name[0] != '/' && access(name, F_OK)) {
    for (int k = 0; k < 2 && of[k] && !found; k++) {
      folder_of(of[k], sizeof(folder), folder);
      snprintf(other, sizeof(other), "%s/%s", folder, name);
      found = (PetscBool)(access(other, F_OK) == 0);
    }
    if (found || (shipped && RhxDataFile(name, sizeof(other), other))) snprintf(out, size, "%s", other);
  }
  free(real);
}

/* Value of a comma-separated list of files, each resolved. */
static PetscErrorCode resolve_list(const char *file, const char *value, PetscBool shipped, size_t size, char *out)
{
  char **word;
  int n;

  PetscFunctionBegin;
  out[0] = '\0';
  PetscCall(PetscStrToArray(value, ',', &n, &word));
  for (int i = 0; i < n; i++) {
    char path[2 * PETSC_MAX_PATH_LEN + 2];

    resolve_one(file, word[i], shipped, sizeof(path), path);
    PetscCall(PetscStrlcat(out, i ? "," : "", size));
    PetscCall(PetscStrlcat(out, path, size));
  }
  PetscCall(PetscStrToArrayDestroy(n, word));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode resolve_key(MPI_Comm comm, const char *file, PetscBool shipped, RhxKey *key)
{
  char path[8192];
  PetscMPIInt rank;

  PetscFunctionBegin;
  if (!key || !key->value[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) PetscCall(resolve_list(file, key->value, shipped, sizeof(path), path));
  PetscCallMPI(MPI_Bcast(path, (PetscMPIInt)sizeof(path), MPI_CHAR, 0, comm));
  PetscCall(PetscFree(key->value));
  PetscCall(PetscStrallocpy(path, &key->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxYamlResolveFiles(MPI_Comm comm, const char *file, RhxKeys *keys)
{
  PetscBool ends;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(file_options); i++)
    PetscCall(resolve_key(comm, file, (PetscBool)(i == 0), RhxKeysFind(keys, file_options[i])));
  for (PetscInt k = 0; k < keys->n; k++) {
    PetscCall(PetscStrendswith(keys->key[k].value, ".csv", &ends)); /* a waveform in place of a formula */
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(file_endings) && !ends; i++)
      PetscCall(PetscStrendswith(keys->key[k].name, file_endings[i], &ends));
    if (ends) PetscCall(resolve_key(comm, file, PETSC_FALSE, &keys->key[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_name(const char *file)
{
  const char *start = strrchr(file, '/');
  char name[PETSC_MAX_PATH_LEN], *dot;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(name, start ? start + 1 : file, sizeof(name)));
  dot = strrchr(name, '.');
  if (dot && dot != name) *dot = '\0';
  PetscCall(PetscOptionsSetValue(NULL, "-case_name", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Into the database ---- */

static PetscErrorCode set_one(PetscOptions options, const char *name, const char *value, PetscBool *room)
{
  char option[PETSC_MAX_OPTION_NAME + 1];
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%s", name));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = PetscOptionsSetValue(options, option, value);
  PetscCall(PetscPopErrorHandler());
  *room = (PetscBool)(code == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode reserve(PetscBool clear, PetscBool *room)
{
  char name[64];

  PetscFunctionBegin;
  *room = PETSC_TRUE;
  for (int i = 0; i < RESERVED && *room; i++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "-rheoplex_reserved_%d", i));
    if (clear)
      PetscCall(PetscOptionsClearValue(NULL, name));
    else
      PetscCall(set_one(NULL, name + 1, NULL, room));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Number of options that a database of this PETSc holds. */
static PetscErrorCode capacity(PetscInt *n)
{
  PetscOptions scratch;
  PetscBool room = PETSC_TRUE;
  char name[64];

  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&scratch));
  for (*n = 0; room && *n < 100000; (*n) += room) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "n%" PetscInt_FMT, *n));
    PetscCall(set_one(scratch, name, NULL, &room));
  }
  PetscCall(PetscOptionsDestroy(&scratch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode insert(MPI_Comm comm, const char *file, const RhxKeys *keys)
{
  PetscBool room;
  PetscInt i, most;

  PetscFunctionBegin;
  PetscCall(reserve(PETSC_FALSE, &room));
  for (i = 0; i < keys->n && room; i++) PetscCall(set_one(NULL, keys->key[i].name, keys->key[i].value, &room));
  if (!room) {
    PetscCall(capacity(&most));
    SETERRQ(comm, PETSC_ERR_USER_INPUT,
            "%s sets too many options: got %" PetscInt_FMT ", expected at most %" PetscInt_FMT
            " (this PETSc holds %" PetscInt_FMT ", those of the command line and of the environment and %d of "
            "Rheoplex's own among them)",
            file, keys->n, PetscMax(i - 1, 0), most, RESERVED);
  }
  PetscCall(reserve(PETSC_TRUE, &room));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void cut_remark(char *line)
{
  char *c = line, quote = '\0';

  for (; *c && (quote || *c != '#' || (c > line && !strchr(" \t", c[-1]))); c++)
    if (*c == quote)
      quote = '\0';
    else if (!quote && strchr("\"'", *c))
      quote = *c;
  *c = '\0';
}

/* Is a value there that is empty by will, such as ""? */
static PetscBool has_empty_value(const char *text, PetscInt line)
{
  char part[1024];

  while (--line > 0 && text) text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
  if (!text) return PETSC_TRUE;
  snprintf(part, sizeof(part), "%.*s", (int)PetscMin(strcspn(text, "\n"), sizeof(part) - 1), text);
  cut_remark(part);
  return (PetscBool)(strstr(part, "\"\"") || strstr(part, "''") || strstr(part, "[]") || strpbrk(part, "|>"));
}

/* 0,5 in braces is the value 0 and the key 5, and so are the entries of a list behind the first. */
static const char *advise_value(const char *name)
{
  const char *key = strrchr(name, '_');
  char *end;

  if (!key) return " or keys below it, indented";
  strtod(key + 1, &end);
  return key[1] && !*end ? "; or is a number's decimal point a comma, or a list without brackets ([a, b])" : "";
}

/* A key of ours with nothing behind the colon: a mistake. PETSc has options without a value. */
static PetscErrorCode check_values(MPI_Comm comm, const char *file, const char *text, const RhxKeys *keys)
{
  PetscInt line;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < keys->n; i++) {
    const char *name = keys->key[i].name;

    if (keys->key[i].value[0] || !RhxOptionsHavePrefix(name)) continue;
    PetscCall(RhxKeysLine(text, name, 1, &line));
    PetscCheck(!strchr(name, ':'), comm, PETSC_ERR_USER_INPUT,
               "%s, line %" PetscInt_FMT ": got -%s, expected a blank behind the colon (key: value)", file, line, name);
    PetscCheck(!line || has_empty_value(text, line), comm, PETSC_ERR_USER_INPUT,
               "%s, line %" PetscInt_FMT ": got -%s without a value, expected one behind the colon (key: value)%s",
               file, line, name, advise_value(name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxYamlInsert(MPI_Comm comm, const char *file)
{
  RhxKeys keys;
  char *text;

  PetscFunctionBegin;
  PetscCall(RhxYamlReadText(comm, file, &text));
  PetscCall(RhxListsFlatten(comm, file, text));
  PetscCall(RhxKeysRead(comm, file, text, &keys));
  PetscCall(set_name(file));
  PetscCall(RhxTrustCheckKeys(comm, file, text, &keys));
  PetscCall(check_values(comm, file, text, &keys));
  PetscCall(RhxYamlResolveFiles(comm, file, &keys));
  PetscCall(insert(comm, file, &keys));
  PetscCall(RhxTrustKeep(&keys));
  PetscCall(RhxOriginKeep(file, text, &keys));
  PetscCall(RhxKeysDestroy(&keys));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Given, and nothing has read it yet? To ask PETSc for its value would count as reading it. */
static PetscErrorCode is_left(const char *name, PetscBool *left)
{
  char **names, **values;
  PetscInt n;

  PetscFunctionBegin;
  *left = PETSC_FALSE;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &names, &values));
  for (PetscInt i = 0; i < n && !*left; i++) *left = (PetscBool)!strcasecmp(names[i], name);
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &names, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxYamlInsertDefaults(MPI_Comm comm, const char *file)
{
  RhxKeys keys;
  char *text, option[PETSC_MAX_OPTION_NAME + 1];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(RhxYamlReadText(comm, file, &text));
  PetscCall(RhxKeysRead(comm, file, text, &keys));
  for (PetscInt i = 0; i < keys.n; i++) {
    PetscCall(is_left(keys.key[i].name, &set));
    if (set) continue;
    PetscCall(PetscSNPrintf(option, sizeof(option), "-%s", keys.key[i].name));
    PetscCall(PetscOptionsHasName(NULL, NULL, option, &set));
    if (!set) PetscCall(PetscOptionsSetValue(NULL, option, keys.key[i].value));
    if (!set) PetscCall(PetscOptionsHasName(NULL, NULL, option, &set)); /* no error where none reads it */
  }
  PetscCall(RhxKeysDestroy(&keys));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
