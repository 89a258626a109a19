/* <output folder>/control, a YAML file by which the user steers a run: rank 0 looks for it, all ranks read the same text. What it
 * asks for is done whole or not at all. */
#define _GNU_SOURCE /* O_NOFOLLOW */
#include "case/control_impl.h"
#include "case/error.h"
#include "case/keys.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES 65536
#define NAME 256

static const RhxRow rows[] = {
    {"every", RHX_INT, 0, offsetof(RhxControlOptions, every), "10", RHX_GE, 0, 0, NULL, "1",
     "steps between two looks for the file <output folder>/control, which changes options of the run (rheoplex --help "
     "run); 0: none"},
};
const RhxOptionTable RhxControlTable = {"control", "control_", PETSC_STATIC_ARRAY_LENGTH(rows), rows};

/* Options that may change in a run; of a scheme by the end of their names. */
static const char *const changing[] = {"control_every",
                                       "case_report_every",
                                       "case_report_seconds",
                                       "diagnostic_forces_every",
                                       "diagnostic_history_every",
                                       "output_checkpoint_dt",
                                       "output_checkpoint_every",
                                       "output_checkpoint_wall_time",
                                       "output_dt",
                                       "output_every",
                                       "stop_min_time",
                                       "stop_steady_tol",
                                       "stop_steps",
                                       "stop_time",
                                       "stop_wall_time"};
static const char *const of_scheme[] = {"dt", "cfl"};
static const char *const commands[] = {"output", "checkpoint", "stop"}; /* : now */

/* ---- The file ---- */

/* Rank 0: the text of the file, to be freed; NULL: there is none, or "" with a sentence why it cannot be read. */
static char *read_file(const char *path, size_t size, char *problem)
{
  struct stat status;
  char *text = NULL;
  ssize_t n = -1;
  const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);

  problem[0] = '\0';
  if (file < 0 && errno == ENOENT) return NULL;
  if (file < 0)
    snprintf(problem, size, "%s", errno == ELOOP ? "got a link, expected a file" : strerror(errno));
  else if (fstat(file, &status) || !S_ISREG(status.st_mode))
    snprintf(problem, size, "got something else, expected a file");
  else if (status.st_size > MOST_BYTES)
    snprintf(problem, size, "got %lld bytes, expected at most %d", (long long)status.st_size, MOST_BYTES);
  else if (status.st_size && (text = calloc(1, MOST_BYTES + 1)) && (n = read(file, text, MOST_BYTES)) < 0)
    snprintf(problem, size, "%s", strerror(errno));
  else if (n > 0 && strlen(text) != (size_t)n)
    snprintf(problem, size, "got a byte that is zero, expected a text");
  if (file >= 0) close(file);
  if (problem[0] && !text) text = calloc(1, 1);
  return text;
}

/* The text on all ranks, to be freed by PetscFree; NULL: no file, or one that is still empty. */
static PetscErrorCode share_text(RhxCase rc, const char *path, char **text, char problem[RHX_MESSAGE])
{
  char *mine = NULL;
  int n = -1;

  PetscFunctionBegin;
  *text = NULL;
  problem[0] = '\0';
  if (rc->rank == 0 && (mine = read_file(path, RHX_MESSAGE, problem))) n = (int)strlen(mine);
  PetscCallMPI(MPI_Bcast(&n, 1, MPI_INT, 0, rc->comm));
  if (n >= 0) {
    PetscCall(PetscCalloc1(n + 1, text));
    if (rc->rank == 0) PetscCall(PetscArraycpy(*text, mine, n));
    PetscCallMPI(MPI_Bcast(*text, n, MPI_CHAR, 0, rc->comm));
    PetscCallMPI(MPI_Bcast(problem, RHX_MESSAGE, MPI_CHAR, 0, rc->comm));
  }
  free(mine);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* It is read once: it gets another name. One that cannot be moved would be read for ever. */
static PetscErrorCode move(RhxCase rc, const char *path, const char *ending)
{
  char to[PETSC_MAX_PATH_LEN];
  int err = 0;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(to, sizeof(to), "%s.%s", path, ending));
  if (rc->rank == 0 && rename(path, to)) err = errno;
  PetscCallMPI(MPI_Bcast(&err, 1, MPI_INT, 0, rc->comm));
  if (!err) PetscFunctionReturn(PETSC_SUCCESS);
  rc->control_off = PETSC_TRUE;
  if (rc->rank == 0)
    fprintf(stderr, "rheoplex: warning: %s cannot be moved to %s (%s); this run looks for it no more\n", path, to,
            strerror(err));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What it asks for ---- */

typedef struct {
  char name[NAME], *old; /* owned; NULL: the option was not set */
  RhxRow row;            /* at offset 0 */
  char prefix[NAME];
} Change;

typedef struct {
  RhxKeys keys;
  PetscInt n;
  Change *change; /* [n] of at most keys.n */
  RhxControlNow now;
} Request;

/* The options that may change, with the scheme's; NULL past the end. */
static const char *changing_name(RhxCase rc, size_t i, char name[NAME])
{
  const size_t n = PETSC_STATIC_ARRAY_LENGTH(changing);

  if (i < n) return changing[i];
  if (i >= n + PETSC_STATIC_ARRAY_LENGTH(of_scheme)) return NULL;
  snprintf(name, NAME, "scheme_%.100s_%s", rc->general.scheme, of_scheme[i - n]);
  return name;
}

static PetscErrorCode refuse_key(RhxCase rc, const char *file, PetscInt line, const char *got)
{
  char one[NAME], all[1024] = "";
  const char *name;

  PetscFunctionBegin;
  for (size_t i = 0; (name = changing_name(rc, i, one)); i++) {
    PetscCall(PetscStrlcat(all, i ? ", " : "", sizeof(all)));
    PetscCall(PetscStrlcat(all, name, sizeof(all)));
  }
  SETERRQ(rc->comm, PETSC_ERR_USER_INPUT,
          "%s, line %" PetscInt_FMT
          ": got %.100s, expected what may change in a run: dt, cfl, %s, diagnostic_<name>_every, "
          "diagnostic_<name>_every_dt, or output, checkpoint or stop: now",
          file, line, got, all);
}

/* The row of the option; `got` is what the message says of another key. */
static PetscErrorCode find_change(RhxCase rc, const char *file, PetscInt line, const char *got, Change *change)
{
  char one[NAME];
  const char *name;
  const RhxOptionTable *table;
  const RhxRow *row;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(of_scheme); k++)
    if (!strcasecmp(got, of_scheme[k]))
      PetscCall(PetscSNPrintf(change->name, NAME, "scheme_%s_%s", rc->general.scheme, got));
  if (!change->name[0]) PetscCall(PetscStrncpy(change->name, got, NAME));
  for (size_t i = 0; (name = changing_name(rc, i, one)) && strcasecmp(name, change->name); i++)
    ;
  for (PetscInt t = 0; name && (table = RhxOptionTableGet(t)); t++)
    for (PetscInt r = 0; r < table->nrows; r++) {
      char full[NAME];

      PetscCall(PetscSNPrintf(full, NAME, "%s%s", table->prefix, table->rows[r].name));
      if (strcasecmp(full, name)) continue;
      change->row = table->rows[r];
      change->row.offset = 0;
      PetscCall(PetscStrncpy(change->prefix, table->prefix, NAME));
      PetscCall(PetscStrncpy(change->name, full, NAME));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  PetscCall(RhxDiagnosticsFindChanging(rc->diagnostics, change->name, NAME, change->prefix, &row));
  if (!row) PetscCall(refuse_key(rc, file, line, got));
  change->row = *row;
  change->row.offset = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* output: now and its like; *is: the key is one. */
static PetscErrorCode read_command(RhxCase rc, const char *file, PetscInt line, const RhxKey *key, RhxControlNow *now,
                                   PetscBool *is)
{
  PetscBool *const flag[] = {&now->output, &now->checkpoint, &now->stop};
  PetscBool fields;

  PetscFunctionBegin;
  *is = PETSC_FALSE;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(commands); k++) {
    if (strcasecmp(key->name, commands[k])) continue;
    PetscCheck(!strcmp(key->value, "now"), rc->comm, PETSC_ERR_USER_INPUT,
               "%s, line %" PetscInt_FMT ": got %s: '%.100s', expected %s: now", file, line, key->name, key->value,
               commands[k]);
    *is = *flag[k] = PETSC_TRUE;
  }
  PetscCall(RhxOutputHasFields(rc->output, &fields));
  PetscCheck(!now->output || fields, rc->comm, PETSC_ERR_USER_INPUT,
             "%s, line %" PetscInt_FMT ": got output: now, but -output_fields is false", file, line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The option gets the value, and every table that reads it has it checked. */
static PetscErrorCode set_option(RhxCase rc, Change *change, const char *value)
{
  char option[NAME + 1];
  union {
    double real;
    int integer;
    char text[RHX_STRING_LENGTH];
  } slot;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%s", change->name));
  if (value)
    PetscCall(PetscOptionsSetValue(NULL, option, value));
  else
    PetscCall(PetscOptionsClearValue(NULL, option));
  PetscCall(RhxRowsRead(rc->comm, change->prefix, 1, &change->row, 1, 0, &slot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep_old(Change *change)
{
  char option[NAME + 1], value[RHX_STRING_LENGTH];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%s", change->name));
  PetscCall(PetscOptionsGetString(NULL, NULL, option, value, sizeof(value), &set));
  if (set) PetscCall(PetscStrallocpy(value, &change->old));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What was read of the option, or will be. */
static PetscErrorCode value_of(const char *name, const char **value)
{
  PetscInt n;

  PetscFunctionBegin;
  *value = "";
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const char *other, *text;

    PetscCall(RhxOptionsReadGet(i, &other, &text, NULL));
    if (!strcmp(other, name)) *value = text;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every key, each option changed in the database at once: an error leaves those in `request` to be undone. `said`: what changes. */
static PetscErrorCode read_request(RhxCase rc, const char *file, const char *text, Request *request, size_t size,
                                   char *said)
{
  PetscFunctionBegin;
  PetscCall(RhxKeysRead(rc->comm, file, text, &request->keys));
  PetscCall(PetscCalloc1(request->keys.n, &request->change));
  for (PetscInt i = 0; i < request->keys.n; i++) {
    const RhxKey *key = &request->keys.key[i];
    Change *change = &request->change[request->n];
    const size_t used = strlen(said);
    const char *before;
    PetscBool command;
    PetscInt line;

    PetscCall(RhxKeysLine(text, key->name, 1, &line));
    PetscCall(read_command(rc, file, line, key, &request->now, &command));
    if (command) {
      PetscCall(PetscSNPrintf(said + used, size - used, "%s%s now", used ? ", " : "", key->name));
      continue;
    }
    PetscCall(find_change(rc, file, line, key->name, change));
    for (PetscInt k = 0; k < request->n; k++)
      PetscCheck(strcmp(request->change[k].name, change->name), rc->comm, PETSC_ERR_USER_INPUT,
                 "%s, line %" PetscInt_FMT ": got -%s twice, expected it once", file, line, change->name);
    PetscCall(value_of(change->name, &before));
    PetscCall(PetscSNPrintf(said + used, size - used, "%s%s %.100s -> %.100s", used ? ", " : "", change->name, before,
                            key->value));
    PetscCall(keep_old(change));
    request->n++;
    PetscCall(set_option(rc, change, key->value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Doing it ---- */

static PetscErrorCode check_end(RhxCase rc, const RhxStepInfo *info)
{
  const RhxStopOptions *stop = &rc->stop;

  PetscFunctionBegin;
  PetscCheck(!(stop->time > 0) || stop->time > info->t, rc->comm, PETSC_ERR_USER_INPUT,
             "got stop_time %g, expected more than %g s, where the run is (stop: now ends it)", stop->time, info->t);
  PetscCheck(!stop->steps || stop->steps > info->step, rc->comm, PETSC_ERR_USER_INPUT,
             "got stop_steps %d, expected more than %" PetscInt_FMT ", where the run is (stop: now ends it)",
             stop->steps, info->step);
  PetscCheck(stop->time > 0 || stop->steps || stop->steady_tol > 0 || stop->settled[0] || stop->periodic[0] ||
                 stop->wall_time > 0,
             rc->comm, PETSC_ERR_USER_INPUT,
             "nothing would stop this run: give stop_time, stop_steps, stop_steady_tol or stop_wall_time");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode scheme_value(RhxCase rc, const char *end, double *value)
{
  char name[NAME];
  const char *text;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, NAME, "scheme_%s_%s", rc->general.scheme, end));
  PetscCall(value_of(name, &text));
  *value = strtod(text, NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The database's values to all that have read them; what ends the run is the same as at its start. */
static PetscErrorCode spread(RhxCase rc, const RhxStepInfo *info)
{
  double dt, cfl;
  TSConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(RhxCaseReadOptions_Private(rc));
  PetscCall(check_end(rc, info));
  PetscCall(RhxDiagnosticsCheckChange(rc->diagnostics));
  PetscCall(scheme_value(rc, "dt", &dt));
  PetscCall(scheme_value(rc, "cfl", &cfl));
  PetscCall(RhxSchemeCheckTimeStep(rc->ts, dt, cfl));
  PetscCall(RhxCaseFindBreaks_Private(rc));
  PetscCall(RhxCaseSetEnd_Private(rc));
  PetscCall(RhxOutputChange(rc->output, info->t));
  PetscCall(RhxDiagnosticsChange(rc->diagnostics, info->t));
  PetscCall(RhxSchemeSetTimeStep(rc->ts, dt, cfl));
  PetscCall(TSGetConvergedReason(rc->ts, &reason));
  if (reason == TS_CONVERGED_TIME || reason == TS_CONVERGED_ITS) /* its last step, but the end has moved */
    PetscCall(TSSetConvergedReason(rc->ts, TS_CONVERGED_ITERATING));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode undo(RhxCase rc, Request *request)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < request->n; i++) PetscCall(set_option(rc, &request->change[i], request->change[i].old));
  PetscCall(RhxCaseReadOptions_Private(rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A text that all ranks have: done, or a sentence and nothing is changed. */
static PetscErrorCode follow(RhxCase rc, const RhxStepInfo *info, const char *text, char problem[RHX_MESSAGE],
                             RhxControlNow *now)
{
  Request request;
  char said[1024] = "";
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&request, sizeof(request)));
  PetscCall(RhxErrorHandlerPush(PETSC_FALSE));
  code = read_request(rc, "control", text, &request, sizeof(said), said);
  if (!code && request.n) code = spread(rc, info);
  PetscCall(PetscPopErrorHandler());
  if (code) {
    PetscCall(PetscStrncpy(problem, RhxErrorMessage(), RHX_MESSAGE));
    PetscCall(undo(rc, &request));
  } else {
    *now = request.now;
    PetscCall(RhxReportSay(rc, "control at step %" PetscInt_FMT ", t = %g: %s\n", info->step, info->t,
                           said[0] ? said : "nothing"));
    if (request.n) PetscCall(RhxCaseWriteEffective(rc));
  }
  for (PetscInt i = 0; i < request.n; i++) PetscCall(PetscFree(request.change[i].old));
  PetscCall(PetscFree(request.change));
  PetscCall(RhxKeysDestroy(&request.keys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode control_path(RhxCase rc, size_t size, char *path)
{
  const char *folder;

  PetscFunctionBegin;
  PetscCall(RhxOutputGetFolder(rc->output, &folder));
  PetscCall(PetscSNPrintf(path, size, "%s/control", folder));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxControlBegin(RhxCase rc)
{
  char path[PETSC_MAX_PATH_LEN];
  int there = 0;

  PetscFunctionBegin;
  rc->control_off = PETSC_FALSE;
  PetscCall(control_path(rc, sizeof(path), path));
  if (rc->rank == 0) there = !access(path, F_OK);
  PetscCallMPI(MPI_Bcast(&there, 1, MPI_INT, 0, rc->comm));
  if (!there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxReportSay(rc, "%s was there before the run: it is moved to control.old\n", path));
  PetscCall(move(rc, path, "old"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxControlStep(RhxCase rc, const RhxStepInfo *info, RhxControlNow *now)
{
  char path[PETSC_MAX_PATH_LEN], problem[RHX_MESSAGE], *text;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(now, sizeof(*now)));
  if (rc->control_off || !rc->control.every || info->step % rc->control.every) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(control_path(rc, sizeof(path), path));
  PetscCall(share_text(rc, path, &text, problem));
  if (!text) PetscFunctionReturn(PETSC_SUCCESS);
  if (!problem[0]) PetscCall(follow(rc, info, text, problem, now));
  PetscCall(PetscFree(text));
  if (problem[0]) {
    PetscCall(RhxReportSay(rc, ""));
    if (rc->rank == 0)
      fprintf(stderr, "rheoplex: warning: %s is not followed: %s; the run goes on unchanged\n", path, problem);
  }
  now->ending = problem[0] ? "refused" : "done";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxControlDone(RhxCase rc, const RhxControlNow *now)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (!now->ending) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(control_path(rc, sizeof(path), path));
  PetscCall(move(rc, path, now->ending));
  PetscFunctionReturn(PETSC_SUCCESS);
}
