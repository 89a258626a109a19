/* How files take the place of earlier ones, and what follows when one cannot be written. */
#define _POSIX_C_SOURCE 200809L
#include "output/impl.h"
#include "plugin/agree.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ON_ERROR_STOP, ON_ERROR_CONTINUE };

/* The same but for digits, such as those of a step in a file's name. */
static PetscBool alike(const char *a, const char *b)
{
  for (;; a++, b++) {
    while (isdigit((unsigned char)*a)) a++;
    while (isdigit((unsigned char)*b)) b++;
    if (*a != *b || !*a) return *a == *b ? PETSC_TRUE : PETSC_FALSE;
  }
}

/* How often a problem like this one has come, this time included. */
static PetscErrorCode count(RhxOutput o, const char *problem, PetscInt *times)
{
  PetscInt k = 0;

  PetscFunctionBegin;
  while (k < o->nkinds && !alike(o->problem[k].first, problem)) k++;
  if (k == o->nkinds) {
    PetscCall(PetscRealloc((o->nkinds + 1) * sizeof *o->problem, &o->problem));
    PetscCall(PetscStrallocpy(problem, &o->problem[k].first));
    o->problem[k].times = 0;
    o->nkinds++;
  }
  *times = ++o->problem[k].times;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row a step may fail: told the 1st, 10th, 100th time. */
static PetscBool is_told(PetscInt times)
{
  while (times % 10 == 0) times /= 10;
  return times == 1 ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RhxOutputMind(RhxOutput o, const char *problem)
{
  char again[64] = "";
  PetscMPIInt rank;
  PetscInt times = 0;

  PetscFunctionBegin;
  if (!problem[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(o->set.on_error != ON_ERROR_STOP, o->comm, PETSC_ERR_FILE_WRITE, "%s", problem);
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  o->nproblems++;
  PetscCall(count(o, problem, &times));
  if (times > 1) snprintf(again, sizeof(again), " (for the %ldth time)", (long)times);
  if (!rank && is_told(times))
    fprintf(stderr, "rheoplex: warning: %s%s; the run goes on (-output_on_error continue)\n", problem, again);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputGetProblemCount(RhxOutput o, PetscInt *n)
{
  PetscFunctionBegin;
  *n = o->nproblems;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Names ---- */

static PetscBool ends(const char *text, const char *end)
{
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && !strcmp(text + n - m, end) ? PETSC_TRUE : PETSC_FALSE;
}

PetscBool RhxOutputFits(const char *rest, const char *pattern)
{
  const char *star = strchr(pattern, '*');

  if (!star) return (PetscBool)!strcmp(rest, pattern);
  if (strncmp(rest, pattern, (size_t)(star - pattern)) || !isdigit((unsigned char)rest[star - pattern]))
    return PETSC_FALSE;
  for (rest += star - pattern; isdigit((unsigned char)*rest); rest++)
    ;
  return (PetscBool)!strcmp(rest, star + 1);
}

/* Results of any case, and what writes them; NULL: what says so itself. */
static const char *const whole[][2] = {{".pvd", "-output_formats vtu"},
                                       {"_history.csv", "the run's history"},
                                       {"_forces.csv", NULL},
                                       {"_checkpoint.h5", "checkpoints"},
                                       {"_checkpoint.h5.earlier", "checkpoints"},
                                       {"_last_good.h5", "a run that fails"},
                                       {"_effective.yaml", "the run's options"},
                                       {"_*.vtu", "-output_formats vtu"},
                                       {".hdf.series", "-output_formats vtkhdf"},
                                       {"_*.hdf", "-output_formats vtkhdf"},
                                       {"_continuation.csv", "-scheme_steady_continuation"},
                                       {"_point_*.h5", "-scheme_steady_continuation"},
                                       {"_sensitivity.csv", "sensitivities"},
                                       {"_perturbed_*.h5", "rheoplex eigen"},
                                       {"_spectrum.csv", "rheoplex eigen"},
                                       {"_critical.csv", "rheoplex eigen"},
                                       {"_adjoint_*.vtu", "rheoplex eigen"},
                                       {"_mode_real_*.vtu", "rheoplex eigen"},
                                       {"_mode_imaginary_*.vtu", "rheoplex eigen"},
                                       {"_mode_real.pvd", "rheoplex eigen"},
                                       {"_mode_imaginary.pvd", "rheoplex eigen"}};

/* Rank 0: is it of a case whose name begins as this one's, such as pipe_wall beside pipe, which was or is in the folder? */
static PetscBool is_of_longer(RhxOutput o, const char *file)
{
  static const char *const sign[] = {"_effective.yaml", ".lock"};
  char path[PETSC_MAX_PATH_LEN + 512];

  for (const char *at = file + strlen(o->name) + 1; (at = strchr(at, '_')); at++)
    for (size_t k = 0; k < sizeof sign / sizeof *sign; k++) {
      snprintf(path, sizeof path, "%s/%.*s%s", o->folder, (int)(at - file), file, sign[k]);
      if (!access(path, F_OK)) return PETSC_TRUE;
    }
  return PETSC_FALSE;
}

/* Rank 0: is it a result, by its name, of a case of this name? */
static PetscBool is_result(RhxOutput o, const char *file)
{
  const size_t n = strlen(o->name);
  const char *rest = file + n;

  if (strncmp(file, o->name, n)) return PETSC_FALSE;
  for (PetscInt k = 0; k < o->nresults; k++)
    if (RhxOutputFits(rest, o->result[k][0])) return PETSC_TRUE;
  for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
    if (RhxOutputFits(rest, whole[k][0])) return (PetscBool)!is_of_longer(o, file);
  if (strncmp(rest, "_wall_", 6) || !ends(rest, ".csv") || strstr(rest, ".tmp")) return PETSC_FALSE;
  return (PetscBool)!is_of_longer(o, file);
}

/* Is there a name that both are? */
static PetscBool meet(const char *a, const char *b)
{
  char one[512];
  const char *star = strchr(a, '*');

  if (!star) return RhxOutputFits(a, b);
  if (!strchr(b, '*')) return RhxOutputFits(b, a);
  snprintf(one, sizeof one, "%.*s0%s", (int)(star - a), a, star + 1);
  return RhxOutputFits(one, b);
}

PetscErrorCode RhxOutputAddResult(RhxOutput o, const char *owner, const char *suffix)
{
  const char *other = NULL, *name = suffix;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < o->nresults && !other; k++)
    if (meet(suffix, o->result[k][0])) name = o->result[k][0], other = o->result[k][1];
  for (size_t k = 0; k < sizeof whole / sizeof *whole && !other; k++)
    if (meet(suffix, whole[k][0])) name = whole[k][0], other = whole[k][1];
  PetscCheck(!other, o->comm, PETSC_ERR_USER_INPUT,
             "two outputs have the same file: got %s%s of %s and of %s, expected names of diagnostics and labels that "
             "make different ones",
             o->name, strchr(suffix, '*') ? name : suffix, owner, other);
  PetscCall(PetscRealloc((o->nresults + 1) * sizeof *o->result, &o->result));
  PetscCall(PetscStrallocpy(suffix, &o->result[o->nresults][0]));
  PetscCall(PetscStrallocpy(owner, &o->result[o->nresults][1]));
  o->nresults++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputDropResults(RhxOutput o, const char *owner)
{
  char file[PETSC_MAX_PATH_LEN], aside[PETSC_MAX_PATH_LEN + 16];
  struct stat is;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  for (PetscInt k = 0; !rank && k < o->nresults; k++) {
    if (strcmp(o->result[k][1], owner) || strchr(o->result[k][0], '*')) continue;
    snprintf(file, sizeof file, "%.2000s/%.1000s%.1000s", o->folder, o->name, o->result[k][0]);
    snprintf(aside, sizeof aside, "%s.earlier", file);
    if (lstat(file, &is) || !S_ISREG(is.st_mode) || rename(file, aside)) continue; /* none of this program's */
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s is not of this run, which ends before its start: it is %s now\n", file,
                          aside));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: the next result in the folder, NULL: no more. */
static const char *next_result(RhxOutput o, DIR *folder)
{
  const struct dirent *entry;

  while ((entry = readdir(folder)))
    if (is_result(o, entry->d_name)) return entry->d_name;
  return NULL;
}

PetscErrorCode RhxOutputHasResults(RhxOutput o, PetscBool *there)
{
  PetscMPIInt rank;
  int any = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  if (!rank) {
    DIR *folder = opendir(o->folder);
    any = folder && next_result(o, folder);
    if (folder) closedir(folder);
  }
  PetscCallMPI(MPI_Bcast(&any, 1, MPI_INT, 0, o->comm));
  *there = any ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Earlier results of another case ---- */

PetscErrorCode RhxOutputSetAside(RhxOutput o)
{
  PetscFunctionBegin;
  o->aside = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: <folder>/<name>.1, or .2, ..: the first that is not there; returns an errno. */
static int make_aside(const char *folder, const char *name, size_t size, char *aside)
{
  for (int k = 1;; k++) {
    snprintf(aside, size, "%s/%s.%d", folder, name, k);
    if (!mkdir(aside, 0777)) return 0;
    if (errno != EEXIST) return errno;
  }
}

/* Rank 0: moves every result; what is moved is whole at every moment. Returns an errno. */
static int move_aside(RhxOutput o, const char *aside)
{
  char from[PETSC_MAX_PATH_LEN + 512], to[PETSC_MAX_PATH_LEN + 1024];
  DIR *folder = opendir(o->folder);
  const char *file;
  int err = 0;

  if (!folder) return errno;
  while (!err && (file = next_result(o, folder))) {
    snprintf(from, sizeof from, "%s/%s", o->folder, file);
    snprintf(to, sizeof to, "%s/%s", aside, file);
    if (rename(from, to)) err = errno;
  }
  closedir(folder);
  return err;
}

static PetscErrorCode keep_earlier(RhxOutput o)
{
  char aside[PETSC_MAX_PATH_LEN + 512] = "", message[RHX_MESSAGE] = "";
  PetscMPIInt rank;
  int err;

  PetscFunctionBegin;
  if (!o->aside) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  if (!rank && ((err = make_aside(o->folder, o->name, sizeof aside, aside)) || (err = move_aside(o, aside))))
    snprintf(message, sizeof message,
             "earlier results of another case in %.400s cannot be moved to %.400s: %s (another -output_folder)",
             o->folder, aside, strerror(err));
  PetscCall(RhxRaise(o->comm, PETSC_ERR_FILE_WRITE, sizeof(message), message));
  o->aside = PETSC_FALSE;
  PetscCall(PetscPrintf(o->comm, "results of another case that were in %s are kept in %s\n", o->folder, aside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: the number of a file of a pattern, -1: it is none. */
static PetscInt number_of(const char *file, const char *name, const char *pattern)
{
  const size_t n = strlen(name);
  if (strncmp(file, name, n) || !RhxOutputFits(file + n, pattern)) return -1;
  return (PetscInt)atol(file + n + strcspn(pattern, "*"));
}

/* Rank 0: those that are not of the caller move to `aside`, which is made for the first of them. Returns an errno. */
static int move_numbered(const RhxNumberedFiles *of, size_t size, char *aside)
{
  char from[PETSC_MAX_PATH_LEN + 512], to[PETSC_MAX_PATH_LEN + 1024];
  const struct dirent *entry;
  DIR *folder = opendir(of->folder);
  int err = folder ? 0 : errno;

  while (!err && (entry = readdir(folder)))
    for (PetscInt k = 0; k < of->n && !err; k++) {
      const PetscInt number = number_of(entry->d_name, of->name, of->pattern[k]);
      if (number < 0 || (number < of->most && of->own[k][number]) || !strcmp(entry->d_name, of->stays)) continue;
      if (!aside[0] && (err = make_aside(of->folder, of->name, size, aside))) break;
      snprintf(from, sizeof from, "%s/%s", of->folder, entry->d_name);
      snprintf(to, sizeof to, "%s/%s", aside, entry->d_name);
      if (rename(from, to)) err = errno;
    }
  if (folder) closedir(folder);
  return err;
}

PetscErrorCode RhxOutputKeepNumbered(MPI_Comm comm, const RhxNumberedFiles *of)
{
  char aside[PETSC_MAX_PATH_LEN + 512] = "", message[RHX_MESSAGE] = "";
  PetscMPIInt rank;
  int err;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank && (err = move_numbered(of, sizeof aside, aside)))
    snprintf(message, sizeof message, "%s in %.400s cannot be moved to %.400s: %s (another -output_folder)", of->what,
             of->folder, aside, strerror(err));
  PetscCall(RhxRaise(comm, PETSC_ERR_FILE_WRITE, sizeof(message), message));
  if (!rank && aside[0])
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s that were in %s are kept in %s\n", of->what, of->folder, aside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Files take their places ---- */

static PetscErrorCode tell(RhxOutput o, int err, const char *file, char problem[RHX_MESSAGE])
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(&err, 1, MPI_INT, 0, o->comm));
  problem[0] = '\0';
  if (err)
    snprintf(problem, RHX_MESSAGE,
             "%.400s cannot be written: got \"%s\" when it was to take the place of an earlier one, expected a "
             "writable folder "
             "(-output_folder)",
             file, strerror(err));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0; a file of the same name that waits is the same file. */
static PetscErrorCode hold(RhxOutput o, const char *temporary, const char *file)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < o->nheld; k++)
    if (!strcmp(o->held[k][1], file)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscRealloc((o->nheld + 1) * sizeof *o->held, &o->held));
  PetscCall(PetscStrallocpy(temporary, &o->held[o->nheld][0]));
  PetscCall(PetscStrallocpy(file, &o->held[o->nheld][1]));
  o->nheld++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputPlace(RhxOutput o, const char *temporary, const char *file, char problem[RHX_MESSAGE])
{
  PetscMPIInt rank;
  int err = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  if (!rank && o->holding)
    PetscCall(hold(o, temporary, file));
  else if (!rank && rename(temporary, file))
    err = errno;
  PetscCall(tell(o, err, file, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputHold(RhxOutput o)
{
  PetscFunctionBegin;
  o->holding = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode forget(RhxOutput o)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < o->nheld; k++) {
    PetscCall(PetscFree(o->held[k][0]));
    PetscCall(PetscFree(o->held[k][1]));
  }
  PetscCall(PetscFree(o->held));
  o->nheld = 0;
  o->holding = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: the state of an earlier run of the case, from which that could go on, outlives one that begins anew. Returns an errno. */
static int keep_state(RhxOutput o)
{
  char kept[PETSC_MAX_PATH_LEN + 16];
  struct stat is;

  snprintf(kept, sizeof kept, "%s.earlier", o->checkpoint);
  if (o->first_step >= 0 || lstat(o->checkpoint, &is) || !S_ISREG(is.st_mode)) return 0;
  if (rename(o->checkpoint, kept)) return errno;
  printf("the last state of an earlier run of this case is kept in %s; its other results are replaced\n", kept);
  return 0;
}

PetscErrorCode RhxOutputPublish(RhxOutput o, char problem[RHX_MESSAGE])
{
  char file[PETSC_MAX_PATH_LEN] = "";
  PetscMPIInt rank;
  int err = 0;

  PetscFunctionBegin;
  problem[0] = '\0';
  if (!o->holding) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(o->comm, &rank));
  PetscCall(keep_earlier(o));
  if (!rank && (err = keep_state(o))) PetscCall(PetscStrncpy(file, o->checkpoint, sizeof file));
  for (PetscInt k = 0; k < o->nheld; k++)
    if (rename(o->held[k][0], o->held[k][1]) && !err) {
      err = errno;
      PetscCall(PetscStrncpy(file, o->held[k][1], sizeof file));
    }
  if (!rank && !err) err = RhxOutputDropStale(o, file);
  PetscCallMPI(MPI_Bcast(file, sizeof file, MPI_CHAR, 0, o->comm));
  PetscCall(tell(o, err, file, problem));
  PetscCall(forget(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxOutputDiscard(RhxOutput o)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < o->nheld; k++) (void)unlink(o->held[k][0]);
  PetscCall(forget(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}
