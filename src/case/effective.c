/* <folder>/<name>_effective.yaml: every option of this run with its value; `rheoplex run` takes it as it stands. */
#define _XOPEN_SOURCE 700
#include "case/impl.h"
#include "case/trust.h"
#include <rheoplex/config.h>
#include <stdlib.h>

/* A value in single quotes, as YAML keeps any text. */
static void write_quoted(FILE *f, const char *value)
{
  fputc('\'', f);
  for (const char *c = value; *c; c++) {
    if (*c == '\'') fputc('\'', f);
    fputc(*c == '\n' ? ' ' : *c, f);
  }
  fputs("'\n", f);
}

/* What a case may not set is a remark: the file is a case. */
static void write_option(FILE *f, const char *name, const char *value)
{
  fprintf(f, "%s%s: ", RhxTrustMaySet(name, value) ? "" : "# on the command line alone: ", name);
  write_quoted(f, value);
}

static PetscErrorCode write_tables(FILE *f)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const char *name, *value;
    PetscBool set;

    PetscCall(RhxOptionsReadGet(i, &name, &value, &set));
    if (!set && (!value[0] || !strncmp(name, "bc_", 3))) continue; /* a condition takes the options of its type alone */
    write_option(f, name, value);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode in_tables(const char *name, PetscBool *known)
{
  PetscInt n;

  PetscFunctionBegin;
  *known = PETSC_FALSE;
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n && !*known; i++) {
    const char *other, *value;
    PetscBool set;

    PetscCall(RhxOptionsReadGet(i, &other, &value, &set));
    PetscCall(PetscStrcasecmp(name, other, known));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's own options that the user set, such as those of a linear solver. */
static PetscErrorCode write_petsc(FILE *f)
{
  PetscViewer viewer;
  FILE *memory;
  char *text = NULL, *line, *next;
  size_t size = 0;

  PetscFunctionBegin;
  memory = open_memstream(&text, &size);
  PetscCheck(memory, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory to list the options");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, memory, &viewer));
  PetscCall(PetscOptionsView(NULL, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  fclose(memory);
  for (line = text; line && *line; line = next) {
    char *name = line + 1, *value, *source;
    PetscBool known;

    next = strchr(line, '\n');
    if (next) *next++ = '\0';
    if (line[0] != '-') continue;
    source = strstr(line, " # (source:");
    if (source) *source = '\0';
    value = strchr(name, ' ');
    if (value) *value++ = '\0';
    PetscCall(in_tables(name, &known));
    if (known) continue;
    write_option(f, name, value ? value : "");
  }
  free(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the run write its checkpoints where the one lies that it began with? */
static PetscErrorCode overwrites(RhxCase rc, PetscBool *own)
{
  const char *file;
  char *a, *b;

  PetscFunctionBegin;
  PetscCall(RhxOutputGetCheckpointFile(rc->output, &file));
  a = rc->option.restart[0] ? realpath(rc->option.restart, NULL) : NULL;
  b = a ? realpath(file, NULL) : NULL;
  *own = (PetscBool)(a && b && !strcmp(a, b));
  free(a);
  free(b);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: the whole text; to be freed by free(). */
static PetscErrorCode make_text(RhxCase rc, char **text, size_t *size)
{
  PetscBool own = PETSC_FALSE;
  FILE *f;

  PetscFunctionBegin;
  PetscCall(overwrites(rc, &own));
  *text = NULL;
  *size = 0;
  f = open_memstream(text, size);
  PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory to list the options");
  fprintf(f, "# Options of the run '%s' by Rheoplex %s: what was set and every default that was used.\n",
          rc->option.name, RHX_VERSION);
  if (own)
    fprintf(
        f,
        "# It began with the state that was in case_restart at step %d, and left its own there: run again, it goes on "
        "from that.\n",
        (int)rc->first_step);
  PetscCall(write_tables(f));
  PetscCall(write_petsc(f));
  fclose(f);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWriteEffective(RhxCase rc)
{
  char file[PETSC_MAX_PATH_LEN], temporary[PETSC_MAX_PATH_LEN], problem[RHX_MESSAGE] = "", *text = NULL;
  size_t size = 0;
  int err;

  PetscFunctionBegin;
  PetscCall(RhxCasePath_Private(rc, "_effective.yaml", sizeof(file), file));
  PetscCall(RhxCasePath_Private(rc, "_effective.yaml.tmp", sizeof(temporary), temporary));
  if (rc->rank == 0) PetscCall(make_text(rc, &text, &size));
  PetscCall(RhxFileWriteText(rc->comm, temporary, text, size, &err));
  free(text);
  if (err)
    PetscCall(PetscSNPrintf(problem, sizeof(problem),
                            "list of options %s cannot be written: got \"%s\", expected a writable folder with space "
                            "(-output_folder)",
                            file, strerror(err)));
  else
    PetscCall(RhxOutputPlace(rc->output, temporary, file, problem));
  PetscCall(RhxOutputMind(rc->output, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Is what lies in the folder of this case? ---- */

/* Options that say how long, how often, where and what is told, not what is solved. */
static PetscBool defines_case(const char *line)
{
  static const char *const prefix[] = {
      "#",      "case_name",    "case_restart", "restart_",         "case_report_", "output_",
      "stop_",  "diagnostic_",  "control_",     "device",           "debug",        "log_",
      "malloc", "options_left", "options_view", "use_gpu_aware_mpi"};
  static const char *const suffix[] = {"_view", "_monitor"};
  const char *colon = strchr(line, ':');

  if (!colon) return PETSC_FALSE;
  for (size_t k = 0; k < sizeof(prefix) / sizeof(*prefix); k++)
    if (!strncmp(line, prefix[k], strlen(prefix[k]))) return PETSC_FALSE;
  for (size_t k = 0; k < sizeof(suffix) / sizeof(*suffix); k++) {
    const size_t n = strlen(suffix[k]);
    if (colon - line >= (ptrdiff_t)n && !strncmp(colon - n, suffix[k], n)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Has text that line? */
static PetscBool has_line(const char *text, const char *line, size_t n)
{
  for (; *text; text++) {
    if (!strncmp(text, line, n) && (text[n] == '\n' || !text[n])) return PETSC_TRUE;
    text = strchr(text, '\n');
    if (!text) break;
  }
  return PETSC_FALSE;
}

/* Every line of a that defines the case is in b. */
static PetscBool within(const char *a, const char *b)
{
  while (*a) {
    const size_t n = strcspn(a, "\n");
    if (defines_case(a) && !has_line(b, a, n)) return PETSC_FALSE;
    a += n + (a[n] == '\n');
  }
  return PETSC_TRUE;
}

/* The whole file, to be freed by free(); NULL: it cannot be read. */
static char *read_text(const char *file)
{
  FILE *f = fopen(file, "r");
  char *text = NULL;
  size_t capacity = 0;

  if (f && getdelim(&text, &capacity, '\0', f) < 0) {
    free(text);
    text = NULL;
  }
  if (f) fclose(f);
  return text;
}

/* Rank 0: do the options that lie in the folder define this case? */
static PetscErrorCode same_options(RhxCase rc, PetscBool *same)
{
  char file[PETSC_MAX_PATH_LEN], *mine, *there;
  size_t size;

  PetscFunctionBegin;
  PetscCall(RhxCasePath_Private(rc, "_effective.yaml", sizeof(file), file));
  PetscCall(make_text(rc, &mine, &size));
  there = read_text(file);
  *same = (PetscBool)(there && within(mine, there) && within(there, mine));
  free(mine);
  free(there);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is a file of this name, without its folder, a state that a run of the case leaves? */
static PetscBool is_own_state(RhxCase rc, const char *name)
{
  static const char *const ends[] = {"_checkpoint.h5", "_last_good.h5", "_point_", "_perturbed_"};
  const size_t n = strlen(rc->option.name);

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(ends) && !strncmp(name, rc->option.name, n); i++)
    if (!strncmp(name + n, ends[i], strlen(ends[i]))) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Rank 0: does the checkpoint of the restart lie in the output folder, and is it one of the case? */
static PetscErrorCode restarts_here(RhxCase rc, PetscBool *here)
{
  char path[PETSC_MAX_PATH_LEN], *a, *b;
  const char *folder, *slash;

  PetscFunctionBegin;
  *here = PETSC_FALSE;
  if (!rc->option.restart[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxOutputGetFolder(rc->output, &folder));
  slash = strrchr(rc->option.restart, '/');
  snprintf(path, sizeof(path), "%.*s.", slash ? (int)(slash - rc->option.restart) + 1 : 0, rc->option.restart);
  a = realpath(path, NULL);
  b = realpath(folder, NULL);
  *here = (PetscBool)(a && b && !strcmp(a, b) && is_own_state(rc, slash ? slash + 1 : rc->option.restart));
  free(a);
  free(b);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseFindOther_Private(RhxCase rc, PetscBool *other)
{
  PetscBool there, same = PETSC_FALSE, here = PETSC_FALSE;
  int found = 0;

  PetscFunctionBegin;
  PetscCall(RhxOutputHasResults(rc->output, &there));
  if (there && rc->rank == 0) {
    PetscCall(restarts_here(rc, &here));
    if (!here) PetscCall(same_options(rc, &same));
    found = !here && !same;
  }
  PetscCallMPI(MPI_Bcast(&found, 1, MPI_INT, 0, rc->comm));
  *other = (PetscBool)found;
  PetscFunctionReturn(PETSC_SUCCESS);
}
