#include "case/yaml.h"
#include "case/error.h"
#include "petsc_compat.h"
#include <errno.h>
#include <unistd.h>

/* Options whose values are files that a case may name relative to itself. */
static const char *const file_options[] = {"-mesh_file", "-case_restart", "-plugin"};

static PetscErrorCode read_text(MPI_Comm comm, const char *file, char **text)
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
    if (f && fseek(f, 0, SEEK_END) == 0 && (length = ftell(f)) >= 0 && length < 100000000) {
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
  if (rank) PetscCall(PetscCalloc1(length + 1, text));
  PetscCallMPI(MPI_Bcast(*text, (PetscMPIInt)length, MPI_CHAR, 0, comm));
  PetscCheck(strlen(*text) == (size_t)length, comm, PETSC_ERR_USER_INPUT,
             "%s: byte %zu is zero, what follows would be lost: expected a text", file, strlen(*text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does PETSc's reader take the first n bytes? */
static PetscErrorCode parses(const char *text, size_t n, PetscBool *ok)
{
  PetscOptions scratch;
  PetscErrorCode code;
  char *part;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n + 1, &part));
  PetscCall(PetscArraycpy(part, text, n));
  PetscCall(PetscOptionsCreate(&scratch));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = PetscOptionsInsertStringYAML(scratch, part);
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscOptionsDestroy(&scratch));
  PetscCall(PetscFree(part));
  *ok = (PetscBool)(code == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error lies after the last line up to which the text can be read. */
static PetscErrorCode check_syntax(MPI_Comm comm, const char *file, const char *text)
{
  PetscBool ok;
  PetscInt line = 0, good = 0;
  const char *bad = text;
  int width;

  PetscFunctionBegin;
  PetscCall(parses(text, strlen(text), &ok));
  if (ok) PetscFunctionReturn(PETSC_SUCCESS);
  for (const char *end = text; (end = strchr(end, '\n')); end++) {
    line++;
    PetscCall(parses(text, (size_t)(end - text) + 1, &ok));
    if (!ok) continue;
    good = line;
    bad = end + 1;
  }
  for (; *bad == '\n'; bad++) good++;
  width = (int)strcspn(bad, "\n");
  SETERRQ(comm, PETSC_ERR_USER_INPUT,
          "%s, line %" PetscInt_FMT
          ": '%.*s' begins what is not YAML or not a mapping of options (key: value, key: [a, b], key: {...})",
          file, good + 1, PetscMin(width, 120), bad);
}

/* ---- keys that a case sets twice ---- */

typedef struct {
  PetscOptions seen;
  char twice[PETSC_MAX_OPTION_NAME];
  PetscBool on;
} RhxKeys;
static RhxKeys keys;

static PetscErrorCode watch_key(const char name[], const char value[], RHX_OPTION_SOURCE void *ctx)
{
  RhxKeys *k = ctx;
  char option[PETSC_MAX_OPTION_NAME];
  PetscBool again;

  PetscFunctionBegin;
  (void)value;
  if (!k->on) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(option, sizeof(option), "%s%s", name[0] == '-' ? "" : "-", name));
  PetscCall(PetscOptionsHasName(k->seen, NULL, option, &again));
  if (again)
    PetscCall(PetscStrncpy(k->twice, option, sizeof(k->twice)));
  else
    PetscCall(PetscOptionsSetValue(k->seen, option, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- names of files relative to the case ---- */

static void resolve_one(const char *folder, const char *name, size_t size, char *out)
{
  char beside[2 * PETSC_MAX_PATH_LEN + 2];

  snprintf(beside, sizeof(beside), "%s/%s", folder, name);
  snprintf(out, size, "%s", name[0] != '/' && access(name, F_OK) != 0 && access(beside, F_OK) == 0 ? beside : name);
}

/* Value of a comma-separated list of files, each resolved. */
static PetscErrorCode resolve_list(const char *folder, const char *value, size_t size, char *out)
{
  char **word;
  int n;

  PetscFunctionBegin;
  out[0] = '\0';
  PetscCall(PetscStrToArray(value, ',', &n, &word));
  for (int i = 0; i < n; i++) {
    char path[2 * PETSC_MAX_PATH_LEN + 2];

    resolve_one(folder, word[i], sizeof(path), path);
    PetscCall(PetscStrlcat(out, i ? "," : "", size));
    PetscCall(PetscStrlcat(out, path, size));
  }
  PetscCall(PetscStrToArrayDestroy(n, word));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode resolve_files(MPI_Comm comm, const char *file)
{
  char folder[PETSC_MAX_PATH_LEN], value[4096], path[8192];
  char *slash;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscStrncpy(folder, file, sizeof(folder)));
  slash = strrchr(folder, '/');
  if (!slash) PetscFunctionReturn(PETSC_SUCCESS);
  *slash = '\0';
  for (size_t i = 0; i < sizeof(file_options) / sizeof(file_options[0]); i++) {
    PetscBool here, set;

    PetscCall(PetscOptionsHasName(keys.seen, NULL, file_options[i], &here));
    PetscCall(PetscOptionsGetString(NULL, NULL, file_options[i], value, sizeof(value), &set));
    if (!here || !set || !value[0]) continue;
    if (rank == 0) PetscCall(resolve_list(folder, value, sizeof(path), path));
    PetscCallMPI(MPI_Bcast(path, (PetscMPIInt)sizeof(path), MPI_CHAR, 0, comm));
    PetscCall(PetscOptionsSetValue(NULL, file_options[i], path));
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

PetscErrorCode RhxYamlInsert(MPI_Comm comm, const char *file)
{
  static PetscBool watching = PETSC_FALSE;
  char *text;

  PetscFunctionBegin;
  PetscCall(read_text(comm, file, &text));
  PetscCall(check_syntax(comm, file, text));
  PetscCall(set_name(file));
  PetscCall(PetscOptionsCreate(&keys.seen));
  if (!watching) PetscCall(PetscOptionsMonitorSet(watch_key, &keys, NULL));
  watching = PETSC_TRUE;
  keys.on = PETSC_TRUE;
  PetscCall(PetscOptionsInsertStringYAML(NULL, text));
  keys.on = PETSC_FALSE;
  /* a merge key sets options that the case may then replace */
  PetscCheck(!keys.twice[0] || strstr(text, "<<:"), comm, PETSC_ERR_USER_INPUT,
             "%s sets %s twice: one of the two would be lost", file, keys.twice);
  PetscCall(resolve_files(comm, file));
  PetscCall(PetscOptionsDestroy(&keys.seen));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
