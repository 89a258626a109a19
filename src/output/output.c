#include "form/eigenvalue.h"
#include "output/file.h"
#include "output/impl.h"
#include "output/raise.h"
#include "output/text.h"
#include "output/xml.h"
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
     "of the same case are replaced, those of another one are moved to <folder>/<case name>.1 (.2, ...)"},
    {"every", RHX_INT, 0, offsetof(RhxOutputSettings, every), "0", RHX_GE, 0, 0, NULL, "1",
     "fields every so many steps (0: not by steps)"},
    {"dt", RHX_REAL, 0, offsetof(RhxOutputSettings, dt), "0", RHX_GE, 0, 0, NULL, "s",
     "fields every so much time; the steps before are shortened to meet these times (0: not by time)"},
    {"fields", RHX_BOOL, 0, offsetof(RhxOutputSettings, fields), "1", RHX_ANY, 0, 0, NULL, "1",
     "write fields for ParaView (.pvd, .vtu)"},
    {"checkpoint_every", RHX_INT, 0, offsetof(RhxOutputSettings, checkpoint_every), "0", RHX_GE, 0, 0, NULL, "1",
     "state for restart every so many steps (0: at the end only)"},
    {"on_error", RHX_CHOICE, 0, offsetof(RhxOutputSettings, on_error), "stop", RHX_ANY, 0, 0, "stop|continue", "",
     "when a file cannot be written, such as on a full disk: stop the run and save its state if that can be done, or "
     "warn "
     "and go on without the file; files written before stay whole"},
};
static const RhxOptionTable table = {"output", "output_", sizeof rows / sizeof *rows, rows};

static const char *const tensor_components[] = {"XX", "YY", "ZZ", "XY", "YZ", "XZ"};

/* What the fields of one output are filled from, at local nodes. */
typedef struct {
  RhxOutput output;
  PetscScalar *x;       /* [nlocal][bs] */
  PetscScalar *c, *tau; /* [nmodes][nlocal][ntens] */
} Data;

PetscErrorCode RhxOutputRegisterOptions(void)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRegister(&table));
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
  o->last_step = -1;
  o->last_period = -1;
  *output = o;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputSetFromOptions(RhxOutput o)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRead(o->comm, &table, NULL, &o->set));
  if (o->set.folder[0])
    PetscCall(PetscStrncpy(o->folder, o->set.folder, sizeof o->folder));
  else
    PetscCall(PetscSNPrintf(o->folder, sizeof o->folder, "out/%s", o->name));
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
  PetscCall(RhxOutputRaise(o->comm, PETSC_ERR_FILE_OPEN, message));
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
  PetscCall(RhxOutputRaise(o->comm, PETSC_ERR_FILE_OPEN, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* mode < 0: the name stands alone, else it ends in the number of the mode (unless there is but one). */
static PetscErrorCode add_field(RhxOutput o, RhxOutputSource source, PetscInt index, const char *name, PetscInt mode,
                                PetscInt components)
{
  RhxVtuField *f = o->field + o->nfields;

  PetscFunctionBegin;
  if (mode < 0 || o->form->nmodes == 1)
    PetscCall(PetscStrncpy(f->name, name, sizeof f->name));
  else
    PetscCall(PetscSNPrintf(f->name, sizeof f->name, "%s_%" PetscInt_FMT, name, mode));
  f->components = components;
  f->component = components == 6 ? tensor_components : NULL;
  f->cell = source == RANK ? PETSC_TRUE : PETSC_FALSE;
  o->source[o->nfields] = source;
  o->index[o->nfields++] = index;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_fields(RhxOutput o)
{
  RhxSpace space = o->form->space;
  PetscInt nmodes = o->form->nmodes, most = space->nfields + 4 * nmodes + 3;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(most, &o->field, most, &o->source, most, &o->index));
  for (PetscInt f = 0; f < space->nfields; f++)
    if (space->field[f].output[0])
      PetscCall(add_field(o, FROM_STATE, f, space->field[f].output, -1, space->field[f].kind == RHX_VECTOR ? 3 : 1));
  if (nmodes) {
    PetscCall(add_field(o, TOTAL_STRESS, 0, "stress", -1, 6));
    PetscCall(add_field(o, STRESS_TRACE, 0, "stress_trace", -1, 1));
  }
  for (PetscInt k = 0; k < nmodes; k++) {
    if (nmodes > 1) PetscCall(add_field(o, MODE_STRESS, k, "stress", k, 6));
    PetscCall(add_field(o, MODE_C, k, "conformation", k, 6));
    PetscCall(add_field(o, MODE_TRACE, k, "conformation_trace", k, 1));
    PetscCall(add_field(o, MODE_MIN, k, "conformation_min_eigenvalue", k, 1));
  }
  PetscCall(add_field(o, RANK, 0, "rank", -1, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputSetUp(RhxOutput o)
{
  PetscFunctionBegin;
  PetscCall(check_folder(o));
  PetscCall(lock_folder(o));
  if (!o->set.fields) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxVtuCreate(o->form->space, &o->vtu));
  PetscCall(list_fields(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputDestroy(RhxOutput *output)
{
  RhxOutput o = *output;

  PetscFunctionBegin;
  if (!o) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxOutputDiscard(o));
  PetscCall(RhxLockRelease(&o->lock));
  PetscCall(RhxVtuDestroy(&o->vtu));
  PetscCall(PetscFree3(o->field, o->source, o->index));
  for (PetscInt i = 0; i < o->nresults; i++) PetscCall(PetscFree(o->result[i]));
  PetscCall(PetscFree(o->result));
  PetscCall(PetscFree(o->series_step));
  PetscCall(PetscFree(o->series_t));
  PetscCall(PetscFree(*output));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- When ---- */

/* Number of the -output_dt period that holds t; a hair before its start counts as in it. */
static PetscInt64 period(RhxOutput o, double t)
{
  double n = t / o->set.dt;
  return (PetscInt64)PetscFloorReal(n + 1e-9 * PetscMax(1.0, PetscAbs(n)));
}

PetscErrorCode RhxOutputHasFields(RhxOutput o, PetscBool *has)
{
  PetscFunctionBegin;
  *has = (PetscBool)(o->set.fields != 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputDue(RhxOutput o, PetscInt step, double t, PetscBool *due)
{
  PetscFunctionBegin;
  *due = PETSC_FALSE;
  if (!o->set.fields || step == o->last_step) PetscFunctionReturn(PETSC_SUCCESS);
  if (o->set.every > 0 && step % o->set.every == 0) *due = PETSC_TRUE;
  if (o->set.dt > 0 && period(o, t) > o->last_period) *due = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputNextTime(RhxOutput o, double t, double *next)
{
  PetscFunctionBegin;
  *next = o->set.fields && o->set.dt > 0 ? (double)(period(o, t) + 1) * o->set.dt : PETSC_MAX_REAL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputCheckpointDue(RhxOutput o, PetscInt step, PetscBool *due)
{
  PetscFunctionBegin;
  *due = (o->set.checkpoint_every > 0 && step > 0 && step % o->set.checkpoint_every == 0) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The series ---- */

/* Rank 0. */
static PetscErrorCode add_to_series(RhxOutput o, PetscInt step, double t)
{
  PetscFunctionBegin;
  if (o->nseries == o->capacity) {
    o->capacity = 2 * o->capacity + 16;
    PetscCall(PetscRealloc(o->capacity * sizeof *o->series_step, &o->series_step));
    PetscCall(PetscRealloc(o->capacity * sizeof *o->series_t, &o->series_t));
  }
  o->series_step[o->nseries] = step;
  o->series_t[o->nseries++] = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0. */
static PetscErrorCode series_text(RhxOutput o, RhxText *text)
{
  char name[RHX_XML_LENGTH * sizeof o->name];

  PetscFunctionBegin;
  RhxXmlEscape(o->name, sizeof name, name);
  PetscCall(
      RhxTextAppend(text, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n"));
  for (PetscInt i = 0; i < o->nseries; i++)
    PetscCall(RhxTextAppend(text, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"%s_%06d.vtu\"/>\n", o->series_t[i],
                            name, (int)o->series_step[i]));
  PetscCall(RhxTextAppend(text, "</Collection>\n</VTKFile>\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* err of the file: a sentence, or nothing. */
static void describe(const char *what, const char *file, int err, char problem[RHX_MESSAGE])
{
  problem[0] = '\0';
  if (err)
    snprintf(problem, RHX_MESSAGE,
             "%s %.400s cannot be written: got \"%s\", expected space and permission in the folder of option "
             "-output_folder",
             what, file, strerror(err));
}

/* Written beside and renamed, so that the file is whole at every moment. */
static PetscErrorCode write_series(RhxOutput o, char problem[RHX_MESSAGE])
{
  char file[PETSC_MAX_PATH_LEN], temporary[PETSC_MAX_PATH_LEN];
  RhxText text = {0};
  PetscMPIInt rank;
  int err;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  PetscCall(PetscSNPrintf(file, sizeof file, "%s/%s.pvd", o->folder, o->name));
  PetscCall(PetscSNPrintf(temporary, sizeof temporary, "%s.tmp", file));
  if (!rank) PetscCall(series_text(o, &text));
  PetscCall(RhxFileWriteText(o->comm, temporary, text.s, text.n, &err));
  PetscCall(PetscFree(text.s));
  describe("list of fields", file, err, problem);
  if (!err) PetscCall(RhxOutputPlace(o, temporary, file, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputSetRestart(RhxOutput o, PetscInt step, double t)
{
  char file[PETSC_MAX_PATH_LEN], line[2 * PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;
  FILE *f;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  if (o->set.dt > 0) o->last_period = period(o, t);
  PetscCall(PetscSNPrintf(file, sizeof file, "%s/%s.pvd", o->folder, o->name));
  if (!rank && o->set.fields && !o->aside && (f = fopen(file, "r"))) {
    o->nseries = 0;
    while (fgets(line, sizeof line, f)) {
      char *end = strstr(line, ".vtu\""), *at = end;
      double when;
      if (!end || sscanf(line, "<DataSet timestep=\"%lf\"", &when) != 1) continue;
      while (at > line && at[-1] != '_') at--;
      if (atol(at) <= step) PetscCall(add_to_series(o, (PetscInt)atol(at), when));
    }
    fclose(f);
  }
  if (!rank && o->nseries) o->last_step = o->series_step[o->nseries - 1];
  PetscCallMPI(MPI_Bcast(&o->last_step, 1, MPIU_INT, 0, o->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The fields ---- */

/* Our components to ParaView's XX YY ZZ XY YZ XZ; zz: what a tensor without out-of-plane component has there. */
static void to_paraview(PetscInt ntens, double zz, const PetscScalar *a, double out[6])
{
  out[0] = a[0];
  out[1] = a[1];
  out[2] = ntens == 3 ? zz : a[2];
  out[3] = a[ntens - 1];
  out[4] = ntens == 6 ? a[3] : 0;
  out[5] = ntens == 6 ? a[4] : 0;
}

/* Sum of the modes' stresses at a local node, ParaView's order. */
static void total_stress(const Data *data, PetscInt node, double out[6])
{
  RhxSpace space = data->output->form->space;
  double one[6];

  for (int k = 0; k < 6; k++) out[k] = 0;
  for (PetscInt m = 0; m < data->output->form->nmodes; m++) {
    to_paraview(space->ntens, 0, data->tau + ((size_t)m * space->nlocal + node) * space->ntens, one);
    for (int k = 0; k < 6; k++) out[k] += one[k];
  }
}

static void point_value(const Data *data, PetscInt field, PetscInt node, double *out)
{
  RhxOutput o = data->output;
  RhxSpace space = o->form->space;
  PetscInt ntens = space->ntens, index = o->index[field];
  size_t at = ((size_t)index * space->nlocal + node) * ntens;
  double a[6];

  switch (o->source[field]) {
  case FROM_STATE:
    for (PetscInt d = 0; d < o->field[field].components; d++)
      out[d] =
          d < space->field[index].components ? data->x[(size_t)node * space->bs + space->field[index].offset + d] : 0;
    break;
  case TOTAL_STRESS:
    total_stress(data, node, out);
    break;
  case STRESS_TRACE:
    total_stress(data, node, a);
    *out = a[0] + a[1] + a[2];
    break;
  case MODE_STRESS:
    to_paraview(ntens, 0, data->tau + at, out);
    break;
  case MODE_C:
    to_paraview(ntens, 1, data->c + at, out);
    break;
  case MODE_TRACE:
    to_paraview(ntens, 1, data->c + at, a);
    *out = a[0] + a[1] + a[2];
    break;
  case MODE_MIN:
    *out = RhxMinEigenvalue(ntens, data->c + at);
    break;
  case RANK:
    break;
  }
}

static PetscErrorCode fill(void *ctx, PetscInt field, double *values)
{
  Data *data = ctx;
  RhxOutput o = data->output;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  if (o->source[field] == RANK)
    for (PetscInt e = 0; e < o->vtu->ncells; e++) values[e] = rank;
  else
    for (PetscInt i = 0; i < o->vtu->npoints; i++)
      point_value(data, field, o->vtu->node[i], values + (size_t)i * o->field[field].components);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gather(RhxOutput o, Vec x, Data *data)
{
  RhxSpace space = o->form->space;
  size_t n = (size_t)space->nlocal * space->ntens;
  const PetscScalar *g;

  PetscFunctionBegin;
  data->output = o;
  PetscCall(PetscMalloc3((size_t)space->nlocal * space->bs, &data->x, n * o->form->nmodes, &data->c,
                         n * o->form->nmodes, &data->tau));
  PetscCall(VecGetArrayRead(x, &g));
  PetscCall(RhxSpaceGlobalToLocal(space, space->bs, g, data->x));
  PetscCall(VecRestoreArrayRead(x, &g));
  for (PetscInt m = 0; m < o->form->nmodes; m++) {
    PetscCall(RhxFormConformation(o->form, m, space->nlocal, data->x, data->c + m * n));
    PetscCall(RhxFormPolymerStress(o->form, m, space->nlocal, data->x, data->tau + m * n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputFields(RhxOutput o, PetscInt step, double t, Vec x, char problem[RHX_MESSAGE])
{
  char file[PETSC_MAX_PATH_LEN], temporary[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;
  Data data;
  int err;

  PetscFunctionBegin;
  problem[0] = '\0';
  if (!o->set.fields || step == o->last_step) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  PetscCall(PetscSNPrintf(file, sizeof file, "%s/%s_%06d.vtu", o->folder, o->name, (int)step));
  PetscCall(PetscSNPrintf(temporary, sizeof temporary, "%s.tmp", file));
  PetscCall(gather(o, x, &data));
  PetscCall(RhxVtuWrite(o->vtu, temporary, t, o->nfields, o->field, fill, &data, &err));
  PetscCall(PetscFree3(data.x, data.c, data.tau));
  o->last_step = step;
  if (o->set.dt > 0) o->last_period = period(o, t);
  describe("field output", file, err, problem);
  if (!err) PetscCall(RhxOutputPlace(o, temporary, file, problem));
  if (problem[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (!rank) PetscCall(add_to_series(o, step, t));
  PetscCall(write_series(o, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}
