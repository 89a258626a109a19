#define _GNU_SOURCE /* dladdr */
#include "output/insitu.h"
#include "output/fields_impl.h"
#include "output/impl.h"
#include "petsc_compat.h"
#include "plugin/agree.h"
#include "plugin/word.h"
#include <dlfcn.h>
#include <limits.h>
#include <rheoplex/insitu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ADAPTOR "rheoplex/insitu_paraview.so" /* beside the library */
#define HEAD 16384                            /* bytes of a script that may name its fields */

typedef struct {
  char script[RHX_STRING_LENGTH], adaptor[RHX_STRING_LENGTH];
  int every, display;
  double every_dt;
} Settings;

enum { DISPLAY_X, DISPLAY_EGL };

static const RhxRow rows[] = {
    {"script", RHX_STRING, 0, offsetof(Settings, script), "", RHX_ANY, 0, 0, NULL, "1",
     "Python scripts of ParaView, comma-separated, that draw pictures or write extracts while the run goes on "
     "(share/doc/insitu.md; share/insitu installs ParaView); on the command line alone, for they are code"},
    {"every", RHX_INT, 0, offsetof(Settings, every), "0", RHX_GE, 0, 0, NULL, "1",
     "steps that the scripts may see: every so many (0: all, or with -insitu_every_dt those alone)"},
    {"every_dt", RHX_REAL, 0, offsetof(Settings, every_dt), "0", RHX_GE, 0, 0, NULL, "s",
     "and every so much time; the steps before are shortened to meet these times (0: not by time)"},
    {"display", RHX_CHOICE, 0, offsetof(Settings, display), "x", RHX_ANY, 0, 0, "x|egl", "",
     "where pictures are drawn: x is DISPLAY, or where there is none an Xvfb of its own; egl needs no X server"},
    {"adaptor", RHX_STRING, 0, offsetof(Settings, adaptor), "", RHX_ANY, 0, 0, NULL, "1",
     "shared object with another adaptor (rheoplex/insitu.h); empty: that of share/insitu"},
};
static const RhxOptionTable table = {"insitu", "insitu_", PETSC_STATIC_ARRAY_LENGTH(rows), rows};

struct _p_RhxInsitu {
  RhxForm form; /* borrowed, as output */
  RhxOutput output;
  MPI_Comm comm;
  Settings set;
  const RhxInsituAdaptor *adaptor; /* NULL: nothing is shown */
  char folder[PETSC_MAX_PATH_LEN]; /* absolute */
  int nscripts;
  char **script;
  RhxVtu *vtu;
  RhxPointFields fields;
  PetscBool *wanted; /* [fields->n] */
  int nshown;        /* fields */
  RhxInsituField *shown;
  double **values;  /* [nshown] owned: an adaptor may look at them until its end */
  PetscInt *number; /* [nshown] of the field */
  double last_t;    /* at which -insitu_every_dt offered a step */
  PetscInt last_step, nsteps;
  double begin_seconds, first_seconds, seconds;
};

PetscErrorCode RhxInsituRegisterOptions(void)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRegister(&table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxInsituCreate(RhxForm form, RhxOutput output, RhxInsitu *insitu)
{
  RhxInsitu s;

  PetscFunctionBegin;
  PetscCall(PetscNew(insitu));
  s = *insitu;
  s->form = form;
  s->output = output;
  s->comm = form->comm;
  s->last_step = -1;
  PetscCall(RhxOptionTableRead(s->comm, &table, NULL, &s->set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- One sentence ---- */

/* The message of the lowest rank that has one; the run goes on without. */
static PetscErrorCode give_up(RhxInsitu s, char message[RHX_INSITU_MESSAGE], PetscBool *given)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(s->comm, &rank));
  PetscCall(RhxAgree(s->comm, RHX_INSITU_MESSAGE, message, given));
  if (!*given) PetscFunctionReturn(PETSC_SUCCESS);
  if (!rank) fprintf(stderr, "rheoplex: warning: -insitu_script: %s; the run goes on without\n", message);
  if (s->adaptor) s->adaptor->end();
  s->adaptor = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Scripts ---- */

/* "# fields: velocity, pressure" in its own line at the head of a script. */
static PetscErrorCode take_fields(RhxInsitu s, const char *file, char *names, char message[RHX_INSITU_MESSAGE])
{
  char *rest = names, known[320] = "";

  PetscFunctionBegin;
  for (char *name; (name = strsep(&rest, ","));) {
    PetscInt i;

    name = RhxWord(name);
    if (!name[0]) continue;
    for (i = 0; i < s->fields->n && strcmp(s->fields->field[i].name, name); i++)
      ;
    if (i < s->fields->n) {
      s->wanted[i] = PETSC_TRUE;
      continue;
    }
    for (i = 0; i < s->fields->n; i++) {
      PetscCall(PetscStrlcat(known, i ? ", " : "", sizeof known));
      PetscCall(PetscStrlcat(known, s->fields->field[i].name, sizeof known));
    }
    snprintf(message, RHX_INSITU_MESSAGE, "%.150s asks for the field '%.40s', expected some of %s", file, name, known);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: what the script asks for, `default` of -output_fields where it does not say. */
static PetscErrorCode read_script(RhxInsitu s, const char *file, char message[RHX_INSITU_MESSAGE])
{
  static const char mark[] = "\n# fields:";
  char head[HEAD + 2] = "\n";
  struct stat status;
  FILE *f = stat(file, &status) || !S_ISREG(status.st_mode) ? NULL : fopen(file, "r");
  char *line;

  PetscFunctionBegin;
  if (!f) {
    snprintf(message, RHX_INSITU_MESSAGE, "got '%.300s', expected a Python file that can be read", file);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  head[1 + fread(head + 1, 1, HEAD, f)] = '\0';
  fclose(f);
  if ((line = strstr(head, mark))) {
    line += sizeof mark - 1;
    line[strcspn(line, "\n")] = '\0';
    PetscCall(take_fields(s, file, line, message));
  } else {
    for (PetscInt i = 0; i < s->fields->n; i++)
      if (s->fields->all->item[s->fields->which[i]].common) s->wanted[i] = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Absolute paths: where an adaptor works is its own affair. */
static PetscErrorCode read_scripts(RhxInsitu s, char message[RHX_INSITU_MESSAGE])
{
  char path[PATH_MAX];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(s->comm, &rank));
  PetscCall(PetscStrToArray(s->set.script, ',', &s->nscripts, &s->script));
  for (int i = 0; i < s->nscripts; i++) {
    if (!rank && !message[0]) PetscCall(read_script(s, s->script[i], message));
    if (rank || !realpath(s->script[i], path)) path[0] = '\0';
    PetscCallMPI(MPI_Bcast(path, PATH_MAX, MPI_CHAR, 0, s->comm));
    PetscCall(PetscFree(s->script[i]));
    PetscCall(PetscStrallocpy(path, &s->script[i]));
  }
  PetscCallMPI(MPI_Bcast(s->wanted, (PetscMPIInt)(s->fields->n * sizeof(*s->wanted)), MPI_BYTE, 0, s->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The adaptor ---- */

static void find_adaptor(size_t size, char *file)
{
  Dl_info info;
  const char *slash;

  if (!dladdr((void *)&table, &info) || !info.dli_fname) return;
  slash = strrchr(info.dli_fname, '/');
  snprintf(file, size, "%.*s/%s", slash ? (int)(slash - info.dli_fname) : 1, slash ? info.dli_fname : ".", ADAPTOR);
}

/* Its libraries' symbols are for all: Python's modules ask for them. */
static void open_adaptor(RhxInsitu s, char message[RHX_INSITU_MESSAGE])
{
  char file[PATH_MAX] = "";
  struct stat status;
  void *handle;
  RhxInsituFn fn = NULL;
  const RhxInsituAdaptor *adaptor;

  if (s->set.adaptor[0])
    snprintf(file, sizeof file, "%s", s->set.adaptor);
  else
    find_adaptor(sizeof file, file);
  if (stat(file, &status)) {
    snprintf(message, RHX_INSITU_MESSAGE,
             "there is no %.300s, expected the adaptor of ParaView, which share/insitu builds", file);
    return;
  }
  handle = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  if (handle) *(void **)&fn = dlsym(handle, "rhx_insitu");
  adaptor = fn ? fn() : NULL;
  if (!handle)
    snprintf(message, RHX_INSITU_MESSAGE, "the adaptor cannot be opened: %.400s", dlerror());
  else if (!adaptor)
    snprintf(message, RHX_INSITU_MESSAGE, "%.300s has no rhx_insitu(), expected an adaptor", file);
  else if (adaptor->size != sizeof *adaptor || adaptor->version != RHX_INSITU_VERSION)
    snprintf(message, RHX_INSITU_MESSAGE,
             "%.300s was built for another Rheoplex: version %d of %lu bytes, expected %d of %zu (share/insitu builds "
             "it again)",
             file, adaptor->version, adaptor->size, RHX_INSITU_VERSION, sizeof *adaptor);
  else
    s->adaptor = adaptor;
}

/* Room for the values of what is wanted. */
static PetscErrorCode make_values(RhxInsitu s)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc3(s->fields->n, &s->shown, s->fields->n, &s->values, s->fields->n, &s->number));
  for (PetscInt i = 0; i < s->fields->n; i++) {
    const RhxVtuField *f = &s->fields->field[i];
    const int k = s->nshown;

    if (!s->wanted[i]) continue;
    PetscCall(PetscMalloc1((size_t)f->components * (f->cell ? s->vtu->ncells : s->vtu->npoints), &s->values[k]));
    s->shown[k] = (RhxInsituField){f->name, f->cell, (int)f->components, s->values[k]};
    s->number[k] = i;
    s->nshown++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin_adaptor(RhxInsitu s, char message[RHX_INSITU_MESSAGE])
{
  const RhxInsituRun run = {s->comm,         s->nscripts, (const char *const *)s->script,
                            s->output->name, s->folder,   s->set.display == DISPLAY_EGL};
  char real[PATH_MAX];

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(s->folder, realpath(s->output->folder, real) ? real : s->output->folder, sizeof s->folder));
  if (s->adaptor->begin(&run, message) && !message[0])
    snprintf(message, RHX_INSITU_MESSAGE, "the adaptor %.100s cannot begin", s->adaptor->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxInsituBegin(RhxInsitu s, double t)
{
  char message[RHX_INSITU_MESSAGE] = "";
  PetscLogDouble begin, end;
  PetscBool given;

  PetscFunctionBegin;
  if (!s->set.script[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&begin));
  s->last_t = t > 0 ? t : RHX_NO_TIME;
  PetscCall(RhxVtuCreate(s->form->space, &s->vtu));
  PetscCall(RhxPointFieldsCreate(s->form, s->vtu, &s->fields));
  PetscCall(RhxPointFieldsSelect(s->fields, "-insitu_script", "all"));
  PetscCall(PetscCalloc1(s->fields->n, &s->wanted));
  PetscCall(read_scripts(s, message));
  PetscCall(give_up(s, message, &given));
  if (given) PetscFunctionReturn(PETSC_SUCCESS);
  open_adaptor(s, message);
  PetscCall(give_up(s, message, &given));
  if (given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(begin_adaptor(s, message));
  PetscCall(give_up(s, message, &given));
  if (given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(make_values(s));
  PetscCall(PetscTime(&end));
  s->begin_seconds = end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Steps ---- */

PetscErrorCode RhxInsituNextTime(RhxInsitu s, double t, double *next)
{
  PetscFunctionBegin;
  *next = s->adaptor && s->set.every_dt > 0 ? (double)(RhxOutputPeriod(s->set.every_dt, t) + 1) * s->set.every_dt
                                            : PETSC_MAX_REAL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_due(RhxInsitu s, PetscInt step, double t)
{
  PetscBool due = (PetscBool)(s->set.every > 0 ? step % s->set.every == 0 : !(s->set.every_dt > 0));

  if (s->set.every_dt > 0 && RhxOutputCrosses(s->set.every_dt, s->last_t, t)) {
    s->last_t = t;
    due = PETSC_TRUE;
  }
  return due;
}

PetscErrorCode RhxInsituWants(RhxInsitu s, PetscInt step, double t, PetscBool last, PetscBool *wants, PetscInt *first,
                              PetscInt *end)
{
  const RhxInsituStep now = {t, step, last};

  PetscFunctionBegin;
  *wants = PETSC_FALSE;
  if (!s->adaptor || step == s->last_step) PetscFunctionReturn(PETSC_SUCCESS);
  if (!is_due(s, step, t) && !last) PetscFunctionReturn(PETSC_SUCCESS);
  s->last_step = step;
  *wants = (PetscBool)(s->adaptor->wants(&now) != 0);
  RhxPointFieldsRange(s->fields, s->wanted, first, end);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxInsituShow(RhxInsitu s, PetscInt step, double t, double dt, PetscBool last, Vec x)
{
  const RhxInsituStep now = {t, step, last};
  const RhxInsituMesh mesh = {s->vtu->npoints, s->vtu->ncells, s->vtu->xyz, s->vtu->offset, s->vtu->conn, s->vtu->type};
  char message[RHX_INSITU_MESSAGE] = "";
  PetscLogDouble begin, end;
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  s->fields->dt = dt;
  PetscCall(RhxPointFieldsGather(s->fields, s->wanted, x));
  for (int k = 0; k < s->nshown; k++) PetscCall(RhxPointFieldsFill(s->fields, s->number[k], s->values[k]));
  PetscCall(RhxPointFieldsRelease(s->fields));
  if (s->adaptor->show(&now, &mesh, s->nshown, s->shown, message) && !message[0])
    snprintf(message, sizeof message, "the adaptor %.100s cannot show step %" PetscInt_FMT, s->adaptor->name, step);
  PetscCall(PetscTime(&end));
  s->seconds += end - begin;
  if (!s->nsteps) s->first_seconds = end - begin;
  s->nsteps++;
  PetscCall(give_up(s, message, &given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The end ---- */

PetscErrorCode RhxInsituEnd(RhxInsitu s)
{
  PetscFunctionBegin;
  if (s->adaptor) s->adaptor->end();
  s->adaptor = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxInsituGetCost(RhxInsitu s, PetscInt *n, double seconds[3])
{
  PetscFunctionBegin;
  *n = s->nsteps;
  seconds[0] = s->begin_seconds;
  seconds[1] = s->first_seconds;
  seconds[2] = s->seconds;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 3, MPI_DOUBLE, MPI_MAX, s->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxInsituDestroy(RhxInsitu *insitu)
{
  RhxInsitu s = *insitu;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxInsituEnd(s));
  for (int k = 0; k < s->nshown; k++) PetscCall(PetscFree(s->values[k]));
  PetscCall(PetscFree3(s->shown, s->values, s->number));
  PetscCall(PetscFree(s->wanted));
  PetscCall(RhxPointFieldsDestroy(&s->fields));
  PetscCall(RhxVtuDestroy(&s->vtu));
  PetscCall(PetscStrToArrayDestroy(s->nscripts, s->script));
  PetscCall(PetscFree(*insitu));
  PetscFunctionReturn(PETSC_SUCCESS);
}
