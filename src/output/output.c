#include "output/file_impl.h"
#include "output/impl.h"
#include "output/insitu.h"
#include "output/quantity.h"
#include "plugin/agree.h"
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const RhxRow rows[] = {
    {"folder", RHX_STRING, 0, offsetof(RhxOutputSettings, folder), "", RHX_ANY, 0, 0, NULL, "1",
     "folder of all results; made if it does not exist (empty: out/<case name>). When the first step is finished "
     "results "
     "of the same case are replaced but for its last state (<case>_checkpoint.h5.earlier), behind a restart those of "
     "later steps, those of another one are moved to "
     "<folder>/<case name>.1 (.2, ...)"},
    {"every", RHX_INT, 0, offsetof(RhxOutputSettings, every), "0", RHX_GE, 0, 0, NULL, "1",
     "fields every so many steps, of a continuation from its first state on, and of the last (0: not by steps)"},
    {"dt", RHX_REAL, 0, offsetof(RhxOutputSettings, dt), "0", RHX_GE, 0, 0, NULL, "s",
     "fields every so much time; the steps before are shortened to meet these times (0: not by time)"},
    {"fields", RHX_STRING, 0, offsetof(RhxOutputSettings, fields), "default", RHX_ANY, 0, 0, NULL, "1",
     "fields that are written in the formats of -output_formats, comma-separated: default, all, or names such as "
     "velocity, pressure, stress, conformation, log_conformation, vorticity, shear_rate, viscosity, q_criterion, wi, "
     "n1, cfl (share/doc/diagnostics.md); false: none"},
    {"formats", RHX_STRING, 0, offsetof(RhxOutputSettings, formats), "vtu", RHX_ANY, 0, 0, NULL, "1",
     "formats of the fields, comma-separated, of `rheoplex list output`, plugins' too (share/doc/diagnostics.md)"},
    {"checkpoint_every", RHX_INT, 0, offsetof(RhxOutputSettings, checkpoint_every), "0", RHX_GE, 0, 0, NULL, "1",
     "state for restart every so many steps, of a continuation from its first state on (0: not by steps); at the end "
     "in "
     "any case"},
    {"checkpoint_dt", RHX_REAL, 0, offsetof(RhxOutputSettings, checkpoint_dt), "0", RHX_GE, 0, 0, NULL, "s",
     "state for restart every so much time; the steps before are shortened to meet these times (0: not by time)"},
    {"checkpoint_wall_time", RHX_REAL, 0, offsetof(RhxOutputSettings, checkpoint_wall_time), "1800", RHX_GE, 0, 0, NULL,
     "s",
     "state for restart every so much wall-clock time since the last one, so that a run that is killed has lost no "
     "more "
     "(0: not by the clock). The run goes on as without it; a run from it agrees to the tolerance of the solvers, from "
     "those by steps or time to the bit"},
    {"on_error", RHX_CHOICE, 0, offsetof(RhxOutputSettings, on_error), "stop", RHX_ANY, 0, 0, "stop|continue", "",
     "when a file cannot be written, such as on a full disk: stop the run and save its state if that can be done, or "
     "warn and go on without the file (of one kind of file the 1st, 10th, 100th time); files written before stay "
     "whole"},
};
static const RhxOptionTable table = {"output", "output_", sizeof rows / sizeof *rows, rows};

PetscErrorCode RhxOutputRegisterOptions(void)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRegister(&table));
  PetscCall(RhxOutputRegisterFormats());
  PetscCall(RhxInsituRegisterOptions());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputCreate(RhxForm form, const char *name, RhxOutput *output)
{
  RhxOutput o;

  PetscFunctionBegin;
  PetscCall(PetscNew(&o));
  o->form = form;
  o->comm = form->comm;
  PetscCall(PetscStrncpy(o->name, name, sizeof o->name));
  o->last_step = o->first_step = -1;
  o->last_t = RHX_NO_TIME;
  *output = o;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -output_fields, which was a switch: its words still are. */
static PetscErrorCode read_fields(RhxOutput o)
{
  static const char *const off[] = {"false", "no", "off", "0"}, *const on[] = {"true", "yes", "on", "1", ""};
  RhxQuantities *known;
  PetscInt n, *which;

  PetscFunctionBegin;
  o->fields = PETSC_TRUE;
  PetscCall(PetscStrncpy(o->list, o->set.fields, sizeof o->list));
  for (size_t i = 0; i < sizeof off / sizeof *off; i++)
    if (!strcmp(o->list, off[i])) o->fields = PETSC_FALSE;
  for (size_t i = 0; i < sizeof on / sizeof *on; i++)
    if (!strcmp(o->list, on[i])) PetscCall(PetscStrncpy(o->list, "default", sizeof o->list));
  if (!o->fields) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxQuantitiesCreate(o->form, &known));
  PetscCall(RhxQuantitiesSelect(known, "-output_fields", o->list, &n, &which));
  PetscCall(RhxQuantitiesDestroy(&known));
  PetscCall(PetscFree(which));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A beginning that a shell would have replaced: of a case, which none reads, it would become a folder of that name. */
static size_t shell_head(const char *path)
{
  const size_t n = strcspn(path, "/");
  return path[0] == '~' || path[0] == '$' ? n : 0;
}

PetscErrorCode RhxOutputSetFromOptions(RhxOutput o)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRead(o->comm, &table, NULL, &o->set));
  PetscCall(read_fields(o));
  PetscCall(RhxOutputCreateWriters(o));
  if (o->set.folder[0])
    PetscCall(PetscStrncpy(o->folder, o->set.folder, sizeof o->folder));
  else
    PetscCall(PetscSNPrintf(o->folder, sizeof o->folder, "out/%s", o->name));
  PetscCheck(!shell_head(o->set.folder), o->comm, PETSC_ERR_USER_INPUT,
             "-output_folder: got '%.500s', of which no shell replaces %.*s, expected the path in full, or relative to "
             "the current folder",
             o->set.folder, (int)PetscMin(shell_head(o->set.folder), 100), o->set.folder);
  PetscCheck(strlen(o->folder) < PETSC_MAX_PATH_LEN - 512, o->comm, PETSC_ERR_USER_INPUT,
             "-output_folder: got a path of %zu characters, expected less than %d", strlen(o->folder),
             PETSC_MAX_PATH_LEN - 512);
  PetscCall(PetscSNPrintf(o->checkpoint, sizeof o->checkpoint, "%s/%s_checkpoint.h5", o->folder, o->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputGetFolder(RhxOutput o, const char **folder)
{
  PetscFunctionBegin;
  *folder = o->folder;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputGetPath(RhxOutput o, const char *suffix, size_t size, char *path)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, size, "%s/%s%s", o->folder, o->name, suffix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputGetCheckpointFile(RhxOutput o, const char **file)
{
  PetscFunctionBegin;
  *file = o->checkpoint;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Set up ---- */

/* mkdir -p and a trial file; returns an errno. */
static int make_folder(const char *folder)
{
  char path[PETSC_MAX_PATH_LEN + 32];
  FILE *file;

  snprintf(path, sizeof path, "%s", folder);
  for (char *p = path + 1; *p; p++)
    if (*p == '/') {
      *p = 0;
      if (mkdir(path, 0777) && errno != EEXIST) return errno;
      *p = '/';
    }
  if (mkdir(path, 0777) && errno != EEXIST) return errno;
  snprintf(path, sizeof path, "%s/.trial_%ld", folder, (long)getpid());
  if (!(file = fopen(path, "w"))) return errno;
  fclose(file);
  return unlink(path) ? errno : 0;
}

static PetscErrorCode check_folder(RhxOutput o)
{
  char message[RHX_MESSAGE] = "";
  PetscMPIInt rank;
  int err;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  if (!rank && (err = make_folder(o->folder)))
    snprintf(message, sizeof message,
             "output folder \"%.500s\" cannot be written: got \"%s\", expected a folder that can be "
             "made and written, option -output_folder",
             o->folder, strerror(err));
  PetscCall(RhxRaise(o->comm, PETSC_ERR_FILE_OPEN, sizeof(message), message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lock_folder(RhxOutput o)
{
  char path[PETSC_MAX_PATH_LEN], owner[512], message[RHX_MESSAGE] = "";
  PetscMPIInt rank;
  int err;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/%s.lock", o->folder, o->name));
  if (!rank) {
    PetscCall(RhxLockTake(path, &o->lock, sizeof owner, owner, &err));
    if (owner[0])
      snprintf(
          message, sizeof message,
          "output folder \"%.250s\" is in use: got a run of the case '%.100s' there by %.200s, expected none: take "
          "another -output_folder or -case_name, or remove %.250s if that run is gone",
          o->folder, o->name, owner, path);
    else if (err)
      snprintf(message, sizeof message,
               "lock %.400s cannot be written: got \"%s\", expected space and permission in the "
               "folder of option -output_folder",
               path, strerror(err));
  }
  PetscCall(RhxRaise(o->comm, PETSC_ERR_FILE_OPEN, sizeof(message), message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputSetUp(RhxOutput o)
{
  PetscFunctionBegin;
  PetscCall(check_folder(o));
  PetscCall(lock_folder(o));
  if (!o->fields) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < o->nwriters; i++)
    if (o->writer[i].type->setup) PetscCall(o->writer[i].type->setup(&o->writer[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputDestroy(RhxOutput *output)
{
  RhxOutput o = *output;

  PetscFunctionBegin;
  if (!o) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxOutputDiscard(o));
  PetscCall(RhxLockRelease(&o->lock));
  PetscCall(RhxOutputDestroyWriters(o));
  for (PetscInt i = 0; i < 2 * o->nresults; i++) PetscCall(PetscFree(o->result[i / 2][i % 2]));
  for (PetscInt i = 0; i < o->nkinds; i++) PetscCall(PetscFree(o->problem[i].first));
  PetscCall(PetscFree(o->problem));
  PetscCall(PetscFree(o->result));
  PetscCall(PetscFree(*output));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- When ---- */

PetscInt64 RhxOutputPeriod(double every, double t)
{
  double n = t / every;
  return (PetscInt64)PetscFloorReal(n + 1e-9 * PetscMax(1.0, PetscAbs(n)));
}

static double next_time(double every, double t) { return (double)(RhxOutputPeriod(every, t) + 1) * every; }

PetscBool RhxOutputCrosses(double every, double from, double to)
{
  const double way = to < from ? -1.0 : 1.0;
  return (PetscBool)(from <= RHX_NO_TIME || RhxOutputPeriod(every, way * to) > RhxOutputPeriod(every, way * from));
}

PetscErrorCode RhxOutputChange(RhxOutput o, double t)
{
  const double before = o->set.dt;

  PetscFunctionBegin;
  PetscCall(RhxOptionTableRead(o->comm, &table, NULL, &o->set));
  if (o->set.dt != before) o->last_t = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputHasFields(RhxOutput o, PetscBool *has)
{
  PetscFunctionBegin;
  *has = o->fields;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputCountStates(RhxOutput o)
{
  PetscFunctionBegin;
  o->states = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputKeepsStates(RhxOutput o, PetscBool *keeps)
{
  PetscFunctionBegin;
  *keeps = (PetscBool)(o->set.checkpoint_every > 0 || o->set.checkpoint_dt > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool falls_on(RhxOutput o, PetscInt step, PetscInt every)
{
  return (PetscBool)(every > 0 && (step - (o->states ? 1 : 0)) % every == 0);
}

/* "of every state", "of the first, then of one in 3, and of the last state" */
static void describe_kept(PetscInt every, double dt, const char *prefix, size_t size, char *text)
{
  char number[32]; /* PETSc writes 2 as "2." */

  snprintf(number, sizeof(number), "%g", dt);
  if (every == 1)
    snprintf(text, size, "of every state");
  else if (every > 1 && !(dt > 0))
    snprintf(text, size, "of the first, then of one in %d, and of the last state", (int)every);
  else if (every > 1)
    snprintf(text, size,
             "of the first, then of one in %d, where the parameter passes a multiple of %s, and of the last",
             (int)every, number);
  else if (dt > 0)
    snprintf(text, size, "where the parameter passes a multiple of %s, and of the last state", number);
  else
    snprintf(text, size, "of the last state alone (-output_%severy 1: of every one)", prefix);
}

PetscErrorCode RhxOutputDescribeStates(RhxOutput o, size_t size, char *text)
{
  char fields[200] = "of none (-output_fields false)", checkpoints[200];

  PetscFunctionBegin;
  if (o->fields) describe_kept(o->set.every, o->set.dt, "", sizeof(fields), fields);
  describe_kept(o->set.checkpoint_every, o->set.checkpoint_dt, "checkpoint_", sizeof(checkpoints), checkpoints);
  snprintf(text, size, "fields %s; checkpoints %s", fields, checkpoints);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputDue(RhxOutput o, PetscInt step, double t, PetscBool *due)
{
  PetscFunctionBegin;
  *due = PETSC_FALSE;
  if (!o->fields || step == o->last_step) PetscFunctionReturn(PETSC_SUCCESS);
  if (falls_on(o, step, o->set.every)) *due = PETSC_TRUE;
  if (o->set.dt > 0 && RhxOutputCrosses(o->set.dt, o->last_t, t)) *due = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputNextTime(RhxOutput o, double t, double *next)
{
  PetscFunctionBegin;
  *next = o->fields && o->set.dt > 0 ? next_time(o->set.dt, t) : PETSC_MAX_REAL;
  if (o->set.checkpoint_dt > 0) *next = PetscMin(*next, next_time(o->set.checkpoint_dt, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputCheckpointDue(RhxOutput o, PetscInt step, double before, double t, PetscBool *due)
{
  const double every = o->set.checkpoint_dt;

  PetscFunctionBegin;
  *due = (PetscBool)(step > 0 && falls_on(o, step, o->set.checkpoint_every));
  if (every > 0 && RhxOutputCrosses(every, before, t)) *due = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputClockDue(RhxOutput o, double seconds, PetscBool *due)
{
  PetscFunctionBegin;
  *due = (PetscBool)(o->set.checkpoint_wall_time > 0 && seconds >= o->set.checkpoint_wall_time);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Writing ---- */

PetscErrorCode RhxOutputSetRestart(RhxOutput o, PetscInt step, double t)
{
  PetscFunctionBegin;
  o->first_step = step;
  o->last_t = t;
  if (!o->fields || o->aside) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < o->nwriters; i++) {
    PetscInt last = -1;
    if (o->writer[i].type->restart) PetscCall(o->writer[i].type->restart(&o->writer[i], step, &last));
    o->last_step = PetscMax(o->last_step, last);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputSetBase(RhxOutput o, Vec base)
{
  PetscFunctionBegin;
  o->base = base;
  if (o->fields) PetscCall(RhxOutputKeepDerivatives(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputFields(RhxOutput o, PetscInt step, double t, double dt, Vec x, char problem[RHX_MESSAGE])
{
  const RhxOutputStep now = {step, t, x, dt};
  char one[RHX_MESSAGE];

  PetscFunctionBegin;
  problem[0] = '\0';
  if (!o->fields || step == o->last_step) PetscFunctionReturn(PETSC_SUCCESS);
  o->last_step = step;
  o->last_t = t;
  for (PetscInt i = 0; i < o->nwriters; i++) {
    PetscCall(o->writer[i].type->write(&o->writer[i], &now, one));
    if (one[0] && !problem[0]) PetscCall(PetscStrncpy(problem, one, RHX_MESSAGE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
